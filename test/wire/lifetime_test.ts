/** The program ends with its client or when the system asks it to, after what was asked is answered in full, and never later. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { makeFolder } from "../harness/folder.ts";
import { isGone, pause, readSlowly, until } from "../harness/process.ts";
import { command, handshake, IS_COMPLETE, ON_DENO, Program, REPOSITORY, run } from "../harness/program.ts";
import { makeLarge, ping, read, start, startUnread } from "./requests.ts";

/** Windows has no signals: there `kill` ends a process without asking. */
const skip = process.platform === "win32";
const SIGNALS = [["SIGHUP", 1], ["SIGINT", 2], ["SIGTERM", 15]] as const;

/** The length of the text in an answer. */
function sizeOf(result: Readonly<Record<string, unknown>> | undefined): number | undefined {
  return (result?.["contents"] as { text: string }[] | undefined)?.[0]?.text.length;
}

/** Ended as it was asked to: without an error, and without a word. */
async function assertEnded(program: Program): Promise<void> {
  assert.deepEqual([await program.exited, program.child.signalCode, program.errors], [0, null, ""]);
}

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

/** Runs the program in a pipe of a shell, between one command and another; what it exits with is in `errors`. */
function inPipe(
  t: TestContext,
  args: readonly string[],
  reader: string,
): { errors: string; output: string } & {
  readonly shell: ReturnType<typeof spawn>;
} {
  const [file, all] = command(args);
  const shell = spawn("sh", ["-c", `cat | { "$@"; echo "exit $?" >&2; } | ${reader}`, "sh", file, ...all]);
  t.after(() => shell.kill("SIGKILL"));
  const said = { shell, output: "", errors: "" };
  shell.stdout.setEncoding("utf8").on("data", (text: string) => said.output += text);
  shell.stderr.setEncoding("utf8").on("data", (text: string) => said.errors += text);
  return said;
}

test("the end of input ends the program when everything that was asked before is answered", async () => {
  assert.deepEqual(await run([]), { code: 0, output: "", errors: "" });
  await Promise.all([0, 1000].map(async (requests) => {
    const { code, output, errors } = await run([], conversation(requests));
    assert.deepEqual([code, errors], [0, ""]);
    assertAnswered(output, requests);
  }));
});

test("the end of input ends the program over pipes of a shell too", { skip }, async (t) => {
  const said = inPipe(t, [], "cat");
  said.shell.stdin!.end(conversation(100));
  await once(said.shell, "close");
  assert.equal(said.errors, "exit 0\n");
  assertAnswered(said.output, 100);
});

/** Messages as lines, after a handshake. */
function linesOf(messages: readonly object[]): string {
  const opening = { id: "initialize", method: "initialize", params: handshake("2025-03-26") };
  const all = [opening, { method: "notifications/initialized" }, ...messages];
  return all.map((message) =>
    JSON.stringify(Array.isArray(message) ? message : { jsonrpc: "2.0", ...message }) + "\n"
  )
    .join("");
}

/** The responses by id: the text of a result, or the code of an error. */
function answersIn(output: string): Record<string, unknown> {
  const all = output.trimEnd().split("\n").flatMap((line) => JSON.parse(line));
  return Object.fromEntries(all.map(({ id, error, result: { content, contents } = {} as never }) => {
    const [part] = (content ?? contents ?? []) as { text?: string }[];
    return [id, error?.code ?? part?.text];
  }));
}

const SLOW_SERVER = `${REPOSITORY}/test/wire/slow_server.ts`;
const callOf = (id: unknown, name: string) => ({ id, method: "tools/call", params: { name } });
const slowBatch = ["b1", "b2"].map((id) => ({ jsonrpc: "2.0", ...callOf(id, "slow") }));

test("after the end of input, handlers have the time that is theirs, also in a batch", async () => {
  const input = linesOf([
    callOf(1, "slow"),
    callOf(2, "late"),
    { id: 3, method: "resources/read", params: { uri: "slow://one" } },
    slowBatch,
  ]);
  const { code, output, errors } = await run([], input, { module: SLOW_SERVER });
  assert.deepEqual([code, errors], [0, ""]);
  const { 2: late, initialize: _, ...others } = answersIn(output);
  assert.match(String(late), /late was stopped: it took longer than 1500 ms/);
  assert.deepEqual(others, { 1: "done", 3: "done", b1: "done", b2: "done" });
});

test(
  "a handler that outlasts a signal gets an error and a line, and the exit code says so",
  { skip },
  async () => {
    const program = new Program([], { module: SLOW_SERVER });
    await program.initialize();
    program.send({ jsonrpc: "2.0", ...callOf(1, "never") });
    await program.ask("ping");
    program.child.stdin.end();
    send(program, "SIGTERM");
    assert.equal(await program.exited, 1);
    assert.match(program.errors, /^failed: tools\/call: The request was given up[^\n]*\n$/);
    const [answer] = await program.take(1);
    assert.deepEqual([answer?.id, answer?.error?.code], [1, -32603]);
  },
);

test("a search is answered though the input ends before the index is made", async (t) => {
  const line = "Every request names the table, the pool and the retry policy of its store. ";
  const documents = Object.fromEntries(
    Array.from(
      { length: 120 },
      (_, index) => [`resources/notes/${index}.md`, `# Note ${index}\n\n${line.repeat(500)}\n`],
    ),
  );
  const root = makeFolder(t, documents);
  const search = {
    id: 1,
    method: "tools/call",
    params: { name: "search_documents", arguments: { query: "retry" } },
  };
  const { code, output, errors } = await run(["--root", root], linesOf([search]));
  assert.deepEqual([code, errors], [0, ""]);
  assert.match(String(answersIn(output)[1]), /Note \d+/);
});

test("large answers arrive in full though the input has ended, also when the reader is slow", async (t) => {
  const root = makeLarge(t, 3_000_000);
  for (const count of [5, 1]) {
    const program = await start(["--root", root]);
    if (count === 1) readSlowly(program);
    program.send(...Array.from({ length: count }, (_, id) => read(id)));
    program.child.stdin.end();
    await assertEnded(program);
    for (const { result } of await program.take(count)) assert.equal(sizeOf(result), 3_000_000);
  }
});

test("a reader that goes ends the program with the next answer, or in the middle of one, without a word", async (t) => {
  for (const isWriting of [false, true]) {
    const program = await start(isWriting ? ["--root", makeLarge(t, 3_000_000)] : []);
    const soFar = program.output.length;
    if (isWriting) {
      program.send(...Array.from({ length: 20 }, (_, id) => read(id)));
      await until("an answer is on its way", () => program.output.length > soFar);
    }
    // The input stays open: what ends the program is the answer that it cannot write.
    program.child.stdout.destroy();
    if (!isWriting) program.send(ping(1));
    await assertEnded(program);
  }
});

test("a pipe whose reader has gone ends the program without a word", { skip }, async (t) => {
  const said = inPipe(t, ["--root", makeLarge(t, 3_000_000)], "head -c 100");
  said.shell.stdin!.write(conversation(0) + JSON.stringify(read(0)) + "\n");
  await until("the program has ended", () => said.errors.endsWith("\n"));
  assert.equal(said.errors, "exit 0\n");
  said.shell.stdin!.end();
});

/** What the program was doing when its parent was killed; the parent reads nothing of what it says. */
const MOMENTS: [string, object[], number][] = [
  ["waits for a request", [], 100],
  ["writes answers that are not taken", [read(1), read(2)], 3_000_000],
];

for (const [moment, requests, bytes] of MOMENTS) {
  test(`a parent that is killed while the program ${moment} leaves no orphan`, async (t) => {
    const [file, args] = command([...command(["--root", makeLarge(t, bytes)]).flat()], {
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

test("a client that reads nothing holds the program up neither at the end of its input nor after a signal", {
  skip: !IS_COMPLETE && "it takes half a minute",
}, async (t) => {
  const root = makeLarge(t, 3_000_000);
  const padding = ping("x", { _: "x".repeat(10_000) });
  await Promise.all([true, false].map(async (isEnded) => {
    if (!isEnded && skip) return;
    const program = await start(["--root", root]);
    program.child.stdout.pause();
    // It pauses its input with the first answers: the end is behind 2 MB that it does not take.
    program.send(...Array.from({ length: 10 }, (_, id) => read(id)), ...Array(200).fill(padding));
    const started = Date.now();
    if (isEnded) program.child.stdin.end();
    else send(program, "SIGTERM");
    const code = await new Promise((resolve) => program.child.once("exit", resolve));
    program.child.stdout.resume();
    await program.exited;
    assert.deepEqual([code, program.errors], [0, ""]);
    const seconds = (Date.now() - started) / 1000;
    assert.ok(seconds < (isEnded ? 40 : 15), `${seconds} s`);
  }));
});

/** Not with `kill()` of the child, after which Deno takes it for dead of that signal, whatever it does. */
function send(program: Program, signal: (typeof SIGNALS)[number][0]): void {
  if (program.child.exitCode === null && program.child.signalCode === null) {
    process.kill(program.child.pid!, signal);
  }
}

test("a signal ends the program while its input is open", { skip }, async () => {
  await Promise.all(SIGNALS.map(async ([signal]) => {
    const program = await start();
    send(program, signal);
    await assertEnded(program);
  }));
});

test("a signal before the first message, or right behind it, ends the program", { skip }, async () => {
  // While the program does not listen yet, the system ends it. Some time later the program ends itself.
  for (let afterMs = 20, code: number | null = null; code !== 0; afterMs *= 3) {
    assert.ok(afterMs < 20_000, "it never listens");
    const program = new Program();
    await pause(afterMs);
    send(program, "SIGTERM");
    code = await program.exited;
    assert.equal(program.child.signalCode, code === 0 ? null : "SIGTERM");
    assert.deepEqual([program.output, program.errors], ["", ""]);
  }
  for (const afterMs of [0, 30, 90]) {
    const program = new Program();
    program.send(ping(1));
    await pause(afterMs);
    send(program, "SIGTERM");
    assert.ok([0, null].includes(await program.exited));
    assert.equal(program.errors, "");
    assert.match(program.output, /^(?:\{.*\}\n)?$/);
  }
});

test("a signal while folders are indexed ends the program when all is answered", { skip }, async (t) => {
  const root = makeLarge(t, 100, 1000);
  for (const count of [50, 0]) {
    const program = await start(["--root", root]);
    program.send(...Array.from({ length: count }, (_, id) => read(id, id)), ping("after"));
    // The reads wait for the index. The answer that overtakes them shows that they have been taken.
    assert.equal((await program.next()).id, "after");
    send(program, "SIGTERM");
    await assertEnded(program);
    const answers = await program.take(count);
    assert.deepEqual(answers.map(({ id }) => id), [...Array(count).keys()]);
    assert.ok(answers.every(({ result }) => sizeOf(result) === 100));
  }
});

test("after a signal nothing more is taken, and what was taken is answered in full", { skip }, async (t) => {
  const reads = Array.from({ length: 20 }, (_, id) => read(id, id));
  const program = await startUnread(makeLarge(t, 1_000_000, 20), reads);
  send(program, "SIGTERM");
  // Long after the signal, as far as that can be said of another process: what kept it busy is over.
  await until("the documents are on their way", () => program.child.stdout.readableLength > 0);
  await pause(500);
  program.send(ping("late"));
  program.child.stdout.resume();
  await assertEnded(program);
  const answers = await program.take(1 + reads.length);
  assert.deepEqual(answers.map(({ id }) => id), ["first", ...reads.keys()]);
  assert.equal(program.output.split("\n").length, 1 + reads.length + 1);
});

test("a second signal ends the program at once, though an answer is not taken yet", { skip }, async (t) => {
  const root = makeLarge(t, 3_000_000);
  await Promise.all(SIGNALS.map(async ([signal, number]) => {
    const program = await start(["--root", root]);
    program.child.stdout.pause();
    program.send(read(1));
    await until("the answer is on its way", () => program.child.stdout.readableLength > 0);
    send(program, signal);
    // Once would be enough if it could be seen that the first one has arrived: two that come together are one.
    const again = setInterval(() => send(program, signal), 200);
    const code = await new Promise((resolve) => program.child.once("exit", resolve));
    clearInterval(again);
    program.child.stdout.resume();
    await program.exited;
    assert.deepEqual([code, program.child.signalCode, program.errors], [128 + number, null, ""]);
  }));
});

test("end() on a signal ends a program that is built on the library", { skip }, async () => {
  const program = await start([], { module: `${REPOSITORY}/test/transcripts/server.ts` });
  const params = { name: "do", arguments: { do: [["later", 300]] } };
  program.send({ jsonrpc: "2.0", id: "slow", method: "tools/call", params }, ping("after"));
  assert.equal((await program.next()).id, "after");
  send(program, "SIGTERM");
  await assertEnded(program);
  assert.deepEqual((await program.next()).result, { content: [{ type: "text", text: '["later"]' }] });
});
