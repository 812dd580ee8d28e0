/** Repositories of every kind with the program in them, as sources or as the single file, and ways to try it out. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import process from "node:process";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { makeFolder, writeFiles } from "../harness/folder.ts";
import { ON_DENO, Program, REPOSITORY, run } from "../harness/program.ts";

type Files = Readonly<Record<string, string>>;

/** All that Node needs to be told of a copy of the sources, whatever it is told of the repository around it. */
const MANIFEST: Files = { "package.json": '{ "type": "module" }\n' };
const MARK = "# 900. Which copy this is\n\n## Status\n\nAccepted\n\n## Context\n\nThe one in here.\n";
/** A document that is not in the original, so that the original cannot be taken for the copy. */
export const MARKED: Files = { "mcp/resources/adr/900-which-copy.md": MARK };
/** What `npm init` writes. */
export const COMMONJS: Files = { "package.json": '{ "name": "host", "type": "commonjs" }' };

/** What tells the runtimes what a repository is. */
const HOSTS: readonly Files[] = [
  {},
  { "package.json": '{ "name": "host" }' },
  COMMONJS,
  { "package.json": '{ "name": "host", "type": "module" }' },
  { "package.json": '{ "name": "host", "type": "commonjs", "workspaces": ["tools/*"] }' },
  { "deno.json": '{ "imports": {} }' },
];

/** Makes a repository with a name that has spaces and umlauts in it, and a folder below `src/` to start things from. */
export function makeHost(t: Pick<TestContext, "after">, files: Files): string {
  const folder = `${makeFolder(t)}/${"Geschäfts größe".normalize("NFC")}`;
  writeFiles(folder, { ...files, "src/deep/index.js": "" });
  return folder;
}

/** Puts the sources into a folder, with the files that belong beside them. */
export function copySources(to: string, files: Files = MANIFEST): string {
  for (const name of ["mod.ts", "deps.ts", "lib", "mcp"]) {
    cpSync(`${REPOSITORY}/${name}`, `${to}/${name}`, { recursive: true });
  }
  writeFiles(to, { ...files, ...MARKED });
  return `${to}/mod.ts`;
}

/** The flags that the README names for sources, with the warnings on that say how a file was taken. */
export const SOURCE_FLAGS: readonly string[] = ON_DENO
  ? ["--no-prompt", "--allow-read"]
  : ["--experimental-strip-types", "--disable-warning=ExperimentalWarning"];

/** The flags that allow to read one folder, and nothing else at all. */
function sandbox(folder: string): string[] {
  if (!ON_DENO) return [...SOURCE_FLAGS, "--permission", `--allow-fs-read=${folder}`];
  const denied = ["env", "net", "run", "write", "sys", "ffi", "import"].map((name) => `--deny-${name}`);
  return ["--no-prompt", `--allow-read=${folder}`, ...denied];
}

/** Holds a conversation, and runs a command from another folder; both must work with nothing on standard error. */
export async function tryOut(
  module: string,
  cwd: string,
  runtimeFlags: readonly string[] = SOURCE_FLAGS,
  from: string = cwd,
): Promise<void> {
  const listing = run(["list"], "", { module: relative(from, module), cwd: from, runtimeFlags });
  const program = new Program([], { module, cwd, runtimeFlags });
  const { result } = await program.initialize();
  assert.equal((result?.["serverInfo"] as { name: string }).name, "architrave");
  const answer = await program.ask("resources/read", { uri: "architecture://adr/900" });
  assert.equal((answer.result?.["contents"] as { text: string }[])[0]?.text, MARK);
  assert.deepEqual([await program.close(), program.errors], [0, ""]);
  const { code, output, errors } = await listing;
  assert.equal(code, 0);
  // A copy of ours has the sample, and says so.
  const isSample = existsSync(join(dirname(resolve(from, module)), "mcp/SAMPLE.md"));
  assert.match(errors, isSample ? /^architrave: These are the sample documents .*\n$/ : /^$/);
  assert.match(output, /^architecture:\/\/adr\/900-which-copy\t/m);
}

/** Makes a link to a folder; false, and a test that says so, where the system does not let us. */
function link(t: Pick<TestContext, "diagnostic">, target: string, path: string): boolean {
  try {
    symlinkSync(target, path, "junction");
    return true;
  } catch (cause) {
    t.diagnostic(`Not tested through a link, which cannot be made here: ${cause}`);
    return false;
  }
}

/** Tries a form of the program out in a host of every kind, one after the other around the same files. */
export function tryInHosts(
  form: string,
  put: (folder: string) => string,
  flags: readonly string[],
  skip: string | false,
): void {
  test(`${form} works in repositories of every kind, through links and in a sandbox, and writes nothing`, {
    skip,
  }, async (t) => {
    const host = makeHost(t, {});
    const module = put(`${host}/tools/architrave`);
    const inventory = () => readdirSync(host, { recursive: true, encoding: "utf8" }).sort();
    for (const files of HOSTS) {
      writeFiles(host, files);
      const before = inventory();
      await tryOut(module, "/", flags, `${host}/src/deep`);
      assert.deepEqual(inventory(), before, `nothing was written: ${JSON.stringify(files)}`);
      for (const name of Object.keys(files)) rmSync(`${host}/${name}`);
    }
    writeFiles(host, COMMONJS);
    await tryOut(module, "/", sandbox(dirname(module)));
    const path = `${makeFolder(t)}/link`;
    if (link(t, host, path)) await tryOut(`${path}${module.slice(host.length)}`, path, flags);
    // What npm makes of a workspace.
    mkdirSync(`${host}/node_modules`);
    const linked = `${host}/node_modules/architrave`;
    if (link(t, dirname(module), linked)) {
      await tryOut(`${linked}${module.slice(dirname(module).length)}`, "/", flags);
    }
  });
}

/** The Node that runs the compiler: the one that runs the tests, or whichever there is. */
const NODE = ON_DENO ? "node" : process.execPath;
const COMPILER = `${REPOSITORY}/node_modules/typescript/bin/tsc`;

/** Why the single file cannot be made here; false when it can. */
export const unavailable: string | false = !existsSync(COMPILER)
  ? "the compiler is not installed: run npm ci first"
  : spawnSync(NODE, ["--version"]).error
  ? "the compiler runs on Node, which is not there"
  : false;

/** Makes the single file in a folder, by the task itself. */
export function bundleInto(folder: string): void {
  runNode([`${REPOSITORY}/.ci/bundle.mjs`, folder]);
}

/** Compiles files as a host would that uses them, and expects no error. */
export function compile(files: readonly string[], flags: readonly string[], cwd: string): void {
  const strict = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2024", "--types", ""];
  runNode([COMPILER, ...strict, ...flags, ...files], cwd);
}

/** Compiles a host by its own settings, and expects no error. */
export function compileHost(host: string): void {
  runNode([COMPILER, "-p", ".", "--typeRoots", `${REPOSITORY}/node_modules/@types`], host);
}

function runNode(args: readonly string[], cwd: string = REPOSITORY): void {
  const { status, stdout, stderr, error } = spawnSync(NODE, args, { cwd, encoding: "utf8" });
  assert.equal(status, 0, `${error ?? ""}${stdout}${stderr}`);
}
