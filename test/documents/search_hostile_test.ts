import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_EXCERPT } from "../../lib/documents/excerpt.ts";
import { MAX_QUERY_UNITS, MAX_QUERY_WORDS, readQuery } from "../../lib/documents/search_query.ts";
import { MAX_DOCUMENT_UNITS } from "../../lib/documents/search_text.ts";
import { readWords } from "../../lib/documents/tokens.ts";
import { indexOf, randomFrom } from "./search_shelf.ts";

/** How long a search may take, in milliseconds: a hundred times what the largest query here takes. */
const LONG_MS = 2000;

const random = randomFrom(11);
const pick = (characters: string, length: number): string => {
  const all = Array.from(characters);
  return Array.from({ length }, () => all[Math.floor(random() * all.length)]).join("");
};

const HOSTILE: Readonly<Record<string, string>> = {
  "100 kB of words": Array.from({ length: 20_000 }, (_, index) => `w${index}`).join(" "),
  "100 kB of one word": "a".repeat(100_000),
  "100 kB of one word again and again": "cache ".repeat(20_000),
  "100 kB of parts": "a-".repeat(50_000),
  "100 kB of humps": "aB".repeat(50_000),
  "100 kB of a version": "1.".repeat(50_000),
  "a million quotes": '"'.repeat(1_000_000),
  "a million quoted letters": '"a" '.repeat(250_000),
  "only punctuation": "!?-_.:;,".repeat(10_000),
  "lone surrogates": "\ud800\udc00\udfff\ud800".repeat(10_000),
  "marks upon marks": "a" + "\u0301".repeat(100_000),
  "what has many letters in it": "\ufdfa".repeat(30_000),
  "100 kB of Chinese": "认证".repeat(50_000),
  "zeros": "0".repeat(100_000),
  "spaces": " \t\n".repeat(30_000),
  "control characters": "\u0000\u001b[31m\u202e".repeat(10_000),
  "names of members": '__proto__ constructor toString hasOwnProperty "__proto__" valueOf',
  "what looks like a pattern": "(a+)+$ [[:alpha:]]* .*.*.*=.* \\",
  "any characters": pick('aB1-_."“#+ \n\u00ad\u0301が認𠮷😀\ud800\u200bßİ', 100_000),
};

const texts = new Map([
  ["a/one", "# Cache\n\nA cache of 认证 and constructor `__proto__`, w1 w2 w3 a b c 1.2.3 aB.\n"],
  ["a/two", "# Two\n\nSomething else.\n"],
]);

for (const [name, query] of Object.entries(HOSTILE)) {
  test(`search() answers ${name} within bounds`, async () => {
    const index = await indexOf(texts);
    const start = performance.now();
    const { hits, total } = await index.search(query);
    assert.ok(performance.now() - start < LONG_MS);
    assert.ok(total <= 2);
    for (const { excerpt } of hits) assert.ok(excerpt.length <= MAX_EXCERPT);
    assert.deepEqual(await index.search(query), { hits, total });
  });

  test(`update() takes a document of ${name} within bounds`, async () => {
    const start = performance.now();
    const index = await indexOf(new Map([...texts, ["a/hostile", `# Hostile\n\n${query}\n`]]));
    const { hits } = await index.search("hostile cache 认证");
    assert.ok(performance.now() - start < LONG_MS);
    for (const { excerpt } of hits) {
      assert.ok(excerpt.length <= MAX_EXCERPT);
      assert.ok(excerpt.isWellFormed());
      assert.doesNotMatch(excerpt, /\p{Cc}/u);
    }
  });
}

test("search() finds names of members as the words that they are", async () => {
  const index = await indexOf(texts);
  assert.equal((await index.search("constructor")).total, 1);
  assert.equal((await index.search("hasOwnProperty")).total, 0);
  assert.equal((await index.search("__proto__")).total, 1);
});

test("readQuery() reads no more words than it may", () => {
  const { words, phrases } = readQuery(HOSTILE["100 kB of words"]!);
  assert.equal(words.length, MAX_QUERY_WORDS);
  assert.equal(phrases.length, 0);
  assert.equal(readQuery(`${"a ".repeat(MAX_QUERY_UNITS / 2)}needle`).words.length, 1);
  const quoted = readQuery(HOSTILE["a million quoted letters"]!);
  assert.ok(quoted.phrases.length <= 8);
});

test("readWords() stays within the text and goes forward, whatever stands there", () => {
  for (let round = 0; round < 300; round++) {
    const text = pick("aB1-_.#+ ßがか\u3099認𠮷😀\ud842\udfb7İﬁ\u0e33", 30);
    let last = 0;
    readWords(text, (word, start, end, isAside) => {
      assert.ok(word.length > 0 && start >= 0 && end <= text.length && start < end, JSON.stringify(text));
      if (isAside) return;
      assert.ok(start >= last, JSON.stringify(text));
      last = start;
    });
  }
});

test("search() reads the largest documents that there are for its passages within bounds", async () => {
  const lines = Array.from(
    { length: MAX_DOCUMENT_UNITS / 8 },
    (_, index) => index % 9 === 0 ? "## cache" : "cache it",
  );
  const long = "cache ".repeat(MAX_DOCUMENT_UNITS / 6);
  const many = new Map(
    Array.from({ length: 10 }, (_, index) => [`a/${index}`, index % 2 ? long : lines.join("\n")]),
  );
  const index = await indexOf(many);
  const start = performance.now();
  assert.equal((await index.search("cache it")).hits.length, 10);
  assert.ok(performance.now() - start < 10 * LONG_MS);
});
