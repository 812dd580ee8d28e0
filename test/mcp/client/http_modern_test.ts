/** The HTTP transport in the modern era, and before the era is known. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { inspect, promisify } from "node:util";
import type { ClientOptions, HttpOptions } from "../../../lib/mcp/client/mod.ts";
import { connect, ConnectError, HttpError, httpTransport } from "../../../lib/mcp/client/mod.ts";
import { makeFolder } from "../../harness/folder.ts";
import { command, IS_COMPLETE, ON_DENO } from "../../harness/program.ts";
import type { HttpCall, HttpHandler } from "../../harness/scripted_server.ts";
import {
  all,
  DISCOVERY,
  HANDSHAKE,
  INFO,
  openHttp,
  openUrl,
  serveHttp,
} from "../../harness/scripted_server.ts";

/** A client of a modern server. */
function open(t: TestContext, handler: HttpHandler, options: Partial<ClientOptions> & HttpOptions = {}) {
  const discover = ({ message }: HttpCall) => message.method === "server/discover";
  return openHttp(t, (call) => discover(call) ? call.json(DISCOVERY) : handler(call), options);
}

/** Accepts a subscription with its whole filter. */
function acknowledge(call: HttpCall) {
  const { id, params } = call.message;
  const send = call.events();
  const notify = (method: string, more: object) => {
    const _meta = { "io.modelcontextprotocol/subscriptionId": id };
    send({ message: { method: `notifications/${method}`, params: { _meta, ...more } } });
  };
  notify("subscriptions/acknowledged", { notifications: params.notifications });
  return notify;
}

test("every request has the header fields that its body and the options require", async (t) => {
  let token = 0;
  const seen: string[] = [];
  const { client, server } = await open(t, (call) => call.json({ tools: [] }), {
    headers: () => ({ Authorization: `Bearer ${++token}` }),
    fetch: (url, init) => {
      seen.push(`${init.method} ${new URL(url).pathname}`);
      return fetch(url, init);
    },
  });
  const sent: [method: string, params: object, name: string | undefined][] = [
    ["tools/list", { name: "x" }, undefined],
    ["tools/call", { name: "größe" }, "=?base64?Z3LDtsOfZQ==?="],
    ["resources/read", { uri: "file:///a" }, "file:///a"],
    ["prompts/get", { name: "" }, ""],
  ];
  for (const [method, params, name] of sent) {
    await client.call(method, { ...params });
    const { headers } = server.calls.at(-1)!;
    const expected = {
      "mcp-method": method,
      "mcp-name": name,
      "authorization": `Bearer ${token}`,
      "mcp-protocol-version": "2026-07-28",
      "accept": "application/json, text/event-stream",
      "mcp-session-id": undefined,
    };
    for (const [field, value] of Object.entries(expected)) assert.equal(headers[field], value, field);
  }
  await client.close();
  assert.deepEqual(seen, Array(token).fill("POST /mcp"), "there is neither a stream nor a session");
});

test("marked arguments are repeated in header fields, and a tool with an invalid mark is left out", async (t) => {
  const mark = (type: string, header: unknown) => ({ type, "x-mcp-header": header });
  const schema = (properties: object) => ({ type: "object", properties });
  const schemas = [
    schema({
      region: mark("string", "Region"),
      inner: schema({ deep: mark("integer", "Deep") }),
      flag: mark("boolean", "Flag"),
      // A parameter may have the name of the keyword.
      "x-mcp-header": { type: "string", default: { "x-mcp-header": "" } },
    }),
    schema({ a: mark("string", "a b") }),
    schema({ a: mark("string", "A"), b: mark("string", "a") }),
  ];
  const tools = schemas.map((inputSchema, index) => ({ name: `t${index}`, inputSchema }));
  const { client, server, warnings } = await open(t, (call) => call.json({ tools, content: [] }));
  assert.deepEqual((await client.listToolsPaginated()).tools.map(({ name }) => name), ["t0"]);
  assert.equal(warnings.filter((text) => /"t[12]" is left out: x-mcp-header/.test(text)).length, 2);
  await assert.rejects(client.callTool("t1", { a: "x" }), /Cannot call the tool "t1"/);
  const calls: [args: object, fields: Record<string, string>][] = [
    [{ region: "x y", inner: { deep: -7 }, flag: false }, { region: "x y", deep: "-7", flag: "false" }],
    [{ region: null, inner: [] }, {}],
    [{ region: {}, inner: { deep: 2 ** 53 }, toString: 1 }, {}],
  ];
  for (const [args, expected] of calls) {
    await client.callTool("t0", { ...args });
    const sent = Object.entries(server.calls.at(-1)!.headers).filter(([name]) =>
      name.startsWith("mcp-param-")
    );
    assert.deepEqual(Object.fromEntries(sent.map(([name, value]) => [name.slice(10), value])), expected);
  }
});

test("a tool that requires other header fields than it was listed with is looked up again", async (t) => {
  let version = 1;
  const { client, server } = await open(t, (call) => {
    const properties = { a: { type: "string", "x-mcp-header": `V${version}` } };
    const tools = [{ name: "t", inputSchema: { type: "object", properties } }];
    if (call.message.method === "tools/list") return call.json({ tools });
    if (call.headers["mcp-param-v2"] !== undefined) return call.json({ content: [] });
    version = 2;
    call.fail(400, { code: -32020, message: "Header mismatch" }, call.message.id);
  });
  await client.callTool("t", { a: "x" });
  assert.equal(server.of("tools/list").length, 2);
});

test("a response may be a stream: messages are read up to the answer, and nothing after it", async (t) => {
  const { client, warnings } = await open(t, (call) => {
    const { id, params: { _meta: { progressToken } } } = call.message;
    const send = call.events();
    for (const progress of [1, 2]) {
      send({ message: { method: "notifications/progress", params: { progressToken, progress } } });
    }
    call.response.write(": keep-alive\r\n\r\n");
    send({ message: { id, result: { done: true } } });
    // It never ends.
  });
  const reports: number[] = [];
  const onprogress = ({ progress }: { progress: number }) => {
    if (reports.push(progress) > 1) throw new Error("a fault of the caller");
    return reports.length;
  };
  assert.equal((await client.call("work", {}, { onprogress }))["done"], true);
  assert.deepEqual([reports, warnings], [[1, 2], ["a fault of the caller"]]);
});

test("a request is cancelled by closing its connection, without a notification", async (t) => {
  const { client, server } = await open(t, (call) => call.events());
  const coming = server.next(({ message }) => message.method === "slow");
  const controller = new AbortController();
  const result = client.call("slow", {}, { signal: controller.signal });
  const { closed } = await coming;
  controller.abort(new Error("enough"));
  await assert.rejects(result, /enough/);
  await closed;
  assert.deepEqual(server.of("notifications/cancelled"), []);
});

test("a subscription whose connection breaks is opened again, and everything may have changed", async (t) => {
  const { client, server } = await open(t, (call) => {
    const notify = acknowledge(call);
    if (server.of("subscriptions/listen").length > 1) return;
    notify("resources/updated", { uri: "x:a" });
    setTimeout(() => call.response.destroy(), 20);
  });
  const changes = await all(await client.listen({ tools: true, uris: ["x:a"] }), 3);
  const resource = { type: "resource", uri: "x:a" };
  assert.deepEqual(changes, [resource, { type: "tools" }, resource]);
  assert.equal(server.of("subscriptions/listen").length, 2);
  await server.calls.at(-1)!.closed;
});

for (const isClosed of [false, true]) {
  const end = isClosed
    ? "when the client is closed meanwhile"
    : "with a TimeoutError when it is not opened again";
  test(`a subscription whose connection breaks ends ${end}`, async (t) => {
    const { client, server } = await open(t, (call) => {
      if (server.of("subscriptions/listen").length > 1) return void call.events();
      acknowledge(call);
      setTimeout(() => call.response.destroy(), 20);
    }, { timeoutMs: isClosed ? 60_000 : 1000 });
    const changes = all(await client.listen({ tools: true }));
    if (!isClosed) return await assert.rejects(changes, /did not answer subscriptions\/listen in 1000 ms/);
    await server.calls.at(-1)!.closed;
    await client.close();
    assert.deepEqual(await changes, []);
  });
}

const HTML = { "Content-Type": "text/html" };
const EVENTS = { "Content-Type": "text/event-stream" };
/** Starts an answer, and closes the connection before its end. */
function breakOff({ response }: HttpCall, headers: object, start: string): void {
  response.writeHead(200, { "Content-Type": "application/json", ...headers }).write(start);
  setTimeout(() => response.destroy(), 20);
}
const ok = (text: string, headers = {}): HttpHandler => (call) => call.body(200, text, headers);
const MALFORMED: [answer: HttpHandler, expected: RegExp][] = [
  [(call) => call.fail(401), /^HttpError: .*status 401; it needs other credentials/],
  [(call) => call.fail(404), /^HttpError: .*status 404; check that the URL is an MCP endpoint/],
  [(call) => call.body(500, '{"error":{}}'), /^HttpError: .*status 500 and said: {"error":{}}/],
  [(call) => call.body(500, "<b>oh no</b>", HTML), /^HttpError: .*status 500 and said: <b>oh no<\/b>/],
  [(call) => call.response.writeHead(202).end(), /^ProtocolError: .*with no content .*\(status 202\)/],
  [ok("x", HTML), /^ProtocolError: .*"text\/html"/],
  [ok("{"), /^ProtocolError: .*not valid JSON/],
  [ok(`{"a":[${"0,".repeat(4_000_000)}0]}`), /^ProtocolError: .*more than 4000000 values/],
  [ok(`{"a":"${'\\",'.repeat(5_000_000)}"}`), /^ProtocolError: .*ended without the answer/],
  [ok('{"id":"x","result":{}}'), /^ProtocolError: .*ended without the answer/],
  [ok("", EVENTS), /^ProtocolError: .*ended without the answer/],
  [(call) => call.response.destroy(), /^TransportError: Cannot reach http/],
  [(call) => breakOff(call, {}, '{"jsonrpc":'), /^TransportError: The connection broke: ./],
  [(call) => breakOff(call, EVENTS, ": x\n\n"), /^TransportError: The connection broke: ./],
  [(call) => call.fail(400, { code: 1, message: "no" }, call.message.id), /^RpcError: no$/],
  [(call) => call.fail(404, { code: 1, message: "no" }), /^RpcError: no$/],
  [
    (call) => call.body(200, `{"jsonrpc":"2.0","id":${call.message.id},"result":{"x":1,"x":2}}`),
    /^RpcError: .*a member name occurs twice/,
  ],
];
test("call() rejects with a reason and a hint when the response is not a result", async (t) => {
  let answer: HttpHandler;
  const { client } = await open(t, (call) => answer(call));
  for (const [next, expected] of MALFORMED) {
    answer = next;
    await assert.rejects(client.call("x"), expected);
  }
});

test("redirects within the origin are followed, with the method and the body; nothing is sent to another origin", async (t) => {
  const other = await serveHttp(t, (call) => call.json({}));
  const { client, server } = await open(t, (call) => {
    const { path, headers: { authorization }, message: { params } } = call;
    if (path === "/moved") return call.json({ authorization, status: params.status });
    call.response.writeHead(params.status, { Location: params.to ?? other.url }).end();
  }, { headers: { Authorization: "secret" } });
  for (const status of [301, 302, 307, 308]) {
    const { authorization, status: sent } = await client.call("x", { status, to: "/moved" });
    assert.deepEqual([authorization, sent], ["secret", status]);
  }
  for (const [status, to, requests] of [[303, "/moved", 1], [307, undefined, 1], [307, "/mcp", 4]] as const) {
    server.calls.length = 0;
    await assert.rejects(client.call("x", { status, to }), new RegExp(`redirects to ${to ?? "http"}`));
    assert.equal(server.calls.length, requests);
  }
  assert.equal(other.calls.length, 0);
});

const MEGABYTE = "x".repeat(1024 * 1024);
const FLOODS: [name: string, headers: object, start: string, filler: string][] = [
  ["JSON", {}, '{"jsonrpc":"2.0","id":"', MEGABYTE],
  ["one event", EVENTS, "data: ", MEGABYTE],
  ["empty lines", EVENTS, "", "data\n".repeat(200_000)],
  ["comments", EVENTS, "", ": x\n\n".repeat(200_000)],
];
for (const [name, headers, start, filler] of IS_COMPLETE ? FLOODS : FLOODS.slice(0, 2)) {
  test(`a response of more than 64 MiB is given up: ${name}`, async (t) => {
    const { client, server } = await open(t, ({ response }) => {
      const flood = () => {
        while (!response.closed && response.write(filler));
        if (!response.closed) response.once("drain", flood);
      };
      response.writeHead(200, { "Content-Type": "application/json", ...headers }).write(start);
      flood();
    });
    await assert.rejects(client.call("x"), /more than 67108864/);
    await server.calls.at(-1)!.closed;
  });
}

test("connect() rejects with one sentence without secrets, and calls for header fields once", async (t) => {
  const { url, calls } = await serveHttp(t, ({ response }) => {
    response.writeHead(302, { Location: "https://b.example/login?token=secret" }).end();
  });
  const failing = (url: string) => Promise.reject(new TypeError(`error sending request for url (${url})`));
  let asks = 0;
  const asked = (make: () => Record<string, string>): HttpOptions => ({ headers: () => (asks++, make()) });
  const lost = () => assert.fail("the token could not be refreshed");
  const cases: [url: string, expected: RegExp, options?: HttpOptions][] = [
    ["ftp://a.example", /must begin with http/],
    ["nonsense", /must begin with http/],
    ["https://user:secret@a.example", /credentials in the address/],
    ["htps://user:secret@a.example/mcp?token=secret", /mcp\?…": it must begin with http/],
    ["http://127.0.0.1:9/mcp?token=secret", /Cannot reach http:\/\/127\.0\.0\.1:9\/mcp\?…: /],
    ["http://a.example/mcp?token=(secret)'", /Cannot reach .*\?…: .*\?…/, { fetch: failing }],
    ["http://a.example/mcp?token=secret", /Cannot (?:reach|send to) .*\?…: /, { headers: { a: "\n\u{1}" } }],
    [`${url}?token=secret`, /\?… redirects to https:\/\/b\.example\/login\?…/],
    [url, /the function for the header fields failed: the token could not be refreshed/, asked(lost)],
    [url, /cannot be sent, such as a line break/, asked(() => ({ Authorization: "Bearer secret\nsecret" }))],
  ];
  for (const [index, [url, expected, options]] of cases.entries()) {
    const attempt = async () => await connect(httpTransport(url, options), { info: INFO, eras: new Map() });
    await assert.rejects(attempt, (cause) => {
      assert.match(String(cause), expected);
      assert.doesNotMatch(String(cause), /secret/);
      assert.doesNotMatch(inspect(cause), /Bearer/);
      return cause instanceof ConnectError;
    });
    assert.equal(asks, Math.max(0, index - 7));
  }
  assert.throws(() => httpTransport("nonsense"), ConnectError);
  assert.equal(calls.length, 1);
});

test("connect() ends at 401 and 403, and starts a handshake after any other status", async (t) => {
  let [status, error]: [number, object | undefined] = [0, undefined];
  const { url, calls } = await serveHttp(t, (call) => {
    if (status === 401 || status === 403) return call.fail(status, error);
    if (call.method === "GET") return call.fail(405);
    if (call.message.method === "initialize") return call.json(HANDSHAKE);
    if (call.message.id === undefined) return call.body(202);
    call.fail(status, error);
  });
  for (error of [undefined, { code: -32000, message: "Bad Request" }]) {
    for (status of [400, 404, 405, 500]) {
      const { client } = await openUrl(t, url);
      assert.equal(client.era, "legacy");
      await client.close();
      // There is no session to delete.
      assert.ok(calls.every(({ method }) => method !== "DELETE"));
    }
    for (status of [401, 403]) {
      calls.length = 0;
      await assert.rejects(openUrl(t, url), ({ message, cause }) => {
        assert.match(message, /credentials/);
        return cause instanceof HttpError && cause.status === status;
      });
      assert.equal(calls.length, 1);
    }
  }
});

const BRIEF = `
import process from "node:process";
import { setTimeout } from "node:timers";
import { connect, httpTransport } from "${new URL("../../../lib/mcp/client/mod.ts", import.meta.url)}";
const fetch = async (_, { body }) =>
  Response.json({ jsonrpc: "2.0", id: JSON.parse(body).id, result: ${JSON.stringify(DISCOVERY)} });
const transport = httpTransport("http://example.invalid/mcp", { fetch });
const client = await connect(transport, { info: { name: "brief", version: "1" } });
await client.close();
process.stdout.write("closed\\n");
setTimeout(() => process.stdout.write("and still there\\n"), 1000).unref();`;

test("a program exits when it has closed its client", async (t) => {
  const [file, args] = command([], {
    module: `${makeFolder(t, { "brief.mjs": BRIEF })}/brief.mjs`,
    runtimeFlags: ON_DENO ? ["-A", "--no-check"] : ["--experimental-strip-types", "--no-warnings"],
  });
  assert.equal((await promisify(execFile)(file, args)).stdout, "closed\n");
});
