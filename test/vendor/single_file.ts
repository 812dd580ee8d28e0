/** How is the single file made in a test? By the task itself, which needs the compiler, and Node. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import process from "node:process";
import { ON_DENO, REPOSITORY } from "../harness/program.ts";

/** The Node that runs the task: the one that runs the tests, or whichever there is. */
const NODE = ON_DENO ? "node" : process.execPath;
const COMPILER = `${REPOSITORY}/node_modules/typescript/bin/tsc`;

/** Why the single file cannot be made here; undefined when it can. */
export const unavailable: string | undefined = !existsSync(COMPILER)
  ? "the compiler is not installed: run npm ci first"
  : spawnSync(NODE, ["--version"]).error
  ? "the compiler runs on Node, which is not there"
  : undefined;

/** Makes the single file in a folder; its path is the result. */
export function bundleInto(folder: string): string {
  runNode([`${REPOSITORY}/.ci/bundle.mjs`, folder]);
  return `${folder}/architrave.mjs`;
}

/** Compiles files as somebody would who uses them, and expects not one complaint. */
export function compile(files: readonly string[], flags: readonly string[], cwd: string): void {
  const strict = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2024", "--types", ""];
  runNode([COMPILER, ...strict, ...flags, ...files], cwd);
}

function runNode(args: readonly string[], cwd: string = REPOSITORY): void {
  const { status, stdout, stderr, error } = spawnSync(NODE, args, { cwd, encoding: "utf8" });
  assert.equal(status, 0, `${error ?? ""}${stdout}${stderr}`);
}
