/**
 * Several replicas with their sessions in Redis, and nginx in front of them. Each request of a session may go to another replica.
 * One replica after the other is killed and restarted under a load of requests in both eras, raw and from the official clients:
 * no read fails, no tool call is carried out twice, and a call that got no answer is reported as such.
 */

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { after, before, describe, it, test } from "node:test";
import { NEWEST_LEGACY } from "../harness/conformance.ts";
import type { HttpPeer } from "../harness/http_client.ts";
import { HttpClient, peerAt } from "../harness/http_client.ts";
import { sessionStoreContract } from "../harness/session_store_contract.ts";
import { V1, V2_LEGACY, V2_MODERN } from "./clients.ts";
import { changingRoot } from "./documents.ts";
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
    peers: ports.map((port) => peerAt(port)) as [HttpPeer, HttpPeer, HttpPeer],
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
    const { peers: [first, second, third], root } = replicas;
    const session = await first.client(NEWEST_LEGACY);
    const ask = async (peer: HttpPeer, method: string, params = {}) => {
      const answered = await session.at(peer).post(session.request(method, params));
      assert.equal(answered.status, 200, `${method} at ${peer.port}`);
      return answered.messages().map(({ method }) => method ?? "answer");
    };
    const stream = await session.at(second).listen();
    assert.equal(stream.status, 200);
    await ask(first, "logging/setLevel", { level: "debug" });
    await ask(first, "resources/subscribe", { uri: A });
    await replicas.kill(0);
    const call = { name: "count", arguments: { call: "log" } };
    for (const peer of [second, third]) {
      assert.deepEqual(await ask(peer, "tools/call", call), ["notifications/message", "answer"]);
    }
    root.document("a", "A", "As it is now.");
    assert.deepEqual((await stream.take(1))[0]!["params"], { uri: A });
    await replicas.restart(0);
    assert.deepEqual(await ask(first, "tools/call", call), ["notifications/message", "answer"]);
    assert.equal(await session.at(third).end(), 204);
    for (const peer of replicas.peers) assert.equal(await session.at(peer).status("tools/list"), 404);
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

/** Asks for a text; an answer without one is thrown. */
async function textOf(client: HttpClient, method: string, params: object): Promise<string> {
  const answered = await client.post(client.request(method, params));
  const result = answered.messages().at(-1)?.["result"] as Record<string, { text: string }[]> | undefined;
  const found = (result?.["contents"] ?? result?.["content"])?.[0]?.text;
  if (found === undefined) throw new Error(`${answered.status} ${answered.text}`);
  return found;
}

describe("three replicas behind nginx", { skip: NO_NGINX || NO_REDIS }, () => {
  let replicas: Replicas;
  let nginx: Daemon;
  let url: string;
  let peer: HttpPeer;

  before(async () => {
    replicas = await startReplicas();
    const started = await startNginx(replicas.ports);
    nginx = started.daemon;
    url = `${started.url}/mcp`;
    peer = peerAt(Number(new URL(url).port));
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
    const sessions = await Promise.all(Array.from({ length: WORKERS }, () => peer.client(NEWEST_LEGACY)));
    const modern = new HttpClient(peer);
    const clients = await Promise.all([V2_MODERN, V1, V2_LEGACY].map((opening) => opening.connect(url)));
    const load = [
      ...sessions.flatMap((session) => [
        readOn("modern", async () => {
          const { status, text } = await modern.post(modern.request("resources/list"));
          if (status !== 200) throw new Error(`list: ${status} ${text.slice(0, 200)}`);
          return await textOf(modern, "resources/read", { uri: SLOW.uri });
        }),
        callOn("modern", (params) => textOf(modern, "tools/call", params)),
        readOn("legacy", () => textOf(session, "resources/read", { uri: SLOW.uri })),
        callOn("legacy", (params) => textOf(session, "tools/call", params)),
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
    const modern = new HttpClient(peer), legacy = await peer.client(NEWEST_LEGACY);
    const fields = modern.fieldsOf(modern.request("resources/read", { uri: SLOW.uri }));
    const before = replicas.executions().length;
    const bodies = [modern, legacy].map((client) => client.request("tools/call", unique("disguised")));
    for (const body of bodies) {
      for (const more of [fields, { ...fields, "mcp-session-id": legacy.session }]) {
        assert.equal((await peer.send("POST", more, JSON.stringify(body))).status, 400);
      }
    }
    assert.equal(replicas.executions().length, before);
  });

  it("stream to a client at once what happens, and notice when it leaves", async () => {
    const stream = await new HttpClient(peer).listen({}, { resourceSubscriptions: [A] });
    assert.match(String((await stream.take(1))[0]!["method"]), /acknowledged/);
    replicas.root.document("a", "A", "As it is now.");
    assert.equal((await stream.take(2))[1]!["method"], "notifications/resources/updated");
    stream.socket.destroy();
  });
});
