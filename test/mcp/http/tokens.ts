/** Signing keys and JWTs for tests. */

import type { JsonObject } from "../../../lib/base/json.ts";
import { toBase64Url } from "../../../lib/base/base64.ts";

export const ISSUER = "https://login.example.com";
export const AUDIENCE = "https://docs.example.com/mcp";

const RSA = { modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: "SHA-256" };
/** How `crypto.subtle` makes keys and signs, by algorithm. */
export const ALGORITHMS: Readonly<Record<string, Readonly<Record<string, unknown>> & { name: string }>> = {
  RS256: { name: "RSASSA-PKCS1-v1_5", ...RSA },
  PS256: { name: "RSA-PSS", ...RSA, saltLength: 32 },
  ES256: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  ES384: { name: "ECDSA", namedCurve: "P-384", hash: "SHA-384" },
  ES512: { name: "ECDSA", namedCurve: "P-521", hash: "SHA-512" },
  EdDSA: { name: "Ed25519" },
};

/** A key of an authorization server, with its public part as JWK. */
export interface SigningKey {
  readonly alg: string;
  readonly pair: CryptoKeyPair;
  readonly jwk: JsonObject;
}

export async function makeKey(alg: string, kid?: string, more: object = {}): Promise<SigningKey> {
  const params = { ...ALGORITHMS[alg]!, ...more };
  const pair = await crypto.subtle.generateKey(params as unknown as EcKeyGenParams, true, ["sign", "verify"]);
  const { kty, crv, x, y, n, e } = await crypto.subtle.exportKey("jwk", pair.publicKey);
  return { alg, pair, jwk: JSON.parse(JSON.stringify({ kid, alg, kty, crv, x, y, n, e })) };
}

/** Encodes JSON, or text as it is, as a part of a JWT. */
export const part = (value: unknown): string =>
  toBase64Url(new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value)));

/** The seconds since 1970. */
export const seconds = (): number => Math.floor(Date.now() / 1000);

/** Claims that are accepted. */
export const claims = (more: object = {}): JsonObject => ({
  iss: ISSUER,
  aud: AUDIENCE,
  sub: "ada",
  exp: seconds() + 300,
  iat: seconds(),
  ...more,
});

/** A JWT. Members of the header and the claims that are undefined are left out. */
export async function sign(
  { alg, pair, jwk }: SigningKey,
  payload: unknown = claims(),
  header: object = {},
): Promise<string> {
  const signed = `${part({ alg, kid: jwk["kid"], typ: "at+jwt", ...header })}.${part(payload)}`;
  const bytes = new TextEncoder().encode(signed);
  const signature = await crypto.subtle.sign(
    ALGORITHMS[alg] as unknown as EcdsaParams,
    pair.privateKey,
    bytes,
  );
  return `${signed}.${toBase64Url(new Uint8Array(signature))}`;
}
