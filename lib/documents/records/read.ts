/** Reads what a decision record states. It is loaded for the first document that looks like a record. */

import type { Body, Heading } from "../../formats/markdown/body.ts";
import type { FieldTexts } from "./fields.ts";
import type { DecisionRecord } from "./record.ts";
import type { RelationName } from "./relations.ts";
import { compact } from "../../base/json.ts";
import { firstParagraph } from "../../formats/markdown/body.ts";
import { dateOf, joined, statedText, statusWord } from "./values.ts";
import { CONTEXT, fieldOf, headingPattern } from "./signs.ts";
import { isStatus } from "./status.ts";
import { readFields } from "./fields.ts";
import { recordDate, recordNumber } from "./name.ts";
import { isAboutItself, mentions, mentionsAfter, PHRASES, RELATIONS } from "./relations.ts";

/** The maximum number of texts of a field that are searched for relations. */
const MAX_TEXTS = 5;
/** The maximum number of records in a relation. */
const MAX_RELATED = 100;

/**
 * Reads what a record states, and whether its status is a known one; `title` is that of a field. `stated` has the values of its front
 * matter and of another file.
 */
export function readRecord(
  name: string,
  stated: readonly FieldTexts[],
  lines: readonly string[],
  body: Body,
): { readonly record: DecisionRecord; readonly hasStatus: boolean; readonly title: string | undefined } {
  const fields = readFields(stated, lines, body);
  const status = statedIn(fields, "status", "stage");
  const statements = ["status", "stage", "itself"]
    .flatMap((field) => fields.get(field)?.slice(0, MAX_TEXTS) ?? [])
    .flatMap((text) => joined((statedText(text) ?? "").split("\n")));
  const related = (relation: RelationName): string[] | undefined => {
    const field = relation.toLowerCase(), named = fields.get(field)?.flatMap(mentions) ?? [];
    const inStatus = statements.flatMap((line) => mentionsAfter(line, PHRASES[field]!));
    const all = [...new Set([...named, ...inStatus])].slice(0, MAX_RELATED);
    return all.length > 0 ? all : undefined;
  };
  const [supersedes = [], supersededBy = [], amends, amendedBy, relatesTo] = RELATIONS.map(related);
  const record = compact({
    number: recordNumber(name),
    status: status && statusWord(ownStatus(status)),
    date: dateOf(statedIn(fields, "date")) ?? recordDate(name) ?? dateOf(statedIn(fields, "created")),
    ...{ supersedes, supersededBy, amends, amendedBy, relatesTo },
  });
  return { record, hasStatus: isStatus(record.status ?? ""), title: statedIn(fields, "name") };
}

/** The first text that one of some fields states. */
function statedIn(fields: FieldTexts, ...names: string[]): string | undefined {
  return names.flatMap((name) => fields.get(name)?.map(statedText) ?? []).find((text) => text !== undefined);
}

/** The lines of a status that are about the record itself: its section may begin with relations to others. */
function ownStatus(text: string): string {
  const own = !text.includes("\n") ? [] : joined(text.split("\n")).filter(isAboutItself);
  return own.length > 0 ? own.join("\n") : text;
}

/** The sections about the state of a record. */
const STATE = headingPattern("(?:status|date|deciders|authors?|change ?log|history|contents|table of)\\b");
/** The maximum number of them that are skipped. */
const MAX_STATES = 20;

/** What a record is about: the first paragraph of its context, else the first one that is not about its state. */
export function aboutRecord(
  lines: readonly string[],
  prose: readonly number[],
  sections: readonly Heading[],
): string | undefined {
  const isField = (line: string) => fieldOf(line) !== undefined;
  const first = (isIn: (at: number) => boolean) => firstParagraph(lines, prose.filter(isIn), isField);
  const context = sections.find(({ title }) => CONTEXT.test(title));
  const about = context && first((at) => at > context.line && at < context.end);
  const states = sections.filter(({ title }) => STATE.test(title)).slice(0, MAX_STATES);
  return about ?? first((at) => !states.some(({ line, end }) => line <= at && at < end));
}
