/** Guesses which document is about a file that no document names, by a search for what its text says. */

import type { Catalogue } from "./catalogue.ts";
import type { Document } from "./document.ts";
import type { DocumentProvider } from "./document_provider.ts";
import { withTimeout } from "../base/async.ts";
import { tokenize } from "../search/tokenizer.ts";
import { GUESSED } from "./applying.ts";
import { Code } from "./code/code.ts";
import { indexesOf } from "./document_index.ts";
import { isInForce } from "./records/status.ts";

/** A document, and why: "a guess, by proxy, minimal", with the words of its title that the file has. */
export interface Guess {
  readonly document: Document;
  readonly matched: string;
}

/** How much is read of a file, in UTF-16 units. */
const MAX_TEXT = 64 * 1024;
/** The maximum number of words of comments, and of names, that are searched for. */
const MAX_WORDS = 60, MAX_NAMES = 150;
/** The minimum part of the words of a title that the file must have. */
const MIN_SHARE = 0.5;
/**
 * What that part must be at least, times how much better the best hit is than the tenth. Measured with files that cite a PEP, an
 * EIP or an ERC, from which the citations were cut: see the guideline "Performance".
 */
const MIN_LEAD = 1.2;
const HITS = 10;
/** What counts as the lead of the only hit. */
const ALONE = 2;

const NAMES =
  /\b(?:class|def|enum|event|fn|func|function|interface|library|contract|module|namespace|object|struct|trait|type)\s+(\w+)/g;
/** Words of titles that say nothing of a subject, and those that any code has. */
const STOP = new Set(
  ("the an of for to in and or with on is by as be add new support from using not this that it at use we class contract contracts " +
    "function interface interfaces library method methods module package type types").split(" "),
);

/** The best document for a file; undefined where none is likely enough, or where the index takes more than half of the time. */
export async function guessDocument(
  documents: DocumentProvider,
  catalogue: Catalogue,
  { file, text }: { readonly file: string; readonly text: string },
  { signal, timeoutMs }: { readonly signal?: AbortSignal; readonly timeoutMs: number },
): Promise<Guess | undefined> {
  const index = indexesOf(documents)(catalogue);
  const updated = index.update(catalogue.documents).then(() => true);
  const isUpdated = timeoutMs === Infinity ? await updated : await withTimeout(updated, timeoutMs / 2, false);
  if (!isUpdated) return undefined;
  const query = queryOf(file, text);
  const { hits } = await index.search(query, { limit: HITS, filter: isInForce, signal });
  const [best] = hits, last = hits.at(-1)!;
  if (!best) return undefined;
  const known = new Set(termsOf(query).map(stem));
  const words = [...new Set(termsOf(best.document.title))].filter((word) =>
    word.length > 1 && !STOP.has(word)
  );
  const shared = words.filter((word) => known.has(stem(word)));
  const share = shared.length / words.length;
  // One hit alone is not known to be ahead.
  const lead = hits.length === 1 ? ALONE : best.score / last.score;
  if (!(share >= MIN_SHARE && share * lead >= MIN_LEAD)) return undefined;
  return { document: best.document, matched: `${GUESSED}by ${shared.join(", ")}` };
}

/** What is searched for: the words of the path, the first words of comments, and the names that the file defines. */
function queryOf(file: string, text: string): string {
  const code = new Code(file, text.slice(0, MAX_TEXT));
  const words = code.prose.filter((comment) => !/copyright|licen[sc]e|SPDX/i.test(comment)).join(" ")
    .match(/[\p{L}\p{N}_-]+/gu) ?? [];
  const names = Array.from(code.text.matchAll(NAMES), ([, name]) => name).slice(0, MAX_NAMES);
  return [file.replace(/\.\w+$/, "").replaceAll("/", " "), ...words.slice(0, MAX_WORDS), ...names].join(" ");
}

function termsOf(text: string): string[] {
  const terms: string[] = [];
  tokenize(text, (term) => void terms.push(term));
  return terms;
}

/** A word without its usual endings. */
const stem = (word: string): string => word.length > 4 ? word.replace(/(?:ing|ed|es|s|e)$/, "") : word;
