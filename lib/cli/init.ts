/** The command init: a folder of documents and prompts to start from. */

import type { Platform } from "../../deps.ts";
import type { Options } from "./main.ts";
import type { Change } from "./write.ts";
import { attempt, walkFiles } from "../documents/files.ts";
import { ConfigurationError, isFolder, trimmedPath, UsageError } from "./main.ts";
import { today } from "./records.ts";
import { readText, write, WriteError } from "./write.ts";

/** Plans copies of the documents in `mcp/starter/` and of the prompts that come with the program. */
export function init(platform: Platform, options: Options): Promise<number> {
  const { files } = platform;
  const folder = trimmedPath(options.operands[0]!);
  if (folder === "") throw new UsageError("init takes the folder to create, such as docs/architecture");
  const home = `${options.home}/mcp`;
  const date = today();
  const copy = (from: string, to: string): Change[] => {
    const names = [...walkFiles(files, from)].sort();
    return (names.length > 0 ? names : [""]).map((name) => {
      const text = readText(files, `${from}/${name}`, attempt(() => files.realPath(home)) ?? home);
      if (text !== undefined) {
        return { path: `${to}/${name}`, before: undefined, after: text.replaceAll("YYYY-MM-DD", date) };
      }
      throw new ConfigurationError(
        `Cannot read "${from}/${name}", which comes with the program: it does not exist or must not be read`,
      );
    });
  };
  // Beside the single file, they are not among the documents of the user.
  const isComplete = isFolder(files, `${home}/starter/prompts`);
  const prompts = isComplete ? [] : copy(`${home}/prompts`, `${folder}/prompts`);
  const changes = [...copy(`${home}/starter`, folder), ...prompts];
  return write(platform, options, { within: folder, folder }, () => {
    const taken = changes.find(({ path }) => attempt(() => files.status(path)));
    if (!taken) return changes;
    throw new WriteError(
      `Cannot create "${taken.path}": it exists already, and no file is overwritten; name another folder`,
    );
  });
}
