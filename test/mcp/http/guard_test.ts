/** Which hosts, pages and clients are served. */

import assert from "node:assert/strict";
import { createServer as createNodeServer } from "node:http";
import { test } from "node:test";
import type { HttpListenOptions } from "../../../lib/mcp/http/mod.ts";
import { canBeHost, canBeOrigin } from "../../../lib/mcp/http/checks.ts";
import { bearerToken, createHttpHandler, listenHttp, nodeListener } from "../../../lib/mcp/http/mod.ts";
import { createServer } from "../../../lib/mcp/server/mod.ts";
import { listenLocally } from "../../harness/http.ts";
import { ON_DENO } from "../../harness/program.ts";
import type { Fields } from "../../harness/http_client.ts";
import { HttpClient, open, requestOf } from "../../harness/http_client.ts";
import { requester, serve } from "../../harness/http_server.ts";

const TOKENS = { ada: "0123456789abcdef-ada", bob: "0123456789abcdef-bob", eve: "A.z_~+/-01234567==" };
const INFO = { info: { name: "test", version: "1" } };
const HOSTS =
  "localhost docs.example.com API.example.com:8443 10.0.0.1 [fd00::1] [fd00::1]:80 my_host xn--gre-6ka8i"
    .split(" ");
const ORIGINS =
  "https://app.example.com http://App.example.com:8080 http://[fd00::1]:3000 chrome-app://a file:// null"
    .split(" ");
const POST_JSON = { "content-type": "application/json" };

test("only the allowed hosts are served, to their own pages and to allowed ones", async (t) => {
  const any = ["*"],
    tables: [HttpListenOptions, [field: string, status: number, values: string][]][] = [
      [{}, [
        ["host", 200, "localhost | LOCALHOST:9 | [::1]:80 | 127.0.0.1:65535"],
        ["host", 403, "evil.example | evil.example:8080 | localhost.evil.example | localhost@evil.example"],
        ["host", 403, "127.0.0.1.evil.example | 127.0.0.2 | localhost, evil.example | [::1].evil.example"],
        ["origin", 200, "http://localhost:3000 | http://127.0.0.1 | http://[::1]:5173"],
        [
          "origin",
          403,
          "https://evil.example | http://localhost.evil.example | http://localhost@evil.example",
        ],
        ["origin", 403, "null | file://localhost | "],
      ]],
      [{ allowedHosts: [...HOSTS, "127.0.0.1"], allowedOrigins: ORIGINS }, [
        ["host", 200, HOSTS.join(" | ")],
        ["origin", 200, ORIGINS.join(" | ")],
      ]],
      // Where any host is, no page is that of an allowed one.
      [{ allowedHosts: any }, [["host", 200, "any.example"], ["origin", 403, "http://127.0.0.1"]]],
      [{ allowedOrigins: any }, [["origin", 200, "http://any.example"]]],
    ];
  for (const [http, rows] of tables) {
    const client = new HttpClient(await serve(t, http));
    const assertStatus = async (status: number, fields: Fields) => {
      const answered = await client.post(client.request("resources/list"), fields);
      assert.equal(answered.status, status, JSON.stringify(fields));
      if (status === 403) assert.equal("id" in answered.json, false);
    };
    for (const [field, status, values] of rows) {
      for (const value of values.split(" | ")) await assertStatus(status, { [field]: value });
    }
    if (http.allowedOrigins === any) continue;
    await assertStatus(403, { host: "evil.example", origin: "http://evil.example" });
    await assertStatus(403, { origin: "http://localhost", Origin: "https://evil.example" });
  }
});

test("the operator is told of a host and an origin that are not allowed", async () => {
  for (const field of ["host", "origin"]) {
    const lines: string[] = [];
    const send = requester({ onrefused: (line) => void lines.push(line) });
    await send({ [field]: `https://evil.example\x9b${"x".repeat(200)}` });
    const line = new RegExp(`from 192\\.0\\.2\\.1: The ${field} "https://evil.example.{80}" is not allowed`);
    assert.match(lines.join(), line);
  }
});

test("hosts and origins that no request can have are known", () => {
  const hosts = "https://docs.example.com docs.example.com/ *.example.com ::1 a,b a: a:b größe.example"
    .split(" ");
  const origins = ("x app.example.com https:// https://app.example.com/ https://app.example.com/mcp " +
    "https://app.example.com:443 http://app.example.com:80 https://größe.example https://*.example.com " +
    "https://* https://ada@app.example.com localhost:3000 https//app.example.com").split(" ");
  assert.deepEqual([...HOSTS, "*", "", " ", "a b", ...hosts].filter(canBeHost), [...HOSTS, "*"]);
  assert.deepEqual([...ORIGINS, "*", "", ...origins].filter(canBeOrigin), [...ORIGINS, "*"]);
});

test("the host of the request line is checked too; no host, two of them, or two names are refused", async (t) => {
  const served = await serve(t);
  const client = new HttpClient(served);
  const message = client.request("resources/list");
  const [fields, body] = [client.fieldsOf(message), JSON.stringify(message)];
  for (const [authority, status] of [["localhost", 200], ["evil.example", 403]] as const) {
    const target = `http://${authority}/mcp`;
    const answered = await served.send("POST", { ...fields, host: "localhost" }, body, target);
    assert.equal(answered.status, status, authority);
  }
  const twice = await served.send("POST", { ...fields, host: "localhost", Host: "evil.example" }, body);
  assert.ok([400, 403].includes(twice.status), `${twice.status}`);
  const read = client.request("resources/read", { uri: "test://a" });
  const names = await client.post(read, { "mcp-name": "test://a", "Mcp-Name": "test://a" });
  assert.deepEqual([names.status, names.code], [400, -32020]);
  const none = await (await open(served.port, requestOf("POST", "/mcp", fields, body))).whole();
  // Deno adds the name that it listens on.
  assert.equal(none.status, ON_DENO ? 200 : 400);
});

test("allowed pages may read responses, only with CORS", async (t) => {
  const origin = "https://app.example.com";
  const headers = "content-type, mcp-param-region";
  const preflight = { "access-control-request-method": "POST", "access-control-request-headers": headers };
  const served = await serve(t, { allowedOrigins: [origin], cors: true });
  const closed = await serve(t, { allowedOrigins: [origin] });
  for (const [server, from, status] of [[closed, origin, 405], [served, "https://a.example", 403]] as const) {
    const { headers, ...refused } = await server.send("OPTIONS", { ...preflight, origin: from });
    assert.equal(refused.status, status);
    assert.deepEqual([...headers.keys()].filter((name) => name.startsWith("access-control")), []);
  }
  const allowed = await served.send("OPTIONS", { ...preflight, origin });
  assert.equal(allowed.status, 204);
  assert.equal(allowed.headers.get("access-control-allow-origin"), origin);
  assert.equal(allowed.headers.get("access-control-allow-headers"), headers);
  assert.equal(allowed.headers.get("access-control-max-age"), "600");
  const client = new HttpClient(served);
  for (const method of ["resources/list", "no/such"]) {
    const got = await client.post(client.request(method), { origin });
    assert.equal(got.headers.get("access-control-allow-origin"), origin);
    assert.equal(got.headers.get("access-control-expose-headers"), "Mcp-Session-Id, WWW-Authenticate");
    assert.equal(got.headers.get("vary"), "Origin");
  }
  const other = await client.post(client.request("resources/list"));
  assert.equal(other.headers.get("access-control-allow-origin"), undefined);
});

test("a missing or wrong token is refused before the body is read, with the way to get one", async (t) => {
  const resource = "https://docs.example.com/mcp?a=b";
  const resourceMetadata = { resource, authorization_servers: ["https://login.example.com"] };
  const scopes = { ada: ["mcp:use", "docs", "other"], bob: ["docs"], eve: ["docs", "mcp:use"] };
  // A name that every object has.
  const tokens = { ...TOKENS, constructor: "0123456789abcdef-none" };
  const authenticate = bearerToken({ tokens, scopes });
  const served = await serve(t, { authenticate, requiredScopes: ["docs", "mcp:use"], resourceMetadata });
  const wellKnown = "/.well-known/oauth-protected-resource";
  const client = new HttpClient(served);
  const rows: [authorization: string | undefined, status: number, error?: string][] = [
    [undefined, 401],
    ["Basic YTpi", 401],
    ["Bearer", 401],
    ["Bearer 0123456789abcdef-ad", 401, 'error="invalid_token", '],
    ["Bearer 0123456789abcdef-adaa", 401, 'error="invalid_token", '],
    ["Bearer 0123456789abcdef-ada0123456789abcdef-ada", 401, 'error="invalid_token", '],
    ["bearer  0123456789abcdef-bob", 403, 'error="insufficient_scope", '],
    ["bearer  0123456789abcdef-none", 403, 'error="insufficient_scope", '],
    ["bearer  0123456789abcdef-ada", 200],
    ["Bearer A.z_~+/-01234567==", 200],
  ];
  for (const [authorization, status, error = ""] of rows) {
    const answered = await client.post(client.request("resources/list"), { authorization });
    assert.equal(answered.status, status, `${authorization}`);
    const metadata = `scope="docs mcp:use", resource_metadata="https://docs.example.com${wellKnown}/mcp?a=b"`;
    const challenge = status === 200 ? undefined : `Bearer ${error}${metadata}`;
    assert.equal(answered.headers.get("www-authenticate"), challenge);
  }
  const early = await served.begin("POST", { ...POST_JSON, "content-length": "1000" });
  assert.equal(early.status, 401);
  for (const path of [wellKnown, `${wellKnown}/mcp`]) {
    const document = await served.get(path);
    assert.equal(document.status, 200);
    assert.deepEqual(document.json, { bearer_methods_supported: ["header"], ...resourceMetadata });
  }
  assert.equal((await served.get(`${wellKnown}/other`)).status, 404);
  assert.equal((await served.send("POST", {}, "", wellKnown)).status, 404);
});

test("a session belongs to the principal that began it, at every server", async (t) => {
  const start = () =>
    serve(t, { authenticate: bearerToken({ tokens: TOKENS }) }, { keys: [new Uint8Array(32)] });
  const client = new HttpClient(await start(), "2025-11-25");
  client.fields = { authorization: `Bearer ${TOKENS.ada}` };
  await client.start();
  const bob = { authorization: `Bearer ${TOKENS.bob}` };
  assert.equal(await client.status("ping"), 200);
  assert.equal(await client.status("ping", bob), 404);
  assert.equal((await client.listen(bob)).status, 404);
  assert.equal(await client.end(bob), 404);
  assert.equal(await client.status("ping"), 200);
  assert.equal((await client.at(await start()).listen(bob)).status, 404);
});

test("the hook of an operator decides: a narrow scope is 403 and names the wider one, a failure is 500", async (t) => {
  const hook = () => ({ status: 403, error: "insufficient_scope", scope: 'docs:"read\r\n' } as const);
  const narrow = await serve(t, { authenticate: hook });
  const refused = await narrow.send("POST", POST_JSON, "{}");
  assert.equal(refused.status, 403);
  const challenge = 'Bearer error="insufficient_scope", scope="docs:read"';
  assert.equal(refused.headers.get("www-authenticate"), challenge);
  const broken = await serve(t, { authenticate: () => Promise.reject(new Error("the secret of the hook")) });
  const failed = await broken.send("POST", POST_JSON, "{}");
  assert.equal(failed.status, 500);
  assert.doesNotMatch(failed.body, /secret/);
  assert.equal(broken.failures.length, 1);
});

test("weak tokens, short keys, metadata without a server and addresses without authentication are refused", async () => {
  assert.throws(() => bearerToken({ tokens: [] }), RangeError);
  assert.throws(() => bearerToken({ tokens: ["short"] }), RangeError);
  for (const tokens of [undefined, "0123456789abcdef"]) {
    assert.throws(() => bearerToken({ tokens: tokens as never }), /Cannot check tokens: give at least one/);
  }
  // What `process.env` and `JSON.parse` give instead of a token.
  for (const [token, what] of [[undefined, "undefined"], [null, "not a string"], [1e16, "not a string"]]) {
    const message = `Cannot use the token of "ci": it is ${what}`;
    assert.throws(() => bearerToken({ tokens: { ci: token as never } }), { name: "TypeError", message });
    assert.throws(() => bearerToken({ tokens: ["0123456789abcdef", token as never] }), /"token 2": it is /);
  }
  const shared = /^Cannot use the token of "bob": "ann" has the same one, and each needs its own$/;
  const same = { ann: "0123456789abcdef", bob: "0123456789abcdef" };
  assert.throws(() => bearerToken({ tokens: same }), { name: "RangeError", message: shared });
  // No client could send such a token.
  const message = /^(?!.*0123)Cannot use the token of "ops": it has characters that clients cannot send/;
  for (const end of ["!", "#", "$", "%", ":", "=a", '"', ",", "ü", " ", "\n"]) {
    const tokens = { ops: `0123456789abcdef${end}` };
    assert.throws(() => bearerToken({ tokens }), { name: "RangeError", message }, JSON.stringify(end));
  }
  const weak = createServer({ ...INFO, keys: [new Uint8Array(31)] });
  await assert.rejects(listenHttp(weak, { port: 0 }), RangeError);
  for (const [resource, ...authorization_servers] of [["https://a.b"], ["https://a.b/#c", "https://d.e"]]) {
    const resourceMetadata = { resource: resource!, authorization_servers };
    assert.throws(() => createHttpHandler(createServer(INFO), { resourceMetadata }), TypeError, resource);
  }
  const server = createServer(INFO);
  assert.throws(() => createHttpHandler(server, { requiredScopes: ["a"] }), TypeError);
  for (const port of [NaN, -1, 65_536, 1.5, "8080", "/tmp/socket"]) {
    const message = `Cannot use the port ${port}: it must be an integer from 0 to 65535`;
    await assert.rejects(listenHttp(server, { port: port as number }), { name: "RangeError", message });
  }
  for (const path of ["", "foo", "foo/bar", "/a?b", "/a#b", "/a b", "http://localhost/mcp"]) {
    const message = `Cannot serve the path "${path}": it must begin with "/" and have no "?", "#" or space`;
    await assert.rejects(listenHttp(server, { path, port: 0 }), { name: "TypeError", message });
  }
  for (const host of ["0.0.0.0", "::", "192.168.0.1", "example.com"]) {
    await assert.rejects(listenHttp(server, { host, port: 0 }), RangeError);
    await assert.rejects(listenHttp(server, { hostname: host, port: 0 }), RangeError);
  }
  for (const where of [{ host: "0.0.0.0" }, { hostname: "0.0.0.0" }]) {
    await (await listenHttp(server, { ...where, port: 0, allowUnauthenticated: true })).close();
  }
});

test("nodeListener() takes a handler or its respond, and refuses anything else at once", async (t) => {
  const handler = createHttpHandler(createServer(INFO));
  t.after(() => handler.close());
  for (const given of [handler, handler.respond]) {
    const server = createNodeServer(nodeListener(given));
    t.after(() => server.close());
    assert.equal((await fetch(`${await listenLocally(server)}/healthz`)).status, 200);
  }
  for (const given of [undefined, {}, handler.fetch.name]) {
    const message = /^TypeError: Cannot make a listener: give nodeListener\(\) what/;
    assert.throws(() => nodeListener(given as never), message);
  }
});

test("health checks work with any host name, and nothing else does", async (t) => {
  let ready = false;
  const served = await serve(t, { ready: () => ready, authenticate: bearerToken({ tokens: TOKENS }) });
  const host = "10.0.0.1";
  assert.equal((await served.get("/healthz", { host })).status, 200);
  assert.equal((await served.get("/readyz", { host })).status, 503);
  ready = true;
  const well = await served.get("/readyz", { host });
  assert.deepEqual([well.status, well.headers.get("cache-control")], [200, "no-store"]);
  assert.equal((await served.get("/mcp", { host })).status, 403);
  assert.equal((await served.get("/other")).status, 404);
  const closed = createHttpHandler(createServer(INFO));
  await closed.close();
  for (const [path, status] of [["/healthz", 200], ["/readyz", 503], ["/mcp", 503]] as const) {
    const request = new Request(`http://localhost${path}`, { headers: { host: "localhost" } });
    assert.equal((await closed.fetch(request)).status, status, path);
  }
});

test("a browser gets a page without scripts that says what this is, for allowed hosts and at / only", async (t) => {
  const served = await serve(t, { authenticate: bearerToken({ tokens: TOKENS }) });
  const accept = "text/html,application/xhtml+xml,*/*;q=0.8";
  const page = await served.get("/", { accept });
  assert.equal(page.status, 200);
  assert.equal(page.headers.get("content-type"), "text/html; charset=utf-8");
  assert.match(page.headers.get("content-security-policy")!, /^default-src 'none';.* frame-ancestors 'none'/);
  assert.match(page.body, /<h1>This is an MCP server<\/h1>/);
  assert.match(page.body, /<code>\/mcp<\/code>/);
  assert.doesNotMatch(page.body, /<script|<style|<link|<img|\son\w+=/i);
  assert.equal((await served.get("/?x=1", { accept })).status, 200);
  const others: [path: string, fields: Fields, status: number][] = [
    ["/", {}, 404],
    ["/", { accept: "application/json" }, 404],
    ["/", { accept, host: "evil.example" }, 403],
    ["/other", { accept }, 404],
    ["/mcp", { accept }, 401],
  ];
  for (const [path, fields, status] of others) {
    assert.equal((await served.get(path, fields)).status, status, path);
  }
  const own = await serve(t, { path: "/<b>&" });
  assert.match((await own.get("/", { accept })).body, /<code>\/&lt;b&gt;&amp;<\/code>/);
});
