/**
 * Who is asking? Decided by a hook of whoever runs the server, before the body is read; here is what it is told, what it
 * answers, and the one hook that most need: a list of tokens.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 */

import type { Awaitable } from "../base/async.ts";
import type { Fields } from "../platform/http.ts";
import { Refusal } from "./refusal.ts";

/** What a hook gets to see of a request. */
export interface Credentials {
  /** "POST", "GET" or "DELETE". */
  readonly method: string;
  /** Who asks, where the runtime knows: "127.0.0.1:51820". */
  readonly remoteAddress: string | undefined;
  /** A field of the request by its name in lower case. */
  header(name: string): string | undefined;
}

/** Who is asking. Features see it as `authentication` of the message. */
export interface Authenticated {
  /** Names whoever it is, the same in every request: sessions and limits belong to it. */
  readonly principal: string;
  /** Whatever else is known, for the features of this server. */
  readonly claims?: unknown;
}

/** Why nobody is let in. */
export interface Challenge {
  /** 401 for credentials that are missing or wrong, 403 for those that do not reach this far. */
  readonly status: 401 | 403;
  /** As RFC 6750 names it. */
  readonly error?: "invalid_request" | "invalid_token" | "insufficient_scope";
  /** What credentials have to reach, separated by spaces. */
  readonly scope?: string;
}

/** Finds out who is asking. */
export type Authenticate = (credentials: Credentials) => Awaitable<Authenticated | Challenge>;

/** What a token has at least, in characters: what cannot be guessed. */
export const MIN_TOKEN_LENGTH = 16;

/** What a token looks like in a field (RFC 6750, section 2.1): clients cannot send another one, so it would let nobody in. */
const TOKEN = /^[\w.~+/-]+=*$/;

/**
 * Lets in whoever has one of these tokens. What it costs to refuse one tells nothing about the right ones.
 *
 * @param tokens By the name of who has it; in a list, they are named by their place in it.
 * @throws {RangeError} When there is none, or one is shorter than 16 characters, or has others than letters, digits and
 * `. _ ~ + / -`, and `=` at its end.
 *
 * @example
 * ```ts
 * import { createServer } from "@architrave/architrave";
 * import { bearerToken, createHttpHandler } from "@architrave/architrave/http";
 *
 * const server = createServer({ info: { name: "docs", version: "1.0.0" } });
 * const authenticate = bearerToken({ tokens: { ci: "a-long-random-secret" } });
 * const { fetch } = createHttpHandler(server, { authenticate, allowedHosts: ["docs.example.com"] });
 * ```
 */
export function bearerToken(
  { tokens }: { readonly tokens: readonly string[] | Readonly<Record<string, string>> },
): Authenticate {
  const known = Array.isArray(tokens)
    ? tokens.map((token, index) => [`token ${index + 1}`, token] as const)
    : Object.entries(tokens as Readonly<Record<string, string>>);
  if (known.length === 0) throw new RangeError("Cannot check tokens: there are none");
  for (const [name, token] of known) expectToken(name, token);
  return ({ header }) => {
    const [, given] = /^Bearer +([\w.~+/-]+=*)$/i.exec(header("authorization") ?? "") ?? [];
    if (given === undefined) return { status: 401 };
    let principal: string | undefined;
    // All of them, whichever it is.
    for (const [name, token] of known) if (isEqual(given, token)) principal = name;
    return principal === undefined ? { status: 401, error: "invalid_token" } : { principal };
  };
}

/** Never repeats the token: what is said ends up in logs. */
function expectToken(name: string, token: string): void {
  if (token.length < MIN_TOKEN_LENGTH) {
    throw new RangeError(
      `Cannot use the token of "${name}": it has ${token.length} characters, and needs ${MIN_TOKEN_LENGTH} random ones`,
    );
  }
  if (TOKEN.test(token)) return;
  throw new RangeError(
    `Cannot use the token of "${name}": it has characters that no client can send; letters, digits and . _ ~ + / - ` +
      "are such, and = at the end",
  );
}

/** Takes as long as the given text is, wherever it differs. */
function isEqual(given: string, token: string): boolean {
  let difference = given.length ^ token.length;
  for (let index = 0; index < given.length; index++) {
    difference |= given.charCodeAt(index) ^ token.charCodeAt(index % token.length);
  }
  return difference === 0;
}

/** Says to a client what it needs to be let in. */
export function challenged({ status, error, scope }: Challenge, metadataUrl: string | undefined): Refusal {
  const parameters = Object.entries({ error, scope, resource_metadata: metadataUrl })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}="${value!.replaceAll(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, "")}"`);
  const fields: Fields = { "www-authenticate": ["Bearer", parameters.join(", ")].join(" ").trimEnd() };
  const sentence = status === 403
    ? "What you may do does not include this: ask for credentials with a wider scope"
    : "This server asks who you are: send the field Authorization with a token that it knows";
  return new Refusal(status, sentence, { fields });
}
