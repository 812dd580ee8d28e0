import assert from "node:assert/strict";
import { test } from "node:test";
import { plain, readSections, sectionText, toLines } from "../../lib/documents/sections.ts";

function sections(text: string) {
  return readSections(toLines(text), 0);
}

function outline(text: string): string[] {
  return sections(text).map(({ level, title, slug }) => `${level} ${title} #${slug}`);
}

test("readSections() finds headings with marks and with underlines", () => {
  assert.deepEqual(
    outline(
      "# One #\n\nText\n\nTwo\n===\n\nThree\n---\n\n### `Four` *and* [more](x.md) ###\n#no\n####### no\n",
    ),
    ["1 One #one", "1 Two #two", "2 Three #three", "3 Four and more #four-and-more"],
  );
});

test("readSections() takes no heading from code, comments and tables", () => {
  assert.deepEqual(
    outline(
      "# A\n\n```md\n# no\n~~~\n# no\n```\n\n~~~~\n```\n# no\n~~~\n~~~~\n\n<!--\n# no\n-->\n\n    # no\n\n| a |\n---\n\n- b\n---\n\n# Z\n",
    ),
    ["1 A #a", "1 Z #z"],
  );
});

test("readSections() goes on behind code that begins and ends in one line", () => {
  assert.deepEqual(outline("# A\n\n```one line```\n\n# B\n"), ["1 A #a", "1 B #b"]);
});

test("readSections() knows an underline below bold text, and a line of dashes below nothing", () => {
  assert.deepEqual(outline("**Bold**\n---\n\n---\n\n***\n---\n"), ["2 Bold #bold"]);
});

test("readSections() gives every section a slug of its own", () => {
  assert.deepEqual(
    sections("# A\n# A\n# A 1\n# A\n# Größe: 100 %\n# 設計 の 理由\n# ?\n# ?\n").map(({ slug }) => slug),
    ["a", "a-1", "a-1-1", "a-2", "größe-100-", "設計-の-理由", "", "-1"],
  );
});

test("readSections() ends a section where one of its level or above begins", () => {
  const found = sections("# A\n## B\n### C\n## D\ntext\n# E\n");
  assert.deepEqual(found.map(({ title, line, end }) => [title, line, end]), [
    ["A", 0, 5],
    ["B", 1, 3],
    ["C", 2, 3],
    ["D", 3, 5],
    ["E", 5, 7],
  ]);
});

test("sectionText() gives a section byte for byte, line ends included", () => {
  const text = "---\ntitle: x\n---\r\n# A\r\n\r\n## B\r\nline\rnext\n\n## C\nlast";
  assert.equal(sectionText(text, "b"), "## B\r\nline\rnext\n\n");
  assert.equal(sectionText(text, "c"), "## C\nlast");
  assert.equal(sectionText(text, "a"), text.slice(text.indexOf("# A")));
  assert.equal(sectionText(text, "nothing"), undefined);
});

test("sectionText() takes no heading from the front matter, closed or not", () => {
  assert.equal(sectionText("---\n# a: b\nx: y\n---\n# A\n", "a-b"), undefined);
  assert.equal(sectionText("---\nx: y\n\n# A\ntext\n", "a"), "# A\ntext\n");
});

test("plain() takes marks off and leaves text", () => {
  const pairs = [
    ["**bold** and _italic_ and `code`", "bold and italic and code"],
    ["[text](target.md) and ![picture](x.png)", "text and picture"],
    ["[text][reference] and [left] alone", "text and [left] alone"],
    ["snake_case_name stays", "snake_case_name stays"],
    ["Optional <!-- a hint -->", "Optional"],
    ['<a name="x"></a>Title<br/>', "Title"],
    ["List<T> stays", "List<T> stays"],
    ["\\[escaped\\] and \\*stars\\*", "[escaped] and *stars*"],
    ["  many\t spaces \n", "many spaces"],
  ] as const;
  for (const [markdown, text] of pairs) assert.equal(plain(markdown), text);
});

test("toLines() knows all three line ends", () => {
  assert.deepEqual(toLines("a\r\nb\nc\rd"), ["a", "b", "c", "d"]);
});
