/**
 * What happens to a request? It is let in or refused, read, and answered in the terms that it states: of a session, or
 * its own.
 */

import type { Message, Request as RpcRequest, Response as Answer } from "../jsonrpc/message.ts";
import type { FetchInfo } from "../platform/fetch_exchange.ts";
import type { HttpExchange, HttpResponder } from "../platform/http.ts";
import type { Awaitable } from "../base/async.ts";
import type { Server } from "../server/server.ts";
import type { Authenticated } from "./authentication.ts";
import type { Visit } from "./house.ts";
import type { MetadataDocument } from "./metadata.ts";
import type { FullOptions, HttpOptions } from "./options.ts";
import type { HttpSession } from "./sessions.ts";
import { isNotification, isRequest } from "../jsonrpc/message.ts";
import { fetchListener } from "../platform/fetch_exchange.ts";
import { andThen } from "../base/async.ts";
import { metaOf, statesRevision } from "../server/session.ts";
import { modernRevision } from "../protocol/revisions.ts";
import { isJson, readAccept } from "./accept.ts";
import { challenged } from "./authentication.ts";
import { readBatch, readBody, readOne, toJson } from "./body.ts";
import { answerPreflight, corsFields, Guard, readTarget, withFields } from "./guard.ts";
import { HttpContext } from "./context.ts";
import { House } from "./house.ts";
import { serveBatch, serveLegacy, sessionOf, shakeHands, takeAnswer, takeNotification } from "./legacy.ts";
import { metadataDocument } from "./metadata.ts";
import { serveModern } from "./modern.ts";
import { closeSession, serveNotices } from "./notices.ts";
import { withDefaults } from "./options.ts";
import { JSON_FIELDS, Refusal, refuse } from "./refusal.ts";
import { shutDown } from "./shutdown.ts";

/** Serves MCP over HTTP: give one of its functions to whatever listens. */
export interface HttpHandler {
  /** Answers a web request, for runtimes that serve these: Deno, Bun and workers. It never rejects. */
  readonly fetch: (request: Request, info?: FetchInfo) => Promise<Response>;
  /** Answers an exchange: for `nodeListener`, which spares Node the web objects. */
  readonly respond: HttpResponder;
  /** Takes no more requests, ends all streams properly, and settles when everything is answered or its grace is over. */
  close(): Promise<void>;
}

/**
 * Makes what answers MCP over HTTP, for clients of every revision at one endpoint.
 *
 * It listens to nothing by itself: see `listenHttp`, or give `fetch` to a runtime.
 *
 * @throws {TypeError} When the resource metadata does not say what it must.
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

class Endpoint {
  readonly #options: FullOptions;
  readonly #house: House;
  readonly #guard: Guard;
  readonly #metadata: MetadataDocument | undefined;
  #closing: Promise<void> | undefined;

  constructor(server: Server, options: FullOptions) {
    this.#options = options;
    this.#house = new House(server, options);
    this.#guard = new Guard(options.allowedHosts, options.allowedOrigins);
    this.#metadata = options.resourceMetadata && metadataDocument(options.resourceMetadata);
  }

  async respond(exchange: HttpExchange): Promise<void> {
    try {
      await this.#route(exchange);
    } catch (cause) {
      if (!(cause instanceof Refusal)) this.#house.report(cause);
      else if (cause.cause !== undefined) this.#house.report(cause.cause);
      this.#refuse(exchange, cause);
    }
  }

  close(): Promise<void> {
    return this.#closing ??= shutDown(this.#house);
  }

  #refuse(exchange: HttpExchange, cause: unknown): void {
    try {
      refuse(exchange, cause);
    } catch (again) {
      // The answer had begun.
      this.#house.report(again);
    }
  }

  #route(exchange: HttpExchange): void | Promise<void> {
    const target = readTarget(exchange.target);
    const { path } = target;
    // Whoever looks whether the process lives asks by its address, and learns nothing else.
    if (path === "/healthz" || path === "/readyz") {
      return this.#tellHealth(exchange, path === "/readyz");
    }
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
      this.#refuse(open, cause);
    }
  }

  #routePath(exchange: HttpExchange, path: string): void | Promise<void> {
    if (this.#metadata?.paths.has(path)) return this.#tellMetadata(exchange, this.#metadata);
    if (path === this.#options.path) return this.#visit(exchange);
    throw new Refusal(404, `There is nothing here: MCP is at ${this.#options.path}`);
  }

  async #tellHealth(exchange: HttpExchange, ready: boolean): Promise<void> {
    const isWell = !ready || (!this.#closing && (await this.#options.ready?.() ?? true));
    exchange.respond(isWell ? 200 : 503, { "content-type": "text/plain", "cache-control": "no-store" }, [
      isWell ? "ok\n" : "not ready\n",
    ]);
  }

  #tellMetadata(exchange: HttpExchange, { body }: MetadataDocument): void {
    if (exchange.method !== "GET") throw notAllowed("GET");
    exchange.respond(200, { ...JSON_FIELDS, "cache-control": "max-age=3600" }, [body]);
  }

  #visit(exchange: HttpExchange): Promise<void> {
    const { authenticate, maxRequests } = this.#options;
    if (this.#closing) throw unavailable("This server is about to end");
    if (this.#house.working >= maxRequests) throw unavailable("Too many requests are at work");
    if (!authenticate) return this.#admit(exchange, undefined);
    return this.#authenticated(exchange).then((authenticated) => this.#admit(exchange, authenticated));
  }

  async #admit(exchange: HttpExchange, authenticated: Authenticated | undefined): Promise<void> {
    const client = this.#house.clients.of(clientKey(exchange, authenticated));
    const visit: Visit = {
      house: this.#house,
      exchange,
      accepted: readAccept(exchange.header("accept")),
      client,
      authenticated,
      context: new HttpContext(exchange, authenticated),
      isAtWork: true,
    };
    this.#house.working++;
    client.working++;
    try {
      if (exchange.method === "POST") await this.#post(visit);
      else await this.#serveOther(visit);
    } finally {
      this.#house.rest(visit);
      client.working--;
    }
  }

  async #authenticated(exchange: HttpExchange): Promise<Authenticated> {
    const found = await this.#options.authenticate!({
      method: exchange.method,
      remoteAddress: exchange.remoteAddress,
      header: (name) => exchange.header(name),
    });
    if ("principal" in found) return found;
    throw challenged(found, this.#metadata?.url);
  }

  async #serveOther(visit: Visit): Promise<void> {
    const { house, exchange } = visit;
    const isOfSession = exchange.header("mcp-session-id") !== undefined;
    const isModern = modernRevision(exchange.header("mcp-protocol-version") ?? "") !== undefined;
    if (!isOfSession || isModern || !["GET", "DELETE"].includes(exchange.method)) throw notAllowed("POST");
    const session = await sessionOf(visit);
    if (exchange.method === "GET") return serveNotices(visit, session);
    await house.sessions.end(session);
    closeSession(house, session, "The client has ended the session");
    exchange.respond(204, {});
  }

  #post(visit: Visit): Promise<void> {
    const { exchange, accepted } = visit;
    if (!isJson(exchange.header("content-type"))) {
      throw new Refusal(415, "The body must be JSON: send Content-Type: application/json");
    }
    if (!accepted.json && !accepted.events) {
      throw new Refusal(406, "Accept application/json and text/event-stream");
    }
    return readBody(exchange, this.#options, this.#house.patience).then((bytes) => {
      const value = toJson(bytes, this.#options);
      return Array.isArray(value) ? this.#batch(visit, value) : this.#single(visit, readOne(value));
    });
  }

  #single(visit: Visit, message: Message): Awaitable<void> {
    const { exchange } = visit;
    const isModern = modernRevision(exchange.header("mcp-protocol-version") ?? "") !== undefined;
    if (isRequest(message)) {
      if (statesRevision(metaOf(message))) return serveModern(visit, message);
      if (message.method === "initialize") return shakeHands(visit, message);
      const isAlone = exchange.header("mcp-session-id") === undefined && message.method === "ping";
      if (isModern || isAlone) return serveModern(visit, message);
      return andThen(sessionOf(visit), (session) => serveLegacy(visit, session, message));
    }
    // No modern notification means anything here: whoever cancels closes the connection.
    if (isNotification(message) && isModern) return exchange.respond(202, {});
    return andThen(sessionOf(visit), (session) => {
      if (isNotification(message)) takeNotification(session, message);
      else takeAnswer(session, message);
      exchange.respond(202, {});
    });
  }

  async #batch(visit: Visit, values: readonly unknown[]): Promise<void> {
    const session = await sessionOf(visit);
    const messages = readBatch(values, session.connection);
    const requests: RpcRequest[] = [];
    const refused: Answer[] = [];
    let late: Refusal | undefined;
    for (const { message, refusal } of messages) {
      if (refusal) refused.push(refusal);
      else if (isRequest(message)) requests.push(message);
      else if (isNotification(message)) takeNotification(session, message);
      else late = refusalOf(session, message) ?? late;
    }
    if (requests.length + refused.length > 0) return await serveBatch(visit, session, requests, refused);
    // Nothing else of the batch is answered, so this can be said.
    if (late) throw late;
    visit.exchange.respond(202, {});
  }
}

/** An answer that nobody waits for, in a batch, is no reason to leave the requests beside it unanswered. */
function refusalOf(session: HttpSession, answer: Answer): Refusal | undefined {
  try {
    takeAnswer(session, answer);
    return undefined;
  } catch (cause) {
    if (cause instanceof Refusal) return cause;
    throw cause;
  }
}

function clientKey({ remoteHost }: HttpExchange, authenticated: Authenticated | undefined): string {
  return authenticated ? `principal ${authenticated.principal}` : remoteHost ?? "";
}

function notAllowed(allow: string): Refusal {
  return new Refusal(405, `This method is not served here: use ${allow}`, { fields: { allow } });
}

function unavailable(reason: string): Refusal {
  return new Refusal(503, `${reason}: try again later`, { fields: { "retry-after": "1" } });
}
