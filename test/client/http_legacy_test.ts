import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import type { TestContext } from "node:test";
import type { ChangeEvent, Changes, Client, ClientOptions } from "../../lib/client/mod.ts";
import { connect, HttpError, httpTransport } from "../../lib/client/mod.ts";
import type { Asked, HttpHandler, HttpServer } from "./http_server.ts";
import { events, HANDSHAKE, json, refuse, serveHttp } from "./http_server.ts";
import { INFO } from "./scripted_server.ts";

interface Handlers {
  /** Opens the sessions after the first one. */
  renew?: HttpHandler;
  request?: HttpHandler;
  stream?: HttpHandler;
}

/** A client of a server with sessions, which answers the rest as its handlers say. */
async function open(
  t: TestContext,
  { renew, request, stream }: Handlers,
  options: Partial<ClientOptions> = {},
  handshake: object = HANDSHAKE,
): Promise<{ client: Client; server: HttpServer; warnings: string[] }> {
  let sessions = 0;
  const server = await serveHttp(t, (asked, response) => {
    const { method, message } = asked;
    if (method === "DELETE") return void response.writeHead(200).end();
    if (method === "GET") return stream ? stream(asked, response) : refuse(response, 405);
    if (message.method === "server/discover") return refuse(response, 400);
    if (message.method === "initialize") {
      if (sessions > 0 && renew) return renew(asked, response);
      return json(response, message.id, handshake, { "Mcp-Session-Id": `session-${++sessions}` });
    }
    if (message.id === undefined || message.method === undefined) return void response.writeHead(202).end();
    request?.(asked, response);
  });
  const warnings: string[] = [];
  const onwarning = (message: string) => void warnings.push(message);
  const client = await connect(httpTransport(server.url), {
    info: INFO,
    eras: new Map(),
    onwarning,
    ...options,
  });
  t.after(() => client.close());
  return { client, server, warnings };
}

const LOGGING = { ...HANDSHAKE, capabilities: { logging: {} } };
const TOOLS_CHANGED = { message: { method: "notifications/tools/list_changed" } };
const about = (method: string) => ({ message }: Asked) => message.method === method;

test("a session is named in every request after the handshake, and ended at the end", async (t) => {
  const { client, server } = await open(t, {
    request: ({ message }, response) => json(response, message.id, { tools: [] }),
  });
  await client.listToolsPaginated();
  await client.close();
  const [discover, initialize, ...others] = server.asked;
  assert.equal(discover!.headers["mcp-method"], "server/discover");
  assert.equal(initialize!.headers["mcp-session-id"], undefined);
  assert.equal(initialize!.headers["mcp-protocol-version"], undefined);
  for (const { headers } of others) {
    assert.equal(headers["mcp-session-id"], "session-1");
    assert.equal(headers["mcp-protocol-version"], "2025-11-25");
    assert.equal(headers["mcp-method"], undefined);
  }
  assert.equal(others.at(-1)!.method, "DELETE");
  const methods = others.map(({ method, message }) => message.method ?? method);
  assert.ok(methods.indexOf("notifications/initialized") < methods.indexOf("tools/list"));
});

test("a session that the server has lost is opened again, once for all, and resources are asked for again", async (t) => {
  let late: (() => void) | undefined;
  const { client, server } = await open(t, {
    request: ({ message, headers }, response) => {
      const isOld = headers["mcp-session-id"] === "session-1" && message.method !== "resources/subscribe";
      const lose = () => refuse(response, 404, { code: -32001, message: "Session not found" });
      // One learns of it when there is a new session already.
      if (isOld && message.method === "late") return void (late = lose);
      if (isOld) return lose();
      json(response, message.id, { tools: [] });
      if (message.method !== "tools/list") return;
      late?.();
      late = undefined;
    },
    stream: (_, response) => void events(response),
  });
  await client.subscribe("x:a");
  const all = ["late", "tools/list", "tools/list"].map((method) => client.call(method));
  await Promise.all(all);
  assert.equal(server.asked.filter(about("initialize")).length, 2);
  const subscribed = server.asked.filter(about("resources/subscribe")).map(({ headers }) =>
    headers["mcp-session-id"]
  );
  assert.deepEqual(subscribed, ["session-1", "session-2"]);
});

test("what is asked while a session is opened again waits for it", async (t) => {
  let isLost = false;
  const renewal = Promise.withResolvers<() => void>();
  const { client, server } = await open(t, {
    renew: ({ message }, response) => {
      renewal.resolve(() => json(response, message.id, HANDSHAKE, { "Mcp-Session-Id": "session-2" }));
    },
    request: ({ message, headers }, response) => {
      if (headers["mcp-session-id"] === undefined) return refuse(response, 400);
      if (isLost && headers["mcp-session-id"] === "session-1") return refuse(response, 404);
      json(response, message.id, {});
    },
  });
  isLost = true;
  const first = client.call("first");
  const finish = await renewal.promise;
  const controller = new AbortController();
  const [second, impatient] = [client.call("second"), client.call("third", {}, controller)];
  controller.abort(new Error("enough"));
  await assert.rejects(impatient, /enough/);
  finish();
  await Promise.all([first, second]);
  assert.equal(server.asked.filter(about("initialize")).length, 2);
  assert.equal(server.asked.filter(about("second")).length, 1);
  assert.equal(server.asked.filter(about("third")).length, 0);
});

test("a session that could not be opened again is opened by whoever asks next", async (t) => {
  let isDown = true;
  const { client } = await open(t, {
    renew: ({ message }, response) => {
      if (isDown) return refuse(response, 503);
      json(response, message.id, HANDSHAKE, { "Mcp-Session-Id": "session-2" });
    },
    request: ({ message, headers }, response) => {
      if (headers["mcp-session-id"] === undefined) return refuse(response, 400);
      if (headers["mcp-session-id"] === "session-1") return refuse(response, 404);
      json(response, message.id, { found: true });
    },
  });
  await assert.rejects(client.call("first"), /status 503/);
  isDown = false;
  assert.equal((await client.call("second"))["found"], true);
});

test("a session that is opened again is told what the one before was told", async (t) => {
  const { client, server } = await open(
    t,
    {
      renew: ({ message }, response) =>
        json(response, message.id, LOGGING, { "Mcp-Session-Id": "session-2" }),
      request: ({ message, headers }, response) => {
        const isLost = message.method === "work" && headers["mcp-session-id"] === "session-1";
        if (isLost) return refuse(response, 404);
        json(response, message.id, {});
      },
    },
    { logLevel: "debug", roots: [{ uri: "file:///a" }] },
    LOGGING,
  );
  const told = (method: string) => server.asked.filter(about(method)).map(({ message }) => message.params);
  await client.call("logging/setLevel", { level: "error" });
  await client.call("work");
  assert.deepEqual(told("logging/setLevel").map(({ level }) => level), ["debug", "error", "error"]);
  const [first, second] = told("initialize");
  assert.deepEqual(first.capabilities, { roots: { listChanged: true } });
  assert.deepEqual(second, first);
});

test("a server that loses every session is not asked for ever", async (t) => {
  const { client, server } = await open(t, { request: (_, response) => refuse(response, 404) });
  await assert.rejects(client.listToolsPaginated(), /does not know the session any more/);
  assert.equal(server.asked.filter(about("tools/list")).length, 2);
});

test("what the server tells and asks unasked comes in a stream of its own", async (t) => {
  let stream: ((event: { message?: object }) => void) | undefined;
  const opened = Promise.withResolvers<void>();
  const { client, server } = await open(t, {
    request: ({ message }, response) => json(response, message.id, {}),
    stream: (_, response) => {
      stream = events(response);
      opened.resolve();
    },
  }, { roots: [{ uri: "file:///a" }] });
  await opened.promise;
  const changes = await client.listen({ tools: true });
  stream!(TOOLS_CHANGED);
  for await (const { type } of changes) {
    assert.equal(type, "tools");
    break;
  }
  const answer = server.next(({ message }) => message.id === "q");
  stream!({ message: { id: "q", method: "roots/list" } });
  assert.deepEqual((await answer).message.result, { roots: [{ uri: "file:///a" }] });
});

/** Cuts the first answer off after an event, and has the rest in another stream. */
function resumed(
  first: (id: unknown, response: ServerResponse) => void,
): Handlers & { asks: (string | undefined)[] } {
  const asks: (string | undefined)[] = [];
  let id: unknown;
  return {
    asks,
    request: ({ message }, response) => {
      id = message.id;
      first(id, response);
    },
    stream: ({ headers }, response) => {
      const lastId = headers["last-event-id"] as string | undefined;
      if (lastId === undefined) return refuse(response, 405);
      asks.push(lastId);
      const send = events(response);
      if (asks.length === 1) {
        send({ id: "e2" });
        return void response.end();
      }
      send({ id: "e3", message: { id, result: { done: true } } });
      response.end();
    },
  };
}

test("an answer that breaks off is taken up after its last event, when the server says so", async (t) => {
  let brokenAt = 0;
  const handlers = resumed((_, response) => {
    events(response)({ id: "e1", retry: 300 });
    brokenAt = performance.now();
    response.end();
  });
  const { client } = await open(t, handlers);
  assert.equal((await client.call("work"))["done"], true);
  assert.deepEqual(handlers.asks, ["e1", "e2"]);
  assert.ok(performance.now() - brokenAt >= 550, "it has waited twice as long as it was told to");
});

test("an answer whose connection is torn is taken up as well", async (t) => {
  const handlers = resumed((_, response) => {
    events(response)({ id: "e1", retry: 100 });
    setTimeout(() => response.destroy(), 20);
  });
  const { client } = await open(t, handlers);
  assert.equal((await client.call("work"))["done"], true);
});

test("an answer without an id to take it up after is given up, and so is one that never comes", async (t) => {
  const { client } = await open(t, { request: (_, response) => (events(response)({}), response.end()) });
  await assert.rejects(client.call("work"), /before the answer was in it/);
  const other = await open(t, {
    request: (_, response) => (events(response)({ id: "e1", retry: 100 }), response.end()),
    stream: ({ headers }, response) => {
      if (headers["last-event-id"] === undefined) return refuse(response, 405);
      response.writeHead(200, { "Content-Type": "text/event-stream" }).end();
    },
  });
  await assert.rejects(other.client.call("work"), /broke off again and again/);
});

test("a request is taken back by telling the server, and its answer is not waited for", async (t) => {
  const { client, server } = await open(t, { request: (_, response) => void events(response) });
  const coming = server.next(about("slow"));
  const controller = new AbortController();
  const asked = client.call("slow", {}, { signal: controller.signal });
  const { closed, message } = await coming;
  const told = server.next(about("notifications/cancelled"));
  controller.abort(new Error("enough"));
  await assert.rejects(asked, /enough/);
  assert.equal((await told).message.params.requestId, message.id);
  await closed;
});

test("the stream of what is told unasked is opened again when it ends, after its last event", async (t) => {
  const ids: unknown[] = [];
  const again = Promise.withResolvers<void>();
  await open(t, {
    stream: ({ headers }, response) => {
      ids.push(headers["last-event-id"]);
      const send = events(response);
      send({ id: `e${ids.length}`, retry: 100 });
      if (ids.length === 3) again.resolve();
      else response.end();
    },
  });
  await again.promise;
  assert.deepEqual(ids, [undefined, "e1", "e2"]);
});

async function take(changes: Changes, count: number): Promise<ChangeEvent[]> {
  const taken: ChangeEvent[] = [];
  for await (const event of changes) if (taken.push(event) === count) break;
  return taken;
}

test("a session that is lost while nothing is asked is opened again, and everything is told once", async (t) => {
  let isRestarted = false;
  const first = Promise.withResolvers<ServerResponse>();
  const { client, server } = await open(t, {
    request: ({ message, headers }, response) => {
      if (isRestarted && headers["mcp-session-id"] === "session-1") return refuse(response, 404);
      json(response, message.id, {});
    },
    stream: ({ headers }, response) => {
      if (isRestarted && headers["mcp-session-id"] === "session-1") return refuse(response, 404);
      events(response)({ id: "e1", retry: 100 });
      first.resolve(response);
    },
  });
  const changes = await client.listen({ tools: true, uris: ["x:a"] });
  const stream = await first.promise;
  isRestarted = true;
  stream.destroy();
  assert.deepEqual(await take(changes, 2), [{ type: "tools" }, { type: "resource", uri: "x:a" }]);
  const subscribed = server.asked.filter(about("resources/subscribe"));
  assert.deepEqual(subscribed.map(({ headers }) => headers["mcp-session-id"]), ["session-1", "session-2"]);
  assert.equal(server.asked.filter(about("initialize")).length, 2);
});

test("a resource that the server does not tell of in a new session ends those who wait for it, and no others", async (t) => {
  const { client } = await open(t, {
    request: ({ message, headers }, response) => {
      const isOld = headers["mcp-session-id"] === "session-1";
      if (message.method === "resources/subscribe" && !isOld) {
        return refuse(response, 200, { code: -32002, message: "no such resource" }, message.id);
      }
      if (message.method === "tools/list" && isOld) return refuse(response, 404);
      json(response, message.id, { tools: [] });
    },
    stream: (_, response) => void events(response),
  });
  const [first, second] = [await client.subscribe("x:a"), await client.listen({ tools: true })];
  await client.listToolsPaginated();
  await assert.rejects(take(first, 1), /no such resource/);
  assert.deepEqual(await take(second, 1), [{ type: "tools" }]);
});

for (const id of [undefined, "e1"]) {
  const what = id === undefined
    ? "everything is told once"
    : "only what follows is told where it goes on after an event";
  test(`a stream that breaks is opened again, and ${what}`, async (t) => {
    let streams = 0;
    const first = Promise.withResolvers<ServerResponse>();
    const { client } = await open(t, {
      request: ({ message }, response) => json(response, message.id, {}),
      stream: (_, response) => {
        const send = events(response);
        send({ ...(id === undefined ? {} : { id }), retry: 100 });
        if (++streams === 1) return first.resolve(response);
        send({ message: { method: "notifications/resources/updated", params: { uri: "x:a/part" } } });
      },
    });
    const changes = await client.listen({ tools: true, uris: ["x:a"] });
    (await first.promise).destroy();
    const missed: ChangeEvent[] = id === undefined
      ? [{ type: "tools" }, { type: "resource", uri: "x:a" }]
      : [];
    const expected = [...missed, { type: "resource", uri: "x:a/part" }];
    assert.deepEqual(await take(changes, expected.length), expected);
  });
}

test("a stream that is given up ends those who listen with what it broke with; who listens anew asks again", async (t) => {
  let status = 503;
  const { client, server, warnings } = await open(t, {
    stream: (_, response) => {
      if (status === 503 && server.asked.filter(isStream).length > 1) return refuse(response, status);
      events(response)(status === 503 ? { retry: 100 } : TOOLS_CHANGED);
      if (status === 503) response.end();
    },
  });
  const isStream = ({ method }: Asked) => method === "GET";
  await assert.rejects(take(await client.listen({ tools: true }), 1), (cause) => {
    return cause instanceof HttpError && cause.status === 503;
  });
  assert.equal(server.asked.filter(isStream).length, 6);
  assert.ok(warnings.some((text) => /status 503/.test(text)));
  status = 200;
  assert.deepEqual(await take(await client.listen({ tools: true }), 1), [{ type: "tools" }]);
});

test("a server that offers no stream ends those who listen, and is not shaken hands with again", async (t) => {
  // A server that routes POST alone answers 404, as it does where a session is lost.
  for (const status of [405, 404]) {
    const { client, server } = await open(t, {
      request: ({ message }, response) => json(response, message.id, {}),
      stream: (_, response) => refuse(response, status),
    });
    await assert.rejects(take(await client.subscribe("x:a"), 1), (cause) => {
      assert.match(String(cause), new RegExp(`offers no stream of events \\(status ${status}\\)`));
      return cause instanceof HttpError && cause.status === status;
    });
    assert.equal(server.asked.filter(about("initialize")).length, 1);
  }
});

test("a server without sessions and streams is served all the same", async (t) => {
  const server = await serveHttp(t, ({ message, method }, response) => {
    if (method !== "POST") return refuse(response, 405);
    if (message.method === "initialize") return json(response, message.id, HANDSHAKE);
    if (message.id === undefined) return void response.writeHead(200).end();
    if (message.method === "server/discover") {
      return refuse(response, 200, { code: -32601, message: "no" }, message.id);
    }
    json(response, message.id, { tools: [] });
  });
  const client = await connect(httpTransport(server.url), { info: INFO, eras: new Map() });
  await client.listToolsPaginated();
  await client.close();
  assert.ok(!server.asked.some(({ method }) => method === "DELETE"));
});
