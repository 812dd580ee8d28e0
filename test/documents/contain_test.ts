import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import type { TestContext } from "node:test";
import { test } from "node:test";
import type { FileSystem, OpenFile } from "../../deps.ts";
import { makeFolder, writeFiles } from "../harness/folder.ts";
import { ON_WINDOWS } from "../harness/runtime.ts";
import { files, openStore } from "./stores.ts";

/** Called before each call of the file system, with its number. */
type Hook = ((call: number) => void) | undefined;
/** Reads the document: its text, or what a scan finds out about it. */
type Read = (before?: Hook) => string | undefined;

/** A root with one document, and how it is scanned and then read. */
async function openDocument(test: TestContext, contents: Readonly<Record<string, string>> = {}) {
  const inside = { "root/resources/docs/sub/x.md": "inside", "root/resources/docs/kept/text": "inside" };
  const root = `${makeFolder(test, { ...inside, "outside/x.md": "secret", ...contents })}/root`;
  const scan = async (before?: Hook): Promise<{ found: string | undefined; read: Read }> => {
    let calls = 0;
    const step = <T>(run: (path: string) => T) => (path: string): T => {
      before?.(calls++);
      return run(path);
    };
    const { status, open, realPath } = files;
    const system: FileSystem = { ...files, status: step(status), open: step(open), realPath: step(realPath) };
    const store = await openStore(system, root);
    const document = store.catalogue.get("docs/sub/x");
    const read: Read = (swap) => {
      [before, calls] = [swap, 0];
      return store.textOnce(document!);
    };
    return { found: document?.description, read };
  };
  const docs = `${root}/resources/docs`;
  return { docs, path: `${docs}/sub/x.md`, read: (await scan()).read, scan };
}

/** What becomes of the path of a document after it was listed. */
const REPLACED: Readonly<Record<string, (path: string) => void>> = {
  "nothing": () => {},
  "a folder": (path) => mkdirSync(path),
  "a named pipe, without waiting for a writer": (path) => execFileSync("mkfifo", [path]),
  "a file of more than 10 MiB": (path) => writeFileSync(path, "x".repeat(10 * 2 ** 20 + 1)),
  "a link out": (path) => symlinkSync("../../../../outside/x.md", path),
  "a link to a folder whose name begins with that of the root": (path) => {
    writeFiles(`${path.slice(0, path.indexOf("/resources"))}-evil`, { "x.md": "secret" });
    symlinkSync("../../../../root-evil/x.md", path);
  },
  "a file below a root that is a link": (path) => {
    const root = path.slice(0, path.indexOf("/resources"));
    writeFiles(`${root}-evil`, { "resources/docs/sub/x.md": "secret" });
    renameSync(root, `${root}-gone`);
    symlinkSync("root-evil", root);
  },
  "a link to a hidden file": (path) => {
    writeFiles(path.slice(0, -5), { ".env": "secret" });
    symlinkSync(".env", path);
  },
  "a link to itself": (path) => symlinkSync("x.md", path),
  "a link that stays inside, which is followed": (path) => symlinkSync("../kept/text", path),
};

for (const [what, replace] of Object.entries(REPLACED)) {
  test(`a document that became ${what} since it was listed is not read`, { skip: ON_WINDOWS }, async (t) => {
    const { path, read } = await openDocument(t);
    assert.equal(read(), "inside");
    rmSync(path);
    replace(path);
    assert.equal(read(), what.endsWith("is followed") ? "inside" : undefined);
  });
}

/** What may trade places with a link out: swaps it. */
const SWAPS: Readonly<Record<string, (docs: string, isOut: boolean) => void>> = {
  "a link that is pointed elsewhere": (docs, isOut) => {
    rmSync(`${docs}/sub/x.md`, { force: true });
    symlinkSync(isOut ? "../../../../outside/x.md" : "../kept/text", `${docs}/sub/x.md`);
  },
  "a file that becomes a link": (docs, isOut) => {
    rmSync(`${docs}/sub/x.md`, { force: true });
    if (isOut) symlinkSync("../../../../outside/x.md", `${docs}/sub/x.md`);
    else linkSync(`${docs}/kept/text`, `${docs}/sub/x.md`);
  },
  "a folder that becomes a link": (docs, isOut) => {
    rmSync(`${docs}/sub`, { recursive: true, force: true });
    if (isOut) return symlinkSync("../../../outside", `${docs}/sub`);
    mkdirSync(`${docs}/sub`);
    linkSync(`${docs}/kept/text`, `${docs}/sub/x.md`);
  },
  "a link to a folder that is pointed elsewhere": (docs, isOut) => {
    rmSync(`${docs}/sub`, { recursive: true, force: true });
    // Not below resources/, where it would be listed under its own name.
    const kept = `${docs}/../../kept`;
    mkdirSync(kept, { recursive: true });
    rmSync(`${kept}/x.md`, { force: true });
    linkSync(`${docs}/kept/text`, `${kept}/x.md`);
    symlinkSync(isOut ? "../../../outside" : "../../kept", `${docs}/sub`);
  },
};
/** How many calls it takes to read a file: what it is, open it, and then its place and what lies there, twice or more. */
const CALLS = 6;
const CALLS_AFTER_MOVE = 18;

/** All ways to be inside (false) or outside at each of some calls with so many swaps at most. */
function ways(calls: number, swaps: number): boolean[][] {
  if (calls === 0) return [[]];
  return ways(calls - 1, swaps).flatMap((way) => [[...way, false], [...way, true]])
    .filter((way) => way.filter((isOut, call) => call > 0 && isOut !== way[call - 1]).length <= swaps);
}

for (const [name, swap] of Object.entries(SWAPS)) {
  test(
    `nothing outside is scanned or read through ${name}, at any moments`,
    { skip: ON_WINDOWS },
    async (t) => {
      const { docs, scan } = await openDocument(t);
      const swapping = (way: readonly boolean[]) => {
        let isOut = false;
        swap(docs, isOut);
        return (call: number) => {
          const goesOut = way[call] ?? isOut;
          if (goesOut !== isOut) swap(docs, isOut = goesOut);
        };
      };
      const countCalls = (read: Read) => {
        let calls = 0;
        assert.equal(read((call) => calls = call + 1), "inside");
        return calls;
      };
      swap(docs, false);
      assert.equal(countCalls((await scan()).read), CALLS, "every call has its turn below");
      let noticed = 0;
      // A swap before each call can be missed; three in one reading are noticed.
      for (const way of ways(CALLS, 3)) {
        swap(docs, false);
        // A file system in which nothing has moved yet.
        const { read } = await scan();
        const text = read(swapping(way));
        assert.notEqual(text, "secret", way.map(Number).join(""));
        swap(docs, false);
        if (text === undefined && countCalls(read) === CALLS_AFTER_MOVE) noticed++;
      }
      assert.ok(noticed > 10, `${noticed} were moves`);
      let calls = 0;
      assert.equal((await scan((call) => calls = call + 1)).found, "inside");
      for (const way of ways(calls, 2)) {
        assert.notEqual((await scan(swapping(way))).found, "secret", way.map(Number).join(""));
      }
    },
  );
}

test("a file that is replaced while it is opened is not read", async (t) => {
  const { path, read } = await openDocument(t, { "root/resources/docs/other.md": "other" });
  const other = path.replace("sub/x.md", "other.md");
  assert.equal(read((call) => call === 2 && void renameSync(other, path)), undefined);
});

test("what is opened is closed, whatever happens", async (t) => {
  const root = makeFolder(t, { "resources/docs/x.md": "text" });
  let open = 0;
  let change: Partial<OpenFile> = {};
  const counting: FileSystem = {
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
  };
  const store = await openStore(counting, root);
  const [document] = store.catalogue.documents;
  assert.equal(store.textOnce(document!), "text");
  const fail = (): never => {
    throw new Error("The disk is gone");
  };
  for (change of [{ read: fail }, { status: fail }]) assert.equal(store.textOnce(document!), undefined);
  assert.equal(store.textOnce({ ...document!, within: `${root}/elsewhere` }), undefined);
  assert.equal(open, 0);
});
