/**
 * Ranking, time and memory of the search beside other engines, from one run.
 *
 *     npm ci --prefix test/bench && pip install bm25s PyStemmer
 *     node --experimental-strip-types test/bench/search/run.ts [FOLDER] [--half tuning|test|all] [--docs N] [--rounds N] \
 *       [--only a,b] [--engines a,b] [--costs] [--seconds N]
 *
 * FOLDER holds collections (see `collections.ts` and `make.ts`); without one, only time and memory are measured, on generated
 * documents. Questions of the half "test" are for reports: a change of the ranking is judged by "tuning". `--only` names
 * collections, or the first part of their names; `--engines` the first part of the names of engines. `--costs` prints the time
 * and memory of each collection too. `--seconds` is how long one engine may take for one collection, 900 unless given; the
 * report names those that took longer. The report goes to stdout, progress to stderr.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readCollections } from "./collections.ts";
import { quantile, table } from "../report.ts";
import { CONTENDERS } from "./contenders.ts";
import type { Answered, Reading } from "./measure.ts";

/** The size of a generated document, in bytes. */
const DOC_BYTES = 2_000;

const { values, positionals: [folder] } = parseArgs({
  allowPositionals: true,
  options: {
    half: { type: "string", default: "tuning" },
    docs: { type: "string", default: "10000" },
    rounds: { type: "string", default: "1" },
    only: { type: "string" },
    engines: { type: "string" },
    costs: { type: "boolean", default: false },
    seconds: { type: "string", default: "900" },
  },
});
const isChosen = (chosen: string | undefined, name: string): boolean =>
  chosen?.split(",").some((start) => name.startsWith(start)) ?? true;
const contenders = CONTENDERS.filter(({ name }) => isChosen(values.engines, name));

const jobs = [
  ...(folder === undefined ? [] : readCollections(folder).map(({ name, docs }) => ({
    name,
    title: `${name}: ${docs.length} documents`,
    args: [folder, name],
  }))),
  {
    name: "generated",
    title: `generated: ${values.docs} documents of ${DOC_BYTES} bytes`,
    args: ["generated", values.docs, String(DOC_BYTES)],
  },
].filter(({ name }) => isChosen(values.only, name));

/** By group of questions and contender. */
const groups = new Map<string, Map<string, Answered[]>>();
for (const { name: collection, title, args } of jobs) {
  const readings = new Map(contenders.map(({ name }): [string, Reading[]] => [name, []]));
  // All of them in turn, so that whatever else the machine does meets all of them.
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const { name } of contenders) {
      // Nobody types a text of 300 words, so that no engine has to forgive errors in it.
      if (collection.startsWith("code-") && /toleran|all of/.test(name)) continue;
      process.stderr.write(`${title}, round ${round + 1}: ${name}\n`);
      const reading = measure(name, args);
      if (!reading) {
        process.stdout.write(`\n${name}: no answer in ${values.seconds} s for ${title}\n`);
        continue;
      }
      readings.get(name)!.push(reading);
      if (round > 0) continue;
      for (const one of reading.answered) {
        for (const group of groupsOf(collection, one)) {
          let known = groups.get(group);
          if (!known) groups.set(group, known = new Map());
          known.set(name, [...known.get(name) ?? [], one]);
        }
      }
    }
  }
  if (values.costs || /^(?:generated|costs)/.test(collection)) process.stdout.write(`\n## ${title}\n\n${costsOf(readings)}`);
}
for (const [group, all] of groups) process.stdout.write(`\n## ${group}\n\n${rankingOf(all)}`);

/** Known items are also counted together, and by kind; halves and kinds of code are apart. */
function groupsOf(collection: string, { half, kind }: Answered): string[] {
  if (collection.startsWith("code-")) return [`${collection} ${kind}, ${half}`];
  if (!collection.startsWith("known-")) return [`${collection}, ${half}`];
  return [`known, ${half}`, `known ${kind}, ${half}`, `${collection}, ${half}`];
}

function measure(name: string, args: readonly string[]): Reading | undefined {
  const script = join(import.meta.dirname, "measure.ts");
  const flags = ["--expose-gc", "--experimental-strip-types", "--no-warnings"];
  const { stdout, stderr, status } = spawnSync(process.execPath, [...flags, script, name, values.half, ...args], {
    encoding: "utf8",
    timeout: Number(values.seconds) * 1000,
    maxBuffer: 2 ** 28,
  });
  if (status === 0) return JSON.parse(stdout) as Reading;
  process.stderr.write(
    `${name} failed: ${stderr.trim().split("\n").at(-1) ?? "no answer in time"}\n`,
  );
  return undefined;
}

/** One line for each contender, with the means of its answers. */
function rankingOf(all: ReadonlyMap<string, readonly Answered[]>): string {
  const rows = Array.from(all, ([name, answered]) => {
    const mean = (of: (one: Answered) => number): string =>
      (answered.reduce((sum, one) => sum + of(one), 0) / answered.length).toFixed(3);
    const means = [
      mean(({ recall1 }) => recall1),
      mean(({ recall3 }) => recall3),
      mean(({ recall10 }) => recall10),
      mean(({ ndcg }) => ndcg),
      mean(({ reciprocal }) => reciprocal),
    ];
    return [name, String(answered.length), ...means];
  });
  return table(["", "questions", "recall@1", "recall@3", "recall@10", "nDCG@10", "MRR"], rows);
}

/** One line for each contender: the median of what it costs, also as a multiple of the first one's. */
function costsOf(readings: ReadonlyMap<string, readonly Reading[]>): string {
  const [unit] = [...readings.values()];
  const median = (all: readonly Reading[], of: (reading: Reading) => number) => quantile(all.map(of), 0.5);
  const rows = Array.from(readings, ([name, all]) => {
    if (all.length === 0) return [name, "", "", "", ""];
    const cell = (
      of: (reading: Reading) => number,
      digits: number,
      what: string,
    ): string =>
      `${median(all, of).toFixed(digits)} ${what} (${(median(all, of) / median(unit!, of)).toFixed(2)})`;
    return [
      name,
      cell(({ indexMs }) => indexMs, 0, "ms"),
      `${median(all, ({ longestSliceMs }) => longestSliceMs).toFixed(0)} ms`,
      cell(({ queryMs }) => queryMs, 2, "ms"),
      cell(({ bytes }) => bytes / 1e6, 1, "MB"),
    ];
  });
  return table(["", "indexing", "longest slice", "query", "memory"], rows);
}
