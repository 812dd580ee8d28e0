import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Transcript } from "./transcript.ts";
import { fuzz } from "./campaign.ts";
import { Generator } from "./generator.ts";
import { refuseGrowth, trendOf } from "./memory.ts";
import { replay } from "./replay.ts";
import { makeShelf, strangeError } from "./shelf.ts";
import { TOOLS } from "./tool_arguments.ts";
import { gistOf, readTranscript } from "./transcript.ts";

const CORPUS = fileURLToPath(new URL("corpus/", import.meta.url));

const shelf = makeShelf();
after(() => shelf.remove());

test("20,000 lines of every kind are each answered as they must be, and memory does not grow", async (t) => {
  const { lines, answers, find } = await fuzz(shelf, { seed: 1, count: 20_000 });
  const place =
    `after line ${find?.line} of life ${find?.life}; run.ts --finds DIR writes down what shows it`;
  assert.ok(!find, `${find?.discrepancy.message}, ${place}`);
  const total = [...answers.values()].reduce((sum, count) => sum + count, 0);
  t.diagnostic(`${lines} lines, ${total} answers`);
  // A generator that has lost its way would find nothing either.
  for (const kind of ["result of resources/read", "result of initialize", "-32602", "-32700 without id"]) {
    assert.ok((answers.get(kind) ?? 0) > 100, `${answers.get(kind)} answers were a ${kind}`);
  }
  for (const tool of Object.keys(TOOLS)) {
    for (const kind of [`${tool} done`, `${tool} refused`]) {
      assert.ok((answers.get(kind) ?? 0) > 10, `${answers.get(kind)} answers were ${kind}`);
    }
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

test("memory that grows is found, and memory that comes and goes is not", () => {
  const trend = (bytesAt: (line: number) => number) => {
    const lines = Array.from({ length: 100 }, (_, index) => 100 * (index + 1));
    return trendOf(lines.map((line) => ({ lines: line, bytes: bytesAt(line) })), 10_000);
  };
  refuseGrowth(trendOf([], 10_000));
  refuseGrowth(trend((line) => 100e6 + (line % 1000) * 1e5));
  assert.throws(() => refuseGrowth(trend((line) => 50e6 + line * 20_000)), /Memory grew from/);
});

for (const name of readdirSync(CORPUS).sort()) {
  const transcript = readTranscript(readFileSync(CORPUS + name, "utf8"));
  test(name.replace(/\.jsonl$/, "").replaceAll("-", " "), async () => {
    const inOnePiece = goesAsItWent(transcript);
    const inSmallPieces = transcript.isWhole ? undefined : goesAsItWent(transcript, inPieces);
    await Promise.all([inOnePiece, inSmallPieces]);
  });
}

/** The same ids are answered in the same way in the same turns; in which order within one, and in which words, is free. */
async function goesAsItWent(
  transcript: Transcript,
  cut?: (bytes: Uint8Array) => Uint8Array[],
): Promise<void> {
  const { code, errors, turns } = await replay(shelf, transcript, cut);
  const gist = (all: Transcript["turns"]) => all.map(({ received }) => received.map(gistOf).sort());
  assert.deepEqual(gist(turns), gist(transcript.turns), transcript.note);
  assert.equal(code, 0);
  assert.equal(strangeError(errors), undefined);
}

/** Pieces of one byte to seven, and of 64 KiB where there are more than a few. */
function inPieces(bytes: Uint8Array): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = bytes.length > 10_000 ? 65_536 : 1 + pieces.length % 7;
    pieces.push(bytes.subarray(at, at + length));
    at += length;
  }
  return pieces;
}
