/** Reads the parts of links: labels, targets, titles, and the definitions of references. */

import { isSpace, unescape } from "./html.ts";

/** Where a link leads. */
export interface Target {
  readonly target: string;
  readonly title: string;
}

/** The longest label, and round brackets within each other in a target. */
const MAX_LABEL = 999, MAX_BRACKETS = 32;

/** The index of the first unescaped `end`; -1 when one of `stops` or the end of the text comes before. */
function find(text: string, from: number, end: string, stops: string): number {
  for (let at = from; at < text.length; at++) {
    const character = text[at]!;
    if (character === end) return at;
    if (stops.includes(character)) return -1;
    if (character === "\\" && !isSpace(text[at + 1])) at++;
  }
  return -1;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (isSpace(text[at])) at++;
  return at;
}

/** The label in square brackets from an index on, and the index behind it. */
export function readLabel(text: string, from: number): { label: string; end: number } | undefined {
  if (text[from] !== "[") return undefined;
  const close = find(text, from + 1, "]", "[");
  if (close < 0) return undefined;
  return { label: toLabel(text.slice(from + 1, close)), end: close + 1 };
}

/** The form in which labels are compared; "" for what is no label. */
export function toLabel(text: string): string {
  if (text.length > MAX_LABEL) return "";
  return text.trim().replace(/\s+/g, " ").toLowerCase().toUpperCase();
}

/** The target of a link, as it is written between `from` and the returned end. */
function readTarget(text: string, from: number): { target: string; end: number } | undefined {
  if (text[from] === "<") {
    const close = find(text, from + 1, ">", "<\n");
    return close < 0 ? undefined : { target: unescape(text.slice(from + 1, close)), end: close + 1 };
  }
  let at = from, open = 0;
  for (; at < text.length; at++) {
    const character = text[at]!;
    if (/[\0-\x20\x7f]/.test(character)) break;
    if (character === "\\" && /[!-/:-@[-`{-~]/.test(text[at + 1] ?? "")) at++;
    else if (character === "(" && ++open > MAX_BRACKETS) return undefined;
    else if (character === ")" && --open < 0) break;
  }
  return open > 0 || (at === from && text[at] !== ")")
    ? undefined
    : { target: unescape(text.slice(from, at)), end: at };
}

/** The title of a link in quotes or round brackets. */
function readTitle(text: string, from: number): { title: string; end: number } | undefined {
  const open = text[from];
  if (open !== '"' && open !== "'" && open !== "(") return undefined;
  const close = open === "(" ? find(text, from + 1, ")", "(") : find(text, from + 1, open, "");
  return close < 0 ? undefined : { title: unescape(text.slice(from + 1, close)), end: close + 1 };
}

/** What stands in round brackets behind the text of a link: `(target "title")`. */
export function readResource(text: string, from: number): (Target & { end: number }) | undefined {
  if (text[from] !== "(") return undefined;
  const target = readTarget(text, skipSpace(text, from + 1));
  if (!target) return undefined;
  let end = skipSpace(text, target.end);
  const title = end > target.end ? readTitle(text, end) : undefined;
  if (title) end = skipSpace(text, title.end);
  return text[end] === ")" ? { target: target.target, title: title?.title ?? "", end: end + 1 } : undefined;
}

/** The definition `[label]: target "title"` that begins at an index. */
export function readDefinition(
  text: string,
  from: number,
): (Target & { label: string; end: number }) | undefined {
  const name = readLabel(text, from);
  if (!name?.label || text[name.end] !== ":") return undefined;
  const start = skipSpace(text, name.end + 1);
  const found = start < text.length && text[start] !== ")" ? readTarget(text, start) : undefined;
  if (!found) return undefined;
  const begin = skipSpace(text, found.end);
  const title = begin > found.end ? readTitle(text, begin) : undefined;
  const { label } = name, { target } = found;
  const behind = title && lineEnd(text, title.end);
  if (behind !== undefined) return { label, target, title: title!.title, end: behind };
  // Without the title, which may belong to the next line.
  const end = lineEnd(text, found.end);
  return end === undefined ? undefined : { label, target, title: "", end };
}

/** The index of the next line; undefined when there is more in this one. */
function lineEnd(text: string, from: number): number | undefined {
  let at = from;
  while (text[at] === " " || text[at] === "\t") at++;
  return at === text.length || text[at] === "\n" ? at + 1 : undefined;
}
