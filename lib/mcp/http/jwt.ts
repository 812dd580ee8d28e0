/** JWT access tokens (RFC 7519; 7515, JWS; 8725, best practices; 9068). */

import type { JsonObject } from "../../base/json.ts";
import type { Authenticate } from "./authentication.ts";
import type { KeySet } from "./jwks.ts";
import { fromBase64Url } from "../../base/base64.ts";
import { asArray, asString, isObject } from "../../base/json.ts";
import { attempt } from "../../base/text.ts";
import { unguessable } from "./authentication.ts";
import { bearerOf } from "./bearer_token.ts";
import { printHttpFailure } from "./errors.ts";
import { ALGORITHMS, isFor, keySource, verifyingKey } from "./jwks.ts";

/** The access tokens that are accepted. */
export interface JwtOptions {
  /** The public keys of the authorization server: the URL of the set (https, or this machine), the set, or its source. */
  readonly jwks: URL | KeySet | (() => KeySet);
  /** The exact `iss` of the tokens. */
  readonly issuer: string;
  /** The value that the `aud` of the tokens must have: the URL of the endpoint, as clients see it (RFC 8707). */
  readonly audience: string;
  /** The accepted algorithms. @default {RS256 to RS512, PS256 to PS512, ES256 to ES512, EdDSA, Ed25519} */
  readonly algorithms?: readonly string[];
  /** The allowed difference of the clocks, in milliseconds. @default {30000} */
  readonly clockSkewMs?: number;
  /** The minimum time between two requests for the set, in milliseconds. @default {30000} */
  readonly refetchMs?: number;
  /** Receives the error if the set cannot be read from its URL. @default {writes it to standard error} */
  readonly onerror?: (cause: unknown) => void;
}

/** The maximum length of a token, in characters: more than Node accepts in header fields. */
const MAX_TOKEN = 16 * 1024;
const TOKEN_TYPE = /^(?:application\/)?(?:at\+)?jwt$/i;
const decoder = new TextDecoder("utf-8", { fatal: true });
const encoder = new TextEncoder();

/**
 * Accepts bearer tokens that are JWTs: of one issuer, for one audience, with `exp` and `sub`, signed with a key of the issuer.
 * The principal is the issuer and the `sub`; the scopes are in `scope` or `scp`.
 *
 * Needs permission to connect to the host of the key set, if `jwks` is a URL.
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
  if (!issuer || !options.audience || !algorithms.every((name) => ALGORITHMS.has(name))) {
    const known = [...ALGORITHMS.keys()].join(", ");
    throw new TypeError(`Cannot check tokens: give an issuer, an audience, and no algorithms but ${known}`);
  }
  const audience = canonicalUrl(options.audience);
  const keysOf = keySource(options.jwks, options.refetchMs ?? 30_000, options.onerror ?? printHttpFailure);

  /** Why the claims are not accepted; undefined if they are from the issuer, for this server, and valid now. */
  const problemOf = ({ iss, aud, sub, exp, nbf = 0, iat = 0 }: JsonObject): string | undefined => {
    const seconds = Date.now() / 1000, skew = clockSkewMs / 1000;
    if (iss !== issuer) return `iss is not ${issuer}`;
    const isForUs = [aud].flat().some((one) => typeof one === "string" && canonicalUrl(one) === audience);
    if (!isForUs) return `aud is not ${options.audience}`;
    if (typeof sub !== "string" || sub === "") return "sub is missing";
    const isNow = [exp, nbf, iat].every(Number.isFinite) && (exp as number) + skew > seconds &&
      Math.max(nbf as number, iat as number) - skew <= seconds;
    return isNow ? undefined : "exp is missing or in the past, or nbf or iat is in the future";
  };

  /** The claims of a token, or the reason why it is not accepted. */
  const verify = async (token: string): Promise<JsonObject | string> => {
    const parts = token.length > MAX_TOKEN ? [] : token.split(".");
    const [head, body, signature] = parts.map(fromBase64Url);
    const [header, claims] = [readObject(head), readObject(body)];
    if (parts.length !== 3 || !header || !claims || !signature) return "it is not a JWT";
    const { alg, kid, crit, typ = "JWT" } = header;
    const name = algorithms.find((one) => one === alg) ?? "", algorithm = ALGORITHMS.get(name);
    const isPlain = crit === undefined && ["string", "undefined"].includes(typeof kid);
    const isType = typeof typ === "string" && TOKEN_TYPE.test(typ);
    if (!algorithm || !isPlain || !isType) return "its alg, typ, kid or crit is not accepted";
    const problem = problemOf(claims);
    if (problem !== undefined) return `its ${problem}`;
    // If the set lacks the key, it is read again, because the key may be new.
    for (const lacksKey of [false, true]) {
      const fitting = (await keysOf(lacksKey)).keys.filter((key) => isFor(key, name, algorithm, kid));
      // Without a kid, only one key may match.
      if (fitting.length !== 1) continue;
      const usable = await verifyingKey(fitting[0]!, algorithm);
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

function readObject(bytes: Uint8Array | undefined): JsonObject | undefined {
  const value: unknown = attempt(() => JSON.parse(decoder.decode(bytes)));
  return isObject(value) ? value : undefined;
}

/** A normalised URL, or any other text, without a slash at the end. */
function canonicalUrl(text: string): string {
  return (URL.parse(text)?.href ?? text).replace(/\/$/, "");
}
