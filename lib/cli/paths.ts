/** Parts of paths, and the paths of folders. */

import type { Folders } from "./folders.ts";

/** The path of the folder that a path is in; empty at the top. */
export const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));

/** The paths of the folders that are served, the root first. */
export const folderPaths = ({ root, mounts }: Folders): string[] =>
  [root ?? [], mounts.map(({ path }) => path)].flat();
