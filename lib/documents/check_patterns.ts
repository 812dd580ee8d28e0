/** Checks the patterns of the files that documents apply to. */

import type { Document } from "./document.ts";
import { quoted } from "../base/text.ts";
import { toGlob } from "../formats/glob.ts";

const isNegated = (pattern: string): boolean => /^\s*!/.test(pattern);
const isNested = (pattern: string): boolean => /\{[^{}]*\{[^{}]*\}/.test(pattern);

/** The patterns that match no file of the code and break no other rule; none when the code is unknown. */
export function unmatchedPatterns(
  documents: readonly Document[],
  code: readonly string[] | undefined,
): ReadonlySet<string> {
  const patterns = new Set(code && documents.flatMap(({ appliesTo }) => appliesTo));
  const fits = (pattern: string) => code!.some(toGlob(pattern).matches);
  return new Set([...patterns].filter((one) => !isNegated(one) && !isNested(one) && !fits(one)));
}

/** Checks the patterns of one document. Its front matter is in the lines before `end`. */
export function checkPatterns(
  { appliesTo }: Document,
  unmatched: ReadonlySet<string>,
  lines: readonly string[],
  end: number,
  report: (rule: string, message: string, line: number) => void,
): void {
  const check = (rule: string, what: string, isBad: (pattern: string) => boolean) => {
    const bad = appliesTo.find(isBad);
    if (bad === undefined) return;
    const line = lines.findIndex((line) => line.includes(bad)) + 1;
    report(rule, `The pattern "${quoted(bad, 100)}" ${what}`, line <= end ? line : 0);
  };
  const negated = 'excludes no files: in a pattern, "!" is a character of a name';
  check("applies-to-negated", negated, isNegated);
  check("applies-to-nested", "has braces within braces, which have no meaning there", isNested);
  check("applies-to-unmatched", "fits no file of the code", (one) => unmatched.has(one));
}
