/** Assertions of a company's identity provider, which decides what servers the users may use. */

import type { Awaitable } from "../../base/async.ts";
import type { AuthorizationOptions } from "./authorization_options.ts";
import type { Registration } from "./token_request.ts";
import { failed } from "./authorization_errors.ts";
import { DEFAULT_TIMEOUT_MS } from "./authorization_server.ts";
import { GRANT_TYPE_PREFIX, requestToken } from "./token_request.ts";

/** How an ID token is exchanged for an assertion. */
export interface IdentityOptions extends Pick<AuthorizationOptions, "fetch" | "timeoutMs"> {
  /** The token endpoint of the identity provider. */
  readonly tokenEndpoint: string;
  /** The client as it is registered at the identity provider. */
  readonly client: Registration;
  /** Returns the ID token of the user, which the identity provider has issued. */
  readonly idToken: () => Awaitable<string>;
}

/**
 * The `assertion` of the extension Enterprise-Managed Authorization: exchanges the ID token of a user for an Identity Assertion
 * JWT Authorization Grant (ID-JAG).
 *
 * @throws {AuthorizationError} From the returned function: when the identity provider issues no assertion.
 */
export function identityAssertion(
  { tokenEndpoint, client, idToken, fetch: given = fetch, timeoutMs = DEFAULT_TIMEOUT_MS }: IdentityOptions,
): NonNullable<AuthorizationOptions["assertion"]> {
  return async ({ issuer, resource, scope, signal }) => {
    const form = {
      grant_type: `${GRANT_TYPE_PREFIX}token-exchange`,
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
    throw failed("the identity provider issued no assertion");
  };
}
