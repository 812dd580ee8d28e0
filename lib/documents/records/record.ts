/** What a decision record states. */

import { recordDate, recordNumber, recordSubNumber } from "./name.ts";

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

/** Whether a text refers to a record: a number, a date, a file, a path or a URI. Anything else may be prose. */
export function isReference(text: string): boolean {
  return recordNumber(text) !== undefined || recordDate(text) !== undefined ||
    recordSubNumber(text) !== undefined ||
    /\.(?:md|mdx|markdown)(?:$|[?#])|^[a-z][a-z0-9+.-]+:\S|^\S*\/\S*$/i.test(text);
}

/** The kinds of places, in the order of their precedence; those of lines and of sections have the order of the text. */
export type PlaceKind =
  | "front matter"
  | "line"
  | "row"
  | "column"
  | "html"
  | "admonition"
  | "heading"
  | "section"
  | "log"
  | "tick"
  | "sentence";

/** Where a value is. */
export interface ValuePlace {
  readonly kind: PlaceKind;
  /** Counted from 0. */
  readonly line: number;
  /** Where the value starts in that line, and where it ends, in UTF-16 units. A value may continue in the next lines. */
  readonly start: number;
  readonly end: number;
}

/** One line of a value, with the lines that it continues in. */
export interface ValuePart {
  readonly text: string;
  /** Undefined for a value of another file. */
  readonly place: ValuePlace | undefined;
}

/** What one text says of other records. */
export interface StatedRelation {
  readonly relation: RelationName;
  readonly names: readonly string[];
  readonly place: ValuePlace | undefined;
  /** Whether the text says that the record is superseded as a whole. */
  readonly isWhole: boolean;
}

/** What one place states of a field. A section has several parts; any other place has one. */
export interface Statement {
  /** Of `Words.fieldOf`; "itself" for a sentence about the record. */
  readonly field: string;
  readonly parts: readonly ValuePart[];
  /** Whether an empty value is written as one: `null`, `[]`. */
  readonly isNull?: boolean;
}

/** The words of a team: more words of a status, by its English word, and more labels, by the name of their field. */
export interface RecordWords {
  /** Words of the team for each English status. */
  readonly status?: Readonly<Record<string, readonly string[]>>;
  /** Labels of the team for each field. */
  readonly labels?: Readonly<Record<string, readonly string[]>>;
}
