import assert from "node:assert/strict";
import { test } from "node:test";
import { canonical, followPath, parseUri, toKey, toUri } from "../../lib/documents/uri.ts";

const NAMES = [
  ["plain", "plain"],
  ["with space", "with%20space"],
  ["größe", "gr%C3%B6%C3%9Fe"],
  ["設計", "%E8%A8%AD%E8%A8%88"],
  ["a#b", "a%23b"],
  ["a?b", "a%3Fb"],
  ["100%", "100%25"],
  ["a(b)", "a%28b%29"],
  ["it's!*", "it%27s%21%2A"],
  ["a,b;c[d]", "a%2Cb%3Bc%5Bd%5D"],
  ["🏛", "%F0%9F%8F%9B"],
] as const;

test("toKey() writes unreserved characters only, and one segment for each name", () => {
  for (const [name, encoded] of NAMES) {
    assert.equal(toKey(["adr", name]), `adr/${encoded}`);
    assert.match(toKey([name]), /^[A-Za-z0-9._~%-]+$/);
  }
  assert.equal(toKey(["adr", "a/b"]), "adr/a%2Fb");
});

test("toKey() takes composed and decomposed letters for the same", () => {
  assert.equal(toKey(["gro\u0308ße"]), toKey(["größe"]));
});

test("toKey() survives half a surrogate pair", () => {
  assert.equal(toKey(["a\ud800b"]), "a%EF%BF%BDb");
});

test("parseUri() takes the encoded and the raw spelling of a name for the same document", () => {
  for (const [name, encoded] of NAMES) {
    const key = `adr/${encoded}`;
    assert.equal(parseUri(`architecture://adr/${encoded}`)?.key, key);
    assert.equal(parseUri(`architecture://adr/${encoded.toLowerCase()}`)?.key, key, "lower-case digits");
    // A raw "#" begins a section; all else may stand as it is.
    if (!name.includes("#")) assert.equal(parseUri(`architecture://adr/${name}`)?.key, key);
  }
});

test("parseUri() reads both schemes, whatever their case", () => {
  assert.deepEqual(parseUri("ARCHITECTURE://adr/x"), {
    scheme: "architecture",
    key: "adr/x",
    section: undefined,
  });
  assert.deepEqual(parseUri("File:///adr/x.MD"), { scheme: "file", key: "adr/x", section: undefined });
});

test("parseUri() knows no other scheme, and no file without .md", () => {
  const others = [
    "http://adr/x",
    "file://host/adr/x.md",
    "file:///adr/x",
    "architecture:/adr/x",
    "adr/x",
    "",
    "://",
  ];
  for (const uri of others) assert.equal(parseUri(uri), undefined, uri);
});

test("parseUri() gives the section decoded, and the first # begins it", () => {
  assert.equal(parseUri("architecture://adr/x#gr%C3%B6%C3%9Fe")?.section, "größe");
  assert.equal(parseUri("architecture://adr/x#a#b")?.section, "a#b");
  assert.equal(parseUri("architecture://adr/x#")?.section, "");
  assert.equal(parseUri("architecture://adr/x#100%")?.section, "100%");
});

test("parseUri() makes a name of what would be a step in a path", () => {
  assert.equal(parseUri("architecture://adr/../../etc/passwd")?.key, "adr/../../etc/passwd");
  assert.equal(parseUri("architecture://adr/%2e%2e%2fsecret")?.key, "adr/..%2Fsecret");
  assert.equal(parseUri("architecture://adr/a%2Fb")?.key, "adr/a%2Fb", "an encoded slash divides nothing");
  assert.equal(parseUri("architecture://adr/a%00b")?.key, "adr/a%00b");
  assert.equal(parseUri("architecture://adr\\..\\x")?.key, "adr%5C..%5Cx");
});

test("parseUri() keeps a .md ending, which is part of no URI of this scheme", () => {
  assert.equal(parseUri("architecture://adr/x.md")?.key, "adr/x.md");
});

test("canonical() leaves what is canonical as it is", () => {
  for (const [, encoded] of NAMES) assert.equal(canonical(encoded), encoded);
});

test("toUri() writes what parseUri() reads", () => {
  for (const scheme of ["architecture", "file"] as const) {
    assert.deepEqual(parseUri(toUri("adr/a%20b", scheme)), { scheme, key: "adr/a%20b", section: undefined });
  }
});

test("followPath() goes from document to document as a link in markdown does", () => {
  assert.equal(followPath("adr/007-x", "008-y.md"), "adr/008-y");
  assert.equal(followPath("adr/007-x", "./008-y.MD"), "adr/008-y");
  assert.equal(followPath("adr/sub/x", "../../patterns/a b.md"), "patterns/a%20b");
  assert.equal(followPath("adr/sub/x", "../../patterns/a%20b.md"), "patterns/a%20b");
  assert.equal(followPath("adr/x", "../README.md"), "README");
  assert.equal(followPath("adr/x", "../../README.md"), undefined);
});
