/** What commands read in addition to documents, and how they print an answer. */

import type { OpenFile, Platform } from "../platform/platform.ts";
import type { Options } from "./options.ts";
import { concat } from "../base/bytes.ts";
import { visibleJson } from "../base/json.ts";
import { ConfigurationError, UsageError } from "./options.ts";
import { pathProblem } from "./path_problem.ts";

/** Reads a UTF-8 file or a pipe. Messages call it `what` and never quote its content, which may be a secret. */
export function readTextFile(platform: Platform, path: string, what: string, maxBytes = 65_536): string {
  const fail = (reason: string, cause?: unknown) =>
    new ConfigurationError(`Cannot read ${what}: "${path}" ${reason}`, { cause });
  let file: OpenFile | undefined;
  try {
    file = platform.files.open(path);
    const { kind, size } = file.status();
    if (kind === "directory") throw fail("is a folder: name a file");
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

/** Reads standard input to its end. */
export async function readInput({ standardStreams }: Platform): Promise<string> {
  const chunks: Uint8Array[] = [];
  try {
    await new Promise<void>((end, error) => {
      standardStreams().open({ data: (chunk) => void chunks.push(chunk.slice()), end, error });
    });
    return new TextDecoder("utf-8", { fatal: true }).decode(concat(chunks));
  } catch (cause) {
    throw new ConfigurationError("Cannot read standard input: it is not valid UTF-8, or reading failed", {
      cause,
    });
  }
}

/** All items of a list that is read page by page. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

/** Indented JSON that ends in a newline. Invisible characters are escaped. */
export function toJsonText(value: unknown): string {
  return `${visibleJson(value, 2)}\n`;
}

/** Prints an answer in the form that `--format` names, and returns the exit code. */
export function emit(platform: Platform, options: Options, answer: unknown, toText: () => string): number {
  platform.print("output", options.get("format") === "json" ? toJsonText(answer) : toText());
  return 0;
}
