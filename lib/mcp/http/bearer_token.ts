/** Bearer tokens (RFC 6750): reads the token of a request, and checks it against a list. */

import type { Authenticate, Credentials } from "./authentication.ts";

/** The minimum length of a token; shorter ones could be guessed. */
const MIN_TOKEN_LENGTH = 16;
/** The syntax of a token (RFC 6750, section 2.1); clients cannot send any other. */
const TOKEN = /^[\w.~+/-]+=*$/;

/**
 * Accepts bearer tokens from a list, comparing them in constant time.
 *
 * @param tokens The tokens by principal; in an array, the principals are "token 1", "token 2" and so on.
 * @param scopes The scopes by principal. @default {none}
 * @throws {RangeError} When there is no token, two principals have the same token, or a token is shorter than 16 characters or
 * has characters other than letters, digits, `. _ ~ + / -`, and `=` at the end; a `TypeError` when a token is not a string.
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
    : Object.entries(typeof tokens === "object" ? tokens : {});
  if (known.length === 0) throw new RangeError("Cannot check tokens: give at least one");
  const owners = new Map<string, string>();
  for (const [name, token] of known) {
    if (typeof token !== "string") {
      const what = token === undefined ? "undefined" : "not a string";
      throw new TypeError(`Cannot use the token of "${name}": it is ${what}`);
    }
    const owner = owners.get(token);
    owners.set(token, name);
    const isShort = token.length < MIN_TOKEN_LENGTH;
    if (!isShort && TOKEN.test(token) && owner === undefined) continue;
    // The message does not quote the token, because messages end up in logs.
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

/** The bearer token of a request; undefined without one. */
export function bearerOf(header: Credentials["header"]): string | undefined {
  return /^Bearer +([\w.~+/-]+=*)$/i.exec(header("authorization") ?? "")?.[1];
}

/** Compares two texts in a time that depends only on the length of the given one. */
function isEqual(given: string, token: string): boolean {
  let difference = given.length ^ token.length;
  for (let index = 0; index < given.length; index++) {
    difference |= given.charCodeAt(index) ^ token.charCodeAt(index % token.length);
  }
  return difference === 0;
}
