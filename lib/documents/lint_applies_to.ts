/** Do the patterns of files in a document mean what its author thinks? Other programs read two things into them that we do not. */

import type { Page, Report } from "./lint_text.ts";
import { found } from "./lint_text.ts";

/** How much of a pattern is shown, in UTF-16 units. */
const MAX_SHOWN = 100;

/** Looks at the patterns of one document; of several that are wrong in the same way, the first is reported. */
export function lintAppliesTo(page: Page, report: Report): void {
  const { document } = page;
  const negated = document.appliesTo.find((pattern) => pattern.trimStart().startsWith("!"));
  if (negated !== undefined) {
    report(found(
      document,
      "warning",
      "applies-to-negated",
      `The pattern "${shown(negated)}" takes no files out: to a pattern, "!" is a character of a name`,
      "Write patterns for just the files that the document is about.",
      lineOf(negated, page),
    ));
  }
  const nested = document.appliesTo.find((pattern) => /\{[^{}]*\{[^{}]*\}/.test(pattern));
  if (nested !== undefined) {
    report(found(
      document,
      "warning",
      "applies-to-nested",
      `The pattern "${shown(nested)}" has braces within braces, which mean nothing there`,
      "Write all alternatives in one pair of braces, or a pattern for each.",
      lineOf(nested, page),
    ));
  }
}

function shown(pattern: string): string {
  return pattern.slice(0, MAX_SHOWN).toWellFormed();
}

/** A pattern that is written with escapes is not found. */
function lineOf(pattern: string, { front, lines }: Page): number | undefined {
  const line = lines.findIndex((text, index) => index < front.bodyLine && text.includes(pattern));
  return line < 0 ? undefined : line + 1;
}
