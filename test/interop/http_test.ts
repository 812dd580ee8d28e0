/** The official clients get over HTTP all that a tool can do: questions, progress, logs, cancellation; and what sessions have. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Opening } from "./clients.ts";
import { ROOT, V1, V2_AUTO, V2_LEGACY, V2_MODERN } from "./clients.ts";
import { onEachRuntime, serveEverything, serving } from "./programs.ts";
import { post } from "./post.ts";
import { META_PREFIX, MODERN_REVISION } from "./rules.ts";

/** A connection that breaks once, after the first event with a message of the first stream that answers a call of a tool. */
function breaksOnce(): typeof fetch {
  let isBroken = false;
  return async (url, init) => {
    const response = await fetch(url, init);
    const isCall = typeof init?.body === "string" && init.body.includes("tools/call");
    if (isBroken || !isCall || !response.body) return response;
    isBroken = true;
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let seen = "";
    while (!/data: \{.*\n\n/.test(seen)) {
      const { value, done } = await reader.read();
      assert.ok(!done, "the answer is no stream that could break");
      seen += value;
    }
    await reader.cancel();
    return new Response(seen.slice(0, seen.lastIndexOf("\n\n") + 2), response);
  };
}

/** Keeps the progress that a call reports. */
function progressOf(): { all: number[]; onprogress: (report: { progress: number }) => void } {
  const all: number[] = [];
  return { all, onprogress: ({ progress }) => void all.push(progress) };
}

onEachRuntime("HTTP", (runtime) => {
  const url = serving(() => serveEverything(runtime));
  for (const opening of [V1, V2_LEGACY, V2_AUTO, V2_MODERN]) {
    describe(opening.name, () => clientTests(opening, url));
  }
});

function clientTests(opening: Opening, url: () => string): void {
  const isModern = opening.revision === MODERN_REVISION;

  it("answers what it is asked: once, all at once and in several rounds", async () => {
    const client = await opening.connect(url());
    const answers: readonly (readonly [tool: string, args: Record<string, unknown>, expected: RegExp])[] = [
      ["test_sampling", { prompt: "Say it" }, /what the model says/],
      ["test_elicitation", { message: "Who?" }, /"username":"the username"/],
      ["test_input_required_result_list_roots", {}, new RegExp(`^${ROOT.name} ${ROOT.uri}$`)],
      ["test_input_required_result_multiple_inputs", {}, /^what the model says the name \(1 roots\)$/],
      ["test_input_required_result_multi_round", {}, /^the name likes the color$/],
    ];
    for (const [tool, args, expected] of answers) assert.match(await client.textOf(tool, args), expected);
    const [[, text]] = await client.prompt("test_input_required_result_prompt") as [[string, string]];
    assert.match(text, /Use this context: the context/);
    await client.close();
  });

  it("hears of progress and of the log, if it wants to", async () => {
    const client = await opening.connect(url());
    const { all, onprogress } = progressOf();
    await client.call("test_tool_with_progress", {}, { onprogress });
    assert.deepEqual(all, [0, 50, 100]);
    await client.call("test_tool_with_logging");
    assert.deepEqual(client.logs, []);
    if (!isModern) await client.raw.setLoggingLevel("info");
    await client.call(
      "test_tool_with_logging",
      {},
      {},
      isModern ? { [`${META_PREFIX}logLevel`]: "info" } : {},
    );
    assert.deepEqual(client.logs, [
      "Tool execution started",
      "Tool processing data",
      "Tool execution completed",
    ]);
    await client.close();
  });

  it("cancels a call, which the tool sees, and goes on", async () => {
    const client = await opening.connect(url());
    const count = async () => Number(await client.textOf("count_cancelled"));
    const before = await count();
    const controller = new AbortController();
    const { signal } = controller;
    const onprogress = () => controller.abort(new Error("no longer needed"));
    await assert.rejects(client.call("wait_until_cancelled", {}, { signal, onprogress }), /no longer needed/);
    // The news travels on its own; nothing tells the client when it came.
    while (await count() === before);
    assert.equal(await count(), before + 1);
    await client.close();
  });

  // What follows is of sessions, and 2026-07-28 has none.
  if (isModern) return;

  it("comes back for the rest of an answer whose connection broke", async () => {
    const client = await opening.connect(url(), { fetch: breaksOnce() });
    const { all, onprogress } = progressOf();
    const text = await client.textOf("test_tool_with_progress", {}, { onprogress });
    assert.equal(text, "Tool with progress executed successfully");
    // What comes in one piece with the answer, the client drops.
    assert.deepEqual(all.slice(0, 2), [0, 50]);
    const resumed = client.recording.exchanges.filter(({ method, lastEventId }) =>
      method === "GET" && lastEventId
    );
    assert.deepEqual(resumed.map(({ status }) => status), [200]);
    await client.close();
  });

  it("ends its session, which is over then", async () => {
    const client = await opening.connect(url());
    const { transport, recording } = client;
    const fields = { "mcp-session-id": transport.sessionId!, "mcp-protocol-version": opening.revision };
    await transport.terminateSession();
    assert.equal(transport.sessionId, undefined);
    assert.equal(recording.exchanges.find(({ method }) => method === "DELETE")?.status, 204);
    assert.equal((await post(url(), fields, { id: 1, method: "ping" })).status, 404);
    // The client tries to go on listening, which it reports.
    await client.close(/Failed to open SSE stream: Not Found/);
  });
}
