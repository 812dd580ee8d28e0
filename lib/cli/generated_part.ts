/** The part of a file that export writes; the rest belongs to the user. */

import { CommandError } from "./options.ts";

/** The lines before and after generated text. The rest of a file is not changed. */
const BEGIN = "<!-- architrave:begin -->", END = "<!-- architrave:end -->";
const MARKS = new RegExp(`(${BEGIN}|${END})`);

/** The content of a generated file, or the generated part of another file. The front matter of a rule is generated too. */
export type Generated = { head: string | undefined; lines: readonly string[]; isRule: boolean };

/** What is above and below the generated part of a file; undefined when it does not have one, or more than one. */
export function userParts(text: string): { readonly above: string; readonly below: string } | undefined {
  const [above, begin, , end, below, ...more] = text.split(MARKS);
  const isPair = begin === BEGIN && end === END && more.length === 0;
  return isPair ? { above: above!.replace(FRONT, "$1"), below: below! } : undefined;
}

/** The text of a file with a generated part. Throws a `CommandError` when it is not clear where that belongs. */
export function merged(path: string, before: string | undefined, { head, lines, isRule }: Generated): string {
  const newline = before?.includes("\r\n") ? "\r\n" : "\n";
  const front = head ? ["---", ...head.split("\n"), "---", ""].join(newline) : "";
  const part = [BEGIN, ...lines, END].join(newline);
  if (before === undefined) return `${front}${part}${newline}`;
  const parts = userParts(before);
  // The patterns of a rule are in its front matter.
  if (parts && isRule) return parts.above.replace(/^\uFEFF?/, (mark) => mark + front) + part + parts.below;
  if (parts) return before.slice(0, before.indexOf(BEGIN)) + part + parts.below;
  if (isRule || MARKS.test(before)) {
    const way = isRule ? "rename it if it is yours, else delete it" : "correct that, or delete both";
    throw new CommandError(
      `Cannot change "${path}": it must have ${BEGIN} once, and ${END} once after it; ${way}`,
    );
  }
  const gap = before === "" ? "" : /\n$/.test(before) ? newline : newline + newline;
  return `${before}${gap}${part}${newline}`;
}

/** Front matter, after a byte order mark if there is one. */
const FRONT = /^(\uFEFF?)---\r?\n(?:[^]*?\r?\n)?---\r?\n/;
