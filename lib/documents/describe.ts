/** What is a document called, and what is it about? Title and description, from wherever the author put them. */

import type { DecisionRecord } from "./record.ts";
import type { FrontMatter } from "./front_matter.ts";
import type { Section } from "./sections.ts";
import { readFrontMatter, textOf } from "./front_matter.ts";
import { readRecord } from "./record.ts";
import { plain, proseLines, readSections, toLines } from "./sections.ts";

/** The longest description, in characters. */
export const MAX_DESCRIPTION = 200;

/** What a document says of itself. */
export interface Description {
  readonly title: string;
  readonly description: string | undefined;
  /** The facts of a decision record; only for records. */
  readonly record: DecisionRecord | undefined;
  readonly frontMatter: FrontMatter;
}

/** A line that opens something other than a paragraph. */
const NOT_PROSE = /^[ \t]*(?:#|>|\||[-*+][ \t]|\d+[.)][ \t]|<|!\[|\[!|\[[^\]]*\]:|={3,}|-{3,}|\*{3,}| {4})/;
/** A line of facts, as decision records have them at their head. */
const FACT =
  /^[ \t]*(?:\*\*|__)?(?:status|date|deciders|decision-makers|authors?|tags?|technical story|supersedes|superseded[ -]by)(?:\*\*|__)?[ \t]*:/i;

/**
 * Reads what a document says of itself.
 *
 * @param text The whole text, without a byte order mark.
 * @param name The file name without its ending: the title of last resort.
 * @param isRecord Whether to read it as a decision record.
 */
export function describe(text: string, name: string, isRecord: boolean): Description {
  const lines = toLines(text);
  const frontMatter = readFrontMatter(lines);
  const sections = readSections(lines, frontMatter.bodyLine);
  const heading = sections.find((section) => section.level === 1 && section.title !== "");
  const description = textOf(frontMatter.values["description"]) ??
    firstParagraph(lines, frontMatter, sections, isRecord);
  return {
    title: textOf(frontMatter.values["title"]) ?? heading?.title ?? name,
    description: description === undefined ? undefined : cut(description),
    record: isRecord ? readRecord(name, lines, frontMatter, sections) : undefined,
    frontMatter,
  };
}

/** A record is about its context; what stands before that is its status and its date. */
function firstParagraph(
  lines: readonly string[],
  front: FrontMatter,
  sections: readonly Section[],
  isRecord: boolean,
): string | undefined {
  const context = isRecord ? sections.find((section) => /^context\b/i.test(section.title)) : undefined;
  const inContext = context && paragraph(lines, context.line + 1);
  return inContext ?? paragraph(lines, front.bodyLine);
}

function paragraph(lines: readonly string[], from: number): string | undefined {
  const found: string[] = [];
  let previous = -1;
  for (const [index, line] of proseLines(lines, from)) {
    if (found.length > 0 && previous !== index - 1) break;
    if (line.trim() === "" || NOT_PROSE.test(line)) {
      // An underline turns what came before it into a heading.
      if (/^ {0,3}(?:=+|-+)[ \t]*$/.test(line)) found.length = 0;
      if (found.length > 0) break;
    } else if (found.length > 0 || !FACT.test(line)) found.push(line);
    previous = index;
  }
  const text = plain(found.join(" "));
  return text === "" ? undefined : text;
}

function cut(text: string): string {
  const characters = Array.from(text);
  if (characters.length <= MAX_DESCRIPTION) return text;
  return characters.slice(0, MAX_DESCRIPTION - 1).join("").trimEnd() + "…";
}
