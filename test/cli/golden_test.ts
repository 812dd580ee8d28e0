/**
 * The first screen of every command: its help, and what its example prints on a terminal for a small folder, as files in
 * `golden/`. `ARCHITRAVE_GOLDEN=write` writes them anew.
 */

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import { runHere } from "../harness/command.ts";
import { makeFolder } from "../harness/folder.ts";
import { REPOSITORY } from "../harness/runtime.ts";

const GOLDEN = `${REPOSITORY}/test/cli/golden`;
const WRITES = process.env["ARCHITRAVE_GOLDEN"] === "write";
const { version: VERSION } = JSON.parse(readFileSync(`${REPOSITORY}/deno.json`, "utf8"));

const nameOf = (title: string): string => `${title.toLowerCase().replace(/\W+/g, "-")}.md`;
const [HTTP, RETRY] = ["4. Use HTTP between services", "7. Retry with exponential backoff"];
const WHY =
  "A retry without a pause makes an outage longer, so each waits twice as long: exponential backoff.";
const RECORDS = Object.fromEntries(
  [
    ["1. Record decisions", "2026-05-04", "Accepted", "Decisions are forgotten."],
    [HTTP, "2026-06-08", `Superseded by [${RETRY}](${nameOf(RETRY)})`, "Services call each other."],
    [RETRY, "2026-07-02", `Accepted\n\nSupersedes [${HTTP}](${nameOf(HTTP)})`, WHY, "applies-to: src/**"],
    ["9. Use queues", "2026-07-20", "Proposed", "See [the old one](3-missing.md)."],
  ].map(([title = "", date, status, text, front]) => [
    nameOf(title),
    `${front ? `---\n${front}\n---\n\n` : ""}# ${title}\n\nDate: ${date}\n\n## Status\n\n${status}\n\n` +
    `## Context\n\n${text}\n\n## Decision\n\nWe do it.\n\n## Consequences\n\nIt is done.\n`,
  ]),
);

const inFolder = (folder: string, files: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text]));

const FILES = {
  ...inFolder("docs/adr", RECORDS),
  ...inFolder("docs/decisions", RECORDS),
  "docs/patterns/retry.md": "# Retry\n\nWait twice as long before each attempt.\n",
  "src/pay.ts": "export const pay = () => fetch(SHOP);\n",
  "shop.json": JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Shop", version: "1" },
    servers: [{ url: "https://shop.example.com/v1" }],
    paths: {
      "/orders": {
        get: { operationId: "listOrders", summary: "All orders", responses: {} },
        post: { operationId: "placeOrder", responses: {} },
      },
      "/orders/{number}": {
        get: {
          operationId: "getOrder",
          parameters: [{ name: "number", in: "path", required: true, schema: { type: "integer" } }],
          responses: {},
        },
      },
    },
  }),
};

/** The words of a command line; of a pipe, those of this program. */
function wordsOf(example: string): string[] {
  const [, line = ""] = /\b(?:mod\.ts|architrave) ([^|>)]*)/.exec(example) ?? [];
  return Array.from(line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g), ([, ...words]) => words.join(""));
}

/** Serves the records over HTTP, for inspect; returns the URL. */
async function serveUntil(interrupted: Promise<void>): Promise<string> {
  const address = Promise.withResolvers<string>();
  const onprint = (text: string) => address.resolve(/http:\S+/.exec(text)![0]);
  const args = ["http", "--listen", "127.0.0.1:0", "--mount", "adr=docs/adr"];
  void runHere(args, { interrupted, onprint }).catch(address.reject);
  return await address.promise;
}

/** Leaves out what differs between machines, runtimes and days. */
function stable(text: string, folder: string): string {
  const today = new Date(Date.now() - new Date().getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
  const start = /"args": \[[^\]]*?(?="--mount")/g;
  return text.replaceAll(`${folder}/docs`, "/FOLDER/docs").replace(
    start,
    '"args": [\n        START,\n        ',
  )
    .replaceAll(JSON.stringify(process.execPath), '"RUNTIME"').replaceAll(process.execPath, "RUNTIME")
    .replace(/(?<=-- RUNTIME ).*(?=--mount)/, "START ")
    .replaceAll(VERSION, "VERSION").replaceAll(today, "TODAY").replace(/\d+(?:\.\d+)? ms/g, "N ms")
    .replace(/127\.0\.0\.1:\d{5}/g, "127.0.0.1:8080")
    // The sizes of pages change with their style.
    .replace(/^(create public\/.*) \(\d+ bytes\)$/gm, "$1 (2048 bytes)");
}

async function transcript(line: string, folder: string, args: string[]): Promise<string> {
  const [command = ""] = args;
  const options = {
    showsOutput: true,
    noColor: true,
    interactive: true,
    ...command === "decisions" ? { input: "src/pay.ts\nREADME.md\n" } : {},
    ...["http", "page"].includes(command) ? { interrupted: Promise.resolve() } : {},
  };
  const { code, output, errors } = await runHere(args, options);
  const notes = errors.replace(/^(?=.)/gm, "stderr: ");
  return stable(`$ ${line}\n${output}${notes}${code === 0 ? "" : `exit code ${code}\n`}`, folder);
}

const overview = (await runHere(["--help"])).output;
const commands = Array.from(overview.split("\n\n")[2]!.matchAll(/^ {2}(\w+)/gm), ([, name]) => name!);

test("golden files are those of the commands", { skip: WRITES }, () => {
  assert.deepEqual(readdirSync(GOLDEN).sort(), commands.map((name) => `${name}.txt`).sort());
});

for (const name of commands) {
  const skip = name === "config" && process.platform === "win32" && "the paths are those of the system";
  test(`${name} --help, and what its example prints`, { skip }, async (t) => {
    const here = process.cwd();
    // Before the folder is removed.
    t.after(() => process.chdir(here));
    const folder = makeFolder(t, FILES);
    for (const path of Object.keys(FILES)) utimesSync(`${folder}/${path}`, 1783000000, 1783000000);
    process.chdir(folder);
    const { output: help } = await runHere([name, "--help"]);
    const [, example] = /^Example: (.*)$/m.exec(help) ?? [];
    assert.ok(example, `${name} has no example`);
    // What writes shows first what it would write; for init, these are whole files.
    const preview = name === "init" ? example : example.replace(" --write", "");
    const end = Promise.withResolvers<void>();
    const url = name === "inspect" ? await serveUntil(end.promise) : "";
    const screens: string[] = [];
    for (const line of [`mod.ts ${name} --help`, ...new Set([preview, example])]) {
      const words = wordsOf(line).map((word) => url && /^http:/.test(word) ? url : word);
      const listen = ["http", "page"].includes(name) ? ["--listen", "127.0.0.1:0"] : [];
      screens.push(await transcript(line, folder, [...words, ...listen]));
    }
    end.resolve();
    const text = screens.join("\n");
    const path = `${GOLDEN}/${name}.txt`;
    if (WRITES) {
      mkdirSync(GOLDEN, { recursive: true });
      writeFileSync(path, text);
    } else assert.equal(text, readFileSync(path, "utf8"), `${path}: ARCHITRAVE_GOLDEN=write renews it`);
  });
}
