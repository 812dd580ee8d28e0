/**
 * Runs the tests of the test command. Files share a few processes, so that the modules are loaded once a process rather than
 * once a file; those that mostly wait for programs have one each, and begin first. Arguments are the files to run instead.
 */
// deno-lint-ignore-file no-console

import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import process from "node:process";
import "./harness/compile_cache.ts";

/** What checks builds, copies and other programs is run by `.ci/run`. */
const FILES = ["test/*_test.ts", "test/!(interop|bench|vendor)/**/*_test.ts"];
const WAITING = /^test.(?:fuzz|transcripts|wire)\b/;
const SHARES = 12;
const PROCESSES = Math.min(SHARES, 3 * availableParallelism());
const FLAGS = [
  "--experimental-strip-types",
  "--no-warnings",
  "--test",
  "--test-isolation=none",
  "--test-timeout=120000",
  "--test-reporter=dot",
];

const given = process.argv.slice(2);
const files = given.length > 0 ? given : globSync(FILES).sort();
const alone = files.filter((file) => WAITING.test(file)).map((file) => [file]);
const shared = Map.groupBy(files.filter((file) => !WAITING.test(file)), (_, index) => index % SHARES);
const queue = [...alone, ...shared.values()];
const started = performance.now();
let failed = 0;

await Promise.all(Array.from({ length: PROCESSES }, async () => {
  for (let share = queue.shift(); share; share = queue.shift()) {
    const args = [...FLAGS, ...share.map((file) => resolve(file))];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"] });
    const [code] = await once(child, "close");
    if (code !== 0) failed++;
  }
}));
const seconds = ((performance.now() - started) / 1000).toFixed(0);
console.log(
  `\n${files.length} test files in ${seconds} s: ${failed > 0 ? "some failed, see above" : "all passed"}`,
);
process.exitCode = failed > 0 ? 1 : 0;
