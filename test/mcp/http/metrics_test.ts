/** Metrics: the hook `onmeasure`, what an endpoint counts, and the listener of `http --metrics`. */

import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { bearerToken } from "../../../lib/mcp/http/mod.ts";
import type { ServerOptions } from "../../../lib/mcp/server/mod.ts";
import type { Params } from "../../../lib/jsonrpc/message.ts";
import { RpcError } from "../../../lib/jsonrpc/message.ts";
import { createServer, defineTool, ToolResult } from "../../../lib/mcp/server/mod.ts";
import { memoryTransports } from "../../../mod.ts";
import { HttpClient, peerAt } from "../../harness/http_client.ts";
import { serve, startProgram } from "../../harness/http_server.ts";
import { until } from "../../harness/process.ts";
import { modern as modernParams } from "../../harness/program.ts";

const SIGNALS = { skip: process.platform === "win32" && "Windows has no such signals" };
const inputSchema = { type: "object" } as const;

test("onmeasure receives the duration of each request, with the attributes of OpenTelemetry", async () => {
  const measured: (readonly [metric: string, number, Readonly<Record<string, string>>])[] = [];
  const tools = [
    defineTool({ name: "slow", inputSchema, handler: () => new Promise((end) => setTimeout(end, 60, "x")) }),
    defineTool({
      name: "failing",
      inputSchema,
      handler: () => new ToolResult(["no"], { isError: true }),
    }),
    defineTool({
      name: "strict",
      inputSchema: { type: "object", required: ["a"], properties: { a: { type: "string" } } } as const,
      handler: () => "x",
    }),
    defineTool({
      name: "throwing",
      inputSchema,
      handler: () => {
        throw new RpcError(-32050, "no");
      },
    }),
    defineTool({
      name: "broken",
      inputSchema,
      handler: () => {
        throw new Error("no");
      },
    }),
  ];
  const server = createServer({
    info: { name: "test", version: "1" },
    resources: [{ list: () => [], read: (uri) => uri === "test://a" ? [{ uri, text: "" }] : undefined }],
    tools,
    toolCalls: { burst: 6, perSecond: 0.001 },
    prompts: [{
      list: () => [],
      get: (name) => name === "known" ? { messages: [] } : undefined,
    }],
    onmeasure: (...one) => void measured.push(one),
    extensions: [{
      id: "test/more",
      methods: ["more/do"],
      load: () => Promise.resolve({ "more/do": () => ({}) }),
    }],
  });
  const pipe = { "network.transport": "pipe" };
  const modern = { "mcp.protocol.version": "2026-07-28", ...pipe };
  const prompt = { "mcp.method.name": "prompts/get", ...modern };
  const call = { "mcp.method.name": "tools/call", "gen_ai.operation.name": "execute_tool", ...modern };
  const error = (code: number) => ({ "error.type": `${code}`, "rpc.response.status_code": `${code}` });
  const named = (name: string) => ({ ...call, "gen_ai.tool.name": name });
  const isError = { "error.type": "tool_error" };
  const rows: [method: string, params: object, attributes: object][] = [
    ["tools/list", {}, { "mcp.method.name": "tools/list", ...modern }],
    ["tools/call", { name: "slow" }, named("slow")],
    ["tools/call", { name: "failing" }, { ...named("failing"), ...isError }],
    ["tools/call", { name: "strict" }, { ...named("strict"), ...isError }],
    ["tools/call", { name: "throwing" }, { ...named("throwing"), ...error(-32050) }],
    ["tools/call", { name: "broken" }, { ...named("broken"), ...error(-32603) }],
    ["tools/call", { name: "slow" }, named("slow")],
    // Beyond the rate.
    ["tools/call", { name: "slow" }, { ...named("slow"), ...isError }],
    ["resources/read", { uri: "test://a" }, { "mcp.method.name": "resources/read", ...modern }],
    ["resources/read", { uri: "test://gone" }, {
      "mcp.method.name": "resources/read",
      ...modern,
      ...error(-32602),
    }],
    // Nothing that a client makes up is an attribute.
    ["tools/call", { name: "made-up" }, { ...named("other"), ...error(-32602) }],
    ["tools/call", { name: "__proto__" }, { ...named("other"), ...error(-32602) }],
    ["tools/call", { name: 'a"}\n# EOF' }, { ...named("other"), ...error(-32602) }],
    ["tools/call", { name: ["slow"] }, { ...named("other"), ...error(-32602) }],
    ["tools/call", {}, { ...named("other"), ...error(-32602) }],
    ["prompts/get", { name: "known" }, { ...prompt, "gen_ai.prompt.name": "known" }],
    ["prompts/get", { name: "made-up" }, { ...prompt, "gen_ai.prompt.name": "other", ...error(-32602) }],
    ["prompts/get", {}, { ...prompt, "gen_ai.prompt.name": "other", ...error(-32602) }],
    ["more/do", {}, { "mcp.method.name": "more/do", ...modern }],
    ["made/up", {}, { "mcp.method.name": "other", ...pipe, ...error(-32601) }],
    ["__proto__", {}, { "mcp.method.name": "other", ...pipe, ...error(-32601) }],
    ["constructor", {}, { "mcp.method.name": "other", ...pipe, ...error(-32601) }],
    ["notifications/initialized", {}, { "mcp.method.name": "other", ...pipe, ...error(-32601) }],
  ];
  const [client, transport] = memoryTransports();
  const answers: unknown[] = [];
  client.onmessage = (message) => void answers.push(message);
  await server.connect(transport);
  await client.start();
  for (const [id, [method, params, attributes]] of rows.entries()) {
    await client.send({ jsonrpc: "2.0", id, method, params: modernParams(params) as Params });
    await until("it is answered and measured", () => answers.length > id && measured.length > id);
    const [metric, seconds, found] = measured[id]!;
    assert.equal(metric, "mcp.server.operation.duration");
    assert.ok(seconds >= (method === "tools/call" && id === 1 ? 0.05 : 0) && seconds < 60, `${seconds}`);
    assert.deepEqual(found, attributes, `${method} ${JSON.stringify(params)}`);
  }
  await client.close();
  await until("the connection is closed", () => !transport.isOpen);
  assert.equal(measured.length, rows.length, "a connection without a handshake is no session");
});

test("onmeasure receives the duration of each session when it ends, and the reason if it is a failure", async (t) => {
  const measured: (readonly [seconds: number, Readonly<Record<string, string>>])[] = [];
  const onmeasure: ServerOptions["onmeasure"] = (metric, ...one) =>
    void (metric === "mcp.server.session.duration" && measured.push(one));
  const session = { "mcp.protocol.version": "2025-11-25" };
  const http = { ...session, "network.protocol.name": "http", "network.transport": "tcp" };
  const isMeasured = async (attributes: object) => {
    await until("the session is measured", () => measured.length > 0);
    const [[seconds, found]] = measured.splice(0) as [(typeof measured)[0]];
    assert.ok(seconds > 0 && seconds < 60, `${seconds}`);
    assert.deepEqual(found, attributes);
  };
  const served = await serve(t, { maxSessions: 2, sessionIdleMs: 300 }, { onmeasure });
  // Without a request after the handshake, and with one.
  await (await served.client("2025-11-25")).end();
  await isMeasured(http);
  const client = await served.client("2025-06-18");
  await client.ask("ping");
  await client.end();
  await isMeasured({ ...http, "mcp.protocol.version": "2025-06-18" });
  // An idle one ends in time, although nobody asks. A client has one half of all sessions, so its next one displaces the first.
  await served.client("2025-11-25");
  await isMeasured(http);
  await served.client("2025-11-25");
  await served.client("2025-11-25");
  await isMeasured({ ...http, "error.type": "evicted" });
  await isMeasured(http);
  await served.client("2025-11-25");
  await served.close();
  await isMeasured(http);
  const server = createServer({ info: { name: "test", version: "1" }, onmeasure });
  const [other, transport] = memoryTransports();
  await server.connect(transport);
  const answered = new Promise((resolve) => other.onmessage = resolve);
  await other.start();
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } };
  await other.send({ jsonrpc: "2.0", id: 1, method: "initialize", params });
  await answered;
  assert.deepEqual(measured, []);
  await other.close();
  await isMeasured({ ...session, "network.transport": "pipe" });
});

test("an endpoint counts what it refuses, by reason", async (t) => {
  const TOKEN = "0123456789abcdef";
  const served = await serve(t, {
    authenticate: bearerToken({ tokens: { ada: TOKEN, bob: `${TOKEN}-bob` }, scopes: { ada: ["docs"] } }),
    requiredScopes: ["docs"],
    maxFailures: 2,
    maxBodyBytes: 1000,
    maxStreams: 2,
  });
  const client = new HttpClient(served);
  const as = (token: string | undefined) => ({ authorization: token && `Bearer ${token}` });
  const ask = (fields: Record<string, string | undefined>, message: unknown = client.request("tools/list")) =>
    client.post(message as never, { ...as(TOKEN), ...fields });
  const listen = client.request("subscriptions/listen", { notifications: {} });
  const rows: [reason: string, status: number, send: () => Promise<{ status: number }>][] = [
    ["host", 403, () => ask({ host: "evil.example" })],
    ["host", 403, () => ask({ origin: "https://evil.example" })],
    ["no_credential", 401, () => ask(as(undefined))],
    ["credential", 401, () => ask(as(`${TOKEN}-eve`))],
    ["credential", 401, () => ask(as(`${TOKEN}-mallory`))],
    ["failures", 429, () => ask(as(`${TOKEN}-oscar`))],
    ["400", 400, () => served.send("POST", { ...as(TOKEN), "content-type": "application/json" }, "{")],
    ["404", 404, () => served.get("/made-up", as(TOKEN))],
    ["404", 404, () => served.get("/mcp/made-up", as(TOKEN))],
    ["405", 405, () => served.send("PUT", as(TOKEN), "{}")],
    ["406", 406, () => ask({ accept: "application/json" }, listen)],
    ["413", 413, () => ask({}, client.request("tools/list", { text: "x".repeat(2000) }))],
    ["415", 415, () => ask({ "content-type": "text/plain" })],
  ];
  // A credential that was accepted before is checked even after too many wrong ones.
  assert.equal((await ask({})).status, 200);
  const counts: Record<string, number> = {};
  for (const [reason, status, send] of rows) {
    assert.equal((await send()).status, status, reason);
    counts[reason] = (counts[reason] ?? 0) + 1;
    assert.deepEqual(Object.fromEntries(served.usage.refused), counts);
  }
  client.fields = as(TOKEN);
  const stream = await client.listen();
  await stream.take(1);
  assert.equal(served.usage.used.streams, 1);
  assert.equal((await ask({}, listen)).status, 429);
  assert.equal(served.usage.refused.get("streams"), 1);
  stream.socket.destroy();
  await until(
    "the stream is over",
    () => served.usage.used.streams === 0 && served.usage.used.requests === 0,
  );
});

test("http --metrics serves OpenMetrics text on a listener of its own", SIGNALS, async (t) => {
  const { program, served } = await startProgram(t, ["--metrics", "127.0.0.1:0"]);
  const client = new HttpClient(served);
  await client.ask("tools/list");
  await client.ask("tools/call", { name: "search_documents", arguments: { query: "text" } });
  const legacy = await served.client("2025-11-25");
  await served.get("/made-up");
  await until("the other URL is printed", () => /\/metrics\n/.test(program.errors));
  const metrics = peerAt(Number(/:(\d+)\/metrics/.exec(program.errors)![1]));
  const { status, headers, text } = await metrics.get("/metrics");
  assert.equal(status, 200);
  assert.equal(headers.get("content-type"), "application/openmetrics-text; version=1.0.0; charset=utf-8");
  const lines = text.split("\n");
  assert.deepEqual(lines.slice(-2), ["# EOF", ""]);
  const samples = lines.filter((line) => !line.startsWith("#"));
  const has = (pattern: RegExp) =>
    assert.ok(samples.some((line) => pattern.test(line)), `${pattern}\n${text}`);
  const name = "mcp_server_operation_duration_seconds";
  assert.ok(lines.includes(`# TYPE ${name} histogram`) && lines.includes(`# UNIT ${name} seconds`));
  has(/^target_info\{service_name="architrave",service_version="[\d.]+"\} 1$/);
  has(/_bucket\{mcp_method_name="tools\/list",mcp_protocol_version="2026-07-28",.*,le="300.0"\} 1$/);
  has(/_count\{mcp_method_name="tools\/call",.*gen_ai_tool_name="search_documents",.*\} 1$/);
  has(/_sum\{mcp_method_name="initialize",mcp_protocol_version="2025-11-25",.*\} [\d.e-]+$/);
  has(/^architrave_refused_requests_total\{reason="404"\} 1$/);
  for (
    const [gauge, value] of Object.entries({ sessions: 1, documents: 1, documents_bytes: 11, streams: 0 })
  ) {
    has(new RegExp(`^architrave_${gauge} ${value}$`));
  }
  await legacy.end();
  const after = (await metrics.get("/metrics")).text;
  assert.match(
    after,
    /\nmcp_server_session_duration_seconds_count\{mcp_protocol_version="2025-11-25",.*network_transport="tcp"\} 1\n/,
  );
  // Anything else is not here, and pages cannot read it.
  assert.equal((await metrics.get("/mcp")).status, 404);
  assert.equal((await metrics.send("POST", {}, "", "/metrics")).status, 404);
  assert.equal((await metrics.get("/metrics", { host: "evil.example" })).status, 403);
  assert.equal((await metrics.get("/metrics", { origin: "https://evil.example" })).status, 403);
  assert.equal((await served.get("/metrics")).status, 404);
  process.kill(program.child.pid!, "SIGTERM");
  assert.equal(await program.exited, 0);
});
