import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, symlinkSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import type { FileSystem } from "../../deps.ts";
import type { Finding } from "../../lib/documents/finding.ts";
import { findCategories, MAX_DOCUMENT_BYTES, MAX_FOLDER_DEPTH } from "../../lib/documents/scan.ts";
import { makeFolder } from "../harness/folder.ts";
import { brief, files, walk } from "./shelf.ts";

const ON_WINDOWS = process.platform === "win32" ? "not on Windows" : false;
const AS_ROOT = process.getuid?.() === 0 ? "root may read everything" : ON_WINDOWS;

function keys(folder: string): string[] {
  return walk(folder).found.map(({ key }) => key);
}

test("scan() finds markdown in all folders, and nothing else", (t) => {
  const folder = makeFolder(t, {
    "a.md": "",
    "B.MD": "",
    "sub/deep/c.md": "",
    "picture.png": "",
    "x.mdx": "",
    "md": "",
    "folder.md/d.md": "",
  });
  const { found, findings } = walk(folder);
  assert.deepEqual(found.map(({ key }) => key).sort(), [
    "docs/B",
    "docs/a",
    "docs/folder.md/d",
    "docs/sub/deep/c",
  ]);
  assert.deepEqual(findings, []);
});

test("scan() names a file by category and path, and says what it is", (t) => {
  const folder = makeFolder(t, { "sub/a b.md": "text" });
  const [file] = walk(folder).found;
  assert.equal(file?.key, "docs/sub/a%20b");
  assert.equal(file?.name, "a b");
  assert.equal(file?.label, "docs/sub/a b.md");
  assert.equal(file?.status.size, 4);
  assert.equal(file?.within, folder);
});

test("scan() encodes names of all kinds", { skip: ON_WINDOWS }, (t) => {
  const names = ["with space", "größe", "設計", "a#b", "a?b", "100%", "a(b)", "a\\b", 'a"b', "a\nb", "..."];
  const folder = makeFolder(t, Object.fromEntries(names.map((name) => [`${name}.md`, ""])));
  // "....md" is a hidden file.
  assert.equal(keys(folder).length, names.length - 1);
  for (const key of keys(folder)) assert.match(key, /^docs\/[A-Za-z0-9._~%-]+$/);
});

test("scan() passes over hidden files and folders, and what others installed", (t) => {
  const folder = makeFolder(t, { ".a.md": "", ".git/b.md": "", "node_modules/p/README.md": "", "c.md": "" });
  assert.deepEqual(keys(folder), ["docs/c"]);
});

test("scan() goes through the files in an order that does not depend on the disk", (t) => {
  const folder = makeFolder(t, { "b.md": "", "a/z.md": "", "a.md": "", "c/a.md": "" });
  const shuffled: FileSystem = { ...files, list: (path) => files.list(path).reverse() };
  assert.deepEqual(walk(folder, shuffled).found, walk(folder).found);
});

test("scan() follows links that stay inside, each once", { skip: ON_WINDOWS }, (t) => {
  const folder = makeFolder(t, { "sub/a.md": "" });
  symlinkSync("sub/a.md", `${folder}/file.md`);
  symlinkSync("sub", `${folder}/folder`);
  symlinkSync("../sub", `${folder}/sub/itself`);
  symlinkSync("..", `${folder}/sub/up`);
  symlinkSync("../folder", `${folder}/sub/chain`);
  const { found, findings } = walk(folder);
  assert.deepEqual(found.map(({ key }) => key), ["docs/file", "docs/folder/a", "docs/sub/a"]);
  assert.deepEqual(findings, []);
});

test("scan() skips links that lead out of the root, and says so", { skip: ON_WINDOWS }, (t) => {
  const folder = makeFolder(t, { "in/a.md": "", "out/secret.md": "", "out/picture.png": "" });
  symlinkSync("../out/secret.md", `${folder}/in/file.md`);
  symlinkSync("../out", `${folder}/in/folder`);
  symlinkSync("../out/picture.png", `${folder}/in/picture.png`);
  const { found, findings } = walk(`${folder}/in`);
  assert.deepEqual(found.map(({ key }) => key), ["docs/a"]);
  assert.deepEqual(brief(findings), ["docs/file.md link-leads-out", "docs/folder link-leads-out"]);
});

test("scan() survives links in a circle and links to nothing", { skip: ON_WINDOWS }, (t) => {
  const folder = makeFolder(t, { "a.md": "" });
  symlinkSync("loop.md", `${folder}/loop.md`);
  symlinkSync("nothing.md", `${folder}/dead.md`);
  const { found, findings } = walk(folder);
  assert.deepEqual(found.map(({ key }) => key), ["docs/a"]);
  assert.deepEqual(brief(findings), ["docs/dead.md unreadable", "docs/loop.md unreadable"]);
});

test("scan() passes over pipes", { skip: ON_WINDOWS }, (t) => {
  const folder = makeFolder(t, { "a.md": "" });
  execFileSync("mkfifo", [`${folder}/pipe.md`]);
  assert.deepEqual(keys(folder), ["docs/a"]);
});

test("scan() goes on where a folder cannot be read", { skip: AS_ROOT }, (t) => {
  const folder = makeFolder(t, { "a/x.md": "", "b/y.md": "" });
  chmodSync(`${folder}/a`, 0);
  const { found, findings } = walk(folder);
  chmodSync(`${folder}/a`, 0o700);
  assert.deepEqual(found.map(({ key }) => key), ["docs/b/y"]);
  assert.deepEqual(brief(findings), ["docs/a unreadable"]);
});

test("scan() goes on where a file or folder vanishes", (t) => {
  const folder = makeFolder(t, { "a/x.md": "", "b.md": "", "c.md": "" });
  const gone = (): never => {
    throw new Error("It is not there");
  };
  const vanishing: FileSystem = {
    ...files,
    list: (path) => path.endsWith("/a") ? gone() : files.list(path),
    status: (path) => path.endsWith("b.md") ? gone() : files.status(path),
  };
  const { found, findings } = walk(folder, vanishing);
  assert.deepEqual(found.map(({ key }) => key), ["docs/c"]);
  assert.deepEqual(brief(findings).sort(), ["docs/a unreadable", "docs/b.md unreadable"]);
});

test("scan() leaves out what is too large, and says how large it is", (t) => {
  const folder = makeFolder(t, { "a.md": "", "b.md": "" });
  const large: FileSystem = {
    ...files,
    status: (path) => ({ ...files.status(path), size: path.endsWith("a.md") ? MAX_DOCUMENT_BYTES + 1 : 1 }),
  };
  const { found, findings } = walk(folder, large);
  assert.deepEqual(found.map(({ key }) => key), ["docs/b"]);
  assert.match(findings[0]!.message, /10485761 bytes/);
});

test("scan() stops at a depth that no shelf has, and says so", (t) => {
  const path = Array.from({ length: MAX_FOLDER_DEPTH }, () => "d").join("/");
  const folder = makeFolder(t, { [`${path}/x.md`]: "", [`${path.slice(2)}/y.md`]: "" });
  const { found, findings } = walk(folder);
  assert.deepEqual(found.map(({ name }) => name), ["y"]);
  assert.deepEqual(findings.map(({ rule }) => rule), ["folder-too-deep"]);
});

test("findCategories() takes each folder for a category, and says what stands beside them", {
  skip: ON_WINDOWS,
}, (t) => {
  const folder = makeFolder(t, {
    "in/adr/x.md": "",
    "in/patterns/x.md": "",
    "in/.hidden/x.md": "",
    "in/stray.md": "",
    "in/notes.txt": "",
    "out/x.md": "",
  });
  symlinkSync("adr", `${folder}/in/records`);
  symlinkSync("../out", `${folder}/in/outside`);
  const findings: Finding[] = [];
  const found = findCategories(
    files,
    `${folder}/in`,
    `${folder}/in`,
    (finding) => void findings.push(finding),
  );
  assert.deepEqual(found.map(({ name }) => name), ["adr", "patterns", "records"]);
  assert.deepEqual(brief(findings), ["outside link-leads-out", "stray.md file-outside-category"]);
});

test("scan() passes over links to what it passes over under its own name", { skip: ON_WINDOWS }, (t) => {
  const folder = makeFolder(t, { ".env": "SECRET=1", ".git/a.md": "", "node_modules/p/README.md": "" });
  symlinkSync(".env", `${folder}/1.md`);
  symlinkSync(".git", `${folder}/folder`);
  symlinkSync("node_modules/p/README.md", `${folder}/2.md`);
  const { found, findings } = walk(folder);
  assert.deepEqual(found, []);
  assert.deepEqual(findings, []);
});

test(
  "scan() serves what Kubernetes mounts from a ConfigMap, each document once",
  { skip: ON_WINDOWS },
  (t) => {
    const folder = makeFolder(t, {
      "..2026_11_22_06_30_00.123456789/a.md": "# A",
      "..2026_11_22_06_30_00.123456789/b.txt": "",
    });
    symlinkSync("..2026_11_22_06_30_00.123456789", `${folder}/..data`);
    symlinkSync("..data/a.md", `${folder}/a.md`);
    symlinkSync("..data/b.txt", `${folder}/b.txt`);
    const { found, findings } = walk(folder);
    assert.deepEqual(found.map(({ key }) => key), ["docs/a"]);
    assert.deepEqual(findings, []);
  },
);
