/** The client: the same calls for servers of every revision, and one that takes any method. */

import type { JsonObject } from "../../base/json.ts";
import type { Era } from "../protocol/revisions.ts";
import type { Result } from "../protocol/types.ts";
import type { CallOptions } from "./options.ts";
import type { ClientSession } from "./session.ts";
import type { ChangeEvent, ChangeFilter, Subscription } from "./subscription.ts";
import type { Completion, CompletionReference, FilledPrompt, ListedPrompt, ListedResource } from "./types.ts";
import type { ListedResourceTemplate, ListedTool, Page, ReadResult } from "./types.ts";
import type { ServerDescription, ToolCallResult } from "./types.ts";
import { asObject, isObject } from "../../base/json.ts";
import { RpcError } from "../../jsonrpc/message.ts";
import { McpErrorCode } from "../protocol/errors.ts";
import { ProtocolError } from "./errors.ts";
import { readLimit } from "./options.ts";
import { ResponseCache } from "./response_cache.ts";
import { ClientSubscriptions } from "./subscriptions.ts";
import { ListedTools } from "./tools.ts";

/** The lists. Each is named after the member of a page that holds its items. */
type List = "tools" | "resources" | "resourceTemplates" | "prompts";

/** A client of one server, made by `connect`. Close it when it is not needed any more. */
export class Client {
  readonly #session: ClientSession;
  readonly #subscriptions: ClientSubscriptions;
  /** Replaced when the list of tools changes. */
  #tools: ListedTools;
  /** The client's own cache, and after it the shared one, if there is one, for responses that the server calls public. */
  readonly #caches: readonly ResponseCache[];

  /** @internal Takes over an open session. */
  constructor(session: ClientSession) {
    const { cache = true, sharedCache } = session.options;
    this.#session = session;
    this.#caches = cache ? [new ResponseCache(), ...(sharedCache ? [sharedCache] : [])] : [];
    this.#subscriptions = new ClientSubscriptions(session, (event) => this.#invalidate(event));
    this.#tools = new ListedTools(session);
    const { transport } = session;
    if (transport.hasHeaders && this.era === "modern") {
      transport.argumentHeaders = (params) => this.#tools.headersOf(params);
    }
  }

  /** Whether the session was opened with a handshake (legacy) or without one (modern). */
  get era(): Era {
    return this.#session.negotiated.era;
  }

  /** The revision of the protocol: "2026-07-28". */
  get version(): string {
    return this.#session.negotiated.version;
  }

  /** What the server says of itself. */
  get server(): ServerDescription {
    return this.#session.negotiated.server;
  }

  /** Settles when the session is over, whichever side ended it. */
  get closed(): Promise<void> {
    return this.#session.connection.closed;
  }

  /** Ends the session; pending requests are rejected. May be called again. */
  close(): Promise<void> {
    return this.#session.close();
  }

  /**
   * Sends any request: the params as given, and what the protocol adds to every request. The result can be any object.
   *
   * @throws {RpcError} When the server answers with an error.
   * @throws {TransportError} When the session ends first, or the server cannot be reached any more.
   * @throws {TimeoutError} When it takes too long.
   * @throws {ProtocolError} When the response breaks the protocol.
   * @throws {RangeError} For a `timeoutMs` that is no number of at least 1.
   */
  async call(method: string, params: JsonObject = {}, options: CallOptions = {}): Promise<Result> {
    return await this.#session.request(method, params, options);
  }

  /** A page of the tools; the first one without a cursor. */
  listToolsPaginated(cursor?: string): Promise<Page<"tools", ListedTool>> {
    return this.#page("tools", cursor);
  }

  /** A page of the resources; the first one without a cursor. */
  listResourcesPaginated(cursor?: string): Promise<Page<"resources", ListedResource>> {
    return this.#page("resources", cursor);
  }

  /** A page of the resource templates; the first one without a cursor. */
  listResourceTemplatesPaginated(
    cursor?: string,
  ): Promise<Page<"resourceTemplates", ListedResourceTemplate>> {
    return this.#page("resourceTemplates", cursor);
  }

  /** A page of the prompts; the first one without a cursor. */
  listPromptsPaginated(cursor?: string): Promise<Page<"prompts", ListedPrompt>> {
    return this.#page("prompts", cursor);
  }

  /** All tools; pages are read as they are needed. */
  tools(): AsyncGenerator<ListedTool, void, undefined> {
    return this.#items("tools");
  }

  /** All resources; pages are read as they are needed. */
  resources(): AsyncGenerator<ListedResource, void, undefined> {
    return this.#items("resources");
  }

  /** All resource templates; pages are read as they are needed. */
  resourceTemplates(): AsyncGenerator<ListedResourceTemplate, void, undefined> {
    return this.#items("resourceTemplates");
  }

  /** All prompts; pages are read as they are needed. */
  prompts(): AsyncGenerator<ListedPrompt, void, undefined> {
    return this.#items("prompts");
  }

  /**
   * Calls a tool. One that has failed says so with `isError` in its result.
   *
   * @throws {ProtocolError} When `structuredContent` does not fit the tool's output schema; otherwise as `call`.
   */
  async callTool(name: string, args: JsonObject = {}, options: CallOptions = {}): Promise<ToolCallResult> {
    const timeoutMs = readLimit("timeoutMs", options.timeoutMs ?? this.#session.options.timeoutMs);
    const end = performance.now() + timeoutMs;
    // At least half of the time is left for the call itself.
    const lookUp = () =>
      this.#tools.lookUp(name, (signal) => this.#items("tools", { signal }), timeoutMs / 2, options.signal);
    let isFresh = await lookUp();
    // The tool may have changed without a notification: which arguments go into header fields, or its output schema.
    const lookUpAgain = () => {
      isFresh = true;
      this.#invalidate({ type: "tools" });
      return lookUp();
    };
    const send = () => {
      const left = Math.max(1, Math.ceil(end - performance.now()));
      return this.call("tools/call", { name, arguments: args }, { ...options, timeoutMs: left });
    };
    const result = await send().catch(async (cause) => {
      if (!(cause instanceof RpcError) || cause.code !== McpErrorCode.headerMismatch) throw cause;
      await lookUpAgain();
      return await send();
    });
    return await this.#tools.check(name, result).catch(async (cause) => {
      if (isFresh || !await lookUpAgain()) throw cause;
      return await this.#tools.check(name, result);
    });
  }

  /** Reads a resource. */
  async readResource(uri: string, options: CallOptions = {}): Promise<ReadResult> {
    return withList("resources/read", await this.#cached("resources/read", { uri }, options), "contents");
  }

  /** Gets a prompt, filled in. */
  async getPrompt(
    name: string,
    args: Readonly<Record<string, string>> = {},
    options: CallOptions = {},
  ): Promise<FilledPrompt> {
    const result = await this.call("prompts/get", { name, arguments: args }, options);
    return withList("prompts/get", result, "messages");
  }

  /** Asks for values of an argument. `others` are the arguments that already have their values. */
  async complete(
    ref: CompletionReference,
    argument: { readonly name: string; readonly value: string },
    others?: Readonly<Record<string, string>>,
    options: CallOptions = {},
  ): Promise<Completion> {
    const context = others && { context: { arguments: others } };
    const result = await this.call("completion/complete", { ref, argument, ...context }, options);
    return withList("completion/complete", asObject(result["completion"]), "values");
  }

  /** Subscribes to changes; `served` says which ones the server supports. Changes drop the cached responses they affect. */
  listen(filter: ChangeFilter): Promise<Subscription> {
    return this.#subscriptions.open(filter);
  }

  /** Subscribes to changes of one resource. */
  subscribe(uri: string): Promise<Subscription> {
    return this.listen({ uris: [uri] });
  }

  /** Tells the server that the roots have changed; modern servers ask when they need them. */
  rootsChanged(): void {
    if (this.era === "legacy") void this.#session.connection.notify("notifications/roots/list_changed");
  }

  /** Measures how long the server takes to answer, in milliseconds. */
  async ping(options: CallOptions = {}): Promise<number> {
    const start = performance.now();
    await this.call(this.era === "legacy" ? "ping" : "server/discover", {}, options);
    return performance.now() - start;
  }

  /** Reads all pages, up to the limits of the options. Reads nothing when the server does not offer the list. */
  async *#items<T>(list: List, options?: CallOptions): AsyncGenerator<T, void, undefined> {
    const { options: limits, sizes } = this.#session;
    if (!this.server.capabilities[list === "resourceTemplates" ? "resources" : list]) return;
    const fail = (reason: string) => new ProtocolError(`Cannot read all ${list}: ${reason}`);
    const check = (limit: "maxPages" | "maxItems" | "maxListSize", count: number, unit: string) => {
      if (count > limits[limit]) throw fail(`more than ${limits[limit]} ${unit}; raise ${limit} to read on`);
    };
    const cursors = new Set<string | undefined>();
    let cursor: string | undefined;
    let items = 0, size = 0;
    do {
      check("maxPages", cursors.size + 1, "pages");
      if (cursors.has(cursor)) throw fail("the server gave the same cursor twice");
      cursors.add(cursor);
      const page = await this.#page<Page<List, T>>(list, cursor, options);
      check("maxItems", items += page[list].length, "items");
      check("maxListSize", size += sizes.get(page)!, "characters");
      yield* page[list];
      cursor = page.nextCursor;
    } while (cursor !== undefined);
  }

  async #page<P>(list: List, cursor?: string, options: CallOptions = {}): Promise<P> {
    const tools = this.#tools;
    const method = list === "resourceTemplates" ? "resources/templates/list" : `${list}/list`;
    const result = await this.#cached(method, { cursor }, options);
    const { [list]: items, nextCursor, ...rest } = withList<JsonObject>(method, result, list);
    if (typeof (nextCursor ?? "") !== "string") {
      throw new ProtocolError(`The server answered ${method} with a cursor that is no string`);
    }
    // Some servers end a list with an empty cursor, or null.
    const next = nextCursor ? { nextCursor } : {};
    const found = { ...rest, ...next, [list]: (items as unknown[]).filter(isObject) };
    const page = list === "tools" ? tools.add(found as Page<"tools", ListedTool>) : found;
    this.#session.sizes.set(page, this.#session.sizes.get(result) ?? 0);
    return page as P;
  }

  /** Sends a request, unless a response to it is cached. */
  async #cached(method: string, params: JsonObject, options: CallOptions): Promise<JsonObject> {
    for (const cache of this.#caches) {
      const found = cache.get(method, params);
      if (found) return found;
    }
    const generations = this.#caches.map(({ generation }) => generation);
    let requests = 0;
    const result = await this.#session.request(method, params, { ...options, onsent: () => requests++ });
    // The shared cache is the last one.
    const index = result["cacheScope"] === "public" ? this.#caches.length - 1 : 0;
    // A response that needed input depends on more than the params.
    if (requests === 1) this.#caches[index]?.set(method, params, result, generations[index]!);
    return result;
  }

  /** Forgets what a change has made out of date. */
  #invalidate({ type, uri }: ChangeEvent): void {
    if (type === "tools") this.#tools = new ListedTools(this.#session);
    for (const cache of this.#caches) {
      cache.drop(type === "resource" ? "resources/read" : `${type}/list`, uri);
      if (type === "resources") cache.drop("resources/templates/list");
    }
  }
}

/** Checks that a result has a list, as its type says. */
function withList<T>(method: string, result: JsonObject, member: string): T {
  if (Array.isArray(result[member])) return result as T;
  throw new ProtocolError(`The server answered ${method} with no ${member}`);
}
