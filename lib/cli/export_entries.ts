/** What the index and the rules of export say of each document. */

import type { Document } from "../documents/document.ts";
import { oneLine, shortened } from "../base/text.ts";
import { DECISION } from "../documents/records/signs.ts";
import { currentStatus, isInForce, isRejected } from "../documents/records/status.ts";
import { toGlob } from "../formats/glob.ts";
import { SETEXT } from "../formats/markdown/body.ts";
import { readMarkdown } from "../formats/markdown/document.ts";
import { plain } from "../formats/markdown/lines.ts";

/** Maximum length of the line about a document, in UTF-16 units. */
export const MAX_ABOUT = 200;
/** Maximum length of a title in the index, in UTF-16 units. */
const MAX_TITLE = 100;

/** What is said of a document. All text but the patterns is safe to write. */
export interface ExportEntry {
  readonly document: Document;
  /** The path or the URI of the document. */
  readonly place: string;
  /** The start of its line in the index. */
  readonly lead: string;
  readonly title: string;
  /** The rest of its line. */
  readonly about: string;
  /** What was decided. */
  readonly decision: string;
  /** The files that it applies to. */
  readonly globs: readonly string[];
}

export function toExportEntry(document: Document, text: string, place: string): ExportEntry {
  const { title, record, description = "", appliesTo } = document;
  const { lines, front, prose, sections } = readMarkdown(text);
  const section = record && sections.find(({ title }) => title !== document.title && DECISION.test(title));
  const start = section?.line ?? Infinity;
  // The subsections give reasons. Only the text before them is the decision.
  const end = sections.find(({ line }) => line > start)?.line ?? section?.end ?? 0;
  const isBody = (line: number) => line > start && line < end && !SETEXT.test(lines[line]!);
  const said = prose.filter(isBody).map((line) => lines[line]!.replace(/^\s*(?:[-*+]|\d+[.)])\s+/, ""));
  const inline = plain(said.join("\n"));
  const about = front.values.has("description") || inline === "" ? description : inline;
  const decision = lines.filter((_, line) => isBody(line)).join("\n").replace(/<!--[^]*?(?:-->|$)/g, "")
    .trim();
  return {
    document,
    place: safeLine(place),
    lead: leadOf(document, safeLine(place.slice(place.lastIndexOf("/") + 1)), safeLine(title)),
    title: safeLine(title),
    about: safeLine(about.replace(FILLER, "")),
    decision: (decision || description).split("\n").map(safeLine).join("\n"),
    globs: [...new Set(appliesTo.flatMap((pattern) => toGlob(pattern).forms))],
  };
}

/** The start of a line of the index: "007-talk.md: Use queues (proposed)". A title whose words are in the name is left out. */
function leadOf(document: Document, name: string, title: string): string {
  const wordsOf = (text: string): string[] => text.toLowerCase().match(/[1-9]\p{N}*|\p{L}+/gu) ?? [];
  const known = wordsOf(name);
  const isNamed = wordsOf(title).every((word) => known.includes(word));
  const rest = title.replace(NUMBER, (lead, number) => known.includes(number) ? "" : lead);
  const state = isInForce(document) || isRejected(document) ? "" : ` (${currentStatus(document)})`;
  return `${name}${isNamed ? "" : `: ${shortened(rest, MAX_TITLE)}`}${state}`;
}

const NUMBER = /^(?:[A-Z]+[ -])*#?0*(\d+)(?:[.:)]| -) +/;
/** Openings that many documents share. They say nothing about the document. */
const FILLER =
  /^(?:this (?:\w+ ){1,2}(?:captures|defines|describes|documents|outlines)|chosen option:|we decided(?: that)?:?) +/i;

/** One line that cannot end the generated part; a bare "@path" would make some assistants read that file. */
export function safeLine(text: string): string {
  return oneLine(text).replaceAll("<!--", "&lt;!--").replace(/(?<=^|[\s("'])@(?=[\w~./])/g, "`@`");
}
