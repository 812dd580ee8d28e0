/** Patterns for the text of records, written like literals. */

import { toPattern } from "../../formats/markdown/lines.ts";

const patterns = new WeakMap<TemplateStringsArray, RegExp>();

/** A pattern written as a literal, re`/[^\p{L}]/i`, that may have `\p{L}` and `\p{N}` in brackets. */
export function re(strings: TemplateStringsArray, ...values: readonly string[]): RegExp {
  const known = values.length === 0 ? patterns.get(strings) : undefined;
  if (known) return known;
  const literal = String.raw(strings, ...values), end = literal.lastIndexOf("/");
  const pattern = toPattern(literal.slice(1, end), literal.slice(end + 1));
  patterns.set(strings, pattern);
  return pattern;
}
