/**
 * What would the official server answer? A program that serves the same folder with the server of the second generation,
 * as its documentation shows it: one registration a document, both eras.
 *
 * `node --experimental-strip-types official_server.ts ROOT`
 */

import process from "node:process";
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { expectedDocuments } from "./shelf.ts";

const documents = expectedDocuments(process.argv[2]!);

serveStdio(() => {
  const server = new McpServer({ name: "official", version: "1" });
  for (const { uri, name, text } of documents) {
    server.registerResource(uri, uri, { title: name, mimeType: "text/markdown" }, () => ({
      contents: [{ uri, mimeType: "text/markdown", text: text.toString() }],
    }));
  }
  return server;
});
