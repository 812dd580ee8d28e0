import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { symlinkSync, unlinkSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import type { FileSystem, OpenFile } from "../../deps.ts";
import { isInside, readInside } from "../../lib/documents/contain.ts";
import { makeFolder } from "../harness/folder.ts";
import { files } from "./shelf.ts";

const LIMIT = 1000;
/** Links and pipes need rights on Windows that nobody has by default. */
const ON_WINDOWS = process.platform === "win32" ? "not on Windows" : false;

function read(path: string, within: string, system: FileSystem = files): string | undefined {
  const file = readInside(system, path, within, LIMIT);
  return file && new TextDecoder().decode(file.bytes);
}

test("isInside() takes whole segments, and a folder is inside itself", () => {
  assert.ok(isInside("/a/b/c", "/a/b", "/"));
  assert.ok(isInside("/a/b", "/a/b", "/"));
  assert.ok(isInside("/a", "/", "/"));
  assert.ok(isInside("C:\\a\\b", "C:\\a", "\\"));
  assert.ok(!isInside("/a/bc", "/a/b", "/"));
  assert.ok(!isInside("/a", "/a/b", "/"));
});

test("readInside() reads a file, and says what it was", (t) => {
  const folder = makeFolder(t, { "a/x.md": "text" });
  const file = readInside(files, `${folder}/a/x.md`, folder, LIMIT);
  assert.equal(new TextDecoder().decode(file?.bytes), "text");
  assert.equal(file?.status.size, 4);
});

test("readInside() reads nothing that is too large, no file, or not there", (t) => {
  const folder = makeFolder(t, {
    "large.md": "x".repeat(LIMIT + 1),
    "exact.md": "x".repeat(LIMIT),
    "a.md/b": "",
  });
  assert.equal(read(`${folder}/large.md`, folder), undefined);
  assert.equal(read(`${folder}/exact.md`, folder)?.length, LIMIT);
  assert.equal(read(`${folder}/a.md`, folder), undefined);
  assert.equal(read(`${folder}/nothing.md`, folder), undefined);
});

test("readInside() follows links that stay inside, and no other", { skip: ON_WINDOWS }, (t) => {
  const folder = makeFolder(t, { "in/x.md": "inside", "out/secret.md": "secret", "inside/x.md": "beside" });
  symlinkSync("x.md", `${folder}/in/link.md`);
  symlinkSync("../out/secret.md", `${folder}/in/leak.md`);
  symlinkSync("../out", `${folder}/in/folder`);
  symlinkSync("../inside/x.md", `${folder}/in/sibling.md`);
  symlinkSync("loop.md", `${folder}/in/loop.md`);
  assert.equal(read(`${folder}/in/link.md`, `${folder}/in`), "inside");
  for (const name of ["leak.md", "folder/secret.md", "sibling.md", "loop.md", "../out/secret.md"]) {
    assert.equal(read(`${folder}/in/${name}`, `${folder}/in`), undefined, name);
  }
});

test(
  "readInside() reads nothing through a link that is swapped while it is looked at",
  { skip: ON_WINDOWS },
  (t) => {
    const folder = makeFolder(t, { "in/x.md": "inside", "out/secret.md": "secret" });
    const path = `${folder}/in/link.md`;
    const pointTo = (target: string): void => {
      unlinkSync(path);
      symlinkSync(target, path);
    };
    symlinkSync("x.md", path);
    // Harmless when it is looked at, before and after; another file when it is opened.
    const swapping: FileSystem = {
      ...files,
      open: (opened) => {
        pointTo("../out/secret.md");
        const file = files.open(opened);
        pointTo("x.md");
        return file;
      },
    };
    assert.equal(read(path, `${folder}/in`, swapping), undefined);
    assert.equal(read(path, `${folder}/in`), "inside", "and all is well without the swap");
  },
);

test("readInside() waits for nobody at a named pipe", { skip: ON_WINDOWS }, (t) => {
  const folder = makeFolder(t);
  execFileSync("mkfifo", [`${folder}/pipe.md`]);
  assert.equal(read(`${folder}/pipe.md`, folder), undefined);
});

test("readInside() closes what it opens, whatever happens", (t) => {
  const folder = makeFolder(t, { "x.md": "text", "large.md": "x".repeat(LIMIT + 1) });
  let open = 0;
  const counting = (change: Partial<OpenFile> = {}): FileSystem => ({
    ...files,
    open: (path) => {
      open++;
      const file = files.open(path);
      const close = (): void => {
        open--;
        file.close();
      };
      return { status: file.status, read: file.read, ...change, close };
    },
  });
  const failing = counting({
    read: () => {
      throw new Error("The disk is gone");
    },
  });
  assert.equal(read(`${folder}/x.md`, folder, counting()), "text");
  assert.equal(read(`${folder}/large.md`, folder, counting()), undefined);
  assert.equal(read(`${folder}/x.md`, `${folder}/other`, counting()), undefined);
  assert.equal(read(`${folder}/x.md`, folder, failing), undefined);
  assert.equal(open, 0);
});
