/** Reads the front matter of a document. It is loaded for the first document that has one. */

import { detached } from "../../base/json.ts";
import { MAX_LINE } from "./lines.ts";

/** A place that is not YAML. */
interface Problem {
  /** Counted from 1. */
  readonly line: number;
  readonly reason: string;
}

/** A key with its value. */
interface Entry {
  /** In lower case, without quotes. */
  readonly key: string;
  /** The text after the colon, without a comment. */
  readonly text: string;
  /** The line of the key, and those that continue its value. */
  readonly lines: readonly string[];
  /** The index of the first of them. */
  readonly start: number;
  /** The value, if it needs no reader of YAML. */
  readonly simple: readonly string[] | undefined;
}

/** The front matter before its values are read. */
export interface SplitFrontMatter {
  readonly entries: readonly Entry[];
  /** The first line of the body, counted from 0. */
  readonly bodyLine: number;
  readonly problems: readonly Problem[];
}

/** The front matter of a document. */
export interface FrontMatter {
  /**
   * By lower-case key. A single value is a list of one; an empty one is an empty list, and so is an object. The members of an object
   * have keys of their own: "adr.status".
   */
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** The first line of the body, counted from 0. */
  readonly bodyLine: number;
  /** Sorted by line. */
  readonly problems: readonly Problem[];
}

/** Reads a value as YAML. A fault has the line counted from 1 at the key. */
type ReadValue = (
  key: string,
  text: string,
  lines: readonly string[],
) => readonly [
  texts: readonly string[],
  fault?: Problem | undefined,
  members?: Readonly<Record<string, readonly string[]>> | undefined,
];

const CLOSING = /^(?:---|\.\.\.)[ \t]*$/;
const INDENTED = /^[ \t]/;
const LIST_END = /^\]/;
export const ITEM: RegExp = /^[ \t]*-(?:[ \t]+(.*))?$/;
export const COMMENT_OR_BLANK: RegExp = /^[ \t]*(?:#.*)?$/;
/** `key: value`. A line that begins in another way is not a key in YAML. */
export const PAIR: RegExp = /^("[^"]*"[ \t]*|'[^']*'[ \t]*|[^\s"'[\]{}#&*!|>%@`,:-][^:]*):(?:[ \t](.*))?$/s;

/** The maximum number of blank lines before the front matter. */
const MAX_BLANK = 20;

function firstLine(lines: readonly string[]): number {
  let first = 0;
  while (first < MAX_BLANK && lines[first]?.trim() === "") first++;
  return first;
}

/** Finds the keys of the front matter, and where the body begins. */
export function splitFrontMatter(lines: readonly string[]): SplitFrontMatter {
  const none = { entries: [], bodyLine: 0, problems: [] };
  const first = firstLine(lines);
  if (/^\+\+\+[ \t]*$/.test(lines[first] ?? "")) return splitToml(lines, first);
  if (!/^---[ \t]*$/.test(lines[first] ?? "")) return none;
  const lineOf = (ends: (line: string) => boolean) =>
    lines.findIndex((line, index) => index > first && ends(line));
  const close = lineOf((line) => CLOSING.test(line));
  // Without a closing line, the first line that cannot be front matter begins the body.
  const stop = close > 0 ? close : lineOf((line) => ![INDENTED, ITEM, PAIR].some((form) => form.test(line)));
  const end = stop > 0 ? stop : lines.length;
  // After blank lines, two lines of dashes without keys only separate parts.
  const { entries, problems } = splitEntries(lines, first + 1, end);
  if (entries.length > 0 || (close > 0 && end === 1)) {
    const unclosed = close > 0 ? [] : [{ line: 1, reason: "the front matter has no closing ---" }];
    return { entries, bodyLine: close > 0 ? close + 1 : end, problems: [...unclosed, ...problems] };
  }
  // Prose between two lines of dashes is not front matter, but other readers may take it for that.
  const fault = { line: 1, reason: "no line of it is a key with a value" };
  return { ...none, problems: close > 0 && first === 0 ? [fault] : [] };
}

/** `key = value` in TOML. */
const TOML_PAIR = /^[ \t]*(?:"([^"]{1,200})"|([\w.-]{1,200}))[ \t]*=[ \t]*(.*)$/;

/** Finds the keys of front matter in TOML, with their values: texts, dates, numbers, and lists of them. */
function splitToml(lines: readonly string[], first: number): SplitFrontMatter {
  const end = lines.findIndex((line, index) => index > first && /^\+\+\+[ \t]*$/.test(line));
  if (end < 0) return { entries: [], bodyLine: 0, problems: [] };
  const entries: Entry[] = [], problems: Problem[] = [];
  let table = "";
  for (let index = first + 1; index < end;) {
    const start = index++, line = lines[start]!.slice(0, MAX_LINE);
    const [, name] = /^[ \t]*\[([^\][]{1,200})\][ \t]*(?:#.*)?$/.exec(line) ?? [];
    if (name !== undefined) table = `${name.trim()}.`;
    const [, quoted, bare, value = ""] = TOML_PAIR.exec(line) ?? [];
    const key = quoted ?? bare;
    if (key === undefined) {
      const isOther = name === undefined && !COMMENT_OR_BLANK.test(line) && !/^[ \t]*\[\[/.test(line);
      if (isOther) problems.push({ line: start + 1, reason: "it is not a key with a value in TOML" });
      continue;
    }
    // A list may continue in the next lines.
    let text = value;
    while (/^\[[^\]]*$/.test(text) && text.length < MAX_LINE && index < end) {
      text += ` ${lines[index++]!.trim()}`;
    }
    const simple = tomlTexts(text);
    entries.push({ key: (table + key).toLowerCase(), text, lines: lines.slice(start, index), start, simple });
  }
  return { entries, bodyLine: end + 1, problems };
}

function tomlTexts(text: string): string[] {
  const inner = /^\[(.*)\][ \t]*(?:#.*)?$/.exec(text)?.[1] ?? text;
  const found = inner.matchAll(
    /"((?:[^"\\]|\\.){0,1000})"|'([^']{0,1000})'|([^\s,#"'[\]{}][^,#]{0,200})|(#.*)/g,
  );
  return Array.from(
    found,
    ([, double, single, bare]) => (double?.replace(/\\(.)/g, "$1") ?? single ?? bare ?? "").trim(),
  )
    .filter((one) => one !== "");
}

function splitEntries(
  lines: readonly string[],
  from: number,
  end: number,
): Pick<SplitFrontMatter, "entries" | "problems"> {
  const entries: Entry[] = [];
  const keys = new Set<string>();
  const problems: Problem[] = [];
  for (let index = from; index < end;) {
    const start = index++;
    const line = lines[start]!;
    const [, name, rest = ""] = PAIR.exec(line.slice(0, MAX_LINE)) ?? [];
    if (name === undefined) {
      const isProblem = !INDENTED.test(line) && !COMMENT_OR_BLANK.test(line);
      if (isProblem) problems.push({ line: index, reason: "it is neither a key nor a list item" });
      continue;
    }
    const key = name.trim().replace(/^(["'])(.*)\1$/, "$2").toLowerCase();
    const text = COMMENT_OR_BLANK.test(rest) ? "" : rest.trim();
    const more = text === "" ? [ITEM] : text.startsWith("[") ? [LIST_END] : [];
    const continued = [INDENTED, COMMENT_OR_BLANK, ...more];
    while (index < end && continued.some((form) => form.test(lines[index]!))) index++;
    if (keys.has(key)) problems.push({ line: start + 1, reason: `the key "${key}" appears twice` });
    else {
      const own = lines.slice(start, index);
      entries.push({ key, text, lines: own, start, simple: simpleValue(key, text, own) });
    }
    keys.add(key);
  }
  return { entries, problems };
}

/** Whether a value must be read as YAML. */
export function needsYaml({ entries }: SplitFrontMatter): boolean {
  return entries.some(({ simple }) => !simple);
}

/** Reads the values. `readValue` is required when one `needsYaml`. */
export function joinFrontMatter(split: SplitFrontMatter, readValue?: ReadValue): FrontMatter {
  const values = new Map<string, readonly string[]>(), problems = [...split.problems];
  for (const { key, text, lines, start, simple } of split.entries) {
    const [texts, fault, members = {}] = simple ? [simple] : readValue!(key, text, lines);
    if (fault) problems.push({ line: start + fault.line, reason: fault.reason });
    for (const [name, all] of [["", texts], ...Object.entries(members)] as const) {
      const cut = all.map((text) => text.slice(0, MAX_LINE)).filter((text) => text !== "");
      values.set(name === "" ? key : `${key}.${name.toLowerCase()}`, detached(cut));
    }
  }
  return { values, bodyLine: split.bodyLine, problems: problems.sort((one, other) => one.line - other.line) };
}

/** A key without quotes. */
const NAME = /^[\w -]+$/;
/** A text that YAML reads verbatim when it has a line of its own: words, or a text in double quotes without escapes. */
const LINE =
  /^(?:(?!null$)([\w¡-ɏ](?:[ -"$-9;-~¡-ɏ‐-‧]|:(?=[!-~])|(?<=[!-~])#){0,300})|"([ !#-[\]-~]{0,300})")$/i;
/** The same for an item between brackets, where other marks have a meaning. */
const LISTED = /^(?:(?!null$)(\w[\w ./-]{0,300})|"([ !#-+\--Z^-z|~]{0,300})")$/i;

/** The value of a key, if YAML reads it verbatim, as it does most values: its reader is slow when it is first used. */
function simpleValue(key: string, text: string, lines: readonly string[]): readonly string[] | undefined {
  if (key === "affects" || !NAME.test(key)) return undefined;
  const all = (texts: readonly string[], form: RegExp) => {
    const found = texts.map((text) => form.exec(text)?.slice(1).find((part) => part !== undefined));
    return found.includes(undefined) ? undefined : found as string[];
  };
  if (lines.length === 1) {
    const list = /^\[([ -Z^-~]*)\]$/.exec(text)?.[1];
    if (list === undefined) return text === "" ? [] : all([text], LINE);
    return all(list.split(",").map((item) => item.trim()), LISTED);
  }
  if (text !== "") return undefined;
  const items = lines.slice(1).map((line) => /^( *)- +(\S[^\t]{0,310})$/.exec(line) ?? []);
  const isList = items.every(([, indent]) => indent !== undefined && indent === items[0]![1]);
  return isList ? all(items.map(([, , item = ""]) => item.replace(/ +$/, "")), LINE) : undefined;
}
