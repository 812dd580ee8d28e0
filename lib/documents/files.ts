/** Reads files safely: only inside their folder, and only as text. */

import type { FileStatus, FileSystem } from "../platform/platform.ts";
import { attempt, isErrorOf } from "../base/text.ts";

/** The maximum size of a document, in bytes: every reader must hold all of it. */
export const MAX_DOCUMENT_BYTES: number = 10 * 1024 * 1024;

/** Whether a real path is that of a folder, or inside it. */
export function isInside(realPath: string, folder: string, separator: string): boolean {
  return realPath === folder || realPath.startsWith(folder.endsWith(separator) ? folder : folder + separator);
}

/**
 * Whether a file or folder that a scan has found has been deleted, which is not reported. A name that is not Unicode is listed with
 * replacement characters, and a file of that name does not exist.
 */
export function isGone(files: FileSystem, path: string): boolean {
  try {
    files.status(path);
    return false;
  } catch (cause) {
    return isErrorOf(cause, "ENOENT", "NotFound") && !path.includes("\ufffd");
  }
}

/** Whether a name is that of a hidden file, or of the folder of installed packages. */
export function isHidden(name: string): boolean {
  return name.startsWith(".") || name === "node_modules";
}

/** Kubernetes mounts a ConfigMap as links into a folder with such a name, one for each version. */
const KUBERNETES_VOLUME = /^\.\.\d{4}_\d{2}_\d{2}_/;

/** Whether a real path inside a folder has a hidden segment. */
export function isHiddenIn(realPath: string, folder: string, separator: string): boolean {
  const names = realPath.slice(folder.length).split(separator);
  return names.some((name) => isHidden(name) && !KUBERNETES_VOLUME.test(name));
}

/** Whether a file is the same as before. A change of neither size nor time is not detected. */
export function isUnchanged(before: FileStatus | undefined, now: FileStatus | undefined): boolean {
  return before?.identity === now?.identity && before?.size === now?.size &&
    before?.modified === now?.modified;
}

/** The bytes of a file, and its status when they were read. */
export interface FileContent {
  /** All bytes. */
  readonly bytes: Uint8Array;
  /** The status of the open file. */
  readonly status: FileStatus;
}

/** The number of checks of the real path of an open file. Passing one by swapping the file takes two swaps. */
const CHECKS = 2;
/** The number of checks after a swap was detected. */
const CHECKS_AFTER_SWAP = 8;
/** The file systems in which a file was swapped while it was being read. */
const swapped = new WeakSet<FileSystem>();

/**
 * Reads a file within a real folder: opens it, and checks that its real path is inside and names the open file. Undefined when it
 * is missing, not a file, larger than `limit` bytes, hidden or outside. `known` is the status of the path, if just looked up.
 */
export function readInside(
  files: FileSystem,
  path: string,
  within: string,
  limit: number,
  known?: FileStatus,
): FileContent | undefined {
  return attempt(() => {
    // Checked before it is opened: opening a named pipe would wait for a writer.
    if ((known ?? files.status(path)).kind !== "file") return undefined;
    const file = files.open(path);
    try {
      const status = file.status();
      if (status.kind !== "file" || status.size > limit) return undefined;
      const checks = swapped.has(files) ? CHECKS_AFTER_SWAP : CHECKS;
      for (let check = 0; check < checks; check++) {
        const real = files.realPath(path);
        const isOut = !isInside(real, within, files.separator) || isHiddenIn(real, within, files.separator);
        if (!isOut && files.status(real).identity === status.identity) continue;
        // A link that leads out at the first check may always have done so.
        if (!isOut || check > 0) swapped.add(files);
        return undefined;
      }
      return { bytes: file.read(status.size), status };
    } finally {
      file.close();
    }
  });
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The text of a file without its byte order mark; undefined when the bytes are not UTF-8 text. */
export function decodeText(bytes: Uint8Array): string | undefined {
  return bytes.includes(0) ? undefined : attempt(() => utf8.decode(bytes));
}
