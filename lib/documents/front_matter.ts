/**
 * What does a document say of itself before its first line? Reads the part of YAML that front matter is written in:
 * `key: value`, quoted values, values over several lines, `[a, b]` and `- item` lists, comments. Anything else is
 * reported and passed over; no document is refused for its front matter.
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
const ITEM = /^[ \t]*-(?:[ \t]+(.*))?$/;
/** How a value begins that is written on the lines below: folded into one line, or as it stands. */
const BLOCK = /^([|>])[-+0-9]*(?:[ \t]+#.*)?$/;
/** What a key of YAML cannot begin with, because it means something else there. */
const NO_KEY = /^[\s"'[\]{}#&*!|>%@`,-]/;

/** As much of a line, and of a value, as is read: bounds what a hostile document can cost. */
const MAX_LINE = 2000;

/** A value while its lines are gathered. */
interface OpenValue {
  readonly key: string;
  text: string;
  readonly items: string[];
  /** Between the lines: a space where they are folded. */
  readonly glue: string;
  readonly isBlock: boolean;
  /** Whether keys stand below it: nothing here asks for those. */
  isNested: boolean;
}

/** Reads the front matter of a document that is given as its lines, without line ends. */
export function readFrontMatter(lines: readonly string[]): FrontMatter {
  const none: FrontMatter = { values: Object.create(null), bodyLine: 0, problems: [] };
  if (!FENCE.test(lines[0] ?? "")) return none;
  const close = lines.findIndex((line, index) => index > 0 && END.test(line));
  // Without a closing line, what can be read is the front matter, and the first other line begins the body.
  const end = close > 0 ? close : lines.findIndex((line, index) => index > 0 && !belongs(line));
  const last = end > 0 ? end : lines.length;
  const { values, problems } = readValues(lines, last);
  if (last > 1 && Object.keys(values).length === 0) {
    // Two lines of dashes around prose are no front matter, but other readers may take them for it.
    return close > 0
      ? { ...none, problems: [{ line: 1, reason: "no line of it is a key with a value" }] }
      : none;
  }
  if (close > 0) return { values, bodyLine: close + 1, problems };
  if (last === 1) return none;
  return {
    values,
    bodyLine: last,
    problems: [{ line: 1, reason: "the front matter has no closing ---" }, ...problems],
  };
}

/** Whether a line can be part of front matter. */
function belongs(line: string): boolean {
  return line !== "" && (/^[ \t]/.test(line) || ITEM.test(line) || splitPair(line) !== undefined);
}

function readValues(lines: readonly string[], end: number): Pick<FrontMatter, "values" | "problems"> {
  const values: Record<string, FrontMatterValue> = Object.create(null);
  const problems: { line: number; reason: string }[] = [];
  let open: OpenValue | undefined;
  const close = (): void => {
    if (open) values[open.key] = valueOf(open);
    open = undefined;
  };
  for (let index = 1; index < end; index++) {
    const line = lines[index]!.slice(0, MAX_LINE);
    if (extend(open, line) || line.trim() === "" || /^[ \t]*#/.test(line)) continue;
    const pair = splitPair(line);
    if (!pair) {
      // An indented line belongs to a nested value, which nothing here asks for.
      if (/^[ \t]/.test(line)) continue;
      problems.push({ line: index + 1, reason: "it is neither a key nor a list item" });
      continue;
    }
    close();
    const [key, text] = pair;
    if (key in values) problems.push({ line: index + 1, reason: `the key "${key}" stands there twice` });
    const block = BLOCK.exec(text)?.[1];
    // A key that stands there twice keeps its first value.
    if (!(key in values)) {
      const glue = block === "|" ? "\n" : " ";
      open = { key, text: block ? "" : text, items: [], glue, isBlock: block !== undefined, isNested: false };
    }
  }
  close();
  return { values, problems };
}

/** Adds a line to the value above it, when it belongs to it. */
function extend(open: OpenValue | undefined, line: string): boolean {
  if (!open) return false;
  const indented = /^[ \t]/.test(line);
  if (open.isBlock) {
    if (indented || line === "") append(open, line.trim());
    return indented || line === "";
  }
  const isEmpty = open.text === "";
  if (indented && isEmpty && open.items.length === 0 && splitPair(line.trim())) open.isNested = true;
  if (open.isNested) return indented;
  const item = isEmpty ? ITEM.exec(line) : undefined;
  if (item) open.items.push(scalar(item[1] ?? ""));
  else if (!indented || open.items.length > 0 || line.trim().startsWith("#")) return false;
  else append(open, line.trim());
  return true;
}

function append(open: OpenValue, text: string): void {
  if (open.text.length > MAX_LINE || (text === "" && open.text === "")) return;
  open.text += open.text === "" ? text : open.glue + text;
}

function valueOf(open: OpenValue): FrontMatterValue {
  if (open.isBlock) return open.text.trim();
  return open.text === "" ? open.items : readValue(open.text);
}

/** Splits `key: value`; undefined when a line is not of that form. */
function splitPair(line: string): readonly [key: string, text: string] | undefined {
  const colon = line.indexOf(":");
  if (colon < 1 || NO_KEY.test(line) || !/^(?:[ \t]|$)/.test(line.slice(colon + 1))) return undefined;
  return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
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
  const items = inner.matchAll(/[ \t]*("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,]+)/g);
  return [...items].map((item) => scalar(item[1]!)).filter((item) => item !== "");
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
