/** The values of fields: the lines that they continue in, and what they state. */

import { MAX_LINE, plain } from "../../formats/markdown/lines.ts";
import { re } from "./pattern.ts";
import { isStatus } from "./status.ts";

/** The end of a line that continues in the next one: "by", a comma, or a link that is not closed. */
const UNFINISHED =
  /(?:\b(?:by:?|and|und|et|y|e|en|oraz)|[,，、&和及與与と]|(?:^|[ \t])и|\[[^\]]*|\]\([^)]*)[ \t]*$/i;
/** How much of the end of a line is checked for that, in UTF-16 units. */
const LINE_END = 300;

/** Whether the text of a line continues in the next line. */
export function isUnfinished(text: string): boolean {
  return UNFINISHED.test(text.slice(-LINE_END));
}

/** Whether a line of a field continues in the next line. */
export function continuesIn(text: string, next: string): boolean {
  return text.length < MAX_LINE && next.trim() !== "" && isUnfinished(text);
}

/** An image, such as the badge of a status; and texts that mean "no value". */
const IMAGE = /!\[([^\][]*)\]\([^()]*\)/g;
const NOTHING = /^(?:n\/?a|none|nothing|nil|null|tbd|todo|[-–—]+)?\.?$/i;

/** The text of a field, without the braces of a template; undefined when it is empty, or still the placeholder of a template. */
export function statedText(text = ""): string | undefined {
  const stated = !/[<~!]/.test(text) ? text.trim() : text.replace(
    /<\/?(?:span|font|b|strong|em|i|code|kbd|mark|small|sup|sub|a|br|p|div)\b[^<>]{0,300}>/gi,
    "",
  ).replace(/<!--.*?(?:-->|$)|~~[^~\n]*~~/gs, "").replace(IMAGE, "$1").trim();
  // The bar in a wiki link is before the text that it shows.
  const isChoice = stated.includes("|") &&
    re`/^[^\n]*[\p{L}][ \t]*\|[ \t]*[\p{L}]/`.test(stated.replace(/\[\[[^\][]{0,300}\]\]/g, ""));
  const filled = /^\{[ \t]*([^{}]*?)[ \t]*\}$/.exec(stated)?.[1];
  if (filled && (isStatus(filled.toLowerCase().replace("-", " ")) || /^[\d-]+$/.test(filled))) return filled;
  const isBlank = /^(?:\{|<(?!https?:|[^>]*\.md))/.test(stated);
  return isChoice || isBlank || NOTHING.test(stated) ? undefined : stated;
}

export const DATE: RegExp = /\d{4}-\d{2}-\d{2}/;
/** A day in any order: "2026-07-28", "2026/7/28", "2026年7月28日", "2026. 7. 28", "28.07.2026". */
export const ANY_DAY: RegExp =
  /(?<![\d.])(?:\d{4}[ \t]?[-/.年년][ \t]?\d{1,2}[ \t]?[-/.月월][ \t]?\d{1,2}(?!\d)(?:[ \t]?[日일])?|\d{1,2}\.[ \t]?\d{1,2}\.[ \t]?\d{4}(?!\d))/;

/** The first date of a text in the form "2026-07-28", else the first line verbatim; undefined for a text without digits, or for a short number. */
export function dateOf(stated = ""): string | undefined {
  if (!/\d/.test(stated) || /^\s*\d{1,3}\s*$/.test(stated)) return undefined;
  return DATE.exec(stated)?.[0] ?? plain(stated.split("\n", 1)[0]!);
}
