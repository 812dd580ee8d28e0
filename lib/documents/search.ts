/**
 * Where is what somebody asks for? Full-text search over the shelf: documents by how well they answer a query, each
 * with its best section.
 *
 * Nothing here is loaded before somebody searches.
 */

import type { Catalogue, Document } from "./catalogue.ts";
import type { Passage, Sought, Wanted } from "./passage.ts";
import type { Searched } from "./ranking.ts";
import type { Answer } from "./resemblance.ts";
import type { Query } from "./search_query.ts";
import type { Entry } from "./word_index.ts";
import { findPassage } from "./passage.ts";
import { MAX_ORDINALS } from "./postings.ts";
import { score } from "./ranking.ts";
import { currentStatus, isOver } from "./record.ts";
import { findAnswers } from "./resemblance.ts";
import { readQuery } from "./search_query.ts";
import { MAX_DOCUMENT_UNITS } from "./search_text.ts";
import { inSlices } from "../base/async.ts";
import { WordIndex } from "./word_index.ts";
import { toPhrase } from "./word_order.ts";

/**
 * How much text is indexed in all, in bytes of files: thirty thousand pages, for which the index takes about as much
 * memory again. Past that, the documents that come last are found by title and name only.
 */
export const MAX_INDEXED_BYTES: number = 64 * 1024 * 1024;
/** How many hits there are unless somebody says otherwise, and at most: each one is read again for its passage. */
export const DEFAULT_LIMIT = 10;
export const MAX_LIMIT = 100;

/** How much a record counts that does not hold any more. It is found, but not before what holds. */
const OUTDATED_SHARE = 0.5;

/** So much that is gone, in the weight of words, is never worth an index made anew; more is when it is half of all. */
const MIN_GONE = 200_000;

/** What is asked for beside the query. */
export interface SearchOptions {
  /** Only documents of this category. @default {all} */
  readonly category?: string | undefined;
  /** Only records with this status, in any case. @default {all documents} */
  readonly status?: string | undefined;
  /** How many hits, at most `MAX_LIMIT`. @default {10} */
  readonly limit?: number | undefined;
}

/** A document that answers a query. */
export interface Hit extends Passage {
  readonly document: Document;
  /** The higher, the better; says something only beside the scores of the same search. */
  readonly score: number;
  /** Whether it is a record that does not hold any more, and was ranked down for that. */
  readonly isOutdated: boolean;
}

/** What a search found. */
export interface SearchResult {
  /** The best first; those that are as good as each other by URI. */
  readonly hits: readonly Hit[];
  /** How many documents answer the query at all. */
  readonly total: number;
}

/** What is searched, and how it came to be. */
interface Picture extends Searched {
  readonly byKey: ReadonlyMap<string, Entry>;
  readonly withoutText: readonly Document[];
  /** What the documents were taken from, when nothing is left to be read of it. */
  readonly catalogue: Catalogue | undefined;
}

/** The full-text index of a shelf. Nothing is read before the first update. */
export class SearchIndex {
  readonly #textOf: (document: Document) => string | undefined;
  #picture: Picture = toPicture(new WordIndex(), []);
  /** The update that is under way. */
  #updating: Promise<void> | undefined;
  /** What the next one brings in, when somebody asked for one meanwhile. */
  #next: { catalogue: Catalogue; done: Promise<void> } | undefined;

  /** Takes what gives the text of a document, or undefined when it cannot be read. */
  constructor(textOf: (document: Document) => string | undefined) {
    this.#textOf = textOf;
  }

  /** About how much memory the index takes, in bytes. */
  get size(): number {
    return this.#picture.index.size;
  }

  /** How many documents can be found. */
  get count(): number {
    return this.#picture.count;
  }

  /** Which documents are found by title and name only: they cannot be read, or there is too much text before them. */
  get withoutText(): readonly Document[] {
    return this.#picture.withoutText;
  }

  /**
   * Brings the index up to date with a catalogue, in slices. Only documents that changed are read; a search meanwhile
   * answers from what was there before.
   *
   * @throws Whatever reading a text throws; then the index is what it was before.
   */
  update(catalogue: Catalogue): Promise<void> {
    if (!this.#updating) {
      return this.#updating = inSlices(this.#take(catalogue)).finally(() =>
        void (this.#updating = undefined)
      );
    }
    // Only the latest of those that wait matters.
    if (this.#next) this.#next.catalogue = catalogue;
    else {
      const follow = (): Promise<void> => {
        const { catalogue } = this.#next!;
        this.#next = undefined;
        return this.update(catalogue);
      };
      this.#next = { catalogue, done: this.#updating.then(follow, follow) };
    }
    return this.#next.done;
  }

  *#take(catalogue: Catalogue): Generator<void, void> {
    if (catalogue === this.#picture.catalogue) return;
    const { index: known, length, byKey } = this.#picture;
    const isWorn = known.length - length > Math.max(MIN_GONE, length) || known.ordinals > MAX_ORDINALS / 2;
    const index = isWorn ? new WordIndex() : known;
    const entries: Entry[] = [];
    let room = MAX_INDEXED_BYTES;
    let isComplete = true;
    for (const document of catalogue.documents) {
      const bytes = Math.min(document.status.size, MAX_DOCUMENT_UNITS);
      const hasRoom = bytes <= room;
      if (hasRoom) room -= bytes;
      const before = isWorn ? undefined : byKey.get(document.key);
      if (before?.document.fingerprint === document.fingerprint && before.hasText === hasRoom) {
        entries.push(before.document === document ? before : { ...before, document });
      } else entries.push(yield* index.add(document, hasRoom ? this.#textOf(document) : undefined));
      // What cannot be read now is tried again.
      if (hasRoom && !entries.at(-1)!.hasText) isComplete = false;
      yield;
    }
    this.#picture = toPicture(index, entries, isComplete ? catalogue : undefined);
  }

  /**
   * Finds the documents that answer a query: any word of it, and all of its phrases in double quotes. Works in slices,
   * on what is indexed when it is called.
   *
   * @throws {RangeError} When the limit is no number of hits.
   */
  search(query: string, options: SearchOptions = {}): Promise<SearchResult> {
    return inSlices(this.#search(this.#picture, query, options));
  }

  *#search(searched: Searched, query: string, options: SearchOptions): Generator<void, SearchResult> {
    const asked = readQuery(query);
    const answers = yield* findAnswers(asked.words, searched.index, (id) => isThere(searched, id));
    const scores = yield* score(searched, asked, answers);
    const { best, total } = select(searched, scores.documents, options);
    const sought = toSought(asked, answers, scores.words);
    const hits: Hit[] = [];
    for (const { document, score } of best) {
      yield;
      const passage = findPassage(document, this.#textOf(document), sought);
      hits.push({ document, score, isOutdated: isOver(document), ...passage });
    }
    return { hits, total };
  }
}

function toPicture(index: WordIndex, entries: readonly Entry[], catalogue?: Catalogue): Picture {
  const byOrdinal: (Entry | undefined)[] = new Array(index.ordinals).fill(undefined);
  let length = 0;
  for (const entry of entries) {
    byOrdinal[entry.ordinal] = entry;
    length += entry.length;
  }
  const byKey = new Map(entries.map((entry) => [entry.document.key, entry]));
  const withoutText = entries.filter(({ hasText }) => !hasText).map(({ document }) => document);
  return { index, entries: byOrdinal, byKey, withoutText, count: entries.length, length, catalogue };
}

/** Whether a word is in a document that is searched: the index also has words of those that are gone, or to come. */
function isThere({ index: { postings }, entries }: Searched, id: number): boolean {
  for (let place = postings.latest(id); place !== 0; place = postings.before(place)) {
    if (entries[postings.ordinal(place)]) return true;
  }
  return false;
}

/** A document with its score. */
interface Scored {
  readonly document: Document;
  readonly score: number;
}

/** Chooses the best documents of those that are asked for, and counts them all. */
function select(
  { entries }: Searched,
  scores: Float64Array,
  { category, status, limit = DEFAULT_LIMIT }: SearchOptions,
): { best: Scored[]; total: number } {
  const best: Scored[] = [];
  if (!Number.isInteger(limit) || limit < 0 || limit > MAX_LIMIT) {
    throw new RangeError(
      `Cannot search for ${limit} hits: the limit is a whole number from 0 to ${MAX_LIMIT}`,
    );
  }
  const wantedStatus = status?.toLowerCase();
  let total = 0;
  for (let ordinal = 0; ordinal < entries.length; ordinal++) {
    const plain = scores[ordinal]!;
    const entry = entries[ordinal];
    if (!entry || plain === 0) continue;
    const { document } = entry;
    if (category !== undefined && document.category !== category) continue;
    if (wantedStatus !== undefined && currentStatus(document) !== wantedStatus) continue;
    total++;
    if (best.length === limit && plain < (best.at(-1)?.score ?? 0)) continue;
    const scored = { document, score: isOver(document) ? plain * OUTDATED_SHARE : plain };
    if (best.length === limit && !comesBefore(scored, best.at(-1))) continue;
    let place = best.length;
    while (place > 0 && comesBefore(scored, best[place - 1])) place--;
    best.splice(place, 0, scored);
    if (best.length > limit) best.pop();
  }
  return { best, total };
}

function comesBefore(one: Scored, other: Scored | undefined): boolean {
  if (!other) return false;
  return one.score > other.score || (one.score === other.score && one.document.key < other.document.key);
}

/** What to look for in the text of a hit, and how much each word says. */
function toSought(
  { phrases }: Query,
  answers: ReadonlyMap<string, readonly Answer[]>,
  worth: ReadonlyMap<string, number>,
): Sought {
  const words = new Map<string, Wanted[]>();
  for (const [asked, found] of answers) {
    for (const { word, resemblance, weight } of found) {
      const wanted = { asked, resemblance, value: weight * worth.get(asked)! };
      words.set(word, [...words.get(word) ?? [], wanted]);
    }
  }
  const written = phrases.map((phrase) => ({
    phrase: toPhrase(phrase.map((word) => (answers.get(word) ?? []).map((answer) => answer.word))),
    value: phrase.reduce((sum, word) => sum + (worth.get(word) ?? 0), 0),
  }));
  return { asked: [...answers.keys()], words, phrases: written };
}
