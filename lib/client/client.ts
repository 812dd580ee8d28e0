/** The client: the same calls for servers of every revision, and one that takes any method. */

import type { JsonObject } from "../base/json.ts";
import type { Era } from "../protocol/revisions.ts";
import type { CallOptions, ClientOptions, Limits } from "./options.ts";
import type {
  Completion,
  Page,
  Prompt,
  PromptResult,
  PromptsPage,
  ReadResult,
  Resource,
  ResourcesPage,
  ResourceTemplate,
  ResourceTemplatesPage,
  Result,
  Tool,
  ToolResult,
  ToolsPage,
} from "./results.ts";
import type { ServerInfo, Session } from "./session.ts";
import type { ChangeEvent, ChangeFilter, Subscription } from "./subscriptions.ts";
import { asObject, isObject } from "../base/json.ts";
import { RpcError } from "../jsonrpc/message.ts";
import { McpErrorCode } from "../protocol/errors.ts";
import { ResponseCache } from "./cache.ts";
import { ProtocolError } from "./options.ts";
import { Subscriptions } from "./subscriptions.ts";
import { ListedTools } from "./tools.ts";

/** What is completed: an argument of a prompt, or a variable of a resource template. */
export type CompletionReference =
  | { readonly type: "ref/prompt"; readonly name: string }
  | { readonly type: "ref/resource"; readonly uri: string };

/** The lists, and the member of a page that holds the items. */
const LISTS = {
  "tools/list": "tools",
  "resources/list": "resources",
  "resources/templates/list": "resourceTemplates",
  "prompts/list": "prompts",
} as const;
type ListMethod = keyof typeof LISTS;

/** A client of one server, made by `connect`. Close it when it is not needed any more. */
export class Client {
  readonly #session: Session;
  readonly #maxPages: number;
  readonly #subscriptions: Subscriptions;
  readonly #tools: ListedTools;
  /** One of its own, and the shared one for responses that the server calls public. */
  readonly #caches: readonly ResponseCache[];

  /**
   * Takes over an open session.
   *
   * @internal
   */
  constructor(session: Session, { cache = true, sharedCache }: ClientOptions, { maxPages }: Limits) {
    this.#session = session;
    this.#maxPages = maxPages;
    this.#caches = cache ? [new ResponseCache(), ...(sharedCache ? [sharedCache] : [])] : [];
    this.#subscriptions = new Subscriptions(session, (event) => this.#invalidate(event));
    const { transport } = session;
    const hasHeaders = transport.hasHeaders === true && this.era === "modern";
    this.#tools = new ListedTools(hasHeaders, (message) => session.warn(message));
    if (hasHeaders) transport.argumentHeaders = (params) => this.#tools.headersOf(params);
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
  get server(): ServerInfo {
    return this.#session.negotiated.server;
  }

  /** Settles when the session is over, whichever side ended it. */
  get closed(): Promise<void> {
    return this.#session.closed;
  }

  /** Ends the session; pending requests are rejected. May be called again. */
  close(): Promise<void> {
    return this.#session.close();
  }

  /**
   * Sends any request, with params as they are and what the protocol adds to each request.
   *
   * @returns The result, of which only is checked that it is an object.
   * @throws {RpcError} When the server answers with an error, or the session ends first.
   * @throws {TimeoutError} When it takes too long.
   * @throws {ProtocolError} When the response breaks the protocol.
   * @throws {RangeError} For a `timeoutMs` that is no number of at least 1.
   */
  async call(method: string, params: JsonObject = {}, options: CallOptions = {}): Promise<Result> {
    return await this.#session.request(method, params, options);
  }

  /** A page of the tools; the first one without a cursor. */
  listToolsPaginated(cursor?: string): Promise<ToolsPage> {
    return this.#page("tools/list", cursor);
  }

  /** A page of the resources; the first one without a cursor. */
  listResourcesPaginated(cursor?: string): Promise<ResourcesPage> {
    return this.#page("resources/list", cursor);
  }

  /** A page of the resource templates; the first one without a cursor. */
  listResourceTemplatesPaginated(cursor?: string): Promise<ResourceTemplatesPage> {
    return this.#page("resources/templates/list", cursor);
  }

  /** A page of the prompts; the first one without a cursor. */
  listPromptsPaginated(cursor?: string): Promise<PromptsPage> {
    return this.#page("prompts/list", cursor);
  }

  /** All tools; pages are read as they are needed. */
  tools(): AsyncGenerator<Tool, void, undefined> {
    return this.#items("tools/list");
  }

  /** All resources; pages are read as they are needed. */
  resources(): AsyncGenerator<Resource, void, undefined> {
    return this.#items("resources/list");
  }

  /** All resource templates; pages are read as they are needed. */
  resourceTemplates(): AsyncGenerator<ResourceTemplate, void, undefined> {
    return this.#items("resources/templates/list");
  }

  /** All prompts; pages are read as they are needed. */
  prompts(): AsyncGenerator<Prompt, void, undefined> {
    return this.#items("prompts/list");
  }

  /**
   * Calls a tool. One that has failed says so with `isError` in its result.
   *
   * @throws {ProtocolError} When `structuredContent` does not fit the tool's output schema; otherwise as `call`.
   */
  async callTool(name: string, args: JsonObject = {}, options: CallOptions = {}): Promise<ToolResult> {
    await this.#lookUp(name, options);
    const call = () => this.call("tools/call", { name, arguments: args }, options);
    const result = await call().catch(async (cause) => {
      if (!(cause instanceof RpcError) || cause.code !== McpErrorCode.headerMismatch) throw cause;
      // The tool has changed: other arguments go into header fields.
      this.#invalidate({ type: "tools" });
      await this.#lookUp(name, options);
      return await call();
    });
    return await this.#tools.check(name, result);
  }

  /** Reads a resource. */
  async readResource(uri: string, options: CallOptions = {}): Promise<ReadResult> {
    return withList(await this.#cached("resources/read", { uri }, options), "contents", "resources/read");
  }

  /** Gets a prompt, filled in. */
  async getPrompt(
    name: string,
    args: Readonly<Record<string, string>> = {},
    options: CallOptions = {},
  ): Promise<PromptResult> {
    const result = await this.call("prompts/get", { name, arguments: args }, options);
    return withList(result, "messages", "prompts/get");
  }

  /**
   * Asks for values of an argument.
   *
   * @param others The arguments that have their values already.
   */
  async complete(
    ref: CompletionReference,
    argument: { readonly name: string; readonly value: string },
    others?: Readonly<Record<string, string>>,
    options: CallOptions = {},
  ): Promise<Completion["completion"]> {
    const context = others && { context: { arguments: others } };
    const result = await this.call("completion/complete", { ref, argument, ...context }, options);
    return withList(asObject(result["completion"]), "values", "completion/complete");
  }

  /**
   * Subscribes to changes. Cached responses that are affected are dropped.
   *
   * @returns The events as they come; its `served` says which changes the server supports.
   */
  listen(filter: ChangeFilter): Promise<Subscription> {
    return this.#subscriptions.open(filter);
  }

  /** Subscribes to changes of one resource. */
  subscribe(uri: string): Promise<Subscription> {
    return this.listen({ uris: [uri] });
  }

  /** Tells the server that the roots have changed; modern servers ask when they need them. */
  rootsChanged(): void {
    if (this.era === "legacy") this.#session.notify("notifications/roots/list_changed");
  }

  /** Measures how long the server takes to answer, in milliseconds. */
  async ping(options: CallOptions = {}): Promise<number> {
    const start = performance.now();
    await this.call(this.era === "legacy" ? "ping" : "server/discover", {}, options);
    return performance.now() - start;
  }

  /** Reads all pages, with a limit where the server has none. */
  async *#items<T>(method: ListMethod, options: CallOptions = {}): AsyncGenerator<T, void, undefined> {
    const cursors = new Set<string>();
    let cursor: string | undefined;
    for (let pages = 0; pages < this.#maxPages; pages++) {
      const page: Page = await this.#page(method, cursor, options);
      yield* page[LISTS[method]] as readonly T[];
      cursor = page.nextCursor;
      if (cursor === undefined) return;
      if (cursors.has(cursor)) {
        throw new ProtocolError(`Cannot read all of ${method}: the server gave the same cursor twice`);
      }
      cursors.add(cursor);
    }
    throw new ProtocolError(
      `Cannot read all of ${method}: it has more than ${this.#maxPages} pages; raise maxPages to read on`,
    );
  }

  async #page<P extends Page>(method: ListMethod, cursor?: string, options: CallOptions = {}): Promise<P> {
    const { changes } = this.#tools;
    const params = cursor === undefined ? {} : { cursor };
    const member = LISTS[method];
    const result = withList<JsonObject>(await this.#cached(method, params, options), member, method);
    const { [member]: items, nextCursor, ...rest } = result;
    if (nextCursor !== undefined && nextCursor !== null && typeof nextCursor !== "string") {
      throw new ProtocolError(`The server answered ${method} with a cursor that is no string`);
    }
    // Some servers end a list with an empty cursor, or null.
    const next = nextCursor ? { nextCursor } : {};
    const page = { ...rest, [member]: (items as unknown[]).filter(isObject), ...next } as unknown as P;
    if (method !== "tools/list") return page;
    return this.#tools.add(page as unknown as ToolsPage, changes) as Page as P;
  }

  /** Lists tools until one is known, before it is called: its schemas are needed. */
  async #lookUp(name: string, { onprogress: _, ...options }: CallOptions): Promise<void> {
    if (!isObject(this.server.capabilities["tools"])) return;
    await this.#tools.lookUp(name, this.#items("tools/list", options), options.signal);
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
    // A response that needed input depends on more than the params.
    const index = result["cacheScope"] === "public" ? this.#caches.length - 1 : 0;
    if (requests === 1) this.#caches[index]?.set(method, params, result, generations[index]!);
    return result;
  }

  /** Drops what a change concerns. */
  #invalidate({ type, uri }: ChangeEvent): void {
    if (type === "tools") this.#tools.clear();
    for (const cache of this.#caches) {
      cache.drop(type === "resource" ? "resources/read" : `${type}/list`, uri);
      if (type === "resources") cache.drop("resources/templates/list");
    }
  }
}

/** Checks that a result has a list, as its type says. */
function withList<T>(result: JsonObject, member: string, method: string): T {
  if (Array.isArray(result[member])) return result as T;
  throw new ProtocolError(`The server answered ${method} with no ${member}`);
}
