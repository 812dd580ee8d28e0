/** Reads files safely: only inside their folder, and only as text. */

import type { FileStatus, FileSystem } from "../platform/platform.ts";
import { attempt, isErrorOf } from "../base/text.ts";

/** The maximum size of a document, in bytes: every reader must hold all of it. */
export const MAX_DOCUMENT_BYTES: number = 10 * 1024 * 1024;

export function isInside(realPath: string, folder: string, separator: string): boolean {
  return realPath === folder || realPath.startsWith(folder.endsWith(separator) ? folder : folder + separator);
}

/**
 * Whether a file or folder that a scan has found is there no more, which is no fault to report. A name that is not Unicode is
 * listed with replacement characters, and never found under that name.
 */
export function isGone(files: FileSystem, path: string): boolean {
  try {
    files.status(path);
    return false;
  } catch (cause) {
    return isErrorOf(cause, "ENOENT", "NotFound") && !path.includes("\ufffd");
  }
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

/** How often the real path of an open file is checked, at first and once files were swapped: each check takes two swaps to fool. */
const CHECKS = 2, CHECKS_AFTER_SWAP = 8;
/** The file systems in which a file was swapped while it was read. */
const swapped = new WeakSet<FileSystem>();

/**
 * Reads a file within a real folder: opens it, and checks that its real path is inside and names the open file. Undefined when it
 * is missing, no file, larger than `limit` bytes, hidden or outside; `known` is the status of the path, if just looked up.
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
      const checks = swapped.has(files) ? CHECKS_AFTER_SWAP : CHECKS;
      for (let check = 0; check < checks; check++) {
        const real = files.realPath(path);
        const isOut = !isInside(real, within, files.separator) || isHiddenIn(real, within, files.separator);
        if (!isOut && files.status(real).identity === status.identity) continue;
        // A link that leads out at the first look may always have done so.
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

/** The text of a file without its byte order mark; undefined when the bytes are not text. */
export function decodeText(bytes: Uint8Array): string | undefined {
  return bytes.includes(0) ? undefined : attempt(() => utf8.decode(bytes));
}
