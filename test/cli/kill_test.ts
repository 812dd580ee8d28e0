/** Every command that writes is killed at every point where it changes the file system, and another one follows. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import type { TestContext } from "node:test";
import { assertFails, cli } from "../harness/command.ts";
import { hold, ownerName } from "../../lib/platform/owner.ts";
import { filesIn, makeFolder } from "../harness/folder.ts";
import { countCalls } from "../harness/kill_at.ts";
import { Program, REPOSITORY } from "../harness/program.ts";
import { allow, IS_COMPLETE, ON_DENO } from "../harness/runtime.ts";

/** The number of a process that has ended. */
const ENDED = spawnSync(process.execPath, ["--version"]).pid;
/** How many points are left out between two that are tried. */
const STRIDE = IS_COMPLETE ? 1 : 7;

const ACCEPTED = "# X\n\n## Status\n\nAccepted\n\n## Context\n";
const RECORDS = { "0001-a.md": ACCEPTED, "0002-b.md": ACCEPTED, "0003-c.md": ACCEPTED };
const SITE = "site DIR/out --title Decisions --mount adr=DIR/adr",
  EXPORT = "export claude --into DIR --mount adr=DIR/adr";
const APPLIES = (title: string) =>
  `---\nstatus: accepted\napplies-to: "lib/**"\n---\n# ${title}\n\n## Decision\n\nX\n`;
const TWO = { "adr/0001-a.md": APPLIES("A"), "adr/0002-b.md": APPLIES("B") };

interface Case {
  readonly files: Record<string, string>;
  readonly line: string;
  /** The command that follows. @default {the same one} */
  readonly next?: string;
  /** A command that comes first, with one record less. */
  readonly first?: string;
  /** Every how many calls it is killed. @default {STRIDE} */
  readonly stride?: number;
}
const CASES: readonly Case[] = [
  { files: RECORDS, line: "new Use queues --mount adr=DIR", next: "status 1 accepted --mount adr=DIR" },
  {
    files: { ...RECORDS, "0004-d.md": "---\nstatus: proposed\nsupersedes: [1, 2]\n---\n# D\n" },
    line: "status 4 accepted --mount adr=DIR",
    next: "status 3 accepted --mount adr=DIR",
  },
  { files: RECORDS, line: "supersede 1 2 --mount adr=DIR", next: "status 3 accepted --mount adr=DIR" },
  { files: RECORDS, line: "supersede 1 2 --mount adr=DIR" },
  { files: RECORDS, line: "status 2 rejected --mount adr=DIR" },
  { files: {}, line: "init DIR/docs/architecture" },
  { files: { ...TWO, "CLAUDE.md": "# Mine\n" }, line: EXPORT },
  // A rule and a page are created, others changed and deleted.
  { files: { ...TWO, "adr/0003-c.md": APPLIES("C") }, line: EXPORT, first: EXPORT },
  { files: TWO, line: SITE, stride: 3 * STRIDE },
  { files: { ...TWO, "adr/0003-c.md": APPLIES("C") }, line: SITE, first: SITE, stride: 3 * STRIDE },
  { files: {}, line: "vendor DIR/copy --only serve", stride: 37 * STRIDE },
];

/** Runs a command that is killed at a call. Returns how many calls it made before. */
async function killedHere(line: string, folder: string, at: number, isHalf: boolean): Promise<number> {
  const { pid } = process;
  Object.defineProperty(process, "pid", { value: ENDED, configurable: true });
  const { count, restore } = countCalls(at, isHalf, () => {});
  try {
    await cli(`${line} --write`, folder);
  } finally {
    restore();
    Object.defineProperty(process, "pid", { value: pid, configurable: true });
  }
  return count();
}

/** Files that are in none of some states of a folder. Those of locks do not count. */
const others = (folder: string, ...states: readonly Record<string, string>[]) =>
  Object.entries(relative(filesIn(folder), folder)).filter(([name, text]) =>
    !/(?:^|\/)\.architrave-/.test(name) && !states.some((state) => state[name] === text)
  ).map(([name]) => name);

test("a command that is killed leaves whole files, and the next one takes back the rest", {
  skip: ON_DENO && "the modules of Deno keep the functions that they began with",
  timeout: 240_000,
}, async (t) => {
  for (const { files: given, line, next = line, first, stride = STRIDE } of CASES) {
    const files = first === undefined ? given : await beforeLast(t, given, first);
    const finished = makeFolder(t, files);
    const total = await killedHere(line, finished, Infinity, false);
    const after = relative(filesIn(finished), finished);
    assert.ok(total > 5 && !sameFiles(files, after), line);
    assert.ok(!Object.keys(after).some((name) => name.includes(".architrave-")), line);
    for (let at = 1; at <= total; at += stride) {
      for (const isHalf of [false, true]) {
        const folder = makeFolder(t, files), what = `${line}, killed at call ${at} of ${total}`;
        await killedHere(line, folder, at, isHalf);
        assert.deepEqual(others(folder, files, after), [], what);
        const { errors } = await cli(`${next} --write`, folder);
        assert.match(
          errors,
          /^(?:architrave: A command was interrupted .*\n)?(?:architrave: (?:Cannot create|".* supersedes) .*\n)?$/,
          what,
        );
        const left = relative(filesIn(folder), folder);
        if (next === line) assert.deepEqual(left, after, what);
        else assert.ok(sameFiles(left, files) || sameFiles(left, after), what);
        assert.deepEqual(
          readdirSync(folder, { recursive: true }).filter((name) => `${name}`.includes(".architrave-")),
          [],
        );
      }
    }
  }
});

/** The files when a command was run without the first record but with one that is deleted later. */
async function beforeLast(t: TestContext, files: Record<string, string>, line: string) {
  const [name = "", ...rest] = Object.keys(files);
  const folder = makeFolder(t, {
    ...Object.fromEntries(rest.map((name) => [name, files[name]!])),
    "adr/0009-z.md": APPLIES("Z"),
  });
  assert.equal((await cli(`${line} --write`, folder)).code, 0);
  const { "adr/0009-z.md": _, ...made } = relative(filesIn(folder), folder);
  return { ...made, [name]: files[name]! };
}

/** Texts in which the folder is named "DIR". */
function relative(files: Record<string, string>, folder: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(files).map(([name, text]) => [name, text.replaceAll(folder, "DIR")]),
  );
}
const sameFiles = (one: Record<string, string>, other: Record<string, string>) =>
  JSON.stringify(Object.entries(one).sort()) === JSON.stringify(Object.entries(other).sort());

test("real processes are killed, by the signal that none can handle", {
  skip: ON_DENO && "Deno has no preload",
}, async (t) => {
  const line = ["supersede", "1", "2", "--write", "--mount"];
  for (let at = 1;; at += IS_COMPLETE ? 1 : 9) {
    const folder = makeFolder(t, RECORDS);
    const runtimeFlags = [
      ...allow(),
      "--import",
      pathToFileURL(`${REPOSITORY}/test/harness/kill_at.ts`).href,
    ];
    const program = new Program([...line, `adr=${folder}`], { runtimeFlags, env: { KILL_AT: `${at}` } });
    const code = await program.close();
    if (code === 0) return assert.ok(at > 12);
    assert.equal(program.child.signalCode, "SIGKILL", program.errors);
    assert.deepEqual((await cli("status 3 accepted --mount adr=DIR --write", folder)).code, 0);
    const [one, two] = Object.values(filesIn(folder)).map((text) => text !== ACCEPTED);
    assert.deepEqual([readdirSync(folder).sort(), one], [Object.keys(RECORDS), two], `call ${at}`);
  }
});

test("when a file was edited after a command was killed, the rest is finished, and nothing is overwritten", {
  skip: ON_DENO && "the modules of Deno keep the functions that they began with",
}, async (t) => {
  const line = "supersede 1 2 --mount adr=DIR", next = "status 3 accepted --mount adr=DIR --write";
  let seen = "";
  for (let at = 1; at < 30; at++) {
    const folder = makeFolder(t, RECORDS);
    await killedHere(line, folder, at, false);
    const [one, two] = ["0001-a.md", "0002-b.md"].map((name) => filesIn(folder)[name] !== ACCEPTED);
    if (one === two) continue;
    // First the one that was changed, then the one that was not.
    for (const edited of ["0002-b.md", "0001-a.md"]) {
      writeFileSync(`${folder}/${edited}`, "# Edited\n");
      const { errors } = await cli(next, folder);
      seen += errors.replaceAll(folder, "DIR");
      assert.equal(filesIn(folder)[edited], "# Edited\n");
      writeFileSync(`${folder}/0001-a.md`, ACCEPTED);
      writeFileSync(`${folder}/0002-b.md`, ACCEPTED);
      await killedHere(line, folder, at, false);
    }
  }
  assert.match(
    seen,
    /interrupted in "DIR" and a file was edited since; its changes were finished in "DIR\/0002-b.md", "DIR\/0001-a.md"\.\n/,
  );
  assert.match(seen, /interrupted in "DIR"; its changes were taken back in "DIR\/0002-b\.md"\.\n/);
});

test("a lock is waited for while its process runs, and taken over when that is unknown and it is old", async (t) => {
  const folder = makeFolder(t, RECORDS), lock = `${folder}/.architrave-lock`;
  const line = "status 1 rejected --mount adr=DIR --write";
  const running =
    /^architrave: Cannot write in ".*": another command is writing there(?: \(process \d+\); try again when it has ended|; if none is, one was interrupted: delete ".*\.architrave-lock")\n$/;
  // The name of a lock whose process is that of the test.
  const name = ownerName();
  mkdirSync(lock);
  writeFileSync(`${lock}/${name}`, "");
  const release = hold(`${lock}/${name}`);
  const own = await cli(line, folder);
  assert.match(own.errors, running);
  assert.equal(own.code, 1);
  release();
  // Deno sees that the file is open no longer; for Node, the process would have to end.
  if (ON_DENO) assert.equal((await cli("status 1 accepted --mount adr=DIR --write", folder)).code, 0);
  // A name of another runtime, or of a machine that is not known.
  rmSync(lock, { recursive: true, force: true });
  mkdirSync(lock);
  writeFileSync(`${lock}/owner.none.1...x`, "");
  assert.match((await cli(line, folder)).errors, running);
  const old = new Date(Date.now() - 11 * 60_000);
  utimesSync(lock, old, old);
  assert.deepEqual(await cli(line, folder), { code: 0, output: `changed ${folder}/0001-a.md\n`, errors: "" });
  // The empty file that versions before 0.2 made.
  writeFileSync(lock, "");
  utimesSync(lock, old, old);
  assert.equal((await cli("status 1 accepted --mount adr=DIR --write", folder)).code, 0);
  assert.deepEqual(readdirSync(folder).sort(), Object.keys(RECORDS));
  writeFileSync(lock, "");
  rmSync(lock);
  symlinkSync(makeFolder(t), lock);
  await assertFails([[line, 1, /\.architrave-lock" is a link; delete it/]], folder);
});
