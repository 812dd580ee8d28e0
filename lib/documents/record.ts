/**
 * What was decided, when, and does it still hold? Reads an architecture decision record in the forms that teams
 * really write: Nygard and adr-tools (`## Status`), MADR 2 (`* Status: accepted`) and 3 to 4 (front matter),
 * log4brains (date ids), and bold or plain `Status:` lines.
 */

import type { FrontMatter } from "./front_matter.ts";
import type { Section } from "./sections.ts";
import { listOf, textOf } from "./front_matter.ts";
import { plain } from "./sections.ts";

/** The facts of a decision record; each is missing when the record does not state it. */
export interface DecisionRecord {
  /** From the file name: 7 of "007-use-x.md". */
  readonly number?: number;
  /** One lower-case word: "accepted". */
  readonly status?: string;
  /** As it is written, by convention "2026-07-28". */
  readonly date?: string;
  /** What this record replaces: file names, numbers or titles, as they are written. */
  readonly supersedes: readonly string[];
  /** What replaces this record. */
  readonly supersededBy: readonly string[];
}

/** Up to six digits are a number; eight are a date, which is no number to ask for. */
const NUMBER = /^(?:adr[-_ ]?)?(\d{1,6})(?=$|[-_. ])/i;
/** "Status: accepted", "* Status: accepted", "**Status**: accepted", "**Status:** accepted". */
const FACT =
  /^[ \t]*(?:[-*+][ \t]+)?(?:\*\*|__)?(status|date|supersedes|superseded[ -]by)(?:\*\*|__)?[ \t]*:(?:\*\*|__)?[ \t]*(.+)$/i;
/** How far into a record such lines are looked for: past that, they are prose. */
const FACT_LINES = 40;

/** As much of a line as is read: bounds what a hostile line can cost. */
const MAX_LINE = 2000;

/** The number in a file name without its ending, if it has one. */
export function recordNumber(name: string): number | undefined {
  const digits = NUMBER.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Reads the facts of a record. */
export function readRecord(
  name: string,
  lines: readonly string[],
  front: FrontMatter,
  sections: readonly Section[],
): DecisionRecord {
  const facts = factLines(lines, front.bodyLine);
  const statusText = textOf(front.values["status"]) ?? facts.get("status") ?? statusSection(lines, sections);
  const number = recordNumber(name);
  const date = textOf(front.values["date"]) ?? facts.get("date") ?? dateId(name);
  const status = statusText === undefined ? undefined : statusWord(statusText);
  return {
    ...(number === undefined ? {} : { number }),
    ...(status === undefined ? {} : { status }),
    ...(date === undefined ? {} : { date: plain(date) }),
    supersedes: [
      ...references(front, "supersedes"),
      ...references(front, "replaces"),
      ...mentions(facts.get("supersedes")),
      ...mentions(statusText, /\b(?:supersedes|replaces)\b/i),
    ],
    supersededBy: [
      ...references(front, "superseded-by"),
      ...references(front, "superseded_by"),
      ...references(front, "superseded by"),
      ...mentions(facts.get("superseded by") ?? facts.get("superseded-by")),
      ...mentions(statusText, /\b(?:superseded|replaced) by\b/i),
    ],
  };
}

function factLines(lines: readonly string[], from: number): Map<string, string> {
  const facts = new Map<string, string>();
  for (const line of lines.slice(from, from + FACT_LINES)) {
    const fact = FACT.exec(line);
    const key = fact?.[1]!.toLowerCase();
    if (fact && key !== undefined && !facts.has(key)) facts.set(key, fact[2]!.trim());
  }
  return facts;
}

/** All that stands under `## Status`: adr-tools writes each change of it as a line of its own. */
function statusSection(lines: readonly string[], sections: readonly Section[]): string | undefined {
  const section = sections.find((candidate) => /^status\b/i.test(candidate.title));
  if (!section) return undefined;
  const text = lines.slice(section.line + 1, section.end).filter((line) => !/^[ \t]*(?:$|[-=]+$)/.test(line))
    .join("\n");
  return text === "" ? undefined : text;
}

function statusWord(text: string): string | undefined {
  // A record that was accepted and then superseded says both; the last state is the one that holds.
  if (/\b(?:superseded|replaced) by\b/i.test(text)) return "superseded";
  return /\p{L}[\p{L}-]*/u.exec(plain(text))?.[0].toLowerCase();
}

function dateId(name: string): string | undefined {
  const date = /^(\d{4})-?(\d{2})-?(\d{2})(?=$|[-_. ])/.exec(name);
  return date ? `${date[1]}-${date[2]}-${date[3]}` : undefined;
}

function references(front: FrontMatter, key: string): string[] {
  return listOf(front.values[key]).flatMap((value) => mentions(value));
}

/** What a phrase refers to: the targets of its links, or else its words. With `after`, only what follows that. */
function mentions(text: string | undefined, after?: RegExp): string[] {
  if (text === undefined) return [];
  return text.split("\n").flatMap((whole) => {
    const line = whole.slice(0, MAX_LINE);
    const found = after?.exec(line);
    if (after && !found) return [];
    const rest = found ? line.slice(found.index + found[0].length) : line;
    const links = [...rest.matchAll(/\]\(([^)\s]+)[^)]*\)/g)].map((link) => link[1]!);
    if (links.length > 0) return links;
    return rest.split(/,|\band\b/).map((word) => plain(word).replace(/[.:]$/, "")).filter((word) =>
      word !== ""
    );
  });
}
