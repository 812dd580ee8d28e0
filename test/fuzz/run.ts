/**
 * Fuzzes the program for as long as is asked for:
 *
 *     node --experimental-strip-types test/fuzz/run.ts [--seed N] [--count N] [--find FILE]
 *     deno run --allow-all test/fuzz/run.ts [--seed N] [--count N] [--find FILE]
 *
 * The program runs on the runtime that runs this. What goes wrong is told with the seed that makes it happen again, and the
 * lines among which it did are written into the file; the exit code is 1.
 */

import { writeFileSync } from "node:fs";
import process from "node:process";
import { parseArgs } from "node:util";
import { fuzz } from "./campaign.ts";
import { makeRoot } from "./root.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "20000" },
    find: { type: "string" },
  },
});
const seed = Number(values.seed);
const started = performance.now();
let remove = (): void => {};
const root = makeRoot({ after: (clean) => void (remove = clean as () => void) });
try {
  const { lines, counts, find } = await fuzz(root, seed, Number(values.count));
  const seconds = (performance.now() - started) / 1000;
  process.stdout.write(`seed ${seed}: ${lines} lines in ${seconds.toFixed(1)} s\n`);
  for (const [kind, number] of counts) process.stdout.write(`${String(number).padStart(10)}  ${kind}\n`);
  if (find) {
    const { discrepancy: { kind, message }, life, line, agreed, bytes } = find;
    process.stdout.write(
      `FOUND in life ${life}, after line ${line} of it, with ${agreed}: ${kind}: ${message}\n`,
    );
    if (values.find !== undefined) writeFileSync(values.find, bytes);
    process.exitCode = 1;
  }
} finally {
  remove();
}
