/** The examples of the guideline "Asking the client", run as they are written. */

import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Server, Tool } from "../../lib/server/mod.ts";
import { REVISIONS } from "../../lib/server/mod.ts";
import { REPOSITORY } from "../harness/program.ts";
import { accept, AskingClient, WITH_FORMS } from "./asking_client.ts";
import { textOf } from "./tool_client.ts";

/** What the examples export. */
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

test("the examples ask with a form, and send the user to a URL where the revision can", async () => {
  const { server, listFiles } = await examples();
  for (const version of WITH_FORMS) {
    const client = await AskingClient.connect(server, version);
    const reserved = await client.call("reserve", () => accept({ hours: 2 }), { room: "Attic" });
    assert.equal(textOf(reserved), "Attic is yours for 2 hours.");
    const decline = () => ({ result: { action: "decline" } });
    assert.equal(textOf(await client.call("reserve", decline, { room: "Attic" })), "Nothing was reserved.");
  }
  for (const { id } of REVISIONS) {
    const client = await AskingClient.connect({ tools: [listFiles] }, id);
    const answer = await client.send("tools/call", { name: "list-files" });
    if (client.isModern) assert.equal(answer.result!["resultType"], "input_required");
    else if (id === "2025-11-25") assert.equal(answer.error?.code, -32042);
    else assert.match(textOf(answer), /^This needs a client with the capability elicitation\.url/);
  }
});
