/** The words of messages: types, values and lists. */

import { shortened } from "../../base/text.ts";

/** The maximum length of a value that a message quotes, in characters. */
const MAX_QUOTE = 200;
/** The maximum number of values of a list that a message quotes. */
const MAX_QUOTED = 12;

/** A type with its article: "a string", "an object", "null". */
export function nounOf(type: string): string {
  return type === "null" ? type : `${"aio".includes(type.charAt(0)) ? "an" : "a"} ${type}`;
}

/** The type of a value, for "but got …". */
export function describe(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Number.isInteger(value)) return "an integer";
  if (typeof value === "number" && !Number.isFinite(value)) return "a number that JSON cannot represent";
  return nounOf(value === null ? "null" : Array.isArray(value) ? "array" : typeof value);
}

/** A value of the schema as JSON, shortened. */
export function quote(value: unknown): string {
  return shortened(JSON.stringify(value), MAX_QUOTE);
}

/** The first values, and the number of the others: `"a", "b" or 3 more`. */
export function quoteList(values: readonly unknown[], conjunction: string): string {
  const quoted = values.slice(0, MAX_QUOTED).map(quote);
  if (values.length > MAX_QUOTED) quoted.push(`${values.length - MAX_QUOTED} more`);
  return join(quoted, conjunction);
}

/** Lists words: "a, b or c". */
export function join(words: readonly string[], conjunction: string): string {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} ${conjunction} ${words.at(-1)}`;
}
