/** The state that a client keeps between two rounds; what a conversation shows is in the transcripts. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, Session } from "../../lib/server/mod.ts";
import type { Answer } from "../harness/program.ts";
import { modern } from "../harness/program.ts";
import { EVERYTHING } from "./asking_client.ts";
import { textOf } from "./tool_client.ts";

const [KEY, OTHER_KEY] = [7, 8].map((byte) => new Uint8Array(32).fill(byte)) as [Uint8Array, Uint8Array];

const greet = defineTool({
  name: "greet",
  inputSchema: { type: "object" },
  async handler(_, context) {
    const schema = { type: "object", properties: { name: { type: "string" } } } as const;
    const { content } = await context.elicit({ key: "who", message: "What is your name?", schema });
    return `Hello, ${content?.name}!`;
  },
});

/** Calls the tool of a server of its own that has these keys, or a random one. */
async function call(params: object, authentication?: unknown, keys?: Uint8Array[]): Promise<Answer> {
  const server = createServer({
    info: { name: "t", version: "1" },
    tools: [greet],
    ...(keys ? { keys } : {}),
  });
  const stated = modern({ name: "greet", ...params }, undefined, EVERYTHING) as Record<string, unknown>;
  const response = await server.handle(
    { jsonrpc: "2.0", id: 1, method: "tools/call", params: stated },
    new Session(),
    {
      signal: new AbortController().signal,
      context: { receivedAt: 0, size: 0, authentication },
      notify: () => undefined,
    },
  );
  return JSON.parse(JSON.stringify(response));
}

/** The params of the retry after a call. */
async function retryOf(asking: Promise<Answer>): Promise<{ requestState: string; inputResponses: object }> {
  const { result } = await asking;
  return {
    requestState: result!["requestState"] as string,
    inputResponses: { who: { action: "accept", content: { name: "Ada" } } },
  };
}

test("every server that knows the key goes on with a request, and a server that does not refuses it", async () => {
  const retry = await retryOf(call({}, undefined, [KEY]));
  for (const keys of [[KEY], [OTHER_KEY, KEY]]) {
    assert.equal(textOf(await call(retry, undefined, keys)), "Hello, Ada!");
  }
  for (const keys of [[OTHER_KEY], undefined]) {
    const { error } = await call(retry, undefined, keys);
    assert.deepEqual([error?.code, error?.message.slice(0, 24)], [-32602, "The requestState was not"]);
  }
  const renewed = await retryOf(call({}, undefined, [OTHER_KEY, KEY]));
  assert.equal((await call(renewed, undefined, [KEY])).error?.code, -32602, "only the first key signs");
});

test("no character of the state can be changed", async () => {
  const { requestState: token, ...retry } = await retryOf(call({}, undefined, [KEY]));
  for (let index = 0; index < token.length; index += 7) {
    for (const other of ["A", "-", ".", "=", " "].filter((other) => other !== token[index])) {
      const requestState = token.slice(0, index) + other + token.slice(index + 1);
      const { error } = await call({ ...retry, requestState }, undefined, [KEY]);
      assert.equal(error?.code, -32602, requestState);
    }
  }
});

test("the state is good for the principal that it was given to, whose tokens may be renewed", async () => {
  const of = (principal: string, token: string) => ({ principal, token });
  const retry = await retryOf(call({}, of("ada", "t1"), [KEY]));
  assert.equal(textOf(await call(retry, of("ada", "t2"), [KEY])), "Hello, Ada!");
  for (const other of [of("eve", "t1"), undefined, "ada"]) {
    assert.equal((await call(retry, other, [KEY])).error?.code, -32602);
  }
});

test("the state expires after fifteen minutes", async (t) => {
  const retry = await retryOf(call({}, undefined, [KEY]));
  const now = Date.now();
  const date = t.mock.method(Date, "now", () => now + 14 * 60_000);
  assert.equal(textOf(await call(retry, undefined, [KEY])), "Hello, Ada!");
  date.mock.mockImplementation(() => now + 16 * 60_000);
  const { error } = await call(retry, undefined, [KEY]);
  assert.deepEqual([error?.code, error?.message.slice(0, 29)], [-32602, "The requestState has expired;"]);
});
