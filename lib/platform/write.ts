/**
 * Writes files on both runtimes. Loaded only by commands that write. Every function is synchronous, needs write permission,
 * and throws the runtime's own error when it fails.
 */

import * as fs from "node:fs";

/** Moves a file. A file at the new path is replaced atomically. */
export const rename: (from: string, to: string) => void = fs.renameSync;

/** Deletes a file. */
export const remove: (path: string) => void = fs.rmSync;

/** Creates a folder and its missing parents. */
export function makeFolder(path: string): void {
  fs.mkdirSync(path, { recursive: true });
}

/** The permission bits of a file. @throws {Error} When it may not be written. */
export function modeOf(path: string): number {
  // Not with `access`, for which Deno needs the permission to read the user id.
  fs.closeSync(fs.openSync(path, "r+"));
  const { mode } = fs.statSync(path);
  // A superuser could open it anyway.
  if ((mode & 0o222) === 0) throw Object.assign(new Error(`"${path}" is read-only`), { code: "EACCES" });
  return mode & 0o777;
}

/** Creates a file, with permission bits if given. Returns false if the path exists, even as a dangling link. */
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
