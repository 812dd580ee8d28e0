/**
 * Fuzzes the program for as long as is asked for:
 *
 *     node --experimental-strip-types test/fuzz/run.ts [--seed N] [--count N] [--lives N] [--finds DIR]
 *     deno run --allow-all test/fuzz/run.ts [--seed N] [--count N] [--lives N] [--finds DIR]
 *
 * The program runs on the runtime that runs this. What goes wrong is told with the seed that makes it happen again, and the
 * shortest conversation that shows it is written into the folder; the exit code is 1.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import type { Find, Plan, Report } from "./campaign.ts";
import type { Shelf } from "./shelf.ts";
import { fuzz } from "./campaign.ts";
import { makeShelf } from "./shelf.ts";
import { shrink } from "./shrink.ts";
import { writeTranscript } from "./transcript.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "20000" },
    lives: { type: "string" },
    finds: { type: "string" },
  },
});

function wholeNumber(name: "seed" | "count" | "lives"): number {
  const value = Number(values[name]);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  say(`--${name} must be a whole number, not "${values[name]}"`);
  return process.exit(2);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function tell(plan: Plan, report: Report, seconds: number): void {
  const { lines, answers, memory } = report;
  say(`seed ${plan.seed}: ${lines} lines in ${seconds.toFixed(1)} s, ${Math.round(lines / seconds)} lines/s`);
  for (const [kind, count] of [...answers].sort((left, right) => right[1] - left[1])) {
    say(`${String(count).padStart(10)}  ${kind}`);
  }
  const megabytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
  say(
    memory
      ? `memory: ${megabytes(memory.warm)} when warm, ${megabytes(memory.end)} at the end`
      : "memory: not known here",
  );
}

async function tellFind(plan: Plan, shelf: Shelf, report: Report, find: Find): Promise<void> {
  say(`FOUND with seed ${plan.seed}, in life ${find.life}, after line ${find.line} of it:`);
  say(`  ${find.discrepancy.kind}: ${find.discrepancy.message}`);
  if (values.finds === undefined || find.discrepancy.kind === "memory") return;
  const transcript = await shrink(shelf, find, report.cursors);
  mkdirSync(values.finds, { recursive: true });
  const file = join(values.finds, `${find.discrepancy.kind}-${plan.seed}-${find.life}-${find.line}.jsonl`);
  writeFileSync(file, writeTranscript(transcript));
  say(`  ${transcript.turns.at(-1)!.sent.length} lines show it: ${file}`);
}

const plan: Plan = {
  seed: wholeNumber("seed"),
  count: wholeNumber("count"),
  ...(values.lives === undefined ? {} : { lives: wholeNumber("lives") }),
};
const shelf = makeShelf();
try {
  const started = performance.now();
  const report = await fuzz(shelf, plan);
  tell(plan, report, (performance.now() - started) / 1000);
  if (report.find) await tellFind(plan, shelf, report, report.find);
  process.exitCode = report.find ? 1 : 0;
} finally {
  shelf.remove();
}
