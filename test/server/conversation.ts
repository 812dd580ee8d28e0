/** A client in the same process as its server, and providers whose changes a test reports. */

import type { Connection } from "../../lib/jsonrpc/connection.ts";
import type { Change, PromptProvider, ResourceProvider } from "../../lib/server/provider.ts";
import type { Server, ServerOptions } from "../../lib/server/server.ts";
import type { Transport } from "../../lib/transport/transport.ts";
import type { Answer } from "../harness/program.ts";
import { createServer } from "../../lib/server/server.ts";
import { memoryTransports } from "../../lib/transport/memory.ts";
import { handshake } from "../harness/program.ts";
import { listen } from "../harness/streams.ts";

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

/** A client that is connected to a server over memory. */
export class Conversation {
  readonly server: Server;
  readonly #connection: Connection;
  readonly #near: Transport;
  readonly #far: Transport;
  readonly #received: Answer[] = [];
  #wake: (() => void) | undefined;

  private constructor(server: Server, peer: Connection, near: Transport, far: Transport) {
    this.server = server;
    this.#connection = peer;
    this.#near = near;
    this.#far = far;
    near.onmessage = (message) => {
      this.#received.push(message as Answer);
      this.#wake?.();
    };
  }

  /** Connects to a server, which is built if options are given. */
  static async open(options: Partial<ServerOptions> | Server): Promise<Conversation> {
    const info = { name: "t", version: "1" };
    const server = "connect" in options ? options : createServer({ info, ...options });
    const [near, other] = memoryTransports();
    const far = withCongestion(other);
    const conversation = new Conversation(server, await server.connect(far), near, far);
    await near.start();
    return conversation;
  }

  /** Sends messages, which arrive one right after the other. */
  send(...messages: object[]): void {
    for (const message of messages) void this.#near.send({ jsonrpc: "2.0", ...message } as never);
  }

  /** The next messages. */
  async take(count: number): Promise<Answer[]> {
    while (this.#received.length < count) {
      const woken = Promise.withResolvers<void>();
      this.#wake = woken.resolve;
      await woken.promise;
    }
    return this.#received.splice(0, count);
  }

  /** All messages that were not taken, up to the answer to a ping that is sent now. */
  async rest(): Promise<Answer[]> {
    const messages: Answer[] = [];
    this.send({ id: "rest", method: "ping" });
    while (messages.at(-1)?.id !== "rest") messages.push(...await this.take(1));
    return messages.slice(0, -1);
  }

  /** Sends a request and takes the next message, its answer. */
  async ask(method: string, params: object): Promise<Answer> {
    this.send({ id: "ask", method, params });
    return (await this.take(1))[0]!;
  }

  /** Completes the handshake. */
  async initialize(version = "2025-11-25"): Promise<void> {
    await this.ask("initialize", handshake(version));
    this.send({ method: "notifications/initialized" });
  }

  /** Opens a stream and takes its first message. */
  async listen(id: string | number, notifications: object): Promise<Answer> {
    this.send(listen(id, notifications));
    return (await this.take(1))[0]!;
  }

  /** Fills the buffer of the server until the returned function is called; what is sent all the same arrives. */
  congest(): () => void {
    const drained = Promise.withResolvers<void>();
    Object.assign(this.#far, { congestion: drained.promise });
    return () => {
      Object.assign(this.#far, { congestion: undefined });
      drained.resolve();
    };
  }

  async close(): Promise<void> {
    await this.#near.close();
    await this.#connection.closed;
  }
}

/** A transport that reads on while the test says that it is congested. */
function withCongestion(transport: Transport): Transport {
  const own: { congestion?: unknown } = {};
  return new Proxy(transport, {
    get: (_, key) => {
      const value = Reflect.get(key === "congestion" ? own : transport, key);
      return typeof value === "function" ? value.bind(transport) : value;
    },
    set: (_, key, value) => Reflect.set(key === "congestion" ? own : transport, key, value),
  });
}

/** A client of a server with watched resources and prompts. */
export async function converse(): Promise<{ client: Conversation; documents: Source; prompts: Source }> {
  const [documents, prompts] = [new Source(), new Source()];
  const client = await Conversation.open({
    resources: [documents.resources()],
    prompts: [prompts.prompts()],
  });
  return { client, documents, prompts };
}
