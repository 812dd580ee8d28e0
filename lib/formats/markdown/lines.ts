/** Lines of markdown, and their plain text. */

/** How much of a line, or of a value of the front matter, is read, in UTF-16 units: limits the cost of a hostile document. */
export const MAX_LINE = 2000;

/** The lines of a text without their ends: LF, CRLF or CR. */
export function toLines(text: string): string[] {
  return text.split(text.includes("\r") ? /\r\n|\n|\r/ : "\n");
}

/** The lines with their ends. A text that ends with a line end has no empty last line. */
export function toRawLines(text: string): string[] {
  return text.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? [];
}

/** The tags that people write in a line of markdown. Any other word in angle brackets is text. */
const TAG = /<\/?(?:a|b|br|code|del|em|i|img|kbd|small|span|strong|sub|sup|u)\b[^<>]*>/gi;

/** Links and images. Brackets that touch a word are text: "Unsafe[Mutable][Raw]Pointer". */
const LINKS = /!?\[([^\][]*)\]\([^()]*\)|(?<![\w\]])!?\[([^\][]*)\]\[[^\][]*\]/g;
/** Emphasis and code. `_` within a word is text. */
const MARKS = /(?<!\\)[*`]+|(?<![\p{L}\p{N}\\])_+(?=[^\s:,])|(?<=[^\s(\\])_+(?![\p{L}\p{N}])/gu;
/** The same for a text without `_`: the other pattern is slow to compile. */
const STARS_AND_CODE = /(?<!\\)[*`]+/g;

/** A text without emphasis, code marks, links, images, comments and tags, in one line. */
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

/** `[name]: target`, which becomes a link where the name is used. */
export const DEFINITION: RegExp = /^ {0,3}\[([^\][]+)\]:[ \t]*<?([^\s<>]+)/;
