/** How is a file read that the command line names? Opened, looked at, and let go of whatever happens. */

import type { FileSystem, OpenFile } from "../../deps.ts";

/**
 * Gives what `use` makes of an open file.
 *
 * @throws Whatever opening it throws, or `use`.
 */
export function withOpened<T>(files: Pick<FileSystem, "open">, path: string, use: (file: OpenFile) => T): T {
  const file = files.open(path);
  try {
    return use(file);
  } finally {
    file.close();
  }
}
