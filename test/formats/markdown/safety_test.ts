/** The output has only tags, attributes and addresses of markdown. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { HtmlOptions } from "../../../lib/formats/markdown/render.ts";
import { toHtml } from "../../../lib/formats/markdown/render.ts";
import { Random } from "../../fuzz/random.ts";
import { EXAMPLES } from "./examples.ts";
import { assertSafe } from "./safe.ts";

const TARGETS = (
  "javascript:alert(1) §JaVaScRiPt:alert(1)§ javascript:alert(1)§java\tscript:a§\u0001javascript:a§\u00a0javascript:a§" +
  "&#106;avascript:a§&#x6A;avascript&colon;a§javascript&#58;a§j\\avascript:a§javascript\\:a§vbscript:a§blob:a§" +
  "data:text/html,<script>alert(1)</script>§data:image/svg+xml,<svg/onload=alert(1)>§file:///etc/passwd§//evil.example§" +
  "x.md§#x§?x§\\\\evil.example§http\0s://a§%6Aavascript:a§javascript://https://a§\u202ejavascript:a§"
).split("§");
const HTML = (
  "<script>alert(1)</script>§<img src=x onerror=alert(1)>§<svg onload=alert(1)>§<a href='javascript:a'>§<!-- --><b>§" +
  "<iframe srcdoc='<script>'>§<style>@import 'x'</style>§<base href=//x>§<?php ?>§<![CDATA[<script>]]>§<x§</p>§<!x>"
).split("§");

const FORMS = ["[a](§)", "[a](<§>)", "![a](§)", "[a]: §\n\n[a] ![a] [b][a]", "<§>", "[![a](§)](http://b)"];

test("toHtml() writes only http, https and mailto addresses, in any spelling of the target", () => {
  for (const target of TARGETS) {
    for (const end of ["", ' "a" onclick=b', ' "&quot; onclick=&quot;b"']) {
      for (const form of FORMS) {
        const text = form.replace("§", () => target + end), html = toHtml(text);
        assertSafe(html, text);
        assert.doesNotMatch(html, /(?:href|src)="(?!http:\/\/b)/, text);
      }
    }
  }
});

test("toHtml() shows HTML as text", () => {
  const plain = ["§", "a § b", "# §", "- §", "> §", "|§|\n|-|\n|§|", "[§](http://a)", "[^a]\n\n[^a]: §"];
  const quoted = [
    "`§`",
    "```§\n§\n```",
    "![§](http://a '§')",
    '[a](http://a "§")',
    "[a]: http://a '§'\n\n[a]",
  ];
  for (const html of HTML) {
    for (const form of [...plain, ...quoted]) {
      const text = form.replaceAll("§", () => html);
      assertSafe(toHtml(text), text);
    }
  }
});

const PIECES = [
  ...("* ** _ __ ~ ~~ ` `` ``` ~~~ [ ] ![ ]( ) ( < > & \\ ! # ## - + 1. > | |-| :-: = === --- *** a b é 😀 ' \" \ud800 \u202e " +
    "&amp; &lt; &#60; &#0; &#x22; [^a] <http://a> <a@b.c> <!-- --> </ https://a mailto:a").split(" "),
  ...("\n§\n§\n\n§\n    §\n> §\n- §\n  § §  \n§\t§\r§\0§ \"b\"§ 'b'§[a]: http://b 'c'\n§\n[^a]: §- [ ] §- [x] §<div>\n")
    .split("§"),
  ...TARGETS,
  ...HTML,
];
const OPTIONS: readonly HtmlOptions[] = [
  {},
  { link: (target) => /^https:/.test(target) ? target : undefined },
  { link: (target) => `https://a/?${target}` },
  { image: (target) => `https://a/?${target}`, linksBare: true },
];

test("toHtml() writes only tags, attributes and addresses of markdown for 10,000 random mixes", () => {
  const random = new Random(16);
  for (let count = 0; count < 10_000; count++) {
    const text = Array.from({ length: random.between(1, 30) }, () => random.pick(PIECES)).join("");
    assertSafe(toHtml(text, random.pick(OPTIONS)), text);
  }
});

test("toHtml() writes only tags, attributes and addresses of markdown for every example", () => {
  for (const [, markdown] of EXAMPLES) assertSafe(toHtml(markdown), markdown);
});
