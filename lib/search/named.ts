/** Raises the documents that a query names by their title, file name or number. */

import type { QueryTerm } from "./query.ts";
import type { Snapshot } from "./rank.ts";
import type { Vocabulary } from "./vocabulary.ts";
import { codeOf, eachTerm, ORDINAL_SHIFT } from "./index.ts";
import { SERIES } from "./query.ts";

/** The maximum number of words of a query that names a document. */
const MAX_NAMING = 24;
/** Words at the end of the path of a file that are not part of its name. */
const FILE_WORDS: ReadonlySet<string> = new Set(["md", "readme"]);
/** How much of the sequence of a document is searched for its series and number: "* Proposal: SE-0001". */
const MAX_OPENING = 2048;
/** How much a document gains whose number a query names among other words, as a share of the highest score. */
const CITED_SHARE = 0.5;

/** Raises the documents whose title, file name or number is the query to the top, and less those whose number it names. */
export function raiseNamed(
  { index, byOrdinal }: Snapshot,
  all: readonly QueryTerm[],
  scores: Float64Array,
): void {
  const words = all.map(({ text }) => text);
  while (words.length > 1 && FILE_WORDS.has(words.at(-1)!)) words.pop();
  if (words.length === 0 || words.length > MAX_NAMING) return;
  const highest = scores.reduce((most, score) => Math.max(most, score), 0);
  const raise = (id: number, share: number, isNamed: (sequence: string) => boolean): void => {
    for (const posting of index.postings(id)) {
      const ordinal = posting >>> ORDINAL_SHIFT;
      if (scores[ordinal]! > 0 && isNamed(byOrdinal[ordinal]!.sequence)) scores[ordinal]! += share * highest;
    }
  };
  const { vocabulary } = index;
  const ids = words.flatMap((word) => vocabulary.id(word) ?? []);
  if (ids.length === words.length) {
    const rarest = ids.reduce((one, other) => index.count(other) < index.count(one) ? other : one);
    // A title or a file name may begin with a number, and the name of a file with its folders.
    const before = ids.length > 1 ? "*" : "{0,2}", code = ids.map(codeOf).join("");
    const pattern = new RegExp(`^\0(?:[^\0]{0,2}|[^\0]*\0[^\0]${before})${code}\0`, "u");
    raise(rarest, 1, (sequence) => pattern.test(sequence));
  }
  for (const [at, word] of words.entries()) {
    const [, letters = "", digits] = /^(\p{L}*?)0*(\d+)$/u.exec(word) ?? [];
    const series = letters || (words[at - 1] ?? ""), number = vocabulary.id(digits ?? "");
    if (number === undefined || (series === "" && words.length > 1)) continue;
    const isAll = words.every((word) => word === series || /\d$/.test(word) || SERIES.has(word));
    const opening = codeOf(vocabulary.id(series) ?? number) + codeOf(number);
    raise(number, isAll ? 1 : CITED_SHARE, (sequence) => {
      const isOf = series === "" || SERIES.has(series) || sequence.slice(0, MAX_OPENING).includes(opening);
      return isOf && ownNumber(sequence, vocabulary) === number;
    });
  }
}

/** The id of the first number in the name of a document. */
function ownNumber(sequence: string, vocabulary: Vocabulary): number | undefined {
  let gaps = 0, found: number | undefined;
  eachTerm(sequence, MAX_OPENING, (id) => {
    if (id < 0) gaps++;
    else if (gaps === 2 && found === undefined && /^\d+$/.test(vocabulary.term(id))) found = id;
  });
  return found;
}
