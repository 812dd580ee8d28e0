/** Finds invisible characters in texts. */

import { count } from "./text.ts";

/** The number of invisible characters of a text, the first one ("U+200B"), and its index in UTF-16 units. */
export type Invisible = { readonly count: number; readonly first: string; readonly index: number };

const HIDDEN = "(?![\\t\\n\\r])\\p{Cc}|[\\u2028\\u2029]|\\p{Default_Ignorable_Code_Point}";
/** Scripts that use zero-width characters to join or separate letters. */
const JOINING = ["Arabic", "Bengali", "Devanagari", "Gujarati", "Gurmukhi", "Kannada", "Khmer", "Malayalam"]
  .concat(["Mongolian", "Myanmar", "Oriya", "Sinhala", "Syriac", "Tamil", "Telugu"])
  .map((script) => `\\p{Script=${script}}`).join("");
/**
 * Normal uses of such characters: flags of regions, joined emoji, variation selectors, between letters of these scripts. Longer
 * flags, and selectors after any letter, could hide a text.
 */
const USUAL = [
  "\\u{1F3F4}[\\u{E0030}-\\u{E0039}\\u{E0061}-\\u{E007A}]{3,6}\\u{E007F}",
  "[\\p{Extended_Pictographic}\\p{Emoji_Modifier}]\\uFE0F?\\u200D",
  "[\\p{S}\\p{P}\\p{N}][\\uFE00\\uFE0E\\uFE0F]",
  "[\\p{Script=Han}\\p{Script=Mongolian}\\p{Script=Myanmar}\\p{Script=Phags_Pa}]\\p{Variation_Selector}",
  `[${JOINING}][\\u200C\\u200D]`,
].join("|");

/** Finds the invisible characters of a text; undefined if it has no such characters. */
export function findInvisible(text: string): Invisible | undefined {
  // Compile the patterns on use: compiling them at start would delay the first answer.
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

/** A text in which invisible characters are spelled out: "\\u{202e}". Every text that is written for an assistant goes through it. */
export function spelledOut(text: string): string {
  if (!new RegExp(HIDDEN, "u").test(text)) return text;
  return text.replace(new RegExp(`${USUAL}|(${HIDDEN})`, "gu"), (whole, hidden?: string) => {
    return hidden === undefined ? whole : `\\u{${hidden.codePointAt(0)!.toString(16)}}`;
  });
}

/** A message: "The text has 2 invisible characters, the first of them U+200B". */
export function describeInvisible({ count: found, first }: Invisible): string {
  return `The text has ${count(found, "invisible character")}, the first of them ${first}`;
}
