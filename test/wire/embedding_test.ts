/** A program of its own that is built on the library: it ends on a signal, and keeps nothing of calls that are given up. */

import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { modern, ON_DENO, Program, REPOSITORY } from "../harness/program.ts";

const MODULE = { module: `${REPOSITORY}/test/transcripts/server.ts` };
const calling = (id: unknown, ...steps: readonly unknown[][]) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "do", arguments: { do: steps } },
});

test("end() on a signal ends a program that has nothing else to do", {
  skip: process.platform === "win32",
}, async () => {
  const program = new Program([], MODULE);
  await program.initialize();
  program.send(calling("slow", ["later", 300]), { jsonrpc: "2.0", id: "after", method: "ping" });
  assert.equal((await program.next()).id, "after");
  process.kill(program.child.pid!, "SIGTERM");
  assert.equal(await program.exited, 0);
  assert.deepEqual((await program.next()).result, { content: [{ type: "text", text: '["later"]' }] });
  assert.equal(program.errors, "");
});

test("calls that ask and are never taken up again leave nothing behind", async () => {
  const runtimeFlags = ON_DENO
    ? ["--no-prompt", "--allow-read", "--v8-flags=--expose-gc"]
    : ["--experimental-strip-types", "--no-warnings", "--expose-gc"];
  const program = new Program([], { ...MODULE, runtimeFlags });
  const schema = { type: "object", properties: { name: { type: "string" } } };
  const call = (id: unknown, ...steps: readonly unknown[][]) => {
    const request = calling(id, ...steps);
    const params = modern(request.params) as { _meta: Record<string, unknown> };
    params._meta["io.modelcontextprotocol/clientCapabilities"] = { elicitation: {} };
    return { ...request, params };
  };
  // Each of them holds ten thousand bytes in its arguments.
  const asks = call(0, ["elicit", { message: "?", schema }], ["print", "x".repeat(10_000)]);
  const abandon = async (count: number) => {
    for (let sent = 0; sent < count; sent += 500) {
      program.send(...Array.from({ length: 500 }, (_, id) => ({ ...asks, id })));
      for (const { result } of await program.take(500)) {
        assert.equal(result!["resultType"], "input_required");
      }
    }
    program.send(call("memory", ["memory"]));
    const { result } = await program.next();
    return JSON.parse((result!["content"] as { text: string }[])[0]!.text)[0] as number;
  };
  await abandon(500);
  const before = await abandon(500);
  const growth = await abandon(3000) - before;
  // If one in ten stayed, it would be three million.
  assert.ok(growth < 3_000_000, `${growth} bytes more`);
  assert.equal(await program.close(), 0);
});
