/** Does an OpenAPI document become the same data? And what cannot be served is skipped, with its reason, and costs nothing else. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createGateway } from "../../lib/gateway/gateway.ts";
import { parseOpenApi, readOpenApi } from "../../lib/gateway/openapi.ts";
import { json, startApi } from "./api.ts";
import { failureOf, onlyEndpoint, openApi, reasonFor, serveOpenApi, tokenOf } from "./gateways.ts";

const ANSWER = { responses: { 200: { description: "ok" } } };

test("what is no document that is read gets one sentence, which says how to convert it", () => {
  const refused = (document: unknown) => {
    try {
      readOpenApi(document);
    } catch (cause) {
      return (cause as Error).message;
    }
    return assert.fail("it was read");
  };
  assert.match(refused({ swagger: "2.0" }), /^\/swagger: This is Swagger 2.*npx swagger2openapi/);
  assert.match(
    refused({ openapi: "3.2.0" }),
    /^\/openapi: OpenAPI 3\.0 and 3\.1 are read, and this is "3\.2\.0"/,
  );
  assert.match(refused({ openapi: 3 }), /^\/openapi: /);
  assert.match(refused([]), /is an object/);
  assert.match(refused({ openapi: "3.1.0", jsonSchemaDialect: "urn:x" }), /^\/jsonSchemaDialect: /);
  assert.throws(() => parseOpenApi("openapi: 3.0.0\ninfo:\n"), /^GatewayError: It is YAML, .*npx js-yaml/);
  assert.throws(() => parseOpenApi("# hello\n---\nswagger: '2.0'\n"), /It is YAML/);
  assert.throws(() => parseOpenApi('{"openapi": '), /^GatewayError: It is not JSON/);
});

test("one operation that cannot be served costs no other one, and names its reason", () => {
  const external = { schema: { $ref: "other.json#/a" } };
  const paths = {
    "/good": { get: ANSWER },
    "/external": {
      get: { parameters: [{ name: "a", in: "query", required: true, ...external }], ...ANSWER },
    },
    "/nothing": { get: { parameters: [{ $ref: "#/components/parameters/none" }], ...ANSWER } },
    "/circle": { get: { parameters: [{ $ref: "#/components/parameters/circle" }], ...ANSWER } },
    "/undeclared/{id}": { get: ANSWER },
    "/query?a=1": { get: ANSWER },
    "/xml": {
      put: {
        requestBody: { required: true, content: { "application/xml": { schema: { type: "object" } } } },
        ...ANSWER,
      },
    },
    "/trace": { trace: ANSWER },
    "/body": { get: { requestBody: { required: true, content: { "application/json": {} } }, ...ANSWER } },
    "/type": {
      post: { requestBody: { content: { "application/json": { schema: { type: "file" } } } }, ...ANSWER },
    },
    "/self": {
      post: {
        requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/Self" } } } },
      },
    },
    "/elsewhere": { get: { servers: [{ url: "https://uploads.example.com" }], ...ANSWER } },
    "/digest": { get: { security: [{ digest: [] }], ...ANSWER } },
    "/host": { get: { parameters: [{ name: "Host", in: "header", required: true, schema: {} }], ...ANSWER } },
    "x-note": "not a path",
  };
  const components = {
    parameters: { circle: { $ref: "#/components/parameters/circle" } },
    schemas: { Self: { allOf: [{ $ref: "#/components/schemas/Self" }] } },
    securitySchemes: { digest: { type: "http", scheme: "digest" } },
  };
  const { endpoints, skipped } = readOpenApi(openApi(paths, { components }));
  assert.deepEqual(endpoints.map(({ path }) => path), ["/good"]);
  const reasons = Object.fromEntries(skipped.map(({ operation, reason }) => [operation, reason]));
  const wanted: Record<string, RegExp> = {
    "GET /external": /leads out of the document/,
    "GET /nothing": /leads to nothing/,
    "GET /circle": /leads in a circle/,
    "GET /undeclared/{id}": /no parameter for \{id\}/,
    "GET /query?a=1": /no query and no fragment/,
    "PUT /xml": /application\/xml/,
    "TRACE /trace": /TRACE cannot be sent/,
    "GET /body": /GET with a body/,
    "POST /type": /type "file", which is none/,
    "POST /self": /refers to itself/,
    "GET /elsewhere": /a server of its own, https:\/\/uploads/,
    "GET /digest": /no security of the type http digest/,
    "GET /host": /No argument may be the header Host/,
  };
  assert.deepEqual(Object.keys(reasons).sort(), Object.keys(wanted).sort());
  for (const [operation, reason] of Object.entries(wanted)) assert.match(reasons[operation]!, reason);
});

test("an optional parameter that cannot be sent is left out, with a remark", () => {
  const parameters = [
    { name: "Host", in: "header", schema: {} },
    { name: "a", in: "query", schema: { $ref: "other.json" } },
    { name: "b", in: "query", content: { "application/xml": {} } },
    { name: "c", in: "query", style: "pipeDelimited", explode: true, schema: {} },
    { name: "Accept", in: "header", required: true, schema: {} },
    { name: "ok", in: "query", schema: {} },
  ];
  const { endpoints, remarks } = readOpenApi(openApi({ "/a": { get: { parameters, ...ANSWER } } }));
  assert.deepEqual(endpoints[0]!.parameters.map(({ name }) => name), ["ok"]);
  assert.equal(remarks.length, 4);
});

test("what stands beside the reference of a path counts too", () => {
  const parameter = (name: string, place = "path") => ({ name, in: place, required: true, schema: {} });
  const paths = {
    "/a/{id}": { $ref: "#/components/pathItems/Shared", parameters: [parameter("id")], put: ANSWER },
    "/b": { $ref: "#/components/pathItems/Shared" },
  };
  const Shared = { parameters: [parameter("q", "query")], get: ANSWER };
  const { endpoints, skipped } = readOpenApi(openApi(paths, { components: { pathItems: { Shared } } }));
  assert.deepEqual(skipped, []);
  assert.deepEqual(
    endpoints.map(({ method, path, parameters }) => [method, path, ...parameters.map(({ name }) => name)]),
    [["GET", "/a/{id}", "q", "id"], ["PUT", "/a/{id}", "q", "id"], ["GET", "/b", "q"]],
  );
});

test("parameters of the path are replaced by those of the operation, and get names that every model may write", () => {
  const document = openApi({
    "/a/{id}": {
      parameters: [
        { name: "id", in: "path", required: true, schema: { type: "string" } },
        { name: "limit", in: "query", schema: { type: "string" } },
      ],
      post: {
        parameters: [
          { name: "limit", in: "query", schema: { type: "integer" } },
          { name: "id", in: "query", schema: {} },
          { name: "filter[name]", in: "query", description: "Which.", schema: {} },
          { name: "body", in: "query", schema: {} },
          { name: "confirmation_token", in: "query", schema: {} },
        ],
        requestBody: { content: { "application/json": { schema: {} } } },
        ...ANSWER,
      },
    },
  });
  const [endpoint] = readOpenApi(document).endpoints;
  assert.deepEqual(endpoint!.parameters.map(({ argument, name, in: place }) => [argument, name, place]), [
    ["id", "id", "path"],
    ["limit", "limit", "query"],
    ["query_id", "id", "query"],
    ["filter_name", "filter[name]", "query"],
    ["query_body", "body", "query"],
    ["query_confirmation_token", "confirmation_token", "query"],
  ]);
  assert.deepEqual(endpoint!.parameters[1]!.schema, { type: "integer" });
  assert.equal(endpoint!.parameters[3]!.description, "Which. (sent as filter[name])");
});

test("of several media types of a body, JSON comes before forms and forms before bytes", () => {
  const chosen = (content: object) => {
    const { type, kind } = onlyEndpoint({ requestBody: { content }, ...ANSWER }, {}, "/probe", "post").body!;
    return [type, kind];
  };
  const form = { schema: { type: "object", properties: { a: { type: "string" } } } };
  assert.deepEqual(chosen({ "multipart/form-data": form, "application/json": form }), [
    "application/json",
    "json",
  ]);
  assert.deepEqual(chosen({ "text/plain": {}, "application/x-www-form-urlencoded": form }), [
    "application/x-www-form-urlencoded",
    "form",
  ]);
  assert.deepEqual(chosen({ "application/merge-patch+json": form }), [
    "application/merge-patch+json",
    "json",
  ]);
  assert.deepEqual(chosen({ "application/octet-stream": {} }), ["application/octet-stream", "bytes"]);
  assert.deepEqual(chosen({ "*/*": { schema: { type: "object" } } }), ["application/json", "json"]);
  assert.deepEqual(chosen({ "*/*": { schema: { type: "string", format: "binary" } } }), [
    "application/octet-stream",
    "bytes",
  ]);
});

test("bodies travel as they are described: JSON, form, multipart, text and bytes", async (t) => {
  const api = await startApi(t);
  const body = (type: string, schema: object, encoding?: object) => ({
    post: {
      requestBody: { required: true, content: { [type]: { schema, ...(encoding ? { encoding } : {}) } } },
      ...ANSWER,
    },
  });
  const document = openApi({
    "/json": body("application/json", { type: "object" }),
    "/form": body("application/x-www-form-urlencoded", {
      type: "object",
      properties: {
        a: { type: "string" },
        list: { type: "array" },
        deep: { type: "object" },
        flat: { type: "array" },
      },
    }, { deep: { style: "deepObject" }, flat: { style: "form", explode: false } }),
    "/multipart": body("multipart/form-data", {
      type: "object",
      properties: {
        name: { type: "string" },
        meta: { type: "object" },
        file: { type: "string", format: "binary" },
      },
    }, { file: { contentType: "image/png" } }),
    "/text": body("text/plain", { type: "string" }),
    "/bytes": body("application/octet-stream", { type: "string", format: "binary" }),
  });
  const base = api.origin;
  const description = readOpenApi(document, { base });
  const { endpoints } = createGateway({ description, base, allowDestructive: true });
  const names = new Map(endpoints.map(({ path, name }) => [path, name]));
  const client = await serveOpenApi(document, { base, allowDestructive: true });
  const send = async (path: string, body: unknown) => {
    const name = names.get(path)!;
    const token = tokenOf(await client.call(name, { body }));
    await client.call(name, { body, confirmation_token: token });
    return api.asked.at(-1)!;
  };
  const sent = await send("/json", { a: [1, "é"] });
  assert.deepEqual([sent.headers["content-type"], sent.body], ["application/json", '{"a":[1,"é"]}']);
  const form = await send("/form", {
    a: "x y&z=1",
    list: [1, 2],
    deep: { k: [{ v: 1 }] },
    flat: ["a,b", "c"],
  });
  assert.equal(form.body, "a=x%20y%26z%3D1&list=1&list=2&deep%5Bk%5D%5B0%5D%5Bv%5D=1&flat=a%2Cb,c");
  const parts = await send("/multipart", { name: "n\r\n", meta: { a: 1 }, file: "AP8B" });
  const [, boundary] = /^multipart\/form-data; boundary=(\S+)$/.exec(String(parts.headers["content-type"]))!;
  const texts = parts.body.split(`--${boundary}`);
  assert.equal(texts.length, 5);
  assert.equal(texts[1], '\r\ncontent-disposition: form-data; name="name"\r\n\r\nn\r\n\r\n');
  assert.equal(
    texts[2],
    '\r\ncontent-disposition: form-data; name="meta"\r\ncontent-type: application/json\r\n\r\n{"a":1}\r\n',
  );
  assert.match(texts[3]!, /name="file"; filename="file"\r\ncontent-type: image\/png\r\n\r\n/);
  assert.equal(texts[4], "--\r\n");
  assert.equal((await send("/text", "hé")).body, "hé");
  assert.equal((await send("/bytes", "aMOp")).body, "hé");
  for (const bad of ["a", "AP8B\n", "AP-_", "AP8"]) {
    assert.match(failureOf(await client.call(names.get("/bytes")!, { body: bad })), /Base64/);
  }
});

test("the first way in that there are credentials for is taken", async (t) => {
  const api = await startApi(t);
  const document = openApi({
    "/a": { get: { operationId: "either", security: [{ oauth: ["read"] }, { key: [] }], ...ANSWER } },
    "/b": { get: { operationId: "both", security: [{ key: [], user: [] }], ...ANSWER } },
    "/c": { get: { operationId: "open", security: [], ...ANSWER } },
    "/d": { get: { operationId: "optional", security: [{ oauth: [] }, {}], ...ANSWER } },
    "/e": { get: { operationId: "general", ...ANSWER } },
  }, {
    security: [{ key: [] }],
    components: {
      securitySchemes: {
        oauth: { type: "oauth2", flows: {} },
        key: { type: "apiKey", in: "query", name: "k" },
        user: { type: "http", scheme: "Basic" },
      },
    },
  });
  const description = readOpenApi(document, { base: api.origin, credentials: ["key"] });
  const gateway = createGateway({ description, base: api.origin, secrets: { key: "the-key-itself" } });
  assert.deepEqual(gateway.endpoints.map(({ name, credentials }) => [name, ...credentials]), [
    ["either", "key"],
    ["general", "key"],
    ["open"],
    ["optional"],
  ]);
  assert.deepEqual(gateway.skipped, [{ operation: "GET /b", reason: "It needs the credential user" }]);
  const client = await serveOpenApi(document, { base: api.origin, secrets: { key: "the-key-itself" } });
  for (const name of ["either", "open"]) await client.call(name);
  assert.deepEqual(api.asked.map(({ url }) => url), ["/a?k=the-key-itself", "/c"]);
  assert.throws(
    () => createGateway({ description, base: api.origin, secrets: { other: "x" } }),
    /no credential "other"/,
  );
  const without = createGateway({ description: readOpenApi(document), withoutCredentials: true });
  assert.equal(without.endpoints.length, 5);
});

test("a document says where its API is, in one way, and not within a private network", () => {
  const base = (servers: unknown, options = {}) =>
    readOpenApi(openApi({ "/a": { get: ANSWER } }, { servers }), options).base;
  const variables = { region: { default: "eu", enum: ["eu", "us"] }, v: { default: "1" } };
  const url = "https://{region}.example.com/v{v}";
  assert.equal(base([{ url, variables }]), "https://eu.example.com/v1");
  assert.equal(base([{ url, variables }], { variables: { region: "us" } }), "https://us.example.com/v1");
  assert.throws(() => base([{ url, variables }], { variables: { region: "x" } }), /must be one of eu, us/);
  assert.throws(
    () => base([{ url, variables }], { variables: { planet: "x" } }),
    /no server variable "planet"/,
  );
  assert.throws(() => base([{ url: "https://{x}.example.com" }]), /"x" is not described/);
  assert.throws(
    () => base([{ url: "https://a.example" }, { url: "https://b.example" }]),
    /several servers: choose one/,
  );
  assert.throws(() => base([{ url: "/v1" }]), /relative to itself/);
  assert.equal(base([{ url: "/v1" }], { base: "https://a.example/v1" }), "https://a.example/v1");
  const inside = readOpenApi(
    openApi({ "/a": { get: ANSWER } }, { servers: [{ url: "http://169.254.169.254" }] }),
  );
  assert.throws(
    () => createGateway({ description: inside }),
    /names an address of this machine or its network/,
  );
  assert.equal(createGateway({ description: inside, base: "http://169.254.169.254" }).endpoints.length, 1);
  const none = readOpenApi({ openapi: "3.1.0", paths: { "/a": { get: ANSWER } } });
  assert.throws(() => createGateway({ description: none }), /not said where the API is/);
});

test("a shape is promised where every good answer has it, and of what changes nothing", async (t) => {
  const content = {
    "application/json": {
      schema: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] },
    },
  };
  const document = openApi({
    "/only": { get: { operationId: "only", responses: { 200: { content }, 404: {} } } },
    "/several": { get: { operationId: "several", responses: { 200: { content }, 204: {} } } },
    "/mixed": {
      get: { operationId: "mixed", responses: { 200: { content: { ...content, "text/csv": {} } } } },
    },
    "/head": { head: { operationId: "head", responses: { 200: { content } } } },
    "/change": { put: { operationId: "change", responses: { 200: { content } } } },
  });
  const api = await startApi(t, json({ id: 7, more: null }));
  const client = await serveOpenApi(document, { base: api.origin, allowDestructive: true });
  const promised = (await client.list()).filter((tool) => tool["outputSchema"] !== undefined).map((
    { name },
  ) => name);
  assert.deepEqual(promised, ["only"]);
  for (const name of ["only", "several", "mixed"]) {
    assert.deepEqual((await client.call(name)).result!["structuredContent"], { id: 7, more: null }, name);
  }
});

test("formats are held to, and an empty text in a query is none unless it is said to be one", async (t) => {
  const api = await startApi(t);
  const parameters = [
    { name: "since", in: "query", schema: { type: "string", format: "date-time" } },
    { name: "q", in: "query", schema: { type: "string" } },
    { name: "r", in: "query", allowEmptyValue: true, schema: { type: "string" } },
  ];
  const client = await serveOpenApi(
    openApi({ "/a": { get: { operationId: "get", parameters, ...ANSWER } } }),
    { base: api.origin },
  );
  const bad = failureOf(await client.call("get", { since: "yesterday" }));
  assert.match(bad, /^The arguments of get do not fit:\n- \/since: /);
  assert.match(failureOf(await client.call("get", { q: "" })), /^q: an empty text cannot be sent here/);
  assert.equal(api.asked.length, 0);
  await client.call("get", { since: "2024-01-01T00:00:00Z", q: "a", r: "" });
  assert.equal(api.asked[0]!.url, "/a?since=2024-01-01T00%3A00%3A00Z&q=a&r=");
});

test("names that every object has are arguments under other names, because no message may have them", async (t) => {
  const api = await startApi(t);
  const parameters = ["__proto__", "constructor", "toString"].map((name) => ({
    name,
    in: "query",
    schema: {},
  }));
  const document = openApi({ "/a": { get: { operationId: "get", parameters, ...ANSWER } } });
  const client = await serveOpenApi(document, { base: api.origin });
  await client.call("get", { proto: "1", query_constructor: "2", toString: "3" });
  assert.deepEqual(api.asked.map(({ url }) => url), ["/a?__proto__=1&constructor=2&toString=3"]);
});

test("filters choose by tag, path and name, and one that fits nothing is a mistake", () => {
  const operation = (operationId: string, tag: string) => ({ get: { operationId, tags: [tag], ...ANSWER } });
  const description = readOpenApi(
    openApi({ "/a/b": operation("ab", "x"), "/a/c": operation("ac", "y"), "/d": operation("d", "x") }),
  );
  const names = (filter: object) => createGateway({ description, filter }).endpoints.map(({ name }) => name);
  assert.deepEqual(names({ tags: ["x"] }), ["ab", "d"]);
  assert.deepEqual(names({ paths: ["/a/*"] }), ["ab", "ac"]);
  assert.deepEqual(names({ paths: ["/a/*"], tags: ["x"] }), ["ab"]);
  assert.deepEqual(names({ operations: ["d", "ac"] }), ["ac", "d"]);
  assert.deepEqual(names({ paths: ["*b", "/*d"] }), ["ab", "d"]);
  assert.throws(() => names({ tags: ["z"] }), /no tag "z"/);
  assert.throws(() => names({ paths: ["/a"] }), /no path "\/a"/);
  assert.throws(() => names({ operations: ["e"] }), /no operation "e"/);
  assert.equal(
    reasonFor({ parameters: [{ name: "a", in: "body", required: true }] }),
    'The parameter a is in "body", which is no place',
  );
});
