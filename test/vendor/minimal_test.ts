/** The minimal server: a copy that vendor makes works by itself, reads nothing but its own files and the documents, and is small. */

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { pathToFileURL } from "node:url";
import { cli, cliJson } from "../harness/command.ts";
import { makeFolder } from "../harness/folder.ts";
import { ON_DENO, Program, REPOSITORY, run } from "../harness/program.ts";
import { SOURCE_FLAGS } from "./hosts.ts";

/** A folder of guidelines and a prompt, without front matter and without decision records. */
const PLAIN = {
  "resources/guidelines/naming.md": "# Naming\n\nNames say what a thing is.\n",
  "resources/guidelines/http/errors.md": "# Errors\n\nErrors say what to do.\n",
  "prompts/suggest.json": JSON.stringify({
    name: "suggest",
    arguments: [{ name: "problem", required: true }],
    messages: [{
      role: "user",
      content: { type: "text", text: "<<problem>> <<resource:architecture://guidelines/**>>" },
    }],
  }),
};
const RECORDS = {
  ...PLAIN,
  "resources/adr/0001-use-queues.md":
    "---\nstatus: accepted\ndate: 2026-07-28\n---\n\n# Use queues\n\nThey decouple.\n",
};
const NAMING = "architecture://guidelines/naming";

/** Flags that allow to read two folders and nothing else. */
function allowRead(copy: string, docs: string): string[] {
  if (ON_DENO) return ["--no-prompt", `--allow-read=${copy},${docs}`];
  return [...SOURCE_FLAGS, "--permission", ...[copy, docs].map((folder) => `--allow-fs-read=${folder}`)];
}

/** Makes a copy and documents, and starts the copy. */
async function start(t: TestContext, only: string, files: Readonly<Record<string, string>> = PLAIN) {
  const copy = `${makeFolder(t)}/copy`, docs = makeFolder(t, files);
  const made = await cli(["vendor", copy, "--only", only, "--write"]);
  assert.equal(made.code, 0, made.errors);
  const options = { module: `${copy}/mod.ts`, cwd: docs, runtimeFlags: allowRead(copy, docs) };
  const program = new Program(["serve", "--root", docs], options);
  const ask = async (method: string, params: object = {}) => {
    const { result, error } = await program.ask(method, params);
    assert.equal(error, undefined, method);
    // deno-lint-ignore no-explicit-any
    return result as any;
  };
  const end = async () => {
    assert.deepEqual([await program.close(), program.errors], [0, ""]);
    const checked = await cli(["vendor", copy, "--check"]);
    assert.deepEqual([checked.code, checked.errors], [0, ""], checked.output);
    // The copy says the same of itself.
    const own = await run(["vendor", copy, "--check"], "", options);
    assert.deepEqual([own.code, own.output, own.errors], [0, checked.output, ""]);
  };
  return { copy, docs, program, ask, end, options };
}

test("a copy that only serves lists, reads, expands prompts and sees changes", async (t) => {
  const { docs, program, ask, end, options } = await start(t, "serve", RECORDS);
  const { result } = await program.initialize();
  const { capabilities, instructions } = result as { capabilities: object; instructions: string };
  assert.deepEqual(Object.keys(capabilities).sort(), ["completions", "prompts", "resources"]);
  assert.doesNotMatch(instructions, /tools|search_documents/);
  const { resources } = await ask("resources/list");
  assert.deepEqual(resources.map(({ uri }: { uri: string }) => uri), [
    "architecture://adr/0001-use-queues",
    "architecture://guidelines/http/errors",
    NAMING,
  ]);
  assert.match(
    (await ask("resources/read", { uri: "architecture://adr/1" })).contents[0].text,
    /^---\nstatus: accepted/,
  );
  const { resourceTemplates: [{ uriTemplate }] } = await ask("resources/templates/list");
  const { prompts } = await ask("prompts/list");
  assert.deepEqual(prompts.map(({ name }: { name: string }) => name), ["suggest"]);
  const { messages } = await ask("prompts/get", { name: "suggest", arguments: { problem: "Retries" } });
  assert.match(messages[0].content.text, /^Retries [^]*Errors say what to do[^]*Names say what a thing is/);
  await ask("completion/complete", {
    ref: { type: "ref/resource", uri: uriTemplate },
    argument: { name: /\{\+?(\w+)/.exec(uriTemplate)![1], value: "" },
  });
  await ask("resources/subscribe", { uri: NAMING });
  writeFileSync(`${docs}/resources/guidelines/naming.md`, "# Naming\n\nShort names.\n");
  // The list has changed too: it has the first sentence of each document.
  const notices = [await program.notice(), await program.notice()].map((
    { method, params },
  ) => [method, params]).sort();
  assert.deepEqual(notices, [
    ["notifications/resources/list_changed", undefined],
    ["notifications/resources/updated", { uri: NAMING }],
  ]);
  assert.match((await ask("resources/read", { uri: NAMING })).contents[0].text, /Short names/);
  // What was left out is not served.
  assert.deepEqual((await ask("tools/list")).tools, []);
  const left = { "tools/call": -32602, "logging/setLevel": -32601, "nothing": -32601 };
  for (const [method, expected] of Object.entries(left)) {
    const { error } = await program.ask(method, { name: "search_documents", level: "error" });
    assert.equal(error?.code, expected, method);
  }
  assert.equal(
    (await program.ask("resources/read", { uri: "ui://architrave/documents" })).error?.code,
    -32002,
  );
  for (const command of [["list"], ["http"], ["vendor", docs], ["--listen", "80"]]) {
    const { code, errors } = await run(command, "", options);
    assert.equal(code, 2, `${command}`);
    assert.match(errors, /^architrave: [^\n]+\n$/);
  }
  const { code, output } = await run(["--help"], "", options);
  assert.equal(code, 0);
  assert.match(output, /^architrave \S+: a copy that has only serve\n[^]*--mount NAME=DIR/);
  await end();
});

test("a copy that serves and searches has the tools too", async (t) => {
  const { program, ask, end } = await start(t, "serve,search", RECORDS);
  const { result } = await program.initialize();
  assert.match((result as { instructions: string }).instructions, /search_documents/);
  const { tools } = await ask("tools/list");
  assert.deepEqual(tools.map(({ name }: { name: string }) => name), [
    "decisions_for",
    "list_documents",
    "read_document",
    "search_documents",
  ]);
  for (
    const [name, args] of Object.entries({
      decisions_for: { paths: ["src/a.ts"] },
      list_documents: {},
      read_document: { uri: NAMING },
      search_documents: { query: "queues" },
    })
  ) {
    assert.notEqual((await ask("tools/call", { name, arguments: args })).isError, true, name);
  }
  assert.equal(
    (await program.ask("resources/read", { uri: "ui://architrave/documents" })).error?.code,
    -32002,
  );
  await end();
});

/** The files of the program that are loaded until these requests are answered. */
async function loadedBy(
  t: TestContext,
  files: Readonly<Record<string, string>>,
  requests: readonly (readonly [method: string, params?: object])[],
): Promise<string[]> {
  const folder = makeFolder(t), docs = makeFolder(t, files), own = `${pathToFileURL(REPOSITORY).href}/`;
  const log = `${folder}/loaded`, hook = `${folder}/hook.mjs`;
  writeFileSync(log, "");
  writeFileSync(
    hook,
    `import { appendFileSync } from "node:fs";
import { registerHooks } from "node:module";
registerHooks({ load(url, context, next) {
  if (url.startsWith(${JSON.stringify(own)})) appendFileSync(${
      JSON.stringify(log)
    }, decodeURI(url.slice(${own.length})) + "\\n");
  return next(url, context);
} });`,
  );
  const runtimeFlags = ["--import", pathToFileURL(hook).href, ...SOURCE_FLAGS];
  const program = new Program(["--root", docs], {
    module: `${REPOSITORY}/mod.ts`,
    cwd: folder,
    runtimeFlags,
  });
  await program.initialize();
  for (const [method, params = {}] of requests) {
    assert.equal((await program.ask(method, params)).error, undefined, method);
  }
  const names = readFileSync(log, "utf8").trim().split("\n");
  assert.deepEqual([await program.close(), program.errors], [0, ""]);
  return [...new Set(names)].sort();
}

const ON_NODE = { skip: ON_DENO && "the hooks are those of Node" };
const FIRST = [
  ["resources/list"],
  ["resources/read", { uri: NAMING }],
  ["prompts/list"],
  ["prompts/get", { name: "suggest", arguments: { problem: "x" } }],
] as const;

test("a copy has the files that the program loads for its parts", ON_NODE, async (t) => {
  const folder = makeFolder(t);
  const rows = {
    "serve": [
      ...FIRST,
      ["resources/templates/list"],
      ["resources/subscribe", { uri: NAMING }],
    ],
    "serve,search": [["tools/list"], ["tools/call", {
      name: "search_documents",
      arguments: { query: "names" },
    }]],
  } as const;
  for (const [only, requests] of Object.entries(rows)) {
    const { files } = await cliJson(`vendor DIR --only ${only}`, folder);
    const copied = files.map(({ path }: { path: string }) => path.slice(folder.length + 1));
    const loaded = await loadedBy(t, RECORDS, requests);
    // The full program also has tools of its own.
    const left = loaded.filter((name) => !copied.includes(name));
    assert.deepEqual(left, only === "serve" ? [] : ["lib/cli/overview.ts"], only);
  }
});

/** Maximum number of lines that are loaded until the first requests are answered, by the kind of folder. */
const BUDGETS = { plain: [PLAIN, 6_960], records: [RECORDS, 9_340] } as const;
for (const [kind, [files, budget]] of Object.entries(BUDGETS)) {
  test(`the first answers about a folder of ${kind} load at most ${budget} lines`, ON_NODE, async (t) => {
    const loaded = await loadedBy(t, files, FIRST);
    const lines = loaded.map((name) => readFileSync(`${REPOSITORY}/${name}`, "utf8").split("\n").length - 1);
    const total = lines.reduce((sum, count) => sum + count, 0);
    t.diagnostic(`${loaded.length} files with ${total} lines`);
    assert.ok(total <= budget, `${total} lines in ${loaded.length} files`);
  });
}
