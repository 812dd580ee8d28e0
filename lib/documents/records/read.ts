/** Reads what a decision record states. It is loaded for the first document that looks like a record. */

import type { Body, Heading } from "../../formats/markdown/body.ts";
import type { DecisionRecord, RelationName, Statement, ValuePlace } from "./record.ts";
import type { FieldTexts } from "./places.ts";
import type { Words } from "./words.ts";
import type { StatusReading } from "./status_text.ts";
import { compact } from "../../base/json.ts";
import { firstParagraph } from "../../formats/markdown/body.ts";
import { plain } from "../../formats/markdown/lines.ts";
import { re } from "./pattern.ts";
import { dateOf, statedText } from "./values.ts";
import { CONTEXT, headingPattern, isFieldLine } from "./signs.ts";
import { isStatus } from "./status.ts";
import { findStatements } from "./places.ts";
import { recordDate, recordNumber, recordSubNumber } from "./name.ts";
import { namesIn } from "./references.ts";
import { RELATIONS } from "./record.ts";
import { readStatus, relationsIn, scopeOf } from "./status_text.ts";
import { NO_VALUE } from "./words.ts";

/** The maximum number of statements of a field that are read. */
const MAX_STATEMENTS = 20;
/** The maximum number of records in a relation. */
const MAX_RELATED = 100;

/** The fields of relations. */
const RELATED = /^(?:partly)?(?:supersede|amend|relate)/;

/** Something that a record says and that was not understood. */
export interface Doubt {
  readonly what: "status" | "label";
  /** Counted from 0. */
  readonly line: number;
  /** The word or the label. */
  readonly text: string;
}

/** Where a record states its fields. A record may state a relation in several places. */
export interface RecordPlaces {
  readonly status?: ValuePlace | undefined;
  readonly date?: ValuePlace | undefined;
  readonly relations: readonly {
    readonly relation: RelationName;
    readonly names: readonly string[];
    readonly place: ValuePlace;
  }[];
}

/** What a record states, and where. */
export interface RecordReading {
  readonly record: DecisionRecord;
  /** Whether the status is a known one. */
  readonly hasStatus: boolean;
  /** That of a field. */
  readonly title: string | undefined;
  readonly places: RecordPlaces;
  readonly doubts: readonly Doubt[];
}

/** Reads what a record states. `stated` has the values of its front matter and of another file. */
export function readRecord(
  name: string,
  stated: readonly FieldTexts[],
  lines: readonly string[],
  body: Body,
  words: Words,
): RecordReading {
  const statements = findStatements(stated, lines, body, words);
  const byField = Map.groupBy(statements, ({ field }) => field);
  const of = (...fields: string[]) =>
    fields.flatMap((field) => byField.get(field)?.slice(0, MAX_STATEMENTS) ?? []);
  const own = recordNumber(name);
  const statuses = of("status", "stage").map(({ parts }) => readStatus(parts, words, own));
  const status = statuses.find(({ word }) => word !== undefined);
  if (statuses.length > 0 && !isStatus(status?.word ?? "")) words.doubt();
  const sentences = of("itself").flatMap(({ parts }) =>
    parts.flatMap((part) => relationsIn(part, words, own))
  );
  const inStatus = [...statuses.flatMap(({ relations }) => relations), ...sentences];
  const places: { relation: RelationName; names: readonly string[]; place: ValuePlace }[] = [];
  const related = (relation: RelationName): string[] | undefined => {
    const names: string[] = [];
    const add = (found: readonly string[], place: ValuePlace | undefined) => {
      names.push(...found);
      if (place && found.length > 0) places.push({ relation, names: found, place });
    };
    const whole = relation.replace(/^partlyS/, "s").toLowerCase(), isPart = relation.startsWith("partly");
    const fields = of(whole, ...(whole.startsWith("supersede") ? [`partly${whole}`] : []));
    for (const { field, parts } of fields) {
      for (const { text, place } of parts) {
        const value = statedText(text), scope = scopeOf(value ?? "", whole);
        if (value === undefined || scope === "none") continue;
        if ((field.startsWith("partly") || scope === "part") !== isPart) continue;
        add(namesIn(value).names, place);
      }
    }
    const isClosed = isNothing(of(whole)[0]);
    for (const one of inStatus) {
      if (one.relation !== relation) continue;
      // The number of an issue after "amended by" is no record.
      const names = /^amend|^relate/.test(relation)
        ? one.names.filter((name) => !/^#\d{4,}$/.test(name))
        : one.names;
      if ((!isClosed || one.place === status?.place)) add(names, one.place);
    }
    const all = [...new Set(names)].slice(0, MAX_RELATED);
    return all.length > 0 ? all : undefined;
  };
  const isRelated = inStatus.length > 0 || statements.some(({ field }) => RELATED.test(field));
  const relations: Partial<Record<RelationName, string[] | undefined>> = isRelated
    ? Object.fromEntries(RELATIONS.map((relation) => [relation, related(relation)]))
    : {};
  const tag = status ? undefined : tagStatus(stated);
  const dates = of("date"), starts = of("created");
  const [dated, datePlace] = dateIn(dates), [lone] = dateIn(of("lone date").slice(0, 1));
  const [created] = dateIn(starts);
  const isInFront = ({ parts: [first] }: Statement) =>
    first && (first.place === undefined || first.place.kind === "front matter");
  const [early] = dateIn([...dates, ...starts].filter(isInFront));
  const number = own ?? (recordSubNumber(name) === undefined ? numberIn(of("number")) : undefined);
  const record = compact({
    number,
    status: status?.word ?? tag,
    statusWord: status?.own,
    date: early ?? dated ?? lone ?? recordDate(name) ?? status?.date ?? created,
    ...relations,
    supersedes: relations.supersedes ?? [],
    supersededBy: relations.supersededBy ?? [],
  }) as DecisionRecord;
  return {
    record,
    hasStatus: isStatus(record.status ?? ""),
    title: [...of("name"), ...of("title").filter(({ parts }) => parts[0]?.place?.kind === "row")].flatMap((
      { parts },
    ) => plain(statedText(parts[0]?.text) ?? "") || [])[0],
    places: { status: status?.place, date: datePlace, relations: places },
    doubts: doubtsOf(status, statements),
  };
}

/** Whether a statement closes a question: an explicit null, an empty list, "none" and the like. An empty value leaves it open. */
function isNothing(statement: Statement | undefined): boolean {
  if (!statement) return false;
  const [first] = statement.parts;
  return statement.isNull === true ||
    (first !== undefined && first.text.trim() !== "" && NO_VALUE.test(first.text));
}

/** The first date that some statements have, and its place. */
function dateIn(
  statements: readonly Statement[],
): readonly [date: string | undefined, place: ValuePlace | undefined] {
  for (const { parts } of statements) {
    // Of several dates in a list, the first one counts.
    for (const { text, place } of parts) {
      const date = dateOf(statedText(text));
      if (date !== undefined) return [date, place];
    }
  }
  return [undefined, statements[0]?.parts[0]?.place];
}

function numberIn(statements: readonly Statement[]): number | undefined {
  const text = statements[0]?.parts[0]?.text.trim() ?? "";
  return /^\d{1,6}$/.test(text) ? Number(text) : undefined;
}

/** A tag that is a status of decisions: some templates have no other place for it. */
function tagStatus(stated: readonly FieldTexts[]): string | undefined {
  const tags = stated.flatMap((values) => values.get("tags") ?? []).map((tag) => tag.toLowerCase());
  return tags.find((tag) => /^(?:proposed|accepted|approved|rejected|deprecated|superseded)$/.test(tag));
}

/** The status of an unknown word, and labels without a value. */
function doubtsOf(status: StatusReading | undefined, statements: readonly Statement[]): Doubt[] {
  const doubts: Doubt[] = [];
  if (status?.word !== undefined && status.place && !isStatus(status.word)) {
    doubts.push({ what: "status", line: status.place.line, text: status.word });
  }
  for (const { field, parts: [first] } of statements) {
    const isStated = field === "status" ? status !== undefined : false;
    if (!first?.place || first.text !== "" || isStated || !["status", "date"].includes(field)) continue;
    doubts.push({ what: "label", line: first.place.line, text: field });
  }
  return doubts;
}

/** The sections about the state of a record. */
const STATE = headingPattern(
  "(?:(?:adr |decision )?status|date|deciders|authors?|change ?log|history|contents|table of)\\b",
);
/** The maximum number of them that are skipped. */
const MAX_STATES = 20;

/** The lines of a section after its heading. */
function within(prose: readonly number[], { line, end }: Heading): readonly number[] {
  const start = prose.findIndex((at) => at > line);
  return start < 0 ? [] : prose.slice(start, start + end - line).filter((at) => at < end);
}

/** The lines that are not in some sections. The headings are only read up to the line that is asked for. */
function* outside(
  prose: readonly number[],
  sections: readonly Heading[],
  isLeft: (section: Heading) => boolean,
): Generator<number> {
  let next = 0, until = 0, count = 0;
  for (const at of prose) {
    for (; next < sections.length && sections[next]!.line <= at; next++) {
      const section = sections[next]!;
      if (section.end <= until || count >= MAX_STATES || !isLeft(section)) continue;
      until = section.end;
      count++;
    }
    if (at >= until) yield at;
  }
}

/** What a record is about: the first paragraph of its context, else the first one that is not about its state. */
export function aboutRecord(
  lines: readonly string[],
  prose: readonly number[],
  sections: readonly Heading[],
  words: Words,
): string | undefined {
  const isStated = (line: string) => {
    const [, label] =
      re`/^[^\p{L}]{0,10}([\p{L}][\p{L} _-]{0,40}?)[*_]{0,3}[ \t]*[:：]/`.exec(line.slice(0, 200)) ?? [];
    return label !== undefined && words.fieldOf(label) !== undefined;
  };
  const isField = (line: string) =>
    isFieldLine(line) || isStated(line) || /^[*_]{0,2}\d{4}-\d{2}-\d{2}[*_]{0,2}[ \t]*$/.test(line);
  const context = sections.find(({ title }) => CONTEXT.test(title));
  const about = context && firstParagraph(lines, within(prose, context), isField);
  if (about !== undefined) return about;
  const isState = ({ title }: Heading) => STATE.test(title) || words.fieldOf(title) !== undefined;
  return firstParagraph(lines, outside(prose, sections, isState), isField);
}
