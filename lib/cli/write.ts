/** The only code of the program that writes files: below one folder, all changes or none, and over no file that has changed since. */

import type { FileSystem, Platform } from "../platform/platform.ts";
import type { Options } from "./options.ts";
import { pause } from "../base/async.ts";
import { compact } from "../base/json.ts";
import { attempt, count, printable } from "../base/text.ts";
import { isInside, readInside } from "../documents/files.ts";
import { unifiedDiff } from "./diff.ts";
import { CommandError, UsageError } from "./options.ts";
import { isFolder } from "./folders.ts";
import { emit } from "./io.ts";
import { isDenied } from "./path_problem.ts";
import { parentOf } from "./paths.ts";
import { safeText } from "./table.ts";

/** A file to create, change or delete: its text before and after. The path is shown to the user. */
export interface FileChange {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Plans changes. `read` gives the text of a file with its byte order mark; undefined when it is not a text file. */
type Plan = (read: (path: string) => string | undefined) => readonly FileChange[];

/** A file that exists while changes are planned and made, so that two commands do not use the same number. */
const LOCK = ".architrave-lock";
/** Time for which a command waits for another one, in milliseconds. */
const LOCK_WAIT_MS = 1000;
/** Time between two attempts, in milliseconds. */
const LOCK_RETRY_MS = 20;
/** Maximum size of a file that is changed, in bytes. */
const MAX_BYTES = 128 * 1024 * 1024;

const encoder = new TextEncoder();
// A byte order mark belongs to the file and is written back.
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** What is shown, and where it is allowed to write. */
interface Shown {
  /** The folder that the user named. Nothing outside of it is written. @default {the folder with the changes} */
  readonly within?: string;
  /** Whether a diff is shown, else a list of files. @default {true} */
  readonly showsDiff?: boolean;
  /** Whether the files that stay as they are are counted. @default {false} */
  readonly countsSame?: boolean;
}

/**
 * Shows the changes that are planned for a folder, as a diff or a list of files, or makes them with `--write`. Returns the exit
 * code: with `--check`, it is 1 when a file is not current.
 */
export async function write(
  platform: Platform,
  options: Options,
  folder: string,
  plan: Plan,
  { within = folder, showsDiff = true, countsSame = false }: Shown = {},
): Promise<number> {
  const isWriting = options.has("write"), isCheck = options.has("check");
  if (isWriting && isCheck) throw new UsageError("Use either --write or --check");
  if (attempt(() => platform.files.status(folder).kind) === "file") {
    throw new CommandError(`Cannot write in "${folder}": it is a file; name a folder`);
  }
  let same = 0;
  const planned = () => {
    const { files } = platform, real = attempt(() => files.realPath(within)) ?? within;
    const all = plan((path) => readText(files, path, real));
    const changes = all.filter(({ path, before, after }) => {
      if (before === undefined && attempt(() => files.status(path))) throw takenError(path);
      return before !== after;
    });
    same = all.length - changes.length;
    return changes;
  };
  const changes = isWriting ? await transact(platform, folder, within, planned) : planned();
  const files = changes.map(({ path, before, after }) => {
    const change = before === undefined ? "created" : after === undefined ? "deleted" : "changed";
    if (showsDiff) return { path, change, text: after, diff: unifiedDiff(path, before, after) };
    return { path, change, bytes: encoder.encode(after).length };
  });
  const text = files.map(({ path, change, diff, bytes }) => {
        if (showsDiff) return isWriting ? `${change} ${path}\n` : diff;
        return `${isWriting ? change : change.slice(0, -1)} ${printable(path)} (${bytes} bytes)\n`;
      }).join("") + (countsSame && same > 0 ? `${count(same, "file")} the same\n` : "") ||
    "There is nothing to change.\n";
  // A diff on a pipe is one that can be applied, so it is cleaned for a terminal only.
  emit(
    platform,
    options,
    compact({ written: isWriting, files, same: countsSame ? same : undefined }),
    () => platform.showsOutput ? safeText(text) : text,
  );
  if (isWriting || files.length === 0) return 0;
  const are = files.length === 1 ? "1 file is" : `${files.length} files are`;
  const hint = isCheck
    ? `${are} not current: --write instead of --check changes them`
    : "Nothing is written yet: --write makes these changes";
  if (isCheck || platform.interactive) platform.print("error", `architrave: ${hint}.\n`);
  return isCheck ? 1 : 0;
}

/** The text of a file below a folder; undefined when it is not a text file. The path may be hidden. */
function readText(files: FileSystem, path: string, within: string): string | undefined {
  const real = attempt(() => files.realPath(path));
  if (real === undefined || !isInside(real, within, files.separator)) return undefined;
  const folder = real.slice(0, Math.max(1, real.lastIndexOf(files.separator)));
  const content = readInside(files, real, folder, MAX_BYTES);
  return content && attempt(() => decoder.decode(content.bytes));
}

/** Plans and makes changes while no other command does so in the same folder: all of them or none. */
async function transact({ files, name }: Platform, folder: string, within: string, plan: () => FileChange[]) {
  const writer = await import("../platform/write.ts");
  /** Runs a call of the writer, and says what to do when it fails. */
  const run = <T>(path: string, call: () => T): T => {
    try {
      return call();
    } catch (cause) {
      const { code = "", name: kind } = cause as { name?: string; code?: string };
      const flag = name === "deno" ? "--allow-write" : "--allow-fs-write";
      const reason = isDenied(cause)
        ? `the sandbox does not allow it; start the program with ${flag}="${within}"`
        : REASONS[code] ?? `the system reports ${code || kind}`;
      throw new CommandError(`Cannot write "${path}": ${reason}`, { cause });
    }
  };
  const create = (path: string, text: string, mode: number | undefined): boolean =>
    run(path, () => writer.create(path, encoder.encode(text), mode));
  /** The real path of what exists below the named folder. Throws when a link leads out of it. */
  const inside = (path: string): string => {
    const [real, outer] = [path, within].map((path) => attempt(() => files.realPath(path)));
    if (real !== undefined && outer !== undefined && isInside(real, outer, files.separator)) return real;
    throw new CommandError(
      `Cannot write "${path}": it is not in "${within}" or a link leads out; name the folder that it is in`,
    );
  };
  /** Creates a folder and those above it, up to the named one. */
  const makeFolder = (path: string): void => {
    if (isFolder(files, path)) return void inside(path);
    if (path !== within) makeFolder(parentOf(path));
    run(path, () => writer.makeFolder(path));
  };
  const modes = new Map<string, number>();
  /** Makes sure that a file can be written, and is as it was when its change was planned; returns its real path. */
  const check = ({ path, before }: FileChange): string => {
    const real = inside(path);
    modes.set(path, run(path, () => writer.modeOf(real)));
    if (readText(files, real, inside(within)) === before) return real;
    throw new CommandError(`Cannot change "${path}": it has changed in the meantime; try again`);
  };
  /** Makes a change, and returns the one that undoes it. */
  const make = (change: FileChange): FileChange => {
    const { path, before, after } = change, undo = { path, before: after, after: before };
    if (before === undefined) {
      makeFolder(parentOf(path));
      if (create(path, after!, modes.get(path))) return undo;
      throw takenError(path);
    }
    // A link is not replaced by a file.
    const real = check(change);
    if (after === undefined) {
      run(real, () => writer.remove(real));
      return undo;
    }
    const temporary = real.replace(/[^\\/]*$/, `.${crypto.randomUUID()}.tmp`);
    create(temporary, after, modes.get(path));
    try {
      check(change);
      run(real, () => writer.rename(temporary, real));
      return undo;
    } catch (cause) {
      writer.remove(temporary);
      throw cause;
    }
  };
  const lock = `${folder}/${LOCK}`;
  makeFolder(folder);
  const start = performance.now();
  while (!run(folder, () => writer.create(lock, new Uint8Array()))) {
    if (performance.now() - start > LOCK_WAIT_MS) {
      throw new CommandError(
        `Cannot write in "${folder}": another command is writing there; if none is, one was interrupted: delete "${lock}"`,
      );
    }
    await pause(LOCK_RETRY_MS);
  }
  const undoing: FileChange[] = [];
  try {
    const changes = plan();
    // Nothing is written unless all changes can be made.
    for (const change of changes) if (change.before !== undefined) check(change);
    for (const change of changes) undoing.push(make(change));
    return changes;
  } catch (cause) {
    const left = undoing.toReversed().filter((change) => !attempt(() => make(change)));
    if (left.length === 0 || !(cause instanceof CommandError)) throw cause;
    const paths = left.map(({ path }) => `"${path}"`).join(", ");
    throw new CommandError(
      `${cause.message}; these files were written before and could not be restored: ${paths}`,
    );
  } finally {
    run(lock, () => writer.remove(lock));
  }
}

function takenError(path: string): CommandError {
  return new CommandError(
    `Cannot create "${path}": it exists, and is not overwritten; choose another name or folder`,
  );
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "its permissions do not allow it; change them, or run this as its owner",
  EPERM: "the system does not allow it; name another folder, or run this as its owner",
  EEXIST: "a file is in the place of a folder; rename one of them, or name another folder",
  ENOTDIR: "a file is in the place of a folder; rename one of them, or name another folder",
  ENOSPC: "the disk is full; free some of it",
  ENAMETOOLONG: "the name is too long; shorten it",
  EROFS: "the file system is read-only; name another folder",
};
