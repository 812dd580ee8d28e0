/** How does the API know who calls? By secrets that come from files, and that nothing but the API gets to see. */

import type { Finder } from "./redact.ts";
import { toBase64 } from "../base/bytes.ts";
import { GatewayError } from "./gateway_error.ts";
import { finderOf } from "./redact.ts";

/** How a secret is shown to the API. */
export type Scheme =
  | { readonly type: "header" | "query" | "cookie"; readonly name: string }
  | { readonly type: "basic" | "bearer" };

/** A secret, and where it goes. */
export interface Credential {
  /** Where it travels. */
  readonly in: "header" | "query" | "cookie";
  /** The header, parameter or cookie. */
  readonly name: string;
  /** What is written there. */
  readonly value: string;
  /** What must not be seen anywhere else, longest first. */
  readonly secrets: readonly string[];
  /** Find them, in any form. */
  readonly finders: readonly Finder[];
}

/** The shortest secret that can be looked for in texts without finding it everywhere. */
const MIN_SECRET = 6;

/** What a header or a cookie can be called (RFC 9110, section 5.6.2). */
const FIELD_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
/** What a request has as it is sent, and nobody can say: how long its body is, and where and how the connection goes. */
const CONNECTION =
  /^(?:connection|content-length|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/i;

/**
 * Makes a credential of what a file holds. Line ends at its end are none of the secret.
 *
 * @param content For `basic`, the user and the password with a colon between them.
 * @throws {GatewayError} When the file holds no secret, which the message does not quote; when its place has no such name.
 */
export function credential(name: string, scheme: Scheme, content: string): Credential {
  const secret = content.replace(/^\uFEFF/, "").replace(/[\r\n]+$/, "");
  if (secret === "" || !/^[\x20-\x7e]+$/.test(secret)) {
    throw new GatewayError(`The credential ${name} must be one line of printable ASCII characters`);
  }
  if (scheme.type === "basic") {
    if (!secret.includes(":")) {
      throw new GatewayError(
        `The credential ${name} must be a user and a password with a colon between them`,
      );
    }
    const encoded = toBase64(new TextEncoder().encode(secret));
    const password = secret.slice(secret.indexOf(":") + 1);
    // Where there is no password, the user is the secret.
    const alone = password === "" ? secret.slice(0, -1) : password;
    return made("header", "authorization", `Basic ${encoded}`, [secret, encoded, alone]);
  }
  if (scheme.type === "bearer") return made("header", "authorization", `Bearer ${secret}`, [secret]);
  const { type, name: place } = scheme as Extract<Scheme, { readonly name: string }>;
  checkPlace(type, place);
  // "Bearer abc" in a header: the part that is secret may be shown by itself.
  return made(type, type === "header" ? place.toLowerCase() : place, secret, [
    secret,
    secret.split(" ").at(-1)!,
  ]);
}

function checkPlace(type: Credential["in"], name: string): void {
  if (type === "query") return;
  if (!FIELD_NAME.test(name)) {
    throw new GatewayError(
      `A credential cannot go in the ${type} ${
        JSON.stringify(name)
      }: its name has other characters than a ${type} can have`,
    );
  }
  if (type === "header" && CONNECTION.test(name)) {
    throw new GatewayError(`A credential cannot go in the header ${name}: it belongs to the connection`);
  }
}

function made(place: Credential["in"], name: string, value: string, secrets: readonly string[]): Credential {
  const found = [...new Set([value, ...secrets])].filter(({ length }) => length >= MIN_SECRET);
  found.sort((left, right) => right.length - left.length);
  const finders = Object.freeze(found.map(finderOf));
  return Object.freeze({ in: place, name, value, secrets: Object.freeze(found), finders });
}

/** Puts credentials on a request that is about to leave. */
export function withCredentials(
  url: URL,
  headers: Readonly<Record<string, string>>,
  credentials: readonly Credential[],
): { url: URL; headers: Record<string, string> } {
  const signed = new URL(url);
  const all: Record<string, string> = { ...headers };
  for (const { in: place, name, value } of credentials) {
    if (place === "header") all[name] = value;
    else if (place === "query") {
      const pair = `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
      signed.search = signed.search === "" ? pair : `${signed.search}&${pair}`;
    } else {
      const pair = `${name}=${value}`;
      all["cookie"] = all["cookie"] === undefined ? pair : `${all["cookie"]}; ${pair}`;
    }
  }
  return { url: signed, headers: all };
}

/** An address without the parameters that credentials travel in: whoever sends the request puts on what belongs there. */
export function withoutCredentials(url: URL, credentials: readonly Credential[]): URL {
  const names = new Set(credentials.filter((one) => one.in === "query").map(({ name }) => name));
  if (names.size === 0 || url.search === "") return url;
  const kept = url.search.slice(1).split("&")
    .filter((pair) => ![...new URLSearchParams(pair).keys()].some((name) => names.has(name)));
  const bare = new URL(url);
  bare.search = kept.join("&");
  return bare;
}
