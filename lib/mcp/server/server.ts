/** The MCP server. Every request, over every transport, is answered by `Server.handle`. */

import type { Awaitable } from "../../base/async.ts";
import type { JsonObject } from "../../base/json.ts";
import type { TokenSigner } from "../../base/signer.ts";
import type { Arrival, Call, ConnectionOptions, FramingRules } from "../../jsonrpc/connection.ts";
import type { Request, Response } from "../../jsonrpc/message.ts";
import type { HeaderParameter } from "../protocol/headers.ts";
import type { Method, MethodRow } from "../protocol/methods.ts";
import type { ClientFacts, Negotiated, Revision } from "../protocol/revisions.ts";
import type { Transport } from "../../jsonrpc/transport/transport.ts";
import type { ScopePolicy } from "./context.ts";
import type { Extension, ExtensionMethods, PromptProvider } from "./provider.ts";
import type { ResourceContents } from "../protocol/types.ts";
import type { ResourceProvider } from "./provider.ts";
import type { ChangeListener } from "./changes.ts";
import type { Tool, ToolSet } from "./tool.ts";
import type { Rate } from "./tool_registry.ts";
import { andThen, onceDone } from "../../base/async.ts";
import { asArray, asObject, compact, isObject, own } from "../../base/json.ts";
import { Connection } from "../../jsonrpc/connection.ts";
import { failure, RawJson, RpcError, toErrorObject } from "../../jsonrpc/message.ts";
import { invalidParams, methodNotFound, stringParam } from "../protocol/errors.ts";
import { Meta, METHODS, Notifications } from "../protocol/methods.ts";
import { MODERN_REVISIONS, negotiatedRevision } from "../protocol/revisions.ts";
import { Access, categoriesOf, ClientInput, ContextError, ExecutionContext, Session } from "./context.ts";
import { Changes, notifier } from "./changes.ts";
import { fixedRate, ToolRegistry } from "./tool_registry.ts";

/** The default page size. Large, because several clients never ask for the second page. */
const DEFAULT_PAGE_SIZE = 1000;
/** The default rate of tool calls: more than a model makes, but it stops one that loops. */
const TOOL_CALLS: Rate = { burst: 200, perSecond: 50 };

const UNNEGOTIATED: FramingRules = { batches: false, unreadableId: null };

/** What a server says of itself. */
export interface ServerInfo {
  /** For programs: "architrave". */
  readonly name: string;
  /** The version of the software: "1.0.0". */
  readonly version: string;
  /** For people. Left out in revisions without titles. */
  readonly title?: string;
}

/** The options that are copied when a server is built. */
type Fixed = "info" | "resources" | "prompts" | "extensions" | "pageSize" | "toolCalls" | "logging";

/** What all handlers of a server share. */
export interface Services extends Required<Pick<ServerOptions, Fixed>> {
  /** For the rest: callbacks, and the instructions, which may change while the server runs. */
  readonly options: ServerOptions;
  readonly changes: Changes;
  readonly tools: ToolRegistry;
  /** Signs what clients keep while they are asked; loaded when first used. */
  readonly signer: () => Promise<TokenSigner>;
}

/** What is in force for a request, or why it is refused; `ready` settles when what its method needs is loaded. */
interface Resolved extends Arrival {
  readonly negotiated: Negotiated | RpcError;
}

/** What a request comes with. Handlers take from it what its context does not have: the call, the session and the services. */
export interface Exchange extends Negotiated {
  readonly services: Services;
  /** Names the request in logs; unique within the process. */
  readonly id: string;
  readonly session: Session;
  readonly call: Call;
  /** Undefined when all clients may use everything. */
  readonly access: Access | undefined;
  /** Only in methods that may ask the client. */
  readonly input: ClientInput | undefined;
}

/** Answers one method: with a result, or with a context that has one. Throws an `RpcError` for the client. */
type Handler = (context: ExecutionContext, exchange: Exchange) => Awaitable<unknown>;

/** A method of a server: what the protocol says of it, and its handler. */
interface ServedMethod extends MethodRow {
  /** Undefined until `load` has brought it, for all methods that have the same `load`. */
  handler?: Handler;
  readonly load?: () => Promise<Handler>;
  /** The providers that must be ready first. @default {none} */
  readonly needs?: readonly ("resources" | "prompts" | "tools")[];
  /** The members that modern revisions have around each result, as JSON without braces, once they are known. */
  envelope?: string;
}

/** Options of a server. */
export interface ServerOptions {
  /** What the server says of itself. */
  readonly info: ServerInfo;
  /** How a model should use the server, read at each handshake; clients cut it at about 2,000 characters. @default {none} */
  readonly instructions?: string;
  /** Resource providers, asked in this order. @default {none} */
  readonly resources?: readonly ResourceProvider[];
  /** Prompt providers, asked in this order. @default {none} */
  readonly prompts?: readonly PromptProvider[];
  /** Extensions of the protocol. @default {none} */
  readonly extensions?: readonly Extension[];
  /** Tools; they cannot change later. @default {none} */
  readonly tools?: readonly (Tool | ToolSet)[];
  /** The rate of a client's tool calls. Others wait up to 5 s, or are refused over HTTP. @default {200 at once, 50 a second} */
  readonly toolCalls?: Rate;
  /** Which scopes are needed for tools and documents; a client without a credential has none. @default {none} */
  readonly scopes?: ScopePolicy;
  /** Whether tools may log to the client. @default {false} */
  readonly logging?: boolean;
  /**
   * Keys of at least 32 random bytes that sign what clients keep for the server, the same in all processes that serve them.
   * The first signs; all verify, so keys can be rotated. @default {a random one}
   */
  readonly keys?: readonly Uint8Array[];
  /** The page size of lists, at least 1. @default {1000} */
  readonly pageSize?: number;
  /** Called when a client opens with `initialize` or `server/discover`, before that is answered. */
  readonly onhandshake?: () => void;
  /** Receives the sealed context of every request that was answered with a result. */
  readonly onanswer?: (context: ExecutionContext) => void;
  /** Receives every failure that was answered with a generic error, with the reference that the client got. */
  readonly onfailure?: (cause: unknown, reference: string) => void;
  /** Receives every request that was refused: answered with an error of its own, or a tool call with one for the model. */
  readonly onrefused?: (request: Pick<Request, "method" | "params">, reason: string) => void;
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
 * const resources = [documentProvider(platform, { root: "mcp" })];
 * const server = createServer({ info: { name: "team-docs", version: "1.0.0" }, resources });
 * await (await server.connect(stdioTransport(platform))).closed;
 * ```
 */
export function createServer(options: ServerOptions): Server {
  return new Server(options);
}

/** A server. What it serves is fixed; connect it to any number of transports. */
export class Server {
  readonly #services: Services;
  readonly #methods = new Map<string, ServedMethod>();
  readonly #keys: readonly Uint8Array[] | undefined;
  #signer: Promise<TokenSigner> | undefined;
  #requests = 0;

  /** See `createServer`. */
  constructor(options: ServerOptions) {
    const { pageSize = DEFAULT_PAGE_SIZE, toolCalls = TOOL_CALLS, logging = false, scopes } = options;
    if (!Number.isInteger(pageSize) || pageSize < 1) {
      throw new RangeError(`Cannot use the pageSize ${pageSize}: it must be an integer of at least 1`);
    }
    for (const [name, row] of METHODS) this.#methods.set(name, { ...row, ...HANDLERS[name as Method] });
    this.#keys = options.keys?.map((key) => new Uint8Array(key));
    const extensions = Object.freeze([...options.extensions ?? []]);
    const added = extensions.flatMap((extension) => this.#extend(extension));
    const resources = Object.freeze([...options.resources ?? [], ...added]);
    const prompts = Object.freeze([...options.prompts ?? []]);
    this.#services = Object.freeze({
      options,
      info: Object.freeze({ ...options.info }),
      resources,
      prompts,
      extensions,
      pageSize,
      logging,
      changes: new Changes({ resources, prompts }),
      tools: new ToolRegistry(options.tools ?? [], scopes && new Access(scopes)),
      toolCalls: fixedRate(toolCalls),
      signer: this.signer,
    });
  }

  /** Adds the methods of an extension; returns the provider of its resources. @throws {TypeError} When a method cannot be used. */
  #extend({ id, accepts, methods = [], scheme, load }: Extension): ResourceProvider[] {
    const fail = (method: string, fault: string): never => {
      throw new TypeError(`Cannot use the method "${method}" of the extension "${id}": ${fault}`);
    };
    let loaded: ExtensionMethods = {};
    const ready = onceDone(async () => void (loaded = await load!()));
    const answer = async (method: string, context: ExecutionContext, uri: string = "") => {
      await ready();
      const handler = own(loaded, method) as ExtensionMethods[string] | undefined;
      return await (handler ?? fail(method, "its load() does not give it"))(context, this.#services, uri);
    };
    const [first] = scheme === undefined ? methods : [...methods, "resources/read"];
    if (!load && first !== undefined) fail(first, "the extension has no load()");
    for (const method of methods) {
      if (accepts) fail(method, "an extension that has accepts() cannot add methods");
      if (this.#methods.has(method)) fail(method, "the server or another extension has it already");
      this.#methods.set(method, { era: "modern", ttlMs: 0, handler: (context) => answer(method, context) });
    }
    if (scheme === undefined) return [];
    const read: ResourceProvider["read"] = async (uri, context) => {
      const isGiven = accepts?.(context.client) ?? context.revision.era === "modern";
      if (!isGiven || !uri.toLowerCase().startsWith(`${scheme}:`)) return undefined;
      return await answer("resources/read", context, uri) as ResourceContents[];
    };
    return [{ list: () => [], read }];
  }

  /** Signs tokens with the keys of the server. @throws {RangeError} When a key is too short. */
  readonly signer = (): Promise<TokenSigner> =>
    this.#signer ??= import("../../base/signer.ts").then(({ TokenSigner }) => new TokenSigner(this.#keys));

  /** Checks tools and keys, as `connect` and `listenHttp` do. @throws {ToolDefinitionError | RangeError} When one is unusable. */
  async check(): Promise<void> {
    await this.#services.tools.check();
    if (this.#keys) await this.signer();
  }

  /** Serves a transport, not started yet, until it closes. @throws {ToolDefinitionError} When the schema of a tool is unusable. */
  async connect(transport: Transport): Promise<Connection> {
    await this.check();
    const session = new Session();
    const connection = new Connection(transport, {
      ...this.connectionOptions(session),
      onend: () => session.subscriptions.endAll(),
    });
    session.notify = (method, params) => connection.notify(method, params);
    await connection.start();
    void connection.closed.then(this.reportChanges(session).stop);
    return connection;
  }

  /** The behaviour of a JSON-RPC connection that serves a client. */
  connectionOptions(session: Session): ConnectionOptions {
    return {
      onrequest: this.handle.bind(this, session),
      onarrival: this.#resolve.bind(this, session),
      onnotification: ({ method }) => {
        if (method === Notifications.initialized) session.isInitialized ||= session.negotiated !== undefined;
      },
      rules: () => session.negotiated?.revision ?? UNNEGOTIATED,
      onerror: (error) => this.#services.options.ontransporterror?.(error),
    };
  }

  /** Notifies a legacy client of changes, each after `refresh`, until `stop` is called. `report` adds changes of no provider. */
  reportChanges(
    session: Session,
    refresh?: () => Awaitable<unknown>,
  ): { report: ChangeListener; stop(): void } {
    const { changes } = this.#services;
    const { uris } = session.subscriptions;
    const tell = notifier({ lists: new Set(["resources", "prompts"]), uris }, session.notify!);
    const report: ChangeListener = (kind, found) => {
      void andThen(refresh?.(), () => {
        if (session.isInitialized && changes.reports(kind)) tell(kind, found);
      });
    };
    return { report, stop: changes.listen(report) };
  }

  /** The arguments of a tool that are repeated in header fields; none when there is no such tool. */
  headerParametersOf(tool: string): Awaitable<readonly HeaderParameter[]> {
    const { tools } = this.#services;
    const registered = tools.get(tool);
    if (registered) return registered.input.headers;
    // It may not be loaded yet.
    return andThen(tools.ready(), () => tools.get(tool)?.input.headers ?? []);
  }

  /** Resolves the revision and the method of a request when it arrives, and begins to load what that needs. Never throws. */
  #resolve(session: Session, request: Request, inBatch: boolean): Resolved {
    const negotiated = session.resolve(request, inBatch);
    if (negotiated instanceof RpcError) return { negotiated };
    const method = this.#methods.get(request.method);
    const isServed = method?.era === "both" || method?.era === negotiated.revision.era;
    if (!isServed) return { negotiated: methodNotFound(request.method) };
    const ready = method.handler ? undefined : this.#load(method);
    ready?.catch(() => {});
    return { negotiated, ready };
  }

  /** Loads a handler and gets its providers ready. A failure is tried again by the next request. */
  async #load({ load, needs = [] }: ServedMethod): Promise<void> {
    const { tools, resources, prompts } = this.#services;
    const providers = { tools: [tools], resources, prompts };
    const ready = needs.flatMap((kind) => providers[kind].map((provider) => provider.ready?.()));
    const [handler] = await Promise.all([load!(), ...ready]);
    for (const method of this.#methods.values()) if (method.load === load) method.handler = handler;
  }

  /** Answers a request. The only way to any handler; never throws and never rejects. */
  handle(session: Session, call: Call): Response | Promise<Response> {
    const id = `${session.id}.${++this.#requests}`, { request } = call;
    try {
      const arrival = call.arrival ?? this.#resolve(session, request, false);
      const { negotiated, ready } = arrival as Resolved;
      if (negotiated instanceof RpcError) throw negotiated;
      const method = this.#methods.get(request.method)!;
      if (Array.isArray(request.params)) throw invalidParams("The params must be an object");
      const input = method.mayAskClient ? new ClientInput() : undefined;
      const services = this.#services, { scopes } = services.options;
      const access = scopes && new Access(scopes, call.context.authentication);
      const exchange: Exchange = { ...negotiated, services, id, session, call, access, input };
      const context = ExecutionContext.fromRequest(exchange);
      const response = method.handler
        ? this.#run(context, exchange, method)
        : ready!.then(() => this.#run(context, exchange, method));
      if (!(response instanceof Promise)) return response;
      return response.catch((cause) => this.#fail(id, call, cause));
    } catch (cause) {
      return this.#fail(id, call, cause);
    }
  }

  #run(context: ExecutionContext, exchange: Exchange, method: ServedMethod): Response | Promise<Response> {
    const { access, params } = context, { input } = exchange;
    const { name, uri } = params;
    const isCall = context.method === "tools/call";
    if (access && isCall) access.demand("tools", typeof name === "string" ? [name] : []);
    else if (access && typeof uri === "string") {
      access.demand("categories", categoriesOf(uri, this.#services.resources));
    }
    const handler = method.handler!;
    // A tool call binds its tool before it runs what may ask the client.
    const result = input && !isCall ? input.run(context, exchange, handler) : handler(context, exchange);
    return result instanceof Promise
      ? result.then((value) => this.#succeed(context, method, value))
      : this.#succeed(context, method, result);
  }

  #succeed(context: ExecutionContext, method: ServedMethod, value: unknown): Response {
    const sealed = value instanceof ExecutionContext ? value : context.withResult(value);
    const { onanswer } = this.#services.options;
    // Errors of the observer must not affect the response.
    if (onanswer) queueMicrotask(() => onanswer(sealed));
    const { requestId: id, result, revision } = sealed;
    const isModern = revision.era === "modern";
    if (result instanceof RawJson) {
      if (!isModern) return { jsonrpc: "2.0", id, result };
      method.envelope ??= JSON.stringify(this.#wrap({}, method)).slice(1, -1);
      return { jsonrpc: "2.0", id, result: result.with(method.envelope) };
    }
    if (!isObject(result)) throw new ContextError("A result must be an object");
    if (result["isError"] === true) {
      this.#refuse(sealed, String(asObject(asArray(result["content"])[0])["text"]));
    }
    // Serialised here, so that a failure is answered.
    return { jsonrpc: "2.0", id, result: RawJson.of(isModern ? this.#wrap(result, method) : result) };
  }

  /** Adds the members that modern revisions have in every result of a method. */
  #wrap({ resultType = "complete", _meta = {}, ...rest }: JsonObject, { ttlMs }: MethodRow): JsonObject {
    // A result that requires input must not be cached.
    const isCacheable = ttlMs !== undefined && resultType !== "input_required";
    const cache = isCacheable ? { ttlMs, cacheScope: "private" } : {};
    const meta = { ..._meta as object, [Meta.serverInfo]: this.#services.info };
    return { resultType, ...rest, ...cache, _meta: meta };
  }

  #refuse(request: Pick<Request, "method" | "params">, reason: string): void {
    const { onrefused } = this.#services.options;
    if (onrefused) queueMicrotask(() => onrefused(request, reason));
  }

  /** The one place where unexpected errors become generic; their cause goes to the log only. */
  #fail(reference: string, call: Call, cause: unknown): Response {
    const { request } = call;
    if (cause instanceof RpcError) {
      call.status = cause.status;
      call.retryAfter = cause.retryAfter;
      this.#refuse(request, cause.message);
      return failure(request.id, toErrorObject(cause));
    }
    const isCancelled = call.cancelled !== undefined && cause === call.cancelled;
    if (!isCancelled) queueMicrotask(() => this.#services.options.onfailure?.(cause, reference));
    return failure(request.id, toErrorObject(cause, reference));
  }
}

const lists = () => import("./lists.ts");
const resources = () => import("./resources.ts");
const subscriptions = () => import("./subscriptions.ts");
const tools = () => import("./tools.ts");
// It needs no provider to unsubscribe, but that must not overtake a subscribe: both are loaded by one function.
const subscribe = { load: async () => (await subscriptions()).subscribe, needs: ["resources"] } as const;

const HANDLERS: Readonly<Record<Method, Pick<ServedMethod, "handler" | "load" | "needs">>> = {
  "initialize": { handler: initialize },
  "ping": { handler: () => ({}) },
  "server/discover": { handler: discover },
  "resources/list": { load: async () => (await lists()).listResources, needs: ["resources"] },
  "resources/templates/list": { load: async () => (await lists()).listTemplates, needs: ["resources"] },
  "resources/read": { load: async () => (await resources()).readResource, needs: ["resources"] },
  "resources/subscribe": subscribe,
  "resources/unsubscribe": subscribe,
  "subscriptions/listen": {
    load: async () => (await subscriptions()).listen,
    needs: ["resources", "prompts"],
  },
  "prompts/list": { load: async () => (await lists()).listPrompts, needs: ["prompts"] },
  "prompts/get": { load: async () => (await resources()).getPrompt, needs: ["prompts"] },
  "completion/complete": {
    load: async () => (await import("./completion.ts")).complete,
    needs: ["resources", "prompts"],
  },
  "tools/list": { load: async () => (await lists()).listTools, needs: ["tools"] },
  "tools/call": { load: async () => (await tools()).callTool, needs: ["tools"] },
  "logging/setLevel": { load: async () => (await tools()).setLevel },
};

/** @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle */
function initialize({ params, client }: ExecutionContext, { services }: Exchange): unknown {
  const revision = negotiatedRevision(stringParam(params, "protocolVersion"));
  const { title, ...info } = services.info;
  const serverInfo = compact({ ...info, title: revision.titles ? title : undefined });
  return { protocolVersion: revision.id, serverInfo, ...handshakeResult(services, revision, client) };
}

/** @see https://modelcontextprotocol.io/specification/2026-07-28/server/discover */
function discover({ revision, client }: ExecutionContext, { services }: Exchange): unknown {
  return { supportedVersions: [...MODERN_REVISIONS.keys()], ...handshakeResult(services, revision, client) };
}

/** What a client is told when it opens, in every revision. */
function handshakeResult(services: Services, revision: Revision, client: ClientFacts): object {
  const { changes, resources, prompts, extensions, options } = services;
  options.onhandshake?.();
  const given = extensions.filter(({ accepts }) => accepts?.(client) ?? true);
  const declared = Object.fromEntries(given.map(({ id, settings = {} }) => [id, settings]));
  const completes = [...resources, ...prompts].some((provider) => provider.values);
  const declare = (kind: "resources" | "prompts", watched: object) =>
    services[kind].length === 0 ? undefined : changes.reports(kind) ? watched : {};
  const capabilities = compact({
    resources: declare("resources", { listChanged: true, subscribe: true }),
    prompts: declare("prompts", { listChanged: true }),
    tools: services.tools.isEmpty ? undefined : {},
    logging: services.logging ? {} : undefined,
    completions: completes && revision.completionsCapability ? {} : undefined,
    extensions: given.length > 0 && revision.era === "modern" ? declared : undefined,
  });
  return compact({ capabilities, instructions: options.instructions });
}
