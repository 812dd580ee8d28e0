/** What does a server do in a test? What its script says, method by method; over the carrier in memory, message by message. */

import type { Transport } from "../../lib/transport/transport.ts";
import type { Client, ClientOptions } from "../../lib/client/mod.ts";
import { connect } from "../../lib/client/mod.ts";
import { memoryTransports } from "../../lib/transport/memory.ts";

/** A message as it came. */
export interface Received {
  readonly id?: string | number;
  readonly method?: string;
  // deno-lint-ignore no-explicit-any -- a test knows what it looks at
  readonly params?: any;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** Answers a request with a result; with nothing when it says so itself, or never. Throws a `Refusal` to answer with an error. */
export type Script = Readonly<Record<string, (request: Received, server: ScriptedServer) => unknown>>;

/** An error as an answer. */
export class Refusal extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message?: string, data?: unknown) {
    super(message ?? "refused");
    this.code = code;
    this.data = data;
  }
}

/** A server that does as it is told. */
export class ScriptedServer {
  /** The side of the client. */
  readonly transport: Transport;
  /** Everything that the client has sent. */
  readonly received: Received[] = [];
  readonly #near: Transport;
  readonly #waiting: { matches(message: Received): boolean; resolve(message: Received): void }[] = [];

  constructor(script: Script) {
    const [far, near] = memoryTransports();
    this.transport = far;
    this.#near = near;
    near.onmessage = (value) => {
      const message = value as Received;
      this.received.push(message);
      for (const wait of this.#waiting.filter((one) => one.matches(message))) {
        this.#waiting.splice(this.#waiting.indexOf(wait), 1);
        wait.resolve(message);
      }
      if (message.method === undefined || message.id === undefined) return;
      try {
        const does = script[message.method];
        if (!does) throw new Refusal(-32601, `no method ${message.method}`);
        const result = does(message, this);
        if (result !== undefined) this.send({ id: message.id, result });
      } catch (cause) {
        if (!(cause instanceof Refusal)) throw cause;
        const { code, message: text, data } = cause;
        this.send({
          id: message.id,
          error: { code, message: text, ...(data === undefined ? {} : { data }) },
        });
      }
    };
    void near.start();
  }

  /** Sends a message, or anything else that is JSON. */
  send(message: object): void {
    void this.#near.send({ jsonrpc: "2.0", ...message } as never);
  }

  /** The next message that matches, from now on. */
  next(matches: (message: Received) => boolean): Promise<Received> {
    return new Promise((resolve) => this.#waiting.push({ matches, resolve }));
  }

  close(): Promise<void> {
    return this.#near.close();
  }

  /** The methods that the client has sent, in order. */
  get methods(): (string | undefined)[] {
    return this.received.map(({ method }) => method);
  }
}

/** How a server of each era opens. */
export const MODERN: Script = {
  "server/discover": () => ({
    resultType: "complete",
    supportedVersions: ["2026-07-28"],
    capabilities: { tools: {}, resources: {}, prompts: {} },
    _meta: { "io.modelcontextprotocol/serverInfo": { name: "scripted", version: "1" } },
    ttlMs: 0,
    cacheScope: "private",
  }),
};
export const LEGACY: Script = {
  initialize: ({ params }) => ({
    protocolVersion: params.protocolVersion,
    capabilities: {
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      prompts: {},
    },
    serverInfo: { name: "scripted", version: "1" },
  }),
};

/** A client that is connected to a script. */
export async function connected(
  script: Script,
  options: Partial<ClientOptions> = {},
): Promise<{ client: Client; server: ScriptedServer; warnings: string[] }> {
  const server = new ScriptedServer(script);
  const warnings: string[] = [];
  const client = await connect(server.transport, {
    info: INFO,
    onwarning: (message) => void warnings.push(message),
    ...options,
  });
  return { client, server, warnings };
}

export const INFO = { name: "test", version: "1" };

/** Everything that there is to iterate over. */
export async function all<T>(things: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const thing of things) found.push(thing);
  return found;
}
