import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_WEIGHT, Postings } from "../../lib/documents/postings.ts";
import { isOneTypo, Vocabulary } from "../../lib/documents/vocabulary.ts";
import { formsOf } from "../../lib/documents/word_forms.ts";
import { MAX_PHRASE_WORDS, toPhrase, WordOrder } from "../../lib/documents/word_order.ts";
import { randomFrom } from "./search_shelf.ts";

function areForms(one: string, other: string): boolean {
  const there = formsOf(one).includes(other);
  assert.equal(formsOf(other).includes(one), there, `${one} and ${other} are forms in one direction only`);
  return there;
}

test("formsOf() knows the endings of English and German", () => {
  for (
    const [one, other] of [
      ["queue", "queues"],
      ["cache", "caching"],
      ["plan", "planned"],
      ["policy", "policies"],
      ["apply", "applied"],
      ["token", "tokens"],
      ["API", "APIs"],
      ["dienst", "diensten"],
      ["entscheidung", "entscheidungen"],
      ["speichern", "speichert"],
      ["fehler", "fehlern"],
    ]
  ) assert.ok(areForms(one!.toLowerCase(), other!.toLowerCase()), `${one} and ${other}`);
});

test("formsOf() takes no ending off a short word, a number or a name with digits", () => {
  assert.ok(!areForms("use", "us"));
  assert.ok(!areForms("for", "form"));
  assert.ok(!areForms("the", "then"));
  for (const word of ["v2", "1.2.3", "k8s", "utf8s", ""]) assert.deepEqual(formsOf(word), [], word);
});

test("formsOf() never names the word itself, and every form once", () => {
  for (const word of ["queue", "testing", "policy", "entries", "ungen"]) {
    const forms = formsOf(word);
    assert.ok(!forms.includes(word));
    assert.equal(new Set(forms).size, forms.length);
  }
});

test("isOneTypo() takes one letter more, less or another, and two that changed places", () => {
  for (const typo of ["databas", "databasee", "dstabase", "adtabase", "databaes", "xdatabase", "atabase"]) {
    assert.ok(isOneTypo("database", typo), typo);
    assert.ok(isOneTypo(typo, "database"), typo);
  }
  for (const other of ["database", "databa", "dtaabsae", "bataase", "databasexy", "xdatabasx", ""]) {
    assert.ok(!isOneTypo("database", other), other);
  }
});

test("oneTypoFrom() finds what looking at every word would find", () => {
  const random = randomFrom(7);
  const letters = "abzäé7日";
  const word = () =>
    Array.from({ length: 1 + Math.floor(random() * 6) }, () => letters[Math.floor(random() * 7)]).join("");
  const vocabulary = new Vocabulary();
  const words = [...new Set(Array.from({ length: 3000 }, word))];
  for (const one of words) vocabulary.add(one);
  for (const one of words.slice(0, 200)) {
    const found = vocabulary.oneTypoFrom(one).map((id) => vocabulary.word(id)).sort();
    assert.deepEqual(found, words.filter((other) => isOneTypo(one, other)).sort(), one);
    const longer = vocabulary.beginningWith(one).map((id) => vocabulary.word(id)).sort();
    assert.deepEqual(longer, words.filter((other) => other !== one && other.startsWith(one)).sort(), one);
  }
});

test("Vocabulary gives every word one number, and a word with it", () => {
  const vocabulary = new Vocabulary();
  const words = Array.from({ length: 5000 }, (_, index) => `word${index}`);
  const ids = words.map((word) => vocabulary.add(word));
  assert.deepEqual(words.map((word) => vocabulary.add(word)), ids);
  assert.deepEqual(ids.map((id) => vocabulary.word(id!)), words);
  assert.equal(vocabulary.length, words.length);
  assert.equal(vocabulary.find("word"), undefined);
});

test("Vocabulary takes no more words than it may, and still knows those that it has", () => {
  const vocabulary = new Vocabulary(2);
  assert.deepEqual(["one", "two", "three", "one"].map((word) => vocabulary.add(word)), [0, 1, undefined, 0]);
  assert.equal(vocabulary.length, 2);
});

test("Postings gives back the entries of each word, the latest first, over all pages", () => {
  const postings = new Postings();
  const random = randomFrom(3);
  const entered: [ordinal: number, weight: number][][] = Array.from({ length: 3000 }, () => []);
  for (let ordinal = 0; ordinal < 400; ordinal++) {
    for (let word = 0; word < entered.length; word++) {
      if (random() * (word + 1) > 30) continue;
      postings.add(word, ordinal, word % 9 + 1);
      entered[word]!.push([ordinal, word % 9 + 1]);
    }
  }
  for (const [word, expected] of entered.entries()) {
    const found: [number, number][] = [];
    for (let place = postings.latest(word); place !== 0; place = postings.before(place)) {
      found.push([postings.ordinal(place), postings.weight(place)]);
    }
    assert.deepEqual(found, expected.toReversed(), `word ${word}`);
  }
  assert.equal(postings.latest(1_000_000), 0);
});

test("Postings keeps a weight that is too great as the greatest", () => {
  const postings = new Postings();
  postings.add(0, 5, MAX_WEIGHT + 7);
  assert.equal(postings.weight(postings.latest(0)), MAX_WEIGHT);
  assert.equal(postings.ordinal(postings.latest(0)), 5);
});

test("WordOrder finds words that follow each other, and not over a gap", () => {
  const order = new WordOrder();
  const ids = [300, 5, 5, 70_000, 2_000_000];
  for (const id of ids) order.add(id);
  const gap = order.end;
  order.addGap();
  for (const id of ids) order.add(id);
  const has = (words: readonly number[], from = 0, to = order.end): boolean =>
    order.has(toPhrase(words.map((word) => [word])), from, to);
  assert.ok(has([5, 5, 70_000]));
  assert.ok(has([2_000_000]));
  assert.ok(!has([5, 5, 5]));
  assert.ok(!has([70_000, 5]));
  assert.ok(!has([300, 5, 70_000]));
  assert.ok(!has([2_000_000, 300]));
  assert.ok(has([300, 5], 0, gap));
  assert.ok(!has([300, 5], gap, gap));
});

test("WordOrder follows a phrase of the greatest length, and over the edge of a page", () => {
  const order = new WordOrder();
  for (let index = 0; index < 40_000; index++) order.add(1_000 + index);
  const phrase = Array.from({ length: MAX_PHRASE_WORDS }, (_, index) => [33_000 + index]);
  assert.ok(order.has(toPhrase(phrase), 0, order.end));
  assert.ok(!order.has(toPhrase(phrase.toReversed()), 0, order.end));
});
