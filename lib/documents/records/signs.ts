/** The signs that a document is a decision record: its name and its headings. */

import type { Heading } from "../../formats/markdown/headings.ts";
import { recordDate, recordNumber } from "./name.ts";

/** A pattern for headings that begin with one of some words, numbered or not. Of several lines, each may be a heading. */
export function headingPattern(words: string): RegExp {
  return new RegExp(`^(?:\\d[\\d.]*\\)?[ \\t]+)?(?:${words})`, "im");
}

/** Headings of parts. Such a first heading is not the title, which is then in a field or in the name of the file. */
const PART = headingPattern("(meta(data)?|abstract|summary|context|motivation|introduction|problem|status)$");
export const CONTEXT: RegExp = headingPattern(
  "(?:abstract|summary|context|background|problem|motivation)\\b",
);
export const DECISION: RegExp = headingPattern("decisions?(?! (?:drivers|makers))\\b");
const OPTIONS = headingPattern("(?:considered options|options considered|decision (?:outcome|drivers))\\b");
const MOTIVATION = headingPattern("motivation\\b");
const PROPOSAL = headingPattern("(?:alternatives|design|detailed design|drawbacks|proposal|rationale)\\b");

/** Whether a name has a number or a date, or the title of the document says that it is a record. */
export function hasRecordName(name: string, title = ""): boolean {
  return recordNumber(name) !== undefined || recordDate(name) !== undefined ||
    /\b(?:ADR|decision record)\b/i.test(title);
}

/** The first of some headings that can be the title of a record. */
export function recordTitle(...headings: readonly (string | undefined)[]): string | undefined {
  return headings.find((heading) => heading && !PART.test(heading));
}

/** Whether sections are those of a record, in the forms of Nygard, MADR, or proposals. */
export function hasRecordSections(sections: readonly Heading[]): boolean {
  const titles = sections.map(({ title }) => title).join("\n");
  return (CONTEXT.test(titles) && DECISION.test(titles)) || OPTIONS.test(titles) ||
    (MOTIVATION.test(titles) && PROPOSAL.test(titles));
}
