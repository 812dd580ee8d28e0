/** A short run of the fuzzer. What it finds becomes a row of the transcripts. */

import assert from "node:assert/strict";
import process from "node:process";
import { after, test } from "node:test";
import { fuzz } from "./exchange.ts";
import { Generator } from "./generator.ts";
import { fuzzHttp } from "./http.ts";
import { makeRoot } from "./root.ts";

/** How many lines are sent; `run.ts` sends more. */
const COUNT = Number(process.env["FUZZ_COUNT"] ?? 400);

const root = makeRoot({ after: (clean) => after(clean as () => void) });

test(`${COUNT} lines of every kind are each answered as they must be`, async (t) => {
  const { sent, counts, find } = await fuzz(root, 1, COUNT);
  assert.equal(find?.message, undefined);
  t.diagnostic(`${sent} lines, ${[...counts.values()].reduce((sum, count) => sum + count)} answers`);
  // A generator that has lost its way would find nothing either.
  const kinds = ["result of resources/read", "result of initialize", "-32602", "-32700 without id"];
  for (const kind of kinds) {
    assert.ok((counts.get(kind) ?? 0) > COUNT / 200, `${counts.get(kind)} answers were ${kind}`);
  }
});

test("exchanges over HTTP of every kind are answered as they must be", async () => {
  const { counts, find } = await fuzzHttp(root, 1, 300);
  assert.equal(find?.message, undefined);
  for (const kind of ["202", "400 -32700", "404 -32600", "result of initialize", "result of prompts/get"]) {
    assert.ok((counts.get(kind) ?? 0) > 0, kind);
  }
});

test("the same seed makes the same lines, and another one others", () => {
  const lines = (seed: number) => {
    const generator = new Generator(seed, {});
    return Array.from({ length: 200 }, () => new TextDecoder().decode(generator.next()));
  };
  assert.deepEqual(lines(7), lines(7));
  assert.notDeepEqual(lines(7), lines(8));
});
