/**
 * How is a request answered? In one way: every MCP request, whatever carried it, goes through `Server.handle`.
 */

import type { Notification, Request, Response } from "../jsonrpc/message.ts";
import type { MessageContext, Transport } from "../transport/transport.ts";
import type { Awaitable } from "../base/async.ts";
import type { Feature, FeatureLoader, Method, ServerCall, Services } from "./methods.ts";
import type { Revision } from "../protocol/revisions.ts";
import type { ServerOptions } from "./server_options.ts";
import type { TokenSigner } from "./signed_token.ts";
import type { Notify } from "./subscriptions.ts";
import type { Rate } from "./token_bucket.ts";
import { RawJson } from "../jsonrpc/codec.ts";
import { failure, notification, RpcError, success, toErrorObject } from "../jsonrpc/message.ts";
import { Connection } from "../jsonrpc/connection.ts";
import { andThen } from "../base/async.ts";
import { Changes } from "./changes.ts";
import { Session } from "./session.ts";
import { ContextError, ExecutionContext } from "./context.ts";
import { invalidParams, methodNotFound } from "../protocol/errors.ts";
import { METHODS } from "./methods.ts";
import { serverInfo } from "./opening.ts";
import { isObject } from "../base/json.ts";
import { streamMeta, Subscription } from "./subscriptions.ts";
import { fixedRate, ToolRegistry } from "./tool_registry.ts";

/** The rules before anything is negotiated. */
const UNNEGOTIATED = { batches: false, unreadableId: null } as const;

/** How many things are on a page unless it is said otherwise: several clients never ask for page two. */
const DEFAULT_PAGE_SIZE = 1000;

/** More than any model calls, and little enough that one that runs in circles is noticed. */
const TOOL_CALLS: Rate = { burst: 200, perSecond: 50 };

/**
 * Builds a server.
 *
 * @example
 * ```ts
 * import { createServer, documentProvider, loadPlatform, stdioTransport } from "@architrave/architrave";
 *
 * const platform = await loadPlatform();
 * const server = createServer({
 *   info: { name: "team-docs", version: "1.0.0" },
 *   resources: [documentProvider(platform, { root: "mcp" })],
 * });
 * const conversation = await server.connect(stdioTransport(platform));
 * await conversation.closed;
 * ```
 */
export function createServer(options: ServerOptions): Server {
  return new Server(options);
}

/** A server: what it serves is fixed when it is built. Connect it to as many carriers as there are clients. */
export class Server {
  readonly #options: ServerOptions;
  readonly #services: Services;
  /** Features whose rooms are loaded, by what loaded them. */
  readonly #features = new Map<FeatureLoader, Feature>();
  /** The members that written results of modern revisions end with, by revision and lifetime. */
  readonly #envelopes = new Map<string, string>();
  readonly #keys: readonly Uint8Array[] | undefined;
  #signer: Promise<TokenSigner> | undefined;
  #requests = 0;

  /**
   * Takes note of what is served; the providers stay the caller's, and several servers may share them.
   *
   * @throws {TypeError} When two tools have one name, something is no tool, or `toolCalls` allows none.
   */
  constructor(options: ServerOptions) {
    this.#options = options;
    // Whoever gave them could still change them.
    this.#keys = options.keys?.map((key) => new Uint8Array(key));
    const pageSize = options.pageSize ?? DEFAULT_PAGE_SIZE;
    if (!Number.isInteger(pageSize) || pageSize < 1) {
      throw new RangeError(
        `Cannot build a server with pages of ${pageSize} things: the page size is at least 1`,
      );
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
   * What signs with the keys of this server, for carriers that give clients something to keep.
   *
   * @throws {RangeError} When a key cannot be used.
   */
  signer(): Promise<TokenSigner> {
    return this.#signer ??= import("./signed_token.ts").then(({ TokenSigner }) =>
      new TokenSigner(this.#keys)
    );
  }

  /**
   * Looks for mistakes in tools and keys before there is anybody to meet them; `connect` and `listenHttp` do it first.
   *
   * @throws {ToolDefinitionError} When a schema of a tool cannot be used.
   * @throws {RangeError} When a key is too short.
   */
  async check(): Promise<void> {
    await this.#services.tools.check();
    if (this.#keys) await this.signer();
  }

  /**
   * Serves one carrier until it closes.
   *
   * @param transport Not started yet. From here on it belongs to the conversation, which sets its handlers.
   * @returns The conversation, started: `closed` settles when it is over.
   * @throws {ToolDefinitionError} When a schema of a tool cannot be used.
   */
  async connect(transport: Transport): Promise<Connection<MessageContext>> {
    await this.check();
    const connection = new Session();
    const { subscriptions } = connection;
    const peer: Connection<MessageContext> = new Connection<MessageContext>(transport, {
      onrequest: (request, call) => {
        const response = this.handle(request, connection, call);
        if (request.method !== "subscriptions/listen") return response;
        return Promise.resolve(response).then((response) => {
          if (!subscriptions.hasEnded(request.id)) return response;
          call.epilogue = notification("notifications/cancelled", {
            _meta: streamMeta(request.id),
            requestId: request.id,
            reason: "The server has ended the subscription",
          });
          return response;
        });
      },
      ready: (request) => this.#ready(request),
      onnotification: (notification) => this.#notice(notification, connection, peer),
      onend: () => subscriptions.endAll(),
      onarrival: (request, inBatch) => connection.arrive(request, inBatch),
      rules: () => connection.agreed?.revision ?? UNNEGOTIATED,
      onerror: (error) => this.#options.ontransporterror?.(error),
    });
    connection.notify = (method, params) => peer.notify(method, params);
    await peer.start();
    const stop = this.tell(connection, (method, params) => peer.notify(method, params));
    void peer.closed.then(stop);
    return peer;
  }

  /** Tells a client unasked of what changes, after `refresh`, until what it returns is called; legacy revisions do that. */
  tell(connection: Session, notify: Notify, refresh?: () => Awaitable<unknown>): () => void {
    const { uris } = connection.subscriptions;
    const unasked = new Subscription({ resources: true, prompts: true, uris }, notify);
    return this.#services.changes.listen((news) => {
      void andThen(refresh?.(), () => {
        if (connection.isInitialized) unasked.take(news);
      });
    });
  }

  /** What is published of the arguments of a tool; undefined when there is no such tool. */
  inputSchemaOf(tool: string): Awaitable<Readonly<Record<string, unknown>> | undefined> {
    const { tools } = this.#services;
    return andThen(tools.ready(), () => tools.get(tool)?.input.published);
  }

  /**
   * Answers one request: the only way to any feature. It never throws and never rejects.
   *
   * @param connection Where the handshake of this client is remembered.
   * @param call How the request came, and the signal that aborts it.
   */
  handle(request: Request, connection: Session, call: ServerCall): Response | Promise<Response> {
    const id = `${connection.id}.${++this.#requests}`;
    try {
      const answer = this.#answer(id, request, connection, call);
      return answer instanceof Promise
        ? answer.catch((cause) => this.#fail(id, request, call, cause))
        : answer;
    } catch (cause) {
      return this.#fail(id, request, call, cause);
    }
  }

  /** When a request can be answered at once; a failure to get there is what its answer will say. */
  #ready(request: Request): Promise<void> | undefined {
    const settled = () => {};
    try {
      const unready = this.#unready(request.method);
      if (!unready) return undefined;
      return unready.then(settled, settled);
    } catch {
      // The answer will meet the same failure, and say so.
      return undefined;
    }
  }

  #answer(
    id: string,
    request: Request,
    connection: Session,
    call: ServerCall,
  ): Response | Promise<Response> {
    const terms = connection.termsOf(request);
    const context = ExecutionContext.fromRequest(id, request, { ...terms, call });
    const method = terms.revision.methods.has(request.method) ? METHODS.get(request.method) : undefined;
    if (!method) throw methodNotFound(request.method);
    if (Array.isArray(request.params)) throw invalidParams("The params must be an object");
    const result = andThen(this.#unready(request.method), () => {
      const feature = method.feature ?? this.#features.get(method.load!)!;
      return feature(context, this.#services, { connection, call });
    });
    return andThen(result, (value) => {
      const sealed = (value instanceof ExecutionContext ? value : context.withResult(value)).seal();
      const { onanswer } = this.#options;
      // What somebody who looks on does, and throws, is after the answer and apart from it.
      if (onanswer) queueMicrotask(() => onanswer(sealed));
      return success(request.id, this.#envelope(sealed.result, sealed.revision, method));
    });
  }

  /** The outermost boundary: what is meant for the client goes to it, anything else only into the log. */
  #fail(reference: string, request: Request, { signal }: ServerCall, cause: unknown): Response {
    if (cause instanceof RpcError) return failure(request.id, toErrorObject(cause));
    // Whoever stops because nobody waits any more has not failed.
    const isStopped = signal.aborted && cause === signal.reason;
    if (!isStopped) queueMicrotask(() => this.#options.onfailure?.(cause, reference));
    return failure(request.id, toErrorObject(cause, reference));
  }

  /** What a method needs and is not there yet: its feature, or a provider that it asks. For most requests, nothing. */
  #unready(name: string): Promise<unknown> | undefined {
    const method = METHODS.get(name);
    const loading = method?.load && !this.#features.has(method.load) ? [this.#load(method.load)] : [];
    for (const kind of method?.asks ?? []) {
      const asked = kind === "tools" ? [this.#services.tools] : this.#services[kind];
      for (const provider of asked) {
        const ready = provider.ready?.();
        if (ready) loading.push(ready);
      }
    }
    return loading.length === 0 ? undefined : Promise.all(loading);
  }

  async #load(load: FeatureLoader): Promise<void> {
    this.#features.set(load, await load());
  }

  /** Adds what the revision wants around every result; legacy ones want nothing. */
  #envelope(result: unknown, revision: Revision, { ttlMs }: Method): unknown {
    if (!isObject(result)) throw new ContextError("A result must be an object");
    if (revision.era === "legacy") return result instanceof RawJson ? result : RawJson.of(result);
    if (result instanceof RawJson) return result.with(this.#writtenEnvelope(revision, ttlMs));
    const { _meta, ...members } = result as { _meta?: object };
    // What asks for more input must not be kept.
    const lifetime = result["resultType"] === "input_required" ? undefined : ttlMs;
    const { resultType, _meta: identity, ...caching } = this.#modernEnvelope(revision, lifetime);
    return RawJson.of({ resultType, ...members, ...caching, _meta: { ..._meta, ...identity } });
  }

  /** The envelope as written members, which is made once: results that are kept go out often. */
  #writtenEnvelope(revision: Revision, ttlMs: number | undefined): string {
    const key = `${revision.id} ${ttlMs}`;
    let written = this.#envelopes.get(key);
    if (written === undefined) {
      written = JSON.stringify(this.#modernEnvelope(revision, ttlMs)).slice(1, -1);
      this.#envelopes.set(key, written);
    }
    return written;
  }

  #modernEnvelope(revision: Revision, ttlMs: number | undefined): { resultType: string; _meta: object } {
    return {
      resultType: "complete",
      ...(ttlMs === undefined ? {} : { ttlMs, cacheScope: "private" }),
      _meta: { "io.modelcontextprotocol/serverInfo": serverInfo(this.#services, revision) },
    };
  }

  #notice(notification: Notification, connection: Session, peer: Connection<MessageContext>): void {
    if (notification.method === "notifications/initialized") {
      connection.isInitialized ||= connection.agreed !== undefined;
    }
    if (notification.method !== "notifications/cancelled") return;
    const params = notification.params as { requestId?: unknown; reason?: unknown } | undefined;
    const { requestId, reason } = params ?? {};
    if (typeof requestId !== "string" && typeof requestId !== "number") return;
    peer.cancel(requestId, typeof reason === "string" ? reason : undefined);
  }
}
