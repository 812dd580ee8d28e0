/**
 * Fuzzes the program for as long as is asked for, over standard streams or over HTTP:
 *
 *     node --experimental-strip-types test/fuzz/run.ts [--http] [--seed N] [--count N] [--find FILE]
 *     deno run --allow-all test/fuzz/run.ts [--http] [--seed N] [--count N] [--find FILE]
 *
 * The program runs on the runtime that runs this. What goes wrong is told with the seed that makes it happen again, and what
 * was sent when it did is written into the file; the exit code is 1.
 */

import { writeFileSync } from "node:fs";
import process from "node:process";
import { parseArgs } from "node:util";
import { fuzz } from "./exchange.ts";
import { fuzzHttp } from "./http.ts";
import { makeRoot } from "./root.ts";

const { values } = parseArgs({
  options: {
    http: { type: "boolean" },
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "20000" },
    find: { type: "string" },
  },
});
const started = performance.now();
let remove = (): void => {};
const root = makeRoot({ after: (clean) => void (remove = clean as () => void) });
try {
  const run = values.http ? fuzzHttp : fuzz;
  const { sent, counts, find } = await run(root, Number(values.seed), Number(values.count));
  const seconds = (performance.now() - started) / 1000;
  process.stdout.write(`seed ${values.seed}: ${sent} sent in ${seconds.toFixed(1)} s\n`);
  for (const [kind, number] of [...counts].sort()) {
    process.stdout.write(`${String(number).padStart(10)}  ${kind}\n`);
  }
  if (find) {
    process.stdout.write(`FOUND ${find.message}\n`);
    if (values.find !== undefined) writeFileSync(values.find, find.bytes);
    process.exitCode = 1;
  }
} finally {
  remove();
}
