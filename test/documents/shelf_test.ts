import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { FileSystem } from "../../deps.ts";
import type { Finding } from "../../lib/documents/finding.ts";
import { MAX_KEPT_BYTES, Shelf, TRUST_KEPT_MS } from "../../lib/documents/shelf.ts";
import { writeFiles } from "../harness/folder.ts";
import { brief, files, makeRoot, makeShelf, memoryFiles } from "./shelf.ts";

/** Counts what is opened, by file name. */
function counting(system: FileSystem): { system: FileSystem; opened: string[] } {
  const opened: string[] = [];
  return {
    opened,
    system: {
      ...system,
      open: (path) => {
        opened.push(path.slice(path.lastIndexOf("/") + 1));
        return system.open(path);
      },
    },
  };
}

test("Shelf reads nothing before it is made ready, and then once", async (t) => {
  const { system, opened } = counting(files);
  const shelf = new Shelf(system, { root: makeRoot(t, { "docs/a.md": "# A" }) });
  assert.throws(() => shelf.catalogue, /wait for ready/);
  assert.deepEqual(opened, []);
  const [first, second] = await Promise.all([shelf.ready(), shelf.ready()]);
  assert.equal(first, second);
  assert.equal(shelf.catalogue, first);
  assert.deepEqual(opened, ["a.md"]);
});

test("json() gives the text of a document as JSON in UTF-8, and reads it once", async (t) => {
  const { system, opened } = counting(files);
  const text = '# "Größe" \\ 設計 🏛\r\n\u2028';
  const shelf = new Shelf(system, { root: makeRoot(t, { "docs/a.md": text }) });
  const { documents: [document] } = await shelf.ready();
  const bytes = shelf.json(document!)!;
  assert.equal(new TextDecoder().decode(bytes), JSON.stringify(text));
  assert.equal(shelf.json(document!), bytes);
  assert.deepEqual(opened, ["a.md", "a.md"]);
});

test("text() gives the text of a document less a byte order mark", async (t) => {
  const shelf = await makeShelf(t, { "docs/a.md": "\ufeffa\r\nb" });
  assert.equal(shelf.text(shelf.catalogue.documents[0]!), "a\r\nb");
});

test("json() gives no stale text for longer than it may", async (t) => {
  const root = makeRoot(t, { "docs/a.md": "old" });
  const shelf = new Shelf(files, { root });
  const { documents: [document] } = await shelf.ready();
  const read = () => new TextDecoder().decode(shelf.json(document!));
  assert.equal(read(), '"old"');
  writeFiles(root, { "resources/docs/a.md": "newer" });
  await pause(TRUST_KEPT_MS + 100);
  assert.equal(read(), '"newer"');
});

test("json() and text() give nothing for a file that is gone, and no error", async (t) => {
  const root = makeRoot(t, { "docs/a.md": "old" });
  const shelf = new Shelf(files, { root });
  const { documents: [document] } = await shelf.ready();
  rmSync(`${root}/resources/docs/a.md`);
  assert.equal(shelf.json(document!), undefined);
  assert.equal(shelf.text(document!), undefined);
});

test("json() gives up what was not asked for longest when it keeps too much", async () => {
  const size = MAX_KEPT_BYTES / 8;
  const names = Array.from({ length: 10 }, (_, number) => `/shelf/resources/docs/${number}.md`);
  const { system, opened } = counting(
    memoryFiles(new Map(names.map((name) => [name, new Uint8Array(size).fill(0x61)]))),
  );
  const shelf = new Shelf(system, { root: "/shelf" });
  const { documents } = await shelf.ready();
  opened.length = 0;
  for (const document of documents.slice(0, 7)) shelf.json(document);
  shelf.json(documents[0]!);
  for (const document of documents.slice(7, 9)) shelf.json(document);
  assert.equal(opened.length, 9);
  shelf.json(documents[0]!);
  assert.equal(opened.length, 9, "it was asked for again in between");
  shelf.json(documents[1]!);
  assert.equal(opened.length, 10, "it was given up");
});

test("reload() puts a new catalogue in the place of the old one, in one step", async (t) => {
  const root = makeRoot(t, { "docs/a.md": "# A" });
  const shelf = new Shelf(files, { root });
  const old = await shelf.ready();
  writeFiles(root, { "resources/docs/b.md": "# B" });
  const loading = shelf.reload();
  assert.equal(shelf.catalogue, old);
  assert.equal((await loading).documents.length, 2);
  assert.equal(shelf.catalogue, await loading);
  assert.equal(old.documents.length, 1);
});

test("Shelf reports each finding once, also when it looks again", async (t) => {
  const findings: Finding[] = [];
  const root = makeRoot(t, { "docs/a.md": Uint8Array.of(0) });
  const shelf = new Shelf(files, { root }, { onfinding: (finding) => void findings.push(finding) });
  await shelf.ready();
  await shelf.reload();
  assert.deepEqual(brief(findings), ["docs/a.md not-text"]);
  writeFiles(root, { "resources/docs/b.md": Uint8Array.of(0) });
  await shelf.reload();
  assert.deepEqual(brief(findings), ["docs/a.md not-text", "docs/b.md not-text"]);
});
