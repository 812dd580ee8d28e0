import assert from "node:assert/strict";
import { test } from "node:test";
import { findInvisible } from "../../lib/base/invisible.ts";

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
