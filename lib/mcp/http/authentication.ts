/** Authentication, before a body is read. @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization */

import type { Awaitable } from "../../base/async.ts";
import type { Fields } from "../../platform/http.ts";
import type { HttpOptions } from "./listen.ts";
import type { Share } from "./shares.ts";
import { textHash } from "../../base/bytes.ts";
import { compact } from "../../base/json.ts";
import { HttpError } from "./checks.ts";

/** What `authenticate` sees of a request. */
export interface Credentials {
  /** "POST", "GET" or "DELETE". */
  readonly method: string;
  /** The address of the client, if known: "127.0.0.1:51820". */
  readonly remoteAddress: string | undefined;
  /** Reads a header field by its name in lower case. */
  header(name: string): string | undefined;
}

/** An authenticated client. Handlers see it as `authentication` of the message context. */
export interface Authenticated {
  /** Its name, the same in every request: sessions and limits belong to it. */
  readonly principal: string;
  /** What its credential allows; see `requiredScopes`, and `scopes` of the server. @default {none} */
  readonly scopes?: readonly string[];
  /** When its credential ends, in milliseconds since 1970: notification streams end then. @default {never} */
  readonly expiresAt?: number;
  /** Anything else, for handlers. */
  readonly claims?: unknown;
}

/** Why a request is not authenticated. */
export interface Challenge {
  /** 401 for missing or wrong credentials, 403 for insufficient ones. */
  readonly status: 401 | 403;
  /** The error code of RFC 6750. */
  readonly error?: "invalid_request" | "invalid_token" | "insufficient_scope";
  /** The required scopes, separated by spaces. */
  readonly scope?: string;
  /** Why, for the log of the operator only. */
  readonly reason?: string;
}

/** Authenticates a request. */
export type Authenticate = (credentials: Credentials) => Awaitable<Authenticated | Challenge>;

/** The minimum length of a token, so that it cannot be guessed. */
const MIN_TOKEN_LENGTH = 16;
/** The syntax of a token (RFC 6750, section 2.1); clients cannot send any other. */
const TOKEN = /^[\w.~+/-]+=*$/;

/**
 * Accepts bearer tokens from a list, comparing them in constant time.
 *
 * @param tokens By the name of the principal; in an array, the principals are "token 1", "token 2" and so on.
 * @param scopes Those of the principals, by name. @default {none}
 * @throws {RangeError} When there is no token, two principals have the same one, or one is shorter than 16 characters, or has
 * characters other than letters, digits, `. _ ~ + / -`, and `=` at the end.
 *
 * @example
 * ```ts
 * import { bearerToken } from "@architrave/architrave/http";
 *
 * const authenticate = bearerToken({ tokens: { ci: "a-long-random-secret" }, scopes: { ci: ["docs"] } });
 * ```
 */
export function bearerToken(
  { tokens, scopes = {} }: {
    readonly tokens: readonly string[] | Readonly<Record<string, string>>;
    readonly scopes?: Readonly<Record<string, readonly string[]>>;
  },
): Authenticate {
  const known: readonly (readonly [string, string])[] = Array.isArray(tokens)
    ? tokens.map((token, index) => [`token ${index + 1}`, token])
    : Object.entries(tokens);
  if (known.length === 0) throw new RangeError("Cannot check tokens: there are none");
  const owners = new Map<string, string>();
  for (const [name, token] of known) {
    const owner = owners.get(token);
    owners.set(token, name);
    const isShort = token.length < MIN_TOKEN_LENGTH;
    if (!isShort && TOKEN.test(token) && owner === undefined) continue;
    // The message never quotes the token, because it ends up in logs.
    const problem = isShort
      ? `it has ${token.length} characters, and needs ${MIN_TOKEN_LENGTH} random ones`
      : owner !== undefined
      ? `"${owner}" has the same one, and each needs its own`
      : "it has characters that clients cannot send; use letters, digits and . _ ~ + / -, and = at the end";
    throw new RangeError(`Cannot use the token of "${name}": ${problem}`);
  }
  return ({ header }) => {
    const given = bearerOf(header);
    if (given === undefined) return { status: 401 };
    let principal: string | undefined;
    // All tokens are compared, so that the time does not depend on which one matches.
    for (const [name, token] of known) if (isEqual(given, token)) principal = name;
    return principal === undefined
      ? { status: 401, error: "invalid_token" }
      : { principal, scopes: Object.hasOwn(scopes, principal) ? scopes[principal]! : [] };
  };
}

/** The bearer token of a request; undefined when it has none. */
export function bearerOf(header: Credentials["header"]): string | undefined {
  return /^Bearer +([\w.~+/-]+=*)$/i.exec(header("authorization") ?? "")?.[1];
}

/** Authenticators of signed credentials, which cannot be guessed: they are checked even after too many failures. */
export const unguessable: WeakSet<Authenticate> = new WeakSet();

/** How long wrong credentials are counted, in milliseconds, and how many accepted ones are remembered. */
const WINDOW_MS = 60_000, MAX_REMEMBERED = 10_000;

/**
 * Makes the check of credentials: they must be accepted, must not have expired, and must have the required scopes. An address
 * that has sent too many wrong ones must wait, except with those that were accepted before: a proxy gives many clients one address.
 *
 * @param onfailed Receives what failed, for the operator: "a wrong credential from 127.0.0.1".
 * @returns A function that throws an `HttpError`, which tells the client how to authenticate; undefined without `authenticate`.
 */
export function createAuthenticator(
  { authenticate, requiredScopes = [], maxFailures = 60 }: HttpOptions,
  metadataUrl: string | undefined,
  onfailed: (text: string) => void,
): ((credentials: Credentials, address: Share) => Promise<Authenticated>) | undefined {
  if (!authenticate) return undefined;
  /** The hashes of accepted credentials. A wrong one with the same hash gains no more than to be checked. */
  const accepted = new Set<string>();
  const required = requiredScopes.length > 0 ? { scope: requiredScopes.join(" ") } : {};
  return async (credentials, address) => {
    const given = credentials.header("authorization");
    // Without the scheme and spaces: by varying them, one client could displace the credentials of others.
    const hash = given && textHash(given.replace(/^\S+\s+/, ""));
    const now = Date.now();
    if (address.failures.until <= now) address.failures = { count: 0, until: now + WINDOW_MS };
    const { failures: { count, until }, name } = address, isBlocked = count >= maxFailures;
    const refuse = (challenge: Challenge): never => {
      if (!isBlocked || !hash || challenge.status === 403) throw challengeError(challenge, metadataUrl);
      const reason = "Too many wrong credentials from this address: try again later";
      throw new HttpError(429, reason, { retryAfter: Math.ceil((until - now) / 1000) });
    };
    if (isBlocked && hash && !accepted.has(hash) && !unguessable.has(authenticate)) {
      onfailed(`to check a credential from ${name}, which has sent ${count} wrong ones`);
      return refuse({ status: 401 });
    }
    const found = await authenticate(credentials);
    if ("principal" in found && (found.expiresAt ?? Infinity) > now) {
      if (hash) accepted.add(hash);
      const [oldest] = accepted;
      if (accepted.size > MAX_REMEMBERED) accepted.delete(oldest!);
      if (requiredScopes.every((one) => found.scopes?.includes(one))) return found;
      return refuse({ status: 403, error: "insufficient_scope", ...required });
    }
    const challenge: Challenge = "principal" in found ? { status: 401, error: "invalid_token" } : found;
    if (hash && challenge.status === 401) {
      address.failures.count++;
      const { reason } = challenge;
      onfailed(`a wrong credential from ${name}${reason === undefined ? "" : `: ${reason}`}`);
    }
    return refuse(challenge.status === 401 ? { ...required, ...challenge } : challenge);
  };
}

/** Compares in a time that depends only on the length of the given text. */
function isEqual(given: string, token: string): boolean {
  let difference = given.length ^ token.length;
  for (let index = 0; index < given.length; index++) {
    difference |= given.charCodeAt(index) ^ token.charCodeAt(index % token.length);
  }
  return difference === 0;
}

function challengeError(challenge: Challenge, metadataUrl: string | undefined): HttpError {
  const { status, scope } = challenge;
  const needed = scope === undefined ? "a wider scope" : `the scope ${scope}`;
  const message = status === 403
    ? `Insufficient scope: request credentials with ${needed}`
    : "Authentication required: send a bearer token that this server knows in the field Authorization";
  return new HttpError(status, message, { fields: challengeFields(challenge, metadataUrl) });
}

/** The header field that tells a client which credential it needs, and where to get it. */
export function challengeFields({ error, scope }: Partial<Challenge>, metadataUrl?: string): Fields {
  const parameters = Object.entries(compact({ error, scope, resource_metadata: metadataUrl }))
    .map(([name, value]) => `${name}="${value!.replaceAll(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, "")}"`);
  return { "www-authenticate": `Bearer ${parameters.join(", ")}`.trim() };
}

const WELL_KNOWN = "/.well-known/oauth-protected-resource";

/** The protected resource metadata of RFC 9728; further members are passed on. */
export interface ResourceMetadata {
  /** The URL of the endpoint for clients: "https://docs.example.com/mcp". */
  readonly resource: string;
  /** The URLs of its authorization servers, at least one. */
  readonly authorization_servers: readonly string[];
  /** The scopes that can be requested. */
  readonly scopes_supported?: readonly string[];
  /** Any other member of RFC 9728. */
  readonly [member: string]: unknown;
}

/** The metadata as a JSON document, and where clients look for it. @throws {TypeError} When a required member is missing. */
export function metadataDocument(
  metadata: ResourceMetadata,
): { readonly url: string; readonly paths: ReadonlySet<string>; readonly body: string } {
  const url = URL.parse(metadata.resource);
  if (!url || url.hash !== "" || metadata.authorization_servers.length === 0) {
    throw new TypeError("Resource metadata needs a URL without fragment, and an authorization server");
  }
  const path = `${WELL_KNOWN}${url.pathname === "/" ? "" : url.pathname}`;
  return {
    url: `${url.origin}${path}${url.search}`,
    paths: new Set([path, WELL_KNOWN]),
    body: JSON.stringify({ bearer_methods_supported: ["header"], ...metadata }),
  };
}
