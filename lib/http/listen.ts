/** Where does the server listen? On this machine alone, unless whoever asks is asked who they are. */

import type { Listening } from "../platform/http.ts";
import type { Server } from "../server/server.ts";
import type { HttpOptions } from "./options.ts";
import { listenOn } from "../platform/http.ts";
import { isLoopback, LOOPBACK_HOSTS } from "./guard.ts";
import { createHttpHandler } from "./endpoint.ts";

/** Where and how to listen. */
export interface HttpListenOptions extends HttpOptions {
  /** Where to listen. @default {"127.0.0.1"} */
  readonly hostname?: string;
  /** 0 takes one that is free. @default {8080} */
  readonly port?: number;
  /** Lets anybody in who can reach an address that others can reach too. @default {false} */
  readonly allowAnybody?: boolean;
  /** The most connections at one time; Deno has no limit of its own. @default {2000} */
  readonly maxConnections?: number;
  /** How long a request may take to arrive, in milliseconds; Deno looks at the body only. @default {30000} */
  readonly requestTimeoutMs?: number;
  /** The most bytes of the head of a request, on Node. @default {16 KiB} */
  readonly maxHeaderBytes?: number;
}

/** A server that listens. */
export interface HttpListening {
  /** The URL of the endpoint. */
  readonly url: string;
  /** The port, also when it was chosen. */
  readonly port: number;
  /** Takes nothing new, answers what was asked, ends all streams, and settles when the port is free. */
  close(): Promise<void>;
}

/**
 * Serves MCP over HTTP on a port.
 *
 * Needs permission to listen there.
 *
 * @throws {RangeError} When others can reach the address, and nobody is asked who they are.
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
    allowAnybody = false,
    maxConnections = 2000,
    requestTimeoutMs = 30_000,
    maxHeaderBytes = 16 * 1024,
    ...rest
  } = options;
  if (!isLoopback(hostname) && !options.authenticate && !allowAnybody) {
    throw new RangeError(
      `Cannot listen on ${hostname}: others can reach it, so give authenticate, or say allowAnybody`,
    );
  }
  await server.check();
  const handler = createHttpHandler(server, {
    ...rest,
    allowedHosts: rest.allowedHosts ?? [...LOOPBACK_HOSTS, bracketed(hostname)],
  });
  const limits = { maxConnections, requestTimeoutMs, maxHeaderBytes };
  const listening = await listenOn({ hostname, port, ...limits, respond: handler.respond });
  let closing: Promise<void> | undefined;
  return {
    url: `http://${bracketed(listening.hostname)}:${listening.port}${rest.path ?? "/mcp"}`,
    port: listening.port,
    close: () => closing ??= close(handler, listening),
  };
}

/** How long a connection may take to go once all is answered, in milliseconds. */
const LAST_MS = 1000;

async function close(handler: { close(): Promise<void> }, listening: Listening): Promise<void> {
  listening.stop();
  await handler.close();
  // A client that keeps its connection, or does not read the end of an answer, is not waited for.
  await listening.close(LAST_MS);
}

function bracketed(hostname: string): string {
  return hostname.includes(":") && !hostname.startsWith("[") ? `[${hostname}]` : hostname;
}
