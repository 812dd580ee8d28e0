import assert from "node:assert/strict";
import { test } from "node:test";
import type { Call, ConnectionOptions, Request, Response } from "../../lib/jsonrpc/mod.ts";
import type { TestChannel } from "../harness/wire_pair.ts";
import {
  failure,
  notification,
  RawJson,
  request,
  RpcError,
  success,
  toErrorObject,
} from "../../lib/jsonrpc/mod.ts";
import { call, converse, settle } from "../harness/wire_pair.ts";

/** How many handlers run at a time. */
const MAX_WORKING = 1000;
/** The length of a response that takes many writes. */
const MAX_RESPONSE = 4 * 1024 * 1024;

const done = ({ id }: Request): Response => success(id, "done");
const never = (): Promise<never> => new Promise(() => {});
const ids = (channel: TestChannel) => channel.messages.map((message) => (message as Response).id);

/** A connection whose handlers wait until the test releases them. */
async function converseGated(options: Partial<ConnectionOptions> = {}) {
  const gate = Promise.withResolvers<void>();
  const conversation = await converse((request) => gate.promise.then(() => done(request)), options);
  return { ...conversation, release: gate.resolve };
}

/** A batch of requests. */
const batch = (...ids: unknown[]) => `[${ids.map((id) => call(id).trim()).join(",")}]\n`;

/** The methods that the examples of the specification call. */
function examples({ id, method, params }: Request): Response {
  const list = params as number[];
  const { minuend = list?.[0]!, subtrahend = list?.[1]! } = (params ?? {}) as Record<string, number>;
  if (method === "subtract") return success(id, minuend - subtrahend);
  if (method === "sum") return success(id, list.reduce((left, right) => left + right));
  if (method === "get_data") return success(id, ["hello", 5]);
  return failure(id, toErrorObject(new RpcError(-32601, "Method not found")));
}

/** Section 7 of the JSON-RPC 2.0 specification, as it is written there, but for the version and the messages of responses. */
const SPECIFICATION = `
positional params
--> {"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}
<-- {"result": 19, "id": 1}
reversed params
--> {"jsonrpc": "2.0", "method": "subtract", "params": [23, 42], "id": 2}
<-- {"result": -19, "id": 2}
named params
--> {"jsonrpc": "2.0", "method": "subtract", "params": {"subtrahend": 23, "minuend": 42}, "id": 3}
<-- {"result": 19, "id": 3}
named params, reversed
--> {"jsonrpc": "2.0", "method": "subtract", "params": {"minuend": 42, "subtrahend": 23}, "id": 4}
<-- {"result": 19, "id": 4}
a notification
--> {"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}
a notification of an unknown method
--> {"jsonrpc": "2.0", "method": "foobar"}
an unknown method
--> {"jsonrpc": "2.0", "method": "foobar", "id": "1"}
<-- {"error": -32601, "id": "1"}
invalid JSON
--> {"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]
<-- {"error": -32700, "id": null}
an invalid request
--> {"jsonrpc": "2.0", "method": 1, "params": "bar"}
<-- {"error": -32600, "id": null}
a batch of invalid JSON
--> [{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},{"jsonrpc": "2.0", "method"]
<-- {"error": -32700, "id": null}
an empty batch
--> []
<-- {"error": -32600, "id": null}
an invalid batch
--> [1]
<-- [{"error": -32600, "id": null}]
an invalid batch of three
--> [1,2,3]
<-- [{"error": -32600, "id": null}, {"error": -32600, "id": null}, {"error": -32600, "id": null}]
a mixed batch
--> [
      {"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},
      {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]},
      {"jsonrpc": "2.0", "method": "subtract", "params": [42,23], "id": "2"},
      {"foo": "boo"},
      {"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},
      {"jsonrpc": "2.0", "method": "get_data", "id": "9"}]
<-- [{"result": 7, "id": "1"}, {"result": 19, "id": "2"}, {"error": -32600, "id": null},
      {"error": -32601, "id": "5"}, {"result": ["hello", 5], "id": "9"}]
a batch of notifications
--> [{"jsonrpc": "2.0", "method": "notify_sum", "params": [1,2,4]},{"jsonrpc": "2.0", "method": "notify_hello"}]
`.replaceAll(/\n {2,}/g, "");

/** A response without its version, and with the code of its error alone: the words are ours. */
function brief(response: unknown): unknown {
  if (Array.isArray(response)) return response.map(brief);
  const { jsonrpc, error, ...rest } = response as { jsonrpc: string; error?: { code: number } };
  assert.equal(jsonrpc, "2.0");
  return error ? { ...rest, error: error.code } : rest;
}

for (const [, name, sent, received] of SPECIFICATION.matchAll(/^(\w.*)\n--> (.*)\n(?:<-- (.*)\n)?/gm)) {
  test(`Connection answers the specification's example of ${name}`, async () => {
    const { channel } = await converse(examples);
    channel.feed(`${sent}\n`);
    await settle();
    assert.deepEqual(channel.messages.map(brief), received === undefined ? [] : [JSON.parse(received)]);
  });
}

test("Connection aborts a cancelled request and does not answer it", async () => {
  const aborted: unknown[] = [];
  const gate = Promise.withResolvers<void>();
  const { channel, connection } = await converse(async (request, call) => {
    if (request.id === "early") call.signal.addEventListener("abort", () => aborted.push(call.signal.reason));
    await gate.promise;
    // A signal that is asked for late is aborted already.
    aborted.push(call.signal.reason);
    return success(request.id, "late");
  });
  channel.feed(call("early"));
  connection.cancel("early", "no longer needed");
  connection.cancel("unknown");
  channel.feed(call("late"));
  connection.cancel("late");
  gate.resolve();
  await settle();
  const [first, second, third] = aborted as DOMException[];
  assert.deepEqual([first!.name, first!.message], ["AbortError", "no longer needed"]);
  assert.equal(second, first);
  assert.equal(third!.name, "AbortError");
  assert.deepEqual(channel.messages, []);
});

test("Connection lets requests wait past its limit, cancels those that wait, and answers all others", async () => {
  const gates: (() => void)[] = [];
  const { channel, connection } = await converse(({ id }) =>
    new Promise((resolve) => gates.push(() => resolve(success(id, 0))))
  );
  const total = MAX_WORKING + 5;
  for (let id = 0; id < total; id++) channel.feed(call(id));
  assert.equal(gates.length, MAX_WORKING);
  connection.cancel(total - 1);
  while (gates.length > 0) {
    gates.splice(0).forEach((open) => open());
    await settle();
  }
  assert.equal(channel.messages.length, total - 1);
});

test("Connection pairs the responses to its own requests", async () => {
  const { channel, connection } = await converse(done);
  const first = connection.request("a", { x: 1 });
  const second = connection.request("b");
  const malformed = connection.request("c");
  connection.notify("d");
  await settle();
  const sent = [request(1, "a", { x: 1 }), request(2, "b"), request(3, "c"), notification("d")];
  assert.deepEqual(channel.messages, sent);
  const responses = ['2,"error":{"code":5,"message":"no","data":1}', '99,"result":0', '1,"result":"yes"'];
  responses.push('3,"result":{"constructor":{"prototype":1}}', '9,"result":1,"error":1');
  for (const response of responses) channel.feed(`{"jsonrpc":"2.0","id":${response}}\n`);
  assert.equal(await first, "yes");
  await assert.rejects(second, (cause) => cause instanceof RpcError && cause.code === 5 && cause.data === 1);
  await assert.rejects(malformed, /constructor/);
  await settle();
  // A response is never answered, not even a malformed one.
  assert.equal(channel.messages.length, 4);
});

test("Connection answers what is done of a batch when the rest of it is cancelled", async () => {
  const { channel, connection } = await converse((request) =>
    request.id === "stuck" ? never() : done(request)
  );
  channel.feed(batch("stuck", "quick"));
  await settle();
  assert.deepEqual(channel.messages, []);
  connection.cancel("stuck");
  await settle();
  assert.deepEqual(channel.messages.map(brief), [[{ id: "quick", result: "done" }]]);
});

test("Connection bounds the responses to a batch, but not a single one", async () => {
  const long = new TextEncoder().encode(`"text":"${"x".repeat(MAX_RESPONSE)}"`);
  const { channel } = await converse(({ id }) =>
    success(id, new RawJson(id === "a" ? [long, ",", long, ",", long, ",", long] : [long]))
  );
  channel.feed(batch(...Array(50).keys()) + batch("a", "b"));
  await settle();
  for (const [index, whole] of [3, 1].entries()) {
    const responses = channel.messages[index] as Response[];
    const refused = responses.filter(({ error }) => /too long together: send/.test(error?.message ?? ""));
    assert.equal(responses.length - refused.length, whole);
    assert.deepEqual(refused[0]?.id, index === 0 ? 3 : "b");
  }
});

for (const isOurs of [true, false]) {
  const ended = isOurs ? "end()" : "the end of input";

  test(`after ${ended} Connection answers what was asked, takes nothing that comes later, and closes`, async () => {
    const seen: unknown[] = [];
    const { channel, connection, release } = await converseGated({
      accept: ({ request: { id } }) => void seen.push(id),
      onnotification: ({ method }) => void seen.push(method),
    });
    channel.feed(call(1) + call(2));
    if (isOurs) {
      connection.end();
      connection.end();
      channel.feed(`${call(3)}{"jsonrpc":"2.0","method":"late"}\nno message\n[]\n`);
    } else channel.end();
    await settle();
    assert.deepEqual([seen, channel.written, channel.closed], [[1, 2], "", false]);
    release();
    await connection.closed;
    assert.deepEqual([ids(channel), channel.closed], [[1, 2], true]);
    connection.end();
  });

  test(`after ${ended} Connection gives up handlers that outlast the grace with an error, and closes`, async () => {
    const givenUp: unknown[] = [];
    const ongiveup: ConnectionOptions["ongiveup"] = ({ request, cancelled }) =>
      void givenUp.push(cancelled instanceof DOMException && request.id);
    const { channel, connection } = await converse(never, { graceMs: 5, ongiveup });
    // Some wait after the stuck ones.
    for (let id = 0; id < MAX_WORKING + 1; id++) channel.feed(call(id));
    if (isOurs) connection.end();
    else channel.end();
    await connection.closed;
    const all = Array.from({ length: MAX_WORKING + 1 }, (_, id) => id);
    assert.deepEqual(ids(channel).toSorted((a, b) => Number(a) - Number(b)), all);
    for (const message of channel.messages as Response[]) {
      assert.match(message.error!.message, /was given up/);
    }
    assert.equal(givenUp.length, all.length);
  });
}

test("Connection waits longer for requests that have a longer grace, unless the end has one of its own", async () => {
  const gate = Promise.withResolvers<void>();
  const answer = (request: Request) => request.id === 2 ? gate.promise.then(() => done(request)) : never();
  const graceOf: ConnectionOptions["graceOf"] = ({ request }) => request.id === 1 ? 5 : Infinity;
  const { channel, connection } = await converse(answer, { graceMs: 5, graceOf });
  channel.feed(call(1) + call(2) + call(3));
  channel.end();
  while (channel.messages.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  assert.deepEqual(ids(channel), [1]);
  gate.resolve();
  while (channel.messages.length === 1) await settle();
  connection.end(5);
  await connection.closed;
  const messages = channel.messages as Response[];
  assert.deepEqual(messages.map(({ id, error }) => [id, error?.code]), [[1, -32603], [2, undefined], [
    3,
    -32603,
  ]]);
});

test("Connection closes at once when everything is answered, in the end when what a request needs never comes", async () => {
  for (const options of [{ graceMs: 60_000 }, { graceMs: 5, accept: () => ({ ready: never() }) }]) {
    const { channel, connection } = await converse(done, options);
    channel.feed(call(1));
    channel.end();
    await connection.closed;
    const [{ error }] = channel.messages as [Response];
    assert.equal(error?.code, options.graceMs === 5 ? -32603 : undefined);
  }
});

test("a slow reader gets every response after the end, however long one of them takes", async () => {
  const graceMs = 5;
  const { channel, connection } = await converse(
    (request) => success(request.id, "x".repeat(MAX_RESPONSE)),
    // All of them wait for something, so each is made when the one before has left.
    { graceMs, accept: () => ({ ready: Promise.resolve() }) },
  );
  const write = channel.write.bind(channel);
  channel.write = async (pieces) => {
    // Every write alone is within the ten grace periods of a slow reader; a response is far beyond them.
    await new Promise((resolve) => setTimeout(resolve, 4 * graceMs));
    await write(pieces);
  };
  channel.feed(call(1) + call(2) + call(3));
  channel.end();
  await connection.closed;
  assert.deepEqual(ids(channel), [1, 2, 3]);
});

test("Call.notify sends what belongs to a request before its response, and nothing once it is over", async () => {
  const gate = Promise.withResolvers<void>();
  let cancelled = 0;
  const { channel, connection } = await converse(({ id }, call) => {
    call.notify("begun", { id });
    if (id === "now") {
      queueMicrotask(() => assert.equal(call.notify("too late"), undefined));
      return success(id, "done");
    }
    return gate.promise.then(() => {
      if (call.cancelled) cancelled++;
      call.notify("nearly done", { id });
      return success(id, "done");
    });
  });
  channel.feed(call("now") + call("later") + call("again"));
  connection.cancel("again");
  // Its id may be used again, and its handler goes on.
  channel.feed(call("again"));
  gate.resolve();
  await settle();
  const sequence = (id: string) =>
    (channel.messages as { id?: unknown; method?: string; params?: { id: unknown } }[])
      .filter((message) => message.id === id || message.params?.id === id)
      .map(({ method }) => method ?? "response");
  assert.deepEqual(sequence("now"), ["begun", "response"]);
  assert.deepEqual(sequence("later"), ["begun", "nearly done", "response"]);
  assert.deepEqual(sequence("again"), ["begun", "begun", "nearly done", "response"]);
  assert.equal(cancelled, 1);
});

test("Call.notify returns when the buffer has drained, if it is full", async () => {
  const gate = Promise.withResolvers<void>();
  const drained: (Promise<void> | undefined)[] = [];
  const { channel } = await converse((request, call) => {
    drained.push(call.notify("one"), call.notify("two", ["x".repeat(MAX_RESPONSE)]));
    return done(request);
  });
  channel.gate = gate.promise;
  channel.feed(call(1));
  assert.equal(drained[0], undefined);
  gate.resolve();
  await drained[1];
  assert.equal(channel.messages.length, 3);
});

test("Call.epilogue is sent after the response, and not for a cancelled request", async () => {
  const { channel, connection } = await converse((request, call) => {
    call.epilogue = notification("answered", { id: request.id });
    if (request.id === "cancelled") return never();
    return request.id === 0 ? Promise.resolve(done(request)) : done(request);
  });
  const answered = [7, "", 0];
  channel.feed([...answered, "cancelled"].map(call).join("") + "{\n");
  connection.cancel("cancelled");
  channel.end();
  await connection.closed;
  for (const id of answered) {
    assert.deepEqual(channel.messages[ids(channel).indexOf(id) + 1], notification("answered", { id }));
  }
  assert.equal(channel.messages.filter((message) => "method" in (message as object)).length, answered.length);
});

/** A connection with one request whose handler the test writes; what it throws is the response. */
async function working(handle: (call: Call) => Promise<unknown>) {
  const conversation = await converse(({ id }, call) =>
    handle(call).then((result) => success(id, result), (cause) => failure(id, toErrorObject(cause)))
  );
  conversation.channel.feed(call("theirs"));
  await settle();
  return conversation;
}

test("Call.sendRequest throws once its request is answered or cancelled", async () => {
  const calls: Call[] = [];
  const { channel } = await working((call) => Promise.resolve(calls.push(call)));
  const { connection } = await working((call) => {
    calls.push(call);
    return never();
  });
  connection.cancel("theirs", "stop");
  await assert.rejects(calls[0]!.sendRequest("a"), /Cannot send a: the request it belongs to is answered/);
  await assert.rejects(calls[1]!.sendRequest("a"), /stop/);
  assert.equal(channel.messages.length, 1);
  await connection.close();
});
