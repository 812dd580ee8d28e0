/** Lines of any shape and length, at the pipes of the real program. What single messages may look like is in transcripts. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Program } from "../harness/program.ts";

const ping = (id: unknown) => ({ jsonrpc: "2.0", id, method: "ping" });

test("bytes may come one at a time, within characters too", async () => {
  const program = new Program();
  const text = `\uFEFF${JSON.stringify(ping("ä€𝄞"))}\r\n\r\n   \n\n${JSON.stringify(ping("last"))}\n`;
  for (const byte of new TextEncoder().encode(text)) {
    await new Promise<void>((resolve) => program.child.stdin.write(Uint8Array.of(byte), () => resolve()));
  }
  assert.deepEqual((await program.take(2)).map(({ id }) => id), ["ä€𝄞", "last"]);
  assert.equal(await program.close(), 0);
});

test("a line over 4 MiB is refused once and skipped, one just under is read, and 10,000 pipelined requests are answered in order", async () => {
  const program = new Program();
  const line = (length: number) => {
    const frame = JSON.stringify({ ...ping(1), params: { _: "" } });
    return frame.replace('""', `"${"x".repeat(length - frame.length)}"`);
  };
  program.send(line(4 * 1024 * 1024), line(4 * 1024 * 1024 + 1), "x".repeat(20 * 1024 * 1024), ping(2));
  const answers = await program.take(4);
  assert.deepEqual(answers.map(({ id, error }) => error?.code ?? id), [1, -32600, -32600, 2]);
  program.send(...Array.from({ length: 10_000 }, (_, id) => ping(id)));
  assert.ok((await program.take(10_000)).every(({ id }, index) => id === index));
  assert.equal(await program.close(), 0);
  assert.equal(program.errors, "");
});

test("a bad line tells nothing of the server, and the next one is served", async () => {
  const program = new Program();
  await program.initialize("2025-06-18");
  const nested = "[".repeat(10_000) + "]".repeat(10_000);
  const rows: [line: string, code: number, id: unknown][] = [
    ["hello", -32700, null],
    ['{"jsonrpc":"2.0","id":"s","method":"\\ud800"}', -32601, "s"],
    ['{"jsonrpc":"2.0","id":6,"method":"ping","params":[1]}', -32602, 6],
    ['{"jsonrpc":"2.0","id":8,"method":"ping","params":{"a":{"constructor":1}}}', -32600, 8],
    [`{"jsonrpc":"2.0","id":9,"method":"ping","params":{"a":${nested}}}`, -32600, 9],
    ['{"jsonrpc":"2.0","id":10,"method":"a\\nb"}', -32601, 10],
    ['{"jsonrpc":"2.0","id":12,"method":"resources/read"}', -32602, 12],
  ];
  for (const [line, code, id] of rows) {
    program.send(line, ping("next"));
    // A feature that is loaded on its first use answers later than a ping.
    const [next, refused] = (await program.take(2)).sort((left) => left.id === "next" ? -1 : 1);
    assert.deepEqual([refused?.error?.code, refused?.id, next?.result], [code, id, {}], line.slice(0, 80));
    assert.doesNotMatch(JSON.stringify(refused), /node_modules|\.ts\b|at [A-Z]\w+\./, line.slice(0, 80));
  }
  assert.equal(await program.close(), 0);
});

test("a request that is cancelled before it is done is not answered", async () => {
  const program = new Program();
  await program.initialize();
  // The first list waits for the documents to be indexed, so the cancellation is read before it is done.
  program.send(
    { jsonrpc: "2.0", id: "slow", method: "resources/list" },
    { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "slow", reason: "test" } },
  );
  const after = await program.ask("resources/templates/list");
  assert.ok(after.result?.["resourceTemplates"]);
  assert.equal(await program.close(), 0);
  assert.doesNotMatch(program.output, /"slow"/);
});
