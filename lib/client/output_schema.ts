/**
 * Output schemas of tools, as strangers write them: nothing is fetched, patterns that may take too long are not run, and older
 * dialects, which most servers still use, are read as 2020-12.
 */

import type { Validator } from "../schema/mod.ts";
import { isObject } from "../base/json.ts";
import { compileSchema, walkSchema } from "../schema/mod.ts";

/** The dialects that are read as 2020-12 after small changes. */
const OLDER = /^https?:\/\/json-schema\.org\/(?:draft-0[67]|draft\/2019-09)\/schema#?$/;
/** How many steps a check may take: some hundred milliseconds at worst. */
const MAX_STEPS = 1_000_000;

/** A compiled output schema. */
export interface OutputCheck {
  readonly validate: Validator;
  /** Patterns that are not run. */
  readonly skipped: readonly string[];
}

/**
 * Compiles the output schema of a tool.
 *
 * @throws {SchemaError} When it is invalid, of an unknown dialect, or refers to another document.
 */
export function compileOutputSchema(given: unknown): OutputCheck {
  const skipped: string[] = [];
  const schema = structuredClone(given);
  const dialect = isObject(schema) ? schema["$schema"] : undefined;
  const isOlder = typeof dialect === "string" && OLDER.test(dialect);
  walkSchema(schema, (node) => {
    if (isOlder) update(node);
    skipPatterns(node, skipped);
  });
  return { validate: compileSchema(schema, { maxSteps: MAX_STEPS, maxIssues: 10 }), skipped };
}

/** Replaces the keywords of older dialects. */
function update(node: Record<string, unknown>): void {
  const { $ref: ref, definitions, items, additionalItems, dependencies } = node;
  for (const name of ["$schema", "definitions", "additionalItems", "dependencies"]) delete node[name];
  if (typeof ref === "string") node["$ref"] = ref.replace(/^#\/definitions\//, "#/$defs/");
  if (isObject(definitions)) node["$defs"] = { ...definitions, ...node["$defs"] as object };
  if (Array.isArray(items)) {
    delete node["items"];
    Object.assign(
      node,
      { prefixItems: items },
      additionalItems === undefined ? {} : { items: additionalItems },
    );
  }
  if (!isObject(dependencies)) return;
  const entries = Object.entries(dependencies);
  node["dependentRequired"] = Object.fromEntries(entries.filter(([, needs]) => Array.isArray(needs)));
  node["dependentSchemas"] = Object.fromEntries(entries.filter(([, needs]) => !Array.isArray(needs)));
}

/** Removes patterns that may take too long; members with such names are let through. */
function skipPatterns(node: Record<string, unknown>, skipped: string[]): void {
  const { pattern, patternProperties } = node;
  if (typeof pattern === "string" && !isQuick(pattern)) {
    skipped.push(pattern);
    delete node["pattern"];
  }
  const slow = Object.keys(patternProperties ?? {}).filter((name) => !isQuick(name));
  if (slow.length === 0) return;
  skipped.push(...slow);
  for (const name of ["patternProperties", "additionalProperties", "unevaluatedProperties"]) {
    delete node[name];
  }
}

/** The most ways to match a text apart from unbounded repetition. */
const MAX_CHOICES = 1000;
/** A larger upper bound counts as none. */
const MAX_BOUND = 32;
const TOKENS = /\\[^]|\[(?:\\[^]|[^\]\\])*\]|\((?:\?(?::|<\w+>))?|([*+?]|\{(\d+)(,?)(\d*)\})\??|[^]/g;

/**
 * Whether a regular expression is known to take no more than the square of the text's length: the runtime cannot stop one.
 * False for many that do.
 */
function isQuick(source: string): boolean {
  // Too long, back references, and assertions.
  if (source.length > 1000 || /\\[1-9k]|\(\?<?[=!]/.test(source)) return false;
  let unbounded = source.startsWith("^") ? 0 : 1;
  let choices = 1;
  /** The open groups: how many alternatives each has, and whether it can match texts of different lengths. */
  let group = { alternatives: 1, varies: false };
  const outer: (typeof group)[] = [];
  /** Whether the last token ended a group that varies. */
  let endedVarying = false;
  for (const [token, quantifier, least, comma, most] of source.matchAll(TOKENS)) {
    const follows = endedVarying;
    endedVarying = false;
    if (quantifier !== undefined) {
      const from = least === undefined ? Number(quantifier === "+") : Number(least);
      const to = quantifier === "?" ? 1 : comma === "" ? from : Number(most || Infinity);
      // What varies inside of what repeats can be divided in exponentially many ways.
      if (to > 1 && follows) return false;
      if (from === to) continue;
      group.varies = true;
      if (to > MAX_BOUND) unbounded++;
      else choices *= to - from + 1;
    } else if (token.startsWith("(")) {
      outer.push(group);
      group = { alternatives: 1, varies: false };
    } else if (token === "|") {
      group.alternatives++;
      group.varies = true;
    } else if (token === ")") {
      choices *= group.alternatives;
      endedVarying = group.varies;
      group = outer.pop() ?? group;
      group.varies ||= endedVarying;
    }
  }
  return unbounded <= 2 && choices * group.alternatives <= MAX_CHOICES;
}
