/** Front matter: values that are read without the reader of YAML are what that reader makes of them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { joinFrontMatter, needsYaml, splitFrontMatter } from "../../../lib/formats/markdown/front_matter.ts";
import { toLines } from "../../../lib/formats/markdown/lines.ts";
import { readYamlValue } from "../../../lib/formats/markdown/yaml_value.ts";

/** Parts of values, simple and not. */
const PARTS = [
  ..."a;b c;null;Null ;~;true;1.10;0x1F;12:30;a: b;a://b;x#y; # c;,;, ;[;];{;};- ;-;&a;*a;!;|;>;?;%;@;`;=;\\"
    .split(";"),
  ...[
    '"x"',
    '"a, b"',
    '"src/**"',
    '""',
    "'q'",
    "é",
    "Über",
    "a\u00a0b",
    "–",
    "\t",
    "\n",
    "\n  - ",
    "\n- ",
    "\n    ",
  ],
];
const STARTS = ["", "[", "\n  - ", '\n  - "', '"'];

test("values that need no reader of YAML are read as that reader reads them", () => {
  let state = 20260728, simple = 0;
  const next = (length: number) => {
    state = Math.imul(state, 1664525) + 1013904223 >>> 0;
    return Math.floor(state / 2 ** 32 * length);
  };
  for (let round = 0; round < 30_000; round++) {
    let value = STARTS[next(STARTS.length)]!;
    for (let count = next(5); count >= 0; count--) value += PARTS[next(PARTS.length)]!;
    if (next(4) === 0) value += "]";
    const split = splitFrontMatter(
      toLines(`---\nkey: ${value}\n---\n`),
    );
    if (needsYaml(split)) continue;
    simple++;
    const inFull = { ...split, entries: split.entries.map((entry) => ({ ...entry, simple: undefined })) };
    const [fast, full] = [joinFrontMatter(split), joinFrontMatter(inFull, readYamlValue)];
    assert.deepEqual([...fast.values], [...full.values], JSON.stringify(value));
    assert.deepEqual(full.problems, fast.problems, JSON.stringify(value));
  }
  assert.ok(simple > 1000, `${simple} values are simple`);
});

test("the usual values need no reader of YAML, and others do", () => {
  const needs = (value: string) => needsYaml(splitFrontMatter(toLines(`---\nkey: ${value}\n---\n`)));
  const simple = [
    "",
    "accepted",
    "2026-07-28",
    '"a, b"',
    "[a, b]",
    '["src/**", x]',
    "See https://x.test/#a, and b",
  ];
  for (const value of [...simple, '\n  - "src/**"\n  - lib/x.ts', "\n- a", "null words"]) {
    assert.equal(needs(value), false, value);
  }
  for (
    const value of ["null", "'a'", "a: b", "a # b", "{a: b}", "[[a]]", "|\n  a", "&x a", "\n  a", "[a,\nb]"]
  ) {
    assert.equal(needs(value), true, value);
  }
});
