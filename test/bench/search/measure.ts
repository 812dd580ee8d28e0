/**
 * What one contender costs, and how good it is. Run by `run.ts` in a process of its own, with its memory to itself.
 *
 *     node --expose-gc --experimental-strip-types measure.ts CONTENDER FOLDER COLLECTION
 *     node --expose-gc --experimental-strip-types measure.ts CONTENDER generated COUNT BYTES
 */
import { readCollections } from "./collections.ts";
import type { Collection } from "./collections.ts";
import { CONTENDERS } from "./contenders.ts";
import { makeCorpus, makeQueries } from "./corpus.ts";

/** What one process found. Times are of the processor, in milliseconds: others that use the machine do not count. */
export interface Reading {
  /** The mean nDCG@10 of the questions with odd numbers, which were looked at while the ranking was tuned. */
  tuned?: number;
  /** That of the questions with even numbers, which were not. */
  measured?: number;
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

declare const gc: () => void;

const [name, source = "", ...rest] = process.argv.slice(2);
const { docs, questions, language } = source === "generated"
  ? generate(Number(rest[0]), Number(rest[1]))
  : readCollections(source).find(({ name }) => name === rest[0])!;
const build = CONTENDERS.find((candidate) => candidate.name === name)!.prepare(docs, language);
const before = memory();
const start = process.cpuUsage();
const [searcher, longestSliceMs] = await watched(build());
const indexMs = sinceMs(start);
const bytes = memory() - before;

const rankings: string[][] = [];
for (const { text } of questions) rankings.push(await searcher.search(text));
const asked = process.cpuUsage();
for (const { text } of questions) await searcher.search(text);
const queryMs = sinceMs(asked) / questions.length;

/** The mean score of the questions with odd (1) or even (0) numbers. */
function mean(remainder: 0 | 1): number {
  const scores = questions.flatMap(({ number, gains }, index) =>
    number % 2 === remainder ? ndcg(rankings[index]!, gains) : []
  );
  return scores.reduce((sum, score) => sum + score, 0) / scores.length;
}

const ranking = source === "generated" ? {} : { tuned: mean(1), measured: mean(0) };
const reading: Reading = { ...ranking, indexMs, longestSliceMs, queryMs, bytes };
process.stdout.write(JSON.stringify(reading));

function generate(count: number, bytes: number): Omit<Collection, "name"> {
  const docs = makeCorpus(count, bytes);
  const questions = makeQueries(docs, QUERIES)
    .map((text, index) => ({ number: index + 1, text, gains: new Map<string, number>() }));
  return { docs, questions, language: "en" };
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
