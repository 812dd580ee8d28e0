/** Untrusted patterns: they match as in the runtime, in linear time, or are skipped and reported. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { compileSchema } from "../../../lib/formats/schema/mod.ts";
import { Random } from "../../fuzz/random.ts";
import { cpuNow } from "../../harness/process.ts";
import { IS_COMPLETE } from "../../harness/runtime.ts";
import { table } from "../../harness/table.ts";

/** The number of hostile patterns. */
const COUNT = IS_COMPLETE ? 1000 : 150;

/** Whether a text matches an untrusted pattern, or "skipped". */
function fits(pattern: string, text: string, maxSteps?: number): boolean | "skipped" {
  let skipped = "";
  const validate = compileSchema({ pattern }, { maxSteps, onskip: (source) => skipped = source });
  const [issue] = validate(text);
  if (skipped !== "") assert.deepEqual([skipped, issue], [pattern, undefined]);
  return skipped === "" ? issue === undefined : "skipped";
}

const ATOMS =
  "a b c . \\w \\d \\W \\s [ab] [^a] [^] [] [\\]a-c] \\u0061 \\x61 \\. - \\n \\p{L} \\cA \\0 [\\d-] \\/"
    .split(" ");
const REPETITIONS = "* + ? {2} {1,3} {0,2} {2,} {0} *? +? {1,2}?".split(" ");

/** A random pattern that the runtime accepts. */
function randomPattern(random: Random, depth: number): string {
  let pattern = "";
  for (let left = random.between(1, 3); left > 0; left--) {
    const kind = depth > 0 ? random.below(10) : random.between(4, 9);
    const openings = kind === 3 ? ["(?=", "(?!", "(?<=", "(?<!"] : ["(", "(?:"];
    if (kind < 4) pattern += `${random.pick(openings)}${randomPattern(random, depth - 1)})`;
    else pattern += random.pick(kind === 4 ? ["^", "$", "\\b", "\\B"] : ATOMS);
    if (kind !== 3 && kind !== 4 && random.chance(1 / 3)) pattern += random.pick(REPETITIONS);
  }
  return depth > 0 && random.chance(1 / 4) ? `${pattern}|${randomPattern(random, depth - 1)}` : pattern;
}

test("a pattern matches as in the runtime with the flag u", () => {
  const random = new Random(1);
  const characters = [..."abc1- \né_.\u{1}\ud83d/"];
  for (let count = 0; count < (IS_COMPLETE ? 4000 : 1000); count++) {
    const pattern = randomPattern(random, 3);
    const native = new RegExp(pattern, "u");
    const validate = compileSchema({ pattern }, { onskip: assert.fail });
    for (let texts = 0; texts < 8; texts++) {
      const text = Array.from({ length: random.below(8) }, () => random.pick(characters)).join("");
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

test(`${COUNT} hostile patterns end soon, on texts of up to 50 kB`, () => {
  const random = new Random(2);
  /** An ambiguous part: it matches the same text in many ways. */
  const ambiguous = (depth: number): string => {
    const part = depth === 0
      ? random.pick(["a", "a?", "a*", "[ab]", "\\w", ".", "(a|a)", "(a|aa)"])
      : ambiguous(depth - 1);
    const counts = [`{0,${random.between(1, 40)}}`, `{${random.between(1, 20)}}`];
    const many = random.pick(["*", "+", "{2,}", ...counts]);
    const ahead = random.pick(["b", "$", ""]);
    return random.pick([
      `(${part})${many}`,
      `(?:${part}|${part})${many}`,
      `(${part}${part}?)${many}`,
      `(?=${part}${ahead})(${part})${many}`,
      `${part}(${part})${random.pick(["*", "+", "?"])}`,
    ]);
  };
  const patterns = ["^(a?){40}b$", "^(a{0,9}){20}b$", `^${"a?".repeat(40)}b$`, "^(a+)+$", "(?<=(a+)+b)c"]
    .concat("((a{99}){99}){99}");
  while (patterns.length < COUNT) {
    const [start, end] = [random.pick(["^", "", ".*"]), random.pick(["b$", "$", "c"])];
    patterns.push(start + ambiguous(random.between(1, 3)) + end);
  }
  const texts = [40, 10_000, 50_000].flatMap((length) => ["a".repeat(length), `${"ab".repeat(length / 2)}!`]);
  for (const pattern of patterns) {
    const before = cpuNow();
    for (const text of texts) fits(pattern, text, 3000);
    assert.ok(cpuNow() - before < 10_000, pattern);
  }
});

test("compiling a pattern counts as steps, at its first use", () => {
  const letters = "\\p{L}".repeat(3900);
  for (const source of [`^${letters}$`, letters, `^${"\\p{L}{99}".repeat(2000)}$`]) {
    const allOf = Array.from({ length: 50 }, () => ({ pattern: source }));
    // The text is so short that matching takes almost no time.
    const [issue] = compileSchema({ allOf }, { maxSteps: 50_000, onskip: () => {} })("a");
    assert.equal(issue?.keyword, "maxSteps", source.slice(0, 20));
  }
});

/** Patterns of published OpenAPI documents and schemas, with a text that matches and one that does not. */
const REAL = String.raw`
  ^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$          | pod-1 | -pod
  ^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$ | a.b-c.d | a..b
  ^[\w.+-]+@[\w-]+\.[\w.-]+$                      | a.b+c@d-e.example | a@b
  ^(([^<>()[\]\\.,;:\s@"]+(\.[^<>()[\]\\.,;:\s@"]+)*)|(".+"))@(([a-zA-Z\-0-9]+\.)+[a-zA-Z]{2,})$ | a.b@c.de | a..b@c.de
  ^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$   | 2026-12-31 | 2026-13-01
  ^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$ | 2026-11-22T10:00:00.5+01:00 | 2026-11-22 10:00
  ^[0-9a-fA-F]{8}\b-[0-9a-fA-F]{4}\b-[0-9a-fA-F]{4}\b-[0-9a-fA-F]{4}\b-[0-9a-fA-F]{12}$ | 123e4567-e89b-12d3-a456-426614174000 | 1
  ^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$ | 1.2.3-rc.1+b5 | 1.02.3
  ^https?:\/\/[^\s/$.?#].[^\s]*$                  | http://a.example/b | http://
  ^(https?|wss?)://[\w.-]+(:\d{1,5})?(/\S*)?$     | wss://a.example:80/x | ws:/a
  ^(?=.*[a-z])(?=.*[A-Z])(?=.*\d).{8,64}$         | Passw0rd | password1
  ^(?!xn--)[a-zA-Z0-9-]{1,63}(?<!-)$              | host-1 | host-
  ^(?!\s*$).+                                     | x | \u0020
  ^[a-z]{2,3}(?:-[A-Z][a-z]{3})?(?:-(?:[A-Z]{2}|\d{3}))?$ | zh-Hant-TW | english
  ^(\+\d{1,3}[- ]?)?\(?\d{3}\)?[-. ]?\d{3}[-. ]?\d{4}$ | +1 (555) 123-4567 | 555
  ^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$ | 192.168.0.1 | 256.1.1.1
  ^((25[0-5]|2[0-4]\d|[01]?\d?\d)\.){3}(25[0-5]|2[0-4]\d|[01]?\d?\d)(\/(3[0-2]|[12]?\d))?$ | 10.0.0.0/8 | 10.0.0.0/33
  ^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$   | -1.5e10 | 01
  ^(\d+(ns|us|ms|s|m|h))+$                        | 1h30m | 1d
  ^\/(?:[^\/\s]+\/?)*$                            | /a/b/c | a/b
  ^[\p{L}\p{N} .'-]{1,100}$                       | Jörg O'Neil | a;b
  ^(\*|\d+(-\d+)?(,\d+(-\d+)?)*)(/\d+)?$          | 1-5,10/2 | 1-
  ^.{1,5000}$                                     | x |
`;

test("the untrusted patterns of published APIs are matched", () => {
  for (const [pattern, right, wrong] of table(REAL)) {
    assert.equal(fits(pattern, right), true, pattern);
    assert.equal(fits(pattern, wrong.replace("\\u0020", " ")), false, pattern);
  }
});

test("an untrusted pattern that needs more than linear time is skipped and reported; your own is matched", () => {
  const nested = `${"(".repeat(60)}a${")".repeat(60)}b{3}`;
  for (const pattern of ["^(a)\\1$", "^(?<x>a)\\k<x>$", "^(?:a{200}){200}$", nested]) {
    assert.equal(fits(pattern, "ab"), "skipped", pattern);
    assert.equal(compileSchema({ pattern })("ab")[0]?.keyword, "pattern");
  }
  // Also if only a reference makes it a schema.
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

test("matching a pattern counts as steps", () => {
  const texts = Array(1000).fill("a".repeat(10_000));
  const [issue] = compileSchema({ items: { pattern: "(a?){50}b" } }, { maxSteps: 100_000 })(texts);
  assert.equal(issue?.keyword, "maxSteps");
  // Also if a large one matches at once.
  const [large] = compileSchema({ items: { pattern: "(?:a?){9000}" } }, { maxSteps: 100_000 })(texts);
  assert.equal(large?.keyword, "maxSteps");
  // A pattern that is too long is skipped.
  const long = "a".repeat(30_000);
  for (const pattern of [long, `^${long}$`, `[${long}]`]) assert.equal(fits(pattern, "a"), "skipped");
});
