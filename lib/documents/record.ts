/**
 * What was decided, when, and does it still hold? Reads an architecture decision record in the forms that teams
 * really write: Nygard and adr-tools (`## Status`), MADR 2 (`* Status: accepted`) and 3 to 4 (front matter),
 * log4brains (date ids), and bold or plain `Status:` lines or a table of facts at the head.
 */

import type { FrontMatter } from "./front_matter.ts";
import type { Section } from "./sections.ts";
import { listOf, textOf } from "./front_matter.ts";
import { isReference, recordDate, recordNumber } from "./record_name.ts";
import { plain, proseLines } from "./sections.ts";

/** The facts of a decision record; each is missing when the record does not state it. */
export interface DecisionRecord {
  /** From the name: 7 of "007-use-x.md". */
  readonly number?: number;
  /** One lower-case word, or two that belong together: "accepted", "on hold". As it is stated; see `standing`. */
  readonly status?: string;
  /** As it is written, by convention "2026-07-28". */
  readonly date?: string;
  /** What this record replaces: file names, numbers or titles, as they are written. */
  readonly supersedes: readonly string[];
  /** What replaces this record. */
  readonly supersededBy: readonly string[];
}

/** The words for a status that are in use, so that others can be told from them. */
const STATUS_WORDS: ReadonlySet<string> = new Set(
  ("abandoned,accepted,active,adopted,agreed,amended,approved,cancelled,closed,completed,decided,declined,deferred," +
    "deprecated,done,draft,experimental,final,implemented,in discussion,in progress,in review,invalidated,obsolete," +
    "on hold,open,pending,postponed,proposed,provisional,rejected,replaced,retired,reverted,review,superseded,trial," +
    "under discussion,under review,wip,withdrawn").split(","),
);

/** Those of them that say that a decision holds no more, or never did. */
const OVER: ReadonlySet<string> = new Set(
  ("abandoned,cancelled,declined,deprecated,invalidated,obsolete,rejected,replaced,retired,reverted,superseded," +
    "withdrawn").split(","),
);

/** What may be a decision: a document. */
interface Recorded {
  readonly record: DecisionRecord | undefined;
}

/**
 * The status that a decision has by all that its record states; undefined for what is none. One that names what replaces
 * it is superseded, even where nobody changed its status, unless that says that only a part of it is.
 */
export function standing({ record }: Recorded): string | undefined {
  const { status, supersededBy = [] } = record ?? {};
  const isReplaced = supersededBy.length > 0 && !/^part(?:ly|ially)\b/.test(status ?? "");
  return isReplaced && !OVER.has(status ?? "") ? "superseded" : status;
}

/** Whether a document is a decision that is known to hold no more. */
export function isOver(document: Recorded): boolean {
  return OVER.has(standing(document) ?? "");
}

const NAMES = "status|date|supersedes|replaces|(?:superseded|replaced)[ _-]by";
/** "Status: accepted", "* Status: accepted", "**Status**: accepted", "**Status:** accepted", "| Status | accepted |". */
const FACT = new RegExp(
  `^ {0,3}(?:[-*+>][ \\t]+|\\|[ \\t]*)?[*_]{0,2}(${NAMES})[*_]{0,2}[ \\t]*(?::|\\|)[*_]{0,2}[ \\t|]*(.+)$`,
  "i",
);
/** "- Supersedes [5. Use Y](0005-use-y.md)", in the list of links at the end of a record. */
const RELATION = /^ {0,3}[-*+][ \t]+[*_]{0,2}(supersedes|replaces|(?:superseded|replaced) by)\b(.*\]\(.*)$/i;
/** How far into a record such lines are looked for: past that, and past these headings, they are prose. */
const FACT_LINES = 40;
const BODY = /^(?:\d[\d.]*\)?[ \t]+)?(?:context|background|problem|motivation|decision|what|why)\b/i;
/** The headings of the sections with the same facts; behind a colon, the fact itself. */
const STATUS_HEADING = /^(?:\d[\d.]*\)?[ \t]+)?status[ \t]*(?::[ \t]*(.*))?$/i;
const DATE_HEADING = /^(?:\d[\d.]*\)?[ \t]+)?date[ \t]*(?::[ \t]*(.*))?$/i;

/** As much of a line as is read: bounds what a hostile line can cost. */
const MAX_LINE = 2000;

/** Reads the facts of a record. */
export function readRecord(
  name: string,
  lines: readonly string[],
  front: FrontMatter,
  sections: readonly Section[],
): DecisionRecord {
  const facts = factLines(lines, front.bodyLine, sections);
  const statusText = statedText(textOf(front.values["status"]) ?? facts.get("status")) ??
    underHeading(lines, sections, STATUS_HEADING);
  const dateText = textOf(front.values["date"]) ?? facts.get("date") ??
    underHeading(lines, sections, DATE_HEADING);
  const number = recordNumber(name);
  const status = statusText === undefined ? undefined : statusWord(statusText);
  const date = dateOf(dateText) ?? recordDate(name);
  const linked = linkedRecords(lines, front.bodyLine);
  const stated = (...keys: string[]): string[] =>
    keys.flatMap((key) => [...listOf(front.values[key]), facts.get(key) ?? ""].flatMap(mentions));
  return {
    ...(number === undefined ? {} : { number }),
    ...(status === undefined ? {} : { status }),
    ...(date === undefined ? {} : { date }),
    supersedes: unique([
      ...stated("supersedes", "replaces"),
      ...mentionsAfter(statusText, /\b(?:supersedes|replaces)\b:?/i),
      ...linked.supersedes,
    ]),
    supersededBy: unique([
      ...stated("superseded-by", "superseded_by", "superseded by", "supersededby"),
      ...stated("replaced-by", "replaced_by", "replaced by", "replacedby"),
      ...mentionsAfter(statusText, /\b(?:superseded|replaced)\b(?:[ \t]+by\b)?:?/i),
      ...linked.supersededBy,
    ]),
  };
}

/** The lines of facts at the head of the record, by name. */
function factLines(
  lines: readonly string[],
  from: number,
  sections: readonly Section[],
): Map<string, string> {
  const facts = new Map<string, string>();
  const body = sections.find(({ level, title }) => level > 1 && BODY.test(title))?.line ?? lines.length;
  for (const [index, line] of proseLines(lines, from)) {
    if (index >= Math.min(from + FACT_LINES, body)) break;
    const fact = FACT.exec(line.slice(0, MAX_LINE));
    if (!fact) continue;
    const key = fact[1]!.toLowerCase();
    const text = line.trimStart().startsWith("|") ? fact[2]!.split("|")[0]! : fact[2]!;
    if (!facts.has(key)) facts.set(key, text.trim());
  }
  return facts;
}

/** What the list items of a record say of other records, with links to them. */
function linkedRecords(
  lines: readonly string[],
  from: number,
): Pick<DecisionRecord, "supersedes" | "supersededBy"> {
  const supersedes: string[] = [];
  const supersededBy: string[] = [];
  for (const [, line] of proseLines(lines, from)) {
    const relation = RELATION.exec(line.slice(0, MAX_LINE));
    if (relation) (/by$/i.test(relation[1]!) ? supersededBy : supersedes).push(...linkTargets(relation[2]!));
  }
  return { supersedes, supersededBy };
}

/** All that stands under `## Status`, or behind it: adr-tools writes each change of it as a line of its own. */
function underHeading(
  lines: readonly string[],
  sections: readonly Section[],
  heading: RegExp,
): string | undefined {
  const section = sections.find(({ title }) => heading.test(title));
  if (!section) return undefined;
  const found = [heading.exec(section.title)![1] ?? ""];
  for (const [index, line] of proseLines(lines, section.line + 1)) {
    if (index >= section.end) break;
    if (!/^[ \t]*(?:$|[-=]+[ \t]*$)/.test(line) && !isAdvice(line)) found.push(line);
  }
  return statedText(found.join("\n"));
}

/** Whether a line quotes what the template says of the section, not the fact itself. */
function isAdvice(line: string): boolean {
  return /^[ \t]*>/.test(line) && !isStatus(plain(line.replace(/^[ \t>]+/, "")).toLowerCase());
}

/** Whether a status is one that is in use. */
export function isStatus(status: string): boolean {
  return STATUS_WORDS.has(status.replace(/^(?:partly|partially) /, ""));
}

/** A text that somebody filled in; what a template leaves there says nothing. */
function statedText(text: string | undefined): string | undefined {
  const stated = text?.replace(/<!--.*?(?:-->|$)/gs, "").replace(/~~[^~\n]*~~/g, "").trim() ?? "";
  const choice = /^[^\n]*\p{L}[ \t]*\|[ \t]*\p{L}/u.test(stated);
  const hole = /^(?:\{|<(?!https?:|[^>]*\.md))/.test(stated);
  return choice || hole || isNothing(stated) ? undefined : stated;
}

/** Whether a text says that there is none. */
function isNothing(text: string): boolean {
  return /^(?:n\/a|none|nothing|nil|null|tbd|todo|[-–—]+)?\.?$/i.test(text.trim());
}

/** Words that say little without the next one: "in review", "partly superseded". */
const WITH_NEXT = /^(?:in|on|under|not|no|to|partly|partially)[ \t-]+\p{L}+/iu;

function statusWord(text: string): string | undefined {
  const first = plain(text.split("\n", 1)[0]!).replace(/^[^\p{L}]+/u, "");
  const pair = WITH_NEXT.exec(first)?.[0];
  if (pair !== undefined) return pair.toLowerCase().replace(/[ \t-]+/, " ");
  // A record that was accepted and then superseded says both; the last state is the one that holds.
  if (/\b(?:superseded|replaced) by\b/i.test(text)) return "superseded";
  const words = first.toLowerCase().match(/\p{L}[\p{L}-]*/gu) ?? [];
  return words.find((word) => STATUS_WORDS.has(word)) ?? words[0];
}

/** The date of a text as it is written; of a longer text, its first date of the usual form. */
function dateOf(text: string | undefined): string | undefined {
  const stated = statedText(text);
  if (stated === undefined || !/\d/.test(stated)) return undefined;
  return /\d{4}-\d{2}-\d{2}/.exec(stated)?.[0] ?? plain(stated.split("\n", 1)[0]!);
}

/** What a line refers to: the targets of its links, or else its words. */
function mentions(whole: string): string[] {
  const text = statedText(whole.slice(0, MAX_LINE));
  if (text === undefined) return [];
  const targets = linkTargets(text);
  if (targets.length > 0) return targets;
  const words = text.split(/[,;\n]|\band\b/).map(word).filter((name) => !isNothing(name));
  // A comma or an "and" may also stand in a title.
  return words.every(isReference) ? words : [word(text)];
}

function word(text: string): string {
  return plain(text).replace(/[.:]+$/, "");
}

/**
 * What the lines of a status refer to behind a word. In the middle of a sentence, and without "by", only what is
 * surely a reference counts: the rest is prose.
 */
function mentionsAfter(text: string | undefined, phrase: RegExp): string[] {
  return (text ?? "").split("\n").flatMap((whole) => {
    const line = whole.slice(0, MAX_LINE);
    const found = phrase.exec(line);
    if (!found) return [];
    const rest = line.slice(found.index + found[0].length);
    const isProse = /\p{L}/u.test(line.slice(0, found.index)) || !/(?:s|by):?$/i.test(found[0]);
    const names = mentions(rest);
    return isProse && linkTargets(rest).length === 0 ? names.filter(isSureReference) : names;
  });
}

/** A date alone says when, not what. */
function isSureReference(text: string): boolean {
  return isReference(text) && !/^\d{4}-?\d{2}-?\d{2}$/.test(text);
}

function linkTargets(text: string): string[] {
  return [...text.matchAll(/\]\(<?([^)\s>]+)(?:[\s>][^)]*)?\)/g)].map((link) => link[1]!);
}

/** The most records that one is related to: a list that is longer is no statement about any of them. */
const MAX_RELATIONS = 100;

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)].slice(0, MAX_RELATIONS);
}
