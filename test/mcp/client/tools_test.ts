/** Tools are looked up before they are called, and their results are checked against their output schemas. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { stopClock } from "../../harness/clock.ts";
import type { JsonObject } from "../../../lib/base/json.ts";
import { ProtocolError } from "../../../lib/mcp/client/mod.ts";
import type { Received } from "../../harness/scripted_server.ts";
import { ERAS, MODERN, open } from "../../harness/scripted_server.ts";

const COUNT = { type: "object", properties: { count: { type: "integer" } }, required: ["count"] };

/** Calls a tool that has an output schema and returns a result. */
async function call(t: TestContext, outputSchema: unknown, result: object) {
  const { client, warnings } = await open(t, {
    ...MODERN,
    "tools/list": () => ({ tools: [{ name: "t", inputSchema: { type: "object" }, outputSchema }] }),
    "tools/call": () => ({ content: [], ...result }),
  });
  return { result: (await client.callTool("t")).structuredContent, warnings };
}

test("callTool() returns structuredContent that fits the output schema", async (t) => {
  const cases: [schema: unknown, result: { structuredContent?: unknown; [member: string]: unknown }][] = [
    [COUNT, { structuredContent: { count: 3 } }],
    [COUNT, { isError: true }],
    [undefined, { structuredContent: [1] }],
    [null, { structuredContent: [1] }],
    [undefined, { content: undefined, structuredContent: 1 }],
  ];
  for (const [schema, result] of cases) {
    assert.deepEqual((await call(t, schema, result)).result, result.structuredContent);
  }
});

test("callTool() lists the tools again when a result does not fit, and calls once", async (t) => {
  const NAMED = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
  for (const later of [NAMED, COUNT, undefined, null]) {
    let outputSchema: unknown = COUNT, structuredContent: unknown = { count: 1 };
    const tools = () => [{ name: "t", inputSchema: { type: "object" }, outputSchema }];
    const { client, server } = await open(t, {
      ...MODERN,
      "tools/list": () => ({ tools: tools(), ttlMs: 60_000 }),
      "tools/call": () => ({ content: [], structuredContent }),
    });
    await client.callTool("t");
    [outputSchema, structuredContent] = [later, { name: "a" }];
    const call = client.callTool("t");
    if (later === COUNT) await assert.rejects(call, /does not fit/);
    else assert.deepEqual((await call).structuredContent, { name: "a" });
    assert.deepEqual([server.of("tools/list").length, server.of("tools/call").length], [2, 2]);
  }
});

test("callTool() rejects results that do not fit, with the result in the error", async (t) => {
  const cases: [schema: unknown, result: JsonObject, expected: RegExp][] = [
    [COUNT, { structuredContent: { count: "3" } }, /Content of the tool "t" does not fit .*: \/count: /],
    [COUNT, { structuredContent: null }, /does not fit .*: \/: /],
    [COUNT, { structuredContent: [3] }, /does not fit .*: \/: /],
    [COUNT, {}, /has an output schema, but its result has no structuredContent/],
    [undefined, { content: "hello" }, /answered with no list of content/],
    [undefined, { content: { type: "text", text: "x" } }, /answered with no list of content/],
    [undefined, { content: undefined, toolResult: "old style" }, /answered with no content/],
  ];
  for (const [schema, result, expected] of cases) {
    await assert.rejects(call(t, schema, result), (cause) => {
      assert.ok(cause instanceof ProtocolError);
      assert.match(cause.message, expected);
      assert.deepEqual(cause.result, JSON.parse(JSON.stringify({ content: [], ...result })));
      return true;
    });
  }
});

test("callTool() does not call a tool whose output schema cannot be used", async (t) => {
  const cases: [schema: unknown, reason: RegExp][] = [
    [{ type: "object", properties: { a: { $ref: "https://a.example/schema.json" } } }, /nothing is fetched/],
    [{ $ref: "other.json" }, /cannot be used/],
    [{ $ref: "#/$defs/missing" }, /cannot be used/],
    [{ $schema: "https://a.example/dialect", type: "object" }, /dialect/],
    [{ $schema: "http://json-schema.org/draft-04/schema#", type: "object" }, /dialect/],
    [{ type: "record" }, /cannot be used/],
    ["object", /cannot be used/],
  ];
  for (const [outputSchema, reason] of cases) {
    const { client, server } = await open(t, {
      ...MODERN,
      "tools/list": () => ({ tools: [{ name: "t", inputSchema: { type: "object" }, outputSchema }] }),
      "tools/call": () => ({ content: [], structuredContent: {} }),
    });
    for (let count = 0; count < 2; count++) {
      await assert.rejects(client.callTool("t"), (cause) => {
        assert.match(
          String(cause),
          /^ProtocolError: The tool "t" is not called: its output schema cannot be used: /,
        );
        return reason.test(String(cause));
      });
    }
    assert.equal(server.of("tools/call").length, 0, JSON.stringify(outputSchema));
  }
});

test("callTool() returns the result unchecked, with a warning, when the schema became unusable before the call", async (t) => {
  let outputSchema: object = COUNT, structuredContent: object = { count: 1 };
  const { client, warnings, server } = await open(t, {
    ...MODERN,
    "tools/list": () => ({ tools: [{ name: "t", inputSchema: { type: "object" }, outputSchema }] }),
    "tools/call": () => ({ content: [], structuredContent }),
  });
  await client.callTool("t");
  [outputSchema, structuredContent] = [{ $ref: "https://a.example/schema.json" }, { name: "a" }];
  assert.deepEqual((await client.callTool("t")).structuredContent, { name: "a" });
  assert.match(
    warnings.join(),
    /The result of the tool "t" is not checked: its output schema cannot be used: /,
  );
  assert.equal(server.of("tools/call").length, 2);
});

test("callTool() reads schemas of draft-07 with their meaning", async (t) => {
  const schema = {
    $schema: "http://json-schema.org/draft-07/schema#",
    type: "object",
    definitions: { name: { type: "string", minLength: 2 } },
    properties: {
      name: { $ref: "#/definitions/name" },
      pair: { type: "array", items: [{ type: "integer" }, { type: "string" }], additionalItems: false },
      card: { type: "string" },
      deep: { definitions: { flag: { type: "boolean" } }, $ref: "#/properties/deep/definitions/flag" },
      // A member may have the name of a keyword.
      definitions: { type: "integer" },
    },
    dependencies: { card: ["name"], pair: { required: ["name"] } },
  };
  const right = { name: "ab", pair: [1, "x"], card: "c", definitions: 1, deep: true };
  assert.deepEqual((await call(t, schema, { structuredContent: right })).result, right);
  const cards = [{ name: "a" }, { card: "c" }, { pair: [] }, { definitions: "x" }, { deep: 1 }];
  for (const wrong of [...cards, { pair: ["x"], name: "ab" }, { pair: [1, "x", 2], name: "ab" }]) {
    const rejected = call(t, schema, { structuredContent: wrong });
    await assert.rejects(rejected, /does not fit/, JSON.stringify(wrong));
  }
});

test("callTool() checks the patterns of a server, and skips those that may take too long with a warning", async (t) => {
  const schema = (pattern: string) => ({ type: "object", properties: { a: { type: "string", pattern } } });
  const structuredContent = { a: `${"a".repeat(5000)}!` };
  await assert.rejects(call(t, schema("^(a+)+$"), { structuredContent }), /does not fit/);
  const { warnings } = await call(t, schema("^(a+)+\\1$"), { structuredContent });
  assert.ok(warnings.some((text) => text.includes("^(a+)+\\1$")), warnings.join());
});

test("callTool() calls a tool that is not listed, looks it up once, and warns when the list fails", async (t) => {
  const script = { ...MODERN, "tools/call": () => ({ content: [] }) };
  const { client, server } = await open(t, { ...script, "tools/list": () => ({ tools: [] }) });
  for (let count = 0; count < 2; count++) await client.callTool("hidden");
  assert.deepEqual(server.methods, ["server/discover", "tools/list", "tools/call", "tools/call"]);
  const { client: other, warnings } = await open(t, script);
  assert.deepEqual((await other.callTool("x")).content, []);
  assert.ok(warnings.some((text) => /Cannot look up the tool "x"/.test(text)));
});

for (const [era, opening] of Object.entries(ERAS)) {
  test(`${era}: timeoutMs limits callTool(), with half of it for the look-up, which is tried once`, async (t) => {
    const script = {
      ...opening,
      "tools/list": () => undefined,
      "tools/call": ({ params }: Received) => params.name === "silent" ? undefined : { content: [] },
    };
    const clock = stopClock(t);
    const { client, server, warnings } = await open(t, script);
    const controller = new AbortController();
    const aborted = client.callTool("t", {}, { signal: controller.signal });
    controller.abort();
    await assert.rejects(aborted, (cause) => cause === controller.signal.reason);
    assert.deepEqual((await clock.until(client.callTool("t", {}, { timeoutMs: 100 }))).content, []);
    assert.match(warnings.join(), /Cannot look up the tool "t" .*did not list its tools in 50 ms/);
    const { length } = server.received;
    await client.callTool("t", {}, { timeoutMs: 20 });
    assert.equal(server.received.length, length + 1);
    const other = await open(t, script);
    const start = clock.now;
    const silent = other.client.callTool("silent", {}, { timeoutMs: 500 });
    await assert.rejects(clock.until(silent), { name: "TimeoutError" });
    assert.equal(clock.now - start, 500);
    assert.equal(other.server.of("notifications/cancelled").length, 2);
  });
}
