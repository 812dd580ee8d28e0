/** Reads files safely: only inside their folder, only as text, and not while they are being written. */

import type { FileStatus, FileSystem } from "../../deps.ts";
import { attempt } from "../base/text.ts";

export { attempt };

export function isInside(realPath: string, folder: string, separator: string): boolean {
  return realPath === folder || realPath.startsWith(folder.endsWith(separator) ? folder : folder + separator);
}

/** Whether a name is that of a hidden file, or of installed packages. */
export function isHidden(name: string): boolean {
  return name.startsWith(".") || name === "node_modules";
}

/** Kubernetes mounts a ConfigMap as links into a folder of this form, one for each version. */
const KUBERNETES_VOLUME = /^\.\.\d{4}_\d{2}_\d{2}_/;

/** Whether a real path inside a folder leads through something hidden. */
export function isHiddenIn(realPath: string, folder: string, separator: string): boolean {
  const names = realPath.slice(folder.length).split(separator);
  return names.some((name) => isHidden(name) && !KUBERNETES_VOLUME.test(name));
}

/** Yields the files below a folder, as paths from it, but those in skipped folders; what cannot be listed has none. */
export function* walkFiles(
  files: FileSystem,
  root: string,
  isSkipped: (name: string) => boolean = () => false,
  folder = "",
): Generator<string> {
  for (const { name, kind } of attempt(() => files.list(`${root}/${folder}`)) ?? []) {
    if (kind !== "directory") yield folder + name;
    else if (!isSkipped(name)) yield* walkFiles(files, root, isSkipped, `${folder}${name}/`);
  }
}

/** Whether a file is the same as before. A change that keeps both size and time is not noticed. */
export function isUnchanged(before: FileStatus | undefined, now: FileStatus | undefined): boolean {
  return before?.identity === now?.identity && before?.size === now?.size &&
    before?.modified === now?.modified;
}

/** The bytes of a file, and its status when they were read. */
export interface FileContent {
  /** All of them. */
  readonly bytes: Uint8Array;
  /** The status of the open file. */
  readonly status: FileStatus;
}

/** How often the place of an open file is checked, and once anything traded places: passing each check takes two moves in time. */
const CHECKS = 2;
const CHECKS_AFTER_MOVE = 8;
/** The file systems in which something moved while it was read. */
const moved = new WeakSet<FileSystem>();

/**
 * Reads a file within a real folder: opens it, and checks that its real path is inside and names the open file. Undefined for what
 * is not there, no file, larger than `limit` bytes, hidden or elsewhere; `known` is the status of the path, if just looked up.
 */
export function readInside(
  files: FileSystem,
  path: string,
  within: string,
  limit: number,
  known?: FileStatus,
): FileContent | undefined {
  return attempt(() => {
    // Before it is opened: opening a named pipe would wait for a writer.
    if ((known ?? files.status(path)).kind !== "file") return undefined;
    const file = files.open(path);
    try {
      const status = file.status();
      if (status.kind !== "file" || status.size > limit) return undefined;
      const checks = moved.has(files) ? CHECKS_AFTER_MOVE : CHECKS;
      for (let check = 0; check < checks; check++) {
        const real = files.realPath(path);
        const isOut = !isInside(real, within, files.separator) || isHiddenIn(real, within, files.separator);
        if (!isOut && files.status(real).identity === status.identity) continue;
        // A link that has always led out was not moved.
        if (!isOut || check > 0) moved.add(files);
        return undefined;
      }
      return { bytes: file.read(status.size), status };
    } finally {
      file.close();
    }
  });
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The text of a file without its byte order mark; undefined when the bytes are not text. */
export function decodeText(bytes: Uint8Array): string | undefined {
  return bytes.includes(0) ? undefined : attempt(() => utf8.decode(bytes));
}

/** For how long, in milliseconds, a change is recent, and a file without a check is remembered. */
const YOUNG_MS = 50, FORGET_MS = 10_000;
/** The longest that a file is passed over that keeps changing, or is empty and probably being filled, in milliseconds. */
const MAX_CHANGING_MS = 1000, MAX_EMPTY_MS = 2000;

type Unstable = { since: number; emptySince: number | undefined; checked: number };

/** Whether to pass over the content of a file, by the status of the served version and that of now, where there is one. */
export type WriteMonitor = (
  path: string,
  before: FileStatus | undefined,
  now: FileStatus | undefined,
) => boolean;

/**
 * Tells which files are being written, so that their last version is served: changed a moment ago, emptied, or gone from a
 * folder that was changed a moment ago. After a time limit, the content is taken as it is.
 */
export function writeMonitor(files: FileSystem): WriteMonitor {
  const unstable = new Map<string, Unstable>();
  return (path, before, now) => {
    const folder = path.slice(0, path.lastIndexOf("/"));
    const isChanging = isYoung(now ?? attempt(() => files.status(folder)));
    const isEmpty = now?.size === 0;
    const time = performance.now();
    // A file is remembered beyond its time limit, so that the next caller does not wait as long again.
    for (const [oldest, { checked }] of unstable) {
      if (time - checked < FORGET_MS) break;
      unstable.delete(oldest);
    }
    const file = unstable.get(path) ?? { since: time, emptySince: undefined, checked: time };
    unstable.delete(path);
    if (!isChanging && !isEmpty) return false;
    unstable.set(path, file);
    file.checked = time;
    // A file that was accepted as empty has its own time when it is filled.
    if (!isEmpty && time - (file.emptySince ?? time) >= MAX_EMPTY_MS) file.since = time;
    file.emptySince = isEmpty ? file.emptySince ?? time : undefined;
    return file.emptySince !== undefined && before && before.size > 0
      ? time - file.emptySince < MAX_EMPTY_MS
      : isChanging && time - file.since < MAX_CHANGING_MS;
  };
}

/** A time in the future tells nothing: the clock of a file server may be ahead. Our own clock has whole numbers. */
function isYoung(status: FileStatus | undefined): boolean {
  const age = status ? Date.now() - Math.floor(status.modified) : -1;
  return age >= 0 && age < YOUNG_MS;
}
