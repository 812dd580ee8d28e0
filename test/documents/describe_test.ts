import assert from "node:assert/strict";
import { test } from "node:test";
import { describe, MAX_DESCRIPTION } from "../../lib/documents/describe.ts";

function descriptionOf(text: string, isRecord = false): string | undefined {
  return describe(text, "name", isRecord).description;
}

test("describe() takes the title from the front matter, else the first H1, else the name", () => {
  assert.equal(describe("---\ntitle: A: B\n---\n# C", "name", false).title, "A: B");
  assert.equal(describe("## B\n\n# **C** `d`\n\n# E", "name", false).title, "C d");
  assert.equal(describe("Title\n=====\n", "name", false).title, "Title");
  assert.equal(describe("#\n\n```\n# no\n```\n", "name", false).title, "name");
  assert.equal(describe("", "name", false).title, "name");
});

test("describe() keeps title and description on one line", () => {
  const { title, description } = describe(
    '---\ntitle: "a\\nb"\ndescription: |\n  c\n  d\n---\n',
    "name",
    false,
  );
  assert.equal(title, "a b");
  assert.equal(description, "c d");
});

test("describe() takes the description from the front matter, else the first paragraph", () => {
  assert.equal(descriptionOf("---\ndescription: D\n---\n\nText."), "D");
  assert.equal(descriptionOf("# A\nFirst line\nsecond *line*.\n\nNext."), "First line second line.");
  assert.equal(descriptionOf("# A\n"), undefined);
});

test("describe() passes over what is no paragraph", () => {
  const heads = [
    "> quote\ngoes on",
    "- item\ngoes on\n\n  and on",
    "1. item",
    "| a | b |\n| - | - |",
    "![picture](x.png)",
    "[![badge](x.svg)](y)",
    "[name]: target.md",
    "<div>",
    "<!-- comment\n\nstill -->",
    "```\ncode\n```",
    "    code",
    "Heading\n-------",
    "***",
    ":::note",
    "Status: accepted\nDate: 2026-01-01",
    "**Deciders**: all",
  ];
  for (const head of heads) assert.equal(descriptionOf(`# A\n\n${head}\n\nText.`), "Text.", head);
});

test("describe() ends a paragraph where a list begins", () => {
  assert.equal(descriptionOf("We want:\n- a\n- b"), "We want:");
});

test("describe() says of a record what its context is", () => {
  for (
    const heading of [
      "Context",
      "Context and Problem Statement",
      "1. Context",
      "Background & Context",
      "Problem",
    ]
  ) {
    assert.equal(
      descriptionOf(`# A\n\nDate: x\n\n## Status\n\nOk.\n\n## ${heading}\n\nWhy.`, true),
      "Why.",
      heading,
    );
  }
  assert.equal(descriptionOf("# Context matters\n\nFirst.\n\n## Decision\n\nX.", true), "First.");
  assert.equal(descriptionOf("# A\n\n## Abstract\n\nShort.\n\n## Context\n\nLong.", true), "Short.");
});

test("describe() says of a record without a context what comes first but for its status", () => {
  assert.equal(descriptionOf("# A\n\n## Status\n\nAccepted\n\n## Decision\n\nWe do.", true), "We do.");
  assert.equal(
    descriptionOf("# A\n\n## Context\n\n- only\n- items\n\n## Decision\n\nWe do.", true),
    "We do.",
  );
});

test("describe() cuts a description by characters, not in the middle of one", () => {
  const cut = descriptionOf("🏛".repeat(300))!;
  assert.equal(Array.from(cut).length, MAX_DESCRIPTION);
  assert.ok(cut.endsWith("🏛…") && cut.isWellFormed());
  assert.equal(descriptionOf("x".repeat(MAX_DESCRIPTION)), "x".repeat(MAX_DESCRIPTION));
});

test("describe() has facts only for records", () => {
  assert.equal(describe("# A\n\n## Status\n\nAccepted", "007-a", false).record, undefined);
});
