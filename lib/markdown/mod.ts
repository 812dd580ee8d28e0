/**
 * Markdown to HTML: CommonMark 0.31.2 with tables, task lists, strikethrough and footnotes. HTML in the text is shown as text.
 *
 * @module
 */

import type { Block, Blocks } from "./blocks.ts";
import type { Context } from "./inlines.ts";
import { readBlocks, splitRow } from "./blocks.ts";
import { escapeHtml, strip } from "./html.ts";
import { inlineHtml } from "./inlines.ts";

export { escapeHtml } from "./html.ts";

/** What {@link toHtml} asks about the text. */
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
 * Writes markdown as HTML. HTML in the text stands as text in `<pre class="html">` and `<code class="html">`; there is no tag,
 * attribute or address but those of markdown and of the options.
 */
export function toHtml(markdown: string, options: HtmlOptions = {}): string {
  const text = markdown.replaceAll("\0", "\ufffd");
  return new Writer(readBlocks(text), options, text.length).write();
}

class Writer {
  readonly #blocks: Blocks;
  readonly #ids: ReadonlyMap<number, string>;
  readonly #context: Context;
  readonly #out: string[] = [];
  /** The notes that are referred to, in this order, and how often. */
  readonly #notes: Map<string, { number: number; uses: number }> = new Map();
  #addedCells = 0;

  constructor(blocks: Blocks, options: HtmlOptions, length: number) {
    this.#blocks = blocks;
    this.#ids = options.ids ?? new Map();
    let referenced = 0;
    this.#context = {
      link: options.link ?? ((target) => /^(?:https?|mailto):/i.test(target) ? target : undefined),
      image: options.image ?? (() => undefined),
      definition: (label) => {
        const found = blocks.definitions.get(label);
        if (found) referenced += found.target.length + found.title.length;
        return referenced > Math.max(length, MIN_REFERENCED) ? undefined : found;
      },
      hasNote: (label) => blocks.notes.has(label),
      noteMark: (label, inLink) => this.#noteMark(label, inLink),
    };
  }

  write(): string {
    this.#children(this.#blocks.document);
    if (this.#notes.size > 0) this.#writeNotes();
    return this.#out.join("");
  }

  #put(html: string): void {
    if (html !== "") this.#out.push(html);
  }

  /** Begins a line, where one is not begun. */
  #line(html: string): void {
    if (this.#out.length > 0 && !this.#out.at(-1)!.endsWith("\n")) this.#out.push("\n");
    this.#put(html);
  }

  #inline(lines: readonly string[]): string {
    return inlineHtml(strip(lines.join("\n")), this.#context);
  }

  #children(block: Block, isTight = false): void {
    for (const child of block.children) this.#block(child, isTight);
  }

  #block(block: Block, isTight: boolean): void {
    const { kind, lines } = block;
    switch (kind) {
      case "quote":
        this.#line("<blockquote>\n");
        this.#children(block);
        this.#line("</blockquote>\n");
        break;
      case "list": {
        const isOrdered = /[.)]/.test(block.mark), isLoose = hasGaps(block) || block.children.some(hasGaps);
        this.#line(isOrdered ? block.start === 1 ? "<ol>\n" : `<ol start="${block.start}">\n` : "<ul>\n");
        for (const item of block.children) this.#item(item, !isLoose);
        this.#line(isOrdered ? "</ol>\n" : "</ul>\n");
        break;
      }
      case "paragraph":
        if (lines.length === 0) break;
        if (isTight) this.#put(block.info + this.#inline(lines));
        else this.#line(`<p>${block.info}${this.#inline(lines)}</p>\n`);
        break;
      case "heading": {
        // The id belongs to the last line of the text; an underline is below it.
        const id = this.#ids.get(block.end > block.line ? block.end - 1 : block.end);
        const attribute = id === undefined ? "" : ` id="${escapeHtml(id)}"`;
        this.#line(`<h${block.size}${attribute}>${this.#inline(lines)}</h${block.size}>\n`);
        break;
      }
      case "code": {
        const language = /^\S+/.exec(block.info)?.[0];
        const attribute = language === undefined ? "" : ` class="language-${escapeHtml(language)}"`;
        const code = lines.map((line) => `${escapeHtml(line)}\n`).join("");
        this.#line(`<pre><code${attribute}>${code}</code></pre>\n`);
        break;
      }
      case "html":
        this.#line(`<pre class="html">${escapeHtml(lines.join("\n"))}</pre>\n`);
        break;
      case "rule":
        this.#line("<hr />\n");
        break;
      case "table":
        this.#table(lines);
    }
  }

  #item(item: Block, isTight: boolean): void {
    const first = item.children[0];
    const task = first?.kind === "paragraph" ? /^\[([ xX])\](?=[ \t]|$)/.exec(first.lines[0] ?? "") : null;
    this.#line(task ? '<li class="task">' : "<li>");
    if (task) {
      first!.lines[0] = first!.lines[0]!.slice(task[0].length);
      const state = task[1] === " " ? 'aria-label="to do"' : 'aria-label="done" checked=""';
      first!.info = `<input type="checkbox" disabled="" ${state} /> `;
    }
    this.#children(item, isTight);
    this.#put("</li>\n");
  }

  #table([header = "", marks = "", ...rows]: readonly string[]): void {
    const columns = splitRow(marks).map((mark) => {
      const align = mark.endsWith(":")
        ? mark.startsWith(":") ? "center" : "right"
        : mark.startsWith(":")
        ? "left"
        : "";
      return align === "" ? "" : ` align="${align}"`;
    });
    const row = (line: string, tag: "th" | "td"): void => {
      const cells = splitRow(line).slice(0, columns.length);
      this.#put("<tr>\n");
      cells.forEach((cell, index) =>
        this.#put(`<${tag}${columns[index]}>${this.#inline([cell])}</${tag}>\n`)
      );
      for (let at = cells.length; at < columns.length && this.#addedCells < MAX_ADDED_CELLS; at++) {
        this.#addedCells++;
        this.#put(`<td${columns[at]}></td>\n`);
      }
      this.#put("</tr>\n");
    };
    this.#line("<table>\n<thead>\n");
    row(header, "th");
    this.#put("</thead>\n");
    if (rows.length > 0) this.#put("<tbody>\n");
    for (const line of rows) row(line, "td");
    this.#put(rows.length > 0 ? "</tbody>\n</table>\n" : "</table>\n");
  }

  #noteMark(label: string, inLink: boolean): string {
    const note = this.#notes.get(label) ?? { number: this.#notes.size + 1, uses: 0 };
    this.#notes.set(label, note);
    if (inLink) return `<sup>${note.number}</sup>`;
    note.uses++;
    // No id of a heading has a colon.
    return `<sup><a href="#fn:${note.number}" id="fnref:${note.number}:${note.uses}">${note.number}</a></sup>`;
  }

  /** Writes the notes that are referred to; these may refer to others, which follow. */
  #writeNotes(): void {
    this.#line('<section class="footnotes">\n<ol>\n');
    for (const [label, note] of this.#notes) {
      this.#line(`<li id="fn:${note.number}">`);
      this.#children(this.#blocks.notes.get(label)!);
      for (let use = 1; use <= note.uses; use++) {
        this.#put(` <a href="#fnref:${note.number}:${use}" aria-label="Back to the text">↩</a>`);
      }
      this.#put("</li>\n");
    }
    this.#line("</ol>\n</section>\n");
  }
}

/** Whether there are blank lines between the children of a block. */
function hasGaps({ children }: Block): boolean {
  return children.some((child, index) => index > 0 && child.line > children[index - 1]!.end + 1);
}
