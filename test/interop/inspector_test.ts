/** The official inspector sees the same server over stdio and over HTTP, in both eras, through its command line. */

import assert from "node:assert/strict";
import { it } from "node:test";
import { expectedDocuments, expectedPrompts } from "./documents.ts";
import type { Launch } from "./programs.ts";
import { onEachRuntime, OWN_ROOT, runProgram, serveEverything, serveProgram, serving } from "./programs.ts";

const INSPECTOR = "@modelcontextprotocol/inspector/clients/launcher/build/index.js";
const [document] = expectedDocuments(OWN_ROOT);

/** Methods and their flags, by what their answer is called here. */
type Requests = Readonly<Record<string, readonly string[]>>;

const OF_PROGRAM: Requests = {
  tools: ["tools/list", "--strict"],
  found: ["tools/call", "--tool-name", "list_documents"],
  resources: ["resources/list"],
  read: ["resources/read", "--uri", document!.uri],
  prompts: ["prompts/list"],
  prompt: ["prompts/get", "--prompt-name", "create-adr", "--prompt-args", "topic=Inspection"],
};
const OF_EVERYTHING: Requests = {
  called: ["tools/call", "--tool-name", "test_custom_header", "--tool-arg", "region=eu"],
  read: ["resources/read", "--uri", "test://template/7/data"],
  prompt: ["prompts/get", "--prompt-name", "test_prompt_with_image"],
};

/** What the inspector prints of the answers of a server. */
async function inspect(
  era: string,
  target: Launch | string,
  requests: Requests,
): Promise<Record<string, any>> {
  const isHttp = typeof target === "string";
  // What follows the command of a server is the server's.
  const reach = isHttp
    ? ["--transport", "http", "--server-url", target]
    : ["--", target.command, ...target.args];
  const answers: Record<string, unknown> = {};
  for (const [name, method] of Object.entries(requests)) {
    const flags = ["--cli", "--format", "json", "--quiet", "--protocol-era", era, "--method", ...method];
    const { code, stdout, stderr, heard } = await runProgram(INSPECTOR, [...flags, ...reach]);
    assert.equal(code, 0, stderr);
    assert.deepEqual(heard.problems, []);
    assert.equal(heard.messages > 0, isHttp, "what comes over HTTP is recorded");
    answers[name] = JSON.parse(stdout).result;
  }
  return answers;
}

/** The same over every one of these transports. */
async function inspectAll(era: string, targets: readonly (Launch | string)[], requests: Requests) {
  const [one, ...others] = await Promise.all(targets.map((target) => inspect(era, target, requests)));
  for (const same of others) assert.deepEqual(one, same);
  return one!;
}

onEachRuntime("the official inspector", (runtime) => {
  const program = serving(() => serveProgram(runtime));
  const everything = serving(() => serveEverything(runtime));

  // Each run is a process that takes half a second to load: what depends on the era or the transport alone is looked at on
  // one runtime.
  const onNode = runtime.name === "node";
  const [era = "", other = ""] = onNode ? ["modern", "legacy"] : ["legacy", "modern"];

  it(`sees the program in the ${era} era`, async () => {
    const { tools, found, resources, read, prompts, prompt } = await inspectAll(
      era,
      onNode ? [runtime.launch(), program()] : [runtime.launch()],
      OF_PROGRAM,
    );
    const names = (listed: { name: string }[]) => listed.map(({ name }) => name);
    assert.deepEqual(names(tools.tools), [
      "decisions_for",
      "list_documents",
      "read_document",
      "search_documents",
    ]);
    assert.equal(found.isError ?? false, false);
    const uris = resources.resources.map(({ uri }: { uri: string }) => uri);
    assert.deepEqual(uris, expectedDocuments(OWN_ROOT).map(({ uri }) => uri));
    assert.equal(read.contents[0].text, document!.text.toString());
    assert.deepEqual(names(prompts.prompts), expectedPrompts(OWN_ROOT));
    assert.match(prompt.messages[0].content.text, /Inspection/);
  });

  it(`sees the server that has everything in the ${other} era`, async () => {
    const launch = runtime.script("everything_server.ts", [], []);
    const targets = onNode ? [launch, everything()] : [everything()];
    const { called, read, prompt } = await inspectAll(other, targets, OF_EVERYTHING);
    assert.equal(called.content[0].text, "eu");
    assert.equal(JSON.parse(read.contents[0].text).id, "7");
    assert.equal(prompt.messages[0].content.mimeType, "image/png");
  });
});
