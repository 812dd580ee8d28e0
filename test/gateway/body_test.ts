/** Is a form written as it is described? What the encoding of its fields says, and what their schemas say. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Written } from "./gateways.ts";
import { encodeBody } from "../../lib/gateway/body.ts";
import { onlyEndpoint } from "./gateways.ts";

/** What a value becomes as a form of fields with these schemas. */
function sent(type: string, properties: Written, value: unknown, encoding: Written = {}): string {
  const schema = { type: "object", properties };
  const operation = { requestBody: { content: { [type]: { schema, encoding } } }, responses: {} };
  const { body } = onlyEndpoint(operation, { openapi: "3.1.0" }, "/probe", "post");
  return new TextDecoder().decode(encodeBody(body!, value).bytes);
}

/** The parts of a multipart body: what each says of its type, and what it holds. */
function parts(properties: Written, value: unknown, encoding?: Written): (string | undefined)[][] {
  const text = sent("multipart/form-data", properties, value, encoding);
  const [boundary] = text.split("\r\n", 1);
  return text.split(boundary!).slice(1, -1).map((part) => {
    const [head = "", ...content] = part.trim().split("\r\n\r\n");
    return [/^content-type: (.*)$/m.exec(head)?.[1], content.join("\r\n\r\n")];
  });
}

const BINARY = { type: "string", format: "binary" };

test("each file of a list is a part of its own, with the type that is said of it", () => {
  const files = { type: "array", items: BINARY };
  assert.deepEqual(parts({ files }, { files: ["aGk=", "aG8="] }), [
    ["application/octet-stream", "hi"],
    ["application/octet-stream", "ho"],
  ]);
  assert.deepEqual(parts({ files }, { files: ["aGk=", "aG8="] }, { files: { contentType: "image/png" } }), [
    ["image/png", "hi"],
    ["image/png", "ho"],
  ]);
  const texts = { type: "array", items: { type: "string" } };
  assert.deepEqual(parts({ texts }, { texts: ["a", "b"] }, { texts: { contentType: "text/plain" } }), [
    ["text/plain", "a"],
    ["text/plain", "b"],
  ]);
  assert.deepEqual(parts({ texts }, { texts: ["a", "b"] }, { texts: { contentType: "application/json" } }), [
    ["application/json", '["a","b"]'],
  ]);
});

test("a file is bytes however its schema says so: one that may be null, one of several, one with a media type", () => {
  const bytes: Written[] = [
    { anyOf: [BINARY, { type: "null" }] },
    { oneOf: [BINARY, { type: "array", items: BINARY }] },
    { allOf: [BINARY] },
    { type: ["string", "null"], format: "binary" },
  ];
  for (const file of bytes) {
    assert.deepEqual(parts({ file }, { file: "aGk=" }), [["application/octet-stream", "hi"]]);
  }
  const image = { type: "string", contentMediaType: "image/png" };
  assert.deepEqual(parts({ file: image }, { file: "aGk=" }), [["image/png", "hi"]]);
  assert.deepEqual(parts({ file: image }, { file: "aGk=" }, { file: { contentType: "image/webp" } }), [
    ["image/webp", "hi"],
  ]);
  const texts: Written[] = [
    { type: "string", contentMediaType: "text/csv" },
    { type: "string", contentMediaType: "image/svg+xml" },
    { type: "string", contentMediaType: "image/png", contentEncoding: "base64" },
    { anyOf: [BINARY, { type: "string", format: "uri" }] },
  ];
  for (const file of texts) assert.deepEqual(parts({ file }, { file: "aGk=" }), [[undefined, "aGk="]]);
});

test("a field that is described as JSON is JSON in every form: a text has its quotes, a list is one", () => {
  const any = { meta: {} };
  const encoding = { meta: { contentType: "application/json" } };
  for (const value of ["x", 1, true, null, ["a", "b"], [], { a: 1 }]) {
    const json = JSON.stringify(value);
    assert.deepEqual(parts(any, { meta: value }, encoding), [["application/json", json]]);
    assert.equal(
      sent("application/x-www-form-urlencoded", any, { meta: value }, encoding),
      `meta=${encodeURIComponent(json)}`,
    );
  }
  assert.deepEqual(
    parts(any, { meta: "x" }, { meta: { contentType: "application/merge-patch+json; charset=utf-8" } }),
    [[
      "application/merge-patch+json; charset=utf-8",
      '"x"',
    ]],
  );
});

test("in a form nothing passes for something else: null, null in a list, and a list with nothing in it are refused", () => {
  for (const type of ["application/x-www-form-urlencoded", "multipart/form-data"]) {
    for (const a of [null, ["x", null]]) {
      assert.throws(
        () => sent(type, { a: {} }, { a }),
        /^ToolValidationError: a: null cannot be written here; leave it out$/,
      );
    }
    assert.throws(() => sent(type, { a: {} }, { a: [] }), /^ToolValidationError: a: .* nothing in it/);
  }
  assert.throws(
    () => sent("multipart/form-data", { a: BINARY }, { a: null }),
    /a: null cannot be written here/,
  );
  // Within a value that is JSON, null is null.
  assert.deepEqual(parts({ a: {} }, { a: { b: null } }), [["application/json", '{"b":null}']]);
});
