import assert from "node:assert/strict";
import { test } from "node:test";
import { Shelf } from "../../lib/documents/shelf.ts";
import { readPrompts } from "../../lib/prompts/folder.ts";
import { lintPrompts } from "../../lib/prompts/lint.ts";
import { MAX_PROMPT_BYTES } from "../../lib/prompts/render.ts";
import { makeFolder } from "../harness/folder.ts";
import { REPOSITORY } from "../harness/program.ts";
import { definition, files } from "./shelf.ts";

async function lintOf(
  t: Parameters<typeof makeFolder>[0],
  prompts: Readonly<Record<string, string>>,
  documents: Readonly<Record<string, string>> = { "adr/007-x.md": "# X\n\n## Decision\n" },
): Promise<string[]> {
  const entries = [
    ...Object.entries(prompts).map(([name, text]) =>
      [`prompts/${name}.json`, definition(text, { name })] as const
    ),
    ...Object.entries(documents).map(([name, text]) => [`resources/${name}`, text] as const),
  ];
  const root = makeFolder(t, Object.fromEntries(entries));
  const shelf = new Shelf(files, { root });
  await shelf.ready();
  const findings = lintPrompts(readPrompts(files, root, undefined), shelf);
  return findings.map(({ file, severity, rule }) => `${file} ${severity} ${rule}`);
}

test("lintPrompts() says nothing of the prompts that come with the program", async () => {
  const root = `${REPOSITORY}/mcp`;
  const shelf = new Shelf(files, { root });
  await shelf.ready();
  const set = readPrompts(files, root, undefined);
  assert.equal(set.prompts.length, 3);
  assert.deepEqual([...set.findings, ...lintPrompts(set, shelf)], []);
});

test("lintPrompts() is content with documents, sections and patterns that are there", async (t) => {
  const findings = await lintOf(t, {
    a: "<<resource:architecture://adr/7>>{{resource:architecture://adr/007-x#decision}}<<resource:architecture://**>>",
    b: "no documents at all",
  });
  assert.deepEqual(findings, []);
});

test("lintPrompts() finds every document and section that is not there", async (t) => {
  const findings = await lintOf(t, {
    a: "<<resource:architecture://adr/8>><<resource:architecture://adr/9>>",
    b: "<<resource:architecture://adr/7#gone>>",
    c: "\\<<resource:architecture://adr/8>>",
  });
  assert.deepEqual(findings, [
    "prompts/a.json error prompt-document-missing",
    "prompts/a.json error prompt-document-missing",
    "prompts/b.json error prompt-document-missing",
  ]);
});

test("lintPrompts() finds a number that two records have", async (t) => {
  const findings = await lintOf(t, { a: "<<resource:architecture://adr/7>>" }, {
    "adr/007-x.md": "",
    "adr/07-y.md": "",
  });
  assert.deepEqual(findings, ["prompts/a.json error prompt-document-missing"]);
});

test("lintPrompts() warns of a pattern that matches nothing", async (t) => {
  const findings = await lintOf(t, { a: "<<resource:architecture://gone/*>>" });
  assert.deepEqual(findings, ["prompts/a.json warning prompt-glob-empty"]);
});

test("lintPrompts() finds prompts that embed too much", async (t) => {
  const documents = {
    ...Object.fromEntries(Array.from({ length: 51 }, (_, number) => [`many/${number}.md`, "x"])),
    "large/a.md": "x".repeat(MAX_PROMPT_BYTES),
    "large/b.md": "x",
  };
  const findings = await lintOf(t, {
    a: "<<resource:architecture://many/*>>",
    b: "<<resource:architecture://large/*>>",
    c: "<<resource:architecture://large/a>>",
  }, documents);
  assert.deepEqual(findings, [
    "prompts/a.json error prompt-over-limit",
    "prompts/b.json error prompt-over-limit",
  ]);
});

test("lintPrompts() shows what nobody sees in a prompt", async (t) => {
  assert.deepEqual(await lintOf(t, { a: "x\u200by" }), ["prompts/a.json warning invisible-characters"]);
});
