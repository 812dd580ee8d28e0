/** The title, file name and date of a new record. */

import { findInvisible } from "../base/invisible.ts";
import { printable } from "../base/text.ts";
import { pageKind, recordDate, recordNumber } from "../documents/records/name.ts";
import { UsageError } from "./options.ts";

/** Maximum length of the name of a new file, in bytes. Most file systems allow 255. */
const MAX_NAME_BYTES = 200;

/** A trimmed title. Throws a `UsageError` when it cannot make a file name, or is not one visible line. */
export function checkTitle(title: string): string {
  const text = title.trim();
  const { length } = new TextEncoder().encode(toSlug(text, "-"));
  const problem = /[\p{Cc}\u2028\u2029]/u.test(text) || findInvisible(text)
    ? `"${printable(text)}" has control characters or invisible ones: write it without them`
    : length === 0
    ? `"${text}" has no letter or digit to make a file name of`
    : length > MAX_NAME_BYTES
    ? `makes a file name of ${length} bytes, and ${MAX_NAME_BYTES} are allowed: shorten it`
    : undefined;
  if (problem !== undefined) throw new UsageError(`The title ${problem}`);
  return text;
}

function toSlug(title: string, gap: string): string {
  const words = title.normalize("NFC").toLowerCase().split(/[^\p{L}\p{M}\p{N}]+/u);
  return words.filter((word) => word !== "").join(gap);
}

/** The name of a new record. */
interface NextName {
  /** Without ".md": "0007-use-queues". */
  readonly name: string;
  /** As in the name, "0007"; undefined for a name with a date. */
  readonly number: string | undefined;
  /** The name of the last record, without ".md". */
  readonly last: string;
}

/** The name of the next record, in the form of the others. The first one gets the form of adr-tools and MADR. */
export function nextName(taken: readonly string[], title: string, date: string): NextName {
  const names = taken.filter((name) => !pageKind(name)).map((name) => name.replace(/\.md$/i, ""));
  const dated = names.filter((name) => recordDate(name)?.length === 10);
  const numbered = names.filter((name) => recordNumber(name) !== undefined && recordDate(name) === undefined)
    .sort((left, right) => recordNumber(left)! - recordNumber(right)!);
  const isDated = dated.length > numbered.length;
  const last = (isDated ? dated : numbered).at(-1) ?? "0000-";
  // Groups: the text before the date or number, the date or number, the dash in a date, the separator, the rest.
  const form = isDated ? /^()(\d{4}(-?)\d{2}\3\d{2})([-_. ]*)(.*)$/ : /^(\D*)(\d+)()([-_. ]*)(.*)$/;
  const [, before = "", stamp = "", dash = "", gap, rest = ""] = form.exec(last)!;
  const number = isDated ? undefined : String(Number(stamp) + 1).padStart(stamp.length, "0");
  const slug = toSlug(title, /_/.test(rest) && !rest.includes("-") ? "_" : "-");
  return { name: before + (number ?? date.replaceAll("-", dash)) + (gap || "-") + slug, number, last };
}

/** The day of this time zone: "2026-07-28". */
export function today(): string {
  const here = Date.now() - new Date().getTimezoneOffset() * 60_000;
  return new Date(here).toISOString().slice(0, "2026-07-28".length);
}
