/** Finds the text of the decision in a record, without what its template left there. */

import type { Markdown } from "../../formats/markdown/document.ts";
import { SETEXT } from "../../formats/markdown/body.ts";
import { sectionPattern } from "./languages.ts";
import { DECISION } from "./signs.ts";
import { templateLines } from "./template_text.ts";

/** Sections inside of a decision that are not the decision. */
const REASONS =
  /\b(?:consequences?|confirmation|positive|negative|pros|cons|impact|links|more information|validation)\b/i;

/** Sections whose titles begin with "decision" too, but which say something else. */
const OTHERS =
  /\b(?:decisions?|décision|decisión) (?:drivers?|makers?|status|state|dates?|log|id|owners?|criteria|history|record)\b/i;

/** Where a record states its decision. Lines are counted from 0. */
export interface DecisionText {
  /** The title of the section, and its line. */
  readonly title: string;
  readonly line: number;
  /** The lines that its author wrote; none if it has only text of a template, or nothing. */
  readonly kept: readonly number[];
  /** Whether these are the lines of its subsections, because it has no text of its own. */
  readonly isInner: boolean;
  /** The first line that is left from a template; undefined without one. */
  readonly left: number | undefined;
}

/** The decision of a record with this title; undefined without such a section. `own` has the texts of the template of its folder. */
export function decisionOf(
  title: string,
  { lines, prose, sections }: Markdown,
  own?: ReadonlySet<string>,
): DecisionText | undefined {
  const isDecision = (heading: string) =>
    heading !== title && (DECISION.test(heading) || sectionPattern("decision").test(heading)) &&
    !OTHERS.test(heading);
  const at = sections.findIndex((section) => isDecision(section.title));
  if (at < 0) return undefined;
  const section = sections[at]!, { line, end } = section, next = sections[at + 1];
  const start = SETEXT.test(lines[line + 1] ?? "") ? line + 2 : line + 1;
  // The subsections give reasons. Only the text before them is the decision, if there is any.
  const until = Math.min(next?.line ?? Infinity, end);
  const hasText = prose.some((index) => index >= start && index < until && lines[index]!.trim() !== "");
  const isInner = !hasText && next !== undefined && next.line < end && !REASONS.test(next.title);
  const kept = writtenLines(lines, start, isInner ? end : until, own);
  const left = lines.slice(start, until).findIndex((line) => line.trim() !== "");
  const isLeft = kept.length === 0 && left >= 0;
  return { title: section.title, line, kept, isInner, left: isLeft ? start + left : undefined };
}

/** The indices of the lines of a range that are not left from a template; none if all of these are blank. */
export function writtenLines(
  lines: readonly string[],
  from: number,
  to: number,
  own?: ReadonlySet<string>,
): number[] {
  const range = lines.slice(from, to), left = templateLines(range, own);
  const kept = range.flatMap((_, index) => left.has(index) ? [] : from + index);
  return kept.some((index) => lines[index]!.trim() !== "") ? kept : [];
}
