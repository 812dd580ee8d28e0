/** TCP and Unix domain sockets: the contract, and the import that picks the adapter when a network is first asked for. */

import type { ByteChannel } from "../../deps.ts";

/** A network address. */
export interface TcpAddress {
  /** A host name or address: "127.0.0.1". */
  readonly host: string;
  /** From 1 to 65535; 0 lets the system pick a free one. */
  readonly port: number;
  /** Never set: it would make this a Unix domain socket. */
  readonly path?: never;
}

/** A Unix domain socket, protected by the permissions of its folder. With a host or a port, it would be a network address. */
export interface UnixAddress extends Readonly<Partial<Record<"host" | "port", never>>> {
  /** The path of the socket. */
  readonly path: string;
}

/** Where to listen or connect. */
export type Address = TcpAddress | UnixAddress;

/** A connection. `close` still sends what was written, and waits shortly for the other side to close. */
export interface SocketChannel extends ByteChannel {
  /** The other end: "127.0.0.1:51820"; undefined for a Unix domain socket, whose clients have no names. */
  readonly remoteAddress: string | undefined;
  /** Resolves when the system has released the connection. */
  readonly closed: Promise<void>;
  /** Closes at once, opened or not: unsent bytes are lost, and `error` is called if the channel was opened. */
  abort(): void;
}

/** Events of a listener. */
export interface ListenerEvents {
  /** A client has connected. The receiver owns the channel and closes or aborts it. */
  connection(channel: SocketChannel): void;
  /** A connection could not be accepted, as when the process is out of file descriptors; listening goes on. */
  error(cause: unknown): void;
}

/** A listening socket. */
export interface Listener {
  /** Where it listens, with the port that the system has picked. */
  readonly address: Address;
  /** Stops listening at once; connections stay open. May be called again. */
  close(): void;
}

/** The sockets of a runtime. */
export interface Tcp {
  /** Listens; rejects with the runtime's own error. */
  listen(address: Address, events: ListenerEvents): Promise<Listener>;
  /** Connects; rejects with the runtime's own error, or when the signal aborts first. */
  connect(address: Address, signal: AbortSignal): Promise<SocketChannel>;
}

/** How long the other side may take to close after this side has, in milliseconds: time for its bytes to arrive. */
export const LINGER_MS = 1000;

/** The error of a connection that this side has closed. */
export function closedError(): Error {
  return new Error("The connection was closed");
}

/** "127.0.0.1:80", "[::1]:80"; undefined without a host. */
export function hostAndPort(host: string | undefined, port: number | undefined): string | undefined {
  return host && `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Loads the adapter of the current runtime; the other one is never loaded. */
export async function loadTcp(): Promise<Tcp> {
  return "Deno" in globalThis ? await import("./deno_net.ts") : await import("./node_net.ts");
}
