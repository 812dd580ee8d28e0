/** What does the program do when the system asks it to end? What the end of input makes it do; asked twice, it ends at once. */

import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { makeFolder } from "../harness/folder.ts";
import { pause, readSlowly, until } from "../harness/process.ts";
import { handshake, Program } from "../harness/program.ts";

const SIGNALS = ["SIGHUP", "SIGINT", "SIGTERM"] as const;
/** Windows has no signals: there `kill` ends a process without asking. */
const skip = process.platform === "win32";

const read = (id: number, name = "large") => ({
  jsonrpc: "2.0",
  id,
  method: "resources/read",
  params: { uri: `architecture://guidelines/${name}` },
});
const ping = (id: unknown) => ({ jsonrpc: "2.0", id, method: "ping" });

/** A shelf that takes a while to index, and one document of it that takes a while to read. */
const LARGE_SHELF = {
  ...Object.fromEntries(
    Array.from({ length: 3000 }, (_, id) => [`resources/guidelines/d${id}.md`, `# ${id}\n\nWords.\n`]),
  ),
  "resources/guidelines/large.md": `# Large\n\n${"word ".repeat(600_000)}`,
};

/** Not with `kill()` of the child, after which Deno takes it for dead of that signal, whatever it does. */
function send(program: Program, signal: (typeof SIGNALS)[number]): void {
  if (program.child.exitCode === null && program.child.signalCode === null) {
    process.kill(program.child.pid!, signal);
  }
}

/** Ended as it was asked to: without an error, and without a word. */
async function assertEnded(program: Program): Promise<void> {
  assert.deepEqual([await program.exited, program.child.signalCode, program.errors], [0, null, ""]);
}

for (const signal of SIGNALS) {
  test(`${signal} ends the program while its input is open`, { skip }, async () => {
    const program = new Program();
    await program.initialize();
    send(program, signal);
    await assertEnded(program);
  });
}

test("a signal before the first message ends the program without a word", { skip }, async () => {
  for (const signal of SIGNALS) {
    // While the program does not listen yet, the system ends it. Some time later the program ends itself.
    for (let afterMs = 20, code: number | null = null; code !== 0; afterMs *= 2) {
      assert.ok(afterMs < 20_000, `it never listens for ${signal}`);
      const program = new Program();
      await pause(afterMs);
      send(program, signal);
      code = await program.exited;
      assert.equal(program.child.signalCode, code === 0 ? null : signal);
      assert.deepEqual([program.output, program.errors], ["", ""]);
    }
  }
});

test(
  "a signal behind the first message ends the program after an answer, or before there is one",
  { skip },
  async () => {
    for (const afterMs of [0, 10, 20, 40, 80, 160]) {
      const program = new Program();
      program.send(ping(1));
      await pause(afterMs);
      send(program, "SIGTERM");
      assert.ok([0, null].includes(await program.exited));
      assert.equal(program.errors, "");
      assert.match(program.output, /^(?:\{.*\}\n)?$/);
    }
  },
);

test(
  "a signal while folders are indexed ends the program when what was asked is answered",
  { skip },
  async (t) => {
    const root = makeFolder(t, LARGE_SHELF);
    for (const signal of SIGNALS) {
      const program = new Program(["--root", root]);
      await program.initialize();
      program.send(...Array.from({ length: 50 }, (_, id) => read(id, `d${id}`)), ping("after"));
      // The reads wait for the index. The answer that overtakes them shows that they have been taken.
      assert.equal((await program.next()).id, "after");
      send(program, signal);
      await assertEnded(program);
      const answers = await program.take(50);
      assert.deepEqual(answers.map(({ id }) => id), [...Array(50).keys()]);
      assert.ok(answers.every(({ result }) => result?.["contents"]));
    }
  },
);

test("a signal while the program indexes and nothing was asked ends it", { skip }, async (t) => {
  const program = new Program(["--root", makeFolder(t, LARGE_SHELF)]);
  await program.initialize();
  send(program, "SIGTERM");
  await assertEnded(program);
});

test(
  "a signal while a slow reader takes an answer ends the program when it is taken",
  { skip },
  async (t) => {
    const root = makeFolder(t, { "resources/guidelines/large.md": `# Large\n\n${"word ".repeat(600_000)}` });
    for (const signal of SIGNALS) {
      const program = new Program(["--root", root]);
      await program.initialize();
      const soFar = program.output.length;
      readSlowly(program);
      program.send(read(7));
      await until("the answer is on its way", () => program.output.length > soFar);
      send(program, signal);
      await assertEnded(program);
      const { result } = await program.next();
      assert.equal((result?.["contents"] as { text: string }[])[0]?.text.length, 3_000_009);
    }
  },
);

test("after a signal nothing more is taken, and what was taken is answered in full", { skip }, async (t) => {
  const names = Array.from({ length: 20 }, (_, id) => `d${id}`);
  const text = "word ".repeat(200_000);
  const files = names.map((name) => [`resources/guidelines/${name}.md`, `# ${name}\n\n${text}`]);
  const program = new Program(["--root", makeFolder(t, Object.fromEntries(files))]);
  program.child.stdout.once("data", () => program.child.stdout.pause());
  // In one breath: the reads are taken before there is an index, and wait for it.
  program.send(
    { jsonrpc: "2.0", id: "first", method: "initialize", params: handshake("2025-11-25") },
    ...names.map((name, id) => read(id, name)),
  );
  await until("it answers", () => program.output !== "");
  send(program, "SIGTERM");
  // Long after the signal, as far as that can be said of another process.
  await pause(500);
  program.send(ping("late"));
  program.child.stdout.resume();
  await assertEnded(program);
  const answers = await program.take(1 + names.length);
  assert.deepEqual(answers.map(({ id }) => id), ["first", ...names.keys()]);
  assert.equal(program.output.split("\n").length, 1 + names.length + 1);
});

test(
  "a second signal ends the program at once, though a reader still owes it something",
  { skip },
  async (t) => {
    const root = makeFolder(t, { "resources/guidelines/large.md": `# Large\n\n${"word ".repeat(600_000)}` });
    for (const [signal, number] of [["SIGHUP", 1], ["SIGINT", 2], ["SIGTERM", 15]] as const) {
      const program = new Program(["--root", root]);
      await program.initialize();
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
    }
  },
);
