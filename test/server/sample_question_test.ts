/** How is a client's model asked in each revision, and what is taken for its answer? */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { SampleMessage, SampleRequest } from "../../lib/server/client_requests.ts";
import { REVISIONS } from "../../lib/protocol/revisions.ts";
import { sampleRequest } from "../../lib/server/input_requests.ts";
import { MissingCapabilityError } from "../../lib/server/client_requests.ts";

const text = (text: string) => ({ type: "text", text }) as const;
const use = (id: string) => ({ type: "tool_use", id, name: "t", input: {} }) as const;
const result = (toolUseId: string) => ({ type: "tool_result", toolUseId, content: [] }) as const;
const user = (content: SampleMessage["content"]): SampleMessage => ({ role: "user", content });
const assistant = (content: SampleMessage["content"]): SampleMessage => ({ role: "assistant", content });

/** The question as it is put to a client of a revision. */
function ask(id: string, request: Partial<SampleRequest>, sampling: unknown = { tools: {}, context: {} }) {
  const revision = REVISIONS.find((one) => one.id === id)!;
  return sampleRequest({ messages: [user(text("Hi"))], maxTokens: 5, ...request }, {
    revision,
    client: { info: undefined, capabilities: sampling === undefined ? {} : { sampling } },
  });
}

test("messages of several blocks are one message for each where there are no others", () => {
  const messages = [user([text("a"), text("b")]), assistant(text("c"))];
  assert.deepEqual(ask("2025-11-25", { messages }).params, { messages, maxTokens: 5 });
  assert.deepEqual(ask("2025-06-18", { messages }).params, {
    messages: [user(text("a")), user(text("b")), assistant(text("c"))],
    maxTokens: 5,
  });
  const sound = [user({ type: "audio", data: "", mimeType: "audio/wav" })];
  assert.throws(() => ask("2024-11-05", { messages: sound }), /no audio/);
  assert.deepEqual(ask("2025-03-26", { messages: sound }).params!["messages"], sound);
});

test("what a client has not said it can do is not asked of it", () => {
  const context = { includeContext: "allServers" } as const;
  assert.equal(ask("2026-07-28", context).params!["includeContext"], "allServers");
  assert.equal("includeContext" in ask("2026-07-28", context, {}).params!, false);
  assert.equal(ask("2025-06-18", context, {}).params!["includeContext"], "allServers");
  const needsTools = [
    { tools: [] },
    { toolChoice: { mode: "none" } },
    { messages: [assistant(use("1")), user(result("1"))] },
  ] as const;
  for (const request of needsTools) {
    assert.ok(ask("2025-11-25", request).params);
    for (const [id, sampling] of [["2025-11-25", {}], ["2025-06-18", { tools: {} }]] as const) {
      assert.throws(() => ask(id, request, sampling), MissingCapabilityError);
    }
  }
});

test("messages that a model would refuse are refused here", () => {
  const wrong: SampleMessage[][] = [
    [assistant(use("1"))],
    [assistant(use("1")), user(text("a"))],
    [assistant([use("1"), use("2")]), user(result("1"))],
    [assistant(use("1")), user([result("1"), text("and")])],
    [assistant(use("1")), assistant(result("1"))],
    [user(result("1"))],
    [assistant(use("1")), user(result("2"))],
  ];
  for (const messages of wrong) {
    assert.throws(
      () => ask("2026-07-28", { messages }),
      /^TypeError: Cannot ask a model with these messages/,
    );
  }
  const right = [
    user(text("a")),
    assistant([text("b"), use("1"), use("2")]),
    user([result("2"), result("1")]),
  ];
  assert.ok(ask("2026-07-28", { messages: right }));
});

test("an answer of a model is one block or several, and nothing else", () => {
  const { read } = ask("2026-07-28", {});
  const said = { role: "assistant", model: "m" };
  assert.deepEqual(read({ ...said, content: text("a") }), {
    ...said,
    content: [text("a")],
    text: "a",
    stopReason: undefined,
  });
  const several = [text("a"), use("1"), text("b")];
  const answer = read({ ...said, content: several, stopReason: "toolUse" });
  assert.deepEqual([answer.content, answer.text, answer.stopReason], [several, "a\nb", "toolUse"]);
  const wrong = [
    undefined,
    "a",
    {},
    said,
    { ...said, content: "a" },
    { ...said, content: { type: "text" } },
    { ...said, content: { type: "toString" } },
    { ...said, content: [text("a"), { type: "image", data: "" }] },
    { ...said, content: { ...use("1"), input: null } },
    { ...said, role: "system", content: [] },
    { role: "user", content: [] },
  ];
  for (const one of wrong) assert.throws(() => read(one), { code: -32602 }, JSON.stringify(one));
});
