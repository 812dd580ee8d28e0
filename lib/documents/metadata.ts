/** Metadata of documents and decision records: Nygard, adr-tools, MADR 2 to 4, log4brains, `Status:` lines, tables. */

import type { Body, FrontMatter, Heading } from "../formats/markdown/document.ts";
import { compact, detached } from "../base/json.ts";
import { isDay } from "../base/text.ts";
import {
  ATX,
  DEFINITION,
  MAX_LINE,
  plain,
  readBody,
  readFrontMatter,
  SETEXT,
  toLines,
} from "../formats/markdown/document.ts";

/** The longest description, and the longest text that `shorten` gives, in characters. */
export const MAX_DESCRIPTION = 200;
/** How much of a document is searched for metadata, in UTF-16 units. */
const MAX_READ = 256 * 1024;

/** The metadata of a document. */
export interface Metadata {
  /** From the front matter or the first heading, else the name of the file. */
  readonly title: string;
  /** From the front matter or the first paragraph: one line of at most 200 characters. */
  readonly description: string | undefined;
  /** Only of decision records. */
  readonly record: DecisionRecord | undefined;
  /** From the front matter, as written. */
  readonly tags: readonly string[];
  /** The patterns of the files that the document is about. */
  readonly appliesTo: readonly string[];
  /** When the document is to be reviewed, as its front matter says; missing when it does not. */
  readonly reviewBy?: string;
}

/** What a decision record states; a member is missing when the record does not state it. */
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
  /** What this record changes in part. */
  readonly amends?: readonly string[];
  /** What changes a part of this record. */
  readonly amendedBy?: readonly string[];
  /** What it has to do with. */
  readonly relatesTo?: readonly string[];
}

/** What a decision record may state of others. */
export const RELATIONS = ["supersedes", "supersededBy", "amends", "amendedBy", "relatesTo"] as const;

/** What a text says when it is read as any document, and when it is read as a decision record. */
interface Reading {
  readonly metadata: Metadata;
  /** Undefined without a name or sections of a record: a status alone would not make it one, as most guidelines have one too. */
  readonly asRecord: Metadata | undefined;
  /** What makes it look like a record: "name" (with a number or date, or a title that says so), "status", "sections". */
  readonly signs: readonly string[];
  readonly problems: FrontMatter["problems"];
}

/** Reads a text; with `isRecord`, as a record even if it does not look like one. `beside` is YAML with more of its fields. */
export function readMetadata(
  { name, label }: { readonly name: string; readonly label: string },
  text: string,
  isRecord: boolean,
  beside = "",
): Reading {
  const lines = toLines(text.slice(0, MAX_READ));
  const { values, bodyLine, problems } = readFrontMatter(lines);
  const body = readBody(lines, bodyLine), { prose, sections } = body;
  const valueOf = (key: string) => values.get(key)?.join(", ").replace(/\s+/g, " ").trim() || undefined;
  const listOf = (...keys: string[]) => Object.freeze(keys.flatMap((key) => values.get(key) ?? []));
  const [reviewBy] = listOf("review-by", "review_by");
  const statedTitle = valueOf("title"), description = shorten(valueOf("description") ?? "");
  const title = sections.find(({ level, title }) => level === 1 && title !== "")?.title;
  const metadata: Metadata = {
    title: detached(statedTitle ?? title ?? name),
    description: description || firstParagraph(lines, prose),
    record: undefined,
    tags: listOf("tags", "keywords"),
    appliesTo: listOf("applies-to", "appliesto", "applies_to", "affects"),
    ...(reviewBy !== undefined && { reviewBy }),
  };
  const ownName = recordName(label);
  const hasName = recordNumber(ownName) !== undefined || recordDate(ownName) !== undefined ||
    /\b(?:ADR|decision record)\b/i.test(title ?? "");
  const [first] = sections, isOnTop = first && lines.slice(bodyLine, first.line).join("").trim() === "";
  const ownTitle = [title, isOnTop ? first.title : ""].find((one) => one && !PART.test(one));
  const inner = sections.filter((section) => section.title !== ownTitle);
  const titles = inner.map((section) => section.title).join("\n");
  const hasSections = (CONTEXT.test(titles) && DECISION.test(titles)) || OPTIONS.test(titles) ||
    (MOTIVATION.test(titles) && PROPOSAL.test(titles));
  // Fields are read only of what may be a record.
  if (!isRecord && !hasName && beside === "" && !hasSections) {
    return { metadata, asRecord: undefined, signs: [], problems };
  }
  const more = beside === "" ? [] : [readFrontMatter(["---", ...toLines(beside), "---"]).values];
  const fields = readFields([values, ...more], lines, body);
  const record = detached(readRecord(ownName, fields)), hasStatus = isStatus(record.status ?? "");
  const signs = [hasName && "name", hasStatus && "status", hasSections && "sections"];
  return {
    metadata,
    asRecord: {
      ...metadata,
      title: detached(statedTitle ?? ownTitle ?? statedIn(fields, "name") ?? ownName),
      description: description || aboutRecord(lines, prose, inner),
      record,
    },
    signs: signs.filter((sign) => sign !== false),
    problems,
  };
}

/** Cuts a text at `MAX_DESCRIPTION` characters; a text that is cut ends with "…". */
export function shorten(text: string): string {
  // A string has at most as many characters as UTF-16 units, so most need no counting.
  const characters = text.length <= MAX_DESCRIPTION ? [] : Array.from(text);
  if (characters.length <= MAX_DESCRIPTION) return text;
  return characters.slice(0, MAX_DESCRIPTION - 1).join("").trim() + "…";
}

/** The title of a record with its number in front, unless it begins with the number. */
export function numberedTitle(title: string, number: number | undefined): string {
  const isNumbered = number === undefined || new RegExp(`^\\D{0,5}0*${number}\\b`).test(title);
  return isNumbered ? title : `${number}. ${title}`;
}

/** A pattern for headings, a line each, that begin with one of some words, numbered or not. */
function headingPattern(words: string): RegExp {
  return new RegExp(`^(?:\\d[\\d.]*\\)?[ \\t]+)?(?:${words})`, "im");
}

/** A first heading that names a part of a record is not its title, which is then in a field or in the name of its file. */
const PART = headingPattern("(meta(data)?|abstract|summary|context|motivation|introduction|problem|status)$");
const CONTEXT = headingPattern("(?:abstract|summary|context|background|problem|motivation)\\b");
export const DECISION: RegExp = headingPattern("decisions?(?! (?:drivers|makers))\\b");
const OPTIONS = headingPattern("(?:considered options|options considered|decision (?:outcome|drivers))\\b");
const MOTIVATION = headingPattern("motivation\\b");
const PROPOSAL = headingPattern("(?:alternatives|design|detailed design|drawbacks|proposal|rationale)\\b");
/** The sections about the state of a record, and the most of them that are passed over. */
const STATE = headingPattern("(?:status|date|deciders|authors?|change ?log|history|contents|table of)\\b");
const MAX_STATES = 20;

/** A record is about its context; without one, about the first thing that it says except for its status and date. */
function aboutRecord(lines: readonly string[], prose: readonly number[], sections: readonly Heading[]) {
  const context = sections.find(({ title }) => CONTEXT.test(title));
  const about = context && firstParagraph(lines, prose.filter((at) => at > context.line && at < context.end));
  const states = sections.filter(({ title }) => STATE.test(title)).slice(0, MAX_STATES);
  return about ??
    firstParagraph(lines, prose.filter((at) => !states.some(({ line, end }) => line <= at && at < end)));
}

/** A line that opens something other than a paragraph. */
const NOT_PROSE =
  /^[ \t]*(?:#|>|\||[-*+](?:[ \t]|$)|\d+[.)][ \t]|<|!\[|\[!|\[[^\]]*\]:|={3,}|-{3,}|\*{3,}|:::|!!!|\{[:%]| {4})/;
/** What the text of a status says of other records, by the field for it; two of the words are often misspelt. */
const PHRASES: Readonly<Record<string, RegExp>> = {
  supersedes: /\b(?:super[sc]e+des|replaces)\b:?/i,
  supersededby:
    /\b(?:super[sc]e+ded|replaced)\b:?(?:[ \t]+(?:on[ \t]+)?\(?\d{4}-\d{2}-\d{2}\)?,?(?=[ \t]+by\b))?(?:[ \t]+by\b)?:?/i,
  amends: /\bamends\b:?/i,
  amendedby: /\bamended(?:[ \t]+by\b)?:?/i,
  relatesto: /\brelate[sd][ \t]+to\b:?/i,
};
/** The relation that a line of a status begins with, as adr-tools writes it: "Amends [9. X](0009-x.md)". */
export function leadingRelation(line: string): (typeof RELATIONS)[number] | undefined {
  const text = line.replace(/^[ \t]*(?:[-*+][ \t]+)?[*_]*/, "");
  return RELATIONS.find((name) => {
    const phrase = PHRASES[name.toLowerCase()]!;
    return phrase.exec(text)?.index === 0 && mentionsAfter(text, phrase).length > 0;
  });
}

/** A relation of any name, as adr-tools links records: "Clarified by [9. X](0009-x.md)". */
const ANY_RELATION =
  /^[ \t]*(?:[-*+][ \t]+)?[*_]*(\p{L}+)(?: by| to)?:?[*_]*:?[ \t]+\[.*\]\([^()]*\)\.?[ \t]*$/u;

/** Whether a line of a status is about the record itself, as what replaces it is, and not about another one. */
export function isAboutItself(line: string): boolean {
  const relation = leadingRelation(line), word = ANY_RELATION.exec(line)?.[1];
  if (relation !== undefined) return relation === "supersededBy";
  return word === undefined || isStatus(word.toLowerCase());
}

/** The fields that stand in lines of their own, by `fieldName`. */
const FIELDS = new Set([
  ...Object.keys(PHRASES),
  ..."superseded status date created name deciders decisionmakers author authors tag tags technicalstory"
    .split(" "),
]);
/** "Status: accepted", "* Status: accepted", "**Status:** accepted", "| Status | accepted |", "Date 09/04/2018". */
const FIELD =
  /^ {0,3}(?:[-*+>][ \t]+|\|[ \t]*)?[*_]{0,2}([a-z][a-z _-]*?)[*_]{0,2}(?:[ \t]*[:|][*_]{0,2}[ \t|]*|(?<=date)[ \t]+(?=\d))(.*)$/i;
/** What separates two fields in one line: "**Status:** accepted | **Date:** 2026-07-28". */
export const NEXT_FIELD: RegExp = /[ \t]+[|·•][ \t]+(?=[*_]{0,2}[a-z][a-z -]*[*_]{0,2}:)/i;

/** The name of a field in lower case, without spaces and hyphens; one name for several spellings. */
export function fieldName(written: string): string {
  return written.toLowerCase().replace(/[ _-]/g, "").replace(/^(?:super[sc]e+d|replac)e/, "supersede")
    .replace(/^(?:relatedto|seealso)$/, "relatesto").replace(/^(?:start|creation)date$/, "created");
}

function fieldOf(line: string): readonly [name: string, text: string] | undefined {
  const [, written, text] = /[:|]|date[ \t]+\d/i.test(line) && FIELD.exec(line.slice(0, MAX_LINE)) || [];
  const name = written && fieldName(written);
  return name && FIELDS.has(name) ? [name, text!] : undefined;
}

/** The first paragraph; list items, quotes and the fields of a record are not one. */
function firstParagraph(lines: readonly string[], prose: readonly number[]): string | undefined {
  const found: string[] = [];
  let previous = -1;
  /** In a list, a quote or a table, lines continue without a mark; behind a gap, only those that are indented do. */
  let block: "none" | "open" | "gap" = "none";
  for (const index of prose) {
    const line = lines[index]!;
    const isGap = line.trim() === "";
    // An underline turns the text above it into a heading.
    const isUnderline = SETEXT.test(line);
    const isOther = isUnderline || NOT_PROSE.test(line);
    if (isUnderline) found.length = 0;
    if (found.length > 0 && (isGap || isOther || previous !== index - 1)) break;
    previous = index;
    if (isOther) block = isUnderline || ATX.test(line) ? "none" : "open";
    else if (isGap) block = block === "none" ? "none" : "gap";
    else if (block === "open" || (block === "gap" && line.startsWith("  "))) continue;
    else if (found.length > 0 || !fieldOf(line)) found.push(line);
  }
  return detached(shorten(plain(found.join(" ")))) || undefined;
}

/** The status words of decisions, with what they mean; a decision that was rejected is not in force either. */
export const STATUSES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    inForce: "accepted,activated,active,approved,complete,completed,final,implementable,implemented,living",
    rejected: "abandoned,cancelled,declined,rejected,withdrawn",
    over:
      "deprecated,discontinued,expired,inactive,invalidated,obsolete,replaced,retired,reverted,superseded",
    open:
      "adopted,agreed,amended,closed,decided,deferred,demonstrated,done,draft,experimental,idea,in discussion," +
      "in progress,in review,moved,on hold,open,pending,postponed,proposed,provisional,ready-for-release," +
      "recommended,released,returned,review,stagnant,stalled,trial,under discussion,under review,wip",
  }).flatMap(([meaning, words]) => words.split(",").map((word) => [word, meaning])),
);
const OVER: readonly unknown[] = ["over", "rejected"];

export function isStatus(status: string): boolean {
  return STATUSES.has(status.replace(/^(?:partly|partially) /, ""));
}

/**
 * The status of a decision by all that its record states; undefined for other documents. A record that names what replaces it is
 * superseded even if its status was not changed, unless that says "partly".
 */
export function currentStatus({ record }: Pick<Metadata, "record">): string | undefined {
  const { status = "", supersededBy = [] } = record ?? {};
  const isReplaced = supersededBy.length > 0 && !/^part(?:ly|ially)\b/.test(status);
  return isReplaced && !OVER.includes(standing(status)) ? "superseded" : record?.status;
}

/** What a status means: the decision holds, was not taken, holds no longer, or is not made yet; undefined for other words. */
export function standing(status = ""): "inForce" | "rejected" | "over" | "open" | undefined {
  return STATUSES.get(status) as ReturnType<typeof standing>;
}

export function isRejected(document: Pick<Metadata, "record">): boolean {
  return standing(currentStatus(document)) === "rejected";
}

/** Whether a document is a decision that is known to be no longer in force. */
export function isOver(document: Pick<Metadata, "record">): boolean {
  return OVER.includes(standing(currentStatus(document)));
}

/** The title of a document, with its status where it is a decision no longer in force. */
export function markedTitle(document: Pick<Metadata, "record" | "title">): string {
  return document.title + (isOver(document) ? ` (${currentStatus(document)}: no longer in force)` : "");
}

/** Whether a document was to be reviewed before a day. What is no longer in force needs no review. */
export function isOverdue(document: Pick<Metadata, "record" | "reviewBy">, today: string): boolean {
  const { reviewBy = "" } = document;
  return reviewBy < today && isDay(reviewBy) && !isOver(document);
}

/** Whether a document is no decision, or one that is in force as far as its status tells. */
export function isInForce(document: Pick<Metadata, "record">): boolean {
  return standing(currentStatus(document) ?? "accepted") === "inForce";
}

export function isFolderPage(name: string): boolean {
  return /^(?:readme|index)$/i.test(name);
}

/** Pages that stand among records but are none. */
const OTHER_PAGE =
  /^_?(?:readme|index|contents|toc|summary|changelog|contributing|code_of_conduct|licen[cs]e|process|about)$/i;
const TEMPLATE = /(?:^|[-_. ])templates?(?:$|[-_. ])/i;

/** What the name of a file among records says that it is, other than a record; a template has no number, or the number 0. */
export function pageKind(label: string): "page" | "template" | undefined {
  const name = recordName(label);
  if (OTHER_PAGE.test(name)) return "page";
  const isTemplate = TEMPLATE.test(name) && !recordNumber(name) && recordDate(name) === undefined;
  return isTemplate ? "template" : undefined;
}

/** The segments of a record's path, without the file's ending; the page of a folder stands for its folder. */
function recordPath(path: string): string[] {
  const segments = path.replace(/\.md$/i, "").split("/");
  return segments.length > 2 && isFolderPage(segments.at(-1)!) ? segments.slice(0, -1) : segments;
}

/** The name of a record: its file name without the ending, or that of its folder if it is the folder's README. */
export function recordName(label: string): string {
  return recordPath(label).at(-1)!.normalize("NFC").toWellFormed();
}

/** The folder that a record is numbered in, as a key: "adr" for "adr/007-use-x" and "adr/007-use-x/README". */
export function recordFolder(key: string): string {
  return recordPath(key).slice(0, -1).join("/");
}

/** In lower case, a number at the start or behind the kind of record: "7-use-x", "adr-7", "#7"; no "12-factor", no date. */
const NUMBER =
  /^(?:\.\/)?(?:(?:[a-z]+[-_ ]){0,2}(?:m?adr|[a-z]?ep|[a-z]{1,2}ip|rf[cd]|simd)[-_ ]?)?#?(\d{1,6})(?![\p{L}\p{N}]|-(?:day|factor|step|tier|way)s?(?!\p{L}))/u;
/** Behind other words, or a date, only a number with zeros in front counts: "ODH-ADR-Operator-0007-auth", "2021-06-05_001-x". */
const PADDED_NUMBER = /^(?:\.\/)?(?:(?:[a-z]+[-_ ]){1,4}|\d{4}-?\d{2}-?\d{2}[-_])(0\d{2,3})(?![\p{L}\p{N}])/u;
/** A year, a month and perhaps a day. */
const DATE =
  /^((?:19|20)\d{2})(?:-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01]))?|(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01]))(?![\p{L}\p{N}])/u;

export function recordNumber(name: string): number | undefined {
  // Patterns for both cases take three times as long to compile, which the first list would wait for.
  const lower = name.toLowerCase();
  const found = (DATE.test(lower) ? undefined : NUMBER.exec(lower)) ?? PADDED_NUMBER.exec(lower);
  return found ? Number(found[1]) : undefined;
}

/** The date in the name of a record such as "20260728-use-x", if it has one. */
export function recordDate(name: string): string | undefined {
  return DATE.exec(name)?.slice(1).filter((part) => part !== undefined).join("-");
}

/** Whether a text refers to a record: a number, a date id, a file, a URI. Anything else may be prose. */
export function isReference(text: string): boolean {
  return recordNumber(text) !== undefined || DATE.test(text) || /\.md(?:$|[?#])|^architecture:/i.test(text);
}

/** Fields are looked for in so many lines, and before the first heading of the body; past that, their words are prose. */
const FIELD_LINES = 40, MAX_RELATIONS = 100;
const BODY = headingPattern("(?:context|background|problem|motivation|decision|what|why)\\b");

type Fields = ReadonlyMap<string, readonly string[]>;

function statedIn(fields: Fields, ...names: string[]): string | undefined {
  return names.flatMap((name) => fields.get(name)?.map(statedText) ?? []).find((text) => text !== undefined);
}

function readRecord(name: string, fields: Fields): DecisionRecord {
  const status = statedIn(fields, "status", "stage");
  const statements = ["status", "stage", "itself"]
    .flatMap((field) => fields.get(field)?.slice(0, MAX_TEXTS) ?? [])
    .flatMap((text) => joined((statedText(text) ?? "").split("\n")));
  const relation = (name: (typeof RELATIONS)[number]): string[] | undefined => {
    const field = name.toLowerCase(), named = fields.get(field)?.flatMap(mentions) ?? [];
    const inStatus = statements.flatMap((line) => mentionsAfter(line, PHRASES[field]!));
    const all = [...new Set([...named, ...inStatus])].slice(0, MAX_RELATIONS);
    return all.length > 0 ? all : undefined;
  };
  const [supersedes = [], supersededBy = [], amends, amendedBy, relatesTo] = RELATIONS.map(relation);
  return compact({
    number: recordNumber(name),
    status: status && statusWord(ownStatus(status)),
    date: dateOf(statedIn(fields, "date")) ?? recordDate(name) ?? dateOf(statedIn(fields, "created")),
    ...{ supersedes, supersededBy, amends, amendedBy, relatesTo },
  });
}

/** The lines of a status that are about the record itself: its section may begin with relations to others. */
function ownStatus(text: string): string {
  const own = !text.includes("\n") ? [] : joined(text.split("\n")).filter(isAboutItself);
  return own.length > 0 ? own.join("\n") : text;
}

/** A relation in a list of links, anywhere: "- Supersedes [5. Use Y](0005-use-y.md)". */
const LINKED = /^ {0,3}[-*+][ \t]+[*_]{0,2}([a-z]+(?![a-z])(?:[ _-](?:by|to)\b)?)(.*\]\(.*)$/i;
/** A relation in a sentence at the head, which becomes the field "itself": "This RFC is superseded by [44](0044-x.md)". */
const ABOUT_ITSELF =
  /\bthis (?:ADR|RFC|KEP|decision|proposal|record)(?: is| was| has been)?(?: now)? [*_]{0,2}(?:supers|replac|amend|relate)(?!\w+ (?:some|parts?)\b).*/i;
/** The section of a field; the field may stand behind a colon. */
const FIELD_HEADING = headingPattern("(status|date)[ \\t]*(?::[ \\t]*(.*))?$");
/** A link that is defined elsewhere: "[text][name]", "[name]". */
const REFERENCE = /\[([^\][]*)\](?:\[([^\][]*)\])?(?![(:[])/g;
/** The most sections for fields that are read, and the most texts of a field in which relations are looked for. */
const MAX_SECTIONS = 10, MAX_TEXTS = 5;

/**
 * The fields in the front matter, beside the record, in lines at the head, in lists of links, and in sections of their own.
 * Such a section stands before the body, or beside that of the decision; deeper ones are about something else.
 */
function readFields(stated: readonly Fields[], lines: readonly string[], { prose, sections }: Body): Fields {
  const fields = new Map<string, string[]>();
  let definitions: Map<string, string> | undefined;
  const withTarget = (link: string, label: string, name: string | undefined) => {
    definitions ??= new Map(lines.flatMap((line) => {
      const [, name, target] = DEFINITION.exec(line) ?? [];
      return name === undefined ? [] : [[name.toLowerCase(), target!]];
    }));
    const target = definitions.get((name || label).toLowerCase());
    return target === undefined ? link : `[${label}](${target})`;
  };
  const add = (name: string, ...texts: readonly string[]) => {
    // "Superseded: 2026-01-01 by X" is read as a sentence, so that "Superseded: yes" states no successor.
    const [field, start] = name === "superseded" ? ["itself", "superseded "] : [name, ""];
    const known = fields.get(field) ?? [];
    fields.set(field, known);
    for (const text of texts) known.push(start + text.replace(REFERENCE, withTarget));
  };
  for (const [key, texts] of stated.flatMap((one) => [...one])) add(fieldName(key), ...texts);
  const top = sections[0]?.level ?? 1;
  const body = sections.find(({ level, title }) => level > 1 && BODY.test(title))?.line ?? lines.length;
  const headEnd = Math.min((prose[0] ?? 0) + FIELD_LINES, body);
  for (const index of prose) {
    const line = lines[index]!.slice(0, MAX_LINE);
    // These cheap tests pass over most lines; "his " stands for "This" and "this".
    const mayState = index < headEnd && /[:|]|this|date/i.test(line), hasLink = line.includes("](");
    if (!hasLink && !mayState) continue;
    const sentence = mayState && line.includes("his ") && ABOUT_ITSELF.exec(line)?.[0];
    if (sentence) add("itself", firstSentence(continued(sentence, lines, index)));
    const isRow = /^[ \t]*\|/.test(line);
    const parts = mayState && !isRow && /[|·•]/.test(line) ? line.split(NEXT_FIELD) : [line];
    for (const part of parts) {
      const [, linked, target] = hasLink && LINKED.exec(part) || [];
      const relation = linked && fieldName(linked);
      const [name, text] = (mayState && fieldOf(part)) ||
        (relation && Object.hasOwn(PHRASES, relation) ? [relation, target] : []);
      const isAlone = !isRow && parts.length === 1;
      if (name) add(name, isAlone ? continued(text!, lines, index) : text!.split("|")[0]!);
    }
  }
  for (const section of sections.filter(({ title }) => FIELD_HEADING.test(title)).slice(0, MAX_SECTIONS)) {
    const { title, line, level, end } = section;
    const [, name, text = ""] = FIELD_HEADING.exec(title)!;
    const own = prose.filter((at) => line < at && at < end).map((at) => lines[at]!);
    const stated = [text, ...own.filter(isStatement)].join("\n");
    const isHigh = level <= top + 1;
    const isOwn = isHigh && (line < body || isStatus(statusWord(stated.trim()) ?? ""));
    if (isOwn || isBesideDecision(section, sections)) add(name!.toLowerCase(), stated);
  }
  return fields;
}

/** A text up to a full stop that is not in a link: "by [2. Use Y](0002-use-y.md). It …". */
function firstSentence(text: string): string {
  const stop = [...text.matchAll(/\[[^\][]*\]|\.[ \t]/g)].find(([mark]) => mark[0] === ".");
  return stop ? text.slice(0, stop.index) : text;
}

/** Whether a section has the level and the parent of the one for the decision. */
function isBesideDecision({ level, line }: Heading, sections: readonly Heading[]): boolean {
  const parent = sections.findLast((other) => other.level < level && other.line < line && other.end > line);
  const { line: from, end } = parent ?? { line: -1, end: Infinity };
  const isSibling = (other: Heading) => other.level === level && other.line > from && other.line < end;
  return sections.some((other) => isSibling(other) && DECISION.test(other.title));
}

/** The end of a line that goes on in the next one: "by", or a link that is not closed. */
const GOES_ON = /(?:\bby:?|\[[^\]]*|\]\([^)]*)[ \t]*$/i;
/** How much of the end of a line tells whether it goes on, in UTF-16 units, and over how many lines it may. */
const LINE_END = 300, MAX_GOES_ON = 3;

export function goesOn(text: string, next: string): boolean {
  return text.length < MAX_LINE && next.trim() !== "" && GOES_ON.test(text.slice(-LINE_END));
}

/** The lines, each joined with those in which it goes on. */
function joined(lines: readonly string[]): string[] {
  const whole: string[] = [];
  for (const line of lines) {
    const last = whole.at(-1) ?? "";
    whole.push(goesOn(last, line) ? `${whole.pop()} ${line.trim()}` : line.slice(0, MAX_LINE));
  }
  return whole;
}

/** The text of a field with the lines in which it goes on; of a field without a text, the list below it. */
function continued(text: string, lines: readonly string[], index: number): string {
  if (text.trim() !== "") return joined([text, ...lines.slice(index + 1, index + 1 + MAX_GOES_ON)])[0]!;
  const below = lines.slice(index + 1, index + 1 + MAX_RELATIONS);
  const isItem = /^ {0,3}[-*+]/.test(lines[index]!) ? /^(?: {2,}|\t)[-*+][ \t]/ : /^[ \t]*[-*+][ \t]/;
  const end = below.findIndex((line) => !isItem.test(line) || fieldOf(line));
  const items = end < 0 ? below : below.slice(0, end);
  return items.map((line) => line.replace(/^[ \t]*[-*+]/, "")).join("\n");
}

/** Whether a line in the section of a field states something: each line may, as adr-tools adds one for each change. */
function isStatement(line: string): boolean {
  // A quote often is what the template says of the section.
  const isAdvice = /^[ \t]*>/.test(line) && !isStatus(plain(line.replace(/^[ \t>]+/, "")).toLowerCase());
  return !isAdvice && !/^[ \t]*(?:$|[-=]+[ \t]*$)/.test(line);
}

/** A text that was filled in, perhaps between the braces of a template; undefined for what the template has there. */
export function statedText(text = ""): string | undefined {
  const stated = text.replace(/<!--.*?(?:-->|$)|~~[^~\n]*~~/gs, "").replace(IMAGE, "$1").trim();
  const isChoice = stated.includes("|") && /^[^\n]*\p{L}[ \t]*\|[ \t]*\p{L}/u.test(stated);
  const filled = /^\{[ \t]*([^{}]*?)[ \t]*\}$/.exec(stated)?.[1];
  if (filled && (isStatus(filled.toLowerCase().replace("-", " ")) || /^[\d-]+$/.test(filled))) return filled;
  const isBlank = /^(?:\{|<(?!https?:|[^>]*\.md))/.test(stated);
  return isChoice || isBlank || NOTHING.test(stated) ? undefined : stated;
}

/** An image, such as the badge of a status; and texts that mean "no value". */
const IMAGE = /!\[([^\][]*)\]\([^()]*\)/g;
const NOTHING = /^(?:n\/?a|none|nothing|nil|null|tbd|todo|[-–—]+)?\.?$/i;

/** Words that form a status with the next one: "in review", "partly superseded". */
const WITH_NEXT = /^(?:in|on|under|not|no|to|partly|partially)[ \t-]+\p{L}+/iu;

function statusWord(text: string): string | undefined {
  if (STATUSES.has(text.toLowerCase())) return text.toLowerCase();
  const first = plain(text.split("\n", 1)[0]!).replace(/^[^\p{L}]+/u, "").toLowerCase()
    .replace(/\bsuper[sc]e+ded\b/g, "superseded");
  const pair = WITH_NEXT.exec(first)?.[0];
  if (pair !== undefined) return pair.replace(/[ \t-]+/, " ");
  // A record that was accepted and then superseded says both.
  if (/\b(?:super[sc]e+ded|replaced) by\b/i.test(text)) return "superseded";
  const words: string[] = first.match(/\p{L}[\p{L}-]*/gu) ?? [];
  return words.find((word) => STATUSES.has(word)) ?? words[0];
}

/** A date as it is written; of a longer text, its first date of the usual form. */
function dateOf(stated = ""): string | undefined {
  if (!/\d/.test(stated)) return undefined;
  return /\d{4}-\d{2}-\d{2}/.exec(stated)?.[0] ?? plain(stated.split("\n", 1)[0]!);
}

/** What a line refers to: the targets of its links, or else what its words name. */
function mentions(whole: string): string[] {
  const text = statedText(whole.slice(0, MAX_LINE));
  if (text === undefined) return [];
  const targets = Array.from(text.matchAll(LINK), ([, target]) => target!);
  if (targets.length > 0) return targets;
  const name = (part: string) => plain(part).replace(/[.:]+$/, "").replace(/^\[(.*)\]$/, "$1");
  const names = text.split(/[,;\n]|\band\b/).map(name).filter((part) => !NOTHING.test(part));
  // A comma or an "and" may also stand in a title.
  return names.every(isReference) ? names : [name(text)];
}

const LINK = /\]\([ \t]*<?([^)\s>]+)(?:[\s>][^)]*)?\)/g;

/** What a line refers to behind a phrase. Within prose, and without "by", only a link, a file or a number counts. */
function mentionsAfter(whole: string, phrase: RegExp): string[] {
  const line = whole.slice(0, MAX_LINE);
  const found = phrase.exec(line);
  if (!found) return [];
  const rest = line.slice(found.index + found[0].length);
  const isProse = /\p{L}/u.test(line.slice(0, found.index)) || !/(?:s|by|to):?$/i.test(found[0]);
  const hasLink = rest.search(LINK) >= 0;
  // A date behind the phrase is its time.
  const namesRecord = (name: string) => isReference(name) && !/^\d{4}-?\d{2}-?\d{2}\)?$/.test(name);
  return mentions(rest).filter((name) => !isProse || hasLink || namesRecord(name));
}
