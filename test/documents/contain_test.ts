import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import type { FileSystem, OpenFile } from "../../deps.ts";
import { CALM, isInside, LOOKS, LOOKS_IN_CALM, readInside } from "../../lib/documents/contain.ts";
import { canonical } from "../../lib/documents/uri.ts";
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

test("no character turns into a step of a path on its way from a URI to a key", () => {
  for (let code = 0; code <= 0x2ffff; code++) {
    const character = String.fromCodePoint(code);
    if (/[./~\w-]/.test(character)) continue;
    for (
      const spelling of [character, `x${character}${character}`, encodeURIComponent(character.toWellFormed())]
    ) {
      assert.match(canonical(spelling), /^[%0-9A-Zx]+$/, code.toString(16));
    }
  }
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

/** What may give its place to a link that leads out, and take it back: the document's path, and how to swap it. */
const SWAPS: Readonly<Record<string, (folder: string) => { path: string; swap(isOut: boolean): void }>> = {
  "a link that is pointed elsewhere": (folder) => ({
    path: `${folder}/in/link.md`,
    swap(isOut) {
      rmSync(`${folder}/in/link.md`, { force: true });
      symlinkSync(isOut ? "../out/x.md" : "x.md", `${folder}/in/link.md`);
    },
  }),
  "a file that becomes a link": (folder) => ({
    path: `${folder}/in/file.md`,
    swap(isOut) {
      rmSync(`${folder}/in/file.md`, { force: true });
      if (isOut) symlinkSync("../out/x.md", `${folder}/in/file.md`);
      else linkSync(`${folder}/in/x.md`, `${folder}/in/file.md`);
    },
  }),
  "a folder that becomes a link": (folder) => ({
    path: `${folder}/in/sub/x.md`,
    swap(isOut) {
      rmSync(`${folder}/in/sub`, { recursive: true, force: true });
      if (isOut) return symlinkSync("../out", `${folder}/in/sub`);
      mkdirSync(`${folder}/in/sub`);
      linkSync(`${folder}/in/x.md`, `${folder}/in/sub/x.md`);
    },
  }),
  "a link to a folder that is pointed elsewhere": (folder) => ({
    path: `${folder}/in/way/x.md`,
    swap(isOut) {
      rmSync(`${folder}/in/way`, { force: true });
      symlinkSync(isOut ? "../out" : ".", `${folder}/in/way`);
    },
  }),
};

/** A file system in which something happens before each call, with the number of the call. */
function watched(before: (call: number) => void): FileSystem & { calls: number } {
  const step = <T>(run: (path: string) => T) => (path: string): T => {
    before(system.calls++);
    return run(path);
  };
  const system = {
    ...files,
    calls: 0,
    status: step(files.status),
    open: step(files.open),
    realPath: step(files.realPath),
  };
  return system;
}

/** How many calls it takes to read one file: what is there, open it, and then its place and what lies there. */
const callsFor = (looks: number): number => 2 + 2 * looks;

for (const [name, prepare] of Object.entries(SWAPS)) {
  test(
    `readInside() reads nothing through ${name} before any of its calls, and back before any later one`,
    { skip: ON_WINDOWS },
    (t) => {
      const folder = makeFolder(t, { "in/x.md": "inside", "out/x.md": "secret" });
      const { path, swap } = prepare(folder);
      swap(false);
      const untouched = watched(() => {});
      assert.equal(read(path, `${folder}/in`, untouched), "inside", "all is well without the swap");
      assert.equal(untouched.calls, callsFor(LOOKS), "every call has its turn below");
      for (let out = 0; out < untouched.calls; out++) {
        for (let back = out + 1; back <= untouched.calls; back++) {
          swap(false);
          const system = watched((call) => {
            if (call === out) swap(true);
            if (call === back) swap(false);
          });
          assert.notEqual(
            read(path, `${folder}/in`, system),
            "secret",
            `out before ${out}, back before ${back}`,
          );
        }
      }
    },
  );

  test(
    `readInside() reads nothing through ${name} three times in one reading in calm`,
    { skip: ON_WINDOWS },
    (t) => {
      const folder = makeFolder(t, { "in/x.md": "inside", "out/x.md": "secret" });
      const { path, swap } = prepare(folder);
      const calls = callsFor(LOOKS_IN_CALM);
      for (let pattern = 0; pattern < 2 ** calls; pattern++) {
        const places = Array.from({ length: calls }, (_, call) => (pattern >> call & 1) === 1);
        // What cannot be seen is a swap before each call, every time in the nick of time.
        if (places.filter((isOut, call) => call > 0 && isOut !== places[call - 1]).length > 3) continue;
        swap(false);
        const system = watched((call) => call >= 0 && swap(places[call]!));
        system.calls = -Infinity;
        for (let quiet = 0; quiet < CALM; quiet++) assert.equal(read(path, `${folder}/in`, system), "inside");
        system.calls = 0;
        assert.notEqual(read(path, `${folder}/in`, system), "secret", places.map(Number).join(""));
        assert.ok(system.calls <= calls, "it was calm");
      }
    },
  );
}

test("readInside() looks often until it is calm, and often for ever once something moved", (t) => {
  const folder = makeFolder(t, { "x.md": "text", "y.md": "other" });
  const system = watched(() => {});
  const callsOfOne = (): number => {
    const before = system.calls;
    read(`${folder}/x.md`, folder, system);
    return system.calls - before;
  };
  for (let quiet = 0; quiet < CALM; quiet++) assert.equal(callsOfOne(), callsFor(LOOKS));
  assert.equal(callsOfOne(), callsFor(LOOKS_IN_CALM));
  const { open } = system;
  system.open = (path) => {
    const file = open(path);
    renameSync(`${folder}/y.md`, path);
    return file;
  };
  assert.equal(callsOfOne(), callsFor(1), "the first look sees that it is another file");
  system.open = open;
  for (let later = 0; later < 2 * CALM; later++) assert.equal(callsOfOne(), callsFor(LOOKS));
});

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
