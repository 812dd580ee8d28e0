import assert from "node:assert/strict";
import { test } from "node:test";
import { nearest } from "../../lib/base/nearest.ts";
import { didYouMean } from "../../lib/base/text.ts";
import { cpuNow } from "../harness/process.ts";

const COMMANDS = ["serve", "list", "read", "prompt", "check", "--root", "--records", "--mount"];
const KEYS = ["adr/001-use-x", "adr/0012-use-y", "guidelines/naming", "guidelines/errors", "sub/adr/7-z"];

/** Words, the known names, and the expected suggestions. */
const TABLE: readonly (readonly [words: string, names: readonly string[], meant: readonly string[]])[] = [
  ["lsit LIST lis lists", COMMANDS, ["list"]],
  ["srve serv sreve", COMMANDS, ["serve"]],
  ["--rot --roots --ROOT", COMMANDS, ["--root"]],
  ["deploy x", COMMANDS, []],
  ["naming naming.md NAMING guidelines/namin guidlines/naming patterns/naming docs/guidelines/naming", KEYS, [
    "guidelines/naming",
  ]],
  ["adr/1 adr/001 1 adr/adr-1 adrs/1 001-use-something-else adr/001-use-x.md", KEYS, ["adr/001-use-x"]],
  ["adr/12 12", KEYS, ["adr/0012-use-y"]],
  ["adr/2 adr/99 99 zzz", KEYS, []],
  ["acc", ["accepted", "proposed"], ["accepted"]],
  ["a", ["aa", "ab"], []],
  ["ab", ["abc", "abd", "abe", "abf"], []],
  ["abx", ["abc", "abd", "abe"], ["abc", "abd", "abe"]],
  ["abx", ["abc", "abd", "abe", "abf"], []],
];

test("nearest() suggests names for a misspelled word, and nothing if there is no clear match", () => {
  for (const [words, names, meant] of TABLE) {
    for (const word of words.split(" ")) assert.deepEqual(nearest(word, names), meant, word);
  }
  assert.deepEqual(nearest("", KEYS), []);
});

test("nearest() takes little time for long words and many names", () => {
  const names = Array.from({ length: 100_000 }, (_, index) => `guidelines/a-name-of-some-length-${index}`);
  const start = cpuNow();
  assert.deepEqual(nearest("x".repeat(1_000_000), names), []);
  assert.deepEqual(nearest(`guidelines/a-neme-of-some-langth-${"9".repeat(100)}`, names), []);
  assert.ok(cpuNow() - start < 2000);
});

test("didYouMean() lists names as a sentence does", () => {
  const listed = [[], ["a"], ["a, z"], ["a", "b"], ["a", "b", "c"]].map(didYouMean).join("");
  assert.equal(
    listed,
    " (did you mean a?) (did you mean a, z?) (did you mean a or b?) (did you mean a, b or c?)",
  );
});
