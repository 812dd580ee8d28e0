/** Reads what stands within lines of markdown, and writes it as HTML: emphasis, code, links, images, references. */

import type { Target } from "./text.ts";
import { escapeHtml } from "../base/text.ts";
import { attribute, match, toLabel, toTarget, unescape } from "./text.ts";

/** What the texts of a document share. */
export interface Context {
  link(target: string): string | undefined;
  image(target: string): string | undefined;
  /** The target of a label. */
  definition(label: string): Target | undefined;
  /** The HTML that refers to a note; undefined when there is no such. */
  note(label: string): string | undefined;
}

/** Marks of emphasis, and brackets, that are open at the same time; and what looks like HTML and is none. */
const MAX_OPEN = 100_000, MAX_FAILED = 100;

/** HTML that is ready, marks of emphasis, both ends of a link, a link that is its own text, or an image. */
interface Token {
  kind: "html" | "run" | "link" | "end" | "address" | "image";
  /** As text, which is shown where an image is not. */
  text: string;
  html: string;
  target?: Target;
}

/** Marks of emphasis. What is left of them stands between the tags that they close and those that they open. */
interface Run extends Token {
  readonly length: number;
  readonly canOpen: boolean;
  readonly canClose: boolean;
  closed: string;
}

/** A square bracket that a later one can make a link or image. */
interface Bracket {
  /** The indices of its token, of the text behind it, and of the first marks of emphasis behind it. */
  readonly token: number;
  readonly from: number;
  readonly runs: number;
  readonly isImage: boolean;
  hasInner: boolean;
}

const MARKS = /[\n\\`*_~\]<&]|!?\[/g;

/** The HTML of a text. */
export function inlineHtml(text: string, context: Context): string {
  return write(new Reader(text, context).read(), context);
}

class Reader {
  readonly #text: string;
  readonly #context: Context;
  readonly #tokens: Token[] = [];
  readonly #runs: Run[] = [];
  readonly #brackets: Bracket[] = [];
  /** So many of these brackets cannot make links, which would hold a link. */
  #inLink = 0;
  /** Where the text begins that is in no token yet, and where reading goes on. */
  #from = 0;
  #at = 0;
  /** Where the last run of backticks of each length is. */
  #lastTicks: Map<number, number> | undefined;
  #failed = 0;

  constructor(text: string, context: Context) {
    this.#text = text;
    this.#context = context;
  }

  read(): Token[] {
    const text = this.#text;
    for (;;) {
      MARKS.lastIndex = this.#at;
      const { 0: mark, index } = MARKS.exec(text) ?? { 0: "", index: text.length };
      this.#at = index;
      if (mark === "") break;
      if (mark === "\n") this.#readLineEnd();
      else if (mark === "`") this.#readCode();
      else if (mark === "<") this.#readAngle();
      else if (mark === "]") this.#closeBracket();
      else if (Math.max(this.#brackets.length, this.#runs.length) >= MAX_OPEN) this.#readEscape();
      else if ("*_~".includes(mark)) this.#readRun(mark);
      else if (mark === "[" || mark === "![") this.#openBracket(mark);
      else this.#readEscape();
    }
    this.#add("html", "", text.length);
    this.#match(0);
    return this.#tokens;
  }

  /** Adds a token for the text up to `end`, and before it one for the text that is in none. */
  #add(kind: Token["kind"], text: string, end: number, html = escapeHtml(text)): Token {
    const before = this.#text.slice(this.#from, this.#at);
    if (before) this.#tokens.push({ kind: "html", text: before, html: escapeHtml(before) });
    const token = { kind, text, html };
    this.#tokens.push(token);
    this.#from = this.#at = end;
    return token;
  }

  #readLineEnd(): void {
    const end = this.#at;
    while (this.#at > this.#from && this.#text[this.#at - 1] === " ") this.#at--;
    this.#add("html", "\n", end + 1, end - this.#at < 2 ? "\n" : "<br />\n");
  }

  #readEscape(): void {
    const [escape] = match("escape", this.#text, this.#at);
    if (escape !== undefined) this.#add("html", unescape(escape), this.#at + escape.length);
    else if (this.#text.startsWith("\\\n", this.#at)) this.#add("html", "\n", this.#at + 2, "<br />\n");
    else this.#at++;
  }

  /** An address or HTML. */
  #readAngle(): void {
    const text = this.#text, at = this.#at;
    const [address, target, mail] = match("address", text, at);
    const isHtml = !address && /[a-z/!?]/i.test(text[at + 1] ?? "") && this.#failed < MAX_FAILED;
    const [html] = isHtml ? match("html", text, at) : [];
    if (address) {
      const token = this.#add("address", target ?? mail!, at + address.length);
      token.target = { target: target ?? `mailto:${mail}`, title: "" };
    } else if (html) this.#add("html", "", at + html.length, `<code class="html">${escapeHtml(html)}</code>`);
    else {
      this.#failed += isHtml ? 1 : 0;
      this.#at++;
    }
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
    this.#add("html", code, close.index + length, `<code>${escapeHtml(code)}</code>`);
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
    const length = end - from;
    if (mark === "~" && length > 2) {
      this.#at = end;
      return;
    }
    const token = this.#add("run", text.slice(from, end), end, "");
    this.#runs.push(Object.assign(token, { length, canOpen, canClose, closed: "" }));
  }

  /** Matches the marks of emphasis from one on, and forgets them. */
  #match(first: number): void {
    const runs = this.#runs, open: number[] = [];
    /** By kind of a closing run: before which run there is no opening one. */
    const bottoms = new Map<string, number>();
    for (let index = first; index < runs.length; index++) {
      const closer = runs[index]!, { length, canOpen } = closer, mark = closer.text[0]!;
      const key = `${mark}${canOpen}${mark === "~" ? length : length % 3}`;
      while (closer.canClose && closer.text !== "") {
        let top = open.length - 1;
        const bottom = bottoms.get(key) ?? 0;
        while (top >= 0 && open[top]! >= bottom && !isPair(runs[open[top]!]!, closer)) top--;
        if (top < 0 || open[top]! < bottom) {
          bottoms.set(key, index);
          break;
        }
        const opener = runs[open[top]!]!;
        const used = mark === "~" ? length : Math.min(2, opener.text.length, closer.text.length);
        const tag = mark === "~" ? "del" : used === 2 ? "strong" : "em";
        opener.html = `<${tag}>${opener.html}`;
        closer.closed += `</${tag}>`;
        opener.text = opener.text.slice(used);
        closer.text = closer.text.slice(used);
        open.length = opener.text === "" ? top : top + 1;
      }
      if (canOpen && closer.text !== "") open.push(index);
    }
    runs.length = first;
  }

  #openBracket(text: string): void {
    const brackets = this.#brackets, outer = brackets.at(-1);
    if (outer) outer.hasInner = true;
    this.#inLink = Math.min(this.#inLink, brackets.length);
    this.#add("html", text, this.#at + text.length);
    const token = this.#tokens.length - 1;
    brackets.push({ token, from: this.#at, runs: this.#runs.length, isImage: text !== "[", hasInner: false });
  }

  #closeBracket(): void {
    const text = this.#text, brackets = this.#brackets, opener = brackets.pop(), behind = ++this.#at;
    if (!opener || (!opener.isImage && brackets.length < this.#inLink)) return;
    const inner = opener.hasInner ? "" : text.slice(opener.from, Math.min(behind - 1, opener.from + 1000));
    const note = /^\^\S*$/.test(inner) ? this.#context.note(toLabel(inner.slice(1))) : undefined;
    const [resource, ...parts] = !note && text[behind] === "(" ? match("resource", text, behind) : [];
    const [label, name] = !note && text[behind] === "[" ? match("label", text, behind) : [];
    const found = resource ? toTarget(parts) : this.#context.definition(toLabel(name || inner));
    const target = note ? undefined : found;
    if (!target && !note) return;
    this.#match(opener.runs);
    this.#at--;
    this.#add("end", "", behind + (resource ?? label ?? "").length);
    const token = this.#tokens[opener.token]!, { isImage } = opener;
    Object.assign(token, { html: (isImage ? "!" : "") + (note ?? ""), text: "", target });
    if (target) token.kind = isImage ? "image" : "link";
    if (token.kind !== "link") {
      for (const { text } of this.#tokens.splice(opener.token + 1)) token.text += target ? text : "";
    }
    if (!isImage) this.#inLink = brackets.length;
  }
}

/** Whether two runs of marks enclose emphasis. */
function isPair(opener: Run, closer: Run): boolean {
  if (opener.text[0] !== closer.text[0]) return false;
  if (closer.text[0] === "~") return opener.length === closer.length;
  const isBoth = opener.canClose || closer.canOpen;
  return !isBoth || closer.length % 3 === 0 || (opener.length + closer.length) % 3 !== 0;
}

function write(tokens: readonly Token[], context: Context): string {
  let html = "", isLinked = false;
  for (const token of tokens) {
    const { kind, text, target } = token;
    if (!target) {
      html += kind === "run" ? (token as Run).closed + text + token.html : token.html;
      if (kind === "end" && isLinked) html += "</a>";
      if (kind === "end") isLinked = false;
      continue;
    }
    const title = attribute("title", target.title);
    const source = kind === "image" ? context.image(target.target) : undefined;
    if (source !== undefined) {
      html += `<img${attribute("src", source)} alt="${escapeHtml(text)}"${title} />`;
      continue;
    }
    const address: string | undefined = isLinked ? undefined : context.link(target.target);
    if (address !== undefined) html += `<a${attribute("href", address)}${title}>`;
    if (kind === "link") isLinked = address !== undefined;
    else html += escapeHtml(text || target.target) + (address === undefined ? "" : "</a>");
  }
  return html;
}
