import assert from "node:assert/strict";
import { test } from "node:test";
import type { Catalogue } from "../../lib/documents/mod.ts";
import { parseUri, toUri } from "../../lib/documents/mod.ts";
import { memoryStore } from "./stores.ts";

async function catalogueOf(...names: readonly string[]): Promise<Catalogue> {
  return (await memoryStore(Object.fromEntries(names.map((name) => [name, `# ${name}\n`])))).catalogue;
}

function found(catalogue: Catalogue, uri: string): string {
  return catalogue.find(uri).documents.map(({ label }) => label).join(" or ") || "none";
}

test("a catalogue has its documents in the order of their URIs, by code unit", async () => {
  const catalogue = await catalogueOf("b/x.md", "a/z.md", "a/Z.md", "a/ä.md", "a/x/y.md", "a-b/x.md");
  const keys = catalogue.documents.map(({ key }) => key);
  assert.deepEqual(keys, [...keys].sort());
  assert.deepEqual(catalogue.categories, ["a", "a-b", "b"]);
  assert.ok(Object.isFrozen(catalogue.documents) && Object.isFrozen(catalogue.categories));
});

/** File names with their spelling in URIs. */
const NAMES: readonly (readonly [name: string, encoded: string])[] = [
  ...[["plain", "plain"], ["with space", "with%20space"], ["größe", "gr%C3%B6%C3%9Fe"]] as const,
  ...[["設計", "%E8%A8%AD%E8%A8%88"], ["🏛", "%F0%9F%8F%9B"], ["a\ud800b", "a%EF%BF%BDb"]] as const,
  ...[["a#b", "a%23b"], ["a?b", "a%3Fb"], ["100%", "100%25"], ["a(b)", "a%28b%29"]] as const,
  ...[["it's!*", "it%27s%21%2A"], ["a,b;c[d]", "a%2Cb%3Bc%5Bd%5D"]] as const,
  ['a\\b"c\nd', "a%5Cb%22c%0Ad"],
];

test("find() knows a document in the encoded and the raw spelling of its URI, in both schemes", async () => {
  const catalogue = await catalogueOf(...NAMES.map(([name]) => `docs/${name}.md`));
  for (const [name, encoded] of NAMES) {
    const label = `docs/${name}.md`;
    const document = catalogue.get(`docs/${encoded}`);
    assert.equal(document?.label, label);
    const spellings = [encoded, encoded.toLowerCase()];
    // A raw "#" begins a section.
    if (!name.includes("#")) spellings.push(name, name.normalize("NFD"));
    for (const spelling of spellings) {
      for (const uri of [`architecture://docs/${spelling}`, `ARCHITECTURE://docs/${spelling}#x`]) {
        assert.equal(found(catalogue, uri), label, uri);
      }
      assert.equal(found(catalogue, `file:///docs/${spelling}.MD`), label, spelling);
    }
    for (const scheme of ["architecture", "file"] as const) {
      const address = parseUri(toUri(document!.key, scheme));
      assert.deepEqual(address, { scheme, key: document!.key, section: undefined });
    }
  }
});

test("find() takes the ending of a file for no part of a URI, unless it is one", async () => {
  const catalogue = await catalogueOf("adr/007-x.md", "docs/x.md", "docs/y.md", "docs/y.md.md");
  const rows = {
    "architecture://docs/x.md": "docs/x.md",
    "architecture://docs/x.md#part": "docs/x.md",
    "architecture://adr/7.md": "adr/007-x.md",
    "architecture://docs/y.md": "docs/y.md.md",
    "file:///docs/y.md.md": "docs/y.md.md",
    "architecture://docs/x.MD": "none",
    "architecture://docs/x.md.md": "none",
    "file:///docs/x.md.md": "none",
  };
  for (const [uri, label] of Object.entries(rows)) assert.equal(found(catalogue, uri), label, uri);
});

test("no character becomes a step of a path on its way from a URI to a key", () => {
  // Beyond the first plane they differ in nothing that matters here.
  for (let code = 0; code <= 0x2ffff; code += code < 0x10000 ? 1 : 97) {
    const character = String.fromCodePoint(code);
    if (/[./~\w#-]/.test(character)) continue;
    for (
      const spelling of [character, `x${character}${character}`, encodeURIComponent(character.toWellFormed())]
    ) {
      assert.match(parseUri(`architecture://${spelling}`)!.key, /^[%0-9A-Zx]+$/, code.toString(16));
    }
  }
  const keys = {
    "adr/../../etc/passwd": "adr/../../etc/passwd",
    "adr/%2e%2e%2fsecret": "adr/..%2Fsecret",
    "adr/a%2Fb": "adr/a%2Fb",
    "adr/a%00b": "adr/a%00b",
    "adr\\..\\x": "adr%5C..%5Cx",
  };
  for (const [path, key] of Object.entries(keys)) assert.equal(parseUri(`architecture://${path}`)?.key, key);
});

test("parseUri() decodes the section, which begins at the first #", () => {
  const sections = { "gr%C3%B6%C3%9Fe": "größe", "a#b": "a#b", "": "", "100%": "100%" };
  for (const [written, section] of Object.entries(sections)) {
    assert.equal(parseUri(`architecture://adr/x#${written}`)?.section, section);
  }
});

/** Names of records, and the number and the date in them. */
const NUMBERED: readonly (readonly [names: string, number?: number | undefined, date?: string])[] = [
  ["007-x,0007_x,7,7. Use X,adr-7-x,ADR 0007,ADR007-x,ADR #7,#7,ODH-ADR-0007-x,ODH-ADR-Operator-0007-x", 7],
  ["2021-06-05_007-x,20210605-007-x", 7, "2021-06-05"],
  ["20260728-x,2026-07-28_x", undefined, "2026-07-28"],
  ["2026-07-x", undefined, "2026-07"],
  ["0005-12-factor", 5],
  ["2026-13-x", 2026],
  ["20261301-x,202607281-x,5g-rollout,adr-use-http-2,x,1234567-x"],
];

test("a record is found by the number in its name, in the forms that teams use", async () => {
  const rows = NUMBERED.flatMap(([names, ...rest]) =>
    names.split(",").map((name) => [name, ...rest] as const)
  );
  for (const [name, number, date] of rows) {
    const catalogue = await catalogueOf(`adr/${name}.md`, `adr/sub/${name}/README.md`, `docs/${name}.md`);
    const [own, inner, other] = catalogue.documents;
    assert.deepEqual([own!.record!.number, own!.record!.date], [number, date], name);
    // Its folder names a README.
    assert.deepEqual([inner!.record!.number, inner!.record!.date], [number, date], name);
    assert.equal(other!.record, undefined, "only the category adr has records");
    assert.equal(found(catalogue, "architecture://docs/7"), name === "7" ? "docs/7.md" : "none");
    if (number === undefined) continue;
    for (const spelling of [`${number}`, `00${number}`, `adr-${number}`, `ADR-0${number}#decision`]) {
      assert.equal(found(catalogue, `architecture://adr/${spelling}`), own!.label, spelling);
      assert.equal(found(catalogue, `file:///adr/sub/${spelling.replace(/#.*/, "")}.md`), inner!.label);
    }
  }
});

test("a number names a record of its own folder, and a file whose whole name it is before any other", async () => {
  const catalogue = await catalogueOf("adr/a/007-x.md", "adr/a/8.md", "adr/a/008-y.md", "adr/b/007-y.md");
  const expected = {
    "adr/a/7": "adr/a/007-x.md",
    "adr/b/7": "adr/b/007-y.md",
    "adr/a/8": "adr/a/8.md",
    // Of a number that the folder has none of, those in the folders of the category.
    "adr/7": "adr/a/007-x.md or adr/b/007-y.md",
    "adr/8": "adr/a/008-y.md or adr/a/8.md",
  };
  const none = "adr/9 adr/a/7-x adr/a/7a adr/a/-7 adr/a/7.0 adr/a/".split(" ").map((path) =>
    [path, "none"] as const
  );
  for (const [path, label] of [...Object.entries(expected), ...none]) {
    assert.equal(found(catalogue, `architecture://${path}`), label, path);
  }
  const two = await catalogueOf("adr/007-x.md", "adr/0007-y.md");
  assert.equal(found(two, "architecture://adr/7"), "adr/0007-y.md or adr/007-x.md");
  assert.equal(found(two, "architecture://adr/007-x"), "adr/007-x.md");
  assert.equal(two.get("adr/007-x")?.label, "adr/007-x.md");
  assert.equal(two.get("adr/7"), undefined, "get() takes exact keys only");
});

test("resolve() finds what a record refers to, in the words of records", async () => {
  const names = "adr/005-use-y.md,adr/007-x.md,adr/20260101-d.md,patterns/p q.md,adr/sub/6-z.md";
  const catalogue = await catalogueOf(...names.split(","));
  const from = catalogue.get("adr/007-x")!;
  const rows: Readonly<Record<string, readonly string[]>> = {
    "adr/005-use-y.md": [
      ..."005-use-y.md ./005-use-y.MD ../adr/005-use-y.md#decision 005-use-y 5 ADR-5 0005-the-old-title.md"
        .split(" "),
      ..."/adr/5 architecture://adr/5#decision".split(" "),
      "ADR #5",
      "5. Use Y",
      "ADR-0005 (in part)",
    ],
    "adr/20260101-d.md": ["20260101-d"],
    "patterns/p q.md": ["../patterns/p q.md", "../patterns/p%20q.md"],
    "none": ["6", "the wiki", "../005-use-y.md", "../../005-use-y.md", "https://example.org/adr/5", ""],
  };
  for (const [label, references] of Object.entries(rows)) {
    for (const reference of references) {
      assert.equal(catalogue.resolve(from, reference)?.label ?? "none", label, reference);
    }
  }
  const two = await catalogueOf("adr/007-x.md", "adr/0007-y.md");
  assert.equal(two.resolve(two.documents[0]!, "7"), undefined, "two records have the number");
});
