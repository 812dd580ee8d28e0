/**
 * What a client reads from protected resources and authorization servers: challenges, metadata, tokens and errors; and the
 * JWTs that it signs for them.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9728 (protected resources), 8414 (authorization servers), 7523 (JWTs), 9449 (DPoP)
 */

import type { JsonObject } from "../../base/json.ts";
import type { HttpOptions } from "./http.ts";
import { withDeadline } from "../../base/async.ts";
import { fromBase64, toBase64, toBase64Url } from "../../base/base64.ts";
import { isSecure } from "../../base/hosts.ts";
import { followRedirects, readBytes } from "../../base/responses.ts";
import { asArray, asString, compact, isObject, tryParse } from "../../base/json.ts";
import { printable, shortened } from "../../base/text.ts";
import { rootCause } from "./http.ts";
import { HttpError } from "./options.ts";

/** The largest response, in bytes, and how much of a challenge is read, in UTF-16 units. */
const MAX_BYTES = 256 * 1024, MAX_CHALLENGE = 16 * 1024;
const MAX_REDIRECTS = 3;
/** How much of a text of the server an error shows, in UTF-16 units. */
const MAX_SHOWN = 200;
const JSON_TYPE = "application/json";

/** No token could be had for a server. The status is that of the response which asked for it: 401 or 403. */
export class AuthorizationError extends HttpError {
  /** The name of the class, for logs. */
  override readonly name: string = "AuthorizationError";
  /** The error code of the authorization server, such as "access_denied". */
  readonly code: string | undefined;

  /** Takes the message, the error code and the status. */
  constructor(message: string, code?: string, status: number = 401) {
    super(message, status);
    this.code = code;
  }
}

/** The error to throw when an authorization fails. */
export function failed(problem: string, code?: string, status?: number): AuthorizationError {
  return new AuthorizationError(`Cannot authorize: ${problem}`, code, status);
}

/** A text of a server, fit for a message. */
export function shown(text: unknown): string {
  return shortened(printable(String(text)), MAX_SHOWN);
}

/** How a server is reached. */
export interface Access {
  readonly fetch: NonNullable<HttpOptions["fetch"]>;
  readonly timeoutMs: number;
  /** Whether plain http is allowed on this machine: only for servers on this machine. */
  readonly allowLoopback: boolean;
  readonly signal: AbortSignal;
  /** The key that tokens are bound to. */
  dpop?: Dpop;
}

/** A URL from outside; `what` names it in the error. Throws when it is no URL, or one that secrets must not be sent to. */
export function checkedUrl(text: unknown, what: string, allowLoopback: boolean): URL {
  const url = URL.parse(asString(text) ?? "");
  const isSafe = url && isSecure(url) && (allowLoopback || url.protocol === "https:");
  if (isSafe && url.username === "" && url.password === "") return url;
  throw failed(`${what} must be an https URL (http is for this machine only), not "${shown(text)}"`);
}

/** Sends a GET, or a POST with a body. Only a GET is redirected, within its origin. A body that is no JSON object is undefined. */
export async function send(
  { fetch, timeoutMs, signal }: Access,
  url: URL,
  body?: URLSearchParams | JsonObject,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly headers: Headers; readonly body: JsonObject | undefined }> {
  const fail = (problem: string) => failed(`${url.origin} ${problem}`);
  const isForm = body instanceof URLSearchParams;
  const type = isForm ? "application/x-www-form-urlencoded" : JSON_TYPE;
  const init = {
    method: body ? "POST" : "GET",
    headers: { Accept: JSON_TYPE, ...body && { "Content-Type": type }, ...headers },
    body: isForm ? `${body}` : body ? JSON.stringify(body) : null,
  };
  return await withDeadline(timeoutMs, fail(`did not answer in ${timeoutMs} ms`), signal, async (signal) => {
    const ask = (to: URL) => fetch(to.href, { ...init, redirect: "manual", signal });
    try {
      const response = await followRedirects(url, ask, ({ target, hops }) => {
        if (!body && target?.origin === url.origin && hops < MAX_REDIRECTS) return target;
        throw fail("redirects elsewhere, which is not followed");
      });
      const bytes = await readBytes(response, MAX_BYTES, signal);
      if (!bytes) throw fail(`answered with more than ${MAX_BYTES} bytes`);
      const value = tryParse(new TextDecoder().decode(bytes));
      const { status, headers } = response;
      return { status, headers, body: isObject(value) ? value : undefined };
    } catch (cause) {
      signal.throwIfAborted();
      if (cause instanceof AuthorizationError) throw cause;
      throw fail(`cannot be reached: ${shown(rootCause(cause))}`);
    }
  });
}

/** What a response says of the authorization that it needs: the scheme in lower case, and its parameters. */
export type Challenge = Readonly<Partial<Record<string, string>>>;

/** Reads `WWW-Authenticate`: its first DPoP challenge, or else its first Bearer challenge; {} when it has neither. */
export function readChallenge(field: string | null): Challenge {
  const part = /([\w!#$%&'*+.^`|~-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+)))?/g;
  const challenges: Record<string, string>[] = [];
  for (const [, name, text, token] of (field ?? "").slice(0, MAX_CHALLENGE).matchAll(part)) {
    const value = text?.replace(/\\(.)/g, "$1") ?? token;
    const key = name!.toLowerCase();
    if (value === undefined) challenges.push(Object.assign(Object.create(null), { scheme: key }));
    else if (challenges.length > 0 && key !== "scheme") challenges.at(-1)![key] ??= value;
  }
  const of = (scheme: string) => challenges.find((challenge) => challenge["scheme"] === scheme);
  return of("dpop") ?? of("bearer") ?? {};
}

export function scopesOf(text: unknown): readonly string[] {
  return (asString(text) ?? "").split(" ").filter((scope) => scope !== "");
}

/** An authorization server, and how it is reached. */
export interface Authority extends Access {
  readonly metadata: JsonObject;
}

/** What protects a resource. */
export interface Protection extends Authority {
  /** The resource, exactly as it is published. */
  readonly resource: string;
  readonly issuer: string;
  readonly scopes: readonly string[];
  readonly needsDpop: boolean;
}

/** The URL of one of the endpoints: "token". */
export function endpointOf({ metadata, allowLoopback }: Authority, name: string): URL {
  return checkedUrl(metadata[`${name}_endpoint`], `the ${name} endpoint`, allowLoopback);
}

/** Whether a resource identifier covers a URL: the same origin, and a path that is the same or below. */
export function covers(resource: string, { origin, pathname }: URL): boolean {
  const url = URL.parse(resource);
  if (!url || url.origin !== origin || url.hash !== "" || url.username !== "") return false;
  return `${pathname}/`.startsWith(url.pathname.replace(/\/?$/, "/"));
}

/**
 * Finds out what protects a server. Without metadata of the resource, the authorization server is that of 2025-03-26: at the
 * origin of the server, with endpoints of fixed paths where it has no metadata either.
 *
 * @param wanted The issuer to prefer when the resource names several.
 */
export async function discover(
  access: Access,
  server: URL,
  challenge: Challenge,
  wanted: string | undefined,
): Promise<Protection> {
  const { resource_metadata: named } = challenge;
  const path = server.pathname === "/" ? "" : server.pathname;
  const places = named === undefined
    ? Array.from(new Set([path, ""]), (end) => new URL(`/.well-known/oauth-protected-resource${end}`, server))
    : [checkedUrl(named, "the address of the resource metadata", access.allowLoopback)];
  const found = await firstDocument(access, places);
  if (!found && named !== undefined) {
    throw failed(`there is no resource metadata at ${places[0]!.origin}, which the server names`);
  }
  if (!found) {
    const issuer = server.origin, resource = server.href === `${issuer}/` ? issuer : server.href;
    const metadata = await serverMetadata(access, issuer) ?? {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      registration_endpoint: `${issuer}/register`,
      code_challenge_methods_supported: ["S256"],
    };
    return { ...access, resource, issuer, scopes: [], needsDpop: false, metadata };
  }
  const { resource, authorization_servers: issuers, scopes_supported: scopes } = found;
  if (typeof resource !== "string" || !covers(resource, server)) {
    throw failed(`the server at ${server.origin} says that it is the resource "${shown(resource)}"`);
  }
  const known = asArray(issuers).filter((one) => typeof one === "string");
  const issuer = known.find((one) => one === wanted) ?? known[0];
  if (issuer === undefined) throw failed("the resource metadata names no authorization server");
  checkedUrl(issuer, "the issuer", access.allowLoopback);
  const metadata = await serverMetadata(access, issuer);
  if (!metadata) throw failed(`"${shown(issuer)}" publishes no metadata of an authorization server`);
  return {
    ...access,
    resource,
    issuer,
    scopes: asArray(scopes).filter((one) => typeof one === "string"),
    needsDpop: found["dpop_bound_access_tokens_required"] === true,
    metadata,
  };
}

/** The metadata of an authorization server, from the first place where it is published (RFC 8414, OpenID Connect Discovery). */
async function serverMetadata(access: Access, issuer: string): Promise<JsonObject | undefined> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  const places = ["oauth-authorization-server", "openid-configuration"].map((name) =>
    new URL(`${origin}/.well-known/${name}${path}`)
  );
  if (path !== "") places.push(new URL(`${origin}${path}/.well-known/openid-configuration`));
  const found = await firstDocument(access, places);
  if (!found || found["issuer"] === issuer) return found;
  throw failed(`the metadata of "${shown(issuer)}" is that of another issuer, "${shown(found["issuer"])}"`);
}

/** The first document that there is; undefined when there is none. Throws when a server fails otherwise. */
async function firstDocument(access: Access, places: readonly URL[]): Promise<JsonObject | undefined> {
  for (const place of places) {
    const { status, body } = await send(access, place);
    if (status === 200 && body) return body;
    if (status >= 500) throw failed(`${place.origin} answered with the status ${status} for its metadata`);
  }
  return undefined;
}

/** A client as an authorization server knows it. */
export interface Registration {
  /** The `client_id`. */
  readonly id: string;
  /** The `client_secret`. */
  readonly secret?: string | undefined;
  /** A private key in place of a secret (`private_key_jwt`): PKCS #8 in PEM, or a JWK. */
  readonly key?: string | JsonWebKey | undefined;
  /** The algorithm of the key: ES256, ES384, RS256, PS256 or EdDSA. @default {"ES256"} */
  readonly algorithm?: string | undefined;
  /** The `kid` of the key. @default {none} */
  readonly keyId?: string | undefined;
  /** How it authenticates at the token endpoint. @default {what it has, and the server supports} */
  readonly authMethod?: string | undefined;
}

/** Adds the authentication of a client to a form, and returns the header fields that belong to it. */
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
    const jwt = await signJwt(await importKey(key, algorithm), algorithm, { typ: "JWT", kid: keyId }, claims);
    form.set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
    form.set("client_assertion", jwt);
  } else if (secret !== undefined && method !== "none") form.set("client_secret", secret);
  return {};
}

const SIGNING: ReadonlyMap<string, { readonly name: string; readonly [option: string]: unknown }> = new Map([
  ["ES256", { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" }],
  ["ES384", { name: "ECDSA", namedCurve: "P-384", hash: "SHA-384" }],
  ["RS256", { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" }],
  ["PS256", { name: "RSA-PSS", hash: "SHA-256", saltLength: 32 }],
  ["EdDSA", { name: "Ed25519" }],
]);
const JWT_SECONDS = 300;

/** Signs a JWT with these members of the header and claims, and with those that every one has. */
async function signJwt(key: CryptoKey, alg: string, header: JsonObject, claims: JsonObject): Promise<string> {
  const encode = (value: JsonObject) => toBase64Url(new TextEncoder().encode(JSON.stringify(value)));
  const iat = Math.floor(Date.now() / 1000);
  const times = { iat, exp: iat + JWT_SECONDS, jti: crypto.randomUUID() };
  const text = `${encode({ alg, ...header })}.${encode({ ...times, ...claims })}`;
  const signature = await crypto.subtle.sign(SIGNING.get(alg)!, key, new TextEncoder().encode(text));
  return `${text}.${toBase64Url(new Uint8Array(signature))}`;
}

/** Imports a key for signing. Throws an `AuthorizationError`, which does not show the key. */
async function importKey(key: string | JsonWebKey, alg: string): Promise<CryptoKey> {
  const algorithm = SIGNING.get(alg);
  const fail = (problem: string) => new AuthorizationError(`Cannot sign with the ${problem}`);
  if (!algorithm) {
    throw fail(`algorithm "${shown(alg)}": it must be one of ${[...SIGNING.keys()].join(", ")}`);
  }
  try {
    if (typeof key !== "string") return await crypto.subtle.importKey("jwk", key, algorithm, false, ["sign"]);
    const pkcs8 = fromBase64(key.replace(/-----[^-]*-----|\s/g, ""))!;
    return await crypto.subtle.importKey("pkcs8", pkcs8, algorithm, false, ["sign"]);
  } catch {
    throw fail(`key of the client: it must be PKCS #8 in PEM or a JWK, for the algorithm ${alg}`);
  }
}

/** Proves that this client has the key that its tokens are bound to (RFC 9449). The key never leaves the memory. */
export interface Dpop {
  /** The thumbprint of the key (RFC 7638). */
  readonly thumbprint: string;
  /** A proof for one request, and for a token where one is sent with it. */
  prove(method: string, url: URL, token?: string): Promise<string>;
  /** Remembers the nonce that a response asks for. Returns whether it is a new one. */
  renew(url: URL, headers: Headers): boolean;
}

/** Makes a new key. */
export async function createDpop(): Promise<Dpop> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const { publicKey, privateKey } = await crypto.subtle.generateKey(algorithm, false, ["sign", "verify"]);
  const { crv, kty, x, y } = await crypto.subtle.exportKey("jwk", publicKey);
  const jwk = { crv, kty, x, y };
  /** What each server wants in the next proof, by origin. */
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

/** The SHA-256 of a text, in Base64 for URLs. */
export async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return toBase64Url(new Uint8Array(bytes));
}

/** Sends a token request, and returns the body of the answer. Throws with what the server says when it gives no token. */
export async function requestToken(
  authority: Authority,
  client: Registration,
  parameters: Readonly<Record<string, string | undefined>>,
): Promise<JsonObject> {
  const { dpop, metadata } = authority;
  const form = new URLSearchParams(compact(parameters) as Record<string, string>);
  const url = endpointOf(authority, "token");
  for (let isFirst = true;; isFirst = false) {
    const fields = await authenticate(client, metadata, form);
    const headers = dpop ? { ...fields, DPoP: await dpop.prove("POST", url) } : fields;
    const answer = await send(authority, url, form, headers);
    const { status, body = {} } = answer;
    const isRenewed = dpop?.renew(url, answer.headers) ?? false;
    if (status === 400 && body["error"] === "use_dpop_nonce" && isRenewed && isFirst) continue;
    if (status === 200 && body["error"] === undefined) return body;
    throw refused(`${url.origin} gives no token`, body, status);
  }
}

/** The error to throw when an authorization server refuses something: with its own words, or else the status. */
export function refused(what: string, said: JsonObject, status?: number): AuthorizationError {
  const { error, error_description: description } = said;
  const code = asString(error);
  const reason = code === undefined
    ? `status ${status}`
    : [code, asString(description)].filter(Boolean).map(shown).join(": ");
  return failed(`${what} (${reason})`, code);
}
