/** The errors of commands. Each is printed as one line and sets the exit code of the program. */

import { didYouMean } from "../base/text.ts";

/** What was asked for does not exist or cannot be done. The message says how to fix it. Exit code 1. */
export class CommandError extends Error {
  readonly exitCode: number = 1;
  /** Makes the second half of the message. Called only when the message is printed. */
  details?: () => Promise<string>;
  /** Printed after the message. */
  readonly ending: string = "";
}

/** Wrong usage. The message is one sentence that says what to change. Exit code 2. */
export class UsageError extends CommandError {
  override readonly exitCode = 2;
  override readonly ending: string = "; see --help for all commands and options.";
}

/** A file, a folder or an address that cannot be used. Exit code 2. */
export class ConfigurationError extends UsageError {
  override readonly ending = ".";
}

/** Wrong usage: an unknown name. The message suggests names that are spelt like it; `hint` replaces the suggestions. */
export function unknownName(what: string, word: string, known: Iterable<string>, hint?: string): UsageError {
  const error = new UsageError(`Unknown ${what} "${word}"`), names = [...known];
  error.details = async () => {
    const { nearest } = await import("../base/nearest.ts");
    // The list of options would be too long; the help has it.
    const all = what === "option" ? "" : `: use one of ${names.join(", ")}`;
    return `${hint ?? didYouMean(nearest(word, names))}${all}`;
  };
  return error;
}
