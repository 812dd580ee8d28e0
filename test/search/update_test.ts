import assert from "node:assert/strict";
import { test } from "node:test";
import type { SearchResult } from "../../lib/search/mod.ts";
import { Random } from "../fuzz/random.ts";
import { until } from "../harness/process.ts";
import { IS_COMPLETE } from "../harness/runtime.ts";
import type { Doc } from "./texts.ts";
import { Corpus, docsOf, indexOf, keysOf } from "./texts.ts";

const MAX_INDEXED_BYTES = 64 * 1024 * 1024;
const MAX_DOCUMENT_UNITS = 256 * 1024;

const words = (count: number, name = "word") =>
  Array.from({ length: count }, (_, number) => `${name}${number}`).join("\n");

/** So many texts that are the same. */
const same = (count: number, text: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, key) => [`${key}`, text]));

test("update() reads only what changed, removes what is gone, and forgets its words", async () => {
  const corpus = new Corpus({
    one: "# 1\n\nfirst",
    two: "# 2\n\nsecond",
    three: `# 3\n\n${words(300, "abc")}`,
  });
  const { texts, read, index } = await corpus.update();
  assert.deepEqual(read.splice(0), ["one", "three", "two"]);
  texts["two"] = "# Two\n\nfourth";
  delete texts["three"];
  texts["new"] = "# New\n\nabcdefghij";
  const docs = docsOf(texts);
  await index.update(docs);
  assert.deepEqual(read.splice(0), ["new", "two"]);
  assert.deepEqual(await corpus.foundBy("first second abc1 fourth abc"), ["one", "", "", "two", "new"]);
  read.splice(0);
  const touched = docsOf(texts);
  for (const same of [docs, [...docs], touched]) await index.update(same);
  assert.deepEqual(read, []);
  assert.equal((await index.search("first")).hits[0]?.document, touched.find(({ key }) => key === "one"));
});

test("publish() lets searches find what a running update has indexed so far, and what was indexed before", async () => {
  const corpus = new Corpus(same(200, `# X\n\n${words(2000)}\n`));
  const updating = corpus.index.update(docsOf(corpus.texts));
  await until("some documents were read", () => corpus.read.length > 20);
  assert.equal((await corpus.index.search("word7", { limit: 0 })).total, 0);
  const published = corpus.index.publish();
  assert.ok(published > 0 && published < 200, `${published}`);
  assert.equal((await corpus.index.search("word7", { limit: 0 })).total, published);
  await updating;
  assert.equal(corpus.index.publish(), 200);
  assert.equal((await corpus.index.search("word7", { limit: 0 })).total, 200);
  // Documents that are not reached yet are found by what they said before.
  const changed = corpus.index.update(docsOf(same(200, `# Y\n\n${words(2000, "other")}\n`)));
  corpus.index.publish();
  const [before, after] = await Promise.all(
    ["word7", "other7"].map((word) => corpus.index.search(word, { limit: 0 })),
  );
  assert.equal(before!.total + after!.total, 200);
  await changed;
});

test("prepare() reads everything in the background, and an update meanwhile finishes at once", async () => {
  const texts = same(60, `# X\n\n${words(2000)}\n`);
  const docs = docsOf(texts);
  const background = new Corpus(texts);
  let isPrepared = false;
  void background.index.prepare(docs, ({ key }) => key).then(() => isPrepared = true);
  // What is done in the background does not keep the process alive.
  await until("everything was read", () => isPrepared);
  background.read.splice(0);
  await background.index.update(docs);
  assert.deepEqual(background.read, []);
  assert.equal((await background.index.search("word7", { limit: 0 })).total, docs.length);

  const awaited = new Corpus(texts);
  void awaited.index.prepare(docs, ({ key }) => key);
  await awaited.index.update(docs);
  assert.equal(awaited.read.length, docs.length);

  const failing = new Corpus(texts);
  failing.onread = () => {
    throw new Error("unreadable");
  };
  void failing.index.prepare(docs, ({ key }) => key);
  await assert.rejects(failing.index.update(docs), /unreadable/);
});

test("update() is visible in one step: a search meanwhile uses the previous state", async () => {
  const corpus = new Corpus(same(20, "# Old\n\nbefore"));
  const { index, texts } = await corpus.update();
  const seen: Promise<SearchResult<Doc>>[] = [];
  for (const key of Object.keys(texts)) texts[key] = "# New\n\nafter";
  corpus.onread = () =>
    void seen.push(index.search("after", { limit: 0 }), index.search("old", { limit: 0 }));
  await corpus.update();
  corpus.onread = () => {};
  const totals = (await Promise.all(seen)).map(({ total }) => total);
  assert.deepEqual(totals, Array.from({ length: 20 }, () => [0, 20]).flat());
  assert.equal((await index.search("after")).total, 20);
  assert.equal((await index.search("before")).total, 0);
});

test("update() leaves the index as it was when a text cannot be read", async () => {
  const corpus = await new Corpus({ one: "# One\n\nfirst", two: "# Two\n\nsecond" }).update();
  Object.assign(corpus.texts, { one: "# One\n\nthird", two: "# Two\n\nfourth" });
  corpus.onread = (key) => {
    if (key === "two") throw new Error("Cannot read it");
  };
  await assert.rejects(corpus.update(), /Cannot read it/);
  corpus.onread = () => {};
  assert.deepEqual(await corpus.foundBy("first second third fourth"), ["one", "two", "", ""]);
  await corpus.update();
  assert.deepEqual(await corpus.foundBy("first second third fourth"), ["", "", "one", "two"]);
});

test("update() tries again what could not be read, and says which documents have no text", async () => {
  const docs = docsOf({ one: "# One\n\nfirst" });
  const corpus = new Corpus(), { index, texts } = corpus;
  await index.update(docs);
  assert.deepEqual(index.withoutText, docs);
  assert.deepEqual(await corpus.foundBy("one first"), ["one", ""]);
  texts["one"] = "# One\n\nfirst";
  await index.update(docs);
  assert.deepEqual(index.withoutText, []);
  assert.deepEqual(await corpus.foundBy("one first"), ["one", "one"]);
});

test("update() ends with the latest documents when it is called several times at once", async () => {
  const texts = Object.fromEntries(["first", "second", "third", "fourth"].map((key) => [key, "# Text\n"]));
  const { index, read } = new Corpus(texts);
  await Promise.all(docsOf(texts).map((doc) => index.update([doc])));
  assert.deepEqual(await keysOf(index, "text"), ["third"]);
  assert.ok(!read.includes("fourth") && !read.includes("second"), "what is outdated by then is not read");
});

test("update() yields to the event loop", async () => {
  let turns = 0;
  let isDone = false;
  const work = indexOf(same(10, `# Long\n\n${words(10_000)}`)).then(() => void (isDone = true));
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

function randomText(random: Random): string {
  const some = (count: number) => Array.from({ length: count }, () => random.pick(WORDS)).join(" ");
  return `# ${some(3)}\n\n${some(20)}\n\n## ${some(2)}\n\n${some(random.below(200))}\n`;
}

test("an index that was updated again and again finds what a new one finds", async () => {
  const queries = [...WORDS, "cache queue retry", '"cache queue"', '"認証基盤"', "what is the architektur"];
  queries.push("cachs", "archi", "re");
  const isOld = ({ key }: Doc) => key.startsWith("old");
  for (let seed = 1; seed <= (IS_COMPLETE ? 4 : 1); seed++) {
    const random = new Random(seed);
    const corpus = new Corpus(), { texts } = corpus;
    for (let round = 0; round < 8; round++) {
      const edits = round === 5 ? 60 : random.between(1, 6);
      for (let edit = 0; edit < edits; edit++) {
        const key = `${random.chance(0.5) ? "old" : "a"}/${random.below(25)}`;
        if (random.chance(0.3)) delete texts[key];
        else texts[key] = randomText(random);
      }
      await corpus.update();
      if (round % 2 === 0) continue;
      const fresh = await indexOf(texts);
      for (const query of queries) {
        for (const options of [{ limit: 100 }, { limit: 3, filter: isOld }]) {
          const message = `seed ${seed}, round ${round}: ${query}`;
          const found = await corpus.index.search(query, options);
          assert.deepEqual(found, await fresh.search(query, options), message);
        }
      }
    }
  }
});

test("an index that is changed for ever is rebuilt now and then, so that it does not grow for ever", {
  skip: !IS_COMPLETE && "in the complete run",
}, async () => {
  const random = new Random(1);
  const corpus = new Corpus();
  for (let round = 0, rebuilt = 0, rebuilds = 0; rebuilds < 2; round++) {
    const words = Array.from({ length: 2000 }, () => `word${random.below(1e6)}`);
    corpus.texts[round % 5] = `# T\n\n${words.join(" ")}`;
    corpus.read.length = 0;
    await corpus.update();
    // Each round removes 2,000 words of weight 2.
    assert.ok(round - rebuilt <= 60, `rebuilt in round ${rebuilt}, and not in ${round}`);
    if (corpus.read.length > 1) [rebuilt, rebuilds] = [round, rebuilds + 1];
  }
});

test("update() indexes the beginning of a document that is too long", async () => {
  const corpus = new Corpus({ long: `# Long\n\nfirst ${"x ".repeat(MAX_DOCUMENT_UNITS / 2)} last\n` });
  assert.deepEqual(await (await corpus.update()).foundBy("first last"), ["long", ""]);
});

test("update() indexes only the metadata of documents that are beyond the limit in all", async () => {
  const corpus = new Corpus(), { texts, index } = corpus;
  for (const name of [1, 2, 3]) texts[`a/${name}`] = `# Title\n\nneedle${name}\n`;
  for (let fill = MAX_INDEXED_BYTES / MAX_DOCUMENT_UNITS - 2; fill > 0; fill--) texts[`A/${fill}`] = "Fill";
  const docs = docsOf(texts).map((doc) => ({ ...doc, size: MAX_DOCUMENT_UNITS }));
  await index.update(docs);
  assert.deepEqual(index.withoutText.map(({ key }) => key), ["a/3"]);
  assert.deepEqual(await corpus.foundBy("needle1 needle2 needle3"), ["a/1", "a/2", ""]);
  assert.ok((await keysOf(index, "a")).includes("a/3"), "its key is its title");
  // When there is space again, the text is indexed, although it did not change.
  await index.update(docs.slice(1));
  assert.deepEqual(index.withoutText, []);
  assert.deepEqual(await corpus.foundBy("needle1 needle2 needle3"), ["a/1", "a/2", "a/3"]);
});
