/** A folder as a command line of its own: `mod.ts docs/adr`. */

import type { Platform } from "../platform/platform.ts";
import type { OptionPair } from "./options.ts";
import { isFolder, isRoot } from "./folders.ts";

/** The option that serves a folder given instead of a command: "docs/adr" is `--mount adr=docs/adr`. */
export function folderOption({ files }: Platform, path: string): OptionPair | undefined {
  if (!isFolder(files, path)) return undefined;
  if (isRoot(files, path)) return ["root", path];
  const name = files.realPath(path).split(files.separator).findLast((segment) => segment !== "") ?? "";
  return ["mount", `${name.replace(/[^\w.-]+/g, "-").replace(/^[._-]+/, "") || "docs"}=${path}`];
}
