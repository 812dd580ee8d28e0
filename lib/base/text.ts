/** Text from outside: cuts it, escapes it, and builds messages about it. */

/** The first `most` UTF-16 units of a text, without lone surrogates. */
export function quoted(text: string, most: number): string {
  return text.slice(0, most).toWellFormed();
}

/** The first `most` UTF-16 units of a text, and an ellipsis if it was longer. */
export function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${quoted(text, most)}…`;
}

/** Replaces control characters and line breaks by spaces, so that a message stays on one line. */
export function oneLine(text: string): string {
  // deno-lint-ignore no-control-regex
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ");
}

/** The problems of a value, one line each: "/path: message". */
export function problemLines(
  issues: readonly { readonly path: string; readonly message: string }[],
): string[] {
  return issues.map(({ path, message }) => oneLine(path === "" ? message : `${path}: ${message}`));
}

/** A message in one line: "The arguments of a do not fit: /b: Expected …; /c: …." */
export function misfit(what: string, problems: readonly string[]): string {
  const all = new Set(problems.map((one) => one.replace(/\.$/, "")));
  return `${what} do not fit: ${[...all].join("; ")}.`;
}

/** The result of a call; undefined if it throws. */
export function attempt<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch {
    return undefined;
  }
}

/** Decodes a part of a URI; undefined if it is not encoded correctly. */
export function uriDecoded(text: string): string | undefined {
  return attempt(() => decodeURIComponent(text));
}

/** The message of an error; other thrown values as text. */
export function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/** Whether a system error is of one of these kinds: error codes of Node, or error names of Deno. */
export function isErrorOf(cause: unknown, ...kinds: unknown[]): boolean {
  const { code, name } = cause as { readonly code?: unknown; readonly name?: unknown };
  return kinds.includes(code) || kinds.includes(name);
}

/** Whether a text is a valid date such as "2026-07-28". */
export function isDay(text: string): boolean {
  // Format checks run often, and `toJSON` takes twice as long.
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** Escapes control characters, format characters and line breaks: "\\u{1b}" for the escape character. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (mark) => `\\u{${mark.codePointAt(0)!.toString(16)}}`);
}

/** The part of a message with suggestions: " (did you mean a, b or c?)", or "" without suggestions. */
export function didYouMean(names: readonly string[]): string {
  const list = [names.slice(0, -1).join(", "), names.at(-1)].filter(Boolean).join(" or ");
  return list === "" ? "" : ` (did you mean ${list}?)`;
}

export const capitalized = (text: string): string => text.replace(/^./, (letter) => letter.toUpperCase());

/** The first text that occurs twice. */
export function repeated<T extends string>(texts: readonly T[]): T | undefined {
  const seen = new Set();
  return texts.find((text) => seen.size === seen.add(text).size);
}

/** Compares two texts by their code units, for sorting. */
export function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** A number and a noun: "1 category", "2 categories". */
export function count(number: number, thing: string): string {
  return `${number} ${number === 1 ? thing : thing.replace(/y?$/, (end) => end === "" ? "s" : "ies")}`;
}
