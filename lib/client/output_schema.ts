/**
 * How is a stranger's schema made one that can be checked? Nothing is fetched, nothing is run that may never end, and
 * draft-07, which most servers still write, is read as what it says.
 */

import type { Validator } from "../schema/compile.ts";
import { compileSchema } from "../schema/compile.ts";
import { endsSoon } from "./expressions.ts";
import { isObject } from "../base/json.ts";

/** The dialects that are read as 2020-12 after small changes. */
const OLDER = /^https?:\/\/json-schema\.org\/(?:draft-0[67]|draft\/2019-09)\/schema#?$/;
/** How deep a schema is looked into. */
const MAX_DEPTH = 100;
/** A value of a stranger is checked in fewer steps than one's own: some hundred milliseconds at worst. */
const MAX_STEPS = 1_000_000;

/** A schema of a stranger, compiled. */
export interface OutputCheck {
  readonly validate: Validator;
  /** Regular expressions that are not run. */
  readonly passedOver: readonly string[];
}

/**
 * Compiles the schema of a tool's output.
 *
 * @throws {SchemaError} When it is no schema of a dialect that is known, or refers to another document.
 */
export function compileOutputSchema(schema: unknown): OutputCheck {
  const passedOver: string[] = [];
  const isOlder = isObject(schema) && typeof schema["$schema"] === "string" && OLDER.test(schema["$schema"]);
  const mended = mend(schema, { isOlder, passedOver }, 0, "schema");
  return { validate: compileSchema(mended, { maxSteps: MAX_STEPS, maxIssues: 10 }), passedOver };
}

interface Mending {
  readonly isOlder: boolean;
  readonly passedOver: string[];
}

/** What stands at a place: a schema, schemas by name, a list of schemas, or a value that says nothing about schemas. */
type Place = "schema" | "schemas" | "list" | "value";

const PLACES: ReadonlyMap<string, Place> = new Map([
  ...["$defs", "definitions", "properties", "patternProperties", "dependentSchemas", "dependencies"]
    .map((name) => [name, "schemas"] as const),
  ...["allOf", "anyOf", "oneOf", "prefixItems"].map((name) => [name, "list"] as const),
  ...[
    "additionalItems",
    "additionalProperties",
    "contains",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
  ].map((name) => [name, "schema"] as const),
]);

function mend(value: unknown, mending: Mending, depth: number, place: Place): unknown {
  if (typeof value !== "object" || value === null || place === "value" || depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((one) => mend(one, mending, depth + 1, "schema"));
  const members = Object.entries(value).map(([name, member]): [string, unknown] => [
    name,
    mend(member, mending, depth + 1, place === "schema" ? PLACES.get(name) ?? "value" : "schema"),
  ]);
  if (place !== "schema") return Object.fromEntries(members);
  const mended = Object.fromEntries(members) as Record<string, unknown>;
  if (mending.isOlder) fromOlder(mended);
  const { pattern } = mended;
  if (typeof pattern === "string" && !endsSoon(pattern)) {
    mending.passedOver.push(pattern);
    delete mended["pattern"];
  }
  // Left out with what it is about: members with such names are let through.
  const patterns = mended["patternProperties"];
  if (isObject(patterns) && !Object.keys(patterns).every(endsSoon)) {
    mending.passedOver.push(...Object.keys(patterns).filter((name) => !endsSoon(name)));
    delete mended["patternProperties"];
    delete mended["additionalProperties"];
    delete mended["unevaluatedProperties"];
  }
  return mended;
}

/** Turns the keywords that 2020-12 has replaced into what replaced them. */
function fromOlder(schema: Record<string, unknown>): void {
  delete schema["$schema"];
  const { $ref: ref, definitions, items, additionalItems, dependencies } = schema;
  if (typeof ref === "string" && /^#\/definitions\//.test(ref)) {
    schema["$ref"] = ref.replace("#/definitions/", "#/$defs/");
  }
  if (definitions !== undefined) {
    schema["$defs"] = isObject(schema["$defs"])
      ? { ...(definitions as object), ...schema["$defs"] }
      : definitions;
    delete schema["definitions"];
  }
  if (Array.isArray(items)) {
    schema["prefixItems"] = items;
    delete schema["items"];
    if (additionalItems !== undefined) schema["items"] = additionalItems;
  }
  delete schema["additionalItems"];
  if (isObject(dependencies)) {
    const entries = Object.entries(dependencies);
    schema["dependentRequired"] = Object.fromEntries(entries.filter(([, needs]) => Array.isArray(needs)));
    schema["dependentSchemas"] = Object.fromEntries(entries.filter(([, needs]) => !Array.isArray(needs)));
    delete schema["dependencies"];
  }
}
