/** The HTTP transport in legacy revisions: sessions, the stream of server-initiated messages, streams that resume. */

import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import type { TestContext } from "node:test";
import type { ChangeEvent, ClientOptions, HttpOptions } from "../../lib/client/mod.ts";
import { HttpError } from "../../lib/client/mod.ts";
import type { Asked, HttpHandler } from "./http_server.ts";
import { events, HANDSHAKE, json, openHttp, openUrl, refuse } from "./http_server.ts";
import { all } from "./scripted_server.ts";

interface Handlers {
  /** Answers `initialize` after the first time. */
  renew?: HttpHandler;
  /** Answers other requests. @default {with an empty result} */
  request?: HttpHandler;
  /** Answers GET. @default {405} */
  stream?: HttpHandler;
}

/** A client of a server with sessions. */
function open(
  t: TestContext,
  { renew, request, stream }: Handlers,
  options: Partial<ClientOptions> = {},
  handshake: object = HANDSHAKE,
) {
  let sessions = 0;
  return openHttp(t, (asked, response) => {
    const { method, message } = asked;
    if (method === "DELETE") return void response.writeHead(200).end();
    if (method === "GET") return stream ? stream(asked, response) : refuse(response, 405);
    if (message.method === "server/discover") return refuse(response, 400);
    if (message.method === "initialize") {
      if (sessions > 0 && renew) return renew(asked, response);
      return json(response, message.id, handshake, { "Mcp-Session-Id": `session-${++sessions}` });
    }
    if (message.id === undefined || message.method === undefined) return void response.writeHead(202).end();
    if (request) return request(asked, response);
    json(response, message.id, { tools: [] });
  }, options);
}

const sessionOf = ({ headers }: Asked) => headers["mcp-session-id"];
const isOld = (asked: Asked) => sessionOf(asked) === "session-1";
const LOGGING = { ...HANDSHAKE, capabilities: { logging: {} } };
const TOOLS_CHANGED = { message: { method: "notifications/tools/list_changed" } };
const CHANGES: ChangeEvent[] = [{ type: "tools" }, { type: "resource", uri: "x:a" }];

test("a session is named in every request after the handshake, and deleted at the end", async (t) => {
  const { client, server } = await open(t, {});
  await client.listToolsPaginated();
  await client.close();
  const [discover, initialize, ...others] = server.asked;
  assert.equal(discover!.headers["mcp-method"], "server/discover");
  assert.deepEqual([sessionOf(initialize!), initialize!.headers["mcp-protocol-version"]], [
    undefined,
    undefined,
  ]);
  for (const { headers } of others) {
    assert.equal(headers["mcp-session-id"], "session-1");
    assert.equal(headers["mcp-protocol-version"], "2025-11-25");
    assert.equal(headers["mcp-method"], undefined);
  }
  assert.equal(others.at(-1)!.method, "DELETE");
  const methods = others.map(({ method, message }) => message.method ?? method);
  assert.ok(methods.indexOf("notifications/initialized") < methods.indexOf("tools/list"));
});

test("a server without sessions and streams works, and gets no DELETE", async (t) => {
  const { client, server } = await openHttp(t, ({ message, method }, response) => {
    if (method !== "POST") return refuse(response, 405);
    if (message.method === "initialize") return json(response, message.id, HANDSHAKE);
    if (message.id === undefined) return void response.writeHead(200).end();
    if (message.method !== "server/discover") return json(response, message.id, { tools: [] });
    refuse(response, 200, { code: -32601, message: "no" }, message.id);
  });
  await client.listToolsPaginated();
  await client.close();
  assert.ok(!server.asked.some(({ method }) => method === "DELETE"));
});

test("a lost session is replaced once for all requests, and resources are subscribed to again", async (t) => {
  let late: (() => void) | undefined;
  const { client, server } = await open(t, {
    request: (asked, response) => {
      const { method, id } = asked.message;
      const lose = () => refuse(response, 404, { code: -32001, message: "Session not found" });
      if (isOld(asked) && method !== "resources/subscribe") {
        // One is answered when there is a new session already.
        return method === "late" ? void (late = lose) : lose();
      }
      json(response, id, { tools: [] });
      if (method !== "tools/list") return;
      late?.();
      late = undefined;
    },
    stream: (_, response) => void events(response),
  });
  await client.subscribe("x:a");
  await Promise.all(["late", "tools/list", "tools/list"].map((method) => client.call(method)));
  assert.equal(server.of("initialize").length, 2);
  assert.deepEqual(server.of("resources/subscribe").map(sessionOf), ["session-1", "session-2"]);
});

test("requests wait for a session that is being replaced, unless they are aborted", async (t) => {
  let isLost = false;
  const renewal = Promise.withResolvers<() => void>();
  const { client, server } = await open(t, {
    renew: ({ message }, response) =>
      renewal.resolve(() => json(response, message.id, HANDSHAKE, { "Mcp-Session-Id": "session-2" })),
    request: (asked, response) => {
      if (sessionOf(asked) === undefined) return refuse(response, 400);
      if (isLost && isOld(asked)) return refuse(response, 404);
      json(response, asked.message.id, {});
    },
  });
  isLost = true;
  const first = client.call("first");
  const finish = await renewal.promise;
  const controller = new AbortController();
  const [second, third] = [client.call("second"), client.call("third", {}, { signal: controller.signal })];
  controller.abort(new Error("enough"));
  await assert.rejects(third, /enough/);
  finish();
  await Promise.all([first, second]);
  assert.deepEqual(["initialize", "second", "third"].map((method) => server.of(method).length), [2, 1, 0]);
});

test("a session that could not be replaced is replaced by the next request", async (t) => {
  let isDown = true;
  const { client } = await open(t, {
    renew: ({ message }, response) => {
      if (isDown) return refuse(response, 503);
      json(response, message.id, HANDSHAKE, { "Mcp-Session-Id": "session-2" });
    },
    request: (asked, response) => {
      if (sessionOf(asked) === undefined) return refuse(response, 400);
      if (isOld(asked)) return refuse(response, 404);
      json(response, asked.message.id, { found: true });
    },
  });
  await assert.rejects(client.call("first"), /status 503/);
  isDown = false;
  assert.equal((await client.call("second"))["found"], true);
});

test("a new session is opened like the lost one, with the log level that was set last", async (t) => {
  const { client, server } = await open(
    t,
    {
      renew: ({ message }, response) =>
        json(response, message.id, LOGGING, { "Mcp-Session-Id": "session-2" }),
      request: (asked, response) => {
        if (asked.message.method === "work" && isOld(asked)) return refuse(response, 404);
        json(response, asked.message.id, {});
      },
    },
    { logLevel: "debug", roots: [{ uri: "file:///a" }] },
    LOGGING,
  );
  const sent = (method: string) => server.of(method).map(({ message }) => message.params);
  await client.call("logging/setLevel", { level: "error" });
  await client.call("work");
  assert.deepEqual(sent("logging/setLevel").map(({ level }) => level), ["debug", "error", "error"]);
  const [first, second] = sent("initialize");
  assert.deepEqual(first.capabilities, { roots: { listChanged: true } });
  assert.deepEqual(second, first);
});

test("a server that loses every session is asked twice", async (t) => {
  const { client, server } = await open(t, { request: (_, response) => refuse(response, 404) });
  await assert.rejects(client.listToolsPaginated(), /does not know the session any more/);
  assert.equal(server.of("tools/list").length, 2);
});

test("server-initiated messages come in a stream of their own", async (t) => {
  const opened = Promise.withResolvers<ReturnType<typeof events>>();
  const { client, server } = await open(t, { stream: (_, response) => opened.resolve(events(response)) }, {
    roots: [{ uri: "file:///a" }],
  });
  const send = await opened.promise;
  const changes = await client.listen({ tools: true });
  send(TOOLS_CHANGED);
  assert.deepEqual(await all(changes, 1), [{ type: "tools" }]);
  const answer = server.next(({ message }) => message.id === "q");
  send({ message: { id: "q", method: "roots/list" } });
  assert.deepEqual((await answer).message.result, { roots: [{ uri: "file:///a" }] });
});

for (const end of ["end", "destroy"] as const) {
  test(`a response whose stream breaks off (${end}) is resumed after its last event, when the server says so`, async (t) => {
    const resumed: unknown[] = [];
    let [id, brokenAt]: [unknown, number] = [undefined, 0];
    const { client } = await open(t, {
      request: ({ message }, response) => {
        id = message.id;
        events(response)({ id: "e1", retry: 150 });
        setTimeout(() => {
          brokenAt = performance.now();
          response[end]();
        }, 20);
      },
      stream: ({ headers }, response) => {
        const lastId = headers["last-event-id"];
        if (lastId === undefined) return refuse(response, 405);
        const send = events(response);
        if (resumed.push(lastId) === 1) send({ id: "e2" });
        else send({ id: "e3", message: { id, result: { done: true } } });
        response.end();
      },
    });
    assert.equal((await client.call("work"))["done"], true);
    assert.deepEqual(resumed, ["e1", "e2"]);
    assert.ok(performance.now() - brokenAt >= 280, "it has waited twice as long as the server said");
  });
}

test("a response that cannot be resumed, or never comes, is given up", async (t) => {
  const { client } = await open(t, { request: (_, response) => (events(response)({}), response.end()) });
  await assert.rejects(client.call("work"), /ended without the answer/);
  const other = await open(t, {
    request: (_, response) => (events(response)({ id: "e1", retry: 100 }), response.end()),
    stream: ({ headers }, response) => {
      if (headers["last-event-id"] === undefined) return refuse(response, 405);
      response.writeHead(200, { "Content-Type": "text/event-stream" }).end();
    },
  });
  await assert.rejects(other.client.call("work"), /broke off again and again/);
});

test("a request is cancelled by a notification, and its connection closed", async (t) => {
  const { client, server } = await open(t, { request: (_, response) => void events(response) });
  const coming = server.next(({ message }) => message.method === "slow");
  const controller = new AbortController();
  const call = client.call("slow", {}, { signal: controller.signal });
  const { closed, message } = await coming;
  const cancelled = server.next((asked) => asked.message.method === "notifications/cancelled");
  controller.abort(new Error("enough"));
  await assert.rejects(call, /enough/);
  assert.equal((await cancelled).message.params.requestId, message.id);
  await closed;
});

test("the stream of server-initiated messages is opened again when it ends, after its last event", async (t) => {
  const ids: unknown[] = [];
  const third = Promise.withResolvers<void>();
  await open(t, {
    stream: ({ headers }, response) => {
      ids.push(headers["last-event-id"]);
      events(response)({ id: `e${ids.length}`, retry: 100 });
      if (ids.length === 3) third.resolve();
      else response.end();
    },
  });
  await third.promise;
  assert.deepEqual(ids, [undefined, "e1", "e2"]);
});

test("a session that is lost while nothing is asked is replaced, and everything may have changed", async (t) => {
  let isRestarted = false;
  const first = Promise.withResolvers<ServerResponse>();
  const { client, server } = await open(t, {
    request: (asked, response) => {
      if (isRestarted && isOld(asked)) return refuse(response, 404);
      json(response, asked.message.id, {});
    },
    stream: (asked, response) => {
      if (isRestarted && isOld(asked)) return refuse(response, 404);
      events(response)({ id: "e1", retry: 100 });
      first.resolve(response);
    },
  });
  const changes = await client.listen({ tools: true, uris: ["x:a"] });
  const stream = await first.promise;
  isRestarted = true;
  stream.destroy();
  assert.deepEqual(await all(changes, 2), CHANGES);
  assert.deepEqual(server.of("resources/subscribe").map(sessionOf), ["session-1", "session-2"]);
  assert.equal(server.of("initialize").length, 2);
});

test("a resource that cannot be subscribed to in a new session ends its subscriptions, and no others", async (t) => {
  const { client } = await open(t, {
    request: (asked, response) => {
      const { method, id } = asked.message;
      if (method === "resources/subscribe" && !isOld(asked)) {
        return refuse(response, 200, { code: -32002, message: "no such resource" }, id);
      }
      if (method === "tools/list" && isOld(asked)) return refuse(response, 404);
      json(response, id, { tools: [] });
    },
    stream: (_, response) => void events(response),
  });
  const [first, second] = [await client.subscribe("x:a"), await client.listen({ tools: true })];
  await client.listToolsPaginated();
  await assert.rejects(all(first, 1), /no such resource/);
  assert.deepEqual(await all(second, 1), [{ type: "tools" }]);
});

for (const id of [undefined, "e1"]) {
  const what = id === undefined
    ? "everything may have changed"
    : "nothing is missing after an event with an id";
  test(`a stream that breaks is opened again, and ${what}`, async (t) => {
    let streams = 0;
    const first = Promise.withResolvers<ServerResponse>();
    const { client } = await open(t, {
      stream: (_, response) => {
        const send = events(response);
        send({ ...(id !== undefined && { id }), retry: 100 });
        if (++streams === 1) return first.resolve(response);
        send({ message: { method: "notifications/resources/updated", params: { uri: "x:a/part" } } });
      },
    });
    const changes = await client.listen({ tools: true, uris: ["x:a"] });
    (await first.promise).destroy();
    const expected = [...id === undefined ? CHANGES : [], { type: "resource", uri: "x:a/part" }];
    assert.deepEqual(await all(changes, expected.length), expected);
  });
}

test("a stream that is given up ends the subscriptions with its error; a new one opens it again", async (t) => {
  let status = 503;
  const { client, server, warnings } = await open(t, {
    stream: (_, response) => {
      if (status === 503 && streams() > 1) return refuse(response, status);
      events(response)(status === 503 ? { retry: 100 } : TOOLS_CHANGED);
      if (status === 503) response.end();
    },
  });
  const streams = () => server.asked.filter(({ method }) => method === "GET").length;
  const isUnavailable = (cause: unknown) => cause instanceof HttpError && cause.status === 503;
  await assert.rejects(all(await client.listen({ tools: true })), isUnavailable);
  assert.equal(streams(), 6);
  assert.ok(warnings.some((text) => /status 503/.test(text)));
  status = 200;
  assert.deepEqual(await all(await client.listen({ tools: true }), 1), [{ type: "tools" }]);
});

test("a server that offers no stream ends the subscriptions, and keeps its session", async (t) => {
  // A server that only routes POST answers 404, as it does where a session is lost.
  for (const status of [405, 404]) {
    const { client, server } = await open(t, { stream: (_, response) => refuse(response, status) });
    await assert.rejects(all(await client.subscribe("x:a")), (cause) => {
      assert.match(String(cause), new RegExp(`offers no stream of events \\(status ${status}\\)`));
      return cause instanceof HttpError && cause.status === status;
    });
    assert.equal(server.of("initialize").length, 1);
  }
});

/** A body that arrives in pieces. */
function stream(pieces: Iterable<string>): Response {
  const iterator = pieces[Symbol.iterator]();
  const encoder = new TextEncoder();
  const body = new ReadableStream({
    pull: (controller) => {
      const { done, value } = iterator.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
  }, { highWaterMark: 0 });
  return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
}

/** A client of a server without a network: requests that are not part of the handshake go to a handler. */
function openFetch(
  t: TestContext,
  handler: (method: string, headers: Headers, id: unknown) => Response,
  options: Partial<ClientOptions> = {},
) {
  const fetch: HttpOptions["fetch"] = (_, { method = "", headers, body }) => {
    const { id, method: name } = body ? JSON.parse(String(body)) : {} as Record<string, unknown>;
    if (name === "initialize") {
      return Promise.resolve(Response.json({ jsonrpc: "2.0", id, result: HANDSHAKE }));
    }
    if (method === "POST" && id === undefined) return Promise.resolve(new Response(null, { status: 202 }));
    return Promise.resolve(handler(method, headers as Headers, id));
  };
  return openUrl(t, "http://example.invalid/mcp", { fetch, era: "legacy", ...options });
}

test("events are parsed as the standard says, however they are cut", async (t) => {
  const log = (data: unknown) => `"method":"notifications/message","params":{"level":"x","data":${data}}}`;
  const text =
    `\ufeff: hello\r\nid: 7\rretry: 100\n\nevent: message\ndata: {"jsonrpc":"2.0",\ndata: ${log(1)}\r\n\r\n` +
    `data:{"jsonrpc":"2.0",${log(2)}\n\nevent: ping\ndata: {"jsonrpc":"2.0",${
      log("no")
    }\n\nretry: soon\ndata\n\n`;
  for (const size of [1, 2, 3, 7, 1000]) {
    for (const [end, lastId] of [["data: lost", "7"], ["id\n\ndata: lost", null]] as const) {
      const logs: unknown[] = [];
      let resumedAfter: string | null = null;
      let id: unknown;
      const { client } = await openFetch(t, (method, headers, asked) => {
        if (method === "POST") {
          id = asked;
          return stream((text + end).match(new RegExp(`[^]{1,${size}}`, "g"))!);
        }
        resumedAfter = headers.get("Last-Event-ID");
        if (resumedAfter === null) return new Response(null, { status: 405 });
        return stream([`data: ${JSON.stringify({ jsonrpc: "2.0", id, result: { done: true } })}\n\n`]);
      }, { onlog: ({ data }) => void logs.push(data) });
      const call = client.call("work");
      if (lastId === null) await assert.rejects(call, /ended without the answer/);
      else assert.equal((await call)["done"], true);
      assert.deepEqual([logs, resumedAfter], [[1, 2], lastId], `pieces of ${size}`);
    }
  }
});

test("a stream that proxies cut now and then, because nothing is sent for long, is not given up", async (t) => {
  const { now } = performance;
  t.after(() => performance.now = now);
  for (const lastsMs of [9_000, 11_000]) {
    let [time, streams] = [0, 0];
    performance.now = () => time;
    const eighth = Promise.withResolvers<void>();
    const { client } = await openFetch(t, () => {
      if (++streams === 8) eighth.resolve();
      return stream((function* () {
        yield "retry: 0\n\n";
        time += lastsMs;
      })());
    });
    const events = all(await client.listen({ tools: true }));
    if (lastsMs < 10_000) await assert.rejects(events, /broke off again and again/);
    else await Promise.race([eighth.promise, events]);
    assert.equal(streams, lastsMs < 10_000 ? 6 : 8);
    await client.close();
  }
});
