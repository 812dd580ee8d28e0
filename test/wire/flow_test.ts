/** Much at once, and clients that do not read: nothing piles up, nothing is lost, and the client is not read from either. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { makeFolder, writeFiles } from "../harness/folder.ts";
import { pause, peakMemory } from "../harness/process.ts";
import { IS_COMPLETE, modern, ON_DENO, Program, REPOSITORY } from "../harness/program.ts";
import { brief, listen } from "../harness/streams.ts";
import { makeLarge, ping, read, start, startUnread } from "./requests.ts";

const MB = 1_000_000;
/** What needs much time or memory is done in the complete run. */
const skip = IS_COMPLETE ? false : "in the complete run";
const FIXTURE = { module: `${REPOSITORY}/test/transcripts/server.ts` };

/** Waits until the program takes no more of its input, and gives what is left of it, in characters. */
async function untaken({ child: { stdin } }: Program): Promise<number> {
  for (let left = -1;;) {
    if (stdin.writableLength === left) return left;
    left = stdin.writableLength;
    await pause(500);
  }
}

test("a line over 4 MiB is refused once and skipped, one just under is read, and 10,000 requests are answered in order", async () => {
  const program = new Program();
  const line = (length: number) => {
    const frame = JSON.stringify(ping(1, { _: "" }));
    return frame.replace('""', `"${"x".repeat(length - frame.length)}"`);
  };
  program.send(line(4 * 1024 * 1024), line(4 * 1024 * 1024 + 1), "x".repeat(10 * 1024 * 1024), ping(2));
  const answers = await program.take(4);
  assert.deepEqual(answers.map(({ id, error }) => error?.code ?? id), [1, -32600, -32600, 2]);
  program.send(...Array.from({ length: 10_000 }, (_, id) => ping(id)));
  assert.ok((await program.take(10_000)).every(({ id }, index) => id === index));
  assert.deepEqual([await program.close(), program.errors], [0, ""]);
});

test("a client that does not read is not read from, and gets everything once it reads again", async (t) => {
  const program = await start(["--root", makeLarge(t, MB)]);
  await program.ask("resources/read", read(0).params);
  // 0 where the system does not tell.
  const peak = () => peakMemory(program.child.pid!) ?? 0, before = peak();
  program.child.stdout.pause();
  const pings = Array.from({ length: 3200 }, (_, id) => ping(100 + id, { _: "x".repeat(10_000) }));
  program.send(...Array.from({ length: 10 }, (_, id) => read(id)), ...pings);
  const left = await untaken(program);
  const grown = peak() - before;
  program.child.stdout.resume();
  const answers = await program.take(10 + pings.length);
  assert.deepEqual(answers.map(({ id }) => id), [...Array(10).keys(), ...pings.map(({ id }) => id)]);
  // Of 32 MB it has taken what it reads at once; the rest waits at the client.
  assert.ok(left > 28 * MB, `${left} characters are not taken`);
  assert.ok(grown < 20 * MB, `${grown} bytes more`);
  assert.equal(program.child.stdin.writableLength, 0);
  assert.equal(await program.close(), 0);
});

test("what is cancelled while the client does not read is not answered once it reads again", async (t) => {
  const program = await startUnread(makeLarge(t, MB), Array.from({ length: 100 }, (_, id) => read(id)));
  const cancelled = Array.from({ length: 50 }, (_, id) => ({ requestId: 50 + id }));
  program.send(
    ...cancelled.map((params) => ({ jsonrpc: "2.0", method: "notifications/cancelled", params })),
    ping("last"),
  );
  await untaken(program);
  program.child.stdout.resume();
  const answers = await program.take(52);
  assert.deepEqual(answers.map(({ id }) => id).sort(), ["first", "last", ...Array(50).keys()].sort());
  assert.equal(await program.close(), 0);
  assert.equal(program.output.split("\n").length, 52 + 1);
});

test("500 new files, and as many that are replaced, are told twice at most to each stream and the connection, and listed by then", async (t) => {
  const uri = "architecture://guidelines/a";
  const root = makeFolder(t, { "resources/guidelines/a.md": "# A\n" });
  const program = await start(["--root", root]);
  await program.ask("resources/list");
  program.send(
    listen("s", { resourcesListChanged: true, promptsListChanged: true, resourceSubscriptions: [uri] }),
    listen("t", { resourcesListChanged: true }),
  );
  await program.notice();
  await program.notice();
  const lines = ["resources/list_changed", "s resources/list_changed", "t resources/list_changed"];
  const titles = async () =>
    ((await program.ask("resources/list")).result!["resources"] as { title: string }[]).map(({ title }) =>
      title
    );
  for (const title of ["New", "Newer"]) {
    const files = Array.from({ length: 500 }, (_, n) => [`resources/new/${n}.md`, `# ${title}\n`]);
    const started = performance.now();
    writeFiles(root, Object.fromEntries(files));
    const told = brief([await program.notice()]);
    const count = (line: string) => told.filter((one) => one === line).length;
    const isListed = async () => (await titles()).filter((one) => one === title).length === 500;
    while (!await isListed() || !lines.every((line) => count(line) > 0)) {
      told.push(...brief(await program.notices()));
      await pause(20);
    }
    // A last change, with which whatever was held back is told.
    writeFiles(root, { "resources/guidelines/a.md": `# A\n\n${title}.\n` });
    const last = `s resources/updated ${uri}`;
    while (!told.includes(last)) told.push(...brief([await program.notice()]));
    const seconds = Math.floor((performance.now() - started) / 1000);
    // On a machine that takes so long that it is no burst any more, there is one more for every second.
    for (const line of lines) {
      assert.ok(count(line) <= 2 + seconds, `${count(line)} times ${line} in ${seconds} s`);
    }
    assert.deepEqual(told.filter((line) => !lines.includes(line)), [last]);
  }
  assert.equal(await program.close(), 0);
});

test("calls that ask the client and are never taken up again leave nothing behind", { skip }, async () => {
  const runtimeFlags = ON_DENO
    ? ["--no-prompt", "--allow-read", "--v8-flags=--expose-gc"]
    : ["--experimental-strip-types", "--no-warnings", "--expose-gc"];
  const program = new Program([], { ...FIXTURE, runtimeFlags });
  const call = (id: unknown, ...steps: readonly unknown[][]) => {
    const params = modern({ name: "do", arguments: { do: steps } }) as { _meta: Record<string, unknown> };
    params._meta["io.modelcontextprotocol/clientCapabilities"] = { elicitation: {} };
    return { jsonrpc: "2.0", id, method: "tools/call", params };
  };
  const schema = { type: "object", properties: { name: { type: "string" } } };
  // Each of them holds twenty thousand bytes in its arguments.
  const asks = call(0, ["elicit", { message: "?", schema }], ["print", "x".repeat(20_000)]);
  const abandon = async (count: number) => {
    for (let sent = 0; sent < count; sent += 100) {
      program.send(...Array.from({ length: 100 }, (_, id) => ({ ...asks, id })));
      for (const { result } of await program.take(100)) assert.equal(result!["resultType"], "input_required");
    }
    program.send(call("memory", ["memory"]));
    const { result } = await program.next();
    return JSON.parse((result!["content"] as { text: string }[])[0]!.text)[0] as number;
  };
  await abandon(100);
  const before = await abandon(100);
  const growth = await abandon(500) - before;
  // If one in five stayed, it would be two million.
  assert.ok(growth < 2_000_000, `${growth} bytes more`);
  assert.equal(await program.close(), 0);
});
