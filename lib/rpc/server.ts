/** Who serves methods to many clients at once? A JSON-RPC server: it listens, answers and stops. */

import type { Address } from "../platform/tcp.ts";
import type { ConnectionListener } from "../transport/listener.ts";
import type { Place } from "../transport/place.ts";
import type { SocketTransport } from "../transport/socket.ts";
import type { FailureReport } from "./answer.ts";
import type { Limits } from "./limits.ts";
import type { Methods } from "./methods.ts";
import type { RequestCounts } from "./tally.ts";
import { listenTcp } from "../transport/tcp.ts";
import { Answerer } from "./answer.ts";
import { Connection } from "./connection.ts";
import { readLimits } from "./limits.ts";
import { readMethods } from "./methods.ts";
import { Tally } from "./tally.ts";

/** What a server is made of; a `port`, with a `host` unless it is 127.0.0.1, or the `path` of a Unix domain socket. */
export type JsonRpcServerOptions = Place & Limits & {
  /** The methods by name; fixed from here on. */
  readonly handlers: Methods;
  /** Sees every failure that the client is only told of in general (-32603), with the reference it got. @default {nobody} */
  readonly onfailure?: FailureReport;
  /** Sees what goes wrong with a connection, and what keeps somebody from connecting. @default {nobody} */
  readonly onerror?: (error: Error) => void;
};

/** A server that runs, and what stops it. */
export interface RunningServer {
  /** Tells how it is. */
  readonly server: JsonRpcServer;
  /** Stops it; `JsonRpcServer.stop`. */
  readonly stop: () => Promise<void>;
}

/**
 * Serves methods over JSON-RPC 2.0, one message a line, on a TCP port or a Unix domain socket.
 *
 * @returns The server, which listens already.
 * @throws {TypeError} When a handler is none or no place is named; a `RangeError` when a number is out of its range; a
 * `TransportError` when it cannot listen there.
 *
 * @example
 * ```ts
 * import { createJsonRpcServer } from "@architrave/architrave/rpc";
 * import { ErrorCode, RpcError } from "@architrave/architrave/jsonrpc";
 *
 * const { server, stop } = await createJsonRpcServer({
 *   port: 0,
 *   handlers: {
 *     now: () => ({ time: new Date(), ids: new Set([1n, 2n]) }),
 *     age: {
 *       params: { since: "date" },
 *       handler: ({ since }: { since?: Date }) => {
 *         if (!since) throw new RpcError(ErrorCode.invalidParams, 'The param "since" is missing');
 *         return Date.now() - since.getTime();
 *       },
 *     },
 *   },
 * });
 * console.log(server.address);
 * await stop();
 * ```
 */
export async function createJsonRpcServer(options: JsonRpcServerOptions): Promise<RunningServer> {
  const server = new JsonRpcServer(options);
  await server.start();
  return { server, stop: () => server.stop() };
}

/** How often idle connections are looked for within the time that one may be idle. */
const LOOKS = 10;

/** A server of methods; made by `createJsonRpcServer`. */
export class JsonRpcServer {
  readonly #options: JsonRpcServerOptions;
  readonly #limits: ReturnType<typeof readLimits>;
  readonly #answerer: Answerer;
  readonly #tally = new Tally();
  readonly #connections = new Set<Connection>();
  /** The handlers of notifications at work. */
  readonly #noticing = new Set<Promise<unknown>>();
  /** Aborted when what is at work has had its time. */
  readonly #over = new AbortController();
  #accepted = 0;
  #listener: ConnectionListener | undefined;
  #state: "starting" | "listening" | "stopping" | "stopped" = "starting";
  #stopping: Promise<void> | undefined;
  /** Set while anybody is connected. */
  #looking: ReturnType<typeof setInterval> | undefined;

  /** Made by `createJsonRpcServer`. */
  constructor(options: JsonRpcServerOptions) {
    this.#options = options;
    this.#limits = readLimits(options);
    this.#answerer = new Answerer(readMethods(options.handlers), options.onfailure);
  }

  /** What it does just now. */
  get state(): "starting" | "listening" | "stopping" | "stopped" {
    return this.#state;
  }

  /** Where it listens, with the port that the system has picked: also when it does so no more. */
  get address(): Address {
    if (!this.#listener) throw new Error("Cannot tell the address: the server has not started");
    return this.#listener.address;
  }

  /** How many are connected, how many were let in so far, and how many were not. */
  get connections(): { readonly open: number; readonly accepted: number; readonly refused: number } {
    return {
      open: this.#connections.size,
      accepted: this.#accepted,
      refused: this.#listener?.refusals ?? 0,
    };
  }

  /** How many requests came, and what became of them. */
  get requests(): RequestCounts {
    const { received, unfinished, succeeded, failed } = this.#tally;
    return { received, unfinished, succeeded, failed };
  }

  /** How many notifications came. */
  get notifications(): number {
    return this.#tally.notifications;
  }

  /** Begins to listen; for `createJsonRpcServer`. */
  async start(): Promise<void> {
    const { port, host, path } = this.#options;
    const place = (path === undefined ? { port, host } : { path, port, host }) as Place;
    const { maxConnections, maxLineBytes } = this.#limits;
    this.#listener = await listenTcp(place, {
      maxConnections,
      maxLineBytes,
      onconnection: (transport) => this.#connect(transport),
      onerror: (error) => this.#options.onerror?.(error),
    });
    this.#state = "listening";
  }

  /**
   * Stops listening, takes no more requests, lets those at work finish for as long as `graceMs`, and closes all
   * connections. May be called again: settles when the system has everything back. A handler that does not look at its
   * signal may go on after that, for nobody.
   */
  stop(): Promise<void> {
    return this.#stopping ??= this.#finish();
  }

  async #finish(): Promise<void> {
    this.#state = "stopping";
    this.#listener?.stop();
    const connections = [...this.#connections];
    for (const connection of connections) connection.end();
    const released = connections.map((connection) => connection.released);
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, this.#limits.graceMs);
    await Promise.race([over, Promise.all([...released, ...this.#noticing])]);
    clearTimeout(timer);
    this.#over.abort(new DOMException("The server has stopped", "AbortError"));
    for (const connection of this.#connections) connection.abort();
    await Promise.all(released);
    await this.#listener?.close();
    this.#state = "stopped";
  }

  #connect(transport: SocketTransport): void {
    const connection = new Connection(transport, {
      answerer: this.#answerer,
      tally: this.#tally,
      maxInFlight: this.#limits.maxInFlight,
      graceMs: this.#limits.graceMs,
      over: this.#over.signal,
      track: (working) => this.#track(working),
      onerror: (error) => this.#options.onerror?.(error),
    });
    this.#accepted++;
    this.#connections.add(connection);
    this.#looking ??= setInterval(() => this.#look(), Math.ceil(this.#limits.idleMs / LOOKS));
    void connection.released.then(() => {
      this.#connections.delete(connection);
      if (this.#connections.size > 0) return;
      clearInterval(this.#looking);
      this.#looking = undefined;
    });
    void connection.start();
  }

  async #track(working: Promise<unknown>): Promise<void> {
    this.#noticing.add(working);
    await working;
    this.#noticing.delete(working);
  }

  #look(): void {
    const now = performance.now();
    for (const connection of this.#connections) connection.dismissIdle(now, this.#limits.idleMs);
  }
}
