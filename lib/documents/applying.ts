/** Finds the documents that apply to files, by the patterns of `applies-to`. */

import type { Glob } from "../formats/glob.ts";
import type { Catalogue } from "./catalogue.ts";
import type { Document } from "./document.ts";
import { compare } from "../base/text.ts";
import { isAbsolute, toFilePath, toGlob } from "../formats/glob.ts";
import { isOver } from "./records/status.ts";

/** A document that applies to some files. */
export interface Applying {
  readonly document: Document;
  /** Identifies it, and its place in the order: decisions in force first, then by specificity, then by key. */
  readonly place: string;
  /** The most specific of its patterns that match. */
  readonly glob: Glob;
  /** The files that match, as they were given. */
  readonly paths: readonly string[];
}

/** A file, as it was given and from the root of the repository, and whether the root was guessed. */
export interface AskedFile {
  readonly path: string;
  readonly file: string;
  readonly isGuess: boolean;
}

/** Compiled patterns by their text, because many documents share them; cached while the documents are the same. */
const compiled = new WeakMap<Catalogue, Map<string, Glob>>();

/** A path from the root of the repository. Of an absolute path, the part after a folder of documents, else the part that matches. */
function* fileAt(path: string, anchored: readonly Glob[], folders: readonly string[]) {
  const whole = toFilePath(path);
  if (!isAbsolute(path)) return { file: whole, isGuess: false };
  const names = whole.split("/");
  const common = folders.map((folder) => folder.split("/"))
    .map((others) => names.findIndex((name, index) => name !== others[index]));
  const shared = Math.max(0, ...common);
  for (const from of [shared, ...names.keys()]) {
    const file = names.slice(from).join("/");
    for (const glob of anchored) {
      if (glob.matches(file)) return { file, isGuess: from > 0 && from !== shared };
      yield;
    }
  }
  return { file: whole, isGuess: false };
}

/**
 * Finds the documents that apply to any of some files, in order, and the files from the root of the repository. Paths start at that
 * root, or are absolute.
 */
export function* findApplying(
  catalogue: Catalogue,
  paths: readonly string[],
): Generator<void, { found: Applying[]; files: AskedFile[] }> {
  let globs = compiled.get(catalogue);
  if (!globs) {
    const patterns = new Set(catalogue.documents.flatMap(({ appliesTo }) => appliesTo));
    compiled.set(catalogue, globs = new Map(Array.from(patterns, (pattern) => [pattern, toGlob(pattern)])));
  }
  const anchored = [...globs.values()].filter((glob) => glob.isAnchored);
  const folders = [...new Set(catalogue.documents.map(({ within }) => within))].map(toFilePath);
  const files: AskedFile[] = [];
  for (const path of paths) files.push({ path, ...yield* fileAt(path, anchored, folders) });
  const matching = new Map<string, readonly string[]>();
  for (const [pattern, glob] of globs) {
    const paths: string[] = [];
    for (const { path, file } of files) {
      if (glob.matches(file)) paths.push(path);
      yield;
    }
    if (paths.length > 0) matching.set(pattern, paths);
  }
  const found = catalogue.documents.flatMap((document): Applying[] => {
    // The most specific of its patterns that match a file.
    const [glob] = document.appliesTo.filter((pattern) => matching.has(pattern))
      .map((pattern) => globs.get(pattern)!).sort((one, other) => other.specificity - one.specificity);
    if (!glob) return [];
    // Numbers are compared as text, so all have six digits.
    const place = [Number(isOver(document)), 999_999 - glob.specificity, document.key].join(" ");
    return [{ document, place, glob, paths: matching.get(glob.pattern)! }];
  }).sort((left, right) => compare(left.place, right.place));
  return { found, files };
}
