/** The passage of a document that matches a query best: its section, line, excerpt, and the terms that match. */

import type { IndexField, Piece, SectionHeading } from "./index.ts";
import type { Expansion, MatchKind, Query, Synonym } from "./query.ts";
import type { Vocabulary } from "./vocabulary.ts";
import { SYNONYM_WEIGHT } from "./synonyms.ts";
import { isDense } from "./tokenizer.ts";

/** The maximum length of an excerpt without its ellipses, in UTF-16 units: two or three lines. */
const MAX_EXCERPT = 238;
/** How much markup an excerpt is made of, in UTF-16 units. */
const MAX_MARKUP = 1600;
/** The length of an excerpt before its first match, in UTF-16 units. */
const LEAD = 60;
/** How far a cut may move to reach a space, in UTF-16 units. */
const MAX_SHIFT = 24;
/** The maximum number of matches that are compared. */
const MAX_MATCHES = 400;
/** The maximum number of matching terms that are named for a term of the query. */
const MAX_FOUND = 3;
/** The value of a match in an aside. */
const ASIDE_SHARE = 0.25;
/** The minimum value of a match that is named, as a share of the best one. Excludes words such as "the". */
const MIN_SHARE = 0.25;

/** A term of the query that occurs in a document. */
export interface Match {
  /** The term of the query, folded. */
  readonly term: string;
  /** How the best of the found terms matches it; "synonym" if the document has another form of these words instead. */
  readonly kind: MatchKind | "synonym";
  /** The best terms of the document that match it, folded; or that other form, as it is defined. */
  readonly found: readonly string[];
  /** Where they occur. */
  readonly fields: readonly IndexField[];
}

/** Where a document matches a query. */
export interface Passage {
  /** Undefined where the piece has no heading. */
  readonly section: SectionHeading | undefined;
  /** Counted from 1. */
  readonly line: number;
  /** One line of at most 240 UTF-16 units, without markup or control characters. */
  readonly excerpt: string;
  /** In the order of the query. */
  readonly matches: readonly Match[];
}

interface ExpandedTerm extends Expansion {
  readonly queryTerm: string;
  readonly value: number;
}

/** Words that must follow each other: a phrase, or another form of words of the query. */
interface Sequence {
  /** The ids of each word. */
  readonly ids: readonly ReadonlySet<number>[];
  /** The keys of its values. */
  readonly values: Values;
  /** The place of a synonym in the query; undefined for a phrase. */
  readonly synonym?: Synonym;
}

/** A ranked query, and how texts are read for it. */
export interface RankedQuery {
  readonly query: Query;
  readonly sequences: readonly Sequence[];
  /** The expansions of its terms with their values, by id. */
  readonly expanded: ReadonlyMap<number, readonly ExpandedTerm[]>;
  readonly vocabulary: Vocabulary;
  /** Removes markup. */
  readonly plain: (markup: string) => string;
}

export function rankedQuery(query: Query, vocabulary: Vocabulary, plain: RankedQuery["plain"]): RankedQuery {
  const all = query.terms.flatMap(({ text, idf, expansions }) =>
    expansions.map((expansion) => ({ ...expansion, queryTerm: text, value: expansion.weight * idf }))
  );
  const phrases = query.phrases.map(({ terms }, index): Sequence => ({
    ids: terms.map(({ expansions }) => new Set(expansions.map(({ id }) => id))),
    values: new Map([[`"${index}`, terms.reduce((sum, { idf }) => sum + idf, 0)]]),
  }));
  const synonyms = query.synonyms.map((synonym): Sequence => ({
    ids: synonym.ids.map((ids) => new Set(ids)),
    values: new Map(synonym.asked.map(({ text, idf }) => [text, SYNONYM_WEIGHT * idf])),
    synonym,
  }));
  const sequences = [...phrases, ...synonyms];
  return { query, sequences, expanded: Map.groupBy(all, ({ id }) => id), vocabulary, plain };
}

/** The value of each term of the query in a piece of text. The key of a phrase is a quote and its index. */
type Values = Map<string, number>;

interface Valued {
  readonly values: Values;
}

/** A line of a heading or a paragraph, and its values. */
interface Line extends Valued {
  readonly piece: Piece;
}

/** By term of the query: the terms of the document that match it, and their fields. */
type Found = Map<string, { readonly terms: Map<number, ExpandedTerm>; readonly fields: Set<IndexField> }>;
/** The fields of the other forms that a document has. */
type FoundForms = Map<Synonym, Set<IndexField>>;

/** Finds the passage of a document that matches a query best. */
export function findPassage(
  pieces: Iterable<Piece>,
  description: string | undefined,
  ranked: RankedQuery,
): Passage {
  const { query, expanded, sequences, vocabulary } = ranked;
  /** Each heading and each paragraph. */
  const blocks: Line[][] = [];
  const found: Found = new Map();
  const forms: FoundForms = new Map();
  /** The words of the pieces that this piece continues, and its own so far. */
  const run: number[] = [];
  let titleLine = 0;
  for (const piece of pieces) {
    const { field, text, line, continues, isAside } = piece;
    const share = isAside ? ASIDE_SHARE : 1;
    const values: Values = new Map();
    if (!continues) run.length = 0;
    vocabulary.scan(text, false, (id, _start, _end, isDerived) => {
      for (const term of expanded.get(id) ?? []) {
        raise(values, term.queryTerm, share * term.value);
        let known = found.get(term.queryTerm);
        if (!known) found.set(term.queryTerm, known = { terms: new Map(), fields: new Set() });
        known.terms.set(id, term);
        known.fields.add(field);
      }
      if (isDerived || sequences.length === 0) return;
      run.push(id);
      for (const { ids, values: gained, synonym } of sequences) {
        const from = run.length - ids.length;
        if (!ids.every((all, at) => all.has(run[from + at]!))) continue;
        for (const [key, value] of gained) raise(values, key, share * value);
        if (synonym) forms.set(synonym, (forms.get(synonym) ?? new Set()).add(field));
      }
    });
    if (field !== "heading" && field !== "body") titleLine = line;
    else if (continues) blocks.at(-1)!.push({ piece, values });
    else blocks.push([{ piece, values }]);
  }
  const matches = listMatches(query, found, forms);
  const isBody = ([first]: Line[]) => first!.piece.field === "body";
  const excerptOf = (lines: readonly string[]) => cutExcerpt(lines, ranked);
  const textsOf = (block: Line[] = []) => block.map(({ piece }) => piece.text);
  const sections = [...Map.groupBy(blocks, ([first]) => first!.piece.heading).values()];
  const section = best(sections, (section) => totalValue(section.flat()));
  const [first] = section ?? [];
  if (!first || totalValue(section!.flat()) === 0) {
    // Only metadata matches.
    const lines = description === undefined ? textsOf(blocks.find(isBody)) : [description];
    return { section: undefined, line: titleLine + 1, excerpt: excerptOf(lines), matches };
  }
  const paragraph = best(section!.filter(isBody), totalValue) ?? first;
  const { heading, line } =
    best(totalValue(paragraph) > 0 ? paragraph : first, (line) => totalValue([line]))!.piece;
  return { section: heading, line: line + 1, excerpt: excerptOf(textsOf(paragraph)), matches };
}

/** The value of some pieces of text together: each term and phrase counts once. */
function totalValue(texts: readonly Valued[]): number {
  const highest: Values = new Map();
  for (const { values } of texts) for (const [key, value] of values) raise(highest, key, value);
  let sum = 0;
  for (const value of highest.values()) sum += value;
  return sum;
}

function raise(values: Values, key: string, value: number): void {
  if (value > (values.get(key) ?? 0)) values.set(key, value);
}

/** The first with the greatest value. */
function best<T>(all: readonly T[], valueOf: (one: T) => number): T | undefined {
  const values = all.map(valueOf);
  return all[values.indexOf(values.reduce((a, b) => Math.max(a, b), 0))];
}

/** The matches with enough value to be named, in the order of the query. */
function listMatches({ terms }: Query, found: Found, forms: FoundForms): Match[] {
  const valued = terms.flatMap(({ text }) => {
    const { terms, fields } = found.get(text) ?? {};
    const sorted = [...terms?.values() ?? []].sort((a, b) => b.value - a.value);
    return sorted[0] && fields ? [{ text, fields, sorted, best: sorted[0] }] : [];
  });
  const least = Math.max(...valued.map(({ best }) => best.value)) * MIN_SHARE;
  const matches: Match[] = [];
  for (const { text, fields, sorted, best } of valued) {
    if (best.value < least) continue;
    const previous = matches.at(-1);
    const [first = "", second = ""] = text;
    if (previous && isDense(text) && previous.term.endsWith(first)) {
      // Overlapping pairs of a dense script are shown as one word.
      const term = previous.term + second;
      const union = new Set([...previous.fields, ...fields]);
      matches[matches.length - 1] = { term, kind: best.kind, found: [term], fields: [...union] };
    } else {
      const found = sorted.slice(0, MAX_FOUND).map(({ term }) => term);
      matches.push({ term: text, kind: best.kind, found, fields: [...fields] });
    }
  }
  for (const [{ asked, text, other }, fields] of forms) {
    const isFound = asked.every((term) => found.has(term.text));
    if (!isFound) matches.push({ term: text, kind: "synonym", found: [other], fields: [...fields] });
  }
  return matches;
}

/** Marks of lists, quotes and tables at the start of a line. */
const LINE_MARK = /^[ \t>|]*(?:[-*+][ \t]+|\d{1,9}[.)][ \t]+)?/;
/** Invisible characters, except joiners between letters and variation selectors. */
const HIDDEN = /[\p{Cc}\u2028\u2029]|(?![\u200c\u200d\ufe0e\ufe0f])\p{Default_Ignorable_Code_Point}/gu;

function cutExcerpt(lines: readonly string[], ranked: RankedQuery): string {
  const markup = lines.map((line) => line.replace(LINE_MARK, "")).join(" ");
  const [from, to] = bestPart(markup, ranked, MAX_MARKUP);
  const raw = markup.slice(from, to).toWellFormed().replace(/\s/g, " ").replace(HIDDEN, "");
  const text = ranked.plain(raw).trim();
  const [start, end] = bestPart(text, ranked, MAX_EXCERPT);
  const before = from > 0 || start > 0 ? "…" : "";
  const after = to < markup.length || end < text.length ? "…" : "";
  return before + text.slice(start, end).trim() + after;
}

/** The part of a text, at most of a given length, whose matches have the highest value. */
function bestPart(
  text: string,
  { expanded, sequences, vocabulary }: RankedQuery,
  length: number,
): [from: number, to: number] {
  if (text.length <= length) return [0, text.length];
  const matches: (Valued & { readonly start: number; readonly end: number })[] = [];
  const run: { readonly id: number; readonly start: number }[] = [];
  vocabulary.scan(text, false, (id, start, end, isDerived) => {
    if (matches.length >= MAX_MATCHES) return;
    const values = expanded.get(id)?.map(({ queryTerm, value }) => [queryTerm, value] as const);
    if (values) matches.push({ start, end, values: new Map(values) });
    if (isDerived || sequences.length === 0) return;
    run.push({ id, start });
    for (const { ids, values } of sequences) {
      const words = run.slice(-ids.length);
      if (ids.every((all, at) => all.has(words[at]?.id ?? -1))) {
        matches.push({ start: words[0]!.start, end, values });
      }
    }
  });
  matches.sort((a, b) => a.start - b.start);
  const limit = totalValue(matches);
  let most = 0;
  let at = 0;
  for (const [index, { start }] of matches.entries()) {
    if (most >= limit) break;
    let next = index + 1;
    while (next < matches.length && matches[next]!.end <= start + length - LEAD) next++;
    const value = totalValue(matches.slice(index, next));
    if (value <= most) continue;
    most = value;
    at = start;
  }
  const from = Math.max(0, Math.min(at - LEAD, text.length - length));
  return [shifted(text, from, 1), shifted(text, from + length, -1)];
}

/** Moves a cut to a nearby space, or at least out of a surrogate pair. */
function shifted(text: string, place: number, step: 1 | -1): number {
  if (place <= 0 || place >= text.length) return place;
  for (let shift = 0; shift <= MAX_SHIFT; shift++) {
    if (/\s/.test(text[place + shift * step] ?? " ")) return place + shift * step;
  }
  const isLowSurrogate = (text.charCodeAt(place) & 0xfc00) === 0xdc00;
  return isLowSurrogate ? place + step : place;
}
