import assert from "node:assert/strict";
import { test } from "node:test";
import { toMatcher } from "../../lib/documents/catalogue.ts";
import { index, makeRoot } from "./shelf.ts";

type Test = Parameters<typeof makeRoot>[0];

function catalogueOf(t: Test, ...names: string[]) {
  return index({ root: makeRoot(t, Object.fromEntries(names.map((name) => [name, `# ${name}\n`]))) });
}

function found(catalogue: ReturnType<typeof catalogueOf>, uri: string): string {
  const answer = catalogue.find(uri);
  if (answer.kind === "document") return answer.document.label;
  return answer.kind === "none" ? "none" : answer.candidates.map(({ label }) => label).join(" or ");
}

test("Catalogue has its documents in the order of their URIs, by code unit", (t) => {
  const catalogue = catalogueOf(t, "b/x.md", "a/z.md", "a/Z.md", "a/ä.md", "a/x/y.md", "a-b/x.md");
  const keys = catalogue.documents.map(({ key }) => key);
  assert.deepEqual(keys, [...keys].sort());
  assert.deepEqual(catalogue.categories, ["a", "a-b", "b"]);
  assert.ok(Object.isFrozen(catalogue.documents) && Object.isFrozen(catalogue.categories));
});

test("find() knows a document in every spelling of its URI", (t) => {
  const catalogue = catalogueOf(t, "docs/a b (größe).md", "docs/100%.md");
  const spellings = [
    "architecture://docs/a%20b%20%28gr%C3%B6%C3%9Fe%29",
    "architecture://docs/a b (größe)",
    "architecture://docs/a b (gro\u0308ße)",
    "architecture://docs/a%20b (gr%c3%b6ße)",
    "ARCHITECTURE://docs/a b (größe)#section",
    "file:///docs/a b (größe).md",
  ];
  for (const uri of spellings) assert.equal(found(catalogue, uri), "docs/a b (größe).md", uri);
  assert.equal(found(catalogue, "architecture://docs/100%"), "docs/100%.md");
  assert.equal(found(catalogue, "architecture://docs/100%25"), "docs/100%.md");
});

test("find() finds nothing by a path, by another case, or by a folder", (t) => {
  const catalogue = catalogueOf(t, "docs/x.md", "docs/sub/y.md");
  const others = [
    "architecture://docs/../docs/x",
    "architecture://docs/./x",
    "architecture://docs//x",
    "architecture://docs/x/",
    "architecture://docs/x.md",
    "architecture://docs/X",
    "architecture://Docs/x",
    "architecture://docs",
    "architecture://docs/sub",
    "architecture://docs%2Fx",
    "architecture:///docs/x",
    "file:///docs/x",
    "http://docs/x",
    "constructor",
    "architecture://__proto__",
    "",
  ];
  for (const uri of others) assert.equal(found(catalogue, uri), "none", uri);
});

test("find() knows a record by its number, whatever its digits", (t) => {
  const catalogue = catalogueOf(t, "adr/007-x.md", "adr/0012-y.md", "adr/adr-20-z.md", "adr/20260728-d.md");
  for (const name of ["7", "07", "007", "0007", "adr-7", "ADR-007", "007-x"]) {
    assert.equal(found(catalogue, `architecture://adr/${name}`), "adr/007-x.md", name);
  }
  assert.equal(found(catalogue, "file:///adr/12.md"), "adr/0012-y.md");
  assert.equal(found(catalogue, "architecture://adr/20#decision"), "adr/adr-20-z.md");
  for (const name of ["8", "7-x", "7a", "-7", "7.0", "", "20260728", "2026"]) {
    assert.equal(found(catalogue, `architecture://adr/${name}`), "none", name);
  }
});

test("find() knows numbers of records only, each in its own folder", (t) => {
  const catalogue = catalogueOf(
    t,
    "docs/007-x.md",
    "adr/a/007-x.md",
    "adr/b/007-y.md",
    "adr/8-folder/README.md",
  );
  assert.equal(found(catalogue, "architecture://docs/7"), "none");
  assert.equal(found(catalogue, "architecture://adr/7"), "none");
  assert.equal(found(catalogue, "architecture://adr/a/7"), "adr/a/007-x.md");
  assert.equal(found(catalogue, "architecture://adr/b/7"), "adr/b/007-y.md");
  assert.equal(found(catalogue, "architecture://adr/8"), "adr/8-folder/README.md");
});

test("find() names all records that have the number, when more than one has it", (t) => {
  const catalogue = catalogueOf(t, "adr/007-x.md", "adr/0007-y.md");
  assert.equal(found(catalogue, "architecture://adr/7"), "adr/0007-y.md or adr/007-x.md");
  assert.equal(found(catalogue, "architecture://adr/007-x"), "adr/007-x.md");
});

test("find() takes a file whose whole name is a number before one that begins with it", (t) => {
  const catalogue = catalogueOf(t, "adr/7.md", "adr/007-x.md");
  assert.equal(found(catalogue, "architecture://adr/7"), "adr/7.md");
});

test("get() takes a key for what it is", (t) => {
  const catalogue = catalogueOf(t, "adr/007-x.md");
  assert.equal(catalogue.get("adr/007-x")?.label, "adr/007-x.md");
  assert.equal(catalogue.get("adr/7"), undefined);
});

test("resolve() finds what a record refers to, in the words of records", (t) => {
  const catalogue = catalogueOf(t, "adr/005-use-y.md", "adr/007-x.md", "adr/20260101-d.md", "patterns/p.md");
  const from = catalogue.get("adr/007-x")!;
  const references = [
    "005-use-y.md",
    "./005-use-y.md",
    "../adr/005-use-y.md#decision",
    "005-use-y",
    "5",
    "ADR-5",
    "ADR #5",
    "5. Use Y",
    "ADR-0005 (in part)",
    "0005-the-old-title.md",
    "/adr/5",
    "architecture://adr/5#decision",
  ];
  for (const reference of references) {
    assert.equal(catalogue.resolve(from, reference)?.name, "005-use-y", reference);
  }
  assert.equal(catalogue.resolve(from, "20260101-d")?.name, "20260101-d");
  assert.equal(catalogue.resolve(from, "../patterns/p.md")?.name, "p");
  for (const reference of ["6", "the wiki", "../005-use-y.md", "https://example.org/adr/5", ""]) {
    assert.equal(catalogue.resolve(from, reference), undefined, reference);
  }
});

test("resolve() guesses nothing when two records have the number", (t) => {
  const catalogue = catalogueOf(t, "adr/005-x.md", "adr/0005-y.md", "adr/007-z.md");
  assert.equal(catalogue.resolve(catalogue.get("adr/007-z")!, "ADR-5"), undefined);
});

test("match() gives the documents of a pattern, in the order of their URIs", (t) => {
  const catalogue = catalogueOf(t, "p/b.md", "p/a.md", "p/sub/c.md", "q/a.md");
  const labels = (pattern: string) => catalogue.match(pattern).map(({ label }) => label);
  assert.deepEqual(labels("p/*"), ["p/a.md", "p/b.md"]);
  assert.deepEqual(labels("p/**"), ["p/a.md", "p/b.md", "p/sub/c.md"]);
  assert.deepEqual(labels("*/a"), ["p/a.md", "q/a.md"]);
  assert.deepEqual(labels("nothing/*"), []);
});

test("toMatcher() keeps one star within a segment, and lets two cross", () => {
  const cases: [string, string, boolean][] = [
    ["a/*", "a/b", true],
    ["a/*", "a/b/c", false],
    ["a/*/c", "a/b/c", true],
    ["a/*/c", "a/b/b/c", false],
    ["a/**/c", "a/b/b/c", true],
    ["a/**", "a/", true],
    ["**", "a/b/c", true],
    ["*", "a/b", false],
    ["a/b*d", "a/bcd", true],
    ["a/b*d", "a/bd", true],
    ["a/b*d", "a/bc/d", false],
    ["a/*.*", "a/b.c", true],
    ["a/[b]", "a/b", false],
    ["a/?", "a/b", false],
    ["a/.", "a/b", false],
    ["", "", true],
    ["", "a", false],
  ];
  for (const [pattern, key, expected] of cases) {
    assert.equal(toMatcher(pattern)(key), expected, `${pattern} on ${key}`);
  }
});
