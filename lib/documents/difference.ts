/** What is different between two pictures of the shelf? As much of it as anybody can see. */

import type { Catalogue, Document } from "./catalogue.ts";

/** What somebody who knows the picture before has to learn. */
export interface Difference {
  /** What was there. */
  readonly before: Catalogue;
  /** What is there now. */
  readonly after: Catalogue;
  /** Whether the list shows something else: other documents, or other words about one. */
  readonly isListedAnew: boolean;
  /** The keys of the documents with another text than before, new ones and those that are gone among them. */
  readonly keys: ReadonlySet<string>;
}

/** Compares two pictures; undefined when nobody can see a difference. A file that was only touched makes none. */
export function compare(before: Catalogue, after: Catalogue): Difference | undefined {
  const keys = new Set<string>();
  let isListedAnew = before.categories.join("/") !== after.categories.join("/");
  for (const document of after.documents) {
    const known = before.get(document.key);
    if (known === document) continue;
    if (known?.fingerprint !== document.fingerprint) keys.add(document.key);
    if (!known || !saysTheSame(known, document)) isListedAnew = true;
  }
  for (const { key } of before.documents) {
    if (after.get(key)) continue;
    keys.add(key);
    isListedAnew = true;
  }
  return isListedAnew || keys.size > 0 ? { before, after, isListedAnew, keys } : undefined;
}

/** Whether what a URI names, before or after, has another text now. */
export function affects({ before, after, keys }: Difference, uri: string): boolean {
  return [before, after].some((catalogue) => {
    const found = catalogue.find(uri);
    if (found.kind === "none") return false;
    return (found.kind === "document" ? [found.document] : found.candidates).some(({ key }) => keys.has(key));
  });
}

/** Whether two pictures hold the very same things, so that one can stand for the other. */
export function isSame(before: Catalogue, after: Catalogue): boolean {
  return before.documents.length === after.documents.length &&
    before.findings.length === after.findings.length &&
    before.categories.join("/") === after.categories.join("/") &&
    after.documents.every((document, index) => document === before.documents[index]);
}

function saysTheSame(one: Document, other: Document): boolean {
  return one.name === other.name && one.title === other.title && one.description === other.description &&
    JSON.stringify(one.record) === JSON.stringify(other.record);
}
