import assert from "node:assert/strict";
import { test } from "node:test";
import type { SearchResult } from "../../lib/search/mod.ts";
import type { Doc, Texts } from "./texts.ts";
import { Corpus, FILLER, holdersOf, indexOf, keysOf, said } from "./texts.ts";

const MAX_QUERY_TERMS = 400;
const NOTHING: SearchResult<Doc> = { hits: [], total: 0, asWords: [] };

test("search() finds nothing before the first update, and nothing for a query without a word", async () => {
  assert.deepEqual(await new Corpus({ a: "anything" }).index.search("anything"), NOTHING);
  const index = await indexOf({ a: "# One\n\nText\n" });
  for (const query of ["", "   ", "?!", '""', "---"]) {
    assert.deepEqual(await index.search(query), NOTHING, query);
  }
});

const many = (count: number, text: string, title?: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${index}`, said(text, title)]));

const QUESTIONS: Texts = {
  asks: said("How is it done, and what does that do?", "Questions"),
  answers: said("Rotate a password.", "Answers"),
  ...many(8, ""),
};
const TOOLS: Texts = {
  ...many(
    12,
    "The tools, using the tools, the tools that are using tools. Gateway operations serve.",
    "Gateway",
  ),
  guide: said(FILLER.repeat(40), "7. Using the tools"),
};
/** What comes first, a query, the keys that it finds (the first ones, where there are many), and the texts. */
const RANKINGS: readonly (readonly [name: string, query: string, keys: string, texts: Texts])[] = [
  [
    "a word in the title before one in a heading before one in the text",
    "caching",
    "3-title 2-heading 1-text",
    {
      "1-text": said("## Part\n\nWrite about caching here.", "Other"),
      "2-heading": said("## Caching\n\nWrite about it here.", "Other"),
      "3-title": said("## Part\n\nWrite about it here.", "Caching"),
      none: said("", "Other"),
    },
  ],
  ["a document with more words of the query before one with any of them", "retry timeout", "both one other", {
    both: said("A retry and a timeout."),
    one: said("A retry and a retry."),
    other: said("A fallback and a timeout."),
    none: said(""),
  }],
  ["a rare word, though many words start with it", "con zebra", "con …", {
    con: said("con"),
    "zebra-1": said("zebra"),
    "zebra-2": said("zebra"),
    ...many(10, "config"),
  }],
  [
    "what is asked before the words of the question",
    "how do I rotate what is secret",
    "answers …",
    QUESTIONS,
  ],
  ["a word of a question where nothing else is asked", "what", "asks …", QUESTIONS],
  ["words that stand as in the query before the same words apart", "message queue", "together apart", {
    apart: said("A message is sent; some reader takes it from the queue."),
    together: said("A message queue is read; some sender fills it for that."),
    none: said(""),
  }],
  [
    "documents with words that the best hits have in common, and no others by them",
    "saga",
    "1 2 3 b-rich a-poor",
    {
      ...many(40, "", "Page"),
      1: "# Saga\n\nA saga runs compensation for each step.\n",
      2: "# Saga log\n\nThe saga records its compensation.\n",
      3: "# Saga test\n\nTest the compensation of a saga.\n",
      "a-poor": "# Story\n\nAn old saga about some castle and king.\n",
      "b-rich": "# Story\n\nAn old saga about some compensation and king.\n",
      only: "# Steps\n\nCompensation for all.\n",
    },
  ],
  [
    "the document with the query as its title, however frequent its words are",
    "Using the Tools!",
    "guide …",
    TOOLS,
  ],
  ["the document with two words joined that the query has apart", "api server", "joined 0 1 …", {
    joined: said("The apiserver answers."),
    ...many(8, "A server."),
  }],
];

for (const [name, query, keys, texts] of RANKINGS) {
  test(`search() finds first ${name}`, async () => {
    const found = (await keysOf(await indexOf(texts), query)).join(" ");
    assert.equal(keys.endsWith("…") ? `${found.slice(0, keys.length - 1)}…` : found, keys);
  });
}

test("search() applies the boost of a document", async () => {
  const [first, second] =
    (await (await indexOf({ "old/a": said("queues"), a: said("queues") })).search("queues")).hits;
  assert.deepEqual([first?.document.key, second?.score], ["a", first!.score / 2]);
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

test("search() reads no more of a query than it may", async () => {
  const many = Array.from({ length: MAX_QUERY_TERMS + 50 }, (_, index) => `w${index}x`);
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
  assert.equal((await index.search("same", { limit: 100, filter: isOdd })).total, 15);
});
