/** The single file is the same program, wherever it lies. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import * as source from "../../mod.ts";
import { VERSION } from "../../lib/cli/this_copy.ts";
import { makeFolder, writeFiles } from "../harness/folder.ts";
import { imports } from "../harness/modules.ts";
import { ON_DENO, run } from "../harness/program.ts";
import { bundleInto, COMMONJS, compile, makeHost, MARKED, tryInHosts, tryOut, unavailable } from "./hosts.ts";

const options = { skip: unavailable };
const FILES = ["architrave.mjs", "architrave.d.mts"];
const FLAGS = ON_DENO ? ["--no-prompt", "--allow-read"] : [];

/** What the task makes, once for all tests. */
const made = makeFolder({ after: (clean) => after(clean as () => void) });
if (!unavailable) bundleInto(made);
const textOf = (file: string) => readFileSync(`${made}/${file}`, "utf8");

/** Puts the single file into a folder, with a document of its own beside it. */
function copySingleFile(to: string): string {
  writeFiles(to, { ...MARKED, "architrave.mjs": textOf("architrave.mjs") });
  return `${to}/architrave.mjs`;
}

tryInHosts("the single file", copySingleFile, FLAGS, unavailable);

test("the single file works below node_modules, where TypeScript is an error", options, async (t) => {
  const host = makeHost(t, COMMONJS);
  await tryOut(copySingleFile(`${host}/node_modules/architrave`), host, FLAGS);
});

test("the same sources give the same bytes, and documents that are there stay", options, async (t) => {
  const again = makeFolder(t, { "mcp/resources/adr/001-mine.md": "# 1. Mine\n" });
  bundleInto(again);
  for (const file of FILES) assert.equal(readFileSync(`${again}/${file}`, "utf8"), textOf(file));
  assert.equal(readFileSync(`${again}/mcp/resources/adr/001-mine.md`, "utf8"), "# 1. Mine\n");
  // What the commands copy is beside them, and is not served.
  const { output } = await run(["init", `${again}/new`], "", { module: `${again}/architrave.mjs` });
  const copied = output.matchAll(/^\+\+\+ b\/.*\/new\/(?:prompts|resources\/\w+)\/[\w-]+\.(?:json|md)$/gm);
  assert.equal([...copied].length, 9);
  const { output: list } = await run(["list"], "", { module: `${again}/architrave.mjs` });
  assert.match(list, /^architecture:\/\/adr\/001-mine\t.*\t1\. Mine\n$/);
});

test("both files name the program, its licence and that they are generated", options, () => {
  for (const file of FILES) {
    const [banner = ""] = /\/\*![\s\S]*?\*\//.exec(textOf(file)) ?? [];
    assert.match(banner, new RegExp(`Architrave ${VERSION.replaceAll(".", "\\.")},.* MIT\\.`));
    assert.match(banner, /Generated from the sources/);
    assert.match(banner, /Permission is hereby granted/);
  }
});

test("imported, the single file is the same library, and what has a name keeps it", options, async () => {
  const library = await import(pathToFileURL(`${made}/architrave.mjs`).href) as typeof source;
  assert.deepEqual(Object.keys(library).sort(), Object.keys(source).sort());
  const names = (exports: object) => Object.entries(exports).map(([key, value]) => [key, value.name]).sort();
  assert.deepEqual(names(library), names(source));
  const error = new library.RpcError(library.ErrorCode.invalidParams, "No");
  assert.deepEqual([error.name, error.constructor.name, error.code], ["RpcError", "RpcError", -32602]);
  const server = library.createServer({ info: { name: "x", version: "1" } });
  assert.equal(server.constructor.name, "Server");
});

const CONSUMER = `
import type { Platform, PromptProvider, Resource, Server, Transport } from "./architrave.mjs";
import { createServer, documentProvider, ErrorCode, loadPlatform, memoryTransports, RpcError } from "./architrave.mjs";
const platform: Platform = await loadPlatform();
const documents = documentProvider(platform, { root: "mcp", onfinding: ({ file }) => file.toUpperCase() });
const server: Server = createServer({ info: { name: "x", version: "1" }, resources: [documents] });
const [near, far]: readonly [Transport, Transport] = memoryTransports();
await (await server.connect(far)).close();
export const code: number = new RpcError(ErrorCode.invalidParams, "No", { near }).code;
// @ts-expect-error A page has a number of things.
createServer({ info: { name: "x", version: "1" }, pageSize: "many" });
// @ts-expect-error A resource has a URI.
export const resource: Resource = { name: "x" };
// @ts-expect-error A provider can list.
export const prompts: PromptProvider = { get: () => undefined };
// @ts-expect-error The names of modules are not exported.
export type { lib_server_server_ts } from "./architrave.mjs";
`;

test("the declarations are complete and strict, and lead to no other file", options, (t) => {
  assert.doesNotMatch(textOf("architrave.d.mts"), /\bfrom\b ["']\.|import\(|^\/\/\/ </m);
  const folder = makeFolder(t, { "consumer.mts": CONSUMER, "package.json": '{ "type": "commonjs" }' });
  for (const file of FILES) cpSync(`${made}/${file}`, `${folder}/${file}`);
  const stricter = ["--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--verbatimModuleSyntax"];
  for (const flags of [[], [...stricter, "--erasableSyntaxOnly", "--isolatedModules"]]) {
    compile(["consumer.mts"], flags, folder);
  }
  if (!ON_DENO) return;
  const checked = spawnSync(process.execPath, ["check", "consumer.mts"], { cwd: folder, encoding: "utf8" });
  assert.equal(checked.status, 0, checked.stderr);
});

/** The modules that some modules cannot do without, as the single file calls them, sorted. */
function neededBy(...modules: string[]): string[] {
  const needed = new Set(modules);
  for (const module of needed) {
    for (const { from, to, typeOnly, lazy } of imports) {
      if (from === module && !typeOnly && !lazy && !to.startsWith("node:")) needed.add(to);
    }
  }
  needed.delete("mod.ts");
  return [...needed].map((module) => module.replaceAll(/[/.]/g, "_")).sort();
}

const LAZY = "a module starts when it is needed, and the adapter of the other runtime never does";
test(LAZY, options, async (t) => {
  const start = /^const (\w+_ts) = once\(\(?(?:async )?\(\) => \{$/gm;
  const logging = textOf("architrave.mjs").replaceAll(start, '$&\nconsole.error("$1");');
  const folder = makeFolder(t, {
    "architrave.mjs": logging,
    "consumer.mjs": 'import "./architrave.mjs";\n',
  });
  const started = (errors: string) => errors.trim().split("\n").sort();
  const imported = await run([], "", { module: `${folder}/consumer.mjs`, runtimeFlags: FLAGS });
  assert.deepEqual([imported.code, imported.output], [0, ""]);
  assert.deepEqual(started(imported.errors), neededBy("mod.ts", "lib/mcp/server/mod.ts"));
  const asked = await run(["--version"], "", { module: `${folder}/architrave.mjs`, runtimeFlags: FLAGS });
  assert.deepEqual([asked.code, asked.output], [0, `${VERSION}\n`]);
  const platform = `lib/platform/${ON_DENO ? "deno" : "node"}.ts`;
  const needed = neededBy("mod.ts", "lib/cli/main.ts", "lib/cli/commands.ts", platform);
  assert.deepEqual(started(asked.errors), needed);
});

const ON_NODE = { skip: unavailable || (ON_DENO && "it is about Node") };

test("a Node that does not know which module it runs is told so", ON_NODE, async (t) => {
  const folder = makeFolder(t);
  const start = async (file: string, text: string, ...args: string[]) => {
    writeFileSync(`${folder}/${file}`, text);
    return await run(args, "", { module: `${folder}/${file}`, runtimeFlags: [] });
  };
  const made = textOf("architrave.mjs");
  writeFileSync(`${folder}/architrave.mjs`, made.replaceAll("import.meta.main", "undefined"));
  // Where the file was put into another one, `import.meta` may have been lost on the way.
  const served = ["22.18.0", "24.3.0", "26.0.0", ""];
  for (const version of ["20.20.2", "22.17.1", "23.11.1", "24.1.0", "24.2.0", ...served]) {
    const pretence = `globalThis.process = { versions: { node: "${version}" } };\n`;
    const { code, errors } = await start("consumer.mjs", `${pretence}await import("./architrave.mjs");`);
    const isServed = served.includes(version);
    assert.equal(code, isServed ? 0 : 1);
    assert.match(
      errors,
      isServed ? /^$/ : new RegExp(`Error: Cannot run on Node ${version}: install Node 22\\.18,`),
    );
  }
  // Started by its name, it says so in one sentence. Node 24.2 takes `import.meta.main` for false in a file of types only.
  const pretence = 'Object.defineProperty(process, "versions", { value: { node: "24.2.0" } });\n';
  const errors = "architrave: Cannot run on Node 24.2.0: install Node 22.18, 24.3 or later, or Deno 2.\n";
  for (const main of ["undefined", "false", "true"]) {
    const text = made.replaceAll("import.meta.main", main).replace(/^#!.*\n/, pretence);
    assert.deepEqual(await start("started.mjs", text), { code: 2, output: "", errors });
    assert.deepEqual(await start("started.mjs", text, "hook"), { code: 0, output: "", errors });
  }
});
