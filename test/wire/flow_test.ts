/** Who waits for whom when the client does not read? The program for the client, and then the client for the program. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { makeFolder } from "../harness/folder.ts";
import { pause, peakMemory, until } from "../harness/process.ts";
import { handshake, Program } from "../harness/program.ts";

const MB = 1_000_000;

const read = (id: number, name = "d0") => ({
  jsonrpc: "2.0",
  id,
  method: "resources/read",
  params: { uri: `architecture://guidelines/${name}` },
});

/** A root with documents of 1 MB: d0, d1, and so on. */
function rootWith(t: Parameters<typeof makeFolder>[0], documents: number): string {
  const text = "word ".repeat(MB / 5);
  const files = Array.from(
    { length: documents },
    (_, id) => [`resources/guidelines/d${id}.md`, `# ${id}\n\n${text}`],
  );
  return makeFolder(t, Object.fromEntries(files));
}

/** How much the peak of the program's memory has grown since `before`; 0 where the system does not tell. */
function growth(program: Program, before: number | undefined): number {
  return (peakMemory(program.child.pid!) ?? 0) - (before ?? 0);
}

/** Waits until the program takes no more of its input, and gives what is left of it, in characters. */
async function untaken({ child: { stdin } }: Program): Promise<number> {
  for (let left = -1;;) {
    if (stdin.writableLength === left) return left;
    left = stdin.writableLength;
    await pause(500);
  }
}

test("200 large answers that nobody takes do not pile up, and arrive in order once somebody does", async (t) => {
  const program = new Program(["--root", rootWith(t, 200)]);
  await program.initialize();
  await program.ask("resources/list");
  const before = peakMemory(program.child.pid!);
  program.child.stdout.pause();
  program.send(...Array.from({ length: 200 }, (_, id) => read(id, `d${id}`)));
  await pause(1500);
  const grown = growth(program, before);
  program.child.stdout.resume();
  const answers = await program.take(200);
  assert.deepEqual(answers.map(({ id }) => id), [...Array(200).keys()]);
  // The answers together are 200 MB; 64 MiB of them are kept, and a few more are on their way.
  assert.ok(grown < 150 * MB, `${grown} bytes more`);
  assert.deepEqual((await program.ask("ping")).result, {});
  assert.equal(await program.close(), 0);
});

test("a client that does not read is not read from, and gets everything once it reads again", async (t) => {
  const program = new Program(["--root", rootWith(t, 1)]);
  await program.initialize();
  await program.ask("resources/read", read(0).params);
  const before = peakMemory(program.child.pid!);
  program.child.stdout.pause();
  const pings = Array.from({ length: 6400 }, (_, id) => ({
    jsonrpc: "2.0",
    id: 100 + id,
    method: "ping",
    params: { _: "x".repeat(10_000) },
  }));
  program.send(...Array.from({ length: 10 }, (_, id) => read(id)), ...pings);
  const left = await untaken(program);
  const grown = growth(program, before);
  program.child.stdout.resume();
  const answers = await program.take(10 + pings.length);
  assert.deepEqual(answers.map(({ id }) => id), [...Array(10).keys(), ...pings.map(({ id }) => id)]);
  // Of 64 MB it has taken what it reads at once; the rest waits at the client.
  assert.ok(left > 60 * MB, `${left} characters are not taken`);
  assert.ok(grown < 30 * MB, `${grown} bytes more`);
  assert.equal(program.child.stdin.writableLength, 0);
  assert.equal(await program.close(), 0);
});

test("what is cancelled while the client does not read is not answered once it reads again", async (t) => {
  const program = new Program(["--root", rootWith(t, 1)]);
  program.child.stdout.once("data", () => program.child.stdout.pause());
  // In one breath: the reads are taken before there is an index, and wait for it.
  program.send(
    { jsonrpc: "2.0", id: "first", method: "initialize", params: handshake("2025-11-25") },
    ...Array.from({ length: 100 }, (_, id) => read(id)),
  );
  await until("it answers", () => program.output !== "");
  program.send(
    ...Array.from({ length: 50 }, (_, id) => ({
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: 50 + id },
    })),
    { jsonrpc: "2.0", id: "last", method: "ping" },
  );
  await untaken(program);
  program.child.stdout.resume();
  const answers = await program.take(52);
  assert.deepEqual(answers.map(({ id }) => id).sort(), ["first", "last", ...Array(50).keys()].sort());
  assert.equal(await program.close(), 0);
  assert.equal(program.output.split("\n").length, 52 + 1);
});
