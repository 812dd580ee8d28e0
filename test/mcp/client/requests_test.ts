/** Requests: timeouts, cancellation, progress, malformed responses, lists and the cache. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Client, ClientOptions, Progress } from "../../../lib/mcp/client/mod.ts";
import { ProtocolError, ResponseCache, TimeoutError } from "../../../lib/mcp/client/mod.ts";
import { RpcError } from "../../../lib/jsonrpc/mod.ts";
import { stopClock } from "../../harness/clock.ts";
import { usedHeap } from "../../harness/process.ts";
import type { Script } from "../../harness/scripted_server.ts";
import { all, ERAS, fail, LEGACY, MODERN, open } from "../../harness/scripted_server.ts";

const LISTS = [
  ["tools/list", "tools", "listToolsPaginated"],
  ["resources/list", "resources", "listResourcesPaginated"],
  ["resources/templates/list", "resourceTemplates", "listResourceTemplatesPaginated"],
  ["prompts/list", "prompts", "listPromptsPaginated"],
] as const;

type Call = (client: Client) => Promise<unknown>;
const complete: Call = (client) =>
  client.complete({ type: "ref/prompt", name: "x" }, { name: "a", value: "" });
const MALFORMED: [method: string, result: unknown, call: Call, expected: RegExp][] = [
  ["tools/list", [1, 2], (client) => client.listToolsPaginated(), /a result that is not an object/],
  ["resources/list", { resources: 1 }, (client) => client.listResourcesPaginated(), /with no resources/],
  ["prompts/list", { prompts: [], nextCursor: 7 }, (client) => client.listPromptsPaginated(), /not a string/],
  ["resources/read", {}, (client) => client.readResource("x:y"), /with no contents/],
  ["prompts/get", { messages: null }, (client) => client.getPrompt("x"), /with no messages/],
  ["tools/call", {}, (client) => client.callTool("x"), /with no content/],
  ["completion/complete", { completion: {} }, complete, /with no values/],
];

for (const [era, opening] of Object.entries(ERAS)) {
  const isModern = era === "modern";

  test(`${era}: call() cancels a request that takes too long or is aborted, and notifies the server`, async (t) => {
    const { client, server, warnings } = await open(t, { ...opening, slow: () => undefined });
    const controller = new AbortController();
    for (const options of [{ timeoutMs: 20 }, { signal: controller.signal }]) {
      const cancelled = server.call("notifications/cancelled");
      const call = client.call("slow", {}, options);
      if (options.signal) controller.abort(new Error("enough"));
      await assert.rejects(call, options.signal ? /^Error: enough$/ : TimeoutError);
      const { requestId, reason } = (await cancelled).params;
      assert.equal(requestId, server.of("slow").at(-1)!.id);
      assert.match(reason, options.signal ? /enough/ : /did not answer slow in 20 ms/);
      // A late response is dropped.
      server.send({ id: requestId, result: {} });
    }
    await assert.rejects(client.call("slow", {}, { signal: controller.signal }), /enough/);
    assert.deepEqual(warnings, []);
  });

  test(`${era}: call() sends params unchanged, refuses invalid timeouts, and accepts an infinite one`, async (t) => {
    const { client, server } = await open(t, { ...opening, quick: () => ({ limit: 50 }) });
    assert.equal((await client.call("quick", { cursor: "x", limit: 50 }))["limit"], 50);
    const { _meta, ...params } = server.received.at(-1)!.params;
    assert.deepEqual(params, { cursor: "x", limit: 50 });
    assert.equal(_meta !== undefined, isModern);
    for (const timeoutMs of [0, -1, NaN]) {
      await assert.rejects(client.call("quick", {}, { timeoutMs }), RangeError);
    }
    for (const timeoutMs of [Infinity, 2 ** 31, 1e12]) await client.call("quick", {}, { timeoutMs });
  });

  test(`${era}: progress is reported and restarts the timeout, up to a limit`, async (t) => {
    const clock = stopClock(t);
    const { client } = await open(t, {
      ...opening,
      work: ({ params }, server) => {
        const { progressToken } = params._meta;
        let progress = 0;
        const report = () => server.notify("progress", { progressToken, progress: ++progress, total: 2 });
        const timer = setInterval(report, 20);
        void server.call("notifications/cancelled").then(() => clearInterval(timer));
      },
    }, { maxTimeoutMs: 400, timeoutMs: 150 });
    const reports: Progress[] = [];
    const started = clock.now;
    const onprogress = (one: Progress) => void reports.push(one);
    const call = client.call("work", {}, { onprogress });
    await assert.rejects(clock.until(call), /did not answer work in 400 ms/);
    assert.equal(clock.now - started, 400);
    assert.deepEqual(reports.slice(0, 2).map(({ progress, total }) => [progress, total]), [[1, 2], [2, 2]]);
  });

  test(`${era}: an error is an RpcError, and a malformed result a ProtocolError`, async (t) => {
    const script = Object.fromEntries(MALFORMED.map(([method, result]) => [method, () => result]));
    const { client } = await open(t, { ...opening, ...script });
    for (const [method, , call, expected] of MALFORMED) {
      const isExpected = (cause: unknown) => cause instanceof ProtocolError && expected.test(cause.message);
      await assert.rejects(call(client), isExpected, method);
    }
    const isUnknown = (cause: unknown) => cause instanceof RpcError && cause.code === -32601;
    await assert.rejects(client.call("nothing"), isUnknown);
  });

  test(`${era}: unexpected messages, and requests to a modern client, do no harm`, async (t) => {
    const { client, server, warnings } = await open(t, { ...opening, "tools/list": () => ({ tools: [] }) });
    server.send({ id: 4711, result: {} });
    server.send({ id: "4711", error: { code: 1, message: "x" } });
    for (const method of ["unheard/of", "progress", "cancelled", "resources/updated"]) {
      server.notify(method, { progressToken: "none", progress: 1, requestId: 99 });
    }
    server.send({ nonsense: true });
    if (isModern) server.send({ id: "s1", method: "ping" });
    assert.deepEqual(await all(client.tools()), []);
    assert.equal(warnings.filter((text) => /4711/.test(text)).length, 2);
    assert.equal(warnings.filter((text) => /must not be answered/.test(text)).length, isModern ? 2 : 1);
    assert.ok(server.received.every(({ method }) => method), "nothing is answered");
  });

  test(`${era}: without the capability, a list is empty and not requested, and a call is an error`, async (t) => {
    const initialize = () => ({ protocolVersion: "2025-11-25", capabilities: {} });
    const discover = () => ({ supportedVersions: ["2026-07-28"], capabilities: {} });
    const script = isModern ? { "server/discover": discover } : { initialize };
    const { client, server } = await open(t, script);
    for (const [method, member] of LISTS) {
      assert.deepEqual(await all<unknown>(client[member]()), []);
      assert.equal(server.of(method).length, 0);
    }
    const calls = [
      client.callTool("x"),
      client.readResource("x:y"),
      client.getPrompt("x"),
      client.listToolsPaginated(),
    ];
    for (const call of calls) {
      await assert.rejects(call, (cause) => cause instanceof RpcError && cause.code === -32601);
    }
  });

  test(`${era}: pending and later requests are rejected when the session ends`, async (t) => {
    const { client, server } = await open(t, { ...opening, slow: () => undefined });
    const call = client.call("slow");
    await server.close();
    const expected = { name: "TransportError", message: /ended before slow was answered/ };
    await assert.rejects(call, expected);
    await client.closed;
    await assert.rejects(client.call("slow"), expected);
  });

  test(`${era}: log messages are passed on, and the level is set in the way of the era`, async (t) => {
    const logs: unknown[] = [];
    const initialize = () => ({ protocolVersion: "2025-11-25", capabilities: { logging: {} } });
    const script = {
      ...opening,
      ...(!isModern && { initialize }),
      "logging/setLevel": () => ({}),
      x: () => ({}),
    };
    const { client, server } = await open(t, script, {
      logLevel: "info",
      onlog: (message) => void logs.push(message),
    });
    server.notify("message", { level: "error", logger: "db", data: { a: 1 } });
    await client.call("x");
    assert.deepEqual(logs, [{ level: "error", logger: "db", data: { a: 1 } }]);
    const set = server.of("logging/setLevel").map(({ params }) => params);
    assert.deepEqual(set, isModern ? [] : [{ level: "info" }]);
    const { _meta } = server.received.at(-1)!.params;
    assert.equal(_meta?.["io.modelcontextprotocol/logLevel"], isModern ? "info" : undefined);
  });

  test(`${era}: each list takes a cursor and nothing else, and iterates over all pages`, async (t) => {
    const script = LISTS.map(([method, member]): [string, Script[string]] => [method, ({ params }) => {
      const at = Number(params?.cursor ?? 0);
      return { [member]: [{ name: `n${at}` }], ...(at < 2 ? { nextCursor: String(at + 1) } : {}) };
    }]);
    const { client, server } = await open(t, { ...opening, ...Object.fromEntries(script) });
    for (const [method, member, paginated] of LISTS) {
      const first = await client[paginated]() as Record<string, unknown>;
      assert.deepEqual(first[member], [{ name: "n0" }], method);
      const { _meta, ...params } = server.received.at(-1)!.params ?? {};
      assert.deepEqual(params, {});
      const second = await client[paginated](first["nextCursor"] as string) as Record<string, unknown>;
      assert.deepEqual(second[member], [{ name: "n1" }]);
      assert.ok(client[paginated].length <= 1);
      const names = (await all<{ name: string }>(client[member]())).map(({ name }) => name);
      assert.deepEqual(names, ["n0", "n1", "n2"]);
    }
  });
}

test("thirty thousand unexpected responses are not kept", async (t) => {
  const { client, server } = await open(t, { ...MODERN, x: () => ({}) });
  const before = usedHeap();
  for (let count = 1; count <= 30_000; count++) server.send({ id: -count, result: {} });
  await client.call("x");
  const grown = usedHeap() - before;
  assert.ok(grown < 5 * 1024 * 1024, `${Math.round(grown / 1024 / 1024)} MiB more than before`);
});

const ENDS: [modern: number, legacy: number, cursors: unknown[]][] = [
  [2, 2, ["a"]],
  [1, 1, [null]],
  [2, 2, ["a", null]],
  [2, 1, [""]],
  [3, 2, ["a", ""]],
  [4, 1, ["", "a", "b"]],
  [2, 2, [" "]],
  [3, 3, ["0", "false"]],
  [0, 1, ["", ""]],
  [0, 2, ["a", "", "b", ""]],
  [0, 0, ["a", "a"]],
  [0, 0, [0]],
  [0, 0, [false]],
];
for (const [era, opening] of Object.entries(ERAS)) {
  test(`${era}: a list ends where nextCursor is missing; an empty one ends it before 2026-07-28 only`, async (t) => {
    for (const [method, member] of LISTS) {
      for (const [modern, legacy, cursors] of ENDS) {
        const pages = era === "modern" ? modern : legacy, asked: unknown[] = [];
        const { client } = await open(t, {
          ...opening,
          [method]: ({ params }) => {
            const nextCursor = cursors[asked.push(params.cursor) - 1];
            return { [member]: [{ name: `n${asked.length}`, uri: "x:y" }], nextCursor };
          },
        });
        const label = `${method} ${JSON.stringify(cursors)}`;
        const found = all<{ name: string }>(client[member]());
        if (pages === 0) await assert.rejects(found, /same cursor twice|not a string/, label);
        else {
          assert.equal(
            (await found).map(({ name }) => name).join(),
            ["n1", "n2", "n3", "n4"].slice(0, pages).join(),
          );
          assert.deepEqual(asked, [undefined, ...cursors].slice(0, pages), label);
        }
      }
    }
  });
}

test("a tool after an empty cursor is known before it is called", async (t) => {
  const outputSchema = { type: "object", required: ["n"] };
  const { client } = await open(t, {
    ...MODERN,
    "tools/list": ({ params }) =>
      params.cursor === undefined ? { tools: [], nextCursor: "" } : { tools: [{ name: "b", outputSchema }] },
    "tools/call": () => ({ content: [], structuredContent: {} }),
  });
  await assert.rejects(client.callTool("b"), /does not fit its output schema/);
});

test("lists end at a repeated cursor, at each limit, and when the loop is left", async (t) => {
  const names = (count: number) => Array.from({ length: count }, (_, index) => `c${index}`);
  const long = names(10).map((name) => ({ name, description: "x".repeat(100) }));
  const cases: [cursors: unknown[], limits: Partial<ClientOptions>, pages: number, expected?: RegExp][] = [
    [["x", "y", "x"], {}, 3, /the server sent the same cursor twice/],
    [names(99), { maxPages: 50 }, 50, /more than 50 pages; raise maxPages/],
    [names(1001), {}, 1000, /more than 1000 pages/],
    [names(99), { maxItems: 35 }, 4, /more than 35 items; raise maxItems/],
    [names(99), { maxListSize: 5000 }, 4, /more than 5000 characters; raise maxListSize/],
  ];
  for (const [cursors, limits, pages, expected] of cases) {
    let served = 0, seen = 0;
    const list = () => ({ prompts: [...long, 7, null], nextCursor: cursors[served++] });
    const { client } = await open(t, { ...MODERN, "prompts/list": list }, limits);
    const reading = (async () => {
      for await (const _ of client.prompts()) seen++;
    })();
    if (expected) {
      const message = new RegExp(`^Cannot read all prompts: ${expected.source}`);
      await assert.rejects(reading, { name: "ProtocolError", message });
    } else await reading;
    const isCut = limits.maxItems || limits.maxListSize;
    assert.deepEqual([seen, served], [10 * (isCut ? pages - 1 : pages), pages]);
    served = 0;
    await all(client.prompts(), 1);
    assert.equal(served, 1);
  }
});

test("ResponseCache keeps copies of responses that may be cached until they expire, for equal params", (t) => {
  const { now: clock } = performance;
  t.after(() => performance.now = clock);
  let now = 0;
  performance.now = () => now;
  const cache = new ResponseCache();
  const set = (method: string, params: object, result: object) =>
    cache.set(method, { ...params }, { ...result }, cache.generation);
  for (const ttlMs of [0, -1, undefined, "100", NaN]) set("tools/list", {}, { ttlMs });
  assert.equal(cache.get("tools/list", {}), undefined);

  const page = { tools: [{ name: "a" }], ttlMs: 100 };
  set("tools/list", { b: 1, a: 2 }, page);
  const copy = cache.get("tools/list", { a: 2, b: 1 }) as unknown as typeof page;
  copy.tools[0]!.name = "changed";
  now = 99;
  assert.deepEqual(cache.get("tools/list", { a: 2, b: 1 }), page);
  assert.equal(cache.get("tools/list", { a: 2 }), undefined);
  now = 100;
  assert.equal(cache.get("tools/list", { a: 2, b: 1 }), undefined);
});

test("ResponseCache holds 16 Mi characters, and drops the least recently used responses", () => {
  const cache = new ResponseCache();
  const text = "x".repeat(6 * 1024 * 1024);
  const set = (uri: string) =>
    cache.set("resources/read", { uri }, { text, ttlMs: 60_000 }, cache.generation);
  for (const uri of ["a", "b"]) set(uri);
  const kept = () => ["a", "b", "c"].filter((uri) => cache.get("resources/read", { uri })).join("");
  assert.ok(cache.get("resources/read", { uri: "a" }));
  set("c");
  assert.equal(kept(), "ac");
});

const LISTED = { tools: [], ttlMs: 60_000, cacheScope: "private" };

test("a client answers from its cache until a change is announced, even right after the acknowledgment", async (t) => {
  let reads = 0;
  const { client, server } = await open(t, {
    ...MODERN,
    "tools/list": () => LISTED,
    "resources/read": ({ params: { uri } }) => ({
      contents: [{ uri, text: String(++reads) }],
      ttlMs: 60_000,
      cacheScope: "private",
    }),
    "subscriptions/listen": ({ id, params }, self) => {
      self.notify("subscriptions/acknowledged", { notifications: params.notifications }, id);
      self.notify("resources/updated", { uri: "x:a" }, id);
      self.notify("tools/list_changed", {}, id);
    },
  });
  const texts = async (...uris: string[]) => {
    const found: unknown[] = [];
    for (const uri of uris) found.push((await client.readResource(uri)).contents[0]!.text);
    return found;
  };
  const list = async () => {
    for (let count = 0; count < 2; count++) await client.listToolsPaginated();
    return server.of("tools/list").length;
  };
  assert.equal(await list(), 1);
  assert.deepEqual(await texts("x:a", "x:a", "x:b", "x:b"), ["1", "1", "2", "2"]);
  const events = await all(await client.listen({ tools: true, uris: ["x:a"] }), 2);
  assert.deepEqual(events.map(({ type }) => type), ["resource", "tools"]);
  assert.deepEqual(await texts("x:a", "x:b"), ["3", "2"]);
  assert.equal(await list(), 2);
});

test("errors, responses that a change has overtaken, and all responses with cache: false are not cached", async (t) => {
  let requests = 0;
  const overtaken: Script[string] = ({ id }, self) => {
    self.notify("tools/list_changed");
    self.send({ id, result: LISTED });
  };
  const cases: [Script, Partial<ClientOptions>?][] = [
    [{ ...LEGACY, "tools/list": overtaken }],
    [{ ...MODERN, "tools/list": () => ++requests === 1 ? fail(-32603) : LISTED }],
    [{ ...MODERN, "tools/list": () => LISTED }, { cache: false }],
  ];
  for (const [script, options] of cases) {
    const { client, server } = await open(t, script, options);
    for (let count = 0; count < 2; count++) await client.listToolsPaginated().catch(() => {});
    assert.equal(server.of("tools/list").length, 2);
  }
});

test("clients share only the responses that their server marks as public", async (t) => {
  const sharedCache = new ResponseCache();
  const script = {
    ...MODERN,
    "tools/list": () => ({ ...LISTED, cacheScope: "public" }),
    "prompts/list": () => ({ prompts: [], ttlMs: 60_000, cacheScope: "private" }),
  };
  const methods: unknown[] = [];
  for (let count = 0; count < 2; count++) {
    const { client, server } = await open(t, script, { sharedCache });
    await client.listToolsPaginated();
    await client.listPromptsPaginated();
    methods.push(server.methods.slice(1));
  }
  assert.deepEqual(methods, [["tools/list", "prompts/list"], ["prompts/list"]]);
});
