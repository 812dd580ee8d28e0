import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { FILLER } from "../search/texts.ts";
import { searchIn } from "./search_in.ts";

test("documents are found by their text and by all of their metadata", async () => {
  const { search, keysOf } = await searchIn({
    "guidelines/naming.md": "# Naming\n\nName things after what they are.\n",
    "adr/007-queues.md":
      "# 7. Use queues\n\n## Status\n\nAccepted\n\n## Context\n\nCallers wait for each other.\n",
    "a/one.md":
      "---\ntags: [resilience, timeouts]\nkeywords: bulkhead\ndescription: How to survive\n---\n\n# One\n",
    "a/strangler-fig.md": `# Two\n\n${FILLER}\n`,
    "adr/0042-x.md": `# Three\n\n${FILLER}\n`,
  });
  const queries = {
    "adr/007-queues": ["callers"],
    "guidelines/naming": ["names of things"],
    "a/one": ["resilience", "bulkhead", "survive"],
    "a/strangler-fig": ["strangler"],
    "adr/0042-x": ["ADR-42", "adr 0042", "adr-042", "42", "ADR42"],
  };
  for (const [key, all] of Object.entries(queries)) {
    for (const query of all) assert.equal((await keysOf(query))[0], key, query);
  }
  for (const query of ["callers", "resilience", "strangler", "42"]) {
    assert.equal((await search(query)).total, 1);
  }
});

test("a title, a number or a file name finds its document first, and pages of links come after what they link to", async () => {
  const prose =
    "We use queues, because callers wait for each other. See ADR-12 and RFC 1525 for more about workspaces.\n";
  const links = Array.from({ length: 12 }, () => "- [Cargo workspace](1525-cargo-workspace.md)\n").join("");
  const { keysOf } = await searchIn({
    "rfc/1525-cargo-workspace.md": "# Summary\n\nImprove Cargo for several crates in one repository.\n",
    "rfc/0085-two.md": "# Two\n\nAbout another subject.\n",
    "rfc/1048-three.md": `# Three\n\n85 times RFC 85, RFC 85 and 1525. ${prose}`,
    "rfc/README.md": `# All proposals\n\n${links}`,
    "rfc/1525-moved.md": "# Cargo workspace\n\nMoved to [1525-cargo-workspace](1525-cargo-workspace.md).\n",
    "adr/0012-use-postgresql.md": "# Use PostgreSQL for all data\n\nAccepted.\n",
    "adr/0013-http-clients.md":
      `# HTTP clients\n\n${prose}${prose}The pool of a client has parseUrl and HTTPServer.\n`,
    "adr/0014-connection-pool.md": `# One pool\n\n${prose}`,
    "docs/features/0032-message-timing/README.md": "# Aries 0032: Timing\n\nA decorator.\n",
    "docs/parsing.md": "# Addresses\n\nCall parseUrl of the HTTPServer.\n",
  });
  const rows: readonly (readonly [key: string, ...queries: string[]])[] = [
    [
      "rfc/1525-cargo-workspace",
      "cargo workspaces",
      "rfc 1525",
      "RFC-1525",
      "rfc1525",
      "1525-cargo-workspace.md",
    ],
    ["rfc/0085-two", "rfc 85", "RFC 0085", "rfc-85", "85", "0085-two.md", "RFC 85: another subject"],
    ["rfc/1048-three", "1048", "rfc/1048-three.md", "Three", "rfc 1048 and workspaces"],
    ["adr/0012-use-postgresql", "ADR 12", "adr-0012", "ADR12", "decision 12", "use postgresql for all data"],
    [
      "adr/0014-connection-pool",
      "connection-pool",
      "connection pool",
      "connectionPool",
      "0014-connection-pool",
    ],
    [
      "docs/features/0032-message-timing/README",
      "message timing",
      "0032-message-timing/README.md",
      "message-timing",
    ],
    [
      "docs/parsing",
      "parseUrl HTTPServer",
      "parse_url http-server",
      "parse url",
      "http server parse",
      "addresses",
    ],
  ];
  for (const [key, ...queries] of rows) {
    for (const query of queries) assert.equal((await keysOf(query))[0], key, query);
  }
});

test("decisions no longer in force come last; filters are by category, and by effective status in any case", async () => {
  const record = (status: string, extra = "") =>
    `---\nstatus: ${status}\n${extra}---\n\n# Queues\n\nWe use queues.\n`;
  const { keysOf } = await searchIn({
    "adr/001-a.md": record("superseded"),
    "adr/002-b.md": record("deprecated"),
    "adr/003-c.md": record("rejected"),
    "adr/004-d.md": record("accepted", "superseded-by: 005-e.md\n"),
    "adr/005-e.md": record("accepted"),
    "adr/006-f.md": record("partly superseded", "superseded-by: 005-e.md\n"),
    "guidelines/superseded.md": "# Queues\n\nWe use queues.\n",
  });
  const keys = await keysOf("queues");
  assert.equal(keys.length, 7);
  assert.deepEqual(keys.slice(0, 3).toSorted(), ["adr/005-e", "adr/006-f", "guidelines/superseded"]);
  const rows = [
    [{ status: "superseded" }, ["adr/001-a", "adr/004-d"]],
    [{ status: "Accepted" }, ["adr/005-e"]],
    [{ category: "guidelines" }, ["guidelines/superseded"]],
    [{ status: "proposed" }, []],
    [{ category: "guidelines", status: "accepted" }, []],
  ] as const;
  for (const [filter, expected] of rows) {
    assert.deepEqual(await keysOf("queues", filter), expected, JSON.stringify(filter));
  }
});

test("what applies to the file of the caller comes earlier, unless it applies to all files", async () => {
  const record = (title: string, files: string) =>
    `---\napplies-to: ["${files}"]\n---\n# ${title}\n\nRetry here.\n`;
  const { keysOf } = await searchIn({
    "a/1.md": record("One", "**"),
    "a/2.md": record("Two", "lib/**"),
    "a/3.md": record("Three", "src/**"),
    "a/4.md": record("Four", "src/pay.ts"),
    "a/5.md": `# Five\n\n${FILLER}\n`,
  });
  const rows = [
    [{}, ["a/1", "a/2", "a/3", "a/4"]],
    [{ path: "src/pay.ts" }, ["a/3", "a/4", "a/1", "a/2"]],
    [{ path: "lib/x.ts" }, ["a/2", "a/1", "a/3", "a/4"]],
    [{ path: "other.ts" }, ["a/1", "a/2", "a/3", "a/4"]],
  ] as const;
  for (const [more, keys] of rows) assert.deepEqual(await keysOf("retry", more), keys, JSON.stringify(more));
});

/** Texts, queries for them, and the section, line and excerpt of what is found first. */
type Excerpt = readonly [query: string, section: string | undefined, line: number, excerpt: string];
const LINKS = "- [Retry and timeout](#retry-and-timeout)\n- [Jitter][1]\n";
const EXCERPTS: readonly (readonly [text: string, ...rows: Excerpt[]])[] = [
  // The section of the title is none, and an excerpt has no markup.
  [
    "---\ntitle: Resilience\n---\n# Resilience\n\nAbout [messages](x.md).\n\n## Retries\n\n- A **retrial** it is.\n\n" +
    "## Retries\n\nTwice.\n",
    ["retrial", "retries", 10, "A retrial it is."],
    ["twice", "retries-1", 14, "Twice."],
    ["about messages", undefined, 6, "About messages."],
    ["resilience", undefined, 4, "About messages."],
  ],
  // Prose comes before a table of contents, a list of links and a comment.
  [
    `# T\n\n## Contents\n\n${LINKS}\n## Retry and timeout\n\nWait with jitter, then retry.\n`,
    ["retry jitter", "retry-and-timeout", 10, "Wait with jitter, then retry."],
  ],
  [
    "# L\n\nSee [the bulkhead](x.md), [more](y.md).\n\nA bulkhead isolates.\n",
    ["bulkhead", undefined, 5, "A bulkhead isolates."],
  ],
  [
    "# C\n\n<!-- Describe the\nfallback. -->\n\nThe fallback answers.\n\n<!-- a saga -->\n",
    ["fallback", undefined, 6, "The fallback answers."],
  ],
  ["# O\n\n- [Only a circuit](x.md)\n", ["circuit", undefined, 3, "Only a circuit"]],
  [
    "# P\n\nWrite `<!--` before it.\n\nThe hedge is prose.\n\nThe hedge is late.\n",
    ["hedge", undefined, 5, "The hedge is prose."],
  ],
];

test("a hit names its section and line, with an excerpt that is prose where there is some", async () => {
  const contents = EXCERPTS.map(([text], index) => [`a/${index}.md`, text]);
  const { search } = await searchIn({
    ...Object.fromEntries(contents),
    "a/other.md": `# Two\n\n${FILLER}\n`,
  });
  for (const [query, section, line, excerpt] of EXCERPTS.flatMap(([, ...rows]) => rows)) {
    const { hits: [hit] } = await search(query);
    assert.deepEqual([hit?.section, hit?.line, hit?.excerpt], [section, line, excerpt], query);
  }
});

test("search_documents stops when its call is aborted", async () => {
  const { search } = await searchIn({ "guidelines/a.md": "# A\n" });
  await assert.rejects(search("a", {}, AbortSignal.abort(new Error("enough"))), /enough/);
});

test("the index follows files that change", async () => {
  const { memory, documents, keysOf } = await searchIn({
    "a/one.md": "# One\n\nfirst\n",
    "a/two.md": "# Two\n\nsecond\n",
  });
  assert.deepEqual(await keysOf("second"), ["a/two"]);
  memory.write("/root/resources/a/two.md", "# Two\n\nquite another text\n", Date.now() - 1000);
  await documents.reload();
  assert.deepEqual(await keysOf("second"), []);
  assert.deepEqual(await keysOf("another"), ["a/two"]);
});

test("documents whose text cannot be searched are counted, and found by their titles", async () => {
  const contents = { "a/api.md": "# API\n", "a/overview.md": "# Overview\n" };
  const { total, withoutText } = await (await searchIn(contents)).search("api overview");
  assert.deepEqual([total, withoutText], [2, undefined]);
  const { memory, search } = await searchIn(contents);
  memory.oncall = (call) => {
    if (call.includes("open") && call.includes("overview")) throw new Error("It is locked");
  };
  const found = await search("api overview");
  assert.deepEqual([found.total, found.withoutText], [2, 1]);
  assert.match(found.text, /1 documents were searched by title and name only/);
});

test("a hit names the successor of its decision before it says where the words are, and in which fields", async () => {
  const { search } = await searchIn({
    "adr/001-queues.md":
      "---\nstatus: superseded\nsuperseded-by: 002-streams.md\n---\n# Queues\n\nRetry by hand.\n",
    "adr/002-streams.md": "---\nstatus: accepted\n---\n# Streams\n\nStreams retry.\n",
    "adr/003-other.md": `# Other\n\n${FILLER}\n`,
  });
  const { hits: [hit], text } = await search("queues");
  assert.deepEqual(hit?.matched, ["queues in title, name"]);
  const lines = text.split("\n").map((line) => line.trim());
  assert.match(lines[1]!, /do not follow it\. Instead, read architecture:\/\/adr\/002-streams/);
  assert.deepEqual(lines.slice(2), ["line 5: Retry by hand.", "found: queues in title, name"]);
});

test("search_documents says why a decision was rejected, where its record says so", async () => {
  const records: readonly [name: string, text: string, reason: string | undefined][] = [
    ["001", "Status: Rejected because it is *too* slow.", "because it is too slow."],
    ["002", "## Status\n\nRejected: it costs too much", "it costs too much"],
    ["003", "Status: rejected\n\n## Why not\n\nIt locks\nus in.\n\nMore.", "It locks us in."],
    ["004", "Status: declined\n\n## Decision\n\nWe keep what we have.", "We keep what we have."],
    ["005", "Status: rejected\n\n## Context\n\nNothing else.", undefined],
    ["006", "Status: accepted\n\n## Rationale\n\nIt is fast.", undefined],
    ["007", "Status: rejected\n\n## Reasons\n\n" + "so ".repeat(200), `${"so ".repeat(66)}s…`],
  ];
  const contents = records.map(([name, text]) => [`adr/${name}-zebra.md`, `# Zebra\n\n${text}\n`]);
  const { hits, text } = await (await searchIn(Object.fromEntries(contents))).search("zebra");
  for (const [name, , reason] of records) {
    const hit = hits.find(({ uri }) => uri === `architecture://adr/${name}-zebra`);
    assert.deepEqual([hit?.number, hit?.reason], [Number(name), reason], name);
  }
  assert.ok(text.includes("do not follow it.\n  why: because it is too slow.\n"));
});

test("golden queries in English, German and Japanese are answered by the first three hits", async () => {
  /** The share of questions that are answered so, and the least mean nDCG@10. */
  const [share, ndcg] = [0.9, 0.99];
  const golden = fileURLToPath(new URL("golden", import.meta.url));
  const questions: { readonly query: string; readonly expected: readonly string[] }[] = JSON.parse(
    readFileSync(`${golden}/queries.json`, "utf8"),
  );
  const names = ["adr", "guidelines", "muster", "patterns", "richtlinien"];
  const mounts = names.map((name) => ({ name, path: `${golden}/${name}` }));
  const { documents, search, keysOf } = await searchIn({}, { mounts });
  const { catalogue } = documents.store;
  assert.ok(questions.length >= 40 && catalogue.documents.length >= 30);
  const missed: string[] = [];
  let sum = 0;
  for (const { query, expected } of questions) {
    for (const key of expected) assert.ok(catalogue.get(key), `${query}: there is no ${key}`);
    const keys = await keysOf(query, { limit: 10 });
    const gain = (keys: readonly string[]): number =>
      keys.reduce((sum, key, rank) => sum + (expected.includes(key) ? 1 / Math.log2(rank + 2) : 0), 0);
    sum += gain(keys) / gain(expected);
    if (!keys.slice(0, 3).some((key) => expected.includes(key))) missed.push(query);
    for (const { uri, excerpt, line, matched } of (await search(query)).hits) {
      assert.ok(excerpt !== "" && line >= 1 && matched.length > 0, `${query}: ${uri}`);
    }
  }
  assert.ok(1 - missed.length / questions.length >= share, `missed: ${missed.join(" | ")}`);
  assert.ok(sum / questions.length >= ndcg, `nDCG@10 ${sum / questions.length}`);
});
