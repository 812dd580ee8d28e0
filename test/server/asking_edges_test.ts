/** What if a handler asks and does not wait, if a client answers only half, or if nobody can be asked? */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { MessageContext } from "../../lib/transport/transport.ts";
import type { Put } from "./asking_client.ts";
import { Session } from "../../lib/server/session.ts";
import { createServer } from "../../lib/server/server.ts";
import { defineTool } from "../../lib/server/tool.ts";
import { accept, AskingClient, WITH_FORMS } from "./asking_client.ts";
import { textOf } from "./tool_client.ts";

const MODERN = "2026-07-28";
const ANYTHING = { type: "object" } as const;
const NAME = { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const;
const nameOf = ({ params }: Put) => accept({ name: `${params!["message"]}!` });

test("of several questions only those are asked again that have no answer", async () => {
  const both = defineTool({
    name: "both",
    inputSchema: ANYTHING,
    async handler(_, context) {
      const answers = await Promise.all(
        ["a", "b"].map((key) => context.elicit({ key, message: key, schema: NAME })),
      );
      return answers.map(({ content }) => content?.name).join();
    },
  });
  const client = await AskingClient.connect({ tools: [both] }, MODERN);
  const first = await client.send("tools/call", { name: "both" });
  const half = await client.send("tools/call", {
    name: "both",
    requestState: first.result!["requestState"],
    inputResponses: { b: { action: "accept", content: { name: "B" } } },
  });
  assert.deepEqual(Object.keys(half.result!["inputRequests"] as object), ["a"]);
  const whole = await client.send("tools/call", {
    name: "both",
    requestState: half.result!["requestState"],
    inputResponses: { a: { action: "accept", content: { name: "A" } } },
  });
  assert.equal(textOf(whole), "A,B");
});

test("branches that ask at their own pace get their own answers", async () => {
  const branches = defineTool({
    name: "branches",
    inputSchema: ANYTHING,
    async handler(_, context) {
      const branch = async (name: string, count: number) => {
        const said: (string | undefined)[] = [];
        for (let number = 1; number <= count; number++) {
          const { content } = await context.elicit({ message: `${name}${number}`, schema: NAME });
          said.push(content?.name);
        }
        return said.join(" ");
      };
      return (await Promise.all([branch("x", 1), branch("y", 3), branch("z", 2)])).join("; ");
    },
  });
  for (const version of WITH_FORMS) {
    const client = await AskingClient.connect({ tools: [branches] }, version);
    assert.equal(textOf(await client.call("branches", nameOf)), "x1!; y1! y2! y3!; z1! z2!");
    assert.equal(client.rounds.length, client.isModern ? 3 : 0);
  }
});

test("the same question twice gets an answer each, in order", async () => {
  const twice = defineTool({
    name: "twice",
    inputSchema: ANYTHING,
    async handler(_, context) {
      const names: (string | undefined)[] = [];
      while (names.length < 3) {
        names.push((await context.elicit({ message: "?", schema: NAME })).content?.name);
      }
      return names.join();
    },
  });
  for (const version of WITH_FORMS) {
    const client = await AskingClient.connect({ tools: [twice] }, version);
    let count = 0;
    assert.equal(textOf(await client.call("twice", () => accept({ name: `${++count}` }))), "1,2,3");
  }
});

test("a handler that does not wait for its question answers", async () => {
  const hasty = defineTool({
    name: "hasty",
    inputSchema: ANYTHING,
    handler: (_, context) => {
      void context.elicit({ message: "?", schema: NAME });
      return "done";
    },
  });
  const client = await AskingClient.connect({ tools: [hasty] }, MODERN);
  assert.equal(textOf(await client.call("hasty", nameOf)), "done");
});

test("what a handler has begun is aborted when it ends with a question, and it tells nothing more", async () => {
  const seen: string[] = [];
  const over = Promise.withResolvers<void>();
  const busy = defineTool({
    name: "busy",
    inputSchema: ANYTHING,
    async handler(_, context) {
      context.progress(1);
      context.signal.addEventListener("abort", () => {
        seen.push((context.signal.reason as Error).name);
        context.progress(2);
        over.resolve();
      });
      try {
        await context.elicit({ message: "?", schema: NAME });
      } catch {
        seen.push("caught");
      } finally {
        seen.push("finally");
      }
      return "";
    },
  });
  const client = await AskingClient.connect({ tools: [busy] }, MODERN);
  const conversation = client.conversation;
  const stated = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
    progressToken: "p",
  };
  conversation.send({ id: 1, method: "tools/call", params: { name: "busy", _meta: stated } });
  const [told, asked] = await conversation.take(2);
  assert.equal(told!.method, "notifications/progress");
  assert.equal(asked!.result!["resultType"], "input_required");
  await over.promise;
  assert.deepEqual([seen, await conversation.rest()], [["AbortError"], []]);
});

test("nobody is asked over a carrier that leads in one direction only", async () => {
  const asks = defineTool({
    name: "asks",
    inputSchema: ANYTHING,
    handler: async (_, context) => String((await context.listRoots()).length),
  });
  const server = createServer({ info: { name: "t", version: "1" }, tools: [asks] });
  const connection = new Session();
  connection.negotiate({ protocolVersion: "2025-11-25", capabilities: { roots: {} } });
  const response = await server.handle(
    { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "asks" } },
    connection,
    {
      signal: new AbortController().signal,
      context: { receivedAt: 0, size: 0 } satisfies MessageContext,
      notify: () => undefined,
    },
  );
  const answer = JSON.parse(JSON.stringify(response));
  assert.equal(textOf(answer), "The client cannot be asked over this connection");
  assert.equal(answer.result.isError, true);
});

test("only tools, prompts and resources that are read can ask", async () => {
  const failures: string[] = [];
  const client = await AskingClient.connect({
    resources: [{ list: async (context) => (await context.listRoots(), []), read: () => undefined }],
    onfailure: (cause) => void failures.push((cause as Error).message),
  }, MODERN);
  assert.equal((await client.send("resources/list", {})).error?.code, -32603);
  assert.deepEqual(failures, [
    "Cannot ask the client in resources/list: only tools/call, prompts/get and resources/read can",
  ]);
});

test("a form that clients cannot show is a failure of the tool, and nobody is asked", async () => {
  const failures: unknown[] = [];
  const wrong = defineTool({
    name: "wrong",
    inputSchema: ANYTHING,
    async handler(_, context) {
      await context.elicit({
        message: "?",
        schema: { type: "object", properties: { a: { type: "null" } } } as never,
      });
      return "";
    },
  });
  for (const version of WITH_FORMS) {
    const client = await AskingClient.connect({
      tools: [wrong],
      onfailure: (cause) => void failures.push(cause),
    }, version);
    assert.equal((await client.call("wrong", nameOf)).error?.code, -32603);
    assert.deepEqual(client.put, []);
  }
  assert.equal(failures.length, WITH_FORMS.length);
  assert.ok(failures.every((cause) => cause instanceof TypeError));
});

test("a URL that is none is not asked for", async () => {
  const failures: unknown[] = [];
  const wrong = defineTool({
    name: "wrong",
    inputSchema: ANYTHING,
    handler: async (_, context) => (await context.elicitUrl({ message: "?", url: "nowhere" })).action,
  });
  const client = await AskingClient.connect(
    { tools: [wrong], onfailure: (cause) => void failures.push(cause) },
    MODERN,
  );
  assert.equal((await client.call("wrong", nameOf)).error?.code, -32603);
  assert.match(String(failures[0]), /Cannot ask to open "nowhere"/);
});

test("a page that has done its work is not asked for again, and other questions may follow", async () => {
  let isDone = false;
  const pays = defineTool({
    name: "pays",
    inputSchema: ANYTHING,
    async handler(_, context) {
      if (!isDone) await context.elicitUrl({ message: "Pay", url: "https://pay.example" });
      const { content } = await context.elicit({ message: "Who", schema: NAME });
      return `paid by ${content?.name}`;
    },
  });
  const client = await AskingClient.connect({ tools: [pays] }, MODERN);
  const answer = await client.call("pays", (put) => {
    if (put.params!["mode"] !== "url") return nameOf(put);
    isDone = true;
    return accept();
  });
  assert.deepEqual([textOf(answer), client.rounds.length], ["paid by Who!", 2]);
});

test("a question without a name of its own is not answered before it is asked", async () => {
  const asks = defineTool({
    name: "asks",
    inputSchema: ANYTHING,
    handler: async (_, context) => (await context.elicit({ message: "?", schema: NAME })).action,
  });
  const client = await AskingClient.connect({ tools: [asks] }, MODERN);
  const inputResponses = { "elicitation-1": { action: "accept", content: { name: "Ada" } } };
  const first = await client.send("tools/call", { name: "asks", inputResponses });
  assert.deepEqual(Object.keys(first.result!["inputRequests"] as object), ["elicitation-1"]);
});

test("a result that asks for more must not be kept, whatever the method", async () => {
  const client = await AskingClient.connect({
    resources: [{
      list: () => [],
      read: async (uri, context) => [{ uri, text: String((await context.listRoots()).length) }],
    }],
  }, MODERN);
  const asked = await client.send("resources/read", { uri: "test://roots" });
  assert.deepEqual(Object.keys(asked.result!).sort(), [
    "_meta",
    "inputRequests",
    "requestState",
    "resultType",
  ]);
  const read = await client.ask("resources/read", { uri: "test://roots" }, () => ({ result: { roots: [] } }));
  assert.equal(read.result!["ttlMs"], 0);
});
