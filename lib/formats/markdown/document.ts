/** Reads markdown: lines, front matter, headings and sections, links, plain text (https://spec.commonmark.org/0.31.2/). */

import { asArray, asObject, asString, detached, isObject } from "../../base/json.ts";
import { readYaml, YamlError } from "../yaml.ts";

/** How much of a line, or of a value of the front matter, is read: bounds what a hostile document can cost. */
export const MAX_LINE = 2000;
/** The same for links, as prose often stands in one line for each paragraph; and the most headings that are read. */
const MAX_LINK_LINE = 20_000, MAX_HEADINGS = 10_000;

export function toLines(text: string): string[] {
  return text.split(text.includes("\r") ? /\r\n|\n|\r/ : "\n");
}

/** The lines with their ends; nothing behind the last end is no line. */
export function toRawLines(text: string): string[] {
  return text.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? [];
}

export interface FrontMatter {
  /** By lower-case key. A single value is a list of one; an empty one is an empty list, and so is an object. */
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** The first line of the body, counted from 0. */
  readonly bodyLine: number;
  /** Lines that are not YAML, counted from 1, with the reason. */
  readonly problems: readonly { readonly line: number; readonly reason: string }[];
}

const CLOSING = /^(?:---|\.\.\.)[ \t]*$/;
const ITEM = /^[ \t]*-(?:[ \t]+(.*))?$/;
const INDENTED = /^[ \t]/;
const LIST_END = /^\]/;
const COMMENT_OR_BLANK = /^[ \t]*(?:#.*)?$/;
/** `key: value`. What cannot begin a key begins something else in YAML. */
const PAIR = /^("[^"]*"[ \t]*|'[^']*'[ \t]*|[^\s"'[\]{}#&*!|>%@`,:-][^:]*):(?:[ \t](.*))?$/s;

/** Reads each key with its value as YAML; what is not YAML is taken as it is written, and is a problem. */
export function readFrontMatter(lines: readonly string[]): FrontMatter {
  const none = { values: new Map(), bodyLine: 0, problems: [] };
  if (!/^---[ \t]*$/.test(lines[0] ?? "")) return none;
  const lineOf = (ends: (line: string) => boolean) =>
    lines.findIndex((line, index) => index > 0 && ends(line));
  const close = lineOf((line) => CLOSING.test(line));
  // Without a closing line, the first line that cannot be front matter begins the body.
  const stop = close > 0 ? close : lineOf((line) => ![INDENTED, ITEM, PAIR].some((form) => form.test(line)));
  const end = stop > 0 ? stop : lines.length;
  const { values, problems } = readValues(lines, end);
  if (values.size > 0 || (close > 0 && end === 1)) {
    const unclosed = close > 0 ? [] : [{ line: 1, reason: "the front matter has no closing ---" }];
    return { values, bodyLine: close > 0 ? close + 1 : end, problems: [...unclosed, ...problems] };
  }
  // Two lines of dashes around prose are no front matter, but other readers may take them for it.
  const fault = { line: 1, reason: "no line of it is a key with a value" };
  return { ...none, problems: close > 0 ? [fault] : [] };
}

function readValues(lines: readonly string[], end: number): Pick<FrontMatter, "values" | "problems"> {
  const values = new Map<string, readonly string[]>();
  const problems: { line: number; reason: string }[] = [];
  for (let index = 1; index < end;) {
    const start = index++;
    const line = lines[start]!;
    const [, name, rest = ""] = PAIR.exec(line.slice(0, MAX_LINE)) ?? [];
    if (name === undefined) {
      const isProblem = !INDENTED.test(line) && !COMMENT_OR_BLANK.test(line);
      if (isProblem) problems.push({ line: index, reason: "it is neither a key nor a list item" });
      continue;
    }
    const key = name.trim().replace(/^(["'])(.*)\1$/, "$2").toLowerCase();
    const text = COMMENT_OR_BLANK.test(rest) ? "" : rest.trim();
    const more = text === "" ? [ITEM] : text.startsWith("[") ? [LIST_END] : [];
    const continued = [INDENTED, COMMENT_OR_BLANK, ...more];
    while (index < end && continued.some((form) => form.test(lines[index]!))) index++;
    if (values.has(key)) problems.push({ line: start + 1, reason: `the key "${key}" stands there twice` });
    else {
      const [texts, fault] = readValue(key, text, lines.slice(start, index));
      if (fault) problems.push({ line: start + fault.line, reason: fault.reason });
      const cut = texts.map((text) => text.slice(0, MAX_LINE)).filter((text) => text !== "");
      values.set(key, detached(cut));
    }
  }
  return { values, problems };
}

/** A plain key, and a plain value or one in quotes without escapes, which YAML reads as they are written. */
const NAME = /^[\w -]+$/, WORDS = /^(?:(?!null$)(\w[\w ./-]{0,300})|"([ !#-[\]-~]{0,300})")$/i;

/** The values of a key, from the text behind its colon and its lines; and why these are no YAML. */
function readValue(key: string, text: string, lines: readonly string[]): [string[], YamlError?] {
  // Most values are a few words, which YAML reads as they are written: its reader is slow on first use.
  const isSimple = key !== "affects" && NAME.test(key) && lines.length === 1;
  const [, bare, quoted] = isSimple && WORDS.exec(text) || [];
  const words = bare ?? quoted;
  if (words !== undefined) return [[words]];
  try {
    const [value] = Object.values(readYaml(lines.join("\n"), { asWritten: true }) as object);
    if (key === "affects") {
      // As adrkit writes what a decision affects: only paths are patterns of files.
      const paths = asArray(value).map(asObject).filter(({ type }) => type === "path");
      return [paths.flatMap(({ pattern }) => asString(pattern) ?? [])];
    }
    // In templates, braces stand around a text.
    return [isObject(value) ? asWritten(text, lines) : asTexts(value)];
  } catch (cause) {
    if (!(cause instanceof YamlError)) throw cause;
    return [asWritten(text, lines), cause];
  }
}

/** The texts of a value; of an object in a list, its first member. */
function asTexts(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(asTexts);
  // The line end of a block is not a part of its text.
  if (typeof value === "string") return [value.endsWith("\n") ? value.trimEnd() : value];
  const first = Object.entries(asObject(value)).slice(0, 1);
  return first.map(([key, member]) => `${key}: ${asTexts(member).join(", ")}`);
}

/** The values of a text and the lines below its own, which are no YAML or an object: a list, or the text. */
function asWritten(text: string, lines: readonly string[]): string[] {
  const below = lines.slice(1).filter((line) => !COMMENT_OR_BLANK.test(line)).map((line) => line.trim());
  if (text === "" && PAIR.test(below[0] ?? "")) return [];
  const items = text === "" ? below.filter((line) => ITEM.test(line)) : [];
  const unquoted = (raw = "") => raw.trim().replace(/[ \t]#.*$/s, "").replace(/^(["'])(.*)\1$/s, "$2");
  if (items.length > 0) return items.map((item) => unquoted(ITEM.exec(item)![1]));
  const whole = [text, ...below].join(" ").trim();
  const list = /^\[(.*)\]$/s.exec(whole)?.[1]?.split(",");
  return (list ?? [whole]).map(unquoted);
}

/** A heading, without marks, and its section: lines are counted from 0, and `end` is the one behind it. */
export interface Heading {
  /** 1 to 6. */
  readonly level: number;
  readonly title: string;
  readonly line: number;
  readonly end: number;
}

export interface Section extends Heading {
  /** Names the section in a URI, as code hosts write it: "why-not-x", the second one "why-not-x-1". */
  readonly slug: string;
}

/** A heading that begins with number signs. */
export const ATX: RegExp = /^ {0,3}(#{1,6})(?=[ \t]|$)/;
/** The line below a heading of the other form, which CommonMark calls setext. */
export const SETEXT: RegExp = /^ {0,3}(=+|-+)[ \t]*$/;
/** Opens or closes fenced code; but backticks that come again in the same line are code within it. */
const FENCE = /^ {0,3}(`{3,}(?!`)(?!.*`)|~{3,})/;
/** What an underline makes a heading: text, not a list item, a quote, a table row or a line of marks. */
const PARAGRAPH = /^ {0,3}(?![\s#>|=]|[-*+](?:[ \t]|$)).*[\p{L}\p{N}]/u;

export interface Body {
  /** The indices of the lines that are neither code nor comment. */
  readonly prose: readonly number[];
  /** A section ends at the next heading of its level or above. */
  readonly sections: readonly Heading[];
}

/** Reads the lines from the first one of the body on. Most are told apart by their first character, without a pattern. */
export function readBody(lines: readonly string[], from: number): Body {
  const prose: number[] = [];
  const sections: { -readonly [K in keyof Heading]: Heading[K] }[] = [];
  const open: typeof sections = [];
  const add = (level: number, title: string, line: number) => {
    if (sections.length >= MAX_HEADINGS) return;
    while (open.length > 0 && open.at(-1)!.level >= level) open.pop()!.end = line;
    const section = { level, title: plain(title), line, end: lines.length };
    sections.push(section);
    open.push(section);
  };
  let fence: string | undefined;
  let isComment = false;
  /** The last line of prose that was no heading. */
  let text = -2;
  for (let index = from; index < lines.length; index++) {
    const line = lines[index]!;
    let indent = 0;
    while (indent < 3 && line[indent] === " ") indent++;
    const first = line[indent];
    const mark = first === "`" || first === "~" ? FENCE.exec(line)?.[1] : undefined;
    if (fence !== undefined) {
      if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined;
    } else if (isComment || (first === "<" && line.startsWith("<!--", indent))) {
      isComment = !line.includes("-->");
    } else if (mark !== undefined) fence = mark;
    else {
      prose.push(index);
      const atx = first === "#" ? ATX.exec(line) : undefined;
      const isUnderline = (first === "=" || first === "-") && text === index - 1 && SETEXT.test(line);
      if (atx) {
        add(atx[1]!.length, line.slice(atx[0].length).trim().replace(/(?<![^ \t])#+$/, ""), index);
      } else if (isUnderline && PARAGRAPH.test(lines[text]!)) add(first === "=" ? 1 : 2, lines[text]!, text);
      else {
        text = index;
        continue;
      }
      text = -2;
    }
  }
  return { prose, sections };
}

/** A slug that is taken gets the next free number. */
function toSlug(title: string, taken: Map<string, number>): string {
  const base = title.toLowerCase().replace(/[^\p{L}\p{N}\p{M} _-]/gu, "").replaceAll(" ", "-");
  let slug = base;
  for (let count = taken.get(base) ?? 0; taken.has(slug); taken.set(base, count)) slug = `${base}-${++count}`;
  taken.set(slug, 0);
  return slug;
}

export interface Markdown extends Body {
  readonly lines: readonly string[];
  readonly front: FrontMatter;
  readonly sections: readonly Section[];
}

export function readMarkdown(text: string): Markdown {
  const lines = toLines(text);
  const front = readFrontMatter(lines);
  const { prose, sections } = readBody(lines, front.bodyLine);
  const slugs = new Map<string, number>();
  const named = sections.map((section) => ({ ...section, slug: toSlug(section.title, slugs) }));
  return { lines, front, prose, sections: named };
}

/** The text of one section, byte for byte as it stands in the document; undefined when there is none. */
export function sectionText(text: string, slug: string, sections: readonly Section[]): string | undefined {
  const section = sections.find((one) => one.slug === slug);
  return section && toRawLines(text).slice(section.line, section.end).join("");
}

/** The tags that people write into a line of markdown; another word in angle brackets is text. */
const TAG = /<\/?(?:a|b|br|code|del|em|i|img|kbd|small|span|strong|sub|sup|u)\b[^<>]*>/gi;

/** Links and images; brackets that touch a word are text: "Unsafe[Mutable][Raw]Pointer". */
const LINKS = /!?\[([^\][]*)\]\([^()]*\)|(?<![\w\]])!?\[([^\][]*)\]\[[^\][]*\]/g;
/** Emphasis and code; `_` within a word is text. The second pattern is for texts without `_`: the first is slow to compile. */
const MARKS = /(?<!\\)[*`]+|(?<![\p{L}\p{N}\\])_+(?=[^\s:,])|(?<=[^\s(\\])_+(?![\p{L}\p{N}])/gu,
  STARS_AND_CODE = /(?<!\\)[*`]+/g;

/** Takes the marks off a stretch of text: emphasis, code, links, images, comments, tags. */
export function plain(markdown: string): string {
  let text = markdown.slice(0, MAX_LINE);
  if (!/[<[\\*`_]|[^\S ]| {2}/.test(text)) return text.trim();
  if (text.includes("<")) text = text.replace(/<!--.*?(?:-->|$)/gs, "");
  if (text.includes("[")) text = text.replace(LINKS, "$1$2");
  if (text.includes("<")) text = text.replace(TAG, "");
  return text
    .replace(text.includes("_") ? MARKS : STARS_AND_CODE, "")
    .replace(/\\([!-/:-@[-`{-~])/g, "$1")
    .replace(/\s+/g, " ")
    .trim();
}

/** What stands between two equal runs of backticks. */
const CODE = /(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g;
/** `[text](target)`, `[text](<target>)`; a target may hold one pair of round brackets. */
const INLINE_LINK = /\]\(\s*(?:<([^<>]*)>|((?:[^\s()<>\\]|\\.|\([^\s()]*\))+))/g;
/** `<architecture://...>` anywhere. */
const AUTOLINK = /<(architecture:\/\/[^\s<>]+)>/gi;
/** `[name]: target`, which is a link where the name is used. */
export const DEFINITION: RegExp = /^ {0,3}\[([^\][]+)\]:[ \t]*<?([^\s<>]+)/;
/** `[text][name]`, `[name][]`, `[name]`; the text of an inline link is no name. */
const REFERENCE = /\[([^\][]+)\](?!\()/g;
/** Anchors that authors set themselves: `<a id="x">`, `## Heading {#x}`. */
const ANCHOR = /\b(?:id|name)=["']?([^"'\s>]+)|\{#([^{}\s]+)\}/g;

/** The links in a body outside of code, each once a line, with definitions that are used; and the anchors that its author set. */
export function readLinks(
  { lines, prose }: Pick<Markdown, "lines" | "prose">,
): { links: { target: string; line: number }[]; anchors: string[] } {
  const links: { target: string; line: number }[] = [];
  const defined: { name: string; target: string; line: number }[] = [];
  const used = new Set<string>();
  const toName = (text: string) => text.replace(/\s+/g, " ").trim().toLowerCase();
  const anchors: string[] = [];
  const found = (line: string, form: RegExp) =>
    Array.from(line.matchAll(form), ([, one, other]) => (one ?? other)!);
  for (const index of prose) {
    const whole = lines[index]!;
    if (!/[\]<]|\{#/.test(whole)) continue;
    const line = whole.slice(0, MAX_LINK_LINE);
    if (/<|\{#/.test(line)) anchors.push(...found(line, ANCHOR));
    const text = line.replace(CODE, " ").replace(/<!--.*?(?:-->|$)/g, " ");
    const [, name, target] = DEFINITION.exec(text) ?? [];
    if (name !== undefined) {
      defined.push({ name: toName(name), target: target!, line: index + 1 });
      continue;
    }
    for (const reference of found(text, REFERENCE)) used.add(toName(reference));
    const targets = new Set([...found(text, INLINE_LINK), ...found(text, AUTOLINK)]);
    for (const target of targets) links.push({ target, line: index + 1 });
  }
  for (const { name, target, line } of defined) if (used.has(name)) links.push({ target, line });
  return { links, anchors };
}
