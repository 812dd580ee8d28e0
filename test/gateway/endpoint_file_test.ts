/** Endpoint files: each mistake is found when the file is read, at its place. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Description } from "../../lib/gateway/mod.ts";
import type { Sent, Written } from "./gateways.ts";
import { createGateway, readEndpoints } from "../../lib/gateway/mod.ts";
import { BASE, probeFile, written } from "./gateways.ts";

/** A file with one endpoint that has these members. */
const file = (endpoint: Written, rest: Written = {}): unknown => ({
  endpoints: [written(endpoint)],
  ...rest,
});
const parameters = (...parameters: Written[]): unknown => file({ parameters });
const inPath = (more: Written): unknown =>
  file({ path: "/a/{id}", parameters: [{ name: "id", in: "path", ...more }] });
const body = (schema: unknown): unknown => file({ method: "POST", body: { schema } });
/** Two parameters in one place, with arguments of their own. */
const twice = (place: string, one: string, other: string, path = "/a"): unknown =>
  file({
    path,
    parameters: [{ name: one, in: place, argument: "x" }, { name: other, in: place, argument: "y" }],
  });
const shared = (schema: Written): unknown =>
  parameters(...["a", "b"].map((name) => ({ name, in: "query", schema })));
const defined = (definitions: Written, endpoint: Written = {}): unknown => file(endpoint, { definitions });

const E0 = "/endpoints/0";
const MISTAKES: readonly (readonly [file: unknown, pointer: string, reason: RegExp])[] = [
  [[], "", /Expected an object/],
  [{}, "", /endpoints/],
  [{ endpoints: [] }, "/endpoints", /at least 1 item/],
  [{ endpoints: [written()], more: 1 }, "/more", /Expected no members but/],
  [file({ methods: "GET" }), `${E0}/methods`, /Expected no members but/],
  [file({ name: undefined }), E0, /name/],
  [file({ name: "a b" }), `${E0}/name`, /\{1,48\}/],
  [file({ name: "a".repeat(49) }), `${E0}/name`, /\{1,48\}/],
  [file({ method: "get" }), `${E0}/method`, /"GET"/],
  [file({ method: "TRACE" }), `${E0}/method`, /"GET"/],
  [file({ path: "users" }), `${E0}/path`, /pattern/],
  [file({ path: "/a/../b" }), `${E0}/path`, /no segment/],
  [file({ path: "/a/{id}" }), `${E0}/path`, /no parameter for \{id\}/],
  [parameters({ name: "id", in: "path" }), `${E0}/parameters/0/name`, /id is not in the path/],
  [inPath({ required: false }), `${E0}/parameters/0/required`, /always required/],
  [inPath({ style: "form" }), `${E0}/parameters/0/style`, /simple, label, matrix/],
  [
    parameters({ name: "a", in: "query", style: "pipeDelimited", explode: true }),
    `${E0}/parameters/0/explode`,
    /means nothing/,
  ],
  [inPath({ schema: { type: "int" } }), `${E0}/parameters/0/schema/type`, /The schema /],
  [inPath({ schema: { pattern: "(" } }), `${E0}/parameters/0/schema/pattern`, /regular expression/],
  [inPath({ schema: { $ref: "#/$defs/no" } }), `${E0}/parameters/0/schema/$ref`, /The schema /],
  [
    inPath({ schema: { $defs: { a: { type: "integer" } }, $ref: "#/$defs/a" } }),
    `${E0}/parameters/0/schema/$ref`,
    /not a definition of the file/,
  ],
  [
    body({ properties: { a: { type: "string" }, b: { $ref: "#/properties/a" } } }),
    `${E0}/body/schema/properties/b/$ref`,
    /"#\/properties\/a", which is not a definition of the file: .*"#\/\$defs\/name"/,
  ],
  [
    body({ properties: { child: { $ref: "#" } } }),
    `${E0}/body/schema/properties/child/$ref`,
    /refers to "#"/,
  ],
  [body({ type: "nothing" }), `${E0}/body/schema/type`, /The schema /],
  [
    defined({ "a/b": { items: { $ref: "#" }, allOf: [{ $ref: "#/properties/a" }] } }),
    "/definitions/a~1b/items/$ref",
    /not a definition of the file/,
  ],
  [
    defined({ "a/b": { allOf: [{ $ref: "#/properties/a" }] } }),
    "/definitions/a~1b/allOf/0/$ref",
    /not a definition of the file/,
  ],
  [
    defined({ a: { type: "nothing" } }, { response: { $ref: "#/$defs/a" } }),
    "/definitions/a/type",
    /The schema /,
  ],
  [
    defined({}, { response: { items: { $ref: "#/$defs/a" } } }),
    `${E0}/response/items/$ref`,
    /The schema's \$ref /,
  ],
  [
    shared({ $id: "https://example.com/a" }),
    `${E0}/parameters/1/schema/$id`,
    /: The schema's \$id is the URI of another schema/,
  ],
  [
    shared({ $anchor: "a" }),
    `${E0}/parameters/1/schema/$anchor`,
    /: The schema's \$anchor is the anchor of another/,
  ],
  [inPath({ schema: { type: "string", "x-mcp-header": 5 } }), E0, /x-mcp-header 5 is no name/],
  [inPath({ argument: "a b" }), `${E0}/parameters/0/argument`, /cannot be the name/],
  [
    parameters({ name: "filter[a]", in: "query" }),
    `${E0}/parameters/0/name`,
    /give another one as "argument"/,
  ],
  [parameters({ name: "confirmation_token", in: "query" }), `${E0}/parameters/0/name`, /argument already/],
  ...["Authorization", "Host", "X-Forwarded-For", "Proxy-X", "x-http-method-override"].map((name) =>
    [
      parameters({ name, in: "header" }),
      `${E0}/parameters/0/name`,
      /a header that no argument may be/,
    ] as const
  ),
  [
    parameters({ name: "a b", in: "cookie" }),
    `${E0}/parameters/0/name`,
    /no cookie can have|cannot be the name/,
  ],
  [
    parameters({ name: "a", in: "query" }, { name: "a", in: "header" }),
    `${E0}/parameters/1/name`,
    /argument already/,
  ],
  [
    twice("query", "id", "id"),
    `${E0}/parameters/1/name`,
    /a query parameter "id" already, at \/endpoints\/0\/parameters\/0$/,
  ],
  [twice("path", "id", "id", "/a/{id}"), `${E0}/parameters/1/name`, /a path parameter "id"/],
  [twice("header", "X-A", "x-a"), `${E0}/parameters/1/name`, /a header parameter "x-a"/],
  [file({ body: { schema: true } }), `${E0}/body`, /GET with a body/],
  [file({ body: { schema: true, required: false } }), `${E0}/body`, /GET with a body/],
  [file({ method: "PUT", safe: true }), `${E0}/safe`, /always changes something/],
  [file({ auth: ["key"] }), `${E0}/auth/0`, /no "key" in \/auth/],
  [file({}, { auth: { key: { type: "header" } } }), "/auth/key", /name/],
  [file({}, { auth: { key: { type: "bearer", name: "x" } } }), "/auth/key/name", /nothing|no value/],
  [file({ timeoutMs: 0 }), `${E0}/timeoutMs`, /at least 1|1 or more|minimum/],
  [
    { endpoints: [written(), written({ path: "/b" })] },
    "/endpoints/1/name",
    /the name of \/endpoints\/0 already/,
  ],
];

test("each mistake is an error with its place", () => {
  for (const [given, pointer, reason] of MISTAKES) {
    assert.throws(() => readEndpoints(given), (cause: Error & { pointer?: string }) => {
      assert.equal(cause.name, "GatewayError", String(cause.stack));
      assert.equal(cause.pointer, pointer, cause.message);
      assert.match(cause.message, reason);
      return true;
    });
  }
});

/** The input schema and the output schema of the tool of a file with one endpoint. */
function schemasOf(description: Description): Written[] {
  const { inputSchema, outputSchema } = createGateway({ description, base: BASE }).tools[0]!.definition;
  return [inputSchema as Written, outputSchema as Written];
}

test("what was read is frozen all the way down, and apart from what it was read from", () => {
  // deno-lint-ignore no-explicit-any
  const given = inPath({ schema: { type: "integer" } }) as any;
  const description = readEndpoints(given);
  given.endpoints[0].parameters[0].schema.type = "string";
  assert.deepEqual(schemasOf(description)[0]!["properties"], { id: { type: "integer" } });
  // deno-lint-ignore no-explicit-any
  const { endpoints } = description as any;
  assert.throws(() => endpoints.push(1), TypeError);
  assert.throws(() => endpoints[0].path = "/b", TypeError);
  assert.throws(() => endpoints[0].tags.push("x"), TypeError);
});

test("definitions are shared, and each schema has those that it needs", () => {
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
  // One that is not an object is put under a member, and its references with it.
  readEndpoints(file({ response: { type: "array", items: { $ref: "#" } } }));
});

test("nothing of the operator's own words is cut, renamed or added to", async () => {
  const [description, title] = ["A long description. ".repeat(100).trim(), "T".repeat(200)];
  const parameters = [{ name: "filter[a]", argument: "a", in: "query", description: "Which." }];
  const read = readEndpoints(file({ description, title, parameters }));
  assert.deepEqual([read.endpoints[0]!.description, read.endpoints[0]!.title], [description, title]);
  assert.deepEqual(schemasOf(read)[0]!["properties"], { a: { type: "string", description: "Which." } });
  const sent = await probeFile({ parameters })({ a: "" }) as Sent;
  assert.equal(sent.target, "/probe?filter%5Ba%5D=");
});
