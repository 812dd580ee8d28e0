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
/** Files of tools that name the folder, and what names it there, maybe in quotes. */
const SETTINGS: readonly (readonly [file: string, form: RegExp])[] = [
  [".adr-dir", /^\s*(.*)/],
  [".log4brains.yml", /^[ \t]*adrFolder:([^#\n]*)/m],
];
/** Maximum number of folders above a folder that are looked into. */
const MAX_LEVELS = 20;
/** Maximum size of a file that names the folder, in bytes. */
const MAX_BYTES = 4096;

/** A folder of records, and the folder of the project that has it; undefined if that is the working directory. */
interface Found {
  readonly folder: string;
  readonly project: string | undefined;
}

/**
 * The folder of records in the working directory, or in a folder above it up to the root of the repository; undefined if there is
 * none. Throws a `ConfigurationError` if there are several.
 */
export function findFolder({ files }: Platform): Found | undefined {
  for (const [above, level] of levelsOf(files, ".").entries()) {
    const [folder, ...others] = foldersIn(files, level);
    if (others.length > 0) {
      const names = [folder, ...others].join(", ");
      throw new ConfigurationError(`Several folders may have the records: ${names}; name one with --in`);
    }
    if (folder !== undefined) {
      if (above === 0) return { folder, project: undefined };
      return { folder: [level, ...folder.split("/")].join(files.separator), project: level };
    }
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

/** The folders that a project keeps its records in, as paths from its root. A file that names the folder decides. */
function foldersIn(files: FileSystem, root: string): string[] {
  // A repository cannot give a folder of its reader, neither by its name nor by a link.
  const isOwn = (place: string) =>
    attempt(() => isInside(files.realPath(`${root}/${place}`), root, files.separator)) === true;
  for (const [file, form] of SETTINGS) {
    const text = readBeginning(files, `${root}/${file}`, MAX_BYTES) ?? "";
    const named = form.exec(text)?.[1]?.trim().replace(/^(["'])(.*)\1$/, "$2");
    if (named && isOwn(named)) return [named.replace(/^\.\/|\/+$/g, "")];
  }
  const hasSettings = exists(files, `${root}${files.separator}architrave.json`);
  if (hasSettings && (isRoot(files, root) || hasMarkdown(files, root))) return ["."];
  const pathOf = (place: string) => [root, ...place.split("/")].join(files.separator);
  const roots = ROOTS.filter((place) => isRoot(files, pathOf(place)));
  const found = [...roots, ...PLACES.filter((place) => hasMarkdown(files, pathOf(place)))]
    .filter(isOwn);
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
