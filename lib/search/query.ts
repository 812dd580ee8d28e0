/** Reads queries: terms, and phrases in double quotes; and expands each term to the indexed terms that match it. */

import type { Vocabulary } from "./vocabulary.ts";
import { compare } from "../base/text.ts";
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
const GLUED = /^(\p{L}+?)0*(\d+)$/u;
/** The weight of a question word. */
const QUESTION_WORD_COUNT = 0.25;

/** Question words in English and German, folded. They are rare in documents, so their IDF is too high; they still count a little. */
const QUESTION_WORDS: ReadonlySet<string> = new Set(
  `what which who whom whose why how when where is are was were do does did can could should would
    will may must has have had been be there any welche welcher welches welchem welchen wer wen wem
    warum wieso weshalb wie wann wo wohin ist sind war waren wird werden wurde wurden kann konnen
    soll sollen muss mussen darf durfen hat haben gibt es`.split(/\s+/),
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

export interface Query {
  /** Each once. */
  readonly terms: readonly QueryTerm[];
  /** The terms outside of phrases, in order. */
  readonly words: readonly QueryTerm[];
  readonly phrases: readonly Phrase[];
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
        const count = QUESTION_WORDS.has(text) ? QUESTION_WORD_COUNT : isDerived ? DERIVED_COUNT : 1;
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
  // "API server" may be written as "apiserver".
  for (const [at, { text }] of words.slice(0, MAX_JOINED).entries()) {
    const next = words[at + 1]?.text;
    if (next !== undefined && isJoinable(text) && isJoinable(next)) add(text + next, JOINED_COUNT, true);
  }
  return { terms: [...terms.values()], words, phrases };
}

function isJoinable(word: string): boolean {
  return word.length > 1 && !isDense(word) && !QUESTION_WORDS.has(word) && !/\d/.test(word);
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
/** Words whose stems are compared by English rules: "computation" and "computers" have the same stem. */
const STEMMED = /^[a-z]{3,}$/;
/** The number of letters at the end of a stem that its words may lack. */
const STEM_CHANGES = 1;
/** The minimum length of a prefix that the index looks up. */
const MIN_LOOKUP = 2;
/** The length of a prefix that related words share in most languages. */
const LONG_PREFIX = 7;
/** The maximum difference in length of such words. */
const MAX_LONGER = 4;
/** The weight of such a word. */
const LONG_PREFIX_WEIGHT = 0.2;
/** The number of terms of a query that are expanded by prefixes, typing errors and parts. A longer query is specific enough. */
const MAX_LOOSE_TERMS = 12;

/** Expands the term at a position of the query by terms that documents still have (`isLive`). Each indexed term is one step. */
export function* expand(
  { text, isExact }: QueryTerm,
  position: number,
  vocabulary: Vocabulary,
  isLive: (id: number) => boolean,
): Generator<void, Expansion[]> {
  const found = new Map<string, Expansion>();
  const idOf = (term: string): number | undefined => {
    const id = vocabulary.id(term);
    return id !== undefined && isLive(id) ? id : undefined;
  };
  const add = (term: string, kind: MatchKind, weight = WEIGHTS[kind]): void => {
    const id = idOf(term);
    if (id !== undefined && !found.has(term)) found.set(term, { id, term, kind, weight });
  };
  /** Adds the shortest terms: they are the most similar ones. */
  const addShortest = function* (terms: Iterable<string>, kind: MatchKind, weight?: number): Generator<void> {
    let known = new Set<string>();
    for (const term of terms) {
      yield;
      if (idOf(term) === undefined) continue;
      if (known.add(term).size === 2 * MAX_EXPANSIONS) known = shortest(known);
    }
    for (const term of shortest(known)) add(term, kind, weight);
  };

  add(text, "exact");
  if (isDense(text)) {
    if (Array.from(text).length === 1) yield* addShortest(vocabulary.pairsWith(text), "exact");
  } else if (!isExact) {
    for (const form of formsOf(text)) add(form, "form");
    const stem = STEMMED.test(text) ? stemOf(text) : undefined;
    const start = stem?.slice(0, Math.max(MIN_LOOKUP, stem.length - STEM_CHANGES));
    for (const term of start === undefined ? [] : vocabulary.withPrefix(start)) {
      yield;
      if (STEMMED.test(term) && stemOf(term) === stem) add(term, "form");
    }
    if (text.length >= LONG_PREFIX && !/\d/.test(text)) {
      const { length } = text;
      const terms = vocabulary.withPrefix(
        text.slice(0, LONG_PREFIX),
        length - MAX_LONGER,
        length + MAX_LONGER,
      );
      yield* addShortest(terms, "prefix", LONG_PREFIX_WEIGHT);
    }
    if (position >= MAX_LOOSE_TERMS) return [...found.values()];
    const fuzzyWeight = found.size > 0 ? UNLIKELY_FUZZY_WEIGHT : WEIGHTS.fuzzy;
    if (text.length >= MIN_PREFIX) yield* addShortest(vocabulary.withPrefix(text), "prefix");
    if (text.length >= MIN_FUZZY && !/\d/.test(text)) {
      yield* addShortest(vocabulary.withOneEdit(text), "fuzzy", fuzzyWeight);
    }
    if (found.size === 0) { for (const part of partsOf(text, idOf)) add(part, "part"); }
  }
  return [...found.values()];
}

function shortest(terms: ReadonlySet<string>): Set<string> {
  const sorted = [...terms].sort((one, other) => one.length - other.length || compare(one, other));
  return new Set(sorted.slice(0, MAX_EXPANSIONS));
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

/** Endings and their replacements, by the last letter of the ending, the longest ending first. */
type Rules = ReadonlyMap<string, readonly (readonly [ending: string, replacement: string])[]>;

/** Reads "ational>ate ful>" as rules. */
function rulesOf(text: string): Rules {
  const rules = text.split(/\s+/).map((rule) => rule.split(">") as [string, string]);
  rules.sort(([one], [other]) => other.length - one.length);
  return Map.groupBy(rules, ([ending]) => ending.at(-1)!);
}

const PLURALS = rulesOf("sses>ss ies>i ss>ss s>");
const REPAIRS = rulesOf("at>ate bl>ble iz>ize");
/** Suffixes in the order of Porter's steps 2 to 4. The last step removes one only if a stem of measure 2 or more is left. */
const SUFFIXES: readonly Rules[] = [
  `ational>ate tional>tion enci>ence anci>ance izer>ize abli>able alli>al entli>ent eli>e ousli>ous ization>ize
    ation>ate ator>ate alism>al iveness>ive fulness>ful ousness>ous aliti>al iviti>ive biliti>ble`,
  "icate>ic ative> alize>al iciti>ic ical>ic ful> ness>",
  "al> ance> ence> er> ic> able> ible> ant> ement> ment> ent> sion>s tion>t ou> ism> ate> iti> ous> ive> ize>",
].map(rulesOf);

/** The stem of a word in lower case by Porter's algorithm: "comput" (https://tartarus.org/martin/PorterStemmer/def.txt). */
function stemOf(word: string): string {
  if (word.length < 3) return word;
  let stem = replaced(word, PLURALS, -1);
  const past = /^(.*)(?:ed|ing)$/.exec(stem)?.[1] ?? "";
  if (stem.endsWith("eed")) {
    if (measure(stem.slice(0, -3)) > 0) stem = stem.slice(0, -1);
  } else if (shape(past).includes("v")) {
    stem = replaced(past, REPAIRS, -1);
    if (/([^aeiouylsz])\1$/.test(stem)) stem = stem.slice(0, -1);
    else if (stem === past && measure(stem) === 1 && endsShort(stem)) stem += "e";
  }
  if (stem.endsWith("y") && shape(stem.slice(0, -1)).includes("v")) stem = `${stem.slice(0, -1)}i`;
  SUFFIXES.forEach((rules, step) => stem = replaced(stem, rules, step === 2 ? 1 : 0));
  const short = stem.slice(0, -1);
  if (stem.endsWith("e") && measure(short) + Number(!endsShort(short)) > 1) stem = short;
  return stem.endsWith("ll") && measure(stem) > 1 ? stem.slice(0, -1) : stem;
}

/** Applies the rule of the longest ending that a word has, if the measure of the rest is large enough. */
function replaced(word: string, rules: Rules, min: number): string {
  const [ending, replacement] = rules.get(word.at(-1)!)?.find(([ending]) => word.endsWith(ending)) ?? [];
  if (ending === undefined) return word;
  const rest = word.slice(0, word.length - ending.length);
  // Of "tion" and "sion" the first letter belongs to the rest.
  return measure(replacement!.length === 1 ? rest + replacement : rest) > min ? rest + replacement : word;
}

/** "c" for each consonant and "v" for each vowel; y is a vowel after a consonant. */
function shape(text: string): string {
  let result = "";
  for (const letter of text) {
    const isVowel = "aeiou".includes(letter) || (letter === "y" && result.endsWith("c"));
    result += isVowel ? "v" : "c";
  }
  return result;
}

/** The number of times that consonants follow vowels. */
function measure(text: string): number {
  return shape(text).split("vc").length - 1;
}

/** Whether a text ends with a consonant, a vowel, and a consonant other than w, x and y. */
function endsShort(text: string): boolean {
  return shape(text).endsWith("cvc") && !/[wxy]$/.test(text);
}
