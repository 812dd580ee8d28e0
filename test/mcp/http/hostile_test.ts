/** Hostile clients: bodies and heads that never end, streams that are not read, too many requests. */

import assert from "node:assert/strict";
import { once } from "node:events";
import process from "node:process";
import { test } from "node:test";
import type { Credentials } from "../../../lib/mcp/http/mod.ts";
import { MAX_SUBSCRIPTIONS } from "../../../lib/mcp/server/changes.ts";
import { pause, until } from "../../harness/process.ts";
import { ON_DENO } from "../../harness/program.ts";
import { HttpClient, open, requestOf } from "../../harness/http_client.ts";
import { BY_NAME, serve } from "../../harness/http_server.ts";

const JSON_TYPE = { "content-type": "application/json" };
const MIB = 1024 * 1024;
/** The fields of another client. */
const SECOND = { "x-name": "second" };

for (const isStated of [true, false]) {
  const form = isStated ? "of a stated length" : "without one";
  test(`a body of 100 MB ${form} is refused before it has arrived, and not read`, async (t) => {
    const most = 100 * MIB;
    const served = await serve(t);
    const length = isStated ? { "content-length": `${most}` } : { "transfer-encoding": "chunked" };
    const head = requestOf("POST", "/mcp", { host: "localhost", ...JSON_TYPE, ...length });
    const refused = await open(served.port, head);
    const { socket } = refused;
    const chunk = " ".repeat(64 * 1024);
    const sending = isStated ? chunk : `${chunk.length.toString(16)}\r\n${chunk}\r\n`;
    const closed = new Promise((resolve) => socket.on("close", resolve));
    let sent = 0;
    for (; !socket.destroyed && sent < most; sent += chunk.length) {
      // The server may close the connection while more is being sent.
      if (!socket.write(sending)) await Promise.race([once(socket, "drain").catch(() => {}), closed]);
    }
    // The response may be lost with the connection.
    const { status, isOver } = refused;
    assert.ok(status === 413 || (status === 0 && isOver), `${status} after ${sent}`);
    assert.ok(sent < most / 2, `${sent} bytes were taken`);
    assert.equal(await new HttpClient(served).status("resources/list"), 200);
  });
}

test("a body that stops half way times out", async (t) => {
  const served = await serve(t, { bodyTimeoutMs: 200, requestTimeoutMs: 500 });
  const fields = { ...JSON_TYPE, "content-length": "100" };
  const stuck = await served.begin("POST", fields, "{");
  assert.equal(stuck.status, 408);
  const broken = await open(served.port, requestOf("POST", "/mcp", { host: "localhost", ...fields }, "{"));
  broken.socket.destroy();
  assert.equal(await new HttpClient(served).status("resources/list"), 200);
  assert.deepEqual(served.failures, []);
});

test("a head that never ends times out, and a long one is refused", {
  skip: ON_DENO && "Deno waits for a head without a limit",
}, async (t) => {
  const served = await serve(t, { requestTimeoutMs: 300 });
  const slow = await open(served.port, "POST /mcp HTTP/1.1\r\nhost: localhost\r\n");
  const drip = setInterval(() => slow.socket.write("x-a: b\r\n"), 50);
  await slow.whole().finally(() => clearInterval(drip));
  assert.equal(slow.status, 408);
  assert.equal((await served.get("/mcp", { "x-a": "b".repeat(20_000) })).status, 431);
});

test("a request that could be read as two is not served as one", async (t) => {
  const served = await serve(t);
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
  const heads = [
    `content-length: ${body.length}\r\ntransfer-encoding: chunked`,
    `content-length: ${body.length}\r\ncontent-length: ${body.length + 1}`,
    "transfer-encoding: chunked, identity",
    "content-length: +5",
  ];
  const start =
    "POST /mcp HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n";
  for (const head of heads) {
    const answered = await open(served.port, `${start}${head}\r\n\r\n${body}`);
    answered.socket.end();
    await answered.whole();
    assert.ok(answered.status === 0 || answered.status >= 400, `${head}: ${answered.status}`);
  }
});

test("a stream that is not read holds up no other request, and takes little memory", async (t) => {
  const served = await serve(t, { keepAliveMs: 50 });
  const client = new HttpClient(served);
  const uris = Array.from({ length: 200 }, (_, index) => `doc:${index}-${"x".repeat(1000)}`);
  const stream = await client.listen({}, { resourceSubscriptions: uris });
  await stream.take(1);
  stream.socket.pause();
  const before = process.memoryUsage().rss;
  for (let round = 0; round < 200; round++) {
    served.source.update(...uris);
    await pause(1);
    if (round % 20 === 0) assert.equal(await client.status("resources/list"), 200);
  }
  const grown = process.memoryUsage().rss - before;
  assert.ok(grown < 200 * 1024 * 1024, `${grown} bytes more`);
  stream.socket.destroy();
  await until("the subscription has ended", () => served.source.listeners.size === 0);
});

test("a client gets no more requests and streams than are free, so others are served", async (t) => {
  const refusals: string[] = [];
  const served = await serve(t, {
    maxRequests: 4,
    maxStreams: 6,
    onrefused: (message) => void refusals.push(message),
    ...BY_NAME,
  });
  const client = new HttpClient(served);
  const legacy = await served.client("2025-11-25");
  const other = await served.client("2025-11-25");
  const streams = [await client.listen(), await client.listen(), await client.listen()];
  for (const stream of streams) await stream.take(1);
  for (const refused of [await client.listen(), await other.listen()]) {
    assert.equal(refused.status, 429);
    assert.equal(refused.headers.get("retry-after"), "30");
  }
  assert.equal((await client.listen(SECOND)).status, 200);
  // Streams do not count as requests, open or closed.
  assert.equal(await client.status("resources/list"), 200);
  for (const _ of ["open", "closed"]) {
    const working = [await legacy.wait(), await other.wait()];
    const refused = await legacy.post(legacy.request("ping"));
    assert.deepEqual([refused.status, refused.headers.get("retry-after")], [429, "1"]);
    assert.match(refused.body, /Cannot serve one more request: this client has 2; wait for a response first/);
    assert.equal(await client.status("resources/list", SECOND), 200);
    assert.equal((await served.get("/healthz")).status, 200);
    for (const { finish } of served.waiting.splice(0)) finish();
    for (const answered of working) await answered.whole();
    for (const { socket } of streams) socket.destroy();
    await until("the subscriptions have ended", () => served.source.listeners.size === 1);
  }
  assert.equal((await other.listen()).status, 200);
  await until("an operator is told", () => refusals.length > 0);
  assert.match(
    refusals.join(),
    /^Refused \d times, most recently to .* for principal first, which has \d of \d /,
  );
});

test("requests that wait for their authentication count for their address", async (t) => {
  const waiting: (() => void)[] = [];
  const served = await serve(t, {
    maxRequests: 20,
    authenticate: () => new Promise((resolve) => waiting.push(() => resolve({ principal: "late" }))),
  });
  const client = new HttpClient(served);
  const sent = Array.from({ length: 30 }, () => client.begin(client.request("resources/list")));
  const statuses: number[] = [];
  for (const one of sent) void one.then(({ status }) => statuses.push(status));
  await until("20 are refused", () => statuses.length === 20);
  assert.deepEqual([waiting.length, new Set(statuses)], [10, new Set([429])]);
  for (const resolve of waiting.splice(0)) resolve();
  await Promise.all(sent);
  assert.equal(statuses.filter((status) => status === 200).length, 10);
});

test("a client that leaves while it is authenticated takes no place from others, of a request or a stream", async (t) => {
  let asked = Promise.withResolvers<void>(), left = Promise.withResolvers<void>();
  const authenticate = async ({ header }: Credentials) => {
    if (header("x-late") !== undefined) {
      asked.resolve();
      await left.promise;
    }
    return { principal: "one" };
  };
  const served = await serve(t, { maxRequests: 2, maxStreams: 2, authenticate });
  const [first, second] = [await served.client("2025-11-25"), await served.client("2025-11-25")];
  const late = { host: "localhost", "x-late": "1" };
  const session = { accept: "text/event-stream", "mcp-session-id": first.session };
  const post = requestOf("POST", "/mcp", { ...late, ...JSON_TYPE, "content-length": "100" }, "{");
  for (const request of [post, requestOf("GET", "/mcp", { ...late, ...session })]) {
    const { socket } = await open(served.port, request);
    await asked.promise;
    socket.destroy();
    await pause(100);
    left.resolve();
    await pause(100);
    [asked, left] = [Promise.withResolvers(), Promise.withResolvers()];
  }
  assert.equal(await second.status("resources/list"), 200);
  assert.equal((await second.listen()).status, 200);
});

test("bodies take no more memory than is there, of a client and of all", async (t) => {
  const served = await serve(t, { ...BY_NAME, maxBodyBytes: MIB, maxBytes: 4 * MIB });
  const half = { host: "localhost", ...JSON_TYPE, "content-length": `${MIB}` };
  const stuck = [1, 2].map(() => open(served.port, requestOf("POST", "/mcp", half, "{")));
  await Promise.all(stuck);
  // A stated length counts at once; else what has arrived.
  const client = new HttpClient(served);
  await client.becomes(429, {}, { "content-length": `${MIB}` });
  const head = { ...half, "content-length": undefined, "transfer-encoding": "chunked" };
  const arriving = await open(served.port, requestOf("POST", "/mcp", head));
  arriving.socket.write(`${(MIB / 2).toString(16)}\r\n${" ".repeat(MIB / 2)}\r\n`);
  const { status, headers } = await arriving.whole();
  assert.deepEqual([status, headers.get("retry-after"), headers.get("connection")], [429, "1", "close"]);
  assert.equal(await client.status("resources/list", SECOND), 200);
  for (const one of stuck) (await one).socket.destroy();
  // There is space when connections are closed.
  await client.becomes(
    200,
    client.request("tools/call", { name: "echo", arguments: { text: "x".repeat(MIB - 1000) } }),
  );
});

for (const form of ["JSON", "an event stream"]) {
  test(`a response that is not read counts until it has left: ${form}`, async (t) => {
    const served = await serve(t, { ...BY_NAME, maxRequests: 4, sendTimeoutMs: 500 });
    const client = new HttpClient(served);
    const args = { text: "x", times: 16 * MIB, tell: form !== "JSON" };
    const call = client.request("tools/call", { name: "echo", arguments: args, _meta: { progressToken: 1 } });
    const unread = [];
    for (const _ of "ab") {
      const answered = await client.begin(call);
      answered.socket.pause();
      assert.equal(answered.status, 200);
      unread.push(answered);
    }
    assert.equal(await client.status("resources/list"), 429);
    assert.equal(await client.status("resources/list", SECOND), 200);
    // Deno drops the rest, and closes the connection when the client reads on.
    if (ON_DENO) await pause(1500);
    if (ON_DENO) { for (const { socket } of unread) socket.resume(); }
    await client.becomes(200, client.request("resources/list"));
    const [first, second] = unread;
    first!.socket.resume();
    await first!.whole();
    assert.ok(first!.body.length < 16 * MIB, "the rest was not sent");
    second!.socket.destroy();
  });
}

test("a body in many small pieces is refused, not one in pieces as networks have them", async (t) => {
  const served = await serve(t);
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
  const fields = { host: "localhost", ...JSON_TYPE, "transfer-encoding": "chunked" };
  for (const [size, count, status] of [[1, 3000, 400], [600, 300, 200]] as const) {
    const sent = await open(served.port, requestOf("POST", "/mcp", fields));
    const piece = `${size.toString(16)}\r\n${" ".repeat(size)}\r\n`;
    sent.socket.write(`${piece.repeat(count)}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
    await sent.whole();
    assert.equal(sent.status, status, sent.body);
    if (status === 400) assert.match(sent.body, /many small pieces/);
  }
});

test("the rest of a body that is refused without reading it is not read for long", async (t) => {
  const served = await serve(t);
  const fields = { host: "localhost", ...JSON_TYPE, "transfer-encoding": "chunked" };
  for (
    const [target, size] of [["/mcp", 1], ["/mcp", 60_000], ["/nowhere", 1], ["/nowhere", 60_000]] as const
  ) {
    const evil = target === "/mcp" ? { host: "evil.example" } : {};
    const sent = await open(served.port, requestOf("POST", target, { ...fields, ...evil }));
    const piece = `${size.toString(16)}\r\n${" ".repeat(size)}\r\n`.repeat(Math.ceil(60_000 / size));
    let isClosed = false;
    sent.socket.on("close", () => isClosed = true).on("error", () => {});
    await sent.head();
    assert.match(`${sent.status}`, /^4/);
    // 256 MiB, or as much as is read.
    for (let written = 0; !isClosed && written < 256 * MIB; written += piece.length) {
      if (!sent.socket.write(piece)) {
        await new Promise<void>((resolve) =>
          sent.socket.once("drain", resolve).once("close", () => resolve())
        );
      }
    }
    assert.ok(isClosed, `${target} in chunks of ${size}`);
  }
});

test("what a body takes once it is parsed counts, and while its stream is open", async (t) => {
  const served = await serve(t, { ...BY_NAME, maxBodyBytes: MIB, maxBytes: 4 * MIB });
  const client = new HttpClient(served);
  const values = { junk: Array.from({ length: 100_000 }, () => ({})) };
  const dense = await client.post(client.request("tools/call", { name: "echo", ...values }));
  assert.deepEqual([dense.status, dense.json["error"]], [413, {
    code: -32600,
    message: "The body has too many values: send fewer",
  }]);
  for (const junk of ["x".repeat(0.9 * MIB), Array(14_000).fill({})]) {
    const long = (method: string) => client.request(method, { junk, notifications: {} });
    const listen = long("subscriptions/listen");
    const streams = [await client.begin(listen), await client.begin(listen)];
    for (const stream of streams) await stream.take(1);
    assert.equal((await client.post(long("resources/list"))).status, 429);
    assert.equal(await client.status("resources/list"), 200);
    for (const stream of streams) stream.socket.destroy();
    await client.becomes(200, long("resources/list"));
  }
});

test("a message of over 4,000,000 values is refused for that, where its bytes may be kept", async (t) => {
  const served = await serve(t, { maxBodyBytes: 16 * MIB, maxBytes: 1024 * MIB });
  const sent = await served.send("POST", JSON_TYPE, `[${"1,".repeat(4_000_000)}1]`);
  assert.equal(sent.status, 400);
  assert.match(
    sent.body,
    /"code":-32600,"message":"Invalid request: the message has more than 4000000 values/,
  );
});

test("a client has at most 100 streams, however many are free; taking one over adds none", async (t) => {
  const served = await serve(t, BY_NAME);
  const client = new HttpClient(served), legacy = await served.client("2025-11-25");
  const stream = await legacy.listen();
  const others = await Promise.all(Array.from({ length: MAX_SUBSCRIPTIONS - 1 }, () => client.listen()));
  assert.deepEqual(new Set([stream, ...others].map(({ status }) => status)), new Set([200]));
  const refused = await (await client.listen()).whole();
  assert.deepEqual([refused.status, refused.code], [429, -32600]);
  assert.match(refused.body, /this client has 100; close one first/);
  assert.equal((await client.listen(SECOND)).status, 200);
  const again = await legacy.listen();
  assert.equal(again.status, 200);
  await stream.whole();
  // Any stream that ends makes room for one more.
  assert.equal(await legacy.end(), 204);
  await again.whole();
  assert.equal((await client.listen()).status, 200);
  assert.equal((await client.listen()).status, 429);
});

test("the rate of tool calls is limited per client, whatever its sessions", async (t) => {
  const served = await serve(t, {}, { toolCalls: { burst: 3, perSecond: 0.001 } });
  const refused: boolean[] = [];
  for (const version of ["2025-11-25", "2026-07-28", "2025-06-18", "2025-11-25", "2026-07-28"]) {
    const client = await served.client(version);
    const { result } = await client.ask("tools/call", { name: "echo", arguments: { text: "a" } });
    refused.push((result as { isError?: boolean }).isError === true);
  }
  assert.deepEqual(refused, [false, false, false, true, true]);
});

test("a slow response becomes a stream, so that no proxy times out", async (t) => {
  const served = await serve(t, { keepAliveMs: 100 });
  for (const version of ["2025-11-25", "2026-07-28"]) {
    const answered = await (await served.client(version)).wait();
    await answered.until("a comment", () => answered.body.includes("\n\n"));
    assert.equal(answered.headers.get("content-type"), "text/event-stream");
    served.waiting.at(-1)!.finish();
    await answered.whole();
    assert.ok(answered.messages().at(-1)!["result"]);
    // Only a session can resume it.
    const names = Object.keys(answered.events().at(-1)!);
    assert.deepEqual(names, version === "2026-07-28" ? ["event", "data"] : ["id", "event", "data"]);
  }
});
