/** Full-text search over documents that change: keeps an index up to date, and ranks by BM25. */

import type { Piece } from "./index.ts";
import type { Entry, Snapshot } from "./rank.ts";
import type { Passage } from "./snippet.ts";
import { inBackground, inSlices, nextTurn } from "../base/async.ts";
import { InvertedIndex, MAX_ORDINALS } from "./index.ts";
import { parseQuery } from "./query.ts";
import { raiseNamed } from "./named.ts";
import { best, requirePhrases, scoreTerms, toSnapshot } from "./rank.ts";
import { refine } from "./refine.ts";
import { findPassage, rankedQuery } from "./snippet.ts";

/** The maximum size of all indexed texts, in bytes. Of further documents, only the metadata is indexed. */
const MAX_INDEXED_BYTES = 64 * 1024 * 1024;
/** How much of a document is indexed, in UTF-16 units: some hundred pages. */
const MAX_DOCUMENT_UNITS = 256 * 1024;
/** The default number of hits. */
export const DEFAULT_LIMIT = 10;
/** The maximum number of hits that tools allow: each document is read again for its snippet. */
export const MAX_LIMIT = 100;
/** The index is rebuilt when more than this, in weights of terms, and more than half of it belongs to removed documents. */
const MIN_REMOVED = 200_000;
/** The pause of an update in the background after each slice, in milliseconds. */
const BACKGROUND_PAUSE_MS = 8;
/** The number of searches after the first update, which get the code compiled. */
const WARM_UP_SEARCHES = 10;

/** A version of a document. */
export interface Indexable {
  /** Unique among the documents. */
  readonly key: string;
  /** Changes with the text. */
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
  /** Multiplies the score of a document. @default {1} */
  readonly factor?: ((document: D) => number) | undefined;
  /** The maximum number of hits. @default {10} */
  readonly limit?: number | undefined;
  /** Whether neighbouring words and terms that the best hits share count too. Not useful for texts of one line. @default {true} */
  readonly refined?: boolean | undefined;
  /** Ends the search soon after it is aborted. @default {none} */
  readonly signal?: AbortSignal | undefined;
}

/** A document that matches a query. */
export interface Hit<D> extends Passage {
  /** As given to the last update. */
  readonly document: D;
  /** Comparable within one search only. */
  readonly score: number;
}

/** The result of a search. */
export interface SearchResult<D> {
  /** The best first. Equal ones are sorted by key. */
  readonly hits: readonly Hit<D>[];
  /** The number of documents that match. */
  readonly total: number;
  /** The phrases of the query that no document has. Their words were searched instead. */
  readonly asWords: readonly string[];
}

/** A full-text index of documents that change. */
export class SearchIndex<D extends Indexable> {
  readonly #source: SearchSource<D>;
  #snapshot: Snapshot<D> = toSnapshot(new InvertedIndex(), [], undefined);
  #latest: readonly D[] = [];
  #updating: Promise<void> = Promise.resolve();
  /** What the running update has indexed so far; undefined while none is running. */
  #partial: { readonly index: InvertedIndex; readonly entries: readonly Entry<D>[] } | undefined;
  /** The number of callers that wait for an update. */
  #waiting = 0;
  /** Ends the pause of an update in the background. */
  #resume: () => void = () => {};

  /** Makes an empty index. */
  constructor(source: SearchSource<D>) {
    this.#source = source;
  }

  /** The documents of which only the metadata is indexed: the text cannot be read, or is beyond the limit. */
  get withoutText(): readonly D[] {
    return [...this.#snapshot.byKey.values()].flatMap(({ hasText, document }) => hasText ? [] : [document]);
  }

  /** Updates the index in slices. Until it is done, searches use the previous state. Of several waiting updates, only the last runs. */
  update(documents: readonly D[]): Promise<void> {
    this.#waiting++;
    this.#resume();
    return this.#run(documents).finally(() => this.#waiting--);
  }

  /**
   * Lets searches use what the running update has indexed so far, and what was indexed before. Returns how many documents can be
   * found now.
   */
  publish(): number {
    const { index, entries } = this.#partial ?? { index: this.#snapshot.index, entries: [] };
    const isRebuilt = index !== this.#snapshot.index;
    const before = isRebuilt ? [] : this.#snapshot.byKey.values();
    const all = new Map([...before, ...entries].map((entry) => [entry.document.key, entry]));
    if (this.#partial) this.#snapshot = toSnapshot(index, [...all.values()], undefined);
    return this.#snapshot.byKey.size;
  }

  /** Updates, with pauses while no caller waits. Then it searches for some titles, so that the code of searches gets compiled. */
  async prepare(documents: readonly D[], titleOf: (document: D) => string): Promise<void> {
    try {
      await this.#run(documents);
      for (const document of documents.slice(0, WARM_UP_SEARCHES)) {
        await this.#pause();
        await this.search(titleOf(document));
      }
    } catch {
      // The next update throws the same error.
    }
  }

  #run(documents: readonly D[]): Promise<void> {
    this.#latest = documents;
    const run = (): Promise<void> => inSlices(this.#update(this.#latest), () => this.#pause());
    return this.#updating = this.#updating.then(run, run);
  }

  #pause(): Promise<void> {
    if (this.#waiting > 0) return nextTurn();
    return new Promise((resolve) => {
      this.#resume = resolve;
      inBackground(BACKGROUND_PAUSE_MS, resolve);
    });
  }

  *#update(documents: readonly D[]): Generator<void, void> {
    const { source, index: current, length, byKey } = this.#snapshot;
    if (documents === source) return;
    const removed = current.length - length;
    const isRebuilt = removed > Math.max(MIN_REMOVED, length) || current.ordinals > MAX_ORDINALS / 2;
    const index = isRebuilt ? new InvertedIndex() : current;
    const entries: Entry<D>[] = [];
    this.#partial = { index, entries };
    let left = MAX_INDEXED_BYTES;
    let isComplete = true;
    for (const document of documents) {
      const bytes = Math.min(this.#source.size(document), MAX_DOCUMENT_UNITS);
      const fits = bytes <= left;
      if (fits) left -= bytes;
      const boost = this.#source.boost(document);
      const known = isRebuilt ? undefined : byKey.get(document.key);
      if (known?.document.fingerprint === document.fingerprint && known.hasText === fits) {
        entries.push({ ...known, document, boost });
      } else {
        const text = fits ? this.#source.text(document) : undefined;
        const indexed = yield* index.add(this.#pieces(document, text));
        entries.push({ document, hasText: text !== undefined, boost, ...indexed });
        if (fits && text === undefined) isComplete = false;
      }
      yield;
    }
    this.#partial = undefined;
    this.#snapshot = toSnapshot(index, entries, isComplete ? documents : undefined);
  }

  #pieces(document: D, text: string | undefined): Iterable<Piece> {
    return this.#source.pieces(document, text?.slice(0, MAX_DOCUMENT_UNITS));
  }

  /**
   * Finds the documents that have any term of a query and all its phrases, in slices. A phrase that no document has is read as
   * separate words.
   * @throws The reason of the signal when it is aborted.
   */
  search(query: string, options: SearchOptions<D> = {}): Promise<SearchResult<D>> {
    return inSlices(this.#search(this.#snapshot, query, options), async () => {
      await nextTurn();
      options.signal?.throwIfAborted();
    });
  }

  *#search(
    snapshot: Snapshot<D>,
    text: string,
    { filter, factor, limit = DEFAULT_LIMIT, refined = true }: SearchOptions<D>,
  ): Generator<void, SearchResult<D>> {
    const { byOrdinal, boosts } = snapshot;
    const scored = function* (asWords: readonly string[]) {
      const query = parseQuery(text, asWords);
      const scores = yield* scoreTerms(snapshot, query);
      for (let ordinal = 0; filter && ordinal < scores.length; ordinal++) {
        if (scores[ordinal] !== 0 && !filter(byOrdinal[ordinal]!.document)) scores[ordinal] = 0;
      }
      return { query, scores, missing: yield* requirePhrases(snapshot, query, scores) };
    };
    const verbatim = yield* scored([]);
    const asWords = [...new Set(verbatim.missing)];
    const { query, scores } = asWords.length === 0 ? verbatim : yield* scored(asWords);
    if (refined) {
      yield* refine(snapshot, query, scores);
      raiseNamed(snapshot, query.words, scores);
    }
    let total = 0;
    for (let ordinal = 0; ordinal < scores.length; ordinal++) {
      if (scores[ordinal] === 0) continue;
      total++;
      scores[ordinal]! *= boosts[ordinal]! * (factor?.(byOrdinal[ordinal]!.document) ?? 1);
    }
    const ranked = rankedQuery(query, snapshot.index.vocabulary, this.#source.plain);
    const hits: Hit<D>[] = [];
    for (const ordinal of best(snapshot, scores, limit)) {
      yield;
      const { document } = byOrdinal[ordinal]!;
      const pieces = this.#pieces(document, this.#source.text(document));
      const passage = findPassage(pieces, document.description, ranked);
      hits.push({ document, score: scores[ordinal]!, ...passage });
    }
    return { hits, total, asWords };
  }
}
