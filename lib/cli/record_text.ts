/** Edits decision records in the form that they have: MADR front matter, `Status:` lines, or a section `## Status`. */

import type { Section } from "../documents/markdown.ts";
import { plain, readMarkdown } from "../documents/markdown.ts";
import { isStatus } from "../documents/metadata.ts";

/** How other records name a record. */
export interface RecordLink {
  /** "ADR-0007", or the file name without its ending when there is no number. */
  readonly id: string;
  /** "7. Use queues". */
  readonly title: string;
  /** The relative path to its file. */
  readonly target: string;
}

/** Where a record states something. */
interface Slot {
  readonly form: "front" | "line" | "section";
  /** Undefined when the record does not state it; then writing adds it. */
  readonly value: string | undefined;
  readonly section?: Section;
  write(value: string): void;
}

/** A record that is being edited. */
export class RecordText {
  /** With their ends. */
  readonly #lines: string[];
  readonly #mark: string;
  readonly #end: string;

  /** Takes the text of a record; a byte order mark is kept. */
  constructor(text: string) {
    this.#mark = text.startsWith("\uFEFF") ? "\uFEFF" : "";
    this.#lines = text.slice(this.#mark.length).match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? [];
    this.#end = this.#lines[0]?.endsWith("\r\n") ? "\r\n" : "\n";
  }

  /** The whole text. */
  toString(): string {
    return this.#mark + this.#lines.join("");
  }

  /** The heading of the first level as it is written; undefined without one. */
  get title(): string | undefined {
    const { lines, heading } = this.#read();
    return heading && lines[heading.line]!.replace(/^ {0,3}#+[ \t]*|[ \t]+#*[ \t]*$/g, "").trim();
  }

  /** Writes another title: in its heading, which is added where there is none, and in the front matter if it has one. */
  setTitle(title: string, inHeading: string = title): void {
    const { lines, front, heading } = this.#read();
    const isUnderlined = heading && !/^ {0,3}#/.test(lines[heading.line]!);
    if (heading) this.#lines[heading.line] = `${isUnderlined ? "" : "# "}${inHeading}${this.#end}`;
    else this.#insert(front.bodyLine, ...(front.bodyLine > 0 ? [""] : []), `# ${inHeading}`, "");
    if (front.values.has("title")) this.#setKey("title", JSON.stringify(title));
  }

  /** Writes the date where the record has a place for it. */
  setDate(date: string): void {
    const slot = this.#slot("date");
    if (slot.value !== undefined) slot.write(date);
  }

  /** Writes a status, such as "accepted", in place of the current one. */
  setStatus(status: string): void {
    const { value = "", section, write } = this.#slot("status");
    write(withStatus(value, status, section !== undefined));
  }

  /** Says that another record replaces this one; nothing that is stated already. */
  supersededBy(link: RecordLink, spelling: string): void {
    const { form, value = "", section, write } = this.#slot("status");
    const name = form === "line" ? `[${link.id}](${link.target})` : link.id;
    if (section) this.#addStatement(section, `${spelling} by [${link.title}](${link.target})`, true);
    else if (!/\bsuperseded by\b/i.test(value)) {
      write(`${/^\p{Lu}/u.test(value) ? "S" : "s"}uperseded by ${name}`);
    } else if (!value.includes(name)) write(`${value}, ${name}`);
  }

  /** Says that this record replaces another one; nothing that is stated already. */
  supersedes(link: RecordLink, spelling: string): void {
    const { form, section } = this.#slot("status");
    const { front, sections } = this.#read();
    if (section) this.#addStatement(section, `${spelling} [${link.title}](${link.target})`, false);
    else if (form === "line") {
      const links = sections.find(({ level, title }) => level > 1 && /^links\b/i.test(title));
      const item = `Supersedes [${link.id}](${link.target})`;
      if (this.#lines.some((line) => line.includes(item))) return;
      if (!links) return this.#insert(this.#lines.length, "", "## Links", "", `- ${item}`);
      let last = links.end - 1;
      while (last > links.line && this.#lines[last]!.trim() === "") last--;
      const [, mark] = /^ {0,3}([-*+]) /.exec(this.#lines[last]!) ?? [];
      this.#insert(last + 1, ...(mark ? [] : [""]), `${mark ?? "-"} ${item}`);
    } else {
      const known = front.values.get("supersedes") ?? [];
      if (known.includes(link.id)) return;
      const all = [...known, link.id].map((name) => /^[\w.-]+$/.test(name) ? name : JSON.stringify(name));
      this.#setKey("supersedes", all.length === 1 ? all[0]! : `[${all.join(", ")}]`);
    }
  }

  #read() {
    const { lines, front, prose, sections: all } = readMarkdown(this.#lines.join(""));
    const sections = all.map((section) => ({ ...section, end: Math.min(section.end, this.#lines.length) }));
    const heading = sections.find(({ level, title }) => level === 1 && title !== "");
    return { lines, front, prose, sections, heading };
  }

  /** Where a field is: in the front matter, a line before the first section, or a section; the first if it is nowhere. */
  #slot(name: "date" | "status"): Slot {
    const { lines, front, prose, sections, heading } = this.#read();
    const value = front.values.get(name)?.join(", ");
    const inFront: Slot = { form: "front", value, write: (text) => this.#setKey(name, text) };
    if (value !== undefined) return inFront;
    const end = sections.find(({ level }) => level > 1)?.line ?? lines.length;
    const label = `[*_]{0,2}${name}[*_]{0,2}[ \\t]*`;
    const row = new RegExp(`^( {0,3}\\|[ \\t]*${label}\\|[ \\t]*)(.*?)([ \\t]*\\|.*)$`, "i");
    const field = new RegExp(`^( {0,3}(?:[-*+>][ \\t]+)?${label}:[*_]{0,2}[ \\t]*)(.*?)( {2}|\\\\|)$`, "i");
    for (const line of prose) {
      const text = lines[line]!;
      const [, before, value, after] = row.exec(text) ?? field.exec(text) ?? [];
      if (line >= end || before === undefined) continue;
      const rest = after + this.#lines[line]!.slice(text.length);
      const start = before.replace(/:([*_]*)$/, ":$1 ");
      return { form: "line", value: value!, write: (text) => void (this.#lines[line] = start + text + rest) };
    }
    const isField = new RegExp(`^(?:\\d[\\d.]*[ \\t]+)?${name}$`, "i");
    // Further down, such a heading is about the status of something else.
    const found = sections.find((one) => one !== heading && one.level <= 2 && isField.test(one.title));
    if (!found) return inFront;
    // Sections in it are about something else.
    const section = { ...found, end: sections.find(({ line }) => line > found.line)?.line ?? found.end };
    const [first] = this.#statements(section);
    return first === undefined
      ? { form: "section", value: "", section, write: (text) => this.#insert(section.line + 1, "", text) }
      : {
        form: "section",
        value: this.#lines[first]!.trim(),
        section,
        write: (text) => void (this.#lines[first] = text + this.#end),
      };
  }

  /** Writes a key of the front matter: in place of its value, else at the top or behind the status. */
  #setKey(key: string, value: string): void {
    const { front: { bodyLine } } = this.#read();
    if (bodyLine === 0) this.#insert(0, "---", "---", "");
    const rows = this.#lines.slice(0, Math.max(bodyLine - 1, 1));
    const find = (name: string) =>
      rows.findIndex((line, index) => index > 0 && new RegExp(`^${name}[ \\t]*:`, "i").test(line));
    const at = find(key);
    if (at < 0) return this.#insert(find("status") + 1 || 1, `${key}: ${value}`);
    let next = at + 1;
    while (next < rows.length && /^(?:[ \t]|-[ \t])/.test(rows[next]!)) next++;
    const [start] = /^[^:]*:/.exec(rows[at]!)!;
    const [comment] = /[ \t]+#[^"'{}]*?(?=[\r\n]*$)/.exec(rows[at]!) ?? [""];
    this.#lines.splice(at, next - at, `${start} ${value}${comment}${this.#end}`);
  }

  /** The lines of a section that state something. */
  #statements({ line, end }: Section): number[] {
    const { lines, prose } = this.#read();
    return prose.filter((at) => at > line && at < end && !/^[ \t]*(?:$|[-=]+[ \t]*$|>)/.test(lines[at]!));
  }

  /** Adds a line at the end of a section, as adr-tools does, if it is not there; `isOnly` removes the status above it. */
  #addStatement(section: Section, statement: string, isOnly: boolean): void {
    const { line, end } = section;
    const all = this.#lines.slice(line, end);
    if (all.some((text) => text.trim() === statement)) return;
    const isBlank = (text: string | undefined): boolean => text?.trim() === "";
    const old = this.#statements(section).filter((at) =>
      isOnly && isStatus(plain(this.#lines[at]!).toLowerCase())
    );
    const kept = all.filter((_, at) => !old.includes(line + at))
      .filter((text, at, rest) => !isOnly || !isBlank(text) || !isBlank(rest[at - 1]));
    const isLast = end === this.#lines.length;
    this.#lines.splice(line, end - line, ...kept);
    this.#insert(
      line + kept.length,
      ...(isBlank(kept.at(-1)) ? [] : [""]),
      statement,
      ...(isLast ? [] : [""]),
    );
  }

  /** Inserts lines before one; the last line of a file may lack its end. */
  #insert(line: number, ...texts: readonly string[]): void {
    if (line > 0 && !/[\r\n]$/.test(this.#lines[line - 1]!)) this.#lines[line - 1] += this.#end;
    this.#lines.splice(line, 0, ...texts.map((text) => text + this.#end));
  }
}

/** A stated status with another word; what else is stated with it stays, unless it is a link to a successor. */
function withStatus(stated: string, status: string, isTitle: boolean): string {
  const words = stated.matchAll(/(?:(?:in|on|under|partly|partially)[ -])?\p{L}+/giu);
  const found = [...words].find(([word]) => isStatus(word.toLowerCase().replace("-", " ")));
  const cased = (isUpper: boolean) => isUpper ? status[0]!.toUpperCase() + status.slice(1) : status;
  // What a template offers to choose from is replaced as a whole.
  const isOther = !found || /\||^[{<]/.test(stated) || /superseded|replaced/i.test(stated);
  if (isOther) return cased(stated === "" || /^[{<[]/.test(stated) ? isTitle : /^\P{L}*\p{Lu}/u.test(stated));
  const { index, 0: word } = found;
  return stated.slice(0, index) + cased(/^\p{Lu}/u.test(word)) + stated.slice(index + word.length);
}

/** What a template is filled in with. */
export interface Blanks {
  /** As the name of the file has it: "0007"; undefined where records are named by date. */
  readonly number: string | undefined;
  readonly title: string;
  readonly date: string;
}

/** Makes a proposed record from a template: with the placeholders of adr-tools, or with headings and fields to fill in. */
export function fillTemplate(template: string, { number, title, date }: Blanks): RecordText {
  if (/\bTITLE\b/.test(template)) {
    const values = Object.entries({
      NUMBER: String(Number(number)),
      TITLE: title,
      DATE: date,
      STATUS: "Proposed",
    });
    const text = number === undefined ? template.replace("NUMBER. ", "") : template;
    const lines = text.split("\n").map((line) => {
      const rest = new Map(values);
      // The first of each in a line, as in adr-tools.
      return line.replace(/NUMBER|TITLE|DATE|STATUS/g, (name) => {
        const value = rest.get(name);
        rest.delete(name);
        return value ?? name;
      });
    });
    return new RecordText(lines.join("\n"));
  }
  const record = new RecordText(template);
  // "ADR-NNN: {title}" keeps its form.
  const [, before, , after] =
    /^((?:ADR[-# ]*)?)(N+|X{2,}|0+|\{(?:number|NNNN)\})(\.? |: ?| - )/.exec(record.title ?? "") ?? [];
  const isNumbered = before !== undefined && number !== undefined;
  record.setTitle(title, isNumbered ? before + number + after + title : title);
  record.setStatus("proposed");
  record.setDate(date);
  return record;
}
