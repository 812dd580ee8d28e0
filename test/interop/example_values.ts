/** Makes values that fit a schema: as small as it allows, or with everything in it. */

import type { Schema, SchemaObject, Schemas } from "../../lib/schema/mod.ts";
import { compileSchema } from "../../lib/schema/mod.ts";

/** What is required, or everything that is named. */
export type Amount = "least" | "most";

/** What texts of a format look like. */
const FORMATS: Readonly<Record<string, string>> = {
  date: "2024-01-01",
  "date-time": "2024-01-01T00:00:00Z",
  time: "00:00:00Z",
  email: "a@example.com",
  uri: "https://example.com/",
  uuid: "00000000-0000-4000-8000-000000000000",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  hostname: "example.com",
  byte: "YQ==",
  duration: "P1D",
};
/** Texts that fit the patterns that people write. */
const TEXTS = "a abc A1 1 a@b.co ab-cd abcdefghij 1.0.0 #ffffff en US a/b +15551234567".split(" ")
  .concat(Object.values(FORMATS), "0".repeat(32), "a".repeat(64), `AC${"0".repeat(32)}`);

/** The arguments of a call; undefined when some that are required could not be made. */
export function argumentsFor(input: SchemaObject, amount: Amount): Record<string, unknown> | undefined {
  const { properties = {}, required = [], $defs = {} } = input;
  const args: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(properties)) {
    if (name === "confirmation_token" || (amount === "least" && !required.includes(name))) continue;
    const check = compileSchema({ allOf: [schema], $defs });
    const value = [amount, "least" as const].map((wanted) => make(schema, $defs, wanted, 0))
      .find((value) => value !== undefined && check(value).length === 0);
    if (value !== undefined) args[name] = value;
    else if (required.includes(name)) return undefined;
  }
  return args;
}

function make(schema: Schema, definitions: Schemas, amount: Amount, level: number): unknown {
  if (schema === true) return "a";
  if (schema === false || level > 12) return undefined;
  const whole = merged(schema, definitions, 0);
  if (whole.const !== undefined) return whole.const;
  if (whole.enum) return whole.enum.find((value) => value !== null);
  const { oneOf, anyOf, ...rest } = whole;
  for (const choice of oneOf ?? anyOf ?? []) {
    const value = make({ allOf: [rest, choice] }, definitions, amount, level + 1);
    if (value !== undefined) return value;
  }
  const isObject = Object.keys(whole.properties ?? {}).length > 0;
  const types = [whole.type ?? (whole.items !== undefined ? "array" : isObject ? "object" : "string")].flat();
  switch (types.find((type) => type !== "null")) {
    case "object":
      return makeObject(whole, definitions, amount, level);
    case "array": {
      const length = Math.max(whole.minItems ?? 0, amount === "most" && level < 4 ? 1 : 0);
      return Array.from({ length }, () => make(whole.items ?? true, definitions, amount, level + 1))
        .filter((item) => item !== undefined);
    }
    case "integer":
    case "number":
      return makeNumber(whole);
    case "boolean":
      return true;
    default:
      return makeText(whole);
  }
}

function makeObject(schema: SchemaObject, definitions: Schemas, amount: Amount, level: number): unknown {
  const { properties = {}, required = [], additionalProperties, unevaluatedProperties } = schema;
  const members: Record<string, unknown> = {};
  const other = typeof additionalProperties === "object" ? additionalProperties : true;
  const isClosed = additionalProperties === false || unevaluatedProperties === false;
  const names = new Set([...Object.keys(properties), ...required]);
  // An object with nothing in it has no form in a query or a form.
  if (names.size === 0 && amount === "most" && !isClosed) names.add("key");
  for (const name of names) {
    if (!required.includes(name) && (amount === "least" || level > 3)) continue;
    const value = make(properties[name] ?? other, definitions, amount, level + 1);
    if (value !== undefined) members[name] = value;
  }
  return members;
}

/** One schema of all that hold together. */
function merged(schema: Schema, definitions: Schemas, level: number): SchemaObject {
  if (typeof schema === "boolean" || level > 30) return {};
  const { $ref, allOf = [], ...own } = schema;
  const target = $ref === undefined ? [] : [definitions[$ref.slice("#/$defs/".length)] ?? true];
  return [...target, ...allOf].reduce<SchemaObject>((whole, one) => {
    const part = merged(one, definitions, level + 1);
    const properties = { ...whole.properties, ...part.properties };
    return { ...whole, ...part, properties, required: [...whole.required ?? [], ...part.required ?? []] };
  }, own);
}

function makeNumber({ minimum, maximum, exclusiveMinimum, multipleOf }: SchemaObject): number {
  const least = minimum ?? (exclusiveMinimum === undefined ? 1 : exclusiveMinimum + 1);
  const value = multipleOf ? Math.ceil(least / multipleOf) * multipleOf : least;
  return Math.min(value, maximum ?? value);
}

function makeText({ format = "", pattern = "", minLength = 0, maxLength = Infinity }: SchemaObject): unknown {
  const expression = new RegExp(pattern, "u");
  return [FORMATS[format] ?? "a", ...TEXTS, "a".repeat(minLength), "1".repeat(minLength)]
    .find((one) => expression.test(one) && one.length >= minLength && one.length <= maxLength);
}
