/** What a word was probably meant for. */

/** The most names that are suggested, the most that are compared, and the longest of those, in UTF-16 units. */
const MAX_NEAREST = 3, MAX_COMPARED = 20_000, MAX_COMPARED_LENGTH = 200;

/**
 * The names nearest to a word, which was probably meant for them; none when more than three are equally near. From near to far: the
 * same in another case; one ends with the other behind a slash; the same number in the same folder; it begins the name; some typos.
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
  // What fits so many says nothing.
  return found.length > MAX_NEAREST ? [] : found;
}

/** How far a name is from a word, both in lower case; infinite when it was hardly meant. */
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
  // Two numbers that differ by a digit are two numbers.
  if (/^[\d.]*$/.test(last!)) return Infinity;
  const { length } = wanted;
  const allowed = length < 3 ? 0 : length < 6 ? 1 : length < 12 ? 2 : 3;
  const whole = edits(wanted, name, allowed);
  return 3 + (folder === undefined ? Math.min(whole, edits(wanted, otherLast!, allowed)) : whole);
}

/** The number that a name begins with, a few letters before it or not: "7" of "007-use-x" and "adr-7". */
function numberOf(name: string): string | undefined {
  return /^(?:[a-z]{1,5}[-_ ]?)?#?0*(\d{1,6})(?![a-z\d])/.exec(name)?.[1];
}

/** The edit distance of two texts, with swaps of neighbours; infinite when more than `most`. */
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
