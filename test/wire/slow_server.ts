/** A server of the library whose handlers take long, for tests of the end: it exits as the program does. */

import { createServer, defineTool, resourceProvider } from "../../lib/mcp/server/mod.ts";
import { loadPlatform, stdioTransport } from "../../mod.ts";

/** Longer than any grace period of a second. */
const SLOW_MS = 1500;
const inputSchema = { type: "object" } as const;
const later = () => new Promise((resolve) => setTimeout(resolve, SLOW_MS));
const never = () => new Promise<never>(() => {});

const platform = await loadPlatform();
const server = createServer({
  info: { name: "slow", version: "1" },
  tools: [
    defineTool({ name: "slow", inputSchema, handler: () => later().then(() => "done") }),
    defineTool({ name: "late", inputSchema, timeoutMs: SLOW_MS, handler: never }),
    defineTool({ name: "never", inputSchema, timeoutMs: 600_000, handler: never }),
  ],
  resources: [
    resourceProvider({
      resources: [{ uri: "slow://one", name: "one", read: () => later().then(() => "done") }],
    }),
  ],
  onfailure: (cause) => platform.print("error", `failed: ${cause}\n`),
});
const connection = await server.connect(stdioTransport(platform));
platform.onInterrupt(() => connection.end(200));
await connection.closed;
platform.exit(connection.givenUp > 0 ? 1 : 0);
