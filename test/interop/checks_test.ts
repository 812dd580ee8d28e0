/** Would the checks notice? Messages that are wrong in one way each, which must be found out. */

import type { Asked, Message } from "./checks.ts";
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  answerProblems,
  batchProblems,
  notificationProblems,
  orphanProblems,
  questionProblems,
} from "./checks.ts";
import { LEGACY_REVISIONS, REVISIONS, rulesOf } from "./schemas.ts";

const RESOURCE = { uri: "architecture://adr/1", name: "1", mimeType: "text/markdown", size: 3 };
const MODERN = {
  resultType: "complete",
  ttlMs: 0,
  cacheScope: "private",
  _meta: { "io.modelcontextprotocol/serverInfo": { name: "a", version: "1" } },
};
const official = rulesOf("2026-07-28").source === "official";
const strict = { skip: official ? false : "the official schemas are not at hand" };

function listing(revision: string, resource: Message = RESOURCE, more: Message = {}): [Message, Asked] {
  const result = { resources: [resource], ...(revision === "2026-07-28" ? MODERN : {}), ...more };
  return [{ jsonrpc: "2.0", id: 1, result }, { method: "resources/list", revision }];
}

const STREAM = { "io.modelcontextprotocol/subscriptionId": "s" };

function told(what: string, params?: Message): Message {
  return { jsonrpc: "2.0", method: `notifications/${what}`, ...(params ? { params } : {}) };
}

function refusing(revision: string | undefined, error: Message, more: Message = {}): [Message, Asked] {
  return [{ jsonrpc: "2.0", id: 1, error, ...more }, { method: "resources/read", revision }];
}

describe("the checks", () => {
  for (const revision of REVISIONS) {
    it(`let pass what ${revision} allows`, () => {
      assert.deepEqual(answerProblems(...listing(revision)), []);
      assert.deepEqual(answerProblems(...refusing(revision, { code: -32602, message: "No" })), []);
    });

    it(`notice what ${revision} forbids`, () => {
      const { uri: _, ...nameless } = RESOURCE;
      const wrong = [
        listing(revision, nameless),
        listing(revision, { ...RESOURCE, size: "3" }),
        listing(revision, RESOURCE, { resources: {} }),
        listing(revision, RESOURCE, { nextCursor: 7 }),
        refusing(revision, { code: "-32602", message: "No" }),
        refusing(revision, { code: -32602 }),
        refusing(revision, { code: -32602, message: "Cannot read /srv/docs/adr/1.md" }),
      ];
      for (const [message, asked] of wrong) {
        assert.notDeepEqual(answerProblems(message, asked), [], JSON.stringify(message));
      }
    });

    it(`notice members that ${revision} does not have`, strict, () => {
      assert.notDeepEqual(answerProblems(...listing(revision, { ...RESOURCE, colour: "red" })), []);
      assert.notDeepEqual(answerProblems(...listing(revision, { ...RESOURCE, uri: "not a uri" })), []);
      const titled = answerProblems(...listing(revision, { ...RESOURCE, title: "One" }));
      assert.equal(titled.length > 0, revision < "2025-06-18");
    });
  }

  it("notice what is missing from a result of 2026-07-28", () => {
    for (const missing of ["resultType", "ttlMs", "cacheScope", "_meta"]) {
      assert.notDeepEqual(
        answerProblems(...listing("2026-07-28", RESOURCE, { [missing]: undefined })),
        [],
        missing,
      );
    }
    const ping = { jsonrpc: "2.0", id: 1, result: { completion: { values: [] }, ...MODERN } };
    assert.match(
      answerProblems(ping, { method: "completion/complete", revision: "2026-07-28" }).join(),
      /does not carry/,
    );
  });

  it("notice codes that do not belong to the revision", () => {
    assert.notDeepEqual(answerProblems(...refusing("2026-07-28", { code: -32002, message: "No" })), []);
    assert.notDeepEqual(answerProblems(...refusing("2025-11-25", { code: -32022, message: "No" })), []);
    assert.deepEqual(answerProblems(...refusing("2025-11-25", { code: -32002, message: "No" })), []);
  });

  it("notice a refused version without its data", strict, () => {
    assert.notDeepEqual(answerProblems(...refusing("2026-07-28", { code: -32022, message: "No" })), []);
  });

  it("know where null is an id", () => {
    const error = { code: -32700, message: "Parse error" };
    for (const agreed of [undefined, "2024-11-05", "2025-03-26", "2025-06-18"]) {
      assert.deepEqual(orphanProblems({ jsonrpc: "2.0", id: null, error }, agreed), []);
    }
    assert.notDeepEqual(orphanProblems({ jsonrpc: "2.0", id: null, error }, "2025-11-25"), []);
    assert.notDeepEqual(orphanProblems({ jsonrpc: "2.0", error }, "2024-11-05"), []);
    assert.deepEqual(orphanProblems({ jsonrpc: "2.0", error }, "2025-11-25"), []);
    assert.deepEqual(orphanProblems({ jsonrpc: "2.0", error }, undefined), []);
  });

  it("notice batches that are not allowed", () => {
    assert.deepEqual(batchProblems([{ jsonrpc: "2.0", id: 1, result: {} }], "2025-03-26"), []);
    assert.notDeepEqual(batchProblems([{ jsonrpc: "2.0", id: 1, result: {} }], "2025-06-18"), []);
  });

  it("know what is told unasked in revisions with a handshake, and what is not", () => {
    for (const revision of LEGACY_REVISIONS) {
      assert.deepEqual(notificationProblems(told("resources/list_changed"), revision), []);
      assert.deepEqual(notificationProblems(told("prompts/list_changed"), revision), []);
      assert.deepEqual(notificationProblems(told("resources/updated", { uri: "doc:1" }), revision), []);
      for (
        const wrong of [
          told("made_up"),
          told("resources/updated"),
          told("resources/updated", { uri: 7 }),
          told("subscriptions/acknowledged", { notifications: {} }),
          { method: "notifications/resources/list_changed" },
        ]
      ) assert.notDeepEqual(notificationProblems(wrong, revision), [], JSON.stringify(wrong));
    }
  });

  it("hold what a stream carries against 2026-07-28, whatever was agreed", () => {
    for (const agreed of [undefined, ...LEGACY_REVISIONS]) {
      for (
        const right of [
          told("subscriptions/acknowledged", {
            _meta: STREAM,
            notifications: { resourcesListChanged: true },
          }),
          told("resources/updated", { _meta: STREAM, uri: "doc:1" }),
          told("resources/list_changed", { _meta: STREAM }),
          told("cancelled", { _meta: STREAM, requestId: "s" }),
        ]
      ) assert.deepEqual(notificationProblems(right, agreed), []);
      for (
        const wrong of [
          told("subscriptions/acknowledged", { _meta: STREAM }),
          told("subscriptions/acknowledged", { _meta: STREAM, notifications: { promptsListChanged: 1 } }),
        ]
      ) assert.notDeepEqual(notificationProblems(wrong, agreed), [], JSON.stringify(wrong));
    }
  });

  it("notice members of notifications that nobody knows, and one that is missing", strict, () => {
    const filter = { resourcesListChanged: true, colour: "red" };
    const wrong = told("subscriptions/acknowledged", { _meta: STREAM, notifications: filter });
    assert.notDeepEqual(notificationProblems(wrong, undefined), []);
    assert.notDeepEqual(notificationProblems(told("cancelled", { _meta: STREAM }), undefined), []);
    assert.notDeepEqual(notificationProblems({ ...told("resources/list_changed"), id: 1 }, "2025-11-25"), []);
  });

  it("notice questions that a revision does not have", strict, () => {
    const asks = (method: string, params: Message): Message => ({ jsonrpc: "2.0", id: 1, method, params });
    const form = { message: "?", requestedSchema: { type: "object", properties: { a: { type: "string" } } } };
    const several = { type: "array", items: { type: "string", enum: ["a"] } };
    assert.deepEqual(questionProblems(asks("elicitation/create", form), "2025-06-18"), []);
    assert.deepEqual(
      questionProblems(asks("elicitation/create", { ...form, mode: "form" }), "2025-11-25"),
      [],
    );
    const wrong: [Message, string][] = [
      [asks("elicitation/create", form), "2025-03-26"],
      [asks("elicitation/create", { ...form, mode: "form" }), "2025-06-18"],
      [asks("elicitation/create", { message: "?" }), "2025-11-25"],
      [
        asks("elicitation/create", { ...form, requestedSchema: { type: "object", properties: { several } } }),
        "2025-06-18",
      ],
      [asks("elicitation/create", { mode: "url", message: "?", url: "https://a.example" }), "2025-11-25"],
      [asks("sampling/createMessage", { messages: [] }), "2025-11-25"],
      [asks("roots/list", {}), "2026-07-28"],
    ];
    for (const [message, revision] of wrong) {
      assert.notDeepEqual(questionProblems(message, revision), [], `${revision} ${JSON.stringify(message)}`);
    }
  });

  it("notice results that ask as they must not", strict, () => {
    const roots = { method: "roots/list" };
    const asking = (result: Message, method = "tools/call"): [Message, Asked] => [
      { jsonrpc: "2.0", id: 1, result: { resultType: "input_required", _meta: MODERN._meta, ...result } },
      { method, revision: "2026-07-28" },
    ];
    assert.deepEqual(answerProblems(...asking({ inputRequests: { roots }, requestState: "s" })), []);
    const wrong = [
      asking({}),
      asking({ inputRequests: { roots } }, "tools/list"),
      asking({ inputRequests: { roots: { method: "ping" } } }),
      asking({ inputRequests: { form: { method: "elicitation/create", params: { message: "?" } } } }),
      asking({ requestState: 5 }),
      asking({ requestState: "s", ttlMs: 0 }),
      asking({ requestState: "s", _meta: {} }),
    ];
    for (const [message, asked] of wrong) {
      assert.notDeepEqual(answerProblems(message, asked), [], JSON.stringify(message));
    }
  });
});
