/** Markdown as HTML: the extensions of GFM, ids of headings, and the option `link`. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { HtmlOptions } from "../../../lib/formats/markdown/render.ts";
import { toHtml } from "../../../lib/formats/markdown/render.ts";
import { readMarkdown } from "../../../lib/formats/markdown/document.ts";
import { EXAMPLES } from "./examples.ts";

const SAME: HtmlOptions = { link: (target) => target };

for (const [name, markdown, html] of EXAMPLES) {
  test(`toHtml() writes ${name}`, () => assert.equal(toHtml(markdown, SAME), html));
}

const IDS = new Map([[0, "a"], [3, "b"], [5, 'c"']]);
const ROWS: readonly (readonly [name: string, markdown: string, html: string, options?: HtmlOptions])[] = [
  ["astral signs beside emphasis", "*😀*a **x**😀 _😀_", "<p>*😀*a <strong>x</strong>😀 <em>😀</em></p>\n"],
  [
    "ids of headings, at the last line of those with an underline",
    "# A #\n\nB\nC\n===\n# D",
    '<h1 id="a">A</h1>\n<h1 id="b">B\nC</h1>\n<h1 id="c&quot;">D</h1>\n',
    { ids: IDS },
  ],
  ["headings without ids", "# A\n\nB\n-\n", "<h1>A</h1>\n<h2>B</h2>\n", { ids: new Map() }],
  [
    "links to http, https and mailto alone",
    "[a](https://a.b 'c') [d](e.md) <HTTP://x> <y@z> <irc://f> [g]\n\n[g]: #h",
    '<p><a href="https://a.b" title="c">a</a> d <a href="HTTP://x">HTTP://x</a> <a href="mailto:y@z">y@z</a> irc://f g</p>\n',
  ],
  ["links where an option leads them", "[a](b.md)", '<p><a href="/b%20c?d&amp;e%22">a</a></p>\n', {
    link: (target) => target === "b.md" ? '/b c?d&e"' : undefined,
  }],
  ["images as links to them", "![a *b*](https://c 'd')", '<p><a href="https://c" title="d">a b</a></p>\n'],
  ["images as their text where there is no address", "![a](b.png) ![](c.png)", "<p>a c.png</p>\n"],
  ["images in links as their text", "[![a](https://b)](https://c)", '<p><a href="https://c">a</a></p>\n'],
  [
    "images as links, with the text of links and images in them",
    "![a ![b](c) [d](e) `f` <h>](i) ![![j](k)![](l)](m)",
    '<p><a href="/i">a b d f </a> <a href="/m">j</a></p>\n',
    { link: (target) => `/${target}` },
  ],
  [
    "no link in a link",
    "[a <https://b>](https://c) [d [e](https://f)](https://g)",
    '<p><a href="https://c">a https://b</a> [d <a href="https://f">e</a>](https://g)</p>\n',
  ],
  [
    "images that are shown",
    "![a *b* \"](c.png 'd') ![](e.png) ![f](https://g) [![h](c.png)](https://i)",
    '<p><img src="/c.png" alt="a b &quot;" title="d" loading="lazy" /> <img src="/e.png" alt="" loading="lazy" /> ' +
    '<a href="https://g">f</a> <a href="https://i"><img src="/c.png" alt="h" loading="lazy" /></a></p>\n',
    { image: (target) => target.endsWith(".png") ? `/${target}` : undefined },
  ],
  [
    "addresses without marks as links",
    "https://a.b/c_d_e?f&g=h, (http://i/(j)). *https://k* xhttps://l https:// [https://m](https://n) [https://o] `https://p` <https://q>",
    '<p><a href="https://a.b/c_d_e?f&amp;g=h">https://a.b/c_d_e?f&amp;g=h</a>, (<a href="http://i/(j)">http://i/(j)</a>). ' +
    '<em><a href="https://k">https://k</a></em> xhttps://l https:// <a href="https://n">https://m</a> ' +
    '[<a href="https://o">https://o</a>] <code>https://p</code> <a href="https://q">https://q</a></p>\n',
    { linksBare: true },
  ],
  [
    "what is added to text without an address",
    "[a](b) ![c](d) [e](https://f)",
    '<p>a (b) c (d) <a href="https://f">e</a></p>\n',
    {
      unlinked: (target) => ` (${target})`,
    },
  ],
  [
    "what is added to code",
    "```mermaid x\na\n```\n\n    b",
    '<pre><code class="language-mermaid">a\n</code></pre>\n<p>m</p>\n<pre><code>b\n</code></pre>\n',
    {
      afterCode: (language) => language === "mermaid" ? "<p>m</p>\n" : "",
    },
  ],
  [
    "HTML as text",
    "a <b>c</b>\n\n<div>\n&amp;\n\n<!-- d -->\n",
    '<p>a <code class="html">&lt;b&gt;</code>c<code class="html">&lt;/b&gt;</code></p>\n' +
    '<pre class="html">&lt;div&gt;\n&amp;amp;</pre>\n<pre class="html">&lt;!-- d --&gt;</pre>\n',
  ],
];

for (const [name, markdown, html, options] of ROWS) {
  test(`toHtml() writes ${name}`, () => assert.equal(toHtml(markdown, options), html));
}

test("the anchors of headings are the slugs of the sections", () => {
  const text = "# Why not X?\n\na\n\nWhy not X?\n---\n\n```\n# code\n```\n## `b` *c*\n";
  const { sections } = readMarkdown(text);
  const html = toHtml(text, { ids: new Map(sections.map(({ line, slug }) => [line, slug])) });
  assert.deepEqual(html.match(/(?<=<h\d id=")[^"]*/g), ["why-not-x", "why-not-x-1", "b-c"]);
});

test("references add at most 100,000 characters, or the length of a longer document", () => {
  const text = `[a]: https://b/${"c".repeat(30_000)}\n\n${"[a] ".repeat(1000)}`;
  assert.equal(toHtml(text).match(/<a /g)?.length, 3);
});

test("quotes and lists deeper than 100 are text", () => {
  const html = toHtml(`${">".repeat(200)} a`);
  assert.equal(html.match(/<blockquote>/g)?.length, 99);
  assert.match(html, /<p>(?:&gt;){101} a<\/p>/);
});
