/**
 * Checks `Host` and `Origin`, because a web page can make its own name resolve to this machine (DNS rebinding).
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#security-endpoint
 */

import type { HttpExchange } from "../../platform/http.ts";
import { HttpError, shown } from "./errors.ts";

/** A request target: a path with or without a query, or a whole URL. Captures the host, if any, and the path. */
export const TARGET: RegExp = /^(?:[^/?#]*:\/\/([^/?#]*))?([^?#]*)/;

/** The names of this machine in `Host`. */
export const LOOPBACK_HOSTS: readonly string[] = Object.freeze(["localhost", "127.0.0.1", "[::1]"]);

/** A name, or an IPv6 address in brackets, with or without a port. Captures the host without the port. */
const AUTHORITY = /^(\[[0-9a-f:.]+\]|[\w.~-]+)(?::\d{1,5})?$/i;
const ORIGIN = /^https?:\/\/([^/?#]+)$/i;
const OTHER_ORIGIN = /^(?!https?:)[a-z][a-z0-9+.-]*:\/\/[^\s/?#]*$/i;

/** Whether a value of `allowedHosts` can match any request. */
export function canBeHost(text: string): boolean {
  return text === "*" || AUTHORITY.test(text);
}

/** Whether a value of `allowedOrigins` can match any request: browsers send neither a path nor the default port. */
export function canBeOrigin(text: string): boolean {
  if (text === "*" || text === "null" || OTHER_ORIGIN.test(text)) return true;
  return ORIGIN.test(text) && !text.includes("*") && URL.canParse(text) &&
    new URL(text).origin === text.toLowerCase();
}

/**
 * Makes the check of `Host` and `Origin`. In both lists "*" allows all values. A host without a port is allowed with every
 * port, and so are the origins on it. A host in the request target is checked too, because a proxy may have read it
 * instead of `Host`.
 *
 * @returns A function that returns the origin if the request comes from a web page, and throws 400 or 403.
 */
export function createGuard(
  allowedHosts: readonly string[] = LOOPBACK_HOSTS,
  allowedOrigins: readonly string[] = [],
): (exchange: HttpExchange, authority: string | undefined) => string | undefined {
  const hosts = new Set(allowedHosts.map((host) => host.toLowerCase()));
  const origins = new Set(allowedOrigins.map((origin) => origin.toLowerCase()));
  const isHost = (authority: string): boolean =>
    hosts.has("*") || (AUTHORITY.exec(authority.toLowerCase()) ?? []).some((form) => hosts.has(form));
  // "*" in allowedHosts does not allow all origins.
  const isOrigin = (origin: string): boolean =>
    origins.has("*") || origins.has(origin.toLowerCase()) ||
    (!hosts.has("*") && isHost(ORIGIN.exec(origin)?.[1] ?? ""));
  // Most requests have the same host, so the last one that was allowed is remembered.
  let lastHost: string | undefined;
  return ({ header }, authority) => {
    const host = header("host") ?? authority;
    if (!host) throw new HttpError(400, "The request names no host: send the header field Host");
    const isKnown = host === lastHost && authority === undefined;
    const wrong = isKnown ? undefined : [host, authority ?? host].find((name) => !isHost(name));
    if (wrong !== undefined) {
      const reason = `The host ${shown(wrong)} is not allowed: use an allowed one, or allow it at the server`;
      throw new HttpError(403, reason);
    }
    lastHost = host;
    const origin = header("origin");
    if (origin === undefined || isOrigin(origin)) return origin;
    throw new HttpError(403, `The origin ${shown(origin)} is not allowed: allow it at the server`);
  };
}
