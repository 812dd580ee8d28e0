/**
 * Document URIs, `architecture://{category}/{path}` or `file:///{category}/{path}.md`. They are looked up, and are never made into paths.
 * @see https://www.rfc-editor.org/rfc/rfc3986 sections 2.3 and 6.2.2
 */

import { uriDecoded } from "../base/text.ts";

/** The two schemes of document URIs. */
export type Scheme = "architecture" | "file";
/** Both schemes. */
export const SCHEMES: readonly Scheme[] = ["architecture", "file"];

/** The parts of a document URI. */
export interface DocumentAddress {
  /** The scheme that was used. */
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

/** A URI, or a pattern of URIs, in another scheme. */
export function inScheme(uri: string, scheme: Scheme): string {
  return scheme === "file"
    ? uri.replace(/^architecture:\/\/([^#]*?)(?:\.md)?(?=#|$)/i, "file:///$1.md")
    : uri;
}

/** Only the scheme and the ending ignore case (RFC 3986, section 3.1). */
const DOCUMENT_URI = /^(?:architecture:\/\/([^#]*)|file:\/\/\/([^#]*)\.md)(?:#(.*))?$/is;

/** Reads a URI, whether it is encoded, partly encoded or not; undefined when it has another scheme. */
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

/** A path in any spelling, in the spelling of keys. */
export function canonicalPath(path: string): string {
  // Most paths are already in this spelling.
  return /^[\w.~/-]*$/.test(path) ? path : toKey(path.split("/").map(decode));
}

/** Resolves a relative path in any spelling against a key, without its ending; undefined when it leads above the root. */
export function followPath(from: string, path: string): string | undefined {
  const steps = from.split("/").slice(0, -1);
  for (const segment of canonicalPath(path.replace(/\.(?:md|markdown|mdx)$/i, "")).split("/")) {
    if (segment === ".." && steps.pop() === undefined) return undefined;
    if (!["..", ".", ""].includes(segment)) steps.push(segment);
  }
  return steps.join("/");
}

/** Decodes one segment. A segment that is not encoded correctly, such as "100%", stays verbatim. */
export function decode(segment: string): string {
  return uriDecoded(segment) ?? segment;
}

/** Whether all segments of a key are names that a file can have. */
export function hasFileNames(key: string): boolean {
  return !key.split("/").map(decode).some((name) => /^$|^\.|[/\\\0]/.test(name));
}
