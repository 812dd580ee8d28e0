/**
 * Makes the program one file: `architrave.mjs`, with its declarations in `architrave.d.mts` and the documents in `mcp/`
 * beside it, in the folder that is named, or in `dist/`. The same sources give the same bytes. Documents that are there
 * already stay as they are, except in `dist/`. There, or with `--channels`, the files for registries, MCPB clients and plugins
 * are made too; see `channels.mjs`.
 *
 * Needs the two development packages: run `npm ci` first, then `npm run bundle`.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const ENTRY = "mod.ts";
const CHANNELS = "--channels";
const repository = fileURLToPath(new URL("..", import.meta.url));
const HERE = join(repository, "dist");
const read = (file) => readFileSync(join(repository, file), "utf8");

/** Says in the file itself what it is, and on which terms: it travels alone. */
function banner() {
  const { version, license } = JSON.parse(read("package.json"));
  const terms = read("LICENSE").trim().split("\n").map((line) => ` * ${line}`.trimEnd()).join("\n");
  return `/*!
 * Architrave ${version}, the whole program as one file. Licence: ${license}.
 *
 * Generated from the sources by \`npm run bundle\`: change those, and not this.
 *
${terms}
 */`;
}

/** Compiles the sources, and parses what came out: code from one folder, declarations from another. */
async function compile(compiler, work) {
  const { parseProject } = await import("./syntax.mjs");
  const folders = [join(work, "code"), join(work, "types")];
  const outputs = ["--outDir", folders[0], "--declarationDir", folders[1]];
  runNode(compiler, "-p", join(repository, "tsconfig.build.json"), ...outputs);
  return [parseProject(folders[0], ".js"), parseProject(folders[1], ".d.ts")];
}

/** Links, checks and only then puts the result where it is wanted. */
async function bundle(compiler, target) {
  const { CHUNKS, linkModules } = await import("./link_modules.mjs");
  const { linkDeclarations } = await import("./link_declarations.mjs");
  const work = realpathSync(mkdtempSync(join(tmpdir(), "architrave-bundle-")));
  try {
    const [code, types] = await compile(compiler, work);
    const start = `#!/usr/bin/env node\n// @ts-self-types="./architrave.d.mts"`;
    const [program, declarations] = [join(work, "architrave.mjs"), join(work, "architrave.d.mts")];
    writeFileSync(program, `${[start, banner(), linkModules(code, ENTRY, CHUNKS)].join("\n\n")}\n`, {
      mode: 0o755,
    });
    writeFileSync(declarations, `${banner()}\n\n${linkDeclarations(types, ENTRY)}\n`);
    runNode("--check", program);
    for (const file of [program, declarations]) cpSync(file, join(target, basename(file)));
    if (target === HERE) rmSync(join(target, "mcp"), { recursive: true, force: true });
    // Beside documents of the user's own, only what the commands copy is needed.
    const needed = existsSync(join(target, "mcp"))
      ? { starter: "starter", templates: "templates", prompts: "starter/prompts" }
      : { "": "" };
    for (const [from, to] of Object.entries(needed)) {
      cpSync(join(repository, "mcp", from), join(target, "mcp", to), { recursive: true, force: false });
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function runNode(...args) {
  execFileSync(process.execPath, args, { stdio: "inherit" });
}

const compiler = join(repository, "node_modules/typescript/bin/tsc");
try {
  if (!existsSync(compiler)) throw new Error("The compiler is not installed; run npm ci first.");
  const [folder] = process.argv.slice(2).filter((argument) => argument !== CHANNELS);
  const target = folder === undefined ? HERE : resolve(folder);
  await bundle(compiler, target);
  console.log(`bundle: ${join(target, "architrave.mjs")} is made.`);
  if (target === HERE || process.argv.includes(CHANNELS)) {
    const { makeChannels } = await import("./channels.mjs");
    makeChannels(target);
    console.log(`bundle: ${join(target, "architrave.mcpb")}, plugin/, server.json and server.yaml are made.`);
  }
} catch (cause) {
  console.error(`bundle: ${cause.message}`);
  process.exitCode = 2;
}
