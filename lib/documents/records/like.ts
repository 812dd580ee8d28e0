/** What is written into a record: words and phrases of the language that its status is in. Only commands that write load it. */

import type { LanguageWords, Words } from "./words.ts";
import { capitalized } from "../../base/text.ts";
import { folded, isEnglish, JOINED, splitWords } from "./words.ts";

/** "Superseded by" in languages in which words surround the name, by the label for "supersedes". */
const PASSIVES: Readonly<Record<string, string>> = {
  "置き換え対象": "{} に置き換え済み",
  "取代了": "已被 {} 取代",
  "대체 대상": "{} 에 의해 대체됨",
};

/** The languages that have the first of some words, then those that have others of them; none for English. */
function languagesOf(words: Words, [first = "", ...others]: readonly string[]): LanguageWords[] {
  const has = ({ status }: LanguageWords, word: string) => {
    const key = folded(word), isWithin = JOINED.test(word);
    return Object.values(status).some((words) =>
      splitWords(words).map(folded).some((one) => one === key || (isWithin && key.includes(one)))
    );
  };
  const ranked = words.languages.map((language) => {
    const count = others.filter((word) => has(language, word)).length;
    return { language, rank: has(language, first) ? count + others.length + 1 : count };
  }).filter(({ rank }) => rank > 0).sort((one, other) => other.rank - one.rank);
  const isKnown = !isEnglish(first) && ranked[0] !== undefined && ranked[0].rank > others.length;
  return isKnown ? ranked.map(({ language }) => language) : [];
}

/** The one of some words that agrees with another in its form: "rejetée" with "acceptée", "已拒绝" with "已接受". */
function agreeing(words: readonly string[], other: string): string | undefined {
  const formOf = (word: string) => /^已|済み$|됨$|[aeiouyéоа]$/iu.exec(word)?.[0].toLowerCase();
  return words.find((word) => formOf(word) === formOf(other)) ?? words[0];
}

/**
 * A status in the language of the first of some words, and in its case: "Vorgeschlagen" for "proposed" and "Akzeptiert". The other
 * words are those of the same folder, and are preferred. Undefined for English.
 */
export function statusLike(words: Words, status: string, used: readonly string[]): string | undefined {
  const [first = ""] = used, others = new Set(used.map(folded));
  const [found] = languagesOf(words, used).flatMap((language) => {
    const known = splitWords(language.status[status] ?? "");
    const own = known.filter((word) => others.has(folded(word)));
    return agreeing(own.length > 0 ? own : known, first) ?? [];
  });
  return found && /^\p{Lu}/u.test(first) ? capitalized(found) : found;
}

/** How a record names another, with "{}" for its name, in the language of the first of some words: "ersetzt durch {}". */
export function phraseLike(
  words: Words,
  relation: "supersedes" | "supersededBy",
  used: readonly string[],
): string | undefined {
  return languagesOf(words, used).flatMap(({ labels: { supersedes = "", supersededby = "" }, status }) => {
    const [label = ""] = splitWords(supersedes), isJoined = JOINED.test(label);
    if (relation === "supersedes") return label === "" ? [] : `${label}${isJoined ? ":" : ""} {}`;
    // The last word of a label: "durch" of "ersetzt durch".
    const [by] = splitWords(supersededby).flatMap((one) => / \S+$/.exec(one)?.[0] ?? []);
    const word = agreeing(splitWords(status["superseded"] ?? ""), used[0]!);
    return isJoined ? PASSIVES[label] ?? [] : by === undefined || word === undefined ? [] : `${word}${by} {}`;
  })[0];
}
