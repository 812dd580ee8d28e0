/**
 * Reads markdown: lines, front matter, headings and sections, links, plain text.
 *
 * @see https://spec.commonmark.org/0.31.2/
 */

/** As much of a line, or of a front matter value, as is read: bounds what a hostile document can cost. */
const MAX_LINE = 2000;
/** The most headings that are read of one document; each takes memory. */
const MAX_HEADINGS = 10_000;

/** Splits text into lines without their ends. */
export function toLines(text: string): string[] {
  return text.split(/\r\n|\n|\r/);
}

/** What stands before the body, in the part of YAML that front matter uses. */
export interface FrontMatter {
  /** By lower-case key. A single value is a list of one; an empty one is an empty list. */
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** The first line of the body, counted from 0. */
  readonly bodyLine: number;
  /** Lines that could not be read, counted from 1, with the reason. */
  readonly problems: readonly { readonly line: number; readonly reason: string }[];
}

const OPENING = /^---[ \t]*$/;
const CLOSING = /^(?:---|\.\.\.)[ \t]*$/;
const ITEM = /^[ \t]*-(?:[ \t]+(.*))?$/;
const COMMENT_OR_BLANK = /^[ \t]*(?:#.*)?$/;
/** The value is on the lines below: folded into one line, or as it stands. */
const BLOCK = /^([|>])[-+0-9]*(?:[ \t]+#.*)?$/;
/** Starts something other than a key in YAML. */
const NO_KEY = /^[\s"'[\]{}#&*!|>%@`,-]/;

/** Reads `key: value`, quoted and folded values, `[a, b]` and `- item` lists, comments; reports other lines as problems. */
export function readFrontMatter(lines: readonly string[]): FrontMatter {
  const none: FrontMatter = { values: new Map(), bodyLine: 0, problems: [] };
  if (!OPENING.test(lines[0] ?? "")) return none;
  const close = lines.findIndex((line, index) => index > 0 && CLOSING.test(line));
  // Without a closing line, the first line that cannot be front matter begins the body.
  const stop = close > 0 ? close : lines.findIndex((line, index) => index > 0 && !canBeFrontMatter(line));
  const end = stop > 0 ? stop : lines.length;
  const { values, problems } = readValues(lines, end);
  if (close > 0) {
    // Two lines of dashes around prose are no front matter, but other readers may take them for it.
    return end > 1 && values.size === 0
      ? { ...none, problems: [{ line: 1, reason: "no line of it is a key with a value" }] }
      : { values, bodyLine: close + 1, problems };
  }
  if (values.size === 0) return none;
  return {
    values,
    bodyLine: end,
    problems: [{ line: 1, reason: "the front matter has no closing ---" }, ...problems],
  };
}

function canBeFrontMatter(line: string): boolean {
  return line !== "" && (isIndented(line) || ITEM.test(line) || splitPair(line) !== undefined);
}

function isIndented(line: string): boolean {
  return /^[ \t]/.test(line);
}

function readValues(lines: readonly string[], end: number): Pick<FrontMatter, "values" | "problems"> {
  const values = new Map<string, readonly string[]>();
  const problems: { line: number; reason: string }[] = [];
  for (let index = 1; index < end; index++) {
    const line = lines[index]!.slice(0, MAX_LINE);
    const pair = splitPair(line);
    if (!pair) {
      const isProblem = !isIndented(line) && !COMMENT_OR_BLANK.test(line);
      if (isProblem) problems.push({ line: index + 1, reason: "it is neither a key nor a list item" });
      continue;
    }
    const [key, text] = pair;
    if (values.has(key)) problems.push({ line: index + 1, reason: `the key "${key}" stands there twice` });
    const below: string[] = [];
    for (; index + 1 < end; index++) {
      const next = lines[index + 1]!;
      const belongs = isIndented(next) || COMMENT_OR_BLANK.test(next) || (text === "" && ITEM.test(next));
      if (!belongs) break;
      below.push(next.slice(0, MAX_LINE));
    }
    if (!values.has(key)) values.set(key, readValue(text, below));
  }
  return { values, problems };
}

/** Splits `key: value`; undefined when a line has another form. */
function splitPair(line: string): readonly [key: string, text: string] | undefined {
  const colon = line.indexOf(":");
  if (colon < 1 || NO_KEY.test(line) || !/^(?:[ \t]|$)/.test(line.slice(colon + 1))) return undefined;
  return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
}

/** The value of a key, from the text behind the colon and the lines below it. */
function readValue(text: string, below: readonly string[]): readonly string[] {
  const block = BLOCK.exec(text)?.[1];
  if (block) {
    const lines = below.filter((line) => isIndented(line) || line === "").map((line) => line.trim());
    return [lines.join(block === "|" ? "\n" : " ").trim().slice(0, MAX_LINE)].filter(isSomething);
  }
  const lines = below.filter((line) => !COMMENT_OR_BLANK.test(line));
  if (text === "" && lines.length > 0) {
    if (ITEM.test(lines[0]!)) {
      return lines.filter((line) => ITEM.test(line)).map((line) => scalar(ITEM.exec(line)![1] ?? ""));
    }
    // Keys below a key: nothing here asks for those.
    if (splitPair(lines[0]!.trim())) return [];
  }
  const folded = [text, ...lines.map((line) => line.trim())].filter(isSomething).join(" ").slice(0, MAX_LINE);
  if (!folded.startsWith("[") || !/\][ \t]*(?:#.*)?$/.test(folded)) {
    return [scalar(folded)].filter(isSomething);
  }
  const items = folded.slice(1, folded.lastIndexOf("]")).matchAll(
    /[ \t]*("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,]+)/g,
  );
  return Array.from(items, ([, item]) => scalar(item!)).filter(isSomething);
}

function isSomething(text: string): boolean {
  return text !== "";
}

/** Takes quotes and comments off. */
function scalar(raw: string): string {
  const text = raw.trim();
  const double = /^"((?:[^"\\]|\\.)*)"/.exec(text);
  if (double) return double[1]!.replace(/\\(["\\/])/g, "$1").replace(/\\n/g, "\n").replace(/\\t/g, "\t");
  const single = /^'((?:[^']|'')*)'/.exec(text);
  if (single) return single[1]!.replaceAll("''", "'");
  const plain = text.replace(/(?:^|[ \t])#.*$/s, "").trim();
  return plain === "~" || plain === "null" ? "" : plain;
}

/** One heading, and the section that it opens. */
export interface Section {
  /** 1 to 6. */
  readonly level: number;
  /** Without marks. */
  readonly title: string;
  /** Names the section in a URI, as code hosts write it: "why-not-x", the second one "why-not-x-1". */
  readonly slug: string;
  /** The line of the heading, counted from 0. */
  readonly line: number;
  /** The line behind the section, counted from 0. */
  readonly end: number;
}

const ATX = /^ {0,3}(#{1,6})(?=[ \t]|$)/;
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
/** What can be underlined: text, not a list item, a quote, a table row or a line of marks. */
const PARAGRAPH = /^ {0,3}(?![\s#>|=]|[-*+](?:[ \t]|$)).*[\p{L}\p{N}]/u;

/** Walks the lines of the body that are not code or comment, with their index. */
export function* proseLines(lines: readonly string[], from: number): Generator<[number, string]> {
  let fence: string | undefined;
  let isComment = false;
  for (let index = from; index < lines.length; index++) {
    const line = lines[index]!;
    const mark = fenceMark(line);
    if (fence !== undefined) {
      if (mark?.[0] === fence[0] && mark!.length >= fence.length && line.trim() === mark) fence = undefined;
    } else if (isComment || /^ {0,3}<!--/.test(line)) isComment = !line.includes("-->");
    else if (mark !== undefined) fence = mark;
    else yield [index, line];
  }
}

/** The mark that opens or closes fenced code. Backticks that come again in their line are code within the line. */
function fenceMark(line: string): string | undefined {
  const found = FENCE.exec(line);
  if (!found) return undefined;
  const isInline = found[1]!.startsWith("`") && line.includes("`", found[0].length);
  return isInline ? undefined : found[1];
}

type Heading = Pick<Section, "level" | "title" | "line">;

function* readHeadings(lines: readonly string[], from: number): Generator<Heading> {
  let count = 0;
  let paragraph = -2;
  for (const [index, line] of proseLines(lines, from)) {
    const atx = ATX.exec(line);
    const mark = paragraph === index - 1 ? UNDERLINE.exec(line)?.[1] : undefined;
    if ((atx || mark) && ++count > MAX_HEADINGS) return;
    if (atx) {
      const title = line.slice(atx[0].length).trim().replace(/(?<![^ \t])#+$/, "");
      yield { level: atx[1]!.length, title: plain(title), line: index };
    } else if (mark) {
      yield { level: mark[0] === "=" ? 1 : 2, title: plain(lines[index - 1]!), line: index - 1 };
    }
    paragraph = !atx && !mark && PARAGRAPH.test(line) ? index : -2;
  }
}

/** The first heading of level 1 that has a text; reads no further than that. */
export function firstTitle(lines: readonly string[], from: number): string | undefined {
  for (const { level, title } of readHeadings(lines, from)) if (level === 1 && title !== "") return title;
  return undefined;
}

/** The sections of a document; `from` is the first line of the body. A section ends at the next heading of its level or above. */
export function readSections(lines: readonly string[], from: number): Section[] {
  const sections: { -readonly [K in keyof Section]: Section[K] }[] = [];
  const open: typeof sections = [];
  const slugs = new Map<string, number>();
  for (const heading of readHeadings(lines, from)) {
    while (open.length > 0 && open.at(-1)!.level >= heading.level) open.pop()!.end = heading.line;
    const section = { ...heading, slug: toSlug(heading.title, slugs), end: lines.length };
    sections.push(section);
    open.push(section);
  }
  return sections;
}

/** A slug that is taken gets the next free number. */
function toSlug(title: string, taken: Map<string, number>): string {
  const base = title.toLowerCase().replace(/[^\p{L}\p{N}\p{M} _-]/gu, "").replaceAll(" ", "-");
  let slug = base;
  for (let count = taken.get(base) ?? 0; taken.has(slug); taken.set(base, count)) slug = `${base}-${++count}`;
  taken.set(slug, 0);
  return slug;
}

/** The text of one section, byte for byte as it stands in the document; undefined when there is none. */
export function sectionText(text: string, slug: string): string | undefined {
  const lines = toLines(text);
  const section = readSections(lines, readFrontMatter(lines).bodyLine).find((one) => one.slug === slug);
  // Again with the line ends, which belong to the text.
  const raw = section && text.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g);
  return raw?.slice(section!.line, section!.end).join("");
}

/** The tags that people write into a line of markdown; another word in angle brackets is text. */
const TAG = /<\/?(?:a|b|br|code|del|em|i|img|kbd|small|span|strong|sub|sup|u)\b[^<>]*>/gi;

/** Takes the marks off a stretch of text: emphasis, code, links, images, comments, tags. */
export function plain(markdown: string): string {
  return markdown
    .slice(0, MAX_LINE)
    .replace(/<!--.*?(?:-->|$)/gs, "")
    .replace(/!?\[([^\][]*)\](?:\([^()]*\)|\[[^\][]*\])/g, "$1")
    .replace(TAG, "")
    .replace(/(?<!\\)[*`]+|(?<![\p{L}\p{N}\\])_+|(?<!\\)_+(?![\p{L}\p{N}])/gu, "")
    .replace(/\\([!-/:-@[-`{-~])/g, "$1")
    .replace(/\s+/g, " ")
    .trim();
}

/** `[text](target)`, `[text](<target>)`; a target may hold one pair of round brackets. */
const INLINE_LINK = /\]\(\s*(?:<([^<>]*)>|((?:[^\s()<>\\]|\\.|\([^\s()]*\))+))/g;
/** `<architecture://...>` anywhere, and `[name]: target` at the start of a line. */
const OTHER_LINK = /<(architecture:\/\/[^\s<>]+)>|^ {0,3}\[[^\]]+\]:[ \t]*<?([^\s<>]+)/gi;
/** Anchors that authors set themselves: `<a id="x">`, `## Heading {#x}`. */
const ANCHOR = /\b(?:id|name)=["']?([^"'\s>]+)|\{#([^{}\s]+)\}/g;

/** The targets of the links in the body, outside of code, each once a line; lines are counted from 1. */
export function* readLinks(
  lines: readonly string[],
  from: number,
): Generator<{ target: string; line: number }> {
  for (const [index, raw] of proseLines(lines, from)) {
    if (!raw.includes("]") && !raw.includes("<")) continue;
    const line = withoutCode(raw);
    const links = [...line.matchAll(INLINE_LINK), ...line.matchAll(OTHER_LINK)];
    for (const target of new Set(links.map((link) => (link[1] ?? link[2])!))) {
      yield { target, line: index + 1 };
    }
  }
}

/** The anchors that the author of a body set besides its headings. */
export function* readAnchors(lines: readonly string[], from: number): Generator<string> {
  for (const [, line] of proseLines(lines, from)) {
    if (!line.includes("<") && !line.includes("{#")) continue;
    for (const anchor of line.matchAll(ANCHOR)) yield (anchor[1] ?? anchor[2])!;
  }
}

/** Takes out what stands between two equal runs of backticks. */
function withoutCode(line: string): string {
  if (!line.includes("`")) return line;
  const parts = line.split(/(`+)/);
  /** By length: where the nearest run behind the current one stands. */
  const nearest = new Map<number, number>();
  const partner = new Map<number, number | undefined>();
  for (let index = parts.length - 2; index > 0; index -= 2) {
    partner.set(index, nearest.get(parts[index]!.length));
    nearest.set(parts[index]!.length, index);
  }
  const kept: string[] = [];
  for (let index = 0; index < parts.length; index++) {
    const end = partner.get(index);
    kept.push(end === undefined ? parts[index]! : " ");
    index = end ?? index;
  }
  return kept.join("");
}
