/** Rejected schemas: those that the meta-schema rejects, with the place, and those that cannot be compiled. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { compileSchema, SchemaError, walkSchema } from "../../../lib/formats/schema/mod.ts";
import { table } from "../../harness/table.ts";

const META = "https://json-schema.org/draft/2020-12/schema";

/** Keywords, a valid value that contains a schema X, other valid values, and invalid values, as JSON. */
const KEYWORDS = table(String.raw`
  items contains additionalProperties propertyNames if then else not                 | X         | true {} | null 1 "a" [] [true]
  unevaluatedItems unevaluatedProperties contentSchema                               | X         | true {} | null 1 "a" [] [true]
  allOf anyOf oneOf prefixItems                    | [true,X]     | [true] [{},{"type":"string"}] | null 1 {} [] [1] true [true,null]
  $defs definitions properties patternProperties dependentSchemas | {"a/b":X} | {} {"a":true} | null 1 [] true {"a":1} {"a":null}
  const default                                    |              | null 1 "a" [] {} |
  enum examples                                    |              | [] [1,"a",null] | null 1 {} "a"
  $comment title description format pattern contentEncoding contentMediaType |    | "a" | null 1 {} []
  $ref $dynamicRef                                 |              | "#" | null 1 {} []
  uniqueItems deprecated readOnly writeOnly        |              | true false | null 1 "true"
  $vocabulary                                      |              | {} {"urn:a":true} | null [] {"urn:a":1}
  minimum maximum exclusiveMinimum exclusiveMaximum |             | 0 -1.5 1e308 | null "1" []
  multipleOf                                       |              | 0.1 1e308 5e-324 | null "1" 0 -1
  maxLength minLength maxItems minItems maxContains minContains maxProperties minProperties | | 0 1 2.0 | null "1" -1 0.5
  required                                         |              | [] ["a","b"] | null "a" {} [1] ["a","a"]
  dependentRequired                                |              | {} {"a":["b"]} | null [] {"a":"b"} {"a":["b","b"]}
  type                                             |              | "string" ["string","null"] | null "text" [] ["string","string"] ["text"] {} [["null"]]
  $id                                              |              | "" "urn:a" "a#" | null 1 "a#b"
  $anchor $dynamicAnchor                           |              | "a" "_a-1.b" | null "" "1a" "#a" "ä" "a:b"
  $schema                                          |              | "${META}" "${META}#" | null "http://json-schema.org/draft-07/schema#" "x"
`).flatMap(([keywords, holder, ...values]) => {
  const [good = [], bad = []] = values.map((text): unknown[] =>
    text.split(" ").filter(Boolean).map((value) => JSON.parse(value))
  );
  return keywords.split(" ").map((keyword) => ({ keyword, holder, good, bad }));
});

/** The place of X in the value of a keyword. */
const PATHS: Readonly<Record<string, string>> = { "X": "", "[true,X]": "/1", '{"a/b":X}': "/a~1b" };

function errorOf(schema: unknown): SchemaError | undefined {
  try {
    compileSchema(schema);
    return undefined;
  } catch (cause) {
    assert.ok(cause instanceof SchemaError, String(cause));
    return cause;
  }
}

test("compileSchema() and the meta-schema check the value of every keyword, and of the schemas in it", () => {
  const meta = compileSchema({ $ref: META });
  for (const { keyword, holder, good, bad } of KEYWORDS) {
    for (const value of good) {
      // A root that refers to itself is invalid for another reason.
      const schema = value === "#" ? { items: { [keyword]: value } } : { [keyword]: value };
      assert.equal(errorOf(schema), undefined, `${keyword} ${JSON.stringify(value)}`);
      assert.deepEqual(meta(schema), []);
    }
    for (const value of bad) {
      const error = errorOf({ [keyword]: value });
      assert.ok(error, `${keyword} ${JSON.stringify(value)}`);
      assert.ok(error.pointer.startsWith(`/${keyword}`), error.message);
      assert.match(error.message, /^Cannot compile the schema: \/\S+ [a-z]/);
      // The meta-schema accepts all dialects.
      const isUri = keyword === "$schema" && typeof value === "string";
      assert.equal(meta({ [keyword]: value })[0]?.path.startsWith(`/${keyword}`), isUri ? undefined : true);
    }
    if (holder) {
      const schema = JSON.parse(`{"${keyword}":${holder.replace("X", '{"minLength":-1}')}}`);
      const pointer = `/${keyword}${PATHS[holder]}/minLength`;
      assert.deepEqual([errorOf(schema)?.pointer, meta(schema)[0]?.path], [pointer, pointer]);
    }
    assert.equal(errorOf({ [keyword]: undefined }), undefined, "a keyword that is undefined is absent");
  }
  for (const keyword of ["minimum", "multipleOf", "maxLength"]) assert.ok(errorOf({ [keyword]: NaN }));
  const others = [{ maximum: Infinity }, { const: NaN }, { const: 1n }, { enum: [{ a: () => 1 }] }];
  for (const schema of others) assert.ok(errorOf(schema));
});

test("compileSchema() rejects values that are not schemas, and patterns that need another flag than u", () => {
  const message = "Cannot compile the schema: its root must be a schema: an object, true or false";
  for (const schema of [null, undefined, 1, "a", [], () => true]) {
    assert.equal(errorOf(schema)?.message, message);
  }
  const rows = [
    [{ pattern: "(" }, "/pattern"],
    [{ pattern: "\\Z" }, "/pattern"],
    [{ patternProperties: { "a/(": true } }, "/patternProperties/a~1("],
    [{ $defs: { unused: { pattern: "(" } } }, "/$defs/unused/pattern"],
    [{ items: { pattern: "[" } }, "/items/pattern"],
  ] as const;
  for (const [schema, pointer] of rows) {
    const error = errorOf(schema);
    assert.equal(error?.pointer, pointer);
    assert.match(error.message, /is not an ECMAScript regular expression/);
    assert.ok(error.cause instanceof SyntaxError);
  }
});

test("compileSchema() rejects schemas that apply to the same value endlessly", () => {
  const endless = String.raw`
    {"$ref": "#"}
    {"allOf": [{"$ref": "#"}]}
    {"anyOf": [true, {"$ref": "#"}]}
    {"not": {"$ref": "#"}}
    {"if": {"$ref": "#"}}
    {"dependentSchemas": {"a": {"$ref": "#"}}}
    {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"oneOf": [{"$ref": "#/$defs/a"}]}}}
    {"items": {"$ref": "#/$defs/a"}, "$defs": {"a": {"$dynamicRef": "#b"}, "b": {"$dynamicAnchor": "b", "$ref": "#/$defs/a"}}}
    {"$defs": {"a": {"$ref": "#/$defs/a"}}, "properties": {"x": {"$ref": "#/$defs/a"}}}
  `.trim().split("\n");
  for (const schema of endless) {
    assert.match(errorOf(JSON.parse(schema))?.message ?? "", /refers to itself for the same value/, schema);
  }
  assert.equal(errorOf({ $defs: { unused: { $ref: "#/$defs/unused" } } }), undefined);
  const descending = { properties: { a: { $ref: "#" } }, items: { $ref: "#" }, contains: { $ref: "#" } };
  assert.equal(errorOf(descending), undefined);
});

test("compileSchema() rejects invalid limits", () => {
  for (const name of ["maxIssues", "maxSteps"]) {
    for (const limit of [0, -1, 1.5, NaN, Infinity]) {
      assert.throws(() => compileSchema(true, { [name]: limit }), RangeError, `${name} ${limit}`);
    }
    assert.doesNotThrow(() => compileSchema(true, { [name]: undefined }));
  }
});

test("walkSchema() visits every schema in a schema, outer ones first, with its pointer", () => {
  for (const { keyword, holder } of KEYWORDS) {
    const seen: string[] = [];
    const schema = JSON.parse(`{"${keyword}":${(holder || "X").replace("X", "{}")}}`);
    walkSchema(schema, (_, at) => void seen.push(at));
    assert.deepEqual(seen, holder ? ["", `/${keyword}${PATHS[holder]}`] : [""], keyword);
  }
  // Values that are not schemas are skipped, and so are those for which the function returns false.
  const odd = { items: 1, allOf: "a", properties: null, anyOf: [null, { not: { not: {} } }] };
  const seen: string[] = [];
  walkSchema(odd, (_, pointer) => seen.push(pointer) < 3);
  assert.deepEqual(seen, ["", "/anyOf/1", "/anyOf/1/not"]);
  // Changes apply before the inner schemas are visited.
  const changed = { old: { type: "string" } };
  walkSchema(changed, (schema) => {
    if ("old" in schema) Object.assign(schema, { items: schema["old"] });
    else schema["type"] = "null";
  });
  assert.deepEqual(changed, { old: { type: "null" }, items: { type: "null" } });
  const circle: Record<string, unknown> = {};
  circle["items"] = circle;
  assert.throws(() => walkSchema(circle, () => true), /is inside more than 100 other schemas/);
});
