/** Where an API has too many operations to list, three tools find, describe and call them, under the same checks. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Written } from "./gateways.ts";
import { textOf } from "../server/tool_client.ts";
import { failureOf, never, recorder, serveFile, serveOne, table, written } from "./gateways.ts";

const DISPATCHERS = ["call_operation", "describe_operation", "search_operations"];
const MANY = Array.from({ length: 70 }, (_, index) =>
  written({
    name: `get_thing_${index}`,
    description: index === 42 ? "Looks up the invoices of a customer." : "Looks up a thing.",
    path: `/things/${index}`,
    tags: [index === 7 ? "billing" : "other"],
    parameters: [{ name: "id", in: "query", schema: { type: "integer" } }],
  }));

test("above the threshold three dispatchers take the place of all tools", async () => {
  const names = async (count: number, options = {}) => {
    const client = await serveFile({ endpoints: MANY.slice(0, count) }, options);
    return (await client.list()).map(({ name }) => name);
  };
  assert.equal((await names(64)).length, 64);
  assert.deepEqual(await names(65), DISPATCHERS);
  assert.equal((await names(70, { maxTools: 70 })).length, 70);
  assert.deepEqual(await names(1, { maxTools: 0 }), DISPATCHERS);
});

test("operations are found by their words, described, and called", async () => {
  const { fetch, sent } = recorder();
  const client = await serveFile({ endpoints: MANY }, { fetch });
  const data = async (name: string, args: Written) =>
    (await client.call(name, args)).result!["structuredContent"];
  const found = async (query: string) =>
    await data("search_operations", { query, limit: 3 }) as { operations: Written[]; total: number };
  const summary = "Looks up the invoices of a customer.";
  const wanted = { name: "get_thing_42", method: "GET", path: "/things/42", summary };
  assert.deepEqual((await found("customer invoice")).operations[0], wanted);
  assert.equal((await found("billing")).operations[0]!["name"], "get_thing_7");
  assert.deepEqual(await found("nothing-like-this zzz"), { operations: [], total: 0 });
  const all = await found("things");
  assert.deepEqual([all.operations.length, all.total], [3, 70]);
  const described = await data("describe_operation", { name: "get_thing_42" }) as Written;
  const properties = { id: { type: "integer" } };
  const inputSchema = { type: "object", properties, required: [], additionalProperties: false };
  assert.deepEqual(described["inputSchema"], inputSchema);
  const called = await client.call("call_operation", { name: "get_thing_42", arguments: { id: 5 } });
  assert.equal(textOf(called), "{}");
  assert.equal(sent[0]!.target, "/things/42?id=5");
});

/** Which dispatcher, its arguments, and how the error begins. */
const MISTAKES = String.raw`
  call | {"name":"get_thing_1","arguments":{"a\nb":1}} | The arguments of get_thing_1 do not fit:\n- /a b:
  call | {"name":"get_thing_1","arguments":{"id":"5"}} | The arguments of get_thing_1 do not fit:\n- /id:
  call | {"name":"get_thing_1","arguments":{"confirmation_token":"x"}} | The arguments of get_thing_1 do not fit:\n- /confirmation_token:
  call | {"name":"get_thing_1","arguments":[]} | The arguments of call_operation do not fit
  call | {"name":"get_thing","arguments":{}} | There is no operation "get_thing"
  call | {"name":"call_operation"} | There is no operation "call_operation"
  call | {"name":"__proto__"} | There is no operation "__proto__"
  describe | {"name":"x"} | There is no operation "x"; look for one with search_operations
`;

test("what is wrong with a call is said of the operation, and an unknown operation is an error", async () => {
  const client = await serveFile({ endpoints: MANY }, { fetch: () => assert.fail("it was sent") });
  for (const [name, args, reason] of table(MISTAKES)) {
    const text = failureOf(await client.call(`${name}_operation`, JSON.parse(args)));
    assert.ok(text.startsWith(reason.replace("\\n", "\n")), text);
    assert.ok(text.split("\n").length <= 2, text);
  }
});

test("a schema that nests deeper than a result may is described as text", async () => {
  let schema: object = { type: "string" };
  for (let level = 0; level < 40; level++) schema = { type: "object", properties: { a: schema } };
  const client = await serveOne({ method: "POST", safe: true, body: { schema } }, { maxTools: 0 });
  const answer = await client.call("describe_operation", { name: "probe" });
  assert.equal(answer.result!["structuredContent"], undefined);
  assert.deepEqual(JSON.parse(textOf(answer)).inputSchema.properties.body, schema);
});

test("call_operation says whether any operation can change something", async () => {
  const remove = written({ name: "remove", method: "DELETE", allow: true });
  for (const [endpoints, isSafe] of [[[written()], true], [[written(), remove], false]] as const) {
    const client = await serveFile({ endpoints }, { maxTools: 0 });
    const { annotations, description } = (await client.list())[0]!;
    const { readOnlyHint, destructiveHint } = annotations as Record<string, boolean>;
    assert.deepEqual([readOnlyHint, destructiveHint], [isSafe, !isSafe]);
    assert.equal(/has to be confirmed/.test(String(description)), !isSafe);
  }
});

test("a dispatched call has the time of its operation", async () => {
  const endpoints = [written({ name: "short", timeoutMs: 20 }), written({ name: "long" })];
  const fetch = (_: URL, { signal }: RequestInit) => never(signal!);
  const client = await serveFile({ endpoints }, { maxTools: 0, fetch });
  assert.match(failureOf(await client.call("call_operation", { name: "short" })), /within 20 ms/);
});
