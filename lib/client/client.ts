/** What can be asked of a server? The same calls whatever its revision, and one that takes any method. */

import type { ChangeEvent, ChangeFilter, Changes } from "./changes.ts";
import type { Conversation } from "./conversation.ts";
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
import type { Era } from "./revisions.ts";
import type { Members } from "./value.ts";
import { RpcError } from "../jsonrpc/message.ts";
import { ProtocolError } from "./errors.ts";
import { KeptAnswers } from "./kept_answers.ts";
import { KnownTools } from "./known_tools.ts";
import { Listening } from "./listening.ts";
import { readTiming } from "./options.ts";
import { everything, readPage } from "./pages.ts";
import { MODERN_ERRORS } from "./revisions.ts";
import { isObject } from "../base/json.ts";
import { objectIn } from "./value.ts";

/** What a server says of itself. */
export interface ServerFacts {
  /** Its name and version; nothing to rely on. */
  readonly info: Members;
  /** What it can do. */
  readonly capabilities: Members;
  /** What a model should know to use it well. */
  readonly instructions: string | undefined;
}

/** What is completed: an argument of a prompt, or a variable of a family of resources. */
export type CompletionReference =
  | { readonly type: "ref/prompt"; readonly name: string }
  | { readonly type: "ref/resource"; readonly uri: string };

/** A client of one server. Made by `connect`; close it when you are done. */
export class Client {
  readonly #conversation: Conversation;
  readonly #limits: Limits;
  readonly #listening: Listening;
  readonly #tools: KnownTools;
  readonly #answers: KeptAnswers;

  /**
   * Takes over a conversation that is open.
   *
   * @internal
   */
  constructor(conversation: Conversation, options: ClientOptions, limits: Limits) {
    this.#conversation = conversation;
    this.#limits = limits;
    this.#answers = new KeptAnswers(options.sharedAnswers, options.keepAnswers === false);
    this.#listening = new Listening(conversation, limits.timeoutMs, (event) => this.#drop(event));
    const { transport } = conversation;
    const mirrors = transport.mirrorsArguments === true && this.era === "modern";
    this.#tools = new KnownTools(mirrors, (message) => options.onwarning?.(message));
    if (mirrors) transport.headersOf = (request) => this.#tools.headersOf(request);
  }

  /** Whether the conversation was opened with a handshake (legacy) or without one (modern). */
  get era(): Era {
    return this.#conversation.agreement.era;
  }

  /** The revision that both sides speak: "2026-07-28". */
  get version(): string {
    return this.#conversation.agreement.version;
  }

  /** What the server says of itself. */
  get server(): ServerFacts {
    const { serverInfo: info, capabilities, instructions } = this.#conversation.agreement;
    return { info, capabilities, instructions };
  }

  /** Settles when the conversation is over, whoever ended it. */
  get closed(): Promise<void> {
    return this.#conversation.closed;
  }

  /** Ends the conversation; what is not answered is rejected. May be called again. */
  close(): Promise<void> {
    return this.#conversation.close();
  }

  /**
   * Asks anything, with params that are sent as they are; what the protocol adds to each request is added.
   *
   * @returns What the server answered; nothing of it is checked but that it is an object.
   * @throws {RpcError} When the server answers with an error, or is gone.
   * @throws {TimeoutError} When it takes too long; {RangeError} for a `timeoutMs` that is no number of at least 1.
   * @throws {ProtocolError} When its answer is not as the protocol says.
   */
  async call(method: string, params: Members = {}, options: CallOptions = {}): Promise<Result> {
    return await this.#conversation.call(method, params, readTiming(options));
  }

  /** One page of the tools: the first one without a cursor. */
  listToolsPaginated(cursor?: string): Promise<ToolsPage> {
    return this.#toolsPage(cursor, {});
  }

  /** One page of the resources: the first one without a cursor. */
  listResourcesPaginated(cursor?: string): Promise<ResourcesPage> {
    return this.#page("resources/list", "resources", cursor);
  }

  /** One page of the families of resources: the first one without a cursor. */
  listResourceTemplatesPaginated(cursor?: string): Promise<ResourceTemplatesPage> {
    return this.#page("resources/templates/list", "resourceTemplates", cursor);
  }

  /** One page of the prompts: the first one without a cursor. */
  listPromptsPaginated(cursor?: string): Promise<PromptsPage> {
    return this.#page("prompts/list", "prompts", cursor);
  }

  /** All tools, page by page as they are needed. */
  tools(): AsyncGenerator<Tool, void, undefined> {
    return this.#allTools({});
  }

  /** All resources, page by page as they are needed. */
  resources(): AsyncGenerator<Resource, void, undefined> {
    const read = (at?: string) => this.listResourcesPaginated(at);
    return everything("resources", read, (page) => page.resources, this.#limits.maxPages);
  }

  /** All families of resources, page by page as they are needed. */
  resourceTemplates(): AsyncGenerator<ResourceTemplate, void, undefined> {
    const read = (at?: string) => this.listResourceTemplatesPaginated(at);
    return everything("resource templates", read, (page) => page.resourceTemplates, this.#limits.maxPages);
  }

  /** All prompts, page by page as they are needed. */
  prompts(): AsyncGenerator<Prompt, void, undefined> {
    const read = (at?: string) => this.listPromptsPaginated(at);
    return everything("prompts", read, (page) => page.prompts, this.#limits.maxPages);
  }

  /**
   * Calls a tool. A tool that has failed says so with `isError` in its result.
   *
   * @throws {ProtocolError} When `structuredContent` does not fit what the tool has promised, and as `call` does.
   */
  async callTool(name: string, args: Members = {}, options: CallOptions = {}): Promise<ToolResult> {
    await this.#know(name, options);
    let result: Members;
    try {
      result = await this.call("tools/call", { name, arguments: args }, options);
    } catch (cause) {
      if (!(cause instanceof RpcError) || cause.code !== MODERN_ERRORS.headerMismatch) throw cause;
      // The tool takes other arguments in header fields than it did.
      this.#drop({ type: "tools" });
      await this.#know(name, options);
      result = await this.call("tools/call", { name, arguments: args }, options);
    }
    return await this.#tools.check(name, result);
  }

  /** Reads a resource. */
  async readResource(uri: string, options: CallOptions = {}): Promise<ReadResult> {
    const result = await this.#kept("resources/read", { uri }, options);
    if (Array.isArray(result["contents"])) return result as unknown as ReadResult;
    throw new ProtocolError(`The server read "${uri}" and answered with no contents`);
  }

  /** Has a prompt filled in. */
  async getPrompt(
    name: string,
    args: Readonly<Record<string, string>> = {},
    options: CallOptions = {},
  ): Promise<PromptResult> {
    const result = await this.call("prompts/get", { name, arguments: args }, options);
    if (Array.isArray(result["messages"])) return result as unknown as PromptResult;
    throw new ProtocolError(`The server filled in the prompt "${name}" and answered with no messages`);
  }

  /**
   * Asks what an argument can be completed with.
   *
   * @param others The arguments that have their values already.
   */
  async complete(
    ref: CompletionReference,
    argument: { readonly name: string; readonly value: string },
    others?: Readonly<Record<string, string>>,
    options: CallOptions = {},
  ): Promise<Completion["completion"]> {
    const context = others === undefined ? {} : { context: { arguments: others } };
    const result = await this.call("completion/complete", { ref, argument, ...context }, options);
    const completion = objectIn(result, "completion");
    if (Array.isArray(completion["values"])) return completion as unknown as Completion["completion"];
    throw new ProtocolError(`The server completed "${argument.name}" and answered with no values`);
  }

  /**
   * Listens for changes, in the same way in both eras. Answers that were kept and have changed are dropped.
   *
   * @returns The changes as they come; its `served` says which of them the server tells of.
   */
  listen(filter: ChangeFilter): Promise<Changes> {
    return this.#listening.open(filter);
  }

  /** Listens for changes of one resource. */
  subscribe(uri: string): Promise<Changes> {
    return this.listen({ uris: [uri] });
  }

  /** Tells the server that the folders are others now; modern servers ask when they need them. */
  rootsChanged(): void {
    if (this.era === "legacy") this.#conversation.notify("notifications/roots/list_changed");
  }

  /** How long the server takes to answer when there is nothing to do, in milliseconds. */
  async ping(options: CallOptions = {}): Promise<number> {
    const start = performance.now();
    await this.call(this.era === "legacy" ? "ping" : "server/discover", {}, options);
    return performance.now() - start;
  }

  /**
   * Takes what the server tells.
   *
   * @internal
   */
  take(notification: Parameters<Listening["take"]>[0]): void {
    this.#listening.take(notification);
  }

  /**
   * Starts anew with what the server knows of this client: its session was lost.
   *
   * @internal
   */
  renew(): Promise<void> {
    for (const type of ["tools", "prompts", "resources"] as const) this.#drop({ type });
    return this.#listening.renew();
  }

  async #page<P extends Page>(
    method: string,
    member: string,
    cursor: string | undefined,
    options: CallOptions = {},
  ): Promise<P> {
    return readPage(
      await this.#kept(method, cursor === undefined ? {} : { cursor }, options),
      method,
      member,
    );
  }

  /** Asks, unless there is an answer that is still good. */
  #kept(method: string, params: Members, options: CallOptions): Promise<Members> {
    const timing = readTiming(options);
    const ask = (onsent: () => void) => this.#conversation.call(method, params, { ...timing, onsent });
    return this.#answers.find(method, params, ask);
  }

  #allTools(options: CallOptions): AsyncGenerator<Tool, void, undefined> {
    const read = (at?: string) => this.#toolsPage(at, options);
    return everything("tools", read, (page) => page.tools, this.#limits.maxPages);
  }

  async #toolsPage(cursor: string | undefined, options: CallOptions): Promise<ToolsPage> {
    const { generation } = this.#answers;
    const page = await this.#page<ToolsPage>("tools/list", "tools", cursor, options);
    return this.#tools.notePage(page, generation === this.#answers.generation);
  }

  /** Has a tool listed before it is called: its schemas say what goes into header fields, and what comes back. */
  async #know(name: string, options: CallOptions): Promise<void> {
    if (!isObject(this.server.capabilities["tools"])) return;
    const { onprogress: _, ...limits } = options;
    await this.#tools.lookUp(name, this.#allTools(limits), options.signal);
  }

  #drop(event: ChangeEvent): void {
    if (event.type === "tools") this.#tools.forget();
    this.#answers.drop(event);
  }
}
