/** URI templates of RFC 6570 up to level 3, read backwards. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { TemplateValues } from "../../lib/server/mod.ts";
import { resourceProvider, UriTemplateError } from "../../lib/server/mod.ts";

/** The values that a template reads from a URI. */
function valuesOf(uriTemplate: string, uri: string): TemplateValues | undefined {
  let read: TemplateValues | undefined;
  const provider = resourceProvider({
    templates: [{
      uriTemplate,
      name: "template",
      read: (values) => {
        read = values;
        return "";
      },
    }],
  });
  provider.read(uri, undefined as never);
  return read;
}

function match(template: string, uri: string): Record<string, string> | undefined {
  const values = valuesOf(template, uri);
  return values && { ...values } as Record<string, string>;
}

/** Templates, URIs and the values that they were made of; undefined for a URI that was not made of the template. */
const TABLE:
  readonly (readonly [template: string, uri: string, values: Record<string, string> | undefined])[] = [
    // Level 1
    ["x:{var}", "x:value", { var: "value" }],
    ["x:{hello}", "x:Hello%20World%21", { hello: "Hello World!" }],
    ["x:{var}", "x:", undefined],
    ["x:{var}", "x:a/b", undefined],
    ["x:{var}", "x:a?b", undefined],
    ["x:{a}/{b}", "x:1/2", { a: "1", b: "2" }],
    ["x:{a}-{b}", "x:1-2-3", { a: "1-2", b: "3" }],
    ["x:fixed", "x:fixed", {}],
    ["x:fixed", "x:fixed2", undefined],
    // Level 2
    ["{+path}/here", "/foo/bar/here", { path: "/foo/bar" }],
    ["here?ref={+path}", "here?ref=/foo/bar", { path: "/foo/bar" }],
    ["file:///{+path}", "file:///a/b%20c.md", { path: "a/b c.md" }],
    ["X{#hello}", "X#Hello%20World!", { hello: "Hello World!" }],
    ["X{#hello}", "XHello", undefined],
    // Level 3
    ["map?{x,y}", "map?1024,768", { x: "1024", y: "768" }],
    ["{+x,hello,y}", "1024,Hello,768", { x: "1024", hello: "Hello", y: "768" }],
    ["{#path,x}", "#/foo/bar,1024", { path: "/foo/bar", x: "1024" }],
    ["X{.x,y}", "X.1024.768", { x: "1024", y: "768" }],
    ["X{.var}", "X.value", { var: "value" }],
    ["{/var,x}/here", "/value/1024/here", { var: "value", x: "1024" }],
    ["{/var}", "/a/b", undefined],
    ["{;x,y}", ";x=1024;y=768", { x: "1024", y: "768" }],
    ["{;x,y,empty}", ";x=1024;y=768;empty", { x: "1024", y: "768", empty: "" }],
    ["{;x}/tail", ";x=1/tail", { x: "1" }],
    ["{?x,y}", "?x=1024&y=768", { x: "1024", y: "768" }],
    ["a{?x,y}", "a?y=768&x=1024", { x: "1024", y: "768" }],
    ["a{?x,y}", "a?y=768", { y: "768" }],
    ["a{?x,y}", "a", {}],
    ["a{?x,y}", "a?x=&y=768", { x: "", y: "768" }],
    ["a{?x}", "a?other=1&x=2", { x: "2" }],
    ["a{?x}", "a?x=1=2", { x: "1=2" }],
    ["?fixed=yes{&x}", "?fixed=yes&x=1024", { x: "1024" }],
    ["a{?x}{#part}", "a?x=1#here", { x: "1", part: "here" }],
    // Variables that are undefined
    ["f:{name}{.ext}", "f:a", { name: "a" }],
    ["f:{name}{.ext}", "f:a.txt", { name: "a", ext: "txt" }],
    ["f:{name}{.ext}", "f:a.tar.gz", { name: "a.tar", ext: "gz" }],
    ["f:x{/a,b}", "f:x", {}],
    ["f:x{/a,b}", "f:x/1", { a: "1" }],
    ["f:x{/a,b}", "f:x/1/2", { a: "1", b: "2" }],
    ["f:x{/a,b}", "f:x/1/2/3", undefined],
    ["f:x{/a,b}", "f:x/", undefined],
    ["f:x{/a,b}/end", "f:x/end", {}],
    ["f:x{/a,b}/end", "f:x/1/end", { a: "1" }],
    ["f:x{/a}{/b}", "f:x/1", { a: "1" }],
    ["f:x{.a,b}", "f:x", {}],
    ["f:x{.a,b}", "f:x.1", { a: "1" }],
    ["f:x{#r}", "f:x", {}],
    ["f:x{#r}", "f:x#", undefined],
    ["f:x{#a,b}", "f:x#1", { a: "1" }],
    ["f:x{#a,b}", "f:x#1,2,3", { a: "1,2", b: "3" }],
    ["f:x{#a,b}", "f:x,1", undefined],
    ["{+a}{#b,c}", "x,1", { a: "x,1" }],
    ["f:x{?q}", "f:x", {}],
    ["f:x?a=1{&q,r}", "f:x?a=1", {}],
    ["f:x?a=1{&q,r}", "f:x?a=1&r=2", { r: "2" }],
    ["f:x{;p}", "f:x", {}],
    ["f:x{;p,q}", "f:x;q=1", { q: "1" }],
    ["f:{a,b,c}", "f:1,2", { a: "1", b: "2" }],
    ["f:{a,b}", "f:,2", undefined],
    ["f:{a,b}", "f:", undefined],
    ["f:{+a,b}", "f:1/2", { a: "1/2" }],
    ["f:x{/a}{.b}{?q}{#r}", "f:x", {}],
    ["f:x{/a}{.b}{?q}{#r}", "f:x/1?q=2", { a: "1", q: "2" }],
    ["f:x{/a}{.b}{?q}{#r}", "f:x.1#2", { b: "1", r: "2" }],
    ["f:{#a}{#b,c}", "f:#1,2", { b: "1", c: "2" }],
    ["f:{+a}{.b}{+c}", "f:1.2/34", { a: "1", b: "2", c: "/34" }],
    // Pairs beside other expressions
    ["f:{+path}{?q}", "f:a/b?q=1", { path: "a/b", q: "1" }],
    ["f:{+path}{?q}", "f:a/b?q=1?q=2", { path: "a/b?q=1", q: "2" }],
    ["f:{+path}{?q}", "f:a/b?other=1", { path: "a/b?other=1" }],
    ["f:x{?q}{&r,s}", "f:x?q=1&s=2", { q: "1", s: "2" }],
    ["f:x{;p}{/a}{?q}", "f:x;p=1/2?q=3", { p: "1", a: "2", q: "3" }],
    ["f:x{?q}", "f:x?q=http://a/b&c", { q: "http://a/b" }],
    // What encodeURIComponent() does not encode
    ["x:{a}", "x:o'brien%20(new)!*", { a: "o'brien (new)!*" }],
    ["x:{a,b}", "x:(1),*", { a: "(1)", b: "*" }],
    ["x{/a}{.b}", "x/o'brien.!", { a: "o'brien", b: "!" }],
    ["x:{a}!{b}", "x:1!2", { a: "1", b: "2" }],
    ["x:{a}!{b}", "x:1!2!3", undefined],
    ["x:{a}!{b}", "x:1%212!3", { a: "1!2", b: "3" }],
    ["x:{a}!{b}", "x:it's!(so)", { a: "it's", b: "(so)" }],
    ["x:f({a})", "x:f(1)", { a: "1" }],
    ["x:{a}", "x:a@b", undefined],
    // What is decoded
    ["x:{a}", "x:%E6%97%A5%E6%9C%AC", { a: "日本" }],
    ["x:{a}", "x:%2e%2e%2f", { a: "../" }],
    ["x:{a}", "x:1+1%2B", undefined],
    ["x:{a}", "x:%zz", undefined],
    ["x:{a}", "x:%ff", undefined],
    ["x{?__proto__}", "x?__proto__=1", { ["__proto__"]: "1" }],
    ["x:{my.name}", "x:1", { "my.name": "1" }],
  ];

test("a template reads the values of the URIs that were made of it, and no others", () => {
  for (const [template, uri, values] of TABLE) {
    assert.deepEqual(match(template, uri), values, `${template} reads ${uri}`);
  }
});

test("the values of a URI are frozen and have no prototype", () => {
  const values = valuesOf("x:{a}", "x:1")!;
  assert.equal(Object.getPrototypeOf(values), null);
  assert.throws(() => Object.assign(values, { a: "2" }), TypeError);
});

test("a template reads what the official expander writes, whatever is in the value", () => {
  const value = Array.from({ length: 0x7f - 0x20 }, (_, index) => String.fromCharCode(0x20 + index)).join("");
  const written = encodeURIComponent(value);
  for (const template of ["x:{a}", "x:{a}/end", "x{/a}", "x{?a}", "x{;a}", "x{.a}{#b}"]) {
    const uri = template.replace(
      /\{([/?;.]?)a\}/,
      (_, sign) => sign + (/[?;]/.test(sign) ? "a=" : "") + written,
    );
    assert.deepEqual(match(template, uri.replace("{#b}", "")), { a: value }, template);
  }
});

test("a template of level 4, or one that cannot be read, is refused with its text", () => {
  const refused = [
    "{var:3}",
    "{list*}",
    "{/list*}",
    "{}",
    "{a,}",
    "{a b}",
    "{",
    "}",
    "{a",
    "a}",
    "{{a}}",
    "{=a}",
    "{a}{a}",
    "{?a,a}",
  ];
  for (const text of refused) {
    assert.throws(() => valuesOf(text, ""), (cause) => {
      assert.ok(cause instanceof UriTemplateError, text);
      assert.ok(cause.message.includes(`"${text}"`), cause.message);
      return true;
    });
  }
});

test("a hostile URI costs no more than its length times the template's", () => {
  const variables = Array.from({ length: 60 }, (_, index) => `{+v${index}}`).join("");
  const start = performance.now();
  assert.equal(match(`x:${variables}!end`, `x:${"a".repeat(8000)}`), undefined);
  assert.equal(match(`x:${variables.replaceAll("}{", "}a{")}\n`, `x:${"a".repeat(8000)}`), undefined);
  assert.equal(match("x:{a}-{b}-{c}-{d}-{e}!", `x:${"-".repeat(8000)}`), undefined);
  assert.equal(match("x{?a,b}", `x?${"&".repeat(8000)}`)?.["a"], undefined);
  assert.equal(match(`x${variables.replaceAll("+", "/")}!`, `x${"/a".repeat(4000)}`), undefined);
  assert.equal(match(`x${variables.replaceAll("+", ".")}!`, `x${"..a".repeat(2500)}`), undefined);
  assert.deepEqual(match("x{+a}{;b}{?c}", `x${";".repeat(8000)}`), { a: ";".repeat(8000) });
  assert.equal(match(`x${variables.replaceAll("+", "?")}!`, `x${"?v1=1".repeat(1600)}`), undefined);
  assert.ok(performance.now() - start < 10_000);
});

test("a URI that is longer than any real one is not looked at", () => {
  assert.equal(match("x:{a}", `x:${"a".repeat(8190)}`)?.["a"]?.length, 8190);
  assert.equal(match("x:{a}", `x:${"a".repeat(8191)}`), undefined);
});
