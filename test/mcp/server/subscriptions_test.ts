/** Who is told of changes: what cannot be seen in one conversation, or needs a client that does not read. */

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import type { Server, ServerOptions } from "../../../mod.ts";
import { createServer, documentProvider, loadPlatform, promptProvider } from "../../../mod.ts";
import { stopClock } from "../../harness/clock.ts";
import { makeFolder } from "../../harness/folder.ts";
import { handshake } from "../../harness/program.ts";
import { brief, cancel, listen } from "../../harness/streams.ts";
import { Source, ToolClient } from "./tool_client.ts";

const servedOf = (message: { params?: unknown }) =>
  (message.params as { notifications: object }).notifications;

/** Connects a client, without a handshake, until the end of the test. */
async function open(t: TestContext, options: Partial<ServerOptions> | Server): Promise<ToolClient> {
  const client = await new ToolClient(options).open();
  t.after(client.close);
  return client;
}

/** A client of a server with watched resources and prompts. */
async function converse(t: TestContext) {
  const [documents, prompts] = [new Source(), new Source()];
  const client = await open(t, { resources: [documents.resources()], prompts: [prompts.prompts()] });
  return { client, documents, prompts };
}

test("a server that tells of no changes says so, acknowledges none, and has no resources/subscribe", async (t) => {
  const silent = { list: () => [], read: () => undefined, get: () => undefined };
  const platform = await loadPlatform();
  const root = makeFolder(t, { "resources/docs/1.md": "# One", "prompts/p.json": "{}" });
  const options = { root, watch: false };
  const documents = {
    resources: [documentProvider(platform, options)],
    prompts: [promptProvider(platform, options)],
  };
  const uri = "architecture://docs/1";
  for (const providers of [{ resources: [silent], prompts: [silent] }, documents]) {
    const client = await open(t, providers);
    const { result } = await client.ask("initialize", handshake("2025-11-25"));
    const { resources, prompts } = result?.["capabilities"] as Record<string, unknown>;
    assert.deepEqual([resources, prompts], [{}, {}]);
    client.send({ method: "notifications/initialized" });
    for (const method of ["resources/subscribe", "resources/unsubscribe"]) {
      assert.equal((await client.ask(method, { uri })).error?.code, -32601);
    }
    const filter = { resourcesListChanged: true, promptsListChanged: true, resourceSubscriptions: [uri] };
    assert.deepEqual(servedOf(await client.listen("s", filter)), {});
  }
});

test("a provider without covers() may have any resource, and one that does not watch has none to subscribe to", async (t) => {
  const { covers: _, ...anything } = new Source().resources();
  const silent = { list: () => [], read: () => undefined, covers: () => true };
  const uris = ["x:1", "doc:1"];
  const rows = [[new Source().resources(), ["doc:1"]], [anything, uris]] as const;
  for (const [provider, resourceSubscriptions] of rows) {
    const client = await open(t, { resources: [silent, provider] });
    const acknowledged = await client.listen("s", { resourceSubscriptions: uris });
    assert.deepEqual(servedOf(acknowledged), { resourceSubscriptions });
  }
});

test("while providers get ready, a stream that is cancelled is not opened, and an unsubscribe does not overtake its subscribe", async (t) => {
  const source = new Source();
  const gate = Promise.withResolvers<void>();
  let asked = 0;
  const ready = () => (asked++, gate.promise);
  const client = await open(t, { resources: [{ ...source.resources(), ready }] });
  await client.initialize();
  client.send(
    { id: "0", method: "resources/subscribe", params: { uri: "doc:2" } },
    { id: "1", method: "resources/subscribe", params: { uri: "doc:1" } },
    { id: "2", method: "resources/unsubscribe", params: { uri: "doc:1" } },
    listen("late", { resourceSubscriptions: ["doc:1"] }),
  );
  while (asked === 0) await client.rest();
  client.send(cancel("late"));
  assert.deepEqual(await client.rest(), []);
  gate.resolve();
  assert.deepEqual((await client.take(3)).map(({ id }) => id), ["0", "1", "2"]);
  source.update("doc:1", "doc:2");
  assert.deepEqual(brief(await client.rest()), ["resources/updated doc:2"]);
  // The cancelled one takes up no place.
  for (let id = 0; id < 100; id++) {
    assert.deepEqual(brief([await client.listen(id, {})]), [`${id} subscriptions/acknowledged`]);
  }
});

test("a resource that takes time to read is subscribed to when it is there", async (t) => {
  const source = new Source();
  const reads = new Map<string, () => Promise<{ uri: string; text: string }[] | undefined>>([
    ["doc:1", () => Promise.resolve([{ uri: "doc:1", text: "" }])],
    ["doc:2", () => Promise.resolve(undefined)],
    ["doc:3", () => Promise.reject(new Error("of the reader"))],
  ]);
  const { covers: _, ...anything } = source.resources();
  const client = await open(t, { resources: [{ ...anything, read: (uri) => reads.get(uri)!() }] });
  await client.initialize();
  for (const [uri, expected] of [["doc:1", {}], ["doc:2", -32002], ["doc:3", -32603]] as const) {
    const { result, error } = await client.ask("resources/subscribe", { uri });
    assert.deepEqual(error?.code ?? result, expected, uri);
  }
  source.update(...reads.keys());
  assert.deepEqual(brief(await client.rest()), ["resources/updated doc:1"]);
});

test("each connection is told what it asked for, and a server watches for changes while any is connected", async (t) => {
  const documents = new Source();
  const server = createServer({ info: { name: "t", version: "1" }, resources: [documents.resources()] });
  assert.equal(documents.listeners.size, 0);
  const [one, other] = [await open(t, server), await open(t, server)];
  await one.initialize();
  await one.ask("resources/subscribe", { uri: "doc:1" });
  await other.listen("s", { resourceSubscriptions: ["doc:1"] });
  documents.update("doc:1");
  assert.deepEqual(brief(await one.rest()), ["resources/updated doc:1"]);
  assert.deepEqual(brief(await other.rest()), ["s resources/updated doc:1"]);
  await one.close();
  assert.equal(documents.listeners.size, 1);
  await other.close();
  assert.deepEqual([documents.listeners.size, documents.started], [0, 1]);
  // A connection that comes later is told of what happens from then on.
  documents.update("doc:2");
  const late = await open(t, server);
  await late.listen("s", { resourceSubscriptions: ["doc:2", "doc:3"] });
  assert.deepEqual([documents.listeners.size, documents.started], [1, 2]);
  documents.update("doc:3");
  assert.deepEqual(brief(await late.take(1)), ["s resources/updated doc:3"]);
});

test("changes that never cease are told all the same, and those of prompts do not wait for those of resources", async (t) => {
  const clock = stopClock(t);
  const { client, documents, prompts } = await converse(t);
  await client.listen("s", { promptsListChanged: true, resourceSubscriptions: ["doc:0", "doc:1"] });
  documents.update("doc:0");
  assert.deepEqual(brief(await client.take(1)), ["s resources/updated doc:0"]);
  documents.update("doc:1");
  prompts.relist();
  assert.deepEqual(brief(await client.take(1)), ["s prompts/list_changed"]);
  const changing = setInterval(() => documents.update("doc:1"), 20);
  assert.deepEqual(brief(await clock.until(client.take(1))), ["s resources/updated doc:1"]);
  clearInterval(changing);
});

test("a client that takes nothing learns of everything once it reads, and little waits for it meanwhile", async (t) => {
  const clock = stopClock(t);
  const { client, documents, prompts } = await converse(t);
  await client.initialize();
  const uris = Array.from({ length: 20 }, (_, index) => `doc:${index}`);
  const all = { resourcesListChanged: true, promptsListChanged: true, resourceSubscriptions: uris };
  await client.listen("a", all);
  await client.listen("b", { resourceSubscriptions: uris });
  for (const uri of ["doc:18", "doc:19"]) await client.ask("resources/subscribe", { uri });
  const witness = await open(t, client.server);
  await witness.listen("w", { resourcesListChanged: true });
  const release = client.congest();
  documents.update("doc:0", "doc:19");
  for (let round = 0; round < 100; round++) for (const uri of uris) documents.update(uri);
  documents.relist();
  prompts.relist();
  // By now every client that reads was told.
  await clock.until(witness.take(1));
  assert.deepEqual(brief(await client.rest()), [
    "resources/updated doc:19",
    "a resources/updated doc:0",
    "b resources/updated doc:0",
  ]);
  // What is unsubscribed from before there is room is not told.
  await client.ask("resources/unsubscribe", { uri: "doc:18" });
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
});
