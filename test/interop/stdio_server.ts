/**
 * Servers over standard input and output that have something of the official packages:
 *
 *     stdio_server.ts documents ROOT   the official server of the second generation with the documents of a folder
 *     stdio_server.ts ours             the official server of the first generation over our transport
 *     stdio_server.ts v1 | v2          our server over the official transport of that generation
 */

import process from "node:process";
import { McpServer as ServerV1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport as TransportV1 } from "@modelcontextprotocol/sdk/server/stdio.js";
import { McpServer as ServerV2 } from "@modelcontextprotocol/server";
import { serveStdio, StdioServerTransport as TransportV2 } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import { loadPlatform, stdioTransport } from "../../mod.ts";
import { expectedDocuments } from "./documents.ts";
import { createEverythingServer } from "./everything.ts";
import { forSdk, FromSdk } from "./sdk_transports.ts";

/** An official server with one tool, which is enough to see that what it says arrives. */
export function greetingServer(): ServerV1 {
  const server = new ServerV1({ name: "official", version: "1" });
  server.registerTool("greet", { description: "Greets", inputSchema: { name: z.string() } }, ({ name }) => {
    return { content: [{ type: "text", text: `Hello, ${name}!` }] };
  });
  return server;
}

/** As the documentation of the official server shows it: one registration a document, both eras. */
function serveDocuments(root: string): void {
  const documents = expectedDocuments(root);
  serveStdio(() => {
    const server = new ServerV2({ name: "official", version: "1" });
    for (const { uri, name, text } of documents) {
      server.registerResource(uri, uri, { title: name, mimeType: "text/markdown" }, () => ({
        contents: [{ uri, mimeType: "text/markdown", text: text.toString() }],
      }));
    }
    return server;
  });
}

if (import.meta.main) {
  const [mode, root = ""] = process.argv.slice(2);
  if (mode === "documents") serveDocuments(root);
  else if (mode === "ours") await greetingServer().connect(forSdk(stdioTransport(await loadPlatform())));
  else {
    const transport = new FromSdk(mode === "v1" ? new TransportV1() : new TransportV2());
    // The official transports go on when their input has ended.
    process.stdin.once("end", () => void transport.close());
    await (await createEverythingServer().connect(transport)).closed;
  }
}
