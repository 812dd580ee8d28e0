import assert from "node:assert/strict";
import { test } from "node:test";
import { ProtocolError, TimeoutError } from "../../lib/client/mod.ts";
import { RpcError } from "../../lib/jsonrpc/message.ts";
import { all, connected, LEGACY, MODERN } from "./scripted_server.ts";
import type { Progress } from "../../lib/client/mod.ts";

const ERAS = { modern: MODERN, legacy: LEGACY };

for (const [era, opening] of Object.entries(ERAS)) {
  test(`${era}: call() sends params as they are, and what the protocol adds`, async () => {
    const { client, server } = await connected({
      ...opening,
      "tools/list": () => ({ tools: [], limit: 50 }),
    });
    assert.deepEqual((await client.call("tools/list", { cursor: "x", limit: 50 }))["limit"], 50);
    const { _meta, ...params } = server.received.at(-1)!.params;
    assert.deepEqual(params, { cursor: "x", limit: 50 });
    assert.equal(_meta !== undefined, era === "modern");
    await client.close();
  });

  test(`${era}: an answer that takes too long is taken back, and the server is told`, async () => {
    const { client, server } = await connected({ ...opening, slow: () => undefined });
    const told = server.next(({ method }) => method === "notifications/cancelled");
    await assert.rejects(client.call("slow", {}, { timeoutMs: 20 }), TimeoutError);
    const asked = server.received.find(({ method }) => method === "slow")!;
    assert.equal((await told).params.requestId, asked.id);
    // What is answered too late is no news to anybody.
    server.send({ id: asked.id, result: {} });
    await client.close();
  });

  test(`${era}: a time that no timer can run is refused, and one without an end is not`, async () => {
    const { client } = await connected({ ...opening, quick: () => ({}) });
    for (const timeoutMs of [0, -1, NaN]) {
      await assert.rejects(client.call("quick", {}, { timeoutMs }), RangeError);
    }
    for (const timeoutMs of [Infinity, 2 ** 31, 1e12]) await client.call("quick", {}, { timeoutMs });
    await client.close();
  });

  test(`${era}: looking a tool up takes no longer than its call may, and is not tried again`, async () => {
    const { client, server } = await connected({
      ...opening,
      "tools/list": () => undefined,
      "tools/call": () => ({ content: [] }),
    });
    const signal = AbortSignal.timeout(20);
    await assert.rejects(client.callTool("t", {}, { signal }), (cause) => cause === signal.reason);
    await client.callTool("t", {}, { timeoutMs: 20 });
    const { length } = server.received;
    await client.callTool("t", {}, { timeoutMs: 20 });
    assert.equal(server.received.length, length + 1);
    await client.close();
  });

  test(`${era}: a signal takes a request back with its reason`, async () => {
    const { client, server } = await connected({ ...opening, slow: () => undefined });
    const controller = new AbortController();
    const told = server.next(({ method }) => method === "notifications/cancelled");
    const asked = client.call("slow", {}, { signal: controller.signal });
    controller.abort(new Error("enough"));
    await assert.rejects(asked, /enough/);
    assert.match((await told).params.reason, /enough/);
    await assert.rejects(client.call("slow", {}, { signal: controller.signal }), /enough/);
    await client.close();
  });

  test(`${era}: progress is reported, and gives an answer more time but not for ever`, async () => {
    const { client } = await connected({
      ...opening,
      work: ({ params }, server) => {
        const { progressToken } = params._meta;
        let progress = 0;
        const timer = setInterval(() => {
          server.send({
            method: "notifications/progress",
            params: { progressToken, progress: ++progress, total: 2 },
          });
          if (progress < 200) return;
          clearInterval(timer);
        }, 20);
        server.next(({ method }) => method === "notifications/cancelled").then(() => clearInterval(timer));
        return undefined;
      },
    }, { maxTimeoutMs: 1500, timeoutMs: 600 });
    const reports: Progress[] = [];
    const started = performance.now();
    await assert.rejects(client.call("work", {}, { onprogress: (one) => reports.push(one) }), TimeoutError);
    assert.ok(performance.now() - started >= 1400, "progress has given it more than 600 ms");
    assert.deepEqual(reports[0], { progress: 1, total: 2 });
    assert.ok(reports.length > 1);
    await client.close();
  });

  test(`${era}: what the server refuses is an RpcError with its code and data`, async () => {
    const { client } = await connected(opening);
    await assert.rejects(
      client.call("nothing"),
      (cause) => cause instanceof RpcError && cause.code === -32601,
    );
    await client.close();
  });

  test(`${era}: answers that are none are told apart`, async () => {
    const { client } = await connected({
      ...opening,
      "tools/list": () => [1, 2],
      "resources/list": () => ({ resources: "none" }),
      "prompts/list": () => ({ prompts: [], nextCursor: 7 }),
      "resources/read": () => ({}),
      "prompts/get": () => ({ messages: null }),
      "completion/complete": () => ({ completion: {} }),
    });
    await assert.rejects(client.listToolsPaginated(), ProtocolError);
    await assert.rejects(client.listResourcesPaginated(), /answered resources\/list with no resources/);
    await assert.rejects(client.listPromptsPaginated(), /cursor that is no text/);
    await assert.rejects(client.readResource("x:y"), /no contents/);
    await assert.rejects(client.getPrompt("x"), /no messages/);
    await assert.rejects(
      client.complete({ type: "ref/prompt", name: "x" }, { name: "a", value: "" }),
      /no values/,
    );
    await client.close();
  });

  test(`${era}: an answer to nothing and a notification of nothing do no harm`, async () => {
    const { client, server, warnings } = await connected({ ...opening, "tools/list": () => ({ tools: [] }) });
    server.send({ id: 4711, result: {} });
    server.send({ id: "4711", error: { code: 1, message: "x" } });
    server.send({ method: "notifications/unheard/of" });
    server.send({ method: "notifications/progress", params: { progressToken: "nobody", progress: 1 } });
    server.send({ method: "notifications/cancelled", params: { requestId: 99 } });
    server.send({ method: "notifications/resources/updated" });
    server.send({ nonsense: true });
    assert.deepEqual(await all(client.tools()), []);
    assert.equal(warnings.filter((text) => /matches no request/.test(text)).length, 2);
    assert.ok(!server.received.some(({ error }) => error), "nothing of it is answered");
    await client.close();
  });

  test(`${era}: what is not answered when the conversation ends is rejected, and so is what comes after`, async () => {
    const { client, server } = await connected({ ...opening, slow: () => undefined });
    const asked = client.call("slow");
    await server.close();
    await assert.rejects(asked, /ended before slow was answered/);
    await client.closed;
    await assert.rejects(client.call("slow"), /ended before slow was answered/);
  });
}

test("a modern server that asks is not answered; one with a handshake is", async () => {
  const modern = await connected({ ...MODERN, "tools/list": () => ({ tools: [] }) });
  modern.server.send({ id: "s1", method: "ping" });
  await modern.client.listToolsPaginated();
  assert.ok(!modern.server.received.some(({ id }) => id === "s1"));
  assert.ok(modern.warnings.some((text) => /asked the client/.test(text)));
  await modern.client.close();
  const legacy = await connected(LEGACY);
  const answer = legacy.server.next(({ id }) => id === "s1");
  legacy.server.send({ id: "s1", method: "ping" });
  assert.deepEqual((await answer).result, {});
  const refusal = legacy.server.next(({ id }) => id === "s2");
  legacy.server.send({ id: "s2", method: "sampling/createMessage", params: {} });
  assert.equal((await refusal).error!.code, -32601);
  await legacy.client.close();
});

test("a modern result of an unknown type is refused; without one it is complete", async () => {
  const { client } = await connected({
    ...MODERN,
    odd: () => ({ resultType: "streaming" }),
    plain: () => ({ value: 1 }),
  });
  await assert.rejects(client.call("odd"), /unknown type "streaming"/);
  assert.deepEqual(await client.call("plain"), { value: 1 });
  await client.close();
});

test("logs reach whoever takes them; the level is asked for as each era does it", async () => {
  const logs: unknown[] = [];
  const options = { logLevel: "info", onlog: (message: unknown) => void logs.push(message) };
  const script = { "logging/setLevel": () => ({}), "tools/list": () => ({ tools: [] }) };
  const capable = {
    ...LEGACY,
    initialize: () => ({ protocolVersion: "2025-11-25", capabilities: { logging: {} } }),
  };
  const legacy = await connected({ ...capable, ...script }, options);
  assert.deepEqual(legacy.server.received.find(({ method }) => method === "logging/setLevel")!.params, {
    level: "info",
  });
  legacy.server.send({
    method: "notifications/message",
    params: { level: "error", logger: "db", data: { a: 1 } },
  });
  await legacy.client.listToolsPaginated();
  assert.deepEqual(logs, [{ level: "error", logger: "db", data: { a: 1 } }]);
  await legacy.client.close();
  const modern = await connected({ ...MODERN, ...script }, options);
  await modern.client.listToolsPaginated();
  assert.equal(modern.server.received.at(-1)!.params._meta["io.modelcontextprotocol/logLevel"], "info");
  assert.ok(!modern.server.methods.includes("logging/setLevel"));
  await modern.client.close();
});
