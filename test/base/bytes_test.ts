import assert from "node:assert/strict";
import { test } from "node:test";
import { hash } from "../../lib/base/bytes.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

test("hash() is the same for the same bytes at any offset in memory", () => {
  const text = encode("# Größe, 設計 🏛 and some more\n");
  const expected = hash(text);
  for (let offset = 0; offset < 8; offset++) {
    const larger = new Uint8Array(text.length + 16).fill(0x61);
    larger.set(text, offset);
    assert.equal(hash(larger.subarray(offset, offset + text.length)), expected, `offset ${offset}`);
  }
  assert.ok(Number.isInteger(expected) && expected >= 0 && expected < 2 ** 32);
});

test("hash() differs for one bit, other lengths and orders, and differences that could cancel each other out", () => {
  for (let length = 1; length <= 13; length++) {
    const bytes = encode("a".repeat(length));
    const expected = hash(bytes);
    for (let bit = 0; bit < 8 * length; bit++) {
      const other = bytes.slice();
      other[bit >> 3]! ^= 1 << (bit & 7);
      assert.notEqual(hash(other), expected, `bit ${bit} of ${length} bytes`);
    }
  }
  const letters = [..."abcdefghijklmnopqrstuvwxyz"];
  const texts = [
    ...["", "\0", "\0\0", "\0\0\0\0", "abcd", "abcde", "bacd", "abcdefgh", "efghabcd", "abcd\0"],
    ...letters.flatMap((one) => letters.map((other) => `abc${one}abc${other}`)),
    ...Array.from({ length: 10_000 }, (_, number) => `# Title\n\nText that stays.\n\nVersion ${number}.\n`),
  ];
  assert.equal(new Set(texts.map((text) => hash(encode(text)))).size, texts.length);
});
