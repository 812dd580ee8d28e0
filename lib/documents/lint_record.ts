/** Is a decision record complete? Its file name, its status, and the sections that make it a record. */

import type { Document } from "./catalogue.ts";
import type { Page, Report } from "./lint_text.ts";
import { found } from "./lint_text.ts";
import { isStatus } from "./record.ts";
import { isFolderPage, recordDate, recordName, recordNumber } from "./record_name.ts";

/** The sections of a record, in the words that Nygard, MADR and log4brains use, and those close to them. */
const PARTS: readonly (readonly [part: string, heading: RegExp])[] = [
  ["context", /\b(?:context|background|problem|motivation|issue|rationale|why)\b/i],
  ["decision", /\b(?:decisions?(?! drivers?\b)|decided|solution|proposal|outcome)\b|^how$/i],
  [
    "consequences",
    /\b(?:consequences?|implications?|impacts?|effects?|results?|trade-?offs?|risks?|pros|cons|positive|negative)\b/i,
  ],
];

/** Pages that stand among the records and are none. */
const BESIDE = /^_?(?:readme|index|contents|toc|summary|changelog|contributing|licen[cs]e|process|about)$/i;

/** Whether a document is what new records are copied from; what it leads to is an example. */
export function isTemplate({ label, record }: Document): boolean {
  const name = recordName(label);
  const isNumbered = (record?.number ?? 0) > 0 || recordDate(name) !== undefined;
  return record !== undefined && !isNumbered && /(?:^|[-_. ])templates?(?:$|[-_. ])/i.test(name);
}

/** Looks at one record. What has neither a number nor a date is only asked for one: it may be a page of another kind. */
export function lintRecord(page: Page, report: Report): void {
  const { document } = page;
  const name = recordName(document.label);
  if (BESIDE.test(name) || isTemplate(document)) return;
  if (recordNumber(name) !== undefined || recordDate(name) !== undefined) {
    lintStatus(page, report);
    lintParts(page, report);
  } else if (!isFolderPage(document.name)) reportName(document, report);
}

/**
 * The form is `NNN-kebab-case-title.md`. Other forms with a number ("0007-x", "adr-7-x", "ADR007_x") or a date
 * ("20260728-x") are what teams already have; they are read as well as ours, so nothing is said of them. A name with
 * neither can be read by its whole path alone, and is a warning: nothing is lost.
 */
function reportName(document: Document, report: Report): void {
  report(found(
    document,
    "warning",
    "adr-file-name",
    "The file name begins with neither a number nor a date, so the record cannot be asked for by its number",
    "Name it NNN-kebab-case-title.md with the next free number, or move what is no record to another folder.",
  ));
}

function lintStatus({ document, lines }: Page, report: Report): void {
  const status = document.record?.status;
  if (status === undefined) {
    report(found(
      document,
      "warning",
      "adr-status-missing",
      "The record does not say whether it still holds",
      'Write "status: accepted" in its front matter, or a section "## Status".',
    ));
  } else if (!isStatus(status)) {
    const line = lines.findIndex((text) => text.toLowerCase().includes(status));
    report(found(
      document,
      "warning",
      "adr-status-unknown",
      `The status "${status}" is none that readers know`,
      "Use proposed, accepted, rejected, deprecated or superseded.",
      line < 0 ? undefined : line + 1,
    ));
  }
}

function lintParts({ document, sections }: Page, report: Report): void {
  const [title, ...others] = sections;
  // The first heading is the title, which may well be about a decision.
  const headings = title && title.level > 1 ? sections : others;
  const missing = PARTS.filter(([, heading]) => !headings.some(({ title }) => heading.test(title)));
  if (missing.length === 0) return;
  report(found(
    document,
    "warning",
    "adr-section-missing",
    `The record has no section for its ${missing.map(([part]) => part).join(" and ")}`,
    "Write it, even if it is one sentence: a decision without it is hard to judge later.",
  ));
}
