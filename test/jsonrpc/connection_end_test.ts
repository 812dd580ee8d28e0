/** How does a conversation end? Both ways: the other side ends its input, or we are asked to end. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Request, Response } from "../../lib/jsonrpc/message.ts";
import type { ConnectionOptions } from "../../lib/jsonrpc/connection.ts";
import { success } from "../../lib/jsonrpc/message.ts";
import { Connection } from "../../lib/jsonrpc/connection.ts";
import { MAX_WRITE_BYTES } from "../../lib/jsonrpc/framing.ts";
import { StreamTransport } from "../../lib/transport/stream.ts";
import { settle, TestChannel } from "../harness/wire_pair.ts";

async function converse(
  onrequest: (request: Request) => Response | Promise<Response>,
  options: Partial<ConnectionOptions> = {},
): Promise<{ channel: TestChannel; peer: Connection }> {
  const channel = new TestChannel();
  const peer = new Connection(new StreamTransport(channel), { ...options, onrequest });
  await peer.start();
  return { channel, peer };
}

const call = (id: unknown) => JSON.stringify({ jsonrpc: "2.0", id, method: "echo" }) + "\n";
const ids = (channel: TestChannel) => channel.messages.map((message) => (message as Response).id);

test("end() answers what was asked, takes nothing that comes later, and closes", async () => {
  const gate = Promise.withResolvers<void>();
  const seen: unknown[] = [];
  const { channel, peer } = await converse(async (request) => {
    seen.push(request.id);
    await gate.promise;
    return success(request.id, "done");
  }, { onnotification: ({ method }) => void seen.push(method) });
  channel.feed(call(1) + call(2));
  peer.end();
  peer.end();
  channel.feed(`${call(3)}{"jsonrpc":"2.0","method":"late"}\nno message\n[]\n`);
  await settle();
  assert.deepEqual([seen, channel.written, channel.closed], [[1, 2], "", false]);
  gate.resolve();
  await peer.closed;
  assert.deepEqual([ids(channel), channel.closed], [[1, 2], true]);
});

test("end() with nothing to answer closes at once, and after the close it does nothing", async () => {
  const { channel, peer } = await converse((request) => success(request.id, 0));
  channel.feed(call(1));
  peer.end();
  await peer.closed;
  assert.deepEqual(ids(channel), [1]);
  peer.end();
});

test("end() gives up handlers that outlast the grace", async () => {
  const { channel, peer } = await converse(() => new Promise(() => {}), { graceMs: 5 });
  channel.feed(call(1));
  peer.end();
  await peer.closed;
  assert.deepEqual(channel.messages, []);
});

test("end() fails what was asked of the other side, which is listened to no more", async () => {
  const { peer } = await converse((request) => success(request.id, 0));
  const asked = peer.request("a");
  peer.end();
  await assert.rejects(asked, /ended before/);
});

test("a reader that is slow gets every answer after the end, however long one of them takes", async () => {
  const graceMs = 5;
  const { channel, peer } = await converse(
    (request) => success(request.id, "x".repeat(8 * MAX_WRITE_BYTES)),
    // All of them wait for something, so each is made when the one before has left.
    { graceMs, onarrival: () => ({ ready: Promise.resolve() }) },
  );
  const write = channel.write.bind(channel);
  channel.write = async (pieces) => {
    // Every write alone is within the patience of a conversation, which is ten graces; an answer is far beyond it.
    await new Promise((resolve) => setTimeout(resolve, 4 * graceMs));
    await write(pieces);
  };
  channel.feed(call(1) + call(2) + call(3));
  channel.end();
  await peer.closed;
  assert.deepEqual(ids(channel), [1, 2, 3]);
});
