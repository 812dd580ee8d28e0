/** Our client and the official servers of both generations understand each other, over pipes and HTTP and in both eras. */

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import process from "node:process";
import { json } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { McpServer as V1Server } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { acceptedContent, createMcpHandler, inputRequired, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Client, ClientOptions, Connectable, Progress } from "../../lib/client/mod.ts";
import { connect, httpTransport, spawnTransport } from "../../lib/client/mod.ts";
import { closeNow, listenLocally } from "./programs.ts";

const properties = { name: { type: "string" as const } };
const requestedSchema = { type: "object" as const, properties, required: ["name"] };
const ELICITED = { message: "Who?", requestedSchema };
const text = (text: string) => ({ content: [{ type: "text" as const, text }] });

/** Serves HTTP for the time of a test. */
async function listen(
  t: TestContext,
  handle: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<string> {
  const server = createServer((request, response) => void handle(request, response));
  t.after(() => closeNow(server));
  return `${await listenLocally(server)}/mcp`;
}

async function open(t: TestContext, to: Connectable, options: Partial<ClientOptions> = {}): Promise<Client> {
  const client = await connect(to, {
    info: { name: "test", version: "1" },
    eras: new Map(),
    onform: () => ({ action: "accept", content: { name: "Ada" } }),
    ...options,
  });
  t.after(() => client.close());
  return client;
}

/** Keeps the progress that a call reports. */
function progressOf(): { all: Progress[]; onprogress: (report: Progress) => void } {
  const all: Progress[] = [];
  return { all, onprogress: (report) => void all.push(report) };
}

/** The type of the first change. */
async function firstOf(changes: AsyncIterable<{ type: string }>): Promise<string> {
  for await (const { type } of changes) return type;
  throw new Error("There was no change");
}

/** The official server of the second generation. */
function secondGeneration() {
  return createMcpHandler(() => {
    const server = new McpServer({ name: "v2", version: "1" });
    const schemas = {
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
    };
    server.registerTool("add", schemas, ({ a, b }) => {
      return { ...text(String(a + b)), structuredContent: { sum: a + b } };
    });
    server.registerTool("greet", { inputSchema: z.object({}) }, (_, { mcpReq }) => {
      const known = acceptedContent<{ name: string }>(mcpReq.inputResponses, "who");
      if (known) return text(`Hello ${known.name}`);
      return inputRequired({ inputRequests: { who: inputRequired.elicit(ELICITED) }, requestState: "state" });
    });
    server.registerResource("a", "x:a", {}, () => ({ contents: [{ uri: "x:a", text: "A" }] }));
    return server;
  });
}

test("the second generation over HTTP: no handshake, questions in answers, changes in a stream", async (t) => {
  const handler = secondGeneration();
  t.after(() => handler.close());
  const url = await listen(t, async (request, response) => {
    const aborted = new AbortController();
    response.on("close", () => aborted.abort());
    const { signal } = aborted;
    const method = request.method!;
    const headers = Object.entries(request.headers).map((
      [name, value],
    ): [string, string] => [name, String(value)]);
    const body = method === "POST" ? { body: JSON.stringify(await json(request)) } : {};
    const target = `http://${request.headers.host}${request.url}`;
    const answer = await handler.fetch(new Request(target, { method, headers, signal, ...body }));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    for await (const chunk of answer.body ?? []) response.write(chunk);
    response.end();
  });
  const client = await open(t, httpTransport(url));
  assert.deepEqual([client.era, client.version, client.server.info["name"]], ["modern", "2026-07-28", "v2"]);
  assert.deepEqual((await Array.fromAsync(client.tools())).map(({ name }) => name), ["add", "greet"]);
  assert.deepEqual((await client.callTool("add", { a: 1, b: 2 })).structuredContent, { sum: 3 });
  assert.equal((await client.callTool("greet")).content[0]!.text, "Hello Ada");
  assert.equal((await client.readResource("x:a")).contents[0]!.text, "A");
  const changes = await client.listen({ tools: true });
  assert.equal(changes.served.tools, true);
  handler.notify.toolsChanged();
  assert.equal(await firstOf(changes), "tools");
  const legacy = await open(t, httpTransport(url), { era: "legacy" });
  assert.equal(legacy.era, "legacy");
  assert.deepEqual((await legacy.callTool("add", { a: 1, b: 2 })).structuredContent, { sum: 3 });
});

test("the first generation over HTTP: a session, questions as requests, notifications, progress", async (t) => {
  const transports = new Map<string, StreamableHTTPServerTransport>();
  const servers: V1Server[] = [];
  const begin = async () => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void transports.set(id, transport),
    });
    const capabilities = { tools: { listChanged: true } };
    const server = new V1Server({ name: "v1", version: "1" }, { capabilities });
    server.registerTool("greet", { description: "Greets" }, async () => {
      return text(`Hello ${(await server.server.elicitInput(ELICITED)).content?.["name"]}`);
    });
    server.registerTool("work", { description: "Works" }, async ({ _meta, sendNotification }) => {
      for (const progress of [1, 2]) {
        const params = { progressToken: _meta!.progressToken!, progress };
        await sendNotification({ method: "notifications/progress", params });
      }
      return { content: [] };
    });
    servers.push(server);
    await server.connect(transport as never);
    return transport;
  };
  const url = await listen(t, async (request, response) => {
    const body = request.method === "POST" ? await json(request) as { method?: string } : undefined;
    const session = request.headers["mcp-session-id"];
    const transport = transports.get(String(session)) ??
      (body?.method === "initialize" ? await begin() : undefined);
    if (transport) await transport.handleRequest(request, response, body);
    else response.writeHead(session === undefined ? 400 : 404).end();
  });
  const client = await open(t, httpTransport(url));
  assert.deepEqual([client.era, client.version, client.server.info["name"]], ["legacy", "2025-11-25", "v1"]);
  assert.equal((await client.callTool("greet")).content[0]!.text, "Hello Ada");
  const { all, onprogress } = progressOf();
  await client.callTool("work", {}, { onprogress });
  assert.deepEqual(all.map(({ progress }) => progress), [1, 2]);
  const changes = await client.listen({ tools: true });
  servers[0]!.registerTool("later", { description: "Later" }, () => ({ content: [] }));
  assert.equal(await firstOf(changes), "tools");
  assert.ok((await Array.fromAsync(client.tools())).some(({ name }) => name === "later"));
  // The server restarts, and knows no session any more.
  transports.clear();
  assert.equal((await client.callTool("greet")).content[0]!.text, "Hello Ada");
  assert.equal(servers.length, 2);
});

test("server-everything: progress, completion and subscriptions", async (t) => {
  const main = new URL("node_modules/@modelcontextprotocol/server-everything/dist/index.js", import.meta.url);
  const command = { command: process.execPath, args: [fileURLToPath(main)], onstderr: () => {} };
  const client = await open(t, await spawnTransport(command));
  const { all, onprogress } = progressOf();
  await client.callTool("trigger-long-running-operation", { duration: 0.2, steps: 2 }, { onprogress });
  assert.deepEqual(all.map(({ progress, total }) => [progress, total]), [[1, 2], [2, 2]]);
  const reference = { type: "ref/prompt", name: "completable-prompt" } as const;
  assert.notEqual((await client.complete(reference, { name: "department", value: "" })).values.length, 0);
  const changes = await client.subscribe("demo://resource/dynamic/text/1");
  assert.deepEqual(changes.served.uris, ["demo://resource/dynamic/text/1"]);
  changes.close();
});
