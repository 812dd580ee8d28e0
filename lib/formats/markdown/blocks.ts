/** Reads the blocks of markdown line by line: paragraphs, lists, quotes, code, tables (https://spec.commonmark.org/0.31.2/). */

import type { Target } from "./text.ts";
import { match, strip, toLabel, toTarget, unescape } from "./text.ts";

/** A container with `children`, or a leaf with `lines`. Consecutive items with the same mark are a list. */
export interface Block {
  kind: "quote" | "item" | "note" | "paragraph" | "heading" | "code" | "html" | "rule" | "table";
  readonly children: Block[];
  /** The text. The second line of a table has the alignment of its columns. */
  lines: string[];
  /** The first line, counted from 0. */
  readonly line: number;
  /** The last line, counted from 0. */
  end: number;
  /** By kind: columns before the text (item, note), length of the fence (code; 0: indented), level (heading), index in `FORMS` (html; -1: a tag). */
  size: number;
  /** The last character of the mark of an item, or the first character of a fence. */
  readonly mark: string;
  /** The number of an item, or the columns before a fence. */
  readonly start: number;
  /** The info string of code; HTML before the text of a paragraph. */
  info: string;
}

/** The maximum depth of blocks; deeper marks are text. */
const MAX_DEPTH = 100;
const NAMES =
  "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|" +
  "fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|" +
  "menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul";
/** How each form of HTML begins and ends. The last form, and a tag that is alone on its line, end at a blank line. */
const FORMS: readonly (readonly [begin: RegExp, end?: RegExp])[] = [
  [/^<(?:script|pre|textarea|style)(?=[\s>]|$)/i, /<\/(?:script|pre|textarea|style)>/i],
  [/^<!--/, /-->/],
  [/^<\?/, /\?>/],
  [/^<![a-z]/i, />/],
  [/^<!\[CDATA\[/, /\]\]>/],
  [new RegExp(`^</?(?:${NAMES})(?=\\s|/?>|$)`, "i")],
];

/** The rest of a line: containers consume their marks from the left. */
class Line {
  /** The rest of the line. */
  text = "";
  /** The column where it begins. */
  #column = 0;
  /** The columns of its leading white space. */
  indent = 0;
  /** The text after the leading white space. */
  rest = "";

  constructor(text: string) {
    this.#set(text, 0);
  }

  /** Consumes columns of white space. The rest of a tab becomes spaces. */
  drop(columns: number): void {
    const { text } = this, goal = this.#column + columns;
    let at = 0, column = this.#column;
    for (; column < goal && /[ \t]/.test(text[at] ?? ""); at++) {
      column += text[at] === "\t" ? 4 - column % 4 : 1;
    }
    this.#set(" ".repeat(Math.max(0, column - goal)) + text.slice(at), Math.min(column, goal));
  }

  /** Consumes the leading white space, `characters` after it, and at most `columns` of white space after these. */
  take(characters: number, columns = 0): void {
    this.#set(this.rest.slice(characters), this.#column + this.indent + characters);
    this.drop(columns);
  }

  #set(text: string, column: number): void {
    this.text = text;
    this.#column = column;
    let at = 0;
    for (; text[at] === " " || text[at] === "\t"; at++) column += text[at] === "\t" ? 4 - column % 4 : 1;
    this.indent = column - this.#column;
    this.rest = text.slice(at);
  }
}

/** Parses markdown into blocks, definitions of links, and notes. */
export class Blocks {
  readonly definitions: Map<string, Target> = new Map();
  readonly notes: Map<string, Block> = new Map();
  /** The open blocks, from the outermost to the innermost. The next line can continue them. */
  readonly #open: Block[] = [];
  /** How many of them the current line continues. */
  #matched = 0;
  /** How many of them have a mark or text in the current line. */
  #marked = 0;
  /** The number of the current line. */
  #number = 0;
  readonly document: Block = this.#add("quote");

  constructor(text: string) {
    const lines = text.split(/\r\n|\n|\r/);
    if (lines.at(-1) === "") lines.pop();
    for (const line of lines) this.#read(new Line(line));
    this.#close(0);
  }

  #read(line: Line): void {
    const open = this.#open;
    this.#marked = 0;
    this.#continue(line);
    let begun = this.#begin(line);
    while (begun && isContainer(begun)) begun = this.#begin(line);
    if (!begun || isUnmarked(begun)) this.#addText(line);
    const { kind, size } = open.at(-1)!;
    const hasText = line.rest !== "" || kind === "html" || (kind === "code" && size > 0);
    for (let at = (hasText ? open.length : this.#marked) - 1; at >= 0; at--) open[at]!.end = this.#number;
    this.#number++;
  }

  #close(count: number): void {
    while (this.#open.length > count) {
      const block = this.#open.pop()!, { kind, lines } = block;
      if (kind === "paragraph") this.#takeDefinitions(block);
      while (isUnmarked(block) && strip(lines.at(-1) ?? "-") === "") lines.pop();
    }
  }

  #add(kind: Block["kind"], fields: Partial<Block> = {}): Block {
    const open = this.#open, line = this.#number;
    this.#close(this.#matched);
    if (open.length > 0 && !isContainer(open.at(-1)!)) this.#close(open.length - 1);
    const rest = { size: 0, mark: "", start: 0, info: "", ...fields };
    const block: Block = { kind, children: [], lines: [], line, end: line, ...rest };
    open.at(-1)?.children.push(block);
    this.#matched = this.#marked = open.push(block);
    return block;
  }

  #continue(line: Line): void {
    const open = this.#open;
    for (this.#matched = 1; this.#matched < open.length; this.#matched++) {
      const block = open[this.#matched]!, { kind, size } = block, { indent, rest } = line;
      if (kind === "quote") {
        if (indent > 3 || rest[0] !== ">") return;
        line.take(1, 1);
        this.#marked = this.#matched + 1;
      } else if (isContainer(block)) {
        if (rest === "" ? kind === "item" && block.children.length === 0 : indent < size) return;
        line.drop(size);
      } else if (kind === "code" && size > 0) {
        if (indent < 4 && rest[0] === block.mark && isRun(strip(rest), size)) {
          this.#marked = this.#matched;
          block.end = this.#number;
          line.take(rest.length);
          return this.#close(this.#matched);
        }
        line.drop(Math.min(indent, block.start));
      } else if (kind === "code") {
        if (indent < 4 && rest !== "") return;
        line.drop(4);
      } else if (kind === "html") {
        const end = FORMS[size]?.[1];
        if (end ? end.test(block.lines.at(-1)!) : rest === "") return;
      } else if (rest === "" || kind === "heading" || kind === "rule") return;
    }
  }

  #begin(line: Line): Block | undefined {
    const open = this.#open, container = open[this.#matched - 1]!, { indent, rest } = line, first = rest[0]!;
    const isOpen = open.at(-1)!.kind === "paragraph", inParagraph = container.kind === "paragraph";
    if (rest === "" || container.kind === "code" || container.kind === "html") return undefined;
    if (indent > 3) {
      if (isOpen) return undefined;
      line.drop(4);
      return this.#add("code");
    }
    const isDeep = open.length >= MAX_DEPTH;
    if (first === ">" && !isDeep) {
      line.take(1, 1);
      return this.#add("quote");
    }
    const heading = first === "#" && /^(#{1,6})(?:[ \t].*)?$/s.exec(rest);
    if (heading) {
      const size = heading[1]!.length, text = strip(rest.slice(size)).replace(/(?<![^ \t])#+$/, "");
      return this.#add("heading", { lines: [text], size });
    }
    const [fence = ""] = /^(?:`{3,}|~{3,})/.exec(rest) ?? [], info = fence && strip(rest.slice(fence.length));
    if (fence !== "" && !(first === "`" && info.includes("`"))) {
      return this.#add("code", { size: fence.length, mark: first, start: indent, info: unescape(info) });
    }
    const form = first === "<" ? FORMS.findIndex(([begin]) => begin.test(rest)) : -1;
    const isTag = first === "<" && !isOpen && match("tagLine", rest).length > 0;
    if (form >= 0 || isTag) return this.#add("html", { size: form });
    if (inParagraph && (first === "=" || first === "-") && isRun(strip(rest), 1)) {
      this.#takeDefinitions(container);
      const size = first === "=" ? 1 : 2;
      if (container.lines.length > 0) return Object.assign(container, { kind: "heading", size });
    }
    if (/[-*_]/.test(first) && isRun(rest.replace(/[ \t]+/g, ""), 3)) return this.#add("rule");
    const [mark = "", number = "1"] = isDeep ? [] : /^(?:[*+-]|(\d{1,9})[.)])(?=[ \t]|$)/.exec(rest) ?? [];
    const start = Number(number), isEmpty = mark !== "" && strip(rest.slice(mark.length)) === "";
    if (mark !== "" && !(inParagraph && (isEmpty || start !== 1))) {
      line.take(mark.length);
      const gap = isEmpty || line.indent > 4 ? 1 : line.indent;
      line.drop(gap);
      return this.#add("item", { mark: mark.at(-1)!, start, size: indent + mark.length + gap });
    }
    const [note = "", name] = isDeep ? [] : match("note", rest), label = toLabel(name);
    if (label !== "" && rest[note.length] === ":") {
      line.take(note.length + 1, Infinity);
      const block = this.#add("note", { size: 4 });
      if (!this.notes.has(label)) this.notes.set(label, block);
      return block;
    }
    if (!inParagraph || !isTable(container.lines.at(-1)!, rest)) return undefined;
    return this.#add("table", { line: this.#number - 1, lines: [container.lines.pop()!, rest] });
  }

  #addText({ text, rest }: Line): void {
    const open = this.#open;
    // A paragraph may continue without the marks of its containers.
    if (rest === "" || open.at(-1)!.kind !== "paragraph") this.#close(this.#matched);
    const last = open.at(-1)!, { kind } = last;
    if (kind === "code" || kind === "html") last.lines.push(text);
    else if (rest !== "") (isContainer(last) ? this.#add("paragraph") : last).lines.push(rest);
  }

  #takeDefinitions(block: Block): void {
    const text = block.lines.join("\n");
    let at = 0;
    while (text[at] === "[") {
      const [whole, name, ...parts] = match("definition", text, at), label = toLabel(name);
      if (label === "") break;
      at += whole!.length;
      if (!this.definitions.has(label)) this.definitions.set(label, toTarget(parts));
    }
    if (at > 0) block.lines = at < text.length ? text.slice(at).split("\n") : [];
  }
}

const isContainer = ({ kind }: Block) => kind === "quote" || kind === "item" || kind === "note";

/** Whether a block has no opening mark, and therefore does not end with blank lines. */
const isUnmarked = ({ kind, size }: Block) => kind === "html" || (kind === "code" && size === 0);

/** Whether a text is one character, repeated at least `least` times. */
function isRun(text: string, least: number): boolean {
  return text.length >= least && text === text[0]!.repeat(text.length);
}

/** Whether a line defines the alignment of the columns of a table with this header. */
function isTable(header: string, marks: string): boolean {
  if (!/^[|:\- \t]+$/.test(marks) || !/[|:]/.test(marks)) return false;
  const cells = splitRow(marks);
  return cells.every((cell) => /^:?-+:?$/.test(cell)) && splitRow(header).length === cells.length;
}

/** The cells of a row of a table. */
export function splitRow(row: string): string[] {
  const cells = strip(row).replace(/^\|/, "").split(/(?<!\\)\|/);
  if (cells.at(-1) === "") cells.pop();
  return cells.map((cell) => strip(cell).replaceAll("\\|", "|"));
}
