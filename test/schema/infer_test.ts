/** Does `FromSchema` say the type of the values that fit? The compiler answers; nothing here can fail when it runs. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { FromSchema, Schema } from "../../lib/schema/mod.ts";
import { compileSchema } from "../../lib/schema/mod.ts";

/** True when two types are the same, and not only assignable. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;

/** Compiles for `true` only. */
function holds<_T extends true>(): void {}

test("FromSchema says the types of plain values", () => {
  holds<Same<FromSchema<true>, unknown>>();
  holds<Same<FromSchema<false>, never>>();
  holds<Same<FromSchema<{ readonly type: "string" }>, string>>();
  holds<Same<FromSchema<{ readonly type: "integer" }>, number>>();
  holds<Same<FromSchema<{ readonly type: "number" }>, number>>();
  holds<Same<FromSchema<{ readonly type: "boolean" }>, boolean>>();
  holds<Same<FromSchema<{ readonly type: "null" }>, null>>();
  holds<Same<FromSchema<{ readonly type: readonly ["string", "null"] }>, string | null>>();
  holds<Same<FromSchema<{ readonly const: 1 }>, 1>>();
  holds<Same<FromSchema<{ readonly enum: readonly ["a", "b", 1, null] }>, "a" | "b" | 1 | null>>();
  holds<Same<FromSchema<{ readonly type: "string"; readonly enum: readonly ["a", "b"] }>, "a" | "b">>();
});

test("FromSchema says which members an object has, and which it may have", () => {
  type Members = FromSchema<{
    readonly type: "object";
    readonly properties: {
      readonly a: { readonly type: "string" };
      readonly b: { readonly type: "integer" };
    };
    readonly required: readonly ["a", "c"];
  }>;
  holds<Same<Members, { a: string; b?: number; c: unknown }>>();
  holds<Same<FromSchema<{ readonly type: "object" }>, { [name: string]: unknown }>>();
  type Numbers = FromSchema<
    { readonly type: "object"; readonly additionalProperties: { readonly type: "number" } }
  >;
  holds<Same<Numbers, { [name: string]: number }>>();
  type Mixed = FromSchema<{
    readonly type: "object";
    readonly properties: { readonly a: { readonly type: "string" } };
    readonly required: readonly ["a"];
    readonly additionalProperties: { readonly type: "number" };
  }>;
  holds<Same<Mixed["a"], string>>();
  holds<Same<Mixed["other"], string | number | undefined>>();
});

test("FromSchema says what is in an array", () => {
  type Text = { readonly type: "string" };
  type Number = { readonly type: "number" };
  holds<Same<FromSchema<{ readonly type: "array" }>, unknown[]>>();
  holds<Same<FromSchema<{ readonly type: "array"; readonly items: Text }>, string[]>>();
  holds<Same<FromSchema<{ readonly type: "array"; readonly items: false }>, []>>();
  type Pair = { readonly type: "array"; readonly prefixItems: readonly [Text, Number] };
  holds<Same<FromSchema<Pair>, [string?, number?, ...unknown[]]>>();
  holds<Same<FromSchema<Pair & { readonly items: false }>, [string?, number?]>>();
  holds<Same<FromSchema<Pair & { readonly items: false; readonly minItems: 1 }>, [string?, number?]>>();
  holds<
    Same<FromSchema<Pair & { readonly items: Text; readonly minItems: 2 }>, [string, number, ...string[]]>
  >();
});

test("FromSchema joins and intersects what is said in place", () => {
  type Text = { readonly type: "string" };
  type Number = { readonly type: "number" };
  type A = {
    readonly type: "object";
    readonly properties: { readonly a: Text };
    readonly required: readonly ["a"];
  };
  type B = {
    readonly type: "object";
    readonly properties: { readonly b: Number };
    readonly required: readonly ["b"];
  };
  holds<Same<FromSchema<{ readonly anyOf: readonly [Text, Number] }>, string | number>>();
  holds<Same<FromSchema<{ readonly oneOf: readonly [Text, { readonly type: "null" }] }>, string | null>>();
  holds<Same<FromSchema<{ readonly anyOf: readonly [Text, { readonly minimum: 1 }] }>, unknown>>();
  holds<Same<FromSchema<{ readonly allOf: readonly [A, B] }>, { a: string } & { b: number }>>();
  type Branches = FromSchema<A & { readonly anyOf: readonly [{ readonly required: readonly ["b"] }, B] }>;
  const branches: Branches = { a: "a" };
  assert.equal(branches.a, "a");
});

test("FromSchema follows references into $defs, also in circles", () => {
  const schema = {
    $ref: "#/$defs/section",
    $defs: {
      section: {
        type: "object",
        properties: {
          heading: { $ref: "#/$defs/heading" },
          children: { type: "array", items: { $ref: "#/$defs/section" } },
        },
        required: ["heading"],
      },
      heading: { type: "string" },
    },
  } as const satisfies Schema;
  type Section = FromSchema<typeof schema>;
  const section: Section = { heading: "a", children: [{ heading: "b", children: [{ heading: "c" }] }] };
  holds<Same<Section["heading"], string>>();
  holds<Same<NonNullable<NonNullable<Section["children"]>[0]["children"]>[0]["heading"], string>>();
  // @ts-expect-error -- a heading is a string at every depth
  const wrong: Section = { heading: "a", children: [{ heading: "b", children: [{ heading: 1 }] }] };
  assert.deepEqual(compileSchema(schema)(section), []);
  assert.equal(compileSchema(schema)(wrong).length, 1);
  type Loop = FromSchema<{ readonly type: "array"; readonly items: { readonly $ref: "#" } }>;
  const loop: Loop = [[[]], []];
  assert.deepEqual(loop, [[[]], []]);
});

test("FromSchema is unknown where it cannot tell, and for schemas that are no literals", () => {
  holds<Same<FromSchema<Schema>, unknown>>();
  holds<Same<FromSchema<unknown>, unknown>>();
  holds<Same<FromSchema<Record<string, unknown>>, unknown>>();
  holds<Same<FromSchema<{ type: string }>, unknown>>();
  holds<Same<FromSchema<{ readonly properties: { readonly a: true } }>, unknown>>();
  holds<Same<FromSchema<{ readonly not: { readonly type: "string" } }>, unknown>>();
  holds<Same<FromSchema<{ readonly $ref: "https://example.org/" }>, unknown>>();
});

test("Schema takes literals, and refuses keywords of another form", () => {
  const good = {
    type: ["string", "null"],
    enum: ["a", null],
    "x-note": 1,
    title: "t",
  } as const satisfies Schema;
  assert.deepEqual(compileSchema(good)(null), []);
  // @ts-expect-error -- no such type
  const type: Schema = { type: "text" };
  // @ts-expect-error -- a list of names
  const required: Schema = { required: "a" };
  // @ts-expect-error -- a schema
  const items: Schema = { items: 1 };
  // @ts-expect-error -- schemas by name
  const properties: Schema = { properties: { a: "string" } };
  for (const schema of [type, required, items, properties]) assert.throws(() => compileSchema(schema));
});
