/** Is a request that states its own terms answered as 2026-07-28 says, down to the status and the fields? */

import assert from "node:assert/strict";
import { test } from "node:test";
import { modern } from "../harness/program.ts";
import { HttpClient, MODERN, serve, untilTrue } from "./client.ts";
import { open, requestOf } from "./raw.ts";

type Failure = {
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
};
const codeOf = (answer: unknown) => (answer as Failure).error?.code;

test("a request is answered with JSON, and nothing in the head says more than it must", async (t) => {
  const client = new HttpClient(await serve(t));
  const answered = await client.post(client.request("resources/read", { uri: "test://a" }));
  assert.equal(answered.status, 200);
  assert.equal(answered.headers.get("content-type"), "application/json");
  assert.equal(answered.headers.get("cache-control"), "no-store");
  assert.equal(answered.headers.has("mcp-session-id"), false);
  assert.equal(answered.headers.has("access-control-allow-origin"), false);
  assert.equal(answered.headers.has("server"), false);
  const { result } = answered.json as { result: { contents: { text: string }[]; resultType: string } };
  assert.equal(result.contents[0]!.text, "Grüße");
  assert.equal(result.resultType, "complete");
});

test("what is told before the answer makes it a stream that ends with the answer", async (t) => {
  const client = new HttpClient(await serve(t));
  const params = modern({ name: "steps" }) as { _meta: object };
  const answered = await client.post({
    ...client.request("tools/call"),
    params: { ...params, _meta: { ...params._meta, progressToken: "p" } },
  }, { "mcp-name": "steps" });
  assert.equal(answered.status, 200);
  assert.equal(answered.headers.get("content-type"), "text/event-stream");
  assert.equal(answered.headers.get("x-accel-buffering"), "no");
  const messages = answered.messages();
  assert.ok(messages.length >= 2);
  for (const notice of messages.slice(0, -1)) assert.equal(notice["method"], "notifications/progress");
  assert.equal((messages.at(-1) as { id: number }).id, 1);
  for (const event of answered.events()) {
    assert.deepEqual(Object.keys(event), ["event", "data"], "no id: nobody can resume");
  }
});

test("a client that reads only streams gets one, and one that reads only JSON is told nothing before", async (t) => {
  const client = new HttpClient(await serve(t));
  const stream = await client.post(client.request("resources/list"), { accept: "text/event-stream" });
  assert.equal(stream.headers.get("content-type"), "text/event-stream");
  assert.equal(stream.messages().length, 1);
  const params = modern({ name: "steps" }) as { _meta: object };
  const json = await client.post({
    ...client.request("tools/call"),
    params: { ...params, _meta: { ...params._meta, progressToken: "p" } },
  }, { "mcp-name": "steps", accept: "application/json" });
  assert.equal(json.headers.get("content-type"), "application/json");
});

test("every mistake in the head has its status and its code", async (t) => {
  const served = await serve(t);
  const client = new HttpClient(served);
  const read = client.request("resources/read", { uri: "test://a" });
  const list = client.request("resources/list");
  const old = { jsonrpc: "2.0", id: 1, method: "resources/list", params: modern({}, "1900-01-01") };
  const rows: [string, object, Record<string, string | undefined>, number, number | undefined][] = [
    ["no version", list, { "mcp-protocol-version": undefined }, 400, -32020],
    ["another version", list, { "mcp-protocol-version": "2025-11-25" }, 400, -32020],
    ["an unknown version in both", old, { "mcp-protocol-version": "1900-01-01" }, 400, -32022],
    ["an unknown version in the body", old, {}, 400, -32020],
    ["no method", list, { "mcp-method": undefined }, 400, -32020],
    ["another method", list, { "mcp-method": "resources/read" }, 400, -32020],
    ["a method in capitals", list, { "mcp-method": "Resources/List" }, 400, -32020],
    ["no name", read, { "mcp-name": undefined }, 400, -32020],
    ["another name", read, { "mcp-name": "test://b" }, 400, -32020],
    ["a name that came twice", read, { "mcp-name": "test://a", "Mcp-Name": "test://a" }, 400, -32020],
    ["a name in Base64", read, { "mcp-name": `=?base64?${btoa("test://a")}?=` }, 200, undefined],
    ["another name in Base64", read, { "mcp-name": `=?base64?${btoa("test://b")}?=` }, 400, -32020],
    ["a name in Base64 without its padding", read, { "mcp-name": "=?base64?dGVzdDovL2E?=" }, 400, -32020],
    ["a name in no Base64", read, { "mcp-name": "=?base64?%%%?=" }, 400, -32020],
    ["a name that is no UTF-8", read, { "mcp-name": "=?base64?/w==?=" }, 400, -32020],
    ["a name with other bytes", read, { "mcp-name": "test://\xe4" }, 400, -32020],
    ["a method that nobody knows", client.request("no/such"), {}, 404, -32601],
    [
      "no capabilities",
      {
        jsonrpc: "2.0",
        id: 1,
        method: "resources/list",
        params: { _meta: { "io.modelcontextprotocol/protocolVersion": MODERN } },
      },
      {},
      400,
      -32602,
    ],
    ["nothing stated in the body", { jsonrpc: "2.0", id: 1, method: "resources/list" }, {}, 400, -32602],
    ["a resource that is not there", client.request("resources/read", { uri: "test://b" }), {}, 200, -32602],
    ["a tool that is not there", client.request("tools/call", { name: "none" }), {}, 200, -32602],
    ["initialize", client.request("initialize"), {}, 404, -32601],
    ["ping", client.request("ping"), {}, 404, -32601],
    [
      "a session that is none of its business",
      list,
      { "mcp-session-id": "made up", "last-event-id": "7" },
      200,
      undefined,
    ],
  ];
  for (const [name, message, fields, status, code] of rows) {
    const answered = await client.post(message, fields);
    assert.equal(answered.status, status, `${name}: ${answered.body}`);
    assert.equal(codeOf(answered.json), code, name);
    assert.equal(answered.json["id"], (message as { id: number }).id, name);
    assert.equal(answered.headers.has("mcp-session-id"), false, name);
  }
  assert.deepEqual(served.failures, []);
});

test("a tool can have its arguments repeated in the head, and they must be the same there", async (t) => {
  const client = new HttpClient(await serve(t));
  const rows: [string, object, Record<string, string>, number][] = [
    ["as they are", { region: "eu", size: 3 }, { "mcp-param-region": "eu", "mcp-param-size": "3" }, 200],
    ["a number in another spelling", { size: 42 }, { "Mcp-Param-Size": "42.0" }, 200],
    ["a number that is none", { size: 42 }, { "Mcp-Param-Size": "0x2a" }, 400],
    ["in Base64", { region: "Größe" }, { "mcp-param-region": "=?base64?R3LDtsOfZQ==?=" }, 200],
    ["deep down", { deep: { flag: true } }, { "mcp-param-flag": "true" }, 200],
    ["deep down, another", { deep: { flag: true } }, { "mcp-param-flag": "false" }, 400],
    ["missing", { region: "eu" }, {}, 400],
    ["another", { region: "eu" }, { "mcp-param-region": "us" }, 400],
    ["one that is not in the arguments", {}, { "mcp-param-region": "us" }, 400],
    ["one that no tool knows", {}, { "mcp-param-other": "us" }, 200],
    ["no UTF-8", { region: "\u00ff" }, { "mcp-param-region": "=?base64?/w==?=" }, 400],
  ];
  for (const [name, args, fields, status] of rows) {
    const answered = await client.post(
      client.request("tools/call", { name: "region", arguments: args }),
      fields,
    );
    assert.equal(answered.status, status, `${name}: ${answered.body}`);
    assert.equal(codeOf(answered.json), status === 200 ? undefined : -32020, name);
  }
});

test("a notification is taken with 202 and no body", async (t) => {
  const client = new HttpClient(await serve(t));
  const answered = await client.post({
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId: 1 },
  });
  assert.equal(answered.status, 202);
  assert.equal(answered.body, "");
});

test("GET, DELETE and everything else are 405, with or without a session that cannot be", async (t) => {
  const served = await serve(t);
  for (const method of ["GET", "DELETE", "PUT", "PATCH", "HEAD", "OPTIONS"]) {
    const answered = await served.send(method, {
      accept: "text/event-stream",
      "mcp-protocol-version": MODERN,
    });
    assert.equal(answered.status, 405, method);
    assert.equal(answered.headers.get("allow"), "POST", method);
  }
});

test("a stream of changes begins with what it tells of, tells it, and ends with the connection", async (t) => {
  const served = await serve(t);
  const client = new HttpClient(served);
  const listen = client.request("subscriptions/listen", {
    notifications: { resourcesListChanged: true, resourceSubscriptions: ["doc:a"] },
  }, "s");
  const stream = await client.begin(listen);
  assert.equal(stream.headers.get("content-type"), "text/event-stream");
  const [first] = await stream.take(1);
  assert.equal(first!["method"], "notifications/subscriptions/acknowledged");
  served.source.relist();
  const two = await stream.take(2);
  assert.equal(two[1]!["method"], "notifications/resources/list_changed");
  client.check(stream);
  assert.equal(served.source.listeners.size, 1);
  stream.socket.destroy();
  await untilTrue("nobody listens", () => served.source.listeners.size === 0);
  const refused = await client.post(client.request("subscriptions/listen", { notifications: {} }), {
    accept: "application/json",
  });
  assert.equal(refused.status, 406);
});

test("who closes the connection has cancelled the request, whether its answer had begun or not", async (t) => {
  // Far longer than the test: it must be noticed before a slow answer becomes a stream to keep it open.
  const served = await serve(t, { keepAliveMs: 600_000 });
  const client = new HttpClient(served);
  // Where the body comes after the head, Deno does not look whether the client is still there.
  for (const [tell, isSplit] of [[false, false], [false, true], [true, false], [true, true]] as const) {
    const params = modern({ name: "wait", arguments: { tell } }) as { _meta: object };
    const message = {
      ...client.request("tools/call"),
      params: { ...params, _meta: { ...params._meta, progressToken: 1 } },
    };
    const before = served.waiting.length;
    const body = JSON.stringify(message);
    const bytes = requestOf("POST", "/mcp", { host: "localhost", ...client.fieldsOf(message) }, body);
    const answered = await open(served.port, isSplit ? bytes.subarray(0, -body.length) : bytes);
    if (isSplit) {
      // A round trip on another connection: the head has been read by then.
      await served.send("GET", {}, undefined, "/healthz");
      answered.socket.write(body);
    }
    await untilTrue("it is at work", () => served.waiting.length > before);
    if (tell) await answered.take(1);
    answered.socket.destroy();
    await untilTrue("it is cancelled", () => served.waiting.at(-1)!.signal.aborted);
  }
});
