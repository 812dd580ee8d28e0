/**
 * Is a file being written just now? What is half written is no version of a document: until it is whole, the last one
 * stands.
 *
 * Nobody tells when a file is whole. But a file that was written a moment ago may be written further, a file that has
 * just become empty was probably emptied to be filled again, and a file that is gone from a folder that changes just now
 * may be about to be put back: that is how some programs save, and how all of git checks out. None of this lasts: after
 * a while, what is there counts.
 */

import type { FileStatus, FileSystem } from "../../deps.ts";

/** A file or folder that was changed less than this ago may be changed further, in milliseconds. */
const YOUNG_MS = 50;
/** For how long a file that never comes to rest is passed over, in milliseconds. */
const MAX_YOUNG_MS = 1000;
/** For how long a file that had a text may be empty, in milliseconds. */
const MAX_EMPTY_MS = 2000;
/** After this, nobody has asked again and nobody will, in milliseconds. */
const FORGOTTEN_MS = 10_000;

/** A file that did not come to rest since it was first asked for; all times in milliseconds. */
interface Restless {
  /** Since when it is being written. */
  since: number;
  /** Since when it is empty; undefined when it is not. */
  emptySince: number | undefined;
  /** When somebody asked last. */
  asked: number;
}

/** The files that are being written. Whoever asks gets the same answer at the same time. */
export class Unsettled {
  readonly #files: FileSystem;
  /** By path; what was asked for last is the last one. */
  readonly #restless = new Map<string, Restless>();

  constructor(files: FileSystem) {
    this.#files = files;
  }

  /**
   * Whether what is there now is to be passed over.
   *
   * @param before What the file was when it was last taken; undefined for a new one.
   * @param now What is there; undefined when nothing is.
   */
  has(path: string, before: FileStatus | undefined, now: FileStatus | undefined): boolean {
    const isChanging = isYoung(now ?? this.#folderOf(path));
    const isEmpty = now?.size === 0;
    if (!isChanging && !isEmpty) {
      this.#restless.delete(path);
      return false;
    }
    const time = performance.now();
    const file = this.#recall(path, time);
    if (isEmpty) file.emptySince ??= time;
    else if (file.emptySince !== undefined) {
      // It was taken for empty, so filling it is a story of its own.
      if (time - file.emptySince >= MAX_EMPTY_MS) file.since = time;
      file.emptySince = undefined;
    }
    return file.emptySince !== undefined && before && before.size > 0
      ? time - file.emptySince < MAX_EMPTY_MS
      : isChanging && time - file.since < MAX_YOUNG_MS;
  }

  /**
   * What is remembered of a file. It is remembered also when its time is over, or else whoever asks next would have to
   * wait as long again.
   */
  #recall(path: string, time: number): Restless {
    for (const [oldest, { asked }] of this.#restless) {
      if (time - asked < FORGOTTEN_MS) break;
      this.#restless.delete(oldest);
    }
    const file = this.#restless.get(path) ?? { since: time, emptySince: undefined, asked: time };
    file.asked = time;
    this.#restless.delete(path);
    this.#restless.set(path, file);
    return file;
  }

  #folderOf(path: string): FileStatus | undefined {
    return statusOf(this.#files, path.slice(0, path.lastIndexOf("/")));
  }
}

/** What a path leads to; undefined when that is nothing. */
export function statusOf(files: FileSystem, path: string): FileStatus | undefined {
  try {
    return files.status(path);
  } catch {
    // Not there and not allowed come to the same here.
    return undefined;
  }
}

/** A time in the future says nothing: the clock of a file server may be ahead of ours. Our own has whole numbers. */
function isYoung(status: FileStatus | undefined): boolean {
  const age = status ? Date.now() - Math.floor(status.modified) : -1;
  return age >= 0 && age < YOUNG_MS;
}
