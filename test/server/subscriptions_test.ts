import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChangeSet, Filter } from "../../lib/server/subscriptions.ts";
import { RpcError } from "../../lib/jsonrpc/message.ts";
import {
  MAX_SUBSCRIBED_SIZE,
  MAX_SUBSCRIPTIONS,
  Subscription,
  Subscriptions,
} from "../../lib/server/subscriptions.ts";
import { settle } from "../harness/wire_pair.ts";

const EVERYTHING: Filter = { resources: true, prompts: true, uris: new Set(["doc:1", "doc:2"]) };
const RESOURCES = "notifications/resources/list_changed";
const PROMPTS = "notifications/prompts/list_changed";
const updated = (uri: string) => `notifications/resources/updated ${uri}`;

function news(what: { resources?: boolean; prompts?: boolean; uris?: readonly string[] }): ChangeSet {
  const { resources = false, prompts = false, uris = [] } = what;
  return { resources, prompts, affects: (uri) => uris.includes(uri) };
}

/** A subscription, what it told, and whether there is room for more after each message. */
function subscribed(filter: Filter) {
  const told: string[] = [];
  const wire: { isFull: boolean; read: () => void } = { isFull: false, read: () => {} };
  const subscription = new Subscription(filter, (method, params) => {
    const { uri } = (params ?? {}) as { uri?: string };
    told.push(uri === undefined ? method : `${method} ${uri}`);
    if (!wire.isFull) return undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    wire.read = resolve;
    return promise;
  });
  return { subscription, told, wire };
}

function limitCode(act: () => unknown): number | undefined {
  try {
    act();
  } catch (cause) {
    assert.ok(cause instanceof RpcError);
    return cause.code;
  }
  return undefined;
}

test("Subscription tells at once what was asked for, and nothing else", () => {
  const everything = news({ resources: true, prompts: true, uris: ["doc:1", "doc:2", "doc:3"] });
  const none = { resources: false, prompts: false, uris: new Set<string>() };
  const expected: [Filter, string[]][] = [
    [EVERYTHING, [RESOURCES, PROMPTS, updated("doc:1"), updated("doc:2")]],
    [{ ...none, resources: true }, [RESOURCES]],
    [{ ...none, prompts: true }, [PROMPTS]],
    [{ ...none, uris: new Set(["doc:2"]) }, [updated("doc:2")]],
    [none, []],
  ];
  for (const [filter, all] of expected) {
    const { subscription, told } = subscribed(filter);
    subscription.add(news({}));
    assert.deepEqual(told, []);
    subscription.add(everything);
    assert.deepEqual(told, all);
    subscription.add(everything);
    assert.deepEqual(told, [...all, ...all]);
  }
});

test("Subscription keeps to itself what there is no room for, and tells it once when there is", async () => {
  const { subscription, told, wire } = subscribed(EVERYTHING);
  wire.isFull = true;
  for (let round = 0; round < 100; round++) {
    subscription.add(news({ resources: true, uris: ["doc:1"] }));
    subscription.add(news({ prompts: true, uris: ["doc:2", "doc:1"] }));
  }
  // The first one found out that there was no room.
  assert.deepEqual(told, [RESOURCES]);
  wire.isFull = false;
  wire.read();
  await settle();
  // What changed again after it was told is told again.
  assert.deepEqual(told.slice(1).sort(), [RESOURCES, PROMPTS, updated("doc:1"), updated("doc:2")].sort());
});

test("Subscription sends one message for each time that there is room", async () => {
  const { subscription, told, wire } = subscribed(EVERYTHING);
  wire.isFull = true;
  subscription.add(news({ resources: true, prompts: true, uris: ["doc:1", "doc:2"] }));
  for (let count = 1; count <= 4; count++) {
    assert.equal(told.length, count);
    wire.read();
    await settle();
  }
  assert.deepEqual(told, [RESOURCES, PROMPTS, updated("doc:1"), updated("doc:2")]);
});

test("Subscription does not tell of a resource that nobody waits for any more", async () => {
  const uris = new Set(["doc:1", "doc:2"]);
  const { subscription, told, wire } = subscribed({ resources: true, prompts: false, uris });
  wire.isFull = true;
  subscription.add(news({ resources: true, uris: ["doc:1", "doc:2"] }));
  uris.delete("doc:1");
  wire.isFull = false;
  wire.read();
  await settle();
  assert.deepEqual(told, [RESOURCES, updated("doc:2")]);
});

test("Subscription tells of a resource as of one, whatever its URI looks like", () => {
  const uri = "notifications/tools/list_changed";
  const { subscription, told } = subscribed({ resources: false, prompts: false, uris: new Set([uri]) });
  subscription.add(news({ uris: [uri] }));
  assert.deepEqual(told, [updated(uri)]);
});

test("Subscriptions keeps so many streams open and no more, and has room again when one is gone", () => {
  const subscriptions = new Subscriptions();
  const open = () => subscriptions.open(new Set(), () => {});
  const takeOff = Array.from({ length: MAX_SUBSCRIPTIONS }, () => open());
  assert.equal(limitCode(() => open()), -32600);
  takeOff[7]!();
  takeOff[7]!();
  open();
  assert.equal(limitCode(() => open()), -32600);
});

test("Subscriptions waits for so much and no more, over all streams and single resources", () => {
  const subscriptions = new Subscriptions();
  const half = (letter: string) => letter.repeat(MAX_SUBSCRIBED_SIZE / 2);
  const takeOff = subscriptions.open(new Set([half("a")]), () => {});
  subscriptions.add(half("b"));
  subscriptions.add(half("b"));
  assert.equal(limitCode(() => subscriptions.add("c")), -32602);
  assert.equal(limitCode(() => subscriptions.open(new Set(["c"]), () => {})), -32602);
  subscriptions.open(new Set(), () => {});
  assert.deepEqual([...subscriptions.uris], [half("b")]);
  takeOff();
  takeOff();
  subscriptions.add(half("c"));
  assert.equal(limitCode(() => subscriptions.add("d")), -32602);
  subscriptions.delete("never added");
  subscriptions.delete(half("b"));
  subscriptions.delete(half("b"));
  subscriptions.open(new Set([half("d")]), () => {});
  assert.equal(limitCode(() => subscriptions.add("e")), -32602);
});

test("Subscriptions ends every stream that is open or is opened later, once", () => {
  const subscriptions = new Subscriptions();
  const ended: string[] = [];
  const open = (id: string | number) =>
    subscriptions.open(new Set(), () => void ended.push(`${typeof id} ${id}`));
  open(1);
  open("1");
  open("cancelled")();
  subscriptions.endAll();
  assert.deepEqual(ended, ["number 1", "string 1"]);
  open("");
  assert.deepEqual(ended, ["number 1", "string 1", "string "]);
});

test("Subscriptions takes off the stream that it is asked to, not the next one under its id", () => {
  const subscriptions = new Subscriptions();
  const ended: string[] = [];
  const first = subscriptions.open(new Set(), () => void ended.push("first"));
  first();
  subscriptions.open(new Set(), () => void ended.push("second"));
  first();
  subscriptions.endAll();
  assert.deepEqual(ended, ["second"]);
});
