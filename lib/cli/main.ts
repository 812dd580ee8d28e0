/** The program: the only code that reads the arguments and ends the process. */

import type { Platform } from "../../deps.ts";
import { loadPlatform } from "../platform/load.ts";
import { flagsOf, Options, parse, SERVE_OPTIONS } from "./options.ts";
import { UsageError } from "./program.ts";

/**
 * Runs the program and ends the process.
 *
 * @param home The folder of `mod.ts`, with the documents of the program in `mcp/`; undefined when it is not a file.
 */
export async function main(home: string | undefined): Promise<void> {
  const platform = await loadPlatform();
  platform.exit(await run(platform, home));
}

/**
 * Runs the program. The exit code is the result: 0 when all is well, 1 when `check` finds errors or something does not
 * exist, 2 for wrong usage or configuration.
 */
export async function run(platform: Platform, home: string | undefined): Promise<number> {
  try {
    const options = serveOptions(platform.arguments, home);
    if (options) return await (await import("./serve.ts")).serve(platform, options);
    return await (await import("./commands.ts")).runCommand(platform, platform.arguments, home);
  } catch (cause) {
    if (!(cause instanceof UsageError)) throw cause;
    platform.print("error", `architrave: ${cause.message}; see --help for all commands and options.\n`);
    return 2;
  }
}

/** The options of serve, so that a client does not wait for the table of commands; undefined for all other arguments. */
function serveOptions(args: readonly string[], home: string | undefined): Options | undefined {
  try {
    const flags = flagsOf(SERVE_OPTIONS);
    const line = parse(args[0] === "serve" ? args.slice(1) : args, flags);
    return line.words.length > 0 || line.rest ? undefined : new Options(home, line, flags);
  } catch (cause) {
    if (cause instanceof UsageError) return undefined;
    throw cause;
  }
}
