/** Streams over HTTP: which one is told, what a client that comes back gets, and what a closed connection means. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemorySessionStore } from "../../lib/http/mod.ts";
import { defineTool } from "../../lib/server/mod.ts";
import { modern } from "../harness/program.ts";
import { Source } from "../server/conversation.ts";
import type { Served } from "./client.ts";
import { HttpClient, LEGACY, serve, untilTrue } from "./client.ts";
import { open, requestOf } from "./raw.ts";

/** Calls the tool that waits, on a stream that has begun. */
async function beginWait(served: Served, client: HttpClient) {
  const before = served.waiting.length;
  const params = { name: "wait", arguments: { tell: true }, _meta: { progressToken: 1 } };
  const stream = await client.begin({ jsonrpc: "2.0", id: "w", method: "tools/call", params });
  await untilTrue("it is at work", () => served.waiting.length > before);
  await stream.take(1);
  return stream;
}

test("a name that came twice in the head of a request is refused", async (t) => {
  const client = new HttpClient(await serve(t));
  const read = client.request("resources/read", { uri: "test://a" });
  const answered = await client.post(read, { "mcp-name": "test://a", "Mcp-Name": "test://a" });
  assert.deepEqual([answered.status, (answered.json["error"] as { code: number }).code], [400, -32020]);
});

test("a stream of 2026-07-28 cannot be resumed, and ends with its connection", async (t) => {
  const served = await serve(t);
  const client = new HttpClient(served);
  const notifications = { resourcesListChanged: true, resourceSubscriptions: ["doc:a"] };
  const stream = await client.begin(client.request("subscriptions/listen", { notifications }, "s"));
  await stream.take(1);
  served.source.relist();
  const [, told] = await stream.take(2);
  assert.equal(told!["method"], "notifications/resources/list_changed");
  for (const event of stream.events()) assert.deepEqual(Object.keys(event), ["event", "data"], "no id");
  client.check(stream);
  assert.equal(served.source.listeners.size, 1);
  stream.socket.destroy();
  await untilTrue("the stream is over", () => served.source.listeners.size === 0);
});

test("a client of 2026-07-28 that closes the connection has cancelled the request, whether its answer had begun or not", async (t) => {
  // Far longer than the test: it must be noticed before a slow answer becomes a stream to keep it open.
  const served = await serve(t, { keepAliveMs: 600_000 });
  const client = new HttpClient(served);
  // Where the body comes after the head, Deno does not look whether the client is still there.
  for (const [tell, isSplit] of [[false, false], [false, true], [true, false], [true, true]] as const) {
    const params = modern({ name: "wait", arguments: { tell } }) as { _meta: object };
    const message = {
      ...client.request("tools/call"),
      params: { ...params, _meta: { ...params._meta, progressToken: 1 } },
    };
    const before = served.waiting.length;
    const body = JSON.stringify(message);
    const bytes = requestOf("POST", "/mcp", { host: "localhost", ...client.fieldsOf(message) }, body);
    const answered = await open(served.port, isSplit ? bytes.subarray(0, -body.length) : bytes);
    if (isSplit) {
      // A round trip on another connection: the head has been read by then.
      await served.send("GET", {}, undefined, "/healthz");
      answered.socket.write(body);
    }
    await untilTrue("it is at work", () => served.waiting.length > before);
    if (tell) await answered.take(1);
    answered.socket.destroy();
    await untilTrue("it is cancelled", () => served.waiting.at(-1)!.signal.aborted);
  }
});

test("changes are told on the stream that the client of a session opened last, which begins with an empty event from 2025-11-25 on", async (t) => {
  for (const version of LEGACY) {
    // What is told within a second is told together, so each revision has a server of its own.
    const served = await serve(t);
    const client = await new HttpClient(served, version).start();
    const first = await client.listen();
    const second = await client.listen();
    await first.whole();
    served.source.relist();
    const [told] = await second.take(1);
    assert.equal(told!["method"], "notifications/resources/list_changed");
    assert.deepEqual(first.messages(), []);
    const primed = second.events().filter(({ data }) => data === "");
    assert.equal(primed.length, version === "2025-11-25" ? 1 : 0, version);
    assert.equal((await client.listen({ accept: "application/json" })).status, 406);
    second.socket.destroy();
  }
});

test("a client that comes back to a stream gets what was told meanwhile, and only that", async (t) => {
  const prompts = new Source();
  const served = await serve(t, {}, { prompts: [prompts.prompts()] });
  const client = await new HttpClient(served, "2025-06-18").start();
  await client.ask("resources/subscribe", { uri: "doc:a" });
  const stream = await client.listen();
  prompts.relist();
  await stream.take(1);
  const last = stream.events().at(-1)!["id"]!;
  stream.socket.destroy();
  served.source.update("doc:a");
  const again = await client.listen({ "last-event-id": last });
  const told = await again.take(1);
  assert.deepEqual(told.map(({ method }) => method), ["notifications/resources/updated"]);
  const unknown = await client.listen({ "last-event-id": "a0xyz1-3" });
  assert.equal(unknown.status, 400);
  const forgotten = await client.listen({ "last-event-id": "n0xyz1-3" });
  assert.equal(forgotten.status, 200, "notices go on");
});

test("an answer that was lost with its connection is kept for the client that comes back, and for no other", async (t) => {
  const served = await serve(t);
  const client = await new HttpClient(served, "2025-11-25").start();
  const stream = await beginWait(served, client);
  assert.equal(stream.events()[0]!["data"], "");
  const last = stream.events().at(-1)!["id"]!;
  stream.socket.destroy();
  const stranger = await new HttpClient(served, "2025-11-25").start();
  assert.equal((await stranger.listen({ "last-event-id": last })).status, 400);
  assert.equal(served.waiting[0]!.signal.aborted, false, "a lost connection cancels nothing");
  served.waiting[0]!.finish();
  const again = await (await client.listen({ "last-event-id": last })).whole();
  assert.deepEqual(again.messages(), [{
    jsonrpc: "2.0",
    id: "w",
    result: { content: [{ type: "text", text: "waited" }] },
  }]);
});

test("a handler closes the connection, and the client comes back for the answer", async (t) => {
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
  const client = await new HttpClient(served, "2025-11-25").start();
  const stream = await (await client.begin(client.request("tools/call", { name: "later" }))).whole();
  assert.deepEqual(stream.messages(), []);
  const last = stream.events().at(-1)!;
  assert.equal(last["data"], "");
  assert.ok(Number(last["retry"]) > 0);
  answer.resolve("at last");
  const again = await (await client.listen({ "last-event-id": last["id"]! })).whole();
  const [message] = again.messages() as { result: unknown }[];
  assert.deepEqual(message!.result, { content: [{ type: "text", text: "at last" }] });
  // A client that cannot come back is not sent away.
  const older = await new HttpClient(served, "2025-06-18").start();
  assert.ok((await older.ask("tools/call", { name: "later" }))["result"]);
});

test("the reason of a cancellation reaches the handler, and its stream ends without an answer", async (t) => {
  const served = await serve(t);
  const client = await new HttpClient(served, "2025-11-25").start();
  const wait = await beginWait(served, client);
  const params = { requestId: "w", reason: "enough" };
  await client.post({ jsonrpc: "2.0", method: "notifications/cancelled", params });
  await wait.whole();
  assert.equal(served.waiting[0]!.signal.reason.message, "enough");
  assert.equal(wait.messages().some((message) => "result" in message), false);
});

test("what a session sets is kept in the store, whichever request set it", async (t) => {
  const store = new MemorySessionStore();
  const client = await new HttpClient(await serve(t, { sessionStore: store }), "2025-11-25").start();
  for (
    const [method, params] of [
      ["logging/setLevel", { level: "error" }],
      ["resources/subscribe", { uri: "doc:a" }],
      ["resources/subscribe", { uri: "doc:b" }],
      ["resources/unsubscribe", { uri: "doc:a" }],
    ] as const
  ) assert.ok((await client.ask(method, params))["result"], method);
  const [id] = JSON.parse(atob(client.session!.split(".")[0]!.replaceAll("-", "+").replaceAll("_", "/"))) as [
    string,
  ];
  assert.deepEqual(store.get(id), new Map([["logLevel", "error"], ["uri:doc:b", "1"]]));
});
