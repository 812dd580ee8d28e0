/** Input that the server asks for: with requests in legacy revisions, and with results in the modern one. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClientOptions } from "../../../lib/mcp/client/mod.ts";
import { LEGACY, MODERN, open } from "../../harness/scripted_server.ts";

const FORM = {
  method: "elicitation/create",
  params: {
    message: "Who?",
    requestedSchema: {
      type: "object",
      properties: { size: { type: "integer", default: 7 }, name: { type: "string" } },
    },
  },
};
const SAMPLE = { method: "sampling/createMessage", params: { messages: [], maxTokens: 5 } };
const ROOTS = { method: "roots/list" };
const REQUESTS = { form: FORM, sample: SAMPLE, roots: ROOTS };
const HANDLERS: Partial<ClientOptions> = {
  onform: ({ message }) => ({ action: "accept", content: { name: message, size: undefined } }),
  onsample: ({ maxTokens }) => ({ role: "assistant", content: maxTokens, model: "m" }),
  roots: () => [{ uri: "file:///a" }],
};
const ANSWERS = {
  form: { action: "accept", content: { name: "Who?", size: 7 } },
  sample: { role: "assistant", content: 5, model: "m" },
  roots: { roots: [{ uri: "file:///a" }] },
};

test("modern: a request is repeated with a new id, the answers of the handlers, and the unchanged state", async (t) => {
  const requestState = '{"opaque": "\\u00e4"}';
  const { client, server } = await open(t, {
    ...MODERN,
    "tools/call": ({ params }) =>
      params.inputResponses
        ? { content: [], seen: params }
        : { resultType: "input_required", inputRequests: REQUESTS, requestState },
  }, HANDLERS);
  const { _meta, ...seen } = (await client.callTool("x", { a: 1 }))["seen"] as Record<string, object>;
  assert.deepEqual(seen, { name: "x", arguments: { a: 1 }, inputResponses: ANSWERS, requestState });
  assert.equal(new Set(server.of("tools/call").map(({ id }) => id)).size, 2);
  assert.deepEqual((_meta as Record<string, unknown>)["io.modelcontextprotocol/clientCapabilities"], {
    elicitation: { form: {} },
    sampling: {},
    roots: {},
  });
});

test("legacy: the same handlers answer requests", async (t) => {
  const { client, server } = await open(t, LEGACY, HANDLERS);
  const { capabilities } = server.of("initialize")[0]!.params;
  assert.deepEqual(capabilities, { elicitation: { form: {} }, sampling: {}, roots: { listChanged: true } });
  for (const [id, request] of Object.entries(REQUESTS)) {
    const answer = server.next((message) => message.id === id);
    server.send({ id, ...request });
    assert.deepEqual((await answer).result, ANSWERS[id as keyof typeof ANSWERS]);
  }
  client.rootsChanged();
  await client.close();
  assert.equal(server.methods.at(-1), "notifications/roots/list_changed");
});

test("legacy: user decisions, pages, and requests without a handler", async (t) => {
  const { server } = await open(t, LEGACY, {
    onform: () => ({ action: "decline" }),
    onurl: ({ url }) => ({ action: url === "https://a.example/" ? "accept" : "cancel" }),
  });
  const elicit = (params: object) => ({ method: "elicitation/create", params: { message: "", ...params } });
  const error = (code: number, message: string) => ({ error: { code, message } });
  const cases: [object, object][] = [
    [{ method: "ping" }, { result: {} }],
    [FORM, { result: { action: "decline" } }],
    [elicit({ mode: "url", url: "https://a.example/" }), { result: { action: "accept" } }],
    [
      elicit({ mode: "telepathy" }),
      error(-32602, 'This client does not support the elicitation mode "telepathy"'),
    ],
    [SAMPLE, error(-32601, "This client does not answer sampling/createMessage")],
  ];
  for (const [id, [request, expected]] of cases.entries()) {
    const answer = server.next((message) => message.id === id);
    server.send({ id, ...request });
    assert.deepEqual(await answer, { jsonrpc: "2.0", id, ...expected });
  }
});

test("legacy: the time of the user does not count for the server's timeout", async (t) => {
  const { client, server } = await open(t, {
    ...LEGACY,
    work: ({ id }, self) => {
      self.send({ id: "q", ...FORM });
      void self.next((message) => message.id === "q").then(() => self.send({ id, result: { done: true } }));
    },
  }, {
    timeoutMs: 50,
    onform: () => new Promise((resolve) => setTimeout(() => resolve({ action: "cancel" }), 150)),
  });
  assert.equal((await client.call("work"))["done"], true);
  assert.ok(!server.methods.includes("notifications/cancelled"));
});

test("legacy: a request that the server cancels aborts its handler, and is not answered", async (t) => {
  const aborted = Promise.withResolvers<string>();
  const { client, server } = await open(t, LEGACY, {
    onsample: (_, { signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => {
          aborted.resolve(String(signal.reason));
          reject(signal.reason);
        });
        server.notify("cancelled", { requestId: "q" });
      }),
  });
  server.send({ id: "q", ...SAMPLE });
  assert.match(await aborted.promise, /cancelled/);
  await client.close();
  assert.ok(!server.received.some(({ id }) => id === "q"));
});

test("modern: the caller's signal ends the handlers of its request, even if they ignore the signal", async (t) => {
  const asked = Promise.withResolvers<AbortSignal>();
  const { client, server } = await open(t, {
    ...MODERN,
    "prompts/get": () => ({ resultType: "input_required", inputRequests: { a: FORM } }),
  }, {
    onform: (_, { signal }) => {
      asked.resolve(signal);
      return new Promise(() => {});
    },
  });
  const controller = new AbortController();
  const call = client.getPrompt("x", {}, { signal: controller.signal });
  const signal = await asked.promise;
  controller.abort(new Error("enough"));
  await assert.rejects(call, /enough/);
  assert.equal(signal.aborted, true);
  assert.equal(server.of("prompts/get").length, 1);
});

test("modern: input that cannot be provided ends the request", async (t) => {
  const fails = () => assert.fail("no user here");
  const hundredAndOne = Object.fromEntries(Array(101).fill(ROOTS).entries());
  const cases: [result: object, expected: RegExp, options?: Partial<ClientOptions>, requests?: number][] = [
    [{ inputRequests: { a: SAMPLE } }, /does not answer sampling\/createMessage/, {}],
    [{ inputRequests: { a: { method: "tools/list" } } }, /does not answer tools\/list/],
    [{ inputRequests: { a: FORM } }, /no user here/, { onform: fails }],
    [{ inputRequests: { a: 7 } }, /an input request without a method/],
    [{ inputRequests: 7 }, /inputRequests that cannot be read/],
    [{ inputRequests: hundredAndOne }, /inputRequests that cannot be read/],
    [{ requestState: 7 }, /a requestState that is not a string/],
    [{}, /neither inputRequests nor a requestState/],
    [{ inputRequests: { a: ROOTS } }, /input_required 20 times/, HANDLERS, 21],
    [{ requestState: "again" }, /input_required 20 times/, HANDLERS, 21],
    [{ resultType: "streaming" }, /the unknown result type "streaming"/],
  ];
  for (const [result, expected, options = HANDLERS, requests = 1] of cases) {
    const answer = () => ({ resultType: "input_required", ...result });
    const script = { ...MODERN, "prompts/get": answer, "tools/list": answer };
    const { client, server } = await open(t, script, options);
    await assert.rejects(client.getPrompt("x"), expected);
    assert.equal(server.of("prompts/get").length, requests);
    if ("resultType" in result) continue;
    await assert.rejects(client.listToolsPaginated(), /input_required, which this method does not allow/);
  }
  let asked = 0;
  const answer = () => asked++ < 20 ? { resultType: "input_required", requestState: "s" } : { messages: [] };
  const { client } = await open(t, { ...MODERN, "prompts/get": answer });
  assert.deepEqual((await client.getPrompt("x")).messages, [], "the twentieth time is still allowed");
});
