/** rulesync, which converts the rules of assistants, reads the exported rules as what they were made from. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync, renameSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import { parse as parseYaml } from "yaml";
import { runHere } from "../harness/command.ts";
import { makeFolder } from "../harness/folder.ts";
import { PACKAGES, succeed } from "./programs.ts";

/** Documents by path, with the patterns that each rule has. */
const RECORDS: Readonly<Record<string, readonly [patterns: string, expected: readonly string[]]>> = {
  "docs/adr/0001-queues.md": [
    '["services/**/*.{ts,js}", "Makefile"]',
    ["services/**/*.ts", "services/**/*.js", "**/Makefile"],
  ],
  "docs/adr/0002-tests.md": ["test/", ["test/**"]],
  "docs/adr/0003-any.md": ['"**/*.sql"', ["**/*.sql"]],
  "docs/adr/0004-set.md": ["lib/[a-m]?/*.ts", ["lib/[a-m]?/*.ts"]],
};
const FILES = Object.fromEntries(
  Object.entries(RECORDS).map(([name, [patterns]]) => [
    name,
    `---\nstatus: accepted\napplies-to: ${patterns}\n---\n\n# Title of ${name}: "x"\n\n## Decision\n\nIt is: #1 'so'.\n`,
  ]),
);

/** Our name of an assistant, and that of rulesync. */
const TARGETS = [
  ["claude", "claudecode"],
  ["cursor", "cursor"],
  ["copilot", "copilot"],
  ["kiro", "kiro"],
  ["windsurf", "devin"],
] as const;

for (const [ours, theirs] of TARGETS) {
  test(`rulesync reads the rules for ${ours} back to the same globs`, async (t) => {
    const root = makeFolder(t, FILES);
    const args = ["export", ours, "--write", "--into", root, "--mount", `adr=${root}/docs/adr`];
    assert.equal((await runHere(args)).code, 0);
    // rulesync knows the folder by the later name of the product alone.
    if (ours === "windsurf") renameSync(`${root}/.windsurf`, `${root}/.devin`);
    const program = `${PACKAGES}rulesync/dist/cli/index.js`;
    succeed(process.execPath, [program, "import", "--targets", theirs, "--features", "rules"], { cwd: root });
    const folder = `${root}/.rulesync/rules`;
    const read = readdirSync(folder).map((name) => {
      const text = readFileSync(`${folder}/${name}`, "utf8");
      const [, front = "", body = ""] = /^---\n([^]*?)\n---\n([^]*)$/.exec(text)!;
      return { globs: (parseYaml(front) as { globs?: string[] }).globs, body };
    });
    for (const [name, [, expected]] of Object.entries(RECORDS)) {
      const rule = read.find(({ body }) => body.includes(`these files: ${name}`));
      assert.deepEqual(rule?.globs, expected, name);
    }
  });
}
