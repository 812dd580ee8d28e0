/** The commands: their usage, options and help. */

import { unknownName } from "./options.ts";
import { GENERAL_OPTIONS, HELP } from "./help_text.ts";

/** The parts of the help of a command. `words` has all words for its last operand; it is empty when any word will do. */
export type Command = Readonly<
  Record<"usage" | "text" | "options" | "notes", string> & { words: readonly string[] }
>;

export const COMMANDS: ReadonlyMap<string, Command> = new Map(
  HELP.trim().split("\n\n").map((help) => {
    const form = /^(.+?) {2,}(.+)((?:\n {2}.*)*)([^]*)$/;
    const [, usage = "", text = "", own = "", notes = ""] = form.exec(help)!;
    const options = own + GENERAL_OPTIONS;
    const words = /^[A-Z]+ is one of (.+)$/m.exec(notes)?.[1]?.split(", ") ?? [];
    return [usage.split(" ", 1)[0]!, { usage, text, options, notes, words }];
  }),
);

/** Throws a `UsageError` for an unknown name. */
export function commandOf(name: string): Command {
  const command = COMMANDS.get(name);
  if (command) return command;
  const hint = /[\\/.]/.test(name) ? ", and there is no such folder" : undefined;
  throw unknownName("command", name, COMMANDS.keys(), hint);
}
