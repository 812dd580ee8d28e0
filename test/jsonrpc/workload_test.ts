import assert from "node:assert/strict";
import { test } from "node:test";
import type { Response } from "../../lib/jsonrpc/message.ts";
import type { Call, Sized } from "../../lib/jsonrpc/workload.ts";
import { request, success } from "../../lib/jsonrpc/message.ts";
import { Workload } from "../../lib/jsonrpc/workload.ts";
import { settle } from "../harness/wire_pair.ts";

/** A workload whose handler the test writes, and everything that left it, in order. */
function work(handle: (call: Call<Sized>) => void | Promise<void>) {
  const left: string[] = [];
  const wire: { congestion?: Promise<void> } = {};
  const workload = new Workload<Sized>({
    handle: ({ id }, call) => {
      const done = handle(call);
      return done ? done.then(() => success(id, null)) : success(id, null);
    },
    ready: () => undefined,
    isUrgent: ({ id }) => id === "urgent",
    congestion: () => wire.congestion,
    notify: (method, params) => void left.push(params ? `${method} ${JSON.stringify(params)}` : method),
    ask: () => Promise.reject(new Error("nobody is there")),
  });
  const take = (id: string) =>
    workload.take(request(id, "work"), { size: 1 }, {
      answer: (response: Response) => void left.push(`answer ${response.id}`),
      silence: () => void left.push(`silence ${id}`),
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
  const calls: Call<Sized>[] = [];
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

test("a request that decides how what follows is taken goes before those that wait", async () => {
  const gate = Promise.withResolvers<void>();
  const ready = Promise.withResolvers<void>();
  const left: string[] = [];
  const workload = new Workload<Sized>({
    handle: ({ id }) => success(id, null),
    ready: ({ id }) => id === "urgent" ? undefined : ready.promise,
    isUrgent: ({ id }) => id === "urgent",
    congestion: () => gate.promise,
    notify: () => {},
    ask: () => Promise.reject(new Error("nobody is there")),
  });
  for (const id of ["a", "b", "urgent"]) {
    workload.take(request(id, "work"), { size: 1 }, {
      answer: (response: Response) => void left.push(`${response.id}`),
      silence: () => {},
    });
    ready.resolve();
    await settle();
  }
  assert.deepEqual(left, ["urgent"]);
});
