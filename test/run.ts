/**
 * Runs the tests of the test command. Files share a few processes, so that the modules are loaded once per process rather than
 * once per file. What waits most begins first, so that the processors are not idle at the end. Arguments are the files to run
 * instead.
 */
// deno-lint-ignore-file no-console

import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import process from "node:process";
import "./harness/compile_cache.ts";

/** All but what checks builds, copies and other programs: `.ci/run` runs that. */
const FILES = ["test/*_test.ts", "test/!(interop|bench|vendor)/**/*_test.ts"];
/** Files that mostly wait for programs: each has a process of its own. */
const PROGRAMS = /^test.(?:fuzz|transcripts|wire)\b/;
/** Files that mostly wait for connections and timers, and the number of processes for them. */
const CONNECTIONS = /^test.(?:jsonrpc|mcp)\b/;
const CONNECTION_SHARES = 4;
/** The number of processes for the other files, which mostly compute. */
const SHARES = 6;
/** The number of processes at one time: three per processor, since many wait. */
const PROCESSES = Math.min(12, 3 * availableParallelism());
const FLAGS = [
  "--experimental-strip-types",
  "--no-warnings",
  // Fewer garbage collections.
  "--max-semi-space-size=32",
  "--test",
  "--test-isolation=none",
  "--test-timeout=300000",
  "--test-reporter=dot",
];

const given = process.argv.slice(2);
const files = given.length > 0 ? given : globSync(FILES).sort();
/** Where a file is run: in a process of its own, or in one of the shares. */
const shareOf = (file: string, index: number) => {
  if (PROGRAMS.test(file)) return file;
  return CONNECTIONS.test(file) ? `connections ${index % CONNECTION_SHARES}` : `others ${index % SHARES}`;
};
const shares = Map.groupBy(files, shareOf);
const rank = (share: string) => share.startsWith("others") ? 2 : share.startsWith("connections") ? 1 : 0;
const queue = [...shares].sort(([one], [other]) => rank(one) - rank(other)).map(([, share]) => share);
const started = performance.now();
let failed = 0;

// Compiles the modules once for all processes, which otherwise begin together and compile the same.
const compile =
  `for (const file of fs.globSync("lib/**/*.ts")) await import(path.resolve(file)).catch(() => {})`;
await once(
  spawn(process.execPath, ["--experimental-strip-types", "--no-warnings", "--eval", compile]),
  "close",
);

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
