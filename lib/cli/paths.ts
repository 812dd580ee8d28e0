/** Parts of paths. */

/** The path of the folder that a path is in; empty at the top. */
export const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));
