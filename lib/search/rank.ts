/** Ranks documents: BM25 over fields and expansions, then pairs of words and feedback from the best documents. */

import type { Indexed, InvertedIndex } from "./index.ts";
import type { MatchKind, Query, QueryTerm } from "./query.ts";
import type { Synonyms } from "./synonyms.ts";
import type { Vocabulary } from "./vocabulary.ts";
import {
  BOOST,
  codeOf,
  eachTerm,
  FIELD_MASK,
  ORDINAL_SHIFT,
  RANKED_FIELDS,
  WEIGHT_UNIT,
  weightOf,
} from "./index.ts";
import { expand, SERIES } from "./query.ts";
import { formPostings, SYNONYM_WEIGHT, synonymsIn, toSynonyms } from "./synonyms.ts";
import { isDense } from "./tokenizer.ts";

/** k1 of BM25: the saturation of repeated terms. */
const K1 = 1.2;
/** b of BM25: the influence of the length of a document. */
const B = 0.7;
/** The exponent of IDF. It is above 1 because frequent words are not left out. */
const IDF_EXPONENT = 1.25;
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
/** The factor for a page that mostly has links: what it links to is better. */
const ASIDE_BOOST = 0.5;
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
  raiseNamed(snapshot, words, scores);
}

/** The maximum number of words of a query that names a document. */
const MAX_NAMING = 24;
/** Words at the end of the path of a file that are not part of its name. */
const FILE_WORDS: ReadonlySet<string> = new Set(["md", "readme"]);
/** How much of the sequence of a document is searched for its series and number: "* Proposal: SE-0001". */
const MAX_OPENING = 2048;
/** How much a document gains whose number a query names among other words, as a share of the highest score. */
const CITED_SHARE = 0.5;

/** Raises the documents whose title, file name or number is the query to the top, and less those whose number it names. */
function raiseNamed({ index, byOrdinal }: Snapshot, all: readonly QueryTerm[], scores: Float64Array): void {
  const words = all.map(({ text }) => text);
  while (words.length > 1 && FILE_WORDS.has(words.at(-1)!)) words.pop();
  if (words.length === 0 || words.length > MAX_NAMING) return;
  const highest = scores.reduce((most, score) => Math.max(most, score), 0);
  const raise = (id: number, share: number, isNamed: (sequence: string) => boolean): void => {
    for (const posting of index.postings(id)) {
      const ordinal = posting >>> ORDINAL_SHIFT;
      if (scores[ordinal]! > 0 && isNamed(byOrdinal[ordinal]!.sequence)) scores[ordinal]! += share * highest;
    }
  };
  const { vocabulary } = index;
  const ids = words.flatMap((word) => vocabulary.id(word) ?? []);
  if (ids.length === words.length) {
    const rarest = ids.reduce((one, other) => index.count(other) < index.count(one) ? other : one);
    // A title or a file name may begin with a number, and the name of a file with its folders.
    const before = ids.length > 1 ? "*" : "{0,2}", code = ids.map(codeOf).join("");
    const pattern = new RegExp(`^\0(?:[^\0]{0,2}|[^\0]*\0[^\0]${before})${code}\0`, "u");
    raise(rarest, 1, (sequence) => pattern.test(sequence));
  }
  for (const [at, word] of words.entries()) {
    const [, letters = "", digits] = /^(\p{L}*?)0*(\d+)$/u.exec(word) ?? [];
    const series = letters || (words[at - 1] ?? ""), number = vocabulary.id(digits ?? "");
    if (number === undefined || (series === "" && words.length > 1)) continue;
    const isAll = words.every((word) => word === series || /\d$/.test(word) || SERIES.has(word));
    const opening = codeOf(vocabulary.id(series) ?? number) + codeOf(number);
    raise(number, isAll ? 1 : CITED_SHARE, (sequence) => {
      const isOf = series === "" || SERIES.has(series) || sequence.slice(0, MAX_OPENING).includes(opening);
      return isOf && ownNumber(sequence, vocabulary) === number;
    });
  }
}

/** The id of the first number in the name of a document. */
function ownNumber(sequence: string, vocabulary: Vocabulary): number | undefined {
  let gaps = 0, found: number | undefined;
  eachTerm(sequence, MAX_OPENING, (id) => {
    if (id < 0) gaps++;
    else if (gaps === 2 && found === undefined && /^\d+$/.test(vocabulary.term(id))) found = id;
  });
  return found;
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
