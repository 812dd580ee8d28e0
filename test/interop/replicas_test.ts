/**
 * Clients of three replicas behind nginx, one after the other of which is killed and comes back under a load of requests in
 * both eras, raw and from the official clients: no read fails, no tool call is carried out twice, and a call that got no
 * answer is reported as one.
 */

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { V1, V2_LEGACY, V2_MODERN } from "./clients.ts";
import { dataOf } from "./conversation.ts";
import type { Reply } from "./post.ts";
import { modernRequest, openSession, post, send } from "./post.ts";
import type { Daemon } from "./programs.ts";
import { NO_NGINX, NO_REDIS, startNginx } from "./programs.ts";
import { SLOW } from "./replica.ts";
import type { Replicas } from "./replicas.ts";
import { startReplicas } from "./replicas.ts";

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
    const reads = {
      modern: new Results(),
      legacy: new Results(),
      official: new Results(),
      officialLegacy: new Results(),
    };
    const called = {
      modern: new Results(),
      legacy: new Results(),
      official: new Results(),
      officialLegacy: new Results(),
    };
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
