/**
 * Transports over TCP and Unix domain sockets, one message per line. Network code is loaded at the first call.
 *
 * @module
 */

import type { Address, SocketChannel } from "../../platform/tcp.ts";
import type { StreamOptions } from "./stream.ts";
import { reasonOf } from "../../base/text.ts";
import { RpcError } from "../message.ts";
import { loadNetwork } from "../../platform/load_network.ts";
import { checkPort, hostAndPort } from "../../platform/tcp.ts";
import { StreamTransport } from "./stream.ts";
import { TransportError } from "./stream.ts";

export type { Address } from "../../platform/tcp.ts";

/** The error code of a server that has reached a limit. */
export const BUSY: number = -32000;
/** The default of the maximum number of connections. */
export const MAX_CONNECTIONS: number = 1000;

const CONNECT_TIMEOUT_MS = 10_000;
/** The maximum number of rejected connections that are being sent an error. Further ones are reset. */
const MAX_REJECTING = 64;
const CLOSE_TIMEOUT_MS = 5000;
/** The start of an HTTP request. `host:` starts the second line, if the first one was too long. */
const HTTP_REQUEST = /^(?:(?:CONNECT|DELETE|GET|HEAD|OPTIONS|PATCH|POST|PUT|TRACE) |host:)/i;

/** Options of a socket transport. */
export type SocketOptions = Pick<StreamOptions, "maxLineBytes">;

/** Options of a listener. */
export interface ListenOptions extends SocketOptions {
  /** Receives the transport of each connection, which is not started. It must be started or closed. */
  onconnection(transport: SocketTransport): void;
  /** Receives failures to accept a connection. Listening continues. @default {ignored} */
  onerror?(error: Error): void;
  /** The maximum number of connections. Further ones are sent the error -32000 and closed. @default {1000} */
  readonly maxConnections?: number;
}

/** A transport over one connection. It rejects HTTP, because a web page could send messages in the body of a request. */
export class SocketTransport extends StreamTransport {
  readonly #socket: SocketChannel;

  /** Takes a connection. */
  constructor(socket: SocketChannel, options: SocketOptions = {}) {
    const reason = "this port expects one JSON-RPC message per line, not HTTP";
    const refuse = (line: string) => HTTP_REQUEST.test(line) ? reason : undefined;
    super(socket, { ...options, remoteAddress: socket.remoteAddress, refuse });
    this.#socket = socket;
  }

  /** Resolves when the system has released the connection, up to a second after `onclose`. */
  get released(): Promise<void> {
    return this.#socket.closed;
  }

  /** Closes at once. Output that is not sent yet is lost. */
  abort(): void {
    this.#socket.abort();
  }
}

/**
 * Connects to a listening program.
 *
 * Needs permission to connect there; for a path under Deno, permission to read and write it.
 *
 * @returns A transport that is connected but not started.
 * @throws {TransportError} When nothing listens there, or when connecting takes longer than 10 seconds.
 */
export async function tcpTransport(place: Address, options: SocketOptions = {}): Promise<SocketTransport> {
  const address = checked(place);
  const network = await loadNetwork();
  try {
    const channel = await network.connect(address, AbortSignal.timeout(CONNECT_TIMEOUT_MS));
    return new SocketTransport(channel, options);
  } catch (cause) {
    throw failed(`connect to ${nameOf(address)}`, cause);
  }
}

/** A listener and its connections. */
export interface TcpListener {
  /** The address, with the port that the system has chosen. */
  readonly address: Address;
  /** The number of open connections. */
  readonly connections: number;
  /** The number of rejected connections. */
  readonly rejected: number;
  /** Stops listening. Open connections stay open. May be called again. */
  stop(): void;
  /**
   * Stops listening and closes all connections. Resolves when the system has released them. May be called again.
   *
   * @param graceMs How long output may take that is not sent yet, in milliseconds. @default {5000}
   */
  close(graceMs?: number): Promise<void>;
}

/**
 * Listens for connections.
 *
 * Needs permission to listen there; for a path under Deno, permission to read and write it.
 *
 * @throws {TransportError} When it cannot listen there.
 *
 * @example An MCP server for several clients
 * ```ts
 * import { createServer } from "@architrave/architrave";
 * import { listenTcp } from "@architrave/architrave/tcp";
 *
 * const server = createServer({ info: { name: "our-decisions", version: "1.0.0" } });
 * const listener = await listenTcp({ port: 4711 }, {
 *   onconnection: (transport) => void server.connect(transport),
 * });
 * console.error(listener.address);
 * ```
 */
export async function listenTcp(place: Address, options: ListenOptions): Promise<TcpListener> {
  const { maxConnections = MAX_CONNECTIONS, onconnection, onerror } = options;
  const address = checked(place);
  const network = await loadNetwork();
  const connections = new Set<SocketTransport>();
  const rejecting = new Set<SocketTransport>();
  let rejected = 0;
  let isStopped = false;

  function accept(channel: SocketChannel): void {
    // The system has accepted it before listening stopped.
    if (isStopped) return channel.abort();
    const transport = new SocketTransport(channel, options);
    if (connections.size >= maxConnections) return void reject(transport);
    connections.add(transport);
    void channel.closed.then(() => connections.delete(transport));
    onconnection(transport);
  }

  /** Sends an error and closes. Without the error, the client would not know why. */
  async function reject(transport: SocketTransport): Promise<void> {
    rejected++;
    if (rejecting.size >= MAX_REJECTING) return transport.abort();
    rejecting.add(transport);
    await transport.start();
    transport.reject(new RpcError(BUSY, "The server has reached its limit of connections: try again later"));
    await transport.released;
    rejecting.delete(transport);
  }

  try {
    const listener = await network.listen(address, accept, (cause) => {
      onerror?.(failed("accept a connection", cause));
    });
    const stop = () => {
      isStopped = true;
      listener.close();
    };
    const close = async (graceMs: number = CLOSE_TIMEOUT_MS): Promise<void> => {
      stop();
      for (const transport of rejecting) transport.abort();
      const open = [...connections];
      const timer = setTimeout(() => open.forEach((transport) => transport.abort()), graceMs);
      for (const transport of open) void transport.close();
      await Promise.all(open.map(({ released }) => released));
      clearTimeout(timer);
    };
    return {
      address: listener.address,
      get connections() {
        return connections.size;
      },
      get rejected() {
        return rejected;
      },
      stop,
      close,
    };
  } catch (cause) {
    throw failed(`listen on ${nameOf(address)}`, cause);
  }
}

/** @throws {TypeError} Without exactly one of port and path; a `RangeError` for an impossible port. */
function checked({ port, host = "127.0.0.1", path }: Address): Address {
  if ((port === undefined) === (path === undefined)) {
    throw new TypeError("Cannot open a socket: give either a port or the path of a Unix domain socket");
  }
  if (path === "") throw new TypeError("Cannot use an empty path for a socket");
  if (path !== undefined) return { path };
  checkPort(port);
  return { host, port: port! };
}

function nameOf({ path, host, port }: Address): string {
  return path ?? hostAndPort(host, port)!;
}

function failed(action: string, cause: unknown): TransportError {
  return new TransportError(`Cannot ${action}: ${reasonOf(cause)}`, { cause });
}
