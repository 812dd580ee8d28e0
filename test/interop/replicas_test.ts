/**
 * Clients of several replicas with Redis behind them. Each request of a session may go to another replica. Behind nginx, one
 * after the other is killed and comes back under a load of requests in both eras, raw and from the official clients: no read
 * fails, no tool call is carried out twice, and a call that got no answer is reported as one.
 */

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { after, before, describe, it, test } from "node:test";
import { sessionStoreContract } from "../harness/session_store_contract.ts";
import { V1, V2_LEGACY, V2_MODERN } from "./clients.ts";
import { dataOf } from "./conversation.ts";
import { changingRoot } from "./documents.ts";
import type { Reply } from "./post.ts";
import { modernRequest, openSession, post, send } from "./post.ts";
import {
  Daemon,
  freePort,
  HERE,
  NO_NGINX,
  NO_REDIS,
  NODE_RUNTIME,
  startNginx,
  startRedis,
  workFolder,
} from "./programs.ts";
import type { RedisStore } from "./replica.ts";
import { redisStore, SLOW } from "./replica.ts";
import type { Message } from "./rules.ts";
import { LEGACY_REVISIONS } from "./rules.ts";

type Replicas = Awaited<ReturnType<typeof startReplicas>>;

/** Starts three replicas, as processes of their own with one key, one store, and one file of what they carried out. */
async function startReplicas() {
  const folder = workFolder();
  const { socket, daemon: redis } = await startRedis();
  const root = changingRoot(folder);
  const file = `${folder}/executions`;
  writeFileSync(`${folder}/key`, randomBytes(32), { mode: 0o600 });
  const ports = [await freePort(), await freePort(), await freePort()] as const;
  const started: Daemon[] = [];
  const start = async (port: number): Promise<Daemon> => {
    const values = [`${port}`, `${folder}/key`, socket, root.root, file];
    const replica = new Daemon(NODE_RUNTIME.command, NODE_RUNTIME.line([], `${HERE}replica.ts`, ...values));
    started.push(replica);
    await replica.until(async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok);
    return replica;
  };
  const all = await Promise.all(ports.map(start));
  return {
    ports,
    /** The endpoint of each. */
    urls: ports.map((port) => `http://127.0.0.1:${port}/mcp`) as [string, string, string],
    root,
    /** A line for each tool call that one of them carried out. */
    executions: () => existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [],
    /** Ends one as a power failure would. */
    kill: async (index: number) => void await all[index]!.stop("SIGKILL"),
    restart: async (index: number) => void (all[index] = await start(ports[index]!)),
    /** What they wrote, which is nothing when all is well. */
    written: () => started.map(({ stdout, stderr }) => stdout + stderr).join(""),
    async stop() {
      await Promise.all(all.map((replica) => replica.stop()));
      await redis.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

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

/** How many clients there are of each kind that is raw. */
const WORKERS = 8;
/** How often a replica is killed. */
const DEATHS = 3;
/** How many requests of each client, about, lie between a death and what follows. */
const STRETCH = 25;

/** What came of one kind of request. */
class Results {
  done = 0;
  readonly failed: string[] = [];

  /** Counts a request, whose result must be the one expected. */
  async add(expected: string, request: () => Promise<string>): Promise<boolean> {
    try {
      assert.equal(await request(), expected);
      this.done++;
      return true;
    } catch (cause) {
      if (cause instanceof assert.AssertionError) throw cause;
      this.failed.push(`${expected.slice(0, 40)}: ${cause}`);
      return false;
    }
  }
}

/** The text of an answer; an answer without one is thrown. */
function textOf({ status, messages, text }: Reply): string {
  const result = messages.at(-1)?.["result"] as Record<string, { text: string }[]> | undefined;
  const found = (result?.["contents"] ?? result?.["content"])?.[0]?.text;
  if (found === undefined) throw new Error(`${status} ${text}`);
  return found;
}

describe("three replicas behind nginx", { skip: NO_NGINX || NO_REDIS }, () => {
  let replicas: Replicas;
  let nginx: Daemon;
  let url: string;

  before(async () => {
    replicas = await startReplicas();
    const started = await startNginx(replicas.ports);
    nginx = started.daemon;
    url = `${started.url}/mcp`;
  });
  after(async () => {
    await nginx.stop();
    await replicas.stop();
  });

  let calls = 0;
  /** The parameters of a call that no other has. */
  const unique = (caller: string) => ({ name: "count", arguments: { call: `${caller} ${++calls}` } });

  it("fail no read and carry out no call twice, while one after the other is killed and comes back", async () => {
    const KINDS = ["modern", "legacy", "official", "officialLegacy"] as const;
    const byKind = () =>
      Object.fromEntries(KINDS.map((kind) => [kind, new Results()])) as Record<typeof KINDS[number], Results>;
    const [reads, called] = [byKind(), byKind()];
    const all = () => [...Object.values(reads), ...Object.values(called)];
    const count = () => all().reduce((sum, { done, failed }) => sum + done + failed.length, 0);
    /** The calls that were answered well. */
    const answered = new Set<string>();
    let running = true;

    const readOn = async (kind: keyof typeof reads, read: () => Promise<string>) => {
      while (running) await reads[kind].add(SLOW.text, read);
    };
    const callOn = async (
      kind: keyof typeof called,
      call: (params: ReturnType<typeof unique>) => Promise<string>,
    ) => {
      while (running) {
        const params = unique(kind);
        const { call: name } = params.arguments;
        if (await called[kind].add(`done ${name}`, () => call(params))) answered.add(name);
      }
    };
    const sessions = await Promise.all(Array.from({ length: WORKERS }, () => openSession(url)));
    const clients = await Promise.all([V2_MODERN, V1, V2_LEGACY].map((opening) => opening.connect(url)));
    const load = [
      ...sessions.flatMap((session) => [
        readOn("modern", async () => {
          const { status, text } = await post(url, ...modernRequest("resources/list"));
          if (status !== 200) throw new Error(`list: ${status} ${text.slice(0, 200)}`);
          return textOf(await post(url, ...modernRequest("resources/read", { uri: SLOW.uri })));
        }),
        callOn("modern", async (params) => textOf(await post(url, ...modernRequest("tools/call", params)))),
        readOn("legacy", async () => textOf(await session.ask(url, "resources/read", { uri: SLOW.uri }))),
        callOn("legacy", async (params) => textOf(await session.ask(url, "tools/call", params))),
      ]),
      ...clients.flatMap((client, index) => {
        const kind = index === 0 ? "official" : "officialLegacy";
        return [
          readOn(kind, async () => (await client.read(SLOW.uri)).text),
          callOn(kind, ({ name, arguments: args }) => client.textOf(name, args)),
        ];
      }),
    ];
    const stretch = async () => {
      const end = count() + STRETCH * load.length;
      while (count() < end) await new Promise((resolve) => setTimeout(resolve, 5));
    };
    await stretch();
    for (let death = 0; death < DEATHS; death++) {
      await replicas.kill(death % 3);
      await stretch();
      await replicas.restart(death % 3);
      await stretch();
    }
    running = false;
    await Promise.all(load);
    await Promise.all(clients.map((client) => client.raw.close()));

    const shown = (kinds: Record<string, Results>) =>
      Object.entries(kinds).map(([kind, { done, failed }]) => `${kind} ${done} done, ${failed.length} failed`)
        .join("; ");
    const report = `${count()} requests. reads: ${shown(reads)}. calls: ${shown(called)}`;
    assert.ok(count() > 2000, report);
    for (const { failed } of Object.values(reads)) assert.deepEqual(failed, []);
    for (const { done } of [reads.modern, reads.legacy, called.modern, called.legacy]) {
      assert.ok(done > 100, report);
    }

    const executions = replicas.executions();
    const executed = new Set(executions);
    assert.equal(executions.length, executed.size, "a call was carried out twice");
    for (const call of answered) assert.ok(executed.has(call), `${call} was answered, and never carried out`);
    const failed = Object.values(called).flatMap((results) => results.failed);
    // Whatever has no answer is said to have none.
    for (const failure of failed) assert.match(failure, /No replica has answered/);
    // Otherwise nothing was on its way when they died, and this has shown nothing.
    assert.ok(failed.length > 0, report);
  });

  it("are one server to a client that says one thing in the head and another in the body", async () => {
    const [fields] = modernRequest("resources/read", { uri: SLOW.uri });
    const before = replicas.executions().length;
    const bodies = [
      modernRequest("tools/call", unique("disguised"))[1],
      { id: 1, method: "tools/call", params: unique("disguised") },
    ];
    for (const body of bodies) {
      for (const more of [{}, (await openSession(url)).fields]) {
        assert.equal((await post(url, { ...more, ...fields }, body)).status, 400);
      }
    }
    assert.equal(replicas.executions().length, before);
  });

  it("stream to a client at once what happens, and notice when it leaves", async () => {
    const controller = new AbortController();
    const notifications = { resourceSubscriptions: ["architecture://guidelines/a"] };
    const stream = await send(
      url,
      ...modernRequest("subscriptions/listen", { notifications }),
      controller.signal,
    );
    const data = dataOf(stream);
    assert.match((await data.next()).value!, /acknowledged/);
    replicas.root.document("a", "A", "As it is now.");
    assert.match((await data.next()).value!, /notifications\/resources\/updated/);
    controller.abort();
  });
});
