/**
 * Writes files, on both runtimes. Loaded only by the commands that write. Every function is synchronous, throws the
 * runtime's own error when it fails, and needs write permission.
 */

import * as fs from "node:fs";

/** Moves a file; one that has the new name is replaced in the same step. */
export const rename: (from: string, to: string) => void = fs.renameSync;

/** Deletes a file. */
export const remove: (path: string) => void = fs.rmSync;

/** Creates a folder, and those above it that do not exist. */
export function makeFolder(path: string): void {
  fs.mkdirSync(path, { recursive: true });
}

/** The permissions of a file that may be written. */
export function modeOf(path: string): number {
  // Not `access`, for which Deno asks who the user is.
  fs.closeSync(fs.openSync(path, "r+"));
  const { mode } = fs.statSync(path);
  // A superuser may write it all the same.
  if ((mode & 0o222) === 0) throw Object.assign(new Error(`"${path}" is read-only`), { code: "EACCES" });
  return mode & 0o777;
}

/** Creates a file, with these permissions if any are given; false when the path exists, even as a link that leads nowhere. */
export function create(path: string, bytes: Uint8Array, mode?: number): boolean {
  let descriptor: number;
  try {
    descriptor = fs.openSync(path, "wx");
  } catch (cause) {
    if ((cause as { code?: unknown }).code === "EEXIST") return false;
    throw cause;
  }
  try {
    fs.writeFileSync(descriptor, bytes);
    if (mode !== undefined) fs.chmodSync(path, mode);
    return true;
  } catch (cause) {
    fs.rmSync(path, { force: true });
    throw cause;
  } finally {
    fs.closeSync(descriptor);
  }
}
