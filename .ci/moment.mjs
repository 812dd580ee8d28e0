/**
 * Draws the first picture of the README: an edit, what the hook answers, and the edit after that. The answers are those of the
 * program. `node .ci/moment.mjs` writes `.github/moment.svg`; `--check` fails if that would change it.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

const repository = join(import.meta.dirname, "..");
const FILE = "src/reports/db.ts";
const RECORD = `---
status: accepted
applies-to: ["src/**"]
forbids:
  - import: pg
    instead: src/db/pool.ts
    except: ["src/db/**"]
---

# 18. One pool of connections

## Decision

All code shares the pool of src/db/pool.ts, because the database takes 100 connections.

- Do not open connections elsewhere.
`;
const FIRST = ['import { Pool } from "pg";', "export const reports = new Pool({ max: 5 });"];
const SECOND = ['import { pool } from "../db/pool.ts";', "export const reports = pool;"];

/** What the hook tells an assistant that writes a text into the file. */
function told(folder, lines) {
  const input = {
    cwd: folder,
    hook_event_name: "PreToolUse",
    tool_input: { file_path: `${folder}/${FILE}`, old_string: "", new_string: lines.join("\n") },
  };
  const args = ["--no-warnings", join(repository, "mod.ts"), "hook", "--in", "docs/adr"];
  const output = execFileSync(process.execPath, args, {
    cwd: folder,
    input: JSON.stringify(input),
    encoding: "utf8",
  });
  return JSON.parse(output).hookSpecificOutput.additionalContext.split("\n").filter((line) => line !== "");
}

const folder = realpathSync(mkdtempSync(join(tmpdir(), "architrave-")));
mkdirSync(`${folder}/docs/adr`, { recursive: true });
writeFileSync(`${folder}/docs/adr/0018-one-pool.md`, RECORD);
const [first, second] = [FIRST, SECOND].map((lines) => told(folder, lines));
rmSync(folder, { recursive: true });
if (!first[0].includes("breaks") || second[0].includes("breaks")) throw new Error("The rule does not work");

const WIDTH = 92;
/** Lines of text, each with its colour, wrapped at words. */
function wrapped(lines, colour, indent = "  ") {
  return lines.flatMap((line) => {
    const parts = [];
    let rest = line;
    while (rest.length > WIDTH - indent.length) {
      const at = rest.lastIndexOf(" ", WIDTH - indent.length);
      parts.push(rest.slice(0, at));
      rest = `  ${rest.slice(at + 1)}`;
    }
    return [...parts, rest].map((text) => [indent + text, colour]);
  });
}
const [TEXT, DIM, GREEN, RED, BLUE] = ["#d8dee9", "#7b8794", "#8fce8f", "#f2a29b", "#8ab8ff"];
const edit = (lines) => [
  [`● Edit ${FILE}`, TEXT],
  ...wrapped(lines.map((line) => `+ ${line}`), GREEN, "    "),
];
const rows = [
  ["> Let the reports have connections of their own.", BLUE],
  ["", TEXT],
  ...edit(FIRST),
  ["  └ hook: mod.ts hook", DIM],
  ...first.flatMap((line, index) => wrapped([line], index < 2 ? RED : TEXT, "    ")),
  ["", TEXT],
  ...edit(SECOND),
  ["  └ hook: mod.ts hook", DIM],
  ...wrapped(second.slice(0, 2), TEXT, "    "),
];
const LINE = 19, LEFT = 20, TOP = 48;
const escape = (text) =>
  text.replace(/^ +/, (spaces) => "\u00a0".repeat(spaces.length)).replace(
    /[&<>]/g,
    (mark) => `&#${mark.codePointAt(0)};`,
  );
const height = TOP + rows.length * LINE + 12;
const text = rows.map(([line, colour], index) =>
  line === ""
    ? ""
    : `<text x="${LEFT}" y="${TOP + index * LINE + 14}" fill="${colour}">${escape(line)}</text>\n`
).join("");
const svg =
  `<svg xmlns="http://www.w3.org/2000/svg" width="800" height="${height}" viewBox="0 0 800 ${height}" role="img">
<title>An assistant is about to edit a file, is told which decision forbids that, and edits it in another way</title>
<rect width="800" height="${height}" rx="10" fill="#1b2430"/>
<circle cx="22" cy="22" r="6" fill="#f2a29b"/><circle cx="42" cy="22" r="6" fill="#f3d78b"/><circle cx="62" cy="22" r="6" fill="#8fce8f"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13.5" xml:space="preserve">
${text}</g>
</svg>
`;
const path = join(repository, ".github/moment.svg");
if (process.argv.includes("--check")) {
  if (readFileSync(path, "utf8") !== svg) {
    console.error("moment: .github/moment.svg is not current: run node .ci/moment.mjs");
    process.exitCode = 1;
  }
} else writeFileSync(path, svg);
