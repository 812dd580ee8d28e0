/** The values of fields: the lines that they continue in, and what they state. */

import { MAX_LINE, plain } from "../../formats/markdown/lines.ts";
import { fieldOf } from "./signs.ts";
import { isStatus, STATUSES } from "./status.ts";

/** The end of a line that continues in the next one: "by", or a link that is not closed. */
const UNFINISHED = /(?:\bby:?|\[[^\]]*|\]\([^)]*)[ \t]*$/i;
/** How much of the end of a line is checked for that, in UTF-16 units. */
const LINE_END = 300;
/** The maximum number of lines that continue a line. */
const MAX_CONTINUED = 3;
/** The maximum number of items in the list of a field. */
const MAX_ITEMS = 100;

/** Whether a line of a field continues in the next line. */
export function continuesIn(text: string, next: string): boolean {
  return text.length < MAX_LINE && next.trim() !== "" && UNFINISHED.test(text.slice(-LINE_END));
}

/** The lines, each joined with those that continue it. */
export function joined(lines: readonly string[]): string[] {
  const whole: string[] = [];
  for (const line of lines) {
    const last = whole.at(-1) ?? "";
    whole.push(continuesIn(last, line) ? `${whole.pop()} ${line.trim()}` : line.slice(0, MAX_LINE));
  }
  return whole;
}

/** The text of a field with the lines that continue it; of a field without a text, the items of the list below it. */
export function continued(text: string, lines: readonly string[], index: number): string {
  if (text.trim() !== "") return joined([text, ...lines.slice(index + 1, index + 1 + MAX_CONTINUED)])[0]!;
  const below = lines.slice(index + 1, index + 1 + MAX_ITEMS);
  const isItem = /^ {0,3}[-*+]/.test(lines[index]!) ? /^(?: {2,}|\t)[-*+][ \t]/ : /^[ \t]*[-*+][ \t]/;
  const end = below.findIndex((line) => !isItem.test(line) || fieldOf(line));
  const items = end < 0 ? below : below.slice(0, end);
  return items.map((line) => line.replace(/^[ \t]*[-*+]/, "")).join("\n");
}

/** An image, such as the badge of a status; and texts that mean "no value". */
const IMAGE = /!\[([^\][]*)\]\([^()]*\)/g;
export const NOTHING: RegExp = /^(?:n\/?a|none|nothing|nil|null|tbd|todo|[-–—]+)?\.?$/i;

/** The text of a field, without the braces of a template; undefined when it is empty, or still the placeholder of a template. */
export function statedText(text = ""): string | undefined {
  const stated = text.replace(
    /<\/?(?:span|font|b|strong|em|i|code|kbd|mark|small|sup|sub|a|br|p|div)\b[^<>]{0,300}>/gi,
    "",
  ).replace(/<!--.*?(?:-->|$)|~~[^~\n]*~~/gs, "").replace(IMAGE, "$1").trim();
  // The bar in a wiki link is before the text that it shows.
  const isChoice = stated.includes("|") &&
    /^[^\n]*\p{L}[ \t]*\|[ \t]*\p{L}/u.test(stated.replace(/\[\[[^\][]{0,300}\]\]/g, ""));
  const filled = /^\{[ \t]*([^{}]*?)[ \t]*\}$/.exec(stated)?.[1];
  if (filled && (isStatus(filled.toLowerCase().replace("-", " ")) || /^[\d-]+$/.test(filled))) return filled;
  const isBlank = /^(?:\{|<(?!https?:|[^>]*\.md))/.test(stated);
  return isChoice || isBlank || NOTHING.test(stated) ? undefined : stated;
}

/** Words that form a status with the next one: "in review", "partly superseded". */
const WITH_NEXT = /^(?:in|on|under|not|no|to|partly|partially)[ \t-]+\p{L}+/iu;

/** The status that a text states, as one word or two: a known one, else its first word. */
export function statusWord(text: string): string | undefined {
  if (STATUSES.has(text.toLowerCase())) return text.toLowerCase();
  const first = plain(text.split("\n", 1)[0]!).replace(/^[^\p{L}]+/u, "").toLowerCase()
    .replace(/\bsuper[sc]e+ded\b/g, "superseded");
  const pair = WITH_NEXT.exec(first)?.[0];
  if (pair !== undefined) return pair.replace(/[ \t-]+/, " ");
  // A record that was accepted and then superseded may state both.
  if (/\b(?:super[sc]e+ded|replaced) by\b/i.test(text)) return "superseded";
  const words: string[] = first.match(/\p{L}[\p{L}-]*/gu) ?? [];
  return words.find((word) => STATUSES.has(word)) ?? words[0];
}

/** The first date of a text in the form "2026-07-28", else the first line verbatim; undefined for a text without digits. */
export function dateOf(stated = ""): string | undefined {
  if (!/\d/.test(stated)) return undefined;
  return /\d{4}-\d{2}-\d{2}/.exec(stated)?.[0] ?? plain(stated.split("\n", 1)[0]!);
}
