/** Servers that are programs: our own, and one that misbehaves. */

import assert from "node:assert/strict";
import { basename } from "node:path";
import process from "node:process";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import type { ClientOptions, ResourceTemplate, SpawnOptions } from "../../../lib/mcp/client/mod.ts";
import { spawnTransport } from "../../../lib/mcp/client/mod.ts";
import { makeFolder } from "../../harness/folder.ts";
import { command, ON_DENO } from "../../harness/program.ts";
import { all, connected } from "../../harness/scripted_server.ts";

/** On Windows, every signal ends a program at once. */
const ON_WINDOWS = process.platform === "win32";

const HOSTILE = {
  module: fileURLToPath(new URL("./hostile_server.ts", import.meta.url)),
  runtimeFlags: ON_DENO ? ["-A", "--no-check"] : ["--experimental-strip-types", "--no-warnings"],
};

/** How our own program is started, or the one that misbehaves. */
function toSpawn(...words: string[]): SpawnOptions {
  const [file, args] = command(words, words.length > 0 ? HOSTILE : {});
  return { command: file, args };
}

async function open(t: TestContext, spawn: SpawnOptions, options: Partial<ClientOptions> = {}) {
  const transport = await spawnTransport(spawn);
  return { transport, ...await connected(t, transport, options) };
}

for (const era of ["modern", "legacy"] as const) {
  test(`${era}: the program serves all requests of the client, and exits when its input ends`, async (t) => {
    const { client, transport } = await open(t, toSpawn(), { era });
    assert.deepEqual([client.era, client.server.info["name"]], [era, "architrave"]);
    const [resources, prompts] = [await all(client.resources()), await all(client.prompts())];
    const uri = "architecture://adr/002-one-golden-path";
    assert.ok(resources.some((one) => one.uri === uri) && prompts.some(({ name }) => name === "create-adr"));
    const { contents } = await client.readResource(`${uri}#decision`);
    assert.match(contents[0]!.text!, /^## Decision/);
    const { messages } = await client.getPrompt("create-adr", { topic: "logging" });
    assert.match(messages[0]!.content.text!, /logging/);
    const found = await client.callTool("search_documents", { query: "golden path" });
    assert.ok(found.structuredContent !== undefined && !found.isError);
    assert.equal((await client.callTool("search_documents", { query: 7 })).isError, true);
    const [{ uriTemplate }] = await all(client.resourceTemplates(), 1) as [ResourceTemplate];
    const ref = { type: "ref/resource", uri: uriTemplate } as const;
    const { values } = await client.complete(ref, { name: "path", value: "002" });
    assert.deepEqual(values, ["002-one-golden-path"]);
    assert.ok(await client.ping() > 0);
    await client.close();
    await client.closed;
    assert.equal(await transport.exited, 0);
  });
}

for (
  const [mode, signal] of Object.entries({ lingers: "SIGTERM", deaf: ON_WINDOWS ? "SIGTERM" : "SIGKILL" })
) {
  test(`a program that does not exit at the end of its input gets ${signal}: ${mode}`, async (t) => {
    // On a busy machine, a program takes a while to exit after SIGTERM.
    const { client, transport } = await open(t, { ...toSpawn(mode), graceMs: mode === "deaf" ? 100 : 2000 });
    await client.close();
    assert.equal(await transport.exited, signal);
  });
}

test("spawnTransport() passes arguments, the folder and variables, and removes variables", async (t) => {
  process.env["HOSTILE"] = "no";
  t.after(() => delete process.env["HOSTILE"]);
  for (const variable of ["yes", undefined]) {
    const cwd = makeFolder(t);
    let said = "";
    const line = Promise.withResolvers<void>();
    const onstderr = (text: string) => {
      said += text;
      if (said.includes("\n")) line.resolve();
    };
    const spawn = { ...toSpawn("says", "a b", "$HOME", "*"), cwd, env: { HOSTILE: variable }, onstderr };
    const { client } = await open(t, spawn);
    await line.promise;
    assert.ok(said.startsWith(`args a b|$HOME|* ${variable} `), said);
    assert.ok(said.includes(basename(cwd)), said);
    await client.close();
  }
});

test("spawnTransport() starts a batch file on the PATH, and refuses arguments that its shell would change", {
  skip: !ON_WINDOWS && "batch files are those of Windows",
}, async (t) => {
  const [file, args] = command(["says"], HOSTILE);
  const line = [file, ...args].map((word) => `"${word}"`).join(" ");
  const folder = makeFolder(t, { "shim & co.cmd": `@${line} %*\r\n` });
  const env = { PATH: `${folder};${process.env["PATH"]}` };
  const words = ["a b", "&whoami", "^x", "c:\\dir\\", "<>|()", "é", ""];
  let said = "";
  const onstderr = (text: string) => said += text;
  const { client } = await open(t, { command: "shim & co", args: words, env, onstderr });
  await client.close();
  assert.ok(said.startsWith(`args ${words.join("|")} `), said);
  for (const word of ['a"b', "%PATH%", "x\ny"]) {
    const refused = spawnTransport({ command: "shim & co", args: [word], env });
    const expected = /Cannot start "shim & co": a batch file cannot take ".+"; start the program/;
    await assert.rejects(refused, expected);
  }
});

test("a line of 384 MB is skipped and rejects the pending requests; at most 64 MiB of it are held", async (t) => {
  const { client } = await open(t, toSpawn("long-line"));
  await all(client.prompts()).catch(() => {});
  const before = process.memoryUsage().rss;
  await assert.rejects(client.listToolsPaginated(), /longer than 67108864 bytes/);
  assert.deepEqual(await client.call("resources/list"), { resultType: "complete", tools: [] });
  const grown = process.memoryUsage().rss - before;
  assert.ok(grown < 300 * 1024 * 1024, `${Math.round(grown / 1024 / 1024)} MiB more than before`);
});

test("output of a program that is not a message is skipped with a warning", async (t) => {
  const { client, warnings } = await open(t, toSpawn("chatter"));
  assert.deepEqual(await all(client.tools()), []);
  assert.equal(warnings.filter((text) => /line that is not a message/.test(text)).length, 3);
  assert.deepEqual(await client.call("x"), { resultType: "complete", tools: [] });
});
