/** Cuts markdown so that nothing stays open at its end: no code, comment, tag or link that would swallow what follows. */

import type { Block } from "./blocks.ts";
import { shortened } from "../../base/text.ts";
import { Blocks } from "./blocks.ts";
import { plain } from "./lines.ts";
import { toRawLines } from "./sections.ts";

/** How much of a text after the cut is searched for the end of a link, in UTF-16 units. */
const MAX_SPAN = 1000;

/** The first `most` UTF-16 units of inline text, and an ellipsis if it was longer. Code, links and tags are kept whole or left out. */
export function cutInline(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = safeEnd(text, most);
  const start = text.slice(0, end).trimEnd();
  if (end === most && start !== "") {
    return shortened(text, /[\ud800-\udbff]$/.test(text.slice(0, most)) ? most - 1 : most);
  }
  return start === "" ? shortened(plain(text), most) : `${start}…`;
}

/** Where a text can be cut, at `most` or before it: outside of code, links, images, comments and tags. */
function safeEnd(text: string, most: number): number {
  const spans = new Spans(text.slice(0, most + MAX_SPAN));
  for (let at = 0; at < most;) {
    const end = spans.end(at);
    if (end > most) return at;
    at = Math.max(end, at + 1);
  }
  return most;
}

/** The code, links, comments and tags of inline text. What is not found once is not searched for again. */
class Spans {
  readonly #text: string;
  readonly #missing = new Set<string>();
  readonly #pairs = new Map<string, Uint32Array>();

  constructor(text: string) {
    this.#text = text;
  }

  /** The index after the code, link, comment or tag that begins at an index; the same index if none begins there. */
  end(at: number): number {
    const text = this.#text, first = text[at];
    if (first === "\\") return at + 2;
    if (first === "`") {
      const { length } = /^`+/.exec(text.slice(at, at + 100))![0];
      let end = at + length;
      for (; end < text.length; end++) {
        if (text[end] !== "`") continue;
        const run = /^`+/.exec(text.slice(end, end + 100))![0].length;
        if (run === length) return end + length;
        end += run - 1;
      }
      return at + length;
    }
    if (first === "<") {
      return text.startsWith("<!--", at)
        ? this.#after("-->", at, at)
        : /^<[\w/!?]/.test(text.slice(at, at + 2))
        ? this.#after(">", at, at)
        : at;
    }
    const image = first === "!" && text[at + 1] === "[" ? 1 : 0;
    if (first !== "[" && image === 0) return at;
    const label = this.#pairEnd(at + image, "[", "]");
    if (label === undefined) return at;
    if (text[label] === "(") return this.#pairEnd(label, "(", ")") ?? at;
    return text[label] === "[" ? this.#after("]", label, at) : label;
  }

  /** The index after a mark; `none` without one. */
  #after(mark: string, from: number, none: number): number {
    const found = this.#missing.has(mark) ? -1 : this.#text.indexOf(mark, from);
    if (found < 0) this.#missing.add(mark);
    return found < 0 ? none : found + mark.length;
  }

  /** The index after the bracket that closes the one at an index; undefined without one. */
  #pairEnd(at: number, open: string, close: string): number | undefined {
    let ends = this.#pairs.get(open);
    if (!ends) {
      ends = new Uint32Array(this.#text.length);
      const starts: number[] = [];
      for (let index = 0; index < this.#text.length; index++) {
        const mark = this.#text[index];
        if (mark === "\\") index++;
        else if (mark === open) starts.push(index);
        else if (mark === close && starts.length > 0) ends[starts.pop()!] = index + 1;
      }
      this.#pairs.set(open, ends);
    }
    return ends[at] || undefined;
  }
}

/** At most about `most` UTF-16 units of the start of a text, with "…" if it was longer. Everything that it opens is closed. */
export function cutMarkdown(text: string, most: number): string {
  if (text.length <= most) return closed(text);
  const lines = toRawLines(text), starts = [0];
  for (const line of lines) starts.push(starts.at(-1)! + line.length);
  const last = starts.findLastIndex((start) => start <= most);
  const leaf = leafAt(new Blocks(text).document, last);
  const upTo = (line: number) => text.slice(0, starts[line]);
  const { kind = "rule", line = last, end = last, size = 0 } = leaf ?? {};
  // The rest of a paragraph is needed to know whether the cut is in a link.
  if (kind === "paragraph" || kind === "heading") {
    const from = starts[line]!, own = text.slice(from, starts[end + 1]);
    const kept = most - from < own.length ? cutInline(own, most - from) : own;
    if (kept.trim() !== "…" && (from > 0 || kept !== "…")) return closed(text.slice(0, from) + kept);
  }
  const isSplit = (kind === "code" && last > line + (size > 0 ? 1 : 0)) ||
    (kind === "table" && last > line + 2);
  const start = upTo(isSplit ? last : line).trimEnd();
  if (start === "") return shortened(plain(text), most);
  return `${closed(start)}\n\n…`;
}

/** The leaf that contains a line; undefined for blank lines. */
function leafAt(block: Block, line: number): Block | undefined {
  const inner = block.children.find((child) => child.line <= line && line <= child.end);
  return inner && (inner.children.length > 0 ? leafAt(inner, line) : inner);
}

/** A text in which every fence of code is closed, and no tag hides what follows. */
function closed(text: string): string {
  const lines = text.split("\n");
  const open: { after: number; line: string }[] = [];
  const visit = ({ kind, size, mark, line, end, lines: code, children }: Block): void => {
    for (const child of children) visit(child);
    // The closing fence is the only line that is not code.
    if (kind !== "code" || size === 0 || end - line === code.length + 1) return;
    const fence = mark.repeat(size), raw = lines[line]!;
    const before = raw.slice(0, raw.indexOf(fence)).replace(/[^>\s]/g, " ");
    open.push({ after: end, line: before + fence });
  };
  const { document, notes } = new Blocks(text);
  visit(document);
  for (const note of notes.values()) visit(note);
  for (const { after, line } of open.sort((one, other) => other.after - one.after)) {
    lines.splice(after + 1, 0, line);
  }
  let whole = lines.join("\n");
  // A tag such as <pre> or <script> without an end is not closed by a blank line.
  for (let tries = 0; tries < 20 && hidesNext(whole); tries++) {
    let last = new Blocks(whole).document;
    while (last.children.length > 0) last = last.children.at(-1)!;
    if (last.kind !== "html") break;
    const raw = whole.split("\n");
    raw[last.line] = raw[last.line]!.replace("<", "&lt;");
    whole = raw.join("\n");
  }
  return whole;
}

/** Whether a paragraph after a text would be part of something that the text opens. */
function hidesNext(text: string): boolean {
  const last = new Blocks(`${text}\n\nNext`).document.children.at(-1);
  return last?.kind !== "paragraph" || last.lines.length !== 1;
}
