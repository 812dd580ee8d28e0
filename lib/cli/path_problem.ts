/** Why a path cannot be used, and how to allow it in a sandbox. */

import type { Platform } from "../platform/platform.ts";
import { nearest } from "../base/nearest.ts";
import { attempt, didYouMean, isErrorOf } from "../base/text.ts";

/** Whether an error says that a sandbox does not allow a call. */
export const isDenied = (cause: unknown): boolean => isErrorOf(cause, "NotCapable", "ERR_ACCESS_DENIED");

/** What to do when a sandbox does not allow something. */
export function toAllow(runtime: Platform["name"], access: "read" | "write" | "net", value: string): string {
  const onNode = runtime === "node";
  const flag = access === "net"
    ? `--allow-net${onNode ? "" : `=${value}`}`
    : `--allow-${onNode ? "fs-" : ""}${access}="${value}"`;
  return `add ${flag} before mod.ts`;
}

/** Why a path cannot be read; the end of a sentence that begins with the path. */
export function pathProblem({ name: runtime, files }: Platform, path: string, cause: unknown): string {
  if (isDenied(cause)) {
    if (runtime === "deno" && path.startsWith("\\\\")) {
      return "is on another machine, where Deno reads with --allow-all only: add that, or use Node";
    }
    return `is not open to this sandbox: ${toAllow(runtime, "read", path)}, and what it links to`;
  }
  if (isErrorOf(cause, "NotFound", "NotADirectory", "ENOENT", "ENOTDIR")) {
    const [, folder = "", name = path] = /^(.*[\\/])?([^\\/]*)$/.exec(path) ?? [];
    const names = attempt(() => files.list(folder || "."))?.map((entry) => entry.name) ?? [];
    const others = didYouMean(nearest(name, names).map((near) => folder + near));
    return `does not exist${others || ": check its spelling, and the folder that this runs in"}`;
  }
  return "cannot be read: check its permissions";
}
