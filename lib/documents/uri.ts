/**
 * Document URIs, `architecture://{category}/{path}` or `file:///{category}/{path}.md`. They are looked up, and never become paths.
 * @see https://www.rfc-editor.org/rfc/rfc3986 sections 2.3 and 6.2.2
 */

import { uriDecoded } from "../base/text.ts";

/** The two ways to write a document's URI. */
export type Scheme = "architecture" | "file";
export const SCHEMES: readonly Scheme[] = ["architecture", "file"];

/** The parts of a document URI. */
export interface DocumentAddress {
  /** The spelling that was used. */
  readonly scheme: Scheme;
  /** The category and the path in canonical spelling, without the `.md` of a file URI: "adr/007-use-x". */
  readonly key: string;
  /** The fragment, decoded, without the "#". */
  readonly section: string | undefined;
}

/** Writes segments as a key: normalised to NFC, with every reserved character encoded. */
export function toKey(segments: readonly string[]): string {
  const encode = (segment: string) =>
    encodeURIComponent(segment.normalize("NFC").toWellFormed())
      .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
  return segments.map((segment) => /^[\w.~-]*$/.test(segment) ? segment : encode(segment)).join("/");
}

/** The URI of a document. */
export function toUri(key: string, scheme: Scheme): string {
  return scheme === "file" ? `file:///${key}.md` : `architecture://${key}`;
}

/** A URI, or a pattern of some, in the scheme that is listed. */
export function inScheme(uri: string, scheme: Scheme): string {
  return scheme === "file"
    ? uri.replace(/^architecture:\/\/([^#]*?)(?:\.md)?(?=#|$)/i, "file:///$1.md")
    : uri;
}

/** Only the scheme and the ending are compared without case (RFC 3986, section 3.1). */
const DOCUMENT_URI = /^(?:architecture:\/\/([^#]*)|file:\/\/\/([^#]*)\.md)(?:#(.*))?$/is;

/** Reads a URI in encoded, half encoded or raw spelling; undefined when it has another scheme. */
export function parseUri(uri: string): DocumentAddress | undefined {
  const found = DOCUMENT_URI.exec(uri);
  if (!found) return undefined;
  const [, path, file, section] = found;
  return {
    scheme: path === undefined ? "file" : "architecture",
    key: canonicalPath(path ?? file!),
    section: section && decode(section),
  };
}

/** Brings a path in any spelling into the spelling of keys. */
export function canonicalPath(path: string): string {
  // Most paths are in this spelling already.
  return /^[\w.~/-]*$/.test(path) ? path : toKey(path.split("/").map(decode));
}

/** Follows a relative path in any spelling from a key, less a `.md` ending; undefined when it leads out at the top. */
export function followPath(from: string, path: string): string | undefined {
  const steps = from.split("/").slice(0, -1);
  for (const segment of canonicalPath(path.replace(/\.md$/i, "")).split("/")) {
    if (segment === ".." && steps.pop() === undefined) return undefined;
    if (!["..", ".", ""].includes(segment)) steps.push(segment);
  }
  return steps.join("/");
}

/** Decodes one segment; one that is not encoded, such as "100%", is taken as it stands. */
export function decode(segment: string): string {
  return uriDecoded(segment) ?? segment;
}

/** Whether all segments of a key are names that a file can have. */
export function hasFileNames(key: string): boolean {
  return !key.split("/").map(decode).some((name) => /^$|^\.|[/\\\0]/.test(name));
}
