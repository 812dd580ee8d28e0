/** A simple overlap of words, which stands for what a model recognises at the least: it knows no synonyms. */

/** English words that say nothing of a subject. */
const COMMON = new Set(
  ("a about after again all also am an and any are as at away back be because been before being but by can could did do " +
    "does done each for from get gets go goes had has have he her here him his how i if in into is it its just may me more " +
    "must my no not now of off on once one only or other our out own place same she should so some somebody still such take " +
    "takes than that the their them then there they this those to too up us use used uses using was way we were what when " +
    "where which while who whole why will with without would you your").split(" "),
);

/** The words of a text; forms of one word are taken for one by their first five letters. */
export function wordsOf(text: string): Set<string> {
  const words = text.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.filter((word) => !COMMON.has(word)).map((word) => word.replace(/s$/, "").slice(0, 5)));
}

/**
 * The place of a line among all lines, by the words of a question that they hold; rare words count for more. Lines that
 * hold as much as the right one are placed before it; a line without a word of the question has no place.
 */
export function rankOf(question: string, lines: readonly string[], isRight: (line: string) => boolean): number {
  const words = lines.map(wordsOf);
  const weights = new Map(Array.from(wordsOf(question), (word): [string, number] => {
    const holders = words.filter((line) => line.has(word)).length;
    return [word, Math.log(1 + lines.length / Math.max(1, holders))];
  }));
  const score = (line: Set<string>): number =>
    Array.from(weights).reduce((sum, [word, weight]) => sum + (line.has(word) ? weight : 0), 0);
  const scores = words.map(score);
  const right = Math.max(0, ...scores.filter((_, index) => isRight(lines[index]!)));
  if (right === 0) return Infinity;
  return 1 + scores.filter((value, index) => value >= right && !isRight(lines[index]!)).length;
}
