import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_WRITE_BYTES, takeWrite } from "../../lib/jsonrpc/framing.ts";

/** Bytes of which no two stretches are alike. */
const bytes = (length: number, start = 0) => Uint8Array.from({ length }, (_, index) => (start + index) % 251);

/** All writes of some chunks, copied, because their memory is reused. */
function writesOf(chunks: readonly (string | Uint8Array)[]): Uint8Array[][] {
  const queue = [...chunks], memory = new Uint8Array(MAX_WRITE_BYTES);
  const writes: Uint8Array[][] = [];
  while (queue.length > 0) writes.push(takeWrite(queue, memory).map((run) => run.slice()));
  return writes;
}

test("takeWrite() keeps every byte in its place, and every write but the last is full", () => {
  const lengths = [1, MAX_WRITE_BYTES - 1, 1, 2 * MAX_WRITE_BYTES + 3, 0, 70_000, 3, MAX_WRITE_BYTES];
  let start = 0;
  const chunks = lengths.map((length) => bytes(length, start += length));
  const writes = writesOf(chunks);
  assert.deepEqual(Buffer.concat(writes.flat()), Buffer.concat(chunks));
  const sizes = writes.map((write) => write.reduce((sum, run) => sum + run.length, 0));
  // More writes than needed would cost time.
  assert.deepEqual(new Set(sizes.slice(0, -1)), new Set([MAX_WRITE_BYTES]));
  assert.ok(sizes.at(-1)! <= MAX_WRITE_BYTES);
  assert.ok(writes.flat().every((run) => run.length > 0));
});

test("takeWrite() cuts a long text between characters", () => {
  for (const character of ["x", "ä", "€", "𝄞"]) {
    const text = `-${character.repeat(MAX_WRITE_BYTES)}`;
    const writes = writesOf([text, bytes(3)]);
    assert.equal(Buffer.concat(writes.flat()).compare(Buffer.concat([Buffer.from(text), bytes(3)])), 0);
    assert.ok(writes.every((write) => Buffer.concat(write).length <= MAX_WRITE_BYTES));
  }
});

test("takeWrite() joins what is small and copies nothing that is large", () => {
  const large = bytes(100_000);
  const runs = takeWrite(['{"a":', bytes(2), large, "}\n"], new Uint8Array(MAX_WRITE_BYTES));
  assert.equal(runs.length, 3);
  assert.equal(runs[1]!.buffer, large.buffer);
  assert.deepEqual([...runs[0]!, ...runs[2]!], [...new TextEncoder().encode('{"a":'), 0, 1, 125, 10]);
});
