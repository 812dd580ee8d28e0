/** The rules of `check` for documents. Each text is read once; links and relations are looked up afterwards. */

import type { Catalogue, Document } from "./catalogue.ts";
import type { Finding, Severity } from "./folder_store.ts";
import { compact } from "../base/json.ts";
import { findInvisible, quoted } from "../base/text.ts";
import { readLinks, readMarkdown, toLines } from "./markdown.ts";
import {
  isFolderPage,
  isReference,
  isStatus,
  MAX_DESCRIPTION,
  pageKind,
  recordDate,
  recordFolder,
  recordName,
} from "./metadata.ts";
import { decode, followPath, parseUri, toUri } from "./uri.ts";

/** Where the texts of documents come from; a `DocumentStore` that is ready. */
export interface TextSource {
  /** The documents to check. */
  readonly catalogue: Catalogue;
  /** The text of a document; undefined when it is gone. */
  text(document: Document): string | undefined;
}

/** How to fix what breaks a rule. */
const HELP: Readonly<Record<string, string>> = {
  "adr-file-name": "Name it NNN-kebab-case-title.md with the next free number, or move it elsewhere.",
  "adr-number-duplicate": "Give one of the two the next free number.",
  "adr-reference-dangling": "Write the number or the file name of the other record, or a link to it.",
  "adr-section-missing": "Write at least one sentence: decisions without it are hard to judge later.",
  "adr-status-missing": 'Write "status: accepted" in its front matter, or a section "## Status".',
  "adr-status-unknown": "Use proposed, accepted, rejected, deprecated or superseded.",
  "adr-supersedes-circle": "Decide which one is in force, and let the others name it as successor.",
  "adr-supersedes-one-sided": 'Write it in its front matter, or in a line under "## Status".',
  "applies-to-negated": "Write patterns for just the files that the document is about.",
  "applies-to-nested": "Write all alternatives in one pair of braces, or a pattern for each.",
  "byte-order-mark": "Save it as UTF-8 without one; other readers take it for text.",
  "description-long": "Say what the document decides in one short sentence.",
  "invisible-characters": "Remove or spell them out: an assistant reads what no reviewer saw.",
  "line-ends": "Save files with LF alone; in git, `*.md text eol=lf` in .gitattributes does it.",
  "link-dead": "Fix the link.",
  "link-leaves": "Link to its address on the web, or serve its folder with --mount NAME=DIR.",
  "link-section-dead": "Write the heading in lower case, hyphens for spaces, without other marks.",
  "title-missing": 'Begin it with a line "# Title", or write a title in its front matter.',
  "title-repeated": "Give the others the second level, or split the document.",
};
/** The rules whose breach is an error; of any other it is a warning. */
const ERRORS: ReadonlySet<string> = new Set(
  "adr-number-duplicate adr-reference-dangling adr-supersedes-circle link-dead link-section-dead".split(" "),
);

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
  readonly line: number;
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
  /** The folders in which records state a status; in others, it is not the custom. */
  readonly stating: ReadonlySet<string>;
}

/** Checks all documents that are served. Problems that keep a file from being served are in `catalogue.findings`. */
export function lint(source: TextSource): Finding[] {
  const { catalogue } = source;
  const stating = new Set(
    catalogue.documents.flatMap(({ key, record }) => record?.status ? recordFolder(key) : []),
  );
  const corpus: Corpus = { catalogue, links: [], relations: [], anchors: new Map(), windows: [], stating };
  const findings = catalogue.documents.flatMap((document) => {
    const text = source.text(document);
    // A file that is gone since it was listed is checked by the next run.
    return text === undefined ? [] : checkDocument(document, text, corpus);
  });
  const checks = [checkWindows, checkLinks, checkNumbers, checkRelations];
  return [...findings, ...checks.flatMap((check) => [...check(corpus)])];
}

/** Makes a finding; lines are counted from 1, and 0 is none. */
function found(
  rule: string,
  { label }: Document,
  message: string,
  line?: number,
  isError = ERRORS.has(rule),
): Finding {
  const severity: Severity = isError ? "error" : "warning";
  return compact({ file: label, line: line || undefined, severity, rule, message, help: HELP[rule]! });
}

/** What is wrong and in which line, if anything is. */
type Problem = false | readonly [message: string, line?: number];

/** Checks one document by itself, and adds what it says of others to the corpus. */
function checkDocument(document: Document, text: string, corpus: Corpus): Finding[] {
  const { lines, front, sections } = readMarkdown(text);
  const lineOf = (fits: (line: string) => boolean): number => lines.findIndex(fits) + 1;
  const titles = sections.filter(({ level, title }) => level === 1 && title !== "");
  const { length } = Array.from(front.values.get("description")?.join(", ") ?? "");
  const invisible = findInvisible(text);
  const isWindows = text.includes("\r\n") && !/[\r\n]/.test(text.replaceAll("\r\n", ""));
  const pattern = (form: RegExp, what: string): Problem => {
    const pattern = document.appliesTo.find((pattern) => form.test(pattern));
    if (pattern === undefined) return false;
    const line = lines.slice(0, front.bodyLine).findIndex((line) => line.includes(pattern)) + 1;
    return [`The pattern "${quoted(pattern, 100)}" ${what}`, line];
  };
  const kind = recordKind(document);
  const isRecord = kind === "record";
  const { status } = document.record ?? {};
  // The first heading is the title, which may contain the same words.
  const headings = sections.slice(sections[0]?.level === 1 ? 1 : 0);
  const missing = PARTS.filter(([, heading]) => !headings.some(({ title }) => heading.test(title)));
  const problems: Readonly<Record<string, Problem>> = {
    "title-missing": titles.length === 0 && !front.values.get("title")?.length &&
      [`The document has no title and is listed as "${document.title}"`],
    "title-repeated": titles.length > 1 && [
      `The document has ${titles.length} headings of the first level; only the first one is its title`,
      titles[1]!.line + 1,
    ],
    "description-long": length > MAX_DESCRIPTION && [
      `The description has ${length} characters and is cut after ${MAX_DESCRIPTION}`,
      lineOf((line) => /^description[ \t]*:/i.test(line)),
    ],
    // Nothing else is three bytes of the file and none of the text.
    "byte-order-mark": document.status.size === new TextEncoder().encode(text).length + 3 &&
      ["The file begins with a byte order mark, which is left out"],
    "invisible-characters": invisible !== undefined && [
      `The text has ${invisible.count} invisible characters, the first of them ${invisible.first}`,
      toLines(text.slice(0, invisible.index)).length,
    ],
    "line-ends": !isWindows && text.includes("\r") && ["The lines end in different ways"],
    "applies-to-negated": pattern(/^\s*!/, 'excludes no files: in a pattern, "!" is a character of a name'),
    "applies-to-nested": pattern(
      /\{[^{}]*\{[^{}]*\}/,
      "has braces within braces, which have no meaning there",
    ),
    "adr-file-name": kind === "unnumbered" && !isFolderPage(document.name) && [
      "The file name begins with neither a number nor a date, so the record cannot be asked for by its number",
    ],
    "adr-status-missing": isRecord && status === undefined &&
      (document.category === "adr" || corpus.stating.has(recordFolder(document.key))) &&
      ["The record does not say whether it is in force"],
    "adr-status-unknown": isRecord && status !== undefined && !isStatus(status) &&
      [`The status "${status}" is not a known one`, lineOf((line) => line.toLowerCase().includes(status))],
    "adr-section-missing": isRecord && missing.length > 0 &&
      [`The record has no section for its ${missing.map(([part]) => part).join(" and ")}`],
  };
  if (isWindows) corpus.windows.push(document);
  const { links, anchors } = readLinks(lines, front.bodyLine);
  corpus.anchors.set(document.key, new Set([...sections.map(({ slug }) => slug), ...anchors]));
  // What a template links to is an example.
  if (kind !== "template") {
    for (const link of links) corpus.links.push({ from: document, ...link });
    const stating = lines.map((line) => /supersed|replac/i.test(line) ? line : "");
    const { supersedes = [], supersededBy = [] } = document.record ?? {};
    for (const [kind, references] of [["supersedes", supersedes], ["superseded-by", supersededBy]] as const) {
      for (const reference of references) {
        const line = stating.findIndex((line) => line.includes(reference)) + 1;
        corpus.relations.push({ from: document, kind, reference, line });
      }
    }
  }
  return Object.entries(problems).flatMap(([rule, problem]) =>
    problem ? found(rule, document, ...problem) : []
  );
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

/** What a document is among records. */
function recordKind({ label, record }: Document): "record" | "unnumbered" | "template" | "page" {
  const hasPlace = record?.number !== undefined || recordDate(recordName(label)) !== undefined;
  return record ? pageKind(label) ?? (hasPlace ? "record" : "unnumbered") : "page";
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
    const broken = (rule: string, what: string): Finding =>
      found(rule, from, `The link leads to ${target}, ${what}`, line);
    const [whole = "", encoded = ""] = target.split(/#(.*)/s);
    const path = whole.replace(/\?.*$/, "");
    let document: Document | undefined;
    if (parseUri(target)?.scheme === "architecture") {
      const { documents } = catalogue.find(target);
      const names = documents.map(({ label }) => label).join(" and ");
      if (documents.length === 1) document = documents[0];
      else yield broken("link-dead", names === "" ? "which is not served" : `which names ${names}`);
    } else if (target.startsWith("#")) document = from;
    else if (/\.md$/i.test(path) && !/^(?:[a-z][a-z0-9+.-]*:|\/)/i.test(path)) {
      const key = followPath(from.key, path) ?? "";
      document = catalogue.get(key);
      const category = key.includes("/") ? decode(key.slice(0, key.indexOf("/"))) : "";
      const folder = folders.get(category);
      // A folder that is mounted in the place of another makes no link wrong.
      if (!document && (category === from.category || folder === from.within)) {
        yield broken("link-dead", "which is not served");
      } else if (!document && folder === undefined) {
        yield broken("link-leaves", "out of the folders that are served");
      }
    }
    const known = document && anchors.get(document.key);
    const fragment = decode(encoded);
    if (!known || HOST_FRAGMENT.test(fragment) || known.has(fragment)) continue;
    yield broken("link-section-dead", `and ${document!.label} has no such section`);
  }
}

function* checkNumbers({ catalogue }: Corpus): Generator<Finding> {
  for (const document of catalogue.documents) {
    const number = document.record?.number;
    const folder = recordFolder(document.key);
    const [owner = document] = catalogue.numbered(folder, number);
    if (owner === document) continue;
    const uri = toUri(`${folder}/${number}`, "architecture");
    const message = `The number ${number} is also that of ${owner.label}, so ${uri} names neither`;
    yield found("adr-number-duplicate", document, message);
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
      yield found("adr-reference-dangling", from, message, line, isSure);
    }
  }
  for (const [kind, other] of [["supersedes", "superseded-by"], ["superseded-by", "supersedes"]] as const) {
    for (const [pair, { newer, older }] of stated[kind]) {
      if (stated[other].has(pair)) continue;
      const [from, to, says] = kind === "supersedes"
        ? [newer, older, "it supersedes this record"]
        : [older, newer, "this record supersedes it"];
      const lacks = `${other}: ${from.record?.number ?? from.name}`;
      yield found("adr-supersedes-one-sided", to, `${from.label} says that ${says}, which lacks "${lacks}"`);
    }
  }
  yield* checkCircles([...new Map([...stated["supersedes"], ...stated["superseded-by"]]).values()]);
}

function isInCategory({ key }: Document, reference: string): boolean {
  const target = /^architecture:/i.test(reference) ? key : followPath(key, reference.replace(/[?#].*$/, ""));
  return target?.startsWith(key.slice(0, key.indexOf("/") + 1)) ?? false;
}

/** Finds records that supersede each other, depth first; each record is expanded once. */
function* checkCircles(pairs: readonly Pair[]): Generator<Finding> {
  const successors = Map.groupBy(pairs, ({ older }) => older);
  /** The records that were expanded: true while their successors are being followed. */
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
      yield found("adr-supersedes-circle", newer, message);
    }
  }
}
