/** The index of the documents for an assistant. */

import type { ExportEntry } from "./export_entries.ts";
import { currentStatus, isRejected } from "../documents/records/status.ts";
import { safeLine } from "../documents/summary.ts";
import { cutInline } from "../formats/markdown/cut.ts";
import { MAX_ABOUT } from "./export_entries.ts";
import { parentOf } from "./paths.ts";

/** Minimum length to which the lines about documents are shortened before patterns are left out, in UTF-16 units. */
const MIN_ABOUT = 40;
/** Length below which a description or a title says nothing, in UTF-16 units. */
const LEAST = 12;
/** Maximum length of a title, in UTF-16 units. */
const MAX_TITLE = 100;
/** Minimum length to which the titles of files without words in their names are shortened, in UTF-16 units. */
const MIN_TITLE = 30;
/** A name that says something: with two words of three letters or more. */
const HAS_WORDS = /\p{L}{3}\P{L}+\p{L}{3}/u;

/** What a line has of each part: UTF-16 units, and the number of patterns. */
type Size = {
  readonly about: number;
  readonly globs: number;
  readonly title?: number;
  readonly count?: number;
};

/**
 * The index in at most `maxBytes` bytes. All lines are shortened equally: descriptions, patterns, then titles. If that is not
 * enough, documents are left out.
 */
export function indexLines(entries: readonly ExportEntry[], maxBytes: number): string[] {
  // Each category keeps the same number of documents, the latest ones.
  const ranked = [...Map.groupBy(entries, ({ document }) => document.category).values()]
    .flatMap((group) => group.toReversed().map((entry, rank) => ({ entry, rank })))
    .sort((left, right) => left.rank - right.rank).map(({ entry }) => entry);
  const isOpen = entries.some(({ document }) => currentStatus(document) === "proposed");
  const hasUris = entries.some(({ place }) => place.includes("://"));
  const introduction = INTRODUCTION + (isOpen ? UNDECIDED : "") + (hasUris ? BY_URI : "");
  const places = placesOf(entries);
  const lines = ({ about: maxAbout, globs: maxGlobs, title = MAX_TITLE, count = entries.length }: Size) => {
    const kept = new Set(ranked.slice(0, count));
    const toLine = (entry: ExportEntry) => {
      const { shownTitle, state, about, globs } = entry, { name, hasWords } = places.get(entry)!;
      const maxTitle = hasWords ? title : Math.max(title, MIN_TITLE);
      const known = shownTitle === "" || maxTitle < LEAST ? "" : `: ${cutInline(shownTitle, maxTitle)}`;
      const detail = maxAbout >= LEAST && about !== "" ? `: ${cutInline(about, maxAbout)}` : "";
      const shown = globs.slice(0, maxGlobs).map(safeLine).join(", ") +
        (globs.length > maxGlobs ? ", …" : "");
      const files = maxGlobs > 0 && shown !== "" ? ` [${shown}]` : "";
      return `- ${name}${known}${state && ` (${state})`}${detail}${files}`;
    };
    const folders = (isAgainst: boolean) => {
      const shown = entries.filter((entry) => kept.has(entry) && isRejected(entry.document) === isAgainst);
      return [...Map.groupBy(shown, (entry) => places.get(entry)!.heading)]
        .flatMap(([heading, group]) => [`In ${heading}:`, "", ...group.map(toLine), ""]);
    };
    const against = folders(true);
    const missing = entries.length - count;
    const are = missing === 1 ? "document is" : "documents are";
    return [
      "## Architecture decisions",
      "",
      introduction,
      "",
      ...folders(false),
      ...missing > 0 ? [`${missing} more ${are} not listed; search for them.`, ""] : [],
      ...against.length > 0 ? ["These were decided against.", "", ...against] : [],
    ].slice(0, -1);
  };
  /** The lines for the largest number from `least` to `most` for which they fit; undefined when they never fit. */
  const largest = (least: number, most: number, toSize: (value: number) => Size): string[] | undefined => {
    let found: string[] | undefined;
    while (least <= most) {
      const middle = Math.ceil((least + most) / 2);
      const text = lines(toSize(middle));
      if (new TextEncoder().encode(text.join("\n")).length <= maxBytes) [least, found] = [middle + 1, text];
      else most = middle - 1;
    }
    return found;
  };
  for (const globs of [3, 1, 0]) {
    const found = largest(MIN_ABOUT, MAX_ABOUT, (about) => ({ about, globs }));
    if (found) return found;
  }
  for (const globs of [1, 0]) {
    const found = largest(0, MIN_ABOUT - 1, (about) => ({ about, globs }));
    if (found) return found;
  }
  return largest(0, MAX_TITLE, (title) => ({ about: 0, globs: 0, title })) ??
    largest(0, entries.length, (count) => ({ about: 0, globs: 0, title: 0, count })) ?? [];
}

/**
 * The heading of each entry, and its name below it. Pages of folders are listed by the names of their folders; folders that have
 * only one document each share a heading.
 */
function placesOf(
  entries: readonly ExportEntry[],
): Map<ExportEntry, { heading: string; name: string; hasWords: boolean }> {
  const groups = [...Map.groupBy(entries, ({ folder, page }) => `${folder}\0${page}`).values()];
  const isSingle = ([first, other]: readonly ExportEntry[]) =>
    other === undefined && first!.page === "" && first!.document.key.split("/").length > 2;
  const siblings = Map.groupBy(groups.filter(isSingle), ([first]) => parentOf(first!.folder));
  return new Map(groups.flatMap((group) =>
    group.map((entry) => {
      const { folder, name, page } = entry, above = parentOf(folder);
      const isMerged = isSingle(group) && siblings.get(above)!.length > 1;
      const inFolder = folder.slice(above === "" ? 0 : above.length + 1);
      const heading = page !== "" ? `${folder || "."}/*/${page}` : `${(isMerged ? above : folder) || "."}/`;
      const shown = isMerged ? `${inFolder}/${name}` : name;
      return [entry, { heading, name: shown, hasWords: HAS_WORDS.test(shown) }] as const;
    })
  ));
}

const INTRODUCTION =
  "These documents hold in this repository. Before you change code, read those about your task, and those whose brackets " +
  "match the files you change.";
const UNDECIDED = " What is marked as proposed is not decided yet.";
const BY_URI = " Read a URI with the tool read_document.";
