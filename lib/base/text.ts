/** Text from outside: cutting it, quoting it, what it may have been meant for, and invisible characters in it. */

/** At most `most` UTF-16 units of a text from outside, never half a surrogate pair. */
export function quoted(text: string, most: number): string {
  return text.slice(0, most).toWellFormed();
}

/** At most `most` UTF-16 units of a text, and an ellipsis where it was longer. */
export function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${quoted(text, most)}…`;
}

/** A text without control characters and line breaks, which could begin another line of a message. */
export function oneLine(text: string): string {
  // deno-lint-ignore no-control-regex
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ");
}

/** Problems of a value, a line each: "/path: message". */
export function problemLines(
  issues: readonly { readonly path: string; readonly message: string }[],
): string[] {
  return issues.map(({ path, message }) => oneLine(path === "" ? message : `${path}: ${message}`));
}

/** Says in one line that something does not fit: "The arguments of a do not fit: /b: Expected …; /c: …." */
export function misfit(what: string, problems: readonly string[]): string {
  const all = new Set(problems.map((one) => one.replace(/\.$/, "")));
  return `${what} do not fit: ${[...all].join("; ")}.`;
}

/** The result of a call that may fail; undefined when it throws. */
export function attempt<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch {
    return undefined;
  }
}

/** Decodes a part of a URI; undefined when it is not encoded correctly. */
export function uriDecoded(text: string): string | undefined {
  return attempt(() => decodeURIComponent(text));
}

const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" } as const;

/** Text for HTML or XML, also within a quoted attribute; characters that XML does not allow are replaced by U+FFFD. */
export function escapeHtml(text: string): string {
  const allowed = text.toWellFormed().replace(/(?![\t\n\r])\p{Cc}|[\ufffe\uffff]/gu, "\ufffd");
  return allowed.replace(/[&<>"']/g, (mark) => ENTITIES[mark as keyof typeof ENTITIES]);
}

/** The message of an error, or anything else that was thrown as text. */
export function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/** Whether a text is a day of the calendar, such as "2026-07-28". */
export function isDay(text: string): boolean {
  // Checks of formats are hot, and `toJSON` takes twice as long.
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** Spells out what would end a line or steer a terminal: "\\u{1b}" for an escape character. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (mark) => `\\u{${mark.codePointAt(0)!.toString(16)}}`);
}

/** The most names that are suggested, that are compared, and the longest of them, in UTF-16 units. */
const MAX_NEAREST = 3, MAX_COMPARED = 20_000, MAX_COMPARED_LENGTH = 200;

/**
 * The names that a word was probably meant for, all equally near; none when more than three are: the same in another case, its end behind a
 * slash, the same number in the same folder, its beginning, or a few typing errors. Slashes separate the segments of paths.
 */
export function nearest(word: string, names: Iterable<string>): string[] {
  if (word.length > MAX_COMPARED_LENGTH) return [];
  const wanted = word.toLowerCase().replace(/\.md$/, "");
  let best = Infinity, compared = 0;
  let found: string[] = [];
  for (const name of wanted === "" ? [] : names) {
    if (++compared > MAX_COMPARED) break;
    const rank = name.length > MAX_COMPARED_LENGTH ? Infinity : rankOf(wanted, name.toLowerCase());
    if (rank < best) [best, found] = [rank, []];
    if (rank === best && rank < Infinity && found.length <= MAX_NEAREST) found.push(name);
  }
  // What fits so many says nothing.
  return found.length > MAX_NEAREST ? [] : found;
}

/** A part of a message that names what was probably meant: " (did you mean a, b or c?)", or nothing. */
export function didYouMean(names: readonly string[]): string {
  const list = [names.slice(0, -1).join(", "), names.at(-1)].filter(Boolean).join(" or ");
  return list === "" ? "" : ` (did you mean ${list}?)`;
}

/** How far a name is from a word, both in lower case; infinite when it was hardly meant. */
function rankOf(wanted: string, name: string): number {
  if (wanted === name) return 0;
  if (name.endsWith(`/${wanted}`) || wanted.endsWith(`/${name}`)) return 1;
  const [, folder, last] = /^(?:(.*)\/)?(.*)$/s.exec(wanted)!;
  const [, otherFolder = "", otherLast] = /^(?:(.*)\/)?(.*)$/s.exec(name)!;
  const isNearFolder = folder === undefined || edits(folder, otherFolder, 1) <= 1;
  const number = numberOf(last!);
  if (last === otherLast || (isNearFolder && number !== undefined && number === numberOf(otherLast!))) {
    return 2;
  }
  if (wanted.length >= 3 && name.startsWith(wanted)) return 3;
  // Two numbers that differ by a digit are two numbers.
  if (/^[\d.]*$/.test(last!)) return Infinity;
  const { length } = wanted;
  const allowed = length < 3 ? 0 : length < 6 ? 1 : length < 12 ? 2 : 3;
  const whole = edits(wanted, name, allowed);
  return 3 + (folder === undefined ? Math.min(whole, edits(wanted, otherLast!, allowed)) : whole);
}

/** The number that a name begins with, a few letters before it or not: "7" of "007-use-x" and "adr-7". */
function numberOf(name: string): string | undefined {
  return /^(?:[a-z]{1,5}[-_ ]?)?#?0*(\d{1,6})(?![a-z\d])/.exec(name)?.[1];
}

/** The edit distance of two texts, with swaps of neighbours; infinite when more than `most`. */
function edits(left: string, right: string, most: number): number {
  if (Math.abs(left.length - right.length) > most) return Infinity;
  let before: number[] = [];
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let at = 1; at <= left.length; at++) {
    const next = [at];
    for (let to = 1; to <= right.length; to++) {
      const replaced = row[to - 1]! + (left[at - 1] === right[to - 1] ? 0 : 1);
      const isSwap = at > 1 && left[at - 1] === right[to - 2] && left[at - 2] === right[to - 1];
      next.push(Math.min(replaced, row[to]! + 1, next[to - 1]! + 1, isSwap ? before[to - 2]! + 1 : Infinity));
    }
    [before, row] = [row, next];
    if (Math.min(...row) > most) return Infinity;
  }
  return row.at(-1)! <= most ? row.at(-1)! : Infinity;
}

/** Invisible characters of a text: how many, the first one ("U+200B"), and its index in units of the string. */
export type Invisible = { readonly count: number; readonly first: string; readonly index: number };

const HIDDEN = "(?![\\t\\n\\r])\\p{Cc}|[\\u2028\\u2029]|\\p{Default_Ignorable_Code_Point}";
/** Scripts whose letters are joined, or kept apart, by a character without width. */
const JOINING = ["Arabic", "Bengali", "Devanagari", "Gujarati", "Gurmukhi", "Kannada", "Khmer", "Malayalam"]
  .concat(["Mongolian", "Myanmar", "Oriya", "Sinhala", "Syriac", "Tamil", "Telugu"])
  .map((script) => `\\p{Script=${script}}`).join("");
/** Where such characters belong: in flags, in joined emoji, behind a sign that has several looks, between letters. */
const AT_HOME = [
  "\\u{1F3F4}[\\u{E0020}-\\u{E007E}]+\\u{E007F}",
  "[\\p{Extended_Pictographic}\\p{Emoji_Modifier}]\\uFE0F?\\u200D",
  "[^\\p{Cc}\\p{Default_Ignorable_Code_Point}]\\p{Variation_Selector}",
  `[${JOINING}][\\u200C\\u200D]`,
].join("|");

/** The order of two texts by their code units. */
export function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** How many there are of a thing: "1 category", "2 categories". */
export function count(number: number, thing: string): string {
  return `${number} ${number === 1 ? thing : thing.replace(/y?$/, (end) => end === "" ? "s" : "ies")}`;
}

/** Finds the invisible characters of a text; undefined when there are none. */
export function findInvisible(text: string): Invisible | undefined {
  // Made here, because patterns of so many scripts take a while: not on the way to the first answer.
  if (!new RegExp(HIDDEN, "u").test(text)) return undefined;
  let count = 0;
  let first: RegExpExecArray | undefined;
  for (const found of text.matchAll(new RegExp(`${AT_HOME}|(${HIDDEN})`, "gu"))) {
    if (found[1] === undefined) continue;
    count++;
    first ??= found;
  }
  if (!first) return undefined;
  const code = first[1]!.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");
  return { count, first: `U+${code}`, index: first.index };
}
