import assert from "node:assert/strict";
import { test } from "node:test";
import type { SearchResult } from "../../lib/search/mod.ts";
import type { Doc } from "./texts.ts";
import { MAX_LIMIT } from "../../lib/search/mod.ts";
import { docsOf, emptyIndex, holdersOf, indexOf, keysOf } from "./texts.ts";

const FILLER = "Something else altogether stands here, so that there is more than one text.";
const MAX_QUERY_TERMS = 48;
const NOTHING: SearchResult<Doc> = { hits: [], total: 0, asWords: [] };

test("search() finds nothing before the first update, and nothing for a query without a word", async () => {
  assert.deepEqual(await emptyIndex(() => "text").search("anything"), NOTHING);
  const index = await indexOf({ a: "# One\n\nText\n" });
  for (const query of ["", "   ", "?!", '""', "---"]) {
    assert.deepEqual(await index.search(query), NOTHING, query);
  }
});

test("search() ranks a word in the title before one in a heading before one in the text", async () => {
  const index = await indexOf({
    "1-text": `# Other\n\n## Part\n\nWrite about caching here. ${FILLER}\n`,
    "2-heading": `# Other\n\n## Caching\n\nWrite about it here. ${FILLER}\n`,
    "3-title": `# Caching\n\n## Part\n\nWrite about it here. ${FILLER}\n`,
    none: `# Other\n\n${FILLER}\n`,
  });
  assert.deepEqual(await keysOf(index, "caching"), ["3-title", "2-heading", "1-text"]);
});

test("search() takes any word of the query, and documents with more of them come first", async () => {
  const index = await indexOf({
    both: `# X\n\nA retry and a timeout. ${FILLER}\n`,
    one: `# X\n\nA retry and a retry. ${FILLER}\n`,
    other: `# X\n\nA fallback and a timeout. ${FILLER}\n`,
    none: `# X\n\n${FILLER}\n`,
  });
  const { hits, total } = await index.search("retry timeout");
  assert.equal(hits[0]?.document.key, "both");
  assert.equal(total, 3);
});

test("search() applies the boost of a document", async () => {
  const index = await indexOf({
    "old/queues": "# Queues\n\nWe use queues.\n",
    queues: "# Queues\n\nWe use queues.\n",
  });
  const [first, second] = (await index.search("queues")).hits;
  assert.equal(first?.document.key, "queues");
  assert.equal(second?.score, first.score / 2);
});

test("search() weighs a word by its own rarity, not by that of words that start with it", async () => {
  const many = Array.from({ length: 10 }, (_, index) => [`${index}`, `# X\n\nconfig ${FILLER}\n`]);
  const index = await indexOf({
    con: `# X\n\ncon ${FILLER}\n`,
    "zebra-1": `# X\n\nzebra ${FILLER}\n`,
    "zebra-2": `# X\n\nzebra ${FILLER}\n`,
    ...Object.fromEntries(many),
  });
  assert.equal((await keysOf(index, "con zebra"))[0], "con");
});

test("search() weighs the words of a question less than what is asked", async () => {
  const others = Array.from({ length: 8 }, (_, index) => [`${index}`, `# X\n\n${FILLER}\n`]);
  const index = await indexOf({
    asks: `# Questions\n\nHow is it done, and what does that do? ${FILLER}\n`,
    answers: `# Answers\n\nRotate a password. ${FILLER}\n`,
    ...Object.fromEntries(others),
  });
  assert.equal((await keysOf(index, "how do I rotate what is secret"))[0], "answers");
  assert.equal((await keysOf(index, "what"))[0], "asks");
});

test("search() requires phrases in double quotes, across lines but not across paragraphs", async () => {
  const long = Array.from({ length: 100 }, (_, index) => `word${index}`);
  const longer = [
    ...Array.from({ length: MAX_QUERY_TERMS + 2 }, (_, index) => `item${index}`),
    "item0 item1 and the end",
  ];
  const japanese =
    "処理を局所的なトランザクションの連なりに分け、失敗したときは補償処理を逆順に実行する。進行状態は調整役が永続化する。";
  const index = await indexOf({
    phrase: "# One\n\nThere is one golden\npath through the code.\n",
    words: "# Two\n\nThe path is golden, and the golden door has a path.\n",
    apart: "# Three\n\nAll is golden\n\npath and all.\n",
    long: `# Four\n\n${long.join(" ")}\n`,
    turned: `# Five\n\n${long.toReversed().join(" ")}\n`,
    longer: `# Six\n\n${longer.join(" ")}\n`,
    "longer-turned": `# Seven\n\n${longer.join(" ").split(" ").reverse().join(" ")}\n`,
    ja: "# 三\n\n共通の認証基盤に任せる。\n",
    "ja-apart": "# 四\n\n認証はある。証基もある。基盤もある。\n",
    "ja-long": `# 五\n\n${japanese}\n`,
    "ja-long-apart": `# 六\n\n${japanese.replaceAll("の", "の、")}\n`,
    adr: "# Eight\n\nSee ADR-007 for it.\n",
  });
  for (
    const [query, expected] of [
      ["golden path", ["apart", "phrase", "words"]],
      ['"golden path', ["apart", "phrase", "words"]],
      ['"golden path"', ["phrase"]],
      ["“golden path”", ["phrase"]],
      ['"golden path" "one golden"', ["phrase"]],
      ['"path golden"', []],
      // No expansion within phrases.
      ['"goldn path"', []],
      ['"door"', ["words"]],
      ['"doors"', []],
      // Longer than what is checked at once, and than what is searched.
      [`"${long.slice(0, 40).join(" ")}"`, ["long"]],
      [`"${longer.join(" ")}"`, ["longer"]],
      [`"${longer.join(" ")}" "item0 item1"`, ["longer"]],
      [`"${longer.join(" ")}" "item1 item0"`, []],
      ['"認証基盤"', ["ja"]],
      [`"${japanese}"`, ["ja-long"]],
      ['"鍵"', []],
      ['"see adr 7"', ["adr"]],
    ] as const
  ) assert.deepEqual((await holdersOf(index, query)).toSorted(), expected, query);
});

test("search() takes a phrase that no searched document holds as words, and says so", async () => {
  const index = await indexOf({
    one: "# One\n\nThere is one golden path through the codes.\n",
    two: "# Two\n\nThe path is golden.\n",
    three: "# Three\n\nSomething else.\n",
  });
  const isTwo = ({ key }: Doc) => key === "two";
  for (
    const [query, keys, asWords, filter] of [
      ['"golden path"', ["one"], []],
      ['"golden path" else', ["one"], []],
      ['"golden path"', ["two"], ["golden path"], isTwo],
      ['"path code"', ["one", "two"], ["path code"]],
      ['"goldn path"', ["one", "two"], ["goldn path"]],
      ['"golden path" "is golden"', ["one", "two"], ["golden path", "is golden"]],
      ['"is golden" "golden path" "no such"', ["one", "two"], ["is golden", "golden path", "no such"]],
      ['"golden path" "no such"', ["one"], ["no such"]],
      ['"zebra crossing"', [], ["zebra crossing"]],
    ] as const
  ) {
    const found = await index.search(query, { filter });
    assert.deepEqual(found.hits.map(({ document }) => document.key).toSorted(), keys, query);
    assert.deepEqual(found.asWords, asWords, query);
  }
});

test("search() ranks words that stand as in the query before the same words apart", async () => {
  const index = await indexOf({
    apart: `# X\n\nA message is sent; some reader takes it from the queue. ${FILLER}\n`,
    together: `# X\n\nA message queue is read; some sender fills it for that. ${FILLER}\n`,
    none: `# X\n\n${FILLER}\n`,
  });
  assert.deepEqual(await keysOf(index, "message queue"), ["together", "apart"]);
});

test("search() lifts documents with words that the best hits have in common, and finds no others by them", async () => {
  const others = Array.from({ length: 40 }, (_, at) => [`x${at}`, `# Page ${at}\n\n${FILLER}\n`]);
  const index = await indexOf({
    ...Object.fromEntries(others),
    "best-1": "# Saga\n\nA saga runs compensation for each step.\n",
    "best-2": "# Saga log\n\nThe saga records its compensation.\n",
    "best-3": "# Saga test\n\nTest the compensation of a saga.\n",
    "a-poor": "# Story\n\nAn old saga about some castle and king.\n",
    "b-rich": "# Story\n\nAn old saga about some compensation and king.\n",
    "only": "# Steps\n\nCompensation for all.\n",
  });
  assert.deepEqual((await keysOf(index, "saga")).slice(3), ["b-rich", "a-poor"]);
});

test("search() reads no more of a query than it may", async () => {
  const many = Array.from({ length: 100 }, (_, index) => `word${index}x`);
  const index = await indexOf(Object.fromEntries(many.map((word) => [word, `# X\n\n${word}\n`])));
  assert.equal((await index.search(many.join(" "))).total, MAX_QUERY_TERMS);
  assert.equal((await index.search(`${"a ".repeat(2048)}${many[0]}`)).total, 0);
  // The ninth phrase is taken as words.
  const phrases = await indexOf({ a: `# X\n\n${"a b ".repeat(9)} c` });
  assert.deepEqual((await phrases.search(`${'"a b" '.repeat(8)} "b c a"`)).asWords, []);
  assert.deepEqual((await phrases.search(`${'"a b" '.repeat(7)} "b c a"`)).asWords, ["b c a"]);
});

test("search() gives no more hits than the limit, always in the same order", async () => {
  const texts = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [`${index}`, "# Same\n\nThe same text.\n"]),
  );
  const index = await indexOf(texts);
  const all = await keysOf(index, "same", { limit: 30 });
  assert.deepEqual(all, Object.keys(texts).sort());
  assert.deepEqual(await keysOf(index, "same"), all.slice(0, 10));
  assert.deepEqual(await keysOf(index, "same", { limit: 3 }), all.slice(0, 3));
  assert.deepEqual(await index.search("same", { limit: 0 }), { hits: [], total: 30, asWords: [] });
  const isOdd = ({ key }: Doc) => Number(key) % 2 === 1;
  assert.deepEqual(await keysOf(index, "same", { limit: 2, filter: isOdd }), ["1", "11"]);
  assert.equal((await index.search("same", { limit: MAX_LIMIT, filter: isOdd })).total, 15);
  for (const limit of [-1, 1.5, NaN, Infinity, MAX_LIMIT + 1]) {
    await assert.rejects(index.search("same", { limit }), RangeError, String(limit));
  }
});

test("search() scores a document alike whatever the history of the index is", async () => {
  const texts = { 1: "# One\n\nqueue", 2: "# Two\n\nqueue queue", 3: "# Three\n\nno" };
  const docs = docsOf(texts);
  const other = emptyIndex((key) => texts[key as unknown as 1]);
  for (const from of [2, 1, 0]) await other.update(docs.slice(from));
  assert.deepEqual(await other.search("queue"), await (await indexOf(texts)).search("queue"));
});

test("search() finds the document with the query as its title first, however frequent its words are", async () => {
  const others = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [
    `other-${index}`,
    `# Gateway ${index}\n\nThe tools, using the tools, the tools that are using tools. Gateway operations serve.\n`,
  ]));
  const index = await indexOf({ ...others, guide: `# 7. Using the tools\n\n${FILLER.repeat(40)}\n` });
  assert.equal((await keysOf(index, "using the tools"))[0], "guide");
  assert.equal((await keysOf(index, "Using the Tools!"))[0], "guide");
  assert.notEqual((await keysOf(index, "using tools"))[0], "guide");
});
