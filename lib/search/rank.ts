/** Ranks documents: BM25 over fields and expansions, then pairs of words and feedback from the best documents. */

import type { Indexed } from "./index.ts";
import type { Query, QueryTerm } from "./query.ts";
import { codeOf, idOf, InvertedIndex, WEIGHT_UNIT } from "./index.ts";
import { expand } from "./query.ts";
import { isDense } from "./tokenizer.ts";

/** BM25: how soon further occurrences of a term stop to count (k1), and how much the length of a document matters (b). */
const K1 = 1.5, B = 0.8;
/** The exponent of IDF: above 1, because there is no list of stop words. */
const IDF_EXPONENT = 1.25;
/** Pairs: how many of the best documents are read for them, how far apart words may stand, and what a pair counts. */
const PAIR_DOCUMENTS = 50, PAIR_DISTANCE = 4, PAIR_WEIGHT = 0.3;
/** What an inflected form counts in a pair. */
const PAIR_FORM_WEIGHT = 0.8;
/** Feedback: how many of the best documents are read, and how many of them must have a term. */
const FEEDBACK_DOCUMENTS = 10, MIN_FEEDBACK_DOCUMENTS = 3;
/** The most feedback terms, what the best one counts, and the largest share of all documents that may have it. */
const FEEDBACK_TERMS = 20, FEEDBACK_WEIGHT = 0.2, MAX_FEEDBACK_SHARE = 0.2;
/** Added to the length of a document, so that a short one does not count too much in feedback. */
const FEEDBACK_SMOOTHING = 50;
/** How much of a document is read for pairs and feedback, in UTF-16 units of its sequence. */
const MAX_SCANNED = 16 * 1024;

/** A document that can be ranked. */
export interface Ranked extends Indexed {
  readonly document: { readonly key: string };
}

/** The documents that are ranked; the index may have removed ones as well. */
export interface Collection<E extends Ranked = Ranked> {
  readonly index: InvertedIndex;
  readonly byOrdinal: readonly (E | undefined)[];
  /** How many documents there are. */
  readonly size: number;
  /** The sum of their lengths. */
  readonly length: number;
}

/**
 * Scores documents by ordinal, one term a step; 0 where no term matches. Sums up the fields of a document and the
 * expansions of a term before saturation (BM25F), and sets expansions and IDF of the query's terms.
 *
 * @see https://doi.org/10.1145/1031171.1031181
 */
export function* scoreTerms(collection: Collection, { terms }: Query): Generator<void, Float64Array> {
  const { index, byOrdinal, size } = collection;
  const scores = new Float64Array(byOrdinal.length);
  const frequencies = new Float64Array(byOrdinal.length);
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
    term.idf = term.count * idf(size, count || found.length) ** IDF_EXPONENT;
    for (const ordinal of found) {
      const frequency = frequencies[ordinal]! / WEIGHT_UNIT / lengthNorm(collection, ordinal);
      scores[ordinal]! += term.idf * saturated(frequency);
      frequencies[ordinal] = 0;
    }
    yield;
  }
  return scores;
}

/** Sets the scores of documents without a phrase to 0, one phrase a step. Returns the phrases that no document holds. */
export function* requirePhrases(
  { byOrdinal }: Collection,
  { phrases }: Query,
  scores: Float64Array,
): Generator<void, string[]> {
  const unheld: string[] = [];
  for (const { text, terms } of phrases) {
    const sets = terms.map(({ expansions }) =>
      expansions.filter(({ kind }) => kind === "exact").map(({ id }) => codeOf(id))
    );
    const pattern = new RegExp(sets.map((codes) => `[${String.fromCodePoint(...codes)}]`).join(""), "u");
    const without: number[] = [];
    let isHeld = false;
    for (let ordinal = 0; ordinal < scores.length; ordinal++) {
      if (scores[ordinal] === 0) continue;
      if (pattern.test(byOrdinal[ordinal]!.sequence)) isHeld = true;
      else without.push(ordinal);
    }
    if (!isHeld) unheld.push(text);
    else for (const ordinal of without) scores[ordinal] = 0;
    yield;
  }
  return unheld;
}

/**
 * Refines the scores of documents that match, one document or term a step. Words that are neighbours in the query count
 * more where they stand close to each other (as in BM25TP), and documents gain by terms that the best ones have in common
 * (pseudo-relevance feedback). In scripts without spaces a term is a pair of characters, and this adds nothing.
 *
 * @see https://doi.org/10.1007/3-540-36618-0_15 proximity
 * @see https://trec.nist.gov/pubs/trec13/papers/umass.novelty.hard.pdf feedback
 */
export function* refine(collection: Collection, { terms }: Query, scores: Float64Array): Generator<void> {
  if (terms.some(({ text }) => isDense(text))) return;
  const { index, byOrdinal, size } = collection;
  const pairs = pairScorer(terms);
  for (const ordinal of best(collection, scores, PAIR_DOCUMENTS)) {
    scores[ordinal]! += pairs(byOrdinal[ordinal]!.sequence, lengthNorm(collection, ordinal));
    yield;
  }
  const weights = new Map<number, { weight: number; documents: number }>();
  const sources = best(collection, scores, FEEDBACK_DOCUMENTS);
  const total = sources.reduce((sum, ordinal) => sum + scores[ordinal]!, 0);
  for (const ordinal of sources) {
    const counts = countTerms(byOrdinal[ordinal]!.sequence);
    const length = [...counts.values()].reduce((sum, count) => sum + count, 0);
    for (const [id, count] of counts) {
      const known = weights.get(id) ?? { weight: 0, documents: 0 };
      known.weight += scores[ordinal]! / total * count / (length + FEEDBACK_SMOOTHING);
      known.documents++;
      weights.set(id, known);
    }
    yield;
  }
  for (const { expansions } of terms) {
    for (const { id, kind } of expansions) if (kind === "exact" || kind === "form") weights.delete(id);
  }
  const found: { postings: [ordinal: number, weight: number][]; weight: number; rarity: number }[] = [];
  for (const [id, { weight, documents }] of weights) {
    if (documents < MIN_FEEDBACK_DOCUMENTS) continue;
    const postings: [number, number][] = [];
    const isFrequent = index.some(id, (ordinal, weight) => {
      if (byOrdinal[ordinal]) postings.push([ordinal, weight]);
      return postings.length > size * MAX_FEEDBACK_SHARE;
    });
    const rarity = idf(size, postings.length);
    if (!isFrequent) found.push({ postings, weight: weight * rarity, rarity });
    yield;
  }
  found.sort((one, other) => other.weight - one.weight);
  for (const { postings, weight, rarity } of found.slice(0, FEEDBACK_TERMS)) {
    const factor = FEEDBACK_WEIGHT * weight / found[0]!.weight * rarity ** IDF_EXPONENT;
    for (const [ordinal, postingWeight] of postings) {
      if (scores[ordinal] === 0) continue;
      scores[ordinal]! += factor * saturated(postingWeight / WEIGHT_UNIT / lengthNorm(collection, ordinal));
    }
    yield;
  }
}

/** The ordinals with the highest scores above 0, the best first, equal ones by key. */
export function best(
  { byOrdinal }: Collection,
  scores: Float64Array,
  limit: number,
): number[] {
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

function lengthNorm({ byOrdinal, length, size }: Collection, ordinal: number): number {
  return 1 - B + B * byOrdinal[ordinal]!.length / (length / size || 1);
}

/** Scores a sequence by the pairs of words in it. */
function pairScorer(terms: readonly QueryTerm[]): (sequence: string, lengthNorm: number) => number {
  const sought = new Map<number, { readonly place: number; readonly weight: number }>();
  for (const [place, { expansions }] of terms.entries()) {
    for (const { id, kind } of expansions) {
      if (kind === "exact") sought.set(codeOf(id), { place, weight: 1 });
      else if (kind === "form") sought.set(codeOf(id), { place, weight: PAIR_FORM_WEIGHT });
    }
  }
  return (sequence, lengthNorm) => {
    const frequencies = new Map<number, number>();
    let recent: { place: number; weight: number; at: number }[] = [];
    let at = 0;
    for (const code of codesOf(sequence)) {
      at++;
      if (code === 0) recent = [];
      const term = sought.get(code);
      if (!term) continue;
      recent = recent.filter((other) => other.at >= at - PAIR_DISTANCE);
      for (const other of recent) {
        if (Math.abs(other.place - term.place) !== 1) continue;
        const pair = Math.min(other.place, term.place);
        frequencies.set(pair, (frequencies.get(pair) ?? 0) + other.weight * term.weight);
      }
      recent.push({ ...term, at });
    }
    let score = 0;
    for (const [pair, frequency] of frequencies) {
      const rarity = Math.min(terms[pair]!.idf, terms[pair + 1]!.idf);
      score += PAIR_WEIGHT * rarity * saturated(frequency / lengthNorm);
    }
    return score;
  };
}

/** The terms of a sequence by id, with how often they occur. */
function countTerms(sequence: string): Map<number, number> {
  const counts = new Map<number, number>();
  for (const code of codesOf(sequence)) {
    if (code !== 0) counts.set(idOf(code), (counts.get(idOf(code)) ?? 0) + 1);
  }
  return counts;
}

function* codesOf(sequence: string): Generator<number> {
  const end = Math.min(sequence.length, MAX_SCANNED);
  for (let at = 0; at < end; at++) {
    const code = sequence.codePointAt(at)!;
    if (code > 0xffff) at++;
    yield code;
  }
}
