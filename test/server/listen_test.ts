import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_SUBSCRIBED_SIZE, MAX_SUBSCRIPTIONS } from "../../lib/server/subscriptions.ts";
import { createServer } from "../../lib/server/server.ts";
import { brief, cancel, listen } from "../harness/streams.ts";
import { Conversation, converse, Source } from "./conversation.ts";

const ID = "io.modelcontextprotocol/subscriptionId";

test("listen acknowledges what is served of what is asked for, first of all", async () => {
  const { client } = await converse();
  const served: [object, object][] = [
    [{}, {}],
    [{ toolsListChanged: true }, {}],
    [{ resourcesListChanged: false, promptsListChanged: false, resourceSubscriptions: [] }, {}],
    [{ resourcesListChanged: true, unknown: 7 }, { resourcesListChanged: true }],
    [{ promptsListChanged: true }, { promptsListChanged: true }],
    [{ resourceSubscriptions: ["doc:1", "x:1", "doc:2", "doc:1", ""] }, {
      resourceSubscriptions: ["doc:1", "doc:2"],
    }],
    [{ resourceSubscriptions: ["x:1"] }, {}],
  ];
  for (const [index, [filter, notifications]] of served.entries()) {
    assert.deepEqual(await client.listen(index, filter), {
      jsonrpc: "2.0",
      method: "notifications/subscriptions/acknowledged",
      params: { _meta: { [ID]: index }, notifications },
    });
  }
  assert.deepEqual(await client.rest(), []);
  await client.close();
});

test("listen refuses a filter that is none, and acknowledges nothing", async () => {
  const { client } = await converse();
  const refused: [unknown, RegExp][] = [
    [undefined, /"notifications" is missing/],
    [null, /"notifications" must be an object/],
    [[], /"notifications" must be an object/],
    ["resources", /"notifications" must be an object/],
    [{ resourcesListChanged: 1 }, /"notifications.resourcesListChanged" must be true or false/],
    [{ promptsListChanged: "true" }, /"notifications.promptsListChanged" must be true or false/],
    [{ toolsListChanged: {} }, /"notifications.toolsListChanged" must be true or false/],
    [{ resourcesListChanged: null }, /"notifications.resourcesListChanged" must be true or false/],
    [{ resourceSubscriptions: "doc:1" }, /"notifications.resourceSubscriptions" must be a list of strings/],
    [{ resourceSubscriptions: null }, /"notifications.resourceSubscriptions" must be a list of strings/],
    [
      { resourceSubscriptions: ["doc:1", 2] },
      /"notifications.resourceSubscriptions" must be a list of strings/,
    ],
  ];
  for (const [filter, message] of refused) {
    client.send(listen("s", filter));
    const [answer] = await client.take(1);
    assert.deepEqual([answer?.id, answer?.error?.code], ["s", -32602], JSON.stringify(filter));
    assert.match(answer!.error!.message, message);
  }
  assert.deepEqual(await client.rest(), []);
  await client.close();
});

test("listen names its stream in every message, whatever its id is", async () => {
  const { client, documents, prompts } = await converse();
  const ids = [0, "", "0", -1, "a b", Number.MAX_SAFE_INTEGER];
  const all = { resourcesListChanged: true, promptsListChanged: true, resourceSubscriptions: ["doc:1"] };
  for (const id of ids) await client.listen(id, all);
  documents.update("doc:1");
  prompts.relist();
  const messages = await client.take(2 * ids.length);
  assert.deepEqual(
    messages.slice(0, ids.length).map(({ params }) => params),
    ids.map((id) => ({
      _meta: { [ID]: id },
      uri: "doc:1",
    })),
  );
  assert.deepEqual(
    messages.slice(ids.length).map(({ params }) => params),
    ids.map((id) => ({
      _meta: { [ID]: id },
    })),
  );
  client.end();
  const closing = await client.take(2 * ids.length);
  for (const [index, id] of ids.entries()) {
    const [result, cancelled] = closing.slice(2 * index);
    assert.deepEqual(result, {
      jsonrpc: "2.0",
      id,
      result: {
        resultType: "complete",
        _meta: { [ID]: id, "io.modelcontextprotocol/serverInfo": { name: "t", version: "1" } },
      },
    });
    assert.deepEqual(cancelled, {
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { _meta: { [ID]: id }, requestId: id, reason: "The server has ended the subscription" },
    });
  }
  await client.peer.closed;
});

test("listen tells each stream what it asked for, and nobody what nobody asked for", async () => {
  const { client, documents, prompts } = await converse();
  await client.listen("lists", { resourcesListChanged: true, promptsListChanged: true });
  await client.listen("one", { resourceSubscriptions: ["doc:1"] });
  await client.listen("both", { resourceSubscriptions: ["doc:2", "doc:1"] });
  await client.listen("none", {});
  documents.update("doc:1", "doc:3");
  prompts.relist();
  assert.deepEqual(brief(await client.rest()), [
    "one resources/updated doc:1",
    "both resources/updated doc:1",
    "lists prompts/list_changed",
  ]);
  documents.update("doc:2");
  documents.relist();
  assert.deepEqual(brief(await client.take(2)), [
    "lists resources/list_changed",
    "both resources/updated doc:2",
  ]);
  assert.deepEqual(await client.rest(), []);
  await client.close();
});

test("a stream that its client cancels ends without an answer, and what follows is not told", async () => {
  const { client, documents } = await converse();
  await client.listen("s", { resourcesListChanged: true });
  await client.listen("t", { resourcesListChanged: true });
  client.send(cancel("s"), cancel("s"), cancel("unknown"));
  await client.rest();
  documents.relist();
  assert.deepEqual(brief(await client.take(1)), ["t resources/list_changed"]);
  client.end();
  assert.deepEqual(brief(await client.take(2)), ["t result", "t cancelled t"]);
  await client.peer.closed;
});

test("a stream can be opened under the id of one that was cancelled right before", async () => {
  const { client, documents } = await converse();
  await client.listen("s", { resourcesListChanged: true });
  client.send(cancel("s"), listen("s", { resourceSubscriptions: ["doc:1"] }));
  assert.deepEqual(brief(await client.take(1)), ["s subscriptions/acknowledged"]);
  documents.relist();
  documents.update("doc:1");
  assert.deepEqual(brief(await client.take(1)), ["s resources/updated doc:1"]);
  client.end();
  assert.deepEqual(brief(await client.take(2)), ["s result", "s cancelled s"]);
  await client.peer.closed;
});

test("a connection has 100 streams and no more; the others live on, and a cancelled one makes room at once", async () => {
  const { client, documents } = await converse();
  for (let id = 0; id < MAX_SUBSCRIPTIONS; id++) await client.listen(id, { resourcesListChanged: true });
  const refused = await client.listen("more", { resourcesListChanged: true });
  assert.deepEqual([refused.id, refused.error?.code], ["more", -32600]);
  assert.match(refused.error!.message, /100; cancel one first/);
  client.send(cancel(7), listen("more", { resourcesListChanged: true }));
  assert.deepEqual(brief(await client.take(1)), ["more subscriptions/acknowledged"]);
  documents.relist();
  const told = brief(await client.take(MAX_SUBSCRIPTIONS));
  assert.deepEqual(told.filter((line) => line.startsWith("7 ") || line.startsWith("more ")), [
    "more resources/list_changed",
  ]);
  await client.close();
});

test("a connection waits for so many characters of URIs and no more, in streams and one by one", async () => {
  const { client } = await converse();
  await client.initialize();
  const uri = (letter: string) => "doc:".padEnd(MAX_SUBSCRIBED_SIZE / 2, letter);
  const both = { resourceSubscriptions: [uri("a"), uri("b"), "doc:c"] };
  assert.equal((await client.listen("s", both)).error?.code, -32602);
  // What is not served is not waited for.
  await client.listen("s", { resourceSubscriptions: [uri("a"), uri("x").slice(1), uri("y").slice(1)] });
  assert.ok((await client.ask("resources/subscribe", { uri: uri("b") })).result);
  assert.ok((await client.ask("resources/subscribe", { uri: uri("b") })).result);
  const refused = await client.ask("resources/subscribe", { uri: "doc:c" });
  assert.equal(refused.error?.code, -32602);
  assert.match(refused.error!.message, new RegExp(`${MAX_SUBSCRIBED_SIZE} characters`));
  client.send(cancel("s"));
  assert.ok((await client.ask("resources/subscribe", { uri: "doc:c" })).result);
  await client.close();
});

test("a provider without covers() may have any resource, and one that does not watch has none to wait for", async () => {
  const source = new Source();
  const { covers: _, ...anything } = source.resources();
  const silent = { list: () => [], read: () => undefined, covers: () => true };
  const client = await Conversation.open({ resources: [silent, new Source().resources()] });
  const other = await Conversation.open({ resources: [silent, anything] });
  const filter = { resourceSubscriptions: ["x:1", "doc:1"] };
  const notificationsOf = async (conversation: Conversation) =>
    ((await conversation.listen("s", filter)).params as { notifications: object }).notifications;
  assert.deepEqual(await notificationsOf(client), { resourceSubscriptions: ["doc:1"] });
  assert.deepEqual(await notificationsOf(other), filter);
  await client.close();
  await other.close();
});

test("a stream that was cancelled while its providers got ready is not opened", async () => {
  const gate = Promise.withResolvers<void>();
  let asked = 0;
  const client = await Conversation.open({
    resources: [{
      ...new Source().resources(),
      // Not ready at first, and asked again by whoever finds out.
      ready() {
        asked++;
        return asked === 1 ? Promise.reject(new Error("disk")) : asked === 2 ? gate.promise : undefined;
      },
    }],
  });
  client.send(listen("late", {}));
  while (asked < 2) await client.rest();
  client.send(cancel("late"));
  await client.rest();
  gate.resolve();
  for (let id = 0; id < MAX_SUBSCRIPTIONS; id++) {
    assert.deepEqual(brief([await client.listen(id, {})]), [`${id} subscriptions/acknowledged`]);
  }
  await client.close();
});

test("each connection is told what it asked for, and a server looks for changes while any is connected", async () => {
  const documents = new Source();
  const server = createServer({ info: { name: "t", version: "1" }, resources: [documents.resources()] });
  assert.equal(documents.listeners.size, 0);
  const [one, other] = [await Conversation.open(server), await Conversation.open(server)];
  await one.initialize();
  await one.ask("resources/subscribe", { uri: "doc:1" });
  await other.listen("s", { resourceSubscriptions: ["doc:1"] });
  documents.update("doc:1");
  assert.deepEqual(brief(await one.rest()), ["resources/updated doc:1"]);
  assert.deepEqual(brief(await other.rest()), ["s resources/updated doc:1"]);
  await one.close();
  assert.equal(documents.listeners.size, 1);
  await other.close();
  assert.equal(documents.listeners.size, 0);
  assert.equal(documents.started, 1);
});

test("a client that takes nothing learns of everything once it reads, and little waits for it meanwhile", async () => {
  const { client, documents, prompts } = await converse();
  await client.initialize();
  const uris = Array.from({ length: 20 }, (_, index) => `doc:${index}`);
  const all = { resourcesListChanged: true, promptsListChanged: true, resourceSubscriptions: uris };
  await client.listen("a", all);
  await client.listen("b", { resourceSubscriptions: uris });
  await client.ask("resources/subscribe", { uri: "doc:19" });
  const witness = await Conversation.open(client.server);
  await witness.listen("w", { resourcesListChanged: true });
  const release = client.congest();
  documents.update("doc:0", "doc:19");
  for (let round = 0; round < 100; round++) for (const uri of uris) documents.update(uri);
  documents.relist();
  prompts.relist();
  // Now everybody was told who reads.
  await witness.take(1);
  assert.deepEqual(brief(await client.rest()), [
    "resources/updated doc:19",
    "a resources/updated doc:0",
    "b resources/updated doc:0",
  ]);
  release();
  const updated = (stream: string) => uris.map((uri) => `${stream} resources/updated ${uri}`);
  const lists = ["resources/list_changed", "prompts/list_changed"];
  assert.deepEqual(
    brief(await client.rest()).sort(),
    [
      ...[...lists, "resources/updated doc:19"],
      ...[...lists.map((list) => `a ${list}`), ...updated("a"), ...updated("b")],
    ].sort(),
  );
  await client.close();
  await witness.close();
});
