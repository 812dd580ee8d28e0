// deno-lint-ignore-file no-explicit-any
/** The gateway's invariants and prohibitions, each by name, with an attempt to violate it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Confirm } from "../../lib/gateway/mod.ts";
import type { ExecutionContext } from "../../lib/mcp/server/context.ts";
import type { Options, Sent } from "./gateways.ts";
import { createGateway, readEndpoints } from "../../lib/gateway/mod.ts";
import { imports } from "../harness/modules.ts";
import { textOf } from "../mcp/server/tool_client.ts";
import { BASE, failureOf, json, serve, tokenOf, written } from "./gateways.ts";

const PARAMETERS = [
  { name: "id", in: "path", schema: { type: "integer", minimum: 1 } },
  { name: "fields", in: "query", schema: { type: "array", items: { type: "string" } } },
];
const CREATE = { name: "create_user", method: "POST", path: "/users", allow: true };
const FILE = {
  endpoints: [
    written({ name: "get_user", path: "/users/{id}", parameters: PARAMETERS }),
    written({ ...CREATE, body: { schema: { type: "object", required: ["name"] } } }),
  ],
};

/** A client of the tools of a file, and the contexts of its requests. */
async function observe(options: Options = {}) {
  const contexts: ExecutionContext[] = [];
  const onanswer = (context: ExecutionContext) => void contexts.push(context);
  const client = await serve(FILE, options, { onanswer });
  return { client, sent: client.sent, contexts };
}

test("invariant: single entry point; a tool can only be called through tools/call", async () => {
  const { client, sent, contexts } = await observe();
  await client.call("get_user", { id: 1 });
  assert.equal(sent.length, 1);
  assert.equal(contexts.filter(({ method }) => method === "tools/call").length, 1);
  for (const method of ["get_user", "tools/get_user", "gateway/call"]) {
    assert.equal((await client.ask(method, { id: 1 })).error?.code, -32601);
  }
  assert.equal(sent.length, 1);
});

test("invariant: context sealing; outgoing data is sealed, bound to the tool, and cannot be changed", async () => {
  const { client, contexts } = await observe();
  await client.call("get_user", { id: 1 });
  await client.ask("ping");
  const context = contexts.find(({ method }) => method === "tools/call")!;
  assert.equal(context.isSealed, true);
  assert.equal(context.tool, "get_user");
  assert.throws(() => context.withTool("create_user"), { name: "ContextError" });
  assert.throws(() => context.withResult({}), { name: "ContextError" });
  assert.throws(() => ((context.params as any).arguments.id = 2), TypeError);
});

test("invariant: no guessing; prohibited: inferring intent, silent normalisation", async () => {
  const { client, sent } = await observe();
  const ids = ["1", "1_0", " 7 ", "7.0", 1.9, true, null, [1], { id: 1 }, 0, -1, 12345678901234567890];
  const lists = ["a", "a,b", { 0: "a" }, [1], null, ["\ud800"]];
  const calls: readonly (readonly [name: string, args?: object])[] = [
    ...ids.map((id) => ["get_user", { id }] as const),
    ...lists.map((fields) => ["get_user", { id: 1, fields }] as const),
    ...[["get_user", {}], ["get_user"], ["create_user", { body: {} }], ["create_user", {}]] as const,
  ];
  for (const [name, args] of calls) failureOf(await client.call(name, args));
  assert.equal(sent.length, 0);
  const fields = [" a ", "A", "é", "e\u0301", "%20"];
  await client.call("get_user", { id: 7, fields });
  assert.deepEqual(sent[0]!.url.searchParams.getAll("fields"), fields);
});

test("prohibited: tolerating ambiguity; unknown arguments are errors, and all issues are listed", async () => {
  const { client, sent } = await observe();
  const text = failureOf(await client.call("get_user", { id: "x", fields: [1, "b", null], limit: 5, ID: 1 }));
  for (const place of ["/id", "/fields/0", "/fields/2", "/limit", "/ID"]) {
    assert.ok(text.includes(` ${place}: `), text);
  }
  assert.deepEqual(sent, []);
});

// Each kind of failure is in upstream_test.ts.
test("invariant: explicit failures; prohibited: hiding failures; all others are internal errors", async () => {
  const confirm: Confirm = () => Promise.reject(new RangeError("at db.internal"));
  const { client } = await observe({ confirm });
  const { error } = await client.call("create_user", { body: { name: "x" } });
  assert.equal(error?.code, -32603);
  assert.equal(JSON.stringify(error).includes("db.internal"), false);
  assert.equal((client.failures[0] as Error).message, "at db.internal");
});

test("invariant: tool immutability; registered tools cannot be changed, added or removed", () => {
  const gateway = createGateway({ description: readEndpoints(FILE), base: BASE }) as any;
  const [tool] = gateway.tools;
  const [endpoint] = gateway.endpoints;
  const changes: readonly (() => void)[] = [
    () => gateway.tools = [],
    () => gateway.tools.push(tool),
    () => gateway.endpoints.pop(),
    () => tool.name = "other",
    () => tool.definition.handler = () => "",
    () => tool.definition.inputSchema.properties.extra = {},
    () => endpoint.isSafe = true,
    () => endpoint.path = "/b",
    () => endpoint.tags.push("x"),
  ];
  for (const change of changes) assert.throws(change, TypeError, String(change));
});

test("invariant: orchestration apart from execution; the modules that send requests do not import checks and consent", () => {
  const edges = imports.filter(({ from, typeOnly }) => from.startsWith("lib/gateway/") && !typeOnly)
    .map(({ from, to }) => [from.slice(12, -3), to.slice(12, -3)] as const);
  const execution = [
    "request",
    "send",
    "path_template",
    "base_url",
    "serialize",
    "body",
    "credential",
    "redact",
  ];
  const policy = ["call", "consent", "result", "tools", "dispatchers", "filter", "gateway"];
  const known = edges.flat();
  for (const name of [...execution, ...policy]) assert.ok(known.includes(name), name);
  assert.deepEqual(edges.filter(([from, to]) => execution.includes(from) && policy.includes(to)), []);
});

test("prohibited: dynamic tool discovery; no answer of an API adds a tool", async () => {
  const links = { self: "/users/2", next: { href: "/users/3", method: "DELETE" } };
  const { client } = await observe({ answer: () => json({ _links: links, tools: [{ name: "evil" }] }) });
  const before = await client.list();
  await client.call("get_user", { id: 1 });
  assert.deepEqual(await client.list(), before);
  assert.equal((await client.call("evil")).error?.code, -32602);
});

test("prohibited: breaking the golden path; a dispatched call is checked, confirmed and logged like a direct one", async () => {
  const logged: string[] = [];
  const answer = ({ target }: Sent) =>
    target === "/users/404" ? Promise.reject(new TypeError("no network")) : json({});
  const onfailure = (tool: string) => void logged.push(tool);
  const { client, sent, contexts } = await observe({ answer, maxTools: 0, onfailure });
  const call = (name: string, args: object) => client.call("call_operation", { name, arguments: args });
  assert.equal(textOf(await call("get_user", { id: 1 })), "{}");
  failureOf(await call("get_user", { id: "1", extra: 2 }));
  const body = { name: "x" };
  const token = tokenOf(await call("create_user", { body }));
  assert.equal(sent.length, 1);
  failureOf(await call("create_user", { body: { name: "y" }, confirmation_token: token }));
  assert.equal(textOf(await call("create_user", { body, confirmation_token: token })), "{}");
  assert.match(failureOf(await call("get_user", { id: 404 })), /kind: connection/);
  assert.deepEqual(logged, ["get_user"]);
  await client.ask("ping");
  const bound = contexts.filter(({ tool }) => tool !== undefined);
  assert.ok(bound.every(({ tool }) => tool === "call_operation"));
  const names = ["get_user", "get_user", "create_user", "create_user", "create_user", "get_user"];
  assert.deepEqual(bound.map(({ params }) => (params as any).arguments.name), names);
  // An operation that the dispatcher calls is not a tool.
  assert.equal((await client.call("get_user", { id: 1 })).error?.code, -32602);
});
