/** Does a handler that asks get its answers, in every revision, with one line of code? */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Sample } from "../../lib/server/client_requests.ts";
import type { Put, Reply } from "./asking_client.ts";
import { defineTool } from "../../lib/server/tool.ts";
import { MissingCapabilityError, UnansweredError } from "../../lib/server/client_requests.ts";
import { accept, AskingClient, EVERYTHING, VERSIONS, WITH_FORMS } from "./asking_client.ts";
import { textOf } from "./tool_client.ts";

const NAME = { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const;
const COLOR = { type: "object", properties: { color: { type: "string" } }, required: ["color"] } as const;

const greet = defineTool({
  name: "greet",
  inputSchema: { type: "object", properties: { greeting: { type: "string" } } },
  async handler({ greeting = "Hello" }, context) {
    const { action, content } = await context.elicit({ message: "What is your name?", schema: NAME });
    return action === "accept" ? `${greeting}, ${content.name}!` : `They said ${action}.`;
  },
});

for (const version of WITH_FORMS) {
  test(`a form is answered in ${version}`, async () => {
    const client = await AskingClient.connect({ tools: [greet] }, version);
    assert.equal(textOf(await client.call("greet", () => accept({ name: "Ada" }))), "Hello, Ada!");
    assert.equal(
      textOf(await client.call("greet", () => ({ result: { action: "decline" } }))),
      "They said decline.",
    );
    assert.equal(
      textOf(await client.call("greet", () => ({ result: { action: "cancel" } }))),
      "They said cancel.",
    );
    const [put] = client.put;
    assert.deepEqual([put!.method, put!.params!["message"]], ["elicitation/create", "What is your name?"]);
    assert.deepEqual(put!.params!["requestedSchema"], NAME);
    assert.equal(put!.params!["mode"], version === "2025-06-18" ? undefined : "form");
  });

  test(`what does not fit the form is refused in ${version}`, async () => {
    const client = await AskingClient.connect({ tools: [greet] }, version);
    for (const content of [{ name: 5 }, {}, undefined]) {
      const answer = await client.call("greet", () => accept(content));
      if (client.isModern) assert.equal(answer.error?.code, -32602);
      else assert.equal(answer.result?.["isError"], true);
      assert.match(answer.error?.message ?? textOf(answer), /^The values do not fit the form: .*name/);
    }
    for (const nonsense of [{}, { action: "maybe" }, [], "accept"]) {
      const answer = await client.call("greet", () => ({ result: nonsense }));
      assert.match(answer.error?.message ?? textOf(answer), /The client was asked for an action/);
    }
    const extra = await client.call("greet", () => accept({ name: "Ada", admin: true }));
    assert.equal(textOf(extra), "Hello, Ada!");
  });
}

for (const version of VERSIONS) {
  test(`a model and the roots are asked in ${version}`, async () => {
    const asks = defineTool({
      name: "asks",
      inputSchema: { type: "object" },
      async handler(_, context) {
        const [sample, roots] = await Promise.all([
          context.sample({
            messages: [{ role: "user", content: { type: "text", text: "Hi" } }],
            maxTokens: 9,
          }),
          context.listRoots(),
        ]);
        return JSON.stringify([sample.text, sample.model, roots]);
      },
    });
    const client = await AskingClient.connect({ tools: [asks] }, version);
    const reply = ({ method }: Put): Reply =>
      method === "roots/list"
        ? { result: { roots: [{ uri: "file:///a", name: "A" }, { uri: "file:///b" }] } }
        : { result: { role: "assistant", model: "m", content: { type: "text", text: "Hey" } } };
    assert.deepEqual(JSON.parse(textOf(await client.call("asks", reply))), [
      "Hey",
      "m",
      [{ uri: "file:///a", name: "A" }, { uri: "file:///b" }],
    ]);
    assert.equal(client.rounds.length, client.isModern ? 1 : 0);
    const wrong = await client.call("asks", ({ method }) => ({
      result: method === "roots/list" ? { roots: [{ uri: "https://a" }] } : { role: "assistant" },
    }));
    assert.match(wrong.error?.message ?? textOf(wrong), /and answered something else/);
  });

  test(`a client that cannot be asked is told what it lacks in ${version}`, async () => {
    let caught: unknown;
    const ask = (how: "elicit" | "elicitUrl" | "sample" | "listRoots" | "tools") =>
      defineTool({
        name: how,
        inputSchema: { type: "object" },
        async handler(_, context) {
          const messages = [{ role: "user", content: { type: "text", text: "Hi" } }] as const;
          try {
            if (how === "elicit") await context.elicit({ message: "?", schema: NAME });
            if (how === "elicitUrl") await context.elicitUrl({ message: "?", url: "https://a.example" });
            if (how === "sample") await context.sample({ messages, maxTokens: 1 });
            if (how === "tools") await context.sample({ messages, maxTokens: 1, tools: [] });
            if (how === "listRoots") await context.listRoots();
          } catch (cause) {
            caught = cause;
            throw cause;
          }
          return "asked";
        },
      });
    const tools = (["elicit", "elicitUrl", "sample", "listRoots", "tools"] as const).map(ask);
    const capabilities = { sampling: {}, elicitation: { url: {} } };
    const isFull = version >= "2025-11-25";
    const wanted = [
      ["elicit", {}, { elicitation: { form: {} } }],
      ["elicit", capabilities, { elicitation: { form: {} } }],
      ["elicitUrl", { elicitation: {} }, { elicitation: { url: {} } }],
      ["sample", { elicitation: {} }, { sampling: {} }],
      ["tools", capabilities, { sampling: { tools: {} } }],
      ["listRoots", capabilities, { roots: {} }],
      ...(version < "2025-06-18" ? [["elicit", EVERYTHING, { elicitation: { form: {} } }] as const] : []),
      ...(isFull ? [] : [["elicitUrl", EVERYTHING, { elicitation: { url: {} } }] as const]),
    ] as const;
    for (const [name, has, requiredCapabilities] of wanted) {
      const client = await AskingClient.connect({ tools }, version, has);
      const answer = await client.call(name, () => undefined);
      assert.deepEqual(client.put, []);
      assert.ok(caught instanceof MissingCapabilityError && caught instanceof UnansweredError);
      if (client.isModern) {
        assert.deepEqual([answer.error?.code, answer.error?.data], [-32021, { requiredCapabilities }]);
      } else {
        assert.equal(answer.result?.["isError"], true);
        const [[top, parts]] = Object.entries(requiredCapabilities) as [[string, object]];
        assert.ok(textOf(answer).includes([top, ...Object.keys(parts)].join(".")), textOf(answer));
      }
    }
  });
}

test("an answer that is an error is one of the tool up to 2025-11-25, and can be caught", async () => {
  const careful = defineTool({
    name: "careful",
    inputSchema: { type: "object" },
    handler: (_, context): Promise<string> =>
      context.listRoots().then(() => "asked", (cause: unknown) => `caught: ${(cause as Error).message}`),
  });
  const client = await AskingClient.connect({ tools: [greet, careful] }, "2025-11-25");
  const error = { code: -1, message: "User rejected" };
  const answer = await client.call("greet", () => ({ error }));
  assert.deepEqual([answer.result?.["isError"], textOf(answer)], [
    true,
    "The client did not answer: User rejected",
  ]);
  assert.equal(
    textOf(await client.call("careful", () => ({ error }))),
    "caught: The client did not answer: User rejected",
  );
});

test("questions that are asked one after the other get one answer each, and effects happen once", async () => {
  for (const version of WITH_FORMS) {
    let runs = 0;
    let effects = 0;
    const steps = defineTool({
      name: "steps",
      inputSchema: { type: "object" },
      async handler(_, context) {
        runs++;
        const first = await context.elicit({ key: "step1", message: "Name?", schema: NAME });
        const second = await context.elicit({ key: "step2", message: "Color?", schema: COLOR });
        effects++;
        return `${first.content?.name} likes ${second.content?.color}`;
      },
    });
    const client = await AskingClient.connect({ tools: [steps] }, version);
    const reply = ({ params }: Put) =>
      accept(params!["message"] === "Name?" ? { name: "Ada" } : { color: "blue" });
    assert.equal(textOf(await client.call("steps", reply)), "Ada likes blue");
    assert.deepEqual([runs, effects, client.put.length], [3, 1, 2]);
    if (client.isModern) {
      assert.deepEqual(client.rounds.map(({ inputRequests }) => Object.keys(inputRequests as object)), [
        ["step1"],
        ["step2"],
      ]);
    }
  }
});

test("what is asked together travels together, under a key each", async () => {
  const both = defineTool({
    name: "both",
    inputSchema: { type: "object" },
    async handler(_, context) {
      const answers = await Promise.all([
        context.elicit({ message: "Name?", schema: NAME }),
        context.elicit({ message: "Name?", schema: NAME }),
        context.sample({ messages: [], maxTokens: 5 } as never),
        context.listRoots({ key: "roots" }),
        context.elicit({ key: "roots", message: "Again?", schema: NAME }),
      ]);
      return JSON.stringify(answers.map((answer) => "text" in answer ? (answer as Sample).text : answer));
    },
  });
  const client = await AskingClient.connect({ tools: [both] }, "2026-07-28");
  let count = 0;
  const answer = await client.call("both", ({ method }) => {
    if (method === "roots/list") return { result: { roots: [] } };
    if (method === "sampling/createMessage") {
      return { result: { role: "assistant", model: "m", content: [] } };
    }
    return accept({ name: `n${++count}` });
  });
  assert.deepEqual(client.rounds.map(({ inputRequests }) => Object.keys(inputRequests as object)), [[
    "elicitation-1",
    "elicitation-2",
    "sampling-3",
    "roots",
    "roots-2",
  ]]);
  const given = (name: string) => ({ action: "accept", content: { name } });
  assert.deepEqual(JSON.parse(textOf(answer)), [given("n1"), given("n2"), "", [], given("n3")]);
});
