/**
 * May this file be read? Only when the file that was opened is the one whose real path lies inside the root.
 *
 * The runtimes' own sandboxes follow links out of the folders that they allow, so this check is the one that counts.
 */

import type { FileStatus, FileSystem } from "../../deps.ts";

/** Whether a real path is a folder or lies in it. */
export function isInside(realPath: string, folder: string, separator: string): boolean {
  return realPath === folder || realPath.startsWith(folder.endsWith(separator) ? folder : folder + separator);
}

/** Whether a real path in a folder leads through what nobody means to serve: hidden files and installed packages. */
export function isHiddenIn(realPath: string, folder: string, separator: string): boolean {
  return realPath.slice(folder.length).split(separator).some((name) =>
    isHiddenName(name) && !KUBERNETES_VOLUME.test(name)
  );
}

/** Where Kubernetes puts what is mounted from a ConfigMap, and leads to by links: a folder for each version of it. */
const KUBERNETES_VOLUME = /^\.\.\d{4}_\d{2}_\d{2}_/;

/** Whether the name of a file or folder says that it is not meant for readers. */
export function isHiddenName(name: string): boolean {
  return name.startsWith(".") || name === "node_modules";
}

/** Whether a file is what it was: a change that leaves its size and its time alone is not seen. */
export function isUnchanged(before: FileStatus, now: FileStatus): boolean {
  return before.identity === now.identity && before.size === now.size && before.modified === now.modified;
}

/** A file that was read: its bytes, and what it was at that moment. */
export interface ReadFile {
  readonly bytes: Uint8Array;
  readonly status: FileStatus;
}

/** How often a file that is open is looked for at its place before it is read. */
export const LOOKS = 8;
/** The same where nothing has ever moved in as many files as `CALM` says: each look costs a third of the reading. */
export const LOOKS_IN_CALM = 2;
export const CALM = 50;
/** In how many files nothing moved; a single one in which something did counts for ever. */
const calm = new WeakMap<FileSystem, number>();

/**
 * Reads a file inside a folder.
 *
 * The file is opened first and checked afterwards: the real path must lie in the folder, and what lies there must be
 * the very file that is open. A link that is swapped in between leads to two different files, and to nothing read.
 *
 * Where a file or its folder itself gives its place to a link and takes it back, one look is not enough: the path may be
 * one thing when it is resolved and another when it is compared. No call of a runtime does both at once, so the look is
 * repeated, and whoever wants to be quicker has to be so every time.
 *
 * @param within The real path of the folder.
 * @param limit The most bytes; a larger file is not read.
 * @param known What the path led to a moment ago, where that was looked at already.
 * @returns Undefined when the file is not there, may not be read, is no file, is too large, or lies elsewhere.
 */
export function readInside(
  files: FileSystem,
  path: string,
  within: string,
  limit: number,
  known?: FileStatus,
): ReadFile | undefined {
  try {
    // Before it is opened: opening a named pipe would wait for somebody to write to it.
    if ((known ?? files.status(path)).kind !== "file") return undefined;
    const file = files.open(path);
    try {
      const status = file.status();
      if (status.kind !== "file" || status.size > limit) return undefined;
      if (!liesInside(files, path, within, status.identity)) return undefined;
      return { bytes: file.read(status.size), status };
    } finally {
      file.close();
    }
  } catch {
    // Whatever the runtime had against it, the answer is the same, and its words may name a path.
    return undefined;
  }
}

/** Whether a path leads to this very file, and to a place in the folder, at every look. */
function liesInside(files: FileSystem, path: string, within: string, identity: string): boolean {
  const quiet = calm.get(files) ?? 0;
  const looks = quiet < CALM ? LOOKS : LOOKS_IN_CALM;
  // Whatever ends this early, an error of the runtime too, may be a move.
  calm.set(files, -Infinity);
  for (let look = 0; look < looks; look++) {
    const real = files.realPath(path);
    const leadsOut = !isInside(real, within, files.separator) ||
      isHiddenIn(real, within, files.separator);
    // A link that leads out and stays as it is moves nothing: it is refused at the first look.
    if (leadsOut && look === 0) calm.set(files, quiet);
    if (leadsOut || files.status(real).identity !== identity) return false;
  }
  calm.set(files, quiet + 1);
  return true;
}
