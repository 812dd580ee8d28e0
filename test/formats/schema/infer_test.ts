/** `FromSchema` and `Schema` as types: the compiler checks them, so little here can fail at run time. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { FromSchema, Schema } from "../../../lib/formats/schema/mod.ts";
import { compileSchema } from "../../../lib/formats/schema/mod.ts";

/** True when two types are the same, and not only assignable. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;

/** Compiles for lists of `true` only. */
function holds<_T extends readonly true[]>(): void {}

/** Schemas declared `as const`. */
type Const<T> = { readonly [Key in keyof T]: T[Key] extends object ? Const<T[Key]> : T[Key] };
type Of<S> = FromSchema<Const<S>>;

type Text = { type: "string" };
type Num = { type: "number" };
type WithA = { type: "object"; properties: { a: Text }; required: ["a"] };
type WithB = { type: "object"; properties: { b: Num }; required: ["b"] };
type Some = { type: "object"; properties: { a: Text; b: { type: "integer" } }; required: ["a", "c"] };
type Mixed = Of<WithA & { additionalProperties: Num }>;
type Pair = { type: "array"; prefixItems: [Text, Num] };

test("FromSchema is the type of matching values", () => {
  holds<[
    Same<FromSchema<true>, unknown>,
    Same<FromSchema<false>, never>,
    Same<Of<Text>, string>,
    Same<Of<{ type: "integer" }>, number>,
    Same<Of<Num>, number>,
    Same<Of<{ type: "boolean" }>, boolean>,
    Same<Of<{ type: "null" }>, null>,
    Same<Of<{ type: ["string", "null"] }>, string | null>,
    Same<Of<{ const: 1 }>, 1>,
    Same<Of<{ enum: ["a", "b", 1, null] }>, "a" | "b" | 1 | null>,
    Same<Of<{ type: "string"; enum: ["a", "b"] }>, "a" | "b">,
    // Objects
    Same<Of<Some>, { a: string; b?: number; c: unknown }>,
    Same<Of<{ type: "object" }>, { [name: string]: unknown }>,
    Same<Of<{ type: "object"; additionalProperties: Num }>, { [name: string]: number }>,
    Same<Mixed["a"], string>,
    Same<Mixed["other"], string | number | undefined>,
    // Arrays
    Same<Of<{ type: "array" }>, unknown[]>,
    Same<Of<{ type: "array"; items: Text }>, string[]>,
    Same<Of<{ type: "array"; items: false }>, []>,
    Same<Of<Pair>, [string?, number?, ...unknown[]]>,
    Same<Of<Pair & { items: false }>, [string?, number?]>,
    Same<Of<Pair & { items: false; minItems: 1 }>, [string?, number?]>,
    Same<Of<Pair & { items: Text; minItems: 2 }>, [string, number, ...string[]]>,
    // Compositions
    Same<Of<{ anyOf: [Text, Num] }>, string | number>,
    Same<Of<{ oneOf: [Text, { type: "null" }] }>, string | null>,
    Same<Of<{ anyOf: [Text, { minimum: 1 }] }>, unknown>,
    Same<Of<{ allOf: [WithA, WithB] }>, { a: string } & { b: number }>,
    // What TypeScript cannot express, and schemas that are not literals
    Same<FromSchema<Schema>, unknown>,
    Same<FromSchema<unknown>, unknown>,
    Same<FromSchema<Record<string, unknown>>, unknown>,
    Same<FromSchema<{ type: string }>, unknown>,
    Same<Of<{ properties: { a: true } }>, unknown>,
    Same<Of<{ not: Text }>, unknown>,
    Same<Of<{ $ref: "https://example.org/" }>, unknown>,
  ]>();
  const both: Of<WithA & { anyOf: [{ required: ["b"] }, WithB] }> = { a: "a" };
  assert.equal(both.a, "a");
});

// deno-lint-ignore no-explicit-any -- this is what it is about
type Any = any;

test("FromSchema of a schema of the type any, as JSON.parse() returns it, is any, at every depth", () => {
  type List<Item> = FromSchema<{ readonly type: "array"; readonly items: Item }>;
  type Members = { readonly a: Any; readonly b: Text };
  type Closed = { readonly type: "object"; readonly properties: Members; readonly required: readonly ["a"] };
  holds<[
    Same<FromSchema<Any>, Any>,
    Same<FromSchema<Closed>, { a: Any; b?: string }>,
    Same<List<Any>[0], Any>,
    Same<List<{ readonly type: "array"; readonly items: Any }>[0][0], Any>,
    Same<FromSchema<{ readonly anyOf: readonly [Any, Text] }>, Any>,
    Same<FromSchema<{ readonly $ref: "#/$defs/a"; readonly $defs: { readonly a: Any } }>, Any>,
    Same<FromSchema<Record<string, Any>>, unknown>,
    Same<FromSchema<Schema>, unknown>,
  ]>();
  const parsed = JSON.parse('{"type":"object"}');
  const members: FromSchema<typeof parsed> = { a: 1 };
  assert.deepEqual(compileSchema(parsed)(members), []);
});

test("FromSchema follows references into $defs, also recursive ones", () => {
  const properties = {
    heading: { $ref: "#/$defs/heading" },
    children: { type: "array", items: { $ref: "#/$defs/section" } },
  } as const;
  const section = { type: "object", properties, required: ["heading"] } as const;
  const $defs = { section, heading: { type: "string" } } as const;
  const schema = { $ref: "#/$defs/section", $defs } as const satisfies Schema;
  type Section = FromSchema<typeof schema>;
  const right: Section = { heading: "a", children: [{ heading: "b", children: [{ heading: "c" }] }] };
  holds<[
    Same<Section["heading"], string>,
    Same<NonNullable<NonNullable<Section["children"]>[0]["children"]>[0]["heading"], string>,
  ]>();
  // @ts-expect-error -- a heading is a string at every depth
  const wrong: Section = { heading: "a", children: [{ heading: "b", children: [{ heading: 1 }] }] };
  assert.deepEqual(compileSchema(schema)(right), []);
  assert.equal(compileSchema(schema)(wrong).length, 1);
  const loop: Of<{ type: "array"; items: { $ref: "#" } }> = [[[]], []];
  assert.deepEqual(loop, [[[]], []]);
});

test("Schema accepts literals, and rejects keywords of another form", () => {
  const good = { type: ["string", "null"], enum: ["a", null], "x-note": 1 } as const satisfies Schema;
  assert.deepEqual(compileSchema(good)(null), []);
  // @ts-expect-error -- no such type
  const type: Schema = { type: "text" };
  // @ts-expect-error -- a list of names
  const required: Schema = { required: "a" };
  // @ts-expect-error -- a schema
  const items: Schema = { items: 1 };
  // @ts-expect-error -- schemas by name
  const properties: Schema = { properties: { a: "string" } };
  // @ts-expect-error -- a number
  const minLength: Schema = { minLength: "1" };
  for (const schema of [type, required, items, properties, minLength]) {
    assert.throws(() => compileSchema(schema));
  }
});
