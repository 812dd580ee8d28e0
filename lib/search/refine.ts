/** Refines the scores of documents by pairs of words, and by feedback from the best documents. */

import type { Query } from "./query.ts";
import type { Snapshot } from "./rank.ts";
import { eachTerm, ORDINAL_SHIFT, WEIGHT_UNIT, weightOf } from "./index.ts";
import { best, idf, IDF_EXPONENT, saturated } from "./rank.ts";
import { isDense } from "./tokenizer.ts";

/** The number of the best documents that are searched for pairs of words. */
const PAIR_DOCUMENTS = 30;
/** The maximum number of pairs. */
const MAX_PAIRS = 12;
/** The maximum distance of the words of a pair. */
const PAIR_DISTANCE = 4;
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

/**
 * Refines the scores of documents that match; each document or term is one step. Words that are neighbours in the query count more
 * when they are close to each other in a document, in any order. Documents gain from terms that the best ones share
 * (pseudo-relevance feedback). In scripts without spaces, a term is a pair of characters, and this adds nothing.
 *
 * @see https://doi.org/10.1145/1076034.1076115 word pairs, in the sequential dependence model
 * @see https://trec.nist.gov/pubs/trec13/papers/umass.novelty.hard.pdf feedback
 */
export function* refine(snapshot: Snapshot, { terms }: Query, scores: Float64Array): Generator<void> {
  if (terms.some(({ text }) => isDense(text))) return;
  const { index, byOrdinal, lengthNorms } = snapshot;
  const size = index.vocabulary.size;
  /** By id, the position of the term in the query, from 1. */
  const positions = new Uint16Array(size);
  for (const [position, { expansions }] of terms.entries()) {
    for (const { id, kind } of expansions) {
      if (kind === "exact" || kind === "form") positions[id] ||= position + 1;
    }
  }
  const ordinals = best(snapshot, scores, PAIR_DOCUMENTS);
  const pairs = Math.min(terms.length - 1, MAX_PAIRS);
  for (const ordinal of pairs > 0 ? ordinals : []) {
    const counts = new Uint16Array(pairs), latest = new Int32Array(terms.length + 2).fill(-PAIR_DISTANCE - 1);
    let at = 0;
    eachTerm(byOrdinal[ordinal]!.sequence, MAX_SCANNED, (id) => {
      at++;
      if (id < 0) at += PAIR_DISTANCE;
      const position = id < 0 ? 0 : positions[id]!;
      if (position === 0) return;
      if (position <= pairs && at - latest[position + 1]! <= PAIR_DISTANCE) counts[position - 1]!++;
      if (position > 1 && position <= pairs + 1 && at - latest[position - 1]! <= PAIR_DISTANCE) {
        counts[position - 2]!++;
      }
      latest[position] = at;
    });
    for (let pair = 0; pair < pairs; pair++) {
      const rarer = Math.min(terms[pair]!.idf, terms[pair + 1]!.idf);
      scores[ordinal]! += PAIR_WEIGHT * rarer * saturated(counts[pair]! / lengthNorms[ordinal]!);
    }
    yield;
  }
  const weights = new Float64Array(size), documents = new Uint8Array(size), seen: number[] = [];
  const counts = new Uint16Array(size);
  const sources = ordinals.sort((one, other) => scores[other]! - scores[one]!).slice(0, FEEDBACK_DOCUMENTS);
  for (const ordinal of sources) {
    const { sequence } = byOrdinal[ordinal]!, ids: number[] = [];
    eachTerm(sequence, MAX_SCANNED, (id) => {
      if (id >= 0 && positions[id] === 0 && counts[id]!++ === 0) ids.push(id);
    });
    const length = Math.min(sequence.length, MAX_SCANNED) + FEEDBACK_SMOOTHING;
    for (const id of ids) {
      weights[id]! += scores[ordinal]! * counts[id]! / length;
      if (++documents[id]! === MIN_FEEDBACK_DOCUMENTS) seen.push(id);
      counts[id] = 0;
    }
    yield;
  }
  const found: { id: number; weight: number; termIdf: number }[] = [];
  for (const id of seen) {
    const count = index.count(id), termIdf = idf(index.ordinals, count);
    if (count <= index.ordinals * MAX_FEEDBACK_SHARE) {
      found.push({ id, weight: weights[id]! * termIdf, termIdf });
    }
  }
  found.sort((one, other) => other.weight - one.weight);
  // In a query of frequent words, feedback must not count more than the words.
  const rarest = terms.reduce((most, term) => Math.max(most, term.idf), 0);
  for (const { id, weight, termIdf } of found.slice(0, FEEDBACK_TERMS)) {
    const factor = FEEDBACK_WEIGHT * weight / found[0]!.weight *
      Math.min(termIdf ** IDF_EXPONENT, MAX_FEEDBACK_IDF * rarest);
    for (const posting of index.postings(id)) {
      const ordinal = posting >>> ORDINAL_SHIFT;
      if (scores[ordinal] === 0) continue;
      scores[ordinal]! += factor * saturated(weightOf(posting) / WEIGHT_UNIT / lengthNorms[ordinal]!);
    }
    yield;
  }
}
