/** The title, the description and the other metadata of a document, from wherever its author put them. */

import type { FrontMatter, Section } from "./markdown.ts";
import type { DecisionRecord } from "./record.ts";
import { firstTitle, plain, proseLines, readFrontMatter, readSections, toLines } from "./markdown.ts";
import { headingPattern, readRecord } from "./record.ts";

/** The longest description, and the longest text that `shorten` gives, in characters. */
export const MAX_DESCRIPTION = 200;
/** How far into a document metadata is looked for, in UTF-16 units. */
const MAX_READ = 256 * 1024;

/** What a document says of itself. */
export interface Metadata {
  /** From the front matter or the first heading, else the name of the file. */
  readonly title: string;
  /** From the front matter or the first paragraph: one line of at most 200 characters. */
  readonly description: string | undefined;
  /** Only of decision records. */
  readonly record: DecisionRecord | undefined;
  /** From the front matter, as written. */
  readonly tags: readonly string[];
  /** The patterns of the files that the document is about. */
  readonly appliesTo: readonly string[];
}

/**
 * Reads the metadata of a document.
 *
 * @param text The whole text, without a byte order mark.
 * @param name Its title if it has no other: the file name without its ending.
 * @param isRecord Whether to read it as a decision record.
 */
export function readMetadata(
  text: string,
  name: string,
  isRecord: boolean,
): { metadata: Metadata; problems: FrontMatter["problems"] } {
  const lines = toLines(text.slice(0, MAX_READ));
  const front = readFrontMatter(lines);
  const valueOf = (key: string): string | undefined =>
    front.values.get(key)?.join(", ").replace(/\s+/g, " ").trim() || undefined;
  const listOf = (...keys: string[]) => Object.freeze(keys.flatMap((key) => front.values.get(key) ?? []));
  // Only a record is read to its end.
  const sections = isRecord ? readSections(lines, front.bodyLine) : [];
  const heading = sections.find(({ level, title }) => level === 1 && title !== "");
  const title = isRecord ? heading?.title : firstTitle(lines, front.bodyLine);
  const description = valueOf("description") ??
    (isRecord
      ? aboutRecord(lines, front.bodyLine, sections.filter((section) => section !== heading))
      : firstParagraph(lines, front.bodyLine, lines.length, []));
  const metadata = {
    title: valueOf("title") ?? title ?? name,
    description: description === undefined ? undefined : shorten(description),
    record: isRecord ? readRecord(name, lines, front, sections) : undefined,
    tags: listOf("tags", "keywords"),
    appliesTo: listOf("applies-to", "appliesto", "applies_to"),
  };
  return { metadata, problems: front.problems };
}

const CONTEXT = headingPattern("(?:abstract|summary|context|background|problem|motivation)\\b");
/** The sections that only say how a record stands. */
const STATE = headingPattern(
  "(?:status|date|deciders|authors?|change ?log|history|contents|table of)\\b",
);

/** A record is about its context; without one, about the first thing that it says except for its status and date. */
function aboutRecord(
  lines: readonly string[],
  from: number,
  sections: readonly Section[],
): string | undefined {
  const context = sections.find(({ title }) => CONTEXT.test(title));
  const inContext = context && firstParagraph(lines, context.line + 1, context.end, []);
  return inContext ??
    firstParagraph(lines, from, lines.length, sections.filter(({ title }) => STATE.test(title)));
}

/** A line that opens something other than a paragraph. */
const NOT_PROSE =
  /^[ \t]*(?:#|>|\||[-*+](?:[ \t]|$)|\d+[.)][ \t]|<|!\[|\[!|\[[^\]]*\]:|={3,}|-{3,}|\*{3,}|:::|!!!|\{[:%]| {4})/;
const HEADING = /^ {0,3}#{1,6}(?:[ \t]|$)/;
const UNDERLINE = /^ {0,3}(?:=+|-+)[ \t]*$/;
/** A line of fields, as decision records have them at their head. */
const FIELD =
  /^[ \t]*[*_]{0,2}(?:status|date|deciders|decision[ -]makers|authors?|tags?|technical story|supersedes|superseded[ -]by)[*_]{0,2}[ \t]*:/i;

/** The first paragraph between two lines, outside of some sections; the rest of a list item or a quote is not one. */
function firstParagraph(
  lines: readonly string[],
  from: number,
  to: number,
  excluded: readonly Section[],
): string | undefined {
  const found: string[] = [];
  let previous = -1;
  /** In a list, a quote or a table, lines continue without a mark; behind a gap, only those that are indented do. */
  let block: "none" | "open" | "gap" = "none";
  let [next, excludedUntil] = [0, -1];
  for (const [index, line] of proseLines(lines, from)) {
    if (index >= to) break;
    for (; next < excluded.length && excluded[next]!.line <= index; next++) {
      excludedUntil = Math.max(excludedUntil, excluded[next]!.end);
    }
    const isGap = line.trim() === "";
    // An underline turns the text above it into a heading.
    const isUnderline = UNDERLINE.test(line);
    if (isUnderline) found.length = 0;
    if (found.length > 0 && (isGap || NOT_PROSE.test(line) || previous !== index - 1)) break;
    previous = index;
    if (isGap) block = block === "none" ? "none" : "gap";
    else if (isUnderline || NOT_PROSE.test(line)) block = isUnderline || HEADING.test(line) ? "none" : "open";
    else if (index < excludedUntil || block === "open" || (block === "gap" && /^ {2}/.test(line))) continue;
    else if (found.length > 0 || !FIELD.test(line)) found.push(line);
  }
  return plain(found.join(" ")) || undefined;
}

/** Cuts a text at `MAX_DESCRIPTION` characters; a text that is cut ends with "…". */
export function shorten(text: string): string {
  // A string has at most as many characters as UTF-16 units, so most need no counting.
  if (text.length <= MAX_DESCRIPTION) return text;
  const characters = Array.from(text);
  if (characters.length <= MAX_DESCRIPTION) return text;
  return characters.slice(0, MAX_DESCRIPTION - 1).join("").trimEnd() + "…";
}
