/** Credentials: JWT access tokens and their keys, wrong ones, and what ends with them. */

import assert from "node:assert/strict";
import { createServer as createHttpServer } from "node:http";
import type { ServerResponse } from "node:http";
import { before, test } from "node:test";
import type { TestContext } from "node:test";
import type { Authenticate, Challenge, JwtOptions } from "../../../lib/mcp/http/mod.ts";
import { bearerToken, jwtBearer } from "../../../lib/mcp/http/mod.ts";
import { closeNow, listenLocally } from "../../harness/http.ts";
import { until } from "../../harness/process.ts";
import { HttpClient } from "../../harness/http_client.ts";
import { requester, serve } from "../../harness/http_server.ts";
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

test("jwtBearer() checks who a token is from, whom it is for, and when, and tells the operator what is wrong", async () => {
  const authenticate = jwtBearer(options());
  const now = seconds();
  const audiences = ["HTTPS://Docs.Example.com:443/mcp/", ["https://other.example", AUDIENCE]];
  const good = [{}, ...audiences.map((aud) => ({ aud })), { exp: now - 10 }, { nbf: now + 10 }];
  for (const row of good) {
    assert.ok("principal" in await judge(authenticate, await sign(key, claims(row))), JSON.stringify(row));
  }
  for (const typ of ["JWT", "application/at+jwt", undefined]) {
    assert.ok("principal" in await judge(authenticate, await sign(key, claims(), { typ })), `${typ}`);
  }
  const wrong = [
    { aud: `${AUDIENCE}/x` },
    { aud: [[AUDIENCE]] },
    { iss: `${ISSUER}/` },
    { sub: undefined },
    { sub: "" },
    { sub: 7 },
    { exp: now - 40 },
    { exp: null },
    { exp: `${now + 60}` },
    { nbf: now + 60 },
    { iat: now + 60 },
  ];
  for (const row of wrong) {
    const { reason, ...rest } = await judge(authenticate, await sign(key, claims(row))) as Challenge;
    assert.deepEqual(rest, { status: 401, error: "invalid_token" }, JSON.stringify(row));
    assert.match(`${reason}`, new RegExp(`^its (?:.* )?${Object.keys(row)[0]}\\b`));
  }
});

test("jwtBearer() takes no token that is not signed with the right key, in the right way", async () => {
  const other = await makeKey("ES256", "k1"), rsa = await makeKey("RS256", "rsa");
  const weak = await makeKey("RS256", "weak", { modulusLength: 1024 });
  const odd = { ...rsa.jwk, kid: "odd", n: { toString: 1 } };
  const authenticate = jwtBearer(options({ jwks: { keys: [key.jwk, rsa.jwk, weak.jwk, odd] } }));
  const good = await sign(key);
  const [head = "", body = "", signature = ""] = good.split(".");
  const tokens: Record<string, string> = {
    "another key of the same name": await sign(other),
    "none, signed": `${part({ alg: "none", kid: "k1" })}.${body}.${signature}`,
    "HMAC": await sign(key, claims(), { alg: "HS256" }),
    "an algorithm for another key": await sign(rsa, claims(), { alg: "PS256" }),
    "a kid that is no text": await sign(key, claims(), { kid: 1 }),
    "a short key": await sign(weak),
    "a type that is no text": await sign(key, claims(), { typ: { toString: 1 } }),
    "a key that is malformed": await sign(rsa, claims(), { kid: "odd" }),
    "claims that were changed": `${head}.${part(claims({ sub: "eve" }))}.${signature}`,
    "no JSON": `${head}.${part("{")}.${signature}`,
    "crit": await sign(key, claims(), { crit: ["exp"] }),
    "no Base64": `${head}.${body}.${signature}=`,
    "too long": await sign(key, claims({ more: "x".repeat(20_000) })),
    "no token": "~~~~~~~~~~~~~~~~",
  };
  for (const [name, token] of Object.entries(tokens)) {
    const { reason, ...rest } = await judge(authenticate, token) as Challenge;
    assert.deepEqual(rest, { status: 401, error: "invalid_token" }, name);
    const reasons = /^(?:it is not a JWT|its .+ (?:wrong|not accepted)|the key set has no key for it)$/;
    assert.match(`${reason}`, reasons, name);
  }
  // Which of two keys it is must be said.
  const unnamed = await makeKey("ES256"), two = options({ jwks: { keys: [unnamed.jwk, key.jwk] } });
  assert.ok(!("principal" in await judge(jwtBearer(two), await sign(unnamed))));
  const changes = [{ use: "enc" }, { key_ops: ["sign"] }, { alg: "ES384" }, { crv: "P-384" }, { x: "AA" }];
  const sets = changes.map((more) => options({ jwks: () => ({ keys: [{ ...key.jwk, ...more }] }) }));
  for (const [index, one] of [...sets, options({ algorithms: ["RS256"] })].entries()) {
    assert.ok(!("principal" in await judge(jwtBearer(one), good)), JSON.stringify(changes[index]));
  }
});

test("jwtBearer() refuses options that cannot be right", () => {
  const rows: Partial<JwtOptions>[] = [
    { jwks: new URL("http://login.example.com/jwks") },
    { jwks: new URL("file:///jwks.json") },
    { jwks: {} as never },
    { jwks: { keys: Array(101).fill(key.jwk) } },
    { jwks: { keys: [] } },
    { jwks: { keys: [{ ...key.jwk, use: "enc" }] } },
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
  t.after(() => closeNow(server));
  return { asked, url: new URL(`${await listenLocally(server)}/jwks`) };
}

test("keys at a URL are fetched once for all, again for an unknown one, and not too often", async (t) => {
  let current = key;
  const { asked, url } = await keyServer(t, (_, response) => {
    response.end(JSON.stringify({ keys: [current.jwk] }));
  });
  const calm = jwtBearer(options({ jwks: url })), eager = jwtBearer(options({ jwks: url, refetchMs: 0 }));
  const next = await makeKey("ES256", "k2");
  const good = await sign(key), rotated = await sign(next);
  const foreign = await sign(key, claims({ iss: "https://evil.example" }), { kid: "k9" });
  const rows: [SigningKey, Authenticate, tokens: string[], isAccepted: boolean, asked: number][] = [
    [key, calm, Array(20).fill(good), true, 1],
    // An unknown key may be a new one, but the last request is not long ago.
    [next, calm, [rotated], false, 1],
    [next, eager, [rotated], true, 2],
    [key, eager, [good, good, good], true, 3],
    [key, eager, [rotated], false, 4],
    // Tokens of others ask for nothing.
    [key, eager, [foreign], false, 4],
  ];
  for (const [served, authenticate, tokens, isAccepted, count] of rows) {
    current = served;
    const found = await Promise.all(tokens.map((token) => judge(authenticate, token)));
    assert.deepEqual(new Set(found.map((one) => "principal" in one)), new Set([isAccepted]));
    assert.equal(asked.length, count);
  }
});

test("keys that cannot be fetched again are used for an hour, and no longer", async (t) => {
  let status = 200;
  const { url } = await keyServer(
    t,
    (_, response) => void response.writeHead(status).end(JSON.stringify({ keys: [key.jwk] })),
  );
  const authenticate = jwtBearer(options({ jwks: url })), good = await sign(key);
  assert.ok("principal" in await judge(authenticate, good));
  status = 500;
  const start = performance.now();
  let minutes = 59;
  t.mock.method(performance, "now", () => start + minutes * 60_000);
  assert.ok("principal" in await judge(authenticate, good));
  minutes = 61;
  await assert.rejects(judge(authenticate, good), { status: 503 });
});

test("keys are taken from their own origin only, and from a short and whole answer", async (t) => {
  const set = JSON.stringify({ keys: [key.jwk] });
  const elsewhere = await keyServer(t, (_, response) => void response.end(set));
  const { url } = await keyServer(t, (path, response) => {
    const location = { near: "/set", far: elsewhere.url.href, round: "/round" }[path.slice(1)];
    if (location !== undefined) return void response.writeHead(302, { location }).end();
    if (path === "/long") return void response.end(set.padEnd(600_000));
    if (path === "/none") return void response.writeHead(404).end(set);
    return void response.end(path === "/set" ? set : "{}");
  });
  const token = await sign(key);
  for (const path of ["near", "far", "round", "long", "none", "other"]) {
    const errors: unknown[] = [];
    const jwks = new URL(`/${path}`, url);
    const authenticate = jwtBearer(options({ jwks, onerror: (cause) => void errors.push(cause) }));
    // It is not tried again at once.
    for (const _ of ["first", "second"]) {
      if (path === "near") assert.ok("principal" in await judge(authenticate, token));
      else await assert.rejects(judge(authenticate, token), { status: 503 }, path);
      assert.equal(errors.length, path === "near" ? 0 : 1, path);
    }
  }
  assert.equal(elsewhere.asked.length, 0);
});

test("streams end with their credential, of a session too; the session goes on with the next one", async (t) => {
  let expiresAt = Date.now() + 60_000;
  const authenticate: Authenticate = () => ({ principal: "ada", expiresAt });
  const served = await serve(t, { authenticate, keepAliveMs: 50 });
  const [modern, legacy] = [new HttpClient(served), await served.client("2025-11-25")];
  const lasting = await modern.listen();
  await lasting.take(1);
  expiresAt = Date.now() + 1000;
  const [stream, notices] = [await modern.listen(), await legacy.listen()];
  await Promise.all([stream.whole(), notices.whole()]);
  assert.ok(Date.now() >= expiresAt);
  const late = await modern.post(modern.request("tools/list"));
  assert.equal(late.status, 401);
  assert.equal(late.headers.get("www-authenticate"), 'Bearer error="invalid_token"');
  expiresAt = Date.now() + 60_000;
  const again = await legacy.listen();
  assert.equal(again.status, 200);
  served.source.relist();
  for (const one of [again, lasting]) await one.until("the notice", () => /list_changed/.test(one.body));
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

test("a good JWT is accepted however many wrong credentials its address has sent", async () => {
  const lines: string[] = [];
  const onrefused = (line: string) => void lines.push(line);
  const http = { authenticate: jwtBearer(options()), maxFailures: 3, requiredScopes: ["a"], onrefused };
  const send = requester(http);
  const statuses = [];
  for (let count = 0; count < 5; count++) {
    statuses.push((await send(bearer(await sign(key, claims({ aud: `other ${count}` }))))).status);
  }
  assert.deepEqual(statuses, [401, 401, 401, 429, 429]);
  assert.equal((await send(bearer(await sign(key, claims({ scope: "a" }))))).status, 200);
  assert.equal((await send(bearer(await sign(key)))).status, 403);
  await until("it is reported", () => lines.length > 0);
  assert.match(lines.join(), /a wrong credential from 192\.0\.2\.1: its aud is not https:/);
});

const ADA = "0123456789abcdef-ada", BOB = "0123456789abcdef-bob", EVE = "0123456789abcdef-eve";
const authenticate = bearerToken({ tokens: [ADA, BOB, EVE] });

test("a client does not displace the good credentials of others by spelling its own in many ways", async () => {
  const send = requester({ authenticate, maxFailures: 1 });
  assert.equal((await send(bearer(ADA))).status, 200);
  for (let spaces = 1; spaces <= 160; spaces++) {
    for (let bits = 0; bits < 64; bits++) {
      const scheme = "bearer".replace(/./g, (one, at: number) => bits >> at & 1 ? one.toUpperCase() : one);
      await send({ authorization: scheme + " ".repeat(spaces) + EVE });
    }
  }
  assert.equal((await send(bearer("0123456789abcdef"))).status, 401);
  assert.equal((await send(bearer(ADA))).status, 200);
});

test("an address with many wrong credentials has to wait; known good ones, and other addresses, do not", async (t) => {
  const lines: string[] = [];
  const send = requester({ authenticate, maxFailures: 3, onrefused: (line) => void lines.push(line) });
  const status = async (token: string, address?: string) => (await send(bearer(token), address)).status;
  assert.equal(await status(ADA), 200);
  // Asking without a token is how clients begin.
  for (let count = 0; count < 5; count++) assert.equal((await send()).status, 401);
  for (let count = 0; count < 3; count++) assert.equal(await status(`${BOB}-${count}`), 401);
  const refused = await send(bearer(BOB));
  assert.equal(refused.status, 429);
  const wait = Number(refused.headers.get("retry-after"));
  assert.ok(wait > 0 && wait <= 60, `${wait}`);
  assert.equal(await status(ADA), 200);
  assert.equal((await send()).status, 401);
  assert.equal(await status(BOB, "[::ffff:192.0.2.1]"), 429);
  assert.equal(await status(BOB, "192.0.2.2"), 200);
  // One network of IPv6 is one client.
  for (const last of ["1", "2", "3"]) await status(`${BOB}-x`, `[2001:db8::${last}]`);
  assert.equal(await status(EVE, "[2001:db8::4]"), 429);
  assert.equal(await status(EVE, "[2001:db8:0:1::4]"), 200);
  // Attempts at the same time count, too.
  const later: Authenticate = async (credentials) => (await Promise.resolve(), authenticate(credentials));
  const sendLater = requester({ authenticate: later, maxFailures: 3 });
  await Promise.all(["x", "y", "z"].map((end) => sendLater(bearer(BOB + end))));
  assert.equal((await sendLater(bearer(BOB))).status, 429);
  assert.match(lines[0]!, /^Refused 1 times, most recently a wrong credential from 192\.0\.2\.1$/);
  await until("the others are reported", () => lines.length > 1);
  assert.match(lines[1]!, /^Refused \d+ times, most recently .*2001:db8/);
  assert.doesNotMatch(lines.join(), /0123/);
  const late = Date.now() + 60_000;
  t.mock.method(Date, "now", () => late);
  assert.equal(await status(`${BOB}-x`), 401);
});
