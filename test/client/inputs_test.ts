import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClientOptions } from "../../lib/client/mod.ts";
import { connected, LEGACY, MODERN } from "./scripted_server.ts";
import type { Script } from "./scripted_server.ts";

const FORM = {
  method: "elicitation/create",
  params: {
    message: "Who?",
    requestedSchema: {
      type: "object",
      properties: { name: { type: "string" }, size: { type: "integer", default: 7 } },
    },
  },
};
const SAMPLE = { method: "sampling/createMessage", params: { messages: [], maxTokens: 5 } };
const ROOTS = { method: "roots/list" };

const HANDLERS: Partial<ClientOptions> = {
  onform: ({ message }) => ({ action: "accept", content: { name: message } }),
  onsample: ({ maxTokens }) => ({ role: "assistant", content: maxTokens, model: "m" }),
  roots: () => [{ uri: "file:///a" }],
};
const ANSWERS = {
  form: { action: "accept", content: { name: "Who?", size: 7 } },
  sample: { role: "assistant", content: 5, model: "m" },
  roots: { roots: [{ uri: "file:///a" }] },
};

test("modern: handlers answer what the result asks, the state goes back as it came, under a new id", async () => {
  const state = '{"opaque": "\\u00e4"}';
  const { client, server } = await connected({
    ...MODERN,
    "tools/list": () => ({ tools: [] }),
    "tools/call": ({ params }) =>
      params.inputResponses ? { content: [], seen: params } : {
        resultType: "input_required",
        inputRequests: { form: FORM, sample: SAMPLE, roots: ROOTS },
        requestState: state,
      },
  }, HANDLERS);
  const result = await client.callTool("x", { a: 1 });
  const { _meta, ...seen } = result["seen"] as Record<string, unknown>;
  assert.deepEqual(seen, { name: "x", arguments: { a: 1 }, inputResponses: ANSWERS, requestState: state });
  const ids = server.received.filter(({ method }) => method === "tools/call").map(({ id }) => id);
  assert.equal(new Set(ids).size, 2);
  assert.deepEqual((_meta as Record<string, unknown>)["io.modelcontextprotocol/clientCapabilities"], {
    elicitation: { form: {} },
    sampling: {},
    roots: {},
  });
  await client.close();
});

test("legacy: the same handlers answer the same questions as requests", async () => {
  const ask = (question: object, id: string, server: { send(message: object): void }) =>
    server.send({ id, ...question });
  const { client, server } = await connected(LEGACY, HANDLERS);
  const { capabilities } = server.received.find(({ method }) => method === "initialize")!.params;
  assert.deepEqual(capabilities, { elicitation: { form: {} }, sampling: {}, roots: { listChanged: true } });
  for (const [id, question] of Object.entries({ form: FORM, sample: SAMPLE, roots: ROOTS })) {
    const answer = server.next((message) => message.id === id);
    ask(question, id, server);
    assert.deepEqual((await answer).result, ANSWERS[id as keyof typeof ANSWERS]);
  }
  client.rootsChanged();
  await client.close();
  assert.equal(server.methods.at(-1), "notifications/roots/list_changed");
});

test("legacy: the time that a user takes is not the server's", async () => {
  const { client, server } = await connected({
    ...LEGACY,
    work: ({ id }, self) => {
      self.send({ id: "q", ...FORM });
      void self.next((message) => message.id === "q").then(() =>
        self.send({ id: id!, result: { done: true } })
      );
      return undefined;
    },
  }, {
    timeoutMs: 100,
    onform: () => new Promise((resolve) => setTimeout(() => resolve({ action: "cancel" }), 400)),
  });
  assert.equal((await client.call("work"))["done"], true);
  assert.ok(!server.methods.includes("notifications/cancelled"));
  await client.close();
});

test("legacy: a question that the server takes back aborts the handler, and is not answered", async () => {
  const aborted = Promise.withResolvers<string>();
  const { client, server } = await connected(LEGACY, {
    onsample: (_, { signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => {
          aborted.resolve(String(signal.reason));
          reject(signal.reason);
        });
        server.send({ method: "notifications/cancelled", params: { requestId: "q" } });
      }),
  });
  server.send({ id: "q", ...SAMPLE });
  assert.match(await aborted.promise, /cancelled/);
  await client.close();
  assert.ok(!server.received.some(({ id }) => id === "q"));
});

test("a form that is declined has no content, and a page is visited by whoever takes pages", async () => {
  const { client, server } = await connected(LEGACY, {
    onform: () => ({ action: "decline" }),
    onurl: ({ url }) => ({ action: url === "https://a.example/" ? "accept" : "cancel" }),
  });
  const first = server.next(({ id }) => id === 1);
  server.send({ id: 1, ...FORM });
  assert.deepEqual((await first).result, { action: "decline" });
  const second = server.next(({ id }) => id === 2);
  server.send({
    id: 2,
    method: "elicitation/create",
    params: { mode: "url", message: "", url: "https://a.example/" },
  });
  assert.deepEqual((await second).result, { action: "accept" });
  const third = server.next(({ id }) => id === 3);
  server.send({ id: 3, method: "elicitation/create", params: { mode: "telepathy", message: "" } });
  assert.match((await third).error!.message, /mode "telepathy"/);
  await client.close();
});

/** A server that answers one method with questions, whatever it is told. */
function asking(result: object, method = "prompts/get"): Script {
  return { ...MODERN, [method]: () => ({ resultType: "input_required", ...result }) };
}

test("modern: questions that cannot be answered end the request with a sentence", async () => {
  const cases: [Script, Partial<ClientOptions>, RegExp][] = [
    [asking({ inputRequests: { a: SAMPLE } }), {}, /does not answer sampling\/createMessage/],
    [asking({ inputRequests: { a: { method: "tools/list" } } }), HANDLERS, /does not answer tools\/list/],
    [asking({ inputRequests: { a: 7 } }), HANDLERS, /no method/],
    [asking({ inputRequests: 7 }), HANDLERS, /cannot be read/],
    [asking({ requestState: 7 }), HANDLERS, /no text/],
    [asking({}), HANDLERS, /no question and no state/],
    [asking({ inputRequests: { a: ROOTS } }), HANDLERS, /questions 20 times/],
    [asking({ requestState: "again" }), HANDLERS, /questions 20 times/],
  ];
  for (const [script, options, expected] of cases) {
    const { client } = await connected(script, options);
    await assert.rejects(client.getPrompt("x"), expected);
    await client.close();
  }
  const { client } = await connected(asking({ inputRequests: { a: ROOTS } }, "tools/list"), HANDLERS);
  await assert.rejects(client.listToolsPaginated(), /which it must not/);
  await client.close();
});

test("modern: what a handler throws reaches whoever asked; the server is not asked again", async () => {
  const { client, server } = await connected(asking({ inputRequests: { a: FORM } }), {
    onform: () => {
      throw new Error("no user here");
    },
  });
  await assert.rejects(client.getPrompt("x"), /no user here/);
  assert.equal(server.methods.filter((method) => method === "prompts/get").length, 1);
  await client.close();
});

test("modern: questions and state belong to one request, whatever else is asked meanwhile", async () => {
  const { client, server } = await connected({
    ...MODERN,
    "prompts/get": ({ params }) =>
      params.name === "asks" && !params.inputResponses
        ? { resultType: "input_required", inputRequests: { a: ROOTS }, requestState: "s" }
        : { messages: [] },
  }, HANDLERS);
  await Promise.all([client.getPrompt("asks"), client.getPrompt("other"), client.getPrompt("asks")]);
  const others = server.received.filter(({ params }) => params?.name === "other");
  assert.equal(others.length, 1);
  assert.ok(!("requestState" in others[0]!.params) && !("inputResponses" in others[0]!.params));
  await client.close();
});
