/** Is a secret found wherever an API or a runtime writes it, and is nothing else taken for one? */

import assert from "node:assert/strict";
import { test } from "node:test";
import { credential } from "../../lib/gateway/credential.ts";
import { redact, redactBytes, redactJson } from "../../lib/gateway/redact.ts";
import { json, plain, routes, startApi } from "./api.ts";
import { failureOf, serveFile, written } from "./gateways.ts";

const SECRET = `pa"ss/w\\or'd& <1>`;
const HEADER = { type: "header", name: "X-Key" } as const;
const KEY = [credential("key", HEADER, SECRET)];

test("redact() finds a secret as it is, and in every way in which it is escaped", () => {
  const quoted = (text: string) => JSON.stringify(text).slice(1, -1);
  const percent = (text: string) =>
    encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16)}`);
  const forms = [
    SECRET,
    quoted(SECRET),
    quoted(quoted(SECRET)),
    quoted(quoted(quoted(SECRET))),
    quoted(SECRET).replaceAll("/", "\\/"),
    quoted(SECRET).replaceAll("<", "\\u003c").replaceAll(">", "\\u003E").replaceAll("'", "\\u0027"),
    encodeURIComponent(SECRET),
    percent(SECRET),
    percent(SECRET).toLowerCase(),
    percent(percent(SECRET)),
    new URL(`http://a/?k=${encodeURIComponent(SECRET)}`).search.slice(3),
    new URLSearchParams({ k: SECRET }).toString().slice(2),
    SECRET.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("'", "&#39;").replaceAll(
      "<",
      "&lt;",
    ),
    SECRET.replaceAll("'", "&#x27;").replaceAll("/", "&#x2F;"),
  ];
  for (const form of forms) assert.equal(redact(`a ${form} b`, KEY), "a [redacted] b", form);
  const others = ["", SECRET.slice(1), SECRET.slice(0, -1), SECRET.replace("/", "x")];
  for (const other of others) assert.equal(redact(other, KEY), other);
});

test("redact() takes its time with what nearly is a secret, and not more", () => {
  const hostile = [credential("key", HEADER, `a${"\\".repeat(200)}"${"/".repeat(200)}b`)];
  const text = `a${"\\".repeat(20_000)}`.repeat(20);
  const start = performance.now();
  assert.equal(redact(text, hostile), text);
  assert.ok(performance.now() - start < 20_000);
  const letters = [credential("key", HEADER, `${"aB3".repeat(5000)}${"c".repeat(1000)}`)];
  assert.equal(redact("aB3".repeat(30_000), letters), "aB3".repeat(30_000));
  const long = [credential("key", HEADER, "~/'&\"".repeat(3000))];
  assert.equal(redact(`${"~/'&\"".repeat(3000)}!`, long), "[redacted]!");
});

test("redactJson() leaves JSON behind, with all digits of what is no secret", () => {
  const number = [credential("key", HEADER, "1234567")];
  assert.equal(
    redactJson('{"id":12345678,"n":12345670123456701234567}', number),
    '{"id":12345678,"n":12345670123456701234567}',
  );
  assert.equal(redactJson("[1234567, -1234567,1234567.5]", number), '["[redacted]", -1234567,1234567.5]');
  assert.equal(
    redactJson('{"x1234567":"a\\u00311234567","q":"\\"\\\\"}', number),
    '{"x[redacted]":"a1[redacted]","q":"\\"\\\\"}',
  );
  assert.equal(redactJson('["\\u0031\\u0032\\u00334567"]', number), '["[redacted]"]');
  assert.equal(
    redactJson(JSON.stringify({ a: SECRET, b: [SECRET, 1] }), KEY),
    '{"a":"[redacted]","b":["[redacted]",1]}',
  );
});

test("redactBytes() takes a secret out of bytes, and leaves all others as they are", () => {
  const all = Uint8Array.from({ length: 256 }, (_, value) => value);
  assert.deepEqual(redactBytes(all, KEY), all);
  const bytes = Uint8Array.from([255, ...new TextEncoder().encode(SECRET), 128]);
  assert.deepEqual(
    redactBytes(bytes, KEY),
    Uint8Array.from([255, ...new TextEncoder().encode("[redacted]"), 128]),
  );
});

test("what an API shows of a secret is in no data, no text, no refusal and no bytes", async (t) => {
  const secret = SECRET.replace("&", "and");
  const said = `wrong key ${secret}`;
  const api = await startApi(
    t,
    routes({
      "/data": json({ said, [secret]: 1 }),
      "/slashes": (response) =>
        void response.writeHead(200, { "content-type": "application/json" })
          .end(JSON.stringify({ said }).replaceAll("/", "\\/")),
      "/refusal": json({ said }, 401),
      "/broken": plain(422, { "content-type": "application/json" }, `{"said":${JSON.stringify(said)}`),
      "/untyped": plain(200, {}, said),
      "/image": plain(200, { "content-type": "image/png" }, said),
      "/page": plain(200, { "content-type": "text/html" }, said),
    }),
  );
  const names = ["data", "slashes", "refusal", "broken", "untyped", "image", "page"];
  const endpoints = names.map((name) =>
    written({ name, path: `/${name}`, ...(name === "data" ? { response: { type: "object" } } : {}) })
  );
  const client = await serveFile({ auth: { key: HEADER }, endpoints }, {
    base: api.origin,
    secrets: { key: secret },
  });
  for (const name of names) {
    const { result } = await client.call(name);
    const shown = JSON.stringify(result).replace(
      /"(?:blob|data)":"([^"]*)"/g,
      (_, coded: string) => JSON.stringify(atob(coded)),
    );
    assert.match(shown, /\[redacted\]/, name);
    assert.equal(/w\\*or'/.test(shown), false, shown);
  }
});

test("a number that is a secret elsewhere does not make good data bad", async (t) => {
  const api = await startApi(t, json({ id: 12345678 }));
  const shape = { type: "object", properties: { id: { type: "integer" } } };
  const client = await serveFile({ auth: { key: HEADER }, endpoints: [written({ response: shape })] }, {
    base: api.origin,
    secrets: { key: "1234567" },
  });
  const { result } = await client.call("probe");
  assert.deepEqual(result!["structuredContent"], { id: 12345678 });
});

test("a runtime that names the address of a call is not quoted with the secret in it", async () => {
  const logged: string[] = [];
  const client = await serveFile({ auth: { key: { type: "query", name: "key" } }, endpoints: [written()] }, {
    base: "http://127.0.0.1:1",
    secrets: { key: "abc'def/123" },
    onfailure: (_, reason) => void logged.push(reason),
    fetch: (url) => Promise.reject(new TypeError(`cannot connect to ${url}`)),
  });
  failureOf(await client.call("probe"));
  assert.match(logged[0]!, /probe\?key=\[redacted\]$/);
});
