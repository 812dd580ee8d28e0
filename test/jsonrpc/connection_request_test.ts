/** How does a handler ask the other side something that belongs to its request? */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Response } from "../../lib/jsonrpc/message.ts";
import type { Call } from "../../lib/jsonrpc/connection.ts";
import { failure, RpcError, success, toErrorObject } from "../../lib/jsonrpc/message.ts";
import { Connection } from "../../lib/jsonrpc/connection.ts";
import { StreamTransport } from "../../lib/transport/stream.ts";
import { settle, TestChannel } from "../harness/wire_pair.ts";

/** A peer whose handler the test writes; what it throws is the answer. */
async function converse(
  handle: (call: Call) => Promise<unknown>,
): Promise<{ channel: TestChannel; peer: Connection; complaints: string[] }> {
  const channel = new TestChannel();
  const complaints: string[] = [];
  const peer = new Connection(new StreamTransport(channel), {
    onrequest: ({ id }, call): Promise<Response> =>
      handle(call).then((result) => success(id, result), (cause) => failure(id, toErrorObject(cause))),
    onerror: ({ message }) => void complaints.push(message),
    graceMs: 5000,
  });
  await peer.start();
  channel.feed('{"jsonrpc":"2.0","id":"theirs","method":"work"}\n');
  await settle();
  return { channel, peer, complaints };
}

test("sendRequest() sends a request of its own, and gives what it was answered", async () => {
  const { channel } = await converse(async (
    call,
  ) => [await call.sendRequest!("a", { x: 1 }), await call.sendRequest!("b")]);
  assert.deepEqual(channel.messages.at(-1), { jsonrpc: "2.0", id: 1, method: "a", params: { x: 1 } });
  channel.feed('{"jsonrpc":"2.0","id":1,"result":"one"}\n');
  await settle();
  channel.feed('{"jsonrpc":"2.0","id":2,"result":"two"}\n');
  await settle();
  assert.deepEqual(channel.messages.at(-1), { jsonrpc: "2.0", id: "theirs", result: ["one", "two"] });
});

test("sendRequest() rejects with the error that it was answered", async () => {
  const { channel } = await converse((call) => call.sendRequest!("a"));
  channel.feed('{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"The user said no","data":7}}\n');
  await settle();
  assert.deepEqual(channel.messages.at(-1), {
    jsonrpc: "2.0",
    id: "theirs",
    error: { code: -1, message: "The user said no", data: 7 },
  });
});

test("sendRequest() takes its question back when its signal says so, and the answer that crosses that is nothing", async () => {
  const controller = new AbortController();
  const { channel, complaints } = await converse((call) =>
    call.sendRequest!("a", {}, controller.signal).catch((cause) => cause.message)
  );
  controller.abort(new Error("no longer needed"));
  await settle();
  assert.deepEqual(channel.messages.slice(1), [
    {
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: 1, reason: "no longer needed" },
    },
    { jsonrpc: "2.0", id: "theirs", result: "no longer needed" },
  ]);
  channel.feed('{"jsonrpc":"2.0","id":1,"result":0}\n');
  await settle();
  assert.deepEqual(complaints, []);
  channel.feed('{"jsonrpc":"2.0","id":1,"result":0}\n');
  await settle();
  assert.deepEqual(complaints, ["A response matches no request: 1"]);
});

test("sendRequest() asks nothing when its signal is aborted already", async () => {
  const { channel } = await converse((call) =>
    call.sendRequest!("a", {}, AbortSignal.abort(new RpcError(5, "late")))
  );
  assert.deepEqual(channel.messages, [{ jsonrpc: "2.0", id: "theirs", error: { code: 5, message: "late" } }]);
});

test("at the end of input a question is given up at once, and its request is still answered", async () => {
  const { channel, peer } = await converse((call) => call.sendRequest!("a").catch((cause) => cause.message));
  channel.end();
  await peer.closed;
  assert.deepEqual(channel.messages.slice(1), [
    { jsonrpc: "2.0", id: "theirs", result: "The connection ended before a was answered" },
  ]);
});

test("after the end of input nothing is asked any more", async () => {
  const gate = Promise.withResolvers<void>();
  const { channel, peer } = await converse(async (call) => {
    await gate.promise;
    return await call.sendRequest!("a").catch((cause) => cause.message);
  });
  channel.end();
  gate.resolve();
  await peer.closed;
  assert.deepEqual(channel.messages, [
    { jsonrpc: "2.0", id: "theirs", result: "The connection ended before a was answered" },
  ]);
});

test("a request that is over asks nothing", async () => {
  let late: Call | undefined;
  const { channel, peer } = await converse((call) => {
    late = call;
    return Promise.resolve("done");
  });
  await assert.rejects(late!.sendRequest!("a"), /Cannot send a: the request it belongs to is answered/);
  const { peer: other } = await converse((call) => {
    late = call;
    return new Promise(() => {});
  });
  other.cancel("theirs", "stop");
  await assert.rejects(late!.sendRequest!("a"), /stop/);
  assert.equal(channel.messages.length, 1);
  await peer.close();
  await other.close();
});
