/** The invariants of the guideline `invariants`: each is violated here, and the violation is refused. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Request, Response } from "../lib/jsonrpc/message.ts";
import type { ServerCall } from "../lib/server/handlers.ts";
import type { ResourceProvider } from "../lib/server/provider.ts";
import type { Server } from "../lib/server/server.ts";
import { RpcError } from "../lib/jsonrpc/message.ts";
import { Connection } from "../lib/jsonrpc/connection.ts";
import { ContextError, ExecutionContext, Session } from "../lib/server/context.ts";
import { NEWEST_LEGACY } from "../lib/protocol/revisions.ts";
import { createServer } from "../lib/server/server.ts";
import { defineTool } from "../lib/server/tool.ts";
import { ToolRegistry } from "../lib/server/tool_registry.ts";
import { memoryTransports } from "../lib/transport/memory.ts";
import { codeOf, imports, modules } from "./harness/modules.ts";
import { modern } from "./harness/program.ts";

const call: ServerCall = {
  signal: new AbortController().signal,
  notify: () => undefined,
  context: { receivedAt: 0, size: 0 },
};

function open(request: Partial<Request> = {}, id = "c1.1"): ExecutionContext {
  return ExecutionContext.fromRequest({
    id,
    request: { jsonrpc: "2.0", id: 1, method: "ping", ...request } as Request,
    revision: NEWEST_LEGACY,
    client: { info: undefined, capabilities: {} },
    call,
  });
}

/** A server whose resources are read by a function, and what it reports. */
function serve(read: ResourceProvider["read"]) {
  const seen: ExecutionContext[] = [];
  const failures: [unknown, string][] = [];
  const server = createServer({
    info: { name: "t", version: "1" },
    resources: [{ list: () => [], read }],
    onanswer: (context) => void seen.push(context),
    onfailure: (cause, reference) => void failures.push([cause, reference]),
  });
  return { server, seen, failures, answer: () => ask(server, "resources/read", { uri: "x:y" }) };
}

/** Passes a modern request to a server. */
async function ask(server: Server, method: string, params: object = {}): Promise<Response> {
  const request: Request = {
    jsonrpc: "2.0",
    id: 1,
    method,
    params: modern(params) as Record<string, unknown>,
  };
  return await server.handle(request, new Session(), call);
}

test("only fromRequest can construct a context", () => {
  assert.throws(() => Reflect.construct(ExecutionContext, [Symbol("the only door"), {}]), ContextError);
  assert.throws(() => Reflect.construct(ExecutionContext, [undefined, {}]), ContextError);
});

test("a context has an id of its own that is not blank, whatever the client's id is", () => {
  for (const id of ["", " ", "\n"]) assert.throws(() => open({}, id), ContextError);
  assert.equal(open({ id: "" }).requestId, "");
  assert.equal(open({ id: 0 }).requestId, 0);
});

test("a context changes only into a new one", () => {
  const first = open({ method: "tools/call" });
  const bound = first.withTool("x");
  const done = bound.withResult({ a: 1 });
  assert.equal(first.tool, undefined);
  assert.equal(bound.result, undefined);
  assert.deepEqual(done.result, { a: 1 });
  assert.throws(() => Object.assign(first, { tool: "y" }), TypeError);
  assert.throws(() => Object.defineProperty(first, "result", { value: 1 }), TypeError);
});

test("a tool result without a bound tool is refused, and so are a second tool and a second result", () => {
  assert.throws(() => open({ method: "tools/call" }).withResult({}), /no tool is bound/);
  assert.throws(() => open({ method: "tools/call" }).withTool("x").withTool("y"), /bound already/);
  assert.throws(() => open({ method: "tools/call" }).withTool(" "), /blank/);
  assert.throws(() => open().withResult({}).withResult({}), /sealed/);
});

test("a context with a result is sealed: it refuses every change", () => {
  const bound = open({ method: "tools/call" }).withTool("x");
  assert.equal(bound.isSealed, false);
  const sealed = bound.withResult(undefined);
  assert.equal(sealed.isSealed, true);
  assert.throws(() => sealed.withResult({}), /sealed/);
  assert.throws(() => open().withResult({}).withTool("x"), /sealed/);
});

test("what leaves the server is frozen at every depth", async () => {
  const { server, seen } = serve((uri) => [{ uri, text: "t" }]);
  await ask(server, "resources/read", { uri: "x:y", extra: { deep: [{ deeper: {} }] } });
  const [sealed] = seen;
  assert.equal(sealed?.isSealed, true);
  const write = (value: unknown) => {
    if (typeof value !== "object" || value === null) return;
    assert.throws(() => Object.assign(value, { injected: 1 }), TypeError);
    for (const member of Object.values(value)) write(member);
  };
  write(sealed.params);
  write(sealed.result);
  write(sealed.client);
});

test("a result with what can still change when it is frozen is refused, and its cause is logged", async () => {
  class Counter {
    #count = 0;
    toJSON = () => this.#count++;
  }
  const values = [new Date(), new Map(), new Set(), new Uint8Array(1), new DataView(new ArrayBuffer(1))]
    .concat([new URL("x:y"), new Counter(), new (class extends Map {})()] as never[]);
  for (const value of values) {
    for (const result of [value, { deep: [value] }]) {
      assert.throws(() => open().withResult(result), ContextError);
    }
    const { answer, failures } = serve((uri) => [{ uri, text: "t", _meta: { value } }] as never);
    assert.deepEqual((await answer()).error?.code, -32603);
    assert.match(String(failures), /Cannot seal a \w*, which can still change/);
  }
  const plain = { list: [1, "a", null, true], none: Object.create(null), missing: undefined };
  assert.deepEqual(open().withResult(plain).result, plain);
});

test("an unexpected error is logged in full, and the client gets a reference", async () => {
  const secret = new Error("/home/me/.secret");
  for (const cause of [secret, "secret", { code: -1, message: "secret" }, undefined]) {
    for (const async of [false, true]) {
      const { answer, failures } = serve(() => {
        if (async) return Promise.reject(cause);
        throw cause;
      });
      const response = await answer();
      const [logged, reference] = failures.pop()!;
      assert.equal(logged, cause);
      assert.deepEqual(response.error, { code: -32603, message: "Internal error", data: { reference } });
      assert.doesNotMatch(JSON.stringify(response), /secret/);
    }
  }
});

test("a result that cannot be frozen is an internal error, not a crash", async () => {
  const loop: Record<string, unknown> = {};
  loop["self"] = loop;
  const { answer } = serve(() => [loop] as never);
  assert.equal((await answer()).error?.code, -32603);
});

test("a typed failure of a provider is what the client gets", async () => {
  const { answer } = serve(() => {
    throw new RpcError(7, "as typed", { a: 1 });
  });
  assert.deepEqual((await answer()).error, { code: 7, message: "as typed", data: { a: 1 } });
});

test("every request over a transport goes through handle, and gets a context of its own", async () => {
  const seen: string[] = [];
  const server = createServer({
    info: { name: "t", version: "1" },
    resources: [{ list: () => [], read: () => undefined }],
    prompts: [{ list: () => [], get: () => undefined }],
    onanswer: (context) => void seen.push(`${context.id} ${context.method}`),
  });
  let handled = 0;
  const { handle } = server;
  server.handle = (...args) => {
    handled++;
    return handle.apply(server, args);
  };
  const [near, far] = memoryTransports();
  await server.connect(far);
  const client = new Connection(near, {
    onrequest: () => assert.fail("nothing is asked of a client"),
  });
  await client.start();
  const lists = ["resources/list", "resources/templates/list", "prompts/list", "tools/list"];
  const methods = ["server/discover", ...lists];
  for (const method of methods) await client.request(method, modern() as Record<string, unknown>);
  assert.equal(handled, methods.length);
  assert.deepEqual(seen.map((entry) => entry.split(" ")[1]), methods);
  assert.equal(new Set(seen.map((entry) => entry.split(" ")[0])).size, methods.length);
  await client.close();
});

test("no tool can be added, taken away or changed once the server is built", async () => {
  const own = defineTool({ name: "own", inputSchema: { type: "object" }, handler: () => "own" });
  const intruder = defineTool({
    name: "intruder",
    inputSchema: { type: "object" },
    handler: () => "intruder",
  });
  const tools = [own];
  const server = createServer({ info: { name: "t", version: "1" }, tools });
  tools.push(intruder);
  tools.shift();
  const registry = new ToolRegistry([own]);
  await registry.ready();
  assert.throws(() => Object.assign(registry, { get: () => intruder }), TypeError);
  const all = registry.allFor({ info: undefined, capabilities: {} }) as unknown[];
  for (
    const change of [
      () => all.push(intruder),
      () => all.pop(),
      () => all.splice(0, 1, intruder),
      () => all[0] = intruder,
      () => delete all[0],
      () => all.length = 0,
      () => all.sort(() => 1).reverse().fill(intruder),
    ]
  ) assert.throws(change, TypeError);
  assert.throws(() => Object.assign(all[0]!, { tool: intruder }), TypeError);
  assert.throws(() => Object.defineProperty(registry, "allFor", { value: () => [intruder] }), TypeError);
  assert.throws(() => delete (all[0] as { tool?: unknown }).tool, TypeError);
  assert.throws(() => Object.assign(own, { name: "intruder" }), TypeError);
  assert.throws(() => delete (own.definition as { handler?: unknown }).handler, TypeError);
  assert.throws(() => new ToolRegistry([{ ...own }]), TypeError, "a copy is no tool that was checked");
  assert.throws(() => Object.assign(registry.get("own")!.input.published, { required: ["x"] }), TypeError);
  assert.throws(() => Object.assign(own.definition, { handler: () => "other" }), TypeError);
  assert.equal((await ask(server, "tools/call", { name: "intruder" })).error?.code, -32602);
  assert.match(JSON.stringify(await ask(server, "tools/call", { name: "own" })), /"text\\?":\\?"own/);
});

test("a set of tools brings the tools that it said when the server was built, and no others later", async () => {
  const make = (name: string) => defineTool({ name, inputSchema: { type: "object" }, handler: () => name });
  const brought = [make("own")];
  const set = { names: ["own"], load: () => Promise.resolve(brought) };
  const registry = new ToolRegistry([set]);
  set.names.push("intruder");
  set.load = () => Promise.resolve([make("own"), make("intruder")]);
  await assert.rejects(async () => await registry.ready(), TypeError);
  set.load = () => Promise.resolve(brought);
  await registry.ready();
  brought.push(make("intruder"));
  brought.shift();
  assert.equal(registry.ready(), undefined, "it is loaded once");
  assert.deepEqual(registry.allFor({ info: undefined, capabilities: {} }).map(({ tool }) => tool.name), [
    "own",
  ]);
  assert.equal(registry.get("intruder"), undefined);
});

test("a tool call is answered by a context that its tool is bound to, and an unknown tool binds none", async () => {
  const seen: ExecutionContext[] = [];
  const own = defineTool({ name: "own", inputSchema: { type: "object" }, handler: () => "own" });
  const server = createServer({
    info: { name: "t", version: "1" },
    tools: [own],
    onanswer: (context) => void seen.push(context),
  });
  for (const name of ["own", "other"]) await ask(server, "tools/call", { name });
  await Promise.resolve();
  assert.deepEqual(seen.map(({ tool, isSealed }) => [tool, isSealed]), [["own", true]]);
  assert.deepEqual(seen[0]?.result, { content: [{ type: "text", text: "own" }] });
});

test("only the handler table imports handlers, and only the server imports the table", () => {
  const importers = (module: string) =>
    imports.filter(({ to, typeOnly }) => to === `lib/${module}.ts` && !typeOnly).map(({ from }) => from)
      .sort();
  for (const feature of ["resources", "tools"]) {
    assert.deepEqual([...new Set(importers(`server/${feature}`))], ["lib/server/handlers.ts"], feature);
  }
  assert.deepEqual(importers("server/handlers"), ["lib/server/server.ts"]);
  const loaders = ["lib/cli/check.ts", "lib/documents/mod.ts", "lib/documents/provider.ts"];
  assert.deepEqual(importers("documents/store"), loaders);
  assert.deepEqual(importers("prompts/store"), ["lib/cli/check.ts", "lib/prompts/provider.ts"]);
});

test("the only catch-all is at the edge of handle; every other catch names the errors it is for", () => {
  const unnamed = modules.filter((module) =>
    module.startsWith("lib/server/") || module.startsWith("lib/jsonrpc/")
  )
    .flatMap((module) =>
      [...codeOf(module).matchAll(/catch \(cause\) \{\s*([^\n]*)/g)]
        .filter(([, first]) => !/cause instanceof|cause\b.*throw/.test(first!))
        .map(() => module)
    );
  assert.deepEqual(unnamed, ["lib/server/server.ts"]);
});
