/** Documents that are written to keep the program busy are read in no time. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { documentProvider, lint } from "../../lib/documents/mod.ts";
import { MemoryFiles } from "./stores.ts";

/** What grows with the square of its input takes minutes. */
const LIMIT_MS = 5000;
/** In characters: one line, or many. */
const LINE_SIZE = 400_000;
const LINES_SIZE = 100_000;

/** Fills a line, or many. */
function fill(part: string, before = "", after = ""): string {
  const size = /[\r\n]/.test(part) ? LINES_SIZE : LINE_SIZE;
  return before + part.repeat(Math.ceil(size / part.length)) + after;
}

const TEXTS: Readonly<Record<string, string>> = {
  "spaces": fill(" "),
  "spaces before a mark": fill(" ", "# ", "#"),
  "spaces in a key": fill(" ", "---\na", ":x\n---\n"),
  "words in a key": fill("a ", "---\n", "x\n---\n"),
  "many keys": fill("a: b\n", "---\n", "---\n"),
  "many odd lines": fill("x\n", "---\na: b\n", "---\n"),
  "open quotes": fill('"', "---\na: ", "\n---\n"),
  "escapes in quotes": fill("\\", '---\na: "', "\n---\n"),
  "open lists": fill('["', "---\na: [", "]\n---\n"),
  "values that go on": fill(" x\n", "---\na: b\n", "---\n"),
  "front matter without an end": fill("a: b\n", "---\n"),
  "number signs": fill("#", "# a"),
  "headings": fill("# a\n"),
  "headings of nothing": fill("#\n"),
  "open brackets in headings": fill(`## ${"[".repeat(1000)}\n`),
  "link ends in facts": fill(`- supersedes ](${"x](".repeat(600)}\n`),
  "headings of all levels": fill("# a\n## b\n### c\n"),
  "equal headings, numbered": fill("# a\n# a 1\n"),
  "status sections": fill("## Status\n", "# A\n"),
  "status sections with text": fill("## Status\n\nx\n", "# A\n"),
  "underlines": fill("a\n===\n"),
  "a line of =": fill("=", "a\n"),
  "a line of -": fill("-", "a\n"),
  "fences": fill("```\n"),
  "a line of backticks": fill("`", "", "x`"),
  "backticks of all lengths": fill("` `` ``` "),
  "backticks without a partner": Array.from({ length: 1400 }, (_, length) => "`".repeat(length)).join(" "),
  "tildes": fill("~", "", "x"),
  "open comments": fill("<!--"),
  "comments": fill("<!-- -->\n"),
  "open brackets": fill("["),
  "open links": fill("[a]("),
  "links": fill("[a](b.md)"),
  "link targets with spaces": fill(" ", "[a](", "x"),
  "brackets in targets": fill("(", "[a]("),
  "half targets": fill("](a"),
  "targets in angle brackets": fill("](<"),
  "definitions": fill("[a]: b.md\n"),
  "an open definition": fill("[", "[", "]: x"),
  "stars": fill("*"),
  "underscores": fill("_", "a"),
  "underscores between words": fill("a_"),
  "tags": fill("<a "),
  "ids": fill("<a id="),
  "braces": fill("{#a"),
  "facts": fill("Status: accepted\n"),
  "a fact of stars": fill("*", "Status", ": x"),
  "a fact of spaces": fill(" ", "- Status", "x"),
  "a fact of pipes": fill("|", "| Status ", "x"),
  "supersedes": fill("supersedes ", "## Status\n\n"),
  "superseded by lists": fill("1,", "---\nsuperseded-by: ", "\n---\n"),
  "a status of links": fill("](x)", "## Status\n\nSuperseded by "),
  "a status of strokes": fill("~~", "## Status\n\n"),
  "a status of pipes": fill("a |", "## Status\n\n"),
  "lists": fill("- a\n"),
  "quotes": fill("> a\n"),
  "tables": fill("| a "),
  "letters": fill("a"),
  "zero width characters": fill("\u200b"),
  "joined emoji": fill("👩\u200d"),
  "flags without an end": fill("\u{1f3f4}\u{e0067}"),
  "carriage returns": fill("\r"),
};

for (const [name, text] of Object.entries(TEXTS)) {
  test(`a flood of ${name} is listed, read and checked within ${LIMIT_MS} ms`, async () => {
    const files = new MemoryFiles({ "adr/007-x.md": text }, "/root/resources/");
    const provider = documentProvider({ files: files.system }, { root: "/root" });
    const start = performance.now();
    await provider.ready();
    await provider.read("architecture://adr/7#nothing", { revision: {} } as never);
    lint(provider.store);
    const took = performance.now() - start;
    assert.ok(took < LIMIT_MS, `It took ${took} ms`);
    const { title, description } = provider.store.catalogue.documents[0]!;
    assert.ok(title.length <= 2000 && (description ?? "").length <= 400, "what is listed stays short");
  });
}

test("a pattern full of stars is matched in no time", async () => {
  const files = new MemoryFiles({ [`adr/${"a".repeat(5000)}.md`]: "" }, "/root/resources/");
  const provider = documentProvider({ files: files.system }, { root: "/root" });
  await provider.ready();
  const start = performance.now();
  const patterns = {
    [`${"*a".repeat(200)}b`]: 0,
    [`${"**a".repeat(200)}`]: 1,
    [`adr/${"*".repeat(1000)}`]: 1,
    [`x${"**a".repeat(200)}`]: 0,
  };
  for (const [pattern, count] of Object.entries(patterns)) {
    assert.equal(provider.store.catalogue.match(pattern).length, count, pattern.slice(0, 10));
  }
  assert.ok(performance.now() - start < LIMIT_MS);
});
