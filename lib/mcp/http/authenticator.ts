/** Checks credentials, and limits how many wrong ones an address may send. */

import type { Authenticated, Challenge, Credentials } from "./authentication.ts";
import type { HttpHandlerOptions } from "./options.ts";
import type { Share } from "./shares.ts";
import { textHash } from "../../base/bytes.ts";
import { challengeFields, unguessable } from "./authentication.ts";
import { HttpError } from "./errors.ts";

/** How long wrong credentials are counted, in milliseconds. */
const WINDOW_MS = 60_000;
/** How many accepted credentials are remembered. */
const MAX_REMEMBERED = 10_000;

/**
 * Makes the check of credentials: `authenticate` must accept them, and they must be unexpired and have the required scopes. An
 * address that has sent too many wrong ones has to wait. Credentials that were accepted before are exempt, because many
 * clients may share the address of a proxy.
 *
 * @param onfailed Receives the reason of each refusal, and if it is a wrong credential, a text for the operator: "a wrong
 * credential from 127.0.0.1".
 * @returns A function that throws an `HttpError`, which tells the client how to authenticate; undefined without `authenticate`.
 */
export function createAuthenticator(
  { authenticate, requiredScopes = [], maxFailures = 60 }: HttpHandlerOptions,
  metadataUrl: string | undefined,
  onfailed: (reason: string, text?: string) => void,
): ((credentials: Credentials, address: Share) => Promise<Authenticated>) | undefined {
  if (!authenticate) return undefined;
  /** The hashes of accepted credentials. A collision of hashes only leads to a full check. */
  const accepted = new Set<string>();
  const required = requiredScopes.length > 0 ? { scope: requiredScopes.join(" ") } : {};
  return async (credentials, address) => {
    const given = credentials.header("authorization");
    // Without the scheme and spaces, because a client that varies them could push out the credentials of others.
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
      onfailed("failures", `to check a credential from ${name}, which has sent ${count} wrong ones`);
      return refuse({ status: 401 });
    }
    const found = await authenticate(credentials);
    if ("principal" in found && (found.expiresAt ?? Infinity) > now) {
      if (hash) accepted.add(hash);
      const [oldest] = accepted;
      if (accepted.size > MAX_REMEMBERED) accepted.delete(oldest!);
      if (requiredScopes.every((one) => found.scopes?.includes(one))) return found;
      onfailed("scope");
      return refuse({ status: 403, error: "insufficient_scope", ...required });
    }
    const challenge: Challenge = "principal" in found ? { status: 401, error: "invalid_token" } : found;
    if (hash && challenge.status === 401) {
      address.failures.count++;
      const { reason } = challenge;
      onfailed("credential", `a wrong credential from ${name}${reason === undefined ? "" : `: ${reason}`}`);
    } else onfailed(challenge.status === 403 ? "scope" : "no_credential");
    return refuse(challenge.status === 401 ? { ...required, ...challenge } : challenge);
  };
}

function challengeError(challenge: Challenge, metadataUrl: string | undefined): HttpError {
  const { status, scope } = challenge;
  const needed = scope === undefined ? "a wider scope" : `the scope ${scope}`;
  const message = status === 403
    ? `Insufficient scope: request credentials with ${needed}`
    : "Authentication required: send a bearer token of this server in the header field Authorization";
  return new HttpError(status, message, { fields: challengeFields(challenge, metadataUrl) });
}
