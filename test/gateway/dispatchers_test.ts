/** If an API has too many operations to list, three tools search, describe and call them, with the same checks. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ToolContext } from "../../lib/mcp/server/tool.ts";
import type { Written } from "./gateways.ts";
import { createGateway, readEndpoints } from "../../lib/gateway/mod.ts";
import { table } from "../harness/table.ts";
import { textOf } from "../mcp/server/tool_client.ts";
import { argumentsIn, BASE, failureOf, readParts, serve, serveOne, written } from "./gateways.ts";

const DISPATCHERS = ["call_operation", "describe_operation", "search_operations"];
const MANY = Array.from({ length: 70 }, (_, index) =>
  written({
    name: `get_thing_${index}`,
    description: index === 42 ? "Looks up the invoices of a customer." : "Looks up a thing.",
    path: `/things/${index}`,
    tags: [index === 7 ? "billing" : "other"],
    parameters: [{ name: "id", in: "query", schema: { type: "integer" } }],
  }));

const namesOf = async (endpoints: readonly Written[], options = {}) =>
  (await (await serve({ endpoints }, options)).list()).map(({ name }) => name);

test("above the threshold three dispatchers replace all tools", async () => {
  assert.equal((await namesOf(MANY.slice(0, 64))).length, 64);
  assert.deepEqual(await namesOf(MANY.slice(0, 65)), DISPATCHERS);
  assert.equal((await namesOf(MANY, { maxTools: 70 })).length, 70);
  assert.deepEqual(await namesOf(MANY.slice(0, 1), { maxTools: 0 }), DISPATCHERS);
});

/** A body with a number of members that have long descriptions. */
function bodyOf(count: number, length: number): Written {
  const member = { type: "string", description: "Q".repeat(length) };
  const properties = Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, member]));
  return { schema: { type: "object", properties, additionalProperties: false } };
}

test("a list of tools has at most 64 KiB by default, and schemas of at most 8 KiB with maxTools", async () => {
  const calls = (count: number, body: Written) =>
    Array.from({ length: count }, (_, index) => {
      return written({ name: `call_${index}`, method: "POST", safe: true, body });
    });
  assert.equal((await namesOf(calls(20, bodyOf(20, 50)))).length, 20);
  for (const body of [bodyOf(20, 80), bodyOf(1, 1500)]) {
    assert.deepEqual(await namesOf(calls(40, body)), DISPATCHERS);
  }
  assert.equal((await namesOf(calls(40, bodyOf(20, 80)), { maxTools: 40 })).length, 40);
  const client = await serve({ endpoints: calls(3, bodyOf(100, 1000)) }, { maxTools: 64 });
  const long = await client.list();
  assert.deepEqual(long.map(({ name }) => name), ["call_0", "call_1", "call_2", "describe_operation"]);
  assert.ok(JSON.stringify(long).length < 8 * 1024);
  // Schemas that are not listed are checked too.
  const failure = failureOf(await client.call("call_0", { body: { m0: "a", other: 1 } }));
  assert.match(failure, /^The arguments of call_0 do not fit: \/body\/other: /);
  assert.deepEqual(client.sent, []);
});

test("a description has at most 24 KiB, and the rest is read in parts", async () => {
  const few = { type: "string" };
  const properties = { few, many: bodyOf(300, 200)["schema"], long: bodyOf(3, 30_000)["schema"] };
  const schema = { type: "object", properties, required: ["few"] };
  const response = { type: "object", properties: { list: bodyOf(200, 300)["schema"] } };
  const client = await serveOne({ method: "POST", safe: true, body: { schema }, response }, { maxTools: 0 });
  const parts = await readParts(async (part) => {
    const answer = await client.call("describe_operation", { name: "probe", ...(part && { part }) });
    assert.ok(textOf(answer).length <= 24 * 1024, `${part} has ${textOf(answer).length}`);
    // deno-lint-ignore no-explicit-any
    const { leftOut = [], ...described } = answer.result!["structuredContent"] as any;
    return [described, leftOut];
  });
  assert.ok(parts.length > 10);
  const { body } = parts[0].inputSchema.properties;
  assert.deepEqual([body.required, body.properties.few], [["few"], few]);
  const shown = JSON.stringify(parts).split("Q").length - 1;
  assert.equal(shown, 300 * 200 + 3 * 30_000 + 200 * 300);
  const text = failureOf(await client.call("describe_operation", { name: "probe", part: "/none" }));
  assert.equal(text, 'There is no part "/none" of probe');
});

test("operations are found by their words, described and called", async () => {
  const client = await serve({ endpoints: MANY });
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
  const { properties, ...object } = described["inputSchema"] as Written;
  assert.deepEqual(object, { type: "object", required: [], additionalProperties: false });
  assert.deepEqual(argumentsIn(properties), { id: { type: "integer" } });
  const called = await client.call("call_operation", { name: "get_thing_42", arguments: { id: 5 } });
  assert.equal(textOf(called), "{}");
  assert.equal(client.sent[0]!.target, "/things/42?id=5");
});

/** A question, the expected operation, and its maximum rank if that is not the first. */
const QUESTIONS = `
  list all teams | GET /teams
  show a team | GET /teams/{id} | 2
  make a new team | POST /teams
  rename a team | PUT /teams/{id}
  remove a team | DELETE /teams/{id}
  users of a team | GET /teams/{id}/users | 2
  put a person into a team | POST /teams/{id}/users
  look for teams | GET /teams/search | 2
`;

test("a question finds the operation with its method and path, even if others repeat the words", async () => {
  const things = [..."abcdefghijklmnopqrst"].map((letter) => `/things/${letter}`);
  const others = "/users /users/{id}/teams /teams/{id}/teams /reports/teams /teams/{id}/audit/teams".split(
    " ",
  );
  const operations = table(QUESTIONS).map(([, operation]) => operation);
  operations.push(...[...things, ...others].map((path) => `GET ${path}`));
  const endpoints = operations.map((operation, index) => {
    const [method, path = ""] = operation.split(" ");
    const ofTeams = `Of a team. ${index > 7 ? "List all teams." : ""}`;
    const description = path.startsWith("/things") ? "A thing." : ofTeams;
    const parameters = path.includes("{id}") ? [{ name: "id", in: "path" }] : [];
    return written({ name: `o${index}`, description, method, path, allow: true, parameters });
  });
  const client = await serve({ endpoints }, { maxTools: 0 });
  for (const [query, operation, place = 1] of table(QUESTIONS)) {
    const { result } = await client.call("search_operations", { query, limit: 3 });
    const { operations } = result!["structuredContent"] as { operations: Written[] };
    const found = operations.map(({ method, path }) => `${method} ${path}`);
    assert.ok(found.slice(0, Number(place)).includes(operation), `${query}: ${found.join()}`);
  }
});

test("a search ends when its call is cancelled", async () => {
  const words = Array.from({ length: 3000 }, (_, index) => `word${index}`);
  const endpoints = words.map((name) => written({ name, description: words.slice(0, 50).join(" ") }));
  const { tools } = createGateway({ description: readEndpoints({ endpoints }), base: BASE });
  const { handler } = tools.find(({ name }) => name === "search_operations")!.definition;
  const reason = new Error("cancelled");
  const context = { signal: AbortSignal.abort(reason) } as ToolContext;
  const query = words.slice(0, 50).join(" ");
  await assert.rejects(async () => await handler({ query, limit: 100 }, context), reason);
});

/** A dispatcher, its arguments, and the start of the error. */
const MISTAKES = String.raw`
  call | {"name":"get_thing_1","arguments":{"a\nb":1}} | The arguments of get_thing_1 do not fit: /a b:
  call | {"name":"get_thing_1","arguments":{"id":"5"}} | The arguments of get_thing_1 do not fit: /id:
  call | {"name":"get_thing_1","arguments":{"confirmation_token":"x"}} | The arguments of get_thing_1 do not fit: /confirmation_token:
  call | {"name":"get_thing_1","arguments":[]} | The arguments of call_operation do not fit
  call | {"name":"get_thing","arguments":{}} | There is no operation "get_thing"
  call | {"name":"call_operation"} | There is no operation "call_operation"
  call | {"name":"__proto__"} | There is no operation "__proto__"
  describe | {"name":"x"} | There is no operation "x"; look for one with search_operations
`;

test("errors of a call name the operation, and an unknown operation is an error", async () => {
  const client = await serve({ endpoints: MANY });
  for (const [name, args, reason] of table(MISTAKES)) {
    const text = failureOf(await client.call(`${name}_operation`, JSON.parse(args)));
    assert.ok(text.startsWith(reason.replace("\\n", "\n")), text);
    assert.ok(text.split("\n").length <= 2, text);
  }
  assert.deepEqual(client.sent, []);
});

test("a schema that is too deep for a result is described as text", async () => {
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
    const client = await serve({ endpoints }, { maxTools: 0 });
    const { annotations, description } = (await client.list())[0]!;
    const { readOnlyHint, destructiveHint } = annotations as Record<string, boolean>;
    assert.deepEqual([readOnlyHint, destructiveHint], [isSafe, !isSafe]);
    assert.equal(/must be confirmed/.test(String(description)), !isSafe);
  }
});
