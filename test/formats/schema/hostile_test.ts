/** Malicious values and schemas are rejected in bounded time, and nothing overflows. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { compileSchema } from "../../../lib/formats/schema/mod.ts";
import { codeOf, modules } from "../../harness/modules.ts";
import { cpuNow } from "../../harness/process.ts";

/** Much longer than any check takes, in milliseconds. The worst below take a second. */
const SOON = 60_000;

const ITSELF = { $ref: "#" };

/** A value nested in a number of others. */
function nest(depth: number, value: unknown, wrap = (value: unknown): unknown => ({ x: value })): unknown {
  for (let level = 0; level < depth; level++) value = wrap(value);
  return value;
}

type Row = readonly [schema: object, value: unknown, keyword?: string | undefined, maxSteps?: number];

/** Asserts that each value gives a first issue with this keyword in bounded time. */
function expectKeywords(rows: readonly Row[]): void {
  for (const [schema, value, keyword, maxSteps] of rows) {
    const start = cpuNow();
    const [issue] = compileSchema(schema, { formats: true, maxSteps })(value);
    assert.ok(cpuNow() - start < SOON, `${cpuNow() - start} ms`);
    assert.equal(issue?.keyword, keyword, JSON.stringify(schema).slice(0, 1000));
  }
}

/** The numbers from 0 to `length` - 1. */
const numbers = (length: number): readonly number[] => [...Array(length).keys()];
const members = (length: number): object =>
  Object.fromEntries(numbers(length).map((number) => [`k${number}`, number]));

test("a value that is nested too deeply or contains itself gives an issue, for any keyword", () => {
  const base = { type: ["object", "array", "number"] };
  const deep = nest(100_000, 1);
  const schemas = `
    {"properties": {"x": ITSELF}}
    {"additionalProperties": ITSELF}
    {"patternProperties": {"x": ITSELF}}
    {"unevaluatedProperties": ITSELF}
    {"allOf": [{"anyOf": [{"oneOf": [{"properties": {"x": ITSELF}}]}]}]}
    {"not": {"not": {"properties": {"x": ITSELF}}}}
    {"if": {"properties": {"x": ITSELF}}, "else": false}
    {"dependentSchemas": {"x": {"properties": {"x": ITSELF}}}}
    {"$ref": "#/$defs/a", "$defs": {"a": {"properties": {"x": {"$ref": "#/$defs/b"}}}, "b": {"$ref": "#/$defs/a"}}}
    {"$dynamicAnchor": "a", "properties": {"x": {"$dynamicRef": "#a"}}}
  `.replaceAll("ITSELF", JSON.stringify(ITSELF)).trim().split("\n");
  for (const schema of schemas.map((text) => ({ ...base, ...JSON.parse(text) }))) {
    expectKeywords([[schema, deep, "maxDepth"], [schema, nest(50, 1)]]);
  }
  const arrays = nest(100_000, 1, (value) => [value]);
  const itself: unknown[] = [];
  itself.push(itself);
  // The case that needs the most stack.
  const wrap = (schema: unknown) => ({ allOf: [schema], unevaluatedProperties: true });
  expectKeywords([
    [nest(90, { properties: { x: ITSELF } }, wrap) as object, deep, "maxDepth"],
    [{ items: ITSELF }, itself, "maxDepth"],
    [{ uniqueItems: true }, [itself, 1], "maxDepth"],
    [{ ...base, items: ITSELF }, arrays, "maxDepth"],
    [{ ...base, contains: ITSELF }, arrays, "maxDepth"],
    [{ ...base, prefixItems: [ITSELF] }, arrays, "maxDepth"],
    [{ ...base, unevaluatedItems: ITSELF }, arrays, "maxDepth"],
    [{ uniqueItems: true }, [arrays, []], "maxDepth"],
    [{ uniqueItems: true }, [deep, {}], "maxDepth"],
    [{ const: {} }, deep, "maxDepth"],
  ]);
});

test("schemas that branch at every level give an issue, and take no exponential time", () => {
  const branch = { properties: { x: ITSELF }, required: ["x"] };
  const ways = { anyOf: [branch, branch] };
  const onStrings = (schema: object) => ({ if: { type: "string" }, then: schema, else: ways });
  const onArrays = (schema: object) => ({ if: { type: "array" }, then: schema, else: ways });
  const long = "a".repeat(100_000);
  const large = members(10_000);
  const rows: readonly (readonly [schema: object, leaf: unknown])[] = [
    [ways, {}],
    [{ allOf: [{ properties: { x: ITSELF } }, { properties: { x: ITSELF } }] }, {}],
    [{ oneOf: [branch, branch] }, {}],
    [{ if: { properties: { x: ITSELF } }, then: { properties: { x: ITSELF } }, else: false }, {}],
    [{ not: { ...branch, not: branch } }, {}],
    [{ ...ways, unevaluatedProperties: false }, large],
    [{ anyOf: [{ properties: { k0: false }, required: ["k0"] }, branch, branch] }, large],
    [{ anyOf: [{ minProperties: 100_000 }, branch, branch] }, large],
    [{ anyOf: [{ const: {} }, branch, branch] }, large],
    [onStrings({ maxLength: 60_000 }), long],
    [onStrings({ minLength: 100_001 }), long],
    [onStrings({ pattern: "^(?:a|b)*c" }), "a".repeat(10_000)],
    [onStrings({ format: "uri" }), `http://${long}|`],
    [onArrays({ uniqueItems: true }), [...numbers(300).map((number) => [number]), [0]]],
    [onArrays({ uniqueItems: true, contains: false }), [long, `${long}b`]],
    [onArrays({ contains: { const: 1 }, minContains: 1000 }), Array(999).fill(1)],
  ];
  expectKeywords(rows.map(([schema, leaf]) => [schema, nest(60, leaf), "maxSteps", 100_000]));
});

test("early ends and dropped issues count as steps", () => {
  const early = { anyOf: [{ properties: { k0: false } }, true] };
  const alternatives = { items: { anyOf: [{ type: "null" }, { type: "string" }, { maximum: 1 }] } };
  const ones = Array(1000).fill(1);
  expectKeywords([
    [early, members(1000), "maxSteps", 3000],
    [early, members(1000), undefined, 5000],
    [alternatives, [2], "maxSteps", 40],
    [alternatives, [2], "anyOf", 60],
    [alternatives, ones, undefined, 10_000],
    [alternatives, [...ones, 2], "anyOf", 10_000],
  ]);
});

test("large values are checked completely, in linear time", () => {
  const tags = { items: { type: "string" } };
  const row = { type: "object", properties: { id: { type: "integer" }, tags }, required: ["id"] };
  const ids = numbers(60_000);
  const rows = ids.slice(20_000).map((id) => ({ id, tags: ["a", "b"] }));
  expectKeywords([
    [{ items: { anyOf: [{ type: "null" }, row] } }, rows],
    [{ items: { type: "integer" } }, Array(400_000).fill(1)],
    [tags, Array(400_000).fill(1), "type"],
    [{ uniqueItems: true }, ids],
    [{ uniqueItems: true }, ids.map(String)],
    [{ uniqueItems: true }, ids.map((id) => ({ id }))],
    [{ uniqueItems: true }, [...ids.map((id) => [id]), [7]], "uniqueItems"],
    [{ enum: ids }, -1, "enum"],
    [{ items: { enum: ids } }, ids],
    [{ const: ids }, [...ids]],
  ]);
});

test("a text of more than 10,000 characters is rejected without matching it against a pattern", () => {
  // Takes quadratic time, up to the limit.
  const schema = { pattern: "a*b", patternProperties: { "a*b": true } };
  expectKeywords([[schema, "a".repeat(10_000), "pattern"]]);
  assert.deepEqual(compileSchema({ pattern: "b$" })(`${"a".repeat(9_999)}b`), []);
  for (const text of ["a".repeat(10_001), "a".repeat(1_000_000)]) {
    assert.match(compileSchema(schema)(text)[0]!.message, /a string of at most 10000 characters/);
    assert.match(compileSchema(schema)({ [text]: 1 })[0]!.message, /a name of at most 10000 characters/);
  }
});

test("schemas that are too deep or too many are rejected", () => {
  const circle: Record<string, unknown> = {};
  circle["items"] = circle;
  const rows = [
    [circle, /is inside more than 100 other schemas/],
    [nest(101, true, (items) => ({ items })), /is inside more than 100 other schemas/],
    // One object at many places: short to write, endless to read.
    [nest(30, true, (schema) => ({ allOf: [schema, schema] })), /one schema too many/],
    [{ const: nest(200, 1) }, /\/const must be JSON of at most 100 levels/],
    [{ enum: [nest(100_000, 1)] }, /\/enum must be an array of JSON of at most 100 levels/],
    [{ const: 1n }, /\/const must be JSON/],
  ] as const;
  for (const [schema, message] of rows) assert.throws(() => compileSchema(schema), message);
  assert.doesNotThrow(() => compileSchema(nest(100, true, (items) => ({ items }))));
  const chain = numbers(5000).map((number) => ({ $ref: `#/$defs/${number + 1}` }));
  const long = { $ref: "#/$defs/0", $defs: { ...chain, 5000: true } };
  assert.throws(() => compileSchema(long), /is inside more than 500 others/);
});

test("a value that changes during a check is not accepted", () => {
  const validate = compileSchema({ properties: { a: { type: "number" } } });
  let reads = 0;
  const get = () => reads++ === 0 ? "a" : 1;
  const value = Object.defineProperty({}, "a", { enumerable: true, get });
  assert.throws(() => validate(value), /TypeError: Cannot check a value that changes/);
});

test("inherited members are ignored", () => {
  const inherited = Object.create({ a: 1 }) as object;
  expectKeywords([
    [{ required: ["a"] }, inherited, "required"],
    [{ properties: { a: false }, maxProperties: 0, additionalProperties: false }, inherited],
    [{ const: {} }, inherited],
    [{ properties: { a: { type: "string" } } }, Object.assign(Object.create(null), { a: 1 }), "type"],
  ]);
});

test("no code is generated from a schema", () => {
  const validate = compileSchema({ properties: { "'];process.exit(1);//": { type: "string" } } });
  assert.equal(validate({ "'];process.exit(1);//": 1 }).length, 1);
  for (const module of modules.filter((module) => module.startsWith("lib/formats/schema/"))) {
    assert.doesNotMatch(codeOf(module), /\beval\b|\bFunction\(|\bimport\(/, module);
  }
});
