/**
 * Markdown to HTML: CommonMark 0.31.2 with tables, task lists, strikethrough and footnotes. HTML in the text is shown as text.
 *
 * @module
 */

import type { Block } from "./blocks.ts";
import type { Context } from "./inlines.ts";
import type { Target } from "./text.ts";
import { escapeHtml } from "../base/text.ts";
import { Blocks, splitRow } from "./blocks.ts";
import { inlineHtml } from "./inlines.ts";
import { attribute, strip } from "./text.ts";

/** What {@link toHtml} is told about the text. */
export interface HtmlOptions {
  /** The address for the target of a link; undefined shows its text alone. By default http, https and mailto pass. */
  readonly link?: (target: string) => string | undefined;
  /** The address for the source of an image; undefined, the default, shows a link to it, or its text. */
  readonly image?: (target: string) => string | undefined;
  /** The ids of headings, by their line, counted from 0. */
  readonly ids?: ReadonlyMap<number, string>;
}

/** The most cells that are added to rows with fewer than their header, and the least text that references may stand for. */
const MAX_ADDED_CELLS = 100_000, MIN_REFERENCED = 100_000;

/**
 * Writes markdown as HTML. HTML in the text is shown as text, in `<pre class="html">` and `<code class="html">`: there is no
 * tag, attribute or address but those of markdown and of the options.
 */
export function toHtml(markdown: string, options: HtmlOptions = {}): string {
  return new Writer(markdown.replaceAll("\0", "\ufffd"), options).write();
}

class Writer implements Context {
  readonly link: Context["link"];
  readonly image: Context["image"];
  readonly #ids: ReadonlyMap<number, string>;
  readonly #blocks: Blocks;
  /** The notes that are referred to, in this order, and how often. */
  readonly #notes: Map<Block, { readonly number: number; uses: number }> = new Map();
  /** How much text references may still stand for, and how many cells may be added. */
  #referenced: number;
  #cells = MAX_ADDED_CELLS;

  constructor(markdown: string, { link, image, ids }: HtmlOptions) {
    this.link = link ?? ((target) => /^(?:https?|mailto):/i.test(target) ? target : undefined);
    this.image = image ?? (() => undefined);
    this.#ids = ids ?? new Map();
    this.#blocks = new Blocks(markdown);
    this.#referenced = Math.max(markdown.length, MIN_REFERENCED);
  }

  definition(label: string): Target | undefined {
    const found = this.#blocks.definitions.get(label);
    this.#referenced -= found ? found.target.length + found.title.length : 0;
    return this.#referenced < 0 ? undefined : found;
  }

  note(label: string): string | undefined {
    const block = this.#blocks.notes.get(label);
    if (!block) return undefined;
    const note = this.#notes.get(block) ?? { number: this.#notes.size + 1, uses: 0 }, { number } = note;
    this.#notes.set(block, note);
    // No id of a heading has a colon.
    return `<sup><a href="#fn:${number}" id="fnref:${number}:${++note.uses}">${number}</a></sup>`;
  }

  write(): string {
    const html = [this.#children(this.#blocks.document.children)];
    // Notes may refer to others, which follow.
    for (const [{ children }, note] of this.#notes) {
      const { number } = note;
      html.push(
        `${number === 1 ? '<section class="footnotes">\n<ol>\n' : ""}<li id="fn:${number}">${
          this.#children(children, true)
        }`,
      );
      for (let use = 1; use <= note.uses; use++) {
        html.push(` <a href="#fnref:${number}:${use}" aria-label="Back to the text">↩</a>`);
      }
      html.push("</li>\n");
    }
    if (html.length > 1) html.push("</ol>\n</section>\n");
    return html.join("");
  }

  /** Blocks as HTML, behind the tag of an item or not; in a tight list, paragraphs are mere text. */
  #children(blocks: readonly Block[], isItem = false, isTight = false): string {
    const html: string[] = [];
    let isInLine = isItem;
    for (let at = 0, end; at < blocks.length; at = end) {
      const { kind, mark } = blocks[at]!;
      end = at + 1;
      while (kind === "item" && blocks[end]?.kind === kind && blocks[end]!.mark === mark) end++;
      const text = kind === "item" ? this.#list(blocks.slice(at, end)) : this.#block(blocks[at]!, isTight);
      const isText = isTight && kind === "paragraph";
      if (isInLine && !isText && text !== "") html.push("\n");
      html.push(text);
      if (text !== "") isInLine = isText;
    }
    return html.join("");
  }

  #list(items: readonly Block[]): string {
    const { mark, start } = items[0]!, tag = mark === "." || mark === ")" ? "ol" : "ul";
    const isTight = !hasGaps(items, true) && !items.some(({ children }) => hasGaps(children, false));
    const html = items.map(({ children }) => {
      const [first] = children, text = first?.kind === "paragraph" ? strip(first.lines.join("\n")) : "";
      const [task, sign] = /^\[([ xX])\](?=\s)/.exec(text) ?? [];
      if (task !== undefined) {
        first!.lines = [text.slice(task.length)];
        const state = sign === " " ? 'aria-label="to do"' : 'aria-label="done" checked=""';
        first!.info = `<input type="checkbox" disabled="" ${state} /> `;
      }
      return `<li${attribute("class", task && "task")}>${this.#children(children, true, isTight)}</li>\n`;
    });
    return `<${tag}${start === 1 ? "" : ` start="${start}"`}>\n${html.join("")}</${tag}>\n`;
  }

  #block({ kind, lines, children, line, end, size, info }: Block, isTight: boolean): string {
    const text = (): string => inlineHtml(strip(lines.join("\n")), this);
    if (kind === "quote") return `<blockquote>\n${this.#children(children)}</blockquote>\n`;
    if (kind === "html") return `<pre class="html">${escapeHtml(lines.join("\n"))}</pre>\n`;
    if (kind === "rule") return "<hr />\n";
    if (kind === "table") return this.#table(lines);
    if (kind === "paragraph" && lines.length > 0) {
      return isTight ? info + text() : `<p>${info}${text()}</p>\n`;
    }
    if (kind === "heading") {
      // The last line of a heading with an underline is the underline.
      const id = this.#ids.get(Math.max(line, end - 1));
      return `<h${size}${attribute("id", id)}>${text()}</h${size}>\n`;
    }
    if (kind !== "code") return "";
    const [language] = /\S+/.exec(info) ?? [], code = lines.map((line) => `${escapeHtml(line)}\n`).join("");
    return `<pre><code${attribute("class", language && `language-${language}`)}>${code}</code></pre>\n`;
  }

  #table([header, marks, ...rows]: readonly string[]): string {
    const columns = splitRow(marks!).map((mark) => {
      const isLeft = mark.startsWith(":"), isRight = mark.endsWith(":");
      return attribute("align", isLeft && isRight ? "center" : isLeft ? "left" : isRight ? "right" : "");
    });
    const row = (line: string, tag: "th" | "td"): string => {
      const cells = splitRow(line).slice(0, columns.length);
      while (cells.length < columns.length && this.#cells-- > 0) cells.push("");
      const html = cells.map((cell, at) => `<${tag}${columns[at]}>${inlineHtml(cell, this)}</${tag}>\n`);
      return `<tr>\n${html.join("")}</tr>\n`;
    };
    const head = row(header!, "th"), body = rows.map((line) => row(line, "td")).join("");
    return `<table>\n<thead>\n${head}</thead>\n${body && `<tbody>\n${body}</tbody>\n`}</table>\n`;
  }
}

/** Whether there are blank lines between items, or between blocks other than the items of one list. */
function hasGaps(blocks: readonly Block[], areItems: boolean): boolean {
  return blocks.some(({ kind, mark, line }, index) => {
    const before = blocks[index - 1];
    const isInList = !areItems && kind === "item" && before?.kind === kind && before.mark === mark;
    return before && !isInList && line > before.end + 1;
  });
}
