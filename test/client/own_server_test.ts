/** Do our client and our server understand each other, over every carrier and in both eras? */

import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import type { TestContext } from "node:test";
import type { Server } from "../../lib/server/server.ts";
import type { Transport } from "../../lib/transport/transport.ts";
import { connect, httpTransport } from "../../lib/client/mod.ts";
import { listenHttp } from "../../lib/http/mod.ts";
import { resourceProvider } from "../../lib/server/resource_provider.ts";
import { createServer } from "../../lib/server/server.ts";
import { defineTool } from "../../lib/server/tool.ts";
import { memoryTransports } from "../../lib/transport/memory.ts";
import { listenTcp, tcpTransport } from "../../lib/transport/tcp.ts";
import { Source } from "../server/conversation.ts";

type Carry = (test: TestContext, server: Server) => Promise<Transport>;

const MAX_LINE_BYTES = 64 * 1024 * 1024;

const CARRIERS: Readonly<Record<string, Carry>> = {
  memory: async (_, server) => {
    const [near, far] = memoryTransports();
    await server.connect(far);
    return near;
  },
  TCP: async (t, server) => {
    const listener = await listenTcp({ port: 0 }, {
      onconnection: (transport) => void server.connect(transport),
    });
    t.after(() => listener.stop());
    return await tcpTransport(listener.address, { maxLineBytes: MAX_LINE_BYTES });
  },
  "a Unix domain socket": async (t, server) => {
    const path = join(tmpdir(), `architrave-${process.pid}-${crypto.randomUUID().slice(0, 8)}`);
    const listener = await listenTcp({ path }, {
      onconnection: (transport) => void server.connect(transport),
    });
    t.after(() => listener.stop());
    return await tcpTransport(listener.address, { maxLineBytes: MAX_LINE_BYTES });
  },
  HTTP: async (t, server) => {
    const listening = await listenHttp(server, { port: 0 });
    t.after(() => listening.close());
    return httpTransport(listening.url) as unknown as Transport;
  },
};

/** A server that asks, tells how far it is, and has resources that change. */
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
      return { booked: action === "accept" ? `${content.name} at ${roots[0]?.uri}` : "nobody" };
    },
  });
  const server = createServer({
    info: { name: "own", version: "1" },
    resources: [
      source.resources(),
      resourceProvider({
        resources: ["a", "b"].map((name) => ({ uri: `note:${name}`, name, read: () => name })),
      }),
    ],
    pageSize: 1,
    tools: [book],
    logging: true,
  });
  return { server, source };
}

for (const [carrier, carry] of Object.entries(CARRIERS)) {
  const skip = process.platform === "win32" && carrier.startsWith("a Unix") ? "not on Windows" : false;
  for (const era of ["legacy", "modern"] as const) {
    test(`our client uses our server over ${carrier}, ${era}`, { skip }, async (t) => {
      const { server, source } = makeServer();
      const steps: number[] = [];
      const client = await connect(await carry(t, server) as never, {
        info: { name: "test", version: "1" },
        era,
        onform: ({ message }) => ({ action: "accept", content: { name: message.replace(/\D/g, "") } }),
        roots: [{ uri: "file:///work", name: "work" }],
      });
      t.after(() => client.close());
      assert.equal(client.version, era === "modern" ? "2026-07-28" : "2025-11-25");
      const { structuredContent } = await client.callTool("book", { seats: 3 }, {
        onprogress: ({ progress }) => void steps.push(progress),
      });
      assert.deepEqual(structuredContent, { booked: "3 at file:///work" });
      assert.ok(steps.includes(1));

      const uris: string[] = [];
      for await (const { uri } of client.resources()) uris.push(uri);
      assert.deepEqual(uris, ["note:a", "note:b"]);
      assert.equal((await client.readResource("note:b")).contents[0]!.text, "b");
      await assert.rejects(client.readResource("doc:nothing"), /not found/);

      const changes = await client.listen({ resources: true });
      source.relist();
      for await (const change of changes) {
        assert.equal(change.type, "resources");
        break;
      }
    });
  }
}
