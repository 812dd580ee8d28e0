/** Invisible characters in a text. */

import { count } from "./text.ts";

/** Invisible characters of a text: how many, the first one ("U+200B"), and its index in units of the string. */
export type Invisible = { readonly count: number; readonly first: string; readonly index: number };

const HIDDEN = "(?![\\t\\n\\r])\\p{Cc}|[\\u2028\\u2029]|\\p{Default_Ignorable_Code_Point}";
/** Scripts whose letters are joined, or kept apart, by a character without width. */
const JOINING = ["Arabic", "Bengali", "Devanagari", "Gujarati", "Gurmukhi", "Kannada", "Khmer", "Malayalam"]
  .concat(["Mongolian", "Myanmar", "Oriya", "Sinhala", "Syriac", "Tamil", "Telugu"])
  .map((script) => `\\p{Script=${script}}`).join("");
/** Where such characters are usual: in flags, in joined emoji, as variation selectors, between letters of these scripts. */
const USUAL = [
  "\\u{1F3F4}[\\u{E0020}-\\u{E007E}]+\\u{E007F}",
  "[\\p{Extended_Pictographic}\\p{Emoji_Modifier}]\\uFE0F?\\u200D",
  "[^\\p{Cc}\\p{Default_Ignorable_Code_Point}]\\p{Variation_Selector}",
  `[${JOINING}][\\u200C\\u200D]`,
].join("|");

/** Finds the invisible characters of a text; undefined when there are none. */
export function findInvisible(text: string): Invisible | undefined {
  // Compiled here, because that takes a while for so many scripts, and would delay the first answer.
  if (!new RegExp(HIDDEN, "u").test(text)) return undefined;
  let found = 0;
  let first: RegExpExecArray | undefined;
  for (const match of text.matchAll(new RegExp(`${USUAL}|(${HIDDEN})`, "gu"))) {
    if (match[1] === undefined) continue;
    found++;
    first ??= match;
  }
  if (!first) return undefined;
  const code = first[1]!.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");
  return { count: found, first: `U+${code}`, index: first.index };
}

/** Says what was found: "The text has 2 invisible characters, the first of them U+200B". */
export function describeInvisible({ count: found, first }: Invisible): string {
  return `The text has ${count(found, "invisible character")}, the first of them ${first}`;
}
