import assert from "node:assert/strict";
import { test } from "node:test";
import { fromBase64Url, toBase64Url } from "../../lib/base/bytes.ts";
import { TokenSigner } from "../../lib/server/signer.ts";

const key = (fill: number): Uint8Array => new Uint8Array(32).fill(fill);

test("a token gives back what was signed, whatever is written in it", async () => {
  const signer = new TokenSigner();
  for (const content of ["", "a", '{"a":[1]}', "Grüße ✓ \u{1f980}", "\u0000.", "x".repeat(100_000)]) {
    const token = await signer.sign("session", content);
    assert.match(token, /^[\w-]*\.[\w-]{43}$/);
    assert.equal(await signer.open("session", token), content);
  }
});

test("a token is of no use for another purpose, with another key, or with any character changed", async () => {
  const signer = new TokenSigner([key(1)]);
  const token = await signer.sign("session", "alice");
  assert.equal(await signer.open("state", token), undefined);
  assert.equal(await new TokenSigner([key(2)]).open("session", token), undefined);
  assert.equal(await new TokenSigner().open("session", token), undefined);
  for (let index = 0; index < token.length; index++) {
    for (const other of ["A", "-", ".", "=", " "]) {
      if (token[index] === other) continue;
      const changed = token.slice(0, index) + other + token.slice(index + 1);
      assert.equal(await signer.open("session", changed), undefined, changed);
    }
  }
  for (
    const odd of [
      "",
      ".",
      "..",
      token + ".",
      `.${token}`,
      token.slice(1),
      token.slice(0, -1),
      "\u0000",
      "é.é",
    ]
  ) {
    assert.equal(await signer.open("session", odd), undefined, odd);
  }
});

test("a new key signs while the old one is still known, and an old one signs no more", async () => {
  const before = new TokenSigner([key(1)]);
  const both = new TokenSigner([key(2), key(1)]);
  const after = new TokenSigner([key(2)]);
  assert.equal(await both.open("session", await before.sign("session", "x")), "x");
  assert.equal(await after.open("session", await both.sign("session", "x")), "x");
  assert.equal(await before.open("session", await both.sign("session", "x")), undefined);
});

test("a key that is too short, and no key at all, are refused", () => {
  assert.throws(() => new TokenSigner([key(1), new Uint8Array(31)]), /31 bytes/);
  assert.throws(() => new TokenSigner([]), /no key/);
});

test("one text stands for given bytes, and for others none", () => {
  assert.deepEqual(fromBase64Url("_-8"), Uint8Array.of(255, 239));
  assert.equal(toBase64Url(Uint8Array.of(255, 239)), "_-8");
  for (const text of ["_-9", "_-8=", "/+8", "_", "_ -8", "é"]) {
    assert.equal(fromBase64Url(text), undefined, text);
  }
});
