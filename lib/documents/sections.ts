/**
 * Where are the headings of a document? Finds them as CommonMark does for real documents: `#` and underlined
 * headings, outside of fenced code, comments and front matter.
 *
 * @see https://spec.commonmark.org/0.31.2/#atx-headings
 */

import { readFrontMatter } from "./front_matter.ts";

/** One heading, and the section that it opens. */
export interface Section {
  /** 1 to 6. */
  readonly level: number;
  /** The text of the heading, without marks. */
  readonly title: string;
  /** What names the section in a URI, as code hosts write it: "why-not-x", the second one "why-not-x-1". */
  readonly slug: string;
  /** The line of the heading, counted from 0. */
  readonly line: number;
  /** The line after the section's last, counted from 0. */
  readonly end: number;
}

const ATX = /^ {0,3}(#{1,6})(?=[ \t]|$)/;
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
/** What can be underlined: text, not a list item, a quote, a table row or a line of marks. */
const PARAGRAPH = /^ {0,3}(?![\s#>|=]|[-*+](?:[ \t]|$)).*[\p{L}\p{N}]/u;

/** Splits text into lines without their ends. */
export function toLines(text: string): string[] {
  return text.split(/\r\n|\n|\r/);
}

/** Walks the lines of the body that are not code or comment, with their index. */
export function* proseLines(lines: readonly string[], from: number): Generator<[number, string]> {
  let fence: string | undefined;
  let comment = false;
  for (let index = from; index < lines.length; index++) {
    const line = lines[index]!;
    const mark = fenceMark(line);
    if (fence !== undefined) {
      const closes = mark !== undefined && mark[0] === fence[0] && mark.length >= fence.length;
      if (closes && line.trim() === mark) fence = undefined;
      continue;
    }
    if (comment || /^ {0,3}<!--/.test(line)) {
      comment = !line.includes("-->");
      continue;
    }
    if (mark !== undefined) fence = mark;
    else yield [index, line];
  }
}

/** The mark that opens or closes fenced code; backticks that come again in their line are code within the line. */
function fenceMark(line: string): string | undefined {
  const found = FENCE.exec(line);
  if (!found || (found[1]!.startsWith("`") && line.includes("`", found[0].length))) return undefined;
  return found[1];
}

/** One heading, as it was found. */
interface Heading {
  readonly level: number;
  /** With the marks that may be in it. */
  readonly text: string;
  /** Counted from 0. */
  readonly line: number;
}

/** The most headings that are looked at: no reader finds a way through more, and each takes memory. */
const MAX_HEADINGS = 10_000;

function* readHeadings(lines: readonly string[], from: number): Generator<Heading> {
  let found = 0;
  for (const heading of allHeadings(lines, from)) {
    if (++found > MAX_HEADINGS) return;
    yield heading;
  }
}

function* allHeadings(lines: readonly string[], from: number): Generator<Heading> {
  let previous = -2;
  for (const [index, line] of proseLines(lines, from)) {
    const atx = ATX.exec(line);
    const mark = previous === index - 1 ? UNDERLINE.exec(line)?.[1] : undefined;
    if (atx) {
      yield { level: atx[1]!.length, text: withoutClosingMarks(line.slice(atx[0].length)), line: index };
    } else if (mark) yield { level: mark[0] === "=" ? 1 : 2, text: lines[index - 1]!, line: index - 1 };
    previous = !atx && !mark && PARAGRAPH.test(line) ? index : -2;
  }
}

/** The first heading of the first level that says anything; reads no further than that. */
export function firstTitle(lines: readonly string[], from: number): string | undefined {
  for (const { level, text } of readHeadings(lines, from)) {
    const title = level === 1 ? plain(text) : "";
    if (title !== "") return title;
  }
  return undefined;
}

/** Finds the sections of a document that is given as its lines; `from` is the first line of the body. */
export function readSections(lines: readonly string[], from: number): Section[] {
  const headings = [...readHeadings(lines, from)];
  const ends = sectionEnds(headings, lines.length);
  const slugs = new Map<string, number>();
  return headings.map(({ level, text, line }, index) => {
    const title = plain(text);
    return { level, title, line, slug: slugOf(title, slugs), end: ends[index]! };
  });
}

/** A section ends at the next heading of its level or above; found from the back, in one pass. */
function sectionEnds(headings: readonly { level: number; line: number }[], lineCount: number): number[] {
  /** By level: where the nearest heading of that level below the current one stands. */
  const nearest: number[] = new Array(7).fill(lineCount);
  return headings.toReversed().map(({ level, line }) => {
    const end = Math.min(...nearest.slice(1, level + 1));
    nearest[level] = line;
    return end;
  }).reverse();
}

/** Takes closing marks off: "Title ##" is "Title", "C#" stays. */
function withoutClosingMarks(raw: string): string {
  const text = raw.trim();
  let end = text.length;
  while (end > 0 && text[end - 1] === "#") end--;
  return end === 0 || text[end - 1] === " " || text[end - 1] === "\t" ? text.slice(0, end) : text;
}

/** The text of one section, byte for byte as it stands in the document, or undefined when there is none. */
export function sectionText(text: string, slug: string): string | undefined {
  const lines = toLines(text);
  const { bodyLine } = readFrontMatter(lines);
  const section = readSections(lines, bodyLine).find((candidate) => candidate.slug === slug);
  if (!section) return undefined;
  // Again with the line ends, which belong to the text.
  const raw = text.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? [];
  return raw.slice(section.line, section.end).join("");
}

/** As much of a line as is ever read for a title or a description: bounds what a hostile line can cost. */
const MAX_PLAIN = 2000;

/** Takes the marks off a stretch of text: emphasis, code, links, images, comments, tags. */
export function plain(markdown: string): string {
  return markdown
    .slice(0, MAX_PLAIN)
    .replace(/<!--.*?(?:-->|$)/gs, "")
    .replace(/!?\[([^\][]*)\](?:\([^()]*\)|\[[^\][]*\])/g, "$1")
    .replace(TAG, "")
    .replace(/(?<!\\)[*`]+|(?<![\p{L}\p{N}\\])_+|(?<!\\)_+(?![\p{L}\p{N}])/gu, "")
    .replace(/\\([!-/:-@[-`{-~])/g, "$1")
    .replace(/\s+/g, " ")
    .trim();
}

/** The tags that people write into a line of markdown; another word in angle brackets is text. */
const TAG = /<\/?(?:a|b|br|code|del|em|i|img|kbd|small|span|strong|sub|sup|u)\b[^<>]*>/gi;

/** A slug that is taken gets the next free number. */
function slugOf(title: string, taken: Map<string, number>): string {
  const base = title.toLowerCase().replace(/[^\p{L}\p{N}\p{M} _-]/gu, "").replaceAll(" ", "-");
  let slug = base;
  for (let count = taken.get(base); count !== undefined && taken.has(slug); count++) {
    slug = `${base}-${count + 1}`;
    taken.set(base, count + 1);
  }
  taken.set(slug, taken.get(slug) ?? 0);
  return slug;
}
