/** Lines that state a field of a decision record. */

import { MAX_LINE } from "../../formats/markdown/lines.ts";

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
