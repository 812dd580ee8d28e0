/** TCP and Unix domain sockets: what both runtimes provide, and how addresses are written. */

import type { ByteChannel } from "./platform.ts";

/**
 * Where to listen or connect: a port, with a host unless it is 127.0.0.1, or the path of a Unix domain socket, which is protected
 * by the permissions of its folder. Port 0 lets the system pick a free one.
 */
export type Address =
  | { readonly port: number; readonly host?: string | undefined; readonly path?: undefined }
  | { readonly path: string; readonly port?: undefined; readonly host?: undefined };

/** A connection. `close` still sends what was written, and waits briefly for the other side to close. */
export interface SocketChannel extends ByteChannel {
  /** The other end: "127.0.0.1:51820"; undefined for a Unix domain socket, whose clients have no names. */
  readonly remoteAddress: string | undefined;
  /** Resolves when the system has released the connection. */
  readonly closed: Promise<void>;
  /** Closes at once, opened or not: unsent bytes are lost, and `error` is called if the channel was opened. */
  abort(): void;
}

/** A listening socket. */
export interface Listener {
  /** Where it listens, with the port that the system has picked. */
  readonly address: Address;
  /** Stops listening at once; connections stay open. May be called again. */
  close(): void;
}

/** How long the other side may take to close after this side has, in milliseconds: time for its bytes to arrive. */
export const LINGER_MS = 1000;

/** The error of a connection that this side has closed. */
export function closedError(): Error {
  return new Error("The connection was closed");
}

/** A host as it stands in a URL: an IPv6 address in brackets. */
export function bracketed(host: string): string {
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
}

/** "127.0.0.1:80", "[::1]:80"; undefined without a host. */
export function hostAndPort(host: string | undefined, port: number | undefined): string | undefined {
  return host && `${bracketed(host)}:${port}`;
}
