/**
 * HTTP errors and the checks of header fields. A web page can make any host name resolve to this machine (DNS rebinding),
 * so both `Host` and `Origin` are checked against a list.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#security-endpoint
 */

import type { Awaitable } from "../base/async.ts";
import type { JsonObject } from "../base/json.ts";
import type { Id, MalformedMessageError } from "../jsonrpc/message.ts";
import type { Fields, HttpExchange } from "../platform/http.ts";
import type { Server } from "../server/server.ts";
import { andThen } from "../base/async.ts";
import { escapeHtml } from "../base/text.ts";
import { ErrorCode, failure, RpcError, toErrorObject } from "../jsonrpc/message.ts";
import { argumentAt, decodeHeader } from "../protocol/headers.ts";
import { Header, Meta, METHODS } from "../protocol/methods.ts";
import { modernMeta } from "../server/context.ts";

interface HttpErrorOptions {
  readonly fields?: Fields;
  readonly retryAfter?: number;
}

/** A request is not served. Thrown anywhere before the response begins; the cause is for the operator. */
export class HttpError extends RpcError {
  override readonly name = "HttpError";
  readonly fields: Fields | undefined;

  constructor(status: number, message: string, { fields, retryAfter }: HttpErrorOptions = {}) {
    super(ErrorCode.invalidRequest, message, undefined, { status, retryAfter });
    this.fields = fields;
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

/** Answers a person who opens the server in a browser. The page is the same for all, and loads nothing. */
export function respondWithPage(exchange: HttpExchange, path: string): void {
  const policy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox";
  const type = { "content-type": "text/html; charset=utf-8", "content-security-policy": policy };
  exchange.respond(200, { ...JSON_FIELDS, ...type }, [`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>MCP server</title>
<h1>This is an MCP server</h1>
<p>It serves documents, prompts and tools to AI assistants over the Model Context Protocol, and no pages to browsers.</p>
<p>To use it, add this address with the path <code>${
    escapeHtml(path)
  }</code> to an MCP client, as a server over HTTP (Streamable
HTTP). If it requires authentication, the client needs a bearer token.</p></html>
`]);
}

/** The header field that says when to try again. */
export function retryFields(seconds: number | undefined): Fields | undefined {
  return seconds === undefined ? undefined : { "retry-after": `${seconds}` };
}

/** Responds with an error; anything but an `RpcError` is a generic 500. */
export function respondWithError(exchange: HttpExchange, cause: unknown, requestId?: Id): void {
  type Known = Partial<
    Pick<HttpError, "status" | "fields" | "retryAfter"> & Pick<MalformedMessageError, "id">
  >;
  const { status = 500, fields, retryAfter, id = requestId }: Known = cause instanceof RpcError ? cause : {};
  const body = JSON.stringify(failure(id, toErrorObject(cause)));
  exchange.respond(status, { ...JSON_FIELDS, ...fields, ...retryFields(retryAfter) }, [body]);
}

/** A request target: perhaps a host, then the path, then perhaps a query. */
export const TARGET: RegExp = /^(?:[^/?#]*:\/\/([^/?#]*))?([^?#]*)/;

/** The names of the local machine. */
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
  const isHost = (authority: string): boolean => {
    const [, name] = AUTHORITY.exec(authority) ?? [];
    return hosts.has("*") ||
      (name !== undefined && (hosts.has(name.toLowerCase()) || hosts.has(authority.toLowerCase())));
  };
  const isOrigin = (origin: string): boolean => {
    const [, authority] = ORIGIN.exec(origin) ?? [];
    return origins.has("*") || origins.has(origin.toLowerCase()) ||
      (authority !== undefined && !hosts.has("*") && isHost(authority));
  };
  return ({ header }, authority) => {
    const host = header("host") ?? authority;
    if (!host) throw new HttpError(400, "The request names no host: send the field Host");
    const wrong = (authority === undefined ? [host] : [host, authority]).find((name) => !isHost(name));
    if (wrong !== undefined) {
      const reason = `The host ${shown(wrong)} is not allowed: use an allowed one, or allow it at the server`;
      throw new HttpError(403, reason);
    }
    const origin = header("origin");
    if (origin === undefined || isOrigin(origin)) return origin;
    throw new HttpError(403, `The origin ${shown(origin)} is not allowed: allow it at the server`);
  };
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}

/** Why the header fields of a modern request, by which proxies may have decided, contradict its body; else undefined. */
export function findMismatch(
  method: string,
  params: JsonObject,
  header: HttpExchange["header"],
  server: Server,
): Awaitable<string | undefined> {
  const version = modernMeta(params)?.[Meta.protocolVersion];
  // Missing and malformed members are refused later, with the params.
  if (typeof version !== "string") return undefined;
  const different = compare(Header.protocolVersion, header("mcp-protocol-version"), version) ??
    compare(Header.method, header("mcp-method"), method);
  const { [METHODS.modern.get(method)?.nameParam ?? ""]: name, arguments: args } = params;
  if (different !== undefined || typeof name !== "string") return different;
  const other = compare(Header.name, header("mcp-name"), name, decodeHeader);
  if (other !== undefined || method !== "tools/call") return other;
  return andThen(server.headerParametersOf(name), (parameters) => {
    for (const parameter of parameters) {
      const value = argumentAt(parameter, args);
      // Other types are refused with the arguments, in words for the model.
      if (typeof value === "object" && value !== null) continue;
      const field = `${Header.parameter}${parameter.name}`;
      const wrong = compare(field, header(field.toLowerCase()), value, decodeHeader);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  });
}

/** Why a field does not repeat a value of the body; undefined when it does. */
function compare(
  field: string,
  raw: string | undefined,
  value: unknown,
  decode?: (raw: string) => string | undefined,
): string | undefined {
  if (value === undefined || value === null) {
    return raw === undefined ? undefined : `${field} is present, but the argument is not`;
  }
  if (raw === undefined) return `the field ${field} is missing`;
  const text = decode ? decode(raw) : raw;
  if (text === undefined) return `${field} cannot be decoded`;
  const isSame = typeof value === "number"
    ? /^-?\d+(?:\.\d+)?$/.test(text) && Number(text) === value
    : text === String(value);
  return isSame ? undefined : `${field} says ${shown(text)}, and the body ${shown(String(value))}`;
}
