/** The public keys of authorization servers (JWK Sets, RFC 7517), and the algorithms for which they are used. */

import type { Awaitable } from "../../base/async.ts";
import type { SubtleKey } from "../../base/signer.ts";
import type { JsonObject } from "../../base/json.ts";
import { withDeadline } from "../../base/deadline.ts";
import { isSecure } from "../../base/hosts.ts";
import { discardBody, followRedirects, readBytes } from "../../base/responses.ts";
import { asArray, asString, compact, isObject } from "../../base/json.ts";
import { reasonOf } from "../../base/text.ts";
import { unavailable } from "./errors.ts";

/** A JWK Set (RFC 7517, section 5). */
export interface KeySet {
  /** The public keys, at most 100. Keys of unknown types are ignored. */
  readonly keys: readonly Readonly<Record<string, unknown>>[];
}

/** An algorithm of signatures; `name`, `hash`, `namedCurve` and `saltLength` are read by `crypto.subtle`. */
export interface Algorithm {
  /** The `kty` of its keys. */
  readonly kty: string;
  /** The `crv` of its keys; "" for RSA. */
  readonly crv: string;
  readonly name: string;
  readonly hash: string;
  readonly namedCurve: string;
  /** In bytes. */
  readonly saltLength: number;
  /** The imported form of each key; undefined for a malformed one. */
  readonly imported: WeakMap<JsonObject, Promise<SubtleKey | undefined>>;
}

function algorithmOf(kty: string, name: string, bits: number, crv: string = ""): Algorithm {
  return {
    kty,
    crv,
    name,
    hash: `SHA-${bits}`,
    namedCurve: crv,
    saltLength: bits / 8,
    imported: new WeakMap(),
  };
}

/** The algorithms by `alg`. None is symmetric, because a symmetric key that verifies a token could also sign one. */
export const ALGORITHMS: ReadonlyMap<string, Algorithm> = new Map([
  ...[256, 384, 512].flatMap((bits): [string, Algorithm][] => [
    [`RS${bits}`, algorithmOf("RSA", "RSASSA-PKCS1-v1_5", bits)],
    [`PS${bits}`, algorithmOf("RSA", "RSA-PSS", bits)],
    [`ES${bits}`, algorithmOf("EC", "ECDSA", bits, bits === 512 ? "P-521" : `P-${bits}`)],
  ]),
  ["EdDSA", algorithmOf("OKP", "Ed25519", 512, "Ed25519")],
  ["Ed25519", algorithmOf("OKP", "Ed25519", 512, "Ed25519")],
]);

/** The maximum number of keys in a set. */
const MAX_KEYS = 100;
/** The minimum length of the `n` of an RSA key (2048 bits), in characters of Base64. */
const MIN_MODULUS = 342;
const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * Reads a JWK Set.
 *
 * @param mayLackKeys Whether a set without a usable key is accepted.
 * @throws {TypeError} When it is invalid, has more than 100 keys, or has no usable key.
 */
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

/** Whether a key may verify signatures of an algorithm, and has the key id of the token, if the token has one. */
export function isFor(key: JsonObject, name: string, { kty, crv }: Algorithm, kid: unknown): boolean {
  const { alg = name, use = "sig", key_ops: operations } = key;
  return key["kty"] === kty && (crv === "" || key["crv"] === crv) && alg === name && use === "sig" &&
    (operations === undefined || asArray(operations).includes("verify")) &&
    (kid === undefined || key["kid"] === kid) &&
    (kty !== "RSA" || (asString(key["n"]) ?? "").length >= MIN_MODULUS);
}

/** Imports a key for `crypto.subtle`; undefined if it is malformed. */
export function verifyingKey(key: JsonObject, algorithm: Algorithm): Promise<SubtleKey | undefined> {
  let usable = algorithm.imported.get(key);
  if (usable) return usable;
  // Only the members of the public key: runtimes treat others, such as `use` and `key_ops`, differently.
  const { kty, crv, x, y, n, e } = key;
  const jwk = compact({ kty, crv, x, y, n, e }) as Record<string, string>;
  usable = crypto.subtle.importKey("jwk", jwk, algorithm, false, ["verify"]).catch(() => undefined);
  algorithm.imported.set(key, usable);
  return usable;
}

/** The age at which a set is fetched again, in milliseconds. */
const FRESH_MS = 10 * 60_000;
/** The maximum age of a set that cannot be fetched again, in milliseconds. */
const MAX_STALE_MS = 60 * 60_000;
/** How long it may take to fetch a set, in milliseconds. */
const FETCH_MS = 5000;
/** The maximum length of a set, in bytes. */
const MAX_BYTES = 512 * 1024;
/** The maximum number of redirects. */
const MAX_HOPS = 3;

/**
 * Makes a function that returns the key set. A set at a URL is fetched once for all callers, and again when it is old or when
 * a caller `lacksKey`. The function throws an `HttpError` with status 503 if the set cannot be read.
 */
export function keySource(
  jwks: URL | KeySet | (() => KeySet),
  refetchMs: number,
  onerror: (cause: unknown) => void,
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
      onerror(new Error(reason, { cause }));
    }).finally(() => fetching = undefined);
  return async (lacksKey) => {
    const now = performance.now(), isNeeded = !keys || lacksKey;
    if ((isNeeded || now - fetchedAt > FRESH_MS) && now - triedAt >= refetchMs && !fetching) {
      triedAt = now;
      fetching = load();
    }
    // An old set is used until the new one is there.
    if (isNeeded) await fetching;
    if (keys && performance.now() - fetchedAt < MAX_STALE_MS) return keys;
    throw unavailable("The keys of the authorization server cannot be read", 30);
  };
}
