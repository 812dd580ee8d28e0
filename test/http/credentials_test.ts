/** Credentials: JWT access tokens and their keys, wrong ones, and what ends with them. */

import assert from "node:assert/strict";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { ServerResponse } from "node:http";
import { before, test } from "node:test";
import type { TestContext } from "node:test";
import { toBase64Url } from "../../lib/base/bytes.ts";
import type { Authenticate, Challenge, HttpOptions, JwtOptions } from "../../lib/http/mod.ts";
import { bearerToken, createHttpHandler, jwtBearer } from "../../lib/http/mod.ts";
import { createServer } from "../../lib/server/mod.ts";
import { until } from "../harness/process.ts";
import { HttpClient, serve } from "./client.ts";
import type { SigningKey } from "./tokens.ts";
import { AUDIENCE, claims, ISSUER, makeKey, part, seconds, sign } from "./tokens.ts";

let key: SigningKey;
before(async () => void (key = await makeKey("ES256", "k1")));

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** What a hook says of a token. */
async function judge(authenticate: Authenticate, token: string) {
  const fields = new Map(Object.entries(bearer(token)));
  return await authenticate({ method: "POST", remoteAddress: undefined, header: (name) => fields.get(name) });
}

function options(more: Partial<JwtOptions> = {}): JwtOptions {
  return { jwks: { keys: [key.jwk] }, issuer: ISSUER, audience: AUDIENCE, ...more };
}

test("jwtBearer() accepts every algorithm with its key, and tells who it is, what is allowed and until when", async () => {
  for (const alg of ["RS256", "PS256", "ES256", "ES384", "ES512", "EdDSA"]) {
    const own = await makeKey(alg, alg);
    const authenticate = jwtBearer(options({ jwks: { keys: [key.jwk, own.jwk] } }));
    const exp = seconds() + 60;
    const found = await judge(authenticate, await sign(own, claims({ exp, scope: "a b", scp: ["c"] })));
    const { claims: all, ...rest } = found as { claims?: object };
    const expected = { principal: `${ISSUER} ada`, scopes: ["a", "b", "c"], expiresAt: exp * 1000 + 30_000 };
    assert.deepEqual(rest, expected, alg);
    assert.equal((all as { sub: string }).sub, "ada");
  }
});

test("jwtBearer() checks who a token is from, whom it is for, and when", async () => {
  const authenticate = jwtBearer(options());
  const now = seconds();
  const rows: [isGood: boolean, claims: object][] = [
    [true, {}],
    [true, { aud: ["https://other.example", AUDIENCE] }],
    [true, { aud: "HTTPS://Docs.Example.Com:443/mcp/" }],
    [false, { aud: "https://docs.example.com" }],
    [false, { aud: `${AUDIENCE}/x` }],
    [false, { aud: [] }],
    [false, { aud: [[AUDIENCE]] }],
    [false, { aud: undefined }],
    [false, { iss: `${ISSUER}/` }],
    [false, { iss: undefined }],
    [false, { sub: undefined }],
    [false, { sub: "" }],
    [false, { sub: 7 }],
    [true, { exp: now - 10 }],
    [false, { exp: now - 40 }],
    [false, { exp: undefined }],
    [false, { exp: `${now + 60}` }],
    [false, { exp: null }],
    [true, { nbf: now + 10 }],
    [false, { nbf: now + 60 }],
    [false, { nbf: "0" }],
    [true, { iat: undefined }],
    [true, { iat: now + 10 }],
    [false, { iat: now + 60 }],
  ];
  for (const [isGood, row] of rows) {
    const found = await judge(authenticate, await sign(key, claims(row)));
    assert.equal("principal" in found, isGood, JSON.stringify(row));
    if (isGood) continue;
    const { reason, ...rest } = found as Challenge;
    assert.deepEqual(rest, { status: 401, error: "invalid_token" });
    // For the operator: which claim it is.
    assert.match(`${reason}`, new RegExp(`^its (?:.* )?${Object.keys(row)[0]}\\b`));
  }
});

test("jwtBearer() takes no token that is not signed with the right key, in the right way", async () => {
  const other = await makeKey("ES256", "k1");
  const [rsa, weak] = [
    await makeKey("RS256", "rsa"),
    await makeKey("RS256", "weak", { modulusLength: 1024 }),
  ];
  const unnamed = await makeKey("ES256");
  const odd = { ...rsa.jwk, kid: "odd", n: { toString: 1 } };
  const authenticate = jwtBearer(options({ jwks: { keys: [key.jwk, rsa.jwk, weak.jwk, odd] } }));
  const good = await sign(key);
  const [head = "", body = "", signature = ""] = good.split(".");
  const secret = await crypto.subtle.importKey(
    "raw",
    new TextEncoder().encode(JSON.stringify(key.jwk)),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  const forged = `${part({ alg: "HS256", kid: "k1" })}.${body}`;
  const mac = await crypto.subtle.sign("HMAC", secret, new TextEncoder().encode(forged));
  const tokens: Record<string, string> = {
    "another key of the same name": await sign(other),
    "none": `${part({ alg: "none" })}.${body}.`,
    "none, signed": `${part({ alg: "none", kid: "k1" })}.${body}.${signature}`,
    "HMAC with the public key": `${forged}.${toBase64Url(new Uint8Array(mac))}`,
    "an algorithm for another key": await sign(rsa, claims(), { alg: "PS256" }),
    "the key of another": await sign(key, claims(), { kid: "rsa" }),
    "an unknown key": await sign(key, claims(), { kid: "k2" }),
    "a kid that is no text": await sign(key, claims(), { kid: 1 }),
    "a short key": await sign(weak),
    "crit": await sign(key, claims(), { crit: ["exp"] }),
    "another type": await sign(key, claims(), { typ: "logout+jwt" }),
    "a type that is no text": await sign(key, claims(), { typ: { toString: 1 } }),
    "a key that is malformed": await sign(rsa, claims(), { kid: "odd" }),
    "claims that were changed": `${head}.${part(claims({ sub: "eve" }))}.${signature}`,
    "two parts": `${head}.${body}`,
    "four parts": `${good}.x`,
    "no JSON": `${head}.${part("{")}.${signature}`,
    "a list": await sign(key, [claims()]),
    "no Base64": `${head}.${body}.${signature}=`,
    "too long": await sign(key, claims({ more: "x".repeat(20_000) })),
    "no token": "~~~~~~~~~~~~~~~~",
  };
  for (const [name, token] of Object.entries(tokens)) {
    const { reason, ...rest } = await judge(authenticate, token) as Challenge;
    assert.deepEqual(rest, { status: 401, error: "invalid_token" }, name);
    assert.match(
      `${reason}`,
      /^(?:it is no JWT|its .+ (?:wrong|not accepted)|the key set has no key for it)$/,
      name,
    );
  }
  for (const typ of ["JWT", "AT+JWT", "application/at+jwt", undefined]) {
    assert.ok("principal" in await judge(authenticate, await sign(key, claims(), { typ })), `${typ}`);
  }
  // One key that fits is enough; which of two it is must be said.
  const [one, two] = [
    options({ jwks: { keys: [unnamed.jwk] } }),
    options({ jwks: { keys: [unnamed.jwk, key.jwk] } }),
  ];
  assert.ok("principal" in await judge(jwtBearer(one), await sign(unnamed)));
  assert.ok(!("principal" in await judge(jwtBearer(two), await sign(unnamed))));
  for (
    const more of [{ use: "enc" }, { key_ops: ["sign"] }, { alg: "ES384" }, { crv: "P-384" }, { x: "AA" }]
  ) {
    const authenticate = jwtBearer(options({ jwks: { keys: [{ ...key.jwk, ...more }] } }));
    assert.ok(!("principal" in await judge(authenticate, good)), JSON.stringify(more));
  }
  const narrow = jwtBearer(options({ algorithms: ["RS256"] }));
  assert.ok(!("principal" in await judge(narrow, good)));
});

test("jwtBearer() refuses options that cannot be right", () => {
  const rows: Partial<JwtOptions>[] = [
    { jwks: new URL("http://login.example.com/jwks") },
    { jwks: new URL("file:///jwks.json") },
    { jwks: {} as never },
    { jwks: { keys: Array(101).fill({}) } },
    { algorithms: ["HS256"] },
    { algorithms: ["none"] },
    { issuer: "" },
    { audience: "" },
  ];
  for (const row of rows) assert.throws(() => jwtBearer(options(row)), TypeError, JSON.stringify(row));
});

/** A server of keys. */
async function keyServer(t: TestContext, respond: (path: string, response: ServerResponse) => void) {
  const asked: string[] = [];
  const server = createHttpServer(({ url = "" }, response) => {
    asked.push(url);
    respond(url, response);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  t.after(() => (server.closeAllConnections(), server.close()));
  return { asked, url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`) };
}

test("keys at a URL are fetched once for all, again for an unknown one, and not too often", async (t) => {
  let keys = [key.jwk];
  const { asked, url } = await keyServer(t, (_, response) => void response.end(JSON.stringify({ keys })));
  const authenticate = jwtBearer(options({ jwks: url }));
  const good = await sign(key), next = await makeKey("ES256", "k2");
  const found = await Promise.all(Array.from({ length: 20 }, () => judge(authenticate, good)));
  assert.ok(found.every((one) => "principal" in one));
  assert.equal(asked.length, 1);
  // An unknown key may be a new one, but the last request is not long ago.
  keys = [next.jwk];
  const rotated = await sign(next);
  assert.ok(!("principal" in await judge(authenticate, rotated)));
  assert.equal(asked.length, 1);
  const eager = jwtBearer(options({ jwks: url, refetchMs: 0 }));
  assert.ok("principal" in await judge(eager, rotated));
  assert.equal(asked.length, 2);
  keys = [key.jwk];
  const both = await Promise.all([judge(eager, good), judge(eager, good), judge(eager, good)]);
  assert.ok(both.every((one) => "principal" in one));
  assert.equal(asked.length, 3);
  assert.ok(!("principal" in await judge(eager, rotated)));
  assert.equal(asked.length, 4);
  // Tokens of others ask for nothing.
  await judge(eager, await sign(key, claims({ iss: "https://evil.example" }), { kid: "k9" }));
  assert.equal(asked.length, 4);
});

test("keys are taken from their own origin only, and from a short and whole answer", async (t) => {
  const elsewhere = await keyServer(
    t,
    (_, response) => void response.end(JSON.stringify({ keys: [key.jwk] })),
  );
  const set = JSON.stringify({ keys: [key.jwk] });
  const { url } = await keyServer(t, (path, response) => {
    const to = (location: string) => void response.writeHead(302, { location }).end();
    if (path === "/near") return to("/set");
    if (path === "/far") return to(elsewhere.url.href);
    if (path === "/round") return to("/round");
    if (path === "/long") return void response.end(set.padEnd(600_000));
    if (path === "/none") return void response.writeHead(404).end(set);
    return void response.end(path === "/set" ? set : "{}");
  });
  const token = await sign(key);
  for (
    const [path, isGood] of [["near", true], ["far", false], ["round", false], ["long", false], [
      "none",
      false,
    ], ["other", false]] as const
  ) {
    const errors: unknown[] = [];
    const jwks = new URL(`/${path}`, url);
    const authenticate = jwtBearer(options({ jwks, onerror: (cause) => void errors.push(cause) }));
    if (isGood) assert.ok("principal" in await judge(authenticate, token), path);
    else await assert.rejects(judge(authenticate, token), { status: 503 }, path);
    assert.equal(errors.length, isGood ? 0 : 1, path);
    // It is not tried again at once.
    if (!isGood) await assert.rejects(judge(authenticate, token), { status: 503 });
    assert.equal(errors.length, isGood ? 0 : 1, path);
  }
  assert.equal(elsewhere.asked.length, 0);
});

test("a request needs all scopes, and is told which; one without a token is told too", async (t) => {
  const resourceMetadata = { resource: AUDIENCE, authorization_servers: [ISSUER] };
  const requiredScopes = ["docs", "mcp:use"];
  const served = await serve(t, { authenticate: jwtBearer(options()), requiredScopes, resourceMetadata });
  const client = new HttpClient(served);
  const url = 'resource_metadata="https://docs.example.com/.well-known/oauth-protected-resource/mcp"';
  const rows: [token: string | undefined, status: number, challenge?: string][] = [
    [undefined, 401, `Bearer scope="docs mcp:use", ${url}`],
    ["0123456789abcdef", 401, `Bearer error="invalid_token", scope="docs mcp:use", ${url}`],
    [
      await sign(key, claims({ scope: "docs" })),
      403,
      `Bearer error="insufficient_scope", scope="docs mcp:use", ${url}`,
    ],
    [await sign(key, claims({ scope: "mcp:use docs other" })), 200],
  ];
  for (const [token, status, challenge] of rows) {
    const answered = await client.post(
      client.request("tools/list"),
      token === undefined ? {} : bearer(token),
    );
    assert.equal(answered.status, status, `${challenge}`);
    assert.equal(answered.headers.get("www-authenticate"), challenge);
  }
});

test("streams end with their credential, of a session too; the session goes on with the next one", async (t) => {
  let expiresAt = Date.now() + 60_000;
  const authenticate: Authenticate = () => ({ principal: "ada", expiresAt });
  const served = await serve(t, { authenticate, keepAliveMs: 50 });
  const [modern, legacy] = [new HttpClient(served), await new HttpClient(served, "2025-11-25").start()];
  const lasting = await modern.listen();
  await lasting.take(1);
  expiresAt = Date.now() + 1000;
  const [stream, notices] = [await modern.listen(), await legacy.listen()];
  await Promise.all([stream.whole(), notices.whole()]);
  assert.ok(Date.now() >= expiresAt);
  const late = await modern.post(modern.request("tools/list"));
  assert.deepEqual([late.status, late.headers.get("www-authenticate")], [
    401,
    'Bearer error="invalid_token"',
  ]);
  expiresAt = Date.now() + 60_000;
  const again = await legacy.listen();
  assert.equal(again.status, 200);
  served.source.relist();
  await Promise.all(
    [again, lasting].map((one) => one.until("the notice", () => /list_changed/.test(one.body))),
  );
});

test("streams end when their credential is withdrawn, and not while it cannot be checked", async (t) => {
  let answer: (principal: string) => Awaited<ReturnType<Authenticate>> = (principal) => ({ principal });
  let checks = 0;
  const authenticate: Authenticate = ({ header }) => {
    checks++;
    return answer(header("authorization")!);
  };
  const served = await serve(t, { authenticate, keepAliveMs: 20 });
  const listen = (principal: string) => new HttpClient(served).listen({ authorization: principal });
  const [ada, bob] = [await listen("ada"), await listen("bob")];
  await Promise.all([ada.take(1), bob.take(1)]);
  answer = () => {
    throw new Error("The source of keys is down");
  };
  const before = checks;
  await until("both are checked", () => checks >= before + 4);
  answer = (principal) => principal === "bob" ? { principal } : { status: 401 };
  await ada.whole();
  served.source.relist();
  await bob.until("the notice", () => /list_changed/.test(bob.body));
});

/** Sends requests to a handler from any address. */
function requester(http: HttpOptions) {
  const server = createServer({ info: { name: "test", version: "1" } });
  const handler = createHttpHandler(server, http);
  return (token: string | undefined, address: string) => {
    const fields = {
      host: "localhost",
      "content-type": "application/json",
      ...token === undefined ? {} : bearer(token),
    };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
    const request = new Request("http://localhost/mcp", { method: "POST", headers: fields, body });
    return handler.fetch(request, { remoteAddress: `${address}:1000` });
  };
}

test("a good JWT is accepted however many wrong credentials its address has sent", async () => {
  const lines: string[] = [];
  const onrefused = (line: string) => void lines.push(line);
  const send = requester({ authenticate: jwtBearer(options()), maxFailures: 3, onrefused });
  const statuses = [];
  for (let count = 0; count < 5; count++) {
    statuses.push((await send(await sign(key, claims({ aud: `other ${count}` })), "192.0.2.1")).status);
  }
  assert.deepEqual(statuses, [401, 401, 401, 429, 429]);
  assert.equal((await send(await sign(key), "192.0.2.1")).status, 200);
  await until("it is reported", () => lines.length > 0);
  assert.match(lines.join(), /a wrong credential from 192\.0\.2\.1: its aud is not https:/);
});

test("a client does not displace the good credentials of others by spelling its own in many ways", async () => {
  const [ada, eve] = ["0123456789abcdef-ada", "0123456789abcdef-eve"];
  const handler = createHttpHandler(createServer({ info: { name: "test", version: "1" } }), {
    authenticate: bearerToken({ tokens: { ada, eve } }),
    maxFailures: 1,
  });
  const send = async (authorization: string) => {
    const request = new Request("http://localhost/mcp", { headers: { host: "localhost", authorization } });
    return (await handler.fetch(request, { remoteAddress: "192.0.2.1:1000" })).status;
  };
  assert.equal(await send(`Bearer ${ada}`), 405);
  for (let spaces = 1; spaces <= 160; spaces++) {
    for (let bits = 0; bits < 64; bits++) {
      const scheme = [..."bearer"].map((letter, at) => bits >> at & 1 ? letter.toUpperCase() : letter).join(
        "",
      );
      await send(scheme + " ".repeat(spaces) + eve);
    }
  }
  assert.equal(await send("Bearer 0123456789abcdef"), 401);
  assert.equal(await send(`Bearer ${ada}`), 405);
});

test("an address with many wrong credentials has to wait; known good ones, and other addresses, do not", async () => {
  const lines: string[] = [];
  const onrefused = (line: string) => void lines.push(line);
  const authenticate = bearerToken({
    tokens: { ada: "0123456789abcdef-ada", bob: "0123456789abcdef-bob", eve: "0123456789abcdef-eve" },
  });
  const send = requester({ authenticate, maxFailures: 3, onrefused });
  const [ada = "", bob = "", eve = ""] = ["ada", "bob", "eve"].map((name) => `0123456789abcdef-${name}`);
  const address = "192.0.2.1";
  assert.equal((await send(ada, address)).status, 200);
  // Asking without a token is how clients begin.
  for (let count = 0; count < 5; count++) assert.equal((await send(undefined, address)).status, 401);
  for (let count = 0; count < 3; count++) assert.equal((await send(`${bob}-${count}`, address)).status, 401);
  const refused = await send(bob, address);
  assert.equal(refused.status, 429);
  const wait = Number(refused.headers.get("retry-after"));
  assert.ok(wait > 0 && wait <= 60, `${wait}`);
  assert.equal((await send(ada, address)).status, 200);
  assert.equal((await send(undefined, address)).status, 401);
  assert.equal((await send(bob, "192.0.2.2")).status, 200);
  // One network of IPv6 is one client.
  for (const last of ["1", "2", "3"]) await send(`${bob}-x`, `[2001:db8::${last}]`);
  assert.equal((await send(eve, "[2001:db8::4]")).status, 429);
  assert.equal((await send(eve, "[2001:db8:0:1::4]")).status, 200);
  // Attempts at the same time count, too.
  const later: Authenticate = async (credentials) => (await Promise.resolve(), authenticate(credentials));
  const sendLater = requester({ authenticate: later, maxFailures: 3 });
  await Promise.all(["x", "y", "z"].map((end) => sendLater(`${bob}${end}`, address)));
  assert.equal((await sendLater(bob, address)).status, 429);
  assert.match(lines[0]!, /^Refused 1 times, most recently a wrong credential from 192\.0\.2\.1$/);
  await until("the others are reported", () => lines.length > 1);
  assert.match(lines[1]!, /^Refused \d+ times, most recently .*2001:db8/);
  assert.doesNotMatch(lines.join(), /0123/);
});
