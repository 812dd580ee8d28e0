/** Folders in which commands cannot write, or where names are taken: one sentence, and nothing half. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { cli } from "../harness/command.ts";
import { filesIn, makeFolder, writeFiles } from "../harness/folder.ts";
import { ON_WINDOWS } from "../harness/runtime.ts";

const ACCEPTED = "# X\n\n## Status\n\nAccepted\n\n## Context\n";
const FILES = { "adr/0001-a.md": ACCEPTED, "adr/0002-b.md": ACCEPTED };
/** Every command that writes, in the folder "DIR". */
const COMMANDS: readonly string[] = [
  "new C --mount adr=DIR/adr",
  "new C --supersedes 1 --mount adr=DIR/adr",
  "supersede 1 2 --mount adr=DIR/adr",
  "status 1 rejected --mount adr=DIR/adr",
  "init DIR/docs",
  "export claude --into DIR --mount adr=DIR/adr",
  "site DIR/out --mount adr=DIR/adr",
  "vendor DIR/copy --only serve",
];

/** Runs every command; each says in one sentence why it cannot write, and changes nothing. */
async function assertNothing(folder: string, reason: RegExp, commands = COMMANDS): Promise<void> {
  const before = filesIn(folder), names = readdirSync(folder).sort();
  for (const line of commands) {
    const { code, output, errors } = await cli(`${line} --write`, folder);
    const last = errors.replace(/^architrave: (?:".* supersedes|The new record is a proposal).*\n/, "");
    assert.equal(code, 1, `${line}: ${output}`);
    assert.match(last, /^architrave: [^\n]+\n$/, line);
    assert.match(last, reason, line);
    assert.deepEqual(filesIn(folder), before, line);
    assert.deepEqual(readdirSync(folder).sort(), names, line);
  }
}

/** Mounts a file system in memory; undefined where that is not allowed. */
function mount(t: TestContext, options: string): string | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return undefined;
  let place = "";
  // Before the folder is removed.
  t.after(() => void spawnSync("umount", [place]));
  place = `${makeFolder(t)}/mount`;
  mkdirSync(place);
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", options, "none", place]);
  return status === 0 ? place : undefined;
}

test("a read-only folder is named, and nothing is written", { skip: ON_WINDOWS }, async (t) => {
  const mounted = mount(t, "size=1m");
  const folder = mounted ?? makeFolder(t);
  writeFiles(folder, FILES);
  if (mounted !== undefined) spawnSync("mount", ["-o", "remount,ro", mounted]);
  else if (process.getuid?.() === 0) return t.skip("permissions do not hold for root");
  else for (const path of [`${folder}/adr`, folder]) chmodSync(path, 0o555);
  await assertNothing(
    folder,
    /Cannot write ".+": (?:the file system is read-only|its permissions do not allow it)/,
  );
  if (mounted === undefined) { for (const path of [folder, `${folder}/adr`]) chmodSync(path, 0o755); }
});

test("a full disk is named, and nothing is half", async (t) => {
  const folder = mount(t, "size=64k,nr_inodes=40");
  if (folder === undefined) return t.skip("only root can mount a small disk");
  writeFiles(folder, FILES);
  const before = filesIn(folder);
  // With ever less room, commands fail at another point, until none is left.
  let full = 0;
  for (let room = 13; room >= 0; room--) {
    for (const line of COMMANDS) {
      writeFileSync(`${folder}/filler`, "");
      try {
        for (let count = 0; count < 16 - room; count++) {
          writeFileSync(`${folder}/filler`, "x".repeat(4096), { flag: "a" });
        }
      } catch {
        // The disk is full.
      }
      const filler: string = readFileSync(`${folder}/filler`, "utf8");
      const { code, errors } = await cli(`${line} --write`, folder);
      const last = errors.replace(/^architrave: (?:".* supersedes|The new record is a proposal).*\n/, "");
      if (code !== 0) {
        full++;
        assert.match(last, /^architrave: Cannot write "[^\n]+": the disk is full; free some of it\n$/, line);
        assert.deepEqual(filesIn(folder), { ...before, filler }, `${line}, with room for ${room}`);
        assert.deepEqual(readdirSync(folder).sort(), ["adr", "filler"], line);
      }
      for (const name of readdirSync(folder)) spawnSync("rm", ["-rf", `${folder}/${name}`]);
      writeFiles(folder, FILES);
    }
  }
  assert.ok(full > 20, `${full} commands met a full disk`);
});

test("a name that differs from another only in case is taken", async (t) => {
  const folder = makeFolder(t, { "2026-07-28-Use-Queues.md": ACCEPTED, "2026-07-27-a.md": ACCEPTED });
  const { code, errors } = await cli("new Use queues --date 2026-07-28 --mount adr=DIR --write", folder);
  assert.equal(code, 1);
  assert.match(
    errors,
    /^architrave: Cannot create ".*\/2026-07-28-use-queues\.md": (?:".*Use-Queues\.md" differs from it only in case|it exists, and is not overwritten); choose another name or folder\n$/,
  );
  const upper = makeFolder(t, { "Resources/x.md": "# X\n" });
  const started = await cli("init DIR --write", upper);
  assert.equal(started.code, 1);
  assert.match(
    started.errors,
    /^architrave: Cannot create ".*": ".*\/Resources" differs from it only in case; /,
  );
  assert.deepEqual(readdirSync(upper), ["Resources"]);
  // Two records of such names are two records where the system has both.
  const both = makeFolder(t, { "0001-A.md": ACCEPTED, "0001-a.md": ACCEPTED.replace("X", "Y") });
  if (readdirSync(both).length < 2) return;
  assert.equal((await cli("status 0001-a.md rejected --mount adr=DIR --write", both)).code, 0);
  assert.equal(filesIn(both)["0001-A.md"], ACCEPTED);
});

test("a link is not followed out of the folder, nor replaced by a file", { skip: ON_WINDOWS }, async (t) => {
  const outside = makeFolder(t);
  const folder = makeFolder(t, {
    ...FILES,
    "adr/0002-b.md": `---\napplies-to: "lib/**"\n---\n${ACCEPTED}\n## Decision\n\nX\n`,
  });
  symlinkSync(outside, `${folder}/.claude`);
  symlinkSync(outside, `${folder}/prompts`);
  for (const line of ["export claude --into DIR --mount adr=DIR/adr", "init DIR"]) {
    const { code, errors } = await cli(`${line} --write`, folder);
    assert.equal(code, 1, line);
    assert.match(
      errors,
      /^architrave: Cannot write "[^\n]+": it is not in "[^\n]+" or a link leads out; [^\n]+\n$/,
    );
    assert.deepEqual(readdirSync(folder).sort(), [".claude", "adr", "prompts"]);
    assert.deepEqual(readdirSync(outside), []);
  }
  // A link that leads nowhere is not overwritten.
  symlinkSync("missing.md", `${folder}/adr/0003-x.md`);
  assert.match((await cli("new X --mount adr=DIR/adr --write", folder)).output, /0004-x\.md/);
  assert.equal((await cli("status 1 rejected --mount adr=DIR/adr --write", folder)).code, 0);
  assert.match(readFileSync(`${folder}/adr/0001-a.md`, "utf8"), /Rejected/);
});

/** What is made in the folder and in one outside of it, a command line, and what it says; without a message, it succeeds. */
type Place = readonly [make: (folder: string, outside: string) => void, line: string, message?: RegExp];

/** Runs each command in a place of its own. Nothing changes outside, and where it fails, nothing at all. */
async function assertPlaces(t: TestContext, places: readonly Place[]): Promise<void> {
  for (const [make, line, message] of places) {
    const applies = `---\napplies-to: "lib/**"\n---\n${ACCEPTED}\n## Decision\n\nX\n`;
    const folder = makeFolder(t, { "adr/0001-a.md": applies, "adr/0002-b.md": applies });
    const outside = makeFolder(t, { "keep.md": ACCEPTED });
    make(folder, outside);
    const before = filesIn(folder), names = readdirSync(folder, { recursive: true }).sort();
    const { code, output, errors } = await cli(`${line} --write`, folder);
    const last = errors.replace(/^architrave: (?:".* supersedes|The new record is a proposal).*\n/, "");
    assert.deepEqual(filesIn(outside), { "keep.md": ACCEPTED }, line);
    if (message === undefined) {
      assert.deepEqual([code, last], [0, ""], line);
      assert.match(output, /^(?:changed|created) /, line);
      continue;
    }
    assert.equal(code, 1, `${line}: ${output}`);
    assert.match(last, /^architrave: [^\n]+\n$/, line);
    assert.match(last, message, line);
    assert.deepEqual(filesIn(folder), before, line);
    assert.deepEqual(readdirSync(folder, { recursive: true }).sort(), names, line);
  }
}

const ADR = "--mount adr=DIR/adr";
const EXPORT = `export claude --into DIR ${ADR}`,
  SITE = `site DIR/out ${ADR}`,
  VENDOR = "vendor DIR/copy --only serve";

test("every command that writes looks at links: in the folder they stay, out of it none is followed", {
  skip: ON_WINDOWS,
}, async (t) => {
  const out = /it is not in ".+" or a link leads out; name the folder that it is in\n$/;
  const none = /There is no record "3" in ".*"|There is no record "3" in .*: the numbers are 1 to 2\n$/;
  const record = (target: string) => (folder: string, outside: string) =>
    symlinkSync(target.replace("OUT", outside), `${folder}/adr/0003-c.md`);
  await assertPlaces(t, [
    [(folder) => symlinkSync("adr", `${folder}/link`), "supersede 1 2 --mount adr=DIR/link"],
    [(folder) => symlinkSync("adr", `${folder}/link`), "new C --supersedes 1 --mount adr=DIR/link"],
    [(folder) => symlinkSync("adr", `${folder}/link`), "status 1 rejected --mount adr=DIR/link"],
    ...["OUT/keep.md", "0003-c.md", "gone.md", "0001-a.md"].flatMap((target): Place[] => [
      [record(target), `supersede 3 2 --force ${ADR}`, none],
      [record(target), `supersede 1 3 --force ${ADR}`, none],
      [record(target), `new D --supersedes 3 ${ADR}`, none],
      [record(target), `status 3 rejected ${ADR}`, none],
      [record(target), `new D ${ADR}`],
    ]),
    [
      (folder, outside) => {
        mkdirSync(`${folder}/out`);
        symlinkSync(outside, `${folder}/out/adr`);
      },
      SITE,
      out,
    ],
    [
      (folder, outside) => {
        mkdirSync(`${folder}/out`);
        symlinkSync(`${outside}/keep.md`, `${folder}/out/index.html`);
      },
      SITE,
      /Cannot write ".*index\.html": site did not make it/,
    ],
    [
      (folder, outside) => {
        mkdirSync(`${folder}/copy`);
        symlinkSync(outside, `${folder}/copy/lib`);
      },
      `${VENDOR} --force`,
      out,
    ],
    [
      (folder, outside) => {
        mkdirSync(`${folder}/.claude`);
        symlinkSync(outside, `${folder}/.claude/rules`);
      },
      EXPORT,
      out,
    ],
    [
      (folder, outside) => symlinkSync(`${outside}/keep.md`, `${folder}/CLAUDE.md`),
      EXPORT,
      /it exists, and is not overwritten/,
    ],
    [(folder, outside) => symlinkSync(outside, `${folder}/prompts`), "init DIR", out],
    [(folder) => {
      writeFileSync(`${folder}/AGENTS.md`, "# Ours\n");
      symlinkSync("AGENTS.md", `${folder}/CLAUDE.md`);
    }, EXPORT],
  ]);
});

test("every command that writes looks at names that differ only in case", async (t) => {
  const probe = makeFolder(t, { a: "", A: "" });
  if (readdirSync(probe).length < 2) return t.skip("names that differ only in case are the same here");
  const twin = /Cannot create ".+": ".+" differs from it only in case; choose another name or folder\n$/;
  const file = (name: string) => (folder: string) => writeFiles(folder, { [name]: "x" });
  await assertPlaces(t, [
    [file("claude.md"), EXPORT, twin],
    [file(".Claude/x"), EXPORT, twin],
    [file(".claude/Rules/x"), EXPORT, twin],
    [file("out/Index.html"), SITE, twin],
    [file("out/ADR/x"), SITE, twin],
    [file("copy/MOD.ts"), `${VENDOR} --force`, twin],
    [file("docs/Resources/x"), "init DIR/docs", twin],
    [file("adr/0001-A.md"), `status 1 rejected ${ADR}`, /"1" is not one record .*: write the file name/],
    [file("adr/0001-A.md"), `supersede 1 2 ${ADR}`, /"1" is not one record .*: write the file name/],
    [file("adr/0001-A.md"), `new C --supersedes 1 ${ADR}`, /"1" is not one record .*: write the file name/],
    [file("adr/0001-A.md"), `status 0001-a.md rejected ${ADR}`],
    [file("adr/0001-A.md"), `supersede 0001-a.md 2 ${ADR}`],
  ]);
});

test(
  "a record that is read-only is named, and none of the others is changed",
  { skip: ON_WINDOWS },
  async (t) => {
    const locked = (name: string) => (folder: string) => chmodSync(`${folder}/adr/${name}`, 0o444);
    const successor = (name: string) => (folder: string) => {
      writeFiles(folder, { "adr/0003-c.md": "---\nstatus: proposed\nsupersedes: [1, 2]\n---\n# C\n" });
      locked(name)(folder);
    };
    const denied = /Cannot write ".*000[12]-[ab]\.md": its permissions do not allow it; [^\n]+\n$/;
    await assertPlaces(t, [
      [locked("0001-a.md"), `status 1 rejected ${ADR}`, denied],
      [locked("0001-a.md"), `supersede 1 2 ${ADR}`, denied],
      [locked("0002-b.md"), `supersede 1 2 ${ADR}`, denied],
      [successor("0001-a.md"), `status 3 accepted ${ADR}`, denied],
      [successor("0002-b.md"), `status 3 accepted ${ADR}`, denied],
      [locked("0001-a.md"), `new C ${ADR}`],
    ]);
  },
);
