/** What the index and the rules of export say of each document. */

import type { Document } from "../documents/document.ts";
import type { DocumentProvider } from "../documents/document_provider.ts";
import type { Summary } from "../documents/summary.ts";
import type { Platform } from "../platform/platform.ts";
import { attempt } from "../base/text.ts";
import { findInvisible } from "../base/invisible.ts";
import { isInside } from "../documents/files.ts";
import { isFolderPage, pageKind } from "../documents/records/name.ts";
import { isTold } from "../documents/records/status.ts";
import { safeLine } from "../documents/summary.ts";
import { toUri } from "../documents/uri.ts";
import { toGlob } from "../formats/glob.ts";
import { parentOf } from "./paths.ts";

/** Maximum length of the line about a document, in UTF-16 units. */
export const MAX_ABOUT = 200;

/** What is said of a document. All text but the patterns is safe to write. */
export interface ExportEntry extends Summary {
  /** The folder that it is listed in. */
  readonly folder: string;
  /** Its path in that folder. */
  readonly name: string;
  /** The name of the file, if the document is the page of a folder; `name` is then that of the folder. */
  readonly page: string;
  /** The title in the index, without its number; "" if the name has the same words. */
  readonly shownTitle: string;
  /** The files that it applies to. */
  readonly globs: readonly string[];
}

/** Whether an index names a document: it is no page or template, and assistants are told of it. */
export function isExported(document: Document): boolean {
  return !pageKind(document.label) && isTold(document);
}

/**
 * Where an assistant that works in a folder reads a document: its path from there, or its URI if it is outside of the folder. The
 * folder is only compared: it is the real path, or undefined if it is not known.
 */
export function placesFrom(
  { files }: Platform,
  { scheme }: DocumentProvider,
  folder: string | undefined,
): (document: Document) => string {
  return ({ path, key }) => {
    const real = attempt(() => files.realPath(path)) ?? path;
    if (folder === undefined || !isInside(real, folder, files.separator)) return toUri(key, scheme);
    return real.slice(folder.length).split(files.separator).filter((segment) => segment !== "").join("/");
  };
}

export function toExportEntry(summary: Summary): ExportEntry {
  const { document: { appliesTo, key, name: file }, place, title } = summary;
  const isPage = isFolderPage(file) && key.split("/").length > 2;
  const listed = isPage ? parentOf(place) : place;
  const globs = [...new Set(appliesTo.flatMap((pattern) => toGlob(pattern).forms))];
  // A part may begin with what the whole place has in its middle: "@name".
  const name = safeLine(listed.slice(listed.lastIndexOf("/") + 1));
  return {
    ...summary,
    folder: safeLine(parentOf(listed)),
    name,
    page: isPage ? safeLine(place.slice(place.lastIndexOf("/") + 1)) : "",
    shownTitle: shownTitle(name, title),
    globs,
    isSpelledOut: summary.isSpelledOut || globs.some((glob) => findInvisible(glob)),
  };
}

/** A title for a line that begins with a name: without its number, or "" if all its words are in the name. */
function shownTitle(name: string, title: string): string {
  const wordsOf = (text: string): string[] => text.toLowerCase().match(/[1-9]\p{N}*|\p{L}+/gu) ?? [];
  const known = wordsOf(name);
  if (wordsOf(title).every((word) => known.includes(word))) return "";
  return title.replace(NUMBER, (lead, number) => known.includes(number) ? "" : lead);
}

const NUMBER = /^(?:[A-Z]+[ -])*#?0*(\d+)(?:[.:)]| -) +/;
