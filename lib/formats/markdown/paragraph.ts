/** The first paragraph of a document or section. */

import { ATX, SETEXT } from "./headings.ts";
import { plain } from "./plain.ts";

/** A line that opens something other than a paragraph. */
const NOT_PROSE =
  /^[ \t]*(?:#|>|\||[-*+](?:[ \t]|$)|\d+[.)][ \t]|<|!\[|\[!|\[[^\]]*\]:|={3,}|-{3,}|\*{3,}|:::|!!!|\{[:%]| {4})/;

/**
 * The first paragraph in the lines of `prose`, as plain text in one line; undefined without one. List items, quotes and lines that
 * are fields are not part of a paragraph.
 */
export function firstParagraph(
  lines: readonly string[],
  prose: readonly number[],
  isField: (line: string) => boolean,
): string | undefined {
  const found: string[] = [];
  let previous = -1;
  /** In a list, a quote or a table, lines without a mark continue it; after a blank line, only indented lines do. */
  let block: "none" | "open" | "gap" = "none";
  for (const index of prose) {
    const line = lines[index]!;
    const isGap = line.trim() === "";
    // An underline turns the text above it into a heading.
    const isUnderline = SETEXT.test(line);
    const isOther = isUnderline || NOT_PROSE.test(line);
    if (isUnderline) found.length = 0;
    if (found.length > 0 && (isGap || isOther || previous !== index - 1)) break;
    previous = index;
    if (isOther) block = isUnderline || ATX.test(line) ? "none" : "open";
    else if (isGap) block = block === "none" ? "none" : "gap";
    else if (block === "open" || (block === "gap" && line.startsWith("  "))) continue;
    else if (found.length > 0 || !isField(line)) found.push(line);
  }
  return plain(found.join(" ")) || undefined;
}
