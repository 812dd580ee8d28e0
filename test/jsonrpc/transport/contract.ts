/** Tests of the contract in `transport.ts`, which run for each kind of transport. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "../../../lib/jsonrpc/mod.ts";
import type { MessageContext, Transport } from "../../../lib/jsonrpc/transport/mod.ts";
import { until } from "../../harness/process.ts";

const hello: Message = { jsonrpc: "2.0", method: "hello" };

/** Declares the tests for one kind of transport. `makePair` makes both ends. */
export function testContract(name: string, makePair: () => Promise<[Transport, Transport]>): void {
  /** Two transports, and what arrives at the second one after they are started. */
  async function open() {
    const [near, far] = await makePair();
    const inbox: [unknown, MessageContext][] = [];
    far.onmessage = (message, context) => void inbox.push([message, context]);
    const ended = new Promise<void>((resolve) => far.onend = resolve);
    const start = () => Promise.all([near.start(), far.start()]);
    return { near, far, inbox, ended, start };
  }

  test(`${name} transport delivers messages of every size in order, with their context`, async () => {
    const { near, far, inbox, start } = await open();
    await start();
    const sent = Array.from({ length: 200 }, (_, id): Message => ({
      jsonrpc: "2.0",
      id,
      method: "n",
      params: { text: "ä€𝄞\n".repeat(id * 20) },
    }));
    // The promises are not awaited, because the order of calls must be kept anyway.
    await Promise.all([...sent, [hello, hello]].map((message) => near.send(message)));
    await until("all have arrived", () => inbox.length > sent.length);
    assert.deepEqual(inbox.map(([message]) => message), [...sent, [hello, hello]]);
    for (const [, context] of inbox) {
      assert.ok(Math.abs(Date.now() - context.receivedAt) < 60_000);
      assert.ok(Object.isFrozen(context));
    }
    await Promise.all([near.close(), far.close()]);
  });

  test(`${name} transport tells whether it is open, and starts only once`, async () => {
    const { near, far, start } = await open();
    assert.equal(near.isOpen, false);
    await start();
    assert.equal(near.isOpen, true);
    await assert.rejects(near.start(), /Cannot start/);
    await near.close();
    assert.equal(near.isOpen, false);
    await far.close();
  });

  test(`${name} transport closes once, even if it is closed twice, and sends its output first`, async () => {
    const { near, far, inbox, ended, start } = await open();
    let closes = 0;
    near.onclose = () => closes++;
    const farClosed = new Promise<void>((resolve) => far.onclose = resolve);
    await start();
    void near.send(hello);
    await Promise.all([near.close(), near.close()]);
    await near.close();
    // The other side is notified of the end of its input, and can still close.
    await ended;
    assert.equal(far.isOpen, true);
    await far.close();
    await farClosed;
    assert.equal(inbox.length, 1);
    assert.equal(closes, 1);
    await assert.rejects(near.send(hello), /Cannot send/);
  });

  test(`${name} transport without onend closes at the end of its input`, async () => {
    const { near, far, start } = await open();
    far.onend = undefined;
    const closed = new Promise<void>((resolve) => far.onclose = resolve);
    await start();
    await near.close();
    await closed;
  });
}
