/** What does a repository look like that has the program in it? Made in a temporary folder, in the kinds that there are. */

import assert from "node:assert/strict";
import { cpSync, readdirSync, symlinkSync } from "node:fs";
import type { TestContext } from "node:test";
import type { RunOptions } from "../harness/program.ts";
import { makeFolder, writeFiles } from "../harness/folder.ts";
import { ON_DENO, Program, REPOSITORY, run } from "../harness/program.ts";

/** What makes up a copy of the program; beside it goes `MANIFEST`. */
const COPIED = ["mod.ts", "deps.ts", "lib", "mcp"];

/** All that Node needs to be told of a copy, whatever it is told of the repository around it. */
export const MANIFEST: Readonly<Record<string, string>> = { "package.json": '{ "type": "module" }\n' };

/** The files that tell the runtimes what a repository is, by a word for it. */
export const REPOSITORIES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "no package.json": {},
  "a package.json without a type": { "package.json": '{ "name": "host" }' },
  'the "type": "commonjs" that npm init writes': { "package.json": '{ "name": "host", "type": "commonjs" }' },
  '"type": "module"': { "package.json": '{ "name": "host", "type": "module" }' },
  "an npm workspace around the copy": {
    "package.json": '{ "name": "host", "type": "commonjs", "workspaces": ["tools/*"] }',
  },
  "a deno.json": { "deno.json": '{ "imports": {} }' },
};

/** What the document says that only one copy has, so that no other copy can be taken for it. */
export const MARK =
  "# 900. Which copy this is\n\n## Status\n\nAccepted\n\n## Context\n\nThe one in this repository.\n";

/** A document that is not in the original, so that the original cannot be taken for the copy. */
export const MARKED: Readonly<Record<string, string>> = { "mcp/resources/adr/900-which-copy.md": MARK };

/** Makes a repository with a name that has spaces and umlauts in it, and a folder below `src/` to start things from. */
export function makeRepository(
  test: Pick<TestContext, "after">,
  files: Readonly<Record<string, string>>,
): string {
  const folder = `${makeFolder(test)}/${"Geschäfts größe".normalize("NFC")}`;
  writeFiles(folder, { ...files, "src/deep/index.js": "" });
  return folder;
}

/** Puts the program into a folder, with the files that whoever copies it writes beside it. */
export function copyProgram(to: string, files: Readonly<Record<string, string>> = MANIFEST): string {
  for (const name of COPIED) cpSync(`${REPOSITORY}/${name}`, `${to}/${name}`, { recursive: true });
  writeFiles(to, { ...files, ...MARKED });
  return `${to}/mod.ts`;
}

/** Makes a link to a folder; false, and a test that says so, where the system does not let us. */
export function link(test: Pick<TestContext, "diagnostic">, target: string, path: string): boolean {
  try {
    symlinkSync(target, path, "junction");
    return true;
  } catch (cause) {
    test.diagnostic(`Not tested through a link, which cannot be made here: ${cause}`);
    return false;
  }
}

/** The flags of somebody who follows the README, with the warnings on that say how a file was taken. */
export const PLAIN_FLAGS: readonly string[] = ON_DENO
  ? ["--no-prompt", "--allow-read"]
  : ["--experimental-strip-types", "--disable-warning=ExperimentalWarning"];

/** The flags that allow to read one folder, and nothing else at all. */
export function sandbox(folder: string): string[] {
  if (!ON_DENO) return [...PLAIN_FLAGS, "--permission", `--allow-fs-read=${folder}`];
  const denied = ["env", "net", "run", "write", "sys", "ffi", "import"].map((name) => `--deny-${name}`);
  return ["--no-prompt", `--allow-read=${folder}`, ...denied];
}

/** Holds a whole conversation and runs a command; both must work without a word on standard error. */
export async function tryOut(
  module: string,
  cwd: string,
  runtimeFlags: readonly string[] = PLAIN_FLAGS,
): Promise<void> {
  const options = { module, cwd, runtimeFlags };
  await Promise.all([converse(options), list(options)]);
}

async function converse(options: RunOptions): Promise<void> {
  const program = new Program([], options);
  const { result } = await program.initialize();
  assert.equal((result?.["serverInfo"] as { name: string }).name, "architrave");
  const listed = (await program.ask("resources/list")).result?.["resources"] as { uri: string }[];
  assert.ok(listed.some(({ uri }) => uri === "architecture://adr/900-which-copy"));
  const answer = await program.ask("resources/read", { uri: "architecture://adr/900" });
  assert.equal((answer.result?.["contents"] as { text: string }[])[0]?.text, MARK);
  assert.deepEqual([await program.close(), program.errors], [0, ""]);
}

async function list(options: RunOptions): Promise<void> {
  const { code, output, errors } = await run(["list"], "", options);
  assert.deepEqual([code, errors], [0, ""]);
  assert.match(output, /^architecture:\/\/adr\/900-which-copy {2}/m);
}

/** Everything below a folder, to see that nothing was added to it. */
export function inventory(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
}
