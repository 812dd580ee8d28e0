import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import type { TestContext } from "node:test";
import { test } from "node:test";
import type { Finding } from "../../../lib/documents/mod.ts";
import { promptProvider } from "../../../lib/documents/prompts/mod.ts";
import { stopClock } from "../../harness/clock.ts";
import type { Contents } from "../stores.ts";
import { files, MemoryFiles } from "../stores.ts";
import { runHere } from "../../harness/command.ts";
import { makeFolder } from "../../harness/folder.ts";
import { ON_WINDOWS } from "../../harness/runtime.ts";
import type { Provider } from "./definitions.ts";
import { CONTEXT, definition, fill, openPrompts } from "./definitions.ts";

const A = "/root/prompts/a.json";

function named(name: string, text = "x"): string {
  return definition(text, { name });
}

/** What the prompts say, by name. */
async function said(provider: Provider): Promise<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const { name } of await provider.list(CONTEXT)) {
    texts[name] = (await fill(provider, name, {}))[0]!.content.text;
  }
  return texts;
}

test("prompts are the JSON files of a folder, listed by name; nothing is read before ready()", async () => {
  const argument = { name: "b", description: "B", required: true, maxLength: 5, values: ["x", "y"] };
  const memory = new MemoryFiles({
    "prompts/2.json": definition("x", { name: "a", title: "T", description: "D" }),
    "prompts/1.json": definition("<<b>>", { name: "b", arguments: [argument, { name: "c" }] }),
    ...{ "prompts/.hidden.json": named("c"), "prompts/notes.md": "", "prompts/sub/d.json": named("d") },
  }, "/root/");
  const provider = promptProvider({ files: memory.system }, { root: "/root" });
  assert.equal(memory.calls.length, 0);
  await provider.ready!();
  const shown = [{ name: "b", description: "B", required: true }, { name: "c", required: false }];
  assert.deepEqual(await provider.list(CONTEXT), [
    { name: "a", title: "T", description: "D" },
    { name: "b", arguments: shown },
  ]);
  const list = await provider.list(CONTEXT);
  memory.calls.length = 0;
  await provider.reload();
  assert.equal(await provider.list(CONTEXT), list);
  assert.equal(memory.calls.some((call) => call.startsWith("open")), false, "files that did not change");
  assert.deepEqual(["b", "none"].map((name) => provider.values!("b", name, CONTEXT)), [
    ["x", "y"],
    undefined,
  ]);
  for (const name of ["none", "A", "a.json", "c", "d", "../a", "__proto__"]) {
    assert.equal(await provider.get(name, {}, CONTEXT), undefined, name);
  }
});

test("files that cannot be used are reported with the reason, and the others are served", async (t) => {
  const folder = makeFolder(t, {
    "root/prompts/bad-json.json": "{",
    "root/prompts/bad-mark.json": named("m", "<<gone>>"),
    "root/prompts/binary.json": Uint8Array.of(0xff),
    "root/prompts/good.json": `\ufeff${named("good")}`,
    "root/prompts/large.json": " ".repeat(1024 * 1024 + 1),
    "root/prompts/folder.json/x": "",
    "root/prompts/same.json": named("good", "second"),
    "root/inside.json": named("inside"),
    ...{ "outside/evil.json": named("evil"), "root-evil/evil.json": named("evil") },
  });
  const links = {
    ...{ "inside": "../inside.json", "absolute": `${folder}/outside/evil.json`, "chain": "link.json" },
    ...{ "link": "../../outside/evil.json", "loop": "loop.json", "sibling": "../../root-evil/evil.json" },
  };
  const made = ON_WINDOWS ? [] : Object.entries(links);
  for (const [name, target] of made) symlinkSync(target, `${folder}/root/prompts/${name}.json`);
  const { provider, findings } = await openPrompts(files, `${folder}/root`);
  assert.deepEqual(await said(provider), { good: "x", ...ON_WINDOWS ? {} : { inside: "x" } });
  const reasons = Object.fromEntries(
    findings.map(({ file, message }) => [file.slice("prompts/".length, -5), message]),
  );
  const expected = {
    "bad-json": /not valid JSON/,
    "bad-mark": /messages\[0\]\.content\.text: "gone" is not among the arguments/,
    "binary": /not UTF-8 text/,
    "large": /too large/,
    "folder": /cannot be read/,
    "same": /prompts\/good\.json is served as "good" already/,
    ...Object.fromEntries(made.slice(1).map(([name]) => [name, /a link leads out of the root/])),
  };
  assert.deepEqual(Object.keys(reasons).sort(), Object.keys(expected).sort());
  for (const [name, reason] of Object.entries(expected)) assert.match(reasons[name]!, reason);
  assert.ok(findings.every(({ severity }) => severity === "error"));
});

test("a root without prompts has none, and one whose folder cannot be read is reported", async (t) => {
  const empty = await openPrompts(files, makeFolder(t));
  assert.deepEqual([await said(empty.provider), empty.findings], [{}, []]);
  assert.deepEqual((await openPrompts(files, "/nowhere/at/all")).findings, []);
  const { findings } = await openPrompts(files, makeFolder(t, { "prompts": "a file" }));
  assert.deepEqual(findings.map(({ file, rule }) => `${file} ${rule}`), ["prompts unreadable"]);
  if (ON_WINDOWS) return;
  const folder = makeFolder(t, { "root/x": "", "outside/evil.json": named("evil") });
  symlinkSync("../outside", `${folder}/root/prompts`);
  assert.deepEqual(await said((await openPrompts(files, `${folder}/root`)).provider), {});
});

/** Prompts in memory that are scanned every millisecond of a clock that stands still. */
async function start(test: TestContext) {
  const clock = stopClock(test);
  const memory = new MemoryFiles({ [A]: named("a", "old") });
  const { provider, findings } = await openPrompts(memory.system, "/root");
  const changes: unknown[] = [];
  test.after(provider.watch!((change) => void changes.push(change)));
  /** Writes files a second ago, by name, and gives what the prompts say then. */
  const rescan = async (files: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(files)) {
      memory.write(`/root/prompts/${name}.json`, text, Date.now() - 1000);
    }
    await clock.pass(1);
    return await said(provider);
  };
  return { clock, memory, findings, changes, rescan };
}

test("a prompt stays as it was while its file is being written or cannot be used, and each reason is reported once", async (t) => {
  const { clock, memory, findings, changes, rescan } = await start(t);
  memory.write(A, "");
  for (let time = 0; time < 100; time++) assert.deepEqual(await rescan({}), { a: "old" }, `${clock.now} ms`);
  for (const text of ['{"name": "a", ', named("A"), named("A")]) {
    await rescan({ a: text });
    await clock.pass(5);
    assert.deepEqual(await rescan({}), { a: "old" });
  }
  assert.equal(findings.length, 2);
  assert.deepEqual(
    [await rescan({ a: named("a", "new") }), changes.length],
    [{ a: "new" }, 0],
    "its text is not listed",
  );
  const titled = definition("new", { name: "a", title: "New" });
  assert.deepEqual(await rescan({ a: titled, b: named("b") }), { a: "new", b: "x" });
  assert.deepEqual(changes, [{ listChanged: true }]);
  memory.remove(A);
  await clock.pass(201);
  assert.deepEqual([await rescan({}), findings.length], [{ b: "x" }, 2]);
});

test("of two prompts with one name the other keeps its last version, and a renamed file takes the place of the old one", async (t) => {
  const { clock, memory, findings, rescan } = await start(t);
  memory.remove(A);
  assert.deepEqual([await rescan({ b: named("a", "renamed") }), findings], [{ a: "renamed" }, []]);
  await clock.pass(200);
  assert.deepEqual(await rescan({ c: named("c") }), { a: "renamed", c: "x" });
  assert.deepEqual(await rescan({ c: named("a", "second") }), { a: "renamed", c: "x" });
  assert.deepEqual(await rescan({ 0: named("c", "before it") }), { a: "renamed", c: "before it" });
  assert.deepEqual(findings.map(({ file, message }) => `${file}: ${message}`), [
    'prompts/c.json: The file is not served: prompts/b.json is served as "a" already',
  ]);
  assert.deepEqual(await rescan({ 1: named("a", "before it") }), { a: "before it", c: "before it" });
  assert.match(findings.at(-1)!.message, /prompts\/1\.json is served as "a" already/);
});

/** Texts of prompts, and what is wrong with them beside these documents. */
const DOCUMENTS: Contents = {
  "adr/007-x.md": "# X\n\n## Decision\n",
  "adr/008-x.md": "",
  "adr/08-y.md": "",
  "large/a.md": "x".repeat(1024 * 1024),
  "large/b.md": "x",
  ...Object.fromEntries(Array.from({ length: 51 }, (_, number) => [`many/${number}.md`, "x"])),
};
const LINT: readonly (readonly [text: string, ...found: string[]])[] = [
  ["<<resource:architecture://adr/7>>{{resource:architecture://adr/007-x#decision}}<<resource:architecture://adr/**>>"],
  ["no documents at all"],
  ["\\<<resource:architecture://adr/9>>"],
  [
    "<<resource:architecture://adr/9>><<resource:architecture://adr/10>>",
    "error prompt-document-missing",
    "error prompt-document-missing",
  ],
  ["<<resource:architecture://adr/7#gone>>", "error prompt-document-missing"],
  ["<<resource:architecture://adr/8>>", "error prompt-document-missing"],
  ["<<resource:architecture://gone/*>>", "warning prompt-glob-empty"],
  ["<<resource:architecture://many/*>>", "error prompt-over-limit"],
  ["<<resource:architecture://large/*>>", "error prompt-over-limit"],
  ["<<resource:architecture://large/a>>"],
  ["x\u200by", "warning invisible-characters"],
];

test("check finds what is wrong with prompts: their files, what they embed, and their characters", async (t) => {
  const documents = Object.entries(DOCUMENTS).map(([name, text]) => [`resources/${name}`, text]);
  const prompts = LINT.map(([text], index) => [`prompts/${index}.json`, named(`p${index}`, text)]);
  const contents = Object.fromEntries([...documents, ...prompts, ["prompts/bad.json", "{"]]);
  const { output } = await runHere(["check", "--root", makeFolder(t, contents), "--format", "json"]);
  const findings: Finding[] = JSON.parse(output).findings;
  const of = (name: string) =>
    findings.filter(({ file }) => file === `prompts/${name}.json`).map(({ severity, rule }) =>
      `${severity} ${rule}`
    );
  for (const [index, [text, ...found]] of LINT.entries()) assert.deepEqual(of(`${index}`), found, text);
  assert.deepEqual(of("bad"), ["error prompt-definition"]);
});
