/** Endpoint files: reading finds each mistake and its place. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Description } from "../../lib/gateway/mod.ts";
import type { Sent, Written } from "./gateways.ts";
import { createGateway, readEndpoints } from "../../lib/gateway/mod.ts";
import { table } from "../harness/table.ts";
import { argumentsIn, BASE, probeFile, written } from "./gateways.ts";

/** A file with one endpoint that has these members. */
const file = (endpoint: Written, rest: Written = {}): Written => ({
  endpoints: [written(endpoint)],
  ...rest,
});
const inPath = (more: Written): Written =>
  file({ path: "/a/{id}", parameters: [{ name: "id", in: "path", ...more }] });
const defined = (definitions: Written, endpoint: Written = {}): Written => file(endpoint, { definitions });

/** Where the JSON of a row is inserted. */
const WAYS: Readonly<Record<string, (value: never) => unknown>> = {
  all: (value) => value,
  one: (endpoint: Written) => file(endpoint),
  file: (rest: Written) => file({}, rest),
  path: inPath,
  body: (schema: unknown) => file({ method: "POST", body: { schema } }),
  parameters: (parameters: Written[]) => file({ parameters }),
  /** Two parameters with arguments of their own. */
  twice: ([place, one, other, path = "/a"]: string[]) => {
    const parameters = [{ name: one, argument: "x" }, { name: other, argument: "y" }];
    return file({ path, parameters: parameters.map((parameter) => ({ ...parameter, in: place })) });
  },
  another: (endpoint: Written) => ({ endpoints: [written(), written(endpoint)] }),
  definition: (a: unknown) => defined({ a }, { response: { $ref: "#/$defs/a" } }),
  /** One schema in two places. */
  both: (schema: unknown) => file({ parameters: ["a", "b"].map((name) => ({ name, in: "query", schema })) }),
};

/** The way, the JSON, the pointer of the mistake (relative to the endpoint, unless it begins with a slash), and the message. */
const MISTAKES = String.raw`
  all | [] | # | Expected an object
  all | {} | # | endpoints
  all | {"openapi":"3.1.0","paths":{}} | # | This is an OpenAPI document, not an endpoint file: pass it with readOpenApi
  all | {"swagger":"2.0"} | # | pass it with readOpenApi
  all | {"openapi":"3.1.0","endpoints":[]} | /openapi | Expected only the members
  all | {"endpoints":[{"description":"x","method":"GET","path":"/a"}]} | /endpoints/0 | name
  another | {"path":"/b"} | /endpoints/1/name | /endpoints/0 already has the name
  definition | {"type":"nothing"} | /definitions/a/type | The schema
  all | {"endpoints":[]} | /endpoints | at least 1 item
  file | {"more":1} | /more | Expected only the members
  file | {"auth":{"key":{"type":"header"}}} | /auth/key | name
  file | {"auth":{"key":{"type":"bearer","name":"x"}}} | /auth/key/name | no value
  file | {"definitions":{"a/b":{"items":{"$ref":"#"}}}} | /definitions/a~1b/items/$ref | which the file does not define
  file | {"definitions":{"a/b":{"allOf":[{"$ref":"#/properties/a"}]}}} | /definitions/a~1b/allOf/0/$ref | which the file does not define
  one | {"methods":"GET"} | methods | Expected only the members
  one | {"name":5} | name | Expected a string
  one | {"name":"a b"} | name | {1,48}
  one | {"name":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"} | name | {1,48}
  one | {"method":"get"} | method | "GET"
  one | {"method":"TRACE"} | method | "GET"
  one | {"path":"users"} | path | pattern
  one | {"path":"/a/../b"} | path | dot segment
  one | {"path":"/a/{id}"} | path | no parameter for {id}
  one | {"method":"PUT","safe":true} | safe | always changes something
  one | {"auth":["key"]} | auth/0 | no "key" in /auth
  one | {"timeoutMs":0} | timeoutMs | at least 1
  one | {"response":{"items":{"$ref":"#/$defs/a"}}} | response/items/$ref | which the file does not define
  one | {"response":{"properties":{"a":{},"b":{"$ref":"#/properties/a"}}}} | response/properties/b/$ref | which the file does not define
  one | {"response":{"$ref":"#"}} | response | refers to itself
  one | {"response":{"allOf":[{"$ref":"#"}]}} | response/allOf/0 | refers to itself
  path | {"required":false} | parameters/0/required | always required
  path | {"style":"form"} | parameters/0/style | simple, label, matrix
  path | {"argument":"a b"} | parameters/0/argument | cannot be the name
  path | {"schema":{"type":"int"}} | parameters/0/schema/type | The schema
  path | {"schema":{"pattern":"("}} | parameters/0/schema/pattern | regular expression
  path | {"schema":{"$ref":"#/$defs/no"}} | parameters/0/schema/$ref | The schema
  path | {"schema":{"$defs":{"a":{"type":"integer"}},"$ref":"#/$defs/a"}} | parameters/0/schema/$ref | which the file does not define
  path | {"schema":{"type":"string","x-mcp-header":5}} | . | x-mcp-header 5 is not the name
  body | {"properties":{"a":{"type":"string"},"b":{"$ref":"#/properties/a"}}} | body/schema/properties/b/$ref | "#/properties/a", which the file does not define: add it to /definitions and refer to it as "#/$defs/name"
  body | {"properties":{"child":{"$ref":"#"}}} | body/schema/properties/child/$ref | refers to "#"
  body | {"type":"nothing"} | body/schema/type | The schema
  parameters | [{"name":"id","in":"path"}] | parameters/0/name | id is not in the path
  parameters | [{"name":"a","in":"query","style":"pipeDelimited","explode":true}] | parameters/0/explode | which OpenAPI does not define
  parameters | [{"name":"filter[a]","in":"query"}] | parameters/0/name | choose another name with "argument"
  parameters | [{"name":"confirmation_token","in":"query"}] | parameters/0/name | already an argument
  parameters | [{"name":"a b","in":"cookie","argument":"a"}] | parameters/0/name | a cookie cannot have
  parameters | [{"name":"Authorization","in":"header"}] | parameters/0/name | a header that arguments must not set
  parameters | [{"name":"Host","in":"header"}] | parameters/0/name | a header that arguments must not set
  parameters | [{"name":"X-Forwarded-For","in":"header"}] | parameters/0/name | a header that arguments must not set
  parameters | [{"name":"x-http-method-override","in":"header"}] | parameters/0/name | a header that arguments must not set
  parameters | [{"name":"a","in":"query"},{"name":"a","in":"header"}] | parameters/1/name | already an argument
  twice | ["query","id","id"] | parameters/1/name | already a query parameter "id", at /parameters/0
  twice | ["path","id","id","/a/{id}"] | parameters/1/name | a path parameter "id"
  twice | ["header","X-A","x-a"] | parameters/1/name | a header parameter "x-a"
  both | {"$id":"https://example.com/a"} | parameters/1/schema/$id | The schema's $id is the URI of another schema
  both | {"$anchor":"a"} | parameters/1/schema/$anchor | The schema's $anchor is also the anchor of another
`;

test("each mistake is an error with its place", () => {
  for (const [way, given, place, reason] of table(MISTAKES)) {
    const inEndpoint = `/endpoints/0/${place}`.replace("/.", "");
    const pointer = place === "#" ? "" : place.startsWith("/") ? place : inEndpoint;
    const file = WAYS[way]!(JSON.parse(given) as never);
    assert.throws(() => readEndpoints(file), (cause: Error & { pointer?: string }) => {
      assert.equal(cause.name, "GatewayError", String(cause.stack));
      assert.equal(cause.pointer, pointer, cause.message);
      assert.ok(cause.message.includes(reason), cause.message);
      return true;
    });
  }
});

/** The input schema and the output schema of the tool of a file with one endpoint. */
function schemasOf(description: Description): Written[] {
  const { inputSchema, outputSchema } = createGateway({ description, base: BASE }).tools[0]!.definition;
  return [inputSchema as Written, outputSchema as Written];
}

test("the result does not change when the file changes", () => {
  // deno-lint-ignore no-explicit-any
  const given = inPath({ schema: { type: "integer" } }) as any;
  const description = readEndpoints(given);
  given.endpoints[0].parameters[0].schema.type = "string";
  assert.deepEqual(argumentsIn(schemasOf(description)[0]!["properties"]), { id: { type: "integer" } });
});

test("definitions are shared, and each schema has only those that it needs", () => {
  const b = { type: "object", properties: { a: { $ref: "#/$defs/a" } } };
  const definitions = { a: { $ref: "#/$defs/b" }, b, c: true };
  const [input, output] = schemasOf(readEndpoints(defined(definitions, { response: { $ref: "#/$defs/a" } })));
  assert.deepEqual(Object.keys(output!["$defs"] as object).sort(), ["a", "b"]);
  assert.equal(input!["$defs"], undefined);
});

test("a schema may refer to definitions, an answer to itself, and a schema with a URI to its own parts", () => {
  const tree = { type: "object", properties: { child: { $ref: "#/$defs/tree" } } };
  const [input] = schemasOf(readEndpoints(defined({ tree }, {
    method: "POST",
    safe: true,
    body: { schema: { $ref: "#/$defs/tree", default: { $ref: "#" } } },
    parameters: [
      { name: "a", in: "query", schema: { $id: "https://example.com/a", items: { $ref: "#" } } },
      { name: "b", in: "query", schema: { $ref: "#/$defs/tree/properties/child" } },
    ],
    response: { type: "object", properties: { self: { $ref: "#" } } },
  })));
  assert.deepEqual(Object.keys(input!["$defs"] as object), ["tree"]);
  // A schema that is not for objects is wrapped in one, and its references are adjusted.
  readEndpoints(file({ response: { type: "array", items: { $ref: "#" } } }));
});

test("the operator's own words are not cut, renamed or extended", async () => {
  const [description, title] = ["A long description. ".repeat(100).trim(), "T".repeat(200)];
  const parameters = [{ name: "filter[a]", argument: "a", in: "query", description: "Which." }];
  const read = readEndpoints(file({ description, title, parameters }));
  assert.deepEqual([read.endpoints[0]!.description, read.endpoints[0]!.title], [description, title]);
  const described = argumentsIn(schemasOf(read)[0]!["properties"]);
  assert.deepEqual(described, { a: { type: "string", description: "Which." } });
  const sent = await probeFile({ parameters })({ a: "" }) as Sent;
  assert.equal(sent.target, "/probe?filter%5Ba%5D=");
});
