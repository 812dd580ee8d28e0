/** The client: one call for each method of the protocol, the same for servers of every revision. */

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

/** The lists, by the names of the members of a page that hold their items. */
type List = "tools" | "resources" | "resourceTemplates" | "prompts";

/** A client of one server, made by `connect`. Close it when it is no longer needed. */
export class Client {
  readonly #session: ClientSession;
  readonly #subscriptions: ClientSubscriptions;
  /** Replaced when the list of tools changes. */
  #tools: ListedTools;
  /** The client's own cache, followed by the shared one for public responses, if any. */
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

  /** The server's description of itself. */
  get server(): ServerDescription {
    return this.#session.negotiated.server;
  }

  /** Resolves when the session is over, whichever side ended it. */
  get closed(): Promise<void> {
    return this.#session.connection.closed;
  }

  /** Ends the session and rejects pending requests. May be called again. */
  close(): Promise<void> {
    return this.#session.close();
  }

  /**
   * Sends a request of any method. The protocol adds its own members to the params. The result can be any object.
   *
   * @throws {RpcError} When the server answers with an error.
   * @throws {TransportError} When the session ends first, or the server can no longer be reached.
   * @throws {TimeoutError} When the response takes too long.
   * @throws {ProtocolError} When the response violates the protocol.
   * @throws {RangeError} When `timeoutMs` is not a number of at least 1.
   */
  async call(method: string, params: JsonObject = {}, options: CallOptions = {}): Promise<Result> {
    return await this.#session.request(method, params, options);
  }

  /** Returns the page of tools at a cursor, or the first page. */
  listToolsPaginated(cursor?: string): Promise<Page<"tools", ListedTool>> {
    return this.#page("tools", cursor);
  }

  /** Returns the page of resources at a cursor, or the first page. */
  listResourcesPaginated(cursor?: string): Promise<Page<"resources", ListedResource>> {
    return this.#page("resources", cursor);
  }

  /** Returns the page of resource templates at a cursor, or the first page. */
  listResourceTemplatesPaginated(
    cursor?: string,
  ): Promise<Page<"resourceTemplates", ListedResourceTemplate>> {
    return this.#page("resourceTemplates", cursor);
  }

  /** Returns the page of prompts at a cursor, or the first page. */
  listPromptsPaginated(cursor?: string): Promise<Page<"prompts", ListedPrompt>> {
    return this.#page("prompts", cursor);
  }

  /** Yields all tools. Pages are read as they are needed. */
  tools(): AsyncGenerator<ListedTool, void, undefined> {
    return this.#items("tools");
  }

  /** Yields all resources. Pages are read as they are needed. */
  resources(): AsyncGenerator<ListedResource, void, undefined> {
    return this.#items("resources");
  }

  /** Yields all resource templates. Pages are read as they are needed. */
  resourceTemplates(): AsyncGenerator<ListedResourceTemplate, void, undefined> {
    return this.#items("resourceTemplates");
  }

  /** Yields all prompts. Pages are read as they are needed. */
  prompts(): AsyncGenerator<ListedPrompt, void, undefined> {
    return this.#items("prompts");
  }

  /**
   * Calls a tool. If the tool fails, its result has `isError`.
   *
   * @throws {ProtocolError} When `structuredContent` does not fit the tool's output schema. The error has the `result`. Also
   * before the call, when that schema cannot be used. Other errors are those of `call`.
   */
  async callTool(name: string, args: JsonObject = {}, options: CallOptions = {}): Promise<ToolCallResult> {
    const timeoutMs = readLimit("timeoutMs", options.timeoutMs ?? this.#session.options.timeoutMs);
    const end = performance.now() + timeoutMs;
    // At least half of the time must be left for the call itself.
    const lookUp = () =>
      this.#tools.lookUp(name, (signal) => this.#items("tools", { signal }), timeoutMs / 2, options.signal);
    let isFresh = await lookUp();
    // The arguments that go into header fields, or the output schema, may have changed without a notification.
    const lookUpAgain = () => {
      isFresh = true;
      this.#invalidate({ type: "tools" });
      return lookUp();
    };
    await this.#tools.prepare(name).catch(async (cause) => {
      if (isFresh || !await lookUpAgain()) throw cause;
      await this.#tools.prepare(name);
    });
    const send = () => {
      const left = Math.max(1, Math.ceil(end - performance.now()));
      return this.call("tools/call", { name, arguments: args }, { ...options, timeoutMs: left });
    };
    const result = await send().catch(async (cause) => {
      if (!(cause instanceof RpcError) || cause.code !== McpErrorCode.headerMismatch) throw cause;
      if (await lookUpAgain()) await this.#tools.prepare(name);
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

  /** Gets a prompt with its arguments filled in. */
  async getPrompt(
    name: string,
    args: Readonly<Record<string, string>> = {},
    options: CallOptions = {},
  ): Promise<FilledPrompt> {
    const result = await this.call("prompts/get", { name, arguments: args }, options);
    return withList("prompts/get", result, "messages");
  }

  /** Completes the value of an argument. `others` are the values of the other arguments, as far as they are known. */
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

  /**
   * Subscribes to changes. `served` of the subscription has those that the server supports. A change also drops the cached
   * responses that it affects.
   */
  listen(filter: ChangeFilter): Promise<Subscription> {
    return this.#subscriptions.open(filter);
  }

  /** Subscribes to changes of one resource. */
  subscribe(uri: string): Promise<Subscription> {
    return this.listen({ uris: [uri] });
  }

  /** Notifies a legacy server that the roots have changed. Modern servers request the roots when they need them. */
  rootsChanged(): void {
    if (this.era === "legacy") void this.#session.connection.notify("notifications/roots/list_changed");
  }

  /** Returns how long the server takes to respond, in milliseconds. */
  async ping(options: CallOptions = {}): Promise<number> {
    const start = performance.now();
    await this.call(this.era === "legacy" ? "ping" : "server/discover", {}, options);
    return performance.now() - start;
  }

  /** Reads all pages, up to the limits of the options. Reads nothing if the server does not have the list. */
  async *#items<T>(list: List, options?: CallOptions): AsyncGenerator<T, void, undefined> {
    const { options: limits, sizes } = this.#session;
    if (!this.server.capabilities[list === "resourceTemplates" ? "resources" : list]) return;
    const fail = (reason: string) => new ProtocolError(`Cannot read all ${list}: ${reason}`);
    const check = (limit: "maxPages" | "maxItems" | "maxListSize", count: number, unit: string) => {
      if (count > limits[limit]) {
        throw fail(`more than ${limits[limit]} ${unit}; raise ${limit} to read more`);
      }
    };
    const cursors = new Set<string | undefined>();
    let cursor: string | undefined;
    let items = 0, size = 0;
    do {
      check("maxPages", cursors.size + 1, "pages");
      if (cursors.has(cursor)) throw fail("the server sent the same cursor twice");
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
      throw new ProtocolError(`The server answered ${method} with a cursor that is not a string`);
    }
    // Some servers send null on the last page; legacy ones also an empty cursor, which is a valid one in 2026-07-28.
    const isLast = (nextCursor ?? undefined) === undefined || (nextCursor === "" && this.era === "legacy");
    const next = isLast ? {} : { nextCursor };
    const found = { ...rest, ...next, [list]: (items as unknown[]).filter(isObject) };
    const page = list === "tools" ? tools.add(found as Page<"tools", ListedTool>) : found;
    this.#session.sizes.set(page, this.#session.sizes.get(result) ?? 0);
    return page as P;
  }

  /** Returns the cached response to a request, or sends the request. */
  async #cached(method: string, params: JsonObject, options: CallOptions): Promise<JsonObject> {
    for (const cache of this.#caches) {
      const found = cache.get(method, params);
      if (found) return found;
    }
    const generations = this.#caches.map(({ generation }) => generation);
    let requests = 0;
    const result = await this.#session.request(method, params, { ...options, onsent: () => requests++ });
    // The shared cache, if any, is the last one.
    const index = result["cacheScope"] === "public" ? this.#caches.length - 1 : 0;
    // If the server asked for input, the response depends on more than the params.
    if (requests === 1) this.#caches[index]?.set(method, params, result, generations[index]!);
    return result;
  }

  /** Drops what is out of date after a change. */
  #invalidate({ type, uri }: ChangeEvent): void {
    if (type === "tools") this.#tools = new ListedTools(this.#session);
    for (const cache of this.#caches) {
      cache.drop(type === "resource" ? "resources/read" : `${type}/list`, uri);
      if (type === "resources") cache.drop("resources/templates/list");
    }
  }
}

/** Returns a result whose member is a list, as its type requires. */
function withList<T>(method: string, result: JsonObject, member: string): T {
  if (Array.isArray(result[member])) return result as T;
  throw new ProtocolError(`The server answered ${method} with no ${member}`, { result });
}
