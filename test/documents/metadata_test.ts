import assert from "node:assert/strict";
import { test } from "node:test";
import type { Document, Finding } from "../../lib/documents/mod.ts";
import type { RawJson } from "../../lib/jsonrpc/mod.ts";
import { usedHeap } from "../harness/process.ts";
import { table, unescaped } from "../harness/table.ts";
import { brief, memoryProvider, memoryStore } from "./stores.ts";

/** Documents of these texts, each in a file `docs/<index>.md`. */
async function documentsOf(
  texts: readonly (string | Uint8Array)[],
): Promise<{ documents: readonly Document[]; findings: readonly Finding[] }> {
  const { catalogue } = await memoryStore(
    Object.fromEntries(texts.map((text, index) => [`docs/${100 + index}.md`, text])),
  );
  return { documents: catalogue.documents, findings: catalogue.findings };
}

/** Front matter, the values of its keys as far as a document has them (null for none), and the lines that are reported. */
const FRONT_MATTER = table(String.raw`
  ---\ntitle: A title\nDescription:   x y  \n---\n# Body\n => {"title":"A title","description":"x y"}
  ---  \ntitle: b\n...\t\ntext => {"title":"b","description":"text"}
  ---\ntitle: "say \\"hi\\": #1" # a comment\n---\n => {"title":"say \"hi\": #1"}
  ---\ntitle: "a\\nb"\ndescription: |\n  c\n  d\n---\n => {"title":"a b","description":"c d"}
  ---\ntitle: 'it''s: fine'\n---\n => {"title":"it's: fine"}
  ---\ntitle: a value # and a comment\n---\n => {"title":"a value"}
  ---\ntitle: https://example.org/#top\n---\n => {"title":"https://example.org/#top"}
  ---\ntags: [a, "b, c", 'd', ]\n---\n => {"tags":["a","b, c","d"]}
  ---\ntags:\n  - 4\n  # a comment between\n  - x.md\n---\n => {"tags":["4","x.md"]}
  ---\ntags:\n- one\n- two\nkeywords: three\n---\n => {"tags":["one","two","three"]}
  ---\ntags: [\n  a,\n  b,\n]\ntitle: T\n---\n => {"tags":["a","b"],"title":"T"}
  ---\ntags: []\ntitle: ~\ndescription: null\n---\n# T\n => {"tags":[],"title":"T","description":null}
  ---\ntags: a\napplies-to: b\n---\n => {"tags":["a"],"appliesTo":["b"]}
  ---\nappliesTo: [a]\napplies_to: b\n---\n => {"appliesTo":["a","b"]}
  ---\ndescription: >-\n  one\n  two\n---\n => {"description":"one two"}
  ---\ntags:\n  3. A title\n---\n => {"tags":["3. A title"]}
  ---\ntags: |\n  one\n  two\n---\n => {"tags":["one\ntwo"]}
  ---\ntitle: one\n  two\ndescription: "one\n  two"\n---\n => {"title":"one two","description":"one two"}
  ---\ntags:\n  inner: x\n  deeper:\n    - y\ntitle: T\n---\n => {"tags":[],"title":"T"}
  ---\ntitle: T\nwhat is this\ntags: a\n---\nx => {"title":"T","tags":["a"],"description":"x"} => [3]
  ---\ntags: 1\nTAGS: 2\ntitle:\n- x\ntitle:\n- y\n---\n => {"tags":["1"],"title":"x"} => [3,6]
  ---\ntitle: X\ntags: a\n\n# Y\nkey: value => {"title":"X","tags":["a"],"description":"key: value"} => [1]
  ---\n"title": A: B\n'tags': [a, @b, "c"]\ndescription: @x # y\n---\n => {"title":"A: B","tags":["a","@b","c"],"description":"@x"} => [2,3,4]
  ---\ntitle: [unclosed\ntags:\n\t- a\n\t- b: c\ndescription: {{ page.title }}\n---\n => {"title":"[unclosed","tags":["a","b: c"],"description":"{{ page.title }}"} => [2,4,6]
  ---\ntitle: &x A\ntags: [&y b, *y, c: d, [e]]\ndescription: { f } # g\n---\n => {"title":"A","tags":["b","b","c: d","e"],"description":"{ f }"}
  ---\ntitle: "a\n  \\x62"\ntags: # c\n- 1.10\n- true\n- null\n- k: v\n  l: w\n---\n => {"title":"a b","tags":["1.10","true","k: v"]}
  ---\naffects:\n  - type: path\n    pattern: src/**\n  - type: package\n    pattern: x\napplies-to: y\n---\n => {"appliesTo":["y","src/**"]}
  ---\naffects: [a service, b]\n---\n => {"appliesTo":[]}
  ---\naffects: service\ntitle: "null"\ndescription: Null\ntags: "a\\x62"\n---\n => {"appliesTo":[],"title":"null","description":null,"tags":["ab"]}
  ---\n"title" : A\n'tags'\t: [x]\n---\n => {"title":"A","tags":["x"]}
  ---\n\n# Title\n\nText. => {"title":"Title","description":"Text."}
  ---\nSome prose, no key.\n---\nMore. => {"description":"More."} => [1]
  ---\n---\nText => {"description":"Text"}
  # Title\n---\ntags: b\n---\n => {"title":"Title","tags":[]}
  \u0020---\ntags: b\n---\n => {"tags":[]}
  ---\n__proto__: x\nconstructor: y\n---\nText\n => {"description":"Text","tags":[]}
`);

test("front matter is read in the forms of YAML that people use, and odd lines are reported and passed over", async () => {
  const { documents, findings } = await documentsOf(FRONT_MATTER.map(([text]) => unescaped(text)));
  for (const [index, [text, expected, lines = "[]"]] of FRONT_MATTER.entries()) {
    const document = documents[index]!;
    for (const [key, value] of Object.entries(JSON.parse(expected))) {
      assert.deepEqual(document[key as keyof Document] ?? null, value, `${key} of ${text}`);
    }
    const found = findings.filter(({ file }) => file === document.label);
    assert.deepEqual(found.map(({ line }) => line), JSON.parse(lines), text);
    assert.ok(found.every(({ rule, severity }) => rule === "front-matter" && severity === "warning"));
  }
});

/** Texts with their title and description; a document without a title has the name of its file. */
const DESCRIPTIONS: readonly (readonly [text: string, title: string | undefined, description?: string])[] = [
  ["---\ntitle: A: B\n---\n# C", "A: B"],
  ["## B\n\n# **C** `d`\n\n# E", "C d"],
  ["Title\n=====\n", "Title"],
  ["#\n\n```\n# no\n```\n", undefined],
  ["", undefined],
  ["# [text](target.md) and ![picture](x.png)", "text and picture"],
  ["# [text][reference] and [left] alone", "text and [left] alone"],
  ["# snake_case_name stays, _bold_ does not", "snake_case_name stays, bold does not"],
  ["# Optional <!-- a hint -->", "Optional"],
  ['# <a name="x"></a>Title<br/> of List<T>', "Title of List<T>"],
  ["# \\[escaped\\] and \\*stars\\*", "[escaped] and *stars*"],
  ["# Unsafe[Mutable][Raw]Pointer", "Unsafe[Mutable][Raw]Pointer"],
  ["# Rename `init(_: T)` to _make_", "Rename init(_: T) to make"],
  ["#   many\t spaces  ##", "many spaces"],
  ["# C#", "C#"],
  ["# A\nFirst line\nsecond *line*.\n\nNext.", "A", "First line second line."],
  ["We want:\n- a\n- b", undefined, "We want:"],
  ["---\ndescription: D\n---\n\nText.", undefined, "D"],
  ["x".repeat(200), undefined, "x".repeat(200)],
  ["🏛".repeat(300), undefined, `${"🏛".repeat(199)}…`],
  ["\ufeff# größe 設計 🏛\r\n\r\nText\r\n", "größe 設計 🏛", "Text"],
];
/** What is no paragraph, each before one. */
const NO_PARAGRAPHS: readonly string[] = [
  ...["> quote\ngoes on", "- item\ngoes on\n\n  and on", "1. item", "| a | b |\n| - | - |", "    code"],
  ...["![picture](x.png)", "[![badge](x.svg)](y)", "[name]: target.md", "<div>", "<!-- comment\n\nstill -->"],
  ...["```\ncode\n```", "Heading\n-------", "***", ":::note", "Status: accepted\nDate: 2026-01-01"],
  "**Deciders**: all",
];

test("the title and the description of a document are those that its author wrote, or the first ones in its text", async () => {
  const rows = [
    ...DESCRIPTIONS,
    ...NO_PARAGRAPHS.map((head) => [`# A\n\n${head}\n\nText.`, "A", "Text."] as const),
  ];
  const { documents } = await documentsOf(rows.map(([text]) => text));
  for (const [index, [text, title, description]] of rows.entries()) {
    const document = documents[index]!;
    assert.deepEqual([document.title, document.description], [title ?? document.name, description], text);
    assert.ok(document.title.isWellFormed() && (document.description ?? "").isWellFormed());
  }
});

test("only UTF-8 without zero bytes is a document", async () => {
  const binaries = [[0xff, 0xfe, 0x41], [0xe4], [0x41, 0, 0x42]].map((bytes) => Uint8Array.from(bytes));
  const texts = ["", "\ufeff", ...binaries];
  const { documents, findings } = await documentsOf(texts);
  assert.deepEqual(documents.map(({ name }) => name), ["100", "101"]);
  assert.deepEqual(brief(findings), [102, 103, 104].map((name) => `docs/${name}.md not-text`));
});

/** Documents and the sections that can be read of them, by slug: the number of the first line and of the one behind the last. */
const SECTIONS = table(String.raw`
  # One #\n\nText\n\nTwo\n===\n\nThree\n---\n\n### ${"`"}Four${"`"} *and* [more](x.md) ###\n#no\n####### no\n => {"one":[0,4],"two":[4,13],"three":[7,13],"four-and-more":[10,13],"no":[-1,-1]}
  # A\n\n${"```"}md\n# no\n~~~\n# no\n${"```"}\n\n~~~~\n${"```"}\n# no\n~~~\n~~~~\n\n<!--\n# no\n-->\n\n    # no\n\n| a |\n---\n\n- b\n---\n\n# Z\n => {"a":[0,26],"z":[26,27],"no":[-1,-1],"b":[-1,-1]}
  # A\n\n${"```"}one line${"```"}\n\n# B\n => {"b":[4,5]}
  **Bold**\n---\n\n---\n\n***\n---\n => {"bold":[0,7]}
  # A\n# A\n# A 1\n# A\n# Größe: 100 %\n# 設計 の 理由\n# ?\n# ?\n => {"a":[0,1],"a-1":[1,2],"a-1-1":[2,3],"a-2":[3,4],"größe-100-":[4,5],"設計-の-理由":[5,6],"-1":[7,8]}
  # A\n## B\n### C\n## D\ntext\n# E\n => {"a":[0,5],"b":[1,3],"c":[2,3],"d":[3,5],"e":[5,6]}
  ---\ntitle: x\n---\r\n# A\r\n\r\n## B\r\nline\rnext\n\n## C\nlast => {"a":[3,11],"b":[5,9],"c":[9,11]}
  ---\n# a: b\nx: y\n---\n# A\n => {"a-b":[-1,-1],"a":[4,5]}
  ---\nx: y\n\n# A\ntext\n => {"a":[3,5]}
`);

test("a section is read by its slug, byte for byte, up to the next heading of its level or above", async () => {
  const entries = SECTIONS.map(([text], index) => [`docs/${index}.md`, unescaped(text)]);
  const { provider } = await memoryProvider(Object.fromEntries(entries));
  for (const [index, [text, sections]] of SECTIONS.entries()) {
    const lines = unescaped(text).match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g)!;
    for (const [slug, [from, to]] of Object.entries<[number, number]>(JSON.parse(sections))) {
      const uri = `architecture://docs/${index}#${slug}`;
      const result = await provider.read(uri, { revision: {} } as never) as RawJson | undefined;
      const { contents } = (result?.toJSON() ?? { contents: [] }) as { contents: { text: string }[] };
      assert.equal(
        contents[0]?.text,
        from < 0 ? undefined : lines.slice(from, to).join(""),
        `${slug} of ${text}`,
      );
    }
  }
});

test("metadata keeps no text of its document alive", async () => {
  const prose = "Wörter → mehr. ".repeat(3000);
  const forms = [
    "# The title of a guideline\n\nWhat it is about.\n\n",
    "---\ntitle: The title of a pattern\ntags: [some-longer-word]\napplies-to: lib/documents/store.ts\n---\n\n",
    "# 1. The title of a record\n\n## Status\n\nSuperseded by 0002-some-longer-name.md\n\n## Context\n\nIts context.\n\n",
  ];
  const encoder = new TextEncoder();
  const contents = Object.fromEntries(Array.from({ length: 300 }, (_, index) => {
    return [`adr/${index + 1}-x.md`, encoder.encode(forms[index % 3] + prose + index)];
  }));
  const before = usedHeap();
  const { catalogue } = await memoryStore(contents);
  const grown = usedHeap() - before;
  assert.equal(catalogue.documents.length, 300);
  assert.ok(grown < 300 * 2 * prose.length / 4, `${grown} bytes for the metadata`);
});
