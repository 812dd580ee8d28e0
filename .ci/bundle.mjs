/**
 * Makes the program one file: `architrave.mjs`, with its declarations in `architrave.d.mts` beside it, in the folder that is
 * named, or in `dist/`. The same sources give the same bytes.
 *
 * Needs the two development packages: run `npm ci` first, then `npm run bundle`.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const ENTRY = "mod.ts";
const repository = fileURLToPath(new URL("..", import.meta.url));
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

/** An older Node does not know which module it was started with, and would end without a word. */
const REQUIREMENT = `if (import.meta.main === undefined && !("Deno" in globalThis)) {
    const version = globalThis.process?.versions?.node ?? "";
    const [major, minor] = version.split(".").map(Number);
    if (major < 22 || (major === 22 && minor < 18)) {
        throw new Error(\`Cannot run Architrave on Node \${version}: Node 22.18 or later is needed, or Deno 2\`);
    }
}`;

/** Compiles the sources, and parses what came out: code from one folder, declarations from another. */
async function compile(compiler, work) {
  const { parseProject } = await import("./syntax.mjs");
  const folders = [join(work, "code"), join(work, "types")];
  const outputs = ["--outDir", folders[0], "--declarationDir", folders[1]];
  runNode(compiler, "-p", join(repository, "tsconfig.build.json"), ...outputs);
  return folders.map((folder) => {
    const compilerOptions = { allowJs: true, noEmit: true, noLib: true, noResolve: true, types: [] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
    return parseProject(folder);
  });
}

async function bundle(compiler, target) {
  const { linkModules } = await import("./link_modules.mjs");
  const { linkDeclarations } = await import("./link_declarations.mjs");
  const work = realpathSync(mkdtempSync(join(tmpdir(), "architrave-bundle-")));
  try {
    const [code, types] = await compile(compiler, work);
    const start = `#!/usr/bin/env node\n// @ts-self-types="./architrave.d.mts"`;
    cpSync(join(repository, "mcp"), join(target, "mcp"), { recursive: true });
    const program = join(target, "architrave.mjs");
    writeFileSync(program, `${[start, banner(), REQUIREMENT, linkModules(code, ENTRY)].join("\n\n")}\n`);
    writeFileSync(join(target, "architrave.d.mts"), `${banner()}\n\n${linkDeclarations(types, ENTRY)}\n`);
    runNode("--check", program);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function runNode(...args) {
  execFileSync(process.execPath, args, { stdio: "inherit" });
}

const compiler = join(repository, "node_modules/typescript/bin/tsc");
if (!existsSync(compiler)) {
  console.error("bundle: The compiler is not installed; run npm ci first.");
  process.exit(2);
}
await bundle(compiler, resolve(process.argv[2] ?? join(repository, "dist")));
