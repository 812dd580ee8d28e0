/** A file of code: its text, its comments and the modules that it imports. */

import type { Language } from "./languages.ts";
import { languageOf } from "./languages.ts";

/** The maximum length of the names in a statement, in UTF-16 units, and the maximum depth of its braces. */
const MAX_NAMES = 10_000, MAX_DEPTH = 16;

/** The minimum length of a text between quotes that may be a comment, in UTF-16 units. */
const MIN_PROSE = 40;

/** A file of code. Its parts are read when they are first needed. */
export class Code {
  readonly path: string;
  /** With LF as line ends. */
  readonly text: string;
  readonly #language: Language | undefined;
  #lines: readonly string[] | undefined;
  #bare: string | undefined;
  #imports: readonly { name: string; line: number }[] | undefined;

  constructor(path: string, text: string) {
    this.path = path;
    this.text = text.replace(/\r\n?/g, "\n");
    this.#language = languageOf(path);
  }

  get lines(): readonly string[] {
    return this.#lines ??= this.text.split("\n");
  }

  /** The text, as long as before, with spaces for comments and blank texts between double quotes; "" in an unknown language. */
  get bare(): string {
    return this.#bare ??= !this.#language
      ? ""
      : this.text.replace(this.#language.tokens, (token, comment) => {
        if (comment !== undefined) return token.replace(/[^\n]/g, " ");
        return token.length < 2 ? " " : `"${token.slice(1, -1).replace(/[^\n]/g, "\x01")}"`;
      }).replaceAll("\\\n", " \v");
  }

  /** The comments and the long texts, which may be comments too. */
  get prose(): readonly string[] {
    return Array.from(this.text.matchAll(this.#language?.tokens ?? /$^/g))
      .flatMap(([token, comment]) => comment ?? (token.length > MIN_PROSE ? token : []));
  }

  /** The modules that the file imports, by line, counted from 1. The name of a package has no version; no path is relative. */
  get imports(): readonly { name: string; line: number }[] {
    if (this.#imports) return this.#imports;
    const found: { name: string; index: number }[] = [];
    for (const pattern of this.#language?.imports ?? []) {
      for (const { 0: statement, 1: first, 2: names, index } of this.bare.matchAll(pattern)) {
        const tree = names === undefined ? first : `${first},${first}.{${names}}`;
        for (const name of tree === undefined ? [] : namesIn(tree)) found.push({ name, index });
        for (const { 0: quoted, index: at } of tree === undefined ? statement.matchAll(/"[^"\n]*"/g) : []) {
          const start = index + at + 1;
          found.push({ name: this.text.slice(start, start + quoted.length - 2), index: start });
        }
      }
    }
    let line = 1, end = this.text.indexOf("\n");
    return this.#imports = found.sort((one, other) => one.index - other.index).map(({ name, index }) => {
      for (; end >= 0 && end < index; end = this.text.indexOf("\n", end + 1)) line++;
      // Deno names packages with their registry and version.
      const plain = name.replace(/^(?:npm:|jsr:)\/?|^global::|^::|^\\|`/g, "").replace(/(?<=\w)@[^/]*/, "");
      return { name: plain, line };
    }).filter(({ name }) => !/^(?:\.|$)|\$\{/.test(name));
  }
}

/** The names in `a::{b, c::{self, d as e}}`, but not those of the same program in Rust. */
function* namesIn(tree: string): Generator<string> {
  const outer: string[] = [];
  let prefix = "", name = "";
  for (const [token] of `${tree.slice(0, MAX_NAMES)},`.matchAll(/[{},]|[^{},]+/g)) {
    if (token === "{") {
      if (outer.push(prefix) > MAX_DEPTH) return;
      prefix += name;
      name = "";
    } else if (token === "," || token === "}") {
      if (name !== "" && !/^(?:crate|self|super)\b/.test(prefix + name)) {
        yield (prefix + name).replace(/::self$/, "");
      }
      name = "";
      if (token === "}") prefix = outer.pop() ?? "";
    } else name = /^\s*(\S*)/.exec(token)![1]!;
  }
}
