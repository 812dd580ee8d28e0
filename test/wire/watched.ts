/**
 * The program beside files that change. It is asked again and again: each answer must be the old state or the new one, and
 * the new one must stay. Each change of a list is told once or twice, and no other change is told.
 */

import assert from "node:assert/strict";
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { makeFolder } from "../harness/folder.ts";
import { pause } from "../harness/process.ts";
import type { RunOptions } from "../harness/runtime.ts";
import { Program, withoutShipped } from "../harness/program.ts";

/** How soon a change is visible where the system reports it, and in any case, in milliseconds. */
const ORDINARILY_MS = 300;
const ALWAYS_MS = 2000;
/** A machine may be this many times slower than what is promised. */
const SLACK = 10;
/** How long the state must stay as it is after a change: longer than the rest of a burst is held back. */
const QUIET_MS = 1100;
/** A change that takes longer than this may be told as several, in milliseconds. */
const BURST_MS = 1000;
/** Between two looks, in milliseconds. */
const PAUSE_MS = 60;

/** What the program shows: "list docs/a" is a title, "read docs/a" a text, "prompt a" a description, "get a" a text. */
export type State = Readonly<Record<string, string>>;
/** Parts of a state, null where there is none any more; "docs/a" alone is a text and the title that it has. */
export type Difference = Readonly<Record<string, string | null>>;

/** How a change is followed. */
export interface Following {
  /** Whether nothing that is watched changes, so that it takes the next regular rescan to see it. @default {false} */
  readonly slowly?: boolean;
  /** Whether a thing may be missing for a moment. @default {false} */
  readonly gap?: boolean;
}

/** For what is not reported by the system. */
export const SLOWLY: Following = { slowly: true };

/** The program, and the folder that it serves. */
export class Watched {
  readonly folder: string;
  readonly program: Program;
  #state: State = {};

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
    for (const [name, text] of Object.entries(files)) {
      const [, key] = /^resources\/(.*)\.md$/.exec(name) ?? [];
      if (key !== undefined) assert.equal(watched.#state[`read ${key}`], text);
    }
    return watched;
  }

  path(name: string): string {
    return name.startsWith("/") ? name : `${this.folder}/${name}`;
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
    const listed = async (kind: "resources" | "prompts") =>
      (await this.program.ask(`${kind}/list`))
        .result![kind] as (Readonly<Record<string, string>> & { readonly name: string })[];
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
    { slowly = false, gap = false }: Following = {},
  ): Promise<void> {
    const before = this.#state;
    const after = this.#state = withDifference(before, difference);
    const mostMs = SLACK * (slowly ? ALWAYS_MS : ORDINARILY_MS);
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
        if (isEqual(now, after)) break;
        if (performance.now() - since > mostMs) assert.deepEqual(now, after, `${name}: not seen in time`);
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
      const isListed = !isEqual(partOf(before, prefix), partOf(after, prefix));
      // What takes long is more than one burst.
      const most: number = isListed ? 2 + Math.floor((changed! - started) / BURST_MS) : 0;
      const isRight = count >= Math.min(most, 1) && count <= most;
      assert.ok(isRight, `${name}: ${kind} were told to have changed ${count} times, not up to ${most}`);
    }
  }

  /** Ends the program and makes sure that it reported nothing but this. */
  async close(errors: RegExp = /^$/): Promise<void> {
    assert.equal(await this.program.close(), 0);
    assert.match(this.program.errors, errors);
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

function isEqual(one: State, other: State): boolean {
  const things = Object.keys(one);
  return things.length === Object.keys(other).length && things.every((thing) => one[thing] === other[thing]);
}

/** Changes that follow each other, with one program; and why they cannot be made here. */
export type Group = readonly [
  name: string,
  run: (test: TestContext) => Promise<unknown>,
  skip?: string | false,
];

/** Makes a test of groups, which run side by side: they wait more than they work. */
export function testGroups(name: string, groups: readonly Group[]): void {
  test(name, { concurrency: true }, async (t) => {
    await Promise.all(
      groups.map(([name, run, skip = false]) => t.test(name, { skip }, async (t) => void await run(t))),
    );
  });
}
