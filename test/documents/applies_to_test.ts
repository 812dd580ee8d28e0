import assert from "node:assert/strict";
import { test } from "node:test";
import { findApplying } from "../../lib/documents/applies_to.ts";
import { catalogueOf } from "./search_shelf.ts";

/** Documents that apply to these patterns, by name. */
function about(patterns: Readonly<Record<string, readonly string[]>>): ReturnType<typeof catalogueOf> {
  return catalogueOf(
    new Map(
      Object.entries(patterns).map(([name, list]) => [
        `guidelines/${name}`,
        `---\napplies-to:\n${list.map((pattern) => `  - "${pattern}"\n`).join("")}---\n# ${name}\n`,
      ]),
    ),
  );
}

const never = new AbortController().signal;

test("findApplying() names the most specific pattern of each document, and the files that fit it", async () => {
  const catalogue = about({
    a: ["**", "src/**", "src/api/*.ts", "lib/**"],
    b: ["src/**", "*.md"],
    c: ["docs/**"],
    d: [],
  });
  const paths = ["src/api/a.ts", "src\\b.ts", "README.md"];
  const expected = [
    ["guidelines/a", "src/api/*.ts", ["src/api/a.ts"]],
    ["guidelines/b", "src/**", ["src/api/a.ts", "src\\b.ts"]],
  ];
  // The second time, the patterns are known.
  for (let time = 0; time < 2; time++) {
    const found = await findApplying(catalogue, paths, never);
    assert.deepEqual(found.map(({ document, glob, paths }) => [document.key, glob.pattern, paths]), expected);
  }
});

test("findApplying() lets others have their turn, and ends soon after it is told to", async () => {
  // Far more than anybody waits for, in case nobody stops it.
  const patterns = Array.from({ length: 400 }, (_, index) => `${"*a".repeat(300 + index)}[x]`);
  const controller = new AbortController();
  const found = findApplying(about({ a: patterns }), Array(100).fill("a".repeat(1000)), controller.signal);
  const reason = new Error("Enough");
  setTimeout(() => controller.abort(reason), 1);
  await assert.rejects(found, (error) => error === reason);
});
