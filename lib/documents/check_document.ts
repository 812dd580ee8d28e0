/** Checks one document by itself, and collects facts for the rules about all documents. */

import type { Corpus } from "./check_corpus.ts";
import type { Document } from "./document.ts";
import type { Markdown } from "../formats/markdown/document.ts";
import type { Heading } from "../formats/markdown/body.ts";
import { describeInvisible, findInvisible } from "../base/invisible.ts";
import { nearest } from "../base/nearest.ts";
import { isDay, quoted } from "../base/text.ts";
import { readMarkdown } from "../formats/markdown/document.ts";
import { toLines } from "../formats/markdown/lines.ts";
import { readLinks } from "../formats/markdown/links.ts";
import { checkPatterns } from "./check_paths.ts";
import { checkRecord, recordKind } from "./check_record.ts";
import { MAX_DESCRIPTION } from "./metadata.ts";
import { readCodeRules } from "./code/code_rules.ts";
import { isFolderPage, recordFolder } from "./records/name.ts";
import { RELATIONS } from "./records/record.ts";
import { isOver, isOverdue } from "./records/status.ts";
import { problem } from "./rules.ts";

/** The keys of front matter that link a document to code: misspelt, they do nothing. */
const LINKING_KEYS = ["applies-to", "forbids"];
/** The minimum length of a key that may be one of them, misspelt. */
const MIN_MISSPELT = 6;

/** Checks one document by itself, and collects facts for the rules about all documents. */
export function checkDocument(document: Document, text: string, corpus: Corpus): void {
  const { options, findings, lacking, ofRecords } = corpus, { label, name, record, reviewBy } = document;
  const page = readMarkdown(text), { lines, front, sections } = page;
  const kind = recordKind(document, ofRecords.has(recordFolder(label)));
  const titles = sections.filter(({ level, title }) => level === 1 && title !== ""), [title] = titles;
  const required = options.required?.(document);
  const isCrlf = text.includes("\r\n") && !/[\r\n]/.test(text.replaceAll("\r\n", ""));
  // A decision that is no longer in force, and a page that only says where it has moved, may lack parts.
  const isDone = isOver(document) || (sections.length === 0 && /\bmoved to\b/i.test(text));
  const lineOf = (fits: (line: string) => boolean) => lines.findIndex(fits) + 1;
  const report = (rule: string, message: string, line?: number) =>
    void findings.push(problem(rule, label, message, line));
  const lacks = (rule: string, message: string, missing: readonly string[]) => {
    if (!isDone) lacking.push({ rule, document, message, missing });
  };
  const checked = { document, page, kind, report, lacks };
  checkRecord(checked, corpus);
  checkPatterns(checked, corpus);
  for (const { message, line } of readCodeRules(text, []).problems) {
    report("code-rule-invalid", message, line);
  }
  // Only a byte order mark makes the file three bytes longer than its text.
  if (document.status.size === new TextEncoder().encode(text).length + 3) {
    report("byte-order-mark", "The file begins with a byte order mark, which is left out");
  }
  for (const key of front.values.keys()) {
    const isKnown = /^(?:applies[-_]?to|forbids)$/i.test(key) || key.length < MIN_MISSPELT;
    const [meant] = isKnown ? [] : nearest(key, LINKING_KEYS);
    if (meant === undefined) continue;
    const line = lineOf((line) => line.toLowerCase().startsWith(key.toLowerCase()));
    report("key-misspelt", `The key "${quoted(key, 40)}" is not known (did you mean ${meant}?)`, line);
  }
  const { length } = Array.from(front.values.get("description")?.join(", ") ?? "");
  if (length > MAX_DESCRIPTION) {
    const message = `The description has ${length} characters and is cut after ${MAX_DESCRIPTION}`;
    report("description-long", message, lineOf((line) => /^description[ \t]*:/i.test(line)));
  }
  const repeated = findRepeated(sections);
  if (repeated) {
    const message = `The heading "${quoted(repeated.title, 100)}" appears twice under the same heading`;
    report("heading-repeated", message, repeated.line + 1);
  }
  const hidden = findInvisible(text);
  if (hidden) {
    const { length: line } = toLines(text.slice(0, hidden.index));
    report("invisible-characters", describeInvisible(hidden), line);
  }
  if (isCrlf) corpus.crlf.push(document);
  else if (text.includes("\r")) report("line-ends", "The lines end in different ways");
  if (reviewBy !== undefined && !isOver(document)) {
    const line = lineOf((line) => /^review[-_]?by[ \t]*:/i.test(line));
    if (!isDay(reviewBy)) {
      const message = `The date of review-by, "${quoted(reviewBy, 40)}", is not a date such as 2026-07-28`;
      report("review-overdue", message, line);
    } else if (isOverdue(document, corpus.today)) {
      report("review-overdue", `The document was to be reviewed by ${reviewBy}`, line);
    }
  }
  const isPage = kind === "template" || isFolderPage(name) || (record && kind === "page");
  const plainTitle = (title: string) => title.replace(/^\d[\d.]*\)?\s+/, "").toLowerCase();
  const hasSection = (wanted: string) =>
    sections.some(({ title }) => plainTitle(title) === plainTitle(wanted));
  const missing = isPage ? [] : required?.filter((title) => !hasSection(title)) ?? [];
  if (missing.length > 0) {
    const names = missing.map((title) => `"${quoted(title, 100)}"`).join(" and ");
    report("section-missing", `The document has no section ${names}`);
  }
  const untitled = titles.length === 0 && !front.values.get("title")?.length ? [""] : [];
  lacks("title-missing", `The document has no title and is listed as "${document.title}"`, untitled);
  // If the title is from a field or the file name, these headings are sections.
  if (titles.length > 1 && title!.title === document.title) {
    const message =
      `The document has ${titles.length} headings of the first level; only the first one is its title`;
    report("title-repeated", message, titles[1]!.line + 1);
  }
  collect(document, kind, page, corpus);
}

/** The first heading that appears twice under the same heading. Several titles have another rule. */
function findRepeated(sections: readonly Heading[]): Heading | undefined {
  const path: string[] = [];
  const seen = new Set<string>();
  for (const section of sections) {
    const { level, title } = section;
    path.length = level - 1;
    path.push(title.toLowerCase());
    const whole = path.join("\n");
    if (level > 1 && title !== "" && seen.has(whole)) return section;
    seen.add(whole);
  }
  return undefined;
}

/** Collects the links, anchors and relations of a document. */
function collect(document: Document, kind: string, page: Markdown, corpus: Corpus): void {
  const { lines, sections } = page;
  const { links, anchors } = readLinks(page);
  corpus.anchors.set(document.key, new Set([...sections.map(({ slug }) => slug), ...anchors]));
  // The links of a template are examples.
  if (kind === "template") return;
  for (const link of links) corpus.links.push({ from: document, ...link });
  const stating = lines.map((line) => /supersed|replac|amend|relate|see/i.test(line) ? line : "");
  for (const relation of RELATIONS) {
    for (const reference of document.record?.[relation] ?? []) {
      const line = stating.findIndex((line) => line.includes(reference)) + 1;
      corpus.relations.push({ from: document, kind: relation, reference, line });
    }
  }
}
