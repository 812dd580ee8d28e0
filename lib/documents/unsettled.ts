/**
 * Is a file being written just now? What is half written is no version of a document: until it is whole, the last one
 * stands.
 *
 * Nobody tells when a file is whole. But a file that was written a moment ago may be written further, and a file that
 * has just become empty was probably emptied to be filled again. Neither lasts: after a while, what is there counts.
 */

import type { FileStatus } from "../../deps.ts";

/** A file that was changed less than this ago may be written further, in milliseconds. */
const YOUNG_MS = 50;
/** For how long a file that never comes to rest is passed over, in milliseconds. */
const MAX_YOUNG_MS = 1000;
/** For how long a file that had a text may be empty, in milliseconds. */
const MAX_EMPTY_MS = 2000;
/** After this, nobody has asked again and nobody will, in milliseconds. */
const FORGOTTEN_MS = 60_000;

/** The files that are being written. */
export class Unsettled {
  /** Since when each is, by path, in milliseconds; the oldest first. */
  readonly #since = new Map<string, number>();

  /**
   * Whether what is there now is to be passed over.
   *
   * @param before What the file was when it was last taken; undefined for a new one.
   */
  has(path: string, before: FileStatus | undefined, now: FileStatus): boolean {
    const patience = before && before.size > 0 && now.size === 0
      ? MAX_EMPTY_MS
      : isYoung(now)
      ? MAX_YOUNG_MS
      : 0;
    const time = performance.now();
    const since = this.#since.get(path) ?? time;
    if (time - since < patience) {
      if (since === time) this.#add(path, time);
      return true;
    }
    this.#since.delete(path);
    return false;
  }

  #add(path: string, time: number): void {
    for (const [oldest, since] of this.#since) {
      if (time - since < FORGOTTEN_MS) break;
      this.#since.delete(oldest);
    }
    this.#since.set(path, time);
  }
}

/** A time in the future says nothing: the clock of a file server may be ahead of ours. */
function isYoung({ modified }: FileStatus): boolean {
  const age = Date.now() - modified;
  return age >= 0 && age < YOUNG_MS;
}
