/** mcp-lite as its documentation shows it, with sessions in memory. It knows no revision without a handshake. */
import { InMemorySessionAdapter, McpServer, StreamableHttpTransport } from "mcp-lite";
import * as z from "zod";
import { onlyDocument, serveFetch } from "./platform.mjs";

const { uri, name, text } = onlyDocument();
const server = new McpServer({
  name: "bench-peer",
  version: "1.0.0",
  schemaAdapter: (schema) => z.toJSONSchema(schema),
});
server.resource(uri, { name, mimeType: "text/markdown" }, () => ({
  contents: [{ uri, mimeType: "text/markdown", text }],
}));
server.tool("echo", {
  description: "Says it again.",
  inputSchema: z.object({ text: z.string() }),
  handler: ({ text }) => ({ content: [{ type: "text", text }] }),
});
const transport = new StreamableHttpTransport({
  sessionAdapter: new InMemorySessionAdapter({ maxEventBufferSize: 1024 }),
});
const handler = transport.bind(server);

await serveFetch((request) => handler(request));
