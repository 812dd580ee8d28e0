/** Assertions of an identity provider, for a company that decides which servers its users may reach. */

import type { Awaitable } from "../../base/async.ts";
import type { AuthorizationOptions } from "./authorization_options.ts";
import type { Registration } from "./token_request.ts";
import { failed } from "./authorization_errors.ts";
import { DEFAULT_TIMEOUT_MS } from "./authorization_server.ts";
import { GRANT_TYPES, requestToken } from "./token_request.ts";

/** Where an ID token is exchanged for an assertion. */
export interface IdentityOptions extends Pick<AuthorizationOptions, "fetch" | "timeoutMs"> {
  /** The token endpoint of the identity provider. */
  readonly tokenEndpoint: string;
  /** The client, as the identity provider knows it. */
  readonly client: Registration;
  /** Returns the ID token that the user has got from the identity provider. */
  readonly idToken: () => Awaitable<string>;
}

/**
 * The `assertion` of the extension Enterprise-Managed Authorization: exchanges the ID token of a user for an Identity Assertion
 * JWT Authorization Grant (ID-JAG).
 *
 * @throws {AuthorizationError} From requests: when the identity provider gives none.
 */
export function identityAssertion(
  { tokenEndpoint, client, idToken, fetch: given = fetch, timeoutMs = DEFAULT_TIMEOUT_MS }: IdentityOptions,
): NonNullable<AuthorizationOptions["assertion"]> {
  return async ({ issuer, resource, scope, signal }) => {
    const form = {
      grant_type: `${GRANT_TYPES}token-exchange`,
      requested_token_type: "urn:ietf:params:oauth:token-type:id-jag",
      subject_token: await idToken(),
      subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
      audience: issuer,
      resource,
      scope,
    };
    const metadata = { issuer: tokenEndpoint, token_endpoint: tokenEndpoint };
    const provider = { fetch: given, timeoutMs, allowLoopback: true, signal, metadata };
    const { access_token: assertion } = await requestToken(provider, client, form);
    if (typeof assertion === "string") return assertion;
    throw failed("the identity provider gives no assertion");
  };
}
