import assert from "node:assert/strict";
import { test } from "node:test";
import type { Call } from "../../lib/jsonrpc/connection.ts";
import type { Notification, Response } from "../../lib/jsonrpc/message.ts";
import { Connection } from "../../lib/jsonrpc/connection.ts";
import { request, success } from "../../lib/jsonrpc/message.ts";
import { settle } from "../harness/wire_pair.ts";

/** A connection without a transport whose handler the test writes, and everything that was sent, in order. */
function work(handle: (call: Call) => void | Promise<void>) {
  const left: string[] = [];
  const wire: { congestion?: Promise<void> } = {};
  const workload = new Connection(undefined, {
    onrequest: ({ id }, call) => {
      const done = handle(call);
      return done ? done.then(() => success(id, null)) : success(id, null);
    },
  });
  const take = (id: string) =>
    void workload.receive(request(id, "work"), { receivedAt: 0, size: 1 }, {
      send: (message) => {
        const { method, params } = message as Notification;
        left.push(params ? `${method} ${JSON.stringify(params)}` : method!);
        return wire.congestion;
      },
      reply: (response) => void left.push(response ? `answer ${(response as Response).id}` : `silence ${id}`),
    });
  return { workload, take, left, wire };
}

test("Call.notify sends at once what belongs to a request, before its answer", async () => {
  const gate = Promise.withResolvers<void>();
  const { take, left } = work(async (call) => {
    call.notify("begun", { x: 1 });
    await gate.promise;
    call.notify("nearly done");
  });
  take("a");
  assert.deepEqual(left, ['begun {"x":1}']);
  gate.resolve();
  await settle();
  assert.deepEqual(left, ['begun {"x":1}', "nearly done", "answer a"]);
});

test("Call.notify sends nothing once the request is answered, now or later", async () => {
  const calls: Call[] = [];
  const { take, left } = work((call) => {
    calls.push(call);
    return calls.length === 1 ? undefined : Promise.resolve();
  });
  take("now");
  take("later");
  await settle();
  for (const call of calls) assert.equal(call.notify("too late"), undefined);
  assert.deepEqual(left, ["answer now", "answer later"]);
});

test("Call.notify sends nothing once the request is cancelled, though its handler goes on", async () => {
  const gate = Promise.withResolvers<void>();
  const { workload, take, left } = work(async (call) => {
    await gate.promise;
    call.notify("too late");
  });
  take("a");
  workload.cancel("a", "no longer needed");
  gate.resolve();
  await settle();
  assert.deepEqual(left, ["silence a"]);
});

test("Call.notify sends nothing for a request whose id was taken again", async () => {
  const gates: PromiseWithResolvers<void>[] = [];
  const { workload, take, left } = work(async (call) => {
    const gate = Promise.withResolvers<void>();
    const number = gates.push(gate);
    await gate.promise;
    call.notify(`from ${number}`);
  });
  take("a");
  workload.cancel("a", "again");
  take("a");
  for (const gate of gates) gate.resolve();
  await settle();
  assert.deepEqual(left, ["silence a", "from 2", "answer a"]);
});

test("Call.notify says when there is room for more, where there is none now", () => {
  const said: (Promise<void> | undefined)[] = [];
  const { take, wire } = work((call) => {
    said.push(call.notify("one"));
    wire.congestion = Promise.resolve();
    said.push(call.notify("two"));
  });
  take("a");
  assert.deepEqual(said, [undefined, wire.congestion]);
});
