/** Reads a document as a decision record. It is loaded for the first document that looks like one. */

import type { Awaitable } from "../../base/async.ts";
import type { Body, Heading } from "../../formats/markdown/body.ts";
import type { FrontMatter } from "../../formats/markdown/front_matter.ts";
import type { DecisionRecord, RecordWords } from "./record.ts";
import type { Words } from "./words.ts";
import { andThen, loadOnce } from "../../base/async.ts";
import { detached } from "../../base/json.ts";
import { aboutRecord, readRecord } from "./read.ts";
import { englishWords } from "./words.ts";

/** What is known of a document before. */
interface Known {
  /** The name of the record. */
  readonly name: string;
  readonly title: string | undefined;
  readonly hasName: boolean;
  /** Whether it has the sections of a record; undefined if another language may know. */
  readonly hasSections: boolean | undefined;
  /** Whether it is a record only if it has them in another language. */
  readonly isOther: boolean;
}

/** A document as a record. */
interface AsRecord {
  readonly record: DecisionRecord;
  readonly title: string;
  /** Its first paragraph that is not about its state. */
  readonly about: string | undefined;
  /** Why it looks like a record: "name", "status", "sections". */
  readonly signs: readonly string[];
}

const languageReader = loadOnce(() => import("./languages.ts"));

/**
 * Reads a record by the words of English and of its team, and by those of other languages if they may read more. `inner` has the
 * sections except for the title. Undefined if it does not look like a record.
 */
export function readAsRecord(
  { name, title, hasName, hasSections, isOther }: Known,
  fronts: readonly FrontMatter[],
  lines: readonly string[],
  body: Body,
  inner: readonly Heading[],
  team: RecordWords | undefined,
): Awaitable<AsRecord | undefined> {
  const stated = fronts.map(({ values }) => values);
  const read = (words: Words, isFormed: boolean): AsRecord | undefined => {
    if (isOther && !isFormed) return undefined;
    const found = readRecord(name, stated, lines, body, words);
    const signs = [hasName && "name", found.hasStatus && "status", isFormed && "sections"];
    return {
      record: detached(found.record),
      title: detached(title ?? found.title ?? name),
      about: aboutRecord(lines, body.prose, inner, words),
      signs: signs.filter((sign) => sign !== false),
    };
  };
  const words = englishWords(team);
  words.takeDoubt();
  const english = read(words, hasSections === true);
  if (!words.takeDoubt() && hasSections !== undefined) return english;
  return andThen(
    languageReader(),
    ({ hasForeignSections, teamWords }) =>
      read(teamWords(team), hasSections === true || hasForeignSections(inner)),
  );
}
