/** What commands read besides documents, how they print an answer, and how servers talk to a person at a terminal. */

import type { ByteChannel, OpenFile, Platform } from "../platform/platform.ts";
import type { Options } from "./main.ts";
import { concat } from "../base/bytes.ts";
import { visibleJson } from "../base/json.ts";
import { ConfigurationError, pathProblem, UsageError, VERSION } from "./main.ts";

/** Reads a UTF-8 file or a pipe, `what` in messages. Its content never appears in one: it may be a secret. */
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

const END_KEYS = "Ctrl-D (on Windows Ctrl-Z and Enter)";
const NO_MESSAGE =
  `architrave: This is no MCP message, and only MCP clients are answered here; press ${END_KEYS} to end, and ` +
  "run list, search or --help instead.\n";

/** What a server says to a person that has started it at a terminal. */
export function greeting(what: string): string {
  return `architrave ${VERSION} serves ${what} and waits for an MCP client on standard input. Press ${END_KEYS} to end it; ` +
    "run it with --help to see commands for people.\n";
}

/** The standard streams of a terminal: a line that a person has typed is answered with a sentence. */
export function typedStreams(platform: Platform): Pick<Platform, "standardStreams"> {
  const streams = platform.standardStreams();
  // A pasted message may come in several pieces.
  let isInside = false;
  const open: ByteChannel["open"] = ({ data, ...others }) =>
    streams.open({
      ...others,
      data(chunk) {
        const isMessage = isInside || /^\s*(?:[[{]|$)/.test(new TextDecoder().decode(chunk));
        isInside = isMessage && chunk.at(-1) !== 0x0a;
        if (isMessage) data(chunk);
        else platform.print("error", NO_MESSAGE);
      },
    });
  return { standardStreams: () => ({ ...streams, open }) };
}
