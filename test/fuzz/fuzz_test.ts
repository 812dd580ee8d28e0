/** A short run of the fuzzer, and conversations that it once found: `corpus/` has one in each file, as it must go. */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { readdirSync, readFileSync } from "node:fs";
import process from "node:process";
import { after, test } from "node:test";
import { REPOSITORY } from "../harness/program.ts";
import { fuzz } from "./campaign.ts";
import { Subject } from "./exchange.ts";
import { Generator, joined } from "./generator.ts";
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

/** What was sent without waiting, and the lines that came back before anything else was sent. */
interface Turn {
  readonly sent: Uint8Array[];
  readonly received: string[];
}

/** Reads a conversation: `{"sent": line}`, or `{"sentBytes": base64}` for what is not UTF-8, and `{"received": line}`. */
function readTurns(entries: readonly Readonly<Record<string, string>>[]): Turn[] {
  const turns: Turn[] = [];
  for (const { sent, sentBytes, received } of entries) {
    const isSent = sent !== undefined || sentBytes !== undefined;
    if (isSent && (turns.at(-1)?.received.length ?? 1) > 0) turns.push({ sent: [], received: [] });
    if (isSent) {
      turns.at(-1)!.sent.push(
        Buffer.from(sent ?? sentBytes!, sentBytes ? "base64" : "utf8"),
        Buffer.from("\n"),
      );
    }
    if (received !== undefined) turns.at(-1)!.received.push(received);
  }
  return turns;
}

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

/** A conversation of the corpus. */
interface Conversation {
  readonly name: string;
  /** What it shows. */
  readonly note: string;
  /** Whether it only goes like this if each turn arrives in one piece at a new process. */
  readonly whole?: boolean;
  readonly turns: readonly Turn[];
  /** Where its first handshake is; -1 when it has none. */
  readonly handshake: number;
}

function readConversation(file: string): Conversation {
  const [head, ...entries] = readFileSync(CORPUS + file, "utf8").trimEnd().split("\n").map((line) =>
    JSON.parse(line)
  );
  const handshake = entries.findIndex(({ sent }) => /"initialize"/.test(sent ?? ""));
  return {
    ...head,
    name: file.replace(/\.jsonl$/, "").replaceAll("-", " "),
    turns: readTurns(entries),
    handshake,
  };
}

/** The same ids are answered in the same way in the same turns; in which order within one, and in which words, is free. */
async function replay(subject: Subject, { turns, whole, note }: Conversation): Promise<void> {
  const said: string[][] = [];
  subject.online = (line) => void said.at(-1)!.push(gistOf(line));
  for (const { sent, received } of turns) {
    said.push([]);
    const bytes = joined(sent);
    await subject.writeAll(whole ? [bytes] : [...inPieces(bytes)]);
    await subject.until(() => said.at(-1)!.length >= received.length, 30_000);
  }
  assert.deepEqual(
    said.map((lines) => lines.sort()),
    turns.map(({ received }) => received.map(gistOf).sort()),
    note,
  );
}

test("conversations of the corpus go as they went", { concurrency: AT_ONCE }, async (t) => {
  const all = readdirSync(CORPUS).sort().map(readConversation);
  // A process holds those without a handshake, and then those that begin with one. The others need a new process, also
  // because some are sent before anything is loaded.
  const isShared = ({ handshake, whole }: Conversation) => handshake <= 0 && !whole;
  const shared = all.filter(isShared).sort((one, other) => one.handshake - other.handshake);
  const groups = [shared, ...all.filter((one) => !isShared(one)).map((one) => [one])];
  await Promise.all(groups.map(async (group) => {
    const subject = new Subject(root, () => {});
    for (const one of group) await t.test(one.name, () => replay(subject, one));
    subject.child.stdin.end();
    assert.deepEqual([await subject.exited, subject.failure], [0, undefined]);
    assert.equal(unexpectedError(subject.errors), undefined);
  }));
});
