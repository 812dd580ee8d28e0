/**
 * What clients leave behind is freed: memory and connections. A leak shows only in many requests, which take some seconds: with
 * `ATTACK_SECONDS` or `TESTS=all`, skipped otherwise.
 */

import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { pause, until, usedHeap } from "../../harness/process.ts";
import { IS_COMPLETE, ON_DENO } from "../../harness/program.ts";
import { HttpClient, open, requestOf } from "../../harness/http_client.ts";
import { serve } from "../../harness/http_server.ts";

const skip = ON_DENO
  ? "measures the heap of Node"
  : !IS_COMPLETE && process.env["ATTACK_SECONDS"] === undefined && "takes some seconds";
/** How many clients there are in a round, and how much each of them makes the server keep of everything. */
const CLIENTS = 20;
const PADDING = "x".repeat(100_000);

const sockets = () => process.getActiveResourcesInfo().filter((name) => name.startsWith("TCP")).length;

test("clients that leave in the middle leave nothing behind", { skip }, async (t) => {
  const served = await serve(t, { retentionMs: 1 });
  const first = sockets();
  const half = requestOf("POST", "/mcp", { host: "localhost", "content-length": "1000000" });
  const round = async () => {
    for (let count = 0; count < CLIENTS; count++) {
      const padded = { experimental: { padding: { PADDING } } };
      const legacy = await new HttpClient(served, "2025-11-25").start(padded);
      const modern = new HttpClient(served);
      const left = [
        await modern.listen({}, { resourceSubscriptions: [`test://${PADDING}`] }),
        await modern.wait({ _meta: { PADDING } }),
        await legacy.listen(),
        await legacy.wait({ _meta: { PADDING } }),
        await open(served.port, half),
      ];
      left.at(-1)!.socket.write(PADDING);
      for (const { socket } of left) socket.destroy();
      if (count % 2 === 0) await legacy.end();
      for (const { finish } of served.waiting.splice(0)) finish();
    }
    await until("all connections are closed", () => sockets() <= first);
    // Some is freed only after callbacks have run.
    usedHeap();
    await pause(50);
    return usedHeap();
  };
  const sizes: number[] = [];
  while (sizes.length < 5) sizes.push(await round());
  const growth = Math.min(...sizes.slice(3)) - Math.min(...sizes.slice(1, 3));
  t.diagnostic(`${growth} bytes more`);
  assert.ok(growth < CLIENTS * PADDING.length / 2, `${growth} bytes more`);
});
