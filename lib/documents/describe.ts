/** What is a document called, and what is it about? Title and description, from wherever the author put them. */

import type { DecisionRecord } from "./record.ts";
import type { FrontMatter, FrontMatterValue } from "./front_matter.ts";
import type { Section } from "./sections.ts";
import { listOf, readFrontMatter, textOf } from "./front_matter.ts";
import { readRecord } from "./record.ts";
import { firstTitle, plain, proseLines, readSections, toLines } from "./sections.ts";

/** The longest description, and the longest text that `shorten` gives, in characters. */
export const MAX_DESCRIPTION = 200;

/** How far into a document its title, description and facts are looked for, in UTF-16 units: past any real head. */
const MAX_READ = 256 * 1024;

/** What a document says of itself. */
export interface Description {
  readonly title: string;
  readonly description: string | undefined;
  /** The facts of a decision record; only for records. */
  readonly record: DecisionRecord | undefined;
  /** From the front matter, as written. */
  readonly tags: readonly string[];
  /** The patterns of the files that it is about. */
  readonly appliesTo: readonly string[];
  readonly frontMatter: FrontMatter;
}

/** A line that opens something other than a paragraph. */
const NOT_PROSE =
  /^[ \t]*(?:#|>|\||[-*+](?:[ \t]|$)|\d+[.)][ \t]|<|!\[|\[!|\[[^\]]*\]:|={3,}|-{3,}|\*{3,}|:::|!!!|\{[:%]| {4})/;
const HEADING = /^ {0,3}#{1,6}(?:[ \t]|$)/;
const UNDERLINE = /^ {0,3}(?:=+|-+)[ \t]*$/;
/** The section that says what a record is about, and those that only say how it stands. */
const CONTEXT = /^(?:\d[\d.]*\)?[ \t]+)?(?:abstract|summary|context|background|problem|motivation)\b/i;
const STANDING =
  /^(?:\d[\d.]*\)?[ \t]+)?(?:status|date|deciders|authors?|change ?log|history|contents|table of)\b/i;
/** A line of facts, as decision records have them at their head. */
const FACT =
  /^[ \t]*[*_]{0,2}(?:status|date|deciders|decision[ -]makers|authors?|tags?|technical story|supersedes|superseded[ -]by)[*_]{0,2}[ \t]*:/i;

/**
 * Reads what a document says of itself.
 *
 * @param text The whole text, without a byte order mark.
 * @param name What it is known by without a title: the file name without its ending.
 * @param isRecord Whether to read it as a decision record.
 */
export function describe(text: string, name: string, isRecord: boolean): Description {
  const lines = toLines(text.slice(0, MAX_READ));
  const frontMatter = readFrontMatter(lines);
  // Only a record is read to its end.
  const sections = isRecord ? readSections(lines, frontMatter.bodyLine) : [];
  const heading = sections.find((section) => section.level === 1 && section.title !== "");
  const title = isRecord ? heading?.title : firstTitle(lines, frontMatter.bodyLine);
  const description = oneLine(frontMatter.values["description"]) ??
    (isRecord
      ? aboutRecord(lines, frontMatter, sections.filter((section) => section !== heading))
      : paragraph(lines, frontMatter.bodyLine, lines.length, []));
  return {
    title: oneLine(frontMatter.values["title"]) ?? title ?? name,
    description: description === undefined ? undefined : shorten(description),
    record: isRecord ? readRecord(name, lines, frontMatter, sections) : undefined,
    tags: ["tags", "keywords"].flatMap((key) => listOf(frontMatter.values[key])),
    appliesTo: ["applies-to", "appliesTo", "applies_to"].flatMap((key) => listOf(frontMatter.values[key])),
    frontMatter,
  };
}

function oneLine(value: FrontMatterValue | undefined): string | undefined {
  return textOf(value)?.replace(/\s+/g, " ").trim() || undefined;
}

/** A record is about its context; without one, about the first thing that it says but for its status and date. */
function aboutRecord(
  lines: readonly string[],
  front: FrontMatter,
  sections: readonly Section[],
): string | undefined {
  const context = sections.find((section) => CONTEXT.test(section.title));
  const standing = sections.filter((section) => STANDING.test(section.title));
  const inContext = context && paragraph(lines, context.line + 1, context.end, []);
  return inContext ?? paragraph(lines, front.bodyLine, lines.length, standing);
}

/** The first paragraph between two lines; what only looks like one, such as the rest of a list item, is passed over. */
function paragraph(
  lines: readonly string[],
  from: number,
  to: number,
  passedOver: readonly Section[],
): string | undefined {
  const found: string[] = [];
  let previous = -1;
  /** In a list, a quote or a table, lines go on without a mark; behind a gap, only those that are indented do. */
  let block: "none" | "open" | "gap" = "none";
  let waiting = 0;
  let until = -1;
  for (const [index, line] of proseLines(lines, from)) {
    if (index >= to) break;
    for (; passedOver[waiting] && passedOver[waiting]!.line <= index; waiting++) {
      until = Math.max(until, passedOver[waiting]!.end);
    }
    const isGap = line.trim() === "";
    // An underline turns what came before it into a heading.
    const isUnderline = UNDERLINE.test(line);
    if (isUnderline) found.length = 0;
    if (found.length > 0 && (isGap || NOT_PROSE.test(line) || previous !== index - 1)) break;
    previous = index;
    if (isGap) block = block === "none" ? "none" : "gap";
    else if (isUnderline || NOT_PROSE.test(line)) block = isUnderline || HEADING.test(line) ? "none" : "open";
    else if (index < until || block === "open" || (block === "gap" && /^ {2}/.test(line))) continue;
    else if (found.length > 0 || !FACT.test(line)) found.push(line);
  }
  const text = plain(found.join(" "));
  return text === "" ? undefined : text;
}

/** A text of `MAX_DESCRIPTION` characters at most, for a place where it stands among others; a longer one ends with "…". */
export function shorten(text: string): string {
  // A string has at most as many characters as it has units, so most need no counting.
  if (text.length <= MAX_DESCRIPTION) return text;
  const characters = Array.from(text);
  if (characters.length <= MAX_DESCRIPTION) return text;
  return characters.slice(0, MAX_DESCRIPTION - 1).join("").trimEnd() + "…";
}
