/** Full-text search over documents that change: keeps an index up to date, and ranks by BM25. */

import type { Indexed, Piece } from "./index.ts";
import type { Query } from "./query.ts";
import type { Passage } from "./snippet.ts";
import { inSlices } from "../base/async.ts";
import { codeOf, InvertedIndex, MAX_ORDINALS, WEIGHT_UNIT } from "./index.ts";
import { expand, parseQuery } from "./query.ts";
import { findPassage, soughtTerms } from "./snippet.ts";

/** The most text that is indexed, in bytes. Of the documents beyond it only the metadata is indexed. */
const MAX_INDEXED_BYTES = 64 * 1024 * 1024;
/** How much of a document is indexed, in UTF-16 units: about a hundred pages. */
const MAX_DOCUMENT_UNITS = 256 * 1024;
/** How many hits there are by default. */
export const DEFAULT_LIMIT = 10;
/** The most hits: each one is read again for its snippet. */
export const MAX_LIMIT = 100;
/** The index is rebuilt when so much of it belongs to removed documents, in weights of terms, and more than half. */
const MIN_REMOVED = 200_000;

/** BM25: how soon further occurrences of a term stop to count (k1), and how much the length of a document matters (b). */
const K1 = 1.5, B = 0.8;
/** The exponent of IDF: above 1, because there is no list of stop words. */
const IDF_EXPONENT = 1.25;

/** A version of a document. */
export interface Indexable {
  /** Unique among the documents. */
  readonly key: string;
  /** Differs for a different text. */
  readonly fingerprint: number;
  /** One line, shown when only metadata matches. */
  readonly description?: string | undefined;
}

/** Gives the index access to documents. */
export interface SearchSource<D extends Indexable> {
  /** The size of the text in bytes. */
  size(document: D): number;
  /** The text; undefined when it cannot be read. */
  text(document: D): string | undefined;
  /** The metadata and the lines of a document; without a text, only the metadata. */
  pieces(document: D, text: string | undefined): Iterable<Piece>;
  /** A factor for the score. */
  boost(document: D): number;
  /** Removes markup from text for a snippet. */
  plain(markup: string): string;
}

/** Restricts a search. */
export interface SearchOptions<D> {
  /** Only documents for which this is true. @default {all} */
  readonly filter?: ((document: D) => boolean) | undefined;
  /** The greatest number of hits, from 0 to `MAX_LIMIT`. @default {10} */
  readonly limit?: number | undefined;
}

/** A document that matches a query. */
export interface Hit<D> extends Passage {
  /** As it was given to the last update. */
  readonly document: D;
  /** Comparable within one search only. */
  readonly score: number;
}

/** The result of a search. */
export interface SearchResult<D> {
  /** The best first, equal ones by key. */
  readonly hits: readonly Hit<D>[];
  /** How many documents match. */
  readonly total: number;
}

/** A document in the index. */
interface Entry<D> extends Indexed {
  readonly document: D;
  readonly hasText: boolean;
}

/** The searchable documents. The index also has removed ones, and those of an update that is not finished. */
interface Snapshot<D> {
  readonly index: InvertedIndex;
  readonly byOrdinal: readonly (Entry<D> | undefined)[];
  readonly byKey: ReadonlyMap<string, Entry<D>>;
  /** The sum of the lengths of the documents. */
  readonly length: number;
  /** The documents as they were given; undefined when a text could not be read and has to be tried again. */
  readonly source: readonly D[] | undefined;
}

/** A full-text index of documents that change. */
export class SearchIndex<D extends Indexable> {
  readonly #source: SearchSource<D>;
  #snapshot: Snapshot<D> = toSnapshot(new InvertedIndex(), [], undefined);
  #latest: readonly D[] = [];
  #updating: Promise<void> = Promise.resolve();

  /** Makes an empty index. */
  constructor(source: SearchSource<D>) {
    this.#source = source;
  }

  /** The documents of which only the metadata is indexed: their text cannot be read, or is beyond the limit. */
  get withoutText(): readonly D[] {
    const entries = [...this.#snapshot.byKey.values()];
    return entries.filter(({ hasText }) => !hasText).map(({ document }) => document);
  }

  /**
   * Brings the index up to date, in slices. Reads documents that are new or changed; the same array again costs nothing.
   * A search meanwhile uses the previous state. Of several updates that wait, only the latest is done.
   *
   * @throws Whatever reading a text throws; then the previous state remains.
   */
  update(documents: readonly D[]): Promise<void> {
    this.#latest = documents;
    const run = (): Promise<void> => inSlices(this.#update(this.#latest));
    return this.#updating = this.#updating.then(run, run);
  }

  *#update(documents: readonly D[]): Generator<void, void> {
    const { source, index: current, length, byKey } = this.#snapshot;
    if (documents === source) return;
    const removed = current.length - length;
    const isWorn = removed > Math.max(MIN_REMOVED, length) || current.ordinals > MAX_ORDINALS / 2;
    const index = isWorn ? new InvertedIndex() : current;
    const entries: Entry<D>[] = [];
    let left = MAX_INDEXED_BYTES;
    let isComplete = true;
    for (const document of documents) {
      const bytes = Math.min(this.#source.size(document), MAX_DOCUMENT_UNITS);
      const fits = bytes <= left;
      if (fits) left -= bytes;
      const known = isWorn ? undefined : byKey.get(document.key);
      if (known?.document.fingerprint === document.fingerprint && known.hasText === fits) {
        entries.push({ ...known, document });
      } else {
        const text = fits ? this.#source.text(document) : undefined;
        const indexed = yield* index.add(this.#pieces(document, text));
        entries.push({ document, hasText: text !== undefined, ...indexed });
        if (fits && text === undefined) isComplete = false;
      }
      yield;
    }
    this.#snapshot = toSnapshot(index, entries, isComplete ? documents : undefined);
  }

  #pieces(document: D, text: string | undefined): Iterable<Piece> {
    return this.#source.pieces(document, text?.slice(0, MAX_DOCUMENT_UNITS));
  }

  /**
   * Finds the documents that contain any term of a query, and all phrases that it has in double quotes, in slices.
   *
   * @throws {RangeError} When the limit is not a whole number from 0 to `MAX_LIMIT`.
   */
  search(query: string, options: SearchOptions<D> = {}): Promise<SearchResult<D>> {
    return inSlices(this.#search(this.#snapshot, parseQuery(query), options));
  }

  *#search(
    snapshot: Snapshot<D>,
    query: Query,
    { filter, limit = DEFAULT_LIMIT }: SearchOptions<D>,
  ): Generator<void, SearchResult<D>> {
    if (!Number.isInteger(limit) || limit < 0 || limit > MAX_LIMIT) {
      throw new RangeError(`Cannot search for ${limit} hits: use a whole number from 0 to ${MAX_LIMIT}`);
    }
    const scores = yield* rank(snapshot, query);
    const best: { document: D; score: number }[] = [];
    let total = 0;
    for (const [ordinal, entry] of snapshot.byOrdinal.entries()) {
      if (!entry || scores[ordinal] === 0 || filter?.(entry.document) === false) continue;
      total++;
      const { document } = entry;
      const score = scores[ordinal]! * this.#source.boost(document);
      let place = best.length;
      for (; place > 0; place--) {
        const other = best[place - 1]!;
        if (other.score > score || (other.score === score && other.document.key < document.key)) break;
      }
      if (place < limit) best.splice(place, 0, { document, score });
      if (best.length > limit) best.pop();
    }
    const sought = soughtTerms(query);
    const hits: Hit<D>[] = [];
    for (const { document, score } of best) {
      yield;
      const pieces = this.#pieces(document, this.#source.text(document));
      const passage = findPassage(pieces, document.description, query, sought, this.#source.plain);
      hits.push({ document, score, ...passage });
    }
    return { hits, total };
  }
}

function toSnapshot<D extends Indexable>(
  index: InvertedIndex,
  entries: readonly Entry<D>[],
  source: readonly D[] | undefined,
): Snapshot<D> {
  const byOrdinal: (Entry<D> | undefined)[] = new Array(index.ordinals).fill(undefined);
  for (const entry of entries) byOrdinal[entry.ordinal] = entry;
  const byKey = new Map(entries.map((entry) => [entry.document.key, entry]));
  return { index, byOrdinal, byKey, length: entries.reduce((sum, { length }) => sum + length, 0), source };
}

/**
 * Scores documents by ordinal, one term or phrase a step; 0 where no term or not every phrase matches. Sums up the fields
 * of a document and the expansions of a term before saturation (BM25F), and sets expansions and IDF of the query's terms.
 *
 * @see https://doi.org/10.1145/1031171.1031181
 */
function* rank(
  { index, byOrdinal, byKey, length }: Snapshot<unknown>,
  { terms, phrases }: Query,
): Generator<void, Float64Array> {
  const scores = new Float64Array(byOrdinal.length);
  const frequencies = new Float64Array(byOrdinal.length);
  const meanLength = length / byKey.size || 1;
  const isLive = (id: number): boolean => index.some(id, (ordinal) => byOrdinal[ordinal] !== undefined);
  for (const [position, term] of terms.entries()) {
    term.expansions = expand(term, position, index, isLive);
    const found: number[] = [];
    let count = 0;
    for (const { id, kind, weight } of term.expansions) {
      index.some(id, (ordinal, postingWeight) => {
        if (!byOrdinal[ordinal]) return false;
        if (frequencies[ordinal] === 0) found.push(ordinal);
        frequencies[ordinal]! += weight * postingWeight;
        return false;
      });
      // IDF counts the documents with the term itself or a form of it, if there are any.
      if (kind === "exact" || kind === "form") count = found.length;
    }
    count ||= found.length;
    term.idf = term.count * Math.log(1 + (byKey.size - count + 0.5) / (count + 0.5)) ** IDF_EXPONENT;
    for (const ordinal of found) {
      const relativeLength = byOrdinal[ordinal]!.length / meanLength;
      const frequency = frequencies[ordinal]! / WEIGHT_UNIT / (1 - B + B * relativeLength);
      scores[ordinal]! += term.idf * frequency * (K1 + 1) / (K1 + frequency);
      frequencies[ordinal] = 0;
    }
    yield;
  }
  for (const phrase of phrases) {
    const sets = phrase.map(({ expansions }) => expansions.map(({ id }) => codeOf(id)));
    const pattern = new RegExp(sets.map((codes) => `[${String.fromCodePoint(...codes)}]`).join(""), "u");
    for (let ordinal = 0; ordinal < scores.length; ordinal++) {
      if (scores[ordinal] !== 0 && !pattern.test(byOrdinal[ordinal]!.sequence)) scores[ordinal] = 0;
    }
    yield;
  }
  return scores;
}
