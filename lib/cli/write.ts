/** Shows the changes of a command, or makes them: below one folder, and over no file that has changed since. */

import type { FileSystem, Platform } from "../platform/platform.ts";
import type { Options } from "./options.ts";
import type { FileChange, Written } from "./transaction.ts";
import { compact } from "../base/json.ts";
import { attempt, count, printable } from "../base/text.ts";
import { unifiedDiff } from "./diff.ts";
import { CommandError, UsageError } from "./options.ts";
import { emit } from "./io.ts";
import { parentOf } from "./paths.ts";
import { safeText } from "./table.ts";
import { bytesOf, isInterrupted, readText, readWhole, takenError, transact } from "./transaction.ts";

/**
 * Plans changes. `read` gives the text of a file with its byte order mark; undefined when it is not a text file. `readAll` gives
 * the bytes of any file.
 */
type Plan = (
  read: (path: string) => string | undefined,
  readAll: (path: string) => Uint8Array<ArrayBuffer> | undefined,
) => readonly FileChange[] | Promise<readonly FileChange[]>;

const textOf = (content: Written | undefined) => typeof content === "object" ? "" : content;

/** What is shown, and where it is allowed to write. */
interface Shown {
  /** The folder that the user named. Nothing outside of it is written. @default {the folder with the changes} */
  readonly within?: string;
  /** Whether a diff is shown and a power cut leaves all or nothing; else, a list of files, which can be made again. @default {true} */
  readonly showsDiff?: boolean;
  /** Whether the files that stay as they are are counted. @default {false} */
  readonly countsSame?: boolean;
}

/**
 * Shows the changes that are planned for a folder, as a diff or a list of files, or makes them with `--write`. Returns the exit
 * code: with `--check`, it is 1 when a file is not current.
 */
export async function write(
  platform: Platform,
  options: Options,
  folder: string,
  plan: Plan,
  { within = folder, showsDiff = true, countsSame = false }: Shown = {},
): Promise<number> {
  const isWriting = options.has("write"), isCheck = options.has("check");
  if (isWriting && isCheck) throw new UsageError("Use either --write or --check");
  if (attempt(() => platform.files.status(folder).kind) === "file") {
    throw new CommandError(`Cannot write in "${folder}": it is a file; name a folder`);
  }
  let same = 0;
  const planned = async () => {
    const { files } = platform, real = attempt(() => files.realPath(within)) ?? within;
    const all = await plan((path) => readText(files, path, real), (path) => readWhole(files, path, real));
    const twinOf = twins(files, folder);
    const changes = all.filter(({ path, before, after }) => {
      const taken = before !== undefined
        ? undefined
        : attempt(() => files.status(path))
        ? path
        : twinOf(path);
      if (taken !== undefined) throw takenError(path, taken);
      return before !== after;
    });
    same = all.length - changes.length;
    return changes;
  };
  if (!isWriting && isInterrupted(platform.files, folder)) {
    platform.print(
      "error",
      `architrave: A command is writing in "${folder}" or was interrupted there; --write takes its changes back first.\n`,
    );
  }
  const report = (sentence: string) => platform.print("error", `architrave: ${sentence}.\n`);
  const changes = isWriting
    ? await transact(platform, folder, within, planned, report, showsDiff)
    : await planned();
  const files = changes.map(({ path, before, after }) => {
    const change = before === undefined ? "created" : after === undefined ? "deleted" : "changed";
    if (showsDiff) {
      return { path, change, text: textOf(after), diff: unifiedDiff(path, textOf(before), textOf(after)) };
    }
    return { path, change, bytes: bytesOf(after).length };
  });
  const text = files.map(({ path, change, diff, bytes }) => {
        if (showsDiff) return isWriting ? `${change} ${path}\n` : diff;
        return `${isWriting ? change : change.slice(0, -1)} ${printable(path)} (${bytes} bytes)\n`;
      }).join("") + (countsSame && same > 0 ? `${count(same, "file")} the same\n` : "") ||
    "There is nothing to change.\n";
  // A diff on a pipe is one that can be applied, so it is cleaned for a terminal only.
  emit(
    platform,
    options,
    compact({ written: isWriting, files, same: countsSame ? same : undefined }),
    () => platform.showsOutput ? safeText(text) : text,
  );
  if (isWriting || files.length === 0) return 0;
  const are = files.length === 1 ? "1 file is" : `${files.length} files are`;
  const hint = isCheck
    ? `${are} not current: --write instead of --check changes them`
    : "Nothing is written yet: --write makes these changes";
  platform.print("error", `architrave: ${hint}.\n`);
  return isCheck ? 1 : 0;
}

/** Finds the file or folder whose path differs from a new one only in case, which some systems take for the same. */
function twins(files: FileSystem, folder: string): (path: string) => string | undefined {
  /** The names in a folder by how such systems see them. */
  const folders = new Map<string, Map<string, string>>();
  const seen = (name: string) => name.normalize("NFC").toLowerCase();
  const namesIn = (path: string) => {
    const names = folders.get(path) ??
      new Map((attempt(() => files.list(path)) ?? []).map(({ name }) => [seen(name), name]));
    folders.set(path, names);
    return names;
  };
  const twinOf = (path: string): string | undefined => {
    if (path.length <= folder.length) return undefined;
    const parent = parentOf(path),
      name = path.slice(parent.length + 1),
      other = namesIn(parent).get(seen(name));
    return twinOf(parent) ?? (other === undefined || other === name ? undefined : `${parent}/${other}`);
  };
  return twinOf;
}
