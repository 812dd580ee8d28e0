/** The MCP server. Every request, over every transport, is answered by `Server.handle`. */

import type { Awaitable } from "../base/async.ts";
import type { ConnectionOptions } from "../jsonrpc/connection.ts";
import type { Notification, Request, Response } from "../jsonrpc/message.ts";
import type { MethodRow } from "../protocol/methods.ts";
import type { Revision } from "../protocol/revisions.ts";
import type { MessageContext, Transport } from "../transport/transport.ts";
import type { Handler, HandlerEntry, ServerCall, ServerInfo, Services } from "./handlers.ts";
import type { PromptProvider, ResourceProvider } from "./provider.ts";
import type { Arrival } from "./session.ts";
import type { TokenSigner } from "./signer.ts";
import type { Notify } from "./subscriptions.ts";
import type { Tool, ToolSet } from "./tool.ts";
import type { Rate } from "./tool_registry.ts";
import { andThen } from "../base/async.ts";
import { isObject } from "../base/json.ts";
import { Connection } from "../jsonrpc/connection.ts";
import { failure, RawJson, RpcError, success, toErrorObject } from "../jsonrpc/message.ts";
import { invalidParams, methodNotFound } from "../protocol/errors.ts";
import { Meta, methodIn, Notifications } from "../protocol/methods.ts";
import { ClientInput, InputRequired } from "./client_input.ts";
import { ContextError, ExecutionContext } from "./context.ts";
import { HANDLERS, serverInfo } from "./handlers.ts";
import { Session } from "./session.ts";
import { Changes, Subscription } from "./subscriptions.ts";
import { fixedRate, TokenBucket, ToolRegistry } from "./tool_registry.ts";

/** The default page size. Large, because several clients never ask for the second page. */
const DEFAULT_PAGE_SIZE = 1000;
/** The default rate of tool calls: more than a model makes, but it stops one that loops. */
const TOOL_CALLS: Rate = { burst: 200, perSecond: 50 };

/** Options of a server. */
export interface ServerOptions {
  /** What the server says of itself. */
  readonly info: ServerInfo;
  /** How a model should use the server; clients cut it at about 2,000 characters. @default {none} */
  readonly instructions?: string;
  /** Resource providers, asked in this order. @default {none} */
  readonly resources?: readonly ResourceProvider[];
  /** Prompt providers, asked in this order. @default {none} */
  readonly prompts?: readonly PromptProvider[];
  /** Tools; they cannot change later. @default {none} */
  readonly tools?: readonly (Tool | ToolSet)[];
  /** The rate limit of tool calls for one client. @default {200 at once, 50 a second} */
  readonly toolCalls?: Rate;
  /** Whether tools may log to the client. @default {false} */
  readonly logging?: boolean;
  /**
   * Keys that sign tokens which clients keep for the server: at least 32 random bytes each. All processes that serve the
   * same clients need the same ones. The first signs; all verify, so keys can be rotated. @default {a random one}
   */
  readonly keys?: readonly Uint8Array[];
  /** The page size of lists, at least 1. @default {1000} */
  readonly pageSize?: number;
  /** Receives the sealed context of every request that was answered with a result. */
  readonly onanswer?: (context: ExecutionContext) => void;
  /** Receives every failure that was answered with a generic error, with the reference that the client got. */
  readonly onfailure?: (cause: unknown, reference: string) => void;
  /** Receives failures of transports. */
  readonly ontransporterror?: (error: Error) => void;
}

/**
 * Builds a server.
 *
 * @throws {TypeError} When the tools or their rate are invalid; a `RangeError` when the page size is.
 * @example
 * ```ts
 * import { createServer, documentProvider, loadPlatform, stdioTransport } from "@architrave/architrave";
 *
 * const platform = await loadPlatform();
 * const server = createServer({
 *   info: { name: "team-docs", version: "1.0.0" },
 *   resources: [documentProvider(platform, { root: "mcp" })],
 * });
 * const connection = await server.connect(stdioTransport(platform));
 * await connection.closed;
 * ```
 */
export function createServer(options: ServerOptions): Server {
  return new Server(options);
}

/** A server. What it serves is fixed; connect it to any number of transports. */
export class Server {
  readonly #options: ServerOptions;
  readonly #services: Services;
  /** Loaded handlers, by the function that loads them. */
  readonly #handlers = new Map<NonNullable<HandlerEntry["load"]>, Handler>();
  /** Serialised members that end modern results, by revision and `ttlMs`. */
  readonly #envelopes = new Map<string, string>();
  readonly #keys: readonly Uint8Array[] | undefined;
  #signer: Promise<TokenSigner> | undefined;
  #requests = 0;

  /** See `createServer`. */
  constructor(options: ServerOptions) {
    this.#options = options;
    this.#keys = options.keys?.map((key) => new Uint8Array(key));
    const pageSize = options.pageSize ?? DEFAULT_PAGE_SIZE;
    if (!Number.isInteger(pageSize) || pageSize < 1) {
      throw new RangeError(`Cannot build a server with a page size of ${pageSize}: it must be at least 1`);
    }
    const resources = Object.freeze([...options.resources ?? []]);
    const prompts = Object.freeze([...options.prompts ?? []]);
    this.#services = Object.freeze({
      info: Object.freeze({ ...options.info }),
      instructions: options.instructions,
      resources,
      prompts,
      pageSize,
      changes: new Changes({ resources, prompts }),
      tools: new ToolRegistry(options.tools ?? []),
      toolCalls: fixedRate(options.toolCalls ?? TOOL_CALLS),
      logging: options.logging ?? false,
      signer: () => this.signer(),
    });
  }

  /**
   * Signs tokens with the keys of the server.
   *
   * @throws {RangeError} When a key is too short.
   */
  signer(): Promise<TokenSigner> {
    return this.#signer ??= import("./signer.ts").then(({ TokenSigner }) => new TokenSigner(this.#keys));
  }

  /**
   * Checks tools and keys; `connect` and `listenHttp` do it first.
   *
   * @throws {ToolDefinitionError} When a schema of a tool cannot be used.
   * @throws {RangeError} When a key is too short.
   */
  async check(): Promise<void> {
    await this.#services.tools.check();
    if (this.#keys) await this.signer();
  }

  /**
   * Serves a transport until it closes.
   *
   * @param transport Not started yet; the connection sets its handlers.
   * @returns The connection, started; `closed` settles at its end.
   * @throws {ToolDefinitionError} When a schema of a tool cannot be used.
   */
  async connect(transport: Transport): Promise<Connection<MessageContext, Arrival>> {
    await this.check();
    const session = new Session();
    const connection = new Connection<MessageContext, Arrival>(transport, {
      ...this.connectionOptions(session, (id, reason) => connection.cancel(id, reason)),
      onend: () => session.subscriptions.endAll(),
    });
    const notify: Notify = (method, params) => connection.notify(method, params);
    session.notify = notify;
    await connection.start();
    const stop = this.reportChanges(session, notify);
    void connection.closed.then(stop);
    return connection;
  }

  /** The behaviour of a JSON-RPC connection that serves a client. */
  connectionOptions(
    session: Session,
    cancel: (id: string | number, reason?: string) => void,
  ): ConnectionOptions<MessageContext, Arrival> {
    return {
      onrequest: (request, call) => this.handle(request, session, call),
      onarrival: (request, inBatch) => session.arrive(request, inBatch),
      ready: (request) => this.#ready(request.method),
      onnotification: (message) => this.#notice(message, session, cancel),
      rules: () => session.framing,
      onerror: (error) => this.#options.ontransporterror?.(error),
    };
  }

  /**
   * Notifies a legacy client of changes until the returned function is called.
   *
   * @param refresh Called before each notification.
   */
  reportChanges(session: Session, notify: Notify, refresh?: () => Awaitable<unknown>): () => void {
    const { uris } = session.subscriptions;
    const subscription = new Subscription({ resources: true, prompts: true, uris }, notify);
    return this.#services.changes.listen((changes) => {
      void andThen(refresh?.(), () => {
        if (session.isInitialized) subscription.add(changes);
      });
    });
  }

  /** A rate limit of tool calls, for a client that has several sessions. */
  toolCallLimit(): { take(): boolean } {
    return new TokenBucket(this.#services.toolCalls);
  }

  /** The published input schema of a tool; undefined when there is no such tool. */
  inputSchemaOf(tool: string): Awaitable<Readonly<Record<string, unknown>> | undefined> {
    const { tools } = this.#services;
    return andThen(tools.ready(), () => tools.get(tool)?.input.published);
  }

  /** Answers a request. The only way to any handler; never throws and never rejects. */
  handle(request: Request, session: Session, call: ServerCall): Response | Promise<Response> {
    const id = `${session.id}.${++this.#requests}`;
    try {
      const response = this.#answer(id, request, session, call);
      return response instanceof Promise
        ? response.catch((cause) => this.#fail(id, request, call, cause))
        : response;
    } catch (cause) {
      return this.#fail(id, request, call, cause);
    }
  }

  #answer(id: string, request: Request, session: Session, call: ServerCall): Response | Promise<Response> {
    const arrival = call.arrival ?? session.arrive(request);
    if (arrival instanceof RpcError) throw arrival;
    const { method } = request;
    const row = methodIn(method, arrival.revision.era);
    const services = this.#services;
    const input = row?.mayAskClient ? new ClientInput(request, arrival, call, services, session) : undefined;
    const context = ExecutionContext.fromRequest(id, request, arrival, call, input);
    if (!row) throw methodNotFound(method);
    if (Array.isArray(request.params)) throw invalidParams("The params must be an object");
    const entry = HANDLERS.get(method)!;
    const run = (): Awaitable<Response> => {
      const handler = entry.handler ?? this.#handlers.get(entry.load!)!;
      const exchange = { session, call, input };
      // A tool call binds its tool first.
      const result = input && method !== "tools/call"
        ? input.run(() => handler(context, services, exchange))
        : handler(context, services, exchange);
      return result instanceof Promise
        ? result.then((value) => this.#succeed(context, row, value))
        : this.#succeed(context, row, result);
    };
    const loading = this.#loading(method);
    return loading ? loading.then(run) : run();
  }

  #succeed(context: ExecutionContext, row: MethodRow, value: unknown): Response {
    const answered = value instanceof ExecutionContext
      ? value
      : context.withResult(value instanceof InputRequired ? value.result : value);
    const sealed = answered.seal();
    const { onanswer } = this.#options;
    // Errors of the observer must not affect the response.
    if (onanswer) queueMicrotask(() => onanswer(sealed));
    return success(context.requestId, this.#envelope(sealed.result, sealed.revision, row));
  }

  /** The one place where unexpected errors become generic; their cause goes to the log only. */
  #fail(reference: string, request: Request, call: ServerCall, cause: unknown): Response {
    if (cause instanceof RpcError) {
      call.status = cause.status;
      return failure(request.id, toErrorObject(cause));
    }
    const isCancelled = call.signal.aborted && cause === call.signal.reason;
    if (!isCancelled) queueMicrotask(() => this.#options.onfailure?.(cause, reference));
    return failure(request.id, toErrorObject(cause, reference));
  }

  /** What a request waits for in the queue. A failure shows in its response. */
  #ready(method: string): Promise<void> | undefined {
    const settled = () => {};
    try {
      return this.#loading(method)?.then(settled, settled);
    } catch {
      // The handler fails in the same way.
      return undefined;
    }
  }

  /** What a method needs that is not loaded yet: its handler, or a provider. */
  #loading(method: string): Promise<unknown> | undefined {
    const entry = HANDLERS.get(method);
    if (!entry) return undefined;
    let loading: Promise<unknown>[] | undefined;
    const { load } = entry;
    if (load && !this.#handlers.has(load)) {
      loading = [load().then((handler) => this.#handlers.set(load, handler))];
    }
    for (const kind of entry.needs ?? NOTHING) {
      const needed = kind === "tools" ? [this.#services.tools] : this.#services[kind];
      for (const provider of needed) {
        const ready = provider.ready?.();
        if (ready) (loading ??= []).push(ready);
      }
    }
    return loading && Promise.all(loading);
  }

  /** Adds the members that a revision has around every result. */
  #envelope(result: unknown, revision: Revision, { ttlMs }: MethodRow): unknown {
    if (!isObject(result)) throw new ContextError("A result must be an object");
    if (revision.era === "legacy") return result instanceof RawJson ? result : RawJson.of(result);
    if (result instanceof RawJson) return result.with(this.#modernMembers(revision, ttlMs));
    const { _meta, ...members } = result as { _meta?: object };
    // A result that requires input must not be cached.
    const isCacheable = ttlMs !== undefined && result["resultType"] !== "input_required";
    return RawJson.of({
      resultType: "complete",
      ...members,
      ...(isCacheable ? { ttlMs, cacheScope: "private" } : {}),
      _meta: { ..._meta, [Meta.serverInfo]: serverInfo(this.#services, revision) },
    });
  }

  /** The members of a modern result, serialised once. */
  #modernMembers(revision: Revision, ttlMs: number | undefined): string {
    const key = `${revision.id} ${ttlMs}`;
    let members = this.#envelopes.get(key);
    if (members === undefined) {
      members = JSON.stringify({
        resultType: "complete",
        ...(ttlMs === undefined ? {} : { ttlMs, cacheScope: "private" }),
        _meta: { [Meta.serverInfo]: serverInfo(this.#services, revision) },
      }).slice(1, -1);
      this.#envelopes.set(key, members);
    }
    return members;
  }

  #notice(
    { method, params }: Notification,
    session: Session,
    cancel: (id: string | number, reason?: string) => void,
  ): void {
    if (method === Notifications.initialized) session.isInitialized ||= session.negotiated !== undefined;
    if (method !== Notifications.cancelled || !isObject(params)) return;
    const { requestId, reason } = params;
    if (typeof requestId !== "string" && typeof requestId !== "number") return;
    cancel(requestId, typeof reason === "string" ? reason : undefined);
  }
}

const NOTHING: readonly never[] = [];
