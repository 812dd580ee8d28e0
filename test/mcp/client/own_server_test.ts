/** Our client and our server, over HTTP and in both eras. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Progress } from "../../../lib/mcp/client/mod.ts";
import { httpTransport } from "../../../lib/mcp/client/mod.ts";
import { listenHttp } from "../../../lib/mcp/http/mod.ts";
import { resourceProvider } from "../../../lib/mcp/server/resource_provider.ts";
import { createServer } from "../../../lib/mcp/server/server.ts";
import { defineTool } from "../../../lib/mcp/server/define_tool.ts";
import { Source } from "../server/tool_client.ts";
import { all, connected, INFO } from "../../harness/scripted_server.ts";

/** Asks for input, and reports progress. */
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

for (const era of ["legacy", "modern"] as const) {
  test(`our client uses our server over HTTP, ${era}`, async (t) => {
    const source = new Source();
    const server = createServer({
      info: INFO,
      resources: [source.resources(), resourceProvider({ resources: notes })],
      pageSize: 1,
      tools: [book],
    });
    const listening = await listenHttp(server, { port: 0 });
    t.after(() => listening.close());
    const steps: number[] = [];
    const { client } = await connected(t, httpTransport(listening.url), {
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
