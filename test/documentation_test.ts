// deno-lint-ignore-file no-explicit-any
/** Does the documentation tell the truth? Its programs are run as they are shown, and answer as it is said. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { startApi } from "./gateway/api.ts";
import { examplesOf, programsOf, writeExample } from "./harness/examples.ts";
import { makeFolder, writeFiles } from "./harness/folder.ts";
import { ON_DENO, Program } from "./harness/program.ts";

const TOOLS = "mcp/resources/guidelines/defining-tools.md";

const GATEWAY = "mcp/resources/guidelines/gateway.md";

const HANDSHAKE = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "test", version: "1" },
};

test("the tools that the guideline defines answer as it says", async (t) => {
  const program = new Program([], { module: writeExample(makeFolder(t), programsOf(TOOLS)[0]!) });
  await program.ask("initialize", HANDSHAKE);
  const shown = examplesOf(TOOLS).filter(({ language }) => language === "json")
    .map(({ text }) => JSON.parse(text));
  assert.equal(shown.length, 8);
  for (let index = 0; index < shown.length; index += 2) {
    const { result } = await program.ask("tools/call", shown[index]);
    assert.deepEqual(result, shown[index + 1]);
  }
  assert.equal(await program.close(), 0);
  assert.equal(program.errors, "");
});

test("the resources that the guideline makes are listed, found by their template, and completed", async (t) => {
  const program = new Program([], { module: writeExample(makeFolder(t), programsOf(TOOLS)[1]!) });
  await program.ask("initialize", HANDSHAKE);
  const read = async (uri: string) => (await program.ask("resources/read", { uri }));
  assert.deepEqual((await read("notes://mine")).result, {
    contents: [{ uri: "notes://mine", mimeType: "text/plain", text: "Nothing yet." }],
  });
  assert.deepEqual((await read("notes://team/ledger?lang=de")).result, {
    contents: [{ uri: "notes://team/ledger?lang=de", text: "Ledger, in de" }],
  });
  assert.equal((await read("notes://team/nobody")).error?.code, -32002);
  const { result } = await program.ask("completion/complete", {
    ref: { type: "ref/resource", uri: "notes://team/{team}{?lang}" },
    argument: { name: "team", value: "l" },
  });
  assert.deepEqual(result!["completion"], { values: ["ledger"], total: 1, hasMore: false });
  assert.equal(await program.close(), 0);
});

test("the endpoint file of the guideline is served, and its calls are answered as it says", async (t) => {
  const api = await startApi(t, (response, { url }) => {
    if (url.includes("closed")) response.writeHead(503, { "retry-after": "30" }).end("at db.internal");
    else response.writeHead(200, { "content-type": "application/json" }).end('{"orders":[{"number":7}]}');
  });
  const [file, ...shown] = examplesOf(GATEWAY).filter(({ language }) => language === "json")
    .map(({ text }) => JSON.parse(text));
  const folder = makeFolder(t);
  writeFiles(folder, { "shop.json": JSON.stringify(file), "shop.key": "a-key-for-the-shop\n" });
  const args = ["gateway", "--endpoints", `${folder}/shop.json`, "--auth-file", `key=${folder}/shop.key`];
  const program = new Program([...args, "--base", `${api.origin}/v1`], {
    ...(ON_DENO ? { runtimeFlags: ["--no-prompt", "--allow-read", "--allow-net=127.0.0.1"] } : {}),
  });
  await program.ask("initialize", HANDSHAKE);
  assert.equal(shown.length, 6);
  for (let index = 0; index < shown.length; index += 2) {
    const { result } = await program.ask("tools/call", shown[index]);
    assert.deepEqual(result, shown[index + 1]);
  }
  assert.deepEqual(api.asked.map(({ url }) => url), [
    "/v1/shops/a%2Fb/orders?state=open,paid",
    "/v1/shops/closed/orders",
  ]);
  assert.equal(await program.close(), 0);
  assert.equal(program.errors, "");
});

test("the program of the guideline about the gateway serves a tool", async (t) => {
  const program = new Program([], { module: writeExample(makeFolder(t), programsOf(GATEWAY)[0]!) });
  await program.ask("initialize", HANDSHAKE);
  const { result } = await program.ask("tools/call", { name: "status" });
  assert.deepEqual(result, { content: [{ type: "text", text: "All is well." }] });
  assert.equal(await program.close(), 0);
  assert.equal(program.errors, "");
});
