/** Ranks documents: BM25 over fields and expansions, then pairs of words and feedback from the best documents. */

import type { Indexed, InvertedIndex } from "./index.ts";
import type { MatchKind, Query, QueryTerm } from "./query.ts";
import { codeOf, idOf, MAX_WEIGHT, WEIGHT_BITS, WEIGHT_UNIT } from "./index.ts";
import { expand } from "./query.ts";
import { isDense } from "./tokenizer.ts";

/** k1 of BM25: the saturation of repeated terms. */
const K1 = 1.5;
/** b of BM25: the influence of the length of a document. */
const B = 0.8;
/** The exponent of IDF. It is above 1 because there is no list of stop words. */
const IDF_EXPONENT = 1.25;
/** The number of the best documents that are searched for pairs of words. */
const PAIR_DOCUMENTS = 30;
/** The maximum number of pairs. */
const MAX_PAIRS = 12;
/** The pattern of the terms between the words of a pair. */
const BETWEEN_PAIR = "[^\\0]{0,3}";
/** The weight of a pair. */
const PAIR_WEIGHT = 0.3;
/** The number of the best documents that are read for feedback. */
const FEEDBACK_DOCUMENTS = 10;
/** The number of them that must have a feedback term. */
const MIN_FEEDBACK_DOCUMENTS = 3;
/** The maximum number of feedback terms. */
const FEEDBACK_TERMS = 12;
/** The weight of the best feedback term. */
const FEEDBACK_WEIGHT = 0.2;
/** The maximum share of all documents that may have a feedback term. */
const MAX_FEEDBACK_SHARE = 0.2;
/** The maximum weight of a feedback term, as a multiple of the IDF of the rarest term. */
const MAX_FEEDBACK_IDF = 2;
/** The number that is added to the length of a document for feedback. */
const FEEDBACK_SMOOTHING = 50;
/** How much of a document is read for pairs and feedback, in UTF-16 units of its sequence. */
const MAX_SCANNED = 16 * 1024;

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
  const lengthNorms = new Float64Array(index.ordinals);
  const length = entries.reduce((sum, { length }) => sum + length, 0);
  for (const entry of entries) {
    byOrdinal[entry.ordinal] = entry;
    lengthNorms[entry.ordinal] = 1 - B + B * entry.length / (length / entries.length || 1);
  }
  return { index, byOrdinal, lengthNorms, byKey, length, source };
}

/**
 * Scores documents by ordinal; each term is one step. Adds up the fields of a document and the expansions of a term before
 * saturation (BM25F, https://doi.org/10.1145/1031171.1031181). Sets the expansions and the IDF of the terms.
 */
export function* scoreTerms(snapshot: Snapshot, { terms }: Query): Generator<void, Float64Array> {
  const { index, lengthNorms, byKey } = snapshot;
  const scores = new Float64Array(lengthNorms.length);
  const frequencies = new Float64Array(lengthNorms.length);
  const isLive = (id: number): boolean =>
    index.postings(id).some((posting) => lengthNorms[posting >>> WEIGHT_BITS] !== 0);
  for (const [position, term] of terms.entries()) {
    term.expansions = yield* expand(term, position, index, isLive);
    const found: number[] = [];
    let count = 0;
    for (const { id, kind, weight } of term.expansions) {
      for (const posting of index.postings(id)) {
        const ordinal = posting >>> WEIGHT_BITS;
        if (lengthNorms[ordinal] === 0) continue;
        if (frequencies[ordinal] === 0) found.push(ordinal);
        frequencies[ordinal]! += weight * (posting & MAX_WEIGHT);
      }
      // IDF counts the documents that have the term itself or a form of it, if there are any.
      if (kind === "exact" || kind === "form") count = found.length;
    }
    term.idf = term.count * idf(byKey.size, count || found.length) ** IDF_EXPONENT;
    for (const ordinal of found) {
      const frequency = frequencies[ordinal]! / WEIGHT_UNIT / lengthNorms[ordinal]!;
      scores[ordinal]! += term.idf * saturated(frequency);
      frequencies[ordinal] = 0;
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
    const pattern = new RegExp(terms.map((term) => anyOf(term, "exact")).join(""), "u");
    const holds = matching.map((score, at) => score && Number(pattern.test(byOrdinal[at]!.sequence)));
    if (!holds.includes(1)) missing.push(text);
    else holds.forEach((hasPhrase, ordinal) => scores[ordinal]! *= hasPhrase);
    yield;
  }
  const isApart = missing.length < phrases.length && scores.every((score) => score === 0);
  return isApart ? phrases.map(({ text }) => text) : missing;
}

/**
 * Refines the scores of documents that match; each document or term is one step. Words that are neighbours in the query count more
 * when they are close to each other in a document, in any order. Documents gain from terms that the best ones share
 * (pseudo-relevance feedback). In scripts without spaces, a term is a pair of characters, and this adds nothing.
 *
 * @see https://doi.org/10.1145/1076034.1076115 word pairs, in the sequential dependence model
 * @see https://trec.nist.gov/pubs/trec13/papers/umass.novelty.hard.pdf feedback
 */
export function* refine(snapshot: Snapshot, { terms, words }: Query, scores: Float64Array): Generator<void> {
  if (terms.some(({ text }) => isDense(text))) return;
  const { index, byOrdinal, lengthNorms } = snapshot;
  const sequenceOf = (ordinal: number): string => byOrdinal[ordinal]!.sequence.slice(0, MAX_SCANNED);
  const ordinals = best(snapshot, scores, PAIR_DOCUMENTS);
  for (const [position, term] of terms.slice(0, MAX_PAIRS).entries()) {
    const next = terms[position + 1];
    if (!next) break;
    const one = anyOf(term, "exact", "form"), other = anyOf(next, "exact", "form");
    const pattern = new RegExp(`${one}${BETWEEN_PAIR}${other}|${other}${BETWEEN_PAIR}${one}`, "gu");
    for (const ordinal of ordinals) {
      const frequency = (sequenceOf(ordinal).match(pattern)?.length ?? 0) / lengthNorms[ordinal]!;
      scores[ordinal]! += PAIR_WEIGHT * Math.min(term.idf, next.idf) * saturated(frequency);
    }
    yield;
  }
  const weights = new Map<string, { weight: number; documents: number }>();
  const sources = ordinals.sort((one, other) => scores[other]! - scores[one]!).slice(0, FEEDBACK_DOCUMENTS);
  for (const ordinal of sources) {
    const sequence = sequenceOf(ordinal);
    const counts = new Map<string, number>();
    for (const code of sequence) counts.set(code, (counts.get(code) ?? 0) + 1);
    for (const [code, count] of counts) {
      let known = weights.get(code);
      if (!known) weights.set(code, known = { weight: 0, documents: 0 });
      known.weight += scores[ordinal]! * count / (sequence.length + FEEDBACK_SMOOTHING);
      known.documents++;
    }
    yield;
  }
  const own = new RegExp(terms.map((term) => anyOf(term, "exact", "form")).join("|") + "|\0", "u");
  const found: { id: number; weight: number; termIdf: number }[] = [];
  for (const [code, { weight, documents }] of weights) {
    if (documents < MIN_FEEDBACK_DOCUMENTS || own.test(code)) continue;
    const id = idOf(code), count = index.count(id);
    const termIdf = idf(index.ordinals, count);
    if (count <= index.ordinals * MAX_FEEDBACK_SHARE) found.push({ id, weight: weight * termIdf, termIdf });
  }
  found.sort((one, other) => other.weight - one.weight);
  // In a query of frequent words, feedback must not count more than the words.
  const rarest = terms.reduce((most, term) => Math.max(most, term.idf), 0);
  for (const { id, weight, termIdf } of found.slice(0, FEEDBACK_TERMS)) {
    const factor = FEEDBACK_WEIGHT * weight / found[0]!.weight *
      Math.min(termIdf ** IDF_EXPONENT, MAX_FEEDBACK_IDF * rarest);
    for (const posting of index.postings(id)) {
      const ordinal = posting >>> WEIGHT_BITS;
      if (scores[ordinal] === 0) continue;
      const frequency = (posting & MAX_WEIGHT) / WEIGHT_UNIT / lengthNorms[ordinal]!;
      scores[ordinal]! += factor * saturated(frequency);
    }
    yield;
  }
  raiseTitles(snapshot, words, scores);
}

/** Raises the documents whose title is the query to the top. A title may begin with a number. */
function raiseTitles(
  { index, byOrdinal }: Snapshot,
  words: readonly QueryTerm[],
  scores: Float64Array,
): void {
  const ids = words.flatMap(({ expansions }) => expansions.find(({ kind }) => kind === "exact")?.id ?? []);
  if (ids.length === 0 || ids.length < words.length) return;
  const rarest = ids.reduce((one, other) => index.count(other) < index.count(one) ? other : one);
  const title = ids.map(codeOf).join("");
  const pattern = new RegExp(`^\0?[^\0]{0,2}${title}\0`, "u");
  const highest = scores.reduce((most, score) => Math.max(most, score), 0);
  for (const posting of index.postings(rarest)) {
    const ordinal = posting >>> WEIGHT_BITS;
    if (scores[ordinal]! > 0 && pattern.test(byOrdinal[ordinal]!.sequence)) scores[ordinal]! += highest;
  }
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

function idf(size: number, count: number): number {
  return Math.log(1 + (size - count + 0.5) / (count + 0.5));
}

function saturated(frequency: number): number {
  return frequency * (K1 + 1) / (K1 + frequency);
}

/** A pattern for a term in a sequence, by its expansions of some kinds. */
function anyOf({ expansions }: QueryTerm, ...kinds: MatchKind[]): string {
  const codes = expansions.filter(({ kind }) => kinds.includes(kind)).map(({ id }) => codeOf(id));
  return `[${codes.join("")}]`;
}
