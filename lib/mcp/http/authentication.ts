/**
 * The types of authentication, which happens before the body is read, and the challenge of a response.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 */

import type { Awaitable } from "../../base/async.ts";
import type { HeaderFields } from "../../platform/http.ts";
import { compact } from "../../base/json.ts";

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
  /** Its name, the same in every request. Sessions and limits belong to it. */
  readonly principal: string;
  /** What its credential allows; see `requiredScopes`, and `scopes` of the server. @default {none} */
  readonly scopes?: readonly string[];
  /** When its credential expires, in milliseconds since 1970. Notification streams end then. @default {never} */
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
  /** The reason, only for the log of the operator. */
  readonly reason?: string;
}

/** Authenticates a request. */
export type Authenticate = (credentials: Credentials) => Awaitable<Authenticated | Challenge>;

/** Authenticators of signed credentials. These cannot be guessed, so they are checked even after too many failures. */
export const unguessable: WeakSet<Authenticate> = new WeakSet();

/** The header field that tells a client which credential it needs and where to get it. */
export function challengeFields({ error, scope }: Partial<Challenge>, metadataUrl?: string): HeaderFields {
  const parameters = Object.entries(compact({ error, scope, resource_metadata: metadataUrl }))
    .map(([name, value]) => `${name}="${value!.replaceAll(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, "")}"`);
  return { "www-authenticate": `Bearer ${parameters.join(", ")}`.trim() };
}
