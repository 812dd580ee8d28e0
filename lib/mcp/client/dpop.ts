/** Tokens that are bound to a key of the client. @see https://www.rfc-editor.org/rfc/rfc9449 */

import { toBase64Url } from "../../base/base64.ts";
import { signJwt } from "./signed_jwt.ts";

/** Proves that this client has the key that its tokens are bound to. The key is never stored. */
export interface Dpop {
  /** The thumbprint of the key (RFC 7638). */
  readonly thumbprint: string;
  /** Returns a proof for one request, and for the token that is sent with it, if any. */
  prove(method: string, url: URL, token?: string): Promise<string>;
  /** Remembers the nonce that a response requires. Returns whether it is new. */
  renew(url: URL, headers: Headers): boolean;
}

/** Generates a key. */
export async function createDpop(): Promise<Dpop> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const { publicKey, privateKey } = await crypto.subtle.generateKey(algorithm, false, ["sign", "verify"]);
  const { crv, kty, x, y } = await crypto.subtle.exportKey("jwk", publicKey);
  const jwk = { crv, kty, x, y };
  /** The nonce that each server requires in the next proof, by origin. */
  const nonces = new Map<string, string>();
  return {
    thumbprint: await digest(JSON.stringify(jwk)),
    prove: async (method, { origin, pathname }, token) =>
      await signJwt(privateKey, "ES256", { typ: "dpop+jwt", jwk }, {
        htm: method,
        htu: `${origin}${pathname}`,
        nonce: nonces.get(origin),
        ath: token && await digest(token),
      }),
    renew({ origin }, headers) {
      const nonce = headers.get("dpop-nonce");
      if (nonce === null || nonce === nonces.get(origin)) return false;
      nonces.set(origin, nonce);
      return true;
    },
  };
}

/** Returns the SHA-256 of a text, in Base64 for URLs. */
export async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return toBase64Url(new Uint8Array(bytes));
}
