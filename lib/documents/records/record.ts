/** What a decision record states. */

import { recordDate, recordNumber } from "./name.ts";

/** What a decision record may state of others. */
export const RELATIONS = [
  "supersedes",
  "supersededBy",
  "partlySupersedes",
  "partlySupersededBy",
  "amends",
  "amendedBy",
  "relatesTo",
] as const;

/** The name of a relation. */
export type RelationName = (typeof RELATIONS)[number];

/** What a decision record states; a member is missing when the record does not state it. */
export interface DecisionRecord {
  /** From the name: 7 of "007-use-x.md". */
  readonly number?: number;
  /** One lower-case word, or two that belong together: "accepted", "on hold". A known word of another language is given in English. */
  readonly status?: string;
  /** The team's own word, verbatim, if its status is in another language: "Akzeptiert". */
  readonly statusWord?: string;
  /** Verbatim, by convention "2026-07-28". */
  readonly date?: string;
  /** What this record replaces: file names, numbers or titles, verbatim. */
  readonly supersedes: readonly string[];
  /** What replaces this record. */
  readonly supersededBy: readonly string[];
  /** What this record replaces in part. */
  readonly partlySupersedes?: readonly string[];
  /** What replaces a part of this record, which is still in force. */
  readonly partlySupersededBy?: readonly string[];
  /** What this record changes in part. */
  readonly amends?: readonly string[];
  /** What changes a part of this record. */
  readonly amendedBy?: readonly string[];
  /** What it is related to in another way. */
  readonly relatesTo?: readonly string[];
}

/** A part of a number: "0012a", "12.1", "adr-12b". */
const SUB_NUMBER =
  /^(?:\.\/)?(?:(?:[a-z]+[-_ ]){0,2}(?:m?adr|[a-z]?ep|rf[cd])[-_ ]?)?#?(\d{2,6}[a-wyz]|\d{1,6}\.\d{1,3})(?![\p{L}\p{N}.])/u;

/** The number of a record that has a part: "12a" of "0012a-use-x", "12.1"; undefined for any other name. */
export function recordSubNumber(name: string): string | undefined {
  const lower = name.toLowerCase();
  return recordDate(lower) !== undefined ? undefined : SUB_NUMBER.exec(lower)?.[1]?.replace(/^0+(?=\d)/, "");
}

/** Whether a text refers to a record: a number, a date, a file, a path or a URI. Anything else may be prose. */
export function isReference(text: string): boolean {
  return recordNumber(text) !== undefined || recordDate(text) !== undefined ||
    recordSubNumber(text) !== undefined ||
    /\.(?:md|mdx|markdown)(?:$|[?#])|^[a-z][a-z0-9+.-]+:\S|^\S*\/\S*$/i.test(text);
}
