/** Who is let in? Not a page that makes a name of its own lead here, and not who has no token where one is wanted. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { canBeHost, canBeOrigin } from "../../lib/http/checks.ts";
import { bearerToken, createHttpHandler, listenHttp } from "../../lib/http/mod.ts";
import { createServer } from "../../lib/server/mod.ts";
import { ON_DENO } from "../harness/program.ts";
import { HttpClient, serve } from "./client.ts";
import { open, requestOf } from "./raw.ts";

const TOKENS = { ada: "0123456789abcdef-ada", bob: "0123456789abcdef-bob", eve: "A.z_~+/-01234567==" };
const INFO = { info: { name: "test", version: "1" } };

test("only hosts that are known are served, and only pages of theirs may ask", async (t) => {
  const served = await serve(t);
  const client = new HttpClient(served);
  const rows: [Record<string, string | undefined>, number][] = [
    [{ host: "localhost" }, 200],
    [{ host: "LOCALHOST:9" }, 200],
    [{ host: "[::1]:80" }, 200],
    [{ host: "127.0.0.1:65535" }, 200],
    [{ host: "evil.example" }, 403],
    [{ host: "evil.example:8080" }, 403],
    [{ host: "localhost.evil.example" }, 403],
    [{ host: "localhost@evil.example" }, 403],
    [{ host: "127.0.0.1.evil.example" }, 403],
    [{ host: "127.0.0.2" }, 403],
    [{ host: "localhost, evil.example" }, 403],
    [{ host: "[::1].evil.example" }, 403],
    [{ origin: "http://localhost:3000" }, 200],
    [{ origin: "http://127.0.0.1" }, 200],
    [{ origin: "http://[::1]:5173" }, 200],
    [{ origin: "https://evil.example" }, 403],
    [{ origin: "http://localhost.evil.example" }, 403],
    [{ origin: "null" }, 403],
    [{ origin: "" }, 403],
    [{ origin: "file://localhost" }, 403],
    [{ origin: "http://localhost@evil.example" }, 403],
    [{ host: "evil.example", origin: "http://evil.example" }, 403],
    [{ origin: "http://localhost", Origin: "https://evil.example" }, 403],
  ];
  for (const [fields, status] of rows) {
    const answered = await client.post(client.request("resources/list"), fields);
    assert.equal(answered.status, status, JSON.stringify(fields));
    if (status === 403) assert.equal("id" in answered.json, false);
  }
});

test("canBeHost() and canBeOrigin() know what can be allowed and never be asked for", async (t) => {
  const hosts = [
    "docs.example.com",
    "DOCS.example.com:8443",
    "10.0.0.1",
    "[fd00::1]",
    "[fd00::1]:80",
    "my_host",
    "xn--gre-6ka8i.example",
  ];
  const origins = [
    "https://app.example.com",
    "http://App.example.com:8080",
    "http://[fd00::1]:3000",
    "chrome-extension://abcdef",
    "file://",
    "null",
  ];
  // What can be asked for is let in as it is written, so that neither says more than the guard does.
  const served = await serve(t, { allowedHosts: ["localhost", ...hosts], allowedOrigins: origins });
  const client = new HttpClient(served);
  for (const host of hosts) {
    assert.ok(canBeHost(host), host);
    assert.equal((await client.post(client.request("resources/list"), { host })).status, 200, host);
  }
  for (const origin of origins) {
    assert.ok(canBeOrigin(origin), origin);
    const fields = { host: "localhost", origin };
    assert.equal((await client.post(client.request("resources/list"), fields)).status, 200, origin);
  }
  assert.ok(canBeHost("*") && canBeOrigin("*"));
  for (
    const host of [
      "",
      " ",
      "https://docs.example.com",
      "docs.example.com/",
      "*.example.com",
      "::1",
      "a,b",
      "a b",
      "a:",
      "a:b",
      "größe.example",
    ]
  ) assert.equal(canBeHost(host), false, host);
  for (
    const origin of [
      "",
      "x",
      "app.example.com",
      "https://",
      "https://app.example.com/",
      "https://app.example.com/mcp",
      "https://app.example.com:443",
      "http://app.example.com:80",
      "https://größe.example",
      "https://*.example.com",
      "https://*",
      "https://ada@app.example.com",
      "localhost:3000",
      "https//app.example.com",
    ]
  ) assert.equal(canBeOrigin(origin), false, origin);
});

test("a host that stands in the first line is held against the list too", async (t) => {
  const served = await serve(t);
  const client = new HttpClient(served);
  const message = client.request("resources/list");
  for (const [authority, status] of [["localhost", 200], ["evil.example", 403]] as const) {
    const answered = await served.send(
      "POST",
      { ...client.fieldsOf(message), host: "localhost" },
      JSON.stringify(message),
      `http://${authority}/mcp`,
    );
    assert.equal(answered.status, status, authority);
  }
});

test("a request that names its host twice, or not at all, is not served", async (t) => {
  const served = await serve(t);
  const client = new HttpClient(served);
  const message = client.request("resources/list");
  const twice = await served.send("POST", {
    ...client.fieldsOf(message),
    host: "localhost",
    Host: "evil.example",
  }, JSON.stringify(message));
  assert.ok([400, 403].includes(twice.status), `${twice.status}`);
  const none = await (await open(
    served.port,
    requestOf("POST", "/mcp", client.fieldsOf(message), JSON.stringify(message)),
  )).whole();
  // Deno puts in the name that it listens by.
  assert.equal(none.status, ON_DENO ? 200 : 400);
});

test("pages may read answers only where that is configured, and only the pages that are named", async (t) => {
  const origin = "https://app.example.com";
  const closed = await serve(t, { allowedOrigins: [origin] });
  const answered = await closed.send("OPTIONS", { origin, "access-control-request-method": "POST" });
  assert.equal(answered.status, 405);
  assert.equal(answered.headers.has("access-control-allow-origin"), false);
  const served = await serve(t, { allowedOrigins: [origin], cors: true });
  const asked = await served.send("OPTIONS", {
    origin,
    "access-control-request-method": "POST",
    "access-control-request-headers": "content-type, mcp-param-region",
  });
  assert.equal(asked.status, 204);
  assert.equal(asked.headers.get("access-control-allow-origin"), origin);
  assert.equal(asked.headers.get("access-control-allow-headers"), "content-type, mcp-param-region");
  const client = new HttpClient(served);
  client.fields = { origin };
  for (const method of ["resources/list", "no/such"]) {
    const got = await client.post(client.request(method));
    assert.equal(got.headers.get("access-control-allow-origin"), origin);
    assert.match(got.headers.get("access-control-expose-headers")!, /Mcp-Session-Id/);
    assert.equal(got.headers.get("vary"), "Origin");
  }
  const other = await served.send("OPTIONS", { origin: "https://other.example.com" });
  assert.equal(other.status, 403);
  assert.equal(other.headers.has("access-control-allow-origin"), false);
});

test("without a token, or with a wrong one, nothing is read, and the answer says how to get one", async (t) => {
  const served = await serve(t, {
    authenticate: bearerToken({ tokens: TOKENS }),
    resourceMetadata: {
      resource: "https://docs.example.com/mcp",
      authorization_servers: ["https://login.example.com"],
    },
  });
  const metadata = 'resource_metadata="https://docs.example.com/.well-known/oauth-protected-resource/mcp"';
  const client = new HttpClient(served);
  const rows: [string | undefined, number, string][] = [
    [undefined, 401, `Bearer ${metadata}`],
    ["Basic YTpi", 401, `Bearer ${metadata}`],
    ["Bearer", 401, `Bearer ${metadata}`],
    ["Bearer 0123456789abcdef-ad", 401, `Bearer error="invalid_token", ${metadata}`],
    ["Bearer 0123456789abcdef-adaa", 401, `Bearer error="invalid_token", ${metadata}`],
    ["Bearer 0123456789abcdef-ada0123456789abcdef-ada", 401, `Bearer error="invalid_token", ${metadata}`],
    ["Bearer 0123456789abcdef-ada", 200, ""],
    ["bearer  0123456789abcdef-bob", 200, ""],
    ["Bearer A.z_~+/-01234567==", 200, ""],
  ];
  for (const [authorization, status, challenge] of rows) {
    const answered = await client.post(client.request("resources/list"), { authorization });
    assert.equal(answered.status, status, `${authorization}`);
    assert.equal(answered.headers.get("www-authenticate") ?? "", challenge);
  }
  const early = await served.begin("POST", { "content-type": "application/json", "content-length": "1000" });
  assert.equal(early.status, 401);
  for (const path of ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"]) {
    const document = await served.send("GET", {}, undefined, path);
    assert.equal(document.status, 200);
    assert.deepEqual(document.json, {
      bearer_methods_supported: ["header"],
      resource: "https://docs.example.com/mcp",
      authorization_servers: ["https://login.example.com"],
    });
  }
  assert.equal(
    (await served.send("GET", {}, undefined, "/.well-known/oauth-protected-resource/other")).status,
    404,
  );
});

test("a session is of whoever began it, and of nobody else who is let in", async (t) => {
  const served = await serve(
    t,
    { authenticate: bearerToken({ tokens: TOKENS }) },
    { keys: [new Uint8Array(32)] },
  );
  const client = new HttpClient(served, "2025-11-25");
  client.fields = { authorization: `Bearer ${TOKENS.ada}` };
  await client.start();
  assert.ok((await client.ask("ping"))["result"]);
  const bob = { authorization: `Bearer ${TOKENS.bob}` };
  assert.equal((await client.post(client.request("ping"), bob)).status, 404);
  assert.equal((await client.listen(bob)).status, 404);
  assert.equal((await served.send("DELETE", { ...bob, "mcp-session-id": client.session })).status, 404);
  assert.ok((await client.ask("ping"))["result"]);
  // Nor at another server with the same key that has not seen it.
  const other = await serve(t, { authenticate: bearerToken({ tokens: TOKENS }) }, {
    keys: [new Uint8Array(32)],
  });
  assert.equal(
    (await other.send("GET", { ...bob, accept: "text/event-stream", "mcp-session-id": client.session }))
      .status,
    404,
  );
});

test("a scope that does not reach is 403, and the scope that would is named", async (t) => {
  const served = await serve(t, {
    authenticate: () => ({ status: 403, error: "insufficient_scope", scope: "docs:read" }),
  });
  const answered = await served.send("POST", { "content-type": "application/json" }, "{}");
  assert.equal(answered.status, 403);
  assert.equal(
    answered.headers.get("www-authenticate"),
    'Bearer error="insufficient_scope", scope="docs:read"',
  );
});

test("what goes wrong while somebody is asked who they are is no reason to let them in", async (t) => {
  const served = await serve(t, { authenticate: () => Promise.reject(new Error("the secret of the hook")) });
  const answered = await served.send("POST", { "content-type": "application/json" }, "{}");
  assert.equal(answered.status, 500);
  assert.doesNotMatch(answered.body, /secret/);
  assert.equal(served.failures.length, 1);
});

test("an address that others can reach is not listened on without a word", async () => {
  const server = createServer(INFO);
  for (const hostname of ["0.0.0.0", "::", "192.168.0.1", "example.com"]) {
    await assert.rejects(listenHttp(server, { hostname, port: 0 }), RangeError);
  }
  const listening = await listenHttp(server, { hostname: "0.0.0.0", port: 0, allowUnauthenticated: true });
  await listening.close();
});

test("tokens that can be guessed, keys that are short and metadata without a server are refused", async () => {
  assert.throws(() => bearerToken({ tokens: [] }), RangeError);
  assert.throws(() => bearerToken({ tokens: ["short"] }), RangeError);
  // What no field can carry would let nobody in, and nobody would be told why.
  for (const end of ["!", "#", "$", "%", ":", "=a", '"', ",", "ü", " ", "\n"]) {
    const token = `0123456789abcdef${end}`;
    assert.throws(() => bearerToken({ tokens: { ops: token } }), (cause: Error) => {
      assert.ok(cause instanceof RangeError, JSON.stringify(end));
      assert.match(
        cause.message,
        /^Cannot use the token of "ops": it has characters that clients cannot send/,
      );
      assert.ok(!cause.message.includes("0123"), "it is not repeated");
      return true;
    }, JSON.stringify(end));
  }
  await assert.rejects(
    listenHttp(createServer({ ...INFO, keys: [new Uint8Array(31)] }), { port: 0 }),
    RangeError,
  );
  const resourceMetadata = { resource: "https://a.example", authorization_servers: [] };
  assert.throws(() => createHttpHandler(createServer(INFO), { resourceMetadata }), TypeError);
});

test("whether it lives and whether it is ready can be asked by any name, and nothing else can", async (t) => {
  let ready = false;
  const served = await serve(t, { ready: () => ready, authenticate: bearerToken({ tokens: TOKENS }) });
  assert.equal((await served.send("GET", { host: "10.0.0.1" }, undefined, "/healthz")).status, 200);
  assert.equal((await served.send("GET", { host: "10.0.0.1" }, undefined, "/readyz")).status, 503);
  ready = true;
  assert.equal((await served.send("GET", { host: "10.0.0.1" }, undefined, "/readyz")).status, 200);
  assert.equal((await served.send("GET", { host: "10.0.0.1" }, undefined, "/mcp")).status, 403);
  assert.equal((await served.send("GET", {}, undefined, "/other")).status, 404);
});
