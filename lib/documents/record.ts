/**
 * Reads architecture decision records in the forms that teams use: Nygard and adr-tools (`## Status`), MADR 2
 * (`* Status: accepted`), MADR 3 and 4 (front matter), log4brains (date ids), `Status:` lines and tables.
 */

import type { FrontMatter, Section } from "./markdown.ts";
import { plain, proseLines } from "./markdown.ts";

/** What a decision record states of itself; a member is missing when the record does not state it. */
export interface DecisionRecord {
  /** From the name: 7 of "007-use-x.md". */
  readonly number?: number;
  /** One lower-case word, or two that belong together, as stated: "accepted", "on hold". */
  readonly status?: string;
  /** As it is written, by convention "2026-07-28". */
  readonly date?: string;
  /** What this record replaces: file names, numbers or titles, as they are written. */
  readonly supersedes: readonly string[];
  /** What replaces this record. */
  readonly supersededBy: readonly string[];
}

/** The status words of decisions that are no longer in force, or never were. */
const OVER: ReadonlySet<string> = new Set(
  ("abandoned,cancelled,declined,deprecated,invalidated,obsolete,rejected,replaced,retired,reverted,superseded," +
    "withdrawn").split(","),
);
/** All status words in use. */
const STATUSES: ReadonlySet<string> = new Set([
  ...OVER,
  ...("accepted,active,adopted,agreed,amended,approved,closed,completed,decided,deferred,done,draft,experimental,final," +
    "implemented,in discussion,in progress,in review,on hold,open,pending,postponed,proposed,provisional,review,trial," +
    "under discussion,under review,wip").split(","),
]);

/** Whether a status is one in use. */
export function isStatus(status: string): boolean {
  return STATUSES.has(status.replace(/^(?:partly|partially) /, ""));
}

interface Recorded {
  readonly record: DecisionRecord | undefined;
}

/**
 * The status of a decision by all that its record states; undefined for other documents. A record that names what
 * replaces it is superseded even if its status was not changed, unless only a part of it is.
 */
export function currentStatus({ record }: Recorded): string | undefined {
  const { status = "", supersededBy = [] } = record ?? {};
  const isReplaced = supersededBy.length > 0 && !/^part(?:ly|ially)\b/.test(status);
  return isReplaced && !OVER.has(status) ? "superseded" : record?.status;
}

/** Whether a document is a decision that is known to be no longer in force. */
export function isOver(document: Recorded): boolean {
  return OVER.has(currentStatus(document) ?? "");
}

/** Up to six digits are a number; eight are a date. */
const NUMBER = /^(?:\.\/)?(?:(?:[a-z]+[-_ ]){0,2}adr[-_ ]?)?#?(\d{1,6})(?![\p{L}\p{N}])/iu;
/** "ODH-ADR-Operator-0007-auth": behind words other than ADR, a number is padded. */
const PADDED_NUMBER = /^(?:\.\/)?(?:[a-z]+[-_ ]){1,4}(0\d{2,5})(?![\p{L}\p{N}])/iu;
/** "2021-06-05_001-use-x": a padded number behind a date. */
const NUMBER_AFTER_DATE = /^\d{4}-?\d{2}-?\d{2}[-_](0\d{2,5})(?![\p{L}\p{N}])/u;
/** A year, a month and perhaps a day. */
const DATE =
  /^((?:19|20)\d{2})(?:-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01]))?|(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01]))(?![\p{L}\p{N}])/u;

/** The name of a record: its file name without the ending, or that of its folder if it is the folder's README. */
export function recordName(label: string): string {
  const segments = label.split("/");
  const name = segments.at(-1)!.replace(/\.md$/i, "");
  return segments.length > 2 && isFolderPage(name) ? segments.at(-2)! : name;
}

/** The folder that a record is numbered in, as a key: "adr" for "adr/007-use-x" and "adr/007-use-x/README". */
export function recordFolder(key: string): string {
  const segments = key.split("/");
  return segments.slice(0, segments.length > 2 && isFolderPage(segments.at(-1)!) ? -2 : -1).join("/");
}

/** Whether a file is the page of its folder. */
export function isFolderPage(name: string): boolean {
  return /^(?:readme|index)$/i.test(name);
}

/** The number in the name of a record, if it has one. */
export function recordNumber(name: string): number | undefined {
  const found = recordDate(name) === undefined
    ? NUMBER.exec(name) ?? PADDED_NUMBER.exec(name)
    : NUMBER_AFTER_DATE.exec(name);
  return found ? Number(found[1]) : undefined;
}

/** The date in the name of a record such as "20260728-use-x", if it has one. */
export function recordDate(name: string): string | undefined {
  return DATE.exec(name)?.slice(1).filter((part) => part !== undefined).join("-");
}

/** Whether a text refers to a record: a number, a date id, a file, a URI. Anything else may be prose. */
export function isReference(text: string): boolean {
  return recordNumber(text) !== undefined || recordDate(text) !== undefined ||
    /\.md(?:$|[?#])|^architecture:/i.test(text);
}

/** A pattern for headings that begin with one of some words, numbered or not. */
export function headingPattern(words: string): RegExp {
  return new RegExp(`^(?:\\d[\\d.]*\\)?[ \\t]+)?(?:${words})`, "i");
}

/** "Status: accepted", "* Status: accepted", "**Status**: accepted", "**Status:** accepted", "| Status | accepted |". */
const FIELD =
  /^ {0,3}(?:[-*+>][ \t]+|\|[ \t]*)?[*_]{0,2}(status|date|supersedes|replaces|(?:superseded|replaced)[ _-]by)[*_]{0,2}[ \t]*(?::|\|)[*_]{0,2}[ \t|]*(.+)$/i;
/** "- Supersedes [5. Use Y](0005-use-y.md)", in a list of links anywhere. */
const LINKED = /^ {0,3}[-*+][ \t]+[*_]{0,2}(supersedes|replaces|(?:superseded|replaced) by)\b(.*\]\(.*)$/i;
/** Fields are looked for in so many lines, and before the first of these headings; past that, they are prose. */
const FIELD_LINES = 40;
const BODY = headingPattern("(?:context|background|problem|motivation|decision|what|why)\\b");
/** The sections of the fields; the field may stand behind a colon. */
const HEADINGS = {
  status: headingPattern("status[ \\t]*(?::[ \\t]*(.*))?$"),
  date: headingPattern("date[ \\t]*(?::[ \\t]*(.*))?$"),
};
/** What the text of a status says of other records. */
const PHRASES = {
  "supersedes": /\b(?:supersedes|replaces)\b:?/i,
  "superseded-by": /\b(?:superseded|replaced)\b(?:[ \t]+by\b)?:?/i,
};

/** As much of a line as is read: bounds what a hostile line can cost. */
const MAX_LINE = 2000;
/** The most records that one is related to. */
const MAX_RELATIONS = 100;

/** Reads what a record states; `sections` are all of its sections. */
export function readRecord(
  name: string,
  lines: readonly string[],
  front: FrontMatter,
  sections: readonly Section[],
): DecisionRecord {
  const fields = readFields(lines, front, sections);
  const stated = (field: "status" | "date"): string | undefined =>
    statedText(fields.get(field)?.[0]) ?? underHeading(lines, sections, HEADINGS[field]);
  const statusText = stated("status");
  const relation = (field: "supersedes" | "superseded-by"): string[] => {
    const all = [
      ...(fields.get(field) ?? []).flatMap(mentions),
      ...mentionsAfter(statusText ?? "", PHRASES[field]),
      ...(fields.get(`linked ${field}`) ?? []).flatMap(linkTargets),
    ];
    return [...new Set(all)].slice(0, MAX_RELATIONS);
  };
  const known = {
    number: recordNumber(name),
    status: statusText === undefined ? undefined : statusWord(statusText),
    date: dateOf(stated("date")) ?? recordDate(name),
  };
  return {
    ...Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined)),
    supersedes: relation("supersedes"),
    supersededBy: relation("superseded-by"),
  };
}

/** The fields in the front matter, in lines at the head, and in lists of links ("linked supersedes"). */
function readFields(
  lines: readonly string[],
  front: FrontMatter,
  sections: readonly Section[],
): Map<string, string[]> {
  const fields = new Map<string, string[]>();
  const add = (name: string, ...texts: readonly string[]): void => {
    const field = name.toLowerCase().replace("replace", "supersede").replace(/[ _-]?by$/, "-by");
    const known = fields.get(field);
    if (known) known.push(...texts);
    else fields.set(field, [...texts]);
  };
  for (const [key, texts] of front.values) {
    if (/^(?:supersede|replace)/.test(key)) add(key, ...texts);
    else if (texts.length > 0) add(key, texts.join(", "));
  }
  const body = sections.find(({ level, title }) => level > 1 && BODY.test(title))?.line ?? lines.length;
  const headEnd = Math.min(front.bodyLine + FIELD_LINES, body);
  for (const [index, whole] of proseLines(lines, front.bodyLine)) {
    const line = whole.slice(0, MAX_LINE);
    const field = index < headEnd ? FIELD.exec(line) : undefined;
    if (field) {
      add(field[1]!, (line.trimStart().startsWith("|") ? field[2]!.split("|")[0]! : field[2]!).trim());
    }
    const linked = LINKED.exec(line);
    if (linked) add(`linked ${linked[1]}`, linked[2]!);
  }
  return fields;
}

/** All that stands under a heading, or behind it: adr-tools writes each change of a status as a line of its own. */
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

/** Whether a line quotes what a template says of the section. */
function isAdvice(line: string): boolean {
  return /^[ \t]*>/.test(line) && !isStatus(plain(line.replace(/^[ \t>]+/, "")).toLowerCase());
}

/** A text that was filled in; undefined for what a template leaves there. */
function statedText(text: string | undefined): string | undefined {
  const stated = text?.replace(/<!--.*?(?:-->|$)/gs, "").replace(/~~[^~\n]*~~/g, "").trim() ?? "";
  const isChoice = /^[^\n]*\p{L}[ \t]*\|[ \t]*\p{L}/u.test(stated);
  const isBlank = /^(?:\{|<(?!https?:|[^>]*\.md))/.test(stated);
  return isChoice || isBlank || isNothing(stated) ? undefined : stated;
}

function isNothing(text: string): boolean {
  return /^(?:n\/a|none|nothing|nil|null|tbd|todo|[-–—]+)?\.?$/i.test(text.trim());
}

/** Words that say little without the next one: "in review", "partly superseded". */
const WITH_NEXT = /^(?:in|on|under|not|no|to|partly|partially)[ \t-]+\p{L}+/iu;

function statusWord(text: string): string | undefined {
  const first = plain(text.split("\n", 1)[0]!).replace(/^[^\p{L}]+/u, "");
  const pair = WITH_NEXT.exec(first)?.[0];
  if (pair !== undefined) return pair.toLowerCase().replace(/[ \t-]+/, " ");
  // A record that was accepted and then superseded says both.
  if (/\b(?:superseded|replaced) by\b/i.test(text)) return "superseded";
  const words = first.toLowerCase().match(/\p{L}[\p{L}-]*/gu) ?? [];
  return words.find((word) => STATUSES.has(word)) ?? words[0];
}

/** A date as it is written; of a longer text, its first date of the usual form. */
function dateOf(stated: string | undefined): string | undefined {
  if (stated === undefined || !/\d/.test(stated)) return undefined;
  return /\d{4}-\d{2}-\d{2}/.exec(stated)?.[0] ?? plain(stated.split("\n", 1)[0]!);
}

/** What a line refers to: the targets of its links, or else its words. */
function mentions(whole: string): string[] {
  const text = statedText(whole.slice(0, MAX_LINE));
  if (text === undefined) return [];
  const targets = linkTargets(text);
  if (targets.length > 0) return targets;
  const name = (part: string): string => plain(part).replace(/[.:]+$/, "");
  const names = text.split(/[,;\n]|\band\b/).map(name).filter((part) => !isNothing(part));
  // A comma or an "and" may also stand in a title.
  return names.every(isReference) ? names : [name(text)];
}

/**
 * What the lines of a status refer to behind a phrase. In the middle of a sentence, and without "by", only what is
 * certainly a reference counts: a link, a file, a number; a date alone may say when.
 */
function mentionsAfter(text: string, phrase: RegExp): string[] {
  return text.split("\n").flatMap((whole) => {
    const line = whole.slice(0, MAX_LINE);
    const found = phrase.exec(line);
    if (!found) return [];
    const rest = line.slice(found.index + found[0].length);
    const isProse = /\p{L}/u.test(line.slice(0, found.index)) || !/(?:s|by):?$/i.test(found[0]);
    if (!isProse || linkTargets(rest).length > 0) return mentions(rest);
    return mentions(rest).filter((name) => isReference(name) && !/^\d{4}-?\d{2}-?\d{2}$/.test(name));
  });
}

function linkTargets(text: string): string[] {
  return Array.from(text.matchAll(/\]\(<?([^)\s>]+)(?:[\s>][^)]*)?\)/g), ([, target]) => target!);
}
