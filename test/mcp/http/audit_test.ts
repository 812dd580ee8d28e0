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
    const { time, ms, bytes, session, ...rest } = entries.shift()!;
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
  assert.match(refused.client, /^127\.0\.0\.1:\d+$/);
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
