import assert from "node:assert/strict";
import { test } from "node:test";
import type { Request, Response } from "../../lib/jsonrpc/message.ts";
import type { Call, ConnectionOptions } from "../../lib/jsonrpc/connection.ts";
import { failure, notification, RpcError, success, toErrorObject } from "../../lib/jsonrpc/message.ts";
import { Connection } from "../../lib/jsonrpc/connection.ts";
import { StreamTransport } from "../../lib/transport/stream.ts";
import { settle, TestChannel } from "../harness/wire_pair.ts";

/** How many handlers run at a time. */
const MAX_WORKING = 1000;

type Handler = (request: Request, call: Call) => Response | Promise<Response>;

async function converse(
  onrequest: Handler,
  options: Partial<ConnectionOptions> = {},
): Promise<{ channel: TestChannel; peer: Connection }> {
  const channel = new TestChannel();
  const peer = new Connection(new StreamTransport(channel), { ...options, onrequest });
  await peer.start();
  return { channel, peer };
}

const echo: Handler = (request) => success(request.id, request.params ?? null);
const call = (id: unknown) => JSON.stringify({ jsonrpc: "2.0", id, method: "echo" }) + "\n";

/** The methods that the examples of the specification call. */
const examples: Handler = ({ id, method, params }) => {
  const list = (Array.isArray(params) ? params : [params]) as number[];
  if (method === "subtract") {
    const named = params as { minuend: number; subtrahend: number };
    return success(id, Array.isArray(params) ? list[0]! - list[1]! : named.minuend - named.subtrahend);
  }
  if (method === "sum") return success(id, list.reduce((left, right) => left + right, 0));
  if (method === "get_data") return success(id, ["hello", 5]);
  return failure(id, toErrorObject(new RpcError(-32601, "Method not found")));
};

/** Section 7 of the JSON-RPC 2.0 specification: what is sent, and what comes back; messages are not compared. */
const SPECIFICATION: [string, string, unknown][] = [
  ["positional parameters", '{"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}', {
    jsonrpc: "2.0",
    result: 19,
    id: 1,
  }],
  [
    "positional parameters, the other way",
    '{"jsonrpc": "2.0", "method": "subtract", "params": [23, 42], "id": 2}',
    {
      jsonrpc: "2.0",
      result: -19,
      id: 2,
    },
  ],
  [
    "named parameters",
    '{"jsonrpc": "2.0", "method": "subtract", "params": {"subtrahend": 23, "minuend": 42}, "id": 3}',
    { jsonrpc: "2.0", result: 19, id: 3 },
  ],
  [
    "named parameters, the other way",
    '{"jsonrpc": "2.0", "method": "subtract", "params": {"minuend": 42, "subtrahend": 23}, "id": 4}',
    { jsonrpc: "2.0", result: 19, id: 4 },
  ],
  ["a notification", '{"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}', undefined],
  ["a notification of an unknown method", '{"jsonrpc": "2.0", "method": "foobar"}', undefined],
  ["an unknown method", '{"jsonrpc": "2.0", "method": "foobar", "id": "1"}', {
    jsonrpc: "2.0",
    error: -32601,
    id: "1",
  }],
  ["invalid JSON", '{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]', {
    jsonrpc: "2.0",
    error: -32700,
    id: null,
  }],
  ["an invalid request", '{"jsonrpc": "2.0", "method": 1, "params": "bar"}', {
    jsonrpc: "2.0",
    error: -32600,
    id: null,
  }],
  [
    "a batch of invalid JSON",
    '[{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},{"jsonrpc": "2.0", "method"]',
    { jsonrpc: "2.0", error: -32700, id: null },
  ],
  ["an empty batch", "[]", { jsonrpc: "2.0", error: -32600, id: null }],
  ["an invalid batch", "[1]", [{ jsonrpc: "2.0", error: -32600, id: null }]],
  ["an invalid batch of three", "[1,2,3]", [
    { jsonrpc: "2.0", error: -32600, id: null },
    { jsonrpc: "2.0", error: -32600, id: null },
    { jsonrpc: "2.0", error: -32600, id: null },
  ]],
  [
    "a mixed batch",
    `[{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},
      {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]},
      {"jsonrpc": "2.0", "method": "subtract", "params": [42,23], "id": "2"},
      {"foo": "boo"},
      {"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},
      {"jsonrpc": "2.0", "method": "get_data", "id": "9"}]`,
    [
      { jsonrpc: "2.0", result: 7, id: "1" },
      { jsonrpc: "2.0", result: 19, id: "2" },
      { jsonrpc: "2.0", error: -32600, id: null },
      { jsonrpc: "2.0", error: -32601, id: "5" },
      { jsonrpc: "2.0", result: ["hello", 5], id: "9" },
    ],
  ],
  [
    "a batch of notifications",
    '[{"jsonrpc": "2.0", "method": "notify_sum", "params": [1,2,4]},{"jsonrpc": "2.0", "method": "notify_hello"}]',
    undefined,
  ],
];

/** Errors are compared by their code: the words are ours. */
function byCode(answer: unknown): unknown {
  if (Array.isArray(answer)) return answer.map(byCode);
  const { error, ...rest } = answer as { error?: { code: number } };
  return error ? { ...rest, error: error.code } : rest;
}

for (const [name, sent, expected] of SPECIFICATION) {
  test(`Connection answers the specification's example of ${name}`, async () => {
    const { channel } = await converse(examples);
    channel.feed(sent.replaceAll(/\n\s*/g, "") + "\n");
    await settle();
    assert.deepEqual(channel.messages.map(byCode), expected === undefined ? [] : [expected]);
  });
}

test("Connection echoes ids exactly, and answers in the order of requests that are done at once", async () => {
  const { channel } = await converse(echo);
  const ids = [0, "", -1, "0", Number.MAX_SAFE_INTEGER, "ä\u0000", "\ud800"];
  channel.feed(ids.map((id) => call(id)).join(""));
  await settle();
  assert.deepEqual(channel.messages.map((message) => (message as Response).id), ids);
});

test("Connection refuses a second request under an unfinished id without that id, and answers the first", async () => {
  const gate = Promise.withResolvers<void>();
  const { channel } = await converse(async (request) => {
    await gate.promise;
    return success(request.id, "first");
  });
  channel.feed(call(1) + call(1));
  await settle();
  assert.deepEqual(channel.messages.map(byCode), [{ jsonrpc: "2.0", error: -32600, id: null }]);
  gate.resolve();
  await settle();
  assert.deepEqual(channel.messages[1], { jsonrpc: "2.0", id: 1, result: "first" });
  channel.feed(call(1));
  await settle();
  assert.equal(channel.messages.length, 3);
});

test("Connection aborts a cancelled request and does not answer it", async () => {
  let aborted: unknown;
  const { channel, peer } = await converse(async (request, { signal }) => {
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    aborted = signal.reason;
    return success(request.id, "late");
  });
  channel.feed(call(1) + call(2));
  peer.cancel(1, "no longer needed");
  peer.cancel("unknown");
  await settle();
  assert.equal((aborted as DOMException).name, "AbortError");
  assert.equal((aborted as DOMException).message, "no longer needed");
  assert.deepEqual(channel.messages, []);
});

test("Connection gives a signal that is aborted already to a handler that looks late", async () => {
  const gate = Promise.withResolvers<void>();
  let aborted = false;
  const { channel, peer } = await converse(async (request, call) => {
    await gate.promise;
    aborted = call.signal.aborted;
    return success(request.id, 0);
  });
  channel.feed(call(1));
  peer.cancel(1);
  gate.resolve();
  await settle();
  assert.equal(aborted, true);
});

test("Connection lets requests wait past its limit, cancels those that wait, and answers all others", async () => {
  const gates: (() => void)[] = [];
  const { channel, peer } = await converse((request) =>
    new Promise((resolve) => gates.push(() => resolve(success(request.id, 0))))
  );
  const total = MAX_WORKING + 5;
  for (let id = 0; id < total; id++) channel.feed(call(id));
  assert.equal(gates.length, MAX_WORKING);
  peer.cancel(total - 1);
  while (gates.length > 0) {
    gates.splice(0).forEach((open) => open());
    await settle();
  }
  assert.equal(channel.messages.length, total - 1);
});

test("Connection answers what was asked before the end of input, then closes", async () => {
  const gate = Promise.withResolvers<void>();
  const { channel, peer } = await converse(async (request) => {
    await gate.promise;
    return success(request.id, "done");
  });
  channel.feed(call(1) + call(2));
  channel.end();
  await settle();
  assert.equal(channel.closed, false);
  gate.resolve();
  await peer.closed;
  assert.equal(channel.messages.length, 2);
  assert.equal(channel.closed, true);
});

test("Connection aborts handlers that outlast the grace after the end of input", async () => {
  const { channel, peer } = await converse(() => new Promise(() => {}), { graceMs: 10 });
  channel.feed(call(1));
  channel.end();
  await peer.closed;
  assert.deepEqual(channel.messages, []);
});

test("Connection asks and tells the other side, and pairs the answers", async () => {
  const { channel, peer } = await converse(echo);
  const first = peer.request("a", { x: 1 });
  const second = peer.request("b");
  peer.notify("c");
  await settle();
  assert.deepEqual(channel.messages, [
    { jsonrpc: "2.0", id: 1, method: "a", params: { x: 1 } },
    { jsonrpc: "2.0", id: 2, method: "b" },
    { jsonrpc: "2.0", method: "c" },
  ]);
  channel.feed('{"jsonrpc":"2.0","id":2,"error":{"code":5,"message":"no","data":1}}\n');
  channel.feed('{"jsonrpc":"2.0","id":99,"result":0}\n{"jsonrpc":"2.0","id":1,"result":"yes"}\n');
  assert.equal(await first, "yes");
  await assert.rejects(second, (cause) => cause instanceof RpcError && cause.code === 5 && cause.data === 1);
});

test("Connection fails what it asked when the conversation ends first", async () => {
  const { channel, peer } = await converse(echo);
  const asked = peer.request("a");
  channel.fail(new Error("gone"));
  await assert.rejects(asked, /ended before/);
  await assert.rejects(peer.request("b"), /ended before/);
  await peer.closed;
});

test("Connection answers what is done of a batch when the rest of it is cancelled", async () => {
  const { channel, peer } = await converse((request) =>
    request.id === "stuck" ? new Promise(() => {}) : success(request.id, "done")
  );
  const batch = ["stuck", "quick"].map((id) => ({ jsonrpc: "2.0", id, method: "echo" }));
  channel.feed(JSON.stringify(batch) + "\n");
  await settle();
  assert.deepEqual(channel.messages, []);
  peer.cancel("stuck");
  await settle();
  assert.deepEqual(channel.messages, [[{ jsonrpc: "2.0", id: "quick", result: "done" }]]);
});

test("Connection refuses a batch of more than 100 messages as a whole", async () => {
  const { channel } = await converse(echo);
  const batch = (count: number) =>
    JSON.stringify(Array.from({ length: count }, (_, id) => ({ jsonrpc: "2.0", id, method: "echo" }))) + "\n";
  channel.feed(batch(101) + batch(100));
  await settle();
  assert.deepEqual(byCode(channel.messages[0]), { jsonrpc: "2.0", error: -32600, id: null });
  assert.equal((channel.messages[1] as unknown[]).length, 100);
});

test("Connection never answers an answer, and fails what was asked when its answer is malformed", async () => {
  const { channel, peer } = await converse(echo);
  const asked = peer.request("a");
  channel.feed(
    '{"jsonrpc":"2.0","id":1,"result":{"constructor":1}}\n{"jsonrpc":"2.0","id":9,"result":1,"error":1}\n',
  );
  await assert.rejects(asked, /constructor/);
  await settle();
  assert.equal(channel.messages.length, 1);
});

test("Connection closes in the end though handlers are stuck and others wait behind them", async () => {
  const { channel, peer } = await converse(() => new Promise(() => {}), { graceMs: 5 });
  for (let id = 0; id < MAX_WORKING + 1; id++) channel.feed(call(id));
  channel.end();
  await peer.closed;
  assert.deepEqual(channel.messages, []);
});

test("Connection closes in the end though what a request needs never comes", async () => {
  const { channel, peer } = await converse(echo, {
    graceMs: 5,
    onarrival: () => ({ ready: new Promise(() => {}) }),
  });
  channel.feed(call(1));
  channel.end();
  await peer.closed;
  assert.deepEqual(channel.messages, []);
});

test("Connection says that nothing more will be asked, so that what has no end of its own can come to one", async () => {
  const over = Promise.withResolvers<void>();
  let ends = 0;
  const { channel, peer } = await converse(async (request) => {
    await over.promise;
    return success(request.id, "the end");
  }, {
    onend: () => {
      ends++;
      over.resolve();
    },
  });
  channel.feed(call(1));
  await settle();
  assert.equal(ends, 0);
  channel.end();
  await peer.closed;
  assert.equal(ends, 1);
  assert.deepEqual(channel.messages, [{ jsonrpc: "2.0", id: 1, result: "the end" }]);
});

test("Call.epilogue is sent after the response, and not for a cancelled request", async () => {
  const ids = [7, "", 0];
  const { channel, peer } = await converse((request, call) => {
    call.epilogue = notification("answered", { id: request.id });
    if (request.id === "cancelled") return new Promise(() => {});
    return request.id === 0 ? Promise.resolve(success(0, 0)) : success(request.id, 0);
  });
  channel.feed([...ids, "cancelled"].map((id) => call(id)).join("") + "{\n");
  peer.cancel("cancelled");
  channel.end();
  await peer.closed;
  const followed = (id: unknown) => {
    const at = channel.messages.findIndex((message) => (message as Response).id === id);
    return channel.messages[at + 1];
  };
  for (const id of ids) {
    assert.deepEqual(followed(id), { jsonrpc: "2.0", method: "answered", params: { id } });
  }
  assert.equal(channel.messages.filter((message) => "method" in (message as object)).length, ids.length);
});
