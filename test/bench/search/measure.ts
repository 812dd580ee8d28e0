/**
 * What one contender costs, and how good it is. Run by `run.ts` in a process of its own, with its memory to itself.
 *
 *     node --expose-gc --experimental-strip-types measure.ts CONTENDER HALF FOLDER COLLECTION
 *     node --expose-gc --experimental-strip-types measure.ts CONTENDER HALF generated COUNT BYTES
 *
 * HALF is "tuning", "test" or "all".
 */
import { readCollections } from "./collections.ts";
import type { Collection } from "./collections.ts";
import { CONTENDERS } from "./contenders.ts";
import { makeCorpus, makeQueries } from "./corpus.ts";

/** How well one question was answered; each from 0 to 1. */
export interface Answered {
  half: string;
  kind: string;
  /** The share of the right documents among the first so many; for a known item, whether there is one. */
  recall1: number;
  recall3: number;
  recall10: number;
  ndcg: number;
  /** 1 for a right document at the top, 0.5 for one in the second place. */
  reciprocal: number;
}

/** What one process found. Times are of the processor, in milliseconds: others that use the machine do not count. */
export interface Reading {
  answered: Answered[];
  indexMs: number;
  /** The longest time that nothing else had a turn while indexing, on the clock. */
  longestSliceMs: number;
  /** The mean of one query. */
  queryMs: number;
  /** Memory after collection of garbage, less what there was before. */
  bytes: number;
}

/** Queries on generated documents. */
const QUERIES = 300;
/** At most so many questions are asked again, with compiled code, for the time of a query. */
const TIMED = 200;

declare const gc: () => void;

const [name, half = "", source = "", ...rest] = process.argv.slice(2);
const collection = source === "generated"
  ? generate(Number(rest[0]), Number(rest[1]))
  : readCollections(source).find(({ name }) => name === rest[0])!;
const isAsked = collection.questions.length > 0;
const questions = isAsked
  ? collection.questions.filter((question) => half === "all" || question.half === half)
  : questionsOf(collection.docs);
const build = await CONTENDERS.find((candidate) => candidate.name === name)!.prepare(collection);
const before = memory();
const start = process.cpuUsage();
const [searcher, longestSliceMs] = await watched(build());
const indexMs = sinceMs(start);
const bytes = memory() - before;

const rankings: string[][] = [];
for (const { text } of questions) rankings.push(await searcher.search(text));
const asked = process.cpuUsage();
for (const { text } of questions.slice(0, TIMED)) await searcher.search(text);
const queryMs = sinceMs(asked) / Math.min(questions.length, TIMED);
searcher.close?.();

const answered = questions.map(({ half, kind, gains }, index): Answered => {
  const ranked = rankings[index]!, isCode = kind === "short" || kind === "long" || kind === "";
  const recall = (depth: number) => {
    const found = ranked.slice(0, depth).filter((id) => gains.has(id)).length;
    return isCode ? found / gains.size : Math.min(found, 1);
  };
  const [recall1, recall3, recall10] = [recall(1), recall(3), recall(10)] as const;
  const first = ranked.findIndex((id) => gains.has(id));
  return { half, kind, recall1, recall3, recall10, ndcg: ndcg(ranked, gains), reciprocal: first < 0 ? 0 : 1 / (first + 1) };
});
const reading: Reading = { answered: isAsked ? answered : [], indexMs, longestSliceMs, queryMs, bytes };
process.stdout.write(JSON.stringify(reading));

function generate(count: number, bytes: number): Collection {
  return { name: "generated", docs: makeCorpus(count, bytes), questions: [], language: "en" };
}

function questionsOf(docs: Collection["docs"]): Collection["questions"] {
  return makeQueries(docs, QUERIES)
    .map((text, index) => ({ number: index + 1, text, gains: new Map(), half: "tuning", kind: "" }));
}

/** Waits for something, and measures the longest time that the event loop was kept from its next turn. */
async function watched<T>(work: Promise<T>): Promise<[T, number]> {
  let isDone = false;
  const done = () => void (isDone = true);
  work.then(done, done);
  let longest = 0;
  for (let last = performance.now(); !isDone;) {
    await new Promise((resolve) => setImmediate(resolve));
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }
  return [await work, longest];
}

function memory(): number {
  gc();
  gc();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

function sinceMs(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/** The nDCG@10 of a ranking, from 0 to 1: what the first ten hits give, less the further down they are, of what they could. */
function ndcg(ranked: readonly string[], gains: ReadonlyMap<string, number>): number {
  const discounted = (all: readonly number[]) =>
    all.slice(0, 10).reduce((sum, gain, rank) => sum + gain / Math.log2(rank + 2), 0);
  const best = [...gains.values()].sort((one, other) => other - one);
  return discounted(ranked.map((id) => gains.get(id) ?? 0)) / discounted(best);
}
