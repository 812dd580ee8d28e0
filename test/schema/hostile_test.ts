/** What happens to values, and schemas, that are made to harm? They are refused in bounded time, and nothing overflows. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { SchemaOptions } from "../../lib/schema/mod.ts";
import { compileSchema, SchemaError } from "../../lib/schema/mod.ts";
import { codeOf, modules } from "../harness/modules.ts";

/** Whatever the limits are, a check is over long before this, in milliseconds. The worst below take some seconds. */
const SOON = 60_000;

const ITSELF = { $ref: "#" };

/** A value in so many others. */
function nest(
  depth: number,
  value: unknown,
  wrap: (value: unknown) => unknown = (value) => ({ x: value }),
): unknown {
  for (let level = 0; level < depth; level++) value = wrap(value);
  return value;
}

/** The keyword of the first issue. */
function firstKeyword(schema: unknown, value: unknown, options?: SchemaOptions): string | undefined {
  const start = performance.now();
  const [issue] = compileSchema(schema, options)(value);
  assert.ok(performance.now() - start < SOON, `${performance.now() - start} ms`);
  return issue?.keyword;
}

test("a value that nests too deep ends in an issue, whatever the schema goes through", () => {
  const object = { type: ["object", "array", "number"] };
  for (
    const schema of [
      { properties: { x: ITSELF } },
      { additionalProperties: ITSELF },
      { patternProperties: { x: ITSELF } },
      { unevaluatedProperties: ITSELF },
      { allOf: [{ anyOf: [{ oneOf: [{ properties: { x: ITSELF } }] }] }] },
      { not: { not: { properties: { x: ITSELF } } } },
      { if: { properties: { x: ITSELF } }, else: false },
      { dependentSchemas: { x: { properties: { x: ITSELF } } } },
      {
        $ref: "#/$defs/a",
        $defs: { a: { properties: { x: { $ref: "#/$defs/b" } } }, b: { $ref: "#/$defs/a" } },
      },
      { $dynamicAnchor: "a", properties: { x: { $dynamicRef: "#a" } } },
    ]
  ) {
    assert.equal(
      firstKeyword({ ...object, ...schema }, nest(100_000, 1)),
      "maxDepth",
      JSON.stringify(schema),
    );
    assert.equal(firstKeyword({ ...object, ...schema }, nest(50, 1)), undefined, JSON.stringify(schema));
  }
  for (
    const schema of [{ items: ITSELF }, { prefixItems: [ITSELF] }, { contains: ITSELF }, {
      unevaluatedItems: ITSELF,
    }]
  ) {
    assert.equal(firstKeyword({ ...object, ...schema }, nest(100_000, 1, (value) => [value])), "maxDepth");
  }
  assert.equal(firstKeyword({ uniqueItems: true }, [nest(100_000, 1, (value) => [value]), []]), "maxDepth");
  assert.equal(firstKeyword({ uniqueItems: true }, [nest(100_000, 1), {}]), "maxDepth");
  assert.equal(firstKeyword({ const: {} }, nest(100_000, 1)), "const");
});

test("as deep as is allowed at most, nothing overflows", () => {
  const wrapped = nest(
    30,
    { properties: { x: ITSELF } },
    (schema) => ({ allOf: [schema], unevaluatedProperties: true }),
  );
  for (
    const schema of [wrapped, { patternProperties: { "": ITSELF } }, {
      anyOf: [{ properties: { x: ITSELF } }],
    }]
  ) {
    assert.equal(firstKeyword(schema, nest(100_000, 1), { maxDepth: 1000 }), "maxDepth");
  }
});

test("a value that holds itself ends in an issue", () => {
  const array: unknown[] = [];
  array.push(array);
  assert.equal(firstKeyword({ items: ITSELF }, array), "maxDepth");
  assert.equal(firstKeyword({ uniqueItems: true }, [array, 1]), "maxDepth");
});

test("schemas that go two ways at every level end in an issue, not in exponential time", () => {
  const branch = { properties: { x: ITSELF }, required: ["x"] };
  const ways = { anyOf: [branch, branch] };
  const onStrings = (schema: object) => ({ if: { type: "string" }, then: schema, else: ways });
  const onArrays = (schema: object) => ({ if: { type: "array" }, then: schema, else: ways });
  const long = "a".repeat(1_000_000);
  const large = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`k${index}`, index]));
  for (
    const [schema, leaf] of [
      [ways, {}],
      [{ allOf: [{ properties: { x: ITSELF } }, { properties: { x: ITSELF } }] }, {}],
      [{ oneOf: [branch, branch] }, {}],
      [{ if: { properties: { x: ITSELF } }, then: { properties: { x: ITSELF } }, else: false }, {}],
      [{ not: { ...branch, not: branch } }, {}],
      [{ ...ways, unevaluatedProperties: false }, large],
      [{ anyOf: [{ properties: { k0: false }, required: ["k0"] }, branch, branch] }, large],
      [{ anyOf: [{ minProperties: 1_000_000 }, branch, branch] }, large],
      [onStrings({ maxLength: 600_000 }), long],
      [onStrings({ minLength: 1_000_001 }), long],
      [onStrings({ pattern: "^(?:a|b)*c" }), "a".repeat(10_000)],
      [onStrings({ format: "uri" }), `http://${long}|`],
      [onArrays({ uniqueItems: true }), [...Array.from({ length: 1000 }, (_, index) => [index]), [0]]],
      [onArrays({ uniqueItems: true, contains: false }), [long, `${long}b`]],
      [onArrays({ contains: { const: 1 }, minContains: 10_000 }), Array(9_999).fill(1)],
    ] as const
  ) {
    const value = nest(60, leaf);
    assert.equal(
      firstKeyword(schema, value, { formats: true, maxSteps: 1_000_000 }),
      "maxSteps",
      JSON.stringify(schema),
    );
  }
});

test("what ends early, and what is taken back, is work too", () => {
  const large = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`k${index}`, index]));
  assert.equal(
    firstKeyword({ anyOf: [{ properties: { k0: false } }, true] }, large, { maxSteps: 3000 }),
    "maxSteps",
  );
  assert.equal(
    firstKeyword({ anyOf: [{ properties: { k0: false } }, true] }, large, { maxSteps: 5000 }),
    undefined,
  );
  const items = { anyOf: [{ type: "null" }, { type: "string" }, { maximum: 1 }] };
  const value = [...Array(1000).fill(1), 2];
  assert.equal(firstKeyword({ items }, value, { maxSteps: 10_000 }), "maxSteps");
  assert.equal(firstKeyword({ items }, value.slice(0, -1), { maxSteps: 10_000 }), undefined);
  assert.equal(firstKeyword({ items }, value), "anyOf");
});

test("an honest value of the largest size is checked to its end", () => {
  const row = {
    type: "object",
    properties: { id: { type: "integer" }, tags: { items: { type: "string" } } },
    required: ["id"],
  };
  const rows = Array.from({ length: 200_000 }, (_, id) => ({ id, tags: ["a", "b"] }));
  assert.equal(firstKeyword({ items: { anyOf: [{ type: "null" }, row] } }, rows), undefined);
  assert.equal(firstKeyword({ items: { type: "integer" } }, Array(2_000_000).fill(1)), undefined);
  assert.equal(firstKeyword({ items: { type: "string" } }, Array(2_000_000).fill(1)), "type");
});

test("uniqueItems takes time in proportion to the size of the array", () => {
  const numbers = Array.from({ length: 300_000 }, (_, index) => index);
  assert.equal(firstKeyword({ uniqueItems: true }, numbers), undefined);
  assert.equal(firstKeyword({ uniqueItems: true }, numbers.map(String)), undefined);
  assert.equal(firstKeyword({ uniqueItems: true }, numbers.map((id) => ({ id }))), undefined);
  assert.equal(firstKeyword({ uniqueItems: true }, [...numbers.map((id) => [id]), [7]]), "uniqueItems");
  assert.equal(firstKeyword({ enum: numbers }, -1), "enum");
  assert.equal(firstKeyword({ items: { enum: numbers } }, numbers), undefined);
  assert.equal(firstKeyword({ const: numbers }, [...numbers]), undefined);
});

test("a string that is too long for an expression is refused without asking it", () => {
  // Takes the square of the length, which is what the limit is for.
  const schema = { pattern: "a*b", patternProperties: { "a*b": true } };
  assert.equal(firstKeyword(schema, "a".repeat(10_000)), "pattern");
  assert.match(compileSchema(schema)("a".repeat(1_000_000))[0]!.message, /at most 10000 characters/);
  assert.match(compileSchema(schema)({ ["a".repeat(1_000_000)]: 1 })[0]!.message, /at most 10000 characters/);
  assert.deepEqual(
    compileSchema({ pattern: "b$" }, { maxPatternInput: 20_001 })(`${"a".repeat(20_000)}b`),
    [],
  );
  assert.equal(
    firstKeyword({ pattern: "b$" }, `${"a".repeat(20_000)}b`, { maxPatternInput: 20_000 }),
    "pattern",
  );
});

test("issues of long names do not add up to a long answer", () => {
  const value = Object.fromEntries(
    Array.from({ length: 200 }, (_, index) => ["n".repeat(10_000) + index, 1]),
  );
  const issues = compileSchema({ additionalProperties: false })(value);
  assert.equal(issues.length, 100);
  assert.ok(JSON.stringify(issues).length < 200_000);
});

test("schemas that nest or multiply without end are refused", () => {
  const circle: Record<string, unknown> = {};
  circle["items"] = circle;
  assert.throws(() => compileSchema(circle), /stands in more than 100 other schemas/);
  assert.throws(() => compileSchema(nest(101, true, (items) => ({ items }))), SchemaError);
  assert.doesNotThrow(() => compileSchema(nest(100, true, (items) => ({ items }))));
  // One object at many places: small to write down, and endless to read.
  assert.throws(
    () => compileSchema(nest(30, true, (schema) => ({ allOf: [schema, schema] }))),
    /one schema too many/,
  );
  assert.throws(() => compileSchema({ const: nest(200, 1) }), /\/const nests deeper/);
  assert.throws(() => compileSchema({ enum: [nest(100_000, 1)] }), /\/enum nests deeper/);
  assert.throws(() => compileSchema({ const: 1n }), /\/const holds a bigint, which is no JSON/);
  const chain = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, index) => [index, { $ref: `#/$defs/${index + 1}` }]),
  );
  const long = { $ref: "#/$defs/0", $defs: { ...chain, 20000: true } };
  assert.throws(() => compileSchema(long), /inside too many others/);
});

test("a value that changes while it is checked is not taken for one that fits", () => {
  const validate = compileSchema({ properties: { a: { type: "number" } } });
  for (let reads = 2; reads < 8; reads++) {
    let left = reads;
    const value = {
      get a() {
        return left-- > 0 ? "a" : 1;
      },
    };
    try {
      assert.equal(validate(value).length, 1);
    } catch (cause) {
      assert.match(String(cause), /TypeError: Cannot check a value that changes/);
    }
  }
});

test("members that a value inherits are none of its own", () => {
  const inherited = Object.create({ a: 1 }) as object;
  assert.equal(firstKeyword({ required: ["a"] }, inherited), "required");
  assert.equal(
    firstKeyword({ properties: { a: false }, maxProperties: 0, additionalProperties: false }, inherited),
    undefined,
  );
  assert.equal(firstKeyword({ const: {} }, inherited), undefined);
  const bare = Object.assign(Object.create(null), { a: 1 });
  assert.equal(firstKeyword({ properties: { a: { type: "string" } } }, bare), "type");
});

test("no code is made from a schema", () => {
  const validate = compileSchema({ properties: { "'];process.exit(1);//": { type: "string" } } });
  assert.equal(validate({ "'];process.exit(1);//": 1 }).length, 1);
  for (const module of modules.filter((module) => module.startsWith("lib/schema/"))) {
    assert.doesNotMatch(codeOf(module), /\beval\b|\bFunction\(|\bimport\(/, module);
  }
});
