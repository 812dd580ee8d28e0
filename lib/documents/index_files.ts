/**
 * How does a folder become a catalogue? Every file is found, read once for what it says of itself, and described. The
 * same function serves the first look and every later one: a file that did not change since the last picture keeps
 * its description and is not read again.
 */

import type { FileStatus, FileSystem } from "../../deps.ts";
import type { Document } from "./catalogue.ts";
import type { Finding } from "./finding.ts";
import type { ReadFile } from "./contain.ts";
import type { Category, FoundFile } from "./scan.ts";
import type { Look } from "./watch.ts";
import { Catalogue } from "./catalogue.ts";
import { isUnchanged, readInside } from "./contain.ts";
import { describe } from "./describe.ts";
import { fingerprint } from "./fingerprint.ts";
import { recordName } from "./record_name.ts";
import { findCategories, MAX_DOCUMENT_BYTES, MAX_DOCUMENTS, scan } from "./scan.ts";
import { statusOf } from "./unsettled.ts";

/** The category whose documents are decision records. */
export const RECORD_CATEGORY = "adr";

/** One more folder of markdown, served as a category; it takes the place of a folder of that name in the root. */
export interface Mount {
  /** The category, as it stands in URIs: "adr". */
  readonly name: string;
  /** Where the folder is; a relative path starts at the working directory. */
  readonly path: string;
}

/** Where the documents are. */
export interface Shelves {
  /** A folder with `resources/` in it. */
  readonly root?: string | undefined;
  /** More folders, each a category of its own. @default {none} */
  readonly mounts?: readonly Mount[];
}

/** What the looks before this one left behind. */
export interface Previous {
  readonly catalogue: Catalogue;
  /** Whether a file that is not what it was is being written just now; it may even be gone for a moment. */
  isBeingWritten(path: string, before: FileStatus | undefined, now: FileStatus | undefined): boolean;
  /** Whether the last good text of a document is still at hand. */
  isKept(document: Document): boolean;
  /** Takes the text of a document that has changed. */
  take(document: Document, text: string): void;
}

/** What a look found. */
export interface Indexed extends Look {
  readonly catalogue: Catalogue;
}

/** Builds the catalogue, one file a step. */
export function* indexFiles(
  files: FileSystem,
  shelves: Shelves,
  previous: Previous | undefined,
): Generator<void, Indexed> {
  const findings: Finding[] = [];
  const report = (finding: Finding) => void findings.push(finding);
  const folders = new Set<string>();
  const categories = allCategories(files, shelves, folders, report);
  const documents = new Map<string, Document>();
  const passedOver = new Set<string>();
  for (const found of scanAll(files, categories, report)) {
    yield;
    if (typeof found === "string") {
      folders.add(found);
      continue;
    }
    if (documents.size === MAX_DOCUMENTS) {
      report(tooMany(found.category));
      break;
    }
    const twin = documents.get(found.key);
    if (twin) {
      report(sameUri(found.label, twin.label));
      continue;
    }
    const known = knownAs(found, previous);
    const now = describeNow(files, found, known, previous, report);
    if (now === "unsettled") passedOver.add(found.label);
    const document = now === "unsettled" ? known : now;
    if (document) documents.set(found.key, document);
  }
  for (const document of previous?.catalogue.documents ?? []) {
    if (documents.has(document.key)) continue;
    yield;
    if (!previous?.isBeingWritten(document.path, document.status, undefined)) continue;
    passedOver.add(document.label);
    documents.set(document.key, document);
  }
  return {
    catalogue: new Catalogue(
      documents.values(),
      categories.map(({ name }) => name),
      findings.filter(({ file, rule }) => rule !== "unreadable" || !passedOver.has(file)),
    ),
    folders,
    isSettled: passedOver.size === 0,
  };
}

function* scanAll(
  files: FileSystem,
  categories: readonly Category[],
  report: (finding: Finding) => void,
): Generator<FoundFile | string> {
  for (const category of categories) yield* scan(files, category, report);
}

function allCategories(
  files: FileSystem,
  shelves: Shelves,
  folders: Set<string>,
  report: (finding: Finding) => void,
): Category[] {
  const mounts = (shelves.mounts ?? []).flatMap(({ name, path }) => {
    const within = realPathOf(files, path);
    if (within === undefined) report(missingFolder(name));
    return within === undefined ? [] : [{ name, path: within, within }];
  });
  const taken = new Set(shelves.mounts?.map(({ name }) => name));
  if (shelves.root === undefined) return mounts;
  const within = realPathOf(files, shelves.root);
  if (within === undefined) {
    report(missingFolder("resources"));
    return mounts;
  }
  folders.add(within);
  try {
    const own = findCategories(files, `${within}/resources`, within, report);
    folders.add(`${within}/resources`);
    return [...own.filter(({ name }) => !taken.has(name)), ...mounts];
  } catch {
    report(missingFolder("resources"));
    return mounts;
  }
}

/** What was known of a file that lies where it lay. */
function knownAs(found: FoundFile, previous: Previous | undefined): Document | undefined {
  const known = previous?.catalogue.get(found.key);
  return known?.path === found.path ? known : undefined;
}

/** What a file says of itself now, which is what it said before when nothing happened to it. */
function describeNow(
  files: FileSystem,
  found: FoundFile,
  known: Document | undefined,
  previous: Previous | undefined,
  report: (finding: Finding) => void,
): Document | "unsettled" | undefined {
  if (known && isUnchanged(known.status, found.status)) return known;
  const isBeingWritten = (now: FileStatus | undefined) =>
    previous?.isBeingWritten(found.path, known?.status, now);
  if (isBeingWritten(found.status)) return "unsettled";
  const file = readInside(files, found.path, found.within, MAX_DOCUMENT_BYTES, found.status);
  const isAsFound = file?.bytes.length === found.status.size;
  if (!isAsFound && isBeingWritten(statusOf(files, found.path))) return "unsettled";
  return describeFile(found, file, known, previous, report);
}

/** What a file says of itself; what it said last when it is no text any more. */
function describeFile(
  found: FoundFile,
  file: ReadFile | undefined,
  known: Document | undefined,
  previous: Previous | undefined,
  report: (finding: Finding) => void,
): Document | undefined {
  if (!file) return void report(unreadable(found.label));
  const text = decodeDocument(file.bytes);
  if (text === undefined) {
    const lastGood = known && previous?.isKept(known) ? known : undefined;
    report(notText(found.label, lastGood !== undefined));
    return lastGood;
  }
  const isRecord = found.category === RECORD_CATEGORY;
  const name = isRecord ? recordName(found.label) : found.name;
  const { title, description, record, tags, appliesTo, frontMatter } = describe(text, toName(name), isRecord);
  for (const { line, reason } of frontMatter.problems) report(oddFrontMatter(found.label, line, reason));
  const document: Document = Object.freeze({
    key: found.key,
    category: found.category,
    name: toName(found.name),
    title,
    description,
    record,
    tags: Object.freeze(tags),
    appliesTo: Object.freeze(appliesTo),
    label: found.label,
    status: file.status,
    fingerprint: fingerprint(file.bytes),
    path: found.path,
    within: found.within,
  });
  previous?.take(document, text);
  return document;
}

/** A file name as a text that every client can take. */
function toName(name: string): string {
  return name.normalize("NFC").toWellFormed();
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The text of a document without its byte order mark, or undefined when the bytes are no text. */
export function decodeDocument(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    if (cause instanceof TypeError) return undefined;
    throw cause;
  }
}

function realPathOf(files: FileSystem, path: string): string | undefined {
  try {
    const real = files.realPath(path);
    return files.status(real).kind === "directory" ? real : undefined;
  } catch {
    return undefined;
  }
}

function unreadable(file: string): Finding {
  return {
    file,
    severity: "error",
    rule: "unreadable",
    message: "The file cannot be read and is not served",
    help: "Check its permissions and the paths that the sandbox allows.",
  };
}

function notText(file: string, isKept: boolean): Finding {
  return {
    file,
    severity: "error",
    rule: "not-text",
    message: `The file is not UTF-8 text and ${isKept ? "what it was before is served" : "is not served"}`,
    help: "Save it as UTF-8, or give it another ending than .md.",
  };
}

function oddFrontMatter(file: string, line: number, reason: string): Finding {
  return {
    file,
    line,
    severity: "warning",
    rule: "front-matter",
    message: `The front matter cannot be read here: ${reason}`,
    help: 'Write "key: value", "key: [a, b]" or a list of "- item" lines between two lines of ---.',
  };
}

function sameUri(file: string, other: string): Finding {
  return {
    file,
    severity: "error",
    rule: "uri-duplicate",
    message: `The file has the same URI as ${other} and is not served`,
    help: "Rename one of the two.",
  };
}

function missingFolder(name: string): Finding {
  return {
    file: name,
    severity: "error",
    rule: "folder-missing",
    message: "The folder is not there or cannot be read",
    help: "Check the path that --root or --mount names, and the paths that the sandbox allows.",
  };
}

function tooMany(category: string): Finding {
  return {
    file: category,
    severity: "error",
    rule: "too-many-documents",
    message: `The shelf has more than ${MAX_DOCUMENTS} documents; the rest is not served`,
    help: "Mount a folder of documents, not a whole disk.",
  };
}
