/** The repository that documents are in: its name, and the addresses of files on its code host. */

import type { FileSystem } from "../platform/platform.ts";
import type { Repository } from "../pages/model.ts";
import type { Folders } from "./folders.ts";
import type { Options } from "./options.ts";
import { isInside } from "../documents/files.ts";
import { projectName } from "./folder_option.ts";
import { levelsOf } from "./find_folder.ts";
import { readBeginning } from "./folders.ts";
import { UsageError } from "./options.ts";
import { folderPaths } from "./paths.ts";

/** The maximum size of a `.git/config` that is read, in bytes. */
const MAX_BYTES = 64 * 1024;
/** By the name of a host: the parts of the addresses where a file is edited, and where it is shown. */
const HOSTS: readonly (readonly [host: RegExp, edit: string, view: string])[] = [
  [/(?:^|\.)github\./, "/edit/", "/blob/"],
  [/(?:^|\.)gitlab\./, "/-/edit/", "/-/blob/"],
  [/^codeberg\.org$|(?:^|\.)(?:gitea|forgejo)\./, "/_edit/", "/src/branch/"],
];
/** `https://host/owner/name.git`, `git@host:owner/name.git`, `ssh://git@host:22/owner/name`. A password is left out. */
const REMOTE =
  /^(?:(?:https?|ssh|git):\/\/)?(?:[^@\s/]+@)?([a-z0-9.-]+)(?::\d+(?=\/))?[:/]\/?([\w.~/-]+?)(?:\.git)?\/?$/i;

/** Reads where the first folder is. The options `--title` and `--edit-url` go before what is found. Throws a `UsageError` for a bad URL. */
export function readRepository(files: FileSystem, options: Options, folders: Folders): Repository {
  const stated = options.get("edit-url")?.replace(/\/*$/, "/"), [folder = "."] = folderPaths(folders);
  if (stated !== undefined && !/^https?:\/\/[^\s?#]+$/.test(stated)) {
    throw new UsageError(`--edit-url takes a URL such as https://github.com/a/b/edit/main, not "${stated}"`);
  }
  const top = levelsOf(files, folder).at(-1) ?? folder, guess = guessUrls(files, top);
  const edit = stated ?? guess?.[0], view = stated?.replace(/\/_?edit\//, "/blob/") ?? guess?.[1];
  return {
    title: options.get("title") ?? projectName(top) ?? "Decisions",
    urlsOf: (path) => {
      if (edit === undefined || view === undefined || !isInside(path, top, files.separator)) {
        return undefined;
      }
      const rest = path.slice(top.length + 1).split(/[/\\]/).map(encodeURIComponent).join("/");
      return { edit: edit + rest, view: view + rest, top: view };
    },
  };
}

/** The addresses of the root of a repository on a host with a known form, by the remote and the first branch of its configuration. */
function guessUrls(files: FileSystem, top: string): readonly [edit: string, view: string] | undefined {
  const text = readBeginning(files, `${top}/.git/config`, MAX_BYTES);
  let section = "", remote = "", branch = "";
  for (const line of text?.split("\n") ?? []) {
    section = /^\s*(\[.*\])/.exec(line)?.[1] ?? section;
    if (section === '[remote "origin"]') remote ||= /^\s*url\s*=\s*(\S+)/.exec(line)?.[1] ?? "";
    branch ||= /^\[branch "([\w./-]+)"\]$/.exec(section)?.[1] ?? "";
  }
  const [, host = "", path = ""] = REMOTE.exec(remote) ?? [];
  const [, ...parts] = HOSTS.find(([known]) => known.test(host.toLowerCase())) ?? [];
  if (branch === "" || path === "" || parts.length === 0) return undefined;
  const [edit, view] = parts.map((part) => `https://${host}/${path}${part}${branch}/`);
  return [edit!, view!];
}
