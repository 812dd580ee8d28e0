/** Where in a document is the answer? Its best section, the line to look at, an excerpt, and why it was found. */

import type { Document } from "./catalogue.ts";
import type { Resemblance } from "./resemblance.ts";
import type { Field, Piece } from "./search_text.ts";
import type { Section } from "./markdown.ts";
import type { Phrase } from "./word_order.ts";
import { cutExcerpt } from "./excerpt.ts";
import { readPieces } from "./search_text.ts";
import { isDense, readWords } from "./tokens.ts";
import { follow, isComplete } from "./word_order.ts";

/** A word that answers a word of the query. */
export interface Wanted {
  /** The word of the query. */
  readonly asked: string;
  readonly resemblance: Resemblance;
  /** How much it says that it is there. */
  readonly value: number;
}

/** What is looked for in a document. */
export interface Sought {
  /** The words of the query, in its order. */
  readonly asked: readonly string[];
  /** What answers which words of the query. */
  readonly words: ReadonlyMap<string, readonly Wanted[]>;
  readonly phrases: readonly SoughtPhrase[];
}

/** A phrase of the query. */
export interface SoughtPhrase {
  readonly phrase: Phrase<string>;
  /** How much its words say together; that they follow each other says as much again. */
  readonly value: number;
}

/** Why a document was found: a word of the query that is in it. */
export interface Reason {
  /** The word of the query, folded. */
  readonly asked: string;
  /** How the best of the words in the document resembles it. */
  readonly resemblance: Resemblance;
  /** The best of those words, folded. */
  readonly found: readonly string[];
  /** Where they stand. */
  readonly fields: readonly Field[];
}

/** The place of a document that answers best. */
export interface Passage {
  /** The section that it is in; none when it is before the first one. */
  readonly section: Pick<Section, "title" | "slug"> | undefined;
  /** Its line, counted from 1. */
  readonly line: number;
  /** What stands there: one line of `MAX_EXCERPT` characters at most, without marks or control characters. */
  readonly excerpt: string;
  readonly reasons: readonly Reason[];
}

/** How much a stretch of text says of each word of the query, and of each phrase. */
type Tally = Map<string, number>;

/** Lines that belong together. */
interface Paragraph {
  readonly lines: string[];
  readonly tally: Tally;
  /** The line that says most, counted from 0, and how much it says. */
  line: number;
  most: number;
}

/** What stands under one heading, up to the next one. */
interface Part {
  readonly section: Section | undefined;
  readonly tally: Tally;
  readonly headingLine: number;
  readonly paragraphs: Paragraph[];
}

/** The most words of a document that are named for one word of the query. */
const MAX_FOUND = 3;
/** What says less than this share of what says most, such as "the", is no reason. */
const MIN_REASON = 0.25;

/** Finds the best place of a document that answers; of places that are as good as each other, the first. */
export function findPassage(document: Document, text: string | undefined, sought: Sought): Passage {
  const parts: Part[] = [];
  const reasons = new Reasons();
  const open = sought.phrases.map(() => 0);
  let top = 0;
  for (const piece of readPieces(document, text)) {
    const tally = tallyOf(piece, sought, open, reasons);
    if (piece.field === "heading" || piece.field === "body") addPiece(parts, piece, tally);
    else top = piece.line;
  }
  const why = reasons.list(sought.asked);
  const part = best(parts, ({ tally }) => sum(tally));
  if (!part || sum(part.tally) === 0) {
    // Only its title, its name or its tags answer.
    const lead = document.description === undefined ? parts[0]?.paragraphs[0]?.lines : [document.description];
    return {
      section: undefined,
      line: top + 1,
      excerpt: cutExcerpt(lead ?? [], sought.words),
      reasons: why,
    };
  }
  const { section, paragraphs } = part;
  const paragraph = best(paragraphs, ({ tally }) => sum(tally));
  const isTitle = section?.level === 1 && section.title === document.title;
  return {
    section: section && !isTitle ? { title: section.title, slug: section.slug } : undefined,
    line: (paragraph && paragraph.most > 0 ? paragraph.line : part.headingLine) + 1,
    excerpt: cutExcerpt(paragraph?.lines ?? [section?.title ?? ""], sought.words),
    reasons: why,
  };
}

/** Tallies one piece; `open` says how far each phrase had come in the piece before it. */
function tallyOf(piece: Piece, { words, phrases }: Sought, open: number[], reasons: Reasons): Tally {
  const tally: Tally = new Map();
  if (!piece.goesOn) open.fill(0);
  readWords(piece.text, (word, _start, _end, isAside) => {
    for (const wanted of words.get(word) ?? []) {
      raise(tally, wanted.asked, wanted.value);
      reasons.add(wanted, word, piece.field);
    }
    if (isAside) return;
    for (const [index, { phrase, value }] of phrases.entries()) {
      open[index] = follow(phrase, open[index]!, word);
      if (isComplete(phrase, open[index])) raise(tally, `"${index}"`, value);
    }
  });
  return tally;
}

function addPiece(parts: Part[], { field, section, line, text, goesOn }: Piece, tally: Tally): void {
  let part = parts.at(-1);
  if (!part || part.section !== section) {
    part = { section, tally: new Map(), headingLine: section?.line ?? line, paragraphs: [] };
    parts.push(part);
  }
  for (const [asked, value] of tally) raise(part.tally, asked, value);
  if (field === "heading") return;
  let paragraph = goesOn ? part.paragraphs.at(-1) : undefined;
  if (!paragraph) {
    paragraph = { lines: [], tally: new Map(), line, most: 0 };
    part.paragraphs.push(paragraph);
  }
  paragraph.lines.push(text);
  for (const [asked, value] of tally) raise(paragraph.tally, asked, value);
  const says = sum(tally);
  if (says <= paragraph.most) return;
  paragraph.most = says;
  paragraph.line = line;
}

function raise(tally: Tally, asked: string, value: number): void {
  if (value > (tally.get(asked) ?? 0)) tally.set(asked, value);
}

function sum(tally: Tally): number {
  let total = 0;
  for (const value of tally.values()) total += value;
  return total;
}

/** The first of those that are worth most. */
function best<T>(values: readonly T[], worth: (value: T) => number): T | undefined {
  let found: T | undefined;
  let most = -1;
  for (const value of values) {
    const now = worth(value);
    if (now <= most) continue;
    found = value;
    most = now;
  }
  return found;
}

/** What was found of a word of the query. */
interface Evidence {
  /** What the best of it says. */
  value: number;
  readonly found: Map<string, Wanted>;
  readonly fields: Set<Field>;
}

/** The reasons while they are gathered. */
class Reasons {
  readonly #evidence = new Map<string, Evidence>();

  add(wanted: Wanted, word: string, field: Field): void {
    let evidence = this.#evidence.get(wanted.asked);
    if (!evidence) {
      evidence = { value: 0, found: new Map(), fields: new Set() };
      this.#evidence.set(wanted.asked, evidence);
    }
    evidence.value = Math.max(evidence.value, wanted.value);
    evidence.found.set(word, wanted);
    evidence.fields.add(field);
  }

  /** The reasons that say something, in the order of the query. */
  list(asked: Iterable<string>): Reason[] {
    const most = Math.max(...Array.from(this.#evidence.values(), ({ value }) => value));
    const reasons: Reason[] = [];
    for (const word of asked) {
      const evidence = this.#evidence.get(word);
      if (!evidence || evidence.value < most * MIN_REASON) continue;
      const reason = toReason(word, evidence);
      const joined = joinPairs(reasons.at(-1), reason);
      if (joined) reasons.pop();
      reasons.push(joined ?? reason);
    }
    return reasons;
  }
}

function toReason(asked: string, { found, fields }: Evidence): Reason {
  const words = [...found].sort(([, one], [, other]) => other.value - one.value);
  return {
    asked,
    resemblance: words[0]![1].resemblance,
    found: words.slice(0, MAX_FOUND).map(([word]) => word),
    fields: [...fields],
  };
}

/** Pairs of characters that follow each other are shown as what they are pairs of; undefined when they do not. */
function joinPairs(before: Reason | undefined, { asked, resemblance, fields }: Reason): Reason | undefined {
  const [first = "", last = ""] = Array.from(asked);
  if (!before || !isDense(asked) || !isDense(before.asked) || !before.asked.endsWith(first)) return undefined;
  const whole = before.asked + last;
  return { asked: whole, resemblance, found: [whole], fields: [...new Set([...before.fields, ...fields])] };
}
