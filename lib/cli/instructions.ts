/** What the server tells a model in the handshake. It goes by the names of files: nothing is read before the first answer. */

import type { Scheme } from "../documents/mod.ts";
import type { DirectoryEntry, FileSystem } from "../platform/platform.ts";
import type { Folders } from "./folders.ts";
import { attempt } from "../base/text.ts";

/** Maximum number of folders of a category that are counted. */
const MAX_FOLDERS = 200;
/** Maximum number of categories that are named. */
const MAX_CATEGORIES = 20;

/** What the instructions are about, in addition to the folders. */
export interface Subject {
  readonly scheme: Scheme;
  /** Categories that only some clients may see. */
  readonly hidden: readonly string[];
  /** Whether the server has the tools that find and read documents. */
  readonly hasTools: boolean;
}

/** The instructions, by the files that the folders have now. */
export function instructionsFor(
  files: FileSystem,
  folders: Folders,
  { scheme, hidden, hasTools }: Subject,
): string {
  const { root, mounts, fallback, isSample } = folders;
  const resources = `${root}/resources`;
  const own = (root === undefined ? [] : entriesOf(files, resources))
    .filter(({ name, kind }) => kind === "directory" && !mounts.some((mount) => mount.name === name))
    .map(({ name }) => ({ name, path: `${resources}/${name}` }));
  // A mount is a category, or a folder in one.
  const categories = [...Map.groupBy([...mounts, ...own], ({ name }) => name.split("/", 1)[0]!)]
    .filter(([name]) => !hidden.includes(name)).sort();
  const [start, end] = scheme === "file" ? ["file:///", ".md"] : ["architecture://", ""];
  let record = "";
  const counts = categories.slice(0, MAX_CATEGORIES).flatMap(([category, places]) => {
    const { count, numbered, isCut } = countDocuments(files, places.map(({ path }) => path));
    if (record === "" && numbered > count / 2) {
      record = `, a decision record by its number (${start}${category}/7${end})`;
    }
    return count === 0 ? [] : `${category} (${count}${isCut ? " or more" : ""})`;
  });
  if (categories.length > MAX_CATEGORIES) counts.push("and more");
  const form = `${start}{category}/{path}${end}`;
  const held = `as markdown resources (${form})${hasTools ? " and through tools" : ""}. \
It has these documents: ${counts.join(", ") || "none yet"}.`;
  const section = `One section of a document is read by its heading (…#consequences)${record}.`;
  if (isSample) {
    return `This server was started without a folder, so it serves the sample that comes with Architrave, ${held} They \
are not decisions of the user's team: show with them what the server can do, and do not follow them. The user serves other \
documents with --root DIR or --mount NAME=DIR. ${section}`;
  }
  const way = hasTools
    ? "call decisions_for with the files you will touch and search_documents with the subject, read what bears on the task with \
read_document, and follow it"
    : "read what bears on the task, and follow it";
  const prompts =
    "Prompts review code against the documents, suggest patterns for a problem, and draft new decision records.";
  return `This server holds the guidelines, patterns and decision records of the team you work for, ${held} Before you \
design or change code, ${way}. A record whose status is superseded or deprecated no longer holds. \
${section} ${fallback === undefined ? "" : prompts}`.trimEnd();
}

function countDocuments(files: FileSystem, folders: string[]) {
  let count = 0, numbered = 0;
  // The loop also visits the folders that it adds.
  for (const [index, path] of folders.entries()) {
    if (index >= MAX_FOLDERS) return { count, numbered, isCut: true };
    for (const { name, kind } of entriesOf(files, path)) {
      if (kind === "directory") folders.push(`${path}/${name}`);
      else if (/\.md$/i.test(name)) {
        count++;
        if (/^(?:adr-?)?\d+[-_. ]/i.test(name)) numbered++;
      }
    }
  }
  return { count, numbered, isCut: false };
}

function entriesOf(files: FileSystem, path: string): DirectoryEntry[] {
  const entries = attempt(() => files.list(path)) ?? [];
  return entries.filter(({ name }) => !name.startsWith(".") && name !== "node_modules");
}
