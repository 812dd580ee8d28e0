/**
 * Which hosts and web pages are served, and what a client accepts. A web page can make any host name resolve to this
 * machine (DNS rebinding), so both `Host` and `Origin` are checked against a list.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#security-endpoint
 */

import type { Fields, HttpExchange } from "../platform/http.ts";
import { HttpError } from "./error.ts";

/** The names of the local machine. */
export const LOOPBACK_HOSTS: readonly string[] = Object.freeze(["localhost", "127.0.0.1", "[::1]"]);

/** A name, or an address in brackets, with or without a port. */
const AUTHORITY = /^(\[[0-9a-f:.]+\]|[^\s:,/@[\]]+)(?::(\d{1,5}))?$/i;
const ORIGIN = /^https?:\/\/([^/?#]+)$/i;
/** A host in a header field, in ASCII. */
const ALLOWED_HOST = /^(?:\*|(?:\[[0-9a-f:.]+\]|[\w.~-]+)(?::\d{1,5})?)$/i;
const OTHER_ORIGIN = /^(?!https?:)[a-z][a-z0-9+.-]*:\/\/[^\s/?#]*$/i;

/** Whether an address is only reachable from this machine. */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(hostname);
}

/** Whether a request can have such a host. */
export function canBeHost(text: string): boolean {
  return ALLOWED_HOST.test(text);
}

/** Whether a browser can send such an origin: without a path, and without the default port. */
export function canBeOrigin(text: string): boolean {
  if (text === "*" || text === "null" || OTHER_ORIGIN.test(text)) return true;
  return ORIGIN.test(text) && !text.includes("*") && URL.canParse(text) &&
    new URL(text).origin === text.toLowerCase();
}

/** The target of a request line. */
export interface Target {
  /** The host, if it names one. */
  readonly authority: string | undefined;
  /** The path, without the query. */
  readonly path: string;
}

/** Reads the target of a request. */
export function readTarget(target: string): Target {
  if (target.startsWith("/")) return { authority: undefined, path: withoutQuery(target) };
  const start = target.indexOf("://") + 3;
  if (start < 3) return { authority: undefined, path: target };
  const slash = target.indexOf("/", start);
  return slash < 0
    ? { authority: withoutQuery(target.slice(start)), path: "/" }
    : { authority: target.slice(start, slash), path: withoutQuery(target.slice(slash)) };
}

function withoutQuery(text: string): string {
  const end = text.search(/[?#]/);
  return end < 0 ? text : text.slice(0, end);
}

/** Checks hosts and origins against lists. */
export class Guard {
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;
  /** The last allowed host, because most requests have the same. */
  #lastHost: string | undefined;

  /**
   * @param hosts Names, each with a port or for every port; "*" is any.
   * @param origins Origins as browsers write them, beside those of the hosts; "*" is any.
   */
  constructor(hosts: readonly string[] = LOOPBACK_HOSTS, origins: readonly string[] = []) {
    this.#hosts = new Set(hosts.map((host) => host.toLowerCase()));
    this.#origins = new Set(origins.map((origin) => origin.toLowerCase()));
  }

  /**
   * Checks the host and the origin.
   *
   * @returns The origin, if the request came from a web page.
   * @throws {HttpError} 400 without a host, 403 for a host or origin that is not allowed.
   */
  check(exchange: HttpExchange, { authority }: Target): string | undefined {
    const host = exchange.header("host") ?? authority;
    if (!host) throw new HttpError(400, "The request names no host: send the field Host");
    // A proxy may have looked at either of them.
    if (host !== this.#lastHost) this.#expect(host);
    if (authority !== undefined && authority !== host) this.#expect(authority);
    this.#lastHost = host;
    const origin = exchange.header("origin");
    if (origin === undefined || this.#isOrigin(origin)) return origin;
    throw new HttpError(403, `The origin ${quoted(origin)} is not allowed: allow it at the server`);
  }

  #expect(host: string): void {
    if (this.#isHost(host)) return;
    throw new HttpError(
      403,
      `The host ${quoted(host)} is not allowed: use an allowed one, or allow it at the server`,
    );
  }

  #isHost(authority: string): boolean {
    if (this.#hosts.has("*")) return true;
    const [, name] = AUTHORITY.exec(authority) ?? [];
    if (name === undefined) return false;
    return this.#hosts.has(name.toLowerCase()) || this.#hosts.has(authority.toLowerCase());
  }

  /** A page of an allowed host is allowed. */
  #isOrigin(origin: string): boolean {
    if (this.#origins.has("*") || this.#origins.has(origin.toLowerCase())) return true;
    const [, authority] = ORIGIN.exec(origin) ?? [];
    return authority !== undefined && !this.#hosts.has("*") && this.#isHost(authority);
  }
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}

/** The fields that let a page read a response. */
export function corsFields(origin: string): Fields {
  return {
    "access-control-allow-origin": origin,
    "access-control-expose-headers": "Mcp-Session-Id, WWW-Authenticate",
    vary: "Origin",
  };
}

/** Answers a CORS preflight request. */
export function answerPreflight(exchange: HttpExchange): void {
  const wanted = exchange.header("access-control-request-headers") ?? "";
  exchange.respond(204, {
    "access-control-allow-methods": "POST, GET, DELETE",
    // Tools may define fields of their own; each is checked in the request.
    ...(/^[\w!#$%&'*+.^`|~, -]{1,4096}$/.test(wanted) ? { "access-control-allow-headers": wanted } : {}),
    "access-control-max-age": "600",
  });
}

/** An exchange whose response has more fields. */
export function withFields(exchange: HttpExchange, more: Fields): HttpExchange {
  return {
    method: exchange.method,
    target: exchange.target,
    remoteHost: exchange.remoteHost,
    remoteAddress: exchange.remoteAddress,
    header: (name) => exchange.header(name),
    readBody: (limit) => exchange.readBody(limit),
    respond: (status, fields, body) => exchange.respond(status, { ...more, ...fields }, body),
    stream: (status, fields) => exchange.stream(status, { ...more, ...fields }),
    onDisconnect: (callback) => exchange.onDisconnect(callback),
    noticesLeaving: exchange.noticesLeaving,
  };
}

/** The forms of a response that a client accepts. */
export interface Accepted {
  readonly json: boolean;
  readonly events: boolean;
}

const BOTH: Accepted = Object.freeze({ json: true, events: true });
const known = new Map<string, Accepted>();
/** The limit of cached `Accept` fields; clients use a handful. */
const MAX_KNOWN = 100;

/** Reads `Accept`, without weights; a missing field accepts anything. */
export function readAccept(field: string | undefined): Accepted {
  if (field === undefined) return BOTH;
  let accepted = known.get(field);
  if (!accepted) {
    const types = field.toLowerCase().split(",").map((type) => type.split(";", 1)[0]!.trim());
    const has = (...names: string[]) => names.some((name) => types.includes(name));
    accepted = {
      json: has("*/*", "application/*", "application/json"),
      events: has("*/*", "text/*", "text/event-stream"),
    };
    if (known.size < MAX_KNOWN) known.set(field, accepted);
  }
  return accepted;
}

/** Whether a body is declared as JSON: a web page can send other types without a preflight request. */
export function isJson(contentType: string | undefined): boolean {
  return /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(contentType ?? "");
}
