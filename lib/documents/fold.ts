/**
 * Which spellings are one word? "Größe", "GROESSE" as far as case goes, "ＡＰＩ" and "naïve" are written in several ways
 * and looked for in yet another; folded, all of them are plain small letters.
 *
 * @see https://www.unicode.org/reports/tr15/ on compatibility decomposition
 */

/**
 * What a word keeps its meaning without: accents of Latin, Greek and Cyrillic, vowel points of Hebrew and Arabic, and
 * what only steers how a word is broken or joined. Not all marks: those of Thai, Hindi or Japanese are letters.
 */
const DROPPED = /[\u0300-\u036f\u0591-\u05c7\u0640\u064b-\u0652\u0670\u00ad\u200c\u200d\u2060\ufeff]/g;
/** Letters that decomposition leaves as they are, as they are written where they are not on the keyboard. */
const SPELLED: Readonly<Record<string, string>> = {
  "ß": "ss",
  "æ": "ae",
  "œ": "oe",
  "ø": "o",
  "ł": "l",
  "đ": "d",
  "ð": "d",
  "þ": "th",
  "ı": "i",
  "ς": "σ",
};
const SPELLED_LETTER = /[ßæœøłđðþıς]/g;

/** Folds case, accents, widths and ligatures; what is composed again stays one character ("が" is not "か"). */
export function fold(text: string): string {
  return text
    .normalize("NFKD")
    .replace(DROPPED, "")
    .toLowerCase()
    .replace(SPELLED_LETTER, (letter) => SPELLED[letter]!)
    .normalize("NFC");
}
