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
import { dataOf } from "../harness/http.ts";
import { changingRoot } from "./documents.ts";
import type { Reply } from "./post.ts";
import { modernRequest, openSession, post, send } from "./post.ts";
import { Daemon, freePort, HERE, NO_NGINX, NO_REDIS, NODE_RUNTIME, startNginx } from "./programs.ts";
import { startRedis, workFolder } from "./programs.ts";
import type { RedisStore } from "./replica.ts";
import { redisStore, SLOW } from "./replica.ts";

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

test(
  "a session lives on at other replicas when the one that it began at is killed",
  { skip: NO_REDIS },
  async () => {
    const replicas = await startReplicas();
    const { urls: [first, second, third], root } = replicas;
    const session = await openSession(first);
    const ask = async (url: string, method: string, params = {}) => {
      const { status, messages } = await session.ask(url, method, params);
      assert.equal(status, 200, `${method} at ${url}`);
      return messages.map(({ method }) => method ?? "answer");
    };
    const stream = await fetch(second, { headers: { accept: "text/event-stream", ...session.fields } });
    assert.equal(stream.status, 200);
    await ask(first, "logging/setLevel", { level: "debug" });
    await ask(first, "resources/subscribe", { uri: A });
    await replicas.kill(0);
    const call = { name: "count", arguments: { call: "log" } };
    for (const url of [second, third]) {
      assert.deepEqual(await ask(url, "tools/call", call), ["notifications/message", "answer"]);
    }
    root.document("a", "A", "As it is now.");
    const { value } = await dataOf(stream).next();
    assert.deepEqual(JSON.parse(value!).params, { uri: A });
    await replicas.restart(0);
    assert.deepEqual(await ask(first, "tools/call", call), ["notifications/message", "answer"]);
    assert.equal((await fetch(third, { method: "DELETE", headers: session.fields })).status, 204);
    for (const url of replicas.urls) assert.equal((await session.ask(url, "tools/list")).status, 404, url);
    await replicas.stop();
    assert.equal(replicas.written(), "");
  },
);

/** How many clients there are of each kind that is raw. */
const WORKERS = 8;
/** How often a replica is killed. */
const DEATHS = 3;
/** How many requests of each client, about, lie between a death and what follows. */
const STRETCH = 25;

/** What came of one kind of request. */
interface Results {
  done: number;
  readonly failed: string[];
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
    const reads: Record<string, Results> = {}, called: Record<string, Results> = {};
    const all = () => [...Object.values(reads), ...Object.values(called)];
    const count = () => all().reduce((sum, { done, failed }) => sum + done + failed.length, 0);
    /** The calls that were answered well. */
    const answered = new Set<string>();
    let running = true;
    /** Makes a request whose result must be the one expected; says whether it was answered. */
    const ask = async (results: Results, expected: string, request: () => Promise<string>) => {
      const outcome = await request().catch((cause) =>
        void results.failed.push(`${expected.slice(0, 40)}: ${cause}`)
      );
      if (outcome === undefined) return false;
      assert.equal(outcome, expected);
      return ++results.done > 0;
    };
    const readOn = async (kind: string, read: () => Promise<string>) => {
      const results = reads[kind] ??= { done: 0, failed: [] };
      while (running) await ask(results, SLOW.text, read);
    };
    const callOn = async (kind: string, call: (params: ReturnType<typeof unique>) => Promise<string>) => {
      const results = called[kind] ??= { done: 0, failed: [] };
      while (running) {
        const params = unique(kind);
        const { call: name } = params.arguments;
        if (await ask(results, `done ${name}`, () => call(params))) answered.add(name);
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
    for (const kinds of [reads, called]) {
      for (const kind of ["modern", "legacy"]) assert.ok(kinds[kind]!.done > 100, report);
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
