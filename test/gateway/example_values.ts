/** Which values fit a schema? Made from it, as small as it allows or with everything in it. */

import type { Endpoint } from "../../lib/gateway/endpoint.ts";
import type { Schema, SchemaObject, Schemas } from "../../lib/schema/mod.ts";
import { compileSchema } from "../../lib/schema/mod.ts";

/** How much is made: what is required, or everything that is named. */
export type Amount = "least" | "most";

/** Texts that fit the patterns that people write. */
const TEXTS = [
  "a",
  "abc",
  "A1",
  "1",
  "2024-01-01",
  "a@b.co",
  "https://example.com",
  "00000000-0000-4000-8000-000000000000",
  "ab-cd",
  "abcdefghij",
  "1.0.0",
  "0".repeat(32),
  "a".repeat(64),
  "#ffffff",
  "en",
  "US",
  "a/b",
  "+15551234567",
  "AC" + "0".repeat(32),
];

/** What a text of a format looks like. */
const FORMATS: Readonly<Record<string, string>> = {
  date: "2024-01-01",
  "date-time": "2024-01-01T00:00:00Z",
  time: "00:00:00Z",
  email: "a@example.com",
  uri: "https://example.com/",
  url: "https://example.com/",
  uuid: "00000000-0000-4000-8000-000000000000",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  hostname: "example.com",
  byte: "YQ==",
  binary: "YQ==",
  duration: "P1D",
};

/** A value that fits, or undefined when none was found. */
export function valueFor(schema: Schema, definitions: Schemas, amount: Amount): unknown {
  const check = compileSchema({
    ...(typeof schema === "boolean" ? { allOf: [schema] } : schema),
    $defs: definitions,
  });
  for (const wanted of [amount, "least"] as const) {
    const value = new Maker(definitions, wanted).make(schema, 0);
    if (value !== undefined && check(value).length === 0) return value;
  }
  return undefined;
}

class Maker {
  readonly #definitions: Schemas;
  readonly #amount: Amount;

  constructor(definitions: Schemas, amount: Amount) {
    this.#definitions = definitions;
    this.#amount = amount;
  }

  make(schema: Schema, level: number): unknown {
    if (schema === true) return "a";
    if (schema === false || level > 12) return undefined;
    const whole = this.#flat(schema, 0);
    if (whole.const !== undefined) return whole.const;
    if (whole.enum) return whole.enum.find((value) => value !== null);
    for (const choice of whole.oneOf ?? whole.anyOf ?? []) {
      const { oneOf: _, anyOf: __, ...rest } = whole;
      const value = this.make({ allOf: [rest, choice] }, level + 1);
      if (value !== undefined) return value;
    }
    const types = whole.type === undefined ? [guessType(whole)] : [whole.type].flat();
    switch (types.find((type) => type !== "null")) {
      case "object":
        return this.#object(whole, level);
      case "array":
        return Array.from({
          length: Math.max(whole.minItems ?? 0, this.#amount === "most" && level < 4 ? 1 : 0),
        }, () => this.make(whole.items ?? true, level + 1))
          .filter((item) => item !== undefined);
      case "integer":
      case "number":
        return number(whole);
      case "boolean":
        return true;
      default:
        return text(whole);
    }
  }

  #object(schema: SchemaObject, level: number): unknown {
    const members: Record<string, unknown> = {};
    const required = new Set(schema.required ?? []);
    for (const [name, member] of Object.entries(schema.properties ?? {})) {
      if (!required.has(name) && (this.#amount === "least" || level > 3)) continue;
      const value = this.make(member, level + 1);
      if (value !== undefined) members[name] = value;
    }
    for (const name of required) members[name] ??= this.make(additional(schema), level + 1);
    // An object with nothing in it has no form in a query or a form.
    const isClosed = schema.additionalProperties === false || schema.unevaluatedProperties === false;
    if (this.#amount === "most" && level <= 3 && !isClosed && Object.keys(members).length === 0) {
      const value = this.make(additional(schema), level + 1);
      if (value !== undefined) members["key"] = value;
    }
    return members;
  }

  /** One schema of all that hold together. */
  #flat(schema: Schema, level: number): SchemaObject {
    if (typeof schema === "boolean" || level > 30) return {};
    const { $ref, allOf = [], ...own } = schema;
    const parts = [
      ...($ref === undefined ? [] : [this.#definitions[$ref.slice("#/$defs/".length)] ?? true]),
      ...allOf,
    ];
    return parts.map((part) => this.#flat(part, level + 1)).reduce<SchemaObject>((whole, part) => ({
      ...whole,
      ...part,
      properties: { ...whole.properties, ...part.properties },
      required: [...whole.required ?? [], ...part.required ?? []],
    }), own);
  }
}

function additional({ additionalProperties }: SchemaObject): Schema {
  return typeof additionalProperties === "object" ? additionalProperties : true;
}

function guessType({ properties, items }: SchemaObject): string {
  if (items !== undefined) return "array";
  return properties && Object.keys(properties).length > 0 ? "object" : "string";
}

function number({ minimum, maximum, exclusiveMinimum, multipleOf }: SchemaObject): number {
  const least = minimum ?? (exclusiveMinimum === undefined ? 1 : exclusiveMinimum + 1);
  const fitting = multipleOf ? Math.ceil(least / multipleOf) * multipleOf : least;
  return maximum !== undefined && fitting > maximum ? maximum : fitting;
}

function text({ format, pattern, minLength = 0, maxLength = Infinity }: SchemaObject): unknown {
  const texts = [...(format !== undefined && format in FORMATS ? [FORMATS[format]!] : []), ...TEXTS];
  // "^AC[0-9a-fA-F]{32}$" and the like.
  const [, prefix, digits] = /^\^(\w*)\[0-9a-fA-F\]\{(\d+)\}\$$/.exec(pattern ?? "") ?? [];
  if (prefix !== undefined) texts.push(prefix + "0".repeat(Number(digits)));
  const expression = pattern === undefined ? /^/ : new RegExp(pattern, "u");
  return [...texts, "a".padEnd(minLength, "a"), "1".padEnd(minLength, "1")]
    .find((one) => expression.test(one) && one.length >= minLength && one.length <= maxLength);
}

/** The arguments of a call, or undefined when some that are required could not be made. */
export function argumentsFor(endpoint: Endpoint, amount: Amount): Record<string, unknown> | undefined {
  const args: Record<string, unknown> = {};
  for (
    const { argument, required, schema } of [
      ...endpoint.parameters,
      ...(endpoint.body ? [endpoint.body] : []),
    ]
  ) {
    if (!required && amount === "least") continue;
    const value = valueFor(schema, endpoint.definitions, amount);
    if (value !== undefined) args[argument] = value;
    else if (required) return undefined;
  }
  return args;
}
