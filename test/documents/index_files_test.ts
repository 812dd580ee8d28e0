import assert from "node:assert/strict";
import { chmodSync, utimesSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import type { FileSystem } from "../../deps.ts";
import { decodeDocument } from "../../lib/documents/index_files.ts";
import { MAX_DOCUMENTS } from "../../lib/documents/scan.ts";
import { makeFolder, writeFiles } from "../harness/folder.ts";
import { brief, files, index, makeRoot, memoryFiles } from "./shelf.ts";

const AS_ROOT = process.platform === "win32" || process.getuid?.() === 0
  ? "nothing is forbidden here"
  : false;
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

test("decodeDocument() takes UTF-8 text, and a byte order mark off", () => {
  assert.equal(decodeDocument(encode("größe 設計 🏛\r\n")), "größe 設計 🏛\r\n");
  assert.equal(decodeDocument(encode("\ufefftext")), "text");
  assert.equal(decodeDocument(encode("")), "");
  assert.equal(decodeDocument(Uint8Array.of(0xff, 0xfe, 0x41)), undefined);
  assert.equal(decodeDocument(Uint8Array.of(0xe4)), undefined);
  assert.equal(decodeDocument(Uint8Array.of(0x41, 0x00, 0x42)), undefined);
});

test("indexFiles() describes every document, records as records", (t) => {
  const catalogue = index({
    root: makeRoot(t, {
      "adr/007-x.md": "---\nstatus: accepted\n---\n# X\n\nText.\n",
      "guidelines/007-y.md": "# Y\n\nStatus: accepted\n",
    }),
  });
  const [x, y] = catalogue.documents;
  assert.deepEqual([x?.key, x?.category, x?.name, x?.title], ["adr/007-x", "adr", "007-x", "X"]);
  assert.equal(x?.description, "Text.");
  assert.equal(x?.record?.status, "accepted");
  assert.equal(y?.record, undefined);
  assert.deepEqual(catalogue.findings, []);
});

test("indexFiles() reads one record alike in every encoding", (t) => {
  const text = "---\nstatus: accepted\ndate: 2026-07-28\n---\n\n# Größe\n\n## Context\n\nWhy.\n";
  const catalogue = index({
    root: makeRoot(t, {
      "adr/001-plain.md": text,
      "adr/002-mark.md": `\ufeff${text}`,
      "adr/003-windows.md": text.replaceAll("\n", "\r\n"),
      "adr/004-both.md": `\ufeff${text.replaceAll("\n", "\r\n")}`,
      "adr/005-end.md": text.trimEnd(),
      "adr/006-upper.MD": text,
    }),
  });
  assert.equal(catalogue.documents.length, 6);
  for (const { label, title, description, record } of catalogue.documents) {
    const { status, date } = record!;
    assert.deepEqual({ title, description, status, date }, {
      title: "Größe",
      description: "Why.",
      status: "accepted",
      date: "2026-07-28",
    }, label);
  }
});

test("indexFiles() leaves out what is no text, reports odd front matter, and serves the rest", (t) => {
  const catalogue = index({
    root: makeRoot(t, {
      "docs/binary.md": Uint8Array.of(1, 0, 2),
      "docs/latin.md": Uint8Array.of(0x67, 0x72, 0xf6, 0xdf, 0x65),
      "docs/odd.md": "---\ntitle: T\nodd\n---\n",
      "docs/empty.md": "",
      "stray.md": "",
    }),
  });
  assert.deepEqual(catalogue.documents.map(({ label, title }) => `${label} ${title}`), [
    "docs/empty.md empty",
    "docs/odd.md T",
  ]);
  assert.deepEqual(brief(catalogue.findings), [
    "stray.md file-outside-category",
    "docs/binary.md not-text",
    "docs/latin.md not-text",
    "docs/odd.md:3 front-matter",
  ]);
});

test("indexFiles() reports what vanishes between the look and the reading", (t) => {
  const root = makeRoot(t, { "docs/a.md": "", "docs/b.md": "" });
  const vanishing: FileSystem = {
    ...files,
    open: (path) => {
      if (path.endsWith("a.md")) throw new Error("It is not there");
      return files.open(path);
    },
  };
  const catalogue = index({ root }, undefined, vanishing);
  assert.deepEqual(catalogue.documents.map(({ name }) => name), ["b"]);
  assert.deepEqual(brief(catalogue.findings), ["docs/a.md unreadable"]);
});

test("indexFiles() reports a file that may not be read, and serves the rest", { skip: AS_ROOT }, (t) => {
  const root = makeRoot(t, { "docs/a.md": "", "docs/b.md": "" });
  chmodSync(`${root}/resources/docs/a.md`, 0);
  const catalogue = index({ root });
  assert.deepEqual(catalogue.documents.map(({ name }) => name), ["b"]);
  assert.deepEqual(brief(catalogue.findings), ["docs/a.md unreadable"]);
});

test("indexFiles() serves the first of two files with one URI, and names both", (t) => {
  const root = makeRoot(t, {
    "docs/gr\u00f6\u00dfe.md": "# Composed",
    "docs/gro\u0308\u00dfe.md": "# Decomposed",
  });
  if (files.list(`${root}/resources/docs`).length < 2) return t.skip("this disk takes both names for one");
  const catalogue = index({ root });
  assert.deepEqual(catalogue.documents.map(({ title }) => title), ["Decomposed"]);
  assert.match(catalogue.findings[0]!.message, /same URI as docs\/gro\u0308\u00dfe\.md/);
  assert.equal(catalogue.documents[0]!.name, "größe", "names are composed");
});

test("indexFiles() mounts folders as categories, in place of those of the root", (t) => {
  const root = makeRoot(t, { "adr/001-own.md": "# Own", "docs/x.md": "" });
  const mounted = makeFolder(t, { "0009-other.md": "---\nstatus: draft\n---\n# Other", "sub/y.md": "" });
  const catalogue = index({
    root,
    mounts: [{ name: "adr", path: mounted }, { name: "more", path: mounted }],
  });
  assert.deepEqual(catalogue.categories, ["adr", "docs", "more"]);
  assert.deepEqual(catalogue.documents.map(({ key }) => key), [
    "adr/0009-other",
    "adr/sub/y",
    "docs/x",
    "more/0009-other",
    "more/sub/y",
  ]);
  assert.equal(catalogue.get("adr/0009-other")?.record?.status, "draft");
  assert.equal(catalogue.get("more/0009-other")?.record, undefined);
});

test("indexFiles() reports folders that are not there, and serves the others", (t) => {
  const mounted = makeFolder(t, { "x.md": "" });
  const catalogue = index({
    root: makeFolder(t),
    mounts: [{ name: "docs", path: mounted }, { name: "gone", path: `${mounted}/gone` }, {
      name: "file",
      path: `${mounted}/x.md`,
    }],
  });
  assert.deepEqual(catalogue.documents.map(({ key }) => key), ["docs/x"]);
  assert.deepEqual(brief(catalogue.findings), [
    "gone folder-missing",
    "file folder-missing",
    "resources folder-missing",
  ]);
});

test("indexFiles() keeps the description of a file that did not change, and reads it no more", (t) => {
  const root = makeRoot(t, { "docs/a.md": "# A", "docs/b.md": "# B" });
  const first = index({ root });
  writeFiles(root, { "resources/docs/b.md": "# Changed", "resources/docs/c.md": "# C" });
  const opened: string[] = [];
  const watching: FileSystem = {
    ...files,
    open: (path) => {
      opened.push(path.slice(path.lastIndexOf("/") + 1));
      return files.open(path);
    },
  };
  const second = index({ root }, first, watching);
  assert.equal(second.documents[0], first.documents[0]);
  assert.deepEqual(second.documents.map(({ title }) => title), ["A", "Changed", "C"]);
  assert.deepEqual(opened, ["b.md", "c.md"]);
  // The same size, another time.
  utimesSync(`${root}/resources/docs/a.md`, 1, 1);
  assert.notEqual(index({ root }, second).documents[0], second.documents[0]);
});

test("indexFiles() asks once for the status of each file that did not change, and opens none", () => {
  const names = Array.from(
    { length: 10_000 },
    (_, number) => `/shelf/resources/docs/${number % 100}/${number}.md`,
  );
  const system = memoryFiles(new Map(names.map((name) => [name, encode("# X")])));
  const before = index({ root: "/shelf" }, undefined, system);
  const calls = { list: 0, status: 0, realPath: 0, open: 0 };
  const count = <K extends keyof typeof calls>(name: K): FileSystem[K] =>
    ((path: string) => {
      calls[name]++;
      return system[name](path);
    }) as FileSystem[K];
  const after = index({ root: "/shelf" }, before, {
    ...system,
    list: count("list"),
    status: count("status"),
    realPath: count("realPath"),
    open: count("open"),
  });
  assert.equal(after.documents.length, 10_000);
  assert.ok(after.documents.every((document, place) => document === before.documents[place]));
  // The folders: resources/, docs/ and a hundred in it. The root and resources/ are looked up once.
  assert.deepEqual(calls, { list: 102, status: 10_001, realPath: 2, open: 0 });
});

test("indexFiles() pauses after each file, and gives the catalogue at the end", (t) => {
  const root = makeRoot(t, { "docs/a.md": "", "docs/b.md": "", "docs/c.md": "" });
  let steps = 0;
  const slow: FileSystem = {
    ...files,
    open: (path) => {
      steps++;
      return files.open(path);
    },
  };
  index({ root }, undefined, slow);
  assert.equal(steps, 3);
});

test("indexFiles() stops where a whole disk is mounted, and not one file earlier", () => {
  const bytes = encode("x");
  const contents = new Map<string, Uint8Array>();
  for (let number = 0; number < MAX_DOCUMENTS; number++) {
    contents.set(`/shelf/resources/docs/${number}.md`, bytes);
  }
  const exact = index({ root: "/shelf" }, undefined, memoryFiles(contents));
  assert.equal(exact.documents.length, MAX_DOCUMENTS);
  assert.deepEqual(exact.findings, []);
  contents.set("/shelf/resources/docs/more.md", bytes);
  const over = index({ root: "/shelf" }, undefined, memoryFiles(contents));
  assert.equal(over.documents.length, MAX_DOCUMENTS);
  assert.deepEqual(brief(over.findings), ["docs too-many-documents"]);
});

test("indexFiles() has an empty catalogue for an empty shelf", (t) => {
  assert.deepEqual(index({}).documents, []);
  assert.deepEqual(index({ root: makeRoot(t, { "docs/notes.txt": "" }) }).categories, ["docs"]);
});
