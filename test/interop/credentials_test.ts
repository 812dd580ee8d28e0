/** Access tokens: `jose` makes them and judges the same ones, and the SDK's `requireBearerAuth` answers the same at the wire. */

import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer as createNodeServer } from "node:http";
import { after, before, it } from "node:test";
import { InvalidTokenError } from "@modelcontextprotocol/sdk/server/auth/errors.js";
import { requireBearerAuth } from "@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js";
import type { CryptoKey, JWK, JWTHeaderParameters, JWTPayload } from "jose";
import {
  base64url,
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
} from "jose";
import { jwtVerify, SignJWT, UnsecuredJWT } from "jose";
import type { HttpListening } from "../../lib/mcp/http/mod.ts";
import { jwtBearer, listenHttp } from "../../lib/mcp/http/mod.ts";
import { createServer } from "../../lib/mcp/server/mod.ts";
import { closeNow, listenLocally } from "../harness/http.ts";

const ISSUER = "https://login.example.com",
  AUDIENCE = "https://docs.example.com/mcp",
  SKEW = 5;
const ALGORITHMS = ["RS256", "PS256", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"] as const;
const REQUIRED = ["docs", "mcp"];
const now = Math.floor(Date.now() / 1000);

const keys = new Map<string, CryptoKey>();
let jwks: { keys: JWK[] };
/** A key that is not in the set. */
let stranger: CryptoKey;
before(async () => {
  const set: JWK[] = [];
  for (const alg of ALGORITHMS) {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
    keys.set(alg, privateKey);
    set.push({ ...await exportJWK(publicKey), kid: alg, alg, use: "sig" });
  }
  // Another one that RS256 without a kid cannot be told from, one for encryption, and a secret.
  const second = await generateKeyPair("RS256", { extractable: true });
  const encrypting = await generateKeyPair("ES384", { extractable: true });
  keys.set("enc", encrypting.privateKey);
  stranger = (await generateKeyPair("RS256")).privateKey;
  const secret = { kty: "oct", k: base64url.encode("0123456789abcdef0123456789abcdef"), kid: "oct" };
  const enc = { ...await exportJWK(encrypting.publicKey), kid: "enc", use: "enc" };
  jwks = {
    keys: [...set, { ...await exportJWK(second.publicKey), kid: "second", alg: "RS256" }, enc, secret],
  };
});

type Change =
  & { readonly alg?: string; readonly key?: string }
  & Omit<Partial<JWTHeaderParameters>, "alg" | "key">;

/** A token with these claims, and this header; what is undefined is left out. */
async function token(
  claims: object = {},
  { alg = "RS256", key = alg, ...header }: Change = {},
): Promise<string> {
  const payload = { iss: ISSUER, aud: AUDIENCE, sub: "ada", iat: now, exp: now + 300, ...claims };
  const known = JSON.parse(JSON.stringify(payload)) as JWTPayload;
  const all = JSON.parse(JSON.stringify({ alg, kid: alg, typ: "at+jwt", ...header })) as JWTHeaderParameters;
  const signing = key === "stranger" ? stranger : keys.get(key)!;
  return await new SignJWT(known).setProtectedHeader(all).sign(signing);
}

const replaced = (text: string, part: number, by: (part: string) => string): string =>
  text.split(".").map((one, index) => index === part ? by(one) : one).join(".");
const edited = (change: object) => (part: string): string => {
  const value = JSON.parse(new TextDecoder().decode(base64url.decode(part))) as object;
  return base64url.encode(JSON.stringify({ ...value, ...change }));
};
const secret = new TextEncoder().encode("0123456789abcdef0123456789abcdef");
const hmac = (kid: string) =>
  new SignJWT({ iss: ISSUER, aud: AUDIENCE, sub: "ada", exp: now + 300 })
    .setProtectedHeader({ alg: "HS256", kid })
    .sign(secret);

/** Each token, and whether it is good. */
const TOKENS: [name: string, isGood: boolean, make: () => Promise<string> | string][] = [
  ...ALGORITHMS.map((alg): (typeof TOKENS)[number] => [alg, true, () => token({}, { alg })]),
  ["one of several audiences", true, () => token({ aud: ["https://other.example", AUDIENCE] })],
  ["no iat", true, () => token({ iat: undefined })],
  ["nbf in the past", true, () => token({ nbf: now - 60 })],
  ["nbf within the skew", true, () => token({ nbf: now + 3 })],
  ["expired within the skew", true, () => token({ exp: now - 2 })],
  ["a fractional exp", true, () => token({ exp: now + 300.5 })],
  ["typ JWT", true, () => token({}, { typ: "JWT" })],
  ["no typ", true, () => token({}, { typ: undefined })],
  ["typ as a media type", true, () => token({}, { typ: "application/at+jwt" })],
  ["no kid, one key that fits", true, () => token({}, { alg: "ES256", kid: undefined })],
  ["unknown claims and header members", true, () => token({ more: { a: 1 } }, { more: 1 })],
  ["no kid, two keys that fit", false, () => token({}, { kid: undefined })],
  ["an unknown kid", false, () => token({}, { kid: "none" })],
  ["the kid of another algorithm", false, () => token({}, { kid: "ES256" })],
  ["the kid of a key for encryption", false, () => token({}, { alg: "ES384", kid: "enc", key: "enc" })],
  ["another key under the kid", false, () => token({}, { key: "stranger" })],
  ["an algorithm that does not fit the key", false, () => token({}, { alg: "RS256", kid: "PS256" })],
  ["expired", false, () => token({ exp: now - 60 })],
  ["no exp", false, () => token({ exp: undefined })],
  ["exp as text", false, async () => await token({ exp: `${now + 300}` })],
  ["nbf in the future", false, () => token({ nbf: now + 60 })],
  ["nbf as text", false, () => token({ nbf: "0" })],
  ["iat in the future", false, () => token({ iat: now + 60 })],
  ["iat as text", false, () => token({ iat: "0" })],
  ["another issuer", false, () => token({ iss: "https://evil.example" })],
  ["the issuer with a slash", false, () => token({ iss: `${ISSUER}/` })],
  ["no issuer", false, () => token({ iss: undefined })],
  ["another audience", false, () => token({ aud: "https://other.example/mcp" })],
  ["an audience below", false, () => token({ aud: `${AUDIENCE}/more` })],
  ["the origin as audience", false, () => token({ aud: new URL(AUDIENCE).origin })],
  ["no audience", false, () => token({ aud: undefined })],
  ["an empty list of audiences", false, () => token({ aud: [] })],
  ["no sub", false, () => token({ sub: undefined })],
  ["an ID token of a logout", false, () => token({}, { typ: "logout+jwt" })],
  ["crit", false, () => token({}, { crit: ["exp2"], exp2: 1 }).catch(() => "a.b.c")],
  ["alg none", false, () => new UnsecuredJWT({ sub: "ada", exp: now + 300 }).setIssuer(ISSUER).encode()],
  ["HMAC with the secret of the set", false, () => hmac("oct")],
  ["HMAC under the kid of a public key", false, () => hmac("RS256")],
  ["changed claims", false, async () => replaced(await token(), 1, edited({ sub: "eve" }))],
  ["a changed header", false, async () => replaced(await token(), 0, edited({ alg: "PS256", kid: "PS256" }))],
  ["crit added", false, async () => replaced(await token(), 0, edited({ crit: ["x"], x: 1 }))],
  ["a cut signature", false, async () => replaced(await token(), 2, (part) => part.slice(0, -4))],
  ["no signature", false, async () => replaced(await token(), 2, () => "")],
  ["two parts", false, async () => (await token()).split(".").slice(0, 2).join(".")],
  ["five parts", false, async () => `${await token()}.a.b`],
  ["a header that is no JSON", false, async () => replaced(await token(), 0, () => base64url.encode("{"))],
  ["claims that are a list", false, async () => replaced(await token(), 1, () => base64url.encode("[]"))],
  ["an opaque token", false, () => "0123456789abcdef"],
];

/** What `jose` makes of a token with the same rules. */
async function verifyWithJose(text: string): Promise<JWTPayload> {
  const options = {
    issuer: ISSUER,
    audience: AUDIENCE,
    algorithms: [...ALGORITHMS],
    requiredClaims: ["exp", "sub"],
    clockTolerance: SKEW,
    // With it, jose looks whether iat is in the future.
    ...decodeJwt(text).iat === undefined ? {} : { maxTokenAge: "1y" },
  };
  const { typ } = decodeProtectedHeader(text);
  const keySet = createLocalJWKSet(jwks);
  if (typ === undefined) {
    return (await jwtVerify(text, keySet, options)).payload;
  }
  const types = ["JWT", "at+jwt"].map((one) => jwtVerify(text, keySet, { ...options, typ: one }));
  return (await Promise.any(types)).payload;
}

it("jose and jwtBearer() agree on 55 tokens", async () => {
  const authenticate = jwtBearer({
    jwks: jwks as never,
    issuer: ISSUER,
    audience: AUDIENCE,
    clockSkewMs: SKEW * 1000,
  });
  for (const [name, isGood, make] of TOKENS) {
    const text = await make();
    const judged = await verifyWithJose(text).then(() => true, () => false);
    assert.equal(judged, isGood, `jose: ${name}`);
    const header = (field: string) => field === "authorization" ? `Bearer ${text}` : undefined;
    const found = await authenticate({ method: "POST", remoteAddress: undefined, header });
    assert.equal("principal" in found, isGood, name);
  }
  assert.equal(TOKENS.length, 55);
});

const metadataUrl = "https://docs.example.com/.well-known/oauth-protected-resource/mcp";
let ours: HttpListening, theirs = "";
const sdk = createNodeServer(
  (request: IncomingMessage, response: ServerResponse) => {
    const verifyAccessToken = async (text: string) => {
      const claims = await verifyWithJose(text).catch(() => {
        throw new InvalidTokenError("The token is not valid");
      });
      const scopes = String(claims["scope"] ?? "").split(" ");
      return { token: text, clientId: claims.sub!, scopes, expiresAt: claims.exp! };
    };
    const handle = requireBearerAuth({
      verifier: { verifyAccessToken },
      requiredScopes: REQUIRED,
      resourceMetadataUrl: metadataUrl,
    });
    // The part of Express that it uses.
    const express = Object.assign(response, {
      set: (name: string, value: string) => response.setHeader(name, value),
      status: (status: number) => Object.assign(response, { statusCode: status }),
      json: (value: unknown) => response.end(JSON.stringify(value)),
    });
    void handle(request as never, express as never, () => response.end("{}"));
  },
);
before(async () => {
  theirs = await listenLocally(sdk);
  ours = await listenHttp(
    createServer({ info: { name: "test", version: "1" } }),
    {
      port: 0,
      authenticate: jwtBearer({
        jwks: () => jwks as never,
        issuer: ISSUER,
        audience: AUDIENCE,
        clockSkewMs: SKEW * 1000,
      }),
      requiredScopes: REQUIRED,
      maxFailures: 1000,
      resourceMetadata: { resource: AUDIENCE, authorization_servers: [ISSUER] },
    },
  );
});
after(async () => {
  closeNow(sdk);
  await ours.close();
});

/** The status, and the parameters of the challenge, without the description, which is for people. */
async function answerOf(url: string, authorization: string | undefined) {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...authorization === undefined ? {} : { authorization } },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
  });
  await response.text();
  const challenge = response.headers.get("www-authenticate") ?? "";
  assert.match(challenge, response.ok ? /^$/ : /^Bearer \w/);
  const parameters = Object.fromEntries(
    Array.from(challenge.matchAll(/(\w+)="([^"]*)"/g), ([, name, value]) => [name, value]),
  );
  delete parameters["error_description"];
  return { status: response.status, parameters };
}

it("requireBearerAuth() and the server answer the same: status and challenge", async () => {
  const granted = { scope: "docs more mcp" };
  const rows: [name: string, status: number, token: string][] = [
    ["all scopes", 200, await token(granted)],
    ["one scope too few", 403, await token({ scope: "docs more" })],
    ["no scope", 403, await token()],
    ["a scope that begins like one", 403, await token({ scope: "docs mcp:read" })],
  ];
  for (const [name, isGood, make] of TOKENS) {
    // The SDK allows no skew.
    if (!isGood) rows.push([name, 401, await make()]);
  }
  for (const [name, status, text] of rows) {
    const answers = await Promise.all([ours.url, theirs].map((url) => answerOf(url, `Bearer ${text}`)));
    assert.equal(answers[0]!.status, status, name);
    assert.deepEqual(answers[0], answers[1], name);
  }
  for (const authorization of [undefined, "Basic YTpi", "Bearer"]) {
    const [own, other] = await Promise.all([ours.url, theirs].map((url) => answerOf(url, authorization)));
    assert.deepEqual([own!.status, other!.status], [401, 401]);
    // RFC 6750, section 3.1: without a token, a challenge has no error code. The SDK sends one.
    const { error, ...rest } = other!.parameters;
    assert.equal(error, "invalid_token");
    assert.deepEqual(own!.parameters, rest);
  }
});
