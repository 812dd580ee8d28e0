/** Fields whose text continues in the lines after the first one. */

import { MAX_LINE } from "../../formats/markdown/lines.ts";
import { fieldOf } from "./field_line.ts";

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
