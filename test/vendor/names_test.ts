/** The programs of the guideline about the library compile and run in a repository that maps its name as the guideline says. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { cli } from "../harness/command.ts";
import { examplesOf, programsOf } from "../harness/examples.ts";
import { writeFiles } from "../harness/folder.ts";
import { ON_DENO, Program, REPOSITORY } from "../harness/program.ts";
import { allow } from "../harness/runtime.ts";
import { compileHost, makeHost, unavailable } from "./hosts.ts";

const GUIDELINE = "mcp/resources/guidelines/library.md";
const [, team = "", http = ""] = programsOf(GUIDELINE);
const [, deno = "", node = "", compiler = ""] = examplesOf(GUIDELINE)
  .filter(({ language }) => language === "json").map(({ text }) => text);

/** Makes a repository with a copy and the programs of the guideline, which import this name. */
async function makeRepository(t: TestContext, name: string): Promise<string> {
  const host = makeHost(t, { "package.json": node, "deno.json": deno, "tsconfig.json": compiler });
  const { code, errors } = await cli(["vendor", `${host}/tools/architrave`, "--write"]);
  assert.equal(code, 0, errors);
  for (const [index, program] of programsOf(GUIDELINE).entries()) {
    writeFiles(host, { [`src/program${index}.ts`]: program.replaceAll("@architrave/architrave", name) });
  }
  return host;
}

const UNTYPED = { skip: unavailable };
for (const name of ["@architrave/architrave", "#architrave"]) {
  test(`the programs of the guideline compile with the name ${name}`, UNTYPED, async (t) => {
    const host = await makeRepository(t, name);
    writeFiles(host, {
      "src/wrong.ts": `import { defineTool, object } from "${name}";
// @ts-expect-error The result has no such member: the types were really read.
defineTool({ name: "a", inputSchema: object({ a: "number" }), outputSchema: object({ b: "number" }), handler: ({ a }) => ({ c: a }) });
defineTool({ name: "a", inputSchema: object({}), handler: async (_, { elicit }) => {
  const { content } = await elicit({ message: "m", schema: object({ hours: "number" }) });
  const hours: number | undefined = content?.hours;
  // @ts-expect-error It is a number.
  const text: string | undefined = content?.hours;
  return \`\${hours}\${text}\`;
} });
`,
    });
    compileHost(host);
  });
}

/** The name that the runtime can map. */
const NAME = ON_DENO ? "@architrave/architrave" : "#architrave";

test("the program with tools, resources, a prompt and a question answers", async (t) => {
  const host = await makeRepository(t, NAME);
  const program = new Program([], { module: `${host}/src/program1.ts`, cwd: host });
  await program.initialize();
  const call = async (name: string, args: object) =>
    (await program.ask("tools/call", { name, arguments: args })).result!;
  assert.deepEqual((await call("add", { a: 1, b: 2 }))["structuredContent"], { sum: 3 });
  assert.deepEqual((await call("shout", { text: "hi" }))["content"], [{ type: "text", text: "HI" }]);
  const { result } = await program.ask("resources/read", { uri: "team://people/Ada" });
  assert.deepEqual(result!["contents"], [{ uri: "team://people/Ada", text: "Ada is in the team." }]);
  const prompt = await program.ask("prompts/get", {
    name: "review",
    arguments: { code: "x", language: "Go" },
  });
  const content = { type: "text", text: "Go: x" };
  assert.deepEqual(prompt.result!["messages"], [{ role: "user", content }]);
  const { result: plain } = await program.ask("prompts/get", { name: "review", arguments: { code: "x" } });
  const text = { type: "text", text: "Any language: x" };
  assert.deepEqual(plain!["messages"], [{ role: "user", content: text }]);
  assert.equal((await program.ask("prompts/get", { name: "review" })).error?.code, -32602);
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
  };
  const params = { name: "book", arguments: { task: "tests" }, _meta };
  const asked = (await program.ask("tools/call", params)).result!;
  const [[key, question] = []] = Object.entries(asked["inputRequests"] as object);
  assert.equal(question.params.message, "How many hours for tests?");
  const inputResponses = { [key!]: { action: "accept", content: { hours: 2 } } };
  const answered = { ...params, inputResponses, requestState: asked["requestState"] };
  const booked = (await program.ask("tools/call", answered)).result!;
  assert.deepEqual(booked["content"], [{ type: "text", text: "Booked 2 hours." }]);
  assert.deepEqual([await program.close(), program.errors], [0, ""]);
});

test("the program over HTTP asks for the token", async (t) => {
  const host = await makeRepository(t, NAME);
  const local = http.replaceAll("@architrave/architrave", NAME).replace("port: 8080", "port: 0");
  writeFiles(host, { "src/local.ts": local });
  const program = new Program([], {
    module: `${host}/src/local.ts`,
    cwd: host,
    runtimeFlags: allow("net=127.0.0.1"),
  });
  t.after(() => program.child.kill());
  while (!program.output.endsWith("\n")) {
    await new Promise((resolve) => program.child.stdout.once("data", resolve));
  }
  const [, url = ""] = /^Serving (.*)\n$/.exec(program.output) ?? [];
  const ask = async (headers: Record<string, string>) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });
    const accept = "application/json, text/event-stream";
    const options = {
      method: "POST",
      body,
      headers: { "content-type": "application/json", accept, ...headers },
    };
    const response = await fetch(url, options);
    await response.text();
    return response.status;
  };
  assert.equal(await ask({}), 401);
  assert.notEqual(await ask({ authorization: "Bearer a-long-random-secret" }), 401);
});

test("the guideline names the file of every subpath", () => {
  const { exports } = JSON.parse(readFileSync(`${REPOSITORY}/deno.json`, "utf8"));
  const text = readFileSync(`${REPOSITORY}/${GUIDELINE}`, "utf8");
  const rows = [...text.matchAll(/^\| `(\/\w+)` \| `([^`]+)` \|/gm)].map((
    [, path, file],
  ) => [`.${path}`, `./${file}`]);
  const { ".": _, ...others } = exports;
  assert.deepEqual(Object.fromEntries(rows), others);
});

test("the program has at most as many lines as with the official SDK, and 16", () => {
  const text = readFileSync(`${REPOSITORY}/${GUIDELINE}`, "utf8");
  const [, other = ""] = /^```ts ignore\n([\s\S]*?)^```$/m.exec(text) ?? [];
  const [own, theirs] = [team, other].map((code) => code.split("\n").filter((line) => line.trim() !== ""));
  assert.ok(own!.length <= 16 && own!.length <= theirs!.length, `${own!.length} and ${theirs!.length} lines`);
  for (const line of [...own!, ...theirs!]) assert.ok(line.length <= 128, line);
});
