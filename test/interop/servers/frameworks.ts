/**
 * Servers of two other frameworks: `frameworks.ts fastmcp | mcp-lite [PORT]`, over HTTP with a port, else over standard input
 * and output.
 */

import process from "node:process";
import { z } from "zod";
import { begins, serveFetch, text } from "../official_servers.ts";

const [name, port] = process.argv.slice(2);
const NUMBERS = z.object({ a: z.number(), b: z.number() });

async function serveFastMcp(): Promise<void> {
  const { FastMCP, imageContent } = await import("fastmcp");
  const nothing = () => {};
  const logger = { debug: nothing, error: nothing, info: nothing, log: nothing, warn: nothing };
  const server = new FastMCP({ name: "fastmcp", version: "1.0.0", instructions: "Adds.", logger });
  server.addTool({
    name: "add",
    description: "Adds two numbers",
    annotations: { readOnlyHint: true },
    parameters: NUMBERS,
    execute: async ({ a, b }, { reportProgress, log }) => {
      log.info("adding", { a, b });
      await reportProgress({ progress: 1, total: 1 });
      return String(a + b);
    },
  });
  server.addTool({
    name: "fail",
    description: "Fails",
    execute: () => Promise.reject(new Error("It failed")),
  });
  const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
  server.addTool({ name: "image", description: "An image", execute: () => imageContent({ buffer: png }) });
  server.addResource({ uri: "file:///log.txt", name: "A log", load: async () => ({ text: "one\ntwo\n" }) });
  server.addResource({ uri: "file:///b.bin", name: "Bytes", load: async () => ({ blob: "AAEC" }) });
  const complete = async (value: string) => ({ values: begins(value) });
  const city = { name: "city" as const, required: true as const, complete };
  server.addResourceTemplate({
    uriTemplate: "file:///{city}.txt",
    name: "A city",
    arguments: [city],
    load: async ({ city }) => ({ text: `The city of ${city}` }),
  });
  server.addPrompt({ name: "visit", arguments: [city], load: async ({ city }) => `Visit ${city}` });
  const httpStream = { port: Number(port), host: "127.0.0.1" };
  await server.start(
    port === undefined ? { transportType: "stdio" } : { transportType: "httpStream", httpStream },
  );
}

async function serveMcpLite(): Promise<void> {
  const lite = await import("mcp-lite");
  const schemaAdapter = (schema: unknown) => z.toJSONSchema(schema as z.ZodType);
  const server = new lite.McpServer({ name: "mcp-lite", version: "1", schemaAdapter });
  server.tool("add", {
    description: "Adds two numbers",
    inputSchema: NUMBERS,
    outputSchema: z.object({ sum: z.number() }),
    handler: ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } }),
  });
  server.tool("fail", { handler: () => Promise.reject(new Error("It failed")) });
  server.tool("greet", {
    handler: async (_, context) => {
      const { content } = await context.elicit({ message: "Who?", schema: z.object({ name: z.string() }) });
      return text(`Hello ${content?.["name"]}`);
    },
  });
  server.resource("note:///{id}", { name: "A note" }, ({ href }, { id }) => {
    return { contents: [{ uri: href, text: `The note ${id}` }] };
  });
  server.resource("note:///all", { name: "All notes", mimeType: "text/plain" }, ({ href }) => {
    return { contents: [{ uri: href, text: "All notes" }] };
  });
  server.prompt("visit", {
    arguments: z.object({ city: z.string() }),
    handler: ({ city }) => ({
      messages: [{ role: "user", content: { type: "text", text: `Visit ${city}` } }],
    }),
  });
  const transport = new lite.StreamableHttpTransport({
    sessionAdapter: new lite.InMemorySessionAdapter({ maxEventBufferSize: 100 }),
    clientRequestAdapter: new lite.InMemoryClientRequestAdapter(),
  });
  serveFetch(transport.bind(server)).listen(Number(port), "127.0.0.1");
}

await (name === "fastmcp" ? serveFastMcp() : serveMcpLite());
