/**
 * Writes files on both runtimes. Loaded only by commands that write. Every function is synchronous, needs write permission,
 * and throws the runtime's own error when it fails.
 */

import * as fs from "node:fs";
import { attempt } from "../base/text.ts";

/** Moves a file or a folder. A file at the new path is replaced atomically. */
export function rename(from: string, to: string): void {
  fs.renameSync(from, to);
}

/** Deletes a file. */
export function remove(path: string): void {
  fs.rmSync(path);
}

/** Deletes a folder that is empty. */
export function removeFolder(path: string): void {
  fs.rmdirSync(path);
}

/** Creates a folder and its missing parents. */
export function makeFolder(path: string): void {
  try {
    fs.mkdirSync(path);
  } catch (cause) {
    // With `recursive`, Node would report a read-only file system as a missing folder.
    if (!["EEXIST", "ENOENT"].includes((cause as { code?: string }).code ?? "")) throw cause;
    fs.mkdirSync(path, { recursive: true });
  }
}

/** Deletes a file or a folder with all that is in it, but not what links in it lead to. */
export function removeAll(path: string): void {
  fs.rmSync(path, { recursive: true, force: true });
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

/** Creates a file, with permission bits if given; a durable one is on the disk when this returns, where the system can. @throws {Error} If the path exists, even as a dangling link. */
export function create(path: string, bytes: Uint8Array, mode?: number, isDurable: boolean = false): void {
  const descriptor = fs.openSync(path, "wx");
  try {
    fs.writeFileSync(descriptor, bytes);
    if (mode !== undefined) fs.chmodSync(path, mode);
    if (isDurable) sync(descriptor);
  } catch (cause) {
    fs.rmSync(path, { force: true });
    throw cause;
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Waits until the names in a folder are on the disk. Windows cannot do that. */
export function syncFolder(path: string): void {
  const descriptor = attempt(() => fs.openSync(path, "r"));
  if (descriptor === undefined) return;
  // The names are there in any case, but a power cut may lose them.
  attempt(() => fs.fsyncSync(descriptor));
  fs.closeSync(descriptor);
}

function sync(descriptor: number): void {
  try {
    fs.fsyncSync(descriptor);
  } catch (cause) {
    // With its permissions, Node has no such call.
    if ((cause as { code?: string }).code !== "ERR_ACCESS_DENIED") throw cause;
  }
}

/** Moves a complete file to a new path. Returns false if the path exists, even as a dangling link. */
export function place(from: string, to: string): boolean {
  try {
    fs.linkSync(from, to);
  } catch (cause) {
    const { code = "" } = cause as { code?: string };
    if (code === "EEXIST") return false;
    if (!NO_LINKS.includes(code)) throw cause;
    // The check and the move are two steps here.
    if (fs.lstatSync(to, { throwIfNoEntry: false })) return false;
    fs.renameSync(from, to);
    return true;
  }
  fs.rmSync(from);
  return true;
}

/** The errors of file systems without hard links, such as FAT, and of systems that do not allow them. */
const NO_LINKS = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EINVAL"];
