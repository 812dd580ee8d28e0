/**
 * Shares compiled modules between processes, since each program that a test starts is a process. Node keeps what it compiled in
 * the folder that `NODE_COMPILE_CACHE` names. The process that runs the test files loads this module with `--import`; the others
 * inherit the variable. The folder is new, and is removed at the end.
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
