/** Splits text into terms: folded words, the parts of identifiers, and pairs of characters in scripts without spaces. */

/** The maximum length of a term, in UTF-16 units. Longer ones are cut. */
const MAX_TERM = 64;
/** How much of a run without spaces is folded at a time, in characters. */
const MAX_RUN = 4096;

/**
 * Receives a term with its UTF-16 offsets. A derived term is not in the text by itself, such as "camel" of "camelCase", or
 * "readmodel" of "read-model". It comes after the terms that it is derived from.
 */
type TakeTerm = (term: string, start: number, end: number, isDerived: boolean) => void;

const SEPARATOR = 1, LETTER = 2, CAPITAL = 3, DIGIT = 4, MARK = 5, JOINER = 6, DENSE = 7;

/** Scripts written without spaces (and Korean, whose particles are attached to words), with their repetition marks. */
const DENSE_CHARACTERS = "Han Hiragana Katakana Hangul Thai Lao Khmer Myanmar".split(" ")
  .map((script) => `\\p{Script=${script}}`).join("") + "\\u3005\\u3006\\u303b\\u30fc\\uff70\\uff9e\\uff9f";
/** Combining marks, soft hyphens and joiners. They are part of the word around them. */
const MARKS = "\\p{M}\\u00ad\\u200c\\u200d\\u2060\\ufeff";
const DENSE_PATTERN = new RegExp(`[${DENSE_CHARACTERS}]`, "u");
const DENSE_RUN = new RegExp(`[${DENSE_CHARACTERS}][${DENSE_CHARACTERS}${MARKS}]{0,${MAX_RUN - 1}}`, "uy");
const CLASSES: readonly (readonly [number, RegExp])[] = [
  // High surrogates: nearly all letters outside the basic plane are Han; DENSE_RUN decides.
  [DENSE, new RegExp(`[${DENSE_CHARACTERS}\\ud800-\\udbff]`, "u")],
  [JOINER, /[-_.\u2010\u2011]/],
  [CAPITAL, /\p{Lu}/u],
  [DIGIT, /\p{N}/u],
  [LETTER, /\p{L}/u],
  [MARK, new RegExp(`[${MARKS}]`, "u")],
];

/** The class of each UTF-16 unit, filled on first use. */
const classes = new Uint8Array(0x10000);

/** The class of a character; SEPARATOR past the end. */
function classOf(text: string, index: number): number {
  if (index >= text.length) return SEPARATOR;
  const unit = text.charCodeAt(index);
  if (classes[unit] === 0) {
    const character = String.fromCharCode(unit);
    classes[unit] = CLASSES.find(([, pattern]) => pattern.test(character))?.[0] ?? SEPARATOR;
  }
  return classes[unit]!;
}

function isWordClass(kind: number): boolean {
  return kind === LETTER || kind === CAPITAL || kind === DIGIT;
}

/** Whether a term is of a script without spaces; such terms have no inflected forms, prefixes or typing errors. */
export function isDense(term: string): boolean {
  return term.charCodeAt(0) > 0x7f && DENSE_PATTERN.test(term);
}

/** Receives the offsets of a word of ASCII letters, and the two hashes of its lower case. */
type TakeWord = (start: number, end: number, hash: number, check: number) => void;

/** Hashes differ from process to process, so that no text can have many terms with the same hash. */
const [SEED, CHECK_SEED] = [Math.random() * 2 ** 32 | 0, Math.random() * 2 ** 32 | 0];
const [FACTOR, CHECK_FACTOR] = [Math.random() * 2 ** 32 | 0x405, Math.random() * 2 ** 32 | 0x811];

export function hashOf(term: string): number {
  return hashWith(term, SEED, FACTOR);
}

/** Another hash: terms with the same two hashes are taken as the same. That happens in less than one of a million processes. */
export function checkOf(term: string): number {
  return hashWith(term, CHECK_SEED, CHECK_FACTOR);
}

function hashWith(term: string, seed: number, factor: number): number {
  let hash = seed;
  for (let at = 0; at < term.length; at++) hash = Math.imul(hash ^ term.charCodeAt(at), factor);
  return hash;
}

/** Takes the terms of a text in order. Words of ASCII letters alone go to `takeWord`, if there is one: most are of that kind. */
export function tokenize(text: string, take: TakeTerm, takeWord?: TakeWord): void {
  for (let index = 0; index < text.length;) {
    const kind = classOf(text, index);
    if (isWordClass(kind)) {
      const end = takeWord && kind !== DIGIT ? takePlain(text, index, takeWord) : 0;
      index = end || takeIdentifier(text, index, take);
    } else if (kind === DENSE) index = takeDenseRun(text, index, take);
    else index++;
  }
}

/** Takes a word that is like "word", "Word" or "WORD" and nothing more. Returns its end, or 0 for any other. */
function takePlain(text: string, from: number, take: TakeWord): number {
  const first = text.charCodeAt(from) | 0x20;
  if (first < 0x61 || first > 0x7a) return 0;
  let hash = Math.imul(SEED ^ first, FACTOR), check = Math.imul(CHECK_SEED ^ first, CHECK_FACTOR);
  let end = from + 1;
  // After a capital, all may be capitals.
  const least = end < text.length && text.charCodeAt(end) < 0x61 && text.charCodeAt(from) < 0x61
    ? 0x41
    : 0x61;
  for (; end < text.length; end++) {
    const unit = text.charCodeAt(end);
    if (unit < least || unit > least + 25) break;
    hash = Math.imul(hash ^ (unit | 0x20), FACTOR);
    check = Math.imul(check ^ (unit | 0x20), CHECK_FACTOR);
  }
  const kind = classOf(text, end);
  const isEnd = kind === SEPARATOR
    ? end - from > 2 || (text[end] !== "#" && text[end] !== "+")
    : kind === DENSE || (kind === JOINER && !isWordClass(classOf(text, end + 1)));
  if (!isEnd || end - from > MAX_TERM) return 0;
  take(from, end, hash, check);
  return end;
}

/** Takes one word, or several with joiners between them ("read-model", "snake_case", "main.ts"). Returns the end. */
function takeIdentifier(text: string, from: number, take: TakeTerm): number {
  let joined = "";
  for (let start = from;;) {
    const end = takeWord(text, start, take);
    const continues = classOf(text, end) === JOINER && isWordClass(classOf(text, end + 1));
    // An identifier longer than a term is not joined: that would take quadratic time.
    const isJoinable = end - from <= MAX_TERM;
    if (isJoinable && (continues || start > from)) joined += termOf(text, start, end);
    if (!continues) {
      if (isJoinable && joined !== "") take(joined, from, end, true);
      return end;
    }
    start = end + 1;
  }
}

/** Takes one word and what is derived from it. Returns the end. */
function takeWord(text: string, from: number, take: TakeTerm): number {
  let isPlain = true;
  let cuts: number[] | undefined;
  let previous = SEPARATOR;
  let end = from;
  for (; end < text.length; end++) {
    const kind = classOf(text, end);
    if (!isWordClass(kind) && kind !== MARK) {
      // Between digits a joiner is part of the word: 1.2.3 is neither 123 nor three numbers.
      if (kind !== JOINER || previous !== DIGIT || classOf(text, end + 1) !== DIGIT) break;
      (cuts ??= []).push(end);
      isPlain = false;
    } else if (kind === CAPITAL || text.charCodeAt(end) > 0x7f) {
      isPlain = false;
      if (kind === CAPITAL && end > from && startsPart(text, end, previous)) (cuts ??= []).push(end);
    }
    previous = kind;
  }
  const term = isPlain
    ? withoutZeros(text.slice(from, Math.min(end, from + MAX_TERM)))
    : termOf(text, from, end);
  take(term, from, end, false);
  if (cuts && end - from <= MAX_TERM) {
    cuts.push(end);
    let start = from;
    for (const [at, cut] of cuts.entries()) {
      take(termOf(text, start, cut), start, cut, true);
      // The "OAuth" of "getOAuthToken" is one part as well. The first letter of "IToken" is a prefix.
      const next = cuts[at + 1] ?? start;
      const isLetter = cut - start === 1 && start > from && classOf(text, cut) === CAPITAL;
      if (isLetter && next > cut) take(termOf(text, start, next), start, next, true);
      start = classOf(text, cut) === JOINER ? cut + 1 : cut;
    }
  }
  // C#, F# and C++ are terms in addition to C and F.
  const sign = end - from > 2 ? "" : text[end] === "#" ? "#" : text.startsWith("++", end) ? "++" : "";
  const after = end + sign.length;
  if (sign !== "" && !isWordClass(classOf(text, after))) take(term + sign, from, after, true);
  return end;
}

/** Whether a capital starts a new part: "camelCase", "HTTPServer", but not the plural "APIs". */
function startsPart(text: string, index: number, previous: number): boolean {
  if (previous !== CAPITAL) return true;
  const isPlural = text[index + 1] === "s" && classOf(text, index + 2) !== LETTER;
  return classOf(text, index + 1) === LETTER && !isPlural;
}

function termOf(text: string, from: number, to: number): string {
  const raw = text.slice(from, Math.min(to, from + MAX_TERM));
  return withoutZeros(/[^\0-\x7f]/.test(raw) ? fold(raw).slice(0, MAX_TERM) : raw.toLowerCase());
}

/** Writes a number without leading zeros, because ADR-007 is ADR-7, and a date or version with dots. */
function withoutZeros(term: string): string {
  const first = term.charCodeAt(0);
  if (first < 0x30 || first > 0x39 || !/^\d+([-_.]\d+)*$/.test(term)) return term;
  return term.replace(/[-_]/g, ".").replace(/(^|\.)0+(?=\d)/g, "$1");
}

/** Takes each pair of adjacent characters of a dense script, or a single character. Returns the end. */
function takeDenseRun(text: string, from: number, take: TakeTerm): number {
  DENSE_RUN.lastIndex = from;
  const run = DENSE_RUN.exec(text)?.[0];
  if (run === undefined) return from + 1;
  const end = from + run.length;
  const characters = Array.from(fold(run));
  if (characters.length === 1) take(characters[0]!, from, end, false);
  // If folding changes the length, only the run as a whole has a position.
  const isAligned = characters.join("").length === run.length;
  let start = from;
  for (let index = 1; index < characters.length; index++) {
    const pair = characters[index - 1]! + characters[index]!;
    take(pair, isAligned ? start : from, isAligned ? start + pair.length : end, false);
    start += characters[index - 1]!.length;
  }
  return end;
}

/** Accents of Latin, Greek and Cyrillic, vowel points of Hebrew and Arabic, soft hyphens, joiners. */
const DROPPED = /[\u0300-\u036f\u0591-\u05c7\u0640\u064b-\u0652\u0670\u00ad\u200c\u200d\u2060\ufeff]/g;
/** Letters that Unicode does not decompose, each with its usual replacement. */
const SPELLED = new Map(
  "ßss æae œoe øo łl đd ðd þth ıi ςσ".split(" ").map((pair) => [pair[0]!, pair.slice(1)]),
);

/** Folds case, accents, widths and ligatures. A composed character stays one character: "が" does not become "か". */
function fold(text: string): string {
  return text
    .normalize("NFKD")
    .replace(DROPPED, "")
    .toLowerCase()
    .replace(/[ßæœøłđðþıς]/g, (letter) => SPELLED.get(letter)!)
    .normalize("NFC");
}
