import assert from "node:assert/strict";
import { test } from "node:test";
import { DocumentStore, lint } from "../../lib/documents/mod.ts";
import { makeFolder } from "../harness/folder.ts";
import { cpuNow } from "../harness/process.ts";
import type { LintOptions } from "../../lib/documents/mod.ts";
import type { Contents } from "./stores.ts";
import { brief, files, lintOf, makeRoot, memoryStore } from "./stores.ts";

const PARTS = "\n## Context\n\nC.\n\n## Decision\n\nD.\n\n## Consequences\n\nE.\n";
const GOOD = "# T\n\nText.\n";
const PAGE = "# Page\n\nText.\n";
const TEMPLATE = "# Template\n\n- Status: {proposed | accepted}\n\nSupersedes [ADR-5](0005-example.md)\n";

/** A record with these lines of front matter. */
function record(...facts: readonly string[]): string {
  const lines = facts.some((fact) => fact.startsWith("status")) ? facts : ["status: accepted", ...facts];
  return `---\n${lines.join("\n")}\n---\n\n# T\n${PARTS}`;
}

/** A document that applies to these patterns. */
function about(...patterns: readonly string[]): string {
  return `---\ntitle: T\napplies-to:\n${patterns.map((pattern) => `  - "${pattern}"\n`).join("")}---\n`;
}

function described(length: number): string {
  return `---\ntitle: T\ndescription: ${"x".repeat(length)}\n---\n`;
}

/** Folders of documents, each with what is found in it: "line severity rule". Records of one folder are checked together. */
const FOLDERS: Readonly<
  Record<string, Readonly<Record<string, readonly [text: string, ...found: string[]]>>>
> = {
  "docs/title": {
    "a.md": ["---\ntitle: A\ndescription: Short.\n---\n\nText, without a heading.\n"],
    "emoji.md": ["# 👩🏽‍💻 ✔️\n"],
    "README.md": [GOOD],
    "none.md": ["Text.\n\n## Two\n", "warning title-missing"],
    "empty.md": ["", "warning title-missing"],
    "code.md": ["```\n# no\n```\n", "warning title-missing"],
    "many.md": ["# A\n\n## B\n\n# C\n\n# D\n", "5 warning title-repeated"],
    "field.md": ["---\ntitle: T\n---\n\n# Parts\n\n# Other\n"],
    "same.md": ["---\ntitle: T\n---\n\n# T\n\n# Other\n", "7 warning title-repeated"],
    "moved.md": ["Moved to [a.md](a.md).\n"],
    "almost-moved.md": ["## Two\n\nMoved to [a.md](a.md).\n", "warning title-missing"],
  },
  "docs/description": {
    "fits.md": [described(200)],
    "long.md": [described(201), "3 warning description-long"],
    "folded.md": [
      `---\ntitle: T\ndescription: >\n  ${"word ".repeat(41)}\n---\n`,
      "3 warning description-long",
    ],
    "paragraph.md": [`# T\n\n${"x".repeat(500)}\n`],
  },
  "docs/patterns": {
    "fits.md": [about("src/**", "{a,b}/{c,d}.ts", "[!a].md", "a!", "a{b", "}{", "{a}}")],
    "braces.md": [about("a", "{a,{b,c}}.ts", "{a,{b,c}}.js"), "5 warning applies-to-nested"],
    "both.md": [
      "---\ntitle: T\napplies-to: ['!x/{a,b{c}}']\n---\n",
      "3 warning applies-to-negated",
      "3 warning applies-to-nested",
    ],
    "unmatched.md": [about("src/**", "lib/*.ts"), "5 warning applies-to-unmatched"],
    "not.md": [about("src/**", "!src/a.ts"), "5 warning applies-to-negated"],
  },
  "docs/headings": {
    "same.md": ["# T\n\n## A\n\n### X\n\n## B\n\n### X\n\n#### X\n"],
    "twice.md": ["# T\n\n## A\n\n### X\n\n### Y\n\n### x\n\n## a\n", "9 warning heading-repeated"],
  },
  "docs/reviews": {
    "future.md": ["---\ntitle: T\nreview-by: 2026-07-28\n---\n"],
    "past.md": ["---\ntitle: T\nreview-by: 2026-07-27\n---\n", "3 warning review-overdue"],
    "odd.md": ["---\ntitle: T\nreview_by: next year\n---\n", "3 warning review-overdue"],
  },
  "docs/case": {
    "Name.md": [GOOD],
    "name.md": [GOOD, "warning name-case-only"],
    "Sub/a.md": [GOOD],
    "sub/b.md": [GOOD, "warning name-case-only"],
    "sub/name.md": [GOOD, "warning name-case-only"],
  },
  "docs/sections": {
    "has.md": ["# T\n\n## 1. Owner\n\nX\n"],
    "lacks.md": ["# T\n\n## Other\n\nX\n", "warning section-missing"],
    "README.md": [GOOD],
  },
  "docs/characters": {
    "a.md": ["# T\n\nText\u200b and \u202etext\n", "3 warning invisible-characters"],
    "b.md": ["# T\n\n```\n\u200b\n```\n", "4 warning invisible-characters"],
    "mark.md": [`\ufeff${GOOD}`, "warning byte-order-mark"],
    "wide.md": ["# Größe 設計 🏛\n"],
    "mixed.md": [`${GOOD.replaceAll("\n", "\r\n")}x\n`, "warning line-ends"],
    "old.md": ["# T\rText\r", "warning line-ends"],
  },
  "windows": {
    "1.md": [GOOD.replaceAll("\n", "\r\n"), "warning line-ends"],
    "2.md": [GOOD.replaceAll("\n", "\r\n")],
    "3.md": [GOOD.replaceAll("\n", "\r\n")],
  },
  "adr/forms": {
    "001-ours.md": [record("date: 2026-01-01")],
    "0002-nygard.md": [`# 2. T\n\nDate: 2026-01-01\n\n## Status\n\nAccepted\n${PARTS}`],
    "0003-madr.md": [
      "---\nstatus: proposed\n---\n# T\n\n## Context and Problem Statement\n\nC\n\n## Decision Outcome\n\nD\n\n### Positive Consequences\n\nE\n",
    ],
    "20260101-log4brains.md": [
      "# T\n\n- Status: draft\n\n## Context and Problem Statement\n\nC\n\n## Decision Outcome\n\nD\n\n### Negative Consequences <!-- optional -->\n\nE\n",
      "3 warning adr-proposed-long",
    ],
    "ADR004_other.md": [`# T\n\n**Status:** On hold\n${PARTS}`],
    "0005-folder/README.md": [record()],
  },
  "adr": {
    "README.md": [PAGE],
    "index.md": [PAGE],
    "sub/README.md": [PAGE],
    "template.md": [TEMPLATE],
    "adr-template-minimal.md": [TEMPLATE],
    "0000-TEMPLATE.md": [TEMPLATE],
    "templates/README.md": [TEMPLATE],
    "0009-use-a-template-engine.md": [GOOD, "warning adr-section-missing", "warning adr-status-missing"],
    "some-decision.md": [GOOD, "warning adr-file-name"],
    "0010 with spaces.md": [record(), "warning adr-file-name"],
    "0011-over.md": [record("status: deprecated", "review-by: 2020-01-01")],
  },
  "adr/status": {
    "001-none.md": [`# T\n${PARTS}`, "warning adr-status-missing"],
    "002-open.md": [record("status: {proposed | accepted}"), "warning adr-status-missing"],
    "003-typo.md": [record("status: acepted"), "2 warning adr-status-unknown"],
    "004-partly.md": [record("status: partly superseded")],
  },
  "rfcs": {
    "0001-none.md": ["# T\n\n## Motivation\n\nM\n\n## Alternatives\n\nA\n", "warning adr-section-missing"],
    "0002-none.md": [`# T\n${PARTS}`],
    "0003-parts.md": ["# Summary\n\nS\n\n# Solution\n\nS\n\n# Risks\n\nR\n"],
  },
  "decisions": {
    "001-stated.md": [record("date: 2026-01-01")],
    "002-none.md": [`# T\n${PARTS}`, "warning adr-status-missing"],
  },
  "adr/sections": {
    "001-none.md": [
      "---\nstatus: draft\n---\n# Decision on context and consequences\n\nText.\n",
      "warning adr-section-missing",
    ],
    "002-one.md": [
      "---\nstatus: draft\n---\n# T\n\n## Context\n\nC\n\n## Decision Drivers\n\nx\n",
      "warning adr-section-missing",
    ],
    "003-no-title.md": [`---\nstatus: draft\ntitle: T\n---\n${PARTS}`],
  },
  "adr/numbers": {
    "0007-y.md": [record()],
    "007-x.md": [record(), "error adr-number-duplicate"],
    "ADR-7-z.md": [record(), "error adr-number-duplicate"],
    "sub/007-x.md": [record()],
  },
  "adr/references": {
    "001-a.md": [record("supersedes: 99"), "3 error adr-reference-dangling"],
    "002-b.md": [record("status: superseded by ADR-98"), "2 error adr-reference-dangling"],
    "003-c.md": [record("superseded-by: gone.md"), "3 error adr-reference-dangling"],
    "004-d.md": [record("supersedes: the page in the wiki"), "3 warning adr-reference-dangling"],
    "005-e.md": [record("supersedes: ../../../elsewhere/005-x.md"), "3 warning adr-reference-dangling"],
    "006-f.md": [record("supersedes: https://example.org/adr/5")],
    "007-g.md": [record("supersedes: n/a")],
    "008-h.md": [record("amends: [1, 97]"), "3 error adr-reference-dangling"],
    "009-i.md": [record("amended-by: gone.md"), "3 error adr-reference-dangling"],
    "010-j.md": [record("relates-to: ADR-96"), "3 error adr-reference-dangling"],
    "011-k.md": [record("relates-to: payments, see the wiki")],
    "012-l.md": [`${record()}\n\n- Relates to [X](gone.md)\n`, "20 error link-dead"],
    "template.md": [record("supersedes: 99", "amends: 98")],
  },
  "guidelines/keys": {
    "a.md": ['---\naplies-to: "**"\n---\n\n# A\n', "2 warning key-misspelt"],
    "b.md": ["---\ntitle: B\nforbid:\n  - text: x\n---\n\n# B\n", "3 warning key-misspelt"],
    "c.md": ['---\nappliest-to: "**"\n---\n\n# C\n', "2 warning key-misspelt"],
    "d.md": ['---\napplies: "**"\n---\n\n# D\n', "2 warning key-misspelt"],
    "e.md": ["---\nforbds:\n  - text: x\n---\n\n# E\n", "2 warning key-misspelt"],
    "f.md": ['---\napplies_to: "**"\n---\n\n# F\n'],
    "g.md": ['---\nappliesTo: "**"\n---\n\n# G\n'],
    "h.md": ["---\napp: x\nfor: y\nforce: z\napplication: a\nformats: b\nforums: c\n---\n\n# H\n"],
  },
  "adr/proposals": {
    "001-a.md": [
      record("status: superseded by 002-b.md"),
      "warning adr-superseded-by-proposal",
    ],
    "002-b.md": [record("status: proposed", "supersedes: 1")],
    "003-c.md": [record("superseded-by: 4"), "warning adr-superseded-by-proposal"],
    "004-d.md": [record("status: draft", "supersedes: 3")],
    // It is still in force, and a part of it, or what is rejected or decided, is no gap.
    "005-e.md": [record()],
    "006-f.md": [record("status: proposed", "supersedes: 5")],
    "007-g.md": [record("partly-superseded-by: 8")],
    "008-h.md": [record("status: proposed", "partly-supersedes: 7")],
    "009-i.md": [record("status: superseded by 010-j.md")],
    "010-j.md": [record("status: accepted", "supersedes: 9")],
    "011-k.md": [record("amended-by: 12")],
    "012-l.md": [record("status: proposed", "amends: 11")],
  },
  "adr/one-sided": {
    "001-a.md": [record(), "warning adr-supersedes-one-sided"],
    "002-b.md": [record("supersedes: 1")],
    "003-c.md": [record("superseded-by: 4")],
    "004-d.md": [record(), "warning adr-supersedes-one-sided"],
    "005-e.md": [record("superseded-by: 006-f.md")],
    "006-f.md": [record("supersedes: ADR-5")],
  },
  "adr/circles": {
    "001-a.md": [record("supersedes: 3", "superseded-by: 2")],
    "002-b.md": [record("supersedes: 1", "superseded-by: 3")],
    "003-c.md": [record("supersedes: 2", "superseded-by: 1"), "error adr-supersedes-circle"],
    "004-d.md": [record("supersedes: 4", "superseded-by: 4"), "error adr-supersedes-circle"],
    "005-e.md": [record("supersedes: [6, 7]")],
    "006-f.md": [record("supersedes: 7", "superseded-by: 5")],
    "007-g.md": [record("superseded-by: [5, 6]")],
  },
};

test("check finds what is wrong with each document, and nothing else", async () => {
  const contents: Record<string, string> = {};
  const expected: Record<string, readonly string[]> = {};
  for (const [folder, documents] of Object.entries(FOLDERS)) {
    for (const [name, [text, ...found]] of Object.entries(documents)) {
      contents[`${folder}/${name}`] = text;
      expected[`${folder}/${name}`] = found;
    }
  }
  const findings = await lintOf(contents, {
    today: "2026-07-28",
    code: ["src/a.ts", "a/c.ts", "x.md", "a!", "a{b", "}{", "a}", "a"],
    required: ({ label }) => label.startsWith("docs/sections/") ? ["Owner"] : undefined,
  });
  for (const [label, found] of Object.entries(expected)) {
    const own = findings.filter(({ file }) => file === label)
      .map(({ line, severity, rule }) => `${line === undefined ? "" : `${line} `}${severity} ${rule}`);
    assert.deepEqual(own.sort(), found, label);
  }
  const messages = {
    "docs/characters/a.md": /2 invisible characters, the first of them U\+200B/,
    "windows/1.md": /2 more files of windows/,
    "adr/sections/001-none.md": /no section for its context and decision and consequences$/,
    "adr/sections/002-one.md": /no section for its decision and consequences$/,
    "adr/numbers/007-x.md": /adr\/numbers\/0007-y\.md, so architecture:\/\/adr\/numbers\/7 names neither/,
    "adr/one-sided/001-a.md": /adr\/one-sided\/002-b\.md .* lacks "superseded-by: 2"/,
    "adr/one-sided/004-d.md": /adr\/one-sided\/003-c\.md .* lacks "supersedes: 3"/,
    "adr/circles/004-d.md": /supersedes itself/,
  };
  for (const [label, message] of Object.entries(messages)) {
    assert.match(findings.find(({ file }) => file === label)!.message, message);
  }
});

const FULL = record(), NO_DECISION = FULL.replace("Decision", "Other");
const ACCEPTED = "---\nstatus: accepted\n---\n\n";
const NO_STATUS = `# T\n${PARTS}`,
  NO_TITLE = `${ACCEPTED}Text.\n${PARTS}`,
  BY_HEADING = `${ACCEPTED}## Title\n${PARTS}`;
const OLD = "---\nstatus: superseded\n---\n\nText.\n", MOVED = `---\nstatus: moved\n---\n\nMoved to a.md\n`;
const PARTS_RULE = "adr-section-missing", STATUS_RULE = "adr-status-missing", TITLE_RULE = "title-missing";
/** How often which records are in a folder, the numbers of those with a finding, and its rule. */
const CUSTOMS: readonly (readonly [
  records: readonly (readonly [count: number, text: string])[],
  numbers: string,
  rule: string,
  options?: LintOptions,
])[] = [
  [[[3, NO_DECISION], [3, FULL]], "1 2 3", PARTS_RULE],
  [[[4, NO_DECISION], [3, FULL]], "", PARTS_RULE],
  [[[3, NO_DECISION], [1, FULL]], "1 2 3", PARTS_RULE],
  [[[3, NO_DECISION], [2, FULL]], "", PARTS_RULE],
  [[[4, NO_DECISION], [1, ACCEPTED + "# T\n"]], "5", PARTS_RULE],
  [[[5, ACCEPTED + "# T\n"]], "", PARTS_RULE],
  [[[5, NO_DECISION]], "1 2 3 4 5", PARTS_RULE, { strict: [PARTS_RULE] }],
  [[[5, NO_DECISION]], "1 2 3 4 5", "section-missing", { required: () => ["Decision"] }],
  [[[4, NO_STATUS], [1, FULL]], "", STATUS_RULE],
  [[[2, NO_STATUS], [3, FULL]], "1 2", STATUS_RULE],
  [[[5, NO_STATUS]], "1 2 3 4 5", STATUS_RULE, { strict: [STATUS_RULE] }],
  [[[4, NO_TITLE], [1, FULL]], "", TITLE_RULE],
  [[[4, BY_HEADING], [1, FULL]], "", TITLE_RULE],
  [[[1, BY_HEADING], [4, FULL]], "1", TITLE_RULE],
  [[[2, NO_TITLE], [3, FULL]], "1 2", TITLE_RULE],
  [[[3, NO_TITLE], [2, FULL]], "1 2 3", TITLE_RULE, { strict: [TITLE_RULE] }],
  // Records that are over, or moved, count neither way.
  [[[9, OLD], [9, MOVED], [3, NO_DECISION], [1, FULL]], "19 20 21", PARTS_RULE],
  [[[9, OLD], [9, MOVED], [3, NO_DECISION], [2, FULL]], "", PARTS_RULE],
];

test("check does not report what most of five or more documents of a folder lack", async () => {
  for (const [records, numbers, rule, options] of CUSTOMS) {
    const texts = records.flatMap(([count, text]) => Array<string>(count).fill(text));
    const contents = Object.fromEntries(texts.map((text, at) => [`adr/${at + 1}-x.md`, text]));
    const findings = await lintOf(contents, options);
    const said = findings.map(({ file, rule }) => `${Number.parseInt(file.slice("adr/".length))} ${rule}`);
    const expected = numbers === "" ? [] : numbers.split(" ").map((number) => `${number} ${rule}`);
    assert.deepEqual(said.sort(), expected.sort(), JSON.stringify([texts, options]));
  }
  const mixed = { "adr/5-x.md": `${ACCEPTED}# T\n\n## Context\n\nC\n` };
  const others = [1, 2, 3, 4].map((number) => [`adr/${number}-x.md`, NO_DECISION]);
  const [only, ...more] = await lintOf({ ...Object.fromEntries(others), ...mixed });
  assert.deepEqual([only?.message, more], ["The record has no section for its consequences", []]);
});

const TARGETS: Contents = {
  "docs/b.md": '# B\n\n## Größe & Zahl\n\n<a id="named"></a>\n\n## Own {#own}\n',
  "docs/a b (c).md": "# A B\n",
  "docs/sub/d.md": "# D\n\n## Part\n",
  "patterns/p.md": "# P\n",
  "adr/007-x.md": record(),
};
/** Lines of a document beside these, by the rule that their links break, if any. */
const LINKS: Readonly<Record<string, readonly string[]>> = {
  "": [
    "[x](b.md) [x](./b.md) [x](../docs/b.md) [x](sub/d.md#part) [x](<b.md>) [x](b.md 'title')",
    "[x](b.md#größe--zahl) [x](b.md#gr%C3%B6%C3%9Fe--zahl) [x](b.md#named) [x](b.md#own)",
    "[x](<a b (c).md>) [x](a%20b%20(c).md) [x](a%20b%20%28c%29.md)",
    "[x](../patterns/p.md) [x](b.md?plain=1#L10) [x](b.md#L10-L20) [x](#) [x](#top) [x](#here)",
    "[x](architecture://docs/b#own) [x](architecture://adr/7#decision) <architecture://adr/007-x>",
    "[x]: b.md#own",
    "[x](https://example.org/gone.md) [x](mailto:a@gone.md) [x](//host/gone.md) [x](/gone.md) [x](gone.png) [x](sub/)",
    "`[x](gone.md)` and ``[x](`gone.md)`` and `a`` [x](gone.md)` and \\`code",
    ...[
      "```md\n[x](gone.md)\n```",
      "<!-- [x](gone.md) -->",
      "- x <!-- as [x](gone.md) -->",
      "[footnote]: some text",
    ],
    ...["[unused]: gone.md", "[a link][ USED ], [other][], [third] and - [x]", "[other]: b.md"],
    "architecture://adr/99 in prose, gone.md as well",
  ],
  "link-dead": [
    ...["[x](gone.md) [y](gone.md)", "``a ` [x](gone.md)", "[used]: <gone.md>", "<architecture://adr/99>"],
    ...["[x](architecture://docs/gone)", "[x](architecture://adr/../docs/b)", "[x](../patterns/gone.md)"],
    ...["[x](7.md)", "![x](B.md)"],
  ],
  "link-dead link-dead": ["[x](sub/gone.md#a) and [x](sub/gone.md#b)"],
  "link-section-dead": [
    ...["[x](#nowhere)", "[x](b.md#gone)", "[x](architecture://adr/7#gone)", "[x](b.md#Own)", "[x](#%E4)"],
  ],
  "link-leaves": [
    ...["[x](../../README.md)", "[x](../../../README.md)", "[x](../README.md)", "[x](../other/x.md)"],
  ],
};

test("check finds links that lead nowhere, and none in code and comments", async () => {
  const text = ["# A\n## Here", ...Object.values(LINKS).flat()].join("\n\n");
  const findings = await lintOf({ ...TARGETS, "docs/a.md": text });
  const lines = text.split("\n");
  for (const [rules, texts] of Object.entries(LINKS)) {
    for (const line of texts) {
      const found = findings.filter(({ line: number }) => lines[number! - 1] === line.split("\n")[0]);
      assert.equal(found.map(({ rule }) => rule).join(" "), rules, line);
      const severity = rules === "link-leaves" ? "warning" : "error";
      assert.ok(found.every((finding) => finding.severity === severity));
    }
  }
  const two = await lintOf({ ...TARGETS, "adr/0007-y.md": "# Y\n\n[x](architecture://adr/7)\n" });
  assert.match(two.find(({ rule }) => rule === "link-dead")!.message, /adr\/0007-y\.md and adr\/007-x\.md/);
});

test("check says which statuses and labels were not understood, each with its line", async () => {
  const texts = ["Status: frobbed", "Status: frobbed\nDate:", "Status: done-ish", "Status: accepted"];
  const files = texts.map((
    text,
    index,
  ) => [`adr/000${index + 1}-x${index}.md`, `# X\n\n${text}\n\n## Context\n\nWhy.\n`]);
  const findings = await lintOf(Object.fromEntries(files));
  const found = findings.filter(({ rule }) => /^adr-(?:status|field)/.test(rule)).map((
    { file, line, rule },
  ) => `${file}:${line} ${rule}`);
  assert.deepEqual(found, [
    "adr/0001-x0.md:3 adr-status-unknown",
    "adr/0002-x1.md:4 adr-field-empty",
    "adr/0002-x1.md:3 adr-status-unknown",
    "adr/0003-x2.md:3 adr-status-unknown",
    "adr:undefined adr-status-unknown",
  ]);
  assert.match(
    findings.find(({ file }) => file === "adr")!.message,
    /^3 of 4 records have a status that is not understood, such as "frobbed", "done-ish"$/,
  );
});

test("check blames no link for a folder that was mounted in the place of another", async (t) => {
  const root = makeRoot(t, { "docs/a.md": "# A\n\n[x](../adr/001-own.md)\n", "adr/001-own.md": "# Own\n" });
  const path = makeFolder(t, {
    "readme.md": "# R\n\n[x](../docs/gone.md) [x](../LICENSE.md) [x](gone.md)\n",
  });
  const store = new DocumentStore(files, { root, mounts: [{ name: "adr", path }] });
  await store.ready();
  assert.deepEqual(brief(lint(store)), ["adr/readme.md:3 link-leaves", "adr/readme.md:3 link-dead"]);
});

test("check passes over a document that vanished since it was listed", async () => {
  const { catalogue } = await memoryStore({ "docs/a.md": "", "docs/b.md": "" });
  const findings = lint({ catalogue, text: ({ name }) => name === "a" ? undefined : "[a](a.md#gone)" });
  assert.deepEqual(brief(findings), ["docs/b.md title-missing"]);
});

test("the time of a check grows with the number of records, not with its square", async () => {
  const spent = async (count: number): Promise<number> => {
    const names = Array.from({ length: count }, (_, number) => `${String(number + 1).padStart(5, "0")}-x`);
    const links = Array.from(
      { length: 20 },
      (_, link) => `[a](${names[link * (count / 50)]}.md#context) [b](architecture://adr/${link})`,
    );
    const text = [record("supersedes: 1", `superseded-by: ${count}`), ...links].join("\n");
    const store = await memoryStore(Object.fromEntries(names.map((name) => [`adr/${name}.md`, text])));
    const start = cpuNow();
    assert.ok(lint(store).length >= count);
    return cpuNow() - start;
  };
  await spent(100);
  const few = await spent(100);
  // 16 times as many records: 256 times the time if it grew with the square.
  assert.ok(await spent(1600) < 96 * few);
});
