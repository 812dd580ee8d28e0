/** Is what a client carries between two rounds good for anything else than going on? */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { MessageContext } from "../../lib/transport/transport.ts";
import type { ServerOptions } from "../../lib/server/server.ts";
import type { Answer } from "../harness/program.ts";
import { Session } from "../../lib/server/session.ts";
import { createServer } from "../../lib/server/server.ts";
import { TokenSigner } from "../../lib/server/signer.ts";
import { defineTool } from "../../lib/server/tool.ts";
import { modern } from "../harness/program.ts";
import { accept, AskingClient, EVERYTHING } from "./asking_client.ts";
import { textOf } from "./tool_client.ts";

const NAME = { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const;
const KEY = new Uint8Array(32).fill(7);
const VERSION = "2026-07-28";

const greet = defineTool({
  name: "greet",
  inputSchema: { type: "object", properties: { greeting: { type: "string" }, mark: { type: "string" } } },
  async handler({ greeting = "Hello" }, context) {
    const { content } = await context.elicit({ key: "who", message: "What is your name?", schema: NAME });
    return `${greeting}, ${content?.name}!`;
  },
});

/** One request to a server of its own, without a connection, as it comes from somebody. */
async function handle(
  params: object,
  { authentication, ...options }: Partial<ServerOptions> & { authentication?: unknown } = {},
): Promise<Answer> {
  const server = createServer({ info: { name: "t", version: "1" }, tools: [greet], keys: [KEY], ...options });
  const stated = modern(params) as { _meta: Record<string, unknown> };
  stated._meta["io.modelcontextprotocol/clientCapabilities"] = EVERYTHING;
  const response = await server.handle(
    { jsonrpc: "2.0", id: 1, method: "tools/call", params: stated as never },
    new Session(),
    {
      signal: new AbortController().signal,
      context: { receivedAt: 0, size: 0, authentication } satisfies MessageContext,
      notify: () => undefined,
    },
  );
  return JSON.parse(JSON.stringify(response));
}

const asked = { name: "greet", arguments: { greeting: "Hi" } };
const answers = { who: { action: "accept", content: { name: "Ada" } } };
const stateOf = ({ result }: Answer) => result!["requestState"] as string;

test("another server with the same key goes on, and needs nothing but the request", async () => {
  const first = await handle(asked);
  assert.equal(first.result!["resultType"], "input_required");
  assert.equal("ttlMs" in first.result!, false);
  const second = await handle({ ...asked, requestState: stateOf(first), inputResponses: answers });
  assert.deepEqual([second.result!["resultType"], textOf(second)], ["complete", "Hi, Ada!"]);
  const renewed = { keys: [new Uint8Array(32).fill(8), KEY] };
  const third = await handle({ ...asked, requestState: stateOf(first), inputResponses: answers }, renewed);
  assert.equal(textOf(third), "Hi, Ada!");
});

test("a server with another key refuses it, and so does one with a random key", async () => {
  const first = await handle(asked);
  const retry = { ...asked, requestState: stateOf(first), inputResponses: answers };
  for (const keys of [[new Uint8Array(32).fill(9)], undefined]) {
    const { error } = await handle(retry, { keys: keys as never });
    assert.deepEqual([error?.code, error?.message.slice(0, 28)], [-32602, "The requestState was not iss"]);
  }
});

test("no change to it is let through", async () => {
  const token = stateOf(await handle(asked));
  const [body = "", mark = ""] = token.split(".");
  const content = JSON.parse(atob(body.replaceAll("-", "+").replaceAll("_", "/")));
  const forged = btoa(
    JSON.stringify({ ...content, q: [["who", content.q[0][1], false, { action: "accept" }]] }),
  );
  const flip = (text: string, at: number) =>
    `${text.slice(0, at)}${text[at] === "A" ? "B" : "A"}${text.slice(at + 1)}`;
  const changed: unknown[] = [
    `${token}-TAMPERED`,
    flip(token, 3),
    flip(token, token.length - 5),
    `${forged.replace(/=+$/, "")}.${mark}`,
    body,
    `.${mark}`,
    `${body}.`,
    `${token}.${mark}`,
    "",
    "null",
    null,
    5,
    {},
    "x".repeat(2 ** 21),
  ];
  for (const requestState of changed) {
    const { error } = await handle({ ...asked, requestState, inputResponses: answers });
    assert.equal(error?.code, -32602, JSON.stringify(requestState)?.slice(0, 200));
  }
});

test("it is good for the same request alone: method, tool and arguments, whatever their order", async () => {
  const both = { name: "greet", arguments: { greeting: "Hi", mark: "!" } };
  const requestState = stateOf(await handle(both));
  const reordered = { arguments: { mark: "!", greeting: "Hi" }, name: "greet" };
  const right = await handle({ ...reordered, requestState, inputResponses: answers });
  assert.equal(textOf(right), "Hi, Ada!");
  const others = [{ ...both, arguments: { greeting: "Bye", mark: "!" } }, { ...both, more: 1 }, {
    name: "greet",
  }];
  for (const other of others) {
    const { error } = await handle({ ...other, requestState, inputResponses: answers });
    assert.equal(error?.code, -32602);
  }
});

test("it is good for whoever it was given to: a principal, whose tokens may be renewed", async () => {
  const of = (principal: string, token: string) => ({ principal, token });
  const requestState = stateOf(await handle(asked, { authentication: of("ada", "t1") }));
  const retry = { ...asked, requestState, inputResponses: answers };
  assert.equal(textOf(await handle(retry, { authentication: of("ada", "t2") })), "Hi, Ada!");
  for (const somebody of [of("eve", "t1"), undefined, "ada"]) {
    assert.equal((await handle(retry, { authentication: somebody })).error?.code, -32602);
  }
});

test("it expires", async (t) => {
  const requestState = stateOf(await handle(asked));
  const now = Date.now();
  const date = t.mock.method(Date, "now", () => now + 14 * 60_000);
  const retry = { ...asked, requestState, inputResponses: answers };
  assert.equal(textOf(await handle(retry)), "Hi, Ada!");
  date.mock.mockImplementation(() => now + 16 * 60_000);
  const { error } = await handle(retry);
  assert.deepEqual([error?.code, error?.message.slice(0, 29)], [-32602, "The requestState has expired;"]);
});

test("what was signed for something else is none", async () => {
  const content = JSON.stringify({ v: 1, e: Date.now() + 1e6, r: 1, q: [] });
  const other = await new TokenSigner([KEY]).sign("cursor", content);
  assert.equal((await handle({ ...asked, requestState: other })).error?.code, -32602);
});

test("answers that are missing are asked for again, what is too much is not looked at", async () => {
  const first = await handle(asked);
  for (const inputResponses of [undefined, {}, { other: { action: "accept" } }]) {
    const again = await handle({ ...asked, requestState: stateOf(first), inputResponses });
    assert.deepEqual(Object.keys(again.result!["inputRequests"] as object), ["who"]);
  }
  const enough = { ...answers, more: 5, constructed: { action: "accept" } };
  assert.equal(
    textOf(await handle({ ...asked, requestState: stateOf(first), inputResponses: enough })),
    "Hi, Ada!",
  );
});

test("whoever knows the key of a question can answer it with the first request", async () => {
  assert.equal(textOf(await handle({ ...asked, inputResponses: answers })), "Hi, Ada!");
  const unknown = await handle({ ...asked, inputResponses: { who_else: answers.who } });
  assert.equal(unknown.result!["resultType"], "input_required");
  for (const inputResponses of [null, [], 5, "x", { who: 12345 }, { who: null }]) {
    assert.equal(
      (await handle({ ...asked, inputResponses })).error?.code,
      -32602,
      JSON.stringify(inputResponses),
    );
  }
});

test("a handler that asks by chance is stopped, and no answer goes to another question", async () => {
  let runs = 0;
  const failures: string[] = [];
  const fickle = defineTool({
    name: "greet",
    inputSchema: { type: "object" },
    async handler(_, context) {
      await context.elicit({ key: "who", message: `Question ${++runs}`, schema: NAME });
      return "answered";
    },
  });
  const options: Partial<ServerOptions> = {
    tools: [fickle],
    onfailure: (cause) => void failures.push((cause as Error).message),
  };
  const first = await handle({ name: "greet" }, options);
  const second = await handle(
    { name: "greet", requestState: stateOf(first), inputResponses: answers },
    options,
  );
  assert.equal(second.error?.code, -32603);
  assert.match(failures[0]!, /asks something else than in the round before/);
});

test("one request asks ten times and no more", async () => {
  const curious = defineTool({
    name: "curious",
    inputSchema: { type: "object" },
    async handler(_, context) {
      for (;;) await context.elicit({ message: "And?", schema: NAME });
    },
  });
  const client = await AskingClient.connect({ tools: [curious] }, VERSION);
  const { error } = await client.call("curious", () => accept({ name: "Ada" }));
  assert.equal(client.rounds.length, 10);
  assert.deepEqual([error?.code, error?.message.slice(0, 31)], [-32603, "The client was asked 10 times f"]);
});

test("answers that are too large together are refused", async () => {
  const twice = defineTool({
    name: "twice",
    inputSchema: { type: "object" },
    async handler(_, context) {
      await context.elicit({ message: "First", schema: NAME });
      await context.elicit({ message: "Second", schema: NAME });
      return "";
    },
  });
  const client = await AskingClient.connect({ tools: [twice] }, VERSION);
  const { error } = await client.call("twice", () => accept({ name: "x".repeat(2 ** 20) }));
  assert.match(error!.message, /^The answers to one request must not be larger than/);
});

test("a key that is too short is refused before anybody is served", async () => {
  await assert.rejects(AskingClient.connect({ keys: [new Uint8Array(16)] }, VERSION), RangeError);
});

test("an older revision looks at neither", async () => {
  const client = await AskingClient.connect({ tools: [greet] }, "2025-11-25");
  const params = { name: "greet", requestState: "x", inputResponses: null };
  assert.equal(textOf(await client.send("tools/call", params, () => accept({ name: "Ada" }))), "Hello, Ada!");
});
