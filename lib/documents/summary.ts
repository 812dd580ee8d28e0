/** What an assistant is told of a document: the one text that rules, hooks and tools give. */

import type { Catalogue } from "./catalogue.ts";
import type { Document } from "./document.ts";
import type { DocumentStore } from "./store.ts";
import type { Markdown } from "../formats/markdown/document.ts";
import type { Words } from "./records/words.ts";
import { findInvisible, spelledOut } from "../base/invisible.ts";
import { oneLine } from "../base/text.ts";
import { SETEXT } from "../formats/markdown/body.ts";
import { cutMarkdown } from "../formats/markdown/cut.ts";
import { readMarkdown } from "../formats/markdown/document.ts";
import { plain } from "../formats/markdown/lines.ts";
import { decisionOf, writtenLines } from "./records/decision.ts";
import { prohibitions } from "./records/prohibitions.ts";
import { currentStatus, isInForce, isRejected } from "./records/status.ts";
import { isTemplateText, templatesIn } from "./records/template_text.ts";
import { teamWords } from "./records/languages.ts";

/** What is said of a document. All of it is safe to write into a file or an answer. */
export interface Summary {
  readonly document: Document;
  /** The path or the URI of the document. */
  readonly place: string;
  readonly title: string;
  /** What is known of its state: "proposed", "in part replaced by 0009-x.md"; "" if it is wholly in force. */
  readonly state: string;
  /** The places of the records that replace a part of it. */
  readonly successors: readonly string[];
  /** The decision or the description in one line. */
  readonly about: string;
  /** The sentences that forbid something. */
  readonly forbids: readonly string[];
  /** What was decided, or the text of a document without a decision. */
  readonly decision: string;
  /** Whether it has invisible characters, which are spelled out. */
  readonly isSpelledOut: boolean;
}

/** Summarizes documents of a catalogue. `placeOf` says where an assistant can read one. */
export function summarizer(
  store: DocumentStore,
  catalogue: Catalogue,
  placeOf: (document: Document) => string,
): (document: Document) => Summary {
  const templates = templatesIn(catalogue.documents, (document) => store.textOnce(document));
  return (document) => {
    const successors = document.record?.partlySupersededBy?.map((reference) => {
      const successor = catalogue.resolve(document, reference);
      return successor ? placeOf(successor) : reference;
    });
    return toSummary(
      document,
      store.textOnce(document) ?? "",
      placeOf(document),
      successors ?? [],
      templates,
      teamWords(store.options.words),
    );
  };
}

function toSummary(
  document: Document,
  text: string,
  place: string,
  successors: readonly string[],
  templates: ReadonlySet<string>,
  words: Words,
): Summary {
  const { title, record } = document;
  const page = readMarkdown(text), { lines, prose, front } = page;
  const { kept, isInner = true } = record && decisionOf(title, page, templates) || {};
  const isKept = new Set(kept ?? bodyLines(document, page, templates, words));
  // A table says nothing in one line.
  const isSaid = (line: number) =>
    isKept.has(line) && !SETEXT.test(lines[line]!) && !/^\s*\|/.test(lines[line]!);
  const said = (isInner ? [] : prose.filter(isSaid))
    .map((line) => lines[line]!.replace(ITEM, ""));
  const inline = plain(said.join("\n"));
  const stated = document.description ?? "";
  // Of a decision that is not written yet, only the title is known.
  const isUnwritten = kept !== undefined && inline === "" && kept.length === 0;
  const description =
    record && (isUnwritten && !front.values.has("description") || isTemplateText(stated, templates))
      ? ""
      : stated;
  const about = front.values.has("description") || inline === "" ? description : inline;
  const forbidden = prohibitions(page, [...isKept]);
  // What is forbidden is told by itself.
  const isTwice = (index: number) =>
    forbidden.some(({ line, text }) => line === index && itemText(lines[index]!) === text);
  const body = withoutComments(lines.filter((_, index) => isKept.has(index) && !isTwice(index))).join("\n")
    .replace(/^(?:[ \t]*\n)+/, "").trimEnd();
  return {
    document,
    place: safeLine(place),
    title: safeLine(title),
    state: stateOf(document, successors),
    successors: successors.map(safeLine),
    about: safeLine(about.replace(FILLER, "")),
    forbids: forbidden.map(({ text }) => safeLine(text)),
    decision: (body || (forbidden.length > 0 ? "" : description)).split("\n").map(safeLine).join("\n"),
    isSpelledOut: [place, title, about, body, description].some((one) => findInvisible(one)),
  };
}

/** The title of a document, with its status as a decision: "12. Use one pool (accepted)". */
export function titleWithStatus({ document, title, state }: Summary): string {
  const status = state || safeLine(currentStatus(document) ?? "");
  return status === "" ? title : `${title} (${status})`;
}

/**
 * The text about a document for an assistant, in lines: notices, what is forbidden, what was decided, and where to read it. The
 * decision is cut to `most` UTF-16 units; 0 leaves it out.
 */
export function summaryLines(summary: Summary, most: number): string[] {
  const { document, successors, forbids, about, decision, place } = summary;
  const text = most > 0 ? cutMarkdown(decision || (forbids.length > 0 ? "" : about), most).trimEnd() : "";
  return [
    ...isRejected(document) ? ["This was decided against.", ""] : [],
    ...successors.length > 0 ? [`In part replaced by ${successors.join(" and ")}: read that too.`, ""] : [],
    ...forbids.length > 0 ? ["Forbidden:", "", ...forbids.map((one) => `- ${one}`), ""] : [],
    ...text === "" ? [] : [...text.split("\n"), ""],
    `Read all of it before you change these files: ${place}`,
  ];
}

/** The mark of an item of a list. */
const ITEM = /^\s*(?:[-*+]|\d+[.)])\s+/;
const itemText = (line: string): string => plain(line.replace(ITEM, ""));

function stateOf(document: Document, successors: readonly string[]): string {
  const status = isInForce(document) || isRejected(document) ? "" : currentStatus(document)!;
  // The page of a folder is named by the folder.
  const names = successors.map((place) =>
    place.replace(/\/(?:readme|index)(?:\.\w+)?$/i, "").replace(/^.*\//, "")
  );
  const isPart = /^part/.test(status) && names.length > 0;
  const parts = names.length > 0 ? [`in part replaced by ${names.join(" and ")}`] : [];
  return safeLine([...isPart || status === "" ? [] : [status], ...parts].join(", "));
}

/** The fields of a record whose sections and lines say nothing but its state, by `fieldOf` of its words. */
const STATE = new Set([
  "status",
  "date",
  "created",
  "supersedes",
  "supersededby",
  "amends",
  "amendedby",
  "relatesto",
]);
const PEOPLE = /^(?:metadata|deciders|decision[- ]makers|authors?)\b/i;
/** A line with a label: "- **Deciders:** X". */
const LABEL = /^[\s>|]{0,5}(?:[-*+][ \t]+)?[*_`]{0,3}([\p{L}][\p{L}\p{M} _-]{0,40}?)[*_`]{0,3}[ \t]*[:：|]/u;

/** The lines of a document without a decision: all after the title. A record's fields and status are left out. */
function bodyLines(
  { title, record }: Document,
  { lines, front, sections }: Markdown,
  own: ReadonlySet<string>,
  words: Words,
): number[] {
  const [first] = sections;
  const isTitled = first?.level === 1 && (first.title === title || first.line <= front.bodyLine + 1);
  let start = isTitled ? first.line + 1 : front.bodyLine;
  if (isTitled && SETEXT.test(lines[start] ?? "")) start++;
  if (!record) return lines.flatMap((_, index) => index < start ? [] : index);
  const states = sections.filter(({ title }) => {
    const label = title.replace(/^[^\p{L}]+/u, "");
    return STATE.has(words.fieldOf(label) ?? "") || PEOPLE.test(label);
  });
  const isState = (index: number) => states.some(({ line, end }) => line <= index && index < end);
  // Fields are above the sections.
  const head = sections.find(({ line }) => line >= start)?.line ?? lines.length;
  const isField = (line: string) => words.fieldOf(LABEL.exec(line)?.[1] ?? "") !== undefined;
  const kept = writtenLines(lines, start, lines.length, own);
  return kept.filter((index) => !isState(index) && !(index < head && isField(lines[index]!)));
}

/** Lines without comments, which people do not see. What is in code is no comment. */
function withoutComments(lines: readonly string[]): string[] {
  let fence = "", isComment = false;
  const rest = lines.join("\n").lastIndexOf("-->");
  let at = 0;
  return lines.map((line) => {
    const start = at;
    at += line.length + 1;
    const mark = /^[\s>]*(?:(?:[-*+]|\d+[.)])\s+)*(`{3,}|~{3,})/.exec(line)?.[1] ?? "";
    if (!isComment && (fence !== "" || mark !== "")) {
      if (fence === "") fence = mark;
      else if (mark.startsWith(fence) && line.replace(/[\s>]/g, "") === mark) fence = "";
      return line;
    }
    // A comment without an end hides what follows only if it begins a line.
    const hasEnd = start + line.length < rest || line.includes("-->");
    let text = "", isBlank = true;
    for (const { 0: part } of line.matchAll(/(?<!`)(`{1,8})(?!`)[^`]*\1(?!`)|<!--|-->|[^<`-]+|[^]/g)) {
      if (part === "<!--" && !isComment) isComment = hasEnd || isBlank;
      if (!isComment) {
        text += part;
        isBlank &&= part.trim() === "";
      } else if (part === "-->") isComment = false;
    }
    return isBlank && line.trim() !== "" ? "" : text;
  });
}

/** Openings that many documents share. They say nothing about the document. */
const FILLER =
  /^(?:this (?:\w+ ){1,2}(?:captures|defines|describes|documents|outlines)|chosen option:|we decided(?: that)?:?) +/i;

/**
 * One line that cannot end the generated part, and in which invisible characters are spelled out; a bare "@path" would make some
 * assistants read that file.
 */
export function safeLine(text: string): string {
  return spelledOut(oneLine(text)).replaceAll("<!--", "&lt;!--").replace(
    /(?<=^|[\s("'])@(?=[\w~./])/g,
    "`@`",
  );
}
