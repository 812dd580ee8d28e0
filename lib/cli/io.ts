/** What commands read besides documents, and how they print an answer. */

import type { OpenFile, Platform } from "../../deps.ts";
import type { Options } from "./main.ts";
import { concat } from "../base/bytes.ts";
import { visibleJson } from "../base/json.ts";
import { ConfigurationError, pathProblem, UsageError } from "./main.ts";

/** Reads a UTF-8 file or a pipe, `what` in messages. Its content never appears in one: it may be a secret. */
export function readTextFile(platform: Platform, path: string, what: string, maxBytes = 65_536): string {
  const fail = (reason: string, cause?: unknown) =>
    new ConfigurationError(`Cannot read ${what}: "${path}" ${reason}`, { cause });
  let file: OpenFile | undefined;
  try {
    file = platform.files.open(path);
    const { kind, size } = file.status();
    if (kind === "directory") throw fail("is not a file");
    const bytes = file.read(Math.min(kind === "file" ? size : Infinity, maxBytes) + 1);
    if (bytes.length > maxBytes) throw fail(`has more than ${maxBytes} bytes`);
    if (kind === "file" && bytes.length !== size) throw fail("is being written: try again");
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    throw fail(file ? "is not UTF-8 or cannot be read" : pathProblem(platform, path, cause), cause);
  } finally {
    file?.close();
  }
}

export async function readInput({ standardStreams }: Platform): Promise<string> {
  const chunks: Uint8Array[] = [];
  try {
    await new Promise<void>((end, error) => {
      standardStreams().open({ data: (chunk) => void chunks.push(chunk.slice()), end, error });
    });
    return new TextDecoder("utf-8", { fatal: true }).decode(concat(chunks));
  } catch (cause) {
    throw new ConfigurationError("Cannot read standard input: it is not UTF-8 or broken", { cause });
  }
}

export function toJson(value: unknown): string {
  return `${visibleJson(value, 2)}\n`;
}

/** Prints an answer in the form that `--format` names, and returns the exit code. */
export function emit(platform: Platform, options: Options, answer: unknown, toText: () => string): number {
  platform.print("output", options.get("format") === "json" ? toJson(answer) : toText());
  return 0;
}
