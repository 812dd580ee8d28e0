/** The text of a decision record. Its fields are edited in the form that they have. */

import type { DecisionRecord, RecordWords, ValuePlace } from "../documents/records/record.ts";
import type { RecordReading } from "../documents/records/read.ts";
import type { Words } from "../documents/records/words.ts";
import type { Section } from "../formats/markdown/sections.ts";
import { capitalized, printable, shortened } from "../base/text.ts";
import { MAX_READ } from "../documents/metadata.ts";
import { recordName } from "../documents/records/name.ts";
import { readRecord } from "../documents/records/read.ts";
import { continuesIn, statedText } from "../documents/records/values.ts";
import { findStatements, firstWord } from "../documents/records/places.ts";
import { namesIn } from "../documents/records/references.ts";
import { isEnglish, NO_VALUE, PLACEHOLDER } from "../documents/records/words.ts";
import { teamWords } from "../documents/records/languages.ts";
import { phraseLike, statusLike } from "../documents/records/like.ts";
import { leadingRelation, relationsIn } from "../documents/records/status_text.ts";
import { isStatus } from "../documents/records/status.ts";
import { readMarkdown } from "../formats/markdown/document.ts";
import { ATX } from "../formats/markdown/body.ts";
import { plain } from "../formats/markdown/lines.ts";
import { toRawLines } from "../formats/markdown/sections.ts";
import { CommandError, unknownName } from "./options.ts";
import { commentOf, headingText, splitFields, toToml, toYaml, withName } from "./record_syntax.ts";

/** How other records name a record: "ADR-0007" or its file name, "7. Use queues", and the relative path to its file. */
export type RecordLink = Readonly<Record<"id" | "title" | "target", string>>;

/** The words of the records of a folder: those that its settings add, and those of its statuses, verbatim. */
export type FolderWords = {
  readonly team?: RecordWords | undefined;
  readonly used?: () => readonly string[];
};

type Range = Pick<Section, "line" | "end">;

type Slot = {
  form?: "front" | "line";
  /** Undefined in front matter, and where a status is missing. */
  line: number | undefined;
  value: string | undefined;
  section?: Range;
  write(text: string): void;
};

/** How much of a line a message quotes, in UTF-16 units. */
const MAX_QUOTED = 60;

/** A field in a line. Groups: the text before the value, the name in it, the value, the line end. */
const LINE =
  /^( {0,3}(?:[-*+>][ \t]+)?[*_]{0,2}(\p{L}[\p{L}\p{M} _-]{0,40}?)[*_]{0,2}[ \t]{0,20}::?[*_]{0,2}[ \t]*)(.*?)( {2}|\\|<br ?\/?>|)$/u;
/** An item of a list to tick off. Groups: the text before the mark, the mark, the text before the option, the option. */
const TICK = /^([ \t]*(?:[-*+][ \t]+)?\[)([ xX✓✔])(\][ \t]+)(.*)$/;
/** The kinds of places whose value is replaced as it is, and nothing around it. */
const PLAIN_KINDS: readonly unknown[] = ["column", "html", "admonition", "heading"];

export class RecordText {
  /** Relative to the folder: "0007-use-queues.md". */
  readonly path: string;
  /** The text that was read; undefined for a new record. */
  readonly before: string | undefined;
  readonly #folder: FolderWords;
  readonly #words: Words;
  readonly #byteOrderMark: string;
  #text: string;
  #stated: DecisionRecord | undefined;
  /** The text that was read last: it is read again for each step of an edit. */
  #last:
    | { readonly text: string; readonly reading: RecordReading & { readonly lines: readonly string[] } }
    | undefined;

  /** Takes the text of a record, or of a template for a new one; a byte order mark is kept. */
  constructor(path: string, text: string, folder: FolderWords = {}, isNew: boolean = false) {
    this.path = path;
    this.#folder = folder;
    this.#words = teamWords(folder.team);
    this.before = isNew ? undefined : text;
    this.#byteOrderMark = text.startsWith("\uFEFF") ? "\uFEFF" : "";
    this.#text = text.slice(this.#byteOrderMark.length);
  }

  /** As in a category, where the page of a folder has the name of the folder. */
  get label(): string {
    return `adr/${this.path}`;
  }

  /** What the text that was read states. */
  get stated(): DecisionRecord {
    return this.#stated ??= this.#reading(this.before ?? "").record;
  }

  /** What the edited text states. */
  get edited(): DecisionRecord {
    return this.#reading(this.#text).record;
  }

  #reading(text: string): RecordReading & { readonly lines: readonly string[] } {
    if (this.#last?.text !== text) {
      const { lines, front, ...body } = readMarkdown(text.slice(0, MAX_READ));
      const reading = readRecord(recordName(this.label), [front.values], lines, body, this.#words);
      this.#last = { text, reading: { lines, ...reading } };
    }
    return this.#last!.reading;
  }

  /**
   * Makes sure that the edited text states what was meant, and nothing else has changed but some members. Else, the form is one
   * that is not understood. `what` is what to write by hand.
   */
  confirm(what: string, changed: readonly string[], isMeant: (record: DecisionRecord) => boolean): void {
    if (this.before === undefined) return;
    const { stated, edited } = this;
    // A date may be a part of the status.
    const free = this.#reading(this.before).places.date ? changed : [...changed, "date"];
    const rest = (record: DecisionRecord) =>
      JSON.stringify(Object.entries(record).filter(([name]) => !free.includes(name)).sort());
    // What is at the end of a long text is not read.
    const isLong = this.#text.length > MAX_READ;
    if ((!isLong && !isMeant(edited)) || rest(stated) !== rest(edited)) throw this.#misfit(what);
  }

  #misfit(what: string): CommandError {
    const { places, lines } = this.#reading(this.before ?? this.#text);
    const line = places.status?.line;
    const text = line === undefined ? "" : shortened(printable(lines[line]!.trim()), MAX_QUOTED);
    const where = line === undefined ? "the form of its status" : `the form of line ${line + 1}, "${text}",`;
    return new CommandError(
      `Cannot change ${this.path}: ${where} is not one that is edited; ${what} by hand`,
    );
  }

  toString(): string {
    return this.#byteOrderMark + this.#text;
  }

  /** The heading of the first level, verbatim; undefined without one. */
  get title(): string | undefined {
    const { lines, heading } = this.#read();
    return heading && headingText(lines[heading.line]!);
  }

  /** Whether its status is in another language, whether it has front matter, and the titles of its sections of the second level. */
  get form(): {
    readonly isForeign: boolean;
    readonly hasFront: boolean;
    readonly titles: readonly string[];
  } {
    const { front, sections } = this.#read(), word = this.statusWord;
    return {
      isForeign: this.#words.statusOf(word) !== undefined && !isEnglish(word),
      hasFront: front.bodyLine > 0,
      titles: sections.filter(({ level }) => level === 2).map(({ title }) => title),
    };
  }

  /** The places of its title, status and date, and its sections of the second level, without their text. */
  skeleton(): string {
    const { lines, front: { bodyLine }, sections, prose, heading } = this.#read();
    const parts = sections.filter(({ level }) => level === 2);
    const fieldOf = (line: string) =>
      this.#fieldOf((/^ {0,3}\|([^|]{1,60})\|/.exec(line) ?? LINE.exec(line)?.slice(1))?.[1] ?? "");
    const isKept = (line: string) =>
      /^(?:status|date)$/.test(fieldOf(line) ?? "") || /^ {0,3}\|[-: |]+$/.test(line);
    const isKey = (line: string) => {
      const [, key = ""] = /^["']?([^"':=\s]{1,80})["']?[ \t]{0,20}[:=]/.exec(line) ?? [];
      return /^title$/i.test(key) || /^(?:status|stage|date)$/.test(this.#fieldOf(key) ?? "");
    };
    const front = lines.slice(0, bodyLine).filter((line, at) =>
      at === 0 || at === bodyLine - 1 || isKey(line)
    );
    const end = parts[0]?.line ?? lines.length;
    const head = prose.filter((at) => at < end && at !== heading?.line).map((at) => lines[at]!).filter(
      isKept,
    );
    const fieldIn = (title: string) => this.#fieldOf(title.replace(/^\d[\d.]*[ \t]+/, ""));
    const hasStatus = front.length > 0 || head.some((line) => fieldOf(line) === "status") ||
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
    const { date: place } = this.#reading(this.#text).places;
    if (slot.value !== undefined) slot.write(date);
    else if (place?.kind === "front matter") this.#writeAt(place, date, `date it ${date}`);
  }

  /** The word of its status, verbatim; empty without one. */
  get statusWord(): string {
    const { record, places: { status } } = this.#reading(this.#text);
    const text = status ? this.#textAt(status) : "", all = text.match(/\p{L}[\p{L}\p{M}-]*/gu) ?? [];
    return record.statusWord ?? all.find((word) => this.#words.statusOf(word)) ?? firstWord(text);
  }

  /** The field that a label or a key names. */
  #fieldOf(label: string): string | undefined {
    return this.#words.fieldOf(plain(label));
  }

  /** What it says of another record, in the language of its status. The English text has "{}" for the name. */
  #phrase(relation: "supersedes" | "supersededBy", english: string, name: string): string {
    const own = phraseLike(this.#words, relation, [this.statusWord, ...this.#folder.used?.() ?? []]);
    return (own ?? english).replace("{}", () => name);
  }

  /** Writes a status, in the language of another word: that which it replaces. A word of another language is written as it is. */
  setStatus(wanted: string, like: string = this.statusWord): void {
    const status = this.#words.statusOf(wanted) ?? wanted.toLowerCase();
    const known = ["proposed", "accepted", "rejected", "deprecated"];
    if (!isStatus(status)) throw unknownName("status", status, known);
    const { status: place } = this.#reading(this.#text).places;
    const own = statusLike(this.#words, status, [like, ...this.#folder.used?.() ?? []]) ?? status;
    const word = status === wanted.toLowerCase() ? own : wanted;
    if (place?.kind === "log") throw this.#misfit(`make it "${status}"`);
    if (this.#moveTick(place, status)) return;
    const { value = "", section, write } = this.#slot("status");
    if (place && (PLAIN_KINDS.includes(place.kind) || this.#isElsewhere(place))) {
      this.#writeAt(place, this.#withStatus(this.#textAt(place), word, false), `make it "${status}"`);
    } else write(this.#withStatus(value, word, section !== undefined));
  }

  /** Replaces the word in a stated status. The rest of the statement stays, unless it is a link to a successor. */
  #withStatus(stated: string, status: string, isTitle: boolean): string {
    // Struck-out words and comments state nothing.
    const said = stated.replace(/~~[^~\n]{1,300}~~|<!--.{0,300}?-->/g, (text) => " ".repeat(text.length));
    const words = said.matchAll(/(?:(?:in|on|under|partly|partially)[ -])?\p{L}+/giu);
    const found = [...words].find(([word]) => this.#words.statusOf(word.replace("-", " ")) !== undefined);
    const cased = (isUpper: boolean) => isUpper ? capitalized(status) : status;
    // What a template offers to choose from is replaced as a whole.
    const isOther = !found || /\||^[{<]/.test(stated) || /superseded|replaced/i.test(stated) ||
      this.#isReplaced(stated);
    if (isOther) {
      return cased(stated === "" || /^[{<[]/.test(stated) ? isTitle : /^\P{L}*\p{Lu}/u.test(stated));
    }
    const { index, 0: word } = found;
    return stated.slice(0, index) + cased(/^\p{Lu}/u.test(word)) + stated.slice(index + word.length);
  }

  /** Removes the successors that a section for the status, the front matter or a field of their own states. */
  dropSuccessors(): void {
    const { section } = this.#slot("status"), { lines } = this.#read();
    const dropped = new Set<number>();
    for (const { line, count, text } of section ? this.#statements(section) : []) {
      if (leadingRelation(text, this.#words) !== "supersededBy") continue;
      const start = lines[line - 1]!.trim() === "" ? line - 1 : line;
      for (let at = start; at < line + count; at++) dropped.add(at);
    }
    if (dropped.size > 0) this.#text = toRawLines(this.#text).filter((_, at) => !dropped.has(at)).join("");
    const { key, names } = this.#key("supersededby");
    if (key !== undefined && names.length > 0) this.#setKey(key, "");
    const field = this.#line("supersededby");
    if (valueOf(field?.value) !== undefined) field!.write("");
  }

  /** States that another record supersedes this one: wholly, even if it was superseded in part before. */
  supersededBy({ id, title, target }: RecordLink, spelling: string): void {
    const link = `[${id}](${target})`;
    if (this.#reading(this.#text).places.status?.kind === "log") {
      throw this.#misfit(`write "superseded by ${id}"`);
    }
    const isStated = this.#addToField("supersededBy", id, link);
    const statement = capitalized(this.#phrase("supersededBy", `${spelling} by {}`, `[${title}](${target})`));
    const stating = (old: string, name: string) => {
      const text = this.#phrase("supersededBy", "superseded by {}", name);
      return /^\P{L}*\p{Lu}/u.test(old) ? capitalized(text) : text;
    };
    const { status: place } = this.#reading(this.#text).places;
    if (this.#moveTick(place, "superseded", isStated ? undefined : statement)) return;
    if (place && (PLAIN_KINDS.includes(place.kind) || this.#isElsewhere(place))) {
      if (isStated) return this.setStatus("superseded");
      const text = stating(this.#textAt(place), place.kind === "html" ? id : link);
      return this.#writeAt(place, text, `write "superseded by ${id}"`);
    }
    const { form, value: stated = "", write } = this.#slot("status");
    const value = stated.replace(/\bpart(?:ly|ially)[ -](s)/i, (words, s) => words.startsWith("P") ? "S" : s);
    if (value !== stated) write(value);
    const { section } = this.#slot("status");
    if (isStated) {
      if (this.#words.statusOf(firstWord(value)) !== "superseded") this.setStatus("superseded");
    } else if (section) {
      this.#addStatement(section, statement, true);
    } else if (!/\bsuperseded by\b/i.test(value) && !this.#isReplaced(value)) {
      write(stating(value, form === "line" ? link : id));
    } else write(value.includes(id) ? value : withName(value, id, link));
  }

  /** Whether a text names a successor. */
  #isReplaced(text: string): boolean {
    return relationsIn({ text, place: undefined }, this.#words, undefined).some(({ isWhole }) => isWhole);
  }

  supersedes({ id, title, target }: RecordLink, spelling: string): void {
    const { form, section } = this.#slot("status");
    const { lines, sections } = this.#read();
    if (this.#addToField("supersedes", id, `[${id}](${target})`)) return;
    const say = (english: string, name: string) =>
      capitalized(this.#phrase("supersedes", `${english} {}`, name));
    if (section) return this.#addStatement(section, say(spelling, `[${title}](${target})`), false);
    if (form === "front") return this.#setKey("supersedes", [id]);
    const item = say("Supersedes", `[${id}](${target})`);
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
    const place = name === "status" ? this.#reading(this.#text).places.status : undefined;
    const inFront = {
      form: "front",
      value,
      // A key in another one is not replaced as a whole.
      line: place?.kind === "front matter" && front.values.has(key) && !/^[ \t]/.test(lines[place.line]!)
        ? place.line
        : undefined,
      write: (text: string) => this.#setKey(key, text),
    } as const;
    if (front.values.has(name)) return inFront;
    const inLine = this.#line(name);
    if (inLine) return inLine;
    const isField = ({ title }: Section) => this.#fieldOf(title.replace(/^\d[\d.]*[ \t]+/, "")) === name;
    // Further down, such a heading is about the status of something else.
    const at = place?.kind === "section"
      ? sections.findLastIndex(({ line }) => line < place.line)
      : sections.findIndex((one) => one !== heading && one.level <= 2 && isField(one));
    if (at < 0) return inFront;
    // Sections in it are about something else.
    const section = { line: sections[at]!.line, end: sections[at + 1]?.line ?? lines.length };
    // The section may state only relations.
    const own = this.#statements(section).find(({ text }) =>
      ["supersededBy", undefined].includes(leadingRelation(text, this.#words))
    );
    const start = section.line + (ATX.test(lines[section.line]!) ? 1 : 2);
    const gap = (lines[start] ?? "").trim() === "" ? [] : [""];
    const [, mark = "", stated = ""] = /^([ \t]*(?:[-*+][ \t]+)?)(.*)$/.exec(own?.text ?? "") ?? [];
    const write = (text: string) =>
      own ? this.#replace(own.line, own.count, mark + text) : this.#replace(start, 0, "", text, ...gap);
    return { value: stated.trim(), section, line: own?.line, write };
  }

  /** A field in a line or a table before the first section. */
  #line(name: string): Slot | undefined {
    const { lines, prose, sections, front } = this.#read();
    const end = sections.find(({ level }) => level > 1)?.line ?? lines.length;
    const isCell = (place: ValuePlace | undefined) =>
      place && /^(?:row|column|html)$/.test(place.kind) && place.line < end;
    const cell = findStatements([front.values], lines, { prose, sections }, this.#words)
      .find(({ field, parts }) => field === name && isCell(parts[0]?.place))?.parts[0]?.place;
    if (cell) {
      const write = (text: string) => this.#writeAt(cell, text, `write "${text}"`);
      return { form: "line", line: cell.line, value: this.#textAt(cell), write };
    }
    for (const line of prose) {
      if (line >= end) break;
      const whole = lines[line]!;
      if (/^ {0,3}\|/.test(whole)) continue;
      const parts = splitFields(whole);
      for (const [index, part] of parts.entries()) {
        const [, before = "", written, value = "", after = ""] = LINE.exec(part) ?? [];
        if (written === undefined || this.#fieldOf(written) !== name) continue;
        const head = before.replace(/:([*_]*)$/, ":$1 ");
        const write = (text: string) =>
          this.#replace(line, 1, parts.with(index, (head + text).trimEnd() + after).join(""));
        return { form: "line", line, value, write };
      }
    }
    return undefined;
  }

  /** Whether a status is in another place than that which would be written. A section may state only relations to other records. */
  #isElsewhere(place: ValuePlace): boolean {
    const { line, section } = this.#slot("status");
    return line !== place.line && (section === undefined || line !== undefined);
  }

  #textAt({ line, start, end }: ValuePlace): string {
    return this.#read().lines[line]!.slice(start, end);
  }

  /** Replaces a value in its line. A log is not rewritten: it says what the status was. */
  #writeAt({ kind, line, start, end }: ValuePlace, text: string, what: string): void {
    const whole = this.#read().lines[line]!, [before, after] = [whole.slice(0, start), whole.slice(end)];
    const isTable = kind === "row" || kind === "column",
      isBroken = isTable && /[\n|]/.test(text.replaceAll("\\|", ""));
    if (kind === "log" || kind === "sentence" || isBroken || (kind === "column" && this.#isLog(line))) {
      throw this.#misfit(what);
    }
    const [quote = ""] = kind === "front matter"
      ? /^["'](?=.*["']$)/.exec(whole.slice(start, end)) ?? []
      : [];
    if (quote !== "" && !text.startsWith(quote)) {
      return this.#replace(line, 1, before + quote + text + quote + after);
    }
    const [left, right] = isTable && start === end ? [/\|$/.test(before), /^\|/.test(after)] : [false, false];
    this.#replace(line, 1, before + (left ? " " : "") + text + (right ? " " : "") + after);
  }

  /** Whether a line of a table with labels in the first row is one of several. */
  #isLog(line: number): boolean {
    const { lines } = this.#read(), isRow = (at: number) => /^[ \t]*\|/.test(lines[at] ?? "");
    let first = line;
    while (isRow(first - 1)) first--;
    return isRow(line + 1) || line - first > 2;
  }

  /** Moves the tick of a list of statuses. Returns whether there is one. `text` replaces the option. */
  #moveTick(place: ValuePlace | undefined, status: string, text?: string): boolean {
    if (place && place.kind !== "tick") return false;
    const { lines, prose } = this.#read(), words = this.#words;
    const statusOf = (option: string) => words.statusOf(plain(option)) ?? words.statusOf(firstWord(option));
    const options = prose.flatMap((line) => {
      const [, before, mark, between, option] = TICK.exec(lines[line]!) ?? [];
      return option === undefined ? [] : [{ line, before, mark, between, option, status: statusOf(option) }];
    });
    const first = options.findIndex(({ line, status }) => place ? line === place.line : status !== undefined);
    if (first < 0) return false;
    // Those of one list: other lines between them are blank.
    const isNext = (from: number, to: number) =>
      lines.slice(from + 1, to).every((line) => line.trim() === "");
    let from = first, to = first;
    while (from > 0 && isNext(options[from - 1]!.line, options[from]!.line)) from--;
    while (to + 1 < options.length && isNext(options[to]!.line, options[to + 1]!.line)) to++;
    const list = options.slice(from, to + 1);
    if (list.filter(({ status }) => status !== undefined).length < 2 && !place) return false;
    const target = list.find((option) => option.status === status);
    if (!target) throw this.#misfit(`tick "${status}"`);
    const tick = list.find(({ mark }) => mark !== " ")?.mark ?? "x";
    for (const { line, before, between, option, mark } of list) {
      const isTarget = line === target.line;
      if (!isTarget && mark === " ") continue;
      this.#replace(
        line,
        1,
        `${before}${isTarget ? tick : " "}${between}${isTarget ? text ?? option : option}`,
      );
    }
    return true;
  }

  /** The key of the front matter for a relation, as it is spelt there, and the names that it states. */
  #key(field: string): { key?: string | undefined; names: readonly string[] } {
    const [key, names = []] = [...this.#read().front.values].find(([key]) => this.#fieldOf(key) === field) ??
      [];
    return { key, names: names.filter((name) => valueOf(name) !== undefined) };
  }

  /** Adds a record to the field for a relation: a line, or a key of the front matter. Returns whether there is one. */
  #addToField(relation: "supersedes" | "supersededBy", id: string, link: string): boolean {
    const field = relation.toLowerCase(), { key, names } = this.#key(field);
    const line = this.#line(field), value = valueOf(line?.value);
    // An empty field may state its records in a list below it.
    if (line && (value !== undefined || this.edited[relation].length === 0)) {
      line.write(value === undefined ? link : withName(value, id, link));
    } else if (key === undefined) return false;
    else if (!names.includes(id)) this.#setKey(key, [...names, id]);
    return true;
  }

  /** Writes a key of the front matter: replaces its value, or adds it after the status, else at the top. A text is YAML. */
  #setKey(key: string, value: string | readonly string[]): void {
    const { lines, front } = this.#read();
    const isToml = lines[0]?.trimEnd() === "+++";
    const bodyLine = isToml
      ? lines.findIndex((line, at) => at > 0 && line.trimEnd() === "+++") + 1
      : front.bodyLine;
    const written = isToml ? toToml(value) : typeof value === "string" ? value : toYaml(value);
    const mark = isToml ? " =" : ":";
    if (bodyLine === 0) return this.#replace(0, 0, "---", `${key}: ${written}`, "---", "");
    const rows = lines.slice(0, bodyLine - 1);
    const nameOf = (line: string) =>
      /^["']?([^"':=\s#[\]]{1,80})["']?[ \t]{0,20}[:=]/.exec(line)?.[1]?.toLowerCase();
    const find = (name: string) => rows.findIndex((line) => nameOf(line) === name);
    const at = find(key);
    if (at < 0) return this.#replace(find("status") + 1 || 1, 0, `${key}${mark} ${written}`);
    const row = rows[at]!, [start] = /^[^:=]*[:=]/.exec(row)!;
    let end = at + 1;
    if (!isToml) { while (/^(?:[ \t]|-[ \t]|\])/.test(rows[end] ?? "")) end++; }
    else if (/^[ \t]*\[/.test(row.slice(start.length))) {
      while (end < rows.length && !rows[end - 1]!.includes("]")) {
        end++;
      }
    }
    this.#replace(at, end - at, `${start}${written && ` ${written}`}${commentOf(row)}`);
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
    const { status } = this.#reading(this.#text).places;
    const isOld = (text: string, line: number) =>
      isStatus(plain(text).toLowerCase()) ||
      (line === status?.line && this.#words.statusOf(plain(text)) !== undefined);
    const old = new Set(
      this.#statements(section).flatMap(({ text, line }) => isOld(text, line) ? line : []),
    );
    const kept = !isOnly ? all : all.filter((_, at) => !old.has(line + at))
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

/** The text of a field; undefined when it is empty, says that there is nothing, or is the placeholder of a template. */
function valueOf(text = ""): string | undefined {
  const isNothing = NO_VALUE.test(text) || (PLACEHOLDER.test(text) && namesIn(text).names.length === 0);
  return isNothing ? undefined : statedText(text);
}
