/** The programs in the documentation run as they are shown, and answer as it says. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { toGlob } from "../lib/formats/glob.ts";
import { startApi } from "./gateway/gateways.ts";
import { examplesOf, programsOf, writeExample } from "./harness/examples.ts";
import { filesOf, makeFolder, writeFiles } from "./harness/folder.ts";
import { codeOf, imports, modules } from "./harness/modules.ts";
import { command, ON_DENO, Program, REPOSITORY, run } from "./harness/program.ts";
import { allow } from "./harness/runtime.ts";

const GUIDELINES = "mcp/resources/guidelines";
const TOOLS = `${GUIDELINES}/defining-tools.md`;
const CLIENT = `${GUIDELINES}/using-the-client.md`;
const SKILLS = `${GUIDELINES}/serving-skills.md`;
const GATEWAY = `${GUIDELINES}/gateway.md`;
const FLOORS = readFileSync(`${REPOSITORY}/mcp/resources/adr/029-folders-are-floors.md`, "utf8");
const ARCHITECTURE = readFileSync(`${REPOSITORY}/${GUIDELINES}/architecture.md`, "utf8");

/** Writes a program that a file shows, and gives its path. */
const write = (t: TestContext, file: string, index = 0) =>
  writeExample(makeFolder(t), programsOf(file)[index]!);

/** Starts a server that a file shows, and does the handshake. */
async function start(t: TestContext, file: string, index?: number): Promise<Program> {
  const program = new Program([], { module: write(t, file, index) });
  await program.initialize();
  return program;
}

async function end(program: Program, errors = ""): Promise<void> {
  assert.deepEqual([await program.close(), program.errors], [0, errors]);
}

const jsonIn = (file: string) =>
  examplesOf(file).filter(({ language }) => language === "json").map(({ text }) => JSON.parse(text));

/** Makes the calls that a file shows, each of which has its result below it. */
async function replay(program: Program, shown: readonly object[]): Promise<void> {
  for (let index = 0; index < shown.length; index += 2) {
    const { result } = await program.ask("tools/call", shown[index]);
    assert.deepEqual(result, shown[index + 1]);
  }
}

test("the tools that the guideline defines answer as it says", async (t) => {
  const program = await start(t, TOOLS);
  const shown = jsonIn(TOOLS);
  assert.equal(shown.length, 8);
  await replay(program, shown);
  await end(program);
});

test("the prompt that the guideline makes is filled in, checked and completed", async (t) => {
  const program = await start(t, TOOLS, 1);
  const get = (given: object) => program.ask("prompts/get", { name: "review", arguments: given });
  const content = { type: "text", text: "Review this TypeScript:\n\nx" };
  assert.deepEqual((await get({ code: "x" })).result!["messages"], [{ role: "user", content }]);
  for (const wrong of [{}, { code: "" }, { code: 1 }, { code: "x", lang: "Go" }]) {
    assert.equal((await get(wrong)).error?.code, -32602);
  }
  const { result } = await program.ask("completion/complete", {
    ref: { type: "ref/prompt", name: "review" },
    argument: { name: "language", value: "ru" },
  });
  assert.deepEqual(result!["completion"], { values: ["Rust"], total: 1, hasMore: false });
  await end(program);
});

test("the resources that the guideline makes are listed, found by their template, and completed", async (t) => {
  const program = await start(t, TOOLS, 2);
  const contents = [
    { uri: "notes://mine", mimeType: "text/plain", text: "Nothing yet." },
    { uri: "notes://team/ledger?lang=de", text: "Ledger, in de" },
  ];
  for (const content of contents) {
    const { result } = await program.ask("resources/read", { uri: content.uri });
    assert.deepEqual(result, { contents: [content] });
  }
  const missing = await program.ask("resources/read", { uri: "notes://team/none" });
  assert.equal(missing.error?.code, -32002);
  const { result } = await program.ask("completion/complete", {
    ref: { type: "ref/resource", uri: "notes://team/{team}{?lang}" },
    argument: { name: "team", value: "l" },
  });
  assert.deepEqual(result!["completion"], { values: ["ledger"], total: 1, hasMore: false });
  await end(program);
});

test("the endpoint file of the guideline is served, and its calls are answered as it says", async (t) => {
  const api = await startApi(t, (response, { url }) => {
    if (url.includes("closed")) response.writeHead(503, { "retry-after": "30" }).end("at db.internal");
    else response.writeHead(200, { "content-type": "application/json" }).end('{"orders":[{"number":7}]}');
  });
  const [file, ...shown] = jsonIn(GATEWAY);
  const folder = makeFolder(t, { "shop.json": JSON.stringify(file), "shop.key": "a-key-for-the-shop\n" });
  const args = ["gateway", "--endpoints", `${folder}/shop.json`, "--auth-file", `key=${folder}/shop.key`];
  const options = { runtimeFlags: allow("net=127.0.0.1") };
  const program = new Program([...args, "--base", `${api.origin}/v1`], options);
  await program.initialize();
  assert.equal(shown.length, 6);
  await replay(program, shown);
  const paths = ["/v1/shops/a%2Fb/orders?state=open,paid", "/v1/shops/closed/orders"];
  assert.deepEqual(api.asked.map(({ url }) => url), paths);
  await end(program, "architrave: warning: find_orders: The API answered 503 and said: at db.internal\n");
});

test("the program of the guideline about the gateway serves a tool", async (t) => {
  const program = await start(t, GATEWAY);
  const { result } = await program.ask("tools/call", { name: "status" });
  assert.deepEqual(result, { content: [{ type: "text", text: "All is well." }] });
  await end(program);
});

/** A client starts its server. */
const STARTING = { runtimeFlags: ON_DENO ? ["--allow-all"] : allow() };

test("the client that the guideline shows looks around and leaves", async (t) => {
  const [file, args] = command([]);
  const module = write(t, CLIENT);
  const { code, output, errors } = await run([file, ...args], "", { module, ...STARTING });
  assert.deepEqual([code, errors], [0, ""]);
  const [first, ...rest] = output.trimEnd().split("\n");
  assert.equal(first, "architrave speaks 2026-07-28 (modern)");
  assert.ok(rest.includes("tool search_documents"));
  assert.match(rest.at(-1)!, /^architecture:\/\//);
});

test("the programs of the guideline about skills list and read them, and declare an extension", async (t) => {
  const [file, args] = command(["--root", "mcp"]);
  const [reading, declaring] = [write(t, SKILLS), write(t, SKILLS, 1)];
  const { code, output, errors } = await run([file, ...args], "", { module: reading, ...STARTING });
  assert.deepEqual([code, errors], [0, ""]);
  assert.match(
    output,
    /^how-we-decide How this team decides on architecture, .*\narchitecture Team guideline/,
  );
  assert.match(output, /\n---\nname: "how-we-decide"\n[^]*\n# How we decide\n/);
  const built = await run([], "", { module: declaring, ...STARTING });
  assert.deepEqual([built.code, built.output, built.errors], [0, "The server is built.\n", ""]);
});

test("the changes that the guideline listens for come", async (t) => {
  const root = makeFolder(t, { "resources/adr/1-first.md": "# First\n", "prompts/none.txt": "" });
  const [file, args] = command(["--root", root, "--poll", "50"]);
  const module = write(t, CLIENT, 2);
  const program = new Program([file, ...args], { module, ...STARTING });
  while (program.output === "") await once(program.child.stdout, "data");
  writeFiles(root, { "resources/adr/1-first.md": "# Other\n" });
  assert.equal(await program.exited, 0);
  assert.match(program.output, /^true \[ ['"]architecture:\/\/adr\/1['"] \]\nresources? .*\n$/);
});

/** The files below a folder of this repository. */
const filesIn = (folder: string) => filesOf(`${REPOSITORY}/${folder}`).map((file) => `${folder}/${file}`);

test("decisions_for names decisions for every file of lib, and each folder has some of its own", async () => {
  const program = new Program();
  await program.initialize();
  const governing = new Map<string, Set<string>>();
  for (const path of filesIn("lib")) {
    const call = { name: "decisions_for", arguments: { paths: [path] } };
    const { result } = await program.ask("tools/call", call);
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
    ...readdirSync(REPOSITORY),
    ...[".ci", "lib", "mcp", "test/bench", "test/deploy", "test/interop"].flatMap(filesIn)
      .filter((file) => !file.includes("/node_modules/")),
    "test/invariants_test.ts",
    "test/layering_test.ts",
  ];
  for (const file of filesIn("mcp/resources")) {
    const [, frontMatter = ""] = readFileSync(`${REPOSITORY}/${file}`, "utf8").split(/^---$/m);
    const patterns = /^applies-to:\n((?: {2}- ".*"\n)+)/m.exec(frontMatter)?.[1]?.match(/(?<=").*(?=")/g);
    assert.ok(patterns, `${file} applies to nothing`);
    for (const pattern of patterns) {
      const { matches } = toGlob(pattern);
      assert.ok(files.some((path) => matches(path)), `${file}: no file is like ${pattern}`);
    }
  }
});

test("the files of this repository that its documents name exist", () => {
  for (const file of ["README.md", "SECURITY.md", ...filesIn("mcp/resources")]) {
    const text = readFileSync(`${REPOSITORY}/${file}`, "utf8");
    if (/^status: superseded$/m.test(text)) continue;
    for (const [, path = ""] of text.matchAll(/`((?:lib|test|\.ci)\/[\w./-]+)`/g)) {
      assert.ok(existsSync(`${REPOSITORY}/${path}`), `${file} names ${path}`);
    }
  }
});

test("the tests that the threat model names are there", () => {
  const text = readFileSync(`${REPOSITORY}/mcp/resources/guidelines/security-model.md`, "utf8");
  const named = [...text.matchAll(/`([\w/]+_test\.ts)`: "([^"]+)"/g)];
  assert.ok(named.length > 12, `${named.length} tests`);
  for (const [, file, name] of named) {
    const source = readFileSync(`${REPOSITORY}/test/${file}`, "utf8");
    assert.ok(source.includes(`test("${name}`) || source.includes(`test(\`${name}`), `${file}: ${name}`);
  }
});

/** The folders in the picture of the architecture, from the top, and its arrows: "cli mcp" for an import of `mcp` by `cli`. */
function readPicture() {
  const [, picture = ""] = /^```mermaid\n(.*?)^```$/ms.exec(ARCHITECTURE) ?? [];
  const floors = [...picture.matchAll(/^ {2}(\w+)\["\1: .+"\]$/gm)].map((found) => found[1]!);
  const arrows = [...picture.matchAll(/^ {2}(\w+) --> (.+)$/gm)]
    .flatMap((found) => found[2]!.split(" & ").map((to) => `${found[1]} ${to}`));
  const ways = [...picture.matchAll(/^ {2}(\w+) <== ".+" ==> (\w+)$/gm)].map(([, to, from]) =>
    `${to} ${from}`
  );
  return { floors, arrows, ways };
}

test("the picture of the architecture has every folder and every arrow, and its arrows point down", () => {
  const { floors, arrows, ways } = readPicture();
  assert.deepEqual([...floors].sort(), readdirSync(`${REPOSITORY}/lib`).sort());
  const folderOf = (module: string) => /^lib\/(\w+)\//.exec(module)?.[1];
  const drawn = new Set<string>();
  const all = new Set<string>();
  for (const { from, to } of imports) {
    const [above, below] = [folderOf(from), folderOf(to)];
    if (above === undefined || below === undefined || above === below) continue;
    all.add(`${above} ${below}`);
    if (below !== "base" && below !== "platform") drawn.add(`${above} ${below}`);
  }
  assert.deepEqual(
    [...arrows].sort(),
    [...drawn].sort(),
    "the arrows of architecture.md are not the imports",
  );
  for (const arrow of [...arrows, ...ways]) {
    const [above = "", below = ""] = arrow.split(" ");
    assert.ok(floors.indexOf(above) < floors.indexOf(below), `${arrow} points up`);
  }
  // A request takes ways that imports have made.
  assert.notEqual(ways.length, 0);
  for (const way of ways) assert.ok(all.has(way), way);
});

/** The modules that reach each other by imports of any kind, as lists of two and more. */
function circles(): string[][] {
  const edges = Map.groupBy(imports, ({ from }) => from);
  const reached = new Map(modules.map((module) => {
    const found = new Set<string>();
    const follow = (from: string): void => {
      for (const { to } of edges.get(from) ?? []) {
        if (found.has(to)) continue;
        found.add(to);
        follow(to);
      }
    };
    follow(module);
    return [module, found];
  }));
  const found = modules.map((module) =>
    modules.filter((other) => reached.get(module)!.has(other) && reached.get(other)!.has(module)).sort()
  );
  return [
    ...new Map(found.filter(({ length }) => length > 1).map((circle) => [circle.join(), circle])).values(),
  ];
}

test("the code keeps the limits of the record on floors, which names the circles that are left", () => {
  const limitOf = (what: string) =>
    Number(FLOORS.split("\n").find((line) => line.startsWith(`| ${what}`))?.match(/\d+/)?.[0]);
  assert.ok(readdirSync(`${REPOSITORY}/lib`).length <= limitOf("folders of `lib/`"));
  assert.ok(readPicture().arrows.length <= limitOf("arrows between them"));
  const named = [...FLOORS.matchAll(/^- Circle: (.+?): /gm)].map(([, files]) =>
    files!.match(/lib\/[\w/]+\.ts/g)!.sort()
  );
  assert.deepEqual(circles().map((files) => files.join()).sort(), named.map((files) => files.join()).sort());
  assert.ok(named.length <= limitOf("circles of type imports"));
  const places = new Map<string, Set<string>>();
  for (const module of modules.filter((name) => name.startsWith("lib/"))) {
    const declared =
      /^export (?:abstract )?(?:async )?(?:const|let|function\*?|class|interface|type|enum) ([\w$]+)/gm;
    for (const [, name] of codeOf(module).matchAll(declared)) {
      places.set(name!, (places.get(name!) ?? new Set()).add(module));
    }
  }
  const twice = [...places].filter(([, { size }]) => size > 1).map(([name]) => name);
  assert.ok(twice.length <= limitOf("exported names"), twice.join(", "));
});

test("the types that a request meets are exported by the files that the architecture names", () => {
  const steps = [...ARCHITECTURE.matchAll(/^\| .+ \| `([\w.]+)` in `(lib\/[\w/]+\.ts)` \| .+ \|$/gm)];
  assert.ok(steps.length > 2 && steps.length <= 6, `${steps.length} names`);
  for (const [, name = "", file = ""] of steps) {
    const [type, member] = name.split(".");
    const code = codeOf(file);
    assert.match(code, new RegExp(`^export .*\\b${type}\\b`, "m"), name);
    if (member !== undefined) assert.match(code, new RegExp(`^ {2}(?:static )?${member}\\(`, "m"), name);
  }
});

test("the page on the architecture has at most 900 words", () => {
  const words = ARCHITECTURE.trim().split(/\s+/).length;
  assert.ok(words <= 900, `${words} words`);
});
