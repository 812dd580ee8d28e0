/** Suggestions for a URI that names nothing. */

import type { Catalogue } from "./catalogue.ts";
import type { Document } from "./document.ts";
import type { DocumentStore } from "./store.ts";
import { nearest } from "../base/nearest.ts";
import { readMarkdown } from "../formats/markdown/document.ts";
import { canonicalPath, hasFileNames, toKey, toUri } from "./uri.ts";

/** The documents that a URI, or a part of one, probably means; at most three. */
export function nearestDocuments(catalogue: Catalogue, uri: string): readonly Document[] {
  const form =
    /^(?:architecture:\/\/|file:\/\/\/|\.?\/+|(?![a-z][a-z0-9+.-]*:))([^#?]{0,1000}?)\/?(?:[#?]|$)/i;
  const key = canonicalPath(form.exec(uri)?.[1] ?? "");
  if (!hasFileNames(key)) return [];
  const named = catalogue.find(toUri(key, "architecture")).documents.slice(0, 3);
  if (named.length > 0) return named;
  // A record is often remembered without its number.
  const plain = (text: string) => text.replace(/(?<=^|\/)(?:[a-z]+-?)?(?:\d+[-_.]+)+/g, "");
  const unnumbered = catalogue.documents.filter((one) => plain(one.key) === plain(key)).slice(0, 3);
  if (unnumbered.length > 0) return unnumbered;
  return nearest(key, catalogue.documents.map((one) => one.key)).map((near) => catalogue.get(near)!);
}

/** The URIs that a URI probably means: of documents, or of sections if the document exists. */
export function nearestUris(store: DocumentStore, catalogue: Catalogue, uri: string): readonly string[] {
  const { documents: [document], address } = catalogue.find(uri);
  const scheme = address?.scheme ?? store.scheme;
  if (!document) return nearestDocuments(catalogue, uri).map(({ key }) => toUri(key, scheme));
  const slugs = readMarkdown(store.text(document) ?? "").sections.map(({ slug }) => slug);
  const base = toUri(document.key, scheme);
  return nearest(address!.section ?? "", slugs).map((slug) => `${base}#${toKey([slug])}`);
}
