/** What is asked for? Reads a query: words, and phrases in double quotes. */

import { readWords } from "./tokens.ts";
import { MAX_PHRASE_WORDS } from "./word_order.ts";

/** As much of a query as is read, in UTF-16 units: several pages of questions. */
export const MAX_QUERY_UNITS = 4096;
/** The most different words of a query that are looked for; whoever writes more has said what matters by then. */
export const MAX_QUERY_WORDS = 48;
/** The most phrases; those behind them are words like all others. */
const MAX_PHRASES = 8;
/** A word that is said again counts again, but not without end. */
const MAX_COUNT = 4;
/** What follows from a word, such as the parts of an identifier, counts half of it. */
const ASIDE_COUNT = 0.5;

/**
 * Words that ask, in English and German, folded. They are in most questions and in few documents, so they look rare and
 * telling and are neither. They count a little: there may be nothing else in a query.
 */
const ASKING: ReadonlySet<string> = new Set(
  ("what,which,who,whom,whose,why,how,when,where,is,are,was,were,do,does,did,can,could,should,would,will,may,must," +
    "has,have,had,been,be,there,any,welche,welcher,welches,welchem,welchen,wer,wen,wem,warum,wieso,weshalb,wie,wann," +
    "wo,wohin,ist,sind,war,waren,wird,werden,wurde,wurden,kann,konnen,soll,sollen,muss,mussen,darf,durfen,hat,haben," +
    "gibt,es").split(","),
);
const ASKING_COUNT = 0.25;

/** A word that is asked for. */
export interface QueryWord {
  readonly word: string;
  /** How often it is said. */
  count: number;
  /** Whether only this very word is meant, because it stands in a phrase. */
  isExact: boolean;
}

/** What a query asks for. */
export interface Query {
  readonly words: readonly QueryWord[];
  /** The words of each phrase, in their order, up to the first one that is not looked for. */
  readonly phrases: readonly (readonly string[])[];
}

/** Reads a query, however it is written; whatever is no word, and a quote without an end, says nothing. */
export function readQuery(text: string): Query {
  const words = new Map<string, QueryWord>();
  const phrases: string[][] = [];
  const add = (word: string, count: number, isExact: boolean): boolean => {
    const known = words.get(word);
    if (known) {
      known.count = Math.min(known.count + count, MAX_COUNT);
      known.isExact &&= isExact;
    } else if (words.size < MAX_QUERY_WORDS) words.set(word, { word, count, isExact });
    return words.has(word);
  };
  const stretches = text.slice(0, MAX_QUERY_UNITS).split(/["“”„]/);
  for (const [index, stretch] of stretches.entries()) {
    const isQuoted = index % 2 === 1 && index < stretches.length - 1 && phrases.length < MAX_PHRASES;
    const phrase: string[] = [];
    let isWhole = true;
    readWords(stretch, (word, _start, _end, isAside) => {
      if (!isQuoted) add(word, ASKING.has(word) ? ASKING_COUNT : isAside ? ASIDE_COUNT : 1, false);
      else if (!isAside) {
        // A phrase ends where a word of it is not looked for: over a gap, its words are no neighbours.
        isWhole = add(word, 1, true) && isWhole;
        if (isWhole) phrase.push(word);
      }
    });
    // A phrase that is too long to be followed is looked for in pieces.
    for (let from = 0; from < phrase.length; from += MAX_PHRASE_WORDS) {
      phrases.push(phrase.slice(from, from + MAX_PHRASE_WORDS));
    }
  }
  return { words: [...words.values()], phrases };
}
