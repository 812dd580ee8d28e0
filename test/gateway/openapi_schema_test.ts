/** Schemas of OpenAPI keep their meaning: in both versions, for what is sent and for what is answered. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Written } from "./gateways.ts";
import { compileSchema } from "../../lib/schema/mod.ts";
import { toolsOf } from "./gateways.ts";

const V30 = "3.0.3";
const V31 = "3.1.0";
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** Whether values fit the body of an operation with this schema. */
function fits(schema: unknown, values: readonly unknown[], openapi = V30, schemas: Written = {}): boolean[] {
  const requestBody = { content: { "application/json": { schema } }, required: true };
  const [tool] = toolsOf({ requestBody, responses: {} }, { openapi, components: { schemas } }, "post");
  const check = compileSchema(tool!.definition.inputSchema);
  return values.map((body) => check({ body }).length === 0);
}

/** A schema, its version, values that fit and values that do not, and the components that it refers to. */
type Row = readonly [
  schema: unknown,
  openapi: string,
  good: readonly unknown[],
  bad: readonly unknown[],
  components?: Written,
];

function checkRows(rows: readonly Row[]): void {
  for (const [schema, openapi, good, bad, components = {}] of rows) {
    const wanted = [...good.map(() => true), ...bad.map(() => false)];
    assert.deepEqual(fits(schema, [...good, ...bad], openapi, components), wanted, JSON.stringify(schema));
  }
}

const BOUNDS = { type: "integer", minimum: 1, exclusiveMinimum: true, maximum: 3, exclusiveMaximum: false };
const TREE = {
  Tree: {
    type: "object",
    properties: { value: { type: "integer" }, children: { type: "array", items: ref("Tree") } },
  },
  "a.b/c~d e": { type: "integer" },
  Name: { type: "string" },
};

test("each version has its own null, its own exclusive bounds, and its own meaning beside a reference", () => {
  checkRows([
    [{ type: "string", nullable: true }, V30, ["a", null], [1]],
    [{ type: "string", nullable: true, enum: ["a"] }, V30, ["a", null], ["b"]],
    [{ type: "string", nullable: true }, V31, ["a"], [null]],
    [{ type: ["string", "null"] }, V31, ["a", null], [1]],
    [BOUNDS, V30, [2, 3], [1, 4]],
    [{ ...BOUNDS, exclusiveMinimum: false, exclusiveMaximum: true }, V30, [1, 2], [0, 3]],
    [{ type: "integer", exclusiveMinimum: 1, maximum: 3 }, V31, [2, 3], [1, 4]],
    [{ ...ref("Name"), maxLength: 1 }, V30, ["ab"], [1], TREE],
    [{ ...ref("Name"), maxLength: 1 }, V31, ["a"], ["ab"], TREE],
  ]);
});

test("references may lead in circles, and into any part of the document", () => {
  const nested = (value: unknown) => ({ value: 1, children: [{ children: [{ value }] }] });
  checkRows([
    [ref("Tree"), V30, [nested(2)], [nested("2")], TREE],
    [ref("a.b~1c~0d%20e"), V30, [1], ["1"], TREE],
    [ref("Tree/properties/value"), V30, [1], ["1"], TREE],
  ]);
});

test("all of allOf holds, and the whole is closed where it names all its members", () => {
  const components = {
    Pet: { type: "object", required: ["name"], properties: { name: { type: "string" } } },
    Dog: { allOf: [ref("Pet"), { type: "object", properties: { bark: { type: "boolean" } } }] },
    Free: { type: "object" },
    Map: { type: "object", additionalProperties: { type: "integer" } },
    Open: { oneOf: [ref("Dog"), ref("Free")] },
    Either: { anyOf: [ref("Dog"), { type: "string" }] },
    Mixed: { allOf: [ref("Pet"), ref("Free")] },
  };
  checkRows([
    [ref("Dog"), V30, [{ name: "a", bark: true }], [{ bark: true }, { name: "a", brak: true }], components],
    [ref("Free"), V30, [{ anything: 1 }], [1], components],
    [ref("Map"), V30, [{ a: 1 }], [{ a: "1" }], components],
    [ref("Open"), V30, [{ anything: 1 }], [1], components],
    [ref("Either"), V30, ["a", { name: "a" }], [{ name: "a", brak: true }], components],
    [ref("Mixed"), V30, [{ name: "a", anything: 1 }], [{ anything: 1 }], components],
  ]);
});

test("members that are only answered are not sent, and need not be", () => {
  const components = {
    Id: { type: "integer", readOnly: true },
    User: {
      type: "object",
      required: ["id", "name", "created"],
      properties: {
        id: ref("Id"),
        name: { type: "string" },
        created: { type: "string", readOnly: true },
        password: { type: "string", writeOnly: true },
      },
    },
  };
  checkRows([
    [
      ref("User"),
      V30,
      [{ name: "a", password: "b" }],
      [{ name: "a", id: 1 }, { name: "a", created: "" }, {}],
      components,
    ],
    [
      { type: "object", properties: { user: ref("User") } },
      V30,
      [{ user: { name: "a" } }],
      [{ user: { name: "a", id: 1 } }],
      components,
    ],
  ]);
});

test("a member that is only answered is required by no part of the whole, wherever a part stands", () => {
  const Base = {
    type: "object",
    properties: { id: { type: "integer", readOnly: true }, name: { type: "string" } },
  };
  const components = {
    Base,
    Demanding: { type: "object", required: ["id", "name"], properties: { name: { type: "string" } } },
    Again: { allOf: [ref("Demanding"), { required: ["id"] }] },
    Wrapped: { type: "object", properties: { id: { allOf: [{ type: "integer" }], readOnly: true } } },
  };
  const wholes = [
    { allOf: [ref("Base"), { type: "object", required: ["id", "name"] }] },
    { allOf: [ref("Base"), ref("Demanding")] },
    { allOf: [ref("Again"), { allOf: [ref("Base")] }] },
    { allOf: [ref("Base")], required: ["id", "name"] },
    { allOf: [ref("Base"), { oneOf: [ref("Demanding"), { type: "object", required: ["never"] }] }] },
    { allOf: [ref("Wrapped"), ref("Demanding")] },
  ];
  checkRows(
    wholes.map((whole): Row => [whole, V30, [{ name: "a" }], [{ name: "a", id: 1 }, {}], components]),
  );
  const both = { type: "object", properties: { a: ref("Demanding"), b: wholes[1] } };
  checkRows([
    // Where nothing says that it is only answered, it is required as before.
    [ref("Demanding"), V30, [], [{ name: "a" }], components],
    [both, V30, [{ b: { name: "a" } }], [{ a: { name: "a" } }], components],
    // What only chooses between alternatives goes on choosing.
    [{ ...Base, oneOf: [{ required: ["id"] }, { required: ["name"] }] }, V30, [{ name: "a" }], [{}]],
  ]);
});

test("beside a reference, only 3.1 says that a member is only answered", () => {
  const components = {
    Id: { type: "integer" },
    Own: { ...ref("Id"), readOnly: true },
    Base: {
      type: "object",
      properties: { id: { type: "integer", readOnly: true }, name: { type: "string" } },
    },
  };
  const required = ["id", "name"];
  const [without, withId] = [{ name: "a" }, { name: "a", id: 1 }];
  for (const id of [{ ...ref("Id"), readOnly: true }, ref("Own")]) {
    const schema = { type: "object", required, properties: { id, name: { type: "string" } } };
    checkRows([[schema, V31, [without], [withId], components], [
      schema,
      V30,
      [withId],
      [without],
      components,
    ]]);
  }
  checkRows([[{ ...ref("Base"), required }, V31, [without], [withId, {}], components]]);
});

test("patterns of other dialects are read as what they mean, and left out where they mean nothing", () => {
  checkRows([
    [{ type: "string", pattern: "^[a-z]+$" }, V30, ["a"], ["A"]],
    [{ type: "string", pattern: "^[\\w\\-\\@\\ ]+\\:\\_$" }, V30, ["a-@ :_", "a:_"], ["a#:_"]],
    [{ type: "string", pattern: "(?<" }, V30, ["anything"], [1]],
    [{ type: "string", pattern: "\\p{IsGreek}" }, V30, ["anything"], [1]],
  ]);
});

test("a schema that nests too deep, or is none, is not served", () => {
  let deep: unknown = { type: "string" };
  for (let level = 0; level < 50; level++) deep = { type: "object", properties: { a: deep } };
  assert.throws(() => fits(deep, []), /nests deeper than 48 levels/);
  assert.throws(() => fits("string", []), /neither an object nor a boolean/);
});

test("an answer is held to names and types, and not to what APIs do not keep to", () => {
  const User = {
    type: "object",
    required: ["id", "name"],
    additionalProperties: false,
    properties: {
      id: { type: "integer", format: "int64" },
      name: { type: "string", maxLength: 1, enum: ["a"], pattern: "^a$", format: "email" },
      one: { oneOf: [{ type: "object" }, { type: "object", properties: { a: {} } }] },
      next: ref("User"),
    },
  };
  const responses = { 200: { content: { "application/json": { schema: ref("User") } } } };
  const [tool] = toolsOf({ responses }, { components: { schemas: { User } } });
  const check = compileSchema(tool!.definition.outputSchema);
  const numbers = [{ id: "12345678901234567890" }, { id: null, name: null }];
  for (const value of [{}, { name: "long" }, ...numbers, { more: 1 }, { one: { a: 1 } }, { next: null }]) {
    assert.deepEqual(check(value), [], JSON.stringify(value));
  }
  for (const value of [null, [], { id: true }, { name: 1 }, { next: { name: 1 } }]) {
    assert.notDeepEqual(check(value), []);
  }
});
