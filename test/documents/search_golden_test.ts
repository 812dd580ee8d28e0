import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { SearchIndex } from "../../lib/documents/search.ts";
import { DocumentStore } from "../../lib/documents/store.ts";
import { files } from "./stores.ts";

/** A question as somebody asks it, and the documents that answer it. */
interface Question {
  readonly query: string;
  readonly expected: readonly string[];
}

/** The share of questions that one of the first three hits has to answer. */
const WANTED = 0.9;

const golden = fileURLToPath(new URL("golden", import.meta.url));
const questions: Question[] = JSON.parse(readFileSync(`${golden}/queries.json`, "utf8"));

async function goldenIndex(): Promise<SearchIndex> {
  const mounts = ["adr", "guidelines", "muster", "patterns", "richtlinien"]
    .map((name) => ({ name, path: `${golden}/${name}` }));
  const shelf = new DocumentStore(files, { mounts });
  await shelf.ready();
  const index = new SearchIndex((document) => shelf.text(document));
  await index.update(shelf.catalogue);
  return index;
}

test("the questions are answered by documents that are there", async () => {
  const index = await goldenIndex();
  assert.ok(questions.length >= 40);
  assert.ok(index.count >= 30);
  for (const { query, expected } of questions) {
    for (const key of expected) {
      const title = key.split("/").at(-1)!;
      const { hits } = await index.search(title, { category: key.split("/")[0] });
      assert.ok(hits.some(({ document }) => document.key === key), `${query}: ${key} is not there`);
    }
  }
});

test("one of the first three hits answers what people ask, in English, German and Japanese", async () => {
  const index = await goldenIndex();
  const missed: Question[] = [];
  for (const question of questions) {
    const { hits } = await index.search(question.query, { limit: 3 });
    if (!hits.some(({ document }) => question.expected.includes(document.key))) missed.push(question);
  }
  const share = 1 - missed.length / questions.length;
  assert.ok(share >= WANTED, `${share}; missed: ${missed.map(({ query }) => query).join(" | ")}`);
});

test("every hit shows where it answers", async () => {
  const index = await goldenIndex();
  for (const { query } of questions) {
    for (const { document, excerpt, line, reasons } of (await index.search(query)).hits) {
      assert.notEqual(excerpt, "", `${query}: ${document.key}`);
      assert.ok(line >= 1);
      assert.ok(reasons.length > 0, `${query}: ${document.key}`);
    }
  }
});
