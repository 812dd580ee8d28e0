/** What does every carrier keep? The contract of `transport.ts` as tests, run over each of them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "../../lib/jsonrpc/message.ts";
import type { MessageContext, Transport } from "../../lib/transport/transport.ts";

/** A carrier under test, and a carrier at its other end. */
export type MakePair = () => Promise<[Transport, Transport]>;

const hello: Message = { jsonrpc: "2.0", method: "hello" };

/** Collects what arrives; `count` resolves when that many messages are there. */
function collect(
  transport: Transport,
): { got: [unknown, MessageContext][]; count(n: number): Promise<void> } {
  const got: [unknown, MessageContext][] = [];
  let wake: (() => void) | undefined;
  transport.onmessage = (message, context) => {
    got.push([message, context]);
    wake?.();
  };
  return {
    got,
    async count(n: number): Promise<void> {
      while (got.length < n) await new Promise<void>((resolve) => wake = resolve);
    },
  };
}

/** Declares the tests for one kind of carrier. */
export function testContract(name: string, makePair: MakePair): void {
  test(`${name} carrier delivers messages of every size in order, with their context`, async () => {
    const [near, far] = await makePair();
    const inbox = collect(far);
    await Promise.all([near.start(), far.start()]);
    const sent = Array.from({ length: 200 }, (_, index): Message => ({
      jsonrpc: "2.0",
      id: index,
      method: "n",
      params: { text: "ä€𝄞\n".repeat(index * 20) },
    }));
    // Not awaited one by one: the order of the calls is the order on the wire.
    await Promise.all(sent.map((message) => near.send(message)));
    await inbox.count(sent.length);
    assert.deepEqual(inbox.got.map(([message]) => message), sent);
    for (const [, context] of inbox.got) {
      assert.ok(Math.abs(Date.now() - context.receivedAt) < 60_000);
      assert.ok(Object.isFrozen(context));
    }
    await Promise.all([near.close(), far.close()]);
  });

  test(`${name} carrier delivers a batch as one list`, async () => {
    const [near, far] = await makePair();
    const inbox = collect(far);
    await Promise.all([near.start(), far.start()]);
    await near.send([hello, hello]);
    await inbox.count(1);
    assert.deepEqual(inbox.got[0]![0], [hello, hello]);
    await Promise.all([near.close(), far.close()]);
  });

  test(`${name} transport says whether it is open`, async () => {
    const [near, far] = await makePair();
    assert.equal(near.isOpen, false);
    await Promise.all([near.start(), far.start()]);
    assert.equal(near.isOpen, true);
    await assert.rejects(near.start(), /Cannot start/);
    await near.close();
    assert.equal(near.isOpen, false);
    await far.close();
  });

  test(`${name} carrier closes once, whoever closes and however often, and sends what was given before`, async () => {
    const [near, far] = await makePair();
    const inbox = collect(far);
    let closes = 0;
    near.onclose = () => closes++;
    const farClosed = new Promise<void>((resolve) => far.onclose = resolve);
    await Promise.all([near.start(), far.start()]);
    void near.send(hello);
    await Promise.all([near.close(), near.close()]);
    await near.close();
    await farClosed;
    assert.equal(inbox.got.length, 1);
    assert.equal(closes, 1);
    await assert.rejects(near.send(hello), /Cannot send/);
  });

  test(`${name} carrier reports the end of the other side's input and can still be told to close`, async () => {
    const [near, far] = await makePair();
    const ended = new Promise<void>((resolve) => far.onend = resolve);
    const closed = new Promise<void>((resolve) => far.onclose = resolve);
    await Promise.all([near.start(), far.start()]);
    await near.close();
    await ended;
    await far.close();
    await closed;
  });
}
