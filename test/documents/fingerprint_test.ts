import assert from "node:assert/strict";
import { test } from "node:test";
import { fingerprint } from "../../lib/documents/fingerprint.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

test("fingerprint() gives the same number for the same bytes, wherever they lie in memory", () => {
  const text = encode("# Größe, 設計 🏛 and some more\n");
  const expected = fingerprint(text);
  for (let offset = 0; offset < 8; offset++) {
    const larger = new Uint8Array(text.length + 16).fill(0x61);
    larger.set(text, offset);
    assert.equal(fingerprint(larger.subarray(offset, offset + text.length)), expected, `offset ${offset}`);
  }
  assert.ok(Number.isInteger(expected) && expected >= 0 && expected < 2 ** 32);
});

test("fingerprint() gives another number when one bit is another one, at every length and place", () => {
  for (let length = 1; length <= 13; length++) {
    const bytes = encode("a".repeat(length));
    const expected = fingerprint(bytes);
    for (let bit = 0; bit < 8 * length; bit++) {
      const other = bytes.slice();
      other[bit >> 3]! ^= 1 << (bit & 7);
      assert.notEqual(fingerprint(other), expected, `bit ${bit} of ${length} bytes`);
    }
  }
});

test("fingerprint() gives other numbers for other lengths and orders", () => {
  const texts = ["", "\0", "\0\0", "\0\0\0\0", "abcd", "abcde", "bacd", "abcdefgh", "efghabcd", "abcd\0"];
  assert.equal(new Set(texts.map((text) => fingerprint(encode(text)))).size, texts.length);
});

test("fingerprint() gives other numbers where two places differ that could cancel each other out", () => {
  const letters = [..."abcdefghijklmnopqrstuvwxyz"];
  const texts = letters.flatMap((one) => letters.map((other) => `abc${one}abc${other}`));
  assert.equal(new Set(texts.map((text) => fingerprint(encode(text)))).size, texts.length);
});

test("fingerprint() tells ten thousand versions of one text from each other", () => {
  const version = (number: number) => encode(`# Title\n\nText that stays.\n\nVersion ${number}.\n`);
  const numbers = Array.from({ length: 10_000 }, (_, number) => fingerprint(version(number)));
  assert.equal(new Set(numbers).size, numbers.length);
});
