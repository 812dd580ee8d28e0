/** Where values go in a request: to their place, encoded in their style, and nowhere else. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { GatewayOptions, OpenApiOptions } from "../../lib/gateway/mod.ts";
import type { ToolClient } from "../mcp/server/tool_client.ts";
import type { Sent, Written } from "./gateways.ts";
import { createGateway, readEndpoints, readOpenApi } from "../../lib/gateway/mod.ts";
import { BASE, openApi, probeFile, probeOpenApi, serve, serveOne, written } from "./gateways.ts";
import { replaceNetwork } from "../harness/names.ts";
import { table } from "../harness/table.ts";
import { connect, textOf } from "../mcp/server/tool_client.ts";

/**
 * Place, style (exploded with a star) and value of a parameter called q, and what is written or said: first the table of
 * https://spec.openapis.org/oas/v3.1.1.html#style-examples, then what must not pass for a separator.
 */
const VALUES = String.raw`
  path matrix | "" | ;q
  path matrix | "blue" | ;q=blue
  path matrix | ["blue","black","brown"] | ;q=blue,black,brown
  path matrix | {"R":100,"G":200,"B":150} | ;q=R,100,G,200,B,150
  path matrix* | "blue" | ;q=blue
  path matrix* | ["blue","black","brown"] | ;q=blue;q=black;q=brown
  path matrix* | {"R":100,"G":200,"B":150} | ;R=100;G=200;B=150
  path matrix* | [] | ERROR q: an empty list or object
  path label | "blue" | .blue
  path label | ["blue","black","brown"] | .blue,black,brown
  path label | {"R":100,"G":200,"B":150} | .R,100,G,200,B,150
  path label | ["a.b","c"] | .a.b,c
  path label* | "blue" | .blue
  path label* | ["blue","black","brown"] | .blue.black.brown
  path label* | {"R":100,"G":200,"B":150} | .R=100.G=200.B=150
  path label* | ["a,b","c=d"] | .a%2Cb.c%3Dd
  path label* | "a.b" | .a.b
  path label* | "" | ERROR q: a part of a path must not be empty, "." or ".."
  path label* | ["a.b","c"] | ERROR q: an item must not contain ".", which separates items
  path label* | {"a":1.5} | ERROR q: an item must not contain ".", which separates items
  path label* | {"a.b":1} | ERROR q: an item must not contain ".", which separates items
  path simple | "" | ERROR q: a part of a path must not be empty, "." or ".."
  path simple | "blue" | blue
  path simple | ["blue","black","brown"] | blue,black,brown
  path simple | {"R":100,"G":200,"B":150} | R,100,G,200,B,150
  path simple* | ["blue","black","brown"] | blue,black,brown
  path simple* | {"R":100,"G":200,"B":150} | R=100,G=200,B=150
  query form | "" | q=
  query form | "blue" | q=blue
  query form | ["blue","black","brown"] | q=blue,black,brown
  query form | {"R":100,"G":200,"B":150} | q=R,100,G,200,B,150
  query form | ["a,b","c&d=e"] | q=a%2Cb,c%26d%3De
  query form* | "" | q=
  query form* | ["blue","black","brown"] | q=blue&q=black&q=brown
  query form* | {"R":100,"G":200,"B":150} | R=100&G=200&B=150
  query form* | null | /probe
  query form* | [null] | ERROR q: null cannot be sent here
  query form* | [{"a":1}] | ERROR q: a nested object or list
  query form* | {"a":{"b":1}} | ERROR q/a: a nested object or list
  query form* | "\ud800" | ERROR q: a lone surrogate
  query form* | {"\udfff":1} | ERROR q: a lone surrogate
  query deepObject* | {"\udfff":1} | ERROR A name with a lone surrogate
  query form* | [] | ERROR q: an empty list or object
  query form* | {} | ERROR q: an empty list or object
  query spaceDelimited | ["blue","black","brown"] | q=blue%20black%20brown
  query spaceDelimited | {"R":100,"G":200,"B":150} | q=R%20100%20G%20200%20B%20150
  query spaceDelimited | ["a b"] | ERROR q: an item must not contain " ", which separates items
  query pipeDelimited | ["blue","black","brown"] | q=blue%7Cblack%7Cbrown
  query pipeDelimited | {"R":100,"G":200,"B":150} | q=R%7C100%7CG%7C200%7CB%7C150
  query pipeDelimited | ["a\u007cb"] | ERROR which separates items
  query pipeDelimited | [] | ERROR q: an empty list or object
  query deepObject* | {"R":100,"G":200,"B":150} | q%5BR%5D=100&q%5BG%5D=200&q%5BB%5D=150
  query deepObject* | {"a":{"b":[1,{"c":"x y"}]}} | q%5Ba%5D%5Bb%5D%5B0%5D=1&q%5Ba%5D%5Bb%5D%5B1%5D%5Bc%5D=x%20y
  query deepObject* | {"a":[]} | ERROR q[a]: an empty list or object
  query deepObject* | {} | ERROR q: an empty list or object
  header simple | "blue" | blue
  header simple | ["blue","black","brown"] | blue,black,brown
  header simple | {"R":100,"G":200,"B":150} | R,100,G,200,B,150
  header simple | ["a,b"] | ERROR q: an item must not contain ",", which separates items
  header simple* | ["blue","black","brown"] | blue,black,brown
  header simple* | {"R":100,"G":200,"B":150} | R=100,G=200,B=150
  header simple* | {"a=b":1} | ERROR q: an item must not contain "=", which separates items
`;

test("values are serialized as OpenAPI says, and none can act as a separator", async () => {
  for (const [where, value, wanted] of table(VALUES)) {
    const [place, style, explode] = where.split(/ |(?=\*)/);
    const path = place === "path" ? "/probe/{q}" : "/probe";
    const parameters = [{ name: "q", in: place, style, explode: explode === "*", schema: true }];
    const sent = await probeFile({ path, parameters })({ q: JSON.parse(value) });
    const found = typeof sent === "string"
      ? `ERROR ${sent}`
      : place === "header"
      ? sent.headers["q"]!
      : sent.target.replace(/^\/probe[/?]/, "");
    if (typeof sent !== "string") assert.equal(found, wanted, where);
    else assert.ok(wanted.startsWith("ERROR ") && found.includes(wanted.slice(6)), `${where}: ${found}`);
  }
});

test("reserved characters are kept where OpenAPI says so, except those that separate parameters", async () => {
  const probe = probeOpenApi({ parameters: [{ name: "q", in: "query", allowReserved: true, schema: {} }] });
  const written = async (q: string) => (await probe({ q }) as Sent).url.search.slice(3);
  assert.equal(await written("/a:b?c,d@[e]!$()*;"), "/a:b?c,d@[e]!$()*;");
  assert.equal(await written("name eq 'x'"), "name%20eq%20%27x%27");
  assert.equal(await written("a&b=c#d+e%20 "), "a%26b%3Dc%23d%2Be%2520%20");
  // A parser must not change the URL that is built.
  const all = String.fromCharCode(...Array.from({ length: 0x17f }, (_, code) => code + 1));
  assert.equal(new URLSearchParams(`q=${await written(all)}`).get("q"), all);
});

/** Values that an attacker may try. Those of the first list could lead out of a path. */
const LEADING_OUT = ["..", ".", "../admin", "a/../../admin", "%2e%2e", "%2E%2e/admin", "%252e%252e%252fadmin"]
  .concat("..%2fadmin", "..\\admin", "..;/admin", "..;x=1", "");
const HOSTILE = [...LEADING_OUT, "a/b", "?x=1", "1?x=1#f", "#f", "//evil.example", "http://evil.example/"]
  .concat("@evil.example", ":80@evil.example", "\\\\evil.example", "{id}", "{other}", "a&admin=true", "a=b")
  .concat("a\r\nx-admin: 1", "a\u0000b", "\u2025", "\uff0e\uff0e", " 7 ", "%");

test("a value in a path stays one segment, or is rejected before anything is sent", async () => {
  const probe = probeFile({ path: "/users/{id}/posts", parameters: [{ name: "id", in: "path" }] });
  for (const id of HOSTILE) {
    const sent = await probe({ id });
    assert.equal(typeof sent, LEADING_OUT.includes(id) ? "string" : "object", id);
    if (typeof sent === "string") continue;
    assert.match(sent.url.href, /^https:\/\/api\.example\.com\/v1\/users\/[A-Za-z0-9\-._~%]+\/posts$/, id);
    assert.equal(decodeURIComponent(sent.target.split("/")[2]!), id);
  }
});

const HEADERS = { accept: "*/*", "user-agent": "architrave" };

test("a value in a query stays one value, and one in a header one header", async () => {
  const query = probeFile({ parameters: [{ name: "q", in: "query" }] });
  const header = probeFile({ parameters: [{ name: "X-Probe", in: "header" }] });
  for (const value of HOSTILE) {
    const { url } = await query({ q: value }) as Sent;
    assert.equal(url.origin + url.pathname, `${BASE}/probe`);
    assert.deepEqual([...url.searchParams], [["q", value]]);
    const sent = await header({ "X-Probe": value });
    if (!/^[\x21-\x7e]+$/.test(value)) assert.match(String(sent), /printable ASCII, without spaces/);
    else assert.deepEqual((sent as Sent).headers, { ...HEADERS, "x-probe": value });
  }
  const long = String(await query({ q: "a".repeat(16_000) }));
  assert.match(long, /has 16009 characters; the maximum is 16000/);
});

test("a template is filled in once, and dots next to a value count", async () => {
  const probe = (path: string, names: string[]) =>
    probeFile({ path, parameters: names.map((name) => ({ name, in: "path" })) });
  assert.equal((await probe("/a/{x}/{y}", ["x", "y"])({ x: "{y}", y: "z" }) as Sent).target, "/a/%7By%7D/z");
  assert.equal((await probe("/a b/ü/{x}", ["x"])({ x: "y" }) as Sent).target, "/a%20b/%C3%BC/y");
  assert.match(String(await probe("/a/{x}{y}/b", ["x", "y"])({ x: ".", y: "." })), /"\." or "\.\."/);
  assert.match(String(await probe("/a/.{x}/b", ["x"])({ x: "%2E" })), /"\." (?:and|or) "\.\."/);
  assert.match(String(await probe("/a/{x}{y}/b", ["x", "y"])({ x: "%2", y: "E" })), /"\." or "\.\." segment/);
});

test("an invalid template, or one that leads out, is rejected when it is read", () => {
  const paths = "/../b /a/./b /a/%2e%2E/b /{a /a} /{} /{a}/{a} /a?b /a#b /a\\b /%zz".split(" ");
  for (const path of paths) {
    const read = () => readEndpoints({ endpoints: [written({ path, parameters: [] })] });
    assert.throws(read, { name: "GatewayError", pointer: "/endpoints/0/path" }, path);
  }
});

/** Arguments of the first or second endpoint below, and the parameter that they collide with. */
const TAKEN = String.raw`
  one | {"free":{"deep[a]":1},"deep":{"a":2}} | free/deep[a]: there is another parameter named "deep"
  one | {"free":{"deep[a]":1}} | named "deep"
  one | {"free":{"more[]":1}} | named "more"
  one | {"free":{"more":1}} | named "more"
  one | {"deep":{"b":1}} | deep/deep[b]: there is another parameter named "deep[b]"
  one | {"free":{"x":1},"more":{"x":2}} | more/x: there is another parameter named "x"
  one | {"free":{"x":1},"more":{"x[]":2}} | more/x[]: there is another parameter named "x"
  one | {"c":{"d":1}} | c/d: there is another parameter named "d"
  one | {"c":{"x":1},"d":{"x":2}} | d/x: there is another parameter named "x"
  other | {"free":{"deep[a]":1},"deep":{"a":2}} | named "deep
`;

test("members of an object cannot act as another parameter, in any order, nor as a credential", async () => {
  const schema = { type: "object" };
  const free = { name: "free", in: "query", schema };
  const deep = { name: "deep", in: "query", style: "deepObject", schema: { type: ["object", "integer"] } };
  const bare = { name: "deep[b]", argument: "bare", in: "query" };
  const cookies = ["c", "d"].map((name) => ({ name, in: "cookie", schema }));
  const parameters = [free, deep, bare, { ...free, name: "more" }, ...cookies];
  const one = probeFile({ parameters });
  const other = probeFile({ parameters: [deep, free] });
  for (const [which, args, reason] of table(TAKEN)) {
    const found = String(await (which === "one" ? one : other)(JSON.parse(args)));
    assert.ok(found.includes(reason), found);
  }
  const args = { free: { "x[y]": 1 }, deep: { a: [2] }, more: { z: 3 }, c: { d2: 4 } };
  const { target, headers } = await one(args) as Sent;
  assert.equal(target, "/probe?x%5By%5D=1&deep%5Ba%5D%5B0%5D=2&z=3");
  assert.equal(headers["cookie"], "d2=4");
  assert.equal((await one({ deep: 1 }) as Sent).target, "/probe?deep=1");
  const auth = { key: { type: "query", name: "api_key" } };
  const file = { auth, endpoints: [written({ parameters: [free] })] };
  const client = await serve(file, { secrets: { key: "the-secret" } });
  const answer = await client.call("probe", { free: { api_key: "x" } });
  assert.match(textOf(answer), /another parameter named "api_key"/);
  assert.deepEqual(client.sent, []);
});

const PRIVATE = `
  localhost localhost. LOCALHOST a.localhost localhost.localdomain a.local a.home app.test db.internal intranet router.lan
  nas.home.arpa git.corp wiki.intranet 0.0.0.0 0x7f.1 10.1.2.3 100.64.0.1 127.0.0.1 169.254.169.254 172.31.0.1 192.0.0.8
  192.0.2.1 192.168.0.1 192.88.99.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.9 2130706433 224.0.0.251 239.1.1.1
  240.0.0.1 255.255.255.255 [::] [::1] [::7f00:1] [::ffff:10.0.0.1] [64:ff9b::7f00:1] [64:ff9b:1::1] [100::1] [2001::1]
  [::ffff:0:7f00:1] [::ffff:0:10.0.0.1] [::ffff:0:a9fe:a9fe] [::ffff:0:c0a8:1] kubernetes.default.svc db.app.svc
  [2001:db8::1] [2002:7f00:1::] [3fff::1] [5f00::1] [fd00::1] [fdff::1] [fe80::1] [febf::1] [fec0::1] [feff::1] [ff02::1]
`;
const PUBLIC = `
  svc.example mysvc.example.com [::fffe:0:7f00:1]
  example.com notlocal.example plan.example lan.example.com 8.8.8.8 11.0.0.1 100.128.0.1 172.32.0.1 191.255.0.1 192.0.1.1
  198.20.0.1 223.255.255.1 [64:ff9c::1] [2001:4860:4860::8888] [2003::1] [2606:4700::1111] [fe00::1]
`;

test("a base URL has no extra parts, and a document cannot name one in a private network", () => {
  const description = readEndpoints({ endpoints: [written()] });
  for (const base of ["ftp://a", "a", "https://u:p@a", "https://a/?b", "https://a/#b", "file:///a", ""]) {
    assert.throws(() => createGateway({ description, base }), { name: "GatewayError" }, base);
  }
  const named = (host: string) =>
    readOpenApi(openApi({ "/a": { get: { responses: {} } } }, { servers: [{ url: `http://${host}` }] }));
  for (const host of PRIVATE.trim().split(/\s+/)) {
    const description = named(host);
    assert.throws(() => createGateway({ description }), /is on a private host/, host);
    assert.equal(createGateway({ description, base: `http://${host}` }).endpoints.length, 1);
  }
  for (const host of PUBLIC.trim().split(/\s+/)) {
    assert.equal(createGateway({ description: named(host) }).endpoints.length, 1, host);
  }
});

const URLENCODED = "application/x-www-form-urlencoded";
const BINARY = { type: "string", format: "binary" };

/** The sent body for a value, with a media type whose schema has these members. */
async function bodyOf(type: string, properties: Written, body: unknown, encoding: Written = {}) {
  const content = { [type]: { schema: { type: "object", properties }, encoding } };
  return await probeOpenApi({ requestBody: { content } }, { openapi: "3.1.0" }, "post")({ body });
}

/** The parts of a multipart body, each with its type and content, or the error. */
async function parts(properties: Written, value: unknown, encoding?: Written): Promise<unknown> {
  const sent = await bodyOf("multipart/form-data", properties, value, encoding);
  if (typeof sent === "string") return sent;
  const [, boundary] = /^multipart\/form-data; boundary=(\S+)$/.exec(sent.headers["content-type"]!)!;
  return sent.body.split(`--${boundary}`).slice(1, -1).map((part) => {
    const [head = "", ...content] = part.trim().split("\r\n\r\n");
    return `${/^content-type: (.*)$/m.exec(head)?.[1] ?? "none"}: ${content.join("\r\n\r\n")}`;
  });
}

/** The schema of a field, its value, its optional content type, and the resulting parts. */
const FIELDS = String.raw`
  {"type":"array","items":{"type":"string","format":"binary"}} | ["aGk=","aG8="] | - | ["application/octet-stream: hi","application/octet-stream: ho"]
  {"type":"array","items":{"type":"string","format":"binary"}} | ["aGk=","aG8="] | image/png | ["image/png: hi","image/png: ho"]
  {"type":"array","items":{"type":"string"}} | ["a","b"] | text/plain | ["text/plain: a","text/plain: b"]
  {"type":"array","items":{"type":"string"}} | ["a","b"] | application/json | ["application/json: [\"a\",\"b\"]"]
  {"anyOf":[{"type":"string","format":"binary"},{"type":"null"}]} | "aGk=" | - | ["application/octet-stream: hi"]
  {"oneOf":[{"format":"binary"},{"type":"array","items":{"format":"binary"}}]} | "aGk=" | - | ["application/octet-stream: hi"]
  {"allOf":[{"type":"string","format":"binary"}]} | "aGk=" | - | ["application/octet-stream: hi"]
  {"type":["string","null"],"format":"binary"} | "aGk=" | - | ["application/octet-stream: hi"]
  {"type":"string","contentMediaType":"image/png"} | "aGk=" | - | ["image/png: hi"]
  {"type":"string","contentMediaType":"image/png"} | "aGk=" | image/webp | ["image/webp: hi"]
  {"type":"string","contentMediaType":"text/csv"} | "aGk=" | - | ["none: aGk="]
  {"type":"string","contentMediaType":"image/svg+xml"} | "aGk=" | - | ["none: aGk="]
  {"type":"string","contentMediaType":"image/png","contentEncoding":"base64"} | "aGk=" | - | ["none: aGk="]
  {"anyOf":[{"type":"string","format":"binary"},{"type":"string","format":"uri"}]} | "aGk=" | - | ["none: aGk="]
  {} | "x" | application/merge-patch+json; charset=utf-8 | ["application/merge-patch+json; charset=utf-8: \"x\""]
  {} | {"b":null} | - | ["application/json: {\"b\":null}"]
`;

test("a field is one part per file and item, with the described type", async () => {
  for (const [schema, value, contentType, wanted] of table(FIELDS)) {
    const encoding = contentType === "-" ? undefined : { f: { contentType } };
    const found = await parts({ f: JSON.parse(schema) }, { f: JSON.parse(value) }, encoding);
    assert.deepEqual(found, JSON.parse(wanted), schema);
  }
});

test("a field that is described as JSON is JSON in every form", async () => {
  const encoding = { meta: { contentType: "application/json" } };
  for (const meta of ["x", 1, true, null, ["a", "b"], [], { a: 1 }]) {
    const json = JSON.stringify(meta);
    assert.deepEqual(await parts({ meta: {} }, { meta }, encoding), [`application/json: ${json}`]);
    const { body } = await bodyOf(URLENCODED, { meta: {} }, { meta }, encoding) as Sent;
    assert.equal(body, `meta=${encodeURIComponent(json)}`);
  }
});

test("bodies are encoded by their media type", async () => {
  const form = { a: {}, list: { type: "array" }, deep: { type: "object" }, flat: { type: "array" } };
  const encoding = { deep: { style: "deepObject" }, flat: { style: "form", explode: false } };
  const values = { a: "x y&z=1", list: [1, 2], deep: { k: [{ v: 1 }] }, flat: ["a,b", "c"] };
  const sent = await bodyOf(URLENCODED, form, values, encoding) as Sent;
  assert.equal(sent.body, "a=x%20y%26z%3D1&list=1&list=2&deep%5Bk%5D%5B0%5D%5Bv%5D=1&flat=a%2Cb,c");
  const fields = { name: {}, meta: { type: "object" }, file: BINARY };
  const value = { name: "n\r\n", meta: { a: 1 }, file: "AP8B" };
  const png = { file: { contentType: "image/png" } };
  const { body } = await bodyOf("multipart/form-data", fields, value, png) as Sent;
  const [boundary] = body.split("\r\n", 1);
  const part = 'content-disposition: form-data; name="';
  const [, name, meta, file, end] = body.split(boundary!);
  assert.equal(name, `\r\n${part}name"\r\n\r\nn\r\n\r\n`);
  assert.equal(meta, `\r\n${part}meta"\r\ncontent-type: application/json\r\n\r\n{"a":1}\r\n`);
  assert.ok(file!.startsWith(`\r\n${part}file"; filename="file"\r\ncontent-type: image/png\r\n\r\n`));
  assert.equal(end, "--\r\n");
});

/** A media type, the schema of a body, a value, and the sent body or the error. */
const BODIES = String.raw`
  application/json | {} | {"a":[1,"é"]} | {"a":[1,"é"]}
  application/octet-stream | {} | "aMOp" | hé
  application/octet-stream | {} | "a" | ERROR body: bytes must be Base64
  application/octet-stream | {} | "AP8B\n" | ERROR body: bytes must be Base64
  application/octet-stream | {} | "AP-_" | ERROR body: bytes must be Base64
  application/octet-stream | {} | "AP8" | ERROR body: bytes must be Base64
  application/x-www-form-urlencoded | {"type":"object"} | {"a":null,"b":1} | b=1
  application/x-www-form-urlencoded | {"type":"object"} | {"a":["x",null]} | ERROR a: null cannot be sent here; leave it out
  application/x-www-form-urlencoded | {"type":"object"} | {"a":[]} | ERROR a: an empty list or object
  multipart/form-data | {"type":"object","required":["a"]} | {"a":null} | ERROR a: null cannot be sent here, and the API requires a value
  multipart/form-data | {"type":"object"} | {"a":["x",null]} | ERROR a: null cannot be sent here; leave it out
  multipart/form-data | {"type":"object"} | {"a":[]} | ERROR a: an empty list or object
  multipart/form-data | {"type":"object","properties":{"a":{"type":["string","null"],"format":"binary"}},"required":["a"]} | {"a":null} | ERROR a: null cannot be sent here, and
  text/plain | {} | "hé" | hé
  text/plain | {"type":"boolean"} | true | true
  text/plain | {"type":"integer","maximum":9} | 7 | 7
  text/plain | {"type":"integer","maximum":9} | 10 | ERROR /body: Expected a number of at most 9
  text/plain | {"type":"number"} | 1.5 | 1.5
  text/plain | {"type":"string","enum":["on","off"]} | "on" | on
  text/plain | {"type":"string","enum":["on","off"]} | "x" | ERROR /body: Expected "on" or "off"
  text/plain | {"$ref":"#/components/schemas/Flag"} | false | false
  text/plain | {} | 1 | ERROR /body: Expected a string
  text/plain | {"type":"string"} | "a\ud800b" | ERROR body: a lone surrogate
  application/json | {} | "a\ud800b" | "a\ud800b"
  multipart/form-data | {"type":"object","properties":{"a":{}}} | {"a":"\udfff"} | ERROR a: a lone surrogate
  application/x-www-form-urlencoded | {"type":"object","properties":{"a":{}}} | {"a":"\udfff"} | ERROR a: a lone surrogate
  application/json | {"type":"object","properties":{"constructor":{"type":"string"}}} | {"constructor":"McLaren"} | {"constructor":"McLaren"}
  application/json | {"type":"object","properties":{"constructor":{"type":"string"}}} | {"constructor":1} | ERROR /body/constructor: Expected a string
`;

test("a body matches its type and schema, and no part of it is lost", async () => {
  const components = { schemas: { Flag: { type: "boolean" } } };
  for (const [type, schema, body, wanted] of table(BODIES)) {
    const content = { [type]: { schema: JSON.parse(schema) } };
    const probe = probeOpenApi({ requestBody: { content } }, { components }, "post");
    const sent = await probe({ body: JSON.parse(body) });
    const found = typeof sent === "string" ? sent.replace(/^(?:The .*? fit: )?/, "ERROR ") : sent.body;
    if (typeof sent !== "string") assert.equal(sent.headers["content-type"], type);
    assert.ok(wanted.startsWith("ERROR ") ? found.startsWith(wanted) : found === wanted, `${body}: ${found}`);
  }
});

test("of several media types of a body, JSON comes before forms and forms before bytes", async () => {
  const form = { schema: { type: "object", properties: { a: { type: "string" } } } };
  const [json, bytes] = ["application/json", "application/octet-stream"];
  const rows: readonly (readonly [content: Written, body: unknown, type: string])[] = [
    [{ "multipart/form-data": form, [json]: form }, { a: "b" }, json],
    [{ "text/plain": {}, [URLENCODED]: form }, { a: "b" }, URLENCODED],
    [{ "application/merge-patch+json": form }, { a: "b" }, "application/merge-patch+json"],
    [{ [bytes]: {} }, "AA==", bytes],
    [{ "*/*": { schema: { type: "object" } } }, {}, json],
    [{ "*/*": { schema: BINARY } }, "AA==", bytes],
  ];
  for (const [content, body, type] of rows) {
    const sent = await probeOpenApi({ requestBody: { content } }, {}, "post")({ body }) as Sent;
    assert.equal(sent.headers["content-type"], type);
  }
});

/** Two 64-bit identifiers as JSON, the schema of a list of them in a body, and what is sent, or the error for the first. */
const LARGE = String.raw`
  {"type":"integer","format":"uint64"} | "18446744073709551615","-9223372036854775808" | 18446744073709551615,-9223372036854775808
  {"anyOf":[{"type":"integer","format":"uint64"},{"type":"string","format":"uuid"}]} | "18446744073709551615","c0ffee00-0000-4000-8000-000000000000" | 18446744073709551615,"c0ffee00-0000-4000-8000-000000000000"
  {"$ref":"#/components/schemas/Id"} | "12345678901234567890",5 | 12345678901234567890,5
  {"oneOf":[{"type":"integer"},{"type":"string"}]} | "12345678901234567890",5 | "12345678901234567890",5
  {"type":"string"} | "12345678901234567890","5" | "12345678901234567890","5"
  {"type":"number"} | "12345678901234567890",1.5 | 12345678901234567890,1.5
  {"type":"integer","maximum":9} | "12345678901234567890",5 | ERROR Expected a number of at most 9
  {"type":"integer"} | "5",5 | ERROR Expected an integer, but got a string
  {"type":"integer"} | 1e19,5 | ERROR Expected the digits as a string, but got a number`;

test("an integer that a JSON number would round is passed as its digits, and sent as an integer", async () => {
  const components = { schemas: { Id: { type: "object", properties: {} }, Large: { type: "integer" } } };
  Object.assign(components.schemas, { Id: { allOf: [{ $ref: "#/components/schemas/Large" }] } });
  for (const [schema, ids, wanted] of table(LARGE)) {
    const content = { "application/json": { schema: { type: "array", items: JSON.parse(schema) } } };
    const parameters = [{ name: "q", in: "query", schema: JSON.parse(schema) }];
    const body = JSON.parse(`[${ids}]`);
    const probe = probeOpenApi({ parameters, requestBody: { content } }, { components }, "post");
    const sent = await probe({ body, q: body[0] });
    if (typeof sent === "string") {
      assert.ok(wanted.startsWith("ERROR ") && sent.includes(`/body/0: ${wanted.slice(6)}`), sent);
    } else assert.deepEqual([sent.body, sent.url.searchParams.get("q")], [`[${wanted}]`, String(body[0])]);
  }
});

test("members that an open schema does not describe are sent, with a note in the plan and the result", async () => {
  const named = { type: "object", properties: { name: { type: "string" } } };
  const more = { anyOf: [named, { type: "object" }] };
  const schema = { type: "object", properties: { name: { type: "string" }, more } };
  const free = { nmae: "x", more: { anything: 1 }, "a/b": 2 };
  const note = "The API does not describe /body/nmae (did you mean name?), /body/a~1b and may ignore it.";
  for (const method of ["GET", "POST"]) {
    const client = await serveOne({ method, allow: true, body: { schema } });
    const known = textOf(await client.call("probe", { body: {} }));
    const unknown = textOf(await client.call("probe", { body: free }));
    assert.equal(known.includes("does not describe"), false);
    assert.ok(unknown.includes(note), unknown);
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`nmae${index}`, index]));
    const counted = textOf(await client.call("probe", { body: many }));
    assert.match(counted, /\/body\/nmae19(?: .*)?, 80 more and may/);
  }
});

test("a value may match any alternative in an endpoint file, and formats are checked", async () => {
  const oneOf = [{ type: "string", format: "uuid" }, { type: "string", pattern: "^[a-z]+" }];
  const probe = probeFile({ parameters: [{ name: "q", in: "query", schema: { oneOf } }] });
  for (const q of ["c0ffee00-0000-4000-8000-000000000000", "name"]) {
    assert.equal(typeof await probe({ q }), "object");
  }
  assert.match(String(await probe({ q: "0-0" })), /fit: \/q: Expected /);
});

test("a check of arguments ends after about 100 ms, whatever pattern the document has", async () => {
  const parameters = [{ name: "q", in: "query", schema: { type: "string", pattern: "[\\p{L}]{1,5000}b" } }];
  const probe = probeOpenApi({ parameters });
  const long = String(await probe({ q: "a".repeat(10_000) }));
  assert.match(long, /fit: \/q: Expected a value that can be checked in 500000 steps/);
  assert.equal(typeof await probe({ q: "ab" }), "object");
});

test("a name that a document gives must not have a private address when it is called", async (t) => {
  const addresses: Record<string, readonly string[]> = {}, sent: string[] = [];
  const redirect = new Response(null, { status: 302, headers: { location: "/b" } });
  let onsent = () => {};
  replaceNetwork(t, addresses, (url) => {
    sent.push(url);
    onsent();
    return Promise.resolve(sent.length === 1 ? redirect : new Response("x"));
  });
  const url = "https://api.example", paths = { "/a": { get: { operationId: "a", responses: {} } } };
  const document = openApi(paths, { servers: [{ url }] });
  const failures: string[] = [];
  const onfailure = (_: string, reason: string) => void failures.push(reason);
  const connected = async (options: Partial<GatewayOptions> = {}, from: OpenApiOptions = {}) => {
    const description = readOpenApi(document, from);
    const { tools } = createGateway({ description, onfailure, ...options });
    return await connect({ tools });
  };
  const foreign = await connected();
  const isCalled = async ({ call }: ToolClient, next: readonly string[]) => {
    addresses["api.example"] = next;
    sent.length = failures.length = 0;
    const answer = await call("a", {});
    const isRefused = textOf(answer).includes("kind: address; status: none; retry: no");
    assert.equal(
      failures.some((one) => one.includes(`private address: allow it with the option base ${url}`)),
      isRefused,
    );
    return !isRefused;
  };
  for (
    const one of [
      ["127.0.0.1"],
      ["10.0.0.8"],
      ["93.184.216.34", "192.168.0.1"],
      ["169.254.169.254"],
      ["::1"],
      ["fe80::1"],
      ["fd00::1"],
      ["::ffff:127.0.0.1"],
      ["64:ff9b::7f00:1"],
    ]
  ) {
    assert.equal(await isCalled(foreign, one), false, one.join());
    assert.deepEqual(sent, []);
    // The operator has named it, or the lookups may not be those of `fetch`.
    assert.equal(await isCalled(await connected({ base: url }), one), true);
    const fetch = (url: URL, init: RequestInit) => globalThis.fetch(url, init);
    assert.equal(await isCalled(await connected({ fetch }), one), true);
  }
  for (const one of [["93.184.216.34"], ["2606:4700::1111"], []]) {
    assert.equal(await isCalled(foreign, one), true, one.join());
    assert.deepEqual(sent, [`${url}/a`, `${url}/b`]);
  }
  // The name is looked up again for a redirect.
  onsent = () => addresses["api.example"] = ["10.0.0.8"];
  assert.equal(await isCalled(foreign, ["93.184.216.34"]), false);
  assert.deepEqual(sent, [`${url}/a`]);
});

test("an operation's own server, which the operator has named, may have a private address", async (t) => {
  const sent: string[] = [];
  replaceNetwork(t, { "up.example": ["10.0.0.8"], "api.example.com": ["10.0.0.9"] }, (url) => {
    sent.push(url);
    return Promise.resolve(new Response("x"));
  });
  const operation = { operationId: "a", responses: {}, servers: [{ url: "https://up.example/v2" }] };
  const document = openApi({ "/a": { get: operation }, "/b": { get: { operationId: "b", responses: {} } } });
  const { tools } = createGateway({ description: readOpenApi(document, { servers: ["up.example"] }) });
  const { call } = await connect({ tools });
  assert.equal(textOf(await call("a", {})), "x");
  assert.match(textOf(await call("b", {})), /kind: address/);
  assert.deepEqual(sent, ["https://up.example/v2/a"]);
});
