import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_EXCERPT } from "../../lib/documents/excerpt.ts";
import { MAX_LIMIT, SearchIndex } from "../../lib/documents/search.ts";
import { MAX_QUERY_WORDS } from "../../lib/documents/search_query.ts";
import { catalogueOf, indexOf, keysOf, makeIndex } from "./search_shelf.ts";

const FILLER = "Something else altogether stands here, so that there is more than one text on the shelf.";

/** An index of one text for each key. */
function shelf(texts: Readonly<Record<string, string>>): Promise<SearchIndex> {
  return indexOf(new Map(Object.entries(texts)));
}

test("search() finds documents of a real shelf by words of their text", async (t) => {
  const index = await makeIndex(t, {
    "guidelines/naming.md": "# Naming\n\nName things after what they are.\n",
    "adr/007-queues.md":
      "# 7. Use queues\n\n## Status\n\nAccepted\n\n## Context\n\nCallers wait for each other.\n",
  });
  assert.deepEqual(await keysOf(index, "callers"), ["adr/007-queues"]);
  assert.deepEqual(await keysOf(index, "names of things"), ["guidelines/naming"]);
  assert.equal(index.count, 2);
});

test("search() finds nothing before the first update, and nothing for a query without a word", async () => {
  const empty = new SearchIndex(() => undefined);
  assert.deepEqual(await empty.search("anything"), { hits: [], total: 0 });
  const index = await shelf({ "a/one": "# One\n\nText\n" });
  for (const query of ["", "   ", "?!", '""', "---"]) {
    assert.deepEqual(await index.search(query), { hits: [], total: 0 }, query);
  }
});

test("search() ranks a word in the title before one in a heading before one in the text", async () => {
  const index = await shelf({
    "a/1-text": `# Other\n\n## Part\n\nWrite about caching here. ${FILLER}\n`,
    "a/2-heading": `# Other\n\n## Caching\n\nWrite about it here. ${FILLER}\n`,
    "a/3-title": `# Caching\n\n## Part\n\nWrite about it here. ${FILLER}\n`,
    "a/none": `# Other\n\n${FILLER}\n`,
  });
  assert.deepEqual(await keysOf(index, "caching"), ["a/3-title", "a/2-heading", "a/1-text"]);
});

test("search() finds tags, keywords, the description in the front matter, names of files and numbers of records", async () => {
  const index = await shelf({
    "a/one":
      "---\ntags: [resilience, timeouts]\nkeywords: bulkhead\ndescription: How to survive\n---\n\n# One\n",
    "a/strangler-fig": `# Two\n\n${FILLER}\n`,
    "adr/0042-x": `# Three\n\n${FILLER}\n`,
  });
  assert.deepEqual(await keysOf(index, "resilience"), ["a/one"]);
  assert.deepEqual(await keysOf(index, "bulkhead"), ["a/one"]);
  assert.deepEqual(await keysOf(index, "survive"), ["a/one"]);
  assert.deepEqual(await keysOf(index, "strangler"), ["a/strangler-fig"]);
  for (const query of ["ADR-42", "adr 0042", "adr-042", "42", "ADR42"]) {
    assert.deepEqual(await keysOf(index, query), ["adr/0042-x"], query);
  }
});

test("search() finds forms, beginnings and words with one typo, each after the word itself", async () => {
  const index = await shelf({
    "a/same": `# Same\n\nThe queue is here. ${FILLER}\n`,
    "a/form": `# Form\n\nThe queues are here. ${FILLER}\n`,
    "a/typo": `# Typo\n\nThe queqe are here. ${FILLER}\n`,
    "a/none": `# None\n\n${FILLER}\n`,
  });
  assert.deepEqual(await keysOf(index, "queue"), ["a/same", "a/form", "a/typo"]);
  assert.deepEqual((await keysOf(index, "queu")).slice(0, 2), ["a/form", "a/same"]);
  assert.deepEqual(await keysOf(index, "qeueu"), []);
  assert.deepEqual(await keysOf(index, "quuee"), ["a/same"]);
});

test("search() finds words that differ in case, accents and width", async () => {
  const index = await shelf({ "a/one": "# Größe\n\nＡＰＩ und Café.\n", "a/two": `# Two\n\n${FILLER}\n` });
  for (const query of ["größe", "GRÖSSE", "grosse", "api", "CAFE", "ｃａｆé"]) {
    assert.deepEqual(await keysOf(index, query), ["a/one"], query);
  }
});

test("search() finds a German word that was typed without umlauts", async () => {
  const index = await shelf({ "a/one": "# Schlüssel\n\nText\n", "a/two": `# Two\n\n${FILLER}\n` });
  assert.deepEqual(await keysOf(index, "Schluessel"), ["a/one"]);
});

test("search() takes a compound apart that nobody writes", async () => {
  const index = await shelf({
    "a/one": "# Texte\n\nDie Meldung nennt den Fehler.\n",
    "a/two": `# Two\n\n${FILLER}\n`,
  });
  const [hit] = (await index.search("Fehlermeldungen")).hits;
  assert.equal(hit?.document.key, "a/one");
  assert.deepEqual(hit.reasons, [
    { asked: "fehlermeldungen", resemblance: "part", found: ["meldung", "fehler"], fields: ["body"] },
  ]);
});

test("search() finds identifiers by their parts and joined, and parts by identifiers", async () => {
  const index = await shelf({
    "a/camel": `# One\n\nThe \`OrderListProjection\` it is. ${FILLER}\n`,
    "a/kebab": `# Two\n\nA read-model it is. ${FILLER}\n`,
  });
  assert.deepEqual(await keysOf(index, "projection"), ["a/camel"]);
  assert.deepEqual(await keysOf(index, "orderListProjection"), ["a/camel"]);
  for (const query of ["readmodel", "read_model", "readModel"]) {
    assert.equal((await keysOf(index, query))[0], "a/kebab", query);
  }
});

test("search() finds Japanese and Chinese words, and a character by itself", async () => {
  const index = await shelf({
    "a/ja": "# 認証基盤\n\n鍵の保存方法を決める。\n",
    "a/zh": "# 数据库\n\n使用分片的数据库。\n",
  });
  assert.deepEqual(await keysOf(index, "認証"), ["a/ja"]);
  assert.deepEqual(await keysOf(index, "保存"), ["a/ja"]);
  assert.deepEqual(await keysOf(index, "数据库"), ["a/zh"]);
  assert.deepEqual(await keysOf(index, "鍵"), ["a/ja"]);
  assert.deepEqual(await keysOf(index, "庫"), []);
});

test("search() takes any word of the query, and documents with more of them come first", async () => {
  const index = await shelf({
    "a/both": `# X\n\nA retry and a timeout. ${FILLER}\n`,
    "a/one": `# X\n\nA retry and a retry. ${FILLER}\n`,
    "a/other": `# X\n\nA fallback and a timeout. ${FILLER}\n`,
    "a/none": `# X\n\n${FILLER}\n`,
  });
  const { hits, total } = await index.search("retry timeout");
  assert.equal(hits[0]?.document.key, "a/both");
  assert.equal(total, 3);
});

test("search() takes a phrase in double quotes as it stands, over line ends but not over paragraphs", async () => {
  const index = await shelf({
    "a/phrase": "# One\n\nThere is one golden\npath through the house.\n",
    "a/words": "# Two\n\nThe path is golden, and the golden door has a path.\n",
    "a/apart": "# Three\n\nAll is golden\n\npath and all.\n",
  });
  assert.equal((await index.search("golden path")).total, 3);
  assert.deepEqual(await keysOf(index, '"golden path"'), ["a/phrase"]);
  assert.deepEqual(await keysOf(index, "“golden path”"), ["a/phrase"]);
  assert.deepEqual(await keysOf(index, '"golden path" "one golden"'), ["a/phrase"]);
  assert.deepEqual(await keysOf(index, '"path golden"'), []);
  assert.deepEqual(await keysOf(index, '"goldn path"'), []);
  assert.deepEqual(await keysOf(index, '"door"'), ["a/words"]);
  assert.deepEqual(await keysOf(index, '"doors"'), []);
  assert.equal((await index.search('"golden path')).total, 3);
});

test("search() finds phrases of any length, with identifiers and without spaces", async () => {
  const long = Array.from({ length: 100 }, (_, index) => `word${index}`).join(" ");
  const index = await shelf({
    "a/long": `# One\n\n${long}\n`,
    "a/turned": `# Two\n\n${long.split(" ").reverse().join(" ")}\n`,
    "a/ja": "# 三\n\n共通の認証基盤に任せる。\n",
    "a/ja-apart": "# 四\n\n認証はある。証基もある。基盤もある。\n",
    "a/adr": "# Five\n\nSee ADR-007 for it.\n",
  });
  const words = long.split(" ").slice(0, 40).join(" ");
  assert.deepEqual(await keysOf(index, `"${words}"`), ["a/long"]);
  assert.deepEqual(await keysOf(index, '"認証基盤"'), ["a/ja"]);
  assert.deepEqual(await keysOf(index, '"see adr 7"'), ["a/adr"]);
});

test("search() finds a passage that is copied in quotes, when it has more words than are looked for", async () => {
  const words = Array.from({ length: MAX_QUERY_WORDS + 2 }, (_, index) => `word${index}`);
  const passage = `${words.join(" ")} word0 word1 and the end`;
  const japanese =
    "処理を局所的なトランザクションの連なりに分け、失敗したときは補償処理を逆順に実行する。進行状態は調整役が永続化する。";
  const index = await shelf({
    "a/en": `# One\n\n${passage}\n`,
    "a/turned": `# Two\n\n${passage.split(" ").reverse().join(" ")}\n`,
    "a/ja": `# 三\n\n${japanese}\n`,
    "a/ja-apart": `# 四\n\n${japanese.replaceAll("の", "の、")}\n`,
  });
  assert.deepEqual(await keysOf(index, `"${passage}"`), ["a/en"]);
  assert.deepEqual(await keysOf(index, `"${japanese}"`), ["a/ja"]);
  assert.deepEqual(await keysOf(index, `"${passage}" "word0 word1"`), ["a/en"]);
  assert.deepEqual(await keysOf(index, `"${passage}" "word1 word0"`), []);
});

test("search() keeps to a category and a status, in any case", async () => {
  const index = await shelf({
    "adr/001-a": "# A\n\n## Status\n\nAccepted\n\n## Context\n\nQueues.\n",
    "adr/002-b": "# B\n\n## Status\n\nProposed\n\n## Context\n\nQueues.\n",
    "guidelines/c": "# C\n\nQueues.\n",
  });
  assert.equal((await index.search("queues")).total, 3);
  assert.deepEqual(await keysOf(index, "queues", { category: "guidelines" }), ["guidelines/c"]);
  assert.deepEqual(await keysOf(index, "queues", { status: "Proposed" }), ["adr/002-b"]);
  assert.deepEqual(await index.search("queues", { status: "rejected" }), { hits: [], total: 0 });
  assert.deepEqual(await index.search("queues", { category: "nowhere" }), { hits: [], total: 0 });
});

test("search() ranks down what does not hold any more, and says so", async () => {
  const record = (status: string, extra = "") =>
    `---\nstatus: ${status}\n${extra}---\n\n# Queues\n\nWe use queues.\n`;
  const index = await shelf({
    "adr/001-a": record("superseded"),
    "adr/002-b": record("deprecated"),
    "adr/003-c": record("rejected"),
    "adr/004-d": record("accepted", "superseded-by: 005-e.md\n"),
    "adr/005-e": record("accepted"),
    "adr/006-f": record("partly superseded", "superseded-by: 005-e.md\n"),
    "guidelines/superseded": "# Queues\n\nWe use queues.\n",
  });
  const { hits } = await index.search("queues");
  const holding = hits.filter(({ isOutdated }) => !isOutdated).map(({ document }) => document.key);
  assert.deepEqual(holding.toSorted(), ["adr/005-e", "adr/006-f", "guidelines/superseded"]);
  assert.ok(hits.slice(0, 3).every(({ isOutdated }) => !isOutdated));
  assert.equal(hits.length, 7);
  assert.equal(
    hits.find(({ document }) => document.key === "adr/001-a")?.document.record?.status,
    "superseded",
  );
  const superseded = await index.search("queues", { status: "superseded" });
  assert.deepEqual(superseded.hits.map(({ document }) => document.key), ["adr/001-a", "adr/004-d"]);
  const accepted = await index.search("queues", { status: "accepted" });
  assert.deepEqual(accepted.hits.map(({ document }) => document.key), ["adr/005-e"]);
});

test("search() gives no more hits than asked for, the same ones in the same order", async () => {
  const texts = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [`a/${index}`, "# Same\n\nThe same text.\n"]),
  );
  const index = await shelf(texts);
  const all = await keysOf(index, "same", { limit: 30 });
  assert.deepEqual(all, Object.keys(texts).sort());
  assert.deepEqual(await keysOf(index, "same"), all.slice(0, 10));
  assert.deepEqual(await keysOf(index, "same", { limit: 3 }), all.slice(0, 3));
  assert.deepEqual(await index.search("same", { limit: 0 }), { hits: [], total: 30 });
});

test("search() refuses a limit that is no number of hits", async () => {
  const index = await shelf({ "a/one": "# One\n" });
  for (const limit of [-1, 1.5, NaN, Infinity, MAX_LIMIT + 1]) {
    await assert.rejects(index.search("one", { limit }), RangeError, String(limit));
  }
  assert.equal((await index.search("one", { limit: MAX_LIMIT })).total, 1);
});

test("search() names the best section of a document, its line and why it was found", async () => {
  const text = [
    "---",
    "title: Messaging",
    "---",
    "# Messaging",
    "",
    "About messages.",
    "",
    "## Ordering",
    "",
    "Messages may arrive in any order.",
    "",
    "## Retries",
    "",
    "First paragraph about something.",
    "",
    "A message is retried",
    "five times, then it goes to the dead-letter queue.",
    "",
    "## Retries",
    "",
    "The same heading again.",
  ].join("\n");
  const index = await shelf({ "a/one": text, "a/two": `# Two\n\n${FILLER}\n` });
  const [hit] = (await index.search("how often is a message retried, dead-letter queue")).hits;
  assert.deepEqual(hit?.section, { title: "Retries", slug: "retries" });
  assert.equal(hit.line, 17);
  assert.equal(hit.excerpt, "A message is retried five times, then it goes to the dead-letter queue.");
  assert.ok(hit.score > 0);
  const reason = hit.reasons.find(({ asked }) => asked === "message");
  assert.deepEqual(reason, {
    asked: "message",
    resemblance: "same",
    found: ["message", "messaging", "messages"],
    fields: ["title", "body"],
  });
  const [again] = (await index.search("same heading again")).hits;
  assert.deepEqual(again?.section, { title: "Retries", slug: "retries-1" });
  const [lead] = (await index.search("about messages")).hits;
  assert.equal(lead?.section, undefined);
  assert.equal(lead?.line, 6);
});

test("search() prefers the place where a phrase stands to one with its words", async () => {
  const first = "## First\n\nAll of it is golden\n\npath, and a path that is golden.\n";
  const index = await shelf({ "a/one": `# One\n\n${first}\n## Second\n\nThe rule is a golden path.\n` });
  assert.equal((await index.search("golden path")).hits[0]?.section?.slug, "first");
  assert.equal((await index.search('"golden path"')).hits[0]?.section?.slug, "second");
});

test("search() gives reasons that say something, in the order of the query, without spaces in one piece", async () => {
  const index = await shelf({
    "a/ja": "# 認証基盤\n\nこれを使う。\n",
    "a/en": `# The\n\nThe cotton and the needle. ${FILLER}\n`,
    ...Object.fromEntries(
      Array.from({ length: 5 }, (_, index) => [`a/${index}`, `# The\n\nThe ${FILLER}\n`]),
    ),
  });
  const reasons = async (query: string) => (await index.search(query)).hits[0]?.reasons;
  assert.deepEqual(await reasons("認証基盤"), [
    { asked: "認証基盤", resemblance: "same", found: ["認証基盤"], fields: ["title"] },
  ]);
  assert.deepEqual(await reasons("the needles of cotton"), [
    { asked: "needles", resemblance: "form", found: ["needle"], fields: ["body"] },
    { asked: "cotton", resemblance: "same", found: ["cotton"], fields: ["body"] },
  ]);
});

test("search() takes a word for as rare as it is, however many begin with it", async () => {
  const index = await shelf({
    "a/con": `# X\n\ncon ${FILLER}\n`,
    ...Object.fromEntries(
      Array.from({ length: 10 }, (_, index) => [`a/${index}`, `# X\n\nconfig ${FILLER}\n`]),
    ),
    "a/zebra-1": `# X\n\nzebra ${FILLER}\n`,
    "a/zebra-2": `# X\n\nzebra ${FILLER}\n`,
  });
  assert.equal((await keysOf(index, "con zebra"))[0], "a/con");
});

test("search() shows what a document is about when only its title or its name answers", async () => {
  const index = await shelf({
    "a/one": "---\ndescription: What it is about.\n---\n\n# Resilience\n\nText of another kind.\n",
    "a/strangler": "# Two\n\nOther text.\n",
  });
  const [title] = (await index.search("resilience")).hits;
  assert.deepEqual([title?.section, title?.line, title?.excerpt], [undefined, 5, "What it is about."]);
  const [name] = (await index.search("strangler")).hits;
  assert.deepEqual([name?.section, name?.line, name?.excerpt], [undefined, 1, "Other text."]);
});

test("search() shows the beginning of a section when only its heading answers", async () => {
  const index = await shelf({
    "a/one": "# One\n\nLead.\n\n## Rollback\n\nDo it the other way round.\n\n## Empty\n",
  });
  const [hit] = (await index.search("rollback")).hits;
  assert.deepEqual([hit?.section?.slug, hit?.line, hit?.excerpt], [
    "rollback",
    5,
    "Do it the other way round.",
  ]);
  const [empty] = (await index.search("empty")).hits;
  assert.deepEqual([empty?.section?.slug, empty?.line, empty?.excerpt], ["empty", 9, "Empty"]);
});

test("search() cuts excerpts around what was found: one line, no marks, no characters that nobody sees", async () => {
  const filler = Array.from({ length: 400 }, (_, index) => `filler${index}`).join(" ");
  const index = await shelf({
    "a/long": `# One\n\n${filler} the **needle** in [a haystack](https://example.com) ${filler}\n`,
    "a/hidden": "# Two\n\nA\u202e thread\u0007 of\u200b cotton\ttwine\u2028here\ud800 \u001b[31mred\n",
    "a/list": "# Three\n\n- first button\n- second button\n> quoted button\n1. numbered button\n",
    "a/ja": `# 四\n\n${"あいうえお".repeat(200)}認証基盤${"かきくけこ".repeat(200)}\n`,
    "a/even": `# Five\n\n${"😀".repeat(900)} thimble ${"😀".repeat(900)}\n`,
    "a/odd": `# Six\n\nx${"😀".repeat(900)} thimbles ${"😀".repeat(900)}\n`,
  });
  const [long] = (await index.search("needle")).hits;
  assert.match(long!.excerpt, /^….* the needle in a haystack .*…$/);
  const [hidden] = (await index.search("cotton")).hits;
  assert.equal(hidden!.excerpt, "A thread of cotton twine here\ufffd [31mred");
  const [list] = (await index.search("button")).hits;
  assert.equal(list!.excerpt, "first button second button quoted button numbered button");
  const [japanese] = (await index.search("認証基盤")).hits;
  assert.match(japanese!.excerpt, /^….*認証基盤.*…$/);
  const { hits } = await index.search("thimble");
  assert.equal(hits.length, 2);
  for (const { excerpt } of [long!, hidden!, list!, japanese!, ...hits]) {
    assert.ok(excerpt.length <= MAX_EXCERPT, excerpt);
    assert.ok(excerpt.isWellFormed());
    assert.doesNotMatch(excerpt, /[\p{Cc}\u2028\u202e]/u);
  }
});

test("search() shows a document that cannot be read any more by what the catalogue knows", async () => {
  const texts = new Map([["a/one", "# One\n\nThe needle.\n"]]);
  const index = await indexOf(texts);
  texts.clear();
  const [hit] = (await index.search("needle")).hits;
  assert.equal(hit?.document.key, "a/one");
  assert.equal(hit.excerpt, "The needle.");
  assert.equal(hit.line, 1);
});

test("search() knows the words of a question from what is asked", async () => {
  const index = await shelf({
    "a/asks": `# Questions\n\nHow is it done, and what does that do? ${FILLER}\n`,
    "a/answers": `# Answers\n\nRotate a password. ${FILLER}\n`,
    ...Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`a/${index}`, `# X\n\n${FILLER}\n`])),
  });
  assert.equal((await keysOf(index, "how do I rotate what is secret"))[0], "a/answers");
  assert.equal((await keysOf(index, "what"))[0], "a/asks");
});

test("size grows with what is indexed, and is about what the text needs", async () => {
  const text = (seed: number) =>
    `# Document ${seed}\n\n` +
    Array.from({ length: 300 }, (_, index) => `word${(seed * 31 + index * 7) % 2000}`).join(" ");
  const few = await indexOf(new Map(Array.from({ length: 100 }, (_, index) => [`a/${index}`, text(index)])));
  const many = await indexOf(
    new Map(Array.from({ length: 1000 }, (_, index) => [`a/${index}`, text(index)])),
  );
  assert.ok(many.size > few.size);
  assert.ok(many.size < 1000 * 300 * 20, `${many.size} bytes`);
});

test("search() scores a document alike whatever the order of the catalogue is", async () => {
  const texts = new Map([["a/1", "# One\n\nqueue"], ["a/2", "# Two\n\nqueue queue"], [
    "a/3",
    "# Three\n\nno",
  ]]);
  const [one, other] = [await indexOf(texts), new SearchIndex(({ key }) => texts.get(key))];
  await other.update(catalogueOf(new Map([...texts].slice(2))));
  await other.update(catalogueOf(new Map([...texts].slice(1))));
  await other.update(catalogueOf(texts));
  const scores = async (index: SearchIndex) =>
    (await index.search("queue")).hits.map(({ document, score }) => [document.key, score]);
  assert.deepEqual(await scores(other), await scores(one));
});
