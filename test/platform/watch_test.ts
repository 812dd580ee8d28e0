/** `watch()` of the platform. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
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
  // A watched folder keeps no process open; the timer does.
  const next = () =>
    new Promise<void>((resolve, reject) => {
      const timer = setTimeout(reject, 30_000, new Error("Nothing was reported"));
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const seen = { count: 0, next };
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

test("watch() leaves nothing watched", { skip: NOT_LINUX }, async (t) => {
  // Of one folder, the system has one watch however often it is asked for.
  const names = Array.from({ length: 100 }, (_, count) => `${count}/a.md`);
  const folder = makeFolder(t, Object.fromEntries(names.map((name) => [name, ""])));
  const before = watchedFolders();
  let last = await watch(folder);
  for (const name of names) {
    const next = await watch(`${folder}/${name.split("/")[0]}`);
    last.close();
    last = next;
  }
  // The system may close them a moment later.
  for (let tries = 0; watchedFolders() > before + 3 && tries < 100; tries++) await pause(50);
  const after = watchedFolders();
  last.close();
  assert.ok(after <= before + 3, `${after} watched folders, and ${before} before`);
});

/** How many folders the system watches for this process; other tests in it may open files meanwhile. */
function watchedFolders(): number {
  const texts = readdirSync("/proc/self/fdinfo").map((name) => {
    try {
      return readFileSync(`/proc/self/fdinfo/${name}`, "utf8");
    } catch {
      // It was closed meanwhile.
      return "";
    }
  });
  return texts.join("").match(/^inotify /gm)?.length ?? 0;
}
