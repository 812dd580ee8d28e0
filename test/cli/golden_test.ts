/**
 * What the program prints and writes, byte for byte, in files that `ARCHITRAVE_GOLDEN=write` writes anew: in `golden/` the first
 * screen of every command, its help and what its example prints on a terminal for a small folder; in `sessions/` what users do.
 *
 * A session has a title behind `==`, and a folder of its own. The user writes the file behind `--`, which is indented by two spaces,
 * deletes the one behind `rm`, and enters the command behind `$`; for the commands below it, `@` has options of `runHere`, and `<`
 * their input. What is indented below a command is its output, then come lines on standard error behind `!`, the exit code unless it is 0, and
 * each file that was written behind `=>`. `\\` stands for a missing last line end, and `‹1b›` for a control character.
 */

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import { runHere } from "../harness/command.ts";
import { filesIn, makeFolder, writeFiles } from "../harness/folder.ts";
import { REPOSITORY } from "../harness/runtime.ts";

/** When all files were changed, in seconds: on 2026-07-02. */
const TIME = 1783000000;
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

function wordsIn(line: string): string[] {
  return Array.from(line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g), ([, ...words]) => words.join(""));
}

/** The words of a command line; of a pipe, those of this program. */
function wordsOf(example: string): string[] {
  return wordsIn(/\b(?:mod\.ts|architrave) ([^|>)]*)/.exec(example)?.[1] ?? "");
}

/** Serves the records over HTTP, for inspect; returns the URL. */
async function serveUntil(interrupted: Promise<void>): Promise<string> {
  const address = Promise.withResolvers<string>();
  const onprint = (text: string) => {
    const [url] = /http:\S+/.exec(text) ?? [];
    if (url !== undefined) address.resolve(url);
  };
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
    // Only Node has a cache.
    .replace(/\n *"env": \{\s*"NODE_COMPILE_CACHE": [^}]*\},/, "").replace(
      / --env NODE_COMPILE_CACHE=\S+/,
      "",
    )
    .replace(/127\.0\.0\.1:\d{5}/g, "127.0.0.1:8080")
    // The sizes of pages change with their style.
    .replace(/^(create public\/.*) \(\d+ bytes\)$/gm, "$1 (2048 bytes)");
}

const SESSIONS = `${REPOSITORY}/test/cli/sessions`;

/** A text as lines of a session: indented, without control characters. */
function shown(text: string): string[] {
  const visible = text.replace(
    /(?![\n\t])[\p{Cc}\p{Cf}\u2028]/gu,
    (mark) => `‹${mark.codePointAt(0)!.toString(16)}›`,
  );
  const lines = visible.split("\n").map((line) => line && `  ${line}`);
  const last = lines.pop()!;
  return last === "" ? lines : [...lines, last, "\\"];
}

/** The text that `shown` shows. */
function meant(lines: readonly string[]): string {
  const text = lines.map((line) => line.slice(2)).join("\n") + (lines.length > 0 ? "\n" : "");
  return text.replace(/‹(\w+)›/g, (_, code) => String.fromCodePoint(parseInt(code, 16)));
}

/** Does what the user does in a session; returns the session as it is then. */
async function play(session: string, folder: string): Promise<string> {
  const lines = session.split("\n"), played: string[] = [];
  let options = {}, input = "";
  while (lines.length > 0) {
    const line = lines.shift()!, [mark = ""] = line.split(" ", 1), rest = line.slice(mark.length + 1);
    const end = lines.findIndex((next) => /^[^ ]/.test(next));
    const content = lines.splice(0, end < 0 ? lines.length : end);
    const isEnded = mark !== "--" || lines[0] !== "\\";
    if (!["==", "#", "--", "rm", "@", "<", "$"].includes(mark)) continue;
    played.push(line);
    if (mark === "rm") rmSync(rest);
    if (mark === "@") options = Object.fromEntries(rest.split(" ").map((name) => [name, true]));
    if (mark === "<") {
      input = meant(content);
      played.push(...content);
    }
    if (mark === "--") {
      writeFiles(folder, { [rest]: meant(content).slice(0, isEnded ? undefined : -1) });
      utimesSync(`${folder}/${rest}`, TIME, TIME);
      played.push(...content, ...isEnded ? [] : ["\\"]);
    }
    if (mark !== "$") continue;
    const before = filesIn(folder);
    const { code, output, errors } = await runHere(wordsIn(rest), { ...options, input });
    const after = filesIn(folder);
    played.push(
      ...shown(stable(output, folder)),
      ...shown(stable(errors, folder)).map((text) => text.replace(/^ /, "!")),
    );
    if (code !== 0) played.push(`exit code ${code}`);
    for (const name of Object.keys({ ...before, ...after }).sort()) {
      if (after[name] === undefined) played.push(`=> ${name} is deleted`);
      else if (after[name] !== before[name]) played.push(`=> ${name}`, ...shown(stable(after[name], folder)));
    }
  }
  return played.join("\n");
}

for (const file of readdirSync(SESSIONS)) {
  const sessions = readFileSync(`${SESSIONS}/${file}`, "utf8").trimEnd().split(/\n\n(?=== )/);
  const played: string[] = [];
  for (const session of sessions) {
    test(`${file}: ${session.split("\n", 1)[0]!.slice(3)}`, async (t) => {
      const folder = makeFolder(t), here = process.cwd();
      process.chdir(folder);
      played.push(await play(session, folder).finally(() => process.chdir(here)));
      if (WRITES) writeFileSync(`${SESSIONS}/${file}`, `${played.join("\n\n")}\n`);
      else assert.equal(played.at(-1), session, `${file}: ARCHITRAVE_GOLDEN=write renews it`);
    });
  }
}

/** What commands read in their examples. */
const INPUTS: ReadonlyMap<string, string> = new Map([
  ["decisions", "src/pay.ts\nREADME.md\n"],
  [
    "hook",
    JSON.stringify({
      cwd: "/repo",
      hook_event_name: "PreToolUse",
      tool_input: { file_path: "/repo/src/pay.ts", old_string: "a", new_string: "b" },
    }),
  ],
]);

async function transcript(line: string, folder: string, args: string[]): Promise<string> {
  const [command = ""] = args;
  const options = {
    showsOutput: true,
    noColor: true,
    interactive: true,
    ...(INPUTS.has(command) ? { input: INPUTS.get(command)! } : {}),
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
    for (const path of Object.keys(FILES)) utimesSync(`${folder}/${path}`, TIME, TIME);
    process.chdir(folder);
    const { output: help } = await runHere([name, "--help"]);
    const [, example] = /^Example: (.*)$/m.exec(help) ?? [];
    assert.ok(example, `${name} has no example`);
    // What writes shows first what it would write; for init, these are whole files.
    const preview = name === "init" ? example : example.replace(" --write", "");
    const end = Promise.withResolvers<void>();
    const url = name === "inspect" ? await serveUntil(end.promise) : "";
    const screens: string[] = [];
    // The files that vendor lists change with the sources; vendor_test.ts runs it.
    const examples = name === "vendor" ? [] : new Set([preview, example]);
    for (const line of [`mod.ts ${name} --help`, ...examples]) {
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
