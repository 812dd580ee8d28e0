/** Other forms of words, as documents define them: abbreviations, and other names for one thing. */

import type { Definition, InvertedIndex } from "./index.ts";
import type { QueryTerm, Synonym } from "./query.ts";
import { FIELD_MASK, ORDINAL_SHIFT, sequencePattern } from "./index.ts";
import { FUNCTION_WORDS, GLUED, MAX_LOOSE_TERMS } from "./query.ts";
import { STEMMED, stemOf } from "./stem.ts";
import { tokenize } from "./tokenizer.ts";

/** The maximum number of definitions of all documents. Later ones are left out. */
const MAX_DEFINITIONS = 4096;
/** The maximum number of other forms of one form. */
const MAX_OTHERS = 4;
/** The maximum number of words of a form. */
const MAX_WORDS = 8;
/** The maximum number of forms that begin with the same word. */
const MAX_SAME_START = 64;

/** The weight of another form, as a share of that of the word itself. */
export const SYNONYM_WEIGHT = 0.5;

interface Form {
  readonly text: string;
  readonly words: readonly string[];
}

interface Known extends Form {
  readonly others: Form[];
}

/** The forms that have others, by the stem of their first word. */
export type Synonyms = ReadonlyMap<string, readonly Known[]>;

/** Makes the table of some definitions. */
export function toSynonyms(definitions: Iterable<Definition>): Synonyms {
  const synonyms = new Map<string, Known[]>();
  let count = 0;
  const add = (form: Form, other: Form): void => {
    const key = stem(form.words[0]!), same = synonyms.get(key) ?? [];
    let known = same.find(({ words }) => words.join(" ") === form.words.join(" "));
    if (!known && same.length < MAX_SAME_START) same.push(known = { ...form, others: [] });
    const isKnown = known?.others.some(({ words }) => words.join(" ") === other.words.join(" "));
    if (known && !isKnown && known.others.length < MAX_OTHERS) known.others.push(other);
    synonyms.set(key, same);
  };
  for (const texts of definitions) {
    if (count++ === MAX_DEFINITIONS) break;
    const [one, other] = texts.map(toForm);
    if (!one || !other || one.words.join(" ") === other.words.join(" ")) continue;
    add(one, other);
    add(other, one);
  }
  return synonyms;
}

function toForm(text: string): Form | undefined {
  const words: string[] = [];
  tokenize(text, (word, _start, _end, isDerived) => void (isDerived || words.push(word)));
  const isEmpty = words.every((word) => word.length < 2 || FUNCTION_WORDS.has(word));
  return isEmpty || words.length > MAX_WORDS ? undefined : { text, words };
}

/** A word without inflection. A short word is left as it is: "ios" is not a form of "io". */
function stem(word: string): string {
  return word.length > 3 && STEMMED.test(word) ? stemOf(word) : word;
}

/** The longest forms in the words of a query, each with its other ones that are indexed. A text has none: it says enough. */
export function synonymsIn(
  words: readonly QueryTerm[],
  synonyms: Synonyms,
  { vocabulary }: InvertedIndex,
): Synonym[] {
  const found: Synonym[] = [];
  if (words.length > MAX_LOOSE_TERMS) return found;
  const add = (asked: readonly QueryTerm[], text: string, other: Form): void => {
    const ids = other.words.map((word) => {
      const exact = vocabulary.id(word) ?? [], isStemmed = word.length > 3 && STEMMED.test(word);
      return [...new Set([exact, isStemmed ? vocabulary.withStem(stemOf(word)) : []].flat())];
    });
    if (ids.every(({ length }) => length > 0)) found.push({ asked, text, other: other.text, ids });
  };
  const stems = words.map(({ text }) => stem(text));
  for (let at = 0, next = 0; at < words.length; at++) {
    const term = words[at]!, [, letters = "", number = ""] = GLUED.exec(term.text) ?? [];
    // "OAuth2" may be written as "OAuth 2".
    if (letters.length > 1) {
      add([term], term.text, { text: `${letters} ${number}`, words: [letters, number] });
    }
    if (at < next) continue;
    const fitting = (synonyms.get(stems[at]!) ?? [])
      .filter((form) => form.words.every((word, index) => stem(word) === stems[at + index]));
    const longest = Math.max(1, ...fitting.map(({ words }) => words.length));
    for (const { text, others } of fitting.filter(({ words }) => words.length === longest)) {
      for (const other of others) add(words.slice(at, at + longest), text, other);
    }
    next = at + longest;
  }
  return found;
}

/** The postings of a form: of the documents that have its words in sequence, with the least of their weights. */
export function formPostings(
  index: InvertedIndex,
  ids: readonly (readonly number[])[],
  sequenceOf: (ordinal: number) => string | undefined,
): Iterable<number> {
  const count = (all: readonly number[]): number => all.reduce((sum, id) => sum + index.count(id), 0);
  let found: Map<number, number> | undefined;
  for (const all of ids.toSorted((one, other) => count(one) - count(other))) {
    const both = new Map<number, number>();
    for (const id of all) {
      for (const posting of index.postings(id)) {
        const ordinal = posting >>> ORDINAL_SHIFT, before = found ? found.get(ordinal) : posting;
        if (before === undefined) continue;
        const fields = before & posting & FIELD_MASK;
        const least = (Math.min(before >>> 0, posting) & ~FIELD_MASK | fields) >>> 0;
        both.set(ordinal, Math.max(both.get(ordinal) ?? 0, least));
      }
    }
    found = both;
  }
  if (ids.length === 1) return [...found!.values()];
  const pattern = sequencePattern(ids);
  return [...found!].flatMap(([ordinal, posting]) => pattern.test(sequenceOf(ordinal) ?? "") ? posting : []);
}
