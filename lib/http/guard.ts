/**
 * Who may ask at all? A page in a browser can make any name lead to this machine and then speak to it as though to its
 * own server (DNS rebinding), so both names are held against a list: that of the host, and that of the page.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#security-endpoint
 */

import type { Fields, HttpExchange } from "../platform/http.ts";
import { Refusal } from "./refusal.ts";

/** The names of this machine to itself. */
export const LOOPBACK_HOSTS: readonly string[] = Object.freeze(["localhost", "127.0.0.1", "[::1]"]);

/** A name or an address in brackets, and perhaps a port. */
const AUTHORITY = /^(\[[0-9a-f:.]+\]|[^\s:,/@[\]]+)(?::(\d{1,5}))?$/i;
const ORIGIN = /^https?:\/\/([^/?#]+)$/i;
/** As it stands in a field: names of other alphabets are in ASCII by then. */
const ALLOWED_HOST = /^(?:\*|(?:\[[0-9a-f:.]+\]|[\w.~-]+)(?::\d{1,5})?)$/i;
const OTHER_ORIGIN = /^(?!https?:)[a-z][a-z0-9+.-]*:\/\/[^\s/?#]*$/i;

/** Whether an address is of this machine alone. */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(hostname);
}

/** Whether a host that is allowed is one that a request can name. */
export function canBeHost(text: string): boolean {
  return ALLOWED_HOST.test(text);
}

/** Whether an origin that is allowed is written as a browser writes it: without a path, and without the port of its scheme. */
export function canBeOrigin(text: string): boolean {
  if (text === "*" || text === "null" || OTHER_ORIGIN.test(text)) return true;
  return ORIGIN.test(text) && !text.includes("*") && URL.canParse(text) &&
    new URL(text).origin === text.toLowerCase();
}

/** What stands in the first line of a request. */
export interface Target {
  /** The host that it names; undefined when it names only a path. */
  readonly authority: string | undefined;
  /** The path without what follows a question mark. */
  readonly path: string;
}

/** Reads what is asked for. */
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

/** Lets in those hosts and pages that it knows. */
export class Guard {
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;
  /** Allowed the last time: most clients ask for one and the same. */
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
   * Checks who is asked, and from which page.
   *
   * @returns The origin, when the request came from a page.
   * @throws {Refusal} 400 without a host, 403 for one or an origin that is not allowed.
   */
  check(exchange: HttpExchange, { authority }: Target): string | undefined {
    const host = exchange.header("host") ?? authority;
    if (!host) throw new Refusal(400, "The request names no host: send the field Host");
    // Both of them: what is before this server may have looked at either.
    if (host !== this.#lastHost) this.#expect(host);
    if (authority !== undefined && authority !== host) this.#expect(authority);
    this.#lastHost = host;
    const origin = exchange.header("origin");
    if (origin === undefined || this.#isOrigin(origin)) return origin;
    throw new Refusal(403, `The origin ${quoted(origin)} is not allowed: allow it at the server`);
  }

  #expect(host: string): void {
    if (this.#isHost(host)) return;
    throw new Refusal(
      403,
      `The host ${quoted(host)} is not allowed: ask for one that this server is known by, or allow it there`,
    );
  }

  #isHost(authority: string): boolean {
    if (this.#hosts.has("*")) return true;
    const [, name] = AUTHORITY.exec(authority) ?? [];
    if (name === undefined) return false;
    return this.#hosts.has(name.toLowerCase()) || this.#hosts.has(authority.toLowerCase());
  }

  /** A page of the server itself is as good as the server. */
  #isOrigin(origin: string): boolean {
    if (this.#origins.has("*") || this.#origins.has(origin.toLowerCase())) return true;
    const [, authority] = ORIGIN.exec(origin) ?? [];
    return authority !== undefined && !this.#hosts.has("*") && this.#isHost(authority);
  }
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}

/** The fields that let a page read an answer. */
export function corsFields(origin: string): Fields {
  return {
    "access-control-allow-origin": origin,
    "access-control-expose-headers": "Mcp-Session-Id, WWW-Authenticate",
    vary: "Origin",
  };
}

/** Answers the question of a browser whether a page may ask. */
export function answerPreflight(exchange: HttpExchange): void {
  const wanted = exchange.header("access-control-request-headers") ?? "";
  exchange.respond(204, {
    "access-control-allow-methods": "POST, GET, DELETE",
    // Tools name fields of their own; each is checked when it comes.
    ...(/^[\w!#$%&'*+.^`|~, -]{1,4096}$/.test(wanted) ? { "access-control-allow-headers": wanted } : {}),
    "access-control-max-age": "600",
  });
}

/** The same exchange, with more fields in whatever it is answered. */
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
