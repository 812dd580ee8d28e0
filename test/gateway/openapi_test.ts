/** OpenAPI documents become endpoints. Operations that cannot be served are skipped with a reason, and do not affect others. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Description } from "../../lib/gateway/mod.ts";
import type { Sent, Written } from "./gateways.ts";
import { createGateway, GatewayError, parseOpenApi, readOpenApi } from "../../lib/gateway/mod.ts";
import { connect, textOf } from "../mcp/server/tool_client.ts";
import { table } from "../harness/table.ts";
import { argumentsIn, confirm, json, openApi, probeOpenApi, recorder, serve } from "./gateways.ts";

const ANSWER = { responses: { 200: { description: "ok" } } };
const query = (name: string, schema: Written = {}) => ({ name, in: "query", schema });

/** Documents and texts that are not supported, and the errors. */
const UNSUPPORTED = String.raw`
  {"swagger":"1.2"} | /swagger: OpenAPI 3.0 to 3.2 and Swagger 2.0 are supported, but the version is "1.2"
  {"swagger":"3.0.0"} | /swagger: OpenAPI 3.0 to 3.2 and Swagger 2.0 are supported
  {"openapi":"3.3.0"} | /openapi: OpenAPI 3.0 to 3.2 and Swagger 2.0 are supported, but the version is "3.3.0"
  {"openapi":"3.10.0"} | /openapi: OpenAPI 3.0 to 3.2
  {"openapi":"2.0"} | /openapi: OpenAPI 3.0 to 3.2
  {"openapi":4} | /openapi: OpenAPI 3.0 to 3.2 and Swagger 2.0 are supported, but the version is 4
  {"openapi":true} | /openapi: OpenAPI 3.0 to 3.2
  {} | /openapi: OpenAPI 3.0 to 3.2 and Swagger 2.0 are supported, but the version is nothing
  {"endpoints":[]} | /: This is an endpoint file, not an OpenAPI document: pass it with readEndpoints
  {"openapi":"2","endpoints":[]} | /openapi: OpenAPI 3.0 to 3.2
  [] | An OpenAPI document must be an object
  {"openapi":"3.1.0","jsonSchemaDialect":"urn:x"} | /jsonSchemaDialect: The only supported dialect
  {"openapi":"3.1.0","paths":[]} | /paths: The paths of an OpenAPI document must be an object
  # hello\n---\nswagger: '2.1'\n | /swagger: OpenAPI 3.0 to 3.2 and Swagger 2.0 are supported
  openapi: 3.4.0\n | /openapi: OpenAPI 3.0 to 3.2 and Swagger 2.0 are supported, but the version is "3.4.0"
  openapi: 3.0.0\npaths:\n  - /a\n | /paths: The paths of an OpenAPI document must be an object
  openapi: 3.0.0\ninfo: a: b\n | It is not YAML: line 2, column 7: found "a: b", but a key cannot begin within a value
  openapi: 3.0.0\nopenapi: 3.0.0\n | It is not YAML: line 2, column 1: the key "openapi" appears twice
  hello | An OpenAPI document must be an object
  {"openapi":  | It is not JSON
  {\n"openapi": 3 | It is not JSON
`;

test("the error for an unsupported document is one sentence that says what to do", () => {
  for (const [text, reason] of table(UNSUPPORTED)) {
    const message = outcome(() => String(readOpenApi(parseOpenApi(text.replaceAll("\\n", "\n")))));
    assert.ok(message.startsWith("ERROR ") && message.includes(reason), message);
  }
});

/** Operations, their descriptions, and why they are skipped. */
const SKIPPED = String.raw`
  GET /external | {"parameters":[{"name":"a","in":"query","required":true,"schema":{"$ref":"other.json#/a"}}]} | must be a JSON pointer into the document
  GET /anchor | {"parameters":[{"name":"a","in":"query","required":true,"schema":{"$ref":"#a"}}]} | must be a JSON pointer into the document
  GET /encoded | {"parameters":[{"$ref":"#/%zz"}]} | is not encoded correctly
  GET /nothing | {"parameters":[{"$ref":"#/components/parameters/none"}]} | has no target
  GET /circle | {"parameters":[{"$ref":"#/components/parameters/circle"}]} | is circular
  GET /undeclared/{id} | {} | There is no parameter for {id}
  GET /query?a=%z | {} | and have no dot segment
  GET /place | {"parameters":[{"name":"a","in":"body","required":true}]} | The parameter a is in "body"; possible are path, query, header, cookie
  GET /style/{id} | {"parameters":[{"name":"id","in":"path","style":"form"}]} | The parameter id has the style form; possible in a path are simple, label, matrix
  POST /field | {"requestBody":{"content":{"multipart/form-data":{"encoding":{"a":{"style":"simple"}}}}}} | The field a has the style simple, which forms do not support
  GET /host | {"parameters":[{"name":"Host","in":"header","required":true}]} | The parameter Host is a header that arguments must not set
  PUT /xml | {"requestBody":{"content":{"application/xml":{"schema":{"type":"object"}}}}} | no supported media type: application/xml
  TRACE /trace | {} | TRACE cannot be sent
  POST /type | {"requestBody":{"content":{"application/json":{"schema":{"type":"file"}}}}} | /type must be
  POST /self | {"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Self"}}}}} | refers to itself
  POST /uri | {"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Uri"}}}}} | has an $id
  GET /elsewhere | {"servers":[{"url":"https://uploads.example.com"}]} | its own server, https://uploads.example.com: allow it with the option servers uploads.example.com
  GET /relative | {"servers":[{"url":"/v2"}]} | its own server, /v2, which names no host: correct it in the document
  GET /variable | {"servers":[{"url":"https://{x}.example.com"}]} | The server variable "x" needs a value
  GET /digest | {"security":[{"digest":[]}]} | The security scheme digest is not described, or is not one of apiKey, basic, bearer, OAuth 2
  GET /unknown | {"security":[{"unknown":[]}]} | The security scheme unknown is not described
`;

test("an operation that cannot be served is skipped with a reason, and the others are served", () => {
  const rows = table(SKIPPED);
  const paths: Written = { "/good": { get: ANSWER }, "x-note": "", "/item": { $ref: "#/nothing" } };
  for (const [operation, members] of rows) {
    const [method, path] = operation.split(" ") as [string, string];
    Object.assign(paths, { [path]: { [method.toLowerCase()]: { ...ANSWER, ...JSON.parse(members) } } });
  }
  const Self = { allOf: [{ $ref: "#/components/schemas/Self" }] };
  const components = {
    parameters: { circle: { $ref: "#/components/parameters/circle" } },
    schemas: { Self, Uri: { $id: "https://example.com/a" } },
    securitySchemes: { digest: { type: "http", scheme: "digest" } },
  };
  const { endpoints, skipped } = readOpenApi(openApi(paths, { components }));
  assert.deepEqual(endpoints.map(({ path }) => path), ["/good"]);
  const reasons = new Map(skipped.map(({ operation, reason }) => [operation, reason]));
  for (const [operation, , reason] of [["/item", "", "has no target"], ...rows]) {
    assert.ok(reasons.get(operation!)?.includes(reason!), `${operation}: ${reasons.get(operation!)}`);
  }
  assert.equal(skipped.length, rows.length + 1);
});

/** The names of the arguments of each operation. */
function argumentsOf(description: Description): Record<string, string[]> {
  const { tools, endpoints } = createGateway({ description, allowDestructive: true });
  return Object.fromEntries(tools.map(({ definition }, index) => {
    const { properties } = definition.inputSchema as { properties: object };
    const { method, path } = endpoints[index]!;
    const names = Object.keys(argumentsIn(properties));
    return [`${method} ${path}`, names.filter((name) => name !== "confirmation_token")];
  }));
}

const YAML = `# A shop.
openapi: 3.1.0
info: {title: Shop, version: 1.0}
servers: [{url: https://api.example.com}]
paths:
  /pets/{id}: {$ref: "paths/pet.yaml"}
  /again:
    get:
      operationId: again
      parameters: [$ref: "#/paths/~1pets~1{id}/get/parameters/1"]
      responses: &ok
        200: {description: ok}
  /deep: {get: {operationId: deep, parameters: [$ref: "#/components/x-a/name"], responses: *ok}}
  /circle: {get: {parameters: [$ref: "#/components/x-circle/name"], responses: *ok}}
  /out: {get: {parameters: [$ref: ../secret.yaml], responses: *ok}}
  /away: {get: {parameters: [$ref: "https://example.com/a.yaml"], responses: *ok}}
  /none: {get: {parameters: [$ref: none.yaml], responses: *ok}}
  /broken: {get: {parameters: [$ref: "paths/broken.yaml#/a"], responses: *ok}}
components:
  x-a: {$ref: "#/components/x-b"}
  x-b: {$ref: "paths/pet.yaml#/x-here"}
  x-circle: {$ref: "#/components/x-circle/name"}
  x-text: {type: string}
`;
const FILES: Readonly<Record<string, string>> = {
  "paths/pet.yaml": `get:
  operationId: get
  parameters:
    - {name: id, in: path, required: true, schema: {$ref: ../schemas/all%20ids.json#/definitions/Id}}
    - $ref: "#/x-q"
  responses:
    200: {description: ok, content: {application/json: {schema: {$ref: ./../schemas/pet.yaml}}}}
x-q: {name: q, in: query, schema: {type: integer, maximum: 9}}
x-here: {name: {name: n, in: query, schema: {$ref: "../api.yaml#/components/x-text"}}}
`,
  "schemas/all ids.json": '{"definitions": {"Id": {"type": "string", "format": "uuid"}}}',
  "schemas/pet.yaml":
    "type: object\nproperties:\n  id: {$ref: all%20ids.json#/definitions/Id}\n  mate: {$ref: pet.yaml}\n",
  "paths/broken.yaml": "a: [",
};

test("YAML in several files is one document, and references can go through others", () => {
  const asked: string[] = [];
  const read = (path: string): string => {
    asked.push(path);
    if (Object.hasOwn(FILES, path)) return FILES[path]!;
    throw new GatewayError(`There is no ${path}`);
  };
  const description = readOpenApi(parseOpenApi(YAML, { name: "api.yaml", read }));
  assert.deepEqual(argumentsOf(description), {
    "GET /pets/{id}": ["id", "q"],
    "GET /again": ["q"],
    "GET /deep": ["n"],
  });
  const get = createGateway({ description }).tools.find(({ definition }) => definition.name === "get");
  // deno-lint-ignore no-explicit-any
  const { inputSchema, outputSchema } = get!.definition as any;
  const q = { type: "integer", maximum: 9 };
  assert.deepEqual(argumentsIn(inputSchema.properties), { id: { $ref: "#/$defs/Id" }, q });
  assert.deepEqual(Object.keys(outputSchema.$defs).sort(), ["Id", "pet.yaml"]);
  const skipped = description.skipped.map(({ operation, reason }) => `${operation} ${reason.split('" ')[1]}`);
  const out = ["out", "away", "none", "broken"].map((name) =>
    `GET /${name} must be a JSON pointer into the document`
  );
  assert.deepEqual(skipped, ["GET /circle goes through too many others", ...out]);
  assert.deepEqual(asked.sort(), [...Object.keys(FILES), "none.yaml"].sort());
});

test("references that go through others twice at each step are followed in linear time", () => {
  const levels = Array.from({ length: 60 }, (_, level) => [`l${level}`, { $ref: `#/x/l${level + 1}/a/b` }]);
  const last = { a: { b: { a: { b: { name: "q", in: "query" } }, $ref: "#/x/l60" } } };
  const x = Object.fromEntries([...levels, ["l60", last]]);
  const operation = { parameters: [{ $ref: "#/x/l0/a/b" }], ...ANSWER };
  assert.equal(readOpenApi(openApi({ "/a": { get: operation } }, { x })).skipped.length, 1);
});

test("an operation with more references in a row than a limit is skipped, and the others are served", () => {
  const chain = (length: number, link: (to: object) => object) => {
    const names = Array.from({ length }, (_, index) => `S${index}`);
    const schemas = Object.fromEntries(
      names.map((name, index) => [name, link({ $ref: `#/components/schemas/S${index + 1}` })]),
    );
    const content = { "application/json": { schema: { $ref: "#/components/schemas/S0" } } };
    const responses = { 200: { description: "" } };
    return readOpenApi({
      openapi: "3.1.0",
      servers: [{ url: "https://a.example" }],
      paths: { "/x": { post: { requestBody: { content }, responses }, get: { responses } } },
      components: { schemas: { ...schemas, [`S${length}`]: { type: "object" } } },
    });
  };
  for (
    const link of [(to: object) => to, (to: object) => ({ allOf: [to] }), (to: object) => ({ oneOf: [to] })]
  ) {
    for (const length of [100, 1000, 50_000]) {
      const { endpoints, skipped } = chain(length, link);
      const isLong = length > 500;
      assert.deepEqual([endpoints.length, skipped.length], isLong ? [1, 1] : [2, 0], String(length));
      if (isLong) {
        assert.match(skipped[0]!.reason, /references in a row|more than 500 others|one schema too many/);
      }
    }
  }
});

test("an optional parameter that cannot be sent is left out, with a remark", () => {
  const parameters = [
    { name: "Host", in: "header", schema: {} },
    query("a", { $ref: "other.json" }),
    { name: "b", in: "query", content: { "application/xml": {} } },
    { ...query("c"), style: "pipeDelimited", explode: true },
    { name: "Accept", in: "header", required: true, schema: {} },
    query("ok"),
  ];
  const operation = { parameters, ...ANSWER };
  const description = readOpenApi(openApi({ "/a": { get: operation } }));
  assert.deepEqual(argumentsOf(description), { "GET /a": ["ok"] });
  const { remarks } = description;
  assert.deepEqual(remarks.map(({ operation }) => operation), Array(4).fill("GET /a"));
  assert.equal(
    remarks[3]!.reason,
    "The parameter c is pipeDelimited and exploded, which OpenAPI does not define",
  );
});

test("members next to the reference of a path apply too", () => {
  const parameter = (name: string, place: string) => ({ name, in: place, required: true, schema: {} });
  const paths = {
    "/a/{id}": { $ref: "#/components/pathItems/Shared", parameters: [parameter("id", "path")], put: ANSWER },
    "/b": { $ref: "#/components/pathItems/Shared" },
  };
  const Shared = { parameters: [parameter("q", "query")], get: ANSWER };
  const description = readOpenApi(openApi(paths, { components: { pathItems: { Shared } } }));
  assert.deepEqual(description.skipped, []);
  const both = ["q", "id"];
  assert.deepEqual(argumentsOf(description), { "GET /a/{id}": both, "PUT /a/{id}": both, "GET /b": ["q"] });
});

test("arguments have names that every model accepts, and those of the operation replace those of the path", async () => {
  const names = "limit id filter[name] body confirmation_token constructor query_id __proto__".split(" ");
  const id = { name: "id", in: "path", required: true };
  const item = { parameters: [id, query("limit", { type: "string" })] };
  const operation = {
    operationId: "probe",
    parameters: names.map((name) => ({ ...query(name, { type: "integer" }), description: "Which." })),
    requestBody: { content: { "application/json": { schema: {} } } },
    ...ANSWER,
  };
  const document = openApi({ "/{id}": { ...item, post: operation } });
  const args = ["query_id", "filter_name", "query_body", "query_confirmation_token", "query_constructor"]
    .concat("query_query_id", "proto");
  const found = argumentsOf(readOpenApi(document))["POST /{id}"]!;
  assert.deepEqual(found, ["id", "limit", ...args, "body"]);
  const client = await serve(document, { confirm, allowDestructive: true });
  const { properties } = (await client.list())[0]!["inputSchema"] as { properties: Record<string, Written> };
  assert.deepEqual(properties["limit"], { type: "integer", description: "Which." });
  assert.equal(properties["filter_name"]!["description"], "Which. (sent as filter[name])");
  const values = Object.fromEntries(["limit", ...args].map((name, index) => [name, index]));
  await client.call("probe", { ...values, id: "x", body: {} });
  const pairs = names.map((name, index) => `${encodeURIComponent(name)}=${index}`);
  assert.equal(client.sent[0]!.target, `/x?${pairs.join("&")}`);
});

test("the first security requirement with available credentials is used", async () => {
  const operations: Readonly<Record<string, Written[] | undefined>> = {
    either: [{ oauth: ["read"] }, { key: [] }],
    both: [{ key: [], user: [] }],
    open: [],
    optional: [{ oauth: [] }, {}],
    general: undefined,
  };
  const paths = Object.entries(operations)
    .map(([operationId, security]) => [`/${operationId}`, { get: { operationId, security, ...ANSWER } }]);
  const securitySchemes = {
    oauth: { type: "oauth2", flows: {} },
    key: { type: "apiKey", in: "query", name: "k" },
    user: { type: "http", scheme: "Basic" },
  };
  const rest = { security: [{ key: [] }], components: { securitySchemes } };
  const document = openApi(Object.fromEntries(paths), rest);
  const description = readOpenApi(document, { credentials: ["key"] });
  const secrets = { key: "the-key-itself" };
  const gateway = createGateway({ description, secrets });
  const found = gateway.endpoints.map(({ name, credentials }) => [name, ...credentials]);
  assert.deepEqual(found, [["either", "key"], ["general", "key"], ["open"], ["optional"]]);
  const reason =
    "It needs the credential user (the option secrets user=FILE, or the option withoutCredentials)";
  assert.deepEqual(gateway.skipped, [{ operation: "GET /both", reason }]);
  const other = () => createGateway({ description, secrets: { other: "x" } });
  assert.throws(other, /no credential "other".* oauth, key, user/);
  assert.equal(createGateway({ description, withoutCredentials: true }).endpoints.length, 5);
  const client = await serve(document, { secrets });
  for (const name of ["either", "open"]) await client.call(name);
  assert.deepEqual(client.sent.map(({ target }) => target), ["/either?k=the-key-itself", "/open"]);
});

/** Servers, options, and the base URL or the error; $URL has two variables. */
const SERVERS = String.raw`
  [$URL] | {} | https://eu.example.com/v1
  [$URL] | {"variables":{"region":"us"}} | https://us.example.com/v1
  [$URL] | {"variables":{"region":"x"}} | ERROR /servers/0/variables/region: The server variable "region" needs one of these values: eu, us
  [$URL] | {"variables":{"planet":"x"}} | ERROR no server variable "planet"
  [{"url":"https://{x}.example.com"}] | {} | ERROR "x" needs a value: set it with the option variables
  [{"url":"https://a.example"},{"url":"https://b.example"}] | {} | ERROR Choose one of several servers with the option base
  [{"url":"https://a.example"},{"url":"https://a.example"}] | {} | https://a.example
  [{"url":"/v1"}] | {} | ERROR The URL of the server is relative ("/v1")
  [{"url":"/v1"}] | {"base":"https://a.example/v1"} | https://a.example/v1
  [{}] | {} | ERROR /servers/0/url: A server needs a URL
`;

test("a document must have exactly one server", () => {
  const variables = { region: { default: "eu", enum: ["eu", "us"] }, v: { default: "1" } };
  const url = JSON.stringify({ url: "https://{region}.example.com/v{v}", variables });
  for (const [written, options, wanted] of table(SERVERS)) {
    const servers = JSON.parse(written.replace("$URL", url));
    const document = openApi({ "/a": { get: ANSWER } }, { servers });
    const found = outcome(() => readOpenApi(document, JSON.parse(options)).base!);
    assert.equal(found.startsWith("ERROR"), wanted.startsWith("ERROR"), found);
    assert.ok(found.includes(wanted.replace("ERROR ", "")), found);
  }
  const none = readOpenApi({ openapi: "3.1.0", paths: { "/a": { get: ANSWER } } });
  assert.throws(() => createGateway({ description: none }), /The base URL of the API is missing/);
  const own = { get: { ...ANSWER, servers: [{ url: "https://b.example/" }] } };
  assert.equal(readOpenApi(openApi({ "/a": own }), { base: "https://b.example" }).endpoints.length, 1);
});

test("an operation with its own server is served on an allowed host, within its own base", async () => {
  const parameters = [{ name: "id", in: "path", required: true, schema: { type: "string" } }];
  const servers = [{ url: "https://uploads.example.com/v2/" }];
  const paths = {
    "/files/{id}": { get: { operationId: "upload", parameters, servers, ...ANSWER } },
    "/plain": { get: { ...ANSWER, servers: [{ url: "http://plain.example" }] } },
    "/a": { get: { operationId: "a", ...ANSWER } },
  };
  const securitySchemes = { key: { type: "apiKey", in: "header", name: "X-Key" } };
  const document = openApi(paths, { security: [{ key: [] }], components: { securitySchemes } });
  const read = (...servers: string[]) => readOpenApi(document, { servers, credentials: ["key"] });
  assert.equal(read().endpoints.length, 1);
  const unknown = outcome(() => String(read("uploads.example.org")));
  assert.match(unknown, /^ERROR No operation has its own server on "uploads.example.org"/);
  const { fetch, sent } = recorder(() => {
    const location = sent.length === 1 ? "/v2/other" : "https://api.example.com/a";
    return sent.length < 3 ? new Response(null, { status: 302, headers: { location } }) : json({});
  });
  const secrets = { key: "the-secret" };
  const { tools } = createGateway({ description: read("uploads.example.com"), secrets, fetch });
  const client = await connect({ tools });
  assert.match(textOf(await client.call("upload", { id: "x/y" })), /answered with a redirect/);
  assert.match(textOf(await client.call("upload", { id: ".." })), /a part of a path must not be/);
  await client.call("a");
  assert.deepEqual(sent.map(({ url, headers }) => `${url} ${headers["x-key"]}`), [
    "https://uploads.example.com/v2/files/x%2Fy the-secret",
    "https://uploads.example.com/v2/other the-secret",
    "https://api.example.com/a the-secret",
  ]);
  const plain = () => createGateway({ description: read("plain.example"), secrets });
  assert.match(outcome(() => plain().base), /would be sent unencrypted to http:\/\/plain.example/);
});

/** A text, or `ERROR` and the message of a `GatewayError`. */
function outcome(work: () => string): string {
  try {
    return work();
  } catch (cause) {
    assert.equal((cause as Error).name, "GatewayError");
    return `ERROR ${(cause as Error).message}`;
  }
}

test("a safe operation has an output schema if all successful answers share one", async () => {
  const schema = { type: "object", properties: { id: { type: "integer" } }, required: ["id"] };
  const content = { "application/json": { schema } };
  const broken = { "application/json": { schema: { type: "nothing" } } };
  const responses: Readonly<Record<string, Written>> = {
    "get only": { 200: { content }, 404: {} },
    "get several": { 200: { content }, 204: {} },
    "get mixed": { 200: { content: { ...content, "text/csv": {} } } },
    "head head": { 200: { content } },
    "put change": { 200: { content } },
    "get broken": { 200: { content: broken } },
  };
  const document = openApi(Object.fromEntries(
    Object.entries(responses).map(([operation, responses]) => {
      const [method = "", operationId] = operation.split(" ");
      return [`/${operationId}`, { [method]: { operationId, responses } }];
    }),
  ));
  const data = { id: 7, more: null };
  const client = await serve(document, { allowDestructive: true, answer: () => json(data), confirm });
  const promised = (await client.list()).filter((tool) => tool["outputSchema"] !== undefined);
  assert.deepEqual(promised.map(({ name }) => name), ["only"]);
  for (const name of ["only", "several", "mixed", "change"]) {
    assert.deepEqual((await client.call(name)).result!["structuredContent"], data, name);
  }
  const { remarks } = readOpenApi(document);
  assert.match(remarks[0]!.reason, /^It has no output schema: A schema cannot be used: /);
  assert.equal((await client.call("broken")).result!["structuredContent"], undefined);
});

test("formats are checked, empty strings in a query are errors unless allowed, and JSON is sent as JSON", async () => {
  const schema = { type: "object", properties: { a: { type: "integer" } } };
  const filter = { name: "filter", in: "query", content: { "application/json": { schema } } };
  const time = query("since", { type: "string", format: "date-time" });
  const parameters = [time, query("q"), { ...query("r"), allowEmptyValue: true }, filter];
  const probe = probeOpenApi({ parameters });
  assert.match(String(await probe({ since: "yesterday" })), /^The arguments of probe do not fit: \/since: /);
  assert.match(String(await probe({ filter: { a: "1" } })), /\/filter\/a: /);
  assert.match(String(await probe({ q: "" })), /^q: an empty string cannot be sent; leave it out/);
  const sent = await probe({ since: "2024-01-01T00:00:00Z", q: "a", r: "", filter: { a: 1 } }) as Sent;
  assert.equal(sent.target, "/probe?since=2024-01-01T00%3A00%3A00Z&q=a&r=&filter=%7B%22a%22%3A1%7D");
});

test("titles and descriptions are for models: trimmed, marked and of a length that clients accept", () => {
  const read = (operation: Written) =>
    readOpenApi(openApi({ "/a": { get: { ...ANSWER, ...operation } } })).endpoints[0]!;
  const long = { summary: ` ${"s".repeat(120)}`, description: `${"d".repeat(950)}\n`, deprecated: true };
  assert.equal(read(long).title, `${"s".repeat(100)}…`);
  assert.equal(read(long).description, `Deprecated. ${"d".repeat(888)}…`);
  assert.equal(read({ summary: "Short" }).description, "Short");
});

/** Filters, and the names of the selected operations or the error. */
const FILTERS = String.raw`
  {"tags":["x"]} | ab d
  {"paths":["/a/*"]} | ab ac
  {"paths":["/a/*"],"tags":["x"]} | ab
  {"paths":["/a/b"]} | ab
  {"operations":["d","ac"]} | ac d
  {"paths":["*b","/*d"]} | ab d
  {"paths":["*/*c*"]} | ac
  {"tags":["z"]} | ERROR There is no tag "z" among the operations served; there are: x, y
  {"paths":["/a"]} | ERROR There is no path "/a" among the operations served; there are: /a/b, /a/c, /d
  {"paths":["/a*/b*b"]} | ERROR There is no path "/a*/b*b" among the operations served; there are: /a/b, /a/c, /d
  {"operations":["e"]} | ERROR There is no operation "e" among the operations served; there are: ab, ac, d
`;

test("filters select by tag, path and name, and one that matches nothing is an error", () => {
  const operation = (operationId: string, tag: string) => ({ get: { operationId, tags: [tag], ...ANSWER } });
  const paths = { "/a/b": operation("ab", "x"), "/a/c": operation("ac", "y"), "/d": operation("d", "x") };
  const description = readOpenApi(openApi(paths));
  for (const [filter, wanted] of table(FILTERS)) {
    const gateway = () => createGateway({ description, filter: JSON.parse(filter) });
    assert.equal(outcome(() => gateway().endpoints.map(({ name }) => name).join(" ")), wanted);
  }
  const issues = operation("list-issues", "issues");
  const tags = Array.from({ length: 30 }, (_, index) => `t${10 + index}`.repeat(100));
  const many = openApi({ "/i": issues, "/a": { get: { tags, ...ANSWER } } });
  const misspelt = (filter: object) => () => createGateway({ description: readOpenApi(many), filter });
  assert.throws(misspelt({ tags: ["isues"] }), ({ message }: Error) => {
    assert.match(message, /served \(did you mean issues\?\); there are: issues, t10t10.*… and 11 more$/);
    return message.length < 4000;
  });
  assert.throws(misspelt({ operations: ["list_issues"] }), /\(did you mean list-issues\?\); there are: /);
});

const LONG = "a".repeat(199);
const IDS = "listUsers repos/list-for-org repos_list_for_org repos.list.for.org ünï __a__ /// a/b a_b a.b"
  .split(" ")
  .concat("a b", "", `${LONG}a`, `${LONG}b`, "repos/list/for/org", "repos list for org");
type Operations = readonly (readonly [path: string, operationId: string])[];

/** The names of operations, by their paths. */
function namesOf(operations: Operations): Map<string, string> {
  const parameters = [{ name: "id", in: "path", required: true }];
  const paths = operations.map(([path, operationId]) => {
    const operation = path.includes("{id}") ? { parameters, ...ANSWER } : ANSWER;
    return [path, { get: { operationId, ...operation } }];
  });
  const { endpoints } = readOpenApi(openApi(Object.fromEntries(paths)));
  return new Map(endpoints.map(({ path, name }) => [path, name]));
}

test("names are short; an identifier that is a valid name is kept, by the first operation that has it", () => {
  const operations = IDS.map((id, index) => [`/${index}`, id] as const);
  const names = namesOf(operations);
  // They do not change when others are added.
  for (const one of operations) assert.equal(namesOf([one]).get(one[0]), names.get(one[0]));
  for (const name of names.values()) assert.match(name, /^[A-Za-z0-9_-]{1,48}$/);
  assert.equal(new Set(names.values()).size, IDS.length);
  assert.equal(names.get("/0"), "listUsers");
  assert.match(names.get("/1")!, /^repos_list-for-org_[0-9a-z]{5}$/);
  assert.match(names.get("/6")!, /^[0-9a-z]{5}$/);
  assert.match(namesOf([["/users/{id}", ""]]).get("/users/{id}")!, /^get_users_by_id_[0-9a-z]{5}$/);
  const twice = namesOf([["/a", "same"], ["/b", "same"]]);
  assert.equal(twice.get("/a"), "same");
  assert.match(twice.get("/b")!, /^get_b_[0-9a-z]{5}$/);
  // The first operation keeps its name even if it cannot be served.
  assert.match(namesOf([["/a/{x}", "same"], ["/b", "same"]]).get("/b")!, /^get_b_/);
});

test("an API without a callable operation is an error that says why", () => {
  const why = 'the first is GET /{: The path must begin with "/" and have no dot segment, ' +
    'backslash, lone "{", "}" or "%", and no duplicate parameter';
  const rows: readonly (readonly [paths: Written, changing: number, skipped: string])[] = [
    [{}, 0, "0 cannot be served"],
    [{ "/a": { delete: ANSWER } }, 1, "0 cannot be served"],
    [{ "/{": { get: ANSWER } }, 0, `1 cannot be served; ${why}`],
  ];
  for (const [paths, changing, skipped] of rows) {
    const found = outcome(() => createGateway({ description: readOpenApi(openApi(paths)) }).base);
    const left = `${changing} can change something (the option allowDestructive), and ${skipped}`;
    assert.equal(found, `ERROR No operation is left: ${left}`);
  }
});
