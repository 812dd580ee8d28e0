import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { test } from "node:test";
import type { Finding } from "../../lib/documents/mod.ts";
import { DocumentStore } from "../../lib/documents/mod.ts";
import { makeFolder } from "../harness/folder.ts";
import { IS_COMPLETE, ON_WINDOWS } from "../harness/runtime.ts";
import { brief, files, makeRoot, MemoryFiles, openStore } from "./stores.ts";

const VOLUME = "..2026_11_22_06_30_00.123456789";

/** What a scan asks about a folder and two files after they were listed, and the documents that depend on the answer. */
const STEPS = {
  "list /root/resources/docs/a": "docs/a/x",
  "status /root/resources/docs/b.md": "docs/b",
  "open /root/resources/docs/c.md": "docs/c",
};

/** The files of a root, links by their targets; the keys that are served of it; and the findings. */
const ROOTS: Readonly<
  Record<string, readonly [files: string, links: Record<string, string>, keys: string, ...findings: string[]]>
> = {
  "markdown in all folders, and nothing else": [
    "docs/a.md docs/B.MD docs/sub/deep/c.md docs/picture.png docs/x.mdx docs/y.adoc docs/md docs/folder.md/d.md empty/notes.txt",
    {},
    "docs/B docs/a docs/folder.md/d docs/sub/deep/c docs/x",
  ],
  "no hidden files and folders, and nothing that was installed": [
    "docs/.a.md docs/.git/b.md docs/node_modules/p/README.md .x/a.md docs/c.md",
    {},
    "docs/c",
  ],
  "a file behind links that stay inside once, under its own name": [
    "docs/sub/a.md ../kept/b.md ../kept/sub/c.md",
    {
      "docs/file.md": "sub/a.md",
      "docs/folder": "sub",
      "docs/sub/itself": "../sub",
      "docs/sub/up": "..",
      "docs/sub/chain": "../folder",
      "docs/sub/again.md": "a.md",
      "docs/kept": "../../kept",
      "docs/kept.md": "../../kept/b.md",
      "docs/z.md": "../../kept/sub/c.md",
      "records": "docs",
    },
    // What is listed nowhere else is listed under its first link, and a category may have two names.
    "docs/kept docs/sub/a docs/z records/kept records/sub/a records/z",
  ],
  "no links that lead out": [
    "docs/a.md ../../outside/secret.md ../../outside/picture.png",
    {
      "docs/file.md": "../../../outside/secret.md",
      "docs/folder": "../../../outside",
      "docs/picture.png": "../../../outside/picture.png",
      "category": "../../outside",
    },
    "docs/a",
    "category link-leads-out",
    "docs/file.md link-leads-out",
    "docs/folder link-leads-out",
  ],
  "a link that leads out and in again, because what counts is where it ends": [
    "docs/c.md ../kept/a.md ../kept/sub/b.md ../../outside/secret.md",
    {
      "../../outside/back": "../root/kept/a.md",
      "../../outside/home": "../root/kept/sub",
      "docs/a.md": "../../../outside/back",
      "docs/folder": "../../../outside/home",
    },
    "docs/a docs/c docs/folder/b",
  ],
  "no links to themselves or to nothing": [
    "docs/a.md",
    { "docs/loop.md": "loop.md", "docs/dead.md": "nothing.md" },
    "docs/a",
    "docs/dead.md unreadable",
    "docs/loop.md unreadable",
  ],
  "no links to what is hidden": [
    "docs/.env docs/.git/a.md docs/node_modules/p/README.md",
    { "docs/1.md": ".env", "docs/folder": ".git", "docs/2.md": "node_modules/p/README.md" },
    "",
  ],
  "what Kubernetes mounts from a ConfigMap, each document once": [
    `docs/${VOLUME}/a.md docs/${VOLUME}/b.txt`,
    { "docs/..data": VOLUME, "docs/a.md": "..data/a.md", "docs/b.txt": "..data/b.txt" },
    "docs/a",
  ],
  "no file beside the categories": [
    "docs/a.md stray.md notes.txt",
    {},
    "docs/a",
    "stray.md file-outside-category",
  ],
  "32 folders deep, and no further": [
    `docs/${"d/".repeat(31)}y.md docs/${"d/".repeat(32)}x.md`,
    {},
    `docs/${"d/".repeat(31)}y`,
    `docs/${"d/".repeat(32).slice(0, -1)} folder-too-deep`,
  ],
};

for (const [what, [names, links, keys, ...findings]] of Object.entries(ROOTS)) {
  const skip = Object.keys(links).length > 0 && ON_WINDOWS;
  test(`a scan finds ${what}`, { skip }, async (t) => {
    const inner = names.split(" ").map((name) => [`root/resources/${name}`, ""]);
    const root = `${makeFolder(t, Object.fromEntries(inner))}/root`;
    for (const [link, target] of Object.entries(links)) symlinkSync(target, `${root}/resources/${link}`);
    const { catalogue } = await openStore(files, root);
    assert.equal(catalogue.documents.map(({ key }) => key).join(" "), keys);
    assert.deepEqual(brief(catalogue.findings), findings);
    const shuffled = { ...files, list: (path: string) => files.list(path).reverse() };
    const again = (await openStore(shuffled, root)).catalogue;
    assert.deepEqual(again.documents, catalogue.documents, "the order does not depend on the disk");
    assert.deepEqual(again.findings, catalogue.findings);
  });
}

test("a document is known by its category, its name and its file", async (t) => {
  const root = makeRoot(t, { "adr/sub/007-a b.md": "---\nstatus: accepted\n---\n# X\n\nText.\n" });
  const { documents: [document] } = (await openStore(files, root)).catalogue;
  const { status, path: _, fingerprint: __, ...known } = document!;
  assert.equal(status.size, 36);
  assert.deepEqual(known, {
    ...{
      key: "adr/sub/007-a%20b",
      category: "adr",
      name: "007-a b",
      label: "adr/sub/007-a b.md",
      within: root,
      sibling: undefined,
    },
    ...{ title: "X", description: "Text.", tags: [], appliesTo: [] },
    record: { number: 7, status: "accepted", supersedes: [], supersededBy: [] },
  });
});

test("a scan reports what cannot be read at any step of it, or is too large, and serves the rest", async () => {
  const names = ["a/x", "b", "c", "d", "e", "\ufffd"].map((name) => [`docs/${name}.md`, ""]);
  const memory = new MemoryFiles(Object.fromEntries(names), "/root/resources/");
  memory.oncall = (call) => {
    if (call in STEPS) throw Object.assign(new Error("It cannot be read"), { code: "EMFILE" });
    // So a name is listed that is not Unicode.
    if (/^\w+ .*\ufffd/.test(call)) throw Object.assign(new Error("It is not there"), { code: "ENOENT" });
  };
  const status = (path: string) => {
    const found = memory.system.status(path);
    return path.endsWith("d.md") ? { ...found, size: 10 * 2 ** 20 + 1 } : found;
  };
  const { catalogue } = await openStore({ ...memory.system, status }, "/root");
  assert.deepEqual(catalogue.documents.map(({ key }) => key), ["docs/e"]);
  assert.deepEqual(brief(catalogue.findings).sort(), [
    ...["docs/a unreadable", "docs/b.md unreadable", "docs/c.md unreadable", "docs/d.md document-too-large"],
    "docs/\ufffd.md unreadable",
  ]);
});

test("a scan passes over what vanishes at any step of it, and reports nothing", async () => {
  for (const [step, gone] of Object.entries(STEPS)) {
    const names = ["a/x", "b", "c"].map((name) => [`docs/${name}.md`, ""]);
    const memory = new MemoryFiles(Object.fromEntries(names), "/root/resources/");
    memory.oncall = (call) => {
      if (call === step) memory.remove(step.slice(step.indexOf("/")));
    };
    const { catalogue } = await openStore(memory.system, "/root");
    const kept = Object.values(STEPS).filter((key) => key !== gone);
    assert.deepEqual(catalogue.documents.map(({ key }) => key), kept);
    assert.deepEqual(catalogue.findings, [], step);
  }
});

test("of two files with one URI the first is served, and the finding names both", async () => {
  const memory = new MemoryFiles(
    { "docs/gr\u00f6\u00dfe.md": "# Composed", "docs/gro\u0308\u00dfe.md": "# Decomposed" },
    "/root/resources/",
  );
  const store = await openStore(memory.system, "/root");
  const { documents: [document], findings: [finding] } = store.catalogue;
  assert.deepEqual([document!.title, document!.name], ["Decomposed", "größe"]);
  assert.deepEqual(brief(store.catalogue.findings), ["docs/größe.md uri-duplicate"]);
  assert.match(finding!.message, /docs\/gro\u0308\u00dfe\.md is served as/);
  assert.equal(store.text(document!), "# Decomposed");
  memory.write("/root/resources/docs/größe.md", "# Changed", Date.now() - 1000);
  await store.rescan();
  assert.equal(store.text(document!), "# Decomposed");
});

test("mounts are categories, in place of those of the root; folders that are not there are reported", async (t) => {
  const mounted = makeFolder(t, { "0009-other.md": "---\nstatus: draft\n---\n# Other", "sub/y.md": "" });
  const billing = makeFolder(t, { "1-x.md": "" });
  const root = makeRoot(t, { "adr/001-own.md": "# Own", "docs/x.md": "", "docs/adr/2.md": "" });
  const findings: Finding[] = [];
  const store = new DocumentStore(files, {
    root,
    mounts: [
      { name: "adr", path: mounted },
      { name: "more", path: mounted },
      { name: "docs/adr", path: billing },
      { name: "gone", path: `${mounted}/gone` },
      { name: "file", path: `${mounted}/0009-other.md` },
    ],
    onfinding: (finding) => void findings.push(finding),
  });
  await store.ready();
  const { catalogue } = store;
  assert.deepEqual(catalogue.categories, ["adr", "docs", "more"]);
  assert.equal(
    catalogue.documents.map(({ key }) => key).join(" "),
    "adr/0009-other adr/sub/y docs/adr/1-x docs/x more/0009-other more/sub/y",
  );
  assert.equal(catalogue.get("adr/0009-other")?.record?.status, "draft");
  assert.equal(catalogue.get("more/0009-other")?.record?.status, "draft", "it looks like a record");
  assert.deepEqual(brief(findings), ["gone folder-missing", "file folder-missing"]);
  for (const folders of [{ root: makeFolder(t) }, { root: `${root}/gone` }]) {
    const none = new DocumentStore(files, folders);
    await none.ready();
    assert.deepEqual(brief(none.catalogue.findings), ["resources folder-missing"]);
  }
  const empty = new DocumentStore(files, {});
  await empty.ready();
  assert.deepEqual([empty.catalogue.documents, empty.catalogue.findings], [[], []]);
});

test(
  "a mount may be behind links, and what its own links lead out to is not served",
  { skip: ON_WINDOWS },
  async (t) => {
    const names = ["mounted/1-x.md", "mounted/sub/text", "mounted-evil/2-y.md", "outside/secret.md"];
    const folder = makeFolder(t, Object.fromEntries(names.map((name) => [name, ""])));
    const links = {
      ...{ "link": "mounted", "link-to-a-link": `${folder}/link`, "mounted/in.md": "sub/text" },
      ...{
        "mounted/out.md": "../outside/secret.md",
        "mounted/above": "..",
        "mounted/evil": "../mounted-evil",
      },
    };
    for (const [link, target] of Object.entries(links)) symlinkSync(target, `${folder}/${link}`);
    for (const path of ["mounted", "mounted/", "link", "link-to-a-link", "mounted-evil/../link"]) {
      const store = new DocumentStore(files, { mounts: [{ name: "adr", path: `${folder}/${path}` }] });
      await store.ready();
      assert.deepEqual(store.catalogue.documents.map(({ key }) => key), ["adr/1-x", "adr/in"], path);
      const out = ["above", "evil", "out.md"].map((name) => `adr/${name} link-leads-out`);
      assert.deepEqual(brief(store.catalogue.findings), out);
    }
  },
);

test("a folder of categories that is a link out has none", { skip: ON_WINDOWS }, async (t) => {
  const root = `${makeFolder(t, { "root/x": "", "outside/plans/x.md": "" })}/root`;
  symlinkSync("../outside", `${root}/resources`);
  const { catalogue } = await openStore(files, root);
  assert.deepEqual([catalogue.categories, catalogue.documents], [[], []]);
  assert.deepEqual(brief(catalogue.findings), ["resources link-leads-out"]);
});

/** A store of so many empty documents, in a hundred folders. */
async function largeStore(count: number): Promise<readonly [MemoryFiles, DocumentStore]> {
  const names = Array.from({ length: count }, (_, number) => [`docs/${number % 100}/${number}.md`, ""]);
  const memory = new MemoryFiles(Object.fromEntries(names), "/root/resources/");
  return [memory, await openStore(memory.system, "/root")];
}

test("a rescan looks at each file and folder once, and opens none that did not change", async () => {
  const [memory, store] = await largeStore(1000);
  memory.calls.length = 0;
  const before = store.catalogue;
  await store.rescan();
  assert.equal(store.catalogue, before);
  const count = (name: string) => memory.calls.filter((call) => call.startsWith(`${name} `)).length;
  // Each file once, the root, and the folders: resources/, docs/ and a hundred in it.
  assert.deepEqual(["list", "status", "realPath", "open"].map(count), [102, 1001, 2, 0]);
});

test(
  "100,000 documents are served, and no more",
  { skip: !IS_COMPLETE && "in the complete run" },
  async () => {
    const [memory, store] = await largeStore(100_000);
    assert.deepEqual([store.catalogue.documents.length, store.catalogue.findings], [100_000, []]);
    memory.write("/root/resources/docs/0/more.md", "", Date.now() - 1000);
    await store.rescan();
    assert.equal(store.catalogue.documents.length, 100_000);
    assert.deepEqual(brief(store.catalogue.findings), ["docs too-many-documents"]);
  },
);
