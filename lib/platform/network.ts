/** The network interface: what code needs from a runtime to listen and connect. Not part of `Platform`. */

import type { HttpResponder, HttpServer, HttpServerOptions } from "./http.ts";
import type { Address, Listener, SocketChannel } from "./tcp.ts";

/** The network of a runtime. Every function rejects with the runtime's own error. */
export interface Network {
  /**
   * Listens. When a connection cannot be accepted, `onerror` is called and listening continues.
   *
   * @param onconnection Receives each connection, and has to close or abort it.
   */
  listen(
    address: Address,
    onconnection: (channel: SocketChannel) => void,
    onerror: (cause: unknown) => void,
  ): Promise<Listener>;
  /** Connects; rejects if the signal aborts first. */
  connect(address: Address, signal: AbortSignal): Promise<SocketChannel>;
  /** Listens for HTTP. */
  listenHttp(options: HttpServerOptions, respond: HttpResponder): Promise<HttpServer>;
}
