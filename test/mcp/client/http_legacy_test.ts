/** The HTTP transport in legacy revisions: sessions, the stream of server-initiated messages, and resumed streams. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import type { ChangeEvent, ClientOptions, HttpOptions } from "../../../lib/mcp/client/mod.ts";
import { HttpError } from "../../../lib/mcp/client/mod.ts";
import type { HttpCall, HttpHandler, HttpServer } from "../../harness/scripted_server.ts";
import { all, HANDSHAKE, openHttp, openUrl } from "../../harness/scripted_server.ts";

interface Handlers {
  /** Answers all `initialize` requests but the first. */
  renew?: HttpHandler;
  /** Whether a request of the first session is answered with 404. @default {false} */
  isLost?: (call: HttpCall) => boolean;
  /** Answers other requests. @default {with an empty list} */
  request?: HttpHandler;
  /** Answers notifications and responses. @default {with 202} */
  notice?: HttpHandler;
  /** Answers GET. @default {405} */
  stream?: HttpHandler;
}

const isOld = ({ session }: HttpCall) => session === "session-1";
const is = (method: string) => ({ message }: HttpCall) => message.method === method;
const lastId = ({ headers }: HttpCall) => headers["last-event-id"];
const reopen = (call: HttpCall, handshake = HANDSHAKE) =>
  call.json(handshake, { "Mcp-Session-Id": "session-2" });

/** A client of a server with sessions. */
function open(
  t: TestContext,
  handlers: Handlers,
  options: Partial<ClientOptions> = {},
  handshake = HANDSHAKE,
) {
  const { renew, isLost, request = (call) => call.json({ tools: [] }) } = handlers;
  const { stream = (call) => call.fail(405), notice = (call) => call.body(202) } = handlers;
  let sessions = 0;
  return openHttp(t, (call) => {
    const { method, message: { method: name, id }, session } = call;
    if (method === "DELETE") return call.body(200);
    if (name === "server/discover") return call.fail(400);
    if (name === "initialize") {
      if (sessions > 0 && renew) return renew(call);
      return call.json(handshake, { "Mcp-Session-Id": `session-${++sessions}` });
    }
    if (session === undefined) return call.fail(400);
    if (isOld(call) && isLost?.(call)) return call.fail(404, { code: -32001, message: "Session not found" });
    if (method === "GET") return stream(call);
    return id === undefined || name === undefined ? notice(call) : request(call);
  }, options);
}

/** The sessions that have subscribed to a resource. */
const subscribedIn = (server: HttpServer) => server.of("resources/subscribe").map(({ session }) => session);
const BOTH = ["session-1", "session-2"];
const TOOLS_CHANGED = { message: { method: "notifications/tools/list_changed" } };
const CHANGES: ChangeEvent[] = [{ type: "tools" }, { type: "resource", uri: "x:a" }];

test("every request after the handshake names its session, which is deleted at the end", async (t) => {
  const { client, server } = await open(t, {});
  await client.listToolsPaginated();
  await client.close();
  const sent = server.calls.map(({ method, message, headers }) => [
    message.method ?? method,
    headers["mcp-session-id"],
    headers["mcp-protocol-version"],
    headers["mcp-method"],
  ]).filter(([method]) => method !== "GET");
  assert.deepEqual(sent, [
    ["server/discover", undefined, "2026-07-28", "server/discover"],
    ["initialize", undefined, undefined, undefined],
    ["notifications/initialized", "session-1", "2025-11-25", undefined],
    ["tools/list", "session-1", "2025-11-25", undefined],
    ["DELETE", "session-1", "2025-11-25", undefined],
  ]);
});

test("a lost session is replaced once for all requests, and the resource subscriptions are repeated", async (t) => {
  let late: HttpCall | undefined;
  const { client, server } = await open(t, {
    isLost: is("tools/list"),
    request: (call) => {
      if (is("late")(call) && isOld(call)) return void (late = call);
      call.json({ tools: [] });
      // One request is answered after the new session has begun.
      if (!is("tools/list")(call)) return;
      late?.fail(404);
      late = undefined;
    },
    stream: (call) => call.events(),
  });
  await client.subscribe("x:a");
  await Promise.all(["late", "tools/list", "tools/list"].map((method) => client.call(method)));
  assert.equal(server.of("initialize").length, 2);
  assert.deepEqual(subscribedIn(server), BOTH);
});

test("requests wait for a session that is being replaced, unless they are aborted", async (t) => {
  let isLost = false;
  const renewal = Promise.withResolvers<HttpCall>();
  const { client, server } = await open(t, { renew: (call) => renewal.resolve(call), isLost: () => isLost });
  isLost = true;
  const first = client.call("first");
  const call = await renewal.promise;
  const controller = new AbortController();
  const [second, third] = [client.call("second"), client.call("third", {}, { signal: controller.signal })];
  controller.abort(new Error("enough"));
  await assert.rejects(third, /enough/);
  reopen(call);
  await Promise.all([first, second]);
  assert.deepEqual(["initialize", "second", "third"].map((method) => server.of(method).length), [2, 1, 0]);
});

test("if a session cannot be replaced, the next request tries again; one that is lost again is not replaced", async (t) => {
  let isDown = true;
  const renew = (call: HttpCall) => isDown ? call.fail(503) : reopen(call);
  const { client } = await open(t, { renew, isLost: () => true });
  await assert.rejects(client.call("first"), /status 503/);
  isDown = false;
  await client.call("second");
  const forgetful = await open(t, { request: (call) => call.fail(404) });
  await assert.rejects(forgetful.client.call("third"), /no longer knows the session/);
  assert.equal(forgetful.server.of("third").length, 2);
});

test("a new session is opened like the lost one, with the log level that was set last", async (t) => {
  const handshake = { ...HANDSHAKE, capabilities: { logging: {} } };
  const options = { logLevel: "debug", roots: [{ uri: "file:///a" }] };
  const handlers = { renew: (call: HttpCall) => reopen(call, handshake), isLost: is("work") };
  const { client, server } = await open(t, handlers, options, handshake);
  const sent = (method: string) => server.of(method).map(({ message }) => message.params);
  await client.call("logging/setLevel", { level: "error" });
  await client.call("work");
  assert.deepEqual(sent("logging/setLevel").map(({ level }) => level), ["debug", "error", "error"]);
  const [first, second] = sent("initialize");
  assert.deepEqual(first.capabilities, { roots: { listChanged: true } });
  assert.deepEqual(second, first);
});

test("server-initiated messages come in a stream of their own", async (t) => {
  const opened = Promise.withResolvers<ReturnType<HttpCall["events"]>>();
  // What is not JSON is skipped in this stream, too.
  const stream = (call: HttpCall) => {
    const send = call.events();
    call.response.write("data: ping\n\ndata: [DONE]\n\nevent: error\ndata: busy\n\n");
    opened.resolve(send);
  };
  const { client, server, warnings } = await open(t, { stream }, { roots: [{ uri: "file:///a" }] });
  const send = await opened.promise;
  const changes = await client.listen({ tools: true });
  send(TOOLS_CHANGED);
  assert.deepEqual(await all(changes, 1), [{ type: "tools" }]);
  const answer = server.next(({ message }) => message.id === "q");
  send({ message: { id: "q", method: "roots/list" } });
  assert.deepEqual((await answer).message.result, { roots: [{ uri: "file:///a" }] });
  assert.match(warnings.join(), /not a message: "ping",.* "\[DONE\]",.* "busy"$/);
});

for (const end of ["end", "destroy"] as const) {
  test(`a response whose stream ends early (${end}) is resumed after its last event, when the server says so`, async (t) => {
    const resumed: unknown[] = [];
    let [id, brokenAt]: [unknown, number] = [undefined, 0];
    const { client } = await open(t, {
      request: (call) => {
        id = call.message.id;
        call.events()({ id: "e1", retry: 150 });
        setTimeout(() => {
          brokenAt = performance.now();
          call.response[end]();
        }, 20);
      },
      stream: (call) => {
        if (lastId(call) === undefined) return call.fail(405);
        const isFirst = resumed.push(lastId(call)) === 1;
        call.events()(isFirst ? { id: "e2" } : { id: "e3", message: { id, result: { done: true } } });
        call.response.end();
      },
    });
    assert.equal((await client.call("work"))["done"], true);
    assert.deepEqual(resumed, ["e1", "e2"]);
    assert.ok(performance.now() - brokenAt >= 280, "it has waited twice as long as the server said");
  });
}

test("a server that is killed while a response can be resumed is soon given up", async (t) => {
  const { client, server } = await open(t, {
    request: (call) => {
      call.events()({ id: "e1", retry: 100 });
      setTimeout(() => server.stop(), 20);
    },
  });
  const started = performance.now();
  await assert.rejects(client.call("work"), { name: "TransportError", message: /Cannot reach/ });
  assert.ok(performance.now() - started < 30_000, `${performance.now() - started} ms`);
  await assert.rejects(client.call("work"), { name: "TransportError", message: /Cannot reach/ });
});

test("a response that cannot be resumed, or never arrives, is given up", async (t) => {
  const cases = [[{}, /ended without the answer/], [
    { id: "e1" },
    /ended too often without an event/,
  ]] as const;
  for (const [event, expected] of cases) {
    const { client } = await open(t, {
      request: (call) => {
        call.events()({ ...event, retry: 100 });
        call.response.end();
      },
      stream: (call) =>
        lastId(call) === undefined
          ? call.fail(405)
          : call.body(200, "", { "Content-Type": "text/event-stream" }),
    });
    await assert.rejects(client.call("work"), expected);
  }
});

test("a request is cancelled by a notification, and its connection closed", async (t) => {
  const { client, server } = await open(t, { request: (call) => call.events() });
  const coming = server.next(is("slow"));
  const controller = new AbortController();
  const result = client.call("slow", {}, { signal: controller.signal });
  const { closed, message } = await coming;
  const cancelled = server.next(is("notifications/cancelled"));
  controller.abort(new Error("enough"));
  await assert.rejects(result, /enough/);
  assert.equal((await cancelled).message.params.requestId, message.id);
  await closed;
});

test("a server that does not accept a cancellation holds no connections", { timeout: 20_000 }, async (t) => {
  const isCancelled = is("notifications/cancelled");
  const notice: HttpHandler = (call) => isCancelled(call) || call.body(202);
  const { client, server } = await open(t, { request: () => {}, notice });
  const coming = Promise.all([server.next(is("slow")), server.next(isCancelled)]);
  await assert.rejects(client.call("slow", {}, { timeoutMs: 20 }), /did not answer/);
  await Promise.all((await coming).map(({ closed }) => closed));
});

test(
  "a server that does not accept responses is sent 256 of them, each over one connection",
  { timeout: 20_000 },
  async (t) => {
    const { warnings } = await open(t, {
      notice: (call) => call.message.method !== undefined && call.body(202),
      stream(call) {
        const send = call.events();
        for (let id = 1; id <= 300; id++) send({ message: { id, method: "ping" } });
      },
    });
    while (warnings.length < 300 - 256) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.match(
      warnings[0]!,
      /^Cannot send a notification or response: 256 others are still being sent/,
    );
  },
);

test("a session that is lost between requests is replaced, and everything may have changed", async (t) => {
  let isRestarted = false;
  const first = Promise.withResolvers<HttpCall>();
  const { client, server } = await open(t, {
    isLost: () => isRestarted,
    stream: (call) => {
      call.events()({ id: "e1", retry: 100 });
      first.resolve(call);
    },
  });
  const changes = await client.listen({ tools: true, uris: ["x:a"] });
  const { response } = await first.promise;
  isRestarted = true;
  response.destroy();
  assert.deepEqual(await all(changes, 2), CHANGES);
  assert.deepEqual(subscribedIn(server), BOTH);
  assert.equal(server.of("initialize").length, 2);
});

test("if a resource cannot be subscribed to in a new session, only its subscriptions end", async (t) => {
  const { client } = await open(t, {
    isLost: is("tools/list"),
    request: (call) => {
      if (isOld(call) || !is("resources/subscribe")(call)) return call.json({ tools: [] });
      call.fail(200, { code: -32002, message: "no such resource" }, call.message.id);
    },
    stream: (call) => call.events(),
  });
  const [first, second] = [await client.subscribe("x:a"), await client.listen({ tools: true })];
  await client.listToolsPaginated();
  await assert.rejects(all(first, 1), /no such resource/);
  assert.deepEqual(await all(second, 1), [{ type: "tools" }]);
});

for (const id of [undefined, "e"]) {
  const what = id ? "nothing is missing after an id" : "everything may have changed";
  test(`a stream that ends or breaks is opened again, and ${what}`, async (t) => {
    const ids: unknown[] = [];
    const { client } = await open(t, {
      stream: (call) => {
        const count = ids.push(lastId(call));
        const send = call.events();
        send({ ...(id && { id: `${id}${count}` }), retry: 100 });
        if (count < 3) setTimeout(() => call.response[count === 1 ? "end" : "destroy"](), 20);
        else send({ message: { method: "notifications/resources/updated", params: { uri: "x:a/part" } } });
      },
    });
    const changes = await client.listen({ tools: true, uris: ["x:a"] });
    const seen: ChangeEvent[] = [];
    for await (const change of changes) if (seen.push(change) && change.uri === "x:a/part") break;
    // The first change may have been announced already.
    const expected = [...id ? [] : CHANGES, { type: "resource", uri: "x:a/part" }];
    assert.deepEqual(id ? seen : seen.slice(-3), expected);
    assert.deepEqual(ids, id ? [undefined, "e1", "e2"] : [undefined, undefined, undefined]);
  });
}

test("a stream that is given up ends the subscriptions with its error; a new subscription opens it again", async (t) => {
  let isDown = true;
  let streams = 0;
  const { client, warnings } = await open(t, {
    stream: (call) => {
      if (++streams > 1 && isDown) return call.fail(503);
      call.events()(isDown ? { retry: 100 } : TOOLS_CHANGED);
      if (isDown) call.response.end();
    },
  });
  const isUnavailable = (cause: unknown) => cause instanceof HttpError && cause.status === 503;
  await assert.rejects(all(await client.listen({ tools: true })), isUnavailable);
  assert.equal(streams, 6);
  assert.ok(warnings.some((text) => /status 503/.test(text)));
  isDown = false;
  assert.deepEqual(await all(await client.listen({ tools: true }), 1), [{ type: "tools" }]);
});

test("if a server offers no stream, the subscriptions end and the session continues", async (t) => {
  // A server that only routes POST answers 404, as for a lost session.
  for (const status of [405, 404]) {
    const { client, server } = await open(t, { stream: (call) => call.fail(status) });
    const said = `The server offers no stream of events (status ${status})`;
    const isExpected = (cause: unknown) => cause instanceof HttpError && cause.message === said;
    await assert.rejects(all(await client.subscribe("x:a")), isExpected);
    assert.equal(server.of("initialize").length, 1);
  }
});

test("if a new session has no stream, the subscriptions end, even if it is known before the session is open", async (t) => {
  const handshake = { ...HANDSHAKE, capabilities: { tools: { listChanged: true }, logging: {} } };
  const { client } = await open(
    t,
    {
      renew: (call) => reopen(call, handshake),
      isLost: is("work"),
      stream: (call) => isOld(call) ? call.events() : call.fail(404),
      request: (call) => void setTimeout(() => call.json({}), isOld(call) ? 0 : 100),
    },
    { logLevel: "debug" },
    handshake,
  );
  const changes = all(await client.listen({ tools: true }));
  await Promise.all([client.call("work"), assert.rejects(changes, /offers no stream of events/)]);
});

/** A body that arrives in pieces. */
function streamOf(pieces: Iterable<string>): Response {
  const iterator = pieces[Symbol.iterator]();
  const body = new ReadableStream({
    pull: (controller) => {
      const { done, value } = iterator.next();
      if (done) controller.close();
      else controller.enqueue(new TextEncoder().encode(value));
    },
  }, { highWaterMark: 0 });
  return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
}

/** A client without a network: requests that are not part of the handshake go to a handler. */
function openFetch(
  t: TestContext,
  handler: (method: string, headers: Headers, id: unknown) => Response,
  options: Partial<ClientOptions> = {},
) {
  // deno-lint-ignore require-await -- so that an error rejects the promise
  const fetch: HttpOptions["fetch"] = async (_, { method = "", headers, body }) => {
    const { id, method: name } = body ? JSON.parse(String(body)) : {} as Record<string, unknown>;
    if (name === "initialize") return Response.json({ jsonrpc: "2.0", id, result: HANDSHAKE });
    if (method === "POST" && id === undefined) return new Response(null, { status: 202 });
    return handler(method, headers as Headers, id);
  };
  return openUrl(t, "http://example.invalid/mcp", { fetch, era: "legacy", ...options });
}

test("events are parsed as in the standard, however they are split into chunks", async (t) => {
  const log = (data: unknown) => `"method":"notifications/message","params":{"level":"x","data":${data}}}`;
  const text =
    `\ufeff: hello\r\nid: 7\rretry: 100\n\nevent: message\ndata: {"jsonrpc":"2.0",\ndata: ${log(1)}\r\n\r\n` +
    `data:{"jsonrpc":"2.0",${log(2)}\n\nevent: ping\ndata: {"jsonrpc":"2.0",${log('"no"')}\n\n` +
    "retry: soon\ndata\n\n";
  const ends = [["data: lost", "7"], ["id\n\ndata: lost", null]] as const;
  const cases = [1, 2, 3, 7, 1000].flatMap((size) => ends.map(([end, after]) => [size, end, after] as const));
  for (const [size, end, expected] of cases) {
    const logs: unknown[] = [];
    let resumedAfter: string | null = null;
    let id: unknown;
    const { client } = await openFetch(t, (method, headers, asked) => {
      if (method === "POST") {
        id = asked;
        return streamOf((text + end).match(new RegExp(`[^]{1,${size}}`, "g"))!);
      }
      resumedAfter = headers.get("Last-Event-ID");
      if (resumedAfter === null) return new Response(null, { status: 405 });
      return streamOf([`data: ${JSON.stringify({ jsonrpc: "2.0", id, result: { done: true } })}\n\n`]);
    }, { onlog: ({ data }) => void logs.push(data) });
    const result = client.call("work");
    if (expected === null) await assert.rejects(result, /ended without the answer/);
    else assert.equal((await result)["done"], true);
    assert.deepEqual([logs, resumedAfter], [[1, 2], expected], `pieces of ${size}`);
  }
});

test("a stream that a proxy closes when it is idle is not given up", async (t) => {
  const { now } = performance;
  t.after(() => performance.now = now);
  for (const [lastsMs, expected] of [[9_000, 6], [11_000, 8]] as const) {
    let [time, streams] = [0, 0];
    performance.now = () => time;
    const eighth = Promise.withResolvers<void>();
    const { client } = await openFetch(t, () => {
      if (++streams === 8) eighth.resolve();
      return streamOf((function* () {
        yield "retry: 0\n\n";
        time += lastsMs;
      })());
    });
    const events = all(await client.listen({ tools: true }));
    if (expected === 6) await assert.rejects(events, /ended too often without an event/);
    else await Promise.race([eighth.promise, events]);
    assert.equal(streams, expected);
    await client.close();
  }
});
