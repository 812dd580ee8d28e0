/** Generated documents for all measurements of time and memory, with words as unevenly used as in prose. */
import { Random } from "../../fuzz/random.ts";

/** One document of a collection. */
export interface Doc {
  id: string;
  title: string;
  body: string;
}

/** Different words; ten thousand documents of two kilobytes of prose use about as many. */
const WORDS = 60_000;
/** How much rarer each next word is: the exponent of Zipf's law, as it is measured in English. */
const EXPONENT = 1.05;
const SEED = 20_260_803;

const ONSETS = ["b", "c", "d", "f", "g", "h", "l", "m", "n", "p", "qu", "r", "s", "st", "t", "tr", "v", "w"];
const VOWELS = ["a", "e", "i", "o", "u", "ea", "io"];
const CODAS = ["", "", "n", "r", "s", "t", "ck", "ng"];

/** Makes documents of about so many bytes each, the same ones every time. */
export function makeCorpus(count: number, bytes: number): Doc[] {
  const random = new Random(SEED);
  const words = makeWords(random);
  const next = zipf(random);
  const word = (): string => words[next()]!;
  return Array.from({ length: count }, (_, index) => {
    const title = capital(Array.from({ length: 5 }, word).join(" "));
    const lines: string[] = [];
    for (let length = 0, line = 0; length < bytes; line++) {
      const isHeading = line % 8 === 0;
      const text = capital(Array.from({ length: isHeading ? 3 : 12 }, word).join(" "));
      lines.push(isHeading ? `\n## ${text}\n` : `${text}.`);
      length += text.length + 2;
    }
    return { id: String(index + 1), title, body: lines.join("\n") };
  });
}

/** Questions of a few words each, some frequent and most not, as people ask. */
export function makeQueries(corpus: readonly Doc[], count: number): string[] {
  const random = new Random(SEED + 1);
  return Array.from({ length: count }, () => {
    const { body } = random.pick(corpus);
    const words = body.match(/\w+/g)!;
    return Array.from({ length: 4 }, () => random.pick(words)).join(" ");
  });
}

/** Words of one to four syllables, the frequent ones short. */
function makeWords(random: Random): string[] {
  const words = new Set<string>();
  while (words.size < WORDS) {
    const syllables = 1 + Math.floor(Math.log10(words.size + 1) * 0.75);
    words.add(
      Array.from({ length: syllables }, () => random.pick(ONSETS) + random.pick(VOWELS) + random.pick(CODAS))
        .join(""),
    );
  }
  return [...words];
}

/** Draws the rank of a word. */
function zipf(random: Random): () => number {
  const sums = new Float64Array(WORDS);
  let sum = 0;
  for (let rank = 0; rank < WORDS; rank++) {
    sums[rank] = sum += 1 / (rank + 1) ** EXPONENT;
  }
  return () => {
    const wanted = random.next() * sum;
    let from = 0;
    for (let to = WORDS - 1; from < to;) {
      const middle = (from + to) >>> 1;
      if (sums[middle]! < wanted) from = middle + 1;
      else to = middle;
    }
    return from;
  };
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
