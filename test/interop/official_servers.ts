/**
 * The official servers of both generations: `official_servers.ts v1 | v2 [PORT]`, over HTTP with a port, else over standard
 * input and output. They have pages, completion, structured content, every type of content, questions and failures.
 */

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import process from "node:process";
import { buffer } from "node:stream/consumers";
import { completable } from "@modelcontextprotocol/sdk/server/completable.js";
import { McpServer as V1, ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { ListResourcesRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import * as v2 from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

export const text = (text: string): { content: [{ type: "text"; text: string }] } => ({
  content: [{ type: "text", text }],
});
/** The completions of a city. */
export const begins = (value = ""): string[] =>
  ["Basel", "Bern", "Biel"].filter((city) => city.startsWith(value));

const OPTIONS = { instructions: "Adds, and keeps notes.", capabilities: { logging: {} } };
const WHO = {
  message: "Who?",
  requestedSchema: { type: "object" as const, properties: { name: { type: "string" as const } } },
};

/** Five resources, two a page. */
function page(cursor: string | undefined) {
  const from = Number(cursor ?? 0);
  const all = [0, 1, 2, 3, 4].map((n) => ({
    uri: `note:///${n}`,
    name: `note ${n}`,
    mimeType: "text/plain",
  }));
  return { resources: all.slice(from, from + 2), ...(from < 4 ? { nextCursor: String(from + 2) } : {}) };
}

/** Registers what both generations take in the same form, but for the types of schemas and templates. */
function fill(
  server: V1,
  wrap: (shape: z.ZodRawShape) => any,
  Template: unknown,
  complete: typeof completable,
): void {
  const add = {
    title: "Add",
    description: "Adds two numbers",
    annotations: { readOnlyHint: true, openWorldHint: false },
    inputSchema: wrap({ a: z.number(), b: z.number() }),
    outputSchema: wrap({ sum: z.number() }),
    _meta: { "example.com/order": 1 },
  };
  server.registerTool("add", add, ({ a, b }: { a: number; b: number }) => {
    return { ...text(String(a + b)), structuredContent: { sum: a + b } };
  });
  server.registerTool("fail", { description: "Fails", inputSchema: wrap({}) }, () => {
    throw new Error("It failed: as it should");
  });
  server.registerTool("blocks", { description: "Every type of content", inputSchema: wrap({}) }, () => ({
    content: [
      ...text("text").content,
      { type: "image", data: "aQ==", mimeType: "image/png", annotations: { priority: 0.5 } },
      { type: "audio", data: "aQ==", mimeType: "audio/wav" },
      { type: "resource", resource: { uri: "note:///0", text: "a note" } },
      { type: "resource_link", uri: "note:///1", name: "note 1" },
    ] as never,
    _meta: { "example.com/x": [1, null] },
  }));
  const template = new (Template as typeof ResourceTemplate)("note:///{id}", {
    list: undefined,
    complete: { id: begins },
  });
  server.registerResource("notes", template, {}, (uri, { id }) => {
    if (!(Number(id) < 5)) throw new Error(`There is no note ${id}`);
    return {
      contents: [{ uri: uri.href, mimeType: "text/plain", text: `The note ${id}: ü, 漢, \u{1f600}` }],
    };
  });
  const argsSchema = wrap({ city: complete(z.string(), begins), day: z.string().optional() });
  server.registerPrompt(
    "visit",
    { title: "Visit", argsSchema },
    ({ city, day = "today" }: Record<string, string>) => ({
      messages: [{ role: "user" as const, content: text(`Visit ${city} ${day}`).content[0] }],
    }),
  );
}

function first(): V1 {
  const capabilities = { ...OPTIONS.capabilities, tools: { listChanged: true } };
  const server = new V1({ name: "v1", version: "1" }, { ...OPTIONS, capabilities });
  fill(server, (shape) => shape, ResourceTemplate, completable);
  server.server.setRequestHandler(ListResourcesRequestSchema, ({ params }) => page(params?.cursor));
  server.registerTool("greet", { description: "Greets" }, async () => {
    return text(`Hello ${(await server.server.elicitInput(WHO)).content?.["name"]}`);
  });
  server.registerTool("work", { description: "Reports progress" }, async ({ _meta, sendNotification }) => {
    for (const progress of _meta?.progressToken === undefined ? [] : [1, 2]) {
      const params = { progressToken: _meta!.progressToken!, progress };
      await sendNotification({ method: "notifications/progress", params });
    }
    return text("done");
  });
  return server;
}

/** The server of the second generation. */
export function second(): v2.McpServer {
  const server = new v2.McpServer({ name: "v2", version: "1" }, OPTIONS);
  fill(server as never, (shape) => z.object(shape), v2.ResourceTemplate, v2.completable as never);
  server.server.setRequestHandler("resources/list", ({ params }) => page(params?.cursor));
  const region = z.string().meta({ "x-mcp-header": "Region" });
  server.registerTool("where", { inputSchema: z.object({ region }) }, ({ region }) => text(`In ${region}`));
  server.registerTool("greet", { inputSchema: z.object({}) }, (_, { mcpReq }) => {
    const known = v2.acceptedContent<{ name: string }>(mcpReq.inputResponses, "who");
    if (known) return text(`Hello ${known.name}`);
    return v2.inputRequired({ inputRequests: { who: v2.inputRequired.elicit(WHO) }, requestState: "state" });
  });
  return server;
}

type Handler = (request: Request) => Response | Promise<Response>;

/** Serves a handler of the web's types. */
export function serveFetch(handle: Handler): Server {
  return createServer((request, response) => void answer(handle, request, response));
}

async function answer(handle: Handler, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const aborted = new AbortController();
  response.on("close", () => aborted.abort());
  const { method = "GET", headers } = request;
  const body = method === "POST" ? new Uint8Array(await buffer(request)) : null;
  const init = { method, headers: headers as Record<string, string>, signal: aborted.signal, body };
  const answer = await handle(new Request(`http://${headers.host}${request.url}`, init));
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.flushHeaders();
  for await (const chunk of answer.body ?? []) response.write(chunk);
  response.end();
}

/** Serves the first generation over HTTP: one server for each session. Without its transport, a session is unknown. */
export function serveFirst(): {
  readonly http: Server;
  readonly transports: Map<string, StreamableHTTPServerTransport>;
  readonly servers: V1[];
} {
  const transports = new Map<string, StreamableHTTPServerTransport>();
  const servers: V1[] = [];
  const http = createServer(async (request, response) => {
    const session = request.headers["mcp-session-id"];
    let transport = transports.get(String(session));
    if (!transport && session !== undefined) return void response.writeHead(404).end();
    if (!transport) {
      const sessionIdGenerator = () => randomUUID();
      const onsessioninitialized = (id: string) => void transports.set(id, transport!);
      transport = new StreamableHTTPServerTransport({ sessionIdGenerator, onsessioninitialized });
      const server = first();
      servers.push(server);
      await server.connect(transport as never);
    }
    await transport.handleRequest(request, response);
  });
  return { http, transports, servers };
}

if (import.meta.main) {
  const [name, port] = process.argv.slice(2);
  if (port !== undefined) {
    const http = name === "v2" ? serveFetch(v2.createMcpHandler(second).fetch) : serveFirst().http;
    http.listen(Number(port), "127.0.0.1");
  } else if (name === "v2") serveStdio(second);
  else await first().connect(new StdioServerTransport());
}
