import assert from "node:assert/strict";
import { test } from "node:test";
import { writeFileSync } from "node:fs";
import type { Document } from "../../lib/documents/catalogue.ts";
import type { SearchResult } from "../../lib/documents/search.ts";
import { Catalogue } from "../../lib/documents/catalogue.ts";
import { MAX_INDEXED_BYTES, SearchIndex } from "../../lib/documents/search.ts";
import { DocumentStore } from "../../lib/documents/store.ts";
import { MAX_DOCUMENT_UNITS } from "../../lib/documents/search_text.ts";
import { catalogueOf, indexOf, keysOf, randomFrom } from "./search_shelf.ts";
import { files, makeRoot } from "./stores.ts";

/** What is found for each of some words. */
async function foundBy(index: SearchIndex, ...words: string[]): Promise<string[][]> {
  const found: string[][] = [];
  for (const word of words) found.push(await keysOf(index, word));
  return found;
}

test("update() reads only what changed, and takes out what is gone", async () => {
  const texts = new Map([["a/one", "# One\n\nfirst"], ["a/two", "# Two\n\nsecond"], [
    "a/three",
    "# Three\n\nthird",
  ]]);
  const read: string[] = [];
  const index = new SearchIndex(({ key }) => {
    read.push(key);
    return texts.get(key);
  });
  await index.update(catalogueOf(texts));
  assert.deepEqual(read.splice(0), ["a/one", "a/three", "a/two"]);
  texts.set("a/two", "# Two\n\nfourth");
  texts.delete("a/three");
  texts.set("a/new", "# New\n\nfifth");
  await index.update(catalogueOf(texts));
  assert.deepEqual(read.splice(0), ["a/new", "a/two"]);
  assert.deepEqual(await foundBy(index, "first", "second", "third", "fourth", "fifth"), [
    ["a/one"],
    [],
    [],
    ["a/two"],
    ["a/new"],
  ]);
  read.splice(0);
  await index.update(catalogueOf(texts));
  assert.deepEqual(read, []);
  assert.equal(index.count, 3);
});

test("update() takes the description of a document from the new catalogue when only its file was touched", async () => {
  const texts = new Map([["a/one", "# One\n\nfirst"]]);
  const index = await indexOf(texts);
  const touched = catalogueOf(texts);
  await index.update(touched);
  assert.equal((await index.search("first")).hits[0]?.document, touched.documents[0]);
});

test("update() is visible in one step: a search meanwhile answers from what was there before", async () => {
  const texts = new Map<string, string>();
  for (let number = 0; number < 20; number++) texts.set(`a/${number}`, "# Old\n\nbefore");
  const seen: Promise<SearchResult>[] = [];
  let isUpdating = false;
  const index = new SearchIndex(({ key }) => {
    if (isUpdating) seen.push(index.search("after", { limit: 0 }), index.search("old", { limit: 0 }));
    return texts.get(key);
  });
  await index.update(catalogueOf(texts));
  for (const key of texts.keys()) texts.set(key, "# New\n\nafter");
  isUpdating = true;
  await index.update(catalogueOf(texts));
  isUpdating = false;
  const totals = (await Promise.all(seen)).map(({ total }) => total);
  assert.deepEqual(totals, Array.from({ length: 20 }, () => [0, 20]).flat());
  assert.equal((await index.search("after")).total, 20);
  assert.equal((await index.search("before")).total, 0);
});

test("update() leaves the index as it was when a text cannot be read", async () => {
  const texts = new Map([["a/one", "# One\n\nfirst"], ["a/two", "# Two\n\nsecond"]]);
  let isBroken = false;
  const index = new SearchIndex(({ key }) => {
    if (isBroken && key === "a/two") throw new Error("Cannot read it");
    return texts.get(key);
  });
  await index.update(catalogueOf(texts));
  texts.set("a/one", "# One\n\nthird");
  texts.set("a/two", "# Two\n\nfourth");
  isBroken = true;
  await assert.rejects(index.update(catalogueOf(texts)), /Cannot read it/);
  isBroken = false;
  assert.deepEqual(await foundBy(index, "first", "second", "third", "fourth"), [
    ["a/one"],
    ["a/two"],
    [],
    [],
  ]);
  await index.update(catalogueOf(texts));
  assert.deepEqual(await foundBy(index, "first", "second", "third", "fourth"), [[], [], ["a/one"], [
    "a/two",
  ]]);
});

test("update() tries again what could not be read, and says of which documents it has no text", async () => {
  const texts = new Map([["a/one", "# One\n\nfirst"]]);
  const catalogue = catalogueOf(texts);
  let isThere = false;
  const index = new SearchIndex(({ key }) => isThere ? texts.get(key) : undefined);
  await index.update(catalogue);
  assert.deepEqual(index.withoutText, catalogue.documents);
  assert.deepEqual(await keysOf(index, "one"), ["a/one"]);
  assert.deepEqual(await keysOf(index, "first"), []);
  isThere = true;
  await index.update(catalogue);
  assert.deepEqual(index.withoutText, []);
  assert.deepEqual(await keysOf(index, "first"), ["a/one"]);
});

test("update() ends with the latest catalogue when it is asked for several times at once", async () => {
  const versions = ["first", "second", "third", "fourth"].map((name) => new Map([[`a/${name}`, "# One\n"]]));
  const index = new SearchIndex(() => "# One\n");
  await Promise.all(versions.map((version) => index.update(catalogueOf(version))));
  assert.deepEqual(await keysOf(index, "one"), ["a/fourth"]);
});

test("update() forgets the words of what is gone, however many there were", async () => {
  const shorter = Array.from({ length: 300 }, (_, number) => `abc${number}`).join(" ");
  const texts = new Map([["a/one", shorter]]);
  const index = new SearchIndex(({ key }) => texts.get(key));
  await index.update(catalogueOf(texts));
  texts.set("a/one", "# One\n\nabcdefghij\n");
  await index.update(catalogueOf(texts));
  assert.deepEqual(await keysOf(index, "abc"), ["a/one"]);
});

test("update() gives everything else a turn while it works", async () => {
  const text = `# Long\n\n${Array.from({ length: 20_000 }, (_, number) => `word${number}`).join("\n")}`;
  const texts = new Map(Array.from({ length: 20 }, (_, number): [string, string] => [`a/${number}`, text]));
  const index = new SearchIndex(({ key }) => texts.get(key));
  let turns = 0;
  let isDone = false;
  const work = index.update(catalogueOf(texts)).then(() => void (isDone = true));
  while (!isDone) {
    turns++;
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  await work;
  assert.ok(turns > 3, `${turns} turns`);
});

const WORDS =
  "cache caches queue queues retry read-model readModel adr-7 007 1.2.3 größe grosse 認証基盤 データ 鍵 the of what architecture architektur architekturen"
    .split(" ");

/** A text of some words, with headings, tags and statuses. */
function randomText(random: () => number): string {
  const some = (count: number) =>
    Array.from({ length: count }, () => WORDS[Math.floor(random() * WORDS.length)]).join(" ");
  const status = ["accepted", "superseded", "proposed"][Math.floor(random() * 3)];
  return `---\nstatus: ${status}\ntags: [${some(2)}]\n---\n\n# ${some(3)}\n\n${some(20)}\n\n## ${
    some(2)
  }\n\n${some(Math.floor(random() * 200))}\n`;
}

test("an index that was updated again and again finds what a new one finds", async () => {
  const queries = [
    ...WORDS,
    "cache queue retry",
    '"cache queue"',
    '"認証基盤"',
    "cachs",
    "archi",
    "what is the architektur",
    "re",
  ];
  for (let seed = 1; seed <= 3; seed++) {
    const random = randomFrom(seed);
    const texts = new Map<string, string>();
    const index = new SearchIndex(({ key }) => texts.get(key));
    for (let round = 0; round < 8; round++) {
      const edits = round === 5 ? 60 : 1 + Math.floor(random() * 6);
      for (let edit = 0; edit < edits; edit++) {
        const key = `${random() < 0.5 ? "adr" : "a"}/${Math.floor(random() * 25)}`;
        if (random() < 0.3) texts.delete(key);
        else texts.set(key, randomText(random));
      }
      const catalogue = catalogueOf(texts);
      await index.update(catalogue);
      const fresh = new SearchIndex(({ key }) => texts.get(key));
      await fresh.update(catalogue);
      for (const query of queries) {
        for (const options of [{ limit: 100 }, { limit: 3, category: "adr" }, { status: "accepted" }]) {
          assert.deepEqual(
            await index.search(query, options),
            await fresh.search(query, options),
            `seed ${seed}, round ${round}: ${query}`,
          );
        }
      }
    }
  }
});

test("an index that is changed for ever does not grow for ever", async () => {
  const random = randomFrom(1);
  const text = () =>
    `# Title\n\n${Array.from({ length: 2000 }, () => `word${Math.floor(random() * 1e6)}`).join(" ")}`;
  const texts = new Map<string, string>();
  const index = new SearchIndex(({ key }) => texts.get(key));
  const sizes: number[] = [];
  for (let round = 0; round < 150; round++) {
    texts.set(`a/${round % 5}`, text());
    await index.update(catalogueOf(texts));
    sizes.push(index.size);
  }
  assert.ok(Math.max(...sizes.slice(75)) <= Math.max(...sizes.slice(0, 75)) * 1.1);
  assert.ok(
    sizes.some((size, round) => round > 0 && size < sizes[round - 1]! / 2),
    "it is made anew now and then",
  );
});

test("update() indexes the beginning of a document that is too long", async () => {
  const filler = "x ".repeat(MAX_DOCUMENT_UNITS / 2);
  const index = await indexOf(new Map([["a/long", `# Long\n\nfirst ${filler} last\n`]]));
  assert.deepEqual(await keysOf(index, "first"), ["a/long"]);
  assert.deepEqual(await keysOf(index, "last"), []);
});

test("update() finds documents by title only where there is too much text before them", async () => {
  const texts = new Map(["1", "2", "3"].map((name) => [`a/${name}`, `# Title${name}\n\nneedle\n`]));
  const sized = (documents: readonly Document[], size: number) =>
    new Catalogue(
      documents.map((document) => ({ ...document, status: { ...document.status, size } })),
      ["a"],
      [],
    );
  const { documents } = catalogueOf(texts);
  const index = new SearchIndex(({ key }) => texts.get(key) ?? "Nothing");
  // Many that fill it up, and say nothing, come before these three.
  const count = MAX_INDEXED_BYTES / MAX_DOCUMENT_UNITS - 2;
  const fill = Array.from(
    { length: count },
    (_, number): Document => ({ ...documents[0]!, key: `A/${number}`, category: "A", title: "Fill" }),
  );
  const full = sized([...fill, ...documents], MAX_DOCUMENT_UNITS);
  await index.update(full);
  assert.deepEqual(index.withoutText.map(({ key }) => key), ["a/3"]);
  assert.deepEqual(await keysOf(index, "title3"), ["a/3"]);
  assert.deepEqual(await keysOf(index, "needle", { category: "a" }), ["a/1", "a/2"]);
  // When there is room again, the text is taken in, although it did not change.
  await index.update(sized([...fill.slice(1), ...documents], MAX_DOCUMENT_UNITS));
  assert.deepEqual(index.withoutText, []);
  assert.deepEqual(await keysOf(index, "needle", { category: "a" }), ["a/1", "a/2", "a/3"]);
});

test("update() follows a shelf whose files change", async (t) => {
  const root = makeRoot(t, { "a/one.md": "# One\n\nfirst\n", "a/two.md": "# Two\n\nsecond\n" });
  const shelf = new DocumentStore(files, { root });
  await shelf.ready();
  const index = new SearchIndex((document) => shelf.text(document));
  await index.update(shelf.catalogue);
  assert.deepEqual(await keysOf(index, "second"), ["a/two"]);
  writeFileSync(`${root}/resources/a/two.md`, "# Two\n\nquite another text\n");
  await shelf.reload();
  await index.update(shelf.catalogue);
  assert.deepEqual(await keysOf(index, "second"), []);
  assert.deepEqual(await keysOf(index, "another"), ["a/two"]);
});
