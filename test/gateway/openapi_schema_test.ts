/** Does a schema of OpenAPI keep its meaning? In both versions, in both directions. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Written } from "./gateways.ts";
import { compileSchema } from "../../lib/schema/mod.ts";
import { portable } from "../../lib/gateway/pattern.ts";
import { onlyEndpoint } from "./gateways.ts";

/** Whether values fit the body of an operation with this schema. */
function fits(
  schema: unknown,
  values: readonly unknown[],
  components: Written = {},
  openapi = "3.0.3",
): boolean[] {
  const operation = { requestBody: { content: { "application/json": { schema } } }, responses: {} };
  const { body, definitions } = onlyEndpoint(
    operation,
    { openapi, components: { schemas: components } },
    "/probe",
    "post",
  );
  const check = compileSchema({ ...(body!.schema as object), $defs: definitions });
  return values.map((value) => check(value).length === 0);
}

/** The shape of the answer of an operation with this schema. */
function shapeOf(schema: unknown, components: Written = {}) {
  const operation = { responses: { 200: { content: { "application/json": { schema } } } } };
  const { response } = onlyEndpoint(operation, { components: { schemas: components } });
  return response!;
}

test("nullable of 3.0 and type lists of 3.1 mean that null fits", () => {
  assert.deepEqual(fits({ type: "string", nullable: true }, ["a", null, 1]), [true, true, false]);
  assert.deepEqual(fits({ type: "string", nullable: true, enum: ["a"] }, ["a", null, "b"]), [
    true,
    true,
    false,
  ]);
  assert.deepEqual(fits({ type: ["string", "null"] }, ["a", null, 1], {}, "3.1.0"), [true, true, false]);
  assert.deepEqual(fits({ type: "string", nullable: true }, ["a", null], {}, "3.1.0"), [true, false]);
});

test("exclusive bounds of 3.0 are flags, those of 3.1 numbers", () => {
  const flags = { type: "integer", minimum: 1, exclusiveMinimum: true, maximum: 3, exclusiveMaximum: false };
  assert.deepEqual(fits(flags, [1, 2, 3, 4]), [false, true, true, false]);
  assert.deepEqual(fits({ type: "integer", exclusiveMinimum: 1, maximum: 3 }, [1, 2, 3, 4], {}, "3.1.0"), [
    false,
    true,
    true,
    false,
  ]);
});

test("what stands beside a reference means nothing in 3.0, and something in 3.1", () => {
  const components = { Name: { type: "string" } };
  const schema = { $ref: "#/components/schemas/Name", maxLength: 1 };
  assert.deepEqual(fits(schema, ["ab", 1], components), [true, false]);
  assert.deepEqual(fits(schema, ["ab", "a"], components, "3.1.0"), [false, true]);
});

test("references may lead in circles, and into any part of the document", () => {
  const components = {
    Tree: {
      type: "object",
      properties: {
        value: { type: "integer" },
        children: { type: "array", items: { $ref: "#/components/schemas/Tree" } },
      },
    },
    "a.b/c~d e": { type: "integer" },
  };
  const tree = { $ref: "#/components/schemas/Tree" };
  assert.deepEqual(
    fits(tree, [{ value: 1, children: [{ children: [{ value: 2 }] }] }, {
      children: [{ children: [{ value: "2" }] }],
    }], components),
    [true, false],
  );
  assert.deepEqual(fits({ $ref: "#/components/schemas/a.b~1c~0d%20e" }, [1, "1"], components), [true, false]);
  assert.deepEqual(fits({ $ref: "#/components/schemas/Tree/properties/value" }, [1, "1"], components), [
    true,
    false,
  ]);
});

test("inheritance: all of allOf holds, and the whole is closed where it names all its members", () => {
  const components = {
    Pet: { type: "object", required: ["name"], properties: { name: { type: "string" } } },
    Dog: {
      allOf: [{ $ref: "#/components/schemas/Pet" }, {
        type: "object",
        properties: { bark: { type: "boolean" } },
      }],
    },
    Free: { type: "object" },
    Map: { type: "object", additionalProperties: { type: "integer" } },
    Open: { oneOf: [{ $ref: "#/components/schemas/Dog" }, { $ref: "#/components/schemas/Free" }] },
  };
  const of = (name: string, values: unknown[]) =>
    fits({ $ref: `#/components/schemas/${name}` }, values, components);
  assert.deepEqual(of("Dog", [{ name: "a", bark: true }, { bark: true }, { name: "a", brak: true }]), [
    true,
    false,
    false,
  ]);
  assert.deepEqual(of("Free", [{ anything: 1 }]), [true]);
  assert.deepEqual(of("Map", [{ a: 1 }, { a: "1" }]), [true, false]);
  assert.deepEqual(of("Open", [{ anything: 1 }]), [true]);
});

test("what is only answered is not sent, and need not be", () => {
  const components = {
    Id: { type: "integer", readOnly: true },
    User: {
      type: "object",
      required: ["id", "name", "created"],
      properties: {
        id: { $ref: "#/components/schemas/Id" },
        name: { type: "string" },
        created: { type: "string", readOnly: true },
        password: { type: "string", writeOnly: true },
      },
    },
  };
  const user = { $ref: "#/components/schemas/User" };
  assert.deepEqual(
    fits(
      user,
      [{ name: "a", password: "b" }, { name: "a", id: 1 }, { name: "a", created: "" }, {}],
      components,
    ),
    [true, false, false, false],
  );
  assert.deepEqual(
    fits(
      { type: "object", properties: { user } },
      [{ user: { name: "a" } }, { user: { name: "a", id: 1 } }],
      components,
    ),
    [true, false],
  );
});

test("what is only answered is demanded by no part of the whole, wherever a part stands", () => {
  const components = {
    Base: {
      type: "object",
      properties: { id: { type: "integer", readOnly: true }, name: { type: "string" } },
    },
    Demanding: { type: "object", required: ["id", "name"], properties: { name: { type: "string" } } },
    Again: { allOf: [{ $ref: "#/components/schemas/Demanding" }, { required: ["id"] }] },
    Wrapped: { type: "object", properties: { id: { allOf: [{ type: "integer" }], readOnly: true } } },
  };
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const wholes = [
    { allOf: [ref("Base"), { type: "object", required: ["id", "name"] }] },
    { allOf: [ref("Base"), ref("Demanding")] },
    { allOf: [ref("Again"), { allOf: [ref("Base")] }] },
    { allOf: [ref("Base")], required: ["id", "name"] },
    { allOf: [ref("Base"), { oneOf: [ref("Demanding"), { type: "object", required: ["never"] }] }] },
    { allOf: [ref("Wrapped"), ref("Demanding")] },
  ];
  for (const whole of wholes) {
    assert.deepEqual(
      fits(whole, [{ name: "a" }, { name: "a", id: 1 }, {}], components),
      [true, false, false],
      JSON.stringify(whole),
    );
  }
  // Where nothing says that it is only answered, it is demanded as before.
  assert.deepEqual(fits(ref("Demanding"), [{ name: "a" }], components), [false]);
  assert.deepEqual(
    fits({ type: "object", properties: { a: ref("Demanding"), b: wholes[1] } }, [
      { b: { name: "a" } },
      { a: { name: "a" } },
    ], components),
    [true, false],
  );
  // What only chooses between forms goes on choosing.
  assert.deepEqual(
    fits({ ...components.Base, oneOf: [{ required: ["id"] }, { required: ["name"] }] }, [{ name: "a" }, {}]),
    [true, false],
  );
});

test("beside a reference, 3.1 says that something is only answered, and demands it of nobody", () => {
  const components = {
    Id: { type: "integer" },
    Own: { $ref: "#/components/schemas/Id", readOnly: true },
    Base: {
      type: "object",
      properties: { id: { type: "integer", readOnly: true }, name: { type: "string" } },
    },
  };
  for (
    const id of [{ $ref: "#/components/schemas/Id", readOnly: true }, { $ref: "#/components/schemas/Own" }]
  ) {
    const schema = {
      type: "object",
      required: ["id", "name"],
      properties: { id, name: { type: "string" } },
    };
    const values = [{ name: "a" }, { name: "a", id: 1 }];
    assert.deepEqual(fits(schema, values, components, "3.1.0"), [true, false]);
    assert.deepEqual(fits(schema, values, components), [false, true]);
  }
  const beside = { $ref: "#/components/schemas/Base", required: ["id", "name"] };
  assert.deepEqual(fits(beside, [{ name: "a" }, { name: "a", id: 1 }, {}], components, "3.1.0"), [
    true,
    false,
    false,
  ]);
});

test("patterns of other dialects are read as what they mean, and left out where they mean nothing", () => {
  assert.equal(portable("^[a-z]+$"), "^[a-z]+$");
  const written = portable("^[\\w\\-\\@\\ ]+\\:\\_$")!;
  assert.deepEqual(["a-@ :_", "a:_", "a#:_"].map((text) => new RegExp(written, "u").test(text)), [
    true,
    true,
    false,
  ]);
  assert.equal(portable("(?<"), undefined);
  assert.equal(portable("\\p{IsGreek}"), undefined);
  assert.deepEqual(fits({ type: "string", pattern: "(?<" }, ["anything", 1]), [true, false]);
});

test("an answer is held to names and types, and not to what APIs do not keep to", () => {
  const { schema, definitions } = shapeOf({ $ref: "#/components/schemas/User" }, {
    User: {
      type: "object",
      required: ["id", "name"],
      additionalProperties: false,
      properties: {
        id: { type: "integer", format: "int64" },
        name: { type: "string", maxLength: 1, enum: ["a"], pattern: "^a$", format: "email" },
        one: { oneOf: [{ type: "object" }, { type: "object", properties: { a: {} } }] },
        next: { $ref: "#/components/schemas/User" },
      },
    },
  });
  const check = compileSchema({ ...(schema as object), $defs: definitions });
  const good = [{}, { id: null, name: null }, { name: "long" }, { id: "12345678901234567890" }, { more: 1 }, {
    one: { a: 1 },
  }, { next: null }];
  for (const value of good) assert.deepEqual(check(value), [], JSON.stringify(value));
  for (const value of [null, [], { id: true }, { name: 1 }, { next: { name: 1 } }]) {
    assert.notDeepEqual(check(value), []);
  }
});
