/**
 * Makes changes in a folder: all of them or none. They are prepared in the lock of the folder, and a journal there says what is
 * being changed, so that the next command can take back what one that was killed has changed.
 */

import type { FileSystem, Platform } from "../platform/platform.ts";
import type { FolderLock, Tools } from "./folder_lock.ts";
import { sha256 } from "../base/bytes.ts";
import { attempt } from "../base/text.ts";
import { isInside, readInside } from "../documents/files.ts";
import { CommandError } from "./options.ts";
import { LOCK, lockFolder } from "./folder_lock.ts";
import { exists } from "./find_folder.ts";
import { isFolder } from "./folders.ts";
import { isDenied, toAllow } from "./path_problem.ts";
import { parentOf } from "./paths.ts";

/** Maximum size of a file that is changed, in bytes. */
const MAX_BYTES = 128 * 1024 * 1024;

const encoder = new TextEncoder();
// A byte order mark belongs to the file and is written back.
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** What a file has: text, or bytes that are not text. */
export type Written = string | Uint8Array<ArrayBuffer>;

export const bytesOf = (content: Written = ""): Uint8Array<ArrayBuffer> =>
  typeof content === "string" ? encoder.encode(content) : content;

/** A file to create, change or delete: what it has before and after. The path is shown to the user. */
export interface FileChange {
  readonly path: string;
  readonly before: Written | undefined;
  readonly after: Written | undefined;
}

/** A change in a journal: the path in the folder, and the SHA-256 of the text before and after; null for no file. */
interface Step {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** What is being changed: the steps in their order, and the folders that are made for them, outer ones first. */
interface Journal {
  readonly steps: readonly Step[];
  readonly folders: readonly string[];
}

/** The text of a file below a folder; undefined when it is not a text file. The path may be hidden. */
export function readText(files: FileSystem, path: string, within: string): string | undefined {
  const bytes = readWhole(files, path, within);
  return bytes && attempt(() => decoder.decode(bytes));
}

/** The bytes of a file below a folder; undefined when it is not a file there. The path may be hidden. */
export function readWhole(
  files: FileSystem,
  path: string,
  within: string,
): Uint8Array<ArrayBuffer> | undefined {
  const real = attempt(() => files.realPath(path));
  if (real === undefined || !isInside(real, within, files.separator)) return undefined;
  const folder = real.slice(0, Math.max(1, real.lastIndexOf(files.separator)));
  return readInside(files, real, folder, MAX_BYTES)?.bytes as Uint8Array<ArrayBuffer> | undefined;
}

const isSame = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, index) => byte === other[index]);

/** Whether an interrupted command, or one that is running, has changed a part of what it changes. */
export function isInterrupted(files: FileSystem, folder: string): boolean {
  return attempt(() => files.status(`${folder}/${LOCK}/journal`)) !== undefined;
}

/** The error of a file that exists. Some systems take names for the same that differ only in case. */
export function takenError(path: string, taken: string = path): CommandError {
  const other = taken === path
    ? "it exists, and is not overwritten"
    : `"${taken}" differs from it only in case`;
  return new CommandError(`Cannot create "${path}": ${other}; choose another name or folder`);
}

/**
 * Plans and makes changes while no other command does so in the same folder. `report` gets a sentence about an interrupted
 * command whose changes are taken back first. With `isDurable`, a power cut leaves what a killed process leaves. Throws a
 * `CommandError` when nothing was changed.
 */
export async function transact(
  { files, name }: Platform,
  folder: string,
  within: string,
  plan: () => Promise<readonly FileChange[]>,
  report: (sentence: string) => void,
  isDurable: boolean,
): Promise<readonly FileChange[]> {
  const [writer, owner] = await Promise.all([
    import("../platform/write.ts"),
    import("../platform/owner.ts"),
  ]);
  const tools: Tools = { files, writer, owner };
  const toError = (path: string, cause: unknown): CommandError => {
    if (cause instanceof CommandError) return cause;
    const { code = "", name: kind } = cause as { name?: string; code?: string };
    const reason = isDenied(cause)
      ? `the sandbox does not allow it; ${toAllow(name, "write", within)}`
      : REASONS[code] ?? `the system reports ${code || kind}`;
    return new CommandError(`Cannot write "${path}": ${reason}`, { cause });
  };
  /** Runs a call of the writer, and says what to do when it fails. */
  const run = <T>(path: string, call: () => T): T => {
    try {
      return call();
    } catch (cause) {
      throw toError(path, cause);
    }
  };
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
  /** Waits until the names of some paths are on the disk. */
  const sync = (paths: readonly string[]): void => {
    if (isDurable) { for (const path of new Set(paths.map(parentOf))) writer.syncFolder(path); }
  };
  const modes = new Map<string, number>();
  /** Makes sure that a file can be written, and is as it was when its change was planned; returns its real path. */
  const check = ({ path, before }: FileChange): string => {
    const real = inside(path);
    modes.set(path, run(path, () => writer.modeOf(real)));
    const now = readWhole(files, real, inside(within));
    if (now && isSame(now, bytesOf(before))) return real;
    throw new CommandError(`Cannot change "${path}": it has changed in the meantime; try again`);
  };

  /** Writes the texts of changes into the lock; nothing else has changed when that fails. */
  const prepare = (lock: FolderLock, changes: readonly FileChange[]): void => {
    for (const [index, { path, before, after }] of changes.entries()) {
      const keep = (kind: string, content: Written) => {
        const kept = `${lock.path}/${index}.${kind}`;
        run(path, () => writer.create(kept, bytesOf(content), modes.get(path), isDurable));
      };
      if (after !== undefined) keep("new", after);
      // One change needs no journal: it is made by one call.
      if (before !== undefined && changes.length > 1) keep("old", before);
    }
  };
  const writeJournal = async (
    lock: FolderLock,
    changes: readonly FileChange[],
    folders: readonly string[],
  ): Promise<Journal> => {
    const digest = async (content: Written | undefined) =>
      content === undefined ? null : await sha256(bytesOf(content));
    const steps: Step[] = [];
    for (const { path, before, after } of changes) {
      steps.push({ path: withinFolder(path), before: await digest(before), after: await digest(after) });
    }
    const draft = `${lock.path}/draft`, journal = { steps, folders };
    run(folder, () => writer.create(draft, encoder.encode(JSON.stringify(journal)), undefined, isDurable));
    run(folder, () => writer.rename(draft, `${lock.path}/journal`));
    sync([draft, lock.path]);
    return journal;
  };
  const withinFolder = (path: string): string => path.slice(folder.length + 1);

  /** Creates a file, or changes or deletes the one at `real`: a link is not replaced by a file. Returns false if it exists. */
  const apply = (prepared: string, path: string, real: string | undefined, isDeleted: boolean): boolean => {
    if (real === undefined) makeFolder(parentOf(path));
    return run(path, () => {
      if (real === undefined) return writer.place(prepared, path);
      if (isDeleted) writer.remove(real);
      else writer.rename(prepared, real);
      return true;
    });
  };
  const make = (lock: FolderLock, index: number, change: FileChange): void => {
    const { path, before, after } = change, real = before === undefined ? undefined : check(change);
    if (!apply(`${lock.path}/${index}.new`, path, real, after === undefined)) throw takenError(path);
  };

  /** What a file is now: as before a change, as after it, or neither. */
  const stateOf = async ({ path, before, after }: Step): Promise<"before" | "after" | "edited"> => {
    const whole = `${folder}/${path}`;
    const bytes = readWhole(files, whole, inside(within));
    const isPresent = exists(files, whole);
    const now = bytes === undefined ? (isPresent ? undefined : null) : await sha256(bytes);
    return now === before ? "before" : now === after ? "after" : "edited";
  };
  /** The path of a file that does not exist, in a folder that does. */
  const targetOf = (path: string): string => {
    inside(parentOf(path));
    return path;
  };
  /** Whether a change was not made yet, as its text is still in the lock. */
  const isPrepared = (lock: FolderLock, index: number, { after }: Step): boolean =>
    after === null || attempt(() => files.status(`${lock.path}/${index}.new`)) !== undefined;
  /** Takes back changes. Returns the paths of those that could not be, because a file was edited or cannot be written. */
  const takeBack = async (lock: FolderLock, { steps, folders }: Journal): Promise<string[]> => {
    const left: string[] = [];
    for (const [index, step] of [...steps.entries()].reverse()) {
      const path = `${folder}/${step.path}`, state = await stateOf(step);
      if (state === "before") continue;
      if (state === "edited" && isPrepared(lock, index, step)) continue;
      const isDone = state === "after" && attempt(() => {
        if (step.before === null) writer.remove(path);
        else writer.rename(`${lock.path}/${index}.old`, step.after === null ? targetOf(path) : inside(path));
        return true;
      });
      if (!isDone) left.push(path);
    }
    sync(steps.map(({ path }) => `${folder}/${path}`));
    // Those with other files in them stay.
    for (const path of folders.toReversed()) attempt(() => writer.removeFolder(`${folder}/${path}`));
    return left;
  };

  /** Takes back what an interrupted command has changed, or finishes it when a file was edited since. Returns what to say. */
  const recover = async (lock: FolderLock): Promise<string | undefined> => {
    const path = `${lock.path}/journal`,
      text = attempt(() => files.status(path)) && readText(files, path, inside(within));
    if (text === undefined) return undefined;
    const journal = attempt(() => readJournal(text));
    if (!journal) {
      throw new CommandError(
        `Cannot write in "${folder}": an interrupted command has left "${path}", which cannot be read; check the files that it names, and delete "${lock.path}"`,
      );
    }
    const changed: string[] = [], pending: number[] = [];
    let isEdited = false;
    for (const [index, step] of journal.steps.entries()) {
      const state = await stateOf(step), isMade = state === "edited" && !isPrepared(lock, index, step);
      if (state === "after" || isMade) changed.push(`"${folder}/${step.path}"`);
      if (state === "before") pending.push(index);
      isEdited ||= isMade;
    }
    const were = `A command was interrupted in "${folder}"`;
    if (!isEdited) {
      const left = await takeBack(lock, journal), paths = left.map((path) => `"${path}"`).join(", ");
      if (left.length > 0) {
        throw new CommandError(
          `${were}, and its changes cannot be taken back in ${paths}: make them writable`,
        );
      }
      return changed.length === 0
        ? undefined
        : `${were}; its changes were taken back in ${changed.join(", ")}`;
    }
    for (const index of pending) {
      const { path, before, after } = journal.steps[index]!, whole = `${folder}/${path}`;
      const real = before === null ? undefined : inside(whole);
      apply(`${lock.path}/${index}.new`, whole, real, after === null);
      changed.push(`"${whole}"`);
    }
    sync(journal.steps.map(({ path }) => `${folder}/${path}`));
    return `${were} and a file was edited since; its changes were finished in ${changed.join(", ")}`;
  };

  /** The folders that are made for the lock, inner ones first. */
  const made: string[] = [];
  for (let path = folder; path !== "" && !isFolder(files, path); path = parentOf(path)) made.push(path);
  const removeMade = () => made.forEach((path) => attempt(() => writer.removeFolder(path)));
  makeFolder(folder);
  let lock: FolderLock;
  try {
    lock = await lockFolder(tools, folder);
  } catch (cause) {
    removeMade();
    throw toError(folder, cause);
  }
  let isLeft = true;
  try {
    // While there is a journal, the lock stays, so that the next command can take the changes back.
    const sentence = await recover(lock);
    if (sentence !== undefined) report(sentence);
    const isJournal = files.list(lock.path).some(({ name }) => name === "journal");
    if (isJournal) run(folder, () => writer.remove(`${lock.path}/journal`));
    isLeft = false;
    for (const { name } of files.list(lock.path)) {
      if (!name.startsWith("owner.")) run(folder, () => writer.removeAll(`${lock.path}/${name}`));
    }
    const changes = await plan();
    // Nothing is written unless all changes can be made.
    for (const change of changes) if (change.before !== undefined) check(change);
    prepare(lock, changes);
    const folders = changes.length > 1 || changes[0]?.before === undefined
      ? missingFolders(files, folder, changes)
      : [];
    const isJournaled = changes.length > 1 || folders.length > 0;
    const paths = changes.map(({ path }) => path);
    if (!isJournaled) {
      for (const [index, change] of changes.entries()) make(lock, index, change);
      sync(paths);
      return changes;
    }
    const journal = await writeJournal(lock, changes, folders);
    isLeft = true;
    try {
      for (const [index, change] of changes.entries()) make(lock, index, change);
      sync([...paths, ...folders.map((path) => `${folder}/${path}`)]);
    } catch (cause) {
      if (!lock.isHeld()) {
        throw new CommandError(`Cannot write in "${folder}": another command has taken over; try again`, {
          cause,
        });
      }
      const left = await takeBack(lock, journal), paths = left.map((path) => `"${path}"`).join(", ");
      if (left.length > 0) {
        throw new CommandError(
          `${(cause as Error).message}; these files were written before and could not be restored: ${paths}`,
          { cause },
        );
      }
      run(folder, () => writer.remove(`${lock.path}/journal`));
      isLeft = false;
      throw cause;
    }
    run(folder, () => writer.remove(`${lock.path}/journal`));
    isLeft = false;
    return changes;
  } finally {
    if (!isLeft) {
      attempt(() => lock.release());
      removeMade();
    }
  }
}

/** The folders, in a folder, that changes need and that do not exist; outer ones first. */
function missingFolders(files: FileSystem, folder: string, changes: readonly FileChange[]): string[] {
  const missing = new Set<string>();
  const add = (path: string): void => {
    if (path.length <= folder.length || missing.has(path.slice(folder.length + 1)) || isFolder(files, path)) {
      return;
    }
    add(parentOf(path));
    missing.add(path.slice(folder.length + 1));
  };
  for (const { path, before } of changes) if (before === undefined) add(parentOf(path));
  return [...missing];
}

/** Reads a journal. Throws an error for any other text. */
function readJournal(text: string): Journal {
  const { steps, folders } = JSON.parse(text) as Journal;
  const isPath = (path: unknown) =>
    typeof path === "string" && !/^[\\/]|^[a-z]:|(?:^|[\\/])\.\.(?:[\\/]|$)/i.test(path) && path !== "";
  const isDigest = (digest: unknown) =>
    digest === null || (typeof digest === "string" && /^[0-9a-f]{64}$/.test(digest));
  const isStep = ({ path, before, after }: Step) => isPath(path) && isDigest(before) && isDigest(after);
  if (!steps.every(isStep) || !folders.every(isPath)) throw new Error("It is not a journal");
  return { steps, folders };
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "its permissions do not allow it; change them, or run this as its owner",
  EPERM: "the system does not allow it; name another folder, or run this as its owner",
  ENOENT: "the folder that it is in cannot be made; check that the one above can be written",
  EEXIST: "a file is in the place of a folder; rename one of them, or name another folder",
  ENOTDIR: "a file is in the place of a folder; rename one of them, or name another folder",
  ENOSPC: "the disk is full; free some of it",
  EDQUOT: "your share of the disk is full; free some of it",
  EXDEV: "it is on another file system than the folder; name the folder that it is in",
  EBUSY: "the system is using it, for example as a mount; name another folder",
  ENAMETOOLONG: "the name is too long; shorten it",
  EROFS: "the file system is read-only; name another folder",
};
