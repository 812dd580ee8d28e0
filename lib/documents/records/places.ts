/** Finds where a decision record states its fields: the table of places. */

import type { Body, Heading } from "../../formats/markdown/body.ts";
import type { PlaceKind, Statement, ValuePart, ValuePlace } from "./record.ts";
import type { Words } from "./words.ts";
import { DEFINITION, MAX_LINE, plain } from "../../formats/markdown/lines.ts";
import { re } from "./pattern.ts";
import { DECISION, headingPattern } from "./signs.ts";
import { isStatus } from "./status.ts";
import { readStatus } from "./status_text.ts";
import { DATE, isUnfinished } from "./values.ts";

/** The values of front matter by key, or of another file. */
export type FieldTexts = ReadonlyMap<string, readonly string[]>;

/** The number of lines at the head of a record in which fields are read: later, such words are prose. */
const HEAD_LINES = 40;
/** The maximum length of a label before a link, with its marks, in UTF-16 units. */
const MAX_LABEL = 80;
/** The maximum length of a line up to the separator after its label, with marks, a picture and a note, in UTF-16 units. */
const MAX_LABELLED = 200;
/** The maximum number of lines that continue a line, of items below a label, and of sections and tables of fields. */
const MAX_CONTINUED = 3;
const MAX_ITEMS = 100;
const MAX_SECTIONS = 20;
/** The heading that ends the head of a record. */
const BODY = headingPattern(
  "(?:context|background|problem|motivation|decision|what|why|kontext|hintergrund|entscheidung|contexte?|contesto|contexto|d[ée]cision|decisi[óo]n|decis[ãa]o|decisione|besluit|kontekst|decyzja|контекст|решение|コンテキスト|背景|決定|决策|決策|上下文|맥락|배경|결정)(?![\\p{L}])(?! *(?:status|date|id|makers?)(?![\\p{L}]))",
);
/** The start of a line before its text: quotes, the mark of an item. */
const INDENT = /^[ \t]*(?:>[ \t]*){0,5}(?:(?:[-*+]|\d{1,3}[.)])[ \t]+)?/;
/** A label with its separator. Groups: marks and pictures, the label, a note in brackets, the separator. */
const LABEL =
  re`/^([^\p{L}\p{N}|\n[\]]{0,24}(?::[a-z_]{1,30}:[ \t]*)?[*_\`[]{0,4})([\p{L}][\p{L} _'-]{0,40}?)([ \t]*\((?:partly|partially|partial|in part|s)\))?([*_\`\]]{0,4}[ \t]*(?:::|[:：=]|[—–-](?=[ \t])|$)[*_\`]{0,4}[ \t]*)/`;
const DATE_LABEL = /^([*_]{0,3})(date)([ \t]+)(?=\d)/i;
/** What separates two fields in one line: "**Status:** accepted | **Date:** 2026-07-28". */
const NEXT_FIELD = re`/[ \t]+[|·•][ \t]+(?=[*_]{0,2}[\p{L}][\p{L} -]{0,30}[*_]{0,2}[:：])/g`;
const SEPARATOR_ROW = /^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
/** The title of an admonition: `!!! info "Status"`, `:::info Status`, `:::info[Status]`. */
const ADMONITION =
  /^ {0,3}(!!!|\?\?\?\+?|:{3,})[ \t]*[a-z-]+[ \t]*(?:"([^"]{1,60})"|\[([^\]]{1,60})\]|([^"[\]{}]{1,60}))[ \t]*$/i;
/** A sentence about the record itself: "This RFC is superseded by [44](0044-x.md)". */
const ABOUT_ITSELF =
  /\bthis (?:ADR|RFC|KEP|decision|proposal|record|document)(?: is| was| has been)?(?: now)? [*_]{0,2}(?:(?:part(?:ly|ially)|in part) )?(?:supers|replac|amend|relate)/i;
/** The same in languages that write words without spaces: "本 ADR 的认证部分已被 [9](0009-x.md) 取代". */
const ABOUT_ITSELF_JOINED =
  /^[\s>*_]*(?:本|此|该|該|这个?|這個?|この|이)[ \t]*(?:ADR|RFC|决策|決策|决定|決定|记录|記錄|文档|文件|方案|文書|記録|결정|문서)/i;
/** A line that says of the record what replaces it. */
const REPLACED = re`/^[^\p{L}\p{N}[]*(?:super[sc]e+ded|replaced)(?: in part)? by\b/i`;
/** A relation in a list of links, anywhere: "- Supersedes [5. Use Y](0005-use-y.md)". */
const LINKED =
  re`/^( {0,3}[-*+][ \t]+[*_]{0,2})([\p{L}]+(?:[ _-][\p{L}]+){0,3})(?=[*_:]{0,3}[ \t]+\[.*\]\()/`;
/** A link with its target in another line: "[text][name]", "[name]". */
const REFERENCE = /(?<!\[)\[([^\][]*)\](?:\[([^\][]*)\])?(?![(:[\]])/g;

/** A line that begins something else than text that continues a line. */
const OTHER_BLOCK = /^[ \t]*(?:$|#|>|\||[-*+](?:[ \t]|$)|\d{1,3}[.)][ \t]|<|={3,}|-{3,}|`{3,}|~{3,}|:::|!!!)/;
/** Takes what a place states of a field. */
type Add = (field: string, parts: readonly ValuePart[]) => void;

/** Everything that a record states, in the order of precedence. */
export function findStatements(
  stated: readonly FieldTexts[],
  lines: readonly string[],
  { prose, sections }: Body,
  words: Words,
): Statement[] {
  const found: Statement[] = [];
  let definitions: Map<string, string> | undefined;
  const withTarget = (link: string, label: string, name: string | undefined) => {
    definitions ??= new Map(lines.flatMap((line) => {
      const [, name, target] = DEFINITION.exec(line) ?? [];
      return name === undefined ? [] : [[name.toLowerCase(), target!]];
    }));
    const target = definitions.get((name || label).toLowerCase());
    return target === undefined ? link : `[${label}](${target})`;
  };
  const add = (field: string, parts: readonly ValuePart[], isNull = false) => {
    // "Superseded: 2026-01-01 by X" is read as a sentence, so that "Superseded: yes" states no successor.
    const [name, start] = field === "superseded" ? ["itself", "superseded "] : [field, ""];
    const whole = parts.map(({ text, place }) => {
      const linked = text.includes("]") ? text.replace(REFERENCE, withTarget) : text;
      return { text: (start + linked).slice(0, MAX_LINE), place };
    });
    found.push({ field: name, parts: whole, isNull });
  };
  for (const [index, values] of stated.entries()) {
    for (const [key, texts] of values) {
      const field = fieldOfKey(key, words);
      if (field === undefined || field === "other") continue;
      const place = index === 0 ? placeOfKey(key, lines, prose[0] ?? lines.length) : undefined;
      const isNull = texts.length === 0 && place !== undefined &&
        /^(?:null|~|\[[ \t]*\])[ \t]*(?:#.*)?$/i.test(lines[place.line]!.slice(place.start));
      add(field, texts.map((text) => ({ text, place })), isNull);
    }
  }
  const top = sections[0]?.level ?? 1;
  const body = sections.find(({ level, title }) => level > 1 && BODY.test(title))?.line ?? lines.length;
  const headEnd = Math.min((prose[0] ?? 0) + HEAD_LINES, body);
  const own = new Set<number>();
  const headings = new Set(sections.map(({ line }) => line));
  const preamble = preambleOf(lines, prose, headings);
  const name = preamble.find((at) => /^[ \t]*title:/i.test(lines[at]!));
  if (name !== undefined) add("name", [part("line", lines, name, lines[name]!.indexOf(":") + 1)]);
  readLines(
    lines,
    [...preamble, ...prose.slice(0, Math.max(0, headEnd)).filter((at) => at < headEnd && !headings.has(at))],
    words,
    add,
    own,
  );
  for (const at of prose) {
    const line = lines[at]!;
    // An item of a list, with a label before the link.
    const first = line.charCodeAt(0);
    // Most lines begin with none of " ", "-", "*" and "+".
    if (first !== 45 && first !== 42 && first !== 32 && first !== 43) continue;
    const bracket = line.indexOf("[");
    if (bracket < 4 || bracket > MAX_LABEL || own.has(at) || !/^ {0,3}[-*+]/.test(line)) continue;
    const [whole, , label] = LINKED.exec(line.slice(0, MAX_LINE)) ?? [];
    const field = label && words.fieldOf(label);
    // A list of links may name records of any kind; only relations count.
    const isRelation = /^(?:partly)?(?:supersede|amend)/.test(field || "") ||
      /^relate[sd] to$/i.test(label || "");
    if (!field || !isRelation || field === "superseded") continue;
    own.add(at);
    add(field, [part("line", lines, at, whole!.length)]);
  }
  let count = 0;
  for (const section of sections) {
    const { title, line, level, end } = section;
    const heading = sectionOf(title, words);
    if (!heading || ++count > MAX_SECTIONS) continue;
    const { field, text } = heading;
    const parts = readSection(lines, prose.filter((at) => line < at && at < end), words, field, own, add);
    if (text !== "") {
      const start = Math.max(0, lines[line]!.lastIndexOf(text.split(/[*_`[]/, 1)[0]!));
      parts.unshift({ text, place: { kind: "heading", line, start, end: lines[line]!.trimEnd().length } });
    }
    const parent = sections.findLast((other) => other.level < level && other.line < line && other.end > line);
    const isRelation = !["status", "date"].includes(field);
    const isInStatus = isRelation && parent !== undefined &&
      (sectionOf(parent.title, words)?.field === "status" || /^\W*(?:links|relat)/i.test(parent.title));
    const isHigh = level <= top + 1 || !parent || parent === sections[0] || isInStatus;
    const isStated = isRelation ||
      (field === "status" && isStatus(readStatus(parts, words, undefined).word ?? ""));
    const isOwn = isHigh && (line < body || isStated);
    if (!isOwn && !isSiblingOfDecision(section, sections)) continue;
    add(field, parts);
  }
  return found;
}

/** The lines of a block of code before any text, which may have fields: "SEP: 1", "Status: Active". */
function preambleOf(
  lines: readonly string[],
  prose: readonly number[],
  headings: ReadonlySet<number>,
): number[] {
  const text = prose.find((at) => !headings.has(at) && lines[at]!.trim() !== "") ?? lines.length;
  const start = lines.slice(0, text).findIndex((line) => /^(?:```|~~~)(?:te?xt)?[ \t]*$/.test(line));
  if (start < 0) return [];
  const block = lines.slice(start + 1, Math.min(text, start + HEAD_LINES));
  const length = block.findIndex((line) => /^(?:```|~~~)[ \t]*$/.test(line));
  return block.slice(0, Math.max(0, length)).map((_, at) => start + 1 + at);
}

/** Reads the lines at the head: fields, tables, admonitions, and sentences about the record. */
function readLines(
  lines: readonly string[],
  indices: readonly number[],
  words: Words,
  add: Add,
  own: Set<number>,
): void {
  for (const [position, at] of indices.entries()) {
    const line = lines[at]!.slice(0, MAX_LINE);
    const [first] = line.trimStart();
    if (first === undefined || own.has(at)) continue;
    if ((first === "|" || first === "<") && isTableLine(line)) readTable(lines, at, words, add, own);
    else if ("!?:".includes(first) && /^ {0,3}(?:!!!|\?\?\?|:::)/.test(line)) {
      readAdmonition(lines, at, words, add, own);
    } else if (readFieldLine(lines, at, words, add)) own.add(at);
    else {
      const sentence = (/this /i.test(line) ? ABOUT_ITSELF : ABOUT_ITSELF_JOINED).exec(line);
      if (sentence) {
        const rest = firstSentence(continued(line.slice(sentence.index), lines, at));
        add("itself", [{ ...part("sentence", lines, at, sentence.index), text: rest }]);
      } else if (line.includes("](") && REPLACED.test(line)) {
        add("itself", [{
          ...part("sentence", lines, at, 0),
          text: firstSentence(continued(line.replace(INDENT, ""), lines, at)),
        }]);
      } else if (position < 12 && /^[ \t]*[*_]{0,2}\d{4}-\d{2}-\d{2}[*_]{0,2}[ \t]*$/.test(line)) {
        add("lone date", [part("line", lines, at, line.search(/\d/))]);
      }
    }
  }
}

/** Reads the fields of one line. Returns whether there was one. */
function readFieldLine(
  lines: readonly string[],
  at: number,
  words: Words,
  add: Add,
): boolean {
  const line = withoutImages(lines[at]!.slice(0, MAX_LINE));
  // Most lines of prose have no separator near their start.
  if (line.length > MAX_LABELLED && !/[:：=—–-]/.test(line.slice(0, MAX_LABELLED))) return false;
  const starts = [INDENT.exec(line)![0].length];
  if (/[|·•]/.test(line)) {
    for (const { index, 0: mark } of line.matchAll(NEXT_FIELD)) starts.push(index + mark.length);
  }
  let isField = false;
  for (const [index, start] of starts.entries()) {
    const end = starts[index + 1] === undefined
      ? line.length
      : line.slice(0, starts[index + 1]!).replace(/[ \t]+[|·•][ \t]+$/, "").length;
    const text = line.slice(start, end);
    const label: readonly (string | undefined)[] = LABEL.exec(text) ?? DATE_LABEL.exec(text) ?? [];
    const field = label[2] && words.fieldOf(label[2] + (label[3]?.includes("(") ? label[3] : ""));
    if (!field) continue;
    const { length } = label[0]!,
      value = text.slice(length),
      separator = label[4]?.replace(/[*_`\]\s]/g, "") ?? "";
    const isBold = /[*_]/.test(label[1]!);
    // Without a colon, a label is only one if it is set off, or if a status follows.
    const isSetOff = isBold || (/[—–-]|^=/.test(separator) && words.statusOf(firstWord(value)) !== undefined);
    if (label[4] !== undefined && !/[:：]/.test(separator) && !isSetOff) {
      words.doubt();
      continue;
    }
    isField = true;
    if (field === "other" || field === "title") continue;
    const place = {
      kind: "line",
      line: at,
      start: start + length,
      end: lines[at]!.slice(0, end).trimEnd().length,
    } as const;
    if (value.trim() !== "") {
      const whole = starts.length > 1 ? value : continued(value, lines, at);
      add(field, [{ text: whole, place }]);
    } else {
      const parts = below(lines, at, words, isBold);
      add(field, parts.length > 0 ? parts : [{ text: "", place }]);
    }
  }
  return isField;
}

/** What follows a label without a value: the items of a list, else the next line. */
function below(lines: readonly string[], at: number, words: Words, isBold: boolean): ValuePart[] {
  const isItem = /^ {0,3}[-*+]/.test(lines[at]!) ? /^(?: {2,}|\t)[-*+][ \t]/ : /^[ \t]*[-*+][ \t]/;
  let next = at + 1;
  const isListed = isItem.test(lines[next] ?? "");
  if (!isListed) {
    if (isBold && lines[next]?.trim() === "") next++;
    const line = (lines[next] ?? "").replace(/^[ \t]*>[ \t]?/, "");
    if (OTHER_BLOCK.test(line) || isLabelled(line, words)) return [];
    const value = part("line", lines, next, lines[next]!.length - line.trimStart().length);
    return [{ ...value, text: continued(value.text, lines, next) }];
  }
  const parts: ValuePart[] = [];
  for (; parts.length < MAX_ITEMS && isItem.test(lines[next] ?? ""); next++) {
    if (isLabelled(lines[next]!, words)) break;
    parts.push(part("line", lines, next, INDENT.exec(lines[next]!)![0].length));
  }
  return parts;
}

/** Whether a line states a field, of any kind. */
function isLabelled(line: string, words: Words): boolean {
  const text = line.slice(0, MAX_LINE).replace(INDENT, "");
  const label = LABEL.exec(text)?.[2];
  return label !== undefined && words.fieldOf(label) !== undefined;
}

/** Whether a line belongs to a table, of markdown or HTML. */
function isTableLine(line: string): boolean {
  return /^[ \t]*\|/.test(line) || /^[ \t]*<(?:table|tr|td|th)\b/i.test(line);
}

type Cell = { readonly text: string; readonly start: number; readonly end: number };

/** The cells of a row, with their places. */
function cellsOf(line: string): Cell[] {
  const cells: Cell[] = [];
  const isHtml = !/^[ \t]*\|/.test(line);
  if (isHtml) {
    for (
      const { index, 0: whole, 1: text } of line.matchAll(
        /<t[dh]\b[^<>]{0,200}>([^<]{0,300}(?:<(?!\/t[dh])[^<]{0,300}){0,10})/gi,
      )
    ) {
      const start = index + whole.length - text!.length;
      cells.push({ text: text!.trim(), start, end: start + text!.length });
    }
    return cells;
  }
  let start = line.indexOf("|") + 1;
  // A bar in a link or after a backslash is part of a cell.
  for (let at = start, depth = 0; at <= line.length; at++) {
    const mark = line[at];
    if (mark === "\\") at++;
    else if (mark === "[") depth++;
    else if (mark === "]") depth = Math.max(0, depth - 1);
    else if ((mark === "|" && (depth === 0 || line.indexOf("]", at) < 0)) || at === line.length) {
      const raw = line.slice(start, at), text = raw.trim();
      const from = start + raw.length - raw.trimStart().length;
      if (at < line.length || text !== "") cells.push({ text, start: from, end: from + text.length });
      start = at + 1;
    }
  }
  return cells;
}

/** Reads a table: rows of a label and a value, or columns below a row of labels. Of several rows, the last by date counts. */
function readTable(
  lines: readonly string[],
  at: number,
  words: Words,
  add: Add,
  own: Set<number>,
): void {
  const rows: number[] = [];
  while (
    rows.length < MAX_ITEMS && at + rows.length < lines.length && isTableLine(lines[at + rows.length]!)
  ) {
    own.add(at + rows.length);
    rows.push(at + rows.length);
  }
  const header = cellsOf(lines[at]!.slice(0, MAX_LINE));
  const fields = header.map(({ text }) => words.fieldOf(plain(text).replace(/[:：]+$/, "")));
  const known = fields.filter((field) => field !== undefined).length;
  const hasSeparator = SEPARATOR_ROW.test(lines[at + 1] ?? "");
  const isColumns = hasSeparator && rows.length > 2 && fields.some((field) => field && field !== "other") &&
    (known > 1 || fields[0] === undefined || header.length > 2);
  const toPart = (kind: PlaceKind, line: number, { text, start, end }: Cell): ValuePart => ({
    text: withoutImages(text),
    place: { kind, line, start, end },
  });
  if (isColumns) {
    const entries = rows.slice(2).map((line) => ({ line, cells: cellsOf(lines[line]!.slice(0, MAX_LINE)) }))
      .filter(({ cells }) => cells.some(({ text }) => text !== ""));
    const dateAt = fields.findIndex((field) => field === "date" || field === "created");
    const dateOf = ({ cells }: { cells: Cell[] }) => DATE.exec(cells[dateAt]?.text ?? "")?.[0] ?? "";
    const last = entries.reduce<typeof entries[number] | undefined>(
      (best, entry) => best && dateOf(entry) < dateOf(best) ? best : entry,
      undefined,
    );
    for (const [index, field] of fields.entries()) {
      const cell = last?.cells[index];
      if (field && !/^(?:other|name|title)$/.test(field) && cell) {
        add(field, [toPart("column", last!.line, cell)]);
      }
    }
    return;
  }
  for (const line of rows) {
    const text = lines[line]!.slice(0, MAX_LINE), kind = /^[ \t]*\|/.test(text) ? "row" : "html";
    const cells = cellsOf(text);
    for (let index = 0; index + 1 < cells.length; index++) {
      const field = words.fieldOf(plain(cells[index]!.text).replace(/[:：]+$/, ""));
      if (field === undefined) continue;
      index++;
      if (field !== "other") add(field, [toPart(kind, line, cells[index]!)]);
    }
  }
}

function readAdmonition(
  lines: readonly string[],
  at: number,
  words: Words,
  add: Add,
  own: Set<number>,
): void {
  const [, mark = "", ...titles] = ADMONITION.exec(lines[at]!) ?? [];
  const title = titles.find((one) => one !== undefined)?.trim();
  if (title === undefined) return;
  own.add(at);
  const field = words.fieldOf(title);
  if (field === undefined) {
    const start = lines[at]!.lastIndexOf(title);
    const place = { kind: "admonition", line: at, start, end: start + title.length } as const;
    if (words.statusOf(title) !== undefined) add("status", [{ text: title, place }]);
    else words.doubt();
    return;
  }
  const parts: ValuePart[] = [];
  for (let next = at + 1; next < lines.length && parts.length < MAX_ITEMS; next++) {
    const line = lines[next]!;
    if (
      mark.startsWith(":")
        ? /^ {0,3}:{3,}[ \t]*$/.test(line)
        : line.trim() !== "" && !/^(?: {2,}|\t)/.test(line)
    ) break;
    if (line.trim() === "") continue;
    own.add(next);
    if (!isLabelled(line, words)) parts.push(part("admonition", lines, next, INDENT.exec(line)![0].length));
    else readFieldLine(lines, next, words, add);
  }
  if (field !== "other") add(field, parts);
}

/** The field of a heading such as "2. Status: accepted", and its text after the colon. */
function sectionOf(title: string, words: Words): { field: string; text: string } | undefined {
  const cut = title.slice(0, 200);
  // Most headings are short, and have no text after a label.
  if (/^[a-z][^:：]{0,59}$/i.test(cut) && words.fieldOf(cut) === undefined) return undefined;
  const bare = /^[a-z]/i.test(cut) ? cut : cut.replace(re`/^(?::[a-z_]{1,30}:|[^\p{L}:]){1,40}/`, "");
  const [, label = "", text = ""] = /^([^:：]{1,60}?)[ \t]*(?:[:：][ \t]*(.*))?$/s.exec(bare) ?? [];
  const field = words.fieldOf(label);
  // "Lifecycle" and "State" are often sections about the thing that is decided.
  const isKnown = field !== undefined && !/^(?:lifecycle|state|stage)$/i.test(label) &&
    /^(?:status|date|(?:partly)?(?:supersede|amend).*)$/.test(field) &&
    field !== "superseded";
  return isKnown ? { field, text } : undefined;
}

/** The statements of a section. Fields in it, and tables, are added on their own. */
function readSection(
  lines: readonly string[],
  indices: readonly number[],
  words: Words,
  field: string,
  own: Set<number>,
  add: Add,
): ValuePart[] {
  const parts: ValuePart[] = [];
  const seen = new Set<number>();
  let last = -1;
  for (const at of indices) {
    const line = lines[at]!;
    if (parts.length >= MAX_ITEMS) break;
    if (seen.has(at)) continue;
    if (isTableLine(line)) {
      const inner = (name: string, own: readonly ValuePart[]) =>
        name === field ? void parts.push(...own) : add(name, own);
      if (/^(?:partly)?(?:supersede|amend|relate)/.test(field)) parts.push(...linkedCells(lines, at));
      else readTable(lines, at, words, inner, seen);
      last = -1;
      continue;
    }
    if (own.has(at)) {
      last = -1;
      continue;
    }
    const [indent] = INDENT.exec(line)!;
    // A quote is often advice from the template.
    const isAdvice = indent.includes(">") && words.statusOf(plain(line.slice(indent.length))) === undefined;
    if (isAdvice || /^[ \t]*(?:[-=]+[ \t]*)?$/.test(line)) {
      last = -1;
      continue;
    }
    if (
      readFieldLine(
        lines,
        at,
        words,
        (name, own) => name === field ? void parts.push(...own) : add(name, own),
      )
    ) {
      last = -1;
      continue;
    }
    const before = parts.at(-1);
    if (last === at - 1 && before && before.place && goesOn(before.text, line, words)) {
      parts[parts.length - 1] = { ...before, text: `${before.text} ${line.trim()}`.slice(0, MAX_LINE) };
    } else parts.push(part("section", lines, at, indent.length));
    last = at;
  }
  return parts;
}

/** The cells with links or numbers of one row of a table in a section of a relation: the first of each row. */
function linkedCells(lines: readonly string[], at: number): ValuePart[] {
  const cells = cellsOf(lines[at]!.slice(0, MAX_LINE));
  const cell = cells.find(({ text }) => /\]\(|\[\[|^\W*(?:ADR)?[- ]?\d+\W*$/i.test(text));
  return cell && !SEPARATOR_ROW.test(lines[at]!)
    ? [{ text: cell.text, place: { kind: "column", line: at, start: cell.start, end: cell.end } }]
    : [];
}

/** Whether the text of a section continues in the next line: it is not finished, or the next line starts in lower case. */
function goesOn(text: string, next: string, words: Words): boolean {
  if (text.length >= MAX_LINE || OTHER_BLOCK.test(next)) return false;
  if (isUnfinished(text)) return true;
  const isStatus = words.statusOf(plain(text).replace(re`/^[^\p{L}]+|[^\p{L}]+$/g`, "")) !== undefined;
  const starts = /^[ \t]*\p{Ll}/u.test(next) && !/(?: {2}|\\|<br ?\/?>)$/.test(text);
  return starts && (!isStatus || /^[ \t]*by\b/i.test(next) || words.statusOf(firstWord(next)) === undefined);
}

/** The text of a field with the lines that continue it. */
function continued(text: string, lines: readonly string[], at: number): string {
  let whole = text;
  for (let next = at + 1; next <= at + MAX_CONTINUED; next++) {
    const line = lines[next] ?? "";
    const isItem = /^ {0,3}[-*+][ \t]/.test(lines[at]!) && /^ {2,}\S|^\t/.test(line);
    const isOpen = isItem || isUnfinished(whole) || /^[ \t]*(?:(?:by|and|und|et)\b|[、，])/i.test(line);
    if (!isOpen || whole.length >= MAX_LINE || OTHER_BLOCK.test(line.replace(/^[ \t]*>[ \t]?/, ""))) break;
    if (LABEL.exec(line.slice(0, MAX_LINE).replace(INDENT, ""))?.[4]?.includes(":")) break;
    whole += ` ${line.replace(/^[ \t]*>[ \t]?/, "").trim()}`;
  }
  return whole.slice(0, MAX_LINE);
}

/** A text up to a full stop that is not in a link: "by [2. Use Y](0002-use-y.md). It …". */
function firstSentence(text: string): string {
  const stop = [...text.matchAll(/\[[^\][]*\]|\.[ \t]/g)].find(([mark]) => mark[0] === ".");
  return stop ? text.slice(0, stop.index) : text;
}

function part(kind: PlaceKind, lines: readonly string[], line: number, start: number): ValuePart {
  const text = lines[line]!.slice(start, MAX_LINE).trimEnd();
  return { text: withoutImages(text), place: { kind, line, start, end: start + text.length } };
}

/** Images, such as the badge of a status, as their text, which is filled up so that places stay right. */
function withoutImages(text: string): string {
  if (!text.includes("![")) return text;
  return text.replace(
    /!\[([^\][]{0,200})\]\([^()]{0,500}\)/g,
    (image, alt: string) => alt.padEnd(image.length),
  );
}

/** The first word of a text, or two that belong together. */
export function firstWord(text: string): string {
  return re`/[\p{L}][\p{L}-]*/`.exec(text.slice(0, MAX_LINE))?.[0] ?? "";
}

/** Whether a section has the level and the parent of the section of the decision. */
function isSiblingOfDecision({ level, line }: Heading, sections: readonly Heading[]): boolean {
  const parent = sections.findLast((other) => other.level < level && other.line < line && other.end > line);
  const { line: from, end } = parent ?? { line: -1, end: Infinity };
  const isSibling = (other: Heading) => other.level === level && other.line > from && other.line < end;
  return sections.some((other) => isSibling(other) && DECISION.test(other.title));
}

/** The field of a key of the front matter. Of nested keys such as "adr.supersedes", the last one names it. */
function fieldOfKey(key: string, words: Words): string | undefined {
  const [first = "", last] = key.split(".");
  if (last === undefined) return words.fieldOf(first);
  const outer = words.fieldOf(first);
  // "status.state", "status.date"; "adr.status", "decision.status", "metadata.status".
  const isOwn = outer === "status" || /^(?:adr|rfc|kep|madr|decision|record|meta|metadata)$/.test(first);
  if (!isOwn) return undefined;
  return /^(?:value|name|current)$/.test(last) && outer === "status" ? "status" : words.fieldOf(last);
}

/** Where the value of a key is, in the lines before the body. */
function placeOfKey(key: string, lines: readonly string[], end: number): ValuePlace | undefined {
  let line = -1;
  for (const name of key.split(".")) {
    const isKey = (line: string) => {
      const text = line.slice(0, 200);
      if (!text.toLowerCase().includes(name)) return false;
      const [, found] = /^[ \t]*["']?([^"':=]{1,80}?)["']?[ \t]*[:=]/.exec(text) ??
        /^[ \t]*\[([^\][]{1,80})\]/.exec(text) ?? [];
      return found?.toLowerCase() === name;
    };
    line = lines.findIndex((text, at) => at > line && at < end && isKey(text));
    if (line < 0) return undefined;
  }
  const text = lines[line]!, start = (/^[^:=]*[:=][ \t]*/.exec(text)?.[0] ?? text).length;
  // A comment begins after a space; one with quotes or braces may be a part of the value.
  const quoted = Math.max(...['"', "'", "{", "}"].map((mark) => text.lastIndexOf(mark)));
  const comments = [" #", "\t#"].map((mark) => text.indexOf(mark, quoted + 1)).filter((at) => at >= 0);
  const last = text.slice(0, Math.min(text.length, ...comments)).trimEnd().length;
  return { kind: "front matter", line, start, end: last };
}
