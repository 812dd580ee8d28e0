import assert from "node:assert/strict";
import { test } from "node:test";
import type { SearchIndex, SearchResult } from "../../lib/search/mod.ts";
import { IS_COMPLETE } from "../harness/runtime.ts";
import type { Doc } from "./texts.ts";
import { until } from "../harness/process.ts";
import { docsOf, emptyIndex, indexOf, keysOf, randomFrom } from "./texts.ts";

const MAX_INDEXED_BYTES = 64 * 1024 * 1024;
const MAX_DOCUMENT_UNITS = 256 * 1024;

/** What is found for each of some words. */
async function foundBy(index: SearchIndex<Doc>, words: string): Promise<string[]> {
  const found: string[] = [];
  for (const word of words.split(" ")) found.push((await keysOf(index, word)).join(" "));
  return found;
}

test("update() reads only what changed, and removes what is gone", async () => {
  const texts: Record<string, string> = { one: "# 1\n\nfirst", two: "# 2\n\nsecond", three: "# 3\n\nthird" };
  const read: string[] = [];
  const index = emptyIndex((key) => {
    read.push(key);
    return texts[key];
  });
  await index.update(docsOf(texts));
  assert.deepEqual(read.splice(0), ["one", "three", "two"]);
  texts["two"] = "# Two\n\nfourth";
  delete texts["three"];
  texts["new"] = "# New\n\nfifth";
  const docs = docsOf(texts);
  await index.update(docs);
  assert.deepEqual(read.splice(0), ["new", "two"]);
  assert.deepEqual(await foundBy(index, "first second third fourth fifth"), ["one", "", "", "two", "new"]);
  read.splice(0);
  const touched = docsOf(texts);
  for (const same of [docs, [...docs], touched]) await index.update(same);
  assert.deepEqual(read, []);
  assert.equal((await index.search("first")).hits[0]?.document, touched.find(({ key }) => key === "one"));
});

test("prepare() reads everything in the background, and an update meanwhile finishes at once", async () => {
  const words = Array.from({ length: 2000 }, (_, number) => `word${number}`).join("\n");
  const texts = Object.fromEntries(Array.from({ length: 60 }, (_, key) => [`${key}`, `# X\n\n${words}\n`]));
  const docs = docsOf(texts);
  let reads = 0;
  const open = () =>
    emptyIndex((key) => {
      reads++;
      return texts[key];
    });
  const background = open();
  let isPrepared = false;
  void background.prepare(docs, ({ key }) => key).then(() => isPrepared = true);
  // What is done in the background does not keep the process alive.
  await until("everything was read", () => isPrepared);
  reads = docs.length;
  await background.update(docs);
  assert.equal(reads, docs.length);
  assert.equal((await background.search("word7", { limit: 0 })).total, docs.length);

  const awaited = open();
  void awaited.prepare(docs, ({ key }) => key);
  await awaited.update(docs);
  assert.equal(reads, 2 * docs.length);

  const failing = emptyIndex(() => {
    throw new Error("unreadable");
  });
  void failing.prepare(docs, ({ key }) => key);
  await assert.rejects(failing.update(docs), /unreadable/);
});

test("update() is visible in one step: a search meanwhile uses the previous state", async () => {
  const texts: Record<string, string> = {};
  for (let number = 0; number < 20; number++) texts[number] = "# Old\n\nbefore";
  const seen: Promise<SearchResult<Doc>>[] = [];
  let isUpdating = false;
  const index = emptyIndex((key) => {
    if (isUpdating) seen.push(index.search("after", { limit: 0 }), index.search("old", { limit: 0 }));
    return texts[key];
  });
  await index.update(docsOf(texts));
  for (const key of Object.keys(texts)) texts[key] = "# New\n\nafter";
  isUpdating = true;
  await index.update(docsOf(texts));
  isUpdating = false;
  const totals = (await Promise.all(seen)).map(({ total }) => total);
  assert.deepEqual(totals, Array.from({ length: 20 }, () => [0, 20]).flat());
  assert.equal((await index.search("after")).total, 20);
  assert.equal((await index.search("before")).total, 0);
});

test("update() leaves the index as it was when a text cannot be read", async () => {
  const texts: Record<string, string> = { one: "# One\n\nfirst", two: "# Two\n\nsecond" };
  let isBroken = false;
  const index = emptyIndex((key) => {
    if (isBroken && key === "two") throw new Error("Cannot read it");
    return texts[key];
  });
  await index.update(docsOf(texts));
  texts["one"] = "# One\n\nthird";
  texts["two"] = "# Two\n\nfourth";
  isBroken = true;
  await assert.rejects(index.update(docsOf(texts)), /Cannot read it/);
  isBroken = false;
  assert.deepEqual(await foundBy(index, "first second third fourth"), ["one", "two", "", ""]);
  await index.update(docsOf(texts));
  assert.deepEqual(await foundBy(index, "first second third fourth"), ["", "", "one", "two"]);
});

test("update() tries again what could not be read, and says which documents have no text", async () => {
  const docs = docsOf({ one: "# One\n\nfirst" });
  const texts: Record<string, string> = {};
  const index = emptyIndex((key) => texts[key]);
  await index.update(docs);
  assert.deepEqual(index.withoutText, docs);
  assert.deepEqual(await foundBy(index, "one first"), ["one", ""]);
  texts["one"] = "# One\n\nfirst";
  await index.update(docs);
  assert.deepEqual(index.withoutText, []);
  assert.deepEqual(await foundBy(index, "one first"), ["one", "one"]);
});

test("update() ends with the latest documents when it is called several times at once", async () => {
  const read: string[] = [];
  const index = emptyIndex((key) => {
    read.push(key);
    return "# Text\n";
  });
  const keys = ["first", "second", "third", "fourth"];
  await Promise.all(keys.map((key) => index.update(docsOf({ [key]: "# Text\n" }))));
  assert.deepEqual(await keysOf(index, "text"), ["fourth"]);
  assert.ok(!read.includes("second") && !read.includes("third"), "what is outdated by then is not read");
});

test("update() forgets the words of what is gone, however many there were", async () => {
  const texts = { one: Array.from({ length: 300 }, (_, number) => `abc${number}`).join(" ") };
  const index = emptyIndex(() => texts.one);
  await index.update(docsOf(texts));
  texts.one = "# One\n\nabcdefghij\n";
  await index.update(docsOf(texts));
  assert.deepEqual(await keysOf(index, "abc"), ["one"]);
});

test("update() yields to the event loop", async () => {
  const text = `# Long\n\n${Array.from({ length: 10_000 }, (_, number) => `word${number}`).join("\n")}`;
  const texts = Object.fromEntries(Array.from({ length: 10 }, (_, number) => [`${number}`, text]));
  let turns = 0;
  let isDone = false;
  const work = indexOf(texts).then(() => void (isDone = true));
  while (!isDone) {
    turns++;
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  await work;
  assert.ok(turns > 3, `${turns} turns`);
});

const WORDS =
  ("cache caches queue queues retry read-model readModel adr-7 007 1.2.3 größe grosse 認証基盤 データ 鍵 the of " +
    "what architecture architektur architekturen").split(" ");

function randomText(random: () => number): string {
  const some = (count: number) =>
    Array.from({ length: count }, () => WORDS[Math.floor(random() * WORDS.length)]).join(" ");
  return `# ${some(3)}\n\n${some(20)}\n\n## ${some(2)}\n\n${some(Math.floor(random() * 200))}\n`;
}

test("an index that was updated again and again finds what a new one finds", async () => {
  const queries = [...WORDS, "cache queue retry", '"cache queue"', '"認証基盤"', "what is the architektur"];
  queries.push("cachs", "archi", "re");
  const isOld = ({ key }: Doc) => key.startsWith("old");
  for (let seed = 1; seed <= (IS_COMPLETE ? 4 : 1); seed++) {
    const random = randomFrom(seed);
    const texts: Record<string, string> = {};
    const index = emptyIndex((key) => texts[key]);
    for (let round = 0; round < 8; round++) {
      const edits = round === 5 ? 60 : 1 + Math.floor(random() * 6);
      for (let edit = 0; edit < edits; edit++) {
        const key = `${random() < 0.5 ? "old" : "a"}/${Math.floor(random() * 25)}`;
        if (random() < 0.3) delete texts[key];
        else texts[key] = randomText(random);
      }
      await index.update(docsOf(texts));
      if (round % 2 === 0) continue;
      const fresh = await indexOf(texts);
      for (const query of queries) {
        for (const options of [{ limit: 100 }, { limit: 3, filter: isOld }]) {
          const message = `seed ${seed}, round ${round}: ${query}`;
          assert.deepEqual(await index.search(query, options), await fresh.search(query, options), message);
        }
      }
    }
  }
});

test("an index that is changed for ever is rebuilt now and then, so that it does not grow for ever", {
  skip: !IS_COMPLETE && "in the complete run",
}, async () => {
  const random = randomFrom(1);
  const texts: Record<string, string> = {};
  let read = 0;
  const index = emptyIndex((key) => {
    read++;
    return texts[key];
  });
  for (let round = 0, rebuilt = 0, rebuilds = 0; rebuilds < 2; round++) {
    const words = Array.from({ length: 2000 }, () => `word${Math.floor(random() * 1e6)}`);
    texts[round % 5] = `# T\n\n${words.join(" ")}`;
    read = 0;
    await index.update(docsOf(texts));
    // Each round removes 2,000 words of weight 2.
    assert.ok(round - rebuilt <= 60, `rebuilt in round ${rebuilt}, and not in ${round}`);
    if (read > 1) [rebuilt, rebuilds] = [round, rebuilds + 1];
  }
});

test("update() indexes the beginning of a document that is too long", async () => {
  const index = await indexOf({ long: `# Long\n\nfirst ${"x ".repeat(MAX_DOCUMENT_UNITS / 2)} last\n` });
  assert.deepEqual(await foundBy(index, "first last"), ["long", ""]);
});

test("update() indexes only the metadata of documents that are beyond the limit in all", async () => {
  const texts: Record<string, string> = {};
  for (const name of [1, 2, 3]) texts[`a/${name}`] = `# Title\n\nneedle${name}\n`;
  const index = emptyIndex((key) => texts[key]);
  for (let fill = MAX_INDEXED_BYTES / MAX_DOCUMENT_UNITS - 2; fill > 0; fill--) texts[`A/${fill}`] = "Fill";
  const docs = docsOf(texts).map((doc) => ({ ...doc, size: MAX_DOCUMENT_UNITS }));
  await index.update(docs);
  assert.deepEqual(index.withoutText.map(({ key }) => key), ["a/3"]);
  assert.deepEqual(await foundBy(index, "needle1 needle2 needle3"), ["a/1", "a/2", ""]);
  assert.ok((await keysOf(index, "a")).includes("a/3"), "its key is its title");
  // When there is space again, the text is indexed, although it did not change.
  await index.update(docs.slice(1));
  assert.deepEqual(index.withoutText, []);
  assert.deepEqual(await foundBy(index, "needle1 needle2 needle3"), ["a/1", "a/2", "a/3"]);
});
