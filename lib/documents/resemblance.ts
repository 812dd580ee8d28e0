/** Which words of the shelf answer a word of the query? The word itself, its forms, and what resembles it, for less. */

import type { QueryWord } from "./search_query.ts";
import type { Vocabulary } from "./vocabulary.ts";
import type { WordIndex } from "./word_index.ts";
import { isDense } from "./tokens.ts";
import { formsOf } from "./word_forms.ts";

/**
 * How a word answers another one: it is the same, a form of it, begins with it, is one typo away from it, or is a part
 * of a compound that nobody writes.
 */
export type Resemblance = "same" | "form" | "beginning" | "typo" | "part";

/** How much a word counts for each; a typo for more where nobody writes the word as it was asked for. */
const WEIGHT: Readonly<Record<Resemblance | "only typo", number>> = {
  "same": 1,
  "form": 0.6,
  "beginning": 0.3,
  "typo": 0.05,
  "only typo": 0.4,
  "part": 0.4,
};

/** The shortest word that stands for longer ones: shorter ones begin half the dictionary. */
const MIN_BEGINNING = 3;
/** The shortest word that may have a typo in it: of shorter ones, one letter makes another word. */
const MIN_TYPO = 4;
/** The shortest part of a compound. */
const MIN_PART = 4;
/** The most words that one stands for in each way. */
const MAX_RESEMBLING = 100;
/** The most words of a query that resemblances are looked for: a question of many words says enough as it stands. */
const MAX_LOOSE_WORDS = 12;

/** A word of the shelf that answers one of the query. */
export interface Answer {
  /** Its number. */
  readonly id: number;
  readonly word: string;
  readonly resemblance: Resemblance;
  readonly weight: number;
}

/**
 * Finds what answers each word of a query, one word a step: the word itself, then its forms, then the rest, always in
 * the same order.
 *
 * @param isThere Whether any document has a word, by its number; other words answer nothing.
 */
export function* findAnswers(
  words: readonly QueryWord[],
  { vocabulary }: WordIndex,
  isThere: (id: number) => boolean,
): Generator<void, Map<string, readonly Answer[]>> {
  const answers = new Map<string, readonly Answer[]>();
  for (const [index, { word, isExact }] of words.entries()) {
    const found = new Answers(vocabulary, isThere);
    found.addWord(word, "same");
    // A character by itself is in all the pairs that it stands in.
    if (isDense(word) && Array.from(word).length === 1) found.addBest(vocabulary.pairsWith(word), "same");
    if (!isExact && !isDense(word)) findResembling(word, index < MAX_LOOSE_WORDS, vocabulary, found);
    answers.set(word, found.list);
    yield;
  }
  return answers;
}

function findResembling(word: string, isLoose: boolean, vocabulary: Vocabulary, found: Answers): void {
  for (const form of formsOf(word)) found.addWord(form, "form");
  if (!isLoose) return;
  const isKnown = found.list.length > 0;
  if (word.length >= MIN_BEGINNING) found.addBest(vocabulary.beginningWith(word), "beginning");
  if (word.length >= MIN_TYPO && !/\d/.test(word)) {
    found.addBest(vocabulary.oneTypoFrom(word), isKnown ? "typo" : "only typo");
  }
  if (found.list.length === 0) addParts(word, found);
}

/** Takes a compound apart where both parts are words: "Fehlermeldung" is about errors and messages. */
function addParts(word: string, found: Answers): void {
  for (let cut = word.length - MIN_PART; cut >= MIN_PART; cut--) {
    const [first, last] = [word.slice(0, cut), word.slice(cut)].map((part) => [part, ...formsOf(part)]);
    if (![first!, last!].every((part) => part.some((form) => found.isWord(form)))) continue;
    for (const form of [...first!, ...last!]) found.addWord(form, "part");
    return;
  }
}

/** The answers to one word while they are gathered. */
class Answers {
  readonly list: Answer[] = [];
  readonly #vocabulary: Vocabulary;
  readonly #isThere: (id: number) => boolean;
  readonly #ids = new Set<number>();

  constructor(vocabulary: Vocabulary, isThere: (id: number) => boolean) {
    this.#vocabulary = vocabulary;
    this.#isThere = isThere;
  }

  isWord(word: string): boolean {
    const id = this.#vocabulary.find(word);
    return id !== undefined && this.#isThere(id);
  }

  addWord(word: string, weight: keyof typeof WEIGHT): void {
    if (this.isWord(word)) this.#add(this.#vocabulary.find(word)!, weight);
  }

  /** Adds the shortest of some words: they say the least else. */
  addBest(ids: readonly number[], weight: keyof typeof WEIGHT): void {
    const words = ids.filter(this.#isThere).map((id) => ({ id, word: this.#vocabulary.word(id) }));
    words.sort((one, other) => one.word.length - other.word.length || (one.word < other.word ? -1 : 1));
    for (const { id } of words.slice(0, MAX_RESEMBLING)) this.#add(id, weight);
  }

  #add(id: number, weight: keyof typeof WEIGHT): void {
    if (this.#ids.has(id)) return;
    this.#ids.add(id);
    const resemblance = weight === "only typo" ? "typo" : weight;
    this.list.push({ id, word: this.#vocabulary.word(id), resemblance, weight: WEIGHT[weight] });
  }
}
