import assert from "node:assert/strict";
import { test } from "node:test";
import { fold } from "../../lib/documents/fold.ts";
import { MAX_WORD, readWords } from "../../lib/documents/tokens.ts";

/** The words of a text, with those that only follow from it in parentheses. */
function words(text: string): string {
  const found: string[] = [];
  readWords(text, (word, _start, _end, isAside) => void found.push(isAside ? `(${word})` : word));
  return found.join(" ");
}

test("readWords() folds case, accents, widths and ligatures", () => {
  assert.equal(words("Größe NAÏVE Straße Œuvre Ångström ﬁne"), "grosse naive strasse oeuvre angstrom fine");
  assert.equal(words("ＡＰＩ ｇａｔｅｗａｙ １２"), "api gateway 12");
  assert.equal(words("Łódź København ΟΔΟΣ Ёлка"), "lodz kobenhavn οδοσ елка");
});

test("fold() gives a word that is composed and the same one that is not one spelling", () => {
  for (const word of ["Größe", "が", "データ", "한국어", "é", "ệ"]) {
    assert.equal(fold(word.normalize("NFD")), fold(word.normalize("NFC")), word);
  }
});

test("fold() keeps marks that make another letter, and drops what only steers a line break", () => {
  assert.notEqual(fold("が"), fold("か"));
  assert.notEqual(fold("กี"), fold("กิ"));
  assert.equal(fold("Archi\u00adtektur"), "architektur");
});

test("readWords() takes identifiers whole and in their parts", () => {
  assert.equal(words("camelCase"), "camelcase (camel) (case)");
  assert.equal(words("HTTPServer"), "httpserver (http) (server)");
  assert.equal(words("snake_case"), "snake case (snakecase)");
  assert.equal(words("read-model"), "read model (readmodel)");
  assert.equal(words("shelf.ts"), "shelf ts (shelfts)");
  assert.equal(words("read_modelStore"), "read modelstore (model) (store) (readmodelstore)");
});

test("readWords() leaves the plural of an abbreviation whole", () => {
  assert.equal(words("APIs, ADRs and IDs"), "apis adrs and ids");
});

test("readWords() reads the number of a record with and without zeros alike", () => {
  assert.equal(words("ADR-007"), "adr 7 (adr7)");
  assert.equal(words("ADR-7"), "adr 7 (adr7)");
  assert.equal(words("0 000 10"), "0 0 10");
});

test("readWords() keeps versions and dates whole", () => {
  assert.equal(words("1.2.3"), "1.2.3 (1) (2) (3)");
  assert.equal(words("v2.10"), "v2.10 (v2) (10)");
  assert.equal(words("2026-07-28"), "2026.7.28 (2026) (7) (28)");
});

test("readWords() knows the languages with a sign in their names", () => {
  assert.equal(words("C# and C++, F#."), "c (c#) and c (c++) f (f#)");
  assert.equal(words("issue#12"), "issue 12");
});

test("readWords() takes pairs of characters where a script has no spaces, and single ones where they stand alone", () => {
  assert.equal(words("認証基盤"), "認証 証基 基盤");
  assert.equal(words("データベースのAPI設計"), "デー ータ タベ ベー ース スの api 設計");
  assert.equal(words("鍵 と 鍵"), "鍵 と 鍵");
  assert.equal(words("한국어"), "한국 국어");
  assert.equal(words("ﾃﾞｰﾀ"), words("データ"));
  assert.equal(words("データ".normalize("NFD")), words("データ"));
  assert.equal(words("𠮷野家"), "𠮷野 野家");
});

test("readWords() says where each word stands", () => {
  const text = "Ein größeres readModel für 認証基盤.";
  const found: string[] = [];
  readWords(text, (word, start, end) => void found.push(`${word}=${text.slice(start, end)}`));
  assert.deepEqual(found, [
    "ein=Ein",
    "grosseres=größeres",
    "readmodel=readModel",
    "read=read",
    "model=Model",
    "fur=für",
    "認証=認証",
    "証基=証基",
    "基盤=基盤",
  ]);
});

test("readWords() reads a stretch of a text and nothing beside it", () => {
  const found: string[] = [];
  readWords("one two three", (word) => void found.push(word), 4, 9);
  assert.deepEqual(found, ["two", "t"]);
});

test("readWords() finds nothing in what is no word", () => {
  for (const text of ["", "--- *** ___ ...", "😀👍🏽", "\ud800 \udfff", "\u0301\u0301", "#++"]) {
    assert.equal(words(text), "", JSON.stringify(text));
  }
});

test("readWords() knows a word that is too long by its beginning, and does not put parts together past that", () => {
  assert.equal(words("x".repeat(MAX_WORD + 1)), "x".repeat(MAX_WORD));
  const joined = words(Array.from({ length: MAX_WORD }, () => "ab").join("-")).split(" ");
  assert.equal(joined.length, MAX_WORD);
  assert.ok(joined.every((word) => word === "ab"));
});
