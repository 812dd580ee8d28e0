/** How a store follows its files while they are written, with files in memory and a clock that stands still. */

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import type { Change } from "../../lib/mcp/server/changes.ts";
import { stopClock } from "../harness/clock.ts";
import { MemoryFiles, openStore } from "./stores.ts";

const A = "/root/resources/docs/a.md";
const B = "/root/resources/docs/b.md";
const RECORD = "/root/resources/adr/7-x.md";
const X = "---\nstatus: proposed\n---\n# X\n\nText.\n\nMore.\n";
/** How long a text that was read is returned without checking its file, in milliseconds. */
const TRUST_MS = 1000;

/** A store of two documents and a record, scanned, with what it tells. */
async function start(test: TestContext) {
  const clock = stopClock(test);
  const files = new MemoryFiles({ [A]: "# A\n", [B]: "# B\n", [RECORD]: X });
  const changes: Change[] = [];
  const findings: string[] = [];
  const store = await openStore(files.system, "/root", {
    onchange: (change) => void changes.push(change),
    onfinding: ({ file, rule }) => void findings.push(`${file} ${rule}`),
  });
  const at = (key: string) => store.catalogue.get(key)!;
  const title = (key: string) => store.catalogue.get(key)?.title ?? "-";
  /** The text for a reader that does not wait, and for one that waits until it can be read. */
  const read = (key: string) => store.text(at(key));
  const wait = async (key: string) => {
    const document = at(key);
    await store.readable(document);
    return store.text(document);
  };
  return { clock, files, store, changes, findings, at, title, read, wait };
}

/** How many files are opened meanwhile. */
function opened(files: MemoryFiles, use: () => void): number {
  files.calls.length = 0;
  use();
  return files.calls.filter((call) => call.startsWith("open")).length;
}

/** Empties a file, writes half of it after 200 ms and all of it 20 ms later, so that it is stable after 270 ms. */
function rewrite(files: MemoryFiles, text: string): void {
  files.write(A, "");
  setTimeout(() => files.write(A, text.slice(0, 5)), 200);
  setTimeout(() => files.write(A, text), 220);
}

test("json() is the text as JSON in UTF-8 without a byte order mark, and is read once", async () => {
  const text = '# "Größe" \\ 設計 🏛\r\n\u2028';
  const files = new MemoryFiles({ [A]: `\ufeff${text}` });
  const store = await openStore(files.system, "/root");
  const document = store.catalogue.documents[0]!;
  const read = () => assert.equal(new TextDecoder().decode(store.json(document)), JSON.stringify(text));
  assert.equal(opened(files, read), 1);
  assert.equal(opened(files, read), 0);
  assert.equal(store.json(document), store.json(document));
  assert.equal(store.text(document), text);
});

test("a document that is gone has no text, and that is no error", async (t) => {
  const { clock, files, store, at, read } = await start(t);
  assert.equal(read("docs/a"), "# A\n");
  for (const path of [A, B]) files.remove(path);
  await clock.pass(TRUST_MS);
  for (const document of [at("docs/a"), at("docs/b")]) {
    assert.equal(store.readable(document), undefined);
    const texts = [store.json(document), store.text(document), store.textOnce(document)];
    assert.deepEqual(texts, Array(3).fill(undefined));
  }
});

test("64 MiB of texts are kept, those that were used last; a pass over all documents keeps none", async () => {
  const text = new Uint8Array(8 * 2 ** 20).fill(0x61);
  const names = Array.from({ length: 10 }, (_, number) => [`/root/resources/docs/${number}.md`, text]);
  const files = new MemoryFiles(Object.fromEntries(names));
  const store = await openStore(files.system, "/root");
  const { documents } = store.catalogue;
  const read = (...indexes: number[]) =>
    opened(files, () => indexes.forEach((index) => store.json(documents[index]!)));
  assert.equal(opened(files, () => [0, 0].forEach((index) => store.textOnce(documents[index]!))), 2);
  assert.equal(read(0, 1, 2, 3, 4, 5, 6), 7);
  assert.equal(read(0, 7, 8), 2);
  assert.equal(read(0), 0, "it was used in between");
  assert.equal(read(1), 1, "it was dropped");
});

test("a text that was read is returned for a second without checking its file", async (t) => {
  const { clock, files, store, at } = await start(t);
  assert.equal(store.readable(at("docs/a")), undefined);
  const checks: number[] = [];
  files.oncall = () => checks.push(clock.now);
  for (let time = 0; time < 3 * TRUST_MS; time += 10, await clock.pass(10)) store.json(at("docs/a"));
  assert.deepEqual(checks, [TRUST_MS, 2 * TRUST_MS]);
});

test("a text that was read stays as it was while its file is being written", async (t) => {
  const { clock, files, store, read, at } = await start(t);
  assert.equal(read("docs/a"), "# A\n");
  await clock.pass(TRUST_MS);
  rewrite(files, "# New text\n");
  for (let time = 0; time < 300; time++, await clock.pass(1)) {
    assert.equal(store.readable(at("docs/a")), undefined);
    assert.equal(read("docs/a"), time < 270 ? "# A\n" : "# New text\n", `${time} ms`);
  }
});

test("readers of a text that was never read wait until its file is complete, and are served at one time", async (t) => {
  const { clock, files, wait } = await start(t);
  rewrite(files, "# New text\n");
  files.calls.length = 0;
  const readers = [1, 2, 3, 4, 5].map(async () => {
    assert.equal(await wait("docs/a"), "# New text\n");
    assert.ok(clock.now >= 270 && clock.now <= 270 + 20, `${clock.now} ms`);
  });
  await clock.until(Promise.all(readers));
  assert.equal(files.calls.filter((call) => call.startsWith("open")).length, 1);
});

test("readers wait at most a second for a file that is always being written, however many they are", async (t) => {
  const { clock, files, store, wait } = await start(t);
  let text = "# A\nMore.\n";
  files.write(A, text);
  let isOver = false;
  const readers = [1, 2, 3, 4, 5].map(async () => {
    assert.match((await wait("docs/a"))!, /^# A\n(?:More.\n)+$/);
    assert.ok(clock.now <= 1020, `${clock.now} ms`);
  });
  const reading = Promise.all(readers).finally(() => isOver = true);
  while (!isOver && clock.now < 5000) {
    files.write(A, text += "More.\n");
    await clock.pass(10);
    // Scans check the file too, and take nothing from the readers.
    await store.rescan();
  }
  await reading;
});

type Text = string | null | undefined;
const at = (texts: Readonly<Record<number, Text>>) => (time: number): Text => texts[time];

/** What is written to a.md at a time in milliseconds, null to remove it; and the titles that it gets, by time; "*": any. */
const WRITTEN: Readonly<Record<string, readonly [(time: number) => Text, Readonly<Record<number, string>>]>> =
  {
    "written once": [at({ 0: "# N\n" }), { 50: "N" }],
    "written in pieces": [at({ 0: "# N", 40: "# Ne", 80: "# New\n" }), { 130: "New" }],
    "emptied and filled again": [at({ 0: "", 900: "# N\n" }), { 950: "N" }],
    "emptied for good": [at({ 0: "" }), { 2000: "a" }],
    "emptied after it was written for a while": [at({ 0: "# N", 40: "# Ne", 80: "" }), { 2080: "a" }],
    "removed and written again": [at({ 0: null, 30: "# N\n" }), { 80: "N" }],
    "removed for good": [at({ 0: null }), { 50: "-" }],
    "emptied and filled without end": [(time) => time % 20 === 0 ? "" : "# N\n", { 1010: "N", 6000: "N" }],
    "written without end": [(time) => `# ${time}\n`, { 1000: "*", 3000: "*" }],
    "empty, and then written without end": [
      (time) => time === 0 ? "" : time > 2000 ? `# ${time}\n` : undefined,
      { 2000: "a", 3010: "*", 4000: "*" },
    ],
  };

for (const [what, [textAt, titles]] of Object.entries(WRITTEN)) {
  test(`a scan keeps a document that is ${what} until it is stable, at most for a second or two`, async (t) => {
    const { clock, files, store, changes, findings, title } = await start(t);
    const before = store.catalogue;
    const times = Object.keys(titles).map(Number);
    for (let time = 0; time <= times.at(-1)! + 60; time += 10, await clock.pass(10)) {
      const text = textAt(time);
      if (text === null) files.remove(A);
      else if (text !== undefined) files.write(A, text);
      // Another file has a time of its own.
      if (time === 2500) files.write(B, "# New\n");
      await store.rescan();
      const expected = titles[times.findLast((from) => from <= time) ?? -1] ?? "A";
      assert.equal(title("docs/a"), expected === "*" ? `${time}` : expected, `${time} ms`);
      assert.equal(title("docs/b"), time < 2550 ? "B" : "New", `${time} ms`);
      if (expected === "A") assert.equal(store.catalogue, before);
    }
    assert.deepEqual(findings, []);
    if (times.length === 1) assert.equal(changes.length, 1);
  });
}

test("a file that was written a while ago, or in the future, is stable", async (t) => {
  const { files, store, title } = await start(t);
  // The clock of a file server may be ahead; our own has whole milliseconds.
  for (const age of [50, 49, 0, -0.9, -1, -3_600_000]) {
    files.write(A, `# ${age}\n`, Date.now() - age);
    await store.rescan();
    assert.equal(title("docs/a") === `${age}`, ![49, 0, -0.9].includes(age), `${age} ms`);
    files.write(A, "# A\n", Date.now() - 60_000);
    await store.rescan();
  }
});

test("a new file is taken when it is stable, and an empty one like any other", async (t) => {
  const { clock, files, store, title, changes } = await start(t);
  files.write("/root/resources/docs/new.md", "");
  await store.rescan();
  assert.equal(title("docs/new"), "-");
  await clock.pass(50);
  await store.rescan();
  assert.deepEqual([title("docs/new"), changes.length], ["new", 1]);
});

test("an emptied file is empty after two seconds for readers as well, whether it was read before or not", async (t) => {
  const { clock, files, store, read, wait } = await start(t);
  assert.equal(read("docs/a"), "# A\n");
  await clock.pass(TRUST_MS);
  for (const path of [A, B]) files.write(path, "");
  let unread: string | undefined;
  void wait("docs/b").then((text) => unread = text);
  for (let time = 0; time < 2000; time += 20, await clock.pass(20)) {
    await store.rescan();
    assert.deepEqual([read("docs/a"), unread], ["# A\n", undefined]);
  }
  await clock.pass(20);
  assert.deepEqual([read("docs/a"), unread], ["", ""]);
});

test("a document whose file goes or comes back in the middle of a scan is kept", async (t) => {
  const { files, store, changes, findings } = await start(t);
  const before = store.catalogue;
  const { list } = files.system;
  files.system.list = (path) => {
    const entries = list(path);
    if (path.endsWith("/docs")) files.remove(A);
    return entries;
  };
  await store.rescan();
  assert.equal(store.catalogue, before, "it was listed and then gone");
  files.system.list = (path) => list(path).filter(({ name }) => name !== "a.md");
  files.write(A, "# A\n");
  await store.rescan();
  assert.equal(store.catalogue, before, "it was not listed and then back");
  assert.deepEqual([changes, findings], [[], []]);
});

test("a file that is emptied just before it is read is not taken, by scans and by readers", async (t) => {
  const { clock, files, store, read, wait, title } = await start(t);
  assert.equal(read("docs/b"), "# B\n");
  await clock.pass(TRUST_MS);
  for (const path of [A, B]) files.write(path, "# New\n");
  await clock.pass(60);
  files.oncall = (call) => call.startsWith("open ") && files.write(call.slice("open ".length), "");
  await store.rescan();
  assert.deepEqual([title("docs/a"), title("docs/b"), read("docs/b")], ["A", "B", "# B\n"]);
  const reading = wait("docs/a");
  await clock.pass(100);
  files.oncall = undefined;
  files.write(A, "# Newer\n");
  assert.equal(await clock.until(reading), "# Newer\n");
});

test("a scan renews a text that was read, so that it is the last good version when its file is written again", async (t) => {
  const { clock, files, store, read, at } = await start(t);
  assert.equal(read("docs/a"), "# A\n");
  files.replace(A, "# Restored\n", Date.now() - 3_600_000);
  await store.rescan();
  assert.equal(read("docs/a"), "# Restored\n", "also when the file became older");
  for (const path of [A, B]) files.write(path, "# New\n", Date.now() - 100);
  await store.rescan();
  assert.equal(opened(files, () => assert.equal(read("docs/a"), "# New\n")), 0);
  for (const path of [A, B]) files.write(path, "");
  await clock.pass(TRUST_MS);
  assert.equal(store.readable(at("docs/a")), undefined);
  assert.equal(read("docs/a"), "# New\n");
  assert.notEqual(store.readable(at("docs/b")), undefined, "it was never read");
});

test("a scan keeps a text that is newer than what it passed over", async (t) => {
  const { clock, files, store, read, title } = await start(t);
  files.write(A, "# 1\n");
  await clock.pass(60);
  assert.equal(read("docs/a"), "# 1\n", "read before any scan");
  files.write(A, "");
  files.write(B, "# New\n", Date.now() - 100);
  await store.rescan();
  assert.deepEqual([title("docs/b"), read("docs/a")], ["New", "# 1\n"]);
});

test("a document that is no text any more keeps its text if that was read, and is reported once", async (t) => {
  const { clock, files, store, findings, read, wait, title } = await start(t);
  assert.equal(read("docs/a"), "# A\n");
  for (const path of [A, B]) files.write(path, Uint8Array.of(0x23, 0), Date.now() - 100);
  for (let time = 0; time < 5; time++, await clock.pass(700)) {
    await store.rescan();
    assert.deepEqual([read("docs/a"), await wait("docs/a")], ["# A\n", "# A\n"]);
  }
  assert.equal(title("docs/b"), "-", "there is nothing to serve of it");
  assert.deepEqual(findings.sort(), ["docs/a.md not-text", "docs/b.md not-text"]);
  // While it is being written, its finding is not over.
  files.write(A, Uint8Array.of(0x23, 0, 0));
  for (let time = 0; time < 2; time++, await clock.pass(60)) await store.rescan();
  assert.equal(findings.length, 2);
  files.write(A, "# Fixed\n", Date.now() - 100);
  await store.rescan();
  assert.equal(read("docs/a"), "# Fixed\n");
  files.write(A, Uint8Array.of(0x23, 0), Date.now() - 100);
  await store.rescan();
  assert.equal(findings.length, 3, "it was over, and is met again");
});

test("concurrent scans are shared, and one more follows for what changed meanwhile", async (t) => {
  const { store, files, title } = await start(t);
  const first = store.rescan();
  files.write(A, "# New\n", Date.now() - 100);
  const second = store.rescan();
  assert.equal(store.rescan(), second);
  assert.notEqual(first, second);
  await second;
  assert.equal(title("docs/a"), "New");
});

test("reload() ends when no file is being written", async (t) => {
  const { clock, files, store, title } = await start(t);
  rewrite(files, "# New text\n");
  await clock.until(store.reload());
  assert.equal(title("docs/a"), "New text");
  assert.ok(clock.now >= 270 && clock.now <= 270 + 20, `${clock.now} ms`);
});

/** The URIs of the record. */
const OF_RECORD =
  "architecture://adr/007 architecture://adr/7#more architecture://adr/7-x file:///adr/7-x.md";
/** A change of the files, whether lists show it, and the URIs whose contents it affects. */
const CHANGES: Readonly<
  Record<string, readonly [(files: MemoryFiles) => void, isListed: boolean, uris: string]>
> = {
  "a text that is not listed": [(files) => files.write(RECORD, X.replace("More", "Less")), false, OF_RECORD],
  "a description": [(files) => files.write(A, "# A\n\nNew.\n"), true, "architecture://docs/a"],
  "a record that was renamed": [
    (files) => [files.remove(RECORD), files.write("/root/resources/adr/7-z.md", X)],
    true,
    OF_RECORD,
  ],
  "a category that is new": [(files) => files.write("/root/resources/new/notes.txt", ""), true, ""],
};
const URIS = `${OF_RECORD} architecture://docs/a architecture://docs/c architecture://docs/b x:y`.split(" ");

for (const [what, [change, listChanged, affected]] of Object.entries(CHANGES)) {
  test(`a change is told when the new catalogue is in place: ${what}`, async (t) => {
    const { clock, files, store, changes } = await start(t);
    const before = store.catalogue;
    change(files);
    await clock.pass(60);
    await store.rescan();
    assert.notEqual(store.catalogue, before);
    assert.deepEqual(changes.map((change) => change.listChanged), [listChanged]);
    assert.equal(URIS.filter((uri) => changes[0]!.affects!(uri)).join(" "), affected);
  });
}

test("files that were only touched, or replaced by the same, are no change; their times are listed", async (t) => {
  const { clock, files, store, changes } = await start(t);
  const before = store.catalogue;
  await store.rescan();
  assert.equal(store.catalogue, before);
  files.write(A, "# A\n", 1000);
  files.replace(B, "# B\n");
  await clock.pass(60);
  await store.rescan();
  assert.deepEqual(changes, []);
  const { size, annotations } = store.resources(store.catalogue).find(({ name }) => name === "a")!;
  assert.deepEqual([size, annotations], [4, { lastModified: "1970-01-01T00:00:01.000Z" }]);
});

test("every version of a text is told from the one before", async (t) => {
  const { files, store, changes } = await start(t);
  const texts = ["", "x", "xx", "abcd", "abce", "abcde", "bacd", "abcdefgh", "efghabcd", "abcd "];
  for (const text of texts) {
    files.write(A, `# A\n\nText.\n\n${text}`, Date.now() - 1000 + changes.length);
    await store.rescan();
  }
  // Another file with the size and the time of the one before.
  const { size, modified } = files.system.status(A);
  files.replace(A, "x".repeat(size), modified);
  await store.rescan();
  const told = changes.filter(({ affects }) => affects!("architecture://docs/a"));
  assert.equal(told.length, texts.length + 1);
});
