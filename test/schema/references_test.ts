import assert from "node:assert/strict";
import { test } from "node:test";
import { compileSchema, SchemaError } from "../../lib/schema/mod.ts";

const TEXT = { type: "string" };

/** Asserts that a schema tells a string from a number. */
function findsText(schema: object): void {
  const validate = compileSchema(schema);
  assert.deepEqual(validate("a"), [], JSON.stringify(schema));
  assert.equal(validate(1).length, 1, JSON.stringify(schema));
}

test("$ref follows pointers, anchors and URIs within the document", () => {
  for (
    const schema of [
      { $ref: "#/$defs/a", $defs: { a: TEXT } },
      { $ref: "#/definitions/a", definitions: { a: TEXT } },
      { $ref: "#/$defs/a~1b~0c%25", $defs: { "a/b~c%": TEXT } },
      { $ref: "#/$defs/a%22b", $defs: { 'a"b': TEXT } },
      { $ref: "#/$defs/", $defs: { "": TEXT } },
      { $ref: "#/anyOf/1/not/not", anyOf: [true, { not: { not: TEXT } }] },
      { $ref: "#/$defs/a/$defs/b", $defs: { a: { $defs: { b: TEXT } } } },
      { $ref: "#a", $defs: { x: { $anchor: "a", ...TEXT } } },
      { $ref: "#a", $defs: { x: { $dynamicAnchor: "a", ...TEXT } } },
      { $ref: "https://example.org/a", $defs: { a: { $id: "https://example.org/a", ...TEXT } } },
      { $ref: "https://example.org/a#", $defs: { a: { $id: "https://example.org/a#", ...TEXT } } },
      { $id: "https://example.org/x/root", $ref: "../a", $defs: { a: { $id: "/a", ...TEXT } } },
      { $ref: "a.json", $defs: { a: { $id: "a.json", ...TEXT } } },
      { $ref: "a.json#/$defs/b", $defs: { a: { $id: "a.json", $defs: { b: TEXT } } } },
      { $ref: "a.json#b", $defs: { a: { $id: "a.json", $defs: { b: { $anchor: "b", ...TEXT } } } } },
      {
        $ref: "urn:example:a#b",
        $defs: { a: { $id: "urn:example:a", $defs: { b: { $anchor: "b", ...TEXT } } } },
      },
      { $id: "urn:example:root", $ref: "#/$defs/a", $defs: { a: TEXT } },
      { $id: "a.json", $ref: "a.json#/$defs/b", $defs: { b: TEXT } },
    ]
  ) findsText(schema);
});

test("$ref may lead under a keyword that is not known, to what is then a schema", () => {
  findsText({ $ref: "#/x-schemas/a", "x-schemas": { a: TEXT } });
  findsText({ $ref: "#/x/a/$ref", x: { a: { $ref: TEXT } } });
  findsText({ $ref: "#/x/0", x: [{ $ref: "#/x/1" }, TEXT] });
  findsText({
    $ref: "urn:a#/x/y",
    $defs: { a: { $id: "urn:a", x: { y: { $ref: "#/$defs/b" } }, $defs: { b: TEXT } } },
  });
  findsText({ $id: "urn:a", $ref: "#/x", x: { $id: "b", $ref: "#/$defs/c", $defs: { c: TEXT } } });
});

test("$ref stands beside other keywords", () => {
  const validate = compileSchema({ $ref: "#/$defs/a", maxLength: 2, $defs: { a: TEXT } });
  assert.deepEqual(validate(1).map(({ keyword }) => keyword), ["type"]);
  assert.deepEqual(validate("abc").map(({ keyword }) => keyword), ["maxLength"]);
});

test("a reference is relative to the nearest $id around it", () => {
  const schema = {
    $id: "https://example.org/root",
    properties: { a: { $ref: "folder/inner" }, b: { $ref: "folder/inner#/properties/deep" } },
    $defs: {
      text: { $id: "text", type: "number" },
      inner: {
        $id: "folder/inner",
        properties: { deep: { $ref: "text" } },
        $defs: { text: { $id: "text", type: "string" } },
      },
    },
  };
  const validate = compileSchema(schema);
  assert.deepEqual(validate({ a: { deep: "a" }, b: "a" }), []);
  assert.deepEqual(validate({ a: { deep: 1 }, b: 1 }).map(({ path, schemaPath }) => [path, schemaPath]), [
    ["/a/deep", "/$defs/inner/$defs/text/type"],
    ["/b", "/$defs/inner/$defs/text/type"],
  ]);
});

test("one object may stand at several places of a schema, and means what it means there", () => {
  const shared = { $ref: "#/$defs/x" };
  const validate = compileSchema({
    properties: {
      a: shared,
      b: { $id: "urn:b", allOf: [shared], $defs: { x: { type: "number" } } },
    },
    $defs: { x: { type: "string" } },
  });
  assert.deepEqual(validate({ a: "a", b: 1 }), []);
  assert.deepEqual(validate({ a: 1, b: "a" }).map(({ schemaPath }) => schemaPath), [
    "/$defs/x/type",
    "/properties/b/$defs/x/type",
  ]);
});

test("schemas that refer to themselves check values of any depth", () => {
  const validate = compileSchema({
    type: "object",
    properties: { children: { type: "array", items: { $ref: "#" } }, name: { type: "string" } },
    additionalProperties: false,
  });
  assert.deepEqual(validate({ children: [{ children: [{ name: "a" }] }, {}] }), []);
  assert.deepEqual(validate({ children: [{ children: [{ name: 1 }] }, { x: 1 }] }).map(({ path }) => path), [
    "/children/0/children/0/name",
    "/children/1/x",
  ]);
});

test("$dynamicRef leads to the outermost schema of the name", () => {
  const tree = {
    $id: "urn:tree",
    $dynamicAnchor: "node",
    type: "object",
    properties: { data: true, children: { type: "array", items: { $dynamicRef: "#node" } } },
  };
  const strict = {
    $id: "urn:strict",
    $dynamicAnchor: "node",
    $ref: "urn:tree",
    unevaluatedProperties: false,
    $defs: { tree },
  };
  assert.deepEqual(compileSchema(tree)({ children: [{ daat: 1 }] }), []);
  assert.deepEqual(compileSchema(strict)({ children: [{ data: 1 }] }), []);
  assert.deepEqual(compileSchema(strict)({ children: [{ daat: 1 }] }).map(({ path }) => path), [
    "/children/0/daat",
  ]);
  // The same schema in both ways, side by side.
  const both = compileSchema({
    properties: { tree: { $ref: "urn:tree" }, strict: { $ref: "urn:strict" } },
    $defs: { strict },
  });
  assert.deepEqual(both({ tree: { children: [{ daat: 1 }] }, strict: { children: [{ data: 1 }] } }), []);
  assert.deepEqual(
    both({ tree: { children: [1] }, strict: { children: [{ daat: 1 }] } }).map(({ path }) => path),
    ["/tree/children/0", "/strict/children/0/daat"],
  );
});

test("$dynamicRef is a $ref where no dynamic anchor is meant", () => {
  findsText({ $dynamicRef: "#/$defs/a", $defs: { a: { $dynamicAnchor: "a", ...TEXT } } });
  findsText({ $dynamicRef: "#a", $defs: { a: { $anchor: "a", ...TEXT } } });
  findsText({
    $dynamicRef: "urn:b#a",
    $defs: { b: { $id: "urn:b", $defs: { a: { $dynamicAnchor: "a", ...TEXT } } } },
  });
});

test("the meta-schema and its vocabularies are known by their URIs", () => {
  const base = "https://json-schema.org/draft/2020-12";
  const validate = compileSchema({ items: { $ref: `${base}/schema` } });
  assert.deepEqual(validate([true, { type: "string", properties: { a: { minLength: 1 } } }]), []);
  assert.deepEqual(
    validate([{ properties: { a: { minLength: -1 } } }]).map(({ path, keyword, schemaPath }) => ({
      path,
      keyword,
      schemaPath,
    })),
    [{
      path: "/0/properties/a/minLength",
      keyword: "minimum",
      schemaPath: `${base}/meta/validation#/$defs/nonNegativeInteger/minimum`,
    }],
  );
  const applicator = compileSchema({ $ref: `${base}/meta/applicator` });
  assert.deepEqual(applicator({ minLength: -1, allOf: [{ minLength: -1 }] }), []);
  assert.equal(applicator({ allOf: [{ allOf: [] }] }).length, 1);
  // Whoever brings one along means that one.
  assert.deepEqual(compileSchema({ $ref: `${base}/schema`, $defs: { a: { $id: `${base}/schema` } } })(5), []);
});

test("a reference that leads out of the schema is refused, and never followed", () => {
  for (
    const [$ref, reason] of [
      [
        "https://example.org/a",
        /SchemaError: Cannot compile the schema: \/items\/\$ref leads out of the schema/,
      ],
      ["http://json-schema.org/draft-07/schema#", /leads out of the schema/],
      ["other.json", /leads out of the schema/],
      ["#/$defs/nothing", /: \/items\/\$ref leads to nothing/],
      ["#nothing", /leads to nothing/],
      ["#/$defs", undefined],
      ["#/$defs/text/type", /leads to nothing/],
      ["#/toString", /leads to nothing/],
      ["#/__proto__", /leads to nothing/],
      ["#/$defs/%zz", /leads to nothing/],
      ["#/list/00", /leads to nothing/],
      ["#/list/length", /leads to nothing/],
      ["#/list/-1", /leads to nothing/],
    ] as const
  ) {
    for (const keyword of ["$ref", "$dynamicRef"]) {
      const compile = () =>
        compileSchema({ items: { [keyword]: $ref }, $defs: { text: TEXT }, list: [true] });
      if (reason === undefined) assert.doesNotThrow(compile);
      else assert.throws(compile, keyword === "$ref" ? reason : SchemaError, $ref);
    }
  }
});

test("a reference in a schema that nobody uses is held to the same", () => {
  const unused = { $defs: { a: { items: { $ref: "other.json" } }, b: { $dynamicRef: "#nothing" } } };
  assert.throws(() => compileSchema(unused), /: \/\$defs\/a\/items\/\$ref leads out of the schema/);
  assert.throws(() => compileSchema({ $defs: { b: unused.$defs.b } }), /\/b\/\$dynamicRef leads to nothing/);
});

test("two schemas of one name are refused", () => {
  for (
    const [schema, pointer] of [
      [{ $defs: { a: { $anchor: "x" }, b: { $anchor: "x" } } }, "/$defs/b/$anchor"],
      [{ $anchor: "x", items: { $dynamicAnchor: "x" } }, "/items/$dynamicAnchor"],
      [{ $defs: { a: { $id: "urn:a" }, b: { $id: "urn:a" } } }, "/$defs/b/$id"],
      [{ $id: "urn:a", $defs: { a: { $id: "urn:a" } } }, "/$defs/a/$id"],
    ] as const
  ) {
    assert.throws(
      () => compileSchema(schema),
      (cause) => cause instanceof SchemaError && cause.pointer === pointer,
    );
  }
  // The same name in another resource is another name, and one schema may have both kinds.
  assert.doesNotThrow(() =>
    compileSchema({ $anchor: "x", $dynamicAnchor: "x", items: { $id: "urn:a", $anchor: "x" } })
  );
});
