/** Sessions: any server with the same keys and store serves a session until it ends or expires. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { HttpListenOptions, HttpSession, SessionStore } from "../../../lib/mcp/http/mod.ts";
import { createHttpHandler, MemorySessionStore } from "../../../lib/mcp/http/mod.ts";
import { createServer, defineTool, resourceProvider } from "../../../lib/mcp/server/mod.ts";
import { pause, until } from "../../harness/process.ts";
import { sessionStoreContract } from "../../harness/session_store_contract.ts";
import type { Fields } from "../../harness/http_client.ts";
import { HttpClient } from "../../harness/http_client.ts";
import { BY_NAME, serve } from "../../harness/http_server.ts";
import { part } from "./tokens.ts";

const [KEY, OTHER_KEY] = [new Uint8Array(32).fill(7), new Uint8Array(32).fill(9)];

test("a request without a valid session is refused with the status that says what to do", async (t) => {
  const client = await (await serve(t)).client("2025-11-25");
  const [body = "", mark = ""] = client.session!.split(".");
  const altered = part(decode(body).replace("2025-11-25", "2025-06-18"));
  const wrong = [undefined, "", `${altered}.${mark}`, `${body}.${mark.slice(0, -2)}AA`, `${body}.`];
  const twice = { "mcp-session-id": client.session, "Mcp-Session-Id": client.session };
  for (const fields of [...wrong.map((id): Fields => ({ "mcp-session-id": id })), twice]) {
    const answered = await client.post(client.request("resources/list"), fields);
    const isStated = fields["mcp-session-id"] !== undefined;
    assert.equal(answered.status, isStated ? 404 : 400, JSON.stringify(fields));
    assert.equal("id" in answered.json, false);
  }
});

test("any server with the same key and store serves a session", async (t) => {
  const sessionStore = new MemorySessionStore();
  const one = await serve(t, { sessionStore }, { keys: [KEY] });
  const other = await serve(t, { sessionStore }, { keys: [OTHER_KEY, KEY] });
  const client = await new HttpClient(one, "2025-06-18").start({ sampling: {} });
  const elsewhere = client.at(other);
  assert.equal(await elsewhere.status("resources/list"), 200);
  // Subscriptions hold at every server.
  const notices = await elsewhere.listen();
  const changes: [method: string, params: object][] = [
    ["logging/setLevel", { level: "error" }],
    ["resources/subscribe", { uri: "doc:a" }],
    ["resources/subscribe", { uri: "doc:b" }],
    ["resources/unsubscribe", { uri: "doc:b" }],
  ];
  for (const [method, params] of changes) assert.ok((await client.ask(method, params))["result"], method);
  const [id] = JSON.parse(decode(client.session!.split(".")[0]!));
  assert.deepEqual(sessionStore.get(id), new Map([["logLevel", "error"], ["uri:doc:a", "1"]]));
  other.source.update("doc:a", "doc:b");
  assert.deepEqual((await notices.take(1)).map(({ params }) => params), [{ uri: "doc:a" }]);
  // So does the end of the session.
  assert.equal(await client.end(), 204);
  assert.equal(await elsewhere.status("ping"), 404);
  assert.equal((await client.at(await serve(t)).listen()).status, 404, "a server with another key");
});

test("the notification stream ends when its session expires, which no server serves then", async (t) => {
  // At least the time that changes are collected for.
  const sessionLifetimeMs = 1500;
  await Promise.all([100, 600_000].map(async (keepAliveMs) => {
    const served = await serve(t, { sessionLifetimeMs, keepAliveMs }, { keys: [KEY] });
    const client = await served.client("2025-06-18");
    const stream = await client.listen();
    assert.equal(stream.status, 200);
    if (keepAliveMs > sessionLifetimeMs) {
      await until("the stream has ended", () => {
        if (!stream.isOver) served.source.relist();
        return stream.isOver;
      });
      assert.ok(stream.messages().length > 0, "notifications were sent before");
    }
    await stream.whole();
    assert.equal(served.source.listeners.size, 0);
    assert.equal(await client.status("ping"), 404);
    assert.equal(await client.at(await serve(t, {}, { keys: [KEY] })).end(), 404);
    assert.deepEqual(served.failures, []);
  }));
});

type Seen = [event: string, session: HttpSession];

/** Options that record what is observed of sessions. */
function observed(seen: Seen[], options: HttpListenOptions = {}): HttpListenOptions {
  return {
    ...options,
    onsessionstart: (session) => void seen.push(["start", session]),
    onsessionend: (session, reason) => void seen.push([reason, session]),
  };
}

test("each session is observed once at its start, with what is known of it, and once at its end, with the reason", async (t) => {
  const rows: [reason: string, options: HttpListenOptions, end: (client: HttpClient) => unknown][] = [
    ["ended", {}, (client) => client.end()],
    ["expired", { sessionLifetimeMs: 60 }, () => undefined],
    ["expired", { sessionLifetimeMs: 60 }, (client) => pause(61).then(() => client.status("ping"))],
    ["idle", { sessionIdleMs: 40 }, () => undefined],
  ];
  await Promise.all(rows.map(async ([reason, options, end]) => {
    const seen: Seen[] = [];
    const authenticate = () => ({ principal: "ann" });
    const served = await serve(t, observed(seen, { ...options, authenticate }));
    const client = await new HttpClient(served, "2025-06-18").start({ sampling: {} });
    const [id] = JSON.parse(decode(client.session!.split(".")[0]!));
    const [, session] = seen[0]!;
    const { revision, client: { info, capabilities } } = session.negotiated;
    const known = [session.id, session.principal, revision.id, info?.["name"], capabilities];
    assert.deepEqual(known, [id, "ann", "2025-06-18", "test", { sampling: {} }]);
    await end(client);
    await until("the end is observed", () => seen.length > 1);
    await client.status("ping");
    assert.equal(seen[1]![1], session);
    const events = seen.map(([event]) => event);
    // An idle session begins again when it is used, and may be idle again by now.
    if (reason === "idle") return assert.deepEqual(events.slice(0, 3), ["start", "idle", "start"]);
    assert.deepEqual([events, served.sessions.size], [["start", reason], 0]);
  }));
});

test("the end of a session is observed by each server that serves it, when it learns of it, and when it closes", async (t) => {
  const sessionStore = new MemorySessionStore();
  const seen: [Seen[], Seen[]] = [[], []];
  const [one, other] = await Promise.all(
    seen.map((list) => serve(t, observed(list, { sessionStore }), { keys: [KEY] })),
  );
  const client = await one!.client("2025-11-25");
  // Two requests at once restore one session.
  await Promise.all([client.at(other!).status("ping"), client.at(other!).status("ping")]);
  const another = await other!.client("2025-11-25");
  await client.end();
  assert.equal(await client.at(other!).status("ping"), 404);
  await other!.close();
  assert.equal(await another.at(one!).status("ping"), 200, "it goes on elsewhere");
  const events = (list: Seen[]) => list.map(([event]) => event);
  assert.deepEqual(events(seen[0]), ["start", "ended", "start"]);
  assert.deepEqual(events(seen[1]), ["start", "start", "ended", "closed"]);
});

test("a server that closes while a session is looked up does not begin it", async (t) => {
  const sessionStore = new MemorySessionStore();
  const called = Promise.withResolvers<void>(), gate = Promise.withResolvers<void>();
  const slow = Object.assign(Object.create(sessionStore) as MemorySessionStore, {
    get(id: string) {
      called.resolve();
      return gate.promise.then(() => sessionStore.get(id));
    },
  });
  const client = await (await serve(t, { sessionStore }, { keys: [KEY] })).client("2025-11-25");
  const seen: Seen[] = [];
  const server = createServer({ info: { name: "other", version: "1" }, keys: [KEY] });
  const handler = createHttpHandler(server, observed(seen, { sessionStore: slow }));
  const ping = client.request("ping");
  const headers = { host: "localhost", ...client.fieldsOf(ping) } as Record<string, string>;
  const asked = handler.fetch(
    new Request("http://localhost/mcp", { method: "POST", headers, body: JSON.stringify(ping) }),
  );
  await called.promise;
  await handler.close();
  gate.resolve();
  assert.equal((await asked).status, 503);
  assert.deepEqual(seen, []);
});

test("an observer that throws is reported, and the session is served", async (t) => {
  const cause = new Error("of the observer");
  const fail = () => assert.fail(cause);
  const served = await serve(t, { onsessionstart: fail, onsessionend: fail });
  const client = await served.client("2025-11-25");
  assert.equal(await client.status("ping"), 200);
  assert.equal(await client.end(), 204);
  assert.deepEqual(served.failures, [cause, cause]);
});

test("tools, resources and the operator share the state of a session; modern requests have none", async (t) => {
  const count = ({ sessionState: state }: { sessionState: Map<string, unknown> | undefined }) => {
    if (!state) return "no session";
    state.set("count", Number(state.get("count") ?? 0) + 1);
    return `${state.get("count")}`;
  };
  const served = await serve(t, {}, {
    tools: [
      defineTool({ name: "count", inputSchema: { type: "object" }, handler: (_, context) => count(context) }),
    ],
    resources: [resourceProvider({ resources: [{ uri: "count:it", name: "it", read: count }] })],
  });
  const ask = async (client: HttpClient) => {
    const called = await client.ask("tools/call", { name: "count", arguments: {} });
    const read = await client.ask("resources/read", { uri: "count:it" });
    return JSON.stringify([called["result"], read["result"]]).match(/(?<="text":")[^"]*/g);
  };
  const one = await served.client("2025-11-25"), other = await served.client("2024-11-05");
  assert.deepEqual([await ask(one), await ask(one), await ask(other)], [["1", "2"], ["3", "4"], ["1", "2"]]);
  assert.deepEqual([...served.sessions.values()].map(({ state }) => state.get("count")), [4, 2]);
  const modern = new HttpClient(served);
  modern.fields = { "mcp-session-id": one.session };
  assert.deepEqual(await ask(modern), ["no session", "no session"]);
});

test("a message to one session, or to all, is sent on the notification stream, if the client wants it", async (t) => {
  const served = await serve(t);
  const one = await served.client("2025-06-18"), other = await served.client("2025-06-18");
  await served.client("2025-06-18");
  const [first, second, third] = [...served.sessions.values()];
  assert.ok((await one.ask("logging/setLevel", { level: "warning" }))["result"]);
  assert.ok((await one.ask("resources/subscribe", { uri: "doc:a" }))["result"]);
  const streams = [await one.listen(), await other.listen()] as const;
  // The level and the subscription are checked, and prompts do not declare changes here.
  assert.deepEqual([first!.log("info", "quiet"), first!.log("error", { full: true }, "disk")], [false, true]);
  for (const session of [second!, third!]) assert.equal(session.log("emergency", "unwanted"), false);
  for (const session of served.sessions.values()) {
    const isOpen = session !== third;
    assert.equal(session.resourceUpdated("doc:b"), false);
    assert.equal(session.resourceUpdated("doc:a"), session === first);
    assert.equal(session.listChanged("prompts"), false);
    assert.equal(session.listChanged("resources"), isOpen);
  }
  const changed = { jsonrpc: "2.0", method: "notifications/resources/list_changed" };
  const params = { level: "error", logger: "disk", data: { full: true } };
  assert.deepEqual(await streams[0].take(3), [
    { jsonrpc: "2.0", method: "notifications/message", params },
    { jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri: "doc:a" } },
    changed,
  ]);
  assert.deepEqual(await streams[1].take(1), [changed]);
});

test("a client that fills the session store gets errors, and others go on, subscribe and end their sessions", async (t) => {
  const tail = "a".repeat(8000);
  // Some 510 KB of URIs, which the limit of a session allows.
  const batchOf = (session: number) =>
    Array.from({ length: 64 }, (_, id) => ({
      jsonrpc: "2.0",
      id,
      method: "resources/subscribe",
      params: { uri: `doc:${session}/${id}/${tail}` },
    }));
  const sessionStore = new MemorySessionStore(), set = sessionStore.set.bind(sessionStore);
  const served = await serve(t, { ...BY_NAME, sessionStore });
  const other = await served.client("2025-11-25", "other");
  // What the store does not take does not count.
  sessionStore.set = () => {
    throw new Error("no space left");
  };
  for (let session = 200; session < 230; session++) {
    const client = await served.client("2025-03-26", "greedy");
    for (const answer of (await client.post(batchOf(session))).json as unknown as { error?: object }[]) {
      assert.ok(answer.error);
    }
  }
  sessionStore.set = set;
  const sessions: HttpClient[] = [];
  const answers: { error?: { message: string } }[] = [];
  while (sessions.length < 140 && !answers.some(({ error }) => error)) {
    const client = await served.client("2025-03-26", "greedy");
    sessions.push(client);
    answers.push(...(await client.post(batchOf(sessions.length))).json as unknown as typeof answers);
  }
  // More than half of what is free would be too much.
  assert.ok(sessions.length > 50 && sessions.length < 70, `${sessions.length} sessions`);
  assert.match(
    answers.find(({ error }) => error)!.error!.message,
    /this client has \d+; end a session first/,
  );
  const [first] = sessions as [HttpClient];
  const another = await served.client("2025-11-25", "greedy");
  const more = () => another.post(another.request("resources/subscribe", { uri: `doc:more/${tail}` }));
  const refused = await more();
  assert.deepEqual([refused.status, refused.headers.get("retry-after")], [429, "30"]);
  for (const uri of ["doc:a", `doc:${tail}`]) {
    assert.ok((await other.ask("resources/subscribe", { uri }))["result"]);
  }
  assert.equal(await other.end(), 204);
  assert.equal(await first.end(), 204);
  assert.equal((await more()).status, 200, "the end of a session frees what it has stored");
});

test("a client begins sessions in place of its own ones, while those of others keep their state", async (t) => {
  const seen: Seen[] = [];
  const served = await serve(t, observed(seen, { ...BY_NAME, maxSessions: 6 }));
  const other = await served.client("2025-11-25", "other");
  served.sessions.values().next().value!.state.set("kept", true);
  const own: HttpClient[] = [];
  for (let count = 0; count < 6; count++) own.push(await served.client("2025-11-25", "greedy"));
  assert.deepEqual([...served.sessions.values()].map(({ principal, state }) => [principal, state.size]), [
    ["other", 1],
    ...Array(3).fill(["greedy", 0]),
  ]);
  assert.equal(await own[0]!.status("ping"), 200, "the evicted session begins again");
  assert.equal(await other.status("ping"), 200);
  assert.deepEqual(
    seen.filter(([event]) => event !== "start").map(([event, { principal }]) => [event, principal]),
    Array(4).fill(["evicted", "greedy"]),
  );
});

test("a request is answered when its session is evicted, or ends, while the store is read", async (t) => {
  let reads = 0;
  let gate: PromiseWithResolvers<undefined> | undefined;
  const entries = new MemorySessionStore(), get = entries.get.bind(entries);
  const sessionStore: SessionStore = Object.assign(entries, {
    get: (session: string) => (reads++, gate?.promise ?? get(session)),
  });
  const seen: Seen[] = [];
  const served = await serve(t, observed(seen, { sessionStore, maxSessions: 2 }));
  const client = await served.client("2025-11-25");
  for (const [reason, status] of [["evicted", 200], ["ended", 404]] as const) {
    const opened = gate = Promise.withResolvers<undefined>();
    const before = reads;
    const answered = client.status("ping");
    const stream = reason === "ended" ? client.listen() : undefined;
    await until("the store is read", () => reads > before + (stream ? 1 : 0));
    gate = undefined;
    if (reason === "ended") await client.end();
    else await served.client("2025-11-25");
    assert.ok(seen.some(([event]) => event === reason));
    opened.resolve(undefined);
    assert.equal(await answered, status, reason);
    assert.equal((await stream)?.status, stream && 404);
    // It is served again, in place of the other one.
    if (reason === "evicted") await client.status("ping");
  }
});

const memory = new MemorySessionStore();
sessionStoreContract("the store in memory", () => [memory, memory]);

test("while the store fails no session is served, and the operator gets the cause", async (t) => {
  let cause: Error | undefined;
  const entries = new MemorySessionStore(), get = entries.get.bind(entries);
  const sessionStore: SessionStore = Object.assign(entries, {
    get: (session: string) => cause ? Promise.reject(cause) : get(session),
  });
  const served = await serve(t, { sessionStore });
  const client = await served.client("2025-11-25");
  assert.equal(await client.status("ping"), 200);
  cause = new Error("no connection to 10.0.0.9");
  const refused = await client.post(client.request("ping"));
  assert.equal(refused.status, 503);
  assert.doesNotMatch(refused.body, /10\.0\.0\.9/);
  assert.deepEqual(served.failures, [cause]);
  cause = undefined;
  assert.equal(await client.status("ping"), 200);
});

function decode(base64Url: string): string {
  return atob(base64Url.replaceAll("-", "+").replaceAll("_", "/"));
}
