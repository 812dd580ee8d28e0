/** What each keyword accepts and rejects. A row is a schema, values that match, and values that do not, as JSON. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { compileSchema } from "../../../lib/formats/schema/mod.ts";
import { table } from "../../harness/table.ts";

/** Values of every type; `*` in the rows. */
const EVERYTHING = [null, true, false, 0, 1.5, "", "a", [], [1], {}, { a: 1 }];

function check(schema: unknown, fitting: readonly unknown[], failing: readonly unknown[]): void {
  const validate = compileSchema(schema);
  const shown = (value: unknown) => inspect([schema, value], { depth: 9 });
  for (const value of fitting) assert.deepEqual(validate(value), [], shown(value));
  for (const value of failing) assert.notEqual(validate(value).length, 0, shown(value));
}

const valuesOf = (text = "[]"): unknown[] => text === "*" ? EVERYTHING : JSON.parse(text);

const TABLES: Readonly<Record<string, string>> = {
  "const and enum compare by value": String.raw`
    {"const": {"a": [1, {"b": null}], "c": "x"}} | [{"c": "x", "a": [1, {"b": null}]}] | [{"a": [1, {"b": null}]}, {"a": [1, {"b": null}], "c": "x", "d": 1}, {"a": [{"b": null}, 1], "c": "x"}, null, []]
    {"const": null}                           | [null] | [0, false, ""]
    {"const": 0}                              | [0, -0] | [false, null, ""]
    {"const": []}                             | [[]] | [{}, [0], ""]
    {"const": {}}                             | [{}] | [[], null, {"a": null}, {"__proto__": 1}]
    {"const": {"9": 1, "10": [2]}}            | [{"10": [2], "9": 1}] | [{"9": 1, "10": 2}, {"9": 1}]
    {"const": {"__proto__": 1}}               | [{"__proto__": 1}] | [{}, {"a": 1}]
    {"enum": [1, "1", [1], {"a": 1}, null]}   | [1, "1", [1], {"a": 1}, null] | [true, [1, 1], {"a": 1, "b": 1}, {}]
    {"enum": []}                              | [] | *
  `,
  "bounds of numbers include or exclude the bound": String.raw`
    {"minimum": 1.1}        | [1.1, 2, "0"] | [1, -5]
    {"maximum": 3}          | [3, 2.9, []] | [3.1]
    {"exclusiveMinimum": 1} | [1.0001] | [1, 0.9]
    {"exclusiveMaximum": 1} | [0.9999] | [1, 1.1]
    {"minimum": 0, "maximum": 10, "multipleOf": 5} | [0, 5, 10] | [-5, 15, 3]
  `,
  "lengths are counted in code points": String.raw`
    {"maxLength": 2} | ["", "ab", "😀😀", 100] | ["abc", "😀😀😀", "aaaaaaaaaaaaaaaaaaaaaaaa"]
    {"minLength": 2} | ["ab", "😀😀", "abc", null] | ["", "a", "😀", "\ud83d"]
    {"minLength": 2, "maxLength": 2} | ["\ud83d\ud83d", "\ude00\ud83d", "a😀"] | ["😀", "\ud83d😀a"]
    {"maxLength": 0} | [""] | ["a"]
  `,
  "pattern matches anywhere in the string, by code points": String.raw`
    {"pattern": "b+"}       | ["abbc", 5] | ["ac", ""]
    {"pattern": "^.$"}      | ["a", "😀"] | ["ab", ""]
    {"pattern": "^\\p{Lu}"} | ["Äpfel"] | ["äpfel"]
    {"pattern": ""}         | ["", "a"]
  `,
  "items and prefixItems divide an array": String.raw`
    {"items": {"type": "string"}} | [[], ["a", "b"], "a"] | [[1], ["a", 1]]
    {"prefixItems": [{"type": "string"}, {"type": "number"}]} | [[], ["a"], ["a", 1, null]] | [[1], ["a", "b"]]
    {"prefixItems": [{"type": "string"}], "items": {"type": "number"}} | [["a"], ["a", 1, 2]] | [["a", "b"]]
    {"prefixItems": [true], "items": false} | [[], [1]] | [[1, 2]]
    {"minItems": 1, "maxItems": 2} | [[1], [1, 2], {}] | [[], [1, 2, 3]]
  `,
  "contains counts the items that fit": String.raw`
    {"contains": {"type": "string"}} | [["a"], [1, "a"], "x"] | [[], [1]]
    {"contains": {"type": "string"}, "minContains": 2} | [["a", 1, "b"]] | [["a"], []]
    {"contains": {"type": "string"}, "maxContains": 1} | [["a", 1]] | [["a", "b"], []]
    {"contains": {"type": "string"}, "minContains": 0} | [[], [1], ["a"]]
    {"contains": {"type": "string"}, "minContains": 0, "maxContains": 1} | [[], ["a"]] | [["a", "b"]]
    {"minContains": 5, "maxContains": 0} | [[], [1]]
  `,
  "uniqueItems compares by value": String.raw`
    {"uniqueItems": true}  | [[], [1], [1, "1", true, null, [1], {"a": 1}, "null", "[1]", "{\"a\":1}"], [[1, 2], [2, 1], [12], ["1", 2]], [{"a": 1, "b": 2}, {"a": 2, "b": 1}], [["a,b"], ["a", "b"]]]
    {"uniqueItems": true}  | [] | [[1, 2, 1.0], ["a", "b", "a"], [{"a": 1, "b": [2]}, {"b": [2], "a": 1}], [0, -0], [[0], [-0]], [[{}], [{}]], [null, 1, null], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1]]
    {"uniqueItems": false} | [[1, 1]]
  `,
  "properties, patternProperties and additionalProperties divide an object": String.raw`
    {"properties": {"a": {"type": "string"}}} | [{}, {"a": "x"}, {"b": 1}, [], 1] | [{"a": 1}]
    {"patternProperties": {"^x-": {"type": "string"}}} | [{"x-a": "a", "y": 1}] | [{"x-a": 1}]
    {"patternProperties": {"a": {"type": "string"}, "b": {"minLength": 2}}} | [{"ab": "xx", "a": "x"}] | [{"ab": "x"}, {"ab": 1}]
    {"properties": {"a": true}, "additionalProperties": false} | [{}, {"a": 1}] | [{"a": 1, "b": 1}]
    {"properties": {"a": {"type": "null"}, "b": {"type": "string"}}} | [{"b": "x", "a": null}] | [{"b": "x", "a": 1}, {"b": 1, "a": null}]
    {"additionalProperties": {"type": "number"}} | [{"a": 1}] | [{"a": "x"}]
    {"properties": {"aa": {"type": "number"}}, "patternProperties": {"^a": {"minimum": 2}}, "additionalProperties": {"type": "null"}} | [{"aa": 3, "ab": "x", "b": null}] | [{"aa": 1}, {"aa": "3"}, {"b": 1}]
    {"properties": {"a": false}} | [{}] | [{"a": 1}, {"a": null}]
  `,
  "required, dependentRequired and the counts look at members": String.raw`
    {"required": ["a", "b"]} | [{"a": 1, "b": null}, [], "a"] | [{"a": 1}, {}]
    {"required": []} | [{}]
    {"properties": {"a": {}, "b": {}}, "required": ["b", "c"]} | [{"c": 1, "b": 1}] | [{"b": 1}, {"a": 1, "c": 1}]
    {"dependentRequired": {"a": ["b"]}} | [{}, {"b": 1}, {"a": 1, "b": 1}] | [{"a": 1}]
    {"minProperties": 1, "maxProperties": 2} | [{"a": 1}, {"a": 1, "b": 2}, []] | [{}, {"a": 1, "b": 2, "c": 3}]
    {"propertyNames": {"pattern": "^[a-z]+$"}} | [{}, {"a": 1}, ["A"]] | [{"A": 1}, {"a": 1, "": 1}]
    {"propertyNames": false} | [{}] | [{"a": 1}]
  `,
  "names that every object inherits are names like others": String.raw`
    {"required": ["toString", "constructor", "__proto__"]} | [{"toString": 1, "constructor": 1, "__proto__": 1}] | [{}, {"toString": 1, "constructor": 1}]
    {"properties": {"constructor": {"type": "string"}, "valueOf": false}} | [{}, {"constructor": "x"}] | [{"constructor": 1}]
    {"properties": {"__proto__": {"type": "string"}}} | [{}, {"__proto__": "a"}] | [{"__proto__": 1}]
    {"properties": {"a": true}, "additionalProperties": false} | [{}] | [{"__proto__": {}}, {"toString": 1}]
    {"dependentRequired": {"toString": ["a"]}} | [{}] | [{"toString": 1}]
    {"dependentSchemas": {"hasOwnProperty": false}} | [{}] | [{"hasOwnProperty": 1}]
    {"patternProperties": {"^__": {"type": "number"}}, "maxProperties": 1} | [{"__proto__": 1}] | [{"__proto__": {}}]
    {"unevaluatedProperties": false, "properties": {"a": true}} | [{"a": 1}] | [{"__proto__": 1}]
  `,
  "allOf, anyOf, oneOf, not, if and dependentSchemas combine schemas": String.raw`
    {"allOf": [{"minimum": 1}, {"maximum": 3}]} | [2] | [0, 4]
    {"anyOf": [{"type": "string"}, {"minimum": 3}]} | ["a", 3, null] | [2]
    {"oneOf": [{"multipleOf": 2}, {"multipleOf": 3}]} | [2, 3] | [6, 5]
    {"oneOf": [true, true, false]} | [] | [1]
    {"not": {"type": "string"}} | [1] | ["a"]
    {"not": {"not": {"type": "string"}}} | ["a"] | [1]
    {"allOf": [{"anyOf": [{"const": 1}, {"const": 2}]}, {"not": {"const": 2}}]} | [1] | [2, 3]
    {"if": {"type": "number"}, "then": {"minimum": 1}, "else": {"type": "null"}} | [1, null] | [0, "a"]
    {"if": {"minimum": 1}, "then": false} | [0] | [1]
    {"if": {"minimum": 1}, "else": false} | [1] | [0]
    {"then": false, "else": false} | [1]
    {"if": false} | [1]
    {"dependentSchemas": {"a": {"required": ["b"]}, "b": {"maxProperties": 2}}} | [{}, {"a": 1, "b": 1}, ["a"]] | [{"a": 1}, {"b": 1, "c": 1, "d": 1}]
  `,
  "unevaluatedProperties sees through everything that is applied in place": String.raw`
    {"properties": {"a": true}, "patternProperties": {"^p": true}, "allOf": [{"properties": {"b": true}}], "anyOf": [{"properties": {"c": {"const": 1}}, "required": ["c"]}, {"properties": {"d": true}}], "oneOf": [{"properties": {"e": {"type": "string"}}}, {"properties": {"f": true}, "required": ["f"], "not": {"required": ["e"]}}], "if": {"properties": {"g": {"const": 1}}, "required": ["g"]}, "then": {"properties": {"h": true}}, "else": {"properties": {"i": true}}, "dependentSchemas": {"j": {"properties": {"j": true}}}, "$ref": "#/$defs/k", "$defs": {"k": {"properties": {"k": true}}}, "unevaluatedProperties": false} | [{}, {"a": 1, "b": 1, "p1": 1, "k": 1}, {"c": 1, "d": 1}, {"d": 1}, {"e": ""}, {"g": 1, "h": 1}, {"i": 1}, {"j": 1}] | [{"z": 1}, {"c": 2}, {"g": 2}, {"h": 1}, {"g": 1, "i": 1}]
    {"unevaluatedProperties": {"type": "number"}, "properties": {"a": true}} | [{"a": "x", "b": 1}] | [{"b": "x"}]
    {"additionalProperties": true, "unevaluatedProperties": false} | [{"a": 1}]
    {"not": {"properties": {"a": true}, "required": ["a"], "minProperties": 5}, "unevaluatedProperties": false} | [{}] | [{"a": 1}]
    {"allOf": [{"properties": {"a": true}, "unevaluatedProperties": false}], "properties": {"b": true}} | [{"a": 1}] | [{"b": 1}]
    {"allOf": [{"unevaluatedProperties": true}], "unevaluatedProperties": false} | [{"a": 1}]
    {"properties": {"x": {"properties": {"a": true}, "unevaluatedProperties": false}}, "unevaluatedProperties": false} | [{"x": {"a": 1}}] | [{"x": {"b": 1}}, {"a": 1}, {"x": {"a": 1}, "a": 1}]
    {"not": {"properties": {"a": true}, "required": ["b"]}, "unevaluatedProperties": false} | [{}] | [{"a": 1}]
    {"anyOf": [{"allOf": [{"unevaluatedProperties": true}, false]}, true], "unevaluatedProperties": false} | [{}] | [{"a": 1}]
    {"if": {"properties": {"a": true}}, "unevaluatedProperties": false} | [{"a": 1}] | [{"b": 1}]
    {"not": {"properties": {"x": {"anyOf": [false], "unevaluatedProperties": false}}}, "properties": {"x": true}, "unevaluatedProperties": false} | [{"x": "a"}] | [{"x": "a", "y": 1}]
  `,
  "unevaluatedItems sees through everything that is applied in place": String.raw`
    {"prefixItems": [true], "unevaluatedItems": false} | [[], [1]] | [[1, 2]]
    {"allOf": [{"prefixItems": [true, true]}], "prefixItems": [true], "unevaluatedItems": false} | [[1, 2]] | [[1, 2, 3]]
    {"items": true, "unevaluatedItems": false} | [[1, 2]]
    {"contains": {"type": "string"}, "unevaluatedItems": {"type": "number"}} | [["a", 1], [1, "a", 2]] | [["a", null]]
    {"anyOf": [{"prefixItems": [{"const": 1}]}, true], "unevaluatedItems": false} | [[1], []] | [[2], [1, 2]]
    {"allOf": [{"unevaluatedItems": true}], "unevaluatedItems": false} | [[1]]
    {"anyOf": [{"contains": {"const": 1}, "const": []}, true], "unevaluatedItems": false} | [[]] | [[1]]
    {"allOf": [{"contains": {"const": 1}, "unevaluatedProperties": false}], "unevaluatedItems": false} | [[1], [1, 1]] | [[1, 2]]
    {"if": {"prefixItems": [true]}, "then": {"unevaluatedItems": false}} | [[], 1] | [[1]]
    {"allOf": [{"contains": true}, {"unevaluatedItems": false}]} | [] | [[1]]
    {"unevaluatedItems": false, "unevaluatedProperties": false} | [[], {}, "a"] | [[1], {"a": 1}]
    {"contains": {"type": "string"}, "unevaluatedItems": false} | [["a","b","c","d","e","f","g","h","i","j","k","l","m","n","o","p","q","r"]] | [["a","b","c","d","e","f","g","h","i","j","k","l","m","n","o","p","q","r",1]]
  `,
  "annotations and unknown keywords reject nothing": String.raw`
    {"title": "t", "description": "d", "default": 1, "deprecated": true, "readOnly": true, "writeOnly": true, "examples": [1], "$comment": "c", "format": "uri", "contentEncoding": "base64", "contentMediaType": "application/json", "contentSchema": {"type": "null"}, "x-unknown": {"type": "null"}, "$vocabulary": {"https://example.org/": true}} | *
  `,
};

for (const [title, rows] of Object.entries(TABLES)) {
  test(title, () => {
    for (const [schema, fitting, failing] of table(rows)) {
      check(JSON.parse(schema), valuesOf(fitting), valuesOf(failing));
    }
  });
}

test("type distinguishes the types", () => {
  const values: Readonly<Record<string, readonly unknown[]>> = {
    null: [null],
    boolean: [true, false],
    integer: [0, 1.0, -3, 1e300, 9007199254740993],
    number: [-1.5, 0.5, 1e-7],
    string: ["", "a", "null", "0"],
    array: [[], [1], ["a"]],
    object: [{}, { a: 1 }, { length: 0 }],
  };
  const types = Object.keys(values);
  for (const type of types.flatMap((one) => types.map((other) => one === other ? one : [one, other]))) {
    const isOf = (name: string) =>
      [type].flat().some((one) => one === name || `${one} ${name}` === "number integer");
    const [fitting, failing] = [true, false].map((wanted) =>
      types.filter((name) => isOf(name) === wanted).flatMap((name) => values[name]!)
    );
    check({ type }, fitting!, failing!);
  }
});

test("multipleOf compares numbers as decimals", () => {
  const multiples =
    "0/7 21/7 -21/7 -0/0.3 0.3/0.1 1.1/0.1 -4.35/0.05 19.99/0.01 0.0075/0.0001 4.5/1.5 1e21/1e20 " +
    "123456789.123456/0.000001 1e308/0.5 1e308/1e-8 1.5e300/5e299 9007199254740992/2 5e-324/5e-324 1/5e-324";
  const others =
    "7/2 0.35/0.1 1.000000000000001/0.1 0.00751/0.0001 123456789.1234567/0.000001 1e308/0.123456789 " +
    "9007199254740992/3 1e-7/1 1e300/3e299 NaN/1 Infinity/1";
  for (const [list, isMultiple] of [[multiples, true], [others, false]] as const) {
    for (const [value, multipleOf] of list.split(" ").map((pair) => pair.split("/").map(Number))) {
      check({ multipleOf }, isMultiple ? [value] : [], isMultiple ? [] : [value]);
    }
  }
});

test("values that JSON cannot express have no type, and match schemas without types", () => {
  const strange = [undefined, () => 1, Symbol(), 1n];
  const type = ["null", "boolean", "object", "array", "number", "string"];
  check({ type }, [], [...strange, NaN, Infinity]);
  check({ minLength: 3 }, strange, []);
  check({ const: null }, [], [undefined]);
});

test("undefined members are absent, as in JSON", () => {
  const absent = { a: undefined };
  const closed = { additionalProperties: false, maxProperties: 0, propertyNames: false };
  const fitting = [{ properties: { a: { type: "string" } } }, closed, { unevaluatedProperties: false }];
  for (const schema of [...fitting, { const: {} }]) check(schema, [absent], []);
  const failing = [{ required: ["a"] }, { properties: { a: true }, required: ["a"] }, { minProperties: 1 }];
  for (const schema of failing) check(schema, [], [absent]);
  check({ dependentRequired: { a: ["b"] } }, [absent], [{ a: 1, b: undefined }]);
  check({ uniqueItems: true }, [], [[{ a: 1, b: undefined }, { a: 1 }]]);
  // Inherited keywords are ignored too.
  check(Object.create({ type: "string" }), [1], []);
});
