/** The signs of a decision record in a document: its name, its headings, and lines that state a field. */

import type { Heading } from "../../formats/markdown/body.ts";
import { MAX_LINE } from "../../formats/markdown/lines.ts";
import { recordDate, recordNumber } from "./name.ts";

/** A pattern for headings that begin with one of some words, after numbers and pictures or not. Of several lines, each may be a heading. */
export function headingPattern(words: string): RegExp {
  return new RegExp(`^(?::[a-z_]{1,30}:|[^\\p{L}\\n:]){0,30}(?:${words})`, "imu");
}

/** Headings of parts. Such a first heading is not the title, which is then in a field or in the name of the file. */
const PART = headingPattern(
  "(meta(data)?|preamble|abstract|(simple )?summary|context|motivation|introduction|problem|status)$",
);
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

/** The fields that have lines of their own, by `fieldName`. */
const FIELDS = new Set(
  `supersedes supersededby superseded amends amendedby relatesto status date created name deciders decisionmakers
    author authors tag tags technicalstory`.split(/\s+/),
);
/** "Status: accepted", "* Status: accepted", "**Status:** accepted", "| Status | accepted |", "Date 09/04/2018". */
const FIELD =
  /^ {0,3}(?:[-*+>][ \t]+|\|[ \t]*)?[*_]{0,2}([a-z][a-z _-]*?)[*_]{0,2}(?:[ \t]*[:|][*_]{0,2}[ \t|]*|(?<=date)[ \t]+(?=\d))(.*)$/i;
/** What separates two fields in one line: "**Status:** accepted | **Date:** 2026-07-28". */
export const NEXT_FIELD: RegExp = /[ \t]+[|·•][ \t]+(?=[*_]{0,2}[a-z][a-z -]*[*_]{0,2}:)/i;

/** The name of a field in lower case, without spaces and hyphens; one name for several spellings. */
export function fieldName(written: string): string {
  return written.toLowerCase().replace(/[ _-]/g, "").replace(/^(?:super[sc]e+d|replac)e/, "supersede")
    .replace(/^(?:relatedto|seealso)$/, "relatesto").replace(/^(?:start|creation)date$/, "created");
}

/** The name and the text of the field that a line states; undefined when it states none. */
export function fieldOf(line: string): readonly [name: string, text: string] | undefined {
  const [, written, text] = /[:|]|date[ \t]+\d/i.test(line) && FIELD.exec(line.slice(0, MAX_LINE)) || [];
  const name = written && fieldName(written);
  return name && FIELDS.has(name) ? [name, text!] : undefined;
}
