/** The rules of `check` for documents. Each text is read once; links and relations are looked up afterwards. */

import type { Catalogue, Document } from "./catalogue.ts";
import type { Finding, Severity } from "./folder_store.ts";
import { findInvisible, quoted } from "../base/text.ts";
import { readAnchors, readFrontMatter, readLinks, readSections, toLines } from "./markdown.ts";
import { MAX_DESCRIPTION } from "./metadata.ts";
import {
  isFolderPage,
  isReference,
  isStatus,
  recordDate,
  recordFolder,
  recordName,
  recordNumber,
} from "./record.ts";
import { decode, followPath, parseUri, toUri } from "./uri.ts";

/** The rules: how bad it is to break one, and how to fix it. */
const RULES: Readonly<Record<string, readonly [severity: Severity, help: string]>> = {
  "adr-file-name": [
    "warning",
    "Name it NNN-kebab-case-title.md with the next free number, or move it elsewhere.",
  ],
  "adr-number-duplicate": ["error", "Give one of the two the next free number."],
  "adr-reference-dangling": [
    "error",
    "Write the number or the file name of the other record, or a link to it.",
  ],
  "adr-section-missing": [
    "warning",
    "Write at least one sentence: decisions without it are hard to judge later.",
  ],
  "adr-status-missing": [
    "warning",
    'Write "status: accepted" in its front matter, or a section "## Status".',
  ],
  "adr-status-unknown": ["warning", "Use proposed, accepted, rejected, deprecated or superseded."],
  "adr-supersedes-circle": [
    "error",
    "Decide which one is in force, and let the others name it as successor.",
  ],
  "adr-supersedes-one-sided": ["warning", 'Write it in its front matter, or in a line under "## Status".'],
  "applies-to-negated": ["warning", "Write patterns for just the files that the document is about."],
  "applies-to-nested": ["warning", "Write all alternatives in one pair of braces, or a pattern for each."],
  "byte-order-mark": ["warning", "Save it as UTF-8 without one; other readers take it for text."],
  "description-long": ["warning", "Say what the document decides in one short sentence."],
  "invisible-characters": ["warning", "Remove or spell them out: an assistant reads what no reviewer saw."],
  "line-ends": ["warning", "Save files with LF alone; in git, `*.md text eol=lf` in .gitattributes does it."],
  "link-dead": ["error", "Fix the link."],
  "link-leaves": ["warning", "Link to its address on the web, or serve its folder with --mount NAME=DIR."],
  "link-section-dead": ["error", "Write the heading in lower case, hyphens for spaces, without other marks."],
  "title-missing": ["warning", 'Begin it with a line "# Title", or write a title in its front matter.'],
  "title-repeated": ["warning", "Give the others the second level, or split the document."],
};

/** Where the texts of documents come from; a `DocumentStore` that is ready. */
export interface TextSource {
  /** The documents to check. */
  readonly catalogue: Catalogue;
  /** The text of a document; undefined when it is gone. */
  text(document: Document): string | undefined;
}

interface Link {
  readonly from: Document;
  readonly target: string;
  readonly line: number;
}

/** What one record states of another. */
interface Relation {
  readonly from: Document;
  readonly kind: "supersedes" | "superseded-by";
  readonly reference: string;
  readonly line: number | undefined;
}

/** What is known of all documents after each was read. */
interface Corpus {
  readonly catalogue: Catalogue;
  readonly links: Link[];
  readonly relations: Relation[];
  /** The fragments that each document has, by key. */
  readonly anchors: Map<string, ReadonlySet<string>>;
  /** The documents whose lines all end with CRLF. */
  readonly windows: Document[];
}

/** Checks all documents that are served. Problems that keep a file from being served are in `catalogue.findings`. */
export function lint(source: TextSource): Finding[] {
  const { catalogue } = source;
  const corpus: Corpus = { catalogue, links: [], relations: [], anchors: new Map(), windows: [] };
  const findings: Finding[] = [];
  for (const document of catalogue.documents) {
    const text = source.text(document);
    // A file that is gone since it was listed is checked by the next run.
    if (text !== undefined) findings.push(...checkDocument(document, text, corpus));
  }
  return [checkWindows, checkLinks, checkNumbers, checkRelations].reduce(
    (all, check) => [...all, ...check(corpus)],
    findings,
  );
}

/** Makes a finding; lines are counted from 1, and 0 is none. */
function found(
  rule: string,
  { label }: Document,
  message: string,
  line?: number,
  severity?: Severity,
): Finding {
  const [usual, help] = RULES[rule]!;
  return { file: label, ...(line ? { line } : {}), severity: severity ?? usual, rule, message, help };
}

/** Checks one document by itself, and adds what it says of others to the corpus. */
function* checkDocument(document: Document, text: string, corpus: Corpus): Generator<Finding> {
  const lines = toLines(text);
  const front = readFrontMatter(lines);
  const sections = readSections(lines, front.bodyLine);
  const lineOf = (fits: (line: string) => boolean): number => lines.findIndex(fits) + 1;
  const titles = sections.filter(({ level, title }) => level === 1 && title !== "");
  if (titles.length === 0 && !front.values.get("title")?.length) {
    yield found("title-missing", document, `The document has no title and is listed as "${document.title}"`);
  }
  if (titles.length > 1) {
    const message =
      `The document has ${titles.length} headings of the first level; only the first one is its title`;
    yield found("title-repeated", document, message, titles[1]!.line + 1);
  }
  const { length } = Array.from(front.values.get("description")?.join(", ") ?? "");
  if (length > MAX_DESCRIPTION) {
    const message = `The description has ${length} characters and is cut after ${MAX_DESCRIPTION}`;
    yield found("description-long", document, message, lineOf((line) => /^description[ \t]*:/i.test(line)));
  }
  // Nothing else is three bytes of the file and none of the text.
  if (document.status.size === new TextEncoder().encode(text).length + 3) {
    yield found("byte-order-mark", document, "The file begins with a byte order mark, which is left out");
  }
  const invisible = findInvisible(text);
  if (invisible) {
    const message =
      `The text has ${invisible.count} invisible characters, the first of them ${invisible.first}`;
    yield found("invisible-characters", document, message, toLines(text.slice(0, invisible.index)).length);
  }
  if (text.includes("\r\n") && !/[\r\n]/.test(text.replaceAll("\r\n", ""))) corpus.windows.push(document);
  else if (text.includes("\r")) yield found("line-ends", document, "The lines end in different ways");
  for (
    const [rule, form, what] of [
      ["applies-to-negated", /^\s*!/, 'excludes no files: in a pattern, "!" is a character of a name'],
      ["applies-to-nested", /\{[^{}]*\{[^{}]*\}/, "has braces within braces, which have no meaning there"],
    ] as const
  ) {
    const pattern = document.appliesTo.find((pattern) => form.test(pattern));
    if (pattern === undefined) continue;
    const line = lineOf((line) => line.includes(pattern));
    const message = `The pattern "${quoted(pattern, 100)}" ${what}`;
    yield found(rule, document, message, line > front.bodyLine ? 0 : line);
  }
  const kind = recordKind(document);
  if (kind === "unnumbered" && !isFolderPage(document.name)) {
    const message =
      "The file name begins with neither a number nor a date, so the record cannot be asked for by its number";
    yield found("adr-file-name", document, message);
  }
  if (kind === "record") {
    const { status } = document.record!;
    if (status === undefined) {
      yield found("adr-status-missing", document, "The record does not say whether it is in force");
    } else if (!isStatus(status)) {
      const line = lineOf((line) => line.toLowerCase().includes(status));
      yield found("adr-status-unknown", document, `The status "${status}" is not a known one`, line);
    }
    // The first heading is the title, which may well be about a decision.
    const headings = sections.slice(sections[0]?.level === 1 ? 1 : 0);
    const missing = PARTS.filter(([, heading]) => !headings.some(({ title }) => heading.test(title)));
    if (missing.length > 0) {
      const parts = missing.map(([part]) => part).join(" and ");
      yield found("adr-section-missing", document, `The record has no section for its ${parts}`);
    }
  }
  corpus.anchors.set(
    document.key,
    new Set([...sections.map(({ slug }) => slug), ...readAnchors(lines, front.bodyLine)]),
  );
  // What a template links to is an example.
  if (kind === "template") return;
  for (const link of readLinks(lines, front.bodyLine)) corpus.links.push({ from: document, ...link });
  const stating = lines.map((line) => /supersed|replac/i.test(line) ? line : "");
  const relate = (kind: Relation["kind"]) => (reference: string): void => {
    const index = stating.findIndex((line) => line.includes(reference));
    corpus.relations.push({ from: document, kind, reference, line: index + 1 });
  };
  document.record?.supersedes.forEach(relate("supersedes"));
  document.record?.supersededBy.forEach(relate("superseded-by"));
}

/** The parts of a record, in the words that Nygard, MADR and log4brains use for its sections, and similar ones. */
const PARTS: readonly (readonly [part: string, heading: RegExp])[] = [
  ["context", /\b(?:context|background|problem|motivation|issue|rationale|why)\b/i],
  ["decision", /\b(?:decisions?(?! drivers?\b)|decided|solution|proposal|outcome)\b|^how$/i],
  [
    "consequences",
    /\b(?:consequences?|implications?|impacts?|effects?|results?|trade-?offs?|risks?|pros|cons|positive|negative)\b/i,
  ],
];
/** Pages that stand among the records and are none. */
const OTHER_PAGE =
  /^_?(?:readme|index|contents|toc|summary|changelog|contributing|licen[cs]e|process|about)$/i;
const TEMPLATE = /(?:^|[-_. ])templates?(?:$|[-_. ])/i;

/** A record has a number or a date; a template has none, or the number 0. */
function recordKind({ label, record }: Document): "record" | "unnumbered" | "template" | "page" {
  const name = recordName(label);
  if (!record || OTHER_PAGE.test(name)) return "page";
  const hasDate = recordDate(name) !== undefined;
  if (!hasDate && !record.number && TEMPLATE.test(name)) return "template";
  return hasDate || recordNumber(name) !== undefined ? "record" : "unnumbered";
}

/** One finding for each category: CRLF is a setting more than a mistake. */
function* checkWindows({ windows }: Corpus): Generator<Finding> {
  for (const [category, [first, ...others]] of Map.groupBy(windows, ({ category }) => category)) {
    const more = others.length === 0 ? "" : `, as in ${others.length} more files of ${category}`;
    yield found("line-ends", first!, `The lines end with CRLF${more}`);
  }
}

/** What code hosts add to links: the top of a page, and lines of its source. */
const HOST_FRAGMENT = /^(?:top|L\d+(?:-L?\d+)?)?$/;

function* checkLinks({ catalogue, links, anchors }: Corpus): Generator<Finding> {
  const folders = new Map(catalogue.documents.map(({ category, within }) => [category, within]));
  for (const { from, target, line } of links) {
    const dead = (what: string): Finding =>
      found("link-dead", from, `The link leads to ${target}, ${what}`, line);
    const [whole = "", encoded = ""] = target.split(/#(.*)/s);
    const path = whole.replace(/\?.*$/, "");
    let document: Document | undefined;
    if (parseUri(target)?.scheme === "architecture") {
      const { documents } = catalogue.find(target);
      if (documents.length === 0) yield dead("which is not served");
      else if (documents.length > 1) {
        yield dead(`which names ${documents.map(({ label }) => label).join(" and ")}`);
      } else document = documents[0];
    } else if (target.startsWith("#")) document = from;
    else if (/\.md$/i.test(path) && !/^(?:[a-z][a-z0-9+.-]*:|\/)/i.test(path)) {
      const key = followPath(from.key, path) ?? "";
      document = catalogue.get(key);
      const category = key.includes("/") ? decode(key.slice(0, key.indexOf("/"))) : "";
      const folder = folders.get(category);
      // A folder that is mounted in the place of another makes no link wrong.
      if (!document && (category === from.category || folder === from.within)) {
        yield dead("which is not served");
      } else if (!document && folder === undefined) {
        yield found(
          "link-leaves",
          from,
          `The link leads to ${target}, out of the folders that are served`,
          line,
        );
      }
    }
    const known = document && anchors.get(document.key);
    const fragment = decode(encoded);
    if (!known || HOST_FRAGMENT.test(fragment) || known.has(fragment)) continue;
    const message = `The link leads to ${target}, and ${document!.label} has no such section`;
    yield found("link-section-dead", from, message, line);
  }
}

function* checkNumbers({ catalogue }: Corpus): Generator<Finding> {
  const owners = new Map<string, Document>();
  for (const document of catalogue.documents) {
    const { key, record } = document;
    if (record?.number === undefined) continue;
    const place = `${recordFolder(key)}/${record.number}`;
    const owner = owners.get(place);
    if (!owner) owners.set(place, document);
    else {
      const uri = toUri(place, "architecture");
      const message = `The number ${record.number} is also that of ${owner.label}, so ${uri} names neither`;
      yield found("adr-number-duplicate", document, message);
    }
  }
}

interface Pair {
  readonly newer: Document;
  readonly older: Document;
}

function* checkRelations({ catalogue, relations }: Corpus): Generator<Finding> {
  /** What is stated, by the keys of both records. */
  const stated = { "supersedes": new Map<string, Pair>(), "superseded-by": new Map<string, Pair>() };
  for (const { from, kind, reference, line } of relations) {
    const target = catalogue.resolve(from, reference);
    if (target) {
      const pair = kind === "supersedes" ? { newer: from, older: target } : { newer: target, older: from };
      stated[kind].set(`${pair.newer.key} ${pair.older.key}`, pair);
    } else if (!/^(?!architecture:)[a-z][a-z0-9+.-]*:/i.test(reference)) {
      const said = kind === "supersedes" ? "supersedes" : "is superseded by";
      const message =
        `The record says that it ${said} "${reference}", and no single record here has that name`;
      // A reference out of the category may lead somewhere, and mere words may be meant as such.
      const isSure = isReference(reference) && isInCategory(from, reference);
      yield found("adr-reference-dangling", from, message, line, isSure ? "error" : "warning");
    }
  }
  const number = ({ record, name }: Document): number | string => record?.number ?? name;
  for (const [pair, { newer, older }] of stated["supersedes"]) {
    if (stated["superseded-by"].has(pair)) continue;
    const message = `${newer.label} says that it supersedes this record, which lacks "superseded-by: ${
      number(newer)
    }"`;
    yield found("adr-supersedes-one-sided", older, message);
  }
  for (const [pair, { newer, older }] of stated["superseded-by"]) {
    if (stated["supersedes"].has(pair)) continue;
    const message = `${older.label} says that this record supersedes it, which lacks "supersedes: ${
      number(older)
    }"`;
    yield found("adr-supersedes-one-sided", newer, message);
  }
  yield* checkCircles([...new Map([...stated["supersedes"], ...stated["superseded-by"]]).values()]);
}

function isInCategory({ key }: Document, reference: string): boolean {
  const target = /^architecture:/i.test(reference) ? key : followPath(key, reference.replace(/[?#].*$/, ""));
  return target?.startsWith(key.slice(0, key.indexOf("/") + 1)) ?? false;
}

/** Finds records that supersede each other, depth first; each document is entered once. */
function* checkCircles(pairs: readonly Pair[]): Generator<Finding> {
  const successors = Map.groupBy(pairs, ({ older }) => older);
  const done = new Set<Document>();
  for (const start of successors.keys()) {
    const path: { document: Document; rest: Pair[] }[] = [];
    const onPath = new Set<Document>();
    const enter = (document: Document): void => {
      if (done.has(document)) return;
      path.push({ document, rest: [...successors.get(document) ?? []] });
      onPath.add(document);
      done.add(document);
    };
    enter(start);
    for (let step = path.at(-1); step; step = path.at(-1)) {
      const { document, rest } = step;
      const next = rest.pop()?.newer;
      if (!next) onPath.delete(path.pop()!.document);
      else if (!onPath.has(next)) enter(next);
      else {
        const message = next === document
          ? "The record says that it supersedes itself"
          : `The record and ${document.label} supersede each other, directly or through others`;
        yield found("adr-supersedes-circle", next, message);
      }
    }
  }
}
