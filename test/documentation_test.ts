/** The programs in the documentation run as they are shown, and answer as it says. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { toGlob } from "../lib/base/glob.ts";
import { startApi } from "./gateway/api.ts";
import { examplesOf, programsOf, writeExample } from "./harness/examples.ts";
import { makeFolder, writeFiles } from "./harness/folder.ts";
import { command, ON_DENO, Program, REPOSITORY, run } from "./harness/program.ts";

const TOOLS = "mcp/resources/guidelines/defining-tools.md";
const CLIENT = "mcp/resources/guidelines/using-the-client.md";

const SKILLS = "mcp/resources/guidelines/serving-skills.md";
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
  assert.equal(
    program.errors,
    "architrave: warning: find_orders: The API answered 503 and said: at db.internal\n",
  );
});

test("the program of the guideline about the gateway serves a tool", async (t) => {
  const program = new Program([], { module: writeExample(makeFolder(t), programsOf(GATEWAY)[0]!) });
  await program.ask("initialize", HANDSHAKE);
  const { result } = await program.ask("tools/call", { name: "status" });
  assert.deepEqual(result, { content: [{ type: "text", text: "All is well." }] });
  assert.equal(await program.close(), 0);
  assert.equal(program.errors, "");
});

/** A client starts its server. */
const STARTING = {
  runtimeFlags: ON_DENO ? ["-A", "--no-check"] : ["--experimental-strip-types", "--no-warnings"],
};

test("the client that the guideline shows looks around and leaves", async (t) => {
  const [file, args] = command([]);
  const module = writeExample(makeFolder(t), programsOf(CLIENT)[0]!);
  const { code, output, errors } = await run([file, ...args], "", { module, ...STARTING });
  assert.deepEqual([code, errors], [0, ""]);
  const [first, ...rest] = output.trimEnd().split("\n");
  assert.equal(first, "architrave speaks 2026-07-28 (modern)");
  assert.ok(rest.includes("tool search_documents"));
  assert.match(rest.at(-1)!, /^architecture:\/\//);
});

test("the programs of the guideline about skills list and read them, and declare an extension", async (t) => {
  const [file, args] = command(["--root", "mcp"]);
  const [reading, declaring] = programsOf(SKILLS).map((program) => writeExample(makeFolder(t), program));
  const { code, output, errors } = await run([file, ...args], "", { module: reading!, ...STARTING });
  assert.deepEqual([code, errors], [0, ""]);
  assert.match(
    output,
    /^how-we-decide How this team decides on architecture, .*\nasking-the-client Team guideline/,
  );
  assert.match(output, /\n---\nname: "how-we-decide"\n[^]*\n# How we decide\n/);
  const built = await run([], "", { module: declaring!, ...STARTING });
  assert.deepEqual([built.code, built.output, built.errors], [0, "The server is built.\n", ""]);
});

test("the changes that the guideline listens for come", async (t) => {
  const root = makeFolder(t, { "resources/adr/1-first.md": "# First\n", "prompts/none.txt": "" });
  const [file, args] = command(["--root", root, "--poll", "50"]);
  const module = writeExample(makeFolder(t), programsOf(CLIENT)[2]!);
  const program = new Program([file, ...args], { module, ...STARTING });
  while (program.output === "") await once(program.child.stdout, "data");
  writeFiles(root, { "resources/adr/1-first.md": "# Other\n" });
  assert.equal(await program.exited, 0);
  assert.match(program.output, /^true \[ ['"]architecture:\/\/adr\/1['"] \]\nresources? .*\n$/);
});

/** The files below a folder of this repository. */
function filesOf(folder: string): string[] {
  const entries = readdirSync(`${REPOSITORY}/${folder}`, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) =>
    `${parentPath}/${name}`.slice(`${REPOSITORY}/`.length).replace(/^\/+/, "").replaceAll("\\", "/")
  );
}

test("decisions_for names decisions for every file of lib, and each folder has some of its own", async () => {
  const program = new Program();
  await program.ask("initialize", HANDSHAKE);
  const governing = new Map<string, Set<string>>();
  for (const path of filesOf("lib")) {
    const { result } = await program.ask("tools/call", {
      name: "decisions_for",
      arguments: { paths: [path] },
    });
    const { documents } = result!["structuredContent"] as { documents: { uri: string }[] };
    assert.notEqual(documents.length, 0, path);
    const folder = path.split("/")[1]!;
    governing.set(folder, new Set([...governing.get(folder) ?? [], ...documents.map(({ uri }) => uri)]));
  }
  assert.equal(await program.close(), 0);
  for (const [folder, uris] of governing) {
    const own = [...uris].filter((uri) => ![...governing.values()].every((others) => others.has(uri)));
    assert.notDeepEqual(own, [], folder);
  }
});

test("every document of this repository applies to files that exist", () => {
  const files = [
    ...readdirSync(REPOSITORY, { withFileTypes: true }).filter((entry) => entry.isFile()).map(({ name }) =>
      name
    ),
    ...[".ci", "lib", "mcp", "test/bench", "test/deploy", "test/interop"].flatMap((folder) =>
      filesOf(folder).filter((file) => !file.includes("/node_modules/"))
    ),
    "test/invariants_test.ts",
    "test/layering_test.ts",
  ];
  for (const file of filesOf("mcp/resources")) {
    const [, frontMatter = ""] = readFileSync(`${REPOSITORY}/${file}`, "utf8").split(/^---$/m);
    const patterns = /^applies-to:\n((?: {2}- ".*"\n)+)/m.exec(frontMatter)?.[1]?.match(/(?<=").*(?=")/g);
    assert.ok(patterns, `${file} applies to nothing`);
    for (const pattern of patterns) {
      const { matches } = toGlob(pattern);
      assert.ok(files.some((path) => matches(path)), `${file}: no file is like ${pattern}`);
    }
  }
});

test("the tests that the threat model names are there", () => {
  const text = readFileSync(`${REPOSITORY}/mcp/resources/guidelines/security-model.md`, "utf8");
  const named = [...text.matchAll(/`(\w+\/\w+_test\.ts)`: "([^"]+)"/g)];
  assert.ok(named.length > 12, `${named.length} tests`);
  for (const [, file, name] of named) {
    const source = readFileSync(`${REPOSITORY}/test/${file}`, "utf8");
    assert.ok(source.includes(`test("${name}`) || source.includes(`test(\`${name}`), `${file}: ${name}`);
  }
});
