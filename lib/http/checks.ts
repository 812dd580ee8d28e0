/**
 * HTTP errors, and the check of `Host` and `Origin`: a web page can make any name resolve to this machine (DNS rebinding).
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#security-endpoint
 */

import type { Id, Response } from "../jsonrpc/message.ts";
import type { Fields, HttpExchange } from "../platform/http.ts";
import { ErrorCode, failure, RpcError, toErrorObject } from "../jsonrpc/message.ts";

/** A request is not served. Thrown anywhere before the response begins; the cause is for the operator. */
export class HttpError extends RpcError {
  override readonly name = "HttpError";
  readonly fields: Fields | undefined;

  constructor(status: number, message: string, options: { fields?: Fields; retryAfter?: number } = {}) {
    super(ErrorCode.invalidRequest, message, undefined, { status, retryAfter: options.retryAfter });
    this.fields = options.fields;
  }
}

/** The server cannot serve a request now. */
export function unavailable(reason: string, retryAfter: number = 1): HttpError {
  return new HttpError(503, `${reason}: try again later`, { retryAfter });
}

/** The header fields of every JSON response. Responses are for one client and change, so they must not be cached. */
export const JSON_FIELDS: Fields = Object.freeze({
  "content-type": "application/json",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
});

/** The id for an error, and its response for the audit log. */
interface Refused {
  readonly id?: Id | null | undefined;
  response?: Response | readonly Response[] | undefined;
}

/** Responds with an error; anything but an `RpcError` is a generic 500. */
export function respondWithError(exchange: HttpExchange, cause: unknown, request: Refused = {}): void {
  type Known = Partial<Pick<HttpError, "status" | "fields" | "retryAfter">> & Pick<Refused, "id">;
  const { status = 500, fields, retryAfter, id = request.id }: Known = cause instanceof RpcError ? cause : {};
  request.response = failure(id, toErrorObject(cause));
  const retry: Fields = retryAfter === undefined ? {} : { "retry-after": `${retryAfter}` };
  exchange.respond(status, { ...JSON_FIELDS, ...fields, ...retry }, [JSON.stringify(request.response)]);
}

/** A request target: perhaps a host, then the path, then perhaps a query. */
export const TARGET: RegExp = /^(?:[^/?#]*:\/\/([^/?#]*))?([^?#]*)/;

export const LOOPBACK_HOSTS: readonly string[] = Object.freeze(["localhost", "127.0.0.1", "[::1]"]);

/** A name, or an address in brackets, with or without a port. */
const AUTHORITY = /^(\[[0-9a-f:.]+\]|[\w.~-]+)(?::\d{1,5})?$/i;
const ORIGIN = /^https?:\/\/([^/?#]+)$/i;
const OTHER_ORIGIN = /^(?!https?:)[a-z][a-z0-9+.-]*:\/\/[^\s/?#]*$/i;

/** Whether a request can have such a host. */
export function canBeHost(text: string): boolean {
  return text === "*" || AUTHORITY.test(text);
}

/** Whether a browser can send such an origin: without a path, and without the default port. */
export function canBeOrigin(text: string): boolean {
  if (text === "*" || text === "null" || OTHER_ORIGIN.test(text)) return true;
  return ORIGIN.test(text) && !text.includes("*") && URL.canParse(text) &&
    new URL(text).origin === text.toLowerCase();
}

/**
 * Makes a check of hosts and origins against lists, in which "*" is any, a host without a port is allowed with every port,
 * and so are its pages. It also takes the host in the target, which a proxy may have looked at instead of the field.
 *
 * @returns A function that returns the origin, if the request came from a web page; it throws 400 or 403.
 */
export function createGuard(
  allowedHosts: readonly string[] = LOOPBACK_HOSTS,
  allowedOrigins: readonly string[] = [],
): (exchange: HttpExchange, authority: string | undefined) => string | undefined {
  const hosts = new Set(allowedHosts.map((host) => host.toLowerCase()));
  const origins = new Set(allowedOrigins.map((origin) => origin.toLowerCase()));
  /** With its port, or without. */
  const isHost = (authority: string): boolean =>
    hosts.has("*") || (AUTHORITY.exec(authority.toLowerCase()) ?? []).some((form) => hosts.has(form));
  const isOrigin = (origin: string): boolean =>
    origins.has("*") || origins.has(origin.toLowerCase()) ||
    (!hosts.has("*") && isHost(ORIGIN.exec(origin)?.[1] ?? ""));
  // Most requests have the same host.
  let lastHost: string | undefined;
  return ({ header }, authority) => {
    const host = header("host") ?? authority;
    if (!host) throw new HttpError(400, "The request names no host: send the field Host");
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

/** A text of a client, cut, for a message. */
export function shown(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}
