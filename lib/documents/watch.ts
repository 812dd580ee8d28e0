/**
 * When is it time to look at the files again? What the system reports are only hints: something happened, it does not say
 * reliably what, and sometimes it says nothing at all. A hint starts a look at everything, and a slow clock starts one too.
 *
 * What was measured and is behind this: one runtime's recursive watch misses files that are written together with their
 * new folder, the other one's misses renames; both fall silent for ever when the root is deleted and made again; network
 * drives and bind mounts report nothing. So folders are watched one by one, anew before each look that a hint began, and
 * nothing depends on a report. And one runtime waits, when it begins to watch, for a thread that reads reports until there
 * are none: in a flood of them the program would stand still. So nothing is watched anew before it is quiet.
 */

import type { FileSystem, Watch } from "../../deps.ts";

/** How long it must be quiet after a hint before the files are looked at, in milliseconds: a save is several reports. */
export const QUIET_MS = 50;
/** The longest that hints can put a look off, in milliseconds. */
export const MAX_PUT_OFF_MS = 200;
/** How often the files are looked at when nothing hints at a change, in milliseconds. */
export const SAFETY_MS = 1500;
/** How soon a file is looked at again that is being written, in milliseconds. */
const UNSETTLED_MS = 100;
/** Looks that nothing hinted at may take this share of the time: a tenth. */
const IDLE_SHARE = 0.1;

/** What a look found out. */
export interface Look {
  /** The folders that were looked into. */
  readonly folders: ReadonlySet<string>;
  /** False when something was passed over because it is being written. */
  readonly isSettled: boolean;
}

/** What a watcher works with. */
export interface WatchOptions {
  /** Looks at everything and takes over what changed. Must not reject. */
  look(): Promise<Look>;
  /** Takes the one warning that nothing can be watched; the clock goes on. @default {nobody} */
  readonly onwarning?: ((message: string) => void) | undefined;
  /** Time between two looks, in milliseconds, when nothing is to be watched. @default {hints and a slow clock} */
  readonly pollMs?: number | undefined;
}

/** Calls for a look whenever one is due, one at a time. It looks for as long as it is not closed. */
export class Watcher {
  readonly #files: FileSystem;
  readonly #options: WatchOptions;
  #folders: ReadonlySet<string>;
  #watch: Watch | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** When the first hint came that no look has followed yet, in milliseconds. */
  #hinted: number | undefined;
  /** True while hints follow each other so fast that a look is due before it was quiet. */
  #flooded = false;
  #looking = false;
  #watching: boolean;
  #closed = false;

  /** Starts at once, with what the last look found out; the next one follows soon, for what happened since. */
  constructor(files: FileSystem, last: Look, options: WatchOptions) {
    this.#files = files;
    this.#options = options;
    this.#watching = options.pollMs === undefined && files.watch !== undefined;
    this.#folders = last.folders;
    void this.#arm();
    this.#wait(options.pollMs ?? UNSETTLED_MS);
  }

  /** Lets go of everything; a look that is under way is the last one. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#unwatch();
  }

  #hint(): void {
    if (this.#closed) return;
    const now = performance.now();
    this.#hinted ??= now;
    if (this.#looking) return;
    const delay = Math.max(0, Math.min(QUIET_MS, this.#hinted + MAX_PUT_OFF_MS - now));
    this.#flooded = delay < QUIET_MS;
    this.#wait(delay);
  }

  #wait(delay: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#look(), delay);
  }

  async #look(): Promise<void> {
    this.#looking = true;
    // A folder that was deleted and made again has the same name, and its watch is dead. What happens from here on is
    // reported, and what happened before is seen by the look.
    const isToArm = this.#hinted !== undefined || !this.#watch;
    const flooded = this.#flooded;
    if (isToArm && !flooded) await this.#arm();
    this.#hinted = undefined;
    this.#flooded = false;
    const start = performance.now();
    const { folders, isSettled } = await this.#options.look();
    const took = performance.now() - start;
    this.#looking = false;
    if (this.#closed) return;
    const isSameSet = folders.size === this.#folders.size &&
      [...folders].every((folder) => this.#folders.has(folder));
    this.#folders = folders;
    // What happened in a folder before it was watched was not reported.
    if (!isSameSet || flooded || this.#hinted !== undefined) this.#hint();
    else this.#wait(isSettled ? this.#pace(took) : Math.max(UNSETTLED_MS, took));
  }

  /** How long until the next look when nothing hints at a change. */
  #pace(took: number): number {
    return this.#options.pollMs ?? Math.max(SAFETY_MS, took / IDLE_SHARE);
  }

  /** Watches the folders anew. The old watch ends first: a runtime may take one path for watched that is another folder. */
  async #arm(): Promise<void> {
    if (!this.#watching) return;
    this.#unwatch();
    try {
      const watch = await this.#files.watch?.(this.#folders, () => this.#hint(), (cause) => {
        this.#hint();
        this.#fail(cause);
      });
      if (this.#closed || !this.#watching) watch?.close();
      else this.#watch = watch;
    } catch (cause) {
      this.#fail(cause);
    }
  }

  #unwatch(): void {
    this.#watch?.close();
    this.#watch = undefined;
  }

  #fail(cause: unknown): void {
    if (this.#closed || !this.#watching || concernsOneFolder(cause)) return;
    this.#watching = false;
    this.#unwatch();
    // One runtime has codes, the other one says it in words.
    const { code, message } = cause as { code?: unknown; message?: unknown };
    this.#options.onwarning?.(
      `Changes of files cannot be watched here (${
        code ?? message
      }), so they are looked for every ${SAFETY_MS} ms`,
    );
  }
}

/** A folder that has just gone or was closed is no reason to stop; a system that has no more watches, or allows none, is. */
function concernsOneFolder(cause: unknown): boolean {
  const { code, name } = cause as { code?: unknown; name?: unknown };
  return ["ENOENT", "EPERM", "EACCES"].includes(String(code)) ||
    ["NotFound", "PermissionDenied"].includes(String(name));
}
