/** JWT access tokens and the keys of authorization servers (RFC 7519; 7515, JWS; 7517, JWK; 8725, best practices; 9068). */

import type { Awaitable } from "../../base/async.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Authenticate } from "./authentication.ts";
import { withDeadline } from "../../base/async.ts";
import { fromBase64Url } from "../../base/base64.ts";
import { isSecure } from "../../base/hosts.ts";
import { discardBody, followRedirects, readBytes } from "../../base/responses.ts";
import { asArray, asString, compact, isObject } from "../../base/json.ts";
import { attempt, reasonOf } from "../../base/text.ts";
import { bearerOf, unguessable } from "./authentication.ts";
import { unavailable } from "./checks.ts";

/** A JWK Set (RFC 7517, section 5). */
export interface KeySet {
  /** The public keys, 100 at most. Those of unknown types are passed over. */
  readonly keys: readonly Readonly<Record<string, unknown>>[];
}

/** Which access tokens are accepted. */
export interface JwtOptions {
  /** The public keys of the authorization server: the URL of their set (https, or on this machine), the set, or what returns it. */
  readonly jwks: URL | KeySet | (() => KeySet);
  /** The `iss` of the tokens, exactly. */
  readonly issuer: string;
  /** What the `aud` of the tokens must name: the URL of the endpoint for clients (RFC 8707). */
  readonly audience: string;
  /** The accepted algorithms. @default {RS256 to RS512, PS256 to PS512, ES256 to ES512, EdDSA, Ed25519} */
  readonly algorithms?: readonly string[];
  /** How much the clocks may differ, in milliseconds. @default {30000} */
  readonly clockSkewMs?: number;
  /** The least time between two requests for the set, in milliseconds. @default {30000} */
  readonly refetchMs?: number;
  /** Receives the error when the set cannot be read from its URL. @default {ignored} */
  readonly onerror?: (cause: unknown) => void;
}

/** What a key must have, what `crypto.subtle` needs to import and use it, and the keys that it has imported. */
const algorithmOf = (kty: string, name: string, bits: number, crv = "") => {
  const imported = new WeakMap<JsonObject, Promise<CryptoKey | undefined>>();
  return { kty, crv, name, hash: `SHA-${bits}`, namedCurve: crv, saltLength: bits / 8, imported };
};
type Algorithm = ReturnType<typeof algorithmOf>;
/** The algorithms by their `alg`. None is symmetric: with those, everyone who can verify a token could sign one. */
const ALGORITHMS: ReadonlyMap<string, Algorithm> = new Map([
  ...[256, 384, 512].flatMap((bits): [string, Algorithm][] => [
    [`RS${bits}`, algorithmOf("RSA", "RSASSA-PKCS1-v1_5", bits)],
    [`PS${bits}`, algorithmOf("RSA", "RSA-PSS", bits)],
    [`ES${bits}`, algorithmOf("EC", "ECDSA", bits, bits === 512 ? "P-521" : `P-${bits}`)],
  ]),
  ["EdDSA", algorithmOf("OKP", "Ed25519", 512, "Ed25519")],
  ["Ed25519", algorithmOf("OKP", "Ed25519", 512, "Ed25519")],
]);

/** The longest token, in characters, which is more than Node takes in header fields; and the most keys in a set. */
const MAX_TOKEN = 16 * 1024, MAX_KEYS = 100;
/** The shortest `n` of an RSA key, in characters of Base64: 2048 bits. */
const MIN_MODULUS = 342;
const TOKEN_TYPE = /^(?:application\/)?(?:at\+)?jwt$/i;
const decoder = new TextDecoder("utf-8", { fatal: true });
const encoder = new TextEncoder();

/**
 * Accepts bearer tokens that are JWTs with `exp` and `sub` of one issuer, for one audience, signed with one of its keys. The
 * principal is the issuer and the `sub`; the scopes are those of `scope` or `scp`.
 *
 * Needs permission to connect to the host of the key set, if that is a URL.
 *
 * @throws {TypeError} When an option cannot be used, such as a set without a usable key.
 *
 * @example
 * ```ts
 * import { jwtBearer } from "@architrave/architrave/http";
 *
 * const resource = "https://docs.example.com/mcp", issuer = "https://login.example.com";
 * const options = {
 *   authenticate: jwtBearer({ jwks: new URL(`${issuer}/jwks`), issuer, audience: resource }),
 *   resourceMetadata: { resource, authorization_servers: [issuer] },
 *   allowedHosts: ["docs.example.com"],
 * };
 * ```
 */
export function jwtBearer(options: JwtOptions): Authenticate {
  const { issuer, clockSkewMs = 30_000, algorithms = [...ALGORITHMS.keys()] } = options;
  if (issuer === "" || options.audience === "" || !algorithms.every((name) => ALGORITHMS.has(name))) {
    const known = [...ALGORITHMS.keys()].join(", ");
    throw new TypeError(`Cannot check tokens: an issuer, an audience and algorithms of ${known} are needed`);
  }
  const audience = canonicalUrl(options.audience);
  const keysOf = keySource(options);

  /** Why the claims are not accepted: they must be from the issuer, for us, and valid now. Undefined when they are. */
  const problemOf = ({ iss, aud, sub, exp, nbf = 0, iat = 0 }: JsonObject): string | undefined => {
    const seconds = Date.now() / 1000, skew = clockSkewMs / 1000;
    if (iss !== issuer) return `iss is not ${issuer}`;
    const isForUs = [aud].flat().some((one) => typeof one === "string" && canonicalUrl(one) === audience);
    if (!isForUs) return `aud is not ${options.audience}`;
    if (typeof sub !== "string" || sub === "") return "sub is missing";
    const isNow = [exp, nbf, iat].every(Number.isFinite) && (exp as number) + skew > seconds &&
      Math.max(nbf as number, iat as number) - skew <= seconds;
    return isNow ? undefined : "exp is missing or over, or nbf or iat is in the future";
  };

  /** The claims of a token, or why it is not accepted. */
  const verify = async (token: string): Promise<JsonObject | string> => {
    const parts = token.length > MAX_TOKEN ? [] : token.split(".");
    const [head, body, signature] = parts.map(fromBase64Url);
    const [header, claims] = [readObject(head), readObject(body)];
    if (parts.length !== 3 || !header || !claims || !signature) return "it is no JWT";
    const { alg, kid, crit, typ = "JWT" } = header;
    const name = algorithms.find((one) => one === alg) ?? "", algorithm = ALGORITHMS.get(name);
    const isPlain = crit === undefined && ["string", "undefined"].includes(typeof kid);
    const isType = typeof typ === "string" && TOKEN_TYPE.test(typ);
    if (!algorithm || !isPlain || !isType) return "its alg, typ, kid or crit is not accepted";
    const problem = problemOf(claims);
    if (problem !== undefined) return `its ${problem}`;
    // The key may be new: then the set is read again.
    for (const lacksKey of [false, true]) {
      const fitting = (await keysOf(lacksKey)).keys.filter((key) => isFor(key, name, algorithm, kid));
      // Without a kid, it must be clear which key is meant.
      if (fitting.length !== 1) continue;
      const usable = await importKey(fitting[0]!, algorithm);
      const signed = encoder.encode(`${parts[0]}.${parts[1]}`);
      const isSigned = usable &&
        await crypto.subtle.verify(algorithm, usable, signature, signed).catch(() => false);
      return isSigned ? claims : "its signature is wrong";
    }
    return "the key set has no key for it";
  };

  const authenticate: Authenticate = async ({ header }) => {
    const token = bearerOf(header);
    if (token === undefined) return { status: 401 };
    const claims = await verify(token);
    if (typeof claims === "string") return { status: 401, error: "invalid_token", reason: claims };
    const { sub, exp, scope, scp } = claims;
    const scopes = [scope, scp].flatMap((value) => asString(value)?.split(" ") ?? asArray(value))
      .filter((one): one is string => typeof one === "string" && one !== "");
    const expiresAt = (exp as number) * 1000 + clockSkewMs;
    return { principal: `${issuer} ${sub}`, scopes, expiresAt, claims };
  };
  unguessable.add(authenticate);
  return authenticate;
}

/** Reads a JWK Set. @throws {TypeError} When it is none, has more than 100 keys, or none for any algorithm, unless it `mayLackKeys`. */
export function readKeySet(value: unknown, mayLackKeys = false): KeySet {
  const list = isObject(value) ? value["keys"] : undefined;
  if (Array.isArray(list) && list.length <= MAX_KEYS) {
    const keys = list.filter(isObject);
    const isUsable = (key: JsonObject) =>
      [...ALGORITHMS].some(([name, one]) => isFor(key, name, one, undefined));
    if (mayLackKeys || keys.some(isUsable)) return { keys };
    throw new TypeError(
      "It has no key that verifies signatures: add a public key of RSA with 2048 bits or more, EC or Ed25519",
    );
  }
  throw new TypeError(`It must be a JWK Set: an object with "keys", a list of ${MAX_KEYS} at most`);
}

/** Whether a key may verify signatures of an algorithm, and has the key id of the token, if that names one. */
function isFor(key: JsonObject, name: string, { kty, crv }: Algorithm, kid: unknown): boolean {
  const { alg = name, use = "sig", key_ops: operations } = key;
  return key["kty"] === kty && (crv === "" || key["crv"] === crv) && alg === name && use === "sig" &&
    (operations === undefined || asArray(operations).includes("verify")) &&
    (kid === undefined || key["kid"] === kid) &&
    (kty !== "RSA" || (asString(key["n"]) ?? "").length >= MIN_MODULUS);
}

/** The key for `crypto.subtle`; undefined when it is malformed. */
function importKey(key: JsonObject, algorithm: Algorithm): Promise<CryptoKey | undefined> {
  let usable = algorithm.imported.get(key);
  if (usable) return usable;
  // Only the members of the public key: runtimes differ in how they read others, such as `use` and `key_ops`.
  const { kty, crv, x, y, n, e } = key;
  const jwk = compact({ kty, crv, x, y, n, e }) as JsonWebKey;
  usable = crypto.subtle.importKey("jwk", jwk, algorithm, false, ["verify"]).catch(() => undefined);
  algorithm.imported.set(key, usable);
  return usable;
}

function readObject(bytes: Uint8Array | undefined): JsonObject | undefined {
  const value: unknown = attempt(() => JSON.parse(decoder.decode(bytes)));
  return isObject(value) ? value : undefined;
}

/** A URL in its normal form, or any other text, without the slash at its end. */
function canonicalUrl(text: string): string {
  return (URL.parse(text)?.href ?? text).replace(/\/$/, "");
}

/** How long a set is used before it is fetched again, and how long at most when that fails, in milliseconds. */
const FRESH_MS = 10 * 60_000, MAX_STALE_MS = 60 * 60_000;
const FETCH_MS = 5000, MAX_BYTES = 512 * 1024, MAX_HOPS = 3;

/**
 * Makes a function that gives the key set. A set at a URL is fetched once for all callers, and again after a while or when the
 * caller `lacksKey`. The function throws an `HttpError` with status 503 when the set cannot be read.
 */
function keySource(
  { jwks, refetchMs = 30_000, onerror }: JwtOptions,
): (lacksKey: boolean) => Awaitable<KeySet> {
  if (typeof jwks === "function") return jwks;
  if (!(jwks instanceof URL)) {
    const keys = readKeySet(jwks);
    return () => keys;
  }
  const { origin } = jwks;
  if (!isSecure(jwks)) {
    throw new TypeError(`Cannot check tokens: the keys must come over https, not from ${origin}`);
  }
  let keys: KeySet | undefined, fetching: Promise<void> | undefined;
  let fetchedAt = -Infinity, triedAt = -Infinity;
  const read = async (signal: AbortSignal): Promise<void> => {
    const init = { headers: { accept: "application/json" }, redirect: "manual", signal } as const;
    const response = await followRedirects(jwks, (to) => globalThis.fetch(to, init), ({ target, hops }) => {
      if (target?.origin === origin && hops < MAX_HOPS) return target;
      throw new Error("it is redirected to another origin, or too often");
    });
    const { status } = response, isFound = status === 200;
    const bytes = isFound ? await readBytes(response, MAX_BYTES, signal) : discardBody(response);
    if (!bytes) throw new Error(isFound ? `the set is over ${MAX_BYTES} bytes` : `the status is ${status}`);
    keys = readKeySet(JSON.parse(decoder.decode(bytes)), true);
    fetchedAt = performance.now();
  };
  const load = () =>
    withDeadline(FETCH_MS, new Error("it took too long"), undefined, read).catch((cause) => {
      const reason = `Cannot read the keys of the authorization server at ${origin}: ${reasonOf(cause)}`;
      onerror?.(new Error(reason, { cause }));
    }).finally(() => fetching = undefined);
  return async (lacksKey) => {
    const now = performance.now(), isNeeded = !keys || lacksKey;
    if ((isNeeded || now - fetchedAt > FRESH_MS) && now - triedAt >= refetchMs && !fetching) {
      triedAt = now;
      fetching = load();
    }
    // A set that is only old is used meanwhile.
    if (isNeeded) await fetching;
    if (keys && performance.now() - fetchedAt < MAX_STALE_MS) return keys;
    throw unavailable("The keys of the authorization server cannot be read", 30);
  };
}
