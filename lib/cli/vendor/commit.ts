/** Which commit a folder is at. It is read from the files of Git: no program is run. */

import type { Platform } from "../../platform/platform.ts";
import { attempt } from "../../base/text.ts";
import { readTextFile } from "../io.ts";

/** Maximum size of a file of Git, in bytes. */
const MAX_BYTES = 16 * 1024 * 1024;

/** The commit of the repository with this root; undefined when it is not one, or when the commit is not known. */
export function commitOf(platform: Platform, root: string): string | undefined {
  const read = (path: string) =>
    attempt(() => readTextFile(platform, path, "a file of Git", MAX_BYTES).trim());
  const from = (folder: string, path: string) =>
    /^(?:[\\/]|[A-Za-z]:)/.test(path) ? path : `${folder}/${path}`;
  // In a work tree, .git is a file that names the folder.
  const [, linked] = /^gitdir: (.+)$/.exec(read(`${root}/.git`) ?? "") ?? [];
  const git = linked === undefined ? `${root}/.git` : from(root, linked);
  const head = read(`${git}/HEAD`) ?? "";
  const [, ref] = /^ref: (.+)$/.exec(head) ?? [];
  const shared = read(`${git}/commondir`), common = shared === undefined ? git : from(git, shared);
  const packed = () =>
    read(`${common}/packed-refs`)?.split("\n").find((line) => line.endsWith(` ${ref}`))?.split(" ", 1)[0];
  const commit = ref === undefined ? head : read(`${git}/${ref}`) ?? read(`${common}/${ref}`) ?? packed();
  return /^[0-9a-f]{40,64}$/.test(commit ?? "") ? commit : undefined;
}
