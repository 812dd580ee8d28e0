/** What becomes of an unexpected error in a program that does not receive it: the client has a reference, and so has the operator. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { createGateway, readEndpoints } from "../../../lib/gateway/mod.ts";
import { createJsonRpcServer } from "../../../lib/jsonrpc/rpc/mod.ts";
import {
  connect,
  ErrorCode,
  httpTransport,
  memoryTransports,
  RpcError,
} from "../../../lib/mcp/client/mod.ts";
import type { Client, Connectable } from "../../../lib/mcp/client/mod.ts";
import { createHttpHandler, jwtBearer, listenHttp } from "../../../lib/mcp/http/mod.ts";
import { createServer, definePrompt, defineTool, object } from "../../../lib/mcp/server/mod.ts";
import { resourceProvider } from "../../../lib/mcp/server/mod.ts";
import type { Server, ServerOptions } from "../../../lib/mcp/server/mod.ts";
import { writeExample } from "../../harness/examples.ts";
import { makeFolder } from "../../harness/folder.ts";
import { until } from "../../harness/process.ts";
import { Program } from "../../harness/program.ts";
import { Client as RpcClient } from "../../jsonrpc/rpc/client.ts";

const info = { name: "t", version: "1" };
const FORGED = "No issue 9\nThe request c1 failed: \u001b[31mforged";
const THROWN: Readonly<Record<string, unknown>> = {
  error: new Error("No issue 9", { cause: new TypeError("The database is closed") }),
  forged: new Error(FORGED),
  text: "No issue 9",
  nothing: undefined,
  object: { message: "No issue 9" },
  unprintable: Object.create(null, { toJSON: { value: () => 1n } }),
  long: new Error("9".repeat(100_000)),
};

const fail = (kind: string): never => {
  throw THROWN[kind];
};

/** A server whose every part fails. */
function failing(options: Partial<ServerOptions> = {}): Server {
  const inputSchema = object({ kind: "string" });
  return createServer({
    info,
    tools: [
      defineTool({ name: "fail", inputSchema, handler: ({ kind }) => fail(kind) }),
      defineTool({ name: "later", inputSchema, handler: ({ kind }) => Promise.resolve(kind).then(fail) }),
      defineTool({
        name: "wrong",
        inputSchema,
        outputSchema: object({ a: "number" }),
        handler: () => ({ a: "No issue 9" }) as never,
      }),
    ],
    prompts: [definePrompt({ name: "p", handler: () => fail("error") })],
    resources: [resourceProvider({ resources: [{ uri: "a:1", name: "a", read: () => fail("error") }] })],
    ...options,
  });
}

const CALLS: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  "No issue 9": (client) => client.callTool("fail", { kind: "error" }),
  "Error: No issue 9": (client) => client.callTool("later", { kind: "error" }),
  "Expected a number": (client) => client.callTool("wrong", { kind: "" }),
  "Error: No issue 9\n    at ": (client) => client.call("prompts/get", { name: "p" }),
  "Caused by: TypeError: The database is closed": (client) => client.call("resources/read", { uri: "a:1" }),
};

/** What is written to standard error through the console, until the test ends. */
function written(t: TestContext): string[] {
  const lines: string[] = [], { console } = globalThis, { error } = console;
  Object.assign(console, { error: (line: string) => void lines.push(line) });
  t.after(() => Object.assign(console, { error }));
  return lines;
}

async function referenceOf(answer: Promise<unknown>): Promise<string> {
  const error = await answer.then(() => "no error", (cause: unknown) => cause);
  assert.ok(error instanceof RpcError, String(error));
  assert.deepEqual([error.code, error.message], [ErrorCode.internal, "Internal error"]);
  return (error.data as { reference: string }).reference;
}

/** Ways to a server, each over another transport. */
const WAYS: Readonly<Record<string, (server: Server, t: TestContext) => Promise<Connectable>>> = {
  "createServer().connect": async (server) => {
    const [near, far] = memoryTransports();
    await server.connect(far);
    return near;
  },
  "listenHttp": async (server, t) => {
    const { url, close } = await listenHttp(server, { port: 0 });
    t.after(close);
    return httpTransport(url);
  },
};

for (const [way, open] of Object.entries(WAYS)) {
  test(`${way} writes each unexpected error to standard error, with the reference of the client`, async (t) => {
    const lines = written(t);
    const client = await connect(await open(failing(), t), { info });
    for (const [text, call] of Object.entries(CALLS)) {
      const start = `The request ${await referenceOf(call(client))} failed: `;
      await until("it is written", () => lines.some((line) => line.startsWith(start) && line.includes(text)));
    }
    assert.equal(lines.length, Object.keys(CALLS).length);
    await client.close();
  });
}

test("whatever is thrown is written: bounded, and without control characters or forged lines", async (t) => {
  const lines = written(t);
  const client = await connect(await WAYS["createServer().connect"]!(failing(), t), { info });
  for (const kind of Object.keys(THROWN)) {
    const count = lines.length;
    await referenceOf(client.callTool("fail", { kind }));
    await until(kind, () => lines.length > count);
    const [first, ...more] = lines.at(-1)!.split("\n");
    assert.match(first!, /^The request c\d+\.\d+ failed: /);
    // deno-lint-ignore no-control-regex
    assert.ok(more.every((line) => /^ {4}[^\u0000-\u001f]*$/.test(line)), kind);
    assert.ok(lines.at(-1)!.length < 20_000, kind);
  }
  await client.close();
});

test("serveStdio writes unexpected errors to standard error, and a program that receives them writes nothing", async (t) => {
  const program = (more: string) => `
import { createServer, defineTool, object, serveStdio } from "@architrave/architrave";
const find = defineTool({ name: "find", inputSchema: object({}), handler: () => { throw new Error("No issue 9"); } });
await serveStdio(createServer({ info: { name: "t", version: "1" }, tools: [find], ${more} }));
`;
  for (const [more, isWritten] of [["", true], ["onfailure() {}", false]] as const) {
    const server = new Program([], { module: writeExample(makeFolder(t), program(more)) });
    await server.initialize();
    const { error } = await server.ask("tools/call", { name: "find", arguments: {} });
    const { reference } = error!.data as { reference: string };
    assert.equal(await server.close(), 0);
    const start = isWritten ? `The request ${reference} failed: Error: No issue 9\n    at ` : "";
    assert.equal(server.errors.slice(0, start.length || Infinity), start);
  }
});

test("a server of methods writes unexpected errors of calls and of notifications", async (t) => {
  const lines = written(t);
  const { server, stop } = await createJsonRpcServer({ port: 0, handlers: { fail: () => fail("error") } });
  const client = await RpcClient.connect(server.address);
  const { error } = await client.ask("fail");
  client.send({ jsonrpc: "2.0", method: "fail" });
  await until("both are written", () => lines.length === 2);
  const { reference } = error!.data as { reference: string };
  assert.ok(lines[0]!.startsWith(`The request ${reference} failed: Error: No issue 9\n`), lines[0] ?? "");
  assert.match(lines[1]!, /^The request f2 failed: Error: No issue 9\n/);
  await client.leave();
  await stop();
});

test("errors of HTTP, of keys and of an API are written too", async (t) => {
  const lines = written(t);
  const { fetch, close } = createHttpHandler(failing(), { authenticate: () => fail("error"), graceMs: 0 });
  assert.equal((await fetch(new Request("http://localhost/mcp", { method: "POST" }))).status, 500);
  assert.match(lines.at(-1)!, /^Serving over HTTP failed: Error: No issue 9\n/);
  await close();
  const jwks = new URL("http://127.0.0.1:1/keys");
  const [issuer, audience] = ["https://a.example", "https://b.example"];
  const authenticate = jwtBearer({ jwks, issuer, audience });
  const part = (value: object) => btoa(JSON.stringify(value)).replaceAll("=", "");
  const token = `${part({ alg: "ES256", kid: "a" })}.${
    part({ iss: issuer, aud: audience, sub: "a", exp: 9e9 })
  }.AA`;
  await assert.rejects(async () => await authenticate({ header: () => `Bearer ${token}` } as never));
  assert.match(lines.at(-1)!, /^Serving over HTTP failed: Error: Cannot read the keys of the authorization/);
  const description = readEndpoints({
    base: "https://api.example.com",
    endpoints: [{ name: "status", description: "Says how it is.", method: "GET", path: "/status" }],
  });
  const { tools } = createGateway({ description, fetch: () => Promise.reject(new Error("No route")) });
  const way = await WAYS["createServer().connect"]!(failing({ tools }), t);
  const client = await connect(way, { info });
  assert.equal((await client.callTool("status")).isError, true);
  assert.match(lines.at(-1)!, /^status: .*No route/);
  await client.close();
});
