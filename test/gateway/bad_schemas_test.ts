/** Mistakes in the schemas of OpenAPI documents: an optional member accepts any value, and a message names the place in the document. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Written } from "./gateways.ts";
import { createGateway, parseOpenApi, readOpenApi } from "../../lib/gateway/mod.ts";
import { table } from "../harness/table.ts";
import { textOf } from "../mcp/server/tool_client.ts";
import { confirm, openApi, serve } from "./gateways.ts";

/** Schemas that cannot be used, and what is wrong with them. */
const BAD = String.raw`
  {"type":"file"} | /type must be one of null, boolean, object
  {"type":"any"} | /type must be one of
  {"type":"String"} | /type must be one of
  {"type":["string","text"]} | /type must be one of
  {"type":null} | /type must be one of
  {"minimum":"1"} | /minimum must be a number
  {"multipleOf":0} | /multipleOf must be a number above 0
  {"maxLength":-1} | /maxLength must be an integer of 0 or more
  {"required":[1]} | /required must be a list of unique strings
  {"description":1} | /description must be a string
  null | must be an object or a boolean
  "string" | must be an object or a boolean
  [] | must be an object or a boolean
  {"items":[{"type":"string"}]} | /items must be an object or a boolean
  {"additionalProperties":null} | /additionalProperties must be an object or a boolean
  {"allOf":["x"]} | /allOf/0 must be an object or a boolean
  {"type":"object","required":["$ref"],"properties":{"$ref":"#/components/schemas/P/properties"}} | /properties/$ref must be an object or a boolean
  {"type":"object","required":["a"],"properties":{"a":{"type":"file"}}} | /properties/a/type must be one of
  {"$ref":"#/components/schemas/Bad"} | /components/schemas/Bad/type must be one of
  {"$ref":"#/components/schemas/Worse"} | /components/schemas/Bad/type must be one of
  {"$ref":"#/components/schemas/None"} | The reference "#/components/schemas/None" has no target
  {"$ref":"other.yaml"} | The reference "other.yaml" must be a JSON pointer
  {"$id":"https://example.com/a"} | A schema has an $id or a dynamic reference
`;
const schemas = {
  Bad: { type: "file" },
  Worse: {
    type: "object",
    required: ["bad"],
    properties: { bad: { allOf: [{ $ref: "#/components/schemas/Bad" }] } },
  },
  Good: {
    type: "object",
    properties: { bad: { $ref: "#/components/schemas/Worse" }, id: { type: "integer" } },
  },
};

/** A document whose only body has this schema. */
function withBody(schema: unknown): Written {
  const requestBody = { content: { "application/json": { schema } } };
  return openApi({ "/a b": { post: { operationId: "probe", requestBody, responses: {} } } }, {
    openapi: "3.1.0",
    components: { schemas },
  });
}

test("a body whose schema is a mistake is skipped, with the place in the document", () => {
  const at = "/paths/~1a b/post/requestBody/content/application~1json/schema";
  for (const [bad, wanted] of table(BAD)) {
    const schema = { type: "object", required: ["f"], properties: { f: JSON.parse(bad) } };
    const { endpoints, skipped } = readOpenApi(withBody(schema));
    assert.equal(endpoints.length, 0, bad);
    const place = wanted.startsWith("/components") ? "" : `${at}/properties/f`;
    const said = /^(?:The|A) /.test(wanted)
      ? wanted
      : `A schema cannot be used: ${place}${/^\//.test(wanted) ? "" : " "}${wanted}`;
    assert.ok(skipped[0]!.reason.startsWith(said), `${skipped[0]!.reason}\n${said}`);
  }
});

test("an optional member whose schema is a mistake accepts any value, with a remark, and the others are checked", async () => {
  for (const [bad, wanted] of table(BAD)) {
    const properties = {
      f: JSON.parse(bad),
      list: { type: "array", items: { properties: { f: JSON.parse(bad) } } },
      id: { type: "integer" },
    };
    const document = withBody({ type: "object", properties });
    const { skipped, remarks } = readOpenApi(document);
    assert.deepEqual(skipped, [], bad);
    assert.equal(remarks.length, 2, bad);
    for (const { operation, reason } of remarks) {
      assert.equal(operation, "POST /a b");
      assert.ok(reason.includes(wanted) && reason.endsWith("; any value is accepted"), reason);
    }
    const client = await serve(document, { allowDestructive: true, confirm });
    for (const f of [1, "x", null, { a: [] }]) {
      await client.call("probe", { body: { f, list: [{ f }], id: 7 } });
      assert.deepEqual(JSON.parse(client.sent.at(-1)!.body), { f, list: [{ f }], id: 7 }, bad);
    }
    assert.match(
      textOf(await client.call("probe", { body: { f: 1, id: "x" } })),
      /\/body\/id: Expected an integer/,
    );
  }
});

test("a definition that cannot be used costs only the operations that need it", () => {
  const body = (schema: unknown) => ({
    post: { requestBody: { content: { "application/json": { schema } } }, responses: {} },
  });
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const paths = {
    "/good": body(ref("Good")),
    "/bad": body(ref("Bad")),
    "/worse": body(ref("Worse")),
    "/again": body(ref("Good")),
    "/maybe": body({
      type: "object",
      properties: { a: ref("Bad"), b: ref("Worse"), c: { items: ref("Bad") } },
    }),
    "/needed": body({ type: "object", required: ["a"], properties: { a: ref("Worse") } }),
    "/list": body({ type: "array", items: ref("Bad") }),
  };
  for (const entries of [Object.entries(paths), Object.entries(paths).reverse()]) {
    const description = readOpenApi(openApi(Object.fromEntries(entries), { components: { schemas } }));
    const served = description.endpoints.map(({ path }) => path).sort();
    assert.deepEqual(served, ["/again", "/good", "/maybe"]);
    assert.equal(createGateway({ description, allowDestructive: true }).tools.length, 3);
  }
});

test("an answer with a mistake in its schema is checked without that member", () => {
  const schema = {
    type: "object",
    required: ["f"],
    properties: { f: { type: "file" }, id: { type: "integer" } },
  };
  const responses = { 200: { content: { "application/json": { schema } } } };
  const description = readOpenApi(openApi({ "/a": { get: { operationId: "probe", responses } } }));
  assert.match(
    description.remarks[0]!.reason,
    /\/schema\/properties\/f\/type must be one of .*; any value is accepted$/,
  );
  const { tools: [tool] } = createGateway({ description });
  assert.match(JSON.stringify(tool!.definition.outputSchema), /"f":true,"id":\{"type":\["integer"/);
});

test("a place in another file is named with the file", () => {
  const operation = {
    requestBody: { content: { "application/json": { schema: { $ref: "schemas/all pets.yaml#/Pet" } } } },
  };
  const files: Record<string, string> = {
    "schemas/all pets.yaml": "Pet: {type: object, required: [f], properties: {f: {$ref: f.yaml}}}\n",
    "schemas/f.yaml": "type: file\n",
  };
  const text = JSON.stringify(openApi({ "/a": { post: operation } }));
  const document = parseOpenApi(text, { name: "api.json", read: (path) => files[path]! });
  assert.match(
    readOpenApi(document).skipped[0]!.reason,
    /^A schema cannot be used: schemas\/f\.yaml#\/type must be one of/,
  );
});

test("a schema may have the name of a member that all objects have", async () => {
  const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "prototype", "__proto__2"];
  const all = JSON.parse(
    `{${names.map((name) => `"${name}":{"type":"object","properties":{"id":{"type":"integer"}}}`)}}`,
  );
  for (const name of names) {
    const content = { "application/json": { schema: { $ref: `#/components/schemas/${name}` } } };
    const operation = { operationId: "probe", requestBody: { content }, responses: { 200: { content } } };
    const document = openApi({ "/a": { get: operation } }, { components: { schemas: all } });
    const client = await serve(document);
    assert.match(
      textOf(await client.call("probe", { body: { id: "x" } })),
      /\/body\/id: Expected an integer/,
      name,
    );
    await client.call("probe", { body: { id: 7 } });
    assert.equal(client.sent.length, 1, name);
  }
});

test("a member may have the name of a member that all objects have, and be required", async () => {
  for (const name of ["hasOwnProperty", "constructor", "toString"]) {
    const schema = JSON.parse(
      `{"type":"object","properties":{"${name}":{"type":"integer"}},"required":["${name}"],"additionalProperties":false}`,
    );
    const client = await serve(withBody(schema), { allowDestructive: true, confirm });
    assert.match(
      textOf(await client.call("probe", { body: JSON.parse(`{"${name}":"x"}`) })),
      /Expected an integer/,
      name,
    );
    await client.call("probe", { body: JSON.parse(`{"${name}":7}`) });
    assert.equal(client.sent[0]?.body, `{"${name}":7}`);
  }
});
