/** A client of a session can go to any of several replicas: each of its requests to another one, with Redis behind them. */

import assert from "node:assert/strict";
import { after, before, describe, it, test } from "node:test";
import { sessionStoreContract } from "../harness/session_store_contract.ts";
import { dataOf } from "./conversation.ts";
import { openSession, post } from "./post.ts";
import { NO_REDIS, startRedis } from "./programs.ts";
import type { RedisStore } from "./replica.ts";
import { redisStore } from "./replica.ts";
import type { Replicas } from "./replicas.ts";
import { startReplicas } from "./replicas.ts";
import type { Message } from "./rules.ts";
import { LEGACY_REVISIONS } from "./rules.ts";

const A = "architecture://guidelines/a";

/** Reads a stream of notifications until something comes that is looked for; at most as long as a test may take. */
async function readUntil(response: Response, wanted: (message: Message) => boolean): Promise<Message[]> {
  const seen: Message[] = [];
  for await (const data of dataOf(response)) {
    seen.push(JSON.parse(data));
    if (wanted(seen.at(-1)!)) return seen;
  }
  throw new Error(`The stream ended after ${JSON.stringify(seen)}`);
}

describe("a store in Redis", { skip: NO_REDIS }, () => {
  let redis: Awaited<ReturnType<typeof startRedis>>;
  let stores: [RedisStore, RedisStore];
  before(async () => {
    redis = await startRedis();
    stores = [await redisStore(redis.socket), await redisStore(redis.socket)];
  });
  after(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await redis.daemon.stop();
  });

  sessionStoreContract("Redis", () => stores, { skip: NO_REDIS });

  test("rejects when Redis is gone, so that a session whose end cannot be read is not served", async () => {
    const { socket, daemon } = await startRedis();
    const store = await redisStore(socket);
    await store.set("s", "ended", "1", Date.now() + 60_000);
    await daemon.stop("SIGKILL");
    await assert.rejects(async () => await store.get("s"));
    await store.close();
  });
});

describe("sessions of several replicas with Redis", { skip: NO_REDIS }, () => {
  let replicas: Replicas;
  let [first, second, third]: readonly [string, string, string] = ["", "", ""];
  before(async () => {
    replicas = await startReplicas();
    [first, second, third] = replicas.urls;
  });
  after(async () => {
    await replicas.stop();
    assert.equal(replicas.written(), "");
  });

  for (const revision of LEGACY_REVISIONS) {
    it(`are served by replicas that never saw their handshake, in ${revision}`, async () => {
      const session = await openSession(first, revision);
      for (const url of [second, third, first]) {
        const { status, text } = await session.ask(url, "resources/read", { uri: A });
        assert.equal(status, 200);
        assert.match(text, /As it /);
      }
    });
  }

  it("have the level of the log that was set elsewhere", async () => {
    const session = await openSession(first);
    const setLevel = async (url: string, level: string) =>
      assert.equal((await session.ask(url, "logging/setLevel", { level })).status, 200);
    const logged = async (url: string) => {
      const params = { name: "count", arguments: { call: "log" } };
      const { messages } = await session.ask(url, "tools/call", params);
      return messages.filter(({ method }) => method === "notifications/message").length;
    };
    for (const url of [second, third]) assert.equal((await session.ask(url, "ping")).status, 200);
    await setLevel(first, "debug");
    assert.deepEqual([await logged(second), await logged(third)], [1, 1]);
    await setLevel(third, "error");
    assert.deepEqual([await logged(first), await logged(second)], [0, 0]);
  });

  it("hear on one replica of what they subscribed to on another, until they unsubscribe on a third", async () => {
    const session = await openSession(first);
    const controller = new AbortController();
    const headers = { accept: "text/event-stream", ...session.fields };
    const stream = await fetch(second, { headers, signal: controller.signal });
    assert.equal(stream.status, 200);
    const [mine, later] = stream.body!.tee().map((body) => new Response(body, stream));
    assert.equal((await session.ask(first, "resources/subscribe", { uri: A })).status, 200);
    replicas.root.document("a", "A", "As it is now.");
    const isUpdate = ({ method, params }: Message) =>
      method === "notifications/resources/updated" && (params as { uri: string }).uri === A;
    await readUntil(mine!, isUpdate);
    assert.equal((await session.ask(third, "resources/unsubscribe", { uri: A })).status, 200);
    replicas.root.document("a", "A", "As it is then.");
    replicas.root.document("sign", "Sign", "The list changes, which is told after the rest.");
    const all = await readUntil(later!, ({ method }) => method === "notifications/resources/list_changed");
    assert.equal(all.filter(isUpdate).length, 1);
    controller.abort();
  });

  it("are over everywhere once they are ended anywhere", async () => {
    const session = await openSession(first);
    for (const url of replicas.urls) assert.equal((await session.ask(url, "ping")).status, 200);
    assert.equal((await fetch(second, { method: "DELETE", headers: session.fields })).status, 204);
    for (const url of replicas.urls) assert.equal((await session.ask(url, "tools/list")).status, 404, url);
    // An id that one of them has signed cannot be changed.
    const forged = `${session.fields["mcp-session-id"]!.slice(0, -2)}AA`;
    const { status } = await post(first, { ...session.fields, "mcp-session-id": forged }, {
      id: 1,
      method: "ping",
    });
    assert.equal(status, 404);
  });

  it("live on when the replica that they began at is killed", async () => {
    const session = await openSession(first);
    assert.equal((await session.ask(first, "logging/setLevel", { level: "debug" })).status, 200);
    await replicas.kill(0);
    const args = { name: "count", arguments: { call: "after" } };
    const { status, messages } = await session.ask(second, "tools/call", args);
    assert.equal(status, 200);
    assert.ok(messages.some(({ method }) => method === "notifications/message"));
    await replicas.restart(0);
    assert.equal((await session.ask(first, "tools/call", args)).messages.length, 2);
  });
});
