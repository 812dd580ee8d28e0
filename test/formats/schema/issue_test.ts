/** The issues of values that do not match: their places, messages, order and number. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Issue } from "../../../lib/formats/schema/mod.ts";
import { compileSchema } from "../../../lib/formats/schema/mod.ts";
import { table } from "../../harness/table.ts";

const issuesOf = (schema: unknown, value: unknown): Issue[] =>
  compileSchema(schema, { formats: true })(value);

test("the message of every keyword is one sentence with the expected and the actual, and does not quote the value", () => {
  const rows = table(String.raw`
    false | 1 | Expected no value, but there is one.
    {"type": "string"} | 1 | Expected a string, but got an integer.
    {"type": ["object", "null", "array"]} | 1.5 | Expected an object, null or an array, but got a number.
    {"const": "a"} | "b" | Expected "a", but got a string.
    {"enum": ["a", 1, null]} | [] | Expected "a", 1 or null, but got an array.
    {"enum": []} | true | Expected no value, but got a boolean.
    {"minimum": 1} | 0 | Expected a number of at least 1, but this one is not.
    {"maximum": 1} | 2 | Expected a number of at most 1, but this one is not.
    {"exclusiveMinimum": 1} | 1 | Expected a number above 1, but this one is not.
    {"exclusiveMaximum": 1} | 1 | Expected a number below 1, but this one is not.
    {"multipleOf": 0.01} | 0.015 | Expected a multiple of 0.01, but this number is not.
    {"maxLength": 1} | "😀😀" | Expected a string of at most 1 character, but this one has 2.
    {"pattern": "^a"} | "b" | Expected a string that matches the pattern "^a", but this one does not.
    {"format": "uuid"} | "b" | Expected a string in the format "uuid", but this one is not.
    {"minItems": 2} | [1] | Expected at least 2 items, but this array has 1.
    {"maxItems": 1} | [1, 2] | Expected at most 1 item, but this array has 2.
    {"uniqueItems": true} | [0, {}, {}] | Expected items that all differ, but those at 1 and 2 are equal.
    {"contains": true} | [] | Expected at least 1 item to fit "contains", but 0 do.
    {"contains": true, "maxContains": 1} | [1, 2] | Expected at most 1 item to fit "contains", but more do.
    {"required": ["a"]} | {} | Expected a member "a", but it is missing.
    {"dependentRequired": {"a": ["b"]}} | {"a": 1} | Expected a member "b" next to "a", but it is missing.
    {"minProperties": 2} | {} | Expected at least 2 members, but this object has 0.
    {"maxProperties": 0} | {"a": 1} | Expected at most 0 members, but this object has 1.
    {"propertyNames": {"maxLength": 1}} | {"ab": 1} | The name of the member: Expected a string of at most 1 character, but this one has 2.
    {"properties": {"a": {}, "b": {}}, "additionalProperties": false} | {"c": 1} | Expected only the members "a" and "b", but this is another one.
    {"additionalProperties": false} | {"c": 1} | Expected no member of this name, but there is one.
    {"properties": {"a": {}}, "unevaluatedProperties": false} | {"c": 1} | Expected only members that the schema names, such as "a", but this is another one.
    {"prefixItems": [{}], "items": false} | [1, 2] | Expected at most 1 item, but this is one more.
    {"anyOf": [false]} | 1 | Expected a value that fits at least one of 1 schema, but it fits none.
    {"anyOf": [{"type": "integer"}, {"type": "string", "format": "uuid"}]} | "abc" | Expected an integer or a string in the format "uuid", but it fits none.
    {"oneOf": [{"type": ["null", "array"]}, {"type": "string"}]} | {} | Expected null or an array or a string, but it fits none.
    {"oneOf": [{"type": "null"}, {"required": ["a"]}]} | {} | Expected a value that fits exactly one of 2 schemas, but it fits none.
    {"oneOf": [true, true]} | 1 | Expected a value that fits exactly one of 2 schemas, but it fits those at 0 and 1.
    {"not": true} | 1 | Expected a value that does not fit the schema under "not", but this one does.
  `);
  for (const [schema, value, message] of rows) {
    assert.equal(issuesOf(JSON.parse(schema), JSON.parse(value))[0]?.message, message);
  }
  assert.equal(issuesOf({ type: "integer" }, undefined)[0]?.message, "Expected an integer, but got nothing.");
  const infinite = issuesOf({ type: "number" }, Infinity)[0]?.message;
  assert.equal(infinite, "Expected a number, but got a number that JSON cannot represent.");
});

test("every mismatch is reported, in the order of the value", () => {
  const schema = {
    type: "object",
    properties: { a: { type: "string" }, b: { items: { minimum: 3, multipleOf: 2 } } },
    required: ["c", "d"],
    additionalProperties: false,
  };
  const found = issuesOf(schema, { a: 1, b: [1, 4], e: 1 }).map(({ path, keyword }) => `${path} ${keyword}`);
  const wanted = [
    "/a type",
    "/b/0 minimum",
    "/b/0 multipleOf",
    "/e additionalProperties",
    " required",
    " required",
  ];
  assert.deepEqual(found, wanted);
  assert.equal(issuesOf({ propertyNames: { maxLength: 0 } }, { a: 1, b: 2 }).length, 2);
  const one = { type: "string", minLength: 2, pattern: "^b", format: "date", const: "bb", not: true };
  assert.equal(issuesOf(one, "a").map(({ keyword }) => keyword).join(), "minLength,pattern,format,const,not");
});

test("anyOf and oneOf report the issues of each branch, only if no branch matches", () => {
  const branches = [{ required: ["b"] }, { properties: { a: { type: "string" } } }];
  const issues = issuesOf({ anyOf: branches }, { a: 1 });
  const lines = issues.map(({ path, schemaPath }) => `${path} ${schemaPath}`);
  assert.deepEqual(lines, [" /anyOf", " /anyOf/0/required", "/a /anyOf/1/properties/a/type"]);
  const rows = [
    [{ oneOf: branches }, { a: 1 }, 3],
    [{ oneOf: [...branches, true, true] }, { a: 1 }, 1],
    [{ oneOf: [...branches, true] }, { a: 1 }, 0],
    [{ anyOf: branches, minProperties: 2 }, { a: "a" }, 1],
    [{ allOf: [{ anyOf: branches }, false] }, { a: "a" }, 1],
    [{ not: { anyOf: branches }, if: { anyOf: branches }, else: false }, { a: 1 }, 1],
  ] as const;
  for (const [schema, value, number] of rows) {
    assert.equal(issuesOf(schema, value).length, number, JSON.stringify(schema));
  }
});

test("members that a failing schema evaluated are not also reported as unknown", () => {
  const a = { properties: { a: { type: "string" } } };
  for (const schema of [{ allOf: [a] }, { $ref: "#/$defs/a", $defs: { a } }, { if: true, then: a }]) {
    const issues = issuesOf({ ...schema, unevaluatedProperties: false }, { a: 1, b: 1 });
    assert.deepEqual(issues.map(({ path }) => path), ["/a", "/b"]);
  }
});

test("the issues of alternatives are those of the alternatives that were probably meant", () => {
  const kind = (name: string, ...required: string[]) => ({
    type: "object",
    properties: { type: { enum: [name] } },
    required: ["type", ...required],
  });
  const schema = {
    items: { anyOf: [{ type: "string" }, kind("phone", "code"), kind("mail", "to"), { const: 7 }] },
  };
  const rows: readonly (readonly [value: unknown, ...places: string[]])[] = [
    [{ type: "phone" }, "/0 anyOf", "/0 required"],
    [{ type: "fax" }, "/0 anyOf", "/0/type enum", "/0 required", "/0/type enum", "/0 required", "/0 const"],
    [5, "/0 anyOf", "/0 const"],
  ];
  for (const [value, ...places] of rows) {
    const found = issuesOf(schema, [value]).map(({ path, keyword }) => `${path} ${keyword}`);
    assert.deepEqual(found, places, JSON.stringify(value));
  }
});

test("the number of issues is limited", () => {
  const schema = { items: { anyOf: [{ type: "string" }, { type: "null" }], maximum: 0 } };
  const value = Array.from({ length: 1000 }, () => 1);
  assert.equal(compileSchema(schema)(value).length, 100);
  for (let maxIssues = 1; maxIssues <= 9; maxIssues++) {
    const issues = compileSchema(schema, { maxIssues })(value);
    assert.equal(issues.length, maxIssues);
    // Each item has four; no issue of another kind may replace one that was dropped.
    const [found, all] = [issues, issuesOf(schema, value)].map((some) =>
      new Set(some.map((one) => JSON.stringify(one)))
    );
    assert.equal(found!.size, maxIssues);
    assert.ok([...found!].every((issue) => all!.has(issue)));
  }
});

test("the issues of a matching branch do not count for the limit", () => {
  const schema = {
    allOf: [{ anyOf: [{ items: { type: "string" } }, true] }, { items: { type: "boolean" } }],
  };
  const issues = compileSchema(schema, { maxIssues: 5 })([1, 2, 3, 4, 5, 6, 7]);
  assert.deepEqual(issues.map(({ schemaPath }) => schemaPath), Array(5).fill("/allOf/1/items/type"));
});

test("messages quote a long schema in part", () => {
  const names = Array.from({ length: 1000 }, (_, index) => `name-${index}`);
  for (const schema of [{ enum: names }, { const: names }, { pattern: "a".repeat(5000) }]) {
    const [issue] = compileSchema(schema)("");
    assert.ok(issue!.message.length < 400, issue!.message);
  }
  assert.match(compileSchema({ enum: names })("")[0]!.message, /"name-1", .* or 9\d\d more, but got/);
});

test("a path that is too long is cut to that of an outer value", () => {
  const long = "n".repeat(2000);
  const validate = compileSchema({ additionalProperties: { additionalProperties: { type: "string" } } });
  assert.equal(validate({ a: { [long]: 1 } })[0]?.path, "/a");
  assert.equal(validate({ [long]: { a: 1 } })[0]?.path, "");
  assert.equal(validate({ a: { ["~".repeat(900)]: 1 } })[0]?.path, "/a");
  assert.equal(validate({ a: { ["~".repeat(400)]: 1 } })[0]?.path, `/a/${"~0".repeat(400)}`);
  const deep = compileSchema({ additionalProperties: { $ref: "#" }, type: "object" });
  let value: unknown = 1;
  for (let depth = 0; depth < 200; depth++) value = { "a name of some length": value };
  assert.ok(deep(value)[0]!.path.length <= 1000);
});
