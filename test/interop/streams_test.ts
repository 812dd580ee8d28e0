/** Would it be noticed when somebody is told what nobody asked for? Conversations that are wrong in one way each. */

import type { Message } from "./checks.ts";
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Streams } from "./streams.ts";

const META = { _meta: { "io.modelcontextprotocol/subscriptionId": "s" } };
const FILTER = { resourcesListChanged: true, resourceSubscriptions: ["doc:1"] };
const LISTEN = { id: "s", method: "subscriptions/listen", params: { notifications: FILTER } };
const INITIALIZED = { method: "notifications/initialized" };
const SUBSCRIBE = { id: 1, method: "resources/subscribe", params: { uri: "doc:1" } };

const told = (what: string, params?: Message): Message => ({ method: `notifications/${what}`, params });
const acknowledged = (notifications: Message) =>
  told("subscriptions/acknowledged", { ...META, notifications });
const updated = (uri: string) => told("resources/updated", { ...META, uri });
const relisted = (list: string) => told(`${list}/list_changed`, META);
const ended = (requestId: unknown) => told("cancelled", { ...META, requestId });
const result = (id: unknown) => ({ id, result: META });

/** What is wrong with what comes after all this was sent. */
function problems(sent: readonly Message[], received: readonly Message[]): string[] {
  const streams = new Streams();
  for (const message of sent) streams.sent(message);
  return received.flatMap((message) => streams.received(message));
}

describe("the streams of a conversation", () => {
  it("may carry what was asked for and acknowledged, and end", () => {
    const whole = [acknowledged(FILTER), updated("doc:1"), relisted("resources"), result("s"), ended("s")];
    assert.deepEqual(problems([LISTEN], whole), []);
    assert.deepEqual(
      problems([LISTEN, LISTEN], [acknowledged({}), acknowledged(FILTER), updated("doc:1")]),
      [],
    );
    assert.deepEqual(problems([LISTEN], [{ id: "s", error: {} }, { id: "other", result: {} }]), []);
  });

  it("may not carry anything else, or in another order", () => {
    const wrong: readonly (readonly Message[])[] = [
      [updated("doc:1")],
      [acknowledged(FILTER), acknowledged(FILTER)],
      [acknowledged({ promptsListChanged: true })],
      [acknowledged({ resourceSubscriptions: ["doc:2"] })],
      [acknowledged({ resourcesListChanged: true }), updated("doc:1")],
      [acknowledged(FILTER), updated("doc:2")],
      [acknowledged(FILTER), relisted("prompts")],
      [acknowledged(FILTER), relisted("tools")],
      [acknowledged(FILTER), ended("s")],
      [acknowledged(FILTER), result("s"), ended("t")],
      [result("s")],
    ];
    for (const received of wrong) {
      assert.equal(problems([LISTEN], received).length, 1, JSON.stringify(received));
    }
    assert.equal(problems([], [acknowledged({})]).length, 1);
    assert.equal(
      problems([LISTEN, { ...LISTEN, id: "t" }], [acknowledged(FILTER), { id: "t", result: META }]).length,
      1,
    );
  });

  it("are apart from progress and logs, which each must be asked for", () => {
    const call = { id: 1, method: "tools/call", params: { _meta: { progressToken: "p" } } };
    const at = (progress: number) => told("progress", { progressToken: "p", progress });
    const setLevel = { id: 2, method: "logging/setLevel", params: { level: "debug" } };
    assert.deepEqual(problems([call, setLevel], [at(1), at(2), told("message"), { id: 1, result: {} }]), []);
    assert.equal(problems([call], [at(1), at(1)]).length, 1);
    assert.equal(problems([call], [{ id: 1, result: {} }, at(1)]).length, 1);
    assert.equal(problems([INITIALIZED], [at(1), told("message")]).length, 2);
  });

  it("are apart from what is told unasked, which is lists and what was subscribed to", () => {
    const unasked = [
      told("resources/list_changed"),
      told("prompts/list_changed"),
      told("resources/updated", { uri: "doc:1" }),
    ];
    assert.deepEqual(problems([INITIALIZED, SUBSCRIBE], unasked), []);
    assert.equal(problems([SUBSCRIBE], unasked).length, 3);
    assert.equal(problems([INITIALIZED], unasked).length, 1);
    assert.equal(
      problems([INITIALIZED, LISTEN], [told("tools/list_changed"), told("cancelled", { requestId: 1 })])
        .length,
      2,
    );
  });
});
