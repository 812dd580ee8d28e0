/**
 * What does a document say of itself before its first line? Reads the part of YAML that front matter is written in:
 * `key: value`, quoted values, `[a, b]` and `- item` lists, comments. Anything else is reported and passed over; no
 * document is refused for its front matter.
 */

/** A value of front matter: text, or a list of texts. */
export type FrontMatterValue = string | readonly string[];

/** What stands before the body. */
export interface FrontMatter {
  /** The values by key, lower case. No prototype: a key is only ever a key. */
  readonly values: Readonly<Record<string, FrontMatterValue>>;
  /** The first line of the body, counted from 0. */
  readonly bodyLine: number;
  /** Lines that could not be read, counted from 1, with the reason. */
  readonly problems: readonly { readonly line: number; readonly reason: string }[];
}

const FENCE = /^---[ \t]*$/;
const END = /^(?:---|\.\.\.)[ \t]*$/;
const KEY = /^([A-Za-z][\w .-]*?)[ \t]*:(?:[ \t]+(.*))?$/;
const ITEM = /^[ \t]*-(?:[ \t]+(.*))?$/;

/** As much of a line as is read: bounds what a hostile line can cost. */
const MAX_LINE = 2000;

/** Reads the front matter of a document that is given as its lines, without line ends. */
export function readFrontMatter(lines: readonly string[]): FrontMatter {
  const values: Record<string, FrontMatterValue> = Object.create(null);
  const none = { values, bodyLine: 0, problems: [] };
  if (!FENCE.test(lines[0] ?? "")) return none;
  const end = lines.findIndex((line, index) => index > 0 && END.test(line));
  if (end < 0) return { ...none, problems: [{ line: 1, reason: "the front matter has no closing ---" }] };
  const problems: { line: number; reason: string }[] = [];
  let list: string[] | undefined;
  for (let index = 1; index < end; index++) {
    const line = lines[index]!.slice(0, MAX_LINE);
    if (line.trim() === "" || /^[ \t]*#/.test(line)) continue;
    const item = ITEM.exec(line);
    if (item && list) {
      list.push(scalar(item[1] ?? ""));
      continue;
    }
    const pair = KEY.exec(line);
    if (!pair) {
      // An indented line belongs to a nested value, which nothing here asks for.
      if (!/^[ \t]/.test(line)) {
        problems.push({ line: index + 1, reason: "it is neither a key nor a list item" });
      }
      continue;
    }
    const key = pair[1]!.toLowerCase();
    const text = pair[2]?.trim() ?? "";
    list = text === "" ? [] : undefined;
    if (key in values) problems.push({ line: index + 1, reason: `the key "${key}" stands there twice` });
    else values[key] = list ?? readValue(text);
  }
  return { values, bodyLine: end + 1, problems };
}

/** The value as one text: lists are joined, an empty value is none. */
export function textOf(value: FrontMatterValue | undefined): string | undefined {
  const text = typeof value === "string" ? value : value?.join(", ");
  return text === undefined || text === "" ? undefined : text;
}

/** The value as a list: one text is a list of one. */
export function listOf(value: FrontMatterValue | undefined): readonly string[] {
  if (value === undefined || value === "") return [];
  return typeof value === "string" ? [value] : value;
}

function readValue(text: string): FrontMatterValue {
  if (!text.startsWith("[") || !/\][ \t]*(?:#.*)?$/.test(text)) return scalar(text);
  const inner = text.slice(1, text.lastIndexOf("]"));
  return (inner.match(/"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,]+/g) ?? []).map(scalar).filter((item) =>
    item !== ""
  );
}

function scalar(raw: string): string {
  const text = raw.trim();
  const double = /^"((?:[^"\\]|\\.)*)"/.exec(text);
  if (double) return double[1]!.replace(/\\(["\\/])/g, "$1").replace(/\\n/g, "\n").replace(/\\t/g, "\t");
  const single = /^'((?:[^']|'')*)'/.exec(text);
  if (single) return single[1]!.replaceAll("''", "'");
  const comment = text.search(/(?:^|[ \t])#/);
  const plain = comment < 0 ? text : text.slice(0, comment).trim();
  return plain === "~" || plain === "null" ? "" : plain;
}
