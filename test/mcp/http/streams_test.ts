/** Streams: what is sent on which one, what a client gets that reconnects, and what a closed connection means. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { defineTool } from "../../../lib/mcp/server/mod.ts";
import { until } from "../../harness/process.ts";
import { Source } from "../server/tool_client.ts";
import { HttpClient, LEGACY, MODERN } from "../../harness/http_client.ts";
import { BY_NAME, serve } from "../../harness/http_server.ts";

/** Calls the tool `wait` so that its response begins with progress. */
const TELL = { arguments: { tell: true }, _meta: { progressToken: 1 } };

test("a client of 2026-07-28 cancels a request by closing its connection, before and after the response begins", async (t) => {
  // No keep-alive: the disconnect must be noticed before a slow response becomes a stream.
  const served = await serve(t, { keepAliveMs: 600_000 });
  const client = new HttpClient(served);
  for (const params of [{}, TELL]) {
    // A round trip on another connection: the server has read the head by then, and Deno no longer watches for the end.
    for (const beforeBody of [undefined, () => served.get("/healthz")]) {
      const answered = await client.wait(params, beforeBody);
      if (params === TELL) await answered.take(1);
      answered.socket.destroy();
      await until("the handler is cancelled", () => served.waiting.at(-1)!.signal.aborted);
    }
  }
});

test("changes are sent on the stream that a session opened last, which is primed from 2025-11-25 on", async (t) => {
  for (const version of LEGACY) {
    // Changes of a second are collected, so each revision has its own server.
    const served = await serve(t);
    const client = await served.client(version);
    const first = await client.listen();
    const second = await client.listen();
    await first.whole();
    served.source.relist();
    const [changed] = await second.take(1);
    assert.equal(changed!["method"], "notifications/resources/list_changed");
    assert.deepEqual(first.messages(), []);
    const primed = second.events().filter(({ data }) => data === "");
    assert.equal(primed.length, version === "2025-11-25" ? 1 : 0, version);
    assert.equal((await client.listen({ accept: "application/json" })).status, 406);
    second.socket.destroy();
  }
});

test("a client that reconnects gets the notifications that it missed, and only those", async (t) => {
  const prompts = new Source();
  const served = await serve(t, {}, { prompts: [prompts.prompts()] });
  const client = await served.client("2025-06-18");
  await client.ask("resources/subscribe", { uri: "doc:a" });
  const stream = await client.listen();
  prompts.relist();
  await stream.take(1);
  stream.socket.destroy();
  served.source.update("doc:a");
  const again = await client.listen({ "last-event-id": stream.events().at(-1)!["id"] });
  const missed = await again.take(1);
  assert.deepEqual(missed.map(({ method }) => method), ["notifications/resources/updated"]);
  assert.equal((await client.listen({ "last-event-id": "a0xyz1-3" })).status, 400, "an unknown response");
  assert.equal((await client.listen({ "last-event-id": "n0xyz1-3" })).status, 200, "notifications go on");
});

test("a response that was lost with its connection is kept for its session only", async (t) => {
  const served = await serve(t);
  const client = await served.client("2025-11-25");
  const stream = await client.wait(TELL);
  await stream.take(1);
  assert.equal(stream.events()[0]!["data"], "");
  const last = { "last-event-id": stream.events().at(-1)!["id"] };
  stream.socket.destroy();
  const stranger = await served.client("2025-11-25");
  assert.equal((await stranger.listen(last)).status, 400);
  assert.equal(served.waiting[0]!.signal.aborted, false, "a lost connection cancels nothing");
  served.waiting[0]!.finish();
  const again = await (await client.listen(last)).whole();
  const result = { content: [{ type: "text", text: "waited" }] };
  assert.deepEqual(again.messages(), [{ jsonrpc: "2.0", id: "w", result }]);
});

test("responses that a client does not fetch are dropped for its own ones, not for those of others", async (t) => {
  const served = await serve(t, BY_NAME);
  const args = { text: "x", times: 1_000_000, tell: true };
  const lastEvents = async (client: HttpClient) => {
    const params = { name: "echo", arguments: args, _meta: { progressToken: 1 } };
    const answered = await (await client.begin(client.request("tools/call", params))).whole();
    return { "last-event-id": /^id: (.*)$/m.exec(answered.body)![1] };
  };
  const other = await served.client("2025-11-25", "other");
  const wanted = await lastEvents(other);
  // 70 MB, of which the client may have 32 MiB, in several sessions.
  const own = [];
  for (let session = 0; session < 7; session++) {
    const client = await served.client("2025-11-25", "greedy");
    for (let count = 0; count < 10; count++) own.push({ client, last: await lastEvents(client) });
  }
  const again = await (await other.listen(wanted)).whole();
  assert.match(again.body, /"result":/);
  const resumed = await Promise.all(
    own.map(async ({ client, last }) => (await client.listen(last)).status === 200),
  );
  assert.ok(resumed.lastIndexOf(false) < resumed.indexOf(true), "its oldest are dropped");
  assert.ok(resumed.filter(Boolean).length > 25, "it has half of what is kept");
});

test("closeStream() closes the connection of a client that can resume, which reconnects for the result", async (t) => {
  const answer = Promise.withResolvers<string>();
  const later = defineTool({
    name: "later",
    inputSchema: { type: "object" },
    handler: (_args, { closeStream }) => {
      closeStream();
      return answer.promise;
    },
  });
  const served = await serve(t, {}, { tools: [later] });
  const client = await served.client("2025-11-25");
  const stream = await (await client.begin(client.request("tools/call", { name: "later" }))).whole();
  assert.deepEqual(stream.messages(), []);
  const last = stream.events().at(-1)!;
  assert.equal(last["data"], "");
  assert.ok(Number(last["retry"]) > 0);
  answer.resolve("at last");
  const again = await (await client.listen({ "last-event-id": last["id"] })).whole();
  const [message] = again.messages();
  assert.deepEqual(message!["result"], { content: [{ type: "text", text: "at last" }] });
  const older = await served.client("2025-06-18");
  assert.ok((await older.ask("tools/call", { name: "later" }))["result"], "its stream cannot be resumed");
});

test("a server that closes answers the requests that it gives up", async (t) => {
  for (const version of [MODERN, "2025-11-25"]) {
    for (const params of [{}, TELL]) {
      const served = await serve(t, { graceMs: 20 });
      const client = await served.client(version);
      const answered = await client.wait(params);
      await served.close();
      const last = (await answered.whole()).messages().at(-1) as {
        error?: { code: number; message: string };
      };
      assert.deepEqual(last.error, { code: -32603, message: "The server is shutting down" }, version);
      assert.ok(served.waiting[0]!.signal.aborted);
    }
  }
});
