import assert from "node:assert/strict";
import { test } from "node:test";
import { RawJson, success } from "../../lib/jsonrpc/message.ts";
import { memoryTransports } from "../../lib/transport/memory.ts";
import { testContract } from "./contract.ts";

testContract("memory", () => Promise.resolve(memoryTransports()));

test("memoryTransports() share nothing: what arrives is a copy, and written results arrive as values", async () => {
  const [near, far] = memoryTransports();
  const arrived = new Promise<unknown>((resolve) => far.onmessage = resolve);
  await near.start();
  await far.start();
  await near.send(success(1, new RawJson([new TextEncoder().encode('"a":"ä"')])));
  assert.deepEqual(await arrived, { jsonrpc: "2.0", id: 1, result: { a: "ä" } });
});
