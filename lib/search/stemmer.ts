/**
 * The stem of an English word by Porter's algorithm: "computation", "computers" and "computed" have the stem "comput".
 *
 * @see https://tartarus.org/martin/PorterStemmer/def.txt
 */

/** An ending and what takes its place. */
type Rule = readonly [ending: string, replacement: string];

/** Rules by the last letter of the ending, the longest ending first. */
type Rules = ReadonlyMap<string, readonly Rule[]>;

/** Reads "ational>ate ful>" as rules. */
function rulesOf(text: string): Rules {
  const rules = text.split(" ").map((rule) => rule.split(">") as [string, string]);
  rules.sort(([one], [other]) => other.length - one.length);
  return Map.groupBy(rules, ([ending]) => ending.at(-1)!);
}

const PLURALS = rulesOf("sses>ss ies>i ss>ss s>");
const REPAIRS = rulesOf("at>ate bl>ble iz>ize");
const DOUBLE_SUFFIXES = rulesOf(
  "ational>ate tional>tion enci>ence anci>ance izer>ize abli>able alli>al entli>ent eli>e ousli>ous ization>ize " +
    "ation>ate ator>ate alism>al iveness>ive fulness>ful ousness>ous aliti>al iviti>ive biliti>ble",
);
const SUFFIXES = rulesOf("icate>ic ative> alize>al iciti>ic ical>ic ful> ness>");
const LAST_SUFFIXES = rulesOf(
  "al> ance> ence> er> ic> able> ible> ant> ement> ment> ent> sion>s tion>t ou> ism> ate> iti> ous> ive> ize>",
);

/** The stem of a word in lower case. */
export function stemOf(word: string): string {
  if (word.length < 3) return word;
  let stem = replaced(word, PLURALS, () => true);
  const [, past] = /^(.*)(?:ed|ing)$/.exec(stem) ?? [];
  if (stem.endsWith("eed")) {
    if (measure(stem.slice(0, -3)) > 0) stem = stem.slice(0, -1);
  } else if (past !== undefined && shape(past).includes("v")) {
    stem = replaced(past, REPAIRS, () => true);
    if (stem === past) {
      if (/([^aeiouylsz])\1$/.test(stem)) stem = stem.slice(0, -1);
      else if (measure(stem) === 1 && endsShort(stem)) stem += "e";
    }
  }
  if (stem.endsWith("y") && shape(stem.slice(0, -1)).includes("v")) stem = `${stem.slice(0, -1)}i`;
  stem = replaced(stem, DOUBLE_SUFFIXES, (rest) => measure(rest) > 0);
  stem = replaced(stem, SUFFIXES, (rest) => measure(rest) > 0);
  stem = replaced(stem, LAST_SUFFIXES, (rest) => measure(rest) > 1);
  if (stem.endsWith("e")) {
    const rest = stem.slice(0, -1);
    if (measure(rest) > 1 || (measure(rest) === 1 && !endsShort(rest))) stem = rest;
  }
  return stem.endsWith("ll") && measure(stem) > 1 ? stem.slice(0, -1) : stem;
}

/** Applies the rule of the longest ending that a word has, if what stands before the ending allows it. */
function replaced(word: string, rules: Rules, allows: (rest: string) => boolean): string {
  const rule = rules.get(word.at(-1)!)?.find(([ending]) => word.endsWith(ending));
  if (!rule) return word;
  const rest = word.slice(0, word.length - rule[0].length);
  return allows(rest + (rule[1].length === 1 ? rule[1] : "")) ? rest + rule[1] : word;
}

/** "c" for each consonant and "v" for each vowel; y is a vowel behind a consonant. */
function shape(text: string): string {
  let result = "";
  for (const letter of text) {
    const isVowel = "aeiou".includes(letter) || (letter === "y" && result.endsWith("c"));
    result += isVowel ? "v" : "c";
  }
  return result;
}

/** How many times consonants follow vowels. */
function measure(text: string): number {
  return shape(text).split("vc").length - 1;
}

/** Whether a text ends with a consonant, a vowel, and a consonant other than w, x and y. */
function endsShort(text: string): boolean {
  return shape(text).endsWith("cvc") && !/[wxy]$/.test(text);
}
