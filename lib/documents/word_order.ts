/**
 * In which order do words stand? Keeps the words of each document as they follow each other, for phrases.
 *
 * A word is kept as its number, in as many bytes as that needs: words that are met early are the frequent ones, so
 * most take one byte or two.
 */

const PAGE_BYTES = 65_536;
const PAGE_BITS = 16;

/** The most words of a phrase: as many as there are bits to follow them with. */
export const MAX_PHRASE_WORDS = 30;

/** A phrase to look for, of words that are written or numbered. */
export interface Phrase<Word> {
  /** How many words it has. */
  readonly length: number;
  /** Where in the phrase a word may stand, a bit for each place. */
  readonly places: ReadonlyMap<Word, number>;
}

/** Makes a phrase of at most `MAX_PHRASE_WORDS` words; each is given as those that may stand for it. */
export function toPhrase<Word>(words: readonly (readonly Word[])[]): Phrase<Word> {
  const places = new Map<Word, number>();
  for (const [place, same] of words.entries()) {
    for (const word of same) places.set(word, (places.get(word) ?? 0) | (1 << place));
  }
  return { length: words.length, places };
}

/**
 * Follows a phrase by one word. All places where it may have begun are followed at once, a bit for each.
 *
 * @param begun What the word before gave; 0 at the beginning and after a gap.
 */
export function follow<Word>({ places }: Phrase<Word>, begun: number, word: Word): number {
  return ((begun << 1) | 1) & (places.get(word) ?? 0);
}

/** Whether a phrase that was followed is complete. */
export function isComplete({ length }: Phrase<unknown>, begun: number): boolean {
  return (begun & (1 << (length - 1))) !== 0;
}

/** The words of all documents, one document behind the other. */
export class WordOrder {
  readonly #pages: Uint8Array[] = [];
  #end = 0;

  /** How much memory all of it takes, in bytes. */
  get size(): number {
    return this.#pages.length * PAGE_BYTES;
  }

  /** Where the next word comes. */
  get end(): number {
    return this.#end;
  }

  /** Adds the number of a word. */
  add(word: number): void {
    this.#addNumber(word + 1);
  }

  /** Adds a gap: no phrase goes on over it. */
  addGap(): void {
    this.#addNumber(0);
  }

  /** Whether a phrase stands between two places. */
  has(phrase: Phrase<number>, from: number, to: number): boolean {
    let begun = 0;
    for (let at = from; at < to;) {
      let number = 0;
      for (let shift = 0;; shift += 7) {
        const byte = this.#pages[at >>> PAGE_BITS]![at % PAGE_BYTES]!;
        at++;
        number |= (byte & 0x7f) << shift;
        if (byte < 0x80) break;
      }
      begun = follow(phrase, begun, number - 1);
      if (isComplete(phrase, begun)) return true;
    }
    return false;
  }

  #addNumber(number: number): void {
    let rest = number;
    for (; rest > 0x7f; rest >>>= 7) this.#addByte((rest & 0x7f) | 0x80);
    this.#addByte(rest);
  }

  #addByte(byte: number): void {
    const page = this.#pages[this.#end >>> PAGE_BITS] ??= new Uint8Array(PAGE_BYTES);
    page[this.#end % PAGE_BYTES] = byte;
    this.#end++;
  }
}
