/** Does the official inspector see the same server over stdio and over HTTP, in both eras? Through its command line. */

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import type { HttpServer } from "./http_servers.ts";
import type { Launch, Runtime } from "./runtimes.ts";
import { serveEverything, serveProgram } from "./http_servers.ts";
import { WELL } from "./official.ts";
import { runRecorded } from "./recorded_run.ts";
import { OWN_ROOT, RUNTIMES } from "./runtimes.ts";
import { expectedDocuments, expectedPrompts } from "./shelf.ts";

const INSPECTOR = "@modelcontextprotocol/inspector/clients/launcher/build/index.js";
const EVERYTHING = fileURLToPath(
  new URL("everything_server.ts", import.meta.url),
);
const documents = expectedDocuments(OWN_ROOT);

/** A server, and how the inspector comes to it. */
type Target = readonly string[];

const overStdio = (
  { command, args }: Pick<Launch, "command" | "args">,
): Target => [command, ...args];
const overHttp = (
  { url }: HttpServer,
): Target => ["--transport", "http", "--server-url", url];

/** What a method answers, as the inspector prints it. */
async function inspect(
  target: Target,
  era: string,
  method: string,
  ...args: string[]
): Promise<any> {
  // What follows the command of a server is the server's.
  const flags = [
    "--cli",
    "--format",
    "json",
    "--quiet",
    "--protocol-era",
    era,
    "--method",
    method,
    ...args,
  ];
  const isHttp = target.includes("http");
  const { code, stdout, stderr, heard } = await runRecorded(INSPECTOR, [
    ...flags,
    ...(isHttp ? target : ["--", ...target]),
  ]);
  assert.equal(code, 0, stderr);
  assert.deepEqual(heard.problems, []);
  assert.equal(heard.messages > 0, isHttp, "what comes over HTTP is recorded");
  return JSON.parse(stdout).result;
}

function everythingOn(runtime: Runtime): Target {
  const flags = runtime.name === "node" ? ["--experimental-strip-types"] : ["run", "--no-prompt"];
  return [runtime.launch().command, ...flags, EVERYTHING];
}

for (const runtime of RUNTIMES) {
  describe(
    `the official inspector on ${runtime.name}`,
    { skip: runtime.skip },
    () => {
      let program: HttpServer;
      let everything: HttpServer;

      before(async () => {
        [program, everything] = await Promise.all([
          serveProgram(runtime),
          serveEverything(runtime),
        ]);
      });
      after(async () => {
        assert.deepEqual(
          await Promise.all([program.stop(), everything.stop()]),
          [WELL, WELL],
        );
      });

      // Each run is a process that takes half a second to load: what depends on the era alone is looked at on one runtime.
      const [era = "", other = ""] = runtime.name === "node" ? ["modern", "legacy"] : ["legacy", "modern"];

      it(`sees the program in the ${era} era`, async () => {
        const { uri, text } = documents[0]!;
        const see = async (target: Target) => ({
          tools: await inspect(target, era, "tools/list", "--strict"),
          found: await inspect(
            target,
            era,
            "tools/call",
            "--tool-name",
            "list_documents",
          ),
          resources: await inspect(target, era, "resources/list"),
          read: await inspect(target, era, "resources/read", "--uri", uri),
          prompts: await inspect(target, era, "prompts/list"),
          prompt: await inspect(
            target,
            era,
            "prompts/get",
            "--prompt-name",
            "create-adr",
            "--prompt-args",
            "topic=Inspection",
          ),
        });
        const [one, same] = await Promise.all([
          see(overStdio(runtime.launch())),
          see(overHttp(program)),
        ]);
        assert.deepEqual(one, same);
        const names = (listed: { name: string }[]) => listed.map(({ name }) => name);
        assert.deepEqual(
          names(one.tools.tools),
          [
            "decisions_for",
            "list_documents",
            "read_document",
            "search_documents",
          ],
        );
        assert.equal(one.found.isError ?? false, false);
        assert.deepEqual(
          one.resources.resources.map(({ uri }: { uri: string }) => uri),
          documents.map(({ uri }) => uri),
        );
        assert.equal(one.read.contents[0].text, text.toString());
        assert.deepEqual(
          names(one.prompts.prompts),
          expectedPrompts(OWN_ROOT),
        );
        assert.match(one.prompt.messages[0].content.text, /Inspection/);
      });

      it(`sees the server that has everything in the ${other} era`, async () => {
        const see = async (target: Target) => ({
          called: await inspect(
            target,
            other,
            "tools/call",
            "--tool-name",
            "test_custom_header",
            "--tool-arg",
            "region=eu",
          ),
          read: await inspect(
            target,
            other,
            "resources/read",
            "--uri",
            "test://template/7/data",
          ),
          prompt: await inspect(
            target,
            other,
            "prompts/get",
            "--prompt-name",
            "test_prompt_with_image",
          ),
        });
        const [one, same] = await Promise.all([
          see(everythingOn(runtime)),
          see(overHttp(everything)),
        ]);
        assert.deepEqual(one, same);
        assert.equal(one.called.content[0].text, "eu");
        assert.equal(JSON.parse(one.read.contents[0].text).id, "7");
        assert.equal(one.prompt.messages[0].content.mimeType, "image/png");
      });
    },
  );
}
