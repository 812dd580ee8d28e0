import assert from "node:assert/strict";
import { test } from "node:test";
import { findInvisible, spelledOut } from "../../lib/base/invisible.ts";

test("findInvisible() finds invisible characters, and the place of the first one", () => {
  // Zero-width spaces and joiners, a soft hyphen, direction marks, a tag letter, control characters, a filler.
  for (const code of "200B FEFF 00AD 202E 2066 E0041 0007 001B 2028 3164 200D".split(" ")) {
    const text = `ab${String.fromCodePoint(parseInt(code, 16))}c`;
    assert.deepEqual(findInvisible(text), { count: 1, first: `U+${code}`, index: 2 });
  }
  assert.equal(findInvisible("a\u200b\u200bb\u200b")?.count, 3);
});

test("findInvisible() ignores normal uses", () => {
  // Joined emoji, emoji with variation selectors, a flag, Persian and Hindi.
  const texts = ["Text, Größe, 設計\r\n\ttab\n", "👩🏽‍💻 and ❤️‍🔥 and 👨‍👩‍👧", "✔️ and 1️⃣"];
  texts.push("\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}", "می\u200cخواهم", "क्\u200dष");
  for (const text of texts) assert.equal(findInvisible(text), undefined, text);
});

test("findInvisible() finds characters that follow a normal use", () => {
  assert.equal(findInvisible("✔\ufe0f\ufe0f")?.first, "U+FE0F");
  assert.equal(findInvisible("👩\u200d\u200d")?.count, 1);
  assert.equal(findInvisible("x\u{e0067}\u{e007f}")?.count, 2);
});

test("texts hidden in flags and selectors are found, and spelled out", () => {
  const tags = Array.from("letters", (letter) => String.fromCodePoint(0xe0000 + letter.codePointAt(0)!)).join(
    "",
  );
  const spelledTags = "\\u{e006c}\\u{e0065}\\u{e0074}\\u{e0074}\\u{e0065}\\u{e0072}\\u{e0073}\\u{e007f}";
  const rows: [text: string, spelled: string][] = [
    [`\u{1f3f4}${tags}\u{e007f}`, `\u{1f3f4}${spelledTags}`],
    ["a\u{e0101}b\u{e0142}", "a\\u{e0101}b\\u{e0142}"],
    ["a\ufe00b\ufe0f", "a\\u{fe00}b\\u{fe0f}"],
    ["\u202eabc\u202c", "\\u{202e}abc\\u{202c}"],
    ["a\u2066b\u2069 \u200b\u00ad", "a\\u{2066}b\\u{2069} \\u{200b}\\u{ad}"],
    ["\u3164\u115f\u034f", "\\u{3164}\\u{115f}\\u{34f}"],
  ];
  for (const [text, spelled] of rows) {
    assert.ok(findInvisible(text), text);
    assert.equal(spelledOut(text), spelled);
  }
  for (const text of ["", "Größe 設計\n\t", "👩🏽‍💻 ✔️ 1️⃣", "葛\u{e0100}", "می\u200cخواهم"]) {
    assert.equal(findInvisible(text), undefined, text);
    assert.equal(spelledOut(text), text);
  }
});
