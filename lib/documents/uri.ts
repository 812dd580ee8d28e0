/**
 * Which document does a URI name? Both spellings of one address, and nothing else: a URI is looked up, it never
 * becomes a path.
 *
 * - `architecture://{category}/{path}`
 * - `file:///{category}/{path}.md`, for clients that block schemes of their own
 *
 * @see https://www.rfc-editor.org/rfc/rfc3986 sections 2.3 and 6.2.2
 */

/** The two ways to write a document's URI. */
export type Scheme = "architecture" | "file";

/** What a URI asks for. */
export interface Address {
  /** The spelling that was used. */
  readonly scheme: Scheme;
  /** The category and the path in canonical spelling, without `.md`: "adr/007-use-x". The key of the catalogue. */
  readonly key: string;
  /** The section that is asked for, decoded, without the "#". */
  readonly section: string | undefined;
}

const PREFIX: Readonly<Record<Scheme, string>> = { architecture: "architecture://", file: "file:///" };

/** Writes the segments of a path as a key: normalised, and with every reserved character encoded. */
export function toKey(segments: readonly string[]): string {
  return segments.map(encodeSegment).join("/");
}

/** The URI of a document. */
export function toUri(key: string, scheme: Scheme): string {
  return scheme === "file" ? `file:///${key}.md` : `architecture://${key}`;
}

/**
 * Reads a URI that a client sent, in encoded, half encoded or raw spelling.
 *
 * @returns Undefined when it is written in neither scheme.
 */
export function parseUri(uri: string): Address | undefined {
  const scheme = schemeOf(uri);
  if (!scheme) return undefined;
  const hash = uri.indexOf("#");
  const path = uri.slice(PREFIX[scheme].length, hash < 0 ? undefined : hash);
  const section = hash < 0 ? undefined : decode(uri.slice(hash + 1));
  if (scheme === "architecture") return { scheme, key: canonical(path), section };
  if (!/\.md$/i.test(path)) return undefined;
  return { scheme, key: canonical(path.slice(0, -".md".length)), section };
}

/** Brings a path that is encoded, half encoded or raw into the spelling of the keys. */
export function canonical(path: string): string {
  return toKey(path.split("/").map(decode));
}

/**
 * Follows a relative path, encoded or raw, from one key to another; a `.md` ending is no part of a key.
 *
 * @returns Undefined when the path leads out at the top.
 */
export function followPath(from: string, path: string): string | undefined {
  const steps = from.split("/").slice(0, -1);
  for (const segment of canonical(path.replace(/\.md$/i, "")).split("/")) {
    if (segment === ".." && steps.pop() === undefined) return undefined;
    if (segment !== ".." && segment !== "." && segment !== "") steps.push(segment);
  }
  return steps.join("/");
}

function schemeOf(uri: string): Scheme | undefined {
  // Schemes are compared without case (RFC 3986, section 3.1); the rest of a URI is not.
  if (uri.slice(0, PREFIX.architecture.length).toLowerCase() === PREFIX.architecture) return "architecture";
  return uri.slice(0, PREFIX.file.length).toLowerCase() === PREFIX.file ? "file" : undefined;
}

/** Decodes one segment; one that is not encoded at all ("100%") is taken as it stands. */
export function decode(segment: string): string {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch (cause) {
    if (cause instanceof URIError) return segment;
    throw cause;
  }
}

function encodeSegment(segment: string): string {
  if (/^[A-Za-z0-9._~-]*$/.test(segment)) return segment;
  return encodeURIComponent(segment.normalize("NFC").toWellFormed())
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}
