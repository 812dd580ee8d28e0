/** Lines of markdown, their plain text, and patterns for them. */

/** Letters, as ranges of UTF-16 units: V8 takes twenty times longer to compile Unicode properties. */
const LETTERS = String
  .raw`A-Za-z\xaa\xb5\xba\xc0-\xd6\xd8-\xf6\xf8-\u02c1\u0300-\u1fff\u2c00-\u2dff\u3005-\u3007\u3040-\u309a\u309d-\u30fa\u30fc-\ud7ff\uf900-\ufdff\uff21-\uff3a\uff41-\uff5a\uff66-\uffdc`;
/** A pattern in which `\p{L}` and `\p{N}` may be in brackets. */
export function toPattern(source: string, flags?: string): RegExp {
  return new RegExp(
    source.replace(/\\p\{M\}/g, "").replaceAll("\\p{L}", LETTERS).replaceAll("\\p{N}", "\\d\\uff10-\\uff19"),
    flags,
  );
}

/** How much of a line, or of a value of the front matter, is read, in UTF-16 units: limits the cost of a hostile document. */
export const MAX_LINE = 2000;

/** The lines of a text without their ends: LF, CRLF or CR. */
export function toLines(text: string): string[] {
  return text.split(text.includes("\r") ? /\r\n|\n|\r/ : "\n");
}

/** The tags that people write in a line of markdown. Any other word in angle brackets is text. */
const TAG = /<\/?(?:a|b|br|code|del|em|i|img|kbd|small|span|strong|sub|sup|u)\b[^<>]*>/gi;

/** Links and images. Brackets that touch a word are text: "Unsafe[Mutable][Raw]Pointer". */
const LINKS = /!?\[([^\][]*)\]\([^()]*\)|(?<![\w\]])!?\[([^\][]*)\]\[[^\][]*\]/g;
/** Emphasis and code. `_` within a word is text. */
const MARKS = toPattern(
  String.raw`(?<!\\)[*\x60]+|(?<![\p{L}\p{N}\\])_+(?=[^\s:,])|(?<=[^\s(\\])_+(?![\p{L}\p{N}])`,
  "g",
);

/** A text without emphasis, code marks, links, images, comments and tags, in one line. */
export function plain(markdown: string): string {
  let text = markdown.slice(0, MAX_LINE);
  if (!/[<[\\*`_]|[^\S ]| {2}/.test(text)) return text.trim();
  if (text.includes("<")) text = text.replace(/<!--.*?(?:-->|$)/gs, "");
  if (text.includes("[")) text = text.replace(LINKS, "$1$2");
  if (text.includes("<")) text = text.replace(TAG, "");
  return text
    .replace(MARKS, "")
    .replace(/\\([!-/:-@[-`{-~])/g, "$1")
    .replace(/\s+/g, " ")
    .trim();
}

/** `[name]: target`, which becomes a link where the name is used. */
export const DEFINITION: RegExp = /^ {0,3}\[([^\][]+)\]:[ \t]*<?([^\s<>]+)/;
