/** Bodies that an API accepts in several media types: the one that the value needs is sent, and the caller can choose another. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Sent, Written } from "./gateways.ts";
import { table } from "../harness/table.ts";
import { textOf } from "../mcp/server/tool_client.ts";
import { confirm, openApi, serve, tokenOf } from "./gateways.ts";

const TYPES: Readonly<Record<string, string>> = {
  JSON: "application/json",
  FORM: "application/x-www-form-urlencoded",
  MULTI: "multipart/form-data",
  BYTES: "application/octet-stream",
  PATCH: "application/json-patch+json",
  MERGE: "application/merge-patch+json",
  STRATEGIC: "application/strategic-merge-patch+json",
  APPLY: "application/apply-patch+yaml",
  API: "application/vnd.api+json",
  TEXT: "text/plain",
  CSV: "text/csv",
  PNG: "image/png",
  ANY: "*/*",
};
const typeOf = (name: string): string => TYPES[name] ?? name;

const SCHEMAS: Readonly<Record<string, unknown>> = {
  object: { type: "object" },
  open: {},
  list: { type: "array", items: { type: "object" } },
  file: { type: "object", required: ["file"], properties: { file: { type: "string", format: "binary" } } },
  files: {
    type: "object",
    properties: { files: { type: "array", items: { type: "string", format: "binary" } } },
  },
  maybe: {
    type: "object",
    properties: { file: { anyOf: [{ type: "string", contentMediaType: "image/png" }, { type: "null" }] } },
  },
  part: { allOf: [{ $ref: "#/components/schemas/file" }, { properties: { note: { type: "string" } } }] },
  url: {
    type: "object",
    required: ["url"],
    properties: { url: { type: "string" } },
    additionalProperties: false,
  },
  named: { type: "object", properties: { name: { type: "string" } } },
  text: { type: "string" },
  binary: { type: "string", format: "binary" },
};

/** The method, the types of the body with their schemas, the arguments, and the sent type and body, or the error. */
const CHOSEN = String.raw`
  post JSON=file MULTI=file | {"body":{"file":"aGVsbG8="}} | MULTI hello
  post FORM=file MULTI=file | {"body":{"file":"aGVsbG8="}} | MULTI hello
  post JSON=files FORM=files MULTI=files | {"body":{"files":["aGVsbG8="]}} | MULTI hello
  post JSON=part MULTI=part | {"body":{"file":"aGVsbG8="}} | MULTI hello
  post JSON=maybe MULTI=maybe | {"body":{"file":"aGVsbG8="}} | MULTI hello
  post JSON=file FORM=file | {"body":{"file":"AP8h"}} | FORM file=%00%FF%21
  post JSON=binary BYTES=binary | {"body":"aGVsbG8="} | BYTES hello
  post JSON=binary PNG=binary | {"body":"aGVsbG8="} | PNG hello
  post MULTI=file JSON=url | {"body":{"file":"aGVsbG8="}} | MULTI hello
  post MULTI=file JSON=url | {"body":{"url":"x"}} | JSON {"url":"x"}
  post MULTI=files JSON=named | {"body":{"name":"x"}} | JSON {"name":"x"}
  post JSON=file | {"body":{"file":"aGVsbG8="}} | JSON {"file":"aGVsbG8="}
  post JSON=file MULTI=file | {"body":{"file":"aGVsbG8="},"body_type":"application/json"} | JSON {"file":"aGVsbG8="}
  post JSON=file MULTI=file | {"body":{"file":"aGVsbG8="},"body_type":null} | MULTI hello
  post JSON=file MULTI=file | {"body":{"file":"aGVsbG8="},"body_type":"text/csv"} | ERROR /body_type: Expected "multipart/form-data" or "application/json"
  post JSON=file MULTI=file | {"body":{"file":1}} | ERROR /body/file: Expected a string
  post JSON=object TEXT=text | {"body":{"a":1}} | JSON {"a":1}
  post JSON=object TEXT=text | {"body":"a"} | TEXT a
  post CSV=text JSON=list | {"body":"a,b"} | CSV a,b
  post CSV=text JSON=list | {"body":[{"a":1}]} | JSON [{"a":1}]
  post CSV=text JSON=list | {"body":1} | ERROR /body: Expected
  post BYTES=open JSON=object | {"body":"aGVsbG8="} | BYTES hello
  post BYTES=open JSON=object | {"body":{}} | JSON {}
  post FORM=named JSON=named | {"body":{"name":"x"}} | JSON {"name":"x"}
  post FORM=named JSON=named | {"body":{"name":"x"},"body_type":"application/x-www-form-urlencoded"} | FORM name=x
  post FORM=named MULTI=named | {"body":{"name":"x"}} | FORM name=x
  post API=object JSON=object | {"body":{}} | JSON {}
  post API=object JSON=object | {"body":{},"body_type":"application/vnd.api+json"} | API {}
  post ANY=object JSON=object | {"body":{}} | JSON {}
  post PATCH=list JSON=list ANY=list | {"body":[{}]} | JSON [{}]
  patch APPLY=object PATCH=object MERGE=object | {"body":{"spec":{"replicas":2}}} | MERGE {"spec":{"replicas":2}}
  patch APPLY=object PATCH=object MERGE=object | {"body":[{"op":"remove","path":"/a"}]} | PATCH [{"op":"remove","path":"/a"}]
  patch PATCH=object MERGE=object STRATEGIC=object | {"body":{"a":1}} | MERGE {"a":1}
  patch PATCH=object MERGE=object STRATEGIC=object | {"body":{"a":1},"body_type":"application/strategic-merge-patch+json"} | STRATEGIC {"a":1}
  patch STRATEGIC=object PATCH=object | {"body":{"a":1}} | STRATEGIC {"a":1}
  patch STRATEGIC=object PATCH=object | {"body":[{"op":"add","path":"/a","value":{"b":null}}]} | PATCH [{"op":"add","path":"/a","value":{"b":null}}]
  patch PATCH=object | {"body":[{"op":"test","path":"","value":1}]} | PATCH [{"op":"test","path":"","value":1}]
  patch PATCH=list | {"body":[{"op":"x"}]} | PATCH [{"op":"x"}]
  patch PATCH=open MERGE=open | {"body":[{"op":"copy","from":"/a","path":"/b"}]} | PATCH [{"op":"copy","from":"/a","path":"/b"}]
  patch PATCH=named MERGE=named | {"body":[{"op":"copy"}]} | ERROR /body/0: Expected a member "path"
  patch PATCH=named MERGE=named | {"body":{"name":1}} | ERROR /body/name: Expected a string
  patch PATCH=named MERGE=named JSON=named | {"body":{"name":"x"}} | MERGE {"name":"x"}
  patch JSON=named PATCH=named | {"body":{"name":"x"}} | JSON {"name":"x"}
  patch JSON=named PATCH=named | {"body":[{"op":"remove","path":"/a"}]} | PATCH [{"op":"remove","path":"/a"}]
  post application/graphql=text | {"body":"{a}"} | application/graphql {a}
  post application/sql=text | {"body":"select é"} | application/sql select é
  post application/jwt=text | {"body":"a.b.c"} | application/jwt a.b.c
  post application/x-ndjson=text | {"body":"{}\n{}"} | application/x-ndjson {}\n{}
  post application/yaml=text | {"body":"a: 1"} | application/yaml a: 1
  post application/xml=text | {"body":"<a/>"} | application/xml <a/>
  post BYTES=text | {"body":"aGVsbG8="} | BYTES hello
  post PNG=text | {"body":"aGVsbG8="} | PNG hello
  post application/graphql=binary | {"body":"aGVsbG8="} | application/graphql hello
  post application/sql=open | {"body":"aGVsbG8="} | application/sql hello
`;

/** A client of one operation whose body has these types. */
function bodies(spec: string, rest: Written = {}) {
  const [method = "", ...types] = spec.split(" ");
  const content = Object.fromEntries(types.map((one) => {
    const [type = "", schema = ""] = one.split("=");
    return [typeOf(type), { schema: { $ref: `#/components/schemas/${schema}` } }];
  }));
  const operation = { operationId: "probe", requestBody: { content }, responses: {} };
  const document = openApi({ "/a": { [method]: operation } }, { components: { schemas: SCHEMAS } });
  return serve(document, { allowDestructive: true, ...rest });
}

/** The type and the body of a request; of multipart, the content of the only part. */
function shown({ headers, body }: Sent): string {
  const type = headers["content-type"]!.split(";", 1)[0]!;
  const name = Object.keys(TYPES).find((one) => TYPES[one] === type) ?? type;
  return `${name} ${name === "MULTI" ? body.split("\r\n\r\n")[1]!.split("\r\n")[0] : body}`;
}

test("of several media types, the value decides, and the caller can choose", async () => {
  for (const [spec, args, wanted] of table(CHOSEN)) {
    const client = await bodies(spec, { confirm });
    const answer = await client.call("probe", JSON.parse(args));
    const [sent] = client.sent;
    const found = sent
      ? shown(sent).replace("\n", "\\n")
      : `ERROR ${textOf(answer).replace(/^.* fit: /, "")}`;
    assert.ok(
      wanted.startsWith("ERROR ") ? found.startsWith(wanted) : found === wanted,
      `${spec} ${args}: ${found}`,
    );
  }
});

test("the description of a tool, its schema and the plan name the media types", async () => {
  const client = await bodies("patch APPLY=object PATCH=object MERGE=object STRATEGIC=named");
  const [tool] = await client.list() as [{ description: string; inputSchema: { properties: Written } }];
  const types = ["PATCH", "MERGE", "STRATEGIC"].map(typeOf);
  assert.ok(tool.description.includes(`The body is sent as ${types.join(" or ")}`), tool.description);
  const { body_type, body } = tool.inputSchema.properties as {
    body_type: Written;
    body: { anyOf: Written[] };
  };
  assert.deepEqual(body_type["enum"], types);
  assert.equal(body.anyOf.length, 3);
  const args = { body: { a: 1 } };
  const plan = await client.call("probe", args);
  assert.ok(textOf(plan).includes(`PATCH /a as ${typeOf("MERGE")} with the arguments {"body":{"a":1}}`));
  await client.call("probe", { ...args, confirmation_token: tokenOf(plan) });
  assert.deepEqual(client.sent.map(shown), ['MERGE {"a":1}']);
  const other = await client.call("probe", { ...args, body_type: typeOf("STRATEGIC") });
  assert.ok(textOf(other).includes(`PATCH /a as ${typeOf("STRATEGIC")} with the arguments`));
  const one = await bodies("post JSON=object", { confirm });
  const [only] = await one.list() as [{ description: string; inputSchema: { properties: Written } }];
  assert.equal(only.description.includes("sent as"), false);
  assert.equal(Object.hasOwn(only.inputSchema.properties, "body_type"), false);
});

test("a media type whose schema cannot be used does not cost the others", async () => {
  const content = { [typeOf("MULTI")]: { schema: { $ref: "#/nothing" } }, [typeOf("JSON")]: {} };
  const parameters = [{ name: "body_type", in: "query", schema: {} }];
  const operation = { operationId: "probe", parameters, requestBody: { content }, responses: {} };
  const client = await serve(openApi({ "/a": { post: operation } }), { allowDestructive: true, confirm });
  await client.call("probe", { body: 1, body_type: "mine" });
  assert.deepEqual(client.sent.map(({ target, body }) => `${target} ${body}`), ["/a?body_type=mine 1"]);
});
