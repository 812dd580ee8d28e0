import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../fuzz/random.ts";
import { cpuNow } from "../harness/process.ts";
import { indexOf } from "./texts.ts";

/** How long a search may take, in milliseconds: a hundred times what the largest query here takes. */
const LONG_MS = 2000;
const MAX_EXCERPT = 240;
const MAX_DOCUMENT_UNITS = 256 * 1024;

const random = new Random(11);
const pick = (characters: string, length: number): string =>
  Array.from({ length }, () => random.pick([...characters])).join("");

const HOSTILE: Readonly<Record<string, string>> = {
  "100 kB of words": Array.from({ length: 20_000 }, (_, index) => `w${index}`).join(" "),
  "100 kB of one word": "a".repeat(100_000),
  "100 kB of one word again and again": "cache ".repeat(20_000),
  "100 kB of parts": "a-".repeat(50_000),
  "100 kB of humps": "aB".repeat(50_000),
  "100 kB of a version": "1.".repeat(50_000),
  "a million quotes": '"'.repeat(1_000_000),
  "a million quoted letters": '"a" '.repeat(250_000),
  "a phrase of one letter": `"${"a ".repeat(50_000)}"`,
  "only punctuation": "!?-_.:;,".repeat(10_000),
  "lone surrogates": "\ud800\udc00\udfff\ud800".repeat(10_000),
  "marks upon marks": "a" + "\u0301".repeat(100_000),
  "a character that folds to many": "\ufdfa".repeat(30_000),
  "100 kB of Chinese": "认证".repeat(50_000),
  "zeros": "0".repeat(100_000),
  "spaces": " \t\n".repeat(30_000),
  "control characters": "\u0000\u001b[31m\u202e".repeat(10_000),
  "names of members": '__proto__ constructor toString hasOwnProperty "__proto__" valueOf',
  "regular expressions": '(a+)+$ [[:alpha:]]* .*.*.*=.* \\ "[a]" "^]"',
  "any characters": pick('aB1-_.#+"“ \n\u00ad\u0301\u3099が認𠮷😀\ud800\ud842\udfb7\u200bßİﬁ\u0e33', 100_000),
};

const TEXTS = {
  one: "# Cache\n\nA cache of 认证 and constructor `__proto__`, w1 w2 w3 a b c 1.2.3 aB.\n",
  two: "# Two\n\nSomething else.\n",
};

for (const [name, text] of Object.entries(HOSTILE)) {
  test(`search() handles ${name} in a query and in a document within bounds`, async () => {
    const index = await indexOf(TEXTS);
    const start = cpuNow();
    const first = await index.search(text);
    assert.ok(cpuNow() - start < LONG_MS);
    assert.ok(first.total <= 2);
    assert.deepEqual(await index.search(text), first);

    const restart = cpuNow();
    const hostile = await indexOf({ ...TEXTS, hostile: `# Hostile\n\n${text}\n` });
    const found = [first, await hostile.search("hostile cache 认证"), await hostile.search('"a a" a')];
    assert.ok(cpuNow() - restart < LONG_MS);
    for (const { excerpt } of found.flatMap(({ hits }) => hits)) {
      assert.ok(excerpt.length <= MAX_EXCERPT && excerpt.isWellFormed());
      assert.doesNotMatch(excerpt, /\p{Cc}/u);
    }
  });
}

test("search() finds the same text again, whatever its characters are", async () => {
  for (let round = 0; round < 300; round++) {
    const text = `needle ${pick("aB1-_.#+ ßがか\u3099認𠮷😀\ud842\udfb7İﬁ\u0e33", 30)}`;
    const [hit] = (await (await indexOf({ a: text, b: "other" })).search(text)).hits;
    assert.equal(hit?.document.key, "a", JSON.stringify(text));
    assert.ok(hit.matches.every(({ term, found }) => term !== "" && found.length > 0), JSON.stringify(text));
  }
});

test("search() reads the largest documents for its snippets within bounds", async () => {
  const lines = Array.from(
    { length: MAX_DOCUMENT_UNITS / 8 },
    (_, index) => index % 9 === 0 ? "## cache" : "cache it",
  );
  const long = "cache ".repeat(MAX_DOCUMENT_UNITS / 6);
  const texts = Array.from({ length: 10 }, (_, index) => [`${index}`, index % 2 ? long : lines.join("\n")]);
  const index = await indexOf(Object.fromEntries(texts));
  const start = cpuNow();
  assert.equal((await index.search("cache it")).hits.length, 10);
  assert.ok(cpuNow() - start < 10 * LONG_MS);
});

test("search() yields after each lookup in the indexed words, and ends soon after its signal is aborted", async (t) => {
  const letter = (digit: string) => String.fromCharCode(97 + parseInt(digit, 26));
  const words = Array.from(
    { length: 3000 },
    (_, index) => `connect${index.toString(26).replace(/./g, letter)}`,
  );
  const index = await indexOf({ ...TEXTS, many: `# Many\n\n${words.join(" ")}\n` });
  // Each look at the clock is one step of the work, and ends a slice.
  let steps = 0;
  t.mock.method(performance, "now", () => 1000 * steps++);
  const found = await index.search("connect");
  assert.equal(found.total, 1);
  assert.ok(steps >= 5, `${steps} steps`);
  const reason = new Error("enough");
  for (const query of ["connect", "connecting", "connecti con", '"connect"', "connekt"]) {
    steps = 0;
    const controller = new AbortController();
    const searching = index.search(query, { signal: controller.signal });
    controller.abort(reason);
    await assert.rejects(searching, reason, query);
    assert.ok(steps < 10, `${query}: ${steps} steps`);
  }
  assert.deepEqual(await index.search("connect", { signal: new AbortController().signal }), found);
});
