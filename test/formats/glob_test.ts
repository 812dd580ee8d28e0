import assert from "node:assert/strict";
import { test } from "node:test";
import { toFilePath, toGlob } from "../../lib/formats/glob.ts";
import { toMatcher } from "../../lib/formats/wildcard.ts";
import { cpuNow } from "../harness/process.ts";

/** A pattern, the paths that it matches, and paths that it does not match. */
const TABLE: readonly (readonly [pattern: string, fits: readonly string[], others: readonly string[]])[] = [
  ["*.ts", ["a.ts", "src/a.ts", "src/deep/.ts"], ["a.tsx", "a.ts/b", "ats"]],
  ["Dockerfile", ["Dockerfile", "services/api/Dockerfile"], ["dockerfile", "Dockerfile.old", "Dockerfile/x"]],
  ["src/**", ["src/a", "src/a/b.ts"], ["src", "lib/src/a", "src2/a"]],
  ["src/**/*.ts", ["src/a.ts", "src/b/a.ts", "src/b/c/a.ts"], ["src/a.js", "a.ts", "srca.ts", "x/src/a.ts"]],
  ["src/*", ["src/a", "src/a.ts"], ["src/a/b", "src"]],
  ["src/*/index.ts", ["src/a/index.ts"], ["src/index.ts", "src/a/b/index.ts"]],
  ["/src", ["src"], ["lib/src", "src2"]],
  ["/*.ts", ["a.ts"], ["src/a.ts"]],
  ["docs/", ["docs/a.md", "docs/a/b.md"], ["docs", "my/docs/a.md", "docs2/a.md"]],
  ["/docs/", ["docs/a.md"], ["my/docs/a.md"]],
  ["./src/a.ts", ["src/a.ts"], ["a.ts", "b/src/a.ts"]],
  ["././src/a.ts", ["src/a.ts"], ["a.ts"]],
  ["**/x", ["x", "a/x", "a/b/x"], ["ax", "a/xx", "x/a"]],
  ["**", ["a", "a/b/c"], []],
  ["a/**/b/**/c", ["a/b/c", "a/x/b/y/z/c"], ["a/c", "a/b", "b/c"]],
  ["*.{ts,tsx}", ["a.ts", "src/a.tsx"], ["a.js", "a.", "a.{ts,tsx}"]],
  ["{a,b}/{c,d}.md", ["a/c.md", "b/d.md"], ["a/b.md", "c/a.md"]],
  ["a{,.test}.ts", ["a.ts", "a.test.ts"], ["a.spec.ts"]],
  ["a{b", ["a{b"], ["ab"]],
  ["[a-c].ts", ["a.ts", "x/c.ts"], ["d.ts", "ab.ts", "-.ts"]],
  ["[!0-9]*.md", ["a1.md"], ["1a.md"]],
  ["[^0-9].md", ["a.md"], ["1.md"]],
  ["src/[!a]b", ["src/cb"], ["src/ab", "src//b"]],
  ["[a-z_-]", ["_", "-", "q"], ["Q"]],
  ["[]a]", ["]", "a"], ["b"]],
  ["[ab", ["[ab"], ["a"]],
  ["a?c", ["abc", "x/a-c", "a😀c"], ["ac", "a/c", "abbc"]],
  ["src\\api\\*.ts", ["src/api/a.ts", "src\\api\\a.ts"], ["src/a.ts"]],
  ["a*??c", ["a😀xc", "abbbc"], ["a😀c", "abc"]],
  ["**a**/b", ["a/b", "xxab", "x/ay/b"], ["a/xb", "b"]],
  ["a/***/b", ["a/x/b", "a/x/y/b"], ["a/b", "ab"]],
  ["**/**/a", ["a", "x/a"], ["xa"]],
  ["ab*ba", ["abba", "ab-ba"], ["aba", "ab/ba"]],
  ["日本/*.md", ["日本/語.md"], ["日/語.md"]],
  ["a.b", ["a.b"], ["aXb"]],
  ["(a|b)+$", ["(a|b)+$"], ["a", "ab"]],
  ["", [], ["a", "a/b"]],
];

for (const [pattern, fits, others] of TABLE) {
  test(`the pattern ${JSON.stringify(pattern)} matches what people expect`, () => {
    const glob = toGlob(pattern);
    assert.equal(glob.pattern, pattern);
    for (const path of fits) assert.equal(glob.matches(toFilePath(path)), true, `${pattern} means ${path}`);
    for (const path of others) {
      assert.equal(glob.matches(toFilePath(path)), false, `${pattern} does not mean ${path}`);
    }
  });
}

test("toFilePath() accepts the separators of Windows, and removes a prefix to the root", () => {
  const paths = "src/a/b.ts src\\a\\b.ts ./src/a/b.ts .\\src\\a\\b.ts /src/a/b.ts ././src/a/b.ts";
  for (const path of paths.split(" ")) assert.equal(toFilePath(path), "src/a/b.ts", path);
});

test("of two patterns, the one with more literal characters is more specific", () => {
  const ordered = ["**", "*.ts", "src/**", "src/**/*.ts", "src/api/*.ts", "src/api/index.ts"];
  const shuffled = [3, 0, 5, 1, 4, 2].map((index) => ordered[index]!);
  shuffled.sort((left, right) => toGlob(left).specificity - toGlob(right).specificity);
  assert.deepEqual(shuffled, ordered);
  assert.equal(toGlob("**").specificity, 0);
  assert.equal(toGlob("[a-z]?").specificity, 0);
});

test("a hostile pattern costs at most the product of both lengths", () => {
  const path = toFilePath(`${"a/".repeat(40)}b`);
  const repeated = ["*", "{", "["].map((mark) => mark.repeat(10_000));
  const hostile = [
    ...repeated,
    `${"*a".repeat(2_000)}c`,
    `${"**/".repeat(2_000)}c`,
    `${"{a,b}".repeat(1_000)}c`,
  ];
  hostile.push(`{${",".repeat(10_000)}}`);
  const start = cpuNow();
  for (const pattern of hostile) {
    assert.equal(toGlob(`${pattern}!`).matches(path), false, pattern.slice(0, 20));
  }
  // Some hundred milliseconds; a backtracking matcher would never end.
  assert.ok(cpuNow() - start < 20_000);
  for (const pattern of ["*".repeat(10_000), "**a".repeat(200), `adr/${"*".repeat(1000)}`]) {
    assert.equal(toMatcher(pattern)(`adr/${"a".repeat(5000)}`), true, pattern.slice(0, 9));
  }
});
