/**
 * Requests for tokens, with the authentication of the client.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-2.3
 * @see https://www.rfc-editor.org/rfc/rfc7523
 */

import type { JsonObject } from "../../base/json.ts";
import type { Authority } from "./authorization_server.ts";
import { toBase64 } from "../../base/base64.ts";
import { asArray, compact } from "../../base/json.ts";
import { refused } from "./authorization_errors.ts";
import { endpointOf, requestJson } from "./authorization_server.ts";
import type { Jwk } from "./signed_jwt.ts";
import { importSigningKey, signJwt } from "./signed_jwt.ts";

/** The prefix of grant types that are URIs. */
export const GRANT_TYPE_PREFIX = "urn:ietf:params:oauth:grant-type:";

/** A client as it is registered at an authorization server. */
export interface Registration {
  /** The `client_id`. */
  readonly id: string;
  /** The `client_secret`. */
  readonly secret?: string | undefined;
  /** A private key instead of a secret (`private_key_jwt`): PKCS #8 in PEM, or a JWK. */
  readonly key?: string | Jwk | undefined;
  /** The algorithm of the key: ES256, ES384, RS256, PS256 or EdDSA. @default {"ES256"} */
  readonly algorithm?: string | undefined;
  /** The `kid` of the key. @default {none} */
  readonly keyId?: string | undefined;
  /** How it authenticates at the token endpoint. @default {one that the server supports} */
  readonly authMethod?: string | undefined;
}

/** Adds the authentication of a client to a form. Returns header fields that have to be sent with the form. */
async function authenticate(
  client: Registration,
  { issuer, token_endpoint_auth_methods_supported: methods }: JsonObject,
  form: URLSearchParams,
): Promise<Readonly<Record<string, string>>> {
  const { id, secret, key, keyId, algorithm = "ES256" } = client;
  const supported = methods === undefined ? ["client_secret_basic"] : asArray(methods);
  const method = client.authMethod ??
    ["client_secret_basic", "client_secret_post"].find((one) => supported.includes(one));
  const isInForm = key !== undefined || method === "none" || method === "client_secret_post";
  if (secret !== undefined && !isInForm) {
    const encoded = [id, secret].map((text) => `${new URLSearchParams({ "": text })}`.slice(1)).join(":");
    return { Authorization: `Basic ${toBase64(new TextEncoder().encode(encoded))}` };
  }
  form.set("client_id", id);
  if (key !== undefined) {
    const claims = { iss: id, sub: id, aud: issuer };
    const jwt = await signJwt(
      await importSigningKey(key, algorithm),
      algorithm,
      { typ: "JWT", kid: keyId },
      claims,
    );
    form.set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
    form.set("client_assertion", jwt);
  } else if (secret !== undefined && method !== "none") form.set("client_secret", secret);
  return {};
}

/** Sends a token request and returns the body of the response. Throws the error of the server if it issues no token. */
export async function requestToken(
  authority: Authority,
  client: Registration,
  parameters: Readonly<Record<string, string | undefined>>,
): Promise<JsonObject> {
  const { dpop, metadata } = authority;
  const form = new URLSearchParams(compact(parameters) as Record<string, string>);
  const url = await endpointOf(authority, "token");
  for (let isFirst = true;; isFirst = false) {
    const fields = await authenticate(client, metadata, form);
    const headers = dpop ? { ...fields, DPoP: await dpop.prove("POST", url) } : fields;
    const answer = await requestJson(authority, url, form, headers);
    const { status, body = {} } = answer;
    const isRenewed = dpop?.renew(url, answer.headers) ?? false;
    if (status === 400 && body["error"] === "use_dpop_nonce" && isRenewed && isFirst) continue;
    if (status === 200 && body["error"] === undefined) return body;
    throw refused(`${url.origin} issued no token`, body, status);
  }
}
