/**
 * The program beside files that change. It is asked again and again: each answer must be the old state or the new one, and
 * once the new one was seen, nothing older may come. Each change is told once or twice, or not at all.
 */

import assert from "node:assert/strict";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { makeFolder } from "./folder.ts";
import { pause } from "./process.ts";
import type { RunOptions } from "./program.ts";
import { Program } from "./program.ts";

/** How soon a change is visible where the system reports it, and in any case, in milliseconds. */
export const ORDINARILY_MS = 300;
export const ALWAYS_MS = 2000;
/** A machine may be this many times slower than what is promised. */
const SLACK = 10;
/** How long the state must stay as it is after a change: longer than the rest of a burst is held back. */
const QUIET_MS = 1100;
/** A change that takes longer than this may be told as several, in milliseconds. */
const BURST_MS = 1000;
/** Between two questions, in milliseconds: while a change is waited for, and afterwards. */
const PAUSE_MS = 25;
const QUIET_PAUSE_MS = 200;

/** What the program shows, one line for each thing: "list docs/a" is a title, "read docs/a" a text. */
export type Picture = Readonly<Record<string, string>>;
/** Texts of documents, or texts and descriptions of prompts; null where there is none any more. */
export type Difference = Readonly<Record<string, string | null>>;
type Kind = "resources" | "prompts";

/** How a change is followed. */
export interface Following {
  /** What is asked. @default {every document} */
  see?(): Promise<Picture>;
  /** What is seen before and after. @default {what was seen last, and with the difference} */
  readonly before?: Picture;
  readonly after?: Picture;
  /** Whether a state between the old and the new one may be seen. @default {never} */
  between?(thing: string, value: string | undefined): boolean;
  /** Which lists are told to have changed: once or twice. @default {resources} */
  readonly told?: readonly Kind[] | "perhaps";
  /** How soon it is to be seen, in milliseconds; ten times as long is waited. @default {ORDINARILY_MS} */
  readonly promised?: number;
}

/** For changes of what lists do not show. */
export const UNTOLD: Following = { told: [] };
/** For what is not reported, because nothing that is watched changes. */
export const SLOWLY: Following = { promised: ALWAYS_MS };

/** The program, and the folder that it serves. */
export class Watched {
  readonly folder: string;
  readonly program: Program;
  readonly #test: TestContext;
  /** The texts of the documents, and what the prompts say, as they should be. */
  readonly #texts: Record<string, string> = {};
  readonly #prompts: Record<string, string> = {};

  private constructor(test: TestContext, folder: string, program: Program) {
    [this.#test, this.folder, this.program] = [test, folder, program];
  }

  /** Starts the program on a folder with these files, or with other arguments, and waits until it has looked at it. */
  static async start(
    test: TestContext,
    files: Readonly<Record<string, string | Uint8Array>>,
    args: (folder: string) => readonly string[] = (folder) => ["--root", folder],
    options: RunOptions | ((folder: string) => RunOptions) = {},
  ): Promise<Watched> {
    const folder = makeFolder(test, files);
    const program = new Program(args(folder), typeof options === "function" ? options(folder) : options);
    const watched = new Watched(test, folder, program);
    await program.initialize();
    const titles = await watched.titles();
    for (const name of Object.keys(titles)) {
      const key = name.slice("list ".length);
      const text = files[`resources/${key}.md`];
      if (typeof text === "string") watched.#texts[key] = text;
    }
    Object.assign(watched.#prompts, await watched.prompts());
    return watched;
  }

  /** Takes the documents that are served now for what there should be, where files do not say it. */
  async adopt(): Promise<this> {
    for (const [name, value] of Object.entries(await this.documents())) {
      if (name.startsWith("read ")) this.#texts[name.slice("read ".length)] = value;
    }
    return this;
  }

  path(name: string): string {
    return `${this.folder}/${name}`;
  }

  /** Writes a file in one go, with the folders that it needs. */
  write(name: string, content: string | Uint8Array): void {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), content);
  }

  remove(...names: readonly string[]): void {
    for (const name of names) rmSync(this.path(name), { recursive: true });
  }

  rename(from: string, to: string): void {
    renameSync(this.path(from), this.path(to));
  }

  /** The titles of all documents. */
  async titles(): Promise<Picture> {
    const { result } = await this.program.ask("resources/list");
    const resources = result!["resources"] as { uri: string; title: string }[];
    return Object.fromEntries(
      resources.map(({ uri, title }) => [`list ${uri.slice("architecture://".length)}`, title]),
    );
  }

  /** Every document: its title and its text. */
  async documents(): Promise<Picture> {
    const titles = await this.titles();
    return { ...titles, ...await this.texts(Object.keys(titles).map((name) => name.slice("list ".length))) };
  }

  /** The texts of documents. */
  async texts(keys: readonly string[]): Promise<Picture> {
    const texts: Record<string, string> = {};
    for (const key of keys) {
      const { result, error } = await this.program.ask("resources/read", { uri: `architecture://${key}` });
      if (error) assert.equal(error.code, -32002, error.message);
      else texts[`read ${key}`] = (result!["contents"] as { text: string }[])[0]!.text;
    }
    return texts;
  }

  /** Every prompt: its description, and what it says. */
  async prompts(): Promise<Picture> {
    const { result } = await this.program.ask("prompts/list");
    const picture: Record<string, string> = {};
    for (const { name, description } of result!["prompts"] as { name: string; description?: string }[]) {
      picture[`prompt ${name}`] = description ?? "";
      const got = await this.program.ask("prompts/get", { name });
      const messages = got.result?.["messages"] as { content: { text: string } }[] | undefined;
      if (messages) picture[`get ${name}`] = messages.map(({ content }) => content.text).join("\n");
    }
    return picture;
  }

  /** Makes a change, after which documents have these texts, and follows it until it is seen and all is quiet. */
  async document(
    name: string,
    change: () => unknown,
    difference: Difference = {},
    following: Following = {},
  ): Promise<void> {
    const before = documents(this.#texts);
    apply(this.#texts, difference);
    await this.follow(name, change, {
      before,
      after: documents(this.#texts),
      see: () => this.documents(),
      ...following,
    });
  }

  /** Makes a change, after which prompts have these descriptions ("prompt a") and texts ("get a"). */
  async prompt(
    name: string,
    change: () => unknown,
    difference: Difference = {},
    following: Following = {},
  ): Promise<void> {
    const before = { ...this.#prompts };
    apply(this.#prompts, difference);
    const after = { ...this.#prompts };
    await this.follow(name, change, {
      before,
      after,
      see: () => this.prompts(),
      told: ["prompts"],
      ...following,
    });
  }

  /** Makes one change and follows it. */
  async follow(name: string, change: () => unknown, following: Following): Promise<void> {
    const { see = () => this.documents(), promised = ORDINARILY_MS, told = ["resources"] } = following;
    const before = following.before ?? await see();
    const { after = before } = following;
    const started = performance.now();
    let changed: number | undefined;
    let failure: unknown;
    const changing = (async () => await change())().then(
      () => changed = performance.now(),
      (cause) => failure = cause ?? new Error("The change failed"),
    );
    let seen: number | undefined;
    for (let isQuiet = false; !isQuiet;) {
      const now = await see();
      const time = performance.now();
      if (isEqual(now, after)) seen ??= time;
      else {
        const isStale = seen !== undefined && changed !== undefined && seen > changed;
        assert.ok(!isStale, `${name}: stale after it was seen: ${JSON.stringify(now)}`);
        seen = undefined;
        assertBetween(name, before, now, after, following);
        const isLate = changed !== undefined && time - changed > SLACK * promised;
        if (isLate) assert.deepEqual(now, after, `${name}: not seen after ${SLACK * promised} ms`);
      }
      if (failure) throw failure;
      const since = changed === undefined || seen === undefined ? 0 : time - Math.max(changed, seen);
      isQuiet = since > QUIET_MS;
      await pause(since > 100 ? QUIET_PAUSE_MS : PAUSE_MS);
    }
    await changing;
    const methods = (await this.program.notices()).map(({ method }) => method);
    const at = isEqual(before, after)
      ? "nothing to see"
      : `seen ${Math.max(0, Math.round(seen! - changed!))} ms`;
    this.#test.diagnostic(`${name}: ${at} after ${Math.round(changed! - started)} ms of change`);
    if (told === "perhaps") return;
    for (const kind of ["resources", "prompts"] as const) {
      const count = methods.filter((method) => method === `notifications/${kind}/list_changed`).length;
      // What takes long is more than one burst.
      const most: number = told.includes(kind) ? 2 + Math.floor((changed! - started) / BURST_MS) : 0;
      const isRight = count >= Math.min(most, 1) && count <= most;
      assert.ok(isRight, `${name}: ${kind} were told to have changed ${count} times, not up to ${most}`);
    }
  }

  /** Ends the program and makes sure that it had nothing to complain of but this. */
  async close(errors: RegExp = /^$/): Promise<void> {
    assert.equal(await this.program.close(), 0);
    assert.match(this.program.errors, errors);
  }
}

/** What is seen of documents with these texts: their titles, which are their first headings, and the texts. */
export function documents(texts: Readonly<Record<string, string>>): Picture {
  return Object.fromEntries(
    Object.entries(texts).flatMap(([key, text]) => [
      [`list ${key}`, /^# (.*)$/m.exec(text)?.[1] ?? key.slice(key.lastIndexOf("/") + 1)],
      [`read ${key}`, text],
    ]),
  );
}

function apply(state: Record<string, string>, difference: Difference): void {
  for (const [key, value] of Object.entries(difference)) {
    if (value === null) delete state[key];
    else state[key] = value;
  }
}

function isEqual(one: Picture, other: Picture): boolean {
  const things = Object.keys(one);
  return things.length === Object.keys(other).length && things.every((thing) => one[thing] === other[thing]);
}

function assertBetween(
  name: string,
  before: Picture,
  now: Picture,
  after: Picture,
  { between }: Following,
): void {
  for (const thing of new Set([before, now, after].flatMap((picture) => Object.keys(picture)))) {
    const value = now[thing];
    if (value === before[thing] || value === after[thing] || between?.(thing, value)) continue;
    assert.fail(
      `${name}: "${thing}" is neither what it was nor what it becomes, but ${JSON.stringify(value)}`,
    );
  }
}

/** Changes that follow each other, with one program; and why they cannot be made here. */
export type Group = readonly [
  name: string,
  run: (test: TestContext) => Promise<unknown>,
  skip?: string | false,
];

/** How many programs run at a time: they wait more than they work. */
const AT_A_TIME = 12;

/** Makes a test of groups, several at a time. */
export function testGroups(name: string, groups: readonly Group[]): void {
  test(name, { concurrency: true }, async (t) => {
    const waiting = groups.values();
    await Promise.all(Array.from({ length: AT_A_TIME }, async () => {
      for (const [name, run, skip = false] of waiting) {
        await t.test(name, { skip }, (t) => run(t).then(() => {}));
      }
    }));
  });
}
