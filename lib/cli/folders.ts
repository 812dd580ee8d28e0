/** The folders that a command line names. */

import type { Mount, RecordWords } from "../documents/mod.ts";
import type { FileSystem, Platform } from "../platform/platform.ts";
import type { OptionPair, Options } from "./options.ts";
import { attempt } from "../base/text.ts";
import { ConfigurationError, UsageError } from "./options.ts";

/** Where documents and prompts are read from. */
export interface Folders {
  /** Has `resources/` and `prompts/`; undefined when only mounts are named. */
  readonly root: string | undefined;
  readonly mounts: readonly Mount[];
  readonly records: readonly string[];
  /** Has the prompts that are served in addition to those of `root`; undefined when they do not exist. */
  readonly fallback: string | undefined;
  /** Whether the bundled sample is served, because no folder was named. */
  readonly isSample: boolean;
  /** The team's words in records, from the `architrave.json` next to the documents. */
  readonly words?: RecordWords | undefined;
}

/** What to do where no folder is named; part of messages. */
export const NAME_A_FOLDER = "name a folder of markdown with --in FOLDER, or several with --mount NAME=DIR";

/** The folders that the options name, else the sample. Throws a `UsageError` when one cannot be used. */
export function foldersOf(platform: Platform, options: Options): Folders {
  const { files } = platform;
  const mounts = options.list<OptionPair>("mount").map(([name, path]) => {
    if (!/^[A-Za-z0-9][A-Za-z0-9._-]*(?:\/[A-Za-z0-9][A-Za-z0-9._-]*)*$/.test(name)) {
      throw new UsageError(
        `--mount takes a name of letters, digits, dots, dashes and underscores, with slashes between, not "${name}"`,
      );
    }
    requireFolder(platform, path, `--mount ${name}`);
    return { name, path };
  });
  const records = options.list("records"), root = options.get("root");
  const home = options.home === undefined ? undefined : `${options.home}/mcp`;
  if (root === undefined && mounts.length === 0) {
    if (home === undefined) throw new ConfigurationError(`There are no documents here: ${NAME_A_FOLDER}`);
    requireFolder(platform, home, "the sample documents", `; ${NAME_A_FOLDER}`);
    // A team may have replaced the sample.
    const isSample = attempt(() => files.status(`${home}/SAMPLE.md`)) !== undefined;
    return { root: home, mounts, records, fallback: undefined, isSample };
  }
  if (root !== undefined) requireRoot(platform, root);
  const fallback = isFolder(files, `${home}/prompts`) ? home : undefined;
  const words = wordsIn(files, [root ?? [], mounts.map(({ path }) => path)].flat());
  return { root, mounts, records, fallback, isSample: false, words };
}

/** The words in the settings of the first folder that has any. `check` says what is wrong with them. */
export function wordsIn(files: FileSystem, folders: readonly string[]): RecordWords | undefined {
  return folders.map((folder) =>
    attempt(() => {
      const { words } = JSON.parse(readBeginning(files, `${folder}/architrave.json`, 1024 * 1024)!);
      return Object(words) as RecordWords;
    })
  ).find(Boolean);
}

/** Throws a `ConfigurationError` for a path that cannot be a `--root`. */
export function requireRoot(platform: Platform, root: string): void {
  if (isRoot(platform.files, root)) return;
  requireFolder(platform, root, "--root");
  throw new ConfigurationError(
    `Cannot use --root: "${root}" has neither resources/ nor prompts/; if the markdown is in the folder itself, ` +
      `name it with --mount NAME=${root}`,
  );
}

/** Throws a `ConfigurationError` for a path that is not a folder or cannot be read. `what` names it; `way` ends the message. */
export function requireFolder(platform: Platform, path: string, what: string, way = ""): void {
  const { files } = platform;
  const error = new ConfigurationError(`Cannot read ${what}: "${path}"`);
  error.details = () => Promise.resolve(` is not a folder: name the one that it is in${way}`);
  try {
    // The target of a link is what will be read, and a sandbox may allow the link alone.
    if (files.status(files.realPath(path)).kind === "directory") return;
  } catch (cause) {
    error.details = async () =>
      ` ${(await import("./path_problem.ts")).pathProblem(platform, path, cause)}${way}`;
  }
  throw error;
}

/** The first `maxBytes` bytes of a file as text; undefined if it cannot be read. */
export function readBeginning(files: FileSystem, path: string, maxBytes: number): string | undefined {
  return attempt(() => {
    const { kind, size } = files.status(path);
    if (kind !== "file") return undefined;
    const file = files.open(path);
    try {
      return new TextDecoder().decode(file.read(Math.min(size, maxBytes)));
    } finally {
      file.close();
    }
  });
}

export function isRoot(files: FileSystem, path: string): boolean {
  return ["resources", "prompts"].some((name) => isFolder(files, `${path}/${name}`));
}

export function isFolder(files: FileSystem, path: string): boolean {
  return attempt(() => files.status(files.realPath(path)).kind) === "directory";
}
