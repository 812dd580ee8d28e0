/** The official SDK v2 as its documentation shows it: `McpServer` behind `serveStdio`, one registration a document. */
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import * as z from "zod";
import { readContent, serverInfo } from "./platform.mjs";

const { documents, prompts } = readContent();

serveStdio(() => {
  const server = new McpServer(serverInfo);
  for (const { uri, name, title, text } of documents) {
    server.registerResource(name, uri, { title, mimeType: "text/markdown" }, () => ({
      contents: [{ uri, mimeType: "text/markdown", text }],
    }));
  }
  for (const { name, description, before, after } of prompts) {
    server.registerPrompt(
      name,
      { description, argsSchema: z.object({ topic: z.string() }) },
      ({ topic }) => ({
        description,
        messages: [{ role: "user", content: { type: "text", text: before + topic + after } }],
      }),
    );
  }
  return server;
});
