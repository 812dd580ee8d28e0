/**
 * The lock of a folder: one command at a time writes there. It is a folder that appears with the name of its process in it, and
 * has what a command prepares. A lock whose process has ended is taken over.
 */

import type * as Owner from "../platform/owner.ts";
import type { FileSystem } from "../platform/platform.ts";
import type * as Writer from "../platform/write.ts";
import { pause } from "../base/async.ts";
import { attempt } from "../base/text.ts";
import { CommandError } from "./options.ts";

/** The modules that write. They are passed in, because only commands with `--write` load them. */
export interface Tools {
  readonly files: FileSystem;
  readonly writer: typeof Writer;
  readonly owner: typeof Owner;
}

/** A lock that this command has. */
export interface FolderLock {
  /** The folder that is the lock. What a command prepares is in it. */
  readonly path: string;
  /** Whether no other command has taken it over. */
  isHeld(): boolean;
  /** Deletes it with all that is in it. */
  release(): void;
}

/** The name of a lock, and those of locks that are not taken yet or are given up. */
export const LOCK = ".architrave-lock";
const UNUSED = /^\.architrave-[0-9a-f]{8}-[0-9a-f-]{27}$/;

/** Time for which a command waits for another one, in milliseconds. */
const LOCK_WAIT_MS = 1000;
/** Time between two attempts, in milliseconds. */
const LOCK_RETRY_MS = 20;
/** How long nothing was written under a lock before it is taken over, if it cannot be told whether its process runs, in milliseconds. */
const MAX_IDLE_MS = 10 * 60_000;

/** Waits for the lock of a folder, and takes it. Deletes what interrupted commands have left next to it. */
export async function lockFolder({ files, writer, owner }: Tools, folder: string): Promise<FolderLock> {
  const path = `${folder}/${LOCK}`, prepared = `${folder}/.architrave-${crypto.randomUUID()}`;
  const name = owner.ownerName();
  const toLock = (release: () => void): FolderLock => {
    for (const { name } of files.list(folder)) {
      if (UNUSED.test(name)) attempt(() => writer.removeAll(`${folder}/${name}`));
    }
    const isHeld = () => attempt(() => files.status(`${path}/${name}`)) !== undefined;
    return {
      path,
      isHeld,
      release() {
        // Renamed first, so that no one sees a lock without its process.
        if (isHeld()) writer.rename(path, prepared);
        release();
        attempt(() => writer.removeAll(prepared));
      },
    };
  };
  const start = performance.now();
  for (;;) {
    const kind = files.list(folder).find(({ name }) => name === LOCK)?.kind;
    if (kind === "link") {
      throw new CommandError(`Cannot write in "${folder}": "${path}" is a link; delete it`);
    }
    let process = "";
    if (kind === undefined) {
      let release = () => {};
      try {
        writer.makeFolder(prepared);
        writer.create(`${prepared}/${name}`, new Uint8Array());
        release = owner.hold(`${prepared}/${name}`);
        writer.rename(prepared, path);
        return toLock(release);
      } catch (cause) {
        // Another command was faster, or has deleted what it took for a lock that was given up.
        const isPrepared = attempt(() => files.status(`${prepared}/${name}`)) !== undefined;
        release();
        attempt(() => writer.removeAll(prepared));
        if (isPrepared ? !attempt(() => files.status(path)) : !isMissing(cause)) throw cause;
      }
    } else {
      const names = kind === "directory" ? attempt(() => files.list(path)) ?? [] : [];
      const held = names.find(({ name }) => name.startsWith("owner."))?.name;
      const idle = Date.now() - (attempt(() => files.status(path).modified) ?? Infinity);
      if (held === undefined) {
        // The lock of an older version, or a damaged one.
        if (idle > MAX_IDLE_MS) attempt(() => writer.rename(path, prepared));
        attempt(() => writer.removeAll(prepared));
      } else {
        const holder = owner.holderOf(`${path}/${held}`);
        if (holder.state === "gone" || (holder.state === "unknown" && idle > MAX_IDLE_MS)) {
          // Of several commands, one succeeds.
          try {
            writer.rename(`${path}/${held}`, `${path}/${name}`);
            return toLock(holder.release);
          } catch (cause) {
            holder.release();
            if (!isMissing(cause)) throw cause;
          }
        } else holder.release();
        if (holder.state === "running") process = holder.id;
      }
    }
    if (performance.now() - start > LOCK_WAIT_MS) {
      throw new CommandError(
        `Cannot write in "${folder}": another command is writing there` +
          (process === ""
            ? `; if none is, one was interrupted: delete "${path}"`
            : ` (process ${process}); try again when it has ended`),
      );
    }
    await pause(LOCK_RETRY_MS);
  }
}

const isMissing = (cause: unknown): boolean => (cause as { code?: unknown }).code === "ENOENT";
