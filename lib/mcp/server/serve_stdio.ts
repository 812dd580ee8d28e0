/** A program that is a server for one client, over standard input and output. */

import type { Server } from "./server.ts";
import { protectOutput } from "../../jsonrpc/transport/protect_output.ts";
import { stdioTransport } from "../../jsonrpc/transport/stream.ts";
import { loadPlatform } from "../../platform/load.ts";

/**
 * Serves the client that has started this program, until it closes standard input or the program is interrupted. From then on,
 * `console` writes to standard error, because standard output is for messages. Needs no permissions.
 *
 * @throws {RangeError} When a key of the server is too short.
 * @example
 * ```ts
 * import { createServer, serveStdio } from "@architrave/architrave";
 *
 * await serveStdio(createServer({ info: { name: "empty", version: "1.0.0" } }));
 * ```
 */
export async function serveStdio(server: Server): Promise<void> {
  protectOutput();
  const platform = await loadPlatform();
  const connection = await server.connect(stdioTransport(platform));
  platform.onInterrupt(() => connection.end());
  await connection.closed;
}
