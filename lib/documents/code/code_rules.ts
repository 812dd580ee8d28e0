/** The rules for code in the front matter of a document, `forbids` and `requires`, and where code breaks them. */

import type { Code } from "./code.ts";
import { asObject, isObject } from "../../base/json.ts";
import { quoted } from "../../base/text.ts";
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
  /** Whether it applies to a file, given as a path from the root of the code. */
  appliesTo(path: string): boolean;
  /** The numbers of the lines with the module or text. A line may be repeated. */
  find(code: Code): Iterable<number>;
}

/** A place where code breaks a rule. The line is counted from 1, and is undefined when the file lacks what is required. */
export interface CodeBreak<R extends CodeRule = CodeRule> {
  readonly rule: R;
  readonly line: number | undefined;
}

/** The maximum number of breaks of a rule in a file that are reported. */
const MAX_BREAKS = 100;
/** The maximum number of steps in which a pattern is matched with a file. */
const MAX_STEPS = 5_000_000;
/** The files that are not code. Only `applies-to` can name them. */
const PROSE = /\.(?:md|markdown|mdx|txt|rst|adoc|asciidoc)$/i;

/** Reads the rules of a document, whose `applies-to` says to which files they apply. A wrong rule is skipped. */
export function readCodeRules(
  text: string,
  appliesTo: readonly string[],
): { rules: CodeRule[]; problems: { line: number; message: string }[] } {
  const rules: CodeRule[] = [], problems: { line: number; message: string }[] = [];
  // Most documents have none, and need no reader.
  if (!/^["']?(?:forbids|requires)\b/im.test(text)) return { rules, problems };
  const fits = appliesTo.map((pattern) => toGlob(pattern).matches);
  // All rules of a document are asked for one file, then for the next.
  let asked = "", isFit = false;
  const isOwn = (path: string) => {
    if (path !== asked) isFit = fits.length === 0 ? !PROSE.test(path) : fits.some((matches) => matches(path));
    asked = path;
    return isFit;
  };
  for (const { key, lines, start } of splitFrontMatter(toLines(text)).entries) {
    if (key !== "forbids" && key !== "requires") continue;
    const indents = lines.map((line) => /^ *-(?= |$)/.exec(line)?.[0].length);
    const first = indents.find((indent) => indent !== undefined);
    const starts = [...indents.keys()].filter((index) => first !== undefined && indents[index] === first);
    for (const [index, item] of itemsOf(lines.join("\n")).entries()) {
      // Other tools name records as required.
      if (key === "requires" && !isObject(item)) continue;
      const rule = toRule(key, item, isOwn), line = start + (starts[index] ?? 0) + 1;
      if (typeof rule !== "string") rules.push(rule);
      else problems.push({ line, message: `The rule of "${key}" ${rule}` });
    }
  }
  return { rules, problems };
}

function itemsOf(yaml: string): readonly unknown[] {
  try {
    const value = readYaml(yaml, { verbatim: true });
    // In TOML, it is not an object.
    return isObject(value) ? Object.values(value).flatMap((items) => items ?? []) : [value];
  } catch (cause) {
    // It is reported as front matter that is not valid.
    if (cause instanceof YamlError) return [];
    throw cause;
  }
}

const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";

/** A rule, or what is wrong with it. */
function toRule(
  kind: CodeRule["kind"],
  item: unknown,
  isOwn: (path: string) => boolean,
): CodeRule | string {
  const { import: module, text, instead, except = [], ...others } = asObject(item);
  const [other] = Object.keys(others), patterns = [except].flat(), isImport = text === undefined;
  if (other !== undefined) {
    return `has the member "${quoted(other, 40)}": use import or text, and instead and except`;
  }
  if (isImport === (module === undefined)) return 'needs one of "import: module" and "text: words"';
  const given = module ?? text;
  if (!isText(given)) {
    return `has no words after ${isImport ? "import" : "text"}: write them, in quotes if need be`;
  }
  if (instead !== undefined && !isText(instead)) {
    return "has no words after instead: write them, or remove it";
  }
  if (!patterns.every(isText)) return 'has no file patterns after except: write them, such as ["src/cli/**"]';
  const value = given.replace(/\n+$/, ""), find = isImport ? importFinder(value) : textFinder(value);
  if (typeof find === "string") return find;
  const exempt = patterns.map((pattern) => toGlob(pattern).matches);
  const appliesTo = (path: string) => isOwn(path) && !exempt.some((matches) => matches(path));
  return { kind, value, isImport, instead, appliesTo, find };
}

/** All separators are one. */
const toPath = (module: string): string => module.replace(/::|[.\\]/g, "/");

function importFinder(module: string): CodeRule["find"] | string {
  if (!/^(?![./])[\w@$.\/\\:*+~-]+$/.test(module)) {
    return `has "${
      quoted(module, 100)
    }", which no import can name: write the module as in code, with * or ** for parts`;
  }
  const path = toPath(module),
    forms = [path, `${path}/**`].map(toMatcher),
    part = longest(path.split(/[/*]/));
  return function* (code) {
    // Most files lack the name, and need no further look.
    if (!code.text.includes(part)) return;
    for (const { name, line } of code.imports) if (forms.some((fits) => fits(toPath(name)))) yield line;
  };
}

function textFinder(text: string): CodeRule["find"] | string {
  if (text.includes("\n")) return "has a text of several lines: write one line of it";
  const source = /^\/(.+)\/$/.exec(text)?.[1];
  const isWrong = source !== undefined && patternError(source) !== undefined;
  const fits = source === undefined ? () => true : isWrong ? undefined : compilePattern(source, () => {});
  if (!fits) {
    const what = isWrong ? "that is not a regular expression" : "that cannot be matched in linear time";
    return `has a pattern ${what}: ${quoted(text, 100)}: write it without back references, or as plain text`;
  }
  const literal = source === undefined ? text : literalOf(source);
  return function* (code) {
    if (!code.text.includes(literal)) return;
    const run = new Run({ maxIssues: 0, maxSteps: MAX_STEPS });
    try {
      for (const [index, line] of code.lines.entries()) {
        if (line.includes(literal) && fits(line.slice(0, MAX_PATTERN_INPUT), run)) yield index + 1;
      }
    } catch (cause) {
      if (!run.limitIssue) throw cause;
    }
  };
}

/** A text that every match of a pattern has; "" if none is known. */
function literalOf(source: string): string {
  if (/\\[ucxpPk]/.test(source)) return "";
  let rest = source.replace(/\\.|\[(?:\\.|[^\\\]])*\]/g, "\0");
  for (let before = ""; before !== rest;) [before, rest] = [rest, rest.replace(/\([^()]*\)/g, "\0")];
  const parts = rest.replace(/.(?:[*?]|\{\d*,?\d*\})/g, "\0").split(/[^\w "'=<>:;,@#%&!~`\/-]+/);
  return rest.includes("|") ? "" : longest(parts);
}

const longest = (texts: readonly string[]): string =>
  texts.reduce((best, text) => text.length > best.length ? text : best, "");

/**
 * Finds where a file breaks rules that apply to it. With the file as it was `before`, only breaks that are new: of lines with the same text, those that
 * there are more of.
 */
export function findBreaks<R extends CodeRule>(
  rules: readonly R[],
  code: Code,
  before?: Code,
): CodeBreak<R>[] {
  return rules.flatMap((rule): CodeBreak<R>[] => {
    const lines = [...new Set(rule.find(code))], old = before ? [...new Set(rule.find(before))] : [];
    if (rule.kind === "requires") {
      return lines.length === 0 && (!before || old.length > 0) ? [{ rule, line: undefined }] : [];
    }
    const known = Map.groupBy(old, (line) => before!.lines[line - 1]!.trim());
    const added = lines.filter((line) => !known.get(code.lines[line - 1]!.trim())?.pop());
    return added.slice(0, MAX_BREAKS).map((line) => ({ rule, line }));
  });
}

/** What is wrong at a break: `imports "moment", which RECORD forbids; instead: date-fns`. */
export function describeBreak({ rule }: CodeBreak, record: string): string {
  const verb = rule.kind === "requires" ? "lacks" : rule.isImport ? "imports" : "contains";
  const instead = rule.instead === undefined ? "" : `; instead: ${quoted(rule.instead, 200)}`;
  return `${verb} "${quoted(rule.value, 100)}", which ${record} ${rule.kind}${instead}`;
}
