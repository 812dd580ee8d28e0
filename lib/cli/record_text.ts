/** Edits decision records in the form that they have: MADR front matter, `Status:` lines, or a section `## Status`. */

import type { Section } from "../documents/markdown.ts";
import { plain, proseLines, readMarkdown } from "../documents/markdown.ts";
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

  /** Writes another title: into the heading of the first level, else at the top, and into the front matter if it has one. */
  setTitle(title: string): void {
    const { lines, front, heading } = this.#read();
    const isUnderlined = heading && !/^ {0,3}#/.test(lines[heading.line]!);
    const line = `${isUnderlined ? "" : "# "}${title}${this.#end}`;
    if (heading) this.#lines.splice(heading.line, 1, line);
    else this.#lines.splice(front.bodyLine, 0, ...(front.bodyLine > 0 ? [this.#end] : []), line, this.#end);
    if (front.values.has("title")) this.#setKey("title", JSON.stringify(title));
  }

  /** Writes the date where the record has a place for it. */
  setDate(date: string): void {
    if (this.#read().front.values.has("date")) return this.#setKey("date", date);
    const found = this.#field("date");
    if (found) this.#lines[found.line] = found.before + date + found.after;
  }

  /** Writes a status, such as "accepted", in place of the current one. */
  setStatus(status: string): void {
    const { front, section } = this.#read();
    const field = this.#field("status");
    if (front.values.has("status")) {
      this.#setKey("status", withStatus(front.values.get("status")!.join(", "), status, false));
    } else if (field) {
      this.#lines[field.line] = field.before + withStatus(field.value, status, false) + field.after;
    } else if (section) {
      const stated = this.#statements(section);
      const [first] = stated;
      const line = withStatus(first === undefined ? "" : this.#lines[first]!.trim(), status, true) +
        this.#end;
      if (first === undefined) this.#lines.splice(section.line + 1, 0, this.#end, line);
      else this.#lines[first] = line;
    } else this.#setKey("status", status);
  }

  /** Says that another record replaces this one. Adds nothing that is stated already. */
  supersededBy(link: RecordLink, spelling: string): void {
    const { front, section } = this.#read();
    const field = this.#field("status");
    const after = (value: string, name: string): string => {
      if (/\bsuperseded by\b/i.test(value)) return value.includes(name) ? value : `${value}, ${name}`;
      return `${/^\p{Lu}/u.test(value) ? "S" : "s"}uperseded by ${name}`;
    };
    if (!front.values.has("status") && field) {
      const value = after(field.value, `[${link.id}](${link.target})`);
      this.#lines[field.line] = field.before + value + field.after;
    } else if (!front.values.has("status") && section) {
      if (this.#addStatement(section, `${spelling} by [${link.title}](${link.target})`)) {
        // What remains is the relation, as adr-tools leaves it.
        this.#removeStatuses(section);
      }
    } else this.#setKey("status", after(front.values.get("status")?.join(", ") ?? "", link.id));
  }

  /** Says that this record replaces another one. Adds nothing that is stated already. */
  supersedes(link: RecordLink, spelling: string): void {
    const { front, section, sections } = this.#read();
    if (!front.values.has("status") && this.#field("status")) {
      const links = sections.find(({ level, title }) => level > 1 && /^links\b/i.test(title));
      const item = `Supersedes [${link.id}](${link.target})`;
      if (this.#lines.some((line) => line.includes(item))) return;
      if (!links) return this.#append(`${this.#end}## Links${this.#end}${this.#end}- ${item}${this.#end}`);
      let last = links.end - 1;
      while (last > links.line && this.#lines[last]!.trim() === "") last--;
      const [, mark] = /^ {0,3}([-*+]) /.exec(this.#lines[last]!) ?? [];
      this.#complete(last);
      const gap = mark ? [] : [this.#end];
      this.#lines.splice(last + 1, 0, ...gap, `${mark ?? "-"} ${item}${this.#end}`);
    } else if (!front.values.has("status") && section) {
      this.#addStatement(section, `${spelling} [${link.title}](${link.target})`);
    } else {
      const known = front.values.get("supersedes") ?? [];
      if (known.includes(link.id)) return;
      const all = [...known, link.id].map((name) => /^[\w.-]+$/.test(name) ? name : JSON.stringify(name));
      this.#setKey("supersedes", all.length === 1 ? all[0]! : `[${all.join(", ")}]`);
    }
  }

  #read() {
    const { lines, front, sections } = readMarkdown(this.#lines.join(""));
    const heading = sections.find(({ level, title }) => level === 1 && title !== "");
    const section = sections.find((one) => one !== heading && /^(?:\d[\d.]*[ \t]+)?status$/i.test(one.title));
    // Sections in it are about something else.
    const end = sections.find(({ line }) => section && line > section.line)?.line ?? lines.length;
    return {
      lines,
      front,
      sections,
      heading,
      section: section && { ...section, end: Math.min(section.end, end) },
    };
  }

  /** The line of a field before the first section: "- Status: accepted", "| Status | accepted |". */
  #field(name: string): { line: number; before: string; value: string; after: string } | undefined {
    const { lines, front, sections } = this.#read();
    const end = sections.find(({ level }) => level > 1)?.line ?? lines.length;
    const start = `[*_]{0,2}${name}[*_]{0,2}[ \\t]*`;
    const row = new RegExp(`^( {0,3}\\|[ \\t]*${start}\\|[ \\t]*)(.*?)([ \\t]*\\|.*)$`, "i");
    const plain = new RegExp(
      `^( {0,3}(?:[-*+>][ \\t]+)?${start}:[*_]{0,2}[ \\t]*)(.*?)((?:[ \\t]{2}|\\\\)?)$`,
      "i",
    );
    for (const [line, text] of proseLines(lines, front.bodyLine)) {
      if (line >= end) return undefined;
      const [, before, value, after] = row.exec(text) ?? plain.exec(text) ?? [];
      if (before !== undefined) {
        const lineEnd = this.#lines[line]!.slice(text.length);
        return { line, before: before.replace(/:([*_]*)$/, ":$1 "), value: value!, after: after! + lineEnd };
      }
    }
    return undefined;
  }

  /** Writes a key of the front matter: in place of its value, else at the top or behind the status. */
  #setKey(key: string, value: string): void {
    const { front: { bodyLine } } = this.#read();
    if (bodyLine === 0) this.#lines.unshift(`---${this.#end}`, `---${this.#end}`, this.#end);
    const rows = this.#lines.slice(0, Math.max(bodyLine - 1, 1));
    const find = (name: string) =>
      rows.findIndex((line, index) => index > 0 && new RegExp(`^${name}[ \\t]*:`, "i").test(line));
    const at = find(key);
    if (at < 0) return void this.#lines.splice(find("status") + 1 || 1, 0, `${key}: ${value}${this.#end}`);
    let next = at + 1;
    while (next < rows.length && /^(?:[ \t]|-[ \t])/.test(rows[next]!)) next++;
    const [start] = /^[^:]*:/.exec(rows[at]!)!;
    const [comment] = /[ \t]+#[^"'{}]*?(?=[\r\n]*$)/.exec(rows[at]!) ?? [""];
    this.#lines.splice(at, next - at, `${start} ${value}${comment}${this.#end}`);
  }

  /** The lines of a section that state something. */
  #statements({ line, end }: Section): number[] {
    const found: number[] = [];
    for (const [index, text] of proseLines(this.#lines.map((line) => line.trimEnd()), line + 1)) {
      if (index < end && !/^[ \t]*(?:$|[-=]+$|>)/.test(text)) found.push(index);
    }
    return found;
  }

  /** Adds a line at the end of the section, where adr-tools does; false when it is there. */
  #addStatement({ line, end }: Section, statement: string): boolean {
    if (this.#lines.slice(line, end).some((known) => known.trim() === statement)) return false;
    const added = `${statement}${this.#end}`;
    const isLast = end === this.#lines.length;
    if (isLast) this.#complete(end - 1);
    const gap = this.#lines[end - 1]!.trim() === "" ? [] : [this.#end];
    this.#lines.splice(end, 0, ...gap, added, ...(isLast ? [] : [this.#end]));
    return true;
  }

  /** Removes the lines that are a status and nothing else, and all but one of blank lines in a row. */
  #removeStatuses({ line }: Section): void {
    const { section } = this.#read();
    const statuses = new Set(
      this.#statements(section!).filter((index) => {
        return isStatus(plain(this.#lines[index]!).toLowerCase());
      }),
    );
    const kept = this.#lines.slice(line, section!.end).filter((_, index) => !statuses.has(line + index));
    const isBlank = (text: string | undefined): boolean => text?.trim() === "";
    const squeezed = kept.filter((text, index) => !(isBlank(text) && isBlank(kept[index - 1])));
    this.#lines.splice(line, section!.end - line, ...squeezed);
  }

  #append(text: string): void {
    this.#complete(this.#lines.length - 1);
    this.#lines.push(...text.match(/[^\n]*\n/g)!);
  }

  /** Gives a line its end, which the last one of a file may lack. */
  #complete(line: number): void {
    if (!/[\r\n]$/.test(this.#lines[line] ?? "\n")) this.#lines[line] += this.#end;
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
    const values = new Map([["NUMBER", String(Number(number))], ["TITLE", title], ["DATE", date], [
      "STATUS",
      "Proposed",
    ]]);
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
  record.setTitle(before === undefined || number === undefined ? title : before + number + after + title);
  record.setStatus("proposed");
  record.setDate(date);
  return record;
}
