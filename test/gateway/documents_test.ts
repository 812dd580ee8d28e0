/**
 * The documents of real APIs are served: all JSON files in the folder that OPENAPI_DOCUMENTS names. Without it this is skipped.
 */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import type { SchemaObject } from "../../lib/schema/mod.ts";
import { createGateway, parseOpenApi, readOpenApi } from "../../lib/gateway/mod.ts";
import { connect } from "../server/tool_client.ts";
import { argumentsFor } from "./example_values.ts";
import { BASE } from "./gateways.ts";

const FOLDER = process.env["OPENAPI_DOCUMENTS"];
const FILES = FOLDER === undefined ? [] : readdirSync(FOLDER).filter((name) => name.endsWith(".json"));

for (const file of FILES) {
  test(`${file} is served, every operation can be called, and what does not fit never leaves`, async (t) => {
    const description = readOpenApi(parseOpenApi(readFileSync(`${FOLDER}/${file}`, "utf8")), { base: BASE });
    const sent: string[] = [];
    const options = { description, base: BASE, allowDestructive: true, withoutCredentials: true };
    const gateway = (maxTools: number) =>
      createGateway({
        ...options,
        maxTools,
        confirm: () => Promise.resolve("accept"),
        fetch: (url) => {
          sent.push(url.href);
          return Promise.resolve(new Response(null, { status: 204 }));
        },
      });
    const { skipped, tools } = gateway(1e6);
    const { conversation, call, failures } = await connect({
      tools: gateway(0).tools,
      toolCalls: { burst: 1e6, perSecond: 1e6 },
    });
    let called = 0;
    let refused = 0;
    for (const { name, definition } of tools) {
      assert.match(name, /^[A-Za-z0-9_-]{1,48}$/);
      for (const amount of ["least", "most"] as const) {
        const args = argumentsFor(definition.inputSchema as SchemaObject, amount);
        if (!args) continue;
        sent.length = 0;
        const { result, error } = await call("call_operation", { name, arguments: args });
        assert.ok(result, `${name}: ${JSON.stringify(error)} ${failures.at(-1)}`);
        // A value that was made can be one that has no form where it belongs; then nothing was sent.
        if (sent.length > 0) called++;
        else refused++;
        assert.ok(sent.every((url) => url.startsWith(`${BASE}/`)), String(sent[0]));
      }
      sent.length = 0;
      const { result } = await call("call_operation", { name, arguments: { "no such argument": 1 } });
      assert.deepEqual([result!["isError"], sent.length], [true, 0]);
    }
    await conversation.close();
    assert.equal(new Set(tools.map(({ name }) => name)).size, tools.length);
    t.diagnostic(
      `${tools.length} operations, ${skipped.length} skipped, ${called} calls, ${refused} refused`,
    );
    assert.ok(called > 0 && refused <= called / 20, `${called} calls, ${refused} refused`);
  });
}

test(
  "the documents of real APIs",
  { skip: FILES.length === 0 && "OPENAPI_DOCUMENTS names no folder" },
  () => {},
);
