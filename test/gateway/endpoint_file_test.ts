// deno-lint-ignore-file no-explicit-any
/** Is a mistake in an endpoint file found at the start, and at its place? */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Written } from "./gateways.ts";
import { readEndpoints } from "../../lib/gateway/endpoint_file.ts";
import { written } from "./gateways.ts";

/** A file with one endpoint that says this. */
const file = (endpoint: Written, rest: Written = {}): unknown => ({
  endpoints: [written(endpoint)],
  ...rest,
});
const parameter = (said: Written): Written => ({
  path: "/a/{id}",
  parameters: [{ name: "id", in: "path", ...said }],
});

const parameters = (schema: Written): Written => ({
  parameters: ["a", "b"].map((name) => ({ name, in: "query", schema })),
});
const posted = (schema: Written): Written => ({ method: "POST", body: { schema } });
/** Two parameters of one place, with arguments of their own. */
const twice = (place: string, one: string, other: string, path = "/a"): Written => ({
  path,
  parameters: [{ name: one, in: place, argument: "x" }, { name: other, in: place, argument: "y" }],
});

const MISTAKES: readonly (readonly [unknown, string, RegExp])[] = [
  [[], "", /Expected an object/],
  [{}, "", /endpoints/],
  [{ endpoints: [] }, "/endpoints", /at least 1 item/],
  [{ endpoints: [written()], more: 1 }, "/more", /Expected no members but/],
  [file({ methods: "GET" }), "/endpoints/0/methods", /Expected no members but/],
  [file({ name: undefined }), "/endpoints/0", /name/],
  [file({ name: "a b" }), "/endpoints/0/name", /1 to 48 letters/],
  [file({ name: "a".repeat(49) }), "/endpoints/0/name", /1 to 48 letters/],
  [file({ method: "get" }), "/endpoints/0/method", /"GET"/],
  [file({ method: "TRACE" }), "/endpoints/0/method", /"GET"/],
  [file({ path: "users" }), "/endpoints/0/path", /pattern/],
  [file({ path: "/a/../b" }), "/endpoints/0/path", /no segment/],
  [file({ path: "/a/{id}" }), "/endpoints/0/path", /no path parameter "id"/],
  [
    file({ parameters: [{ name: "id", in: "path" }] }),
    "/endpoints/0/parameters/0/name",
    /no \{id\} in the path/,
  ],
  [file(parameter({ required: false })), "/endpoints/0/parameters/0/required", /always required/],
  [file(parameter({ style: "form" })), "/endpoints/0/parameters/0/style", /simple, label, matrix/],
  [file(parameter({ schema: { type: "int" } })), "/endpoints/0/parameters/0/schema/type", /The schema /],
  [
    file(parameter({ schema: { $ref: "#/$defs/no" } })),
    "/endpoints/0/parameters/0/schema/$ref",
    /The schema /,
  ],
  [
    file(posted({ properties: { a: { type: "string" }, b: { $ref: "#/properties/a" } } })),
    "/endpoints/0/body/schema/properties/b/$ref",
    /"#\/properties\/a", which is no definition of the file: .*"#\/\$defs\/name"/,
  ],
  [
    file(posted({ properties: { child: { $ref: "#" } } })),
    "/endpoints/0/body/schema/properties/child/$ref",
    /refers to "#", which is no definition/,
  ],
  [
    file(parameter({ schema: { $defs: { a: { type: "integer" } }, $ref: "#/$defs/a" } })),
    "/endpoints/0/parameters/0/schema/$ref",
    /no definition of the file/,
  ],
  [
    file({}, { definitions: { "a/b": { items: [{ $ref: "#" }], allOf: [{ $ref: "#/properties/a" }] } } }),
    "/definitions/a~1b/items/0/$ref",
    /no definition of the file/,
  ],
  [
    file(parameters({ $id: "https://example.com/a" })),
    "/endpoints/0/parameters/1/schema/$id",
    /: The schema's \$id is the URI of another schema/,
  ],
  [
    file(parameters({ $anchor: "a" })),
    "/endpoints/0/parameters/1/schema/$anchor",
    /: The schema's \$anchor is the anchor of another/,
  ],
  [
    file(parameter({ schema: { pattern: "(" } })),
    "/endpoints/0/parameters/0/schema/pattern",
    /regular expression/,
  ],
  [file(parameter({ argument: "a b" })), "/endpoints/0/parameters/0/argument", /cannot be the name/],
  [
    file({ parameters: [{ name: "filter[a]", in: "query" }] }),
    "/endpoints/0/parameters/0/name",
    /give another one as "argument"/,
  ],
  [
    file({ parameters: [{ name: "confirmation_token", in: "query" }] }),
    "/endpoints/0/parameters/0/name",
    /cannot be the name/,
  ],
  [
    file({ parameters: [{ name: "Authorization", in: "header" }] }),
    "/endpoints/0/parameters/0/name",
    /No argument may be the header/,
  ],
  [
    file({ parameters: [{ name: "Host", in: "header" }] }),
    "/endpoints/0/parameters/0/name",
    /No argument may be the header/,
  ],
  [
    file({ parameters: [{ name: "X-Forwarded-For", in: "header" }] }),
    "/endpoints/0/parameters/0/name",
    /No argument may be/,
  ],
  [
    file({ parameters: [{ name: "a", in: "query" }, { name: "a", in: "header" }] }),
    "/endpoints/0/parameters/1",
    /argument already/,
  ],
  [
    file(twice("query", "id", "id")),
    "/endpoints/0/parameters/1/name",
    /a query parameter "id" already, at \/endpoints\/0\/parameters\/0$/,
  ],
  [file(twice("path", "id", "id", "/a/{id}")), "/endpoints/0/parameters/1/name", /a path parameter "id"/],
  [file(twice("header", "X-A", "x-a")), "/endpoints/0/parameters/1/name", /a header parameter "x-a"/],
  [file({ body: { schema: true } }), "/endpoints/0/body", /GET has no body/],
  [file({ method: "PUT", safe: true }), "/endpoints/0/safe", /always changes something/],
  [file({ auth: ["key"] }), "/endpoints/0/auth/0", /no "key" in \/auth/],
  [file({}, { auth: { key: { type: "header" } } }), "/auth/key", /name/],
  [file({}, { auth: { key: { type: "bearer", name: "x" } } }), "/auth/key/name", /nothing|no value/],
  [file({ timeoutMs: 0 }), "/endpoints/0/timeoutMs", /at least 1|1 or more|minimum/],
  [
    file({ response: { $ref: "#/$defs/a" } }, { definitions: { a: { type: "nothing" } } }),
    "/definitions/a/type",
    /The schema /,
  ],
  [
    { endpoints: [written(), written({ path: "/b" })] },
    "/endpoints/1/name",
    /the name of \/endpoints\/0 already/,
  ],
];

for (const [given, pointer, reason] of MISTAKES) {
  test(`a mistake is found at ${pointer || "the root"}: ${reason.source}`, () => {
    assert.throws(() => readEndpoints(given), (cause: Error & { pointer?: string }) => {
      assert.equal(cause.name, "GatewayError");
      assert.equal(cause.pointer, pointer, cause.message);
      assert.match(cause.message, reason);
      return true;
    });
  });
}

test("what was read is frozen all the way down, and apart from what it was read from", () => {
  const given = file(parameter({ schema: { type: "integer" } })) as { endpoints: any[] };
  const { endpoints } = readEndpoints(given);
  given.endpoints[0].parameters[0].schema.type = "string";
  assert.deepEqual(endpoints[0]!.parameters[0]!.schema, { type: "integer" });
  assert.throws(() => (endpoints as any).push(1), TypeError);
  assert.throws(() => (endpoints[0] as any).path = "/b", TypeError);
  assert.throws(() => (endpoints[0] as any).parameters[0].schema.type = "string", TypeError);
});

test("definitions are shared, and each endpoint has those that it needs", () => {
  const { endpoints } = readEndpoints({
    definitions: {
      a: { $ref: "#/$defs/b" },
      b: { type: "object", properties: { a: { $ref: "#/$defs/a" } } },
      c: true,
    },
    endpoints: [written({ response: { $ref: "#/$defs/a" } })],
  });
  assert.deepEqual(Object.keys(endpoints[0]!.response!.definitions).sort(), ["a", "b"]);
  assert.deepEqual(endpoints[0]!.definitions, {});
});

test("a schema may refer to definitions, an answer to itself, and a schema with a URI to its own parts", () => {
  const { endpoints } = readEndpoints({
    definitions: { tree: { type: "object", properties: { child: { $ref: "#/$defs/tree" } } } },
    endpoints: [written({
      method: "POST",
      safe: true,
      body: { schema: { $ref: "#/$defs/tree", default: { $ref: "#" } } },
      parameters: [
        { name: "a", in: "query", schema: { $id: "https://example.com/a", items: { $ref: "#" } } },
        { name: "b", in: "query", schema: { $ref: "#/$defs/tree/properties/child" } },
      ],
      response: { type: "object", properties: { self: { $ref: "#" } } },
    })],
  });
  assert.deepEqual(Object.keys(endpoints[0]!.definitions), ["tree"]);
  // One that is no object is put under a member, and its references with it.
  readEndpoints(file({ response: { type: "array", items: { $ref: "#" } } }));
});
