import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../fuzz/random.ts";
import { holdersOf, indexOf, keysOf, said } from "./texts.ts";

/** The terms of a text, as a search for the text itself names them. Pairs of characters are shown joined. */
async function termsOf(text: string): Promise<string> {
  const { hits } = await (await indexOf({ a: `# Title\n\n${text}\n` })).search(text);
  return (hits[0]?.matches ?? []).map(({ term }) => term).join(" ");
}

const TERMS: readonly (readonly [text: string, terms: string])[] = [
  // Case, accents, widths, ligatures and letters without a decomposition.
  ["Größe NAÏVE Straße Œuvre Ångström ﬁne", "grosse naive strasse oeuvre angstrom fine"],
  ["ＡＰＩ ｇａｔｅｗａｙ １２", "api gateway 12"],
  ["Łódź København ΟΔΟΣ Ёлка", "lodz kobenhavn οδοσ елка"],
  ["Archi\u00adtektur", "architektur"],
  // Identifiers, whole and in parts.
  ["camelCase", "camelcase camel case"],
  ["HTTPServer", "httpserver http server"],
  ["snake_case", "snake case snakecase"],
  ["read-model", "read model readmodel"],
  ["main.ts", "main ts maints"],
  ["read_modelStore", "read modelstore model store readmodelstore"],
  ["APIs, ADRs plus IDs", "apis adrs plus ids"],
  // Numbers, versions and dates.
  ["ADR-007", "adr 7 adr7"],
  ["ADR-7", "adr 7 adr7"],
  ["0 000 10", "0 10"],
  ["1.2.3", "1.2.3 1 2 3"],
  ["v2.10", "v2.10 v2 10"],
  ["2026-07-28", "2026.7.28 2026 7 28"],
  // Languages with a sign in their name.
  ["C# plus C++, F#.", "c c# plus c++ f f#"],
  ["issue#12", "issue 12"],
  // Scripts without spaces.
  ["認証基盤", "認証基盤"],
  ["データベースのAPI設計", "データベースの api 設計"],
  ["鍵 と 鍵", "鍵 と"],
  ["한국어", "한국어"],
  ["ﾃﾞｰﾀ", "データ"],
  ["𠮷野家", "𠮷野家"],
  // Long words are cut, and long identifiers are not joined.
  ["x".repeat(65), "x".repeat(64)],
  [Array.from({ length: 64 }, () => "ab").join("-"), "ab"],
  // No words.
  ...["", "--- *** ___ ...", "😀👍🏽", "\ud800 \udfff", "\u0301\u0301", "#++"].map((text) =>
    [text, ""] as const
  ),
];

test("search() splits text into terms", async () => {
  for (const [text, terms] of TERMS) assert.equal(await termsOf(text), terms, JSON.stringify(text));
});

const FOUND: readonly (readonly [text: string, found: readonly string[], not: readonly string[]])[] = [
  ["Größe, ＡＰＩ und Café", ["größe", "GRÖSSE", "grosse", "api", "CAFE", "ｃａｆé"], ["Gras"]],
  ["Schlüssel", ["Schluessel"], []],
  ["A constructor and `__proto__`", ["constructor", "__proto__"], ["hasOwnProperty", "toString"]],
  ["cache ".repeat(20_000), ["cache"], []],
  ["The OrderListProjection", ["projection", "orderListProjection"], ["readmodel"]],
  ["A read-model", ["readmodel", "read_model", "readModel", '"read model"'], ['"readmodel"', '"model read"']],
  ["認証基盤。鍵の保存方法", ["認証", "証基", "保存", "鍵"], ["庫", "認基"]],
  ["使用分片的数据库", ["数据库", "库"], ["据数"]],
  ["が กี", ["が", "กี"], ["か", "กิ"]],
  ...["Größe", "が", "データ", "한국어", "é", "ệ"].flatMap((word) => [
    [word.normalize("NFC"), [word.normalize("NFD")], []] as const,
    [word.normalize("NFD"), [word.normalize("NFC")], []] as const,
  ]),
];

test("search() finds words however they are written", async () => {
  for (const [text, found, not] of FOUND) {
    const index = await indexOf({ a: `# Title\n\n${text}\n`, b: "# Other\n\nSomething else.\n" });
    for (const query of found) assert.deepEqual(await keysOf(index, query), ["a"], `${text}: ${query}`);
    for (const query of not) assert.deepEqual(await holdersOf(index, query), [], `${text}: ${query}`);
  }
});

const FORMS: readonly string[] = [
  ..."queue queues,cache caching,plan planned,policy policies,apply applied,token tokens,api apis".split(","),
  ..."computation computers,relational relate,adjustable adjustment,using uses".split(","),
  ..."dienst diensten,entscheidung entscheidungen,speichern speichert,fehler fehlern".split(","),
];
const NO_FORMS = "use us,for form,the then,v2 v2s,1.2.3 1.2.3s,k8s k8,utf8 utf8s".split(",");

test("search() expands a word to its inflected forms in English and German, in both directions", async () => {
  for (const pair of [...FORMS, ...NO_FORMS]) {
    const [one, other] = pair.split(" ") as [string, string];
    for (const [written, query] of [[one, other], [other, one]] as const) {
      const { hits } = await (await indexOf({ a: `# X\n\n${written}\n` })).search(query);
      const isForm = hits[0]?.matches.some(({ kind }) => kind === "form") ?? false;
      assert.equal(isForm, FORMS.includes(pair), `${written} for ${query}`);
    }
  }
});

/** What one edit makes of a word: a letter too many, too few or another, or two swapped. */
function editsOf(word: string, letters: string): Set<string> {
  return new Set([...word, ""].flatMap((_, at) => {
    const [before, after] = [word.slice(0, at), word.slice(at)];
    const swapped = before + (after[1] ?? "") + (after[0] ?? "") + after.slice(2);
    const longer = [...letters].map((letter) => before + letter + after);
    const replaced = [...letters].map((letter) => before + letter + after.slice(1));
    return [before + after.slice(1), swapped, ...longer, ...replaced];
  }));
}

test("search() finds every word that starts with another or is one edit away, as a look at all words does", async () => {
  const random = new Random(7);
  const letters = "abzeéд";
  const word = () => Array.from({ length: random.between(2, 6) }, () => random.pick([...letters])).join("");
  const words = [...new Set(Array.from({ length: 1500 }, word))].map((one) => one.replaceAll("é", "e"));
  const index = await indexOf(Object.fromEntries(words.map((word) => [word, `# X\n\n${word}\n`])));
  for (const query of words.filter(({ length }) => length > 3).slice(0, 100)) {
    const { hits } = await index.search(query, { limit: 100 });
    const kinds = new Map(
      hits.flatMap(({ matches }) => matches.flatMap(({ found, kind }) => found.map((one) => [one, kind]))),
    );
    const edits = editsOf(query, letters);
    for (const other of words) {
      const isSimilar = other === query || other.startsWith(query) || edits.has(other);
      if (isSimilar) assert.ok(kinds.has(other), `${other} for ${query}`);
      else assert.notEqual(kinds.get(other) ?? "form", "fuzzy", `${other} for ${query}`);
    }
  }
});

test("search() ranks a word before its forms, what starts with it and typing errors", async () => {
  const index = await indexOf({
    exact: said("The queue is here."),
    form: said("The queues are here."),
    prefix: said("The queuetip is here."),
    fuzzy: said("The queqe are here."),
    none: said(""),
  });
  assert.deepEqual(await keysOf(index, "queue"), ["exact", "form", "prefix", "fuzzy"]);
  assert.deepEqual((await keysOf(index, "queu")).slice(0, 2).toSorted(), ["exact", "form"]);
  assert.deepEqual(await keysOf(index, "qeueu"), []);
  assert.deepEqual(await keysOf(index, "quuee"), ["exact"]);
});

test("search() splits a compound that no text has as a whole", async () => {
  const texts = { a: "# Texte\n\nDie Meldung nennt den Fehler.\n", b: said("") };
  const { hits } = await (await indexOf(texts)).search("Fehlermeldungen");
  const match = { term: "fehlermeldungen", kind: "part", found: ["meldung", "fehler"], fields: ["body"] };
  assert.deepEqual(hits.map(({ document, matches }) => [document.key, matches]), [["a", [match]]]);
});

test("search() finds phrases of the rarest words of a large vocabulary", async () => {
  // Enough terms that some codes would be surrogates, the last high and the first low one between w56061 and w56062.
  const words = Array.from({ length: 70_000 }, (_, index) => `w${index}`);
  const index = await indexOf({ a: words.slice(0, 35_000).join("\n"), b: words.slice(35_000).join("\n") });
  const rows = {
    "w34998 w34999": ["a"],
    "w55037 w55038 w55039": ["b"],
    "w56060 w56061 w56062 w56063": ["b"],
    "w69998 w69999": ["b"],
    "w69999 w69998": [],
    "w34999 w35000": [],
  };
  for (const [phrase, keys] of Object.entries(rows)) {
    assert.deepEqual(await holdersOf(index, `"${phrase}"`), keys, phrase);
  }
});
