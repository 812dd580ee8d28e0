// deno-lint-ignore-file no-explicit-any
/** Can a model find and call one of a thousand operations? With three tools, under the same checks and guards. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { textOf } from "../server/tool_client.ts";
import { startApi } from "./api.ts";
import { failureOf, serveFile, written } from "./gateways.ts";

const MANY = Array.from({ length: 70 }, (_, index) =>
  written({
    name: `get_thing_${index}`,
    description: index === 42 ? "Looks up the invoices of a customer." : "Looks up a thing.",
    path: `/things/${index}`,
    tags: [index === 7 ? "billing" : "other"],
    parameters: [{ name: "id", in: "query", schema: { type: "integer" } }],
  }));

test("above the threshold three tools stand for all, and none below it", async () => {
  const base = "https://api.example.com";
  const names = async (count: number, options = {}) =>
    (await (await serveFile({ endpoints: MANY.slice(0, count) }, { base, ...options })).list()).map((
      { name },
    ) => name);
  assert.equal((await names(64)).length, 64);
  assert.deepEqual(await names(65), ["call_operation", "describe_operation", "search_operations"]);
  assert.equal((await names(70, { maxTools: 70 })).length, 70);
  assert.deepEqual(await names(1, { maxTools: 0 }), [
    "call_operation",
    "describe_operation",
    "search_operations",
  ]);
});

test("operations are found by their words, described, and called", async (t) => {
  const api = await startApi(t);
  const client = await serveFile({ endpoints: MANY }, { base: api.origin });
  const found = async (
    query: string,
  ) => ((await client.call("search_operations", { query, limit: 3 })).result!["structuredContent"] as any);
  assert.deepEqual((await found("customer invoice")).operations[0], {
    name: "get_thing_42",
    method: "GET",
    path: "/things/42",
    summary: "Looks up the invoices of a customer.",
  });
  assert.equal((await found("billing")).operations[0].name, "get_thing_7");
  assert.deepEqual(await found("nothing-like-this zzz"), { operations: [], total: 0 });
  assert.equal((await found("things")).total, 70);
  const described = (await client.call("describe_operation", { name: "get_thing_42" }))
    .result!["structuredContent"] as any;
  assert.deepEqual(described.inputSchema, {
    type: "object",
    properties: { id: { type: "integer" } },
    required: [],
    additionalProperties: false,
  });
  assert.equal(
    textOf(await client.call("call_operation", { name: "get_thing_42", arguments: { id: 5 } })),
    "{}",
  );
  assert.equal(api.asked[0]!.url, "/things/42?id=5");
});

test("what is wrong with a call is said of the operation, and a name that nobody has is an answer that says so", async (t) => {
  const api = await startApi(t);
  const client = await serveFile({ endpoints: MANY }, { base: api.origin });
  const call = async (args: object) => failureOf(await client.call("call_operation", args));
  assert.match(
    await call({ name: "get_thing_1", arguments: { ["a\nb"]: 1 } }),
    /^The arguments of get_thing_1 do not fit:\n- \/a b: [^\n]+$/,
  );
  assert.match(
    await call({ name: "get_thing_1", arguments: { id: "5" } }),
    /^The arguments of get_thing_1 do not fit:\n- \/id: /,
  );
  assert.match(await call({ name: "get_thing_1", arguments: { more: 1 } }), /\/more/);
  assert.match(await call({ name: "get_thing", arguments: {} }), /There is no operation "/);
  assert.match(await call({ name: "call_operation", arguments: {} }), /There is no operation "/);
  assert.match(
    await call({ name: "get_thing_1", arguments: [] }),
    /^The arguments of call_operation do not fit/,
  );
  assert.match(await call({ name: "__proto__" }), /There is no operation "/);
  assert.match(
    failureOf(await client.call("describe_operation", { name: "x" })),
    /There is no operation "x"/,
  );
  assert.equal(api.asked.length, 0);
});

test("a schema that nests deeper than a result may is described as text", async () => {
  let schema: object = { type: "string" };
  for (let level = 0; level < 40; level++) schema = { type: "object", properties: { a: schema } };
  const endpoints = [written({ method: "POST", safe: true, body: { schema } })];
  const client = await serveFile({ endpoints }, { base: "https://api.example.com", maxTools: 0 });
  const answer = await client.call("describe_operation", { name: "probe" });
  assert.equal(answer.result!["structuredContent"], undefined);
  assert.deepEqual(JSON.parse(textOf(answer)).inputSchema.properties.body, schema);
});

test("the tool that is called says whether anything behind it can change something", async () => {
  const hints = async (endpoints: object[]) => {
    const client = await serveFile({ endpoints: endpoints as [] }, {
      base: "https://api.example.com",
      maxTools: 0,
    });
    return (await client.list()).find(({ name }) => name === "call_operation")!["annotations"] as any;
  };
  assert.equal((await hints([written()])).readOnlyHint, true);
  const mixed = await hints([written(), written({ name: "del", method: "DELETE", allow: true })]);
  assert.deepEqual([mixed.readOnlyHint, mixed.destructiveHint], [false, true]);
});

test("a dispatched call has the time of its operation", async (t) => {
  const api = await startApi(t, () => {});
  const endpoints = [written({ name: "short", timeoutMs: 50 }), written({ name: "long" })];
  const client = await serveFile({ endpoints }, { base: api.origin, maxTools: 0 });
  assert.match(failureOf(await client.call("call_operation", { name: "short" })), /within 50 ms/);
});
