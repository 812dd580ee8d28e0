/**
 * Can the documents of real APIs be served? All in the folder that OPENAPI_DOCUMENTS names, as JSON: with none of them, this
 * is skipped. What is found is told as a diagnostic.
 */

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import { createGateway } from "../../lib/gateway/gateway.ts";
import { parseOpenApi, readOpenApi } from "../../lib/gateway/openapi.ts";
import { connect } from "../server/tool_client.ts";
import { argumentsFor } from "./example_values.ts";

const FOLDER = process.env["OPENAPI_DOCUMENTS"] ?? "";
const FILES = FOLDER !== "" && existsSync(FOLDER)
  ? readdirSync(FOLDER).filter((name) => name.endsWith(".json"))
  : [];
const BASE = "https://api.example.com/base";

for (const file of FILES) {
  test(`${file} is served, every operation can be called, and what does not fit never leaves`, {
    timeout: 300_000,
  }, async (t) => {
    const started = performance.now();
    const description = readOpenApi(parseOpenApi(readFileSync(`${FOLDER}/${file}`, "utf8")), { base: BASE });
    let sent = "" as string;
    const gateway = createGateway({
      description,
      base: BASE,
      allowDestructive: true,
      withoutCredentials: true,
      maxTools: 0,
      confirm: () => Promise.resolve("accept"),
      fetch: (url) => {
        sent = url.href;
        return Promise.resolve(new Response(null, { status: 204 }));
      },
    });
    const took = Math.round(performance.now() - started);
    const { conversation, call, failures } = await connect({
      tools: gateway.tools,
      toolCalls: { burst: 1e6, perSecond: 1e6 },
    });
    const counts = { called: 0, refused: 0, unmade: 0 };
    for (const endpoint of gateway.endpoints) {
      for (const amount of ["least", "most"] as const) {
        const args = argumentsFor(endpoint, amount);
        if (!args) {
          counts.unmade++;
          continue;
        }
        sent = "";
        const { result, error } = await call("call_operation", { name: endpoint.name, arguments: args });
        assert.equal(error, undefined, `${endpoint.name}: ${JSON.stringify(error)} ${failures.at(-1)}`);
        // A value that was made can be one that has no form where it belongs; then nothing was sent.
        if (sent !== "") {
          counts.called++;
          assert.ok(sent.startsWith(`${BASE}/`), sent);
        } else counts.refused++;
        assert.ok(result);
      }
      sent = "";
      const { result } = await call("call_operation", {
        name: endpoint.name,
        arguments: { "no such argument": 1 },
      });
      assert.equal(result!["isError"], true);
      assert.equal(sent, "");
    }
    await conversation.close();
    const names = new Set(gateway.endpoints.map(({ name }) => name));
    assert.equal(names.size, gateway.endpoints.length);
    for (const name of names) assert.match(name, /^[A-Za-z0-9_-]{1,48}$/);
    t.diagnostic(
      `${file}: ${names.size} operations, ${gateway.skipped.length} skipped, read in ${took} ms; ${
        JSON.stringify(counts)
      }`,
    );
    assert.ok(counts.called > 0);
    assert.ok(counts.refused <= counts.called / 20, JSON.stringify(counts));
  });
}

test("the documents of real APIs", {
  skip: FILES.length === 0 && "OPENAPI_DOCUMENTS names no folder with any",
}, () => {});
