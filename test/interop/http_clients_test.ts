/** Do the official clients get over HTTP all that they get over stdio, and all that only a network has? In every mode that they have. */

import { Buffer } from "node:buffer";
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Connected, HttpOpening } from "./http_clients.ts";
import type { HttpServer } from "./http_servers.ts";
import type { ChangingShelf } from "./listening.ts";
import { V1 } from "./client_v1.ts";
import { V2_AUTO, V2_LEGACY, V2_MODERN } from "./client_v2.ts";
import { HTTP_OPENINGS } from "./http_clients.ts";
import { serveEverything, serveProgram } from "./http_servers.ts";
import { changingShelf } from "./listening.ts";
import { refusal, WELL } from "./official.ts";
import { OWN_ROOT, RUNTIMES } from "./runtimes.ts";
import { MODERN_REVISION } from "./schemas.ts";
import { expectedDocuments, expectedPrompts } from "./shelf.ts";

const A = "architecture://guidelines/a";
const B = "architecture://guidelines/b";
const documents = expectedDocuments(OWN_ROOT);
/** How each of them opens over stdio. */
const OVER_STDIO = [V1, V2_LEGACY, V2_AUTO, V2_MODERN];
const LOG_LEVEL = { "io.modelcontextprotocol/logLevel": "info" };

/** Closes a client, and looks at all that it was told. */
async function close(
  { client, recording, complaints, told }: Connected,
): Promise<void> {
  await client.close();
  const { problems, messages } = await recording.finish();
  assert.deepEqual(problems, []);
  assert.notEqual(messages, 0);
  // Closing cuts the streams that the client had open, and it tells of that.
  assert.deepEqual(
    complaints.filter(({ name, message }) => !/Abort/.test(`${name} ${message}`)),
    [],
  );
  assert.deepEqual(told.rest(), []);
}

/** A connection that breaks once, after the first event with a message of the first stream that answers a call of a tool. */
function breaksOnce(): typeof fetch {
  let isBroken = false;
  return async (url, init) => {
    const response = await fetch(url, init);
    const isCall = typeof init?.body === "string" &&
      init.body.includes("tools/call");
    if (isBroken || !isCall || !response.body) return response;
    isBroken = true;
    const reader = response.body.pipeThrough(new TextDecoderStream())
      .getReader();
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

for (const runtime of RUNTIMES) {
  describe(`HTTP on ${runtime.name}`, { skip: runtime.skip }, () => {
    let program: HttpServer;
    let everything: HttpServer;
    let changing: HttpServer;
    let shelf: ChangingShelf;

    before(async () => {
      shelf = changingShelf();
      [program, everything, changing] = await Promise.all([
        serveProgram(runtime),
        serveEverything(runtime),
        serveProgram(runtime, shelf.root),
      ]);
    });
    after(async () => {
      const ends = await Promise.all(
        [program, everything, changing].map((server) => server.stop()),
      );
      assert.deepEqual(ends, [WELL, WELL, WELL]);
      shelf.remove();
    });

    for (const [index, opening] of HTTP_OPENINGS.entries()) {
      describe(opening.name, () => modeTests(opening, index));
    }

    function modeTests(opening: HttpOpening, index: number): void {
      const isModern = opening.revision === MODERN_REVISION;

      it("reads every document, byte for byte as over stdio", async () => {
        const overStdio = await OVER_STDIO[index]!.connect(runtime.launch());
        const connected = await opening.connect(program.url);
        const { client } = connected;
        assert.equal(connected.transport.sessionId === undefined, isModern);
        const { resources } = await client.listResources();
        assert.deepEqual(resources, await overStdio.resources());
        assert.deepEqual(
          resources.map(({ uri }) => uri),
          documents.map(({ uri }) => uri),
        );
        await Promise.all(documents.map(async ({ uri, text }) => {
          const { contents } = await client.readResource({ uri });
          const [{ text: own }] = contents as [{ text: string }];
          assert.ok(Buffer.from(own).equals(text), uri);
          assert.equal(own, (await overStdio.read(uri)).text);
        }));
        assert.deepEqual(
          (await client.listTools()).tools,
          await overStdio.tools(),
        );
        const { prompts } = await client.listPrompts();
        assert.deepEqual(prompts, await overStdio.prompts());
        assert.deepEqual(
          prompts.map(({ name }) => name),
          expectedPrompts(OWN_ROOT),
        );
        const { messages } = await client.getPrompt({
          name: "create-adr",
          arguments: { topic: "Wörter 🏛" },
        });
        assert.match(JSON.stringify(messages), /Wörter 🏛/);
        const refused = await refusal(
          client.readResource({ uri: "architecture://none" }),
        );
        // The second generation knows both codes, as the same error.
        assert.equal(
          refused.code,
          opening.name === "client v1" ? -32002 : -32602,
        );
        assert.deepEqual(await overStdio.close(), WELL);
        await close(connected);
      });

      it("answers what it is asked, once, all at once and in several rounds", async () => {
        const connected = await opening.connect(everything.url);
        const { call } = connected;
        assert.match(
          await call("test_sampling", { prompt: "Say it" }),
          /what the model says/,
        );
        assert.match(
          await call("test_elicitation", { message: "Who?" }),
          /"username":"the username"/,
        );
        assert.equal(
          await call("test_input_required_result_list_roots"),
          "the root file:///the/root",
        );
        assert.equal(
          await call("test_input_required_result_multiple_inputs"),
          "what the model says the name (1 roots)",
        );
        assert.equal(
          await call("test_input_required_result_multi_round"),
          "the name likes the color",
        );
        const { messages } = await connected.client.getPrompt({
          name: "test_input_required_result_prompt",
        });
        assert.match(JSON.stringify(messages), /Use this context: the context/);
        await close(connected);
      });

      it("hears of progress and of the log, if it wants to", async () => {
        const connected = await opening.connect(everything.url);
        const { call, client, logs } = connected;
        const told: number[] = [];
        const onprogress = ({ progress }: { progress: number }) => void told.push(progress);
        await call("test_tool_with_progress", {}, { onprogress });
        assert.deepEqual(told, [0, 50, 100]);
        await call("test_tool_with_logging");
        assert.deepEqual(logs, []);
        if (!isModern) await client.setLoggingLevel("info");
        await call("test_tool_with_logging", {}, {}, isModern ? LOG_LEVEL : {});
        assert.deepEqual(logs, [
          "Tool execution started",
          "Tool processing data",
          "Tool execution completed",
        ]);
        await close(connected);
      });

      it("cancels a call, which the tool sees, and goes on", async () => {
        const connected = await opening.connect(everything.url);
        const { call } = connected;
        const before = Number(await call("count_cancelled"));
        const controller = new AbortController();
        const onprogress = () => controller.abort(new Error("no longer needed"));
        await assert.rejects(
          call("wait_until_cancelled", {}, {
            signal: controller.signal,
            onprogress,
          }),
          /no longer needed/,
        );
        // The news travels on its own; nothing tells the client when it came.
        while (Number(await call("count_cancelled")) === before);
        assert.equal(Number(await call("count_cancelled")), before + 1);
        await close(connected);
      });

      it("hears of lists and of single documents", async () => {
        const connected = await opening.connect(changing.url, {
          withLists: true,
        });
        const { client, v2, told } = connected;
        const title = `${opening.name} on ${runtime.name}`;
        await client.listResources();
        shelf.document(`new-${index}`, title, "It came.");
        assert.match(
          await told.next(),
          new RegExp(`^resources .*guidelines/new-${index}`),
        );
        shelf.prompt(`p-${index}`);
        assert.match(await told.next(), new RegExp(`^prompts p .*p-${index}`));
        const own = v2?.autoOpenedSubscription;
        assert.equal(own !== undefined, isModern);
        const single = isModern ? await v2!.listen({ resourceSubscriptions: [A] }) : undefined;
        if (!isModern) await client.subscribeResource({ uri: A });
        shelf.document("a", "A", `As it is now, says ${title}.`);
        assert.equal(await told.next(), `updated ${A}`);
        if (single) {
          await single.close();
          await own!.close();
        } else {
          await client.unsubscribeResource({ uri: A });
          await client.subscribeResource({ uri: B });
          shelf.document("a", "A", `As it is then, says ${title}.`);
          shelf.document("b", title, "It came.");
          const last = [await told.next(), await told.next()];
          assert.deepEqual(last.filter((line) => line.startsWith("updated")), [
            `updated ${B}`,
          ]);
        }
        await close(connected);
      });

      // What follows is of sessions, and 2026-07-28 has none.
      if (isModern) return;

      it("comes back for the rest of an answer whose connection broke", async () => {
        const connected = await opening.connect(everything.url, {
          fetch: breaksOnce(),
        });
        const told: number[] = [];
        const onprogress = ({ progress }: { progress: number }) => void told.push(progress);
        assert.equal(
          await connected.call("test_tool_with_progress", {}, { onprogress }),
          "Tool with progress executed successfully",
        );
        // What comes in one piece with the answer, the client drops.
        assert.deepEqual(told.slice(0, 2), [0, 50]);
        const resumed = connected.recording.exchanges.filter((
          { method, lastEventId },
        ) => method === "GET" && lastEventId);
        assert.deepEqual(resumed.map(({ status }) => status), [200]);
        await close(connected);
      });

      it("ends its session, which is over then", async () => {
        const connected = await opening.connect(everything.url);
        const { transport, recording, client } = connected;
        const fields = {
          "mcp-session-id": transport.sessionId!,
          "mcp-protocol-version": opening.revision,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
        };
        await transport.terminateSession();
        assert.equal(transport.sessionId, undefined);
        assert.equal(
          recording.exchanges.find(({ method }) => method === "DELETE")?.status,
          204,
        );
        const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
        const over = await fetch(everything.url, {
          method: "POST",
          headers: fields,
          body: JSON.stringify(ping),
        });
        assert.equal(over.status, 404);
        await over.body?.cancel();
        await client.close();
        assert.deepEqual((await recording.finish()).problems, []);
      });
    }
  });
}
