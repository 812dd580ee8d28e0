/** Checks the files of the code that documents name: patterns of what they apply to, and files that records cite. */

import type { CheckedDocument, Corpus } from "./check_corpus.ts";
import type { Finding } from "./finding.ts";
import { quoted } from "../base/text.ts";
import { toGlob } from "../formats/glob.ts";
import { MAX_LINE } from "../formats/markdown/lines.ts";
import { problem } from "./rules.ts";

const isNegated = (pattern: string): boolean => /^\s*!/.test(pattern);
const isNested = (pattern: string): boolean => /\{[^{}]*\{[^{}]*\}/.test(pattern);

/** Checks the patterns of a document by themselves, and collects the others. */
export function checkPatterns(
  { document, page: { lines, front }, report }: CheckedDocument,
  { paths }: Corpus,
): void {
  const { appliesTo } = document, head = appliesTo.length === 0 ? [] : lines.slice(0, front.bodyLine);
  const bare = (line: string) => line.trim().replace(/^- +|,$/g, "").replace(/^(["'])(.*)\1$/, "$2");
  const places = new Map(head.map((line, at) => [bare(line), at + 1] as const).reverse());
  const key = head.findIndex((line) => /^["']?(?:applies[-_]?to|affects)\b/i.test(line)) + 1;
  const say = (rule: string, what: string, [bad]: readonly string[]) => {
    if (bad !== undefined) report(rule, `The pattern "${quoted(bad, 100)}" ${what}`, places.get(bad) ?? key);
  };
  const negated = 'excludes no files: in a pattern, "!" is a character of a name';
  say("applies-to-negated", negated, appliesTo.filter(isNegated));
  const nested = "has braces within braces, which have no meaning there";
  say("applies-to-nested", nested, appliesTo.filter(isNested));
  for (const path of new Set(appliesTo.filter((one) => !isNegated(one) && !isNested(one)))) {
    paths.push({ document, path, line: places.get(path) ?? key, isPattern: true });
  }
}

/** The path of a file with an ending, in backticks or as the target of a link. */
const CITED =
  /(?:(`)|\]\(<?)(?:\.{0,2}\/){0,9}((?:(?!\.{1,2}\/)[\w@.+-]{1,100}\/){1,20}[\w@+-][\w@.+-]{0,100}\.[a-z]\w{0,7})(?:[:#][\w:#.()-]{0,100})?(?=[`>)])/gi;
/** A mark for any name. */
const PLACEHOLDER = /X{3,}|N{3,}|YYYY|0000|\bmy-|(?:^|\/)(?:path|foo|bar|baz|example)(?:[/.]|$)/;
/** Sections about what was, what may be, and what is to be done. */
const OTHER_SECTION =
  /\b(?:context|background|problem|motivation|options?|alternatives?|pros|cons|history|change ?log|migration|plan|tasks?|todo|examples?|considered|rejected|before|risks?|references?|appendix|notes?)\b/i;
/** What is said of files that are moved or gone, that do not exist yet, and that are elsewhere. */
const ABSENT =
  /\b(?:delet|remov|renam|mov(?:e|ed|es|ing)\b|drop|retir|replac|migrat|former|previous|old\b|legacy|was\b|were\b|used to|no longer|instead|would|could|will\b|not\b|never\b|against\b|creat|planned|upstream|deprecat|obsolete|gone\b|lost\b|history|absent|exist|superse|criar\b|e\.g\.|for example)|\[ \]/i;
/** The start of an item, a row, a heading or a new paragraph. */
const BLOCK = /^[ \t]*(?:$|[-*+|#>]|\d{1,3}[.)])/;

/** Collects the files that a record cites, as paths from the root of the code, each once. */
export function collectCited(
  { document, page: { lines, prose, sections } }: CheckedDocument,
  { paths }: Corpus,
): void {
  const others = sections.filter(({ title, level }) => level > 1 && OTHER_SECTION.test(title)).slice(0, 100);
  const found = new Map<string, number>();
  const textAt = (at: number) => (lines[at] ?? "").slice(0, MAX_LINE);
  for (const at of ABSENT.test(document.title) ? [] : prose) {
    const line = textAt(at), after = textAt(at + 1);
    if (!line.includes("/") || others.some(({ line, end }) => line < at && at < end)) continue;
    // A sentence may continue in the next line.
    const around = [BLOCK.test(line) ? "" : textAt(at - 1), line, BLOCK.test(after) ? "" : after];
    if (around.some((one) => ABSENT.test(one.replace(/`[^`]*`|\]\([^)]*\)/g, "")))) continue;
    for (const [, mark, path = ""] of line.matchAll(CITED)) {
      // Links to documents have their own rules.
      const isOther = PLACEHOLDER.test(path) || (!mark && /\.(?:md|mdx|markdown)$/i.test(path));
      if (!isOther && !found.has(path)) found.set(path, at + 1);
    }
  }
  for (const [path, line] of found) paths.push({ document, path, line, isPattern: false });
}

/** Reports patterns that fit no file, and cited files that are gone. */
export function* checkPaths({ paths, options: { code } }: Corpus): Generator<Finding> {
  if (!code) return;
  const [patterns, cited] = [true, false].map((isIt) => paths.filter(({ isPattern }) => isPattern === isIt));
  for (const [path, places] of Map.groupBy(patterns!, ({ path }) => path)) {
    if (code.some(toGlob(path).matches)) continue;
    const message = `The pattern "${quoted(path, 100)}" fits no file of the code`;
    for (const { document, line } of places) {
      yield problem("applies-to-unmatched", document.label, message, line);
    }
  }
  const folderOf = (path: string) => path.split("/").slice(0, -1).slice(0, 2).join("/");
  const missing = new Set(cited!.map(({ path }) => path)), folders = new Set(code.map(folderOf));
  for (const file of code) {
    // A path may begin in any folder.
    for (let from = 0; from >= 0; from = file.indexOf("/", from) + 1 || -1) missing.delete(file.slice(from));
  }
  // If the first two folders are not in the code, the file may be one of another repository.
  const own = cited!.filter(({ path }) => folders.has(folderOf(path)));
  for (const [{ label }, all] of Map.groupBy(own, ({ document }) => document)) {
    const gone = all.filter(({ path }) => missing.has(path));
    if (gone.length === 1 || gone.length < all.length) {
      for (const { path, line } of gone) {
        yield problem("adr-path-gone", label, `The record cites "${path}", which is not in the code`, line);
      }
    } else {
      const names = gone.slice(0, 3).map(({ path }) => `"${path}"`).join(", ");
      const message = `None of the ${gone.length} files that the record cites is in the code: ${names}`;
      yield problem("adr-paths-gone", label, message, gone[0]!.line);
    }
  }
}
