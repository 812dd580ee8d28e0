/** Reads the blocks of markdown line by line: paragraphs, lists, quotes, code, tables (https://spec.commonmark.org/0.31.2/). */

import type { Target } from "./links.ts";
import { isSpace, MAX_TAG, strip, TAG, unescape } from "./html.ts";
import { readDefinition, toLabel } from "./links.ts";

/** Blocks within each other; deeper marks are text. */
const MAX_DEPTH = 100;

/** A container with `children`, or a leaf with `lines`. */
export interface Block {
  kind:
    | "document"
    | "quote"
    | "list"
    | "item"
    | "note"
    | "paragraph"
    | "heading"
    | "code"
    | "html"
    | "rule"
    | "table";
  readonly children: Block[];
  /** The text of a leaf. The second line of a table tells how its columns are aligned. */
  lines: string[];
  /** The first and the last line, counted from 0. */
  readonly line: number;
  end: number;
  /** Columns before the text of an item, length of a fence (0: indented code), level of a heading, form of HTML. */
  size: number;
  /** The last character of the mark of a list, or the first of a fence. */
  readonly mark: string;
  /** The first number of a list, the columns before a fence. */
  readonly start: number;
  /** The info string of code. */
  info: string;
}

export interface Blocks {
  readonly document: Block;
  /** By label. */
  readonly definitions: ReadonlyMap<string, Target>;
  readonly notes: ReadonlyMap<string, Block>;
}

const NAMES =
  "address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl dt " +
  "fieldset figcaption figure footer form frame frameset h[1-6] head header hr html iframe legend li link main menu menuitem nav " +
  "noframes ol optgroup option p param search section summary table tbody td tfoot th thead title tr track ul";
/** How each form of HTML begins and ends; the last one ends at a blank line, and so does a tag alone in its line. */
const HTML: readonly (readonly [begin: RegExp, end?: RegExp])[] = [
  [/^<(?:script|pre|textarea|style)(?=[\s>]|$)/i, /<\/(?:script|pre|textarea|style)>/i],
  [/^<!--/, /-->/],
  [/^<\?/, /\?>/],
  [/^<![a-z]/i, />/],
  [/^<!\[CDATA\[/, /\]\]>/],
  [new RegExp(`^</?(?:${NAMES.replaceAll(" ", "|")})(?=\\s|/?>|$)`, "i")],
];

/** What began in a line: a container, behind whose mark more can begin, a leaf or nothing, or a block that is the whole line. */
type Begun = "mark" | "text" | "line";

/** A line, of which containers take their marks from the left. */
class Line {
  text: string;
  column = 0;
  /** Columns and characters of white space at the beginning, and what comes behind. */
  indent = 0;
  spaces = 0;
  first = "";

  constructor(text: string) {
    this.text = text;
    this.#measure();
  }

  get isBlank(): boolean {
    return this.first === "";
  }

  /** Without the white space at the beginning. */
  get rest(): string {
    return this.text.slice(this.spaces);
  }

  /** Takes columns of white space; what is left of a tab becomes spaces. */
  drop(columns: number): void {
    let at = 0, column = this.column;
    const goal = column + columns;
    for (; column < goal && at < this.spaces; at++) column += this.text[at] === "\t" ? 4 - column % 4 : 1;
    this.text = " ".repeat(Math.max(0, column - goal)) + this.text.slice(at);
    this.column = Math.min(column, goal);
    this.#measure();
  }

  /** Takes the white space, and so many characters behind it. */
  take(characters: number): void {
    this.column += this.indent + characters;
    this.text = this.text.slice(this.spaces + characters);
    this.#measure();
  }

  #measure(): void {
    let at = 0, column = this.column;
    for (; at < this.text.length; at++) {
      if (this.text[at] === "\t") column += 4 - column % 4;
      else if (this.text[at] === " ") column++;
      else break;
    }
    this.indent = column - this.column;
    this.spaces = at;
    this.first = this.text[at] ?? "";
  }
}

export function readBlocks(text: string): Blocks {
  const reader = new Reader();
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.at(-1) === "") lines.pop();
  for (const line of lines) reader.read(new Line(line));
  reader.close(0);
  return reader;
}

class Reader implements Blocks {
  readonly definitions: Map<string, Target> = new Map();
  readonly notes: Map<string, Block> = new Map();
  readonly document: Block;
  /** The blocks that the next line can continue, each within the one before. */
  readonly #open: Block[] = [];
  /** How many of them the line continues, and how many have a mark or text in it. */
  #matched = 0;
  #marked = 0;
  #number = 0;

  constructor() {
    this.document = this.#add("document");
  }

  read(line: Line): void {
    const open = this.#open;
    this.#marked = 0;
    let isDone = this.#continue(line);
    for (let next: Begun = "mark"; !isDone && next === "mark"; isDone = next === "line") {
      next = this.#begin(line);
    }
    if (!isDone) this.#addText(line);
    const last = open.at(-1)!;
    const isText = !line.isBlank || last.kind === "html" || (last.kind === "code" && last.size > 0);
    for (let at = (isText ? open.length : this.#marked) - 1; at >= 0; at--) open[at]!.end = this.#number;
    this.#number++;
  }

  /** Closes all open blocks but the first ones. */
  close(count: number): void {
    while (this.#open.length > count) {
      const block = this.#open.pop()!;
      if (block.kind === "paragraph") this.#takeDefinitions(block);
      if (block.kind === "html" || (block.kind === "code" && block.size === 0)) {
        while (block.lines.length > 0 && strip(block.lines.at(-1)!) === "") block.lines.pop();
      }
    }
  }

  #add(kind: Block["kind"], fields: Partial<Block> = {}): Block {
    const open = this.#open;
    this.close(this.#matched);
    while (open.length > 0 && !canContain(open.at(-1)!.kind, kind)) this.close(open.length - 1);
    const number = this.#number;
    const block: Block = {
      kind,
      children: [],
      lines: [],
      line: number,
      end: number,
      size: 0,
      mark: "",
      start: 0,
      info: "",
      ...fields,
    };
    if (kind !== "note") open.at(-1)?.children.push(block);
    this.#matched = this.#marked = open.push(block);
    return block;
  }

  /** Finds the open blocks that the line continues; true when it ended one and there is no more in it. */
  #continue(line: Line): boolean {
    const open = this.#open;
    for (this.#matched = 1; this.#matched < open.length; this.#matched++) {
      const block = open[this.#matched]!;
      switch (block.kind) {
        case "quote":
          if (line.indent > 3 || line.first !== ">") return false;
          line.take(1);
          line.drop(1);
          this.#marked = this.#matched + 1;
          break;
        case "item":
        case "note":
          if (line.isBlank ? block.children.length === 0 : line.indent < block.size) return false;
          line.drop(block.size);
          break;
        case "code":
          if (block.size === 0) {
            if (line.indent < 4 && !line.isBlank) return false;
            line.drop(4);
            break;
          }
          if (line.indent < 4 && line.first === block.mark && isRun(strip(line.rest), block.size)) {
            this.close(this.#matched);
            block.end = this.#number;
            return true;
          }
          line.drop(Math.min(line.indent, block.start));
          break;
        case "html":
          if (line.isBlank && block.size > 4) return false;
          break;
        case "paragraph":
        case "table":
          if (line.isBlank) return false;
      }
    }
    return false;
  }

  /** Begins a block where the line has the mark of one. */
  #begin(line: Line): Begun {
    const open = this.#open, container = open[this.#matched - 1]!, { first, indent, rest } = line;
    const isLeafOpen = open.at(-1)!.kind === "paragraph";
    if (line.isBlank || container.kind === "code" || container.kind === "html") return "text";
    if (indent > 3) {
      if (isLeafOpen) return "text";
      line.drop(4);
      this.#add("code");
      return "text";
    }
    const inParagraph = container.kind === "paragraph", isDeep = open.length + 2 > MAX_DEPTH;
    if (first === ">" && !isDeep) {
      line.take(1);
      line.drop(1);
      this.#add("quote");
      return "mark";
    }
    const level = first === "#" ? /^#{1,6}(?=[ \t]|$)/.exec(rest)?.[0].length : undefined;
    if (level !== undefined) return this.#addLine("heading", withoutClosing(strip(rest.slice(level))), level);
    const fence = first === "`" || first === "~" ? /^(?:`{3,}|~{3,})/.exec(rest)?.[0] : undefined;
    const info = rest.slice(fence?.length);
    if (fence !== undefined && !(first === "`" && info.includes("`"))) {
      this.#add("code", { size: fence.length, mark: first, start: indent, info: unescape(strip(info)) });
      return "line";
    }
    const form = first === "<" ? HTML.findIndex(([begin]) => begin.test(rest)) : -1;
    if (form >= 0 || (first === "<" && !isLeafOpen && isTag(rest))) {
      this.#add("html", { size: form < 0 ? HTML.length : form });
      return "text";
    }
    if (inParagraph && (first === "=" || first === "-") && isRun(strip(rest), 1)) {
      this.#takeDefinitions(container);
      if (container.lines.length > 0) {
        container.kind = "heading";
        container.size = first === "=" ? 1 : 2;
        container.end = this.#number;
        this.close(this.#matched - 1);
        return "line";
      }
    }
    if (/[-*_]/.test(first) && isRun(rest.replace(/[ \t]+/g, ""), 3)) return this.#addLine("rule", "");
    const mark = isDeep ? null : /^(?:[*+-]|(\d{1,9})[.)])(?=[ \t]|$)/.exec(rest);
    const isEmpty = mark !== null && strip(rest.slice(mark[0].length)) === "";
    if (mark && !(inParagraph && (isEmpty || Number(mark[1] ?? 1) !== 1))) {
      line.take(mark[0].length);
      const gap = isEmpty || line.indent > 4 ? 1 : line.indent;
      line.drop(gap);
      const end = mark[0].at(-1)!;
      if (container.kind !== "list" || container.mark !== end) {
        this.#add("list", { mark: end, start: Number(mark[1] ?? 1) });
      }
      this.#add("item", { size: indent + mark[0].length + gap });
      return "mark";
    }
    const note = first === "[" && !isDeep ? /^\[\^([^\][\s]+)\]:/.exec(rest) : null;
    const label = note ? toLabel(note[1]!) : "";
    if (note && label !== "") {
      line.take(note[0].length);
      line.drop(line.indent);
      const block = this.#add("note", { size: 4 });
      if (!this.notes.has(label)) this.notes.set(label, block);
      return "mark";
    }
    if (inParagraph && isTable(container.lines.at(-1)!, rest)) {
      const head = container.lines.pop()!;
      this.#add("table", { line: this.#number - 1, lines: [head, rest] });
      return "line";
    }
    return "text";
  }

  #addLine(kind: Block["kind"], text: string, size = 0): "line" {
    this.#add(kind, { lines: [text], size });
    this.close(this.#open.length - 1);
    return "line";
  }

  #addText(line: Line): void {
    const open = this.#open;
    // A paragraph goes on without the marks of what it stands in.
    const isLazy = !line.isBlank && open.at(-1)!.kind === "paragraph";
    if (!isLazy) this.close(this.#matched);
    const last = open.at(-1)!;
    if (last.kind === "code") last.lines.push(line.text);
    else if (last.kind === "html") {
      last.lines.push(line.text);
      if (HTML[last.size]?.[1]?.test(line.text)) this.close(open.length - 1);
    } else if (!line.isBlank) {
      const isOpen = last.kind === "paragraph" || last.kind === "table";
      (isOpen ? last : this.#add("paragraph")).lines.push(line.rest);
    }
  }

  #takeDefinitions(block: Block): void {
    if (!block.lines[0]?.startsWith("[")) return;
    const text = block.lines.join("\n");
    let at = 0;
    for (let found; (found = readDefinition(text, at)); at = found.end) {
      if (!this.definitions.has(found.label)) this.definitions.set(found.label, found);
    }
    if (at > 0) block.lines = at < text.length ? text.slice(at).split("\n") : [];
  }
}

function canContain(outer: Block["kind"], inner: Block["kind"]): boolean {
  return outer === "list" ? inner === "item" : /^(?:document|quote|item|note)$/.test(outer);
}

/** Whether a text is one character, so many times at least. */
function isRun(text: string, least: number): boolean {
  return text.length >= least && text === text[0]!.repeat(text.length);
}

/** A heading without the number signs that close it. */
function withoutClosing(text: string): string {
  let end = text.length;
  while (text[end - 1] === "#") end--;
  return end === 0 || isSpace(text[end - 1]) ? strip(text.slice(0, end)) : text;
}

function isTag(line: string): boolean {
  TAG.lastIndex = 0;
  return line.length < MAX_TAG && TAG.test(line) && strip(line.slice(TAG.lastIndex)) === "";
}

/** Whether a line below the header of a table tells how its columns are aligned. */
function isTable(header: string, marks: string): boolean {
  if (!/^[|:\- \t]+$/.test(marks) || !/[|:]/.test(marks)) return false;
  const cells = splitRow(marks);
  return cells.every((cell) => /^:?-+:?$/.test(cell)) && splitRow(header).length === cells.length;
}

/** The cells of a row of a table. */
export function splitRow(row: string): string[] {
  const line = strip(row);
  const cells: string[] = [];
  let from = line.startsWith("|") ? 1 : 0;
  const add = (to: number): void => void cells.push(strip(line.slice(from, to)).replaceAll("\\|", "|"));
  for (const { 0: found, index } of line.matchAll(/\\[\\|]|\|/g)) {
    if (found !== "|" || index < from) continue;
    add(index);
    from = index + 1;
  }
  if (from < line.length) add(line.length);
  return cells;
}
