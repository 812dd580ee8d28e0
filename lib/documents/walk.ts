/** Lists all files below a folder. */

import type { FileSystem } from "../platform/platform.ts";
import { attempt } from "../base/text.ts";

/** Yields the files below a folder, as paths from it, except those in skipped folders and in folders that cannot be listed. */
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
