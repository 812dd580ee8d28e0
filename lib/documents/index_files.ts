/**
 * How does a folder become a catalogue? Every file is found, read once for what it says of itself, and described. The
 * same function serves the first look and every later one: a file that did not change since the last picture keeps
 * its description and is not read again.
 */

import type { FileSystem } from "../../deps.ts";
import type { Document } from "./catalogue.ts";
import type { Finding } from "./finding.ts";
import type { Category, FoundFile } from "./scan.ts";
import { Catalogue } from "./catalogue.ts";
import { isUnchanged, readInside } from "./contain.ts";
import { describe } from "./describe.ts";
import { recordName } from "./record_name.ts";
import { findCategories, MAX_DOCUMENT_BYTES, MAX_DOCUMENTS, scan } from "./scan.ts";

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

/** Builds the catalogue, one file a step. */
export function* indexFiles(
  files: FileSystem,
  shelves: Shelves,
  previous: Catalogue | undefined,
): Generator<void, Catalogue> {
  const findings: Finding[] = [];
  const report = (finding: Finding) => void findings.push(finding);
  const categories = allCategories(files, shelves, report);
  const known = new Map(previous?.documents.map((document) => [document.key, document]));
  const documents = new Map<string, Document>();
  for (const category of categories) {
    for (const found of scan(files, category, report)) {
      yield;
      if (!found) continue;
      if (documents.size === MAX_DOCUMENTS) {
        report(tooMany(category.name));
        return new Catalogue(documents.values(), categories.map(({ name }) => name), findings);
      }
      const twin = documents.get(found.key);
      if (twin) report(sameUri(found.label, twin.label));
      else {
        const document = unchanged(known.get(found.key), found) ?? describeFile(files, found, report);
        if (document) documents.set(found.key, document);
      }
    }
  }
  return new Catalogue(documents.values(), categories.map(({ name }) => name), findings);
}

function allCategories(files: FileSystem, shelves: Shelves, report: (finding: Finding) => void): Category[] {
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
  try {
    const own = findCategories(files, `${within}/resources`, within, report);
    return [...own.filter(({ name }) => !taken.has(name)), ...mounts];
  } catch {
    report(missingFolder("resources"));
    return mounts;
  }
}

function unchanged(known: Document | undefined, found: FoundFile): Document | undefined {
  if (!known || known.path !== found.path) return undefined;
  return isUnchanged(known.status, found.status) ? known : undefined;
}

function describeFile(
  files: FileSystem,
  found: FoundFile,
  report: (finding: Finding) => void,
): Document | undefined {
  const file = readInside(files, found.path, found.within, MAX_DOCUMENT_BYTES, found.status);
  const text = file && decodeDocument(file.bytes);
  if (!file || text === undefined) return void report(file ? notText(found.label) : unreadable(found.label));
  const isRecord = found.category === RECORD_CATEGORY;
  const name = isRecord ? recordName(found.label) : found.name;
  const { title, description, record, frontMatter } = describe(text, toName(name), isRecord);
  for (const { line, reason } of frontMatter.problems) report(oddFrontMatter(found.label, line, reason));
  return Object.freeze({
    key: found.key,
    category: found.category,
    name: toName(found.name),
    title,
    description,
    record,
    label: found.label,
    status: file.status,
    path: found.path,
    within: found.within,
  });
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

function notText(file: string): Finding {
  return {
    file,
    severity: "error",
    rule: "not-text",
    message: "The file is not UTF-8 text and is not served",
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
