/** Which words does each document say? An index that documents are added to, and that nothing is taken out of. */

import type { Document } from "./catalogue.ts";
import type { Piece } from "./search_text.ts";
import { Postings } from "./postings.ts";
import { FIELD_WEIGHT, readPieces } from "./search_text.ts";
import { readWords } from "./tokens.ts";
import { Vocabulary } from "./vocabulary.ts";
import { WordOrder } from "./word_order.ts";

/** What a word weighs that counts 1: weights are whole numbers, and what follows from a word counts half of it. */
export const WEIGHT_UNIT = 2;
const ASIDE_WEIGHT = 1;

/** After so many words of one document, everything else has a turn. */
const WORDS_AT_ONCE = 4096;
/** What is kept of a document beside its words, in bytes: an object and its places in a list and a map. */
const ENTRY_BYTES = 200;

/** A document in the index. */
export interface Entry {
  readonly document: Document;
  /** Its number in the index. */
  readonly ordinal: number;
  /** How much its words weigh together. */
  readonly length: number;
  /** Where its words stand in the order of words. */
  readonly from: number;
  readonly to: number;
  /** Whether its text was indexed, and not only what the catalogue knows of it. */
  readonly hasText: boolean;
}

/** The words of many documents. */
export class WordIndex {
  readonly vocabulary: Vocabulary = new Vocabulary();
  readonly postings: Postings = new Postings();
  readonly order: WordOrder = new WordOrder();
  /** How many documents were ever added. */
  #ordinals = 0;
  /** How much all words of these weigh together. */
  #length = 0;
  /** By the number of the word: what it weighs in the document that is being added. */
  #weights = new Uint32Array(1024);

  /** How many documents were ever added; each has an ordinal below that. */
  get ordinals(): number {
    return this.#ordinals;
  }

  /** How much the words of all documents that were ever added weigh together. */
  get length(): number {
    return this.#length;
  }

  /** About how much memory all of it takes, in bytes. */
  get size(): number {
    return this.vocabulary.size + this.postings.size + this.order.size + this.#weights.byteLength +
      this.#ordinals * ENTRY_BYTES;
  }

  /** Adds a document, one document at a time; without a text, what the catalogue knows of it. */
  *add(document: Document, text: string | undefined): Generator<void, Entry> {
    const ordinal = this.#ordinals++;
    const from = this.order.end;
    const before = this.#length;
    const words: number[] = [];
    let read = 0;
    try {
      for (const piece of readPieces(document, text)) {
        if (!piece.goesOn) this.order.addGap();
        read += this.#addPiece(piece, words);
        if (read < WORDS_AT_ONCE) continue;
        read = 0;
        yield;
      }
      for (const id of words) this.postings.add(id, ordinal, this.#weights[id]!);
    } finally {
      for (const id of words) this.#weights[id] = 0;
    }
    return {
      document,
      ordinal,
      length: this.#length - before,
      from,
      to: this.order.end,
      hasText: text !== undefined,
    };
  }

  /** Counts the words of a piece; gives back how many there are. */
  #addPiece({ text, field }: Piece, words: number[]): number {
    const weight = FIELD_WEIGHT[field];
    let read = 0;
    readWords(text, (word, _start, _end, isAside) => {
      read++;
      const id = this.vocabulary.add(word);
      if (id === undefined) return;
      this.#count(id, weight * (isAside ? ASIDE_WEIGHT : WEIGHT_UNIT), words);
      if (isAside) return;
      this.order.add(id);
      this.#length += weight * WEIGHT_UNIT;
    });
    return read;
  }

  #count(id: number, weight: number, words: number[]): void {
    if (id >= this.#weights.length) {
      const wider = new Uint32Array(this.#weights.length * 2);
      wider.set(this.#weights);
      this.#weights = wider;
    }
    if (this.#weights[id] === 0) words.push(id);
    this.#weights[id]! += weight;
  }
}
