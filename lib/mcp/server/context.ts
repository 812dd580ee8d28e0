/** The state of a client (`Session`) and a request (`ExecutionContext`), what clients may use (`Access`), what they are asked. */

import type { Awaitable } from "../../base/async.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Request, RpcError } from "../../jsonrpc/message.ts";
import type { ClientFacts, Negotiated, Revision } from "../protocol/revisions.ts";
import type { MessageContext } from "../../jsonrpc/transport/transport.ts";
import type { ClientRequests, Keyed, QUESTIONS } from "./client_requests.ts";
import type { Exchange } from "./server.ts";
import type { ResourceProvider } from "./provider.ts";
import type { Round } from "./request_state.ts";
import type { Notify } from "./changes.ts";
import type { LogLevel } from "./tool.ts";
import { asArray, asObject, freeze, isObject, own } from "../../base/json.ts";
import { MAX_DEPTH, RawJson } from "../../jsonrpc/message.ts";
import { insufficientScope, invalidMeta, invalidRequest, unsupportedVersion } from "../protocol/errors.ts";
import { Meta, Notifications } from "../protocol/methods.ts";
import { MODERN_REVISIONS, negotiatedRevision, NEWEST_LEGACY } from "../protocol/revisions.ts";
import { Subscriptions } from "./changes.ts";

const UNKNOWN_CLIENT: ClientFacts = Object.freeze({ info: undefined, capabilities: Object.freeze({}) });

let sessions = 0;

/** One client: a connection, or an HTTP session. Modern requests neither read nor change what was negotiated. */
export class Session {
  /** Names the session in logs. */
  readonly id: string = `c${++sessions}`;
  /** What the client is notified of. */
  readonly subscriptions: Subscriptions = new Subscriptions();
  /** The result of the last handshake. */
  negotiated: Negotiated | undefined;
  /** Whether the client has completed the handshake; before that it gets no server-initiated notifications. */
  isInitialized = false;
  /** The lowest level of log messages that the client has asked for. */
  logLevel: LogLevel | undefined;
  /** The tool calls that were left at `filledAt` (of `performance.now()`), and the longest wait of another one for its turn. */
  toolCalls: { tokens: number; filledAt: number; maxWaitMs: number } = {
    tokens: Infinity,
    filledAt: 0,
    maxWaitMs: 5_000,
  };
  /** Sends a notification that belongs to no request. Set by the transport. */
  notify: Notify | undefined;
  /** Stores the log level ("logLevel") or a subscription ("uri:…"), or deletes it. Set by a transport with a store. */
  store: ((name: string, value?: string) => Awaitable<void>) | undefined;

  /** Resolves the revision of a request when it arrives. An `initialize` takes effect at once, for the requests behind it. */
  resolve(request: Request, inBatch: boolean): Negotiated | RpcError {
    const { method, params } = request;
    const meta = modernMeta(params);
    // So the lifecycle of 2025-03-26 demands; modern revisions have no batches.
    if (inBatch && (meta || method === "initialize")) {
      return invalidRequest("it must not be part of a batch");
    }
    if (meta) {
      const version = meta[Meta.protocolVersion], capabilities = meta[Meta.clientCapabilities];
      const info = meta[Meta.clientInfo];
      if (typeof version !== "string") return invalidField(Meta.protocolVersion, "a string");
      const revision = MODERN_REVISIONS.get(version);
      if (!revision) return unsupportedVersion(version);
      if (!isObject(capabilities)) return invalidField(Meta.clientCapabilities, "an object");
      if (info !== undefined && !isObject(info)) return invalidField(Meta.clientInfo, "an object");
      return { revision, client: Object.freeze({ info, capabilities }) };
    }
    const negotiated = this.negotiated ?? { revision: NEWEST_LEGACY, client: UNKNOWN_CLIENT };
    if (method === "initialize") this.negotiate(params);
    else if (!this.negotiated && method !== "ping") {
      return invalidMeta(
        `The request states no protocol version: send initialize first, or state ${Meta.protocolVersion} and ` +
          `${Meta.clientCapabilities} in params._meta (served: ${[...MODERN_REVISIONS.keys()].join(", ")})`,
      );
    }
    return negotiated;
  }

  /** Takes the params of an `initialize`; without a protocol version it changes nothing. */
  negotiate(params: unknown): void {
    const { protocolVersion, clientInfo, capabilities } = asObject(params);
    if (typeof protocolVersion !== "string") return;
    this.negotiated = Object.freeze({
      revision: negotiatedRevision(protocolVersion),
      client: Object.freeze({
        info: isObject(clientInfo) ? clientInfo : undefined,
        capabilities: isObject(capabilities) ? capabilities : UNKNOWN_CLIENT.capabilities,
      }),
    });
  }
}

/** The `_meta` of a modern request, which has any of the request fields; undefined for other requests. */
export function modernMeta(params: unknown): JsonObject | undefined {
  const meta = (params as { readonly _meta?: unknown } | null | undefined)?._meta;
  if (!isObject(meta)) return undefined;
  const isModern = Meta.protocolVersion in meta || Meta.clientCapabilities in meta || Meta.clientInfo in meta;
  return isModern ? meta : undefined;
}

function invalidField(key: string, type: string): RpcError {
  return invalidMeta(`params._meta must state ${key} as ${type}`);
}

/** The scopes that a client needs, in addition to what its transport asks. No scope implies another. */
export interface ScopePolicy {
  /** By tool: all that a call needs. */
  readonly tools?: Readonly<Record<string, readonly string[]>>;
  /** By category of documents: all that a document needs to be read, found or embedded. */
  readonly categories?: Readonly<Record<string, readonly string[]>>;
}

/** What a client may use by the scopes of its credential. What it may not use is not shown to it. */
export class Access {
  readonly #policy: ScopePolicy;
  readonly #scopes: readonly unknown[];

  /** Takes the scopes of what the transport has found out about the client; see `MessageContext`. */
  constructor(policy: ScopePolicy, authentication?: unknown) {
    this.#policy = policy;
    this.#scopes = asArray(asObject(authentication)["scopes"]);
  }

  /** Whether the client has all scopes for a tool or a category. */
  allows(kind: keyof ScopePolicy, name: string): boolean {
    return this.#needs(kind, name).every((scope) => this.#scopes.includes(scope));
  }

  /** Throws an error that names all scopes for these, unless the client has them. @throws {RpcError} With status 403. */
  demand(kind: keyof ScopePolicy, names: readonly string[]): void {
    if (names.every((name) => this.allows(kind, name))) return;
    throw insufficientScope([...new Set(names.flatMap((name) => this.#needs(kind, name)))]);
  }

  #needs(kind: keyof ScopePolicy, name: string): readonly string[] {
    return own(this.#policy[kind] ?? {}, name) as readonly string[] | undefined ?? [];
  }
}

/** The categories of documents that a URI belongs to, whether there is such a document or not. */
export function categoriesOf(uri: string, resources: readonly ResourceProvider[]): string[] {
  return resources.flatMap((provider) => provider.categoryOf?.(uri) ?? []);
}

/** An invariant of the context is violated. The client gets a generic internal error. */
export class ContextError extends Error {
  /** The name of the class, for logs. */
  override readonly name = "ContextError";
}

type Source =
  & Pick<Exchange, "id" | "revision" | "client" | "call">
  & Partial<Pick<Exchange, "access" | "input">>;

const NO_PARAMS: JsonObject = Object.freeze({});

/** The state of one request up to its result. Immutable: `with…` methods return a new context; one with a result is sealed. */
export class ExecutionContext implements ClientRequests {
  static readonly #key = Symbol("fromRequest");
  /** Names the request in logs; unique within the process. */
  readonly id: string;
  /** The id that the client gave the request. May be "" or 0. */
  readonly requestId: string | number;
  /** The method: "resources/read". */
  readonly method: string;
  /** The params, deeply frozen; an empty object without any. */
  readonly params: JsonObject;
  /** The revision of the response. */
  readonly revision: Revision;
  /** What the client says of itself. */
  readonly client: ClientFacts;
  /** What the client may use; undefined when all may use everything. Providers must show nothing else. */
  readonly access: Access | undefined;
  /** How the request came. */
  readonly origin: MessageContext;
  /** The tool that is bound to the request. */
  readonly tool: string | undefined;
  /** Whether it has a result, and so refuses every change. */
  readonly isSealed: boolean;
  /** The result, deeply frozen; undefined until there is one. */
  readonly result: unknown;
  readonly #source: Source;

  /** Only for `fromRequest` and the `with…` methods. @throws {ContextError} When anything else calls it. */
  constructor(key: symbol, source: Source, tool: string | undefined, isSealed: boolean, result: unknown) {
    if (key !== ExecutionContext.#key) {
      throw new ContextError("Cannot construct a context: use ExecutionContext.fromRequest");
    }
    const { request, context } = source.call;
    this.id = source.id;
    this.requestId = request.id;
    this.method = request.method;
    this.params = (request.params ?? NO_PARAMS) as JsonObject;
    this.revision = source.revision;
    this.client = source.client;
    this.access = source.access;
    this.origin = context;
    this.tool = tool;
    this.isSealed = isSealed;
    this.result = result;
    this.#source = source;
    Object.freeze(this);
  }

  /** Makes the context of a request; freezes its params. @throws {ContextError} When its `id` is blank, or they are too deep. */
  static fromRequest(source: Source): ExecutionContext {
    if (source.id.trim() === "") throw new ContextError("Cannot open a context: its id is blank");
    freeze(source.call.request.params, refuseToFreeze, MAX_DEPTH);
    return new ExecutionContext(ExecutionContext.#key, source, undefined, false, undefined);
  }

  /** The session, if the transport has sessions. Providers must work without one. */
  get sessionId(): string | undefined {
    return this.origin.sessionId;
  }

  /** What is kept for the session, in the memory of this process; undefined without a session, as in 2026-07-28. */
  get sessionState(): Map<string, unknown> | undefined {
    return this.origin.sessionState;
  }

  /** Aborted when the request is cancelled or its connection closes. */
  get signal(): AbortSignal {
    return this.#source.call.signal;
  }

  /** See `ClientRequests`. For prompts and resources; tools have a context of their own. */
  get elicit(): ClientRequests["elicit"] {
    return this.#requests.elicit;
  }

  /** See `ClientRequests`. */
  get elicitUrl(): ClientRequests["elicitUrl"] {
    return this.#requests.elicitUrl;
  }

  /** See `ClientRequests`. */
  get completeElicitation(): ClientRequests["completeElicitation"] {
    return this.#requests.completeElicitation;
  }

  /** See `ClientRequests`. */
  get sample(): ClientRequests["sample"] {
    return this.#requests.sample;
  }

  /** See `ClientRequests`. */
  get listRoots(): ClientRequests["listRoots"] {
    return this.#requests.listRoots;
  }

  get #requests(): ClientRequests {
    const { input } = this.#source;
    if (input) return input.requests;
    throw new ContextError(
      `Cannot ask the client in ${this.method}: only tools/call, prompts/get and resources/read can`,
    );
  }

  /** Binds the tool of a `tools/call`. @throws {ContextError} When it is blank, or one is bound, or there is a result. */
  withTool(name: string): ExecutionContext {
    if (name.trim() === "") throw new ContextError("Cannot bind a tool: its name is blank");
    if (this.tool !== undefined) {
      throw new ContextError(`Cannot bind the tool "${name}": "${this.tool}" is bound already`);
    }
    if (this.isSealed) throw new ContextError(`Cannot bind the tool "${name}": the context is sealed`);
    return new ExecutionContext(ExecutionContext.#key, this.#source, name, false, undefined);
  }

  /**
   * Sets the result, a `RawJson` or plain data, which is deeply frozen, and seals the context.
   *
   * @throws {ContextError} When there is one already, no tool is bound in a `tools/call`, it is deeper than 64 levels, or has
   *   an object that can still change when frozen, such as a `Date`.
   */
  withResult(result: unknown): ExecutionContext {
    if (this.isSealed) throw new ContextError("Cannot take a result: the context is sealed");
    if (this.method === "tools/call" && this.tool === undefined) {
      throw new ContextError("Cannot take the result of a tool call: no tool is bound");
    }
    if (!(result instanceof RawJson)) freeze(result, refuseToFreeze, MAX_DEPTH);
    return new ExecutionContext(ExecutionContext.#key, this.#source, this.tool, true, result);
  }
}

/**
 * Asks the client from the handler of one request. A handler that asks ends there, the client is sent a result that requires
 * input, and the handler runs again when the answers are there. Before 2026-07-28 the server sends requests of its own
 * instead. What it takes to ask is loaded with the first question.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export class ClientInput {
  /** Of a tool call, whose handler may run again: the last progress that was reported, and whether the buffer is full. */
  progress: number = -Infinity;
  isFull = false;
  /** Aborts the running handler of a tool, when it ends at a question. Set by each run. */
  onstop: (() => void) | undefined;
  #exchange!: Exchange;
  #requests: ClientRequests | undefined;
  #round: Promise<Round> | undefined;
  /** Resolved when a question ends the running handler. */
  #stopped: PromiseWithResolvers<Round> | undefined;

  get requests(): ClientRequests {
    return this.#requests ??= {
      elicit: (form) => this.#ask("elicit", form),
      elicitUrl: (url) => this.#ask("elicitUrl", url),
      sample: (request) => this.#ask("sample", request),
      listRoots: (options = {}) => this.#ask("listRoots", options),
      completeElicitation: (elicitationId) => {
        const { revision: { era, elicitation }, session } = this.#exchange;
        if (era === "modern" || elicitation !== "full") return;
        void session.notify?.(Notifications.elicitationComplete, { elicitationId });
      },
    };
  }

  async #ask(kind: keyof typeof QUESTIONS, options: Keyed): Promise<never> {
    const { QUESTIONS } = await import("./client_requests.ts");
    const question = QUESTIONS[kind](options as never, this.#exchange);
    const round = await this.#open();
    const answer = await round.answerTo(question, options.key, () => this.#stopped?.resolve(round));
    return question.read(answer) as never;
  }

  #open(): Promise<Round> {
    return this.#round ??= import("./request_state.ts").then(({ Round }) => Round.open(this.#exchange));
  }

  /**
   * Runs a handler until it ends, or asks a modern client a question that has no answer yet: then the result is what the
   * client is sent. The handler may run again.
   */
  run<T>(
    context: ExecutionContext,
    exchange: Exchange,
    handler: (context: ExecutionContext, exchange: Exchange) => Awaitable<T>,
  ): Awaitable<T | JsonObject> {
    this.#exchange = exchange;
    // What it throws at once becomes a rejection, too.
    const again = async () => await handler(context, exchange);
    const { requestState, inputResponses } = context.params;
    const isRetry = requestState !== undefined || inputResponses !== undefined;
    if (isRetry && context.revision.era === "modern") {
      return this.#open().then(() => this.#settle(again(), again));
    }
    try {
      const result = handler(context, exchange);
      return result instanceof Promise ? this.#settle(result, again) : result;
    } catch (cause) {
      if (!(cause instanceof Error && cause.name === "UrlElicitationRequiredError")) throw cause;
      return this.#settle(Promise.reject(cause), again);
    }
  }

  async #settle<T>(running: Promise<T>, again: () => Promise<T>): Promise<T | JsonObject> {
    for (;; running = again()) {
      const stopped = this.#stopped = Promise.withResolvers<Round>();
      const finished = running.catch(async (cause) => {
        // By its name, because its module is loaded only when it is needed.
        if (cause?.name !== "UrlElicitationRequiredError") throw cause;
        return await (await import("./client_requests.ts")).openUrls(cause, this.#exchange, this.requests);
      });
      const outcome = await Promise.race([finished, stopped.promise]);
      const round = await this.#round;
      // The handler has ended by itself.
      if (round === undefined || outcome !== round) return outcome as T;
      this.onstop?.();
      const required = await round.end();
      if (required) return required;
    }
  }
}

function refuseToFreeze(what: string): never {
  throw new ContextError(
    `Cannot seal ${what}: give plain objects and lists, at most ${MAX_DEPTH} levels deep`,
  );
}
