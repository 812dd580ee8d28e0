import assert from "node:assert/strict";
import { test } from "node:test";
import { unifiedDiff } from "../../lib/cli/diff.ts";
import { cpuNow } from "../harness/process.ts";

const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** Applies a unified diff strictly, as `patch` does: every line of it must fit. */
function apply(text: string, diff: string): string {
  const old = linesOf(text);
  const lines = diff.replaceAll("\n\\ No newline at end of file\n", "\0").match(/[^\n\0]*[\n\0]/g)!.slice(2);
  const result: string[] = [];
  let at = 0;
  for (let index = 0; index < lines.length;) {
    const [, start, count = "1", nowStart, nowCount = "1"] = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@\n$/
      .exec(lines[index++]!)!;
    const from = Number(start) - (count === "0" ? 0 : 1);
    assert.ok(from >= at, "hunks are in order");
    result.push(...old.slice(at, at = from));
    assert.equal(result.length, Number(nowStart) - (nowCount === "0" ? 0 : 1));
    const before = result.length;
    for (; index < lines.length && !lines[index]!.startsWith("@@"); index++) {
      const line = lines[index]!.slice(1).replace("\0", "");
      const mark = lines[index]![0]!;
      assert.match(mark, /[ +-]/);
      if (mark !== "+") assert.equal(old[at++], line);
      if (mark !== "-") result.push(line);
    }
    assert.equal(at - from, Number(count));
    assert.equal(result.length - before, Number(nowCount));
  }
  return [...result, ...old.slice(at)].join("");
}

test("unifiedDiff() writes what diff -u writes", () => {
  const numbers = Array.from({ length: 20 }, (_, index) => `${index + 1}\n`);
  const cases: [before: string | undefined, after: string, hunks: string][] = [
    ["a\n", "a\n", ""],
    ["a", "b", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n"],
    ["a", "a\n", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"],
    ["", "a\n", "@@ -0,0 +1 @@\n+a\n"],
    ["a\n", "", "@@ -1 +0,0 @@\n-a\n"],
    [numbers.join(""), numbers.toSpliced(9, 1).join(""), "@@ -7,7 +7,6 @@\n 7\n 8\n 9\n-10\n 11\n 12\n 13\n"],
    // Six lines between two changes are shared, seven are not.
    [
      numbers.slice(0, 8).join(""),
      `x\n${numbers.slice(1, 7).join("")}y\n`,
      "@@ -1,8 +1,8 @@\n-1\n+x\n 2\n 3\n 4\n 5\n 6\n 7\n-8\n+y\n",
    ],
    [
      numbers.slice(0, 9).join(""),
      `x\n${numbers.slice(1, 8).join("")}y\n`,
      "@@ -1,4 +1,4 @@\n-1\n+x\n 2\n 3\n 4\n@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n+y\n",
    ],
  ];
  for (const [before, after, hunks] of cases) {
    assert.equal(unifiedDiff("x.md", before, after), hunks && `--- a/x.md\n+++ b/x.md\n${hunks}`);
  }
  assert.equal(unifiedDiff("x", undefined, "a\n"), "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n");
});

test("a diff applies to any text, and has no more edits than needed", () => {
  let seed = 1;
  const random = (below: number) => (seed = seed * 48271 % 2147483647) % below;
  const make = () =>
    Array.from({ length: random(14) }, () => "abc"[random(3)]).join("\n") + (random(2) ? "\n" : "");
  for (let round = 0; round < 3000; round++) {
    const [before, after] = [make(), make()];
    const diff = unifiedDiff("x", before, after);
    if (before === after) assert.equal(diff, "");
    else assert.equal(apply(before, diff), after);
    const [old = [], now = []] = [before, after].map(linesOf);
    // The longest common subsequence, a row of the table that every textbook has after the other.
    let row = now.map(() => 0);
    for (const line of old) {
      const next: number[] = [];
      now.forEach((other, at) => {
        next.push(line === other ? (row[at - 1] ?? 0) + 1 : Math.max(row[at]!, next[at - 1] ?? 0));
      });
      row = next;
    }
    const edits = diff.split("\n").slice(2).filter((line) => /^[-+]/.test(line)).length;
    assert.equal(edits, old.length + now.length - 2 * (row.at(-1) ?? 0));
  }
});

test("texts that have nothing in common are compared in bounded time", () => {
  const lines = (name: string) => Array.from({ length: 20_000 }, (_, index) => `${name}${index}\n`).join("");
  const [before, after] = [lines("a"), `${lines("b")}a19999\n`];
  const start = cpuNow();
  assert.equal(apply(before, unifiedDiff("x", before, after)), after);
  assert.ok(cpuNow() - start < 5000);
});
