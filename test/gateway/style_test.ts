/** Are values written as OpenAPI says? The table of its specification, and what must not pass for a delimiter. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Style } from "../../lib/gateway/endpoint.ts";
import { encodeReserved, encodeStrictly, headerText, pairs, pathText } from "../../lib/gateway/style.ts";

const TEXT = "blue";
const LIST = ["blue", "black", "brown"];
const OBJECT = { R: 100, G: 200, B: 150 };

/** https://spec.openapis.org/oas/v3.1.1.html#style-examples, for a parameter called color; undefined where it says n/a. */
const PATHS: readonly (readonly [Style, boolean, string, string, string, string])[] = [
  ["matrix", false, ";color", ";color=blue", ";color=blue,black,brown", ";color=R,100,G,200,B,150"],
  ["matrix", true, ";color", ";color=blue", ";color=blue;color=black;color=brown", ";R=100;G=200;B=150"],
  ["label", false, ".", ".blue", ".blue,black,brown", ".R,100,G,200,B,150"],
  ["label", true, ".", ".blue", ".blue.black.brown", ".R=100.G=200.B=150"],
  ["simple", false, "", "blue", "blue,black,brown", "R,100,G,200,B,150"],
  ["simple", true, "", "blue", "blue,black,brown", "R=100,G=200,B=150"],
];
const QUERIES: readonly (readonly [Style, boolean, ...(string | undefined)[]])[] = [
  ["form", false, "color=", "color=blue", "color=blue,black,brown", "color=R,100,G,200,B,150"],
  ["form", true, "color=", "color=blue", "color=blue&color=black&color=brown", "R=100&G=200&B=150"],
  [
    "spaceDelimited",
    false,
    undefined,
    undefined,
    "color=blue%20black%20brown",
    "color=R%20100%20G%20200%20B%20150",
  ],
  [
    "pipeDelimited",
    false,
    undefined,
    undefined,
    "color=blue%7Cblack%7Cbrown",
    "color=R%7C100%7CG%7C200%7CB%7C150",
  ],
  ["deepObject", true, undefined, undefined, undefined, "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"],
];

test("path styles are those of the specification's table", () => {
  for (const [style, explode, ...wanted] of PATHS) {
    const found = ["", TEXT, LIST, OBJECT].map((value) =>
      pathText("color", value, { style, explode }, encodeStrictly)
    );
    assert.deepEqual(found, wanted, `${style} ${explode}`);
  }
});

test("query styles are those of the specification's table", () => {
  for (const [style, explode, ...wanted] of QUERIES) {
    for (const [index, value] of ["", TEXT, LIST, OBJECT].entries()) {
      if (wanted[index] === undefined) continue;
      const found = pairs("color", value, { style, explode }, encodeStrictly).map((pair) => pair.join("="))
        .join("&");
      assert.equal(found, wanted[index], `${style} ${explode}`);
    }
  }
});

test("headers are simple, and not encoded", () => {
  for (
    const [explode, ...wanted] of [
      [false, "blue", "blue,black,brown", "R,100,G,200,B,150"],
      [true, "blue", "blue,black,brown", "R=100,G=200,B=150"],
    ] as const
  ) {
    assert.deepEqual(
      [TEXT, LIST, OBJECT].map((value) => headerText("color", value, { style: "simple", explode })),
      wanted,
    );
  }
});

test("deep objects may nest, with brackets for members and items", () => {
  const found = pairs(
    "f",
    { a: { b: [1, { c: "x y" }] } },
    { style: "deepObject", explode: true },
    encodeStrictly,
  );
  assert.deepEqual(found, [["f%5Ba%5D%5Bb%5D%5B0%5D", "1"], ["f%5Ba%5D%5Bb%5D%5B1%5D%5Bc%5D", "x%20y"]]);
});

test("no value passes for a delimiter: it is encoded, and refused where nothing tells it apart", () => {
  assert.deepEqual(pairs("q", ["a,b", "c&d=e"], { style: "form", explode: false }, encodeStrictly), [
    ["q", "a%2Cb,c%26d%3De"],
  ]);
  assert.equal(
    pathText("q", ["a,b", "c=d"], { style: "label", explode: true }, encodeStrictly),
    ".a%2Cb.c%3Dd",
  );
  for (const value of [["a.b", "c"], { a: 1.5 }, { "a.b": 1 }]) {
    assert.throws(
      () => pathText("q", value, { style: "label", explode: true }, encodeStrictly),
      /q: an item with a dot in it cannot be told apart/,
    );
  }
  assert.equal(pathText("q", "a.b", { style: "label", explode: true }, encodeStrictly), ".a.b");
  assert.equal(pathText("q", ["a.b", "c"], { style: "label", explode: false }, encodeStrictly), ".a.b,c");
  assert.throws(
    () => pairs("q", ["a b"], { style: "spaceDelimited", explode: false }, encodeStrictly),
    /told apart/,
  );
  assert.throws(
    () => pairs("q", ["a|b"], { style: "pipeDelimited", explode: false }, encodeStrictly),
    /told apart/,
  );
  assert.throws(() => headerText("q", ["a,b"], { style: "simple", explode: false }), /told apart/);
  assert.throws(() => headerText("q", { "a=b": 1 }, { style: "simple", explode: true }), /told apart/);
});

test("reserved characters stay as they are where that is said, but for those that make a query", () => {
  const kept = "/a:b?c,d@[e]!$()*;";
  assert.equal(encodeReserved(kept), kept);
  assert.equal(encodeReserved("name eq 'x'"), "name%20eq%20%27x%27");
  // The address that is built has to be the one that a parser makes of it.
  for (let code = 0; code < 0x180; code++) {
    const query = encodeReserved(String.fromCharCode(code));
    assert.equal(new URL(`https://example.com/?q=${query}`).search, `?q=${query}`);
  }
  assert.equal(encodeReserved("a&b=c#d+e%20 "), "a%26b%3Dc%23d%2Be%2520%20");
});

test("what has no form in a parameter is refused: null, objects in lists, half of a character", () => {
  const form = { style: "form", explode: true } as const;
  assert.throws(
    () => pairs("q", null, form, encodeStrictly),
    /^ToolValidationError: q: null cannot be written here/,
  );
  assert.throws(() => pairs("q", [{ a: 1 }], form, encodeStrictly), /an object or a list in another one/);
  assert.throws(() => pairs("q", { a: { b: 1 } }, form, encodeStrictly), /q\/a: /);
  assert.throws(() => pairs("q", "\ud800", form, encodeStrictly), /half a character/);
  for (const style of ["form", "deepObject", "pipeDelimited"] as const) {
    for (const nothing of [[], {}]) {
      assert.throws(
        () => pairs("q", nothing, { style, explode: style !== "pipeDelimited" }, encodeStrictly),
        /nothing in it/,
      );
    }
  }
  assert.throws(() => pathText("p", [], { style: "matrix", explode: true }, encodeStrictly), /nothing in it/);
  assert.throws(
    () => pairs("q", { a: [] }, { style: "deepObject", explode: true }, encodeStrictly),
    /nothing in it/,
  );
});
