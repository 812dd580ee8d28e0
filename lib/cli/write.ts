/**
 * The only code of the program that writes files. Commands plan changes; without `--write` they are shown as a diff, with it
 * they are made: below one folder, all or none, and never over a file that changed since it was read.
 */

import type { FileSystem, Platform } from "../../deps.ts";
import type { Options } from "./main.ts";
import { pause } from "../base/async.ts";
import { printable } from "../base/text.ts";
import { attempt, isInside, readInside } from "../documents/files.ts";
import { isFolder, toJson } from "./main.ts";
import { lines } from "./text.ts";

/** A file to create, to change or to delete. */
export interface Change {
  /** Where it is, as the user is told. */
  readonly path: string;
  /** Its text when it was read; undefined for a file to create. */
  readonly before: string | undefined;
  /** Undefined for a file to delete. */
  readonly after: string | undefined;
}

/** What is asked for cannot be done: exit code 1. The message says what to do about it. */
export class WriteError extends Error {
  override readonly name = "WriteError";
}

/** Held while changes are planned and made, so that two commands do not use the same number. */
const LOCK = ".architrave-lock";
/** How long a command waits for another one, and between two attempts, in milliseconds. */
const LOCK_WAIT_MS = 1000, LOCK_RETRY_MS = 20;

/** The largest file that is changed, in bytes. */
const MAX_BYTES = 128 * 1024 * 1024;

const encoder = new TextEncoder();
// A byte order mark belongs to the file and is written back.
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The folder that the user named, outside of which nothing is written, and the one in it that is locked, and created. */
type Place = Readonly<Record<"within" | "folder", string>>;

/**
 * Shows the changes that are planned, as a diff or a list of files, or makes them with `--write`. Returns the exit code: 1
 * when the plan throws a `WriteError`.
 */
export async function write(
  platform: Platform,
  options: Options,
  place: Place,
  plan: () => readonly Change[],
  showsDiff = true,
): Promise<number> {
  const isWriting = options.has("write");
  let changes: readonly Change[];
  try {
    const planned = () => plan().filter(({ before, after }) => before !== after);
    changes = await (isWriting ? transact(platform, place, planned) : planned());
  } catch (cause) {
    if (!(cause instanceof WriteError)) throw cause;
    platform.print("error", `architrave: ${printable(cause.message)}\n`);
    return 1;
  }
  const files = changes.map(({ path, before, after }) => {
    const change = before === undefined ? "created" : after === undefined ? "deleted" : "changed";
    if (showsDiff) return { path, change, text: after, diff: unifiedDiff(path, before, after) };
    return { path, change, bytes: encoder.encode(after).length };
  });
  const text = files.map(({ path, change, diff, bytes }) => {
    if (showsDiff) return isWriting ? `${change} ${path}\n` : diff;
    return `${isWriting ? change : change.slice(0, -1)} ${printable(path)} (${bytes} bytes)\n`;
  }).join("");
  // A diff on a pipe is one that can be applied, so it is cleaned for a terminal only.
  const shown = platform.showsOutput && text !== "" ? lines(text) : text;
  const isJson = options.get("format") === "json";
  const result = isJson ? toJson({ written: isWriting, files }) : shown || "There is nothing to change.\n";
  platform.print("output", result);
  if (options.has("check") && files.length > 0) {
    const count = files.length === 1 ? "1 file is" : `${files.length} files are`;
    platform.print("error", `architrave: ${count} not current: --write in place of --check changes them.\n`);
    return 1;
  }
  if (!isWriting && files.length > 0 && platform.interactive) {
    platform.print("error", "architrave: Nothing is written yet: --write makes these changes.\n");
  }
  return 0;
}

/** The text of a file below a folder, with its byte order mark; undefined when it is none. The path may be hidden. */
export function readText(files: FileSystem, path: string, within: string): string | undefined {
  const real = attempt(() => files.realPath(path));
  if (real === undefined || !isInside(real, within, files.separator)) return undefined;
  const folder = real.slice(0, Math.max(1, real.lastIndexOf(files.separator)));
  const content = readInside(files, real, folder, MAX_BYTES);
  return content && attempt(() => decoder.decode(content.bytes));
}

/** Plans and makes changes while no other command does so in the same folder: all of them or none. */
async function transact(
  { files, name: runtime }: Platform,
  { within, folder }: Place,
  plan: () => readonly Change[],
): Promise<readonly Change[]> {
  const writer = await import("../platform/write.ts");
  /** Runs a call of the writer, and says what to do when it fails. */
  const run = <T>(path: string, call: () => T): T => {
    try {
      return call();
    } catch (cause) {
      const { name, code } = cause as { name?: string; code?: string };
      const flag = runtime === "deno" ? "--allow-write" : "--allow-fs-write";
      const isDenied = name === "NotCapable" || code === "ERR_ACCESS_DENIED";
      const reason = isDenied
        ? `the sandbox does not allow it; start the program with ${flag}=${within}`
        : REASONS[code ?? ""] ?? `the system reports ${code ?? name}`;
      throw new WriteError(`Cannot write "${path}": ${reason}`, { cause });
    }
  };
  /** Whether the file was created; false when its path is taken. */
  const create = (path: string, text: string, mode?: number): boolean =>
    run(path, () => writer.create(path, encoder.encode(text), mode));
  /** The real path of what exists below the named folder. Throws when a link leads out of it. */
  const inside = (path: string): string => {
    const [real, outer] = [path, within].map((path) => attempt(() => files.realPath(path)));
    if (real !== undefined && outer !== undefined && isInside(real, outer, files.separator)) return real;
    throw new WriteError(
      `Cannot write "${path}": it is not in "${within}" or a link leads out; name the folder that it is in`,
    );
  };
  /** Creates a folder and those above it, but none outside of the named one. */
  const makeFolder = (path: string): void => {
    if (isFolder(files, path)) return void inside(path);
    if (path !== within) makeFolder(parentOf(path));
    run(path, () => writer.makeFolder(path));
  };
  /** Makes sure that a file to change can be written, and is as it was when that was planned; returns its real path and mode. */
  const check = ({ path, before }: Change): readonly [real: string, mode: number] => {
    const real = inside(path);
    if (readText(files, real, inside(within)) === before) return [real, run(path, () => writer.modeOf(real))];
    throw new WriteError(`Cannot change "${path}": it has changed in the meantime; try again`);
  };
  /** Makes one change, and returns what takes it back; a file is created with a mode, if that is known. */
  const make = (change: Change, mode?: number): () => void => {
    const { path, before, after } = change;
    if (before === undefined) {
      if (after === undefined) return () => {};
      makeFolder(parentOf(path));
      if (create(path, after, mode)) return () => writer.remove(path);
      throw new WriteError(`Cannot create "${path}": it exists, and is not overwritten; choose another name`);
    }
    // A link is not replaced by a file.
    const [real, own] = check(change);
    const undo = () => void make({ path, before: after, after: before }, own);
    if (after === undefined) {
      run(real, () => writer.remove(real));
      return undo;
    }
    const temporary = real.replace(/[^\\/]*$/, `.${crypto.randomUUID()}.tmp`);
    create(temporary, after, own);
    try {
      check(change);
      run(real, () => writer.rename(temporary, real));
    } catch (cause) {
      writer.remove(temporary);
      throw cause;
    }
    return undo;
  };
  const lock = `${folder}/${LOCK}`;
  makeFolder(folder);
  for (const start = performance.now(); !create(lock, "");) {
    if (performance.now() - start > LOCK_WAIT_MS) {
      throw new WriteError(
        `Cannot write in "${folder}": another command is writing there; if none is, one was interrupted: delete "${lock}"`,
      );
    }
    await pause(LOCK_RETRY_MS);
  }
  const made: { path: string; undo(): void }[] = [];
  try {
    const changes = plan();
    // Nothing is begun that cannot be finished.
    for (const change of changes) if (change.before !== undefined) check(change);
    for (const change of changes) made.push({ path: change.path, undo: make(change) });
    return changes;
  } catch (cause) {
    const left = made.toReversed().filter(({ undo }) => !attempt(() => (undo(), true)));
    if (left.length === 0 || !(cause instanceof WriteError)) throw cause;
    const paths = left.map(({ path }) => `"${path}"`).join(", ");
    throw new WriteError(`${cause.message}; this was written before and could not be taken back: ${paths}`);
  } finally {
    run(lock, () => writer.remove(lock));
  }
}

/** The path of the folder that a path is in; empty at the top. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** Why a write fails, by the system's code. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: "its permissions do not allow it; change them, or run this as its owner",
  EPERM: "the system does not allow it; name another folder, or run this as its owner",
  EEXIST: "a file is in the place of a folder; rename one of them, or name another folder",
  ENOTDIR: "a file is in the place of a folder; rename one of them, or name another folder",
  ENOSPC: "the disk is full; free some of it",
  ENAMETOOLONG: "the name is too long; shorten it",
  EROFS: "the file system is read-only; name another folder",
};

const CONTEXT = 3;
/** The most lines that are removed and added one by one; memory grows with its square. Beyond it, all lines are replaced. */
const MAX_EDITS = 1000;

/** The unified diff of two texts, undefined for a file that is not there; empty when they are equal. */
export function unifiedDiff(path: string, before: string | undefined, after: string | undefined): string {
  if (before === after) return "";
  const rows = rowsOf(linesOf(before ?? ""), linesOf(after ?? ""));
  const isNear = (row: number): boolean =>
    rows.slice(Math.max(0, row - CONTEXT), row + CONTEXT + 1).some(([mark]) => mark !== " ");
  // An absolute path is that of a tree at the root.
  const name = path.replace(/^(?:\.?\/)+/, "");
  const old = before === undefined ? "/dev/null" : `a/${name}`;
  const now = after === undefined ? "/dev/null" : `b/${name}`;
  const text = [`--- ${old}\n+++ ${now}\n`];
  const shown = { "-": 0, "+": 0 };
  for (let start = 0, end = 0; start < rows.length; start = end) {
    const isHunk = isNear(start);
    while (end < rows.length && isNear(end) === isHunk) end++;
    const part = rows.slice(start, end);
    const range = (side: "-" | "+"): string => {
      const count = part.filter(([mark]) => mark === " " || mark === side).length;
      // An empty range is named by the line before it.
      const first = shown[side] + (count === 0 ? 0 : 1);
      shown[side] += count;
      return `${side}${first}${count === 1 ? "" : `,${count}`}`;
    };
    const head = `@@ ${range("-")} ${range("+")} @@\n`;
    const ends = (line: string) => line.endsWith("\n") ? line : `${line}\n\\ No newline at end of file\n`;
    if (isHunk) text.push(head, part.map(([mark, line]) => mark + ends(line)).join(""));
  }
  return text.join("");
}

/** The lines of a text with their ends. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** All lines of both texts: " " for one of both, "-" for one that is removed, "+" for one that is added. */
function rowsOf(old: readonly string[], now: readonly string[]): (readonly [" " | "-" | "+", string])[] {
  let [x, y] = [0, 0];
  return [...commonLines(old, now), [old.length, now.length] as const].flatMap(([nextX, nextY]) => {
    const removed = old.slice(x, nextX).map((line) => ["-", line] as const);
    const added = now.slice(y, nextY).map((line) => ["+", line] as const);
    const common = old.slice(nextX, nextX + 1).map((line) => [" ", line] as const);
    [x, y] = [nextX + 1, nextY + 1];
    return [...removed, ...added, ...common];
  });
}

/** The places of a longest common subsequence in both texts (E. W. Myers, "An O(ND) Difference Algorithm"); none when it takes too many edits to find it. */
function commonLines(old: readonly string[], now: readonly string[]): (readonly [number, number])[] {
  const middle = MAX_EDITS + 1;
  /** By diagonal x - y, how far into the old text the edits so far lead. */
  const front = new Int32Array(2 * middle + 1);
  const fronts: Int32Array[] = [];
  /** The end of the edits that the last one is added to, and its diagonal; an added line leads down, a removed one right. */
  const previous = (front: Int32Array, diagonal: number, cost: number): [x: number, diagonal: number] => {
    const [left, right] = [front[middle + diagonal - 1]!, front[middle + diagonal + 1]!];
    const isDown = diagonal === -cost || (diagonal !== cost && left < right);
    return isDown ? [right, diagonal + 1] : [left, diagonal - 1];
  };
  for (let cost = 0; cost <= MAX_EDITS; cost++) {
    fronts.push(front.slice());
    for (let diagonal = -cost; diagonal <= cost; diagonal += 2) {
      const [from, other] = previous(front, diagonal, cost);
      let x = other > diagonal ? from : from + 1;
      while (x < old.length && x - diagonal < now.length && old[x] === now[x - diagonal]) x++;
      front[middle + diagonal] = x;
      if (diagonal !== old.length - now.length || x < old.length) continue;
      return fronts.toReversed().flatMap((before, index) => {
        const [from, other] = previous(before, diagonal, cost - index);
        const common = Array.from({ length: x - (other > diagonal ? from : from + 1) }, () => {
          return [--x, x - diagonal] as const;
        });
        [x, diagonal] = [from, other];
        return common;
      }).reverse();
    }
  }
  return [];
}
