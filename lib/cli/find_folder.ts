/** Finds the folder of records of the project that a command runs in, when none is named. */

import type { FileSystem, Platform } from "../platform/platform.ts";
import { attempt } from "../base/text.ts";
import { isInside } from "../documents/files.ts";
import { isFolder, isRoot, readBeginning } from "./folders.ts";
import { ConfigurationError } from "./options.ts";

/** Where projects keep decision records, from their root. */
const PLACES = [
  "docs/adr",
  "docs/adrs",
  "docs/ADR",
  "docs/decisions",
  "docs/architecture/decisions",
  "docs/architecture/adr",
  "docs/architecture-decision-records",
  "docs/decision-records",
  "docs/madr/decisions",
  "docs/design/adr",
  "docs/rfcs",
  "doc/adr",
  "doc/arch",
  "doc/architecture/decisions",
  "architecture/decisions",
  "architecture-decision-records",
  "architecture-decision-record",
  ".agents/decisions",
  "adr",
  "adrs",
  "decisions",
  "rfcs",
];
/** Where projects keep a folder with resources/ and prompts/. */
const ROOTS = ["docs/architecture", "architecture"];
/** Files of tools that name the folder, or those of several packages, and what names them there, maybe in quotes. */
const SETTINGS: readonly (readonly [file: string, form: RegExp])[] = [
  [".adr-dir", /^\s*(.*)/g],
  [".log4brains.yml", /^[ \t-]*adrFolder:([^#\n]*)/gm],
];
/** Maximum number of folders above a folder that are looked into. */
const MAX_LEVELS = 20;
/** Maximum size of a file that names the folder, in bytes. */
const MAX_BYTES = 4096;

/** Folders of records, and the folder of the project that has them; undefined if that is the working directory. */
interface Found {
  readonly folders: readonly string[];
  readonly project: string | undefined;
}

/**
 * The folder of records in the working directory, or in a folder above it up to the root of the repository; undefined if there is
 * none. There are several where a file names them. Throws a `ConfigurationError` if it is not clear which one is meant.
 */
export function findFolders({ files }: Platform): Found | undefined {
  for (const [above, level] of levelsOf(files, ".").entries()) {
    const named = namedIn(files, level), folders = named.length > 0 ? named : foldersIn(files, level);
    if (folders.length > 1 && folders !== named) {
      const names = folders.join(", ");
      throw new ConfigurationError(`Several folders may have the records: ${names}; name one with --in`);
    }
    if (folders.length === 0) continue;
    if (above === 0) return { folders, project: undefined };
    return {
      folders: folders.map((path) => [level, ...path.split("/")].join(files.separator)),
      project: level,
    };
  }
  return undefined;
}

/** A folder, and those above it up to the root of the repository. Without one, they may be of other projects. */
export function levelsOf(files: FileSystem, folder: string): string[] {
  const levels: string[] = [];
  let level = attempt(() => files.realPath(folder));
  while (level && levels.length < MAX_LEVELS) {
    levels.push(level);
    if (exists(files, `${level}${files.separator}.git`)) return levels;
    level = level.slice(0, Math.max(level.lastIndexOf(files.separator), 0));
  }
  return levels.slice(0, 1);
}

/** Whether a place in a project is below its root. A repository cannot give a folder of its reader, neither by its name nor by a link. */
const isOwn = (files: FileSystem, root: string, place: string): boolean =>
  attempt(() => isInside(files.realPath(`${root}/${place}`), root, files.separator)) === true;

/** The folders that a file of a project names, as paths from its root. */
function namedIn(files: FileSystem, root: string): string[] {
  for (const [file, form] of SETTINGS) {
    const text = readBeginning(files, `${root}/${file}`, MAX_BYTES) ?? "";
    const named = Array.from(text.matchAll(form), ([, path]) => path!.trim().replace(/^(["'])(.*)\1$/, "$2"))
      .filter((path) => path !== "" && isOwn(files, root, path));
    if (named.length > 0) return [...new Set(named.map((path) => path.replace(/^\.\/|\/+$/g, "")))];
  }
  return [];
}

/** The folders where a project usually keeps its records, as paths from its root. */
function foldersIn(files: FileSystem, root: string): string[] {
  const hasSettings = exists(files, `${root}${files.separator}architrave.json`);
  if (hasSettings && (isRoot(files, root) || hasMarkdown(files, root))) return ["."];
  const pathOf = (place: string) => [root, ...place.split("/")].join(files.separator);
  const roots = ROOTS.filter((place) => isRoot(files, pathOf(place)));
  const found = [...roots, ...PLACES.filter((place) => hasMarkdown(files, pathOf(place)))]
    .filter((place) => isOwn(files, root, place));
  // Systems that do not tell case find one folder twice.
  return found.filter((place, index) =>
    found.findIndex((other) => other.toLowerCase() === place.toLowerCase()) === index
  );
}

function hasMarkdown(files: FileSystem, path: string): boolean {
  const entries = isFolder(files, path) ? attempt(() => files.list(path)) ?? [] : [];
  return entries.some(({ name, kind }) =>
    kind === "directory" ? /^\d/.test(name) : /\.(?:md|markdown|mdx)$/i.test(name)
  );
}

export const exists = (files: FileSystem, path: string): boolean =>
  attempt(() => files.status(path)) !== undefined;
