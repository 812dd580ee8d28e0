/** How does a message travel over a connection? As over any byte channel; but it can be let go at once, too. */

import type { SocketChannel } from "../platform/tcp.ts";
import { refuseHttp } from "./refuse_http.ts";
import { StreamTransport } from "./stream.ts";

/** What the carrier of a connection can be told. */
export interface SocketOptions {
  /** The longest inbound line in bytes; a longer one is reported and skipped. @default {4 MiB} */
  readonly maxLineBytes?: number;
}

/** A carrier over one connection, TCP or Unix domain socket. */
export class SocketTransport extends StreamTransport {
  /** Who is at the other end: "127.0.0.1:51820"; undefined for a Unix domain socket. */
  readonly remoteAddress: string | undefined;
  readonly #socket: SocketChannel;

  /**
   * Takes over a connection.
   *
   * @param path Of the Unix domain socket; undefined for TCP.
   */
  constructor(socket: SocketChannel, path: string | undefined, options: SocketOptions = {}) {
    const { remoteAddress } = socket;
    super(refuseHttp(socket), {
      ...options,
      type: path === undefined ? "tcp" : "unix",
      origin: {
        ...(remoteAddress === undefined ? {} : { remoteAddress }),
        ...(path === undefined ? {} : { carrier: Object.freeze({ path }) }),
      },
    });
    this.remoteAddress = remoteAddress;
    this.#socket = socket;
  }

  /** Settles when the system has everything back that the connection took: after `onclose`, by up to a second. */
  get released(): Promise<void> {
    return this.#socket.closed;
  }

  /** Lets go at once: what was not sent is lost. `onerror` and `onclose` follow where `start` was called. */
  abort(): void {
    this.#socket.abort();
  }
}
