/**
 * Runs the tests of the test command in a few processes. Each takes its share of the files one after the other, so the modules
 * are loaded once a process rather than once a file. Arguments are the files to run instead of all.
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
/** Much of a test is waiting for a program. */
const PROCESSES = Math.min(8, 2 * availableParallelism());
const FLAGS = [
  "--experimental-strip-types",
  "--no-warnings",
  "--test",
  "--test-isolation=none",
  "--test-reporter=dot",
];

const given = process.argv.slice(2);
const files = (given.length > 0 ? given : globSync(FILES).sort()).map((file) => resolve(file));
const started = performance.now();
const codes = await Promise.all(
  Array.from({ length: Math.min(PROCESSES, files.length) }, async (_, index) => {
    const share = files.filter((_, at) => at % PROCESSES === index);
    const child = spawn(process.execPath, [...FLAGS, ...share], { stdio: ["ignore", "inherit", "inherit"] });
    const [code] = await once(child, "close");
    return code as number | null;
  }),
);
const failed = codes.filter((code) => code !== 0).length;
const seconds = ((performance.now() - started) / 1000).toFixed(0);
console.log(
  `${files.length} test files in ${seconds} s: ${failed === 0 ? "all passed" : "some failed, see above"}`,
);
process.exitCode = failed === 0 ? 0 : 1;
