import assert from "node:assert/strict";
import { test } from "node:test";
import { findInvisible } from "../../lib/base/text.ts";

test("findInvisible() finds invisible characters, and says where the first one is", () => {
  const hidden = {
    "zero width space": "\u200b",
    "byte order mark inside": "\ufeff",
    "soft hyphen": "\u00ad",
    "right-to-left override": "\u202e",
    "isolate": "\u2066",
    "tag letter": "\u{e0041}",
    "control character": "\u0007",
    "escape": "\u001b",
    "line separator": "\u2028",
    "filler": "\u3164",
    "joiner between Latin letters": "\u200d",
  };
  for (const [name, character] of Object.entries(hidden)) {
    const code = `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
    assert.deepEqual(findInvisible(`ab${character}c`), { count: 1, first: code, index: 2 }, name);
  }
  assert.equal(findInvisible("a\u200b\u200bb\u200b")?.count, 3);
});

test("findInvisible() leaves alone what belongs where it is", () => {
  const texts = {
    "plain text": "Text, Größe, 設計\r\n\ttab\n",
    "joined emoji": "👩🏽‍💻 and ❤️‍🔥 and 👨‍👩‍👧",
    "emoji with a sign for its look": "✔️ and 1️⃣",
    "a flag": "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    "Persian": "می\u200cخواهم",
    "Hindi": "क्\u200dष",
  };
  for (const [name, text] of Object.entries(texts)) assert.equal(findInvisible(text), undefined, name);
});

test("findInvisible() finds what is hidden behind what is allowed", () => {
  assert.equal(findInvisible("✔\ufe0f\ufe0f")?.first, "U+FE0F");
  assert.equal(findInvisible("👩\u200d\u200d")?.count, 1);
  assert.equal(findInvisible("x\u{e0067}\u{e007f}")?.count, 2);
});
