import assert from "node:assert/strict";
import { test } from "node:test";
import { loadPlatform } from "../../deps.ts";
import { Catalogue } from "../../lib/documents/catalogue.ts";
import { lint } from "../../lib/documents/lint.ts";
import { Shelf } from "../../lib/documents/shelf.ts";
import { REPOSITORY } from "../harness/program.ts";
import { brief, index, lintOf, makeRoot } from "./shelf.ts";

const GOOD = "# T\n\nText.\n";

test("lint() says nothing of documents that are well made", async (t) => {
  const findings = await lintOf(t, {
    "docs/a.md": "---\ntitle: A\ndescription: Short.\n---\n\nText, without a heading.\n",
    "docs/b.md": "# B\n\n[a](a.md)\n",
    "docs/emoji.md": "# 👩🏽‍💻 ✔️\n",
    "docs/README.md": GOOD,
  });
  assert.deepEqual(brief(findings), []);
});

test("lint() says nothing of the documents that come with the program", async () => {
  const shelf = new Shelf((await loadPlatform()).files, { root: `${REPOSITORY}/mcp` });
  const { documents, findings } = await shelf.ready();
  assert.ok(documents.length > 20);
  assert.deepEqual([...findings, ...lint(shelf)], []);
});

test("lint() asks for one title", async (t) => {
  const findings = await lintOf(t, {
    "docs/none.md": "Text.\n\n## Two\n",
    "docs/empty.md": "",
    "docs/code.md": "```\n# no\n```\n",
    "docs/many.md": "# A\n\n## B\n\n# C\n\n# D\n",
  });
  assert.deepEqual(brief(findings), [
    "docs/code.md title-missing",
    "docs/empty.md title-missing",
    "docs/many.md:5 title-repeated",
    "docs/none.md title-missing",
  ]);
  assert.ok(findings.every(({ severity }) => severity === "warning"));
});

test("lint() says where a description is longer than what is shown of it", async (t) => {
  const head = (length: number) => `---\ntitle: T\ndescription: ${"x".repeat(length)}\n---\n`;
  const findings = await lintOf(t, {
    "docs/fits.md": head(200),
    "docs/long.md": head(201),
    "docs/folded.md": `---\ntitle: T\ndescription: >\n  ${"word ".repeat(41)}\n---\n`,
    "docs/paragraph.md": `# T\n\n${"x".repeat(500)}\n`,
  });
  assert.deepEqual(brief(findings), ["docs/folded.md:3 description-long", "docs/long.md:3 description-long"]);
});

test("lint() says which patterns of files do not mean what other programs take them for", async (t) => {
  const head = (...patterns: readonly string[]) =>
    `---\ntitle: T\napplies-to:\n${patterns.map((pattern) => `  - "${pattern}"\n`).join("")}---\n`;
  const findings = await lintOf(t, {
    "docs/braces.md": head("a", "{a,{b,c}}.ts", "{a,{b,c}}.js"),
    "docs/both.md": "---\ntitle: T\napplies-to: ['!x/{a,b{c}}']\n---\n",
    "docs/fits.md": head("src/**", "{a,b}/{c,d}.ts", "[!a].md", "a!", "a{b", "}{", "{a}}"),
    "docs/not.md": head("src/**", "!src/a.ts"),
  });
  assert.deepEqual(brief(findings), [
    "docs/both.md:3 applies-to-negated",
    "docs/both.md:3 applies-to-nested",
    "docs/braces.md:5 applies-to-nested",
    "docs/not.md:5 applies-to-negated",
  ]);
  assert.ok(findings.every(({ severity }) => severity === "warning"));
});

test("lint() shows what nobody sees, with the line of the first one", async (t) => {
  const findings = await lintOf(t, {
    "docs/a.md": "# T\r\n\r\nText\u200b and \u202etext\r\n",
    "docs/b.md": "# T\n\n```\n\u200b\n```\n",
  });
  assert.deepEqual(brief(findings).slice(0, 2), [
    "docs/a.md:3 invisible-characters",
    "docs/b.md:4 invisible-characters",
  ]);
  assert.match(findings[0]!.message, /: 2, the first of them U\+200B/);
});

test("lint() reports a byte order mark", async (t) => {
  const findings = await lintOf(t, { "docs/a.md": `\ufeff${GOOD}`, "docs/b.md": "# Größe 設計 🏛\n" });
  assert.deepEqual(brief(findings), ["docs/a.md byte-order-mark"]);
});

test("lint() reports CRLF once for a category, and mixed line ends for each file", async (t) => {
  const windows = GOOD.replaceAll("\n", "\r\n");
  const findings = await lintOf(t, {
    "a/1.md": windows,
    "a/2.md": windows,
    "a/3.md": windows,
    "b/1.md": windows,
    "b/2.md": `${windows}x\n`,
    "b/3.md": "# T\rText\r",
    "c/1.md": GOOD,
  });
  assert.deepEqual(brief(findings).sort(), [
    "a/1.md line-ends",
    "b/1.md line-ends",
    "b/2.md line-ends",
    "b/3.md line-ends",
  ]);
  assert.match(findings.find(({ file }) => file === "a/1.md")!.message, /2 more files of a/);
});

test("lint() passes over a document that vanished since it was listed", (t) => {
  const catalogue = index({ root: makeRoot(t, { "docs/a.md": "", "docs/b.md": "" }) });
  const findings = lint({ catalogue, text: ({ name }) => name === "a" ? undefined : "[a](a.md#gone)" });
  assert.deepEqual(brief(findings), ["docs/b.md title-missing"]);
});

test("lint() of ten thousand records takes seconds, not minutes", (t) => {
  const names = Array.from({ length: 10_000 }, (_, number) => `${String(number + 1).padStart(5, "0")}-x`);
  const [model] = index({ root: makeRoot(t, { "adr/x.md": "" }) }).documents;
  const documents = names.map((name, number) => ({
    ...model!,
    key: `adr/${name}`,
    name,
    label: `adr/${name}.md`,
    record: { number: number + 1, status: "accepted", supersedes: ["1"], supersededBy: ["10000"] },
  }));
  const text = [
    "# T",
    ...["Context", "Decision", "Consequences"].map((part) => `## ${part}\n\nText.\n`),
    ...Array.from(
      { length: 20 },
      (_, link) => `[a](${names[link * 400]}.md#context) [b](architecture://adr/${link})`,
    ),
  ].join("\n");
  const start = performance.now();
  const catalogue = new Catalogue(documents, ["adr"], []);
  lint({ catalogue, text: () => text });
  assert.ok(performance.now() - start < 20_000);
});
