import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChangeEvent, Changes } from "../../lib/client/mod.ts";
import { connected, LEGACY, MODERN } from "./scripted_server.ts";
import type { Received, Script, ScriptedServer } from "./scripted_server.ts";

const ID = "io.modelcontextprotocol/subscriptionId";

/** Opens streams as a modern server does; what it tells is sent by the test. */
const LISTENING: Script = {
  ...MODERN,
  "subscriptions/listen": ({ id, params }, server) => {
    const notifications = { ...params.notifications, promptsListChanged: undefined };
    server.send({
      method: "notifications/subscriptions/acknowledged",
      params: { _meta: { [ID]: id }, notifications },
    });
    return undefined;
  },
};
const SUBSCRIBING: Script = {
  ...LEGACY,
  "resources/subscribe": () => ({}),
  "resources/unsubscribe": () => ({}),
};

function tell(server: ScriptedServer, method: string, params?: object, id?: unknown): void {
  const _meta = id === undefined ? {} : { _meta: { [ID]: id } };
  server.send({ method: `notifications/${method}`, params: { ...params, ..._meta } });
}

async function take(changes: Changes, count: number): Promise<ChangeEvent[]> {
  const iterator = changes[Symbol.asyncIterator]();
  const events: ChangeEvent[] = [];
  while (events.length < count) events.push((await iterator.next()).value!);
  return events;
}

const FILTER = { tools: true, resources: true, prompts: true, uris: ["x:a"] };
const EVENTS = [{ type: "tools" }, { type: "resources" }, { type: "resource", uri: "x:a" }];

for (const era of ["modern", "legacy"] as const) {
  test(`${era}: the same events come for the same filter, and what the server does not tell of is known`, async () => {
    const { client, server } = await connected(era === "modern" ? LISTENING : SUBSCRIBING);
    const changes = await client.listen(FILTER);
    assert.deepEqual(changes.served, { tools: true, prompts: false, resources: true, uris: ["x:a"] });
    const id = server.received.find(({ method }) => method === "subscriptions/listen")?.id;
    tell(server, "tools/list_changed", {}, id);
    tell(server, "tools/list_changed", {}, id);
    tell(server, "resources/list_changed", {}, id);
    tell(server, "resources/updated", { uri: "x:a" }, id);
    assert.deepEqual(await take(changes, 3), EVENTS);
    const over = server.next(({ method }) =>
      method === (era === "modern" ? "notifications/cancelled" : "resources/unsubscribe")
    );
    changes.close();
    changes.close();
    const { params } = await over;
    assert.equal(era === "modern" ? params.requestId : params.uri, era === "modern" ? id : "x:a");
    await client.close();
  });

  test(`${era}: leaving the loop listens no more; the end of the conversation ends the loop`, async () => {
    const { client, server } = await connected(era === "modern" ? LISTENING : SUBSCRIBING);
    const changes = await client.listen(FILTER);
    const id = server.received.find(({ method }) => method === "subscriptions/listen")?.id;
    tell(server, "tools/list_changed", {}, id);
    const over = server.next(({ method }) =>
      method === (era === "modern" ? "notifications/cancelled" : "resources/unsubscribe")
    );
    for await (const _ of changes) break;
    await over;
    const others = await client.subscribe("x:b");
    const ended = take(others, 1);
    await client.close();
    assert.deepEqual(await ended, [undefined]);
  });

  test(`${era}: a server that is gone ends the loop with an error, also when the client is closed after that`, async () => {
    const { client, server } = await connected(era === "modern" ? LISTENING : SUBSCRIBING);
    const [first, second] = [await client.listen(FILTER), await client.subscribe("x:b")];
    const ended = take(first, 1);
    await server.close();
    await assert.rejects(ended, /The server ended the conversation/);
    await client.close();
    await assert.rejects(take(second, 1), /The server ended the conversation/);
  });
}

test("modern: streams are told apart by their ids, also where their messages mix", async () => {
  const { client, server } = await connected(LISTENING);
  const [first, second] = await Promise.all([client.listen({ tools: true }), client.subscribe("x:a")]);
  const ids = server.received.filter(({ method }) => method === "subscriptions/listen").map(({ id }) => id);
  tell(server, "resources/updated", { uri: "x:a" }, ids[1]);
  tell(server, "tools/list_changed", {}, ids[0]);
  tell(server, "resources/updated", { uri: "x:a" }, "nobody");
  assert.deepEqual(await take(second!, 1), [{ type: "resource", uri: "x:a" }]);
  assert.deepEqual(await take(first!, 1), [{ type: "tools" }]);
  await client.close();
});

test("modern: what follows the acknowledgment in the same moment is not lost", async () => {
  const { client } = await connected({
    ...MODERN,
    "subscriptions/listen": ({ id }, server) => {
      tell(server, "subscriptions/acknowledged", { notifications: { toolsListChanged: true } }, id);
      tell(server, "tools/list_changed", {}, id);
      return undefined;
    },
  });
  assert.deepEqual(await take(await client.listen({ tools: true }), 1), [{ type: "tools" }]);
  await client.close();
});

test("modern: the server ends a stream with an answer, or by taking it back", async () => {
  const { client, server } = await connected(LISTENING);
  const ends: ((id: Received["id"]) => void)[] = [
    (id) => server.send({ id: id!, result: { resultType: "complete", _meta: { [ID]: id } } }),
    (id) => tell(server, "cancelled", { requestId: id }),
  ];
  for (const end of ends) {
    const changes = await client.listen({ tools: true });
    end(server.received.findLast(({ method }) => method === "subscriptions/listen")!.id);
    assert.deepEqual(await take(changes, 1), [undefined]);
  }
  await client.close();
});

test("modern: a stream that never opens, or is refused, is an error", async () => {
  const silent = await connected({ ...MODERN, "subscriptions/listen": () => undefined }, { timeoutMs: 30 });
  await assert.rejects(silent.client.listen({ tools: true }), /did not open the stream of changes in 30 ms/);
  await silent.client.close();
  const refused = await connected(MODERN);
  await assert.rejects(refused.client.listen({ tools: true }), /no method subscriptions\/listen/);
  await refused.client.close();
  const early = await connected({ ...MODERN, "subscriptions/listen": () => ({}) });
  await assert.rejects(early.client.listen({ tools: true }), /before it began/);
  await early.client.close();
});

test("legacy: a resource is asked for once, however many listen, and let go with the last of them", async () => {
  const { client, server } = await connected(SUBSCRIBING);
  const first = await client.subscribe("x:a");
  const second = await client.subscribe("x:a");
  first.close();
  tell(server, "resources/updated", { uri: "x:a/part" });
  assert.deepEqual(await take(second, 1), [{ type: "resource", uri: "x:a/part" }]);
  const over = server.next(({ method }) => method === "resources/unsubscribe");
  second.close();
  await over;
  assert.equal(server.methods.filter((method) => method === "resources/subscribe").length, 1);
  await client.close();
});
