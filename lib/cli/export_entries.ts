/** What the index and the rules of export say of each document. */

import type { Document } from "../documents/document.ts";
import type { Markdown } from "../formats/markdown/document.ts";
import { findInvisible, spelledOut } from "../base/invisible.ts";
import { oneLine } from "../base/text.ts";
import { isFolderPage } from "../documents/records/name.ts";
import { decisionOf, writtenLines } from "../documents/records/decision.ts";
import { currentStatus, isInForce, isRejected } from "../documents/records/status.ts";
import { isTemplateText } from "../documents/records/template_text.ts";
import { standardWords } from "../documents/records/words.ts";
import { toGlob } from "../formats/glob.ts";
import { SETEXT } from "../formats/markdown/body.ts";
import { readMarkdown } from "../formats/markdown/document.ts";
import { plain } from "../formats/markdown/lines.ts";
import { parentOf } from "./paths.ts";

/** Maximum length of the line about a document, in UTF-16 units. */
export const MAX_ABOUT = 200;

/** What is said of a document. All text but the patterns is safe to write. */
export interface ExportEntry {
  readonly document: Document;
  /** The path or the URI of the document. */
  readonly place: string;
  /** The folder that it is listed in. */
  readonly folder: string;
  /** Its path in that folder. */
  readonly name: string;
  /** The name of the file, if the document is the page of a folder; `name` is then that of the folder. */
  readonly page: string;
  readonly title: string;
  /** The title in the index, without its number; "" if the name has the same words. */
  readonly shownTitle: string;
  /** What is known of its state: "proposed", "in part replaced by 0009-x.md"; "" if it is wholly in force. */
  readonly state: string;
  /** The places of the records that replace a part of it. */
  readonly successors: readonly string[];
  /** The rest of its line. */
  readonly about: string;
  /** What was decided, or the text of a document without a decision. */
  readonly decision: string;
  /** The files that it applies to. */
  readonly globs: readonly string[];
  /** Whether it has invisible characters, which are spelled out. */
  readonly isSpelledOut: boolean;
}

/** What is known of a document in addition to its own text. */
interface Known {
  readonly place: string;
  /** The places of the records that replace a part of it. */
  readonly successors: readonly string[];
  /** What the templates of the folders say. */
  readonly templates: ReadonlySet<string>;
}

export function toExportEntry(
  document: Document,
  text: string,
  { place, successors, templates: own }: Known,
): ExportEntry {
  const { title, record, appliesTo, key, name: file } = document;
  const page = readMarkdown(text), { lines, prose, front } = page;
  const { kept, isInner = true } = record && decisionOf(title, page, own) || {};
  const isKept = new Set(kept ?? bodyLines(document, page, own));
  // A table says nothing in one line.
  const isSaid = (line: number) =>
    isKept.has(line) && !SETEXT.test(lines[line]!) && !/^\s*\|/.test(lines[line]!);
  const said = (isInner ? [] : prose.filter(isSaid))
    .map((line) => lines[line]!.replace(/^\s*(?:[-*+]|\d+[.)])\s+/, ""));
  const inline = plain(said.join("\n"));
  const stated = document.description ?? "";
  // Of a decision that is not written yet, only the title is known.
  const isUnwritten = kept !== undefined && inline === "" && kept.length === 0;
  const description =
    record && (isUnwritten && !front.values.has("description") || isTemplateText(stated, own)) ? "" : stated;
  const about = front.values.has("description") || inline === "" ? description : inline;
  const body = withoutComments(lines.filter((_, index) => isKept.has(index))).join("\n")
    .replace(/^(?:[ \t]*\n)+/, "").trimEnd();
  const isPage = isFolderPage(file) && key.split("/").length > 2;
  const folder = parentOf(place), path = isPage ? folder : place;
  const globs = [...new Set(appliesTo.flatMap((pattern) => toGlob(pattern).forms))];
  const texts = [place, title, about, body, description, ...globs];
  const names = safeLine(path.slice(path.lastIndexOf("/") + 1));
  return {
    document,
    place: safeLine(place),
    folder: safeLine(parentOf(path)),
    name: names,
    page: isPage ? safeLine(place.slice(place.lastIndexOf("/") + 1)) : "",
    title: safeLine(title),
    shownTitle: shownTitle(names, safeLine(title)),
    state: stateOf(document, successors),
    successors: successors.map(safeLine),
    about: safeLine(about.replace(FILLER, "")),
    decision: (body || description).split("\n").map(safeLine).join("\n"),
    globs,
    isSpelledOut: texts.some((one) => findInvisible(one)),
  };
}

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
): number[] {
  const [first] = sections;
  const isTitled = first?.level === 1 && (first.title === title || first.line <= front.bodyLine + 1);
  let start = isTitled ? first.line + 1 : front.bodyLine;
  if (isTitled && SETEXT.test(lines[start] ?? "")) start++;
  if (!record) return lines.flatMap((_, index) => index < start ? [] : index);
  const words = standardWords();
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
    let text = "";
    for (const { 0: part } of line.matchAll(/(?<!`)(`{1,8})(?!`)[^`]*\1(?!`)|<!--|-->|[^<`-]+|[^]/g)) {
      if (part === "<!--" && !isComment) {
        // A comment without an end hides what follows only if it begins a line.
        isComment = start + line.length < rest || line.includes("-->") || text.trim() === "";
        if (!isComment) text += part;
      } else if (!isComment) text += part;
      else if (part === "-->") isComment = false;
    }
    return text.trim() === "" && line.trim() !== "" ? "" : text;
  });
}

/** A title for a line that begins with a name: without its number, or "" if all its words are in the name. */
function shownTitle(name: string, title: string): string {
  const wordsOf = (text: string): string[] => text.toLowerCase().match(/[1-9]\p{N}*|\p{L}+/gu) ?? [];
  const known = wordsOf(name);
  if (wordsOf(title).every((word) => known.includes(word))) return "";
  return title.replace(NUMBER, (lead, number) => known.includes(number) ? "" : lead);
}

const NUMBER = /^(?:[A-Z]+[ -])*#?0*(\d+)(?:[.:)]| -) +/;
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
