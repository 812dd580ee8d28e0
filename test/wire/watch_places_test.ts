/** Roots that move, links, and places where watching is restricted or fails, each with a program of its own. */

import { execFile, execFileSync } from "node:child_process";
import { renameSync, rmSync, symlinkSync, unlinkSync } from "node:fs";
import process from "node:process";
import type { TestContext } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { makeFolder, writeFiles } from "../harness/folder.ts";
import type { RunOptions } from "../harness/program.ts";
import { command, ON_DENO, REPOSITORY } from "../harness/program.ts";
import type { Group, Picture } from "../harness/watched.ts";
import {
  ALWAYS_MS,
  documents,
  ORDINARILY_MS,
  SLOWLY,
  testGroups,
  UNTOLD,
  Watched,
} from "../harness/watched.ts";
import { definition } from "../prompts/definitions.ts";

const ON_WINDOWS = process.platform === "win32" && "not on Windows";
const A = "resources/docs/a.md";
const B = "resources/docs/b.md";
const UNREADABLE = "The file or folder cannot be read";

/** A definition file with one message. */
function file(name: string, text: string, description = "Old"): string {
  return definition(text, { name, description });
}

/** Makes a link, or leads an existing one elsewhere in one step. */
function link(target: string, path: string): void {
  symlinkSync(target, `${path}.new`);
  renameSync(`${path}.new`, path);
}

const ROOTS: readonly Group[] = [
  ["the root vanishes and comes back", async (t) => {
    const root = `${makeFolder(t, { "root/resources/docs/a.md": "# A\n" })}/root`;
    const w = await (await Watched.start(t, {}, () => ["--root", root])).adopt();
    const write = (name: string, text: string) => () =>
      writeFiles(root, { [`resources/docs/${name}.md`]: text });
    const remove = (path: string) => () => rmSync(path, { recursive: true });
    await w.document("resources/ vanishes", remove(`${root}/resources`), { "docs/a": null });
    await w.document("resources/ comes back", write("a", "# A\n"), { "docs/a": "# A\n" });
    await w.document("the root vanishes", remove(root), { "docs/a": null });
    await w.document("the root comes back", write("b", "# B\n"), { "docs/b": "# B\n" }, SLOWLY);
    await w.document("modify after that", write("b", "# C\n"), { "docs/b": "# C\n" });
    await w.document(
      "the root vanishes and comes back at once",
      () => {
        remove(root)();
        write("b", "# B\n")();
        // There was nothing for a moment.
      },
      { "docs/b": "# B\n" },
      { ...SLOWLY, between: (_, value) => value === undefined },
    );
    await w.document("create after that", write("a", "# A\n"), { "docs/a": "# A\n" });
    await w.close(/^(architrave: error: (resources|docs)\b.* cannot be read\. .*\n){2,5}$/);
  }, ON_WINDOWS],
  ["the root is moved", async (t) => {
    const folder = makeFolder(t, { [`root/${A}`]: "# A\n", [`other/${B}`]: "# B\n" });
    const w = await (await Watched.start(t, {}, () => ["--root", `${folder}/root`])).adopt();
    const move = (from: string, to: string) => renameSync(`${folder}/${from}`, `${folder}/${to}`);
    await w.document("the root is renamed away", () => move("root", "away"), { "docs/a": null });
    await w.document("the root is renamed back", () => move("away", "root"), { "docs/a": "# A\n" }, SLOWLY);
    await w.document(
      "another root takes its place",
      () => {
        move("root", "away");
        move("other", "root");
      },
      { "docs/a": null, "docs/b": "# B\n" },
      SLOWLY,
    );
    await w.document("modify after that", () => writeFiles(folder, { [`root/${B}`]: "# C\n" }), {
      "docs/b": "# C\n",
    });
    // A rescan that has found the category before the root moved reports the category as well.
    await w.close(/^(architrave: error: (resources|docs): .*\n){1,4}$/);
  }, ON_WINDOWS],
  ["the root is a link", async (t) => {
    const folder = makeFolder(t, { [`one/${A}`]: "# A\n", [`two/${B}`]: "# B\n" });
    link("one", `${folder}/root`);
    const w = await (await Watched.start(t, {}, () => ["--root", `${folder}/root`])).adopt();
    const lead = (target: string) => () => link(target, `${folder}/root`);
    await w.document("it leads elsewhere", lead("two"), { "docs/a": null, "docs/b": "# B\n" }, SLOWLY);
    await w.document("modify after that", () => writeFiles(folder, { [`two/${B}`]: "# C\n" }), {
      "docs/b": "# C\n",
    });
    await w.document("it leads back", lead("one"), { "docs/a": "# A\n", "docs/b": null }, SLOWLY);
    await w.close();
  }, ON_WINDOWS],
  ["links", async (t) => {
    const w = await Watched.start(t, {
      "store/one/x.md": "# One\n",
      "store/two/x.md": "# Two\n",
      [A]: "# A\n",
    });
    const [path, folder] = [w.path("resources/docs/file.md"), w.path("resources/docs/folder")];
    const lead = (target: string, path: string) => () => link(target, path);
    const write = (text: string) => () => w.write("store/two/x.md", text);
    await w.document("a link to a file", lead("../../store/one/x.md", path), { "docs/file": "# One\n" });
    await w.document("it leads elsewhere", lead("../../store/two/x.md", path), { "docs/file": "# Two\n" });
    await w.document("its target is modified where nothing is watched", write("# New\n"), {
      "docs/file": "# New\n",
    }, SLOWLY);
    await w.document("it leads out", lead("../../../..", path), { "docs/file": null });
    await w.document("it vanishes", () => unlinkSync(path), {}, UNTOLD);
    await w.document("a link to a folder", lead("../../store/one", folder), { "docs/folder/x": "# One\n" });
    await w.document("it leads elsewhere", lead("../../store/two", folder), { "docs/folder/x": "# New\n" });
    await w.document("modify in its target", write("# Two\n"), { "docs/folder/x": "# Two\n" });
    await w.close(/^architrave: error: docs\/file\.md: The link leads out .*\n$/);
  }, ON_WINDOWS],
];

const FILES = { [A]: "# A\n", "prompts/a.json": file("a", "A") };
const ONE_WARNING =
  /^architrave: warning: File changes cannot be watched here \(.+\), so files are checked every 1500 ms\n$/;
const EXHAUST = 'echo 0 > /proc/sys/user/max_inotify_instances && exec "$0" "$@"';

const PLACES: readonly Group[] = [
  ["with read access to its root and nothing else", async (t) => {
    const w = await Watched.start(t, FILES, undefined, (folder) => ({ runtimeFlags: sandbox(folder) }));
    await basics(w, ORDINARILY_MS);
    await w.close();
  }],
  ["where watching fails", async (t) => {
    const w = await Watched.start(t, FILES, undefined, unwatched(t));
    await basics(w, ALWAYS_MS);
    await w.close(ONE_WARNING);
  }],
  ["where watching fails, with --poll", async (t) => {
    const w = await Watched.start(t, FILES, (folder) => ["--root", folder, "--poll", "50"], unwatched(t));
    await basics(w, ORDINARILY_MS);
    await w.close();
  }],
  ["where the system has no more watches", async (t) => {
    if (!canExhaust()) return t.skip("only for Linux where every user may have a namespace");
    const w = await Watched.start(t, FILES, undefined, (folder) => exhausted(t, folder));
    await w.document("create", () => w.write(B, "# B\n"), { "docs/b": "# B\n" }, SLOWLY);
    await w.close(ONE_WARNING);
  }],
  ["a checkout of five hundred files", checkout],
];

/** The basic changes, and one in new folders. */
async function basics(w: Watched, promised: number): Promise<void> {
  const following = { promised };
  await w.document("create", () => w.write(B, "# B\n"), { "docs/b": "# B\n" }, following);
  await w.document("modify", () => w.write(B, "# C\n"), { "docs/b": "# C\n" }, following);
  const nested = () => w.write("resources/docs/x/y/z.md", "# Z\n");
  await w.document("nested folders", nested, { "docs/x/y/z": "# Z\n" }, following);
  await w.document("delete", () => w.remove(B), { "docs/b": null }, following);
  const prompt = () => w.write("prompts/a.json", file("a", "B", "New"));
  await w.prompt("a prompt", prompt, { "prompt a": "New", "get a": "B" }, following);
}

/** The flags that allow to read some folders and nothing else. */
function sandbox(folder: string): string[] {
  if (ON_DENO) {
    const denied = ["env", "net", "run", "write", "sys", "ffi"].map((name) => `--deny-${name}`);
    return ["--no-prompt", `--allow-read=${folder}`, ...denied];
  }
  // Up to Node 22 the permission model has another name.
  const flag = process.allowedNodeEnvironmentFlags.has("--permission") ? "" : "experimental-";
  const allowed = [folder, REPOSITORY].flatMap((path) => [path, `${path}/*`]);
  const reading = allowed.map((path) => `--allow-fs-read=${path}`);
  return ["--experimental-strip-types", "--no-warnings", `--${flag}permission`, ...reading];
}

/** Runs the program where the runtime cannot watch anything. */
function unwatched(test: TestContext): RunOptions {
  const fail = '{ throw Object.assign(new Error("No space left"), { code: "ENOSPC" }); }';
  const node = `import fs from "node:fs";
    import { syncBuiltinESMExports } from "node:module";
    fs.watch = () => ${fail};
    syncBuiltinESMExports();`;
  const folder = makeFolder(test, { "before.mjs": ON_DENO ? `Deno.watchFs = () => ${fail};` : node });
  const before = `${folder}/before.mjs`;
  const runtimeFlags = ON_DENO
    ? ["--no-prompt", "--allow-read", "--preload", before]
    : ["--experimental-strip-types", "--no-warnings", "--import", pathToFileURL(before).href];
  return { runtimeFlags };
}

/** Runs the program in a namespace that may watch nothing. */
function exhausted(test: TestContext, root: string): RunOptions {
  const [file, args] = command(["--root", root]);
  const all = ["-Ur", "sh", "-c", EXHAUST, file, ...args];
  const folder = makeFolder(test, {
    "launch.mjs": `import { spawn } from "node:child_process";
    import process from "node:process";
    const child = spawn("unshare", ${JSON.stringify(all)}, { stdio: "inherit" });
    child.on("close", (code) => process.exit(code ?? 1));`,
  });
  return { module: `${folder}/launch.mjs`, ...(ON_DENO ? { runtimeFlags: ["-A"] } : {}) };
}

function canExhaust(): boolean {
  try {
    execFileSync("unshare", ["-Ur", "sh", "-c", EXHAUST, "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

async function checkout(t: TestContext): Promise<void> {
  const folder = makeFolder(t);
  const identity = ["-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "commit.gpgsign=false"];
  const git = (...args: string[]) => promisify(execFile)("git", ["-C", folder, ...identity, ...args]);
  try {
    await git("init", "-b", "one");
  } catch {
    return t.skip("there is no git");
  }
  const texts = (title: string) =>
    Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`docs/${n}`, `# ${title} ${n}\n`]));
  const commit = async (title: string) => {
    const files = Object.entries(texts(title)).map(([key, text]) => [`resources/${key}.md`, text]);
    writeFiles(folder, Object.fromEntries(files));
    await git("add", ".");
    await git("commit", "-m", title);
  };
  await commit("One");
  await git("switch", "-c", "two");
  await commit("Two");
  const w = await Watched.start(t, {}, () => ["--root", folder]);
  // All of them are listed, and some are read.
  const some = Array.from({ length: 25 }, (_, n) => `docs/${20 * n}`);
  const see = async () => ({ ...await w.titles(), ...await w.texts(some) });
  const seen = (title: string): Picture =>
    Object.fromEntries(
      Object.entries(documents(texts(title)))
        .filter(([thing]) => thing.startsWith("list ") || some.includes(thing.slice("read ".length))),
    );
  // On a busy machine git may rest for long after it has removed a file, before it writes it anew.
  const between = (_: string, value: string | undefined) => value === undefined;
  await w.follow("git switch", () => git("switch", "one"), { see, between, after: seen("One") });
  await w.follow("git switch back", () => git("switch", "two"), { see, between, after: seen("Two") });
  const one = seen("One");
  await w.follow("git switch to and fro", async () => {
    await git("switch", "one");
    await git("switch", "two");
  }, { see, between: (thing, value) => value === undefined || value === one[thing], told: "perhaps" });
  await w.close(new RegExp(`^(architrave: error: docs/\\d+\\.md: ${UNREADABLE}\\. .*\\n)*$`));
}

testGroups("the program follows its roots wherever they are", [...ROOTS, ...PLACES]);
