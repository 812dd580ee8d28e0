/** Asking the client: the examples of its guideline, and the state that a client keeps; conversations are in the transcripts. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { Call } from "../../../lib/jsonrpc/mod.ts";
import type { AcceptedRequest } from "../../../lib/mcp/server/mod.ts";
import { createServer, defineTool, REVISIONS, Session } from "../../../lib/mcp/server/mod.ts";
import { programsOf, writeExample } from "../../harness/examples.ts";
import { makeFolder } from "../../harness/folder.ts";
import type { Answer } from "../../harness/program.ts";
import { modern } from "../../harness/program.ts";
import { accept, connect, EVERYTHING, textOf, WITH_FORMS } from "./tool_client.ts";

test("the examples ask with a form, and send the user to a URL where the revision can", async (t) => {
  const programs = programsOf("mcp/resources/guidelines/asking-the-client.md");
  assert.equal(programs.length, 2);
  const files = programs.map((program) => pathToFileURL(writeExample(makeFolder(t), program)).href);
  const [{ server }, { listFiles }] = await Promise.all(files.map((file) => import(file)));
  for (const version of WITH_FORMS) {
    const { call } = await connect(server, version, EVERYTHING);
    const reserved = await call("reserve", { room: "Attic" }, () => accept({ hours: 2 }));
    assert.equal(textOf(reserved), "Attic is yours for 2 hours.");
    const declined = await call("reserve", { room: "Attic" }, () => ({ result: { action: "decline" } }));
    assert.equal(textOf(declined), "Nothing was reserved.");
  }
  for (const { id, era } of REVISIONS) {
    const { call } = await connect({ tools: [listFiles] }, id, EVERYTHING);
    const answer = await call("list-files");
    if (era === "modern") assert.equal(answer.result!["resultType"], "input_required");
    else if (id === "2025-11-25") assert.equal(answer.error?.code, -32042);
    else assert.match(textOf(answer), /^This needs a client with the capability elicitation\.url/);
  }
});

const greet = defineTool({
  name: "greet",
  inputSchema: { type: "object" },
  async handler(_, context) {
    const schema = { type: "object", properties: { name: { type: "string" } } } as const;
    const { content } = await context.elicit({ key: "who", message: "What is your name?", schema });
    return `Hello, ${content?.name}!`;
  },
});

/** How a call comes: to a server with these keys, or a random one, and from whom. */
interface Way {
  readonly keys?: readonly Uint8Array[];
  readonly authentication?: unknown;
}

/** Calls the tool of a server of its own. */
async function callGreet(params: object, { keys, authentication }: Way): Promise<Answer> {
  const server = createServer({
    info: { name: "t", version: "1" },
    tools: [greet],
    ...(keys ? { keys } : {}),
  });
  const stated = modern({ name: "greet", ...params }, undefined, EVERYTHING) as Record<string, unknown>;
  const request = { jsonrpc: "2.0", id: 1, method: "tools/call", params: stated } as const;
  const context = { receivedAt: 0, size: 0, authentication };
  const session = new Session(), responder = { send: () => undefined, reply: () => {} };
  const call = new Call<AcceptedRequest>(request, context, responder, (call) => server.accept(session, call));
  return JSON.parse(JSON.stringify(await server.handle(call)));
}

/** The params of the retry after a call. */
async function retryOf(way: Way): Promise<{ requestState: string; inputResponses: object }> {
  const { result } = await callGreet({}, way);
  const inputResponses = { who: { action: "accept", content: { name: "Ada" } } };
  return { requestState: result!["requestState"] as string, inputResponses };
}

const [KEY, OTHER_KEY] = [7, 8].map((byte) => new Uint8Array(32).fill(byte)) as [Uint8Array, Uint8Array];
const keys = [KEY];

test("a state is good for every server that knows its key, for its principal, and for fifteen minutes", async (t) => {
  const start = Date.now();
  const clock = t.mock.method(Date, "now");
  const of = (principal: string, token: string): Way => ({ keys, authentication: { principal, token } });
  const isGood = /^Hello, Ada!$/, isUnknown = /^-32602 The requestState was not issued/;
  const rows: [given: Way, back: Way, minutes: number, answer: RegExp][] = [
    [{ keys }, { keys }, 0, isGood],
    [{ keys }, { keys: [OTHER_KEY, KEY] }, 0, isGood],
    [{ keys }, { keys: [OTHER_KEY] }, 0, isUnknown],
    [{ keys }, {}, 0, isUnknown],
    // Only the first key signs.
    [{ keys: [OTHER_KEY, KEY] }, { keys }, 0, isUnknown],
    [of("ada", "t1"), of("ada", "t2"), 0, isGood],
    [of("ada", "t1"), of("eve", "t1"), 0, isUnknown],
    [of("ada", "t1"), { keys }, 0, isUnknown],
    [of("ada", "t1"), { keys, authentication: "ada" }, 0, isUnknown],
    [{ keys }, { keys }, 14, isGood],
    [{ keys }, { keys }, 16, /^-32602 The requestState has expired;/],
  ];
  for (const [index, [given, back, minutes, answer]] of rows.entries()) {
    clock.mock.mockImplementation(() => start);
    const retry = await retryOf(given);
    clock.mock.mockImplementation(() => start + minutes * 60_000);
    const { error, ...more } = await callGreet(retry, back);
    assert.match(error ? `${error.code} ${error.message}` : textOf(more), answer, `row ${index}`);
  }
});

test("no character of the state can be changed", async () => {
  const { requestState: token, ...retry } = await retryOf({ keys });
  for (let index = 0; index < token.length; index += 7) {
    for (const other of ["A", "-", ".", "=", " "].filter((other) => other !== token[index])) {
      const requestState = token.slice(0, index) + other + token.slice(index + 1);
      assert.equal((await callGreet({ ...retry, requestState }, { keys })).error?.code, -32602, requestState);
    }
  }
});
