/** Which schemas are refused? All that the meta-schema refuses, with the place, and some that could not be checked. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { compileSchema, SchemaError } from "../../lib/schema/mod.ts";
import { KEYWORDS } from "../../lib/schema/keywords.ts";

/** Values that a keyword with schemas, of each form, may have. */
const GOOD: Readonly<Record<string, readonly unknown[]>> = {
  "schema": [true, {}, { type: "string" }],
  "schema list": [[true], [{}, { type: "string" }]],
  "schemas by name": [{}, { a: true }],
  "anything": [null, 1, "a", [], {}],
  "list": [[], [1, "a", null]],
  "text": ["a"],
  "flag": [true, false],
  "flags by name": [{}, { "urn:a": true }],
  "number": [0, -1.5, 1e308],
  "positive number": [0.1, 1e308, 5e-324],
  "count": [0, 1, 2.0],
  "names": [[], ["a", "b"]],
  "names by name": [{}, { a: ["b"] }],
  "types": ["string", ["string", "null"]],
  "identifier": ["", "urn:a", "a#"],
  "anchor": ["a", "_a-1.b"],
  "dialect": [
    "https://json-schema.org/draft/2020-12/schema",
    "https://json-schema.org/draft/2020-12/schema#",
  ],
};

const BAD: Readonly<Record<string, readonly unknown[]>> = {
  "schema": [null, 1, "a", [], [true]],
  "schema list": [null, 1, {}, [], [1], true, [true, null]],
  "schemas by name": [null, 1, [], true, { a: 1 }, { a: null }],
  "anything": [],
  "list": [null, 1, {}, "a"],
  "text": [null, 1, {}, []],
  "flag": [null, 1, "true"],
  "flags by name": [null, [], { "urn:a": 1 }],
  "number": [null, "1", NaN, Infinity, []],
  "positive number": [null, "1", 0, -1, NaN],
  "count": [null, "1", -1, 0.5, NaN],
  "names": [null, "a", {}, [1], ["a", "a"]],
  "names by name": [null, [], { a: "b" }, { a: ["b", "b"] }],
  "types": [null, "text", [], ["string", "string"], ["text"], {}],
  "identifier": [null, 1, "a#b"],
  "anchor": [null, "", "1a", "a b", "#a", "ä"],
  "dialect": [
    null,
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft/2019-09/schema",
    "x",
  ],
};

/** Where an invalid schema stands when it is put under a keyword of each form. */
function placesOf(keyword: string): readonly [schema: unknown, pointer: string][] {
  const wrong = { minLength: -1 };
  switch (KEYWORDS.get(keyword)) {
    case "schema":
      return [[{ [keyword]: wrong }, `/${keyword}/minLength`]];
    case "schema list":
      return [[{ [keyword]: [true, wrong] }, `/${keyword}/1/minLength`]];
    case "schemas by name":
      return [[{ [keyword]: { "a/b": wrong } }, `/${keyword}/a~1b/minLength`]];
    default:
      return [];
  }
}

function refusalOf(schema: unknown): SchemaError | undefined {
  try {
    compileSchema(schema);
    return undefined;
  } catch (cause) {
    assert.ok(cause instanceof SchemaError, String(cause));
    return cause;
  }
}

test("compileSchema() holds every keyword against what may stand behind it", () => {
  for (const [keyword, form] of KEYWORDS) {
    const beside = keyword === "$ref" || keyword === "$dynamicRef" ? { $defs: { a: { $anchor: "a" } } } : {};
    for (const value of GOOD[form]!) {
      const said = beside.$defs ? `#${value}` : value;
      assert.equal(
        refusalOf({ [keyword]: said, ...beside }),
        undefined,
        `${keyword} ${JSON.stringify(value)}`,
      );
    }
    for (const value of BAD[form]!) {
      const refusal = refusalOf({ [keyword]: value });
      assert.ok(refusal, `${keyword} ${JSON.stringify(value)}`);
      assert.ok(refusal.pointer.startsWith(`/${keyword}`), refusal.message);
      assert.match(refusal.message, /^Cannot compile the schema: \/\S+ [a-z]/);
    }
    for (const [schema, pointer] of placesOf(keyword)) {
      assert.equal(refusalOf(schema)?.pointer, pointer);
    }
    assert.equal(refusalOf({ [keyword]: undefined }), undefined, "what is undefined is not there");
  }
});

test("compileSchema() refuses what is no schema", () => {
  for (const schema of [null, undefined, 1, "a", [], () => true]) {
    assert.equal(
      refusalOf(schema)?.message,
      "Cannot compile the schema: its root must be a schema: an object, true or false",
    );
  }
});

test("compileSchema() refuses expressions that are none with the flag u", () => {
  assert.match(refusalOf({ pattern: "(" })!.message, /\/pattern is not a regular expression/);
  assert.match(refusalOf({ pattern: "\\Z" })!.message, /\/pattern is not a regular expression/);
  assert.equal(refusalOf({ patternProperties: { "a/(": true } })?.pointer, "/patternProperties/a~1(");
  assert.equal(refusalOf({ $defs: { unused: { pattern: "(" } } })?.pointer, "/$defs/unused/pattern");
  assert.ok(refusalOf({ items: { pattern: "[" } })?.cause instanceof SyntaxError);
});

test("compileSchema() refuses schemas that would be asked about one value forever", () => {
  for (
    const schema of [
      { $ref: "#" },
      { allOf: [{ $ref: "#" }] },
      { anyOf: [true, { $ref: "#" }] },
      { not: { $ref: "#" } },
      { if: { $ref: "#" } },
      { dependentSchemas: { a: { $ref: "#" } } },
      { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { oneOf: [{ $ref: "#/$defs/a" }] } } },
      {
        items: { $ref: "#/$defs/a" },
        $defs: { a: { $dynamicRef: "#b" }, b: { $dynamicAnchor: "b", $ref: "#/$defs/a" } },
      },
      { $defs: { a: { $ref: "#/$defs/a" } }, properties: { x: { $ref: "#/$defs/a" } } },
    ]
  ) {
    assert.match(
      refusalOf(schema)?.message ?? "",
      /refers to itself for the same value/,
      JSON.stringify(schema),
    );
  }
  // Nobody asks these.
  assert.equal(refusalOf({ $defs: { a: { $ref: "#/$defs/a" } } }), undefined);
  assert.equal(
    refusalOf({ properties: { a: { $ref: "#" } }, items: { $ref: "#" }, contains: { $ref: "#" } }),
    undefined,
  );
});

test("compileSchema() refuses limits that are none", () => {
  for (const name of ["maxIssues", "maxDepth", "maxSteps", "maxPatternInput"]) {
    for (const limit of [0, -1, 1.5, NaN, Infinity]) {
      assert.throws(() => compileSchema(true, { [name]: limit }), RangeError, `${name} ${limit}`);
    }
    assert.doesNotThrow(() => compileSchema(true, { [name]: undefined }));
  }
  assert.throws(() => compileSchema(true, { maxDepth: 1001 }), /must be an integer from 1 to 1000/);
  assert.throws(() => compileSchema(true, { maxPatternInput: 1_000_001 }), RangeError);
});
