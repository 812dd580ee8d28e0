/** Can a feature ask the client of a session something, and is the answer its own? On stdio's terms and on HTTP's the same. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import type { ServerCall } from "../../lib/server/handlers.ts";
import type { Session } from "../../lib/server/session.ts";
import type { Request, Response } from "../../lib/jsonrpc/message.ts";
import { failure, RpcError, success } from "../../lib/jsonrpc/message.ts";
import { listenHttp } from "../../lib/http/mod.ts";
import { Server } from "../../lib/server/server.ts";
import { Conversation, Source } from "../server/conversation.ts";
import { HttpClient, LEGACY, MODERN, serve, Served } from "./client.ts";

/** A server whose pings ask the client for its roots, where that can be done. */
class Asking extends Server {
  override handle(
    request: Request,
    connection: Session,
    call: ServerCall,
  ): Response | Promise<Response> {
    if (request.method !== "ping") return super.handle(request, connection, call);
    return call.sendRequest!("roots/list", {}).then(
      (roots) => success(request.id, { roots }),
      (cause) =>
        failure(request.id, {
          code: cause instanceof RpcError ? cause.code : 1,
          message: String(cause.message),
        }),
    );
  }
}

async function serveAsking(t: Pick<TestContext, "after">): Promise<Served> {
  const listening = await listenHttp(new Asking({ info: { name: "test", version: "1" } }), { port: 0 });
  t.after(() => listening.close());
  return new Served(listening, { source: new Source(), waiting: [], failures: [] });
}

test("a question goes out on the stream of its request, and the answer comes with another POST", async (t) => {
  const served = await serveAsking(t);
  for (const version of LEGACY) {
    const client = await new HttpClient(served, version, false).start({ roots: {} });
    const stream = await client.begin(client.request("ping", {}, "p"));
    await stream.until("the question", () => stream.messages().length > 0);
    const [question] = stream.messages() as [{ id: string; method: string }];
    assert.equal(question.method, "roots/list");
    const stranger = await new HttpClient(served, version, false).start();
    const answer = { jsonrpc: "2.0", id: question.id, result: { roots: [] } };
    assert.equal((await stranger.post(answer)).status, 400, "nobody answers for another session");
    const taken = await client.post(answer);
    assert.equal(taken.status, 202);
    assert.equal(taken.body, "");
    await stream.whole();
    assert.deepEqual(stream.messages().at(-1), { jsonrpc: "2.0", id: "p", result: { roots: { roots: [] } } });
    assert.equal((await client.post(answer)).status, 400, "nothing is answered twice");
  }
});

test("a client that answers with an error, or reads no streams, is told of by an error", async (t) => {
  const served = await serveAsking(t);
  const client = await new HttpClient(served, "2025-11-25", false).start();
  const stream = await client.begin(client.request("ping", {}, 1));
  await stream.until("the question", () => stream.messages().length > 0);
  const { id } = stream.messages()[0] as { id: string };
  await client.post({ jsonrpc: "2.0", id, error: { code: -32601, message: "No roots" } });
  await stream.whole();
  assert.equal((stream.messages().at(-1)!["error"] as { code: number }).code, -32601);
  const deaf = await client.post(client.request("ping"), { accept: "application/json" });
  assert.equal((deaf.json["error"] as { code: number }).code, -32603);
});

test("a question that nobody waits for any more is taken back", async (t) => {
  const served = await serveAsking(t);
  const client = await new HttpClient(served, "2025-11-25", false).start();
  const stream = await client.begin(client.request("ping", {}, "p"));
  await stream.until("the question", () => stream.messages().length > 0);
  const { id } = stream.messages()[0] as { id: string };
  await client.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "p" } });
  await stream.whole();
  // The response may have crossed with the cancellation.
  assert.equal((await client.post({ jsonrpc: "2.0", id, result: {} })).status, 202);
  assert.equal((await client.post({ jsonrpc: "2.0", id, result: {} })).status, 400);
});

test("modern requests are not asked anything", async (t) => {
  const client = new HttpClient(await serveAsking(t), MODERN, false);
  const answered = await client.post(client.request("ping"));
  const { error } = answered.json as { error: { code: number; message: string } };
  assert.equal(error.code, -32603);
  assert.match(error.message, /^Cannot send roots\/list to the client: this revision has no requests/);
});

test("what is asked over HTTP is answered as it is over any other carrier", async (t) => {
  const requests: [string, object][] = [
    ["resources/list", {}],
    ["resources/read", { uri: "test://none" }],
    ["resources/read", {}],
    ["tools/list", {}],
    ["tools/call", { name: "none" }],
    ["prompts/list", {}],
    ["no/such", {}],
  ];
  for (const version of [...LEGACY, MODERN]) {
    const served = await serve(t, {}, { tools: [], resources: [] });
    const client = await new HttpClient(served, version).start();
    const conversation = await Conversation.open({ info: { name: "test", version: "1" }, logging: true });
    if (!client.isModern) await conversation.initialize(version);
    for (const [method, params] of requests) {
      const { result, error } = await client.ask(method, params);
      const { params: all } = client.request(method, params) as { params: object };
      const other = await conversation.ask(method, all);
      assert.deepEqual(
        { result, error },
        { result: other.result, error: other.error },
        `${version} ${method}`,
      );
    }
  }
});
