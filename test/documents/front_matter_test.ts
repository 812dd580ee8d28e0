import assert from "node:assert/strict";
import { test } from "node:test";
import { listOf, readFrontMatter, textOf } from "../../lib/documents/front_matter.ts";

function read(...lines: string[]) {
  return readFrontMatter(lines);
}

test("readFrontMatter() reads keys and values, and finds the first line of the body", () => {
  const { values, bodyLine, problems } = read(
    "---",
    "title: A title",
    "Status:   accepted  ",
    "---",
    "# Body",
  );
  assert.deepEqual({ ...values }, { title: "A title", status: "accepted" });
  assert.equal(bodyLine, 4);
  assert.deepEqual(problems, []);
});

test("readFrontMatter() ends at ... as well, and knows spaces behind the marks", () => {
  assert.equal(read("---  ", "a: b", "...\t", "text").bodyLine, 3);
});

test("readFrontMatter() takes quotes off and reads what is escaped in them", () => {
  const { values } = read(
    "---",
    `double: "say \\"hi\\": #1\\n" # a comment`,
    "single: 'it''s: fine'",
    "plain: a value # and a comment",
    "url: https://example.org/#top",
    "---",
  );
  assert.deepEqual({ ...values }, {
    double: 'say "hi": #1\n',
    single: "it's: fine",
    plain: "a value",
    url: "https://example.org/#top",
  });
});

test("readFrontMatter() reads lists in brackets and lists of lines", () => {
  const { values, problems } = read(
    "---",
    `tags: [a, "b, c", 'd', ]`,
    "supersedes:",
    "  - 4",
    "  # a comment between",
    "  - 0005-x.md",
    "flat:",
    "- one",
    "- two",
    "empty: []",
    "---",
  );
  assert.deepEqual(values["tags"], ["a", "b, c", "d"]);
  assert.deepEqual(values["supersedes"], ["4", "0005-x.md"]);
  assert.deepEqual(values["flat"], ["one", "two"]);
  assert.deepEqual(values["empty"], []);
  assert.deepEqual(problems, []);
});

test("readFrontMatter() reads values that go on in the lines below", () => {
  const { values, problems } = read(
    "---",
    "folded: >-",
    "  one",
    "  two",
    "literal: |",
    "  one",
    "  two",
    "plain: one",
    "  two",
    "below:",
    "  3. A title",
    'quoted: "one',
    '  two"',
    "last: x",
    "---",
  );
  assert.deepEqual({ ...values }, {
    folded: "one two",
    literal: "one\ntwo",
    plain: "one two",
    below: "3. A title",
    quoted: "one two",
    last: "x",
  });
  assert.deepEqual(problems, []);
});

test("readFrontMatter() passes nested values over", () => {
  const { values, problems } = read(
    "---",
    "nested:",
    "  inner: x",
    "  deeper:",
    "    - y",
    "status: accepted",
    "---",
  );
  assert.deepEqual(values["nested"], []);
  assert.equal(values["status"], "accepted");
  assert.deepEqual(problems, []);
});

test("readFrontMatter() says which lines it cannot read, and reads the others", () => {
  const { values, bodyLine, problems } = read(
    "---",
    "status: accepted",
    "what is this",
    "date: 2026-01-01",
    "---",
    "x",
  );
  assert.deepEqual({ ...values }, { status: "accepted", date: "2026-01-01" });
  assert.equal(bodyLine, 5);
  assert.deepEqual(problems, [{ line: 3, reason: "it is neither a key nor a list item" }]);
});

test("readFrontMatter() keeps the first value of a key that stands there twice, and says so", () => {
  const { values, problems } = read("---", "a: 1", "A: 2", "b:", "- x", "b:", "- y", "---");
  assert.equal(values["a"], "1");
  assert.deepEqual(values["b"], ["x"]);
  assert.deepEqual(problems.map(({ line }) => line), [3, 6, 7]);
});

test("readFrontMatter() without a closing line takes what can be read, and says so", () => {
  const { values, bodyLine, problems } = read("---", "title: X", "status: accepted", "", "# X", "key: value");
  assert.deepEqual({ ...values }, { title: "X", status: "accepted" });
  assert.equal(bodyLine, 3);
  assert.deepEqual(problems, [{ line: 1, reason: "the front matter has no closing ---" }]);
});

test("readFrontMatter() takes lines of dashes around prose for what they are", () => {
  assert.equal(read("---", "", "# Title", "", "Text.").bodyLine, 0);
  assert.deepEqual(read("---", "", "# Title", "", "Text.").problems, []);
  assert.equal(read("---", "Some prose, no key.", "---", "More.").bodyLine, 0);
  assert.equal(read("---", "Some prose, no key.", "---", "More.").problems.length, 1);
  assert.equal(read("---", "---", "Text").bodyLine, 2);
});

test("readFrontMatter() finds none in a document that does not begin with it", () => {
  for (const lines of [[], [""], ["# Title", "---", "a: b", "---"], [" ---", "a: b", "---"]]) {
    assert.deepEqual({ ...readFrontMatter(lines).values }, {});
    assert.equal(readFrontMatter(lines).bodyLine, 0);
  }
});

test("readFrontMatter() has no keys but those of the document", () => {
  const { values } = read("---", "__proto__: x", "constructor: y", "---");
  assert.equal(values["__proto__"], "x");
  assert.equal(values["constructor"], "y");
  assert.equal(values["toString"], undefined);
  assert.equal(Object.getPrototypeOf(values), null);
});

test("textOf() and listOf() give one value in the form that is asked for", () => {
  assert.equal(textOf(["a", "b"]), "a, b");
  assert.equal(textOf([]), undefined);
  assert.equal(textOf(""), undefined);
  assert.deepEqual(listOf("a"), ["a"]);
  assert.deepEqual(listOf(undefined), []);
  assert.deepEqual({ ...read("---", "a: ~", "b: null", "---").values }, { a: "", b: "" });
});
