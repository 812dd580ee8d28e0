/** What a file name says of a decision record: its number or date, its folder, and whether it is a record. */

import { toPattern } from "../../formats/markdown/lines.ts";

/** Whether a file is the page of its folder. */
export function isFolderPage(name: string): boolean {
  return /^(?:readme|index)$/i.test(name);
}

/** Pages in folders of records that are not records. */
const OTHER_PAGE =
  /^_?(?:readme|index|contents|toc|summary|changelog|contributing|code_of_conduct|licen[cs]e|process|about|glossary|faq)$/i;
const TEMPLATE =
  /(?:^|[-_. ])(?:templates?|(?:muster)?vorlage|muster|plantilla|modelo|mod[eè]le|gabarit|modello|sjabloon|szablon|шаблон)(?:$|[-_. ])|模板|範本|范本|テンプレート|[雛ひ]な?[形型]|템플릿|서식/i;

/** What a file among records is, by its name, if it is not a record. A template has no number, or the number 0. */
export function pageKind(label: string): "page" | "template" | undefined {
  const name = recordName(label);
  if (OTHER_PAGE.test(name)) return "page";
  const isTemplate = TEMPLATE.test(name) && !recordNumber(name) && recordDate(name) === undefined;
  return isTemplate ? "template" : undefined;
}

/** The segments of a record's path, without the file's ending. The page of a folder has the path of its folder. */
function recordPath(path: string): string[] {
  const segments = path.replace(/\.(?:md|markdown|mdx)$/i, "").split("/");
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

/** In lower case, a number at the start or after the kind of record: "7-use-x", "adr-7", "#7"; not "12-factor", not a date. */
const NUMBER = toPattern(
  String
    .raw`^(?:\.\/)?(?:(?:[a-z]+[-_ ]){0,2}(?:m?adr|[a-z]?ep|[a-z]{1,2}ip|rf[cd]|simd)[-_ ]?)?#?(\d{1,6})(?![\p{L}\p{N}]|\.\d|-(?:day|factor|step|tier|way)s?(?![\p{L}]))`,
);
/** After other words, or a date, only a number with leading zeros counts: "ODH-ADR-Operator-0007-auth", "2021-06-05_001-x". */
const PADDED_NUMBER = toPattern(
  String.raw`^(?:\.\/)?(?:(?:[a-z]+[-_ ]){1,4}|\d{4}-?\d{2}-?\d{2}[-_])(0\d{2,3})(?![\p{L}\p{N}])`,
);
/** A year, optionally with a month and a day. */
const DATE = toPattern(
  String
    .raw`^((?:19|20)\d{2})(?:-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01]))?|(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01]))(?![\p{L}\p{N}])`,
);

/** The number in the name of a record such as "007-use-x"; undefined without one. */
export function recordNumber(name: string): number | undefined {
  const lower = name.toLowerCase();
  const found = (DATE.test(lower) ? undefined : NUMBER.exec(lower)) ?? PADDED_NUMBER.exec(lower);
  return found ? Number(found[1]) : undefined;
}

const SUB_NUMBER = toPattern(
  String.raw`^(?:m?adr[-_ ]?)?#?0*(\d{1,6}(?:[a-wyz]|\.\d{1,3}))(?![\p{L}\p{N}.])`,
);
/** The number of a record with a part: "12a" of "0012a-use-x" and "ADR-12a", "12.1"; undefined for any other name. */
export function recordSubNumber(name: string): string | undefined {
  return SUB_NUMBER.exec(name.toLowerCase())
    ?.[1];
}

/** The date in the name of a record such as "20260728-use-x"; undefined without one. */
export function recordDate(name: string): string | undefined {
  return DATE.exec(name)?.slice(1).filter((part) => part !== undefined).join("-");
}
