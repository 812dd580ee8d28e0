/** The manifest of a copy of the program: what was copied, and the hash of each file. */

import type { FileSystem, Platform } from "../../platform/platform.ts";
import { sha256 } from "../../base/bytes.ts";
import { asArray, asString, isObject, tryParse } from "../../base/json.ts";
import { attempt } from "../../base/text.ts";
import { isHidden, readInside } from "../../documents/files.ts";
import { walkFiles } from "../../documents/walk.ts";
import { ConfigurationError } from "../options.ts";
import { readTextFile } from "../io.ts";

/** The name of the manifest in the folder of a copy. */
export const COPY_MANIFEST = "architrave.vendor.json";

/** Maximum size of a manifest, in bytes. */
const MAX_MANIFEST_BYTES = 4 * 1024 * 1024;
/** Maximum size of a copied file, in bytes. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;

export interface Manifest {
  readonly version: string;
  /** The commit that the copied sources had; undefined when it is not known. */
  readonly commit?: string | undefined;
  /** As in `this_copy.ts`. */
  readonly parts: readonly string[];
  /** The SHA-256 of each file in hexadecimal digits, by its path in the copy. */
  readonly files: Readonly<Record<string, string>>;
}

/** The manifest in a folder; undefined without one. Throws a `ConfigurationError` when it cannot be used. */
export function readCopyManifest(platform: Platform, folder: string): Manifest | undefined {
  const path = `${folder}/${COPY_MANIFEST}`;
  if (!attempt(() => platform.files.status(path))) return undefined;
  const value = tryParse(readTextFile(platform, path, "the manifest", MAX_MANIFEST_BYTES));
  const { version, commit, parts, files } = isObject(value) ? value : {};
  const isValid = typeof version === "string" && Array.isArray(parts) && isObject(files) &&
    Object.entries(files).every(([name, hash]) =>
      typeof hash === "string" && !/(?:^\/)|[\\:]|(?:(?:^|\/)\.{0,2}(?:\/|$))/.test(name)
    );
  if (!isValid) throw new ConfigurationError(`Cannot use "${path}": vendor did not write it`);
  return {
    version,
    commit: asString(commit),
    parts: asArray(parts).map(String),
    files: files as Record<string, string>,
  };
}

/** The files below a folder, by their paths in it, without hidden ones. */
export function visibleFiles(files: FileSystem, folder: string): string[] {
  return [...walkFiles(files, folder, isHidden)].filter((path) => !isHidden(path.replace(/^.*\//, "")));
}

/** A file of a copy, compared with the manifest. */
export interface CopiedFile {
  readonly state: "same" | "changed" | "missing";
  /** The text with its byte order mark; undefined when it is not a text file. */
  readonly text?: string | undefined;
}

/** Compares a file with its hash. Line ends do not count: Git may have changed them on Windows. */
export async function compareFile(
  files: FileSystem,
  folder: string,
  name: string,
  hash: string,
): Promise<CopiedFile> {
  const path = `${folder}/${name}`, content = readInside(files, path, files.realPath(folder), MAX_FILE_BYTES);
  if (!content) return { state: attempt(() => files.status(path)) ? "changed" : "missing" };
  const { bytes } = content;
  const text = attempt(() => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  const unified = new TextEncoder().encode(text?.replaceAll("\r\n", "\n"));
  const isSame = [await sha256(bytes), await sha256(unified)].includes(hash);
  return { state: isSame ? "same" : "changed", text };
}
