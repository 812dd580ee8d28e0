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
const [seed, count] = [Number(values.seed), Number(values.count)];
if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(count)) {
  throw new Error("--seed and --count take numbers");
}

const say = (line: string) => void process.stdout.write(`${line}\n`);
let remove: unknown;
const root = makeRoot({ after: (clean) => remove = clean });
try {
  const started = performance.now();
  const { lines, counts, samples, find } = await fuzz(root, seed, count);
  const seconds = (performance.now() - started) / 1000;
  say(`seed ${seed}: ${lines} lines in ${seconds.toFixed(1)} s, ${Math.round(lines / seconds)} lines/s`);
  for (const [kind, number] of [...counts].sort(([, left], [, right]) => right - left)) {
    say(`${String(number).padStart(10)}  ${kind}`);
  }
  const bytes = samples.map(([, bytes]) => bytes);
  if (bytes.length > 0) say(`memory: ${Math.min(...bytes) / 2 ** 20} to ${Math.max(...bytes) / 2 ** 20} MiB`);
  if (find) {
    const { discrepancy: { kind, message }, life, line, agreed } = find;
    say(
      `FOUND with seed ${seed}, in life ${life}, after line ${line} of it, with ${agreed}: ${kind}: ${message}`,
    );
    if (values.find !== undefined) writeFileSync(values.find, find.bytes);
  }
  process.exitCode = find ? 1 : 0;
} finally {
  (remove as () => void)();
}
