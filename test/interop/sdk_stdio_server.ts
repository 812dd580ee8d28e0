/**
 * A server over standard input and output, put together of both houses: with `ours` the official server over our carrier, with
 * `v1` or `v2` our server over the official transport of that generation.
 */

import process from "node:process";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport as TransportV1 } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StdioServerTransport as TransportV2 } from "@modelcontextprotocol/server/stdio";
import { loadPlatform, stdioTransport } from "../../mod.ts";
import { createEverythingServer } from "./everything.ts";
import { registerGreeting } from "./official_greeting.ts";
import { forSdk, FromSdk } from "./sdk_transports.ts";

if (process.argv[2] === "ours") {
  const server = registerGreeting(
    new McpServer({ name: "official", version: "1" }),
  );
  await server.connect(forSdk(stdioTransport(await loadPlatform())));
} else {
  const transport = new FromSdk(
    process.argv[2] === "v1" ? new TransportV1() : new TransportV2(),
  );
  // The official transports go on when their input has ended.
  process.stdin.once("end", () => void transport.close());
  const { closed } = await createEverythingServer().connect(transport);
  await closed;
}
