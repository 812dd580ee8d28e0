/** Markdown to HTML: CommonMark 0.31.2 with tables, task lists, strikethrough and footnotes. */

import type { Block } from "./blocks.ts";
import type { Target } from "./text.ts";
import { escapeHtml } from "../../base/text.ts";
import { Blocks, splitRow } from "./blocks.ts";
import { attribute, match, strip, toLabel, toTarget, unescape } from "./text.ts";

/** What {@link toHtml} is told about the text. */
export interface HtmlOptions {
  /** The address for the target of a link or image; where it is undefined, only http, https and mailto are linked. */
  readonly link?: (target: string) => string | undefined;
  /** The ids of headings, by their line, counted from 0. */
  readonly ids?: ReadonlyMap<number, string>;
}

/** How many characters references and missing cells of tables may add; to a longer text, as many as it has. */
const MIN_BUDGET = 100_000;

/**
 * Writes markdown as HTML. HTML in the text is shown as text, in `<pre class="html">` and `<code class="html">`; images are
 * links. There is no tag, attribute or address but those of markdown and of the options.
 */
export function toHtml(markdown: string, options: HtmlOptions = {}): string {
  return new Writer(markdown.replaceAll("\0", "\ufffd"), options).write();
}

class Writer {
  readonly #options: HtmlOptions;
  readonly #blocks: Blocks;
  readonly #notes: Map<Block, number> = new Map();
  #budget: number;

  constructor(markdown: string, options: HtmlOptions) {
    this.#options = options;
    this.#blocks = new Blocks(markdown);
    this.#budget = Math.max(markdown.length, MIN_BUDGET);
  }

  /** The address for a target; undefined where it is not linked. */
  link(target: string): string | undefined {
    return this.#options.link?.(target) ?? (/^(?:https?|mailto):/i.test(target) ? target : undefined);
  }

  definition(label: string): Target | undefined {
    const found = this.#blocks.definitions.get(label);
    return found && (this.#budget -= found.target.length + found.title.length) >= 0 ? found : undefined;
  }

  /** The HTML of a reference to a note; undefined when there is no such note. */
  note(label: string): string | undefined {
    const block = this.#blocks.notes.get(label);
    if (!block) return undefined;
    const number = this.#notes.get(block) ?? this.#notes.size + 1;
    // No id of a heading has a colon.
    const id = this.#notes.has(block) ? "" : `fnref:${number}`;
    this.#notes.set(block, number);
    return `<sup><a href="#fn:${number}"${attribute("id", id)}>${number}</a></sup>`;
  }

  write(): string {
    const text = this.#children(this.#blocks.document.children);
    // Notes may refer to others, which follow.
    const notes = Array.from(this.#notes, ([{ children }, number]) => {
      const back = `<a href="#fnref:${number}" aria-label="Back to the text">↩</a>`;
      return `<li id="fn:${number}">${this.#children(children, true)} ${back}</li>\n`;
    });
    const section = `<section class="footnotes">\n<ol>\n${notes.join("")}</ol>\n</section>\n`;
    return notes.length > 0 ? text + section : text;
  }

  /** Blocks as HTML. Those of an item begin behind its tag, in its line; in a tight list, paragraphs are mere text. */
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
      const id = this.#options.ids?.get(Math.max(line, end - 1));
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

interface Token {
  /** Without marks, for the text of an image around it. */
  text: string;
  html: string;
  /** Where an image or a bare address leads; its HTML depends on whether there is a link around it. */
  target?: Target | undefined;
}

/** Marks of emphasis; `text` is those that are not used yet, between the tags that the others close and open. */
interface Run extends Token {
  readonly length: number;
  readonly canOpen: boolean;
  readonly canClose: boolean;
  closed: string;
  opened: string;
}

/** A square bracket that a later one can make a link or image: the indices of the text behind it, its token and the next run. */
type Bracket = Readonly<Record<"from" | "token" | "run", number>>;

const MARKS = /[\n\\`*_~\]<&]|!?\[/g;

class Inlines {
  readonly html: string;
  readonly #text: string;
  readonly #writer: Writer;
  readonly #tokens: Token[] = [];
  readonly #runs: Run[] = [];
  readonly #brackets: Bracket[] = [];
  /** How many of these brackets, from the first on, cannot make links, because these would hold a link. */
  #inLink = 0;
  /** Where the text that is in no token yet begins, and where reading goes on. */
  #from = 0;
  #at = 0;
  /** Where the last run of backticks of each length is. */
  #lastTicks: Map<number, number> | undefined;

  constructor(text: string, writer: Writer) {
    this.#text = text;
    this.#writer = writer;
    for (;;) {
      MARKS.lastIndex = this.#at;
      const { 0: mark, index } = MARKS.exec(text) ?? { 0: "", index: text.length };
      this.#at = index;
      if (mark === "") break;
      if (mark === "\n") this.#readLineEnd();
      else if (mark === "`") this.#readCode();
      else if (mark === "<") this.#readAngle();
      else if (mark === "]") this.#closeBracket();
      else if ("*_~".includes(mark)) this.#readRun(mark);
      else if (mark === "[" || mark === "![") this.#openBracket(mark);
      else this.#readEscape();
    }
    this.#flush();
    this.#pairRuns(0);
    this.html = this.#html(this.#tokens);
  }

  /** Makes a token of the text that is in none. */
  #flush(): void {
    const text = this.#text.slice(this.#from, this.#at);
    if (text) this.#tokens.push({ text, html: escapeHtml(text) });
  }

  /** Adds a token for the text up to `end`. */
  #add(text: string, end: number, html: string = escapeHtml(text)): Token {
    this.#flush();
    const token = { text, html };
    this.#tokens.push(token);
    this.#from = this.#at = end;
    return token;
  }

  #readLineEnd(): void {
    const end = this.#at;
    while (this.#at > this.#from && this.#text[this.#at - 1] === " ") this.#at--;
    this.#add("\n", end + 1, end - this.#at < 2 ? "\n" : "<br />\n");
  }

  #readEscape(): void {
    const [escape] = match("escape", this.#text, this.#at);
    if (escape !== undefined) this.#add(unescape(escape), this.#at + escape.length);
    else if (this.#text.startsWith("\\\n", this.#at)) this.#add("\n", this.#at + 2, "<br />\n");
    else this.#at++;
  }

  #readAngle(): void {
    const text = this.#text, at = this.#at;
    const [address, target, mail] = match("address", text, at);
    const [html] = address ? [] : match("html", text, at);
    if (address) {
      const token = this.#add(target ?? mail!, at + address.length);
      token.target = { target: target ?? `mailto:${mail}`, title: "" };
    } else if (html) this.#add("", at + html.length, `<code class="html">${escapeHtml(html)}</code>`);
    else this.#at++;
  }

  #readCode(): void {
    const text = this.#text, ticks = /`+/g;
    this.#lastTicks ??= new Map(Array.from(text.matchAll(ticks), ({ 0: run, index }) => [run.length, index]));
    ticks.lastIndex = this.#at;
    const { length } = ticks.exec(text)![0], from = ticks.lastIndex;
    if ((this.#lastTicks.get(length) ?? 0) < from) {
      this.#at = from;
      return;
    }
    let close;
    do close = ticks.exec(text)!; while (close[0].length !== length);
    let code = text.slice(from, close.index).replaceAll("\n", " ");
    if (code.startsWith(" ") && code.endsWith(" ") && /[^ ]/.test(code)) code = code.slice(1, -1);
    this.#add(code, close.index + length, `<code>${escapeHtml(code)}</code>`);
  }

  #readRun(mark: string): void {
    const text = this.#text, from = this.#at;
    let end = from;
    while (text[end] === mark) end++;
    const before = text.slice(Math.max(0, from - 2), from), after = text.slice(end, end + 2);
    const isSpaceBefore = /(?:^|\s)$/.test(before), isSpaceAfter = /^(?:\s|$)/.test(after);
    const isSignBefore = /^.?[\p{P}\p{S}]$/su.test(before), isSignAfter = /^[\p{P}\p{S}]/u.test(after);
    const isLeft = !isSpaceAfter && (!isSignAfter || isSpaceBefore || isSignBefore);
    const isRight = !isSpaceBefore && (!isSignBefore || isSpaceAfter || isSignAfter);
    const canOpen = isLeft && (mark !== "_" || !isRight || isSignBefore);
    const canClose = isRight && (mark !== "_" || !isLeft || isSignAfter);
    const length = end - from, token = this.#add(text.slice(from, end), end);
    if (mark === "~" && length > 2) return;
    this.#runs.push(Object.assign(token, { length, canOpen, canClose, closed: "", opened: "" }));
  }

  /** Pairs the marks of emphasis from one on, and forgets them. */
  #pairRuns(first: number): void {
    const runs = this.#runs.splice(first), open: number[] = [];
    /** By the kind of a closing run, the run before which none opens it. */
    const bottoms = new Map<string, number>();
    for (const [index, closer] of runs.entries()) {
      const { length, canOpen } = closer, mark = closer.text[0]!;
      const key = `${mark}${canOpen}${mark === "~" ? length : length % 3}`;
      while (closer.canClose && closer.text !== "") {
        const bottom = bottoms.get(key) ?? 0;
        const at = open.findLastIndex((one) => one < bottom || isPair(runs[one]!, closer));
        if (at < 0 || open[at]! < bottom) {
          bottoms.set(key, index);
          break;
        }
        const opener = runs[open[at]!]!;
        const used = mark === "~" ? length : Math.min(2, opener.text.length, closer.text.length);
        const tag = mark === "~" ? "del" : used === 2 ? "strong" : "em";
        opener.opened = `<${tag}>${opener.opened}`;
        closer.closed += `</${tag}>`;
        opener.text = opener.text.slice(used);
        closer.text = closer.text.slice(used);
        open.length = opener.text === "" ? at : at + 1;
      }
      if (canOpen && closer.text !== "") open.push(index);
    }
    for (const run of runs) run.html = run.closed + run.text + run.opened;
  }

  /** Reads the reference to a note, or opens what may become a link or image. */
  #openBracket(mark: string): void {
    const from = this.#at + mark.length, [label = "", name] = match("note", this.#text, from - 1);
    const note = this.#writer.note(toLabel(name));
    if (note === undefined) {
      this.#inLink = Math.min(this.#inLink, this.#brackets.length);
      this.#add(mark, from);
      this.#brackets.push({ from, token: this.#tokens.length - 1, run: this.#runs.length });
    } else {
      this.#at = from - 1;
      this.#add("", this.#at + label.length, note);
      this.#inLink = this.#brackets.length;
    }
  }

  #closeBracket(): void {
    const text = this.#text, end = this.#at, opener = this.#brackets.pop(), behind = ++this.#at;
    if (!opener) return;
    const token = this.#tokens[opener.token]!, isImage = token.text !== "[";
    if (!isImage && this.#brackets.length < this.#inLink) return;
    const [resource, ...parts] = text[behind] === "(" ? match("resource", text, behind) : [];
    const [label, name] = text[behind] === "[" ? match("label", text, behind) : [];
    // A name has no brackets in it.
    const [own = "", inner] = match("label", text, opener.from - 1),
      isName = opener.from + own.length > behind;
    const target = resource
      ? toTarget(parts)
      : this.#writer.definition(toLabel(name || (isName ? inner : "")));
    if (!target) return;
    this.#at = end;
    this.#flush();
    this.#from = this.#at = behind + (resource ?? label ?? "").length;
    this.#pairRuns(opener.run);
    const within = this.#tokens.splice(opener.token + 1);
    token.text = "";
    for (const { text } of within) token.text += text;
    if (isImage) token.target = target;
    else {
      token.html = this.#html(within, target);
      this.#inLink = this.#brackets.length;
    }
  }

  /** The HTML of tokens, in a link if its target has an address. Images are links, and there is no link in a link. */
  #html(tokens: readonly Token[], link?: Target): string {
    const address = link && this.#writer.link(link.target);
    const html = tokens.map(({ text, html, target }) => {
      if (!target) return html;
      const shown = { text, html: escapeHtml(text || target.target) };
      return address === undefined ? this.#html([shown], target) : shown.html;
    }).join("");
    if (address === undefined) return html;
    return `<a${attribute("href", address)}${attribute("title", link!.title)}>${html}</a>`;
  }
}

function isPair(opener: Run, closer: Run): boolean {
  if (opener.text[0] !== closer.text[0]) return false;
  if (closer.text[0] === "~") return opener.length === closer.length;
  const isBoth = opener.canClose || closer.canOpen;
  return !isBoth || closer.length % 3 === 0 || (opener.length + closer.length) % 3 !== 0;
}
