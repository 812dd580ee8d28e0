/** Is a document well made, whatever it is about? Its title, its description, its characters. */

import type { Document } from "./catalogue.ts";
import type { Finding, Severity } from "./finding.ts";
import type { FrontMatter } from "./front_matter.ts";
import type { Section } from "./sections.ts";
import { MAX_DESCRIPTION } from "./describe.ts";
import { readFrontMatter, textOf } from "./front_matter.ts";
import { findInvisible } from "../base/text.ts";
import { readSections, toLines } from "./sections.ts";

const LINE_ENDS_HELP =
  "Save files with LF alone; in git, a line `*.md text eol=lf` in .gitattributes sees to it.";

/** Takes what a rule finds. */
export type Report = (finding: Finding) => void;

/** A document taken apart, as the rules look at it. */
export interface Page {
  readonly document: Document;
  readonly text: string;
  readonly lines: readonly string[];
  readonly front: FrontMatter;
  readonly sections: readonly Section[];
}

/** Takes a document apart. */
export function openPage(document: Document, text: string): Page {
  const lines = toLines(text);
  const front = readFrontMatter(lines);
  return { document, text, lines, front, sections: readSections(lines, front.bodyLine) };
}

/** Makes a finding about a document; lines are counted from 1. */
export function found(
  document: Document,
  severity: Severity,
  rule: string,
  message: string,
  help: string,
  line?: number,
): Finding {
  return { file: document.label, ...(line === undefined ? {} : { line }), severity, rule, message, help };
}

/** Looks at one document. */
export function lintText(page: Page, report: Report): void {
  lintTitle(page, report);
  lintDescription(page, report);
  lintCharacters(page, report);
  lintLineEnds(page, report);
}

function lintTitle({ document, front, sections }: Page, report: Report): void {
  const titles = sections.filter(({ level, title }) => level === 1 && title !== "");
  if (titles.length === 0 && textOf(front.values["title"]) === undefined) {
    report(found(
      document,
      "warning",
      "title-missing",
      `The document has no title and is listed as "${document.title}"`,
      'Begin it with a line "# Title", or write a title in its front matter.',
    ));
  }
  if (titles.length > 1) {
    report(found(
      document,
      "warning",
      "title-repeated",
      `The document has ${titles.length} headings of the first level; only the first one is its title`,
      "Give the others the second level, or split the document.",
      titles[1]!.line + 1,
    ));
  }
}

function lintDescription({ document, front, lines }: Page, report: Report): void {
  const length = Array.from(textOf(front.values["description"]) ?? "").length;
  if (length <= MAX_DESCRIPTION) return;
  const line = lines.findIndex((text) => /^description[ \t]*:/i.test(text));
  report(found(
    document,
    "warning",
    "description-long",
    `The description has ${length} characters and is cut after ${MAX_DESCRIPTION}`,
    "Say what the document decides in one short sentence.",
    line < 0 ? undefined : line + 1,
  ));
}

function lintCharacters({ document, text }: Page, report: Report): void {
  // A byte order mark is no part of the text, and nothing else is three bytes of the file and none of the text.
  if (document.status.size === new TextEncoder().encode(text).length + 3) {
    report(found(
      document,
      "warning",
      "byte-order-mark",
      "The file begins with a byte order mark, which is left out",
      "Save it as UTF-8 without one; other readers take it for text.",
    ));
  }
  const invisible = findInvisible(text);
  if (invisible) {
    report(found(
      document,
      "warning",
      "invisible-characters",
      `The text has characters that nobody sees: ${invisible.count}, the first of them ${invisible.first}`,
      "Remove them, or spell them out: an assistant reads what no reviewer saw.",
      toLines(text.slice(0, invisible.index)).length,
    ));
  }
}

/** Whether all lines of a text end with CRLF, and with nothing else. */
export function isWindowsText(text: string): boolean {
  return text.includes("\r\n") && !/[\r\n]/.test(text.replaceAll("\r\n", ""));
}

/** Reports the documents of one category whose lines end with CRLF: once, for it is a setting more than a mistake. */
export function lintWindowsTexts([first, ...others]: readonly Document[], report: Report): void {
  if (!first) return;
  const more = others.length === 0 ? "" : `, as in ${others.length} more files of ${first.category}`;
  report(found(first, "warning", "line-ends", `The lines end with CRLF${more}`, LINE_ENDS_HELP));
}

function lintLineEnds({ document, text }: Page, report: Report): void {
  if (!text.includes("\r") || isWindowsText(text)) return;
  report(found(document, "warning", "line-ends", "The lines end in different ways", LINE_ENDS_HELP));
}
