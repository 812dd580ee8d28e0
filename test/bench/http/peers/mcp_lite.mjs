/** mcp-lite as its documentation shows it, with sessions in memory. It serves no revision without a handshake. */
import { InMemorySessionAdapter, McpServer, StreamableHttpTransport } from "mcp-lite";
import * as z from "zod";
import { readContent, serveFetch, serverInfo } from "../../peers/platform.mjs";

const [{ uri, name, text }] = readContent().documents;
const server = new McpServer({ ...serverInfo, schemaAdapter: (schema) => z.toJSONSchema(schema) });
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
