/** Is a client served that shook hands, within its session and over all the streams that it may have? */

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemorySessionStore } from "../../lib/http/mod.ts";
import { defineTool } from "../../lib/server/tool.ts";
import { handshake } from "../harness/program.ts";
import { HttpClient, LEGACY, serve, untilTrue } from "./client.ts";

const codeOf = (answer: Record<string, unknown>) => (answer["error"] as { code: number } | undefined)?.code;

test("every revision with a handshake gets a session, and is served in it", async (t) => {
  const served = await serve(t);
  for (const version of LEGACY) {
    const client = await new HttpClient(served, version).start();
    assert.match(client.session!, /^[\x21-\x7e]{1,4096}$/);
    const { result } = await client.ask("resources/read", { uri: "test://a" });
    assert.deepEqual(result, { contents: [{ uri: "test://a", text: "Grüße" }] });
    assert.equal(codeOf(await client.ask("no/such")), -32601);
    assert.equal(codeOf(await client.ask("ping")), undefined);
    const told = await client.post({ jsonrpc: "2.0", method: "notifications/roots/list_changed" });
    assert.equal(told.status, 202);
    assert.equal(told.body, "");
  }
});

test("a handshake for a revision that nobody knows is answered with the newest one", async (t) => {
  const client = await new HttpClient(await serve(t), "2099-01-01").start();
  client.fields = { "mcp-protocol-version": "2025-11-25" };
  assert.ok((await client.ask("resources/list"))["result"]);
});

test("a session that its client has ended is over, for every request and every stream of it", async (t) => {
  const served = await serve(t);
  const client = await new HttpClient(served, "2025-11-25").start();
  const notices = await client.listen();
  await notices.until("the priming event", () => notices.events().length > 0);
  const wait = await beginWait(served, client);
  const ended = await served.send("DELETE", { "mcp-session-id": client.session });
  assert.equal(ended.status, 204);
  await notices.whole();
  await wait.whole();
  assert.equal(wait.messages().some((message) => "result" in message), false);
  assert.ok(served.waiting[0]!.signal.aborted);
  assert.equal((await client.post(client.request("ping"))).status, 404);
  assert.equal((await client.listen()).status, 404);
  assert.equal((await served.send("DELETE", { "mcp-session-id": client.session })).status, 404);
  assert.equal(served.source.listeners.size, 0);
});

test("what changes is told on the stream that the client opened last, and nothing twice", async (t) => {
  const served = await serve(t);
  const client = await new HttpClient(served, "2025-11-25").start();
  const first = await client.listen();
  const second = await client.listen();
  await first.whole();
  served.source.relist();
  const told = await second.take(1);
  assert.equal(told[0]!["method"], "notifications/resources/list_changed");
  assert.deepEqual(first.messages(), []);
  assert.equal((await client.listen({ accept: "application/json" })).status, 406);
});

test("who comes back to a stream gets what was told meanwhile, and only that", async (t) => {
  const served = await serve(t);
  const client = await new HttpClient(served, "2025-06-18").start();
  await client.ask("resources/subscribe", { uri: "doc:a" });
  const stream = await client.listen();
  served.source.relist();
  await stream.take(1);
  const last = stream.events().at(-1)!["id"]!;
  stream.socket.destroy();
  await new Promise((resolve) => setTimeout(resolve, 50));
  served.source.update("doc:a");
  await new Promise((resolve) => setTimeout(resolve, 1100));
  const again = await client.listen({ "last-event-id": last });
  const told = await again.take(1);
  assert.equal(told[0]!["method"], "notifications/resources/updated");
  assert.equal(told.length, 1);
  const unknown = await client.listen({ "last-event-id": "a0xyz1-3" });
  assert.equal(unknown.status, 400);
  const forgotten = await client.listen({ "last-event-id": "n0xyz1-3" });
  assert.equal(forgotten.status, 200, "what is told unasked goes on");
});

test("an answer that got lost with its connection is there for who comes back, and for nobody else", async (t) => {
  const served = await serve(t);
  const client = await new HttpClient(served, "2025-11-25").start();
  const stream = await beginWait(served, client);
  assert.equal(stream.events()[0]!["data"], "");
  const last = stream.events().at(-1)!["id"]!;
  stream.socket.destroy();
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.equal(served.waiting[0]!.signal.aborted, false, "a lost connection cancels nothing");
  served.waiting[0]!.finish();
  const stranger = await new HttpClient(served, "2025-11-25").start();
  assert.equal((await stranger.listen({ "last-event-id": last })).status, 400);
  const again = await (await client.listen({ "last-event-id": last })).whole();
  const messages = again.messages();
  assert.equal(messages.length, 1);
  assert.deepEqual((messages[0] as { result: unknown }).result, {
    content: [{ type: "text", text: "waited" }],
  });
});

test("a handler lets go of the connection, and the client comes back for the answer", async (t) => {
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

  const older = await new HttpClient(served, "2025-06-18").start();
  assert.ok(
    (await older.ask("tools/call", { name: "later" }))["result"],
    "who cannot come back is not sent away",
  );
});

test("a stream opens with an empty event from 2025-11-25 on, and in no revision before", async (t) => {
  for (const version of LEGACY) {
    // What is told within a second is told together, so each has a server of its own.
    const served = await serve(t);
    const client = await new HttpClient(served, version).start();
    const stream = await client.listen();
    served.source.relist();
    await stream.take(1);
    const primed = stream.events().filter(({ data }) => data === "");
    assert.equal(primed.length, version === "2025-11-25" ? 1 : 0, version);
    stream.socket.destroy();
  }
});

test("a request is cancelled by a notification, and its stream ends without an answer", async (t) => {
  const served = await serve(t);
  const client = await new HttpClient(served, "2025-11-25").start();
  const wait = await beginWait(served, client);
  const taken = await client.post({
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId: "w", reason: "enough" },
  });
  assert.equal(taken.status, 202);
  await wait.whole();
  assert.ok(served.waiting[0]!.signal.aborted);
  assert.equal(served.waiting[0]!.signal.reason.message, "enough");
  assert.equal(wait.messages().some((message) => "result" in message), false);
});

test("a second request with an id that is at work is refused", async (t) => {
  const served = await serve(t);
  const client = await new HttpClient(served, "2025-11-25").start();
  const wait = await beginWait(served, client);
  const second = await client.post(client.request("ping", {}, "w"));
  assert.equal(second.status, 400);
  assert.equal(codeOf(second.json), -32600);
  served.waiting[0]!.finish();
  await wait.whole();
});

test("batches are answered together in 2025-03-26, and refused in every other revision", async (t) => {
  const served = await serve(t);
  for (const version of LEGACY) {
    const client = await new HttpClient(served, version).start();
    const batch = [
      client.request("ping", {}, 1),
      { jsonrpc: "2.0", method: "notifications/x" },
      7,
      client.request("no/such", {}, 2),
      client.request("initialize", handshake(version), 3),
    ];
    const answered = await client.post(batch);
    if (version !== "2025-03-26") {
      assert.equal(answered.status, 400, version);
      continue;
    }
    assert.equal(answered.status, 200);
    const answers = JSON.parse(answered.body) as { id: unknown; error?: { code: number } }[];
    assert.deepEqual(answers.map(({ id, error }) => [id, error?.code]), [[1, undefined], [null, -32600], [
      2,
      -32601,
    ], [3, -32600]]);
    const notices = await client.post([{ jsonrpc: "2.0", method: "notifications/x" }]);
    assert.equal(notices.status, 202);
    assert.equal(notices.body, "");
    assert.equal((await client.post([])).status, 400);
    assert.equal(
      (await client.post(Array.from({ length: 101 }, (_, id) => client.request("ping", {}, id)))).status,
      400,
    );
  }
});

test("an answer that nobody waits for leaves nothing in its batch unanswered, and alone it is refused", async (t) => {
  const client = await new HttpClient(await serve(t), "2025-03-26").start();
  const late = { jsonrpc: "2.0", id: "asked long ago", result: {} };
  const answered = await client.post([late, client.request("ping", {}, 1), late]);
  assert.equal(answered.status, 200);
  assert.deepEqual(JSON.parse(answered.body), [{ jsonrpc: "2.0", id: 1, result: {} }]);
  const alone = await client.post([late, { jsonrpc: "2.0", method: "notifications/x" }]);
  assert.equal(alone.status, 400);
  assert.match(alone.body, /No request waits for this response/);
});

test("the level of the log is of the session, whichever request set it", async (t) => {
  const store = new MemorySessionStore();
  const served = await serve(t, { sessionStore: store });
  const client = await new HttpClient(served, "2025-11-25").start();
  assert.ok((await client.ask("logging/setLevel", { level: "error" }))["result"]);
  assert.ok((await client.ask("resources/subscribe", { uri: "doc:a" }))["result"]);
  assert.ok((await client.ask("resources/subscribe", { uri: "doc:b" }))["result"]);
  assert.ok((await client.ask("resources/unsubscribe", { uri: "doc:a" }))["result"]);
  const [id] = JSON.parse(atob(client.session!.split(".")[0]!.replaceAll("-", "+").replaceAll("_", "/"))) as [
    string,
  ];
  assert.deepEqual(store.get(id), new Map([["logLevel", "error"], ["uri:doc:b", "1"]]));
});

/** Calls the tool that waits, on a stream that has begun. */
async function beginWait(served: Awaited<ReturnType<typeof serve>>, client: HttpClient) {
  const before = served.waiting.length;
  const stream = await client.begin({
    jsonrpc: "2.0",
    id: "w",
    method: "tools/call",
    params: { name: "wait", arguments: { tell: true }, _meta: { progressToken: 1 } },
  });
  await untilTrue("it is at work", () => served.waiting.length > before);
  await stream.take(1);
  return stream;
}
