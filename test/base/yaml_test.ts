import assert from "node:assert/strict";
import { test } from "node:test";
import { readYaml, YamlError } from "../../lib/base/yaml.ts";

/** Texts with their values, as YAML 1.2 has them. */
const VALUES: readonly (readonly [yaml: string, value: unknown])[] = [
  ["", null],
  ["# nothing\n", null],
  ["---\n...\n", null],
  ["\uFEFF%YAML 1.2\n--- # one\na: 1\n...\n# end\n", { a: 1 }],
  ["a: 1\r\nb:\r  c\r\n", { a: 1, b: "c" }],
  ["a", "a"],
  // Plain scalars.
  ["[~, null, Null, NULL, true, True, TRUE, false, False, FALSE]", [
    ...[null, null, null, null, true, true, true, false, false, false],
  ]],
  ["[0, -1, +2, 007, 0x1F, 0o17, 1.5, .5, 1., -2e3, 1E-2]", [0, -1, 2, 7, 31, 15, 1.5, 0.5, 1, -2000, 0.01]],
  ["[nULL, yes, No, on, 1_000, 1:30, 0b1, 2001-01-01, 1.2.3, ., e5]", [
    ...["nULL", "yes", "No", "on", "1_000", "1:30", "0b1", "2001-01-01", "1.2.3", ".", "e5"],
  ]],
  ["max: 9223372036854775807", { max: 9223372036854775807 }],
  ["a: b c  # d\ne: f#g\nh: i - j\nk: http://l.m/n?o=p\n'q r': s\u00a0\n", {
    ...{ a: "b c", e: "f#g", h: "i - j", k: "http://l.m/n?o=p", "q r": "s\u00a0" },
  }],
  ["a: b\n  c\n\n  - d\n # e\nf:\n  g\n  h\n", { a: "b c\n- d", f: "g h" }],
  ["a: -b\nc: :d\ne: ?f\n", { a: "-b", c: ":d", e: "?f" }],
  // Keys.
  ["true: 1\nnull: 2\n3: 4\n0x5: 6\n<<: {a: 1}\n", { true: 1, null: 2, 3: 4, 5: 6, "<<": { a: 1 } }],
  [
    "__proto__: 1\nconstructor: {__proto__: 2}\n",
    JSON.parse('{"__proto__":1,"constructor":{"__proto__":2}}'),
  ],
  ["? long\n: - a\n? b\n? |\n  c\n: {d: 1}\n", { long: ["a"], b: null, "c\n": { d: 1 } }],
  // In quotes.
  [`a: "\\x41\\u00e9\\U0001F600\\t\\/\\\\\\"\\ \\e\\N\\_\\L\\P\\0"`, {
    a: 'Aé😀\t/\\" \x1b\x85\xa0\u2028\u2029\0',
  }],
  ['a: "b  \n  c\n\n  d\\n \\\n  e\\\n\n  f"', { a: "b c\nd\n e\nf" }],
  ["a: 'it''s  \n  b'  # c\n'd': \"#\"\n", { a: "it's b", d: "#" }],
  // Blocks.
  ["a: |\n  b\n   c\n\n  d # e\n\nf: |-\n  g\n\nh: |+\n  i\n\nj: |\nk: 1\n", {
    ...{ a: "b\n c\n\nd # e\n", f: "g", h: "i\n\n", j: "", k: 1 },
  }],
  ["a: >\n  b\n  c\n\n  d\n    e\n  f\n\n\n  g\nh: >-\n\n  i\n", { a: "b c\nd\n  e\nf\n\ng\n", h: "\ni" }],
  ["a: |2-\n   b\n  c\nd: >+1 # e\n  f\n - g\n", { a: " b\nc", d: " f\n- g\n" }],
  ["|2\n  a\n b\n", " a\nb\n"],
  ["- |\n a\n- >\n b\n- --- |\n", ["a\n", "b\n", "--- |"]],
  // Lists and objects.
  ["- a\n- b: 1\n  c: 2\n- - d\n  -   e\n-\n  f: g\n-\n", [
    "a",
    { b: 1, c: 2 },
    ["d", "e"],
    { f: "g" },
    null,
  ]],
  ["a:\n- b\n-\n  - c\nd:\n  e:\n   - f\ng:\nh: i\n", { a: ["b", ["c"]], d: { e: ["f"] }, g: null, h: "i" }],
  ["[a, 'b', [c], {d: e}, f: g, \"h\":i, ]", ["a", "b", ["c"], { d: "e" }, { f: "g" }, { h: "i" }]],
  ["a: {b, c: , 'd':e, f:g, h: i j, # k\n  l:\n   m}", {
    a: { b: null, c: null, d: "e", "f:g": null, h: "i j", l: "m" },
  }],
  ["a: [\n  b,\n  c # d\n]\ne: {\n}\n", { a: ["b", "c"], e: {} }],
  ["[a\n b, c]", ["a b", "c"]],
  ["\t[\n\t1]", [1]],
  // Anchors.
  ["a: &x {b: 1}\nc: *x\n&y d: *y\ne: &z\n  f: 2\ng: [*z , &w 3, *w]\nh: &x 4\ni: *x\n", {
    ...{ a: { b: 1 }, c: { b: 1 }, d: "d", e: { f: 2 }, g: [{ f: 2 }, 3, 3], h: 4, i: 4 },
  }],
  ["- &a b\n", ["b"]],
  ["a: &b\n- c\nd: &e\nf: *e\n", { a: ["c"], d: null, f: null }],
];

/** Texts that are refused: where, and why. */
const REFUSED: readonly (readonly [yaml: string, reason: string])[] = [
  [
    "a: b: c",
    '1, column 4: found "b: c", but a key cannot begin within a value: put a text with a colon in quotes',
  ],
  [
    "a: b\n  c: d",
    '2, column 3: found "c: d", but a key cannot begin within a value: put a text with a colon in quotes',
  ],
  ["a: 1\nb", '2, column 1: found "b", but a key and a colon must stand here, as in the lines above'],
  [
    "a: 1\n b: 2",
    '2, column 2: found "b: 2", but a key cannot begin within a value: put a text with a colon in quotes',
  ],
  [
    "a: 'b' c",
    '1, column 8: found "c", but the line must end behind a value: put a text with marks or a colon in quotes',
  ],
  [
    "a:\n  b: 1\n c: 2",
    '3, column 2: found "c: 2", but it is indented more than the lines that it could belong to',
  ],
  ["- a\nb: c", '2, column 1: found "b: c", but the document must end, or go on with the same indentation'],
  [
    "a: 1\n- b",
    '2, column 1: found "- b", but a list must begin in a line of its own',
  ],
  [
    "a: - b",
    '1, column 4: found "- b", but a list must begin in a line of its own',
  ],
  ["a: 1\nb: 2\na: 3", '3, column 1: the key "a" stands there twice: remove one of them'],
  ["{a: 1, 'a': 2}", '1, column 8: the key "a" stands there twice: remove one of them'],
  ["__proto__: 1\n__proto__: 2", '2, column 1: the key "__proto__" stands there twice: remove one of them'],
  ["a:\n\tb: 1", "2, column 2: a tab cannot indent: use spaces"],
  ["-\t- a", "1, column 3: a tab cannot indent: use spaces"],
  ["a: |\n\tb", "2, column 1: a tab cannot indent: use spaces"],
  ["a: @b", '1, column 4: found "@b", but a value cannot begin with this: put a text in quotes'],
  ["a: %b", '1, column 4: found "%b", but a value cannot begin with this: put a text in quotes'],
  [": a", '1, column 1: found ": a", but a key must stand before the colon'],
  ["[: a]", '1, column 2: found ": a]", but a key must stand before the colon'],
  ["? - a\n: b", "1, column 1: complex keys are not supported: a key must be a text with a colon behind it"],
  ["[a]: b", "1, column 1: complex keys are not supported: a key must be a text with a colon behind it"],
  ["{[a]: b}", "1, column 2: complex keys are not supported: a key must be a text with a colon behind it"],
  ["a: !!str b", '1, column 4: found "!!str b", but tags are not supported: leave them out'],
  ["a: !b", '1, column 4: found "!b", but tags are not supported: leave them out'],
  [
    "%TAG ! x:\n---\na",
    '1, column 1: found "%TAG ! x:", but the only directive that is supported is %YAML 1.2',
  ],
  [
    "a\n---\nb",
    '2, column 1: found "---", but the file must end: several documents in one file are not supported',
  ],
  [
    "a\n...\nb",
    '3, column 1: found "b", but the file must end: several documents in one file are not supported',
  ],
  ["[a, , b]", '1, column 5: found ", b]", but a value must stand before the comma'],
  ["[a, b", '1, column 1: the bracket "[" has no end'],
  [
    "a: [b\nc]",
    '2, column 1: found "c]", but "]" must stand here, or a line that is indented more than its key',
  ],
  ["[a\n: b]", '1, column 2: found "a", but a key must stand in one line'],
  ["[a}", '1, column 3: found "}", but a comma or "]" must stand here'],
  ['a: "b', '1, column 4: the quote " has no end'],
  [
    'a: "b\nc"',
    '2, column 1: found "c"", but the lines of a text in quotes must be indented more than its key',
  ],
  ['a: "\\d"', '1, column 5: found "\\d"", but this is no escape of YAML: write \\\\ for a backslash'],
  [
    'a: "\\UFFFFFFFF"',
    '1, column 5: found "\\UFFFFFFFF"", but this is no escape of YAML: write \\\\ for a backslash',
  ],
  ["a: |x\n b", '1, column 4: found "|x", but only a digit, + or -, and a comment may stand behind | and >'],
  ["a: |\n   \n b", '3, column 2: found "b", but an empty line above it is indented more'],
  ["a: *b", '1, column 4: found "*b", but there is no &b before it'],
  ["a: &b [*b]", '1, column 8: found "*b]", but it is within what it names'],
  ["a: &b &c d", '1, column 7: found "&c d", but a value has one anchor at most, an alias none'],
  ["a: & b", '1, column 4: found "& b", but an anchor needs a name'],
  ["a: .inf", "1, column 4: put the number .inf in quotes: JSON has no such number"],
  ["a: 1e999", "1, column 4: put the number 1e999 in quotes: JSON has no such number"],
  ['a: "\x07"', '1, column 5: the character U+0007 is not allowed: in double quotes, write "\\u0007"'],
  ["a: \ud800", '1, column 4: the character U+D800 is not allowed: in double quotes, write "\\uD800"'],
  ["a: " + "[".repeat(300), "1, column 203: values are nested more than 200 deep"],
  ["- ".repeat(300), "1, column 401: values are nested more than 200 deep"],
  ["? ".repeat(300), "1, column 401: values are nested more than 200 deep"],
];

test("readYaml() reads a document of the core schema as JSON", () => {
  for (const [yaml, value] of VALUES) assert.deepEqual(readYaml(yaml), value, yaml);
  const members = readYaml("__proto__: {a: 1}\n") as Record<string, unknown>;
  assert.deepEqual(Object.getPrototypeOf(members), Object.prototype);
});

test("readYaml() says where a text is not YAML that it supports, what it found, and what may stand there", () => {
  for (const [yaml, reason] of REFUSED) {
    assert.throws(() => readYaml(yaml), { name: "YamlError", message: `line ${reason}` }, yaml);
  }
  const error = new YamlError(2, 3, "x");
  assert.deepEqual([error.line, error.reason], [2, "x"]);
});

test("readYaml() keeps texts as they are written, and refuses long numbers when it is told to", () => {
  assert.deepEqual(readYaml("[1.10, true, 007, ~, .inf]", { asWritten: true }), [
    "1.10",
    "true",
    "007",
    null,
    ".inf",
  ]);
  assert.deepEqual(readYaml("[1.5, 0xFF]", { exact: true }), [1.5, 255]);
  for (const number of ["12345678901234567890", "0.12345678901234567", "0xFFFFFFFFFFFFFF"]) {
    assert.throws(
      () => readYaml(`a: ${number}`, { exact: true }),
      new RegExp(`the number ${number} in quotes`),
    );
  }
});

test("readYaml() takes linear time for any text", () => {
  // A square of this length takes many seconds.
  const long = (part: string, around = ["", ""]) =>
    around[0] + part.repeat(Math.ceil(2 ** 17 / part.length)) + around[1];
  const steps = (line: (step: number) => string) =>
    Array.from({ length: 1400 }, (_, step) => line(step)).join("\n");
  const parts = [
    ..." |\t|\n| \n|- |-|[|{a: |:|: |\"|'|a |a\n| a\n|# |#\n| #|a#|&a |*a|? |? a\n|!|%|---\n|a   |a: b   # c\n|k\\|:#|~,|a,|[],|a:"
      .split("|"),
    ...[
      "a: 1\n",
      "- |\n",
      "- >\n\n",
      '- "a"\n',
      "a:\t1\n",
      "1",
      "a: &a [*a]\n",
      "- a: 1\n  b: 2\n",
      "|\n a\n",
    ],
  ];
  const texts = [
    ...parts.flatMap((part) => ["", "k: ", "[", '- "'].map((start) => long(part, [start, ""]))),
    ...["[]", "{}"].map((pair) => long("a\n,", [pair[0]!, pair[1]!])),
    steps((step) => `${" ".repeat(step)}a:`),
    steps((step) => step === 0 ? "|" : " ".repeat(step)),
    long("- *a\n", ["- &a x\n", ""]),
  ];
  const times = texts.map((text) => {
    const start = performance.now();
    try {
      readYaml(text);
    } catch (cause) {
      assert.ok(cause instanceof YamlError, text.slice(0, 20));
    }
    return performance.now() - start;
  });
  assert.ok(
    Math.max(...times) < 1000,
    JSON.stringify(texts[times.indexOf(Math.max(...times))]!.slice(0, 20)),
  );
});

test("readYaml() refuses aliases that expand to much more than is written", () => {
  const level = (step: number) => `a${step}: &a${step} [${`*a${step - 1},`.repeat(9)}]\n`;
  const bomb = "a0: &a0 [x]\n" + Array.from({ length: 30 }, (_, step) => level(step + 1)).join("");
  assert.throws(() => readYaml(bomb), /line 5, .*the aliases expand to too large a value/);
  assert.throws(
    () => readYaml(`- &a ${"x".repeat(100_000)}\n${"- *a\n".repeat(100)}`),
    /expand to too large/,
  );
});
