/** Listens for MCP over HTTP: by default only on this machine, on other addresses with authentication. */

import type { Server } from "../server/server.ts";
import type { HttpHandler } from "./endpoint.ts";
import type { HttpListenOptions } from "./options.ts";
import { isLoopback } from "../../base/hosts.ts";
import { loadNetwork } from "../../platform/load_network.ts";
import { bracketed, checkPort } from "../../platform/tcp.ts";
import { LOOPBACK_HOSTS } from "./checks.ts";
import { createHttpHandler } from "./endpoint.ts";

/** How long connections may take to close after the last response, in milliseconds. */
const CLOSE_MS = 1000;

/** A listening server. */
export interface HttpListening extends Pick<HttpHandler, "sessions" | "usage"> {
  /** The URL of the endpoint. */
  readonly url: string;
  /** The port. */
  readonly port: number;
  /**
   * Refuses new requests, answers unfinished ones, ends all streams, and settles when the port is free. Returns how many were
   * given up with an error.
   */
  close(): Promise<number>;
}

/**
 * Serves MCP over HTTP on a port.
 *
 * Needs permission to listen on it.
 *
 * @throws {RangeError} When other machines can reach the address and clients are not authenticated, or the port is impossible.
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
  const { host: hostname = options.hostname ?? "127.0.0.1", port = 8080, requestTimeoutMs = 30_000 } =
    options;
  if (!isLoopback(hostname) && !options.authenticate && !options.allowUnauthenticated) {
    const reason = "other machines can reach it, so set authenticate or allowUnauthenticated";
    throw new RangeError(`Cannot listen on ${hostname}: ${reason}`);
  }
  checkPort(port);
  await server.check();
  const allowedHosts = options.allowedHosts ?? [...LOOPBACK_HOSTS, bracketed(hostname)];
  const handler = createHttpHandler(server, { ...options, allowedHosts });
  const { connect, respond, sessions, usage } = handler;
  const network = await loadNetwork();
  const listening = await network.listenHttp({ hostname, port, requestTimeoutMs, connect }, respond);
  const close = async () => {
    listening.stop();
    const givenUp = await handler.close();
    // Not longer, because connections may be idle and clients may not read.
    await listening.close(CLOSE_MS);
    return givenUp;
  };
  let closing: Promise<number> | undefined;
  return {
    url: `http://${bracketed(listening.hostname)}:${listening.port}${options.path ?? "/mcp"}`,
    port: listening.port,
    sessions,
    usage,
    close: () => closing ??= close(),
  };
}
