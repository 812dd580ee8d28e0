/** A folder as a command line of its own: `mod.ts docs/adr`. */

import type { Platform } from "../platform/platform.ts";
import type { OptionPair } from "./options.ts";
import { isFolder, isRoot } from "./folders.ts";

/** Names of folders of documents, which say nothing of the project. */
const COMMON = /^(?:adrs?|docs?|decisions?|architecture|mcp|resources|\.|)$/i;

/** The last name in a path that says something of the project. */
export const projectName = (path: string): string | undefined =>
  path.split(/[/\\]/).findLast((name) => !COMMON.test(name));

/**
 * The option that serves a folder given instead of a command: "docs/adr" is `--mount adr=docs/adr`; next to another mount of that name
 * in `mounts`, "packages/web/docs/adr" is `--mount web=packages/web/docs/adr`.
 */
export function folderOption(
  { files }: Platform,
  path: string,
  mounts: readonly string[] = [],
): OptionPair | undefined {
  if (!isFolder(files, path)) return undefined;
  if (isRoot(files, path) && mounts.length === 0) return ["root", path];
  const real = files.realPath(path), last = real.split(files.separator).findLast((name) => name !== "") ?? "";
  const names = [last, projectName(real) ?? "", real].map((name) =>
    name.replace(/[^\w.-]+/g, "-").replace(/^[._-]+/, "") || "docs"
  );
  const isFree = (name: string) => !mounts.some((mount) => mount.startsWith(`${name}=`));
  return ["mount", `${names.find(isFree) ?? names[0]}=${path}`];
}
