/** Can a client of a session go to any of several replicas? Each of its requests to another one, with a real store behind them. */

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Message } from "./checks.ts";
import type { Replicas } from "./replicas.ts";
import { eventsOf, post, shakeHands } from "./post.ts";
import { NO_REDIS } from "./redis.ts";
import { startReplicas } from "./replicas.ts";
import { LEGACY_REVISIONS } from "./schemas.ts";

const A = "architecture://guidelines/a";

/** Reads a stream of notices until something comes that is looked for; at most as long as a test may take. */
async function untilTold(
  response: Response,
  wanted: (message: Message) => boolean,
): Promise<Message[]> {
  const seen: Message[] = [];
  let rest = "";
  for await (
    const text of response.body!.pipeThrough(new TextDecoderStream())
  ) {
    const whole = (rest + text).split("\n\n");
    rest = whole.pop()!;
    seen.push(...eventsOf(whole.join("\n")));
    if (seen.some(wanted)) return seen;
  }
  throw new Error(`The stream ended, and told only ${JSON.stringify(seen)}`);
}

describe("sessions of several replicas with Redis", { skip: NO_REDIS }, () => {
  let replicas: Replicas;
  before(async () => void (replicas = await startReplicas(3)));
  after(async () => {
    await replicas.stop();
    assert.equal(replicas.said(), "");
  });

  for (const revision of LEGACY_REVISIONS) {
    it(`are served by replicas that never saw their handshake, in ${revision}`, async () => {
      const [first, second, third] = replicas.urls;
      const session = await shakeHands(first!, revision);
      for (const url of [second!, third!, first!]) {
        const { status, messages } = await session.ask(url, "resources/read", {
          uri: A,
        });
        assert.equal(status, 200);
        assert.match(JSON.stringify(messages[0]!["result"]), /As it /);
      }
    });
  }

  it("have the level of the log that was set elsewhere", async () => {
    const [first, second, third] = replicas.urls;
    const session = await shakeHands(first!);
    const logged = async (url: string, call: string) => {
      const { messages } = await session.ask(url, "tools/call", {
        name: "count",
        arguments: { call },
      });
      return messages.filter(({ method }) => method === "notifications/message")
        .length;
    };
    for (const url of [second!, third!]) {
      assert.equal((await session.ask(url, "ping")).status, 200);
    }
    assert.equal(
      (await session.ask(first!, "logging/setLevel", { level: "debug" }))
        .status,
      200,
    );
    assert.deepEqual([
      await logged(second!, "log 1"),
      await logged(third!, "log 2"),
    ], [1, 1]);
    assert.equal(
      (await session.ask(third!, "logging/setLevel", { level: "error" }))
        .status,
      200,
    );
    assert.deepEqual([
      await logged(first!, "log 3"),
      await logged(second!, "log 4"),
    ], [0, 0]);
  });

  it("hear on one replica of what they subscribed to on another, and no more once they unsubscribe on a third", async () => {
    const [first, second, third] = replicas.urls;
    const session = await shakeHands(first!);
    const controller = new AbortController();
    const stream = await fetch(second!, {
      headers: { accept: "text/event-stream", ...session.fields },
      signal: controller.signal,
    });
    assert.equal(stream.status, 200);
    const [mine, later] = stream.body!.tee();
    assert.equal(
      (await session.ask(first!, "resources/subscribe", { uri: A })).status,
      200,
    );
    replicas.shelf.document("a", "A", "As it is now.");
    const isUpdate = ({ method, params }: Message) =>
      method === "notifications/resources/updated" &&
      (params as { uri: string }).uri === A;
    await untilTold(new Response(mine), isUpdate);
    assert.equal(
      (await session.ask(third!, "resources/unsubscribe", { uri: A })).status,
      200,
    );
    replicas.shelf.document("a", "A", "As it is then.");
    replicas.shelf.document(
      "sign",
      "Sign",
      "The list changes, which is told after the rest.",
    );
    const all = await untilTold(
      new Response(later),
      ({ method }) => method === "notifications/resources/list_changed",
    );
    assert.equal(all.filter(isUpdate).length, 1);
    controller.abort();
  });

  it("are over everywhere once they are ended anywhere", async () => {
    const [first, second, third] = replicas.urls;
    const session = await shakeHands(first!);
    for (const url of replicas.urls) {
      assert.equal((await session.ask(url, "ping")).status, 200);
    }
    const ended = await fetch(second!, {
      method: "DELETE",
      headers: session.fields,
    });
    assert.equal(ended.status, 204);
    for (const url of [first!, second!, third!]) {
      assert.equal((await session.ask(url, "tools/list")).status, 404, url);
    }
    // An id that one of them has signed for somebody is still nobody's to change.
    const token = session.fields["mcp-session-id"]!;
    const forged = {
      ...session.fields,
      "mcp-session-id": `${token.slice(0, -2)}AA`,
    };
    assert.equal(
      (await post(first!, forged, { id: 1, method: "ping" })).status,
      404,
    );
  });

  it("live on when the replica that they began at is killed", async () => {
    const [first, second] = replicas.urls;
    const session = await shakeHands(first!);
    assert.equal(
      (await session.ask(first!, "logging/setLevel", { level: "debug" }))
        .status,
      200,
    );
    await replicas.kill(0);
    const args = { name: "count", arguments: { call: "after" } };
    const { status, messages } = await session.ask(second!, "tools/call", args);
    assert.equal(status, 200);
    assert.ok(
      messages.some(({ method }) => method === "notifications/message"),
    );
    await replicas.restart(0);
    assert.equal(
      (await session.ask(first!, "tools/call", args)).messages.length,
      2,
    );
  });
});
