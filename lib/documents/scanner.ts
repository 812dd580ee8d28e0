/** Finds the markdown files of all categories. */

import type { DocumentFile } from "./document.ts";
import type { DocumentOptions } from "./options.ts";
import type { DirectoryEntry, FileStatus, FileSystem } from "../platform/platform.ts";
import type { ReportProblem } from "./finding.ts";
import type { FoundFile } from "./file.ts";
import { attempt, compare } from "../base/text.ts";
import { isGone, isHidden, isHiddenIn, isInside, MAX_DOCUMENT_BYTES } from "./files.ts";
import { isFolderPage } from "./records/name.ts";
import { toKey } from "./uri.ts";

/** The maximum depth of folders that are scanned; real ones are three or four deep. */
export const MAX_FOLDER_DEPTH = 32;
/** The maximum number of documents that are served. */
export const MAX_DOCUMENTS = 100_000;
/** A file with more fields of the record that is the page of its folder, as in the proposals of Kubernetes. */
export const RECORD_FIELDS = "kep.yaml";

/** The endings of markdown. MDX is served as the text that it is. */
const ENDING = /\.(?:md|markdown|mdx)$/i;
/** The endings of other documents. */
const OTHER_ENDING = /(?:^|\/)[^/]*\d[^/]*\.(?:adoc|asciidoc|rst|txt)$/i;

/** A folder that is scanned: `resources/` of a root, a category, or a folder in one. */
interface Folder extends Pick<FoundFile, "path" | "within"> {
  /** Its segments in URIs: the category first; empty for `resources/`. */
  readonly segments: readonly string[];
  /** Whether a link led here from within its category. */
  readonly isLinked: boolean;
}

/**
 * Yields each listed folder and each file once; returns the names of the categories. Links that stay inside are followed, except
 * from within another link or to a parent folder. A file has its own name, else the name of the first link to it.
 */
export function* scanDocuments(
  files: FileSystem,
  { root, mounts = [] }: Pick<DocumentOptions, "root" | "mounts">,
  report: ReportProblem,
): Generator<string | DocumentFile, readonly string[]> {
  /** The files that were yielded: by identity, or those reached through links by category and identity. */
  const listed = new Set<string>();
  /** The files reached through links, which are yielded last. */
  const linked: DocumentFile[] = [];
  const reportUnreadable = (path: string, label: string) => {
    if (!isGone(files, path)) report({ rule: "unreadable", file: label });
  };
  const realFolder = (label: string, path: string) => {
    const real = attempt(() => files.realPath(path));
    if (real !== undefined && attempt(() => files.status(real).kind) === "directory") return real;
    report({ rule: "folder-missing", file: label });
    return undefined;
  };
  /** The folders to scan, the next one at the end. */
  const folders: Folder[] = mounts.flatMap(({ name, path }) => {
    const within = realFolder(name, path);
    return within === undefined ? [] : { path: within, segments: name.split("/"), within, isLinked: false };
  }).reverse();
  const categories = new Set(folders.flatMap(({ segments: [category] }) => category ?? []));
  const within = root === undefined ? undefined : realFolder("resources", root);
  if (within !== undefined) {
    yield within;
    const path = `${within}/resources`;
    const real = attempt(() => files.realPath(path)) ?? within;
    if (isInside(real, within, files.separator)) {
      folders.push({ path, segments: [], within, isLinked: false });
    } else report({ rule: "link-leads-out", file: "resources" });
  }
  /** The number of files with endings that are not served, by category. */
  const others = new Map<string, number>();
  let count = 0;
  scan:
  for (let folder = folders.pop(); folder; folder = folders.pop()) {
    const { path: parent, segments: names, within, isLinked } = folder, [category] = names;
    const isTop = category === undefined;
    const entries = attempt(() => files.list(parent))?.filter(({ name }) => !isHidden(name))
      .sort((one, other) => compare(one.name, other.name));
    if (entries) yield parent;
    else if (isTop) report({ rule: "folder-missing", file: "resources" });
    else reportUnreadable(parent, names.join("/"));
    const inner: Folder[] = [];
    for (const entry of entries ?? []) {
      const path = `${parent}/${entry.name}`;
      const segments = [...names, entry.name];
      const label = segments.join("/");
      const isLink = entry.kind === "link" && !isTop, isMarkdown = ENDING.test(label);
      const kind = kindOf(files, entry, path, within);
      if (kind === "unreadable") report({ rule: kind, file: label });
      else if (kind === "directory") {
        const isMounted = mounts.some(({ name }) => name === label);
        if (isMounted || (isLink && (isLinked || leadsUp(files, path, parent)))) continue;
        if (segments.length > MAX_FOLDER_DEPTH) report({ rule: "folder-too-deep", file: label });
        else {
          if (isTop) categories.add(entry.name);
          inner.push({ path, segments, within, isLinked: isLinked || isLink });
        }
      } else if (kind === "outside") {
        // A file that is not markdown is never served. Anything else may contain documents.
        const isOtherFile = !isMarkdown && attempt(() => files.status(path).kind) === "file";
        if (!isOtherFile) report({ rule: "link-leads-out", file: label });
      } else if (kind === "file" && !isMarkdown && category !== undefined && OTHER_ENDING.test(label)) {
        others.set(category, (others.get(category) ?? 0) + 1);
      } else if (kind === "file" && isMarkdown) {
        const status = isTop ? undefined : attempt(() => files.status(path));
        if (isTop) report({ rule: "file-outside-category", file: label });
        else if (!status) reportUnreadable(path, label);
        else if (status.size > MAX_DOCUMENT_BYTES) report({ rule: "document-too-large", file: label });
        else if (++count > MAX_DOCUMENTS) {
          report({ rule: "too-many-documents", file: category! });
          break scan;
        } else {
          const name = entry.name.replace(ENDING, "").normalize("NFC").toWellFormed();
          const sibling = isFolderPage(name)
            ? attempt(() => files.status(`${parent}/${RECORD_FIELDS}`))
            : undefined;
          const key = toKey([...names, name]);
          const file = { key, category: category!, name, label, path, within, status, sibling };
          if (isLinked || isLink) linked.push(file);
          else {
            listed.add(status.identity);
            yield file;
          }
        }
      }
    }
    folders.push(...inner.reverse());
  }
  for (const [file, count] of others) {
    const [files, are] = count === 1 ? ["file", "is"] : ["files", "are"];
    const message = `${count} ${files} with the ending .adoc, .rst or .txt ${are} not served`;
    report({ rule: "ending-not-served", file, message });
  }
  for (const file of linked) {
    const { identity } = file.status!;
    const link = `${file.category}/${identity}`;
    if (!listed.has(identity) && !listed.has(link)) yield file;
    listed.add(link);
  }
  return [...categories];
}

/** The kind of an entry, after following links; "outside" when a link leads out of `within`. */
export function kindOf(
  files: FileSystem,
  { kind }: DirectoryEntry,
  path: string,
  within: string,
): FileStatus["kind"] | "outside" | "unreadable" {
  if (kind !== "link") return kind;
  return attempt(() => {
    const real = files.realPath(path);
    if (!isInside(real, within, files.separator)) return "outside";
    return isHiddenIn(real, within, files.separator) ? "other" : files.status(real).kind;
  }) ?? "unreadable";
}

/** Whether a link leads to the folder that contains it, or to a parent of that. */
function leadsUp(files: FileSystem, link: string, folder: string): boolean {
  return attempt(() => isInside(files.realPath(folder), files.realPath(link), files.separator)) ?? false;
}
