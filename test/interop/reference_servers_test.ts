/**
 * What our client gets from the official servers while it is connected: changes, progress, and a new session when the server
 * has restarted. What it gets from single requests is in `side_by_side_test.ts`.
 */

import assert from "node:assert/strict";
import type { Server } from "node:http";
import process from "node:process";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { createMcpHandler } from "@modelcontextprotocol/server";
import type { Client, Connectable, Progress } from "../../lib/mcp/client/mod.ts";
import { connect, httpTransport, spawnTransport } from "../../lib/mcp/client/mod.ts";
import { second, serveFetch, serveFirst } from "./official_servers.ts";
import { closeNow, listenLocally } from "../harness/http.ts";
import { PACKAGES } from "./programs.ts";

async function open(t: TestContext, to: Connectable): Promise<Client> {
  const client = await connect(to, {
    info: { name: "test", version: "1" },
    eras: new Map(),
    onform: () => ({ action: "accept", content: { name: "Ada" } }),
  });
  t.after(() => client.close());
  return client;
}

/** Connects to a server that listens for the time of a test. */
async function openHttp(t: TestContext, server: Server): Promise<Client> {
  t.after(() => closeNow(server));
  return await open(t, httpTransport(`${await listenLocally(server)}/mcp`));
}

/** Calls a tool, and gives the progress that it reports. */
async function progressOf(client: Client, tool: string, args = {}): Promise<[number, number?][]> {
  const all: [number, number?][] = [];
  const onprogress = ({ progress, total }: Progress) =>
    void all.push(total === undefined ? [progress] : [progress, total]);
  await client.callTool(tool, args, { onprogress });
  return all;
}

/** The type of the first change. */
async function firstOf(changes: AsyncIterable<{ type: string }>): Promise<string> {
  for await (const { type } of changes) return type;
  throw new Error("There was no change");
}

const greetingOf = async (client: Client) => (await client.callTool("greet")).content[0]!.text;

test("the second generation over HTTP: no handshake, changes in a stream", async (t) => {
  const handler = createMcpHandler(second);
  t.after(() => handler.close());
  const client = await openHttp(t, serveFetch(handler.fetch));
  assert.deepEqual([client.era, client.version, client.server.info["name"]], ["modern", "2026-07-28", "v2"]);
  assert.equal(await greetingOf(client), "Hello Ada");
  const changes = await client.listen({ tools: true });
  assert.equal(changes.served.tools, true);
  handler.notify.toolsChanged();
  assert.equal(await firstOf(changes), "tools");
});

test("the first generation over HTTP: progress, notifications, and a new session after a restart", async (t) => {
  const { http, transports, servers } = serveFirst();
  const client = await openHttp(t, http);
  assert.deepEqual([client.era, client.version, client.server.info["name"]], ["legacy", "2025-11-25", "v1"]);
  assert.equal(await greetingOf(client), "Hello Ada");
  assert.deepEqual(await progressOf(client, "work"), [[1], [2]]);
  const changes = await client.listen({ tools: true });
  servers.at(-1)!.registerTool("later", { description: "Later" }, () => ({ content: [] }));
  assert.equal(await firstOf(changes), "tools");
  assert.ok((await Array.fromAsync(client.tools())).some(({ name }) => name === "later"));
  transports.clear();
  assert.equal(await greetingOf(client), "Hello Ada");
  assert.equal(transports.size, 1);
});

test("server-everything: progress and subscriptions", async (t) => {
  const args = [`${PACKAGES}@modelcontextprotocol/server-everything/dist/index.js`];
  const command = { command: process.execPath, args, onstderr: () => {} };
  const client = await open(t, await spawnTransport(command));
  const operation = { duration: 0.2, steps: 2 };
  assert.deepEqual(await progressOf(client, "trigger-long-running-operation", operation), [[1, 2], [2, 2]]);
  const changes = await client.subscribe("demo://resource/dynamic/text/1");
  assert.deepEqual(changes.served.uris, ["demo://resource/dynamic/text/1"]);
  changes.close();
});
