/**
 * The MCP endpoint: checks, authenticates and reads each request. `Server.handle` answers a message without a session; a
 * message of a legacy session is passed to the JSON-RPC connection of the session.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 */

import type { JsonObject } from "../../base/json.ts";
import type { HttpExchange, HttpResponder } from "../../platform/http.ts";
import type { FetchInfo } from "../../platform/web_http.ts";
import type { Server } from "../server/server.ts";
import type { AcceptedRequest } from "../server/accepted.ts";
import type { MessageContext } from "../../jsonrpc/transport/transport.ts";
import type { HttpHandlerOptions } from "./options.ts";
import type { HttpSession, ServedSession } from "./session.ts";
import type { HttpUsage } from "./shares.ts";
import { nextTurn, pause, withTimeout } from "../../base/async.ts";
import { count, reasonOf } from "../../base/text.ts";
import { Call } from "../../jsonrpc/connection.ts";
import { countValues, ErrorCode, parseJson, readMessage, RpcError } from "../../jsonrpc/message.ts";
import { SMALL_BYTES } from "../../platform/http.ts";
import { fetchListener } from "../../platform/web_http.ts";
import { McpError, McpErrorCode } from "../protocol/errors.ts";
import { LEGACY_REVISIONS, MODERN_REVISIONS } from "../protocol/revisions.ts";
import { modernMeta } from "../server/server.ts";
import { Session } from "../server/session.ts";
import { audit, auditedMessages } from "./audit.ts";
import { createAuthenticator } from "./authenticator.ts";
import { createGuard, TARGET } from "./checks.ts";
import { CLOSING, HttpError, JSON_FIELDS, printHttpFailure, respondWithError } from "./errors.ts";
import { statusOf, unavailable } from "./errors.ts";
import { findMismatch } from "./mismatch.ts";
import { respondWithPage } from "./page.ts";
import { metadataDocument } from "./resource_metadata.ts";
import { HttpRequest } from "./request.ts";
import { sessionNotFound, Sessions } from "./sessions.ts";
import { networkOf, Shares } from "./shares.ts";
import { Streams } from "./streams.ts";
import { Ticker } from "./ticker.ts";

/** An MCP endpoint. Pass one of its functions to an HTTP server. */
export interface HttpHandler {
  /** Answers a web `Request`, for Deno, Bun and workers. Never rejects. */
  readonly fetch: (request: Request, info?: FetchInfo) => Promise<Response>;
  /** Answers an exchange. For `nodeListener`, so that Node needs no web objects. */
  readonly respond: HttpResponder;
  /** Counts a connection from "127.0.0.1:51820". Returns a function to call when it closes; undefined to close it at once. */
  connect(remoteAddress: string | undefined): (() => void) | undefined;
  /** The sessions that this process serves, by id. */
  readonly sessions: ReadonlyMap<string, HttpSession>;
  /** What its clients use now, and how many requests were refused. */
  readonly usage: HttpUsage;
  /**
   * Refuses new requests, ends all streams, and settles when all requests are answered or the grace period is over. Returns
   * how many were given up with an error.
   */
  close(): Promise<number>;
}

/** When a slow response becomes a stream, on runtimes that notice a disconnect only when they write. In milliseconds. */
const UNNOTICED_MS = 1000;
/** The interval of checks for slow requests, in milliseconds. */
const TICK_MS = 50;
const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;
const NEEDS_EVENTS = "This request is answered with a stream: accept text/event-stream";
const INCOMPLETE = "The body is incomplete, or was sent in many small pieces: send it in larger ones";
/** The length from which a body takes milliseconds to parse, in bytes. */
const LONG_BYTES = 256 * 1024;
/** About how much memory an array or object takes in addition to its text. */
const CONTAINER_BYTES = 64;
/** About how much memory any other value takes in addition to its text. */
const VALUE_BYTES = 16;
const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * Makes an MCP endpoint for clients of every revision. To listen on a port, use `listenHttp`.
 *
 * @throws {TypeError} When the resource metadata is incomplete, or scopes are required without `authenticate`.
 *
 * @example
 * ```ts
 * import { createServer } from "@architrave/architrave";
 * import { createHttpHandler } from "@architrave/architrave/http";
 *
 * const server = createServer({ info: { name: "docs", version: "1.0.0" } });
 * const handler = createHttpHandler(server);
 * export default { fetch: (request: Request) => handler.fetch(request) };
 * ```
 */
export function createHttpHandler(server: Server, options: HttpHandlerOptions = {}): HttpHandler {
  const {
    path: ownPath = "/mcp",
    maxBodyBytes = 4 * 1024 * 1024,
    bodyTimeoutMs = 30_000,
    maxBytes = Math.max(64 * 1024 * 1024, 4 * maxBodyBytes),
    graceMs = 5000,
    onaudit,
    onerror = printHttpFailure,
  } = options;
  if (!/^\/[^?#\s]*$/.test(ownPath)) {
    throw new TypeError(
      `Cannot serve the path "${ownPath}": it must begin with "/" and have no "?", "#" or space`,
    );
  }
  const guard = createGuard(options.allowedHosts, options.allowedOrigins);
  const metadata = options.resourceMetadata && metadataDocument(options.resourceMetadata);
  /** The requests that wait for their body or response. */
  const pending = new Ticker(TICK_MS, checkTime);
  const streams = new Streams(options, metadata?.url);
  const shares = new Shares({
    requests: options.maxRequests ?? 1000,
    connections: options.maxConnections ?? 2000,
    bytes: maxBytes,
    streams: options.maxStreams ?? 1000,
    sessions: options.maxSessions ?? 10_000,
    stored: 64 * 1024 * 1024,
    replays: 64 * 1024 * 1024,
  }, options.onrefused);
  const sessions = new Sessions(server, streams, options, report);
  if (options.requiredScopes?.length && !options.authenticate) {
    throw new TypeError("Cannot require scopes without authenticate: no client would have any");
  }
  const authenticate = createAuthenticator(options, metadata?.url, shares.refuse.bind(shares));
  let closing: Promise<number> | undefined;

  async function respond(exchange: HttpExchange): Promise<void> {
    let request: HttpRequest | undefined;
    exchange.sendTimeoutMs = options.sendTimeoutMs ?? exchange.sendTimeoutMs;
    if (onaudit) audit(exchange, onaudit, () => request);
    try {
      request = await admit(exchange);
      if (request) await (exchange.method === "POST" ? post(request) : getOrDelete(request));
    } catch (cause) {
      report(cause);
      const status = statusOf(cause instanceof RpcError ? cause : undefined) ?? 500;
      // The others are counted where they are thrown, with the exact reason.
      if (![401, 403, 429, 503].includes(status)) shares.refuse(`${status}`);
      try {
        respondWithError(exchange, cause, request);
      } catch (second) {
        report(second);
      }
    }
    if (!request) return;
    // The request counts until its response was sent. A stream that was opened to stay open does not count as a request.
    if (exchange.sent && request.isWorking) await exchange.sent;
    request.release();
  }

  /** Reports errors that the client does not see: the cause of an `RpcError`, and any other error. */
  function report(cause: unknown): void {
    const unexpected = cause instanceof RpcError ? cause.cause : cause;
    if (unexpected !== undefined) onerror(unexpected);
  }

  /** Checks, authenticates and counts a request. Returns undefined if it has already been answered. */
  async function admit(exchange: HttpExchange): Promise<HttpRequest | undefined> {
    const { method, target } = exchange;
    const [, authority, rest] = TARGET.exec(target)!;
    const path = rest || "/";
    // Before the host is checked, because health checks use an IP address as host. They get no other information.
    if (path === "/healthz" || path === "/readyz") {
      const isHealthy = path === "/healthz" || (!closing && (await options.ready?.() ?? true));
      const fields = { "content-type": "text/plain", "cache-control": "no-store" };
      return void exchange.respond(isHealthy ? 200 : 503, fields, [isHealthy ? "ok\n" : "not ready\n"]);
    }
    let origin: string | undefined;
    try {
      origin = guard(exchange, authority);
    } catch (cause) {
      shares.refuse("host", `a request from ${networkOf(exchange.remoteAddress)}: ${reasonOf(cause)}`);
      throw cause;
    }
    if (options.cors && origin !== undefined) {
      exchange.fields = {
        "access-control-allow-origin": origin,
        "access-control-expose-headers": "Mcp-Session-Id, WWW-Authenticate",
        vary: "Origin",
      };
      if (method === "OPTIONS") {
        return void exchange.respond(204, {
          "access-control-allow-methods": "POST, GET, DELETE",
          // Tools may define their own fields (`x-mcp-header`), whose values are checked with the request.
          "access-control-allow-headers": exchange.header("access-control-request-headers") ?? "",
          "access-control-max-age": "600",
        });
      }
    }
    if (method === "GET" && metadata?.paths.has(path)) {
      const fields = { ...JSON_FIELDS, "cache-control": "max-age=3600" };
      return void exchange.respond(200, fields, [metadata.body]);
    }
    if (path !== ownPath) {
      const isPage = path === "/" && method === "GET" && exchange.header("accept")?.includes("text/html");
      if (isPage) return void respondWithPage(exchange, ownPath);
      throw new HttpError(404, `Not found: MCP is at ${ownPath}`);
    }
    if (closing) throw unavailable(CLOSING);
    const address = shares.of(networkOf(exchange.remoteAddress));
    address.reserve("requests");
    if (!authenticate) return new HttpRequest(exchange, address, streams);
    const authenticated = await authenticate(exchange, address).finally(() => address.count("requests", -1));
    // From now on the request counts for its principal instead of its address.
    const share = shares.of(`principal ${authenticated.principal}`);
    share.reserve("requests");
    return new HttpRequest(exchange, share, streams, authenticated);
  }

  async function post(request: HttpRequest): Promise<void> {
    const { exchange: { header, remoteAddress }, exchange, acceptsJson, acceptsEvents } = request;
    if (!JSON_TYPE.test(header("content-type") ?? "")) {
      throw new HttpError(415, "The body must be JSON: send Content-Type: application/json");
    }
    if (!/^(?:identity)?$/i.test(header("content-encoding")?.trim() ?? "")) {
      const fields = { "accept-encoding": "identity" };
      throw new HttpError(415, "The body must not be compressed: leave out Content-Encoding", { fields });
    }
    if (!acceptsJson && !acceptsEvents) {
      throw new HttpError(406, "Accept application/json and text/event-stream");
    }
    const [value, text] = await readJson(request);
    if (onaudit) request.audited = auditedMessages(value, header);
    const session = needsSession(value, exchange) ? await openSession(request) : undefined;
    // Another request may have ended it in the meantime.
    if (session?.isEnded) throw closing ? unavailable(CLOSING) : sessionNotFound();
    const context: MessageContext = {
      receivedAt: Date.now(),
      size: Number(header("content-length") ?? 0),
      sessionId: session?.id,
      sessionState: session?.state,
      header,
      remoteAddress,
      authentication: request.authenticated,
    };
    if (session) void session.connection.receive(value, context, request, text);
    else await answer(request, value, text, context);
    if (request.isAnswered) return;
    pending.add(request);
    await request.answered;
    pending.items.delete(request);
  }

  /** Answers a message without a session: a request of a modern revision, a handshake or a ping. */
  async function answer(request: HttpRequest, value: unknown, text: string, context: MessageContext) {
    const message = readMessage(value, text);
    if (message.method === undefined || message.id === undefined) return request.reply(undefined);
    const { method, params } = message;
    const meta = modernMeta(params);
    const isHandshake = method === "initialize" && !meta;
    const session = isHandshake ? new Session() : request.share.session;
    const call = request.call = new Call<AcceptedRequest>(
      message,
      context,
      request,
      (call) => server.accept(session, call),
    );
    if (method === "subscriptions/listen") {
      if (!request.acceptsEvents) throw new HttpError(406, NEEDS_EVENTS);
      request.share.check("streams");
    }
    const mismatch = meta && await findMismatch(message, meta, context.header!, server);
    if (mismatch) {
      const reason = `Header mismatch: ${mismatch}`;
      throw new McpError(McpErrorCode.headerMismatch, reason, undefined, { status: 400 });
    }
    const response = server.handle(call);
    if (isHandshake && !(await response).error && session.negotiated) {
      const token = await sessions.begin(session.negotiated, request);
      request.exchange.fields = { ...request.exchange.fields, "mcp-session-id": token };
    }
    if (response instanceof Promise) return void response.then((later) => request.reply(later, call));
    request.reply(response, call);
  }

  /** Reads and parses the body, and counts the memory that a large one takes. */
  async function readJson(request: HttpRequest): Promise<[value: unknown, text: string]> {
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array | undefined>();
    // `reject` itself: V8 moves a closure that is stored in a property, and thus the request, into its old generation.
    request.rejectBody = reject;
    pending.add(request);
    try {
      request.exchange.readBody(maxBodyBytes, (bytes) => request.reserve(bytes)).then(
        resolve,
        (cause) => reject(cause instanceof HttpError ? cause : bodyError(400, INCOMPLETE)),
      );
      const bytes = await promise;
      if (!bytes) throw bodyError(413, `The body is longer than ${maxBodyBytes} bytes`);
      // Parses one long body per turn of the event loop, so that other requests are served in between.
      if (bytes.length > LONG_BYTES) await nextTurn();
      const text = decoder.decode(bytes);
      if (bytes.length > SMALL_BYTES) {
        const { containers, commas } = countValues(text);
        const size = CONTAINER_BYTES * containers + VALUE_BYTES * commas;
        if (size > maxBytes / 2) throw bodyError(413, "The body has too many values: send fewer");
        request.reserve(size);
      }
      return [parseJson(text), text];
    } catch (cause) {
      if (cause instanceof RpcError && cause.code !== ErrorCode.parse) throw cause;
      // It was thrown by `parseJson` or by the decoder.
      const form = cause instanceof RpcError ? "JSON" : "UTF-8";
      throw new RpcError(ErrorCode.parse, `Parse error: the body is not valid ${form}`);
    } finally {
      request.rejectBody = undefined;
      pending.items.delete(request);
    }
  }

  /** Rejects a slow body, and turns a slow response into a stream, so that no proxy times out. */
  function checkTime(request: HttpRequest, elapsedMs: number): void {
    const { exchange, session, rejectBody } = request;
    if (rejectBody) {
      if (elapsedMs >= bodyTimeoutMs) rejectBody(bodyError(408, "The body took too long to arrive"));
      return;
    }
    // Not before: on some runtimes it is expensive to watch for disconnects. In a session the client may reconnect.
    if (elapsedMs === TICK_MS && !session) {
      exchange.onDisconnect(() => request.cancel("The client has closed the connection"));
    }
    const maxMs = session || exchange.noticesLeaving ? Infinity : UNNOTICED_MS;
    if (elapsedMs >= Math.min(streams.keepAliveMs, maxMs)) request.begin();
  }

  /** A GET opens or takes over the notification stream of a session, or resumes a response. A DELETE ends the session. */
  async function getOrDelete(request: HttpRequest): Promise<void> {
    const { exchange: { header, method }, exchange, acceptsEvents } = request;
    const isModern = MODERN_REVISIONS.has(header("mcp-protocol-version") ?? "");
    if (header("mcp-session-id") === undefined || isModern || !["GET", "DELETE"].includes(method)) {
      throw new HttpError(405, "This method is not allowed here: use POST", { fields: { allow: "POST" } });
    }
    const session = await openSession(request);
    if (method === "DELETE") {
      await sessions.end(session);
      return exchange.respond(204, {});
    }
    if (!acceptsEvents) throw new HttpError(406, NEEDS_EVENTS);
    if (session.isEnded) throw closing ? unavailable(CLOSING) : sessionNotFound();
    sessions.listen(session, request);
  }

  /** Finds the session that a request names. */
  async function openSession(request: HttpRequest): Promise<ServedSession> {
    const { header } = request.exchange;
    const token = header("mcp-session-id"), version = header("mcp-protocol-version");
    if (token === undefined) {
      throw new HttpError(
        400,
        "The request names no session: call initialize and send the Mcp-Session-Id of its response, or send the " +
          "protocol version in params._meta and in MCP-Protocol-Version",
      );
    }
    if (version !== undefined && !LEGACY_REVISIONS.has(version)) {
      const versions = [...LEGACY_REVISIONS.keys()].join(", ");
      throw new HttpError(400, `MCP-Protocol-Version must be a version with sessions: ${versions}`);
    }
    return request.session = await sessions.open(token, request);
  }

  async function close(): Promise<number> {
    for (const { session } of shares.byName.values()) session.subscriptions.endAll();
    for (const { notices } of sessions.byId.values()) notices?.drop();
    const waiting = [...pending.items.keys()].filter(({ rejectBody }) => !rejectBody);
    await withTimeout(Promise.all(waiting.map(({ answered }) => answered)), graceMs, undefined);
    const unfinished = [...pending.items.keys()].filter(({ isAnswered, rejectBody }) =>
      !isAnswered && !rejectBody
    );
    for (const request of pending.items.keys()) {
      request.giveUp(CLOSING);
      // `sessions.close` below does not close an expired session.
      void request.session?.connection.close(CLOSING);
    }
    sessions.close();
    // Gives the last writes time to leave.
    await pause(0);
    streams.close();
    pending.stop();
    shares.report.flush();
    shares.report.stop();
    if (unfinished.length > 0) {
      onerror(`${count(unfinished.length, "request")} given up: ${CLOSING}`);
    }
    return unfinished.length;
  }

  function connect(remoteAddress: string | undefined): (() => void) | undefined {
    const share = shares.of(networkOf(remoteAddress));
    if (!share.fits("connections")) return void share.overLimit("connections");
    share.count("connections", 1);
    return () => share.count("connections", -1);
  }

  const fetch = fetchListener(respond);
  return {
    fetch,
    respond,
    connect,
    sessions: sessions.byId,
    usage: shares,
    close: () => closing ??= close(),
  };
}

/** Whether a message needs a session: a batch, a response or a legacy message, except for a handshake or a ping without one. */
function needsSession(value: unknown, { header }: HttpExchange): boolean {
  // A value that is not an object has none of these members.
  const { method, id, params, result, error } = (value ?? {}) as JsonObject;
  if (method === undefined) return Array.isArray(value) || result !== undefined || error !== undefined;
  if (MODERN_REVISIONS.has(header("mcp-protocol-version") ?? "")) return false;
  const isCall = typeof method === "string" && id !== undefined;
  if (isCall && (method === "initialize" || modernMeta(params))) return false;
  return method !== "ping" || header("mcp-session-id") !== undefined;
}

/** The error for a body that is not read to its end. The connection is closed, because it cannot be used again. */
function bodyError(status: number, reason: string): HttpError {
  return new HttpError(status, reason, { fields: { connection: "close" } });
}
