import assert from "node:assert/strict";
import { test } from "node:test";
import type { ByteChannel, ByteEvents } from "../../deps.ts";
import { MalformedMessageError } from "../../lib/jsonrpc/message.ts";
import { MAX_UNSENT_BYTES, StreamTransport } from "../../lib/transport/stream.ts";
import { settle, TestChannel } from "../harness/wire_pair.ts";
import { testContract } from "./contract.ts";

/** Two channels of which each reads, in pieces of 1,000 bytes, what the other one writes. */
function linkedChannels(): [ByteChannel, ByteChannel] {
  const events: (ByteEvents | undefined)[] = [];
  const channel = (own: number): ByteChannel => ({
    open: (given) => void (events[own] = given),
    pause() {},
    resume() {},
    async write(pieces) {
      for (const piece of pieces) {
        for (let start = 0; start < piece.length; start += 1000) {
          await Promise.resolve();
          events[1 - own]?.data(piece.slice(start, start + 1000));
        }
      }
    },
    close: () => queueMicrotask(() => events[1 - own]?.end()),
  });
  return [channel(0), channel(1)];
}

testContract("stream", () => {
  const [near, far] = linkedChannels();
  return Promise.resolve([new StreamTransport(near), new StreamTransport(far)]);
});

test("StreamTransport reports lines that are no messages with their context, and delivers the next one", async () => {
  const channel = new TestChannel();
  const transport = new StreamTransport(channel, { maxLineBytes: 100 });
  const seen: unknown[] = [];
  transport.onmessage = (message) => void seen.push(message);
  transport.onerror = (error, context) => {
    assert.ok(error instanceof MalformedMessageError);
    assert.ok(context);
    seen.push(error.code);
  };
  await transport.start();
  channel.feed(`nonsense\n1\n${"x".repeat(200)}\n{"a":1}\n`);
  assert.deepEqual(seen, [-32700, 1, -32600, { a: 1 }]);
});

test("StreamTransport writes the answers to one chunk at once", async () => {
  const channel = new TestChannel();
  let writes = 0;
  const write = channel.write.bind(channel);
  channel.write = (pieces) => {
    writes++;
    assert.equal(pieces.length, 1);
    return write(pieces);
  };
  const transport = new StreamTransport(channel);
  transport.onmessage = () => void transport.send({ jsonrpc: "2.0", id: 1, result: 0 });
  await transport.start();
  channel.feed("1\n".repeat(50));
  await settle();
  assert.equal(writes, 1);
  assert.equal(channel.messages.length, 50);
});

test("StreamTransport stops reading while the other side does not read, and takes up again where it stopped", async () => {
  const channel = new TestChannel();
  const gate = Promise.withResolvers<void>();
  channel.gate = gate.promise;
  const transport = new StreamTransport(channel);
  let delivered = 0;
  const text = "x".repeat(MAX_UNSENT_BYTES / 4);
  transport.onmessage = () => {
    delivered++;
    void transport.send({ jsonrpc: "2.0", id: delivered, result: text });
  };
  await transport.start();
  channel.feed("1\n".repeat(40));
  await settle();
  assert.equal(delivered, 4);
  assert.equal(channel.paused, true);
  channel.gate = undefined;
  gate.resolve();
  await settle();
  assert.equal(delivered, 40);
  assert.equal(channel.paused, false);
  assert.deepEqual(channel.messages.map((message) => (message as { id: number }).id), [
    ...Array.from({ length: 40 }, (_, index) => index + 1),
  ]);
});

test("StreamTransport holds the end of input back until what came before it is delivered", async () => {
  const channel = new TestChannel();
  const gate = Promise.withResolvers<void>();
  channel.gate = gate.promise;
  const transport = new StreamTransport(channel);
  const seen: string[] = [];
  transport.onmessage = () => {
    seen.push("message");
    void transport.send({ jsonrpc: "2.0", id: 1, result: "x".repeat(MAX_UNSENT_BYTES + 1) });
  };
  transport.onend = () => void seen.push("end");
  await transport.start();
  channel.feed("1\n1\n");
  channel.end();
  await settle();
  assert.deepEqual(seen, ["message"]);
  gate.resolve();
  channel.gate = undefined;
  await settle();
  assert.deepEqual(seen, ["message", "message", "end"]);
});

test("StreamTransport that loses its channel reports it, closes once, and forgets what was unsent", async () => {
  const channel = new TestChannel();
  const transport = new StreamTransport(channel);
  const seen: string[] = [];
  transport.onerror = (error) => void seen.push(error.message);
  transport.onclose = () => void seen.push("close");
  await transport.start();
  channel.fail(new Error("EPIPE"));
  channel.fail(new Error("EPIPE again"));
  await transport.close();
  assert.deepEqual(seen, ["EPIPE", "close"]);
  assert.equal(channel.closed, true);
});

test("StreamTransport delivers every message once, whatever the receiver throws", async () => {
  const channel = new TestChannel();
  const transport = new StreamTransport(channel);
  const delivered: unknown[] = [];
  const errors: string[] = [];
  transport.onmessage = (message) => {
    delivered.push(message);
    if (message === 2) throw new Error("of the receiver");
  };
  transport.onerror = (error) => void errors.push(error.message);
  await transport.start();
  channel.feed("1\n2\n3\n");
  channel.feed("4\n");
  assert.deepEqual(delivered, [1, 2, 3, 4]);
  assert.deepEqual(errors, ["of the receiver"]);
});

test("StreamTransport refuses what cannot be written, and writes what follows on a line of its own", async () => {
  const channel = new TestChannel();
  const transport = new StreamTransport(channel);
  await transport.start();
  const good = { jsonrpc: "2.0", id: 1, result: 1 } as const;
  await assert.rejects(
    transport.send([good, { jsonrpc: "2.0", id: 2, result: 1n }]),
    /cannot be written as JSON/,
  );
  await transport.send(good);
  assert.deepEqual(channel.messages, [good]);
});
