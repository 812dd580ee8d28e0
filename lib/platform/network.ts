/** The network interface: what code needs of a runtime to listen and connect. It is not part of `Platform`. */

import type { HttpResponder, HttpServer, HttpServerOptions } from "./http.ts";
import type { Address, Listener, SocketChannel } from "./tcp.ts";

/** The network of a runtime. Every function rejects with the runtime's own error. */
export interface Network {
  /** Listens. Each connection is closed or aborted by `onconnection`; one that cannot be accepted does not end listening. */
  listen(
    address: Address,
    onconnection: (channel: SocketChannel) => void,
    onerror: (cause: unknown) => void,
  ): Promise<Listener>;
  /** Connects; rejects when the signal aborts first. */
  connect(address: Address, signal: AbortSignal): Promise<SocketChannel>;
  /** Listens for HTTP. */
  listenHttp(options: HttpServerOptions, respond: HttpResponder): Promise<HttpServer>;
}
