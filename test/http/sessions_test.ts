/** Which sessions are served? Any that was signed with a key of this server, by whichever it was begun, until its time is over. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemorySessionStore } from "../../lib/http/mod.ts";
import { handshake } from "../harness/program.ts";
import { HttpClient, serve, untilTrue } from "./client.ts";

const KEY = new Uint8Array(32).fill(7);

test("what names no session, or none that there is, is refused with the status that says what to do", async (t) => {
  const served = await serve(t);
  const client = await new HttpClient(served, "2025-11-25").start();
  const list = client.request("resources/list");
  const [body, mark] = client.session!.split(".") as [string, string];
  const altered = `${
    btoa(atob(body.replaceAll("-", "+").replaceAll("_", "/")).replace("2025-11-25", "2025-06-18")).replaceAll(
      "+",
      "-",
    ).replaceAll("/", "_").replace(/=+$/, "")
  }.${mark}`;
  const rows: [string, Record<string, string | undefined>, number][] = [
    ["none", { "mcp-session-id": undefined }, 400],
    ["a made-up one", { "mcp-session-id": "made-up" }, 404],
    ["an empty one", { "mcp-session-id": "" }, 404],
    ["a long one", { "mcp-session-id": "x".repeat(9000) }, 404],
    ["one with another content", { "mcp-session-id": altered }, 404],
    ["one with another signature", { "mcp-session-id": `${body}.${mark.slice(0, -2)}AA` }, 404],
    ["one without a signature", { "mcp-session-id": `${body}.` }, 404],
    ["two of them", { "mcp-session-id": client.session, "Mcp-Session-Id": client.session }, 404],
    ["a revision that nobody knows", { "mcp-protocol-version": "1999-01-01" }, 400],
    ["no revision", { "mcp-protocol-version": undefined }, 200],
  ];
  for (const [name, fields, status] of rows) {
    const answered = await client.post(list, fields);
    assert.equal(answered.status, status, `${name}: ${answered.body}`);
    if (status !== 200) assert.equal("id" in answered.json, false, name);
  }
});

test("any server with the same key and store serves any session, whichever began it", async (t) => {
  const sessionStore = new MemorySessionStore();
  const [one, other] = [
    await serve(t, { sessionStore }, { keys: [KEY] }),
    await serve(t, { sessionStore }, { keys: [new Uint8Array(32).fill(8), KEY] }),
  ];
  const client = await new HttpClient(one, "2025-06-18").start({ sampling: {} });
  const elsewhere = new HttpClient(other, "2025-06-18");
  elsewhere.session = client.session;
  assert.ok((await elsewhere.ask("resources/list"))["result"]);
  // What is subscribed to here is told there.
  const notices = await elsewhere.listen();
  assert.ok((await client.ask("resources/subscribe", { uri: "doc:a" }))["result"]);
  other.source.update("doc:a", "doc:b");
  assert.deepEqual((await notices.take(1)).map(({ params }) => params), [{ uri: "doc:a" }]);
  // And what is ended here is over there.
  assert.equal((await one.send("DELETE", { "mcp-session-id": client.session })).status, 204);
  assert.equal((await elsewhere.post(elsewhere.request("ping"))).status, 404);
  const stranger = await serve(t);
  assert.equal(
    (await stranger.send("GET", { accept: "text/event-stream", "mcp-session-id": client.session })).status,
    404,
  );
});

test("while a key is replaced step by step, sessions of servers before a step and after it are served by either", async (t) => {
  const [old, fresh] = [KEY, new Uint8Array(32).fill(9)];
  const steps = [[old], [old, fresh], [fresh, old], [fresh]];
  const servers = await Promise.all(steps.map((keys) => serve(t, {}, { keys })));
  const ping = async (client: HttpClient, at: number) => {
    const elsewhere = new HttpClient(servers[at]!, "2025-11-25");
    elsewhere.session = client.session;
    return (await elsewhere.post(elsewhere.request("ping"))).status;
  };
  const clients = await Promise.all(
    servers.map((served) => new HttpClient(served, "2025-11-25").start()),
  );
  for (const [at, client] of clients.entries()) {
    // Before the last step it is waited until what the old key has signed is over.
    for (const other of [at - 1, at, at + 1].filter((step) => step in steps)) {
      assert.equal(await ping(client, other), 200, `begun at step ${at}, used at step ${other}`);
    }
  }
  assert.equal(await ping(clients[2]!, 0), 404, "no step can be left out");
});

test("a session is over when its time is", async (t) => {
  const served = await serve(t, { sessionLifetimeMs: 1 }, { keys: [KEY] });
  const client = new HttpClient(served, "2025-11-25");
  const answered = await client.post({
    jsonrpc: "2.0",
    id: 0,
    method: "initialize",
    params: handshake("2025-11-25"),
  });
  client.session = answered.headers.get("mcp-session-id");
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal((await client.post(client.request("ping"))).status, 404);
  // Also where it was never seen.
  const other = await serve(t, {}, { keys: [KEY] });
  assert.equal((await other.send("DELETE", { "mcp-session-id": client.session })).status, 404);
});

test("the stream of a session ends when the time of the session is over, told of anything or not", async (t) => {
  for (const keepAliveMs of [100, 600_000]) {
    const served = await serve(t, { sessionLifetimeMs: 2000, keepAliveMs });
    const client = await new HttpClient(served, "2025-06-18").start();
    const stream = await client.listen();
    assert.equal(stream.status, 200);
    if (keepAliveMs > 2000) {
      await untilTrue("it is over", () => {
        if (!stream.isOver) served.source.relist();
        return stream.isOver;
      });
      // Until then it was told.
      assert.ok(stream.messages().length > 0);
    }
    await stream.whole();
    assert.equal(served.source.listeners.size, 0);
    assert.equal((await client.post(client.request("ping"))).status, 404);
    assert.deepEqual(served.failures, []);
  }
});
