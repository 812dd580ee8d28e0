/** How a client is authorized, how its user signs in, and what is kept of that. */

import type { Awaitable } from "../../base/async.ts";
import type { HttpOptions } from "./http.ts";
import type { Registration } from "./token_request.ts";

/** How a client is authorized. */
export interface AuthorizationOptions {
  /** Begins to sign a user in. Without it, no user takes part: `client` has a secret or a key, or there is an `assertion`. */
  readonly login?: (signal: AbortSignal) => Awaitable<Login>;
  /** A client that was registered before. Without `issuer`, it belongs to the first authorization server that is met. */
  readonly client?: Registration & { readonly issuer?: string | undefined } | undefined;
  /** The https URL of the client's metadata document, which is its id where the authorization server supports that. */
  readonly clientMetadataUrl?: string;
  /** What the user sees of a client that registers itself. @default {"MCP client"} */
  readonly clientName?: string;
  /** Scopes to ask for in any case, with spaces between them. @default {those that the server asks for} */
  readonly scope?: string | undefined;
  /**
   * Returns a JWT that is exchanged for a token (RFC 7523): that of this program (extension Workload Identity Federation), or
   * what `identityAssertion` returns (extension Enterprise-Managed Authorization).
   */
  readonly assertion?: (request: AssertionRequest) => Awaitable<string>;
  /** Whether tokens are bound to a key (extension DPoP). @default {when the server asks for it} */
  readonly dpop?: boolean;
  /** Keeps registrations and tokens. @default {this memory} */
  readonly store?: TokenStore;
  /** Sends all requests. @default {the `fetch` of the runtime} */
  readonly fetch?: HttpOptions["fetch"];
  /** How long one request to an authorization server may take, in milliseconds. @default {30000} */
  readonly timeoutMs?: number;
  /** How long an authorization may take in all, with the user, in milliseconds. @default {300000} */
  readonly loginTimeoutMs?: number;
}

/** One sign-in of a user. */
export interface Login {
  /** Where the authorization server sends the user back to. */
  readonly redirectUri: string;
  /** Shows the URL to the user. Returns the URL that the user was sent back to, with all its parameters. */
  open(url: URL): Awaitable<string | URL>;
  /** Called when the sign-in is over, whether it succeeded or failed. */
  close?(): void;
}

/** What an assertion is for. */
export interface AssertionRequest {
  /** The authorization server. */
  readonly issuer: string;
  /** The resource that the token is for. */
  readonly resource: string;
  /** The scopes that are needed, with spaces between them; undefined for none in particular. */
  readonly scope: string | undefined;
  /** Aborted when it takes too long. */
  readonly signal: AbortSignal;
}

/** Keeps what was authorized, by the URL of the server. The values are JSON, and secret. */
export interface TokenStore {
  /** Returns what was set last. */
  get(server: string): Awaitable<StoredAuthorization | undefined>;
  /** Replaces it. */
  set(server: string, value: StoredAuthorization): Awaitable<void>;
}

/** A registration and tokens. They are never used with another issuer or for another resource. */
export interface StoredAuthorization {
  /** The authorization server. */
  readonly issuer: string;
  /** What the tokens are for. */
  readonly resource: string;
  /** The client, if it has registered itself, and the redirect URI that it has registered. */
  readonly client?: Registration & { readonly redirectUri: string };
  /** The tokens, with the scopes that were asked for. */
  readonly tokens?: Tokens;
}

/** Tokens of one authorization server for one resource. */
export interface Tokens {
  /** The access token. */
  readonly access: string;
  /** The refresh token. */
  readonly refresh?: string | undefined;
  /** The scopes that were asked for. */
  readonly scopes: readonly string[];
  /** The thumbprint of the key that they are bound to. */
  readonly key?: string | undefined;
}
