import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { documentIndex } from "../../lib/documents/search.ts";
import { documentFilter } from "../../lib/documents/tools.ts";
import { documentProvider, DocumentStore, documentTools } from "../../lib/documents/mod.ts";
import { files, makeRoot, openStore } from "./stores.ts";

const FILLER = "Something else altogether stands here, so that there is more than one text.";

/** An index of the documents in a folder, with what brings it up to date after changes. */
async function indexOf(t: TestContext, contents: Readonly<Record<string, string>>) {
  const root = makeRoot(t, contents);
  const store = await openStore(files, root);
  const index = documentIndex((document) => store.text(document));
  const update = () => index.update(store.catalogue.documents);
  await update();
  const keysOf = async (query: string, filter: Parameters<typeof documentFilter>[0] = {}) => {
    const { hits } = await index.search(query, { filter: documentFilter(filter) });
    return hits.map(({ document }) => document.key);
  };
  return { index, keysOf, root, reload: () => store.reload().then(update) };
}

test("documents are found by their text and by all of their metadata", async (t) => {
  const { index, keysOf } = await indexOf(t, {
    "guidelines/naming.md": "# Naming\n\nName things after what they are.\n",
    "adr/007-queues.md":
      "# 7. Use queues\n\n## Status\n\nAccepted\n\n## Context\n\nCallers wait for each other.\n",
    "a/one.md":
      "---\ntags: [resilience, timeouts]\nkeywords: bulkhead\ndescription: How to survive\n---\n\n# One\n",
    "a/strangler-fig.md": `# Two\n\n${FILLER}\n`,
    "adr/0042-x.md": `# Three\n\n${FILLER}\n`,
  });
  const queries = {
    "adr/007-queues": ["callers"],
    "guidelines/naming": ["names of things"],
    "a/one": ["resilience", "bulkhead", "survive"],
    "a/strangler-fig": ["strangler"],
    "adr/0042-x": ["ADR-42", "adr 0042", "adr-042", "42", "ADR42"],
  };
  for (const [key, all] of Object.entries(queries)) {
    for (const query of all) assert.equal((await keysOf(query))[0], key, query);
  }
  for (const query of ["callers", "resilience", "strangler", "42"]) {
    assert.equal((await index.search(query)).total, 1);
  }
});

test("decisions no longer in force come last; filters are by category, and by effective status in any case", async (t) => {
  const record = (status: string, extra = "") =>
    `---\nstatus: ${status}\n${extra}---\n\n# Queues\n\nWe use queues.\n`;
  const { keysOf } = await indexOf(t, {
    "adr/001-a.md": record("superseded"),
    "adr/002-b.md": record("deprecated"),
    "adr/003-c.md": record("rejected"),
    "adr/004-d.md": record("accepted", "superseded-by: 005-e.md\n"),
    "adr/005-e.md": record("accepted"),
    "adr/006-f.md": record("partly superseded", "superseded-by: 005-e.md\n"),
    "guidelines/superseded.md": "# Queues\n\nWe use queues.\n",
  });
  const keys = await keysOf("queues");
  assert.equal(keys.length, 7);
  assert.deepEqual(keys.slice(0, 3).toSorted(), ["adr/005-e", "adr/006-f", "guidelines/superseded"]);
  const rows = [
    [{ status: "superseded" }, ["adr/001-a", "adr/004-d"]],
    [{ status: "Accepted" }, ["adr/005-e"]],
    [{ category: "guidelines" }, ["guidelines/superseded"]],
    [{ status: "proposed" }, []],
    [{ category: "nowhere" }, []],
    [{ category: "guidelines", status: "accepted" }, []],
  ] as const;
  for (const [filter, expected] of rows) {
    assert.deepEqual(await keysOf("queues", filter), expected, JSON.stringify(filter));
  }
});

/** Texts, queries for them, and the section, line and excerpt of what is found first. */
type Excerpt = readonly [query: string, section: string | undefined, line: number, excerpt: string];
const LINKS = "- [Retry and timeout](#retry-and-timeout)\n- [Jitter][1]\n";
const EXCERPTS: readonly (readonly [text: string, ...rows: Excerpt[]])[] = [
  // The section of the title is none, and an excerpt has no markup.
  [
    "---\ntitle: Resilience\n---\n# Resilience\n\nAbout [messages](x.md).\n\n## Retries\n\n- A **retrial** it is.\n\n" +
    "## Retries\n\nTwice.\n",
    ["retrial", "retries", 10, "A retrial it is."],
    ["twice", "retries-1", 14, "Twice."],
    ["about messages", undefined, 6, "About messages."],
    ["resilience", undefined, 4, "About messages."],
  ],
  // Prose comes before a table of contents, a list of links and a comment.
  [
    `# T\n\n## Contents\n\n${LINKS}\n## Retry and timeout\n\nWait with jitter, then retry.\n`,
    ["retry jitter", "retry-and-timeout", 10, "Wait with jitter, then retry."],
  ],
  [
    "# L\n\nSee [the bulkhead](x.md), [more](y.md).\n\nA bulkhead isolates.\n",
    ["bulkhead", undefined, 5, "A bulkhead isolates."],
  ],
  [
    "# C\n\n<!-- Describe the\nfallback. -->\n\nThe fallback answers.\n\n<!-- a saga -->\n",
    ["fallback", undefined, 6, "The fallback answers."],
  ],
  ["# O\n\n- [Only a circuit](x.md)\n", ["circuit", undefined, 3, "Only a circuit"]],
  [
    "# P\n\nWrite `<!--` before it.\n\nThe hedge is prose.\n\nThe hedge is late.\n",
    ["hedge", undefined, 5, "The hedge is prose."],
  ],
];

test("a hit names its section and line, with an excerpt that is prose where there is some", async (t) => {
  const contents = EXCERPTS.map(([text], index) => [`a/${index}.md`, text]);
  const { index } = await indexOf(
    t,
    Object.fromEntries([...contents, ["a/other.md", `# Two\n\n${FILLER}\n`]]),
  );
  for (const [query, section, line, excerpt] of EXCERPTS.flatMap(([, ...rows]) => rows)) {
    const [hit] = (await index.search(query)).hits;
    assert.deepEqual([hit?.section?.slug, hit?.line, hit?.excerpt], [section, line, excerpt], query);
  }
});

test("search_documents stops when its call is aborted", async (t) => {
  const root = makeRoot(t, { "guidelines/a.md": "# A\n" });
  const documents = documentProvider({ files }, { mounts: [{ name: "g", path: root }], watch: false });
  const tools = await documentTools(documents).load();
  const { handler } = tools.find(({ name }) => name === "search_documents")!.definition;
  const signal = AbortSignal.abort(new Error("enough"));
  await assert.rejects(async () => await handler({ query: "a" }, { signal } as never), /enough/);
});

test("the index follows files that change", async (t) => {
  const { keysOf, root, reload } = await indexOf(t, {
    "a/one.md": "# One\n\nfirst\n",
    "a/two.md": "# Two\n\nsecond\n",
  });
  assert.deepEqual(await keysOf("second"), ["a/two"]);
  writeFileSync(`${root}/resources/a/two.md`, "# Two\n\nquite another text\n");
  await reload();
  assert.deepEqual(await keysOf("second"), []);
  assert.deepEqual(await keysOf("another"), ["a/two"]);
});

/** A question as people ask it, and the documents that answer it. */
interface Question {
  readonly query: string;
  readonly expected: readonly string[];
}

test("golden queries in English, German and Japanese are answered by the first three hits", async () => {
  /** The share of questions that are answered so, and the least mean nDCG@10. */
  const [share, ndcg] = [0.9, 0.99];
  const golden = fileURLToPath(new URL("golden", import.meta.url));
  const questions: Question[] = JSON.parse(readFileSync(`${golden}/queries.json`, "utf8"));
  const mounts = ["adr", "guidelines", "muster", "patterns", "richtlinien"].map((name) => ({
    name,
    path: `${golden}/${name}`,
  }));
  const store = new DocumentStore(files, { mounts });
  await store.ready();
  const index = documentIndex((document) => store.text(document));
  await index.update(store.catalogue.documents);
  assert.ok(questions.length >= 40 && store.catalogue.documents.length >= 30);
  const missed: string[] = [];
  let sum = 0;
  for (const { query, expected } of questions) {
    for (const key of expected) assert.ok(store.catalogue.get(key), `${query}: there is no ${key}`);
    const { hits } = await index.search(query);
    const gain = (keys: readonly string[]): number =>
      keys.reduce((sum, key, rank) => sum + (expected.includes(key) ? 1 / Math.log2(rank + 2) : 0), 0);
    sum += gain(hits.map(({ document }) => document.key)) / gain(expected);
    if (!hits.slice(0, 3).some(({ document }) => expected.includes(document.key))) missed.push(query);
    for (const { document, excerpt, line, matches } of hits) {
      assert.ok(excerpt !== "" && line >= 1 && matches.length > 0, `${query}: ${document.key}`);
    }
  }
  assert.ok(1 - missed.length / questions.length >= share, `missed: ${missed.join(" | ")}`);
  assert.ok(sum / questions.length >= ndcg, `nDCG@10 ${sum / questions.length}`);
});
