import assert from "node:assert/strict";
import { test } from "node:test";
import { moreHeadings, outlineOf } from "../../lib/documents/outline.ts";

const many = (count: number, title = (number: number) => `H${number}`) =>
  Array.from({ length: count }, (_, number) => `## ${title(number)}\n`).join("");

test("outlineOf() gives all headings of a document where they fit, whichever section is read", () => {
  for (const section of [undefined, "h50", "h99"]) {
    const outline = outlineOf(many(100), section);
    assert.deepEqual([outline.headings.length, outline.total, outline.after], [100, 100, 0]);
    assert.deepEqual(outline.headings[1], { level: 2, title: "H1", section: "h1", line: 2 });
    assert.equal(moreHeadings(outline), undefined);
  }
  assert.deepEqual(outlineOf("Text.", undefined), { headings: [], total: 0, after: 0 });
});

test("outlineOf() begins with the section that is read where not all headings fit", () => {
  const first = outlineOf(many(101), undefined);
  assert.deepEqual([first.headings.length, first.total, first.after], [100, 101, 1]);
  assert.equal(
    moreHeadings(first),
    '(1 of 101 sections are left out: for those that follow, call read_document again with section "h99")',
  );
  const last = outlineOf(many(101), "h99");
  assert.deepEqual(last.headings.map(({ section }) => section), ["h99", "h100"]);
  assert.equal(last.after, 0);
  assert.match(moreHeadings(last)!, /^\(99 of 101 .*without section for the first ones\)$/);
});

test("outlineOf() is bounded in characters, cuts titles, never slugs, and always leads on", () => {
  const text = many(50, (number) => `${number} ${"漢".repeat(1900)}`);
  const seen = new Set<string>();
  let outline = outlineOf(text, undefined);
  for (;;) {
    assert.ok(JSON.stringify(outline).length < 15_000);
    for (const { title, section } of outline.headings) {
      seen.add(section);
      assert.ok(title.endsWith("漢…") && title.length === 200);
      assert.ok(section.endsWith("漢".repeat(1900)));
    }
    if (outline.after === 0) break;
    const { section } = outline.headings.at(-1)!;
    assert.notEqual(section, outline.headings[0]!.section, "the next outline is another one");
    outline = outlineOf(text, section);
  }
  assert.equal(seen.size, 50);
});
