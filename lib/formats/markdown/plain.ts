/** Markdown as plain text. */

import { MAX_LINE } from "./lines.ts";

/** The tags that people write into a line of markdown; another word in angle brackets is text. */
const TAG = /<\/?(?:a|b|br|code|del|em|i|img|kbd|small|span|strong|sub|sup|u)\b[^<>]*>/gi;

/** Links and images; brackets that touch a word are text: "Unsafe[Mutable][Raw]Pointer". */
const LINKS = /!?\[([^\][]*)\]\([^()]*\)|(?<![\w\]])!?\[([^\][]*)\]\[[^\][]*\]/g;
/** Emphasis and code; `_` within a word is text. The second pattern is for texts without `_`: the first is slow to compile. */
const MARKS = /(?<!\\)[*`]+|(?<![\p{L}\p{N}\\])_+(?=[^\s:,])|(?<=[^\s(\\])_+(?![\p{L}\p{N}])/gu,
  STARS_AND_CODE = /(?<!\\)[*`]+/g;

/** Takes the marks off a stretch of text: emphasis, code, links, images, comments, tags. */
export function plain(markdown: string): string {
  let text = markdown.slice(0, MAX_LINE);
  if (!/[<[\\*`_]|[^\S ]| {2}/.test(text)) return text.trim();
  if (text.includes("<")) text = text.replace(/<!--.*?(?:-->|$)/gs, "");
  if (text.includes("[")) text = text.replace(LINKS, "$1$2");
  if (text.includes("<")) text = text.replace(TAG, "");
  return text
    .replace(text.includes("_") ? MARKS : STARS_AND_CODE, "")
    .replace(/\\([!-/:-@[-`{-~])/g, "$1")
    .replace(/\s+/g, " ")
    .trim();
}
