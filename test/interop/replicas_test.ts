/**
 * What do clients notice when one of three replicas dies and comes back? The real nginx before real processes, a load of
 * requests in both eras, raw and from the official clients, and a replica that is killed in the middle of it.
 *
 * What is promised: no read fails, no tool call is carried out twice, and a call that got no answer is said to be one.
 */

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Daemon } from "./daemon.ts";
import type { Reply, Session } from "./post.ts";
import type { Replicas } from "./replicas.ts";
import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
} from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { NO_NGINX, startNginx } from "./nginx.ts";
import { modernRequest, post, shakeHands } from "./post.ts";
import { NO_REDIS } from "./redis.ts";
import { startReplicas } from "./replicas.ts";
import { MODERN_REVISION } from "./schemas.ts";

/** How many clients there are of each kind that is raw. */
const WORKERS = 8;
/** How often one is killed. */
const DEATHS = 3;
/** How many requests of each client, about, lie between a death and what follows. */
const STRETCH = 25;
const SLOW = "slow://text";
const TEXT = "The whole text. ".repeat(600);

/** What came of one kind of request. */
class Tally {
  done = 0;
  readonly failed: string[] = [];
}

describe("three replicas behind nginx", { skip: NO_NGINX || NO_REDIS }, () => {
  let replicas: Replicas;
  let nginx: Daemon;
  let url: string;

  before(async () => {
    replicas = await startReplicas(3);
    const started = await startNginx(replicas.ports);
    nginx = started.daemon;
    url = `${started.url}/mcp`;
  });
  after(async () => {
    await nginx.stop();
    await replicas.stop();
  });

  let calls = 0;
  /** The arguments of a call that no other has. */
  const unique = (who: string) => ({
    name: "count",
    arguments: { call: `${who} ${++calls}` },
  });

  /** Sees that the answer to a call is the answer to that call, or an error. */
  function judge(
    tally: Tally,
    answered: Set<string>,
    call: string,
    text: string | undefined,
    failure: unknown,
  ): void {
    if (text === undefined) {
      return void tally.failed.push(`${call}: ${failure}`);
    }
    assert.equal(text, `done ${call}`);
    answered.add(call);
    tally.done++;
  }

  const textOf = ({ messages }: Reply) =>
    (messages.at(-1)?.["result"] as { content: { text: string }[] } | undefined)
      ?.content[0]?.text;
  const contentOf = ({ messages }: Reply) =>
    (messages.at(-1)?.["result"] as
      | { contents: { text: string }[] }
      | undefined)?.contents[0]?.text;

  it("fail no read and carry out no call twice, while one after the other is killed and comes back", async () => {
    const tallies = {
      modernRead: new Tally(),
      modernCall: new Tally(),
      legacyRead: new Tally(),
      legacyCall: new Tally(),
      officialRead: new Tally(),
      officialCall: new Tally(),
      officialLegacyRead: new Tally(),
      officialLegacyCall: new Tally(),
    };
    /** The calls that were answered well. */
    const answered = new Set<string>();
    const all = () =>
      Object.values(tallies).reduce(
        (sum, { done, failed }) => sum + done + failed.length,
        0,
      );
    let running = true;

    const modernReads = async () => {
      const [fields, request] = modernRequest("resources/read", { uri: SLOW });
      const [listFields, list] = modernRequest("resources/list");
      while (running) {
        const reply = await post(url, fields, request);
        if (reply.status === 200 && contentOf(reply) === TEXT) {
          tallies.modernRead.done++;
        } else {tallies.modernRead.failed.push(
            `read: ${reply.status} ${reply.text.slice(0, 200)}`,
          );}
        const listed = await post(url, listFields, list);
        if (listed.status === 200) tallies.modernRead.done++;
        else {tallies.modernRead.failed.push(
            `list: ${listed.status} ${listed.text.slice(0, 200)}`,
          );}
      }
    };
    const modernCalls = async () => {
      while (running) {
        const params = unique("modern");
        const reply = await post(url, ...modernRequest("tools/call", params));
        judge(
          tallies.modernCall,
          answered,
          params.arguments.call,
          textOf(reply),
          `${reply.status} ${reply.text}`,
        );
      }
    };
    const legacyReads = async (session: Session) => {
      while (running) {
        const reply = await session.ask(url, "resources/read", { uri: SLOW });
        if (contentOf(reply) === TEXT) tallies.legacyRead.done++;
        else tallies.legacyRead.failed.push(`${reply.status} ${reply.text}`);
      }
    };
    const legacyCalls = async (session: Session) => {
      while (running) {
        const params = unique("legacy");
        const reply = await session.ask(url, "tools/call", params);
        judge(
          tallies.legacyCall,
          answered,
          params.arguments.call,
          textOf(reply),
          `${reply.status} ${reply.text}`,
        );
      }
    };
    const official = async (
      client: ClientV1 | ClientV2,
      read: Tally,
      call: Tally,
    ) => {
      while (running) {
        try {
          const { contents } = await client.readResource({ uri: SLOW });
          assert.equal((contents[0] as { text: string }).text, TEXT);
          read.done++;
        } catch (cause) {
          read.failed.push(String(cause));
        }
        const params = unique("official");
        try {
          const { content } = await client.callTool(params) as {
            content: { text: string }[];
          };
          judge(call, answered, params.arguments.call, content[0]?.text, "");
        } catch (cause) {
          judge(call, answered, params.arguments.call, undefined, cause);
        }
      }
    };

    const v1 = new ClientV1({ name: "v1", version: "1" });
    await v1.connect(new TransportV1(new URL(url)));
    const v2Legacy = new ClientV2({ name: "v2", version: "1" }, {
      versionNegotiation: { mode: "legacy" },
    });
    await v2Legacy.connect(new TransportV2(new URL(url)));
    const v2 = new ClientV2({ name: "v2", version: "1" }, {
      versionNegotiation: { mode: { pin: MODERN_REVISION } },
    });
    await v2.connect(new TransportV2(new URL(url)));
    const sessions = await Promise.all(
      Array.from({ length: WORKERS }, () => shakeHands(url)),
    );
    const load = [
      ...sessions.flatMap((
        session,
      ) => [
        modernReads(),
        modernCalls(),
        legacyReads(session),
        legacyCalls(session),
      ]),
      official(v2, tallies.officialRead, tallies.officialCall),
      official(v1, tallies.officialLegacyRead, tallies.officialLegacyCall),
      official(
        v2Legacy,
        tallies.officialLegacyRead,
        tallies.officialLegacyCall,
      ),
    ];
    const stretch = async () => {
      const end = all() + STRETCH * load.length;
      while (all() < end) {
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
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
    await Promise.all([v1.close(), v2Legacy.close(), v2.close()]);

    const shown = Object.entries(tallies).map(([kind, { done, failed }]) =>
      `${kind}: ${done} done, ${failed.length} failed`
    );
    const report = `${all()} requests. ${shown.join("; ")}`;
    console.log(report);
    assert.ok(all() > 2000, report);
    assert.deepEqual(tallies.modernRead.failed, []);
    assert.deepEqual(tallies.officialRead.failed, []);
    assert.deepEqual(tallies.legacyRead.failed, []);
    assert.deepEqual(tallies.officialLegacyRead.failed, []);
    for (
      const { done } of [
        tallies.modernRead,
        tallies.modernCall,
        tallies.legacyRead,
        tallies.legacyCall,
      ]
    ) {
      assert.ok(done > 100, report);
    }

    const executions = replicas.executions();
    const executed = new Set(executions);
    assert.equal(
      executions.length,
      executed.size,
      "a call was carried out twice",
    );
    for (const call of answered) {
      assert.ok(
        executed.has(call),
        `${call} was answered, and never carried out`,
      );
    }
    const { modernCall, legacyCall, officialCall, officialLegacyCall } = tallies;
    const failed = [modernCall, legacyCall, officialCall, officialLegacyCall]
      .flatMap((tally) => tally.failed);
    // Whatever has no answer is said to have none, by whoever was there to say it.
    for (const failure of failed) {
      assert.match(failure, /No replica has answered/);
    }
    // Otherwise nothing was on its way when they died, and this has shown nothing.
    assert.ok(failed.length > 0, report);
  });

  it("are one server to a client that says one thing in the head and another in the body", async () => {
    const [fields] = modernRequest("resources/read", { uri: SLOW });
    const [, request] = modernRequest("tools/call", unique("disguised"));
    const before = replicas.executions().length;
    for (
      const body of [request, {
        id: 1,
        method: "tools/call",
        params: unique("disguised"),
      }]
    ) {
      for (const more of [{}, (await shakeHands(url)).fields]) {
        const { status } = await post(url, { ...more, ...fields }, body);
        assert.equal(status, 400);
      }
    }
    assert.equal(replicas.executions().length, before);
  });

  it("stream to a client at once what happens, and notice when it leaves", async () => {
    const controller = new AbortController();
    const [fields, request] = modernRequest("subscriptions/listen", {
      notifications: { resourceSubscriptions: ["architecture://guidelines/a"] },
    });
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "text/event-stream",
        ...fields,
      },
      body: JSON.stringify({ jsonrpc: "2.0", ...request }),
      signal: controller.signal,
    });
    const reader = response.body!.pipeThrough(new TextDecoderStream())
      .getReader();
    let text = "";
    while (!text.includes("acknowledged")) text += (await reader.read()).value;
    replicas.shelf.document("a", "A", "As it is now.");
    while (!text.includes("notifications/resources/updated")) {
      text += (await reader.read()).value;
    }
    controller.abort();
  });
});
