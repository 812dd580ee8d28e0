/**
 * Which words are forms of one word? "queue", "queues" and "queued", "Dienst" and "Diensten": words that differ in
 * nothing but one of a few endings.
 *
 * Text is kept as it is written, and the other forms of a word of the query are looked up beside it, for less. That
 * needs no language to be known, and a wrong form ("even", "event") does little harm.
 */

/** Endings that come and go in English and German; without one, a word is as it is. */
const ENDINGS = ["", "s", "es", "e", "ed", "en", "er", "ing", "em", "ern", "n", "t", "te", "ten"];
/** The same behind a consonant that is doubled: "planned". */
const DOUBLING = ["ed", "er", "ing"];
/** What a final y turns into: "policy", "policies"; "apply", "applied". */
const Y_ENDINGS = ["y", "ies", "ied"];

/** The shortest word that any ending can be taken from; a shorter one has a plural at most: "API", "APIs". */
const MIN_BASE = 4;
const MIN_SHORT_BASE = 3;
const SHORT_ENDINGS: ReadonlySet<string> = new Set(["", "s", "es", ...Y_ENDINGS]);

/** The other forms that a word may have, whether or not anybody writes them; always in the same order. */
export function formsOf(word: string): string[] {
  // Numbers, versions and names with digits have no forms.
  if (word.length < MIN_SHORT_BASE || /\d/.test(word)) return [];
  const forms = new Set<string>();
  for (const base of basesOf(word)) {
    for (const ending of ENDINGS) if (fits(base, ending)) forms.add(base + ending);
    for (const ending of Y_ENDINGS) forms.add(base + ending);
    if (base.length < MIN_BASE - 1) continue;
    for (const ending of DOUBLING) forms.add(base + base.at(-1)! + ending);
  }
  forms.delete(word);
  return [...forms];
}

/** What is left of a word without each of the endings that it has. */
function basesOf(word: string): Set<string> {
  const bases = new Set<string>();
  for (const ending of [...ENDINGS, ...Y_ENDINGS]) {
    if (!word.endsWith(ending)) continue;
    const base = word.slice(0, word.length - ending.length);
    if (fits(base, ending)) bases.add(base);
    const isDoubled = DOUBLING.includes(ending) && base.at(-1) === base.at(-2);
    if (isDoubled && base.length >= MIN_BASE) bases.add(base.slice(0, -1));
  }
  return bases;
}

function fits(base: string, ending: string): boolean {
  return base.length >= MIN_BASE || (base.length >= MIN_SHORT_BASE && SHORT_ENDINGS.has(ending));
}
