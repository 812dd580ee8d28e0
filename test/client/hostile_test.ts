/** What does a client do with a server that means no good? It says what is wrong, goes on where it can, and holds no more than it must. */

import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import type { Client, ClientOptions, ProgramTransport } from "../../lib/client/mod.ts";
import { connect, spawnTransport } from "../../lib/client/mod.ts";
import { command, ON_DENO } from "../harness/program.ts";
import { all, INFO } from "./scripted_server.ts";

const SERVER = fileURLToPath(new URL("./hostile_server.ts", import.meta.url));

/** A client of a server that misbehaves in one way. */
async function meet(
  t: TestContext,
  mode: string,
  options: Partial<ClientOptions> = {},
): Promise<{ client: Client; transport: ProgramTransport; warnings: string[] }> {
  const flags = ON_DENO ? ["-A", "--no-check"] : ["--experimental-strip-types", "--no-warnings"];
  const [file, args] = command([mode], { module: SERVER, runtimeFlags: flags });
  const transport = await spawnTransport({ command: file, args });
  const warnings: string[] = [];
  const onwarning = (message: string) => void (warnings.length < 1000 && warnings.push(message));
  const client = await connect(transport, { info: INFO, onwarning, ...options });
  t.after(() => client.close());
  return { client, transport, warnings };
}

test("a line of 1 GB: what waits is told why, what follows is served, and 64 MiB are held at most", async (t) => {
  const { client } = await meet(t, "long-line");
  await all(client.prompts()).catch(() => {});
  const before = process.memoryUsage().rss;
  await assert.rejects(client.listToolsPaginated(), /longer than 67108864 bytes/);
  assert.deepEqual(await client.call("resources/list"), { resultType: "complete", tools: [] });
  const grown = process.memoryUsage().rss - before;
  assert.ok(grown < 400 * 1024 * 1024, `${Math.round(grown / 1024 / 1024)} MiB more than before`);
});

test("an answer that comes byte by byte is an answer", async (t) => {
  const { client } = await meet(t, "slow-bytes");
  assert.deepEqual(await all(client.tools()), []);
});

test("pages without end are given up at the cap, and none is kept", async (t) => {
  const { client } = await meet(t, "endless-pages", { maxPages: 300 });
  let seen = 0;
  await assert.rejects(async () => {
    for await (const _ of client.tools()) seen++;
  }, /more than 300 pages/);
  assert.equal(seen, 300);
});

test("an answer under a wrong id answers nothing: the request ends when its time is over", async (t) => {
  const { client, warnings } = await meet(t, "wrong-id", { timeoutMs: 1000 });
  await assert.rejects(client.listToolsPaginated(), /did not answer tools\/list in 1000 ms/);
  assert.ok(warnings.some((text) => /matches no request/.test(text)));
});

test("a hundred thousand answers to nothing do no harm", async (t) => {
  const { client } = await meet(t, "answers-to-nothing");
  const before = process.memoryUsage().heapUsed;
  assert.deepEqual(await all(client.tools()), []);
  const grown = process.memoryUsage().heapUsed - before;
  assert.ok(grown < 100 * 1024 * 1024, `${Math.round(grown / 1024 / 1024)} MiB more than before`);
});

for (const mode of ["chatter", "not-utf-8"]) {
  test(`a server that writes what is no message is understood all the same: ${mode}`, async (t) => {
    const { client, warnings } = await meet(t, mode);
    assert.deepEqual(await all(client.tools()), []);
    assert.ok(warnings.some((text) => /line that is no message/.test(text)), warnings.join("\n"));
  });
}

test("a server that dies is noticed at once, by everybody who waits", async (t) => {
  const { client, transport } = await meet(t, "dies");
  await assert.rejects(client.listToolsPaginated(), /ended before tools\/list was answered/);
  await client.closed;
  assert.equal(await transport.exited, 3);
});

for (const mode of ["deep", "polluting"]) {
  test(`an answer that would be a trap is refused, by whoever waits for it: ${mode}`, async (t) => {
    const { client } = await meet(t, mode);
    await assert.rejects(client.listToolsPaginated(), /Invalid request: /);
    assert.equal(({} as Record<string, unknown>)["polluted"], undefined);
    assert.deepEqual(await client.call("x"), { resultType: "complete", tools: [] });
  });
}
