/** Where values go in a request: in their place, encoded as the style says, and nowhere else. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Sent, Written } from "./gateways.ts";
import { createGateway, readEndpoints, readOpenApi } from "../../lib/gateway/mod.ts";
import { BASE, openApi, probeFile, probeOpenApi, serveFile, written } from "./gateways.ts";

const LIST = ["blue", "black", "brown"];
const OBJECT = { R: 100, G: 200, B: 150 };

/** https://spec.openapis.org/oas/v3.1.1.html#style-examples: place, style, explode, and "", "blue", a list and an object in it. */
const STYLES: readonly (readonly [string, string, boolean, ...(string | undefined)[]])[] = [
  ["path", "matrix", false, ";color", ";color=blue", ";color=blue,black,brown", ";color=R,100,G,200,B,150"],
  [
    "path",
    "matrix",
    true,
    ";color",
    ";color=blue",
    ";color=blue;color=black;color=brown",
    ";R=100;G=200;B=150",
  ],
  ["path", "label", false, undefined, ".blue", ".blue,black,brown", ".R,100,G,200,B,150"],
  ["path", "label", true, undefined, ".blue", ".blue.black.brown", ".R=100.G=200.B=150"],
  ["path", "simple", false, undefined, "blue", "blue,black,brown", "R,100,G,200,B,150"],
  ["path", "simple", true, undefined, "blue", "blue,black,brown", "R=100,G=200,B=150"],
  ["query", "form", false, "color=", "color=blue", "color=blue,black,brown", "color=R,100,G,200,B,150"],
  ["query", "form", true, "color=", "color=blue", "color=blue&color=black&color=brown", "R=100&G=200&B=150"],
  ["query", "spaceDelimited", false, , , "color=blue%20black%20brown", "color=R%20100%20G%20200%20B%20150"],
  ["query", "pipeDelimited", false, , , "color=blue%7Cblack%7Cbrown", "color=R%7C100%7CG%7C200%7CB%7C150"],
  ["query", "deepObject", true, , , , "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"],
  ["header", "simple", false, , "blue", "blue,black,brown", "R,100,G,200,B,150"],
  ["header", "simple", true, , "blue", "blue,black,brown", "R=100,G=200,B=150"],
];

/** The part of a request that a parameter called color is written in. */
function partOf(sent: Sent | string, place: string): string | undefined {
  if (typeof sent === "string") return sent;
  return place === "header" ? sent.headers["color"] : sent.target.replace(/^\/probe[/?]?/, "");
}

test("values are written as the table of OpenAPI says", async () => {
  for (const [place, style, explode, ...wanted] of STYLES) {
    const path = place === "path" ? "/probe/{color}" : "/probe";
    const probe = probeFile({
      path,
      parameters: [{ name: "color", in: place, style, explode, schema: true }],
    });
    for (const [index, color] of ["", "blue", LIST, OBJECT].entries()) {
      if (wanted[index] === undefined) continue;
      assert.equal(
        partOf(await probe({ color }), place),
        wanted[index],
        `${style} ${explode} ${JSON.stringify(color)}`,
      );
    }
  }
});

test("no value passes for a separator: it is encoded, or rejected where no encoding tells it apart", async () => {
  const rows: readonly (readonly [
    place: string,
    style: string,
    explode: boolean,
    value: unknown,
    wanted: string | RegExp,
  ])[] = [
    ["query", "form", false, ["a,b", "c&d=e"], "q=a%2Cb,c%26d%3De"],
    ["query", "form", true, null, /^q: null cannot be written here/],
    ["query", "form", true, [{ a: 1 }], /^q: an object or a list in another one/],
    ["query", "form", true, { a: { b: 1 } }, /^q\/a: an object or a list in another one/],
    ["query", "form", true, "\ud800", /half a character/],
    ["query", "spaceDelimited", false, ["a b"], /^q: an item with " " in it cannot be told apart/],
    ["query", "pipeDelimited", false, ["a|b"], /^q: an item with "\|" in it cannot be told apart/],
    [
      "query",
      "deepObject",
      true,
      { a: { b: [1, { c: "x y" }] } },
      "q%5Ba%5D%5Bb%5D%5B0%5D=1&q%5Ba%5D%5Bb%5D%5B1%5D%5Bc%5D=x%20y",
    ],
    ["query", "deepObject", true, { a: [] }, /^q%5Ba%5D: an empty list or object/],
    ["path", "label", true, ["a,b", "c=d"], ".a%2Cb.c%3Dd"],
    ["path", "label", true, "a.b", ".a.b"],
    ["path", "label", false, ["a.b", "c"], ".a.b,c"],
    ["path", "label", true, ["a.b", "c"], /^q: an item with "\." in it cannot be told apart/],
    ["path", "label", true, { a: 1.5 }, /cannot be told apart/],
    ["path", "label", true, { "a.b": 1 }, /cannot be told apart/],
    ["path", "simple", false, "", /^q: an empty text, .* cannot be a part of a path/],
    ["path", "matrix", true, [], /^q: an empty list or object/],
    ["header", "simple", false, ["a,b"], /^q: an item with "," in it cannot be told apart/],
    ["header", "simple", true, { "a=b": 1 }, /^q: an item with "=" in it cannot be told apart/],
    ...["form", "deepObject", "pipeDelimited"].flatMap((style) =>
      [[], {}].map((nothing) =>
        ["query", style, style !== "pipeDelimited", nothing, /^q: an empty list or object/] as const
      )
    ),
  ];
  for (const [place, style, explode, q, wanted] of rows) {
    const path = place === "path" ? "/probe/{q}" : "/probe";
    const probe = probeFile({ path, parameters: [{ name: "q", in: place, style, explode, schema: true }] });
    const sent = await probe({ q });
    const found = typeof sent === "string" ? sent : partOf(sent, place)!;
    if (typeof wanted === "string") assert.equal(found, wanted);
    else assert.match(found, wanted, JSON.stringify(q));
    assert.equal(typeof sent, typeof wanted === "string" ? "object" : "string", found);
  }
});

test("reserved characters stay as they are where OpenAPI says so, but for those that separate parameters", async () => {
  const probe = probeOpenApi({ parameters: [{ name: "q", in: "query", allowReserved: true, schema: {} }] });
  const written = async (q: string) => (await probe({ q }) as Sent).url.search.slice(3);
  assert.equal(await written("/a:b?c,d@[e]!$()*;"), "/a:b?c,d@[e]!$()*;");
  assert.equal(await written("name eq 'x'"), "name%20eq%20%27x%27");
  assert.equal(await written("a&b=c#d+e%20 "), "a%26b%3Dc%23d%2Be%2520%20");
  // The address that is built has to be the one that a parser makes of it.
  const all = String.fromCharCode(...Array.from({ length: 0x17f }, (_, code) => code + 1));
  assert.equal(new URLSearchParams(`q=${await written(all)}`).get("q"), all);
});

/** What somebody might try as a part of a path, or anywhere else. */
const HOSTILE = [
  ...["..", ".", "../admin", "a/../../admin", "%2e%2e", "%2E%2e/admin", "%252e%252e%252fadmin", "..%2fadmin"],
  ...["..\\admin", "..;/admin", "..;x=1", ""],
  ...[
    "a/b",
    "?x=1",
    "1?x=1#f",
    "#f",
    "//evil.example",
    "http://evil.example/",
    "@evil.example",
    ":80@evil.example",
  ],
  ...["\\\\evil.example", "{id}", "{other}", "a&admin=true", "a=b", "a\r\nx-admin: 1", "a\u0000b", "\u2025"],
  ...["\uff0e\uff0e", " 7 ", "%"],
];

test("a value in a path stays one segment of it, or is rejected before anything is sent", async () => {
  const probe = probeFile({ path: "/users/{id}/posts", parameters: [{ name: "id", in: "path" }] });
  for (const [index, id] of HOSTILE.entries()) {
    const sent = await probe({ id });
    // The first twelve could lead out.
    assert.equal(typeof sent, index < 12 ? "string" : "object", id);
    if (typeof sent === "string") continue;
    assert.match(sent.url.href, /^https:\/\/api\.example\.com\/v1\/users\/[A-Za-z0-9\-._~%]+\/posts$/, id);
    assert.equal(decodeURIComponent(sent.target.split("/")[2]!), id);
  }
});

test("a value in a query stays one value, and one in a header one header", async () => {
  const query = probeFile({ parameters: [{ name: "q", in: "query" }] });
  const header = probeFile({ parameters: [{ name: "X-Probe", in: "header" }] });
  for (const value of HOSTILE) {
    const { url } = await query({ q: value }) as Sent;
    assert.equal(url.origin + url.pathname, `${BASE}/probe`);
    assert.deepEqual([...url.searchParams], [["q", value]]);
    const sent = await header({ "X-Probe": value });
    if (!/^[\x21-\x7e]+$/.test(value)) assert.match(String(sent), /printable ASCII characters, and no space/);
    else {assert.deepEqual((sent as Sent).headers, {
        accept: "*/*",
        "user-agent": "architrave",
        "x-probe": value,
      });}
  }
});

test("an address has an end", async () => {
  const probe = probeFile({ parameters: [{ name: "q", in: "query" }] });
  assert.match(String(await probe({ q: "a".repeat(16_000) })), /has 16009 characters; 16000 are allowed/);
});

test("a template is filled in once, and dots around a value count", async () => {
  const probe = (path: string, names: string[]) =>
    probeFile({ path, parameters: names.map((name) => ({ name, in: "path" })) });
  assert.equal((await probe("/a/{x}/{y}", ["x", "y"])({ x: "{y}", y: "z" }) as Sent).target, "/a/%7By%7D/z");
  assert.equal((await probe("/a b/ü/{x}", ["x"])({ x: "y" }) as Sent).target, "/a%20b/%C3%BC/y");
  assert.match(String(await probe("/a/{x}{y}/b", ["x", "y"])({ x: ".", y: "." })), /"\." and "\.\."/);
  assert.match(
    String(await probe("/a/.{x}/b", ["x"])({ x: "%2E" })),
    /"\." and "\.\."|segment "\." or "\.\."/,
  );
  assert.match(String(await probe("/a/{x}{y}/b", ["x", "y"])({ x: "%2", y: "E" })), /segment "\." or "\.\."/);
});

test("a template that leads out, or is none, is rejected when it is read", () => {
  for (
    const path of [
      "/../b",
      "/a/./b",
      "/a/%2e%2E/b",
      "/{a",
      "/a}",
      "/{}",
      "/{a}/{a}",
      "/a?b",
      "/a#b",
      "/a\\b",
      "/%zz",
    ]
  ) {
    assert.throws(
      () => readEndpoints({ endpoints: [written({ path, parameters: [] })] }),
      { name: "GatewayError", pointer: "/endpoints/0/path" },
      path,
    );
  }
});

test("members of an object cannot pass for another parameter, whichever comes first, nor for a credential", async () => {
  const object = { type: "object" };
  const free = { name: "free", in: "query", schema: object };
  const deep = { name: "deep", in: "query", style: "deepObject", schema: { type: ["object", "integer"] } };
  const parameters = [
    ...[free, deep, { name: "deep[b]", argument: "bare", in: "query" }, { ...free, name: "more" }],
    ...["c", "d"].map((name) => ({ name, in: "cookie", schema: object })),
  ];
  const file = { auth: { key: { type: "query", name: "api_key" } } };
  const one = probeFile({ parameters, auth: [] }, file);
  const other = probeFile({ parameters: [deep, free], auth: [] }, file);
  const rows: readonly (readonly [typeof one, Written, RegExp])[] = [
    [one, { free: { "deep[a]": 1 }, deep: { a: 2 } }, /free\/deep\[a\]: .* called "deep"/],
    [one, { free: { "deep[a]": 1 } }, /called "deep"/],
    [one, { free: { "more[]": 1 } }, /called "more"/],
    [one, { free: { more: 1 } }, /called "more"/],
    [one, { deep: { b: 1 } }, /deep\/deep\[b\]: .* called "deep\[b\]"/],
    [one, { free: { x: 1 }, more: { x: 2 } }, /more\/x: .* called "x"/],
    [one, { free: { x: 1 }, more: { "x[]": 2 } }, /more\/x\[\]: .* called "x"/],
    [one, { c: { d: 1 } }, /c\/d: .* called "d"/],
    [one, { c: { x: 1 }, d: { x: 2 } }, /d\/x: .* called "x"/],
    [other, { free: { "deep[a]": 1 }, deep: { a: 2 } }, /called "deep/],
  ];
  for (const [probe, args, reason] of rows) {
    assert.match(String(await probe(args)), reason, JSON.stringify(args));
  }
  const { target, headers } = await one({
    free: { "x[y]": 1 },
    deep: { a: [2] },
    more: { z: 3 },
    c: { d2: 4 },
  }) as Sent;
  assert.equal(target, "/probe?x%5By%5D=1&deep%5Ba%5D%5B0%5D=2&z=3");
  assert.equal(headers["cookie"], "d2=4");
  assert.equal((await one({ deep: 1 }) as Sent).target, "/probe?deep=1");
  const client = await serveFile({ ...file, endpoints: [written({ parameters: [free] })] }, {
    secrets: { key: "the-secret" },
    fetch: () => assert.fail("it was sent"),
  });
  const answer = await client.call("probe", { free: { api_key: "x" } });
  assert.match(JSON.stringify(answer.result), /another parameter called \\"api_key\\"/);
});

test("an address is a plain one, and a document cannot name one in a private network", () => {
  const description = readEndpoints({ endpoints: [written()] });
  for (const base of ["ftp://a", "a", "https://u:p@a", "https://a/?b", "https://a/#b", "file:///a", ""]) {
    assert.throws(() => createGateway({ description, base }), { name: "GatewayError" }, base);
  }
  const inside = [
    ...[
      "localhost",
      "127.0.0.1",
      "2130706433",
      "0x7f.1",
      "10.1.2.3",
      "172.31.0.1",
      "192.168.0.1",
      "169.254.169.254",
    ],
    ...[
      "[::1]",
      "[fe80::1]",
      "[fd00::1]",
      "[::ffff:10.0.0.1]",
      "0.0.0.0",
      "a.local",
      "db.internal",
      "intranet",
    ],
    "100.64.0.1",
  ];
  const named = (host: string) =>
    readOpenApi(openApi({ "/a": { get: { responses: {} } } }, { servers: [{ url: `http://${host}` }] }));
  for (const host of inside) {
    const description = named(host);
    assert.throws(
      () => createGateway({ description }),
      /names an address of a private network/,
      host,
    );
    assert.equal(createGateway({ description, base: `http://${host}` }).endpoints.length, 1);
  }
  for (const host of ["example.com", "8.8.8.8", "172.32.0.1", "[2001:db8::1]"]) {
    assert.equal(createGateway({ description: named(host) }).endpoints.length, 1, host);
  }
});

const BINARY = { type: "string", format: "binary" };

/** The body that a value is sent as, of a media type whose schema has these members. */
async function bodyOf(
  type: string,
  properties: Written,
  body: unknown,
  encoding: Written = {},
): Promise<Sent | string> {
  const content = { [type]: { schema: { type: "object", properties }, encoding } };
  return await probeOpenApi({ requestBody: { content } }, { openapi: "3.1.0" }, "post")({ body });
}

/** The parts of a multipart body: the type and the content of each; or the error. */
async function parts(
  properties: Written,
  value: unknown,
  encoding?: Written,
): Promise<(string | undefined)[][] | string> {
  const sent = await bodyOf("multipart/form-data", properties, value, encoding);
  if (typeof sent === "string") return sent;
  const [, boundary] = /^multipart\/form-data; boundary=(\S+)$/.exec(sent.headers["content-type"]!)!;
  return sent.body.split(`--${boundary}`).slice(1, -1).map((part) => {
    const [head = "", ...content] = part.trim().split("\r\n\r\n");
    return [/^content-type: (.*)$/m.exec(head)?.[1], content.join("\r\n\r\n")];
  });
}

test("each file of a list is a part of its own, with its type", async () => {
  const files = { type: "array", items: BINARY };
  const texts = { type: "array", items: { type: "string" } };
  const rows = [
    [{ files }, { files: ["aGk=", "aG8="] }, undefined, [["application/octet-stream", "hi"], [
      "application/octet-stream",
      "ho",
    ]]],
    [{ files }, { files: ["aGk=", "aG8="] }, { files: { contentType: "image/png" } }, [["image/png", "hi"], [
      "image/png",
      "ho",
    ]]],
    [{ texts }, { texts: ["a", "b"] }, { texts: { contentType: "text/plain" } }, [["text/plain", "a"], [
      "text/plain",
      "b",
    ]]],
    [{ texts }, { texts: ["a", "b"] }, { texts: { contentType: "application/json" } }, [[
      "application/json",
      '["a","b"]',
    ]]],
  ] as const;
  for (const [properties, value, encoding, wanted] of rows) {
    assert.deepEqual(await parts(properties, value, encoding), wanted);
  }
});

test("a field is bytes however its schema says so", async () => {
  const octets = "application/octet-stream";
  const image = { type: "string", contentMediaType: "image/png" };
  const rows: readonly (readonly [Written, string | undefined, string, Written?])[] = [
    [{ anyOf: [BINARY, { type: "null" }] }, octets, "hi"],
    [{ oneOf: [BINARY, { type: "array", items: BINARY }] }, octets, "hi"],
    [{ allOf: [BINARY] }, octets, "hi"],
    [{ type: ["string", "null"], format: "binary" }, octets, "hi"],
    [image, "image/png", "hi"],
    [image, "image/webp", "hi", { file: { contentType: "image/webp" } }],
    [{ type: "string", contentMediaType: "text/csv" }, undefined, "aGk="],
    [{ type: "string", contentMediaType: "image/svg+xml" }, undefined, "aGk="],
    [{ ...image, contentEncoding: "base64" }, undefined, "aGk="],
    [{ anyOf: [BINARY, { type: "string", format: "uri" }] }, undefined, "aGk="],
  ];
  for (const [file, type, content, encoding] of rows) {
    assert.deepEqual(
      await parts({ file }, { file: "aGk=" }, encoding),
      [[type, content]],
      JSON.stringify(file),
    );
  }
});

test("a field that is described as JSON is JSON in every form", async () => {
  const encoding = { meta: { contentType: "application/json" } };
  for (const meta of ["x", 1, true, null, ["a", "b"], [], { a: 1 }]) {
    const json = JSON.stringify(meta);
    assert.deepEqual(await parts({ meta: {} }, { meta }, encoding), [["application/json", json]]);
    const { body } = await bodyOf(
      "application/x-www-form-urlencoded",
      { meta: {} },
      { meta },
      encoding,
    ) as Sent;
    assert.equal(body, `meta=${encodeURIComponent(json)}`);
  }
  const type = "application/merge-patch+json; charset=utf-8";
  assert.deepEqual(await parts({ meta: {} }, { meta: "x" }, { meta: { contentType: type } }), [[
    type,
    '"x"',
  ]]);
});

test("in a form null and empty lists are rejected, and null within JSON is null", async () => {
  for (const type of ["application/x-www-form-urlencoded", "multipart/form-data"]) {
    for (const a of [null, ["x", null]]) {
      assert.equal(await bodyOf(type, { a: {} }, { a }), "a: null cannot be written here; leave it out");
    }
    assert.match(String(await bodyOf(type, { a: {} }, { a: [] })), /^a: an empty list or object/);
  }
  assert.match(
    String(await parts({ a: { ...BINARY, type: ["string", "null"] } }, { a: null })),
    /a: null cannot be written/,
  );
  assert.deepEqual(await parts({ a: {} }, { a: { b: null } }), [["application/json", '{"b":null}']]);
});

test("bodies are written as their media type says", async () => {
  const form = { a: {}, list: { type: "array" }, deep: { type: "object" }, flat: { type: "array" } };
  const sent = await bodyOf(
    "application/x-www-form-urlencoded",
    form,
    { a: "x y&z=1", list: [1, 2], deep: { k: [{ v: 1 }] }, flat: ["a,b", "c"] },
    { deep: { style: "deepObject" }, flat: { style: "form", explode: false } },
  ) as Sent;
  assert.equal(sent.body, "a=x%20y%26z%3D1&list=1&list=2&deep%5Bk%5D%5B0%5D%5Bv%5D=1&flat=a%2Cb,c");
  const fields = { name: {}, meta: { type: "object" }, file: BINARY };
  const value = { name: "n\r\n", meta: { a: 1 }, file: "AP8B" };
  const { body } = await bodyOf("multipart/form-data", fields, value, {
    file: { contentType: "image/png" },
  }) as Sent;
  const texts = body.split(body.split("\r\n", 1)[0]!);
  assert.equal(texts[1], '\r\ncontent-disposition: form-data; name="name"\r\n\r\nn\r\n\r\n');
  assert.match(
    texts[2]!,
    /^\r\ncontent-disposition: form-data; name="meta"\r\ncontent-type: application\/json\r\n\r\n\{"a":1\}\r\n$/,
  );
  assert.match(texts[3]!, /name="file"; filename="file"\r\ncontent-type: image\/png\r\n\r\n/);
  assert.deepEqual([texts.length, texts[4]], [5, "--\r\n"]);
  const plain = (type: string) => probeOpenApi({ requestBody: { content: { [type]: {} } } }, {}, "post");
  const rows = [["application/json", { a: [1, "é"] }, '{"a":[1,"é"]}'], ["text/plain", "hé", "hé"], [
    "application/octet-stream",
    "aMOp",
    "hé",
  ]] as const;
  for (const [type, body, wanted] of rows) {
    const sent = await plain(type)({ body }) as Sent;
    assert.deepEqual([sent.headers["content-type"], sent.body], [type, wanted]);
  }
  for (const body of ["a", "AP8B\n", "AP-_", "AP8"]) {
    assert.match(String(await plain("application/octet-stream")({ body })), /Base64/);
  }
});

test("of several media types of a body, JSON comes before forms and forms before bytes", async () => {
  const form = { schema: { type: "object", properties: { a: { type: "string" } } } };
  const rows: readonly (readonly [Written, unknown, string])[] = [
    [{ "multipart/form-data": form, "application/json": form }, { a: "b" }, "application/json"],
    [
      { "text/plain": {}, "application/x-www-form-urlencoded": form },
      { a: "b" },
      "application/x-www-form-urlencoded",
    ],
    [{ "application/merge-patch+json": form }, { a: "b" }, "application/merge-patch+json"],
    [{ "application/octet-stream": {} }, "AA==", "application/octet-stream"],
    [{ "*/*": { schema: { type: "object" } } }, {}, "application/json"],
    [{ "*/*": { schema: BINARY } }, "AA==", "application/octet-stream"],
  ];
  for (const [content, body, type] of rows) {
    const sent = await probeOpenApi({ requestBody: { content } }, {}, "post")({ body }) as Sent;
    assert.equal(sent.headers["content-type"], type);
  }
});
