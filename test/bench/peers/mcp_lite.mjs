/** mcp-lite, which carries MCP over HTTP only: the thinnest loop over its core that reads and writes lines. */
import { McpServer } from "mcp-lite";
import { serverInfo, shelfOf } from "./shelf.mjs";

const { eachLine, readFiles, write } = await import(
  "Deno" in globalThis ? "./platform_deno.ts" : "./platform_node.mjs"
);
const { documents, prompts } = shelfOf(readFiles());

const server = new McpServer(serverInfo);
for (const { uri, name, title, text } of documents) {
  server.resource(uri, { name, title, mimeType: "text/markdown" }, () => ({
    contents: [{ uri, mimeType: "text/markdown", text }],
  }));
}
for (const { name, description, arguments: parameters, before, after } of prompts) {
  server.prompt(name, {
    description,
    arguments: parameters,
    handler: ({ topic }) => ({
      description,
      messages: [{ role: "user", content: { type: "text", text: before + topic + after } }],
    }),
  });
}

eachLine(async (line) => {
  const response = await server._dispatch(JSON.parse(line));
  if (response !== null) write(`${JSON.stringify(response)}\n`);
});
