/** Suggests names for a misspelled word. */

/** The maximum number of suggestions. */
const MAX_NEAREST = 3;
/** The maximum number of names that are compared. */
const MAX_COMPARED = 20_000;
/** The maximum length of names that are compared, in UTF-16 units. */
const MAX_COMPARED_LENGTH = 200;

/**
 * The names that are nearest to a word; an empty list if more than three are equally near. From near to far: they differ only in
 * case; one ends with a slash and the other; they have the same number and folder; the name begins with the word; a few typos.
 */
export function nearest(word: string, names: Iterable<string>): string[] {
  if (word.length > MAX_COMPARED_LENGTH) return [];
  const wanted = word.toLowerCase().replace(/\.md$/, "");
  let best = Infinity, compared = 0;
  let found: string[] = [];
  for (const name of wanted === "" ? [] : names) {
    if (++compared > MAX_COMPARED) break;
    const rank = name.length > MAX_COMPARED_LENGTH ? Infinity : rankOf(wanted, name.toLowerCase());
    if (rank < best) [best, found] = [rank, []];
    if (rank === best && rank < Infinity && found.length <= MAX_NEAREST) found.push(name);
  }
  // Too many matches are no suggestion.
  return found.length > MAX_NEAREST ? [] : found;
}

/** The distance of a name from a word, both in lower case; Infinity if they are too different. */
function rankOf(wanted: string, name: string): number {
  if (wanted === name) return 0;
  if (name.endsWith(`/${wanted}`) || wanted.endsWith(`/${name}`)) return 1;
  const [, folder, last] = /^(?:(.*)\/)?(.*)$/s.exec(wanted)!;
  const [, otherFolder = "", otherLast] = /^(?:(.*)\/)?(.*)$/s.exec(name)!;
  const isNearFolder = folder === undefined || edits(folder, otherFolder, 1) <= 1;
  const number = numberOf(last!);
  if (last === otherLast || (isNearFolder && number !== undefined && number === numberOf(otherLast!))) {
    return 2;
  }
  if (wanted.length >= 3 && name.startsWith(wanted)) return 3;
  // A different number is never a typo.
  if (/^[\d.]*$/.test(last!)) return Infinity;
  const { length } = wanted;
  const allowed = length < 3 ? 0 : length < 6 ? 1 : length < 12 ? 2 : 3;
  const whole = edits(wanted, name, allowed);
  return 3 + (folder === undefined ? Math.min(whole, edits(wanted, otherLast!, allowed)) : whole);
}

/** The number at the start of a name, after a few optional letters: "7" of "007-use-x" and "adr-7". */
function numberOf(name: string): string | undefined {
  return /^(?:[a-z]{1,5}[-_ ]?)?#?0*(\d{1,6})(?![a-z\d])/.exec(name)?.[1];
}

/** The edit distance of two texts; swapped neighbours count as one edit. Infinity if it is more than `most`. */
function edits(left: string, right: string, most: number): number {
  if (Math.abs(left.length - right.length) > most) return Infinity;
  let before: number[] = [];
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let at = 1; at <= left.length; at++) {
    const next = [at];
    for (let to = 1; to <= right.length; to++) {
      const replaced = row[to - 1]! + (left[at - 1] === right[to - 1] ? 0 : 1);
      const isSwap = at > 1 && left[at - 1] === right[to - 2] && left[at - 2] === right[to - 1];
      next.push(Math.min(replaced, row[to]! + 1, next[to - 1]! + 1, isSwap ? before[to - 2]! + 1 : Infinity));
    }
    [before, row] = [row, next];
    if (Math.min(...row) > most) return Infinity;
  }
  return row.at(-1)! <= most ? row.at(-1)! : Infinity;
}
