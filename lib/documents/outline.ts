/** Which headings has a document? As many of them as an answer should hold, and how to see the others. */

import type { Section } from "./sections.ts";
import { shorten } from "./describe.ts";
import { readFrontMatter } from "./front_matter.ts";
import { readSections, toLines } from "./sections.ts";

/** The most headings at once. */
const MAX_HEADINGS = 100;
/** How much they may say, titles and slugs together, in characters: some 3,000 tokens. */
const BUDGET = 12_000;
/** So many are given however long they are: the last one leads on to those that follow it. */
const MIN_HEADINGS = 2;

/** One heading, as it is shown. */
export interface Heading {
  readonly level: number;
  /** Cut where it is too long. */
  readonly title: string;
  /** The slug, whole: it is what the section is read by. */
  readonly section: string;
  /** Counted from 1. */
  readonly line: number;
}

/** The headings of a document, or a stretch of them. */
export interface Outline {
  readonly headings: readonly Heading[];
  /** How many there are in all. */
  readonly total: number;
  /** How many there are after the last one that is given. */
  readonly after: number;
}

/**
 * The outline of a document. Where it would be too long, it begins with the section that is read, so that the last
 * section of one outline gives the next one.
 *
 * @param section The slug of a section that the document has; undefined when it is read from its beginning.
 */
export function outlineOf(whole: string, section: string | undefined): Outline {
  const lines = toLines(whole);
  const sections = readSections(lines, readFrontMatter(lines).bodyLine);
  const total = sections.length;
  let from = 0;
  let headings = beginningOf(sections);
  if (section !== undefined && headings.length < total) {
    from = sections.findIndex(({ slug }) => slug === section);
    headings = beginningOf(sections.slice(from));
  }
  return { headings, total, after: total - from - headings.length };
}

/** The sentence that says that there are more headings, and how to see them; undefined when all are given. */
export function moreHeadings({ headings, total, after }: Outline): string | undefined {
  const omitted = total - headings.length;
  if (omitted === 0) return undefined;
  const next = after === 0
    ? "call read_document without section for the first ones"
    : `for those that follow, call read_document again with section "${headings.at(-1)!.section}"`;
  return `(${omitted} of ${total} sections are left out: ${next})`;
}

function beginningOf(sections: readonly Section[]): Heading[] {
  const headings: Heading[] = [];
  let spent = 0;
  for (const { level, title, slug, line } of sections.slice(0, MAX_HEADINGS)) {
    const heading = { level, title: shorten(title), section: slug, line: line + 1 };
    spent += heading.title.length + slug.length;
    if (spent > BUDGET && headings.length >= MIN_HEADINGS) break;
    headings.push(heading);
  }
  return headings;
}
