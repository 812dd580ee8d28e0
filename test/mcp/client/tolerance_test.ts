/** Faults of servers that the client works around with a warning, as other clients do. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import type { Client } from "../../../lib/mcp/client/mod.ts";
import { stopClock } from "../../harness/clock.ts";
import type { HttpCall, Received } from "../../harness/scripted_server.ts";
import {
  connected,
  DISCOVERY,
  ERAS,
  HANDSHAKE,
  openHttp,
  openUrl,
  ScriptedServer,
} from "../../harness/scripted_server.ts";

const RESULT = { tools: [{ name: "t", inputSchema: { type: "object" } }], content: [] };
const FAULT = { code: -32000, message: "backend down" };

/** A server over HTTP of each era. `answer` answers other requests. */
function open(t: TestContext, era: string, answer: (call: HttpCall) => void) {
  return openHttp(t, (call) => {
    const { method, message } = call;
    if (method === "GET") return call.fail(405);
    if (method === "DELETE" || message.id === undefined) return call.body(202);
    if (message.method === "server/discover" && era === "modern") return call.json(DISCOVERY);
    if (message.method === "server/discover") return call.fail(400);
    if (message.method === "initialize") return call.json(HANDSHAKE);
    answer(call);
  });
}

for (const [era, opening] of Object.entries(ERAS)) {
  test(`${era}: ids that come back as strings are accepted with one warning, over a stream and over HTTP`, async (t) => {
    const actions: ((client: Client) => Promise<unknown>)[] = [
      (client) => client.listToolsPaginated(),
      (client) => client.callTool("t"),
      (client) => client.call("x"),
      (client) => assert.rejects(client.call("fails"), /^RpcError: backend down$/),
      (client) => Promise.all([client.call("y"), client.call("z")]),
    ];
    const answerOf = ({ id, method }: Received) =>
      method === "fails" ? { id: String(id), error: FAULT } : { id: String(id), result: RESULT };
    const script = Object.fromEntries(
      ["tools/list", "tools/call", "x", "y", "z", "fails"].map((method) => [
        method,
        (request: Received, server: ScriptedServer) => server.send(answerOf(request)),
      ]),
    );
    const stringly = Object.fromEntries(
      Object.entries(opening).map(([method, make]) => [
        method,
        (request: Received, server: ScriptedServer) =>
          server.send({ id: String(request.id), result: make(request, server) }),
      ]),
    );
    const over = new ScriptedServer({ ...stringly, ...script });
    const streamed = (call: HttpCall) => call.events()({ message: answerOf(call.message) });
    const posted = (call: HttpCall) => call.body(200, { jsonrpc: "2.0", ...answerOf(call.message) });
    for (
      const { client, warnings } of [
        await connected(t, over.transport),
        await open(t, era, streamed),
        await open(t, era, posted),
      ]
    ) {
      for (const action of actions) await action(client);
      assert.match(warnings.join("|"), /^The server returns ids as strings: "\d" for \d$/);
    }
  });

  test(`${era}: a response with another id fails the request, with both ids`, async (t) => {
    const cases: [id: (own: number) => unknown, expected: RegExp][] = [
      [(own) => `${own}x`, /ended without the answer: it answers "(\d)x", not \1$/],
      [(own) => `0${own}`, /: it answers "0(\d)", not \1$/],
      [(own) => own + 1, /: it answers \d, not \d$/],
      [(own) => own + 0.5, /: it answers \d\.5, not \d$/],
      [(own) => [own], /: it answers \[(\d)\], not \1$/],
      [() => "\u001b[2J", /: it answers "\\u001b\[2J", not \d$/],
      [() => true, /: it answers true, not \d$/],
    ];
    for (const [id, expected] of cases) {
      const { client } = await open(t, era, (call) => {
        call.body(200, { jsonrpc: "2.0", id: id(Number(call.message.id)), result: {} });
      });
      await assert.rejects(client.call("x"), (cause) => expected.test((cause as Error).message));
    }
  });

  test(`${era}: what is not JSON in a stream of events is skipped with a warning`, async (t) => {
    const events = [
      "data: ping",
      "data: heartbeat",
      "event: message\ndata: connected",
      "data: [DONE]",
      "event: error\ndata: overloaded\u001b[2J",
      "data: {",
      "data: 2026-01-01",
    ];
    for (const event of events) {
      const { client, warnings } = await open(t, era, (call) => {
        call.response.writeHead(200, { "content-type": "text/event-stream" });
        const answer = JSON.stringify({ jsonrpc: "2.0", id: call.message.id, result: { done: 1 } });
        call.response.end(`${event}\n\ndata: ${answer}\n\n${event}\n\n`);
      });
      assert.equal((await client.call("x"))["done"], 1, event);
      assert.match(warnings.join("|"), /^The server sent an event that is not a message: "[ -~]+"$/, event);
    }
    const { client } = await open(t, era, (call) => {
      call.response.writeHead(200, { "content-type": "text/event-stream" }).end("data: ping\n\n");
    });
    await assert.rejects(client.call("x"), /^ProtocolError: The response to x ended without the answer$/);
  });

  test(`${era}: an error without an id is the answer of its HTTP request`, async (t) => {
    const stream = (event: string, error: object) => (call: HttpCall) => {
      call.response.writeHead(200, { "content-type": "text/event-stream" });
      call.response.end(`${event}data: ${JSON.stringify({ jsonrpc: "2.0", ...error })}\n\n`);
    };
    const answers: ((call: HttpCall) => void)[] = [
      (call) => call.body(200, { jsonrpc: "2.0", id: null, error: FAULT }),
      (call) => call.body(200, { jsonrpc: "2.0", error: FAULT }),
      (call) => call.body(400, { jsonrpc: "2.0", id: null, error: FAULT }),
      (call) => call.body(500, { jsonrpc: "2.0", error: FAULT }),
      stream("", { id: null, error: FAULT }),
      stream("event: message\n", { error: FAULT }),
      stream("event: error\n", { id: null, error: FAULT }),
    ];
    for (const [index, answer] of answers.entries()) {
      const { client } = await open(t, era, answer);
      await assert.rejects(client.call("x"), /^RpcError: backend down$/, String(index));
    }
  });

  test(`${era}: an error without an id over a stream is shown as a warning`, async (t) => {
    const server = new ScriptedServer({ ...opening, x: () => ({}) });
    const { client, warnings } = await connected(t, server.transport);
    server.send({ id: null, error: FAULT });
    server.send({ error: { code: -32700, message: "Parse error" } });
    server.send({ id: "other", result: {} });
    await client.call("x");
    assert.deepEqual(warnings, [
      "A response matches no request: backend down",
      "A response matches no request: Parse error",
      'A response matches no request: "other"',
    ]);
  });
}

test("retry: 0 of a server does not let a client reconnect more than once a second for long", async (t) => {
  const clock = stopClock(t);
  // What each connection sends before it ends.
  const sent = ["retry: 0\nid: 1\n\n", "id: 1\nretry: 00\ndata:\n\n", "retry: 1\nid: 7\n\n"];
  const note = `data: ${JSON.stringify({ jsonrpc: "2.0", method: "notifications/x" })}\n\n`;
  for (const text of [...sent, ...sent.map((one) => one + note)]) {
    let streams = 0;
    // deno-lint-ignore require-await -- so that an error rejects the promise
    const fetch = async (_: string, { method = "", body }: RequestInit) => {
      const { id, method: name } = body ? JSON.parse(String(body)) : {} as Received;
      if (name === "initialize") return Response.json({ jsonrpc: "2.0", id, result: HANDSHAKE });
      if (method === "DELETE" || (method === "POST" && id === undefined)) {
        return new Response(null, { status: 202 });
      }
      if (name === undefined && !body) streams++;
      return new Response(text, { headers: { "Content-Type": "text/event-stream" } });
    };
    const { client } = await openUrl(t, "http://example.invalid/mcp", { fetch, era: "legacy" });
    const before = streams;
    await assert.rejects(clock.until(client.call("x", {}, { timeoutMs: 9000 })), { name: "TimeoutError" });
    // The stream of server-initiated messages and that of the response.
    assert.ok(streams - before < 2 * 14, `${streams - before} connections in 9 s`);
    await client.close();
  }
});
