/** The inverted index: terms with their postings, and the sequence of terms of each document. Documents are never removed. */

import { detached } from "../base/json.ts";
import { isDense, tokenize } from "./tokenizer.ts";

/** The part of a document in which a term occurs. "name" is the name of its file. */
export type IndexField = "title" | "name" | "tags" | "description" | "heading" | "body";

/** The weight of a term in each field. */
const BOOST: Record<IndexField, number> = { title: 4, heading: 2, tags: 2, name: 1, description: 1, body: 1 };

/** A heading, and the section that it opens. */
export interface SectionHeading {
  /** Identifies the section in a URI. */
  readonly slug: string;
}

/** A line of a document, or a part of its metadata. */
export interface Piece {
  /** The part of the document that it is from. */
  readonly field: IndexField;
  /** May have markup. */
  readonly text: string;
  /** Counted from 0. */
  readonly line: number;
  /** The nearest heading above it, or the heading that it is. */
  readonly heading: SectionHeading | undefined;
  /** Whether it continues the paragraph of the piece before it. */
  readonly continues: boolean;
  /** Whether it is a comment or a line of links. An excerpt is taken from such a piece only if no other one matches as well. */
  readonly isAside?: boolean;
}

/** The maximum number of distinct terms; more are not indexed. Sixty megabytes of prose have two thirds of that. */
const MAX_TERMS = 2 ** 19;
/** Weights are whole numbers; this one means 1. */
export const WEIGHT_UNIT = 2;
/** The weight of a derived term: half. */
const DERIVED_WEIGHT = 1;
/** A posting has a weight in its low bits, and the ordinal of a document above it. Scores stop growing long before the maximum. */
export const WEIGHT_BITS = 12;
export const MAX_WEIGHT: number = 2 ** WEIGHT_BITS - 1;
/** The size of a block of postings: a cache line. Rare terms waste little space, frequent ones are read in long runs. */
const BLOCK = 16;
/** The maximum number of documents, including removed ones: a posting has 32 bits. */
export const MAX_ORDINALS: number = 2 ** (32 - WEIGHT_BITS);

export interface Indexed {
  readonly ordinal: number;
  /** The sum of the weights of its terms. */
  readonly length: number;
  /** The codes of its terms in order, with a gap between paragraphs. */
  readonly sequence: string;
}

/** A code that no term has. */
const GAP = "\0";

/** The character for a term in a sequence. It is neither a control character nor a surrogate. */
export function codeOf(id: number): string {
  return String.fromCodePoint(id + (id < 0xd700 ? 0x100 : 0x900));
}

/** The id of the term that a character means; not for the gap. */
export function idOf(code: string): number {
  const point = code.codePointAt(0)!;
  return point - (point < 0xd800 ? 0x100 : 0x900);
}

/** The terms of many documents. Each term has an id. */
export class InvertedIndex {
  /** The number of documents that were added. Each has an ordinal below that. */
  ordinals = 0;
  /** The sum of the lengths of these documents. */
  length = 0;
  readonly #ids = new Map<string, number>();
  /** The postings of all terms, in blocks of one term each. A block starts with the place of the term's posting before it. */
  #postings = new Uint32Array(2 ** 12);
  /** The end of the last block. The first block is empty, because place 0 means that there is no posting. */
  #end = BLOCK;
  #buffer = new Uint32Array(0);
  /** By id, the place of the latest posting of the term. */
  readonly #latest: number[] = [];
  /** By id, the number of postings of the term. */
  readonly #counts: number[] = [];
  /** The terms outside of dense scripts, by their first two characters, and by "*" and their last two. */
  readonly #buckets = new Map<string, string[]>();

  /** Adds a document, one piece a step. */
  *add(pieces: Iterable<Piece>): Generator<void, Indexed> {
    const ordinal = this.ordinals++;
    const before = this.length;
    const codes: string[] = [];
    const weights = new Map<number, number>();
    for (const { field, text, continues } of pieces) {
      const boost = BOOST[field];
      if (!continues) codes.push(GAP);
      tokenize(text, (term, _start, _end, isDerived) => {
        const id = this.#ids.get(term) ?? this.#addTerm(term);
        if (id === undefined) return;
        const weight = boost * (isDerived ? DERIVED_WEIGHT : WEIGHT_UNIT);
        weights.set(id, (weights.get(id) ?? 0) + weight);
        if (isDerived) return;
        codes.push(codeOf(id));
        this.length += weight;
      });
      yield;
    }
    for (const [id, weight] of weights) this.#addPosting(id, ordinal, Math.min(weight, MAX_WEIGHT));
    return { ordinal, length: this.length - before, sequence: codes.join("") };
  }

  #addTerm(word: string): number | undefined {
    const id = this.#latest.length;
    if (id === MAX_TERMS) return undefined;
    const term = detached(word);
    this.#ids.set(term, id);
    this.#latest.push(0);
    this.#counts.push(0);
    if (!isDense(term)) {
      for (const key of [term.slice(0, 2), `*${term.slice(-2)}`]) {
        const bucket = this.#buckets.get(key);
        if (bucket) bucket.push(term);
        else this.#buckets.set(key, [term]);
      }
    }
    return id;
  }

  #addPosting(id: number, ordinal: number, weight: number): void {
    let place = this.#latest[id]! + 1;
    if (place === 1 || place % BLOCK === 0) {
      if (this.#end + BLOCK > this.#postings.length) {
        const wider = new Uint32Array(this.#end * 1.25 + BLOCK);
        wider.set(this.#postings);
        this.#postings = wider;
      }
      this.#postings[this.#end] = this.#latest[id]!;
      place = this.#end + 1;
      this.#end += BLOCK;
    }
    this.#postings[place] = ordinal << WEIGHT_BITS | weight;
    this.#latest[id] = place;
    this.#counts[id]!++;
  }

  /** The postings of a term, the latest first. They are valid until the next call. */
  postings(id: number): Uint32Array {
    const count = this.#counts[id]!;
    if (this.#buffer.length < count) this.#buffer = new Uint32Array(count * 2);
    let place = this.#latest[id]!;
    for (let at = 0; at < count; at++) {
      this.#buffer[at] = this.#postings[place]!;
      place--;
      if (place % BLOCK === 0) place = this.#postings[place]!;
    }
    return this.#buffer.subarray(0, count);
  }

  /** The number of documents that have a term, including removed ones. */
  count(id: number): number {
    return this.#counts[id]!;
  }

  id(term: string): number | undefined {
    return this.#ids.get(term);
  }

  /** The terms that start with a prefix of at least two characters, and are longer than it or have a given length. */
  *withPrefix(prefix: string, least: number = prefix.length + 1, most: number = Infinity): Generator<string> {
    for (const term of this.#buckets.get(prefix.slice(0, 2)) ?? []) {
      if (term.length >= least && term.length <= most && term.startsWith(prefix)) yield term;
    }
  }

  /** The pairs of a dense script that contain a character. */
  *pairsWith(character: string): Generator<string> {
    for (const term of this.#ids.keys()) {
      if (term !== character && (term.startsWith(character) || term.endsWith(character))) yield term;
    }
  }

  /** The terms that differ by one typing error from a word of at least four characters. Some are yielded twice. */
  *withOneEdit(word: string): Generator<string> {
    // An edit does not change the first or the last two characters, except a swap in the middle of four.
    const swapped = word.length === 4 ? `${word[0]}${word[2]}${word[1]}${word[3]}` : word;
    const buckets = [word.slice(0, 2), `*${word.slice(-2)}`].map((key) => this.#buckets.get(key) ?? []);
    for (const terms of [...buckets, [swapped]]) {
      for (const term of terms) if (isOneEdit(word, term)) yield term;
    }
  }
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
