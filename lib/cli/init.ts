/** The command init: starts a folder of documents with those that come with the program. */

import type { Platform } from "../platform/platform.ts";
import type { Options } from "./options.ts";
import type { FileChange } from "./transaction.ts";
import { attempt, printable } from "../base/text.ts";
import { walkFiles } from "../documents/walk.ts";
import { pageKind } from "../documents/records/name.ts";
import { trimmedPath, UsageError } from "./options.ts";
import { findFolders } from "./find_folder.ts";
import { requireFolder } from "./folders.ts";
import { readTextFile } from "./io.ts";
import { today } from "./record_name.ts";
import { write } from "./write.ts";

/** Plans copies of the documents in `mcp/starter/` and of the prompts that come with the program. */
export function init(platform: Platform, options: Options): Promise<number> {
  const { files } = platform;
  const folder = trimmedPath(options.operands[0]!);
  if (folder === "") throw new UsageError("init takes the folder to create, such as docs/architecture");
  const home = `${options.home}/mcp`, date = today();
  const copy = (from: string, to: string): FileChange[] => {
    requireFolder(platform, from, "the documents that come with the program");
    return [...walkFiles(files, from)].sort().map((name) => {
      const text = readTextFile(platform, `${from}/${name}`, "a document that comes with the program");
      // Templates and prompts keep the placeholder.
      const after = pageKind(name) ? text : text.replace(/^date: YYYY-MM-DD$/m, `date: ${date}`);
      return { path: `${to}/${name}`, before: undefined, after };
    });
  };
  const own = copy(`${home}/starter`, folder);
  // Next to the single file, the prompts are among them.
  const isComplete = own.some(({ path }) => path.startsWith(`${folder}/prompts/`));
  const changes = isComplete ? own : [...own, ...copy(`${home}/prompts`, `${folder}/prompts`)];
  const [present] = attempt(() => findFolders(platform))?.folders ?? [];
  if (present !== undefined && present !== folder) {
    const reason = "with a second folder, commands need --in to know which one is meant";
    platform.print("error", `architrave: There are records in ${printable(present)}: ${reason}.\n`);
  }
  return write(platform, options, folder, () => changes);
}
