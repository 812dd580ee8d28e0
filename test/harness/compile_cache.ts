/**
 * Keeps the tests from compiling the same modules a thousand times: each test file and each program that it spawns is a
 * process of its own, and Node keeps what it compiled where `NODE_COMPILE_CACHE` says. Loaded with `--import` by the
 * process that runs the test files; all others inherit it. The folder is new and removed afterwards.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

if (process.env["NODE_COMPILE_CACHE"] === undefined) {
  const folder = mkdtempSync(join(tmpdir(), "architrave-compiled-"));
  process.env["NODE_COMPILE_CACHE"] = folder;
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
}
