import assert from "node:assert/strict";
import { test } from "node:test";
import { AnswerStore } from "../../lib/client/mod.ts";
import { connected, LEGACY, MODERN, Refusal } from "./scripted_server.ts";

test("an answer is kept for as long as its server allows, and not longer", () => {
  let now = 0;
  const store = new AnswerStore(() => now);
  store.keep("tools/list", { cursor: "a" }, { tools: [], ttlMs: 100 }, store.generation);
  assert.deepEqual(store.find("tools/list", { cursor: "a" }), { tools: [], ttlMs: 100 });
  now = 99;
  assert.ok(store.find("tools/list", { cursor: "a" }));
  now = 100;
  assert.equal(store.find("tools/list", { cursor: "a" }), undefined);
});

test("what must not be kept is not", () => {
  const store = new AnswerStore(() => 0);
  const keep = (method: string, params: object, result: object) =>
    store.keep(method, { ...params }, { ...result }, store.generation);
  for (const ttlMs of [0, -1, undefined, "100", NaN]) keep("tools/list", {}, { ttlMs });
  keep("tools/call", { name: "x" }, { ttlMs: 100 });
  keep("resources/read", { uri: "a", requestState: "s" }, { ttlMs: 100 });
  keep("resources/read", { uri: "a", inputResponses: {} }, { ttlMs: 100 });
  for (const method of ["tools/list", "tools/call"]) assert.equal(store.find(method, {}), undefined);
  assert.equal(store.find("resources/read", { uri: "a" }), undefined);
});

test("an answer is for what was asked: the order of params and what travels with them make no difference", () => {
  const store = new AnswerStore(() => 0);
  store.keep("tools/list", { b: 1, a: 2, _meta: { x: 1 } }, { ttlMs: 9 }, store.generation);
  assert.ok(store.find("tools/list", { a: 2, b: 1 }));
  assert.equal(store.find("tools/list", { a: 2 }), undefined);
});

test("everybody gets an answer of their own", () => {
  const store = new AnswerStore(() => 0);
  store.keep("tools/list", {}, { tools: [{ name: "a" }], ttlMs: 9 }, store.generation);
  const first = store.find("tools/list", {}) as { tools: { name: string }[] };
  first.tools[0]!.name = "changed";
  assert.deepEqual(store.find("tools/list", {}), { tools: [{ name: "a" }], ttlMs: 9 });
});

test("a store holds 16 Mi characters, and lets go of what was used longest ago", () => {
  const store = new AnswerStore(() => 0);
  const text = "x".repeat(6 * 1024 * 1024);
  for (const uri of ["a", "b"]) store.keep("resources/read", { uri }, { text, ttlMs: 9 }, store.generation);
  assert.ok(store.find("resources/read", { uri: "a" }));
  store.keep("resources/read", { uri: "c" }, { text, ttlMs: 9 }, store.generation);
  assert.equal(store.find("resources/read", { uri: "b" }), undefined);
  assert.ok(store.find("resources/read", { uri: "a" }));
});

const LISTED = { resultType: "complete", tools: [], ttlMs: 60_000, cacheScope: "private" };

test("a client does not ask again for what it keeps, until something has changed", async () => {
  let read = 0;
  const { client, server } = await connected({
    ...MODERN,
    "tools/list": () => LISTED,
    "resources/read": ({ params }) => ({
      contents: [{ uri: params.uri, text: String(++read) }],
      ttlMs: 60_000,
      cacheScope: "private",
    }),
    "subscriptions/listen": ({ id, params }, self) => {
      const _meta = { "io.modelcontextprotocol/subscriptionId": id };
      self.send({
        method: "notifications/subscriptions/acknowledged",
        params: { _meta, notifications: params.notifications },
      });
      self.send({ method: "notifications/resources/updated", params: { _meta, uri: "x:a" } });
      self.send({ method: "notifications/tools/list_changed", params: { _meta } });
      return undefined;
    },
  });
  const count = (method: string) => server.methods.filter((one) => one === method).length;
  await client.listToolsPaginated();
  await client.listToolsPaginated();
  for (const uri of ["x:a", "x:a", "x:b", "x:b"]) await client.readResource(uri);
  assert.deepEqual([count("tools/list"), count("resources/read")], [1, 2]);
  const changes = await client.listen({ tools: true, uris: ["x:a"] });
  const seen: string[] = [];
  for await (const { type } of changes) if (seen.push(type) === 2) break;
  assert.deepEqual(seen, ["resource", "tools"]);
  assert.equal((await client.readResource("x:a")).contents[0]!.text, "3");
  assert.equal((await client.readResource("x:b")).contents[0]!.text, "2");
  await client.listToolsPaginated();
  assert.equal(count("tools/list"), 2);
  await client.close();
});

test("an answer that was on its way when something changed is not kept", async () => {
  const { client, server } = await connected({
    ...LEGACY,
    "tools/list": ({ id }, self) => {
      self.send({ method: "notifications/tools/list_changed" });
      self.send({ id, result: LISTED });
      return undefined;
    },
  });
  await client.listToolsPaginated();
  await client.listToolsPaginated();
  assert.equal(server.methods.filter((method) => method === "tools/list").length, 2);
  await client.close();
});

test("clients share what their server calls public, and nothing else", async () => {
  const sharedAnswers = new AnswerStore();
  const script = {
    ...MODERN,
    "tools/list": () => ({ ...LISTED, cacheScope: "public" }),
    "prompts/list": () => ({ prompts: [], ttlMs: 60_000, cacheScope: "private" }),
  };
  const first = await connected(script, { sharedAnswers });
  await first.client.listToolsPaginated();
  await first.client.listPromptsPaginated();
  const second = await connected(script, { sharedAnswers });
  await second.client.listToolsPaginated();
  await second.client.listPromptsPaginated();
  assert.deepEqual(second.server.methods, ["server/discover", "prompts/list"]);
  await first.client.close();
  await second.client.close();
});

test("a client that is told so keeps nothing; an error is never kept", async () => {
  const { client, server } = await connected({ ...MODERN, "tools/list": () => LISTED }, {
    keepAnswers: false,
  });
  await client.listToolsPaginated();
  await client.listToolsPaginated();
  assert.equal(server.methods.filter((method) => method === "tools/list").length, 2);
  await client.close();
  let asked = 0;
  const other = await connected({
    ...MODERN,
    "tools/list": () => {
      if (++asked === 1) throw new Refusal(-32603);
      return LISTED;
    },
  });
  await assert.rejects(other.client.listToolsPaginated());
  await other.client.listToolsPaginated();
  await other.client.close();
});
