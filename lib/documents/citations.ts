/** The records that code cites. */

import type { Catalogue } from "./catalogue.ts";
import type { Document } from "./document.ts";
import { Code } from "./code/code.ts";
import { languageOf } from "./code/languages.ts";

/** The maximum number of lines of a file that are reported for their citations. */
const MAX_CITATIONS = 100;
/** The minimum length of the name of a file that cites the document, in UTF-16 units. */
const MIN_NAME = 8;
/** Files in which a citation may be about another project, or that have no comments. */
const UNCITED =
  /(?:^|\/)(?:vendor|third[-_]party|testdata|fixtures|__fixtures__|dist|build|target)\/|\.(?:md|markdown|mdx|txt|rst|adoc|asciidoc|jsonl?|csv|tsv|lock|svg|xml|html?|ipynb|snap|map|log|patch|diff|min\.\w+)$/i;
/** `ADR-12`, `adr/0012`, `@adr 12`. `ADR12` may be another name, and what follows an address may be of any project. */
const CITATION =
  /\bADR(?:-(\d{1,4})|[ ]?(\d{1,4}))(?!\w|[-.]\d)|\badr\/(\d{3,4})(?!\w)|@adr[ \t]{1,9}(\d{1,4})(?!\w|[-.]\d)|:\/\/.*/g;

/** Whether citations in a file are about the records of this project. */
export const mayCite = (path: string): boolean => !UNCITED.test(path);

/**
 * The documents that the text of some files cites, in comments and texts by their number, or anywhere by the whole name of their
 * file. It reads the text once for each language, in steps.
 */
export function* citedIn(
  { documents }: Catalogue,
  paths: readonly string[],
  text: string,
): Generator<void, Document[]> {
  const numbers = new Set<number>();
  for (const path of new Map(paths.filter(mayCite).map((path) => [languageOf(path), path])).values()) {
    for (const { number } of citationsIn(new Code(path, text))) numbers.add(number);
    yield;
  }
  return documents.filter(({ record, name }) =>
    (record?.number !== undefined && numbers.has(record.number)) ||
    (name.length >= MIN_NAME && /\d.*\p{L}|\p{L}.*\d/u.test(name) && text.includes(name))
  );
}

/** A record that code cites. */
interface Citation {
  /** As in the code: "ADR-12". */
  readonly name: string;
  readonly number: number;
  /** Whether it can be nothing else. */
  readonly isSure: boolean;
  /** Counted from 1. */
  readonly line: number;
}

/** The records that comments and texts of the code cite, once for each line. */
export function citationsIn({ text, bare, lines }: Code): Citation[] {
  // Most files have none.
  if (!/adr[-\/ \t\d]/i.test(text)) return [];
  const bareLines = bare.split("\n");
  return lines.flatMap((line, index) => {
    const cited = [...line.matchAll(CITATION)].flatMap(
      ({ 0: name, 1: exact, 2: loose, 3: path, 4: mark, index: at }) => {
        const digits = exact ?? loose ?? path ?? mark, hidden = bareLines[index]?.[at];
        if (digits === undefined || hidden === line[at]) return [];
        // A text may be an example, and so may "ADR12".
        const isSure = loose === undefined && (hidden ?? " ") === " ";
        return { name, number: Number(digits), isSure, line: index + 1 };
      },
    );
    return [...new Map(cited.map((one) => [one.number, one])).values()];
  }).slice(0, MAX_CITATIONS);
}
