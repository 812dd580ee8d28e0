/** Which documents say that they are about some files? Those with a pattern in their front matter that one of them fits. */

import type { Catalogue, Document } from "./catalogue.ts";
import type { FilePath, Glob } from "../base/glob.ts";
import { toFilePath, toGlob } from "../base/glob.ts";
import { inSlices } from "../base/async.ts";

/** A document that is about some of the files. */
export interface Applying {
  readonly document: Document;
  /** The most specific pattern of the document that any of the files fits. */
  readonly glob: Glob;
  /** The files that fit it, as they were written. */
  readonly paths: readonly string[];
}

/** Patterns by their text: many documents share one. They are kept for as long as the documents are the same. */
const compiled = new WeakMap<Catalogue, Map<string, Glob>>();

/**
 * Finds the documents that apply to any of some files, in the order of the catalogue. Works in slices.
 *
 * @throws {unknown} The reason of the signal, soon after it is aborted.
 */
export function findApplying(
  catalogue: Catalogue,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<Applying[]> {
  return inSlices(find(catalogue, paths, signal));
}

/** One path, as it was written and ready to be matched. */
interface AskedPath {
  readonly text: string;
  readonly path: FilePath;
}

function* find(
  catalogue: Catalogue,
  texts: readonly string[],
  signal: AbortSignal,
): Generator<void, Applying[]> {
  let globs = compiled.get(catalogue);
  if (!globs) compiled.set(catalogue, globs = new Map());
  const asked = texts.map((text) => ({ text, path: toFilePath(text) }));
  const fitting = new Map<Glob, readonly string[]>();
  const found: Applying[] = [];
  for (const document of catalogue.documents) {
    let best: Applying | undefined;
    for (const pattern of document.appliesTo) {
      let glob = globs.get(pattern);
      if (!glob) globs.set(pattern, glob = toGlob(pattern));
      yield;
      if (best && glob.specificity <= best.glob.specificity) continue;
      let paths = fitting.get(glob);
      if (!paths) fitting.set(glob, paths = yield* pathsThatFit(glob, asked, signal));
      if (paths.length > 0) best = { document, glob, paths };
    }
    if (best) found.push(best);
    // Most documents have no pattern; of very many, that takes its time as well.
    yield;
  }
  return found;
}

function* pathsThatFit(
  glob: Glob,
  asked: readonly AskedPath[],
  signal: AbortSignal,
): Generator<void, string[]> {
  const fitting: string[] = [];
  for (const { text, path } of asked) {
    signal.throwIfAborted();
    if (glob.matches(path)) fitting.push(text);
    yield;
  }
  return fitting;
}
