import assert from "node:assert/strict";
import { test } from "node:test";
import { lint } from "../../lib/documents/lint.ts";
import { withoutCode } from "../../lib/documents/lint_links.ts";
import { Shelf } from "../../lib/documents/shelf.ts";
import { makeFolder } from "../harness/folder.ts";
import { brief, files, lintOf, makeRoot } from "./shelf.ts";

const TARGETS = {
  "docs/b.md": '# B\n\n## Größe & Zahl\n\n<a id="named"></a>\n\n## Own {#own}\n',
  "docs/a b (c).md": "# A B\n",
  "docs/sub/d.md": "# D\n\n## Part\n",
  "patterns/p.md": "# P\n",
  "adr/007-x.md":
    "# X\n\n- Status: accepted\n\n## Context\n\nC\n\n## Decision\n\nD\n\n## Consequences\n\nE\n",
};

async function linksOf(t: Parameters<typeof lintOf>[0], ...lines: string[]): Promise<string[]> {
  return brief(await lintOf(t, { ...TARGETS, "docs/a.md": ["# A", "## Here", ...lines].join("\n") }));
}

test("lint() is content with links that lead somewhere", async (t) => {
  const links = [
    "[x](b.md) [x](./b.md) [x](../docs/b.md) [x](sub/d.md#part) [x](<b.md>) [x](b.md 'title')",
    "[x](b.md#größe--zahl) [x](b.md#gr%C3%B6%C3%9Fe--zahl) [x](b.md#named) [x](b.md#own)",
    "[x](<a b (c).md>) [x](a%20b%20(c).md) [x](a%20b%20%28c%29.md)",
    "[x](../patterns/p.md) [x](b.md?plain=1#L10) [x](b.md#L10-L20) [x](#) [x](#top) [x](#here)",
    "[x](architecture://docs/b#own) [x](architecture://adr/7#decision) <architecture://adr/007-x>",
    "[x]: b.md#own",
  ];
  assert.deepEqual(await linksOf(t, ...links), []);
});

test("lint() says nothing of what is no link between documents", async (t) => {
  const lines = [
    "[x](https://example.org/gone.md) [x](mailto:a@gone.md) [x](//host/gone.md) [x](/gone.md) [x](gone.png) [x](sub/)",
    "`[x](gone.md)` and ``[x](`gone.md)`` and \\`code",
    "",
    "```md",
    "[x](gone.md)",
    "```",
    "",
    "    [x](code.txt)",
    "<!-- [x](gone.md) -->",
    "[footnote]: some text",
    "architecture://adr/99 in prose, gone.md as well",
  ];
  assert.deepEqual(await linksOf(t, ...lines), []);
});

test("lint() finds links to documents that are not there", async (t) => {
  const lines = [
    "[x](gone.md)",
    "[x](sub/gone.md#a) and [x](sub/gone.md#b)",
    "[x][y]",
    "[y]: <gone.md>",
    "[x](architecture://docs/gone)",
    "<architecture://adr/99>",
    "[x](architecture://adr/../docs/b)",
    "[x](../patterns/gone.md)",
    "[x](7.md)",
    "![x](B.md)",
  ];
  assert.deepEqual(await linksOf(t, ...lines), [
    "docs/a.md:3 link-dead",
    "docs/a.md:4 link-dead",
    "docs/a.md:4 link-dead",
    "docs/a.md:6 link-dead",
    "docs/a.md:7 link-dead",
    "docs/a.md:8 link-dead",
    "docs/a.md:9 link-dead",
    "docs/a.md:10 link-dead",
    "docs/a.md:11 link-dead",
    "docs/a.md:12 link-dead",
  ]);
});

test("lint() finds links to sections that are not there", async (t) => {
  const lines = [
    "[x](#nowhere)",
    "[x](b.md#gone)",
    "[x](architecture://adr/7#gone)",
    "[x](b.md#Own)",
    "[x](#%E4)",
  ];
  assert.deepEqual(
    await linksOf(t, ...lines),
    [3, 4, 5, 6, 7].map((line) => `docs/a.md:${line} link-section-dead`),
  );
});

test("lint() reports a link once for each line", async (t) => {
  assert.deepEqual(await linksOf(t, "[x](gone.md) [y](gone.md)", "[x](gone.md)"), [
    "docs/a.md:3 link-dead",
    "docs/a.md:4 link-dead",
  ]);
});

test("lint() names both records when a link by number leads to two", async (t) => {
  const findings = await lintOf(t, { ...TARGETS, "adr/0007-y.md": "# Y\n\n[x](architecture://adr/7)\n" });
  const finding = findings.find(({ rule }) => rule === "link-dead");
  assert.match(finding!.message, /adr\/0007-y\.md and adr\/007-x\.md/);
});

test("lint() warns of links that lead out of what is served", async (t) => {
  const findings = await lintOf(t, {
    ...TARGETS,
    "docs/a.md":
      "# A\n\n[x](../../README.md)\n[x](../../../README.md)\n[x](../README.md)\n[x](../other/x.md)\n",
  });
  assert.deepEqual(brief(findings), [3, 4, 5, 6].map((line) => `docs/a.md:${line} link-leaves`));
  assert.ok(findings.every(({ severity }) => severity === "warning"));
});

test("lint() blames no link for a folder that somebody mounted in the place of another", async (t) => {
  const root = makeRoot(t, { "docs/a.md": "# A\n\n[x](../adr/001-own.md)\n", "adr/001-own.md": "# Own\n" });
  const path = makeFolder(t, {
    "readme.md": "# R\n\n[x](../docs/gone.md) [x](../LICENSE.md) [x](gone.md)\n",
  });
  const shelf = new Shelf(files, { root, mounts: [{ name: "adr", path }] });
  await shelf.ready();
  assert.deepEqual(brief(lint(shelf)), ["adr/readme.md:3 link-leaves", "adr/readme.md:3 link-dead"]);
});

test("withoutCode() takes out what stands between equal runs of backticks", () => {
  assert.equal(withoutCode("a `b` c"), "a   c");
  assert.equal(withoutCode("a ``b ` c`` d `e"), "a   d `e");
  assert.equal(withoutCode("`a`` b` c"), "  c");
  assert.equal(withoutCode("no code"), "no code");
});
