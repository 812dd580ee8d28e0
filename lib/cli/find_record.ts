/** Finds the decision record that a command line names. */

import { nearest } from "../base/nearest.ts";
import { didYouMean } from "../base/text.ts";
import { recordFolder, recordName, recordNumber } from "../documents/records/name.ts";
import { decode } from "../documents/uri.ts";
import { CommandError } from "./options.ts";

/** Maximum number of ranges that a message has. */
const MAX_RANGES = 10;

type Labelled = { readonly label: string };

/** Finds a record by number, "ADR-7", URI, path, file name or a part of it that no other name has. Throws a `CommandError`. */
export function findRecord<T extends Labelled>(records: readonly T[], reference: string, where = ""): T {
  const path = reference.replace(/^[a-z]+:\/{2,3}/i, "").replace(/\.md$/i, ""), decoded = decode(path);
  // As in a category, the page of a folder has the name of the folder.
  const wanted = recordName(`adr/${decoded}`);
  const [, folder, digits] = /^(?:(.*)\/)?((?:adr[-_ ]?)?#?\d{1,6})$/i.exec(decoded) ?? [];
  const isPath = (label: string) =>
    [path, decoded].some((one) => label === one || (one.includes("/") && label.endsWith(`/${one}`)));
  const numberOf = ({ label }: T) => recordNumber(recordName(label));
  const number = digits && recordNumber(digits);
  const numbered = records.filter((record) => digits !== undefined && numberOf(record) === number);
  const named = (fits: (name: string) => boolean) =>
    records.filter(({ label }) => digits === undefined && wanted !== "" && fits(recordName(label)));
  const [found, ...others] = [
    records.filter(({ label }) => isPath(label.replace(/\.md$/i, ""))),
    numbered.filter(({ label }) => recordFolder(label) === folder),
    numbered.filter(({ label }) => folder === undefined || label.startsWith(`${folder}/`)),
    named((name) => name === wanted),
    named((name) => name.includes(wanted)),
  ].find(({ length }) => length > 0) ?? [];
  if (!found) {
    const meant = didYouMean(nearest(wanted, records.map(({ label }) => recordName(label))));
    const numbers = records.flatMap((record) => numberOf(record) ?? []);
    const [one] = records.map(({ label }) => recordName(label));
    const known = numbers.length > 0
      ? `: the numbers are ${rangesOf(numbers)}`
      : one !== undefined && meant === ""
      ? `: write a part of a file name, such as ${one}`
      : "";
    throw new CommandError(`There is no record "${reference}"${where}${meant}${known}`);
  }
  if (others.length === 0) return found;
  const names = [found, ...others].map(({ label }) => label).join(" or ");
  throw new CommandError(`"${reference}" is not one record${where}: write the file name, ${names}`);
}

/** Some numbers as ranges: "1 to 5, 7". */
function rangesOf(numbers: readonly number[]): string {
  const ranges: [first: number, last: number][] = [];
  for (const number of numbers.toSorted((one, other) => one - other)) {
    const range = ranges.at(-1);
    if (range && number <= range[1] + 1) range[1] = number;
    else ranges.push([number, number]);
  }
  const texts = ranges.map(([first, last]) => first === last ? `${first}` : `${first} to ${last}`);
  return texts.slice(0, MAX_RANGES).join(", ") + (texts.length > MAX_RANGES ? " and more" : "");
}
