/** The text of a file of code: its lines, its comments and the modules that it imports. */

import type { ImportForm, Language } from "./languages.ts";
import { LANGUAGE_OF } from "./languages.ts";

/** A module that a file imports. */
export interface Import {
  /** As in the code, but without the version of a package: "moment/locale/de", "tokio::sync". Never a relative path. */
  readonly name: string;
  /** The index of the statement's name in the text. */
  readonly index: number;
}

/** The maximum length of a statement that imports, in UTF-16 units, and the maximum depth of its braces. */
const MAX_STATEMENT = 10_000, MAX_DEPTH = 16;
/** What stands for the characters of a text between quotes. */
const FILLER = "\x01";
/** The first part of a module's name in Rust that says where it is in the same program. */
const OWN_CRATE = /^(?:crate|self|super)\b/;

/** A file of code. Its parts are read when they are first needed. */
export class Code {
  readonly path: string;
  /** With LF as line ends. */
  readonly text: string;
  readonly #language: Language | undefined;
  #lineStarts: number[] | undefined;
  #bare: string | undefined;
  #imports: Import[] | undefined;

  constructor(path: string, text: string) {
    this.path = path;
    this.text = text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
    this.#language = LANGUAGE_OF.get(/\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? "");
  }

  /** The number of the line of an index, counted from 1. */
  lineAt(index: number): number {
    const starts = this.#starts();
    let low = 0, high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (starts[middle]! <= index) low = middle;
      else high = middle;
    }
    return low + 1;
  }

  /** The text of a line, without its end. */
  line(number: number): string {
    const starts = this.#starts(), next = starts[number];
    return this.text.slice(starts[number - 1], next && next - 1);
  }

  #starts(): readonly number[] {
    if (this.#lineStarts) return this.#lineStarts;
    const starts = [0];
    for (let end = this.text.indexOf("\n"); end >= 0; end = this.text.indexOf("\n", end + 1)) {
      starts.push(end + 1);
    }
    return this.#lineStarts = starts;
  }

  /** Whether a character is in a comment or in a text between quotes. In an unknown language, all may be. */
  isComment(index: number): boolean {
    return !this.#language || this.#withoutTexts()[index] !== this.text[index];
  }

  /** The modules that the file imports, sorted by line. */
  imports(): readonly Import[] {
    if (this.#imports) return this.#imports;
    const found: Import[] = [], bare = this.#language ? this.#withoutTexts() : "";
    for (const [pattern, form] of this.#language?.imports ?? []) {
      for (const match of bare.matchAll(pattern)) {
        for (const [raw, at] of FORMS[form](match, this.text)) {
          // Deno names packages with their registry and version.
          const name = raw.replace(/^(?:npm:|jsr:)\/?|^global::|^::|^\\|`/g, "").replace(/(?<=\w)@[^/]*/, "");
          if (name !== "" && !name.startsWith(".")) found.push({ name, index: match.index + at });
        }
      }
    }
    return this.#imports = found.sort((one, other) => one.index - other.index);
  }

  /** The text, as long as before, with spaces for comments and blank texts between double quotes. */
  #withoutTexts(): string {
    return this.#bare ??= this.text.replace(this.#language!.tokens, (token, comment?: string) => {
      if (comment !== undefined) return token.replace(/[^\n]/g, " ");
      return token.length < 2 ? " " : `"${token.slice(1, -1).replace(/[^\n]/g, FILLER)}"`;
    }).replaceAll("\\\n", " \v");
  }
}

type Found = readonly [name: string, at: number];

/** Reads the names of the modules in a match, and where they are in it. */
const FORMS: Readonly<Record<ImportForm, (match: RegExpExecArray, text: string) => Iterable<Found>>> = {
  *quoted({ 0: statement, index }, text) {
    for (const { 0: quoted, index: at } of statement.matchAll(/"[^"\n]*"/g)) {
      const name = text.slice(index + at + 1, index + at + quoted.length - 1);
      if (!name.includes("${")) yield [name, at];
    }
  },
  *names({ 0: statement, 1: names = "" }) {
    const at = statement.length - names.length;
    for (const name of names.slice(0, MAX_STATEMENT).split(",")) yield [firstWord(name), at];
  },
  *from({ 0: statement, 1: module = "", 2: inner, 3: names = "" }) {
    const at = statement.indexOf(module);
    yield [module, at];
    for (const name of (inner ?? names).slice(0, MAX_STATEMENT).split(",")) {
      if (firstWord(name) !== "") yield [`${module}.${firstWord(name)}`, at];
    }
  },
  *tree({ 0: statement, 1: tree = "" }) {
    const at = statement.length - tree.length, outer: string[] = [];
    let prefix = "", name = "";
    for (const [token] of `${tree.slice(0, MAX_STATEMENT)},`.matchAll(/[{},]|[^{},]+/g)) {
      if (token === "{") {
        if (outer.push(prefix) > MAX_DEPTH) return;
        prefix += name;
        name = "";
      } else if (token === "," || token === "}") {
        const path = (prefix + name).replace(/::self$/, "");
        if (name !== "" && !OWN_CRATE.test(path)) yield [path, at];
        name = "";
        if (token === "}") prefix = outer.pop() ?? "";
      } else name = firstWord(token);
    }
  },
};

/** Without "as name". */
const firstWord = (text: string): string => /^\s*(\S*)/.exec(text)![1]!;
