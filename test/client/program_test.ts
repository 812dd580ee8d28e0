import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import type { Client, Era, SpawnOptions } from "../../lib/client/mod.ts";
import { connect, spawnTransport } from "../../lib/client/mod.ts";
import { makeFolder } from "../harness/folder.ts";
import { command, ON_DENO } from "../harness/program.ts";
import { all, INFO } from "./scripted_server.ts";

const SERVER = fileURLToPath(new URL("./hostile_server.ts", import.meta.url));
const FLAGS = ON_DENO ? ["-A", "--no-check"] : ["--experimental-strip-types", "--no-warnings"];

/** How a server that behaves in one way is started. */
function server(mode: string, ...rest: string[]): SpawnOptions {
  const [file, args] = command([mode, ...rest], { module: SERVER, runtimeFlags: FLAGS });
  return { command: file, args };
}

/** A client of the real program. */
async function open(t: TestContext, era: Era): Promise<Client> {
  const [file, args] = command([]);
  const client = await connect(await spawnTransport({ command: file, args }), { info: INFO, era });
  t.after(() => client.close());
  return client;
}

for (const era of ["modern", "legacy"] as const) {
  test(`${era}: the program serves the client all that it has, and ends when it is left`, async (t) => {
    const client = await open(t, era);
    assert.equal(client.era, era);
    assert.equal(client.server.info["name"], "architrave");
    const uris = (await all(client.resources())).map(({ uri }) => uri);
    assert.ok(uris.includes("architecture://adr/002-one-golden-path"));
    assert.ok((await all(client.resourceTemplates())).length >= 3);
    assert.ok((await all(client.prompts())).some(({ name }) => name === "create-adr"));
    const { contents } = await client.readResource("architecture://adr/2#decision");
    assert.match(contents[0]!.text!, /^## Decision/);
    const { messages } = await client.getPrompt("create-adr", { topic: "logging" });
    assert.match(messages[0]!.content.text!, /logging/);
    const found = await client.callTool("search_documents", { query: "golden path" });
    assert.ok(found.structuredContent !== undefined && !found.isError);
    const wrong = await client.callTool("search_documents", { query: 7 });
    assert.equal(wrong.isError, true);
    const completion = await client.complete(
      { type: "ref/resource", uri: "architecture://adr/{+path}" },
      { name: "path", value: "002" },
    );
    assert.deepEqual(completion.values, ["002-one-golden-path"]);
    assert.ok(await client.ping() > 0);
    await assert.rejects(client.readResource("architecture://adr/999"), /not found/i);
    await client.close();
    await client.closed;
  });
}

test("a program that ends with its input is not sent a signal", async () => {
  const [file, args] = command([]);
  const transport = await spawnTransport({ command: file, args });
  const client = await connect(transport, { info: INFO });
  await client.close();
  assert.equal(await transport.exited, 0);
});

test("a program that does not end with its input gets SIGTERM, and then SIGKILL", async () => {
  for (const [mode, signal] of [["lingers", "SIGTERM"], ["deaf", "SIGKILL"]] as const) {
    const transport = await spawnTransport({ ...server(mode), graceMs: 300 });
    const client = await connect(transport, { info: INFO });
    await client.close();
    assert.equal(await transport.exited, signal, mode);
  }
});

test("a program gets its arguments as they are, its variables and its folder; what it says is passed on", async (t) => {
  const cwd = makeFolder(t);
  let said = "";
  const heard = Promise.withResolvers<void>();
  const transport = await spawnTransport({
    ...server("says", "a b", "$HOME", "*"),
    cwd,
    env: { HOSTILE: "yes" },
    onstderr: (text) => {
      said += text;
      if (said.includes("\n")) heard.resolve();
    },
  });
  const client = await connect(transport, { info: INFO });
  await heard.promise;
  assert.match(said, /^args a b\|\$HOME\|\* yes .+\n$/);
  await client.close();
});

test("a variable can be taken away", async () => {
  let said = "";
  const heard = Promise.withResolvers<void>();
  process.env["HOSTILE"] = "no";
  const transport = await spawnTransport({
    ...server("says"),
    env: { HOSTILE: undefined },
    onstderr: (text) => {
      said += text;
      if (said.includes("\n")) heard.resolve();
    },
  });
  delete process.env["HOSTILE"];
  await heard.promise;
  assert.match(said, /^args {2}undefined /);
  await transport.close();
});

test("a program that is not there is one sentence", async () => {
  await assert.rejects(
    spawnTransport({ command: "no-such-program-anywhere" }),
    /Cannot start "no-such-program-anywhere": /,
  );
});

test("a program that is no server is given up with a sentence", async () => {
  const transport = await spawnTransport({ command: process.execPath, args: ["--version"] });
  await assert.rejects(connect(transport, { info: INFO }), /Cannot .*ended before/);
});
