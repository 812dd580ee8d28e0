/** Do the examples of the guideline do what it says? They are run as they stand there. */

import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Server } from "../../lib/server/server.ts";
import type { Tool } from "../../lib/server/tool.ts";
import { REPOSITORY } from "../harness/program.ts";
import { accept, AskingClient, VERSIONS, WITH_FORMS } from "./asking_client.ts";
import { textOf } from "./tool_client.ts";

/** What the examples export, together. */
async function examples(): Promise<{ server: Server; listFiles: Tool }> {
  const text = await readFile(`${REPOSITORY}/mcp/resources/guidelines/asking-the-client.md`, "utf8");
  const blocks = [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code!);
  assert.equal(blocks.length, 2);
  const folder = await mkdtemp(join(tmpdir(), "architrave-"));
  const library = pathToFileURL(`${REPOSITORY}/lib/server/mod.ts`).href;
  const exported: Record<string, unknown> = {};
  for (const [index, code] of blocks.entries()) {
    const file = join(folder, `example_${index}.ts`);
    await writeFile(file, code.replace('"@architrave/architrave/server"', JSON.stringify(library)));
    Object.assign(exported, await import(pathToFileURL(file).href));
  }
  await rm(folder, { recursive: true });
  return exported as never;
}

test("the example with a form asks, is answered and reserves a room", async () => {
  const { server } = await examples();
  for (const version of WITH_FORMS) {
    const client = await AskingClient.connect(server, version);
    const reserved = await client.call("reserve", () => accept({ hours: 2 }), { room: "Attic" });
    assert.equal(textOf(reserved), "Attic is yours for 2 hours.");
    const declined = await client.call("reserve", () => ({ result: { action: "decline" } }), {
      room: "Attic",
    });
    assert.equal(textOf(declined), "Nothing was reserved.");
  }
});

test("the example with a page sends the user there, where the revision can", async () => {
  const { listFiles } = await examples();
  for (const version of VERSIONS) {
    const client = await AskingClient.connect({ tools: [listFiles] }, version);
    const answer = await client.send("tools/call", { name: "list-files" });
    if (client.isModern) assert.equal(answer.result!["resultType"], "input_required");
    else if (version === "2025-11-25") assert.equal(answer.error?.code, -32042);
    else assert.match(textOf(answer), /^This needs a client with the capability elicitation\.url/);
  }
});
