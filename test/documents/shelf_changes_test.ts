import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import type { Document } from "../../lib/documents/catalogue.ts";
import type { Difference } from "../../lib/documents/difference.ts";
import type { Clock } from "./clock.ts";
import { Shelf, TRUST_KEPT_MS } from "../../lib/documents/shelf.ts";
import { ChangingFiles } from "./changing_files.ts";
import { stopClock } from "./clock.ts";

const A = "/root/resources/docs/a.md";
const B = "/root/resources/docs/b.md";

/** A shelf of two documents, ready, with what it reports. */
interface Scene {
  readonly clock: Clock;
  readonly files: ChangingFiles;
  readonly shelf: Shelf;
  readonly changes: Difference[];
  readonly findings: string[];
  /** A document as the catalogue has it now. */
  at(key: string): Document;
  /** What a reader gets who does not wait. */
  read(key: string): string | undefined;
  /** What a reader gets who waits until it is settled. */
  wait(key: string): Promise<string | undefined>;
}

async function start(test: TestContext): Promise<Scene> {
  const clock = stopClock(test);
  const files = new ChangingFiles({ [A]: "# A\n", [B]: "# B\n" });
  const changes: Difference[] = [];
  const findings: string[] = [];
  const shelf = new Shelf(files.system, { root: "/root" }, {
    onchange: (difference) => void changes.push(difference),
    onfinding: ({ file, rule }) => void findings.push(`${file} ${rule}`),
  });
  await shelf.ready();
  const at = (key: string) => shelf.catalogue.get(key)!;
  return {
    clock,
    files,
    shelf,
    changes,
    findings,
    at,
    read: (key) => shelf.text(at(key)),
    wait: async (key) => {
      const document = at(key);
      await shelf.settled(document);
      return shelf.text(document);
    },
  };
}

/** Empties the file, writes half of it after 200 ms and all of it 20 ms later, so that it is at rest after 270 ms. */
function rewrite({ files }: Scene, text: string): void {
  files.write(A, "");
  setTimeout(() => files.write(A, text.slice(0, 5)), 200);
  setTimeout(() => files.write(A, text), 220);
}

test("settled() is undefined for what can be read at once", async (t) => {
  const { shelf, at, read } = await start(t);
  assert.equal(shelf.settled(at("docs/a")), undefined, "never read");
  assert.equal(read("docs/a"), "# A\n");
  assert.equal(shelf.settled(at("docs/a")), undefined, "kept");
});

test("a text that was read is given out for a second without a look at its file", async (t) => {
  const { clock, files, shelf, at } = await start(t);
  shelf.json(at("docs/a"));
  const { status } = files.system;
  const looks: number[] = [];
  files.system.status = (path) => {
    looks.push(clock.now);
    return status(path);
  };
  for (let time = 0; time < 3 * TRUST_KEPT_MS; time += 10, await clock.pass(10)) shelf.json(at("docs/a"));
  assert.deepEqual(looks, [TRUST_KEPT_MS, 2 * TRUST_KEPT_MS]);
});

test("a text that was read is given out as it was for as long as its file is being written", async (t) => {
  const scene = await start(t);
  const { clock, shelf, read, at } = scene;
  assert.equal(read("docs/a"), "# A\n");
  await clock.pass(TRUST_KEPT_MS);
  rewrite(scene, "# New text\n");
  for (let time = 0; time < 300; time++, await clock.pass(1)) {
    assert.equal(shelf.settled(at("docs/a")), undefined);
    assert.equal(read("docs/a"), time < 270 ? "# A\n" : "# New text\n", `${time} ms`);
  }
});

test("whoever wants to read what was never read waits until its file is whole, and all who wait are served at one time", async (t) => {
  const scene = await start(t);
  const { clock, wait } = scene;
  rewrite(scene, "# New text\n");
  scene.files.opened.length = 0;
  const answers: [number, string | undefined][] = [];
  const readers = [1, 2, 3, 4, 5].map(async () => {
    const text = await wait("docs/a");
    answers.push([clock.now, text]);
  });
  await clock.until(Promise.all(readers));
  assert.deepEqual(answers.map(([, text]) => text), Array(5).fill("# New text\n"));
  for (const [time] of answers) assert.ok(time >= 270 && time <= 270 + 20, `${time} ms`);
  assert.deepEqual(scene.files.opened, [A], "it was opened once, when it was whole");
});

test("nobody waits longer than a second for a file that never comes to rest, however many do", async (t) => {
  const { clock, files, shelf, wait } = await start(t);
  let text = "# A\nMore.\n";
  files.write(A, text);
  let isOver = false;
  const readers = [1, 2, 3, 4, 5].map(async () => {
    const read = await wait("docs/a");
    assert.ok(read?.startsWith("# A\nMore.\n") && read.endsWith("More.\n"));
    assert.ok(clock.now <= 1020, `${clock.now} ms`);
  });
  const reading = Promise.all(readers).finally(() => isOver = true);
  while (!isOver && clock.now < 5000) {
    files.write(A, text += "More.\n");
    await clock.pass(10);
    // Somebody else looks all the time, and takes nothing from them.
    await shelf.look();
  }
  await reading;
});

test("a file that was emptied for good is empty after two seconds, for readers and in the catalogue", async (t) => {
  const { clock, files, shelf, read, wait, at } = await start(t);
  assert.equal(read("docs/a"), "# A\n");
  await clock.pass(TRUST_KEPT_MS);
  files.write(A, "");
  files.write(B, "");
  let unread: string | undefined;
  void wait("docs/b").then((text) => unread = text);
  const emptied = clock.now;
  for (; clock.now < emptied + 2000; await clock.pass(20)) {
    await shelf.look();
    assert.equal(at("docs/a").title, "A");
    assert.equal(read("docs/a"), "# A\n");
    assert.equal(unread, undefined);
  }
  await clock.pass(20);
  assert.equal(read("docs/a"), "");
  assert.equal(unread, "");
  await shelf.look();
  assert.deepEqual([at("docs/a").title, at("docs/b").title], ["a", "b"]);
});

test("look() passes over what is being written, and does not say that it is gone", async (t) => {
  const scene = await start(t);
  const { clock, files, shelf, changes, at } = scene;
  const before = shelf.catalogue;
  files.write(A, "# N");
  files.write("/root/resources/docs/new.md", "# N");
  assert.equal(await shelf.look(), before);
  assert.equal(shelf.lastLook.isSettled, false);
  await clock.pass(50);
  await shelf.look();
  assert.equal(shelf.lastLook.isSettled, true);
  assert.deepEqual([at("docs/a").title, at("docs/new").title], ["N", "N"]);
  assert.deepEqual(changes.map(({ keys }) => [...keys].sort()), [["docs/a", "docs/new"]]);
});

test("look() keeps a document whose file is gone for a moment, and says nothing of it", async (t) => {
  const { clock, files, shelf, changes, findings, at, wait } = await start(t);
  files.remove(A);
  await shelf.look();
  assert.equal(shelf.lastLook.isSettled, false);
  const reading = wait("docs/a");
  await clock.pass(30);
  files.write(A, "# New\n");
  assert.equal(await clock.until(reading), "# New\n");
  await clock.pass(50);
  await shelf.look();
  assert.equal(at("docs/a").title, "New");
  assert.deepEqual([changes.length, findings], [1, []]);
  files.remove(A);
  await clock.pass(50);
  await shelf.look();
  assert.equal(shelf.catalogue.get("docs/a"), undefined, "gone for good");
  assert.deepEqual([changes.length, findings], [2, []]);
});

test("look() keeps a document whose file goes or comes back in the middle of the look, and says nothing of it", async (t) => {
  const { files, shelf, changes, findings } = await start(t);
  const before = shelf.catalogue;
  const { list } = files.system;
  files.system.list = (path) => {
    const entries = list(path);
    if (path.endsWith("/docs")) files.remove(A);
    return entries;
  };
  assert.equal(await shelf.look(), before, "it was listed and then gone");
  files.system.list = (path) => list(path).filter(({ name }) => name !== "a.md");
  files.write(A, "# A\n");
  assert.equal(await shelf.look(), before, "it was not listed and then back");
  assert.deepEqual([changes, findings, shelf.lastLook.isSettled], [[], [], false]);
});

test("look() does not take over what was emptied between the look at it and the reading", async (t) => {
  const { clock, files, shelf, at, wait } = await start(t);
  files.write(A, "# New\n");
  await clock.pass(60);
  files.onopen = (path) => path === A && files.write(A, "");
  await shelf.look();
  files.onopen = undefined;
  assert.deepEqual([at("docs/a").title, shelf.lastLook.isSettled], ["A", false]);
  const reading = wait("docs/a");
  files.write(A, "# Newer\n");
  assert.equal(await clock.until(reading), "# Newer\n");
});

test("a reader does not get what was emptied between the look at it and the reading", async (t) => {
  const { clock, files, read, wait } = await start(t);
  assert.equal(read("docs/b"), "# B\n");
  await clock.pass(TRUST_KEPT_MS);
  for (const path of [A, B]) files.write(path, "# New\n");
  await clock.pass(60);
  let emptied = 0;
  files.onopen = (path) => {
    if (emptied++ < 2) files.write(path, "");
  };
  assert.equal(read("docs/b"), "# B\n", "what was read before stands");
  const reading = wait("docs/a");
  await clock.pass(100);
  files.write(A, "# Newer\n");
  assert.equal(await clock.until(reading), "# Newer\n");
});

test("look() gives up a text that is not the newest, also when its file has become older", async (t) => {
  const { clock, files, shelf, read } = await start(t);
  assert.equal(read("docs/a"), "# A\n");
  files.replace(A, "# Restored\n", Date.now() - 3_600_000);
  await clock.pass(60);
  await shelf.look();
  assert.equal(read("docs/a"), "# Restored\n");
});

test("look() renews a text that was read, so that it is at hand when its file is written again", async (t) => {
  const { clock, files, shelf, read, at } = await start(t);
  assert.equal(read("docs/a"), "# A\n");
  for (const path of [A, B]) files.write(path, "# New\n", Date.now() - 100);
  await shelf.look();
  files.opened.length = 0;
  assert.equal(read("docs/a"), "# New\n");
  assert.deepEqual(files.opened, []);
  for (const path of [A, B]) files.write(path, "");
  await clock.pass(TRUST_KEPT_MS);
  assert.equal(shelf.settled(at("docs/a")), undefined);
  assert.equal(read("docs/a"), "# New\n");
  assert.notEqual(shelf.settled(at("docs/b")), undefined, "nobody has asked for this one");
});

test("look() keeps a text that is newer than what it passed over", async (t) => {
  const { clock, files, shelf, read } = await start(t);
  files.write(A, "# 1\n");
  await clock.pass(60);
  assert.equal(read("docs/a"), "# 1\n", "read before any look");
  files.write(A, "");
  files.write(B, "# New\n", Date.now() - 100);
  assert.equal((await shelf.look()).get("docs/b")?.title, "New");
  assert.equal(read("docs/a"), "# 1\n");
});

test("look() leaves the same catalogue in place when nothing happened, and tells nobody", async (t) => {
  const { shelf, files, changes } = await start(t);
  const before = shelf.catalogue;
  assert.equal(await shelf.look(), before);
  files.write(A, "# A\n", Date.now() - 1000);
  assert.notEqual(await shelf.look(), before, "its time is listed");
  assert.equal(changes.length, 0, "but nobody has to know");
});

test("onchange is told when the new catalogue is in place", async (t) => {
  stopClock(t);
  const files = new ChangingFiles({ [A]: "# A\n" });
  const titles: (string | undefined)[] = [];
  const onchange = () => void titles.push(shelf.catalogue.get("docs/a")?.title);
  const shelf: Shelf = new Shelf(files.system, { root: "/root" }, { onchange });
  await shelf.ready();
  files.write(A, "# New\n", Date.now() - 100);
  await shelf.look();
  assert.deepEqual(titles, ["New"]);
});

test("look() shares the look that is under way no further than to begin one more", async (t) => {
  const { shelf, files } = await start(t);
  const first = shelf.look();
  files.write(A, "# New\n", Date.now() - 100);
  const second = shelf.look();
  const third = shelf.look();
  assert.equal(second, third);
  assert.notEqual(first, second);
  assert.equal((await third).get("docs/a")?.title, "New");
});

test("reload() waits until everything that is being written has come to rest", async (t) => {
  const scene = await start(t);
  const { clock, shelf } = scene;
  rewrite(scene, "# New text\n");
  const catalogue = await clock.until(shelf.reload());
  assert.equal(catalogue.get("docs/a")?.title, "New text");
  assert.ok(clock.now >= 270 && clock.now <= 270 + 20, `${clock.now} ms`);
});

test("a document that is no text any more keeps its text where that was read, and is reported once", async (t) => {
  const { clock, files, shelf, findings, read, wait } = await start(t);
  assert.equal(read("docs/a"), "# A\n");
  for (const path of [A, B]) files.write(path, Uint8Array.of(0x23, 0), Date.now() - 100);
  for (let time = 0; time < 5; time++) {
    await shelf.look();
    assert.equal(read("docs/a"), "# A\n");
    assert.equal(await wait("docs/a"), "# A\n");
    await clock.pass(700);
  }
  assert.equal(shelf.catalogue.get("docs/b"), undefined, "there is nothing to serve of it");
  assert.deepEqual(findings.sort(), ["docs/a.md not-text", "docs/b.md not-text"]);
  // While it is mended it is passed over, and its finding is not over before it is whole.
  files.write(A, Uint8Array.of(0x23, 0, 0));
  await shelf.look();
  await clock.pass(60);
  await shelf.look();
  assert.equal(findings.length, 2);
  files.write(A, "# Mended\n", Date.now() - 100);
  await shelf.look();
  assert.equal(read("docs/a"), "# Mended\n");
});
