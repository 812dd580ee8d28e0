/** Renders the text within a block as HTML: emphasis, links, images, code, notes. */

import type { Target } from "./text.ts";
import { escapeHtml } from "../../base/html.ts";
import { attribute, match, toLabel, toTarget, unescape } from "./text.ts";

/** How links and images are written. */
export interface LinkOptions {
  /** The address of an image that is shown. Other images become links. @default {none} */
  readonly image?: (target: string) => string | undefined;
  /** HTML that is added to the text of a link or image without an address. @default {none} */
  readonly unlinked?: (target: string) => string;
  /** Whether http and https addresses without marks around them become links. @default {false} */
  readonly linksBare?: boolean;
}

/** Resolves what the text of a block refers to. */
export interface References {
  readonly options: LinkOptions;
  /** The address for a target; undefined if it is not linked. */
  link(target: string): string | undefined;
  /** The target of a definition; undefined if there is no such definition. */
  definition(label: string): Target | undefined;
  /** The HTML of a reference to a note; undefined if there is no such note. */
  note(label: string): string | undefined;
}

interface Token {
  /** The text without marks, for an image around it. */
  text: string;
  html: string;
  /** The target of an image or a bare address. Its HTML depends on whether it is inside a link. */
  target?: Target | undefined;
  isImage?: boolean;
}

/** A run of emphasis marks. `text` has the unused marks, between the tags that the used marks close and open. */
interface Run extends Token {
  readonly length: number;
  readonly canOpen: boolean;
  readonly canClose: boolean;
  closed: string;
  opened: string;
}

/** An opening bracket that may begin a link or image: the indices of the text after it, of its token, and of the next run. */
type Bracket = Readonly<Record<"from" | "token" | "run", number>>;

const MARKS = /[\n\\`*_~\]<&]|!?\[|https?:\/\//g;
/** An address without marks around it, as on code hosts. */
const BARE = /https?:\/\/[^\s<>[\]`"]{1,2000}/y;

/** Renders the text of one block on construction. */
export class Inlines {
  readonly html: string;
  readonly #text: string;
  readonly #references: References;
  readonly #tokens: Token[] = [];
  readonly #runs: Run[] = [];
  readonly #brackets: Bracket[] = [];
  /** How many of these brackets, counted from the first, cannot begin links, because they would contain a link. */
  #inLink = 0;
  /** Where the text that is not in a token yet begins. */
  #from = 0;
  /** Where reading continues. */
  #at = 0;
  /** The index of the last run of backticks of each length. */
  #lastTicks: Map<number, number> | undefined;

  constructor(text: string, references: References) {
    this.#text = text;
    this.#references = references;
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
      else if (mark.startsWith("h")) this.#readBare(mark);
      else this.#readEscape();
    }
    this.#flush();
    this.#pairRuns(0);
    this.html = this.#html(this.#tokens);
  }

  /** Makes a token of the text that is not in a token yet. */
  #flush(): void {
    const text = this.#text.slice(this.#from, this.#at);
    if (text) this.#tokens.push({ text, html: escapeHtml(text) });
  }

  /** Adds a token for the source up to `end`. */
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

  /** Reads an address without marks around it. Punctuation at its end does not belong to it. */
  #readBare(mark: string): void {
    const at = this.#at, isFree = at === 0 || /[\s*_~([]/.test(this.#text[at - 1]!);
    BARE.lastIndex = at;
    let [address = ""] = this.#references.options.linksBare && isFree ? BARE.exec(this.#text) ?? [] : [];
    let open = address.split("(").length - address.split(")").length;
    for (; ".,:;!?'*_~)".includes(address.slice(-1) || " "); address = address.slice(0, -1)) {
      if (address.endsWith(")") && open++ >= 0) break;
    }
    if (address.length <= mark.length) this.#at += mark.length;
    else this.#add(address, at + address.length).target = { target: address, title: "" };
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

  /** Pairs the emphasis marks from the run `first` on, and removes these runs. */
  #pairRuns(first: number): void {
    const runs = this.#runs.splice(first), open: number[] = [];
    /** By the kind of a closing run: the first run that may open it. */
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

  /** Reads a reference to a note, or an opening bracket that may begin a link or image. */
  #openBracket(mark: string): void {
    const from = this.#at + mark.length, [label = "", name] = match("note", this.#text, from - 1);
    const note = this.#references.note(toLabel(name));
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
    const text = this.#text, end = this.#at, opener = this.#brackets.pop(), after = ++this.#at;
    if (!opener) return;
    const token = this.#tokens[opener.token]!, isImage = token.text !== "[";
    if (!isImage && this.#brackets.length < this.#inLink) return;
    const [resource, ...parts] = text[after] === "(" ? match("resource", text, after) : [];
    const [label, name] = text[after] === "[" ? match("label", text, after) : [];
    // A name contains no brackets.
    const [own = "", inner] = match("label", text, opener.from - 1),
      isName = opener.from + own.length > after;
    const target = resource
      ? toTarget(parts)
      : this.#references.definition(toLabel(name || (isName ? inner : "")));
    if (!target) return;
    this.#at = end;
    this.#flush();
    this.#from = this.#at = after + (resource ?? label ?? "").length;
    this.#pairRuns(opener.run);
    const within = this.#tokens.splice(opener.token + 1);
    token.text = "";
    for (const { text } of within) token.text += text;
    if (isImage) Object.assign(token, { target, isImage });
    else {
      token.html = this.#html(within, target);
      this.#inLink = this.#brackets.length;
    }
  }

  /** The HTML of tokens, inside a link if its target has an address. Other images become links, and a link contains no link. */
  #html(tokens: readonly Token[], link?: Target): string {
    const address = link && this.#references.link(link.target);
    const html = tokens.map(({ text, html, target, isImage }) => {
      if (!target) return html;
      const source = isImage ? this.#references.options.image?.(target.target) : undefined;
      if (source !== undefined) {
        const more = attribute("title", target.title);
        return `<img${attribute("src", source)} alt="${escapeHtml(text)}"${more} loading="lazy" />`;
      }
      const shown = { text, html: escapeHtml(text || target.target) };
      return address === undefined ? this.#html([shown], target) : shown.html;
    }).join("");
    const { unlinked = () => "" } = this.#references.options;
    if (address === undefined) return link ? html + unlinked(link.target) : html;
    return `<a${attribute("href", address)}${attribute("title", link!.title)}>${html}</a>`;
  }
}

function isPair(opener: Run, closer: Run): boolean {
  if (opener.text[0] !== closer.text[0]) return false;
  if (closer.text[0] === "~") return opener.length === closer.length;
  const isBoth = opener.canClose || closer.canOpen;
  return !isBoth || closer.length % 3 === 0 || (opener.length + closer.length) % 3 !== 0;
}
