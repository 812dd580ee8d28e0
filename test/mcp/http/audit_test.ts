/** The audit log. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuditEntry } from "../../../lib/mcp/http/mod.ts";
import { bearerToken } from "../../../lib/mcp/http/mod.ts";
import { until } from "../../harness/process.ts";
import { HttpClient } from "../../harness/http_client.ts";
import { serve } from "../../harness/http_server.ts";

const SECRET = "the-secret-that-is-in-no-log";
const TOKENS = { ada: `0123456789abcdef-${SECRET}` };
const ADA = { authorization: `Bearer ${TOKENS.ada}` };

async function start(t: Parameters<typeof serve>[0]) {
  const entries: AuditEntry[] = [];
  const served = await serve(t, {
    authenticate: bearerToken({ tokens: TOKENS }),
    onaudit: (entry) => void entries.push(entry),
  }, { scopes: { tools: { wait: ["wait"] } } });
  const wait = () => until("there is an entry", () => entries.length > 0);
  /** The next entry, without what differs each time. */
  const next = async () => {
    await wait();
    const { time, ms, bytes, session, address, id, revision, clientName, ...rest } = entries.shift()!;
    assert.equal(address, "127.0.0.1");
    assert.ok(clientName === undefined || clientName === "test");
    assert.ok(revision === undefined || /^20\d\d-\d\d-\d\d$/.test(revision));
    assert.ok(["undefined", "string", "number"].includes(typeof id));
    assert.ok(Math.abs(Date.parse(time) - Date.now()) < 60_000);
    assert.ok(Number.isInteger(ms) && ms >= 0 && bytes >= 0);
    return { ...rest, ...session === undefined ? {} : { session: "S" } };
  };
  const modern = new HttpClient(served);
  modern.fields = ADA;
  return { served, modern, entries, wait, next };
}

test("each request has an entry that says who asked for what, and the outcome", async (t) => {
  const { served, modern, entries, wait, next } = await start(t);
  const text = { text: SECRET };
  const client = "ada";
  const rows: [method: string, params: object, entry: object][] = [
    ["tools/call", { name: "echo", arguments: text }, { target: "echo", status: 200 }],
    ["tools/call", { name: "nothing", arguments: text }, { target: "nothing", status: 200, code: -32602 }],
    ["tools/call", { name: "wait" }, { target: "wait", status: 403, code: -32600 }],
    ["resources/read", { uri: "test://a" }, { target: "test://a", status: 200 }],
    ["prompts/get", { name: "p", arguments: text }, { target: "p", status: 200, code: -32602 }],
    ["server/discover", {}, { status: 200 }],
    ["nothing", text, { status: 404, code: -32601 }],
  ];
  for (const [method, params, entry] of rows) {
    const answered = await modern.post(modern.request(method, params));
    await wait();
    assert.equal(`${entries[0]!.bytes}`, answered.headers.get("content-length"), method);
    assert.deepEqual(await next(), { client, method, ...entry });
  }
  // Refused before the server handles it.
  const json = { accept: "application/json" };
  await modern.post(modern.request("subscriptions/listen", { notifications: {} }), json);
  assert.deepEqual(await next(), { client, method: "subscriptions/listen", status: 406, code: -32600 });
  await modern.post(modern.request("tools/list"), { authorization: `Bearer ${TOKENS.ada}x` });
  const refused = await next();
  assert.equal(refused.client, "127.0.0.1");
  assert.deepEqual({ ...refused, client }, { client, method: "POST", target: "/mcp", status: 401 });
  await served.get(`/other?token=${SECRET}`, ADA);
  assert.deepEqual({ ...await next(), client }, { client, method: "GET", target: "/other", status: 404 });
  await served.get("/healthz");
  await served.send("POST", { ...ADA, "content-type": "application/json" }, "{");
  assert.deepEqual(await next(), { client, method: "POST", target: "/mcp", status: 400 });
  assert.deepEqual(entries, []);
});

test("sessions are named by their id, and each message of a batch has an entry", async (t) => {
  const { served, entries, next } = await start(t);
  const legacy = new HttpClient(served, "2025-03-26");
  legacy.fields = ADA;
  await legacy.start();
  const client = "ada", session = "S";
  assert.deepEqual(await next(), { client, method: "initialize", status: 200 });
  assert.deepEqual(await next(), { client, session, method: "notifications/initialized", status: 202 });
  await legacy.post([
    legacy.request("ping", {}, 7),
    legacy.request("tools/call", { name: "none" }, 8),
    { jsonrpc: "2.0", method: "notifications/cancelled" },
  ]);
  await until("there are three", () => entries.length === 3);
  assert.ok(entries.every((entry) => !legacy.session!.includes(entry.session!)));
  assert.deepEqual([await next(), await next(), await next()], [
    { client, session, method: "ping", status: 200 },
    { client, session, method: "tools/call", target: "none", status: 200, code: -32602 },
    { client, session, method: "notifications/cancelled", status: 200 },
  ]);
  const notices = await legacy.listen();
  notices.socket.destroy();
  assert.deepEqual(await next(), { client, session, method: "GET", target: "/mcp", status: 200 });
  await legacy.end();
  assert.deepEqual(await next(), { client, session, method: "DELETE", target: "/mcp", status: 204 });
});

test("an entry is short, whatever is sent, and made when the response is complete, for each message up to 100", async (t) => {
  const { served, modern, entries, wait, next } = await start(t);
  const named = modern.request("tools/call", { name: "n".repeat(100_000), ref: { name: 7 } });
  await modern.post(named, { "mcp-name": "n".repeat(4000) });
  await wait();
  assert.ok(JSON.stringify(entries[0]).length < 1000);
  await next();
  const stream = await modern.listen();
  await stream.take(1);
  assert.equal(entries.length, 0);
  stream.socket.destroy();
  assert.deepEqual(await next(), { client: "ada", method: "subscriptions/listen", status: 200 });
  const wrong = { toString: 1 };
  const fields = { "mcp-method": undefined };
  await modern.post({ jsonrpc: "2.0", id: 1, method: wrong, params: { name: wrong } }, fields);
  assert.deepEqual(await next(), { client: "ada", method: "response", status: 400, code: -32600 });
  await modern.post(Array.from({ length: 1000 }, () => ({})));
  await wait();
  assert.equal(entries.splice(0).length, 100);
  const text = "ü".repeat(100_000);
  const long = await modern.post(modern.request("tools/call", { name: "echo", arguments: { text } }));
  await wait();
  assert.equal(entries[0]!.bytes, Number(long.headers.get("content-length")));
  assert.deepEqual(served.failures, []);
});

test("an entry has the id of the request, the revision, the address without a port, and the client's name", async (t) => {
  const { served, modern, entries, wait } = await start(t);
  const entry = async () => {
    await wait();
    const { id, revision, address, clientName } = entries.shift()!;
    return [id, revision, address, clientName];
  };
  await modern.post(modern.request("tools/list", {}, 41));
  assert.deepEqual(await entry(), [41, "2026-07-28", "127.0.0.1", "test"]);
  await modern.post(modern.request("tools/list", {}, "i".repeat(1000)));
  const [long] = await entry();
  assert.ok((long as string).length <= 301 && /^i+…$/.test(long as string));
  // Nothing is known of a request that is refused before it is read.
  await modern.post(modern.request("tools/list"), { authorization: undefined });
  assert.deepEqual(await entry(), [undefined, undefined, "127.0.0.1", undefined]);
  for (const version of ["2024-11-05", "2025-06-18", "2025-11-25"]) {
    const legacy = new HttpClient(served, version);
    legacy.fields = ADA;
    await legacy.start();
    assert.deepEqual(await entry(), [0, version, "127.0.0.1", "test"]);
    await entry();
    await legacy.post(legacy.request("ping", {}, 0));
    assert.deepEqual(await entry(), [0, version, "127.0.0.1", "test"]);
  }
});

const PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const OTHER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";

test("a trace comes from _meta or the header, and what is malformed is left out", async (t) => {
  const { modern, entries, wait } = await start(t);
  const state = "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE", baggage = "userId=alice,serverNode=DF%2028;a=b";
  const rows: [meta: Record<string, unknown>, header: Record<string, string>, trace: object][] = [
    [{}, {}, {}],
    [{ traceparent: PARENT }, {}, { traceparent: PARENT }],
    [{ traceparent: PARENT, tracestate: state, baggage }, {}, {
      traceparent: PARENT,
      tracestate: state,
      baggage,
    }],
    [{}, { traceparent: PARENT, tracestate: state, baggage }, {
      traceparent: PARENT,
      tracestate: state,
      baggage,
    }],
    // The message counts, not the HTTP request that carries it; and both are not mixed.
    [{ traceparent: PARENT }, { traceparent: OTHER, tracestate: state }, { traceparent: PARENT }],
    [{ baggage }, {}, { baggage }],
    [{ tracestate: state }, {}, {}],
    [{ traceparent: "x", tracestate: state, baggage }, {}, { baggage }],
    ...[
      PARENT.toUpperCase(),
      ` ${PARENT}`,
      `${PARENT}\n`,
      `${PARENT}-more`,
      PARENT.replace(/^00/, "ff"),
      PARENT.replace(/-4bf9\w+-/, `-${"0".repeat(32)}-`),
      PARENT.replace(/-00f0\w+-/, `-${"0".repeat(16)}-`),
      "0".repeat(100_000),
      7,
      null,
      [PARENT],
      { traceparent: PARENT },
    ].map((traceparent): [object, object, object] => [{ traceparent }, {}, {}]),
    ...[
      "a",
      "=b",
      "a=b,",
      "a=b\nc=d",
      "a=\u001b[2J",
      "a=ü",
      `a=${"b".repeat(9000)}`,
      ",".repeat(9000),
      7,
      null,
    ].map((
      baggage,
    ): [object, object, object] => [{ traceparent: PARENT, baggage, tracestate: baggage }, {}, {
      traceparent: PARENT,
    }]),
  ] as never;
  for (const [meta, header, trace] of rows) {
    const { params, ...request } = modern.request("tools/list") as unknown as { params: { _meta: object } };
    const message = { ...request, params: { ...params, _meta: { ...params._meta, ...meta } } };
    assert.equal((await modern.post(message, header)).status, 200);
    await wait();
    const { traceparent, tracestate, baggage } = entries.shift()!;
    const found = Object.entries({ traceparent, tracestate, baggage }).filter(([, text]) =>
      text !== undefined
    );
    assert.deepEqual(Object.fromEntries(found), trace, JSON.stringify(meta).slice(0, 200));
  }
  const { params, ...request } = modern.request("tools/list") as unknown as { params: { _meta: object } };
  const long = `a=${"b".repeat(5000)}`;
  await modern.post({ ...request, params: { ...params, _meta: { ...params._meta, baggage: long } } });
  await wait();
  assert.equal(entries.shift()!.baggage!.length, 301);
});
