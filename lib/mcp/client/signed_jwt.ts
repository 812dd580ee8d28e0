/** The JWTs that a client signs, with its own key or with the key of its tokens. */

import type { SubtleKey } from "../../base/signer.ts";
import type { JsonObject } from "../../base/json.ts";
import { fromBase64, toBase64Url } from "../../base/base64.ts";
import { AuthorizationError, forMessage } from "./authorization_errors.ts";

/** The supported algorithms. */
const SIGNING: ReadonlyMap<string, { readonly name: string; readonly [option: string]: unknown }> = new Map([
  ["ES256", { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" }],
  ["ES384", { name: "ECDSA", namedCurve: "P-384", hash: "SHA-384" }],
  ["RS256", { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" }],
  ["PS256", { name: "RSA-PSS", hash: "SHA-256", saltLength: 32 }],
  ["EdDSA", { name: "Ed25519" }],
]);
/** A JSON Web Key, as `crypto.subtle` exports it. @see https://www.rfc-editor.org/rfc/rfc7517 */
export type Jwk =
  & {
    readonly [
      member in
        | ("kty" | "use" | "alg" | "kid" | "crv" | "x" | "y" | "d")
        | ("n" | "e" | "p" | "q" | "dp" | "dq" | "qi")
    ]?: string;
  }
  & { readonly ext?: boolean; readonly key_ops?: string[] };
/** The lifetime of a JWT, in seconds. */
const JWT_SECONDS = 300;

/** Signs a JWT with the given header and claims, and with those that every JWT has. */
export async function signJwt(
  key: SubtleKey,
  alg: string,
  header: JsonObject,
  claims: JsonObject,
): Promise<string> {
  const encode = (value: JsonObject) => toBase64Url(new TextEncoder().encode(JSON.stringify(value)));
  const iat = Math.floor(Date.now() / 1000);
  const times = { iat, exp: iat + JWT_SECONDS, jti: crypto.randomUUID() };
  const text = `${encode({ alg, ...header })}.${encode({ ...times, ...claims })}`;
  const signature = await crypto.subtle.sign(SIGNING.get(alg)!, key, new TextEncoder().encode(text));
  return `${text}.${toBase64Url(new Uint8Array(signature))}`;
}

/** Imports a key for signing. Throws an `AuthorizationError`, which does not contain the key. */
export async function importSigningKey(key: string | Jwk, alg: string): Promise<SubtleKey> {
  const algorithm = SIGNING.get(alg);
  const fail = (problem: string) => new AuthorizationError(`Cannot sign with the ${problem}`);
  if (!algorithm) {
    throw fail(`algorithm "${forMessage(alg)}": it must be one of ${[...SIGNING.keys()].join(", ")}`);
  }
  try {
    if (typeof key !== "string") return await crypto.subtle.importKey("jwk", key, algorithm, false, ["sign"]);
    const pkcs8 = fromBase64(key.replace(/-----[^-]*-----|\s/g, ""))!;
    return await crypto.subtle.importKey("pkcs8", pkcs8, algorithm, false, ["sign"]);
  } catch {
    throw fail(`key of the client: it must be PKCS #8 in PEM or a JWK, for the algorithm ${alg}`);
  }
}
