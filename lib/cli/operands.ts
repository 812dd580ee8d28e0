/** Checks the operands of commands and actions, and reads those of prompts. */

import { unknownName, UsageError } from "./options.ts";

/** What is known of the operands in addition to their usage. */
interface Known {
  /** All words for the last operand. @default {any} */
  readonly words?: readonly string[];
  /** Explains a surplus operand; the end of the message. */
  readonly hint?: (unexpected: string) => string;
}

/**
 * Checks operands by a usage such as "call TOOL [JSON]". Throws a `UsageError` when there are too few or too many, or when the last
 * one is unknown.
 */
export function checkOperands(
  usage: string,
  given: readonly string[],
  { words = [], hint = () => "" }: Known = {},
): void {
  const [name, ...operands] = usage.split(" ");
  const least = operands.filter((operand) => !operand.startsWith("[")).length;
  if (given.length < least) {
    const known = words.length > 0 ? `, with ${operands.at(-1)} one of ${words.join(", ")}` : "";
    throw new UsageError(`Missing argument for ${name}: the usage is "${usage}"${known}`);
  }
  const unexpected = usage.endsWith("...") ? undefined : given[operands.length];
  if (unexpected !== undefined) {
    throw new UsageError(
      `Unexpected argument "${unexpected}" for ${name}: the usage is "${usage}"${hint(unexpected)}`,
    );
  }
  const last = given[operands.length - 1];
  if (words.length === 0 || last === undefined || words.includes(last)) return;
  throw unknownName(operands.at(-1)!.replace(/[^A-Z]/g, "").toLowerCase(), last, words);
}

/** The arguments of a prompt, from words like "key=value". */
export function readPairs(words: readonly string[]): Record<string, string> {
  return Object.fromEntries(words.map((word) => {
    const at = word.indexOf("=");
    if (at < 1) throw new UsageError(`An argument of a prompt is written key=value, not "${word}"`);
    return [word.slice(0, at), word.slice(at + 1)];
  }));
}
