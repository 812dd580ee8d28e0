/** The text of a decision record. Its fields are edited in the form that they have. */

import type { DecisionRecord } from "../documents/records/record.ts";
import type { Section } from "../formats/markdown/sections.ts";
import { capitalized } from "../base/text.ts";
import { MAX_READ } from "../documents/metadata.ts";
import { recordName } from "../documents/records/name.ts";
import { readRecord } from "../documents/records/read.ts";
import { continuesIn, statedText } from "../documents/records/values.ts";
import { fieldName, fieldOf, NEXT_FIELD } from "../documents/records/signs.ts";
import { isAboutItself, leadingRelation } from "../documents/records/relations.ts";
import { currentStatus, isStatus } from "../documents/records/status.ts";
import { readMarkdown } from "../formats/markdown/document.ts";
import { ATX } from "../formats/markdown/body.ts";
import { plain, toRawLines } from "../formats/markdown/lines.ts";
import { unknownName } from "./options.ts";

/** How other records name a record: "ADR-0007" or its file name, "7. Use queues", and the relative path to its file. */
export type RecordLink = Readonly<Record<"id" | "title" | "target", string>>;

type Range = Pick<Section, "line" | "end">;

type Slot = {
  form?: "front" | "line";
  value: string | undefined;
  section?: Range;
  write(text: string): void;
};

/** A field in a row of a table or in a line. Groups: the text before the value, the name in it, the value, the line end. */
const NAME = "[*_]{0,2}([a-z][a-z _-]*?)[*_]{0,2}[ \\t]*";
const ROW = new RegExp(`^( {0,3}\\|[ \\t]*${NAME}\\|[ \\t]*)(.*?)([ \\t]*\\|.*)$`, "i");
const LINE = new RegExp(
  `^( {0,3}(?:[-*+>][ \\t]+)?${NAME}:[*_]{0,2}[ \\t]*)(.*?)( {2}|\\\\|<br ?/?>|)$`,
  "i",
);
/** Splits a line into its fields and the text between them. */
const BETWEEN = new RegExp(`(${NEXT_FIELD.source})`, NEXT_FIELD.flags);

export class RecordText {
  /** Relative to the folder: "0007-use-queues.md". */
  readonly path: string;
  /** The text that was read; undefined for a new record. */
  readonly before: string | undefined;
  readonly #byteOrderMark: string;
  #text: string;

  /** Takes the text of a record, or of a template for a new one; a byte order mark is kept. */
  constructor(path: string, text: string, isNew: boolean = false) {
    this.path = path;
    this.before = isNew ? undefined : text;
    this.#byteOrderMark = text.startsWith("\uFEFF") ? "\uFEFF" : "";
    this.#text = text.slice(this.#byteOrderMark.length);
  }

  /** As in a category, where the page of a folder has the name of the folder. */
  get label(): string {
    return `adr/${this.path}`;
  }

  get stated(): DecisionRecord | undefined {
    return this.#record(this.before ?? "");
  }

  /** By all that the edited text states. */
  get status(): string | undefined {
    return currentStatus({ record: this.#record(this.#text) });
  }

  #record(text: string): DecisionRecord {
    const { lines, front, ...body } = readMarkdown(text.slice(0, MAX_READ));
    return readRecord(recordName(this.label), [front.values], lines, body).record;
  }

  toString(): string {
    return this.#byteOrderMark + this.#text;
  }

  /** The heading of the first level, verbatim; undefined without one. */
  get title(): string | undefined {
    const { lines, heading } = this.#read();
    return heading && lines[heading.line]!.replace(/^ {0,3}#+[ \t]*|[ \t]+#*[ \t]*$/g, "").trim();
  }

  /** Whether it has front matter, and the titles of its sections of the second level. */
  get form(): { readonly hasFront: boolean; readonly titles: readonly string[] } {
    const { front, sections } = this.#read();
    return {
      hasFront: front.bodyLine > 0,
      titles: sections.filter(({ level }) => level === 2).map(({ title }) => title),
    };
  }

  /** The places of its title, status and date, and its sections of the second level, without their text. */
  skeleton(): string {
    const { lines, front: { bodyLine }, sections, prose, heading } = this.#read();
    const parts = sections.filter(({ level }) => level === 2);
    const isKept = (line: string) =>
      ["status", "date"].includes(fieldOf(line)?.[0] ?? "") || /^ {0,3}\|[-: |]+$/.test(line);
    const isKey = (line: string) => /^(?:status|stage|date|title)[ \t]*:/i.test(line);
    const front = lines.slice(0, bodyLine).filter((line, at) =>
      at === 0 || at === bodyLine - 1 || isKey(line)
    );
    const end = parts[0]?.line ?? lines.length;
    const head = prose.filter((at) => at < end && at !== heading?.line).map((at) => lines[at]!).filter(
      isKept,
    );
    const fieldIn = (title: string) => title.replace(/^\d[\d.]*[ \t]+/, "").toLowerCase();
    const hasStatus = front.length > 0 || head.some((line) => fieldOf(line)?.[0] === "status") ||
      parts.some(({ title }) => fieldIn(title) === "status");
    if (!hasStatus) head.unshift("- Status:", "- Date:");
    const body = parts.flatMap(({ title }) => [`## ${title}`, ""]);
    const blocks = [front, ["# x"], head, body].filter(({ length }) => length > 0);
    return blocks.map((block) => `${block.join("\n").trimEnd()}\n`).join("\n");
  }

  /** Changes the title in the heading and in the front matter. A missing heading is added; a missing key is not. */
  setTitle(title: string, inHeading: string): void {
    const { lines, front: { bodyLine, values }, heading } = this.#read();
    const isUnderlined = heading && !/^ {0,3}#/.test(lines[heading.line]!);
    if (heading) this.#replace(heading.line, 1, `${isUnderlined ? "" : "# "}${inHeading}`);
    else this.#replace(bodyLine, 0, ...(bodyLine > 0 ? [""] : []), `# ${inHeading}`, "");
    if (values.has("title")) this.#setKey("title", JSON.stringify(title));
  }

  setDate(date: string): void {
    const slot = this.#slot("date");
    if (slot.value !== undefined) slot.write(date);
  }

  setStatus(status: string): void {
    const known = ["proposed", "accepted", "rejected", "deprecated"];
    if (!isStatus(status)) throw unknownName("status", status, known);
    const { value = "", section, write } = this.#slot("status");
    write(withStatus(value, status, section !== undefined));
  }

  /** Removes the successors that a section for the status, the front matter or a field of their own states. */
  dropSuccessors(): void {
    const { section } = this.#slot("status");
    for (const { line, count, text } of section ? this.#statements(section).toReversed() : []) {
      if (leadingRelation(text) !== "supersededBy") continue;
      const start = this.#read().lines[line - 1]!.trim() === "" ? line - 1 : line;
      this.#replace(start, line + count - start);
    }
    const { key, names } = this.#key("supersededby");
    if (key !== undefined && names.length > 0) this.#setKey(key, "");
    const field = this.#line("supersededby");
    if (statedText(field?.value) !== undefined) field!.write("");
  }

  /** States that another record supersedes this one: wholly, even if it was superseded in part before. */
  supersededBy({ id, title, target }: RecordLink, spelling: string): void {
    const link = `[${id}](${target})`;
    const isStated = this.#addToField("supersededBy", id, link);
    const { form, value: stated = "", write } = this.#slot("status");
    const value = stated.replace(/\bpart(?:ly|ially)[ -](s)/i, (words, s) => words.startsWith("P") ? "S" : s);
    if (value !== stated) write(value);
    const { section } = this.#slot("status");
    if (isStated) {
      if (!/^\W*super[sc]e+ded\b/i.test(value)) this.setStatus("superseded");
    } else if (section) {
      this.#addStatement(section, `${spelling} by [${title}](${target})`, true);
    } else if (!/\bsuperseded by\b/i.test(value)) {
      write(`${/^\p{Lu}/u.test(value) ? "S" : "s"}uperseded by ${form === "line" ? link : id}`);
    } else write(value.includes(id) ? value : withName(value, id, link));
  }

  supersedes({ id, title, target }: RecordLink, spelling: string): void {
    const { form, section } = this.#slot("status");
    const { lines, sections } = this.#read();
    if (this.#addToField("supersedes", id, `[${id}](${target})`)) return;
    if (section) return this.#addStatement(section, `${spelling} [${title}](${target})`, false);
    if (form === "front") return this.#setKey("supersedes", toYaml([id]));
    const item = `Supersedes [${id}](${target})`;
    if (lines.some((line) => line.includes(item))) return;
    const links = sections.find(({ level, title }) => level > 1 && /^links\b/i.test(title));
    if (!links) return this.#replace(lines.length, 0, "", "## Links", "", `- ${item}`);
    const last = lines.findLastIndex((line, index) => index < links.end && line.trim() !== "");
    const [, mark] = /^ {0,3}([-*+]) /.exec(lines[last]!) ?? [];
    this.#replace(last + 1, 0, ...(mark ? [] : [""]), `${mark ?? "-"} ${item}`);
  }

  /** The text as markdown. There is no empty line after the last line end. */
  #read() {
    const markdown = readMarkdown(this.#text.replace(/\r?\n$|\r$/, ""));
    const heading = markdown.sections.find(({ level, title }) => level === 1 && title !== "");
    return { ...markdown, heading };
  }

  /** Where a field is: in the front matter (a new one too), a line before the first section, or a section. */
  #slot(name: "date" | "status"): Slot {
    const { lines, front, sections, heading } = this.#read();
    const key = name === "status" && !front.values.has(name) && front.values.has("stage") ? "stage" : name;
    const value = front.values.get(key)?.join(", ");
    const inFront = { form: "front", value, write: (text: string) => this.#setKey(key, text) } as const;
    if (front.values.has(name)) return inFront;
    const inLine = this.#line(name);
    if (inLine) return inLine;
    const isField = ({ title }: Section) => title.replace(/^\d[\d.]*[ \t]+/, "").toLowerCase() === name;
    // Further down, such a heading is about the status of something else.
    const at = sections.findIndex((one) => one !== heading && one.level <= 2 && isField(one));
    if (at < 0) return inFront;
    // Sections in it are about something else.
    const section = { line: sections[at]!.line, end: sections[at + 1]?.line ?? lines.length };
    // The section may state only relations.
    const own = this.#statements(section).find(({ text }) => isAboutItself(text));
    const start = section.line + (ATX.test(lines[section.line]!) ? 1 : 2);
    const gap = (lines[start] ?? "").trim() === "" ? [] : [""];
    const [, mark = "", stated = ""] = /^([ \t]*(?:[-*+][ \t]+)?)(.*)$/.exec(own?.text ?? "") ?? [];
    const write = (text: string) =>
      own ? this.#replace(own.line, own.count, mark + text) : this.#replace(start, 0, "", text, ...gap);
    return { value: stated.trim(), section, write };
  }

  /** A field in a line before the first section. */
  #line(name: string): Slot | undefined {
    const { lines, prose, sections } = this.#read();
    const end = sections.find(({ level }) => level > 1)?.line ?? lines.length;
    for (const line of prose.filter((index) => index < end)) {
      const whole = lines[line]!, isRow = /^ {0,3}\|/.test(whole);
      const parts = isRow ? [whole] : whole.split(BETWEEN);
      for (const [index, part] of parts.entries()) {
        const [, before = "", written, value = "", after = ""] = (isRow ? ROW : LINE).exec(part) ?? [];
        if (written === undefined || fieldName(written) !== name) continue;
        const head = before.replace(/:([*_]*)$/, ":$1 "), tail = isRow && value === "" ? ` ${after}` : after;
        const write = (text: string) =>
          this.#replace(line, 1, parts.with(index, (head + text).trimEnd() + tail).join(""));
        return { form: "line", value, write };
      }
    }
    return undefined;
  }

  /** The key of the front matter for a relation, as it is spelt there, and the names that it states. */
  #key(field: string): { key?: string | undefined; names: readonly string[] } {
    const [key, names = []] = [...this.#read().front.values].find(([key]) => fieldName(key) === field) ?? [];
    return { key, names: names.filter((name) => statedText(name) !== undefined) };
  }

  /** Adds a record to the field for a relation: a line, or a key of the front matter. Returns whether there is one. */
  #addToField(relation: "supersedes" | "supersededBy", id: string, link: string): boolean {
    const field = relation.toLowerCase(), { key, names } = this.#key(field);
    const line = this.#line(field), value = statedText(line?.value);
    // An empty field may state its records in a list below it.
    if (line && (value !== undefined || !this.#record(this.#text)?.[relation].length)) {
      line.write(value === undefined ? link : withName(value, id, link));
    } else if (key === undefined) return false;
    else if (!names.includes(id)) this.#setKey(key, toYaml([...names, id]));
    return true;
  }

  /** Writes a key of the front matter: replaces its value, or adds it after the status, else at the top. */
  #setKey(key: string, value: string): void {
    const { lines, front: { bodyLine } } = this.#read();
    if (bodyLine === 0) return this.#replace(0, 0, "---", `${key}: ${value}`, "---", "");
    const rows = lines.slice(0, bodyLine - 1);
    const find = (name: string) => rows.findIndex((line) => new RegExp(`^${name}[ \\t]*:`, "i").test(line));
    const at = find(key);
    if (at < 0) return this.#replace(find("status") + 1 || 1, 0, `${key}: ${value}`);
    let end = at + 1;
    while (/^(?:[ \t]|-[ \t]|\])/.test(rows[end] ?? "")) end++;
    const [start] = /^[^:]*:/.exec(rows[at]!)!;
    const [comment] = /[ \t]+#[^"'{}]*$/.exec(rows[at]!) ?? [""];
    this.#replace(at, end - at, `${start}${value && ` ${value}`}${comment}`);
  }

  /** The statements of a section. Each has its first line and its number of lines: a link may continue in the next line. */
  #statements({ line, end }: Range) {
    const { lines, prose } = this.#read();
    const found: { line: number; count: number; text: string }[] = [];
    for (const at of prose.filter((at) => at > line && at < end)) {
      const text = lines[at]!, last = found.at(-1);
      if (last && at === last.line + last.count && continuesIn(last.text, text)) {
        last.count++;
        last.text += ` ${text.trim()}`;
      } else if (!/^[ \t]*(?:$|[-=]+[ \t]*$|>)/.test(text)) found.push({ line: at, count: 1, text });
    }
    return found;
  }

  /** Adds a line at the end of a section, as adr-tools does, unless it is there; `isOnly` removes the status above it. */
  #addStatement(section: Range, statement: string, isOnly: boolean): void {
    const { line, end } = section, { lines } = this.#read();
    const all = lines.slice(line, end);
    if (all.some((text) => text.trim() === statement)) return;
    const isBlank = (text: string | undefined): boolean => text?.trim() === "";
    const old = this.#statements(section).filter(({ text }) => isStatus(plain(text).toLowerCase()))
      .map(({ line }) => line);
    const kept = !isOnly ? all : all.filter((_, at) => !old.includes(line + at))
      .filter((text, at, rest) => !isBlank(text) || !isBlank(rest[at - 1]));
    const gap = isBlank(kept.at(-1)) ? [] : [""], after = end === lines.length ? [] : [""];
    this.#replace(line, end - line, ...kept, ...gap, statement, ...after);
  }

  /** Replaces lines. The new ones get the line end of the text; the last line of a file may have none. */
  #replace(line: number, count: number, ...texts: readonly string[]): void {
    const lines = toRawLines(this.#text);
    const end = lines[0]?.endsWith("\r\n") ? "\r\n" : "\n";
    if (line > 0 && !/[\r\n]$/.test(lines[line - 1]!)) lines[line - 1] += end;
    lines.splice(line, count, ...texts.map((text) => text + end));
    this.#text = lines.join("");
  }
}

/** Adds a record to a text that names others. Next to links, a name without a link would not be read. */
function withName(text: string, id: string, link: string): string {
  return `${text}, ${text.includes("](") ? link : id}`;
}

/** One name, or a list of names. */
function toYaml(names: readonly string[]): string {
  // A zero in front makes a number octal for some readers.
  const all = names.map((name) => /^(?!0\d)[\w.-]+$/.test(name) ? name : JSON.stringify(name));
  return all.length === 1 ? all[0]! : `[${all.join(", ")}]`;
}

/** Replaces the word in a stated status. The rest of the statement stays, unless it is a link to a successor. */
function withStatus(stated: string, status: string, isTitle: boolean): string {
  // Struck-out words and comments state nothing.
  const said = stated.replace(/~~[^~\n]*~~|<!--.*?-->/g, (text) => " ".repeat(text.length));
  const words = said.matchAll(/(?:(?:in|on|under|partly|partially)[ -])?\p{L}+/giu);
  const found = [...words].find(([word]) => isStatus(word.toLowerCase().replace("-", " ")));
  const cased = (isUpper: boolean) => isUpper ? capitalized(status) : status;
  // What a template offers to choose from is replaced as a whole.
  const isOther = !found || /\||^[{<]/.test(stated) || /superseded|replaced/i.test(stated);
  if (isOther) return cased(stated === "" || /^[{<[]/.test(stated) ? isTitle : /^\P{L}*\p{Lu}/u.test(stated));
  const { index, 0: word } = found;
  return stated.slice(0, index) + cased(/^\p{Lu}/u.test(word)) + stated.slice(index + word.length);
}
