/**
 * Authorization of a client over HTTP: OAuth 2.1 as MCP requires it. `authorizedFetch` is used as the `fetch` of `httpTransport`.
 *
 * @module
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization
 */

export type { Awaitable } from "../../base/async.ts";
export type { AssertionRequest, AuthorizationOptions, Login } from "./authorization_options.ts";
export type { StoredAuthorization, Tokens, TokenStore } from "./authorization_options.ts";
export type { HttpOptions } from "./http.ts";
export type { IdentityOptions } from "./identity_assertion.ts";
export type { Jwk } from "./signed_jwt.ts";
export type { Registration } from "./token_request.ts";
export { AuthorizationError } from "./authorization_errors.ts";
export { authorizedFetch } from "./authorized_fetch.ts";
export { ClientError, HttpStatusError as HttpError } from "./errors.ts";
export { identityAssertion } from "./identity_assertion.ts";
export { loopbackLogin } from "./loopback_login.ts";
