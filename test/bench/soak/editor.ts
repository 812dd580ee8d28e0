/** What does a team do to its documents all day? Edits of every kind, each of which says what must be there afterwards. */
import { existsSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { pick } from "../random.ts";

/** How many documents there can be. */
const NAMES = 200;
/** How long a writer pauses between emptying a file and filling it, in milliseconds. */
const HALF_WAY_MS = 200;
/** How many documents change at once in a burst. */
const BURST = 50;

/** The documents as they must be, by key: the text, or undefined for one that is not there. */
export type Expected = Map<string, string | undefined>;

/** Edits a folder of documents. */
export class Editor {
  /** What was made of which document, all told. */
  readonly expected: Expected = new Map();
  readonly #root: string;
  readonly #random: () => number;
  #version = 0;

  constructor(root: string, random: () => number) {
    this.#root = root;
    this.#random = random;
    for (let number = 0; number < NAMES; number++) {
      const key = `c${number % 4}/${number % 3 === 0 ? "deep/er/" : ""}d${number}`;
      this.#write(key);
    }
  }

  /** Every document that there ever is. */
  get keys(): string[] {
    return [...this.expected.keys()];
  }

  /** Does one thing; gives its kind and the documents that have another text now. */
  async edit(): Promise<{ kind: string; changed: string[] }> {
    const kinds = ["write", "write", "write", "aside", "aside", "empty", "delete", "touch", "rename", "burst", "folder"];
    const kind = pick(kinds, this.#random);
    const key = pick(this.keys, this.#random);
    const path = this.#path(key);
    switch (kind) {
      case "aside":
        writeFileSync(`${this.#root}/resources/c0/.aside`, this.#text(key));
        mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
        renameSync(`${this.#root}/resources/c0/.aside`, path);
        return { kind, changed: [key] };
      case "empty":
        if (this.expected.get(key) !== undefined) writeFileSync(path, "");
        await pause(HALF_WAY_MS);
        this.#write(key);
        return { kind, changed: [key] };
      case "delete":
        rmSync(path, { force: true });
        this.expected.set(key, undefined);
        return { kind, changed: [key] };
      case "touch":
        if (this.expected.get(key) !== undefined) utimesSync(path, new Date(), new Date());
        return { kind, changed: [] };
      case "rename":
        return { kind, changed: this.#rename(key, pick(this.keys, this.#random)) };
      case "burst":
        return { kind, changed: Array.from({ length: BURST }, () => this.#write(pick(this.keys, this.#random))) };
      case "folder":
        return { kind, changed: this.#removeAndRestore() };
      default:
        return { kind, changed: [this.#write(key)] };
    }
  }

  #rename(from: string, to: string): string[] {
    const text = this.expected.get(from);
    if (text === undefined || from === to) return [];
    mkdirSync(this.#path(to).slice(0, this.#path(to).lastIndexOf("/")), { recursive: true });
    renameSync(this.#path(from), this.#path(to));
    this.expected.set(from, undefined);
    this.expected.set(to, text);
    return [from, to];
  }

  /** A folder goes as a whole, and comes back with new texts at once. */
  #removeAndRestore(): string[] {
    const folder = pick(["c1", "c2/deep"], this.#random);
    rmSync(`${this.#root}/resources/${folder}`, { recursive: true, force: true });
    return this.keys.filter((key) => key.startsWith(`${folder}/`)).map((key) => this.#write(key));
  }

  #write(key: string): string {
    const path = this.#path(key);
    const folder = path.slice(0, path.lastIndexOf("/"));
    if (!existsSync(folder)) mkdirSync(folder, { recursive: true });
    writeFileSync(path, this.#text(key));
    return key;
  }

  #path(key: string): string {
    return `${this.#root}/resources/${key}.md`;
  }

  /** A text that says at both ends which one it is, so that half of it is noticed. */
  #text(key: string): string {
    const version = ++this.#version;
    const text = `# ${key}\n\nBegin ${version}.\n\n${"word ".repeat(20 + version % 2000)}\n\nEnd ${version}.\n`;
    this.expected.set(key, text);
    return text;
  }
}
