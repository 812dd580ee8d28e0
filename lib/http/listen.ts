/** Listening for HTTP: only on this machine, unless clients are authenticated. */

import type { Listening } from "../platform/http.ts";
import type { Server } from "../server/server.ts";
import type { HttpOptions } from "./options.ts";
import { listenOn } from "../platform/http.ts";
import { isLoopback, LOOPBACK_HOSTS } from "./checks.ts";
import { createHttpHandler } from "./endpoint.ts";

/** Where and how to listen. */
export interface HttpListenOptions extends HttpOptions {
  /** Where to listen. @default {"127.0.0.1"} */
  readonly hostname?: string;
  /** 0 lets the system choose one. @default {8080} */
  readonly port?: number;
  /** Allows an address that others can reach without `authenticate`. @default {false} */
  readonly allowUnauthenticated?: boolean;
  /** The most connections at one time; Deno has no limit of its own. @default {2000} */
  readonly maxConnections?: number;
  /** How long a request may take to arrive, in milliseconds; Deno looks at the body only. @default {30000} */
  readonly requestTimeoutMs?: number;
  /** The most bytes of the head of a request, on Node. @default {16 KiB} */
  readonly maxHeaderBytes?: number;
}

/** A listening server. */
export interface HttpListening {
  /** The URL of the endpoint. */
  readonly url: string;
  /** The port. */
  readonly port: number;
  /** Takes no more requests, answers the open ones, ends all streams, and settles when the port is free. */
  close(): Promise<void>;
}

/**
 * Serves MCP over HTTP on a port.
 *
 * Needs permission to listen there.
 *
 * @throws {RangeError} When others can reach the address and clients are not authenticated.
 *
 * @example
 * ```ts
 * import { createServer } from "@architrave/architrave";
 * import { listenHttp } from "@architrave/architrave/http";
 *
 * const server = createServer({ info: { name: "docs", version: "1.0.0" } });
 * const listening = await listenHttp(server, { port: 8080 });
 * console.error(`MCP is at ${listening.url}`);
 * ```
 */
export async function listenHttp(server: Server, options: HttpListenOptions = {}): Promise<HttpListening> {
  const {
    hostname = "127.0.0.1",
    port = 8080,
    allowUnauthenticated = false,
    maxConnections = 2000,
    requestTimeoutMs = 30_000,
    maxHeaderBytes = 16 * 1024,
    ...rest
  } = options;
  if (!isLoopback(hostname) && !options.authenticate && !allowUnauthenticated) {
    throw new RangeError(
      `Cannot listen on ${hostname}: others can reach it, so set authenticate or allowUnauthenticated`,
    );
  }
  await server.check();
  const handler = createHttpHandler(server, {
    ...rest,
    allowedHosts: rest.allowedHosts ?? [...LOOPBACK_HOSTS, bracketed(hostname)],
  });
  const limits = { maxConnections, requestTimeoutMs, maxHeaderBytes };
  const listening = await listenOn({ hostname, port, ...limits }, handler.respond);
  let closing: Promise<void> | undefined;
  return {
    url: `http://${bracketed(listening.hostname)}:${listening.port}${rest.path ?? "/mcp"}`,
    port: listening.port,
    close: () => closing ??= close(handler, listening),
  };
}

/** How long connections may take to close once all is answered, in milliseconds. */
const LAST_MS = 1000;

async function close(handler: { close(): Promise<void> }, listening: Listening): Promise<void> {
  listening.stop();
  await handler.close();
  // Idle connections, and clients that do not read, are not waited for.
  await listening.close(LAST_MS);
}

function bracketed(hostname: string): string {
  return hostname.includes(":") && !hostname.startsWith("[") ? `[${hostname}]` : hostname;
}
