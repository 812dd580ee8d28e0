/** The command hook: gives an assistant the decisions for the files that it reads or edits. */

import type { Platform } from "../platform/platform.ts";
import type { Options } from "./options.ts";
import { withTimeout } from "../base/async.ts";
import { visibleJson } from "../base/json.ts";
import { printable, reasonOf, shortened } from "../base/text.ts";
import { HOOK_CLIENTS } from "./hook_clients.ts";
import { readHookInput } from "./hook_input.ts";
import { readInput } from "./io.ts";
import { CommandError } from "./options.ts";

/** How long a client has to wait at most, in milliseconds. */
const MAX_WAIT_MS = 2000;
/** Maximum length of an error message, in UTF-16 units. */
const MAX_MESSAGE = 500;

/**
 * Prints the answer to a hook whose input is on standard input; nothing if no document applies. The exit code is always 0: what goes
 * wrong is one line on standard error, because a hook must not stop the work.
 */
export async function hook(platform: Platform, options: Options): Promise<number> {
  try {
    const text = await withTimeout(answer(platform, options), MAX_WAIT_MS, undefined);
    if (text === undefined) throw new Error(`it takes longer than ${MAX_WAIT_MS / 1000} seconds`);
    platform.print("output", text);
  } catch (cause) {
    const details = cause instanceof CommandError ? await cause.details?.() ?? "" : "";
    const reason = printable(shortened(reasonOf(cause) + details, MAX_MESSAGE));
    platform.print("error", `architrave: There is no answer for the hook: ${reason}\n`);
  }
  return 0;
}

async function answer(platform: Platform, options: Options): Promise<string> {
  const [name = "claude-code"] = options.operands, named = HOOK_CLIENTS[name]!;
  const hasStart = options.has("start");
  // The index needs no input, which only tells the client then.
  const text = hasStart && platform.interactive ? "" : await readInput(platform);
  const input = readHookInput(hasStart && text.trim() === "" ? "{}" : text);
  const client = Object.values(HOOK_CLIENTS).find((one) => one.matches(input)) ?? named;
  // Some clients run a hook for every tool. Most calls need no document.
  const isStart = hasStart || input.event.toLowerCase() === client.start.toLowerCase();
  if (!isStart && input.files.length === 0) return "";
  const { sessionAnswer, fileAnswer, isElsewhere } = await import("./hook_answer.ts");
  // The settings of a user run the hook in every project.
  if (isElsewhere(platform, options, input)) return "";
  const value = isStart
    ? await sessionAnswer(platform, options, client, input)
    : await fileAnswer(platform, options, client, input);
  return value ? `${visibleJson(value)}\n` : "";
}
