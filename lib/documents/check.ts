/** The rules of `check` for documents. Each text is read once; links and relations are looked up afterwards. */

import type { Catalogue } from "./catalogue.ts";
import type { Document } from "./document.ts";
import type { Finding } from "./finding.ts";
import type { Markdown } from "../formats/markdown/document.ts";
import type { Heading } from "../formats/markdown/body.ts";
import type { DocumentStore } from "./store.ts";
import type { Scheme } from "./uri.ts";
import { toGlob } from "../formats/glob.ts";
import { describeInvisible, findInvisible } from "../base/invisible.ts";
import { count, isDay, printable, quoted } from "../base/text.ts";
import { problem } from "./rules.ts";
import { readMarkdown } from "../formats/markdown/document.ts";
import { toLines } from "../formats/markdown/lines.ts";
import { readLinks } from "../formats/markdown/links.ts";
import { MAX_DESCRIPTION } from "./metadata.ts";
import {
  isFolderPage,
  pageKind,
  recordDate,
  recordFolder,
  recordName,
  recordNumber,
  recordSubNumber,
} from "./records/name.ts";
import { decisionOf } from "./records/decision.ts";
import { isReference, RELATIONS } from "./records/record.ts";
import { readRecord } from "./records/read.ts";
import { isOver, isOverdue, isStatus } from "./records/status.ts";
import { templatesIn } from "./records/template_text.ts";
import { decode, followPath, toUri } from "./uri.ts";

/** Options of the rules. */
export interface LintOptions {
  /** The current date, such as "2026-07-28". @default {today in UTC} */
  readonly today?: string;
  /** The files of the code, as paths from its root. Patterns that match no file are reported. @default {unknown} */
  readonly code?: readonly string[] | undefined;
  /** The rules that apply even if most documents of a folder break them. @default {none} */
  readonly strict?: readonly string[] | undefined;
  /** The titles of the sections that a document must have. @default {none} */
  readonly required?: ((document: Document) => readonly string[] | undefined) | undefined;
  /** The scheme of the URIs in findings. @default {"architecture"} */
  readonly scheme?: Scheme | undefined;
}

/** The state of a check: facts from the catalogue, facts collected from the texts, and the findings. */
function toCorpus(catalogue: Catalogue, options: LintOptions) {
  const { documents, recordFolders } = catalogue;
  const patterns = new Set(options.code && documents.flatMap(({ appliesTo }) => appliesTo));
  const fits = (pattern: string) => options.code!.some(toGlob(pattern).matches);
  return {
    catalogue,
    options,
    findings: [] as Finding[],
    /** The patterns that match no file of the code and break no other rule; empty when the code is unknown. */
    unmatched: new Set([...patterns].filter((one) => !isNegated(one) && !isNested(one) && !fits(one))),
    /** The folders in which a record states a status. In other folders, none does by custom. */
    stating: new Set(documents.flatMap(({ key, record }) => record?.status ? recordFolder(key) : [])),
    ofRecords: new Set(recordFolders.flatMap(({ folder, isRecords }) => isRecords ? folder : [])),
    links: [] as { from: Document; target: string; line: number }[],
    relations: [] as { from: Document; kind: (typeof RELATIONS)[number]; reference: string; line: number }[],
    /** The fragments that each document has, by key. */
    anchors: new Map<string, ReadonlySet<string>>(),
    /** What documents lack, which may be the custom of their folder. */
    lacking: [] as { rule: string; document: Document; message: string; missing: readonly string[] }[],
    crlf: [] as Document[],
    /** The records whose status is not a known one. */
    unknown: [] as { document: Document; status: string }[],
    /** What the templates of the folders say. */
    templates: new Set<string>() as ReadonlySet<string>,
  };
}

type Corpus = ReturnType<typeof toCorpus>;

/** Checks all documents that are served. Problems of files that are not served are in `catalogue.findings`. */
export function lint(
  source: Pick<DocumentStore, "catalogue" | "text">,
  options: LintOptions = {},
): Finding[] {
  const steps = lintInSteps(source, options);
  for (let step = steps.next();; step = steps.next()) if (step.done) return step.value;
}

/** The same as `lint`, in steps: one for each document and each rule about all documents. */
export function* lintInSteps(
  source: Pick<DocumentStore, "catalogue" | "text">,
  options: LintOptions,
): Generator<void, Finding[]> {
  const corpus = toCorpus(source.catalogue, options);
  const { findings } = corpus;
  corpus.templates = templatesIn(source.catalogue.documents, (document) => source.text(document));
  for (const document of source.catalogue.documents) {
    yield;
    const text = source.text(document);
    // A file that was deleted since it was listed is skipped.
    if (text !== undefined) checkDocument(document, text, corpus);
  }
  const checks = [
    checkCustoms,
    checkStatuses,
    checkLineEnds,
    checkNames,
    checkLinks,
    checkNumbers,
    checkRelations,
  ];
  for (const check of checks) {
    for (const finding of check(corpus)) findings.push(finding);
    yield;
  }
  return findings;
}

const isNegated = (pattern: string): boolean => /^\s*!/.test(pattern);
const isNested = (pattern: string): boolean => /\{[^{}]*\{[^{}]*\}/.test(pattern);

/** Checks one document by itself, and collects facts for the rules about all documents. */
function checkDocument(document: Document, text: string, corpus: Corpus): void {
  const { options, findings, lacking, stating, ofRecords, unknown } = corpus;
  const { label, name, record, appliesTo, reviewBy } = document;
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
  /** Notes the parts that are missing, "" for one without a name. Reported unless most documents of the folder lack them. */
  const lacks = (rule: string, message: string, missing: readonly string[]) => {
    if (!isDone) lacking.push({ rule, document, message, missing });
  };

  const [odd] = /[^\p{L}\p{M}\p{N}._~-]/u.exec(recordName(label)) ?? [];
  if (kind === "unnumbered" && !isFolderPage(name)) {
    const message = "The file name begins with neither a number nor a date, so no number names the record";
    report("adr-file-name", message);
  } else if (kind === "record" && odd !== undefined) {
    const message = `The file name has the character "${printable(odd)}", which links to it must encode`;
    report("adr-file-name", message);
  }
  if (kind === "record") {
    // The title may contain the same words.
    const headings = sections.filter((section) => section !== title || title.title !== document.title);
    const missing = PARTS.filter(([, heading]) => !headings.some(({ title }) => heading.test(title)));
    const message = "The record has no section for its ";
    if (!required) lacks("adr-section-missing", message, missing.map(([part]) => part));
    const decision = isDone ? undefined : decisionOf(document.title, page, corpus.templates);
    if (decision?.kept.length === 0) {
      const { title, line, left } = decision;
      const has = left === undefined ? "is empty" : "has only a placeholder or text of a template";
      report("adr-unwritten", `The section "${quoted(title, 100)}" ${has}`, (left ?? line) + 1);
    }
    const status = record?.status, unstated = status === undefined ? [""] : [];
    if (document.category === "adr" || stating.has(recordFolder(document.key))) {
      lacks("adr-status-missing", "The record does not say whether it is in force", unstated);
    }
    const { doubts } = readRecord(recordName(label), [front.values], lines, page);
    for (const { what, line, text } of doubts) {
      if (what === "label") report("adr-field-empty", `The label "${text}" has no value`, line + 1);
    }
    if (status !== undefined && !isStatus(status)) {
      unknown.push({ document, status });
      const stated = doubts.find(({ what }) => what === "status");
      const line = stated ? stated.line + 1 : lineOf((line) => line.toLowerCase().includes(status));
      report("adr-status-unknown", `The status "${status}" is not a known one`, line);
    }
  }
  const checkPatterns = (rule: string, what: string, isBad: (pattern: string) => boolean) => {
    const bad = appliesTo.find(isBad);
    if (bad === undefined) return;
    const line = lineOf((line) => line.includes(bad));
    report(rule, `The pattern "${quoted(bad, 100)}" ${what}`, line <= front.bodyLine ? line : 0);
  };
  const negated = 'excludes no files: in a pattern, "!" is a character of a name';
  checkPatterns("applies-to-negated", negated, isNegated);
  checkPatterns("applies-to-nested", "has braces within braces, which have no meaning there", isNested);
  checkPatterns("applies-to-unmatched", "fits no file of the code", (one) => corpus.unmatched.has(one));
  // Only a byte order mark makes the file three bytes longer than its text.
  if (document.status.size === new TextEncoder().encode(text).length + 3) {
    report("byte-order-mark", "The file begins with a byte order mark, which is left out");
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
    const line = lineOf((line) => /^review[-_]by[ \t]*:/i.test(line));
    const today = options.today ?? new Date().toISOString().slice(0, 10);
    if (!isDay(reviewBy)) {
      const message = `The date of review-by, "${quoted(reviewBy, 40)}", is not a date such as 2026-07-28`;
      report("review-overdue", message, line);
    } else if (isOverdue(document, today)) {
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
      // Words often do not name a record, and links are checked with all links.
      const isChecked = isReference(reference) && !links.some(({ target }) => target === reference);
      if (!isChecked && !/^supersede/.test(relation)) continue;
      const line = stating.findIndex((line) => line.includes(reference)) + 1;
      corpus.relations.push({ from: document, kind: relation, reference, line });
    }
  }
}

/** The parts of a record, with the words that Nygard, MADR, log4brains and others use for their sections. */
const PARTS: readonly (readonly [part: string, heading: RegExp])[] = [
  ["context", /\b(?:context|background|abstract|summary|problem|motivation|issue|rationale|why)\b/i],
  ["decision", /\b(?:decisions?(?! drivers?\b)|decided|solution|proposal|outcome)\b|^how$/i],
  [
    "consequences",
    /\b(?:consequences?|implications?|impacts?|effects?|results?|trade-?offs?|risks?|pros|cons|positive|negative)\b/i,
  ],
];

/** The kind of a document. A template in a folder of records is not a record. */
function recordKind({ label, record }: Document, isAmongRecords: boolean) {
  const name = recordName(label);
  // A translation has the number of its record in its name only.
  const hasPlace = [record?.number, recordNumber(name), recordSubNumber(name), recordDate(name)]
    .some((place) => place !== undefined);
  const kind = isAmongRecords ? pageKind(label) : undefined;
  return kind ?? (!record ? "page" : hasPlace ? "record" : "unnumbered");
}

/** Reports what documents lack. If most documents of a folder lack it, and five or more do, that is the custom of its team. */
function* checkCustoms({ lacking, options }: Corpus): Generator<Finding> {
  const folders = Map.groupBy(lacking, ({ rule, document }) => `${rule} ${recordFolder(document.key)}`);
  for (const group of folders.values()) {
    const lacks = Map.groupBy(group.flatMap(({ missing }) => missing), (part) => part);
    for (const { rule, document, message, missing } of group) {
      const isStrict = group.length < 5 || options.strict?.includes(rule);
      const parts = missing.filter((part) => isStrict || lacks.get(part)!.length <= group.length / 2);
      if (parts.length > 0) yield problem(rule, document.label, message + parts.join(" and "));
    }
  }
}

/** The number of records with a status that is not understood from which their folder is reported too. */
const MIN_UNKNOWN = 3;

/** Reports the folders in which several records have a status that is not understood. */
function* checkStatuses({ unknown, catalogue }: Corpus): Generator<Finding> {
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

/** Reports CRLF once per category, because it is usually a setting and not a mistake. */
function* checkLineEnds({ crlf }: Corpus): Generator<Finding> {
  for (const [category, [first, ...others]] of Map.groupBy(crlf, ({ category }) => category)) {
    const more = others.length === 0 ? "" : `, as in ${count(others.length, "more file")} of ${category}`;
    yield problem("line-ends", first!.label, `The lines end with CRLF${more}`);
  }
}

/** Finds files and folders that are the same on a file system that ignores case. */
function* checkNames({ catalogue }: Corpus): Generator<Finding> {
  const seen = new Map<string, string>();
  for (const document of catalogue.documents) {
    const segments = document.label.split("/");
    for (const [index] of segments.entries()) {
      const path = segments.slice(0, index + 1).join("/");
      const folded = path.normalize("NFC").toLowerCase();
      const other = seen.get(folded) ?? path;
      seen.set(folded, other);
      if (other === path) continue;
      const message = `${path} and ${other} differ in case only, and are one on Windows and macOS`;
      yield problem("name-case-only", document.label, message);
      // Everything below it differs as well.
      break;
    }
  }
}

/** Fragments that code hosts support on every page: its top, and the lines of its source. */
const HOST_FRAGMENT = /^(?:top|L\d+(?:-L?\d+)?)?$/;

function* checkLinks({ catalogue, links, anchors }: Corpus): Generator<Finding> {
  const folders = new Map(catalogue.documents.map(({ category, within }) => [category, within]));
  for (const { from, target, line } of links) {
    const broken = (rule: string, what: string) =>
      problem(rule, from.label, `The link leads to ${target}, ${what}`, line);
    const followed = catalogue.follow(from, target);
    if (!followed) continue;
    const { documents, key, fragment } = followed;
    const [document] = documents;
    if (documents.length > 1) {
      yield broken("link-dead", `which names ${documents.map(({ label }) => label).join(" and ")}`);
    } else if (document) {
      const known = anchors.get(document.key);
      if (!known || HOST_FRAGMENT.test(fragment) || known.has(fragment)) continue;
      yield broken("link-section-dead", `and ${document.label} has no such section`);
    } else {
      const category = key === undefined ? from.category : decode(/^[^/]*(?=\/)/.exec(key)?.[0] ?? "");
      const folder = folders.get(category);
      // A link into a mounted folder may be correct in the repository of the documents.
      if (category === from.category || folder === from.within) {
        yield broken("link-dead", "which is not served");
      } else if (folder === undefined) yield broken("link-leaves", "out of the folders that are served");
    }
  }
}

function* checkNumbers({ catalogue, options }: Corpus): Generator<Finding> {
  for (const document of catalogue.documents) {
    const number = document.record?.number;
    const folder = recordFolder(document.key);
    const [owner = document] = catalogue.numbered(folder, number);
    if (owner === document) continue;
    const uri = toUri(`${folder}/${number}`, options.scheme ?? "architecture");
    const message = `The number ${number} is also that of ${owner.label}, so ${uri} names neither`;
    yield problem("adr-number-duplicate", document.label, message);
  }
}

/** A record, the record that it replaces, and which of the two states that. */
type Succession = Readonly<Record<"newer" | "older" | "from", Document>>;

function* checkRelations({ catalogue, relations }: Corpus): Generator<Finding> {
  const successions: Succession[] = [];
  for (const { from, kind, reference, line } of relations) {
    const target = catalogue.resolve(from, reference);
    if (!target) {
      if (/^(?!architecture:)[a-z][a-z0-9+.-]*:/i.test(reference)) continue;
      const message = `The record refers to "${reference}", and no single record here has that name`;
      // A reference to another category may lead to a file that is not served, and plain words may not be a reference.
      const isUri = /^architecture:/i.test(reference);
      const key = isUri ? from.key : followPath(from.key, reference.replace(/[?#].*$/, ""));
      const isSure = isReference(reference) && key?.split("/", 1)[0] === from.key.split("/", 1)[0];
      yield problem("adr-reference-dangling", from.label, message, line, isSure ? "error" : "warning");
    } else if (kind === "supersedes") successions.push({ newer: from, older: target, from });
    else if (kind === "supersededBy") successions.push({ newer: target, older: from, from });
  }
  const pairs = Map.groupBy(successions, ({ newer, older }) => `${newer.key} ${older.key}`);
  for (const statements of pairs.values()) {
    const [{ newer, older, from }] = statements as [Succession];
    if (newer === older || statements.some((one) => one.from !== from)) continue;
    const [to, says, field] = from === newer
      ? [older, "it supersedes this record", "superseded-by"]
      : [newer, "this record supersedes it", "supersedes"];
    const lacks = `${field}: ${from.record?.number ?? from.name}`;
    const message = `${from.label} says that ${says}, which lacks "${lacks}"`;
    yield problem("adr-supersedes-one-sided", to.label, message);
  }
  yield* checkCircles(Array.from(pairs.values(), ([first]) => first!));
}

/** Finds circles of records that supersede each other, depth first. The successors of each record are followed once. */
function* checkCircles(pairs: readonly Succession[]): Generator<Finding> {
  const successors = Map.groupBy(pairs, ({ older }) => older);
  /** The records whose successors were followed; true while they are still being followed. */
  const isOpen = new Map<Document, boolean>();
  const stack = [...successors.keys()].reverse();
  for (let record = stack.at(-1); record; record = stack.at(-1)) {
    if (isOpen.has(record)) {
      isOpen.set(record, false);
      stack.pop();
      continue;
    }
    isOpen.set(record, true);
    for (const { newer } of successors.get(record) ?? []) {
      if (!isOpen.has(newer)) stack.push(newer);
      if (!isOpen.get(newer)) continue;
      const message = newer === record
        ? "The record says that it supersedes itself"
        : `The record and ${record.label} supersede each other, directly or through others`;
      yield problem("adr-supersedes-circle", newer.label, message);
    }
  }
}
