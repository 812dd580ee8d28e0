/** The command init: a folder of documents and prompts to start from. */

import type { Platform } from "../../deps.ts";
import type { Options } from "./main.ts";
import type { Change } from "./write.ts";
import { attempt } from "../documents/files.ts";
import { UsageError } from "./program.ts";
import { today } from "./records.ts";
import { readText, write, WriteError } from "./write.ts";

/** Plans copies of the documents in `mcp/starter/` and of the prompts that come with the program. */
export function init(platform: Platform, options: Options): Promise<number> {
  const { files } = platform;
  const folder = options.operands[0]!.replace(/(?<=.)[/\\]+$/, "");
  const home = attempt(() => files.realPath(`${options.home}/mcp`));
  if (home === undefined) {
    throw new UsageError(
      `Cannot read the files to start from: "${options.home}/mcp" does not exist or must not be read`,
    );
  }
  const date = today();
  const copy = (from: string, to: string): Change[] =>
    files.list(`${home}/${from}`).sort((left, right) => left.name < right.name ? -1 : 1).flatMap(
      ({ name, kind }) => {
        if (kind === "directory") return copy(`${from}/${name}`, `${to}/${name}`);
        const text = readText(files, `${home}/${from}/${name}`, home);
        if (text === undefined) {
          throw new UsageError(`Cannot read "${home}/${from}/${name}", which belongs to the program`);
        }
        return [{ path: `${to}/${name}`, before: undefined, after: text.replaceAll("YYYY-MM-DD", date) }];
      },
    );
  return write(platform, options, { within: folder, folder }, () => {
    const changes = [...copy("starter", folder), ...copy("prompts", `${folder}/prompts`)];
    for (const { path } of changes) {
      if (attempt(() => files.status(path)) === undefined) continue;
      throw new WriteError(
        `Cannot create "${path}": it exists already, and no file is overwritten; name another folder`,
      );
    }
    return changes;
  });
}
