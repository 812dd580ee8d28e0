/** How a client is authorized, how its user signs in, and which tokens are stored. */

import type { Awaitable } from "../../base/async.ts";
import type { HttpOptions } from "./http.ts";
import type { Registration } from "./token_request.ts";

/** How a client is authorized. */
export interface AuthorizationOptions {
  /** Begins the sign-in of a user. Without it there must be an `assertion`, or a `client` with a secret or a key. */
  readonly login?: (signal: AbortSignal) => Awaitable<Login>;
  /**
   * A client that is registered already. Without `issuer`, it belongs to the first authorization server that is used; if it has a
   * secret, `confirmIssuer` has to confirm that server.
   */
  readonly client?: Registration & { readonly issuer?: string | undefined } | undefined;
  /** Asks the user whether the secret of `client` may be sent to an issuer, which the server has named. @default {it may not} */
  readonly confirmIssuer?: (issuer: string) => Awaitable<boolean>;
  /** The https URL of the client's metadata document. It is the client's id if the authorization server supports that. */
  readonly clientMetadataUrl?: string;
  /** The name of a client that registers itself, as the user sees it. @default {"MCP client"} */
  readonly clientName?: string;
  /** Scopes that are always requested, separated by spaces. @default {those that the server requires} */
  readonly scope?: string | undefined;
  /**
   * Returns a JWT that is exchanged for a token (RFC 7523). It identifies this program (extension Workload Identity
   * Federation), or a user: see `identityAssertion` (extension Enterprise-Managed Authorization).
   */
  readonly assertion?: (request: AssertionRequest) => Awaitable<string>;
  /** Whether tokens are bound to a key (extension DPoP). @default {if the server requires it} */
  readonly dpop?: boolean;
  /** Stores registrations and tokens. @default {the memory of this process} */
  readonly store?: TokenStore;
  /** Sends all requests. @default {the `fetch` of the runtime} */
  readonly fetch?: HttpOptions["fetch"];
  /** The timeout of one request to an authorization server, in milliseconds. @default {30000} */
  readonly timeoutMs?: number;
  /** The timeout of a whole authorization, including the sign-in, in milliseconds. @default {300000} */
  readonly loginTimeoutMs?: number;
}

/** One sign-in of a user. */
export interface Login {
  /** The URL to which the authorization server redirects the user. */
  readonly redirectUri: string;
  /** Shows the URL to the user. Returns the URL of the redirect, with all its parameters. */
  open(url: URL): Awaitable<string | URL>;
  /** Called when the sign-in is over, even if it failed. */
  close?(): void;
}

/** What an assertion is requested for. */
export interface AssertionRequest {
  /** The authorization server. */
  readonly issuer: string;
  /** The resource that the token is for. */
  readonly resource: string;
  /** The required scopes, separated by spaces; undefined if no particular ones are required. */
  readonly scope: string | undefined;
  /** Aborted when the authorization takes too long. */
  readonly signal: AbortSignal;
}

/** Stores authorizations by the URL of the server. The values are JSON and are secret. */
export interface TokenStore {
  /** Returns the stored authorization of a server. */
  get(server: string): Awaitable<StoredAuthorization | undefined>;
  /** Stores the authorization of a server, and replaces an earlier one. */
  set(server: string, value: StoredAuthorization): Awaitable<void>;
}

/** A registration and tokens. They are never used with another issuer or for another resource. */
export interface StoredAuthorization {
  /** The authorization server. */
  readonly issuer: string;
  /** The resource that the tokens are for. */
  readonly resource: string;
  /** The client, if it has registered itself, and its registered redirect URI. */
  readonly client?: Registration & { readonly redirectUri: string };
  /** The tokens, with the requested scopes. */
  readonly tokens?: Tokens;
}

/** Tokens of one authorization server for one resource. */
export interface Tokens {
  /** The access token. */
  readonly access: string;
  /** The refresh token. */
  readonly refresh?: string | undefined;
  /** The requested scopes. */
  readonly scopes: readonly string[];
  /** The thumbprint of the key that they are bound to. */
  readonly key?: string | undefined;
}
