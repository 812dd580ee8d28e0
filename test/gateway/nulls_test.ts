/** Null for an optional parameter or field means that it is not given. Clients in strict mode send it for every argument. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Sent, Written } from "./gateways.ts";
import { table } from "../harness/table.ts";
import { probeOpenApi } from "./gateways.ts";

/** The place of a parameter called q, its style and members, the version, its schema, a value, and what is sent, or the error. */
const PARAMETERS = String.raw`
  query {} | {"anyOf":[{"type":"string"},{"type":"null"}]} | null | /probe
  query {} | {"type":["string","null"]} | null | /probe
  query {} | {"type":["string","null"]} | "null" | /probe?q=null
  query {} | {"type":"string"} | null | ERROR /q: Expected a string, but got null
  query {"required":true} | {"type":["string","null"]} | null | ERROR q: null cannot be sent here, and the API requires a value
  query {} | {"type":["array","null"]} | [null] | ERROR q: null cannot be sent here; leave it out
  query {} | {"type":"object"} | {"a":null,"b":1} | /probe?b=1
  query {} | {"type":"object"} | {"a":null} | /probe
  query {"required":true} | {"type":"object"} | {"a":null} | ERROR q: null cannot be sent here, and the API requires a value
  query {"explode":false} | {"type":"object"} | {"a":null,"b":1} | /probe?q=b,1
  query {"style":"deepObject"} | {"type":"object"} | {"a":null,"b":{"c":null,"d":1}} | /probe?q%5Bb%5D%5Bd%5D=1
  query {"style":"deepObject"} | {"type":"object"} | {"a":{"b":null}} | /probe
  query {"style":"deepObject"} | {"type":"object"} | {"a":[null]} | ERROR q[a][0]: null cannot be sent here
  query {"style":"deepObject"} | {"type":"object"} | {"ü b":[]} | ERROR q[ü b]: an empty list or object cannot be sent here
  query {"style":"deepObject"} | {"type":"object","properties":{"a":{"type":"string"}}} | {"a":null} | ERROR /q/a: Expected a string
  query {"style":"pipeDelimited"} | {"type":["array","null"]} | null | /probe
  query {"content":{"application/json":{"schema":{}}}} | {} | null | /probe?q=null
  query {"content":{"application/json":{"schema":{}}}} | {} | {"a":null} | /probe?q=%7B%22a%22%3Anull%7D
  header {} | {"type":["string","null"]} | null | HEADER none
  header {} | {"type":"object"} | {"a":null,"b":1} | HEADER b,1
  header {"required":true} | {"type":["integer","null"]} | null | ERROR q: null cannot be sent here, and the API requires a value
  cookie {} | {"type":["string","null"]} | null | COOKIE none
  cookie {} | {"type":"object"} | {"a":null,"b":1} | COOKIE b=1
  path {"required":true} | {"type":["string","null"]} | null | ERROR q: null cannot be sent here, and the API requires a value
`;

test("null of an optional parameter, or of a member of one, leaves it out", async () => {
  for (const [where, schema, value, wanted] of table(PARAMETERS)) {
    const [place, members = ""] = where.split(/ (.*)/s, 2);
    const parameter = { name: "q", in: place, schema: JSON.parse(schema), ...JSON.parse(members) };
    const path = place === "path" ? "/probe/{q}" : "/probe";
    const sent = await probeIn(path, { parameters: [parameter] }, { q: JSON.parse(value) });
    const found = typeof sent === "string" ? `ERROR ${sent.replace(/^The .*? fit: /, "")}` : sent.target;
    const shown = typeof sent === "string"
      ? found
      : wanted.startsWith("HEADER")
      ? `HEADER ${sent.headers["q"] ?? "none"}`
      : wanted.startsWith("COOKIE")
      ? `COOKIE ${sent.headers["cookie"] ?? "none"}`
      : found;
    assert.ok(
      wanted.startsWith("ERROR ") ? shown.startsWith(wanted) : shown === wanted,
      `${value}: ${shown}`,
    );
  }
});

const FORM = "application/x-www-form-urlencoded";

/** The schema of a form, its encoding, a value, and the form, or the error. */
const FORMS = String.raw`
  {"type":"object"} | {} | {"a":null,"b":1} | b=1
  {"type":"object"} | {} | {"a":null} | -
  {"type":"object","required":["a"]} | {} | {"a":null} | ERROR a: null cannot be sent here, and the API requires a value
  {"allOf":[{"required":["a"]}]} | {} | {"a":null} | ERROR a: null cannot be sent here, and the API requires a value
  {"type":"object","properties":{"a":{"type":"string"}}} | {} | {"a":null} | ERROR /body/a: Expected a string
  {"type":"object"} | {"a":{"style":"deepObject"}} | {"a":{"b":null,"c":1}} | a[c]=1
  {"type":"object"} | {"a":{"style":"deepObject"}} | {"a":{"b":null}} | -
  {"type":"object"} | {"a":{"contentType":"application/json"}} | {"a":null} | a=null
  {"type":"object"} | {} | {"a":{"b":null}} | a={"b":null}
  {"type":"object"} | {} | {"a":["x",null]} | ERROR a: null cannot be sent here; leave it out
`;

test("null of an optional field leaves it out, in both kinds of forms", async () => {
  for (const [schema, encoding, value, wanted] of table(FORMS)) {
    for (const type of [FORM, "multipart/form-data"]) {
      const content = { [type]: { schema: JSON.parse(schema), encoding: JSON.parse(encoding) } };
      const operation = { requestBody: { content } };
      const sent = await probeIn("/probe", operation, { body: JSON.parse(value) }, "post");
      // The style deepObject is only for the other kind.
      if (type !== FORM && encoding.includes("deepObject")) continue;
      const found = typeof sent === "string"
        ? `ERROR ${sent.replace(/^The .*? fit: /, "")}`
        : fieldsOf(sent, type);
      assert.ok(
        wanted.startsWith("ERROR ") ? found.startsWith(wanted) : found === wanted,
        `${type} ${value}: ${found}`,
      );
    }
  }
});

/** The fields of a form as "a=1&b=2", "-" without any. */
function fieldsOf({ body }: Sent, type: string): string {
  if (type === FORM) return decodeURIComponent(body) || "-";
  const parts = Array.from(body.matchAll(/name="(\w+)"\r\n(?:content-type: .*\r\n)?\r\n(.*)\r\n/g));
  return parts.map(([, name, value]) => `${name}=${value}`).join("&") || "-";
}

/** Calls the only operation of a document of OpenAPI 3.1. */
function probeIn(path: string, operation: Written, args: Written, method = "get"): Promise<Sent | string> {
  return probeOpenApi(operation, { openapi: "3.1.0" }, method, path)(args);
}
