import assert from "node:assert/strict";
import { test } from "node:test";
import { loadPlatform } from "../../deps.ts";
import { documentProvider } from "../../lib/documents/provider.ts";
import { promptProvider } from "../../lib/prompts/provider.ts";
import { makeFolder } from "../harness/folder.ts";
import { handshake } from "../harness/program.ts";
import { brief } from "../harness/streams.ts";
import { Conversation, converse, Source } from "./conversation.ts";

const subscribe = (id: string, uri: unknown) => ({ id, method: "resources/subscribe", params: { uri } });
const unsubscribe = (id: string, uri: unknown) => ({ id, method: "resources/unsubscribe", params: { uri } });

test("a server that tells of no changes says so, acknowledges none, and has no resources/subscribe", async (t) => {
  const silent = { list: () => [], read: () => undefined, get: () => undefined };
  const platform = await loadPlatform();
  const options = {
    root: makeFolder(t, { "resources/docs/1.md": "# One", "prompts/p.json": "{}" }),
    watch: false,
  };
  const shelf = {
    resources: [documentProvider(platform, options)],
    prompts: [promptProvider(platform, options)],
  };
  const uri = "architecture://docs/1";
  for (const providers of [{ resources: [silent], prompts: [silent] }, shelf]) {
    const client = await Conversation.open(providers);
    const { result } = await client.ask("initialize", handshake("2025-11-25"));
    const { resources, prompts } = result?.["capabilities"] as Record<string, unknown>;
    assert.deepEqual([resources, prompts], [{}, {}]);
    client.send({ method: "notifications/initialized" });
    for (const method of ["resources/subscribe", "resources/unsubscribe"]) {
      assert.equal((await client.ask(method, { uri })).error?.code, -32601);
    }
    const filter = { resourcesListChanged: true, promptsListChanged: true, resourceSubscriptions: [uri] };
    const { params } = await client.listen("s", filter);
    assert.deepEqual((params as { notifications: unknown }).notifications, {});
    await client.close();
  }
});

test("subscribe and unsubscribe are obeyed in the order in which they came, also when they come at once", async () => {
  const { client, documents } = await converse();
  await client.initialize();
  client.send(subscribe("1", "doc:1"), unsubscribe("2", "doc:1"), subscribe("3", "doc:2"));
  await client.take(3);
  client.send(unsubscribe("4", "doc:2"), subscribe("5", "doc:2"));
  await client.take(2);
  documents.update("doc:1", "doc:2");
  assert.deepEqual(brief(await client.rest()), ["resources/updated doc:2"]);
  await client.close();
});

test("the first unsubscribe of all does not come after a subscribe that followed it", async () => {
  const { client, documents } = await converse();
  await client.initialize();
  await client.ask("resources/subscribe", { uri: "doc:1" });
  client.send(unsubscribe("1", "doc:1"), subscribe("2", "doc:1"));
  await client.take(2);
  documents.update("doc:1");
  assert.deepEqual(brief(await client.rest()), ["resources/updated doc:1"]);
  await client.close();
});

test("an unsubscribe does not overtake the subscribe that it is meant for while documents are read", async () => {
  const source = new Source();
  const gate = Promise.withResolvers<void>();
  let reading: Promise<void> | undefined;
  const client = await Conversation.open({ resources: [{ ...source.resources(), ready: () => reading }] });
  await client.initialize();
  await client.ask("resources/subscribe", { uri: "doc:2" });
  reading = gate.promise;
  client.send(subscribe("1", "doc:1"), unsubscribe("2", "doc:1"));
  assert.deepEqual(await client.rest(), []);
  reading = undefined;
  gate.resolve();
  await client.take(2);
  source.update("doc:1", "doc:2");
  assert.deepEqual(brief(await client.rest()), ["resources/updated doc:2"]);
  await client.close();
});
