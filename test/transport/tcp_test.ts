import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { MessageContext, Transport } from "../../lib/transport/transport.ts";
import type { Endpoint, SocketTransport } from "../../lib/transport/tcp.ts";
import { Connection } from "../../lib/jsonrpc/connection.ts";
import { createServer } from "../../lib/server/server.ts";
import { listenTcp, tcpTransport } from "../../lib/transport/tcp.ts";
import { makeFolder } from "../harness/folder.ts";
import { until } from "../harness/process.ts";
import { Client } from "../rpc/client.ts";
import { testContract } from "./contract.ts";

/** Both ends of one connection. The listener goes as soon as it is there. */
async function pair(place: Endpoint): Promise<[Transport, Transport]> {
  const accepted = Promise.withResolvers<Transport>();
  const listener = await listenTcp(place, { onconnection: accepted.resolve });
  const near = await tcpTransport(listener.address);
  const far = await accepted.promise;
  listener.stop();
  return [near, far];
}

testContract("TCP", () => pair({ port: 0 }));
testContract("Unix domain socket", async () => {
  const folder = mkdtempSync(join(tmpdir(), "architrave-"));
  try {
    return await pair({ path: join(folder, "socket") });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a message over TCP has the address of its sender, and one over a Unix domain socket has none", async (t) => {
  const path = `${makeFolder(t, {})}/socket`;
  for (const place of [{ port: 0 }, { path }] as const) {
    const [near, far] = await pair(place);
    const arrived = Promise.withResolvers<MessageContext>();
    far.onmessage = (_, context) => arrived.resolve(context);
    await Promise.all([near.start(), far.start()]);
    await near.send({ jsonrpc: "2.0", method: "hello" });
    const { remoteAddress } = await arrived.promise;
    if ("path" in place) assert.equal(remoteAddress, undefined);
    else assert.match(remoteAddress!, /^127\.0\.0\.1:\d+$/);
    await Promise.all([near.close(), far.close()]);
  }
});

test("an MCP server serves several clients over TCP, each with a conversation of its own", async () => {
  const server = createServer({ info: { name: "t", version: "1" } });
  const listener = await listenTcp({ port: 0 }, {
    onconnection: (transport) => void server.connect(transport),
  });
  const peers = await Promise.all(["2025-11-25", "2024-11-05"].map(async (protocolVersion) => {
    const peer = new Connection(await tcpTransport(listener.address), {
      onrequest: () => assert.fail("nothing is asked"),
    });
    await peer.start();
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: "t", version: "1" } };
    const result = await peer.request("initialize", params) as { protocolVersion: string };
    assert.equal(result.protocolVersion, protocolVersion);
    assert.deepEqual(await peer.request("ping"), {});
    return peer;
  }));
  assert.equal(listener.connections, 2);
  await listener.close();
  await Promise.all(peers.map((peer) => peer.closed));
  assert.equal(listener.connections, 0);
});

test("tcpTransport() that finds nobody says where, and so does listenTcp() that finds somebody", async (t) => {
  const path = `${makeFolder(t, {})}/socket`;
  const onconnection = () => assert.fail("nobody connects");
  for (const place of [{ port: 0 }, { path }]) {
    const listener = await listenTcp(place, { onconnection });
    const { address } = listener;
    const name = (address.path ?? `127.0.0.1:${address.port}`).replaceAll(".", "\\.");
    await assert.rejects(
      listenTcp(address, { onconnection }),
      new RegExp(`TransportError: Cannot listen on ${name}: .`),
    );
    listener.stop();
    listener.stop();
    await listener.close();
    await assert.rejects(tcpTransport(address), new RegExp(`TransportError: Cannot connect to ${name}: .`));
    // What is given back can be taken again.
    await (await listenTcp(address, { onconnection })).close();
  }
  // The system would cut it off and listen somewhere else.
  await assert.rejects(listenTcp({ path: `/tmp/${"x".repeat(200)}` }, { onconnection }), /Cannot listen on/);
  await assert.rejects(tcpTransport({ path: `/tmp/${"x".repeat(200)}` }), /Cannot connect to/);
});

test("a connection that nobody starts is let go when it is closed, and when its other side is gone", async () => {
  const accepted: SocketTransport[] = [];
  const listener = await listenTcp({ port: 0 }, {
    onconnection: (transport) => void accepted.push(transport),
  });
  const clients = await Promise.all([1, 2].map(() => tcpTransport(listener.address)));
  await until("both are there", () => accepted.length === 2);
  await accepted[0]!.close();
  await clients[0]!.close();
  await Promise.all([accepted[0]!.released, clients[0]!.released]);
  clients[1]!.abort();
  accepted[1]!.abort();
  await Promise.all([accepted[1]!.released, clients[1]!.released]);
  assert.equal(listener.connections, 0);
  const late = accepted[1]!;
  const closed = new Promise<void>((resolve) => late.onclose = resolve);
  await late.start();
  await closed;
  await listener.close();
});

test("close() of a listener waits no longer than the grace for who does not read", async () => {
  const accepted = Promise.withResolvers<SocketTransport>();
  const listener = await listenTcp({ port: 0 }, { onconnection: accepted.resolve });
  // Never started, it never reads.
  const deaf = await tcpTransport(listener.address);
  const transport = await accepted.promise;
  await transport.start();
  void transport.send({ jsonrpc: "2.0", method: "x", params: ["x".repeat(30_000_000)] });
  await listener.close(200);
  assert.equal(transport.isOpen, false);
  deaf.abort();
  await deaf.released;
});

test("what was sent before a close arrives, whatever the other side has sent that was not read", async () => {
  const accepted = Promise.withResolvers<SocketTransport>();
  const listener = await listenTcp({ port: 0 }, { onconnection: accepted.resolve });
  const client = await Client.connect(listener.address, false);
  const transport = await accepted.promise;
  transport.onmessage = () => {
    void transport.send({ jsonrpc: "2.0", method: "last" });
    void transport.close();
  };
  for (let index = 0; index < 500; index++) client.send([index, "y".repeat(10_000)]);
  await transport.start();
  // The client reads nothing before the server has let go of everything.
  await transport.released;
  client.socket.resume();
  assert.deepEqual(await client.next(), { jsonrpc: "2.0", method: "last" });
  await client.leave();
  await listener.close();
});

test("a connection that is started after its other side has ended says so, with what came before", async () => {
  const accepted: SocketTransport[] = [];
  const listener = await listenTcp({ port: 0 }, {
    onconnection: (transport) => void accepted.push(transport),
  });
  for (const lines of [[], ["1\n"]]) {
    const client = await Client.connect(listener.address);
    client.send(...lines);
    client.end();
    await until("it is there", () => accepted.length === 1);
    // Whatever the first one has sent is there by the time that a second one is.
    const second = await Client.connect(listener.address);
    await until("both are there", () => accepted.length === 2);
    const seen: unknown[] = [];
    const ended = Promise.withResolvers<void>();
    const [transport, other] = accepted.splice(0);
    transport!.onmessage = (message) => void seen.push(message);
    transport!.onend = ended.resolve;
    await transport!.start();
    await ended.promise;
    assert.deepEqual(seen, lines.map(Number));
    await Promise.all([transport!.close(), other!.close(), client.leave(), second.leave()]);
  }
  await listener.close();
});
