/** Runs commands in the process of the tests: no start of a runtime for each, and everything but the exit is the program. */

import { loadPlatform } from "../../deps.ts";
import { run } from "../../lib/cli/main.ts";
import { REPOSITORY } from "./program.ts";

/** Runs a command to its end, as `run` of `program.ts` does with a process of its own. */
export async function runHere(
  args: readonly string[],
): Promise<{ code: number; output: string; errors: string }> {
  const printed = { output: "", error: "" };
  const platform = Object.create(await loadPlatform(), {
    arguments: { value: args },
    print: { value: (stream: keyof typeof printed, text: string) => void (printed[stream] += text) },
  });
  const code = await run(platform, REPOSITORY);
  return { code, output: printed.output, errors: printed.error };
}
