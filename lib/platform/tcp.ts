/** TCP and Unix domain sockets: the types that both runtimes implement, and the text of addresses. */

import type { ByteChannel } from "./platform.ts";

/**
 * Where to listen or connect: a port and a host (by default 127.0.0.1), or the path of a Unix domain socket, which the
 * permissions of its folder protect. To listen on port 0 lets the system pick a free port.
 */
export type Address =
  | { readonly port: number; readonly host?: string | undefined; readonly path?: undefined }
  | { readonly path: string; readonly port?: undefined; readonly host?: undefined };

/** A connection. `close` still sends what was written, then waits for the peer to close, at most `LINGER_MS`. */
export interface SocketChannel extends ByteChannel {
  /** The address of the peer: "127.0.0.1:51820"; undefined for a Unix domain socket, whose clients have none. */
  readonly remoteAddress: string | undefined;
  /** Resolves when the system has released the connection. */
  readonly closed: Promise<void>;
  /** Closes at once and drops unsent bytes. Calls `error` if the channel was opened. */
  abort(): void;
}

/** A listening socket. */
export interface Listener {
  /** Where it listens, with the actual port. */
  readonly address: Address;
  /** Stops listening at once; connections stay open. May be called again. */
  close(): void;
}

/** How long the peer may take to close after this side has, in milliseconds. */
export const LINGER_MS = 1000;

/** The error of a connection that this side has closed. */
export function closedError(): Error {
  return new Error("The connection was closed");
}

/** Checks a port to listen on or to connect to. @throws {RangeError} When there cannot be such a port. */
export function checkPort(port: number | undefined): void {
  if (Number.isInteger(port) && port! >= 0 && port! <= 65_535) return;
  throw new RangeError(`Cannot use the port ${port}: it must be an integer from 0 to 65535`);
}

/** A host as in a URL: an IPv6 address in brackets. */
export function bracketed(host: string): string {
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
}

/** "127.0.0.1:80", "[::1]:80"; undefined without a host. */
export function hostAndPort(host: string | undefined, port: number | undefined): string | undefined {
  return host && `${bracketed(host)}:${port}`;
}
