/**
 * The seam to the network: what is borrowed of TCP and Unix domain sockets, and the one dynamic import that picks who
 * lends it. Nothing of a network is loaded before somebody asks for it here.
 */

import type { ByteChannel } from "../../deps.ts";

/** A place in a network. */
export interface TcpAddress {
  /** A name or an address of a host: "127.0.0.1". */
  readonly host: string;
  /** From 1 to 65535; 0 lets the system pick one that is free. */
  readonly port: number;
  /** Never there: it would make this a place on this machine. */
  readonly path?: never;
}

/** A place on this machine, which the rights of its folder protect. */
export interface UnixAddress {
  /** The path of the socket. */
  readonly path: string;
  /** Never there: it would make this a place in a network. */
  readonly host?: never;
  /** Never there: it would make this a place in a network. */
  readonly port?: never;
}

/** Where something listens. */
export type Address = TcpAddress | UnixAddress;

/** A connection as a channel of bytes. `close` still sends what was written and waits shortly for the other side. */
export interface SocketChannel extends ByteChannel {
  /** Who is at the other end: "127.0.0.1:51820"; undefined for a Unix domain socket, whose clients have no names. */
  readonly remoteAddress: string | undefined;
  /** Settles when the system has everything back that the connection took. */
  readonly closed: Promise<void>;
  /** Lets go at once, open or not: what was not sent is lost, and whoever opened the channel is told of an error. */
  abort(): void;
}

/** What happens at a listener. */
export interface ListenerEvents {
  /** Somebody has connected. The channel belongs to whoever takes it: it stays until it is closed or aborted. */
  connection(channel: SocketChannel): void;
  /** A connection could not be taken, as when the process has no more files; listening goes on. */
  error(cause: unknown): void;
}

/** Something that listens. */
export interface Listener {
  /** Where it listens, with the port that the system has picked. */
  readonly address: Address;
  /** Stops listening, at once; connections live on. May be called again. */
  close(): void;
}

/** What a runtime lends us of the network. */
export interface Tcp {
  /** Listens; rejects with the runtime's own error when it cannot. */
  listen(address: Address, events: ListenerEvents): Promise<Listener>;
  /** Connects; rejects with the runtime's own error when it cannot, and when the signal aborts first. */
  connect(address: Address, signal: AbortSignal): Promise<SocketChannel>;
}

/** Loads the adapter for the runtime that this runs on; the other one is never loaded. */
export async function loadTcp(): Promise<Tcp> {
  const { tcp } = "Deno" in globalThis ? await import("./deno_tcp.ts") : await import("./node_tcp.ts");
  return tcp;
}
