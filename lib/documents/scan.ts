/**
 * Which files are there? Walks the folders of the shelf and finds the markdown files that may be served.
 *
 * Needs read permission for the folders. Nothing here throws for a single file: what cannot be served is passed over
 * and reported.
 */

import type { DirectoryEntry, FileStatus, FileSystem } from "../../deps.ts";
import type { Finding } from "./finding.ts";
import { isHiddenIn, isHiddenName, isInside } from "./contain.ts";
import { toKey } from "./uri.ts";

/** The deepest folder that is looked into; real shelves are three or four deep. */
export const MAX_FOLDER_DEPTH = 32;
/** The most documents that are served: past this, something other than a shelf was mounted. */
export const MAX_DOCUMENTS = 100_000;
/** The largest document, in bytes. No assistant can take in more, and every reader must hold it. */
export const MAX_DOCUMENT_BYTES: number = 10 * 1024 * 1024;

/** A folder whose files are served under one category. */
export interface Category {
  readonly name: string;
  /** Where the folder is. */
  readonly path: string;
  /** The real path that every served file of the category must lie in. */
  readonly within: string;
}

/** A file that may be served. */
export interface FoundFile {
  /** The key of its URI: "adr/007-use-x". */
  readonly key: string;
  readonly category: string;
  /** The file name without its ending. */
  readonly name: string;
  /** Where the file is, and what it must lie in. */
  readonly path: string;
  readonly within: string;
  /** The file as its owner knows it: "adr/007-use-x.md". */
  readonly label: string;
  readonly status: FileStatus;
}

/** Finds the categories of a root: each folder directly under `resources/`, which must lie in the root itself. */
export function findCategories(
  files: FileSystem,
  resources: string,
  within: string,
  report: (finding: Finding) => void,
): Category[] {
  if (!isInside(files.realPath(resources), within, files.separator)) {
    report(leadsOut("resources"));
    return [];
  }
  return files.list(resources).filter((entry) => !isHidden(entry)).toSorted(byName).flatMap((entry) => {
    const path = `${resources}/${entry.name}`;
    const kind = kindOf(files, entry, path, within);
    if (kind === "directory") return [{ name: entry.name, path, within }];
    if (kind === "file" && isMarkdown(entry.name)) report(outsideCategory(entry.name));
    if (kind === "outside") report(leadsOut(entry.name));
    return [];
  });
}

/**
 * Walks one category. A generator, so that whoever drives it can stop to answer a request: between two files, and after
 * each folder was opened, whose path it gives then.
 *
 * Links that stay inside are followed once: not from within another link, and not to a folder that holds them.
 */
export function* scan(
  files: FileSystem,
  category: Category,
  report: (finding: Finding) => void,
): Generator<FoundFile | string> {
  const folders: Folder[] = [{ path: category.path, segments: [category.name], linked: false }];
  for (let folder = folders.pop(); folder; folder = folders.pop()) {
    const label = folder.segments.join("/");
    const entries = attempt(() => files.list(folder!.path));
    if (entries) yield folder.path;
    else {
      report(unreadable(label));
      continue;
    }
    const inner: Folder[] = [];
    for (const entry of entries.toSorted(byName)) {
      if (isHidden(entry)) continue;
      const path = `${folder.path}/${entry.name}`;
      const segments = [...folder.segments, entry.name];
      const linked = folder.linked || entry.kind === "link";
      const kind = kindOf(files, entry, path, category.within);
      if (kind === "outside") reportOutside(files, path, segments, report);
      else if (kind === "unreadable") report(unreadable(segments.join("/")));
      else if (kind === "file" && isMarkdown(entry.name)) {
        const found = toFile(files, category, path, segments, report);
        if (found) yield found;
      } else if (kind === "directory") {
        const again = entry.kind === "link" && (folder.linked || holds(files, path, folder.path));
        if (again) continue;
        if (segments.length > MAX_FOLDER_DEPTH) report(tooDeep(segments.join("/")));
        else inner.push({ path, segments, linked });
      }
    }
    folders.push(...inner.reverse());
  }
}

interface Folder {
  readonly path: string;
  readonly segments: readonly string[];
  /** Whether a link led here. */
  readonly linked: boolean;
}

/** A link to a picture would not be served wherever it led; a link to who knows what might hold documents. */
function reportOutside(
  files: FileSystem,
  path: string,
  segments: readonly string[],
  report: (finding: Finding) => void,
): void {
  const isOtherFile = !isMarkdown(segments.at(-1)!) && attempt(() => files.status(path).kind) === "file";
  if (!isOtherFile) report(leadsOut(segments.join("/")));
}

function toFile(
  files: FileSystem,
  category: Category,
  path: string,
  segments: readonly string[],
  report: (finding: Finding) => void,
): FoundFile | undefined {
  const label = segments.join("/");
  const status = attempt(() => files.status(path));
  if (!status) return void report(unreadable(label));
  if (status.size > MAX_DOCUMENT_BYTES) return void report(tooLarge(label, status.size));
  const name = segments[segments.length - 1]!.slice(0, -".md".length);
  const key = toKey([...segments.slice(0, -1), name]);
  return { key, category: category.name, name, path, within: category.within, label, status };
}

/** What an entry is once its link, if it is one, is followed; "outside" when that leads out of `within`. */
function kindOf(
  files: FileSystem,
  entry: DirectoryEntry,
  path: string,
  within: string,
): "file" | "directory" | "other" | "outside" | "unreadable" {
  if (entry.kind !== "link") return entry.kind;
  const real = attempt(() => files.realPath(path));
  if (real === undefined) return "unreadable";
  if (!isInside(real, within, files.separator)) return "outside";
  // What is passed over under its own name is passed over under any.
  if (isHiddenIn(real, within, files.separator)) return "other";
  return attempt(() => files.status(real).kind) ?? "unreadable";
}

/** Whether a link leads to a folder that holds the link itself: a loop. */
function holds(files: FileSystem, link: string, folder: string): boolean {
  const target = attempt(() => files.realPath(link));
  const own = attempt(() => files.realPath(folder));
  return target !== undefined && own !== undefined && isInside(own, target, files.separator);
}

/** A file that vanishes or is forbidden is passed over; the reason is the runtime's and says nothing more. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function isHidden(entry: DirectoryEntry): boolean {
  return isHiddenName(entry.name);
}

function isMarkdown(name: string): boolean {
  return /\.md$/i.test(name);
}

function byName(left: DirectoryEntry, right: DirectoryEntry): number {
  return left.name < right.name ? -1 : left.name > right.name ? 1 : 0;
}

function outsideCategory(file: string): Finding {
  return {
    file,
    severity: "warning",
    rule: "file-outside-category",
    message: "The file stands directly under resources/, so it belongs to no category and is not served",
    help: "Move it into a folder such as guidelines/, patterns/ or adr/.",
  };
}

function leadsOut(file: string): Finding {
  return {
    file,
    severity: "error",
    rule: "link-leads-out",
    message: "The link leads out of the root and is not followed",
    help: "Serve the folder that it leads to with --mount NAME=DIR, or copy the file.",
  };
}

function tooDeep(file: string): Finding {
  return {
    file,
    severity: "error",
    rule: "folder-too-deep",
    message: `The folder is more than ${MAX_FOLDER_DEPTH} folders deep and is not looked into`,
    help: "Move it up, or serve it with --mount NAME=DIR.",
  };
}

function unreadable(file: string): Finding {
  return {
    file,
    severity: "error",
    rule: "unreadable",
    message: "The file or folder cannot be read",
    help: "Check its permissions, where its links lead, and the paths that the sandbox allows.",
  };
}

function tooLarge(file: string, size: number): Finding {
  return {
    file,
    severity: "error",
    rule: "document-too-large",
    message: `The document has ${size} bytes and is not served; the limit is ${MAX_DOCUMENT_BYTES}`,
    help: "Split it into several documents.",
  };
}
