/** The commands of a copy that has only a part of the program: serve and `vendor --check`. */

import type { Platform } from "../platform/platform.ts";
import { flagsOf, Options, parse, SERVE_OPTIONS, UsageError } from "./options.ts";
import { folderOption } from "./folder_option.ts";
import { PARTS, VERSION } from "./this_copy.ts";

const HELP = `architrave ${VERSION}: a copy that has only ${PARTS.join(" and ")}

Usage: mod.ts [serve | FOLDER] [OPTION]...    speak MCP over standard input and output
       mod.ts vendor DIR --check              show whether a copy is as it was made

Options:${SERVE_OPTIONS}
  --check                    print the files of a copy that were changed, are missing or are extra; exit code 1 if any
  -h, --help                 show this help
  -V, --version              show the version`;

/** Runs the command that the arguments name, and returns its exit code. Throws a `UsageError` for wrong usage. */
export async function runPartialCommand(platform: Platform, home: string | undefined): Promise<number> {
  const flags = flagsOf(HELP), line = parse(platform.arguments, flags);
  const { words: [name = "serve", ...operands], given } = line;
  if (given.has("help") || given.has("version")) {
    platform.print("output", `${given.has("help") ? HELP : VERSION}\n`);
    return 0;
  }
  if (name === "vendor" && given.has("check") && operands.length === 1) {
    const options = new Options(home, { given, words: operands }, flags);
    return await (await import("./vendor/verify.ts")).verify(platform, options, operands[0]!);
  }
  const folder = folderOption(platform, name);
  if (name !== "serve" && !folder || operands.length > 0 || line.rest || given.has("check")) {
    throw new UsageError(
      `Cannot run "${platform.arguments.join(" ")}": this copy has only ${
        PARTS.join(" and ")
      }; copy all with vendor DIR`,
    );
  }
  const all = new Map(given);
  if (folder) all.set(folder[0], [...given.get(folder[0]) ?? [], folder[1]]);
  const options = new Options(home, { given: all, words: [] }, flagsOf(SERVE_OPTIONS));
  return await (await import("./serve.ts")).serve(platform, options);
}
