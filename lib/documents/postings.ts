/**
 * Which documents is a word in, and with how much weight? A list for each word that only ever grows, read from its
 * latest entry to its first.
 *
 * All lists lie between each other on pages of numbers, each in stretches that double as the list grows. So a frequent
 * word is read nearly in one piece, and a rare one takes eight bytes, where a list of its own would take ten times that.
 */

/** How many documents can be told apart; those that are gone count until the index is made anew. */
export const MAX_ORDINALS: number = 2 ** 19;
/** The greatest weight; the ranking makes no difference between this and more. */
export const MAX_WEIGHT: number = 2 ** 12 - 1;

const WEIGHT_BITS = 12;
const PAGE_BITS = 14;
const PAGE_NUMBERS: number = 2 ** PAGE_BITS;
/** The longest stretch, as a power of two: a page is filled well by such stretches. */
const MAX_STRETCH_BITS = 8;
/** What tells the head of a stretch, which says where the stretch before it ends, from an entry. */
const HEAD = 0x8000_0000;
const FIRST_WORDS = 1024;

/** The lists of an index, by the number of the word. A place is a number; 0 is none. */
export class Postings {
  readonly #pages: Uint32Array[] = [];
  /** Where the next stretch comes. Nothing is ever at place 0. */
  #end = 1;
  /** By word: the place of its latest entry. */
  #latest: Uint32Array = new Uint32Array(FIRST_WORDS);
  /** By word: how many entries there is room for in its latest stretch. */
  #room: Uint16Array = new Uint16Array(FIRST_WORDS);
  /** By word: the length of its next stretch, as a power of two. */
  #stretch: Uint8Array = new Uint8Array(FIRST_WORDS);

  /** How much memory all of it takes, in bytes. */
  get size(): number {
    return this.#pages.length * PAGE_NUMBERS * 4 + this.#latest.length * (4 + 2 + 1);
  }

  /** Enters a document, by its ordinal, in the list of a word. */
  add(word: number, ordinal: number, weight: number): void {
    if (word >= this.#latest.length) this.#widen(word);
    if (this.#room[word] === 0) this.#addStretch(word);
    const place = ++this.#latest[word]!;
    this.#room[word]!--;
    this.#pages[place >>> PAGE_BITS]![place % PAGE_NUMBERS] = (ordinal << WEIGHT_BITS) |
      Math.min(weight, MAX_WEIGHT);
  }

  /** The place of the latest entry of a word. */
  latest(word: number): number {
    return this.#latest[word] ?? 0;
  }

  /** The place of the entry before another one. */
  before(place: number): number {
    const number = this.#at(place - 1);
    return number >= HEAD ? number - HEAD : place - 1;
  }

  /** The ordinal of the document at a place. */
  ordinal(place: number): number {
    return this.#at(place) >>> WEIGHT_BITS;
  }

  /** The weight of the word in the document at a place. */
  weight(place: number): number {
    return this.#at(place) & MAX_WEIGHT;
  }

  #at(place: number): number {
    return this.#pages[place >>> PAGE_BITS]![place % PAGE_NUMBERS]!;
  }

  #addStretch(word: number): void {
    const bits = this.#stretch[word]!;
    const numbers = 1 + 2 ** bits;
    // A stretch lies on one page, whole.
    if (this.#end % PAGE_NUMBERS + numbers > PAGE_NUMBERS) {
      this.#end = (this.#end >>> PAGE_BITS) + 1 << PAGE_BITS;
    }
    const head = this.#end;
    this.#end += numbers;
    const page = this.#pages[head >>> PAGE_BITS] ??= new Uint32Array(PAGE_NUMBERS);
    page[head % PAGE_NUMBERS] = HEAD + this.#latest[word]!;
    this.#latest[word] = head;
    this.#room[word] = 2 ** bits;
    this.#stretch[word] = Math.min(bits + 1, MAX_STRETCH_BITS);
  }

  #widen(word: number): void {
    const length = Math.max(word + 1, this.#latest.length * 2);
    const [latest, room, stretch] = [this.#latest, this.#room, this.#stretch];
    (this.#latest = new Uint32Array(length)).set(latest);
    (this.#room = new Uint16Array(length)).set(room);
    (this.#stretch = new Uint8Array(length)).set(stretch);
  }
}
