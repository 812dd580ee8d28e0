/** The invariants of the guideline `invariants`: each is violated here, and the violation is refused. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Call, Connection } from "../lib/jsonrpc/mod.ts";
import type { Request, Response } from "../lib/jsonrpc/mod.ts";
import type { ResourceProvider, Server } from "../lib/mcp/server/mod.ts";
import {
  ContextError,
  createServer,
  defineTool,
  ExecutionContext,
  REVISIONS,
} from "../lib/mcp/server/mod.ts";
import { Session } from "../lib/mcp/server/mod.ts";
import { ToolRegistry } from "../lib/mcp/server/tool_registry.ts";
import { memoryTransports } from "../mod.ts";
import { codeOf, imports, modules } from "./harness/modules.ts";
import { modern } from "./harness/program.ts";
import { assertFrozen } from "./mcp/server/tool_client.ts";

const info = { name: "t", version: "1" };

function callOf<A>(request: Partial<Request>, accept: (call: Call<A>) => A): Call<A> {
  const complete = { jsonrpc: "2.0", id: 1, method: "ping", ...request } as Request;
  return new Call(complete, { receivedAt: 0, size: 0 }, { send: () => undefined, reply: () => {} }, accept);
}

function open(request: Partial<Request> = {}, id = "c1.1"): ExecutionContext {
  const client = { info: undefined, capabilities: {} };
  const accepted = { id, session: new Session(), revision: REVISIONS[0]!, client };
  return ExecutionContext.fromRequest(callOf(request, () => accepted));
}

/** A tool that answers with its name. */
const toolOf = (name: string) => defineTool({ name, inputSchema: { type: "object" }, handler: () => name });

/** A server whose resources are read by a function, and what it reports. */
function serve(read: ResourceProvider["read"]) {
  const seen: ExecutionContext[] = [];
  const failures: [unknown, string][] = [];
  const server = createServer({
    info,
    resources: [{ list: () => [], read }],
    onanswer: (context) => void seen.push(context),
    onfailure: (cause, reference) => void failures.push([cause, reference]),
  });
  return { server, seen, failures, answer: () => ask(server, "resources/read", { uri: "x:y" }) };
}

/** Passes a modern request to a server. */
async function ask(server: Server, method: string, params: object = {}): Promise<Response> {
  const stated = modern(params) as Record<string, unknown>;
  const session = new Session();
  return await server.handle(callOf({ method, params: stated }, (call) => server.accept(session, call)));
}

test("a context is made by fromRequest, with an id of its own, and refuses what its state does not allow", () => {
  const calling = () => open({ method: "tools/call" });
  const construct = (key: unknown) => Reflect.construct(ExecutionContext, [key, {}]);
  const refused: [violate: () => unknown, message: RegExp][] = [
    [() => construct(Symbol("fromRequest")), /use ExecutionContext\.fromRequest/],
    [() => construct(undefined), /use ExecutionContext\.fromRequest/],
    ...["", " ", "\n"].map((id) => [() => open({}, id), /blank/] as [() => unknown, RegExp]),
    [() => calling().withResult({}), /no tool is bound/],
    [() => calling().withTool("x").withTool("y"), /bound already/],
    [() => calling().withTool(" "), /blank/],
    [() => open().withResult({}).withResult({}), /sealed/],
    [() => open().withResult({}).withTool("x"), /sealed/],
    [() => calling().withTool("x").withResult(undefined).withResult({}), /sealed/],
  ];
  for (const [violate, message] of refused) assert.throws(violate, { name: "ContextError", message });
  for (const id of ["", 0]) assert.equal(open({ id }).requestId, id);
});

test("a context changes only into a new one", () => {
  const first = open({ method: "tools/call" });
  const bound = first.withTool("x");
  const done = bound.withResult({ a: 1 });
  assert.deepEqual([first.tool, bound.result, done.result], [undefined, undefined, { a: 1 }]);
  assert.deepEqual([bound.isSealed, done.isSealed], [false, true]);
  for (const context of [first, done]) {
    assert.throws(() => Object.assign(context, { tool: "y" }), TypeError);
    assert.throws(() => Object.defineProperty(context, "result", { value: 1 }), TypeError);
  }
});

test("what leaves the server is frozen at every depth", async () => {
  const { server, seen } = serve((uri) => [{ uri, text: "t" }]);
  await ask(server, "resources/read", { uri: "x:y", extra: { deep: [{ deeper: {} }] } });
  const [sealed] = seen;
  assert.equal(sealed?.isSealed, true);
  for (const part of [sealed.params, sealed.result, sealed.client]) assertFrozen(part);
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
  const loop: Record<string, unknown> = {};
  loop["self"] = loop;
  assert.equal((await serve(() => [loop] as never).answer()).error?.code, -32603);
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

test("every request over a transport goes through handle, and gets a context of its own", async () => {
  const seen: string[] = [];
  const server = createServer({
    info,
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
  const client = new Connection(near, { onrequest: () => assert.fail("nothing is asked of a client") });
  await client.start();
  const methods = [
    "server/discover",
    "resources/list",
    "resources/templates/list",
    "prompts/list",
    "tools/list",
  ];
  for (const method of methods) await client.request(method, modern() as Record<string, unknown>);
  assert.equal(handled, methods.length);
  assert.deepEqual(seen.map((entry) => entry.split(" ")[1]), methods);
  assert.equal(new Set(seen.map((entry) => entry.split(" ")[0])).size, methods.length);
  await client.close();
});

test("no tool can be added, taken away or changed once the server is built", async () => {
  const [own, intruder] = [toolOf("own"), toolOf("intruder")];
  const tools = [own];
  const seen: ExecutionContext[] = [];
  const server = createServer({ info, tools, onanswer: (context) => void seen.push(context) });
  tools.push(intruder);
  tools.shift();
  const registry = new ToolRegistry([own]);
  await registry.ready();
  for (const part of [own, registry, registry.allFor({ info: undefined, capabilities: {} })]) {
    assertFrozen(part);
  }
  assert.throws(() => new ToolRegistry([{ ...own }]), TypeError, "a copy is no tool that was checked");
  // An unknown tool binds none.
  assert.equal((await ask(server, "tools/call", { name: "intruder" })).error?.code, -32602);
  assert.match(JSON.stringify(await ask(server, "tools/call", { name: "own" })), /"text\\?":\\?"own/);
  await Promise.resolve();
  assert.deepEqual(seen.map(({ tool, isSealed }) => [tool, isSealed]), [["own", true]]);
  assert.deepEqual(seen[0]?.result, { content: [{ type: "text", text: "own" }] });
});

test("only the server imports handlers, and nothing else can get at its table", () => {
  const importers = (module: string) =>
    imports.filter(({ to, typeOnly }) => to === `lib/${module}.ts` && !typeOnly).map(({ from }) => from)
      .sort();
  const features = ["completion", "lists", "logging", "prompts", "resources", "subscribe", "tool_call"];
  for (const feature of features) {
    assert.deepEqual([...new Set(importers(`mcp/server/${feature}`))], ["lib/mcp/server/server.ts"], feature);
  }
  assert.doesNotMatch(codeOf("lib/mcp/server/server.ts"), /export const HANDLERS/);
  const loaders = ["lib/cli/check.ts", "lib/documents/mod.ts", "lib/documents/provider.ts"];
  assert.deepEqual(importers("documents/store"), loaders);
  assert.deepEqual(importers("documents/prompts/store"), [
    "lib/cli/problems.ts",
    "lib/documents/prompts/provider.ts",
  ]);
});

test("the only catch-all is at the edge of handle; every other catch names the errors it is for, or tells why", () => {
  const unnamed = modules.filter((module) => /^lib\/(?:mcp\/server\/|jsonrpc\/\w+\.ts$)/.test(module))
    .flatMap((module) =>
      [...codeOf(module).matchAll(/catch \(cause\) \{\s*([^\n]*)/g)]
        .filter(([, first]) => !/cause instanceof|cause\b.*throw|reasonOf\(cause\)/.test(first!))
        .map(() => module)
    );
  assert.deepEqual(unnamed, ["lib/mcp/server/server.ts"]);
});
