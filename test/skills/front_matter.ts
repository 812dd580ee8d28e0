/** Front matter of skills: YAML that is read, with its JSON, and YAML that is refused. */

/** By the text of fields beside name and description. */
export const READ: readonly (readonly [yaml: string, fields: object])[] = [
  ["license: MIT\nversion: 1.2.3\nday: 2024-01-02\n", {
    license: "MIT",
    version: "1.2.3",
    day: "2024-01-02",
  }],
  ["a: 1\nb: 1.5\nc: -2e3\nd: 0x1F\ne: 0o17\nf: .5\ng: 01\n", {
    ...{ a: 1, b: 1.5, c: -2000, d: 31, e: 15, f: 0.5, g: 1 },
  }],
  ["a: true\nb: null\nc: ~\nd:\ne: False\nf: yes\n", {
    a: true,
    b: null,
    c: null,
    d: null,
    e: false,
    f: "yes",
  }],
  ["a: \"x\\ty \\u00e9\" # c\nb: 'it''s' # c\nc: plain # c\nd: a#b\n", {
    ...{ a: "x\ty é", b: "it's", c: "plain", d: "a#b" },
  }],
  ['metadata:\n  v: "1.0"\n  of: us\nz: 1\n', { metadata: { v: "1.0", of: "us" }, z: 1 }],
  ["l:\n- a\n- b: 1\n  c: 2\n- - x\n  - y\nz: 1\n", { l: ["a", { b: 1, c: 2 }, ["x", "y"]], z: 1 }],
  ["l:\n  - a\n  -   q: 1\n      r:\n        - s\n  -\n    t: 1\n", {
    l: ["a", { q: 1, r: ["s"] }, { t: 1 }],
  }],
  ["t: |\n  a\n   b\n\n  c\nz: 1\n", { t: "a\n b\n\nc\n", z: 1 }],
  ["t: |-\n  a\n  b\nu: |\n\n", { t: "a\nb", u: "" }],
  ["t: >\n  a\n  b\n\n  c\n\n\n  d\nu: >-\n  a\n  b\n", { t: "a b\nc\n\nd\n", u: "a b" }],
  ["t: a\n  b\n\n  c\nu:\n  a b\n  c\n", { t: "a b\nc", u: "a b c" }],
  ['l: [a, b c, 1, true]\nm: []\nn: {}\no: {"a": [1]}\np: ["x", 2]\n', {
    ...{ l: ["a", "b c", 1, true], m: [], n: {}, o: { a: [1] }, p: ["x", 2] },
  }],
  ["# c\n\na: 1\n  # d\n'q k': 2\n\"r\": 3\n", { a: 1, "q k": 2, r: 3 }],
  ["u: http://x.y/z?a=b\nallowed-tools: Bash(git:*) Read\nk: a - b\n", {
    ...{ u: "http://x.y/z?a=b", "allowed-tools": "Bash(git:*) Read", k: "a - b" },
  }],
  ["a: x\r\nb: y\r\n", { a: "x", b: "y" }],
  // As YAML 1.2 has it; YAML 1.1 had other values for these.
  ["a: 0777\nb: 1:30\nc: 1_000\nd: 2001-01-01\n", { ...{ a: 777, b: "1:30", c: "1_000", d: "2001-01-01" } }],
  ['hooks:\n  Pre:\n    - matcher: "Bash"\n      hooks:\n        - type: command\n', {
    hooks: { Pre: [{ matcher: "Bash", hooks: [{ type: "command" }] }] },
  }],
  ["a: &x 1\nb: *x\n", { a: 1, b: 1 }],
  ["a: {b: c}\nd: [e: f, 'g']\n", { a: { b: "c" }, d: [{ e: "f" }, "g"] }],
  ['a: |2\n    x\nb: "x\n  y"\nc: [1,\n  2]\nd: x # c\n', { a: "  x\n", b: "x y", c: [1, 2], d: "x" }],
  ["? a\nb: >\n  x\n   y\n", { a: null, b: "x\n y\n" }],
];

/** What is no YAML, or what JSON has no value for, with a part of the reason. */
export const REFUSED: readonly (readonly [yaml: string, reason: RegExp])[] = [
  ["a: b: c\n", /line 4 .*quotes/],
  ["a: !t 1\n", /tags are not supported/],
  ["a: %x\n", /quotes/],
  ["a: .inf\n", /quotes/],
  ["a: 'x' y\n", /quotes/],
  ["a: x # c\n  y\n", /indented more/],
  ["a: 1\na: 2\n", /line 5 .*the key "a" stands there twice/],
  ["__proto__: 1\n", /"constructor" or "__proto__", which cannot be sent/],
  ['a: {"b": {"constructor": 1}}\n', /"constructor" or "__proto__", which cannot be sent/],
  ["\ta: 1\n", /line 4/],
  ["a:\n\tb: 1\n", /tab cannot indent/],
  ["- a\n", /a list must begin in a line of its own/],
  ["just text\n", /a key and a colon must stand here/],
  ["? - a\n", /complex keys/],
  ["a: |\n  x\n y\n", /indented/],
  ["a:\n  b: 1\n c: 2\n", /indented/],
  [`a:\n  ${"- ".repeat(40)}x\n`, /nested more than (?:32|200) deep/],
  [`a: ${"[".repeat(30_000)}${"]".repeat(30_000)}\n`, /nested more than (?:32|200) deep/],
  [`a: ${"[".repeat(30_000)}\n`, /nested more than (?:32|200) deep/],
  [
    `a: &a ${"[".repeat(20)}${"]".repeat(20)}\nb: ${"[".repeat(20)}*a${"]".repeat(20)}\n`,
    /nested more than 32 deep/,
  ],
  [`a: &a ${"x".repeat(10_000)}\nb: [${"*a,".repeat(1000)}]\n`, /aliases expand to too large a value/],
  ["a: 12345678901234567890\n", /12345678901234567890 in quotes/],
  ["a: 0.12345678901234567\n", /in quotes/],
  ["a: 0xFFFFFFFFFFFFFF\n", /in quotes/],
  ["a: 1e999\n", /in quotes/],
];
