import assert from "node:assert/strict";
import { test } from "node:test";
import { resolveUri, splitFragment } from "../../lib/schema/uri.ts";

/** The examples of RFC 3986, sections 5.4.1 and 5.4.2, without fragments. */
const EXAMPLES: Readonly<Record<string, string>> = {
  "g:h": "g:h",
  "g": "http://a/b/c/g",
  "./g": "http://a/b/c/g",
  "g/": "http://a/b/c/g/",
  "/g": "http://a/g",
  "//g": "http://g",
  "?y": "http://a/b/c/d;p?y",
  "g?y": "http://a/b/c/g?y",
  ";x": "http://a/b/c/;x",
  "g;x": "http://a/b/c/g;x",
  "g;x?y": "http://a/b/c/g;x?y",
  "": "http://a/b/c/d;p?q",
  ".": "http://a/b/c/",
  "./": "http://a/b/c/",
  "..": "http://a/b/",
  "../": "http://a/b/",
  "../g": "http://a/b/g",
  "../..": "http://a/",
  "../../": "http://a/",
  "../../g": "http://a/g",
  "../../../g": "http://a/g",
  "../../../../g": "http://a/g",
  "/./g": "http://a/g",
  "/../g": "http://a/g",
  "g.": "http://a/b/c/g.",
  ".g": "http://a/b/c/.g",
  "g..": "http://a/b/c/g..",
  "..g": "http://a/b/c/..g",
  "./../g": "http://a/b/g",
  "./g/.": "http://a/b/c/g/",
  "g/./h": "http://a/b/c/g/h",
  "g/../h": "http://a/b/c/h",
  "g;x=1/./y": "http://a/b/c/g;x=1/y",
  "g;x=1/../y": "http://a/b/c/y",
  "g?y/./x": "http://a/b/c/g?y/./x",
  "g?y/../x": "http://a/b/c/g?y/../x",
  "http:g": "http:g",
};

test("resolveUri() resolves the examples of RFC 3986", () => {
  for (const [reference, expected] of Object.entries(EXAMPLES)) {
    assert.equal(resolveUri(reference, "http://a/b/c/d;p?q"), expected, reference);
  }
});

test("resolveUri() takes bases without an authority, and relative ones", () => {
  assert.equal(resolveUri("g", "http://a"), "http://a/g");
  assert.equal(resolveUri("item.json", ""), "item.json");
  assert.equal(resolveUri("../item.json", "a/b/c.json"), "a/item.json");
  assert.equal(resolveUri("", "urn:example:a"), "urn:example:a");
  assert.equal(resolveUri("urn:example:b", "urn:example:a"), "urn:example:b");
});

test("splitFragment() tells no fragment from an empty one", () => {
  assert.deepEqual(splitFragment("a"), ["a", undefined]);
  assert.deepEqual(splitFragment("a#"), ["a", ""]);
  assert.deepEqual(splitFragment("#a#b"), ["", "a#b"]);
});
