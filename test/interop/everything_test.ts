/** The official clients get from our server all that tools can do, over stdio and HTTP. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { OfficialClient, Opening, Target } from "./clients.ts";
import { ROOT, V1, V2_AUTO, V2_LEGACY, V2_MODERN } from "./clients.ts";
import { launchEverything, onEachRuntime, serveEverything, serving } from "./programs.ts";
import { META_PREFIX, MODERN_REVISION } from "../harness/conformance.ts";

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

/** What an official client gets from our server. */
function clientTests(opening: Opening, target: () => Target): void {
  const isModern = opening.revision === MODERN_REVISION;
  const check = (name: string, use: (client: OfficialClient) => Promise<void>) =>
    it(name, async () => {
      const client = await opening.connect(target());
      await use(client);
      const isHttp = client.recording.exchanges.length > 0;
      // Over stdio, the clients take an answer before the progress that came with it, and drop that.
      await client.close(isHttp ? undefined : /progress notification for an unknown token/);
    });

  check("answers what it is asked: once, all at once and in several rounds", async (client) => {
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
    assert.match((await client.read("test://static-text")).text, /static text resource/);
    const many = await Promise.all(Array.from({ length: 50 }, () => client.read("test://static-binary")));
    assert.equal(new Set(many.map((read) => JSON.stringify(read))).size, 1);
    await assert.rejects(client.read("test://none"), /none|not found/i);
  });

  check("hears of progress and of the log, if it wants to", async (client) => {
    const { all, onprogress } = progressOf();
    await client.call("test_tool_with_progress", {}, { onprogress });
    // What comes in one piece with the answer over stdio, the client drops.
    const count = client.recording.exchanges.length > 0 ? 3 : all.length;
    assert.deepEqual(all, [0, 50, 100].slice(0, count));
    await client.call("test_tool_with_logging");
    assert.deepEqual(client.logs, []);
    if (!isModern) await client.raw.setLoggingLevel("info");
    const meta = isModern ? { [`${META_PREFIX}logLevel`]: "info" } : {};
    await client.call("test_tool_with_logging", {}, {}, meta);
    assert.deepEqual(client.logs, [
      "Tool execution started",
      "Tool processing data",
      "Tool execution completed",
    ]);
  });

  check("cancels a call, which the tool sees, and goes on", async (client) => {
    const count = async () => Number(await client.textOf("count_cancelled"));
    const before = await count();
    const controller = new AbortController();
    const { signal } = controller;
    const onprogress = () => controller.abort(new Error("no longer needed"));
    await assert.rejects(client.call("wait_until_cancelled", {}, { signal, onprogress }), /no longer needed/);
    // The news travels on its own; nothing tells the client when it came.
    while (await count() === before);
    assert.equal(await count(), before + 1);
  });
}

onEachRuntime("everything", (runtime) => {
  const url = serving(() => serveEverything(runtime));

  for (const opening of [V1, V2_LEGACY, V2_AUTO, V2_MODERN]) {
    describe(`${opening.name} over stdio`, () => clientTests(opening, () => launchEverything(runtime)));
    describe(`${opening.name} over HTTP`, () => clientTests(opening, url));
  }

  for (const opening of [V1, V2_LEGACY]) {
    it(`${opening.name} comes back for the rest of an answer whose connection broke`, async () => {
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
  }
});
