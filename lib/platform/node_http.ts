/** How does Node listen for HTTP? One of the places that spell a runtime's name. */

import { createServer } from "node:http";
import type { Listening, ListenOptions } from "./http.ts";
import { nodeListener } from "./node_exchange.ts";

/** How often Node looks for requests that take too long to arrive, in milliseconds. */
const CHECK_MS = 1000;

/** Listens. Rejects when the port cannot be had. */
export async function listen(options: ListenOptions): Promise<Listening> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const server = createServer({
    // A field that must come once is refused when it comes twice, where Node by itself would take the first.
    joinDuplicateHeaders: true,
    maxHeaderSize: options.maxHeaderBytes,
    headersTimeout: options.requestTimeoutMs,
    requestTimeout: options.requestTimeoutMs,
    connectionsCheckingInterval: Math.min(CHECK_MS, options.requestTimeoutMs),
  }, nodeListener(options.respond) as never);
  server.maxConnections = options.maxConnections;
  server.once("error", reject);
  server.listen(options.port, options.hostname, resolve);
  await promise;
  server.off("error", reject);
  const { address, port } = server.address() as { address: string; port: number };
  const closed = Promise.withResolvers<void>();
  return {
    hostname: address,
    port,
    stop(): void {
      server.close(() => closed.resolve());
      server.closeIdleConnections();
    },
    async close(graceMs): Promise<void> {
      server.closeIdleConnections();
      const timer = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed.promise;
      clearTimeout(timer);
    },
  };
}
