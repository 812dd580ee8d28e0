/** Small files that the command line names: tokens, keys, descriptions of an API. */

import type { Platform } from "../../deps.ts";
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
  const fail = (reason: string, cause?: unknown): never => {
    throw new UsageError(`Cannot read ${what}: "${path}" ${reason}`, { cause });
  };
  let bytes: Uint8Array;
  try {
    const file = files.open(path);
    try {
      const { kind, size } = file.status();
      if (kind !== "file") fail("is not a file");
      if (size > maxBytes) fail(`has ${size} bytes, and ${maxBytes} are allowed`);
      bytes = file.read(size);
    } finally {
      file.close();
    }
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    return fail("does not exist or must not be read", cause);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    return fail("is not UTF-8", cause);
  }
}
