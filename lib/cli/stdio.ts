/** Serves one client over standard input and output. */

import type { Server } from "../mcp/server/server.ts";
import type { Platform } from "../platform/platform.ts";
import type { Log } from "./log.ts";
import { protectOutput } from "../jsonrpc/transport/protect_output.ts";
import { stdioTransport } from "../jsonrpc/transport/stream.ts";

/** How long requests may take after a signal, in milliseconds. */
const INTERRUPT_MS = 1000;

/** Returns the exit code, 1 if a request was given up, when the client closes its side. `describe` says what is served, to people at a terminal. */
export async function serveStdio(
  platform: Platform,
  server: Server,
  log: Log,
  describe: () => Promise<string> | string,
): Promise<number> {
  protectOutput();
  platform.onUncaught(log.uncaught);
  // Read now: Deno 2.0 cannot tell whether a closed input was a terminal.
  const { interactive } = platform;
  const terminal = interactive ? await import("./terminal.ts") : undefined;
  const streams = terminal?.typedStreams(platform) ?? platform;
  const connection = await server.connect(stdioTransport(streams));
  platform.onInterrupt(() => connection.end(INTERRUPT_MS));
  if (terminal) platform.print("error", terminal.greeting(await describe()));
  await connection.closed;
  log.end();
  return connection.givenUp > 0 ? 1 : 0;
}
