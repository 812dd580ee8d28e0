/** References: pointers, anchors and URIs within the schema, dynamic ones, the meta-schema; and rejected ones. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { compileSchema } from "../../../lib/formats/schema/mod.ts";

const TEXT = { type: "string" };

/** Asserts that a schema accepts strings and rejects numbers. */
function findsText(schema: object): void {
  const validate = compileSchema(schema);
  assert.deepEqual(validate("a"), [], JSON.stringify(schema));
  assert.equal(validate(1).length, 1, JSON.stringify(schema));
}

test("references follow pointers, anchors and URIs within the document", () => {
  const schemas = String.raw`
    {"$ref": "#/$defs/a", "$defs": {"a": TEXT}}
    {"$ref": "#/definitions/a", "definitions": {"a": TEXT}}
    {"$ref": "#/$defs/a~1b~0c%25", "$defs": {"a/b~c%": TEXT}}
    {"$ref": "#/$defs/a%22b", "$defs": {"a\"b": TEXT}}
    {"$ref": "#/$defs/", "$defs": {"": TEXT}}
    {"$ref": "#/anyOf/1/not/not", "anyOf": [true, {"not": {"not": TEXT}}]}
    {"$ref": "#/$defs/a/$defs/b", "$defs": {"a": {"$defs": {"b": TEXT}}}}
    {"$ref": "#a", "$defs": {"x": {"$anchor": "a", "allOf": [TEXT]}}}
    {"$ref": "#a", "$defs": {"x": {"$dynamicAnchor": "a", "allOf": [TEXT]}}}
    {"$ref": "https://example.org/a", "$defs": {"a": {"$id": "https://example.org/a", "allOf": [TEXT]}}}
    {"$ref": "https://example.org/a#", "$defs": {"a": {"$id": "https://example.org/a#", "allOf": [TEXT]}}}
    {"$id": "https://example.org/x/root", "$ref": "../a", "$defs": {"a": {"$id": "/a", "allOf": [TEXT]}}}
    {"$ref": "a.json", "$defs": {"a": {"$id": "a.json", "allOf": [TEXT]}}}
    {"$ref": "a.json#/$defs/b", "$defs": {"a": {"$id": "a.json", "$defs": {"b": TEXT}}}}
    {"$ref": "a.json#b", "$defs": {"a": {"$id": "a.json", "$defs": {"b": {"$anchor": "b", "allOf": [TEXT]}}}}}
    {"$ref": "urn:x:a#b", "$defs": {"a": {"$id": "urn:x:a", "$defs": {"b": {"$anchor": "b", "allOf": [TEXT]}}}}}
    {"$id": "urn:example:root", "$ref": "#/$defs/a", "$defs": {"a": TEXT}}
    {"$id": "a.json", "$ref": "a.json#/$defs/b", "$defs": {"b": TEXT}}
    {"$id": "http://a/b/c/d;p?q", "$ref": "../../g?y#z", "$defs": {"a": {"$id": "http://a/g?y", "$anchor": "z", "allOf": [TEXT]}}}
    {"$id": "http://a/b/c/d;p?q", "$ref": ";x", "$defs": {"a": {"$id": "./e/../;x", "allOf": [TEXT]}}}
    {"$id": "http://a/b", "$ref": "//c", "$defs": {"a": {"$id": "http://c", "allOf": [TEXT]}}}
    {"$id": "http://a", "$ref": "g", "$defs": {"a": {"$id": "http://a/g", "allOf": [TEXT]}}}
    {"$id": "a/b/c.json", "$ref": "../item.json", "$defs": {"a": {"$id": "/a/item.json", "allOf": [TEXT]}}}
    {"$id": "urn:x:a", "$ref": "urn:x:b", "$defs": {"a": {"$id": "urn:x:b", "allOf": [TEXT]}}}

    {"$ref": "#/under-an-unknown-keyword/a", "under-an-unknown-keyword": {"a": TEXT}}
    {"$ref": "#/x/a/$ref", "x": {"a": {"$ref": TEXT}}}
    {"$ref": "#/x/0", "x": [{"$ref": "#/x/1"}, TEXT]}
    {"$ref": "urn:a#/x/y", "$defs": {"a": {"$id": "urn:a", "x": {"y": {"$ref": "#/$defs/b"}}, "$defs": {"b": TEXT}}}}
    {"$id": "urn:a", "$ref": "#/x", "x": {"$id": "b", "$ref": "#/$defs/c", "$defs": {"c": TEXT}}}

    {"$dynamicRef": "#/$defs/a", "$defs": {"a": {"$dynamicAnchor": "a", "allOf": [TEXT]}}}
    {"$dynamicRef": "#a", "$defs": {"a": {"$anchor": "a", "allOf": [TEXT]}}}
    {"$dynamicRef": "urn:b#a", "$defs": {"b": {"$id": "urn:b", "$defs": {"a": {"$dynamicAnchor": "a", "allOf": [TEXT]}}}}}
  `.replaceAll("TEXT", JSON.stringify(TEXT)).split("\n").filter((row) => row.trim() !== "");
  for (const schema of schemas) findsText(JSON.parse(schema));
});

test("a reference is relative to the nearest $id around it", () => {
  const inner = {
    $id: "folder/inner",
    properties: { deep: { $ref: "text" } },
    $defs: { text: { $id: "text", type: "string" } },
  };
  const validate = compileSchema({
    $id: "https://example.org/root",
    properties: { a: { $ref: "folder/inner" }, b: { $ref: "folder/inner#/properties/deep" } },
    $defs: { text: { $id: "text", type: "number" }, inner },
  });
  assert.deepEqual(validate({ a: { deep: "a" }, b: "a" }), []);
  const found = validate({ a: { deep: 1 }, b: 1 }).map(({ path, schemaPath }) => `${path} ${schemaPath}`);
  assert.deepEqual(found, ["/a/deep", "/b"].map((path) => `${path} /$defs/inner/$defs/text/type`));
});

test("one object may be at several places of a schema, with the meaning of each place", () => {
  const shared = { $ref: "#/$defs/x" };
  const validate = compileSchema({
    properties: { a: shared, b: { $id: "urn:b", allOf: [shared], $defs: { x: { type: "number" } } } },
    $defs: { x: TEXT },
  });
  assert.deepEqual(validate({ a: "a", b: 1 }), []);
  const found = validate({ a: 1, b: "a" }).map(({ schemaPath }) => schemaPath);
  assert.deepEqual(found, ["/$defs/x/type", "/properties/b/$defs/x/type"]);
});

test("$dynamicRef resolves to the outermost schema with that anchor", () => {
  const tree = {
    $id: "urn:tree",
    $dynamicAnchor: "node",
    type: "object",
    properties: { data: true, children: { type: "array", items: { $dynamicRef: "#node" } } },
  };
  const closed = { $dynamicAnchor: "node", $ref: "urn:tree", unevaluatedProperties: false };
  const strict = { $id: "urn:strict", ...closed, $defs: { tree } };
  const pathsOf = (schema: object, value: unknown) => compileSchema(schema)(value).map(({ path }) => path);
  assert.deepEqual(pathsOf(tree, { children: [{ daat: 1 }] }), []);
  assert.deepEqual(pathsOf(strict, { children: [{ data: 1 }] }), []);
  assert.deepEqual(pathsOf(strict, { children: [{ daat: 1 }] }), ["/children/0/daat"]);
  // The same schema in both contexts.
  const both = {
    properties: { tree: { $ref: "urn:tree" }, strict: { $ref: "urn:strict" } },
    $defs: { strict },
  };
  const bothPaths = (loose: unknown, child: unknown) =>
    pathsOf(both, { tree: { children: [loose] }, strict: { children: [child] } });
  assert.deepEqual(bothPaths({ daat: 1 }, { data: 1 }), []);
  assert.deepEqual(bothPaths(1, { daat: 1 }), ["/tree/children/0", "/strict/children/0/daat"]);
});

const BASE = "https://json-schema.org/draft/2020-12";

test("the meta-schema is known by its URI, and its issues name the keyword that failed", () => {
  const validate = compileSchema({ items: { $ref: `${BASE}/schema` } });
  assert.deepEqual(validate([true, { type: "string", properties: { a: { minLength: 1 } } }]), []);
  const [issue] = validate([{ properties: { a: { minLength: -1 } } }]);
  assert.equal(issue?.path, "/0/properties/a/minLength");
  assert.equal(issue.keyword, "minimum");
  assert.equal(issue.schemaPath, `${BASE}/schema#/properties/minLength/minimum`);
  // A schema with the same URI in the document takes precedence.
  assert.deepEqual(compileSchema({ $ref: `${BASE}/schema`, $defs: { a: { $id: `${BASE}/schema` } } })(5), []);
});

test("a reference without a target is rejected, also in unused schemas; nothing is fetched", () => {
  const reasons = {
    "points outside of the schema; nothing is fetched, so put the target into $defs":
      `https://example.org/a http://json-schema.org/draft-07/schema# ${BASE}/meta/core other.json`,
    "has no target in the schema":
      "#/$defs/nothing #nothing #/$defs/text/type #/toString #/__proto__ #/$defs/%zz " +
      "#/$defs/~2 #/list/00 #/list/length #/list/-1",
  };
  for (const [reason, references] of Object.entries(reasons)) {
    for (const reference of references.split(" ")) {
      for (const keyword of ["$ref", "$dynamicRef"]) {
        const inner = { [keyword]: reference };
        for (const place of ["items", "$defs/inner"]) {
          const schema = { $defs: { text: TEXT, ...(place === "items" ? {} : { inner }) }, list: [true] };
          const message = `Cannot compile the schema: /${place}/${keyword} ${reason}`;
          const compile = () => compileSchema(place === "items" ? { ...schema, items: inner } : schema);
          assert.throws(compile, { name: "SchemaError", message });
        }
      }
    }
  }
  assert.doesNotThrow(() => compileSchema({ items: { $ref: "#/$defs" }, $defs: { text: TEXT } }));
});

test("two schemas with the same name are rejected", () => {
  const rows = [
    [{ $defs: { a: { $anchor: "x" }, b: { $anchor: "x" } } }, "/$defs/b/$anchor"],
    [{ $anchor: "x", items: { $dynamicAnchor: "x" } }, "/items/$dynamicAnchor"],
    [{ $defs: { a: { $id: "urn:a" }, b: { $id: "urn:a" } } }, "/$defs/b/$id"],
    [{ $id: "urn:a", $defs: { a: { $id: "urn:a" } } }, "/$defs/a/$id"],
  ] as const;
  for (const [schema, pointer] of rows) {
    assert.throws(() => compileSchema(schema), { name: "SchemaError", pointer });
  }
  // The same anchor in another resource is allowed, and one schema may have both kinds.
  const both = { $anchor: "x", $dynamicAnchor: "x", items: { $id: "urn:a", $anchor: "x" } };
  assert.doesNotThrow(() => compileSchema(both));
});
