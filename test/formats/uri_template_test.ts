/** URI templates of RFC 6570 up to level 3, matched against URIs. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { TemplateValues } from "../../lib/mcp/server/mod.ts";
import { resourceProvider } from "../../lib/mcp/server/mod.ts";
import { cpuNow } from "../harness/process.ts";

/** The values that a template reads from a URI. */
function match(uriTemplate: string, uri: string): Record<string, string> | undefined {
  let found: TemplateValues | undefined;
  const read = (values: TemplateValues) => {
    found = values;
    assert.ok(Object.isFrozen(values) && Object.getPrototypeOf(values) === null);
    return "";
  };
  resourceProvider({ templates: [{ uriTemplate, name: "template", read }] }).read(uri, undefined as never);
  return found && { ...found };
}

/** A template, and URIs with their values; a URI without values does not match. */
type Row = [template: string, ...uris: [uri: string, values?: Record<string, string>][]];
const TABLE: Row[] = [
  // Level 1
  ["x:{var}", ["x:value", { var: "value" }], ["x:"], ["x:a/b"], ["x:a?b"]],
  ["x:{hello}", ["x:Hello%20World%21", { hello: "Hello World!" }]],
  ["x:{a}/{b}", ["x:1/2", { a: "1", b: "2" }]],
  ["x:{a}-{b}", ["x:1-2-3", { a: "1-2", b: "3" }]],
  ["x:fixed", ["x:fixed", {}], ["x:fixed2"]],
  // Level 2
  ["{+path}/here", ["/foo/bar/here", { path: "/foo/bar" }]],
  ["here?ref={+path}", ["here?ref=/foo/bar", { path: "/foo/bar" }]],
  ["file:///{+path}", ["file:///a/b%20c.md", { path: "a/b c.md" }]],
  ["X{#hello}", ["X#Hello%20World!", { hello: "Hello World!" }], ["XHello"]],
  // Level 3
  ["map?{x,y}", ["map?1024,768", { x: "1024", y: "768" }]],
  ["{+x,hello,y}", ["1024,Hello,768", { x: "1024", hello: "Hello", y: "768" }]],
  ["{#path,x}", ["#/foo/bar,1024", { path: "/foo/bar", x: "1024" }]],
  ["X{.x,y}", ["X.1024.768", { x: "1024", y: "768" }]],
  ["X{.var}", ["X.value", { var: "value" }]],
  ["{/var,x}/here", ["/value/1024/here", { var: "value", x: "1024" }]],
  ["{/var}", ["/a/b"]],
  ["{;x,y}", [";x=1024;y=768", { x: "1024", y: "768" }]],
  ["{;x,y,empty}", [";x=1024;y=768;empty", { x: "1024", y: "768", empty: "" }]],
  ["{;x}/tail", [";x=1/tail", { x: "1" }]],
  ["{?x,y}", ["?x=1024&y=768", { x: "1024", y: "768" }]],
  ["a{?x,y}", ["a?y=768&x=1024", { x: "1024", y: "768" }], ["a?x=&y=768", { x: "", y: "768" }]],
  ["a{?x,y}", ["a?y=768", { y: "768" }], ["a", {}]],
  ["a{?x}", ["a?other=1&x=2", { x: "2" }], ["a?x=1=2", { x: "1=2" }]],
  ["?fixed=yes{&x}", ["?fixed=yes&x=1024", { x: "1024" }]],
  ["a{?x}{#part}", ["a?x=1#here", { x: "1", part: "here" }]],
  // Variables that are undefined
  ["f:{name}{.ext}", ["f:a.txt", { name: "a", ext: "txt" }]],
  ["f:{name}{.ext}", ["f:a", { name: "a" }], ["f:a.tar.gz", { name: "a.tar", ext: "gz" }]],
  ["f:x{/a,b}", ["f:x", {}], ["f:x/1", { a: "1" }], ["f:x/1/2", { a: "1", b: "2" }], ["f:x/1/2/3"], ["f:x/"]],
  ["f:x{/a,b}/end", ["f:x/end", {}], ["f:x/1/end", { a: "1" }]],
  ["f:x{/a}{/b}", ["f:x/1", { a: "1" }]],
  ["f:x{.a,b}", ["f:x", {}], ["f:x.1", { a: "1" }]],
  ["f:x{#r}", ["f:x", {}], ["f:x#"]],
  ["f:x{#a,b}", ["f:x#1", { a: "1" }], ["f:x#1,2,3", { a: "1,2", b: "3" }], ["f:x,1"]],
  ["{+a}{#b,c}", ["x,1", { a: "x,1" }]],
  ["f:x{?q}", ["f:x", {}]],
  ["f:x?a=1{&q,r}", ["f:x?a=1", {}], ["f:x?a=1&r=2", { r: "2" }]],
  ["f:x{;p}", ["f:x", {}]],
  ["f:x{;p,q}", ["f:x;q=1", { q: "1" }]],
  ["f:{a,b,c}", ["f:1,2", { a: "1", b: "2" }]],
  ["f:{a,b}", ["f:,2"], ["f:"]],
  ["f:{+a,b}", ["f:1/2", { a: "1/2" }]],
  ["f:x{/a}{.b}{?q}{#r}", ["f:x", {}], ["f:x/1?q=2", { a: "1", q: "2" }], ["f:x.1#2", { b: "1", r: "2" }]],
  ["f:{#a}{#b,c}", ["f:#1,2", { b: "1", c: "2" }]],
  ["f:{+a}{.b}{+c}", ["f:1.2/34", { a: "1", b: "2", c: "/34" }]],
  // Pairs next to other expressions
  ["f:{+path}{?q}", ["f:a/b?q=1", { path: "a/b", q: "1" }], ["f:a/b?q=1?q=2", { path: "a/b?q=1", q: "2" }]],
  ["f:{+path}{?q}", ["f:a/b?other=1", { path: "a/b?other=1" }]],
  ["f:x{?q}{&r,s}", ["f:x?q=1&s=2", { q: "1", s: "2" }]],
  ["f:x{;p}{/a}{?q}", ["f:x;p=1/2?q=3", { p: "1", a: "2", q: "3" }]],
  ["f:x{?q}", ["f:x?q=http://a/b&c", { q: "http://a/b" }]],
  // Characters that encodeURIComponent() does not encode
  ["x:{a}", ["x:o'brien%20(new)!*", { a: "o'brien (new)!*" }], ["x:a@b"]],
  ["x:{a,b}", ["x:(1),*", { a: "(1)", b: "*" }]],
  ["x{/a}{.b}", ["x/o'brien.!", { a: "o'brien", b: "!" }]],
  ["x:{a}!{b}", ["x:1!2", { a: "1", b: "2" }], ["x:1!2!3"], ["x:1%212!3", { a: "1!2", b: "3" }]],
  ["x:{a}!{b}", ["x:it's!(so)", { a: "it's", b: "(so)" }]],
  ["x:f({a})", ["x:f(1)", { a: "1" }]],
  // What is decoded
  ["x:{a}", ["x:%E6%97%A5%E6%9C%AC", { a: "日本" }], ["x:%2e%2e%2f", { a: "../" }]],
  ["x:{a}", ["x:1+1%2B"], ["x:%zz"], ["x:%ff"]],
  ["x{?__proto__}", ["x?__proto__=1", { ["__proto__"]: "1" }]],
  ["x:{my.name}", ["x:1", { "my.name": "1" }]],
];

test("a template matches the URIs that it expands to, and no others", () => {
  for (const [template, ...uris] of TABLE) {
    for (const [uri, values] of uris) {
      assert.deepEqual(match(template, uri), values, `${template} reads ${uri}`);
    }
  }
});

test("a template matches what the official expander writes, for any value", () => {
  const value = Array.from({ length: 0x7f - 0x20 }, (_, index) => String.fromCharCode(0x20 + index)).join("");
  const written = encodeURIComponent(value);
  for (const template of ["x:{a}", "x:{a}/end", "x{/a}", "x{?a}", "x{;a}", "x{.a}{#b}"]) {
    const expand = (_: string, sign: string) => sign + (/[?;]/.test(sign) ? "a=" : "") + written;
    const uri = template.replace(/\{([/?;.]?)a\}/, expand).replace("{#b}", "");
    assert.deepEqual(match(template, uri), { a: value }, template);
  }
});

test("the error for an invalid template, or one of level 4, quotes it", () => {
  const refused = "{var:3} {list*} {/list*} {} {a,} { } {a a} {{a}} {=a} {a}{a} {?a,a}".split(" ");
  for (const text of [...refused, "{a b}"]) {
    const isNamed = (cause: unknown) => cause instanceof TypeError && cause.message.includes(`"${text}"`);
    assert.throws(() => match(text, ""), isNamed, text);
  }
});

test("a hostile URI costs at most the product of both lengths, and a long one is not read", () => {
  const variables = Array.from({ length: 60 }, (_, index) => `{+v${index}}`).join("");
  const start = cpuNow();
  const rows: [template: string, uri: string][] = [
    [`x:${variables}!end`, `x:${"a".repeat(8000)}`],
    [`x:${variables.replaceAll("}{", "}a{")}\n`, `x:${"a".repeat(8000)}`],
    ["x:{a}-{b}-{c}-{d}-{e}!", `x:${"-".repeat(8000)}`],
    [`x${variables.replaceAll("+", "/")}!`, `x${"/a".repeat(4000)}`],
    [`x${variables.replaceAll("+", ".")}!`, `x${"..a".repeat(2500)}`],
    [`x${variables.replaceAll("+", "?")}!`, `x${"?v1=1".repeat(1600)}`],
    ["x:{a}", `x:${"a".repeat(8191)}`],
  ];
  for (const [template, uri] of rows) assert.equal(match(template, uri), undefined, template);
  assert.deepEqual(match("x{?a,b}", `x?${"&".repeat(8000)}`), {});
  assert.deepEqual(match("x{+a}{;b}{?c}", `x${";".repeat(8000)}`), { a: ";".repeat(8000) });
  assert.equal(match("x:{a}", `x:${"a".repeat(8190)}`)?.["a"]?.length, 8190);
  assert.ok(cpuNow() - start < 10_000);
});

test("the values of a literal template have the names of its variables, and those that may be missing may be undefined", () => {
  const read = (uri: string, provider: ReturnType<typeof resourceProvider>) =>
    provider.read(uri, undefined as never) as readonly { readonly text: string }[];
  const provider = resourceProvider({
    templates: [{
      uriTemplate: "x:{a,b}{.c}{?d,e}",
      name: "all",
      read: ({ a, b, c = "-", d = "-", e = "-" }) => {
        // @ts-expect-error `b` may be missing.
        const length: number | undefined = a.length + (b ?? "").length && b.length;
        return `${a} ${b ?? "-"} ${c.trim()} ${d.trim()} ${e.trim()} ${length}`;
      },
    }, {
      uriTemplate: "y:{+rest}",
      name: "rest",
      // @ts-expect-error `path` is not a variable.
      read: ({ rest, path }) => `${rest.toUpperCase()} ${path}`,
    }],
  });
  assert.equal(read("x:1,22.3?e=5&d=4", provider)[0]!.text, "1 22 3 4 5 2");
  assert.throws(() => read("x:1", provider), TypeError);
  assert.equal(read("y:a/b", provider)[0]!.text, "A/B undefined");
  const anyText: string = "z:{a}";
  const others = resourceProvider({
    templates: [{ uriTemplate: anyText, name: "a", read: ({ a, b }) => `${a} ${b}` }],
  });
  assert.equal(read("z:1", others)[0]!.text, "1 undefined");
});
