/** The HTTP transport, in the modern era and before one is known. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { inspect, promisify } from "node:util";
import type { ClientOptions, HttpOptions } from "../../lib/client/mod.ts";
import { connect, ConnectError, HttpError, httpTransport, ProtocolError } from "../../lib/client/mod.ts";
import { RpcError } from "../../lib/jsonrpc/mod.ts";
import { command, ON_DENO } from "../harness/program.ts";
import type { Asked, HttpHandler } from "./http_server.ts";
import { DISCOVERY, events, HANDSHAKE, json, openHttp, openUrl, refuse, serveHttp } from "./http_server.ts";
import { all, INFO } from "./scripted_server.ts";

/** A client of a modern server. */
function open(t: TestContext, handler: HttpHandler, options: Partial<ClientOptions> & HttpOptions = {}) {
  return openHttp(t, (asked, response) => {
    if (asked.message.method === "server/discover") json(response, asked.message.id, DISCOVERY);
    else handler(asked, response);
  }, options);
}

/** Opens a stream of changes, acknowledged with everything that was asked for. */
function acknowledge({ message }: Asked, response: Parameters<HttpHandler>[1]) {
  const _meta = { "io.modelcontextprotocol/subscriptionId": message.id };
  const send = events(response);
  const notify = (method: string, params: object) =>
    send({ message: { method: `notifications/${method}`, params: { _meta, ...params } } });
  notify("subscriptions/acknowledged", { notifications: message.params.notifications });
  return notify;
}

test("every request has the header fields that its body and the options ask for", async (t) => {
  let token = 0;
  const seen: string[] = [];
  const { client, server } = await open(
    t,
    ({ message }, response) =>
      json(response, message.id, { contents: [], messages: [], tools: [], content: [] }),
    {
      headers: () => ({ Authorization: `Bearer ${++token}` }),
      fetch: (url, init) => {
        seen.push(`${init.method} ${new URL(url).pathname}`);
        return fetch(url, init);
      },
    },
  );
  const last = () => server.asked.at(-1)!.headers;
  await client.readResource("x:a");
  assert.equal(last()["authorization"], "Bearer 2");
  assert.equal(last()["mcp-protocol-version"], "2026-07-28");
  assert.equal(last()["accept"], "application/json, text/event-stream");
  assert.equal(last()["mcp-session-id"], undefined);
  const names: [method: string, params: object, name: string | undefined][] = [
    ["tools/list", { name: "x" }, undefined],
    ["tools/call", { name: "größe" }, "=?base64?Z3LDtsOfZQ==?="],
    ["resources/read", { uri: "file:///a" }, "file:///a"],
    ...[
      ["us-west1", "us-west1"],
      ["", ""],
      ["us west 1", "us west 1"],
      ["Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="],
      [" padded ", "=?base64?IHBhZGRlZCA=?="],
      ["line1\nline2", "=?base64?bGluZTEKbGluZTI=?="],
      ["=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="],
    ].map(([name, field]): [string, object, string] => ["prompts/get", { name }, field!]),
  ];
  for (const [method, params, name] of names) {
    await client.call(method, { ...params });
    assert.deepEqual([last()["mcp-method"], last()["mcp-name"]], [method, name]);
  }
  await client.close();
  assert.deepEqual(
    seen,
    Array(server.asked.length).fill("POST /mcp"),
    "there is neither a stream nor a session",
  );
});

test("marked arguments are repeated in header fields, and a tool with a wrong mark is left out", async (t) => {
  const mark = (type: string, header: unknown) => ({ type, "x-mcp-header": header });
  const schema = (properties: object) => ({ type: "object", properties });
  const good = schema({
    region: mark("string", "Region"),
    inner: schema({ deep: mark("integer", "Deep") }),
    flag: mark("boolean", "Flag"),
    // A parameter may be called like the keyword.
    "x-mcp-header": { type: "string", default: { "x-mcp-header": "" } },
  });
  const bad = [
    schema({ a: mark("string", "a b") }),
    schema({ a: mark("string", "A"), b: mark("string", "a") }),
  ];
  const { client, server, warnings } = await open(t, ({ message }, response) => {
    const tools = [good, ...bad].map((inputSchema, index) => ({ name: `t${index}`, inputSchema }));
    json(response, message.id, { tools, content: [] });
  });
  assert.deepEqual((await client.listToolsPaginated()).tools.map(({ name }) => name), ["t0"]);
  assert.equal(warnings.filter((text) => /"t[12]" is left out: x-mcp-header/.test(text)).length, 2);
  await assert.rejects(client.callTool("t1", { a: "x" }), /Cannot call the tool "t1"/);
  const calls: [args: object, fields: object][] = [
    [{ region: "x y", inner: { deep: -7 }, flag: false }, { region: "x y", deep: "-7", flag: "false" }],
    [{ region: null, inner: [] }, {}],
    [{ region: {}, inner: { deep: 2 ** 53 }, toString: 1 }, {}],
  ];
  for (const [args, fields] of calls) {
    await client.callTool("t0", { ...args });
    const sent = Object.entries(server.asked.at(-1)!.headers).filter(([name]) =>
      name.startsWith("mcp-param-")
    );
    assert.deepEqual(
      Object.fromEntries(sent),
      Object.fromEntries(
        Object.entries(fields).map(([name, value]) => [`mcp-param-${name}`, value]),
      ),
    );
  }
});

test("a tool that wants other header fields than it was listed with is looked up again", async (t) => {
  let version = 1;
  const { client, server } = await open(t, ({ message, headers }, response) => {
    const properties = { a: { type: "string", "x-mcp-header": `V${version}` } };
    if (message.method === "tools/list") {
      return json(response, message.id, {
        tools: [{ name: "t", inputSchema: { type: "object", properties } }],
      });
    }
    if (headers["mcp-param-v2"] !== undefined) return json(response, message.id, { content: [] });
    version = 2;
    refuse(response, 400, { code: -32020, message: "Header mismatch" }, message.id);
  });
  await client.callTool("t", { a: "x" });
  assert.equal(server.of("tools/list").length, 2);
});

test("a response may be a stream: messages that precede the answer, and nothing after it", async (t) => {
  const { client } = await open(t, ({ message }, response) => {
    const send = events(response);
    const { progressToken } = message.params._meta;
    send({ message: { method: "notifications/progress", params: { progressToken, progress: 1 } } });
    response.write(": keep-alive\r\n\r\n");
    send({ message: { id: message.id, result: { done: true } } });
    // It never ends.
  });
  const reports: number[] = [];
  const result = await client.call("work", {}, { onprogress: ({ progress }) => void reports.push(progress) });
  assert.equal(result["done"], true);
  assert.deepEqual(reports, [1]);
});

test("a request is cancelled by closing its connection, without a notification", async (t) => {
  const { client, server } = await open(t, (_, response) => void events(response));
  const coming = server.next(({ message }) => message.method === "slow");
  const controller = new AbortController();
  const call = client.call("slow", {}, { signal: controller.signal });
  const { closed } = await coming;
  controller.abort(new Error("enough"));
  await assert.rejects(call, /enough/);
  await closed;
  assert.deepEqual(server.of("notifications/cancelled"), []);
});

test("a subscription whose connection breaks is opened again, and everything may have changed", async (t) => {
  const { client, server } = await open(t, (asked, response) => {
    const notify = acknowledge(asked, response);
    if (server.of("subscriptions/listen").length > 1) return;
    notify("resources/updated", { uri: "x:a" });
    setTimeout(() => response.destroy(), 50);
  });
  const changes = await all(await client.listen({ tools: true, uris: ["x:a"] }), 3);
  assert.deepEqual(changes.map(({ type, uri }) => [type, uri]), [
    ["resource", "x:a"],
    ["tools", undefined],
    ["resource", "x:a"],
  ]);
  assert.equal(server.of("subscriptions/listen").length, 2);
  await server.asked.at(-1)!.closed;
});

for (const isClosed of [false, true]) {
  const end = isClosed
    ? "when the client is closed meanwhile"
    : "with a TimeoutError when it is not opened again";
  test(`a subscription whose connection breaks ends ${end}`, async (t) => {
    const { client, server } = await open(t, (asked, response) => {
      if (server.of("subscriptions/listen").length > 1) {
        events(response);
        return response.flushHeaders();
      }
      acknowledge(asked, response);
      setTimeout(() => response.destroy(), 50);
    }, { timeoutMs: isClosed ? 60_000 : 100 });
    const changes = all(await client.listen({ tools: true }));
    if (!isClosed) return await assert.rejects(changes, /did not answer subscriptions\/listen in 100 ms/);
    await server.asked.at(-1)!.closed;
    await client.close();
    assert.deepEqual(await changes, []);
  });
}

test("responses that are none are told apart, with the status and a way out", async (t) => {
  const html = { "Content-Type": "text/html" };
  const cases: [HttpHandler, RegExp, new (...args: never[]) => Error][] = [
    [(_, response) => refuse(response, 401), /status 401; it needs other credentials/, HttpError],
    [(_, response) => refuse(response, 404), /status 404; is the address that of an MCP endpoint/, HttpError],
    [
      (_, response) => response.writeHead(500).end('{"error":{}}'),
      /status 500 and said: {"error":{}}/,
      HttpError,
    ],
    [
      (_, response) => response.writeHead(500).end("<b>oh no</b>"),
      /status 500 and said: <b>oh no<\/b>/,
      HttpError,
    ],
    [(_, response) => response.writeHead(202).end(), /with no content .*\(status 202\)/, ProtocolError],
    [(_, response) => response.writeHead(200, html).end("x"), /"text\/html"/, ProtocolError],
    [
      (_, response) => response.writeHead(200, { "Content-Type": "application/json" }).end("{"),
      /not JSON/,
      ProtocolError,
    ],
    [
      ({ message }, response) => json(response, `${message.id}x`, {}),
      /ended without the answer/,
      ProtocolError,
    ],
    [(_, response) => (events(response), response.end()), /ended without the answer/, ProtocolError],
    [(_, response) => response.destroy(), /Cannot reach http/, ConnectError],
    [
      ({ message }, response) => refuse(response, 400, { code: -32602, message: "no" }, message.id),
      /^RpcError: no$/,
      RpcError,
    ],
    [
      (_, response) => refuse(response, 404, { code: -32601, message: "unknown" }),
      /^RpcError: unknown$/,
      RpcError,
    ],
  ];
  let handler: HttpHandler;
  const { client } = await open(t, (asked, response) => handler(asked, response));
  for (const [next, expected, kind] of cases) {
    handler = next;
    await assert.rejects(client.call("x"), (cause) => {
      assert.match(String(cause), expected);
      return cause instanceof kind;
    });
  }
});

test("redirects are followed within the origin, with the method and the body; another origin gets nothing", async (t) => {
  const other = await serveHttp(t, ({ message }, response) => json(response, message.id, {}));
  const { client, server } = await open(t, ({ message, path, headers }, response) => {
    if (path === "/moved") return json(response, message.id, { headers, params: message.params });
    const { status, to = other.url } = message.params;
    response.writeHead(status, { Location: to }).end();
  }, { headers: { Authorization: "secret" } });
  for (const status of [301, 302, 307, 308]) {
    const { headers, params } = await client.call("x", { status, to: "/moved" }) as Record<string, object>;
    assert.equal((params as { status: number }).status, status);
    assert.equal((headers as Asked["headers"]).authorization, "secret");
  }
  for (const [status, to] of [[303, "/moved"], [307, undefined], [307, "/mcp"]]) {
    const expected = new RegExp(`redirects to ${to ?? "http"}`);
    await assert.rejects(client.call("x", { status, ...(to !== undefined && { to }) }), expected);
  }
  assert.equal(
    server.asked.filter(({ path, message }) => path === "/mcp" && message.params.to === "/mcp").length,
    4,
  );
  assert.equal(other.asked.length, 0);
});

test("a response of more than 64 MiB is given up, in one piece, in one event, or in empty lines", async (t) => {
  const flood = (response: Parameters<HttpHandler>[1], filler: string) => {
    let isOpen = true;
    response.on("close", () => isOpen = false);
    const more = () => {
      while (isOpen && response.write(filler));
      if (isOpen) response.once("drain", more);
    };
    more();
  };
  const cases = [
    ["application/json", '{"jsonrpc":"2.0","id":"', "x".repeat(1024 * 1024)],
    ["text/event-stream", "data: ", "x".repeat(1024 * 1024)],
    ["text/event-stream", "", "data\n".repeat(200_000)],
  ] as const;
  for (const [type, start, filler] of cases) {
    const { client, server } = await open(t, (_, response) => {
      response.writeHead(200, { "Content-Type": type }).write(start);
      flood(response, filler);
    });
    await assert.rejects(client.call("x"), /more than 67108864/);
    await server.asked.at(-1)!.closed;
  }
});

test("httpTransport() takes only URLs of HTTP without credentials; a server that is not there is one sentence", async () => {
  for (const url of ["ftp://a.example", "nonsense", "https://user:secret@a.example"]) {
    assert.throws(() => httpTransport(url), (cause) => {
      assert.doesNotMatch(String(cause), /secret/);
      return cause instanceof ConnectError;
    });
  }
  const nowhere = httpTransport("http://127.0.0.1:9/mcp");
  await assert.rejects(connect(nowhere, { info: INFO }), /Cannot reach http:\/\/127\.0\.0\.1:9\/mcp: /);
});

test("connect() ends at header fields that fail or cannot be sent, and does not show them", async (t) => {
  const { url, asked } = await serveHttp(t, ({ message }, response) => json(response, message.id, DISCOVERY));
  let asks = 0;
  const cases: [headers: () => Record<string, string>, expected: RegExp][] = [
    [() => {
      throw new Error("the token could not be refreshed");
    }, /no header fields: the token could not be refreshed/],
    [() => ({ Authorization: "Bearer secret\nsecret" }), /what cannot be sent, such as a line break/],
  ];
  for (const [make, expected] of cases) {
    asks = 0;
    const headers = () => (asks++, make());
    await assert.rejects(openUrl(t, url, { headers }), (cause) => {
      assert.match(String(cause), expected);
      assert.doesNotMatch(inspect(cause), /Bearer/);
      return cause instanceof ConnectError;
    });
    assert.equal(asks, 1);
  }
  assert.equal(asked.length, 0);
});

test("connect() ends at 401 and 403, and shakes hands after any other status", async (t) => {
  const unauthorized = { code: -32001, message: "Unauthorized" };
  const uninitialized = { code: -32000, message: "Bad Request: Server not initialized" };
  let [status, error]: [number, object | undefined] = [0, undefined];
  const server = await serveHttp(t, ({ message, method }, response) => {
    if (status === 401 || status === 403) return refuse(response, status, error);
    if (method === "GET") return refuse(response, 405);
    if (message.method === "initialize") return json(response, message.id, HANDSHAKE);
    if (message.id === undefined) return void response.writeHead(202).end();
    refuse(response, status, error);
  });
  for (
    [status, error] of [[401, undefined], [403, undefined], [401, unauthorized], [403, unauthorized]] as const
  ) {
    server.asked.length = 0;
    await assert.rejects(openUrl(t, server.url), ({ message, cause }) => {
      assert.match(message, /credentials/);
      return cause instanceof HttpError && cause.status === status;
    });
    assert.equal(server.asked.length, 1);
  }
  for (status of [400, 404, 405, 500]) {
    for (error of [undefined, uninitialized]) {
      assert.equal((await openUrl(t, server.url)).client.era, "legacy");
    }
  }
});

test("a program ends when it has closed its client", async () => {
  const [file, args] = command([], {
    module: fileURLToPath(new URL("./brief_client.ts", import.meta.url)),
    runtimeFlags: ON_DENO ? ["-A", "--no-check"] : ["--experimental-strip-types", "--no-warnings"],
  });
  assert.equal((await promisify(execFile)(file, args)).stdout, "closed\n");
});
