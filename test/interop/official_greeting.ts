/** What does an official server have to say? One tool, which is enough to see that what it says arrives. */

import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";

/** Gives the server the tool "greet". */
export function registerGreeting(server: McpServer): McpServer {
  server.registerTool(
    "greet",
    { description: "Greets", inputSchema: { name: z.string() } },
    ({ name }) => ({ content: [{ type: "text", text: `Hello, ${name}!` }] }),
  );
  return server;
}
