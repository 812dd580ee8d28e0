/** The values of the fields of a decision record. */

import { plain } from "../../formats/markdown/plain.ts";
import { isStatus, STATUSES } from "./status.ts";

/** An image, such as the badge of a status; and texts that mean "no value". */
const IMAGE = /!\[([^\][]*)\]\([^()]*\)/g;
export const NOTHING: RegExp = /^(?:n\/?a|none|nothing|nil|null|tbd|todo|[-–—]+)?\.?$/i;

/** The text of a field, without the braces of a template; undefined when it is empty, or still the placeholder of a template. */
export function statedText(text = ""): string | undefined {
  const stated = text.replace(/<!--.*?(?:-->|$)|~~[^~\n]*~~/gs, "").replace(IMAGE, "$1").trim();
  const isChoice = stated.includes("|") && /^[^\n]*\p{L}[ \t]*\|[ \t]*\p{L}/u.test(stated);
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
