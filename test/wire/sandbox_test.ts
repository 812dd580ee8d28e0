import assert from "node:assert/strict";
import { mkdirSync, symlinkSync } from "node:fs";
import { cp } from "node:fs/promises";
import { tmpdir } from "node:os";
import process from "node:process";
import { test } from "node:test";
import { makeFolder } from "../harness/folder.ts";
import { ON_DENO, Program, REPOSITORY, run } from "../harness/program.ts";

const ADR = "# 1. Use one thing\n\n## Status\n\nAccepted\n\n## Context\n\nBecause.\n";

/** The flags that allow to read some folders and nothing else. */
function sandbox(...folders: string[]): string[] {
  if (ON_DENO) {
    const denied = ["env", "net", "run", "write", "sys", "ffi"].map((name) => `--deny-${name}`);
    return ["--no-prompt", `--allow-read=${folders.join(",")}`, ...denied];
  }
  // Node has to be allowed to read the modules themselves.
  const allowed = [...folders, REPOSITORY].map((folder) => `--allow-fs-read=${folder}/*`);
  const roots = folders.map((folder) => `--allow-fs-read=${folder}`);
  // Up to Node 22 the permission model has another name.
  const permission = process.allowedNodeEnvironmentFlags.has("--permission")
    ? "--permission"
    : "--experimental-permission";
  return ["--experimental-strip-types", "--no-warnings", permission, ...allowed, ...roots];
}

test("the program serves a root with read access to that root and nothing else", async (t) => {
  const root = makeFolder(t, { "resources/adr/001-use-one-thing.md": ADR });
  const program = new Program(["--root", root], { runtimeFlags: sandbox(root) });
  await program.initialize();
  const { result } = await program.ask("resources/read", { uri: "architecture://adr/1" });
  assert.equal((result?.["contents"] as { text: string }[])[0]?.text, ADR);
  assert.equal(await program.close(), 0);
  assert.equal(program.errors, "");
});

test("a root behind a link is served where it may be read; else it is one sentence and exit code 2", {
  skip: process.platform === "win32" ? "links need a privilege here" : false,
}, async (t) => {
  const folder = makeFolder(t, { "real/resources/adr/001-use-one-thing.md": ADR });
  const [link, real] = [`${folder}/link`, `${folder}/real`];
  symlinkSync(real, link);
  const program = new Program(["--root", link], { runtimeFlags: sandbox(link, real) });
  await program.initialize();
  const { result } = await program.ask("resources/read", { uri: "architecture://adr/1" });
  assert.equal((result?.["contents"] as { text: string }[])[0]?.text, ADR);
  assert.equal(await program.close(), 0);
  assert.equal(program.errors, "");
  // Node follows the link before it asks whether it may.
  if (!ON_DENO) return;
  const { code, errors } = await run(["--root", link], "", { runtimeFlags: sandbox(link) });
  assert.equal(code, 2);
  assert.match(errors, /^architrave: Cannot read the --root: [^\n]+\n$/);
});

test("the program contains links that the sandbox itself would follow", async (t) => {
  const root = makeFolder(t, { "resources/adr/001-use-one-thing.md": ADR });
  const outside = makeFolder(t, { "secret.md": "# Secret\n", "folder/more.md": "# More\n" });
  symlinkSync(`${outside}/secret.md`, `${root}/resources/adr/002-secret.md`);
  symlinkSync(`${outside}/folder`, `${root}/resources/stolen`);
  const program = new Program(["--root", root], { runtimeFlags: sandbox(root) });
  await program.initialize();
  const listed = (await program.ask("resources/list")).result?.["resources"] as { uri: string }[];
  assert.deepEqual(listed.map(({ uri }) => uri), ["architecture://adr/001-use-one-thing"]);
  for (const uri of ["architecture://adr/002-secret", "architecture://adr/2", "architecture://stolen/more"]) {
    const { error } = await program.ask("resources/read", { uri });
    assert.deepEqual(error, { code: -32002, message: "Resource not found", data: { uri } });
  }
  await program.close();
  assert.doesNotMatch(program.output, /Secret|More/);
  assert.doesNotMatch(program.output, new RegExp(tmpdir()));
});

/** Reads each path that it is given, and says what it found: what a program can do that keeps no promise of its own. */
const CONTROL = `import { readFileSync } from "node:fs";
import process from "node:process";
const read = (path) => { try { return readFileSync(path, "utf8"); } catch (cause) { return String(cause.code); } };
process.stdout.write(JSON.stringify(process.argv.slice(2).map(read)));
`;

/** Links out of the root, from `resources/adr/` in it, and a document that each leads to. */
const LEAKS: Readonly<Record<string, readonly [name: string, target: string, document: string]>> = {
  "a relative link to a file": ["101-relative.md", "../../../outside/secret.md", "101-relative"],
  "an absolute link to a file": ["102-absolute.md", "<outside>/secret.md", "102-absolute"],
  "a link to a link": ["103-chain.md", "101-relative.md", "103-chain"],
  "a link to a folder": ["folder", "../../../outside", "folder/secret"],
  "a link to a link to a folder": ["again", "folder", "again/secret"],
  "a link through a link to a folder": ["104-through.md", "again/secret.md", "104-through"],
  "a link to the folder above the root": ["above", "../../..", "above/outside/secret"],
  "a link to a folder that begins alike": ["sibling", "../../../root-evil", "sibling/secret"],
};

test("the sandbox follows every link out, as a program shows that does; ours contains them", {
  skip: process.platform === "win32" ? "not on Windows" : false,
}, async (t) => {
  const secret = "# Secret\n\n## Part\n\nSecret.\n";
  const folder = makeFolder(t, {
    "root/resources/adr/001-use-one-thing.md": ADR,
    "root/control.mjs": CONTROL,
    "root/prompts/p.json": JSON.stringify({
      name: "p",
      messages: [{ role: "user", content: { type: "text", text: "<<resource:architecture://**>>" } }],
    }),
    "outside/secret.md": secret,
    "root-evil/secret.md": secret,
  });
  const root = `${folder}/root`;
  const leaks = Object.entries(LEAKS);
  for (const [, [name, target]] of leaks) {
    symlinkSync(target.replace("<outside>", `${folder}/outside`), `${root}/resources/adr/${name}`);
  }
  const flags = { runtimeFlags: sandbox(root) };
  const paths = leaks.map(([, [, , document]]) => `${root}/resources/adr/${document}.md`);
  const direct = [`${folder}/outside/secret.md`, `${folder}/root-evil/secret.md`];
  const control = await run([...paths, ...direct], "", { ...flags, module: `${root}/control.mjs` });
  assert.equal(control.code, 0, control.errors);
  const read: string[] = JSON.parse(control.output);
  leaks.forEach(([name], row) => assert.equal(read[row], secret, `the sandbox follows ${name}`));
  for (const text of read.slice(paths.length)) {
    assert.notEqual(text, secret, "the sandbox forbids the file itself");
  }

  const program = new Program(["--root", root], flags);
  await program.initialize();
  for (const [name, [, , document]] of leaks) {
    const numbered = document.replace(/^(\d+)-.*$/, "$1");
    for (
      const uri of [
        `architecture://adr/${document}`,
        `file:///adr/${document}.md`,
        `architecture://adr/${numbered}`,
      ]
    ) {
      const { error } = await program.ask("resources/read", { uri });
      assert.deepEqual(error, { code: -32002, message: "Resource not found", data: { uri } }, name);
      const modern = await program.askModern("resources/read", { uri: `${uri}#part` });
      assert.equal(modern.error?.code, -32602, name);
    }
  }
  const { result } = await program.ask("prompts/get", { name: "p" });
  const [message] = result?.["messages"] as { content: { text: string } }[];
  assert.equal(message?.content.text, `[architecture://adr/001-use-one-thing] 1. Use one thing\n\n${ADR}`);
  assert.equal(await program.close(), 0);
  assert.doesNotMatch(program.output + program.errors, /Secret/);
  for (const line of program.output.split("\n")) assert.ok(!line.includes(folder), line);
});

test("everything that is no document is the same not found, with nothing in it but the URI", async (t) => {
  const root = makeFolder(t, { "resources/adr/001-use-one-thing.md": ADR, "secret.md": "# Secret\n" });
  makeFolder(t);
  const program = new Program(["--root", root]);
  await program.initialize();
  const uris = [
    "",
    "adr/1",
    "/etc/passwd",
    "file:///etc/passwd",
    "file:///etc/passwd.md",
    "architecture://adr",
    "architecture://adr/",
    "architecture://adr/001-use-one-thing/",
    "architecture://adr/001-use-one-thing.md",
    "architecture://adr//001-use-one-thing",
    "architecture:///adr/001-use-one-thing",
    "architecture://ADR/001-use-one-thing",
    "architecture://adr/001-USE-one-thing",
    "architecture://adr/./001-use-one-thing",
    "architecture://adr/../adr/001-use-one-thing",
    "architecture://adr/../../secret",
    "architecture://adr/%2e%2e/%2e%2e/secret",
    "architecture://adr/..%2f..%2fsecret",
    "architecture://adr/..%5c..%5csecret",
    "architecture://adr/%252e%252e/secret",
    "architecture://adr%2f001-use-one-thing",
    "architecture://adr-evil/001-use-one-thing",
    "architecture://adr/001-use-one-thing%00",
    "architecture://adr/001-use-one-thing\u0000.md",
    "architecture://C:\\adr\\001-use-one-thing",
    "architecture://adr/\\\\server\\share",
    "architecture://adr/con",
    "architecture://adr/__proto__",
    "architecture://__proto__/x",
    "architecture://adr/001-use-one-thing?x=1",
    "architecture://adr/001-use-one-thing#no-such-section",
    "architecture://adr/1e0",
    "architecture://adr/+1",
    "architecture://adr/99",
    "https://example.com/adr/1",
    `architecture://adr/${"x".repeat(100_000)}`,
    "\ud800",
  ];
  for (const uri of uris) {
    const { error } = await program.ask("resources/read", { uri });
    assert.deepEqual(error, { code: -32002, message: "Resource not found", data: { uri } }, uri.slice(0, 80));
  }
  assert.equal(await program.close(), 0);
});

test("every spelling of one document's URI reads the same document", async (t) => {
  const root = makeFolder(t, { "resources/adr/007-größe (über alles)#1.md": ADR });
  const program = new Program(["--root", root]);
  await program.initialize();
  const name = "007-größe (über alles)#1";
  const encoded = encodeURIComponent(name).replaceAll("(", "%28").replaceAll(")", "%29");
  const spellings = [
    `architecture://adr/${encoded}`,
    `ARCHITECTURE://adr/${encoded}`,
    `architecture://adr/${name.replace("#", "%23")}`,
    `architecture://adr/${encodeURIComponent(name.normalize("NFD"))}`,
    `file:///adr/${encoded}.md`,
    "architecture://adr/7",
    "architecture://adr/007",
    "architecture://adr/0007",
    "architecture://adr/adr-7",
  ];
  for (const uri of spellings) {
    const { result } = await program.ask("resources/read", { uri });
    const [content] = result?.["contents"] as { uri: string; text: string }[];
    assert.equal(content?.text, ADR, uri);
    assert.equal(content?.uri, uri.startsWith("file") ? spellings[4] : spellings[0]);
  }
  await program.close();
});

test("the program finds the documents beside it whatever the working directory, the path and the links", async (t) => {
  const folder = makeFolder(t);
  const home = `${folder}/with space und umläut`;
  mkdirSync(home);
  for (const name of ["mod.ts", "deps.ts", "lib", "mcp"]) {
    await cp(`${REPOSITORY}/${name}`, `${home}/${name}`, { recursive: true });
  }
  // What a package manager writes by default; Node would otherwise guess from it.
  await cp(`${REPOSITORY}/package.json`, `${home}/package.json`);
  symlinkSync(home, `${folder}/link`);
  for (const path of [home, `${folder}/link`]) {
    for (const cwd of ["/", home, `${home}/lib`]) {
      const { code, output, errors } = await run(["list"], "", { module: `${path}/mod.ts`, cwd });
      assert.equal(code, 0, errors);
      assert.match(output, /^architecture:\/\/adr\/001-/);
    }
  }
});
