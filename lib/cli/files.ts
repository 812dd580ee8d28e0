/** Small files that the command line names: tokens, keys, descriptions of an API. */

import type { OpenFile, Platform } from "../../deps.ts";
import { UsageError } from "./program.ts";

/** Ample for a file of tokens or keys, in bytes. */
const MAX_BYTES = 64 * 1024;

/**
 * Reads a UTF-8 file. Its content never appears in a message: it may be a secret.
 *
 * @param what What the file is, for messages: "the --token-file".
 * @throws {UsageError} When it cannot be read.
 */
export function readTextFile(
  { files }: Platform,
  path: string,
  what: string,
  maxBytes: number = MAX_BYTES,
): string {
  const failure = (reason: string, cause?: unknown) =>
    new UsageError(`Cannot read ${what}: "${path}" ${reason}`, { cause });
  let file: OpenFile;
  try {
    file = files.open(path);
  } catch (cause) {
    throw failure("does not exist or must not be read", cause);
  }
  try {
    const { kind, size } = file.status();
    if (kind !== "file") throw failure("is not a file");
    if (size > maxBytes) throw failure(`has ${size} bytes, and ${maxBytes} are allowed`);
    return new TextDecoder("utf-8", { fatal: true }).decode(file.read(size));
  } catch (cause) {
    throw cause instanceof UsageError ? cause : failure("is not UTF-8 or cannot be read", cause);
  } finally {
    file.close();
  }
}
