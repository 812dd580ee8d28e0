/**
 * How is it shown that the program follows its files? It is asked again and again while they change: each answer must be
 * the old state or the new one, and once the new one was seen, nothing older may come.
 */

import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { RunOptions } from "./program.ts";
import { makeFolder } from "./folder.ts";
import { Program } from "./program.ts";

/** How soon a change can be seen: where the system reports it, in milliseconds. */
export const ORDINARILY_MS = 300;
/** How soon a change can be seen whatever the system reports, in milliseconds. */
export const ALWAYS_MS = 2000;
/** A machine may be this many times slower than what is promised. */
const SLACK = 10;
/** How long the state must stay as it is after a change: longer than the rest of a burst is held back. */
const QUIET_MS = 1100;
/** A change that takes longer than this may be told as several, in milliseconds. */
const BURST_MS = 1000;
/** Between two questions, in milliseconds. */
const PAUSE_MS = 10;

/** What the program shows, one line for each thing: "list docs/a" is a title, "read docs/a" a text. */
export type Picture = Readonly<Record<string, string>>;

/** The two kinds of notices, in short. */
type Kind = "resources" | "prompts";

/** One change, and what must be seen of it. */
export interface Row {
  /** Changes the files. What it does before its first `await` is done before anything is asked. */
  change(): void | Promise<void>;
  /** What is asked. @default {documents} */
  see?(): Promise<Picture>;
  /** What is seen before the change. @default {what is seen now} */
  readonly before?: Picture;
  /** What is seen after it. @default {the same} */
  readonly after?: Picture;
  /** Whether a state between the old and the new one may be seen. @default {never} */
  between?(thing: string, value: string | undefined): boolean;
  /** Which lists are told to have changed: once or twice. @default {none} */
  readonly told?: readonly Kind[] | "perhaps";
  /** How soon it is to be seen, in milliseconds; ten times as long is waited. @default {ORDINARILY_MS} */
  readonly promised?: number;
}

/** Rows that follow each other, with one program. */
export interface Group {
  readonly name: string;
  /** Why it cannot be run here. @default {it can} */
  readonly skip?: string | false;
  run(test: TestContext): Promise<void>;
}

/** The program, running beside files that change. */
export class Watched {
  /** Where the files are. */
  readonly folder: string;
  readonly program: Program;

  private constructor(folder: string, program: Program) {
    this.folder = folder;
    this.program = program;
  }

  /**
   * Starts the program with the folder as its root, or with other arguments, and waits until it has looked at the files
   * once.
   */
  static async start(
    test: TestContext,
    files: Readonly<Record<string, string | Uint8Array>>,
    args: (folder: string) => readonly string[] = (folder) => ["--root", folder],
    options: RunOptions | ((folder: string) => RunOptions) = {},
  ): Promise<Watched> {
    const folder = makeFolder(test, files);
    const program = new Program(args(folder), typeof options === "function" ? options(folder) : options);
    const watched = new Watched(folder, program);
    await program.initialize();
    await watched.titles();
    await watched.prompts();
    return watched;
  }

  /** Where a file is. */
  path(name: string): string {
    return `${this.folder}/${name}`;
  }

  /** Writes a file in one go, with the folders that it needs. */
  write(name: string, content: string | Uint8Array): void {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), content);
  }

  /** Removes a file or a folder. */
  remove(name: string): void {
    rmSync(this.path(name), { recursive: true });
  }

  /** Every document: its title, and its text. */
  async documents(): Promise<Picture> {
    const picture: Record<string, string> = { ...await this.titles() };
    for (const name of Object.keys(picture)) {
      const key = name.slice("list ".length);
      const text = await this.read(key);
      if (text !== undefined) picture[`read ${key}`] = text;
    }
    return picture;
  }

  /** The titles of all documents. */
  async titles(): Promise<Picture> {
    const { result } = await this.program.ask("resources/list");
    const resources = result!["resources"] as { uri: string; title: string }[];
    return Object.fromEntries(
      resources.map(({ uri, title }) => [`list ${uri.slice("architecture://".length)}`, title]),
    );
  }

  /** The text of one document; undefined when it is not found. */
  async read(key: string): Promise<string | undefined> {
    const { result, error } = await this.program.ask("resources/read", { uri: `architecture://${key}` });
    if (error) assert.equal(error.code, -32002, error.message);
    return (result?.["contents"] as { text: string }[] | undefined)?.[0]?.text;
  }

  /** A function that looks at the texts of these documents and at nothing else. */
  only(...keys: string[]): () => Promise<Picture> {
    return async () => {
      const texts: Record<string, string> = {};
      for (const key of keys) {
        const text = await this.read(key);
        if (text !== undefined) texts[`read ${key}`] = text;
      }
      return texts;
    };
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

  /** Makes one change that is told, after which there are documents with these texts, and no others. */
  becomes(
    test: TestContext,
    name: string,
    change: () => void | Promise<void>,
    texts: Readonly<Record<string, string>>,
    row: Partial<Row> = {},
  ): Promise<void> {
    return this.row(test, name, { change, after: documents(texts), told: ["resources"], ...row });
  }

  /** Makes one change and follows it until it is seen and everything is quiet again. */
  async row(test: TestContext, name: string, row: Row): Promise<void> {
    const see = row.see ?? (() => this.documents());
    const before = row.before ?? await see();
    const { after = before, promised = ORDINARILY_MS, told = [] } = row;
    let changed: number | undefined;
    const started = performance.now();
    let failure: unknown;
    const changing = (async () => await row.change())().then(
      () => changed = performance.now(),
      (cause) => failure = cause ?? new Error("The change failed"),
    );
    let seen: number | undefined;
    let longest = 0;
    for (let isQuiet = false; !isQuiet; await pause(PAUSE_MS)) {
      const asked = performance.now();
      const now = await see();
      const time = performance.now();
      longest = Math.max(longest, time - asked);
      if (isEqual(now, after)) seen ??= time;
      else {
        const isStale = seen !== undefined && changed !== undefined && seen > changed;
        assert.ok(!isStale, `${name}: stale after it was seen: ${JSON.stringify(now)}`);
        seen = undefined;
        assertBetween(name, before, now, row);
        const late = changed !== undefined && time - changed > SLACK * promised;
        if (late) assert.deepEqual(now, after, `${name}: not seen after ${SLACK * promised} ms`);
      }
      if (failure) throw failure;
      isQuiet = changed !== undefined && seen !== undefined && time - Math.max(changed, seen) > QUIET_MS;
    }
    await changing;
    const counts = await this.#told();
    const isChange = !isEqual(before, after);
    test.diagnostic(
      `${name}: ${isChange ? `seen ${Math.max(0, Math.round(seen! - changed!))} ms` : "nothing to see"} ` +
        `after ${Math.round(changed! - started)} ms of change, longest answer ${Math.round(longest)} ms, ` +
        `told ${counts.resources} + ${counts.prompts}`,
    );
    if (told === "perhaps") return;
    for (const kind of ["resources", "prompts"] as const) {
      // What takes long is more than one burst.
      const most: number = told.includes(kind) ? 2 + Math.floor((changed! - started) / BURST_MS) : 0;
      const least = Math.min(most, 1);
      const count: number = counts[kind];
      assert.ok(
        count >= least && count <= most,
        `${name}: ${count} notices of ${kind}, not ${least} to ${most}`,
      );
    }
  }

  /** Ends the program and makes sure that it had nothing to complain of but this. */
  async close(errors: RegExp | "" = ""): Promise<void> {
    assert.equal(await this.program.close(), 0);
    if (errors === "") assert.equal(this.program.errors, "");
    else assert.match(this.program.errors, errors);
  }

  async #told(): Promise<Record<Kind, number>> {
    const methods = (await this.program.notices()).map(({ method }) => method);
    const count = (kind: Kind) =>
      methods.filter((method) => method === `notifications/${kind}/list_changed`).length;
    return { resources: count("resources"), prompts: count("prompts") };
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

function isEqual(one: Picture, other: Picture): boolean {
  const things = Object.keys(one);
  return things.length === Object.keys(other).length && things.every((thing) => one[thing] === other[thing]);
}

function assertBetween(name: string, before: Picture, now: Picture, { after = before, between }: Row): void {
  for (const thing of new Set([before, now, after].flatMap((picture) => Object.keys(picture)))) {
    const value = now[thing];
    if (value === before[thing] || value === after[thing] || between?.(thing, value)) continue;
    assert.fail(
      `${name}: "${thing}" is neither what it was nor what it becomes, but ${JSON.stringify(value)}`,
    );
  }
}
