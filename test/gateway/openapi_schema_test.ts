/** Schemas of OpenAPI keep their meaning: in both versions, for requests and for answers. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { compileSchema } from "../../lib/formats/schema/mod.ts";
import { table } from "../harness/table.ts";
import { createGateway, readOpenApi } from "../../lib/gateway/mod.ts";
import type { Written } from "./gateways.ts";
import { openApi } from "./gateways.ts";

/** JSON in which `"@Name"` is a reference to a component. */
function parse(json: string): unknown {
  return JSON.parse(json.replace(/"@([^"]+)"/g, '{"$ref":"#/components/schemas/$1"}'));
}

const BASE =
  `{"type":"object","properties":{"id":{"type":"integer","readOnly":true},"name":{"type":"string"}}}`;
const COMPONENTS = parse(`{
  "Id": {"type":"integer"},
  "Name": {"type":"string"},
  "Tree": {"type":"object","properties":{"value":{"type":"integer"},"children":{"type":"array","items":"@Tree"}}},
  "a.b/c~d e": {"type":"integer"},
  "Pet": {"type":"object","required":["name"],"properties":{"name":{"type":"string"}}},
  "Dog": {"allOf":["@Pet",{"type":"object","properties":{"bark":{"type":"boolean"}}}]},
  "Closed": {"type":"object","properties":{"name":{"type":"string"}},"additionalProperties":false},
  "Demanded": {"type":"object","required":["name","team_id"],"properties":{"name":{"type":"string"}},"additionalProperties":false},
  "Free": {"type":"object"},
  "Map": {"type":"object","additionalProperties":{"type":"integer"}},
  "Open": {"oneOf":["@Dog","@Free"]},
  "Either": {"anyOf":["@Dog",{"type":"string"}]},
  "Mixed": {"allOf":["@Pet","@Free"]},
  "ReadOnlyId": {"type":"integer","readOnly":true},
  "OwnId": {"$ref":"#/components/schemas/Id","readOnly":true},
  "User": {"type":"object","required":["id","name","created"],"properties":{"id":"@ReadOnlyId","name":{"type":"string"},
    "created":{"type":"string","readOnly":true},"password":{"type":"string","writeOnly":true}}},
  "Base": ${BASE},
  "Demanding": {"type":"object","required":["id","name"],"properties":{"name":{"type":"string"}}},
  "Again": {"allOf":["@Demanding",{"required":["id"]}]},
  "Wrapped": {"type":"object","properties":{"id":{"allOf":[{"type":"integer"}],"readOnly":true}}}
}`);

/** The tool of a document with one operation. Throws if it was skipped. */
function toolOf(operation: Written, rest: Written, method = "get") {
  const description = readOpenApi(openApi({ "/probe": { [method]: operation } }, rest));
  return createGateway({ description, allowDestructive: true }).tools[0]!.definition;
}

/** The check of a value as the body of an operation with this schema. */
function checkOf(schema: unknown, openapi = "3.0.3"): (value: unknown) => boolean {
  const requestBody = { content: { "application/json": { schema } }, required: true };
  const components = { schemas: COMPONENTS };
  const tool = toolOf({ requestBody, responses: {} }, { openapi, components }, "post");
  const check = compileSchema(tool.inputSchema);
  return (body) => check({ body }).length === 0;
}

/** Schemas, their version, values that match, and values that do not. */
const SENT: Readonly<Record<string, string>> = {
  "each version has its own null, its own exclusive bounds, and its own meaning beside a reference": String
    .raw`
    {"type":"string","nullable":true} | 3.0.3 | ["a",null] | [1]
    {"type":"string","nullable":true,"enum":["a"]} | 3.0.3 | ["a",null] | ["b"]
    {"type":"string","nullable":true} | 3.1.0 | ["a",null] | [1]
    {"type":["string","null"]} | 3.1.0 | ["a",null] | [1]
    {"type":"integer","minimum":1,"exclusiveMinimum":true,"maximum":3,"exclusiveMaximum":false} | 3.0.3 | [2,3] | [1,4]
    {"type":"integer","minimum":1,"exclusiveMinimum":false,"maximum":3,"exclusiveMaximum":true} | 3.0.3 | [1,2] | [0,3]
    {"type":"integer","exclusiveMinimum":1,"maximum":3} | 3.1.0 | [2,3] | [1,4]
    {"$ref":"#/components/schemas/Name","maxLength":1} | 3.0.3 | ["ab"] | [1]
    {"$ref":"#/components/schemas/Name","maxLength":1} | 3.1.0 | ["a"] | ["ab"]`,
  "references may lead in circles, and into any part of the document": String.raw`
    "@Tree" | 3.0.3 | [{"value":1,"children":[{"children":[{"value":2}]}]}] | [{"children":[{"children":[{"value":"2"}]}]}]
    "@a.b~1c~0d%20e" | 3.0.3 | [1] | ["1"]
    "@Tree/properties/value" | 3.0.3 | [1] | ["1"]`,
  "all of allOf holds, and the whole is closed where the document closes it": String.raw`
    "@Dog" | 3.0.3 | [{"name":"a","bark":true},{"name":"a","more":true}] | [{"bark":true},{"name":"a","bark":1}]
    "@Closed" | 3.0.3 | [{"name":"a"}] | [{"name":"a","more":1}]
    "@Free" | 3.0.3 | [{"anything":1}] | [1]
    "@Map" | 3.0.3 | [{"a":1}] | [{"a":"1"}]
    "@Open" | 3.0.3 | [{"anything":1}] | [1]
    "@Either" | 3.0.3 | ["a",{"name":"a"}] | [{"name":1},{"bark":true}]
    "@Mixed" | 3.0.3 | [{"name":"a","anything":1}] | [{"anything":1}]`,
  "members that are only answered may be sent, and need not be": String.raw`
    "@User" | 3.0.3 | [{"name":"a","password":"b"},{"name":"a","id":1,"created":"x"}] | [{"name":"a","id":"x"},{}]
    {"type":"object","properties":{"user":"@User"}} | 3.0.3 | [{"user":{"name":"a"}},{"user":{"name":"a","id":1}}] | [{"user":{}}]`,
  "a member that is only answered is required by no part of the whole, wherever a part stands": String.raw`
    {"allOf":["@Base",{"type":"object","required":["id","name"]}]} | 3.0.3 | [{"name":"a"},{"name":"a","id":1}] | [{"name":"a","id":"x"},{}]
    {"allOf":["@Base","@Demanding"]} | 3.0.3 | [{"name":"a"},{"name":"a","id":1}] | [{"name":"a","id":"x"},{}]
    {"allOf":["@Again",{"allOf":["@Base"]}]} | 3.0.3 | [{"name":"a"},{"name":"a","id":1}] | [{"name":"a","id":"x"},{}]
    {"allOf":["@Base"],"required":["id","name"]} | 3.0.3 | [{"name":"a"},{"name":"a","id":1}] | [{"name":"a","id":"x"},{}]
    {"allOf":["@Base",{"oneOf":["@Demanding",{"type":"object","required":["never"]}]}]} | 3.0.3 | [{"name":"a"},{"name":"a","id":1}] | [{"name":"a","id":"x"},{}]
    {"allOf":["@Wrapped","@Demanding"]} | 3.0.3 | [{"name":"a"},{"name":"a","id":1}] | [{"name":"a","id":"x"},{}]
    "@Demanding" | 3.0.3 | [] | [{"name":"a"}]
    {"type":"object","properties":{"a":"@Demanding","b":{"allOf":["@Base","@Demanding"]}}} | 3.0.3 | [{"b":{"name":"a"}}] | [{"a":{"name":"a"}}]
    {"allOf":[${BASE}],"oneOf":[{"required":["id"]},{"required":["name"]}]} | 3.0.3 | [{"name":"a"}] | [{}]`,
  "beside a reference, only 3.1 says that a member is only answered": String.raw`
    {"type":"object","required":["id","name"],"properties":{"id":"@OwnId","name":{}}} | 3.1.0 | [{"name":"a"},{"name":"a","id":1}] | [{"name":"a","id":"x"}]
    {"type":"object","required":["id","name"],"properties":{"id":"@OwnId","name":{}}} | 3.0.3 | [{"name":"a","id":1}] | [{"name":"a"}]
    {"type":"object","required":["id","name"],"properties":{"id":{"$ref":"#/components/schemas/Id","readOnly":true},"name":{}}} | 3.1.0 | [{"name":"a"},{"name":"a","id":1}] | [{"name":"a","id":"x"}]
    {"$ref":"#/components/schemas/Base","required":["id","name"]} | 3.1.0 | [{"name":"a"},{"name":"a","id":1}] | [{"name":"a","id":"x"},{}]`,
  "what a document requires, closes or leaves open can be sent": String.raw`
    "@Demanded" | 3.0.3 | [{"name":"a","team_id":"b"}] | [{"name":"a"},{"name":"a","team_id":"b","more":1}]
    {"type":"object","required":["team_id"],"properties":{"name":{"type":"string"}}} | 3.0.3 | [{"team_id":1}] | [{"name":"a"}]
    {"oneOf":[{"type":"string","format":"uuid"},{"type":"string","pattern":"^[a-z]"}]} | 3.0.3 | ["my-project","c0ffee00-0000-4000-8000-000000000000"] | [1]
    {"oneOf":["@Pet","@Dog"]} | 3.0.3 | [{"name":"a"},{"name":"a","bark":true}] | [{"bark":true}]
    {"oneOf":["@Pet"],"anyOf":["@Free"]} | 3.0.3 | [{"name":"a"}] | [{"bark":true}]
    {"type":"string","enum":[]} | 3.0.3 | ["a"] | [1]
    {"nullable":true,"allOf":["@Pet"]} | 3.0.3 | [null,{"name":"a"}] | [{}]
    {"nullable":true,"allOf":["@Pet"]} | 3.1.0 | [{"name":"a"}] | [null]`,
  "patterns of other dialects are read as what they mean; what means nothing or takes too long is left out":
    String.raw`
    {"type":"string","pattern":"^[a-z]+$"} | 3.0.3 | ["a"] | ["A"]
    {"type":"string","pattern":"^[\\w\\-\\@\\ ]+\\:\\_$"} | 3.0.3 | ["a-@ :_","a:_"] | ["a#:_"]
    {"type":"string","pattern":"(?<"} | 3.0.3 | ["anything"] | [1]
    {"type":"string","pattern":"\\p{IsGreek}"} | 3.0.3 | ["anything"] | [1]
    {"type":"string","pattern":"^(a+)+\\1$"} | 3.0.3 | ["${"a".repeat(40)}!"] | [1]
    {"type":"string","pattern":"^(a{0,9}){20}b$"} | 3.0.3 | ["aab"] | ["${"a".repeat(200)}"]
    {"type":"object","patternProperties":{"^(x+)+$":{"type":"integer"}}} | 3.1.0 | [{"xx":1}] | [{"xx":"1"}]`,
};

for (const [name, rows] of Object.entries(SENT)) {
  test(name, () => {
    for (const [schema, version, good, bad] of table(rows)) {
      const check = checkOf(parse(schema), version);
      for (const value of JSON.parse(good)) assert.ok(check(value), `${schema} ${JSON.stringify(value)}`);
      for (const value of JSON.parse(bad)) assert.ok(!check(value), `${schema} ${JSON.stringify(value)}`);
    }
  });
}

test("a schema that is invalid or nested too deeply is not served", () => {
  let deep: unknown = { type: "string" };
  for (let level = 0; level < 50; level++) {
    deep = { type: "object", required: ["a"], properties: { a: deep } };
  }
  assert.throws(() => checkOf(deep), /nested more than 48 levels deep/);
  assert.throws(() => checkOf("string"), /must be an object or a boolean/);
  const slow = { type: "object", patternProperties: { "^(a+)+\\1$": true } };
  assert.throws(() => checkOf(slow, "3.1.0"), /The pattern \^\(a\+\)\+\\1\$ is not .* may take too long/);
});

test("of an answer, only names and types are checked", () => {
  const User = {
    type: "object",
    required: ["id", "name"],
    additionalProperties: false,
    properties: {
      id: { type: "integer", format: "int64" },
      big: { type: "number", format: "uint64" },
      any: { type: "integer" },
      small: { type: "integer", format: "int32" },
      name: { type: "string", maxLength: 1, enum: ["a"], pattern: "^a$", format: "email" },
      one: { oneOf: [{ type: "object" }, { type: "object", properties: { a: {} } }] },
      next: parse('"@User"'),
    },
  };
  const responses = { 200: { content: { "application/json": { schema: parse('"@User"') } } } };
  const check = compileSchema(toolOf({ responses }, { components: { schemas: { User } } }).outputSchema);
  const numbers = [{ id: "12345678901234567890", big: "1", any: "1" }, { id: null, name: null }];
  for (const value of [{}, { name: "long" }, ...numbers, { more: 1 }, { one: { a: 1 } }, { next: null }]) {
    assert.deepEqual(check(value), [], JSON.stringify(value));
  }
  for (const value of [null, [], { id: true }, { small: "1" }, { name: 1 }, { next: { name: 1 } }]) {
    assert.notDeepEqual(check(value), []);
  }
});
