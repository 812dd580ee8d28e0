/** Which record does a name mean? The number and the date in the names of files, and in what records say of others. */

/** Up to six digits are a number; eight are a date, which is no number to ask for. */
const NUMBER = /^(?:\.\/)?(?:(?:[a-z]+[-_ ]){0,2}adr[-_ ]?)?#?(\d{1,6})(?![\p{L}\p{N}])/iu;
/** "ODH-ADR-Operator-0007-auth": behind other words than ADR, a number is one when it is padded. */
const PADDED_NUMBER = /^(?:\.\/)?(?:[a-z]+[-_ ]){1,4}(0\d{2,5})(?![\p{L}\p{N}])/iu;

/** "2021-06-05_001-use-x": a padded number behind a date. */
const NUMBER_AFTER_DATE = /^\d{4}-?\d{2}-?\d{2}[-_](0\d{2,5})(?![\p{L}\p{N}])/u;
/** A year, a month and perhaps a day; other digits are a number. */
const DATE =
  /^((?:19|20)\d{2})(?:-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01]))?|(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01]))(?![\p{L}\p{N}])/u;

/** What a record is known by: its file name without the ending, or that of its folder when it is its README. */
export function recordName(label: string): string {
  const segments = label.split("/");
  const name = segments.at(-1)!.replace(/\.md$/i, "");
  return segments.length > 2 && isFolderPage(name) ? segments.at(-2)! : name;
}

/** The folder that a record is counted in, as a key: "adr" for "adr/007-use-x" and for "adr/007-use-x/README". */
export function recordFolder(key: string): string {
  const segments = key.split("/");
  return segments.slice(0, segments.length > 2 && isFolderPage(segments.at(-1)!) ? -2 : -1).join("/");
}

/** Whether a file is the page of its folder. */
export function isFolderPage(name: string): boolean {
  return /^(?:readme|index)$/i.test(name);
}

/** The number in the name of a record, if it has one. */
export function recordNumber(name: string): number | undefined {
  const digits =
    (recordDate(name) === undefined
      ? NUMBER.exec(name) ?? PADDED_NUMBER.exec(name)
      : NUMBER_AFTER_DATE.exec(name))?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** The date in the name of a record such as "20260728-use-x", if it has one. */
export function recordDate(name: string): string | undefined {
  const date = DATE.exec(name);
  return date?.slice(1).filter((part) => part !== undefined).join("-");
}

/** Whether a text is meant to lead to a record: a number, a date id, a file, a URI; a title may be mere prose. */
export function isReference(text: string): boolean {
  return recordNumber(text) !== undefined || recordDate(text) !== undefined ||
    /\.md(?:$|[?#])|^architecture:/i.test(text);
}
