/** How a new record is made: from a template, or in the form of the record before it. */

import type { Platform } from "../platform/platform.ts";
import type { Options } from "./options.ts";
import type { FolderWords } from "./record_text.ts";
import {
  isFolderPage,
  recordDate,
  recordFolder,
  recordName,
  recordNumber,
} from "../documents/records/name.ts";
import { readTextFile } from "./io.ts";
import { CommandError } from "./options.ts";
import { RecordText } from "./record_text.ts";

export const TEMPLATES: readonly string[] = ["nygard", "madr", "madr-minimal"];

export function readTemplate(platform: Platform, { home }: Options, name: string): string {
  const path = TEMPLATES.includes(name) ? `${home}/mcp/templates/${name}.md` : name;
  return readTextFile(platform, path, `the template (${TEMPLATES.join(", ")}, or a file)`);
}

type Values = Readonly<Record<"title" | "date", string>> & {
  number: string | undefined;
  words?: FolderWords;
};

/** Makes a proposed record from a template; its status is in the language of the word `like`. The number is as in the file name, "0007"; undefined for a date. */
export function fillTemplate(
  template: string,
  path: string,
  { number, title, date, words }: Values,
  like?: string,
): RecordText {
  if (/\bTITLE\b/.test(template)) {
    const text = number === undefined ? template.replace("NUMBER. ", "") : template;
    // As in adr-tools, the first placeholder of each kind in a line. The title is last, because it may contain the others.
    const lines = text.split("\n").map((line) =>
      line.replace("NUMBER", String(Number(number))).replace("DATE", date).replace("STATUS", "Proposed")
        .replace("TITLE", () => title)
    );
    return new RecordText(path, lines.join("\n"), words, true);
  }
  const record = new RecordText(path, template, words, true);
  // "ADR-NNN: {title}" keeps its form.
  const [, before, , after] =
    /^((?:ADR[-# ]*)?)(N+|X{2,}|0+|\{(?:number|NNNN)\})(\.? |: ?| - )/.exec(record.title ?? "") ?? [];
  const isNumbered = before !== undefined && number !== undefined;
  record.setTitle(title, isNumbered ? before + number + after + title : title);
  record.setStatus("proposed", like);
  record.setDate(date);
  return record;
}

/** Where the records of a folder are. */
interface Layout {
  /** The folder in it that has them all, such as "/backend"; empty for the folder itself. */
  readonly within: string;
  /** The name of the page, such as "README.md", if each record has a folder of its own. */
  readonly page: string | undefined;
}

/** The folder that a record is in, after that of all records: "/backend"; empty for the folder itself. */
export const folderOf = ({ label }: RecordText): string => recordFolder(label).slice("adr".length);

/** Finds out where the next record belongs. Throws a `CommandError` when that is not clear. */
export function layoutOf(all: readonly RecordText[]): Layout {
  const records = all.filter(({ label }) => {
    const name = recordName(label);
    return recordNumber(name) !== undefined || recordDate(name) !== undefined;
  });
  const folders = [...new Set(records.map(folderOf))].sort();
  const [within = ""] = folders;
  // Next to records in the folder itself, those deeper in it are another series.
  if (within !== "" && folders.length > 1) {
    const names = folders.map((folder) => folder.slice(1)).join(", ");
    throw new CommandError(
      `It is not clear which folder the record belongs to: name one of ${names} with --mount`,
    );
  }
  const own = records.filter((record) => folderOf(record) === within);
  const pages = own.map(({ path }) => path.slice(path.lastIndexOf("/") + 1))
    .filter((name) => isFolderPage(name.replace(/\.[^.]*$/, "")));
  return { within, page: pages.length * 2 > own.length ? pages.at(-1) : undefined };
}

/** Makes a proposed record in the form of a neighbour; without one, as adr-tools does. `read` gives the template of a name. */
export function fillLike(
  neighbour: RecordText | undefined,
  path: string,
  values: Values,
  read: (name: string) => string,
): RecordText {
  if (!neighbour) return fillTemplate(read("nygard"), path, values);
  const { isForeign, hasFront, titles } = neighbour.form;
  const isMadr = titles.includes("Context and Problem Statement");
  const isNygard = ["Context", "Decision", "Consequences"].every((title) => titles.includes(title));
  const isShort = titles.filter((title) => !/^(?:status|date)$/i.test(title)).length < 2;
  const template = isForeign
    ? neighbour.skeleton()
    : hasFront && (isMadr || isShort)
    ? read("madr")
    : !hasFront && (isNygard || (isShort && !isMadr))
    ? read("nygard")
    : neighbour.skeleton();
  const record = fillTemplate(template, path, values, neighbour.statusWord);
  record.setTitle(values.title, headingLike(neighbour, values.number) + values.title);
  return record;
}

/** What is before the title in the heading of a record, with another number: "ADR-0007: ". */
function headingLike({ title = "", label }: RecordText, number: string | undefined): string {
  const [, before = "", digits = "", after = ""] =
    /^((?:ADR|Decision|Record)?[-# ]{0,2})(\d{1,6})([.:)]? {0,2}[-–—:]? {0,2})/i.exec(title) ?? [];
  const isNumber = Number(digits) === recordNumber(recordName(label));
  if (number === undefined || digits === "" || !isNumber || after.trim() + before === "") return "";
  return before + number.replace(/^0+(?=\d)/, "").padStart(digits.startsWith("0") ? digits.length : 0, "0") +
    after;
}
