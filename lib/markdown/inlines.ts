/** Reads what stands within lines of markdown, and writes it as HTML: emphasis, code, links, images, references. */

import type { Target } from "./links.ts";
import { decodeEntity, escapeAddress, escapeHtml, MAX_TAG, TAG } from "./html.ts";
import { readLabel, readResource, toLabel } from "./links.ts";

/** What the text of all blocks shares. */
export interface Context {
  link(target: string): string | undefined;
  image(target: string): string | undefined;
  /** The target of a label. */
  definition(label: string): Target | undefined;
  hasNote(label: string): boolean;
  /** The mark that refers to a note. */
  noteMark(label: string, inLink: boolean): string;
}

/** Marks of emphasis, and brackets, that are open at the same time in one text. */
const MAX_OPEN = 100_000;

/** Text, HTML that is ready, marks of emphasis, the two ends of a link or image, or the label of a note. */
interface Token {
  kind: "text" | "html" | "run" | "link" | "image" | "end" | "note";
  /** As text, also in the place of an image; the target of a link. */
  text: string;
  /** The HTML, or the title of a link. */
  html: string;
}

/** Marks of emphasis; `html` holds the tags that open, `closed` those that close. */
interface Run extends Token {
  readonly mark: string;
  readonly length: number;
  readonly canOpen: boolean;
  readonly canClose: boolean;
  closed: string;
  count: number;
}

/** A square bracket that a later one can make a link or image. */
interface Bracket {
  /** The index of its token, and of the text behind it. */
  readonly token: number;
  readonly from: number;
  readonly isImage: boolean;
  /** How many marks of emphasis stand before it. */
  readonly runs: number;
  /** Whether there is another bracket within. */
  hasInner: boolean;
}

const HOST = "[a-z\\d](?:[a-z\\d-]{0,61}[a-z\\d])?";
const AUTOLINK = new RegExp(
  `<(?:([a-z][a-z\\d+.-]{1,31}:[^\\s\\0-\\x1f\\x7f<>]*)|([\\w.!#$%&'*+/=?^\`{|}~-]+@${HOST}(?:\\.${HOST})*))>`,
  "iy",
);
const ENTITY = /&(?:#x[\da-f]{1,6}|#\d{1,7}|[a-z][a-z\d]{1,31});/iy;
/** HTML within a line that is no tag: how it begins and ends. */
const HTML = [["<!--", "-->"], ["<?", "?>"], ["<![CDATA[", "]]>"], ["<!", ">"]] as const;
const PLAIN = /[^\n\\`*_~[\]!<&]+/y;

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
  /** Brackets below this one can make images, no links, which would hold a link. */
  #inLink = 0;
  /** Where the text begins that is in no token yet, and where reading goes on. */
  #from = 0;
  #at = 0;
  /** The runs of backticks by length, the last one first; and ends of HTML that the rest of the text does not have. */
  #ticks: Map<number, number[]> | undefined;
  readonly #missing: Set<string> = new Set();

  constructor(text: string, context: Context) {
    this.#text = text;
    this.#context = context;
  }

  read(): Token[] {
    const text = this.#text;
    while (this.#at < text.length) {
      PLAIN.lastIndex = this.#at;
      if (PLAIN.test(text)) this.#at = PLAIN.lastIndex;
      switch (text[this.#at]) {
        case "\n":
          this.#readLineEnd();
          break;
        case "\\":
          this.#readEscape();
          break;
        case "`":
          this.#readCode();
          break;
        case "*":
        case "_":
        case "~":
          this.#readRun();
          break;
        case "!":
          if (text[this.#at + 1] === "[") this.#openBracket(true);
          else this.#at++;
          break;
        case "[":
          this.#openBracket(false);
          break;
        case "]":
          this.#closeBracket();
          break;
        case "<":
          this.#readAngle();
          break;
        case "&": {
          ENTITY.lastIndex = this.#at;
          const entity = ENTITY.exec(text)?.[0];
          const character = entity && decodeEntity(entity);
          if (character) this.#add("text", this.#at + entity.length, character);
          else this.#at++;
        }
      }
    }
    this.#addText(text.length);
    this.#match(0);
    return this.#tokens;
  }

  /** Adds a token for the text up to `end`, and before it the text that is in none. */
  #add(kind: Token["kind"], end: number, text: string, html = ""): Token {
    this.#addText(this.#at);
    const token = { kind, text, html };
    this.#tokens.push(token);
    this.#from = this.#at = end;
    return token;
  }

  #addText(end: number): void {
    if (end > this.#from) {
      this.#tokens.push({ kind: "text", text: this.#text.slice(this.#from, end), html: "" });
    }
  }

  #readLineEnd(): void {
    const end = this.#at;
    let start = end;
    while (start > this.#from && this.#text[start - 1] === " ") start--;
    this.#at = start;
    if (end - start >= 2) this.#add("html", end + 1, "\n", "<br />\n");
    else this.#add("text", end + 1, "\n");
  }

  #readEscape(): void {
    const next = this.#text[this.#at + 1] ?? "";
    if (next === "\n") this.#add("html", this.#at + 2, "\n", "<br />\n");
    else if (/[!-/:-@[-`{-~]/.test(next)) this.#add("text", this.#at + 2, next);
    else this.#at++;
  }

  #readCode(): void {
    const text = this.#text, from = this.#at;
    if (!this.#ticks) {
      this.#ticks = new Map();
      for (const { 0: run, index } of text.matchAll(/`+/g)) {
        const same = this.#ticks.get(run.length);
        if (same) same.push(index);
        else this.#ticks.set(run.length, [index]);
      }
      for (const same of this.#ticks.values()) same.reverse();
    }
    let begin = from;
    while (text[begin] === "`") begin++;
    const same = this.#ticks.get(begin - from) ?? [];
    while (same.length > 0 && same.at(-1)! < begin) same.pop();
    const close = same.at(-1);
    if (close === undefined) {
      this.#at = begin;
      return;
    }
    let code = text.slice(begin, close).replaceAll("\n", " ");
    if (code.startsWith(" ") && code.endsWith(" ") && /[^ ]/.test(code)) code = code.slice(1, -1);
    this.#add("html", close + begin - from, code, `<code>${escapeHtml(code)}</code>`);
  }

  #readRun(): void {
    const text = this.#text, from = this.#at, mark = text[from]!;
    let end = from;
    while (text[end] === mark) end++;
    const before = kindOf(characterBefore(text, from)), after = kindOf(characterAt(text, end));
    const isLeft = after !== "space" && (after === "letter" || before !== "letter");
    const isRight = before !== "space" && (before === "letter" || after !== "letter");
    const length = end - from;
    const canOpen = isLeft && (mark !== "_" || !isRight || before === "sign");
    const canClose = isRight && (mark !== "_" || !isLeft || after === "sign");
    if ((!canOpen && !canClose) || (mark === "~" && length > 2) || this.#runs.length >= MAX_OPEN) {
      this.#at = end;
      return;
    }
    const run = { mark, length, canOpen, canClose, closed: "", count: length };
    this.#runs.push(Object.assign(this.#add("run", end, ""), run));
  }

  /** Matches the marks of emphasis from one on, and forgets them. */
  #match(first: number): void {
    const runs = this.#runs;
    const open: number[] = [];
    /** By kind of a closing run: before which run there is no opening one. */
    const bottoms = new Map<string, number>();
    for (let index = first; index < runs.length; index++) {
      const closer = runs[index]!;
      const key = `${closer.mark}${closer.canOpen}${closer.mark === "~" ? closer.length : closer.length % 3}`;
      while (closer.canClose && closer.count > 0) {
        const bottom = bottoms.get(key) ?? first;
        let top = open.length - 1;
        while (top >= 0 && open[top]! >= bottom && !isPair(runs[open[top]!]!, closer)) top--;
        if (top < 0 || open[top]! < bottom) {
          bottoms.set(key, index);
          break;
        }
        const opener = runs[open[top]!]!;
        const isDouble = opener.count > 1 && closer.count > 1;
        const tag = closer.mark === "~" ? "del" : isDouble ? "strong" : "em";
        const used = closer.mark === "~" ? closer.length : isDouble ? 2 : 1;
        opener.html = `<${tag}>${opener.html}`;
        closer.closed += `</${tag}>`;
        opener.count -= used;
        closer.count -= used;
        open.length = opener.count > 0 ? top + 1 : top;
      }
      if (closer.canOpen && closer.count > 0) open.push(index);
    }
    runs.length = first;
  }

  #openBracket(isImage: boolean): void {
    const brackets = this.#brackets, outer = brackets.at(-1), end = this.#at + (isImage ? 2 : 1);
    if (outer) outer.hasInner = true;
    if (brackets.length >= MAX_OPEN) {
      this.#at = end;
      return;
    }
    this.#inLink = Math.min(this.#inLink, brackets.length);
    this.#add("text", end, isImage ? "![" : "[");
    const token = this.#tokens.length - 1;
    brackets.push({ token, from: end, isImage, runs: this.#runs.length, hasInner: false });
  }

  #closeBracket(): void {
    const text = this.#text, brackets = this.#brackets, close = this.#at, opener = brackets.pop();
    if (!opener || (!opener.isImage && brackets.length < this.#inLink)) {
      this.#at++;
      return;
    }
    const { isImage } = opener;
    const inner = opener.hasInner ? "" : text.slice(opener.from, Math.min(close, opener.from + 1001));
    const note = inner.startsWith("^") && !/\s/.test(inner) ? toLabel(inner.slice(1)) : "";
    const found = readResource(text, close + 1) ?? this.#readReference(close + 1, toLabel(inner));
    if (found) {
      this.#match(opener.runs);
      this.#add("end", found.end, "");
      Object.assign(this.#tokens[opener.token]!, {
        kind: isImage ? "image" : "link",
        text: found.target,
        html: found.title,
      });
      if (!isImage) this.#inLink = brackets.length;
    } else if (note !== "" && this.#context.hasNote(note)) {
      this.#tokens.length = opener.token;
      this.#runs.length = opener.runs;
      if (isImage) this.#tokens.push({ kind: "text", text: "!", html: "" });
      this.#from = close;
      this.#add("note", close + 1, note);
    } else this.#at++;
  }

  /** A reference behind the text of a link, or its text as a reference. */
  #readReference(from: number, inner: string): Target & { end: number } | undefined {
    const behind = readLabel(this.#text, from);
    const isEmpty = behind?.end === from + 2;
    const label = behind && !isEmpty ? behind.label : inner;
    const found = label === "" ? undefined : this.#context.definition(label);
    return found && { target: found.target, title: found.title, end: behind?.end ?? from };
  }

  #readAngle(): void {
    const text = this.#text, from = this.#at;
    AUTOLINK.lastIndex = from;
    const [whole, address, mail] = AUTOLINK.exec(text) ?? [];
    if (whole !== undefined) {
      this.#add("link", from, address ?? `mailto:${mail}`);
      this.#add("text", from, address ?? mail!);
      this.#add("end", from + whole.length, "");
      return;
    }
    const html = this.#readHtml(from);
    if (html === undefined) this.#at++;
    else this.#add("html", from + html.length, "", `<code class="html">${escapeHtml(html)}</code>`);
  }

  #readHtml(from: number): string | undefined {
    const text = this.#text;
    const form = HTML.find(([begin]) => text.startsWith(begin, from));
    if (!form) {
      TAG.lastIndex = 0;
      return TAG.exec(text.slice(from, from + MAX_TAG))?.[0];
    }
    const [begin, end] = form;
    if (begin === "<!" && !/[a-z]/i.test(text[from + 2] ?? "")) return undefined;
    // "<!-->" and "<!--->" are whole comments.
    const short = begin === "<!--" ? /^<!---?>/.exec(text.slice(from, from + 6))?.[0] : undefined;
    if (short !== undefined || this.#missing.has(end)) return short;
    const close = text.indexOf(end, from + begin.length);
    if (close < 0) this.#missing.add(end);
    return close < 0 ? undefined : text.slice(from, close + end.length);
  }
}

/** Whether two runs of marks enclose emphasis. */
function isPair(opener: Run, closer: Run): boolean {
  if (opener.mark !== closer.mark) return false;
  if (closer.mark === "~") return opener.length === closer.length;
  const isBoth = opener.canClose || closer.canOpen;
  return !isBoth || closer.length % 3 === 0 || (opener.length + closer.length) % 3 !== 0;
}

function kindOf(character: string): "space" | "sign" | "letter" {
  if (character === "" || /\s/.test(character)) return "space";
  return /[\p{P}\p{S}]/u.test(character) ? "sign" : "letter";
}

function characterAt(text: string, at: number): string {
  const code = text.codePointAt(at);
  return code === undefined ? "" : String.fromCodePoint(code);
}

function characterBefore(text: string, at: number): string {
  if (at === 0) return "";
  const isLow = /[\udc00-\udfff]/.test(text[at - 1]!);
  return characterAt(text, at - (isLow && at > 1 ? 2 : 1));
}

/** Writes tokens as HTML. */
function write(tokens: readonly Token[], context: Context): string {
  let html = "";
  /** The links and images that are open, how many of these are images, and whether there is a link. */
  const open: { token: Token; address: string | undefined }[] = [];
  let images = 0, isLinked = false;
  /** The text of an image. */
  let alternative = "";
  for (const token of tokens) {
    const { kind, text } = token;
    if (kind === "link" || kind === "image") {
      const isText = images > 0 || (isLinked && kind === "link");
      const address = isText ? undefined : context[kind](text);
      if (kind === "image") images++;
      else if (address !== undefined) {
        html += linkStart(address, token.html);
        isLinked = true;
      }
      open.push({ token, address });
    } else if (kind === "end") {
      const { token: { kind, text, html: title }, address } = open.pop()!;
      if (kind === "link") {
        if (address === undefined) continue;
        html += "</a>";
        isLinked = false;
      } else if (--images === 0) {
        html += imageHtml(alternative, text, title, address, isLinked ? undefined : context.link(text));
        alternative = "";
      }
    } else if (images > 0) alternative += kind === "run" ? rest(token as Run) : kind === "note" ? "" : text;
    else if (kind === "run") html += (token as Run).closed + rest(token as Run) + token.html;
    else if (kind === "note") html += context.noteMark(text, isLinked);
    else html += kind === "html" ? token.html : escapeHtml(text);
  }
  return html;
}

function rest({ mark, count }: Run): string {
  return mark.repeat(count);
}

function linkStart(address: string, title: string): string {
  return `<a href="${escapeAddress(address)}"${titleAttribute(title)}>`;
}

function titleAttribute(title: string): string {
  return title === "" ? "" : ` title="${escapeHtml(title)}"`;
}

/** An image, or else a link to it, or else its text. */
function imageHtml(text: string, target: string, title: string, source?: string, link?: string): string {
  if (source !== undefined) {
    return `<img src="${escapeAddress(source)}" alt="${escapeHtml(text)}"${titleAttribute(title)} />`;
  }
  const label = escapeHtml(text || target);
  return link === undefined ? label : `${linkStart(link, title)}${label}</a>`;
}
