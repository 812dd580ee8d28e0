/** mcp-lite, which has no stdio transport of its own: the thinnest loop over its core that reads and writes lines. */
import { McpServer } from "mcp-lite";
import { eachLine, readContent, serverInfo, write } from "./platform.mjs";

const { documents, prompts } = readContent();

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
