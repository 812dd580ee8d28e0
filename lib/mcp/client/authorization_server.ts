/**
 * Requests to authorization servers, and the discovery of the one that protects a resource.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9728 (protected resources)
 * @see https://www.rfc-editor.org/rfc/rfc8414 (authorization servers)
 */

import type { JsonObject } from "../../base/json.ts";
import type { AuthorizationChallenge } from "./challenge.ts";
import type { Dpop } from "./dpop.ts";
import type { HttpOptions } from "./http.ts";
import { withDeadline } from "../../base/deadline.ts";
import { isSecure } from "../../base/hosts.ts";
import { asArray, asString, isObject, tryParse } from "../../base/json.ts";
import { followRedirects, readBytes } from "../../base/responses.ts";
import { AuthorizationError, failed, forMessage } from "./authorization_errors.ts";
import { rootCause } from "./http.ts";

/** The default timeout of one request to an authorization server, in milliseconds. */
export const DEFAULT_TIMEOUT_MS: number = 30_000;
/** The maximum size of a response, in bytes. */
const MAX_BYTES = 256 * 1024;
const MAX_REDIRECTS = 3;
const JSON_TYPE = "application/json";

/** How requests to an authorization server are sent. */
export interface ServerAccess {
  readonly fetch: NonNullable<HttpOptions["fetch"]>;
  readonly timeoutMs: number;
  /** Whether http is allowed for loopback addresses: only if the MCP server has one, too. */
  readonly allowLoopback: boolean;
  /** Whether a URL that a server has named may be requested. @default {all may} */
  readonly allows?: (url: URL) => Promise<boolean>;
  readonly signal: AbortSignal;
  /** The key that tokens are bound to; undefined for bearer tokens. */
  dpop?: Dpop;
}

/** Parses a URL from outside; `what` names it in the error. Throws if it is invalid, or if no secrets may be sent there. */
export function checkedUrl(text: unknown, what: string, allowLoopback: boolean): URL {
  const url = URL.parse(asString(text) ?? "");
  const isSafe = url && isSecure(url) && (allowLoopback || url.protocol === "https:");
  if (isSafe && url.username === "" && url.password === "") return url;
  throw failed(`${what} must be an https URL (http is for this machine only), not "${forMessage(text)}"`);
}

/** Checks a URL that a server has named, before it is requested or opened. */
async function named(access: ServerAccess, text: unknown, what: string): Promise<URL> {
  const url = checkedUrl(text, what, access.allowLoopback);
  if (await access.allows?.(url) ?? true) return url;
  throw failed(`${what} is in a private network, and the server is not: ${forMessage(url.host)}`);
}

/**
 * Sends a GET, or a POST if there is a body. Only a GET follows redirects, and only within its origin. If the body of the
 * response is not a JSON object, it is undefined.
 */
export async function requestJson(
  { fetch, timeoutMs, signal }: ServerAccess,
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
        throw fail("redirects elsewhere, and the redirect is not followed");
      });
      const bytes = await readBytes(response, MAX_BYTES, signal);
      if (!bytes) throw fail(`answered with more than ${MAX_BYTES} bytes`);
      const value = tryParse(new TextDecoder().decode(bytes));
      const { status, headers } = response;
      return { status, headers, body: isObject(value) ? value : undefined };
    } catch (cause) {
      signal.throwIfAborted();
      if (cause instanceof AuthorizationError) throw cause;
      throw fail(`cannot be reached: ${forMessage(rootCause(cause))}`);
    }
  });
}

/** An authorization server and its metadata. */
export interface Authority extends ServerAccess {
  readonly metadata: JsonObject;
}

/** The authorization server that protects a resource, and the requirements of that resource. */
export interface Protection extends Authority {
  /** The identifier of the resource, verbatim. */
  readonly resource: string;
  readonly issuer: string;
  readonly scopes: readonly string[];
  readonly needsDpop: boolean;
}

/** Returns the URL of an endpoint: "token". */
export function endpointOf(authority: Authority, name: string): Promise<URL> {
  return named(authority, authority.metadata[`${name}_endpoint`], `the ${name} endpoint`);
}

/** Whether a resource identifier covers a URL: they have the same origin, and the path of the URL is the same or below. */
export function covers(resource: string, { origin, pathname }: URL): boolean {
  const url = URL.parse(resource);
  if (!url || url.origin !== origin || url.hash !== "" || url.username !== "") return false;
  return `${pathname}/`.startsWith(url.pathname.replace(/\/?$/, "/"));
}

/**
 * Discovers the authorization server of an MCP server. If the MCP server publishes no metadata, the rules of 2025-03-26 apply:
 * the authorization server has the same origin, and without metadata of its own, its endpoints have fixed paths.
 *
 * @param wanted The preferred issuer, if the metadata names several.
 */
export async function discover(
  access: ServerAccess,
  server: URL,
  challenge: AuthorizationChallenge,
  wanted: string | undefined,
): Promise<Protection> {
  const { resource_metadata: address } = challenge;
  const path = server.pathname === "/" ? "" : server.pathname;
  const places = address === undefined
    ? Array.from(new Set([path, ""]), (end) => new URL(`/.well-known/oauth-protected-resource${end}`, server))
    : [await named(access, address, "the address of the resource metadata")];
  const found = await firstDocument(access, places);
  if (!found && address !== undefined) {
    throw failed(`the server refers to resource metadata at ${places[0]!.origin}, but it does not exist`);
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
    throw failed(`the server at ${server.origin} states that it is the resource "${forMessage(resource)}"`);
  }
  const known = asArray(issuers).filter((one) => typeof one === "string");
  const issuer = known.find((one) => one === wanted) ?? known[0];
  if (issuer === undefined) throw failed("the resource metadata names no authorization server");
  await named(access, issuer, "the issuer");
  const metadata = await serverMetadata(access, issuer);
  if (!metadata) throw failed(`"${forMessage(issuer)}" publishes no metadata of an authorization server`);
  return {
    ...access,
    resource,
    issuer,
    scopes: asArray(scopes).filter((one) => typeof one === "string"),
    needsDpop: found["dpop_bound_access_tokens_required"] === true,
    metadata,
  };
}

/** Fetches the metadata of an authorization server from the first URL that has it (RFC 8414, OpenID Connect Discovery). */
async function serverMetadata(access: ServerAccess, issuer: string): Promise<JsonObject | undefined> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  const places = ["oauth-authorization-server", "openid-configuration"].map((name) =>
    new URL(`${origin}/.well-known/${name}${path}`)
  );
  if (path !== "") places.push(new URL(`${origin}${path}/.well-known/openid-configuration`));
  const found = await firstDocument(access, places);
  if (!found || found["issuer"] === issuer) return found;
  throw failed(
    `the metadata of "${forMessage(issuer)}" is that of another issuer, "${forMessage(found["issuer"])}"`,
  );
}

/** Fetches the first document that exists; undefined if none does. Throws if a server fails with a 5xx status. */
async function firstDocument(access: ServerAccess, places: readonly URL[]): Promise<JsonObject | undefined> {
  for (const place of places) {
    const { status, body } = await requestJson(access, place);
    if (status === 200 && body) return body;
    if (status >= 500) throw failed(`${place.origin} answered with the status ${status} for its metadata`);
  }
  return undefined;
}
