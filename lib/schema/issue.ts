/** What does not fit, and how is it said? Messages name types, sizes and what the schema says, never what a value holds. */

/** One thing about a value that does not fit its schema. */
export interface Issue {
  /**
   * JSON pointer to what does not fit, from the root of the value. It ends at the last member that it can name within
   * `MAX_PATH` characters: names come with the value, and may be as long as the value itself.
   */
  readonly path: string;
  /** The keyword that it does not fit; the name of the limit where checking had to end early. */
  readonly keyword: string;
  /** JSON pointer to the keyword in the schema; for what a well-known schema says, its URI stands in front. */
  readonly schemaPath: string;
  /** One sentence: what was wanted, and what came. */
  readonly message: string;
}

/** How long the path of an issue gets, in characters: every issue has one, and the value is not to be sent back in them. */
export const MAX_PATH = 1000;

/** How much of a schema is quoted, in characters: enough for the names of most enumerations, and still one sentence. */
const MAX_QUOTE = 200;

/** What came, by its type: "a string". */
export function describe(value: unknown): string {
  if (value === null) return "null";
  switch (typeof value) {
    case "string":
      return "a string";
    case "number":
      if (!Number.isFinite(value)) return "a number that JSON cannot write";
      return Number.isInteger(value) ? "an integer" : "a number";
    case "boolean":
      return "a boolean";
    case "object":
      return Array.isArray(value) ? "an array" : "an object";
    default:
      return value === undefined ? "nothing" : `a ${typeof value}`;
  }
}

/** A number of things: "1 item", "2 items". */
export function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? "" : "s"}`;
}

/** A value that the schema holds, as JSON, cut where it gets long. */
export function quote(value: unknown): string {
  return cut(JSON.stringify(value));
}

/** Names or values that the schema holds: `"a", "b" or "c"`. */
export function quoteList(values: readonly unknown[], conjunction: string): string {
  const quoted: string[] = [];
  let length = 0;
  for (const value of values) {
    const text = quote(value);
    length += text.length;
    if (length > MAX_QUOTE && quoted.length > 0) break;
    quoted.push(text);
  }
  const rest = values.length - quoted.length;
  return join(rest > 0 ? [...quoted, `${rest} more`] : quoted, conjunction);
}

/** Joins words: "a, b or c". */
export function join(words: readonly string[], conjunction: string): string {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} ${conjunction} ${words.at(-1)}`;
}

function cut(text: string): string {
  // Cut between characters, so that no half of one is left.
  return text.length <= MAX_QUOTE
    ? text
    : `${text.slice(0, MAX_QUOTE).toWellFormed().replace(/\uFFFD$/, "")}…`;
}
