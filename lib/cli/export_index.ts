/** The index of the documents for an assistant. */

import type { ExportEntry } from "./export_entries.ts";
import { shortened } from "../base/text.ts";
import { currentStatus, isRejected } from "../documents/records/status.ts";
import { MAX_ABOUT, safeLine } from "./export_entries.ts";
import { parentOf } from "./paths.ts";

/** Minimum length to which the lines about documents are shortened, in UTF-16 units. */
const MIN_ABOUT = 40;

/** The index in at most `maxBytes` bytes. All lines are shortened equally; if that is not enough, documents are left out. */
export function indexLines(entries: readonly ExportEntry[], maxBytes: number): string[] {
  // Each category keeps the same number of documents, the latest ones.
  const ranked = [...Map.groupBy(entries, ({ document }) => document.category).values()]
    .flatMap((group) => group.toReversed().map((entry, rank) => ({ entry, rank })))
    .sort((left, right) => left.rank - right.rank).map(({ entry }) => entry);
  const isOpen = entries.some(({ document }) => currentStatus(document) === "proposed");
  const hasUris = entries.some(({ place }) => place.includes("://"));
  const introduction = INTRODUCTION + (isOpen ? UNDECIDED : "") + (hasUris ? BY_URI : "");
  const lines = (maxAbout: number, maxGlobs: number, count = entries.length): string[] => {
    const kept = new Set(ranked.slice(0, count));
    const toLine = ({ lead, about, globs }: ExportEntry) => {
      const detail = maxAbout > 0 && about !== "" ? `: ${shortened(about, maxAbout)}` : "";
      const shown = globs.slice(0, maxGlobs).map(safeLine).join(", ") +
        (globs.length > maxGlobs ? ", …" : "");
      return `- ${lead}${detail}${maxGlobs > 0 && shown !== "" ? ` [${shown}]` : ""}`;
    };
    const folders = (isAgainst: boolean) => {
      const shown = entries.filter((entry) => kept.has(entry) && isRejected(entry.document) === isAgainst);
      return [...Map.groupBy(shown, ({ place }) => parentOf(place))]
        .flatMap(([folder, group]) => [`In ${folder || "."}/:`, "", ...group.map(toLine), ""]);
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
  /** The lines for the largest number up to `most` for which they fit; undefined when they never fit. */
  const largest = (most: number, toLines: (value: number) => string[]): string[] | undefined => {
    let least = 0, found: string[] | undefined;
    while (least <= most) {
      const middle = Math.ceil((least + most) / 2);
      const text = toLines(middle);
      if (new TextEncoder().encode(text.join("\n")).length <= maxBytes) [least, found] = [middle + 1, text];
      else most = middle - 1;
    }
    return found;
  };
  for (const globs of [3, 1, 0]) {
    const found = largest(MAX_ABOUT - MIN_ABOUT, (more) => lines(MIN_ABOUT + more, globs));
    if (found) return found;
  }
  return largest(1, (globs) => lines(0, globs)) ?? largest(entries.length, (kept) => lines(0, 0, kept)) ?? [];
}

const INTRODUCTION =
  "These documents hold in this repository. Before you change code, read those about your task, and those whose brackets " +
  "match the files you change.";
const UNDECIDED = " What is marked as proposed is not decided yet.";
const BY_URI = " Read a URI with the tool read_document.";
