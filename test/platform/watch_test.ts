/** `watch()` of the platform. */

import assert from "node:assert/strict";
import { readdirSync, renameSync, rmSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { Watch } from "../../deps.ts";
import { makeFolder, writeFiles } from "../harness/folder.ts";
import { loadPlatform } from "../../deps.ts";

const { files } = await loadPlatform();
const NOT_LINUX = process.platform === "linux" ? false : "open files are counted on Linux";

/** Watches folders, and counts the reports. */
async function watch(...folders: string[]): Promise<Watch & { count: number; next(): Promise<void> }> {
  let wake: (() => void) | undefined;
  const seen = { count: 0, next: () => new Promise<void>((resolve) => wake = resolve) };
  const watching = await files.watch!(folders, () => {
    seen.count++;
    wake?.();
  }, (cause) => assert.fail(`watching failed: ${cause}`));
  return Object.assign(seen, watching);
}

test("watch() reports changes in its folders, and nothing after it was closed", async (t) => {
  const folder = makeFolder(t, { "one/a.md": "", "two/b.md": "" });
  const closed = await watch(`${folder}/one`);
  const other = await watch(`${folder}/one`, `${folder}/two`);
  const changes: (() => void)[] = [
    () => writeFiles(folder, { "one/a.md": "modified" }),
    () => writeFiles(folder, { "two/c.md": "created" }),
    () => renameSync(`${folder}/two/c.md`, `${folder}/one/d.md`),
    () => rmSync(`${folder}/one/d.md`),
    () => rmSync(`${folder}/two`, { recursive: true }),
  ];
  closed.close();
  for (const change of changes) {
    const reported = other.next();
    change();
    await reported;
  }
  assert.equal(closed.count, 0);
  other.close();
});

test("watch() does not report reads: a rescan must not cause the next one", async (t) => {
  const folder = makeFolder(t, { "one/a.md": "text", "two/b.md": "" });
  const quiet = await watch(`${folder}/one`);
  const other = await watch(`${folder}/two`);
  for (let count = 0; count < 20; count++) {
    files.list(`${folder}/one`);
    files.status(`${folder}/one/a.md`);
    files.realPath(`${folder}/one/a.md`);
    const file = files.open(`${folder}/one/a.md`);
    assert.equal(file.read(10).length, 4);
    file.close();
    // Reports come in order: once a later change is reported, an earlier one would have been.
    const reported = other.next();
    writeFiles(folder, { "two/b.md": String(count) });
    await reported;
  }
  assert.equal(quiet.count, 0);
  quiet.close();
  other.close();
});

test("watch() skips folders that do not exist, and watches the others", async (t) => {
  const folder = makeFolder(t, { "one/a.md": "" });
  const one = await watch(`${folder}/gone`, `${folder}/one`);
  const reported = one.next();
  writeFiles(folder, { "one/a.md": "modified" });
  await reported;
  one.close();
});

test("watch() works for a folder that was deleted and created again", async (t) => {
  const folder = makeFolder(t, { "one/a.md": "" });
  for (let count = 0; count < 3; count++) {
    rmSync(`${folder}/one`, { recursive: true });
    writeFiles(folder, { "one/a.md": "" });
    const one = await watch(`${folder}/one`);
    const reported = one.next();
    writeFiles(folder, { "one/a.md": "modified" });
    await reported;
    one.close();
  }
});

test("watch() leaves no files open", { skip: NOT_LINUX }, async (t) => {
  const folder = makeFolder(t, { "one/a.md": "", "two/b.md": "" });
  const folders = [`${folder}/one`, `${folder}/two`];
  const before = openFiles();
  let last = await watch(...folders);
  for (let count = 0; count < 100; count++) {
    const next = await watch(...folders);
    last.close();
    last = next;
  }
  // The system may close them a moment later.
  for (let tries = 0; openFiles() > before + 3 && tries < 100; tries++) await pause(50);
  const after = openFiles();
  last.close();
  assert.ok(after <= before + 3, `${after} open files, and ${before} before`);
});

function openFiles(): number {
  return readdirSync("/proc/self/fd").length;
}
