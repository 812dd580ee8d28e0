import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import type { MessageContext } from "../../../lib/jsonrpc/transport/transport.ts";
import type { Address, SocketTransport } from "../../../lib/jsonrpc/transport/tcp.ts";
import { listenTcp, tcpTransport } from "../../../lib/jsonrpc/transport/tcp.ts";
import { makeSocketPath } from "../../harness/folder.ts";
import { until } from "../../harness/process.ts";
import { Client } from "../rpc/client.ts";
import { testContract } from "./contract.ts";

/** A listener and the transports of its connections. `next` waits for another one. */
async function listen(place: Address = { port: 0 }) {
  const accepted: SocketTransport[] = [];
  const listener = await listenTcp(place, { onconnection: (transport) => void accepted.push(transport) });
  const next = async (): Promise<SocketTransport> => {
    await until("a connection is accepted", () => accepted.length > 0);
    return accepted.shift()!;
  };
  return { listener, next };
}

/** Returns both ends of a connection. The listener stops when the connection is open. */
async function pair(place: Address): Promise<[SocketTransport, SocketTransport]> {
  const { listener, next } = await listen(place);
  const near = await tcpTransport(listener.address);
  const far = await next();
  listener.stop();
  return [near, far];
}

testContract("TCP", () => pair({ port: 0 }));
testContract("Unix domain socket", async () => {
  const made: (() => void)[] = [];
  try {
    return await pair({ path: makeSocketPath({ after: (remove) => void made.push(remove) }) });
  } finally {
    for (const remove of made) remove();
  }
});

test("a message over TCP has the address of its sender, and one over a Unix domain socket has none", async (t) => {
  for (const place of [{ port: 0 }, { path: makeSocketPath(t) }] as const) {
    const [near, far] = await pair(place);
    const arrived = Promise.withResolvers<MessageContext>();
    far.onmessage = (_, context) => arrived.resolve(context);
    await Promise.all([near.start(), far.start()]);
    await near.send({ jsonrpc: "2.0", method: "hello" });
    const { remoteAddress = "none" } = await arrived.promise;
    assert.match(remoteAddress, "path" in place ? /^none$/ : /^127\.0\.0\.1:\d+$/);
    await Promise.all([near.close(), far.close()]);
  }
});

test("tcpTransport() and listenTcp() name an address that they cannot use, and an address can be used again", async (t) => {
  for (const place of [{ port: 0 }, { path: makeSocketPath(t) }]) {
    const { listener } = await listen(place);
    const { address } = listener;
    const name = (address.path ?? `127.0.0.1:${address.port}`).replaceAll(/[.\\]/g, "\\$&");
    await assert.rejects(listen(address), new RegExp(`TransportError: Cannot listen on ${name}: .`));
    listener.stop();
    listener.stop();
    await listener.close();
    await assert.rejects(tcpTransport(address), new RegExp(`TransportError: Cannot connect to ${name}: .`));
    await (await listen(address)).listener.close();
  }
  // The system would shorten it and listen at another path.
  const path = `/tmp/${"x".repeat(200)}`;
  const reason = process.platform === "win32" ? /: On Windows, .* \\\\\.\\pipe\\NAME$/ : /./;
  for (const tried of [listen({ path }), tcpTransport({ path })]) {
    await assert.rejects(tried, /Cannot (?:listen on|connect to)/);
    await assert.rejects(tried, reason);
  }
});

test("a connection that is never started is released when either side closes it", async () => {
  const { listener, next } = await listen();
  for (const end of ["close", "abort"] as const) {
    const client = await tcpTransport(listener.address);
    const transport = await next();
    void transport[end]();
    void client[end]();
    await Promise.all([transport.released, client.released]);
    if (end === "close") continue;
    const closed = new Promise<void>((resolve) => transport.onclose = resolve);
    await transport.start();
    await closed;
  }
  assert.equal(listener.connections, 0);
  await listener.close();
});

test("close() of a listener does not wait longer than the grace period for a client that does not read", async () => {
  const { listener, next } = await listen();
  // It is never started, so it never reads.
  const deaf = await tcpTransport(listener.address);
  const transport = await next();
  await transport.start();
  void transport.send({ jsonrpc: "2.0", method: "x", params: ["x".repeat(30_000_000)] });
  await listener.close(200);
  assert.equal(transport.isOpen, false);
  deaf.abort();
  await deaf.released;
});

test("output before a close arrives, even if input of the other side was not read", async () => {
  const { listener, next } = await listen();
  const client = await Client.connect(listener.address, false);
  const transport = await next();
  transport.onmessage = () => {
    void transport.send({ jsonrpc: "2.0", method: "last" });
    void transport.close();
  };
  for (let index = 0; index < 500; index++) client.send([index, "y".repeat(10_000)]);
  await transport.start();
  // The client does not read until the server has released the connection.
  await transport.released;
  client.socket.resume();
  assert.deepEqual(await client.next(), { jsonrpc: "2.0", method: "last" });
  await client.leave();
  await listener.close();
});

test("a connection that is started after its other side has ended delivers the messages and the end", async () => {
  const { listener, next } = await listen();
  for (const lines of [[], ["1\n"]]) {
    const client = await Client.connect(listener.address);
    client.send(...lines);
    client.socket.end();
    const transport = await next();
    // When the second one has connected, the output of the first one has arrived.
    const second = await Client.connect(listener.address);
    const other = await next();
    const seen: unknown[] = [];
    transport.onmessage = (message) => void seen.push(message);
    const ended = new Promise<void>((resolve) => transport.onend = resolve);
    await transport.start();
    await ended;
    assert.deepEqual(seen, lines.map(Number));
    await Promise.all([transport.close(), other.close(), client.leave(), second.leave()]);
  }
  await listener.close();
});
