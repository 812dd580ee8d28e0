/** Ranks documents: BM25 over fields, expansions and other forms. */

import type { Indexed, InvertedIndex } from "./index.ts";
import type { Query, QueryTerm } from "./query.ts";
import type { Synonyms } from "./synonyms.ts";
import {
  BOOST,
  FIELD_MASK,
  ORDINAL_SHIFT,
  RANKED_FIELDS,
  sequencePattern,
  WEIGHT_UNIT,
  weightOf,
} from "./index.ts";
import { expand } from "./query.ts";
import { formPostings, SYNONYM_WEIGHT, synonymsIn, toSynonyms } from "./synonyms.ts";

/** k1 of BM25: the saturation of repeated terms. */
const K1 = 1.2;
/** b of BM25: the influence of the length of a document. */
const B = 0.7;
/** The exponent of IDF. It is above 1 because frequent words are not left out. */
export const IDF_EXPONENT = 1.25;
/** The weight of a match in each of `RANKED_FIELDS`, next to its frequency in the document. */
const FIELD_WEIGHTS = [1.25, 1.5, 0.25, 0.3];
const TITLE = 0;
/**
 * A term counts fully in these fields if its IDF is this much or more: a frequent word in a title is seldom what is asked. Longer queries
 * are texts, in which such words decide together.
 */
const QUESTION_IDF = 2.5;
const TEXT_IDF = 0.5;
/** The number of terms up to which a query is a question. */
const MAX_QUESTION = 24;
/** b of BM25 for the lengths of titles and names. */
const FIELD_B = 0.5;
/** Titles count fully if texts are this many times as long: in a collection of titles with few texts, they are the texts. */
const LONG_TEXTS = 20;
/** The factor for a page that mostly has links: what it links to is better. */
const ASIDE_BOOST = 0.5;
export interface Entry<D> extends Indexed {
  readonly document: D;
  readonly hasText: boolean;
  readonly boost: number;
}

/** The documents that are searched. Their index also has removed documents, and those of an unfinished update. */
export interface Snapshot<D = { readonly key: string }> {
  readonly index: InvertedIndex;
  readonly byKey: ReadonlyMap<string, Entry<D>>;
  readonly byOrdinal: readonly (Entry<D> | undefined)[];
  /** By ordinal, the divisor of frequencies in a document, which depends on its length; 0 for a removed document. */
  readonly lengthNorms: Float64Array;
  /** By ordinal, the same for a match in a title, and in a name. */
  readonly fieldNorms: readonly Float64Array[];
  /** How much titles count, from 0 to 1. */
  readonly titleShare: number;
  /** By ordinal, the factor for the score. */
  readonly boosts: Float64Array;
  readonly synonyms: Synonyms;
  readonly length: number;
  /** The documents as given; undefined when a text could not be read and must be tried again. */
  readonly source: readonly D[] | undefined;
}

export function toSnapshot<D extends { readonly key: string }>(
  index: InvertedIndex,
  entries: readonly Entry<D>[],
  source: readonly D[] | undefined,
): Snapshot<D> {
  const byKey = new Map(entries.map((entry) => [entry.document.key, entry]));
  const byOrdinal = new Array<Entry<D> | undefined>(index.ordinals);
  const boosts = new Float64Array(index.ordinals);
  for (const entry of entries) {
    byOrdinal[entry.ordinal] = entry;
    boosts[entry.ordinal] = entry.isAside ? entry.boost * ASIDE_BOOST : entry.boost;
  }
  const length = entries.reduce((sum, { length }) => sum + length, 0);
  const lengthNorms = normsOf(entries, index.ordinals, B, ({ length }) => length);
  const fieldNorms = [
    normsOf(entries, index.ordinals, FIELD_B, ({ titleLength }) => titleLength),
    normsOf(entries, index.ordinals, FIELD_B, ({ nameLength }) => nameLength),
  ];
  const titleLength = entries.reduce((sum, entry) => sum + entry.titleLength, 0);
  const titleShare = Math.min(1, length / (titleLength * BOOST.title * WEIGHT_UNIT * LONG_TEXTS || 1));
  const synonyms = toSynonyms(entries.flatMap(({ definitions }) => definitions));
  return { index, byOrdinal, lengthNorms, fieldNorms, titleShare, boosts, synonyms, byKey, length, source };
}

/** By ordinal, the length of a document or field as a multiple of the mean, with an influence of `b`. */
function normsOf(
  entries: readonly Indexed[],
  size: number,
  b: number,
  of: (entry: Indexed) => number,
): Float64Array {
  const norms = new Float64Array(size);
  const mean = entries.reduce((sum, entry) => sum + of(entry), 0) / entries.length || 1;
  for (const entry of entries) norms[entry.ordinal] = 1 - b + b * of(entry) / mean;
  return norms;
}

/**
 * Scores documents by ordinal; each term is one step. Adds up the fields of a document and the expansions of a term before
 * saturation (BM25F, https://doi.org/10.1145/1031171.1031181). Some fields count by themselves too, with an IDF of their own: a word
 * that is frequent in texts and rare in titles says much in a title. Sets the expansions and the IDF of the terms.
 */
export function* scoreTerms(snapshot: Snapshot, query: Query): Generator<void, Float64Array> {
  const { index, byOrdinal, lengthNorms, fieldNorms, titleShare, byKey } = snapshot;
  const { terms } = query;
  const forms = new Map<QueryTerm, Iterable<number>[]>();
  for (const { asked, ids } of query.synonyms = synonymsIn(query.words, snapshot.synonyms, index)) {
    const postings = formPostings(index, ids, (ordinal) => byOrdinal[ordinal]?.sequence);
    for (const term of asked) forms.set(term, [...forms.get(term) ?? [], postings]);
    yield;
  }
  const size = lengthNorms.length, isWhole = byKey.size === size;
  const fullIdf = terms.length > MAX_QUESTION ? TEXT_IDF : QUESTION_IDF;
  const scores = new Float64Array(size);
  const frequencies = new Float64Array(size);
  /** By field and ordinal, the weight of the best expansion. */
  const matches = RANKED_FIELDS.map(() => new Float64Array(size));
  const isLive = (id: number): boolean =>
    isWhole || index.postings(id).some((posting) => lengthNorms[posting >>> ORDINAL_SHIFT] !== 0);
  for (const [position, term] of terms.entries()) {
    term.expansions = yield* expand(term, position, index.vocabulary, isLive);
    const found: number[] = [], fieldCounts = RANKED_FIELDS.map(() => 0);
    let count = 0;
    const add = (postings: Iterable<number>, weight: number): void => {
      for (const posting of postings) {
        const ordinal = posting >>> ORDINAL_SHIFT;
        if (lengthNorms[ordinal] === 0) continue;
        if (frequencies[ordinal] === 0) found.push(ordinal);
        frequencies[ordinal]! += weight * weightOf(posting);
        for (let bits = posting & FIELD_MASK, field = 0; bits !== 0; bits >>>= 1, field++) {
          const match = matches[field]!, known = match[ordinal]!;
          if ((bits & 1) === 0 || weight <= known) continue;
          if (known === 0) fieldCounts[field]!++;
          match[ordinal] = weight;
        }
      }
    };
    for (const { id, kind, weight } of term.expansions) {
      add(index.postings(id), weight);
      // IDF counts the documents that have the term itself or a form of it, if there are any.
      if (kind === "exact" || kind === "form") count = found.length;
    }
    for (const postings of forms.get(term) ?? []) add(postings, SYNONYM_WEIGHT);
    const bodyIdf = idf(byKey.size, count || found.length);
    term.idf = term.count * bodyIdf ** IDF_EXPONENT;
    for (const ordinal of found) {
      scores[ordinal]! += term.idf * saturated(frequencies[ordinal]! / WEIGHT_UNIT / lengthNorms[ordinal]!);
      frequencies[ordinal] = 0;
    }
    for (const [field, count] of fieldCounts.entries()) {
      if (count === 0) continue;
      const match = matches[field]!, norms = fieldNorms[field];
      const share = field === TITLE ? titleShare : 1;
      const fieldIdf = idf(byKey.size, count) * Math.min(1, bodyIdf / fullIdf);
      const weight = share * FIELD_WEIGHTS[field]! * term.count * fieldIdf;
      for (const ordinal of found) {
        if (match[ordinal] !== 0) scores[ordinal]! += weight * match[ordinal]! / (norms?.[ordinal] ?? 1);
        match[ordinal] = 0;
      }
    }
    yield;
  }
  return scores;
}

/** Sets the score of each document that lacks a phrase to 0. Returns the phrases that no document has, or all if no document has all. */
export function* requirePhrases(
  { byOrdinal }: Snapshot,
  { phrases }: Query,
  scores: Float64Array,
): Generator<void, string[]> {
  const missing: string[] = [];
  const matching = scores.slice();
  for (const { text, terms } of phrases) {
    const words = terms.map(({ expansions }) => expansions.filter(({ kind }) => kind === "exact"));
    const pattern = sequencePattern(words.map((exact) => exact.map(({ id }) => id)));
    const holds = matching.map((score, at) => score && Number(pattern.test(byOrdinal[at]!.sequence)));
    if (!holds.includes(1)) missing.push(text);
    else holds.forEach((hasPhrase, ordinal) => scores[ordinal]! *= hasPhrase);
    yield;
  }
  const isApart = missing.length < phrases.length && scores.every((score) => score === 0);
  return isApart ? phrases.map(({ text }) => text) : missing;
}

/** The ordinals with the highest scores above 0, the best first. Equal ones are sorted by key. */
export function best({ byOrdinal }: Snapshot, scores: Float64Array, limit: number): number[] {
  const ordinals: number[] = [];
  for (let ordinal = 0; ordinal < scores.length; ordinal++) {
    const score = scores[ordinal]!;
    if (score === 0 || (ordinals.length === limit && score < scores[ordinals.at(-1)!]!)) continue;
    let place = ordinals.length;
    for (; place > 0; place--) {
      const other = ordinals[place - 1]!;
      const isBefore = byOrdinal[other]!.document.key < byOrdinal[ordinal]!.document.key;
      if (scores[other]! > score || (scores[other] === score && isBefore)) break;
    }
    if (place === limit) continue;
    ordinals.splice(place, 0, ordinal);
    if (ordinals.length > limit) ordinals.pop();
  }
  return ordinals;
}

export function idf(size: number, count: number): number {
  return Math.log(1 + (size - count + 0.5) / (count + 0.5));
}

export function saturated(frequency: number): number {
  return frequency * (K1 + 1) / (K1 + frequency);
}
