import assert from "node:assert/strict";
import { test } from "node:test";
import type { Hit } from "../../lib/search/mod.ts";
import type { Doc } from "./texts.ts";
import { Corpus, FILLER, indexOf, said } from "./texts.ts";

const MAX_EXCERPT = 240;

/** The first hit of a search in some texts. */
async function first(texts: Readonly<Record<string, string>>, query: string): Promise<Hit<Doc>> {
  const { hits } = await (await indexOf(texts)).search(query);
  assert.ok(hits[0], query);
  return hits[0];
}

const MESSAGING = `# Messaging

About messages.

## Ordering

Messages may arrive in any order.

## Retries

First paragraph about something.

A message is retried
five times, then it goes to the dead-letter queue.

## Retries

The same heading again.
`;
const PHRASES =
  "# One\n\n## First\n\nAll of it is golden\n\npath, and a path that is golden.\n\n## Second\n\nA golden path.\n";
const ROLLBACK = "# One\n\nLead.\n\n## Rollback\n\nDo it the other way round.\n\n## Empty\n";

const RETRIED = "A message is retried five times, then it goes to the dead-letter queue.";
const DESCRIBED = "description: What it is about.\n\n# Resilience\n\nOther text.\n";
/** A text and a query, and the section, the line and the excerpt that are shown. */
const PASSAGES: readonly (readonly [string, string, string | undefined, number, string?])[] = [
  [MESSAGING, "how often is a message retried, dead-letter queue", "retries-8", 14, RETRIED],
  [MESSAGING, "same heading again", "retries-15", 18, "The same heading again."],
  [MESSAGING, "about messages", undefined, 3, "About messages."],
  [PHRASES, "golden path", "first-2", 7],
  [PHRASES, '"golden path"', "second-8", 11, "A golden path."],
  [ROLLBACK, "rollback", "rollback-4", 5, "Do it the other way round."],
  [ROLLBACK, "empty", "empty-8", 9, "Empty"],
  [DESCRIBED, "resilience", undefined, 3, "What it is about."],
  ["\n# Resilience\n\nOther text.\n", "resilience", undefined, 2, "Other text."],
];

test("search() shows the best section, line and excerpt of a document", async () => {
  for (const [text, query, section, line, excerpt] of PASSAGES) {
    const hit = await first({ a: text, b: said("") }, query);
    assert.deepEqual([hit.section?.slug, hit.line], [section, line], query);
    if (excerpt !== undefined) assert.equal(hit.excerpt, excerpt, query);
    assert.ok(hit.score > 0);
  }
});

test("search() names the matches that are worth it, in the order of the query", async () => {
  const { matches } = await first({ a: MESSAGING, b: said("") }, "how often is a message retried");
  assert.deepEqual(matches.find(({ term }) => term === "message"), {
    term: "message",
    kind: "exact",
    found: ["message", "messaging", "messages"],
    fields: ["title", "body"],
  });
  const texts = {
    ja: "# 認証基盤\n\nこれを使う。\n",
    en: said("The cotton and the needle.", "The"),
    ...Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`${index}`, `# The\n\nThe ${FILLER}\n`])),
  };
  assert.deepEqual((await first(texts, "認証基盤")).matches, [
    { term: "認証基盤", kind: "exact", found: ["認証基盤"], fields: ["title"] },
  ]);
  assert.deepEqual((await first(texts, "the needles of cotton")).matches, [
    { term: "needles", kind: "form", found: ["needle"], fields: ["body"] },
    { term: "cotton", kind: "exact", found: ["cotton"], fields: ["body"] },
  ]);
});

const MANY = Array.from({ length: 400 }, (_, index) => `filler${index}`).join(" ");
const IDENTIFIER = `${MANY} the readModel of größeren things ${MANY}`;
const EMOJI = "😀".repeat(900);
const LIST = "- first button\n- second button\n> quoted button\n1. numbered button";
const INVISIBLE = "A\u202e thread\u0007 of\u200b cotton\ttwine\u2028here\ud800 \u001b[31mred";
const EXCERPTS: readonly (readonly [name: string, text: string, query: string, excerpt: RegExp])[] = [
  [
    "around the match",
    `${MANY} my **needle** in [a haystack](https://x) ${MANY}`,
    "needle",
    /^….* my needle in a haystack .*…$/,
  ],
  ["around a part of an identifier", IDENTIFIER, "model", /^….* the readModel of .*…$/],
  ["around a word with accents", IDENTIFIER, "grosseren", /^….* of größeren things .*…$/],
  [
    "around pairs",
    `${"あいうえお".repeat(200)}認証基盤${"かきくけこ".repeat(200)}`,
    "認証基盤",
    /^….*認証基盤.*…$/,
  ],
  ["without invisible characters", INVISIBLE, "cotton", /^A thread of cotton twine here\ufffd \[31mred$/],
  ["without marks of lists", LIST, "button", /^first button second button quoted button numbered button$/],
  ["with whole characters", `${EMOJI} thimble ${EMOJI}`, "thimble", /thimble/],
  ["with whole characters at odd places", `x${EMOJI} thimble ${EMOJI}`, "thimble", /thimble/],
];

for (const [name, text, query, expected] of EXCERPTS) {
  test(`search() cuts excerpts ${name}`, async () => {
    const { excerpt } = await first({ a: `# One\n\n${text}\n` }, query);
    assert.match(excerpt, expected);
    assert.ok(excerpt.length <= MAX_EXCERPT && excerpt.isWellFormed(), excerpt);
    assert.doesNotMatch(excerpt, /[\p{Cc}\u2028\u202e]/u);
  });
}

test("search() shows the description of a document that cannot be read any more", async () => {
  const corpus = new Corpus({ a: "description: The needle.\n# One\n\nThe needle.\n" });
  const { index, texts } = await corpus.update();
  delete texts["a"];
  const [hit] = (await index.search("needle")).hits;
  assert.deepEqual([hit?.document.key, hit?.excerpt], ["a", "The needle."]);
});
