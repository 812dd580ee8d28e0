/** The entry of the program: the only code that ends the process. */

import type { Platform } from "../platform/platform.ts";
import { attempt, printable } from "../base/text.ts";
import { loadPlatform } from "../platform/load.ts";
import { CommandError, flagsOf, Options, parse, SERVE_OPTIONS } from "./options.ts";
import { PARTS } from "./this_copy.ts";

/** Runs the program and ends the process. `home` is the folder of `mod.ts`; undefined when it is not a file. */
export async function main(home: string | undefined): Promise<void> {
  const platform = await loadPlatform();
  platform.exit(await run(platform, home));
}

/** Runs the program. Returns its exit code: 1 for errors of `check` and for what does not exist, 2 for wrong usage. */
export async function run(platform: Platform, home: string | undefined): Promise<number> {
  try {
    const options = serveOptions(platform.arguments, home);
    if (options) return await (await import("./serve.ts")).serve(platform, options);
    return PARTS.includes("commands")
      ? await (await import("./commands.ts")).runCommand(platform, home)
      : await (await import("./partial.ts")).runPartialCommand(platform, home);
  } catch (cause) {
    if (!(cause instanceof CommandError)) throw cause;
    const message = printable(cause.message + (await cause.details?.() ?? "")).replace(/\.$/, "");
    platform.print("error", `architrave: ${message}${cause.ending}\n`, "error");
    return cause.exitCode;
  }
}

/** The options of serve; undefined for other commands and for mistakes, which `runCommand` reports. Its table takes time to load. */
function serveOptions(args: readonly string[], home: string | undefined): Options | undefined {
  const flags = flagsOf(SERVE_OPTIONS);
  return attempt(() => {
    const line = parse(args[0] === "serve" ? args.slice(1) : args, flags);
    const isNamed = line.given.has("root") || line.given.has("mount") || !PARTS.includes("commands");
    return line.words.length > 0 || line.rest || !isNamed ? undefined : new Options(home, line, flags);
  });
}
