/** The terms of an index, each with an id. A word of a text is looked up without a copy of it. */

import { detached } from "../base/json.ts";
import { STEMMED, stemOf } from "./stem.ts";
import { checkOf, hashOf, isDense, tokenize } from "./tokenizer.ts";

/** The bits of an id in a place. */
const ID_MASK = 2 ** 19 - 1;
/** The maximum number of distinct terms; more are not indexed. Sixty megabytes of prose have two thirds of that. */
const MAX_TERMS = ID_MASK;
/** The maximum number of terms with the same start that are compared with a word. Languages have a quarter of that. */
const MAX_SIMILAR = 2 ** 15;
/** V8 copies a part of a text that is shorter than this, and makes a slice of a longer one. */
const MIN_SLICE = 13;
/** The id of a term that is not indexed. */
export const NO_TERM = -1;

/** Receives the id of a term, or `NO_TERM`, with its UTF-16 offsets. */
type TakeId = (id: number, start: number, end: number, isDerived: boolean) => void;

/** The terms of many documents. None is removed. */
export class Vocabulary {
  readonly #terms: string[] = [];
  /**
   * Pairs of a check, and of an id with the high bits of a hash: each at the first free place from its hash on. At least half of the
   * places are free. Terms are not compared letter by letter, because they are all over the memory.
   */
  #places = new Int32Array(2 ** 12).fill(NO_TERM);
  /** By id. */
  readonly #hashes: number[] = [];
  /** The ids of the terms outside of dense scripts, by their start, and by their length with their first or last two characters. */
  readonly #similar = new Map<number, number[]>();
  /** By id, the stem of a term that was looked up by one. */
  readonly #stems: string[] = [];

  /** The number of terms. Ids are below it. */
  get size(): number {
    return this.#terms.length;
  }

  term(id: number): string {
    return this.#terms[id]!;
  }

  /** The id of a term; undefined if it is not indexed. */
  id(term: string): number | undefined {
    const id = this.#places[this.#placeOf(hashOf(term), checkOf(term)) + 1]!;
    return id === NO_TERM ? undefined : id & ID_MASK;
  }

  /** Splits a text into terms. Those that are not indexed yet are added if `isAdding`. */
  scan(text: string, isAdding: boolean, take: TakeId): void {
    tokenize(text, (term, start, end, isDerived) => {
      take(this.#find(term, 0, term.length, hashOf(term), checkOf(term), isAdding), start, end, isDerived);
    }, (start, end, hash, check) => {
      take(this.#find(text, start, end, hash, check, isAdding), start, end, false);
    });
  }

  #find(text: string, from: number, to: number, hash: number, check: number, isAdding: boolean): number {
    const place = this.#placeOf(hash, check), known = this.#places[place + 1]!;
    if (known !== NO_TERM) return known & ID_MASK;
    if (!isAdding || this.#terms.length === MAX_TERMS) return NO_TERM;
    const word = text.slice(from, to).toLowerCase();
    const term = word.length < MIN_SLICE ? word : detached(word), id = this.#terms.push(term) - 1;
    this.#hashes.push(hash);
    this.#places[place] = check;
    this.#places[place + 1] = hash & ~ID_MASK | id;
    if (id * 4 === this.#places.length) this.#widen();
    if (!isDense(term)) {
      const { length } = term;
      for (const key of [startKey(term), editKey(term, 0, length), editKey(term, length - 2, length)]) {
        const ids = this.#similar.get(key);
        if (!ids) this.#similar.set(key, [id]);
        else if (ids.length < MAX_SIMILAR) ids.push(id);
      }
    }
    return id;
  }

  /** The place of a term, or the free place where it would be. */
  #placeOf(hash: number, check: number): number {
    const places = this.#places, mask = places.length - 2;
    for (let place = startOf(hash) & mask;; place = place + 2 & mask) {
      const known = places[place + 1]!;
      if (known === NO_TERM || (places[place] === check && ((known ^ hash) & ~ID_MASK) === 0)) return place;
    }
  }

  #widen(): void {
    const before = this.#places;
    this.#places = new Int32Array(before.length * 2).fill(NO_TERM);
    for (let at = 0; at < before.length; at += 2) {
      const known = before[at + 1]!;
      if (known === NO_TERM) continue;
      const mask = this.#places.length - 2;
      let place = startOf(this.#hashes[known & ID_MASK]!) & mask;
      while (this.#places[place + 1] !== NO_TERM) place = place + 2 & mask;
      this.#places[place] = before[at]!;
      this.#places[place + 1] = known;
    }
  }

  /** The terms that start with a prefix of at least three characters, and are longer than it or have a given length. */
  withPrefix(prefix: string, least: number = prefix.length + 1, most: number = Infinity): number[] {
    return (this.#similar.get(startKey(prefix)) ?? []).filter((id) => {
      const term = this.#terms[id]!;
      return term.length >= least && term.length <= most && term.startsWith(prefix);
    });
  }

  /** The English words with a stem. */
  withStem(stem: string): number[] {
    // The last letter of a stem may differ from that of a word.
    const start = stem.slice(0, Math.max(2, stem.length - 1));
    const starts = start.length > 2 ? [start] : Array.from(LETTERS, (letter) => start + letter);
    return starts.flatMap((start) => this.withPrefix(start, start.length)).filter((id) => {
      const term = this.#terms[id]!;
      return (this.#stems[id] ??= STEMMED.test(term) ? stemOf(term) : "") === stem;
    });
  }

  /** The pairs of a dense script that contain a character. */
  pairsWith(character: string): number[] {
    return this.#terms.flatMap((term, id) =>
      term !== character && (term.startsWith(character) || term.endsWith(character)) ? id : []
    );
  }

  /** The terms that differ by one typing error from a word of at least four characters. Some are there twice. */
  withOneEdit(word: string): number[] {
    const { length } = word;
    // An edit does not change the first or the last two characters, except a swap in the middle of four.
    const keys = [length - 1, length, length + 1].flatMap((other) => [
      editKey(word, 0, other),
      editKey(word, length - 2, other),
    ]);
    const swapped = length === 4 ? this.id(`${word[0]}${word[2]}${word[1]}${word[3]}`) ?? [] : [];
    const ids = keys.flatMap((key) => this.#similar.get(key) ?? []).concat(swapped);
    return ids.filter((id) => isOneEdit(word, this.#terms[id]!));
  }
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz";

/** Where the search for a hash starts, without the limit of the places. */
function startOf(hash: number): number {
  return (hash ^ hash >>> 15) << 1;
}

/** The key of the first three characters of a term. Other terms may have the same key, here and below. */
function startKey(term: string): number {
  return (term.charCodeAt(0) << 20 ^ term.charCodeAt(1) << 10 ^ term.charCodeAt(2)) << 1;
}

/** The key of a length and of two characters of a term. */
function editKey(term: string, from: number, length: number): number {
  return (term.charCodeAt(from) << 20 ^ term.charCodeAt(from + 1) << 10 ^ length ^ Number(from > 0) << 7) <<
      1 | 1;
}

/** Whether two words differ by one inserted, deleted or replaced character, or by a swap of two adjacent ones. */
function isOneEdit(left: string, right: string): boolean {
  const longer = left.length - right.length;
  if (longer > 1 || longer < -1 || left === right) return false;
  let from = 0;
  while (from < left.length && left[from] === right[from]) from++;
  let leftEnd = left.length, rightEnd = right.length;
  while (leftEnd > from && rightEnd > from && left[leftEnd - 1] === right[rightEnd - 1]) {
    leftEnd--;
    rightEnd--;
  }
  const rest = Math.max(leftEnd, rightEnd) - from;
  return rest === 1 ||
    (rest === 2 && longer === 0 && left[from] === right[from + 1] && left[from + 1] === right[from]);
}
