/**
 * Reads a document of YAML 1.2 (core schema, https://yaml.org/spec/1.2.2/) as JSON values, in linear time. Not supported: tags,
 * complex keys, several documents in one text, and numbers that JSON lacks; errors say so. `<<` is an ordinary key.
 */

import { shortened } from "../base/text.ts";

/** How a document is read. */
export interface YamlOptions {
  /** Keeps numbers and booleans verbatim, as text: "1.10", "true". */
  readonly verbatim?: boolean;
  /** Refuses numbers with more digits than every reader keeps. */
  readonly exact?: boolean;
}

/** The text is not valid or not supported. Lines and columns are counted from 1. */
export class YamlError extends Error {
  override readonly name = "YamlError";
  readonly line: number;
  /** The message without the place. */
  readonly reason: string;

  constructor(line: number, column: number, reason: string) {
    super(`line ${line}, column ${column}: ${reason}`);
    this.line = line;
    this.reason = reason;
  }
}

/** Reads a document. Aliases share a value. @throws {YamlError} When it is not valid, or an object has a key twice. */
export function readYaml(text: string, options: YamlOptions = {}): unknown {
  return new Reader(text, options).document();
}

const TAB = 9, LINE_END = 10, SPACE = 32, HASH = 35;
/** The number of nodes and characters that any document may have when its aliases are expanded. */
const FREE_SIZE = 10_000;
/** The number of further ones for each character of the text. */
const MAX_GROWTH = 10;
const TABBED = "a tab cannot indent: use spaces";
const ONE_ANCHOR = "a value can have only one anchor, and an alias cannot have one";
const COMPLEX = "complex keys are not supported: a key must be a text before a colon";
/** The maximum depth of nesting. */
const MAX_DEPTH = 200;
/** The maximum number of characters of the text that a message quotes. */
const MAX_FOUND = 40;
/** Each of these patterns finds the character at which a scan stops. Every text ends with a line end. */
const BLOCK_STOP = /\n|:(?=[ \t\n])|[ \t](?=#)/g, FLOW_STOP = /[\n,[\]{}]|:(?=[ \t\n,[\]{}])|[ \t](?=#)/g;
const DOUBLE_STOP = /["\\\n]/g, SINGLE_STOP = /['\n]/g;
const BLOCK_START = /[^ \t\n,[\]{}#&*!|>'"%@`?:-]|[?:-](?=[^ \t\n])/y;
const FLOW_START = /[^ \t\n,[\]{}#&*!|>'"%@`?:-]|[?:-](?=[^ \t\n,[\]{}])/y;
const NAME = /[&*]([^ \t\n,[\]{}]+)/y;
const BLOCK_HEADER = /[|>](?:([-+])([1-9])?|([1-9])([-+])?)?(?:[ \t]+#.*|[ \t]*)\n/y;
/** The line ends between two lines without further indentation. */
const FOLD = /\n(?<=^[^ \t\n].*\n)(\n*)(?=[^ \t\n])/gm;
const DIRECTIVE = /%YAML[ \t]+1\.\d+[ \t]*(?:[ \t]#.*)?\n/y;
/** Characters that YAML does not allow, even in quotes. */
// deno-lint-ignore no-control-regex
const UNPRINTABLE = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]|\p{Surrogate}/u;
/** The values of the core schema other than texts: null, booleans, and numbers, including those that JSON lacks. */
const VALUE =
  /^(?:(~|null|Null|NULL|)|(true|True|TRUE)|(false|False|FALSE)|[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?|0x[\da-fA-F]+|0o[0-7]+|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
/** The characters that may follow a backslash, and their meanings in the same order. */
const ESCAPED = '0abt\tnvfre "/\\N_LP', ESCAPES = '\0\x07\b\t\t\n\v\f\r\x1b "/\\\x85\xa0\u2028\u2029';
const CODE = /x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}/y;

class Reader {
  readonly #text: string;
  readonly #options: YamlOptions;
  readonly #anchors = new Map<string, { value: unknown; size: number } | undefined>();
  #at = 0;
  #lineStart = 0;
  /** The number of spaces at the start of the line. */
  #indent = 0;
  /** The index of the first text of the line. */
  #first = 0;
  /** The number of nodes and characters so far, with the aliases expanded. */
  #size = 0;

  constructor(text: string, options: YamlOptions) {
    const lines = text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
    this.#text = lines.endsWith("\n") ? lines : `${lines}\n`;
    this.#options = options;
  }

  document(): unknown {
    const bad = this.#text.search(UNPRINTABLE);
    if (bad >= 0) {
      const code = this.#text.charCodeAt(bad).toString(16).toUpperCase().padStart(4, "0");
      throw this.#error(`the character U+${code} is not allowed: in double quotes, write "\\u${code}"`, bad);
    }
    this.#startLine(0);
    this.#skip();
    if (this.#text[this.#at] === "%" && this.#at === this.#lineStart) {
      if (!this.#match(DIRECTIVE)) throw this.#found("the only directive that is supported is %YAML 1.2");
      this.#startLine(this.#at);
      this.#skip();
      if (!this.#isMarker("-")) throw this.#found("a line of three dashes must follow a directive");
    }
    if (this.#isMarker("-")) this.#at += 3;
    const value = this.#node(-1, 0);
    this.#skip();
    if (!this.#isEnd()) throw this.#found("the document must end, or continue with the same indentation");
    while (this.#isMarker(".")) {
      this.#at += 3;
      if (!this.#skip() && this.#at < this.#text.length) throw this.#found("the line must end");
    }
    if (this.#at >= this.#text.length) return value;
    throw this.#found("the file must end: several documents in one file are not supported");
  }

  #error(reason: string, at = this.#at): YamlError {
    const before = this.#text.slice(0, at).split("\n");
    return new YamlError(before.length, before.at(-1)!.length + 1, reason);
  }

  /** An error that quotes the text. */
  #found(expected: string, at = this.#at): YamlError {
    const line = this.#text.slice(at, at + MAX_FOUND + 1).split("\n", 1)[0]!.trimEnd();
    const isOver = at >= this.#text.length;
    const what = isOver ? "the end" : line === "" ? "the end of the line" : `"${shortened(line, MAX_FOUND)}"`;
    return this.#error(`found ${what}, but ${expected}`, at);
  }

  #startLine(start: number): void {
    this.#lineStart = this.#at = start;
    while (this.#text.charCodeAt(this.#at) === SPACE) this.#at++;
    this.#indent = this.#at - start;
    this.#first = this.#at;
    while (isWhite(this.#text.charCodeAt(this.#first))) this.#first++;
  }

  /** Moves over white space, line ends and comments to the next text; returns whether it is the first one of its line. */
  #skip(overComments = true): boolean {
    const text = this.#text;
    for (;;) {
      const code = text.charCodeAt(this.#at);
      const isComment = code === HASH && overComments &&
        (this.#at === this.#lineStart || isWhite(text.charCodeAt(this.#at - 1)));
      if (isComment) this.#at = text.indexOf("\n", this.#at);
      else if (code === LINE_END) this.#startLine(this.#at + 1);
      else if (isWhite(code)) this.#at++;
      else break;
    }
    return this.#at === this.#first;
  }

  #skipWhite(): void {
    while (isWhite(this.#text.charCodeAt(this.#at))) this.#at++;
  }

  /** Moves to the next line of a text; returns the number of line ends. */
  #breaks(): number {
    const before = this.#at;
    this.#skip(false);
    return this.#text.slice(before, this.#at).split("\n").length - 1;
  }

  /** Whether a line of three dashes or dots begins here. */
  #isMarker(mark: "-" | "."): boolean {
    const [at, text] = [this.#at, this.#text];
    return at === this.#lineStart && text.startsWith(mark.repeat(3), at) && " \t\n".includes(text[at + 3]!);
  }

  #isEnd(): boolean {
    return this.#at >= this.#text.length || this.#isMarker("-") || this.#isMarker(".");
  }

  /** Whether a character is here, followed by white space. */
  #isIndicator(mark: string, at = this.#at): boolean {
    if (this.#text[at] !== mark) return false;
    const next = this.#text.charCodeAt(at + 1);
    return isWhite(next) || next === LINE_END;
  }

  /** The index of the next match of a pattern for one character. */
  #find(pattern: RegExp): number {
    pattern.lastIndex = this.#at;
    return pattern.test(this.#text) ? pattern.lastIndex - 1 : this.#text.length;
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text) ?? undefined;
    if (found) this.#at = pattern.lastIndex;
    return found;
  }

  /**
   * The next node; null when it is not indented more than `parent`. A list that is the value of a key may be indented like the
   * key. After a dash, an object or a list may begin in the same line. An anchor may not be followed by another anchor or an alias.
   */
  #node(parent: number, depth: number, place?: "key" | "dash", isNamed = false): unknown {
    const before = this.#at;
    const isFirst = this.#skip();
    const isList = this.#isIndicator("-");
    const isInline = place === "key" && isList && this.#indent === parent;
    this.#size++;
    if (this.#isEnd() || (isFirst && this.#indent <= parent && !isInline)) return null;
    const start = this.#at;
    const column = start - this.#lineStart;
    if (isFirst || place === "dash") {
      const key = isList ? undefined : this.#key(column, depth);
      if (isList || key !== undefined) {
        const isTabbed = isFirst ? column > this.#indent : this.#text.slice(before, start).includes("\t");
        if (isTabbed) throw this.#error(TABBED, start);
        if (isList) return this.#list(column, depth + 1);
        return this.#object(column, depth + 1, key!, start);
      }
    }
    const mark = this.#text[start];
    if (isNamed && (mark === "&" || mark === "*")) throw this.#found(ONE_ANCHOR);
    if (mark === "&") {
      return this.#anchored(() => this.#node(parent, depth, place === "key" ? place : undefined, true));
    }
    const value = this.#content(parent, depth, BLOCK_START, BLOCK_STOP);
    if (mark === "[" || mark === "{") {
      this.#skipWhite();
      if (this.#isIndicator(":")) throw this.#error(COMPLEX, start);
    }
    return value;
  }

  /** A scalar, an alias, or a list or an object in brackets. */
  #content(parent: number, depth: number, start: RegExp, stop: RegExp): unknown {
    const mark = this.#text[this.#at]!;
    if (mark === '"' || mark === "'") return this.#quoted(parent);
    if (mark === "[" || mark === "{") return this.#flow(parent, depth + 1);
    if (mark === "*") return this.#alias();
    if (stop === BLOCK_STOP && (mark === "|" || mark === ">")) return this.#block(parent);
    const from = this.#at;
    if (this.#find(start) === from) return this.#scalar(this.#plain(parent, stop), from);
    throw this.#unreadable("a value cannot begin with this: put a text in quotes");
  }

  /** The error for text that cannot be read. It names a feature that is not supported, else it has the `reason`. */
  #unreadable(reason: string): YamlError {
    if (this.#isIndicator("?")) return this.#error(COMPLEX);
    if (this.#isIndicator("-")) return this.#found("a list must begin in a line of its own");
    if (this.#text[this.#at] === ":") return this.#found("the colon must follow a key");
    return this.#found(this.#text[this.#at] === "!" ? "tags are not supported: leave them out" : reason);
  }

  /** Reads the node after an anchor, and keeps it. */
  #anchored(read: () => unknown): unknown {
    const name = this.#match(NAME)?.[1];
    if (name === undefined) throw this.#found("an anchor needs a name");
    const before = this.#size;
    this.#anchors.set(name, undefined);
    const value = read();
    this.#anchors.set(name, { value, size: this.#size - before });
    return value;
  }

  #alias(): unknown {
    const start = this.#at;
    const name = this.#match(NAME)?.[1] ?? "";
    const anchor = this.#anchors.get(name);
    if (!anchor) {
      const isOpen = this.#anchors.has(name);
      throw this.#found(
        isOpen ? "the value of this anchor contains it" : `there is no &${name} before it`,
        start,
      );
    }
    this.#size += anchor.size;
    if (this.#size <= FREE_SIZE + MAX_GROWTH * this.#text.length) return anchor.value;
    throw this.#found("the aliases expand to too large a value", start);
  }

  /** The key in this line, or after a question mark, with its colon; undefined, with nothing read, when there is no key. */
  #key(column: number, depth: number): string | undefined {
    const start = this.#at;
    const mark = this.#text[start];
    let key: unknown;
    if (this.#isIndicator("?")) {
      this.#checkDepth(depth + 1);
      this.#at++;
      key = this.#node(column, depth + 1, "dash");
      if (this.#skip() && this.#at - this.#lineStart === column && this.#isIndicator(":")) this.#at++;
      return this.#toKey(key, start);
    }
    if (mark === "&") {
      key = this.#anchored(() => {
        this.#skipWhite();
        return /[&*]/.test(this.#text[this.#at]!) ? undefined : this.#keyText();
      });
    } else key = mark === "*" ? this.#alias() : this.#keyText();
    if (key !== undefined) this.#skipWhite();
    if (key === undefined || !this.#isIndicator(":")) {
      this.#at = start;
      return undefined;
    }
    this.#at++;
    return this.#toKey(key, start);
  }

  #keyText(): unknown {
    const start = this.#at;
    if (this.#text[start] === '"' || this.#text[start] === "'") return this.#quoted();
    const stop = this.#find(BLOCK_START) === start ? this.#find(BLOCK_STOP) : start;
    if (stop === start || this.#text[stop] !== ":") return undefined;
    this.#at = stop;
    return this.#scalar(trimmed(this.#text.slice(start, stop)), start);
  }

  #toKey(key: unknown, start: number): string {
    if (typeof key === "object" && key !== null) throw this.#error(COMPLEX, start);
    return String(key);
  }

  /** An object. Its first key has already been read; the others have the same indentation. */
  #object(column: number, depth: number, first: string, start: number): unknown {
    this.#checkDepth(depth);
    const members: Record<string, unknown> = {};
    for (let key: string | undefined = first, at = start; key !== undefined; key = this.#key(column, depth)) {
      // After a key with a question mark, an object or a list may begin in the line of the colon.
      const place = this.#isIndicator("?", at) ? "dash" : "key";
      this.#add(members, key, at, this.#node(column, depth, place));
      if (this.#endsBefore(column)) return members;
      at = this.#at;
    }
    throw this.#unreadable("a key and a colon must be here, as in the lines above");
  }

  #list(column: number, depth: number): unknown {
    this.#checkDepth(depth);
    const items: unknown[] = [];
    do {
      this.#at++;
      items.push(this.#node(column, depth, "dash"));
    } while (!this.#endsBefore(column) && this.#isIndicator("-"));
    return items;
  }

  /** Whether the object or list of a column has ended; throws for text that can neither continue nor follow it. */
  #endsBefore(column: number): boolean {
    const isFirst = this.#skip();
    if (this.#isEnd()) return true;
    if (!isFirst) {
      throw this.#found("the line must end after a value: put a text with marks or a colon in quotes");
    }
    if (this.#indent < column) return true;
    if (this.#at - this.#lineStart > this.#indent) throw this.#error(TABBED);
    if (this.#indent === column) return false;
    throw this.#found("it is indented more than the lines above that it could belong to");
  }

  #add(members: Record<string, unknown>, key: string, at: number, value: unknown): void {
    if (Object.hasOwn(members, key)) {
      throw this.#error(`the key "${shortened(key, MAX_FOUND)}" appears twice: remove one of them`, at);
    }
    if (key !== "__proto__") members[key] = value;
    else Object.defineProperty(members, key, { value, enumerable: true, configurable: true, writable: true });
  }

  #checkDepth(depth: number): void {
    if (depth > MAX_DEPTH) throw this.#error(`values are nested more than ${MAX_DEPTH} deep`);
  }

  #flow(parent: number, depth: number): unknown {
    this.#checkDepth(depth);
    const open = this.#at;
    const isList = this.#text[open] === "[";
    const end = isList ? "]" : "}";
    const items: unknown[] = [];
    const members: Record<string, unknown> = {};
    this.#at++;
    for (let mark = this.#flowMark(parent, open); mark !== end; mark = this.#flowMark(parent, open)) {
      const [start, line] = [this.#at, this.#lineStart];
      if (mark === ",") throw this.#found("the comma must follow a value");
      const value = this.#flowNode(parent, depth, open);
      const isPair = this.#flowMark(parent, open) === ":";
      if (!isPair && isList) items.push(value);
      else {
        const key = this.#toKey(value, start);
        if (isList && this.#lineStart !== line) throw this.#found("a key must be in one line", start);
        if (isPair) this.#at++;
        const pair = isList ? {} : members;
        this.#add(pair, key, start, isPair ? this.#flowNode(parent, depth, open) : null);
        if (isList) items.push(pair);
      }
      const next = this.#flowMark(parent, open);
      if (next === ",") this.#at++;
      else if (next !== end) throw this.#found(`a comma or "${end}" must follow`);
    }
    this.#at++;
    return isList ? items : members;
  }

  /** The next character in brackets. The closing bracket may be indented like the key, which is a common style. */
  #flowMark(parent: number, open: number): string {
    const isFirst = this.#skip();
    if (this.#isEnd()) throw this.#error(`the bracket "${this.#text[open]}" has no end`, open);
    const mark = this.#text[this.#at]!;
    const end = this.#text[open] === "[" ? "]" : "}";
    if (!isFirst || this.#indent >= parent + (mark === end ? 0 : 1)) return mark;
    throw this.#found(`"${end}" must follow, or a line that is indented more than its key`);
  }

  #flowNode(parent: number, depth: number, open: number, isNamed = false): unknown {
    const mark = this.#flowMark(parent, open);
    this.#size++;
    if (mark === "]" || mark === "}" || mark === ",") return null;
    if (isNamed && (mark === "&" || mark === "*")) throw this.#found(ONE_ANCHOR);
    if (mark === "&") return this.#anchored(() => this.#flowNode(parent, depth, open, true));
    return this.#content(parent, depth, FLOW_START, FLOW_STOP);
  }

  /** The value of a text without quotes in the core schema. */
  #scalar(text: string, start: number): unknown {
    this.#size += text.length;
    const found = VALUE.exec(text);
    if (!found) return text;
    const [, isNull, isTrue, isFalse] = found;
    if (isNull !== undefined) return null;
    if (this.#options.verbatim) return text;
    if (isTrue ?? isFalse) return isTrue !== undefined;
    const number = Number(text);
    const isRounded = /\d{16}/.test(text.replace(".", "")) ||
      (/^0[xo]/.test(text) && !Number.isSafeInteger(number));
    const isFinite = Number.isFinite(number);
    if (isFinite && !(this.#options.exact && isRounded)) return number;
    const why = isFinite ? "readers do not keep all its digits" : "JSON has no such number";
    throw this.#error(`put the number ${shortened(text, MAX_FOUND)} in quotes: ${why}`, start);
  }

  /** A text without quotes, which may continue in lines that are indented more than `parent`. */
  #plain(parent: number, stops: RegExp): string {
    let text = "";
    for (let glue = "";;) {
      const stop = this.#find(stops);
      const mark = this.#text[stop];
      if (stops === BLOCK_STOP && mark === ":") {
        throw this.#found("a key cannot begin within a value: put a text with a colon in quotes");
      }
      text += glue + trimmed(this.#text.slice(this.#at, stop));
      this.#at = stop;
      if (mark !== "\n") return text;
      const count = this.#breaks();
      const isOver = this.#isEnd() || this.#indent <= parent || this.#text.charCodeAt(this.#at) === HASH ||
        (stops === FLOW_STOP && this.#find(stops) === this.#at);
      if (isOver) return text;
      glue = folded(count);
    }
  }

  /** A text in quotes. Without a parent, it must end in its line; undefined when it does not. */
  #quoted(parent?: number): string | undefined {
    const start = this.#at;
    const stops = this.#text[start] === '"' ? DOUBLE_STOP : SINGLE_STOP;
    let text = "";
    this.#at++;
    for (;;) {
      const stop = this.#find(stops);
      const mark = this.#text[stop];
      const part = this.#text.slice(this.#at, stop);
      this.#at = stop + 1;
      if (mark === "\n" || mark === undefined) {
        if (parent === undefined) return undefined;
        this.#at = stop;
        text += trimmed(part) + folded(this.#continueQuoted(parent, start));
      } else if (mark === "\\") {
        if (this.#text[this.#at] !== "\n") text += part + this.#escape();
        else if (parent === undefined) return undefined;
        else text += part + "\n".repeat(this.#continueQuoted(parent, start) - 1);
      } else if (mark === "'" && this.#text[this.#at] === "'") {
        text += `${part}'`;
        this.#at++;
      } else return text + part;
    }
  }

  /** Moves to the next line of a text in quotes; returns the number of line ends. */
  #continueQuoted(parent: number, start: number): number {
    const count = this.#breaks();
    if (this.#isEnd()) throw this.#error(`the quote ${this.#text[start]} has no end`, start);
    if (this.#indent > parent) return count;
    throw this.#found("the lines of a text in quotes must be indented more than its key");
  }

  #escape(): string {
    const start = this.#at;
    const code = this.#match(CODE)?.[0].slice(1);
    const point = code === undefined ? -1 : parseInt(code, 16);
    if (point >= 0 && point <= 0x10FFFF) return String.fromCodePoint(point);
    const text = ESCAPES[ESCAPED.indexOf(this.#text[start]!)];
    if (text === undefined) {
      throw this.#found("this is not an escape of YAML: write \\\\ for a backslash", start - 1);
    }
    this.#at++;
    return text;
  }

  /** A text after `|`, verbatim, or after `>`, folded. */
  #block(parent: number): string {
    const isFolded = this.#text[this.#at] === ">";
    const header = this.#match(BLOCK_HEADER);
    if (!header) throw this.#found("only a digit, + or -, and a comment may follow | and >");
    const keep = header[1] ?? header[4];
    const digit = header[2] ?? header[3];
    let indent = digit === undefined ? -1 : parent + Number(digit);
    const lines: string[] = [];
    /** The number of lines up to the last one that is not empty. */
    let filled = 0;
    /** The maximum number of spaces in an empty line at the start. */
    let most = 0;
    for (this.#startLine(this.#at); this.#at < this.#text.length;) {
      const end = this.#text.indexOf("\n", this.#at);
      const isBlank = end === this.#at;
      if (indent < 0 && isBlank) most = Math.max(most, this.#indent);
      else if (indent < 0 && this.#indent > parent) {
        indent = this.#indent;
        if (most > indent) throw this.#found("an empty line above it is indented more");
      }
      if (!isBlank && (indent < 0 || this.#indent < indent || this.#indent <= parent || this.#isEnd())) break;
      const line = indent < 0 ? "" : this.#text.slice(this.#lineStart + indent, end);
      lines.push(line);
      if (line !== "") filled = lines.length;
      this.#startLine(end + 1);
    }
    if (this.#text.charCodeAt(this.#at) === TAB && this.#indent <= Math.max(indent, parent)) {
      throw this.#error(TABBED);
    }
    const text = lines.slice(0, filled).join("\n");
    const ends = filled === 0 ? lines.length : lines.length - filled + 1;
    const kept = keep === "+" ? ends : keep === "-" ? 0 : Math.min(filled, 1);
    return (isFolded ? text.replace(FOLD, (_, more) => more || " ") : text) + "\n".repeat(kept);
  }
}

function isWhite(code: number): boolean {
  return code === SPACE || code === TAB;
}

/** A text without the spaces and tabs at its end. */
function trimmed(text: string): string {
  let end = text.length;
  while (isWhite(text.charCodeAt(end - 1))) end--;
  return text.slice(0, end);
}

/** The text for a number of line ends in a folded text. */
function folded(count: number): string {
  return count === 1 ? " " : "\n".repeat(count - 1);
}
