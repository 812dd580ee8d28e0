/**
 * What are the words of a text? As people look for them: folded, identifiers whole and in their parts, and pairs of
 * characters where a script puts no spaces between words.
 *
 * Everything is found in one pass, and no pattern is tried twice at one place: a text costs no more than its length.
 */

import { fold } from "./fold.ts";

/** The longest word, in UTF-16 units; what is longer (a key, a picture in a text) is known by its beginning. */
export const MAX_WORD = 64;

/**
 * Takes one word.
 *
 * @param word The word, folded.
 * @param start Where it begins in the text, in UTF-16 units.
 * @param end Where it ends.
 * @param isAside Whether it does not stand there by itself, but follows from what does: "camel" and "case" of
 * "camelCase", "readmodel" of "read-model". What stands there comes in its order, asides come behind it.
 */
export type TakeWord = (word: string, start: number, end: number, isAside: boolean) => void;

/** What a character is for a word. */
const SEPARATOR = 1, SMALL = 2, CAPITAL = 3, DIGIT = 4, MARK = 5, JOINER = 6, DENSE = 7;

/** Scripts that are written without spaces (and Korean, where particles stick to words), with their repetition marks. */
const DENSE_SCRIPT = new RegExp(
  `[${
    ["Han", "Hiragana", "Katakana", "Hangul", "Thai", "Lao", "Khmer", "Myanmar"]
      .map((script) => `\\p{Script=${script}}`).join("")
  }\\u3005\\u3006\\u303b\\u30fc\\uff70\\uff9e\\uff9f]`,
  "u",
);
/** What joins the parts of an identifier: "read-model", "snake_case", "shelf.ts", "1.2.3". */
const JOINERS = new Set([..."-_.\u2010\u2011"]);

/** What each code unit is, found when it is first met. */
const classes = new Uint8Array(0x10000);

function classOf(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  return classes[unit] || (classes[unit] = classify(text[index]!));
}

function classify(character: string): number {
  // Half a character: where letters lie outside the first plane, they are of dense scripts, nearly always Han.
  if (/[\ud800-\udfff]/.test(character)) return SEPARATOR;
  if (DENSE_SCRIPT.test(character)) return DENSE;
  if (JOINERS.has(character)) return JOINER;
  if (/\p{Lu}/u.test(character)) return CAPITAL;
  if (/\p{N}/u.test(character)) return DIGIT;
  if (/\p{L}/u.test(character)) return SMALL;
  return /[\p{M}\u00ad\u200c\u200d\u2060\ufeff]/u.test(character) ? MARK : SEPARATOR;
}

/** How many units at a place belong to a dense script: 2 for a character outside the first plane. */
function denseUnits(text: string, index: number, isWithin: boolean): number {
  const unit = text.charCodeAt(index);
  if (unit < 0xd800 || unit > 0xdbff) {
    const kind = classOf(text, index);
    // The mark that makes "が" of "か" may stand by itself.
    return kind === DENSE || (isWithin && kind === MARK) ? 1 : 0;
  }
  const code = text.codePointAt(index)!;
  return code > 0xffff && DENSE_SCRIPT.test(String.fromCodePoint(code)) ? 2 : 0;
}

/** Finds the words of a text, or of a stretch of it, in their order. */
export function readWords(text: string, take: TakeWord, from = 0, to: number = text.length): void {
  let index = from;
  while (index < to) {
    const kind = classOf(text, index);
    if (kind === SMALL || kind === CAPITAL || kind === DIGIT) index = readIdentifier(text, index, to, take);
    else if (denseUnits(text, index, false) > 0) index = readDense(text, index, to, take);
    else index++;
  }
}

/** Reads one word, or several that are joined; gives back where it ends. */
function readIdentifier(text: string, from: number, to: number, take: TakeWord): number {
  let whole: string | undefined;
  for (let start = from;;) {
    const end = readPart(text, start, to, take);
    const goesOn = classAt(text, end, to) === JOINER && isWordClass(classAt(text, end + 1, to));
    const isFirst = start === from;
    // What is longer than any word is not put together at all: that would cost its square.
    if (end - from > MAX_WORD) whole = undefined;
    else if (goesOn || !isFirst) whole = (whole ?? "") + wordOf(text, start, end);
    if (!goesOn) {
      if (whole !== undefined) take(whole, from, end, true);
      return end;
    }
    start = end + 1;
  }
}

/** Reads one word, with its humps and the numbers of a version as asides; gives back where it ends. */
function readPart(text: string, from: number, to: number, take: TakeWord): number {
  let isPlain = true;
  let cuts: number[] | undefined;
  let previous = SEPARATOR;
  let end = from;
  for (; end < to; end++) {
    const kind = classOf(text, end);
    if (!isWordClass(kind) && kind !== MARK) {
      // Between digits, what joins says something: 1.2.3 is not 123, and not three numbers.
      if (kind !== JOINER || previous !== DIGIT || classAt(text, end + 1, to) !== DIGIT) break;
      (cuts ??= []).push(end);
      isPlain = false;
    } else if (kind === CAPITAL || text.charCodeAt(end) > 0x7f) isPlain = false;
    if (kind === CAPITAL && end > from && opensHump(text, end, to, previous)) (cuts ??= []).push(end);
    previous = kind;
  }
  take(
    isPlain ? number(text.slice(from, Math.min(end, from + MAX_WORD))) : wordOf(text, from, end),
    from,
    end,
    false,
  );
  if (cuts && end - from <= MAX_WORD) takeAsides(text, [from, ...cuts, end], take);
  const sign = signBehind(text, from, end, to);
  if (sign) take(wordOf(text, from, end) + sign, from, end + sign.length, true);
  return end;
}

/** The class of a character; a separator behind the end. */
function classAt(text: string, index: number, to: number): number {
  return index < to ? classOf(text, index) : SEPARATOR;
}

function isWordClass(kind: number): boolean {
  return kind === SMALL || kind === CAPITAL || kind === DIGIT;
}

/** Whether a capital begins a new part: "camelCase", "HTTPServer"; but not the last one of "APIs". */
function opensHump(text: string, index: number, to: number, previous: number): boolean {
  if (previous !== CAPITAL) return true;
  const isPlural = text[index + 1] === "s" && classAt(text, index + 2, to) !== SMALL;
  return classAt(text, index + 1, to) === SMALL && !isPlural;
}

function takeAsides(text: string, cuts: readonly number[], take: TakeWord): void {
  for (const [index, cut] of cuts.entries()) {
    const next = cuts[index + 1];
    const start = classOf(text, cut) === JOINER ? cut + 1 : cut;
    if (next !== undefined) take(wordOf(text, start, next), start, next, true);
  }
}

/** The signs in the names of languages: C#, F#, C++. */
function signBehind(text: string, from: number, end: number, to: number): string {
  if (end - from > 2) return "";
  const sign = text.startsWith("#", end) ? "#" : text.startsWith("++", end) ? "++" : "";
  const after = end + sign.length;
  return isWordClass(classAt(text, after, to)) ? "" : sign;
}

/** A stretch of a text as a word. */
function wordOf(text: string, from: number, to: number): string {
  const raw = text.slice(from, Math.min(to, from + MAX_WORD));
  return number(isAscii(raw) ? raw.toLowerCase() : fold(raw).slice(0, MAX_WORD));
}

/** A number is the same with and without zeros before it: ADR-007 is ADR-7. Dates and versions join theirs by dots. */
function number(word: string): string {
  const first = word.charCodeAt(0);
  if (first < 0x30 || first > 0x39) return word;
  return /^\d+([-_.]\d+)*$/.test(word) ? word.split(/[-_.]/).map(withoutZeros).join(".") : word;
}

function withoutZeros(digits: string): string {
  return digits.replace(/^0+(?=\d)/, "");
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0x7f) return false;
  return true;
}

/** How much of a run without spaces is folded at a time; bounds what one step costs. */
const DENSE_UNITS = 4096;

/** Reads a run of a dense script: each two characters that stand together, or the one that stands alone. */
function readDense(text: string, from: number, to: number, take: TakeWord): number {
  let end = from;
  while (end < to && end - from < DENSE_UNITS) {
    const units = denseUnits(text, end, end > from);
    if (units === 0 || end + units > to) break;
    end += units;
  }
  if (end === from) return from + 1;
  const run = text.slice(from, end);
  const plain = fold(run);
  // Where folding made more or fewer units of it, only the run as a whole has a place.
  const isAligned = plain.length === run.length;
  let previous = "";
  let start = from;
  for (const character of plain) {
    const stop = start + character.length;
    if (previous !== "") {
      take(previous + character, isAligned ? start - previous.length : from, isAligned ? stop : end, false);
    }
    previous = character;
    start = stop;
  }
  if (previous === plain && plain !== "") take(plain, from, end, false);
  return end;
}

/** Whether a word is of a script without spaces, where beginnings and slips of the finger mean nothing. */
export function isDense(word: string): boolean {
  return DENSE_SCRIPT.test(word);
}
