/** Reads queries: terms, and phrases in double quotes; and expands each term to the indexed terms that match it. */

import type { Vocabulary } from "./vocabulary.ts";
import { compare } from "../base/text.ts";
import { STEMMED, stemOf } from "./stem.ts";
import { isDense, tokenize } from "./tokenizer.ts";

/** How much of a query is read, in UTF-16 units. */
const MAX_QUERY_UNITS = 4096;
/** The maximum number of distinct terms of a query. */
const MAX_QUERY_TERMS = 400;
/** The maximum number of phrases. The words of later ones are searched separately. */
const MAX_PHRASES = 8;
/** The maximum number of terms of a phrase. A longer one is searched in parts. */
const MAX_PHRASE_TERMS = 30;
/** The maximum weight of a repeated term. */
const MAX_COUNT = 4;
/** The weight of a derived term, such as a part of an identifier. */
const DERIVED_COUNT = 0.5;
/** The weight of two words that are joined. */
const JOINED_COUNT = 0.25;
/** The number of words at the start of a query that are also searched joined to the next one. */
const MAX_JOINED = 12;
/** Words before the number of a document. */
export const SERIES: ReadonlySet<string> = new Set(
  "adr rfc pep kep eip erc cip tip decision record proposal number no nr".split(" "),
);
/** A word and a number without a separator. */
export const GLUED: RegExp = /^(\p{L}+?)0*(\d+)$/u;
/** The weight of a function word. */
const FUNCTION_WORD_COUNT = 0.25;

/** Words of questions and sentences in English and German, folded. Where texts are short they are rare, so that their IDF is too high. */
export const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  `what which who whom whose why how when where is are was were do does did can could should would
    will may must has have had been be there any a an the of to in on at by for from with without into out up and or but not no
    if then than so as it its this that these those they them their he she his her we us our you your i me my mine own same
    some each every all both other another more most much many such only just too very also about over under again once
    welche welcher welches welchem welchen wer wen wem
    warum wieso weshalb wie wann wo wohin ist sind war waren wird werden wurde wurden kann konnen
    soll sollen muss mussen darf durfen hat haben gibt es der die das den dem des ein eine einen einem einer eines und oder
    aber nicht kein keine in im an am auf zu zum zur von vom mit bei fur aus als auch so wenn ich wir uns unser unsere man sich`
    .split(/\s+/),
);

export interface QueryTerm {
  readonly text: string;
  /** The number of its occurrences, weighted. */
  count: number;
  /** Whether it occurs only in phrases. Then it is not expanded. */
  isExact: boolean;
  /** The indexed terms that match it; set when documents are ranked. */
  expansions: readonly Expansion[];
  /** Its IDF times its count; set when documents are ranked. */
  idf: number;
}

/** Words of a query, and another form of them that documents define. */
export interface Synonym {
  readonly asked: readonly QueryTerm[];
  /** These words as they are defined. */
  readonly text: string;
  readonly other: string;
  /** The ids of each word of the other form, with its inflected forms. */
  readonly ids: readonly (readonly number[])[];
}

export interface Query {
  /** Each once. */
  readonly terms: readonly QueryTerm[];
  /** The terms outside of phrases, in order. */
  readonly words: readonly QueryTerm[];
  readonly phrases: readonly Phrase[];
  /** Other forms of its words, which documents define; set when documents are ranked. */
  synonyms: readonly Synonym[];
}

/** Terms that must follow each other. */
interface Phrase {
  /** Verbatim. */
  readonly text: string;
  readonly terms: readonly QueryTerm[];
}

/** Reads any text as a query. An unclosed quote is ignored. The phrases in `asWords` are read as separate words. */
export function parseQuery(text: string, asWords: readonly string[] = []): Query {
  const terms = new Map<string, QueryTerm>();
  const words: QueryTerm[] = [];
  const phrases: Phrase[] = [];
  const add = (text: string, count: number, isExact: boolean): QueryTerm | undefined => {
    const known = terms.get(text);
    if (!known && terms.size === MAX_QUERY_TERMS) return undefined;
    const term = known ?? { text, count: 0, isExact, expansions: [], idf: 0 };
    terms.set(text, term);
    term.count = Math.min(term.count + count, MAX_COUNT);
    term.isExact &&= isExact;
    return term;
  };
  const parts = text.slice(0, MAX_QUERY_UNITS).split(/["“”„]/);
  for (const [index, part] of parts.entries()) {
    const isPhrase = index % 2 === 1 && index < parts.length - 1 && index < 2 * MAX_PHRASES &&
      !asWords.includes(part);
    const phrase: (QueryTerm | undefined)[] = [];
    tokenize(part, (text, _start, _end, isDerived) => {
      if (isPhrase) {
        if (!isDerived) phrase.push(add(text, 1, true));
      } else {
        const count = FUNCTION_WORDS.has(text) ? FUNCTION_WORD_COUNT : isDerived ? DERIVED_COUNT : 1;
        const term = add(text, count, false);
        if (term && !isDerived) words.push(term);
        // "rfc0019" is RFC 19.
        const [, series = "", number = ""] = GLUED.exec(text) ?? [];
        if (SERIES.has(series)) { for (const part of [series, number]) add(part, DERIVED_COUNT, false); }
      }
    });
    // The phrase ends before the first ignored term.
    const end = phrase.indexOf(undefined);
    const known = phrase.slice(0, end < 0 ? undefined : end) as QueryTerm[];
    for (let from = 0; from < known.length; from += MAX_PHRASE_TERMS) {
      phrases.push({ text: part, terms: known.slice(from, from + MAX_PHRASE_TERMS) });
    }
  }
  // "API server" may be written as "apiserver", and "OAuth 2" as "OAuth2".
  for (const [at, { text }] of words.slice(0, MAX_JOINED).entries()) {
    const next = words[at + 1]?.text;
    if (next !== undefined && isJoinable(text) && (isJoinable(next) || /^\d+$/.test(next))) {
      add(text + next, JOINED_COUNT, true);
    }
  }
  return { terms: [...terms.values()], words, phrases, synonyms: [] };
}

function isJoinable(word: string): boolean {
  return word.length > 1 && !isDense(word) && !FUNCTION_WORDS.has(word) && !/\d/.test(word);
}

/**
 * How an indexed term matches a term of the query: it is equal, an inflected form, has it or a part of it as prefix, differs by one
 * typing error, or is a part of a compound that is not indexed as a whole.
 */
export type MatchKind = "exact" | "form" | "prefix" | "fuzzy" | "part";

export interface Expansion {
  readonly id: number;
  readonly term: string;
  readonly kind: MatchKind;
  /** From 0 to 1. */
  readonly weight: number;
}

const WEIGHTS: Record<MatchKind, number> = { exact: 1, form: 0.6, prefix: 0.15, fuzzy: 0.4, part: 0.4 };
/** The weight of a typing error if the term is also indexed verbatim. */
const UNLIKELY_FUZZY_WEIGHT = 0.05;

/** The minimum length of a term that is expanded as a prefix. */
const MIN_PREFIX = 3;
/** The minimum length of a term that is checked for typing errors. */
const MIN_FUZZY = 4;
/** The minimum length of a part of a compound. */
const MIN_PART = 4;
/** The maximum number of prefix or fuzzy expansions of a term. */
const MAX_EXPANSIONS = 100;
/** The length of a prefix that related words share in most languages. */
const LONG_PREFIX = 7;
/** The maximum difference in length of such words. */
const MAX_LONGER = 4;
/** The weight of such a word. */
const LONG_PREFIX_WEIGHT = 0.2;
/** The number of terms of a query that are expanded by prefixes, typing errors and parts. A longer query is specific enough. */
export const MAX_LOOSE_TERMS = 12;

/** Expands the term at a position of the query by terms that documents still have (`isLive`). Each lookup is one step. */
export function* expand(
  { text, isExact }: QueryTerm,
  position: number,
  vocabulary: Vocabulary,
  isLive: (id: number) => boolean,
): Generator<void, Expansion[]> {
  const found = new Map<number, Expansion>();
  const idOf = (term: string): number | undefined => {
    const id = vocabulary.id(term);
    return id !== undefined && isLive(id) ? id : undefined;
  };
  const add = (id: number | undefined, kind: MatchKind, weight = WEIGHTS[kind]): void => {
    if (id !== undefined && !found.has(id)) found.set(id, { id, term: vocabulary.term(id), kind, weight });
  };
  /** Adds the shortest terms: they are the most similar ones. */
  const addShortest = (ids: readonly number[], kind: MatchKind, weight?: number): void => {
    let terms: string[] = [];
    const cut = () => {
      terms.sort((one, other) => one.length - other.length || compare(one, other));
      terms = terms.slice(0, MAX_EXPANSIONS);
    };
    for (const id of ids) if (isLive(id) && terms.push(vocabulary.term(id)) === 2 * MAX_EXPANSIONS) cut();
    cut();
    for (const term of terms) add(vocabulary.id(term), kind, weight);
  };

  add(idOf(text), "exact");
  if (isDense(text)) {
    if (Array.from(text).length === 1) addShortest(vocabulary.pairsWith(text), "exact");
  } else if (!isExact) {
    const isLoose = position < MAX_LOOSE_TERMS, isWord = !/\d/.test(text);
    const stem = STEMMED.test(text) ? stemOf(text) : undefined;
    if (isLoose || stem === undefined) { for (const form of formsOf(text)) add(idOf(form), "form"); }
    if (stem !== undefined) {
      for (const id of vocabulary.withStem(stem)) if (isLive(id)) add(id, "form");
      yield;
    }
    if (!isLoose) return [...found.values()];
    if (text.length >= LONG_PREFIX && isWord) {
      const { length } = text;
      const ids = vocabulary.withPrefix(text.slice(0, LONG_PREFIX), length - MAX_LONGER, length + MAX_LONGER);
      addShortest(ids, "prefix", LONG_PREFIX_WEIGHT);
    }
    const fuzzyWeight = found.size > 0 ? UNLIKELY_FUZZY_WEIGHT : WEIGHTS.fuzzy;
    if (text.length >= MIN_PREFIX) addShortest(vocabulary.withPrefix(text), "prefix");
    yield;
    if (text.length >= MIN_FUZZY && isWord) addShortest(vocabulary.withOneEdit(text), "fuzzy", fuzzyWeight);
    if (found.size === 0) { for (const part of partsOf(text, idOf)) add(idOf(part), "part"); }
  }
  return [...found.values()];
}

/** Splits a compound if both parts are indexed in some form: "Fehlermeldung" into "Fehler" and "Meldung". */
function partsOf(word: string, idOf: (term: string) => number | undefined): string[] {
  for (let cut = word.length - MIN_PART; cut >= MIN_PART; cut--) {
    const parts = [word.slice(0, cut), word.slice(cut)].map((part) => [part, ...formsOf(part)]);
    if (parts.every((forms) => forms.some((form) => idOf(form) !== undefined))) return parts.flat();
  }
  return [];
}

/** Inflectional endings of German. Most are English endings as well. */
const ENDINGS = ["", "s", "es", "e", "ed", "en", "er", "ing", "em", "ern", "n", "t", "te", "ten"];
/** The minimum length of a stem with any ending. */
const MIN_STEM = 4;
/** The minimum length of a stem with the ending of a plural: "API", "APIs". */
const MIN_SHORT_STEM = 3;
const SHORT_ENDINGS: ReadonlySet<string> = new Set(["", "s", "es"]);

/** The other inflected forms that a word may have. A wrong form ("even", "event") does little harm. */
function formsOf(word: string): Set<string> {
  const forms = new Set<string>();
  // Numbers, versions and names with digits are not inflected.
  if (/\d/.test(word)) return forms;
  const isStem = (stem: string, ending: string): boolean =>
    stem.length >= (SHORT_ENDINGS.has(ending) ? MIN_SHORT_STEM : MIN_STEM);
  for (const ending of ENDINGS.filter((ending) => word.endsWith(ending))) {
    const stem = word.slice(0, word.length - ending.length);
    if (!isStem(stem, ending)) continue;
    for (const other of ENDINGS) if (isStem(stem, other)) forms.add(stem + other);
  }
  forms.delete(word);
  return forms;
}
