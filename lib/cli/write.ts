/**
 * The only code of the program that writes files. Commands plan changes; without `--write` they are shown as a diff, with it
 * they are made: below one folder, all or none, and never over a file that changed since it was read.
 */

import type { FileSystem, Platform } from "../../deps.ts";
import type { FileWriter } from "../platform/write.ts";
import type { Options } from "./main.ts";
import { pause } from "../base/async.ts";
import { printable } from "../base/text.ts";
import { attempt, isInside, readInside } from "../documents/files.ts";
import { MAX_DOCUMENT_BYTES } from "../documents/scanner.ts";
import { unifiedDiff } from "./diff.ts";
import { toJson } from "./program.ts";

/** A file to create or to change. */
export interface Change {
  /** Where it is, as the user is told. */
  readonly path: string;
  /** Its text when it was read; undefined for a file to create. */
  readonly before: string | undefined;
  readonly after: string;
}

/** What is asked for cannot be done: exit code 1. The message says what to do about it. */
export class WriteError extends Error {
  override readonly name = "WriteError";
}

/** Held while changes are planned and made, so that two commands do not use the same number. */
const LOCK = ".architrave-lock";
/** How long a command waits for another one, and between two attempts, in milliseconds. */
const LOCK_WAIT_MS = 2000, LOCK_RETRY_MS = 20;

const encoder = new TextEncoder();
// A byte order mark belongs to the file and is written back.
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Shows changes, or makes them with `--write`. Returns the exit code.
 *
 * @param within The folder that the user named: nothing is written outside.
 * @param folder The folder that is locked; created with `--write` if it does not exist.
 * @param plan Reads the files and returns the changes. Called once; throws a `WriteError` when they cannot be made.
 */
export async function write(
  platform: Platform,
  options: Options,
  { within, folder }: { readonly within: string; readonly folder: string },
  plan: () => readonly Change[],
): Promise<number> {
  const isWriting = options.has("write");
  let changes: readonly Change[];
  try {
    if (isWriting) {
      const { loadFileWriter } = await import("../platform/write.ts");
      const transaction = new Transaction(platform, await loadFileWriter(), within);
      changes = await transaction.locked(folder, plan);
    } else changes = plan();
  } catch (cause) {
    if (!(cause instanceof WriteError)) throw cause;
    platform.print("error", `architrave: ${printable(cause.message)}\n`);
    return 1;
  }
  const files = changes.map(({ path, before, after }) => ({
    path,
    change: before === undefined ? "created" : "changed",
    text: after,
    diff: unifiedDiff(path, before, after),
  }));
  const text = files.map(({ path, change, diff }) =>
    isWriting ? `${change} ${printable(path)}\n` : clean(diff)
  );
  const isJson = options.get("format") === "json";
  platform.print(
    "output",
    isJson ? toJson({ written: isWriting, files }) : text.join("") || "There is nothing to change.\n",
  );
  if (!isWriting && files.length > 0 && platform.interactive) {
    platform.print("error", "architrave: Nothing is written yet: --write makes these changes.\n");
  }
  return 0;
}

/** The text of a file below a folder, with its byte order mark; undefined when it does not exist or is no text. */
export function readText(files: FileSystem, path: string, within: string): string | undefined {
  const content = readInside(files, path, within, MAX_DOCUMENT_BYTES);
  return content && attempt(() => decoder.decode(content.bytes));
}

/** Spells out control characters, but not the ends of lines, so that the diff can be applied. */
function clean(diff: string): string {
  return diff.replace(/(?!\t|\r?\n)[\p{Cc}\p{Cf}\u2028\u2029]/gu, printable);
}

class Transaction {
  readonly #platform: Platform;
  readonly #writer: FileWriter;
  readonly #within: string;
  /** The changes that were made, and what takes each back. */
  readonly #made: { readonly path: string; undo(): void }[] = [];

  constructor(platform: Platform, writer: FileWriter, within: string) {
    this.#platform = platform;
    this.#writer = writer;
    this.#within = within;
  }

  /** Plans and makes changes while no other command does so in the same folder. */
  async locked(folder: string, plan: () => readonly Change[]): Promise<readonly Change[]> {
    const lock = `${folder}/${LOCK}`;
    this.#makeFolder(this.#within);
    this.#check({ path: folder, before: undefined });
    this.#makeFolder(folder);
    for (const start = performance.now(); !this.#create(lock, "");) {
      if (performance.now() - start > LOCK_WAIT_MS) {
        throw new WriteError(
          `Cannot write in "${folder}": another command is writing there; if none is, it was interrupted: delete "${lock}"`,
        );
      }
      await pause(LOCK_RETRY_MS);
    }
    try {
      const changes = plan();
      try {
        // Nothing is begun that cannot be finished.
        for (const change of changes) this.#check(change);
        for (const change of changes) this.#make(change);
      } catch (cause) {
        throw this.#undone(cause);
      }
      return changes;
    } finally {
      this.#try(lock, () => this.#writer.remove(lock));
    }
  }

  /** Takes back all changes; returns the error to report. */
  #undone(cause: unknown): unknown {
    const isLeft = this.#made.toReversed().filter(({ undo }) => attempt(() => (undo(), true)) === undefined);
    if (isLeft.length === 0 || !(cause instanceof WriteError)) return cause;
    const paths = isLeft.map(({ path }) => `"${path}"`).join(", ");
    return new WriteError(`${cause.message}; what was written before cannot be taken back: ${paths}`, {
      cause,
    });
  }

  /** Makes sure that a file is where it seems to be, and as it was when the change was planned. */
  #check({ path, before }: Pick<Change, "path" | "before">): void {
    const { files } = this.#platform;
    const within = attempt(() => files.realPath(this.#within));
    const existing = before === undefined ? this.#nearestFolder(path) : path;
    const real = attempt(() => files.realPath(existing));
    if (within === undefined || real === undefined || !isInside(real, within, files.separator)) {
      throw new WriteError(
        `Cannot write "${path}": it is outside of "${this.#within}", or a link leads out; name the folder that it is in`,
      );
    }
    if (before === undefined) return;
    if (readText(files, real, within) === before) return;
    throw new WriteError(
      `Cannot change "${path}": it was changed meanwhile; nothing is written, so try again`,
    );
  }

  #make(change: Change): void {
    const { path, before, after } = change;
    if (before === undefined) {
      this.#makeFolder(path.slice(0, path.lastIndexOf("/")));
      this.#check(change);
      if (!this.#create(path, after)) {
        throw new WriteError(
          `Cannot create "${path}": it exists already, and no file is overwritten; choose another name`,
        );
      }
      this.#made.push({ path, undo: () => this.#writer.remove(path) });
      return;
    }
    // A link is not replaced by a file.
    const real = this.#platform.files.realPath(path);
    this.#replace(change, real);
    this.#made.push({ path, undo: () => this.#replace({ path, before: after, after: before }, real) });
  }

  #replace(change: Change, real: string): void {
    const slash = Math.max(real.lastIndexOf("/"), real.lastIndexOf("\\"));
    const temporary = `${real.slice(0, slash)}/.${crypto.randomUUID()}.tmp`;
    this.#create(temporary, change.after, real);
    try {
      this.#check(change);
      this.#try(real, () => this.#writer.rename(temporary, real));
    } catch (cause) {
      this.#writer.remove(temporary);
      throw cause;
    }
  }

  #makeFolder(path: string): void {
    this.#try(path, () => this.#writer.makeFolder(path));
  }

  /** Whether the file was created; false when its path is taken. */
  #create(path: string, text: string, like?: string): boolean {
    return this.#try(path, () => {
      try {
        this.#writer.create(path, encoder.encode(text), like);
        return true;
      } catch (cause) {
        if ((cause as { code?: unknown }).code === "EEXIST") return false;
        throw cause;
      }
    });
  }

  /** The path, or the folder above it that exists. */
  #nearestFolder(path: string): string {
    const { files } = this.#platform;
    let folder = path;
    while (attempt(() => files.realPath(folder)) === undefined && folder.includes("/")) {
      folder = folder.slice(0, folder.lastIndexOf("/"));
    }
    return folder || "/";
  }

  /** Runs a call of the writer, and says what to do when it fails. */
  #try<T>(path: string, call: () => T): T {
    try {
      return call();
    } catch (cause) {
      const { name, code } = cause as { name?: string; code?: string };
      const flag = this.#platform.name === "deno" ? "--allow-write" : "--allow-fs-write";
      const isDenied = name === "NotCapable" || code === "ERR_ACCESS_DENIED";
      const reason = isDenied
        ? `the sandbox does not allow it; start the program with ${flag}=${this.#within}`
        : REASONS[code ?? ""] ?? `the system reports ${code ?? name}`;
      throw new WriteError(`Cannot write "${path}": ${reason}`, { cause });
    }
  }
}

/** Why a write fails, by the system's code. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: "its permissions do not allow it; change them, or run this as its owner",
  EDQUOT: "the disk quota is used up",
  EEXIST: "a file is in the place of a folder; name another folder",
  ENAMETOOLONG: "the name is too long; choose a shorter title",
  ENOENT: "its folder does not exist",
  ENOSPC: "the disk is full",
  ENOTDIR: "a file is in the place of a folder; name another folder",
  EPERM: "its permissions do not allow it; change them, or run this as its owner",
  EROFS: "the file system is read-only",
};
