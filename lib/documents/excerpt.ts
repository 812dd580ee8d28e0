/** What is shown of a text? The stretch of it that says most of what is looked for, on one line that is safe to show. */

import { plain } from "./markdown.ts";
import { readWords } from "./tokens.ts";

/** The longest excerpt, in UTF-16 units: two or three lines of text, enough to see what it is about. */
export const MAX_EXCERPT = 240;

/** As much of a text as is looked at closely: what `plain` takes. */
const MAX_RAW = 1600;
/** How much of an excerpt comes before the first word that is looked for. */
const LEAD = 60;
/** The most places that are compared: where so many words are found, any of them will do. */
const MAX_MATCHES = 400;
/** How far a cut may move to fall between words. */
const MAX_SHIFT = 24;

/** What stands at the beginning of a line for its looks. */
const LINE_MARK = /^[ \t>|]*(?:[-*+][ \t]+|\d{1,9}[.)][ \t]+)?/;
/** What nobody sees, except where letters are joined or kept apart by it, and the looks of a sign. */
const HIDDEN = /[\p{Cc}\u2028\u2029]|(?![\u200c\u200d\ufe0e\ufe0f])\p{Default_Ignorable_Code_Point}/gu;

/** A word of the query, and what it says. */
interface Valued {
  readonly asked: string;
  readonly value: number;
}

/** Cuts the excerpt out of some lines of markdown. */
export function cutExcerpt(
  lines: readonly string[],
  words: ReadonlyMap<string, readonly Valued[]>,
): string {
  const text = lines.map((line) => line.replace(LINE_MARK, "")).join(" ");
  const [from, to] = text.length > MAX_RAW ? bestStretch(text, words, MAX_RAW) : [0, text.length];
  const raw = text.slice(from, to).toWellFormed();
  const line = plain(raw.replace(/\s/g, " ").replace(HIDDEN, "")).trim();
  const [start, end] = line.length > MAX_EXCERPT
    ? bestStretch(line, words, MAX_EXCERPT - 2)
    : [0, line.length];
  const before = from > 0 || start > 0 ? "…" : "";
  const after = to < text.length || end < line.length ? "…" : "";
  return before + line.slice(start, end).trim() + after;
}

/** A word of a text that is looked for. */
interface Match {
  readonly start: number;
  readonly end: number;
  readonly words: readonly Valued[];
}

/** Finds the stretch of a text, at most so long, that says most; the first of several. */
function bestStretch(
  text: string,
  words: ReadonlyMap<string, readonly Valued[]>,
  length: number,
): [from: number, to: number] {
  const matches: Match[] = [];
  readWords(text, (word, start, end) => {
    const found = matches.length < MAX_MATCHES ? words.get(word) : undefined;
    if (found) matches.push({ start, end, words: found });
  });
  matches.sort((one, other) => one.start - other.start);
  let most = 0;
  let at = 0;
  for (const [index, { start }] of matches.entries()) {
    const says = sayingOf(matches, index, start + length - LEAD);
    if (says <= most) continue;
    most = says;
    at = start;
  }
  const from = Math.max(0, Math.min(at - LEAD, text.length - length));
  return [shifted(text, from, 1), shifted(text, Math.min(text.length, from + length), -1)];
}

/** What the matches from one on say that end before a place: each word of the query once. */
function sayingOf(matches: readonly Match[], from: number, end: number): number {
  const says = new Map<string, number>();
  for (let index = from; index < matches.length && (index === from || matches[index]!.end <= end); index++) {
    for (const { asked, value } of matches[index]!.words) {
      says.set(asked, Math.max(says.get(asked) ?? 0, value));
    }
  }
  let total = 0;
  for (const value of says.values()) total += value;
  return total;
}

/** A place between words, where there is one near; at least not within a character. */
function shifted(text: string, place: number, step: 1 | -1): number {
  if (place <= 0 || place >= text.length) return place;
  for (let shift = 0; shift <= MAX_SHIFT; shift++) {
    const near = place + shift * step;
    if (/\s/.test(text[near] ?? " ")) return near;
  }
  const isLowHalf = (text.charCodeAt(place) & 0xfc00) === 0xdc00;
  return isLowHalf ? place + step : place;
}
