/** Does every method answer as its revision says, asked well and asked badly? On the wire, in all five revisions. */

import type { Message } from "./rules.ts";
import type { Answer } from "./wire.ts";
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RUNTIMES } from "./programs.ts";
import { MODERN_REVISION, REVISIONS } from "./rules.ts";
import { MODERN_META, Wire } from "./wire.ts";

const ADR = "architecture://adr/001-zero-runtime-dependencies";

/** Asked well: each must be answered with a result. */
const GOOD: readonly (readonly [string, Message?])[] = [
  ["resources/list"],
  ["resources/list", {}],
  ["resources/list", { unknown: "member", _meta: { "com.example/mine": [1] } }],
  ["resources/templates/list", {}],
  ["resources/read", { uri: ADR }],
  ["resources/read", { uri: "architecture://adr/1" }],
  ["resources/read", { uri: "ARCHITECTURE://adr/001%2Dzero-runtime-dependencies" }],
  ["resources/read", { uri: `${ADR}#context` }],
  ["resources/read", { uri: "file:///adr/001-zero-runtime-dependencies.md" }],
  ["prompts/list", {}],
  ["prompts/get", {
    name: "create-adr",
    arguments: { topic: 'Wörter <<topic>> {{x}} \\<<resource:y>> \u2028 "' },
  }],
  ["prompts/get", { name: "suggest-patterns", arguments: { problem: "p".repeat(2000) } }],
  ["prompts/get", { name: "review-code-against-patterns", arguments: { code: "🏛".repeat(10_000) } }],
  ["completion/complete", completing({ type: "ref/prompt", name: "create-adr" }, "topic", "a")],
  [
    "completion/complete",
    completing({ type: "ref/resource", uri: "architecture://adr/{+path}" }, "path", ""),
  ],
  ["completion/complete", {
    ...completing({ type: "ref/prompt", name: "create-adr" }, "topic", ""),
    context: {},
  }],
  ["tools/list", {}],
];

/** Asked badly: each must be answered with an error of this code. */
const BAD: readonly (readonly [number, string, (Message | readonly unknown[])?])[] = [
  [-32601, "no/such/method"],
  [-32601, "", {}],
  [-32601, "__proto__"],
  [-32601, "toString", {}],
  [-32601, "notifications/initialized", {}],
  [-32602, "resources/list", { cursor: "made up" }],
  [-32602, "resources/list", { cursor: "" }],
  [-32602, "resources/list", { cursor: 7 }],
  [-32602, "resources/list", { cursor: null }],
  [-32602, "resources/list", { cursor: btoa("resources:0:1") }],
  [-32602, "resources/templates/list", { cursor: "made up" }],
  [-32602, "prompts/list", { cursor: "made up" }],
  [-32602, "tools/list", { cursor: "made up" }],
  [-32602, "resources/read", {}],
  [-32602, "resources/read", { uri: 7 }],
  [-32602, "resources/read", { uri: [ADR] }],
  [-32602, "prompts/get", {}],
  [-32602, "prompts/get", { name: "no-such-prompt" }],
  [-32602, "prompts/get", { name: "toString" }],
  [-32602, "prompts/get", { name: ["create-adr"] }],
  [-32602, "prompts/get", { name: "create-adr" }],
  [-32602, "prompts/get", { name: "create-adr", arguments: {} }],
  [-32602, "prompts/get", { name: "create-adr", arguments: { topic: "" } }],
  [-32602, "prompts/get", { name: "create-adr", arguments: { topic: 7 } }],
  [-32602, "prompts/get", { name: "create-adr", arguments: ["topic"] }],
  [-32602, "prompts/get", { name: "create-adr", arguments: { topic: "t", more: "x" } }],
  [-32602, "prompts/get", { name: "create-adr", arguments: { topic: "t".repeat(2001) } }],
  [-32602, "completion/complete", {}],
  [-32602, "completion/complete", { ref: { type: "ref/prompt", name: "create-adr" } }],
  [-32602, "completion/complete", {
    ref: { type: "ref/prompt", name: "create-adr" },
    argument: { name: "topic" },
  }],
  [-32602, "completion/complete", completing({ type: "ref/other", name: "create-adr" }, "topic", "")],
  [-32602, "completion/complete", completing({ type: "ref/prompt", name: "no-such-prompt" }, "topic", "")],
  [
    -32602,
    "completion/complete",
    completing({ type: "ref/prompt", name: "create-adr" }, "no-such-argument", ""),
  ],
  [
    -32602,
    "completion/complete",
    completing({ type: "ref/resource", uri: "architecture://no/{+path}" }, "path", ""),
  ],
  [
    -32602,
    "completion/complete",
    completing({ type: "ref/resource", uri: "architecture://adr/{+path}" }, "x", ""),
  ],
  [-32602, "resources/list", ["by", "position"]],
];

/** URIs that name nothing: whatever they try, the answer is the same. */
const NOT_FOUND: readonly string[] = [
  "architecture://adr/no-such-record",
  "architecture://adr",
  "architecture://adr/",
  "architecture://",
  "architecture://adr/../../mod",
  "architecture://adr/%2e%2e/%2e%2e/package.json",
  "architecture://adr/..%2F..%2Fmod.ts",
  "architecture://adr/001-zero-runtime-dependencies.md",
  "architecture://adr/001-zero-runtime-dependencies/",
  "architecture://adr/001-zero-runtime-dependencies%00",
  `${ADR}#no-such-heading`,
  "file:///etc/passwd",
  "file:///adr/001-zero-runtime-dependencies",
  "file://localhost/adr/001-zero-runtime-dependencies.md",
  "https://example.com/",
  "not a uri",
  "",
  `architecture://adr/${"x".repeat(100_000)}`,
];

function completing(ref: Message, name: string, value: string): Message {
  return { ref, argument: { name, value } };
}

for (const runtime of RUNTIMES) {
  for (const revision of REVISIONS) {
    describe(`${revision} on ${runtime.name}`, { skip: runtime.skip }, () => {
      const modern = revision === MODERN_REVISION;

      /** Opens a conversation in the revision, and asks in it. */
      async function open(): Promise<[Wire, (method: string, params?: unknown) => Promise<Answer>]> {
        const wire = new Wire(runtime.launch());
        if (!modern) assert.equal((await wire.initialize(revision)).result.protocolVersion, revision);
        return [wire, (method, params) => {
          if (!modern) return wire.ask(method, params as Message);
          if (Array.isArray(params)) {
            return Promise.resolve({ error: { code: -32602, message: "cannot be asked" } });
          }
          const meta = { ...(params as Message)?.["_meta"] as Message, ...MODERN_META };
          return wire.ask(method, { ...params as Message, _meta: meta });
        }];
      }

      it("answers every method that is asked well", async () => {
        const [wire, ask] = await open();
        for (const [method, params] of [...GOOD, [modern ? "server/discover" : "ping", {}] as const]) {
          const { error } = await ask(method, params);
          assert.equal(error, undefined, `${method} ${JSON.stringify(params)?.slice(0, 100)}`);
        }
        await wire.close();
      });

      it("refuses every request that is asked badly, with the right code and what was wrong", async () => {
        const [wire, ask] = await open();
        for (const [code, method, params] of BAD) {
          const { error } = await ask(method, params);
          assert.equal(
            error?.code,
            code,
            `${method} ${JSON.stringify(params)?.slice(0, 100)}: ${error?.message}`,
          );
        }
        await wire.close();
      });

      it("says of everything that is not there that it is not there, and no more", async () => {
        const [wire, ask] = await open();
        for (const uri of NOT_FOUND) {
          const { error } = await ask("resources/read", { uri });
          assert.deepEqual(
            error,
            { code: modern ? -32602 : -32002, message: "Resource not found", data: { uri } },
            uri.slice(0, 100),
          );
        }
        await wire.close();
      });

      it("refuses the methods of the other era", async () => {
        const [wire, ask] = await open();
        const others = modern
          ? ["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"]
          : ["server/discover", "subscriptions/listen"];
        for (const method of [...others, "roots/list", "sampling/createMessage", "elicitation/create"]) {
          assert.equal(
            (await ask(method, { uri: ADR, level: "info", protocolVersion: revision })).error?.code,
            -32601,
            method,
          );
        }
        await wire.close();
      });

      it("never answers a notification", async () => {
        const [wire, ask] = await open();
        for (
          const method of ["initialized", "cancelled", "progress", "roots/list_changed", "unknown", "message"]
        ) {
          wire.send({
            jsonrpc: "2.0",
            method: `notifications/${method}`,
            params: { requestId: 999, progress: "x" },
          });
        }
        wire.send(
          { jsonrpc: "2.0", method: "resources/list" },
          { jsonrpc: "2.0", method: "notifications/cancelled" },
          { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: null, reason: 7 } },
          { jsonrpc: "2.0", method: "notifications/cancelled", params: ["x"] },
        );
        assert.ok((await ask("resources/list")).result);
        await wire.close();
      });

      it("does not answer a request that is cancelled before it is done, and goes on", async () => {
        const [wire, ask] = await open();
        // The first look at the documents takes a while, so the cancellation in the same piece is in time.
        const meta = modern ? { _meta: MODERN_META } : {};
        const cancelled = wire.request("resources/list", meta);
        const kept = wire.request("resources/templates/list", meta);
        wire.send(cancelled, kept, {
          jsonrpc: "2.0",
          method: "notifications/cancelled",
          params: { requestId: cancelled.id, reason: "a test" },
        });
        assert.ok((await wire.answer(kept.id)).result);
        assert.ok((await ask("resources/list")).result);
        // Done already: ignored.
        wire.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: kept.id } });
        assert.ok((await ask("prompts/list")).result);
        await wire.close();
      });
    });
  }
}
