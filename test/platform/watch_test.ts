/** `watch()` of the platform. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import { makeFolder, writeFiles } from "../harness/folder.ts";
import { until } from "../harness/process.ts";
import { loadPlatform } from "../../deps.ts";

const { files } = await loadPlatform();
const NOT_LINUX = process.platform === "linux" ? false : "open files are counted on Linux";

/** Watches folders, and counts the reports; `sees` makes a change and waits for its report. */
async function watch(...folders: string[]) {
  const seen = {
    count: 0,
    sees: async (change: () => void): Promise<void> => {
      const { count } = seen;
      change();
      await until("the change is reported", () => seen.count > count);
    },
  };
  const watching = await files.watch!(
    folders,
    () => void seen.count++,
    (cause) => assert.fail(`watching failed: ${cause}`),
  );
  return Object.assign(seen, watching);
}

test("watch() reports changes in its folders, and nothing after it was closed", async (t) => {
  const folder = makeFolder(t, { "one/a.md": "", "two/b.md": "" });
  const closed = await watch(`${folder}/one`);
  const other = await watch(`${folder}/one`, `${folder}/two`);
  closed.close();
  await other.sees(() => writeFiles(folder, { "one/a.md": "modified" }));
  await other.sees(() => writeFiles(folder, { "two/c.md": "created" }));
  await other.sees(() => renameSync(`${folder}/two/c.md`, `${folder}/one/d.md`));
  await other.sees(() => rmSync(`${folder}/one/d.md`));
  await other.sees(() => rmSync(`${folder}/two`, { recursive: true }));
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
    await other.sees(() => writeFiles(folder, { "two/b.md": String(count) }));
  }
  assert.equal(quiet.count, 0);
  quiet.close();
  other.close();
});

test("watch() skips folders that do not exist, and watches one that was deleted and created again", async (t) => {
  const folder = makeFolder(t, { "one/a.md": "" });
  for (let count = 0; count < 3; count++) {
    rmSync(`${folder}/one`, { recursive: true });
    writeFiles(folder, { "one/a.md": "" });
    const one = await watch(`${folder}/gone`, `${folder}/one`);
    await one.sees(() => writeFiles(folder, { "one/a.md": "modified" }));
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
  await until(`there are as few as before: ${before}`, () => watchedFolders() <= before + 3);
  last.close();
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
