/** The command vendor: copies the sources of this program, or a part of them, into another repository. */

import type { FileSystem, Platform } from "../../platform/platform.ts";
import type { Options } from "../options.ts";
import type { FileChange } from "../transaction.ts";
import type { Manifest } from "./manifest.ts";
import { sha256 } from "../../base/bytes.ts";
import { compact } from "../../base/json.ts";
import { attempt } from "../../base/text.ts";
import { isHidden, isInside } from "../../documents/files.ts";
import { CommandError, ConfigurationError, trimmedPath, UsageError } from "../options.ts";
import { readTextFile, toJsonText } from "../io.ts";
import { isDenied, pathProblem } from "../path_problem.ts";
import { VERSION } from "../this_copy.ts";
import { parentOf } from "../paths.ts";
import { write } from "../write.ts";
import { commitOf } from "./commit.ts";
import { compareFile, COPY_MANIFEST, readCopyManifest, visibleFiles } from "./manifest.ts";
import { ALL_PARTS, copiedText, modulesOf } from "./sources.ts";
import { verify } from "./verify.ts";

/** Tells Node that the files are modules, whatever the repository around them says. */
const PACKAGE = '{ "type": "module" }\n';
/** Maximum size of a source file, in bytes. */
const MAX_SOURCE_BYTES = 1024 * 1024;
/** Maximum number of files that a message names. */
const MAX_NAMED = 5;

/** Lists the files that would be copied, copies them with `--write`, or compares a copy with its manifest with `--check`. */
export async function vendor(platform: Platform, options: Options): Promise<number> {
  const { files } = platform;
  const folder = trimmedPath(options.operands[0]!), only = options.get("only");
  if (folder === "") throw new UsageError("vendor takes the folder to copy to, such as tools/architrave");
  if (options.has("check") && !options.has("write")) {
    if (only === undefined) return await verify(platform, options, folder);
    throw new UsageError("--check goes by the manifest of the copy: leave out --only");
  }
  const home = sourcesOf(platform, options);
  if (isOwn(files, home, folder)) {
    throw new UsageError("vendor does not copy the program into itself: name a folder of another repository");
  }
  // All of this is read again after the changes of an interrupted command are taken back.
  return await write(platform, options, folder, async (read) => {
    const known = readCopyManifest(platform, folder);
    const isEmpty = (attempt(() => files.list(folder)) ?? []).every(({ name }) => isHidden(name));
    if (!known && !isEmpty && !options.has("force")) {
      throw new CommandError(
        `Cannot copy to "${folder}": it has files but no ${COPY_MANIFEST}; name a new folder, or replace files with --force`,
      );
    }
    const parts = only === undefined
      ? known?.parts ?? ALL_PARTS
      : only === "all"
      ? ALL_PARTS
      : only.split(",");
    const copy = await copyOf(platform, home, parts);
    /** The texts of the files that are as they were copied, by name. */
    const unchanged = new Map<string, string | undefined>();
    for (const [name, hash] of Object.entries(known?.files ?? {})) {
      const { state, text } = await compareFile(files, folder, name, hash);
      if (state === "same") unchanged.set(name, text);
    }
    const edited: string[] = [];
    const current = Array.from(copy, ([name, text]): FileChange => {
      const path = `${folder}/${name}`, before = read(path);
      // Git may have written other line ends on Windows.
      const after = before?.replaceAll("\r\n", "\n") === text ? before : text;
      const isKnown = before === undefined || before === after || name === COPY_MANIFEST ||
        before === unchanged.get(name);
      if (!isKnown) edited.push(name);
      return { path, before, after };
    });
    if (edited.length > 0 && !options.has("force")) {
      const named = edited.slice(0, MAX_NAMED).join(", ") + (edited.length > MAX_NAMED ? ", …" : "");
      throw new CommandError(
        `Cannot update "${folder}": these files are not as they were copied: ${named}; --force replaces them`,
      );
    }
    const gone = [...unchanged].filter(([name]) => !copy.has(name)).flatMap(([name, text]): FileChange[] => {
      const path = `${folder}/${name}`, before = read(path);
      return before === undefined || before !== text ? [] : [{ path, before, after: undefined }];
    });
    return [...current, ...gone];
  }, { showsDiff: false, countsSame: true });
}

/** Whether a folder, which may not exist yet, is the one of the program, or in one that is copied. */
function isOwn(files: FileSystem, home: string, folder: string): boolean {
  let existing = folder;
  while (existing !== "" && !attempt(() => files.realPath(existing))) existing = parentOf(existing);
  const real = files.realPath(existing || (folder.startsWith("/") ? "/" : ".")), own = files.realPath(home);
  return (real === own && existing === folder) ||
    ["lib", "mcp"].some((name) => isInside(real, own + files.separator + name, files.separator));
}

/** The folder of the sources of this program. Throws a `ConfigurationError` when it runs from something else. */
function sourcesOf(platform: Platform, { home }: Options): string {
  const path = `${home}/mod.ts`;
  try {
    if (home !== undefined && platform.files.status(path).kind === "file") return home;
  } catch (cause) {
    if (isDenied(cause)) {
      throw new ConfigurationError(
        `Cannot read the program: "${path}" ${pathProblem(platform, path, cause)}`,
      );
    }
  }
  throw new ConfigurationError(
    "vendor copies sources, and this is a build without them: copy the single file and the folder mcp next to it, or " +
      "run mod.ts of a clone",
  );
}

/** The texts of a copy with these parts, by their paths in it. */
async function copyOf(
  platform: Platform,
  home: string,
  parts: readonly string[],
): Promise<Map<string, string>> {
  const read = (name: string) =>
    readTextFile(platform, `${home}/${name}`, "a source of the program", MAX_SOURCE_BYTES);
  const isAll = ALL_PARTS.every((part) => parts.includes(part));
  const below = (name: string) =>
    visibleFiles(platform.files, `${home}/${name}`).map((path) => `${name}/${path}`);
  const names = isAll ? ["mod.ts", "deps.ts", ...below("lib"), ...below("mcp")] : modulesOf(parts, read);
  const copy = new Map<string, string>();
  for (const name of [...names, "LICENSE"].sort()) {
    copy.set(name, copiedText(name, read(name), parts));
  }
  copy.set("package.json", PACKAGE);
  const hashes: [string, string][] = [];
  for (const [name, text] of copy) hashes.push([name, await sha256(new TextEncoder().encode(text))]);
  // A copy can be copied again.
  const commit = readCopyManifest(platform, home)?.commit ?? commitOf(platform, home);
  const manifest = compact({
    version: VERSION,
    commit,
    parts,
    files: Object.fromEntries(hashes),
  }) satisfies Manifest;
  return copy.set(COPY_MANIFEST, toJsonText(manifest));
}
