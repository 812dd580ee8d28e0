import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { until } from "../../harness/process.ts";
import { pathToFileURL } from "node:url";
import type { ByteChannel, ByteEvents } from "../../../deps.ts";
import type { JsonChunk } from "../../../lib/jsonrpc/mod.ts";
import { MalformedMessageError, RawJson, success } from "../../../lib/jsonrpc/mod.ts";
import type { StreamOptions } from "../../../lib/jsonrpc/transport/mod.ts";
import { memoryTransports, StreamTransport } from "../../../lib/jsonrpc/transport/mod.ts";
import { makeFolder } from "../../harness/folder.ts";
import { command, REPOSITORY } from "../../harness/runtime.ts";
import { settle, TestChannel } from "../../harness/wire_pair.ts";
import { testContract } from "./contract.ts";

/** The outbound high-water mark, and the maximum size of a write, in bytes. */
const MAX_UNSENT_BYTES = 1024 * 1024, MAX_WRITE_BYTES = 512 * 1024;
const encoder = new TextEncoder();

/** Two channels. Each reads what the other one writes, in pieces of 1,000 bytes. */
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
testContract("memory", () => Promise.resolve(memoryTransports()));

test("memoryTransports() share no objects: messages arrive as copies, and raw results as values", async () => {
  const [near, far] = memoryTransports();
  const arrived = new Promise<unknown>((resolve) => far.onmessage = resolve);
  await near.start();
  await near.send(success(1, new RawJson([encoder.encode('"a":"ä"')])));
  await far.start();
  assert.deepEqual(await arrived, { jsonrpc: "2.0", id: 1, result: { a: "ä" } });
});

/** A started transport, its channel, and what it delivers: values, and the codes of errors. */
async function open(options: StreamOptions = {}) {
  const channel = new TestChannel();
  const transport = new StreamTransport(channel, options);
  const seen: unknown[] = [];
  transport.onmessage = (message) => void seen.push(message);
  transport.onerror = (error, context) => {
    assert.equal(error instanceof MalformedMessageError, context !== undefined);
    seen.push(error instanceof MalformedMessageError ? error.code : error.message);
  };
  transport.onend = () => void seen.push("end");
  transport.onclose = () => void seen.push("close");
  await transport.start();
  return { channel, transport, seen };
}

/** Feeds bytes in chunks of a size, and ends. */
async function read(bytes: Uint8Array, size: number, maxLineBytes?: number): Promise<unknown[]> {
  const { channel, seen } = await open(maxLineBytes === undefined ? {} : { maxLineBytes });
  for (let start = 0; start < bytes.length; start += size) channel.feed(bytes.subarray(start, start + size));
  channel.end();
  assert.equal(seen.pop(), "end");
  return seen;
}

test("a transport waits only for a promise that onmessage returns, and for nothing else", async () => {
  for (const returned of [1, "x", {}, [], true, { then: 7 }, null, undefined, 0]) {
    const [left, right] = memoryTransports(), received: unknown[] = [];
    right.onmessage = (message) => {
      received.push(message);
      return returned as never;
    };
    await Promise.all([left.start(), right.start()]);
    for (const method of ["a", "b", "c"]) await left.send({ jsonrpc: "2.0", method });
    await until("all have arrived", () => received.length === 3);
    await left.close();
  }
});

test("StreamTransport reads the same lines however the bytes are split", async () => {
  const text = '{"a":"ä€𝄞"}\n\r\n\n   \n{"b":1}\r\n\uFEFF{"c":2}\n"last without an end"';
  const bytes = encoder.encode(text);
  for (let size = 1; size <= bytes.length; size++) {
    assert.deepEqual(await read(bytes, size), [{ a: "ä€𝄞" }, { b: 1 }, { c: 2 }, "last without an end"]);
  }
});

test("StreamTransport reports each malformed line once, and continues to read", async () => {
  const notUtf8 = Uint8Array.from([...encoder.encode('"a"\n"'), 0xff, ...encoder.encode('"\n"b"\n')]);
  const tooLong = encoder.encode(`"ok"\n${"x".repeat(50)}\n"after"\nnonsense\n1\n`);
  for (const size of [1, 7, 20, 1000]) {
    assert.deepEqual(await read(notUtf8, size), ["a", -32700, "b"]);
    assert.deepEqual(await read(tooLong, size, 16), ["ok", -32600, "after", -32700, 1]);
  }
  for (const length of [16, 17]) {
    const expected = length === 16 ? "x".repeat(14) : -32600;
    assert.deepEqual(await read(encoder.encode(`"${"x".repeat(length - 2)}"\n`), 1000, 16), [expected]);
  }
});

test("StreamTransport takes linear time for a long line in small chunks", async () => {
  const [text] = await read(encoder.encode(`"${"x".repeat(512 * 1024)}"\n`), 1);
  assert.equal((text as string).length, 512 * 1024);
});

/** Returns the writes of one message. They are copied, because their memory is reused. */
async function writesOf(members: readonly JsonChunk[]): Promise<Uint8Array[][]> {
  const { channel, transport } = await open();
  const writes: Uint8Array[][] = [];
  channel.write = (pieces) => {
    const isGiven = ({ buffer }: Uint8Array) =>
      members.some((chunk) => (chunk as Uint8Array).buffer === buffer);
    writes.push(pieces.map((piece) => isGiven(piece) ? piece : piece.slice()));
    return Promise.resolve();
  };
  await transport.send(success(1, new RawJson(members)));
  return writes;
}

test("StreamTransport keeps the order of all bytes, and fills every write but the last", async () => {
  const lengths = [1, MAX_WRITE_BYTES - 1, 1, 2 * MAX_WRITE_BYTES + 3, 0, 70_000, 3, MAX_WRITE_BYTES];
  const bytes = (length: number) => Uint8Array.from({ length }, (_, index) => 97 + (length + index) % 26);
  const texts = ["x", "ä", "€", "𝄞"].map((character) => character.repeat(MAX_WRITE_BYTES / 2 + 1));
  const members = ['"text":"', ...lengths.map(bytes), ...texts, '"'];
  const writes = await writesOf(members);
  const { result } = JSON.parse(new TextDecoder().decode(Buffer.concat(writes.flat())));
  assert.equal(
    result.text.length,
    lengths.reduce((sum, length) => sum + length) + 5 * (MAX_WRITE_BYTES / 2 + 1),
  );
  assert.ok(result.text.endsWith(texts.join("")));
  const sizes = writes.map((write) => write.reduce((sum, piece) => sum + piece.length, 0));
  // A character is not split.
  for (const size of sizes.slice(0, -1)) assert.ok(size > MAX_WRITE_BYTES - 4 && size <= MAX_WRITE_BYTES);
  assert.ok(writes.flat().every((piece) => piece.length > 0));
});

test("StreamTransport joins small chunks and does not copy large ones", async () => {
  const large = encoder.encode("x".repeat(100_000));
  const [pieces, ...others] = await writesOf(['"a":"', encoder.encode("b"), large, '"']);
  assert.deepEqual([pieces!.length, pieces![1], others], [3, large, []]);
  assert.equal(pieces![1]!.buffer, large.buffer);
});

test("StreamTransport writes the answers to one chunk at once", async () => {
  const { channel, transport } = await open();
  let writes = 0;
  const write = channel.write.bind(channel);
  channel.write = (pieces) => {
    writes++;
    assert.equal(pieces.length, 1);
    return write(pieces);
  };
  transport.onmessage = () => void transport.send({ jsonrpc: "2.0", id: 1, result: 0 });
  channel.feed("1\n".repeat(50));
  await settle();
  assert.equal(writes, 1);
  assert.equal(channel.messages.length, 50);
});

test("StreamTransport reports the end of input after all messages are delivered", async () => {
  const { channel, transport, seen } = await open();
  const gate = Promise.withResolvers<void>();
  channel.gate = gate.promise;
  transport.onmessage = (message) => {
    seen.push(message);
    void transport.send({ jsonrpc: "2.0", id: 1, result: "x".repeat(MAX_UNSENT_BYTES + 1) });
  };
  channel.feed("1\n2\n");
  channel.end();
  await settle();
  assert.deepEqual(seen, [1]);
  gate.resolve();
  channel.gate = undefined;
  await settle();
  assert.deepEqual(seen, [1, 2, "end"]);
});

for (const isBehind of [false, true]) {
  const where = isBehind ? "that it has not read" : "that it has read";
  test(`StreamTransport ends when the peer reads nothing and its output ends ${where}, after waiting messages`, async () => {
    const { channel, transport, seen } = await open({ stallMs: 20 });
    channel.gate = new Promise(() => {});
    transport.onmessage = (message) => {
      seen.push(message);
      void transport.send({ jsonrpc: "2.0", id: 1, result: "x".repeat(MAX_UNSENT_BYTES + 1) });
    };
    transport.onend = () => void transport.close(0);
    channel.feed("1\n2\n");
    // Reading stops at once, and later continues to look for the end of input.
    assert.equal(channel.paused, true);
    if (isBehind) {
      while (channel.paused) await settle();
      // At most 4 MiB are read to look for it.
      const line = `"${"x".repeat(1024 * 1024)}"\n`;
      for (let lines = 0; lines < 3; lines++) channel.feed(line);
      assert.equal(channel.paused, false);
      channel.feed(line);
      assert.equal(channel.paused, true);
    }
    channel.end();
    while (!channel.closed) await settle();
    assert.deepEqual(seen, [1, "close"]);
  });
}

test("StreamTransport does not keep its process alive when the peer reads nothing", (t) => {
  const folder = makeFolder(t, {
    "stalled.ts": `
      import { StreamTransport } from ${
      JSON.stringify(pathToFileURL(`${REPOSITORY}/lib/jsonrpc/transport/mod.ts`))
    };
      const channel = { open: (events) => channel.events = events, pause() {}, resume() {}, close() {} };
      channel.write = () => new Promise(() => {});
      const transport = new StreamTransport(channel);
      transport.onmessage = () => void transport.send({ jsonrpc: "2.0", id: 1, result: "x".repeat(2 ** 21) });
      await transport.start();
      channel.events.data(new TextEncoder().encode("1\\n2\\n"));`,
  });
  const [program, args] = command([], { module: `${folder}/stalled.ts` });
  assert.equal(
    spawnSync(program, args, { timeout: 7000 }).status,
    0,
    "it ends before the peer counts as stalled",
  );
});

test("StreamTransport reports a failure of its channel, closes once, and drops its output", async () => {
  const { channel, transport, seen } = await open();
  channel.fail(new Error("EPIPE"));
  channel.fail(new Error("EPIPE again"));
  await transport.close();
  assert.deepEqual(seen, ["EPIPE", "close"]);
  assert.equal(channel.closed, true);
});

test("StreamTransport delivers every message once, even if the receiver throws", async () => {
  const { channel, transport, seen } = await open();
  transport.onerror = (error) => void seen.push(error.message);
  transport.onmessage = (message) => {
    seen.push(message);
    if (message === 2) throw new Error("of the receiver");
  };
  channel.feed("1\n2\n3\n");
  channel.feed("4\n");
  assert.deepEqual(seen, [1, 2, "of the receiver", 3, 4]);
});

test("StreamTransport refuses a message that cannot be written, and writes the next one on its own line", async () => {
  const { channel, transport } = await open();
  const good = { jsonrpc: "2.0", id: 1, result: 1 } as const;
  await assert.rejects(
    transport.send([good, { jsonrpc: "2.0", id: 2, result: 1n }]),
    /cannot be written as JSON/,
  );
  await transport.send(good);
  assert.deepEqual(channel.messages, [good]);
});
