/** Checks one decision record: its name, its sections, its decision and its status. */

import type { CheckedDocument, Corpus } from "./check_corpus.ts";
import type { Document } from "./document.ts";
import type { Finding } from "./finding.ts";
import { printable, quoted } from "../base/text.ts";
import { collectCited } from "./check_paths.ts";
import { checkStale, isUndecided } from "./check_stale.ts";
import { decisionOf } from "./records/decision.ts";
import {
  isFolderPage,
  pageKind,
  recordDate,
  recordFolder,
  recordName,
  recordNumber,
  recordSubNumber,
} from "./records/name.ts";
import { readRecord } from "./records/read.ts";
import type { UsualSection } from "./records/languages.ts";
import { sectionPattern, teamWords } from "./records/languages.ts";
import { isOver, isStatus } from "./records/status.ts";
import { problem } from "./rules.ts";

/** The parts of a record, with the words that Nygard, MADR, log4brains and others use for their sections. */
const PARTS: readonly (readonly [part: UsualSection, heading: RegExp])[] = [
  ["context", /\b(?:context|background|abstract|summary|problem|motivation|issue|rationale|why)\b/i],
  ["decision", /\b(?:decisions?(?! drivers?\b)|decided|solution|proposal|outcome)\b|^how$/i],
  [
    "consequences",
    /\b(?:consequences?|implications?|impacts?|effects?|results?|trade-?offs?|risks?|pros|cons|positive|negative)\b/i,
  ],
];

/** The kind of a document. A template in a folder of records is not a record. */
export function recordKind({ label, record }: Document, isAmongRecords: boolean): CheckedDocument["kind"] {
  const name = recordName(label);
  // A translation has the number of its record in its name only.
  const hasPlace = [record?.number, recordNumber(name), recordSubNumber(name), recordDate(name)]
    .some((place) => place !== undefined);
  const kind = isAmongRecords ? pageKind(label) : undefined;
  return kind ?? (!record ? "page" : hasPlace ? "record" : "unnumbered");
}

/** A character that a link must encode. */
const ODD = /[^\p{L}\p{M}\p{N}._~-]/u;
/** The names that the guideline recommends for records. */
const USUAL_NAME = /^\d{3,6}[a-z]?-[\p{Ll}\p{Lo}\p{M}\p{N}.~-]+$/u;

/** Reports records in `adr/` of the root that are named unlike most of them. Other folders have names of their own. */
export function* checkRecordNames({ catalogue, ownsRecords }: Corpus): Generator<Finding> {
  const numbered = catalogue.documents.filter(({ record, label }) =>
    ownsRecords && record && recordFolder(label) === "adr" && recordNumber(recordName(label)) !== undefined
  );
  const others = numbered.filter(({ label }) => !USUAL_NAME.test(recordName(label)));
  if (others.length >= numbered.length / 2) return;
  for (const { label } of others) {
    const message = "Most files of the folder are named NNN-kebab-case-title, but this one is not";
    if (!ODD.test(recordName(label))) yield problem("adr-file-name", label, message);
  }
}

/** Checks the name and the parts of a record. */
export function checkRecord(checked: CheckedDocument, corpus: Corpus): void {
  const { document, page, kind, report, lacks } = checked, { label, record } = document;
  const { lines, front, sections } = page, { stating, unknown, options } = corpus;
  const [odd] = ODD.exec(recordName(label)) ?? [];
  if (kind === "unnumbered" && !isFolderPage(document.name)) {
    const message = "The file name begins with neither a number nor a date, so no number names the record";
    report("adr-file-name", message);
  } else if (kind === "record" && odd !== undefined) {
    const message = `The file name has the character "${printable(odd)}", which links to it must encode`;
    report("adr-file-name", message);
  }
  if (kind !== "record") return;
  const title = sections.find(({ level, title }) => level === 1 && title !== "");
  // The title may contain the same words.
  const headings = sections.filter((section) => section !== title || title.title !== document.title);
  const missing = PARTS.filter(([part, heading]) =>
    !headings.some(({ title }) => heading.test(title) || sectionPattern(part).test(title))
  );
  const message = "The record has no section for its ";
  if (!options.required?.(document)) lacks("adr-section-missing", message, missing.map(([part]) => part));
  const decision = isOver(document) ? undefined : decisionOf(document.title, page, corpus.templates);
  if (decision?.kept.length === 0) {
    const { title, line, left } = decision;
    const has = left === undefined ? "is empty" : "has only a placeholder or text of a template";
    report("adr-unwritten", `The section "${quoted(title, 100)}" ${has}`, (left ?? line) + 1);
  }
  const status = record?.status, unstated = status === undefined ? [""] : [];
  if (document.category === "adr" || stating.has(recordFolder(document.key))) {
    lacks("adr-status-missing", "The record does not say whether it is in force", unstated);
  }
  const { doubts, places } = readRecord(
    recordName(label),
    [front.values],
    lines,
    page,
    teamWords(corpus.words),
  );
  for (const { what, line, text } of doubts) {
    if (what === "label") report("adr-field-empty", `The label "${text}" has no value`, line + 1);
  }
  if (status !== undefined && !isStatus(status)) {
    unknown.push({ document, status });
    const stated = doubts.find(({ what }) => what === "status");
    const line = stated
      ? stated.line + 1
      : lines.findIndex((line) => line.toLowerCase().includes(status)) + 1;
    report("adr-status-unknown", `The status "${status}" is not a known one`, line);
  }
  checkStale(checked, places.status?.line, decision?.kept ?? [], corpus);
  if (options.code && !isOver(document) && !isUndecided(document)) collectCited(checked, corpus);
}

/** The number of records with a status that is not understood from which their folder is reported too. */
const MIN_UNKNOWN = 3;

/** Reports the folders in which several records have a status that is not understood. */
export function* checkStatuses({ unknown, catalogue }: Corpus): Generator<Finding> {
  const all = Map.groupBy(
    catalogue.documents.filter(({ record }) => record),
    ({ label }) => recordFolder(label),
  );
  for (const [folder, group] of Map.groupBy(unknown, ({ document }) => recordFolder(document.label))) {
    if (group.length < MIN_UNKNOWN) continue;
    const names = [...new Set(group.map(({ status }) => `"${quoted(status, 40)}"`))].slice(0, 3).join(", ");
    const message = `${group.length} of ${
      all.get(folder)?.length
    } records have a status that is not understood, such as ${names}`;
    yield problem("adr-status-unknown", folder, message);
  }
}
