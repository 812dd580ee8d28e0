/**
 * What is checked of a request before its message is: host and origin, the accepted responses, and whether its header
 * fields repeat what its body says. A web page can make any host name resolve to this machine (DNS rebinding), so both
 * `Host` and `Origin` are checked against a list.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#security-endpoint
 */

import type { Awaitable } from "../base/async.ts";
import type { Id, Request } from "../jsonrpc/message.ts";
import type { Fields, HttpExchange } from "../platform/http.ts";
import type { HeaderParameter } from "../protocol/headers.ts";
import type { Server } from "../server/server.ts";
import { andThen } from "../base/async.ts";
import { asObject, own } from "../base/json.ts";
import { ErrorCode, failure, RpcError, toErrorObject } from "../jsonrpc/message.ts";
import { argumentAt, decodeHeader, headerParameters } from "../protocol/headers.ts";
import { Header, Meta, METHODS } from "../protocol/methods.ts";
import { metaOf } from "../server/context.ts";

/** A request is not served. Thrown anywhere before the response begins. */
export class HttpError extends RpcError {
  override readonly name = "HttpError";
  readonly fields: Fields | undefined;
  /** The id of the request, if it could be read. */
  readonly id: Id | undefined;

  constructor(
    status: number,
    message: string,
    { code = ErrorCode.invalidRequest, fields, id, ...options }: {
      readonly code?: number;
      readonly fields?: Fields;
      readonly id?: Id | undefined;
      /** For the operator. */
      readonly cause?: unknown;
    } = {},
  ) {
    super(code, message, undefined, { ...options, status });
    this.fields = fields;
    this.id = id;
  }
}

/** The header fields of every JSON response. Responses are for one client and change, so they must not be cached. */
export const JSON_FIELDS: Fields = Object.freeze({
  "content-type": "application/json",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
});

/** Responds with an error; anything but an `RpcError` is a generic 500. */
export function respondWithError(exchange: HttpExchange, cause: unknown): void {
  const { status = 500, fields, id } = (cause instanceof RpcError ? cause : {}) as Partial<HttpError>;
  const body = JSON.stringify(failure(id, toErrorObject(cause)));
  exchange.respond(status, { ...JSON_FIELDS, ...fields }, [body]);
}

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
   * @param authority The host in the target, which a proxy may have looked at instead of the header field.
   * @returns The origin, if the request came from a web page.
   * @throws {HttpError} 400 without a host, 403 for a host or origin that is not allowed.
   */
  check(exchange: HttpExchange, authority: string | undefined): string | undefined {
    const host = exchange.header("host") ?? authority;
    if (!host) throw new HttpError(400, "The request names no host: send the field Host");
    if (host !== this.#lastHost) this.#expect(host);
    if (authority !== undefined && authority !== host) this.#expect(authority);
    this.#lastHost = host;
    const origin = exchange.header("origin");
    if (origin === undefined || this.#isOrigin(origin)) return origin;
    throw new HttpError(403, `The origin ${shown(origin)} is not allowed: allow it at the server`);
  }

  #expect(host: string): void {
    if (this.#isHost(host)) return;
    const reason = `The host ${shown(host)} is not allowed: use an allowed one, or allow it at the server`;
    throw new HttpError(403, reason);
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

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}

/** The forms of a response that a client accepts. */
export interface Accepted {
  readonly json: boolean;
  readonly events: boolean;
}

const known = new Map<string | undefined, Accepted>([[undefined, { json: true, events: true }]]);
/** The limit of cached `Accept` fields; clients use a handful. */
const MAX_KNOWN = 100;

/** Reads `Accept`, without weights; a missing field accepts anything. */
export function readAccept(field: string | undefined): Accepted {
  let accepted = known.get(field);
  if (!accepted) {
    const types = field!.toLowerCase().split(",").map((type) => type.split(";", 1)[0]!.trim());
    const has = (...names: string[]) => names.some((name) => types.includes(name));
    accepted = {
      json: has("*/*", "application/*", "application/json"),
      events: has("*/*", "text/*", "text/event-stream"),
    };
    if (known.size < MAX_KNOWN) known.set(field, accepted);
  }
  return accepted;
}

const parametersOf = new WeakMap<object, readonly HeaderParameter[]>();

/**
 * Why the header fields of a modern request contradict its body; undefined when they repeat it. Intermediaries may have
 * decided by the fields, so the body must not be a different request.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#request-metadata
 */
export function findMismatch(
  request: Request,
  header: (name: string) => string | undefined,
  server: Server,
): Awaitable<string | undefined> {
  const version = metaOf(request)?.[Meta.protocolVersion];
  // Missing and malformed members are refused later, with the params.
  if (typeof version !== "string") return undefined;
  const { method } = request;
  const member = METHODS.modern.get(method)?.nameParam;
  const name = member && own(asObject(request.params), member);
  const rows = [[Header.protocolVersion, version], [Header.method, method], [Header.name, name]] as const;
  for (const [field, body] of rows) {
    if (typeof body !== "string") continue;
    const raw = header(field.toLowerCase());
    if (raw === undefined) return `the field ${field} is missing`;
    const value = field === Header.name ? decodeHeader(raw) : raw;
    if (value === undefined) return `${field} cannot be decoded`;
    if (value !== body) return `${field} says ${shown(value)}, and the body ${shown(body)}`;
  }
  if (method !== "tools/call" || typeof name !== "string") return undefined;
  return andThen(server.inputSchemaOf(name), (schema) => {
    if (!schema) return undefined;
    let parameters = parametersOf.get(schema);
    if (!parameters) parametersOf.set(schema, parameters = headerParameters(schema));
    for (const parameter of parameters) {
      const mismatch = checkParameter(header, parameter, own(asObject(request.params), "arguments"));
      if (mismatch !== undefined) return mismatch;
    }
    return undefined;
  });
}

/** An argument that the tool's schema repeats in a field (`x-mcp-header`). */
function checkParameter(
  header: (name: string) => string | undefined,
  parameter: HeaderParameter,
  args: unknown,
): string | undefined {
  const value = argumentAt(parameter, args);
  const field = `${Header.parameter}${parameter.name}`;
  const raw = header(field.toLowerCase());
  if (value === undefined || value === null) {
    return raw === undefined ? undefined : `${field} is present, but the argument is not`;
  }
  // Other types are refused with the arguments, in words for the model.
  if (!["string", "number", "boolean"].includes(typeof value)) return undefined;
  if (raw === undefined) return `the field ${field} is missing`;
  const text = decodeHeader(raw);
  if (text === undefined) return `${field} cannot be decoded`;
  const isSame = typeof value === "number"
    ? /^-?\d+(?:\.\d+)?$/.test(text) && Number(text) === value
    : text === String(value);
  return isSame ? undefined : `${field} differs from the argument`;
}
