/** Patterns of strangers: matched as the runtime matches them, in time linear in the text, or left out and named. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { compileSchema } from "../../lib/schema/mod.ts";
import { IS_COMPLETE } from "../harness/runtime.ts";
import { cpuNow } from "../harness/process.ts";

/** How many hostile patterns are made. */
const COUNT = IS_COMPLETE ? 1000 : 150;

/** A generator of numbers below a limit, the same on every runtime. */
function numbersFrom(seed: number): (limit: number) => number {
  return (limit) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return (seed >>> 8) % limit;
  };
}

/** Whether a text fits a pattern of a stranger; the text "skipped" when the pattern is left out. */
function fits(pattern: string, text: string, maxSteps?: number): boolean | "skipped" {
  let skipped = "";
  const validate = compileSchema({ pattern }, { maxSteps, onskip: (source) => skipped = source });
  const [issue] = validate(text);
  if (skipped !== "") assert.deepEqual([skipped, issue], [pattern, undefined]);
  return skipped === "" ? issue === undefined : "skipped";
}

const ATOMS = String
  .raw`a b c . \w \d \W \s [ab] [^a] [^] [] [\]a-c] \u0061 \x61 \. - \n \p{L} \cA \0 [\d-] \/`.split(
    " ",
  );
const REPETITIONS = "* + ? {2} {1,3} {0,2} {2,} {0} *? +? {1,2}?".split(" ");

/** A random pattern that the runtime understands. */
function randomPattern(below: (limit: number) => number, depth: number): string {
  const pick = (from: readonly string[]) => from[below(from.length)]!;
  let pattern = "";
  for (let left = 1 + below(3); left > 0; left--) {
    const kind = depth > 0 ? below(10) : 4 + below(6);
    if (kind < 3) pattern += `${pick(["(", "(?:"])}${randomPattern(below, depth - 1)})`;
    else if (kind === 3) {
      pattern += `${pick(["(?=", "(?!", "(?<=", "(?<!"])}${randomPattern(below, depth - 1)})`;
    } else pattern += kind === 4 ? pick(["^", "$", "\\b", "\\B"]) : pick(ATOMS);
    if (kind !== 3 && kind !== 4 && below(3) === 0) pattern += pick(REPETITIONS);
  }
  return depth > 0 && below(4) === 0 ? `${pattern}|${randomPattern(below, depth - 1)}` : pattern;
}

test("a pattern matches what the runtime matches with the flag u", () => {
  const below = numbersFrom(1);
  const characters = [..."abc1- \né_.\u{1}\ud83d/"];
  for (let count = 0; count < (IS_COMPLETE ? 4000 : 1000); count++) {
    const pattern = randomPattern(below, 3);
    const native = new RegExp(pattern, "u");
    const validate = compileSchema({ pattern }, { onskip: assert.fail });
    for (let texts = 0; texts < 8; texts++) {
      const text = Array.from({ length: below(8) }, () => characters[below(characters.length)]).join("");
      assert.equal(validate(text).length === 0, native.test(text), JSON.stringify([pattern, text]));
    }
  }
  const astral = [
    ["^.$", "😀", true],
    ["^\\ud83d\\ude00$", "😀", true],
    ["^\\u{1F600}{2}$", "😀😀", true],
    ["^(?:[😀a])+b$", "😀a😀b", true],
    ["(?:\\ud83d)", "😀", false],
    ["(?<=😀)a", "😀a", true],
  ] as const;
  for (const [pattern, text, expected] of astral) assert.equal(fits(pattern, text), expected, pattern);
});

test(`${COUNT} patterns that are made to hang a matcher end soon, on texts of up to 50 kB`, () => {
  const below = numbersFrom(2);
  const pick = (from: readonly string[]) => from[below(from.length)]!;
  /** An ambiguous part: it matches the same text in many ways. */
  const ambiguous = (depth: number): string => {
    const part = depth === 0
      ? pick(["a", "a?", "a*", "[ab]", "\\w", ".", "(a|a)", "(a|aa)"])
      : ambiguous(depth - 1);
    const many = pick(["*", "+", "{2,}", `{0,${1 + below(40)}}`, `{${1 + below(20)}}`]);
    switch (below(5)) {
      case 0:
        return `(${part})${many}`;
      case 1:
        return `(?:${part}|${part})${many}`;
      case 2:
        return `(${part}${part}?)${many}`;
      case 3:
        return `(?=${part}${pick(["b", "$", ""])})(${part})${many}`;
      default:
        return `${part}(${part})${pick(["*", "+", "?"])}`;
    }
  };
  const patterns = [
    "^(a?){40}b$",
    "^(a{0,9}){20}b$",
    `^${"a?".repeat(40)}b$`,
    "^(a+)+$",
    "(?<=(a+)+b)c",
    "((a{99}){99}){99}",
  ];
  while (patterns.length < COUNT) {
    patterns.push(`${pick(["^", "", ".*"])}${ambiguous(1 + below(3))}${pick(["b$", "$", "c"])}`);
  }
  const texts = [40, 10_000, 50_000].flatMap((length) => ["a".repeat(length), `${"ab".repeat(length / 2)}!`]);
  const slowest = { ms: 0, pattern: "" };
  for (const pattern of patterns) {
    const before = cpuNow();
    for (const text of texts) fits(pattern, text, 3000);
    const ms = cpuNow() - before;
    if (ms > slowest.ms) Object.assign(slowest, { ms, pattern });
  }
  assert.ok(slowest.ms < 10_000, JSON.stringify(slowest));
});

test("patterns that take long to compile count as steps at their first use", () => {
  for (
    const source of [`^${"\\p{L}".repeat(3900)}$`, "\\p{L}".repeat(3900), `^${"\\p{L}{99}".repeat(2000)}$`]
  ) {
    const allOf = Array.from({ length: 50 }, () => ({ pattern: source }));
    // A text so short that matching takes next to nothing.
    const [issue] = compileSchema({ allOf }, { maxSteps: 50_000, onskip: () => {} })("a");
    assert.equal(issue?.keyword, "maxSteps", source.slice(0, 20));
  }
});

/** Patterns of published OpenAPI documents and schemas, with a text that fits and one that does not. */
const REAL = String.raw`
  ^[a-z0-9]+(?:-[a-z0-9]+)*$                      | my-slug-2 | My_Slug
  ^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$          | pod-1 | -pod
  ^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$ | a.b-c.d | a..b
  ^[\w.+-]+@[\w-]+\.[\w.-]+$                      | a.b+c@d-e.example | a@b
  ^[^\s@]+@[^\s@]+\.[^\s@]+$                      | a@b.c | a b@c.d
  ^(([^<>()[\]\\.,;:\s@"]+(\.[^<>()[\]\\.,;:\s@"]+)*)|(".+"))@(([a-zA-Z\-0-9]+\.)+[a-zA-Z]{2,})$ | a.b@c.de | a..b@c.de
  ^\d{4}-\d{2}-\d{2}$                             | 2026-11-22 | 2026-1-2
  ^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$   | 2026-12-31 | 2026-13-01
  ^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$ | 2026-11-22T10:00:00.5+01:00 | 2026-11-22 10:00
  ^([01]\d|2[0-3]):[0-5]\d$                       | 23:59 | 24:00
  ^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$ | 123e4567-e89b-12d3-a456-426614174000 | 123e4567
  ^[0-9a-fA-F]{8}\b-[0-9a-fA-F]{4}\b-[0-9a-fA-F]{4}\b-[0-9a-fA-F]{4}\b-[0-9a-fA-F]{12}$ | 123e4567-e89b-12d3-a456-426614174000 | 1
  ^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$ | 1.2.3-rc.1+b5 | 1.02.3
  ^v?(\d+)(\.\d+){0,2}$                           | v1.2 | v1.2.3.4
  ^#(?:[0-9a-fA-F]{3}){1,2}$                      | #a1b2c3 | #a1b2
  ^https?://                                      | https://a.example | ftp://a
  ^https?:\/\/[^\s/$.?#].[^\s]*$                  | http://a.example/b | http://
  ^(https?|wss?)://[\w.-]+(:\d{1,5})?(/\S*)?$     | wss://a.example:80/x | ws:/a
  ^(?=.*[a-z])(?=.*[A-Z])(?=.*\d).{8,64}$         | Passw0rd | password1
  ^(?!.*--)[a-z0-9-]+$                            | a-b | a--b
  ^(?!xn--)[a-zA-Z0-9-]{1,63}(?<!-)$              | host-1 | host-
  ^(?!\s*$).+                                     | x | \u0020
  ^[A-Z]{2}$                                      | DE | de
  ^[a-z]{2,3}(?:-[A-Z][a-z]{3})?(?:-(?:[A-Z]{2}|\d{3}))?$ | zh-Hant-TW | english
  ^[A-Z]{3}$                                      | EUR | EURO
  ^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$                  | DE89370400440532013000 | DE8
  ^\+[1-9]\d{1,14}$                               | +491701234567 | 0170
  ^(\+\d{1,3}[- ]?)?\(?\d{3}\)?[-. ]?\d{3}[-. ]?\d{4}$ | +1 (555) 123-4567 | 555
  ^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$ | 192.168.0.1 | 256.1.1.1
  ^((25[0-5]|2[0-4]\d|[01]?\d?\d)\.){3}(25[0-5]|2[0-4]\d|[01]?\d?\d)(\/(3[0-2]|[12]?\d))?$ | 10.0.0.0/8 | 10.0.0.0/33
  ^([0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}$         | 00:1b:44:11:3a:b7 | 00:1b
  ^arn:(aws|aws-cn|aws-us-gov):[a-z0-9-]+:[a-z0-9-]*:\d{12}:.+$ | arn:aws:iam::123456789012:role/x | arn:aws
  ^s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/.*)?$   | s3://bucket-1/a/b | s3://-a
  ^projects/[^/]+/locations/[^/]+(/clusters/[^/]+)?$ | projects/p/locations/l | projects/p
  ^(-?\d+(\.\d+)?),\s*(-?\d+(\.\d+)?)$            | 52.5, 13.4 | 52.5
  ^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$   | -1.5e10 | 01
  ^(\d+(ns|us|ms|s|m|h))+$                        | 1h30m | 1d
  ^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$ | YWJjZA== | YWJjZA=
  ^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*$ | a.b.c | a.b
  ^\/(?:[^\/\s]+\/?)*$                            | /a/b/c | a/b
  ^[\p{L}\p{N} .'-]{1,100}$                       | Jörg O'Neil | a;b
  ^(\*|\d+(-\d+)?(,\d+(-\d+)?)*)(/\d+)?$          | 1-5,10/2 | 1-
  ^.{1,5000}$                                     | x |
  ^(?:sha256:)?[a-f0-9]{64}$                      | sha256:${"a1".repeat(32)} | sha256:a1
  ^[a-zA-Z_$][\w$]*(?:\.[a-zA-Z_$][\w$]*)*$       | a.$b.c_1 | a.1
`;

test("the patterns of published APIs run, although they come from a stranger", () => {
  const rows = REAL.trim().split("\n").map((row) => row.split(/ +\| ?/).map((cell) => cell.trim()));
  assert.ok(rows.length >= 40);
  for (const [pattern = "", right = "", wrong = ""] of rows) {
    assert.equal(fits(pattern, right), true, pattern);
    assert.equal(fits(pattern, wrong.replace("\\u0020", " ")), false, pattern);
  }
});

test("a pattern that needs more than linear time is left out of a stranger's schema and named; your own runs", () => {
  for (
    const pattern of [
      "^(a)\\1$",
      "^(?<x>a)\\k<x>$",
      "^(?:a{200}){200}$",
      `${"(".repeat(60)}a${")".repeat(60)}b{3}`,
    ]
  ) {
    assert.equal(fits(pattern, "ab"), "skipped", pattern);
    assert.equal(compileSchema({ pattern })("ab")[0]?.keyword, "pattern");
  }
  // Also where only a reference makes it a schema.
  const skipped: string[] = [];
  const onskip = (pattern: string) => void skipped.push(pattern);
  const slow = "^(a+)+\\1$";
  const hidden = { $ref: "#/x-any/deep", "x-any": { deep: { pattern: slow } } };
  assert.deepEqual(compileSchema(hidden, { onskip })("a".repeat(50) + "!"), []);
  const named = { patternProperties: { [slow]: false, "^b": false }, additionalProperties: false };
  const validate = compileSchema(named, { onskip });
  assert.deepEqual([validate({ x: 1 }), validate({ b: 1 }).length], [[], 1]);
  assert.deepEqual(skipped, [slow, slow]);
});

test("what a pattern costs counts as steps of the check", () => {
  const texts = Array(1000).fill("a".repeat(10_000));
  const [issue] = compileSchema({ items: { pattern: "(a?){50}b" } }, { maxSteps: 100_000 })(texts);
  assert.equal(issue?.keyword, "maxSteps");
  // Also where a large one matches at once.
  const [large] = compileSchema({ items: { pattern: "(?:a?){9000}" } }, { maxSteps: 100_000 })(texts);
  assert.equal(large?.keyword, "maxSteps");
  // What is too long to be read is left out.
  for (
    const long of ["a".repeat(30_000), `^${"a".repeat(30_000)}$`, `[${"a".repeat(30_000)}](`.slice(0, -1)]
  ) {
    assert.equal(fits(long, "a"), "skipped");
  }
});
