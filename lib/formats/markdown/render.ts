/** Renders markdown as HTML: CommonMark 0.31.2 with tables, task lists, strikethrough and footnotes. */

import type { Block } from "./blocks.ts";
import type { LinkOptions, References } from "./inlines.ts";
import type { Target } from "./text.ts";
import { escapeHtml } from "../../base/html.ts";
import { Blocks, splitRow } from "./blocks.ts";
import { Inlines } from "./inlines.ts";
import { attribute, strip } from "./text.ts";

/** Options of {@link toHtml}. */
export interface HtmlOptions extends LinkOptions {
  /** The address for the target of a link or image. If undefined, only http, https and mailto are linked. */
  readonly link?: (target: string) => string | undefined;
  /** HTML that is added after a block of code in a language. @default {none} */
  readonly afterCode?: (language: string) => string;
  /** The ids of headings, by their line, counted from 0. */
  readonly ids?: ReadonlyMap<number, string>;
}

/** The maximum number of characters that references and missing table cells add. A longer text may double. */
const MIN_BUDGET = 100_000;

/**
 * Renders markdown as HTML. HTML in the text is shown as text, in `<pre class="html">` and `<code class="html">`; images become
 * links, unless `image` has their address. The output has only tags, attributes and addresses of markdown and of the options.
 */
export function toHtml(markdown: string, options: HtmlOptions = {}): string {
  return new Writer(markdown.replaceAll("\0", "\ufffd"), options).write();
}

class Writer implements References {
  readonly options: HtmlOptions;
  readonly #blocks: Blocks;
  readonly #notes: Map<Block, number> = new Map();
  #budget: number;

  constructor(markdown: string, options: HtmlOptions) {
    this.options = options;
    this.#blocks = new Blocks(markdown);
    this.#budget = Math.max(markdown.length, MIN_BUDGET);
  }

  link(target: string): string | undefined {
    return this.options.link?.(target) ?? (/^(?:https?|mailto):/i.test(target) ? target : undefined);
  }

  definition(label: string): Target | undefined {
    const found = this.#blocks.definitions.get(label);
    return found && (this.#budget -= found.target.length + found.title.length) >= 0 ? found : undefined;
  }

  note(label: string): string | undefined {
    const block = this.#blocks.notes.get(label);
    if (!block) return undefined;
    const number = this.#notes.get(block) ?? this.#notes.size + 1;
    // The ids of headings have no colon.
    const id = this.#notes.has(block) ? "" : `fnref:${number}`;
    this.#notes.set(block, number);
    return `<sup><a href="#fn:${number}"${attribute("id", id)}>${number}</a></sup>`;
  }

  write(): string {
    const text = this.#children(this.#blocks.document.children);
    // Notes may refer to other notes, which are appended to the map during the loop.
    const notes = Array.from(this.#notes, ([{ children }, number]) => {
      const back = `<a href="#fnref:${number}" aria-label="Back to the text">↩</a>`;
      return `<li id="fn:${number}">${this.#children(children, true)} ${back}</li>\n`;
    });
    const section = `<section class="footnotes">\n<ol>\n${notes.join("")}</ol>\n</section>\n`;
    return notes.length > 0 ? text + section : text;
  }

  /** Blocks as HTML. The first block of an item is on the line of its tag. In a tight list, paragraphs have no tag. */
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
    const text = (): string => new Inlines(strip(lines.join("\n")), this).html;
    if (kind === "quote") return `<blockquote>\n${this.#children(children)}</blockquote>\n`;
    if (kind === "html") return `<pre class="html">${escapeHtml(lines.join("\n"))}</pre>\n`;
    if (kind === "rule") return "<hr />\n";
    if (kind === "table") return this.#table(lines);
    if (kind === "paragraph" && lines.length === 0) return "";
    if (kind === "paragraph") return isTight ? info + text() : `<p>${info}${text()}</p>\n`;
    if (kind === "heading") {
      // The last line of a heading with an underline is the underline.
      const id = this.options.ids?.get(Math.max(line, end - 1));
      return `<h${size}${attribute("id", id)}>${text()}</h${size}>\n`;
    }
    if (kind !== "code") return "";
    const [language] = /\S+/.exec(info) ?? [], code = lines.map((line) => `${escapeHtml(line)}\n`).join("");
    const after = this.options.afterCode?.(language ?? "") ?? "";
    return `<pre><code${
      attribute("class", language && `language-${language}`)
    }>${code}</code></pre>\n${after}`;
  }

  #table([header, marks, ...rows]: readonly string[]): string {
    const columns = splitRow(marks!).map((mark) => {
      const isLeft = mark.startsWith(":"), isRight = mark.endsWith(":");
      return attribute("align", isLeft && isRight ? "center" : isLeft ? "left" : isRight ? "right" : "");
    });
    const row = (line: string, tag: "th" | "td"): string => {
      const cells = splitRow(line).slice(0, columns.length);
      while (cells.length < columns.length && (this.#budget -= 10) >= 0) cells.push("");
      const html = cells.map((one, at) => `<${tag}${columns[at]}>${new Inlines(one, this).html}</${tag}>\n`);
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
