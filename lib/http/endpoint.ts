/**
 * The MCP endpoint: a request is checked, authenticated and read, and its message is passed to a JSON-RPC connection. A
 * modern request has a connection of its own; requests of a legacy session share the session's.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 */

import type { Awaitable } from "../base/async.ts";
import type { ConnectionOptions } from "../jsonrpc/connection.ts";
import type { FetchInfo } from "../platform/fetch_exchange.ts";
import type { Fields, HttpExchange, HttpResponder } from "../platform/http.ts";
import type { ServerCall } from "../server/handlers.ts";
import type { Server } from "../server/server.ts";
import type { Arrival } from "../server/session.ts";
import type { MessageContext } from "../transport/transport.ts";
import type { Authenticated, MetadataDocument } from "./authentication.ts";
import type { Accepted } from "./guard.ts";
import type { FullOptions, HttpOptions } from "./options.ts";
import type { HttpSession } from "./sessions.ts";
import { andThen } from "../base/async.ts";
import { isObject } from "../base/json.ts";
import { Connection } from "../jsonrpc/connection.ts";
import {
  ErrorCode,
  failure,
  isRequest,
  MalformedMessageError,
  parseJson,
  readMessage,
  RpcError,
  toErrorObject,
} from "../jsonrpc/message.ts";
import { fetchListener } from "../platform/fetch_exchange.ts";
import { modernRevision, REVISIONS } from "../protocol/revisions.ts";
import { metaOf, Session, statesRevision } from "../server/session.ts";
import { MAX_SUBSCRIPTIONS } from "../server/subscriptions.ts";
import { challenged, metadataDocument } from "./authentication.ts";
import { HttpError, JSON_FIELDS, respondWithError, unavailable } from "./error.ts";
import { EVENT_FIELDS, EventStream, OpenStreams, Timeouts, toEvent } from "./events.ts";
import { answerPreflight, corsFields, Guard, isJson, readAccept, readTarget, withFields } from "./guard.ts";
import { checkHeaders } from "./header_checks.ts";
import { closeSession, resumeStream, serveNotices, stopNotices } from "./notices.ts";
import { withDefaults } from "./options.ts";
import { Replays } from "./replay.ts";
import { PostOutlet } from "./response.ts";
import { MemorySessionStore } from "./session_store.ts";
import { Sessions } from "./sessions.ts";

/** Serves MCP over HTTP; give one of its functions to whatever listens. */
export interface HttpHandler {
  /** Answers a web request, for Deno, Bun and workers. Never rejects. */
  readonly fetch: (request: Request, info?: FetchInfo) => Promise<Response>;
  /** Answers an exchange, for `nodeListener`, which avoids web objects on Node. */
  readonly respond: HttpResponder;
  /** Takes no more requests, ends all streams, and settles when everything is answered or the grace period is over. */
  close(): Promise<void>;
}

/**
 * Makes an MCP endpoint for clients of every revision. It does not listen by itself; see `listenHttp`.
 *
 * @throws {TypeError} When the resource metadata is incomplete.
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
export function createHttpHandler(server: Server, options: HttpOptions = {}): HttpHandler {
  const endpoint = new Endpoint(server, withDefaults(options));
  const respond: HttpResponder = (exchange) => endpoint.respond(exchange);
  return { fetch: fetchListener(respond), respond, close: () => endpoint.close() };
}

/** A client, as far as the server can tell: a principal, or an address without authentication. */
interface Client {
  /** The state of its modern requests, and the behaviour of their connections. */
  readonly session: Session;
  readonly options: ConnectionOptions<MessageContext, Arrival>;
  /** Requests without a response, and open subscription streams. Clients with any are not evicted. */
  working: number;
  streams: number;
}

/** A request that was admitted. */
export interface HttpRequest {
  readonly exchange: HttpExchange;
  readonly accepted: Accepted;
  readonly client: Client;
  readonly authenticated: Authenticated | undefined;
  /** Whether it counts among the requests without a response. */
  isWorking: boolean;
}

/** The limit of remembered clients. */
const MAX_CLIENTS = 10_000;
/** Where a disconnect is not noticed, a slow response begins after this time, in milliseconds, which shows it. */
const UNNOTICED_MS = 1000;
/** How often it is checked whether everything is answered while the endpoint closes, in milliseconds. */
const CLOSE_CHECK_MS = 20;

const LEGACY_IDS: ReadonlySet<string> = new Set(
  REVISIONS.filter(({ era }) => era === "legacy").map(({ id }) => id),
);
const decoder = new TextDecoder("utf-8", { fatal: true });

/** An endpoint. */
export class Endpoint {
  readonly server: Server;
  readonly sessions: Sessions;
  readonly replays: Replays;
  readonly timeouts: Timeouts = new Timeouts();
  readonly #options: FullOptions;
  readonly #guard: Guard;
  readonly #metadata: MetadataDocument | undefined;
  readonly #streams: OpenStreams;
  readonly #clients = new Map<string, Client>();
  /** The requests that are not answered yet. */
  readonly #waiting = new Set<{ readonly connection: Connection<MessageContext, Arrival> }>();
  #working = 0;
  #closing: Promise<void> | undefined;

  constructor(server: Server, options: FullOptions) {
    this.server = server;
    this.#options = options;
    this.#guard = new Guard(options.allowedHosts, options.allowedOrigins);
    this.#metadata = options.resourceMetadata && metadataDocument(options.resourceMetadata);
    const store = options.sessionStore ?? new MemorySessionStore();
    this.sessions = new Sessions(
      server,
      store,
      options.sessionLifetimeMs,
      (cause) => this.report(cause instanceof HttpError ? cause.cause : cause),
    );
    this.replays = new Replays(options.retention);
    this.#streams = new OpenStreams(options.keepAliveMs);
  }

  /** Answers a request. Never throws and never rejects. */
  async respond(exchange: HttpExchange): Promise<void> {
    try {
      await this.#route(exchange);
    } catch (cause) {
      if (!(cause instanceof HttpError)) this.report(cause);
      else if (cause.cause !== undefined) this.report(cause.cause);
      this.#respondWithError(exchange, cause);
    }
  }

  /** Reports what no client is told. */
  report(cause: unknown): void {
    this.#options.onerror?.(cause);
  }

  /** See `HttpHandler.close`. */
  close(): Promise<void> {
    return this.#closing ??= this.#close();
  }

  /**
   * Checks the limits of subscription streams.
   *
   * @throws {HttpError} 503 when there are too many in all, 429 when the client has too many.
   */
  checkStreamLimit(client: Client, id?: string | number): void {
    const fields = { "retry-after": "30" };
    if (this.#streams.size >= this.#options.maxStreams) {
      throw new HttpError(503, "Too many streams are open: try again later", { fields });
    }
    if (client.streams < MAX_SUBSCRIPTIONS) return;
    // Not 503, which load balancers take for an unhealthy server.
    throw new HttpError(
      429,
      `Cannot open one more stream: this client has ${MAX_SUBSCRIPTIONS}; close one first`,
      { id, fields },
    );
  }

  /** Opens a stream that stays open as long as the client likes, so its request no longer counts as working. */
  openSubscription(request: HttpRequest): EventStream {
    this.#finish(request);
    const { client } = request;
    const events = this.#openStream(request.exchange);
    client.streams++;
    events.onclose = () => client.streams--;
    return events;
  }

  #openStream(exchange: HttpExchange, fields: Fields = {}): EventStream {
    const events = new EventStream(exchange.stream(200, { ...EVENT_FIELDS, ...fields }), this.#streams);
    exchange.onDisconnect(() => events.disconnected());
    return events;
  }

  #respondWithError(exchange: HttpExchange, cause: unknown): void {
    try {
      respondWithError(exchange, cause);
    } catch (again) {
      // The response had begun.
      this.report(again);
    }
  }

  #route(exchange: HttpExchange): void | Promise<void> {
    const target = readTarget(exchange.target);
    const { path } = target;
    // Health checks use the address as host and learn nothing else.
    if (path === "/healthz" || path === "/readyz") return this.#serveHealth(exchange, path === "/readyz");
    const origin = this.#guard.check(exchange, target);
    if (this.#options.cors && origin !== undefined) return this.#routeCors(exchange, path, origin);
    return this.#routePath(exchange, path);
  }

  async #routeCors(exchange: HttpExchange, path: string, origin: string): Promise<void> {
    const open = withFields(exchange, corsFields(origin));
    try {
      if (exchange.method === "OPTIONS") answerPreflight(open);
      else await this.#routePath(open, path);
    } catch (cause) {
      this.#respondWithError(open, cause);
    }
  }

  #routePath(exchange: HttpExchange, path: string): void | Promise<void> {
    if (this.#metadata?.paths.has(path)) {
      if (exchange.method !== "GET") throw methodNotAllowed("GET");
      return exchange.respond(200, { ...JSON_FIELDS, "cache-control": "max-age=3600" }, [
        this.#metadata.body,
      ]);
    }
    if (path !== this.#options.path) throw new HttpError(404, `Not found: MCP is at ${this.#options.path}`);
    const { authenticate, maxRequests } = this.#options;
    if (this.#closing) throw unavailable("The server is shutting down");
    if (this.#working >= maxRequests) throw unavailable("Too many requests are being served");
    if (!authenticate) return this.#serve(exchange, undefined);
    return this.#authenticate(exchange).then((authenticated) => this.#serve(exchange, authenticated));
  }

  async #serveHealth(exchange: HttpExchange, isReadiness: boolean): Promise<void> {
    const isWell = !isReadiness || (!this.#closing && (await this.#options.ready?.() ?? true));
    exchange.respond(isWell ? 200 : 503, { "content-type": "text/plain", "cache-control": "no-store" }, [
      isWell ? "ok\n" : "not ready\n",
    ]);
  }

  async #authenticate(exchange: HttpExchange): Promise<Authenticated> {
    const found = await this.#options.authenticate!({
      method: exchange.method,
      remoteAddress: exchange.remoteAddress,
      header: (name) => exchange.header(name),
    });
    if ("principal" in found) return found;
    throw challenged(found, this.#metadata?.url);
  }

  async #serve(exchange: HttpExchange, authenticated: Authenticated | undefined): Promise<void> {
    const client = this.#clientOf(
      authenticated ? `principal ${authenticated.principal}` : exchange.remoteHost ?? "",
    );
    const accepted = readAccept(exchange.header("accept"));
    const request: HttpRequest = { exchange, accepted, client, authenticated, isWorking: true };
    this.#working++;
    client.working++;
    try {
      if (exchange.method === "POST") await this.#post(request);
      else await this.#getOrDelete(request);
    } finally {
      this.#finish(request);
      client.working--;
    }
  }

  #finish(request: HttpRequest): void {
    if (!request.isWorking) return;
    request.isWorking = false;
    this.#working--;
  }

  #clientOf(key: string): Client {
    let client = this.#clients.get(key);
    if (!client) {
      const session = new Session();
      session.toolCalls = this.server.toolCallLimit();
      // Modern clients cancel by closing the connection.
      const options = this.server.connectionOptions(session, () => {});
      client = {
        session,
        options: {
          ...options,
          onrequest: (request, call) => {
            try {
              const checked = checkHeaders(request, call.context.header!, this.server);
              return checked instanceof Promise
                ? checked.then(
                  () => options.onrequest(request, call),
                  (cause) => failWith(request.id, call, cause),
                )
                : options.onrequest(request, call);
            } catch (cause) {
              return failWith(request.id, call, cause);
            }
          },
          rules: () => STATELESS_RULES,
        },
        working: 0,
        streams: 0,
      };
    } else if (this.#clients.size > 1) this.#clients.delete(key);
    // Inserted last, so that the least recently seen client is first.
    this.#clients.set(key, client);
    if (this.#clients.size > MAX_CLIENTS) {
      for (const [key, { working, streams }] of this.#clients) {
        if (working > 0 || streams > 0) continue;
        this.#clients.delete(key);
        break;
      }
    }
    return client;
  }

  async #getOrDelete(request: HttpRequest): Promise<void> {
    const { exchange } = request;
    const { method } = exchange;
    const hasSession = exchange.header("mcp-session-id") !== undefined;
    if (!hasSession || isModern(exchange) || !["GET", "DELETE"].includes(method)) {
      throw methodNotAllowed("POST");
    }
    const session = await this.#sessionOf(request);
    if (method === "GET") return serveNotices(this, request, session);
    await this.sessions.end(session);
    closeSession(this, session, "The client has ended the session");
    exchange.respond(204, {});
  }

  /** The session that a request names. */
  #sessionOf({ exchange, authenticated, client }: HttpRequest): Awaitable<HttpSession> {
    const token = exchange.header("mcp-session-id");
    if (token === undefined) {
      throw new HttpError(
        400,
        "The request names no session: begin one with initialize and send its Mcp-Session-Id, or state the protocol " +
          "version in params._meta and in MCP-Protocol-Version",
      );
    }
    const version = exchange.header("mcp-protocol-version");
    if (version !== undefined && !LEGACY_IDS.has(version)) {
      throw new HttpError(
        400,
        `MCP-Protocol-Version is not one that has sessions: ${[...LEGACY_IDS].join(", ")}`,
      );
    }
    return andThen(this.sessions.open(token, authenticated?.principal), (session) => {
      // The limit is per client, not per session.
      session.state.toolCalls = client.session.toolCalls;
      return session;
    });
  }

  async #post(request: HttpRequest): Promise<void> {
    const { exchange, accepted } = request;
    if (!isJson(exchange.header("content-type"))) {
      throw new HttpError(415, "The body must be JSON: send Content-Type: application/json");
    }
    if (!accepted.json && !accepted.events) {
      throw new HttpError(406, "Accept application/json and text/event-stream");
    }
    const value = toJson(await this.#readBody(exchange), this.#options.maxBodyBytes);
    if (Array.isArray(value)) return await this.#receiveInSession(request, value);
    const { method, id, result, error } = isObject(value) ? value : {};
    const isCall = typeof method === "string" && id !== undefined;
    if (isCall && statesRevision(metaOf(value as object))) return await this.#receiveAlone(request, value);
    if (isCall && method === "initialize") return await this.#handshake(request, value);
    const hasSession = exchange.header("mcp-session-id") !== undefined;
    const isMessage = method !== undefined || result !== undefined || error !== undefined;
    const isAlone = !isMessage || (method === "ping" && !hasSession) ||
      (isModern(exchange) && method !== undefined);
    return await (isAlone ? this.#receiveAlone(request, value) : this.#receiveInSession(request, value));
  }

  #readBody(exchange: HttpExchange): Promise<Uint8Array | undefined> {
    const { maxBodyBytes, bodyTimeoutMs } = this.#options;
    return new Promise((resolve, reject) => {
      const check = (elapsedMs: number): void => {
        if (elapsedMs < bodyTimeoutMs) return;
        this.timeouts.delete(check);
        reject(new HttpError(408, "The body took too long to arrive", { fields: { connection: "close" } }));
      };
      this.timeouts.add(check);
      exchange.readBody(maxBodyBytes).then(
        resolve,
        () => reject(new HttpError(400, "The body is incomplete")),
      )
        .finally(() => this.timeouts.delete(check));
    });
  }

  /** A request that states its revision: it has a connection of its own, and disconnecting cancels it. */
  #receiveAlone(request: HttpRequest, value: unknown): void | Promise<void> {
    const { exchange, accepted, client } = request;
    const { method, id } = isObject(value) ? value : {};
    const isListen = method === "subscriptions/listen";
    if (isListen) {
      const requestId = typeof id === "string" || typeof id === "number" ? id : undefined;
      if (!accepted.events) {
        throw new HttpError(406, "This request is answered with a stream: accept text/event-stream", {
          id: requestId,
        });
      }
      this.checkStreamLimit(client, requestId);
    }
    const outlet = new PostOutlet(exchange, accepted, () => {
      const stream = isListen ? this.openSubscription(request) : this.#openStream(exchange);
      return { send: (message) => stream.write(toEvent(message)), end: () => stream.end() };
    }, { isLegacy: false });
    const connection = new Connection<MessageContext, Arrival>(undefined, client.options);
    connection.receive(value, contextOf(request), outlet);
    if (outlet.done === undefined) return;
    return this.#wait(
      connection,
      outlet,
      () => {
        exchange.onDisconnect(() => void connection.close("The client has closed the connection"));
      },
      exchange.noticesLeaving ? this.#options.keepAliveMs : Math.min(this.#options.keepAliveMs, UNNOTICED_MS),
    );
  }

  /** A message, or a batch, of a session. */
  async #receiveInSession(request: HttpRequest, value: unknown): Promise<void> {
    const { exchange, accepted } = request;
    const session = await this.#sessionOf(request);
    const outlet = new PostOutlet(exchange, accepted, () => {
      const stream = this.replays.open(session, "response");
      resumeStream(this.#openStream(exchange), exchange, session, stream, 0);
      return stream;
    }, { isLegacy: true, canResume: session.state.negotiated?.revision.primesStreams ?? false });
    session.connection.receive(value, contextOf(request, session.claims.id), outlet);
    if (outlet.done) await this.#wait(session.connection, outlet, undefined, this.#options.keepAliveMs);
  }

  /** An `initialize` begins a session. */
  async #handshake(request: HttpRequest, value: unknown): Promise<void> {
    const { exchange, accepted, authenticated } = request;
    const message = readOne(value);
    if (!isRequest(message)) throw new HttpError(400, "Invalid request: initialize is a request");
    const state = new Session();
    const call: ServerCall = {
      signal: new AbortController().signal,
      context: contextOf(request),
      notify: () => undefined,
    };
    const response = await this.server.handle(message, state, call);
    let fields: Fields = {};
    if (!response.error && state.negotiated) {
      const { token } = await this.sessions.begin(state.negotiated, authenticated?.principal);
      fields = { "mcp-session-id": token };
    }
    if (accepted.json) {
      return exchange.respond(200, { ...JSON_FIELDS, ...fields }, [JSON.stringify(response)]);
    }
    const stream = this.#openStream(exchange, fields);
    stream.write(toEvent(response));
    stream.end();
  }

  /** Waits for a response; after `streamMs` it becomes a stream, so that nothing between gives up. */
  async #wait(
    connection: Connection<MessageContext, Arrival>,
    outlet: PostOutlet,
    onslow: (() => void) | undefined,
    streamMs: number,
  ): Promise<void> {
    let isSlow = false;
    const check = (elapsedMs: number): void => {
      // Watching for disconnects is expensive on some runtimes, and most responses are there before the first tick.
      if (!isSlow) onslow?.();
      isSlow = true;
      if (elapsedMs >= streamMs) outlet.begin();
    };
    this.timeouts.add(check);
    const waiting = { connection };
    this.#waiting.add(waiting);
    try {
      await outlet.done;
    } finally {
      this.timeouts.delete(check);
      this.#waiting.delete(waiting);
    }
  }

  async #close(): Promise<void> {
    for (const { session } of this.#clients.values()) session.subscriptions.endAll();
    for (const session of this.sessions.cached) stopNotices(this, session);
    const deadline = performance.now() + this.#options.graceMs;
    while (this.#waiting.size > 0 && performance.now() < deadline) await pause(CLOSE_CHECK_MS);
    for (const { connection } of this.#waiting) void connection.close("The server is shutting down");
    // Lets the last writes leave.
    await pause(0);
    this.#streams.cutAll();
    this.timeouts.stop();
  }
}

/** Requests that stand alone cannot be batched. */
const STATELESS_RULES = { batches: false, unreadableId: undefined } as const;

function failWith(id: string | number, call: ServerCall, cause: unknown) {
  if (!(cause instanceof RpcError)) throw cause;
  call.status = cause.status;
  return failure(id, toErrorObject(cause));
}

function isModern(exchange: HttpExchange): boolean {
  return modernRevision(exchange.header("mcp-protocol-version") ?? "") !== undefined;
}

/** How a message came. */
function contextOf({ exchange, authenticated }: HttpRequest, sessionId?: string): MessageContext {
  const { remoteAddress } = exchange;
  return {
    receivedAt: Date.now(),
    size: Number(exchange.header("content-length") ?? 0),
    header: (name) => exchange.header(name),
    ...(remoteAddress === undefined ? {} : { remoteAddress }),
    ...(authenticated === undefined ? {} : { authentication: authenticated }),
    ...(sessionId === undefined ? {} : { sessionId }),
  };
}

function toJson(bytes: Uint8Array | undefined, maxBytes: number): unknown {
  if (!bytes) {
    throw new HttpError(413, `The body is longer than ${maxBytes} bytes`, {
      fields: { connection: "close" },
    });
  }
  try {
    return parseJson(decoder.decode(bytes));
  } catch (cause) {
    const isText = cause instanceof MalformedMessageError;
    throw new HttpError(400, `Parse error: the body is not valid ${isText ? "JSON" : "UTF-8"}`, {
      code: ErrorCode.parse,
    });
  }
}

function readOne(value: unknown): ReturnType<typeof readMessage> {
  try {
    return readMessage(value);
  } catch (cause) {
    if (!(cause instanceof MalformedMessageError)) throw cause;
    const { code, message, id } = cause;
    throw new HttpError(400, message, { code, id });
  }
}

function methodNotAllowed(allow: string): HttpError {
  return new HttpError(405, `This method is not allowed here: use ${allow}`, { fields: { allow } });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
