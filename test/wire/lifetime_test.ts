/** When does the program end? With its client, after what was asked is answered in full, and never later. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { test } from "node:test";
import { makeFolder } from "../harness/folder.ts";
import { isGone, readSlowly, until } from "../harness/process.ts";
import { command, handshake, ON_DENO, Program, REPOSITORY, run } from "../harness/program.ts";

const ON_WINDOWS = process.platform === "win32";

const read = (id: number) => ({
  jsonrpc: "2.0",
  id,
  method: "resources/read",
  params: { uri: "architecture://guidelines/large" },
});

/** A root with one document of this many bytes. */
const rootWith = (t: Parameters<typeof makeFolder>[0], bytes: number) =>
  makeFolder(t, { "resources/guidelines/large.md": `# Large\n\n${"word ".repeat(bytes / 5)}` });

/** A handshake and everything that can be asked, in turns; the ids of the requests begin with 0. */
function conversation(requests: number): string {
  const kinds: [string, object?][] = [
    ["resources/read", { uri: "architecture://adr/1" }],
    ["ping"],
    ["prompts/get", { name: "suggest-patterns", arguments: { problem: "x" } }],
    ["resources/list"],
    ["resources/read", { uri: "architecture://adr/none" }],
    ["no/such/method"],
  ];
  const asked = Array.from({ length: requests }, (_, id) => {
    const [method, params] = kinds[id % kinds.length]!;
    return { jsonrpc: "2.0", id, method, params };
  });
  const opening = { jsonrpc: "2.0", id: "initialize", method: "initialize", params: handshake("2025-11-25") };
  return [opening, ...asked].map((message) => `${JSON.stringify(message)}\n`).join("");
}

/** Every request has one answer, and each is a line of JSON to its end. */
function assertAnswered(output: string, requests: number): void {
  assert.ok(output.endsWith("\n"));
  const ids = output.trimEnd().split("\n").map((line) => JSON.parse(line).id as string | number);
  assert.equal(ids.length, requests + 1);
  assert.deepEqual(new Set(ids), new Set(["initialize", ...Array(requests).keys()]));
}

for (const requests of [0, 1, 50, 1000]) {
  test(`the end of input right behind ${requests} requests ends the program when all of them are answered`, async () => {
    const { code, output, errors } = await run([], conversation(requests));
    assert.deepEqual([code, errors], [0, ""]);
    assertAnswered(output, requests);
  });
}

test("the end of input ends the program over pipes of a shell too", { skip: ON_WINDOWS }, async () => {
  const [file, args] = command([]);
  const shell = spawn("sh", ["-c", 'cat | { "$@"; echo "exit $?" >&2; } | cat', "sh", file, ...args]);
  let output = "";
  let errors = "";
  shell.stdout.setEncoding("utf8").on("data", (text: string) => output += text);
  shell.stderr.setEncoding("utf8").on("data", (text: string) => errors += text);
  shell.stdin.end(conversation(1000));
  await once(shell, "close");
  assert.equal(errors, "exit 0\n");
  assertAnswered(output, 1000);
});

test("large answers that were asked for before the end of input arrive in full", async (t) => {
  const program = new Program(["--root", rootWith(t, 3_500_000)]);
  await program.initialize();
  program.send(...Array.from({ length: 5 }, (_, id) => read(id)));
  assert.equal(await program.close(), 0);
  assert.equal(program.errors, "");
  assert.equal((await program.take(5)).filter(({ result }) => result?.["contents"]).length, 5);
});

test("a reader that is slow gets a large answer in full, though the input has ended", async (t) => {
  const program = new Program(["--root", rootWith(t, 3_000_000)]);
  await program.initialize();
  readSlowly(program);
  program.send(read(7));
  assert.equal(await program.close(), 0);
  assert.equal(program.errors, "");
  const { result } = await program.next();
  assert.equal(
    (result?.["contents"] as { text: string }[])[0]?.text.length,
    3_000_000 + "# Large\n\n".length,
  );
});

test("no input at all is no error", async () => {
  const { code, output, errors } = await run([]);
  assert.deepEqual([code, output, errors], [0, "", ""]);
});

test("a reader that goes while nothing is said ends the program with the next answer", async () => {
  const program = new Program();
  await program.initialize();
  program.child.stdout.destroy();
  program.send({ jsonrpc: "2.0", id: 1, method: "ping" });
  assert.equal(await program.exited, 0);
  assert.equal(program.errors, "");
});

test("a reader that goes in the middle of an answer ends the program without a word", async (t) => {
  const program = new Program(["--root", rootWith(t, 3_000_000)]);
  await program.initialize();
  program.send(...Array.from({ length: 20 }, (_, id) => read(id)));
  const soFar = program.output.length;
  await until("an answer is on its way", () => program.output.length > soFar);
  program.child.stdout.destroy();
  // Nothing more is sent, and the input stays open: what ends the program is the answer that it cannot write.
  assert.equal(await program.exited, 0);
  assert.equal(program.errors, "");
});

test("a pipe whose reader has gone ends the program without a word", { skip: ON_WINDOWS }, async (t) => {
  const [file, args] = command(["--root", rootWith(t, 3_000_000)]);
  const shell = spawn("sh", ["-c", 'cat | { "$@"; echo "exit $?" >&2; } | head -c 100', "sh", file, ...args]);
  t.after(() => shell.kill("SIGKILL"));
  let errors = "";
  shell.stderr.setEncoding("utf8").on("data", (text: string) => errors += text);
  shell.stdin.write(conversation(0) + JSON.stringify(read(0)) + "\n");
  await until("the program has ended", () => errors.endsWith("\n"));
  assert.equal(errors, "exit 0\n");
  shell.stdin.end();
});

/** What the program was doing when its parent was killed; the parent reads nothing of what it says. */
const MOMENTS: [string, object[], number][] = [
  ["waits for a request", [], 1],
  ["writes answers that nobody takes", [read(1), read(2)], 3_000_000],
];

for (const [moment, requests, bytes] of MOMENTS) {
  test(`a parent that is killed while the program ${moment} leaves no orphan`, async (t) => {
    const [file, args] = command([...command(["--root", rootWith(t, bytes)]).flat()], {
      module: `${REPOSITORY}/test/wire/parent.ts`,
      ...(ON_DENO ? { runtimeFlags: ["--allow-all"] } : {}),
    });
    const parent = spawn(file, args);
    t.after(() => parent.kill("SIGKILL"));
    let errors = "";
    parent.stderr.setEncoding("utf8").on("data", (text: string) => errors += text);
    parent.stdin.write(conversation(0) + requests.map((request) => `${JSON.stringify(request)}\n`).join(""));
    // The parent says which process it has started, once that has begun to answer.
    const [said] = await once(parent.stdout.setEncoding("utf8"), "data") as [string];
    const pid = Number(said);
    t.after(() => isGone(pid) || process.kill(pid, "SIGKILL"));
    assert.equal(isGone(pid), false);
    parent.kill("SIGKILL");
    // Both write to the same standard error, which ends with the last of them.
    await once(parent, "close");
    await until("the program is gone", () => isGone(pid));
    assert.equal(errors, "");
  });
}
