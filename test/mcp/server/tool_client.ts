/** A client in the process of its server, in any revision, and providers whose changes a test reports. */

import assert from "node:assert/strict";
import type { Connection } from "../../../lib/jsonrpc/mod.ts";
import type { AnySchema, Change, PromptProvider, ResourceProvider } from "../../../lib/mcp/server/mod.ts";
import type { StandardResult, StandardSchema, Tool, ToolDefinition } from "../../../lib/mcp/server/mod.ts";
import { createServer, defineTool } from "../../../lib/mcp/server/mod.ts";
import type { Server, ServerOptions, Transport } from "../../../mod.ts";
import { memoryTransports } from "../../../mod.ts";
import type { Answer } from "../../harness/program.ts";
import { handshake, modern } from "../../harness/program.ts";
import { listen } from "../../harness/streams.ts";

/** Reports changes when the test says so. */
export class Source {
  readonly listeners: Set<(change: Change) => void> = new Set();
  /** How often watching began. */
  started = 0;

  readonly watch = (listener: (change: Change) => void): () => void => {
    this.started++;
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  /** Reports that the list has changed. */
  relist(): void {
    for (const listener of this.listeners) listener({ listChanged: true });
  }

  /** Reports that the contents of these resources have changed. */
  update(...uris: string[]): void {
    const change = { listChanged: false, affects: (uri: string) => uris.includes(uri) };
    for (const listener of this.listeners) listener(change);
  }

  /** Watched resources whose URIs begin with "doc:". */
  resources(): ResourceProvider {
    return {
      list: () => [],
      read: (uri) => /^doc:(?!no)/.test(uri) ? [{ uri, text: "" }] : undefined,
      covers: (uri) => uri.startsWith("doc:"),
      watch: this.watch,
    };
  }

  /** Watched prompts. */
  prompts(): PromptProvider {
    return { list: () => [], get: () => undefined, watch: this.watch };
  }
}

/** The revisions that have forms. */
export const WITH_FORMS = ["2025-06-18", "2025-11-25", "2026-07-28"] as const;

/** The capabilities of a client that can be asked everything. */
export const EVERYTHING: object = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {}, context: {} },
  roots: {},
};

/** A question as it comes to a client. */
export interface Put {
  readonly method: string;
  readonly params?: Record<string, unknown>;
}

/** What a client does with a question: it answers with a result or an error, or not at all. */
export type Reply = { readonly result: unknown } | { readonly error: object } | undefined;

/** A client that is connected to a server over memory. */
export class ToolClient {
  readonly server: Server;
  /** The failures that the server has logged. */
  readonly failures: unknown[] = [];
  /** What the client was asked, in order, and the results that asked it. */
  readonly put: Put[] = [];
  readonly rounds: Record<string, unknown>[] = [];
  readonly isModern: boolean;
  readonly #capabilities: object;
  readonly #near: Transport;
  readonly #far: Transport;
  readonly #received: Answer[] = [];
  #connection: Connection | undefined;
  #wake: (() => void) | undefined;

  constructor(options: Partial<ServerOptions> | Server, version = "", capabilities: object = {}) {
    const onfailure = (cause: unknown) => void this.failures.push(cause);
    const info = { name: "t", version: "1" };
    this.server = "connect" in options ? options : createServer({ info, onfailure, ...options });
    this.isModern = version >= "2026";
    this.#capabilities = capabilities;
    [this.#near, this.#far] = memoryTransports();
    this.#near.onmessage = (message) => {
      this.#received.push(message as Answer);
      this.#wake?.();
    };
  }

  /** Connects, without a handshake. */
  async open(): Promise<this> {
    this.#connection = await this.server.connect(this.#far);
    await this.#near.start();
    return this;
  }

  /** Completes the handshake of a revision. */
  async initialize(version = "2025-11-25"): Promise<void> {
    await this.ask("initialize", { ...handshake(version), capabilities: this.#capabilities });
    this.send({ method: "notifications/initialized" });
  }

  /** Sends messages, which arrive one right after the other. */
  send(...messages: object[]): void {
    for (const message of messages) void this.#near.send({ jsonrpc: "2.0", ...message } as never);
  }

  /** The next messages. */
  async take(count: number): Promise<Answer[]> {
    while (this.#received.length < count) await new Promise<void>((resolve) => this.#wake = resolve);
    return this.#received.splice(0, count);
  }

  /** All messages that were not taken, up to the answer to a ping that is sent now. */
  async rest(): Promise<Answer[]> {
    const messages: Answer[] = [];
    this.send({ id: "rest", method: "ping" });
    while (messages.at(-1)?.id !== "rest") messages.push(...await this.take(1));
    return messages.slice(0, -1);
  }

  /** Opens a stream and takes its first message. */
  async listen(id: string | number, notifications: object): Promise<Answer> {
    this.send(listen(id, notifications));
    return (await this.take(1))[0]!;
  }

  /** Sends a request. The next message is its answer; with `reply`, the requests that come before it are answered. */
  readonly ask = async (
    method: string,
    params?: object,
    reply?: (put: Put) => Reply,
  ): Promise<Answer> => {
    const stated = this.isModern ? modern(params, undefined, this.#capabilities) : params ?? {};
    this.send({ id: "ask", method, params: stated });
    for (;;) {
      const message = (await this.take(1))[0]!;
      if (!reply || message.method === undefined) return message;
      const answer = message.id === undefined ? undefined : this.#reply(message as Put, reply);
      if (answer) this.send({ id: message.id, ...answer });
    }
  };

  /** Calls a tool; with `reply`, its questions are answered until there is a result that is none. */
  readonly call = async (name: string, args?: unknown, reply?: (put: Put) => Reply): Promise<Answer> => {
    let params: object = { name, ...(args === undefined ? {} : { arguments: args }) };
    for (;;) {
      const answer = await this.ask("tools/call", params, reply);
      const { result } = answer;
      if (!reply || result?.["resultType"] !== "input_required") return answer;
      this.rounds.push(result);
      const inputResponses: Record<string, unknown> = {};
      for (const [key, put] of Object.entries(result["inputRequests"] as Record<string, Put>)) {
        const given = this.#reply(put, reply);
        if (given && "result" in given) inputResponses[key] = given.result;
      }
      params = { ...params, inputResponses, requestState: result["requestState"] };
    }
  };

  /** The tools as they are listed. */
  readonly list = async (): Promise<Record<string, unknown>[]> =>
    (await this.ask("tools/list")).result!["tools"] as Record<string, unknown>[];

  /** Fills the buffer of the server until the returned function is called; what is sent all the same arrives. */
  congest(): () => void {
    const drained = Promise.withResolvers<void>();
    Object.defineProperty(this.#far, "congestion", { value: drained.promise, configurable: true });
    return () => {
      Object.defineProperty(this.#far, "congestion", { value: undefined });
      drained.resolve();
    };
  }

  readonly close = async (): Promise<void> => {
    await this.#near.close();
    await this.#connection?.closed;
  };

  #reply(put: Put, reply: (put: Put) => Reply): Reply {
    this.put.push(put);
    return reply(put);
  }
}

/** Connects a client in a revision to a server, which is built if options are given. */
export async function connect(
  options: Partial<ServerOptions> | Server,
  version?: string,
  capabilities: object = {},
): Promise<ToolClient> {
  const client = await new ToolClient(options, version, capabilities).open();
  if (!client.isModern) await client.initialize(version);
  return client;
}

/** The text of a result, block after block. */
export function textOf({ result }: Answer): string {
  return (result?.["content"] as { text?: string }[]).map(({ text }) => text).join("\n");
}

/** Answers a form. */
export function accept(content?: object): Reply {
  return { result: { action: "accept", ...(content ? { content } : {}) } };
}

/** The parts of a definition that matter to a test. */
export type More = Partial<ToolDefinition<AnySchema, AnySchema | undefined>>;

/** A tool that takes no arguments, unless the test says otherwise. */
export function tool(name: string, more: More = {}): Tool {
  return defineTool({ name, inputSchema: { type: "object" }, handler: () => "done", ...more });
}

/** A schema of a library, which has a JSON Schema or not. */
export function fake<T>(
  validate: (value: unknown) => StandardResult<T> | Promise<StandardResult<T>>,
  jsonSchema?: Record<string, unknown>,
): StandardSchema<unknown, T> {
  const given = jsonSchema && { input: () => jsonSchema, output: () => jsonSchema };
  return { "~standard": { version: 1, vendor: "fake", validate, ...(given ? { jsonSchema: given } : {}) } };
}

/** Fails unless a value is frozen at every depth. */
export function assertFrozen(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  assert.throws(() => Object.assign(value, { injected: 1 }), TypeError);
  for (const member of Object.values(value)) assertFrozen(member);
}
