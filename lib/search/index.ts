/** The inverted index: the postings of terms, and the sequence of terms of each document. Documents are never removed. */

import { NO_TERM, Vocabulary } from "./vocabulary.ts";

/** The part of a document in which a term occurs. "name" is the name of its file. */
export type IndexField = "title" | "name" | "tags" | "description" | "heading" | "body";

/** The weight of a term in each field. */
export const BOOST: Record<IndexField, number> = {
  title: 3,
  heading: 2,
  tags: 2,
  name: 1,
  description: 1,
  body: 1,
};

/** A heading, and the section that it opens. */
export interface SectionHeading {
  /** Identifies the section in a URI. */
  readonly slug: string;
}

/** Two forms that mean the same, as a document writes them: "HTTP" and "Hypertext Transfer Protocol". */
export type Definition = readonly [form: string, other: string];

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
  /** What it defines. */
  readonly defines?: readonly Definition[];
}

/** Weights are whole numbers; this one means 1. */
export const WEIGHT_UNIT = 2;
/** The weight of a derived term: half. */
const DERIVED_WEIGHT = 1;
/** The fields that are also ranked by themselves, each with its bit in a posting. */
export const RANKED_FIELDS = ["title", "name", "heading", "tags"] as const;
const FIELD_BITS: Record<IndexField, number> = {
  title: 1,
  name: 2,
  heading: 4,
  tags: 8,
  description: 0,
  body: 0,
};
/** A posting has the bits of fields, a weight above them, and the ordinal of a document above that. */
const WEIGHT_SHIFT = 4;
export const FIELD_MASK: number = 2 ** WEIGHT_SHIFT - 1;
export const ORDINAL_SHIFT = 12;
/** Weights up to half of their range are exact, the rest in steps of 8. Scores stop growing long before the maximum. */
const EXACT_WEIGHTS = 128;
const WEIGHT_STEP = 8;
const MAX_WEIGHT = 255;
/** The size of a block of postings: a cache line. Rare terms waste little space, frequent ones are read in long runs. */
const BLOCK = 16;
/** The maximum number of documents, including removed ones: a posting has 32 bits. */
export const MAX_ORDINALS: number = 2 ** (32 - ORDINAL_SHIFT);
/** The number of arguments of one call. More can exceed the stack. */
const MAX_ARGUMENTS = 8192;
/** The number of pieces in a step: that many take less than a millisecond. */
const STEP_PIECES = 32;

/** The weight in a posting. */
export function weightOf(posting: number): number {
  const weight = posting >>> WEIGHT_SHIFT & MAX_WEIGHT;
  return weight < EXACT_WEIGHTS ? weight : EXACT_WEIGHTS + (weight - EXACT_WEIGHTS) * WEIGHT_STEP;
}

export interface Indexed {
  readonly ordinal: number;
  /** The sum of the weights of its terms. */
  readonly length: number;
  /** The number of terms in its title, and in its name. */
  readonly titleLength: number;
  readonly nameLength: number;
  /** Whether its text is mostly lines of links, or comments. */
  readonly isAside: boolean;
  /** The codes of its terms in order, with a gap between paragraphs. */
  readonly sequence: string;
  readonly definitions: readonly Definition[];
}

/** A code that no term has. */
const GAP = 0;

/** The character for a term in a sequence. It is neither a control character nor a surrogate. */
export function codeOf(id: number): string {
  return String.fromCodePoint(pointOf(id));
}

/** A pattern for words that follow each other in a sequence, each one of some terms. */
export function sequencePattern(words: readonly (readonly number[])[]): RegExp {
  return new RegExp(words.map((ids) => `[${ids.map(codeOf).join("")}]`).join(""), "u");
}

function pointOf(id: number): number {
  return id + (id < 0xd700 ? 0x100 : 0x900);
}

/** Calls back for each term of a sequence, with its id, and -1 for a gap. Reads at most that number of UTF-16 units. */
export function eachTerm(sequence: string, limit: number, take: (id: number) => void): void {
  const end = Math.min(sequence.length, limit);
  for (let at = 0; at < end; at++) {
    const unit = sequence.charCodeAt(at);
    if (unit < 0x100) take(NO_TERM);
    else if (unit < 0xd800) take(unit - 0x100);
    else if (unit >= 0xe000) take(unit - 0x900);
    else take(((unit - 0xd7c0) << 10) + (sequence.charCodeAt(++at) - 0xdc00) - 0x900);
  }
}

/** The terms of many documents. */
export class InvertedIndex {
  readonly vocabulary: Vocabulary = new Vocabulary();
  /** The number of documents that were added. Each has an ordinal below that. */
  ordinals = 0;
  /** The sum of the lengths of these documents. */
  length = 0;
  /** The postings of all terms, in blocks of one term each. A block starts with the place of the term's posting before it. */
  #postings = new Uint32Array(2 ** 12);
  /** The end of the last block. The first block is empty, because place 0 means that there is no posting. */
  #end = BLOCK;
  #buffer = new Uint32Array(0);
  /** By id, the place of the latest posting of the term. */
  readonly #latest: number[] = [];
  /** By id, the number of postings of the term. */
  readonly #counts: number[] = [];
  /** By id, the weight and the fields of the term in the document that is being added. */
  #weights = new Uint32Array(2 ** 10);
  /** The sequence of that document. */
  #units = new Uint16Array(2 ** 10);

  /** Adds a document, some pieces a step. One document is added at a time. */
  *add(pieces: Iterable<Piece>): Generator<void, Indexed> {
    const ordinal = this.ordinals++, ids: number[] = [], lengths = { title: 0, name: 0 };
    let length = 0, units = 0, count = 0, body = 0, asides = 0;
    let field: IndexField = "body";
    const definitions: Definition[] = [];
    const take = (id: number, _start: number, _end: number, isDerived: boolean): void => {
      if (id === NO_TERM) return;
      if (id >= this.#weights.length) this.#weights = widened(this.#weights, id);
      const known = this.#weights[id]!;
      if (known === 0) ids.push(id);
      const weight = BOOST[field] * (isDerived ? DERIVED_WEIGHT : WEIGHT_UNIT);
      this.#weights[id] = (known + (weight << WEIGHT_SHIFT)) | FIELD_BITS[field];
      if (isDerived) return;
      const point = pointOf(id);
      if (point < 0x10000) this.#units[units++] = point;
      else {
        this.#units[units++] = 0xd7c0 + (point >>> 10);
        this.#units[units++] = 0xdc00 + (point & 0x3ff);
      }
      length += weight;
      if (field === "title" || field === "name") lengths[field]++;
    };
    try {
      for (const piece of pieces) {
        field = piece.field;
        // A term has two units at most.
        const most = units + 2 * piece.text.length + 1;
        if (most > this.#units.length) this.#units = widened(this.#units, most);
        if (!piece.continues) this.#units[units++] = GAP;
        if (field === "body") body += piece.text.length;
        if (piece.defines?.length) definitions.push(...piece.defines);
        if (piece.isAside) asides += piece.text.length;
        this.vocabulary.scan(piece.text, true, take);
        if (++count % STEP_PIECES === 0) yield;
      }
    } finally {
      for (const id of ids) {
        this.#addPosting(id, ordinal, this.#weights[id]!);
        this.#weights[id] = 0;
      }
    }
    this.length += length;
    const sequence = textOf(this.#units.subarray(0, units));
    const isAside = asides > body / 2;
    return {
      ordinal,
      length,
      titleLength: lengths.title,
      nameLength: lengths.name,
      isAside,
      sequence,
      definitions,
    };
  }

  #addPosting(id: number, ordinal: number, value: number): void {
    while (this.#latest.length <= id) {
      this.#latest.push(0);
      this.#counts.push(0);
    }
    const exact = value >>> WEIGHT_SHIFT;
    const weight = exact < EXACT_WEIGHTS
      ? exact
      : Math.min(MAX_WEIGHT, EXACT_WEIGHTS + Math.floor((exact - EXACT_WEIGHTS) / WEIGHT_STEP));
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
    this.#postings[place] = ordinal << ORDINAL_SHIFT | weight << WEIGHT_SHIFT | value & FIELD_MASK;
    this.#latest[id] = place;
    this.#counts[id]!++;
  }

  /** The postings of a term, the latest first. They are valid until the next call. */
  postings(id: number): Uint32Array {
    const count = this.count(id);
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
    return this.#counts[id] ?? 0;
  }
}

/** A copy that has at least a place more than `least`. */
function widened<A extends Uint16Array | Uint32Array>(array: A, least: number): A {
  const wider = new (array.constructor as new (length: number) => A)(Math.max(array.length, least + 1) * 2);
  wider.set(array);
  return wider;
}

/** Makes a string of UTF-16 units. */
function textOf(units: Uint16Array): string {
  const parts: string[] = [];
  for (let at = 0; at < units.length; at += MAX_ARGUMENTS) {
    const part = units.subarray(at, at + MAX_ARGUMENTS);
    parts.push(String.fromCharCode.apply(null, part as unknown as number[]));
  }
  return parts.join("");
}
