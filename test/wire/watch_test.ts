/**
 * What can happen to files, roots and links while the program serves them. It is asked again and again: each answer must be the
 * old state or the new one, and the new one must stay. Each change of a list is told once or twice, and no other change is told.
 */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, closeSync, existsSync, fsyncSync, ftruncateSync, mkdirSync, openSync } from "node:fs";
import { readdirSync, renameSync, rmSync, symlinkSync, truncateSync, unlinkSync, utimesSync } from "node:fs";
import { writeFileSync, writeSync } from "node:fs";
import { dirname, resolve } from "node:path";
import process from "node:process";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { makeFolder } from "../harness/folder.ts";
import { pause } from "../harness/process.ts";
import type { RunOptions } from "../harness/runtime.ts";
import { command, ON_DENO, Program, sandbox, withoutShipped } from "../harness/program.ts";
import { definition } from "../documents/prompts/definitions.ts";

/** How long a change may take until it is visible, in milliseconds: far longer than any machine needs. */
const MAX_WAIT_MS = 60_000;
/** How long the state must stay as it is after a change, in milliseconds: longer than the rest of a burst is held back. */
const QUIET_MS = 1100;
/** The time between two looks, in milliseconds. */
const PAUSE_MS = 60;
/** A change that takes longer than this may be told as several, in milliseconds. */
const BURST_MS = 1000;

/** What the program shows: "list docs/a" is a title, "read docs/a" a text, "prompt a" a description, "get a" a text. */
type State = Readonly<Record<string, string>>;
/** Parts of a state, null where there is none any more; "docs/a" alone is a text and the title that it has. */
type Difference = Readonly<Record<string, string | null>>;

/** How a change is followed. */
interface Following {
  /** Whether a thing may be missing for a moment. @default {false} */
  readonly gap?: boolean;
}

/** The program, and the folder that it serves. */
class Watched {
  readonly folder: string;
  readonly program: Program;
  #state: State = {};
  #handles = 0;

  private constructor(folder: string, program: Program) {
    [this.folder, this.program] = [folder, program];
  }

  /** Starts the program on a folder with these files, or with other arguments. */
  static async start(
    test: TestContext,
    files: Readonly<Record<string, string>>,
    args: (folder: string) => readonly string[] = (folder) => ["--root", folder],
    options: (folder: string) => RunOptions = () => ({}),
  ): Promise<Watched> {
    const folder = makeFolder(test, files);
    const watched = new Watched(folder, new Program(args(folder), options(folder)));
    await watched.program.initialize();
    watched.#state = await watched.look();
    watched.#handles = watched.#countHandles();
    for (const [name, text] of Object.entries(files)) {
      const [, key] = /^resources\/(.*)\.md$/.exec(name) ?? [];
      if (key !== undefined) assert.equal(watched.#state[`read ${key}`], text);
    }
    return watched;
  }

  path(name: string): string {
    return resolve(this.folder, name);
  }

  /** A change that writes a file, with the folders that it needs; a new one in one step, on a busy machine too. */
  write(name: string, content: string | Uint8Array): void {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    const isNew = !existsSync(this.path(name));
    writeFileSync(this.path(isNew ? `${name}.new` : name), content);
    if (isNew) this.rename(`${name}.new`, name);
  }

  remove(...names: readonly string[]): void {
    for (const name of names) rmSync(this.path(name), { recursive: true });
  }

  rename(from: string, to: string): void {
    renameSync(this.path(from), this.path(to));
  }

  /** Makes a link, or points an existing one elsewhere in one step; it is made where nothing is served. */
  link(target: string, name: string): void {
    symlinkSync(target, this.path("link.new"));
    this.rename("link.new", name);
  }

  /** Everything that is served. */
  async look(): Promise<State> {
    const state: Record<string, string> = {};
    const listed = async (kind: "resources" | "prompts") => {
      const { result } = await this.program.ask(`${kind}/list`);
      return result![kind] as (Readonly<Record<string, string>> & { readonly name: string })[];
    };
    for (const { uri, title } of await listed("resources")) {
      const key = uri!.slice("architecture://".length);
      state[`list ${key}`] = title!;
      const { result, error } = await this.program.ask("resources/read", { uri });
      if (error) assert.equal(error.code, -32002, error.message);
      else state[`read ${key}`] = (result!["contents"] as { text: string }[])[0]!.text;
    }
    for (const { name, description } of withoutShipped(await listed("prompts"))) {
      state[`prompt ${name}`] = description ?? "";
      const { result } = await this.program.ask("prompts/get", { name });
      const messages = result?.["messages"] as { content: { text: string } }[] | undefined;
      if (messages) state[`get ${name}`] = messages.map(({ content }) => content.text).join("\n");
    }
    return state;
  }

  /** Makes a change that makes this difference, and follows it until it is seen and all is quiet. */
  async change(
    name: string,
    make: () => unknown,
    difference: Difference = {},
    { gap = false }: Following = {},
  ): Promise<void> {
    const before = this.#state;
    const after = this.#state = withDifference(before, difference);
    const started = performance.now();
    let changed: number | undefined;
    let failure: unknown;
    const changing = (async () => await make())().then(
      () => changed = performance.now(),
      (cause) => failure = cause ?? new Error("The change failed"),
    );
    for (;;) {
      const since = changed;
      const now = await this.look();
      if (failure) throw failure;
      for (const thing of new Set([before, now, after].flatMap((state) => Object.keys(state)))) {
        const isKnown = [before[thing], after[thing]].includes(now[thing]) ||
          (gap && now[thing] === undefined);
        assert.ok(isKnown, `${name}: "${thing}" is neither old nor new, but ${JSON.stringify(now[thing])}`);
      }
      if (since !== undefined) {
        if (isDeepStrictEqual(now, after)) break;
        if (performance.now() - since > MAX_WAIT_MS) {
          assert.deepEqual(now, after, `${name}: not seen in time`);
        }
      }
      await pause(PAUSE_MS);
    }
    await changing;
    for (const ms of [PAUSE_MS, QUIET_MS - PAUSE_MS]) {
      await pause(ms);
      assert.deepEqual(await this.look(), after, `${name}: stale after it was seen`);
    }
    const methods = (await this.program.notices()).map(({ method }) => method);
    for (const [kind, prefix] of [["resources", "list "], ["prompts", "prompt "]] as const) {
      const count = methods.filter((method) => method === `notifications/${kind}/list_changed`).length;
      const isListed = !isDeepStrictEqual(partOf(before, prefix), partOf(after, prefix));
      // What takes long is more than one burst.
      const most: number = isListed ? 2 + Math.floor((changed! - started) / BURST_MS) : 0;
      const isRight = count >= Math.min(most, 1) && count <= most;
      assert.ok(isRight, `${name}: ${kind} were told to have changed ${count} times, not up to ${most}`);
    }
  }

  /** Ends the program and makes sure that it has left no file open, and has reported nothing but this. */
  async close(errors: RegExp = /^$/): Promise<void> {
    const handles = this.#countHandles();
    // Deno may open two more for itself where it cannot watch; what leaks does so with every change.
    assert.ok(handles <= this.#handles + 2, `${handles} handles are open, of ${this.#handles} at first`);
    assert.equal(await this.program.close(), 0);
    assert.match(this.program.errors, errors);
  }

  /** How many files, pipes and watches are open, where the system tells. */
  #countHandles(): number {
    const folder = `/proc/${this.program.child.pid}/fd`;
    return existsSync(folder) ? readdirSync(folder).length : 0;
  }
}

function withDifference(before: State, difference: Difference): State {
  const after: Record<string, string> = { ...before };
  for (const [key, value] of Object.entries(difference)) {
    const title = /^# (.*)$/m.exec(value ?? "")?.[1] ?? key.slice(key.lastIndexOf("/") + 1);
    const parts: [string, string][] = key.includes(" ")
      ? [[key, value ?? ""]]
      : [[`list ${key}`, title], [`read ${key}`, value ?? ""]];
    for (const [thing, text] of parts) {
      if (value === null) delete after[thing];
      else after[thing] = text;
    }
  }
  return after;
}

function partOf(state: State, prefix: string): State {
  return Object.fromEntries(Object.entries(state).filter(([thing]) => thing.startsWith(prefix)));
}

/** Changes that follow each other, with one program; and why they cannot be made here. */
type Group = readonly [
  name: string,
  run: (test: TestContext) => Promise<void>,
  skip?: string | false | undefined,
];

const ON_WINDOWS = process.platform === "win32" && "not on Windows";
const MAY_ALL = (process.platform === "win32" || process.getuid?.() === 0) && "nothing is forbidden here";

const A = "resources/docs/a.md";
const B = "resources/docs/b.md";
const OLD = "# Old\n\nGröße, 設計 🏛.\n";
const NEW = "# New\n\nSomething else: größer, 設計 🏛.\n";
const UNREADABLE = "The file or folder cannot be read";
const ONE_WARNING =
  /^architrave: warning: File changes cannot be watched here \(.+\), so files are checked every 1500 ms\n$/;

/** The ways in which programs save a file. */
const SAVING: Readonly<Record<string, (path: string, text: string) => void>> = {
  "in one go": (path, text) => writeFileSync(path, text),
  "aside, and renamed": (path, text) => {
    writeFileSync(`${path}.tmp`, text);
    renameSync(`${path}.tmp`, path);
  },
  "as vim does": (path, text) => {
    renameSync(path, `${path}~`);
    const file = openSync(path, "wx");
    writeSync(file, text);
    fsyncSync(file);
    closeSync(file);
    rmSync(`${path}~`);
  },
  "as VS Code does": (path, text) => {
    const file = openSync(path, "r+");
    ftruncateSync(file, 0);
    writeSync(file, text, 0);
    closeSync(file);
  },
  "as an older file in its place": (path, text) => {
    writeFileSync(`${path}.tmp`, text);
    utimesSync(`${path}.tmp`, 1, 1);
    renameSync(`${path}.tmp`, path);
  },
};

/** A definition file with one message. */
const prompt = (name: string, text: string, description = "Old") => definition(text, { name, description });

/** Empties a file, and fills it later. */
const refill = (w: Watched, name: string, text: string) => async () => {
  truncateSync(w.path(name));
  await pause(200);
  w.write(name, text);
};

const FILES: readonly Group[] = [
  ["the ways of saving", async (t) => {
    const w = await Watched.start(t, { [A]: "# A\n\nOld.\n", [B]: "# B\n" });
    for (const [way, save] of Object.entries(SAVING)) {
      await w.change(`saved ${way}`, () => save(w.path(A), `# ${way}\n`), { "docs/a": `# ${way}\n` });
    }
    const sed = () => execFileSync("sed", ["-i", "s/# .*/# sed/", w.path(A)]);
    if (process.platform === "linux") await w.change("saved by sed -i", sed, { "docs/a": "# sed\n" });
    await w.close();
  }],
  ["folders and categories", async (t) => {
    const w = await Watched.start(t, { "resources/docs/1/a.md": "# A\n", [B]: "# B\n" });
    const deep = "resources/docs/x/y/z/c.md";
    await w.change("a folder is renamed", () => w.rename("resources/docs/1", "resources/docs/2"), {
      "docs/1/a": null,
      "docs/2/a": "# A\n",
    });
    await w.change("nested folders with a file", () => w.write(deep, "# C\n"), { "docs/x/y/z/c": "# C\n" });
    await w.change("modify in the new folder", () => w.write(deep, "# D\n"), { "docs/x/y/z/c": "# D\n" });
    await w.change("folders vanish", () => w.remove("resources/docs/x", "resources/docs/2"), {
      "docs/x/y/z/c": null,
      "docs/2/a": null,
    });
    await w.change("a category appears", () => w.write("resources/more/m.md", "# M\n"), {
      "more/m": "# M\n",
    });
    await w.change("a category vanishes", () => w.remove("resources/more"), { "more/m": null });
    await w.close();
  }],
  ["a file that may not be read", async (t) => {
    const w = await Watched.start(t, { [A]: OLD, [B]: "# B\n" });
    await w.change("unreadable", () => {
      w.write(A, NEW);
      chmodSync(w.path(A), 0);
    }, { "docs/a": null });
    await w.change("readable", () => chmodSync(w.path(A), 0o644), { "docs/a": NEW });
    await w.close(new RegExp(`^architrave: error: docs/a\\.md: ${UNREADABLE}.*\\n$`));
  }, MAY_ALL],
  ["the folder of prompts, and documents in prompts", async (t) => {
    const w = await Watched.start(t, { [A]: "# A\n" });
    const [one, none] = [{ "prompt a": "Old", "get a": "A" }, { "prompt a": null, "get a": null }];
    await w.change("prompts/ appears", () => w.write("prompts/a.json", prompt("a", "A")), one);
    await w.change("prompts/ vanishes", () => w.remove("prompts"), none);
    await w.change("prompts/ appears again", () => w.write("prompts/a.json", prompt("a", "A")), one);
    await w.change("prompts/ vanishes and appears at once", () => {
      w.remove("prompts");
      w.write("prompts/b.json", prompt("b", "B"));
    }, { ...none, "prompt b": "Old", "get b": "B" });
    const embedding = prompt("b", "<<resource:architecture://docs/a>>");
    const embedded = (text: string) => ({ "get b": `[architecture://docs/a] ${text}\n\n# ${text}\n` });
    await w.change("a document is embedded", () => w.write("prompts/b.json", embedding), embedded("A"));
    await w.change("it is emptied, and filled after 200 ms", refill(w, A, "# New\n"), {
      "docs/a": "# New\n",
      ...embedded("New"),
    });
    await w.close();
  }],
];

const LINKED = { "store/one/x.md": "# One\n", "store/two/x.md": "# Two\n", [A]: "# A\n" };

const ROOTS: readonly Group[] = [
  ["a mounted folder", async (t) => {
    const mounted = `${makeFolder(t, { "mounted/1-a.md": "# A\n" })}/mounted`;
    const args = (folder: string) => ["--root", folder, "--mount", `adr=${mounted}`];
    const w = await Watched.start(t, { [B]: "# B\n" }, args);
    await w.change("create", () => w.write(`${mounted}/2-c.md`, "# C\n"), { "adr/2-c": "# C\n" });
    await w.change("the folder vanishes", () => w.remove(mounted), { "adr/1-a": null, "adr/2-c": null });
    const appear = () => w.write(`${mounted}/1-a.md`, "# A\n");
    await w.change("the folder comes back", appear, { "adr/1-a": "# A\n" });
    await w.change("modify after that", () => w.write(`${mounted}/1-a.md`, "# F\n"), { "adr/1-a": "# F\n" });
    await w.close(/^architrave: error: adr: The folder is missing or cannot be read\. .*\n$/);
  }],
  ["the root vanishes and comes back", async (t) => {
    const root = `${makeFolder(t, { [`root/${A}`]: "# A\n" })}/root`;
    const w = await Watched.start(t, {}, () => ["--root", root]);
    const write = (name: string, text: string) => () => w.write(`${root}/resources/docs/${name}.md`, text);
    await w.change("resources/ vanishes", () => w.remove(`${root}/resources`), { "docs/a": null });
    await w.change("resources/ comes back", write("a", "# A\n"), { "docs/a": "# A\n" });
    await w.change("the root vanishes", () => w.remove(root), { "docs/a": null });
    await w.change("the root comes back", write("b", "# B\n"), { "docs/b": "# B\n" });
    await w.change("modify after that", write("b", "# C\n"), { "docs/b": "# C\n" });
    await w.change(
      "the root vanishes and comes back at once",
      () => {
        w.remove(root);
        write("b", "# B\n")();
      },
      { "docs/b": "# B\n" },
      { gap: true },
    );
    await w.change("create after that", write("a", "# A\n"), { "docs/a": "# A\n" });
    await w.close(/^(architrave: error: (resources|docs)\b.* cannot be read\. .*\n){2,5}$/);
  }, ON_WINDOWS],
  ["the root is moved", async (t) => {
    const folder = makeFolder(t, { [`root/${A}`]: "# A\n", [`other/${B}`]: "# B\n" });
    const w = await Watched.start(t, {}, () => ["--root", `${folder}/root`]);
    const move = (from: string, to: string) => w.rename(`${folder}/${from}`, `${folder}/${to}`);
    await w.change("the root is renamed away", () => move("root", "away"), { "docs/a": null });
    await w.change("the root is renamed back", () => move("away", "root"), { "docs/a": "# A\n" });
    await w.change(
      "another root takes its place",
      () => {
        move("root", "away");
        move("other", "root");
      },
      { "docs/a": null, "docs/b": "# B\n" },
    );
    await w.change("modify after that", () => w.write(`${folder}/root/${B}`, "# C\n"), { "docs/b": "# C\n" });
    // A rescan that has found the category before the root moved reports the category as well.
    await w.close(/^(architrave: error: (resources|docs): .*\n){1,4}$/);
  }, ON_WINDOWS],
  ["the root is a link", async (t) => {
    const folder = makeFolder(t, { [`one/${A}`]: "# A\n", [`two/${B}`]: "# B\n" });
    const root = `${folder}/root`;
    symlinkSync("one", root);
    const w = await Watched.start(t, {}, () => ["--root", root]);
    await w.change(
      "it leads elsewhere",
      () => w.link("two", root),
      { "docs/a": null, "docs/b": "# B\n" },
    );
    await w.change("modify after that", () => w.write(`${folder}/two/${B}`, "# C\n"), { "docs/b": "# C\n" });
    await w.close();
  }, ON_WINDOWS],
  ["links to files", async (t) => {
    const w = await Watched.start(t, LINKED);
    const file = "resources/docs/file.md";
    const lead = (target: string) => () => w.link(target, file);
    const write = () => w.write("store/two/x.md", "# New\n");
    await w.change("a link to a file", lead("../../store/one/x.md"), { "docs/file": "# One\n" });
    await w.change("it leads elsewhere", lead("../../store/two/x.md"), { "docs/file": "# Two\n" });
    const seen = { "docs/file": "# New\n" };
    await w.change("its target is modified where nothing is watched", write, seen);
    await w.change("it leads out", lead("../../../.."), { "docs/file": null });
    await w.change("it leads nowhere", lead("nowhere"));
    await w.change("it leads somewhere", () => w.write("resources/docs/nowhere", NEW), { "docs/file": NEW });
    await w.change("it vanishes", () => unlinkSync(w.path(file)), { "docs/file": null });
    await w.close(/^(architrave: error: docs\/file\.md: (The link leads out|.* cannot be read).*\n){2}$/);
  }, ON_WINDOWS],
  ["links to folders", async (t) => {
    const w = await Watched.start(t, LINKED);
    const lead = (target: string) => () => w.link(target, "resources/docs/folder");
    const write = () => w.write("store/two/x.md", "# New\n");
    await w.change("a link to a folder", lead("../../store/one"), { "docs/folder/x": "# One\n" });
    await w.change("it leads elsewhere", lead("../../store/two"), { "docs/folder/x": "# Two\n" });
    await w.change("modify in its target", write, { "docs/folder/x": "# New\n" });
    const category = w.path("resources/docs");
    await w.change(
      "the category becomes a link out",
      () => {
        w.rename("resources/docs", "gone");
        symlinkSync("../..", category);
      },
      { "docs/a": null, "docs/folder/x": null },
    );
    await w.change(
      "it is a folder again",
      () => {
        unlinkSync(category);
        w.rename("gone", "resources/docs");
      },
      { "docs/a": "# A\n", "docs/folder/x": "# New\n" },
    );
    await w.close(/^(architrave: error: docs: (The link leads out|.* cannot be read).*\n){1,2}$/);
  }, ON_WINDOWS],
];

/** Changes where watching is restricted or fails, by how the program is started and what it reports. */
const restricted = (options: typeof exhausted, errors: RegExp) => async (t: TestContext) => {
  const files = { [A]: "# A\n", "prompts/a.json": prompt("a", "A") };
  const w = await Watched.start(t, files, undefined, (root) => options(t, root));
  const nested = () => w.write("resources/docs/x/y/z.md", "# Z\n");
  await w.change("nested folders", nested, { "docs/x/y/z": "# Z\n" });
  await w.change("modify", () => w.write(A, "# C\n"), { "docs/a": "# C\n" });
  await w.change("delete", () => w.remove(A), { "docs/a": null });
  const change = () => w.write("prompts/a.json", prompt("a", "B", "New"));
  await w.change("a prompt", change, { "prompt a": "New", "get a": "B" });
  await w.close(errors);
};
const RESTRICTED: readonly Group[] = [
  [
    "with read access to the root alone",
    restricted((_, folder) => ({ runtimeFlags: sandbox(folder) }), /^$/),
  ],
  [
    "where the system has no more watches",
    restricted(exhausted, ONE_WARNING),
    !canExhaust() && "only for Linux where every user may have a namespace",
  ],
];

/** A shell command that runs another one in a namespace that may watch nothing. */
function exhausting(...args: readonly string[]): string[] {
  return ["-Ur", "sh", "-c", 'echo 0 > /proc/sys/user/max_inotify_instances && exec "$0" "$@"', ...args];
}

function exhausted(test: TestContext, root: string): RunOptions {
  const [file, args] = command(["--root", root]);
  const folder = makeFolder(test, {
    "launch.mjs": `import { spawn } from "node:child_process";
    import process from "node:process";
    const child = spawn("unshare", ${JSON.stringify(exhausting(file, ...args))}, { stdio: "inherit" });
    child.on("close", (code) => process.exit(code ?? 1));`,
  });
  return { module: `${folder}/launch.mjs`, ...(ON_DENO ? { runtimeFlags: ["-A"] } : {}) };
}

function canExhaust(): boolean {
  try {
    execFileSync("unshare", exhausting("true"), { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

// Side by side: they wait more than they work.
test("the program follows its files, roots and links", { concurrency: true }, async (t) => {
  const groups = [...FILES, ...ROOTS, ...RESTRICTED];
  await Promise.all(groups.map(([name, run, skip = false]) => t.test(name, { skip }, run)));
});
