/** Finds the markdown files of all categories. */

import type { DirectoryEntry, FileStatus, FileSystem } from "../../deps.ts";
import type { Finding, FoundFile, Report, Severity } from "./folder_store.ts";
import { compact } from "../base/json.ts";
import { attempt, isHidden, isHiddenIn, isInside } from "./files.ts";
import { isFolderPage } from "./metadata.ts";
import { toKey } from "./uri.ts";

/** The deepest folder that is scanned; real ones are three or four deep. */
export const MAX_FOLDER_DEPTH = 32;
/** The most documents that are served. */
const MAX_DOCUMENTS = 100_000;
/** The file that states more of the record that is the page of a folder, as in the proposals of Kubernetes. */
export const BESIDE = "kep.yaml";
/** The largest document, in bytes: every reader must hold it. */
export const MAX_DOCUMENT_BYTES: number = 10 * 1024 * 1024;

/** A folder of markdown that is served as a category, in place of a folder of that name in the root. */
export interface Mount {
  /** The category, as it stands in URIs: "adr"; or a folder in one: "billing/adr". */
  readonly name: string;
  /** Where the folder is; a relative path starts at the working directory. */
  readonly path: string;
}

/** Where the documents are. */
export interface DocumentFolders {
  /** A folder with `resources/` in it; each folder in there is a category. */
  readonly root?: string | undefined;
  /** More folders, each as a category. @default {none} */
  readonly mounts?: readonly Mount[];
  /** The categories, or folders in one, that hold decision records without looking like it. @default {"adr"} */
  readonly records?: readonly string[];
}

/** A markdown file, with the parts of its URI. */
export interface DocumentFile extends FoundFile {
  /** The category and path of its URI: "adr/007-use-x". */
  readonly key: string;
  /** The folder that it is listed under: "adr". */
  readonly category: string;
  /** The file name without its ending, as well-formed Unicode in normal form C. */
  readonly name: string;
}

/** What can be wrong with a file: by rule, how to fix it, and the message where there is only one. */
const PROBLEMS: Readonly<Record<string, readonly [help: string, message?: string]>> = {
  "document-too-large": [
    "Split it into several documents.",
    `The document is larger than ${MAX_DOCUMENT_BYTES} bytes and is not served`,
  ],
  "file-outside-category": [
    "Move it into a folder such as guidelines/, patterns/ or adr/.",
    "The file stands directly under resources/, so it belongs to no category and is not served",
  ],
  "folder-missing": [
    "Check the path that --root or --mount names.",
    "The folder is not there or cannot be read",
  ],
  "folder-too-deep": [
    "Move it up, or serve it with --mount NAME=DIR.",
    `The folder is more than ${MAX_FOLDER_DEPTH} folders deep and is not scanned`,
  ],
  "front-matter": ['Write "key: value", "key: [a, b]" or a list of "- item" lines between two lines of ---.'],
  "invisible-characters": ["Remove them: an assistant reads what no reviewer saw."],
  "link-leads-out": [
    "Serve the folder that it leads to with --mount NAME=DIR, or copy the file.",
    "The link leads out of the root and is not followed",
  ],
  "not-text": [
    "Save it as UTF-8, or give it another ending than .md.",
    "The file is not UTF-8 text and is not served",
  ],
  "prompt-definition": ["Fix the file; the guideline writing-prompts has the format."],
  "prompt-document-missing": ["Fix the URI, or use a pattern with * where the document may be missing."],
  "prompt-duplicate": ["Give one of the two another name."],
  "prompt-glob-empty": ["Fix the pattern, or write a document that it matches."],
  "prompt-key-unknown": ["Correct the name or remove it; the guideline writing-prompts has the format."],
  "prompt-over-limit": [
    "Embed single documents or sections in place of a whole category, or make several prompts.",
  ],
  "records-missing": [
    "Check the name that --records gives; it is that of a category, or of a folder in one.",
    "There is no folder of that name that could hold decision records",
  ],
  "skill-invalid": [
    "Put SKILL.md into a folder of skills/, and begin it with front matter that has the folder's name and a description.",
  ],
  "skill-name": [
    "Rename it: a skill's folder has 1 to 64 lower-case letters, digits and single dashes, and no name has control characters.",
  ],
  "skill-too-large": [
    "Hosts load at most 512 files and 16 MiB of a skill: keep what it does not need elsewhere.",
  ],
  "too-many-documents": [
    "Mount a folder of documents, not a whole disk.",
    `There are more than ${MAX_DOCUMENTS} documents; the rest is not served`,
  ],
  "unreadable": ["Check its permissions, and where its links lead.", "The file or folder cannot be read"],
  "uri-duplicate": ["Rename one of the two."],
};
const WARNINGS: readonly string[] = (
  "file-outside-category front-matter invisible-characters prompt-glob-empty prompt-key-unknown records-missing"
).split(" ");

/** The names of all rules for files, served or not. */
export const FILE_RULES: readonly string[] = Object.keys(PROBLEMS);

export function problem(rule: string, file: string, message?: string, line?: number): Finding {
  const [help, usual = ""] = PROBLEMS[rule]!;
  const severity: Severity = WARNINGS.includes(rule) ? "warning" : "error";
  return compact({ file, line, severity, rule, message: message ?? usual, help });
}

/** A folder that is scanned: `resources/` of a root, a category, or a folder in one. */
interface Folder {
  readonly path: string;
  /** Its name as part of URIs: the category first; empty for `resources/`. */
  readonly segments: readonly string[];
  /** The real path that the files must lie in. */
  readonly within: string;
  /** Whether a link led here from within its category. */
  readonly isLinked: boolean;
}

/**
 * Yields each folder that was listed, and each file, once; returns the names of the categories. Links that stay inside are followed
 * once: not from within a link, and not to a folder above them. A file has its own name, or else that of the first link to it.
 */
export function* scanDocuments(
  files: FileSystem,
  { root, mounts = [] }: DocumentFolders,
  report: Report,
): Generator<string | DocumentFile, readonly string[]> {
  /** The folders to scan, the next one last. */
  const folders: Folder[] = [];
  const categories = new Set<string>();
  /** The files that no link leads to, by identity; and those behind links, which are listed last. */
  const listed = new Set<string>();
  const linked: DocumentFile[] = [];
  const push = (found: readonly Folder[]): void => {
    folders.push(...found.toReversed());
    for (const { segments: [category] } of found) if (category !== undefined) categories.add(category);
  };
  const realFolder = (label: string, path: string): string | undefined => {
    const real = attempt(() => files.realPath(path));
    if (real !== undefined && attempt(() => files.status(real).kind) === "directory") return real;
    report(problem("folder-missing", label));
    return undefined;
  };
  push(mounts.flatMap(({ name, path }) => {
    const within = realFolder(name, path);
    return within === undefined ? [] : { path: within, segments: name.split("/"), within, isLinked: false };
  }));
  const within = root === undefined ? undefined : realFolder("resources", root);
  if (within !== undefined) {
    yield within;
    const path = `${within}/resources`;
    const real = attempt(() => files.realPath(path)) ?? within;
    if (isInside(real, within, files.separator)) push([{ path, segments: [], within, isLinked: false }]);
    else report(problem("link-leads-out", "resources"));
  }
  let count = 0;
  scan:
  for (let folder = folders.pop(); folder; folder = folders.pop()) {
    const { path: parent, segments: names, within, isLinked } = folder;
    const isTop = names.length === 0;
    const entries = attempt(() => files.list(parent))?.filter(({ name }) => !isHidden(name))
      .sort((a, b) => a.name < b.name ? -1 : 1);
    if (entries) yield parent;
    else report(isTop ? problem("folder-missing", "resources") : problem("unreadable", names.join("/")));
    const inner: Folder[] = [];
    const hasBeside = entries?.some(({ name }) => name === BESIDE) ?? false;
    for (const entry of entries ?? []) {
      const path = `${parent}/${entry.name}`;
      const segments = [...names, entry.name];
      const label = segments.join("/");
      const isLink = entry.kind === "link" && !isTop;
      const kind = kindOf(files, entry, path, within);
      if (kind === "unreadable") report(problem(kind, label));
      else if (kind === "directory") {
        const isMounted = mounts.some(({ name }) => name === label);
        if (isMounted || (isLink && (isLinked || leadsUp(files, path, parent)))) continue;
        if (segments.length > MAX_FOLDER_DEPTH) report(problem("folder-too-deep", label));
        else inner.push({ path, segments, within, isLinked: isLinked || isLink });
      } else if (kind === "outside") {
        // A link to a picture would not be served wherever it led; any other one might lead to documents.
        const isOtherFile = !isMarkdown(label) && attempt(() => files.status(path).kind) === "file";
        if (!isOtherFile) report(problem("link-leads-out", label));
      } else if (kind === "file" && isMarkdown(label)) {
        const status = isTop ? undefined : attempt(() => files.status(path));
        if (isTop) report(problem("file-outside-category", label));
        else if (!status) report(problem("unreadable", label));
        else if (status.size > MAX_DOCUMENT_BYTES) report(problem("document-too-large", label));
        else if (++count > MAX_DOCUMENTS) {
          report(problem("too-many-documents", names[0]!));
          break scan;
        } else {
          const name = entry.name.slice(0, -".md".length).normalize("NFC").toWellFormed();
          const beside = hasBeside && isFolderPage(name)
            ? attempt(() => files.status(`${parent}/${BESIDE}`))
            : undefined;
          const key = toKey([...names, name]);
          const file = compact({ key, category: names[0]!, name, label, path, within, status, beside });
          if (isLinked || isLink) linked.push(file);
          else {
            listed.add(status.identity);
            yield file;
          }
        }
      }
    }
    push(inner);
  }
  for (const file of linked) {
    const { identity } = file.status!;
    const link = `${file.category}/${identity}`;
    if (!listed.has(identity) && !listed.has(link)) yield file;
    listed.add(link);
  }
  return [...categories];
}

/** What an entry is, links followed; "outside" when a link leads out of `within`. */
export function kindOf(
  files: FileSystem,
  { kind }: DirectoryEntry,
  path: string,
  within: string,
): FileStatus["kind"] | "outside" | "unreadable" {
  if (kind !== "link") return kind;
  const real = attempt(() => files.realPath(path));
  if (real === undefined) return "unreadable";
  if (!isInside(real, within, files.separator)) return "outside";
  if (isHiddenIn(real, within, files.separator)) return "other";
  return attempt(() => files.status(real).kind) ?? "unreadable";
}

function leadsUp(files: FileSystem, link: string, folder: string): boolean {
  const [target, own] = [link, folder].map((path) => attempt(() => files.realPath(path)));
  return target !== undefined && own !== undefined && isInside(own, target, files.separator);
}

function isMarkdown(name: string): boolean {
  return /\.md$/i.test(name);
}
