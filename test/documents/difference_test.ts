import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import type { Catalogue } from "../../lib/documents/catalogue.ts";
import type { Difference } from "../../lib/documents/difference.ts";
import { affects, compare, isSame } from "../../lib/documents/difference.ts";
import { ChangingFiles } from "./changing_files.ts";
import { stopClock } from "./clock.ts";
import { index } from "./shelf.ts";

const A = "/root/resources/docs/a.md";
const B = "/root/resources/docs/b.md";
const RECORD = "/root/resources/adr/7-x.md";
const FILES = {
  [A]: "# A\n\nText.\n\nMore.\n",
  [B]: "# B\n",
  [RECORD]: "---\nstatus: proposed\n---\n# X\n",
};

/** Two pictures: before and after some change. */
function around(test: TestContext, change: (files: ChangingFiles) => void): [Catalogue, Catalogue] {
  stopClock(test);
  const files = new ChangingFiles(FILES);
  const before = index({ root: "/root" }, undefined, files.system);
  change(files);
  return [before, index({ root: "/root" }, before, files.system)];
}

/** What is different after some change. */
function difference(test: TestContext, change: (files: ChangingFiles) => void): Difference | undefined {
  return compare(...around(test, change));
}

test("compare() finds nothing where nothing happened, and where files were only touched", (t) => {
  assert.equal(difference(t, () => {}), undefined);
});

test("compare() finds nothing where files were only touched, or replaced by the same", (t) => {
  assert.equal(
    difference(t, (files) => {
      files.write(A, FILES[A]!);
      files.replace(RECORD, FILES[RECORD]!);
    }),
    undefined,
  );
});

test("compare() finds a text that changed where nothing is listed of it", (t) => {
  const found = difference(t, (files) => files.write(A, "# A\n\nText.\n\nLess.\n"))!;
  assert.deepEqual([found.isListedAnew, [...found.keys]], [false, ["docs/a"]]);
});

for (
  const [what, path, text] of [
    ["a title", A, "# New\n\nText.\n"],
    ["a description", A, "# A\n\nNew.\n"],
    ["the status of a record", RECORD, "---\nstatus: accepted\n---\n# X\n"],
  ] as const
) {
  test(`compare() finds ${what} that changed`, (t) => {
    const found = difference(t, (files) => files.write(path, text))!;
    assert.deepEqual([found.isListedAnew, found.keys.size], [true, 1]);
  });
}

test("compare() finds what came and what went", (t) => {
  const found = difference(t, (files) => {
    files.remove(A);
    files.write("/root/resources/docs/c.md", "# C\n");
  })!;
  assert.deepEqual([found.isListedAnew, [...found.keys].sort()], [true, ["docs/a", "docs/c"]]);
});

test("compare() finds a category that came, also an empty one", (t) => {
  const found = difference(t, (files) => files.write("/root/resources/new/notes.txt", ""))!;
  assert.deepEqual([found.isListedAnew, [...found.keys]], [true, []]);
});

test("affects() is true for every spelling of what changed, and for nothing else", (t) => {
  const found = difference(t, (files) => {
    files.write(A, "# New\n");
    files.write(RECORD, "# New\n");
  })!;
  for (
    const uri of [
      "architecture://docs/a",
      "file:///docs/a.md",
      "architecture://docs/a#more",
      "architecture://adr/7",
      "architecture://adr/007",
      "architecture://adr/7-x",
    ]
  ) assert.equal(affects(found, uri), true, uri);
  for (const uri of ["architecture://docs/b", "architecture://docs/none", "architecture://docs", "x:y", ""]) {
    assert.equal(affects(found, uri), false, uri);
  }
});

test("affects() is true for what came and for what went", (t) => {
  const found = difference(t, (files) => {
    files.remove(A);
    files.write("/root/resources/docs/c.md", "# C\n");
  })!;
  assert.equal(affects(found, "architecture://docs/a"), true);
  assert.equal(affects(found, "architecture://docs/c"), true);
});

test("affects() is true for a number that names another record now, or more than one", (t) => {
  const second = difference(t, (files) => files.write("/root/resources/adr/007-y.md", "# Y\n"))!;
  assert.equal(affects(second, "architecture://adr/7"), true);
  assert.equal(affects(second, "architecture://adr/7-x"), false);
});

test("affects() is true for the number of a record that was renamed", (t) => {
  const renamed = difference(t, (files) => {
    files.remove(RECORD);
    files.write("/root/resources/adr/7-z.md", FILES[RECORD]!);
  })!;
  assert.equal(affects(renamed, "architecture://adr/7"), true);
});

test("isSame() is true only where one picture can stand for the other", (t) => {
  const [before, after] = around(t, () => {});
  assert.equal(isSame(before, after), true);
});

for (
  const [what, change] of [
    ["a document is new", (files) => files.write("/root/resources/docs/c.md", "# C\n")],
    ["a document is gone", (files) => files.remove(A)],
    ["the last document is gone", (files) => files.remove(B)],
    ["a document was only touched: its time is listed", (files) => files.write(A, FILES[A]!)],
    ["one came for another", (files) => {
      files.remove(A);
      files.write("/root/resources/docs/c.md", FILES[A]!);
    }],
    ["a category is new", (files) => files.write("/root/resources/new/notes.txt", "")],
    ["a finding is new", (files) => files.write("/root/resources/docs/c.md", Uint8Array.of(0))],
  ] as [string, (files: ChangingFiles) => void][]
) {
  test(`isSame() is false when ${what}`, (t) => assert.equal(isSame(...around(t, change)), false));
}
