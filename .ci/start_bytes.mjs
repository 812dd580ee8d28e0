/**
 * Checks how many bytes of JavaScript the built package loads until its first answer and until its first list: what a client waits
 * for. Needs `npm run build` first, and a Node with module hooks (22.15 or later). With -v, it prints the figures and the files.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

/** Maximum number of bytes until an answer, by the kind of folder: what they were in this version, and 3 percent more. */
const BUDGETS = {
  plain: { "initialize": 181_600, "resources/list": 253_700 },
  records: { "initialize": 181_600, "resources/list": 369_400 },
};
const FILES = {
  plain: { "guidelines/naming.md": "# Naming\n\nNames say what a thing is.\n" },
  records: { "adr/0001-use-queues.md": "---\nstatus: accepted\n---\n\n# Use queues\n\nThey decouple.\n" },
};
const PARAMS = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "budget", version: "1" },
};

/** The number of bytes that are loaded until each method is answered. */
async function measure(files, methods) {
  const folder = mkdtempSync(join(tmpdir(), "architrave-")),
    log = join(folder, "loaded"),
    hook = join(folder, "hook.mjs");
  const own = `${pathToFileURL(resolve("dist")).href}/`;
  writeFileSync(log, "");
  writeFileSync(
    hook,
    `import { appendFileSync } from "node:fs";
import { registerHooks } from "node:module";
registerHooks({ load(url, context, next) {
  if (url.startsWith(${JSON.stringify(own)})) appendFileSync(${
      JSON.stringify(log)
    }, decodeURI(url.slice(${own.length})) + "\\n");
  return next(url, context);
} });`,
  );
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, "resources", name, ".."), { recursive: true });
    writeFileSync(join(folder, "resources", name), text);
  }
  const args = ["--import", pathToFileURL(hook).href, resolve("dist/bin.js"), "--root", folder];
  const program = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: program.stdout })[Symbol.asyncIterator]();
  const found = {};
  for (const [id, method] of methods.entries()) {
    program.stdin.write(
      `${JSON.stringify({ jsonrpc: "2.0", id, method, params: id === 0 ? PARAMS : {} })}\n`,
    );
    const { value, done } = await lines.next();
    if (done || JSON.parse(value).error) throw new Error(`${method} is not answered: ${value}`);
    const loaded = new Set(readFileSync(log, "utf8").trim().split("\n"));
    found[method] = [...loaded].reduce((sum, name) => sum + statSync(join("dist", name)).size, 0);
    if (process.argv.includes("-v")) {
      console.log(`${method}: ${found[method]} bytes in ${[...loaded].join(", ")}`);
    }
  }
  program.stdin.end();
  await once(program, "close");
  rmSync(folder, { recursive: true, force: true });
  return found;
}

let isOver = false;
for (const [kind, budgets] of Object.entries(BUDGETS)) {
  // A part that is loaded after an answer may be counted too: the least of three is right.
  const found = await measure(FILES[kind], Object.keys(budgets));
  for (let again = 0; again < 2; again++) {
    const other = await measure(FILES[kind], Object.keys(budgets));
    for (const method of Object.keys(budgets)) found[method] = Math.min(found[method], other[method]);
  }
  for (const [method, budget] of Object.entries(budgets)) {
    if (found[method] <= budget) continue;
    isOver = true;
    console.error(
      `start bytes: a folder of ${kind} loads ${
        found[method]
      } bytes until ${method}, and ${budget} are allowed`,
    );
  }
}
process.exitCode = isOver ? 1 : 0;
