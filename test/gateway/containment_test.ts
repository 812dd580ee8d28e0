/** Can an argument change where a call goes? Not the host, the scheme, the port, the prefix, the path, the query or a header. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Api } from "./api.ts";
import type { Written } from "./gateways.ts";
import { BaseUrl, isPrivate } from "../../lib/gateway/base_url.ts";
import { fillPath, parsePath } from "../../lib/gateway/path_template.ts";
import { textOf } from "../server/tool_client.ts";
import { startApi } from "./api.ts";
import { failureOf, serveFile, written } from "./gateways.ts";

/** What somebody might try as a part of a path, or anywhere else. */
const HOSTILE = [
  "..",
  ".",
  "../admin",
  "a/../../admin",
  "%2e%2e",
  "%2E%2e/admin",
  "%252e%252e%252fadmin",
  "..%2fadmin",
  "..\\admin",
  "..;/admin",
  "..;x=1",
  "a/b",
  "?x=1",
  "1?x=1#f",
  "#f",
  "//evil.example",
  "http://evil.example/",
  "@evil.example",
  ":80@evil.example",
  "\\\\evil.example",
  "{id}",
  "{other}",
  "a&admin=true",
  "a=b",
  "a\r\nx-admin: 1",
  "a\u0000b",
  "\u2025",
  "\uff0e\uff0e",
  " 7 ",
  "%",
  "",
];

const PATH = {
  endpoints: [written({ path: "/users/{id}/posts", parameters: [{ name: "id", in: "path" }] })],
};

async function callAll(
  api: Api,
  file: { endpoints: Written[] },
  argument: string,
): Promise<(Written | undefined)[]> {
  const client = await serveFile(file, { base: `${api.origin}/v1` }, {
    toolCalls: { burst: 1000, perSecond: 1000 },
  });
  const asked: (Written | undefined)[] = [];
  for (const value of HOSTILE) {
    const before = api.asked.length;
    const answer = await client.call("probe", { [argument]: value });
    assert.ok(answer.result, `${value}: ${JSON.stringify(answer)}`);
    if (answer.result["isError"] !== true) assert.equal(api.asked.length, before + 1, value);
    asked.push(api.asked[before] as unknown as Written | undefined);
  }
  return asked;
}

test("a value in a path stays one segment of it, or is refused before anything is sent", async (t) => {
  const api = await startApi(t);
  const asked = await callAll(api, PATH, "id");
  for (const [index, value] of HOSTILE.entries()) {
    const one = asked[index];
    if (!one) continue;
    const url = String(one["url"]);
    assert.match(url, /^\/v1\/users\/[A-Za-z0-9\-._~%]+\/posts$/, value);
    assert.equal(decodeURIComponent(url.split("/")[3]!), value);
  }
  const refused = HOSTILE.filter((_, index) => !asked[index]);
  assert.deepEqual(refused, [
    ...[
      "..",
      ".",
      "../admin",
      "a/../../admin",
      "%2e%2e",
      "%2E%2e/admin",
      "%252e%252e%252fadmin",
      "..%2fadmin",
    ],
    ...["..\\admin", "..;/admin", "..;x=1", ""],
  ]);
});

test("a value in a query stays one value, and one in a header one header", async (t) => {
  const api = await startApi(t);
  const query = await callAll(
    api,
    { endpoints: [written({ parameters: [{ name: "q", in: "query" }] })] },
    "q",
  );
  for (const [index, value] of HOSTILE.entries()) {
    const url = new URL(String(query[index]!["url"]), api.origin);
    assert.equal(url.pathname, "/v1/probe");
    assert.deepEqual([...url.searchParams], [["q", value]]);
  }
  const header = await callAll(api, {
    endpoints: [written({ parameters: [{ name: "X-Probe", in: "header" }] })],
  }, "X-Probe");
  for (const [index, value] of HOSTILE.entries()) {
    if (!/^[\x21-\x7e]+$/.test(value)) assert.equal(header[index], undefined, value);
    else assert.equal((header[index]!["headers"] as Written)["x-probe"], value);
    assert.equal((header[index]?.["headers"] as Written | undefined)?.["x-admin"], undefined);
  }
});

test("members of an exploded object cannot pass for another parameter or a credential", async (t) => {
  const api = await startApi(t);
  const client = await serveFile({
    auth: { key: { type: "query", name: "api_key" } },
    endpoints: [written({
      parameters: [{ name: "filter", in: "query", schema: { type: "object" } }, {
        name: "limit",
        in: "query",
      }],
    })],
  }, { base: api.origin, secrets: { key: "the-secret" } });
  assert.match(
    failureOf(await client.call("probe", { filter: { limit: 1 } })),
    /another parameter called "limit"/,
  );
  assert.match(
    failureOf(await client.call("probe", { filter: { api_key: "x" } })),
    /another parameter called "api_key"/,
  );
  assert.equal(api.asked.length, 0);
  await client.call("probe", { filter: { "a&b": "c=d" } });
  assert.equal(api.asked[0]!.url, "/probe?a%26b=c%3Dd&api_key=the-secret");
});

test("members of an object cannot pass for members of another one, whichever stands first", async (t) => {
  const api = await startApi(t);
  const object = { type: "object" };
  const free = { name: "free", in: "query", schema: object };
  const deep = { name: "deep", in: "query", style: "deepObject", schema: { type: ["object", "integer"] } };
  const bare = { name: "deep[b]", argument: "bare", in: "query" };
  const cookies = ["c", "d"].map((name) => ({ name, in: "cookie", schema: object }));
  const client = await serveFile({
    endpoints: [
      written({ name: "one", parameters: [free, deep, bare, { ...free, name: "more" }, ...cookies] }),
      written({ name: "other", parameters: [deep, free] }),
    ],
  }, { base: api.origin });
  const refused: readonly (readonly [string, object, RegExp])[] = [
    ["one", { free: { "deep[a]": 1 }, deep: { a: 2 } }, /free\/deep\[a\]: .* called "deep"/],
    ["one", { free: { "deep[a]": 1 } }, /called "deep"/],
    ["one", { free: { "more[]": 1 } }, /called "more"/],
    ["one", { deep: { b: 1 } }, /deep\/deep\[b\]: .* called "deep\[b\]"/],
    ["one", { free: { x: 1 }, more: { x: 2 } }, /more\/x: .* called "x"/],
    ["one", { free: { x: 1 }, more: { "x[]": 2 } }, /more\/x\[\]: .* called "x"/],
    ["one", { c: { d: 1 } }, /c\/d: .* called "d"/],
    ["one", { c: { x: 1 }, d: { x: 2 } }, /d\/x: .* called "x"/],
    ["other", { free: { "deep[a]": 1 }, deep: { a: 2 } }, /called "deep/],
  ];
  for (const [name, args, reason] of refused) {
    assert.match(failureOf(await client.call(name, args)), reason, JSON.stringify(args));
  }
  assert.equal(api.asked.length, 0);
  await client.call("one", { free: { "x[y]": 1 }, deep: { a: [2] }, more: { z: 3 }, c: { d2: 4 } });
  assert.equal(api.asked[0]!.url, "/probe?x%5By%5D=1&deep%5Ba%5D%5B0%5D=2&z=3");
  await client.call("one", { deep: 1 });
  assert.equal(api.asked[1]!.url, "/probe?deep=1");
});

test("a template is filled in once: what is inserted is not looked at again", () => {
  const path = fillPath(parsePath("/a/{x}/{y}"), (name) => name === "x" ? "%7By%7D" : "z");
  assert.equal(path, "/a/%7By%7D/z");
  assert.throws(() => fillPath(parsePath("/a/{x}{y}/b"), () => "."), /"\." and "\.\."/);
  assert.throws(() => fillPath(parsePath("/a/.{x}/b"), () => "%2E"), /"\." and "\.\."/);
});

test("a template that leads out, or is none, is refused when it is read", () => {
  for (
    const path of [
      "a",
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
    assert.throws(() => parsePath(path), SyntaxError, path);
  }
  assert.deepEqual(parsePath("/a b/ü/{x}"), [{ text: "/a%20b/%C3%BC/" }, { name: "x" }]);
});

test("an address is below the base or it is none", () => {
  const base = new BaseUrl("https://api.example.com:8443/v1/");
  assert.equal(base.resolve("/users/1")!.href, "https://api.example.com:8443/v1/users/1");
  for (
    const target of ["/../x", "/%2e%2e/x", "x", "@evil.example/", ".evil.example/", "/a b", "/a\\b", "/a\tb"]
  ) {
    assert.equal(base.resolve(target), undefined, target);
  }
  for (
    const text of [
      "https://api.example.com/v1x",
      "http://api.example.com:8443/v1",
      "https://u@api.example.com:8443/v1",
    ]
  ) {
    assert.equal(base.covers(new URL(text)), false, text);
  }
  for (const text of ["ftp://a", "a", "https://u:p@a", "https://a/?b", "https://a/#b", "file:///a", ""]) {
    assert.throws(() => new BaseUrl(text), { name: "GatewayError" }, text);
  }
});

test("hosts that only this machine or its network knows are told apart, however they are written", () => {
  const all = [
    "localhost",
    "127.0.0.1",
    "2130706433",
    "0x7f.1",
    "10.1.2.3",
    "172.31.0.1",
    "192.168.0.1",
    "169.254.169.254",
  ];
  const more = [
    "[::1]",
    "[fe80::1]",
    "[fd00::1]",
    "[::ffff:10.0.0.1]",
    "0.0.0.0",
    "a.local",
    "db.internal",
    "intranet",
    "100.64.0.1",
  ];
  for (const host of [...all, ...more]) assert.equal(isPrivate(new URL(`http://${host}/`)), true, host);
  for (const host of ["example.com", "8.8.8.8", "172.32.0.1", "[2001:db8::1]"]) {
    assert.equal(isPrivate(new URL(`http://${host}/`)), false, host);
  }
});

test("headers of a client are not forwarded, and what is sent is what the endpoint says", async (t) => {
  const api = await startApi(t);
  const client = await serveFile(PATH, { base: api.origin });
  assert.equal(textOf(await client.call("probe", { id: "7" })), "{}");
  const { authorization, cookie, origin, referer, "user-agent": agent } = api.asked[0]!.headers;
  assert.deepEqual([authorization, cookie, origin, referer, agent], [
    undefined,
    undefined,
    undefined,
    undefined,
    "architrave",
  ]);
});
