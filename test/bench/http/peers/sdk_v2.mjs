/** The official SDK v2 as its documentation shows it: a handler for 2026-07-28, and a transport for each session before that. */
import {
  createMcpHandler,
  isLegacyRequest,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import { readContent, serveFetch, serverInfo } from "../../peers/platform.mjs";

const [{ uri, name, text }] = readContent().documents;

function makeServer() {
  const server = new McpServer(serverInfo);
  server.registerResource(name, uri, { mimeType: "text/markdown" }, () => ({
    contents: [{ uri, mimeType: "text/markdown", text }],
  }));
  server.registerTool(
    "echo",
    { description: "Says it again.", inputSchema: z.object({ text: z.string() }) },
    ({ text }) => ({ content: [{ type: "text", text }] }),
  );
  return server;
}

const modern = createMcpHandler(makeServer, { legacy: "reject" });
const sessions = new Map();

await serveFetch(async (request) => {
  const id = request.headers.get("mcp-session-id");
  if (id !== null) return sessions.get(id).handleRequest(request);
  if (!await isLegacyRequest(request)) return modern.fetch(request);
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => crypto.randomUUID(),
    // Its quickest form of an answer.
    enableJsonResponse: true,
    onsessioninitialized: (session) => void sessions.set(session, transport),
  });
  await makeServer().connect(transport);
  return transport.handleRequest(request);
});
