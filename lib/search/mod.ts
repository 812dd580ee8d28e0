/**
 * Full-text search: an index in memory, BM25 ranking over fields, tolerance for inflection and typing errors, and snippets.
 *
 * @module
 */

export type { Definition, IndexField, Piece, SectionHeading } from "./index.ts";
export type { MatchKind } from "./query.ts";
export type { Hit, Indexable, SearchOptions, SearchResult, SearchSource } from "./search.ts";
export type { Match, Passage } from "./snippet.ts";
export { DEFAULT_LIMIT, MAX_LIMIT, SearchIndex } from "./search.ts";
