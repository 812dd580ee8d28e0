/** Finds the documents that apply to files: those that their text cites, and by the patterns of `applies-to`. */

import type { Glob } from "../formats/glob.ts";
import type { Catalogue } from "./catalogue.ts";
import type { Document } from "./document.ts";
import { compare } from "../base/text.ts";
import { isAbsolute, toFilePath, toGlob } from "../formats/glob.ts";
import { citedIn } from "./citations.ts";
import { isOver } from "./records/status.ts";

/** A document that applies to some files. */
export interface Applying {
  readonly document: Document;
  /** Identifies it, and its place in the order: decisions in force first, then by `rankOf`, then by key. */
  readonly place: string;
  /** Why it applies: the most specific pattern that matches, its own or that of a decision that it replaces, or `CITED`. */
  readonly matched: string;
  /** The files that match, as they were given. */
  readonly paths: readonly string[];
}

/** Why a document applies that the text of a file cites. */
export const CITED = "cited here";

/** The maximum number of successors of a decision that are looked up. */
export const MAX_SUCCESSORS: number = 10;

/** The start of why a document applies that nothing links to the file. */
export const GUESSED = "a guess, ";

/** How closely a document is linked to a file, by why it applies: 0 to 999,999. */
export function rankOf(matched: string): number {
  return matched === CITED ? 999_999 : matched.startsWith(GUESSED) ? 0 : toGlob(matched).specificity;
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
 * Finds the documents that apply to any of some files, or that their `text` cites, in order, and the files from the root of the
 * repository. Paths start at that root, or are absolute.
 */
export function* findApplying(
  catalogue: Catalogue,
  paths: readonly string[],
  text?: string,
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
  const names = files.map(({ file }) => file);
  const cited = new Set<Document>(text ? yield* citedIn(catalogue, names, text) : []);
  /** The most specific pattern that matches, by document. */
  const patterns = new Map<Document, string>();
  for (const document of catalogue.documents) {
    const [pattern] = document.appliesTo.filter((pattern) => matching.has(pattern))
      .sort((one, other) => globs.get(other)!.specificity - globs.get(one)!.specificity);
    if (pattern !== undefined) patterns.set(document, pattern);
  }
  // A decision that names no files applies to those of the one that it replaces. The loop also visits what it adds.
  for (const [document, pattern] of patterns) {
    for (const reference of isOver(document) ? document.record!.supersededBy.slice(0, MAX_SUCCESSORS) : []) {
      const successor = catalogue.resolve(document, reference);
      if (successor?.appliesTo.length === 0 && !patterns.has(successor)) patterns.set(successor, pattern);
    }
  }
  const found = catalogue.documents.flatMap((document): Applying[] => {
    const matched = cited.has(document) ? CITED : patterns.get(document);
    if (matched === undefined) return [];
    // Numbers are compared as text, so all have six digits.
    const place = [Number(isOver(document)), String(999_999 - rankOf(matched)).padStart(6, "0"), document.key]
      .join(" ");
    return [{ document, place, matched, paths: matching.get(matched) ?? paths }];
  }).sort((left, right) => compare(left.place, right.place));
  return { found, files };
}
