/** The terms of an index, each with an id. A word of a text is looked up without a copy of it. */

import { detached } from "../base/json.ts";
import { hashOf, isDense, tokenize } from "./tokenizer.ts";

/** The maximum number of distinct terms; more are not indexed. Sixty megabytes of prose have two thirds of that. */
const MAX_TERMS = 2 ** 19;
/** V8 copies a part of a text that is shorter than this, and makes a slice of a longer one. */
const MIN_SLICE = 13;
/** The id of a term that is not indexed. */
export const NO_TERM = -1;

/** Receives the id of a term, or `NO_TERM`, with its UTF-16 offsets. */
type TakeId = (id: number, start: number, end: number, isDerived: boolean) => void;

/** The terms of many documents. None is removed. */
export class Vocabulary {
  readonly #terms: string[] = [];
  /** Pairs of a hash and an id, each at the first free place from its hash on; at least half of the places are free. */
  #places = new Int32Array(2 ** 12).fill(NO_TERM);
  /** The ids of the terms outside of dense scripts, by their first two characters, and by their last two. */
  readonly #byStart = new Map<number, number[]>();
  readonly #byEnd = new Map<number, number[]>();

  /** The number of terms. Ids are below it. */
  get size(): number {
    return this.#terms.length;
  }

  term(id: number): string {
    return this.#terms[id]!;
  }

  /** The id of a term; undefined if it is not indexed. */
  id(term: string): number | undefined {
    const id = this.#places[this.#placeOf(term, 0, term.length, hashOf(term)) + 1]!;
    return id === NO_TERM ? undefined : id;
  }

  /** Splits a text into terms. Those that are not indexed yet are added if `isAdding`. */
  scan(text: string, isAdding: boolean, take: TakeId): void {
    tokenize(text, (term, start, end, isDerived) => {
      take(this.#find(term, 0, term.length, hashOf(term), isAdding), start, end, isDerived);
    }, (start, end, hash) => {
      take(this.#find(text, start, end, hash, isAdding), start, end, false);
    });
  }

  #find(text: string, from: number, to: number, hash: number, isAdding: boolean): number {
    const place = this.#placeOf(text, from, to, hash), known = this.#places[place + 1]!;
    if (known !== NO_TERM || !isAdding || this.#terms.length === MAX_TERMS) return known;
    const word = text.slice(from, to).toLowerCase();
    const term = word.length < MIN_SLICE ? word : detached(word), id = this.#terms.push(term) - 1;
    this.#places[place] = hash;
    this.#places[place + 1] = id;
    if (id * 4 === this.#places.length) this.#widen();
    if (!isDense(term)) {
      addTo(this.#byStart, keyOf(term, 0), id);
      addTo(this.#byEnd, keyOf(term, term.length - 2), id);
    }
    return id;
  }

  /** The place of a term, or the free place where it would be. Capitals in the text are in ASCII. */
  #placeOf(text: string, from: number, to: number, hash: number): number {
    const places = this.#places, mask = places.length - 2, length = to - from;
    for (let place = startOf(hash) & mask;; place = place + 2 & mask) {
      const id = places[place + 1]!;
      if (id === NO_TERM) return place;
      if (places[place] !== hash) continue;
      const term = this.#terms[id]!;
      if (term.length !== length) continue;
      let at = 0;
      while (at < length) {
        const unit = text.charCodeAt(from + at);
        if (term.charCodeAt(at) !== (unit > 0x40 && unit < 0x5b ? unit | 0x20 : unit)) break;
        at++;
      }
      if (at === length) return place;
    }
  }

  #widen(): void {
    const before = this.#places, places = new Int32Array(before.length * 2).fill(NO_TERM);
    const mask = places.length - 2;
    for (let at = 0; at < before.length; at += 2) {
      if (before[at + 1] === NO_TERM) continue;
      let place = startOf(before[at]!) & mask;
      while (places[place + 1] !== NO_TERM) place = place + 2 & mask;
      places[place] = before[at]!;
      places[place + 1] = before[at + 1]!;
    }
    this.#places = places;
  }

  /** The terms that start with a prefix of at least two characters, and are longer than it or have a given length. */
  *withPrefix(prefix: string, least: number = prefix.length + 1, most: number = Infinity): Generator<string> {
    for (const id of this.#byStart.get(keyOf(prefix, 0)) ?? []) {
      const term = this.#terms[id]!;
      if (term.length >= least && term.length <= most && term.startsWith(prefix)) yield term;
    }
  }

  /** The pairs of a dense script that contain a character. */
  *pairsWith(character: string): Generator<string> {
    for (const term of this.#terms) {
      if (term !== character && (term.startsWith(character) || term.endsWith(character))) yield term;
    }
  }

  /** The terms that differ by one typing error from a word of at least four characters. Some are yielded twice. */
  *withOneEdit(word: string): Generator<string> {
    // An edit does not change the first or the last two characters, except a swap in the middle of four.
    const swapped = word.length === 4 ? `${word[0]}${word[2]}${word[1]}${word[3]}` : word;
    const ids = [
      this.#byStart.get(keyOf(word, 0)),
      this.#byEnd.get(keyOf(word, word.length - 2)),
      [this.id(swapped) ?? NO_TERM],
    ];
    for (const id of ids.flatMap((some) => some ?? [])) {
      const term = this.#terms[id];
      if (term !== undefined && isOneEdit(word, term)) yield term;
    }
  }
}

/** Where the search for a hash starts, without the limit of the places. */
function startOf(hash: number): number {
  return (hash ^ hash >>> 15) << 1;
}

/** Two characters of a term as a number; one of a term of one character. */
function keyOf(term: string, from: number): number {
  return term.charCodeAt(Math.max(from, 0)) * 0x10000 + (term.length > 1 ? term.charCodeAt(from + 1) : 0);
}

function addTo(map: Map<number, number[]>, key: number, id: number): void {
  const ids = map.get(key);
  if (ids) ids.push(id);
  else map.set(key, [id]);
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
