/** This project's own server over HTTP: the folder of documents, one tool, and every default but the limit on calls. */
import { documentProvider, loadPlatform } from "../../../../mod.ts";
import { createServer, defineTool } from "../../../../lib/mcp/server/mod.ts";
import { listenHttp } from "../../../../lib/mcp/http/mod.ts";
import { announce, root } from "../../peers/platform.mjs";

const echo = defineTool({
  name: "echo",
  description: "Says it again.",
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  handler: ({ text }) => text,
});
const server = createServer({
  info: { name: "bench-peer", version: "1.0.0" },
  resources: [documentProvider(await loadPlatform(), { root })],
  tools: [echo],
  toolCalls: { burst: 1e9, perSecond: 1e9 },
});
const { port } = await listenHttp(server, { port: 0 });
announce(port);
