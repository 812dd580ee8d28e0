/** Who is let in? As many connections as there may be; one more is told so. */

import type { Address, Listener, SocketChannel } from "../platform/tcp.ts";
import type { SocketOptions } from "./socket.ts";
import { RpcError } from "../jsonrpc/error.ts";
import { refusal } from "./refusal.ts";
import { SocketTransport } from "./socket.ts";

/** Says that a server cannot take more now; one of the codes that JSON-RPC 2.0 leaves to servers. */
export const BUSY = -32000;

/** More than one program has clients, and few enough that the memory for their lines can be named. */
export const MAX_CONNECTIONS = 1000;

/** How many that are not let in are told so at one time; more are cut off. */
const MAX_REFUSING = 64;
/** How long somebody who is not let in may take to hear it, in milliseconds. */
const REFUSING_MS = 2000;

/** How long what was given to connections may take to leave once they are closed, in milliseconds. */
const CLOSING_MS = 5000;

/** What a listener can be told. */
export interface ListenOptions extends SocketOptions {
  /** Takes the carrier of each connection, not started yet: whoever takes it starts it or closes it. */
  onconnection(transport: SocketTransport): void;
  /** Takes what keeps somebody from connecting; listening goes on. @default {nobody} */
  onerror?(error: Error): void;
  /** How many may be connected; one more is told so (-32000) and let go. @default {1000} */
  readonly maxConnections?: number;
}

/** Something that listens, and the connections that it has let in. */
export interface ConnectionListener {
  /** Where it listens, with the port that the system has picked. */
  readonly address: Address;
  /** How many are connected. */
  readonly connections: number;
  /** How many were not let in. */
  readonly refusals: number;
  /** Stops listening, at once; connections live on. May be called again. */
  stop(): void;
  /**
   * Stops listening and closes all connections. Settles when the system has everything back; may be called again.
   *
   * @param graceMs How long what was given to connections may take to leave. @default {5000}
   */
  close(graceMs?: number): Promise<void>;
}

/** Lets connections in, or not. Made by `listenTcp`. */
export class Admission implements ConnectionListener {
  readonly #path: string | undefined;
  readonly #options: ListenOptions;
  readonly #connections = new Set<SocketTransport>();
  readonly #refused = new Set<SocketChannel>();
  #listener: Listener | undefined;
  #stopped = false;
  #refusals = 0;
  #closing: Promise<void> | undefined;

  constructor(path: string | undefined, options: ListenOptions) {
    this.#path = path;
    this.#options = options;
  }

  get address(): Address {
    return this.#listener!.address;
  }

  get connections(): number {
    return this.#connections.size;
  }

  get refusals(): number {
    return this.#refusals;
  }

  /** Takes what listens by now. */
  begin(listener: Listener): void {
    this.#listener = listener;
  }

  /** Lets somebody in, or says that there is no room. */
  admit(channel: SocketChannel): void {
    // It was on its way when listening stopped.
    if (this.#stopped) return channel.abort();
    if (this.#connections.size >= (this.#options.maxConnections ?? MAX_CONNECTIONS)) {
      return void this.#refuse(channel);
    }
    const transport = new SocketTransport(channel, this.#path, this.#options);
    this.#connections.add(transport);
    void channel.closed.then(() => this.#connections.delete(transport));
    this.#options.onconnection(transport);
  }

  stop(): void {
    this.#stopped = true;
    this.#listener?.close();
  }

  close(graceMs: number = CLOSING_MS): Promise<void> {
    return this.#closing ??= this.#finish(graceMs);
  }

  async #finish(graceMs: number): Promise<void> {
    this.stop();
    for (const channel of this.#refused) channel.abort();
    const connections = [...this.#connections];
    const timer = setTimeout(() => connections.forEach((transport) => transport.abort()), graceMs);
    for (const transport of connections) void transport.close();
    await Promise.all(connections.map(({ released }) => released));
    clearTimeout(timer);
  }

  async #refuse(channel: SocketChannel): Promise<void> {
    this.#refusals++;
    if (this.#refused.size >= MAX_REFUSING) return channel.abort();
    this.#refused.add(channel);
    const timer = setTimeout(() => channel.abort(), REFUSING_MS);
    channel.open({ data() {}, end() {}, error: () => channel.abort() });
    const busy = new RpcError(BUSY, "The server has as many connections as it takes: try again later");
    // Whoever is gone before hearing it needs no more.
    await channel.write([refusal(busy)]).then(() => channel.close(), () => channel.abort());
    await channel.closed;
    clearTimeout(timer);
    this.#refused.delete(channel);
  }
}
