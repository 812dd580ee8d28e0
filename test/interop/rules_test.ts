/** The checks notice what is wrong: messages that are wrong in one way each, and some that are right. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Asked, Message } from "../harness/conformance.ts";
import { answerProblems, batchProblems, notificationProblems } from "../harness/conformance.ts";
import { HAS_SCHEMAS, LEGACY_REVISIONS, REVISIONS } from "../harness/conformance.ts";
import { orphanProblems, serverRequestProblems } from "../harness/conformance.ts";
import "./rules.ts";

const RESOURCE = { uri: "architecture://adr/1", name: "1", mimeType: "text/markdown", size: 3 };
const _meta = { "io.modelcontextprotocol/serverInfo": { name: "a", version: "1" } };
const MODERN = { resultType: "complete", ttlMs: 0, cacheScope: "private", _meta };
const STREAM = { _meta: { "io.modelcontextprotocol/subscriptionId": "s" } };
const strict = { skip: HAS_SCHEMAS ? false : "the official schemas are not at hand" };

/** Holds rows of arguments against a function that gives what is wrong. */
function hold<A extends unknown[]>(
  problems: (...args: A) => string[],
  right: readonly A[],
  wrong: readonly A[],
): void {
  for (const args of right) assert.deepEqual(problems(...args), [], JSON.stringify(args));
  for (const args of wrong) assert.notDeepEqual(problems(...args), [], JSON.stringify(args));
}

const answer = (revision: string, method: string, message: Message): [Message, Asked] => [
  { jsonrpc: "2.0", id: 1, ...message },
  { method, revision },
];
const listing = (revision: string, resource: Message = RESOURCE, more: Message = {}): [Message, Asked] =>
  answer(revision, "resources/list", {
    result: { resources: [resource], ...(revision === "2026-07-28" ? MODERN : {}), ...more },
  });
const notification = (what: string, params?: Message): Message => {
  return { jsonrpc: "2.0", method: `notifications/${what}`, ...(params ? { params } : {}) };
};

const error = (revision: string, change: Message = {}): [Message, Asked] =>
  answer(revision, "resources/read", { error: { code: -32602, message: "No", ...change } });
const acknowledged = (notifications?: Message): Message =>
  notification("subscriptions/acknowledged", { ...STREAM, notifications });

describe("the rules", () => {
  for (const revision of REVISIONS) {
    it(`of ${revision} let pass what it allows, and notice what it forbids`, () => {
      hold(answerProblems, [listing(revision), error(revision)], [
        listing(revision, { ...RESOURCE, name: undefined }),
        listing(revision, RESOURCE, { nextCursor: 7 }),
        error(revision, { message: undefined }),
        error(revision, { message: "Cannot read /srv/docs/adr/1.md" }),
      ]);
    });

    it(`of ${revision} notice members that it does not have`, strict, () => {
      const titled = listing(revision, { ...RESOURCE, title: "One" });
      const coloured = listing(revision, { ...RESOURCE, colour: "red" });
      if (revision < "2025-06-18") hold(answerProblems, [], [coloured, titled]);
      else hold(answerProblems, [titled], [coloured]);
    });
  }

  it("notice what is missing from a result of 2026-07-28, what does not belong there, and wrong codes", () => {
    hold(answerProblems, [error("2025-11-25", { code: -32002 })], [
      ...["resultType", "ttlMs", "cacheScope", "_meta"].map((missing) =>
        listing("2026-07-28", RESOURCE, { [missing]: undefined })
      ),
      answer("2026-07-28", "completion/complete", { result: { completion: { values: [] }, ...MODERN } }),
      error("2026-07-28", { code: -32002 }),
      error("2025-11-25", { code: -32022 }),
      ...(HAS_SCHEMAS ? [error("2026-07-28", { code: -32022 })] : []),
    ]);
  });

  it("know where null is an id, and where batches are allowed", () => {
    const error = { code: -32700, message: "Parse error" };
    const [withNull, without] = [{ jsonrpc: "2.0", id: null, error }, { jsonrpc: "2.0", error }];
    const rows = (message: Message, ...revisions: (string | undefined)[]) =>
      revisions.map((revision): [Message, string | undefined] => [message, revision]);
    const right = rows(withNull, undefined, "2024-11-05", "2025-03-26", "2025-06-18");
    hold(
      orphanProblems,
      [...right, ...rows(without, "2025-11-25", undefined)],
      [...rows(withNull, "2025-11-25"), ...rows(without, "2024-11-05")],
    );
    const batch = [{ jsonrpc: "2.0", id: 1, result: {} }];
    hold(batchProblems, [[batch, "2025-03-26"]], [[batch, "2025-06-18"]]);
  });

  it("know the notifications of a handshake, and hold what a stream carries against 2026-07-28", () => {
    for (const negotiated of LEGACY_REVISIONS) {
      const right = [
        notification("resources/list_changed"),
        notification("resources/updated", { uri: "doc:1" }),
        acknowledged({ resourcesListChanged: true }),
        notification("resources/updated", { ...STREAM, uri: "doc:1" }),
        notification("cancelled", { ...STREAM, requestId: "s" }),
      ];
      const wrong = [
        notification("made_up"),
        notification("resources/updated", { uri: 7 }),
        notification("subscriptions/acknowledged", { notifications: {} }),
        { method: "notifications/resources/list_changed" },
        acknowledged(),
        acknowledged({ promptsListChanged: 1 }),
      ];
      const inForce = (message: Message): [Message, string] => [message, negotiated];
      hold(notificationProblems, right.map(inForce), wrong.map(inForce));
    }
  });

  it("notice members of notifications that are unknown or missing", strict, () => {
    hold(notificationProblems, [], [
      [acknowledged({ colour: "red" }), undefined],
      [notification("cancelled", STREAM), undefined],
      [{ ...notification("resources/list_changed"), id: 1 }, "2025-11-25"],
    ]);
  });

  it("notice requests of a server that a revision does not have", strict, () => {
    const asks = (method: string, params: Message): Message => ({ jsonrpc: "2.0", id: 1, method, params });
    const form = (properties: object, more: object = {}) =>
      asks("elicitation/create", { message: "?", requestedSchema: { type: "object", properties }, ...more });
    const a = { a: { type: "string" } };
    hold(serverRequestProblems, [[form(a), "2025-06-18"], [form(a, { mode: "form" }), "2025-11-25"]], [
      [form(a), "2025-03-26"],
      [form(a, { mode: "form" }), "2025-06-18"],
      [asks("elicitation/create", { message: "?" }), "2025-11-25"],
      [form({ several: { type: "array", items: { type: "string", enum: ["a"] } } }), "2025-06-18"],
      [asks("elicitation/create", { mode: "url", message: "?", url: "https://a.example" }), "2025-11-25"],
      [asks("sampling/createMessage", { messages: [] }), "2025-11-25"],
      [asks("roots/list", {}), "2026-07-28"],
    ]);
  });

  it("notice results that ask as they must not", strict, () => {
    const roots = { method: "roots/list" };
    const asking = (result: Message, method = "tools/call") =>
      answer("2026-07-28", method, { result: { resultType: "input_required", _meta, ...result } });
    hold(answerProblems, [asking({ inputRequests: { roots }, requestState: "s" })], [
      asking({}),
      asking({ inputRequests: { roots } }, "tools/list"),
      asking({ inputRequests: { roots: { method: "ping" } } }),
      asking({ inputRequests: { form: { method: "elicitation/create", params: { message: "?" } } } }),
      asking({ requestState: 5 }),
      asking({ requestState: "s", ttlMs: 0 }),
      asking({ requestState: "s", _meta: {} }),
    ]);
  });
});
