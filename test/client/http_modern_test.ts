import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { inspect, promisify } from "node:util";
import type { Client, ClientOptions, HttpOptions } from "../../lib/client/mod.ts";
import { connect, ConnectError, HttpError, httpTransport, ProtocolError } from "../../lib/client/mod.ts";
import { command, ON_DENO } from "../harness/program.ts";
import type { HttpHandler, HttpServer } from "./http_server.ts";
import { DISCOVERY, events, HANDSHAKE, json, refuse, serveHttp } from "./http_server.ts";
import { INFO } from "./scripted_server.ts";

/** A client of a modern server that answers the rest as its handler says. */
async function open(
  t: TestContext,
  handler: HttpHandler,
  options: Partial<ClientOptions> & HttpOptions = {},
): Promise<{ client: Client; server: HttpServer; warnings: string[] }> {
  const server = await serveHttp(t, (asked, response) => {
    if (asked.message.method === "server/discover") return json(response, asked.message.id, DISCOVERY);
    handler(asked, response);
  });
  const warnings: string[] = [];
  const onwarning = (message: string) => void warnings.push(message);
  const client = await connect(httpTransport(server.url, options), {
    info: INFO,
    eras: new Map(),
    onwarning,
    ...options,
  });
  t.after(() => client.close());
  return { client, server, warnings };
}

test("every request says in its header fields what its body says, and whose it is", async (t) => {
  let token = 0;
  const { client, server } = await open(
    t,
    ({ message }, response) => json(response, message.id, { contents: [] }),
    {
      headers: () => ({ Authorization: `Bearer ${++token}` }),
    },
  );
  await client.readResource("x:ä");
  const [, { headers, method }] = server.asked as [unknown, HttpServer["asked"][0]];
  assert.equal(method, "POST");
  assert.equal(headers["authorization"], "Bearer 2");
  assert.equal(headers["mcp-protocol-version"], "2026-07-28");
  assert.equal(headers["mcp-method"], "resources/read");
  assert.equal(headers["mcp-name"], "=?base64?eDrDpA==?=");
  assert.equal(headers["accept"], "application/json, text/event-stream");
  assert.equal(headers["mcp-session-id"], undefined);
  await client.close();
  assert.ok(server.asked.every((one) => one.method === "POST"), "there is neither a stream nor a session");
});

test("a fetch of one's own sends every request", async (t) => {
  const seen: string[] = [];
  const { client } = await open(t, ({ message }, response) => json(response, message.id, { tools: [] }), {
    fetch: (url, init) => {
      seen.push(`${init.method} ${new URL(url).pathname}`);
      return fetch(url, init);
    },
  });
  await client.listToolsPaginated();
  assert.deepEqual(seen, ["POST /mcp", "POST /mcp"]);
});

test("arguments are mirrored, a tool with a wrong mark is left out, and a changed tool is looked up again", async (t) => {
  let version = 1;
  const { client, server, warnings } = await open(t, ({ message, headers }, response) => {
    const schema = (header: string) => ({
      type: "object",
      properties: { a: { type: "string", "x-mcp-header": header } },
    });
    if (message.method === "tools/list") {
      return json(response, message.id, {
        tools: [
          { name: "good", inputSchema: schema(`V${version}`) },
          { name: "bad", inputSchema: schema("not a name") },
        ],
      });
    }
    if (headers["mcp-param-v2"] !== undefined) return json(response, message.id, { content: [] });
    version = 2;
    refuse(response, 400, { code: -32020, message: "Header mismatch" }, message.id);
  });
  assert.deepEqual((await client.listToolsPaginated()).tools.map(({ name }) => name), ["good"]);
  assert.ok(warnings.some((text) => /"bad" is left out/.test(text)));
  await client.callTool("good", { a: "x y" });
  assert.equal(server.asked.at(-1)!.headers["mcp-param-v2"], "x y");
  await assert.rejects(client.callTool("bad", { a: "x" }), /Cannot call the tool "bad"/);
});

test("an answer may be a stream: what belongs to it comes first, and what follows it is not read", async (t) => {
  const { client } = await open(t, ({ message }, response) => {
    const send = events(response);
    const { progressToken } = message.params._meta;
    send({ message: { method: "notifications/progress", params: { progressToken, progress: 1 } } });
    response.write(": keep-alive\r\n\r\n");
    send({ message: { id: message.id, result: { done: true } } });
    // The server never ends it.
  });
  const reports: number[] = [];
  const result = await client.call("work", {}, { onprogress: ({ progress }) => void reports.push(progress) });
  assert.equal(result["done"], true);
  assert.deepEqual(reports, [1]);
});

test("a request is taken back by closing its connection; nothing is told", async (t) => {
  const { client, server } = await open(t, (_, response) => void events(response));
  const coming = server.next(({ message }) => message.method === "slow");
  const controller = new AbortController();
  const asked = client.call("slow", {}, { signal: controller.signal });
  const { closed } = await coming;
  controller.abort(new Error("enough"));
  await assert.rejects(asked, /enough/);
  await closed;
  assert.ok(!server.asked.some(({ message }) => message.method === "notifications/cancelled"));
});

test("changes come in a stream of their own; when it breaks it is asked for again, and everything may have changed", async (t) => {
  let streams = 0;
  const { client, server } = await open(t, ({ message }, response) => {
    const send = events(response);
    const _meta = { "io.modelcontextprotocol/subscriptionId": message.id };
    const { notifications } = message.params;
    send({
      message: { method: "notifications/subscriptions/acknowledged", params: { _meta, notifications } },
    });
    if (++streams === 1) {
      send({ message: { method: "notifications/resources/updated", params: { _meta, uri: "x:a" } } });
      setTimeout(() => response.destroy(), 50);
    }
  });
  const changes = await client.listen({ tools: true, uris: ["x:a"] });
  const seen: string[] = [];
  for await (const { type, uri } of changes) {
    seen.push(`${type} ${uri ?? ""}`.trim());
    if (seen.length === 3) break;
  }
  assert.deepEqual(seen, ["resource x:a", "tools", "resource x:a"]);
  assert.equal(server.asked.filter(({ message }) => message.method === "subscriptions/listen").length, 2);
  await server.asked.at(-1)!.closed;
});

test("a stream of changes that breaks and is not opened again in time ends with that; a close waits for nothing", async (t) => {
  for (const isClosed of [false, true]) {
    let streams = 0;
    const { client, server } = await open(t, ({ message }, response) => {
      const send = events(response);
      if (++streams > 1) return response.flushHeaders();
      const _meta = { "io.modelcontextprotocol/subscriptionId": message.id };
      const { notifications } = message.params;
      send({
        message: { method: "notifications/subscriptions/acknowledged", params: { _meta, notifications } },
      });
      setTimeout(() => response.destroy(), 50);
    }, { timeoutMs: isClosed ? 60_000 : 300 });
    const changes = await client.listen({ tools: true });
    const next = changes[Symbol.asyncIterator]().next();
    if (!isClosed) {
      await assert.rejects(next, /did not open the stream of changes in 300 ms/);
      assert.equal(streams, 2);
      continue;
    }
    await server.asked.at(-1)!.closed;
    await client.close();
    assert.equal((await next).done, true);
  }
});

test("what is no answer is told apart, with its status and the way out", async (t) => {
  const cases: [HttpHandler, RegExp, unknown][] = [
    [(_, response) => refuse(response, 401), /status 401; it wants other credentials/, HttpError],
    [(_, response) => refuse(response, 404), /status 404; is the address that of an MCP endpoint/, HttpError],
    [
      (_, response) => response.writeHead(500).end('{"error":{"message":"out of quota","type":"quota"}}'),
      /status 500 and said: .*out of quota/,
      HttpError,
    ],
    [
      (_, response) => response.writeHead(500).end("<b>oh no</b>"),
      /status 500 and said: <b>oh no<\/b>/,
      HttpError,
    ],
    [
      (_, response) => response.writeHead(202).end(),
      /with nothing in place of a message \(status 202\)/,
      ProtocolError,
    ],
    [
      (_, response) => response.writeHead(200, { "Content-Type": "text/html" }).end("x"),
      /"text\/html"/,
      ProtocolError,
    ],
    [
      (_, response) => response.writeHead(200, { "Content-Type": "application/json" }).end("{"),
      /not JSON/,
      ProtocolError,
    ],
    [
      ({ message }, response) => json(response, `${message.id}x`, {}),
      /before the answer was in it/,
      ProtocolError,
    ],
    [(_, response) => (events(response), response.end()), /before the answer was in it/, ProtocolError],
    [(_, response) => response.destroy(), /Cannot reach http/, ConnectError],
    [
      ({ message }, response) => refuse(response, 400, { code: -32602, message: "no" }, message.id),
      /^RpcError: no$/,
      Error,
    ],
    [
      (_, response) => refuse(response, 404, { code: -32601, message: "unknown" }),
      /^RpcError: unknown$/,
      Error,
    ],
  ];
  for (const [handler, expected, kind] of cases) {
    const { client } = await open(t, handler);
    await assert.rejects(client.call("x"), (cause) => {
      assert.match(String(cause), expected);
      return cause instanceof (kind as typeof Error);
    });
  }
});

test("redirects are followed within the origin; another origin gets nothing", async (t) => {
  const other = await serveHttp(t, ({ message }, response) => json(response, message.id, { tools: [] }));
  const { client, server } = await open(t, ({ message, path }, response) => {
    if (path === "/moved") return json(response, message.id, { tools: [], by: message.params.by });
    const location = message.method === "tools/list" || message.method === "by"
      ? "/moved"
      : message.method === "loop"
      ? "/mcp"
      : other.url;
    response.writeHead(message.params.by ?? 307, { Location: location }).end();
  }, { headers: { Authorization: "secret" } });
  await client.listToolsPaginated();
  assert.equal(server.asked.at(-1)!.path, "/moved");
  assert.equal(server.asked.at(-1)!.headers["authorization"], "secret");
  for (const by of [301, 302, 307, 308]) assert.equal((await client.call("by", { by }))["by"], by);
  await assert.rejects(client.call("by", { by: 303 }), /sends its clients on to \/moved/);
  await assert.rejects(client.listPromptsPaginated(), /sends its clients on to http/);
  await assert.rejects(client.call("loop"), /sends its clients on to \/mcp/);
  assert.equal(other.asked.length, 0);
});

test("an answer of more than 64 MiB is given up, in one piece or in events", async (t) => {
  const filler = "x".repeat(1024 * 1024);
  const flood = (response: Parameters<HttpHandler>[1], prefix: string) => {
    let open = true;
    response.on("close", () => open = false);
    const more = () => {
      while (open && response.write(filler));
      if (open) response.once("drain", more);
    };
    response.write(prefix);
    more();
  };
  for (const type of ["application/json", "text/event-stream"]) {
    const { client, server } = await open(t, (_, response) => {
      response.writeHead(200, { "Content-Type": type });
      flood(response, type === "application/json" ? '{"jsonrpc":"2.0","id":"' : "data: ");
    });
    await assert.rejects(client.call("x"), /more than 67108864/);
    await server.asked.at(-1)!.closed;
  }
});

test("nobody there, or no address of HTTP, is one sentence", async () => {
  const nowhere = httpTransport("http://127.0.0.1:9/mcp");
  await assert.rejects(connect(nowhere, { info: INFO }), /Cannot reach http:\/\/127\.0\.0\.1:9\/mcp: /);
  assert.throws(() => httpTransport("ftp://a.example"), ConnectError);
  assert.throws(() => httpTransport("nonsense"), ConnectError);
  assert.throws(
    () => httpTransport("https://user:secret@a.example"),
    (cause) => !String(cause).includes("secret"),
  );
});

test("credentials that cannot be had end it, and are not asked for again", async (t) => {
  const { url, asked } = await serveHttp(t, ({ message }, response) => json(response, message.id, DISCOVERY));
  let asks = 0;
  const failing = () => {
    asks++;
    throw new Error("the token could not be refreshed");
  };
  const unsendable = () => (asks++, { Authorization: "Bearer secret\nsecret" });
  for (const headers of [failing, unsendable]) {
    asks = 0;
    const transport = httpTransport(url, { headers });
    await assert.rejects(connect(transport, { info: INFO, eras: new Map() }), (cause) => {
      assert.match(
        String(cause),
        /no header fields for it: the token|what cannot be sent, such as a line break/,
      );
      assert.doesNotMatch(inspect(cause), /Bearer/);
      return cause instanceof ConnectError;
    });
    assert.equal(asks, 1);
  }
  assert.equal(asked.length, 0);
});

test("a server that wants credentials is not shaken hands with; one that knows no modern request is", async (t) => {
  for (const status of [401, 403]) {
    for (const body of ["", '{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Unauthorized"}}']) {
      const closed = await serveHttp(t, (_, response) => {
        response.writeHead(status, { "Content-Type": "application/json" }).end(body);
      });
      const connecting = connect(httpTransport(closed.url), { info: INFO, eras: new Map() });
      await assert.rejects(connecting, ({ message, cause }) => {
        assert.match(message, /credentials/);
        return cause instanceof HttpError && cause.status === status;
      });
      assert.equal(closed.asked.length, 1);
    }
  }
  for (const status of [400, 404, 405, 500]) {
    for (const error of [undefined, { code: -32000, message: "Bad Request: Server not initialized" }]) {
      const server = await serveHttp(t, ({ message, method }, response) => {
        if (method === "GET") return refuse(response, 405);
        if (message.method === "initialize") return json(response, message.id, HANDSHAKE);
        if (message.id === undefined) return void response.writeHead(202).end();
        refuse(response, status, error);
      });
      const client = await connect(httpTransport(server.url), { info: INFO, eras: new Map() });
      assert.equal(client.era, "legacy");
      await client.close();
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
