/** What a document defines: abbreviations, and the terms of a glossary with their other names. */

import type { Section } from "../formats/markdown/sections.ts";
import type { Definition } from "../search/mod.ts";
import { MAX_LINE, plain } from "../formats/markdown/lines.ts";

/** How much of a text before an abbreviation is read, in UTF-16 units. */
const MAX_LONG = 100;
/** The maximum number of definitions of one document. */
const MAX_DEFINITIONS = 1000;
/** The maximum number of words of another name, and of a meaning that is one. */
const MAX_NAME_WORDS = 5;
/** The maximum number of names of one term. */
const MAX_NAMES = 5;

/** "LF" or "LFs" in brackets after its long form, and before the brackets of that. */
const IN_BRACKETS = /^["“'`*_]*([\p{L}\p{N}][\p{L}\p{N}&./-]{1,9}?)s?["”'`*_]*$/u;
const BEFORE_BRACKETS = /(?:^|[^\p{L}\p{N}])([\p{L}\p{N}][\p{L}\p{N}&./-]{1,9})["”'`*_]* $/u;
/** A short form has two capitals, or is like "k8s". */
const SHORT = /\p{Lu}.*\p{Lu}|^\p{L}\d{1,2}\p{L}$/u;
/** The maximum length of a short form with its marks, in UTF-16 units. */
const MAX_SHORT = 16;
const NONE: readonly Definition[] = [];

/** The abbreviations that a line defines. `before` is the line before it, if it continues that. */
export function abbreviationsIn(line: string, before: string): readonly Definition[] {
  let open = line.length > MAX_LINE ? -1 : line.indexOf("(");
  if (open < 0) return NONE;
  const found: Definition[] = [];
  for (; open >= 0; open = line.indexOf("(", open + 1)) {
    const inner = line.slice(open + 1, open + 1 + MAX_LONG), close = inner.indexOf(")");
    if (close < 2) continue;
    if (close <= MAX_SHORT) {
      const short = IN_BRACKETS.exec(inner.slice(0, close))?.[1] ?? "";
      const start = Math.max(0, open - MAX_LONG);
      const long = SHORT.test(short) &&
        longFormIn(short, plain(`${before.slice(-MAX_LONG)} ${line.slice(start, open)}`));
      if (long) found.push([short, long]);
    }
    // Code calls functions without a space.
    if (line[open - 1] !== " ") continue;
    const short = BEFORE_BRACKETS.exec(line.slice(Math.max(0, open - MAX_SHORT), open))?.[1] ?? "";
    const text = SHORT.test(short) ? plain(inner.slice(0, close)).split(/[,;:]/)[0]! : "";
    if (isLongForm(short, text)) found.push([short, text]);
  }
  return found;
}

const WORD = /[\p{L}\p{N}]/u;

/**
 * The shortest end of a text that has the letters of a short form in order, the first of them at the start of a word.
 *
 * @see https://psb.stanford.edu/psb-online/proceedings/psb03/schwartz.pdf
 */
function longFormIn(short: string, text: string): string | undefined {
  const [, first = "", count = "", last = ""] = /^(\p{L})(\d{1,2})(\p{L})$/u.exec(short) ?? [];
  const lower = text.toLowerCase();
  if (count !== "") {
    const word = /[\p{L}]+$/u.exec(lower)?.[0] ?? "";
    const isNumbered = word.length === Number(count) + 2 && word.startsWith(first.toLowerCase()) &&
      word.endsWith(last);
    return isNumbered ? text.slice(-word.length) : undefined;
  }
  const letters = Array.from(short.toLowerCase()).filter((letter) => WORD.test(letter));
  let at = lower.length;
  for (let index = letters.length - 1; index >= 0; index--) {
    do at = at > 0 ? lower.lastIndexOf(letters[index]!, at - 1) : -1; while (
      index === 0 && at > 0 && WORD.test(lower[at - 1]!)
    );
    if (at < 0) return undefined;
  }
  const long = text.slice(at), words = long.split(/[\s-]+/).length;
  const isFar = words > Math.min(letters.length + 5, letters.length * 2) || /[.:;()"|]\s/.test(long);
  return isFar || long.length <= short.length + 1 ? undefined : long;
}

function isLongForm(short: string, text: string): boolean {
  return text !== "" && longFormIn(short, text) === text;
}

/** The names of pages, folders and headings that define terms. */
const GLOSSARY =
  /(?:^|[^\p{L}])(?:glossary|terminology|ubiquitous[ _-]language|vocabulary|abbreviations|acronyms|synonyms|(?:key |domain )?terms|definitions|glossar|begriffe|abkürzungen|glossaire|lexique|abréviations|glosario|glosari|glossário|glossario|termini|begrippen|słownik|глоссарий|термины)(?:$|[^\p{L}])|用語|用语|术语|術語|词汇|용어/iu;
/** A glossary is not "Terms of service", nor a sentence. */
const MAX_GLOSSARY_WORDS = 4;

function isGlossary(title: string): boolean {
  return GLOSSARY.test(title) && !/\bservice|\bconditions/i.test(title) &&
    title.split(/\s+/).length <= MAX_GLOSSARY_WORDS;
}

/** What a document says of itself: its title with its tags if it is a page of a glossary; else a tag that abbreviates the title. */
export function namesOf(key: string, title: string, tags: readonly string[]): Definition[] {
  const isPage = key.split("/").slice(0, -1).some(isGlossary);
  return tags.flatMap((tag): Definition[] => {
    const other = isPage ? title : abbreviated(tag, title) ?? tags.find((other) => abbreviated(tag, other));
    return other === undefined ? [] : [[tag, abbreviated(tag, other) ?? other]];
  });
}

/** The words of a text that a tag abbreviates: each of its letters begins one of them. */
function abbreviated(tag: string, text: string): string | undefined {
  const words = text.split(/[^\p{L}\p{N}]+/u), letters = tag.toLowerCase();
  if (!/^[\p{L}\p{N}]{2,9}$/u.test(tag)) return undefined;
  if (/\d/.test(tag)) return words.find((word) => word.length > 3 && longFormIn(tag, word) !== undefined);
  const from = words.map((word) => word[0]?.toLowerCase() ?? " ").join("").indexOf(letters);
  return from < 0 || letters.length < 2 ? undefined : words.slice(from, from + letters.length).join(" ");
}

/** A term and what follows it on a line: "**Term**: meaning", "- Term – meaning". */
const MARKED = /^(?:> ?)?(?:(?:[-*+]|\d{1,3}[.)])\s{1,4})?(?:\*\*|__)([^*_]{1,80})(?:\*\*|__)(.{0,2000})$/;
const LISTED = /^(?:[-*+]|\d{1,3}[.)])\s{1,4}([^:–—]{1,80}?)\s*(?::|\s[-–—])\s(.{0,2000})$/;
/** Headers of columns that have other names. */
const NAME_COLUMN = /synonym|alias|also|abbr|acronym|short|long|name|stands|abk|sigle|別名|别名|略/i;

/** The terms that the glossaries of a document define, with their other names. */
export function glossaryOf(
  lines: readonly string[],
  sections: readonly Section[],
  { key, title, bodyLine }: { readonly key: string; readonly title: string; readonly bodyLine: number },
): Definition[] {
  const name = key.split("/").at(-1)!.replace(/[-_.]/g, " ");
  const parts = isGlossary(title) || isGlossary(name)
    ? [{ line: bodyLine, end: lines.length, level: 1 }]
    : sections.filter(({ title }) => isGlossary(title));
  const found: Definition[] = [];
  const add = (term: string, meaning: string, names: readonly string[] = []): void => {
    for (const definition of definitionsOf(term.slice(0, MAX_LINE), meaning.slice(0, MAX_LINE), names)) {
      if (found.length < MAX_DEFINITIONS) found.push(definition);
    }
  };
  for (const { line: from, end, level } of parts) {
    for (const section of sections) {
      const isWithin = section.line >= from && section.line < end && section.level > level;
      if (isWithin) {
        add(
          section.title,
          lines.slice(section.line + 1, section.end).find((line) => /\S/.test(line)) ?? "",
        );
      }
    }
    let header: string[] | undefined;
    for (let at = from; at < end; at++) {
      const line = lines[at]!.slice(0, MAX_LINE).trim();
      const cells = line.startsWith("|") ? line.split("|").slice(1).map((cell) => cell.trim()) : undefined;
      const definition = /^:\s+(.*)/.exec(line)?.[1];
      if (cells && !header) header = cells;
      else if (cells && !/^[-: ]*$/.test(cells[0]!)) {
        const isName = (_: string, index: number) => index > 1 && NAME_COLUMN.test(header![index] ?? "");
        add(cells[0]!, cells[1] ?? "", cells.filter(isName));
      } else if (definition !== undefined) add(lines[at - 1] ?? "", definition);
      const [, term, meaning] = cells ? [] : MARKED.exec(line) ?? LISTED.exec(line) ?? [];
      if (term !== undefined) add(term, meaning!);
      if (!cells) header = undefined;
    }
  }
  return found;
}

/** What introduces other names in a meaning. They end with the sentence. */
const ALSO =
  /(?:\balso (?:known as|called|named)|\baka|\ba\.k\.a\.|\bsynonyms?(?: of| for)?|\bshort for|\bstands for|\babbreviat(?:ed|ion)(?: as| of| for)?|\baliases|\balias(?: of| for)?|\bformerly|^see|\bauch|\bSynonyme?|\bkurz für|\baussi|\btambién)\s*:?\s+([^.;()]{2,120})/giu;

/** Each two names of a term. A meaning of few words is a name, and so are words that the term abbreviates. */
function definitionsOf(term: string, meaning: string, others: readonly string[]): Definition[] {
  const [first, ...names] = [term, ...others].flatMap(toNames);
  if (first === undefined) return [];
  const text = plain(meaning).replace(/^\W+/u, "").replace(/[.\s]+$/, "");
  const opening = text.replace(/^(?:an?|the|ein|eine|der|die|das)\s/i, "");
  const words = opening.split(/\s+/);
  if (text !== "" && words.length <= MAX_NAME_WORDS && !/[.;:]/.test(opening)) {
    names.push(...toNames(opening));
  }
  for (const short of SHORT.test(first) ? [first] : []) {
    const ends = words.slice(0, 10).map((_, index) =>
      words.slice(0, index + 1).join(" ").replace(/[,.;:]$/, "")
    );
    const long = ends.find((part) => isLongForm(short, part));
    if (long !== undefined) names.push(long);
  }
  for (const [, list = ""] of text.matchAll(ALSO)) names.push(...toNames(list));
  const all = [...new Set([first, ...names])].slice(0, MAX_NAMES);
  return all.flatMap((one, at) => all.slice(at + 1).map((other): Definition => [one, other]));
}

/** The names in "Cart (basket)", "Cart / Basket", "cart, basket or trolley". */
function toNames(text: string): string[] {
  const names = plain(text).split(/\s*[(),/|]\s*|\s+(?:or|and|oder|und|ou|et|o|y)\s+|:$/)
    .map((name) => name.replace(/^(?:or|and|oder|und|an?|the)\s|^["“„'\s]+|["”“'\s.]+$/g, ""));
  return names.filter((name) => NAME.test(name) && name.split(/\s+/).length <= MAX_NAME_WORDS);
}

/** A name has no control characters, which would reach a terminal. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}\p{M} '’&+#._-]{1,79}$/u;
