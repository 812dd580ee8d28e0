/** The MCP server. Every request, over every transport, is accepted by `Server.accept` and answered by `Server.handle`. */

import type { Awaitable } from "../../base/async.ts";
import type { JsonObject } from "../../base/json.ts";
import type { TokenSigner } from "../../base/signer.ts";
import type { ConnectionOptions } from "../../jsonrpc/connection.ts";
import type { Request, Response } from "../../jsonrpc/message.ts";
import type { Transport } from "../../jsonrpc/transport/transport.ts";
import type { HeaderParameter } from "../protocol/headers.ts";
import type { Method, MethodRow } from "../protocol/methods.ts";
import type { Negotiated } from "../protocol/revisions.ts";
import type { ResourceContents } from "../protocol/types.ts";
import type { AcceptedCall, AcceptedRequest } from "./accepted.ts";
import type { ChangeListener } from "./changes.ts";
import type { ClientInput } from "./client_input.ts";
import type { ServerOptions } from "./options.ts";
import type { Extension, ExtensionMethods, ResourceProvider } from "./provider.ts";
import type { ServedMethod, Services } from "./services.ts";
import type { Rate } from "./tool_registry.ts";
import { andThen, onceDone } from "../../base/async.ts";
import { asArray, asObject, isObject, own } from "../../base/json.ts";
import { Connection } from "../../jsonrpc/connection.ts";
import { failure, RawJson, RpcError, toErrorObject } from "../../jsonrpc/message.ts";
import {
  invalidMeta,
  invalidParams,
  invalidRequest,
  methodNotFound,
  unsupportedVersion,
} from "../protocol/errors.ts";
import { MCP_JSON_RPC, Meta, METHODS, Notifications } from "../protocol/methods.ts";
import { MODERN_REVISIONS } from "../protocol/revisions.ts";
import { Access, categoriesOf } from "./access.ts";
import { Changes, notifier } from "./changes.ts";
import { ContextError, ExecutionContext } from "./context.ts";
import { answerDiscover, answerInitialize } from "./handshake.ts";
import { NOT_NEGOTIATED, Session } from "./session.ts";
import { checkType } from "./shapes.ts";
import { fixedRate, requireUnique, ToolRegistry } from "./tool_registry.ts";

/** The default page size. Large, because several clients never ask for the second page. */
const DEFAULT_PAGE_SIZE = 1000;
/** The default rate of tool calls: more than a model makes, and it stops a loop. */
const TOOL_CALLS: Rate = { burst: 200, perSecond: 50 };

/** How long a request may take after the client has closed its output, in milliseconds: a folder on a slow disk. */
const GRACE_MS = 60_000;

/**
 * Builds a server; `serveStdio` has an example.
 *
 * @throws {TypeError} When the info, the tools or their rate are invalid, or two have the same name; a `RangeError` when the
 * page size is invalid.
 */
export function createServer(options: ServerOptions): Server {
  return new Server(options);
}

/** A server. What it serves is fixed. It can be connected to any number of transports. */
export class Server {
  readonly #services: Services;
  readonly #methods = new Map<string, ServedMethod>();
  readonly #keys: readonly Uint8Array[] | undefined;
  #signer: Promise<TokenSigner> | undefined;
  #requests = 0;
  /** Loaded with the first method that may ask the client. */
  #clientInput: typeof ClientInput | undefined;
  /** Settles when `handle` measures. */
  #meter: Promise<void> | undefined;

  /** See `createServer`. */
  constructor(options: ServerOptions) {
    checkType(options, "options", "options", (fault) => {
      throw new TypeError(`Cannot build a server: ${fault}`);
    }, []);
    const { pageSize = DEFAULT_PAGE_SIZE, toolCalls = TOOL_CALLS, logging = false, scopes } = options;
    if (!Number.isInteger(pageSize) || pageSize < 1) {
      throw new RangeError(`Cannot use the pageSize ${pageSize}: it must be an integer of at least 1`);
    }
    for (const [name, row] of METHODS) this.#methods.set(name, { ...row, ...HANDLERS[name as Method] });
    this.#keys = options.keys?.map((key) => new Uint8Array(key));
    const extensions = Object.freeze([...options.extensions ?? []]);
    const added = extensions.flatMap((extension) =>
      addExtension(extension, this.#methods, () => this.#services)
    );
    const resources = Object.freeze([...options.resources ?? [], ...added]);
    const prompts = Object.freeze([...options.prompts ?? []]);
    requireUnique("resources", resources.flatMap(({ names = [] }) => names));
    requireUnique("prompts", prompts.flatMap(({ names = [] }) => names));
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
    this.#meter = options.onmeasure && import("./measure.ts").then((my) => my.measure(this, this.#services));
  }

  /** Signs tokens with the keys of the server. @throws {RangeError} When a key is too short. */
  readonly signer = (): Promise<TokenSigner> =>
    this.#signer ??= import("../../base/signer.ts").then(({ TokenSigner }) => new TokenSigner(this.#keys));

  /** Checks the keys, as `connect` and `listenHttp` do. @throws {RangeError} When one is too short. */
  async check(): Promise<void> {
    await this.#meter;
    if (this.#keys) await this.signer();
  }

  /** Serves a transport until it closes. The transport must not be started yet. @throws {RangeError} When a key is too short. */
  async connect(transport: Transport): Promise<Connection<AcceptedRequest>> {
    await this.check();
    const session = new Session();
    const connection = new Connection(transport, this.connectionOptions(session));
    session.notify = (method, params) => connection.notify(method, params);
    await connection.start();
    void connection.closed.then(this.reportChanges(session).stop).then(() => session.onend?.());
    return connection;
  }

  /** The behaviour of a JSON-RPC connection that serves a client. */
  connectionOptions(session: Session): ConnectionOptions<AcceptedRequest> {
    return {
      ...MCP_JSON_RPC,
      accept: this.accept.bind(this, session),
      onrequest: this.handle.bind(this),
      onnotification: ({ method }) => {
        if (method === Notifications.initialized) session.isInitialized ||= session.negotiated !== undefined;
      },
      onend: () => session.subscriptions.endAll(),
      rules: () => session.negotiated?.revision ?? { batches: false, unreadableId: null },
      // Tool calls have time limits of their own.
      graceOf: ({ request }) => request.method === "tools/call" ? Infinity : GRACE_MS,
      ongiveup: ({ request, accepted }, reason) =>
        this.#reportFailure(`${request.method}: ${reason}`, accepted.id),
      onerror: (error) => this.#services.options.ontransporterror?.(error),
    };
  }

  /**
   * Notifies a legacy client of changes until `stop` is called, each time after `refresh`. Call `report` for changes that no
   * provider reports; it returns whether the server declares them.
   */
  reportChanges(
    session: Session,
    refresh?: () => Awaitable<unknown>,
  ): { report(...change: Parameters<ChangeListener>): boolean; stop(): void } {
    const { changes } = this.#services;
    const { uris } = session.subscriptions;
    const tell = notifier({ lists: new Set(["resources", "prompts"]), uris }, session.notify!);
    const report = (...[kind, found]: Parameters<ChangeListener>) => {
      if (!changes.reports(kind)) return false;
      void andThen(refresh?.(), () => session.isInitialized && tell(kind, found));
      return true;
    };
    return { report, stop: changes.listen(report) };
  }

  /** The arguments of a tool that clients repeat in header fields; none when there is no such tool. */
  headerParametersOf(tool: string): Awaitable<readonly HeaderParameter[]> {
    const { tools } = this.#services;
    const registered = tools.get(tool);
    if (registered) return registered.input.headers;
    // The tool may not be loaded yet.
    return andThen(tools.ready(), () => tools.get(tool)?.input.headers ?? []);
  }

  /**
   * Accepts a request when it arrives: determines its revision, checks that the revision has the method, and begins to load the
   * handler. The constructor of `Call` calls this. An `initialize` takes effect here, for the requests after it. Never throws:
   * the result for a refused request has the `error` that `handle` answers with.
   */
  accept(session: Session, call: AcceptedCall): AcceptedRequest {
    const { request, inBatch } = call, { options } = this.#services;
    const id = `${session.id}.${++this.#requests}`;
    const refuse = (error: RpcError) => ({ ...NOT_NEGOTIATED, id, session, error });
    const meta = modernMeta(request.params), isHandshake = !meta && request.method === "initialize";
    // The lifecycle of 2025-03-26 demands this of `initialize`; modern revisions have no batches.
    if (inBatch && (meta || isHandshake)) return refuse(invalidRequest("it must not be part of a batch"));
    const negotiated = meta
      ? readMeta(meta)
      : !session.negotiated || isHandshake
      ? acceptOpening(session, request)
      : session.negotiated;
    if (negotiated instanceof RpcError) return refuse(negotiated);
    const { revision, client } = negotiated;
    const method = this.#methods.get(request.method);
    if (!method || (method.era !== "both" && method.era !== revision.era)) {
      return refuse(methodNotFound(request.method));
    }
    const ready = method.handler ? undefined : this.#load(method);
    ready?.catch(() => {});
    const access = options.scopes && new Access(options.scopes, call.context.authentication);
    return { id, session, revision, client, ready, access };
  }

  /** Loads a handler, and gets the providers that it needs ready. After a failure, the next request tries again. */
  async #load({ load, needs = [], mayAskClient }: ServedMethod): Promise<void> {
    const { tools, resources, prompts } = this.#services;
    const providers = { tools: [tools], resources, prompts };
    const ready = needs.flatMap((kind) => providers[kind].map((provider) => provider.ready?.()));
    const [handler] = await Promise.all([load!(), ...ready]);
    if (mayAskClient) this.#clientInput ??= (await import("./client_input.ts")).ClientInput;
    for (const method of this.#methods.values()) if (method.load === load) method.handler = handler;
  }

  /** Answers an accepted request. This is the only way to a handler. Never throws and never rejects. */
  handle(call: AcceptedCall): Response | Promise<Response> {
    const { request, accepted: { error, ready } } = call;
    try {
      if (error) throw error;
      const method = this.#methods.get(request.method)!;
      if (Array.isArray(request.params)) throw invalidParams("The params must be an object");
      const context = ExecutionContext.fromRequest(call);
      const response = method.handler
        ? this.#run(context, call, method)
        : ready!.then(() => this.#run(context, call, method));
      if (!(response instanceof Promise)) return response;
      return response.catch((cause) => this.#fail(call, cause));
    } catch (cause) {
      return this.#fail(call, cause);
    }
  }

  /** Checks the scopes of the client, and runs the handler. */
  #run(context: ExecutionContext, call: AcceptedCall, method: ServedMethod): Response | Promise<Response> {
    const { access, params: { name, uri } } = context;
    const services = this.#services, isToolCall = context.method === "tools/call";
    if (access && isToolCall) access.demand("tools", typeof name === "string" ? [name] : []);
    else if (access && typeof uri === "string") {
      access.demand("categories", categoriesOf(uri, services.resources));
    }
    const handler = method.handler!;
    const input = method.mayAskClient ? new this.#clientInput!(call, services.signer) : undefined;
    call.accepted.input = input;
    // `callTool` binds the tool first, and then calls `input.run` itself.
    const result = input && !isToolCall
      ? input.run(handler, [context, services, call])
      : handler(context, services, call);
    return result instanceof Promise
      ? result.then((value) => this.#succeed(context, method, value))
      : this.#succeed(context, method, result);
  }

  /** Seals the context with the result, and makes the response. */
  #succeed(context: ExecutionContext, method: ServedMethod, value: unknown): Response {
    const sealed = value instanceof ExecutionContext ? value : context.withResult(value);
    const { onanswer } = this.#services.options;
    // Errors of the observer must not affect the response.
    if (onanswer) queueMicrotask(() => onanswer(sealed));
    const { requestId: id, result, revision } = sealed;
    const isModern = revision.era === "modern";
    if (result instanceof RawJson) {
      if (!isModern) return { jsonrpc: "2.0", id, result };
      method.envelope ??= JSON.stringify(this.#withEnvelope({}, method)).slice(1, -1);
      return { jsonrpc: "2.0", id, result: result.with(method.envelope) };
    }
    if (!isObject(result)) throw new ContextError("A result must be an object");
    const { isError, content } = result;
    if (isError === true) {
      this.#reportRefusal(sealed, `${asObject(asArray(content)[0])["text"]}`, sealed.origin);
    }
    // Serialised here, so that a failure is answered with an error.
    return { jsonrpc: "2.0", id, result: RawJson.of(isModern ? this.#withEnvelope(result, method) : result) };
  }

  /** Adds the members that modern revisions have in every result of a method. */
  #withEnvelope(result: JsonObject, { ttlMs }: MethodRow): JsonObject {
    const { resultType = "complete", _meta = {}, ...rest } = result;
    // A result that requires input must not be cached.
    const cache = ttlMs !== undefined && resultType !== "input_required" && { ttlMs, cacheScope: "private" };
    const meta = { ..._meta as object, [Meta.serverInfo]: this.#services.info };
    return { resultType, ...rest, ...cache, _meta: meta };
  }

  #reportRefusal(...refusal: Parameters<NonNullable<ServerOptions["onrefused"]>>): void {
    const { onrefused } = this.#services.options;
    if (onrefused) queueMicrotask(() => onrefused(...refusal));
  }

  #reportFailure(...failure: Parameters<NonNullable<ServerOptions["onfailure"]>>): void {
    const { onfailure = printLater } = this.#services.options;
    queueMicrotask(() => onfailure(...failure));
  }

  /** The one place where a generic error replaces an unexpected one. Only `onfailure` gets the cause. */
  #fail(call: AcceptedCall, cause: unknown): Response {
    const { request, accepted: { id: reference } } = call;
    if (cause instanceof RpcError) {
      call.error = cause;
      this.#reportRefusal(request, cause.message, call.context);
      return failure(request.id, toErrorObject(cause));
    }
    const isCancelled = call.cancelled !== undefined && cause === call.cancelled;
    if (!isCancelled) this.#reportFailure(cause, reference, call);
    return failure(request.id, toErrorObject(cause, reference));
  }
}

/** The `_meta` of a modern request: one that states a version, capabilities or a client. Undefined for other requests. */
export function modernMeta(params: unknown): JsonObject | undefined {
  const meta = (params as { readonly _meta?: unknown } | null | undefined)?._meta;
  if (!isObject(meta)) return undefined;
  const isModern = Meta.protocolVersion in meta || Meta.clientCapabilities in meta || Meta.clientInfo in meta;
  return isModern ? meta : undefined;
}

function invalidField(key: string, type: string): RpcError {
  return invalidMeta(`params._meta must state ${key} as ${type}`);
}

/** Reads the revision and client that a modern request states, or returns why it is refused. */
function readMeta(meta: JsonObject): Negotiated | RpcError {
  const version = meta[Meta.protocolVersion], capabilities = meta[Meta.clientCapabilities];
  const info = meta[Meta.clientInfo];
  if (typeof version !== "string") return invalidField(Meta.protocolVersion, "a string");
  const revision = MODERN_REVISIONS.get(version);
  if (!revision) return unsupportedVersion(version);
  if (!isObject(capabilities)) return invalidField(Meta.clientCapabilities, "an object");
  if (info !== undefined && !isObject(info)) return invalidField(Meta.clientInfo, "an object");
  return { revision, client: Object.freeze({ info, capabilities }) };
}

/**
 * Accepts an `initialize`, which negotiates for the requests after it, or a `ping` before it. Returns what is in force for this
 * request itself. Refuses any other legacy request that comes before a handshake.
 */
function acceptOpening(session: Session, { method, params }: Request): Negotiated | RpcError {
  const { negotiated = NOT_NEGOTIATED } = session;
  if (method === "initialize") session.negotiate(params);
  else if (method !== "ping") {
    return invalidMeta(
      `The request states no protocol version: send initialize first, or state ${Meta.protocolVersion} and ` +
        `${Meta.clientCapabilities} in params._meta (served: ${[...MODERN_REVISIONS.keys()].join(", ")})`,
    );
  }
  return negotiated;
}

/**
 * Adds the methods of an extension; returns the provider of its resources. @throws {TypeError} When a method cannot be used.
 */
function addExtension(
  { id, accepts, methods = [], scheme, load }: Extension,
  served: Map<string, ServedMethod>,
  services: () => Services,
): ResourceProvider[] {
  const fail = (method: string, fault: string): never => {
    throw new TypeError(`Cannot use the method "${method}" of the extension "${id}": ${fault}`);
  };
  let loaded: ExtensionMethods = {};
  const ready = onceDone(async () => void (loaded = await load!()));
  const answer = async (method: string, context: ExecutionContext, uri: string = "") => {
    await ready();
    const handler = own(loaded, method) as ExtensionMethods[string] | undefined;
    return await (handler ?? fail(method, "its load() does not give it"))(context, services(), uri);
  };
  const [first] = scheme === undefined ? methods : [...methods, "resources/read"];
  if (!load && first !== undefined) fail(first, "the extension has no load()");
  for (const method of methods) {
    if (accepts) fail(method, "an extension that has accepts() cannot add methods");
    if (served.has(method)) fail(method, "the server or another extension has it already");
    served.set(method, { era: "modern", ttlMs: 0, handler: (context) => answer(method, context) });
  }
  if (scheme === undefined) return [];
  const read: ResourceProvider["read"] = async (uri, context) => {
    const isSupported = accepts?.(context.client) ?? context.revision.era === "modern";
    if (!isSupported || !uri.toLowerCase().startsWith(`${scheme}:`)) return undefined;
    return await answer("resources/read", context, uri) as ResourceContents[];
  };
  return [{ list: () => [], read }];
}

const printLater = async (cause: unknown, reference: string) =>
  (await import("../../base/failures.ts")).printFailedRequest(cause, reference);

const lists = () => import("./lists.ts");
const subscribing = () => import("./subscribe.ts");
// Unsubscribing needs no provider. It has the same row, so that it does not overtake a subscription that waits for one.
const subscribe = { load: async () => (await subscribing()).subscribe, needs: ["resources"] } as const;

const HANDLERS: Readonly<Record<Method, Pick<ServedMethod, "handler" | "load" | "needs">>> = {
  "initialize": { handler: answerInitialize },
  "ping": { handler: () => ({}) },
  "server/discover": { handler: answerDiscover },
  "resources/list": { load: async () => (await lists()).listResources, needs: ["resources"] },
  "resources/templates/list": { load: async () => (await lists()).listTemplates, needs: ["resources"] },
  "resources/read": { load: async () => (await import("./resources.ts")).readResource, needs: ["resources"] },
  "resources/subscribe": subscribe,
  "resources/unsubscribe": subscribe,
  "subscriptions/listen": {
    load: async () => (await subscribing()).listenForChanges,
    needs: ["resources", "prompts"],
  },
  "prompts/list": { load: async () => (await lists()).listPrompts, needs: ["prompts"] },
  "prompts/get": { load: async () => (await import("./prompts.ts")).getPrompt, needs: ["prompts"] },
  "completion/complete": {
    load: async () => (await import("./completion.ts")).complete,
    needs: ["resources", "prompts"],
  },
  "tools/list": { load: async () => (await lists()).listTools, needs: ["tools"] },
  "tools/call": { load: async () => (await import("./tool_call.ts")).callTool, needs: ["tools"] },
  "logging/setLevel": { load: async () => (await import("./logging.ts")).setLevel },
};
