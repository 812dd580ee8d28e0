/** Readers that are loaded for the first document that needs them, also when it appears while a plain folder is served. */

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import type { TestContext } from "node:test";
import { test } from "node:test";
import type { Catalogue, Document } from "../../lib/documents/mod.ts";
import type { DocumentProvider } from "../../lib/documents/mod.ts";
import { documentProvider } from "../../lib/documents/mod.ts";
import { files, makeRoot, MemoryFiles, openStore } from "./stores.ts";

const PLAIN = { "guidelines/naming.md": "# Naming\n\nNames say what a thing is.\n" };
const FRONT_MATTER = '---\ntitle: "Names"\ntags: [style, names]\napplies-to:\n  - "src/**"\n---\n# Naming\n';
const YAML = "---\ntitle: >-\n  Names of\n  things\ntags: ['a b', c]\n---\n# Naming\n";
const RECORD =
  "# Use queues\n\n## Status\n\nSuperseded by [8](8-x.md)\n\n## Context\n\nC.\n\n## Decision\n\nD.\n";
const NEXT = RECORD.replace("Superseded by [8](8-x.md)", "Accepted");

/** What appears in a plain folder one after the other, and what is known of it then. */
const STEPS:
  readonly (readonly [name: string, text: string, known: (document: Document) => unknown, unknown])[] = [
    ["guidelines/front.md", FRONT_MATTER, (one) => [one.title, one.tags, one.appliesTo], [
      "Names",
      ["style", "names"],
      ["src/**"],
    ]],
    ["guidelines/yaml.md", YAML, (one) => [one.title, one.tags], ["Names of things", ["a b", "c"]]],
    ["choices/7-use-queues.md", RECORD, (one) => [one.record?.number, one.record?.supersededBy], [7, [
      "8-x.md",
    ]]],
    ["choices/8-x.md", NEXT, (one) => [one.record?.number, one.record?.status], [8, "accepted"]],
  ];

function keyOf(name: string): string {
  return name.replace(/\.md$/, "");
}

test("a scan of a plain folder reads the first front matter, the first YAML and the first record", async () => {
  const memory = new MemoryFiles(PLAIN, "/root/resources/");
  const changes: unknown[] = [];
  const store = await openStore(memory.system, "/root", { onchange: (change) => void changes.push(change) });
  assert.equal(store.catalogue.get("guidelines/naming")?.title, "Naming");
  for (const [index, [name, text, known, expected]] of STEPS.entries()) {
    memory.write(`/root/resources/${name}`, text, Date.now() - 60_000);
    await store.rescan();
    assert.deepEqual(known(store.catalogue.get(keyOf(name))!), expected, name);
    assert.equal(changes.length, index + 1, "each step is one change");
    for (const [earlier, , before, then] of STEPS.slice(0, index)) {
      assert.deepEqual(before(store.catalogue.get(keyOf(earlier))!), then, earlier);
    }
  }
  assert.deepEqual(store.catalogue.find("architecture://choices/7").documents.map(({ key }) => key), [
    "choices/7-use-queues",
  ]);
  const resources = store.resources(store.catalogue);
  assert.deepEqual(resources.find(({ uri }) => uri.endsWith("queues"))?._meta, {
    "architrave/record": {
      ...{ number: 7, status: "superseded", supersededBy: ["architecture://choices/8-x"] },
    },
  });
});

/** Follows a folder until its catalogue has something. */
async function until(provider: DocumentProvider, holds: (catalogue: Catalogue) => boolean): Promise<void> {
  const changed = Promise.withResolvers<void>();
  const stop = provider.watch!(() => {
    if (holds(provider.store.catalogue)) changed.resolve();
  });
  if (holds(provider.store.catalogue)) changed.resolve();
  await changed.promise;
  stop();
}

test("a plain folder that is watched has its first front matter and its first record too", async (t: TestContext) => {
  const root = makeRoot(t, PLAIN);
  const provider = documentProvider({ files }, { root });
  await provider.ready();
  const stop = provider.watch!(() => {});
  t.after(stop);
  for (const [name, text, known, expected] of STEPS) {
    const path = `${root}/resources/${name}`;
    mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    writeFileSync(path, text);
    await until(provider, (catalogue) => catalogue.get(keyOf(name)) !== undefined);
    assert.deepEqual(known(provider.store.catalogue.get(keyOf(name))!), expected, name);
  }
});

test("a section is read by its heading, also of a text whose front matter appeared after the scan", async () => {
  const memory = new MemoryFiles(PLAIN, "/root/resources/");
  const store = await openStore(memory.system, "/root");
  memory.write(
    "/root/resources/guidelines/naming.md",
    "---\n# no heading: x\na: b\n---\n# T\n\n## S\n\nText.\n",
    1000,
  );
  const answer = await store.read("architecture://guidelines/naming#s", false);
  const texts = answer!.members.map((one) => typeof one === "string" ? one : new TextDecoder().decode(one));
  assert.match(texts.join(""), /"text":"## S\\n\\nText\.\\n"/);
});
