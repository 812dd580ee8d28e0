/** Stems of English words, by Porter's algorithm. */

/** Words whose stems are compared by English rules: "computation" and "computers" have the same stem. */
export const STEMMED: RegExp = /^[a-z]{3,}$/;

/** Endings and their replacements, by the last letter of the ending, the longest ending first. */
type Rules = ReadonlyMap<string, readonly (readonly [ending: string, replacement: string])[]>;

/** Reads "ational>ate ful>" as rules. */
function rulesOf(text: string): Rules {
  const rules = text.split(/\s+/).map((rule) => rule.split(">") as [string, string]);
  rules.sort(([one], [other]) => other.length - one.length);
  return Map.groupBy(rules, ([ending]) => ending.at(-1)!);
}

const PLURALS = rulesOf("sses>ss ies>i ss>ss s>");
const REPAIRS = rulesOf("at>ate bl>ble iz>ize");
/** Suffixes in the order of Porter's steps 2 to 4. The last step removes one only if a stem of measure 2 or more is left. */
const SUFFIXES: readonly Rules[] = [
  `ational>ate tional>tion enci>ence anci>ance izer>ize abli>able alli>al entli>ent eli>e ousli>ous ization>ize
    ation>ate ator>ate alism>al iveness>ive fulness>ful ousness>ous aliti>al iviti>ive biliti>ble`,
  "icate>ic ative> alize>al iciti>ic ical>ic ful> ness>",
  "al> ance> ence> er> ic> able> ible> ant> ement> ment> ent> sion>s tion>t ou> ism> ate> iti> ous> ive> ize>",
].map(rulesOf);

/** The stem of a word in lower case by Porter's algorithm: "comput" (https://tartarus.org/martin/PorterStemmer/def.txt). */
export function stemOf(word: string): string {
  if (word.length < 3) return word;
  let stem = replaced(word, PLURALS, -1);
  const past = /^(.*)(?:ed|ing)$/.exec(stem)?.[1] ?? "";
  if (stem.endsWith("eed")) {
    if (measure(stem.slice(0, -3)) > 0) stem = stem.slice(0, -1);
  } else if (shape(past).includes("v")) {
    stem = replaced(past, REPAIRS, -1);
    if (/([^aeiouylsz])\1$/.test(stem)) stem = stem.slice(0, -1);
    else if (stem === past && measure(stem) === 1 && endsShort(stem)) stem += "e";
  }
  if (stem.endsWith("y") && shape(stem.slice(0, -1)).includes("v")) stem = `${stem.slice(0, -1)}i`;
  SUFFIXES.forEach((rules, step) => stem = replaced(stem, rules, step === 2 ? 1 : 0));
  const short = stem.slice(0, -1);
  if (stem.endsWith("e") && measure(short) + Number(!endsShort(short)) > 1) stem = short;
  return stem.endsWith("ll") && measure(stem) > 1 ? stem.slice(0, -1) : stem;
}

/** Applies the rule of the longest ending that a word has, if the measure of the rest is large enough. */
function replaced(word: string, rules: Rules, min: number): string {
  const [ending, replacement] = rules.get(word.at(-1)!)?.find(([ending]) => word.endsWith(ending)) ?? [];
  if (ending === undefined) return word;
  const rest = word.slice(0, word.length - ending.length);
  // Of "tion" and "sion" the first letter belongs to the rest.
  return measure(replacement!.length === 1 ? rest + replacement : rest) > min ? rest + replacement : word;
}

/** "c" for each consonant and "v" for each vowel; y is a vowel after a consonant. */
function shape(text: string): string {
  let result = "";
  for (const letter of text) {
    const isVowel = "aeiou".includes(letter) || (letter === "y" && result.endsWith("c"));
    result += isVowel ? "v" : "c";
  }
  return result;
}

/** The number of times that consonants follow vowels. */
function measure(text: string): number {
  return shape(text).split("vc").length - 1;
}

/** Whether a text ends with a consonant, a vowel, and a consonant other than w, x and y. */
function endsShort(text: string): boolean {
  return shape(text).endsWith("cvc") && !/[wxy]$/.test(text);
}
