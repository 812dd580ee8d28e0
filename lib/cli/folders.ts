/** Are the folders there that the options name? Asked before anything is read, so that a wrong path is one sentence. */

import type { Platform } from "../../deps.ts";
import type { Options } from "./options.ts";
import { UsageError } from "./options.ts";

/**
 * Makes sure that the root and every mount is a folder.
 *
 * @throws {UsageError} Naming the first one that is not.
 */
export function requireFolders(platform: Platform, options: Options, root: string): void {
  for (const mount of options.mounts) {
    requireFolder(platform, mount.path, `the folder of --mount ${mount.name}`);
  }
  const what = options.root === undefined ? "the folder of documents (see --root)" : "the --root";
  requireFolder(platform, root, what);
  if (isFolder(platform, `${root}/resources`) || isFolder(platform, `${root}/prompts`)) return;
  throw new UsageError(
    `Cannot serve ${what}: there is neither resources/ nor prompts/ in "${root}", and --root names the folder that holds them`,
  );
}

function isFolder(platform: Platform, path: string): boolean {
  try {
    return platform.files.status(path).kind === "directory";
  } catch {
    // Not there and not allowed come to the same here.
    return false;
  }
}

function requireFolder(platform: Platform, path: string, what: string): void {
  try {
    // Where a link leads, because that is what will be read: a sandbox may allow the link alone.
    if (platform.files.status(platform.files.realPath(path)).kind === "directory") return;
  } catch {
    throw new UsageError(
      `Cannot read ${what}: "${path}" is not there, or the sandbox does not allow to read it and what it leads to`,
    );
  }
  throw new UsageError(`Cannot read ${what}: "${path}" is not a folder`);
}
