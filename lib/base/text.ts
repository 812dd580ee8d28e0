/** Text from outside: cutting it, quoting it, and finding invisible characters in it. */

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

/** Decodes a part of a URI; undefined when it is not encoded correctly. */
export function uriDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Spells out what would end a line or steer a terminal: "\\u{1b}" for an escape character. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => {
    return `\\u{${character.codePointAt(0)!.toString(16)}}`;
  });
}

/** What was found in one text. */
export interface Invisible {
  readonly count: number;
  /** The first one, as it is written about: "U+200B". */
  readonly first: string;
  /** Where the first one is, in units of the string. */
  readonly index: number;
}

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

const ANY_HIDDEN = new RegExp(HIDDEN, "u");
const HOME_OR_HIDDEN = new RegExp(`${AT_HOME}|(${HIDDEN})`, "gu");

/** Finds the invisible characters of a text; undefined when there are none. */
export function findInvisible(text: string): Invisible | undefined {
  if (!ANY_HIDDEN.test(text)) return undefined;
  let count = 0;
  let first: RegExpExecArray | undefined;
  for (const found of text.matchAll(HOME_OR_HIDDEN)) {
    if (found[1] === undefined) continue;
    count++;
    first ??= found;
  }
  if (!first) return undefined;
  const code = first[1]!.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");
  return { count, first: `U+${code}`, index: first.index };
}
