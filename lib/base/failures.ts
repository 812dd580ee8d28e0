/** Tells the operator on standard error what clients do not get to see. Loaded with the first failure. */

import { attempt, printable, shortened } from "./text.ts";

/** Maximum length of a failure, in UTF-16 units: its message may quote what a client has sent. */
const MAX_LENGTH = 16_384;
/** Maximum number of errors that are followed from one `cause` to the next. */
const MAX_CAUSES = 8;

/** Writes a failure to standard error: what failed, and why, with the stack and the causes of an error. Never throws. */
export function printFailure(what: string, cause: unknown): void {
  const text = attempt(() => textOf(cause)) ?? `A thrown ${typeof cause}`;
  // All lines except the first are indented, so that no message can pretend to be another failure.
  const lines = shortened(text, MAX_LENGTH).split("\n").map((line) => printable(line.trim())).filter(Boolean);
  // deno-lint-ignore no-console
  console.error(`${printable(what)}: ${lines.join("\n    ")}`);
}

/** Writes the failure of a request, whose client has only the reference. */
export function printFailedRequest(cause: unknown, reference: string): void {
  printFailure(`The request ${reference} failed`, cause);
}

function textOf(cause: unknown, depth = 1): string {
  if (!(cause instanceof Error)) {
    return typeof cause === "object" && cause !== null ? JSON.stringify(cause) : String(cause);
  }
  const text = cause.stack ?? cause.message;
  return cause.cause === undefined || depth === MAX_CAUSES
    ? text
    : `${text}\nCaused by: ${textOf(cause.cause, depth + 1)}`;
}
