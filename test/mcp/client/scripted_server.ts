/** A server for tests that answers as its script says, over the memory transport. */

import type { TestContext } from "node:test";
import type { Client, ClientInfo, ClientOptions } from "../../../lib/mcp/client/mod.ts";
import type { Transport } from "../../../lib/jsonrpc/transport/transport.ts";
import { connect } from "../../../lib/mcp/client/mod.ts";
import { failure, RpcError, toErrorObject } from "../../../lib/jsonrpc/mod.ts";
import { memoryTransports } from "../../../lib/jsonrpc/transport/memory.ts";

export const INFO: ClientInfo = { name: "test", version: "1" };

/** A message as it came. */
export interface Received {
  readonly id?: string | number;
  readonly method?: string;
  // deno-lint-ignore no-explicit-any -- a test knows the shape
  readonly params?: any;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** By method: returns the result; undefined when the server answers later or never. Calls `fail` for an error response. */
export type Script = Readonly<Record<string, (request: Received, server: ScriptedServer) => unknown>>;

/** Ends a script with an error response. */
export function fail(code: number, message?: string, data?: unknown): never {
  throw new RpcError(code, message ?? "refused", data);
}

/** Messages that came, and those that are waited for. */
export class Inbox<T> {
  readonly all: T[] = [];
  readonly #waiting: { matches(one: T): boolean; resolve(one: T): void }[] = [];

  add(one: T): void {
    this.all.push(one);
    for (const wait of this.#waiting.filter(({ matches }) => matches(one))) {
      this.#waiting.splice(this.#waiting.indexOf(wait), 1);
      wait.resolve(one);
    }
  }

  /** The next one that matches, from now on. */
  next(matches: (one: T) => boolean): Promise<T> {
    return new Promise((resolve) => this.#waiting.push({ matches, resolve }));
  }
}

export class ScriptedServer {
  /** The client's side. */
  readonly transport: Transport;
  readonly #near: Transport;
  readonly #inbox = new Inbox<Received>();

  constructor(script: Script) {
    [this.transport, this.#near] = memoryTransports();
    this.#near.onmessage = (value) => {
      const message = value as Received;
      this.#inbox.add(message);
      const { id, method } = message;
      if (method === undefined || id === undefined) return;
      try {
        const result = script[method] ? script[method](message, this) : fail(-32601, `no method ${method}`);
        if (result !== undefined) this.send({ id, result });
      } catch (cause) {
        if (!(cause instanceof RpcError)) throw cause;
        this.send(failure(id, toErrorObject(cause)));
      }
    };
    void this.#near.start();
  }

  /** Sends a message, or anything else that is JSON. */
  send(message: object): void {
    void this.#near.send({ jsonrpc: "2.0", ...message } as never);
  }

  /** Sends a notification; with the id of a subscription where it belongs to one. */
  notify(method: string, params?: object, subscription?: unknown): void {
    const _meta = { "io.modelcontextprotocol/subscriptionId": subscription };
    this.send({ method: `notifications/${method}`, params: { ...params, _meta } });
  }

  next(matches: (message: Received) => boolean): Promise<Received> {
    return this.#inbox.next(matches);
  }

  /** The next message of a method. */
  call(method: string): Promise<Received> {
    return this.next((message) => message.method === method);
  }

  close(): Promise<void> {
    return this.#near.close();
  }

  get received(): Received[] {
    return this.#inbox.all;
  }

  get methods(): (string | undefined)[] {
    return this.received.map(({ method }) => method);
  }

  /** All messages of a method. */
  of(method: string): Received[] {
    return this.received.filter((message) => message.method === method);
  }
}

/** How a server of each era opens. */
export const MODERN: Script = {
  "server/discover": () => ({
    supportedVersions: ["2026-07-28"],
    capabilities: { tools: {}, resources: {}, prompts: {} },
    _meta: { "io.modelcontextprotocol/serverInfo": { name: "scripted", version: "1" } },
  }),
};
export const LEGACY: Script = {
  initialize: ({ params: { protocolVersion } }) => ({
    protocolVersion,
    capabilities: {
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      prompts: {},
    },
    serverInfo: { name: "scripted", version: "1" },
  }),
};
export const ERAS: Readonly<Record<"modern" | "legacy", Script>> = { modern: MODERN, legacy: LEGACY };

/** A client for the time of a test, with its first warnings. */
export async function connected(
  t: TestContext,
  transport: Transport,
  options: Partial<ClientOptions> = {},
): Promise<{ client: Client; warnings: string[] }> {
  const warnings: string[] = [];
  const onwarning = (message: string) => void (warnings.length < 1000 && warnings.push(message));
  const client = await connect(transport, { info: INFO, onwarning, ...options });
  t.after(() => client.close());
  return { client, warnings };
}

/** A client that is connected to a script for the time of a test. */
export async function open(
  t: TestContext,
  script: Script,
  options: Partial<ClientOptions> = {},
): Promise<{ client: Client; server: ScriptedServer; warnings: string[] }> {
  const server = new ScriptedServer(script);
  return { server, ...await connected(t, server.transport, options) };
}

/** All items of an iterable, or the first ones. */
export async function all<T>(items: AsyncIterable<T>, count: number = Infinity): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) if (found.push(item) === count) break;
  return found;
}
