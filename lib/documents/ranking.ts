/**
 * Which documents answer best? Ranks them by BM25 over all fields together; a word and all that resembles it count as
 * one word.
 *
 * @see https://doi.org/10.1145/1031171.1031181 for why fields are weighed before words are counted, and not after
 */

import type { Answer } from "./resemblance.ts";
import type { Query } from "./search_query.ts";
import type { Entry, WordIndex } from "./word_index.ts";
import { WEIGHT_UNIT } from "./word_index.ts";
import { toPhrase } from "./word_order.ts";

/** How soon more of the same word stops to count: the higher, the later. */
const SATURATION = 1.5;
/** How much more a longer document has to say, from 0 (nothing) to 1 (in proportion). */
const LENGTH_SHARE = 0.8;
/** How much more rare words count than frequent ones: without a list of words that say nothing, more than usual. */
const EMPHASIS = 1.25;

/** What is searched: some of the documents of an index. */
export interface Searched {
  readonly index: WordIndex;
  /** The documents that are there, by ordinal; others of the index are not. */
  readonly entries: readonly (Entry | undefined)[];
  /** How many documents are there. */
  readonly count: number;
  /** How much the words of all of them weigh together. */
  readonly length: number;
}

/** How well everything answers a query. */
export interface Scores {
  /** Of each document, by ordinal; 0 when it answers no word of the query or does not hold all of its phrases. */
  readonly documents: Float64Array;
  /** How much each word of the query says: the rarer it is on the shelf, and the more often it is said, the more. */
  readonly words: ReadonlyMap<string, number>;
}

/** Scores all documents, one word or phrase a step. */
export function* score(
  searched: Searched,
  query: Query,
  answers: ReadonlyMap<string, readonly Answer[]>,
): Generator<void, Scores> {
  const words = new Map<string, number>();
  const scores = new Float64Array(searched.entries.length);
  const amounts = new Float64Array(searched.entries.length);
  const mean = searched.length / searched.count / WEIGHT_UNIT || 1;
  for (const { word, count } of query.words) {
    const { found, frequency } = gather(searched, answers.get(word) ?? [], amounts);
    const rarity = Math.log(1 + (searched.count - frequency + 0.5) / (frequency + 0.5)) ** EMPHASIS;
    words.set(word, count * rarity);
    for (const ordinal of found) {
      const share = searched.entries[ordinal]!.length / WEIGHT_UNIT / mean;
      const amount = amounts[ordinal]! / WEIGHT_UNIT / (1 - LENGTH_SHARE + LENGTH_SHARE * share);
      scores[ordinal]! += count * rarity * amount * (SATURATION + 1) / (SATURATION + amount);
      amounts[ordinal] = 0;
    }
    yield;
  }
  for (const phrase of query.phrases) {
    const ids = phrase.map((word) => (answers.get(word) ?? []).map(({ id }) => id));
    keepHolders(searched, ids, scores);
    yield;
  }
  return { documents: scores, words };
}

/**
 * Finds the documents with any answer to a word.
 *
 * @param amounts Where the weight of the word in each document is summed up, by ordinal.
 * @returns The ordinals, and the count of those with the word itself or a form of it, which says how rare it is.
 */
function gather(
  { index: { postings }, entries }: Searched,
  answers: readonly Answer[],
  amounts: Float64Array,
): { found: number[]; frequency: number } {
  const found: number[] = [];
  let frequency = 0;
  for (const { id, weight, resemblance } of answers) {
    for (let place = postings.latest(id); place !== 0; place = postings.before(place)) {
      const ordinal = postings.ordinal(place);
      if (!entries[ordinal]) continue;
      if (amounts[ordinal] === 0) found.push(ordinal);
      amounts[ordinal]! += weight * postings.weight(place);
    }
    if (resemblance === "same" || resemblance === "form") frequency = found.length;
  }
  return { found, frequency: frequency || found.length };
}

/** Takes the score from all documents that do not hold a phrase, given as the numbers that each word may have. */
function keepHolders(
  { index: { postings, order }, entries }: Searched,
  phrase: readonly (readonly number[])[],
  scores: Float64Array,
): void {
  // How many words of the phrase, from its first on, a document has in any order.
  const has = new Uint8Array(scores.length);
  for (const [before, ids] of phrase.entries()) {
    for (const id of ids) {
      for (let place = postings.latest(id); place !== 0; place = postings.before(place)) {
        const ordinal = postings.ordinal(place);
        if (has[ordinal] === before) has[ordinal] = before + 1;
      }
    }
  }
  const ordered = toPhrase(phrase);
  for (const [ordinal, entry] of entries.entries()) {
    const holds = entry && has[ordinal] === phrase.length && order.has(ordered, entry.from, entry.to);
    if (!holds) scores[ordinal] = 0;
  }
}
