/** What does each keyword let through, and what not? One row for each behaviour. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { compileSchema } from "../../lib/schema/mod.ts";

/** A schema, values that fit it, and values that do not. */
type Row = readonly [schema: unknown, fitting: readonly unknown[], failing: readonly unknown[]];

function check(title: string, rows: readonly Row[]): void {
  test(title, () => {
    for (const [schema, fitting, failing] of rows) {
      const validate = compileSchema(schema);
      for (const value of fitting) {
        assert.deepEqual(validate(value), [], inspect([schema, value], { depth: 9 }));
      }
      for (const value of failing) {
        assert.notEqual(validate(value).length, 0, inspect([schema, value], { depth: 9 }));
      }
    }
  });
}

/** Values of every type. */
const EVERYTHING = [null, true, false, 0, 1.5, "", "a", [], [1], {}, { a: 1 }];

/** Parsed, because `__proto__` in a literal means something else. */
const json = (text: string): unknown => JSON.parse(text);

check("boolean schemas fit everything and nothing", [
  [true, EVERYTHING, []],
  [{}, EVERYTHING, []],
  [false, [], EVERYTHING],
]);

check("type tells the seven types apart", [
  [{ type: "null" }, [null], [false, 0, "", [], {}, undefined]],
  [{ type: "boolean" }, [true, false], [null, 0, "true", [], {}]],
  [{ type: "object" }, [{}, { a: 1 }], [null, [], "", 0]],
  [{ type: "array" }, [[], [1]], [null, {}, { length: 0 }, ""]],
  [{ type: "string" }, ["", "a"], [null, 0, ["a"], {}]],
  [{ type: "number" }, [0, -1.5, 1e308], [null, "0", NaN, Infinity, 1n]],
  [{ type: "integer" }, [0, 1.0, -3, 1e300, 9007199254740993], [0.5, "1", NaN, Infinity]],
  [{ type: ["string", "null"] }, ["a", null], [0, false, [], {}]],
  [{ type: ["integer", "number"] }, [1, 1.5], ["1"]],
  [{ type: ["integer", "string"] }, [1, "a"], [1.5]],
]);

check("what JSON cannot say is of no type, and fits where nothing is said of types", [
  [{ type: ["null", "boolean", "object", "array", "number", "string"] }, [], [
    undefined,
    () => 1,
    Symbol(),
    1n,
  ]],
  [{ minLength: 3 }, [undefined, () => 1, 1n], []],
]);

check("const and enum compare by value", [
  [{ const: { a: [1, { b: null }], c: "x" } }, [{ c: "x", a: [1, { b: null }] }], [
    { a: [1, { b: null }] },
    { a: [1, { b: null }], c: "x", d: 1 },
    { a: [{ b: null }, 1], c: "x" },
    null,
    [],
  ]],
  [{ const: null }, [null], [0, false, "", undefined]],
  [{ const: 0 }, [0, -0], [false, null, ""]],
  [{ const: [] }, [[]], [{}, [0], ""]],
  [{ const: {} }, [{}, { a: undefined }], [[], null, { a: null }]],
  [{ enum: [1, "1", [1], { a: 1 }, null] }, [1, "1", [1], { a: 1 }, null], [
    true,
    [1, 1],
    { a: 1, b: 1 },
    {},
  ]],
  [{ enum: [] }, [], EVERYTHING],
  [{ const: json('{"__proto__": 1}') }, [json('{"__proto__": 1}')], [{}, { a: 1 }]],
  [{ const: {} }, [], [json('{"__proto__": 1}')]],
]);

check("bounds of numbers take in or leave out the bound", [
  [{ minimum: 1.1 }, [1.1, 2, "0"], [1, -5]],
  [{ maximum: 3 }, [3, 2.9, []], [3.1]],
  [{ exclusiveMinimum: 1 }, [1.0001], [1, 0.9]],
  [{ exclusiveMaximum: 1 }, [0.9999], [1, 1.1]],
  [{ minimum: 0, maximum: 10, multipleOf: 5 }, [0, 5, 10], [-5, 15, 3]],
]);

check("lengths are counted in code points", [
  [{ maxLength: 2 }, ["", "ab", "😀😀", 100], ["abc", "😀😀😀", "a".repeat(1000)]],
  [{ minLength: 2 }, ["ab", "😀😀", "abc", null], ["", "a", "😀", "\ud83d"]],
  [{ minLength: 2, maxLength: 2 }, ["\ud83d\ud83d", "\ude00\ud83d", "a😀"], ["😀", "\ud83d😀a"]],
  [{ maxLength: 0 }, [""], ["a"]],
]);

check("pattern looks anywhere in the string, by code points", [
  [{ pattern: "b+" }, ["abbc", 5], ["ac", ""]],
  [{ pattern: "^.$" }, ["a", "😀"], ["ab", ""]],
  [{ pattern: "^\\p{Lu}" }, ["Äpfel"], ["äpfel"]],
  [{ pattern: "" }, ["", "a"], []],
]);

check("items and prefixItems divide an array among them", [
  [{ items: { type: "string" } }, [[], ["a", "b"], "a"], [[1], ["a", 1]]],
  [{ prefixItems: [{ type: "string" }, { type: "number" }] }, [[], ["a"], ["a", 1, null]], [[1], ["a", "b"]]],
  [{ prefixItems: [{ type: "string" }], items: { type: "number" } }, [["a"], ["a", 1, 2]], [["a", "b"]]],
  [{ prefixItems: [true], items: false }, [[], [1]], [[1, 2]]],
  [{ minItems: 1, maxItems: 2 }, [[1], [1, 2], {}], [[], [1, 2, 3]]],
]);

check("contains counts the items that fit", [
  [{ contains: { type: "string" } }, [["a"], [1, "a"], "x"], [[], [1]]],
  [{ contains: { type: "string" }, minContains: 2 }, [["a", 1, "b"]], [["a"], []]],
  [{ contains: { type: "string" }, maxContains: 1 }, [["a", 1]], [["a", "b"], []]],
  [{ contains: { type: "string" }, minContains: 0 }, [[], [1], ["a"]], []],
  [{ contains: { type: "string" }, minContains: 0, maxContains: 1 }, [[], ["a"]], [["a", "b"]]],
  [{ minContains: 5, maxContains: 0 }, [[], [1]], []],
]);

check("uniqueItems compares by value", [
  [{ uniqueItems: true }, [
    [],
    [1],
    [1, "1", true, null, [1], { a: 1 }, "null", "[1]", '{"a":1}'],
    [[1, 2], [2, 1], [12], ["1", 2]],
    [{ a: 1, b: 2 }, { a: 2, b: 1 }],
    [["a,b"], ["a", "b"]],
  ], [
    [1, 2, 1.0],
    ["a", "b", "a"],
    [{ a: 1, b: [2] }, { b: [2], a: 1 }],
    [0, -0],
    [[0], [-0]],
    [[{}], [{}]],
    [null, 1, null],
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1],
  ]],
  [{ uniqueItems: false }, [[1, 1]], []],
]);

check("properties, patternProperties and additionalProperties divide an object among them", [
  [{ properties: { a: { type: "string" } } }, [{}, { a: "x" }, { b: 1 }, [], 1], [{ a: 1 }]],
  [{ patternProperties: { "^x-": { type: "string" } } }, [{ "x-a": "a", y: 1 }], [{ "x-a": 1 }]],
  [
    { patternProperties: { a: { type: "string" }, b: { minLength: 2 } } },
    [{ ab: "xx", a: "x" }],
    [{ ab: "x" }, { ab: 1 }],
  ],
  [{ properties: { a: true }, additionalProperties: false }, [{}, { a: 1 }], [{ a: 1, b: 1 }]],
  [{ additionalProperties: { type: "number" } }, [{ a: 1 }], [{ a: "x" }]],
  [
    {
      properties: { aa: { type: "number" } },
      patternProperties: { "^a": { minimum: 2 } },
      additionalProperties: { type: "null" },
    },
    [{ aa: 3, ab: "x", b: null }],
    [{ aa: 1 }, { aa: "3" }, { b: 1 }],
  ],
  [{ properties: { a: false } }, [{}], [{ a: 1 }, { a: null }]],
]);

check("required, dependentRequired and the counts look at members", [
  [{ required: ["a", "b"] }, [{ a: 1, b: null }, [], "a"], [{ a: 1 }, {}]],
  [{ required: [] }, [{}], []],
  [{ properties: { a: {}, b: {} }, required: ["b", "c"] }, [{ c: 1, b: 1 }], [{ b: 1 }, { a: 1, c: 1 }]],
  [{ dependentRequired: { a: ["b"] } }, [{}, { b: 1 }, { a: 1, b: 1 }], [{ a: 1 }]],
  [{ minProperties: 1, maxProperties: 2 }, [{ a: 1 }, { a: 1, b: 2 }, []], [{}, { a: 1, b: 2, c: 3 }]],
  [{ propertyNames: { pattern: "^[a-z]+$" } }, [{}, { a: 1 }, ["A"]], [{ A: 1 }, { a: 1, "": 1 }]],
  [{ propertyNames: false }, [{}], [{ a: 1 }]],
]);

check("members that are undefined are not there, as in JSON", [
  [{ properties: { a: { type: "string" } } }, [{ a: undefined }], []],
  [{ required: ["a"] }, [], [{ a: undefined }]],
  [{ properties: { a: true }, required: ["a"] }, [], [{ a: undefined }]],
  [{ additionalProperties: false, maxProperties: 0, propertyNames: false }, [{ a: undefined }], []],
  [{ unevaluatedProperties: false }, [{ a: undefined }], []],
  [{ dependentRequired: { a: ["b"] } }, [{ a: undefined }], [{ a: 1, b: undefined }]],
  [{ minProperties: 1 }, [], [{ a: undefined }]],
  [{ uniqueItems: true }, [], [[{ a: 1, b: undefined }, { a: 1 }]]],
]);

check("names that every object has are names like others", [
  [{ required: ["toString", "constructor", "__proto__"] }, [
    json('{"toString": 1, "constructor": 1, "__proto__": 1}'),
  ], [{}, json('{"toString": 1, "constructor": 1}')]],
  [{ properties: { constructor: { type: "string" }, valueOf: false } }, [{}, { constructor: "x" }], [
    { constructor: 1 },
  ]],
  [json('{"properties": {"__proto__": {"type": "string"}}}'), [{}, json('{"__proto__": "a"}')], [
    json('{"__proto__": 1}'),
  ]],
  [{ properties: { a: true }, additionalProperties: false }, [{}], [json('{"__proto__": {}}'), {
    toString: 1,
  }]],
  [{ dependentRequired: { toString: ["a"] } }, [{}], [{ toString: 1 }]],
  [{ dependentSchemas: { hasOwnProperty: false } }, [{}], [{ hasOwnProperty: 1 }]],
  [
    json('{"patternProperties": {"^__": {"type": "number"}}, "maxProperties": 1}'),
    [json('{"__proto__": 1}')],
    [
      json('{"__proto__": {}}'),
    ],
  ],
  [{ unevaluatedProperties: false, properties: { a: true } }, [{ a: 1 }], [json('{"__proto__": 1}')]],
  // Members of the keyword itself, and not of what every object inherits.
  [Object.create({ type: "string" }), [1], []],
]);

check("allOf, anyOf, oneOf and not combine schemas", [
  [{ allOf: [{ minimum: 1 }, { maximum: 3 }] }, [2], [0, 4]],
  [{ anyOf: [{ type: "string" }, { minimum: 3 }] }, ["a", 3, null], [2]],
  [{ oneOf: [{ multipleOf: 2 }, { multipleOf: 3 }] }, [2, 3], [6, 5]],
  [{ oneOf: [true, true, false] }, [], [1]],
  [{ not: { type: "string" } }, [1], ["a"]],
  [{ not: { not: { type: "string" } } }, ["a"], [1]],
  [{ allOf: [{ anyOf: [{ const: 1 }, { const: 2 }] }, { not: { const: 2 } }] }, [1], [2, 3]],
]);

check("if decides between then and else", [
  [{ if: { type: "number" }, then: { minimum: 1 }, else: { type: "null" } }, [1, null], [0, "a"]],
  [{ if: { minimum: 1 }, then: false }, [0], [1]],
  [{ if: { minimum: 1 }, else: false }, [1], [0]],
  [{ then: false, else: false }, [1], []],
  [{ if: false }, [1], []],
]);

check("dependentSchemas apply to objects with the member", [
  [{ dependentSchemas: { a: { required: ["b"] }, b: { maxProperties: 2 } } }, [{}, { a: 1, b: 1 }, ["a"]], [
    { a: 1 },
    { b: 1, c: 1, d: 1 },
  ]],
]);

check("unevaluatedProperties sees through everything that is applied in place", [
  [
    {
      properties: { a: true },
      patternProperties: { "^p": true },
      allOf: [{ properties: { b: true } }],
      anyOf: [{ properties: { c: { const: 1 } }, required: ["c"] }, { properties: { d: true } }],
      oneOf: [{ properties: { e: { type: "string" } } }, {
        properties: { f: true },
        required: ["f"],
        not: { required: ["e"] },
      }],
      if: { properties: { g: { const: 1 } }, required: ["g"] },
      then: { properties: { h: true } },
      else: { properties: { i: true } },
      dependentSchemas: { j: { properties: { j: true } } },
      $ref: "#/$defs/k",
      $defs: { k: { properties: { k: true } } },
      unevaluatedProperties: false,
    },
    [{}, { a: 1, b: 1, p1: 1, k: 1 }, { c: 1, d: 1 }, { d: 1 }, { e: "" }, { g: 1, h: 1 }, { i: 1 }, {
      j: 1,
    }],
    [{ z: 1 }, { c: 2 }, { g: 2 }, { h: 1 }, { g: 1, i: 1 }],
  ],
  [{ unevaluatedProperties: { type: "number" }, properties: { a: true } }, [{ a: "x", b: 1 }], [{ b: "x" }]],
  [{ additionalProperties: true, unevaluatedProperties: false }, [{ a: 1 }], []],
  [{ not: { properties: { a: true }, required: ["a"], minProperties: 5 }, unevaluatedProperties: false }, [
    {},
  ], [{ a: 1 }]],
  [{ allOf: [{ properties: { a: true }, unevaluatedProperties: false }], properties: { b: true } }, [{
    a: 1,
  }], [{ b: 1 }]],
  [{ allOf: [{ unevaluatedProperties: true }], unevaluatedProperties: false }, [{ a: 1 }], []],
  [
    {
      properties: { x: { properties: { a: true }, unevaluatedProperties: false } },
      unevaluatedProperties: false,
    },
    [{ x: { a: 1 } }],
    [{ x: { b: 1 } }, { a: 1 }, { x: { a: 1 }, a: 1 }],
  ],
  [{ not: { properties: { a: true }, required: ["b"] }, unevaluatedProperties: false }, [{}], [{ a: 1 }]],
  [
    { anyOf: [{ allOf: [{ unevaluatedProperties: true }, false] }, true], unevaluatedProperties: false },
    [{}],
    [{ a: 1 }],
  ],
  [{ if: { properties: { a: true } }, unevaluatedProperties: false }, [{ a: 1 }], [{ b: 1 }]],
  // What a string is held against says nothing of the object around it.
  [
    {
      not: { properties: { x: { anyOf: [false], unevaluatedProperties: false } } },
      properties: { x: true },
      unevaluatedProperties: false,
    },
    [{ x: "a" }],
    [{ x: "a", y: 1 }],
  ],
]);

check("unevaluatedItems sees through everything that is applied in place", [
  [{ prefixItems: [true], unevaluatedItems: false }, [[], [1]], [[1, 2]]],
  [{ allOf: [{ prefixItems: [true, true] }], prefixItems: [true], unevaluatedItems: false }, [[1, 2]], [[
    1,
    2,
    3,
  ]]],
  [{ items: true, unevaluatedItems: false }, [[1, 2]], []],
  [{ contains: { type: "string" }, unevaluatedItems: { type: "number" } }, [["a", 1], [1, "a", 2]], [[
    "a",
    null,
  ]]],
  [{ anyOf: [{ prefixItems: [{ const: 1 }] }, true], unevaluatedItems: false }, [[1], []], [[2], [1, 2]]],
  [{ allOf: [{ unevaluatedItems: true }], unevaluatedItems: false }, [[1]], []],
  [{ anyOf: [{ contains: { const: 1 }, const: [] }, true], unevaluatedItems: false }, [[]], [[1]]],
  [
    { allOf: [{ contains: { const: 1 }, unevaluatedProperties: false }], unevaluatedItems: false },
    [[1], [1, 1]],
    [[1, 2]],
  ],
  // What stands beside a schema is not in it.
  [{ if: { prefixItems: [true] }, then: { unevaluatedItems: false } }, [[], 1], [[1]]],
  [{ allOf: [{ contains: true }, { unevaluatedItems: false }] }, [], [[1]]],
  [{ unevaluatedItems: false, unevaluatedProperties: false }, [[], {}, "a"], [[1], { a: 1 }]],
]);

check("annotations refuse nothing", [
  [
    {
      title: "t",
      description: "d",
      default: 1,
      deprecated: true,
      readOnly: true,
      writeOnly: true,
      examples: [1],
      $comment: "c",
      format: "uri",
      contentEncoding: "base64",
      contentMediaType: "application/json",
      contentSchema: { type: "null" },
      "x-unknown": { type: "null" },
      $vocabulary: { "https://example.org/": true },
    },
    EVERYTHING,
    [],
  ],
]);
