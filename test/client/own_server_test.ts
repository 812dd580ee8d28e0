/** Our client and our server, over every transport and in both eras. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import type { Progress } from "../../lib/client/mod.ts";
import type { Server } from "../../lib/server/server.ts";
import type { Transport } from "../../lib/transport/transport.ts";
import { httpTransport } from "../../lib/client/mod.ts";
import { listenHttp } from "../../lib/http/mod.ts";
import { resourceProvider } from "../../lib/server/resource_provider.ts";
import { createServer } from "../../lib/server/server.ts";
import { defineTool } from "../../lib/server/tool.ts";
import { memoryTransports } from "../../lib/transport/stream.ts";
import { listenTcp, tcpTransport } from "../../lib/transport/tcp.ts";
import { Source } from "../server/tool_client.ts";
import { all, connected } from "./scripted_server.ts";

type Connect = (t: TestContext, server: Server) => Promise<Transport>;

const TRANSPORTS: Readonly<Record<string, Connect>> = {
  memory: async (_, server) => {
    const [near, far] = memoryTransports();
    await server.connect(far);
    return near;
  },
  TCP: async (t, server) => {
    const onconnection = (transport: Transport) => void server.connect(transport);
    const listener = await listenTcp({ port: 0 }, { onconnection });
    t.after(() => listener.stop());
    return await tcpTransport(listener.address, { maxLineBytes: 64 * 1024 * 1024 });
  },
  HTTP: async (t, server) => {
    const listening = await listenHttp(server, { port: 0 });
    t.after(() => listening.close());
    return httpTransport(listening.url);
  },
};

/** A server that asks for input, reports progress, and has resources that change. */
function makeServer(): { server: Server; source: Source } {
  const source = new Source();
  const book = defineTool({
    name: "book",
    inputSchema: { type: "object", properties: { seats: { type: "integer" } }, required: ["seats"] },
    outputSchema: { type: "object", properties: { booked: { type: "string" } }, required: ["booked"] },
    handler: async ({ seats }, context) => {
      context.progress(1, 2);
      const { action, content } = await context.elicit({
        message: `Who takes ${seats} seats?`,
        schema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
      });
      const roots = await context.listRoots();
      return { booked: action === "accept" ? `${content.name} at ${roots[0]?.uri}` : "no one" };
    },
  });
  const notes = ["a", "b"].map((name) => ({ uri: `note:${name}`, name, read: () => name }));
  const server = createServer({
    info: { name: "own", version: "1" },
    resources: [source.resources(), resourceProvider({ resources: notes })],
    pageSize: 1,
    tools: [book],
    logging: true,
  });
  return { server, source };
}

for (const [name, toServer] of Object.entries(TRANSPORTS)) {
  for (const era of ["legacy", "modern"] as const) {
    test(`our client uses our server over ${name}, ${era}`, async (t) => {
      const { server, source } = makeServer();
      const steps: number[] = [];
      const { client } = await connected(t, await toServer(t, server), {
        era,
        onform: ({ message }) => ({ action: "accept", content: { name: message.replace(/\D/g, "") } }),
        roots: [{ uri: "file:///work", name: "work" }],
      });
      assert.equal(client.version, era === "modern" ? "2026-07-28" : "2025-11-25");
      const onprogress = ({ progress }: Progress) => void steps.push(progress);
      const { structuredContent } = await client.callTool("book", { seats: 3 }, { onprogress });
      assert.deepEqual(structuredContent, { booked: "3 at file:///work" });
      assert.ok(steps.includes(1));

      assert.deepEqual((await all(client.resources())).map(({ uri }) => uri), ["note:a", "note:b"]);
      assert.equal((await client.readResource("note:b")).contents[0]!.text, "b");
      await assert.rejects(client.readResource("doc:nothing"), /not found/);

      const changes = await client.listen({ resources: true });
      source.relist();
      assert.deepEqual(await all(changes, 1), [{ type: "resources" }]);
    });
  }
}
