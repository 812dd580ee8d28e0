/** The rules for code in the front matter of a document, `forbids` and `requires`, and where code breaks them. */

import type { JsonObject } from "../../base/json.ts";
import type { Code } from "./code.ts";
import { asString, isObject } from "../../base/json.ts";
import { didYouMean, quoted } from "../../base/text.ts";
import { nearest } from "../../base/nearest.ts";
import { toGlob } from "../../formats/glob.ts";
import { toLines } from "../../formats/markdown/lines.ts";
import { splitFrontMatter } from "../../formats/markdown/front_matter.ts";
import { compilePattern, MAX_PATTERN_INPUT, patternError } from "../../formats/schema/pattern.ts";
import { Run } from "../../formats/schema/run.ts";
import { toMatcher } from "../../formats/wildcard.ts";
import { readYaml, YamlError } from "../../formats/yaml.ts";

/** One rule for code. */
export interface CodeRule {
  readonly kind: "forbids" | "requires";
  /** The module, the text, or the pattern between slashes. */
  readonly value: string;
  readonly isImport: boolean;
  /** What to do instead. */
  readonly instead: string | undefined;
  /** Its line in the document, counted from 1. */
  readonly line: number;
  /** Whether it applies to a file, given as a path from the root of the code. */
  appliesTo(path: string): boolean;
  /** The numbers of the lines that it is about, in order. */
  find(code: Code): Iterable<number>;
}

/** What is wrong with a rule, which is skipped. */
export interface CodeRuleProblem {
  readonly line: number;
  readonly message: string;
}

/** A place where code breaks a rule. */
export interface CodeBreak<R extends CodeRule = CodeRule> {
  readonly rule: R;
  /** Counted from 1; undefined when the file lacks what is required. */
  readonly line: number | undefined;
}

/** The maximum number of breaks of a rule in a file that are reported. */
const MAX_BREAKS = 100;
/** The maximum number of rules of a document. */
const MAX_RULES = 200;
/** The maximum number of steps in which a pattern is matched with a file. */
const MAX_STEPS = 5_000_000;
const MEMBERS = ["import", "text", "instead", "except"];
/** The files to which rules of a document without `applies-to` do not apply. */
const PROSE = /\.(?:md|markdown|mdx|txt|rst|adoc|asciidoc)$/i;
const HOW = 'write "- import: module" or "- text: words" below it';

/** Reads the rules of a document. Its patterns `applies-to` say to which files they apply; without any, to all code. */
export function readCodeRules(
  text: string,
  appliesTo: readonly string[],
): { rules: CodeRule[]; problems: CodeRuleProblem[] } {
  const rules: CodeRule[] = [], problems: CodeRuleProblem[] = [];
  // Most documents have none, and need no reader.
  if (!/^["']?(?:forbids|requires)\b/im.test(text)) return { rules, problems };
  const fits = appliesTo.map((pattern) => toGlob(pattern).matches);
  // The rules of a document ask for the same file in turn.
  let asked = "", isFit = false;
  const isOwn = (path: string) => {
    if (path === asked) return isFit;
    asked = path;
    return isFit = fits.length === 0 ? !PROSE.test(path) : fits.some((matches) => matches(path));
  };
  for (const { key, lines, start } of splitFrontMatter(toLines(text)).entries) {
    if (key !== "forbids" && key !== "requires") continue;
    let value: unknown;
    try {
      [value] = Object.values(readYaml(lines.join("\n"), { verbatim: true }) as object);
    } catch (cause) {
      // It is reported as invalid front matter.
      if (cause instanceof YamlError) continue;
      throw cause;
    }
    const starts = itemLines(lines);
    const items: unknown[] = Array.isArray(value) ? value : [value ?? []].flat();
    for (const [index, item] of items.slice(0, MAX_RULES).entries()) {
      // Other tools write the names of records here.
      if (key === "requires" && !isObject(item)) continue;
      const line = start + (starts[index] ?? 0) + 1;
      const rule = isObject(item) ? toRule(key, item, line, isOwn) : `is not a rule: ${HOW}`;
      if (typeof rule === "string") problems.push({ line, message: `"${key}" ${rule}` });
      else rules.push(rule);
    }
  }
  return { rules, problems };
}

/** The indexes of the lines on which the items of a list begin. */
function itemLines(lines: readonly string[]): number[] {
  const indents = lines.map((line) => /^( *)-(?: |$)/.exec(line)?.[1]);
  const first = indents.find((indent) => indent !== undefined);
  return [...indents.keys()].filter((index) => indents[index] !== undefined && indents[index] === first);
}

/** A rule, or what is wrong with it. */
function toRule(
  kind: CodeRule["kind"],
  item: JsonObject,
  line: number,
  isOwn: (path: string) => boolean,
): CodeRule | string {
  const unknown = Object.keys(item).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) {
    return `has the unknown member "${quoted(unknown, 40)}"${didYouMean(nearest(unknown, MEMBERS))}`;
  }
  const { import: module, text, instead, except = [] } = item;
  if ((module === undefined) === (text === undefined)) return `needs one of "import" and "text": ${HOW}`;
  const value = asString(module ?? text)?.replace(/\n+$/, "") ?? "";
  if (value.trim() === "") return `needs words after "${module === undefined ? "text" : "import"}:"`;
  if (instead !== undefined && !asString(instead)?.trim()) return 'needs words after "instead:"';
  const patterns: readonly unknown[] = Array.isArray(except) ? except : [except];
  const exempt = patterns.map((pattern) => typeof pattern === "string" ? toGlob(pattern).matches : undefined);
  if (exempt.includes(undefined)) return 'needs patterns of files after "except:", such as ["src/cli/**"]';
  const find = module === undefined ? textFinder(value) : importFinder(value);
  if (typeof find === "string") return find;
  return {
    kind,
    value,
    isImport: module !== undefined,
    instead: asString(instead)?.trim(),
    line,
    appliesTo: (path) => isOwn(path) && !exempt.some((matches) => matches!(path)),
    find,
  };
}

/** All separators are one. */
const toPath = (module: string): string => module.replace(/::|[.\\]/g, "/");

function importFinder(module: string): CodeRule["find"] | string {
  if (!/^(?![./])[\w@$.\/\\:*+~-]+$/.test(module)) {
    return `has the module "${
      quoted(module, 100)
    }", which no import can name: write it as in the code, with * in a part and ** for parts`;
  }
  const path = toPath(module), forms = [path, `${path}/**`].map(toMatcher);
  // A text that lacks a part of the name needs no further look.
  const part = longest(path.split(/[/*]/));
  return function* (code) {
    if (!code.text.includes(part)) return;
    for (const { name, index } of code.imports()) {
      if (forms.some((matches) => matches(toPath(name)))) yield code.lineAt(index);
    }
  };
}

function textFinder(text: string): CodeRule["find"] | string {
  if (text.includes("\n")) return "has a text of several lines: write one line of it";
  const source = /^\/(.+)\/$/.exec(text)?.[1];
  if (source === undefined) return (code) => linesWith(code, text);
  if (patternError(source)) return `has a pattern that is not a regular expression: ${quoted(text, 100)}`;
  const matches = compilePattern(source, () => {});
  if (!matches) {
    return `has a pattern that cannot be matched in linear time: ${
      quoted(text, 100)
    }: write it without back references`;
  }
  const literal = literalOf(source);
  return function* (code) {
    const run = new Run({ maxIssues: 0, maxSteps: MAX_STEPS });
    try {
      for (const line of linesWith(code, literal)) {
        if (matches(code.line(line).slice(0, MAX_PATTERN_INPUT), run)) yield line;
      }
    } catch (cause) {
      if (!run.limitIssue) throw cause;
    }
  };
}

/** The numbers of the lines with a text. */
function* linesWith(code: Code, text: string): Generator<number> {
  for (let at = code.text.indexOf(text); at >= 0;) {
    yield code.lineAt(at);
    const end = code.text.indexOf("\n", at);
    at = end < 0 ? -1 : code.text.indexOf(text, end + 1);
  }
}

/** The longest text that every match of a pattern has; "" if none is known. */
function literalOf(source: string): string {
  if (/\\[ucxpPk0-9]/.test(source)) return "";
  const runs = [""];
  let depth = 0;
  for (const [token] of source.matchAll(/\\.|\[(?:\\.|[^\\\]])*\]|\{\d*,?\d*\}|[^]/g)) {
    if (token === "|" && depth === 0) return "";
    if (token === "(") depth++;
    const char = /^\\\W$/.test(token) ? token[1]! : token;
    if (depth === 0 && (/^[\w "'=<>:;,@#%&!~`/-]$/.test(token) || char !== token)) {
      runs[runs.length - 1] += char;
    } else {
      if (/^[*?{]/.test(token)) runs[runs.length - 1] = runs.at(-1)!.slice(0, -1);
      runs.push("");
    }
    if (token === ")") depth--;
  }
  return longest(runs);
}

const longest = (texts: readonly string[]): string =>
  texts.reduce((best, text) => text.length > best.length ? text : best, "");

/**
 * Finds where a file breaks rules. With the file as it was `before`, only breaks that are new: of lines with the same text, those that
 * there are more of.
 */
export function findBreaks<R extends CodeRule>(
  rules: readonly R[],
  code: Code,
  before?: Code,
): CodeBreak<R>[] {
  const all: CodeBreak<R>[] = [];
  for (const rule of rules) {
    if (!rule.appliesTo(code.path)) continue;
    const lines = new Set(rule.find(code)), old = before ? [...new Set(rule.find(before))] : [];
    if (rule.kind === "requires") {
      if (lines.size === 0 && (!before || old.length > 0)) all.push({ rule, line: undefined });
      continue;
    }
    const known = Map.groupBy(old, (line) => before!.line(line).trim());
    const added = [...lines].filter((line) => !known.get(code.line(line).trim())?.pop());
    for (const line of added.slice(0, MAX_BREAKS)) all.push({ rule, line });
  }
  return all;
}

/** What is wrong at a break, as a clause: `imports "moment", which RECORD forbids; instead: date-fns`. */
export function describeBreak({ rule }: CodeBreak, record: string): string {
  const verb = rule.kind === "requires" ? "lacks" : rule.isImport ? "imports" : "contains";
  const instead = rule.instead === undefined ? "" : `; instead: ${rule.instead}`;
  return `${verb} "${rule.value}", which ${record} ${rule.kind}${instead}`;
}
