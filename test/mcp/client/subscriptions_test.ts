/** Subscriptions to changes, with the same events in both eras. Those over HTTP are tested with the transport. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChangeEvent, Subscription } from "../../../lib/mcp/client/mod.ts";
import type { Received, Script } from "../../harness/scripted_server.ts";
import { all, LEGACY, MODERN, open } from "../../harness/scripted_server.ts";

const SCRIPTS: Readonly<Record<"modern" | "legacy", Script>> = {
  modern: {
    ...MODERN,
    "subscriptions/listen": ({ id, params }, server) => {
      const notifications = { ...params.notifications, promptsListChanged: undefined };
      server.notify("subscriptions/acknowledged", { notifications }, id);
    },
  },
  legacy: { ...LEGACY, "resources/subscribe": () => ({}), "resources/unsubscribe": () => ({}) },
};
const END = { modern: "notifications/cancelled", legacy: "resources/unsubscribe" };
const FILTER = { tools: true, resources: true, prompts: true, uris: ["x:a"] };

/** The next event, without closing the subscription; undefined at its end. */
async function next(subscription: Subscription): Promise<ChangeEvent | undefined> {
  return (await subscription[Symbol.asyncIterator]().next()).value ?? undefined;
}

for (const era of ["modern", "legacy"] as const) {
  test(`${era}: listen() yields each change once, and closing it notifies the server`, async (t) => {
    const { client, server } = await open(t, SCRIPTS[era]);
    const subscription = await client.listen(FILTER);
    assert.deepEqual(subscription.served, { ...FILTER, prompts: false });
    const id = server.of("subscriptions/listen")[0]?.id;
    for (const list of ["tools", "tools", "resources"]) server.notify(`${list}/list_changed`, {}, id);
    server.notify("resources/updated", { uri: "x:a" }, id);
    const ended = server.call(END[era]);
    const events = [{ type: "tools" }, { type: "resources" }, { type: "resource", uri: "x:a" }];
    assert.deepEqual(await all(subscription, 3), events);
    const { params } = await ended;
    assert.equal(era === "modern" ? params.requestId : params.uri, era === "modern" ? id : "x:a");
    subscription.close();
    const other = await client.subscribe("x:b");
    other.close();
    other.close();
    assert.deepEqual(await all(other), []);
  });

  test(`${era}: a subscription ends when the client is closed, and with an error when the server is gone`, async (t) => {
    const closed = await open(t, SCRIPTS[era]);
    const events = all(await closed.client.subscribe("x:b"));
    await closed.client.close();
    assert.deepEqual(await events, []);
    const { client, server } = await open(t, SCRIPTS[era]);
    const [first, second] = [await client.listen(FILTER), await client.subscribe("x:b")];
    const ended = all(first);
    await server.close();
    await assert.rejects(ended, /The server ended the session/);
    await client.close();
    await assert.rejects(all(second), /The server ended the session/);
  });
}

test("modern: subscriptions are distinguished by their ids, and have no timeout", async (t) => {
  const { client, server } = await open(t, SCRIPTS.modern, { timeoutMs: 20, maxTimeoutMs: 20 });
  const [first, second] = await Promise.all([client.listen({ tools: true }), client.subscribe("x:a")]);
  const ids = server.of("subscriptions/listen").map(({ id }) => id);
  await new Promise((resolve) => setTimeout(resolve, 60));
  server.notify("resources/updated", { uri: "x:a" }, ids[1]);
  server.notify("tools/list_changed", {}, ids[0]);
  server.notify("resources/updated", { uri: "x:a" }, "none");
  assert.deepEqual(await next(second), { type: "resource", uri: "x:a" });
  assert.deepEqual(await next(first), { type: "tools" });
});

test("modern: the server ends a subscription with a result or a cancellation", async (t) => {
  const { client, server } = await open(t, SCRIPTS.modern);
  const ends: ((id: Received["id"]) => void)[] = [
    (id) => server.send({ id, result: { resultType: "complete" } }),
    (requestId) => server.notify("cancelled", { requestId }),
  ];
  for (const end of ends) {
    const subscription = await client.listen({ tools: true });
    end(server.of("subscriptions/listen").at(-1)!.id);
    assert.deepEqual(await all(subscription), []);
  }
});

test("modern: listen() rejects when the server does not answer, refuses, or ends it at once", async (t) => {
  const cases: [Script, RegExp][] = [
    [{ "subscriptions/listen": () => undefined }, /did not answer subscriptions\/listen in 30 ms/],
    [{}, /no method subscriptions\/listen/],
    [{ "subscriptions/listen": () => ({}) }, /before it began/],
  ];
  for (const [script, expected] of cases) {
    const { client } = await open(t, { ...MODERN, ...script }, { timeoutMs: 30 });
    await assert.rejects(client.listen({ tools: true }), expected);
  }
});

test("legacy: a resource is subscribed to once, until the last subscription to it is closed", async (t) => {
  const { client, server } = await open(t, SCRIPTS.legacy);
  const first = await client.subscribe("x:a");
  const second = await client.subscribe("x:a");
  first.close();
  server.notify("resources/updated", { uri: "x:ab" });
  server.notify("resources/updated", { uri: "x:a/part" });
  const ended = server.call("resources/unsubscribe");
  assert.deepEqual(await all(second, 1), [{ type: "resource", uri: "x:a/part" }]);
  await ended;
  for (const method of ["subscribe", "unsubscribe"]) assert.equal(server.of(`resources/${method}`).length, 1);
});
