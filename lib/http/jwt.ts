/**
 * JWT access tokens, checked against the keys of an authorization server.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7519, 7515 (JWS), 7517 (JWK), 8725 (best practices), 9068 (access tokens)
 */

import type { JsonObject } from "../base/json.ts";
import type { Authenticate } from "./authentication.ts";
import { withDeadline } from "../base/async.ts";
import { fromBase64Url } from "../base/bytes.ts";
import { discardBody, followRedirects, readBytes } from "../base/http.ts";
import { asArray, isObject } from "../base/json.ts";
import { reasonOf } from "../base/text.ts";
import { bearerOf } from "./authentication.ts";
import { isLoopback, unavailable } from "./checks.ts";

/** A JWK Set (RFC 7517, section 5). */
export interface KeySet {
  /** The public keys, 100 at most. Those of unknown types are passed over. */
  readonly keys: readonly Readonly<Record<string, unknown>>[];
}

/** Which access tokens are accepted. */
export interface JwtOptions {
  /**
   * The public keys of the authorization server: the URL of its set, which is https or on this machine, the set itself, or
   * a function that returns it.
   */
  readonly jwks: URL | KeySet | (() => KeySet);
  /** The `iss` of the tokens, exactly. */
  readonly issuer: string;
  /** What the `aud` of the tokens must name: the URL of the endpoint for clients (RFC 8707). */
  readonly audience: string;
  /** The accepted algorithms. @default {RS256 to RS512, PS256 to PS512, ES256 to ES512, EdDSA, Ed25519} */
  readonly algorithms?: readonly string[];
  /** How much the clocks may differ, in milliseconds. @default {30000} */
  readonly clockSkewMs?: number;
  /** The least time between two requests for the set, when a key is not in it, in milliseconds. @default {30000} */
  readonly refetchMs?: number;
  /** Receives why the set cannot be had from its URL. @default {ignored} */
  readonly onerror?: (cause: unknown) => void;
}

interface Algorithm {
  /** What the key must have. */
  readonly kty: string;
  readonly crv?: string;
  /** For `crypto.subtle`, to import and to verify. */
  readonly params: { readonly name: string; readonly hash: string; readonly namedCurve: string };
}

const EDWARDS = { kty: "OKP", crv: "Ed25519", params: { name: "Ed25519", hash: "", namedCurve: "" } };
const CURVES = { 256: "P-256", 384: "P-384", 512: "P-521" } as const;
/** By name in the header. No symmetric one: then anybody who can verify could sign. */
const ALGORITHMS: ReadonlyMap<string, Algorithm> = new Map([
  ...([256, 384, 512] as const).flatMap((bits): [string, Algorithm][] => {
    const hash = `SHA-${bits}`, crv = CURVES[bits], rsa = { hash, namedCurve: "", saltLength: bits / 8 };
    return [
      [`RS${bits}`, { kty: "RSA", params: { ...rsa, name: "RSASSA-PKCS1-v1_5" } }],
      [`PS${bits}`, { kty: "RSA", params: { ...rsa, name: "RSA-PSS" } }],
      [`ES${bits}`, { kty: "EC", crv, params: { name: "ECDSA", hash, namedCurve: crv } }],
    ];
  }),
  ["EdDSA", EDWARDS],
  ["Ed25519", EDWARDS],
]);

/** The longest token, in characters; it is more than header fields may have on Node. */
const MAX_TOKEN = 16 * 1024;
const MAX_KEYS = 100;
/** The shortest `n` of an RSA key, in characters of Base64: 2048 bits. */
const MIN_MODULUS = 342;
const TYPE = /^(?:application\/)?(?:at\+)?jwt$/i;
const decoder = new TextDecoder("utf-8", { fatal: true });
const encoder = new TextEncoder();

/**
 * Accepts bearer tokens that are JWTs with `exp` and `sub` of one issuer, for one audience, signed with one of its keys. The
 * principal is the issuer and the `sub`; the scopes are those of `scope` or `scp`.
 *
 * Needs permission to connect to the host of the key set, if that is a URL.
 *
 * @throws {TypeError} When an option cannot be used.
 *
 * @example
 * ```ts
 * import { createServer } from "@architrave/architrave";
 * import { createHttpHandler, jwtBearer } from "@architrave/architrave/http";
 *
 * const resource = "https://docs.example.com/mcp", issuer = "https://login.example.com";
 * const { fetch } = createHttpHandler(createServer({ info: { name: "docs", version: "1.0.0" } }), {
 *   authenticate: jwtBearer({ jwks: new URL(`${issuer}/jwks`), issuer, audience: resource }),
 *   resourceMetadata: { resource, authorization_servers: [issuer] },
 *   allowedHosts: ["docs.example.com"],
 * });
 * ```
 */
export function jwtBearer(options: JwtOptions): Authenticate {
  const { jwks, issuer, clockSkewMs = 30_000, algorithms = [...ALGORITHMS.keys()] } = options;
  const unknown = algorithms.find((name) => !ALGORITHMS.has(name));
  const fault = unknown !== undefined
    ? `the algorithm "${unknown}" is none of ${[...ALGORITHMS.keys()].join(", ")}`
    : issuer === "" || options.audience === ""
    ? "the issuer and the audience must not be empty"
    : jwks instanceof URL && jwks.protocol !== "https:" &&
        !(jwks.protocol === "http:" && isLoopback(jwks.hostname))
    ? `the keys must come over https, not from ${jwks.origin}`
    : undefined;
  if (fault !== undefined) throw new TypeError(`Cannot check tokens: ${fault}`);
  const audience = canonicalUrl(options.audience);
  const remote = jwks instanceof URL ? new RemoteKeys(jwks, options) : undefined;
  const local = jwks instanceof URL ? undefined : typeof jwks === "function" ? jwks : () => jwks;
  if (typeof jwks === "object" && !remote) readKeySet(jwks);

  /** Whether the token is one of the issuer, for us, and now. */
  const areOurs = ({ iss, aud, sub, exp, nbf = 0, iat = 0 }: JsonObject): boolean => {
    const isTime = (value: unknown) => typeof value === "number" && Number.isFinite(value);
    const seconds = Date.now() / 1000, skew = clockSkewMs / 1000;
    return iss === issuer && typeof sub === "string" && sub !== "" &&
      [aud].flat().some((one) => typeof one === "string" && canonicalUrl(one) === audience) &&
      [exp, nbf, iat].every(isTime) && (exp as number) + skew > seconds &&
      Math.max(nbf as number, iat as number) - skew <= seconds;
  };

  const verified = async (token: string): Promise<JsonObject | undefined> => {
    const parts = token.length > MAX_TOKEN ? [] : token.split(".");
    const [head, body, signature] = parts.map(fromBase64Url);
    const [header, claims] = [readObject(head), readObject(body)];
    if (parts.length !== 3 || !header || !claims || !signature) return undefined;
    const { alg, kid, crit, typ = "JWT" } = header;
    const name = algorithms.find((one) => one === alg);
    const isPlain = crit === undefined && ["string", "undefined"].includes(typeof kid);
    if (name === undefined || !isPlain || !TYPE.test(String(typ)) || !areOurs(claims)) return undefined;
    const find = (set: KeySet): JsonObject | undefined => {
      const fitting = set.keys.filter((key) => isFor(key, name, kid));
      // Without a kid, it must be clear which key is meant.
      return fitting.length === 1 ? fitting[0] : undefined;
    };
    const key = find(remote ? await remote.get(false) : local!()) ??
      (remote && find(await remote.get(true)));
    const imported = key && await importKey(key, name);
    const data = encoder.encode(token.slice(0, token.lastIndexOf(".")));
    // Some runtimes find out only now that a key is malformed.
    const isSigned = imported &&
      await crypto.subtle.verify(ALGORITHMS.get(name)!.params, imported, signature, data).catch(() => false);
    return isSigned ? claims : undefined;
  };

  return async ({ header }) => {
    const token = bearerOf(header);
    if (token === undefined) return { status: 401 };
    const claims = await verified(token);
    if (!claims) return { status: 401, error: "invalid_token" };
    const { sub, exp, scope, scp } = claims;
    const scopes = [scope, scp].flatMap((value) =>
      typeof value === "string" ? value.split(" ") : asArray(value)
    )
      .filter((one): one is string => typeof one === "string" && one !== "");
    const expiresAt = (exp as number) * 1000 + clockSkewMs;
    return { principal: `${issuer} ${sub}`, scopes, expiresAt, claims };
  };
}

/** Reads a JWK Set. @throws {TypeError} When it is none, or has more than 100 keys. */
export function readKeySet(value: unknown): KeySet {
  const keys = isObject(value) ? value["keys"] : undefined;
  if (Array.isArray(keys) && keys.length <= MAX_KEYS) return { keys: keys.filter(isObject) };
  throw new TypeError(`It must be a JWK Set: an object with "keys", a list of ${MAX_KEYS} at most`);
}

/** Whether a key may verify a signature of this algorithm, and is the one that is named. */
function isFor(key: JsonObject, name: string, kid: unknown): boolean {
  const { kty, crv } = ALGORITHMS.get(name)!;
  const { alg = name, use = "sig", key_ops: operations } = key;
  return key["kty"] === kty && (crv === undefined || key["crv"] === crv) && alg === name && use === "sig" &&
    (operations === undefined || asArray(operations).includes("verify")) &&
    (kid === undefined || key["kid"] === kid) &&
    (kty !== "RSA" || String(key["n"]).length >= MIN_MODULUS);
}

const importedKeys = new WeakMap<JsonObject, Map<string, Promise<CryptoKey | undefined>>>();

/** The key for `crypto.subtle`; undefined when it is malformed. */
function importKey(key: JsonObject, name: string): Promise<CryptoKey | undefined> {
  const known = importedKeys.get(key) ?? new Map<string, Promise<CryptoKey | undefined>>();
  importedKeys.set(key, known);
  // Only the public members: the others restrict the use in ways that runtimes read differently.
  const { kty, crv, x, y, n, e } = key as Record<string, string>;
  const jwk = JSON.parse(JSON.stringify({ kty, crv, x, y, n, e }));
  const imported = known.get(name) ??
    crypto.subtle.importKey("jwk", jwk, ALGORITHMS.get(name)!.params, false, ["verify"])
      .catch(() => undefined);
  known.set(name, imported);
  return imported;
}

function readObject(bytes: Uint8Array | undefined): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(decoder.decode(bytes));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A URL in lower case where that does not matter, without the slash at its end; any other text as it is. */
function canonicalUrl(text: string): string {
  return (URL.parse(text)?.href ?? text).replace(/\/$/, "");
}

/** How long a set is used before it is fetched again, and at most while it cannot be, in milliseconds. */
const FRESH_MS = 10 * 60_000, MAX_STALE_MS = 60 * 60_000;
const FETCH_MS = 5000;
const MAX_BYTES = 512 * 1024;
const MAX_HOPS = 3;

/** The key set at a URL. */
class RemoteKeys {
  readonly #url: URL;
  readonly #refetchMs: number;
  readonly #onerror: JwtOptions["onerror"];
  #keys: KeySet | undefined;
  #fetchedAt = -Infinity;
  #triedAt = -Infinity;
  #fetching: Promise<void> | undefined;

  constructor(url: URL, { refetchMs = 30_000, onerror }: JwtOptions) {
    this.#url = url;
    this.#refetchMs = refetchMs;
    this.#onerror = onerror;
  }

  /**
   * The set. All callers share one request, and there is none for a while after the last one.
   *
   * @param isLacking Whether a key is not in the set, so that it may have changed.
   * @throws {HttpError} 503 when the set cannot be had.
   */
  async get(isLacking: boolean): Promise<KeySet> {
    const now = performance.now();
    const isNeeded = !this.#keys || isLacking;
    if ((isNeeded || now - this.#fetchedAt > FRESH_MS) && now - this.#triedAt >= this.#refetchMs) {
      this.#fetching ??= this.#fetch().finally(() => this.#fetching = undefined);
    }
    if (isNeeded) await this.#fetching;
    if (this.#keys && performance.now() - this.#fetchedAt < MAX_STALE_MS) return this.#keys;
    throw unavailable("The keys of the authorization server cannot be read", { seconds: 30 });
  }

  async #fetch(): Promise<void> {
    this.#triedAt = performance.now();
    const { origin } = this.#url;
    const never = new AbortController().signal;
    try {
      this.#keys = await withDeadline(FETCH_MS, new Error("it took too long"), never, async (signal) => {
        const init = { headers: { accept: "application/json" }, redirect: "manual", signal } as const;
        const send = (url: URL) => globalThis.fetch(url, init);
        const response = await followRedirects(this.#url, send, ({ target, hops }) => {
          if (target?.origin === origin && hops < MAX_HOPS) return target;
          throw new Error("it is redirected to another origin, or too often");
        });
        const bytes = response.status === 200 ? await readBytes(response, MAX_BYTES, signal) : undefined;
        if (!bytes) discardBody(response);
        if (!bytes) throw new Error(`the status is ${response.status}, or the body is too long`);
        return readKeySet(JSON.parse(decoder.decode(bytes)));
      });
      this.#fetchedAt = performance.now();
    } catch (cause) {
      const message = `Cannot read the keys of the authorization server at ${origin}: ${reasonOf(cause)}`;
      this.#onerror?.(new Error(message, { cause }));
    }
  }
}
