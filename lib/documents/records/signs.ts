/** The signs of a decision record in a document: its name, its headings, and lines that state a field. */

import type { Heading } from "../../formats/markdown/body.ts";
import { MAX_LINE, toPattern } from "../../formats/markdown/lines.ts";
import { recordDate, recordNumber } from "./name.ts";

/** A pattern for headings, one a line, that begin with one of some words, after numbers and pictures or not. */
export function headingPattern(words: string): RegExp {
  return toPattern(String.raw`^(?::[a-z_]{1,30}:|[^\p{L}\n:]){0,30}(?:${words})`, "im");
}

/** Headings of parts: such a first heading is not the title. */
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

const FOREIGN =
  /^[^a-z]*(?:konte|contes|contexto|entsch|décis|decisi(?:ó|one)|decisão|decisao|decyz|besl)|[\u0400-\u04ff\u3005-\ud7ff]/im;

/** Whether sections are those of a record, in the forms of Nygard, MADR, or proposals; undefined if another language may know. */
export function hasRecordSections(sections: readonly Heading[]): boolean | undefined {
  const titles = sections.map(({ title }) => title).join("\n");
  return (CONTEXT.test(titles) && DECISION.test(titles)) || OPTIONS.test(titles) ||
    (MOTIVATION.test(titles) && PROPOSAL.test(titles)) || (FOREIGN.test(titles) ? undefined : false);
}

/** "Status: accepted", "* Status: accepted", "**Status:** accepted", "| Status | accepted |", "Date 09/04/2018". */
const FIELD =
  /^ {0,3}(?:[-*+>][ \t]+|\|[ \t]*)?[*_]{0,2}(?:(?:super[sc]e+d|replac)e[sd](?:[ _-]?by)?|amends|amended[ _-]?by|relate[sd][ _-]?to|see[ _-]?also|status|(?:start[ _-]?|creation[ _-]?)?date|created|name|deciders|decision[ _-]?makers|authors?|tags?|technical[ _-]?story)[*_]{0,2}(?:[ \t]*[:|]|(?<=date)[ \t]+\d)/i;

/** Whether a line states a field. */
export function isFieldLine(line: string): boolean {
  return /[:|]|date[ \t]+\d/i.test(line) && FIELD.test(line.slice(0, MAX_LINE));
}
