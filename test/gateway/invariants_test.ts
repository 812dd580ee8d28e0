// deno-lint-ignore-file no-explicit-any
/**
 * Do the gateway's invariants and prohibitions hold? Each by name, with the violation committed: they are those of a gateway
 * that translates endpoints into tools, and of nothing else.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer } from "../../lib/gateway/executor.ts";
import type { Sender, Surroundings } from "../../lib/gateway/orchestrator.ts";
import type { PlannedRequest } from "../../lib/gateway/request.ts";
import type { ExecutionContext } from "../../lib/server/context.ts";
import { BaseUrl } from "../../lib/gateway/base_url.ts";
import { readEndpoints } from "../../lib/gateway/endpoint_file.ts";
import { Executor, UpstreamError } from "../../lib/gateway/executor.ts";
import { createGateway } from "../../lib/gateway/gateway.ts";
import { Guard } from "../../lib/gateway/guard.ts";
import { toTool } from "../../lib/gateway/orchestrator.ts";
import { imports } from "../harness/modules.ts";
import { connect, textOf } from "../server/tool_client.ts";
import { startApi } from "./api.ts";
import { failureOf, serveFile, tokenOf, written } from "./gateways.ts";

const FILE = {
  endpoints: [
    written({
      name: "get_user",
      path: "/users/{id}",
      parameters: [
        { name: "id", in: "path", schema: { type: "integer", minimum: 1 } },
        { name: "fields", in: "query", schema: { type: "array", items: { type: "string" } } },
      ],
    }),
    written({
      name: "create_user",
      method: "POST",
      path: "/users",
      allow: true,
      body: { schema: { type: "object", required: ["name"] } },
    }),
  ],
};

/** An executor that is none: it remembers what it was asked to send. */
function recorder(answer: () => Answer = () => answerOf("{}")): { sender: Sender; sent: PlannedRequest[] } {
  const sent: PlannedRequest[] = [];
  return {
    sent,
    sender: {
      send(request) {
        sent.push(request);
        return Promise.resolve(answer());
      },
    },
  };
}

function answerOf(text: string, status = 200): Answer {
  const bytes = new TextEncoder().encode(text);
  return { status, type: "application/json", charset: undefined, retryAfter: undefined, bytes };
}

/** The tools of the file over an executor that is none: orchestration without HTTP. */
async function orchestrated(sender: Sender, onanswer?: (context: ExecutionContext) => void) {
  const around: Surroundings = {
    base: new BaseUrl("https://api.example.com/v1"),
    credentials: new Map(),
    sender,
    guard: new Guard(() => Promise.resolve(undefined)),
    timeoutMs: 1000,
    secrets: [],
    onfailure: () => {},
  };
  const tools = readEndpoints(FILE).endpoints.map((endpoint) => toTool(endpoint, around));
  return await connect({ tools, ...(onanswer ? { onanswer } : {}) });
}

test("invariant: single entry point; a tool has no way in but tools/call", async () => {
  const { sender, sent } = recorder();
  const contexts: ExecutionContext[] = [];
  const client = await orchestrated(sender, (context) => void contexts.push(context));
  await client.call("get_user", { id: 1 });
  assert.equal(sent.length, 1);
  assert.equal(contexts.filter(({ method }) => method === "tools/call").length, 1);
  for (const method of ["get_user", "tools/get_user", "gateway/call"]) {
    assert.equal((await client.ask(method, { id: 1 })).error?.code, -32601);
  }
  assert.equal(sent.length, 1);
});

test("invariant: context sealing; what leaves is sealed, bound to the tool, and cannot be changed", async () => {
  const contexts: ExecutionContext[] = [];
  const client = await orchestrated(recorder().sender, (context) => void contexts.push(context));
  await client.call("get_user", { id: 1 });
  await client.ask("ping");
  const context = contexts.find(({ method }) => method === "tools/call")!;
  assert.equal(context.isSealed, true);
  assert.equal(context.tool, "get_user");
  assert.throws(() => context.withTool("create_user"), { name: "ContextError" });
  assert.throws(() => context.withResult({}), { name: "ContextError" });
  assert.throws(() => ((context.params as any).arguments.id = 2), TypeError);
});

test("invariant: no guessing; what is ambiguous fails and is not normalised", async () => {
  const { sender, sent } = recorder();
  const client = await orchestrated(sender);
  for (const id of ["1", "1_0", " 7 ", "7.0", 1.9, true, null, [1], { id: 1 }, 0, -1]) {
    failureOf(await client.call("get_user", { id }));
  }
  for (const fields of ["a", "a,b", { 0: "a" }, [1], null]) {
    failureOf(await client.call("get_user", { id: 1, fields }));
  }
  assert.equal(sent.length, 0);
});

test("invariant: explicit failures; every failure is of a defined kind", async () => {
  const kinds = ["connection", "redirect", "stream", "timeout", "too_large"] as const;
  for (const kind of kinds) {
    const client = await orchestrated({
      send: () => Promise.reject(new UpstreamError(kind, "secret detail", 200)),
    });
    const text = failureOf(await client.call("get_user", { id: 1 }));
    assert.ok(text.includes(`kind: ${kind}; status: 200; retry: `), text);
    assert.equal(text.includes("secret detail"), false);
  }
  const client = await orchestrated({ send: () => Promise.reject(new RangeError("at db.internal")) });
  const { error } = await client.call("get_user", { id: 1 });
  assert.equal(error?.code, -32603);
  assert.equal(JSON.stringify(error).includes("db.internal"), false);
  assert.equal((client.failures[0] as Error).message, "at db.internal");
});

test("invariant: tool immutability; nothing that is registered can be changed, added or removed", () => {
  const gateway = createGateway({ description: readEndpoints(FILE), base: "https://api.example.com" });
  assert.throws(() => (gateway as any).tools = [], TypeError);
  assert.throws(() => (gateway.tools as any).push(gateway.tools[0]), TypeError);
  assert.throws(() => (gateway.endpoints as any).pop(), TypeError);
  for (const tool of gateway.tools) {
    assert.throws(() => (tool as any).name = "other", TypeError);
    assert.throws(() => (tool.definition as any).handler = () => "", TypeError);
    assert.throws(() => (tool.definition as any).inputSchema.properties.extra = {}, TypeError);
  }
  for (const endpoint of gateway.endpoints) {
    assert.throws(() => (endpoint as any).isSafe = true, TypeError);
    assert.throws(() => (endpoint.parameters as any).push({}), TypeError);
  }
});

test("invariant: orchestration apart from execution; each works without the other", async (t) => {
  // The orchestrator without HTTP: everything above. The executor without it: it checks, guards and interprets nothing.
  const api = await startApi(t, (response) => void response.writeHead(500).end("as it is"));
  const base = new BaseUrl(api.origin);
  const executor = new Executor(base, (url, init) => fetch(url, init), { maxBytes: 100, concurrency: 1 });
  const request = { method: "DELETE", url: base.resolve("/everything")!, headers: {}, body: undefined };
  const { status, bytes } = await executor.send(request, [], 10_000, new AbortController().signal);
  assert.deepEqual([status, new TextDecoder().decode(bytes)], [500, "as it is"]);
  const between = imports.filter(({ from, typeOnly }) => from.startsWith("lib/gateway/") && !typeOnly)
    .map(({ from, to }) => `${from.slice(12)} ${to.slice(12)}`);
  for (const policy of ["orchestrator.ts", "guard.ts", "outcome.ts", "gateway.ts"]) {
    assert.equal(between.includes(`executor.ts ${policy}`), false);
  }
  assert.equal(
    between.some((edge) =>
      /^(?:guard|outcome|style|body|path_template)\.ts (?:executor|gate)\.ts$/.test(edge)
    ),
    false,
  );
});

test("prohibited: inferring intent; what a call does not say is not filled in", async () => {
  const { sender, sent } = recorder();
  const client = await orchestrated(sender);
  failureOf(await client.call("get_user", {}));
  failureOf(await client.call("get_user"));
  failureOf(await client.call("create_user", { body: {} }));
  failureOf(await client.call("create_user", {}));
  assert.equal(sent.length, 0);
});

test("prohibited: silent normalisation; arguments are sent as they came or not at all", async () => {
  const { sender, sent } = recorder();
  const client = await orchestrated(sender);
  await client.call("get_user", { id: 7, fields: [" a ", "A", "é", "e\u0301", "%20"] });
  assert.deepEqual(sent[0]!.url.searchParams.getAll("fields"), [" a ", "A", "é", "e\u0301", "%20"]);
  failureOf(await client.call("get_user", { id: 7, fields: ["\ud800"] }));
  failureOf(await client.call("get_user", { id: 12345678901234567890 }));
  assert.equal(sent.length, 1);
});

test("prohibited: dynamic tool discovery; no answer of an API adds a tool", async () => {
  const links = {
    _links: { self: "/users/2", next: { href: "/users/3", method: "DELETE" } },
    tools: [{ name: "evil" }],
  };
  const { sender } = recorder(() => answerOf(JSON.stringify(links)));
  const client = await orchestrated(sender);
  const before = await client.list();
  await client.call("get_user", { id: 1 });
  assert.deepEqual(await client.list(), before);
  assert.equal((await client.call("evil")).error?.code, -32602);
});

test("prohibited: tolerating ambiguity; unknown arguments are errors, and all issues are listed", async () => {
  const { sender, sent } = recorder();
  const client = await orchestrated(sender);
  const text = failureOf(await client.call("get_user", { id: "x", fields: [1, "b", null], limit: 5, ID: 1 }));
  for (const place of ["/id", "/fields/0", "/fields/2", "/limit", "/ID"]) {
    assert.ok(text.includes(`- ${place}: `), text);
  }
  assert.equal(sent.length, 0);
});

test("prohibited: hiding failures; a refusal of the API is one of the call", async () => {
  for (const status of [400, 404, 500, 503]) {
    const client = await orchestrated(recorder(() => answerOf('{"ok":true}', status)).sender);
    assert.match(failureOf(await client.call("get_user", { id: 1 })), new RegExp(`status: ${status}`));
  }
});

test("prohibited: breaking the golden path; a dispatched call is checked, confirmed and logged as a direct one", async () => {
  const contexts: ExecutionContext[] = [];
  const logged: string[] = [];
  const client = await serveFile(FILE, {
    base: "https://api.example.com",
    maxTools: 0,
    onfailure: (tool) => void logged.push(tool),
    fetch: ({ pathname }) =>
      pathname.endsWith("/404404")
        ? Promise.reject(new TypeError("no network"))
        : Promise.resolve(new Response("{}", { headers: { "content-type": "application/json" } })),
  }, { onanswer: (context) => void contexts.push(context) });
  const call = (name: string, args: unknown) => client.call("call_operation", { name, arguments: args });
  assert.equal(textOf(await call("get_user", { id: 1 })), "{}");
  failureOf(await call("get_user", { id: "1", extra: 2 }));
  const plan = await call("create_user", { body: { name: "x" } });
  assert.equal(
    textOf(await call("create_user", { body: { name: "x" }, confirmation_token: tokenOf(plan) })),
    "{}",
  );
  await client.ask("ping");
  const calls = contexts.filter(({ tool }) => tool !== undefined);
  assert.deepEqual(calls.map(({ tool, params }) => [tool, (params as any).arguments.name]), [
    ["call_operation", "get_user"],
    ["call_operation", "get_user"],
    ["call_operation", "create_user"],
    ["call_operation", "create_user"],
  ]);
  assert.match(failureOf(await call("get_user", { id: 404404 })), /kind: connection/);
  assert.deepEqual(logged, ["get_user"]);
  // An operation behind the dispatcher is no tool of its own.
  assert.equal((await client.call("get_user", { id: 1 })).error?.code, -32602);
});
