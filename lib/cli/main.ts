/** What happens when the program is run? The only code that reads the arguments and ends the process. */

import { loadPlatform } from "../../deps.ts";
import { readOptions, UsageError } from "./options.ts";
import { serve } from "./serve.ts";

/**
 * Runs the program and ends the process.
 *
 * @param home The folder that `mod.ts` is in: the documents that come with it are in `mcp/` beside it.
 */
export async function main(home: string | undefined): Promise<void> {
  const platform = await loadPlatform();
  try {
    const [first, ...rest] = platform.arguments;
    if (first === "gateway") {
      return platform.exit(await (await import("./gateway.ts")).gateway(platform, rest));
    }
    if (first === "inspect") {
      return platform.exit(await (await import("./inspect.ts")).inspect(platform, rest));
    }
    const options = await readOptions(platform.arguments, platform.readArguments);
    const root = () => options.root ?? besideProgram(home);
    switch (options.command) {
      case "serve":
        return platform.exit(await serve(platform, options, root()));
      case "http":
        return platform.exit(await (await import("./http.ts")).serveHttp(platform, options, root()));
      case "help":
        platform.print("output", (await import("./help.ts")).HELP);
        return platform.exit(0);
      case "version":
        platform.print("output", `${(await import("./version.ts")).VERSION}\n`);
        return platform.exit(0);
      case "check":
        return platform.exit(await (await import("./check.ts")).check(platform, options, root()));
      default:
        return platform.exit(await (await import("./show.ts")).show(platform, options, root()));
    }
  } catch (cause) {
    if (!(cause instanceof UsageError)) throw cause;
    platform.print("error", `architrave: ${cause.message}; run it with --help to see all there is.\n`);
    return platform.exit(2);
  }
}

function besideProgram(home: string | undefined): string {
  if (home !== undefined) return `${home}/mcp`;
  throw new UsageError(
    "There are no documents beside a module that is not a file: name a folder with --root",
  );
}
