/**
 * Ends a process at the n-th call that changes the file system, or simulates it in this process: from that call on, none changes
 * anything. Preloaded, it takes `KILL_AT=n` from the environment, and `KILL_HALF=1` to write half of a file first.
 */

import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import process from "node:process";

const CHANGING = [
  "openSync",
  "writeFileSync",
  "renameSync",
  "rmSync",
  "rmdirSync",
  "mkdirSync",
  "chmodSync",
  "linkSync",
] as const;

/** Counts the calls, and calls back at the n-th one. Returns how many there were, and what ends the counting. */
export function countCalls(
  at: number,
  isHalf: boolean,
  onreached: () => void,
): { count(): number; restore(): void } {
  // deno-lint-ignore no-explicit-any
  const all = fs as any;
  const real = CHANGING.map((name) => [name, all[name]] as const);
  let count = 0, isReached = false;
  for (const [name, call] of real) {
    all[name] = (...given: unknown[]) => {
      if (name === "openSync" && !/[wa+]/.test(String(given[1] ?? "r"))) return call(...given);
      if (!isReached && ++count === at) {
        isReached = true;
        const bytes = given[1] as Uint8Array;
        if (isHalf && name === "writeFileSync") call(given[0], bytes.subarray(0, bytes.length >> 1));
        onreached();
      }
      if (isReached) throw Object.assign(new Error("The process has ended"), { code: "EIO" });
      return call(...given);
    };
  }
  syncBuiltinESMExports();
  const restore = () => {
    for (const [name, call] of real) all[name] = call;
    syncBuiltinESMExports();
  };
  return { count: () => count, restore };
}

if (process.env["KILL_AT"] !== undefined) {
  countCalls(Number(process.env["KILL_AT"]), process.env["KILL_HALF"] === "1", () => {
    process.kill(process.pid, "SIGKILL");
    for (;;);
  });
}
