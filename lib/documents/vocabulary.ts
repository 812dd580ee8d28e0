/**
 * Which words are there, and which of them resemble a word? Gives each word a number, and looks through all of them
 * for those that begin with another one or are one slip of the finger away from it.
 *
 * Looking through all of them is quick: beside each word stands one number that tells nearly every two words apart.
 * So there is no tree to keep, and a new word costs next to nothing.
 */

/** The most words. Sixty megabytes of prose have a third of that; what has more is not made of words. */
export const MAX_WORDS: number = 2 ** 20;
/** Room for so many words at first. */
const FIRST_WORDS = 1024;
/** What a word takes beside its letters, in bytes: the heads of the text and of its entries in a map and a list. */
const WORD_BYTES = 64;

/** How many letters are told apart. */
const LETTER_BITS = 26;
const LETTERS: number = 2 ** LETTER_BITS - 1;

/** The words of an index. */
export class Vocabulary {
  readonly #ids = new Map<string, number>();
  readonly #words: string[] = [];
  readonly #most: number;
  #letters = new Uint32Array(FIRST_WORDS);
  #units = 0;

  /** Takes how many words there may be. @default {MAX_WORDS} */
  constructor(most: number = MAX_WORDS) {
    this.#most = most;
  }

  /** How many words there are; they are numbered from 0. */
  get length(): number {
    return this.#words.length;
  }

  /** About how much memory all of it takes, in bytes. */
  get size(): number {
    return this.#units + this.#words.length * WORD_BYTES + this.#letters.byteLength;
  }

  /** The number of a word; a word that is not there yet gets the next one, and none when there are too many words. */
  add(word: string): number | undefined {
    const known = this.#ids.get(word);
    const id = this.#words.length;
    if (known !== undefined || id === this.#most) return known;
    const own = copyOf(word);
    this.#ids.set(own, id);
    this.#words.push(own);
    this.#units += own.length;
    if (id === this.#letters.length) {
      const wider = new Uint32Array(id * 2);
      wider.set(this.#letters);
      this.#letters = wider;
    }
    this.#letters[id] = lettersOf(own);
    return id;
  }

  /** The number of a word; undefined when it is not there. */
  find(word: string): number | undefined {
    return this.#ids.get(word);
  }

  /** The word with a number. */
  word(id: number): string {
    return this.#words[id]!;
  }

  /** The longer words that begin with a word. */
  beginningWith(word: string): number[] {
    const letters = lettersOf(word);
    const found: number[] = [];
    for (let id = 0; id < this.#words.length; id++) {
      const own = this.#letters[id]!;
      if ((letters & ~own & LETTERS) !== 0 || (letters ^ own) >>> LETTER_BITS !== 0) continue;
      const other = this.#words[id]!;
      if (other.length > word.length && other.startsWith(word)) found.push(id);
    }
    return found;
  }

  /** The pairs of characters that a character stands in. */
  pairsWith(character: string): number[] {
    const letters = lettersOf(character) & LETTERS;
    const found: number[] = [];
    for (let id = 0; id < this.#words.length; id++) {
      if ((letters & ~this.#letters[id]!) !== 0) continue;
      const pair = this.#words[id]!;
      const isPair = pair.length > character.length && pair.length <= 2 * character.length + 1;
      if (isPair && (pair.startsWith(character) || pair.endsWith(character))) found.push(id);
    }
    return found;
  }

  /** The words that a typo makes of a word: a letter too many, too few or another one, or two in the wrong order. */
  oneTypoFrom(word: string): number[] {
    const letters = lettersOf(word);
    const found: number[] = [];
    for (let id = 0; id < this.#words.length; id++) {
      // Another letter makes two differences, every other typo at most one.
      const differing = (letters ^ this.#letters[id]!) & LETTERS;
      const butOne = differing & (differing - 1);
      if ((butOne & (butOne - 1)) === 0 && isOneTypo(word, this.#words[id]!)) found.push(id);
    }
    return found;
  }
}

/** A text of its own: a stretch of another text would keep all of that in memory. */
function copyOf(word: string): string {
  const units = Array.from({ length: word.length }, (_, index) => word.charCodeAt(index));
  return String.fromCharCode(...units);
}

/** Which letters are in a word, a bit for each of a to z; all other characters share these bits. Above: the first one. */
function lettersOf(word: string): number {
  let letters = 0;
  for (let index = 0; index < word.length; index++) letters |= 1 << letterOf(word, index);
  return letters | letterOf(word, 0) << LETTER_BITS;
}

function letterOf(word: string, index: number): number {
  return (word.charCodeAt(index) + 7) % LETTER_BITS;
}

/** Whether one typo makes one word of the other. */
export function isOneTypo(left: string, right: string): boolean {
  const [short, long] = left.length < right.length ? [left, right] : [right, left];
  if (long.length - short.length > 1 || left === right) return false;
  let from = 0;
  while (from < short.length && short[from] === long[from]) from++;
  let to = 0;
  while (to < short.length - from && short.at(-1 - to) === long.at(-1 - to)) to++;
  const rest = short.length - from - to;
  if (long.length > short.length) return rest === 0;
  return rest === 1 || (rest === 2 && short[from] === long[from + 1] && short[from + 1] === long[from]);
}
