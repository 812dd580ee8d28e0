/** What the commands share: the version, usage errors, files and folders that options name, the log. */

import type { FileSystem, OpenFile, Platform } from "../../deps.ts";
import type { Finding, Mount } from "../documents/mod.ts";
import type { Options, Pair } from "./main.ts";
import { printable } from "../base/text.ts";

/** The version of this module, the same as in `deno.json` and `package.json`. */
export const VERSION = "0.1.0";

/** Wrong usage or configuration: exit code 2. The message is one sentence that says what to change. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The folders that the options name. Throws a `UsageError` when one cannot be read or holds no documents. */
export function foldersOf(
  { files }: Platform,
  options: Options,
): { root: string; mounts: Mount[]; records: readonly string[] } {
  const mounts: Mount[] = [];
  for (const [name, path] of options.list<Pair>("mount")) {
    if (!/^[A-Za-z0-9][A-Za-z0-9._-]*(?:\/[A-Za-z0-9][A-Za-z0-9._-]*)*$/.test(name)) {
      throw new UsageError(
        `--mount takes a name of letters, digits, dots, dashes and underscores, with slashes between, not "${name}"`,
      );
    }
    requireFolder(files, path, `the folder of --mount ${name}`);
    mounts.push({ name, path });
  }
  const { root } = options;
  const what = options.get("root") === undefined ? "the folder of documents (see --root)" : "the --root";
  requireFolder(files, root, what);
  if (!["resources", "prompts"].some((name) => isFolder(files, `${root}/${name}`))) {
    throw new UsageError(
      `Cannot serve ${what}: "${root}" has neither resources/ nor prompts/, and --root names the folder that holds them`,
    );
  }
  return { root, mounts, records: options.list("records") };
}

function requireFolder(files: FileSystem, path: string, what: string): void {
  if (isFolder(files, path)) return;
  throw new UsageError(
    `Cannot read ${what}: "${path}" is not a folder, does not exist, or the sandbox does not allow reading it and ` +
      "what it links to",
  );
}

function isFolder(files: FileSystem, path: string): boolean {
  try {
    // The target of a link is what will be read, and a sandbox may allow the link alone.
    return files.status(files.realPath(path)).kind === "directory";
  } catch {
    // It does not exist, or must not be read.
    return false;
  }
}

/** Ample for a file of tokens or keys, in bytes. */
const MAX_FILE_BYTES = 64 * 1024;

/** Reads a UTF-8 file, `what` in messages. Its content never appears in one: it may be a secret. */
export function readTextFile(
  { files }: Platform,
  path: string,
  what: string,
  maxBytes: number = MAX_FILE_BYTES,
): string {
  const fail = (reason: string, cause?: unknown) =>
    new UsageError(`Cannot read ${what}: "${path}" ${reason}`, { cause });
  let file: OpenFile;
  try {
    file = files.open(path);
  } catch (cause) {
    throw fail("does not exist or must not be read", cause);
  }
  try {
    const { kind, size } = file.status();
    if (kind !== "file") throw fail("is not a file");
    if (size > maxBytes) throw fail(`has ${size} bytes, and ${maxBytes} are allowed`);
    return new TextDecoder("utf-8", { fatal: true }).decode(file.read(size));
  } catch (cause) {
    throw cause instanceof UsageError ? cause : fail("is not UTF-8 or cannot be read", cause);
  } finally {
    file.close();
  }
}

/** From the quietest to the most verbose. */
const LEVELS = ["silent", "error", "warning", "info", "debug"] as const;
type Level = (typeof LEVELS)[number];

/** Lines on standard error: none while all is well. */
export interface Log {
  write(level: Level, message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Writes a finding about a file, at most 50 in a minute. */
  finding(finding: Finding): void;
  /** Writes why a request failed. */
  failure(cause: unknown, reference?: string): void;
  /** Writes an error of a transport. */
  transportError(error: Error): void;
  /** Writes what nothing has caught. */
  uncaught(cause: unknown): void;
}

/** The most findings that are written in a minute: `check` shows all of them. */
const MAX_FINDINGS = 50;
const MINUTE_MS = 60_000;

/** The log that the options ask for. */
export function createLog(platform: Platform, options: Options, defaultLevel: Level = "warning"): Log {
  const threshold = LEVELS.indexOf(options.get<Level>("log-level") ?? defaultLevel);
  const asJson = options.get("log-format") === "json";
  let findings = 0;
  let minute = performance.now();
  const write: Log["write"] = (level, message, fields = {}) => {
    if (LEVELS.indexOf(level) > threshold) return;
    const pairs = Object.entries(fields).map(([key, value]) => ` ${key}=${value}`);
    const line = asJson
      ? JSON.stringify({ time: new Date().toISOString(), level, message, ...fields })
      : printable(`architrave: ${level}: ${message}${pairs.join("")}`);
    platform.print("error", `${line}\n`);
  };
  return {
    write,
    finding(finding): void {
      const { file, line, severity, rule, message, help } = finding;
      if (performance.now() - minute > MINUTE_MS) {
        minute = performance.now();
        findings = 0;
      }
      if (++findings > MAX_FINDINGS) {
        if (findings === MAX_FINDINGS + 1) write("warning", "There are more findings: run check to see all");
      } else if (asJson) write(severity, message, { file, line, rule, help });
      else write(severity, `${placeOf(finding)}: ${message}. ${help}`);
    },
    failure: (cause, reference) =>
      write("error", `A request failed: ${stackOf(cause)}`, reference === undefined ? {} : { reference }),
    transportError: ({ message }) => write("debug", `Transport error: ${message}`),
    uncaught: (cause) => write("error", `Uncaught error: ${stackOf(cause)}`),
  };
}

/** The stack, which only the operator sees, in one line. */
function stackOf(cause: unknown): string {
  const text = cause instanceof Error ? cause.stack ?? cause.message : String(cause);
  return text.replaceAll(/\s*\n\s*/g, " | ");
}

/** Where a finding is: "docs/a.md:3". */
export function placeOf({ file, line }: Finding): string {
  return line === undefined ? file : `${file}:${line}`;
}

/** A value as the commands print it with `--format json`. */
export function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
