/** The state that a client keeps between two rounds: signed by one of the server's keys, for one client and a short time. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ServerOptions } from "../../lib/server/mod.ts";
import { createServer, defineTool, Session } from "../../lib/server/mod.ts";
import type { Answer } from "../harness/program.ts";
import { modern } from "../harness/program.ts";
import { EVERYTHING } from "./asking_client.ts";
import { textOf } from "./tool_client.ts";

const KEY = new Uint8Array(32).fill(7);
const OTHER_KEY = new Uint8Array(32).fill(8);

const greet = defineTool({
  name: "greet",
  inputSchema: { type: "object" },
  async handler(_, context) {
    const schema = { type: "object", properties: { name: { type: "string" } } } as const;
    const { content } = await context.elicit({ key: "who", message: "What is your name?", schema });
    return `Hello, ${content?.name}!`;
  },
});

/** One request to a server of its own, as it comes from a principal. */
async function call(
  params: object,
  authentication?: unknown,
  options: Partial<ServerOptions> = {},
): Promise<Answer> {
  const server = createServer({ info: { name: "t", version: "1" }, tools: [greet], keys: [KEY], ...options });
  const stated = modern({ name: "greet", ...params }) as { _meta: Record<string, unknown> };
  stated._meta["io.modelcontextprotocol/clientCapabilities"] = EVERYTHING;
  const response = await server.handle(
    { jsonrpc: "2.0", id: 1, method: "tools/call", params: stated as never },
    new Session(),
    {
      signal: new AbortController().signal,
      context: { receivedAt: 0, size: 0, authentication },
      notify: () => undefined,
    },
  );
  return JSON.parse(JSON.stringify(response));
}

const stateOf = ({ result }: Answer) => result!["requestState"] as string;
const retry = (requestState: string) => ({
  requestState,
  inputResponses: { who: { action: "accept", content: { name: "Ada" } } },
});

test("a server that knows the key goes on, needs nothing but the request, and takes no other key", async () => {
  const state = retry(stateOf(await call({})));
  assert.equal(textOf(await call(state)), "Hello, Ada!");
  assert.equal(textOf(await call(state, undefined, { keys: [OTHER_KEY, KEY] })), "Hello, Ada!");
  for (const keys of [[OTHER_KEY], undefined]) {
    const { error } = await call(state, undefined, { keys: keys as never });
    assert.equal(error?.code, -32602);
    assert.match(error.message, /^The requestState \w+ not /);
  }
  const renewed = retry(stateOf(await call({}, undefined, { keys: [OTHER_KEY, KEY] })));
  assert.equal((await call(renewed)).error?.code, -32602, "only the first key signs");
});

test("no character of the state can be changed", async () => {
  const token = stateOf(await call({}));
  const step = 7;
  for (let index = 0; index < token.length; index += step) {
    for (const other of ["A", "-", ".", "=", " "].filter((other) => other !== token[index])) {
      const changed = token.slice(0, index) + other + token.slice(index + 1);
      assert.equal((await call(retry(changed))).error?.code, -32602, changed);
    }
  }
});

test("the state is good for the principal that it was given to, whose tokens may be renewed", async () => {
  const of = (principal: string, token: string) => ({ principal, token });
  const state = retry(stateOf(await call({}, of("ada", "t1"))));
  assert.equal(textOf(await call(state, of("ada", "t2"))), "Hello, Ada!");
  for (const other of [of("eve", "t1"), undefined, "ada"]) {
    assert.equal((await call(state, other)).error?.code, -32602);
  }
});

test("the state expires after fifteen minutes", async (t) => {
  const state = retry(stateOf(await call({})));
  const now = Date.now();
  const date = t.mock.method(Date, "now", () => now + 14 * 60_000);
  assert.equal(textOf(await call(state)), "Hello, Ada!");
  date.mock.mockImplementation(() => now + 16 * 60_000);
  const { error } = await call(state);
  assert.deepEqual([error?.code, error?.message.slice(0, 29)], [-32602, "The requestState has expired;"]);
});
