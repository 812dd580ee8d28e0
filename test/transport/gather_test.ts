import assert from "node:assert/strict";
import { test } from "node:test";
import { Gatherer, MAX_WRITE_BYTES, toWrites } from "../../lib/jsonrpc/framing.ts";

/** The bytes of a list of runs, one after the other. */
const joined = (runs: readonly Uint8Array[]) => runs.flatMap((run) => [...run]);
/** Bytes of which no two stretches are alike. */
const bytes = (length: number, start = 0) => Uint8Array.from({ length }, (_, index) => (start + index) % 251);

test("toWrites() keeps every byte in its place, and no write is longer than its limit", () => {
  const lengths = [1, MAX_WRITE_BYTES - 1, 1, 2 * MAX_WRITE_BYTES + 3, 0, 70_000, MAX_WRITE_BYTES];
  let start = 0;
  const runs = lengths.map((length) => bytes(length, start += length));
  const writes = [...toWrites(runs)];
  assert.deepEqual(Buffer.concat(writes.flat()), Buffer.concat(runs));
  const sizes = writes.map((write) => write.reduce((sum, run) => sum + run.length, 0));
  // All are full but the last one: more writes than needed would cost time.
  assert.deepEqual(new Set(sizes.slice(0, -1)), new Set([MAX_WRITE_BYTES]));
  assert.ok(sizes.at(-1)! <= MAX_WRITE_BYTES);
  assert.ok(writes.flat().every((run) => run.length > 0));
});

test("toWrites() leaves what is small in one write, and makes none of nothing", () => {
  const runs = [bytes(3), bytes(5)];
  assert.deepEqual([...toWrites(runs)], [runs]);
  assert.deepEqual([...toWrites([])], []);
});

test("Gatherer joins what is small and copies nothing that is large", () => {
  const large = bytes(100_000);
  const runs = new Gatherer().gather(['{"a":', bytes(2), large, "}\n"]);
  assert.equal(runs.length, 3);
  assert.equal(runs[1], large);
  assert.deepEqual(joined([runs[0]!, runs[2]!]), [...new TextEncoder().encode('{"a":'), 0, 1, 125, 10]);
});
