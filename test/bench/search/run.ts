/**
 * Ranking, time and memory of the search beside MiniSearch and Orama, as ratios from one run.
 *
 *     npm ci --prefix test/bench
 *     node --experimental-strip-types test/bench/search/run.ts [FOLDER] [--docs N] [--rounds N] [--only a,b]
 *
 * FOLDER holds public test collections (see `collections.ts`); without one, only time and memory are measured, on
 * generated documents. The report goes to stdout, progress to stderr.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readCollections } from "./collections.ts";
import { quantile, table } from "../report.ts";
import { CONTENDERS } from "./contenders.ts";
import type { Reading } from "./measure.ts";

/** The size of a generated document, in bytes. */
const DOC_BYTES = 2_000;
/** How long one measurement may take, in milliseconds. */
const TIMEOUT_MS = 600_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    docs: { type: "string", default: "10000" },
    rounds: { type: "string", default: "3" },
    only: { type: "string" },
  },
});
const folder = positionals[0];
const only = values.only?.split(",");

const jobs = [
  ...(folder === undefined ? [] : readCollections(folder).map(({ name, docs, questions }) => ({
    title: `${name}: ${docs.length} documents, ${questions.length} questions`,
    args: [folder, name],
  }))),
  {
    title: `generated: ${values.docs} documents of ${DOC_BYTES} bytes`,
    args: ["generated", values.docs, String(DOC_BYTES)],
  },
].filter(({ title }) => !only || only.some((name) => title.startsWith(`${name}:`)));

for (const { title, args } of jobs) {
  const readings = new Map(CONTENDERS.map(({ name }): [string, Reading[]] => [name, []]));
  // All of them in turn, so that whatever else the machine does meets all of them.
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const { name } of CONTENDERS) {
      process.stderr.write(`${title}, round ${round + 1}: ${name}\n`);
      const reading = measure(name, args);
      if (reading) readings.get(name)!.push(reading);
    }
  }
  process.stdout.write(`\n## ${title}\n\n${tableOf(readings)}`);
}

function measure(name: string, args: readonly string[]): Reading | undefined {
  const script = join(import.meta.dirname, "measure.ts");
  const flags = ["--expose-gc", "--experimental-strip-types", "--no-warnings"];
  const { stdout, stderr, status } = spawnSync(process.execPath, [...flags, script, name, ...args], {
    encoding: "utf8",
    timeout: TIMEOUT_MS,
  });
  if (status === 0) return JSON.parse(stdout) as Reading;
  process.stderr.write(
    `${name} failed: ${stderr.trim().split("\n").at(-1) ?? "no answer in time"}\n`,
  );
  return undefined;
}

/** One line for each contender: its ranking, and the median of what it costs, also as a multiple of the first one's. */
function tableOf(readings: ReadonlyMap<string, readonly Reading[]>): string {
  const [unit] = [...readings.values()];
  const median = (all: readonly Reading[], of: (reading: Reading) => number) => quantile(all.map(of), 0.5);
  const rows = Array.from(readings, ([name, all]) => {
    if (all.length === 0) return [name, "failed", "", "", "", "", ""];
    const cell = (
      of: (reading: Reading) => number,
      digits: number,
      what: string,
    ): string =>
      `${median(all, of).toFixed(digits)} ${what} (${(median(all, of) / median(unit!, of)).toFixed(2)})`;
    return [
      name,
      all[0]!.tuned?.toFixed(4) ?? "",
      all[0]!.measured?.toFixed(4) ?? "",
      cell(({ indexMs }) => indexMs, 0, "ms"),
      `${median(all, ({ longestSliceMs }) => longestSliceMs).toFixed(0)} ms`,
      cell(({ queryMs }) => queryMs, 2, "ms"),
      cell(({ bytes }) => bytes / 1e6, 1, "MB"),
    ];
  });
  const titles = ["", "nDCG@10 tuned", "nDCG@10 measured", "indexing", "longest slice", "query", "memory"];
  return table(titles, rows);
}
