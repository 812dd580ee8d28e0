/** What is new in OpenAPI 3.2 is served in the terms of 3.1, or listed. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Written } from "./gateways.ts";
import { createGateway, readOpenApi } from "../../lib/gateway/mod.ts";
import { table } from "../harness/table.ts";
import { textOf } from "../mcp/server/tool_client.ts";
import { confirm, openApi, serve, startApi } from "./gateways.ts";

const v32 = (paths: Written, rest: Written = {}): Written => openApi(paths, { openapi: "3.2.0", ...rest });

/** The members of a path item, and the method that is sent, or why there is none. A safe method needs no confirmation. */
const METHODS = String.raw`
  {"query":{}} | QUERY safe
  {"QUERY":{}} | QUERY safe
  {"query":{"$ref":"#/components/x-ops/Op"}} | QUERY safe
  {"additionalOperations":{"COPY":{}}} | COPY
  {"additionalOperations":{"M-SEARCH":{}}} | M-SEARCH
  {"additionalOperations":{"Purge":{}}} | Purge
  {"additionalOperations":{"LINK":{"$ref":"#/components/x-ops/Op"}}} | LINK
  {"additionalOperations":{"post":{}}} | post
  {"additionalOperations":{"CONNECT":{}}} | SKIP CONNECT cannot be sent
  {"additionalOperations":{"track":{}}} | SKIP track cannot be sent
  {"additionalOperations":{"A B":{}}} | SKIP A B cannot be sent
  {"additionalOperations":{"A\r\nB: c":{}}} | SKIP A
  {"additionalOperations":{}} | NOTHING
  {"copy":{}} | SKIP OpenAPI does not define the method COPY
  {"$ref":"#/components/pathItems/Item"} | COPY
`;

test("the method QUERY and additional methods are served; those that change something are confirmed", async () => {
  const Op = { operationId: "probe", responses: {} };
  const components = { "x-ops": { Op }, pathItems: { Item: { additionalOperations: { COPY: Op } } } };
  for (const [members, wanted] of table(METHODS)) {
    const text = members.replaceAll("{}", '{"operationId":"probe","responses":{}}');
    const item = JSON.parse(/additionalOperations":\{\}/.test(members) ? members : text);
    const document = v32({ "/a": item }, { components });
    const description = readOpenApi(document);
    const { endpoints: [one], skipped: [skipped] } = description;
    if (!one) {
      const found = skipped ? `SKIP ${skipped.reason}` : "NOTHING";
      assert.ok(found.startsWith(wanted), `${members}: ${found}`);
      continue;
    }
    assert.equal(
      createGateway({ description, allowEmpty: true }).endpoints.length,
      wanted.endsWith(" safe") ? 1 : 0,
    );
    const client = await serve(document, { allowDestructive: true, confirm });
    const answer = await client.call("probe");
    assert.equal(client.sent[0]?.method, wanted.split(" ")[0], JSON.stringify(answer));
  }
});

test("QUERY with a body and a method of its own are really sent", async (t) => {
  const api = await startApi(t, { found: 1 });
  const requestBody = { content: { "application/json": { schema: { type: "object" } } } };
  const paths = {
    "/a": { query: { operationId: "find", requestBody, responses: {} } },
    "/b": { additionalOperations: { COPY: { operationId: "copy", responses: {} } } },
  };
  const client = await serve(v32(paths), { base: api.origin, allowDestructive: true, confirm });
  assert.equal(textOf(await client.call("find", { body: { a: 1 } })), '{"found":1}');
  await client.call("copy");
  assert.deepEqual(api.asked.map(({ method, url, body }) => [method, url, body]), [
    ["QUERY", "/a", '{"a":1}'],
    ["COPY", "/b", ""],
  ]);
});

/** A parameter, its value, and the sent target and cookie, or the reason why the operation is not served. */
const PARAMETERS = String.raw`
  {"in":"querystring","content":{"application/x-www-form-urlencoded":{"schema":{"type":"object"}}}} | {"a":1,"b":"x y"} | /probe?a=1&b=x%20y
  {"in":"querystring","content":{"application/x-www-form-urlencoded":{"schema":{"type":"object","properties":{"a":{"type":"integer"}}}}}} | {"a":"x"} | ERROR /q/a: Expected an integer
  {"in":"querystring","content":{"application/x-www-form-urlencoded":{"schema":{"type":["object","null"]}}}} | null | /probe
  {"in":"querystring","content":{"$ref":"#/components/x-content"}} | {} | SKIP The parameter q
  {"in":"querystring","content":{"application/json":{"schema":{}}}} | {} | SKIP The parameter q is in "querystring"; possible are path, query
  {"in":"querystring","content":{"application/jsonpath":{"schema":{}}}} | {} | SKIP The parameter q is in "querystring"
  {"in":"cookie","style":"cookie"} | "a" | /probe q=a
  {"in":"cookie","style":"cookie"} | ["a","b"] | /probe q=a; q=b
  {"in":"cookie","style":"cookie","schema":{"type":"object"}} | {"a":1,"b":2} | /probe a=1; b=2
  {"in":"cookie","style":"cookie"} | "a b" | /probe q=a%20b
  {"in":"query","style":"cookie"} | {} | SKIP The parameter q has the style cookie
  {"$ref":"#/components/parameters/Q"} | {"a":1} | /probe?a=1
`;

test("a whole query and cookies are sent; the reason is listed where that is not possible", async () => {
  const form = { "application/x-www-form-urlencoded": { schema: { type: "object" } } };
  const components = { parameters: { Q: { name: "q", in: "querystring", content: form } } };
  for (const [members, value, wanted] of table(PARAMETERS)) {
    const parameters = [{ name: "q", ...JSON.parse(members), required: value !== "null" }];
    const operation = { operationId: "probe", parameters, responses: {} };
    const document = v32({ "/probe": { get: operation } }, { components });
    const { skipped: [skipped] } = readOpenApi(document);
    if (skipped) {
      assert.ok(`SKIP ${skipped.reason}`.startsWith(wanted), `${members}: ${skipped.reason}`);
      continue;
    }
    const client = await serve(document);
    const answer = await client.call("probe", { q: JSON.parse(value) });
    const [sent] = client.sent;
    const cookie = sent?.headers["cookie"];
    const found = sent
      ? sent.target + (cookie ? ` ${cookie}` : "")
      : `ERROR ${textOf(answer).replace(/^.* fit: /, "")}`;
    assert.ok(
      wanted.startsWith("ERROR ") ? found.startsWith(wanted) : found === wanted,
      `${members}: ${found}`,
    );
  }
});

/** The type of a body with a schema of its items, the value, and what is sent. */
const SEQUENCES = String.raw`
  application/jsonl | "{\"a\":1}\n{\"a\":2}\n"
  application/x-ndjson | "{}\n"
  application/json-seq | "\u001e{}\n"
  application/geo+json-seq | "\u001e{}\n"
  text/event-stream | "data: 1\n\n"
`;
const item = { type: "object", properties: { a: { type: "integer" } } };

test("sequential media types are text, in requests and in answers", async () => {
  for (const [type, value] of table(SEQUENCES)) {
    const content = { [type]: { itemSchema: item } };
    const operation = { operationId: "probe", requestBody: { content }, responses: { 200: { content } } };
    const answer = () =>
      new Response(JSON.parse(value), { headers: { "content-type": `${type}; charset=utf-8` } });
    const client = await serve(v32({ "/a": { post: operation } }), {
      allowDestructive: true,
      confirm,
      answer,
    });
    const { result } = await client.call("probe", { body: JSON.parse(value) });
    const [sent] = client.sent;
    assert.deepEqual([sent!.headers["content-type"], sent!.headers["accept"], sent!.body], [
      type,
      type,
      JSON.parse(value),
    ]);
    assert.deepEqual((result!["content"] as { text: string }[]).at(-1)!.text, JSON.parse(value), type);
  }
});

test("a stream is read only if the description names it, and within the limits", async () => {
  const stream = (names: string[]) => ({
    operationId: "probe",
    responses: { 200: { content: Object.fromEntries(names.map((name) => [name, { itemSchema: item }])) } },
  });
  const events = (count: number) => () =>
    new Response("data: 1\n\n".repeat(count), { headers: { "content-type": "text/event-stream" } });
  const rows: readonly (readonly [names: string[], count: number, said: RegExp])[] = [
    [["text/event-stream"], 2, /text\/event-stream/],
    [["application/json"], 2, /answered with an event stream/],
    [["text/event-stream", "application/json"], 2, /answered with an event stream/],
    [[], 2, /answered with an event stream/],
    [["text/event-stream"], 1000, /The answer is too large/],
  ];
  for (const [names, count, said] of rows) {
    const client = await serve(v32({ "/a": { get: stream(names) } }), {
      answer: events(count),
      maxBytes: 4000,
    });
    assert.match(textOf(await client.call("probe")), said, names.join());
  }
});

test("references to media types and to the document itself, and security by address, are followed", async () => {
  const self = "https://api.example.com/openapi";
  const components = {
    mediaTypes: { Pet: { schema: { $ref: `${self}#/components/schemas/Pet` } } },
    schemas: { Pet: { type: "object", properties: { name: { type: "string" } } } },
    securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Key" } },
  };
  const content = { "application/json": { $ref: "#/components/mediaTypes/Pet" } };
  const operation = {
    operationId: "probe",
    requestBody: { content },
    responses: { 200: { content } },
    security: [{ "#/components/securitySchemes/key": [] }],
  };
  const rest = {
    $self: self,
    components,
    jsonSchemaDialect: "https://spec.openapis.org/oas/3.2/dialect/2025-09-17",
  };
  const client = await serve(v32({ "/a": { query: operation } }, rest), { secrets: { key: "the-secret" } });
  assert.match(textOf(await client.call("probe", { body: { name: 1 } })), /\/body\/name: Expected a string/);
  await client.call("probe", { body: { name: "x" } });
  assert.equal(client.sent[0]!.headers["x-key"], "the-secret");
  const [tool] = await client.list() as [{ outputSchema?: object }];
  assert.match(JSON.stringify(tool.outputSchema), /"name"/);
  const broken = { "application/json": { $ref: "#/components/mediaTypes/None" } };
  const { skipped } = readOpenApi(
    v32({ "/a": { post: { requestBody: { content: broken } } } }, { components }),
  );
  assert.match(skipped[0]!.reason, /has no target/);
});
