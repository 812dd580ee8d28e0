/** What can somebody do who means no good? Bodies and heads that never end, readers that never read, what is no message. */

import assert from "node:assert/strict";
import { once } from "node:events";
import process from "node:process";
import { test } from "node:test";
import { MAX_SUBSCRIPTIONS } from "../../lib/server/subscriptions.ts";
import { modern, ON_DENO } from "../harness/program.ts";
import type { Served } from "./client.ts";
import { HttpClient, serve, untilTrue } from "./client.ts";
import type { Answered } from "./raw.ts";
import { open, requestOf } from "./raw.ts";

const JSON_TYPE = { "content-type": "application/json" };

test("a body that is no UTF-8, or of no stated type, is refused without an id", async (t) => {
  const served = await serve(t);
  const answered = await served.send("POST", JSON_TYPE, new Uint8Array([0x22, 0xff, 0x22]));
  assert.deepEqual([answered.status, (answered.json["error"] as { code: number }).code], [400, -32700]);
  assert.equal("id" in answered.json, false);
  assert.equal((await served.send("POST", {}, "{}")).status, 415);
  assert.deepEqual(served.failures, []);
});

test("a body of 100 MB is refused before it is there, whether its length is stated or not", async (t) => {
  const served = await serve(t);
  const stated = await served.begin("POST", { ...JSON_TYPE, "content-length": String(100 * 1024 * 1024) });
  assert.equal(stated.status, 413);
  const chunked = await open(
    served.port,
    requestOf("POST", "/mcp", { host: "localhost", ...JSON_TYPE, "transfer-encoding": "chunked" }),
  );
  const chunk = new Uint8Array(64 * 1024).fill(0x20);
  let sent = 0;
  while (chunked.status === 0 && !chunked.isOver && sent < 100 * 1024 * 1024) {
    chunked.socket.write(`${chunk.length.toString(16)}\r\n`);
    chunked.socket.write(chunk);
    if (!chunked.socket.write("\r\n")) {
      await Promise.race([
        // What is refused while it is sent may break the connection.
        once(chunked.socket, "drain").catch(() => {}),
        once(chunked.socket, "close").catch(() => {}),
        chunked.head().catch(() => {}),
      ]);
    }
    sent += chunk.length;
  }
  // A connection that is closed while something is still sent may lose the answer.
  assert.ok(
    chunked.status === 413 || (chunked.status === 0 && chunked.isOver),
    `${chunked.status} after ${sent}`,
  );
  assert.ok(sent < 50 * 1024 * 1024, `${sent} bytes were taken`);
  const client = new HttpClient(served);
  assert.equal((await client.post(client.request("resources/list"))).status, 200);
});

test("a body that stops half way is given up", async (t) => {
  const served = await serve(t, { bodyTimeoutMs: 200, requestTimeoutMs: 500 });
  const stuck = await served.begin("POST", { ...JSON_TYPE, "content-length": "100" }, "{");
  assert.equal(stuck.status, 408);
  const broken = await open(
    served.port,
    requestOf("POST", "/mcp", { host: "localhost", ...JSON_TYPE, "content-length": "100" }, "{"),
  );
  broken.socket.destroy();
  const client = new HttpClient(served);
  assert.equal((await client.post(client.request("resources/list"))).status, 200);
  assert.deepEqual(served.failures, []);
});

test(
  "a head that never ends is given up",
  { skip: ON_DENO && "Deno waits for a head as long as it takes" },
  async (t) => {
    const served = await serve(t, { requestTimeoutMs: 300 });
    const slow = await open(served.port, "POST /mcp HTTP/1.1\r\nhost: localhost\r\n");
    const drip = setInterval(() => slow.socket.write("x-a: b\r\n"), 50);
    try {
      await slow.whole();
    } finally {
      clearInterval(drip);
    }
    assert.equal(slow.status, 408);
    const large = await open(
      served.port,
      `POST /mcp HTTP/1.1\r\nhost: localhost\r\nx-a: ${"b".repeat(20_000)}\r\n\r\n`,
    );
    await large.whole();
    assert.equal(large.status, 431);
  },
);

test("a request that could be read as two is not served as one", async (t) => {
  const served = await serve(t);
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
  const heads = [
    `content-length: ${body.length}\r\ntransfer-encoding: chunked`,
    `content-length: ${body.length}\r\ncontent-length: ${body.length + 1}`,
    "transfer-encoding: chunked, identity",
    "content-length: +5",
  ];
  for (const head of heads) {
    const answered = await open(
      served.port,
      `POST /mcp HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n${head}\r\n\r\n${body}`,
    );
    answered.socket.end();
    await answered.whole();
    assert.ok(answered.status === 0 || answered.status >= 400, `${head}: ${answered.status}`);
  }
});

test("who never reads a stream holds up nobody, and takes up little", async (t) => {
  const served = await serve(t, { keepAliveMs: 50 });
  const client = new HttpClient(served);
  const uris = Array.from({ length: 200 }, (_, index) => `doc:${index}-${"x".repeat(1000)}`);
  const message = client.request("subscriptions/listen", { notifications: { resourceSubscriptions: uris } });
  const stream = await client.begin(message);
  await stream.take(1);
  stream.socket.pause();
  const before = process.memoryUsage().rss;
  for (let round = 0; round < 200; round++) {
    served.source.update(...uris);
    await new Promise((resolve) => setTimeout(resolve, 1));
    if (round % 20 === 0) assert.equal((await client.post(client.request("resources/list"))).status, 200);
  }
  const grown = process.memoryUsage().rss - before;
  assert.ok(grown < 200 * 1024 * 1024, `${grown} bytes more`);
  stream.socket.destroy();
  await untilTrue("nobody listens", () => served.source.listeners.size === 0);
});

test("too many requests and too many streams are turned away, and served again when there is room", async (t) => {
  const served = await serve(t, { maxRequests: 2, maxStreams: 1 });
  const client = await new HttpClient(served, "2025-11-25").start();
  const first = await beginWait(served, client);
  const second = await beginWait(served, client);
  const third = await client.post(client.request("ping"));
  assert.equal(third.status, 503);
  assert.ok(Number(third.headers.get("retry-after")) > 0);
  for (const { finish } of served.waiting) finish();
  await Promise.all([first.whole(), second.whole()]);
  await untilTrue("there is room", () => true);
  const stream = await client.listen();
  assert.equal(stream.status, 200);
  const other = await new HttpClient(served, "2025-11-25").start();
  assert.equal((await other.listen()).status, 503);
  stream.socket.destroy();
});

test("streams that are open keep out no request, and are no reason to let more requests in", async (t) => {
  const served = await serve(t, { maxRequests: 2, maxStreams: 3 });
  const client = new HttpClient(served);
  const listen = () =>
    client.begin(client.request("subscriptions/listen", { notifications: { resourcesListChanged: true } }));
  const streams = [await listen(), await listen(), await listen()];
  for (const stream of streams) await stream.take(1);
  assert.equal((await listen()).status, 503, "the streams have a limit of their own");
  assert.equal((await client.post(client.request("resources/list"))).status, 200);
  const legacy = await new HttpClient(served, "2025-11-25").start();
  // Neither while they are open nor when they are gone may one more request be at work than without them.
  for (const _ of ["open", "gone"]) {
    const [first, second] = [await beginWait(served, legacy), await beginWait(served, legacy)];
    assert.equal((await legacy.post(legacy.request("ping"))).status, 503);
    for (const { finish } of served.waiting.splice(0)) finish();
    await Promise.all([first.whole(), second.whole()]);
    for (const { socket } of streams) socket.destroy();
    await untilTrue("nobody listens", () => served.source.listeners.size === 0);
  }
});

test("one client listens on so many streams, in both eras together, and what it takes over is no further one", async (t) => {
  const served = await serve(t, {
    authenticate: ({ header }) => ({ principal: header("authorization") ?? "nobody" }),
  });
  const client = new HttpClient(served);
  const listen = (fields = {}) =>
    client.begin(
      client.request("subscriptions/listen", { notifications: { resourcesListChanged: true } }),
      fields,
    );
  const legacy = [];
  for (let count = 0; count < MAX_SUBSCRIPTIONS - 1; count++) {
    const one = await new HttpClient(served, "2025-11-25").start();
    legacy.push({ one, stream: await one.listen() });
    assert.equal(legacy.at(-1)!.stream.status, 200, `${count}`);
  }
  const last = await listen();
  await last.take(1);
  const further = await new HttpClient(served, "2025-11-25").start();
  for (const refused of [await further.listen(), await listen()]) {
    assert.equal(refused.status, 429);
    await refused.whole();
    const { code, message } = refused.json["error"] as { code: number; message: string };
    assert.equal(code, -32600);
    assert.match(message, /this client has 100; close one first/);
  }
  assert.equal((await listen({ authorization: "somebody else" })).status, 200);
  const { one, stream } = legacy[0]!;
  const again = await one.listen();
  assert.equal(again.status, 200);
  await stream.whole();
  // Each that ends makes room for one, whoever ends it.
  assert.equal((await served.send("DELETE", { "mcp-session-id": one.session })).status, 204);
  await again.whole();
  assert.equal((await further.listen()).status, 200);
  assert.equal((await listen()).status, 429);
  last.socket.destroy();
  const deadline = Date.now() + 30_000;
  for (let status = 429; status !== 200; status = (await listen()).status) {
    assert.ok(Date.now() < deadline, "there is room when a client has gone");
  }
});

/** Calls the tool that waits, of which nothing comes back before it has. */
async function beginWait(served: Served, client: HttpClient): Promise<Answered> {
  const before = served.waiting.length;
  const message = client.request("tools/call", { name: "wait" });
  const answered = await open(
    served.port,
    requestOf("POST", "/mcp", { host: "localhost", ...client.fieldsOf(message) }, JSON.stringify(message)),
  );
  await untilTrue("it is at work", () => served.waiting.length > before);
  return answered;
}

test("one client calls tools only so often, however many sessions it has", async (t) => {
  const served = await serve(t, {}, { toolCalls: { burst: 3, perSecond: 0.001 } });
  const refused: boolean[] = [];
  for (const version of ["2025-11-25", "2026-07-28", "2025-06-18", "2025-11-25", "2026-07-28"]) {
    const client = await new HttpClient(served, version).start();
    const { result } = await client.ask("tools/call", { name: "echo", arguments: { text: "a" } });
    refused.push((result as { isError?: boolean }).isError === true);
  }
  assert.deepEqual(refused, [false, false, false, true, true]);
});

test("a slow answer becomes a stream, so that nobody between gives it up", async (t) => {
  const served = await serve(t, { keepAliveMs: 100 });
  for (const version of ["2025-11-25", "2026-07-28"]) {
    const client = await new HttpClient(served, version).start();
    const message = client.isModern
      ? { jsonrpc: "2.0", id: 1, method: "tools/call", params: modern({ name: "wait" }) }
      : client.request("tools/call", { name: "wait" });
    const answered = await client.begin(message);
    assert.equal(answered.headers.get("content-type"), "text/event-stream");
    await answered.until("a comment", () => answered.body.includes("\n\n"));
    served.waiting.at(-1)!.finish();
    await answered.whole();
    assert.ok(answered.messages().at(-1)!["result"]);
  }
});
