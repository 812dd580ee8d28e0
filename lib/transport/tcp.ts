/**
 * JSON-RPC over TCP and Unix domain sockets, one message per line. Network code is loaded at the first call.
 *
 * @module
 */

import type { ByteChannel, ByteEvents } from "../../deps.ts";
import type { Address, Listener, SocketChannel, TcpAddress, UnixAddress } from "../platform/tcp.ts";
import { ErrorCode, failure, RpcError, toErrorObject } from "../jsonrpc/message.ts";
import { loadTcp } from "../platform/tcp.ts";
import { StreamTransport } from "./stream.ts";
import { TransportError } from "./transport.ts";

export type { Address, TcpAddress, UnixAddress };

/** The server has reached a limit; from the range that JSON-RPC 2.0 leaves to servers. */
export const BUSY: number = -32000;
/** The default limit of connections. */
export const MAX_CONNECTIONS: number = 1000;

/** How long connecting may take, in milliseconds. */
const CONNECT_TIMEOUT_MS = 10_000;
/** How many rejected connections are sent an error at a time; further ones are reset. */
const MAX_REJECTING = 64;
/** How long a rejected connection may take to read the error, in milliseconds. */
const REJECT_TIMEOUT_MS = 2000;
/** How long `close` waits for outstanding output, in milliseconds. */
const CLOSE_TIMEOUT_MS = 5000;

/** A port, with a host unless it is 127.0.0.1, or the path of a Unix domain socket. */
export type Endpoint =
  | { readonly port: number; readonly host?: string | undefined; readonly path?: undefined }
  | { readonly path: string; readonly port?: undefined; readonly host?: undefined };

/** Options of a socket transport. */
export interface SocketOptions {
  /** The longest inbound line in bytes; a longer one is reported and skipped. @default {4 MiB} */
  readonly maxLineBytes?: number;
}

/** Options of a listener. */
export interface ListenOptions extends SocketOptions {
  /** Receives the transport of each connection, not started yet: start it or close it. */
  onconnection(transport: SocketTransport): void;
  /** Receives failures to accept a connection; listening goes on. @default {ignored} */
  onerror?(error: Error): void;
  /** The limit of connections; further ones get the error -32000 and are closed. @default {1000} */
  readonly maxConnections?: number;
}

/** A transport over one connection, TCP or Unix domain socket. */
export class SocketTransport extends StreamTransport {
  /** The address of the peer: "127.0.0.1:51820"; undefined for a Unix domain socket. */
  readonly remoteAddress: string | undefined;
  readonly #socket: SocketChannel;

  /** Takes over a connection. */
  constructor(socket: SocketChannel, options: SocketOptions = {}) {
    super(rejectHttp(socket), { ...options, remoteAddress: socket.remoteAddress });
    this.remoteAddress = socket.remoteAddress;
    this.#socket = socket;
  }

  /** Settles when the system has released the connection, up to a second after `onclose`. */
  get released(): Promise<void> {
    return this.#socket.closed;
  }

  /** Closes at once; unsent output is lost. */
  abort(): void {
    this.#socket.abort();
  }
}

/**
 * Connects to a listening program.
 *
 * Needs permission to connect there; for a path under Deno, permission to read and write it.
 *
 * @returns A transport that is connected and not started.
 * @throws {TransportError} When nothing listens there, or connecting takes longer than 10 seconds.
 *
 * @example
 * ```ts
 * import { Connection, ErrorCode, failure, RpcError, toErrorObject } from "@architrave/architrave/jsonrpc";
 * import { tcpTransport } from "@architrave/architrave/tcp";
 *
 * const unknown = toErrorObject(new RpcError(ErrorCode.methodNotFound, "This client serves no methods"));
 * const connection = new Connection(await tcpTransport({ port: 4711 }), {
 *   onrequest: ({ id }) => failure(id, unknown),
 * });
 * await connection.start();
 * console.log(await connection.request("add", [1, 2]));
 * await connection.close();
 * ```
 */
export async function tcpTransport(
  endpoint: Endpoint,
  options: SocketOptions = {},
): Promise<SocketTransport> {
  const address = toAddress(endpoint);
  const tcp = await loadTcp();
  try {
    const channel = await tcp.connect(address, AbortSignal.timeout(CONNECT_TIMEOUT_MS));
    return new SocketTransport(channel, options);
  } catch (cause) {
    throw new TransportError(`Cannot connect to ${nameOf(address)}: ${reasonOf(cause)}`, { cause });
  }
}

/**
 * Listens for connections.
 *
 * Needs permission to listen there; for a path under Deno, permission to read and write it.
 *
 * @param endpoint Port 0 lets the system choose one.
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
export async function listenTcp(endpoint: Endpoint, options: ListenOptions): Promise<TcpListener> {
  const address = toAddress(endpoint);
  const tcp = await loadTcp();
  const listener = new TcpListener(options);
  try {
    listener.begin(
      await tcp.listen(address, {
        connection: (channel) => listener.accept(channel),
        error: (cause) =>
          options.onerror?.(new TransportError(`Cannot accept a connection: ${reasonOf(cause)}`, { cause })),
      }),
    );
  } catch (cause) {
    throw new TransportError(`Cannot listen on ${nameOf(address)}: ${reasonOf(cause)}`, { cause });
  }
  return listener;
}

/** A listener and its connections; made by `listenTcp`. */
export class TcpListener {
  readonly #options: ListenOptions;
  readonly #connections = new Set<SocketTransport>();
  readonly #rejecting = new Set<SocketChannel>();
  #listener: Listener | undefined;
  #isStopped = false;
  #rejected = 0;
  #closing: Promise<void> | undefined;

  /** @internal */
  constructor(options: ListenOptions) {
    this.#options = options;
  }

  /** Where it listens, with the port that the system has chosen. */
  get address(): Address {
    return this.#listener!.address;
  }

  /** How many connections are open. */
  get connections(): number {
    return this.#connections.size;
  }

  /** How many connections were rejected. */
  get rejected(): number {
    return this.#rejected;
  }

  /** @internal */
  begin(listener: Listener): void {
    this.#listener = listener;
  }

  /** @internal */
  accept(channel: SocketChannel): void {
    // It was accepted while listening stopped.
    if (this.#isStopped) return channel.abort();
    if (this.#connections.size >= (this.#options.maxConnections ?? MAX_CONNECTIONS)) {
      return void this.#reject(channel);
    }
    const transport = new SocketTransport(channel, this.#options);
    this.#connections.add(transport);
    void channel.closed.then(() => this.#connections.delete(transport));
    this.#options.onconnection(transport);
  }

  /** Stops listening; open connections go on. May be called again. */
  stop(): void {
    this.#isStopped = true;
    this.#listener?.close();
  }

  /**
   * Stops listening and closes all connections. Settles when the system has released them; may be called again.
   *
   * @param graceMs How long outstanding output may take, in milliseconds. @default {5000}
   */
  close(graceMs: number = CLOSE_TIMEOUT_MS): Promise<void> {
    return this.#closing ??= this.#close(graceMs);
  }

  async #close(graceMs: number): Promise<void> {
    this.stop();
    for (const channel of this.#rejecting) channel.abort();
    const connections = [...this.#connections];
    const timer = setTimeout(() => connections.forEach((transport) => transport.abort()), graceMs);
    for (const transport of connections) void transport.close();
    await Promise.all(connections.map(({ released }) => released));
    clearTimeout(timer);
  }

  /** Sends an error before closing, because a connection that just ends explains nothing. */
  async #reject(channel: SocketChannel): Promise<void> {
    this.#rejected++;
    if (this.#rejecting.size >= MAX_REJECTING) return channel.abort();
    this.#rejecting.add(channel);
    const timer = setTimeout(() => channel.abort(), REJECT_TIMEOUT_MS);
    channel.open({ data() {}, end() {}, error: () => channel.abort() });
    const error = new RpcError(BUSY, "The server has reached its limit of connections: try again later");
    await channel.write([errorLine(error)]).then(() => channel.close(), () => channel.abort());
    await channel.closed;
    clearTimeout(timer);
    this.#rejecting.delete(channel);
  }
}

/** @throws {TypeError} Without exactly one of port and path; a `RangeError` for an impossible port. */
function toAddress({ port, host, path }: Endpoint): Address {
  if ((port === undefined) === (path === undefined)) {
    throw new TypeError("Cannot open a socket: give either a port or the path of a Unix domain socket");
  }
  if (path !== undefined) {
    if (host !== undefined) throw new TypeError(`Cannot use the host "${host}" with the path of a socket`);
    if (path === "") throw new TypeError("Cannot use an empty path for a socket");
    return { path };
  }
  if (!Number.isInteger(port) || port! < 0 || port! > 65_535) {
    throw new RangeError(`Cannot use the port ${port}: it must be an integer from 0 to 65535`);
  }
  return { host: host ?? "127.0.0.1", port: port! };
}

function nameOf(address: Address): string {
  if (address.path !== undefined) return address.path;
  const { host, port } = address;
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

function errorLine(error: RpcError): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(failure(null, toErrorObject(error)))}\n`);
}

/** The start of an HTTP request. A web page cannot send other methods without a preflight request. */
const HTTP_METHOD = /^(?:CONNECT|DELETE|GET|HEAD|OPTIONS|PATCH|POST|PUT|TRACE) /;
/** The length of the longest of them with its space, in bytes. */
const HEAD_BYTES = 8;

/**
 * Rejects a connection that starts like HTTP: a web page can make a browser send requests to any local port, and a line
 * of their body could be a message.
 */
function rejectHttp(channel: ByteChannel): ByteChannel {
  return {
    open: (events) => channel.open(watchHead(channel, events)),
    pause: () => channel.pause(),
    resume: () => channel.resume(),
    write: (buffers) => channel.write(buffers),
    close: () => channel.close(),
  };
}

function watchHead(channel: ByteChannel, events: ByteEvents): ByteEvents {
  let head = "";
  let isHttp = false;
  return {
    data(chunk): void {
      if (isHttp) return;
      if (head.length < HEAD_BYTES) {
        head += String.fromCharCode(...chunk.subarray(0, HEAD_BYTES - head.length));
        isHttp = HTTP_METHOD.test(head);
        if (isHttp) return void reject();
      }
      events.data(chunk);
    },
    end: () => {
      if (!isHttp) events.end();
    },
    error: (cause) => events.error(cause),
  };
  async function reject(): Promise<void> {
    const reason = "Invalid request: this port expects one JSON-RPC message per line, not HTTP";
    try {
      await channel.write([errorLine(new RpcError(ErrorCode.invalidRequest, reason))]);
      events.error(new TransportError("The peer sent an HTTP request; the connection was rejected"));
    } catch (cause) {
      events.error(cause);
    }
  }
}
