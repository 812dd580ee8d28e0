/** Random schemas mean what they mean to Ajv, for random values. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { compileSchema, SchemaError } from "../../lib/formats/schema/mod.ts";
import { Random } from "../fuzz/random.ts";

/** Few names, so that they have much to do with each other; what objects inherit means something else to Ajv. */
const NAMES = ["a", "b", "c", "foo", "bar", "x y"];
const TYPES = ["string", "number", "integer", "object", "array", "boolean", "null"];
const NUMBERS = [0, 1, -1, 2, 3, 1.5, 0.1, 0.3, 10, 1e21, 4.02, 19.99];
const TEXTS = ["", "a", "b", "ab", "foo", "😀", "😀😀", "abc", "2024-01-01"];
const LEAVES = [true, true, false, {}, { type: "string" }, { type: "integer" }, { const: 1 }, { minimum: 1 }];
const BOUNDS = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];

const random = new Random(1);
const count = () => random.below(4);
const some = <T>(values: readonly T[], least = 0): T[] => [
  ...new Set(Array.from({ length: least + count() }, () => random.pick(values))),
];
const objectOf = (member: () => unknown) => Object.fromEntries(some(NAMES).map((name) => [name, member()]));

/** A value that nests so deep at most. */
function valueOf(depth: number): unknown {
  const kind = random.below(depth > 0 ? 8 : 5);
  if (kind >= 6) return Array.from({ length: random.below(5) }, () => valueOf(depth - 1));
  if (kind === 5) return objectOf(() => valueOf(depth - 1));
  return [null, random.chance(0.5), random.pick(NUMBERS), random.pick(TEXTS), count()][kind];
}

/** A schema that nests so deep at most; `#/$defs/x` and `#/$defs/y` must be there too. */
function schemaOf(depth: number): object | boolean {
  if (depth <= 0 || random.chance(0.08)) return random.pick(LEAVES);
  const inner = () => schemaOf(depth - 1);
  const keywords: (() => object)[] = [
    () => ({ type: random.pick(TYPES) }),
    () => ({ type: some(TYPES, 1) }),
    () => ({ properties: objectOf(inner) }),
    () => ({ properties: objectOf(inner) }),
    () => ({ required: some(NAMES) }),
    () => ({ additionalProperties: random.pick([inner(), false]) }),
    () => ({ patternProperties: { [random.pick(["^a", "o", "^.$", "^foo$"])]: inner() } }),
    () => ({ propertyNames: random.pick([{ maxLength: 2 }, { pattern: "^[a-c]" }, { enum: ["a", "b"] }]) }),
    () => ({ [random.pick(["minProperties", "maxProperties"])]: count() }),
    () => ({ items: inner() }),
    () => ({ items: inner() }),
    () => ({ prefixItems: [inner(), inner()].slice(0, 1 + random.below(2)) }),
    () => ({ contains: inner() }),
    () => ({ contains: inner(), [random.pick(["minContains", "maxContains"])]: count() }),
    () => ({ [random.pick(["minItems", "maxItems"])]: count() }),
    () => ({ uniqueItems: true }),
    () => ({ [random.pick(["allOf", "anyOf", "oneOf"])]: [inner(), inner()] }),
    () => ({ not: inner() }),
    () => ({ if: inner(), [random.pick(["then", "else"])]: inner() }),
    () => ({ dependentSchemas: objectOf(inner) }),
    () => ({ dependentRequired: objectOf(() => some(NAMES)) }),
    () => ({ unevaluatedProperties: random.pick([false, inner()]) }),
    () => ({ unevaluatedItems: random.pick([false, inner()]) }),
    () => ({ enum: [valueOf(1), valueOf(1), valueOf(0)] }),
    () => ({ const: valueOf(1) }),
    () => ({ [random.pick(["minLength", "maxLength"])]: count() }),
    () => ({ pattern: random.pick(["^a", "b$", "^.$"]) }),
    () => ({ [random.pick(BOUNDS)]: count() }),
    () => ({ $ref: random.pick(["#/$defs/x", "#/$defs/y"]) }),
  ];
  return Object.assign({}, ...Array.from({ length: 1 + count() }, () => random.pick(keywords)()));
}

/** What a schema checks; undefined for one that is refused, because it refers to itself for the same value. */
function compiled(schema: object): ((value: unknown) => unknown[]) | undefined {
  try {
    return compileSchema(schema);
  } catch (cause) {
    assert.ok(cause instanceof SchemaError, String(cause));
    return undefined;
  }
}

test("random schemas let pass what Ajv lets pass", (t) => {
  const counts = { fitting: 0, failing: 0, disputed: 0 };
  for (let made = 0; made < 1000;) {
    const one = schemaOf(3);
    if (typeof one === "boolean") continue;
    const schema = { ...one, $defs: { x: schemaOf(1), y: { properties: { a: { $ref: "#/$defs/y" } } } } };
    const own = compiled(schema);
    if (!own) continue;
    made++;
    const ajv = new Ajv2020({ strict: false, validateSchema: false }).compile(schema);
    for (let asked = 0; asked < 8; asked++) {
      const value = valueOf(3);
      const fits: boolean = own(value).length === 0;
      counts[fits ? "fitting" : "failing"]++;
      if (fits === ajv(value)) continue;
      // Ajv is wrong about what some keywords next to these have evaluated.
      const text = JSON.stringify({ schema, value });
      assert.match(text, /"contains"|"unevaluated/);
      counts.disputed++;
    }
  }
  t.diagnostic(JSON.stringify(counts));
  assert.ok(counts.disputed < 20 && Math.min(counts.fitting, counts.failing) > 1000, JSON.stringify(counts));
});
