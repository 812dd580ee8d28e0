/** Secrets are sent only below the base of the API, and shown nowhere. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { GatewayOptions } from "../../lib/gateway/mod.ts";
import type { Sent, Written } from "./gateways.ts";
import { createGateway, readEndpoints, readOpenApi } from "../../lib/gateway/mod.ts";
import { textOf } from "../mcp/server/tool_client.ts";
import { argumentsIn, BASE, callOne, failureOf, json, openApi, serve, written } from "./gateways.ts";
import { cpuNow } from "../harness/process.ts";
import { table } from "../harness/table.ts";

const AUTH = {
  header: { type: "header", name: "X-Key" },
  query: { type: "query", name: "api_key" },
  cookie: { type: "cookie", name: "sid" },
  bearer: { type: "bearer" },
} as const;
const SECRETS = {
  header: "header-secret\n",
  query: "query&secret",
  cookie: "cookie-secret",
  bearer: "bearer-secret",
};
const Q = { name: "q", in: "query" };
const ALL = { auth: AUTH, endpoints: [written({ parameters: [Q] })] };
const JSON_TYPE = { "content-type": "application/json" };
const KEYED = { auth: { key: AUTH.header }, endpoints: [written()] };

/** The requests of a call with all four credentials. */
async function sentBy(answer: (sent: Sent) => Response, args: Written = {}) {
  const client = await serve(ALL, { secrets: SECRETS, answer });
  return { answer: await client.call("probe", args), sent: client.sent };
}

const redirect = (location?: string, status = 302) =>
  new Response(null, { status, headers: location === undefined ? {} : { location } });

test("a request has the credentials that its endpoint names, in their places, and the secret headers", async () => {
  const auth = { ...AUTH, basic: { type: "basic" } };
  const parameters = [{ name: "x-KEY", in: "header", required: true }, { ...Q, name: "api_key" }, Q];
  const endpoints = [
    written({ name: "all", parameters, auth: Object.keys(AUTH) }),
    written({ name: "one", auth: ["header"] }),
    written({ name: "user", auth: ["basic"] }),
    written({ name: "open", auth: [] }),
  ];
  const secrets = { ...SECRETS, basic: "me:pass:word\r\n" };
  const client = await serve({ auth, endpoints }, { secrets, secretHeaders: { "X-All": "for-all" } });
  const { properties } = (await client.list())[0]!["inputSchema"] as { properties: object };
  assert.deepEqual(Object.keys(argumentsIn(properties)), ["q"]);
  await client.call("all", { q: "1" });
  for (const name of ["one", "user", "open"]) await client.call(name);
  const others = { accept: "*/*", "user-agent": "architrave", "x-all": "for-all" };
  const key = { ...others, "x-key": "header-secret" };
  assert.deepEqual(client.sent.map(({ target, headers }) => [target, headers]), [
    ["/probe?q=1&api_key=query%26secret", {
      ...key,
      cookie: "sid=cookie-secret",
      authorization: "Bearer bearer-secret",
    }],
    ["/probe", key],
    ["/probe", { ...others, authorization: `Basic ${btoa("me:pass:word")}` }],
    ["/probe", others],
  ]);
});

test("credentials are sent with redirects below the base, and with no others", async () => {
  const credentials = ["authorization", "x-key", "cookie"];
  for (const location of [`${BASE}/moved?x=1`, "/v1/moved", "/v1", "/v1x/moved", "/v2/moved", "/"]) {
    const { answer, sent } = await sentBy(({ target }) =>
      target.startsWith("/probe?") ? redirect(location) : json({ done: true })
    );
    assert.equal(textOf(answer), '{"done":true}', location);
    const { url: { searchParams }, headers } = sent[1]!;
    const signed = [searchParams.has("api_key"), ...credentials.map((name) => name in headers)];
    assert.deepEqual(signed, Array(4).fill(/\/v1(?:\/|$)/.test(location)), location);
  }
  // An API may repeat the URL in its redirect, and encode the name in another way.
  const repeating = ({ url: { pathname, search } }: Sent) =>
    pathname === "/v1/probe"
      ? redirect(`/v1/probe/${search.replace("?", "?%61pi_key=x&")}`, 307)
      : pathname === "/v1/probe/"
      ? redirect(`/v2/probe${search}`, 307)
      : json({});
  const { sent } = await sentBy(repeating, { q: "a b" });
  assert.deepEqual(sent.map(({ url }) => url.pathname + url.search), [
    "/v1/probe?q=a%20b&api_key=query%26secret",
    "/v1/probe/?q=a%20b&api_key=query%26secret",
    "/v2/probe?q=a%20b",
  ]);
});

/** The target of a redirect, its status, and the number of requests. */
const ENDS = String.raw`
  https://evil.example/probe | 302 | 1
  http://api.example.com/v1/probe | 302 | 1
  https://api.example.com:8443/v1/probe | 302 | 1
  https://u:p@api.example.com/v1/probe | 302 | 1
  file:///etc/passwd | 302 | 1
  https:// | 302 | 1
  NONE | 302 | 1
  NONE | 304 | 1
  /v1/probe | 308 | 6
`;

test("redirects to other origins, endless redirects, and those of calls that change something are not followed", async () => {
  for (const [location, status, requests] of table(ENDS)) {
    const to = location === "NONE" ? undefined : location;
    const { answer, sent } = await sentBy(() => redirect(to, Number(status)));
    assert.ok(failureOf(answer).endsWith(`\nkind: redirect; status: ${status}; retry: no`), location);
    assert.equal(sent.length, Number(requests), location);
  }
  const { answer, sent } = await callOne(() => redirect("/v1/other", 307), { method: "PUT" });
  assert.match(failureOf(answer), /kind: redirect; status: 307/);
  assert.equal(sent.length, 1);
});

/** Builds a gateway with a secret and an OpenAPI security scheme. Returns the number of its endpoints. */
function build(scheme: Written, key = "the-secret"): number {
  const components = { securitySchemes: { key: scheme } };
  const document = openApi({ "/a": { get: { responses: {} } } }, { components, security: [{ key: [] }] });
  const description = readOpenApi(document, { credentials: ["key"] });
  return createGateway({ description, secrets: { key } }).endpoints.length;
}

test("a secret file has one line of printable ASCII, and errors do not quote it", () => {
  const message = "The credential key must be one line of printable ASCII characters";
  for (const content of ["", "\n", "two\nlines", "tab\there", "ü-secret"]) {
    assert.throws(() => build({ type: "http", scheme: "bearer" }, content), {
      name: "GatewayError",
      message,
    });
  }
  const basic = { type: "http", scheme: "basic" };
  assert.throws(() => build(basic, "no-colon"), /key must be a user and a password, separated by a colon/);
  assert.equal(build(basic, "user:"), 1);
});

test("a credential must have a name that is valid in its place", () => {
  const named = (place: string, name: string) => build({ type: "apiKey", in: place, name });
  for (const name of ["", "X Y", "X:Y", "X\nY", "\u00fcber", "a;b", "a=b", 'a"b']) {
    for (const place of ["header", "cookie"]) {
      assert.throws(
        () => named(place, name),
        /cannot be sent as the (?:header|cookie) ".*": the name/s,
        name,
      );
    }
  }
  for (const name of ["Host", "content-length", "Transfer-Encoding"]) {
    assert.throws(() => named("header", name), /belongs to the connection/);
  }
  assert.equal(named("header", "X-Api_Key.2") + named("cookie", "host") + named("query", "api key[]"), 3);
});

const SECRET = `pa"ss/w\\or'd& <1>`;

/** Answers a call of an endpoint with a credential, and returns the text of the result. */
function shower(secret: string): (body: string, type?: string) => Promise<string> {
  let response = json({});
  const limits = { maxBytes: 2 ** 22, maxShown: 2 ** 22 };
  const client = serve(KEYED, { answer: () => response, secrets: { key: secret }, ...limits });
  return async (body, type = "text/plain") => {
    response = new Response(body, { headers: { "content-type": type } });
    return textOf(await (await client).call("probe"));
  };
}

test("a secret is found plain and in every escaped form", async () => {
  const quoted = (text: string) => JSON.stringify(text).slice(1, -1);
  const coded = (one: string) => `%${one.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
  const percent = (text: string) => encodeURIComponent(text).replace(/[!'()*]/g, coded);
  const whole = SECRET.replace(/[^]/g, coded);
  const html = SECRET.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  const forms = [
    ...[SECRET, quoted(SECRET), quoted(quoted(SECRET)), quoted(quoted(quoted(SECRET)))],
    quoted(SECRET).replaceAll("/", "\\/"),
    quoted(SECRET).replaceAll("<", "\\u003c").replaceAll(">", "\\u003E").replaceAll("'", "\\u0027"),
    ...[encodeURIComponent(SECRET), percent(SECRET), percent(SECRET).toLowerCase(), percent(percent(SECRET))],
    new URL(`http://a/?k=${encodeURIComponent(SECRET)}`).search.slice(3),
    new URLSearchParams({ k: SECRET }).toString().slice(2),
    html.replaceAll("'", "&#39;").replaceAll("<", "&lt;"),
    SECRET.replaceAll("'", "&#x27;").replaceAll("/", "&#x2F;"),
    ...[SECRET.toUpperCase(), SECRET.toLowerCase(), encodeURIComponent(SECRET.toUpperCase())],
    ...[whole, whole.toLowerCase(), encodeURIComponent(whole), encodeURIComponent(encodeURIComponent(whole))],
  ];
  const show = shower(SECRET);
  for (const form of forms) assert.equal(await show(`a ${form} b`), "a [redacted] b", form);
  for (const other of [SECRET.slice(1), SECRET.slice(0, -1), SECRET.replace("/", "x")]) {
    assert.equal(await show(other), other);
  }
});

test("a secret is found in Base64, whatever is before and after it", async () => {
  for (const secret of [SECRET, "key-\u007e\u007e\u007e?>>>", "abcdef"]) {
    const show = shower(secret);
    for (const before of ["", "x", "xy", "xyz", "Bearer "]) {
      for (const after of ["", "!", "!!", "!!!"]) {
        const standard = btoa(before + secret + after);
        const url = standard.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
        for (const form of [standard, url, encodeURIComponent(standard), standard.replaceAll("/", "\\/")]) {
          const shown = await show(`{"${form}"}`);
          assert.match(shown, /^\{"[\w%]*\[redacted\][\w+%=-]*"\}$/, `${before} ${after} ${form}`);
          assert.ok(shown.length <= before.length * 2 + after.length * 2 + 30, shown);
        }
      }
    }
  }
  const other = "100%41%42 %E4%BD%A0%E5%A5%BD %61%62%63%64%65%67 YWJjZGVn";
  assert.equal(await shower("abcdef")(other), other);
});

test("credentials are not sent unencrypted to another machine, unless that is allowed", () => {
  const description = readEndpoints(KEYED);
  const secrets = { key: "the-secret" };
  const build = (base: string, more: Partial<GatewayOptions> = {}) =>
    createGateway({ description, base, secrets, ...more }).endpoints.length;
  const others = "http://api.example.com http://10.0.0.7/v1 http://api:8080 http://localhost.example.com";
  for (const base of others.split(" ")) {
    assert.throws(() => build(base), {
      name: "GatewayError",
      message: /unencrypted to http:.*the option allowPlainHttp/,
    });
    assert.equal(build(base, { allowPlainHttp: true }), 1);
    assert.equal(createGateway({ description, base, withoutCredentials: true }).endpoints.length, 1);
  }
  const own = "https://api.example.com http://localhost:1 http://127.0.0.2 http://[::1]:8080/v1";
  for (const base of own.split(" ")) assert.equal(build(base), 1, base);
});

test("a secret that is not a text is refused with its name", () => {
  const description = readEndpoints(KEYED), base = "https://api.example.com";
  for (
    const [secret, what] of [[undefined, "is undefined"], [null, "must be a string"], [7, "must be a string"]]
  ) {
    const key = secret as string;
    const error = { name: "GatewayError", message: `The credential key ${what}` };
    assert.throws(() => createGateway({ description, base, secrets: { key } }), error);
    assert.throws(() => createGateway({ description, base, secretHeaders: { key } }), error);
  }
});

test("texts that are similar to a secret take little time, however long the secret is", async () => {
  const slashes = `a${"\\".repeat(20_000)}`.repeat(20);
  const start = cpuNow();
  assert.equal(await shower(`a${"\\".repeat(200)}"${"/".repeat(200)}b`)(slashes), slashes);
  assert.ok(cpuNow() - start < 20_000);
  const letters = "aB3".repeat(30_000);
  assert.equal(await shower(`${"aB3".repeat(5000)}${"c".repeat(1000)}`)(letters), letters);
  const long = "~/'&\"".repeat(400);
  assert.equal(await shower(long)(`${long}!`), "[redacted]!");
  const message = "The credential key is too long to be redacted from answers";
  assert.throws(() => build({ type: "http", scheme: "bearer" }, long.repeat(4)), { message });
});

test("redacted JSON is JSON, with all digits of other numbers", async () => {
  const number = shower("1234567");
  const rows = [
    ['{"id":12345678,"n":12345670123456701234567}', '{"id":12345678,"n":12345670123456701234567}'],
    ["[1234567, -1234567,1234567.5]", '["[redacted]", -1234567,1234567.5]'],
    ['{"x1234567":"a\\u00311234567","q":"\\"\\\\"}', '{"x[redacted]":"a1[redacted]","q":"\\"\\\\"}'],
    ['["\\u0031\\u0032\\u00334567"]', '["[redacted]"]'],
  ] as const;
  for (const [body, wanted] of rows) assert.equal(await number(body, "application/json"), wanted);
  const response = { type: "object", properties: { id: { type: "integer" } } };
  const file = { ...KEYED, endpoints: [written({ response })] };
  const client = await serve(file, { answer: () => json({ id: 12345678 }), secrets: { key: "1234567" } });
  const { result } = await client.call("probe");
  assert.deepEqual(result!["structuredContent"], { id: 12345678 });
  const body = JSON.stringify({ a: SECRET, b: [SECRET, 1], [SECRET]: "x".repeat(2 ** 21) });
  const shown = await shower(SECRET)(body, "application/json");
  assert.equal(shown.slice(0, 59), '{"a":"[redacted]","b":["[redacted]",1],"[redacted]":"xxxxxx');
});

test("a secret in bytes is removed, and all other bytes are kept", async () => {
  const bytes = Uint8Array.from([...Array(256).keys(), ...new TextEncoder().encode(SECRET), 128]);
  const answer = () => new Response(bytes, { headers: { "content-type": "image/png" } });
  const client = await serve(KEYED, { answer, secrets: { key: SECRET } });
  const { data } = ((await client.call("probe")).result!["content"] as [{ data: string }])[0];
  const wanted = Uint8Array.from([...Array(256).keys(), ...new TextEncoder().encode("[redacted]"), 128]);
  assert.deepEqual(Uint8Array.from(atob(data), (unit) => unit.charCodeAt(0)), wanted);
});

/** Answers that repeat what was sent, by the name of the endpoint; any other endpoint breaks the connection. */
const SHOWN: Readonly<Record<string, (said: string, key: string) => Response>> = {
  data: (said, key) => json({ said, [key]: 1 }),
  slashes: (said) => new Response(JSON.stringify({ said }).replaceAll("/", "\\/"), { headers: JSON_TYPE }),
  status: (said) => json({ said }, 401),
  down: (said) => new Response(said, { status: 500 }),
  broken: (said) => new Response(JSON.stringify({ said }).slice(0, -1), { status: 422, headers: JSON_TYPE }),
  untyped: (said) => new Response(new TextEncoder().encode(said)),
  image: (said) => new Response(said, { headers: { "content-type": "image/png" } }),
  page: (said) => new Response(said, { headers: { "content-type": "text/html" } }),
};

test("credentials that an API repeats appear in no data, text, failure, list or log", async () => {
  const secrets = { ...SECRETS, header: `pa"ss/w\\or'd and <1>` };
  const endpoints = [...Object.keys(SHOWN), "cut"].map((name) =>
    written({ name, path: `/${name}`, ...(name === "data" ? { response: { type: "object" } } : {}) })
  );
  const answer = ({ url, headers }: Sent) => {
    const said = `wrong ${url.href} ${Object.values(headers).join(" ")}`;
    return SHOWN[url.pathname.slice(4)]?.(said, secrets.header) ??
      Promise.reject(new TypeError(`cannot connect to ${url}`));
  };
  const logged: string[] = [];
  const onfailure = (tool: string, reason: string) => void logged.push(`${tool}: ${reason}`);
  const client = await serve({ auth: AUTH, endpoints }, { secrets, answer, onfailure });
  for (const name of endpoints.map(({ name }) => String(name))) {
    const { result } = await client.call(name);
    const decode = (_: string, coded: string) => JSON.stringify(atob(coded));
    const shown = JSON.stringify(result).replace(/"(?:blob|data)":"([^"]*)"/g, decode);
    if (name !== "cut" && name !== "down") assert.match(shown, /\[redacted\]/, name);
    assert.doesNotMatch(shown, /w\\*or'|query(?:&|%26)secret|cookie-secret|bearer-secret/, name);
  }
  assert.deepEqual(logged.length, 2);
  assert.match(logged[0]!, /^down: .* said: wrong [^ ]+\/down\?api_key=\[redacted\] /);
  assert.match(logged[1]!, /^cut: .*\/cut\?api_key=\[redacted\]$/);
  assert.doesNotMatch(logged[0]!, /w\\*or'|cookie-secret|bearer-secret/);
  assert.doesNotMatch(JSON.stringify(await client.list()), /secret/);
});

test("a secret in the headers of an answer is not shown", async () => {
  for (const key of ["the-secret", "123456"]) {
    const headers = { "retry-after": "123456" };
    const answers = ["text", "image", "audio", "x-the-secret"]
      .map((type) => new Response("AB", { headers: { "content-type": `${type}/THE-SECRET; a=1` } }));
    for (const answer of [...answers, new Response("{}", { status: 503, headers })]) {
      const client = await serve(KEYED, { answer: () => answer, secrets: { key } });
      const shown = JSON.stringify(await client.call("probe"));
      assert.equal(shown.toLowerCase().includes(key), false, shown);
    }
  }
});
