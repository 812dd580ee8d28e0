/**
 * HTTP errors and the checks of header fields. A web page can make any host name resolve to this machine (DNS rebinding),
 * so both `Host` and `Origin` are checked against a list.
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
import { ErrorCode, failure, MalformedMessageError, RpcError, toErrorObject } from "../jsonrpc/message.ts";
import { argumentAt, decodeHeader, headerParameters } from "../protocol/headers.ts";
import { Header, Meta, METHODS } from "../protocol/methods.ts";
import { metaOf } from "../server/context.ts";

interface HttpErrorOptions {
  readonly code?: number;
  readonly fields?: Fields;
  /** The id of the request, if it could be read. */
  readonly id?: Id | undefined;
  /** For the operator. */
  readonly cause?: unknown;
}

/** A request is not served. Thrown anywhere before the response begins. */
export class HttpError extends RpcError {
  override readonly name = "HttpError";
  readonly options: HttpErrorOptions;

  constructor(status: number, message: string, options: HttpErrorOptions = {}) {
    const { code = ErrorCode.invalidRequest, cause } = options;
    super(code, message, undefined, { status, cause });
    this.options = options;
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
  const { status = 500 } = cause instanceof RpcError ? cause : {};
  const { fields, id }: HttpErrorOptions = cause instanceof HttpError
    ? cause.options
    : cause instanceof MalformedMessageError
    ? { id: cause.id }
    : {};
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

/** Checks hosts and origins against lists, in which "*" is any. A host without a port is allowed with every port. */
export class Guard {
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;
  /** The last allowed host, because most requests have the same. */
  #lastHost: string | undefined;

  constructor(hosts: readonly string[] = LOOPBACK_HOSTS, origins: readonly string[] = []) {
    this.#hosts = new Set(hosts.map((host) => host.toLowerCase()));
    this.#origins = new Set(origins.map((origin) => origin.toLowerCase()));
  }

  /**
   * Returns the origin, if the request came from a web page; throws 400 without a host, 403 when one is not allowed.
   *
   * @param authority The host in the target, which a proxy may have looked at instead of the header field.
   */
  check(exchange: HttpExchange, authority: string | undefined): string | undefined {
    const host = exchange.header("host") ?? authority;
    if (!host) throw new HttpError(400, "The request names no host: send the field Host");
    if (host !== this.#lastHost || (authority !== undefined && authority !== host)) {
      for (const name of [host, authority ?? host]) {
        if (this.#isHost(name)) continue;
        const reason = `The host ${
          shown(name)
        } is not allowed: use an allowed one, or allow it at the server`;
        throw new HttpError(403, reason);
      }
      this.#lastHost = host;
    }
    const origin = exchange.header("origin");
    if (origin === undefined || this.#isOrigin(origin)) return origin;
    throw new HttpError(403, `The origin ${shown(origin)} is not allowed: allow it at the server`);
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

/** `Accept` fields, without weights, of clients that read JSON and event streams. */
export const ACCEPTS_JSON: RegExp = /(?:^|,)\s*(?:\*\/\*|application\/(?:\*|json))\s*(?:[;,]|$)/i;
export const ACCEPTS_EVENTS: RegExp = /(?:^|,)\s*(?:\*\/\*|text\/(?:\*|event-stream))\s*(?:[;,]|$)/i;

const parametersOf = new WeakMap<object, readonly HeaderParameter[]>();

/**
 * Why the header fields of a modern request contradict its body; undefined when they do not. Proxies may have decided by
 * the fields.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#request-metadata
 */
export function findMismatch(
  request: Request,
  header: HttpExchange["header"],
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
    const args = own(asObject(request.params), "arguments");
    for (const parameter of parameters) {
      const mismatch = checkParameter(header, parameter, args);
      if (mismatch !== undefined) return mismatch;
    }
    return undefined;
  });
}

/** An argument that the tool's schema repeats in a field (`x-mcp-header`). */
function checkParameter(
  header: HttpExchange["header"],
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
