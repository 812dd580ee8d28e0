/** Swagger 2.0 documents are served like OpenAPI documents, and what OpenAPI does not have is listed. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Written } from "./gateways.ts";
import { createGateway, parseOpenApi, readOpenApi } from "../../lib/gateway/mod.ts";
import { table } from "../harness/table.ts";
import { textOf } from "../mcp/server/tool_client.ts";
import { argumentsIn, confirm, json, serve } from "./gateways.ts";

/** A document with these paths and members. */
function swagger(paths: Written, rest: Written = {}): Written {
  const info = { title: "Test", version: "1" };
  return { swagger: "2.0", info, host: "api.example.com", schemes: ["https"], paths, ...rest };
}

/** A member of a document with one operation, a value, and the sent target, type and body, or the error. */
const SENT = String.raw`
  {"in":"query","type":"string"} | "a b" | /probe?q=a%20b
  {"in":"query","type":"integer","maximum":9} | 10 | ERROR /q: Expected a number of at most 9
  {"in":"query","type":"string","enum":["a"]} | "b" | ERROR /q: Expected "a"
  {"in":"query","type":"string","x-nullable":true} | null | /probe
  {"in":"query","type":"string"} | null | ERROR /q: Expected a string, but got null
  {"in":"query","type":"string"} | "" | ERROR q: an empty string cannot be sent
  {"in":"query","type":"string","allowEmptyValue":true} | "" | /probe?q=
  {"in":"query","type":"array","items":{"type":"string"}} | ["a","b,c"] | /probe?q=a,b%2Cc
  {"in":"query","type":"array","items":{"type":"string"},"collectionFormat":"csv"} | ["a","b"] | /probe?q=a,b
  {"in":"query","type":"array","items":{"type":"string"},"collectionFormat":"multi"} | ["a","b"] | /probe?q=a&q=b
  {"in":"query","type":"array","items":{"type":"string"},"collectionFormat":"ssv"} | ["a","b"] | /probe?q=a%20b
  {"in":"query","type":"array","items":{"type":"string"},"collectionFormat":"pipes"} | ["a","b"] | /probe?q=a%7Cb
  {"in":"query","type":"array","items":{"type":"integer"}} | ["a"] | ERROR /q/0: Expected an integer
  {"in":"header","type":"array","items":{"type":"string"}} | ["a","b"] | /probe q: a,b
  {"in":"header","type":"boolean"} | true | /probe q: true
  {"in":"path","type":"string","required":true} | "a/b" | /probe/a%2Fb
  {"in":"path","type":"array","items":{"type":"string"},"required":true} | ["a","b"] | /probe/a,b
  {"$ref":"#/parameters/Shared"} | 3 | /probe?q=3
  {"$ref":"#/parameters/Body"} | {"name":"x"} | /probe application/json {"name":"x"}
  {"in":"body","schema":{"$ref":"#/definitions/Pet"}} | {"name":"x"} | /probe application/json {"name":"x"}
  {"in":"body","schema":{"$ref":"#/definitions/Pet"}} | {"name":1} | ERROR /body/name: Expected a string
  {"in":"body","schema":{"$ref":"#/definitions/Pet"}} | {"name":null} | ERROR /body/name: Expected a string
  {"in":"body","schema":{"type":"object","properties":{"a":{"type":"string","x-nullable":true}}}} | {"a":null} | /probe application/json {"a":null}
  {"in":"body","schema":{"$ref":"#/definitions/Tree"}} | {"children":[{"children":[]}]} | /probe application/json {"children":[{"children":[]}]}
  {"in":"body","consumes":["application/xml","application/json"],"schema":{}} | 1 | /probe application/json 1
  {"in":"body","consumes":["application/merge-patch+json"],"schema":{}} | {} | /probe application/merge-patch+json {}
  {"in":"body","consumes":["text/plain"],"schema":{"type":"string"}} | "x" | /probe text/plain x
  {"in":"formData","type":"string"} | "a b" | /probe application/x-www-form-urlencoded q=a%20b
  {"in":"formData","type":"integer"} | "a" | ERROR /body/q: Expected an integer
  {"in":"formData","type":"array","items":{"type":"string"}} | ["a","b"] | /probe application/x-www-form-urlencoded q=a,b
  {"in":"formData","type":"array","items":{"type":"string"},"collectionFormat":"multi"} | ["a","b"] | /probe application/x-www-form-urlencoded q=a&q=b
  {"in":"formData","type":"array","items":{"type":"string"},"collectionFormat":"ssv"} | ["a","b"] | /probe application/x-www-form-urlencoded q=a%20b
  {"in":"formData","type":"array","items":{"type":"string"},"consumes":["multipart/form-data"]} | ["a","b"] | /probe multipart/form-data a,b
  {"in":"formData","type":"array","items":{"type":"string"},"consumes":["multipart/form-data"],"collectionFormat":"multi"} | ["a","b"] | /probe multipart/form-data a+b
  {"in":"formData","type":"array","items":{"type":"string"},"consumes":["multipart/form-data"],"collectionFormat":"pipes"} | ["a","%7C"] | /probe multipart/form-data a|%7C
  {"in":"formData","type":"file"} | "aGVsbG8=" | /probe multipart/form-data hello
  {"in":"formData","type":"file","consumes":["application/x-www-form-urlencoded"]} | "aGVsbG8=" | /probe multipart/form-data hello
  {"in":"formData","type":"string","consumes":["application/json"]} | "a" | /probe application/x-www-form-urlencoded q=a
  {"in":"formData","type":"string","x-nullable":true} | null | /probe application/x-www-form-urlencoded
`;

test("parameters, bodies and forms are sent as Swagger says", async () => {
  const definitions = {
    Pet: {
      type: "object",
      required: ["name"],
      properties: { name: { type: "string" } },
      discriminator: "name",
    },
    Tree: {
      type: "object",
      properties: { children: { type: "array", items: { $ref: "#/definitions/Tree" } } },
    },
  };
  const shared = {
    Shared: { name: "q", in: "query", type: "integer" },
    Body: { name: "any", in: "body", schema: { $ref: "#/definitions/Pet" } },
  };
  for (const [members, value, wanted] of table(SENT)) {
    const { consumes, ...parameter } = JSON.parse(members);
    const path = parameter.in === "path" ? "/probe/{q}" : "/probe";
    const operation = {
      operationId: "probe",
      consumes,
      parameters: [{ name: "q", ...parameter }],
      responses: {},
    };
    const document = swagger({ [path]: { post: operation } }, { definitions, parameters: shared });
    const client = await serve(document, { allowDestructive: true, confirm });
    const isBody = /"in":"body"|Body/.test(members), isForm = members.includes("formData");
    const given = isForm
      ? { body: { q: JSON.parse(value) } }
      : { [isBody ? "body" : "q"]: JSON.parse(value) };
    const answer = await client.call("probe", given);
    const [sent] = client.sent;
    const type = sent?.headers["content-type"]?.split(";", 1)[0];
    const body = type === "multipart/form-data"
      ? Array.from(sent!.body.matchAll(/\r\n\r\n(.*)\r\n/g), ([, text]) => text).join("+")
      : sent?.body;
    const found = !sent
      ? `ERROR ${textOf(answer).replace(/^The .*? fit: /, "")}`
      : type
      ? `${sent.target} ${type} ${body}`
      : sent.target + (sent.headers["q"] ? ` q: ${sent.headers["q"]}` : "");
    const isEqual = wanted.startsWith("ERROR ") ? found.startsWith(wanted) : found.trim() === wanted;
    assert.ok(isEqual, `${members} ${value}: ${found}`);
  }
});

/** Members of a document, and its base URL or the error. */
const SERVERS = String.raw`
  {} | https://api.example.com
  {"basePath":"/v1"} | https://api.example.com/v1
  {"basePath":"v1/"} | https://api.example.com/v1
  {"basePath":"/"} | https://api.example.com
  {"schemes":["http","https"]} | https://api.example.com
  {"schemes":["ws","http"]} | http://api.example.com
  {"schemes":null} | https://api.example.com
  {"host":"api.example.com:8443","basePath":"/a/b"} | https://api.example.com:8443/a/b
  {"host":"https://api.example.com/"} | https://api.example.com
  {"host":null,"basePath":"/v1"} | ERROR The URL of the server is relative ("/v1"): set the base URL with the option base
  {"host":null} | NONE
`;

test("the server is made of host, base path and the best scheme", () => {
  for (const [members, wanted] of table(SERVERS)) {
    const given = JSON.parse(members, (_, value) => value === null ? undefined : value);
    const document = { ...swagger({ "/a": { get: { responses: {} } } }), ...given };
    for (const [key, value] of Object.entries(JSON.parse(members))) if (value === null) delete document[key];
    let found: string;
    try {
      found = readOpenApi(document).base ?? "NONE";
    } catch (cause) {
      found = `ERROR ${(cause as { reason: string }).reason}`;
    }
    assert.equal(found, wanted, members);
  }
});

test("parameters of a path, references to files, and credentials work as in OpenAPI", async () => {
  const id = { name: "id", in: "path", required: true, type: "string" };
  const paths = {
    "/a/{id}": { parameters: [id], get: { operationId: "get_a", responses: {} } },
    "/b/{id}": { $ref: "item.json#/item", parameters: [{ ...id, type: "integer" }] },
    "/c": { get: { $ref: "#/x-ops/C" } },
    "/d/{id}": {
      parameters: [{ name: "any", in: "body", schema: { type: "integer" } }, id],
      put: { operationId: "put_d", responses: {} },
      post: {
        operationId: "post_d",
        parameters: [{ name: "other", in: "body", schema: { type: "string" } }],
        responses: {},
      },
    },
  };
  const securityDefinitions = {
    basic: { type: "basic" },
    key: { type: "apiKey", in: "header", name: "X-Key" },
    oauth: { type: "oauth2", flow: "implicit" },
  };
  const document = swagger(paths, {
    "x-ops": { C: { operationId: "get_c", security: [{ basic: [] }], responses: {} } },
    securityDefinitions,
    security: [{ key: [] }, { oauth: [] }],
  });
  const read = () =>
    '{"item": {"get": {"operationId": "get_b", "parameters": [{"$ref": "#/q"}], "responses": {}}}, ' +
    '"q": {"name": "q", "in": "query", "type": "string"}}';
  const whole = parseOpenApi(JSON.stringify(document), { name: "api.json", read }) as Written;
  const secrets = { basic: "user:secret-word", key: "the-secret" };
  const client = await serve(whole, { secrets, allowDestructive: true, confirm });
  const tools = await client.list() as { name: string; inputSchema: { properties: Written } }[];
  const found = tools.map(({ name, inputSchema: { properties } }) => {
    const { confirmation_token: _, ...others } = argumentsIn(properties);
    return [name, ...Object.keys(others)].join(" ");
  });
  assert.deepEqual(
    found.sort(),
    ["get_a id", "get_b id q", "get_c", "post_d id body", "put_d id body"].sort(),
  );
  await client.call("get_b", { id: 7, q: "x" });
  await client.call("get_c");
  await client.call("post_d", { id: "a", body: "text" });
  const sent = client.sent.map(({ target, headers, body }) =>
    `${target} ${headers["x-key"] ?? headers["authorization"]} ${body}`
  );
  const basic = `Basic ${btoa("user:secret-word")}`;
  assert.deepEqual(sent, ["/b/7?q=x the-secret ", `/c ${basic} `, '/d/a the-secret "text"']);
});

/** The answers of an operation, the types that it produces, the accepted types, and the output schema. */
const ANSWERS = String.raw`
  {"200":{"schema":{"$ref":"#/definitions/Pet"}}} | - | application/json | name
  {"200":{"schema":{"$ref":"#/definitions/Pet"}}} | ["application/json"] | application/json | name
  {"200":{"$ref":"#/responses/Pet"}} | - | application/json | name
  {"default":{"schema":{"$ref":"#/definitions/Pet"}}} | - | */* | -
  {"200":{"schema":{"$ref":"#/definitions/Pet"}}} | ["application/xml","application/json"] | application/json | -
  {"200":{"schema":{"type":"file"}}} | ["image/png"] | image/png | -
  {"200":{"schema":{"type":"file"}}} | - | application/octet-stream | -
  {"200":{"schema":{"type":"string"}}} | ["text/csv"] | text/csv | -
  {"204":{"description":"none"}} | - | */* | -
  {"200":{"$ref":"#/responses/None"}} | - | SKIP has no target | -
`;

test("answers have the types that the operation produces, and their schema", async () => {
  const definitions = { Pet: { type: "object", properties: { name: { type: "string" } } } };
  const responses = { Pet: { description: "ok", schema: { $ref: "#/definitions/Pet" } } };
  for (const [answers, produces, accept, member] of table(ANSWERS)) {
    const types = produces === "-" ? undefined : JSON.parse(produces);
    const operation = { operationId: "probe", produces: types, responses: JSON.parse(answers) };
    const document = swagger({ "/a": { get: operation } }, { definitions, responses });
    const { skipped } = readOpenApi(document);
    if (accept.startsWith("SKIP ")) {
      assert.ok(skipped[0]!.reason.endsWith(accept.slice(5)));
      continue;
    }
    const client = await serve(document, { answer: () => json({ name: "x" }) });
    await client.call("probe");
    assert.equal(client.sent[0]!.headers["accept"], accept, answers);
    const [tool] = await client.list() as [{ outputSchema?: object }];
    assert.equal(JSON.stringify(tool.outputSchema ?? "").includes('"name"'), member !== "-", answers);
  }
});

/** A parameter or member of an operation that OpenAPI does not have, and the reason that is listed. */
const UNFIT = String.raw`
  {"parameters":[{"name":"q","in":"query","type":"array","collectionFormat":"tsv","required":true}]} | The parameter q has the style tsv; possible in a query are form
  {"parameters":[{"name":"q","in":"path","type":"array","collectionFormat":"multi","required":true}]} | The parameter q has the style form; possible in a path are simple
  {"parameters":[{"name":"q","in":"header","type":"array","collectionFormat":"pipes","required":true}]} | The parameter q has the style pipeDelimited; possible in a header are simple
  {"parameters":[{"name":"q","in":"formData","type":"array","collectionFormat":"tsv"}]} | The field q has the style tsv, which forms do not support
  {"parameters":[{"name":"b","in":"body","schema":{}},{"name":"q","in":"formData","type":"string","required":true}]} | The parameter q is in "formData"; possible are path, query, header, cookie
  {"parameters":[{"$ref":"#/parameters/none"}]} | has no target
  {"parameters":[{"name":"b","in":"body","schema":{"type":"file"}}]} | /type must be one of
  {"consumes":["application/xml"],"parameters":[{"name":"b","in":"body","schema":{"type":"object"}}]} | Its body has no supported media type: application/xml
  {"schemes":["ws"]} | It has its own server, ws://api.example.com
  {"$ref":"#/x-none"} | has no target
`;

test("what OpenAPI does not have is listed, and does not affect other operations", () => {
  const operations = table(UNFIT);
  const paths: Written = Object.fromEntries(operations.map(([members], index) => {
    const operation = JSON.parse(members);
    const path = members.includes('"path"') ? `/${index}/{q}` : `/${index}`;
    return [path, { post: { responses: {}, ...operation } }];
  }));
  const optional = { name: "q", in: "query", type: "array", collectionFormat: "tsv" };
  const good = {
    "/good": { get: { parameters: [optional], responses: {} } },
    "/item": { $ref: "#/none" },
    "/null": null,
  };
  const description = readOpenApi(swagger({ ...paths, ...good, "x-a": 1 }));
  assert.deepEqual(description.endpoints.map(({ path }) => path), ["/good"]);
  assert.deepEqual(description.remarks.map(({ operation }) => operation), ["GET /good"]);
  assert.equal(description.skipped.length, operations.length + 2);
  for (const [index, [members, reason]] of operations.entries()) {
    const found = description.skipped.find(({ operation }) => operation.split("/")[1] === String(index));
    assert.ok(found?.reason.includes(reason), `${members}: ${found?.reason}`);
  }
  assert.equal(createGateway({ description }).tools.length, 1);
});
