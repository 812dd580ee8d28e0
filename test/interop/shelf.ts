/**
 * What must a client get to see of a folder of documents? Worked out from the files alone, by the rules of the
 * documentation and with nothing of the program, so that both can be compared.
 */

import { readdirSync, readFileSync, statSync } from "node:fs";
import { Buffer } from "node:buffer";

/** One document as it must be served. */
export interface ExpectedDocument {
  readonly uri: string;
  /** The same document in the other scheme. */
  readonly fileUri: string;
  /** The file name without its ending. */
  readonly name: string;
  /** The bytes of the file, less a byte order mark. */
  readonly text: Buffer;
  /** The size of the file, in bytes. */
  readonly size: number;
  readonly lastModified: string;
}

/** Every document of a root, sorted by URI in code-unit order. */
export function expectedDocuments(root: string): readonly ExpectedDocument[] {
  const resources = `${root}/resources`;
  return foldersOf(resources)
    .flatMap((category) => walk(`${resources}/${category}`, [category]))
    .sort((left, right) => (left.uri < right.uri ? -1 : 1));
}

/** The names of the categories, sorted. */
export function expectedCategories(root: string): readonly string[] {
  return foldersOf(`${root}/resources`).sort();
}

/** The names of the prompts of a root, sorted; the file name says nothing, so the definitions are read. */
export function expectedPrompts(root: string): readonly string[] {
  const folder = `${root}/prompts`;
  return readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .map((file) => (JSON.parse(readFileSync(`${folder}/${file}`, "utf8")) as { name: string }).name)
    .sort();
}

/** Every character that RFC 3986 does not call unreserved, as the bytes of its UTF-8. */
export function encodeSegment(segment: string): string {
  return Array.from(
    segment.normalize("NFC"),
    (character) =>
      /[A-Za-z0-9._~-]/.test(character)
        ? character
        : Array.from(Buffer.from(character), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`)
          .join(""),
  )
    .join("");
}

function walk(folder: string, segments: readonly string[]): ExpectedDocument[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name.startsWith(".")) return [];
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return walk(path, [...segments, entry.name]);
    return /\.md$/i.test(entry.name) ? [documentOf(path, segments, entry.name.slice(0, -3))] : [];
  });
}

function documentOf(path: string, segments: readonly string[], name: string): ExpectedDocument {
  const bytes = readFileSync(path);
  const key = [...segments, name].map(encodeSegment).join("/");
  return {
    uri: `architecture://${key}`,
    fileUri: `file:///${key}.md`,
    name: name.normalize("NFC"),
    text: bytes.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf])) ? bytes.subarray(3) : bytes,
    size: bytes.length,
    lastModified: new Date(Math.floor(statSync(path).mtimeMs)).toISOString(),
  };
}

function foldersOf(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .map((entry) => entry.name);
}
