/** Why a path cannot be used, and how to allow it in a sandbox. */

import type { Platform } from "../platform/platform.ts";
import { isErrorOf } from "../base/text.ts";

/** Whether an error says that a sandbox does not allow a call. */
export const isDenied = (cause: unknown): boolean => isErrorOf(cause, "NotCapable", "ERR_ACCESS_DENIED");

/** Why a path cannot be read; the end of a sentence that begins with the path. */
export function pathProblem({ name: runtime }: Platform, path: string, cause: unknown): string {
  if (isDenied(cause)) {
    if (runtime === "deno" && path.startsWith("\\\\")) {
      return "is on another machine, where Deno reads with --allow-all only: add that, or use Node";
    }
    const option = runtime === "deno" ? "--allow-read" : "--allow-fs-read";
    return `is not open to this sandbox: add ${option}="${path}", and what it links to`;
  }
  if (isErrorOf(cause, "NotFound", "NotADirectory", "ENOENT", "ENOTDIR")) {
    return "does not exist: check its spelling, and the folder that this runs in";
  }
  return "cannot be read: check its permissions";
}
