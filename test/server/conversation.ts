/** How is a server spoken to in the same process, and how does a test tell of changes? */

import type { Connection } from "../../lib/jsonrpc/connection.ts";
import type { Change, PromptProvider, ResourceProvider } from "../../lib/server/provider.ts";
import type { Server, ServerOptions } from "../../lib/server/server.ts";
import type { Transport } from "../../lib/transport/transport.ts";
import type { Answer } from "../harness/program.ts";
import { createServer } from "../../lib/server/server.ts";
import { memoryTransports } from "../../lib/transport/memory.ts";
import { handshake } from "../harness/program.ts";
import { listen } from "../harness/streams.ts";

/** Something that tells of changes when the test says so. */
export class Source {
  /** Who listens now. */
  readonly listeners: Set<(change: Change) => void> = new Set();
  /** How often somebody began to listen. */
  started = 0;

  readonly watch = (listener: (change: Change) => void): () => void => {
    this.started++;
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  /** Tells that the list shows something else. */
  relist(): void {
    this.#tell({ listChanged: true });
  }

  /** Tells that these resources have another content. */
  update(...uris: string[]): void {
    this.#tell({ listChanged: false, affects: (uri) => uris.includes(uri) });
  }

  /** Resources whose URIs begin with "doc:", which tell of changes. */
  resources(): ResourceProvider {
    return {
      list: () => [],
      read: () => undefined,
      covers: (uri) => uri.startsWith("doc:"),
      watch: this.watch,
    };
  }

  /** Prompts that tell of changes. */
  prompts(): PromptProvider {
    return { list: () => [], get: () => undefined, watch: this.watch };
  }

  #tell(change: Change): void {
    for (const listener of this.listeners) listener(change);
  }
}

/** A client that is connected to a server over memory. */
export class Conversation {
  readonly server: Server;
  /** The server's end of the conversation. */
  readonly peer: Connection;
  readonly #near: Transport;
  readonly #far: Transport;
  readonly #received: Answer[] = [];
  #wake: (() => void) | undefined;

  private constructor(server: Server, peer: Connection, near: Transport, far: Transport) {
    this.server = server;
    this.peer = peer;
    this.#near = near;
    this.#far = far;
    near.onmessage = (message) => {
      this.#received.push(message as Answer);
      this.#wake?.();
    };
  }

  /** Connects to a server that is built for it, or to one that is there already. */
  static async open(options: Partial<ServerOptions> | Server): Promise<Conversation> {
    const server = "connect" in options
      ? options
      : createServer({ info: { name: "t", version: "1" }, ...options });
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

  /** The next messages, as many as are asked for. */
  async take(count: number): Promise<Answer[]> {
    while (this.#received.length < count) {
      const woken = Promise.withResolvers<void>();
      this.#wake = woken.resolve;
      await woken.promise;
    }
    return this.#received.splice(0, count);
  }

  /** Everything that came and was not taken, up to the answer to a ping that is sent now. */
  async rest(): Promise<Answer[]> {
    const messages: Answer[] = [];
    this.send({ id: "rest", method: "ping" });
    while (messages.at(-1)?.id !== "rest") messages.push(...await this.take(1));
    return messages.slice(0, -1);
  }

  /** Asks one thing; the next message is its answer. */
  async ask(method: string, params: object): Promise<Answer> {
    this.send({ id: "ask", method, params });
    return (await this.take(1))[0]!;
  }

  /** Shakes hands, and says so. */
  async initialize(version = "2025-11-25"): Promise<void> {
    await this.ask("initialize", handshake(version));
    this.send({ method: "notifications/initialized" });
  }

  /** Opens a stream and waits for what comes first. */
  async listen(id: string | number, notifications: object): Promise<Answer> {
    this.send(listen(id, notifications));
    return (await this.take(1))[0]!;
  }

  /** From now on nothing can leave but what is sent all the same; returns how to let it leave again. */
  congest(): () => void {
    const room = Promise.withResolvers<void>();
    Object.assign(this.#far, { congestion: room.promise });
    return () => {
      Object.assign(this.#far, { congestion: undefined });
      room.resolve();
    };
  }

  /** Ends the input of the server, which can still answer. */
  end(): void {
    this.#far.onend?.();
  }

  /** Lets the server go. */
  async close(): Promise<void> {
    await this.#near.close();
    await this.peer.closed;
  }
}

/** A transport that reads on though the test says that it is congested. */
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

/** A client of a server of resources and prompts whose changes the test tells. */
export async function converse(): Promise<{ client: Conversation; documents: Source; prompts: Source }> {
  const [documents, prompts] = [new Source(), new Source()];
  const client = await Conversation.open({
    resources: [documents.resources()],
    prompts: [prompts.prompts()],
  });
  return { client, documents, prompts };
}
