/** The manifest of a copy of the program: what was copied, and the hash of each file. */

import type { FileSystem, Platform } from "../../platform/platform.ts";
import { sha256 } from "../../base/bytes.ts";
import { asArray, asString, isObject, tryParse } from "../../base/json.ts";
import { attempt } from "../../base/text.ts";
import { readInside } from "../../documents/files.ts";
import { ConfigurationError } from "../errors.ts";
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
      typeof hash === "string" && !/^\/|[\\:]|(?:^|\/)\.{0,2}(?:\/|$)/.test(name)
    );
  if (!isValid) throw new ConfigurationError(`Cannot use "${path}": vendor did not write it`);
  return {
    version,
    commit: asString(commit),
    parts: asArray(parts).map(String),
    files: files as Record<string, string>,
  };
}

/** How a file in a copy compares with the manifest. */
export type FileState = "same" | "changed" | "missing";

/** Compares a file with its hash. Line ends do not count: Git may have changed them on Windows. */
export async function stateOf(
  files: FileSystem,
  folder: string,
  name: string,
  hash: string,
): Promise<FileState> {
  const content = readInside(files, `${folder}/${name}`, files.realPath(folder), MAX_FILE_BYTES);
  if (!content) return attempt(() => files.status(`${folder}/${name}`)) ? "changed" : "missing";
  const { bytes } = content;
  if (await sha256(bytes) === hash) return "same";
  const text = attempt(() => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  const unified = text?.includes("\r\n") && new TextEncoder().encode(text.replaceAll("\r\n", "\n"));
  return unified && await sha256(unified) === hash ? "same" : "changed";
}
