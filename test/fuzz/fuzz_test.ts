/** A short run of the fuzzer, and conversations that it once found: `corpus/` has one in each file, as it must go. */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { readdirSync, readFileSync } from "node:fs";
import process from "node:process";
import { after, test } from "node:test";
import { concat } from "../../lib/base/bytes.ts";
import { REPOSITORY } from "../harness/program.ts";
import { fuzz, Subject } from "./exchange.ts";
import { Generator } from "./generator.ts";
import { fuzzHttp } from "./http.ts";
import { makeRoot, unexpectedError } from "./root.ts";

/** How many lines are sent; `run.ts` sends more. */
const COUNT = Number(process.env["FUZZ_COUNT"] ?? 400);
const CORPUS = `${REPOSITORY}/test/fuzz/corpus/`;
/** How many conversations are held side by side. */
const AT_ONCE = 4;

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

/** What matters of a line that came back: the ids and how each was answered, the answers to a batch in any order. */
function gistOf(line: string): string {
  const gist = ({ id, error }: { id?: unknown; error?: { code: number } }) =>
    `${id === undefined ? "no id" : JSON.stringify(id)}: ${error ? error.code : "result"}`;
  const value = JSON.parse(line);
  return Array.isArray(value) ? `[${value.map(gist).sort().join(", ")}]` : gist(value);
}

/** Pieces of one byte to seven, and of 64 KiB where there are more than a few. */
function* inPieces(bytes: Uint8Array): Iterable<Uint8Array> {
  for (let at = 0, count = 0, length = 0; at < bytes.length; at += length) {
    length = bytes.length > 10_000 ? 65_536 : 1 + count++ % 7;
    yield bytes.subarray(at, at + length);
  }
}

/**
 * Reads a conversation. Its first line says what it shows, whether it needs a process of its own, and whether each turn has to
 * arrive in one piece. In a turn, lines are sent without waiting, and then come those that are received.
 */
function readConversation(file: string) {
  const [head, ...turns] = readFileSync(CORPUS + file, "utf8").trimEnd()
    .split(/(?<=^\{"note".*|\n\{"received".*)\n(?=\{"sent)/)
    .map((turn) => turn.split("\n").map((line): Record<string, string> => JSON.parse(line)));
  const { note, alone, whole } = head![0]!;
  return { name: file.replace(/\.jsonl$/, "").replaceAll("-", " "), note: note!, alone, whole, turns };
}

/** The same ids are answered in the same way in the same turns; in which order within one, and in which words, is free. */
async function replay(subject: Subject, { turns, whole, note }: ReturnType<typeof readConversation>) {
  const said: string[][] = [];
  subject.online = (line) => void said.at(-1)!.push(gistOf(line));
  const wanted: string[][] = [];
  for (const turn of turns) {
    said.push([]);
    wanted.push(turn.flatMap(({ received }) => received ? [gistOf(received)] : []));
    const lines = turn.filter(({ received }) => received === undefined).flatMap(({ sent, sentBytes }) => [
      sentBytes ? Buffer.from(sentBytes, "base64") : Buffer.from(sent!),
      Buffer.from("\n"),
    ]);
    await subject.writeAll(whole ? [concat(lines)] : [...inPieces(concat(lines))]);
    await subject.until(() => said.at(-1)!.length >= wanted.at(-1)!.length, 30_000);
  }
  assert.deepEqual(said.map((lines) => lines.sort()), wanted.map((lines) => lines.sort()), note);
}

test("conversations of the corpus go as they went", { concurrency: AT_ONCE }, async (t) => {
  const all = readdirSync(CORPUS).sort().map(readConversation);
  const groups = [all.filter(({ alone }) => !alone), ...all.filter(({ alone }) => alone).map((one) => [one])];
  await Promise.all(groups.map(async (group) => {
    const subject = new Subject(root, () => {});
    for (const one of group) await t.test(one.name, () => replay(subject, one));
    subject.child.stdin.end();
    assert.deepEqual([await subject.exited, subject.failure], [0, undefined]);
    assert.equal(unexpectedError(subject.errors), undefined);
  }));
});
